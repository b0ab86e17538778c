"""Every minimum of the signed distance along the circle of a torus, or the axis of a capsule, has a point of contact
with its gap, however deep: against distances in closed form (`fuzz._solids`) at 1,440 positions of the path."""

import numpy as np
import pytest
from fuzz._solids import Solid
from scipy.spatial.transform import Rotation
from test_rows_at_depth import CONVEX, PROFILES, Pair, prism, some_solid

OTHERS = (*PROFILES, "tube", "cup", "TORUS", "EXTRUSION", *(k for k in CONVEX if k != "SPHERE"))
COUNT = 1440
CLEARLY = 0.01  # of the size: by how much the gap rises on both sides of a minimum that counts


def path_of(solid):
    """Positions (n, 3) along the path of the ball of a torus or capsule, and its radius."""
    if solid.kind == "TORUS":
        angle = np.linspace(0.0, 2.0 * np.pi, COUNT, endpoint=False)
        return solid.data[0] * np.c_[np.cos(angle), np.sin(angle), 0.0 * angle], solid.data[1]
    return np.linspace(-solid.data[1], solid.data[1], COUNT)[:, None] * (0.0, 0.0, 1.0), solid.data[0]


def minima(gap, closed):
    """(index, first and last index of what is no more than 1e-3 above it) of each minimum below zero from which the
    gap rises by `CLEARLY` on both sides."""
    n, found = len(gap), []
    at = (lambda k: gap[k % n]) if closed else (lambda k: gap[k] if 0 <= k < n else np.inf)
    for k in np.flatnonzero(gap < 0.0):
        if not (at(k) < at(k - 1) and at(k) <= at(k + 1)):
            continue
        sides = []
        for way in (-1, 1):
            j, flat = k, k
            while abs(j - k) < n and gap[k] <= at(j) < gap[k] + CLEARLY:
                j += way
                flat = j if at(j) < gap[k] + 1e-3 and flat == j - way else flat
            sides.append((at(j) >= gap[k] + CLEARLY, flat))
        if sides[0][0] and sides[1][0]:
            found.append((k, sides[0][1], sides[1][1]))
    return found


def missed(kind, other, seed, poses):
    """(Minima tried, those without a point) of a torus or capsule that is deep in another solid."""
    random = np.random.default_rng([91, seed])
    thin = random.uniform(0.02, 0.3)
    solid = Solid("TORUS", (0.8, thin), 1.1) if kind == "TORUS" else Solid("CAPSULE", (thin, 0.8), 1.1)
    against, _ = some_solid(random, other)
    pair, tried, found = Pair(against, solid), 0, []
    path, r = path_of(solid)
    inside = random.uniform(-1.0, 1.0, (4000, 3)) * against.radius
    inside = inside[against.distance(inside) < 0.0]
    for pose in range(poses):
        turn = Rotation.from_quat(random.normal(size=4))
        if pose % 2:
            turn = Rotation.create_group("O")[int(random.integers(24))] * Rotation.from_rotvec(
                10.0 ** random.uniform(-4, -1) * random.normal(size=3)
            )
        at = inside[random.integers(len(inside))] - turn.apply(path[random.integers(COUNT)])
        centres = turn.apply(path) + at
        gap = against.distance(centres) - r
        rows = pair.rows(at, turn, 0.0)
        normal, point = rows[:, 2:5], rows[:, 5:8]
        # a row is a point of the surface of the first or the second shape, and the normal of the second
        middles = [point + (rows[:, :1] + r) * normal, point - r * normal]
        for k, low, high in minima(gap, kind == "TORUS"):
            tried += 1
            near = centres[np.arange(low - 3, high + 4) % COUNT]
            if not any(
                (np.linalg.norm(near[:, None] - m, axis=2).min(axis=0) < 0.02)[rows[:, 0] < gap[k] + 1e-4].any()
                for m in middles
            ):
                found.append((kind, other, seed, pose, float(gap[k]), rows[:, 0]))
    return tried, found


@pytest.mark.parametrize("kind", ["TORUS", "CAPSULE"])
def test_every_minimum_along_a_path_is_a_point(kind):
    others = OTHERS if kind == "TORUS" else (*PROFILES, "EXTRUSION")
    tried, found = zip(*(missed(kind, other, 1, 4) for other in others))
    assert sum(tried) > 4 * len(others)
    assert sum(found, []) == []


def test_a_rod_deep_across_an_edge_is_pushed_out_between_both_faces():
    """An axis inside, equally deep below the faces x = 0.65 and y = -0.35 of an L: the way out is the distance of two
    lines, of the axis and the edge."""
    random = np.random.default_rng(4)
    r = 0.03
    pair = Pair(prism("L", 1.0), Solid("CAPSULE", (r, 0.1), 0.2))
    for _ in range(30):
        a, b, c = random.uniform(0.2, 1.0), random.uniform(0.2, 1.0), random.uniform(-0.5, 0.5)
        deep, z = 10.0 ** random.uniform(-3, -1.3), random.uniform(-0.2, 0.2)
        axis = np.array([a, b, c]) / np.linalg.norm([a, b, c])
        turn = Rotation.align_vectors([axis], [(0.0, 0.0, 1.0)])[0]
        middle = np.array([0.65 - deep, -0.35 + deep, z]) + random.uniform(-0.05, 0.05) * axis
        rows = pair.rows(middle, turn, 0.0)
        out = np.array([b, -a, 0.0]) / np.hypot(a, b)
        assert len(rows) == 1
        assert rows[0, 0] == pytest.approx(-deep * (a + b) / np.hypot(a, b) - r, abs=1e-12)
        assert abs(rows[0, 2:5] @ out) > 1.0 - 1e-12
