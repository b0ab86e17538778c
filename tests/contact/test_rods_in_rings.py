"""A rod touches a small ring, groove or bush wherever its axis is nearest: both edges of a thin ring, too, which lie
nearer to each other than a search over the whole rod would see.

Oracle: distances of many points of the axis from closed forms (torus, turned polygons); each of their local minima
within reach is a point of contact.  Before the search was bound to where the rod is near, a ring of 2 m on a rod of 8 m
touched one of its edges only, and the rod passed through the other."""

import numpy as np
import pytest
from fuzz._solids import Solid
from scipy.signal import find_peaks
from scipy.spatial.transform import Rotation
from test_rows_at_depth import Pair, some_solid

from holonom.contact.tables import FEATURE, P

REACH = 0.3
PLACES = 6001
CREST = 0.005  # between two minima, over the higher one: less is one place that is nearly level


def minima(D):
    """Places of the local minima of distances."""
    return find_peaks(-D, prominence=CREST)[0]


def ring(random):
    """A turned rectangle, or one with a groove inside or outside, or a torus: few numbers, thin or not."""
    R, t, h = 1.0, random.uniform(0.05, 0.4), random.uniform(0.05, 0.4)
    kind = random.integers(4)
    if kind == 0:
        return Solid("TORUS", (R, t), R + t)
    inner, outer = R - t, R + t
    line = [(inner, -h), (outer, -h), (outer, h), (inner, h)]
    if kind == 2:
        line = [(inner, -h), (outer, -h), (outer - 0.5 * t, 0.0), (outer, h), (inner, h)]
    if kind == 3:
        line = [(inner, -h), (outer, -h), (outer, h), (inner, h), (inner + 0.5 * t, 0.0)]
    return Solid("REVOLUTION", line, np.hypot(outer, h))


def missed(seed, kind, long):
    """Local minima of the distance of the axis that have no row, and how many there are."""
    random = np.random.default_rng([1129, seed])
    solid, r = ring(random), random.uniform(0.05, 0.5)
    rod = Solid(kind, (r, long), np.hypot(r, long) if kind == "CYLINDER" else r + long)
    pair = Pair(rod, solid)
    lost, there = [], 0
    for _ in range(12):
        turn = Rotation.from_quat(random.normal(size=4))
        at = random.normal(size=3) * (0.5, 0.5, 0.3 * long) * random.choice([0.3, 1.0])
        u = np.linspace(-long, long, PLACES)
        D = solid.distance(turn.inv().apply(np.column_stack([0 * u, 0 * u, u]) - at))
        k = minima(D)
        end = 0.98 * long - np.abs(u[k])  # deeper than this, an end face of the cylinder is nearer
        least = D[k][(D[k] > 0.02) & (D[k] - r < REACH - 0.02) & (end > np.maximum(1.3 * (r - D[k]), 0.0))]
        rows = pair.rows(at, turn, REACH)
        gaps = rows[:, 0]
        there += len(least)
        if kind == "CAPSULE":  # nothing else is a point but its ends and those of what lies level, at a slope of 0.05
            for g, n, p in zip(gaps, rows[:, 2:5], rows[:, 5:8]):
                q = min((p + s * (g + r) * n for s in (-1, 1)), key=lambda q: np.hypot(*q[:2]))  # on the axis
                if g > -0.1 * r and abs(q[2]) < 0.98 * long and abs(n[2]) > 0.06:
                    lost.append(g)
        lost += [d - r for d in least if not np.any(np.abs(gaps - (d - r)) < 1e-4)]
    return lost, there


@pytest.mark.parametrize("kind", ["CAPSULE", "CYLINDER"])
@pytest.mark.parametrize("long", [1.0, 8.0])
def test_all_nearest_places_of_the_axis_are_points(kind, long):
    found = [missed(seed, kind, long) for seed in range(12)]
    assert sum(n for _, n in found) > 60
    assert [(seed, lost) for seed, (lost, _) in enumerate(found) if lost] == []


def missed_round(seed, size):
    """The same for the circle of a torus of radius ``size`` about the ring."""
    random = np.random.default_rng([1130, seed])
    solid, r = ring(random), random.uniform(0.05, 0.4)
    torus = Solid("TORUS", (size, r), size + r)
    pair = Pair(torus, solid)
    lost, there = [], 0
    for _ in range(12):
        turn = Rotation.from_quat(random.normal(size=4))
        s = np.linspace(0.0, 2.0 * np.pi, PLACES)
        circle = size * np.column_stack([np.cos(s), np.sin(s), 0 * s])
        at = circle[random.integers(PLACES)] + 0.5 * random.normal(size=3)
        D = solid.distance(turn.inv().apply(circle - at))
        k = minima(D)
        least = D[k][(D[k] > 0.02) & (D[k] - r < REACH - 0.02)]
        gaps = pair.rows(at, turn, REACH)[:, 0]
        there += len(least)
        lost += [d - r for d in least if not np.any(np.abs(gaps - (d - r)) < 2e-5 * size + 1e-4)]
    return lost, there


@pytest.mark.parametrize("size", [1.0, 10.0])
def test_all_nearest_places_of_a_circle_are_points(size):
    found = [missed_round(seed, size) for seed in range(12)]
    assert sum(n for _, n in found) > 60
    assert [(seed, lost) for seed, (lost, _) in enumerate(found) if lost] == []


@pytest.mark.parametrize("other", ["tube", "cup", "REVOLUTION", "TORUS", "EXTRUSION", "MESH", "T"])
def test_points_of_a_pair_have_names_of_their_own(other):
    """Points with one number are one point to the search for impacts: the second one would close unseen."""
    random = np.random.default_rng(5)
    for kind in ("CAPSULE", "CYLINDER", "TORUS", "BOX", "EXTRUSION"):
        solids = some_solid(random, kind)[0], some_solid(random, other)[0]
        pair = Pair(*solids)
        far = 0.7 * sum(s.radius for s in solids)
        for _ in range(8):
            way = random.normal(size=3)
            at = random.uniform(0.5, 1.1) * far * way / np.linalg.norm(way)
            n = len(pair.rows(at, Rotation.from_quat(random.normal(size=4)), 0.2))
            points = pair.system.contacts.W.pts[:n]
            for i, p in enumerate(points):
                for q in points[:i]:
                    assert p[FEATURE] != q[FEATURE] or np.linalg.norm(p[P : P + 3] - q[P : P + 3]) < 1e-6, (kind, other)
