"""Sphere against an ellipsoid: the nearest point from outside or inside.

The foot x of a point y solves x_i = a_i^2 y_i / (a_i^2 + t) with sum (x_i / a_i)^2 = 1 (D. Eberly, "Distance from a
point to an ellipse, an ellipsoid, or a hyperellipsoid", 2013).  With s = t + min a^2 the sum is convex and falls for s
> 0: Newton from the left of the root rises to it without fail.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, UB, N
from ._point import ball, centre, local, tangent, vector


@jit
def shape_operator(out, k, column, sign, x, y, z, a, b, c):
    """U = 1 and V = normal's turn per travel at the point (x, y, z) of the ellipsoid, in the tangents of row k (same
    axes); sign -1 where n is against the outward normal (off-diagonal terms belong to e2 = n x e1)."""
    p, q, r = 1.0 / (a * a), 1.0 / (b * b), 1.0 / (c * c)
    size = math.sqrt(x * p * x * p + y * q * y * q + z * r * z * r)
    e0, e1, e2 = out[k, E1], out[k, E1 + 1], out[k, E1 + 2]
    n0, n1, n2 = out[k, N], out[k, N + 1], out[k, N + 2]
    f0, f1, f2 = n1 * e2 - n2 * e1, n2 * e0 - n0 * e2, n0 * e1 - n1 * e0
    vector(out, k, column, 1.0, 0.0, 1.0)
    vector(
        out,
        k,
        column + 3,
        sign * (p * e0 * e0 + q * e1 * e1 + r * e2 * e2) / size,
        sign * (p * e0 * f0 + q * e1 * f1 + r * e2 * f2) / size,
        sign * (p * f0 * f0 + q * f1 * f1 + r * f2 * f2) / size,
    )


@jit
def foot(x, y, z, a, b, c):
    """s of the equation above."""
    low = min(a, b, c)
    low *= low
    da, db, dc = a * a - low, b * b - low, c * c - low
    u, v, w = a * abs(x), b * abs(y), c * abs(z)
    s = max(u - da, v - db, w - dc)
    floor = 1e-14 * low
    s = max(s, floor)
    for _ in range(60):
        p, q, r = u / (s + da), v / (s + db), w / (s + dc)
        f = p * p + q * q + r * r - 1.0
        if not f > 0.0:
            break
        step = 0.5 * f / (p * p / (s + da) + q * q / (s + db) + r * r / (s + dc))
        s += step
        if step <= 1e-16 * s:
            break
    return s, da, db, dc, low


@jit
def nearest(out, k, x, y, z, a, b, c):
    """Nearest point of the ellipsoid to (x, y, z), into row k in its axes."""
    s, da, db, dc, low = foot(x, y, z, a, b, c)
    # x / a^2, the gradient, has no cancellation
    g0, g1, g2 = x / (s + da), y / (s + db), z / (s + dc)
    u, v, w = (a * g0) * (a * g0), (b * g1) * (b * g1), (c * g2) * (c * g2)
    if u + v + w < 1.0 - 1e-9:  # on the plane across the shortest axis, near the centre: two feet, one on either side
        if low == c * c:
            g2 = math.copysign(math.sqrt(1.0 - u - v) / c, z)
        elif low == b * b:
            g1 = math.copysign(math.sqrt(1.0 - u - w) / b, y)
        else:
            g0 = math.copysign(math.sqrt(1.0 - v - w) / a, x)
    size = math.sqrt(g0 * g0 + g1 * g1 + g2 * g2)
    n0, n1, n2 = g0 / size, g1 / size, g2 / size
    local(out, k, a * a * g0, b * b * g1, c * c * g2, n0, n1, n2, (s - low) * size, 0.0)
    t0, t1, t2 = tangent(n0, n1, n2)
    vector(out, k, E1, t0, t1, t2)
    shape_operator(out, k, UB, 1.0, a * a * g0, b * b * g1, c * c * g2, a, b, c)


@jit
def contact(sh, a, b, reach, out, first, limit):
    x, y, z = centre(sh, a, b)
    nearest(out, first, x, y, z, sh.par[b, 0], sh.par[b, 1], sh.par[b, 2])
    return ball(sh, a, b, reach, out, first)
