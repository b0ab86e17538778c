"""Balls that roll on a turntable (closed form) and in a spinning bowl (SciPy).

With e from the bowl's centre to the ball's, s = w . e, k = m a^2 / J = 5/2 and P = 1 - e e^T (rolling without slip, v +
w x a e = W z x R e):

    v' = [P (W R z x e' - a w x e') - k g P z] / (1 + k) - |v|^2 / (R - a) e,      s' = w . e',      e' = v / (R - a).
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import holonom as hn

ROOT = Path(__file__).resolve().parents[2]
END = 2.0


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("ball_in_bowl", ROOT / "examples" / "ball_in_bowl.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def runs(example):
    return {
        h: hn.simulate(example.build(), END, 20, contact="time-stepping", step=h, progress=False)
        for h in (2e-3, 1e-3, 5e-4)
    }


def rolling(b, angle, speed, spin, times):
    z, k = np.array([0, 0, 1.0]), 2.5

    def rates(t, y):
        e, v, s = y[:3], y[3:6], y[6]
        turn = v / (b.BOWL - b.RADIUS)
        w = np.cross(e, b.SPIN * b.BOWL * np.cross(z, e) - v) / b.RADIUS + s * e
        x = b.SPIN * b.BOWL * np.cross(z, turn) - b.RADIUS * np.cross(w, turn) - k * b.G * z
        return np.concatenate([turn, (x - e * (e @ x)) / (1 + k) - e * (v @ v) / (b.BOWL - b.RADIUS), [w @ turn]])

    _, v, e = b.bowl_start(angle, speed)
    y = solve_ivp(
        rates, (0, times[-1]), np.concatenate([e, v, [spin]]), "DOP853", rtol=1e-11, atol=1e-12, t_eval=times
    ).y
    return (b.BOWL - b.RADIUS) * y[:3].T + [b.APART, 0, b.BOWL]


def test_turntable(example, runs):
    rate = 2 / 7 * example.TURN
    errors = []
    for run in runs.values():
        q = rate * run.time
        exact = np.array([example.AWAY + example.RUN / rate * (np.cos(q) - 1), example.RUN / rate * np.sin(q)]).T
        errors.append(np.abs(run.part("runner").position.values[:, :2] - exact).max())
    assert errors[-1] < 3e-4
    assert errors[0] > 1.8 * errors[1] > 1.8**2 * errors[2]


@pytest.mark.parametrize("name", ["still", "second"])
def test_bowl(example, runs, name):
    b = example
    start = (
        (b.STILL, b.SPIN * (b.BOWL - b.RADIUS) * np.sin(b.STILL), -b.SPIN * np.cos(b.STILL))
        if name == "still"
        else (b.OTHER, b.KICK, 0.0)
    )
    errors = []
    for run in runs.values():
        errors.append(np.abs(run.part(name).position.values - rolling(b, *start, run.time)).max())
    assert errors[-1] < (7e-3 if name == "still" else 6e-4)
    assert errors[0] > 1.8 * errors[1] > 1.8**2 * errors[2]


def test_the_height_of_the_ball_that_turns_with_the_bowl_is_a_solution(example):
    b = example
    places = rolling(
        b, b.STILL, b.SPIN * (b.BOWL - b.RADIUS) * np.sin(b.STILL), -b.SPIN * np.cos(b.STILL), np.linspace(0, 1, 9)
    )
    assert np.ptp(places[:, 2]) < 1e-7
