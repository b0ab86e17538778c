"""Reference points inside a shape, each with its depth.

Random lines through the box of a shape are cut with its surface: the middle of each piece inside is an interior point,
in a wall one half way through it.  Each is moved to the middle of further pieces through itself as long as that takes
it deeper (towards the medial axis).  Of these points a set is taken, the deepest first and then always that which is
farthest from those taken, until the balls of their depths cover the rest or `MOST` are there.  `SHELL` points of
smaller depth, chosen likewise among the middles, are added for bodies that pass aside of the medial axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._jit import jit
from .surfaces import CROSSINGS, NOTHING, SPHERE, Surface, Surfaces, clearance, crossings, pack

LINES = 400
TRIES = 6  # further pieces through each point
MOST, SHELL = 128, 64  # reference points of a shape near its medial axis, and others
APART = 0.3  # of their depth: the others are no nearer to each other
COVERED = 0.7  # of its depth: a medial point nearer than that to another is not needed
SHALLOW = 0.25  # of the depth of the deepest: points of the shell are no shallower


@dataclass
class ReferencePoints:
    """``at`` (n, 3) in the axes of the shape, ``depth`` (n,): distance from the surface of the shape; ``typical``:
    depth of the median one."""

    at: np.ndarray
    depth: np.ndarray

    @property
    def typical(self) -> float:
        return float(np.median(self.depth)) if len(self.depth) else 0.0


@jit(_nrt=True, entry="Surfaces, float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1]")
def _middles(T, starts, ways, out, depth):
    """Middles of the pieces inside of lines, rows (start, way), and their depths; their number."""
    cuts = np.empty((CROSSINGS, 5))
    p = np.empty(3)
    n = 0
    for i in range(starts.shape[0]):
        m = crossings(T, 0, starts[i], ways[i], cuts)
        for k in range(m - 1):
            if cuts[k, 1] > 0.0 and cuts[k + 1, 1] < 0.0 and n < out.shape[0]:
                t = 0.5 * (cuts[k, 0] + cuts[k + 1, 0])
                for c in range(3):
                    p[c] = starts[i, c] + t * ways[i, c]
                    out[n, c] = p[c]
                depth[n] = clearance(T, 0, p, np.inf)
                n += 1
    return n


@jit(_nrt=True, entry="Surfaces, float64[:, ::1], float64[::1], float64[:, ::1], int64")
def _deepen(T, points, depth, ways, first):
    """Move points to the middles of pieces through themselves while that takes them deeper; ways (n, 3): of unequal
    length beyond the shape."""
    cuts = np.empty((CROSSINGS, 5))
    start, d, p = np.empty(3), np.empty(3), np.empty(3)
    for i in range(points.shape[0]):
        for j in range(TRIES):
            w = ways[(first + i * TRIES + j) % ways.shape[0]]
            for c in range(3):
                start[c] = points[i, c] - w[c]
                d[c] = 2.0 * w[c]
            m = crossings(T, 0, start, d, cuts)
            for k in range(m - 1):
                if cuts[k, 1] > 0.0 and cuts[k, 0] <= 0.5 <= cuts[k + 1, 0]:
                    t = 0.5 * (cuts[k, 0] + cuts[k + 1, 0])
                    for c in range(3):
                        p[c] = start[c] + t * d[c]
                    e = clearance(T, 0, p, np.inf)
                    if e > depth[i]:
                        depth[i] = e
                        for c in range(3):
                            points[i, c] = p[c]


@jit(_nrt=True, entry="float64[:, ::1], float64[::1], int64, float64, int64[::1], int64, float64[:, ::1]")
def _spread(points, depth, most, cover, taken, count, seeds):
    """Take the deepest point, then always the one farthest from those taken, until the balls of their depths cover all;
    numbers in ``taken``."""
    n = points.shape[0]
    away = np.full(n, np.inf)
    for j in range(seeds.shape[0]):
        for i in range(n):
            e = 0.0
            for c in range(3):
                e += (points[i, c] - seeds[j, c]) ** 2
            away[i] = min(away[i], e)
    while count < most:
        best, which = -1.0, -1
        for i in range(n):
            if away[i] > (cover * depth[i]) ** 2:
                score = depth[i] if count == 0 and seeds.shape[0] == 0 else away[i]
                if score > best:
                    best, which = score, i
        if which < 0:
            break
        taken[count] = which
        count += 1
        for i in range(n):
            e = 0.0
            for c in range(3):
                e += (points[i, c] - points[which, c]) ** 2
            away[i] = min(away[i], e)
    return count


def reference_points(surface: Surface, most: int = MOST, table: Surfaces | None = None) -> ReferencePoints:
    """Reference points of a shape, none where it bounds no volume; the same ones each time."""
    if surface.type == NOTHING:
        return ReferencePoints(np.zeros((1, 3)), np.zeros(1))
    low, high = surface.low.copy(), surface.high.copy()
    if not surface.closed:
        return ReferencePoints(np.zeros((0, 3)), np.zeros(0))
    flat = ~np.isfinite(low)  # a curve without end: points in its plane
    low[flat] = high[flat] = 0.0
    table = pack([surface]) if table is None else table
    random = np.random.default_rng(12345)
    size = max(float(np.linalg.norm(high - low)), 1e-300)
    lines = LINES * (4 if most > MOST else 1)
    at = low + (high - low) * random.random((lines, 3))
    ways = random.normal(size=(lines, 3))
    ways[:, flat] = 0.0
    ways *= 1.03 * size / np.linalg.norm(ways, axis=1)[:, None]
    found, depth = np.zeros((8 * lines, 3)), np.zeros(8 * lines)
    n = _middles(table, at - ways, 2.0 * ways, found, depth)
    found, depth = found[:n], depth[:n]
    if not n:
        return ReferencePoints(np.zeros((0, 3)), np.zeros(0))
    deep, deeper = found.copy(), depth.copy()
    axes = 1.03 * size * np.eye(3)[~flat]
    ways[: len(axes)] = axes
    _deepen(table, deep, deeper, ways, 0)
    if surface.type == SPHERE:
        deep, deeper = np.vstack([np.zeros((1, 3)), deep]), np.append(surface.par[0], deeper)
    taken = np.zeros(most, np.int64)
    count = _spread(deep, deeper, most, COVERED, taken, 0, np.zeros((0, 3)))
    points, depths = deep[taken[:count]], deeper[taken[:count]]
    shell = depth > SHALLOW * depths.max()
    more = _spread(found[shell], depth[shell], SHELL * most // MOST, APART, taken, 0, points)
    points = np.vstack([points, found[shell][taken[:more]]])
    depths = np.append(depths, depth[shell][taken[:more]])
    return ReferencePoints(points, depths)
