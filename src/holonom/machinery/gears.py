"""Helical gears that drive each other by the contact of their teeth."""

from __future__ import annotations

import math

from ..contact.shapes.profile import involute_gear
from ..model import Model, drawing
from ..model.base import ModelError

STEEL = 7.85e-6  # kg/mm^3


def helical_gears(
    teeth: tuple[int, int] = (20, 30),
    *,
    module: float = 4.0,
    helix: float = math.radians(15.0),
    pressure_angle: float = math.radians(20.0),
    width: float = 40.0,
    backlash: float = 0.1,
    period: float = 1.5,
    torque: float = 2e4,
    rise: tuple[float, float] = (0.0, 0.5),
    touching: bool = True,
    indent: float = 0.0,
    name: str = "helical gears",
    **contact,
) -> Model:
    """Pinion and wheel on parallel shafts along z: units mm, kg, N, s.

    ``module`` and ``pressure_angle`` in the normal section (teeth are as high as spur teeth of the transverse module);
    ``helix``: angle of the pinion's teeth (right-handed), the
    wheel's are opposite;
    ``backlash``: along the pitch circle. The pinion turns once in ``period`` (motion "drive"); a braking torque (N mm)
    acts on the wheel, by STEP over the times ``rise``. The wheel starts at the speed given by the ratio, its teeth
    ``touching`` the driving ones or in the middle of the backlash; ``indent``: initial penetration along the pitch
    circle, mm (`loaded_gears` computes it).
    ``contact``: fields of the contact "teeth" in place of stiffness 2.89e5 N/mm^1.5, damping 50 N s/mm over 0.1 mm,
    friction 0.08 / 0.05 at 0.1 and 10 mm/s.

    Names: parts "pinion" and "wheel", joints "pinion shaft" and "wheel shaft", request "turned" (angles, their speeds).
    """
    if not 0.0 <= helix < 1.0:
        raise ModelError(f"the helix angle must be from 0 to 1 rad, it is {helix:g}")
    if not (width > 0 and backlash >= 0 and period > 0):
        raise ModelError("width and period of gears must be positive, and the backlash must not be negative")
    transverse = module / math.cos(helix)
    angle = math.atan(math.tan(pressure_angle) / math.cos(helix))
    radius = [0.5 * transverse * n for n in teeth]
    distance = sum(radius)
    model = Model(name, units="mm")
    ground, z = model.ground, (0.0, 0.0, 1.0)
    w = 2 * math.pi / period
    speeds = (w, -w * teeth[0] / teeth[1])
    phase = (0.0, math.pi + math.pi / teeth[1] + (0.5 * backlash / radius[1] if touching else 0.0) + indent / radius[1])
    twist = math.tan(helix) / radius[0], -math.tan(helix) / radius[1]
    solids, shafts, parts = [], [], []
    for k, word in enumerate(("pinion", "wheel")):
        centre = (distance * k, 0.0, 0.0)
        mass = STEEL * math.pi * radius[k] ** 2 * width
        across = mass * (3 * radius[k] ** 2 + width**2) / 12.0
        part = model.part(
            word, mass, (across, across, 0.5 * mass * radius[k] ** 2), centre, angular_velocity=(0, 0, speeds[k])
        )
        shafts.append(model.revolute(part, ground, f"{word} shaft", at=centre, axis=z))
        profile = involute_gear(transverse, teeth[k], angle, backlash=0.5 * backlash)
        # the middle of the width lies at z = 0, where the teeth are turned by the phase
        x = (math.cos(phase[k]), math.sin(phase[k]), 0.0)
        solids.append(
            model.extrusion(
                part,
                profile,
                width,
                (centre[0], 0.0, -0.5 * width),
                z,
                x,
                twist=twist[k],
                color=("STEEL_BLUE", "GOLD")[k],
            )
        )
        drawing.rod(model, part, (centre[0], 0, -0.9 * width), (centre[0], 0, 0.9 * width), 0.25 * radius[0])
        drawing.block(
            model, ground, (centre[0], 0, -1.05 * width), (0.8 * radius[0], 0.8 * radius[0], 0.3 * width), color="GRAY"
        )
        parts.append(part)
    model.motion(shafts[0], f"{w!r}*TIME", "drive")
    i, j = shafts[1].i, shafts[1].j
    model.sforce(i, j, f"STEP(TIME,{rise[0]!r},0,{rise[1]!r},{torque!r})", "load", kind="ROTATIONAL")
    given: dict = (
        dict(
            stiffness=2.89e5,
            exponent=1.5,
            damping=50.0,
            dmax=0.1,
            mu=(0.08, 0.05),
            stiction_transition_velocity=0.1,
            friction_transition_velocity=10.0,
        )
        | contact
    )
    model.contact(solids[0], solids[1], name="teeth", **given)
    model.request(
        "turned",
        functions={
            "F2": f"AZ({shafts[0].i},{shafts[0].j})",
            "F3": f"AZ({i},{j})",
            "F4": f"WZ({shafts[0].i},{shafts[0].j})",
            "F5": f"WZ({i},{j})",
        },
    )
    return model
