"""Plane against a triangle mesh: its corners, each with its share by area of those that touch (`_mesh.share_out`)."""

from __future__ import annotations

from ..._jit import jit
from ...elements.vectors import unrotate
from ..tables import E1, UA, UB, WEIGHT
from ._mesh import LEAF, keep, share_out, thin
from ._point import axis, centre, diagonal, local, tangent, to_ground, vector
from ._scratch import CROWD, crowd

POINTS = 24


@jit
def contact(sh, a, b, reach, out, first, limit):
    wx, wy, wz = centre(sh, a, b)
    n0, n1, n2 = axis(sh, a, b)
    w = wx * n0 + wy * n1 + wz * n2
    t0, t1, t2 = tangent(n0, n1, n2)
    hx = sh.par[a, 0]
    vert = sh.first[b, 0]
    head = sh.first[b, 3]
    count = sh.link[head, 0]
    nv = sh.link[head, 1]
    node = sh.node
    pool = crowd()
    m = 0
    k = 0
    while k < sh.link[head, 2]:
        q = sh.first[b, 2] + k
        x = node[q, 0] if n0 > 0.0 else node[q, 3]
        y = node[q, 1] if n1 > 0.0 else node[q, 4]
        z = node[q, 2] if n2 > 0.0 else node[q, 5]
        if not x * n0 + y * n1 + z * n2 - w < reach:
            k = int(node[q, 6])
            continue
        k += 1
        if node[q, 7] < 0.0:
            continue
        leaf = int(node[q, 7])
        for t in range(leaf, min(leaf + LEAF, count)):
            for c in range(3):
                v = sh.tri[sh.first[b, 1] + t, c]
                if int(sh.vert[vert + 2 * nv + v, 0]) != t:
                    continue
                x, y, z = sh.vert[vert + v, 0], sh.vert[vert + v, 1], sh.vert[vert + v, 2]
                gap = x * n0 + y * n1 + z * n2 - w
                if not gap < reach:
                    continue
                if hx > 0.0:
                    fa, fb = sh.frame[a], sh.frame[b]
                    A = sh.fr.A
                    gx, gy, gz = x - wx, y - wy, z - wz  # axes of b to those of a
                    ux = A[fb, 0] * gx + A[fb, 1] * gy + A[fb, 2] * gz
                    uy = A[fb, 3] * gx + A[fb, 4] * gy + A[fb, 5] * gz
                    uz = A[fb, 6] * gx + A[fb, 7] * gy + A[fb, 8] * gz
                    ux, uy, uz = unrotate(A, fa, ux, uy, uz)
                    if abs(ux) > hx or abs(uy) > sh.par[a, 1]:
                        continue
                row = min(m, CROWD - 1)
                local(pool, row, x, y, z, -n0, -n1, -n2, gap, float(v))
                pool[row, WEIGHT] = sh.vert[vert + 2 * nv + v, 1]
                m = keep(pool, row, m)
    n = thin(pool, m, out, first, min(limit, POINTS))
    for row in range(first, first + n):
        vector(out, row, E1, t0, t1, t2)
        to_ground(sh, b, out, row)
        diagonal(out, row, UA, 1.0, 1.0, 0.0, 0.0)
        diagonal(out, row, UB, 0.0, 0.0, 1.0, 1.0)
    share_out(out, first, n, 0.0)
    return n
