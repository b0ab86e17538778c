"""Ball or point against an extruded profile: side, ends and rims, from outside or inside.

Twisted extrusions are taken at the height of the ball's centre, with the normal of the helicoid there (first order:
right where it touches).
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, GAP, UA, UB, VB, WEIGHT, N, P
from ._curve import candidate, collect, near
from ._point import ball, centre, diagonal, local, to_ground, vector

POINTS = 6


@jit
def side_of(sh, b, x, y):
    """Signed distance of (x, y) to a closed profile, negative inside."""
    best = math.inf
    sign = 1.0
    k = 0
    while True:
        i, k = near(sh, b, k, x, y, best)
        if i < 0:
            return sign * best
        kind, _, _, _, _, _, dist = candidate(sh, b, i, x, y)
        if kind > 0 and abs(dist) < best:
            best = abs(dist)
            sign = 1.0 if dist >= 0.0 else -1.0


@jit
def spin(out, k, c, s):
    """Row k turned by (c, s) about z."""
    for column in range(3):
        j = P if column == 0 else (N if column == 1 else E1)
        x, y = out[k, j], out[k, j + 1]
        out[k, j], out[k, j + 1] = c * x - s * y, s * x + c * y


@jit
def end_face(sh, b, out, k, x, y, z):
    """Row k: foot on the end nearer to z."""
    up = 1.0 if z >= 0.0 else -1.0
    local(out, k, x, y, up * sh.par[b, 0], 0.0, 0.0, up, abs(z) - sh.par[b, 0], -2.0 - up)
    vector(out, k, E1, 1.0, 0.0, 0.0)
    diagonal(out, k, UB, 1.0, 1.0, 0.0, 0.0)


@jit
def contact(sh, a, b, reach, out, first, limit):
    x, y, z = centre(sh, a, b)
    r = sh.par[a, 0]
    h = sh.par[b, 0]
    tau = sh.par[b, 1]
    over = abs(z) - h
    if not over - r < reach:
        return 0
    angle = tau * min(max(z, -h), h)
    c = math.cos(angle)
    s = math.sin(angle)
    x, y = c * x + s * y, c * y - s * x
    limit = min(limit, POINTS)
    o = sh.first[b, 2]
    d = r + max(reach, 0.0)
    if sh.first[b, 3] > 0 and not (
        sh.node[o, 0] - d < x and x < sh.node[o, 3] + d and sh.node[o, 1] - d < y and y < sh.node[o, 4] + d
    ):
        return 0
    inside = side_of(sh, b, x, y)
    if inside < 0.0 and over > inside:  # above an end, or nearer to it than to the side
        end_face(sh, b, out, first, x, y, z)
        spin(out, first, c, s)
        return ball(sh, a, b, reach, out, first)
    if over > 0.0:  # the rim
        d = r + reach
        if not d > over:
            return 0
        n = collect(sh, b, x, y, 0.0, math.sqrt(d * d - over * over) if d < math.inf else d, out, first, limit)
    else:
        n = collect(sh, b, x, y, r, reach, out, first, limit)
    for k in range(first, first + n):
        if over > 0.0:
            up = 1.0 if z > 0.0 else -1.0
            g = out[k, GAP]
            dist = math.sqrt(g * g + over * over)
            n0, n1 = out[k, N] * g / dist, out[k, N + 1] * g / dist
            vector(out, k, N, n0, n1, up * over / dist)
            out[k, P + 2] = up * h
            out[k, GAP] = dist - r
            # an edge: along it the normal turns as its part in the plane does
            out[k, VB] *= g / dist if out[k, UB] > 0.0 else 1.0
            out[k, UB + 2], out[k, VB + 2] = 0.0, 1.0
        else:
            out[k, P + 2] = z
            if tau != 0.0:
                w = tau * (out[k, N] * out[k, P + 1] - out[k, N + 1] * out[k, P])
                q = 1.0 / math.sqrt(1.0 + w * w)
                g = (out[k, GAP] + r) * q
                vector(out, k, N, out[k, N] * q, out[k, N + 1] * q, w * q)
                px, py, pz = x - g * out[k, N], y - g * out[k, N + 1], z - g * out[k, N + 2]
                vector(out, k, P, px, py, pz)
                out[k, GAP] = g - r
        spin(out, k, c, s)
        to_ground(sh, b, out, k)
        out[k, WEIGHT] = 1.0
        diagonal(out, k, UA, r, r, 1.0, 1.0)
    return n
