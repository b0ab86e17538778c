"""Paths that keep bodies apart: arms of capsules between balls, whose distances are closed forms, at 10,000 points a
line; thin obstacles; slides; what cannot be solved."""

import numpy as np
import pytest

import holonom as hn
from holonom import ModelError
from holonom.control import collision_free_path
from holonom.control.collision_free import Bodies
from holonom.recursive.kinematics import JointKinematics

L1, L2, THICK = 0.5, 0.4, 0.03
BALLS = (((0.55, 0.45), 0.12), ((-0.1, 0.62), 0.08), ((0.62, -0.3), 0.1))


def arm(balls=BALLS, limits=((-3.0, 3.0), (-2.6, 2.6)), slide=None):
    """Two links about y in the plane of x and z, drawn along x; the first on a slide along x where it has limits."""
    m = hn.Model("arm")
    base = m.ground
    if slide:
        base = m.part("cart", 1.0, (0.1, 0.1, 0.1), (0, 0, 0))
        m.translational(base, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0), lower=slide[0], upper=slide[1])
    x = 0.0
    for k, length in enumerate((L1, L2)):
        link = m.part(f"link{k}", 1.0, (0.1, 0.1, 0.1), (x + length / 2, 0, 0))
        low, high = limits[k]
        m.revolute(link, base, f"j{k}", at=(x, 0, 0), axis=(0, 1, 0), lower=low, upper=high)
        m.capsule(link, (x, 0, 0), (x + length, 0, 0), THICK)
        base, x = link, x + length
    for k, ((x, z), radius) in enumerate(balls):
        m.sphere(m.ground, (x, 0, z), radius, name=f"ball{k}")
    return m


def distances(q, balls=BALLS):
    """Smallest distance of the links from the balls at coordinates q (k, 2), or (k, 3) with a slide: closed forms."""
    q = np.atleast_2d(q)
    x0 = q[:, 0] if q.shape[1] == 3 else np.zeros(len(q))
    a, b = q[:, -2], q[:, -2] + q[:, -1]
    ends = [np.stack([x0, 0 * x0], -1)]
    for length, angle in ((L1, a), (L2, b)):
        ends.append(ends[-1] + length * np.stack([np.cos(angle), -np.sin(angle)], -1))
    out = np.full(len(q), np.inf)
    for n in (0, 1):
        p, way = ends[n], ends[n + 1] - ends[n]
        for centre, radius in balls:
            s = np.clip((((centre - p) * way).sum(-1)) / (way**2).sum(-1), 0.0, 1.0)
            out = np.minimum(out, np.linalg.norm(p + s[:, None] * way - centre, axis=-1) - radius - THICK)
    return out


def smallest(path, **options):
    s = np.linspace(0.0, 1.0, 10_000)[:, None]
    return min(distances(a + s * (b - a), **options).min() for a, b in zip(path[:-1], path[1:]))


START, GOAL = [2.4, 0.3], [0.0, 0.0]


def test_a_path_between_balls_keeps_its_clearance():
    found = collision_free_path(arm(), START, GOAL, clearance=0.01)
    assert (found.points[0] == START).all() and (found.points[-1] == GOAL).all()
    assert len(found.points) > 2  # the straight line is not free
    assert smallest(np.array([START, GOAL])) < 0.01
    least = smallest(found.points)
    assert 0.01 <= found.clearance <= least < 0.1
    assert found.between in (("link0", "ground"), ("link1", "ground"))
    assert (np.abs(found.points) <= [3.0, 2.6]).all()
    again = collision_free_path(arm(), START, GOAL, clearance=0.01)
    assert np.array_equal(again.points, found.points)
    long = collision_free_path(arm(), START, GOAL, clearance=0.01, shortcuts=0)
    assert found.length < long.length and smallest(long.points) >= 0.01
    motion = found.trajectory(2.0, 5.0)
    t, q, v, _ = motion.sample(4000)
    assert distances(q).min() >= 0.01 and np.abs(v).max() < 2.0 + 1e-12
    np.testing.assert_allclose(np.diff(q, axis=0) / np.diff(t)[:, None], 0.5 * (v[1:] + v[:-1]), atol=0.02)
    np.testing.assert_allclose(q[[0, -1]], [START, GOAL], atol=1e-12)


@pytest.mark.parametrize("slide", [None, (-0.3, 0.4)])
def test_what_is_proved_of_lines(slide):
    """Random lines: the bound is below the smallest of 10,000 distances, and no line is taken on which one is too
    small; most that have room are."""
    bodies = Bodies(JointKinematics(arm(slide=slide)), {}, (), 0.01)
    assert bodies.names == [("link0", "ground"), ("link1", "ground")]  # link0 is on ground, balls are not its bearing
    r, taken, roomy = np.random.default_rng(3), 0, 0
    low, high = bodies.low, bodies.high
    for _ in range(60):
        a, b = r.uniform(low, high), r.uniform(low, high)
        least = smallest(np.array([a, b]))
        found = bodies.line(a, b, 0.02)
        roomy += least > 0.03
        if found is not None:
            taken += 1
            assert 0.02 <= found[0] <= least
        else:
            assert least < 0.025
    assert roomy <= taken and 5 < taken < 55


