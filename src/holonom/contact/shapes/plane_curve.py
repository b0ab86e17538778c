"""Plane against a plane curve: its corners and the bottoms of its bends.  The curve is a wire at z = 0 of its frame.

A straight face touches with both its ends, be they corners or the ends of bends, so that a foot that levels loads the
one while it still stands on the other.  Elsewhere a bottom is the lowest position around: a fine polygon rolls on one
corner at a time.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import unrotate
from ..tables import E1, UA, UB, WEIGHT, P
from ._curve import ARC, CONVEX, SMOOTH, before, following, place
from ._point import bracketed, copy_row, diagonal, local, room, to_ground, vector

POINTS = 8


@jit
def slope(sh, b, i, n0, n1, end):
    """x' . n at the first (end 0) or the last point of row i; at smooth joints with the numbers of the row that
    follows."""
    s = sh.seg
    if end == 0:
        return s[i, 3] * n0 + s[i, 4] * n1
    if s[i, 10] == SMOOTH:
        j = following(sh, b, i)
        return s[j, 3] * n0 + s[j, 4] * n1
    _, _, dx, dy, _, _ = place(sh, i, 1.0)
    return dx * n0 + dy * n1


@jit
def bottom(sh, b, i, n0, n1):
    """t of the lowest point of row i along n between its ends, or -1."""
    f0 = slope(sh, b, i, n0, n1, 0)
    f1 = slope(sh, b, i, n0, n1, 1)
    if not (f0 < 0.0 and f1 >= 0.0):
        return -1.0
    s = sh.seg
    if s[i, 0] == ARC:
        d = s[i, 1] - s[i, 7]
        e = s[i, 2] - s[i, 8]
        t = math.atan2(e * n0 - d * n1, -d * n0 - e * n1) / s[i, 6]  # where the arm from the centre points along -n
        return min(max(t, 0.0), 1.0)
    low = 0.0
    high = 1.0
    t = 0.5
    for _ in range(60):
        _, _, dx, dy, ex, ey = place(sh, i, t)
        f = dx * n0 + dy * n1
        g = ex * n0 + ey * n1
        low, high, m = bracketed(low, high, t, f, g)
        if abs(m - t) < 1e-15:
            return m
        t = m
    return t


@jit
def face(sh, b, i):
    """Is row i straight and not one of the many short chords of a polygon?"""
    s = sh.seg
    if s[i, 0] == ARC or s[i, 5] != 0.0 or s[i, 6] != 0.0 or s[i, 7] != 0.0 or s[i, 8] != 0.0:
        return False
    return math.sqrt(s[i, 3] * s[i, 3] + s[i, 4] * s[i, 4]) > s[sh.first[b, 0] + sh.first[b, 1], 3]


@jit
def foot_of_face(sh, b, i, n0, n1):
    """t of the end of a convex bend that is lowest and where a straight face continues downwards, or -1."""
    s = sh.seg
    if s[i, 0] != ARC or s[i, 6] <= 0.0:
        return -1.0
    if s[i, 9] == SMOOTH and slope(sh, b, i, n0, n1, 0) >= 0.0:
        return 0.0 if face(sh, b, before(sh, b, i)) else -1.0
    if s[i, 10] == SMOOTH and slope(sh, b, i, n0, n1, 1) < 0.0:
        return 1.0 if face(sh, b, following(sh, b, i)) else -1.0
    return -1.0


@jit
def lowest(sh, b, i, w, n0, n1, n2, reach, out, first, n, limit):
    """Bottom and corner of row i: new number of points.  Plane n . x = w in the axes of the curve."""
    across = math.sqrt(n0 * n0 + n1 * n1)
    for part in range(2):
        bend = False
        if part == 0:
            t = bottom(sh, b, i, n0, n1)
            bend = t >= 0.0
            if not bend:
                t = foot_of_face(sh, b, i, n0, n1)
            if t < 0.0:
                continue
        else:
            t = 0.0
            if sh.seg[i, 9] != CONVEX:
                continue
            h = before(sh, b, i)
            if (
                (slope(sh, b, i, n0, n1, 0) < 0.0 or slope(sh, b, h, n0, n1, 1) > 0.0)
                and not face(sh, b, i)
                and not face(sh, b, h)
            ):
                continue
        px, py, dx, dy, ex, ey = place(sh, i, t)
        gap = px * n0 + py * n1 - w
        if not gap < reach or (part == 0 and dx * n1 - dy * n0 < 0.0):  # a dip in a face that looks away from the plane
            continue
        k = room(out, first, n, limit, gap)
        if k < 0:
            continue
        local(
            out,
            k,
            px,
            py,
            0.0,
            -n0,
            -n1,
            -n2,
            gap,
            sh.seg[i, 11] if part == 0 else float(sh.first[b, 1] + i - sh.first[b, 0]),
        )
        vector(out, k, E1, n1 / across, -n0 / across, 0.0)
        if bend:
            size = math.sqrt(dx * dx + dy * dy)
            diagonal(out, k, UB, 1.0, 0.0, across * (dx * ey - dy * ex) / (size * size * size), 1.0)
        else:
            diagonal(out, k, UB, 0.0, 0.0, 1.0, 1.0)
        n = max(n, k - first + 1)
    return n


@jit
def contact(sh, a, b, reach, out, first, limit):
    fa = sh.frame[a]
    fb = sh.frame[b]
    p = sh.fr.p
    A = sh.fr.A
    n0, n1, n2 = unrotate(A, fb, A[fa, 2], A[fa, 5], A[fa, 8])
    if not n0 * n0 + n1 * n1 > 0.01:
        return 0  # the planes are level: no wire touches
    w0, w1, w2 = unrotate(A, fb, p[fa, 0] - p[fb, 0], p[fa, 1] - p[fb, 1], p[fa, 2] - p[fb, 2])
    w = w0 * n0 + w1 * n1 + w2 * n2
    n = 0
    limit = min(limit, POINTS)
    if sh.first[b, 3] == 0:
        for i in range(sh.first[b, 0], sh.first[b, 0] + sh.first[b, 1]):
            n = lowest(sh, b, i, w, n0, n1, n2, reach, out, first, n, limit)
    else:
        node = sh.node
        o = sh.first[b, 2]
        k = 0
        while k < sh.first[b, 3]:
            q = o + k
            x = node[q, 0] if n0 > 0.0 else node[q, 3]
            y = node[q, 1] if n1 > 0.0 else node[q, 4]
            if x * n0 + y * n1 - w < reach:
                k += 1
                if node[q, 7] >= 0.0:
                    n = lowest(sh, b, sh.first[b, 0] + int(node[q, 7]), w, n0, n1, n2, reach, out, first, n, limit)
            else:
                k = int(node[q, 6])
    kept = 0
    hx = sh.par[a, 0]
    for k in range(first, first + n):  # the point on the plane is b's, seen from a: n = -z of the plane
        to_ground(sh, b, out, k)
        out[k, WEIGHT] = 1.0
        diagonal(out, k, UA, 1.0, 1.0, 0.0, 0.0)
        if hx > 0.0:
            x, y, _ = unrotate(A, fa, out[k, P] - p[fa, 0], out[k, P + 1] - p[fa, 1], out[k, P + 2] - p[fa, 2])
            if abs(x) > hx or abs(y) > sh.par[a, 1]:
                continue
        j = first + kept
        if j != k:
            copy_row(out, j, k)
        kept += 1
    return kept
