"""What the types of joints have and do, once: validation, switches, couplers, contact and results read it here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class JointFacts:
    """One type of JOINT or JPRIM.

    ``freedoms``: coordinates that results report: ``angle`` about and ``travel`` along z of J, ``slide`` travel along
    two axes, ``angles`` of a cross.
    ``driven``: types of MOTION that it takes; ``locked``: those by which it is locked, stopped or latched (one where
    they depend on each other);
    ``coupled``: by a COUPLER; ``geared``: by a GEAR; ``friction``: law of FRICTION in it (axis, slide, cylinder, ball);
    ``friction_radius``: parameter of FRICTION to which the torque is proportional, ``friction_arm`` the one by which
    moments are divided.
    ``no_contact``: whether contacts of the two bodies that it connects are left out; ``keeps``: directions that the
    bodies keep to each other ("z" or "all").
    ``holds``: what it allows no relative motion of: translations along (x, y, z) and rotations about (X, Y, Z) axes of
    J, as far as these stay the same in all positions.
    ``equations``: how many rows it has.
    ``without_twist``: what is left of it at a point of a mesh whose section has no angle about the axis: "point" and
    direction of the axis, or the direction "across" it alone.
    ``primitive``: it is a type of JPRIM.
    ``armature``: coordinate on which the inertia of a drive acts.
    """

    freedoms: tuple[str, ...] = ()
    driven: tuple[str, ...] = ()
    locked: tuple[str, ...] = ()
    coupled: bool = False
    geared: bool = False
    friction: str = ""
    friction_radius: str = ""
    friction_arm: str = ""
    no_contact: bool = False
    keeps: str = ""
    holds: str = ""
    equations: int = 0
    without_twist: str = ""
    primitive: bool = False
    armature: str = ""


TURN, SLIDE = "ROTATIONAL", "TRANSLATIONAL"
#: in the order in which they are named
FACTS = {
    "REVOLUTE": JointFacts(
        ("angle",),
        (TURN,),
        (TURN,),
        equations=5,
        coupled=True,
        geared=True,
        friction="axis",
        friction_radius="pin_radius",
        friction_arm="bending_reaction_arm",
        no_contact=True,
        keeps="z",
        holds="xyzXY",
        without_twist="across",
        armature="angle",
    ),
    "TRANSLATIONAL": JointFacts(
        ("travel",),
        (SLIDE,),
        (SLIDE,),
        equations=5,
        coupled=True,
        geared=True,
        friction="slide",
        friction_arm="reaction_arm",
        no_contact=True,
        keeps="all",
        holds="xyXYZ",
        armature="distance",
    ),
    "CYLINDRICAL": JointFacts(
        ("angle", "travel"),
        (TURN, SLIDE),
        (TURN, SLIDE),
        equations=4,
        coupled=True,
        geared=True,
        friction="cylinder",
        friction_radius="pin_radius",
        no_contact=True,
        keeps="z",
        holds="xyXY",
    ),
    "SPHERICAL": JointFacts(equations=3, friction="ball", friction_radius="ball_radius", no_contact=True, holds="xyz"),
    "PLANAR": JointFacts(("angle", "slide"), equations=3, keeps="z", holds="zXY"),
    "FIXED": JointFacts(equations=6, without_twist="point", no_contact=True, keeps="all", holds="xyzXYZ"),
    "UNIVERSAL": JointFacts(
        ("angles",),
        equations=4,
        friction="axis",
        friction_radius="pin_radius",
        friction_arm="bending_reaction_arm",
        no_contact=True,
        holds="xyz",
    ),
    "HOOKE": JointFacts(
        ("angles",),
        equations=4,
        friction="axis",
        friction_radius="pin_radius",
        friction_arm="bending_reaction_arm",
        no_contact=True,
        holds="xyz",
    ),
    "CONVEL": JointFacts(equations=4, no_contact=True, holds="xyzZ"),
    "SCREW": JointFacts(
        ("angle", "travel"),
        (TURN, SLIDE),
        (TURN,),
        equations=5,
        coupled=True,
        no_contact=True,
        keeps="z",
        holds="xyXY",
        armature="angle",
    ),
    "RACKPIN": JointFacts(equations=1),
    # primitives
    "ATPOINT": JointFacts(equations=3, primitive=True, no_contact=True, holds="xyz"),
    "INLINE": JointFacts(equations=2, primitive=True, holds="xy"),
    "INPLANE": JointFacts(equations=1, primitive=True, holds="z"),
    "ORIENTATION": JointFacts(equations=3, primitive=True, keeps="all", holds="XYZ"),
    "PARALLEL_AXES": JointFacts(equations=2, primitive=True, keeps="z", holds="XY"),
    "PERPENDICULAR": JointFacts(equations=1, primitive=True),
}
JOINT_TYPES = tuple(name for name, f in FACTS.items() if not f.primitive)
PRIMITIVE_TYPES = tuple(name for name, f in FACTS.items() if f.primitive)
NONE = JointFacts()


def facts(joint: Any) -> JointFacts:
    """Facts of a joint or primitive; those of nothing for a type that is none (a fault of validation)."""
    return FACTS.get(joint.type, NONE)


def having(ability: str) -> tuple[str, ...]:
    """Types that have an ability, for sentences: ``having("friction")``."""
    return tuple(name for name, f in FACTS.items() if getattr(f, ability))


def choice(ability: str) -> str:
    """The same as text: "revolute, translational or cylindrical"."""
    names = [n.lower() for n in having(ability)]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def turning(element: Any) -> bool:
    """Has this element an angle about z of its J marker that may run over many turns?"""
    if element.KIND == "JOINT":
        return "angle" in facts(element).freedoms
    return element.KIND == "SPRINGDAMPER" and element.kind == "ROTATIONAL"
