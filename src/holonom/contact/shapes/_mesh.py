"""Nearest points of a triangle mesh (pools as in `mesh`): feet on faces, edges and corners, each where the distance is
least around it."""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import unrotate
from ..tables import COLUMNS, E1, FEATURE, GAP, UB, WEIGHT, N, P
from ..walls import WALL
from ._point import centre, copy_row, diagonal, local, room, smooth, tangent, vector
from ._scratch import CROWD, planes, shares

LEAF = 4
ON = 1e-6  # of the smallest half side of its box: a point so near to the surface of a mesh lies on it
LOOKS = 0.1  # cosine from which on a face looks against a direction
FLAT_ON = 0.8, 0.9  # cosine from which on, and at which, a face of a corner lies on what pushes it
SAME_PLANE = 1e-9  # 1 - cosine: faces that differ by no more lie in one plane
CLEARLY = 1e-6  # cosine by which a face must look more against a direction to be preferred
TIE = 1e-6  # distances, or depths, that differ by less are the same
ALIKE = 0.9  # feet whose normals are nearer than this (cosine) are one contact: the deepest counts

# where the foot is: face, edges 01 12 20, corners 0 1 2
FACE, EDGE, CORNER = 0, 1, 4


@jit
def corner_of(sh, b, t, k):
    v = sh.first[b, 0] + sh.tri[sh.first[b, 1] + t, k]
    return sh.vert[v, 0], sh.vert[v, 1], sh.vert[v, 2]


@jit
def closest(ax, ay, az, bx, by, bz, cx, cy, cz, x, y, z):
    """(where, foot) of (x, y, z) on a triangle (C. Ericson, Real-Time Collision Detection, 5.1.5)."""
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    px, py, pz = x - ax, y - ay, z - az
    d1 = ux * px + uy * py + uz * pz
    d2 = vx * px + vy * py + vz * pz
    if d1 <= 0.0 and d2 <= 0.0:
        return 4, ax, ay, az
    px, py, pz = x - bx, y - by, z - bz
    d3 = ux * px + uy * py + uz * pz
    d4 = vx * px + vy * py + vz * pz
    if d3 >= 0.0 and d4 <= d3:
        return 5, bx, by, bz
    w = d1 * d4 - d3 * d2
    if w <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        return 1, ax + t * ux, ay + t * uy, az + t * uz
    px, py, pz = x - cx, y - cy, z - cz
    d5 = ux * px + uy * py + uz * pz
    d6 = vx * px + vy * py + vz * pz
    if d6 >= 0.0 and d5 <= d6:
        return 6, cx, cy, cz
    q = d5 * d2 - d1 * d6
    if q <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        return 3, ax + t * vx, ay + t * vy, az + t * vz
    p = d3 * d6 - d5 * d4
    if p <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / (d4 - d3 + d5 - d6)
        return 2, bx + t * (cx - bx), by + t * (cy - by), bz + t * (cz - bz)
    s = 1.0 / (p + q + w)
    return 0, ax + s * (q * ux + w * vx), ay + s * (q * uy + w * vy), az + s * (q * uz + w * vz)


@jit
def foot(sh, b, t, x, y, z):
    ax, ay, az = corner_of(sh, b, t, 0)
    bx, by, bz = corner_of(sh, b, t, 1)
    cx, cy, cz = corner_of(sh, b, t, 2)
    return closest(ax, ay, az, bx, by, bz, cx, cy, cz, x, y, z)


@jit
def face_normal(sh, b, t):
    ax, ay, az = corner_of(sh, b, t, 0)
    bx, by, bz = corner_of(sh, b, t, 1)
    cx, cy, cz = corner_of(sh, b, t, 2)
    bx, by, bz, cx, cy, cz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    x, y, z = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    s = 1.0 / math.sqrt(x * x + y * y + z * z)
    return x * s, y * s, z * s


@jit
def pseudonormal(sh, b, t, where):
    """Normal that gives inside from outside at a foot: of the face, of both faces of an edge, of a corner."""
    n0, n1, n2 = face_normal(sh, b, t)
    if where == 0:
        return n0, n1, n2
    if where < 4:
        m0, m1, m2 = face_normal(sh, b, sh.link[sh.first[b, 3] + 1 + t, where - 1])
        return n0 + m0, n1 + m1, n2 + m2
    v = sh.first[b, 0] + sh.link[sh.first[b, 3], 1] + sh.tri[sh.first[b, 1] + t, where - 4]
    return sh.vert[v, 0], sh.vert[v, 1], sh.vert[v, 2]


