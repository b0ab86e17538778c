"""Statics and linear analysis where the past, or states of SWITCHes, would matter: equilibria have no past, and what
they pass by is reported."""

import numpy as np
import pytest

import holonom as hn


def _delayed():
    m = hn.Model("m")
    p = m.part("p", 2.0, (1, 1, 1), (1, 0, 0))
    m.translational(p, m.ground, "t", at=(1, 0, 0), axis=(1, 0, 0))
    m.spring_damper(p.cm, m.marker(m.ground), 10, 1.0, length=1.0)
    m.vforce(p.cm, None, fx=f"1+DELAY(DX({p.cm}),0.25,3)")
    return m


@pytest.mark.parametrize("counted", [False, True])
def test_in_an_equilibrium_the_past_is_the_present(counted):
    """10 (x - 1) = 1 + x."""
    sim = hn.Simulation(_delayed())
    if counted:
        sim.degrees_of_freedom()
    sim.statics()
    assert sim.run().part("p").position.values[-1, 0] == pytest.approx(11 / 9, rel=1e-9)


def test_statics_after_a_dynamic_analysis_with_delay():
    sim = hn.Simulation(_delayed())
    sim.dynamics(end=20, steps=10)
    sim.statics()
    assert sim.run().part("p").position.values[-1, 0] == pytest.approx(11 / 9, rel=1e-9)
    sim.dynamics(end=21, steps=2)
    assert sim.run().part("p").position.values[-1, 0] == pytest.approx(11 / 9, rel=1e-4)


def test_linear_analysis_refuses_a_delay():
    with pytest.raises(hn.ModelError, match=r"DELAY.*linear analysis"):
        hn.linearize(_delayed())


def test_quasistatics_of_a_machine_without_a_load():
    m = hn.Model("m")
    p = m.part("p", 2.0, (1, 1, 1), (0, 0, 0))
    m.motion(m.revolute(p, m.ground, "j", at=(0, 0, 0), axis=(0, 0, 1)), "TIME")
    q = m.part("q", 1.0, (1, 1, 1), (5, 0, 0))
    m.translational(q, m.ground, "j2", at=(5, 0, 0), axis=(1, 0, 0))
    m.spring_damper(q.cm, m.marker(m.ground), 10, length=5.0)
    run = hn.simulate(m, end=1, steps=3, kind="quasistatics")
    assert run.joint("j").angle.values == pytest.approx([0, 1 / 3, 2 / 3, 1], abs=1e-12)
    assert run.part("q").position.values[:, 0] == pytest.approx(np.full(4, 5.0), abs=1e-12)


def _hanging(**limits):
    m = hn.Model("m")
    m.gravity = (0, 0, -9.81)
    p = m.part("p", 2.0, (1, 1, 1), (1, 0, 0))
    m.revolute(p, m.ground, "t", at=(0, 0, 0), axis=(0, 1, 0), **limits)
    return m


@pytest.mark.parametrize("kind", ["statics", "quasistatics"])
def test_an_equilibrium_beyond_a_rigid_stop_is_reported_once(kind):
    more = {} if kind == "statics" else {"end": 1, "steps": 3}
    with pytest.warns(hn.ModelWarning, match=r"'t.stop': its joint lies 1\.071 beyond its high stop.*stop_stiffness"):
        run = hn.simulate(_hanging(lower=-0.5, upper=0.5), kind=kind, **more)
    assert len(run.info["warnings"]) == 1


@pytest.mark.parametrize("limits", [{"lower": -2, "upper": 2}, {"lower": -0.5, "upper": 0.5, "stop_stiffness": 1e4}])
def test_an_equilibrium_between_its_stops_is_not(limits):
    assert hn.simulate(_hanging(**limits), kind="statics").info["warnings"] == []


def test_a_clutch_at_rest_that_would_stick_is_reported():
    """Two discs on a torsion spring of 5: sqrt(5 / 0.04) apart, sqrt(5 / 0.14) together."""
    m = hn.Model("d")
    a, b = m.part("a", 1.0, (1, 1, 0.04), (0, 0, 0)), m.part("b", 1.0, (1, 1, 0.1), (0, 0, 0))
    j = m.revolute(a, m.ground, "ja", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(b, m.ground, "jb", at=(0, 0, 0), axis=(0, 0, 1))
    m.torsion_spring(j.i, j.j, stiffness=5.0)
    m.clutch(capacity=3, i=a, j=b, at=(0, 0, 0), axis=(0, 0, 1))
    with pytest.warns(hn.ModelWarning, match="would change from 'open' to 'stuck'"):
        hn.linearize(m)
    stuck = hn.linearize(m, end=0.01)
    assert np.abs(stuck.eigenvalues).max() == pytest.approx((5 / 0.14) ** 0.5, rel=1e-6)
    assert stuck.warnings == []


def test_a_joint_that_would_break_is_reported():
    m = _hanging()
    q = m.part("q", 2.0, (1, 1, 1), (3, 0, 0))
    m.breaking(m.fixed(q, m.ground, "f", at=(3, 0, 0)), force=10)
    with pytest.warns(hn.ModelWarning, match="from 'whole' to 'broken'"):
        hn.simulate(m, kind="statics")
