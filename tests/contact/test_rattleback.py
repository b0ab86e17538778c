"""The rattleback against rolling without slip, integrated by SciPy: with d down in axes of the stone, r from its centre
of mass to the contact,

v = r x w,   v' = F - g up,   J w' + w x J w = r x F,   up' = up x w      (unit mass; after Kane & Levinson 1982).
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import holonom as hn

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("rattleback", ROOT / "examples" / "rattleback.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rolling(e, spin, times):
    """Angular velocity about the vertical at the times."""
    axes, (a, b, c, product) = np.array(e.AXES), e.INERTIA
    J = np.array([[a, product, 0], [product, b, 0], [0, 0, c]])
    skew = lambda x: np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])

    def rates(t, y):
        up, w = y[:3], y[3:]
        d, rate = -up, -np.cross(up, w)
        size = np.linalg.norm(axes * d)
        r = axes**2 * d / size + [0, 0, e.LOW]
        moves = axes**2 * rate / size - axes**2 * d * ((axes * d) @ (axes * rate)) / size**3
        push = np.cross(moves, w) + np.cross(w, np.cross(r, w)) + e.G * up
        return np.append(
            np.cross(up, w), np.linalg.solve(J - skew(r) @ skew(r), np.cross(r, push) - np.cross(w, J @ w))
        )

    up = np.array([0, np.sin(e.TILT), np.cos(e.TILT)])
    y = solve_ivp(rates, (0, times[-1]), np.append(up, spin * up), "DOP853", rtol=1e-11, atol=1e-12, t_eval=times).y
    return (y[:3] * y[3:]).sum(axis=0)


def spins(e, spin, step, end=2.0):
    return e.spin_of(hn.simulate(e.build(spin), end, 4, contact="time-stepping", step=step, progress=False))


def test_spin_follows_the_equations_of_rolling(example):
    exact = rolling(example, -example.SPIN, np.linspace(0, 2, 5))
    assert exact[0] == pytest.approx(-example.SPIN) and exact[-1] > exact[2]  # it has begun to lose its spin
    errors = [np.abs(spins(example, -example.SPIN, h) - exact).max() for h in (1e-3, 5e-4, 2.5e-4)]
    assert errors[2] < 1e-3
    assert errors[0] > 3.0 * errors[1] > 9.0 * errors[2]  # of order two


def test_the_other_sense_is_stable(example):
    exact = rolling(example, example.SPIN, np.linspace(0, 2, 5))
    assert np.abs(spins(example, example.SPIN, 2.5e-4) - exact).max() < 0.02


def test_the_contact_sticks(example):
    run = hn.simulate(example.build(), 1.0, 100, contact="time-stepping", step=5e-4, progress=False)
    contact = run.contact("foot")
    assert (contact.friction.values[1:] < 0.5 * contact.normal.values[1:]).all()
    stone = run.part("stone")
    slip = stone.velocity.values + np.cross(stone.angular_velocity.values, contact.point.values - stone.position.values)
    assert np.abs(slip[1:]).max() < 5e-4 * 5 * example.SPIN * 0.2  # what a rolling surface moves in a step
