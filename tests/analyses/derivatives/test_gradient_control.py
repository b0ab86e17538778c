"""Gradients of runs through control blocks, against closed forms of linear loops."""

import numpy as np
import pytest
from scipy.linalg import expm
from test_gradient import SIX

import holonom as hn

VALUES = {"kp": 40.0, "ki": 30.0, "kd": 6.0, "filter": 0.05, "lag": 0.08, "mass": 2.0}
T = 0.9


def loop(kp, ki, kd, filter, lag, mass):
    """A block on a guide, whose place is measured with a lag and held at 0.3 by a PID controller."""
    m = hn.Model("loop")
    m.gravity = (0, 0, 0)
    gain = m.parameter("gain", kp)
    block = m.part("block", mass, (0.1,) * 3, position=(0, 0, 0))
    m.translational(block, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
    measured = m.control.lag("measured", f"DX({block.cm})", gain=1.0, time_constant=lag)
    pid = m.control.pid("pid", "0.3-measured", kp=gain, ki=ki, kd=kd, filter=filter)
    m.vforce(block.cm, m.ground, fx=f"CONTROL({pid.id},1)-3*VX({block.cm})", rm=m.marker(m.ground))
    return m, block, pid, measured


def place(kp, ki, kd, filter, lag, mass):
    """x, v, measured, integral, filtered error, and the constant 1."""
    r = 0.3
    A = np.zeros((6, 6))
    A[0, 1] = 1.0
    error = np.array([0, 0, -1.0, 0, 0, r])
    force = kp * error + np.array([0, 0, 0, 1.0, 0, 0]) + kd / filter * (error - np.array([0, 0, 0, 0, 1.0, 0]))
    A[1] = (force - 3.0 * np.array([0, 1.0, 0, 0, 0, 0])) / mass
    A[2] = np.array([1.0, 0, -1.0, 0, 0, 0]) / lag
    A[3] = ki * error
    A[4] = (error - np.array([0, 0, 0, 0, 1.0, 0])) / filter
    return float((expm(A * T) @ np.array([0, 0, 0, 0, 0, 1.0]))[0])


def shares():
    h = 1e-3
    moved = lambda n, k: place(**{**VALUES, n: VALUES[n] * (1 + k * h)})
    return np.array([sum(w * moved(n, k) for k, w in SIX.items()) / h for n in VALUES])


@pytest.mark.parametrize("integrator", ["DOP853", "RADAU5"])
def test_gains_of_a_pid_controller_and_the_lag_of_a_sensor(integrator):
    m, block, pid, measured = loop(**VALUES)
    names = ["gain", pid.number("ki"), pid.number("kd"), pid.number("tf"), "PART/2.MASS"]
    lag = [measured.number(n) for n in _numbers(measured)]
    g = hn.gradient(m, hn.final(f"DX({block.cm})"), [*names, *lag], end=T, integrator=integrator)
    assert g.value == pytest.approx(place(**VALUES), rel=1e-8)
    exact = dict(zip(VALUES, shares()))
    scale = max(map(abs, exact.values()))
    for name, key in zip(names, ("kp", "ki", "kd", "filter", "mass")):
        assert g[name] * VALUES[key] == pytest.approx(exact[key], abs=1e-8 * scale), key


def _numbers(block):
    return [f"{k}.{n + 1}" if len(v) > 1 else k for k, v in block.parameters.items() for n in range(len(v))]


def test_blocks_without_a_derivative_are_refused():
    m, block, pid, _ = loop(**VALUES)
    value, names = hn.final(f"DX({block.cm})"), ["PART/2.MASS"]
    with pytest.raises(hn.ModelError, match="control blocks have no derivative in statics"):
        hn.gradient(m, value, names, kind="statics")
    m.control.compare("faster", f"VX({block.cm})", ">", 0.1)
    with pytest.raises(hn.ModelError, match="CONTROL/.*a block of type compare has no derivative of a run yet"):
        hn.gradient(m, value, names, end=T)
    m, block, pid, _ = loop(**VALUES)
    m.control.gain("sampled", f"VX({block.cm})", gain=2.0, sample_time=0.01)
    with pytest.raises(hn.ModelError, match="blocks that act at samples have no derivative"):
        hn.gradient(m, value, names, end=T)