@jit
def following(sh, b, k, x, y, z, d):
    """(first triangle of the next leaf whose box is nearer than d, k of the next call), -1: no more."""
    node = sh.node
    o = sh.first[b, 2]
    count = sh.link[sh.first[b, 3], 2]
    while k < count:
        q = o + k
        if (
            node[q, 0] - d <= x
            and x <= node[q, 3] + d
            and node[q, 1] - d <= y
            and y <= node[q, 4] + d
            and node[q, 2] - d <= z
            and z <= node[q, 5] + d
        ):
            k += 1
            if node[q, 7] >= 0.0:
                return int(node[q, 7]), k
        else:
            k = int(node[q, 6])
    return -1, k


@jit
def seen_box(sh, a, b, low, reach, box):
    """The box of node ``low`` of mesh b, widened by reach, in the axes of mesh a: centre, half sides, axes by rows."""
    node = sh.node
    for c in range(3):
        box[3 + c] = 0.5 * (node[low, 3 + c] - node[low, c]) + reach
    fa, fb = sh.frame[a], sh.frame[b]
    A = sh.fr.A
    for c in range(3):
        x, y, z = unrotate(A, fa, A[fb, c], A[fb, 3 + c], A[fb, 6 + c])
        box[6 + c], box[9 + c], box[12 + c] = x, y, z
    x, y, z = centre(sh, b, a)
    mx, my, mz = (
        0.5 * (node[low, 0] + node[low, 3]),
        0.5 * (node[low, 1] + node[low, 4]),
        0.5 * (node[low, 2] + node[low, 5]),
    )
    box[0] = x + box[6] * mx + box[7] * my + box[8] * mz
    box[1] = y + box[9] * mx + box[10] * my + box[11] * mz
    box[2] = z + box[12] * mx + box[13] * my + box[14] * mz


@jit
def meets_box(node, q, box):
    """Whether the box of node q may overlap the other box (S. Gottschalk et al., SIGGRAPH 1996: the six face
    normals)."""
    ex, ey, ez = 0.5 * (node[q, 3] - node[q, 0]), 0.5 * (node[q, 4] - node[q, 1]), 0.5 * (node[q, 5] - node[q, 2])
    x = 0.5 * (node[q, 3] + node[q, 0]) - box[0]
    y = 0.5 * (node[q, 4] + node[q, 1]) - box[1]
    z = 0.5 * (node[q, 5] + node[q, 2]) - box[2]
    if (
        abs(x) > ex + abs(box[6]) * box[3] + abs(box[7]) * box[4] + abs(box[8]) * box[5]
        or abs(y) > ey + abs(box[9]) * box[3] + abs(box[10]) * box[4] + abs(box[11]) * box[5]
        or abs(z) > ez + abs(box[12]) * box[3] + abs(box[13]) * box[4] + abs(box[14]) * box[5]
    ):
        return False
    return (
        abs(box[6] * x + box[9] * y + box[12] * z) <= box[3] + abs(box[6]) * ex + abs(box[9]) * ey + abs(box[12]) * ez
        and abs(box[7] * x + box[10] * y + box[13] * z)
        <= box[4] + abs(box[7]) * ex + abs(box[10]) * ey + abs(box[13]) * ez
        and abs(box[8] * x + box[11] * y + box[14] * z)
        <= box[5] + abs(box[8]) * ex + abs(box[11]) * ey + abs(box[14]) * ez
    )


@jit
def following_in(sh, a, k, box):
    """`following` for the leaves of mesh a whose boxes meet a box in its axes (`seen_box`)."""
    o = sh.first[a, 2]
    count = sh.link[sh.first[a, 3], 2]
    while k < count:
        q = o + k
        if meets_box(sh.node, q, box):
            k += 1
            if sh.node[q, 7] >= 0.0:
                return int(sh.node[q, 7]), k
        else:
            k = int(sh.node[q, 6])
    return -1, k


@jit
def apart(sh, q, x, y, z):
    """Square of the distance from a point to the box of node q."""
    node = sh.node
    u = max(max(node[q, 0] - x, x - node[q, 3]), 0.0)
    v = max(max(node[q, 1] - y, y - node[q, 4]), 0.0)
    w = max(max(node[q, 2] - z, z - node[q, 5]), 0.0)
    return u * u + v * v + w * w


