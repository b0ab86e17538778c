"""No step passes over a period of a force that repeats itself over a turning angle."""

import numpy as np
import pytest

import holonom as hn
from holonom.expressions import parse, periods, to_text

TEETH = 20
OMEGA = 2 * np.pi


def rotor(angle="AZ", start=OMEGA, torque="0"):
    """A disc that a ripple of its angle brakes and drives: what it does in one period cancels."""
    m = hn.Model("ripple")
    disc = m.part("rotor", mass=1.0, inertia=(1.0, 1.0, 1.0))
    pin = m.revolute(disc, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    disc.wz = start
    x = np.linspace(-1.0, 2.0, 121)
    wave = m.spline(x, 1e-3 * np.sin(2 * np.pi * x))
    turned = f"{TEETH}/(2*PI)*{angle}({pin.i},{pin.j})"
    m.sforce(pin.i, pin.j, f"AKISPL(MOD({turned},1),0,{wave.id})+{torque}", "ripple", kind="ROTATIONAL")
    return m


def longest(run):
    """Longest step, in periods of the ripple at the speed at the start."""
    return np.diff(run.history["time"]).max() * OMEGA * TEETH / (2 * np.pi)


@pytest.mark.parametrize("angle", ["AZ", "PSI"])
def test_steps_are_shares_of_a_period(angle):
    run = hn.simulate(rotor(angle), end=1.0, steps=4, integrator="RADAU5", error=1e-3)
    assert longest(run) < 1.3 / 12.0
    assert not [m for m in run.info["messages"] if "period" in m]


def test_periods_are_passed_over_where_that_is_asked_for():
    run = hn.simulate(rotor(), end=1.0, steps=4, integrator="RADAU5", error=1e-3, events=False)
    assert longest(run) > 1.0


def test_from_standstill():
    """Under a constant torque the phase grows as t squared: rates of the past are not those of the next step."""
    run = hn.simulate(rotor(start=0.0, torque="4"), end=2.0, steps=4, integrator="RADAU5", error=1e-3)
    t = np.asarray(run.history["time"])
    phase = TEETH / (2 * np.pi) * 2.0 * t**2
    assert np.diff(phase).max() < 1.5 / 12.0


def test_fixed_steps_tell():
    run = hn.simulate(rotor(), end=1.0, steps=4, integrator="HHT", hmax=0.05, fixed=True)
    assert any("passed over 1 periods" in m and "ripple" in m for m in run.info["messages"])


@pytest.mark.parametrize(
    "text, phase, open_shape",
    [
        ("3*MOD(AZ(1,2),0.5)", "AZ(1,2)/0.5", True),
        ("SIN(7*TIME)", "7*TIME/(2*PI)", False),
        ("SHF(TIME,0,1,5,0,0)", "5*TIME/(2*PI)", False),
        ("FORCOS(AZ(1,2),0,2,1,1,1,1)", "3*(2*AZ(1,2))/(2*PI)", False),
        ("SWEEP(TIME,1,0,2,5,9,1)", "MAX(2,9)*TIME", False),
    ],
)
def test_what_expressions_repeat_themselves_in(text, phase, open_shape):
    ((node, shape),) = periods(parse(text)).items()
    assert (to_text(node).replace(" ", ""), shape) == (phase, open_shape)
    assert not periods(parse("SIN(PI/3)+MOD(7,2)+FORSIN(TIME,0,1,4)"))
