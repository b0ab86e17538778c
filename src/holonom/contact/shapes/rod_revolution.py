"""Capsule against a profile turned about z: a rope's segment in the groove of a pulley.

Along the axis q(u) = c + u e of the rod the distance to the surface has its smallest values where n . e = 0 (Newton
with the curvatures of the surface, bracketed) or at an end.  Each foot on the profile is followed for itself, so that
both walls of a groove and its ground are points of their own.  The end of a capsule is a ball.  A rod whose axis lies
deeper in the material than its radius touches no more.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import FEATURE, UA, WEIGHT, N, P
from ._curve import candidate, near, write
from ._point import aligned, axis, centre, diagonal, room, to_ground
from ._revolved import revolve, second, surface, track

POINTS = 8
STARTS = 9  # places of the axis from which the minimum distances are searched for


@jit
def along(sh, b, i, cx, cy, cz, ex, ey, ez, h, u):
    """(row, u) of the minimum distance along the axis, from u and the foot on row i."""
    low = -h
    high = h
    for _ in range(50):
        i, kind, _, _, nr, nz, kappa, dist, c, s, rho = surface(sh, b, i, cx + u * ex, cy + u * ey, cz + u * ez)
        if i < 0:
            return -1, u
        slope = nr * (c * ex + s * ey) + nz * ez
        bend = second(kind, nr, nz, kappa, dist, c, s, rho, ex, ey, ez)
        if slope > 0.0:
            high = u
        else:
            low = u
        w = u - slope / bend if bend > 0.0 else (-math.inf if slope > 0.0 else math.inf)
        w = min(max(w, -h), h)
        if not (w >= low and w <= high):
            w = 0.5 * (low + high)
        if abs(w - u) <= 1e-14 * h:
            return i, w
        u = w
    return i, u


@jit
def add(sh, b, i, point, r, reach, deep, out, first, n, limit):
    """Row of the point (x, y, z) thick by r (axes of b), its foot on row i: row index, or -1 where nothing is
    written."""
    x, y, z = point
    i = track(sh, b, i, math.sqrt(x * x + y * y), z)
    if i < 0:
        return -1
    kind, fr, fz, nr, nz, kappa, dist = candidate(sh, b, i, math.sqrt(x * x + y * y), z)
    if kind == 0 or not dist - r < reach or dist < -deep:
        return -1
    rho = math.sqrt(x * x + y * y)
    c = x / rho if rho > 0.0 else 1.0
    s = y / rho if rho > 0.0 else 0.0
    near = 1e-6 * (r + abs(fr))
    for k in range(first, first + n):  # found before from another start
        d = max(max(abs(out[k, P] - fr * c), abs(out[k, P + 1] - fr * s)), abs(out[k, P + 2] - fz))
        if d < near and out[k, N] * nr * c + out[k, N + 1] * nr * s + out[k, N + 2] * nz > 0.999999:
            return -1
    k = room(out, first, n, limit, dist - r)
    if k >= 0:
        write(sh, out, k, i, kind, fr, fz, nr, nz, kappa, dist - r)
        revolve(out, k, x, y)
    return k


@jit
def follow(sh, a, b, i, place, centre, axis, reach, out, first, n, limit):
    """Minimum distance from the foot on row i at u of the axis: new number of points (rows in the axes of b)."""
    u, ends = place
    cx, cy, cz = centre
    ex, ey, ez = axis
    r = sh.par[a, 0]
    h = sh.par[a, 1]
    i, u = along(sh, b, i, cx, cy, cz, ex, ey, ez, h, u)
    end = abs(u) >= h * (1.0 - 1e-12)
    if i < 0 or (end and not ends):
        return n
    k = add(sh, b, i, (cx + u * ex, cy + u * ey, cz + u * ez), r, reach, r, out, first, n, limit)
    if k >= 0:
        if end:
            diagonal(out, k, UA, r, r, 1.0, 1.0)
        else:
            aligned(out, k, UA, ex, ey, ez, 1.0, r, 0.0, 1.0)
        out[k, FEATURE] = 3.0 * out[k, FEATURE] + (0.0 if not end else (1.0 if u < 0.0 else 2.0))
        out[k, WEIGHT] = 1.0
        n = max(n, k - first + 1)
    return n


@jit
def rods(sh, a, b, ends, reach, out, first, limit):
    """Points of the line of rod a, thick by its radius, in the axes of b: their number.  ends: also where the line ends
    in a ball."""
    cx, cy, cz = centre(sh, a, b)
    ex, ey, ez = axis(sh, a, b)
    r = sh.par[a, 0]
    h = sh.par[a, 1]
    # a minimum distance lies within half a step of one of the starts, which is farther away by no more than that
    step = 2.0 * h / (STARTS - 1)
    d = r + max(reach, 0.0) + 0.5000001 * step
    n = 0
    for start in range(STARTS):
        u = -h + step * start
        x, y, z = cx + u * ex, cy + u * ey, cz + u * ez
        rho = math.sqrt(x * x + y * y)
        k = 0
        while True:
            i, k = near(sh, b, k, rho, z, d)
            if i < 0:
                break
            kind, _, _, _, _, _, dist = candidate(sh, b, i, rho, z)
            if kind > 0 and dist > -r - 0.5 * step and dist < d:
                n = follow(sh, a, b, i, (u, ends), (cx, cy, cz), (ex, ey, ez), reach, out, first, n, limit)
    return n


@jit
def contact(sh, a, b, reach, out, first, limit):
    n = rods(sh, a, b, True, reach, out, first, min(limit, POINTS))
    for k in range(first, first + n):
        to_ground(sh, b, out, k)
    return n
