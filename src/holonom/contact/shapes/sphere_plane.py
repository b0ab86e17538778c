"""Sphere against a plane: half-space z <= 0 of the plane's frame, or the prism under its rectangle |x| <= hx, |y| <= hy.

Over the rectangle the plane pushes up however deep the ball is; beside it the ball meets the edges, corners and sides of the prism.
"""

from __future__ import annotations

from ..._jit import jit
from ..tables import E1, UB, P
from ._point import ball, centre, diagonal, local, vector
from .sphere_box import nearest


@jit
def contact(sh, a, b, reach, out, first, limit):
    x, y, z = centre(sh, a, b)
    if z - sh.par[a, 0] >= reach:
        return 0
    hx = sh.par[b, 0]
    hy = sh.par[b, 1]
    if hx > 0.0 and (abs(x) > hx or abs(y) > hy):
        h = max(hx, hy)
        nearest(out, first, x, y, h + max(z, 0.0), hx, hy, h)
        out[first, P + 2] += min(z, 0.0) - h
    else:
        local(out, first, x, y, 0.0, 0.0, 0.0, 1.0, z, 22.0)
        vector(out, first, E1, 1.0, 0.0, 0.0)
        diagonal(out, first, UB, 1.0, 1.0, 0.0, 0.0)
    return ball(sh, a, b, reach, out, first)
