"""Plane against a box: its corners (the balls there, of a box with a margin), a quarter of the force law each (a face
on the plane carries the whole)."""

from __future__ import annotations

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..traits import margin
from ._plane import put
from ._point import centre

POINTS = 8


@jit
def contact(sh, a, b, reach, out, first, limit):
    cx, cy, cz = centre(sh, b, a)
    A = sh.fr.A
    r = margin(sh, b)
    n = 0
    for i in range(8):
        x = sh.par[b, 0] if i & 1 else -sh.par[b, 0]
        y = sh.par[b, 1] if i & 2 else -sh.par[b, 1]
        z = sh.par[b, 2] if i & 4 else -sh.par[b, 2]
        x, y, z = rotate(A, sh.frame[b], x, y, z)
        x, y, z = unrotate(A, sh.frame[a], x, y, z)
        n = put(
            sh,
            a,
            reach,
            out,
            (first, n, limit),
            (cx + x, cy + y, cz + z - r),
            (1.0, 0.0),
            (r, r, 1.0, 1.0),
            0.25,
            1.0 * i,
        )
    return n
