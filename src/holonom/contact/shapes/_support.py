"""Convex shapes seen from a direction: farthest point, the feature that lies there, and how it is flexible.

A shape is a core and a margin round it: a capsule is the segment of its axis, thick by its radius.  All in the axes of
the shape.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..tables import E1, N
from ..traits import BOX, ELLIPSOID, HULL, core, margin, radii
from ._point import aligned, diagonal, vector

VERTEX, EDGE, FACE, CIRCLE, ROUND, SMOOTH = range(6)
# numbers of one kind of feature: what a feature is called says its kind (times this) and which of its shape it is
NUMBERS = 2097152.0
NAME = 9  # place of that name behind point, normal and direction of a feature


@jit
def farthest(sh, s, x, y, z):
    """Point of the core farthest along (x, y, z)."""
    kind = core(sh, s)
    if kind == BOX:
        return math.copysign(sh.par[s, 0], x), math.copysign(sh.par[s, 1], y), math.copysign(sh.par[s, 2], z)
    if kind == ELLIPSOID:
        a, b, c = sh.par[s, 0], sh.par[s, 1], sh.par[s, 2]
        size = math.sqrt(a * x * a * x + b * y * b * y + c * z * c * z)
        return a * a * x / size, b * b * y / size, c * c * z / size
    if kind == HULL:
        best = sh.first[s, 0]
        value = 0.0
        for i in range(sh.first[s, 0], sh.first[s, 0] + sh.first[s, 1]):
            v = sh.vert[i, 0] * x + sh.vert[i, 1] * y + sh.vert[i, 2] * z
            if i == sh.first[s, 0] or v > value:
                best = i
                value = v
        return sh.vert[best, 0], sh.vert[best, 1], sh.vert[best, 2]
    r1, r2, h = radii(sh, s)
    rho = math.sqrt(x * x + y * y)
    c = x / rho if rho > 0.0 else 1.0
    d = y / rho if rho > 0.0 else 0.0
    if r2 * rho + h * z >= r1 * rho - h * z:
        return r2 * c, r2 * d, h
    return r1 * c, r1 * d, -h


@jit
def support(sh, s, x, y, z):
    """Point of the core farthest along (x, y, z), both in ground axes."""
    f = sh.frame[s]
    x, y, z = unrotate(sh.fr.A, f, x, y, z)
    x, y, z = farthest(sh, s, x, y, z)
    x, y, z = rotate(sh.fr.A, f, x, y, z)
    return x + sh.fr.p[f, 0], y + sh.fr.p[f, 1], z + sh.fr.p[f, 2]


@jit
def hull_corner(sh, s, x, y, z):
    """Which corner of the hull lies farthest along (x, y, z)."""
    first = sh.first[s, 0]
    best = 0
    value = -1e300
    for i in range(sh.first[s, 1]):
        v = sh.vert[first + i, 0] * x + sh.vert[first + i, 1] * y + sh.vert[first + i, 2] * z
        if v > value:
            best = i
            value = v
    return best


@jit
def name_of_edge(sh, s, i, j):
    """Name of the edge between corners i and j of shape s."""
    count = sh.first[s, 1] if core(sh, s) == HULL else 8
    return EDGE * NUMBERS + (min(i, j) * count + max(i, j)) % NUMBERS


@jit
def name_of_corner(x, y, z):
    """Name of the corner of a box in the octant of (x, y, z), as `plane_box` calls it."""
    return (1.0 if x > 0.0 else 0.0) + (2.0 if y > 0.0 else 0.0) + (4.0 if z > 0.0 else 0.0)


@jit
def hull_face(sh, s, x, y, z):
    """(row of the face whose normal is nearest to (x, y, z), cosine of the angle between them)."""
    best = sh.first[s, 2]
    value = -2.0
    for i in range(sh.first[s, 2], sh.first[s, 2] + sh.first[s, 3]):
        v = sh.node[i, 0] * x + sh.node[i, 1] * y + sh.node[i, 2] * z
        if v > value:
            best = i
            value = v
    return best, value


@jit
def hull_edge(sh, s, x, y, z, tolerance):
    """An edge of the hull at its farthest point along (x, y, z), across it to within the sine `tolerance`: (i, j) in
    `vert`, or (-1, -1).

    The edges are those of the faces' loops."""
    bi = -1
    bj = -1
    best = tolerance
    high = -1e300
    size = 0.0
    for i in range(sh.first[s, 0], sh.first[s, 0] + sh.first[s, 1]):
        v = sh.vert[i, 0] * x + sh.vert[i, 1] * y + sh.vert[i, 2] * z
        high = max(high, v)
        size = max(size, abs(v))
    for f in range(sh.first[s, 2], sh.first[s, 2] + sh.first[s, 3]):
        start = int(sh.node[f, 4])
        count = int(sh.node[f, 5])
        for m in range(count):
            i = sh.link[start + m, 0]
            j = sh.link[start + (m + 1 if m + 1 < count else 0), 0]
            dx, dy, dz = sh.vert[j, 0] - sh.vert[i, 0], sh.vert[j, 1] - sh.vert[i, 1], sh.vert[j, 2] - sh.vert[i, 2]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            vi = sh.vert[i, 0] * x + sh.vert[i, 1] * y + sh.vert[i, 2] * z
            sine = abs(dx * x + dy * y + dz * z) / length
            if max(vi, vi + dx * x + dy * y + dz * z) >= high - 1e-12 * size and sine < best:
                best = sine
                bi = i
                bj = j
    return bi, bj


