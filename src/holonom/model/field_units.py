"""Quantities of the fields of elements by their names, and units of these in a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Model

#: quantity of a field by its name; those that are others in some kind stand below
QUANTITY = {
    "mass": "mass", "ip": "inertia", "qg": "length", "qp": "length", "reuler": "angle", "zg": "length", "xg": "length",
    "zp": "length", "xp": "length",
    "vx": "velocity", "vy": "velocity", "vz": "velocity", "wx": "angular_velocity", "wy": "angular_velocity",
    "wz": "angular_velocity",
    "k": "stiffness", "c": "damping", "kt": "torsion", "ct": "torsion_damping", "force": "force", "torque": "torque",
    "length": "length", "angle": "angle",
    "fx": "force", "fy": "force", "fz": "force", "tx": "torque", "ty": "torque", "tz": "torque", "pitch": "length",
    "pd": "length", "emodulus": "modulus",
    "gmodulus": "modulus", "area": "area", "ixx": "area_moment", "iyy": "area_moment", "izz": "area_moment",
    "stiffness": "stiffness", "damping": "damping",
    "travel": "length", "speed": "velocity", "pin_radius": "length", "friction_arm": "length",
    "bending_reaction_arm": "length", "ball_radius": "length",
    "reaction_arm": "length", "stiction_transition_velocity": "velocity", "max_stiction_deformation": "length",
    "force_preload": "force",
    "torque_preload": "torque", "density": "density", "youngs_modulus": "modulus", "max_friction_force": "force",
    "max_friction_torque": "torque",
    "velocity_threshold_stribeck": "velocity",
}  # fmt: skip
OF_KIND = {("FIELD", "length"): "none", ("CONTACT", "damping"): "damping", ("CONTACT", "stiffness"): "none"}


def unit_of_field(model: Model, kind: str, name: str) -> str:
    """Unit of a field of an element in a model, ``unit_of_field(model, "SPRINGDAMPER", "k")``; an empty text for one
    whose quantity is not known by its name.  Raises nothing."""
    quantity = OF_KIND.get((kind, name)) or QUANTITY.get(name, "none")
    return "" if quantity in ("none", "angle") else model.units.symbol(quantity)
