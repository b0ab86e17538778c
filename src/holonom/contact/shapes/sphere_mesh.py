"""Ball or point against a triangle mesh, convex or not, from outside or inside it."""

from __future__ import annotations

from ..._jit import jit
from ..tables import UA, WEIGHT
from ._mesh import collect
from ._point import centre, diagonal, to_ground

POINTS = 6


@jit
def contact(sh, a, b, reach, out, first, limit):
    x, y, z = centre(sh, a, b)
    r = sh.par[a, 0]
    n = collect(sh, b, x, y, z, r, reach, out, first, min(limit, POINTS))
    for k in range(first, first + n):
        to_ground(sh, b, out, k)
        out[k, WEIGHT] = 1.0
        diagonal(out, k, UA, r, r, 1.0, 1.0)
    return n
