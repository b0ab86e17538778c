"""Plane against an extruded profile without twist: the lowest corners and bends of both ends, half of the weight at
each end.

Standing on an end, the first points of the segments of its rim carry the law in equal parts.  The weight goes over to
the lowest corners and bends between the sines 0.01 and 0.02 of the tilt.  A twisted extrusion is met where its ends
are.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..tables import E1, FEATURE, UA, UB, WEIGHT, P
from ._point import axis, centre, copy_row, diagonal, local, room, smooth, tangent, to_ground, vector
from .plane_curve import lowest

POINTS = 24
STANDS = 0.01, 0.02  # sine of the tilt up to which an end stands on its rim, and from which its lowest points carry
MOST = 12  # points of a rim


@jit
def rim(sh, b, n0, n1, n2, w, weight, reach, out, first, n, limit):
    """First points of the segments of the rim, at most `MOST`, with a weight in equal parts: new number of points."""
    rows = sh.first[b, 1]
    step = (rows + MOST - 1) // MOST
    for i in range(0, rows, step):
        j = sh.first[b, 0] + i
        x, y = sh.seg[j, 1], sh.seg[j, 2]
        gap = x * n0 + y * n1 - w
        k = room(out, first, n, limit, gap) if gap < reach else -1
        if k < 0:
            continue
        local(out, k, x, y, 0.0, -n0, -n1, -n2, gap, float(rows + i))
        t0, t1, t2 = tangent(n0, n1, n2)
        vector(out, k, E1, t0, t1, t2)
        diagonal(out, k, UB, 0.0, 0.0, 1.0, 1.0)
        out[k, WEIGHT] = weight / ((rows + step - 1) // step)
        n = max(n, k - first + 1)
    return n


@jit
def merged(out, start, middle, stop, weight):
    """Rows from ``middle`` on with a weight; a corner that is among those before it adds its weight there: end of the
    rows."""
    end = middle
    for k in range(middle, stop):
        twin = -1
        for j in range(start, middle):
            if out[j, FEATURE] == out[k, FEATURE]:
                twin = j
        if twin >= 0:
            out[twin, WEIGHT] += weight
            continue
        if k != end:
            copy_row(out, end, k)
        out[end, WEIGHT] = weight
        end += 1
    return end


@jit
def contact(sh, a, b, reach, out, first, limit):
    wx, wy, wz = centre(sh, a, b)
    m0, m1, m2 = axis(sh, a, b)
    h = sh.par[b, 0]
    limit = min(limit, POINTS)
    hx = sh.par[a, 0]
    n = 0
    rows = sh.first[b, 1]
    for end in range(2):
        s = h * (2 * end - 1)
        w = wx * m0 + wy * m1 + (wz - s) * m2
        angle = sh.par[b, 1] * s
        co = math.cos(angle)
        si = math.sin(angle)
        n0 = co * m0 + si * m1
        n1 = co * m1 - si * m0
        before = n
        tilt = math.sqrt(n0 * n0 + n1 * n1)
        standing = 1.0 - smooth(tilt, STANDS[0], STANDS[1])
        if standing > 0.0 and s * m2 > 0.0:
            if standing == 1.0:
                continue
        elif standing > 0.0:
            n = rim(sh, b, n0, n1, m2, w, standing, reach, out, first, n, limit)
        rims = n
        if tilt > 1e-9:
            got = 0
            for i in range(sh.first[b, 0], sh.first[b, 0] + rows):
                got = lowest(sh, b, i, w, n0, n1, m2, reach, out, first + rims, got, limit - rims)
            n = merged(out, first + before, first + rims, first + rims + got, 0.5 * (1.0 - standing)) - first
        for k in range(first + before, first + n):
            _set(out, k, co, si, s, end)
    kept = 0
    fa, fb = sh.frame[a], sh.frame[b]
    for k in range(first, first + n):
        if hx > 0.0:
            x, y, z = rotate(sh.fr.A, fb, out[k, P] - wx, out[k, P + 1] - wy, out[k, P + 2] - wz)
            x, y, z = unrotate(sh.fr.A, fa, x, y, z)
            if abs(x) > hx or abs(y) > sh.par[a, 1]:
                continue
        to_ground(sh, b, out, k)
        diagonal(out, k, UA, 1.0, 1.0, 0.0, 0.0)
        j = first + kept
        if j != k:
            copy_row(out, j, k)
        kept += 1
    return kept


@jit
def _set(out, k, c, s, z, end):
    """Row k turned by (c, s) about z and raised to the end."""
    x, y = out[k, P], out[k, P + 1]
    out[k, P], out[k, P + 1], out[k, P + 2] = c * x - s * y, s * x + c * y, z
    for j in (3, E1):
        x, y = out[k, j], out[k, j + 1]
        out[k, j], out[k, j + 1] = c * x - s * y, s * x + c * y
    out[k, FEATURE] = 2.0 * out[k, FEATURE] + end