@jit
def nearest_leaf(sh, b, x, y, z):
    """First triangle of the leaf at the end of the nearer boxes."""
    node = sh.node
    q = sh.first[b, 2]
    while node[q, 7] < 0.0:
        right = sh.first[b, 2] + int(node[q + 1, 6])
        q = q + 1 if apart(sh, q + 1, x, y, z) <= apart(sh, right, x, y, z) else right
    return int(node[q, 7])


@jit
def bound(sh, b, x, y, z):
    """A distance that the mesh is nearer than: to a corner in the leaf at the end of the nearer boxes."""
    ux, uy, uz = corner_of(sh, b, nearest_leaf(sh, b, x, y, z), 0)
    return math.sqrt((x - ux) ** 2 + (y - uy) ** 2 + (z - uz) ** 2)


@jit
def distance(sh, b, x, y, z, d):
    """(triangle, where, foot, signed distance) of the nearest point within d; triangle -1: none."""
    best = min(d, 1.0000001 * bound(sh, b, x, y, z))
    tri = -1
    place = 0
    fx = fy = fz = 0.0
    count = sh.link[sh.first[b, 3], 0]
    k = 0
    while True:
        leaf, k = following(sh, b, k, x, y, z, best)
        if leaf < 0:
            break
        for t in range(leaf, min(leaf + LEAF, count)):
            where, px, py, pz = foot(sh, b, t, x, y, z)
            s = math.sqrt((x - px) ** 2 + (y - py) ** 2 + (z - pz) ** 2)
            if s < best:
                best, tri, place, fx, fy, fz = s, t, where, px, py, pz
    if tri >= 0:
        n0, n1, n2 = pseudonormal(sh, b, tri, place)
        if (x - fx) * n0 + (y - fy) * n1 + (z - fz) * n2 < 0.0:
            best = -best
    return tri, place, fx, fy, fz, best


@jit
def least_around(sh, b, t, where, x, y, z, fx, fy, fz):
    """Whether an edge or corner foot of triangle t is nearer than all around it, and t the first triangle that has
    it."""
    if where == 0:
        return True
    first = sh.first[b, 1]
    if where < 4:
        u = sh.link[sh.first[b, 3] + 1 + t, where - 1]
        if u < t:
            return False
        other, px, py, pz = foot(sh, b, u, x, y, z)
        size = abs(fx - x) + abs(fy - y) + abs(fz - z)
        return abs(px - fx) + abs(py - fy) + abs(pz - fz) <= 1e-9 * size
    v = sh.tri[first + t, where - 4]
    count = sh.link[sh.first[b, 3], 0]
    k = 0
    while True:
        leaf, k = following(sh, b, k, fx, fy, fz, 0.0)
        if leaf < 0:
            return True
        for u in range(leaf, min(leaf + LEAF, count)):
            for c in range(3):
                if sh.tri[first + u, c] == v:
                    if u < t:
                        return False
                    for e in range(1, 3):
                        gx, gy, gz = corner_of(sh, b, u, (c + e) % 3)
                        if (x - fx) * (gx - fx) + (y - fy) * (gy - fy) + (z - fz) * (gz - fz) > 0.0:
                            return False


@jit
def patch(sh, b, t, where):
    """Patch of a foot; on an edge or corner the smallest of those that meet there."""
    head = sh.first[b, 3]
    p = float(sh.link[head + 1 + t, 3])
    if where == 0:
        return p
    if where < 4:
        return min(p, float(sh.link[head + 1 + sh.link[head + 1 + t, where - 1], 3]))
    return sh.vert[sh.first[b, 0] + 2 * sh.link[head, 1] + sh.tri[sh.first[b, 1] + t, where - 4], 2]


