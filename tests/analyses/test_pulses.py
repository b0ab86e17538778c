"""No step passes over a pulse over time, whoever reads it: forces, variables, states, sensors, locks."""

import math

import numpy as np
import pytest

import holonom as hn

W = 0.02
TRAPEZE = f"(STEP(TIME,0.7,0,{0.7 + W / 10},1)-STEP(TIME,{0.7 + W},0,{0.7 + 1.1 * W},1))"  # area W
BELL = "EXP(-((TIME-0.7)/0.001)**2)"  # area 0.001 sqrt(pi)


def _sliding(*functions, speed=12.0, masses=2.0):
    m = hn.Model("m")
    p = m.part("p", masses, (1, 1, 1), (0, 0, 0))
    m.translational(p, m.ground, "t", at=(0, 0, 0), axis=(1, 0, 0))
    p.vx = speed
    for function in functions:
        m.vforce(p.cm, None, fx=function)
    return m


def _cm(m):
    return m.joints[next(iter(m.joints))].i


def _end(m, **options):
    return hn.simulate(m, end=3, steps=6, **options).part("p").position.values[-1, 0]


def _after(impulse, at, mass=2.0):
    """x(3) of a mass that an impulse symmetric about a time slows down."""
    return 36.0 - impulse / mass * (3.0 - at)


CASES = [
    ([f"-{10 / W}*{TRAPEZE}"], _after(10.0, 0.7 + 0.55 * W)),
    (
        [f"-{10 / W}*STEP(TIME,0.7,0,{0.7 + W / 10},1)", f"{10 / W}*STEP(TIME,{0.7 + W},0,{0.7 + 1.1 * W},1)"],
        _after(10.0, 0.7 + 0.55 * W),
    ),
    (["-1000*(HAVSIN(TIME,0.7,0,0.705,1)-HAVSIN(TIME,0.705,0,0.71,1))"], _after(5.0, 0.705)),
    (["-1000*MAX(0,1-((TIME-0.7)/0.01)**2)"], _after(1000 * 0.01 * 4 / 3, 0.7)),
    ([f"-5000*{BELL}"], _after(5 * math.sqrt(math.pi), 0.7)),
    (
        [f"-5000*{BELL}-1*(STEP(TIME,1.2,0,1.21,1)-STEP(TIME,1.22,0,1.23,1))*1E3"],
        _after(5 * math.sqrt(math.pi), 0.7) - 10.0 * 2 * 0.5 * (3 - 1.215),
    ),
    (["-1000*POLY(STEP(TIME,0.7,0,0.71,1)-STEP(TIME,0.71,0,0.72,1),0,0,1)"], _after(10.0, 0.71)),
]


@pytest.mark.parametrize("functions, right", CASES)
@pytest.mark.parametrize("integrator", ["DOP853", "GSTIFF", "RADAU5", "HHT"])
def test_a_pulse_of_force_is_seen(functions, right, integrator):
    """Error tests of GSTIFF and HHT see positions alone: they leave some per cent of an impulse."""
    end = _end(_sliding(*functions), integrator=integrator, error=1e-6)
    assert 36 - end == pytest.approx(36 - right, rel=1e-4 if integrator == "DOP853" else 1e-2)


def test_a_table_over_time_is_seen():
    m = _sliding()
    t = np.array([0, 0.5, 0.68, 0.69, 0.70, 0.71, 0.72, 1.0, 2.0, 3.0])
    f = np.array([0, 0, 0, 500, 1000, 500, 0, 0, 0, 0.0])
    s = m.spline(t, f)
    m.vforce(_cm(m), None, fx=f"-INTERP(TIME,1,{s.id})")
    assert _end(m) == pytest.approx(_after(20.0, 0.7), abs=1e-3)


@pytest.mark.parametrize("integrator", ["DOP853", "GSTIFF"])
def test_a_variable_a_state_and_a_delay_see_a_pulse(integrator):
    m = _sliding()
    v = m.variable(f"1000*{TRAPEZE.replace('STEP', 'STEP5')}")
    m.vforce(_cm(m), None, fx=f"-VARVAL({v.id})-DELAY(VARVAL({v.id}),0.5,0)")
    state = m.diff(f"VARVAL({v.id})")
    shown = m.variable(f"DIF({state.id})")
    run = hn.simulate(m, end=3, steps=6, integrator=integrator)
    a = 0.7 + 0.55 * W
    assert run.variable(shown.id).values[-1] == pytest.approx(20.0, abs=1e-2)
    lost = 10 * (3 - a) + 10 * (3 - a - 0.5)
    end = run.part("p").position.values[-1, 0]
    assert 36 - end == pytest.approx(lost, rel=1e-4 if integrator == "DOP853" else 2e-2)


def test_a_lock_sees_a_pulse():
    m = _sliding()
    m.lock(next(iter(m.joints.values())), when="STEP(TIME,0.7,0,0.701,1)-STEP(TIME,0.703,0,0.704,1)-0.5")
    assert _end(m) == pytest.approx(12 * 0.7005, abs=1e-5)


@pytest.mark.parametrize("function", ["-2*TIME-STEP(TIME,0,0,1,1)", "-3*SIN(7*TIME)", "IF(TIME-1:0,0,-1)", "-TIME**2"])
def test_steps_of_models_without_pulses_end_where_they_did(function):
    sim = hn.Simulation(_sliding(function))
    sim.dynamics(end=3, steps=6)
    times, narrow = sim.system.workspace.pulses[3]
    assert times == [] and narrow is None


def test_fixed_steps_warn():
    run = hn.simulate(_sliding(f"-{10 / W}*{TRAPEZE}"), end=3, steps=6, integrator="RK4", hmax=0.05)
    assert any("may pass over it" in w for w in run.info["warnings"])
