"""Distance and depth of two convex shapes through their support functions.

Apart: the nearest point of the Minkowski difference to the origin by simplices (E. G. Gilbert, D. W. Johnson, S. S.
Keerthi, IEEE J. Robotics and Automation 4 (1988) 193).  Overlapping: the nearest face of a polytope grown inside the
difference (G. van den Bergen, Game Developers Conference 2001).  Both give a direction; curved shapes are then finished
on their features (`convex`).
"""

from __future__ import annotations

import math

from ..._jit import jit
from ._support import support

MOST = 100  # corners of the polytope
FACES = 3 * MOST
# working space: corners (MOST, 3), faces (FACES, 8), horizon (FACES, 2), shares (4), of all directions that `distance`
# looked along the one that parts the cores most (by how much, direction), points of a in the corners of `distance` (5,
# 3)
CORNER, FACET, HORIZON, SHARE, PARTED, FROM = (
    0,
    3 * MOST,
    3 * MOST + 8 * FACES,
    3 * MOST + 10 * FACES,
    3 * MOST + 10 * FACES + 4,
    3 * MOST + 10 * FACES + 8,
)


@jit
def corner(sh, a, b, x, y, z, st, i):
    """Corner i: the point of a - b (cores) farthest along (x, y, z); returns how far."""
    a0, a1, a2 = support(sh, a, x, y, z)
    b0, b1, b2 = support(sh, b, -x, -y, -z)
    c = CORNER + 3 * i
    st[c] = a0 - b0
    st[c + 1] = a1 - b1
    st[c + 2] = a2 - b2
    return st[c] * x + st[c + 1] * y + st[c + 2] * z


@jit
def dot(st, i, j):
    """Product of corners i and j."""
    p = CORNER + 3 * i
    q = CORNER + 3 * j
    return st[p] * st[q] + st[p + 1] * st[q + 1] + st[p + 2] * st[q + 2]


@jit
def shares(st, n):
    """Shares of the first n corners (at most 4) in the point of their hull nearest to the origin: solved for every
    subset; the subset with positive shares and no outside corner nearer is the one.  Returns the square of the
    distance."""
    best = -1.0
    k0 = k1 = k2 = k3 = 0.0
    for mask in range(1, 1 << n):
        i = j = m = q = -1
        count = 0
        for c in range(n):
            if mask >> c & 1:
                if count == 0:
                    i = c
                elif count == 1:
                    j = c
                elif count == 2:
                    m = c
                else:
                    q = c
                count += 1
        l0 = 1.0
        l1 = l2 = l3 = 0.0
        if count > 1:
            # origin + l1 (j - i) + ... : normal equations
            g11 = dot(st, j, j) - 2.0 * dot(st, i, j) + dot(st, i, i)
            r1 = dot(st, i, i) - dot(st, i, j)
            if count == 2:
                if not g11 > 0.0:
                    continue
                l1 = r1 / g11
            else:
                g22 = dot(st, m, m) - 2.0 * dot(st, i, m) + dot(st, i, i)
                g12 = dot(st, j, m) - dot(st, i, j) - dot(st, i, m) + dot(st, i, i)
                r2 = dot(st, i, i) - dot(st, i, m)
                if count == 3:
                    det = g11 * g22 - g12 * g12
                    if not det > 1e-14 * g11 * g22:
                        continue
                    l1 = (r1 * g22 - r2 * g12) / det
                    l2 = (r2 * g11 - r1 * g12) / det
                else:
                    g33 = dot(st, q, q) - 2.0 * dot(st, i, q) + dot(st, i, i)
                    g13 = dot(st, j, q) - dot(st, i, j) - dot(st, i, q) + dot(st, i, i)
                    g23 = dot(st, m, q) - dot(st, i, m) - dot(st, i, q) + dot(st, i, i)
                    r3 = dot(st, i, i) - dot(st, i, q)
                    c11 = g22 * g33 - g23 * g23
                    c12 = g13 * g23 - g12 * g33
                    c13 = g12 * g23 - g13 * g22
                    det = g11 * c11 + g12 * c12 + g13 * c13
                    if not det > 1e-16 * g11 * g22 * g33:
                        continue
                    c22 = g11 * g33 - g13 * g13
                    c23 = g12 * g13 - g11 * g23
                    c33 = g11 * g22 - g12 * g12
                    l1 = (c11 * r1 + c12 * r2 + c13 * r3) / det
                    l2 = (c12 * r1 + c22 * r2 + c23 * r3) / det
                    l3 = (c13 * r1 + c23 * r2 + c33 * r3) / det
            l0 = 1.0 - l1 - l2 - l3
        if l0 < 0.0 or l1 < 0.0 or l2 < 0.0 or l3 < 0.0:
            continue
        s0 = s1 = s2 = s3 = 0.0
        x = y = z = 0.0
        for c in range(n):
            w = l0 if c == i else (l1 if c == j else (l2 if c == m else (l3 if c == q else 0.0)))
            if c == 0:
                s0 = w
            elif c == 1:
                s1 = w
            elif c == 2:
                s2 = w
            else:
                s3 = w
            x += w * st[CORNER + 3 * c]
            y += w * st[CORNER + 3 * c + 1]
            z += w * st[CORNER + 3 * c + 2]
        v = x * x + y * y + z * z
        if best < 0.0 or v < best * (1.0 - 1e-14):
            best = v
            k0, k1, k2, k3 = s0, s1, s2, s3
    st[SHARE] = k0
    st[SHARE + 1] = k1
    st[SHARE + 2] = k2
    st[SHARE + 3] = k3
    return best


