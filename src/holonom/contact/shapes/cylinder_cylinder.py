"""Cylinder against cylinder: sides, or a shaft in a bore (bearing, bushing, ring); caps and rims through the kernel of
convex shapes.

In a bore two points, at the ends of the length that shaft and bore share, carry half of the force law each: the rim of
the shaft against the wall, or the rim of the bore's mouth against the side of the shaft.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import GAP, WEIGHT
from . import convex
from ._point import axis, centre, exchange
from ._rods import end_station, rods

POINTS = 16
PARALLEL = 0.95  # cosine of the angle between the axes


@jit
def in_bore(sh, a, b, reach, out, first, limit):
    """Shaft a in bore b."""
    _, _, cz = centre(sh, a, b)
    _, _, uz = axis(sh, a, b)
    ha = sh.par[a, 1]
    hb = sh.par[b, 1]
    if abs(cz) >= ha * abs(uz) + hb:
        return 0
    n = 0
    for upper in range(2):
        if n < limit:
            k = first + n
            end_station(sh, a, b, out, k, upper == 1, (sh.par[a, 0], ha, sh.par[b, 0], hb), False, False, -1.0)
            out[k, WEIGHT] = 0.5
            if out[k, GAP] < reach:
                n += 1
    return n


@jit
def between_caps(sh, a, b):
    """Greatest distance between the cylinders along one of their axes (negative: they overlap along both)."""
    cx, cy, cz = centre(sh, a, b)
    ux, uy, uz = axis(sh, a, b)
    s = math.sqrt(ux * ux + uy * uy)
    along = abs(cx * ux + cy * uy + cz * uz)
    return max(
        abs(cz) - sh.par[b, 1] - sh.par[a, 1] * abs(uz) - sh.par[a, 0] * s,
        along - sh.par[a, 1] - sh.par[b, 1] * abs(uz) - sh.par[b, 0] * s,
    )


@jit
def inside_each_other(sh, a, b):
    """Does the axis of one of two nearly parallel cylinders run inside the other one where they are side by side?  Then
    they have not met by their sides.

    The ends of rods are measured by the place of a rim that is nearest to the other axis, which is no depth where the
    rim goes round that axis.
    """
    cx, cy, cz = centre(sh, a, b)
    ux, uy, uz = axis(sh, a, b)
    if not abs(uz) > PARALLEL:
        return False
    middle = 0.5 * (min(cz + sh.par[a, 1] * abs(uz), sh.par[b, 1]) + max(cz - sh.par[a, 1] * abs(uz), -sh.par[b, 1]))
    t = (middle - cz) / uz
    x, y = cx + t * ux, cy + t * uy
    r = max(sh.par[a, 0], sh.par[b, 0])
    return x * x + y * y < r * r


@jit
def deepest(out, first, n):
    g = out[first, GAP]
    for k in range(first + 1, first + n):
        g = min(g, out[k, GAP])
    return g


@jit
def contact(sh, a, b, reach, out, first, limit):
    hollow = sh.par[a, 2] != 0.0
    if sh.par[b, 2] != 0.0:
        return 0 if hollow else in_bore(sh, a, b, reach, out, first, limit)
    if hollow:
        n = in_bore(sh, b, a, reach, out, first, limit)
        for k in range(first, first + n):
            exchange(out, k)
        return n
    n = rods(sh, a, b, reach, out, first, limit, (sh.par[a, 0], sh.par[a, 1], sh.par[b, 0], sh.par[b, 1]), False, False)
    if sh.par[a, 3] == 0.0 or sh.par[b, 3] == 0.0:
        return max(n, 0)  # open ends are not there
    if n >= 0 and not inside_each_other(sh, a, b) and (n == 0 or deepest(out, first, n) >= between_caps(sh, a, b)):
        return n
    return convex.contact(sh, a, b, reach, out, first, limit)
