"""Plane against a convex hull: its corners, each with a constant share of the force law (`hull_data.shares`)."""

from __future__ import annotations

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ._plane import put
from ._point import centre

POINTS = 16


@jit
def contact(sh, a, b, reach, out, first, limit):
    cx, cy, cz = centre(sh, b, a)
    A = sh.fr.A
    start = sh.first[b, 0]
    weights = sh.first[b, 2] + sh.first[b, 3]
    n = 0
    for i in range(sh.first[b, 1]):
        x, y, z = rotate(A, sh.frame[b], sh.vert[start + i, 0], sh.vert[start + i, 1], sh.vert[start + i, 2])
        x, y, z = unrotate(A, sh.frame[a], x, y, z)
        w = sh.node[weights + i, 0]
        n = put(
            sh, a, reach, out, (first, n, limit), (cx + x, cy + y, cz + z), (1.0, 0.0), (0.0, 0.0, 1.0, 1.0), w, 1.0 * i
        )
    return n