@jit
def write(sh, b, out, k, t, where, point, foot, dist, r):
    """Row k: foot on b with normal, tangent and curvature; gap = signed distance less r."""
    x, y, z = point
    fx, fy, fz = foot
    n0, n1, n2 = face_normal(sh, b, t)
    if where > 0 and dist != 0.0:
        n0, n1, n2 = (x - fx) / dist, (y - fy) / dist, (z - fz) / dist
    elif where > 0:
        n0, n1, n2 = pseudonormal(sh, b, t, where)
        s = 1.0 / math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
        n0, n1, n2 = n0 * s, n1 * s, n2 * s
    local(out, k, fx, fy, fz, n0, n1, n2, dist - r, patch(sh, b, t, where))
    if where == 0 or where >= 4:
        e0, e1, e2 = tangent(n0, n1, n2)
        vector(out, k, E1, e0, e1, e2)
        if where == 0:
            diagonal(out, k, UB, 1.0, 1.0, 0.0, 0.0)
        else:
            diagonal(out, k, UB, 0.0, 0.0, 1.0, 1.0)
    else:
        ax, ay, az = corner_of(sh, b, t, where - 1)
        bx, by, bz = corner_of(sh, b, t, where % 3)
        e0, e1, e2 = bx - ax, by - ay, bz - az
        w = n0 * e0 + n1 * e1 + n2 * e2
        e0, e1, e2 = e0 - w * n0, e1 - w * n1, e2 - w * n2
        s = 1.0 / math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
        vector(out, k, E1, e0 * s, e1 * s, e2 * s)
        diagonal(out, k, UB, 1.0, 0.0, 0.0, 1.0)


@jit
def collect(sh, b, x, y, z, r, reach, out, first, limit):
    """Points of the mesh nearest to a ball (axes of b): number of rows.  Feet with like normals are one: the deepest
    counts.

    A centre inside is pushed out through the nearest foot."""
    d = r + max(reach, 0.0)
    o = sh.first[b, 2]
    far = d
    if (
        sh.node[o, 0] <= x <= sh.node[o, 3]
        and sh.node[o, 1] <= y <= sh.node[o, 4]
        and sh.node[o, 2] <= z <= sh.node[o, 5]
    ):
        for c in range(3):
            far += sh.node[o, c + 3] - sh.node[o, c]  # it may be deep inside
    t, where, fx, fy, fz, dist = distance(sh, b, x, y, z, far)
    if t < 0 or not dist - r < reach or limit < 1:
        return 0
    write(sh, b, out, first, t, where, (x, y, z), (fx, fy, fz), dist, r)
    if dist <= 0.0 or r == 0.0:
        return 1
    n = 1
    nearest = t
    count = sh.link[sh.first[b, 3], 0]
    k = 0
    while True:
        leaf, k = following(sh, b, k, x, y, z, d)
        if leaf < 0:
            return n
        for t in range(leaf, min(leaf + LEAF, count)):
            where, fx, fy, fz = foot(sh, b, t, x, y, z)
            dx, dy, dz = x - fx, y - fy, z - fz
            dist = math.sqrt(dx * dx + dy * dy + dz * dz)
            if t == nearest or not dist < d or not dist > 0.0:
                continue
            row = -1
            for q in range(first, first + n):
                if (out[q, N] * dx + out[q, N + 1] * dy + out[q, N + 2] * dz) / dist > ALIKE:
                    row = q if dist - r < out[q, GAP] else -2
                    break
            if row == -2:
                continue
            n0, n1, n2 = pseudonormal(sh, b, t, where)
            if dx * n0 + dy * n1 + dz * n2 < 0.0 or not least_around(sh, b, t, where, x, y, z, fx, fy, fz):
                continue
            if row < 0:
                row = room(out, first, n, limit, dist - r)
            if row >= 0:
                write(sh, b, out, row, t, where, (x, y, z), (fx, fy, fz), dist, r)
                for q in range(first, first + n):  # a second point on one patch
                    if q != row and out[q, FEATURE] == out[row, FEATURE]:
                        out[row, FEATURE] = -1.0 - t
                n = max(n, row - first + 1)


@jit
def against(out, k, x, y, z, sign):
    """How far row k pushes against the outward direction (x, y, z) of the corner that it belongs to, in the axes of the
    row: 0 to 1.

    A corner just inside of an edge is nearer to the wrong face: it does not look there.  sign: 1 for a corner of a, -1
    for one of b."""
    dot = sign * (out[k, N] * x + out[k, N + 1] * y + out[k, N + 2] * z)
    return smooth(-dot, LOOKS, 0.4)


