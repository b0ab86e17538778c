"""One point of a surface contact: what it meets, and what acts there (`kernels`)."""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import cross, rotate, unrotate
from ..friction.tanh import force as friction_force
from ..laws.hysteresis import force as normal_force
from ..tables import COLUMNS, OUT_DEPTH, OUT_ELASTIC, OUT_RATE, OUT_STORED, N
from .columns import (
    A_CORNERS,
    A_DEPTH,
    A_EDGES,
    A_FN,
    A_FORCE,
    A_GAP,
    A_N,
    A_SHARE,
    A_SIZE,
    A_V,
    A_VN,
    A_WHICH,
    BESIDE,
    DEEPEST,
    FACING,
    FRICTION,
    MARGIN,
)
from .search import corner, rate_of, shape_gap

UNSURE = 0.1  # of the margin, depth from which a facet is asked whether the point is nearer to another one
OTHER = 0.999  # of the distance from the facet below which another one is nearer
SAME = 1e-9  # share by which the distances of facets differ that share the nearest edge


@jit(apart=True)
def meet(S, W, fr, i, j, k, u, r0, r1, r2, reach):
    """Where the point k at r from the frame of A touches: gap, normal and what it meets into W.at; false where the gap
    is not below the reach."""
    at = W.at
    x = fr.p[i, 0] + r0
    y = fr.p[i, 1] + r1
    z = fr.p[i, 2] + r2
    if S.kern.shape[0] > 0:
        best = 1e300
        found = -1
        for b in range(S.kern.shape[0]):
            g, row = shape_gap(S, W, b, x, y, z, S.par[MARGIN])
            if g < best:
                best = g
                found = b
        at[A_GAP] = best
        if not best < reach:
            return False
        g, row = shape_gap(S, W, found, x, y, z, reach)
        if row != 0:
            for c in range(COLUMNS):
                W.pts[0, c] = W.pts[row, c]
        at[A_GAP] = g
        for c in range(3):
            at[A_N + c] = W.pts[0, N + c]
        at[A_WHICH] = found
        at[A_DEPTH] = -g
        return True
    nA = S.big.shape[0]
    xb, yb, zb = unrotate(fr.A, j, x - fr.p[j, 0], y - fr.p[j, 1], z - fr.p[j, 2])
    m0, m1, m2 = rotate(fr.A, i, S.normal[k, 0], S.normal[k, 1], S.normal[k, 2])
    m0, m1, m2 = unrotate(fr.A, j, m0, m1, m2)
    count = W.cand[k, 0]
    all_of_them = count < 0
    if all_of_them:
        count = S.tri.shape[0]
    best = S.par[DEEPEST]
    found = -1
    for q in range(count):
        f = q if all_of_them else W.cand[k, q + 1]
        a0, a1, a2 = corner(S, W, S.tri[f, 0], u, nA)
        b0, b1, b2 = corner(S, W, S.tri[f, 1], u, nA)
        c0, c1, c2 = corner(S, W, S.tri[f, 2], u, nA)
        b0 -= a0
        b1 -= a1
        b2 -= a2
        c0 -= a0
        c1 -= a1
        c2 -= a2
        n0, n1, n2 = cross(b0, b1, b2, c0, c1, c2)
        size = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
        if not size > 0.0:
            continue
        n0 /= size
        n1 /= size
        n2 /= size
        if n0 * m0 + n1 * m1 + n2 * m2 > FACING:
            continue
        d0 = xb - a0
        d1 = yb - a1
        d2 = zb - a2
        g = n0 * d0 + n1 * d1 + n2 * d2
        if abs(g) >= best:
            continue
        v0, v1, v2 = cross(c0, c1, c2, n0, n1, n2)
        s = (v0 * d0 + v1 * d1 + v2 * d2) / size
        v0, v1, v2 = cross(n0, n1, n2, b0, b1, b2)
        w = (v0 * d0 + v1 * d1 + v2 * d2) / size
        if s < -BESIDE or w < -BESIDE or s + w > 1.0 + BESIDE:
            continue
        best = abs(g)
        found = f
        at[A_GAP] = g
        at[A_N], at[A_N + 1], at[A_N + 2] = rotate(fr.A, j, n0, n1, n2)
        at[A_WHICH] = f
        at[A_SHARE] = 1.0 - s - w
        at[A_SHARE + 1] = s
        at[A_SHARE + 2] = w
        at[A_EDGES], at[A_EDGES + 1], at[A_EDGES + 2] = rotate(fr.A, j, b0, b1, b2)
        at[A_EDGES + 3], at[A_EDGES + 4], at[A_EDGES + 5] = rotate(fr.A, j, c0, c1, c2)
        at[A_SIZE] = size
    least = min(at[A_SHARE], at[A_SHARE + 1], at[A_SHARE + 2]) if found >= 0 else 0.0
    if found >= 0 and (at[A_GAP] < -UNSURE * S.par[MARGIN] or (least < 0.0 and at[A_GAP] < 0.0)):
        away, front = _nearest(S, W, u, nA, xb, yb, zb)
        if front and (
            least < 0.0 or away < OTHER * best
        ):  # in front of a nearer facet, or of the one next to an edge, and not behind this one
            at[A_GAP] = away
            found = -1
    at[A_DEPTH] = -at[A_GAP]
    return found >= 0 and at[A_GAP] < reach


