"""Rims of cylinders and frusta, and ellipsoids, on meshes of rough surfaces: every place where one lies deepest under a
face has a point of contact, however little the faces of a hollow differ.

The oracle are distances to all triangles, with signs by solid angles, at samples of the rim or surface."""

import numpy as np
import pytest
from fuzz._solids import Solid, box_mesh, random_solid
from scipy.spatial.transform import Rotation
from test_rows_at_depth import Pair

SAMPLES = 360
DEEP = 0.02  # of the mesh: how deep solids are
CLEAR = 3e-4  # depth from which on a place counts
LOOKS = 0.4  # cosine from which on a rim counts wholly against a face


def some_pair(random, kind):
    mesh = random_solid(random, "MESH")
    size = float(random.uniform(0.15, 0.5))
    if kind == "CYLINDER":
        data = size, size * float(random.uniform(0.3, 1.5))
    elif kind == "FRUSTUM":
        data = size, size * float(random.uniform(0.3, 0.9)), size * float(random.uniform(0.3, 1.5))
    else:
        data = tuple(size * random.uniform(0.5, 1.2, 3))
    return Pair(mesh, Solid(kind, data, 2.0 * size))


def rims(solid):
    """(radius, height, outward direction across and along the axis) of each."""
    r, s, h = (solid.data[0], *solid.data[-2:]) if solid.kind == "FRUSTUM" else (solid.data[0],) * 2 + solid.data[1:]
    side = np.array([2.0 * h, r - s]) / np.hypot(2.0 * h, r - s)
    for radius, end in ((r, -1.0), (s, 1.0)):
        out = side + (0.0, end)
        yield radius, end * h, out / np.linalg.norm(out)


def slopes(mesh, x):
    """Of the signed distance at a point, by differences."""
    return (mesh.distance(x + 1e-5 * np.eye(3)) - mesh.distance(x - 1e-5 * np.eye(3))) / 2e-5


def deepest_on_rims(pair, at, turn):
    """Places where a rim lies deepest under a face: points in the axes of the mesh, and their depths."""
    mesh, solid = pair.solids
    a = 2.0 * np.pi * np.arange(SAMPLES) / SAMPLES
    around = np.column_stack([np.cos(a), np.sin(a)])
    for r, z, out in rims(solid):
        p = turn.apply(np.column_stack([r * around, np.full(SAMPLES, z)])) + at
        d = np.full(SAMPLES, np.inf)
        near = np.linalg.norm(p, axis=1) < mesh.radius
        d[near] = mesh.distance(p[near])
        low = np.flatnonzero((d < np.roll(d, 1)) & (d <= np.roll(d, -1)) & (d < -CLEAR))
        for k in low:
            outward = turn.apply([out[0] * around[k, 0], out[0] * around[k, 1], out[1]])
            n, before, after = (slopes(mesh, p[i % SAMPLES]) for i in (k, k - 1, k + 1))
            if n @ outward < -LOOKS and max(np.linalg.norm(before - n), np.linalg.norm(after - n)) < 1e-3:
                yield p[k], -d[k], 2.0 * np.pi * r / SAMPLES  # under one face, all of it


def lost(seed, poses):
    """(places without a point of contact, places) of a random pair."""
    random = np.random.default_rng([38, seed])
    kind = ("CYLINDER", "FRUSTUM", "ELLIPSOID")[seed % 3]
    pair = some_pair(random, kind)
    mesh, solid = pair.solids
    found, count = [], 0
    for _ in range(poses):
        turn = Rotation.from_quat(random.normal(size=4))
        way = random.normal(size=3)
        way /= np.linalg.norm(way)
        low, high = 0.0, mesh.radius + solid.radius
        for _ in range(14):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if pair.least(middle * way, turn) > 0.0 else (middle, high)
        at = (high - float(random.uniform(0.2, 1.0)) * DEEP) * way
        rows = pair.rows(at, turn, 0.0)
        points = rows[:, 5:8] + rows[:, :1] * rows[:, 2:5]
        if kind == "ELLIPSOID":
            q = turn.apply(solid.surface(1500)) + at
            d = np.full(len(q), np.inf)
            near = np.linalg.norm(q, axis=1) < mesh.radius
            d[near] = mesh.distance(q[near])
            places = [(q[d.argmin()], -d.min(), 0.0)] if -2.0 * DEEP < d.min() < -CLEAR else []
        else:
            places = list(deepest_on_rims(pair, at, turn))
        for place, deep, step in places:
            count += 1
            if step == 0.0:
                near = rows[:, 0] < CLEAR - deep
            else:
                near = (np.linalg.norm(points - place, axis=1) < 1.1 * step) & (abs(rows[:, 0] + deep) < CLEAR)
            if not near.any():
                found.append((kind, seed, deep, rows[:, 0]))
    return found, count


def test_every_place_deepest_under_a_face_has_a_point():
    found, counts = zip(*(lost(seed, 6) for seed in (3, 4, 12, 26)))
    assert sum(counts) > 12
    assert not [x for each in found for x in each]


def test_a_tip_is_pushed_out_where_it_came_in():
    """The tip of a slanting cone in the upper face of a box, by how deep the plane of that has it; no other face takes
    part, however the cone has been turned about its axis."""
    r, h, half = 0.2, 0.3, (1.0, 0.8, 0.05)
    pair = Pair(Solid("MESH", box_mesh(half), 1.3), Solid("FRUSTUM", (r, 0.0, h), 0.4))
    for slant in (0.3, 0.6):
        for spin in (0.1, 1.0, 2.5, 4.0):
            turn = Rotation.from_euler("zyz", (spin, np.pi - slant, 0.7))
            for deep in (1e-13, 1e-3):
                at = np.array([0.1, 0.2, half[2] - deep]) - turn.apply((0.0, 0.0, h))
                rows = pair.rows(at, turn, 1e-3)
                np.testing.assert_allclose(rows[:, 0], -deep, atol=1e-12)
                np.testing.assert_allclose(rows[:, 2:5] @ (0.0, 0.0, 1.0), 1.0, atol=1e-12)
                assert len(rows) == 1


@pytest.mark.slow
def test_every_place_of_many_poses_has_a_point():
    found, counts = zip(*(lost(seed, 30) for seed in range(100, 130)))
    assert sum(counts) > 400
    assert not [x for each in found for x in each]
