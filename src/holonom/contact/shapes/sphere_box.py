"""Sphere against a box, with a margin or without: face, edge or corner; from inside, the nearest face.  In a hollow
sphere, its corners."""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, UB
from ..traits import margin
from ._hollow import corners_in_ball
from ._point import ball, centre, diagonal, local, tangent, vector
from ._round import thicken

POINTS = 8


@jit
def nearest(out, k, x, y, z, hx, hy, hz):
    """Nearest point of the box to (x, y, z), into row k in the axes of the box."""
    cx = min(max(x, -hx), hx)
    cy = min(max(y, -hy), hy)
    cz = min(max(z, -hz), hz)
    dx = x - cx
    dy = y - cy
    dz = z - cz
    i = 0 if dx == 0.0 else (1 if dx > 0.0 else -1)
    j = 0 if dy == 0.0 else (1 if dy > 0.0 else -1)
    m = 0 if dz == 0.0 else (1 if dz > 0.0 else -1)
    number = abs(i) + abs(j) + abs(m)
    if number == 0:  # inside: the face of minimum depth
        gap = max(abs(x) - hx, abs(y) - hy, abs(z) - hz)
        if gap == abs(x) - hx:
            i = 1 if x >= 0.0 else -1
            cx = i * hx
        elif gap == abs(y) - hy:
            j = 1 if y >= 0.0 else -1
            cy = j * hy
        else:
            m = 1 if z >= 0.0 else -1
            cz = m * hz
        n0, n1, n2 = float(i), float(j), float(m)
        number = 1
    else:
        gap = math.sqrt(dx * dx + dy * dy + dz * dz)
        n0, n1, n2 = dx / gap, dy / gap, dz / gap
    local(out, k, cx, cy, cz, n0, n1, n2, gap, 13.0 + i + 3.0 * j + 9.0 * m)
    if number == 2:  # along the edge
        vector(out, k, E1, 1.0 if i == 0 else 0.0, 1.0 if j == 0 else 0.0, 1.0 if m == 0 else 0.0)
        diagonal(out, k, UB, 1.0, 0.0, 0.0, 1.0)
        return
    t0, t1, t2 = tangent(n0, n1, n2)
    vector(out, k, E1, t0, t1, t2)
    if number == 1:
        diagonal(out, k, UB, 1.0, 1.0, 0.0, 0.0)
    else:
        diagonal(out, k, UB, 0.0, 0.0, 1.0, 1.0)


@jit
def contact(sh, a, b, reach, out, first, limit):
    if sh.par[a, 1] != 0.0:
        return corners_in_ball(sh, a, b, reach, out, first, limit)
    x, y, z = centre(sh, a, b)
    nearest(out, first, x, y, z, sh.par[b, 0], sh.par[b, 1], sh.par[b, 2])
    r = margin(sh, b)
    if r > 0.0:
        thicken(out, first, r)
    return ball(sh, a, b, reach, out, first)