@jit
def with_point(sh, a, b, x, y, z, st, i):
    """`corner`, which keeps the point of a in it, too."""
    a0, a1, a2 = support(sh, a, x, y, z)
    b0, b1, b2 = support(sh, b, -x, -y, -z)
    c = CORNER + 3 * i
    st[c], st[c + 1], st[c + 2] = a0 - b0, a1 - b1, a2 - b2
    o = FROM + 3 * i
    st[o], st[o + 1], st[o + 2] = a0, a1, a2
    return st[c] * x + st[c + 1] * y + st[c + 2] * z


@jit
def distance(sh, a, b, far, st):
    """(gap of the cores, direction from b to a, number of corners): gap > far: no nearer than that where the direction
    parts them by more than far (st[PARTED]); gap 0: they overlap, or nothing shows that they do not.

    Shares of the corners are at st[SHARE:], the points of a in them at st[FROM:]."""
    fa = sh.frame[a]
    fb = sh.frame[b]
    x = sh.fr.p[fa, 0] - sh.fr.p[fb, 0]
    y = sh.fr.p[fa, 1] - sh.fr.p[fb, 1]
    z = sh.fr.p[fa, 2] - sh.fr.p[fb, 2]
    if x * x + y * y + z * z == 0.0:
        x = 1.0
    with_point(sh, a, b, -x, -y, -z, st, 0)
    n = 1
    size = 0.0
    last = 0.0
    v = 0.0
    st[PARTED] = -1e300
    for turns in range(100):
        v2 = shares(st, n)
        kept = 0
        x = y = z = 0.0
        for c in range(n):
            w = st[SHARE + c]
            if w > 0.0:
                p = CORNER + 3 * c
                x += w * st[p]
                y += w * st[p + 1]
                z += w * st[p + 2]
                size = max(size, st[p] * st[p] + st[p + 1] * st[p + 1] + st[p + 2] * st[p + 2])
                if kept < c:
                    for e in range(3):
                        st[CORNER + 3 * kept + e] = st[p + e]
                        st[FROM + 3 * kept + e] = st[FROM + 3 * c + e]
                    st[SHARE + kept] = w
                kept += 1
        n = kept
        if n == 4 or v2 <= 1e-20 * size:
            return 0.0, x, y, z, n
        v = math.sqrt(v2)
        if turns > 0 and v >= last * (1.0 - 1e-15):  # no progress any more
            break
        last = v
        x, y, z = x / v, y / v, z / v
        low = -with_point(sh, a, b, -x, -y, -z, st, n)
        if low > st[PARTED]:
            st[PARTED], st[PARTED + 1], st[PARTED + 2], st[PARTED + 3] = low, x, y, z
        if low > far:
            return low, x, y, z, n
        if v - low <= 1e-13 * v + 1e-15 * math.sqrt(size):
            break
        n += 1
    if st[PARTED] <= 0.0:
        # the search has ended without a direction that parts the cores: the origin lies within roundoff of a corner,
        # edge or face of a simplex that has become flat.  The distance from that is no gap: they overlap, or just touch
        return 0.0, x, y, z, n
    # the last point itself, a difference of corners, may be roundoff where the cores nearly touch: its direction then
    # points anywhere, while that which parts them most has been checked
    return v, st[PARTED + 1], st[PARTED + 2], st[PARTED + 3], n


