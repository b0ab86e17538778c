"""Plane against a profile turned about z: the lowest points of the profile in the half-plane that looks down; upright,
four round each.

Where the profile ends on the axis (a tip, the pole of a bend) there is one point, on the axis.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..tables import E1, FEATURE, GAP, UA, UB, VB, WEIGHT, N, P
from ._curve import AXIS, place
from ._point import axis, centre, copy_row, diagonal, local, room, tangent, to_ground, vector
from .plane_curve import lowest

POINTS = 16
LEVEL = 1e-3  # sine of the tilt below which the axis counts as upright
POLE = 1e-6  # sine of the slope below which the profile meets the axis at a right angle


@jit
def pole(sh, b, i, w, mr, m2, reach, out, first, n, limit):
    """Ends of row i on the axis, where they are lower than what is round them: new number of points.

    With x' the direction away from the axis, the point is lowest where x' . n >= 0 downhill, n = (-mr, m2), and outside
    where the material lies on the other side of it."""
    for end in range(2):
        if sh.seg[i, 9 + end] != AXIS:
            continue
        _, z, dx, dy, ex, ey = place(sh, i, float(end))
        way = 1.0 if end == 0 else -1.0
        if not way * (dy * m2 - dx * mr) >= 0.0 or not dx * m2 + dy * mr > 0.0:
            continue
        size = math.sqrt(dx * dx + dy * dy)
        bend = (dx * ey - dy * ex) / (size * size * size)
        if abs(dy) < POLE * size and not bend > 0.0:
            continue  # a flat face: its rim touches
        gap = z * m2 - w
        k = room(out, first, n, limit, gap) if gap < reach else -1
        if k < 0:
            continue
        local(out, k, 0.0, z, 0.0, -mr, m2, 0.0, gap, float((2 + end) * sh.first[b, 1] + i - sh.first[b, 0]))
        vector(out, k, E1, m2, mr, 0.0)
        if abs(dy) < POLE * size:
            diagonal(out, k, UB, 1.0, 1.0, bend, bend)
        else:
            diagonal(out, k, UB, 0.0, 0.0, 1.0, 1.0)
        n = max(n, k - first + 1)
    return n


@jit
def bottoms(sh, b, m0, m1, m2, w, reach, out, first, limit):
    """Number of the points of profile b that are lowest over the plane m . x = w, written in the axes of b."""
    mr = math.sqrt(m0 * m0 + m1 * m1)
    flat = mr < LEVEL
    c, s = (-m0 / mr, -m1 / mr) if mr > 0.0 else (1.0, 0.0)  # downhill
    most = limit // 4 if flat else limit
    n = 0
    for i in range(sh.first[b, 0], sh.first[b, 0] + sh.first[b, 1]):
        n = lowest(sh, b, i, w, -mr, m2, 0.0, reach, out, first, n, most)
        n = pole(sh, b, i, w, mr, m2, reach, out, first, n, most)
    for k in range(first, first + n):
        rho = out[k, P]
        z = out[k, P + 1]
        t0, t1, t2 = tangent(m0, m1, m2)
        if not flat:  # in the half-plane: e1 along the profile, e2 round the axis
            e = out[k, E1]
            t0, t1, t2 = e * c, e * s, out[k, E1 + 1]
        vector(out, k, P, rho * c, rho * s, z)
        vector(out, k, N, -m0, -m1, -m2)
        vector(out, k, E1, t0, t1, t2)
        out[k, WEIGHT] = 0.25 if flat and rho > 0.0 else 1.0
        if flat:
            if rho > 0.0:
                diagonal(out, k, UB, 0.0, 0.0, 1.0, 1.0)
            out[k, FEATURE] = 4.0 * out[k, FEATURE]
        elif rho > 0.0:
            out[k, UB + 2], out[k, VB + 2] = rho, mr
    if flat:
        rows = n
        for k in range(first, first + rows):
            x, y, z = out[k, P], out[k, P + 1], out[k, P + 2]
            if x == 0.0 and y == 0.0:
                continue
            for quarter in range(1, 4):
                x, y = -y, x
                gap = x * m0 + y * m1 + z * m2 - w
                j = room(out, first, n, limit, gap) if gap < reach else -1
                if j >= 0:
                    copy_row(out, j, k)
                    out[j, P], out[j, P + 1], out[j, GAP] = x, y, gap
                    out[j, FEATURE] += quarter
                    n = max(n, j - first + 1)
    return n


@jit
def contact(sh, a, b, reach, out, first, limit):
    wx, wy, wz = centre(sh, a, b)
    m0, m1, m2 = axis(sh, a, b)
    n = bottoms(sh, b, m0, m1, m2, wx * m0 + wy * m1 + wz * m2, reach, out, first, min(limit, POINTS))
    kept = 0
    for k in range(first, first + n):
        if sh.par[a, 0] > 0.0:
            x, y, z = rotate(sh.fr.A, sh.frame[b], out[k, P] - wx, out[k, P + 1] - wy, out[k, P + 2] - wz)
            x, y, z = unrotate(sh.fr.A, sh.frame[a], x, y, z)
            if abs(x) > sh.par[a, 0] or abs(y) > sh.par[a, 1]:
                continue
        to_ground(sh, b, out, k)
        diagonal(out, k, UA, 1.0, 1.0, 0.0, 0.0)
        if k != first + kept:
            copy_row(out, first + kept, k)
        kept += 1
    return kept
