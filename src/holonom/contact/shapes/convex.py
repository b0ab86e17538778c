"""Any two convex shapes: box, cylinder, capsule, frustum, ellipsoid, hull.

The direction comes from `_gjk`; Newton's method on the features there (`kinematics.prepare` is its matrix) makes point,
normal and curvature exact.  Where a face meets a face or an edge, or edges and sides are parallel, several points carry
the force: the corners of one face cut by the other, each by the share of a full turn that the cut polygon turns at it.
These shares sum to 1, stay constant while one face slides on the other, and pass from a corner that is cut off to the
two that replace it.  From a tilt of 0.05 to 0.15 the weight moves smoothly from the corners to the single nearest
point.

Corners of the polygons that represent round end faces lie on their rims, but between them the rim is deeper by up to 1
- cos(pi/8) of its radius times the tilt.  The deepest point of a rim is therefore a point of its own however small the
tilt is (without weight below 0.05), and where a rim crosses another rim or an edge Newton's method finds the position.

The number of a point states which features meet there, whatever the pose: corner of one shape (against any face of the
other), edges that cross, rim.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..kinematics import prepare
from ..tables import E1, FEATURE, GAP, UA, UB, WEIGHT, N, P
from ..traits import BOX, DRUM, HULL, SEGMENT, core, hollow, margin, radii
from ._address import by_meshes
from ._gjk import PARTED, corner, distance, overlap
from ._hollow import corners_in_bore
from ._point import aligned, copy_row, diagonal, exchange, room, tangent, vector
from ._scratch import matrix, scratch
from ._support import (
    CIRCLE,
    EDGE,
    FACE,
    NAME,
    NUMBERS,
    ROUND,
    bend,
    feature,
    hull_edge,
    hull_face,
    name_of_corner,
    name_of_edge,
    support,
    travel,
    vector1,
)

POINTS = 36  # two faces of 16 corners cut each other in 32 at most
TILT = 0.15
SURE = 1e-7  # of the size of the shapes: so far the polytope's depth may be from that along its direction
# of the size of the shapes: by how much less than along the direction of the search they may be apart at a point
EXACT, NEARLY = 1e-9, 1e-6
# tilts within which features are searched for: a direction is as good as its search, one put at right angles better
EYES = 1e-5, 1e-3, 3e-2, 1e-8
EYES_SQUARED = 1e-8, 1e-5
THIRDS = 60  # steps of a search along a line, each leaves two thirds of it
ACROSS = 16  # directions round another, in which a point is looked for outside of a shape
WAYS = 96  # directions all round from which the one that parts two shapes most is searched for
WIDE = 3e-2  # tilt within which a search that did not close has ended on an edge or side
# moves of one size after which the search for it continues with smaller ones: along a ridge that roundoff alone makes
# rise it would walk for minutes
CLIMB = 100
EVERY = 1e300  # reach of all points of a face or edge
AROUND = 0.05  # angle from a direction to its neighbours round a line
NARROW = 1e-3  # tilt within which an edge next to a face is an edge
LEAST = 1e-8  # the same at least, where the edge of the face that has been passed is searched for
ONE, TWO = 3500, 3520  # features of a and b in the working space
OVER, UNDER = 3540, 3560  # features of a and b where their rims or edges cross
KIND = NAME + 1  # behind a feature: the kind that the nearest point has been found on
PAIR = 8.0 * NUMBERS  # of the name of a's feature, in the number of a point
UPRIGHT = 0.9  # cosine between the normals of a face and of a crossing on its rim
STRAY = 0.2  # of the larger radius: how far from the crossing of polygons that of rims is searched for
MOST = 32
# polygons of 32 corners at most: that of the reference, of the other cut, room to cut, of the other whole.  A corner:
# x, y, z, name, edge that follows (k of the other; -1 - i of the reference), what it is, and the edges that meet there
REFERENCE, OTHER, SPARE, WHOLE = 3600, 3600 + 8 * MOST, 3600 + 16 * MOST, 3600 + 24 * MOST
CORNER, CROSSING, BELOW = (
    0.0,
    1.0,
    2.0,
)  # corner of the other, its edge over an edge of the reference, corner of the reference


@jit
def in_bore(sh, a, b, reach, out, first, limit):
    """Bores are not convex: boxes and hulls in them touch by their corners, other shapes as they meet meshes."""
    if hollow(sh, b) and (core(sh, a) == BOX or core(sh, a) == HULL):
        return corners_in_bore(sh, a, b, reach, out, first, limit)
    if hollow(sh, a) and (core(sh, b) == BOX or core(sh, b) == HULL):
        n = corners_in_bore(sh, b, a, reach, out, first, limit)
        for k in range(first, first + n):
            exchange(out, k)
        return n
    return by_meshes(sh, a, b, reach, out, first, limit)


@jit
def separation(sh, a, b, x, y, z, st):
    """How far the shapes are apart along n = (x, y, z), from b to a."""
    return -corner(sh, a, b, -x, -y, -z, st, 0) - margin(sh, a) - margin(sh, b)


@jit
def surface(sh, s, st, o):
    """Point (with the margin) and outward normal of the feature at st[o:], in ground."""
    f = sh.frame[s]
    A = sh.fr.A
    m = margin(sh, s)
    x, y, z = rotate(A, f, st[o] + m * st[o + 3], st[o + 1] + m * st[o + 4], st[o + 2] + m * st[o + 5])
    u, v, w = rotate(A, f, st[o + 3], st[o + 4], st[o + 5])
    return x + sh.fr.p[f, 0], y + sh.fr.p[f, 1], z + sh.fr.p[f, 2], u, v, w


@jit
def advance(sh, s, kind, st, o, out, k, column, p, q):
    """Move the feature by alpha = (p, q) in the tangents of row k."""
    f = sh.frame[s]
    A = sh.fr.A
    e0, e1, e2 = out[k, E1], out[k, E1 + 1], out[k, E1 + 2]
    n0, n1, n2 = out[k, N], out[k, N + 1], out[k, N + 2]
    f0, f1, f2 = n1 * e2 - n2 * e1, n2 * e0 - n0 * e2, n0 * e1 - n1 * e0
    u = out[k, column] * p + out[k, column + 1] * q
    v = out[k, column + 1] * p + out[k, column + 2] * q
    y = out[k, column + 3] * p + out[k, column + 4] * q
    z = out[k, column + 4] * p + out[k, column + 5] * q
    m = margin(sh, s)
    u -= m * y  # of the core
    v -= m * z
    t0, t1, t2 = unrotate(A, f, u * e0 + v * f0, u * e1 + v * f1, u * e2 + v * f2)
    w0, w1, w2 = unrotate(A, f, y * e0 + z * f0, y * e1 + z * f1, y * e2 + z * f2)
    travel(sh, s, kind, st, o, t0, t1, t2, w0, w1, w2)


@jit
def past_end(sh, s, kind, x, y, z):
    """Does a point in ground on the line of an edge or side of a box or drum lie past its end?"""
    if kind != EDGE and kind != ROUND:
        return False
    f = sh.frame[s]
    x, y, z = unrotate(sh.fr.A, f, x - sh.fr.p[f, 0], y - sh.fr.p[f, 1], z - sh.fr.p[f, 2])
    if core(sh, s) == BOX:
        hx, hy, hz = sh.par[s, 0], sh.par[s, 1], sh.par[s, 2]
    elif core(sh, s) == DRUM or core(sh, s) == SEGMENT:
        hx = hy = math.inf
        hz = radii(sh, s)[2]
    else:
        return False
    over = margin(sh, s) + NEARLY * (hz if core(sh, s) != BOX else hx + hy + hz)
    return abs(x) > hx + over or abs(y) > hy + over or abs(z) > hz + over


@jit
def single(sh, a, b, x, y, z, tolerance, st, A, out, k):
    """Row k: the nearest point for a direction n = (x, y, z) near the right one, of the features that are searched for
    within a tilt of ``tolerance``.  Returns how far the shapes are apart along its normal, -inf where Newton's method
    does not close it, and the size that is judged by."""
    p0, p1, p2 = unrotate(sh.fr.A, sh.frame[a], -x, -y, -z)
    ka = feature(sh, a, p0, p1, p2, tolerance, st, ONE)
    p0, p1, p2 = unrotate(sh.fr.A, sh.frame[b], x, y, z)
    kb = feature(sh, b, p0, p1, p2, tolerance, st, TWO)
    done, size = opposite(sh, a, b, ka, kb, st, ONE, TWO, A, out, k)
    st[ONE + KIND] = ka
    st[TWO + KIND] = kb
    out[k, FEATURE] = number(sh, a, b, ka, kb, st, ONE, TWO, out, k)
    out[k, WEIGHT] = 1.0
    u, v, w = out[k, N], out[k, N + 1], out[k, N + 2]
    p0, p1, p2, g = out[k, P], out[k, P + 1], out[k, P + 2], out[k, GAP]
    if not done or past_end(sh, b, kb, p0, p1, p2) or past_end(sh, a, ka, p0 + g * u, p1 + g * v, p2 + g * w):
        return -math.inf, size  # lines that are nearly parallel cross anywhere
    return separation(sh, a, b, u, v, w, st), size


@jit
def closest(sh, a, b, x, y, z, gap, eyes, st, A, out, k):
    """Row k: the nearest point for a direction near the right one, along which the shapes are apart by ``gap``, of the
    features within the first tilt of ``eyes`` by whose normal they are apart by that to `EXACT`; where there are none,
    of those by whose normal they are apart most, if it is that to `NEARLY`.  Returns whether there is one."""
    most = -math.inf
    nearly = -1
    for e in range(len(eyes)):
        apart, size = single(sh, a, b, x, y, z, eyes[e], st, A, out, k)
        if apart >= gap - EXACT * size:
            return True
        if apart >= gap - NEARLY * size and apart > most:
            most, nearly = apart, e
    if nearly >= 0:
        single(sh, a, b, x, y, z, eyes[nearly], st, A, out, k)
    return nearly >= 0


@jit
def astray(sh, s, p0, p1, p2, x, y, z):
    """How far a point in ground lies outside of shape s across the direction n = (x, y, z): the most along `ACROSS`
    directions at right angles to n."""
    e0, e1, e2 = tangent(x, y, z)
    f0, f1, f2 = y * e2 - z * e1, z * e0 - x * e2, x * e1 - y * e0
    most = -math.inf
    for i in range(ACROSS):
        c, d = math.cos(6.283185307179586 * i / ACROSS), math.sin(6.283185307179586 * i / ACROSS)
        u, v, w = c * e0 + d * f0, c * e1 + d * f1, c * e2 + d * f2
        a0, a1, a2 = support(sh, s, u, v, w)
        most = max(most, (p0 - a0) * u + (p1 - a1) * v + (p2 - a2) * w)
    return most - margin(sh, s)


@jit
def beyond(sh, a, b, p0, p1, p2, x, y, z):
    """How far a point in ground lies outside of shape a or b across the direction n = (x, y, z)."""
    return max(astray(sh, a, p0, p1, p2, x, y, z), astray(sh, b, p0, p1, p2, x, y, z))


@jit
def left(sh, a, b, x, y, z, tolerance, st, out, k):
    """Row k as the search left it: the farthest point of a or b along n = (x, y, z), or what lies between these, that
    is nearest to being on both shapes, seen along n: along edges and sides in line with each other every point is the
    farthest, also where the other shape has ended."""
    vector(out, k, N, x, y, z)
    e0, e1, e2 = tangent(x, y, z)
    vector(out, k, E1, e0, e1, e2)
    gap = separation(sh, a, b, x, y, z, st)
    a0, a1, a2 = support(sh, a, -x, -y, -z)
    m = margin(sh, a) + gap
    a0, a1, a2 = a0 - m * x, a1 - m * y, a2 - m * z
    b0, b1, b2 = support(sh, b, x, y, z)
    m = margin(sh, b)
    b0, b1, b2 = b0 + m * x, b1 + m * y, b2 + m * z
    least = math.inf
    for i in range(3):
        w = 0.0 if i == 0 else (1.0 if i == 1 else 0.5)
        p0, p1, p2 = a0 + w * (b0 - a0), a1 + w * (b1 - a1), a2 + w * (b2 - a2)
        outside = beyond(sh, a, b, p0, p1, p2, x, y, z)
        if outside < least - 1e-9 * abs(least):
            least = outside
            vector(out, k, P, p0, p1, p2)
    out[k, GAP] = gap
    p0, p1, p2 = unrotate(sh.fr.A, sh.frame[a], -x, -y, -z)
    ka = feature(sh, a, p0, p1, p2, tolerance, st, ONE)
    p0, p1, p2 = unrotate(sh.fr.A, sh.frame[b], x, y, z)
    kb = feature(sh, b, p0, p1, p2, tolerance, st, TWO)
    bend(sh, a, ka, st, ONE, out, k, UA)
    bend(sh, b, kb, st, TWO, out, k, UB)


@jit
def settle(sh, a, b, st, out, k):
    """Row k of a face and a face, edge or side that barely pass over each other, or of edges and sides in line: any
    point of them is the nearest, and that of the search may lie where the other shape has ended.  The point along the
    line, or from centre to centre of the faces, that is least outside of either shape (which is convex)."""
    x, y, z = out[k, N], out[k, N + 1], out[k, N + 2]
    p0, p1, p2 = out[k, P], out[k, P + 1], out[k, P + 2]
    least = beyond(sh, a, b, p0, p1, p2, x, y, z)
    fa, fb = sh.frame[a], sh.frame[b]
    size = abs(p0 - sh.fr.p[fb, 0]) + abs(p1 - sh.fr.p[fb, 1]) + abs(p2 - sh.fr.p[fb, 2])
    if not least > NEARLY * size:
        return
    ka, kb = int(st[ONE + KIND]), int(st[TWO + KIND])
    if ka != FACE or kb != FACE:
        s, kind, d, sign = (a, ka, ONE, -1.0) if ka != FACE else (b, kb, TWO, 1.0)
        u, v, w = unrotate(sh.fr.A, sh.frame[s], sign * x, sign * y, sign * z)
        polygon(sh, s, u, v, w, kind, st, OTHER, d)
        i, j = OTHER, OTHER + 8
        a0, a1, a2, b0, b1, b2 = st[i], st[i + 1], st[i + 2], st[j], st[j + 1], st[j + 2]
    else:
        a0, a1, a2 = sh.fr.p[fa, 0], sh.fr.p[fa, 1], sh.fr.p[fa, 2]
        b0, b1, b2 = sh.fr.p[fb, 0], sh.fr.p[fb, 1], sh.fr.p[fb, 2]
    g = (p0 - a0) * x + (p1 - a1) * y + (p2 - a2) * z  # into the plane of the point
    a0, a1, a2 = a0 + g * x, a1 + g * y, a2 + g * z
    g = (p0 - b0) * x + (p1 - b1) * y + (p2 - b2) * z
    b0, b1, b2 = b0 + g * x - a0, b1 + g * y - a1, b2 + g * z - a2
    low, high = 0.0, 1.0
    for _ in range(THIRDS):
        i, j = low + (high - low) / 3.0, high - (high - low) / 3.0
        one = beyond(sh, a, b, a0 + i * b0, a1 + i * b1, a2 + i * b2, x, y, z)
        two = beyond(sh, a, b, a0 + j * b0, a1 + j * b1, a2 + j * b2, x, y, z)
        if one < two:
            high = j
        else:
            low = i
    i = 0.5 * (low + high)
    p0, p1, p2 = a0 + i * b0, a1 + i * b1, a2 + i * b2
    if beyond(sh, a, b, p0, p1, p2, x, y, z) < least:
        vector(out, k, P, p0, p1, p2)


@jit
def number(sh, a, b, ka, kb, st, oa, ob, out, k):
    """Number of the point in row k where feature ka of a, at st[oa:], meets kb of b at st[ob:]; faces have no name of
    their own.

    A rim crosses an edge, or another rim, at two places: the turn from the one to the other about n distinguishes
    them."""
    first = 0.0 if ka == FACE else 1.0 + st[oa + NAME]
    second = FACE * NUMBERS if kb == FACE else st[ob + NAME]
    if (ka == CIRCLE and (kb == CIRCLE or kb == EDGE)) or (ka == EDGE and kb == CIRCLE):
        a0, a1, a2 = way(sh, a, ka, st, oa)
        b0, b1, b2 = way(sh, b, kb, st, ob)
        c0, c1, c2 = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
        if c0 * out[k, N] + c1 * out[k, N + 1] + c2 * out[k, N + 2] > 0.0:
            second += 0.5 * NUMBERS
    return PAIR * first + second


@jit
def way(sh, s, kind, st, o):
    """Direction in ground of the edge at st[o:], or of the rim there, counterclockwise about z."""
    if kind == EDGE:
        x, y, z = st[o + 6], st[o + 7], st[o + 8]
    else:
        x, y, z = -st[o + 1], st[o], 0.0
    return rotate(sh.fr.A, sh.frame[s], x, y, z)


@jit
def opposite(sh, a, b, ka, kb, st, oa, ob, A, out, k):
    """Newton's method for the points of the features at st[oa:] and st[ob:] that are opposite each other, into row k:
    (whether it closed, size)."""
    done = False
    size = 0.0
    f = sh.frame[a]
    p0, p1, p2 = sh.fr.p[f, 0], sh.fr.p[f, 1], sh.fr.p[f, 2]
    f = sh.frame[b]
    q0, q1, q2 = sh.fr.p[f, 0], sh.fr.p[f, 1], sh.fr.p[f, 2]
    for step in range(25):
        a0, a1, a2, u0, u1, u2 = surface(sh, a, st, oa)
        b0, b1, b2, v0, v1, v2 = surface(sh, b, st, ob)
        d0, d1, d2 = a0 - b0, a1 - b1, a2 - b2
        g = d0 * v0 + d1 * v1 + d2 * v2
        vector(out, k, P, b0, b1, b2)
        vector(out, k, N, v0, v1, v2)
        out[k, GAP] = g
        e0, e1, e2 = tangent(v0, v1, v2)
        vector(out, k, E1, e0, e1, e2)
        bend(sh, a, ka, st, oa, out, k, UA)
        bend(sh, b, kb, st, ob, out, k, UB)
        f0, f1, f2 = v1 * e2 - v2 * e1, v2 * e0 - v0 * e2, v0 * e1 - v1 * e0
        r0 = -((u0 + v0) * e0 + (u1 + v1) * e1 + (u2 + v2) * e2)
        r1 = -((u0 + v0) * f0 + (u1 + v1) * f1 + (u2 + v2) * f2)
        r2 = -(d0 * e0 + d1 * e1 + d2 * e2)
        r3 = -(d0 * f0 + d1 * f1 + d2 * f2)
        if step == 0:  # on the shapes: lines that are nearly parallel cross anywhere
            size = abs(a0 - p0) + abs(a1 - p1) + abs(a2 - p2) + abs(b0 - q0) + abs(b1 - q1) + abs(b2 - q2)
        if abs(r0) + abs(r1) < 1e-12 and abs(r2) + abs(r3) < 1e-12 * size:
            done = u0 * v0 + u1 * v1 + u2 * v2 < 0.0
            break
        if not prepare(out, k, A):
            break
        h0 = A[0, 0] * r0 + A[0, 1] * r1 + A[0, 2] * r2 + A[0, 3] * r3
        h1 = A[1, 0] * r0 + A[1, 1] * r1 + A[1, 2] * r2 + A[1, 3] * r3
        h2 = A[2, 0] * r0 + A[2, 1] * r1 + A[2, 2] * r2 + A[2, 3] * r3
        h3 = A[3, 0] * r0 + A[3, 1] * r1 + A[3, 2] * r2 + A[3, 3] * r3
        advance(sh, a, ka, st, oa, out, k, UA, h0, h1)
        advance(sh, b, kb, st, ob, out, k, UB, h2, h3)
    return done, size


@jit
def put(sh, s, st, o, i, name, x, y, z):
    """Corner i of the polygon at o, from the axes of s to ground; ``name``: what the corner is called."""
    f = sh.frame[s]
    x, y, z = rotate(sh.fr.A, f, x, y, z)
    q = o + 8 * i
    st[q] = x + sh.fr.p[f, 0]
    st[q + 1] = y + sh.fr.p[f, 1]
    st[q + 2] = z + sh.fr.p[f, 2]
    st[q + 3] = name
    st[q + 4] = i
    st[q + 5] = CORNER


@jit
def polygon(sh, s, x, y, z, kind, st, o, d):
    """Corners, in ground, of the face or edge (of `kind`, its feature at st[d:]) that looks along (x, y, z) in the axes
    of s."""
    if core(sh, s) == BOX:
        hx, hy, hz = sh.par[s, 0], sh.par[s, 1], sh.par[s, 2]
        if kind == EDGE:
            e0, e1, e2 = st[d + 6] * hx, st[d + 7] * hy, st[d + 8] * hz
            p0, p1, p2 = (1.0 - st[d + 6]) * st[d], (1.0 - st[d + 7]) * st[d + 1], (1.0 - st[d + 8]) * st[d + 2]
            put(sh, s, st, o, 0, name_of_corner(p0 - e0, p1 - e1, p2 - e2), p0 - e0, p1 - e1, p2 - e2)
            put(sh, s, st, o, 1, name_of_corner(p0 + e0, p1 + e1, p2 + e2), p0 + e0, p1 + e1, p2 + e2)
            return 2
        for i in range(4):
            u = -1.0 if i == 0 or i == 3 else 1.0
            v = -1.0 if i < 2 else 1.0
            if st[d + 3] != 0.0:
                put(sh, s, st, o, i, name_of_corner(st[d], u, v), st[d], u * hy, v * hz)
            elif st[d + 4] != 0.0:
                put(sh, s, st, o, i, name_of_corner(u, st[d + 1], v), u * hx, st[d + 1], v * hz)
            else:
                put(sh, s, st, o, i, name_of_corner(u, v, st[d + 2]), u * hx, v * hy, st[d + 2])
        return 4
    if core(sh, s) == HULL:
        if kind == EDGE:
            i, j = hull_edge(sh, s, x, y, z, TILT)
            put(sh, s, st, o, 0, 1.0 * (i - sh.first[s, 0]), sh.vert[i, 0], sh.vert[i, 1], sh.vert[i, 2])
            put(sh, s, st, o, 1, 1.0 * (j - sh.first[s, 0]), sh.vert[j, 0], sh.vert[j, 1], sh.vert[j, 2])
            return 2
        f, _ = hull_face(sh, s, x, y, z)
        count = int(sh.node[f, 5])
        step = (count + 15) // 16  # at most 16 of its corners
        n = 0
        for m in range(0, count, step):
            i = sh.link[int(sh.node[f, 4]) + m, 0]
            put(sh, s, st, o, n, 1.0 * (i - sh.first[s, 0]), sh.vert[i, 0], sh.vert[i, 1], sh.vert[i, 2])
            n += 1
        return n
    r1, r2, h = radii(sh, s)
    if kind == FACE:
        r = r2 if st[d + 5] > 0.0 else r1
        end = 8.0 if st[d + 5] > 0.0 else 0.0
        for i in range(8):
            angle = 0.7853981633974483 * i
            put(sh, s, st, o, i, 2.0 + end + i, r * math.cos(angle), r * math.sin(angle), h if st[d + 5] > 0.0 else -h)
        return 8
    rho = math.sqrt(x * x + y * y)
    put(sh, s, st, o, 0, CIRCLE * NUMBERS if r1 > 0.0 else 0.0, r1 * x / rho, r1 * y / rho, -h)
    put(sh, s, st, o, 1, CIRCLE * NUMBERS + 1.0 if r2 > 0.0 else 1.0, r2 * x / rho, r2 * y / rho, h)
    return 2


@jit
def cut(st, m, x, y, z, n):
    """Cut the other polygon, of n corners, by the sides of the reference, of m corners, seen along (x, y, z).  Returns
    the number of corners left."""
    for c in range(8 * n):
        st[WHOLE + c] = st[OTHER + c]
    # which way round the reference runs
    area = 0.0
    for i in range(1, m - 1):
        p, q, r = REFERENCE, REFERENCE + 8 * i, REFERENCE + 8 * i + 8
        u0, u1, u2 = st[q] - st[p], st[q + 1] - st[p + 1], st[q + 2] - st[p + 2]
        v0, v1, v2 = st[r] - st[p], st[r + 1] - st[p + 1], st[r + 2] - st[p + 2]
        area += x * (u1 * v2 - u2 * v1) + y * (u2 * v0 - u0 * v2) + z * (u0 * v1 - u1 * v0)
    way = 1.0 if area > 0.0 else -1.0
    size = 0.0
    for i in range(1, m):
        size = max(size, between(st, REFERENCE, REFERENCE + 8 * i))
    # sides in line with each other leave an edge; the direction in which a line has rolled past an edge is not known
    # better than to the root of roundoff
    edge_on = (1e-9 if n > 2 else 1e-6) * size
    for i in range(m):
        p = REFERENCE + 8 * i
        q = REFERENCE + 8 * (i + 1 if i + 1 < m else 0)
        u0, u1, u2 = st[q] - st[p], st[q + 1] - st[p + 1], st[q + 2] - st[p + 2]
        w0, w1, w2 = way * (y * u2 - z * u1), way * (z * u0 - x * u2), way * (x * u1 - y * u0)  # inwards
        out = -edge_on * math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
        k = 0
        for j in range(n):
            s = OTHER + 8 * j
            t = OTHER + 8 * (j + 1 if j + 1 < n else 0)
            ds = w0 * (st[s] - st[p]) + w1 * (st[s + 1] - st[p + 1]) + w2 * (st[s + 2] - st[p + 2])
            dt = w0 * (st[t] - st[p]) + w1 * (st[t + 1] - st[p + 1]) + w2 * (st[t + 2] - st[p + 2])
            if ds >= out and k < MOST:
                for c in range(8):
                    st[SPARE + 8 * k + c] = st[s + c]
                k += 1
            if ((ds < out and dt > 0.0) or (dt < out and ds > 0.0)) and k < MOST and not (n == 2 and j == 1):
                share = ds / (ds - dt)
                o = SPARE + 8 * k
                for c in range(3):
                    st[o + c] = st[s + c] + share * (st[t + c] - st[s + c])
                edge = st[s + 4]
                st[o + 4] = edge if ds < 0.0 else -1.0 - i
                st[o + 6] = edge
                st[o + 7] = i
                st[o + 5] = CROSSING if edge >= 0.0 else BELOW
                k += 1
        n = k
        for c in range(8 * n):
            st[OTHER + c] = st[SPARE + c]
        if n == 0:
            break
    return n


@jit
def between(st, i, j):
    return math.sqrt((st[i] - st[j]) ** 2 + (st[i + 1] - st[j + 1]) ** 2 + (st[i + 2] - st[j + 2]) ** 2)


@jit
def tidy(st, o, n):
    """Corners that coincide become one."""
    size = 0.0
    for i in range(1, n):
        size = max(size, between(st, o, o + 8 * i))
    k = 0
    for i in range(n):
        near = k > 0 and (
            between(st, o + 8 * (k - 1), o + 8 * i) <= 1e-10 * size
            or (i == n - 1 and between(st, o, o + 8 * i) <= 1e-10 * size)
        )
        if not near:
            for c in range(8):
                st[o + 8 * k + c] = st[o + 8 * i + c]
            k += 1
    return k


@jit
def share_of_turn(st, o, n, i, x, y, z):
    """What part of a full turn the polygon turns at corner i, seen along (x, y, z)."""
    if n < 3:
        return 1.0 / n
    p = o + 8 * (i - 1 if i > 0 else n - 1)
    q = o + 8 * i
    r = o + 8 * (i + 1 if i + 1 < n else 0)
    u0, u1, u2 = st[q] - st[p], st[q + 1] - st[p + 1], st[q + 2] - st[p + 2]
    v0, v1, v2 = st[r] - st[q], st[r + 1] - st[q + 1], st[r + 2] - st[q + 2]
    d = u0 * x + u1 * y + u2 * z
    u0, u1, u2 = u0 - d * x, u1 - d * y, u2 - d * z
    d = v0 * x + v1 * y + v2 * z
    v0, v1, v2 = v0 - d * x, v1 - d * y, v2 - d * z
    c0, c1, c2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
    sine = math.sqrt(c0 * c0 + c1 * c1 + c2 * c2)
    return math.atan2(sine, u0 * v0 + u1 * v1 + u2 * v2) / 6.283185307179586


@jit
def smooth(x):
    x = min(max((x - 0.05) / 0.1, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


@jit
def round_line(sh, s, kind, st, d, out, k, column, ends):
    """Curvature of an edge or side at a position where it is cut off (ends) or runs on."""
    f = sh.frame[s]
    m = margin(sh, s)
    if kind == EDGE:
        x, y, z = rotate(sh.fr.A, f, st[d + 6], st[d + 7], st[d + 8])
        aligned(out, k, column, x, y, z, m if ends else 1.0, m, 1.0 if ends else 0.0, 1.0)
        return
    x, y, z = rotate(sh.fr.A, f, 0.0, 0.0, 1.0)
    r1, r2, h = radii(sh, s)
    aligned(out, k, column, x, y, z, 0.0 if ends else 1.0, 0.5 * (r1 + r2), 1.0 if ends else 0.0, 1.0)


@jit
def on_face(sh, pair, point, normal, swapped, reach, st, A4, out, first, limit):
    """Manifold of face (feature kr at its position) of shape r against face or edge of s; (number of points, share of
    the single point).

    (x, y, z) outward normal of r's face in ground, n the direction of the search from r to s; swapped: r is a."""
    r, s, ks, kr = pair
    x, y, z = point
    nx, ny, nz = normal
    dr = ONE if swapped else TWO
    ds = TWO if swapped else ONE
    f = sh.frame[s]
    A = sh.fr.A
    u, v, w = rotate(A, f, st[ds + 3], st[ds + 4], st[ds + 5])
    if ks == EDGE:
        e0, e1, e2 = rotate(A, f, st[ds + 6], st[ds + 7], st[ds + 8])
        tilt = abs(e0 * x + e1 * y + e2 * z)
    elif ks == ROUND:
        e0, e1, e2 = rotate(A, f, 0.0, 0.0, 1.0)
        c, d, e = v * e2 - w * e1, w * e0 - u * e2, u * e1 - v * e0
        # generator: across the normal in the plane of axis and normal
        e0, e1, e2 = d * w - e * v, e * u - c * w, c * v - d * u
        size = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
        tilt = abs(e0 * x + e1 * y + e2 * z) / size
    else:
        tilt = math.sqrt((v * z - w * y) ** 2 + (w * x - u * z) ** 2 + (u * y - v * x) ** 2)
    tilt = max(tilt, math.sqrt((ny * z - nz * y) ** 2 + (nz * x - nx * z) ** 2 + (nx * y - ny * x) ** 2))
    share = smooth(tilt)
    if share >= 1.0:
        return 0, 1.0
    fr = sh.frame[r]
    l0, l1, l2 = unrotate(A, fr, x, y, z)
    m = polygon(sh, r, l0, l1, l2, kr, st, REFERENCE, dr)
    l0, l1, l2 = unrotate(A, f, -x, -y, -z)
    count = polygon(sh, s, l0, l1, l2, ks, st, OTHER, ds)
    whole = count
    count = tidy(st, OTHER, cut(st, m, x, y, z, count))
    if count == 0:
        return 0, 1.0
    n = 0
    for i in range(count):
        k = first + n
        q = OTHER + 8 * i
        if n == limit:
            break
        over, under = names(sh, r, s, ks, kr, m, whole, q, st)
        if swapped:
            over, under = under, over
        out[k, FEATURE] = PAIR * (0.0 if over == FACE * NUMBERS else 1.0 + over) + under
        if not (
            st[q + 5] == CROSSING
            and (rimmed(sh, s, ks) or rimmed(sh, r, kr))
            and rims_cross(sh, (r, s, ks, kr), m, whole, q, (x, y, z), swapped, st, A4, out, k)
        ):
            face_point(sh, (r, s, ks), m, whole, q, (x, y, z), (u, v, w), swapped, ds, st, out, k)
        out[k, WEIGHT] = (1.0 - share) * share_of_turn(st, OTHER, count, i, x, y, z)
        again = -1  # two chords may lead to the same crossing of rims
        for j in range(first, k):
            if out[j, FEATURE] == out[k, FEATURE]:
                again = j
        if again >= 0:
            out[again, WEIGHT] += out[k, WEIGHT]
        elif out[k, GAP] < reach and out[k, WEIGHT] > 1e-12:
            n += 1
    return n, share


