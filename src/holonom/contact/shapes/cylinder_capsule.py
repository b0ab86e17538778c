"""Cylinder against capsule: their sides, the ball of the capsule in a bore; caps and rims through the kernel of convex
shapes."""

from __future__ import annotations

from ..._jit import jit
from ..tables import GAP, WEIGHT
from . import convex
from ._point import axis, centre, exchange
from ._rods import end_station, rods
from .cylinder_cylinder import deepest

POINTS = 16


@jit
def contact(sh, a, b, reach, out, first, limit):
    ra = sh.par[a, 0]
    ha = sh.par[a, 1]
    rb = sh.par[b, 0]
    hb = sh.par[b, 1]
    if sh.par[a, 2] != 0.0:
        _, _, cz = centre(sh, b, a)
        _, _, uz = axis(sh, b, a)
        if abs(cz) >= hb * abs(uz) + ha:
            return 0
        n = 0
        for upper in range(2):
            if n < limit:
                end_station(sh, b, a, out, first + n, upper == 1, (rb, hb, ra, ha), True, False, -1.0)
                out[first + n, WEIGHT] = 0.5
                exchange(out, first + n)
                if out[first + n, GAP] < reach:
                    n += 1
        return n
    n = rods(sh, a, b, reach, out, first, limit, (ra, ha, rb, hb), False, True)
    if sh.par[a, 3] == 0.0:
        return max(n, 0)
    if n >= 0:
        cx, cy, cz = centre(sh, b, a)
        _, _, uz = axis(sh, b, a)
        if n == 0 or deepest(out, first, n) >= abs(cz) - ha - hb * abs(uz) - rb:
            return n
    return convex.contact(sh, a, b, reach, out, first, limit)
