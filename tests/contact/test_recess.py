"""Round solids between a floor and a wall of one mesh have the deepest point on each of them, whichever is nearer to
their centre; in a run they rest on both."""

import numpy as np
import pytest
import scene as S
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.contact.shapes import mesh as M
from holonom.contact.shapes import pair
from holonom.contact.tables import GAP, N
from holonom.model.mesh import check_mesh

#: profile of the angle in (y, z): floor z = 0 for y > 0, wall y = 0 for z > 0
PROFILE = np.array([(-1, -1), (4, -1), (4, 0), (0, 0), (0, 4), (-1, 4)], float)
FANS = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]


def angle():
    n = len(PROFILE)
    points = np.array([(x, *p) for x in (-4, 4) for p in PROFILE])
    ends = [(a, c, b) for a, b, c in FANS] + [(a + n, b + n, c + n) for a, b, c in FANS]
    sides = [t for i in range(n) for j in [(i + 1) % n] for t in ((i, j, j + n), (i, j + n, i + n))]
    return check_mesh(points, np.array(ends + sides))


def reach_of(kind, q, d):
    """Support of the solid along d, in its own axes."""
    across = np.hypot(d[0], d[1])
    if kind == "CYLINDER":
        return q[0] * across + q[1] * abs(d[2])
    if kind == "FRUSTUM":
        return max(q[0] * across - q[2] * d[2], q[1] * across + q[2] * d[2])
    if kind == "CAPSULE":
        return q[0] + q[1] * abs(d[2])
    return float(np.linalg.norm(np.array(q) * d))


SOLIDS = {
    "CYLINDER": (0.3, 0.2),
    "FRUSTUM": (0.3, 0.2, 0.25),
    "CAPSULE": (0.2, 0.3),
    "ELLIPSOID": (0.3, 0.2, 0.1),
}


@pytest.mark.parametrize("kind", SOLIDS)
def test_the_deepest_points_on_floor_and_wall_are_both_there(kind):
    q, random = SOLIDS[kind], np.random.default_rng(3)
    kernel, mesh = pair(kind, "MESH")[0], M.tables(*angle())
    for _ in range(60):
        A = Rotation.random(random_state=random).as_matrix()
        down, back = (reach_of(kind, q, A.T @ d) for d in np.array([(0, 0, -1.0), (0, -1.0, 0)]))
        gaps = random.uniform(0.0, 0.02, 2)
        centre = (random.uniform(-1, 1), back + gaps[0], down + gaps[1])
        rows = S.points(kernel, S.scene((kind, q, centre, A), ("MESH", (), None, None, mesh)), reach=0.05)
        for axis, gap in zip((1, 2), gaps):
            own = rows[rows[:, N + axis] > 1 - 1e-9, GAP]
            assert len(own) and abs(own.min() - gap) < 1e-9, (axis, gap, rows[:, [N, N + 1, N + 2, GAP]])


@pytest.mark.parametrize("contact", ["events", "time-stepping"])
def test_a_coin_that_rolls_to_a_wall_stays_above_the_floor(contact):
    m = hn.Model("recess")
    m.gravity = (0, 0, -9.81)
    ground = m.mesh(m.ground, angle())
    axis = np.array([1, 0.0, 0.4]) / np.hypot(1, 0.4)
    low = 0.3 * np.hypot(axis[0], axis[1]) + 0.05 * axis[2]
    at = np.array([0, 0.9, low + 0.01])
    coin = m.part("coin", 1.0, (0.02,) * 3, tuple(at), velocity=(0, -3, 0))
    shape = m.cylinder(coin, at - 0.05 * axis, at + 0.05 * axis, 0.3)
    m.contact(shape, ground, mu=0.3, restitution=0.2)
    how = {"step": 1e-3} if contact == "time-stepping" else {"error": 1e-6}
    run = hn.simulate(m, 0.8, 80, contact=contact, referee=False, **how)
    part = run.part("coin")
    w, v = part.quaternion.values[:, 0], part.quaternion.values[:, 1:]
    e = Rotation.from_quat(np.c_[v, w]).apply(axis)
    height = part.position.values[:, 2] - 0.3 * np.hypot(e[:, 0], e[:, 1]) - 0.05 * abs(e[:, 2])
    away = part.position.values[:, 1] - 0.3 * np.hypot(e[:, 0], e[:, 2]) - 0.05 * abs(e[:, 1])
    allowed = 1e-6 if contact == "events" else 5e-3
    assert away.min() < 0.05  # it has come to the wall
    assert min(height.min(), away.min()) > -allowed
