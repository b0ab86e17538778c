"""Plane against a capsule: the balls at its ends, half of the force law each."""

from __future__ import annotations

from ..._jit import jit
from ._plane import put
from ._point import axis, centre

POINTS = 2


@jit
def contact(sh, a, b, reach, out, first, limit):
    cx, cy, cz = centre(sh, b, a)
    ux, uy, uz = axis(sh, b, a)
    r = sh.par[b, 0]
    n = 0
    for i in range(2):
        h = sh.par[b, 1] if i else -sh.par[b, 1]
        n = put(
            sh,
            a,
            reach,
            out,
            (first, n, limit),
            (cx + h * ux, cy + h * uy, cz + h * uz - r),
            (1.0, 0.0),
            (r, r, 1.0, 1.0),
            0.5,
            1.0 * i,
        )
    return n