@jit
def face_point(sh, pair, m, whole, q, point, normal, swapped, ds, st, out, k):
    """Row k for the corner at st[q:] of the cut polygon: a corner of s over the face of r with normal (x, y, z), edges
    of both that cross, or a corner of r under the face of s with normal (u, v, w)."""
    r, s, ks = pair
    x, y, z = point
    u, v, w = normal
    ma = margin(sh, s)
    mr = margin(sh, r)
    column = UB if swapped else UA
    other = UA if swapped else UB
    sign = -1.0 if swapped else 1.0
    p0, p1, p2 = st[q] - st[REFERENCE], st[q + 1] - st[REFERENCE + 1], st[q + 2] - st[REFERENCE + 2]
    gap = x * p0 + y * p1 + z * p2
    # on the core of r, under the corner; n from r to s
    p0, p1, p2 = st[q] - gap * x, st[q + 1] - gap * y, st[q + 2] - gap * z
    n0, n1, n2 = x, y, z
    gap -= ma + mr
    what = st[q + 5]
    if what == CROSSING:
        e0, e1, e2, f0, f1, f2, r0, good, a0, a1, a2 = crossing(sh, r, s, ks, m, whole, q, ds, st)
        c0, c1, c2 = e1 * f2 - e2 * f1, e2 * f0 - e0 * f2, e0 * f1 - e1 * f0
        sine = math.sqrt(c0 * c0 + c1 * c1 + c2 * c2)
        along = c0 * x + c1 * y + c2 * z
        if good and abs(along) > 0.9 * sine and sine > 1e-3:
            sine = math.copysign(sine, along)
            n0, n1, n2 = c0 / sine, c1 / sine, c2 / sine
            i = REFERENCE + 8 * int(st[q + 7])
            d0, d1, d2 = a0 - st[i], a1 - st[i + 1], a2 - st[i + 2]
            gap = n0 * d0 + n1 * d1 + n2 * d2 - r0 - mr
            # position on the edge of r: -d . (e x c) / c^2
            t = -(d0 * (e1 * c2 - e2 * c1) + d1 * (e2 * c0 - e0 * c2) + d2 * (e0 * c1 - e1 * c0)) / (sine * sine)
            p0, p1, p2 = st[i] + t * f0, st[i + 1] + t * f1, st[i + 2] + t * f2
        else:
            what = CORNER
    elif what == BELOW:
        i = int(st[q + 7])
        j = int(-1.0 - st[q + 6])
        low = min(i, j)
        high = max(i, j)
        if high == low + 1 or (low == 0 and high == m - 1):
            c = REFERENCE + 8 * (high if high == low + 1 else 0)
            n0, n1, n2 = -u, -v, -w
            p0, p1, p2 = st[c], st[c + 1], st[c + 2]
            gap = n0 * (st[WHOLE] - p0) + n1 * (st[WHOLE + 1] - p1) + n2 * (st[WHOLE + 2] - p2) - ma - mr
        else:
            what = CORNER
    p0, p1, p2 = p0 + mr * n0, p1 + mr * n1, p2 + mr * n2
    if swapped:
        p0, p1, p2 = p0 + gap * n0, p1 + gap * n1, p2 + gap * n2  # the point of b is that of s
    vector(out, k, P, p0, p1, p2)
    vector(out, k, N, sign * n0, sign * n1, sign * n2)
    e0, e1, e2 = tangent(n0, n1, n2)
    vector(out, k, E1, e0, e1, e2)
    out[k, GAP] = gap
    if what == CROSSING:
        e0, e1, e2, f0, f1, f2, r0, good, a0, a1, a2 = crossing(sh, r, s, ks, m, whole, q, ds, st)
        aligned(out, k, other, f0, f1, f2, 1.0, mr, 0.0, 1.0)
        aligned(out, k, column, e0, e1, e2, 1.0, r0, 0.0, 1.0)
    elif what == BELOW:
        diagonal(out, k, other, mr, mr, 1.0, 1.0)
        diagonal(out, k, column, 1.0, 1.0, 0.0, 0.0)
    else:
        diagonal(out, k, other, 1.0, 1.0, 0.0, 0.0)
        if ks == ROUND:
            rim(sh, s, q, st, -n0, -n1, -n2, out, k, column)
        elif ks == EDGE:
            round_line(sh, s, ks, st, ds, out, k, column, True)
        else:
            diagonal(out, k, column, ma, ma, 1.0, 1.0)