@jit
def knife(sh, b, t, c, n0, n1, n2):
    """How far (0 to 1) a face round corner c of triangle t of mesh b looks against the direction n (axes of b).

    The faces of a sharp edge look away from each other, and little against what pushes one of them: the outward
    direction of their corner (`against`) does not show that a knife lies flat."""
    v = sh.tri[sh.first[b, 1] + t, c]
    x, y, z = corner_of(sh, b, t, c)
    count = sh.link[sh.first[b, 3], 0]
    most = 0.0
    k = 0
    while True:
        leaf, k = following(sh, b, k, x, y, z, 0.0)
        if leaf < 0:
            return smooth(most, FLAT_ON[0], FLAT_ON[1])
        for u in range(leaf, min(leaf + LEAF, count)):
            for e in range(3):
                if sh.tri[sh.first[b, 1] + u, e] == v:
                    m0, m1, m2 = face_normal(sh, b, u)
                    most = max(most, -(n0 * m0 + n1 * m1 + n2 * m2))


@jit
def facing(sh, b, x, y, z, m0, m1, m2, d):
    """(triangle, where, foot, distance, height above its plane) of the nearest face within d that looks against the
    direction m; triangle -1: none."""
    best = d
    tri = -1
    place = 0
    fx = fy = fz = height = 0.0
    count = sh.link[sh.first[b, 3], 0]
    k = 0
    while True:
        leaf, k = following(sh, b, k, x, y, z, best)
        if leaf < 0:
            return tri, place, fx, fy, fz, best, height
        for t in range(leaf, min(leaf + LEAF, count)):
            n0, n1, n2 = face_normal(sh, b, t)
            if n0 * m0 + n1 * m1 + n2 * m2 > -LOOKS:
                continue
            where, px, py, pz = foot(sh, b, t, x, y, z)
            s = math.sqrt((x - px) ** 2 + (y - py) ** 2 + (z - pz) ** 2)
            if s < best:
                best, tri, place, fx, fy, fz = s, t, where, px, py, pz
                height = (x - px) * n0 + (y - py) * n1 + (z - pz) * n2


@jit
def least_half(sh, b):
    """Least half side of the box of a mesh."""
    o = sh.first[b, 2]
    node = sh.node
    return 0.5 * min(node[o, 3] - node[o, 0], node[o, 4] - node[o, 1], node[o, 5] - node[o, 2])


@jit
def on_surface(sh, b):
    """Height above a face of mesh b within which a corner counts as inside: faces that lie in one plane differ by
    roundoff."""
    return ON * least_half(sh, b)


@jit
def meets_face(sh, b, out, k, x, y, z, m0, m1, m2, near):
    """How far (0 to 1) the faces of mesh b push on which a corner with the outward direction m lies to ``near``; 0: no
    face there looks against it.  Row k becomes its foot.  All in axes of b.

    Where the foot is on an edge or a corner of b, the direction from it to a corner so near is roundoff; the normal
    must lie between those of the faces that meet there, and minus it between those of the corner.  Of one face that is
    its own normal, of several that stand out their mean, of several that form a recess that of the one that looks most
    against m."""
    seen = planes()
    n = 0
    flat = True
    s0 = s1 = s2 = 0.0
    b0 = b1 = b2 = 0.0
    most = 0.0
    first = -1
    px = py = pz = 0.0
    nearest = 1e300
    count = sh.link[sh.first[b, 3], 0]
    k_next = 0
    while True:
        leaf, k_next = following(sh, b, k_next, x, y, z, near)
        if leaf < 0:
            break
        for t in range(leaf, min(leaf + LEAF, count)):
            n0, n1, n2 = face_normal(sh, b, t)
            dot = n0 * m0 + n1 * m1 + n2 * m2
            if dot > -LOOKS:
                continue
            _, fx, fy, fz = foot(sh, b, t, x, y, z)
            s = math.sqrt((x - fx) ** 2 + (y - fy) ** 2 + (z - fz) ** 2)
            if not s <= near:
                continue
            known = False
            for q in range(n):
                known = known or seen[q, 0] * n0 + seen[q, 1] * n1 + seen[q, 2] * n2 > 1.0 - SAME_PLANE
                for c in range(3):
                    ax, ay, az = corner_of(sh, b, t, c)
                    rise = (ax - fx) * seen[q, 0] + (ay - fy) * seen[q, 1] + (az - fz) * seen[q, 2]
                    flat = flat and rise <= 4.0 * near
            if s < nearest:
                nearest, first, px, py, pz = s, t, fx, fy, fz
            if known or n == seen.shape[0]:
                continue
            seen[n, 0], seen[n, 1], seen[n, 2] = n0, n1, n2
            n += 1
            s0, s1, s2 = s0 + n0, s1 + n1, s2 + n2
            if dot < most - CLEARLY:
                most, b0, b1, b2 = dot, n0, n1, n2
    if n == 0:
        return 0.0
    if n == 1 or not flat:
        s0, s1, s2 = b0, b1, b2
    size = math.sqrt(s0 * s0 + s1 * s1 + s2 * s2)
    s0, s1, s2 = s0 / size, s1 / size, s2 / size
    height = (x - px) * s0 + (y - py) * s1 + (z - pz) * s2
    local(out, k, x - height * s0, y - height * s1, z - height * s2, s0, s1, s2, height, patch(sh, b, first, FACE))
    e0, e1, e2 = tangent(s0, s1, s2)
    vector(out, k, E1, e0, e1, e2)
    diagonal(out, k, UB, 1.0, 1.0, 0.0, 0.0)
    return against(out, k, m0, m1, m2, 1.0)


