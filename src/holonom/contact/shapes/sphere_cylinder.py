"""Sphere against a cylinder: side, caps and rims from outside; side and caps of a bore or can from inside.

Without caps a cylinder is its side alone, open beyond its ends.  A bore (inside) has walls at both ends when it has
caps; without caps it is open, and a ball that leaves it meets the rim of its mouth.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, UB
from ._point import ball, centre, diagonal, local, vector
from ._round import solid_of_revolution

POINTS = 3


@jit
def bore(out, k, x, y, z, r, h, part):
    """Wall (part 0: side, or rim of the mouth beyond it) or end wall (1: below, 2: above) of a bore, into row k in its
    axes."""
    rho = math.sqrt(x * x + y * y)
    c = x / rho if rho > 0.0 else 1.0
    s = y / rho if rho > 0.0 else 0.0
    vector(out, k, E1, -s, c, 0.0)
    if part > 0:
        w = -h if part == 1 else h
        up = 1.0 if part == 1 else -1.0
        local(out, k, x, y, w, 0.0, 0.0, up, up * (z - w), 1.0 * part)
        diagonal(out, k, UB, 1.0, 1.0, 0.0, 0.0)
    elif abs(z) <= h:
        local(out, k, r * c, r * s, z, -c, -s, 0.0, r - rho, 0.0)
        diagonal(out, k, UB, r, 1.0, -1.0, 0.0)
    else:
        w = h if z > 0.0 else -h
        d = math.sqrt((rho - r) * (rho - r) + (z - w) * (z - w))
        nr = (rho - r) / d
        local(out, k, r * c, r * s, w, nr * c, nr * s, (z - w) / d, d, 3.0 if z < 0.0 else 4.0)
        diagonal(out, k, UB, r, 0.0, nr, 1.0)


@jit
def contact(sh, a, b, reach, out, first, limit):
    x, y, z = centre(sh, a, b)
    r = sh.par[b, 0]
    h = sh.par[b, 1]
    caps = sh.par[b, 3] != 0.0
    if sh.par[b, 2] == 0.0:
        if not caps:
            if abs(z) > h:
                return 0
            h = 2.0 * (h + r)  # the ends are out of sight
        solid_of_revolution(out, first, x, y, z, r, r, h)
        return ball(sh, a, b, reach, out, first)
    if not caps:
        if abs(z) > h and x * x + y * y > r * r:
            return 0
        bore(out, first, x, y, z, r, h, 0)
        return ball(sh, a, b, reach, out, first)
    # side and end walls are different faces, each with its own point: a ball in the corner of a can touches two
    n = 0
    w = min(max(z, -h), h)
    bore(out, first, x, y, w, r, h, 0)
    if w == z:
        n += ball(sh, a, b, reach, out, first)
    for part in range(1, 3):
        if n < limit:
            bore(out, first + n, x, y, z, r, h, part)
            n += ball(sh, a, b, reach, out, first + n)
    return n
