"""Conditions with a DELAY inside (IF, MIN, MAX, DIM, ABS, locks) switch where the delayed value does.

References are closed forms, and the method of steps with steps of 0.2 ms."""

import math

import pytest

import holonom as hn


def _sliding(function, speed=12.0):
    m = hn.Model("m")
    p = m.part("p", 2.0, (1, 1, 1), (0, 0, 0))
    m.translational(p, m.ground, "t", at=(0, 0, 0), axis=(1, 0, 0))
    p.vx = speed
    m.vforce(p.cm, None, fx=function.replace("#", f"DX({p.cm})"))
    return m


def _end(function, **options):
    return hn.simulate(_sliding(function), end=3, steps=6, **options).part("p").position.values[-1, 0]


def _by_steps(force, lag=0.1, end=3.0, n=500):
    """x(end) of 2 x'' = force(x(t - lag)), x = 0 before, x' = 12 at 0: with h = lag / n the middle of a step lies half
    a step behind a value, where the cubic of Hermite has it."""
    h, x, v = lag / n, 0.0, 12.0
    past = [(0.0, 0.0)] * (n + 1)
    for _ in range(round(end / h)):
        (x0, v0), (x1, v1) = past[-n - 1], past[-n]
        a0, a1 = 0.5 * force(x0), 0.5 * force(x1)
        am = 0.5 * force(0.5 * (x0 + x1) + h * (v0 - v1) / 8.0)
        x += h * v + h * h * (a0 + 2.0 * am) / 6.0
        v += h * (a0 + 4.0 * am + a1) / 6.0
        past.append((x, v))
    return x


@pytest.mark.parametrize(
    "integrator",
    ["DOP853", "GSTIFF", pytest.param("RADAU5", marks=pytest.mark.slow), pytest.param("HHT", marks=pytest.mark.slow)],
)
def test_a_delayed_time_brakes(integrator):
    error = 1e-7 if integrator != "HHT" else 1e-5
    end = _end("IF(DELAY(TIME,0.5,0)-1.2:0,0,-20)", integrator=integrator, error=error)
    assert end == pytest.approx(36 - 0.5 * 10 * 1.3**2, abs=1e-3)


@pytest.mark.parametrize(
    "function, force",
    [
        ("MAX(-30,MIN(30,-40*DELAY(#,0.1,0)))", lambda x: max(-30.0, min(30.0, -40.0 * x))),
        ("-10*DIM(DELAY(#,.1,0),5)", lambda x: -10.0 * max(x - 5.0, 0.0)),
        ("-ABS(20*(DELAY(#,.1,0)-3))", lambda x: -abs(20.0 * (x - 3.0))),
    ],
)
def test_a_delayed_position_saturates(function, force):
    assert _end(function) == pytest.approx(_by_steps(force), abs=2e-4)


def test_a_lock_with_a_delayed_condition_locks():
    m = _sliding("0*#")
    m.lock(next(iter(m.joints.values())), when="DELAY(TIME,0.5,0)-0.2")
    end = hn.simulate(m, end=2, steps=4).part("p").position.values[-1, 0]
    assert end == pytest.approx(12 * 0.7, abs=1e-6)


def test_what_a_condition_delays_is_known_through_changes_of_the_machine():
    """x = 12 t - 2 t^2 until the lock closes at s + 0.2 with x(s) = 6; what its other condition delays is known from
    the time before, x(0.6) = 6.48, and opens it at 1.6."""
    m = _sliding("-8")
    joint = next(iter(m.joints.values()))
    x = f"DX({joint.i})"
    m.lock(joint, when=f"MIN(DELAY({x},0.2,0)-6,1.5-TIME)", release=f"DELAY(2*{x},1.0,0)-12.96")
    t = 3 - 6**0.5 + 0.2
    position = hn.simulate(m, end=2.5, steps=25).part("p").position.values[:, 0]
    assert position[-1] == pytest.approx(12 * t - 2 * t**2 - 2 * 0.9**2, abs=1e-5)


def test_a_delayed_force_that_is_off_for_a_while():
    """x'' = sin(5 (t - 0.4)) while it acts, before 1 (0 before 0.4) and from 2 on: what it delays goes on meanwhile."""
    m = _sliding("0")
    p = m.find("PART", "p")
    force = m.vforce(p.cm, None, fx="DELAY(2*SIN(5*TIME),0.4,0)", name="delay of a force")
    states = {"on": force, "off": (), "again": force}
    m.switch(states, [("on", "off", "TIME-1"), ("off", "again", "TIME-2")])
    integral = lambda a, b: (math.cos(5 * (a - 0.4)) - math.cos(5 * (b - 0.4))) / 5
    end = hn.simulate(m, end=3, steps=6, error=1e-9).part("p").velocity.values[-1, 0]
    assert end == pytest.approx(12 + integral(0.4, 1) + integral(2, 3), abs=2e-5)


def _past(text, end=4.0, **options):
    """Integral of a signal that is late by 0.5, and the messages about its past."""
    m = hn.Model("late", units="SI")
    m.control.function("signal", text)
    m.control.dead_time("late", "signal", delay=0.5)
    m.control.integrator("sum", "late")
    run = hn.simulate(m, end=end, steps=4, **options)
    return float(run.variable("sum").values[-1]), [t for t in run.info["messages"] if "past of DELAY" in t]


def test_a_past_that_is_kept_less_exactly_than_requested_is_reported():
    """A thousand jumps in a step, which nothing locates; told once."""
    with pytest.warns(hn.ModelWarning, match="past of DELAY"):
        _, told = _past("AINT(2000*(sum+TIME))", end=0.5, error=1e-8, events=False)
    assert len(told) == 1 and "give a smaller hmax" in told[0]


@pytest.mark.parametrize(
    ("text", "options", "exact"),
    [
        ("SIN(3*TIME)", {"error": 1e-8}, (1.0 - math.cos(10.5)) / 3.0),  # long steps
        ("IF(TIME-1: 0, 1, 1)", {"error": 1e-6}, 2.5),  # a jump
        ("IF(TIME-1: 0, 1, 1)", {"error": 1e-6, "events": False}, 2.5),  # that nothing locates
        ("ABS(TIME-1.2)", {"error": 1e-8, "events": False}, 1.2**2 / 2 + 2.3**2 / 2),  # a corner
        ("TIME**2", {"error": 1e-10}, 3.5**3 / 3.0),
        ("1.0", {"error": 1e-10}, 3.5),
        ("1E-17*AINT(2000*(sum+TIME))", {"error": 1e-10, "events": False, "end": 0.5}, 0.0),  # roundoff
    ],
)
def test_a_past_that_is_kept_as_requested_is_not(text, options, exact):
    value, told = _past(text, **options)
    assert not told and value == pytest.approx(exact, rel=options["error"], abs=1e-15)