@jit
def feature(sh, s, x, y, z, tolerance, st, o):
    """Feature at the farthest point along the unit vector (x, y, z), directions equal to within the sine `tolerance`:
    its kind; at st[o:] a point of it (3), its outward normal nearest to the direction (3), the direction of an edge (3)
    and its name."""
    kind = _feature(sh, s, x, y, z, tolerance, st, o)
    if core(sh, s) == BOX and kind <= FACE:
        i = name_of_corner(st[o], st[o + 1], st[o + 2])
        if kind == VERTEX:
            st[o + NAME] = i
        elif kind == EDGE:
            along = 1.0 * st[o + 6] + 2.0 * st[o + 7] + 4.0 * st[o + 8]  # corners at its ends differ by this
            x, y, z = (1.0 - st[o + 6]) * st[o], (1.0 - st[o + 7]) * st[o + 1], (1.0 - st[o + 8]) * st[o + 2]
            i = name_of_corner(x, y, z)
            st[o + NAME] = name_of_edge(sh, s, i, i + along)
        else:
            st[o + NAME] = FACE * NUMBERS
    elif core(sh, s) != HULL or kind == FACE:
        st[o + NAME] = kind * NUMBERS + (1.0 if st[o + 2] > 0.0 and (kind == VERTEX or kind == CIRCLE) else 0.0)
    return kind


