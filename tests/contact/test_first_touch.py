"""Just after the first touch no point of a pair is much deeper than the bodies are in each other.

One body moves towards the other until a point is found that a force acts at, and 2 % of the thinner wall farther: all
points then lie about that deep.  Until 30 November 2026 some had another face behind them, or none: the corner of a
7 degree knife that lay flat on a box was pushed through the side of it (630 times as deep), a log across the end of a
tube away from the inner edge (130 times), the corner of a prism in the rim of a cone through its tip (200 times), and
the rim of a cylinder went 0.08 into a knife without a point."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from test_aligned_tilts import touching
from test_rows_at_depth import TYPES, Pair, prism, some_solid

DEEP, MOST = 0.02, 3.0


def deepest(seed, kinds, aligned, poses=4):
    """(poses tried, largest depth times weight over the depth of the bodies, where) of a pair of types."""
    random = np.random.default_rng([7, seed, *[TYPES.index(kind) for kind in kinds]])
    solids, walls = zip(*(some_solid(random, kind) for kind in kinds))
    pair, tried, worst = Pair(*solids), 0, (0.0,)
    for _ in range(poses):
        if aligned:
            pair.turn = Rotation.create_group("O")[int(random.integers(24))]
            way = np.eye(3)[random.integers(3)] * random.choice([-1, 1])
        else:
            pair.turn = Rotation.random(random_state=random)
            way = Rotation.random(random_state=random).apply([1, 0, 0])
        offset = np.where(random.random(3) < 0.3, 0.0, random.uniform(-0.5, 0.5, 3))
        offset = offset - way * (offset @ way)
        h = touching(pair, offset, way, sum(s.radius for s in solids), max(0.1 * min(walls), 0.004))
        if h is None:
            continue
        deep = DEEP * min(walls)
        at = offset + (h - deep) * way
        rows = pair.rows(at, pair.turn, 0.0)
        tried += 1
        ratio = (rows[:, 1] * np.maximum(-rows[:, 0], 0.0)).max(initial=0.0) / deep if len(rows) else np.inf
        worst = max(worst, (ratio, at.tolist(), pair.turn.as_matrix().tolist()), key=lambda row: row[0])
    return tried, worst


def check(seed, pairs, most=MOST):
    tried, wrong = 0, []
    for kinds in pairs:
        for aligned in (True, False):
            count, worst = deepest(seed, kinds, aligned)
            tried += count
            if worst[0] > most:
                wrong.append((kinds, aligned, worst))
    assert not wrong, wrong
    return tried


@pytest.mark.parametrize(
    "seed, kinds",
    [
        (0, ("T", "FRUSTUM")),
        (0, ("thin", "thin")),
        (0, ("thin", "BOX")),
        (1, ("thin", "cup")),
        (3, ("thin", "CYLINDER")),
        (0, ("tube", "CYLINDER")),
        (7, ("REVOLUTION", "BOX")),
        (8, ("REVOLUTION", "CYLINDER")),
        (8, ("EXTRUSION", "FRUSTUM")),
    ],
)
def test_no_point_is_deeper_than_the_bodies(seed, kinds):
    assert check(seed, [kinds]) > 4


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_no_point_of_any_pair_is_deeper_than_the_bodies(seed):
    # two thin prisms that cross in their edges alone have points up to 4 times as deep
    assert check(seed, list(itertools.combinations_with_replacement(TYPES, 2)), most=5.0) > 900


def test_a_log_across_the_end_of_a_tube_is_pushed_up():
    """Its end lies over the wall of the tube, or beyond it: no edge holds it back."""
    from fuzz._solids import Solid

    pair = Pair(
        Solid("REVOLUTION", [(0.4, -0.5), (0.5, -0.5), (0.5, 0.5), (0.4, 0.5)], 0.75),
        Solid("CYLINDER", (0.44, 0.6), 0.75),
    )
    lying = Rotation.from_rotvec((np.pi / 2, 0, 0))
    for shift in (0.0, -0.08, -0.13, -0.17, -0.3):
        for tilt in (0.0, 1e-3):
            turn = Rotation.from_rotvec((0, 0, tilt)) * lying
            rows = pair.rows(np.array([0.0, shift, 0.5 + 0.44 - 0.002]), turn, 0.0)
            forces = (rows[:, 1] * np.maximum(-rows[:, 0], 0.0))[:, None] * rows[:, 2:5]
            assert 0.001 < forces[:, 2].sum() < 0.01
            assert np.abs(forces[:, :2]).max() < 1e-4


def test_a_rim_in_a_knife_has_points_all_the_way():
    """A cylinder falls on the sharp edge of a prism: there is a point from the touch on, whose depth grows."""
    turn = Rotation.from_matrix(
        [[-0.7323905, -0.6468065, -0.2127098], [-0.6566021, 0.5882358, 0.4720724], [-0.180216, 0.485407, -0.8555128]]
    )
    from fuzz._solids import Solid

    pair = Pair(prism("thin", 0.3), Solid("CYLINDER", (0.2616783, 0.8823739), 0.93))
    way = np.array([-0.8073223, 0.5275128, -0.2645013])
    start = np.array([-0.789582, 0.4024716, -0.6486678])
    depths = []
    for k in range(20):
        at = start - way * 0.01 * k
        rows = pair.rows(at, turn, 0.0)
        depths.append(-rows[:, 0].min() if len(rows) else -max(pair.sampled(at, turn), 0.0))
        assert len(rows) > 0 or pair.sampled(at, turn) > -1e-3, k
    assert (np.diff(depths) > 0.0).all() and depths[-1] > 0.02