@jit
def rimmed(sh, s, kind):
    """Is this feature a round face?"""
    return kind == FACE and core(sh, s) == DRUM


@jit
def name_of_side(sh, s, kind, st, p, q):
    """Name of the side of a polygon of s from its corner at st[p:] to that at st[q:]: an edge, a chord of a rim, or a
    generator."""
    if rimmed(sh, s, kind):
        return EDGE * NUMBERS + st[p + 3]
    if kind == ROUND:
        return ROUND * NUMBERS
    if core(sh, s) == SEGMENT:
        return EDGE * NUMBERS
    return name_of_edge(sh, s, st[p + 3], st[q + 3])


@jit
def names(sh, r, s, ks, kr, m, whole, q, st):
    """Names of what meets at the corner at st[q:] of the cut polygon: of s, of the reference r."""
    what = st[q + 5]
    if what == CORNER:
        return st[q + 3], FACE * NUMBERS
    i = int(st[q + 7])
    under = name_of_side(sh, r, kr, st, REFERENCE + 8 * i, REFERENCE + 8 * (i + 1 if i + 1 < m else 0))
    if what == CROSSING:
        j = int(st[q + 6])
        return name_of_side(sh, s, ks, st, WHOLE + 8 * j, WHOLE + 8 * (j + 1 if j + 1 < whole else 0)), under
    j = int(-1.0 - st[q + 6])
    low = min(i, j)
    high = max(i, j)
    return FACE * NUMBERS, st[REFERENCE + 8 * (high if high == low + 1 else 0) + 3]


