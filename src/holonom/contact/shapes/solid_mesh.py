"""Box, cylinder, frustum, capsule or ellipsoid against a triangle mesh or a height field.

Points of the solid against the signed distance of the mesh: corners of a box, both end balls of a capsule, of each rim
of a cylinder or frustum the point that lies deepest and those at quarters from it, the point of an ellipsoid that lies
deepest.  The deepest point is found by turns: normal at its foot, point of the solid furthest against the normal.  In a
recess, such as between a floor and a wall, there is one for each part of the mesh: the search begins at all feet of the
centre (`_mesh.collect`), and names tell them apart.  And corners of the mesh, but for those within its flat faces,
against the solid, and its edges (`_mesh_edges`).  All that push the same way share the force law (`_mesh.share_out`),
corners of the mesh by their area.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..tables import E1, FEATURE, GAP, UA, WEIGHT, N, P
from ..traits import BOX, ELLIPSOID, SEGMENT, core, hollow, margin, radii
from ._address import by_meshes
from ._foot import corner_pushed, foot_on
from ._mesh import (
    LEAF,
    ON,
    against,
    collect,
    corner_looks,
    distance,
    face_normal,
    following,
    keep,
    on_surface,
    share_out,
    thin,
    write,
)
from ._mesh_edges import across_solid
from ._point import aligned, centre, copy_row, diagonal, exchange, room, to_ground, vector
from ._scratch import CROWD, crowd
from .sphere_ellipsoid import shape_operator

POINTS = 24
STARTS = 6  # feet of a centre from which deepest points are searched for, in the last rows of the candidates
ONE = 1e-6  # of the radius: deepest points nearer than this are one
FAR = (
    1e300  # reach of the points of all starts but the last: they have their names whether they are within reach or not
)


@jit
def across(sh, a, b, x, y, z):
    """A vector in the axes of a, in the axes of b."""
    x, y, z = rotate(sh.fr.A, sh.frame[a], x, y, z)
    return unrotate(sh.fr.A, sh.frame[b], x, y, z)


@jit
def search(sh, b, x, y, z, r, reach):
    """(triangle, where, foot, distance) of the mesh near a point: within reach, or any distance inside the box of the
    mesh."""
    o = sh.first[b, 2]
    node = sh.node
    d = r + max(reach, 0.0)
    if node[o, 0] <= x <= node[o, 3] and node[o, 1] <= y <= node[o, 4] and node[o, 2] <= z <= node[o, 5]:
        d += node[o, 3] - node[o, 0] + node[o, 4] - node[o, 1] + node[o, 5] - node[o, 2]
    return distance(sh, b, x, y, z, d)


@jit
def named(feature, patch):
    """Name of point ``feature`` (0 to 7) of the solid on a patch of the mesh (`_mesh.collect`: below 0 where a patch
    has two)."""
    return -(16.0 * (patch + 1.0) + feature) if patch >= 0.0 else 16.0 * patch - 8.0 - feature


@jit
def known(out, start, x, y, z, tolerance):
    """Has a start before this one led to (x, y, z)?  Keeps it for those behind."""
    row = CROWD - STARTS
    found = False
    for k in range(row, row + start):
        d = abs(out[k, P] - x) + abs(out[k, P + 1] - y) + abs(out[k, P + 2] - z)
        found = found or d < tolerance
    vector(out, row + start, P, x, y, z)
    return found


@jit
def put(sh, b, point, r, axis, reach, weight, feature, out, first, n, limit):
    """Row (or -1) of a ball of radius r at a point against the mesh, in the axes of b; axis: outward there (unit), or
    zeros; feature: its name, or below 8 what is `named` with the patch of its foot."""
    x, y, z = point
    m0, m1, m2 = axis
    corner = m0 != 0.0 or m1 != 0.0 or m2 != 0.0
    near = on_surface(sh, b) if corner else 0.0
    t, where, fx, fy, fz, dist = search(sh, b, x, y, z, r, max(reach, near))
    if t < 0 or not dist - r < max(reach, near):
        return -1
    row = room(out, first, n, limit, dist - r)
    if row < 0:
        return row
    write(sh, b, out, row, t, where, (x, y, z), (fx, fy, fz), dist, r)
    if corner:
        if r == 0.0:
            looks = corner_looks(sh, b, out, row, t, where, (x, y, z), (fx, fy, fz), (m0, m1, m2), dist)
        else:
            looks = against(out, row, m0, m1, m2, 1.0)
        weight *= looks if out[row, GAP] < reach else 0.0
    out[row, WEIGHT] = weight
    out[row, FEATURE] = feature if feature >= 8.0 else named(feature, out[row, FEATURE])
    for q in range(first, first + n):  # a second point on one patch, as one on its edge
        if q != row and out[q, FEATURE] == out[row, FEATURE]:
            out[row, FEATURE] = named(feature, -1.0 - t)
    diagonal(out, row, UA, r, r, 1.0, 1.0)
    return row


@jit
def normal_at(sh, b, x, y, z):
    """Normal of the mesh at the foot of a point that may be far."""
    o = sh.first[b, 2]
    node = sh.node
    d = 0.0
    for c in range(3):
        d += node[o, c + 3] - node[o, c]
    cx, cy, cz = 0.5 * (node[o, 0] + node[o, 3]), 0.5 * (node[o, 1] + node[o, 4]), 0.5 * (node[o, 2] + node[o, 5])
    d += abs(x - cx) + abs(y - cy) + abs(z - cz)
    _, _, fx, fy, fz, dist = distance(sh, b, x, y, z, d)
    if abs(dist) < 1e-9 * d:
        return 0.0, 0.0, 0.0
    return (x - fx) / dist, (y - fy) / dist, (z - fz) / dist


@jit
def rim(sh, b, centre, axis, r, slope, end, reach, out, first, n, limit):
    """Points of the circle of radius r around e at q: the deepest ones and the quarters from them.  ``slope``: normal
    of the side next to it, across and along the axis."""
    qx, qy, qz = centre
    ex, ey, ez = axis
    row = CROWD - STARTS
    starts = collect(sh, b, qx, qy, qz, r, max(reach, on_surface(sh, b)), out, row, STARTS)
    for start in range(starts):
        top = reach if start + 1 == starts else FAR
        n0, n1, n2 = out[row + start, N], out[row + start, N + 1], out[row + start, N + 2]
        dx = dy = dz = 0.0
        for turns in range(12):
            w = n0 * ex + n1 * ey + n2 * ez
            gx, gy, gz = w * ex - n0, w * ey - n1, w * ez - n2
            s = math.sqrt(gx * gx + gy * gy + gz * gz)
            if s < 1e-9:
                if turns > 0:
                    break
                if abs(ex) < 0.6:
                    gx, gy, gz = 0.0, ez, -ey
                else:
                    gx, gy, gz = -ez, 0.0, ex
                s = math.sqrt(gx * gx + gy * gy + gz * gz)
            gx, gy, gz = gx / s, gy / s, gz / s
            moved = abs(gx - dx) + abs(gy - dy) + abs(gz - dz)
            dx, dy, dz = gx, gy, gz
            if moved < 1e-12:
                break
            n0, n1, n2 = normal_at(sh, b, qx + r * dx, qy + r * dy, qz + r * dz)
        if known(out, start, dx, dy, dz, ONE):
            continue
        tx, ty, tz = ey * dz - ez * dy, ez * dx - ex * dz, ex * dy - ey * dx
        q, s = slope[0], slope[1] + (1.0 if end == 1 else -1.0)  # outward: between cap and side
        size = math.sqrt(q * q + s * s)
        q, s = q / size, s / size
        for quarter in range(4):
            point = qx + r * dx, qy + r * dy, qz + r * dz
            outward = q * dx + s * ex, q * dy + s * ey, q * dz + s * ez
            k = put(sh, b, point, 0.0, outward, top, 0.5, 4.0 * end + quarter, out, first, n, limit)
            if k >= 0:
                if quarter == 0:
                    v = -(out[k, N] * dx + out[k, N + 1] * dy + out[k, N + 2] * dz)
                    aligned(out, k, UA, tx, ty, tz, r, 0.0, v, 1.0)
                n = max(n, k - first + 1)
            dx, dy, dz, tx, ty, tz = tx, ty, tz, -dx, -dy, -dz
    return n


@jit
def ball_end(sh, b, point, r, end, reach, out, first, n, limit):
    """Points of an end of a capsule, a ball at a point."""
    x, y, z = point
    found = collect(sh, b, x, y, z, r, reach, out, first + n, limit - n)
    for k in range(first + n, first + n + found):
        diagonal(out, k, UA, r, r, 1.0, 1.0)
        out[k, WEIGHT] = 0.5
        out[k, FEATURE] = named(end, out[k, FEATURE])
    return n + found


@jit
def ellipsoid(sh, a, b, x, y, z, reach, out, first, n, limit):
    """The deepest points of an ellipsoid at (x, y, z)."""
    A, B, C = sh.par[a, 0], sh.par[a, 1], sh.par[a, 2]
    row = CROWD - STARTS
    starts = collect(sh, b, x, y, z, max(A, B, C), reach, out, row, STARTS)
    for start in range(starts):
        top = reach if start + 1 == starts else FAR
        n0, n1, n2 = out[row + start, N], out[row + start, N + 1], out[row + start, N + 2]
        px = py = pz = 0.0
        for _ in range(12):
            u, v, w = across(sh, b, a, n0, n1, n2)
            s = math.sqrt(A * A * u * u + B * B * v * v + C * C * w * w)
            if not s > 0.0:
                return n
            qx, qy, qz = across(sh, a, b, -A * A * u / s, -B * B * v / s, -C * C * w / s)
            moved = abs(qx - px) + abs(qy - py) + abs(qz - pz)
            px, py, pz = qx, qy, qz
            if moved < 1e-13 * (A + B + C):
                break
            g0, g1, g2 = normal_at(sh, b, x + px, y + py, z + pz)
            if g0 * g0 + g1 * g1 + g2 * g2 > 0.5:
                n0, n1, n2 = g0, g1, g2
        if known(out, start, px, py, pz, ONE * (A + B + C)):
            continue
        k = put(sh, b, (x + px, y + py, z + pz), 0.0, (0.0, 0.0, 0.0), top, 1.0, 0.0, out, first, n, limit)
        if k < 0:
            continue
        n0, n1, n2 = out[k, N], out[k, N + 1], out[k, N + 2]
        e0, e1, e2 = out[k, E1], out[k, E1 + 1], out[k, E1 + 2]
        u, v, w = across(sh, b, a, n0, n1, n2)
        vector(out, k, N, u, v, w)
        u, v, w = across(sh, b, a, e0, e1, e2)
        vector(out, k, E1, u, v, w)
        u, v, w = across(sh, b, a, px, py, pz)
        shape_operator(out, k, UA, 1.0, u, v, w, A, B, C)
        vector(out, k, N, n0, n1, n2)
        vector(out, k, E1, e0, e1, e2)
        n = max(n, k - first + 1)
    return n


@jit
def bent(sh, b, t, c):
    """Whether the triangles round corner c of triangle t are not all in one plane."""
    n0, n1, n2 = face_normal(sh, b, t)
    v = sh.tri[sh.first[b, 1] + t, c]
    x, y, z = sh.vert[sh.first[b, 0] + v, 0], sh.vert[sh.first[b, 0] + v, 1], sh.vert[sh.first[b, 0] + v, 2]
    count = sh.link[sh.first[b, 3], 0]
    k = 0
    while True:
        leaf, k = following(sh, b, k, x, y, z, 0.0)
        if leaf < 0:
            return False
        for u in range(leaf, min(leaf + LEAF, count)):
            for e in range(3):
                if u != t and sh.tri[sh.first[b, 1] + u, e] == v:
                    m0, m1, m2 = face_normal(sh, b, u)
                    if n0 * m0 + n1 * m1 + n2 * m2 < 0.9999995:
                        return True


@jit
def corners(sh, a, b, size, reach, pool, m):
    """Corners of the mesh against the solid (which lies within size of its origin); candidates in ground axes: new
    number of them."""
    cx, cy, cz = centre(sh, a, b)
    sx, sy, sz = centre(sh, b, a)
    vert = sh.first[b, 0]
    head = sh.first[b, 3]
    nv = sh.link[head, 1]
    count = sh.link[head, 0]
    k = 0
    while True:
        leaf, k = following(sh, b, k, cx, cy, cz, size + max(reach, 0.0))
        if leaf < 0:
            return m
        for t in range(leaf, min(leaf + LEAF, count)):
            for c in range(3):
                v = sh.tri[sh.first[b, 1] + t, c]
                row = vert + 2 * nv + v
                if int(sh.vert[row, 0]) != t:
                    continue
                x, y, z = across(sh, b, a, sh.vert[vert + v, 0], sh.vert[vert + v, 1], sh.vert[vert + v, 2])
                x, y, z = x + sx, y + sy, z + sz
                spare = min(m, CROWD - 1)
                foot_on(sh, a, pool, spare, x, y, z)
                if not pool[spare, GAP] < max(reach, ON * size) or not bent(sh, b, t, c):
                    continue
                reach = min(
                    reach, max(pool[spare, GAP], 0.0) + 0.1 * size
                )  # what is much farther than the nearest need not be known
                o = vert + nv + v
                m0, m1, m2 = across(sh, b, a, sh.vert[o, 0], sh.vert[o, 1], sh.vert[o, 2])
                looks = corner_pushed(sh, a, pool, spare, x, y, z, m0, m1, m2, ON * size)
                if not looks > 0.0 or not pool[spare, GAP] < reach:
                    continue
                to_ground(sh, a, pool, spare)
                diagonal(pool, spare, UA, 0.0, 0.0, 1.0, 1.0)
                exchange(pool, spare)
                pool[spare, WEIGHT] = sh.vert[row, 1] * looks
                pool[spare, FEATURE] = 200.0 + v
                m = keep(pool, spare, m)


@jit
def contact(sh, a, b, reach, out, first, limit):
    if hollow(sh, a):
        return by_meshes(sh, a, b, reach, out, first, limit)
    kind = core(sh, a)
    p = sh.par
    thick = margin(sh, a)
    r1, r2, h = radii(sh, a)
    pool = crowd()
    most = 16
    x, y, z = centre(sh, a, b)
    n = 0
    if kind == BOX:
        size = math.sqrt(p[a, 0] * p[a, 0] + p[a, 1] * p[a, 1] + p[a, 2] * p[a, 2]) + thick
        third = 0.5773502691896258
        for c in range(8):
            u, v, w = across(
                sh, a, b, p[a, 0] * (1 - 2 * (c & 1)), p[a, 1] * (1 - (c & 2)), p[a, 2] * (1 - (c & 4) // 2)
            )
            m0, m1, m2 = across(sh, a, b, third * (1 - 2 * (c & 1)), third * (1 - (c & 2)), third * (1 - (c & 4) // 2))
            k = put(sh, b, (x + u, y + v, z + w), thick, (m0, m1, m2), reach, 0.25, 100.0 + c, pool, 0, n, most)
            if k >= 0:
                n = max(n, k + 1)
    elif kind == ELLIPSOID:
        size = max(p[a, 0], max(p[a, 1], p[a, 2]))
        n = ellipsoid(sh, a, b, x, y, z, reach, pool, 0, n, most)
    elif kind == SEGMENT:
        size = thick + h
        for end in range(2):
            u, v, w = across(sh, a, b, 0.0, 0.0, h * (2 * end - 1))
            n = ball_end(sh, b, (x + u, y + v, z + w), thick, end, reach, pool, 0, n, most)
    else:
        size = math.sqrt(h * h + max(r1, r2) ** 2)
        ex, ey, ez = across(sh, a, b, 0.0, 0.0, 1.0)
        side = math.sqrt(4.0 * h * h + (r1 - r2) * (r1 - r2))
        slope = 2.0 * h / side, (r1 - r2) / side
        for end in range(2):
            s = h * (2 * end - 1)
            r = r2 if end == 1 else r1
            n = rim(sh, b, (x + s * ex, y + s * ey, z + s * ez), (ex, ey, ez), r, slope, end, reach, pool, 0, n, most)
    kept = 0
    for k in range(n):
        if pool[k, WEIGHT] > 0.0 and pool[k, GAP] < reach:
            if k != kept:
                copy_row(pool, kept, k)
            to_ground(sh, b, pool, kept)
            kept += 1
    n = corners(sh, a, b, size, reach, pool, kept)
    n = thin(pool, across_solid(sh, a, b, size, reach, pool, n), out, first, min(limit, POINTS))
    share_out(out, first, n, 0.0)
    return n
