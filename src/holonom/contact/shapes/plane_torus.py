"""Plane against a torus: its lowest point, and the three other quarters of the ring when it lies down.

Lying, each quarter carries a quarter of the force law; upright the lowest point carries the whole.  The weight goes
over between the sines 0.05 and 0.15 of the tilt, as it does for tori on anything else (`swept`).
"""

from __future__ import annotations

from ..._jit import jit
from ...elements.vectors import unrotate
from ._plane import STANDS, downhill, ring
from ._point import axis, centre, smooth

POINTS = 4


@jit
def contact(sh, a, b, reach, out, first, limit):
    cx, cy, cz = centre(sh, b, a)
    ux, uy, uz = axis(sh, b, a)
    A = sh.fr.A
    f = sh.frame[b]
    vx, vy, vz = unrotate(A, sh.frame[a], A[f, 0], A[f, 3], A[f, 6])
    s, dx, dy, dz = downhill(ux, uy, uz, vx, vy, vz)
    r = sh.par[b, 0]
    t = sh.par[b, 1]
    n = 0
    flat = 0.25 * (1.0 - smooth(s, STANDS[0], STANDS[1]))
    for m in range(4 if flat > 0.0 else 1):
        w = 1.0 - 3.0 * flat if m == 0 else flat
        n = ring(
            sh,
            a,
            reach,
            out,
            (first, n, limit),
            (cx, cy, cz),
            (ux, uy, uz),
            (s, dx, dy, dz),
            (r, t),
            m,
            cz < t,
            (w, 1.0 * m),
        )
    return n