@jit
def rims_cross(sh, pair, m, whole, q, point, swapped, st, A4, out, k):
    """Where sides of both polygons cross at st[q:], one of them a chord of a rim: row k becomes the point where the rim
    itself crosses.  Returns whether there is one near."""
    r, s, ks, kr = pair
    x, y, z = point
    i = int(st[q + 7])
    j = int(st[q + 6])
    p = WHOLE + 8 * j
    t = WHOLE + 8 * (j + 1 if j + 1 < whole else 0)
    over = OVER if not swapped else UNDER
    under = UNDER if not swapped else OVER
    a = s if not swapped else r
    b = r if not swapped else s
    one = side(sh, s, ks, st, p, t, q, -x, -y, -z, over)
    p = REFERENCE + 8 * i
    t = REFERENCE + 8 * (i + 1 if i + 1 < m else 0)
    two = side(sh, r, kr, st, p, t, q, x, y, z, under)
    if one < 0 or two < 0:
        return False
    ka = one if not swapped else two
    kb = two if not swapped else one
    sign = 1.0 if not swapped else -1.0
    o = REFERENCE
    gap = (
        x * (st[q] - st[o]) + y * (st[q + 1] - st[o + 1]) + z * (st[q + 2] - st[o + 2]) - margin(sh, s) - margin(sh, r)
    )
    done, _ = opposite(sh, a, b, ka, kb, st, OVER, UNDER, A4, out, k)
    far = math.sqrt((out[k, P] - st[q]) ** 2 + (out[k, P + 1] - st[q + 1]) ** 2 + (out[k, P + 2] - st[q + 2]) ** 2)
    looks = sign * (out[k, N] * x + out[k, N + 1] * y + out[k, N + 2] * z)
    r1, r2, _ = radii(sh, s) if rimmed(sh, s, ks) else radii(sh, r)
    r = STRAY * max(r1, r2)
    if not (done and looks > UPRIGHT and far < r + abs(gap) and abs(out[k, GAP] - gap) < TILT * r):
        return False
    out[k, FEATURE] = number(sh, a, b, ka, kb, st, OVER, UNDER, out, k)
    return True


