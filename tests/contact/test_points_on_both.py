"""Every point of contact lies on both bodies, to the gap there.

Until 1 December 2026 a cylinder that had rolled past the edge of a box by 1e-7 to 1e-3 rad touched it at the end of
that edge, beyond its own ends, and impulses acted there: a cylinder that rolled over a gap between two tables lost a
third of its speed.  Oracle: closed-form distances of the points from both solids."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from test_aligned_tilts import touching
from test_rows_at_depth import TYPES, Pair, some_solid

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from fuzz._solids import Solid

import holonom as hn

FACETED = 3e-4  # of the size: what stand-in meshes of round shapes miss
ROUND_FACES = {"CYLINDER", "FRUSTUM"}
SLIVER = 5e-3  # the same of faces that pass over each other by no more than the polygons of round ones miss


def farthest(pair, at, turn, reach):
    """How much farther a point is from one of the solids than its gap is wide."""
    rows = pair.rows(at, turn, reach)
    if not len(rows):
        return 0.0
    points = rows[:, 5:8]
    one, other = pair.solids
    gaps = np.maximum(one.distance(points), other.distance(turn.inv().apply(points - at)))
    return (gaps - np.abs(rows[:, 0])).max()


def test_a_cylinder_past_the_edge_of_a_box():
    pair = Pair(Solid("BOX", (0.5, 0.2, 0.05), 1.0), Solid("CYLINDER", (0.1, 0.1), 1.0))
    random = np.random.default_rng(0)
    lying = Rotation.from_rotvec((-np.pi / 2, 0, 0))
    for _ in range(1500):
        past = random.choice([0.0, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2]) * random.choice([-1, 1])
        tilt = random.normal(size=3) * 10.0 ** random.uniform(-13, -3) * random.choice([0, 1], 3)
        across = 0.1 * np.sin(past) if past > 0.0 else 0.1 * past
        up = 0.1 * np.cos(past) if past > 0.0 else 0.1
        gap = random.choice([0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-5]) * random.choice([-1, 1])
        turn = Rotation.from_rotvec(tilt) * lying * Rotation.from_rotvec((0, 0, random.uniform(0, 6)))
        at = np.array([0.5 + across, 0.0, 0.05 + up + gap])
        assert farthest(pair, at, turn, random.choice([0.0, 1e-9, 1e-6, 1e-4, 1e-2])) < FACETED, (past, tilt, gap)


def check(seed, kinds, poses=3):
    """(points looked at, wrong ones) of a pair of types in flush and nearly aligned poses."""
    random = np.random.default_rng([17, seed, *[TYPES.index(kind) for kind in kinds]])
    solids, walls = zip(*(some_solid(random, kind) for kind in kinds))
    pair, wrong = Pair(*solids), []
    for _ in range(poses):
        aligned = Rotation.create_group("O")[int(random.integers(24))]
        way = np.eye(3)[random.integers(3)] * random.choice([-1, 1])
        p, q = (np.abs(points).max(axis=0) for points in pair.points)
        q = np.abs(aligned.as_matrix()) @ q
        flush = [random.choice([0, a - b, b - a, a, -a, a + b - 1e-3, random.uniform(-0.5, 0.5)]) for a, b in zip(p, q)]
        offset = np.array(flush) + random.choice([0, 1e-9, 1e-7, 1e-5, 1e-3]) * random.normal(size=3)
        offset -= way * (offset @ way)
        tilt = random.normal(size=3) * 10.0 ** random.uniform(-12, -1) * random.choice([0, 1], 3)
        pair.turn = Rotation.from_rotvec(tilt) * aligned
        h = touching(pair, offset, way, sum(s.radius for s in solids), max(0.1 * min(walls), 0.004))
        if h is None:
            continue
        for gap in (1e-9, 1e-6, -1e-6, -0.01 * min(walls)):
            far = farthest(pair, offset + (h + gap) * way, pair.turn, max(0.0, 2 * gap))
            miss = SLIVER if set(kinds) <= ROUND_FACES else FACETED
            if far > miss * max(s.radius for s in solids) + 0.02 * abs(gap):
                wrong.append((kinds, seed, offset.tolist(), tilt.tolist(), gap, far))
    return wrong


@pytest.mark.parametrize("kinds", [*itertools.combinations_with_replacement(("BOX", "CYLINDER", "FRUSTUM", "HULL"), 2)])
def test_points_of_convex_shapes_lie_on_both(kinds):
    assert [w for seed in range(2) for w in check(seed, kinds)] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_points_of_all_pairs_lie_on_both(seed):
    assert [w for kinds in itertools.combinations_with_replacement(TYPES, 2) for w in check(seed, kinds)] == []


@pytest.mark.parametrize("speed, gap", [(0.5, 0.06), (0.7, 0.06), pytest.param(0.5, 0.03, marks=pytest.mark.slow)])
def test_a_cylinder_rolls_over_a_gap(speed, gap):
    """It turns about the first edge, strikes the second one without bouncing, and turns about that one: closed form."""
    r = 0.1
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    roller = m.part(
        "roller",
        shape=hn.shapes.cylinder((-0.1, -0.1, r), (-0.1, 0.1, r), r),
        density=1000.0,
        velocity=(speed, 0, 0),
        angular_velocity=(0, speed / r, 0),
    )
    for x in (-0.5, 0.5 + gap):
        m.contact(roller, m.box(m.ground, (x, 0, -0.05), (1, 0.4, 0.1)), mu=0.8, restitution=0.0)
    run = hn.simulate(m, 0.48 / speed, 100, contact="events")
    half = np.arcsin(gap / 2 / r)
    lift = 2 * 9.81 * (1 - np.cos(half)) / (1.5 * r)
    turning = np.sqrt((speed / r) ** 2 + lift) * (0.5 + np.cos(2 * half)) / 1.5
    body = run.part("roller")
    assert body.velocity.values[-1, 0] == pytest.approx(r * np.sqrt(turning**2 - lift), rel=1e-4)
    assert abs(body.velocity.values[-1, 1]) < 1e-6
    for row in np.atleast_1d(run.impacts):
        at = body.position.values[np.argmin(abs(run.time - row["time"]))]
        assert abs(row["y"] - at[1]) < 0.1 + 1e-6 and abs(row["x"] - at[0]) < 0.12