@jit(apart=True)
def _nearest(S, W, u, nA, x, y, z):
    """Distance of a point in axes of B from the nearest facet, and whether it lies in front of it, or of one of those
    that share a nearest edge."""
    best = 1e300
    front = False
    for f in range(
        S.tri.shape[0]
    ):  # all of them: the list has those that it may touch, not all that it may be in front of
        a0, a1, a2 = corner(S, W, S.tri[f, 0], u, nA)
        b0, b1, b2 = corner(S, W, S.tri[f, 1], u, nA)
        c0, c1, c2 = corner(S, W, S.tri[f, 2], u, nA)
        n0, n1, n2 = cross(b0 - a0, b1 - a1, b2 - a2, c0 - a0, c1 - a1, c2 - a2)
        if not n0 * n0 + n1 * n1 + n2 * n2 > 0.0:
            continue
        before = n0 * (x - a0) + n1 * (y - a1) + n2 * (z - a2) > 0.0
        away = _from_triangle(x - a0, y - a1, z - a2, b0 - a0, b1 - a1, b2 - a2, c0 - a0, c1 - a1, c2 - a2)
        if away < (1.0 - SAME) * best:
            front = before
        elif away <= (1.0 + SAME) * best:
            front = front or before
        best = min(best, away)
    return best, front


@jit
def _from_segment(x, y, z, d0, d1, d2):
    """Distance of a point from the segment from the origin to d."""
    size = d0 * d0 + d1 * d1 + d2 * d2
    s = min(max((x * d0 + y * d1 + z * d2) / size, 0.0), 1.0) if size > 0.0 else 0.0
    return math.sqrt((x - s * d0) ** 2 + (y - s * d1) ** 2 + (z - s * d2) ** 2)


@jit
def _from_triangle(x, y, z, b0, b1, b2, c0, c1, c2):
    """Distance of a point from the triangle of the origin, b and c."""
    n0, n1, n2 = cross(b0, b1, b2, c0, c1, c2)
    size = n0 * n0 + n1 * n1 + n2 * n2
    v0, v1, v2 = cross(c0, c1, c2, n0, n1, n2)
    s = (v0 * x + v1 * y + v2 * z) / size
    v0, v1, v2 = cross(n0, n1, n2, b0, b1, b2)
    w = (v0 * x + v1 * y + v2 * z) / size
    if s >= 0.0 and w >= 0.0 and s + w <= 1.0:
        return abs(n0 * x + n1 * y + n2 * z) / math.sqrt(size)
    return min(
        _from_segment(x, y, z, b0, b1, b2),
        _from_segment(x, y, z, c0, c1, c2),
        _from_segment(x - b0, y - b1, z - b2, c0 - b0, c1 - b1, c2 - b2),
    )


@jit(apart=True)
def answer(S, W, fr, i, j, k, t, u, r0, r1, r2):
    """Velocity of the point k over what it meets, and the force on A, into W.at and W.law (derivatives)."""
    at = W.at
    nA = S.big.shape[0]
    rigid = S.kern.shape[0] > 0
    nB = 0 if rigid else S.bigB.shape[0]
    rate = nA + nB
    a, b, c = rate_of(S.phi, k, u, rate)
    v0, v1, v2 = rotate(fr.A, i, a, b, c)
    x, y, z = cross(fr.w[i, 0], fr.w[i, 1], fr.w[i, 2], r0, r1, r2)
    v0 += fr.v[i, 0] + x
    v1 += fr.v[i, 1] + y
    v2 += fr.v[i, 2] + z
    b0 = fr.p[i, 0] + r0 - fr.p[j, 0]
    b1 = fr.p[i, 1] + r1 - fr.p[j, 1]
    b2 = fr.p[i, 2] + r2 - fr.p[j, 2]
    x, y, z = cross(fr.w[j, 0], fr.w[j, 1], fr.w[j, 2], b0, b1, b2)
    v0 -= fr.v[j, 0] + x
    v1 -= fr.v[j, 1] + y
    v2 -= fr.v[j, 2] + z
    if not rigid:
        f = int(at[A_WHICH])
        x = 0.0
        y = 0.0
        z = 0.0
        for q in range(3):
            a, b, c = rate_of(S.shapes, S.tri[f, q], u, rate + nA)
            a, b, c = rotate(fr.A, j, a, b, c)
            at[A_CORNERS + 3 * q] = a
            at[A_CORNERS + 3 * q + 1] = b
            at[A_CORNERS + 3 * q + 2] = c
            x += at[A_SHARE + q] * a
            y += at[A_SHARE + q] * b
            z += at[A_SHARE + q] * c
        v0 -= x
        v1 -= y
        v2 -= z
    n0 = at[A_N]
    n1 = at[A_N + 1]
    n2 = at[A_N + 2]
    vn = v0 * n0 + v1 * n1 + v2 * n2
    at[A_V] = v0
    at[A_V + 1] = v1
    at[A_V + 2] = v2
    at[A_VN] = vn
    L = W.law
    area = S.area[k]
    F = area * normal_force(S.p, 0, at[A_DEPTH], -vn, W.mem, 0, t, L)
    W.sums[0] += area * L[OUT_STORED]
    W.sums[1] += (F - area * L[OUT_ELASTIC]) * -vn
    L[36] = area * L[OUT_DEPTH]
    L[37] = area * L[OUT_RATE]
    at[A_FN] = F
    at[A_FORCE] = F * n0
    at[A_FORCE + 1] = F * n1
    at[A_FORCE + 2] = F * n2
    if S.par[FRICTION] != 0.0:
        s = W.slip
        s[0] = v0 - vn * n0
        s[1] = v1 - vn * n1
        s[2] = v2 - vn * n2
        friction_force(S.pf, 0, F, s, W.mem, 0, t, L)
        for q in range(3):
            at[A_FORCE + q] += L[q]
        W.sums[1] -= L[0] * s[0] + L[1] * s[1] + L[2] * s[2]
