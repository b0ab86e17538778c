"""Nearest points of cylinder, frustum and bore in their half-plane (rho, z): a section turned about z."""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, GAP, UB, VB, N, P
from ._point import diagonal, local, tangent, vector

SIDE, CAP, RIM, TIP = 0, 1, 2, 3


@jit
def section(rho, z, r1, r2, h):
    """(gap, foot rho, foot z, n_rho, n_z, kind, feature) of the point (rho, z) against the frustum of radii r1 at -h
    and r2 at h.

    Inside, the face of minimum depth.  Features: 0 side, 1 and 2 caps below and above, 3 and 4 their rims."""
    size = math.sqrt((r2 - r1) * (r2 - r1) + 4.0 * h * h)
    t0 = (r2 - r1) / size
    t1 = 2.0 * h / size
    x = rho - r1
    y = z + h
    side = x * t1 - y * t0  # normal (t1, -t0)
    along = x * t0 + y * t1
    top = z - h
    low = -h - z
    if side <= 0.0 and top <= 0.0 and low <= 0.0:
        if side >= top and side >= low:
            return side, rho - side * t1, z + side * t0, t1, -t0, SIDE, 0.0
        if top >= low:
            return top, rho, h, 0.0, 1.0, CAP, 2.0
        return low, rho, -h, 0.0, -1.0, CAP, 1.0
    if top > 0.0 and rho < r2:
        return top, rho, h, 0.0, 1.0, CAP, 2.0
    if low > 0.0 and rho < r1:
        return low, rho, -h, 0.0, -1.0, CAP, 1.0
    if side > 0.0 and 0.0 <= along <= size:
        return side, rho - side * t1, z + side * t0, t1, -t0, SIDE, 0.0
    r = r1
    w = -h
    feature = 3.0
    if (rho - r2) * (rho - r2) + (z - h) * (z - h) < (rho - r1) * (rho - r1) + (z + h) * (z + h):
        r = r2
        w = h
        feature = 4.0
    x = rho - r
    y = z - w
    dist = math.sqrt(x * x + y * y)
    if dist > 0.0:
        return dist, r, w, x / dist, y / dist, (RIM if r > 0.0 else TIP), feature
    return 0.0, r, w, t1, -t0, (RIM if r > 0.0 else TIP), feature


@jit
def solid_of_revolution(out, k, x, y, z, r1, r2, h):
    """Nearest point of a solid frustum to (x, y, z), into row k in the axes of the frustum."""
    rho = math.sqrt(x * x + y * y)
    c = x / rho if rho > 0.0 else 1.0
    s = y / rho if rho > 0.0 else 0.0
    gap, fr, fz, nr, nz, kind, feature = section(rho, z, r1, r2, h)
    local(out, k, fr * c, fr * s, fz, nr * c, nr * s, nz, gap, feature)
    vector(out, k, E1, -s, c, 0.0)  # round the axis
    if kind == SIDE:
        diagonal(out, k, UB, fr, 1.0, nr, 0.0)
    elif kind == CAP:
        diagonal(out, k, UB, 1.0, 1.0, 0.0, 0.0)
    elif kind == RIM:
        diagonal(out, k, UB, fr, 0.0, nr, 1.0)
    else:
        diagonal(out, k, UB, 0.0, 0.0, 1.0, 1.0)


@jit
def segment(out, k, x, y, z, h):
    """Nearest point of the segment |z| <= h on the axis: a capsule of no radius (row k in its axes)."""
    w = min(max(z, -h), h)
    d = z - w
    dist = math.sqrt(x * x + y * y + d * d)
    if dist > 0.0:
        n0, n1, n2 = x / dist, y / dist, d / dist
    else:
        n0, n1, n2 = 1.0, 0.0, 0.0
    local(out, k, 0.0, 0.0, w, n0, n1, n2, dist, 0.0 if d == 0.0 else (1.0 if d < 0.0 else 2.0))
    if d == 0.0:
        vector(out, k, E1, 0.0, 0.0, 1.0)
        diagonal(out, k, UB, 1.0, 0.0, 0.0, 1.0)
    else:
        t0, t1, t2 = tangent(n0, n1, n2)
        vector(out, k, E1, t0, t1, t2)
        diagonal(out, k, UB, 0.0, 0.0, 1.0, 1.0)


@jit
def thicken(out, k, r):
    """Row k against the surface at distance r outside that of b: its U grows by r V."""
    for c in range(3):
        out[k, P + c] += r * out[k, N + c]
        out[k, UB + c] += r * out[k, VB + c]
    out[k, GAP] -= r
