"""Time-stepping: kinetic energy and potential of gravity never grow, in any step, by more than solver and rounding
leave."""

import numpy as np
import pytest

import holonom as hn

G = 9.81


def scene(gravity=(0, 0, -G)):
    m = hn.Model("energy")
    m.gravity = gravity
    return m, m.plane(m.ground, (0, 0, 0), (0, 0, 1))


def spheres(e=0.5):
    """Twelve balls that fall in a heap, with friction, rolling and spinning resistance."""
    m, floor = scene()
    rng, shapes = np.random.default_rng(3), []
    for k in range(12):
        at = np.array([0.11 * (k % 2), 0.11 * (k // 2 % 2), 0.1 + 0.12 * (k // 4)]) + rng.uniform(-1e-3, 1e-3, 3)
        shapes.append(m.sphere(m.part(f"ball {k}", 0.5, (5e-4,) * 3, at), at, 0.05))
    m.contact(shapes, floor, restitution=e, mu=0.4, rolling_resistance=1e-3, spinning_resistance=1e-3)
    m.contact(shapes, restitution=e, mu=0.4)
    return m


def boxes(e, mu):
    """Four boxes that tumble: unequal moments of inertia, impacts of corners and edges."""
    m, floor = scene()
    rng, shapes = np.random.default_rng(1), []
    for k in range(4):
        at = (0.45 * (k % 2), 0.4 * (k // 2), 0.3 + 0.1 * k)
        body = m.part(
            f"box {k}",
            1.0,
            np.array([0.05, 0.1, 0.13]) / 12,
            at,
            angular_velocity=rng.normal(size=3) * 8,
            velocity=rng.normal(size=3),
        )
        shapes.append(m.box(body, at, (0.3, 0.2, 0.1)))
    m.contact(shapes, floor, restitution=e, mu=mu)
    m.contact(shapes, restitution=e, mu=mu)
    return m


def rods():
    m, floor = scene()
    rng, shapes = np.random.default_rng(2), []
    for k in range(5):
        d = rng.normal(size=3)
        d /= np.linalg.norm(d)
        x = np.cross(d, (1, 0, 0)) / np.linalg.norm(np.cross(d, (1, 0, 0)))
        at = np.array([*(0.1 * rng.normal(size=2)), 0.3 + 0.15 * k])
        body = m.part(f"rod {k}", 0.5, (3.75e-3, 3.75e-3, 2.25e-4), at, axes=np.column_stack([x, np.cross(d, x), d]))
        shapes.append(m.capsule(body, at - 0.15 * d, at + 0.15 * d, 0.03))
    m.contact(shapes, floor, mu=0.3)
    m.contact(shapes, mu=0.3)
    return m


SCENES = {
    "spheres": (spheres, 0.5),
    "boxes": (lambda: boxes(0.3, 0.4), 0.5),
    "boxes that stay": (lambda: boxes(0.0, 0.4), 0.5),
    "elastic boxes": (lambda: boxes(1.0, 0.0), 0.5),
    "rods": (rods, 0.5),
}


@pytest.mark.parametrize("theta", [0.5, 1.0])
@pytest.mark.parametrize("name", SCENES)
def test_energy_never_grows(name, theta):
    build, end = SCENES[name]
    model = build()
    model.rigid.theta, model.rigid.solver = theta, "NSGS"
    run = hn.simulate(model, end, round(end / 1e-3), contact="time-stepping", step=1e-3, progress=False)
    total = (run.energy.kinetic + run.energy.gravity).values
    scale = run.energy.kinetic.values.max()
    assert np.diff(total).max() < 1e-9 * scale
    assert total[0] - total[-1] > 1e-4 * scale or name == "elastic boxes"  # something was lost, so something was met


def test_a_body_that_tumbles_freely_keeps_its_energy():
    m, floor = scene((0, 0, 0))
    body = m.part("body", 1.0, (1.0, 2.0, 2.5), (0, 0, 9), angular_velocity=(3.0, 0.4, -2.0))
    m.contact(m.sphere(body, (0, 0, 9), 0.1), floor)
    kinetic = hn.simulate(m, 2.0, 20, contact="time-stepping", step=4e-3, progress=False).energy.kinetic.values
    assert np.ptp(kinetic) < 1e-13 * kinetic[0]


@pytest.mark.parametrize("e", [0.0, 0.5, 0.9])
def test_an_impact_leaves_no_overlap_to_open(e):
    """theta = 1/(1 + e) in the step of an impact: a ball that bounces stays where it met the floor, one that does not
    lands on it."""
    m, floor = scene()
    ball = m.part("ball", 1.0, (4e-3,) * 3, (0, 0, 0.6), velocity=(0, 0, -3))
    m.contact(m.sphere(ball, (0, 0, 0.6), 0.1), floor, restitution=e)
    r = hn.simulate(m, 0.2, 200, contact="time-stepping", step=1e-3, progress=False)
    z, v = r.part("ball").position.values[:, 2] - 0.1, r.part("ball").velocity.values[:, 2]
    k = int(np.argmax(np.diff(v))) + 1
    assert v[k] - v[k - 1] > 1.0
    if e:
        assert v[k] == pytest.approx(-e * v[k - 1], rel=1e-12)
        assert abs(z[k] - z[k - 1]) < 1e-12
    else:
        assert z.min() > -1e-6 and abs(z[-1]) < 1e-6
