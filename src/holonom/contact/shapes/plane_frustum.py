"""Plane against frustum, cone and cylinder.

The lowest points of four circles, at both ends and a third of the way between, carry a quarter of the force law each: a
side lying on the plane carries the whole.  The lower cap adds the other three quarters of its rim: the highest point
and the two between, so that a cap on the plane carries the whole too.  All weights are constant and every gap is a
function of the pose alone, so the force is the gradient of an energy, and the same for every direction of tilt.  Where
the cap is pressed in beyond its centre, the quarters of its rim are taken as points of the body: their sum then turns
as it should.
"""

from __future__ import annotations

from ..._jit import jit
from ...elements.vectors import unrotate
from ._plane import downhill, ring
from ._point import axis, centre

POINTS = 7


@jit
def frustum(sh, a, b, r1, r2, h, reach, out, first, limit):
    cx, cy, cz = centre(sh, b, a)
    ux, uy, uz = axis(sh, b, a)
    A = sh.fr.A
    f = sh.frame[b]
    vx, vy, vz = unrotate(A, sh.frame[a], A[f, 0], A[f, 3], A[f, 6])
    s, dx, dy, dz = downhill(ux, uy, uz, vx, vy, vz)
    end = 3 if uz < 0.0 else 0  # circle of the lower cap
    n = 0
    for i in range(4):
        q = (2.0 * i - 3.0) / 3.0
        z = q * h
        r = 0.5 * ((1.0 - q) * r1 + (1.0 + q) * r2)
        px, py, pz = cx + z * ux, cy + z * uy, cz + z * uz
        flat = i == end and pz < 0.0
        n = ring(
            sh,
            a,
            reach,
            out,
            (first, n, limit),
            (px, py, pz),
            (ux, uy, uz),
            (s, dx, dy, dz),
            (r, 0.0),
            0,
            flat,
            (0.25, 1.0 * i),
        )
        if i == end and r > 0.0:
            for m in range(1, 4):
                n = ring(
                    sh,
                    a,
                    reach,
                    out,
                    (first, n, limit),
                    (px, py, pz),
                    (ux, uy, uz),
                    (s, dx, dy, dz),
                    (r, 0.0),
                    m,
                    flat,
                    (0.25, 3.0 + m + i),
                )
    return n


@jit
def contact(sh, a, b, reach, out, first, limit):
    return frustum(sh, a, b, sh.par[b, 0], sh.par[b, 1], sh.par[b, 2], reach, out, first, limit)
