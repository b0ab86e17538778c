"""Circle against a plane curve: a ball, a point or a pin (cylinder with the axis of the curve), seen along z of the curve.

The curve is a wall along z, of ``width`` (0: without end); the force lies in its plane.  Beyond the width nothing touches.
A pin against the side of an extrusion is met in the same way (no twist).  Each foot of the centre is a point of its own: a roller in a gap between teeth touches both.
"""

from __future__ import annotations

from ..._jit import jit
from ..tables import CYLINDER, EXTRUSION, UA, WEIGHT, P
from ._curve import collect
from ._point import axis, centre, diagonal, to_ground

POINTS = 6


@jit
def contact(sh, a, b, reach, out, first, limit):
    x, y, z = centre(sh, a, b)
    r = sh.par[a, 0]
    pin = sh.kind[a] == CYLINDER
    h = sh.par[b, 0] if sh.kind[b] == EXTRUSION else 0.5 * sh.par[b, 0]
    if pin and not abs(axis(sh, a, b)[2]) > 0.9:
        return 0  # not parallel
    if pin:
        if sh.par[a, 2] != 0.0:
            return 0  # a bore
        if h > 0.0:  # in the middle of the width that both share
            high = min(z + sh.par[a, 1], h)
            low = max(z - sh.par[a, 1], -h)
            if low > high:
                return 0
            z = 0.5 * (low + high)
    elif h > 0.0 and abs(z) > h:
        return 0
    n = collect(sh, b, x, y, r, reach, out, first, min(limit, POINTS))
    for k in range(first, first + n):
        out[k, P + 2] = z
        to_ground(sh, b, out, k)
        out[k, WEIGHT] = 1.0
        if pin:
            diagonal(out, k, UA, r, 0.0, 1.0, 1.0)  # a disc: the place along its axis is fixed to the pin
        else:
            diagonal(out, k, UA, r, r, 1.0, 1.0)
    return n