def test_a_needle_is_not_passed_over():
    """A ball of 0.1 mm that the tip sweeps over in a line of six radians: at 50 samples none would touch it."""
    needle = (((-L1 - L2 / 2, 0.0), 1e-4),)
    bodies = Bodies(JointKinematics(arm(needle, limits=((-6.0, 6.0), (-1.0, 1.0)))), {}, (), 0.01)
    a, b = np.array([0.05, 0.0]), np.array([6.0, 0.0])
    s = np.linspace(0.0, 1.0, 50)[:, None]
    assert distances(a + s * (b - a), needle).min() > 1e-3 and smallest(np.array([a, b]), balls=needle) < 0.0
    assert bodies.line(a, b, 1e-3) is None
    assert bodies.line(a, np.array([2.5, 0.0]), 1e-3) is not None


def test_no_way_round_ends_with_a_sentence():
    """A ball in the way of the second link, whose first link has limits that allow no detour."""
    wall = (((L1 + 0.2, 0.0), 0.1),)
    m = arm(wall, limits=((-0.05, 0.05), (-2.0, 2.0)))
    with pytest.raises(
        ModelError, match=r"no path was found with 60 samples: \d+ positions are connected.*require less"
    ):
        collision_free_path(m, [0.0, 1.2], [0.0, -1.2], clearance=0.01, samples=60)


def test_bad_input():
    m = arm()
    for arguments, text in (
        (
            {"start": [0.0, 0.0], "goal": GOAL, "clearance": 0.2},
            "start: link1 and ground are .* apart, less than the clea",
        ),
        ({"start": START, "goal": [3.5, 0.0], "clearance": 0.01}, r"goal: j0.angle is 3.5, beyond its limits -3 and 3"),
        ({"start": START, "goal": GOAL, "clearance": 0.0}, "give a positive distance"),
        ({"start": START, "goal": GOAL, "clearance": 0.01, "step": 0.0}, "give a positive number of radians"),
        ({"start": START, "goal": GOAL, "clearance": 0.01, "ignore": [("link1", "x")]}, "there is no part 'x'"),
        (
            {"start": START, "goal": GOAL, "clearance": 0.01, "ignore": [("link1", "ground"), ("link0", "ground")]},
            "nothing",
        ),
    ):
        with pytest.raises(ModelError, match=text):
            collision_free_path(m, **arguments)
    m.motion(m.joints["j0"], "TIME")
    with pytest.raises(ModelError, match="planned for trees of joints"):
        collision_free_path(m, START, GOAL, clearance=0.01)
    ball = hn.Model("ball")
    rod = ball.part("rod", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0))
    ball.spherical(rod, ball.ground, "ball", at=(0, 0, 0))
    with pytest.raises(ModelError, match="hinges and slides"):
        collision_free_path(ball, [1, 0, 0, 0], [1, 0, 0, 0], clearance=0.01)
    rail = hn.Model("rail")
    cart = rail.part("cart", 1.0, (0.1, 0.1, 0.1), (0, 0, 0))
    rail.translational(cart, rail.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    with pytest.raises(ModelError, match="distance without two limits"):
        collision_free_path(rail, [0], [1], clearance=0.01)


def beside_a_wall(gap):
    """Two links along z; a wall of ground, which the shoulder joins with the first, is ``gap`` from it as drawn."""
    m = hn.Model("arm")
    base = m.ground
    for k, name in enumerate(("shoulder", "elbow")):
        link = m.part(f"link{k}", 1.0, (0.02, 0.02, 0.001), (0, 0, 0.25 + 0.5 * k))
        m.revolute(link, base, name, at=(0, 0, 0.5 * k), axis=(0, 1, 0))
        m.capsule(link, (0, 0, 0.5 * k), (0, 0, 0.5 * k + 0.5), 0.03)
        base = link
    m.box(m.ground, (0.03 + gap + 0.05, 0, 0.15), (0.1, 0.4, 0.1), name="wall")
    return m


def test_a_wall_that_a_joint_connects_is_not_passed_through():
    """Drawn 15 mm from the link, less than the clearance of 20 mm, without touching it: half of that is kept.  The
    closed form: the wall's corner at (x, z) is x cos(q) - z sin(q) from the axis of the link."""
    with pytest.raises(ModelError, match="no path was found"):
        collision_free_path(beside_a_wall(0.015), [-0.3, 0], [1.3, 2.0], clearance=0.02, samples=25)
    limit = 0.15  # 4.4 mm from the corner, less than half of 15 mm
    with pytest.raises(ModelError, match=r"goal: link0 and ground are .* \(half of their distance as drawn"):
        collision_free_path(beside_a_wall(0.015), [-0.3, 0], [limit, 0], clearance=0.02)
    free = collision_free_path(beside_a_wall(0.015), [-0.3, 0], [0.03, 0], clearance=0.02)
    corner = 0.045 * np.cos(0.03) - 0.2 * np.sin(0.03) - 0.03
    assert list(free.nearer) == [("link0", "ground")]
    assert 0.0075 <= free.nearer["link0", "ground"] <= corner + 1e-9
    assert free.clearance >= 0.02 and free.between == ("link1", "ground")
    assert len(free.exempt) == 1 and all("link" in side for side in free.exempt[0])  # the links meet at the elbow


def test_shapes_that_touch_as_drawn_are_listed():
    free = collision_free_path(arm(), [0.1, 0.1], [0.0, 0.0], clearance=0.01)
    assert len(free.exempt) == 1 and free.nearer == {}
    assert free.exempt[0][0].startswith("link0: ") and free.exempt[0][1].startswith("link1: ")