@jit
def side(sh, s, kind, st, p, t, q, x, y, z, o):
    """The side of a polygon of s between its corners at st[p:] and st[t:] as a feature at st[o:], its point near
    st[q:], its normal near (x, y, z) in ground: its kind, -1 where it is not an edge nor rim."""
    f = sh.frame[s]
    A = sh.fr.A
    x, y, z = unrotate(A, f, x, y, z)
    u, v, w = unrotate(A, f, st[q] - sh.fr.p[f, 0], st[q + 1] - sh.fr.p[f, 1], st[q + 2] - sh.fr.p[f, 2])
    if rimmed(sh, s, kind):
        r1, r2, h = radii(sh, s)
        top = st[p + 3] >= 10.0
        st[o + NAME] = CIRCLE * NUMBERS + (1.0 if top else 0.0)
        r = r2 if top else r1
        rho = math.sqrt(u * u + v * v)
        if not rho > 0.0:
            return -1
        vector1(st, o, r * u / rho, r * v / rho, h if top else -h)
        vector1(st, o + 3, x, y, z)
        return CIRCLE
    if kind == ROUND:
        return -1
    st[o + NAME] = name_of_side(sh, s, kind, st, p, t)
    g0, g1, g2 = unrotate(A, f, st[p] - sh.fr.p[f, 0], st[p + 1] - sh.fr.p[f, 1], st[p + 2] - sh.fr.p[f, 2])
    e0, e1, e2 = unrotate(A, f, st[t] - sh.fr.p[f, 0], st[t + 1] - sh.fr.p[f, 1], st[t + 2] - sh.fr.p[f, 2])
    turned = (
        1.0 if st[p + 3] < st[t + 3] else -1.0
    )  # from the lower corner to the higher, whichever way the polygon runs
    e0, e1, e2 = turned * (e0 - g0), turned * (e1 - g1), turned * (e2 - g2)
    size = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    if not size > 0.0:
        return -1
    e0, e1, e2 = e0 / size, e1 / size, e2 / size
    d = (u - g0) * e0 + (v - g1) * e1 + (w - g2) * e2
    vector1(st, o, g0 + d * e0, g1 + d * e1, g2 + d * e2)
    d = x * e0 + y * e1 + z * e2
    x, y, z = x - d * e0, y - d * e1, z - d * e2
    size = math.sqrt(x * x + y * y + z * z)
    vector1(st, o + 3, x / size, y / size, z / size)
    vector1(st, o + 6, e0, e1, e2)
    return EDGE