@jit
def _feature(sh, s, x, y, z, tolerance, st, o):
    kind = core(sh, s)
    p0, p1, p2 = farthest(sh, s, x, y, z)
    vector1(st, o, p0, p1, p2)
    vector1(st, o + 3, x, y, z)
    if kind == BOX:
        i = 1 if abs(x) > tolerance else 0
        j = 1 if abs(y) > tolerance else 0
        k = 1 if abs(z) > tolerance else 0
        vector1(st, o + 6, 1.0 - i, 1.0 - j, 1.0 - k)
        size = math.sqrt(i * x * x + j * y * y + k * z * z)
        vector1(st, o + 3, i * x / size, j * y / size, k * z / size)
        return VERTEX if i + j + k == 3 else (EDGE if i + j + k == 2 else FACE)
    if kind == ELLIPSOID:
        return SMOOTH
    if kind == HULL:
        f, cosine = hull_face(sh, s, x, y, z)
        if 1.0 - cosine < 0.5 * tolerance * tolerance:
            vector1(st, o + 3, sh.node[f, 0], sh.node[f, 1], sh.node[f, 2])
            return FACE
        i, j = hull_edge(sh, s, x, y, z, tolerance)
        if i < 0:
            st[o + NAME] = 1.0 * hull_corner(sh, s, x, y, z)
            return VERTEX
        if i > j:
            i, j = j, i
        st[o + NAME] = name_of_edge(sh, s, 1.0 * (i - sh.first[s, 0]), 1.0 * (j - sh.first[s, 0]))
        dx, dy, dz = sh.vert[j, 0] - sh.vert[i, 0], sh.vert[j, 1] - sh.vert[i, 1], sh.vert[j, 2] - sh.vert[i, 2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        dx, dy, dz = dx / length, dy / length, dz / length
        vector1(st, o + 6, dx, dy, dz)
        d = x * dx + y * dy + z * dz
        x, y, z = x - d * dx, y - d * dy, z - d * dz
        size = math.sqrt(x * x + y * y + z * z)
        vector1(st, o + 3, x / size, y / size, z / size)
        return EDGE
    r1, r2, h = radii(sh, s)
    rho = math.sqrt(x * x + y * y)
    if r1 == 0.0 and r2 == 0.0:  # the axis of a capsule
        if abs(z) > tolerance:
            return VERTEX
        vector1(st, o + 3, x / rho, y / rho, 0.0)
        vector1(st, o + 6, 0.0, 0.0, 1.0)
        return EDGE
    c = x / rho if rho > 0.0 else 1.0
    d = y / rho if rho > 0.0 else 0.0
    r = r2 if p2 > 0.0 else r1
    if rho < tolerance and r > 0.0:
        vector1(st, o + 3, 0.0, 0.0, math.copysign(1.0, z))
        return FACE
    size = math.sqrt((r2 - r1) * (r2 - r1) + 4.0 * h * h)
    t0, t1 = (r2 - r1) / size, 2.0 * h / size
    if abs(rho * t0 + z * t1) < tolerance:
        vector1(st, o + 3, t1 * c, t1 * d, -t0)
        vector1(st, o, 0.5 * (r1 + r2) * c, 0.5 * (r1 + r2) * d, 0.0)
        return ROUND
    return CIRCLE if r > 0.0 else VERTEX


@jit
def vector1(st, o, x, y, z):
    st[o] = x
    st[o + 1] = y
    st[o + 2] = z


@jit
def travel(sh, s, kind, st, o, t0, t1, t2, v0, v1, v2):
    """Run along the feature by (t) while the normal turns by (v), to first order; point and normal stay on the feature
    exactly."""
    if kind == FACE:
        d = (
            t0 * st[o + 3] + t1 * st[o + 4] + t2 * st[o + 5]
        )  # on the way the tangents of the row are not yet those of the face
        vector1(st, o, st[o] + t0 - d * st[o + 3], st[o + 1] + t1 - d * st[o + 4], st[o + 2] + t2 - d * st[o + 5])
        return
    x, y, z = st[o + 3] + v0, st[o + 4] + v1, st[o + 5] + v2
    if kind == EDGE:
        e0, e1, e2 = st[o + 6], st[o + 7], st[o + 8]
        d = t0 * e0 + t1 * e1 + t2 * e2
        vector1(st, o, st[o] + d * e0, st[o + 1] + d * e1, st[o + 2] + d * e2)
        d = x * e0 + y * e1 + z * e2
        x, y, z = x - d * e0, y - d * e1, z - d * e2
    elif kind == SMOOTH:
        a, b, c = sh.par[s, 0], sh.par[s, 1], sh.par[s, 2]
        q0, q1, q2 = (st[o] + t0) / a, (st[o + 1] + t1) / b, (st[o + 2] + t2) / c
        size = math.sqrt(q0 * q0 + q1 * q1 + q2 * q2)
        q0, q1, q2 = q0 / size, q1 / size, q2 / size
        vector1(st, o, a * q0, b * q1, c * q2)
        x, y, z = q0 / a, q1 / b, q2 / c
    elif kind == CIRCLE:
        r = math.sqrt(st[o] * st[o] + st[o + 1] * st[o + 1])
        c, d = st[o] / r, st[o + 1] / r
        angle = min(max((c * t1 - d * t0) / r, -0.5), 0.5)
        co, si = math.cos(angle), math.sin(angle)
        c, d = co * c - si * d, co * d + si * c
        st[o] = r * c
        st[o + 1] = r * d
        along = -d * x + c * y
        x += along * d
        y -= along * c
    elif kind == ROUND:
        r1, r2, h = radii(sh, s)
        px, py, pz = st[o] + t0, st[o + 1] + t1, st[o + 2] + t2
        rho = math.sqrt(px * px + py * py)
        r = r1 + (r2 - r1) * 0.5 * (pz / h + 1.0)
        vector1(st, o, r * px / rho, r * py / rho, pz)
        x, y, z = 2.0 * h * px / rho, 2.0 * h * py / rho, r1 - r2
    size = math.sqrt(x * x + y * y + z * z)
    vector1(st, o + 3, x / size, y / size, z / size)


@jit
def bend(sh, s, kind, st, o, out, k, column):
    """U and V of the feature (with the margin) at column of row k, whose n and e1 are in ground."""
    f = sh.frame[s]
    A = sh.fr.A
    if kind == VERTEX:
        diagonal(out, k, column, 0.0, 0.0, 1.0, 1.0)
    elif kind == FACE:
        diagonal(out, k, column, 1.0, 1.0, 0.0, 0.0)
    elif kind == EDGE:
        x, y, z = rotate(A, f, st[o + 6], st[o + 7], st[o + 8])
        aligned(out, k, column, x, y, z, 1.0, 0.0, 0.0, 1.0)
    elif kind == SMOOTH:
        a, b, c = sh.par[s, 0], sh.par[s, 1], sh.par[s, 2]
        n0, n1, n2 = out[k, N], out[k, N + 1], out[k, N + 2]
        e0, e1, e2 = out[k, E1], out[k, E1 + 1], out[k, E1 + 2]
        f0, f1, f2 = unrotate(A, f, n1 * e2 - n2 * e1, n2 * e0 - n0 * e2, n0 * e1 - n1 * e0)
        e0, e1, e2 = unrotate(A, f, e0, e1, e2)
        p, q, r = 1.0 / (a * a), 1.0 / (b * b), 1.0 / (c * c)
        x, y, z = st[o] * p, st[o + 1] * q, st[o + 2] * r
        size = math.sqrt(x * x + y * y + z * z)
        vector(out, k, column, 1.0, 0.0, 1.0)
        vector(
            out,
            k,
            column + 3,
            (p * e0 * e0 + q * e1 * e1 + r * e2 * e2) / size,
            (p * e0 * f0 + q * e1 * f1 + r * e2 * f2) / size,
            (p * f0 * f0 + q * f1 * f1 + r * f2 * f2) / size,
        )
    else:
        rho = math.sqrt(st[o] * st[o] + st[o + 1] * st[o + 1])
        c, d = st[o] / rho, st[o + 1] / rho
        v = c * st[o + 3] + d * st[o + 4]
        x, y, z = rotate(A, f, -d, c, 0.0)
        if kind == CIRCLE:
            aligned(out, k, column, x, y, z, rho, 0.0, v, 1.0)
        else:
            aligned(out, k, column, x, y, z, rho, 1.0, v, 0.0)
    m = margin(sh, s)
    for c in range(3):
        out[k, column + c] += m * out[k, column + 3 + c]
