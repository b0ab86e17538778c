"""Sharp edges of triangle meshes: against a convex solid, and against those of another mesh.

Corners in faces are not all: two bars laid across each other meet in their edges, and no corner of either is near.

Against a convex solid the signed distance f along an edge is convex, so its smallest value is at a corner or where the
slope n . e changes its sign, found by halving.  Where it is least on a kink of f (on the edge of a box, seen from
inside) the gradients on both sides, n1 and n2, make n* = (1 - s) n1 + s n2 with n* . e = 0, which is normal to both
edges, and the depth along it is f / |n*|.

Edges of two meshes, e and g, that cross at points p and q inside both: n = +- e x g / |e x g|, gap (p - q) . n, a point
of contact where n lies between the normals of the faces at the edge of b, and -n between those of a (faces of the
Minkowski difference: S. Gottschalk, PhD thesis, Chapel Hill 2000, ch. 4).  If the gap is negative p must lie in b and q
in a (or, where the other edge is sharper than a right angle, a place next to them): edges on the far sides of two
bodies cross as well.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..tables import E1, FEATURE, GAP, UA, UB, WEIGHT, N
from ..traits import BOX, DRUM, core, margin, radii
from ._foot import edge_pushed, entered_face, flat_faced, foot_on, shallower_faces
from ._mesh import LEAF, ON, corner_of, distance, face_normal, following, following_in, keep, seen_box
from ._point import aligned, centre, diagonal, exchange, local, smooth, tangent, to_ground, vector
from ._scratch import CROWD, box

# of the size: edges are left to the corners of their mesh where these miss no more than about an eighth of that, which
# is the length of the edge times the sine of its angle, or times that of the edge that lies across it
FINE = 0.02
# of its length: an edge counts in full when it is so much deeper between its corners than there, or so far from its
# ends
FALL = 0.02
LEAN = 0.05  # sine
KNIFE = 0.3  # the same for what is beyond a face of a knife: so thin that its faces hold nothing
PARALLEL = 1e-3  # sine of two edges that are no crossing ones
FLAT, WIDE = (
    0.02,
    0.05,
)  # slope below which an edge lies along a face, and share of its length from which on it has a point at both ends of that  # noqa: E501
LEVEL = 1e-9  # slope of the distance along an edge that is roundoff
HALVINGS = 45
DEEPER = 0.01  # share by which another face must be less deep to be the one that an edge came through


@jit
def sharp(sh, b, t, c):
    """Sine of the angle between the faces at edge c of triangle t (1 beyond a right angle), 0 where it does not stand
    out."""
    u = sh.link[sh.first[b, 3] + 1 + t, c]
    n0, n1, n2 = face_normal(sh, b, t)
    m0, m1, m2 = face_normal(sh, b, u)
    cosine = n0 * m0 + n1 * m1 + n2 * m2
    sine = math.sqrt(max(1.0 - cosine * cosine, 0.0)) if cosine > 0.0 else 1.0
    if sine < 1e-3:
        return 0.0
    ax, ay, az = corner_of(sh, b, t, c)
    tri = sh.first[b, 1]
    i = sh.tri[tri + t, c]
    j = sh.tri[tri + t, (c + 1) % 3]
    for k in range(3):
        v = sh.tri[tri + u, k]
        if v != i and v != j:
            x, y, z = corner_of(sh, b, u, k)
            return sine if n0 * (x - ax) + n1 * (y - ay) + n2 * (z - az) < 0.0 else 0.0
    return 0.0


@jit
def area(sh, b, t, c):
    """Area of the corners of an edge, as a share of that of the mesh."""
    row = sh.first[b, 0] + 2 * sh.link[sh.first[b, 3], 1]
    tri = sh.first[b, 1] + t
    return 0.5 * (sh.vert[row + sh.tri[tri, c], 1] + sh.vert[row + sh.tri[tri, (c + 1) % 3], 1])


@jit
def across_solid(sh, a, b, size, reach, pool, m):
    """Edges of mesh b against the convex solid a (which lies within ``size`` of its origin); candidates in ground axes:
    new number of them."""
    A = sh.fr.A
    fa, fb = sh.frame[a], sh.frame[b]
    cx, cy, cz = centre(sh, a, b)
    sx, sy, sz = centre(sh, b, a)
    count = sh.link[sh.first[b, 3], 0]
    nv = sh.link[sh.first[b, 3], 1]
    kind = core(sh, a)
    thick = margin(sh, a)
    edges = (kind == BOX or kind == DRUM) and thick == 0.0
    near = ON * size
    # sine of its edges; of those with a margin half the curvature; what is round all over finds its deepest point by
    # itself
    bend = 1.0 if edges else (0.5 / thick if thick > 0.0 else 0.0)
    k = 0
    while True:
        leaf, k = following(sh, b, k, cx, cy, cz, size + max(reach, 0.0))
        if leaf < 0:
            return m
        for t in range(leaf, min(leaf + LEAF, count)):
            for c in range(3):
                if sh.link[sh.first[b, 3] + 1 + t, c] <= t:
                    continue
                ax, ay, az = corner_of(sh, b, t, c)
                bx, by, bz = corner_of(sh, b, t, (c + 1) % 3)
                x, y, z = rotate(A, fb, bx - ax, by - ay, bz - az)
                ex, ey, ez = unrotate(A, fa, x, y, z)
                length = math.sqrt(ex * ex + ey * ey + ez * ez)
                if not length > FINE * size:
                    continue
                edge = sharp(sh, b, t, c)
                if not edge > 0.0 or not length * max(edge, bend if edges else min(length * bend, 1.0)) > FINE * size:
                    continue
                ex, ey, ez = ex / length, ey / length, ez / length
                x, y, z = rotate(A, fb, ax, ay, az)
                x, y, z = unrotate(A, fa, x, y, z)
                x, y, z = x + sx, y + sy, z + sz
                row = min(m, CROWD - 1)
                h = 0.5 * length
                foot_on(sh, a, pool, row, x + h * ex, y + h * ey, z + h * ez)
                if not pool[row, GAP] - h < reach:
                    continue
                ends = _end(sh, a, pool, row, x, y, z, ex, ey, ez, near)
                n0, n1, n2 = pool[row, N], pool[row, N + 1], pool[row, N + 2]
                low = n0 * ex + n1 * ey + n2 * ez
                if not low < -LEVEL:
                    continue
                h = length
                ends = min(ends, _end(sh, a, pool, row, x + h * ex, y + h * ey, z + h * ez, -ex, -ey, -ez, near))
                m0, m1, m2 = pool[row, N], pool[row, N + 1], pool[row, N + 2]
                high = m0 * ex + m1 * ey + m2 * ez
                if not high > LEVEL:
                    continue
                # normals of the faces at the edge of the mesh
                f0, f1, f2 = face_normal(sh, b, t)
                g0, g1, g2 = face_normal(sh, b, sh.link[sh.first[b, 3] + 1 + t, c])
                f0, f1, f2 = rotate(A, fb, f0, f1, f2)
                f0, f1, f2 = unrotate(A, fa, f0, f1, f2)
                g0, g1, g2 = rotate(A, fb, g0, g1, g2)
                g0, g1, g2 = unrotate(A, fa, g0, g1, g2)
                faces = (f0, f1, f2), (g0, g1, g2)
                line = (x, y, z), (ex, ey, ez), length, ends
                share = area(sh, b, t, c), 200.0 + nv + 9 * t + 3 * c
                m, looks = _least_points(sh, a, pool, m, line, faces, (0.0, 0.0, 0.0), near, reach, share)
                if edges and 0.0 <= looks < 1.0:  # nearer to another face than to the one that it came through
                    u, v, w = f0 + g0, f1 + g1, f2 + g2
                    far = math.sqrt(u * u + v * v + w * w)
                    share = (1.0 - looks) * share[0], share[1] + 0.5
                    m, _ = _least_points(sh, a, pool, m, line, faces, (u / far, v / far, w / far), near, reach, share)


@jit
def _foot(sh, a, pool, row, x, y, z, toward, near):
    """Foot of a point of an edge (`foot_on`); toward: zeros, or the outward direction of the edge: then inside of the
    solid that on the face that it came through."""
    foot_on(sh, a, pool, row, x, y, z)
    m0, m1, m2 = toward
    if (m0 != 0.0 or m1 != 0.0 or m2 != 0.0) and pool[row, GAP] < -near:
        entered_face(sh, a, pool, row, x, y, z, m0, m1, m2, near)


@jit
def _least_points(sh, a, pool, m, line, faces, toward, near, reach, share):
    """Points of an edge of the mesh where it is least far from the solid; (new number of candidates, how far the solid
    pushes there, below 0 where the edge is not within reach, or not inside).  line: first corner, direction, length,
    distance of the nearer corner from the solid; share: weight and name."""
    (x, y, z), (ex, ey, ez), length, ends = line
    weight, feature = share
    row = min(m, CROWD - 1)
    h, low, n0, n1, n2, high, m0, m1, m2 = _least(
        sh, a, pool, row, (x, y, z), (ex, ey, ez), 0.0, length, 0.0, toward, near
    )
    gap = pool[row, GAP]
    part = high / (high - low)
    u, v, w = part * n0 + (1.0 - part) * m0, part * n1 + (1.0 - part) * m1, part * n2 + (1.0 - part) * m2
    far = math.sqrt(u * u + v * v + w * w)
    if not far > 1e-6:
        return m, -1.0
    # also where the slope on one side is almost level: the foot there may be on the other face
    kink = gap < -near and n0 * m0 + n1 * m1 + n2 * m2 < 1.0 - 1e-9
    # on the surface the faces say how far it lies from them, which is less than from where they meet
    if not (gap / far if kink else gap) < max(reach, near):
        return m, -1.0
    if toward[0] != 0.0 or toward[1] != 0.0 or toward[2] != 0.0:  # below the same face
        for end in range(2):
            s = length * end
            _foot(sh, a, pool, row, x + s * ex, y + s * ey, z + s * ez, toward, near)
            ends = min(ends, pool[row, GAP])
    inner = smooth(ends - gap, 0.0, FALL * length)
    left = _least(sh, a, pool, row, (x, y, z), (ex, ey, ez), 0.0, h, -FLAT, toward, near)[0]
    right = _least(sh, a, pool, row, (x, y, z), (ex, ey, ez), h, length, FLAT, toward, near)[0]
    if toward[0] != 0.0 or toward[1] != 0.0 or toward[2] != 0.0:
        # the face that it came through is the shallowest but for the one that it is nearer to: where another one is,
        # an end of the edge has come through that, and counts as a corner
        i = 0.5 * (left + right)
        hx, hy, hz = x + i * ex, y + i * ey, z + i * ez
        row = min(m, CROWD - 1)
        _foot(sh, a, pool, row, hx, hy, hz, toward, near)
        deep = -pool[row, GAP]
        if not deep > near or shallower_faces(sh, a, hx, hy, hz, (1.0 - DEEPER) * deep) > 1:
            return m, -1.0
    wide = smooth((right - left) / length, WIDE, 2.0 * WIDE)
    if wide > 0.0:  # along a face: both ends of what lies there
        sides = 1e300
        for end in range(2):
            i = left + 1e-3 * (right - left) if end == 0 else right - 1e-3 * (right - left)  # within the face
            row = min(m, CROWD - 1)
            _foot(sh, a, pool, row, x + i * ex, y + i * ey, z + i * ez, toward, near)
            sides = min(sides, pool[row, GAP])
            if pool[row, GAP] < max(reach, near):
                part = weight * wide * max(inner, 1e-3)
                at = x + i * ex, y + i * ey, z + i * ez
                part *= _pushed(sh, a, pool, row, at, faces, near)
                m = _entered(sh, a, pool, row, m, reach, ex, ey, ez, part, feature + 1 + end)
        inner *= smooth(sides - gap, 0.0, 1e-3 * length)
    row = min(m, CROWD - 1)
    at = x + h * ex, y + h * ey, z + h * ez
    _foot(sh, a, pool, row, at[0], at[1], at[2], toward, near)
    if kink:  # between two faces: on the edge of the solid where they meet
        i = _on_kink(sh, a, pool, row, at, (ex, ey, ez), (n0, n1, n2), (m0, m1, m2), gap, (u, v, w))
        # a straight edge may be cut in pieces: the partner may lie on the next, but not far
        inner *= smooth(min(h + i, length - h - i) / -gap, -4.0, -2.0)
    looks = _pushed(sh, a, pool, row, at, faces, near)
    return _entered(sh, a, pool, row, m, reach, ex, ey, ez, weight * inner * looks, feature), (
        looks if gap < -near else -1.0
    )


@jit
def _pushed(sh, a, pool, row, point, faces, near):
    """How far (0 to 1) solid a pushes a point of an edge between faces with these normals, whose foot row is
    (`edge_pushed`).  Off the surface all directions between both normals count: those of a knife are almost opposite,
    and a push on one of them is across their mean."""
    x, y, z = point
    (f0, f1, f2), (g0, g1, g2) = faces
    m0, m1, m2 = f0 + g0, f1 + g1, f2 + g2
    size = math.sqrt(m0 * m0 + m1 * m1 + m2 * m2)
    looks = edge_pushed(sh, a, pool, row, x, y, z, m0 / size, m1 / size, m2 / size, near)
    if looks == 1.0 or abs(pool[row, GAP]) <= near:
        return looks
    n0, n1, n2 = pool[row, N], pool[row, N + 1], pool[row, N + 2]
    lean = LEAN + KNIFE * max(-(f0 * g0 + f1 * g1 + f2 * g2), 0.0)
    return max(looks, between(n0, n1, n2, -1.0, lean, f0, f1, f2, g0, g1, g2))


@jit
def _least(sh, a, pool, row, point, along, s, e, level, toward, near):
    """Where between s and e along (ex, ey, ez) the slope of the distance to the solid (`_foot`) passes ``level``, with
    the slopes and normals on both sides."""
    x, y, z = point
    ex, ey, ez = along
    low = level - 1.0
    high = level + 1.0
    n0 = n1 = n2 = m0 = m1 = m2 = 0.0
    h = e
    for _ in range(HALVINGS):
        h = 0.5 * (s + e)
        _foot(sh, a, pool, row, x + h * ex, y + h * ey, z + h * ez, toward, near)
        u, v, w = pool[row, N], pool[row, N + 1], pool[row, N + 2]
        slope = u * ex + v * ey + w * ez
        if slope < level:
            s, low = h, slope
            n0, n1, n2 = u, v, w
        else:
            e, high = h, slope
            m0, m1, m2 = u, v, w
    if n0 == 0.0 and n1 == 0.0 and n2 == 0.0:  # it passes at an end
        n0, n1, n2, low = m0, m1, m2, high - 1.0
    if m0 == 0.0 and m1 == 0.0 and m2 == 0.0:
        m0, m1, m2, high = n0, n1, n2, low + 1.0
    return h, low, n0, n1, n2, high, m0, m1, m2


@jit
def _end(sh, a, pool, row, x, y, z, ex, ey, ez, near):
    """Distance of the end (x, y, z) of an edge from solid a; row becomes a foot whose normal gives the slope along the
    edge e: that of the end, or, where that lies on the surface to ``near`` and the direction to it is roundoff, of a
    point a little farther along e."""
    foot_on(sh, a, pool, row, x, y, z)
    gap = pool[row, GAP]
    if abs(gap) <= near and flat_faced(sh, a):
        s = 10.0 * near
        foot_on(sh, a, pool, row, x + s * ex, y + s * ey, z + s * ez)
    return gap


@jit
def _entered(sh, a, pool, row, m, reach, ex, ey, ez, weight, feature):
    """The point in ``row``, in the axes of the solid, becomes a candidate if it is within ``reach``: new number of
    them."""
    if not (weight > 0.0 and pool[row, GAP] < reach):
        return m
    aligned(pool, row, UA, ex, ey, ez, 1.0, 0.0, 0.0, 1.0)
    to_ground(sh, a, pool, row)
    exchange(pool, row)
    pool[row, WEIGHT] = weight
    pool[row, FEATURE] = feature
    return keep(pool, row, m)


@jit
def _on_kink(sh, a, out, k, point, direction, one, other, f, foot):
    """Row k, the point of an edge of the solid that is nearest to an edge of the mesh inside it: how far along e its
    partner lies from (x, y, z).

    (x, y, z) is as deep (-f) below both faces with normals n and m; (u, v, w), their mean with no part along e, is
    normal to both edges.  A point of the edge where the faces meet is then (x, y, z) - f (n + m) / (1 + n . m).  Rims
    of cylinders and frustums bend: there the minimum distance of the line from the circle is found by Newton's rule."""
    x, y, z = point
    ex, ey, ez = direction
    n0, n1, n2 = one
    m0, m1, m2 = other
    u, v, w = foot
    far = math.sqrt(u * u + v * v + w * w)
    u, v, w = u / far, v / far, w / far
    gap = f / far
    t0, t1, t2 = n1 * m2 - n2 * m1, n2 * m0 - n0 * m2, n0 * m1 - n1 * m0
    size = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    if not size > 1e-9:
        local(out, k, x - gap * u, y - gap * v, z - gap * w, u, v, w, gap, 0.0)
        t0, t1, t2 = tangent(u, v, w)
        vector(out, k, E1, t0, t1, t2)
        diagonal(out, k, UB, 1.0, 0.0, 0.0, 1.0)
        return 0.0
    t0, t1, t2 = t0 / size, t1 / size, t2 / size
    d = f / (1.0 + n0 * m0 + n1 * m1 + n2 * m2)
    d0, d1, d2 = d * (n0 + m0), d * (n1 + m1), d * (n2 + m2)  # from the edge of the solid to (x, y, z)
    c = ex * t0 + ey * t1 + ez * t2
    along = d0 * ex + d1 * ey + d2 * ez
    across = d0 * t0 + d1 * t1 + d2 * t2
    s = (c * across - along) / max(1.0 - c * c, 1e-12)
    if core(sh, a) == DRUM:
        r1, r2, h = radii(sh, a)
        r = r2 if z > 0.0 else r1
        h = h if z > 0.0 else -h
        for _ in range(20):
            px, py, pz = x + s * ex, y + s * ey, z + s * ez
            rho = math.sqrt(px * px + py * py)
            if not rho > 0.0:
                break
            slope = (px * ex + py * ey) / rho
            step = ((rho - r) * slope + (pz - h) * ez) / max(
                slope * slope + (rho - r) * (ex * ex + ey * ey - slope * slope) / rho + ez * ez, 0.1 * (1.0 - c * c)
            )
            s -= step
            if abs(step) < 1e-15 * r:
                break
        px, py, pz = x + s * ex, y + s * ey, z + s * ez
        rho = math.sqrt(px * px + py * py)
        d = math.sqrt((rho - r) * (rho - r) + (pz - h) * (pz - h))
        if rho > 0.0 and d > 0.0 and rho < r and abs(pz) < abs(h):
            c, across = px / rho, py / rho
            u, v, w = c * (r - rho) / d, across * (r - rho) / d, (h - pz) / d
            local(out, k, r * c, r * across, h, u, v, w, -d, 0.0)
            vector(out, k, E1, -across, c, 0.0)
            diagonal(out, k, UB, r, 0.0, (r - rho) / d, 1.0)
            return s
        s = 0.0
    else:
        gap = (d0 + s * ex) * u + (d1 + s * ey) * v + (d2 + s * ez) * w
    local(out, k, x + s * ex - gap * u, y + s * ey - gap * v, z + s * ez - gap * w, u, v, w, gap, 0.0)
    vector(out, k, E1, t0, t1, t2)
    diagonal(out, k, UB, 1.0, 0.0, 0.0, 1.0)
    return s


