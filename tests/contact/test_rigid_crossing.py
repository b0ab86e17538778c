"""Continuous detection of time-stepping: what is thinner than a step is long is met, and nothing passes through it."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from fuzz._solids import box_mesh

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
    return m.mesh(body, box_mesh((half, 0.5, 0.5)))


TARGETS = {
    "plate": lambda m: m.box(m.ground, (0, 0, 0), (1e-4, 1, 1)),
    "wall": lambda m: m.box(m.ground, (0.5, 0, 0), (1, 1, 1)),
    "disc": lambda m: m.cylinder(m.ground, (-5e-5, 0, 0), (5e-5, 0, 0), 0.5),
    "sheet of triangles": lambda m: sheet(m, m.ground, 5e-5),
    "plate that is free": lambda m: m.box(m.part("plate", 10.0, (1.0,) * 3), (0, 0, 0), (1e-4, 1, 1)),
}


def run(m, end, step=STEP, **more):
    return hn.simulate(m, end, round(end / step), contact="time-stepping", step=step, progress=False, **more)


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
    m.contact(
        [ball(m, "a", (-0.47, 0, 0), (300.0, 0, 0)), ball(m, "b", (0.43, 0, 0), (-300.0, 0, 0), mass=2e-4)],
        restitution=e,
        mu=0.2,
    )
    r = run(m, 5e-3)
    a, b = r.part("a"), r.part("b")
    assert (b.position.values - a.position.values)[-1, 0] > 0.999e-3
    momentum = 1e-4 * a.velocity.values + 2e-4 * b.velocity.values + 3e-4 * np.array([0, 0, 9.81]) * r.time[:, None]
    assert np.abs(momentum - momentum[0]).max() < 1e-12


def test_thin_rods_do_not_pass_through_each_other():
    m = scene()
    a = m.part("a", 0.1, (1e-3, 1e-3, 1e-6), (-0.333, 0, 0), velocity=(100.0, 0, 0))
    b = m.part(
        "b",
        0.1,
        (1e-3, 1e-3, 1e-6),
        (0.111, 0, 0.05),
        axes=np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
        velocity=(-100.0, 0, 0),
    )
    m.contact(
        m.capsule(a, (-0.333, 0, -0.3), (-0.333, 0, 0.3), 1e-3),
        m.capsule(b, (0.111, -0.3, 0.05), (0.111, 0.3, 0.05), 1e-3),
    )
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
    m.contact(
        m.box(blade, (0, 0, 0), (1.0, 0.004, 0.05)),
        ball(m, "ball", (0.3, 0.2, 0), (0, 0, 0), 0.01, 0.01),
        restitution=0.6,
        mu=0.2,
    )
    r = run(m, 0.02)
    assert np.linalg.norm(r.part("ball").velocity.values[-1]) > 50.0
    assert r.energy.kinetic.values[-1] < 450.0


def test_what_passes_where_nothing_looks_is_told_with_the_step_that_is_safe():
    m = scene()
    m.contact(ball(m, "bullet", (-0.47, 0, 0), (300.0, 0, 0)), TARGETS["plate"](m), restitution=0.5)
    m.rigid.continuous = False
    r = run(m, 5e-3, referee=False)
    assert r.part("bullet").position.values[-1, 0] > 0.0
    assert sum("a STEP of 8.3e-08 is safe" in text for text in r.info["messages"]) == 1


def test_a_slow_scene_is_not_looked_at():
    m = scene()
    m.contact(
        ball(m, "ball", (0, 0, 0.3), (1.0, 0, 0), 0.1, 1.0), m.box(m.ground, (0, 0, -0.5), (9, 9, 1)), restitution=0.5
    )
    r = run(m, 0.5)
    assert r.counters["steps cut to meet something"] == 0 and r.counters["steps"] == 500


def test_outputs_keep_their_times():
    """A step that is cut is followed by others that end where it would have ended."""
    m = scene()
    m.contact(ball(m, "bullet", (-0.47, 0, 0), (300.0, 0, 0)), TARGETS["plate"](m), restitution=0.5)
    r = run(m, 5e-3)
    x, t = r.part("bullet").position.values[:, 0], r.time
    assert x[-1] == pytest.approx(-5e-4 - 150.0 * (t[-1] - 0.4694 / 300.0), abs=1e-3)


def thin_box(m, name, size, at, axes, **motion):
    """A free plate as a closed mesh."""
    corners, faces = box_mesh(0.5 * np.asarray(size))
    J = [(size[i] ** 2 + size[j] ** 2) / 12.0 for i, j in ((1, 2), (2, 0), (0, 1))]
    body = m.part(name, 1.0, J, at, axes=axes, **motion)
    return m.mesh(body, (corners @ np.asarray(axes).T, faces), at=at)


@pytest.mark.parametrize("speed", [3.0, 30.0])
def test_plates_as_meshes_meet_face_to_face(speed):
    """Plates of 1 mm that move 3 and 30 mm in a step: momentum is exchanged, (1 + e) v / 2 and a little turning."""
    m = hn.Model("plates")
    m.gravity = (0, 0, 0)
    size, eye = (0.4, 0.4, 1e-3), np.eye(3)
    a = thin_box(m, "a", size, (0.01, 0.02, -0.3), eye, velocity=(0, 0, speed))
    m.contact(a, thin_box(m, "b", size, (0, 0, 0), eye), restitution=0.5)
    r = run(m, round(0.4 / speed, 3))
    v, w = (r.part(name).velocity.values[-1, 2] for name in "ab")
    assert v + w == pytest.approx(speed, rel=1e-9) and 0.7 * speed < w < 0.76 * speed
    assert r.part("a").position.values[-1, 2] < r.part("b").position.values[-1, 2] - 1e-3


def passages(r, size):
    """How often points of the middle plane of one plate come through that of the other one between two rows."""
    from scipy.spatial.transform import Rotation

    g = [np.linspace(-0.5 * s + size[2], 0.5 * s - size[2], 41) for s in size[:2]]
    points = np.stack(np.meshgrid(*g, indexing="ij"), -1).reshape(-1, 2)
    points = np.c_[points, np.zeros(len(points))]
    places = [r.part(name).position.values for name in "ab"]
    turns = [Rotation.from_quat(np.roll(r.data.body_quaternion[:, k], -1, axis=1)) for k in range(2)]
    found = 0
    for i, j in ((0, 1), (1, 0)):
        before = None
        for k in range(len(r.time)):
            now = turns[j][k].inv().apply(turns[i][k].apply(points) + places[i][k] - places[j][k])
            if before is not None:
                through = before[:, 2] * now[:, 2] < 0.0
                share = before[through, 2] / (before[through, 2] - now[through, 2])
                at = before[through, :2] + share[:, None] * (now[through, :2] - before[through, :2])
                found += int((np.abs(at) < 0.5 * np.array(size[:2]) - size[2]).all(axis=1).sum())
            before = now
    return found


def tumbling(seed, continuous=True):
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(seed)
    speed, size = (3.0, 10.0, 30.0)[seed % 3], (0.4, 0.4, 1e-3)
    m = hn.Model("plates")
    m.gravity = (0, 0, 0)
    m.rigid.continuous = continuous
    turned = Rotation.random(random_state=seed).as_matrix()
    a = thin_box(
        m,
        "a",
        size,
        (*rng.uniform(-0.15, 0.15, 2), -0.35),
        turned,
        velocity=(0, 0, speed),
        angular_velocity=rng.uniform(-5, 5, 3),
    )
    b = thin_box(m, "b", size, (0, 0, 0), np.eye(3), angular_velocity=rng.uniform(-5, 5, 3))
    m.contact(a, b, restitution=0.5)
    return hn.simulate(m, 0.8 / speed, 1000, contact="time-stepping", step=STEP, progress=False, referee=False), size


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 30), marks=pytest.mark.slow)])
def test_plates_that_tumble_do_not_pass_through_each_other(seeds):
    for seed in seeds:
        assert passages(*tumbling(seed)) == 0, seed


def test_passages_are_seen_by_this_test():
    assert sum(passages(*tumbling(seed, continuous=False)) > 0 for seed in range(3)) >= 2
