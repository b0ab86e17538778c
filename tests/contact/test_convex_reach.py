"""Convex shapes have the same gap whatever the reach, and none says that shapes which overlap are apart.

A box or cylinder of centimetres that lies a micrometre deep in a plate of metres: the search for the distance ends on a
flat simplex, and had taken the depth for a gap (1 to 2 % of these places had no point at small reach: a body that lay
on a plate was apart in one evaluation and deep in the next one, and runs stalled).

Near touch, all pairs of convex types are compared with closed forms of how far a shape reaches along a direction: no
direction may part them more than the deepest point says."""

from itertools import combinations_with_replacement
from types import SimpleNamespace

import numpy as np
import pytest
import scene as S
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from holonom.contact.shape_kinds import ROWS
from holonom.contact.shapes import pack, pair
from holonom.contact.tables import FEATURE, GAP, SHAPE_TYPES, N

UPRIGHT = 3e-7  # gap that a cylinder may lack which stands upright above a plate
REACHES = (0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.1)


def lowest(kind, par, turn):
    """Height of the lowest point below the centre."""
    down = -turn.as_matrix()[2]
    if kind == "BOX":
        return float(np.abs(down) @ np.array(par))
    if kind == "CYLINDER":
        return float(par[0] * np.hypot(down[0], down[1]) + par[1] * abs(down[2]))
    return float(np.linalg.norm(down * np.array(par)))


@pytest.mark.parametrize("kind", ["BOX", "CYLINDER", "ELLIPSOID"])
def test_gaps_on_large_plates(kind):
    random = np.random.default_rng(11)
    kernel = pair(*sorted((kind, "BOX"), key=SHAPE_TYPES.index))[0]
    for _ in range(300):
        par = random.uniform(0.04, 0.12, 3)
        numbers = (par[0], par[1], 0.0, 1.0) if kind == "CYLINDER" else tuple(par)
        plate = 10.0 ** random.uniform(0.0, 1.0), 10.0 ** random.uniform(0.0, 1.0), 10.0 ** random.uniform(-3.0, -1.0)
        # flat on the plate, nearly so, or anyhow
        turn = Rotation.from_rotvec(random.choice([0.0, 1e-6, 1e-3, 0.1]) * random.normal(size=3))
        turn = Rotation.random(random_state=int(random.integers(2**31))) if random.random() < 0.4 else turn
        want = random.choice([-1, 1]) * 10.0 ** random.uniform(-9, -5)
        at = (*random.uniform(-0.4, 0.4, 2), lowest(kind, par, turn) + want)
        body = (kind, numbers, at, turn.as_matrix())
        floor = ("BOX", plate, (0.0, 0.0, -plate[2]))
        sh = S.scene(*((body, floor) if SHAPE_TYPES.index(kind) <= SHAPE_TYPES.index("BOX") else (floor, body)))
        for reach in REACHES:
            rows = S.points(kernel, sh, reach=reach)
            if want < reach:
                assert len(rows), (kind, want, reach)
                error = rows[:, GAP].min() - want
                assert abs(error) < 1e-12 + 2e-4 * abs(want) or (want > 0.0 and -UPRIGHT < error < 0.0)
            else:
                assert not len(rows) or rows[:, GAP].min() >= reach - 1e-12


# ---- all pairs of convex types, near touch ---------------------------------------------------------------------------
CONVEX = [name for name in SHAPE_TYPES if ROWS[name].core not in ("", "POINT")]
STEPS = 2.399963229728653 * np.arange(400)
HEIGHTS = 1.0 - (2.0 * np.arange(400) + 1.0) / 400
ROUND = np.column_stack([np.sqrt(1.0 - HEIGHTS**2) * f(STEPS) for f in (np.cos, np.sin)] + [HEIGHTS])
#: how far a shape of each type reaches along rows of directions: closed forms; a new convex type needs one
REACH = {
    "BOX": lambda d, p: np.abs(d) @ p,
    "ROUNDED_BOX": lambda d, p: np.abs(d) @ p[:3] + p[3] * np.linalg.norm(d, axis=1),
    "CYLINDER": lambda d, p: p[0] * np.hypot(d[:, 0], d[:, 1]) + p[1] * np.abs(d[:, 2]),
    "CAPSULE": lambda d, p: p[0] * np.linalg.norm(d, axis=1) + p[1] * np.abs(d[:, 2]),
    "FRUSTUM": lambda d, p: np.maximum(
        p[0] * np.hypot(d[:, 0], d[:, 1]) - p[2] * d[:, 2], p[1] * np.hypot(d[:, 0], d[:, 1]) + p[2] * d[:, 2]
    ),
    "ELLIPSOID": lambda d, p: np.linalg.norm(d * p, axis=1),
    "HULL": lambda d, p: (d @ p.T).max(axis=1),
}


def convex_shape(random, kind, size):
    """Numbers of a shape (corners of a hull), some of them flat."""
    flat = size * 10.0 ** random.choice([0.0, 0.0, 0.0, -1.0, -2.0])
    u = lambda: random.uniform(0.25, 0.9)
    if kind == "HULL":
        p = random.normal(size=(int(random.integers(5, 20)), 3))
        p *= size * random.uniform(0.5, 1.0, 3) / np.linalg.norm(p, axis=1)[:, None]
        return p[ConvexHull(p).vertices] - p.mean(axis=0)
    return np.array(
        {
            "BOX": (size * u(), flat * u(), size * u()),
            "ROUNDED_BOX": (size * u(), size * u(), size * u(), 0.1 * size * u()),
            "CYLINDER": (size * u(), flat * u()),
            "CAPSULE": (flat * u(), size * u()),
            "FRUSTUM": (size * u(), size * random.choice([0.0, u()]), flat * u()),
            "ELLIPSOID": (size * u(), size * u(), max(flat, 0.1 * size) * u()),
        }[kind]
    )


