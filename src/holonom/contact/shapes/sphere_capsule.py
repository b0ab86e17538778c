"""Sphere against a capsule: the segment of its axis, thick by its radius.  In a hollow sphere, the balls at its
ends."""

from __future__ import annotations

from ..._jit import jit
from ._hollow import in_ball
from ._point import ball, centre
from ._round import segment, thicken

POINTS = 2


@jit
def contact(sh, a, b, reach, out, first, limit):
    if sh.par[a, 1] != 0.0:
        h = sh.par[b, 1]
        n = in_ball(sh, a, b, (0.0, 0.0, -h), sh.par[b, 0], 0.5, 1.0, reach, out, first, 0, limit)
        return in_ball(sh, a, b, (0.0, 0.0, h), sh.par[b, 0], 0.5, 2.0, reach, out, first, n, limit)
    x, y, z = centre(sh, a, b)
    segment(out, first, x, y, z, sh.par[b, 1])
    thicken(out, first, sh.par[b, 0])
    return ball(sh, a, b, reach, out, first)
