"""Applied forces.  All functions are Adams expressions in the model's units; angles in radians."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .base import Element
from .kinds import finite

IJ = {"i": "MARKER", "j": "MARKER"}
FLOAT = {"i": "MARKER", "jfloat": "MARKER", "rm": "MARKER"}
TURNS_OR_SLIDES = ("TRANSLATIONAL", "ROTATIONAL")
Vector = tuple[float, float, float]


@dataclass
class SForce(Element):
    """SFORCE: scalar along the line from J to I (TRANSLATIONAL; positive pushes apart) or about z of J (ROTATIONAL).

    With ``actiononly`` the force acts on I along (about) the z axis of J and there is no reaction.
    """

    KIND: ClassVar[str] = "SFORCE"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Single_Component_Force"
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {"kind": TURNS_OR_SLIDES}
    REFERENCES: ClassVar[dict[str, str]] = IJ
    kind: str = "TRANSLATIONAL"
    i: int = 0
    j: int = 0
    actiononly: bool = False
    function: str = "0"
    routine: str | None = None

    def losses(self) -> str:
        return "driven"


@dataclass
class VForce(Element):
    """VFORCE: force (fx, fy, fz) in the axes of ``rm`` on I; reaction on floating marker ``jfloat`` held at I."""

    KIND: ClassVar[str] = "VFORCE"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Force_Vector"
    REFERENCES: ClassVar[dict[str, str]] = FLOAT
    i: int = 0
    jfloat: int | None = None
    rm: int | None = None
    fx: str = "0"
    fy: str = "0"
    fz: str = "0"
    function: str | None = None  # USER(...)
    routine: str | None = None

    def losses(self) -> str:
        return "driven"


@dataclass
class VTorque(Element):
    """VTORQUE: torque (tx, ty, tz) in the axes of ``rm`` on I; reaction on ``jfloat``'s part."""

    KIND: ClassVar[str] = "VTORQUE"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Torque_Vector"
    REFERENCES: ClassVar[dict[str, str]] = FLOAT
    i: int = 0
    jfloat: int | None = None
    rm: int | None = None
    tx: str = "0"
    ty: str = "0"
    tz: str = "0"
    function: str | None = None
    routine: str | None = None

    def losses(self) -> str:
        return "driven"


@dataclass
class GForce(Element):
    """GFORCE: force and torque, six components in the axes of ``rm`` on I; reaction on ``jfloat`` held at I."""

    KIND: ClassVar[str] = "GFORCE"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "General_Force"
    REFERENCES: ClassVar[dict[str, str]] = FLOAT
    i: int = 0
    jfloat: int | None = None
    rm: int | None = None
    fx: str = "0"
    fy: str = "0"
    fz: str = "0"
    tx: str = "0"
    ty: str = "0"
    tz: str = "0"
    function: str | None = None
    routine: str | None = None

    def losses(self) -> str:
        return "driven"


@dataclass
class SpringDamper(Element):
    """SPRINGDAMPER: TRANSLATIONAL f = -c*VR - k*(DM - length) + force; ROTATIONAL t = -ct*WZ - kt*(AZ - angle) +
    torque."""

    KIND: ClassVar[str] = "SPRINGDAMPER"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Spring_Damper"
    SET_AS: ClassVar[dict[str, str]] = {"stiffness": "k (ROTATIONAL: kt)", "damping": "c (ROTATIONAL: ct)"}
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {"kind": TURNS_OR_SLIDES}
    REFERENCES: ClassVar[dict[str, str]] = IJ
    kind: str = "TRANSLATIONAL"
    i: int = 0
    j: int = 0
    k: float = 0.0
    c: float = 0.0
    force: float = 0.0
    length: float = 0.0
    kt: float = 0.0
    ct: float = 0.0
    torque: float = 0.0
    angle: float = 0.0

    def losses(self) -> str:
        return "damped" if self.c or self.ct else ""


@dataclass
class Bushing(Element):
    """BUSHING: linear six-component force in the axes of J, diagonal stiffness and damping, constant preload."""

    KIND: ClassVar[str] = "BUSHING"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Bushing"
    REFERENCES: ClassVar[dict[str, str]] = IJ
    i: int = 0
    j: int = 0
    k: Vector = (0.0, 0.0, 0.0)
    c: Vector = (0.0, 0.0, 0.0)
    kt: Vector = (0.0, 0.0, 0.0)
    ct: Vector = (0.0, 0.0, 0.0)
    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)

    def losses(self) -> str:
        return "damped" if any(self.c) or any(self.ct) else ""