@jit
def corner_looks(sh, b, out, k, t, where, point, foot, outward, dist):
    """How far (0 to 1) mesh b pushes a corner with the outward direction m whose nearest foot, at the signed distance
    ``dist``, row k is; 0: not at all.  Row k becomes the foot through which it is pushed.  All in axes of b."""
    x, y, z = point
    fx, fy, fz = foot
    m0, m1, m2 = outward
    near = on_surface(sh, b)
    if abs(dist) <= near:
        looks = meets_face(sh, b, out, k, x, y, z, m0, m1, m2, near)
        if looks > 0.0:
            return looks
        write(sh, b, out, k, t, where, (x, y, z), (fx, fy, fz), 0.0, 0.0)
    else:
        looks = against(out, k, m0, m1, m2, 1.0)
    return looks if looks > 0.0 else through(sh, b, out, k, x, y, z, m0, m1, m2, dist)


@jit
def through(sh, b, out, k, x, y, z, m0, m1, m2, dist):
    """How far (0 to 1) the face pushes through which a corner with the outward direction m has entered mesh b; 0: none.
    Row k becomes its foot there.

    A corner inside of b, or on its surface, whose nearest face does not look against it (row k; ``dist``: signed
    distance) has not come through that
    one: it lies near an edge, or deeper than half of a wall.  All in axes of b.
    """
    near = on_surface(sh, b)
    if not dist <= near:
        return 0.0
    thick = sh.par[b, WALL] if sh.par[b, WALL] > 0.0 else 2.0 * least_half(sh, b)
    t, where, fx, fy, fz, far, height = facing(sh, b, x, y, z, m0, m1, m2, thick + near)
    if t < 0 or not height <= near:
        return 0.0
    flat = far - abs(height) <= near
    if not dist < -near:  # on the surface: is it inside just below the one face and behind the other?
        n0, n1, n2 = face_normal(sh, b, t)
        s = height + 2.0 * near
        u, v, w = x - s * n0, y - s * n1, z - s * n2
        u, v, w = u - 2.0 * near * out[k, N], v - 2.0 * near * out[k, N + 1], w - 2.0 * near * out[k, N + 2]
        if not flat or not distance(sh, b, u, v, w, thick)[5] < 0.0:
            return 0.0
    if flat:
        write(sh, b, out, k, t, FACE, (x, y, z), (fx, fy, fz), height, 0.0)
    else:
        write(sh, b, out, k, t, where, (x, y, z), (fx, fy, fz), -far, 0.0)
    return against(out, k, m0, m1, m2, 1.0)


@jit
def keep(pool, row, m):
    """The candidate in row is complete: new number of candidates; when all are taken it represents the shallowest if it
    is deeper."""
    if row < CROWD - 1:
        return m + 1
    worst = 0
    for k in range(1, m):
        if pool[k, GAP] > pool[worst, GAP]:
            worst = k
    if pool[row, GAP] < pool[worst, GAP]:
        copy_row(pool, worst, row)
    return m


