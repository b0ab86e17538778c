"""Plane against an ellipsoid: the point of the ellipsoid whose outward normal is against the plane's."""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import unrotate
from ..tables import E1, UA, UB, WEIGHT
from ._plane import over
from ._point import centre, diagonal, local, tangent, to_ground, vector
from .sphere_ellipsoid import shape_operator


@jit
def contact(sh, a, b, reach, out, first, limit):
    f = sh.frame[a]
    A = sh.fr.A
    qa, qb, qc = sh.par[b, 0], sh.par[b, 1], sh.par[b, 2]
    x, y, z = unrotate(A, sh.frame[b], A[f, 2], A[f, 5], A[f, 8])
    x, y, z = -x, -y, -z
    size = math.sqrt(qa * x * qa * x + qb * y * qb * y + qc * z * qc * z)
    sx, sy, sz = qa * qa * x / size, qb * qb * y / size, qc * qc * z / size
    cx, cy, cz = centre(sh, a, b)  # gap: from the plane's origin along -n = the plane's normal
    gap = -(x * (sx - cx) + y * (sy - cy) + z * (sz - cz))
    local(out, first, sx, sy, sz, x, y, z, gap, 0.0)
    t0, t1, t2 = tangent(x, y, z)
    vector(out, first, E1, t0, t1, t2)
    shape_operator(out, first, UB, 1.0, sx, sy, sz, qa, qb, qc)
    diagonal(out, first, UA, 1.0, 1.0, 0.0, 0.0)
    out[first, WEIGHT] = 1.0
    to_ground(sh, b, out, first)
    # its position over the plane
    p = sh.fr.p
    px, py, pz = unrotate(A, f, out[first, 0] - p[f, 0], out[first, 1] - p[f, 1], out[first, 2] - p[f, 2])
    return 1 if over(sh, a, px, py, gap, reach) else 0
