"""The slider-crank with a rigid clearance against an integration by events, and against the stored run of another
program.

The mechanism while its slider is level, with q = (crank, rod) and k = (m2/2 + m3) l1 l2 (Flores, Leine & Glocker 2010):

    M(q) q'' + k sin(q1 - q2) (q2'^2, -q1'^2) + gravity = 0.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import holonom as hn

ROOT = Path(__file__).resolve().parents[2]
G, EARLY = 9.81, 5e-3
# Siconos, SliderCrankMoreauJeanDirectProjectionOSI.ref (step 1e-4): step, speed of crank and rod, height of the slider
# [mm]
STORED = {1: (149.8625554664632, -74.91915268166765, 1.210507827131661e-04),
    2: (149.4699012078475, -74.68047743041465, 6.900604734355262e-04),
          10: (139.232668072484, -68.3446758711218, 7.710073417019694e-02),
          20: (120.8242092110994, -56.68029347554309, 4.871e-01),
          30: (104.8952174810094, -50.44806020739224, 9.671e-01),
          40: (93.91152706142735, -42.90713574218348, 7.758e-01),
          50: (86.09628193249688, -37.14645538142516, 7.864e-01)}  # fmt: skip
STORED_BAND = 65.5205838, 159.812373  # slowest and fastest crank within 0.2 s


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("rigid_slider_crank", ROOT / "examples" / "rigid_slider_crank.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(e, end=EARLY, steps=50, step=1e-4):
    r = hn.simulate(e.build(), end, steps, contact="time-stepping", step=step, progress=False)
    return np.array([r.part(p).angular_velocity.values[:, 2] for p in ("crank", "rod", "slider")]), r.part(
        "slider"
    ).position.values[:, 1]


class Planar:
    """The mechanism by itself, with its slider level."""

    def __init__(self, e):
        (m1, m2, m3), (j1, j2, _) = e.MASSES, e.INERTIAS
        self.l = np.array([e.CRANK, e.ROD])
        self.k = (0.5 * m2 + m3) * e.CRANK * e.ROD
        self.diagonal = np.diag([j1 + (0.25 * m1 + m2 + m3) * e.CRANK**2, j2 + (0.25 * m2 + m3) * e.ROD**2])
        self.weight = G * self.l * [0.5 * m1 + m2 + m3, 0.5 * m2 + m3]
        self.e, self.mu, self.start = e.RESTITUTION, e.MU, np.array([0, 0, e.SPEED, -e.SPEED * e.CRANK / e.ROD])
        self.clearance = e.CLEARANCE

    def mass(self, q):
        return self.diagonal + self.k * np.cos(q[0] - q[1]) * (1 - np.eye(2))

    def force(self, q, v):
        s = self.k * np.sin(q[0] - q[1])
        return -np.array([s * v[1] ** 2, -s * v[0] ** 2]) - self.weight * np.cos(q)

    def slopes(self, q, v, eps=1e-7):
        """Minus the derivatives of the force with respect to q and v."""
        d = eps * np.eye(2)
        by = lambda f: -np.array([(f(x) - f(-x)) / (2 * eps) for x in d]).T
        return by(lambda x: self.force(q + x, v)), by(lambda x: self.force(q, v + x))

    def rates(self, t, y):
        return np.append(y[2:], np.linalg.solve(self.mass(y[:2]), self.force(y[:2], y[2:])))

    def impact(self, y):
        """Both upper corners at once; the slider slips: v+ = v + M^-1 (h_n - mu s h_t) r with h_n v+ = -e h_n v."""
        q, v = y[:2], y[2:]
        normal, along = self.l * np.cos(q), -self.l * np.sin(q)
        push = np.linalg.solve(self.mass(q), -normal - self.mu * np.sign(along @ v) * along)
        r = -(1 + self.e) * (normal @ v) / (normal @ push)
        after = v + r * push
        assert r > 0 and np.sign(along @ after) == np.sign(along @ v)
        return np.append(q, after)

    def until(self, end):
        """State at ``end`` and times of impacts; 1e-11."""
        touch = lambda t, y: self.clearance - self.l @ np.sin(y[:2])
        touch.terminal, touch.direction = True, -1
        t, y, times = 0.0, self.start, []
        while t < end:
            s = solve_ivp(self.rates, (t, end), y, "DOP853", rtol=1e-12, atol=1e-13, events=touch)
            t, y = s.t[-1], s.y[:, -1]
            if s.status == 1:
                times.append(t)
                y = self.impact(y)
        return y, times


def test_the_first_impact_is_that_of_an_integration_by_events(example):
    exact, times = Planar(example).until(EARLY)
    assert len(times) == 1 and abs(times[0] - 2.69e-3) < 1e-5
    errors = []
    for h in (1e-4, 2.5e-5, 6.25e-6):
        speeds, height = run(example, step=h)
        errors.append(np.abs(speeds[:2, -1] - exact[2:]).max())
        assert np.abs(speeds[2]).max() < 1e-5  # both corners together: the slider stays level
        assert height.max() - example.CLEARANCE < 1.6 * h * 0.8  # 0.8 m/s of approach
    assert errors[0] < 0.15 and errors[2] < errors[0] / 6  # of 86 and 37 rad/s: order 1 across the impact


def test_free_motion_has_order_two(example):
    exact, _ = Planar(example).until(2e-3)
    errors = [np.abs(run(example, 2e-3, 20, h)[0][:2, -1] - exact[2:]).max() for h in (1e-4, 5e-5, 2.5e-5)]
    assert errors[2] < 1e-3
    assert all(3.8 < a / b < 4.2 for a, b in zip(errors, errors[1:]))


def test_stored_run(example):
    """The stored run is behind the exact motion by what one Newton iteration a step leaves; impacts fall one step
    later."""
    speeds, height = run(example)
    for k, (crank, rod, y) in STORED.items():
        assert speeds[0, k] == pytest.approx(crank, rel=7e-3)
        assert speeds[1, k] == pytest.approx(rod, rel=1.2e-2)
        assert 1e3 * height[k] == pytest.approx(y, abs=0.1)


def test_why_the_stored_run_differs(example):
    """Theta method (1/2) with mass matrix and forces of the extrapolated state and one Newton iteration: the stored run
    to nine digits."""
    p, h = Planar(example), 1e-4
    q, v = p.start[:2], p.start[2:]
    for k in range(1, 21):
        guess = q + h * v
        K, C = p.slopes(guess, v)
        W = p.mass(guess) + 0.5 * h * C + 0.25 * h * h * K
        new = v + np.linalg.solve(W, 0.5 * h * (p.force(guess, v) + p.force(q, v)))
        q, v = q + 0.5 * h * (v + new), new
        if k in STORED:
            np.testing.assert_allclose(v, STORED[k][:2], rtol=1e-9)
    exact, _ = Planar(example).until(2e-3)
    assert np.abs(v - exact[2:]).max() > 30 * np.abs(run(example, 2e-3, 20)[0][:2, -1] - exact[2:]).max()


def test_later_the_crank_stays_in_its_band(example):
    speeds, height = run(example, 0.2, 2000)
    low, high = STORED_BAND
    assert 0.8 * low < speeds[0].min() and speeds[0].max() < high
    assert np.abs(height).max() < example.CLEARANCE + 1e-4
