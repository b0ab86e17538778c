"""Event-driven contact comes to rest: bounces on what is itself held, bricks that rock without restitution, coins that
wobble, dice that rattle."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import holonom as hn
from change_detectors import detect
from holonom.analyses.contact.local_stepping import Crowded
from holonom.analyses.contact.rigid_contact import IDLE, RESTARTS, RigidContact
from holonom.analyses.contact.settling import ENOUGH, Accumulation, Settling, arrest, island

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from fuzz import stacks  # noqa: E402

G = 9.81


def balls(count, e, gap=1e-3, r=0.1):
    """Balls of growing mass above each other, the lowest r above the floor."""
    m = hn.Model("balls")
    m.gravity = (0, 0, -G)
    shapes = []
    for k in range(count):
        z = 2 * r + k * (2 * r + gap)
        b = m.part(f"ball {k}", 1.0 + k, (4e-3 * (1 + k),) * 3, (0, 0, z))
        shapes.append(m.sphere(b, (0, 0, z), r))
        if count > 2:  # a column would topple
            m.translational(b, m.ground, at=(0, 0, z), axis=(0, 0, 1))
    m.contact(shapes[0], m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=e, joined=True)
    for a, b in zip(shapes, shapes[1:]):
        m.contact(a, b, restitution=e)
    return m


@pytest.mark.parametrize(("count", "e"), [(2, 0.5), (3, 0.5), (4, 0.3), (2, 0.0), (6, 0.5)])
def test_balls_come_to_rest_on_each_other(count, e):
    """The upper one bounces on one that is held: its accelerations without contact forces give no information of how it
    is pressed down."""
    r = 0.1
    run = hn.simulate(balls(count, e), 2.0, 80, contact="events")
    np.testing.assert_allclose(run.data.body_position[-1, :, 2], r + 2 * r * np.arange(count), atol=1e-8)
    assert np.diff(run.data.body_position[:, :, 2], axis=1).min() > 2 * r - 1e-9  # none through another at any time
    assert len(run.impacts) < 700
    energy = run.data.energy_kinetic + run.data.energy_gravity
    assert np.diff(energy).max() < 1e-9 * energy[0]


def brick(seed, mu, e=0.0, edges=(0.2, 0.15, 0.1), height=0.4):
    """A brick that falls turned at random, spinning."""
    A = Rotation.from_quat(np.random.default_rng([3, seed]).normal(size=4)).as_matrix()
    w = 2 * np.random.default_rng([4, seed]).normal(size=3)
    m = hn.Model("brick")
    m.gravity = (0, 0, -G)
    x, y, z = np.square(edges)
    b = m.part(
        "brick", 1.0, ((y + z) / 12, (x + z) / 12, (x + y) / 12), (0, 0, height), axes=A, angular_velocity=tuple(w)
    )
    m.contact(
        m.box(b, (0, 0, height), edges, x=A[:, 0], z=A[:, 2]),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        mu=mu or None,
        restitution=e,
    )
    return m, 0.5 * np.array(edges)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("mu", "e"), [(0.0, 0.0), (0.3, 0.0), (0.6, 0.3), (0.3, 0.8)])
def test_bricks_come_to_rest(seed, mu, e):
    """On one of their faces; with friction altogether, without it they continue sliding and turning about the
    vertical."""
    m, faces = brick(seed, mu, e)
    sim = hn.Simulation(m)
    sim.dynamics(end=3.0, steps=60, contact="events")
    run = sim.run()
    assert np.abs(faces - run.data.body_position[-1, 0, 2]).min() < 1e-9
    speed = np.abs(np.r_[run.data.body_velocity[-1, 0, 2:], run.data.body_angular_velocity[-1, 0, :2] * (mu > 0)])
    assert speed.max() < 1e-8
    detect("brick comes to rest: steps", run.counters["steps"])
    energy = run.data.energy_kinetic + run.data.energy_gravity
    told = any("gains energy" in text for text in sim.messages)
    assert told or np.diff(energy).max() < 1e-7 * energy[0]  # of the integrator


def test_brick_that_spins_and_slides_stops_at_once():
    """Slip and spin of a box on its face vanish together, at a finite time: all four corners stop, in few steps."""
    m = hn.Model("spinning brick")
    m.gravity = (0, 0, -G)
    b = m.part("brick", 1.0, (0.004, 0.005, 0.006), (0, 0, 0.05), velocity=(0.5, 0.1, 0), angular_velocity=(0, 0, 6))
    m.contact(m.box(b, (0, 0, 0.05), (0.2, 0.15, 0.1)), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), mu=0.3)
    run = hn.simulate(m, 2.0, 40, contact="events")
    d = run.data
    assert max(np.abs(d.body_velocity[-1]).max(), np.abs(d.body_angular_velocity[-1]).max()) < 1e-9
    detect("brick spins and slides: steps", run.counters["steps"])
    assert d.energy_dissipated[-1] == pytest.approx(0.5 * 0.26 + 0.5 * 0.006 * 36, rel=1e-7)


@pytest.mark.parametrize("seed, reason", [(36, "accumulate"), (116, "it is laid flat")])
def test_coin_that_wobbles_lies_down(seed, reason):
    """An edge that rolls round without loss would do so for ever, ever faster as it is flatter: its impacts accumulate,
    or, below what is followed, it lies down; both are reported."""
    s = stacks.scene(seed)
    sim = hn.Simulation(s.model)
    sim.dynamics(end=1.0, steps=40, contact="events")
    run = sim.run()
    assert np.abs(s.bodies[0].faces - run.data.body_position[-1, 0, 2]).min() < 1e-8
    assert any(reason in text for text in sim.messages)
    detect("coin lies down: steps", run.counters["steps"])


# ---- the parts -------------------------------------------------------------------------------------------------------
def test_series_of_impacts_is_recognised_again_after_clearing():
    series = Accumulation()
    ended = [series.add(1.0 - 0.5**k) for k in range(1, 30)]
    assert any(ended) and series.end == pytest.approx(1.0, abs=1e-8) and series.steady
    series.clear()
    assert not any(series.add(2.0 + 0.1 * k) for k in range(20))  # even: no end


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_crowds_raise_the_level_and_time_lowers_it(scale):
    """The same in metres and millimetres: sizes and accelerations scale, times do not."""
    s = Settling(1e-6, 0.1 * scale, 9.81 * scale)
    natural = s.natural
    levels = [s.add(1e-6 * k, 0.0, 9.81 * scale, False) for k in range(sum(ENOUGH))]
    assert [x for x in levels if x is not None] == list(range(1, len(ENOUGH) + 1))[: sum(x is not None for x in levels)]
    assert s.level == len(ENOUGH) - 1 and s.height == pytest.approx(1e-4 * scale)
    assert s.add(2 * natural, 0.0, 9.81 * scale, False) is None and s.level == 0
    for k in range(200):  # large impacts, and those of a known series, are no crowd
        s.add(2 * natural + 1e-6 * k, 1.0 * scale, 9.81 * scale, False)
        s.add(2 * natural + 1e-6 * k, 0.0, 9.81 * scale, True)
    assert s.level == 0


def test_arrest_takes_energy_and_draws_nothing_together():
    rng = np.random.default_rng(5)
    for _ in range(50):
        k, n = 5, 12
        H = rng.normal(size=(3 * k, n))
        W, u = H @ H.T, rng.normal(size=n)
        w = (H @ u).reshape(k, 3)
        slow = float(np.median(np.abs(w[:, 0])))
        mu = rng.choice([0.0, 0.5], size=(k, 1))
        r = arrest(W, w, mu, [slice(1, 3)], slow, np.ones(k, bool))
        after = u + H.T @ r.ravel()
        assert after @ after <= u @ u * (1 + 1e-12)
        z = (H @ after).reshape(k, 3)[:, 0]
        assert (z >= np.minimum(w[:, 0], 0.0) - 1e-8).all()
        assert np.abs(z[np.abs(w[:, 0]) <= slow]).max() < 1e-8


def test_islands_are_what_the_matrix_couples():
    W = np.zeros((12, 12))
    for a, b in ((0, 0), (1, 1), (2, 2), (3, 3), (0, 1)):
        W[3 * a : 3 * a + 3, 3 * b : 3 * b + 3] = W[3 * b : 3 * b + 3, 3 * a : 3 * a + 3] = np.eye(3)
    np.testing.assert_array_equal(island(W, np.array([True, False, False, False]), 3), [True, True, False, False])


def test_lift_offs_that_change_nothing_are_left_to_time_stepping():
    """So many in a row, each soon after the one before; the whole scene is seed 2118 of `sound`."""
    touch = SimpleNamespace(_idle_at=-np.inf, _idle_events=0, _natural=0.1, span=1.0, closed=[], _names=lambda _: "'a'")
    event = lambda t, idle: RigidContact._has_effect(touch, t, idle)
    for start in (0.0, 0.1):
        for k in range(IDLE - 1):
            event(start + 1e-7 * k, True)
        event(start + 1e-5, False)  # something has changed
    for k in range(3 * IDLE):
        event(1.0 + 1e-3 * k, True)  # time goes on
    with pytest.raises(Crowded, match=f"lifted off {IDLE} times in a row"):
        for k in range(IDLE + 1):
            event(2.0 + 1e-7 * k, True)


def test_stops_that_slip_again_at_once_are_left_to_time_stepping():
    """Slip that stops for no time at all, again and again; the whole scene is seed 2337 of `sound`."""
    touch = SimpleNamespace(
        _stopped=set(), _stopped_at=-np.inf, _restarts=0, _natural=0.1, span=1.0, closed=[], _names=lambda _: "'a'"
    )
    one, other = ("a", "b", 1.0, 0), ("a", "b", 2.0, 0)

    def stops(t, rest, slips=one):
        RigidContact._sticks(touch, t, {one}, set())
        RigidContact._sticks(touch, t + rest, set(), {slips})

    for k in range(3 * RESTARTS):
        stops(0.5 + 1e-8 * k, 1e-9)  # it sticks for a while
        stops(0.6 + 1e-8 * k, 0.0, other)  # another point slips
    for k in range(3 * RESTARTS):
        stops(1.0 + 1e-3 * k, 0.0)  # time goes on
    with pytest.raises(Crowded, match=f"stopped {RESTARTS} times in a row"):
        for k in range(RESTARTS + 1):
            stops(2.0 + 1e-8 * k, 0.0)
