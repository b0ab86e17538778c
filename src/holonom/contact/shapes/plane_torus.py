"""Plane against a torus: its lowest point, and the three other quarters of the ring when it lies down.

Each quarter carries the whole force law: a wheel rolls upright on one of them.
"""

from __future__ import annotations

from ..._jit import jit
from ._plane import downhill, ring
from ._point import axis, back, centre

POINTS = 4


@jit
def contact(sh, a, b, reach, out, first, limit):
    cx, cy, cz = centre(sh, b, a)
    ux, uy, uz = axis(sh, b, a)
    A = sh.fr.A
    f = sh.frame[b]
    vx, vy, vz = back(A, sh.frame[a], A[f, 0], A[f, 3], A[f, 6])
    s, dx, dy, dz = downhill(ux, uy, uz, vx, vy, vz)
    r = sh.par[b, 0]
    t = sh.par[b, 1]
    n = 0
    for m in range(4):
        n = ring(sh, a, reach, out, first, n, limit, cx, cy, cz, ux, uy, uz, s, dx, dy, dz, r, t, m, cz < t, 1.0, 1.0 * m)
    return n
