"""Sphere against a torus: the circle of its centre line, thick by its minor radius."""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, UB
from ._point import ball, centre, diagonal, local, vector
from ._round import thicken


@jit
def circle(out, k, x, y, z, r):
    """Nearest point of the circle of radius r in the plane z = 0, into row k in its axes."""
    rho = math.sqrt(x * x + y * y)
    c = x / rho if rho > 0.0 else 1.0
    s = y / rho if rho > 0.0 else 0.0
    d = math.sqrt((rho - r) * (rho - r) + z * z)
    nr = (rho - r) / d if d > 0.0 else 1.0
    nz = z / d if d > 0.0 else 0.0
    local(out, k, r * c, r * s, 0.0, nr * c, nr * s, nz, d, 0.0)
    vector(out, k, E1, -s, c, 0.0)
    diagonal(out, k, UB, r, 0.0, nr, 1.0)


@jit
def contact(sh, a, b, reach, out, first, limit):
    x, y, z = centre(sh, a, b)
    circle(out, first, x, y, z, sh.par[b, 0])
    thicken(out, first, sh.par[b, 1])
    return ball(sh, a, b, reach, out, first)
