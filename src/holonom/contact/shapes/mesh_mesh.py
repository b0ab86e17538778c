"""Mesh against mesh: the corners of each against the signed distance of the other.

A corner of a that lies within reach of b is a point, pushed along the way to its foot on b, and the other way round; each with its share
by area of those that push the same way (`_mesh.share_out`).  Edges that cross without a corner inside (a bar laid across the edge of
another) meet only where there are corners: meshes whose triangles are small against the depth of contact see everything; refine long
edges (`stand_in.refined`).
"""

from __future__ import annotations

from ..._jit import jit
from ..tables import FEATURE, UA, WEIGHT
from ._mesh import LEAF, against, crowd, distance, following, share_out, write
from ._point import back, centre, diagonal, exchange, to_ground, turn
from ._scratch import closeness

POINTS = 32
DEEP = 0.25  # of the least half side of the box of a mesh: corners that lie deeper in it are not looked at


@jit
def corners(sh, a, b, reach, label, out, first, n, limit):
    """Corners of mesh a against mesh b, rows in ground axes: new number of rows.  One row more is written to."""
    spare = first + limit
    state = closeness()
    state[0] = 0.0
    fa, fb = sh.frame[a], sh.frame[b]
    A = sh.fr.A
    cx, cy, cz = centre(sh, b, a)  # box of b around its middle, in the axes of a
    o = sh.first[b, 2]
    node = sh.node
    hx, hy, hz = 0.5 * (node[o, 3] - node[o, 0]), 0.5 * (node[o, 4] - node[o, 1]), 0.5 * (node[o, 5] - node[o, 2])
    mx, my, mz = turn(A, fb, node[o, 0] + hx, node[o, 1] + hy, node[o, 2] + hz)
    mx, my, mz = back(A, fa, mx, my, mz)
    cx, cy, cz = cx + mx, cy + my, cz + mz
    d = (hx * hx + hy * hy + hz * hz) ** 0.5 + max(reach, 0.0)
    far = max(reach, DEEP * min(hx, hy, hz))
    sx, sy, sz = centre(sh, a, b)
    vert = sh.first[a, 0]
    head = sh.first[a, 3]
    nv = sh.link[head, 1]
    count = sh.link[head, 0]
    k = 0
    while True:
        leaf, k = following(sh, a, k, cx, cy, cz, d)
        if leaf < 0:
            return n
        for t in range(leaf, min(leaf + LEAF, count)):
            for c in range(3):
                v = sh.tri[sh.first[a, 1] + t, c]
                if int(sh.vert[vert + 2 * nv + v, 0]) != t:
                    continue
                x, y, z = turn(A, fa, sh.vert[vert + v, 0], sh.vert[vert + v, 1], sh.vert[vert + v, 2])
                x, y, z = back(A, fb, x, y, z)
                x, y, z = x + sx, y + sy, z + sz
                inside = node[o, 0] <= x <= node[o, 3] and node[o, 1] <= y <= node[o, 4] and node[o, 2] <= z <= node[o, 5]
                u, where, fx, fy, fz, dist = distance(sh, b, x, y, z, far if inside else max(reach, 0.0))
                if u < 0 or not dist < reach:
                    continue
                write(sh, b, out, spare, u, where, x, y, z, fx, fy, fz, dist, 0.0)
                x, y, z = turn(A, fa, sh.vert[vert + nv + v, 0], sh.vert[vert + nv + v, 1], sh.vert[vert + nv + v, 2])
                x, y, z = back(A, fb, x, y, z)
                looks = against(out, spare, x, y, z, 1.0)
                if not looks > 0.0:
                    continue
                to_ground(sh, b, out, spare)
                out[spare, WEIGHT] = sh.vert[vert + 2 * nv + v, 1] * looks
                out[spare, FEATURE] = 2.0 * v + label
                diagonal(out, spare, UA, 0.0, 0.0, 1.0, 1.0)
                if label > 0.0:
                    exchange(out, spare)
                n = crowd(out, first, n, limit, state)


@jit
def contact(sh, a, b, reach, out, first, limit):
    limit = min(limit, POINTS) - 1
    n = corners(sh, a, b, reach, 0.0, out, first, 0, limit)
    n = corners(sh, b, a, reach, 1.0, out, first, n, limit)
    share_out(out, first, n, 0.0)
    return n
