"""Statistics of grains against counts and closed forms."""

import numpy as np
import pytest

from holonom import ModelError
from holonom.granular import Granular, Law
from holonom.granular.statistics import Gate, coordination, packing_fraction, stress, temperature

LAW = Law("LINEAR", stiffness=1e5, restitution=0.3)


def lattice(n=4, a=0.0999):
    """A simple cubic block of spheres of diameter 0.1, slightly pressed."""
    g = Granular(LAW, step=1e-4)
    k = np.arange(n)
    g.add(a * np.stack(np.meshgrid(k, k, k, indexing="ij"), axis=-1).reshape(-1, 3), 0.05, mass=0.5)
    return g


def test_coordination_of_a_lattice():
    g = lattice()
    number = coordination(g).reshape(4, 4, 4)
    assert (number[1:-1, 1:-1, 1:-1] == 6).all() and number[0, 0, 0] == 3 and number.sum() == 2 * 3 * 4 * 4 * 3
    g.wall().plane((0, 0, -0.0499), (0, 0, 1))
    assert coordination(g).sum() == number.sum() + 16
    assert coordination(g, walls=False).sum() == number.sum()


def test_stress_of_a_pressed_lattice():
    """One chain of force k d over every cell a^2; a box cut anywhere gives the same."""
    g = lattice(8)
    p = 1e5 * 1e-4 / 0.0999**2
    for low in ((0.01, 0.02, 0.03), (0.123, 0.25, 0.18)):
        high = tuple(x + 3 * 0.0999 for x in low)
        assert np.diag(stress(g, low, high, kinetic=False)) == pytest.approx([p] * 3, rel=1e-9)
    whole = stress(g, (0, 0, 0), (8 * 0.0999,) * 3, kinetic=False)  # 8 by 8 chains of 7 branches on 8 cells
    assert np.diag(whole) == pytest.approx([p * 7 / 8] * 3, rel=1e-9)
    assert np.abs(whole - np.diag(np.diag(whole))).max() < 1e-9 * p


def test_pressure_at_the_bottom_of_a_column():
    """Mean stress of a smooth column at rest: half the pressure of its weight, and the force on the floor."""
    g = Granular(LAW, step=1e-4, gravity=(0, 0, -9.81))
    g.add([(0, 0, 0.05 + 0.1 * k) for k in range(10)], 0.05, mass=0.5)
    g.wall().plane((0, 0, 0), (0, 0, 1))
    g.advance(30000)
    assert np.abs(g.vel).max() < 1e-5
    s = stress(g, (-0.1, -0.1, 0), (0.1, 0.1, 1.0))
    # sum over contacts of (weight above) times branch
    z = np.concatenate([[0.0], g.pos[:, 2]])
    expected = sum(0.5 * 9.81 * (10 - k) * (z[k + 1] - z[k]) for k in range(10)) / 0.04
    assert s[2, 2] == pytest.approx(expected, rel=1e-3)
    assert stress(g, (-0.1, -0.1, 0), (0.1, 0.1, 0.04))[2, 2] == pytest.approx(5 * 9.81 / 0.04, rel=1e-3)


def test_gas_of_spheres_has_its_pressure():
    rng = np.random.default_rng(0)
    g = Granular(LAW, step=1e-4)
    pos = np.stack(np.meshgrid(*[np.arange(10)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) + 0.5
    v = rng.normal(0, 2.0, pos.shape)
    g.add(pos, 0.01, mass=0.3, vel=v + (5, 0, 0))
    t = temperature(g, (0, 0, 0), (10, 10, 10))
    assert t == pytest.approx(((v - v.mean(axis=0)) ** 2).mean(), rel=1e-12)
    assert np.trace(stress(g, (0, 0, 0), (10, 10, 10))) / 3 == pytest.approx(0.3 * t, rel=1e-12)
    assert temperature(g, (20, 0, 0), (21, 1, 1)) == 0.0


def test_packing_fraction_of_cut_spheres():
    g = Granular(LAW, step=1e-4)
    g.add((0, 0, 0), 1.0, mass=1.0)
    v = 4 / 3 * np.pi
    for low, high, part in (
        ((-2, -2, -2), (2, 2, 2), v),
        ((0, -2, -2), (2, 2, 2), v / 2),
        ((-2, 0, -2), (2, 2, 2), v / 2),
        ((0, 0, 0), (2, 2, 2), v / 8),
        ((-2, -2, 0.5), (2, 2, 2), np.pi * 0.25 * 2.5 / 3),
        ((0.5, -2, -2), (2, 2, 2), np.pi * 0.25 * 2.5 / 3),
        ((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5), 1.0),
        ((1, 1, 1), (2, 2, 2), 0.0),
    ):
        size = np.prod(np.subtract(high, low))
        assert packing_fraction(g, low, high) * size == pytest.approx(part, abs=2e-3 * v)


def test_gate_counts_what_goes_through():
    g = Granular(LAW, step=1e-3)
    g.add(
        [(0, 0, 1), (0.3, 0, 1), (3, 0, 1), (0, 0.2, -1)],
        0.05,
        mass=[1.0, 2.0, 4.0, 8.0],
        vel=[(0, 0, -1)] * 3 + [(0, 0, 1)],
    )
    gate = Gate(g, (0, 0, 0), (0, 0, -1), radius=1.0)
    assert gate.update().number == 0
    g.advance(999)
    assert gate.update() == (0, 0.0, pytest.approx(0.999))
    g.advance(2)
    flow = gate.update()
    assert flow.number == 1 and flow.mass == pytest.approx(1 + 2 - 8) and flow.rate == pytest.approx(-5 / 0.002)
    g.remove([0])
    g.advance(10)
    assert gate.update().number == 0 and gate.total.mass == pytest.approx(-5)


def test_bad_boxes_and_gates_are_told():
    g = lattice(2)
    for make in (
        lambda: stress(g, (0, 0, 0), (1, -1, 1)),
        lambda: Gate(g, (0, 0, 0), (0, 0, 0)),
        lambda: temperature(Granular(LAW, step=1.0)),
    ):
        with pytest.raises(ModelError, match="grains: "):
            make()
