"""Constraints: joints, primitives, couplers, gears, curve contacts, general constraints, motions, joint friction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from .base import Element
from .joint_facts import JOINT_TYPES, PRIMITIVE_TYPES

IJ = {"i": "MARKER", "j": "MARKER"}

COMPONENTS = ("X", "Y", "Z", "B1", "B2", "B3")
LEVELS = ("DISPLACEMENT", "VELOCITY", "ACCELERATION")


@dataclass
class Joint(Element):
    """JOINT: joint between the markers I and J; ``type`` determines its free coordinates.

    ``pitch`` (SCREW): travel per turn, length. ``pd`` (RACKPIN): pitch diameter. ``ictran``/``icrot``: initial
    displacement and velocity of the free coordinates (pairs; None where not given).  ``armature`` a (REVOLUTE,
    TRANSLATIONAL, SCREW): inertia of a drive about, or mass along the free coordinate q, with the kinetic energy
    a q'^2 / 2.
    """

    KIND: ClassVar[str] = "JOINT"
    ROLE: ClassVar[str] = "constraint"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Joint"
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {"type": JOINT_TYPES}
    REFERENCES: ClassVar[dict[str, str]] = IJ
    type: str = "REVOLUTE"
    i: int = 0
    j: int = 0
    pitch: float | None = None
    pd: float | None = None
    ictran: tuple[float | None, ...] = ()
    icrot: tuple[float | None, ...] = ()
    armature: float | None = None


@dataclass
class Primitive(Element):
    """JPRIM: ``type`` is one of PRIMITIVE_TYPES."""

    KIND: ClassVar[str] = "JPRIM"
    ROLE: ClassVar[str] = "constraint"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Primitive_Joint"
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {"type": PRIMITIVE_TYPES}
    REFERENCES: ClassVar[dict[str, str]] = IJ
    type: str = "ATPOINT"
    i: int = 0
    j: int = 0


@dataclass
class Coupler(Element):
    """COUPLER: scales[0]*q1 + scales[1]*q2 (+ scales[2]*q3) = 0; ``types``: T or R for each joint (R default)."""

    KIND: ClassVar[str] = "COUPLER"
    ROLE: ClassVar[str] = "constraint"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Coupler"
    REFERENCES: ClassVar[dict[str, str]] = {"joints": "JOINT"}
    joints: tuple[int, ...] = ()
    types: tuple[str, ...] = ()
    scales: tuple[float, ...] = ()
    function: str | None = None  # USER(...)
    routine: str | None = None


@dataclass
class Gear(Element):
    """GEAR: equal velocity of the two joints' parts at the common-velocity marker ``cv``, along its z axis."""

    KIND: ClassVar[str] = "GEAR"
    ROLE: ClassVar[str] = "constraint"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Gear"
    REFERENCES: ClassVar[dict[str, str]] = {"joints": "JOINT", "cv": "MARKER"}
    joints: tuple[int, ...] = ()
    cv: int = 0


@dataclass
class PointCurve(Element):
    """PTCV: origin of marker ``i`` stays on ``curve`` fixed to marker ``rm``; ``jfloat`` receives the reaction."""

    KIND: ClassVar[str] = "PTCV"
    ROLE: ClassVar[str] = "constraint"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Point_Curve"
    REFERENCES: ClassVar[dict[str, str]] = {"i": "MARKER", "jfloat": "MARKER", "rm": "MARKER", "curve": "CURVE"}
    USES: ClassVar[dict[str, str]] = {"icm": "MARKER"}
    i: int = 0
    jfloat: int | None = None
    rm: int = 0
    curve: int = 0
    ic: tuple[float, ...] = ()  # initial contact point (x, y, z on the curve, rm axes)
    displacement_ic: tuple[float, ...] = ()
    velocity_ic: float | None = None
    icm: int | None = None  # marker in whose axes ic is given (rm when None)


@dataclass
class CurveCurve(Element):
    """CVCV: curves ``icurve`` (in marker ``irm``) and ``jcurve`` (in ``jrm``) keep touching, tangent at one point."""

    KIND: ClassVar[str] = "CVCV"
    ROLE: ClassVar[str] = "constraint"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Curve_Curve"
    REFERENCES: ClassVar[dict[str, str]] = {
        "ifloat": "MARKER",
        "jfloat": "MARKER",
        "irm": "MARKER",
        "jrm": "MARKER",
        "icurve": "CURVE",
        "jcurve": "CURVE",
    }
    USES: ClassVar[dict[str, str]] = {"iicm": "MARKER", "jicm": "MARKER"}
    ifloat: int | None = None
    jfloat: int | None = None
    irm: int = 0
    jrm: int = 0
    icurve: int = 0
    jcurve: int = 0
    i_ic: tuple[float, ...] = ()
    j_ic: tuple[float, ...] = ()
    i_velocity_ic: float | None = None
    j_velocity_ic: float | None = None
    iicm: int | None = None  # markers in whose axes i_ic and j_ic are given
    jicm: int | None = None


