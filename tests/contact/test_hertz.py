"""A ball that rests under a load: depth and force of Hertz, from materials and shapes of the model."""

from __future__ import annotations

import math

import pytest

import holonom as hn
from holonom.contact import materials as M


@pytest.mark.parametrize("surface, radius", [("plane", 0.01), ("hollow", 0.01 * 0.0125 / 0.0025), ("bore", None)])
def test_ball_pressed(surface, radius):
    """Half a kilogram under a hundred g on a plane, in a hollow sphere, in a bore: depth of Hertz to 1e-6."""
    m = hn.Model("pressed")
    m.gravity = (0, 0, -981.0)
    ball = m.part("ball", 0.5, (1e-4, 1e-4, 1e-4), (0, 0, 0.01))
    under = {
        "plane": lambda: m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        "hollow": lambda: m.sphere(m.ground, (0, 0, 0.0125), 0.0125, inside=True),
        "bore": lambda: m.cylinder(m.ground, (-0.05, 0, 0.0125), (0.05, 0, 0.0125), 0.0125, inside=True),
    }[surface]()
    m.contact(m.sphere(ball, (0, 0, 0.01), 0.01), under, law="HERTZ", materials=("steel", "steel"), damping=20.0)
    run = hn.simulate(m, 0.01, 20)
    steel = M.MATERIALS["steel"]
    R = radius or M.elliptic((0.01, 0.01), (-0.0125, math.inf)).radius
    depth = (0.5 * 981.0 / (4.0 / 3.0 * M.reduced_modulus(steel, steel) * math.sqrt(R))) ** (2.0 / 3.0)
    assert 0.01 - run.part("ball").position.values[-1, 2] == pytest.approx(depth, rel=1e-6)
