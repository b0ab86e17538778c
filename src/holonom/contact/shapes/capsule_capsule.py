"""Capsule against capsule: their sides, or the ball at the end of one against the other."""

from __future__ import annotations

from ..._jit import jit
from ..tables import FEATURE, GAP
from ._point import axis, ball, centre, exchange
from ._rods import rods
from ._round import segment, thicken

POINTS = 3


@jit
def end(sh, a, b, upper, out, k):
    """Ball at an end of capsule a against capsule b: row k."""
    x, y, z = centre(sh, a, b)
    ux, uy, uz = axis(sh, a, b)
    h = sh.par[a, 1] if upper else -sh.par[a, 1]
    segment(out, k, x + h * ux, y + h * uy, z + h * uz, sh.par[b, 1])
    thicken(out, k, sh.par[b, 0])
    ball(sh, a, b, 1e300, out, k)


@jit
def contact(sh, a, b, reach, out, first, limit):
    n = rods(sh, a, b, reach, out, first, limit, (sh.par[a, 0], sh.par[a, 1], sh.par[b, 0], sh.par[b, 1]), True, True)
    if n >= 0:
        return n
    # an end of one is nearest: try the four
    best = 0
    gap = 0.0
    for i in range(5):
        m = best if i == 4 else i
        if m < 2:
            end(sh, a, b, m == 1, out, first)
        else:
            end(sh, b, a, m == 3, out, first)
            exchange(out, first)
        if i == 0 or out[first, GAP] < gap:
            best = m
            gap = out[first, GAP]
    out[first, FEATURE] = 5.0 + best
    return 1 if gap < reach else 0
