"""Time-stepping: order two in smooth motion; momentum and energy in each impact."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import null_space

import holonom as hn
from holonom.analyses.assemble import constraint_matrix
from holonom.elements.bodies import layout
from holonom.integrators.moreau_jean import MoreauJean

ROOT = Path(__file__).resolve().parents[2]
G = 9.81


def test_order_two_in_smooth_motion():
    """A spinning body of three unequal moments, thrown: Euler's equations by SciPy."""
    J, spin = np.array([1.0, 2.0, 2.5]), np.array([3.0, 0.4, -2.0])
    exact = solve_ivp(lambda t, w: -np.cross(w, J * w) / J, (0, 2), spin, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        m = hn.Model("thrown")
        m.gravity = (0, 0, -G)
        body = m.part("body", 1.0, tuple(J), (0, 0, 100), velocity=(1, 2, 3), angular_velocity=tuple(spin))
        m.contact(m.sphere(body, (0, 0, 100), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)))
        part = hn.simulate(m, 2.0, 10, contact="time-stepping", step=h, progress=False).part("body")
        own = part.axes.values[-1].T @ part.angular_velocity.values[-1]
        errors.append(np.abs(own - exact).max())
        assert abs(part.position.values[-1, 2] - (100 + 6 - 2 * G)) < 1e-10
    assert errors[-1] < 1e-5
    assert all(3.7 < a / b < 4.3 for a, b in zip(errors, errors[1:]))


def example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def three_balls():
    """Balls that strike each other, a wall and the floor, with friction and unequal restitution."""
    m = hn.Model("balls")
    m.gravity = (0, 0, -G)
    floor, wall = m.plane(m.ground, (0, 0, 0), (0, 0, 1)), m.plane(m.ground, (0.5, 0, 0), (-1, 0, 0))
    shapes = []
    for k, (x, v) in enumerate(((-0.6, 3.0), (-0.1, 0.5), (0.2, -1.0))):
        mass = 1.0 + k
        ball = m.part(
            f"ball {k}", mass, (4e-3 * mass,) * 3, (x, 0.02 * k, 0.15), velocity=(v, 0, 0), angular_velocity=(1, -20, 3)
        )
        shapes.append(m.sphere(ball, (x, 0.02 * k, 0.15), 0.1))
    m.contact(shapes, floor, restitution=0.7, mu=0.3)
    m.contact(shapes, wall, restitution=0.5, mu=0.2)
    m.contact(shapes, None, restitution=0.9, mu=0.1)
    return m


SCENES = {
    "three balls": (three_balls, 1.0, 1e-3),
    "rattleback": (lambda: example("rattleback").build(), 0.5, 1e-3),
    "slider-crank": (lambda: example("rigid_slider_crank").build(), 0.03, 1e-4),
    "balls in a bowl that is driven": (lambda: example("ball_in_bowl").build(), 0.5, 2e-3),
}


@pytest.mark.parametrize("name", SCENES)
def test_momentum_and_energy_in_every_impact(name, monkeypatch):
    """M (u+ - u) = H^T r to 1e-12 along all motions that the joints allow, and what is not driven never gains kinetic
    energy."""
    build, end, step = SCENES[name]
    worst, gained, seen = [], [], []
    inner = MoreauJean._impulses

    def impulses(self, t, h, u, free):
        out = inner(self, t, h, u, free)
        P, n, bodies = self.problem, self.system.nb, self.system.bodies
        count = int(P.count[0])
        r = P.r[:count]
        if not count or not r[:, 0].any():
            return out
        before, behind = (layout.body_moves(v, n) for v in (self._from, free))
        mass = np.divide(1.0, bodies.Minv[:n], out=np.zeros((n, 6)), where=bodies.Minv[:n] > 0)
        jump = mass * (behind - before)
        given = np.zeros(6 * n + 6)
        for m in range(count):
            for side in range(2):
                at = 6 * P.body[m, side]
                given[at : at + 6] += r[m] @ P.H[m, :, 6 * side : 6 * side + 6]
        size = np.abs(given[: 6 * n]).max()
        rest = jump.ravel() - given[: 6 * n]
        if self.system.m:
            rest = null_space(constraint_matrix(self.system).toarray()).T @ rest
            size = max(size, np.abs(mass * before).max())  # light touches in a fast machine
        worst.append(np.abs(rest).max() / size)
        energy = [0.5 * (mass * v * v).sum() for v in (before, behind)]
        if "driven" not in name:
            gained.append((energy[1] - energy[0]) / energy[0])
        seen.append(t)
        return out

    monkeypatch.setattr(MoreauJean, "_impulses", impulses)
    hn.simulate(build(), end, 10, contact="time-stepping", step=step, progress=False)
    assert len(seen) > 20
    assert max(worst) < 1e-12
    assert max(gained, default=0.0) < 1e-12


def test_order_one_across_impacts():
    """Balls of sixteen heights bounce four or five times with e = 0.8; median error of height and speed, away from the
    last impact."""
    heights, e, end = 0.5 + 0.02 * np.arange(16), 0.8, 2.0
    z, v = np.array([bounces(height, e, end) for height in heights]).T
    errors = []
    for h in (4e-3, 2e-3, 1e-3, 5e-4):
        m = hn.Model("bounces")
        m.gravity = (0, 0, -G)
        floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
        for k, height in enumerate(heights):
            ball = m.part(f"ball {k}", 1.0, (4e-3,) * 3, (k, 0, 0.1 + height))
            m.contact(m.sphere(ball, (k, 0, 0.1 + height), 0.1), floor, restitution=e)
        run = hn.simulate(m, end, 10, contact="time-stepping", step=h, progress=False)
        state = np.array(
            [
                [run.part(f"ball {k}").position.values[-1, 2] - 0.1, run.part(f"ball {k}").velocity.values[-1, 2]]
                for k in range(16)
            ]
        )
        errors.append(np.median(np.abs(state[:, 0] - z)) + 0.1 * np.median(np.abs(state[:, 1] - v)))
    slope = np.polyfit(np.log((4e-3, 2e-3, 1e-3, 5e-4)), np.log(errors), 1)[0]
    assert 0.8 < slope < 1.3
    assert errors[-1] < 5e-3


def bounces(height, e, end):
    """Height and speed at `end` of a point dropped from a height, by hand."""
    t, v = np.sqrt(2 * height / G), e * np.sqrt(2 * G * height)
    while t + 2 * v / G < end:
        t, v = t + 2 * v / G, e * v
    return v * (end - t) - 0.5 * G * (end - t) ** 2, v - G * (end - t)
