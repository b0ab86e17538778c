"""Corners (with the margin round them) and balls of a shape inside a hollow ball or a bore."""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..tables import E1, FEATURE, GAP, UA, UB, WEIGHT
from ..traits import BOX, core, margin
from ._point import centre, diagonal, local, room, tangent, to_ground, vector
from .sphere_cylinder import bore


@jit
def in_ball(sh, a, b, point, r, weight, feature, reach, out, first, n, limit):
    """One more point: the ball of radius r at (x, y, z), axes of b, inside the hollow ball a; returns how many there
    are."""
    x, y, z = point
    x, y, z = rotate(sh.fr.A, sh.frame[b], x, y, z)
    x, y, z = unrotate(sh.fr.A, sh.frame[a], x, y, z)
    c0, c1, c2 = centre(sh, b, a)
    x, y, z = x + c0, y + c1, z + c2
    rho = math.sqrt(x * x + y * y + z * z)
    gap = sh.par[a, 0] - r - rho
    k = room(out, first, n, limit, gap) if gap < reach else -1
    if k < 0:
        return n
    n0, n1, n2 = (x / rho, y / rho, z / rho) if rho > 0.0 else (1.0, 0.0, 0.0)
    local(out, k, x + r * n0, y + r * n1, z + r * n2, n0, n1, n2, gap, feature)
    e0, e1, e2 = tangent(n0, n1, n2)
    vector(out, k, E1, e0, e1, e2)
    to_ground(sh, a, out, k)
    diagonal(out, k, UA, sh.par[a, 0], sh.par[a, 0], -1.0, -1.0)
    diagonal(out, k, UB, r, r, 1.0, 1.0)
    out[k, WEIGHT] = weight
    return max(n, k - first + 1)


@jit
def corner_count(sh, s):
    return 8 if core(sh, s) == BOX else sh.first[s, 1]


@jit
def corner_of(sh, s, i):
    """(x, y, z, share of the force law) of corner i of a box or hull, in its axes."""
    if core(sh, s) == BOX:
        x = sh.par[s, 0] if i & 1 else -sh.par[s, 0]
        y = sh.par[s, 1] if i & 2 else -sh.par[s, 1]
        return x, y, sh.par[s, 2] if i & 4 else -sh.par[s, 2], 0.25
    v = sh.first[s, 0] + i
    return sh.vert[v, 0], sh.vert[v, 1], sh.vert[v, 2], sh.node[sh.first[s, 2] + sh.first[s, 3] + i, 0]


@jit
def corners_in_ball(sh, a, b, reach, out, first, limit):
    """Box or hull b in the hollow ball a."""
    n = 0
    r = margin(sh, b)
    for i in range(corner_count(sh, b)):
        x, y, z, w = corner_of(sh, b, i)
        n = in_ball(sh, a, b, (x, y, z), r, w, 1.0 * i, reach, out, first, n, limit)
    return n


@jit
def corners_in_bore(sh, a, b, reach, out, first, limit):
    """Box or hull a in the bore b: against its side, and its end walls where it has them (caps)."""
    c0, c1, c2 = centre(sh, a, b)
    r = sh.par[b, 0]
    h = sh.par[b, 1]
    thick = margin(sh, a)
    parts = 3 if sh.par[b, 3] != 0.0 else 1
    n = 0
    for i in range(corner_count(sh, a)):
        x, y, z, w = corner_of(sh, a, i)
        x, y, z = rotate(sh.fr.A, sh.frame[a], x, y, z)
        x, y, z = unrotate(sh.fr.A, sh.frame[b], x, y, z)
        x, y, z = x + c0, y + c1, z + c2
        for part in range(parts):
            # each wall is a plane or a cylinder of its own; beyond an open mouth there is nothing
            gap = (r - math.sqrt(x * x + y * y) if part == 0 else (z + h if part == 1 else h - z)) - thick
            if (part == 0 and abs(z) > h) or not gap < reach:
                continue
            k = room(out, first, n, limit, gap)
            if k < 0:
                continue
            bore(out, k, x, y, z, r, h, part)
            to_ground(sh, b, out, k)
            diagonal(out, k, UA, thick, thick, 1.0, 1.0)
            out[k, GAP] -= thick
            out[k, WEIGHT] = w
            out[k, FEATURE] = 3.0 * i + part
            n = max(n, k - first + 1)
    return n
