"""Linear analyses of closed loops at rest: exact derivatives over the spanning tree against differences of the
equations of all bodies, and closed forms."""

import math

import numpy as np
import pytest
from tests.analyses.test_joint_equilibrium import random_mechanism
from tests.analyses.test_linear_trees import apart, linear

import holonom as hn
from holonom.analyses.linear import linearisation
from holonom.recursive.forces import JointForces
from holonom.recursive.small_motions import no_small_motions


def swing(links=3, tilt=0.0):
    """A platform that hangs on parallel links, one more than needed from the third on: it does not turn."""
    m = hn.Model("swing")
    m.gravity = (9.81 * math.sin(tilt), 0, -9.81 * math.cos(tilt))
    length = 0.8
    way = length * np.array([math.sin(tilt), 0.0, -math.cos(tilt)])
    table = m.part("table", 5.0, (0.1, 0.2, 0.3), way + (0.5, 0, 0.1))
    for k in range(links):
        at = np.array([0.4 * k, 0, 0])
        link = m.part(f"link{k}", 1.2, (0.08, 0.08, 0.001), at + 0.5 * way)
        m.revolute(link, m.ground, f"top{k}", at=at, axis=(0, 1, 0))
        m.revolute(table, link, f"low{k}", at=at + way, axis=(0, 1, 0))
    return m


def exact_and_other(model, at_rest=True, **options):
    """Analyses over the spanning tree and by differences; that the first did not need the second."""
    sim = hn.Simulation(model, progress=False)
    if at_rest:
        sim.statics(coordinates="joint")
    else:
        sim.initial()
    system = sim.prepare("linear")
    assert no_small_motions(system, sim.y) == ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linearisation._Blocks, "_bases", lambda self: pytest.fail("differences were taken"))
        exact = sim.linearize(**options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linearisation, "no_small_motions", lambda *_: "differences")
        return exact, sim.linearize(**options)


@pytest.mark.parametrize("links", [2, 3, 5])
def test_a_swing_on_parallel_links(links):
    """omega^2 = g (M l + n m l/2) / (M l^2 + n (I + m l^2/4)), whatever the number of links more than two."""
    exact, other = exact_and_other(swing(links))
    inertia = 5.0 * 0.64 + links * (0.08 + 1.2 * 0.16)
    omega = math.sqrt(9.81 * (5.0 * 0.8 + links * 1.2 * 0.4) / inertia)
    assert len(exact.eigenvalues) == 2
    assert np.abs(exact.eigenvalues.imag).max() == pytest.approx(omega, rel=1e-12)
    assert apart(exact, other) < 1e-8


def test_a_loop_out_of_balance():
    """At rest but not in equilibrium, with a row that is driven: accelerations and multipliers count."""
    m = swing(3)
    m.gravity = (3.0, 0, -9.81)
    wheel = m.part("wheel", 1.0, (0.1, 0.1, 0.1), (3.0, 0, 0))
    turn = m.revolute(wheel, m.ground, "turn", at=(3.0, 0, 0), axis=(0, 1, 0))
    m.motion(turn, "0.3*COS(4*TIME)")  # it has an acceleration, and no speed
    table = m.find("PART", "table")
    rim, hook = m.marker_at(wheel, (3.0, 0.1, 0.2)), m.marker_at(table, (1.0, 0, -0.8))
    m.spring_damper(rim, hook, stiffness=80.0, damping=3.0, length=1.5)
    exact, other = exact_and_other(m, at_rest=False)
    assert apart(exact, other) < 1e-8
    assert np.abs(exact.eigenvalues.real).max() > 1e-3


def test_couplers_close_loops():
    m = hn.Model("coupled")
    m.gravity = (0, 0, -9.81)
    pins = []
    for k in range(3):
        wheel = m.part(f"w{k}", 1.0 + k, (0.1, 0.2, 0.1), (k, 0, -0.3))
        pins.append(m.revolute(wheel, m.ground, f"p{k}", at=(k, 0, 0), axis=(0, 1, 0)))
    m.coupler(pins[:2], [1.0, -2.0])
    m.coupler(pins[1:], [1.0, 1.0])
    exact, other = exact_and_other(m, at_rest=False)
    ratio = np.array([1.0, 0.5, -0.5])  # turns of the wheels
    mass, weight = 0.2 + np.arange(1.0, 4.0) * 0.09, np.arange(1.0, 4.0) * 9.81 * 0.3
    omega = math.sqrt(weight @ ratio**2 / (mass @ ratio**2))
    assert np.abs(exact.eigenvalues.imag).max() == pytest.approx(omega, rel=1e-12)
    assert apart(exact, other) < 1e-8


@pytest.mark.parametrize("seed", [1, 3, 5])
@pytest.mark.parametrize("at_rest", [True, False])
def test_random_mechanisms_as_all_bodies(seed, at_rest):
    """Trees with a ball joint that closes a loop, springs and a driven hinge, in equilibrium and out of it."""
    exact, other = exact_and_other(random_mechanism(seed), at_rest)
    assert apart(exact, other) < 1e-8
    assert exact.warnings == other.warnings == []


def test_few_evaluations_of_all_bodies(monkeypatch):
    """A direction costs no differences of accelerations: one check along one direction does."""
    calls = []
    rates = linearisation.Point.rates
    monkeypatch.setattr(linearisation.Point, "rates", lambda self, y: calls.append(1) or rates(self, y))
    sim = hn.Simulation(random_mechanism(3), progress=False)
    sim.statics(coordinates="joint")
    answer = sim.linearize()
    assert answer.nq == 7
    assert len(calls) < 32


def test_wrong_stiffness_of_reactions_is_found(monkeypatch):
    """Where a difference of all bodies disagrees with the derivatives, differences are taken."""
    right = linear(swing(3), exact=False)
    changes = JointForces._force_gradients
    monkeypatch.setattr(JointForces, "_force_gradients", lambda self, t, lam=None: 1.01 * changes(self, t, lam))
    answer = linear(swing(3))
    assert apart(answer, right) < 1e-9


def test_what_stays_with_differences():
    m = swing(2)
    system = hn.Simulation(m, progress=False).prepare("linear")
    moving = system.y0.copy()
    moving[13 * 1 + 10] = 0.1
    assert "the bodies move" in no_small_motions(system, moving)
    pin = m.joints[1]
    m.motion(pin, "0.1*TIME", level="VELOCITY")
    system = hn.Simulation(m, progress=False).prepare("linear")
    assert "have no derivatives in joint coordinates" in no_small_motions(system, system.y0)
