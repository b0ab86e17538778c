"""Prisms and bodies of revolution that stand on a plane and rock: force and moment follow the tilt without a jump.

Until 30 November 2026 the weights of their points jumped at a tilt of 1e-3: a tube had a restoring moment 16 times as
large behind it as before it, the law of a prism doubled, and a rocking prism lost up to 74 % of the energy of its
run."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.contact.tables import GAP, WEIGHT, N, P
from holonom.system.build import System

DEEP = 0.003
SQUARE = [(-0.5, -0.3), (0.5, -0.3), (0.5, 0.3), (-0.5, 0.3)]
ROUND = [(0.5, 0.0), (0.0, 0.5), (-0.5, 0.0), (0.0, -0.5)]
SHAPES = {
    "tube": lambda m, p: m.revolution(p, [(0.3, -0.5), (0.5, -0.5), (0.5, 0.5), (0.3, 0.5)]),
    "can": lambda m, p: m.revolution(p, [(0.0, -0.5), (0.5, -0.5), (0.5, 0.5), (0.0, 0.5)]),
    "bowl": lambda m, p: m.revolution(p, [(0.2, -0.5), (0.5, 0.5), (0.0, 0.5), (0.0, -0.45)]),
    "prism": lambda m, p: m.extrusion(p, SQUARE, length=1.0, at=(0, 0, -0.5)),
    "bar": lambda m, p: m.extrusion(p, ROUND, bulge=[2**0.5 - 1] * 4, length=1.0, at=(0, 0, -0.5)),
    "cylinder": lambda m, p: m.cylinder(p, (0, 0, -0.5), (0, 0, 0.5), 0.5),
    "box": lambda m, p: m.box(p, (0, 0, 0), (1.0, 0.6, 1.0)),
}


def standing(name):
    """Function (tilt, its direction) -> force and moment of a law of unit stiffness, linear in the depth."""
    m = hn.Model(name)
    part = m.part("body", 1.0, (1.0, 2.0, 3.0), (0, 0, 0))
    m.contact(m.plane(m.ground, (0, 0, 0), (0, 0, 1)), SHAPES[name](m, part), stiffness=1.0)
    system = System(m)
    o = 13 * system.body_index["PART", part.id]

    def wrench(tilt, way):
        y = system.y0.copy()
        y[o : o + 3] = 0.0, 0.0, 0.5 - DEEP
        y[o + 3 : o + 7] = np.roll(Rotation.from_rotvec((-tilt * np.sin(way), tilt * np.cos(way), 0.0)).as_quat(), 1)
        n = system.contacts.collect(0.0, y, 0.0)
        rows = system.contacts.W.pts[:n]
        forces = (rows[:, WEIGHT] * np.maximum(-rows[:, GAP], 0.0))[:, None] * -rows[:, N : N + 3]  # on the body
        return np.concatenate([forces.sum(0), np.cross(rows[:, P : P + 3] - y[o : o + 3], forces).sum(0)])

    return wrench


def largest_jump(f, low, high, parts=80):
    """The change over an interval of 1e-12 that is found by halving, from each of the parts, towards the larger
    change."""
    worst = 0.0
    places = np.linspace(low, high, parts + 1)
    for a, b in zip(places[:-1], places[1:]):
        fa, fb = f(a), f(b)
        for _ in range(36):
            m = 0.5 * (a + b)
            fm = f(m)
            if np.abs(fm - fa).max() > np.abs(fb - fm).max():
                b, fb = m, fm
            else:
                a, fa = m, fm
        worst = max(worst, np.abs(fb - fa).max())
    return worst


@pytest.mark.parametrize("name", SHAPES)
def test_nothing_jumps_while_it_rocks(name):
    wrench = standing(name)
    force = wrench(0.0, 0.0)[2]
    assert force >= DEEP * 0.99
    for way in (0.0, 0.7):
        assert largest_jump(lambda tilt, way=way: wrench(tilt, way), -0.2, 0.2) < 1e-6 * force
    for way in np.linspace(0.0, 6.0, 7):  # and nothing depends on the direction of a tilt of roundoff
        np.testing.assert_allclose(wrench(1e-9, way), wrench(0.0, 0.0), atol=1e-7 * force)


@pytest.mark.parametrize("one, other", [("can", "cylinder"), ("prism", "box")])
def test_the_same_body_has_the_same_force(one, other):
    first, second = standing(one), standing(other)
    for tilt in (0.0, 1e-6, 9e-4, 1.1e-3, 0.004, 0.009):
        for way in (0.0, 1.0):
            np.testing.assert_allclose(first(tilt, way), second(tilt, way), atol=1e-12)


@pytest.mark.parametrize("name", ["tube", "prism"])
def test_a_rocking_body_keeps_its_energy(name):
    """Rocking across the tilt of 1e-3, without damping."""
    m = hn.Model(name)
    m.gravity = (0, 0, -9.81)
    part = m.part("body", 10.0, (1.0, 1.0, 0.8), (0, 0, 0.5), angular_velocity=(0, 0.02, 0))
    shape = (
        m.revolution(part, [(0.3, 0), (0.5, 0), (0.5, 1), (0.3, 1)])
        if name == "tube"
        else m.extrusion(part, SQUARE, length=1.0)
    )
    m.contact(m.plane(m.ground, (0, 0, 0), (0, 0, 1)), shape, stiffness=1e6, exponent=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the ledger of pairs says what is lost or gained
        hn.simulate(m, 0.4, 40, integrator="DOP853", error=1e-9)