@jit
def between(n0, n1, n2, sign, lean, f0, f1, f2, g0, g1, g2):
    """1 where sign n lies between the normals f and g of two faces, all across their edge, 0 where it is beyond one of
    them by ``lean``: faces that lie on each other touch in all crossings of their edges, however they lean."""
    x, y, z = f1 * g2 - f2 * g1, f2 * g0 - f0 * g2, f0 * g1 - f1 * g0
    size = sign / math.sqrt(x * x + y * y + z * z)
    first = x * (f1 * n2 - f2 * n1) + y * (f2 * n0 - f0 * n2) + z * (f0 * n1 - f1 * n0)
    second = x * (n1 * g2 - n2 * g1) + y * (n2 * g0 - n0 * g2) + z * (n0 * g1 - n1 * g0)
    return smooth(min(first * size, second * size), -lean, -0.5 * lean)


@jit
def across_mesh(sh, a, b, reach, deep, pool, m):
    """Edges of mesh a against those of mesh b; gaps below -``deep``, or minus half the length of the edge of a, do not
    count.  Candidates in ground
    axes: new number of them."""
    A = sh.fr.A
    fa, fb = sh.frame[a], sh.frame[b]
    sx, sy, sz = centre(sh, a, b)
    node = sh.node
    oa, ob = sh.first[a, 2], sh.first[b, 2]
    long_a = FINE * 0.5 * (node[oa, 3] - node[oa, 0] + node[oa, 4] - node[oa, 1] + node[oa, 5] - node[oa, 2])
    long_b = FINE * 0.5 * (node[ob, 3] - node[ob, 0] + node[ob, 4] - node[ob, 1] + node[ob, 5] - node[ob, 2])
    d = max(reach, 0.0)
    place = box()
    seen_box(sh, a, b, ob, d, place)
    head_a, head_b = sh.first[a, 3], sh.first[b, 3]
    count_a, count_b = sh.link[head_a, 0], sh.link[head_b, 0]
    k = 0
    while True:
        leaf, k = following_in(sh, a, k, place)
        if leaf < 0:
            return m
        for t in range(leaf, min(leaf + LEAF, count_a)):
            for c in range(3):
                u = sh.link[head_a + 1 + t, c]
                if u <= t:
                    continue
                x, y, z = corner_of(sh, a, t, c)
                ex, ey, ez = corner_of(sh, a, t, (c + 1) % 3)
                ex, ey, ez = ex - x, ey - y, ez - z
                length = math.sqrt(ex * ex + ey * ey + ez * ez)
                if not length > long_a:
                    continue
                edge = sharp(sh, a, t, c)
                if not edge > 0.0:
                    continue
                x, y, z = rotate(A, fa, x, y, z)
                x, y, z = unrotate(A, fb, x, y, z)
                x, y, z = x + sx, y + sy, z + sz
                ex, ey, ez = rotate(A, fa, ex / length, ey / length, ez / length)
                ex, ey, ez = unrotate(A, fb, ex, ey, ez)
                h = 0.5 * length
                f0, f1, f2 = face_normal(sh, a, t)
                g0, g1, g2 = face_normal(sh, a, u)
                f0, f1, f2 = rotate(A, fa, f0, f1, f2)
                f0, f1, f2 = unrotate(A, fb, f0, f1, f2)
                g0, g1, g2 = rotate(A, fa, g0, g1, g2)
                g0, g1, g2 = unrotate(A, fb, g0, g1, g2)
                mx, my, mz = x + h * ex, y + h * ey, z + h * ez
                # edges that are deeper than half their length have corners that are nearer: none of them counts,
                # since the points that touch must not depend on the reach
                deepest = min(deep, h)
                around = h + max(d, deepest)
                q = 0
                while True:
                    other, q = following(sh, b, q, mx, my, mz, around)
                    if other < 0:
                        break
                    for r in range(other, min(other + LEAF, count_b)):
                        for s in range(3):
                            w = sh.link[head_b + 1 + r, s]
                            if w <= r:
                                continue
                            px, py, pz = corner_of(sh, b, r, s)
                            ux, uy, uz = corner_of(sh, b, r, (s + 1) % 3)
                            ux, uy, uz = ux - px, uy - py, uz - pz
                            span = math.sqrt(ux * ux + uy * uy + uz * uz)
                            if not span > long_b:
                                continue
                            ux, uy, uz = ux / span, uy / span, uz / span
                            n0, n1, n2 = ey * uz - ez * uy, ez * ux - ex * uz, ex * uy - ey * ux
                            size = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
                            if not size > PARALLEL:
                                continue
                            n0, n1, n2 = n0 / size, n1 / size, n2 / size
                            rx, ry, rz = x - px, y - py, z - pz
                            gap = rx * n0 + ry * n1 + rz * n2
                            # feet: x + i e - (p + j u) along n
                            i = -((uy * n2 - uz * n1) * rx + (uz * n0 - ux * n2) * ry + (ux * n1 - uy * n0) * rz) / size
                            j = -((ey * n2 - ez * n1) * rx + (ez * n0 - ex * n2) * ry + (ex * n1 - ey * n0) * rz) / size
                            inner = min(min(i, length - i) / length, min(j, span - j) / span)
                            if not inner > 1e-9 or not abs(gap) < max(reach, deepest):
                                continue
                            angle = sharp(sh, b, r, s)
                            both = min(length, span) * max(edge, angle)
                            if not angle > 0.0 or not (
                                length * edge > long_a or span * angle > long_b or both > min(long_a, long_b)
                            ):
                                continue
                            v0, v1, v2 = face_normal(sh, b, r)
                            w0, w1, w2 = face_normal(sh, b, w)
                            if n0 * (v0 + w0) + n1 * (v1 + w1) + n2 * (v2 + w2) < 0.0:
                                n0, n1, n2, gap = -n0, -n1, -n2, -gap
                            if not -deepest < gap < reach:
                                continue
                            if n0 * (f0 + g0) + n1 * (f1 + g1) + n2 * (f2 + g2) > 0.0:
                                continue
                            looks = between(n0, n1, n2, 1.0, LEAN, v0, v1, v2, w0, w1, w2) * between(
                                n0, n1, n2, -1.0, LEAN, f0, f1, f2, g0, g1, g2
                            )
                            if not looks > 0.0:
                                continue
                            px, py, pz = px + j * ux, py + j * uy, pz + j * uz
                            if gap < 0.0:
                                lean = -2.0 * LEAN * gap + ON * deep  # where they touch, gap and height are roundoff
                                up = (gap * n0, gap * n1, gap * n2)
                                down = (-gap * n0, -gap * n1, -gap * n2)
                                of_a, of_b = ((f0, f1, f2), (g0, g1, g2)), ((v0, v1, v2), (w0, w1, w2))
                                skin = ON * deep
                                ends = min(
                                    _end_within(up, -i, (ex, ey, ez), *of_b, lean, skin),
                                    _end_within(up, length - i, (ex, ey, ez), *of_b, lean, skin),
                                    _end_within(down, -j, (ux, uy, uz), *of_a, lean, skin),
                                    _end_within(down, span - j, (ux, uy, uz), *of_a, lean, skin),
                                )
                                looks *= smooth(ends * size, -gap, -2.0 * gap)
                                if not looks > 0.0:
                                    continue
                                e = i + _within(up, (ex, ey, ez), *of_b, -i, length - i)
                                hx, hy, hz = x + e * ex, y + e * ey, z + e * ez
                                if not _holds(sh, b, hx, hy, hz, deep, lean):
                                    continue
                                e = _within(down, (ux, uy, uz), *of_a, -j, span - j)
                                hx, hy, hz = px + e * ux - sx, py + e * uy - sy, pz + e * uz - sz
                                hx, hy, hz = rotate(A, fb, hx, hy, hz)
                                hx, hy, hz = unrotate(A, fa, hx, hy, hz)
                                if not _holds(sh, a, hx, hy, hz, deep, lean):
                                    continue
                            row = min(m, CROWD - 1)
                            local(pool, row, px, py, pz, n0, n1, n2, gap, 1e6 + 65536.0 * (3 * t + c) + 3 * r + s)
                            vector(pool, row, E1, ux, uy, uz)
                            diagonal(pool, row, UB, 1.0, 0.0, 0.0, 1.0)
                            aligned(pool, row, UA, ex, ey, ez, 1.0, 0.0, 0.0, 1.0)
                            to_ground(sh, b, pool, row)
                            pool[row, WEIGHT] = (
                                (area(sh, a, t, c) + area(sh, b, r, s)) * smooth(inner, 0.0, FALL) * looks
                            )
                            m = keep(pool, row, m)


