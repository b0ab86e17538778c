"""Nearest points of plane curves (rows of the pool ``seg``, see `profile`) to a point of their plane.

Where a segment holds the foot of a point c is determined by f = (c - x) . x' at its two ends: f >= 0 at the first and f
< 0 at the last. At a smooth joint both neighbours use the same numbers, so that a point has one foot there, never none
or two.  A convex corner takes what lies between the two normals.  Free ends touch nothing.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, UB
from ._point import bracketed, diagonal, local, room, vector

ARC = 1.0
SMOOTH, CONVEX, CONCAVE, FREE, AXIS = 0.0, 1.0, 2.0, 3.0, 4.0


@jit
def place(sh, i, t):
    """Point, first and second derivative of row i at t."""
    s = sh.seg
    if s[i, 0] == ARC:
        turn = s[i, 6]
        c = math.cos(t * turn)
        w = math.sin(t * turn)
        d = s[i, 1] - s[i, 7]
        e = s[i, 2] - s[i, 8]
        x = c * d - w * e
        y = w * d + c * e
        return x + s[i, 7], y + s[i, 8], -turn * y, turn * x, -turn * turn * x, -turn * turn * y
    return (
        s[i, 1] + t * (s[i, 3] + t * (s[i, 5] + t * s[i, 7])),
        s[i, 2] + t * (s[i, 4] + t * (s[i, 6] + t * s[i, 8])),
        s[i, 3] + t * (2.0 * s[i, 5] + 3.0 * t * s[i, 7]),
        s[i, 4] + t * (2.0 * s[i, 6] + 3.0 * t * s[i, 8]),
        2.0 * s[i, 5] + 6.0 * t * s[i, 7],
        2.0 * s[i, 6] + 6.0 * t * s[i, 8],
    )


@jit
def at_start(sh, i, x, y):
    """f at the first point of row i."""
    s = sh.seg
    return (x - s[i, 1]) * s[i, 3] + (y - s[i, 2]) * s[i, 4]


@jit
def following(sh, b, i):
    """Row after row i of curve b, round a closed one."""
    o = sh.first[b, 0]
    return i + 1 if i + 1 < o + sh.first[b, 1] else o


@jit
def before(sh, b, i):
    o = sh.first[b, 0]
    return i - 1 if i > o else o + sh.first[b, 1] - 1


@jit
def at_end(sh, b, i, x, y):
    """f at the last point of row i; at smooth joints with the numbers of the row that follows."""
    if sh.seg[i, 10] == SMOOTH:
        return at_start(sh, following(sh, b, i), x, y)
    px, py, dx, dy, _, _ = place(sh, i, 1.0)
    return (x - px) * dx + (y - py) * dy


@jit
def foot(sh, i, x, y):
    """t of the foot of (x, y) on row i, which holds it."""
    s = sh.seg
    if s[i, 0] == ARC:
        d = s[i, 1] - s[i, 7]
        e = s[i, 2] - s[i, 8]
        u = x - s[i, 7]
        v = y - s[i, 8]
        t = math.atan2(d * v - e * u, d * u + e * v) / s[i, 6]
        return min(max(t, 0.0), 1.0)
    if s[i, 5] == 0.0 and s[i, 6] == 0.0 and s[i, 7] == 0.0 and s[i, 8] == 0.0:
        t = at_start(sh, i, x, y) / (s[i, 3] * s[i, 3] + s[i, 4] * s[i, 4])
        return min(max(t, 0.0), 1.0)
    low = 0.0
    high = 1.0
    t = 0.5
    for _ in range(60):
        px, py, dx, dy, ex, ey = place(sh, i, t)
        f = (px - x) * dx + (py - y) * dy
        g = (px - x) * ex + (py - y) * ey + dx * dx + dy * dy
        low, high, n = bracketed(low, high, t, f, g)
        if abs(n - t) < 1e-15:
            return n
        t = n
    return t


@jit
def holds(sh, b, i, x, y):
    """0: no foot on row i; 1: between its ends; 2: at its first point, a corner; 3: at its last point on the axis of
    revolution, 4: at its first one."""
    s = sh.seg
    f = at_start(sh, i, x, y)
    if f < 0.0:
        if s[i, 9] == CONVEX or s[i, 9] == CONCAVE:
            h = before(sh, b, i)
            px, py, dx, dy, _, _ = place(sh, h, 1.0)
            if (x - px) * dx + (y - py) * dy >= 0.0:
                return 2
        return 4 if s[i, 9] == AXIS else 0
    if s[i, 10] == AXIS:
        return 1 if at_end(sh, b, i, x, y) <= 0.0 else 3
    return 1 if at_end(sh, b, i, x, y) < 0.0 else 0


@jit
def near(sh, b, k, x, y, d):
    """(row, k of the next call) of the next segment of curve b whose box is nearer than d to (x, y), from k = 0 on; row
    -1: no more."""
    if sh.first[b, 3] == 0:
        if k < sh.first[b, 1]:
            return sh.first[b, 0] + k, k + 1
        return -1, k
    node = sh.node
    o = sh.first[b, 2]
    while k < sh.first[b, 3]:
        q = o + k
        if node[q, 0] - d <= x and x <= node[q, 3] + d and node[q, 1] - d <= y and y <= node[q, 4] + d:
            k += 1
            if node[q, 7] >= 0.0:
                return sh.first[b, 0] + int(node[q, 7]), k
        else:
            k = int(node[q, 6])
    return -1, k


@jit
def candidate(sh, b, i, x, y):
    """(what holds the foot, foot x, y, outward normal, curvature, distance: negative on the side of the material) of
    row i."""
    kind = holds(sh, b, i, x, y)
    if kind == 0:
        return 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if kind == 1:
        t = foot(sh, i, x, y)
        px, py, dx, dy, ex, ey = place(sh, i, t)
        size = math.sqrt(dx * dx + dy * dy)
        n0 = dy / size
        n1 = -dx / size
        return 1, px, py, n0, n1, (dx * ey - dy * ex) / (size * size * size), (x - px) * n0 + (y - py) * n1
    px, py, dx, dy, _, _ = place(sh, i, 1.0 if kind == 3 else 0.0)
    n0 = x - px
    n1 = y - py
    dist = math.sqrt(n0 * n0 + n1 * n1)
    if dist > 0.0:
        n0 /= dist
        n1 /= dist
    else:
        size = math.sqrt(dx * dx + dy * dy)
        n0 = dy / size
        n1 = -dx / size
    if kind == 2 and sh.seg[i, 9] == CONCAVE:
        return 2, px, py, -n0, -n1, 0.0, -dist
    return kind, px, py, n0, n1, 0.0, dist


@jit
def feature(sh, i, kind):
    """Number of a foot that lasts while it slides along its run."""
    return sh.seg[i, 11] if kind != 4 else -1.0


@jit
def write(sh, out, k, i, kind, px, py, n0, n1, kappa, gap):
    """Row k of out, in the plane of the curve: e1 along the curve, e2 = z."""
    local(out, k, px, py, 0.0, n0, n1, 0.0, gap, feature(sh, i, kind))
    vector(out, k, E1, -n1, n0, 0.0)
    if kind == 1:
        diagonal(out, k, UB, 1.0, 1.0, kappa, 0.0)
    else:
        diagonal(out, k, UB, 0.0, 1.0, 1.0, 0.0)


@jit
def beyond(sh, i, x, y, d):
    """Is the whole circle of arc i farther from (x, y) than d?"""
    s = sh.seg
    u = s[i, 1] - s[i, 7]
    v = s[i, 2] - s[i, 8]
    r = math.sqrt(u * u + v * v)
    u = x - s[i, 7]
    v = y - s[i, 8]
    q = u * u + v * v
    return q > (r + d) * (r + d) or (r > d and q < (r - d) * (r - d))


@jit
def collect(sh, b, x, y, r, reach, out, first, limit):
    """Points of the curve nearest to a circle of radius r about (x, y) (r 0: a point), one for each foot that sees it:
    number of rows.

    A centre outside the material touches every foot nearer than r + reach: both sides of a groove.  A centre inside is
    pushed out through the nearest foot, however deep it lies; behind an open curve, and outside of the bounding box of
    a curve of many rows that has material there, r deep at most."""
    n = 0
    best = math.inf  # minimum distance of all, and what it belongs to
    sign = 0.0
    keep = -1
    d = r + max(reach, 0.0)
    deep = math.inf if r == 0.0 or sh.seg[sh.first[b, 0], 9] != FREE else r
    q = sh.first[b, 2]
    if sh.first[b, 3] == 0:
        d = max(d, deep)
    elif sh.node[q, 0] <= x <= sh.node[q, 3] and sh.node[q, 1] <= y <= sh.node[q, 4]:
        d = max(d, sh.node[q, 3] - sh.node[q, 0] + sh.node[q, 4] - sh.node[q, 1])  # it may be deep inside
    else:
        deep = r
    k = 0
    while True:
        i, k = near(sh, b, k, x, y, d)
        if i < 0:
            break
        if sh.seg[i, 0] == ARC and beyond(sh, i, x, y, d):
            continue
        kind, px, py, n0, n1, kappa, dist = candidate(sh, b, i, x, y)
        if kind == 0:
            continue
        if abs(dist) < best:
            best = abs(dist)
            sign = dist
            keep = i
            d = min(d, max(best, r + max(reach, 0.0)) * 1.0000001)
        if dist >= 0.0 and dist - r < reach:
            row = room(out, first, n, limit, dist - r)
            if row >= 0:
                write(sh, out, row, i, kind, px, py, n0, n1, kappa, dist - r)
                n = max(n, row - first + 1)
    if sign < 0.0:
        n = 0
        if best <= deep and -best - r < reach and limit > 0:
            kind, px, py, n0, n1, kappa, dist = candidate(sh, b, keep, x, y)
            write(sh, out, first, keep, kind, px, py, n0, n1, kappa, dist - r)
            n = 1
    return n
