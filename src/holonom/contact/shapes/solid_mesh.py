"""Box, cylinder, frustum, capsule or ellipsoid against a triangle mesh or a height field.

Points of the solid against the signed distance of the mesh: corners of a box, both end balls of a capsule, of each rim
of a cylinder or frustum the point that lies deepest and those at quarters from it, the point of an ellipsoid that lies
deepest.  The deepest point is found by turns: normal at its foot, point of the solid furthest against the normal.  In a
recess, such as between a floor and a wall, there is one for each part of the mesh: the search begins at all feet of the
centre (`_mesh.collect`), and names tell them apart.  Faces that differ by little have one each where they form a
hollow: those are known in closed form (`on_faces`).  And corners of the mesh, but for those within its flat faces,
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
    FACE,
    LEAF,
    LOOKS,
    ON,
    against,
    collect,
    corner_looks,
    corner_of,
    distance,
    face_normal,
    following,
    keep,
    knife,
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
NOT_KNOWN = -2, 0, 0.0, 0.0, 0.0, 0.0  # for what `nearest` gives
UPRIGHT = 1e-6  # sine between an axis and the normal of a face below which a rim lies flat: its quarters carry it
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
def put(sh, b, place, r, axis, reach, weight, feature, out, first, n, limit):
    """Row (or -1) of a ball of radius r at a point against the mesh, in the axes of b; axis: outward there (unit), or
    zeros; feature: its name, or from 0 to 7 what is `named` with the patch of its foot; place: the point, and what
    `nearest` gave for it, or `NOT_KNOWN`."""
    point, near_to = place
    x, y, z = point
    m0, m1, m2 = axis
    corner = m0 != 0.0 or m1 != 0.0 or m2 != 0.0
    near = on_surface(sh, b) if corner else 0.0
    t, where, fx, fy, fz, dist = near_to
    if t < -1:
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
    out[row, FEATURE] = named(feature, out[row, FEATURE]) if 0.0 <= feature < 8.0 else feature
    for q in range(first, first + n):  # a second point on one patch, as one on its edge
        if q != row and out[q, FEATURE] == out[row, FEATURE]:
            out[row, FEATURE] = named(feature, -1.0 - t)
    diagonal(out, row, UA, r, r, 1.0, 1.0)
    return row


@jit
def nearest(sh, b, x, y, z):
    """(triangle, where, foot, distance) of the mesh to a point that may be far."""
    o = sh.first[b, 2]
    node = sh.node
    d = 0.0
    for c in range(3):
        d += node[o, c + 3] - node[o, c]
    cx, cy, cz = 0.5 * (node[o, 0] + node[o, 3]), 0.5 * (node[o, 1] + node[o, 4]), 0.5 * (node[o, 2] + node[o, 5])
    d += abs(x - cx) + abs(y - cy) + abs(z - cz)
    return distance(sh, b, x, y, z, d)


@jit
def normal_to(sh, b, x, y, z, near_to):
    """Normal of the mesh at the foot of a point that `nearest` gave; zeros for a point on it."""
    o = sh.first[b, 2]
    node = sh.node
    _, _, fx, fy, fz, dist = near_to
    d = 0.0
    for c in range(3):
        d += node[o, c + 3] - node[o, c]
    if abs(dist) < 1e-9 * d:
        return 0.0, 0.0, 0.0
    return (x - fx) / dist, (y - fy) / dist, (z - fz) / dist


@jit
def rim(sh, b, centre, axis, r, slope, end, reach, out, first, n, limit):
    """Points of the circle of radius r around e at q: the deepest ones and the quarters from them.  ``slope``: normal
    of the side next to it, across and along the axis."""
    qx, qy, qz = centre
    ex, ey, ez = axis
    if not r > 0.0:  # a tip: it looks along the axis
        sign = 1.0 if end == 1 else -1.0
        looks = sign * ex, sign * ey, sign * ez
        k = put(sh, b, (centre, NOT_KNOWN), 0.0, looks, reach, 0.5, 4.0 * end, out, first, n, limit)
        return max(n, k - first + 1)
    row = CROWD - STARTS
    starts = collect(sh, b, qx, qy, qz, r, max(reach, on_surface(sh, b)), out, row, STARTS)
    for start in range(starts):
        top = reach if start + 1 == starts else FAR
        n0, n1, n2 = out[row + start, N], out[row + start, N + 1], out[row + start, N + 2]
        dx = dy = dz = 0.0
        near_to = NOT_KNOWN
        for turns in range(12):
            w = n0 * ex + n1 * ey + n2 * ez
            gx, gy, gz = w * ex - n0, w * ey - n1, w * ez - n2
            s = math.sqrt(gx * gx + gy * gy + gz * gz)
            if s < 1e-9:
                if turns > 0:
                    break  # flat: the point is that of the last turn
                if abs(ex) < 0.6:
                    gx, gy, gz = 0.0, ez, -ey
                else:
                    gx, gy, gz = -ez, 0.0, ex
                s = math.sqrt(gx * gx + gy * gy + gz * gz)
            gx, gy, gz = gx / s, gy / s, gz / s
            moved = abs(gx - dx) + abs(gy - dy) + abs(gz - dz)
            dx, dy, dz = gx, gy, gz
            if moved < 1e-12:
                near_to = near_to if moved == 0.0 else NOT_KNOWN
                break
            x, y, z = qx + r * dx, qy + r * dy, qz + r * dz
            near_to = nearest(sh, b, x, y, z)
            n0, n1, n2 = normal_to(sh, b, x, y, z, near_to)
        if known(out, start, dx, dy, dz, ONE):
            continue
        tx, ty, tz = ey * dz - ez * dy, ez * dx - ex * dz, ex * dy - ey * dx
        circle = centre, axis, r, outwards(slope, end)
        for quarter in range(4):
            n = on_rim(sh, b, circle, (dx, dy, dz), near_to, 4.0 * end + quarter, top, out, first, n, limit)
            near_to = NOT_KNOWN
            dx, dy, dz, tx, ty, tz = tx, ty, tz, -dx, -dy, -dz
    return n


@jit
def outwards(slope, end):
    """Outward direction at a rim, across and along the axis: between cap and side."""
    q, s = slope[0], slope[1] + (1.0 if end == 1 else -1.0)
    size = math.sqrt(q * q + s * s)
    return q / size, s / size


@jit
def on_rim(sh, b, circle, d, near_to, feature, reach, out, first, n, limit):
    """Point of a rim, in the direction d from its centre, against the mesh: new number of points.

    feature: 4 for the upper rim, and the number of quarters from the deepest point; below 0 the name of a deepest one.
    circle: centre, axis, radius, outward direction across and along the axis; near_to: as in `put`."""
    centre, axis, r, outward = circle
    qx, qy, qz = centre
    ex, ey, ez = axis
    dx, dy, dz = d
    q, s = outward
    point = qx + r * dx, qy + r * dy, qz + r * dz
    looks = q * dx + s * ex, q * dy + s * ey, q * dz + s * ez
    k = put(sh, b, (point, near_to), 0.0, looks, reach, 0.5, feature, out, first, n, limit)
    if k < 0:
        return n
    if feature <= 0.0 or feature == 4.0:
        v = -(out[k, N] * dx + out[k, N + 1] * dy + out[k, N + 2] * dz)
        aligned(out, k, UA, ey * dz - ez * dy, ez * dx - ex * dz, ex * dy - ey * dx, r, 0.0, v, 1.0)
    return max(n, k - first + 1)


@jit
def is_new(out, first, n, point, tolerance):
    """Is there no row of this point of the solid?"""
    x, y, z = point
    for k in range(first, first + n):
        g = out[k, GAP]
        d = abs(out[k, P] + g * out[k, N] - x) + abs(out[k, P + 1] + g * out[k, N + 1] - y)
        if d + abs(out[k, P + 2] + g * out[k, N + 2] - z) < tolerance:
            return False
    return True


@jit
def is_over(first, second, third, normal, point):
    """Does the plumb line of a point on the plane of a triangle (corners; its normal of any length) meet that?"""
    nx, ny, nz = normal
    x, y, z = point
    for _ in range(3):
        ax, ay, az = first
        ux, uy, uz = second[0] - ax, second[1] - ay, second[2] - az
        vx, vy, vz = x - ax, y - ay, z - az
        if nx * (uy * vz - uz * vy) + ny * (uz * vx - ux * vz) + nz * (ux * vy - uy * vx) < 0.0:
            return False
        first, second, third = second, third, first
    return True


@jit
def on_faces(sh, a, b, at, size, reach, out, first, n, limit):
    """Further points of an ellipsoid or of rims: those that lie deepest under a face (or nearest above it), where that
    face is the nearest part of the mesh; new number of points.  There the gap is that of a plane, and its least known
    in closed form; faces whose normals differ by little each have one of their own where the surface is hollow.

    at: centre in the axes of b, `size` that of the solid."""
    x, y, z = at
    ball = core(sh, a) == ELLIPSOID
    r1, r2, h = radii(sh, a)
    A, B, C = sh.par[a, 0], sh.par[a, 1], sh.par[a, 2]
    ex, ey, ez = across(sh, a, b, 0.0, 0.0, 1.0)
    side = math.sqrt(4.0 * h * h + (r1 - r2) * (r1 - r2))
    slope = 2.0 * h / side, (r1 - r2) / side
    top = reach if ball else max(reach, on_surface(sh, b))
    count = sh.link[sh.first[b, 3], 0]
    k = 0
    while True:
        leaf, k = following(sh, b, k, x, y, z, size + max(reach, 0.0))
        if leaf < 0:
            return n
        for t in range(leaf, min(leaf + LEAF, count)):
            one, two, three = corner_of(sh, b, t, 0), corner_of(sh, b, t, 1), corner_of(sh, b, t, 2)
            ux, uy, uz = two[0] - one[0], two[1] - one[1], two[2] - one[2]
            vx, vy, vz = three[0] - one[0], three[1] - one[1], three[2] - one[2]
            n0, n1, n2 = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            area = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
            height = n0 * (x - one[0]) + n1 * (y - one[1]) + n2 * (z - one[2])
            if not height < (size + top) * area:
                continue
            n0, n1, n2, height = n0 / area, n1 / area, n2 / area, height / area
            w = n0 * ex + n1 * ey + n2 * ez
            tilt = math.sqrt(max(1.0 - w * w, 0.0))
            for end in range(1 if ball else 2):
                r, up, q, s = 0.0, h * (2 * end - 1), 0.0, 0.0
                if ball:
                    u, v, m = across(sh, b, a, n0, n1, n2)
                    deep = math.sqrt(A * A * u * u + B * B * v * v + C * C * m * m)
                else:
                    r = r2 if end == 1 else r1
                    q, s = outwards(slope, end)
                    deep = r * tilt - up * w
                    if not r > 0.0 or tilt < UPRIGHT or not s * w - q * tilt < -LOOKS:
                        continue
                if not height - deep < top:
                    continue
                if ball:
                    d = across(sh, a, b, -A * A * u / deep, -B * B * v / deep, -C * C * m / deep)
                    point = x + d[0], y + d[1], z + d[2]
                else:
                    d = (w * ex - n0) / tilt, (w * ey - n1) / tilt, (w * ez - n2) / tilt
                    point = x + up * ex + r * d[0], y + up * ey + r * d[1], z + up * ez + r * d[2]
                if not is_over(one, two, three, (n0, n1, n2), point):
                    continue
                if not is_new(out, first, n, point, ONE * size):
                    continue
                near_to = search(sh, b, point[0], point[1], point[2], 0.0, top)
                if near_to[1] != FACE or not abs(near_to[5] - height + deep) < ONE * size:
                    continue
                name = named(4.0 * end, -1.0 - t)
                if ball:
                    n = on_ellipsoid(sh, a, b, at, d, near_to, name, reach, out, first, n, limit)
                else:
                    middle = x + up * ex, y + up * ey, z + up * ez
                    circle = middle, (ex, ey, ez), r, (q, s)
                    n = on_rim(sh, b, circle, d, near_to, name, reach, out, first, n, limit)


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
        near_to = NOT_KNOWN
        for _ in range(12):
            u, v, w = across(sh, b, a, n0, n1, n2)
            s = math.sqrt(A * A * u * u + B * B * v * v + C * C * w * w)
            if not s > 0.0:
                return n
            qx, qy, qz = across(sh, a, b, -A * A * u / s, -B * B * v / s, -C * C * w / s)
            moved = abs(qx - px) + abs(qy - py) + abs(qz - pz)
            px, py, pz = qx, qy, qz
            if moved < 1e-13 * (A + B + C):
                near_to = near_to if moved == 0.0 else NOT_KNOWN
                break
            near_to = nearest(sh, b, x + px, y + py, z + pz)
            g0, g1, g2 = normal_to(sh, b, x + px, y + py, z + pz, near_to)
            if g0 * g0 + g1 * g1 + g2 * g2 > 0.5:
                n0, n1, n2 = g0, g1, g2
        if known(out, start, px, py, pz, ONE * (A + B + C)):
            continue
        n = on_ellipsoid(sh, a, b, (x, y, z), (px, py, pz), near_to, 0.0, top, out, first, n, limit)
    return n


@jit
def on_ellipsoid(sh, a, b, centre, arm, near_to, feature, reach, out, first, n, limit):
    """Point of an ellipsoid, as far from its centre, against the mesh: new number of points."""
    x, y, z = centre
    px, py, pz = arm
    k = put(sh, b, ((x + px, y + py, z + pz), near_to), 0.0, (0.0, 0.0, 0.0), reach, 1.0, feature, out, first, n, limit)
    if k < 0:
        return n
    n0, n1, n2 = out[k, N], out[k, N + 1], out[k, N + 2]
    e0, e1, e2 = out[k, E1], out[k, E1 + 1], out[k, E1 + 2]
    u, v, w = across(sh, b, a, n0, n1, n2)
    vector(out, k, N, u, v, w)
    u, v, w = across(sh, b, a, e0, e1, e2)
    vector(out, k, E1, u, v, w)
    u, v, w = across(sh, b, a, px, py, pz)
    shape_operator(out, k, UA, 1.0, u, v, w, sh.par[a, 0], sh.par[a, 1], sh.par[a, 2])
    vector(out, k, N, n0, n1, n2)
    vector(out, k, E1, e0, e1, e2)
    return max(n, k - first + 1)


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
                flat, meets = 0.0, against(pool, spare, m0, m1, m2, 1.0)
                if pool[spare, GAP] < -ON * size and meets < 1.0:
                    n0, n1, n2 = across(sh, a, b, pool[spare, N], pool[spare, N + 1], pool[spare, N + 2])
                    flat = knife(sh, b, t, c, n0, n1, n2)
                if flat > 0.0:
                    looks = max(flat, meets)
                else:
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
            k = put(
                sh, b, ((x + u, y + v, z + w), NOT_KNOWN), thick, (m0, m1, m2), reach, 0.25, 100.0 + c, pool, 0, n, most
            )
            if k >= 0:
                n = max(n, k + 1)
    elif kind == ELLIPSOID:
        size = max(p[a, 0], max(p[a, 1], p[a, 2]))
        n = ellipsoid(sh, a, b, x, y, z, reach, pool, 0, n, most)
        n = on_faces(sh, a, b, (x, y, z), size, reach, pool, 0, n, most)
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
        n = on_faces(sh, a, b, (x, y, z), size, reach, pool, 0, n, most)
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
