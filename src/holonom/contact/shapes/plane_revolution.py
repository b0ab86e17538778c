"""Plane against a profile turned about z: the lowest points of the profile in the half-plane that looks down; upright, four round each."""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, FEATURE, GAP, UA, UB, VB, WEIGHT, N, P
from ._point import axis, back, centre, copy_row, diagonal, room, tangent, to_ground, turn, vector
from .plane_curve import lowest

POINTS = 16
LEVEL = 1e-3  # sine of the tilt below which the axis counts as upright


@jit
def contact(sh, a, b, reach, out, first, limit):
    wx, wy, wz = centre(sh, a, b)
    m0, m1, m2 = axis(sh, a, b)
    w = wx * m0 + wy * m1 + wz * m2
    mr = math.sqrt(m0 * m0 + m1 * m1)
    flat = mr < LEVEL
    c, s = (-m0 / mr, -m1 / mr) if mr > 0.0 else (1.0, 0.0)  # downhill
    limit = min(limit, POINTS)
    most = limit // 4 if flat else limit
    n = 0
    for i in range(sh.first[b, 0], sh.first[b, 0] + sh.first[b, 1]):
        n = lowest(sh, b, i, w, -mr, m2, 0.0, reach, out, first, n, most)
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
        out[k, WEIGHT] = 0.25 if flat else 1.0
        if flat:
            diagonal(out, k, UB, 0.0, 0.0, 1.0, 1.0)
            out[k, FEATURE] = 4.0 * out[k, FEATURE]
        elif rho > 0.0:
            out[k, UB + 2], out[k, VB + 2] = rho, mr
    if flat:
        rows = n
        for k in range(first, first + rows):
            x, y, z = out[k, P], out[k, P + 1], out[k, P + 2]
            for quarter in range(1, 4):
                x, y = -y, x
                gap = x * m0 + y * m1 + z * m2 - w
                j = room(out, first, n, limit, gap) if gap < reach else -1
                if j >= 0:
                    copy_row(out, j, k)
                    out[j, P], out[j, P + 1], out[j, GAP] = x, y, gap
                    out[j, FEATURE] += quarter
                    n = max(n, j - first + 1)
    kept = 0
    for k in range(first, first + n):
        if sh.par[a, 0] > 0.0:
            x, y, z = turn(sh.fr.A, sh.frame[b], out[k, P] - wx, out[k, P + 1] - wy, out[k, P + 2] - wz)
            x, y, z = back(sh.fr.A, sh.frame[a], x, y, z)
            if abs(x) > sh.par[a, 0] or abs(y) > sh.par[a, 1]:
                continue
        to_ground(sh, b, out, k)
        diagonal(out, k, UA, 1.0, 1.0, 0.0, 0.0)
        if k != first + kept:
            copy_row(out, first + kept, k)
        kept += 1
    return kept
