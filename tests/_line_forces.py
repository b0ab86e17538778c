"""Forces of registered types along the line between two markers, in the units of small test models."""

from functools import partial

import holonom as hn

#: type -> (model, i, j) -> element
LINE_FORCES = {
    "HYDRAULIC_CYLINDER": partial(
        hn.Model.hydraulic_cylinder,
        area_a=0.5,
        area_b=0.3,
        stroke=40.0,
        length=-20.0,
        bulk=900.0,
        leakage=0.02,
        viscous=0.7,
        valve=0.4,
        bypass=0.05,
        supply=20.0,
        tank=1.0,
        pressure_a=8.0,
        pressure_b=4.0,
    ),
    "PNEUMATIC_CYLINDER": partial(
        hn.Model.pneumatic_cylinder,
        area_a=0.5,
        area_b=0.3,
        stroke=40.0,
        length=-20.0,
        supply=20.0,
        ambient=1.0,
        temperature=300.0,
        conductance=4e-5,
        leakage=1e-5,
        wall=0.02,
        viscous=0.7,
        stop_stiffness=10.0,
        pressure_a=8.0,
        pressure_b=4.0,
    ),
    "POWER_DAMPER": partial(
        hn.Model.power_damper, damping=5.0, exponent=0.4, stiffness=20.0, force=2.0, length=0.5, slow=0.01
    ),
    "BURGERS_DAMPER": partial(
        hn.Model.burgers_damper,
        maxwell_stiffness=40.0,
        maxwell_damping=9.0,
        kelvin_stiffness=30.0,
        kelvin_damping=4.0,
        force=1.0,
        length=0.3,
    ),
    "HYSTERETIC_SPRING": partial(
        hn.Model.hysteretic_spring,
        stiffness=50.0,
        yield_force=20.0,
        hardening=0.1,
        knee=3.0,
        beta=0.7,
        force=1.0,
        length=0.3,
    ),
}
