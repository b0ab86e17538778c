"""Static equilibrium against closed forms."""

import numpy as np
import pytest

import holonom as hn


def test_mass_on_a_spring_hangs_at_m_g_over_k():
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    p = m.part("mass", 2.0, (1, 1, 1), position=(0, 0, -1.0))
    top = m.marker(m.ground, (0, 0, 0))
    m.translational(p, m.ground, at=(0, 0, -1), axis=(0, 0, 1))
    m.spring_damper(p.cm, top, k=100, length=1.0, c=1)
    run = hn.simulate(m, kind="statics")
    assert run.part("mass").position.values[0, 2] == pytest.approx(-1 - 2 * 9.81 / 100, abs=1e-9)


def test_double_pendulum_finds_the_stable_equilibrium_from_the_horizontal():
    m = hn.Model()
    m.gravity = (0, -10, 0)
    a = m.part("a", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    b = m.part("b", 1.0, (1, 1, 1), position=(1.5, 0, 0))
    m.revolute(a, m.ground, "J1", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(b, a, "J2", at=(1, 0, 0), axis=(0, 0, 1))
    m.sforce(a.cm, b.cm, "0")
    run = hn.simulate(m, kind="statics")
    np.testing.assert_allclose(run.part("b").position.values[0], [0, -1.5, 0], atol=1e-8)
    np.testing.assert_allclose(run.joint("J1").force.values[0], [0, 20, 0], atol=1e-7)


def test_lever_on_a_torsion_spring_balances():
    m = hn.Model()
    m.gravity = (0, -10, 0)
    a = m.part("a", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    j = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.torsion_spring(j.i, j.j, kt=20, ct=1)
    x = hn.simulate(m, kind="statics").part("a").position.values[0]
    theta = np.arctan2(x[1], x[0])
    assert 20 * theta + 0.5 * 10 * np.cos(theta) == pytest.approx(0.0, abs=1e-7)


def test_quasistatics_follows_a_slow_load():
    m = hn.Model()
    p = m.part("mass", 2.0, (1, 1, 1), position=(0, 0, 0))
    m.translational(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    top = m.marker(m.ground, (0, 0, 3))
    m.spring_damper(p.cm, top, k=50, length=3.0, c=1)
    m.vforce(p.cm, None, "0", "0", "10*TIME")
    run = hn.simulate(m, end=2.0, steps=4, kind="quasistatics")
    np.testing.assert_allclose(run.part("mass").position.values[:, 2], 10 * run.time / 50, atol=1e-8)


def test_a_machine_without_equilibrium_says_which_body_finds_no_balance():
    m = hn.Model()
    p = m.part("sled", 2.0, (1, 1, 1), position=(0, 0, 0))
    m.translational(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.vforce(p.cm, None, "0", "0", "10")
    with pytest.raises(hn.ModelError, match="sled"):
        hn.simulate(m, kind="statics", maxit=20)
