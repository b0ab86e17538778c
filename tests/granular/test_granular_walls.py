"""Walls of grains: distances against dense samples, reactions, seams between faces, walls that move."""

import numpy as np
import pytest

from holonom import ModelError
from holonom.granular import Granular, Law
from holonom.granular.walls import nearest

LAW = Law("LINEAR", stiffness=1e5, restitution=0.3)
SMOOTH = Law("LINEAR", stiffness=1e5, restitution=1.0)


def samples(kind, rng, n=150_000):
    """Points of a surface, and a function that builds it on a wall."""
    a, b = rng.random(n), rng.random(n)
    turn = 2 * np.pi * b
    if kind == "cone":
        t = a
        r = 0.3 + t * 0.5
        return np.stack([r * np.cos(turn), r * np.sin(turn), t * 0.8], axis=1), lambda w: w.cone(
            (0, 0, 0), (0, 0, 0.8), 0.3, 0.8
        )
    if kind == "cylinder":
        points = np.stack([1.5 * a - 0.5, 0.4 * np.cos(turn) + 0.1, 0.4 * np.sin(turn)], axis=1)
        return points, lambda w: w.cylinder((-0.5, 0.1, 0), (1.0, 0.1, 0), 0.4)
    if kind == "disc":
        r = 0.2 + a * 0.4
        return np.stack([r * np.cos(turn), r * np.sin(turn), 0.1 + 0 * r], axis=1), lambda w: w.disc(
            (0, 0, 0.1), (0, 0, 1), 0.6, hole=0.2
        )
    if kind == "triangle":
        c = rng.normal(0, 0.6, (3, 3))
        s = np.sqrt(a)
        points = (1 - s)[:, None] * c[0] + (s * (1 - b))[:, None] * c[1] + (s * b)[:, None] * c[2]
        return points, lambda w: w.triangles(c, [(0, 1, 2)])
    side = rng.integers(0, 6, n)
    points = rng.uniform((-0.5, -0.3, -0.2), (0.5, 0.3, 0.4), (n, 3))
    low, high = np.array((-0.5, -0.3, -0.2)), np.array((0.5, 0.3, 0.4))
    points[np.arange(n), side % 3] = np.where(side < 3, low[side % 3], high[side % 3])
    return points, lambda w: w.block(low, high)


@pytest.mark.parametrize("kind", ["cone", "cylinder", "disc", "triangle", "block"])
def test_nearest_point_against_dense_samples(kind):
    rng = np.random.default_rng(7)
    points, build = samples(kind, rng)
    g = Granular(LAW, step=1e-3)
    build(g.wall())
    g.contacts()
    for x in rng.uniform(-1.2, 1.2, (40, 3)):
        d, *n, feature = nearest(g._prim, 0, *x)
        to = points - x
        far = np.sqrt((to**2).sum(axis=1).min())
        if kind == "block" and (np.abs(x - (0, 0, 0.1)) < (0.5, 0.3, 0.3)).all():
            assert d < 0
            far = -far
        assert d == pytest.approx(far, abs=5e-3)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
        foot = x - d * np.array(n)
        assert np.sqrt(((points - foot) ** 2).sum(axis=1).min()) < 0.02
        assert (nearest(g._prim, 0, *(foot + 1e-7 * np.array(n)))[0]) == pytest.approx(1e-7, abs=1e-12)


def mesh(n=6, size=1.0):
    """A flat square of 2 n^2 triangles."""
    x = np.linspace(-size, size, n + 1)
    v = np.array([(a, b, 0.0) for a in x for b in x])
    k = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    q = [(k[i, j], k[i + 1, j], k[i + 1, j + 1], k[i, j + 1]) for i in range(n) for j in range(n)]
    return v, [t for a, b, c, d in q for t in ((a, b, c), (a, c, d))]