@dataclass
class Field(Element):
    """FIELD: six-component force from full 6x6 matrices in the axes of J (row order here), or from a user routine.

    f = -K ((x, y, z, a, b, c) - length) - C (velocities) + preload; ``cratio`` gives C = cratio*K.
    """

    KIND: ClassVar[str] = "FIELD"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Field"
    REFERENCES: ClassVar[dict[str, str]] = IJ
    i: int = 0
    j: int = 0
    kmatrix: tuple[float, ...] = ()
    cmatrix: tuple[float, ...] = ()
    cratio: float | None = None
    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)
    length: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    formulation: str = "LINEAR"
    function: str | None = None
    routine: str | None = None

    def losses(self) -> str:
        return "damped" if self.cratio or any(self.cmatrix) or self.function or self.routine else ""


@dataclass
class Beam(Element):
    """BEAM: massless Timoshenko beam from J to I along x of J."""

    KIND: ClassVar[str] = "BEAM"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Beam"
    REFERENCES: ClassVar[dict[str, str]] = IJ
    i: int = 0
    j: int = 0
    length: float = 0.0
    area: float = 0.0
    ixx: float = 0.0
    iyy: float = 0.0
    izz: float = 0.0
    asy: float = 0.0
    asz: float = 0.0
    emodulus: float = 0.0
    gmodulus: float = 0.0
    cratio: float | None = None
    cmatrix: tuple[float, ...] = ()
    formulation: str = "LINEAR"

    def losses(self) -> str:
        return "damped" if self.cratio or any(self.cmatrix) else ""


@dataclass
class MForce(Element):
    """MFORCE: a distribution of forces on a flexible body, scaled by an expression; it rotates with the floating frame
    of the part.

    Q_j += scale load_j on the coordinates of its modes (``load`` (n,)), and on the rigid body scale ``force`` (3,) at
    the centre of mass and scale ``moment`` (3,) about it, both in axes of the part.  ``i``: the marker of the centre of
    mass of the part; ``jfloat``: marker of a part that takes the reaction of force and moment, none where nothing does;
    ``case``: which load case of the body it is, from 1, 0 for none.
    ``arguments``: those of a statement whose FLEX_BODY has no modes here; the statement is kept, but the model cannot
    be simulated.
    """

    KIND: ClassVar[str] = "MFORCE"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "MForce"
    REFERENCES: ClassVar[dict[str, str]] = {"flexibility": "FLEXIBILITY", "i": "MARKER", "jfloat": "MARKER"}
    flexibility: int | None = None
    i: int | None = None
    jfloat: int | None = None
    scale: str = "1"
    load: tuple[float, ...] = ()
    force: Vector = (0.0, 0.0, 0.0)
    moment: Vector = (0.0, 0.0, 0.0)
    case: int = 0
    arguments: tuple[tuple[str, str], ...] = ()

    def losses(self) -> str:
        return "driven"

    def faults(self, model: Any) -> Iterator[str]:
        if self.flexibility is None:
            return  # a statement that is kept: `validate.cannot_run` gives
        body = model.table("FLEXIBILITY").get(self.flexibility)
        if body is None or body.body is None:
            return  # the reference is reported
        if len(self.load) != body.modes:
            yield f"its load has {len(self.load)} numbers; the {body.modes} modes of {body.label} require as many"
        part = model.table("PART").get(body.part)
        if self.i is None or part is None or self.i != part.cm:
            yield "I is not the marker of the centre of mass of its part; make it with model.modal_force"
        if self.active and not body.active:
            yield f"its {body.label} is not active; deactivate both or neither"
        for name in ("load", "force", "moment"):
            if not all(finite(v) for v in getattr(self, name)):
                yield f"{name} has numbers that are not finite"
        marker = model.table("MARKER").get(self.jfloat)
        if marker is not None and part is not None and (marker.body_kind, marker.part) == ("PART", part.id):
            yield "JFLOAT lies on the part that it acts on; give a marker of another part"


#: CONTACT TYPE as Adams writes it; kept, never needed: the shapes state what meets what
CONTACT_TYPES = (
    "SOLID_TO_SOLID",
    "CURVE_TO_CURVE",
    "POINT_TO_CURVE",
    "POINT_TO_PLANE",
    "CURVE_TO_PLANE",
    "SPHERE_TO_PLANE",
    "SPHERE_TO_SPHERE",
    "CYLINDER_TO_CYLINDER",
    "FLEX_TO_SOLID",
    "FLEX_TO_FLEX",
    "FLEX_EDGE_TO_CURVE",
    "FLEX_EDGE_TO_FLEX_EDGE",
    "FLEX_EDGE_TO_PLANE",
)
COULOMB_FRICTION = ("OFF", "ON", "DYNAMICS_ONLY")
INITIAL = ("report", "resolve")