def turned(random):
    if random.random() < 0.4:
        return Rotation.from_quat(random.normal(size=4))
    return Rotation.create_group("O")[int(random.integers(24))] * Rotation.from_rotvec(
        random.choice([0.0, 10.0 ** random.uniform(-9, -1)]) * random.normal(size=3)
    )


class Near:
    """Two convex shapes: b in ground axes at the origin, a anywhere."""

    def __init__(self, random, kinds, size, ratio):
        self.kinds = kinds
        self.kernel = pair(*kinds)[0]
        self.numbers = [convex_shape(random, kind, s) for kind, s in zip(kinds, (size, size * ratio))]
        self.axes = [turned(random).as_matrix(), np.eye(3)]
        self.size, self.large = size * min(ratio, 1.0), size * max(ratio, 1.0)

    def apart(self, at, directions):
        """How far they are apart along directions from b to a: the greatest of all is the gap or, negative, the
        depth."""
        n = np.atleast_2d(directions)
        return n @ at - sum(
            REACH[kind](sign * n @ axes, p)
            for kind, p, axes, sign in zip(self.kinds, self.numbers, self.axes, (-1.0, 1.0))
        )

    def rows(self, at, reach, centre=0.0):
        items = []
        for kind, p, axes, place in zip(self.kinds, self.numbers, self.axes, (at, np.zeros(3))):
            if kind == "HULL":
                solid = SimpleNamespace(kind=kind, vertices=p)
                items.append((kind, (), place + centre, axes, lambda sizes, solid=solid: pack(solid, sizes)))
            else:
                items.append((kind, (*p, 0.0, 1.0) if kind == "CYLINDER" else tuple(p), place + centre, axes))
        return S.points(self.kernel, S.scene(*items), reach=reach)

    def touch(self, offset, way):
        """(Position along ``way`` at which they touch, the direction that parts them there), or None."""
        directions = np.vstack([ROUND, *(s * axes.T for axes in self.axes for s in (1.0, -1.0))])
        best, h = way, 4.0 * (self.size + self.large)
        for _ in range(40):
            at = offset + h * way
            rows = self.rows(at, np.inf)  # directions worth a try, no more: what they are worth the closed forms say
            seen = np.vstack([directions, best, rows[:, N : N + 3]])
            apart = self.apart(at, seen)
            best = seen[apart.argmax()]
            if abs(apart.max()) < 1e-9 * self.size:
                return at, best
            if best @ way < 1e-6:
                return None
            h -= apart.max() / (best @ way)
        return None


def false_depths(seed, kinds, places=1, centre=0.0):
    """(Evaluations, those that are deeper than a direction allows, differ with the reach, or have two points of one
    name)."""
    random = np.random.default_rng([35, seed, *(SHAPE_TYPES.index(kind) for kind in kinds)])
    tried, found = 0, []
    for _ in range(places):
        near = Near(
            random, kinds, 10.0 ** random.uniform(-4, 3), 10.0 ** random.choice([0.0, 0.0, 1.0, -1.0, 2.0, -2.0])
        )
        way = (
            random.normal(size=3)
            if random.random() < 0.6
            else random.choice([-1.0, 1.0]) * np.eye(3)[random.integers(3)]
        )
        way = way / np.linalg.norm(way)
        offset = random.normal(size=3) * random.choice([0.0, 0.3]) * random.choice([near.size, near.large])
        start = near.touch(offset - way * (offset @ way), way)
        if start is None:
            continue
        at, direction = start
        tolerance = 1e-9 * near.size + 1e-7 * near.large + 1e-12 * abs(centre)
        for _ in range(12):
            gap = random.choice([-1.0, 1.0]) * 10.0 ** random.uniform(-9, -2) * near.size
            place = at + (gap - near.apart(at, direction)[0]) * direction
            reaches = 0.0, max(2.0 * gap, 1e-8 * near.size), 10.0 * near.size
            rows = [near.rows(place, reach, centre) for reach in reaches]
            least = [x[:, GAP].min() if len(x) else np.inf for x in rows]
            tried += 1
            for reach, x, g in zip(reaches, rows, least):
                differs = (g < reach - tolerance) != (least[2] < reach - tolerance) and abs(
                    least[2] - reach
                ) > 2 * tolerance
                differs = differs or (g < reach - tolerance and abs(g - least[2]) > tolerance)
                if g < gap - tolerance - 1e-6 * abs(gap) or differs or len(set(x[:, FEATURE])) < len(x):
                    found.append((kinds, near.numbers, gap / near.size, g / near.size, reach / near.size))
    return tried, found


def test_every_convex_type_has_a_closed_form():
    assert set(REACH) == set(CONVEX)


@pytest.mark.parametrize("kinds", list(combinations_with_replacement(CONVEX, 2)), ids="-".join)
def test_depth_near_touch(kinds):
    """The last point of a search for the distance is roundoff where shapes just touch: its direction pointed anywhere,
    and shapes that were apart by a micrometre were centimetres deep, or had no point at a small reach."""
    tried, found = false_depths(3, kinds, 3)
    assert tried > 10 and found == []


@pytest.mark.slow
@pytest.mark.parametrize("centre", [0.0, 1e3])
@pytest.mark.parametrize("kinds", list(combinations_with_replacement(CONVEX, 2)), ids="-".join)
def test_depth_near_touch_at_many_places(kinds, centre):
    tried, found = false_depths(4, kinds, 40, centre)
    assert tried > 300 and found == []