@jit
def thin(pool, m, out, first, limit):
    """The m candidates of pool as rows of out: number of rows.

    Where they are too many, those that touch are gathered about the ones that lie farthest from each other, which
    depend on where they are and not on how deep; each group is the deepest of its points with the area of all, by their
    depth.  Points that are alike to `TIE` are taken by their names, so that roundoff decides nothing: the corners of a
    regular ring are all equally far from each other."""
    touch = 0
    for k in range(m):
        if pool[k, GAP] < 0.0:
            touch += 1
    if touch <= limit:
        n = 0
        for k in range(m):
            row = room(out, first, n, limit, pool[k, GAP])
            if row >= 0:
                for c in range(out.shape[1]):
                    out[row, c] = pool[k, c]
                n = max(n, row - first + 1)
        return n
    size = 0.0
    at = -1
    for k in range(m):
        pool[k, COLUMNS] = -1.0
        if pool[k, GAP] < 0.0:
            pool[k, COLUMNS] = math.inf
            if at < 0 or pool[k, FEATURE] < pool[at, FEATURE]:
                at = k
    for k in range(m):
        if pool[k, GAP] < 0.0:
            size = max(
                size,
                abs(pool[k, P] - pool[at, P]),
                abs(pool[k, P + 1] - pool[at, P + 1]),
                abs(pool[k, P + 2] - pool[at, P + 2]),
            )
    for group in range(limit):
        most = -1.0
        for k in range(m):
            d = pool[k, COLUMNS]
            if d >= 0.0:
                e = (
                    (pool[k, P] - pool[at, P]) ** 2
                    + (pool[k, P + 1] - pool[at, P + 1]) ** 2
                    + (pool[k, P + 2] - pool[at, P + 2]) ** 2
                )
                c = pool[k, N] * pool[at, N] + pool[k, N + 1] * pool[at, N + 1] + pool[k, N + 2] * pool[at, N + 2]
                e += 8.0 * max(1.0 - c, 0.0) * size * size
                if e < d * (1.0 - TIE):
                    d = pool[k, COLUMNS] = e
                    pool[k, COLUMNS + 1] = group
                most = max(most, d)
        at = -1
        for k in range(m):
            if pool[k, COLUMNS] >= most * (1.0 - TIE) and (at < 0 or pool[k, FEATURE] < pool[at, FEATURE]):
                at = k
    for group in range(limit):
        deepest = 0.0
        for k in range(m):
            if pool[k, COLUMNS] >= 0.0 and pool[k, COLUMNS + 1] == group:
                deepest = min(deepest, pool[k, GAP])
        deep = -1
        area = 0.0
        for k in range(m):
            if pool[k, COLUMNS] >= 0.0 and pool[k, COLUMNS + 1] == group:
                if pool[k, GAP] <= deepest * (1.0 - TIE) and (deep < 0 or pool[k, FEATURE] < pool[deep, FEATURE]):
                    deep = k
                area += pool[k, WEIGHT] * pool[k, GAP]
        if deep < 0:
            continue
        for c in range(out.shape[1]):
            out[first + group, c] = pool[deep, c]
        out[first + group, WEIGHT] = area / pool[deep, GAP]
    return limit


@jit
def share_out(out, first, n, least):
    """Weights of the n rows become shares: points that push the same way carry the force law once, whatever the
    fineness of the mesh.

    w_i = a_i / sum_j a_j c_ij^2 h(d_j / D_i), with the areas a that the weights were, c_ij the cosine between normals
    (0 where they part), d the depths, D_i the deepest of those that count, and h from 0 to 1 where d_j rises from 0 to
    0.3 D_i: points come and go without a jump, and all shares are constant while no point is about to leave.  least:
    the smallest that the sum counts as (1: points that carry less than the whole stay as they are)."""
    n = min(n, 64)
    kept = shares()
    for i in range(first, first + n):
        deepest = 0.0
        for j in range(first, first + n):
            c = out[i, N] * out[j, N] + out[i, N + 1] * out[j, N + 1] + out[i, N + 2] * out[j, N + 2]
            if c > 0.0:
                deepest = max(deepest, -c * c * out[j, GAP])
        total = 0.0 if out[i, GAP] < 0.0 else out[i, WEIGHT]
        for j in range(first, first + n):
            c = out[i, N] * out[j, N] + out[i, N + 1] * out[j, N + 1] + out[i, N + 2] * out[j, N + 2]
            if c > 0.0 and out[j, GAP] < 0.0:
                x = min(-out[j, GAP] / (0.3 * deepest), 1.0)
                total += out[j, WEIGHT] * c * c * x * x * (3.0 - 2.0 * x)
        kept[i - first] = out[i, WEIGHT] / max(total, least)
    for i in range(first, first + n):
        out[i, WEIGHT] = kept[i - first]