@jit
def add_face(st, nf, i, j, k):
    """Face of corners i, j, k with its normal and distance from the origin; -1 when it has no area."""
    p, q, r = CORNER + 3 * i, CORNER + 3 * j, CORNER + 3 * k
    ux, uy, uz = st[q] - st[p], st[q + 1] - st[p + 1], st[q + 2] - st[p + 2]
    vx, vy, vz = st[r] - st[p], st[r + 1] - st[p + 1], st[r + 2] - st[p + 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(x * x + y * y + z * z)
    o = FACET + 8 * nf
    st[o] = i
    st[o + 1] = j
    st[o + 2] = k
    st[o + 7] = 1.0
    if not size > 1e-14 * (ux * ux + uy * uy + uz * uz + vx * vx + vy * vy + vz * vz):
        st[o + 3] = st[o + 4] = st[o + 5] = 0.0
        st[o + 6] = 1e300  # kept for its neighbours, never chosen
        return
    x, y, z = x / size, y / size, z / size
    st[o + 3] = x
    st[o + 4] = y
    st[o + 5] = z
    st[o + 6] = x * st[p] + y * st[p + 1] + z * st[p + 2]


@jit
def volume(st):
    """Six times the volume of the first four corners."""
    x1, y1, z1 = st[3] - st[0], st[4] - st[1], st[5] - st[2]
    x2, y2, z2 = st[6] - st[0], st[7] - st[1], st[8] - st[2]
    x3, y3, z3 = st[9] - st[0], st[10] - st[1], st[11] - st[2]
    return x1 * (y2 * z3 - z2 * y3) + y1 * (z2 * x3 - x2 * z3) + z1 * (x2 * y3 - y2 * x3)


@jit
def first_tetrahedron(sh, a, b, st, n):
    """Four corners round the origin from the n that `distance` left; false where the difference is flat."""
    for want in range(n, 4):
        # directions across what is there
        done = False
        for way in range(6):
            if want == 1:
                x = 1.0 if way // 2 == 0 else 0.0
                y = 1.0 if way // 2 == 1 else 0.0
                z = 1.0 if way // 2 == 2 else 0.0
            elif want == 2:
                ux, uy, uz = st[3] - st[0], st[4] - st[1], st[5] - st[2]
                e = way // 2
                x = uz if e == 1 else (-uy if e == 2 else 0.0)
                y = -uz if e == 0 else (ux if e == 2 else 0.0)
                z = uy if e == 0 else (-ux if e == 1 else 0.0)
            else:
                ux, uy, uz = st[3] - st[0], st[4] - st[1], st[5] - st[2]
                vx, vy, vz = st[6] - st[0], st[7] - st[1], st[8] - st[2]
                x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            sign = 1.0 if way % 2 == 0 else -1.0
            size = math.sqrt(x * x + y * y + z * z)
            if not size > 0.0:
                continue
            x, y, z = sign * x / size, sign * y / size, sign * z / size
            high = corner(sh, a, b, x, y, z, st, want)
            base = x * st[0] + y * st[1] + z * st[2]
            c = 3 * want
            size = abs(st[0]) + abs(st[1]) + abs(st[2]) + abs(st[c]) + abs(st[c + 1]) + abs(st[c + 2])
            if high - base > 1e-9 * size:
                done = True
                break
        if not done:
            return False
    return True


@jit
def depth(sh, a, b, n, st):
    """(gap <= 0, direction from b to a) of overlapping cores by the polytope; n corners are there; `ok` false where it
    fails."""
    if not first_tetrahedron(sh, a, b, st, n):
        return False, 0.0, 0.0, 0.0, 1.0
    if volume(st) > 0.0:  # corners 0, 1, 2 seen counter-clockwise from outside, away from corner 3
        for c in range(3):
            st[3 + c], st[6 + c] = st[6 + c], st[3 + c]
    add_face(st, 0, 0, 1, 2)
    add_face(st, 1, 0, 3, 1)
    add_face(st, 2, 1, 3, 2)
    add_face(st, 3, 2, 3, 0)
    nv = 4
    nf = 4
    size = 0.0
    for c in range(12):
        size = max(size, abs(st[c]))
    best = -1
    while True:
        best = -1
        for f in range(nf):
            o = FACET + 8 * f
            if st[o + 7] > 0.0 and (best < 0 or st[o + 6] < st[FACET + 8 * best + 6]):
                best = f
        o = FACET + 8 * best
        x, y, z = st[o + 3], st[o + 4], st[o + 5]
        if nv == MOST:
            break
        high = corner(sh, a, b, x, y, z, st, nv)
        if high - st[o + 6] <= 1e-9 * size:
            break
        c = CORNER + 3 * nv
        edges = 0
        room = nf
        for f in range(nf):
            o = FACET + 8 * f
            if st[o + 7] > 0.0:
                seen = st[o + 3] * st[c] + st[o + 4] * st[c + 1] + st[o + 5] * st[c + 2] - st[o + 6]
                if seen > 1e-13 * size or f == best:
                    st[o + 7] = 0.0
                    for e in range(3):
                        i = st[o + e]
                        j = st[o + (e + 1 if e < 2 else 0)]
                        twin = -1
                        for m in range(edges):
                            if st[HORIZON + 2 * m] == j and st[HORIZON + 2 * m + 1] == i:
                                twin = m
                        if twin >= 0:
                            edges -= 1
                            st[HORIZON + 2 * twin] = st[HORIZON + 2 * edges]
                            st[HORIZON + 2 * twin + 1] = st[HORIZON + 2 * edges + 1]
                        else:
                            st[HORIZON + 2 * edges] = i
                            st[HORIZON + 2 * edges + 1] = j
                            edges += 1
        if room + edges > FACES:  # close the ranks of the living
            live = 0
            for f in range(nf):
                if st[FACET + 8 * f + 7] > 0.0:
                    for m in range(8):
                        st[FACET + 8 * live + m] = st[FACET + 8 * f + m]
                    live += 1
            nf = live
            if nf + edges > FACES:
                break
        for m in range(edges):
            add_face(st, nf, int(st[HORIZON + 2 * m]), int(st[HORIZON + 2 * m + 1]), nv)
            nf += 1
        nv += 1
    o = FACET + 8 * best
    # the face's outward normal points from the origin to the boundary of a - b: a leaves b the other way
    return st[o + 6] < 1e299, -st[o + 6], -st[o + 3], -st[o + 4], -st[o + 5]


@jit
def overlap(sh, a, b, n, st):
    """`depth` of cores that `distance` does not find apart, checked against the direction that it ended with: (whether
    there is a direction, the polytope's gap, direction).

    Of cores that only just touch the polytope may be flat where the origin lies, and end on a far side."""
    low, u, v, w = st[PARTED], st[PARTED + 1], st[PARTED + 2], st[PARTED + 3]
    ok, gap, x, y, z = depth(sh, a, b, n, st)
    if low > -1e299 and (not ok or low > -corner(sh, a, b, -x, -y, -z, st, 0)):
        return True, gap, u, v, w
    return ok, gap, x, y, z
