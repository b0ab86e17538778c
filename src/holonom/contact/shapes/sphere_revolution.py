"""Ball or point against a profile turned about z: as a circle against the profile in the half-plane through its centre.

Each foot of the centre is a point of its own: a ball in a groove touches both walls.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import UA, WEIGHT
from ._curve import collect
from ._point import centre, diagonal, to_ground
from ._revolved import revolve

POINTS = 6


@jit
def contact(sh, a, b, reach, out, first, limit):
    x, y, z = centre(sh, a, b)
    r = sh.par[a, 0]
    n = collect(sh, b, math.sqrt(x * x + y * y), z, r, reach, out, first, min(limit, POINTS))
    for k in range(first, first + n):
        revolve(out, k, x, y)
        to_ground(sh, b, out, k)
        out[k, WEIGHT] = 1.0
        diagonal(out, k, UA, r, r, 1.0, 1.0)
    return n
