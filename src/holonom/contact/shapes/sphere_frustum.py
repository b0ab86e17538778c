"""Sphere against a frustum or cone: side, caps, rims and tip."""

from __future__ import annotations

from ..._jit import jit
from ._point import ball, centre
from ._round import solid_of_revolution


@jit
def contact(sh, a, b, reach, out, first, limit):
    x, y, z = centre(sh, a, b)
    solid_of_revolution(out, first, x, y, z, sh.par[b, 0], sh.par[b, 1], sh.par[b, 2])
    return ball(sh, a, b, reach, out, first)
