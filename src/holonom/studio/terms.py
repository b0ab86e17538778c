"""What an engineer calls the fields of elements: labels next to the keywords of the dataset, groups, units, and which
fields a type uses."""

from __future__ import annotations

from typing import Any

from ..model import Model
from ..model.field_units import OF_KIND, QUANTITY

#: (kind of element or "", field) -> label and group; "" is any kind
TERMS: dict[tuple[str, str], tuple[str, str]] = {
    ("", "type"): ("Type", "Definition"),
    ("", "kind"): ("Type", "Definition"),
    ("", "mass"): ("Mass", "Mass"),
    ("", "cm"): ("Centre of mass (marker)", "Mass"),
    ("", "ip"): ("Inertia Ixx, Iyy, Izz, Ixy, Ixz, Iyz", "Mass"),
    ("", "im"): ("Axes of the inertia (marker)", "Mass"),
    ("", "material"): ("Material", "Mass"),
    ("", "ground"): ("Fixed to the world (ground)", "Definition"),
    ("", "qg"): ("Position (ground)", "Position"),
    ("MARKER", "part"): ("Body", "Connection"),
    ("MARKER", "qp"): ("Position on the part", "Position"),
    ("", "reuler"): ("Orientation (body 3-1-3 angles)", "Position"),
    ("", "zg"): ("A point on the z axis", "Position"),
    ("", "xg"): ("A point in the xz plane", "Position"),
    ("", "zp"): ("A point on the z axis", "Position"),
    ("", "xp"): ("A point in the xz plane", "Position"),
    ("", "exact"): ("Coordinates that assembly keeps", "Initial conditions"),
    ("", "assembly_weight"): ("Assembly weights of X, Y, Z, attitude", "Initial conditions"),
    **{("", f"v{c}"): (f"Initial velocity {c}", "Initial conditions") for c in "xyz"},
    **{("", f"w{c}"): (f"Initial angular velocity {c}", "Initial conditions") for c in "xyz"},
    ("", "vm"): ("Axes of the velocity (marker)", "Initial conditions"),
    ("", "wm"): ("Axes of the angular velocity (marker)", "Initial conditions"),
    ("", "ictran"): ("Initial travel and speed", "Initial conditions"),
    ("", "icrot"): ("Initial angle and angular velocity", "Initial conditions"),
    ("", "icdisp"): ("Initial displacement", "Initial conditions"),
    ("", "icvel"): ("Initial velocity", "Initial conditions"),
    ("", "i"): ("First marker", "Connection"),
    ("", "j"): ("Second marker", "Connection"),
    ("", "rm"): ("Axes of the components (marker)", "Connection"),
    ("", "jfloat"): ("Reaction on (floating marker)", "Connection"),
    ("", "joint"): ("Joint", "Connection"),
    ("", "joints"): ("Joints", "Connection"),
    ("", "pitch"): ("Travel per turn", "Definition"),
    ("", "pd"): ("Pitch diameter", "Definition"),
    ("JOINT", "armature"): ("Inertia of the drive", "Definition"),
    ("", "level"): ("Prescribes the", "Definition"),
    ("MOTION", "component"): ("Coordinate", "Definition"),
    ("", "function"): ("Function", "Definition"),
    ("", "routine"): ("User subroutine", "Advanced"),
    ("", "actiononly"): ("On the first marker only", "Advanced"),
    ("", "active"): ("Active", "Advanced"),
    ("", "k"): ("Stiffness", "Stiffness and damping"),
    ("", "c"): ("Damping", "Stiffness and damping"),
    ("", "kt"): ("Torsional stiffness", "Stiffness and damping"),
    ("", "ct"): ("Torsional damping", "Stiffness and damping"),
    ("SPRINGDAMPER", "length"): ("Free length", "Stiffness and damping"),
    ("SPRINGDAMPER", "angle"): ("Free angle", "Stiffness and damping"),
    ("", "force"): ("Preload", "Stiffness and damping"),
    ("", "torque"): ("Preload torque", "Stiffness and damping"),
    **{("", f"f{c}"): (f"Force {c}", "Definition") for c in "xyz"},
    **{("", f"t{c}"): (f"Torque {c}", "Definition") for c in "xyz"},
    ("CONTACT", "igeom"): ("First shapes", "Connection"),
    ("CONTACT", "jgeom"): ("Second shapes", "Connection"),
    ("CONTACT", "igrains"): ("First grains", "Connection"),
    ("CONTACT", "jgrains"): ("Second grains", "Connection"),
    ("CONTACT", "model"): ("Normal force by", "Definition"),
    ("CONTACT", "stiffness"): ("Stiffness", "Normal force"),
    ("CONTACT", "damping"): ("Damping", "Normal force"),
    ("CONTACT", "dmax"): ("Depth of full damping", "Normal force"),
    ("CONTACT", "exponent"): ("Exponent of the depth", "Normal force"),
    ("CONTACT", "restitution"): ("Coefficient of restitution", "Normal force"),
    ("CONTACT", "penalty"): ("Penalty stiffness", "Normal force"),
    ("CONTACT", "coulomb_friction"): ("Coulomb friction", "Friction"),
    ("", "mu_static"): ("Static coefficient", "Friction"),
    ("", "mu_dynamic"): ("Dynamic coefficient", "Friction"),
    ("", "stiction_transition_velocity"): ("Velocity of full static friction", "Friction"),
    ("", "friction_transition_velocity"): ("Velocity of full dynamic friction", "Friction"),
    ("", "pin_radius"): ("Pin radius", "Friction"),
    ("CONTROL", "inputs"): ("Inputs", "Connection"),
    ("CONTROL", "outputs"): ("Variables of the outputs", "Connection"),
    ("CONTROL", "parameters"): ("Parameters", "Definition"),
    ("CONTROL", "options"): ("Options", "Definition"),
    ("CONTROL", "initial"): ("Initial values of the states", "Initial conditions"),
    ("CONTROL", "tables"): ("Splines of the table", "Definition"),
    ("CONTROL", "period"): ("Sample time (0: continuous)", "Sampling"),
    ("CONTROL", "offset"): ("First sample at", "Sampling"),
    ("CONTROL", "delay"): ("Delay of the outputs", "Sampling"),
    ("CONTROL", "jitter"): ("Largest lateness of a sample", "Sampling"),
    ("CONTROL", "seed"): ("Seed of random numbers", "Sampling"),
    ("FMU", "path"): ("File", "Definition"),
    ("FMU", "step"): ("Step of communication", "Sampling"),
    ("FMU", "tolerance"): ("Requested error of the coupling", "Sampling"),
    ("FMU", "sampled"): ("Digital controller with this step", "Sampling"),
    ("BEAM", "length"): ("Length", "Section"),
    ("BEAM", "area"): ("Area of the section", "Section"),
    **{("BEAM", f"i{c}{c}"): (f"Area moment {c}", "Section") for c in "xyz"},
    ("", "emodulus"): ("Young's modulus", "Stiffness and damping"),
    ("", "gmodulus"): ("Shear modulus", "Stiffness and damping"),
}
#: groups in their order; those that are not here come before the last one
GROUPS = (
    "Definition",
    "Connection",
    "Mass",
    "Position",
    "Section",
    "Stiffness and damping",
    "Normal force",
    "Friction",
    "Sampling",
    "Initial conditions",
    "Other",
    "Advanced",
)
TURNING = {"kt", "ct", "torque", "angle"}
STRAIGHT = {"k", "c", "force", "length"}
#: fields of a joint that only some types have
JOINT_FIELDS = {
    "pitch": ("SCREW",),
    "pd": ("RACKPIN",),
    "armature": ("REVOLUTE", "TRANSLATIONAL", "SCREW"),
    "ictran": ("TRANSLATIONAL", "CYLINDRICAL", "SCREW", "PLANAR"),
    "icrot": ("REVOLUTE", "CYLINDRICAL", "SCREW", "PLANAR"),
}


