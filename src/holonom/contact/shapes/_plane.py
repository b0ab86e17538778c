"""Points of a shape b over a plane a: rows in the axes of the plane, n = -z, gap the height of the point."""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, UA, UB, WEIGHT
from ._point import diagonal, local, room, to_ground, vector

#: sine of the tilt up to which a quarter of a ring carries as much as the others, and from which the lowest has all
STANDS = 0.05, 0.15


@jit
def over(sh, a, x, y, z, reach):
    """Whether the point (axes of the plane) is nearer than reach and over the plane's rectangle."""
    hx = sh.par[a, 0]
    return z < reach and (hx <= 0.0 or (abs(x) <= hx and abs(y) <= sh.par[a, 1]))


@jit
def put(sh, a, reach, out, rows, point, along, turning, weight, feature):
    """One more point (x, y, z) of b with tangent (e1, e2, 0) and curvature diag(u), diag(v); returns how many there
    are."""
    first, n, limit = rows
    x, y, z = point
    e1, e2 = along
    u1, u2, v1, v2 = turning
    if not over(sh, a, x, y, z, reach):
        return n
    k = room(out, first, n, limit, z)
    if k < 0:
        return n
    local(out, k, x, y, z, 0.0, 0.0, -1.0, z, feature)
    vector(out, k, E1, e1, e2, 0.0)
    to_ground(sh, a, out, k)
    out[k, WEIGHT] = weight
    diagonal(out, k, UA, 1.0, 1.0, 0.0, 0.0)
    diagonal(out, k, UB, u1, u2, v1, v2)
    return max(n, k - first + 1)


@jit
def downhill(ux, uy, uz, vx, vy, vz):
    """(sine of the tilt, direction of steepest descent across the axis u); v: a vector across u for the case of no
    tilt.

    With d = (-z + uz u) / sin: the lowest point of a circle of radius r round u lies at r d."""
    s = math.sqrt(ux * ux + uy * uy)
    if s > 1e-12:
        return s, uz * ux / s, uz * uy / s, -s
    size = math.sqrt(vx * vx + vy * vy)
    return 0.0, vx / size, vy / size, 0.0


@jit
def ring(sh, a, reach, out, rows, centre, axis, lowest, circle, quarter, fixed, label):
    """Point of a circle (centre c, axis u, radius r, thick by t), quarter 0: lowest, 2: highest, 1 and 3: between them.

    The lowest and the highest move along the circle as the body turns; fixed: they are taken as points of the body."""
    first, n, limit = rows
    cx, cy, cz = centre
    ux, uy, uz = axis
    s, dx, dy, dz = lowest
    r, t = circle
    weight, feature = label
    ex, ey, ez = uy * dz - uz * dy, uz * dx - ux * dz, ux * dy - uy * dx  # tangent at the lowest point, level
    c = 1.0 if quarter == 0 else (-1.0 if quarter == 2 else 0.0)
    w = 1.0 if quarter == 1 else (-1.0 if quarter == 3 else 0.0)
    x = cx + r * (c * dx + w * ex)
    y = cy + r * (c * dy + w * ey)
    z = cz + r * (c * dz + w * ez) - t
    size = math.sqrt(ex * ex + ey * ey)
    ex /= size
    ey /= size
    if fixed or r <= 0.0 or w != 0.0:
        return put(sh, a, reach, out, (first, n, limit), (x, y, z), (ex, ey), (t, t, 1.0, 1.0), weight, feature)
    v = c * s  # outward normal -z on the direction away from the axis
    return put(sh, a, reach, out, (first, n, limit), (x, y, z), (ex, ey), (r + t * v, t, v, 1.0), weight, feature)