@jit
def _end_within(start, along, direction, one, other, lean, skin):
    """Distance |along| of an end of an edge from its point of crossing where that end lies below both faces of the
    other edge (unit normals ``one`` and ``other``), or no more than ``lean`` above them, and no higher than the point
    of crossing (to ``skin``); infinite where it does not.

    ``start``: from the point of the other edge to that of this one; ``direction``: of this edge.  Such an end is a
    corner inside the other body.  It lies |along| times the sine of the angle between the edges beyond the other edge:
    where that is less than the depth of the crossing, the corner has the shorter way out.  The upper end of an edge
    that runs on into the body is none: where that end is out, the edge is not."""
    at = max(
        start[0] * one[0] + start[1] * one[1] + start[2] * one[2],
        start[0] * other[0] + start[1] * other[1] + start[2] * other[2],
    )
    x, y, z = start[0] + along * direction[0], start[1] + along * direction[1], start[2] + along * direction[2]
    height = max(x * one[0] + y * one[1] + z * one[2], x * other[0] + y * other[1] + z * other[2])
    return abs(along) if height <= lean and height <= at + skin else math.inf


@jit
def _within(start, direction, one, other, low, high):
    """Place along an edge, from its point of crossing (``start`` from that of the other edge), that lies in the other
    body: 0, or where a sharp edge of that leaves the point of crossing outside of one of its faces (unit normals
    ``one`` and ``other``), the place that is as deep below both of them, between the ends ``low`` and ``high``."""
    first = start[0] * one[0] + start[1] * one[1] + start[2] * one[2]
    second = start[0] * other[0] + start[1] * other[1] + start[2] * other[2]
    if not max(first, second) > 0.0:
        return 0.0
    slope = direction[0] * (one[0] - other[0]) + direction[1] * (one[1] - other[1]) + direction[2] * (one[2] - other[2])
    return min(max((second - first) / slope, low), high) if slope != 0.0 else 0.0


@jit
def _holds(sh, b, x, y, z, deep, lean):
    """Is a point of the axes of mesh b inside it, or no more than ``lean`` outside?"""
    t, _, _, _, _, dist = distance(sh, b, x, y, z, deep)
    return t >= 0 and dist <= lean
