"""Machines whose impacts accumulate again and again run through with contacts located as events."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import holonom as hn

J_A, J_B, DRAG, TORQUE, FREQUENCY, E = 1e-3, 2e-3, 0.02, 2.0, 40.0, 0.3


def tooth(distance=0.0):
    """A tooth on hinge a between two stops on hinge b, driven to and fro; the centres of both bodies stay where they
    are."""
    m = hn.Model("backlash")
    m.gravity = (0, 0, 0)
    o = np.array([distance, 0.0, 0.0])
    a, b = (m.part(name, 1.0, (J,) * 3, o) for name, J in (("a", J_A), ("b", J_B)))
    ja, jb = (m.revolute(p, m.ground, f"j{p.name}", at=o, axis=(0, 0, 1)) for p in (a, b))
    stops = [m.box(b, o + (0.1, y, 0), (0.04, 0.03, 0.02)) for y in (0.0255, -0.0255)]
    m.contact(m.box(a, o + (0.1, 0, 0), (0.02,) * 3), stops, restitution=E)
    m.sforce(ja.i, ja.j, f"{TORQUE}*SIN({FREQUENCY}*TIME)", kind="ROTATIONAL")
    m.sforce(jb.i, jb.j, f"-{DRAG}*WZ({jb.i},{jb.j},{jb.j})", kind="ROTATIONAL")
    return m


def expected(end):
    """Angular velocity of b: both angles by an integrator of its own, impacts at its events, together from impacts
    slower than 1e-4 rad/s on.

    The corner of the tooth meets the stop at the same point with one normal, so that lever arms of both bodies are the
    same."""
    d = brentq(lambda x: 0.11 * np.sin(x) + 0.01 * np.cos(x) - 0.0105, 0.0, 0.1)
    drive = lambda t: TORQUE * np.sin(FREQUENCY * t)
    free = lambda t, y: [y[1], drive(t) / J_A, y[3], -DRAG * y[3] / J_B]
    both = lambda t, y: (drive(t) - DRAG * y[1]) / (J_A + J_B)
    t, y = 0.0, np.zeros(4)
    more = dict(rtol=1e-10, atol=1e-13, method="DOP853")
    while t < end:
        stops = [lambda t, y: y[0] - y[2] - d, lambda t, y: y[0] - y[2] + d]
        for stop, way in zip(stops, (1, -1)):
            stop.terminal, stop.direction = True, way
        s = solve_ivp(free, (t, end), y, events=stops, **more)
        t, y = s.t[-1], s.y[:, -1].copy()
        if t >= end:
            break
        side, w = (1 if len(s.t_events[0]) else -1), y[1] - y[3]
        p = (1.0 + E) * w / (1.0 / J_A + 1.0 / J_B)
        y[1], y[3], y[0] = y[1] - p / J_A, y[3] + p / J_B, y[2] + side * d * (1.0 - 1e-12)
        if abs(E * w) < 1e-4:
            v = (J_A * y[1] + J_B * y[3]) / (J_A + J_B)
            leaves = lambda t, z, side=side: side * (J_B * both(t, z) + DRAG * z[1])
            leaves.terminal, leaves.direction = True, -1
            s = solve_ivp(lambda t, z: [z[1], both(t, z)], (t, end), [y[2], v], events=leaves, **more)
            t, (angle, v) = s.t[-1], s.y[:, -1]
            y = np.array([angle + side * d * (1.0 - 1e-12), v, angle, v])
    return y[3]


@pytest.mark.parametrize("distance", [0.0, 3.0])
def test_backlash_between_two_stops(distance):
    run = hn.simulate(tooth(distance), 0.35, 70, contact="events")
    assert run.time[-1] == 0.35
    assert run.part("b").angular_velocity.values[-1, 2] == pytest.approx(expected(0.35), rel=1e-5)
    assert run.counters["accumulations"] >= 5


@pytest.mark.slow
def test_backlash_for_a_second():
    run = hn.simulate(tooth(), 1.0, 200, contact="events")
    assert run.part("b").angular_velocity.values[-1, 2] == pytest.approx(expected(1.0), rel=1e-5)


@pytest.mark.parametrize("method", ["events", "time-stepping"])
def test_backlash_of_both_methods(method):
    more = dict(step=2e-4) if method == "time-stepping" else {}
    run = hn.simulate(tooth(), 0.1, 20, contact=method, **more)
    assert run.part("b").angular_velocity.values[-1, 2] == pytest.approx(
        expected(0.1), rel=1e-5 if method == "events" else 1e-3
    )