@dataclass
class Motion(Element):
    """MOTION on a joint (``kind`` ROTATIONAL or TRANSLATIONAL) or between markers (``component`` X Y Z B1 B2 B3).

    ``level``: DISPLACEMENT, VELOCITY or ACCELERATION; ``function`` gives that quantity of I with respect to J.
    """

    KIND: ClassVar[str] = "MOTION"
    ROLE: ClassVar[str] = "constraint"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Motion"
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {
        "kind": ("TRANSLATIONAL", "ROTATIONAL"),
        "component": COMPONENTS,
        "level": LEVELS,
    }
    REFERENCES: ClassVar[dict[str, str]] = {"joint": "JOINT", **IJ}
    joint: int | None = None
    i: int | None = None
    j: int | None = None
    kind: str = "ROTATIONAL"
    component: str | None = None
    level: str = "DISPLACEMENT"
    function: str = "0"
    routine: str | None = None
    icdisp: float | None = None
    icvel: float | None = None

    def losses(self) -> str:
        return "driven"


@dataclass
class GeneralConstraint(Element):
    """GCON: ``function`` = 0 at displacement or velocity level (depending on the measures in it), and states;
    ``i``: marker of the reported reaction."""

    KIND: ClassVar[str] = "GCON"
    ROLE: ClassVar[str] = "constraint"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "General_Constraint"
    REFERENCES: ClassVar[dict[str, str]] = {"i": "MARKER"}
    i: int | None = None
    function: str = ""
    routine: str | None = None


@dataclass
class UserConstraint(Element):
    """UCON: constraint whose value a registered Python function computes from displacements."""

    KIND: ClassVar[str] = "UCON"
    ROLE: ClassVar[str] = "constraint"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "User_Constraint"
    function: str = ""
    routine: str | None = None

    def losses(self) -> str:
        return "driven"


#: fields of a FRICTION that its LuGre formulation alone reads
LUGRE = (
    "bristle_stiffness_coefficient",
    "damping_coefficient",
    "viscous_friction_coefficient",
    "velocity_threshold_stribeck",
    "decay_exponent_stribeck",
)
LUGRE_DAMPING = ("damping_coefficient", "viscous_friction_coefficient")  # of these, those that may be zero


@dataclass
class Friction(Element):
    """FRICTION on a joint: stiction and sliding from the joint's reactions, as Adams' FRICTION statement."""

    KIND: ClassVar[str] = "FRICTION"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Friction"
    REFERENCES: ClassVar[dict[str, str]] = {"joint": "JOINT"}
    joint: int = 0
    mu_static: float = 0.5
    mu_dynamic: float = 0.3
    stiction_transition_velocity: float = 0.1
    transition_velocity_coefficient: float = 1.5
    max_stiction_deformation: float = 0.01
    pin_radius: float | None = None  # left out: 1
    friction_arm: float | None = None  # left out: 1, as the other arms
    bending_reaction_arm: float | None = None
    ball_radius: float | None = None  # left out: 1
    reaction_arm: float | None = None
    initial_overlap: float = 1000.0
    overlap_delta: str = "CONSTANT"
    force_preload: float = 0.0
    torque_preload: float = 0.0
    max_friction_force: float | None = None
    max_friction_torque: float | None = None
    effect: str = "ALL"  # ALL | STICTION | SLIDING
    inputs: tuple[str, ...] = ("PRELOAD", "REACTION_FORCE", "BENDING_MOMENT", "TORSIONAL_MOMENT")
    smooth: float | None = None
    inactive: str = ""  # STATIC
    i_yoke: bool = False
    j_yoke: bool = False
    yoke: str = ""
    formulation: str = "ORIGINAL"  # ORIGINAL | LUGRE
    bristle_stiffness_coefficient: float = 0.0  # of LUGRE alone, as those that follow
    damping_coefficient: float = 0.0
    viscous_friction_coefficient: float = 0.0
    velocity_threshold_stribeck: float = 0.0
    decay_exponent_stribeck: float = 2.0
    extra: tuple[tuple[str, str], ...] = ()

    def losses(self) -> str:
        return "driven"

    def lugre_faults(self) -> Iterator[str]:
        """What is wrong with the parameters of FORMULATION = LUGRE, whose stiffness and velocity have no defaults."""
        if self.formulation.upper() != "LUGRE":
            return
        positive = ("mu_static", "mu_dynamic", *(n for n in LUGRE if n not in LUGRE_DAMPING))
        for name in positive:
            if not getattr(self, name) > 0.0:
                yield f"{name.upper()} is {getattr(self, name):g}; FORMULATION = LUGRE needs a positive number"
        for name in LUGRE_DAMPING:
            if getattr(self, name) < 0.0:
                yield f"{name.upper()} is {getattr(self, name):g}; give zero or a positive number"
        if self.effect != "ALL":
            yield f"EFFECT = {self.effect} belongs to FORMULATION = ORIGINAL; leave it out"