@pytest.mark.parametrize("tilted", [False, True])
def test_seams_of_a_flat_mesh_are_not_felt(tilted):
    """A spinning ball crosses edges and corners of triangles just as on a plane."""
    law = Law("LINEAR", stiffness=1e5, restitution=0.3, mu_static=0.4)
    R = np.array([[0.6, 0, 0.8], [0, 1, 0], [-0.8, 0, 0.6]]) if tilted else np.eye(3)

    def run(shape):
        g = Granular(law, step=1e-4, gravity=R @ (0, 0, -9.81))
        w = g.wall(rotation=R, position=(0.1, 0, 0) if tilted else None)
        shape(w)
        at = np.array(
            [(-0.8, -0.8, 0.051), (-0.7, 0.0, 0.06), (0.9, -0.9, 0.07)]
        )  # the last two along a row of corners, and a diagonal
        v = np.array([(2.0, 1.3, 0), (2.0, 0, 0), (-1.5, 1.5, 0)])
        g.add(at @ R.T + w.position, 0.05, mass=0.5, vel=v @ R.T, omega=(3, 0, 0))
        g.advance(7000)
        return g, (g.pos - w.position) @ R

    a, pa = run(lambda w: w.triangles(*mesh()))
    b, pb = run(lambda w: w.plane((0, 0, 0), (0, 0, 1)))
    assert np.abs(pa - pb).max() < 1e-9
    assert abs(pa[0, 0] + 0.8) > 0.8  # rolled across three squares


def test_ridge_is_felt_once():
    """A ball on the convex seam of a roof, and on the seam of a cone and a tube, is carried once, not once by each
    face."""
    g = Granular(LAW, step=1e-4)
    v = [(-1, -1, -1), (-1, 1, -1), (0, -1, 0), (0, 1, 0), (1, -1, -1), (1, 1, -1)]
    g.wall().triangles(v, [(0, 2, 3), (0, 3, 1), (2, 4, 5), (2, 5, 3)])
    g.wall().cone((5, 0, 0), (5, 0, 1), 0.2, 1.2).cylinder((5, 0, 0), (5, 0, -1), 0.2)
    g.add(
        [(0, 0.3, 0.099), (0, 0, 0.099), (5, 0.2 - 0.099 * np.sin(0.3), 0.099 * np.cos(0.3) * 0 + 0.01)], 0.1, mass=1.0
    )
    c = g.contacts()
    assert c.depth[c.a < 2] == pytest.approx([0.001, 0.001], abs=1e-12)
    assert c.normal[c.a < 2] == pytest.approx(np.array([(0, 0, 1)] * 2), abs=1e-12)
    assert (c.a == 2).sum() == 1


def test_valley_is_felt_on_both_sides():
    g = Granular(LAW, step=1e-4)
    v = [(-1, -1, 1), (-1, 1, 1), (0, -1, 0), (0, 1, 0), (1, -1, 1), (1, 1, 1)]
    g.wall().triangles(v, [(0, 2, 3), (0, 3, 1), (2, 4, 5), (2, 5, 3)])
    g.add((0, 0.3, 0.1 * np.sqrt(2) - 1e-3), 0.1, mass=1.0)
    c = g.contacts()
    assert len(c.a) == 2 and np.abs(c.force.sum(axis=0)[:2]).max() < 1e-9


def test_walls_carry_the_weight_of_a_heap():
    """Forces on the walls sum to the weight at rest, and the impulse is their integral."""
    law = Law("LINEAR", stiffness=1e4, restitution=0.2, friction="SPRING", mu_static=0.5, tangential_damping=20.0)
    g = Granular(law, step=1e-4, gravity=(0, 0, -9.81))
    rng = np.random.default_rng(0)
    x = np.array([(i, j, k) for k in range(8) for i in (-1, 0, 1) for j in (-1, 0, 1)]) * 0.105 + (0, 0, 0.45)
    g.add(x + rng.uniform(-0.004, 0.004, x.shape), 0.05, mass=0.5)
    hopper = g.wall("funnel").cone((0, 0, 0), (0, 0, 0.3), 0.03, 0.33)
    tube = g.wall("tube").cylinder((0, 0, 0.3), (0, 0, 3), 0.33)
    plug = g.wall("plug").disc((0, 0, 0), (0, 0, 1), 0.1)
    walls = (hopper, tube, plug)
    g.advance(20000)
    for w in walls:
        w.reset()
    g.advance(2000)
    weight = g.mass.sum() * 9.81
    assert (g.pos[:, 2] > 0).all()
    assert sum(w.impulse for w in walls)[2] / 0.2 == pytest.approx(-weight, rel=1e-3)
    assert np.abs(sum(w.impulse for w in walls)[:2] / 0.2).max() < 2e-3 * weight
    c = g.contacts()
    for k, w in enumerate(walls):
        assert c.force[c.wall == k].sum(axis=0) == pytest.approx(-w.force, abs=2e-2 * weight)
    assert hopper.moment == pytest.approx(
        np.cross(c.point[c.wall == 0], -c.force[c.wall == 0]).sum(axis=0), abs=2e-2 * weight
    )


