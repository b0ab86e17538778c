"""Plane against a profile turned about z: the lowest points of the profile in the half-plane that looks down, and where
it stands the three other quarters of the circle that each moves on.

An edge of the profile moves on a circle, a bend on the ring that a ball of its radius sweeps.  Upright, each quarter
carries a quarter of the force law; inclined, the lowest point carries the whole.  The weight goes over between the
sines 0.05 and 0.15 of the tilt, as it does for tori.  Where the profile ends on the axis (a tip, the pole of a bend),
and where the middle of a bend lies on the axis or beyond it, there is one point.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..tables import E1, FEATURE, UA, UB, VB, WEIGHT, N, P
from ._curve import AXIS, place
from ._plane import STANDS
from ._point import axis, centre, copy_row, diagonal, local, room, smooth, to_ground, vector
from .plane_curve import lowest

POINTS = 16
QUARTERS = 4
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
def quarters(sh, b, down, w, standing, reach, out, first, k, n, limit):
    """Weight and curvature of the lowest point in row k, which is still in its half-plane, and the three other quarters
    of its circle: new number of points.

    down: (m0, m1, m2) and (c, s), the direction of steepest descent across the axis; standing: share of the law that
    the quarters have in equal parts."""
    m0, m1, m2, c, s = down
    mr = math.sqrt(m0 * m0 + m1 * m1)
    rho, z = out[k, P], out[k, P + 1]
    e0, e1, kappa = out[k, E1], out[k, E1 + 1], out[k, VB]
    name = float(QUARTERS) * out[k, FEATURE]
    vector(out, k, P, rho * c, rho * s, z)
    vector(out, k, N, -m0, -m1, -m2)
    vector(out, k, E1, e0 * c, e0 * s, e1)
    out[k, WEIGHT], out[k, FEATURE] = 1.0, name
    if not rho > 0.0:
        return n
    out[k, UB + 2], out[k, VB + 2] = rho, mr
    r = 1.0 / kappa if out[k, UB] > 0.0 and kappa > 0.0 else 0.0  # of the ball
    ring, height = rho - r * mr, z + r * m2
    if not standing > 0.0 or not ring > 0.0:
        return n
    out[k, WEIGHT] = 1.0 - 0.75 * standing
    fixed = height * m2 - w < r  # the middle of the circle is in: its points are those of the body
    if fixed:
        diagonal(out, k, UB, r, r, 1.0, 1.0)
    for quarter in range(1, QUARTERS):
        co = 0.0 if quarter != 2 else -1.0
        si = 2.0 - quarter
        x, y = ring * (co * c - si * s), ring * (co * s + si * c)
        gap = x * m0 + y * m1 + height * m2 - w - r
        j = room(out, first, n, limit, gap) if gap < reach else -1
        if j < 0 or j == k:
            continue
        local(out, j, x - r * m0, y - r * m1, height - r * m2, -m0, -m1, -m2, gap, name + quarter)
        vector(out, j, E1, e0 * c, e0 * s, e1)
        if fixed or quarter != 2:
            diagonal(out, j, UB, r, r, 1.0, 1.0)
        else:
            diagonal(out, j, UB, r, ring - r * mr, 1.0, -mr)
        out[j, WEIGHT] = 0.25 * standing
        n = max(n, j - first + 1)
    return n


@jit
def bottoms(sh, b, m0, m1, m2, w, reach, out, first, limit):
    """Number of the points of profile b that are lowest over the plane m . x = w, written in the axes of b."""
    mr = math.sqrt(m0 * m0 + m1 * m1)
    c, s = (-m0 / mr, -m1 / mr) if mr > 1e-12 else (1.0, 0.0)  # downhill
    standing = 1.0 - smooth(mr, STANDS[0], STANDS[1])
    most = limit // QUARTERS if standing > 0.0 else limit
    n = 0
    for i in range(sh.first[b, 0], sh.first[b, 0] + sh.first[b, 1]):
        n = lowest(sh, b, i, w, -mr, m2, 0.0, reach, out, first, n, most)
        n = pole(sh, b, i, w, mr, m2, reach, out, first, n, most)
    for k in range(first, first + n):
        n = quarters(sh, b, (m0, m1, m2, c, s), w, standing, reach, out, first, k, n, limit)
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