@dataclass
class Contact(Element):
    """CONTACT: every shape of ``igeom`` against every shape of ``jgeom`` (ids of GRAPHICS; see `model.shape` for what
    can touch).

    The order of a pair does not matter and each pair counts once, so ``igeom == jgeom`` means all pairs of shapes.
    There is no contact between shapes of one part, between shapes of two parts that a joint connects (unless
    ``joined``), and for pairs in ``exclude``. ``igrains``, ``jgrains``: ids of GRAINS, all of whose bodies belong to
    that side.

    Normal force: ``law`` (a name in `contact.laws.LAWS`); empty: the law of ``model``, IMPACT (``stiffness``,
    ``exponent``, ``damping``, ``dmax``), POISSON (``penalty``, ``restitution``) or USER (``normal_function``,
    ``normal_routine``). Parameters of other laws are in ``parameters`` by name; Hertz and similar laws use
    ``materials`` (MATERIAL id or name of the I and the J side).

    Friction acts when ``coulomb_friction`` is not OFF; DYNAMICS_ONLY: with ``mu_dynamic`` alone.  ``friction`` names
    the model in `contact.friction.FRICTIONS`, empty: COULOMB smoothed over the two transition velocities, as in Adams;
    parameters of other models are in ``friction_parameters``. ``rolling_resistance`` and ``spinning_resistance`` are
    arms (lengths): the resisting moment is the arm times the normal force, smoothed over ``resistance_transition``
    (angular velocity; 0: chosen automatically).

    A contact that is treated as a constraint (`model.settings.RigidSettings`) does not use the law. Its parameters are
    ``restitution``, the dynamic coefficient of friction (the static one where that is zero), ``impact_law`` (NEWTON,
    POISSON or ENERGY; empty: that of the model), ``tangential_restitution``, and the resistances to rolling and
    spinning without smoothing.

    ``initial``: shapes that overlap at the start are reported, or ("resolve") the parts are moved apart before the run.
    ``group``: a name by which contacts are found (`Model.contacts_of`, activation by group).
    """

    KIND: ClassVar[str] = "CONTACT"
    SWITCHABLE: ClassVar[bool] = True
    USES: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("igeom", "jgeom", "exclude"), "GRAPHICS"),
        **dict.fromkeys(("igrains", "jgrains"), "GRAINS"),
        **dict.fromkeys(("iflex", "jflex"), "FLEX_BODY"),
        "materials": "MATERIAL",
    }
    igeom: tuple[int, ...] = ()
    jgeom: tuple[int, ...] = ()
    igrains: tuple[int, ...] = ()
    jgrains: tuple[int, ...] = ()
    iflex: int | None = None
    jflex: int | None = None
    type: str = ""
    model: str = "IMPACT"  # IMPACT | POISSON | USER
    law: str = ""
    stiffness: float = 0.0
    damping: float = 0.0
    dmax: float = 0.0
    exponent: float = 1.0
    penalty: float = 0.0
    restitution: float = 0.0
    parameters: dict[str, float] = field(default_factory=dict)
    materials: tuple[int | str, ...] = ()
    coulomb_friction: str = "OFF"
    friction: str = ""
    mu_static: float = 0.0
    mu_dynamic: float = 0.0
    stiction_transition_velocity: float = 0.0
    friction_transition_velocity: float = 0.0
    stiction: bool = False
    max_stiction_deformation: float = 0.0
    friction_parameters: dict[str, float] = field(default_factory=dict)
    rolling_resistance: float = 0.0
    spinning_resistance: float = 0.0
    resistance_transition: float = 0.0
    impact_law: str = ""  # NEWTON | POISSON | ENERGY
    tangential_restitution: float = 0.0
    augmented_lagrangian: bool = False
    exclude: tuple[tuple[int, int], ...] = ()
    joined: bool = False
    initial: str = "report"  # report | resolve
    group: str = ""
    normal_function: str | None = None  # USER(...)
    normal_routine: str | None = None
    friction_function: str | None = None  # USER(...)
    friction_routine: str | None = None
    function: str | None = None
    routine: str | None = None
    arguments: tuple[tuple[str, str], ...] = ()

    @property
    def law_name(self) -> str:
        """Name of the normal law: ``law``, or the law of ``model``."""
        return (self.law or self.model).upper()

    @property
    def friction_name(self) -> str:
        """Name of the friction model; empty without friction."""
        if self.coulomb_friction.upper() == "OFF":
            return ""
        return (self.friction or "COULOMB").upper()

    @property
    def mu(self) -> float:
        """Coefficient of friction of a rigid contact that slides."""
        return (self.mu_dynamic or self.mu_static) if self.friction_name else 0.0

    @property
    def mu_at_rest(self) -> float:
        """Coefficient of friction of a rigid contact that sticks: the static one, but at least that of sliding."""
        static = 0.0 if self.coulomb_friction.upper() == "DYNAMICS_ONLY" else self.mu_static
        return max(self.mu, static) if self.friction_name else 0.0

    def losses(self) -> str:
        return "driven"
