"""Laws of grains: the same numbers as the general contact, restitution of the damped ones, and what bad numbers are
reported."""

import math

import numpy as np
import pytest

from holonom import ModelError
from holonom.contact.friction import coulomb
from holonom.contact.laws import hertz, hunt_crossley, impact, kelvin_voigt
from holonom.granular import Granular, Law
from holonom.granular import laws as own

DEPTHS = (1e-7, 3e-5, 2e-4, 1e-3)
RATES = (-2.0, -0.01, 0.0, 0.3)


def both(module, row, law, d, v, R=0.02, im=1.0):
    p = np.zeros((1, 16))
    p[0, : len(row)] = row
    out = np.zeros(16)
    theirs = module.force(p, 0, d, v, np.zeros((1, 8)), 0, 0.0, out)
    q = law.row()[None, :]
    return theirs, own.normal(q, 0, d, v, R, im), out[3], own.stored(q, 0, d, R)


@pytest.mark.parametrize("v", RATES)
@pytest.mark.parametrize("d", DEPTHS)
def test_normal_forces_are_those_of_the_general_contact(d, v):
    E, R = 1e9, 0.02
    for module, row, law in (
        (impact, (1e5, 1.0, 5.0, 1e-7), Law(stiffness=1e5, exponent=1.0, damping=5.0, dmax=1e-7)),
        (impact, (1e6, 1.5, 30.0, 1e-4), Law("IMPACT", 1e6, 1.5, 30.0, 1e-4)),
        (impact, (1e6, 2.2, 30.0, 1e-2), Law("IMPACT", 1e6, 2.2, 30.0, 1e-2)),
        (hunt_crossley, (1e7, 1.5, 0.0, 1.0, 0.6), Law("HUNT_CROSSLEY", stiffness=1e7, damping=0.4)),
        (hertz, (4 / 3 * E * math.sqrt(R), 1.5, 0.0, 1.0, 0.0), Law("HERTZ", modulus=E)),
        (kelvin_voigt, (1e5, 0.0), Law("LINEAR", stiffness=1e5)),
    ):
        F, mine, stored, kept = both(module, row, law, d, v, R)
        assert mine == pytest.approx(F, rel=1e-14, abs=0.0)
        assert kept == pytest.approx(stored, rel=1e-14)


def test_linear_is_kelvin_voigt_with_the_damping_of_its_restitution():
    for e in (0.9, 0.5, 0.1):
        m, k = 0.3, 1e5
        c = kelvin_voigt.damping_for(e, 1.0, (k,), m)
        F, mine, *_ = both(kelvin_voigt, (k, c), Law("LINEAR", stiffness=k, restitution=e), 1e-4, 0.2, im=1 / m)
        assert mine == pytest.approx(F, rel=1e-12)


@pytest.mark.parametrize("u", [0.0, 1e-5, 1e-3, 2e-3, 0.01, 3.0])
def test_coulomb_is_that_of_the_general_contact(u):
    row = (0.4, 0.25, 1e-3, 8e-3)
    p = np.zeros((1, 16))
    p[0, :4] = row
    out = np.zeros(16)
    s = u * np.array([0.6, 0.0, -0.8])
    coulomb.force(p, 0, 7.0, s, np.zeros((1, 8)), 0, 0.0, out)
    q = Law(
        stiffness=1.0,
        mu_static=0.4,
        mu_dynamic=0.25,
        stiction_transition_velocity=1e-3,
        friction_transition_velocity=8e-3,
    ).row()
    assert -7.0 * own.coulomb(q[None, :], 0, u * u) * s == pytest.approx(out[:3], rel=1e-13, abs=1e-300)


@pytest.mark.parametrize("law", ["LINEAR", "HERTZ"])
@pytest.mark.parametrize("e", [0.9, 0.3])
def test_restitution_at_every_mass_and_speed(law, e):
    numbers = dict(stiffness=1e5) if law == "LINEAR" else dict(modulus=1e8)
    for speed, ratio in ((0.1, 1.0), (2.0, 0.2)):
        g = Granular(Law(law, restitution=e, **numbers), step=5e-7, method="VERLET")
        g.add([(0, 0, 0), (0.1001, 0, 0)], [0.05, 0.05], mass=[0.5, 0.5 * ratio], vel=[(speed, 0, 0), (0, 0, 0)])
        g.advance(int((2e-4 / speed + 0.03) / g.step))
        assert not len(g.contacts().a)
        v = g.vel[:, 0]
        assert (v[1] - v[0]) / speed == pytest.approx(e, abs=2e-4)
        assert 0.5 * v[0] + 0.5 * ratio * v[1] == pytest.approx(0.5 * speed, rel=1e-12)


def test_bad_numbers_are_told():
    for text, numbers in (
        ("needs stiffness", dict()),
        ("no normal law HOOKE", dict(normal="HOOKE")),
        ("no friction law STICKY", dict(stiffness=1.0, friction="STICKY", mu_static=0.1)),
        ("does not use restitution", dict(stiffness=1.0, restitution=0.5)),
        ("does not use stiffness", dict(normal="HERTZ", modulus=1.0, stiffness=1.0)),
        ("restitution must be above 0 and at most 1", dict(normal="LINEAR", stiffness=1.0, restitution=1.2)),
        ("mu_static must be at least 0", dict(stiffness=1.0, mu_static=-0.3)),
        ("needs mu_static or mu_dynamic", dict(stiffness=1.0, friction="COULOMB")),
        ("requires the normal law HERTZ", dict(stiffness=1.0, friction="MINDLIN", mu_static=0.3)),
        (
            "must not be below",
            dict(stiffness=1.0, mu_static=0.3, stiction_transition_velocity=1.0, friction_transition_velocity=0.1),
        ),
    ):
        with pytest.raises(ModelError, match=text):
            Law(**numbers)