def test_ball_swings_in_a_bowl_and_in_a_trough():
    """Small swings without friction: period 2 pi sqrt((R - r) / g)."""
    for shape in (lambda w: w.sphere((0, 0, 0), 1.0, hollow=True), lambda w: w.cylinder((0, -2, 0), (0, 2, 0), 1.0)):
        g = Granular(Law("LINEAR", stiffness=1e6, restitution=0.2), step=5e-5, gravity=(0, 0, -9.81), method="VERLET")
        shape(g.wall())
        arm = 0.9 + 9.81e-6
        g.add((arm * np.sin(0.02), 0, -arm * np.cos(0.02)), 0.1, mass=1.0)
        g.advance(round(np.pi * np.sqrt(arm / 9.81) / g.step))
        assert g.pos[0, 0] == pytest.approx(-arm * np.sin(0.02), rel=1e-3)
        g.advance(round(0.5 * np.pi * np.sqrt(arm / 9.81) / g.step))
        assert abs(g.pos[0, 0]) < 1e-3 * 0.02


def test_belt_drags_a_ball_until_it_rolls_with_it():
    law = Law("LINEAR", stiffness=1e5, restitution=0.2, mu_static=0.3)
    g = Granular(law, step=5e-5, gravity=(0, 0, -9.81))
    g.wall("belt", surface_velocity=(1.0, 0, 5.0)).plane((0, 0, 0), (0, 0, 1))
    m, r = 0.5, 0.05
    g.add((0, 0, r - m * 9.81 / 1e5), r, mass=m)
    g.advance(20000)
    # it slides until v - w r = 1: v = 2/7 of the belt's speed
    assert g.vel[0, 0] == pytest.approx(2 / 7, rel=2e-3)
    assert g.vel[0, 0] - g.omega[0, 1] * r == pytest.approx(1.0, rel=2e-3)


def test_a_wall_that_turns_and_one_that_is_led_agree():
    law = Law("LINEAR", stiffness=1e5, restitution=0.4, mu_static=0.4)

    def drum(lead):
        g = Granular(law, step=1e-4, gravity=(0, 0, -9.81))
        w = g.wall("drum", angular_velocity=(0, 2.0, 0), velocity=(0.1, 0, 0)).cylinder((0, -0.2, 0), (0, 0.2, 0), 0.4)
        w.block((-0.4, -0.2, -0.02), (-0.25, 0.2, 0.02)).block((0.25, -0.2, -0.02), (0.4, 0.2, 0.02))
        w.plane((0, -0.2, 0), (0, 1, 0)).plane((0, 0.2, 0), (0, -1, 0))
        x = np.array([(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]) * 0.1
        g.add(x, 0.045, mass=0.4)

        def motion(t):
            c, s = np.cos(2 * t), np.sin(2 * t)
            w.rotation = [[c, 0, s], [0, 1, 0], [-s, 0, c]]
            w.position = (0.1 * t, 0, 0)

        g.advance(1500, motion if lead else None)
        assert w.position == pytest.approx((0.015 if lead else 0.015, 0, 0), abs=2e-5)
        return g

    a, b = drum(False), drum(True)
    assert (np.linalg.norm((a.pos - (0.015, 0, 0))[:, [0, 2]], axis=1) < 0.4).all()
    assert np.abs(a.pos - b.pos).max() < 1e-3 and np.linalg.norm(a.vel, axis=1).max() > 0.5


def test_bad_walls_are_told():
    g = Granular(LAW, step=1e-3)
    w = g.wall("bin")
    for text, make in (
        ("wall bin: the low corner of a box", lambda: w.box((0, 0, 0), (1, -1, 1))),
        ("wall bin: a box has no side lid", lambda: w.box((0, 0, 0), (1, 1, 1), open="lid")),
        ("wall bin: plane: the direction has no length", lambda: w.plane((0, 0, 0), (0, 0, 0))),
        ("wall bin: a cone needs two points", lambda: w.cone((0, 0, 0), (0, 0, 0), 1, 2)),
        ("wall bin: a disc needs a radius", lambda: w.disc((0, 0, 0), (0, 0, 1), 1.0, hole=1.0)),
        (
            "wall bin: triangle 1 has no area",
            lambda: w.triangles([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2), (0, 1, 1)]),
        ),
        ("wall bin: a rotation is", lambda: setattr(w, "rotation", -np.eye(3))),
        ("wall bin: velocity: three finite numbers", lambda: setattr(w, "velocity", (0, np.inf, 0))),
    ):
        with pytest.raises(ModelError, match=text):
            make()
