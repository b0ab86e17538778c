"""Curve against curve, in one plane: where the normals are opposed and the point of one lies on the normal of the
other.

For two segments p_a(s), p_b(t):  p_a' x p_b' = 0,  (p_a - p_b) . p_b' = 0  by Newton, n the outward normal of b, gap
(p_a - p_b) . n. This holds through touching and penetration.  A point counts where the gap is least: with the
curvatures k (convex > 0) in terms of tables, k_a (1 + g k_b) + k_b > 0.  Corners take part as circles of no radius
(corner against corner never penetrates and is left out). Deeper than half of the minimum thickness of the material is
another piece of the curve, not a contact.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import unrotate
from ..tables import E1, GAP, UA, UB, WEIGHT, N, P
from ._address import by_meshes
from ._curve import ARC, CONVEX, at_end, at_start, before, foot, place
from ._point import axis, copied, copy_row, diagonal, local, room, smooth, to_ground, vector
from ._scratch import pairs

POINTS = 8
END = 1e-9
TWICE = 2.0  # times as deep as by the shorter way out
ELSEWHERE = 0.7  # cosine between two normals from which on they are the same way


@jit
def depth(sh, a):
    """Deepest contact of a curve or profile, inf: any."""
    d = sh.seg[sh.first[a, 0] + sh.first[a, 1], 0]
    return d if d > 0.0 else math.inf


@jit
def seen(sh, i, t, x, y, c, s):
    """place of a row of a in the axes of b: turned by (c, s) and moved by (x, y)."""
    px, py, dx, dy, ex, ey = place(sh, i, t)
    return x + c * px - s * py, y + s * px + c * py, c * dx - s * dy, s * dx + c * dy, c * ex - s * ey, s * ex + c * ey


@jit
def bend(dx, dy, ex, ey):
    size = math.sqrt(dx * dx + dy * dy)
    return (dx * ey - dy * ex) / (size * size * size)


@jit
def meet(sh, i, j, x, y, c, s):
    """(found, s, t) where row i of a and row j of b are opposite."""
    u = 0.5
    v = 0.5
    found = False
    for _ in range(20):
        px, py, dx, dy, ex, ey = seen(sh, i, u, x, y, c, s)
        qx, qy, gx, gy, hx, hy = place(sh, j, v)
        f = dx * gy - dy * gx
        w = (px - qx) * gx + (py - qy) * gy
        fu = ex * gy - ey * gx
        fv = dx * hy - dy * hx
        wu = dx * gx + dy * gy
        wv = (px - qx) * hx + (py - qy) * hy - gx * gx - gy * gy
        det = fu * wv - fv * wu
        if det == 0.0:
            return False, u, v
        du = (fv * w - f * wv) / det
        dv = (f * wu - fu * w) / det
        big = max(abs(du), abs(dv))
        if not big < 1e6:
            return False, u, v
        if big > 0.7:
            du *= 0.7 / big
            dv *= 0.7 / big
        u += du
        v += dv
        if not (abs(u - 0.5) < 1.5 and abs(v - 0.5) < 1.5):
            return False, u, v
        if big < 1e-12:
            found = True
            break
    return found and -END <= u <= 1.0 + END and -END <= v <= 1.0 + END, u, v


@jit
def corner(sh, a, i, x, y, c, s, n0, n1):
    """Whether the outward normal -n lies between those of the two sides at the corner that starts row i of a (axes of
    b)."""
    if sh.seg[i, 9] != CONVEX:
        return False
    _, _, dx, dy, _, _ = seen(sh, i, 0.0, x, y, c, s)
    _, _, ex, ey, _, _ = seen(sh, before(sh, a, i), 1.0, x, y, c, s)
    # sides that lie flat on the other count, whichever way their last digits fall
    return -(n0 * ex + n1 * ey) >= -END * (abs(ex) + abs(ey)) and -(n0 * dx + n1 * dy) <= END * (abs(dx) + abs(dy))


@jit
def add(sh, out, first, n, limit, scale, p, q, normal, curvatures, turning, label):
    """One more point: p on a, q on b, n outward of b; curvatures k, or v: a corner.  New number of points."""
    reach, deep, size = scale
    px, py = p
    qx, qy = q
    n0, n1 = normal
    ka, kb = curvatures
    va, vb = turning
    gap = (px - qx) * n0 + (py - qy) * n1
    if not (gap < reach and gap > -deep):
        return n
    if not va and not vb and not ka * (1.0 + gap * kb) + kb > 0.0:
        return n
    if va and not vb and not 1.0 + gap * kb > 0.0:
        return n
    if vb and not va and not 1.0 + gap * ka > 0.0:
        return n
    for k in range(first, first + n):  # the same point, found again from the neighbour at a joint
        d = max(abs(out[k, P] - qx), abs(out[k, P + 1] - qy))
        if d < 1e-6 * size and out[k, N] * n0 + out[k, N + 1] * n1 > 0.999999 and abs(out[k, GAP] - gap) < 1e-6 * size:
            return n
    k = room(out, first, n, limit, gap)
    if k < 0:
        return n
    local(out, k, qx, qy, 0.0, n0, n1, 0.0, gap, label)
    vector(out, k, E1, -n1, n0, 0.0)
    out[k, WEIGHT] = 1.0
    if va:
        diagonal(out, k, UA, 0.0, 0.0, 1.0, 1.0)
    else:
        diagonal(out, k, UA, 1.0, 0.0, ka, 1.0)  # across: a slice, its position along z is fixed to a
    if vb:
        diagonal(out, k, UB, 0.0, 1.0, 1.0, 0.0)
    else:
        diagonal(out, k, UB, 1.0, 1.0, kb, 0.0)
    return max(n, k - first + 1)


@jit
def smooth_smooth(sh, a, b, i, j, pose, reach, deep, out, first, n, limit):
    x, y, c, s = pose
    found, u, v = meet(sh, i, j, x, y, c, s)
    if not found:
        return n
    px, py, dx, dy, ex, ey = seen(sh, i, u, x, y, c, s)
    qx, qy, gx, gy, hx, hy = place(sh, j, v)
    if not dx * gx + dy * gy < 0.0:
        return n
    size = math.sqrt(gx * gx + gy * gy)
    label = sh.seg[i, 11] * (2.0 * sh.first[b, 1]) + sh.seg[j, 11]
    return add(
        sh,
        out,
        first,
        n,
        limit,
        (reach, deep, size + math.sqrt(dx * dx + dy * dy)),
        (px, py),
        (qx, qy),
        (gy / size, -gx / size),
        (bend(dx, dy, ex, ey), bend(gx, gy, hx, hy)),
        (False, False),
        label,
    )


@jit
def corner_smooth(sh, a, b, i, j, pose, reach, deep, out, first, n, limit):
    """Corner at the start of row i of a against row j of b."""
    x, y, c, s = pose
    px, py, dx, dy, _, _ = seen(sh, i, 0.0, x, y, c, s)
    if not (at_start(sh, j, px, py) >= 0.0 and at_end(sh, b, j, px, py) < 0.0):
        return n
    v = foot(sh, j, px, py)
    qx, qy, gx, gy, hx, hy = place(sh, j, v)
    size = math.sqrt(gx * gx + gy * gy)
    n0 = gy / size
    n1 = -gx / size
    if not corner(sh, a, i, x, y, c, s, n0, n1):
        return n
    label = float(sh.first[a, 1] + i - sh.first[a, 0]) * (2.0 * sh.first[b, 1]) + sh.seg[j, 11]
    return add(
        sh,
        out,
        first,
        n,
        limit,
        (reach, deep, size),
        (px, py),
        (qx, qy),
        (n0, n1),
        (0.0, bend(gx, gy, hx, hy)),
        (True, False),
        label,
    )


@jit
def smooth_corner(sh, a, b, i, j, pose, reach, deep, out, first, n, limit):
    """Row i of a against the corner at the start of row j of b."""
    x, y, c, s = pose
    qx, qy, _, _, _, _ = place(sh, j, 0.0)
    wx = c * (qx - x) + s * (qy - y)
    wy = -s * (qx - x) + c * (qy - y)
    if not (at_start(sh, i, wx, wy) >= 0.0 and at_end(sh, a, i, wx, wy) < 0.0):
        return n
    u = foot(sh, i, wx, wy)
    px, py, dx, dy, ex, ey = seen(sh, i, u, x, y, c, s)
    size = math.sqrt(dx * dx + dy * dy)
    n0 = -dy / size  # against the outward normal of a
    n1 = dx / size
    if not corner(sh, b, j, 0.0, 0.0, 1.0, 0.0, -n0, -n1):
        return n
    label = sh.seg[i, 11] * (2.0 * sh.first[b, 1]) + float(sh.first[b, 1] + j - sh.first[b, 0])
    return add(
        sh,
        out,
        first,
        n,
        limit,
        (reach, deep, size),
        (px, py),
        (qx, qy),
        (n0, n1),
        (bend(dx, dy, ex, ey), 0.0),
        (False, True),
        label,
    )


@jit
def facing(sh, i, j, c, s):
    """Whether the normals of the two rows can be opposed: no row turns more than 45 degrees, to either side of its
    middle."""
    _, _, dx, dy, _, _ = place(sh, i, 0.5)
    _, _, gx, gy, _, _ = place(sh, j, 0.5)
    f = (c * dx - s * dy) * gx + (s * dx + c * dy) * gy
    return f < 0.0 and f * f > 1e-3 * (dx * dx + dy * dy) * (gx * gx + gy * gy)


@jit
def rows(sh, a, b, i, j, pose, reach, deep, out, first, n, limit):
    """Row i of a with the corner at its start against row j of b with its corner: new number of points."""
    x, y, c, s = pose
    if facing(sh, i, j, c, s):
        n = smooth_smooth(sh, a, b, i, j, (x, y, c, s), reach, deep, out, first, n, limit)
    if sh.seg[i, 9] == CONVEX:
        n = corner_smooth(sh, a, b, i, j, (x, y, c, s), reach, deep, out, first, n, limit)
    if sh.seg[j, 9] == CONVEX:
        n = smooth_corner(sh, a, b, i, j, (x, y, c, s), reach, deep, out, first, n, limit)
    return n


@jit
def size_of(sh, i):
    """Centre of row i and a radius around it that holds the segment."""
    px, py, _, _, _, _ = place(sh, i, 0.5)
    s = sh.seg
    if s[i, 0] == ARC:
        d = max(abs(s[i, 1] - px), abs(s[i, 2] - py))
        return px, py, 1.4142135623730951 * d
    qx, qy, _, _, _, _ = place(sh, i, 1.0)
    # the control points hold the cubic
    r = max((s[i, 1] - px) ** 2 + (s[i, 2] - py) ** 2, (qx - px) ** 2 + (qy - py) ** 2)
    ux = s[i, 1] + s[i, 3] / 3.0 - px
    uy = s[i, 2] + s[i, 4] / 3.0 - py
    vx = s[i, 1] + (2.0 * s[i, 3] + s[i, 5]) / 3.0 - px
    vy = s[i, 2] + (2.0 * s[i, 4] + s[i, 6]) / 3.0 - py
    return px, py, math.sqrt(max(r, max(ux * ux + uy * uy, vx * vx + vy * vy)))


@jit
def opposed(sh, q, angle, half):
    """Whether the tangents of node q of b can be against those of a (middle and half of their range, in the axes of
    b)."""
    d = (angle + math.pi - sh.node[q, 2]) * (0.5 / math.pi)
    return abs(d - math.floor(d + 0.5)) * (2.0 * math.pi) <= half + sh.node[q, 5]


@jit
def against(sh, a, b, i, pose, sector, reach, deep, out, first, n, limit):
    """Row i of a, whose tangents lie within half of angle, against all of b that is near."""
    x, y, c, s = pose
    angle, half = sector
    px, py, r = size_of(sh, i)
    d = r + max(reach, deep if deep < math.inf else r)
    qx = x + c * px - s * py
    qy = y + s * px + c * py
    o = sh.first[b, 0]
    if sh.first[b, 3] == 0:
        for j in range(o, o + sh.first[b, 1]):
            n = rows(sh, a, b, i, j, (x, y, c, s), reach, deep, out, first, n, limit)
        return n
    node = sh.node
    k = 0
    while k < sh.first[b, 3]:
        q = sh.first[b, 2] + k
        if (
            node[q, 0] - d <= qx
            and qx <= node[q, 3] + d
            and node[q, 1] - d <= qy
            and qy <= node[q, 4] + d
            and opposed(sh, q, angle, half)
        ):
            k += 1
            if node[q, 7] >= 0.0:
                j = o + int(node[q, 7])
                if beside(sh, i, j, qx, qy, r, half + node[q, 5], reach, deep):
                    n = rows(sh, a, b, i, j, (x, y, c, s), reach, deep, out, first, n, limit)
        else:
            k = int(node[q, 6])
    return n


@jit
def beside(sh, i, j, qx, qy, r, half, reach, deep):
    """Whether row j of b can lie across the gap from a segment within r of q: bounds on what parts their middles along
    the normal and along the curve, with ``half`` the most that the normals turn away from that at the middle."""
    if not half < 0.5:
        return True
    px, py, w = size_of(sh, j)
    _, _, dx, dy, _, _ = place(sh, j, 0.5)
    size = math.sqrt(dx * dx + dy * dy)
    along = abs((qx - px) * dx + (qy - py) * dy) / size
    across = ((qx - px) * dy - (qy - py) * dx) / size
    r += w
    return along <= r + 1.1 * half * max(abs(across) + r, 0.0) and across < reach + r and across > -deep - r


@jit
def shortest_ways(out, first, n):
    """Where corners lie in each other, or one behind two sides, the shorter way out counts: a point whose depth is more
    than `TWICE` that of another one, which pushes elsewhere and is nearer to it than that depth, loses its weight, and
    its row at twice that.  New number of rows.

    (A corner in a notch is no such case: both sides of the notch carry other corners, or none.)"""
    for k in range(first, first + n):
        deep = -out[k, GAP]
        for m in range(first, first + n):
            less = -out[m, GAP]
            if not 0.0 < less < deep or out[k, N] * out[m, N] + out[k, N + 1] * out[m, N + 1] > ELSEWHERE:
                continue
            # between the middles of both ways
            dx = out[k, P] - out[m, P] - 0.5 * (deep * out[k, N] - less * out[m, N])
            dy = out[k, P + 1] - out[m, P + 1] - 0.5 * (deep * out[k, N + 1] - less * out[m, N + 1])
            near = 1.0 - smooth(math.sqrt(dx * dx + dy * dy), 0.75 * deep, deep)
            out[k, WEIGHT] *= 1.0 - near * smooth(deep, TWICE * less, 2.0 * TWICE * less)
    kept = first
    for k in range(first, first + n):
        if out[k, WEIGHT] > 0.0:
            if k != kept:
                copy_row(out, kept, k)
            kept += 1
    return kept - first


@jit
def all_opposite(sh, a, b, x, y, c, s, reach, out, first, limit):
    """Where curve a (turned by (c, s), moved by (x, y)) is opposite to curve b, in the plane of b: number of rows."""
    deep = min(depth(sh, a), depth(sh, b))
    n = 0
    if sh.first[a, 3] == 0 or sh.first[b, 3] == 0:
        for i in range(sh.first[a, 0], sh.first[a, 0] + sh.first[a, 1]):
            n = against(sh, a, b, i, (x, y, c, s), (0.0, math.pi), reach, deep, out, first, n, limit)
        return n
    node = sh.node
    turn = math.atan2(s, c)
    radius = sh.seg[sh.first[b, 0] + sh.first[b, 1], 2]
    w = sh.first[b, 2]
    d = max(reach, deep if deep < math.inf else 0.0)
    o = sh.first[a, 2]
    k = 0
    while k < sh.first[a, 3]:
        q = o + k
        hx = 0.5 * (node[q, 3] - node[q, 0])
        hy = 0.5 * (node[q, 4] - node[q, 1])
        px = 0.5 * (node[q, 3] + node[q, 0])
        py = 0.5 * (node[q, 4] + node[q, 1])
        gx = abs(c) * hx + abs(s) * hy + d
        gy = abs(s) * hx + abs(c) * hy + d
        qx = x + c * px - s * py
        qy = y + s * px + c * py
        near = radius + d + math.sqrt(hx * hx + hy * hy)
        if (
            qx * qx + qy * qy <= near * near
            and qx - gx <= node[w, 3]
            and qx + gx >= node[w, 0]
            and qy - gy <= node[w, 4]
            and qy + gy >= node[w, 1]
        ):
            k += 1
            if node[q, 7] >= 0.0:
                angle = node[q, 2] + turn
                n = against(
                    sh,
                    a,
                    b,
                    sh.first[a, 0] + int(node[q, 7]),
                    (x, y, c, s),
                    (angle, node[q, 5]),
                    reach,
                    deep,
                    out,
                    first,
                    n,
                    limit,
                )
        else:
            k = int(node[q, 6])
    return n


@jit
def curves(sh, a, b, x, y, c, s, reach, out, first, limit):
    """Points of curve a (turned by (c, s), moved by (x, y)) against curve b, in the plane of b, weights 1: number of
    rows.  All ways out are known before the longer ones leave: these are the deepest."""
    found = pairs()
    count = shortest_ways(found, 0, all_opposite(sh, a, b, x, y, c, s, reach, found, 0, found.shape[0]))
    n = 0
    for k in range(count):
        row = room(out, first, n, limit, found[k, GAP])
        if row >= 0:
            copied(out, row, found, k)
            n = max(n, row - first + 1)
    return n


@jit
def pose(sh, a, b):
    """(x, y, z, cos, sin) of shape a in the axes of b, both with the same z axis."""
    fa = sh.frame[a]
    fb = sh.frame[b]
    p = sh.fr.p
    A = sh.fr.A
    x, y, z = unrotate(A, fb, p[fa, 0] - p[fb, 0], p[fa, 1] - p[fb, 1], p[fa, 2] - p[fb, 2])
    c, s, _ = unrotate(A, fb, A[fa, 0], A[fa, 3], A[fa, 6])
    size = math.sqrt(c * c + s * s)
    return x, y, z, c / size, s / size


@jit
def contact(sh, a, b, reach, out, first, limit):
    if not axis(sh, a, b)[2] > 0.9:  # not in one plane
        return by_meshes(sh, a, b, reach, out, first, limit)
    x, y, z, c, s = pose(sh, a, b)
    ha = 0.5 * sh.par[a, 0]
    hb = 0.5 * sh.par[b, 0]
    if hb > 0.0:  # in the middle of what both share
        low = max(-hb, z - ha) if ha > 0.0 else -hb
        high = min(hb, z + ha) if ha > 0.0 else hb
        if low > high or (ha == 0.0 and abs(z) > hb):
            return 0
        if ha > 0.0:
            z = 0.5 * (low + high)
    n = curves(sh, a, b, x, y, c, s, reach, out, first, min(limit, POINTS))
    for k in range(first, first + n):
        out[k, P + 2] = z
        to_ground(sh, b, out, k)
    return n
