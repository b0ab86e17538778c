"""Sphere against a convex hull: face, edge or corner; from inside, the nearest face.  In a hollow sphere, its
corners."""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, UB
from ._hollow import corners_in_ball
from ._point import ball, centre, diagonal, local, tangent, vector

POINTS = 16


@jit
def over_face(sh, f, x, y, z):
    """Whether (x, y, z) lies over face f, within its sides."""
    start = int(sh.node[f, 4])
    count = int(sh.node[f, 5])
    n0, n1, n2 = sh.node[f, 0], sh.node[f, 1], sh.node[f, 2]
    for m in range(count):
        i = sh.link[start + m, 0]
        j = sh.link[start + (m + 1 if m + 1 < count else 0), 0]
        u0, u1, u2 = sh.vert[j, 0] - sh.vert[i, 0], sh.vert[j, 1] - sh.vert[i, 1], sh.vert[j, 2] - sh.vert[i, 2]
        v0, v1, v2 = x - sh.vert[i, 0], y - sh.vert[i, 1], z - sh.vert[i, 2]
        if n0 * (u1 * v2 - u2 * v1) + n1 * (u2 * v0 - u0 * v2) + n2 * (u0 * v1 - u1 * v0) < 0.0:
            return False
    return True


@jit
def nearest(sh, s, out, k, x, y, z):
    """Nearest point of hull s to (x, y, z), into row k in its axes."""
    first = sh.first[s, 2]
    best = first
    high = -1e300
    for f in range(first, first + sh.first[s, 3]):
        d = sh.node[f, 0] * x + sh.node[f, 1] * y + sh.node[f, 2] * z - sh.node[f, 3]
        if d > high:
            high = d
            best = f
    if high > 0.0:
        best = -1
        for f in range(first, first + sh.first[s, 3]):
            d = sh.node[f, 0] * x + sh.node[f, 1] * y + sh.node[f, 2] * z - sh.node[f, 3]
            if d > 0.0 and over_face(sh, f, x, y, z):
                best = f
                high = d
                break
    if best >= 0:
        n0, n1, n2 = sh.node[best, 0], sh.node[best, 1], sh.node[best, 2]
        local(out, k, x - high * n0, y - high * n1, z - high * n2, n0, n1, n2, high, 1.0 * (best - first))
        e0, e1, e2 = tangent(n0, n1, n2)
        vector(out, k, E1, e0, e1, e2)
        diagonal(out, k, UB, 1.0, 1.0, 0.0, 0.0)
        return
    # edges, their ends as corners
    least = 1e300
    p0 = p1 = p2 = e0 = e1 = e2 = feature = 0.0
    corner = False
    for f in range(first, first + sh.first[s, 3]):
        start = int(sh.node[f, 4])
        count = int(sh.node[f, 5])
        for m in range(count):
            i = sh.link[start + m, 0]
            j = sh.link[start + (m + 1 if m + 1 < count else 0), 0]
            if i > j:
                continue  # seen from the other face
            u0, u1, u2 = sh.vert[j, 0] - sh.vert[i, 0], sh.vert[j, 1] - sh.vert[i, 1], sh.vert[j, 2] - sh.vert[i, 2]
            square = u0 * u0 + u1 * u1 + u2 * u2
            t = ((x - sh.vert[i, 0]) * u0 + (y - sh.vert[i, 1]) * u1 + (z - sh.vert[i, 2]) * u2) / square
            w = min(max(t, 0.0), 1.0)
            q0, q1, q2 = sh.vert[i, 0] + w * u0, sh.vert[i, 1] + w * u1, sh.vert[i, 2] + w * u2
            d = (x - q0) ** 2 + (y - q1) ** 2 + (z - q2) ** 2
            if d < least:
                least = d
                p0, p1, p2 = q0, q1, q2
                length = math.sqrt(square)
                e0, e1, e2 = u0 / length, u1 / length, u2 / length
                corner = w != t
                v = sh.first[s, 0]
                number = sh.first[s, 1]
                if corner:
                    feature = 1e3 + (i if w == 0.0 else j) - v
                else:
                    feature = 1e4 + (i - v) * number + j - v
    gap = math.sqrt(least)
    n0, n1, n2 = (x - p0) / gap, (y - p1) / gap, (z - p2) / gap
    local(out, k, p0, p1, p2, n0, n1, n2, gap, feature)
    if corner:
        e0, e1, e2 = tangent(n0, n1, n2)
        diagonal(out, k, UB, 0.0, 0.0, 1.0, 1.0)
    else:
        diagonal(out, k, UB, 1.0, 0.0, 0.0, 1.0)
    vector(out, k, E1, e0, e1, e2)


@jit
def contact(sh, a, b, reach, out, first, limit):
    if sh.par[a, 1] != 0.0:
        return corners_in_ball(sh, a, b, reach, out, first, limit)
    x, y, z = centre(sh, a, b)
    nearest(sh, b, out, first, x, y, z)
    return ball(sh, a, b, reach, out, first)
