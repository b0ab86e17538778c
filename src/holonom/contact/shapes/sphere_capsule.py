"""Sphere against a capsule: the segment of its axis, thick by its radius."""

from __future__ import annotations

from ..._jit import jit
from ._point import ball, centre
from ._round import segment, thicken


@jit
def contact(sh, a, b, reach, out, first, limit):
    x, y, z = centre(sh, a, b)
    segment(out, first, x, y, z, sh.par[b, 1])
    thicken(out, first, sh.par[b, 0])
    return ball(sh, a, b, reach, out, first)
