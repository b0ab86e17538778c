"""A profile (r, z) turned about z: feet of points, followed along the profile, and how the distance bends."""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, UB, VB, N, P
from ._curve import AXIS, FREE, SMOOTH, at_end, at_start, before, candidate, following, place
from ._point import vector


@jit
def revolve(out, k, x, y):
    """Row k from the half-plane (r, z) of the profile to the axes of the shape, through (x, y); the second direction
    runs round."""
    rho = math.sqrt(x * x + y * y)
    c = x / rho if rho > 0.0 else 1.0
    s = y / rho if rho > 0.0 else 0.0
    fr = out[k, P]
    nr = out[k, N]
    vector(out, k, P, fr * c, fr * s, out[k, P + 1])
    vector(out, k, N, nr * c, nr * s, out[k, N + 1])
    t = out[k, E1]
    vector(out, k, E1, t * c, t * s, out[k, E1 + 1])
    if fr > 1e-9 * abs(nr) or nr < 0.0:
        out[k, UB + 2] = fr
        out[k, VB + 2] = nr
    else:  # on the axis: the same in all directions
        out[k, UB + 2] = out[k, UB]
        out[k, VB + 2] = out[k, VB]


@jit
def track(sh, b, i, x, y):
    """Row that holds the foot of (x, y) (or starts with the corner that does), walking along the profile from row i;
    -1: none."""
    seg = sh.seg
    for _ in range(64):
        if at_start(sh, i, x, y) < 0.0:
            if seg[i, 9] == FREE:
                return -1
            if seg[i, 9] == AXIS:
                return i
            h = before(sh, b, i)
            if seg[i, 9] != SMOOTH:
                px, py, dx, dy, _, _ = place(sh, h, 1.0)
                if (x - px) * dx + (y - py) * dy >= 0.0:
                    return i
            i = h
        elif at_end(sh, b, i, x, y) >= 0.0:
            if seg[i, 10] == FREE:
                return -1
            if seg[i, 10] == AXIS:
                return i
            i = following(sh, b, i)
            if seg[i, 9] != SMOOTH and at_start(sh, i, x, y) < 0.0:
                return i
        else:
            return i
    return -1


@jit
def surface(sh, b, i, x, y, z):
    """(row, kind, foot r and z, normal r and z, curvature, distance, cos, sin of the azimuth, rho) for the foot of a
    point, from row i on."""
    rho = math.sqrt(x * x + y * y)
    c = x / rho if rho > 0.0 else 1.0
    s = y / rho if rho > 0.0 else 0.0
    i = track(sh, b, i, rho, z)
    if i < 0:
        return -1, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, c, s, rho
    kind, fr, fz, nr, nz, kappa, dist = candidate(sh, b, i, rho, z)
    if kind == 0:
        i = -1
    return i, kind, fr, fz, nr, nz, kappa, dist, c, s, rho


@jit
def second(kind, nr, nz, kappa, dist, c, s, rho, x, y, z):
    """Second derivative of the distance along the vector (x, y, z)."""
    along = -nz * (c * x + s * y) + nr * z
    around = -s * x + c * y
    bend = kappa / (1.0 + kappa * dist) if kind == 1 else 1.0 / max(dist, 1e-300)
    return bend * along * along + (nr / rho * around * around if rho > 0.0 else 0.0)
