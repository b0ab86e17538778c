"""Circle against a plane curve: a ball, a point or a pin (cylinder with the axis of the curve), seen along z of the
curve.

The curve is a wall along z, of ``width`` (0: without end); the force lies in its plane.  Beyond the width nothing
touches.  A pin touches where its axis passes the middle of the width that both share, however far from its own middle
that is. A pin against the side of an extrusion is met in the same way.  Pins that are not parallel or that stand on an
end go by `swept` against a curve and by the mesh of an extrusion, as do those against twisted sides.  A pin stands on
the end of an extrusion where the length that both share is less than the depth of the pin in the side: the shorter way
out is the one that it came in by.  Each foot of the centre is a point of its own: a roller in a gap between teeth
touches both.
"""

from __future__ import annotations

from ..._jit import jit
from ..tables import UA, WEIGHT, P
from ..traits import DRUM, ENDLESS, core
from ._address import MESHED, ROLLED, by_balls, by_meshes
from ._curve import collect
from ._point import ALIGNED, axis, centre, diagonal, to_ground
from .sphere_extrusion import side_of

POINTS = 18
END = 0.1  # share of the width of a curve below which a pin stands on an end


@jit
def contact(sh, a, b, reach, out, first, limit):
    x, y, z = centre(sh, a, b)
    r = sh.par[a, 0]
    pin = core(sh, a) == DRUM
    h = sh.par[b, 0] if ENDLESS[sh.kind[b]] < 0 else 0.5 * sh.par[b, 0]
    if pin:
        if sh.par[a, 2] != 0.0:
            return by_meshes(sh, a, b, reach, out, first, limit)  # a bore
        ux, uy, uz = axis(sh, a, b)
        solid = ENDLESS[sh.kind[b]] < 0 and sh.par[b, MESHED] > 0.0
        if solid and (abs(uz) < ALIGNED or sh.par[b, 1] != 0.0):
            return by_meshes(sh, a, b, reach, out, first, limit)
        if sh.par[a, ROLLED] > 0.0 and (abs(uz) < ALIGNED or (ENDLESS[sh.kind[b]] < 0 and sh.par[b, 1] != 0.0)):
            return by_balls(sh, a, b, reach, out, first, limit)
        if not abs(uz) > 0.9:
            return 0
        if h > 0.0:  # in the middle of the width that both share
            high = min(z + sh.par[a, 1], h)
            low = max(z - sh.par[a, 1], -h)
            shared = high - low
            s = (0.5 * (low + high) - z) / uz
            x += s * ux
            y += s * uy
            z = 0.5 * (low + high)
            if solid:
                most = r + min(sh.half[b, 0], sh.half[b, 1])  # no side is deeper than that
                if shared < 0.0 or (shared < most and shared < r - side_of(sh, b, x, y)):
                    return by_meshes(sh, a, b, reach, out, first, limit)
            elif sh.par[a, ROLLED] > 0.0 and shared < END * min(sh.par[a, 1], h):
                return by_balls(sh, a, b, reach, out, first, limit)
            if shared < 0.0:
                return 0
    elif h > 0.0 and abs(z) > h:
        return 0
    n = collect(sh, b, x, y, r, reach, out, first, min(limit, 6))
    for k in range(first, first + n):
        out[k, P + 2] = z
        to_ground(sh, b, out, k)
        out[k, WEIGHT] = 1.0
        if pin:
            diagonal(out, k, UA, r, 0.0, 1.0, 1.0)  # a disc: the position along its axis is fixed to the pin
        else:
            diagonal(out, k, UA, r, r, 1.0, 1.0)
    return n
