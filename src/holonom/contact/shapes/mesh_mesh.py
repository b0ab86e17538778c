"""Mesh against mesh: the corners of each against the signed distance of the other, and their edges against each other
(`_mesh_edges`).

A corner of a that lies within reach of b is a point, pushed along the way to its foot on b, and the other way round;
each with its share by area of those that push the same way (`_mesh.share_out`).
"""

from __future__ import annotations

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..tables import FEATURE, GAP, UA, WEIGHT, N
from ._mesh import (
    LEAF,
    against,
    corner_looks,
    distance,
    following_in,
    keep,
    knife,
    least_half,
    nearest_leaf,
    on_surface,
    seen_box,
    share_out,
    thin,
    write,
)
from ._mesh_edges import across_mesh
from ._point import centre, diagonal, exchange, to_ground
from ._scratch import CROWD, box, crowd

POINTS = 32
SLACK = 0.005  # of the sum of the half sides: points that are farther than the nearest by more are left out


@jit
def corners(sh, a, b, reach, label, pool, m):
    """Corners of mesh a against mesh b, candidates in ground axes: new number of them."""
    fa, fb = sh.frame[a], sh.frame[b]
    A = sh.fr.A
    o = sh.first[b, 2]
    node = sh.node
    hx, hy, hz = 0.5 * (node[o, 3] - node[o, 0]), 0.5 * (node[o, 4] - node[o, 1]), 0.5 * (node[o, 5] - node[o, 2])
    deep = min(hx, hy, hz)  # no ball inside of b is larger: every corner in it has its foot, whatever the reach
    slack = SLACK * (hx + hy + hz)
    for k in range(m):  # what is farther than the nearest by more than this need not be known
        reach = min(reach, max(pool[k, GAP], 0.0) + slack)
    skin = on_surface(sh, b)
    d = max(reach, 0.0) + skin
    place = box()
    seen_box(sh, a, b, o, d, place)
    sx, sy, sz = centre(sh, a, b)
    vert = sh.first[a, 0]
    head = sh.first[a, 3]
    nv = sh.link[head, 1]
    count = sh.link[head, 0]
    k = -1
    near = nearest_leaf(sh, a, place[0], place[1], place[2])  # first, so that what is far is soon left out
    while True:
        if k < 0:
            leaf = near
            k = 0
        else:
            leaf, k = following_in(sh, a, k, place)
            if leaf == near:
                continue
        if leaf < 0:
            return m
        for t in range(leaf, min(leaf + LEAF, count)):
            for c in range(3):
                v = sh.tri[sh.first[a, 1] + t, c]
                if int(sh.vert[vert + 2 * nv + v, 0]) != t:
                    continue
                x, y, z = rotate(A, fa, sh.vert[vert + v, 0], sh.vert[vert + v, 1], sh.vert[vert + v, 2])
                x, y, z = unrotate(A, fb, x, y, z)
                x, y, z = x + sx, y + sy, z + sz
                if not (
                    node[o, 0] - d <= x <= node[o, 3] + d
                    and node[o, 1] - d <= y <= node[o, 4] + d
                    and node[o, 2] - d <= z <= node[o, 5] + d
                ):
                    continue
                inside = (
                    node[o, 0] - skin <= x <= node[o, 3] + skin
                    and node[o, 1] - skin <= y <= node[o, 4] + skin
                    and node[o, 2] - skin <= z <= node[o, 5] + skin
                )
                u, where, fx, fy, fz, dist = distance(sh, b, x, y, z, max(d, deep) if inside else d)
                if u < 0 or not dist < max(reach, skin):
                    continue
                row = min(m, CROWD - 1)
                write(sh, b, pool, row, u, where, (x, y, z), (fx, fy, fz), dist, 0.0)
                m0, m1, m2 = rotate(
                    A, fa, sh.vert[vert + nv + v, 0], sh.vert[vert + nv + v, 1], sh.vert[vert + nv + v, 2]
                )
                m0, m1, m2 = unrotate(A, fb, m0, m1, m2)
                flat, meets = 0.0, against(pool, row, m0, m1, m2, 1.0)
                if dist < -skin and meets < 1.0:
                    n0, n1, n2 = rotate(A, fb, pool[row, N], pool[row, N + 1], pool[row, N + 2])
                    n0, n1, n2 = unrotate(A, fa, n0, n1, n2)
                    flat = knife(sh, a, t, c, n0, n1, n2)
                if flat > 0.0:
                    looks = max(flat, meets)
                else:
                    looks = corner_looks(sh, b, pool, row, u, where, (x, y, z), (fx, fy, fz), (m0, m1, m2), dist)
                dist = pool[row, GAP]
                if not looks > 0.0 or not dist < reach:
                    continue
                if max(dist, 0.0) + slack < reach:
                    reach = max(dist, 0.0) + slack
                    d = reach + skin
                    place[3], place[4], place[5] = hx + d, hy + d, hz + d
                to_ground(sh, b, pool, row)
                pool[row, WEIGHT] = sh.vert[vert + 2 * nv + v, 1] * looks
                pool[row, FEATURE] = 2.0 * v + label
                diagonal(pool, row, UA, 0.0, 0.0, 1.0, 1.0)
                if label > 0.0:
                    exchange(pool, row)
                m = keep(pool, row, m)


@jit
def contact(sh, a, b, reach, out, first, limit):
    pool = crowd()
    m = corners(sh, a, b, reach, 0.0, pool, 0)
    m = corners(sh, b, a, reach, 1.0, pool, m)
    m = across_mesh(sh, a, b, reach, min(least_half(sh, a), least_half(sh, b)), pool, m)
    n = thin(pool, m, out, first, min(limit, POINTS))
    share_out(out, first, n, 0.0)
    return n
