"""A plane with a rectangle against anything but a ball: the plane while the other lies over the rectangle, the prism
under it elsewhere.

The kernels of planes take lowest points and corners of the other shape, wherever it reaches down.  A shape that may
reach beyond the rectangle could have all of these outside, with the rim under its middle; it meets the prism, a box,
which has edges and corners.  Over the rectangle both have the same gap and normal, so nothing jumps where one follows
the other.  (Balls: `sphere_plane`.)

The prism is a stand-in of the plane (`stand_in`, "PRISM"): its row is ``par[a, ROLLED]``, and its rows of ``link``
hold, by kind of the other, the address of the plane's kernel in column 0, that of the box's in column 1.
"""

from __future__ import annotations

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..traits import ENDLESS, RING, ROLL
from ..traits import MESHED as BY_MESH
from ._address import MESHED, ROLLED, call
from ._point import centre


@jit
def without_prism(sh, b):
    """Does shape b lack the stand-in by which it would meet a box, or is it without end?"""
    kind = sh.kind[b]
    if ENDLESS[kind] >= 0 and sh.par[b, ENDLESS[kind]] == 0.0:
        return True
    if BY_MESH[kind]:
        return not sh.par[b, MESHED] > 0.0
    return ROLL[kind] == RING and not sh.par[b, ROLLED] > 0.0


@jit
def contact(sh, a, b, reach, out, first, limit):
    q = int(sh.par[a, ROLLED])
    row = sh.first[q, 0] + sh.kind[b]
    hx = sh.par[a, 0]
    if hx <= 0.0 or without_prism(sh, b):
        return call(sh.link[row, 0], (sh, a, b, reach, out, first, limit))
    x, y, z = centre(sh, b, a)
    u, v, w = rotate(sh.fr.A, sh.frame[b], sh.centre[b, 0], sh.centre[b, 1], sh.centre[b, 2])
    u, v, w = unrotate(sh.fr.A, sh.frame[a], u, v, w)
    r = sh.radius[b]
    ex = abs(x + u) - hx
    ey = abs(y + v) - sh.par[a, 1]
    if z + w - r > reach or -z - w - 2.0 * sh.par[q, 2] - r > reach or ex - r > reach or ey - r > reach:
        return 0
    if ex + r <= 0.0 and ey + r <= 0.0 and z + w > -sh.par[q, 2]:
        return call(sh.link[row, 0], (sh, a, b, reach, out, first, limit))
    return call(sh.link[row, 1], (sh, q, b, reach, out, first, limit))