@jit
def rim(sh, s, q, st, x, y, z, out, k, column):
    """Curvature at the corner st[q:] on a rim of s, whose outward normal is (x, y, z)."""
    f = sh.frame[s]
    A = sh.fr.A
    c, d, _ = unrotate(A, f, st[q] - sh.fr.p[f, 0], st[q + 1] - sh.fr.p[f, 1], st[q + 2] - sh.fr.p[f, 2])
    rho = math.sqrt(c * c + d * d)
    if not rho > 0.0:
        diagonal(out, k, column, 0.0, 0.0, 1.0, 1.0)
        return
    c, d = c / rho, d / rho
    e0, e1, e2 = rotate(A, f, -d, c, 0.0)
    x, y, z = unrotate(A, f, x, y, z)
    aligned(out, k, column, e0, e1, e2, rho, 0.0, c * x + d * y, 1.0)


@jit
def crossing(sh, r, s, ks, m, whole, q, ds, st):
    """(unit direction of the edge of s, of the edge of r, radius of that of s, whether both are true edges, a point of
    that of s)."""
    i = int(st[q + 7])
    p = REFERENCE + 8 * i
    t = REFERENCE + 8 * (i + 1 if i + 1 < m else 0)
    size = between(st, p, t)
    f0, f1, f2 = (st[t] - st[p]) / size, (st[t + 1] - st[p + 1]) / size, (st[t + 2] - st[p + 2]) / size
    good = core(sh, r) == BOX or core(sh, r) == HULL
    if ks == ROUND:  # the axis, thick by the radius
        e0, e1, e2 = rotate(sh.fr.A, sh.frame[s], 0.0, 0.0, 1.0)
        r1, r2, _ = radii(sh, s)
        f = sh.frame[s]
        return e0, e1, e2, f0, f1, f2, r1, good and r1 == r2, sh.fr.p[f, 0], sh.fr.p[f, 1], sh.fr.p[f, 2]
    i = int(st[q + 6])
    p = WHOLE + 8 * i
    t = WHOLE + 8 * (i + 1 if i + 1 < whole else 0)
    size = between(st, p, t)
    if ks != EDGE:
        good = good and (core(sh, s) == BOX or core(sh, s) == HULL)
    return (
        (st[t] - st[p]) / size,
        (st[t + 1] - st[p + 1]) / size,
        (st[t + 2] - st[p + 2]) / size,
        f0,
        f1,
        f2,
        margin(sh, s),
        good,
        st[p],
        st[p + 1],
        st[p + 2],
    )


