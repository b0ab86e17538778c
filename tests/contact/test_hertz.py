"""A ball that rests under a load: depth and force of Hertz, from materials and shapes of the model."""

from __future__ import annotations

import math

import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

import holonom as hn

E, NU = 207e9, 0.292  # steel of Shigley's Mechanical Engineering Design, table A-5


def johnson(force: float, A: float, B: float) -> float:
    """Approach of two steel bodies whose gap is A x^2 + B y^2, K. L. Johnson, Contact Mechanics, eq. 4.26: with
    semi-axes a >= b and p0 = 3 F / (2 pi a b), E* the plane-strain modulus of both,
    A = p0 b (K - E) / (E* e^2 a^2),  B = p0 b (a^2/b^2 E - K) / (E* e^2 a^2),  approach = p0 b K / E*."""
    modulus = 0.5 * E / (1.0 - NU**2)
    if A == B:
        return (force / (4.0 / 3.0 * modulus * math.sqrt(0.5 / A))) ** (2.0 / 3.0)
    ratio = lambda q: (ellipe(1 - q * q) / q**2 - ellipk(1 - q * q)) / (ellipk(1 - q * q) - ellipe(1 - q * q)) - B / A
    q = brentq(ratio, 1e-3, 1.0 - 1e-6, xtol=1e-15)  # b / a
    K, second = ellipk(1 - q * q), ellipe(1 - q * q)
    a = (1.5 * force * (K - second) / (math.pi * modulus * A * (1 - q * q))) ** (1.0 / 3.0)
    return 1.5 * force * K / (math.pi * a * modulus)


@pytest.mark.parametrize(
    "surface, curvatures", [("plane", (50.0, 50.0)), ("hollow", (10.0, 10.0)), ("bore", (10.0, 50.0))]
)
def test_ball_pressed(surface, curvatures):
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
    depth = johnson(0.5 * 981.0, *curvatures)
    assert 0.01 - run.part("ball").position.values[-1, 2] == pytest.approx(depth, rel=1e-6)
