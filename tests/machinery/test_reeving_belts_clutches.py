"""Reeving, timing belts, clutches: closed forms, and the length of a rope as the hull of what it runs round."""

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import holonom as hn
from holonom.machinery import (
    DiscClutch,
    Sheave,
    belt_capacity,
    belt_drive,
    clutch_rig,
    elastic_creep,
    engagement,
    groan_speed,
    polygon_effect,
    reeving,
    tension_ratio,
    timing_belt,
    wedged_friction,
)
from holonom.machinery.reeving import _plane

G, R = 9.81, 0.2


def test_plane_of_sheaves():
    """Axes at right angles of length one, the third along the normal, whatever its length."""
    m = hn.Model()
    sides = np.array([[0.0, 2.0, -2.0], [4.0, -1.0, -1.0], [1.0, 1.0, -2.0]])  # across (1, 2, 2), but for the last
    path = tuple(Sheave(m.ground, tuple(p), 0.1) for p in sides[:2])
    axes, at = _plane(path, (3.0, 6.0, 6.0), "rope")
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(axes[:, 2], [1 / 3, 2 / 3, 2 / 3])
    np.testing.assert_allclose(at, sides[:2] @ axes, atol=1e-15)
    path += (Sheave(m.ground, tuple(sides[2]), 0.1),)
    with pytest.raises(hn.ModelError, match="lie 0.333333 apart along the normal"):
        _plane(path, (3.0, 6.0, 6.0), "rope")


def test_block_and_tackle():
    """Two falls carry the hook: accelerations and force of 2 T - m g = m a, T = m_2 (g - 2 a)."""
    m = hn.Model("tackle")
    m.gravity = (0, -G, 0)
    hook, weight = m.part("hook", 30.0, (1, 1, 1), (R, -2.0, 0)), m.part("weight", 10.0, (1, 1, 1), (4 * R, -1.5, 0))
    for part in (hook, weight):
        m.translational(part, m.ground, at=part.frame.origin, axis=(0, 1, 0))
    rope = reeving(
        m,
        [
            Sheave(m.ground, (0, 0, 0)),
            Sheave(hook, (R, -2, 0), R),
            Sheave(m.ground, (3 * R, 0, 0), R, -1),
            Sheave(weight, (4 * R, -1.5, 0)),
        ],
    )
    assert rope.length == pytest.approx(2 + 2 + 1.5 + 2 * math.pi * R, rel=1e-12)
    run = hn.simulate(m, end=0.5, steps=5, error=1e-8)
    a = (2 * 10 - 30) * G / (30 + 4 * 10)
    assert run.part("hook").acceleration.values[:, 1] == pytest.approx(a, rel=1e-6)
    assert run.part("weight").acceleration.values[:, 1] == pytest.approx(-2 * a, rel=1e-6)
    assert np.linalg.norm(run.constraint("rope").force.values, axis=1) == pytest.approx(10 * (G - 2 * a), rel=1e-6)


def test_a_hook_that_swings_on_a_winch():
    """The rope from the drum round the hook's sheave to a fixed end is the hull of its ends and the sheave, less what
    is between the ends; the drum lets it grow."""
    m = hn.Model("winch")
    m.gravity = (0, -G, 0)
    hook = m.part("hook", 30.0, (0.2,) * 3, (0.5, -2.0, 0), velocity=(1.0, 0, 0))
    m.planar(hook, m.ground, at=(0.5, -2.0, 0), axis=(0, 0, 1))
    m.primitive("ORIENTATION", m.marker(hook), m.marker(m.ground))
    drum = m.part("drum", 5.0, (0.1,) * 3, (0, 1.0, 0))
    shaft = m.revolute(drum, m.ground, "shaft", at=(0, 1.0, 0), axis=(0, 0, 1))
    m.motion(shaft, "0.4*TIME**2", name="drive")
    rope = reeving(
        m,
        [Sheave(m.ground, (0, 0, 0)), Sheave(hook, (0.5, -2, 0), R), Sheave(m.ground, (1.0, 0.1, 0))],
        drums=[(shaft, 0.3)],
    )
    run = hn.simulate(m, end=1.5, steps=15, error=1e-9)
    round_it = 2 * math.pi * np.arange(40000) / 40000
    ends = np.array([(0.0, 0.0), (1.0, 0.1)])
    for t, at in zip(run.time, run.part("hook").position.values[:, :2]):
        hull = ConvexHull(np.vstack([ends, at + R * np.column_stack([np.cos(round_it), np.sin(round_it)])]))
        assert hull.area - math.dist(*ends) == pytest.approx(rope.length + 0.3 * 0.4 * t**2, abs=1e-6)
    assert np.ptp(run.part("hook").position.values[:, 0]) > 0.4
    assert run.audit().ok(1e-5)


