"""Continuous detection of time-stepping: what is thinner than a step is long is met, and nothing passes through it."""

import numpy as np
import pytest

import holonom as hn
from change_detectors import detect

STEP = 1e-3


def scene():
    m = hn.Model("crossing")
    m.gravity = (0, 0, -9.81)
    return m


def ball(m, name, at, v, r=5e-4, mass=1e-4):
    body = m.part(name, mass, (0.4 * mass * r * r,) * 3, at, velocity=v)
    return m.sphere(body, at, r)


def sheet(m, body, half):
    """A closed mesh, thin along x."""
    corners = np.array([(x, y, z) for x in (-half, half) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = [
        (0, 1, 3),
        (0, 3, 2),
        (4, 6, 7),
        (4, 7, 5),
        (0, 4, 5),
        (0, 5, 1),
        (2, 3, 7),
        (2, 7, 6),
        (0, 2, 6),
        (0, 6, 4),
        (1, 5, 7),
        (1, 7, 3),
    ]
    return m.mesh(body, (corners, np.array(faces)))


TARGETS = {
    "plate": lambda m: m.box(m.ground, (0, 0, 0), (1e-4, 1, 1)),
    "wall": lambda m: m.box(m.ground, (0.5, 0, 0), (1, 1, 1)),
    "disc": lambda m: m.cylinder(m.ground, (-5e-5, 0, 0), (5e-5, 0, 0), 0.5),
    "sheet of triangles": lambda m: sheet(m, m.ground, 5e-5),
    "plate that is free": lambda m: m.box(m.part("plate", 10.0, (1.0,) * 3), (0, 0, 0), (1e-4, 1, 1)),
}


def run(m, end, step=STEP):
    return hn.simulate(m, end, round(end / step), contact="time-stepping", step=step, progress=False)


@pytest.mark.parametrize("e", [0.0, 0.5])
@pytest.mark.parametrize("name", TARGETS)
def test_a_bullet_does_not_pass(name, e):
    """300 m/s, 0.3 m in a step, against 0.1 mm."""
    m = scene()
    m.contact(ball(m, "bullet", (-0.47, 0.01, 0.02), (300.0, 0, 0)), TARGETS[name](m), restitution=e, mu=0.2)
    r = run(m, 8e-3)
    x, v = r.part("bullet").position.values[:, 0], r.part("bullet").velocity.values[:, 0]
    assert x.max() < 0.0
    assert v[-1] == pytest.approx(-300.0 * e, rel=1e-3, abs=0.01)
    energy = (r.energy.kinetic + r.energy.gravity).values
    assert np.diff(energy).max() < 1e-9 * energy[0]
    detect("bullet at a target: steps", r.counters["steps"])


@pytest.mark.parametrize("e", [0.0, 0.7])
def test_small_balls_do_not_pass_through_each_other(e):
    m = scene()
    m.contact([ball(m, "a", (-0.47, 0, 0), (300.0, 0, 0)), ball(m, "b", (0.43, 0, 0), (-300.0, 0, 0), mass=2e-4)], restitution=e, mu=0.2)
    r = run(m, 5e-3)
    a, b = r.part("a"), r.part("b")
    assert (b.position.values - a.position.values)[-1, 0] > 0.999e-3
    momentum = 1e-4 * a.velocity.values + 2e-4 * b.velocity.values + 3e-4 * np.array([0, 0, 9.81]) * r.time[:, None]
    assert np.abs(momentum - momentum[0]).max() < 1e-12


def test_thin_rods_do_not_pass_through_each_other():
    m = scene()
    a = m.part("a", 0.1, (1e-3, 1e-3, 1e-6), (-0.333, 0, 0), velocity=(100.0, 0, 0))
    b = m.part("b", 0.1, (1e-3, 1e-3, 1e-6), (0.111, 0, 0.05), axes=np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]), velocity=(-100.0, 0, 0))
    m.contact(m.capsule(a, (-0.333, 0, -0.3), (-0.333, 0, 0.3), 1e-3), m.capsule(b, (0.111, -0.3, 0.05), (0.111, 0.3, 0.05), 1e-3))
    r = run(m, 0.004)
    a, b = r.part("a"), r.part("b")
    side = np.cross(a.axes.values[:, :, 2], b.axes.values[:, :, 2])  # both rods lie along their z axes
    apart = ((b.position.values - a.position.values) * side).sum(axis=1)
    assert apart[0] > 0.4 and apart.min() > 1.9e-3
    assert r.counters["steps cut to meet something"] > 0


def test_a_blade_takes_a_ball_along():
    """A blade of 1 m turns by 0.3 rad a step over a ball of 1 cm."""
    m = scene()
    m.gravity = (0, 0, 0)
    blade = m.part("blade", 1.0, (0.01,) * 3, angular_velocity=(0, 0, 300.0))
    m.revolute(m.ground, blade, at=(0, 0, 0), axis=(0, 0, 1))
    m.contact(m.box(blade, (0, 0, 0), (1.0, 0.004, 0.05)), ball(m, "ball", (0.3, 0.2, 0), (0, 0, 0), 0.01, 0.01), restitution=0.6, mu=0.2)
    r = run(m, 0.02)
    assert np.linalg.norm(r.part("ball").velocity.values[-1]) > 50.0
    assert r.energy.kinetic.values[-1] < 450.0


def test_what_passes_where_nothing_looks_is_told_with_the_step_that_is_safe():
    m = scene()
    m.contact(ball(m, "bullet", (-0.47, 0, 0), (300.0, 0, 0)), TARGETS["plate"](m), restitution=0.5)
    m.rigid.continuous = False
    r = run(m, 5e-3)
    assert r.part("bullet").position.values[-1, 0] > 0.0
    assert sum("a STEP of 8.3e-08 is safe" in text for text in r.info["messages"]) == 1


def test_a_slow_scene_is_not_looked_at():
    m = scene()
    m.contact(ball(m, "ball", (0, 0, 0.3), (1.0, 0, 0), 0.1, 1.0), m.box(m.ground, (0, 0, -0.5), (9, 9, 1)), restitution=0.5)
    r = run(m, 0.5)
    assert r.counters["steps cut to meet something"] == 0 and r.counters["steps"] == 500


def test_outputs_keep_their_times():
    """A step that is cut is followed by others that end where it would have ended."""
    m = scene()
    m.contact(ball(m, "bullet", (-0.47, 0, 0), (300.0, 0, 0)), TARGETS["plate"](m), restitution=0.5)
    r = run(m, 5e-3)
    x, t = r.part("bullet").position.values[:, 0], r.time
    assert x[-1] == pytest.approx(-5e-4 - 150.0 * (t[-1] - 0.4694 / 300.0), abs=1e-3)
