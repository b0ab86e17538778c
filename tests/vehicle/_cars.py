"""A car that is a single-track model, for tests of whole vehicles."""

from types import SimpleNamespace

import numpy as np

from _tyres import PASSENGER
from holonom.model import Units
from holonom.vehicle import VehicleFile, write_tir


def ideal(folder):
    """A car that is a single-track model: parallel level arms, upright steering axes through the wheels, a low centre
    of mass, tyres without camber thrust.  SI."""
    tyre = {**PASSENGER, "PHY3": 0.0, "PVY3": 0.0, "QSY1": 1e-4}
    made = SimpleNamespace(
        model="PAC2002", coefficients=tyre, mode=4, units=Units(), load_curve=(), bottoming=(), side="LEFT"
    )
    write_tir(folder / "ideal.tir", made)

    def axle(x, steered):
        points = {
            "lower_front": [x + 0.15, 0.40, 0.20],
            "lower_rear": [x - 0.15, 0.40, 0.20],
            "lower_outer": [x, 0.75, 0.20],
            "upper_front": [x + 0.15, 0.40, 0.40],
            "upper_rear": [x - 0.15, 0.40, 0.40],
            "upper_outer": [x, 0.75, 0.40],
            "tie_rod_inner": [x - 0.15, 0.40, 0.20],
            "tie_rod_outer": [x - 0.15, 0.75, 0.20],
            "spring_lower": [x, 0.70, 0.20],
            "spring_upper": [x, 0.70, 0.70],
            "wheel_centre": [x, 0.75, 0.29],
        }
        parts = {
            k: {"mass": 1.0}
            for k in ("lower_arm", "upper_arm", "knuckle", "tie_rod", *(("rack", "pinion") if steered else ()))
        }
        data = {
            "template": "double_wishbone",
            "hardpoints": points,
            "parts": parts,
            "spring": {"rate": 1e6},
            "damper": {"rate": 8e3},
            "wheel": {"radius": 0.29, "mass": 12.0, "inertia": [0.3, 0.5, 0.3], "tyre": "ideal.tir"},
        }
        return {**data, "steering": {"template": "rack_and_pinion", "travel_per_turn": 0.05}} if steered else data

    chassis = {"mass": 1200.0, "cm": [-1.2, 0, 0.0], "inertia": [300, 1500, 1800]}
    return VehicleFile(
        {
            "chassis": chassis,
            "front": axle(0.0, True),
            "rear": axle(-2.7, False),
            "drive": {"axle": "rear"},
            "width": 1.7,
        },
        folder / "ideal.json",
    )


def balance(d):
    """Energy that is not accounted for over the work that was done."""
    e = d.run.energy
    work = float(np.abs(e["input"]).max() + np.abs(e["dissipated"]).max())
    return float(np.abs((e["total"] - e["total"][0]) - (e["input"] - e["dissipated"])).max()) / work
