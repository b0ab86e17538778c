"""Sphere against a plane: half-space z <= 0 of the plane's frame, or the prism under its rectangle |x| <= hx, |y| <=
hy, max(hx, hy) deep.

Over the rectangle the plane pushes up a ball whose centre is in the upper half of the prism; elsewhere the ball meets a
box (`bounded_plane`).
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
    h = 0.5 * max(hx, hy)
    if hx > 0.0 and (abs(x) > hx or abs(y) > hy or z < -h):
        nearest(out, first, x, y, z + h, hx, hy, h)
        out[first, P + 2] -= h
    else:
        local(out, first, x, y, 0.0, 0.0, 0.0, 1.0, z, 22.0)
        vector(out, first, E1, 1.0, 0.0, 0.0)
        diagonal(out, first, UB, 1.0, 1.0, 0.0, 0.0)
    return ball(sh, a, b, reach, out, first)
