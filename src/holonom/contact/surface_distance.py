"""Lower bounds of the distance between the surfaces of two shapes of which one is a triangle mesh.

Kernels of meshes go from feature to feature and leave out what carries no force, so their gaps are no distances.  Here
the distance is that of the surfaces
themselves: triangles found by the trees of boxes, pairs of pieces by their support functions (E. G. Gilbert, D. W.
Johnson, S. S. Keerthi, IEEE J. Robotics and Automation 4 (1988) 193), which end as soon as a plane shows that two
pieces are farther apart than the minimum distance so far.  As long as the distance is positive no surface can have
passed another, so that it bounds the motion whatever the shapes are (`advancement`).
"""

from __future__ import annotations

import math

from .._jit import jit
from ..elements.vectors import rotate
from .shapes._address import mesh_of
from .shapes._gjk import CORNER, SHARE, shares
from .shapes._mesh import LEAF, corner_of, following, following_in, seen_box
from .shapes._point import centre
from .shapes._scratch import box, scratch
from .shapes._support import support
from .traits import margin, solid

FIRST, SECOND = 4000, 4009  # of the working space: corners of a triangle of each side
TURNS = 60
CLOSE = 1e-3  # of a distance: so near to it is its lower bound when the search ends


@jit
def _farthest(sh, a, st, o, x, y, z):
    """Point farthest along (x, y, z) of solid a, or (a < 0) of the triangle at st[o:]."""
    if a >= 0:
        return support(sh, a, x, y, z)
    best = o
    most = -1e300
    for k in range(3):
        p = o + 3 * k
        s = st[p] * x + st[p + 1] * y + st[p + 2] * z
        if s > most:
            most = s
            best = p
    return st[best], st[best + 1], st[best + 2]


@jit
def _corner(sh, a, b, x, y, z, st, i):
    """Corner i of the difference a - b along (x, y, z); returns how far it lies."""
    a0, a1, a2 = _farthest(sh, a, st, FIRST, x, y, z)
    b0, b1, b2 = _farthest(sh, b, st, SECOND, -x, -y, -z)
    c = CORNER + 3 * i
    st[c] = a0 - b0
    st[c + 1] = a1 - b1
    st[c + 2] = a2 - b2
    return st[c] * x + st[c + 1] * y + st[c + 2] * z


@jit
def _pieces(sh, a, b, far, st):
    """Lower bound of the distance of two pieces; one above ``far`` shows only that they are farther apart than that."""
    _corner(sh, a, b, 1.0, 0.0, 0.0, st, 0)
    n = 1
    size = 0.0
    low = 0.0
    for _ in range(TURNS):
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
                for e in range(3):
                    st[CORNER + 3 * kept + e] = st[p + e]
                st[SHARE + kept] = w
                kept += 1
        n = kept
        if n == 4 or v2 <= 1e-24 * size:
            return 0.0
        v = math.sqrt(v2)
        low = max(low, -_corner(sh, a, b, -x / v, -y / v, -z / v, st, n))
        if low > far or v - low <= CLOSE * v:
            return low
        n += 1
    return low


@jit
def _triangle(sh, m, t, st, o):
    """Triangle t of mesh m in ground axes to st[o:]."""
    f = sh.frame[m]
    for k in range(3):
        x, y, z = corner_of(sh, m, t, k)
        x, y, z = rotate(sh.fr.A, f, x, y, z)
        st[o + 3 * k] = x + sh.fr.p[f, 0]
        st[o + 3 * k + 1] = y + sh.fr.p[f, 1]
        st[o + 3 * k + 2] = z + sh.fr.p[f, 2]


@jit(later="float64")
def _solid_and_mesh(sh, a, m, far, least, st):
    best = far
    thick = margin(sh, a)
    x, y, z = centre(sh, a, m)
    # the ball that holds it, about the origin of its frame
    r = sh.radius[a] + math.sqrt(sh.centre[a, 0] ** 2 + sh.centre[a, 1] ** 2 + sh.centre[a, 2] ** 2)
    count = sh.link[sh.first[m, 3], 0]
    k = 0
    while True:
        leaf, k = following(sh, m, k, x, y, z, r + best)
        if leaf < 0:
            return best
        for t in range(leaf, min(leaf + LEAF, count)):
            _triangle(sh, m, t, st, SECOND)
            best = min(best, _pieces(sh, a, -1, best + thick, st) - thick)
            if best <= least:
                return max(best, 0.0)


@jit(later="float64")
def _meshes(sh, a, b, far, least, st):
    best = far
    wide = box()
    narrow = box()
    count_a, count_b = sh.link[sh.first[a, 3], 0], sh.link[sh.first[b, 3], 0]
    seen_box(sh, a, b, sh.first[b, 2], best, wide)
    hx, hy, hz = wide[3] - best, wide[4] - best, wide[5] - best
    k = 0
    while True:
        wide[3], wide[4], wide[5] = hx + best, hy + best, hz + best
        leaf, k = following_in(sh, a, k, wide)
        if leaf < 0:
            return best
        seen_box(sh, b, a, sh.first[a, 2] + k - 1, best, narrow)
        q = 0
        while True:
            other, q = following_in(sh, b, q, narrow)
            if other < 0:
                break
            for t in range(leaf, min(leaf + LEAF, count_a)):
                _triangle(sh, a, t, st, FIRST)
                for s in range(other, min(other + LEAF, count_b)):
                    _triangle(sh, b, s, st, SECOND)
                    best = min(best, _pieces(sh, -1, -1, best, st))
                    if best <= least:
                        return max(best, 0.0)


@jit
def surface_distance(sh, a, b, far, least):
    """Lower bound of the distance between the surfaces of a and b, ``far`` at most, 0 where they cross; -1 where
    neither is a mesh or one has no surface known here.  The search ends where the distance is no more than
    ``least``."""
    m = mesh_of(sh, a)
    n = mesh_of(sh, b)
    st = scratch()
    if m >= 0 and n >= 0:
        return _meshes(sh, m, n, far, least, st)
    if m < 0 and n >= 0 and solid(sh, a):
        return _solid_and_mesh(sh, a, n, far, least, st)
    if n < 0 and m >= 0 and solid(sh, b):
        return _solid_and_mesh(sh, b, m, far, least, st)
    return -1.0
