"""Viscous dampers in a building of six storeys under an earthquake: function of the study of their placement."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

import numpy as np

import holonom as hn

STOREYS = 6
MASSES = (8.0e4,) * STOREYS  # kg, of floors
STIFFNESS = (9.0e7, 9.0e7, 7.0e7, 7.0e7, 5.0e7, 5.0e7)  # N/m, of storeys
RATIO = 0.02  # of the building's own damping, in all modes
DAMPER = 1.0e6  # N s/m, of one damper
DURATION, STEP, PEAK = 10.0, 0.02, 3.0  # s, s, m/s^2


def earthquake() -> hn.structures.GroundMotion:
    """Acceleration of the ground: 40 waves from 0.3 to 8 Hz, strongest about 2.5 Hz (the filter of Kanai and Tajimi
    with a damping of 0.6), under an envelope that rises for 2 s and decays from 6 s on."""
    t = STEP * np.arange(round(DURATION / STEP) + 1)
    f = np.linspace(0.3, 8.0, 40)
    r = f / 2.5
    amplitude = np.sqrt((1 + (1.2 * r) ** 2) / ((1 - r * r) ** 2 + (1.2 * r) ** 2))
    phase = 2 * math.pi * np.mod(0.6180339887498949 * np.arange(1, 41) ** 2, 1.0)
    envelope = np.minimum(t / 2.0, 1.0) ** 2 * np.exp(-0.5 * np.maximum(t - 6.0, 0.0))
    a = envelope * (amplitude * np.sin(2 * math.pi * np.outer(t, f) + phase)).sum(axis=1)
    return hn.structures.GroundMotion(a * PEAK / np.abs(a).max(), STEP, "synthetic earthquake")


@cache
def response(counts: tuple[int, ...]) -> dict[str, float]:
    """`frame` of ``counts`` dampers; a search that returns to a placement does not compute it again."""
    building = hn.structures.shear_building(MASSES, STIFFNESS, earthquake(), damping=RATIO)
    for storey, count in enumerate(counts, 1):
        if count:
            building.add_damper(storey, "power_damper", damping=count * DAMPER, exponent=1.0)
    run = hn.simulate(building.model, DURATION, dt=STEP, integrator="DOP853", error=1e-5, progress=False)
    found = building.results(run)
    return {
        "dampers": float(sum(counts)),
        "drift": 1e3 * float(np.abs(found["drift"]).max()),
        "roof": 1e3 * float(np.abs(found["displacement"][:, -1]).max()),
        "acceleration": float(np.abs(found["acceleration"]).max()),
    }


def frame(v: Mapping[str, int]) -> dict[str, float]:
    """Number of dampers, largest drift of a storey and of the roof (mm), largest acceleration of a floor (m/s^2).

    ``v``: dampers in each storey, "storey 1" to "storey 6"."""
    return response(tuple(v[f"storey {s}"] for s in range(1, STOREYS + 1)))