@jit
def on_line(sh, a, b, ka, kb, point, reach, st, out, first, limit):
    """Manifold of two nearly parallel edges or sides; n = (x, y, z).  (number of points, share of the single point)"""
    x, y, z = point
    A = sh.fr.A
    l0, l1, l2 = unrotate(A, sh.frame[a], -x, -y, -z)
    one = REFERENCE
    polygon(sh, a, l0, l1, l2, ka, st, one, ONE)
    l0, l1, l2 = unrotate(A, sh.frame[b], x, y, z)
    two = OTHER
    polygon(sh, b, l0, l1, l2, kb, st, two, TWO)
    u0, u1, u2 = st[one + 8] - st[one], st[one + 9] - st[one + 1], st[one + 10] - st[one + 2]
    v0, v1, v2 = st[two + 8] - st[two], st[two + 9] - st[two + 1], st[two + 10] - st[two + 2]
    lu = math.sqrt(u0 * u0 + u1 * u1 + u2 * u2)
    lv = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
    u0, u1, u2 = u0 / lu, u1 / lu, u2 / lu
    v0, v1, v2 = v0 / lv, v1 / lv, v2 / lv
    along = u0 * v0 + u1 * v1 + u2 * v2
    c0, c1, c2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
    share = smooth(
        max(math.sqrt(c0 * c0 + c1 * c1 + c2 * c2), abs(u0 * x + u1 * y + u2 * z), abs(v0 * x + v1 * y + v2 * z))
    )
    if share >= 1.0:
        return 0, 1.0
    # positions along b's line: b from 0 to lv, a from s to t
    s = v0 * (st[one] - st[two]) + v1 * (st[one + 1] - st[two + 1]) + v2 * (st[one + 2] - st[two + 2])
    t = s + along * lu
    low = max(min(s, t), 0.0)
    high = min(max(s, t), lv)
    if high <= low:
        return 0, 1.0
    n = 0
    ma = margin(sh, a)
    mb = margin(sh, b)
    e0, e1, e2 = tangent(x, y, z)
    for i in range(2):
        w = low if i == 0 else high
        of_b = w == (0.0 if i == 0 else lv)
        q = (w - s) / along
        p0, p1, p2 = st[two] + w * v0, st[two + 1] + w * v1, st[two + 2] + w * v2
        gap = x * (st[one] + q * u0 - p0) + y * (st[one + 1] + q * u1 - p1) + z * (st[one + 2] + q * u2 - p2) - ma - mb
        if not gap < reach:
            continue
        k = room(out, first, n, limit, gap)
        if k < 0:
            continue
        n = max(n, k - first + 1)
        vector(out, k, P, p0 + mb * x, p1 + mb * y, p2 + mb * z)
        vector(out, k, N, x, y, z)
        vector(out, k, E1, e0, e1, e2)
        out[k, GAP] = gap
        out[k, WEIGHT] = 0.5 * (1.0 - share)
        if of_b:
            out[k, FEATURE] = st[two + 8 * i + 3]
        else:
            out[k, FEATURE] = PAIR * (1.0 + st[one + (0 if (s < t) == (i == 0) else 8) + 3]) + FACE * NUMBERS
        round_line(sh, a, ka, st, ONE, out, k, UA, not of_b)
        round_line(sh, b, kb, st, TWO, out, k, UB, of_b)
    return n, share


@jit
def climbed(sh, a, b, x, y, z, near, st):
    """A direction that parts overlapping shapes by more than (x, y, z) does, where there is one: for those that the
    polytope fails at.

    A compass search whose steps shrink where no neighbour is better, or after `CLIMB` moves; from the best of
    directions all round, unless the one given is ``near``.
    """
    best = separation(sh, a, b, x, y, z, st)
    step = 1e-2 if near else 0.2
    for i in range(0 if near else WAYS):
        w = 1.0 - (2.0 * i + 1.0) / WAYS
        r = math.sqrt(1.0 - w * w)
        u, v = r * math.cos(2.399963229728653 * i), r * math.sin(2.399963229728653 * i)
        value = separation(sh, a, b, u, v, w, st)
        if value > best:
            best, x, y, z = value, u, v, w
    moves = 0
    while step > 1e-9:
        e0, e1, e2 = tangent(x, y, z)
        f0, f1, f2 = y * e2 - z * e1, z * e0 - x * e2, x * e1 - y * e0
        better = False
        for i in range(8):
            c, s = step * math.cos(0.7853981633974483 * i), step * math.sin(0.7853981633974483 * i)
            u, v, w = x + c * e0 + s * f0, y + c * e1 + s * f1, z + c * e2 + s * f2
            size = math.sqrt(u * u + v * v + w * w)
            u, v, w = u / size, v / size, w / size
            value = separation(sh, a, b, u, v, w, st)
            if value > best:
                best, x, y, z = value, u, v, w
                better = True
                break
        moves += 1
        if not better or moves == CLIMB:
            step *= 0.25 if near else 0.5
            moves = 0
    return x, y, z


@jit
def across_faces(sh, a, b, x, y, z, gap, st):
    """The direction n = (x, y, z), along which overlapping shapes are apart by ``gap``, or that across a flat face
    which parts them more: of faces that barely touch the polytope may be flat where the origin lies, and end on a far
    side."""
    for i in range(2):
        s = a if i == 0 else b
        kind = core(sh, s)
        f = sh.frame[s]
        A = sh.fr.A
        for c in range(3):
            if not (kind == BOX or (kind == DRUM and c == 2)):
                continue
            u, v, w = A[f, c], A[f, 3 + c], A[f, 6 + c]
            for _ in range(2):
                value = separation(sh, a, b, u, v, w, st)
                if value > gap:
                    gap, x, y, z = value, u, v, w
                u, v, w = -u, -v, -w
    return gap, x, y, z


@jit
def line(sh, s, x, y, z):
    """Direction in ground of the edge or generator of s that looks along (x, y, z) in ground, near enough; zeros where
    none does."""
    st = scratch()
    x, y, z = unrotate(sh.fr.A, sh.frame[s], x, y, z)
    kind = feature(sh, s, x, y, z, WIDE, st, ONE)
    if kind == EDGE:
        return rotate(sh.fr.A, sh.frame[s], st[ONE + 6], st[ONE + 7], st[ONE + 8])
    if kind != ROUND:
        return 0.0, 0.0, 0.0
    r1, r2, h = radii(sh, s)
    rho = math.sqrt(x * x + y * y)
    size = math.sqrt((r2 - r1) * (r2 - r1) + 4.0 * h * h)
    return rotate(sh.fr.A, sh.frame[s], (r2 - r1) / size * x / rho, (r2 - r1) / size * y / rho, 2.0 * h / size)


@jit
def squared(sh, a, b, x, y, z, gap, st):
    """The direction n = (x, y, z), along which the shapes are apart by ``gap``, put at right angles to the edge or side
    of one of them where that parts them more, and turned round it: a search that ends on lines in line with each other
    may leave n tilted by as much as the gap does not feel.  Round a line the shapes are apart by C + A cos(phi) + B
    sin(phi), so that three positions give the angle at which that is most."""
    for _ in range(3):
        u, v, w = x, y, z
        best = gap
        for i in range(2):
            if i == 0:
                e0, e1, e2 = line(sh, a, -x, -y, -z)
            else:
                e0, e1, e2 = line(sh, b, x, y, z)
            d = x * e0 + y * e1 + z * e2
            if e0 * e0 + e1 * e1 + e2 * e2 < 0.5:
                continue
            p, q, r = x - d * e0, y - d * e1, z - d * e2
            size = math.sqrt(p * p + q * q + r * r)
            p, q, r = p / size, q / size, r / size
            value = separation(sh, a, b, p, q, r, st)
            if value > best:
                best, u, v, w = value, p, q, r
            f0, f1, f2 = q * e2 - r * e1, r * e0 - p * e2, p * e1 - q * e0
            for side in range(-1, 2):
                # round directions on one side of n, too: on the other the farthest point may be another one, as behind
                # the edge of a face
                c, s = math.cos(side * AROUND), math.sin(side * AROUND)
                p0, p1, p2 = c * p + s * f0, c * q + s * f1, c * r + s * f2
                g0, g1, g2 = c * f0 - s * p, c * f1 - s * q, c * f2 - s * r
                c, s = math.cos(AROUND), math.sin(AROUND)
                middle = separation(sh, a, b, p0, p1, p2, st)
                up = separation(sh, a, b, c * p0 + s * g0, c * p1 + s * g1, c * p2 + s * g2, st)
                down = separation(sh, a, b, c * p0 - s * g0, c * p1 - s * g1, c * p2 - s * g2, st)
                A = (up + down - 2.0 * middle) / (2.0 * (c - 1.0))
                B = (up - down) / (2.0 * s)
                if not (A > 0.0 and abs(B) < 1.1 * s * A):
                    continue
                size = math.sqrt(A * A + B * B)
                c, s = A / size, B / size
                p0, p1, p2 = c * p0 + s * g0, c * p1 + s * g1, c * p2 + s * g2
                value = separation(sh, a, b, p0, p1, p2, st)
                if value > best:
                    best, u, v, w = value, p0, p1, p2
        if not best > gap:
            break
        gap, x, y, z = best, u, v, w
    return gap, x, y, z