def term(kind: str, name: str) -> dict[str, str]:
    """Label and group of a field; the field's own name where there is no other word for it."""
    label, group = TERMS.get((kind, name)) or TERMS.get(("", name)) or ("", "Other")
    return {"label": label, "group": group}


def unit_of(model: Model, kind: str, name: str, element: Any = None) -> str:
    """Text of the unit of a field."""
    quantity = OF_KIND.get((kind, name)) or QUANTITY.get(name, "none")
    if name == "armature":
        quantity = "mass" if getattr(element, "type", "") == "TRANSLATIONAL" else "inertia"
    if kind == "MOTION" and name == "function" or kind == "SFORCE" and name == "function":
        turns = getattr(element, "kind", "") == "ROTATIONAL"
        quantity = (
            (("angle" if turns else "length") if kind == "MOTION" else ("torque" if turns else "force"))
            if element is not None
            else "none"
        )
        if kind == "MOTION" and element is not None:
            per = {
                "VELOCITY": f"/{model.units.symbol('time')}",
                "ACCELERATION": f"/{model.units.symbol('time')}^2",
            }.get(element.level, "")
            return model.units.symbol(quantity) + per
    return model.units.symbol(quantity)


def used(element: Any, name: str) -> bool:
    """Whether the type of the element uses a field."""
    kind = element.KIND
    if kind == "JOINT":
        return element.type in JOINT_FIELDS.get(name, (element.type,))
    if kind == "SPRINGDAMPER":
        return name not in (STRAIGHT if element.kind == "ROTATIONAL" else TURNING)
    if kind == "MOTION":
        direct = element.joint is None
        return not (name in ("i", "j", "component") and not direct or name == "joint" and direct and element.i)
    if kind == "CONTACT" and element.model == "POISSON":
        return name not in ("damping", "dmax", "exponent", "stiffness")
    if kind == "CONTACT" and element.model == "IMPACT":
        return name not in ("restitution", "penalty")
    if kind == "PART" and element.ground:
        return name in ("ground", "active")
    return True


def rank(group: str) -> int:
    """Place of a group among the others."""
    return GROUPS.index(group) if group in GROUPS else GROUPS.index("Other")