def test_a_timing_belt_stretches_and_swings():
    """Under the load the strands carry T0 +- M/2 r, and the follower stays back by M/(2 k r^2); held, it swings at
    sqrt(2 k r^2/J)."""
    m = timing_belt(speed=50.0, load=2.0, tension=300.0, damping=0.5)
    k = 2e6 / math.sqrt(0.2**2 - 0.04**2)
    run = hn.simulate(m, end=0.5, steps=50, error=1e-8)
    assert run.request("strands").values[-1, 1:3] == pytest.approx([300 + 1 / 0.06, 300 - 1 / 0.06], rel=1e-5)
    w = [run.part(p).angular_velocity.values[-1, 2] for p in ("driver", "follower")]
    assert w[1] == pytest.approx(w[0] * 0.02 / 0.06, rel=1e-5)
    free = timing_belt(speed=0.0, load=0.0, damping=0.0)
    found = hn.Simulation(free).linearize()
    assert np.abs(found.eigenvalues.imag).max() == pytest.approx(math.sqrt(2 * k * 0.06**2 / 5e-4), rel=1e-6)


def test_teeth_of_a_timing_belt_move_in_their_gaps():
    """Under the load the follower's rim stays back by half of the play and by what both strands stretch, M/(2 k r)."""
    m = timing_belt(speed=50.0, load=2.0, tension=300.0, damping=0.5, play=1e-3)
    run = hn.simulate(m, end=0.5, steps=10, error=1e-8)
    k = 2e6 / math.sqrt(0.2**2 - 0.04**2)
    driver, follower = (run.joint(f"{w} shaft").angle.values[-1] for w in ("driver", "follower"))
    assert 0.02 * driver - 0.06 * follower == pytest.approx(0.5e-3 + 2.0 / (2 * k * 0.06), rel=1e-5)
    assert run.request("strands").values[-1, 1:3] == pytest.approx([300 + 1 / 0.06, 300 - 1 / 0.06], rel=1e-5)


def test_belts_and_chains_in_closed_form():
    """A V belt of 36 degrees wedges by 1/sin 18; tensions at the limit obey Euler's ratio with speed; a chain's speed
    over the turn of its polygon."""
    assert tension_ratio(wedged_friction(0.3, math.radians(36)), 3.0) == pytest.approx(
        math.exp(0.9 / math.sin(math.radians(18)))
    )
    m = belt_drive(friction=0.2, groove=math.radians(36))
    assert {round(c.mu, 6) for c in m.table("CONTACT").values()} == {round(0.2 / math.sin(math.radians(18)), 6)}
    d = belt_capacity(500.0, 0.4, 2.8, mass=0.2, speed=30.0)
    tight, slack = 500 + 0.5 * d, 500 - 0.5 * d
    assert (tight - 180) / (slack - 180) == pytest.approx(tension_ratio(0.4, 2.8))
    assert elastic_creep(150.0, 50.0, 1e4) == pytest.approx(100 / 10150)
    z = 17  # speed of a link of pitch 1 that is laid on a polygon whose corners run round
    phi = np.linspace(-math.pi / z, math.pi / z, 4001)
    along = 0.5 / math.sin(math.pi / z) * np.cos(phi)
    assert polygon_effect(z) == pytest.approx(np.ptp(along) / along.max(), rel=1e-6)


