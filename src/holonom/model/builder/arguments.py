"""Arguments of builder methods: their dimensions and their former names.

Where a dimension is listed (in SI units), ``"5 mm"`` may stand for a number. An argument that is not listed does not
accept text with a unit: its dimension depends on other arguments (an exponent, the type of a joint), or it has none.
"""

from __future__ import annotations

M, KG, S, N, RAD = "m", "kg", "s", "N", "rad"
JOINT = {"at": M}
TURNING = {
    "angle": RAD, "lower": RAD, "upper": RAD, "stop_stiffness": "N*m/rad", "stop_damping": "N*m*s/rad",
    "armature": "kg*m^2",
}  # fmt: skip
SLIDING = {
    "travel": M, "lower": M, "upper": M, "stop_stiffness": "N/m", "stop_damping": "N*s/m", "armature": KG,
}  # fmt: skip
SHAPE = {"at": M}
BETWEEN = {"a": M, "b": M, "radius": M}
TYRE = {
    "radius": M, "stiffness": "N/m", "damping": "N*s/m", "width": M, "load": N, "half_length": M, "relax_x": M,
    "relax_y": M, "slow": "m/s", "lateral_stiffness": "N/m",
}  # fmt: skip
DAMPER = {"stiffness": "N/m", "damping": "N*s/m", "length": M, "force": N}

#: method -> argument -> dimension
DIMENSIONS: dict[str, dict[str, str]] = {
    "part": {
        "mass": KG, "inertia": "kg*m^2", "position": M, "euler": RAD, "velocity": "m/s", "angular_velocity": "rad/s",
        "density": "kg/m^3",
    },
    "mass_from_shapes": {"density": "kg/m^3"},
    "point_mass": {"mass": KG, "position": M, "velocity": "m/s"},
    "sliding_mass": {
        "at": M, "mass": KG, "stiffness": "N/m", "damping": "N*s/m", "length": M, "travel": M, "speed": "m/s",
    },
    "marker": {"at": M, "euler": RAD},
    "marker_at": {"at": M},
    "joint": JOINT,
    "revolute": JOINT | TURNING,
    "translational": JOINT | SLIDING,
    "cylindrical": JOINT,
    "spherical": JOINT,
    "planar": JOINT,
    "fixed": JOINT,
    "universal": JOINT,
    "hooke": JOINT,
    "constant_velocity": JOINT,
    "screw": JOINT | {"pitch": M},
    "rack_and_pinion": {"diameter": M},
    "primitive": JOINT,
    "spring_damper": DAMPER,
    "torsion_spring": {"stiffness": "N*m/rad", "damping": "N*m*s/rad", "angle": RAD, "torque": "N*m"},
    "bushing": {
        "stiffness": "N/m", "rotational_stiffness": "N*m/rad", "damping": "N*s/m", "rotational_damping": "N*m*s/rad",
        "force": N, "torque": "N*m",
    },
    "beam": {
        "length": M, "area": "m^2", "ixx": "m^4", "iyy": "m^4", "izz": "m^4", "emodulus": "Pa", "gmodulus": "Pa",
        "cratio": S,
    },
    "exact_beam": {
        "EA": N, "GJ": "N*m^2", "EIy": "N*m^2", "EIz": "N*m^2", "GAy": N, "GAz": N, "length": M, "damping": S,
    },
    "hysteretic_spring": {"stiffness": "N/m", "yield_force": N, "length": M, "force": N},
    "maxwell_damper": DAMPER | {"series_stiffness": "N/m", "stretch": M},
    "burgers_damper": {
        "maxwell_stiffness": "N/m", "maxwell_damping": "N*s/m", "kelvin_stiffness": "N/m", "kelvin_damping": "N*s/m",
        "force": N, "length": M,
    },
    "power_damper": {"stiffness": "N/m", "force": N, "length": M, "slow": "m/s"},
    "pneumatic_cylinder": {
        "area_a": "m^2", "area_b": "m^2", "stroke": M, "supply": "Pa", "conductance": "m^3/s/Pa", "length": M,
        "dead_a": "m^3", "dead_b": "m^3", "ambient": "Pa", "leakage": "m^3/s/Pa", "wall": "W",
        "viscous": "N*s/m", "stop_stiffness": "N/m", "pressure_a": "Pa", "pressure_b": "Pa",
    },
    "hydraulic_cylinder": {
        "area_a": "m^2", "area_b": "m^2", "stroke": M, "bulk": "Pa", "length": M, "dead_a": "m^3", "dead_b": "m^3",
        "viscous": "N*s/m", "supply": "Pa", "tank": "Pa", "stop_stiffness": "N/m", "pressure_a": "Pa",
        "pressure_b": "Pa",
    },
    "box": SHAPE | {"size": M},
    "rounded_box": SHAPE | {"size": M, "radius": M},
    "sphere": SHAPE | {"radius": M},
    "ellipsoid": SHAPE | {"axes": M},
    "capsule": BETWEEN,
    "cylinder": BETWEEN,
    "cone": BETWEEN | {"top": M},
    "torus": SHAPE | {"radius": M, "tube": M},
    "plane": SHAPE | {"size": M},
    "point": SHAPE,
    "hull": SHAPE | {"points": M},
    "mesh": SHAPE,
    "extrusion": SHAPE | {"length": M, "twist": "rad/m"},
    "revolution": SHAPE,
    "plane_curve": SHAPE | {"width": M},
    "height_field": SHAPE | {"spacing": M, "thickness": M},
    "feeder": {"radius": M, "velocity": "m/s", "density": "kg/m^3", "start": S, "stop": S},
    "move": {"by": M, "about": M},
    "duplicate": {"by": M, "about": M},
    "mirror": {"at": M},
    "friction": {
        "pin_radius": M, "ball_radius": M, "friction_arm": M, "reaction_arm": M, "bending_reaction_arm": M,
        "stiction_transition_velocity": "m/s", "max_stiction_deformation": M, "force_preload": N,
        "torque_preload": "N*m", "max_friction_force": N, "max_friction_torque": "N*m",
    },
    "tyre_brush": TYRE,
    "tyre_fiala": TYRE,
    "tyre_pac89": TYRE,
    "tyre_ua": TYRE,
    "tyre_user": TYRE,
    "tyre_tmeasy": TYRE,
}  # fmt: skip

#: method -> name that an argument had before -> its name; the former still works, with a `DeprecationWarning`
FORMER: dict[str, dict[str, str]] = {
    "spring_damper": {"k": "stiffness", "c": "damping"},
    "torsion_spring": {"kt": "stiffness", "ct": "damping"},
    "bushing": {"k": "stiffness", "kt": "rotational_stiffness", "c": "damping", "ct": "rotational_damping"},
    "maxwell_damper": {"k": "stiffness", "k_series": "series_stiffness", "c": "damping"},
    "burgers_damper": {
        "k_maxwell": "maxwell_stiffness",
        "c_maxwell": "maxwell_damping",
        "k_kelvin": "kelvin_stiffness",
        "c_kelvin": "kelvin_damping",
    },
    "power_damper": {"c": "damping", "k": "stiffness"},
    "hysteretic_spring": {"k": "stiffness"},
    "tyre_brush": {"friction": "mu"},
    "curve": {"low": "lower", "high": "upper"},
    "stop": {"low": "lower", "high": "upper"},
}

#: former name of a method of `Model` -> its name; the former still works, with a `DeprecationWarning`
FORMER_METHODS = {
    f"{model}_tyre": f"tyre_{model}" for model in ("brush", "fiala", "mf6", "pac2002", "pac89", "tmeasy", "ua", "user")
}