@jit
def is_flat(kind):
    """Is a feature a face, an edge or a side, along which points are as near as each other?"""
    return kind == FACE or kind == EDGE or kind == ROUND


@jit
def manifold(sh, a, b, tolerance, normal, reach, st, A, out, first, limit):
    """Points of faces and edges that look along n = (x, y, z), from b to a, to within ``tolerance``: (number of points,
    -1 where no two of them look that way; share of the single point: 1 where it stands for all)."""
    x, y, z = normal
    u0, u1, u2 = unrotate(sh.fr.A, sh.frame[a], -x, -y, -z)
    ka = feature(sh, a, u0, u1, u2, tolerance, st, ONE)
    u0, u1, u2 = unrotate(sh.fr.A, sh.frame[b], x, y, z)
    kb = feature(sh, b, u0, u1, u2, tolerance, st, TWO)
    if not (is_flat(ka) and is_flat(kb)) or limit < 1:
        return -1, 1.0
    u0, u1, u2 = rotate(sh.fr.A, sh.frame[a], st[ONE + 3], st[ONE + 4], st[ONE + 5])
    v0, v1, v2 = rotate(sh.fr.A, sh.frame[b], st[TWO + 3], st[TWO + 4], st[TWO + 5])
    if kb == FACE and (ka != FACE or v0 * x + v1 * y + v2 * z >= -(u0 * x + u1 * y + u2 * z) - 1e-9):
        return on_face(sh, (b, a, ka, kb), (v0, v1, v2), (x, y, z), False, reach, st, A, out, first, limit)
    if ka == FACE:
        return on_face(sh, (a, b, kb, ka), (u0, u1, u2), (-x, -y, -z), True, reach, st, A, out, first, limit)
    return on_line(sh, a, b, ka, kb, (x, y, z), reach, st, out, first, limit)


@jit
def merged(out, first, n, more):
    """Points of one name among n rows and ``more`` behind them become one: the number of rows."""
    kept = n
    for k in range(first + n, first + n + more):
        again = -1
        for j in range(first, first + n):
            if out[j, FEATURE] == out[k, FEATURE]:
                again = j
        if again >= 0:
            out[again, WEIGHT] += out[k, WEIGHT]
        else:
            if k != first + kept:
                copy_row(out, first + kept, k)
            kept += 1
    return kept


@jit
def contact(sh, a, b, reach, out, first, limit):
    if hollow(sh, a) or hollow(sh, b):
        return in_bore(sh, a, b, reach, out, first, limit)
    st = scratch()
    A = matrix()
    far = reach + margin(sh, a) + margin(sh, b)
    gap, x, y, z, n = distance(sh, a, b, far, st)
    if gap > far and st[PARTED] > far:
        return 0
    size = 0.0
    if gap == 0.0:
        ok, gap, x, y, z = overlap(sh, a, b, n, st)
        if not ok:
            return 0
        for c in range(12):
            size = max(size, abs(st[c]))
    found = gap - (far - reach)
    gap = separation(sh, a, b, x, y, z, st)
    if gap < 0.0:
        gap, x, y, z = across_faces(sh, a, b, x, y, z, gap, st)
    # where the polytope's face lies as deep as the shapes reach along its normal, no other way parts them better;
    # shapes that the search still finds apart (size 0) touch in a direction near the one it ends with
    sure = gap >= 0.0 or abs(found - gap) <= SURE * size
    closed = False
    way = 0 if size == 0.0 else 1
    while True:
        closed = closest(sh, a, b, x, y, z, gap, EYES, st, A, out, first)
        if closed:
            out[first, GAP] = max(out[first, GAP], gap)  # any direction that parts them more is right
        if not closed:
            left(sh, a, b, x, y, z, 1e-8, st, out, first)
        if closed or way == 2 or sure:
            break
        x, y, z = climbed(sh, a, b, x, y, z, way == 0, st)
        gap = separation(sh, a, b, x, y, z, st)
        way += 1
    if not closed:
        better, u0, u1, u2 = squared(sh, a, b, x, y, z, gap, st)
        if better > gap:
            gap, x, y, z = better, u0, u1, u2
            closed = closest(sh, a, b, x, y, z, gap, EYES_SQUARED, st, A, out, first)
            if not closed:
                left(sh, a, b, x, y, z, 1e-5, st, out, first)
    if not out[first, GAP] < reach:
        return 0
    x, y, z = out[first, N], out[first, N + 1], out[first, N + 2]
    # faces and edges that look at each other; all of their points, so that those which touch have the same weights and
    # names whatever the reach
    n, share = manifold(sh, a, b, TILT, (x, y, z), EVERY, st, A, out, first + 1, limit - 1)
    n = max(n, 0)
    if share > 0.0:
        # of faces that lean on each other, or pass each other by, the edges may still lie along a face or each other:
        # no point of them is the nearest
        narrow = NARROW
        more, rest = manifold(sh, a, b, narrow, (x, y, z), EVERY, st, A, out, first + 1 + n, limit - 1 - n)
        while more == 0 and share >= 1.0 and narrow > LEAST:
            # what has rolled just past the edge of a face lies along that edge: within so narrow a tilt it is one
            narrow *= 0.1
            more, rest = manifold(sh, a, b, narrow, (x, y, z), EVERY, st, A, out, first + 1 + n, limit - 1 - n)
        if more > 0:
            for k in range(first + 1 + n, first + 1 + n + more):
                out[k, WEIGHT] *= share
            share *= rest
            n = merged(out, first + 1, n, more)
    if share >= 1.0:
        if is_flat(st[ONE + KIND]) and is_flat(st[TWO + KIND]):
            settle(sh, a, b, st, out, first)
        return 1
    # no way parts the shapes by less than the nearest point says, so none of the others is deeper: below a sharp rim,
    # or across an edge in a direction of its own, it would seem to be, and act on shapes that are apart
    f = sh.frame[b]
    least = out[first, GAP]
    size = (
        abs(out[first, P] - sh.fr.p[f, 0])
        + abs(out[first, P + 1] - sh.fr.p[f, 1])
        + abs(out[first, P + 2] - sh.fr.p[f, 2])
    )
    for k in range(first + 1, first + 1 + n):
        if out[k, GAP] < least - 1e-9 * size:
            w, number = out[k, WEIGHT], out[k, FEATURE]
            copy_row(out, k, first)
            out[k, WEIGHT], out[k, FEATURE] = w, number
    kept = share > 0.0 or st[ONE + KIND] == CIRCLE or st[TWO + KIND] == CIRCLE
    for k in range(first + 1, first + 1 + n):
        if out[k, FEATURE] == out[first, FEATURE]:  # the nearest point is one of the others
            if out[k, GAP] > least + 1e-9 * size:  # and exact, where that one is the corner of a tilted polygon
                w = out[k, WEIGHT]
                copy_row(out, k, first)
                out[k, WEIGHT] = w
            out[k, WEIGHT] += share
            kept = False
    if kept:
        out[first, WEIGHT] = share
    count = first
    for k in range(first if kept else first + 1, first + 1 + n):
        if out[k, GAP] < reach:
            if k != count:
                copy_row(out, count, k)
            count += 1
    return count - first