@pytest.mark.parametrize(
    "more", ({}, {"driving": 50.0, "load": 20.0, "rise": 0.2}, {"driving": 10.0, "load": 5.0, "rise": 2.0})
)
def test_a_clutch_engages_as_the_formula_says(more):
    want = engagement(150.0, (0.25, 1.2), (200.0, 10.0), **more)
    run = hn.simulate(clutch_rig(150.0, (0.25, 1.2), (200.0, 10.0), **more), end=1.2 * want.time, steps=40, error=1e-8)
    speeds = run.request("clutch").values[:, 1:3]
    k = int(np.argmax(np.abs(speeds[:, 0] - speeds[:, 1]) < 1e-9))
    assert run.time[k] == pytest.approx(want.time, rel=1e-8) and speeds[k] == pytest.approx([want.speed] * 2, rel=1e-8)
    if not more:  # nothing else gives or takes
        assert run.data.energy_dissipated[-1] == pytest.approx(want.heat, rel=1e-8)
        reduced = 0.25 * 1.2 / 1.45
        assert (want.time, want.heat) == pytest.approx((reduced * 190 / 150, 0.5 * reduced * 190**2))


def test_what_clutches_carry_and_where_pads_groan():
    """Shigley's plate: even wear acts at the mean radius; the limit of sliding is that of the slope of friction."""
    plate = DiscClutch(0.05, 0.1, 5000.0, 0.3, 2)
    assert plate.capacity == pytest.approx(0.3 * 5000 * 0.075 * 2)
    assert DiscClutch(0.05, 0.1, 5000.0, 0.3, 2, "even").radius == pytest.approx(
        2 / 3 * (1e-3 - 1.25e-4) / (1e-2 - 2.5e-3)
    )
    v = groan_speed(normal=1000.0, mu_static=0.5, mu_kinetic=0.35, decay=0.3, damping=300.0)
    assert 1000.0 * 0.15 / 0.3 * math.exp(-v / 0.3) == pytest.approx(300.0)
    assert groan_speed(normal=1000.0, mu_static=0.5, mu_kinetic=0.35, decay=0.3, damping=600.0) == 0.0


def test_bad_ropes_belts_and_clutches():
    m = hn.Model()
    a = m.part("a", 1.0, (1, 1, 1))
    for call, match in (
        (lambda: reeving(m, [Sheave(a, (0, 0, 0))]), "give two or more"),
        (lambda: reeving(m, [Sheave(a, (0, 0, 0)), Sheave(m.ground, (1, 0, 0.5))]), "into one plane"),
        (
            lambda: reeving(m, [Sheave(a, (0, 0, 0), 0.6), Sheave(m.ground, (1, 0, 0), 0.6, -1)]),
            "too near for their radii",
        ),
        (lambda: reeving(m, [Sheave(a, (0, 0, 0), 0.6, 0), Sheave(m.ground, (1, 0, 0))]), "and 1 or -1"),
        (lambda: timing_belt((0.1, 0.2)), "touch each other"),
        (lambda: belt_capacity(100.0, 0.3, 3.0, mass=1.0, speed=20.0), "lifts off"),
        (lambda: wedged_friction(0.3, -0.1), "groove is -0.1"),
        (lambda: polygon_effect(2), "whole number from 3"),
        (lambda: DiscClutch(0.1, 0.05, 1.0), "give inner below outer"),
        (lambda: engagement(10.0, (1.0, 1.0), (10.0, 0.0), driving=50.0), "never holds"),
        (lambda: engagement(10.0, (1.0, 1.0), (0.0, 10.0)), "faster first side"),
    ):
        with pytest.raises(hn.ModelError, match=match):
            call()
