"""Derivatives of what acts in a surface contact (`kernels`), by positions and turns of both frames, their rates, modes
and their rates."""

from __future__ import annotations

from ..._jit import jit
from ..._with_numba import with_numba
from ...elements.vectors import cross, rotate, unrotate
from ..kinematics import point_rates, prepare
from ..tables import P
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
    FRICTION,
    LAW_ACTS,
    MARGIN,
    MODE,
    ROW,
    TOUCHING,
)
from .dented import factor, press, slope, solve
from .meeting import answer, meet
from .search import left_over, moved, put_shapes, rate_of
from .two_way import cross_at, swapped


@with_numba
def _views():
    global view_S, view_W, skin_at
    from ..._handle import view_S, view_W
    from .skin import skin_at


@jit
def _by_foot(at, w0, w1, w2):
    """Changes of N of the foot for a shift w of the point over the facet."""
    n0 = at[A_N]
    n1 = at[A_N + 1]
    n2 = at[A_N + 2]
    e = A_EDGES
    a, b, c = cross(at[e + 3], at[e + 4], at[e + 5], n0, n1, n2)
    s = (a * w0 + b * w1 + c * w2) / at[A_SIZE]
    a, b, c = cross(n0, n1, n2, at[e], at[e + 1], at[e + 2])
    return s, (a * w0 + b * w1 + c * w2) / at[A_SIZE]


@jit(apart=True)
def _column(S, W, fr, pair, column, D, dg, normal, foot, motion, turns, levers):
    """Column of D for a motion that changes the gap by dg, the normal by (n0..), the foot by (s, w), the point by x,
    the velocity by z (without that of the foot); turns a of the frame of A, b of that of B; p: levers of A, h: those of
    B, change by x less these."""
    i, j = pair
    x, z = motion
    a, b = turns
    p, h = levers
    n0, n1, n2 = normal
    s, w = foot
    x0, x1, x2 = x
    z0, z1, z2 = z
    a0, a1, a2 = a
    b0, b1, b2 = b
    p0, p1, p2 = p
    h0, h1, h2 = h
    at = W.at
    L = W.law
    rigid = S.kern.shape[0] > 0
    if W.dg.shape[0] > 0:
        W.dg[W.count[ROW], column] = dg
    if not rigid:
        for e in range(3):
            d = -s - w if e == 0 else (s if e == 1 else w)
            W.G[6 + e, column] = d
            z0 -= d * at[A_CORNERS + 3 * e]
            z1 -= d * at[A_CORNERS + 3 * e + 1]
            z2 -= d * at[A_CORNERS + 3 * e + 2]
    m0 = at[A_N]
    m1 = at[A_N + 1]
    m2 = at[A_N + 2]
    zn = z0 * m0 + z1 * m1 + z2 * m2 + at[A_V] * n0 + at[A_V + 1] * n1 + at[A_V + 2] * n2
    dF = -L[36] * dg - L[37] * zn
    F = at[A_FN]
    g0 = dF * m0 + F * n0
    g1 = dF * m1 + F * n1
    g2 = dF * m2 + F * n2
    if S.par[FRICTION] != 0.0:
        vn = at[A_VN]
        s0 = z0 - zn * m0 - vn * n0
        s1 = z1 - zn * m1 - vn * n1
        s2 = z2 - zn * m2 - vn * n2
        g0 += L[3] * dF + L[6] * s0 + L[7] * s1 + L[8] * s2
        g1 += L[4] * dF + L[9] * s0 + L[10] * s1 + L[11] * s2
        g2 += L[5] * dF + L[12] * s0 + L[13] * s1 + L[14] * s2
    f0 = at[A_FORCE]
    f1 = at[A_FORCE + 1]
    f2 = at[A_FORCE + 2]
    D[0, column] += g0
    D[1, column] += g1
    D[2, column] += g2
    D[6, column] -= g0
    D[7, column] -= g1
    D[8, column] -= g2
    q0, q1, q2 = cross(p0, p1, p2, g0, g1, g2)
    D[3, column] += q0
    D[4, column] += q1
    D[5, column] += q2
    q0, q1, q2 = cross(h0, h1, h2, g0, g1, g2)
    D[9, column] -= q0
    D[10, column] -= q1
    D[11, column] -= q2
    q0, q1, q2 = cross(x0, x1, x2, f0, f1, f2)
    if not 0 <= column < 3:  # levers from A: its own translation leaves them
        D[3, column] += q0
        D[4, column] += q1
        D[5, column] += q2
    D[9, column] -= q0
    D[10, column] -= q1
    D[11, column] -= q2
    if 6 <= column < 9:  # B moves away
        e0 = 1.0 if column == 6 else 0.0
        e1 = 1.0 if column == 7 else 0.0
        e2 = 1.0 if column == 8 else 0.0
        q0, q1, q2 = cross(e0, e1, e2, f0, f1, f2)
        D[9, column] += q0
        D[10, column] += q1
        D[11, column] += q2
    q0, q1, q2 = cross(a0, a1, a2, f0, f1, f2)
    W.G[0, column], W.G[1, column], W.G[2, column] = unrotate(fr.A, i, g0 - q0, g1 - q1, g2 - q2)
    if not rigid:
        q0, q1, q2 = cross(b0, b1, b2, f0, f1, f2)
        q0, q1, q2 = unrotate(fr.A, j, g0 - q0, g1 - q1, g2 - q2)
        W.G[3, column] = -q0
        W.G[4, column] = -q1
        W.G[5, column] = -q2


@jit(apart=True)
def _of_facet(at, d0, d1, d2, b0, b1, b2, c0, c1, c2):
    """Change of gap, normal and foot (s, w) where the corners of the facet move by d, d + b, d + c."""
    n0 = at[A_N]
    n1 = at[A_N + 1]
    n2 = at[A_N + 2]
    e = A_EDGES
    x0, x1, x2 = cross(b0, b1, b2, at[e + 3], at[e + 4], at[e + 5])
    y0, y1, y2 = cross(at[e], at[e + 1], at[e + 2], c0, c1, c2)
    x0 += y0
    x1 += y1
    x2 += y2
    along = x0 * n0 + x1 * n1 + x2 * n2
    x0 = (x0 - along * n0) / at[A_SIZE]
    x1 = (x1 - along * n1) / at[A_SIZE]
    x2 = (x2 - along * n2) / at[A_SIZE]
    s = at[A_SHARE + 1]
    w = at[A_SHARE + 2]
    y0 = -(d0 + s * b0 + w * c0)
    y1 = -(d1 + s * b1 + w * c1)
    y2 = -(d2 + s * b2 + w * c2)
    g = at[A_GAP]
    s, w = _by_foot(at, y0 - g * x0, y1 - g * x1, y2 - g * x2)
    return n0 * y0 + n1 * y1 + n2 * y2, x0, x1, x2, s, w


@jit
def tangent(c, f, fr, ref, t, u, x, W, D):
    handle = skin_at(int(c[0]))
    S = view_S(handle)
    w = view_W(handle)
    if S.par[MODE] != LAW_ACTS:  # a constraint: impulses are not linearised
        return
    i = f[0]
    j = f[1]
    stored = w.sums[0]
    lost = w.sums[1]
    points(S, w, fr, i, j, t, u, D)
    if S.more[0] != 0:
        back(S, fr, i, j, t, u, D)
    if S.more[1] != 0:
        edges(S, fr, i, j, t, u, D)
    w.sums[0] = stored
    w.sums[1] = lost


@jit(apart=True)
def points(S, w, fr, i, j, t, u, D):
    """Derivatives of what acts at the points that touch, into D."""
    nA = S.big.shape[0]
    rigid = S.kern.shape[0] > 0
    nB = 0 if rigid else S.bigB.shape[0]
    if rigid:
        put_shapes(S, fr, j)
    columns = 24 + 2 * (nA + nB)
    if S.dent.shape[0] + S.dentB.shape[0] > 0:
        _dented(S, w, fr, i, j, t, u, columns, D)
        return
    for q in range(w.count[TOUCHING]):
        k = w.act[q]
        a, b, d = moved(S.place, S.phi, k, u, 0)
        r0, r1, r2 = rotate(fr.A, i, a, b, d)
        if meet(S, w, fr, i, j, k, u, r0, r1, r2, 0.0):
            answer(S, w, fr, i, j, k, t, u, r0, r1, r2)
            _columns(S, w, fr, i, j, k, u, r0, r1, r2, D)
            _rows(S, w, fr, j, k, columns, D)


@jit(apart=True)
def edges(S, fr, i, j, t, u, D):
    """Derivatives of what acts where edges cross, each at its position along the edge of A."""
    handle = skin_at(S.more[1])
    E = view_S(handle)
    v = view_W(handle)
    columns = 24 + 2 * (E.big.shape[0] + E.bigB.shape[0])
    for q in range(v.count[TOUCHING]):
        crosses, r0, r1, r2, share = cross_at(E, v, fr, i, j, v.act[q], u)
        if crosses:
            answer(E, v, fr, i, j, 0, t, u, r0, r1, r2)
            _columns(E, v, fr, i, j, 0, u, r0, r1, r2, D)
            _rows(E, v, fr, j, 0, columns, D)


@jit
def _place(q, nA, nB):
    """Column of D for column q of the way back."""
    if q < 24:
        return q + 6 if (q // 6) % 2 == 0 else q - 6
    q -= 24
    rates = q >= nA + nB
    if rates:
        q -= nA + nB
    return 24 + (nA + q if q < nB else q - nB) + (nA + nB if rates else 0)


@jit(apart=True)
def back(S, fr, i, j, t, u, D):
    """Derivatives of what acts at the points of B on the facets of A."""
    handle = skin_at(S.more[0])
    T = view_S(handle)
    v = view_W(handle)
    if v.count[TOUCHING] == 0:
        return
    nB = T.big.shape[0]
    nA = T.bigB.shape[0]
    columns = 24 + 2 * (nA + nB)
    v.D[:] = 0.0
    swapped(u, nA, nB, v.u)
    points(T, v, fr, j, i, t, v.u, v.D)
    for p in range(12 + nA + nB):
        row = p + 6 if p < 6 else p - 6 if p < 12 else 12 + (nA + p - 12 if p < 12 + nB else p - 12 - nB)
        for q in range(columns):
            D[row, _place(q, nA, nB)] += v.D[p, q]


@jit(apart=True)
def _dented(S, W, fr, i, j, t, u, columns, D):
    """Where surfaces have dents: forces of all points that touch change with the gap of each (`dented`)."""
    n = press(S, W, fr, i, j, u, W.pose[12] - left_over(S, W, fr, i, j, u))
    if n == 0:
        return
    count = factor(S, W, n)
    at = W.at
    for pick in range(count):
        q = W.pick[pick]
        W.count[ROW] = q
        for m in range(columns):
            W.dg[q, m] = 0.0
            W.turn[q, m] = 0.0
        k = W.who[q]
        a, b, d = moved(S.place, S.phi, k, u, 0)
        r0, r1, r2 = rotate(fr.A, i, a, b, d)
        meet(S, W, fr, i, j, k, u, r0, r1, r2, S.par[MARGIN])
        at[A_DEPTH] = W.deep[q]
        answer(S, W, fr, i, j, k, t, u, r0, r1, r2)
        _pushes(S, W, fr, i, j, k, q, r0, r1, r2, W.law[36] / slope(S, W, q))
        W.law[36] = 0.0
        _columns(S, W, fr, i, j, k, u, r0, r1, r2, D)
        _rows(S, W, fr, j, k, columns, D)
    for m in range(columns):
        for a in range(count):
            W.push[a] = W.dg[W.pick[a], m]
        solve(W.L, W.push, count)
        for a in range(count):
            row = W.turn[W.pick[a]]
            for p in range(D.shape[0]):
                D[p, m] -= row[p] * W.push[a]


@jit
def _pushes(S, W, fr, i, j, k, q, r0, r1, r2, share):
    """Into W.turn[q]: change of all forces by the normal force at the point k without damping, of which ``share``
    acts."""
    at = W.at
    L = W.law
    row = W.turn[q]
    nA = S.big.shape[0]
    g0 = at[A_N]
    g1 = at[A_N + 1]
    g2 = at[A_N + 2]
    if S.par[FRICTION] != 0.0:
        g0 += L[3]
        g1 += L[4]
        g2 += L[5]
    g0 *= share
    g1 *= share
    g2 *= share
    row[0] = g0
    row[1] = g1
    row[2] = g2
    row[3], row[4], row[5] = cross(r0, r1, r2, g0, g1, g2)
    row[6] = -g0
    row[7] = -g1
    row[8] = -g2
    row[9], row[10], row[11] = cross(
        fr.p[j, 0] - fr.p[i, 0] - r0, fr.p[j, 1] - fr.p[i, 1] - r1, fr.p[j, 2] - fr.p[i, 2] - r2, g0, g1, g2
    )
    a, b, c = unrotate(fr.A, i, g0, g1, g2)
    for m in range(nA):
        row[12 + m] = S.phi[k, 0, m] * a + S.phi[k, 1, m] * b + S.phi[k, 2, m] * c
    if S.kern.shape[0] > 0:
        return
    a, b, c = unrotate(fr.A, j, g0, g1, g2)
    for m in range(S.bigB.shape[0]):
        for e in range(3):
            l = S.tri[int(at[A_WHICH]), e]
            row[12 + nA + m] -= at[A_SHARE + e] * (
                S.shapes[l, 0, m] * a + S.shapes[l, 1, m] * b + S.shapes[l, 2, m] * c
            )


@jit
def _columns(S, W, fr, i, j, k, u, r0, r1, r2, D):
    at = W.at
    nA = S.big.shape[0]
    rigid = S.kern.shape[0] > 0
    nB = 0 if rigid else S.bigB.shape[0]
    h0 = fr.p[i, 0] + r0 - fr.p[j, 0]
    h1 = fr.p[i, 1] + r1 - fr.p[j, 1]
    h2 = fr.p[i, 2] + r2 - fr.p[j, 2]
    wa0, wa1, wa2 = fr.w[i, 0], fr.w[i, 1], fr.w[i, 2]
    wb0, wb1, wb2 = fr.w[j, 0], fr.w[j, 1], fr.w[j, 2]
    a, b, d = rate_of(S.phi, k, u, nA + nB)
    y0, y1, y2 = rotate(fr.A, i, a, b, d)  # velocity in the frame of A
    n0 = at[A_N]
    n1 = at[A_N + 1]
    n2 = at[A_N + 2]
    q0 = 0.0  # velocity of the foot in the frame of B
    q1 = 0.0
    q2 = 0.0
    if rigid:
        prepare(W.pts, 0, W.A4)
    else:
        for e in range(3):
            q0 += at[A_SHARE + e] * at[A_CORNERS + 3 * e]
            q1 += at[A_SHARE + e] * at[A_CORNERS + 3 * e + 1]
            q2 += at[A_SHARE + e] * at[A_CORNERS + 3 * e + 2]
    # the point moves: translations and turns of A, modes of A
    for m in range(6 + nA):
        t0 = t1 = t2 = 0.0
        if m < 3:
            x0 = 1.0 if m == 0 else 0.0
            x1 = 1.0 if m == 1 else 0.0
            x2 = 1.0 if m == 2 else 0.0
            v0 = v1 = v2 = 0.0
            column = m
        elif m < 6:
            t0 = 1.0 if m == 3 else 0.0
            t1 = 1.0 if m == 4 else 0.0
            t2 = 1.0 if m == 5 else 0.0
            x0, x1, x2 = cross(t0, t1, t2, r0, r1, r2)
            v0, v1, v2 = cross(wa0, wa1, wa2, x0, x1, x2)
            a, b, d = cross(t0, t1, t2, y0, y1, y2)
            v0 += a
            v1 += b
            v2 += d
            column = m
        else:
            x0, x1, x2 = rotate(fr.A, i, S.phi[k, 0, m - 6], S.phi[k, 1, m - 6], S.phi[k, 2, m - 6])
            v0, v1, v2 = cross(wa0, wa1, wa2, x0, x1, x2)
            column = 24 + m - 6
            # the same column of velocities
            _column(
                S,
                W,
                fr,
                (i, j),
                column + nA + nB,
                D,
                0.0,
                (0.0, 0.0, 0.0),
                (0.0, 0.0),
                ((0.0, 0.0, 0.0), (x0, x1, x2)),
                ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
                ((r0, r1, r2), (h0, h1, h2)),
            )
        a, b, d = cross(wb0, wb1, wb2, x0, x1, x2)
        s = z = 0.0
        g0 = g1 = g2 = 0.0
        if rigid:
            dg, g0, g1, g2, e0, e1, e2 = point_rates(
                W.pts, 0, W.A4, (x0, x1, x2), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            )
        else:
            dg = n0 * x0 + n1 * x1 + n2 * x2
            s, z = _by_foot(at, x0, x1, x2)
        _column(
            S,
            W,
            fr,
            (i, j),
            column,
            D,
            dg,
            (g0, g1, g2),
            (s, z),
            ((x0, x1, x2), (v0 - a, v1 - b, v2 - d)),
            ((t0, t1, t2), (0.0, 0.0, 0.0)),
            ((r0, r1, r2), (h0, h1, h2)),
        )
    # what it meets moves
    for m in range(6 + nB):
        t0 = t1 = t2 = 0.0
        v0 = v1 = v2 = 0.0
        s = z = 0.0
        if m < 3:
            d0 = 1.0 if m == 0 else 0.0
            d1 = 1.0 if m == 1 else 0.0
            d2 = 1.0 if m == 2 else 0.0
            v0, v1, v2 = cross(wb0, wb1, wb2, d0, d1, d2)
            column = 6 + m
            if rigid:
                dg, g0, g1, g2, e0, e1, e2 = point_rates(
                    W.pts, 0, W.A4, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (d0, d1, d2), (0.0, 0.0, 0.0)
                )
            else:
                dg, g0, g1, g2, s, z = _of_facet(at, d0, d1, d2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        elif m < 6:
            t0 = 1.0 if m == 3 else 0.0
            t1 = 1.0 if m == 4 else 0.0
            t2 = 1.0 if m == 5 else 0.0
            v0, v1, v2 = cross(t0, t1, t2, q0, q1, q2)
            v0, v1, v2 = -v0, -v1, -v2
            column = 6 + m
            if rigid:
                d0, d1, d2 = cross(
                    t0, t1, t2, W.pts[0, P] - fr.p[j, 0], W.pts[0, P + 1] - fr.p[j, 1], W.pts[0, P + 2] - fr.p[j, 2]
                )
                dg, g0, g1, g2, e0, e1, e2 = point_rates(
                    W.pts, 0, W.A4, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (d0, d1, d2), (t0, t1, t2)
                )
            else:
                # the foot lies at x - g n; corner 0 at the foot less its shares of the edges
                e = A_EDGES
                c0 = h0 - at[A_GAP] * n0 - at[A_SHARE + 1] * at[e] - at[A_SHARE + 2] * at[e + 3]
                c1 = h1 - at[A_GAP] * n1 - at[A_SHARE + 1] * at[e + 1] - at[A_SHARE + 2] * at[e + 4]
                c2 = h2 - at[A_GAP] * n2 - at[A_SHARE + 1] * at[e + 2] - at[A_SHARE + 2] * at[e + 5]
                d0, d1, d2 = cross(t0, t1, t2, c0, c1, c2)
                b0, b1, b2 = cross(t0, t1, t2, at[e], at[e + 1], at[e + 2])
                c0, c1, c2 = cross(t0, t1, t2, at[e + 3], at[e + 4], at[e + 5])
                dg, g0, g1, g2, s, z = _of_facet(at, d0, d1, d2, b0, b1, b2, c0, c1, c2)
        else:
            T = S.tri
            l = int(at[A_WHICH])
            p = m - 6
            d0, d1, d2 = rotate(fr.A, j, S.shapes[T[l, 0], 0, p], S.shapes[T[l, 0], 1, p], S.shapes[T[l, 0], 2, p])
            b0, b1, b2 = rotate(fr.A, j, S.shapes[T[l, 1], 0, p], S.shapes[T[l, 1], 1, p], S.shapes[T[l, 1], 2, p])
            c0, c1, c2 = rotate(fr.A, j, S.shapes[T[l, 2], 0, p], S.shapes[T[l, 2], 1, p], S.shapes[T[l, 2], 2, p])
            column = 24 + nA + p
            o = A_SHARE
            e0 = -(at[o] * d0 + at[o + 1] * b0 + at[o + 2] * c0)
            e1 = -(at[o] * d1 + at[o + 1] * b1 + at[o + 2] * c1)
            e2 = -(at[o] * d2 + at[o + 1] * b2 + at[o + 2] * c2)
            _column(
                S,
                W,
                fr,
                (i, j),
                column + nA + nB,
                D,
                0.0,
                (0.0, 0.0, 0.0),
                (0.0, 0.0),
                ((0.0, 0.0, 0.0), (e0, e1, e2)),
                ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
                ((r0, r1, r2), (h0, h1, h2)),
            )
            dg, g0, g1, g2, s, z = _of_facet(at, d0, d1, d2, b0 - d0, b1 - d1, b2 - d2, c0 - d0, c1 - d1, c2 - d2)
        _column(
            S,
            W,
            fr,
            (i, j),
            column,
            D,
            dg,
            (g0, g1, g2),
            (s, z),
            ((0.0, 0.0, 0.0), (v0, v1, v2)),
            ((0.0, 0.0, 0.0), (t0, t1, t2)),
            ((r0, r1, r2), (h0, h1, h2)),
        )
    # velocities of the frames
    for m in range(12):
        e0 = 1.0 if m % 3 == 0 else 0.0
        e1 = 1.0 if m % 3 == 1 else 0.0
        e2 = 1.0 if m % 3 == 2 else 0.0
        if 3 <= m < 6:
            e0, e1, e2 = cross(e0, e1, e2, r0, r1, r2)
        elif m >= 9:
            e0, e1, e2 = cross(e0, e1, e2, h0, h1, h2)
        sign = 1.0 if m < 6 else -1.0
        _column(
            S,
            W,
            fr,
            (i, j),
            12 + m,
            D,
            0.0,
            (0.0, 0.0, 0.0),
            (0.0, 0.0),
            ((0.0, 0.0, 0.0), (sign * e0, sign * e1, sign * e2)),
            ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
            ((r0, r1, r2), (h0, h1, h2)),
        )


@jit
def _rows(S, W, fr, j, k, columns, D):
    """Rows of forces on modes, from what `_column` left in W.G."""
    at = W.at
    nA = S.big.shape[0]
    G0 = W.G[0, :columns]
    G1 = W.G[1, :columns]
    G2 = W.G[2, :columns]
    for m in range(nA):
        a = S.phi[k, 0, m]
        b = S.phi[k, 1, m]
        c = S.phi[k, 2, m]
        row = D[12 + m]
        for q in range(columns):
            row[q] += a * G0[q] + b * G1[q] + c * G2[q]
    if S.kern.shape[0] > 0:
        return
    G0 = W.G[3, :columns]
    G1 = W.G[4, :columns]
    G2 = W.G[5, :columns]
    H0 = W.G[6, :columns]
    H1 = W.G[7, :columns]
    H2 = W.G[8, :columns]
    f0, f1, f2 = unrotate(fr.A, j, at[A_FORCE], at[A_FORCE + 1], at[A_FORCE + 2])
    l = int(at[A_WHICH])
    X = S.shapes[S.tri[l, 0]]
    Y = S.shapes[S.tri[l, 1]]
    Z = S.shapes[S.tri[l, 2]]
    o = A_SHARE
    for m in range(S.bigB.shape[0]):
        a = at[o] * X[0, m] + at[o + 1] * Y[0, m] + at[o + 2] * Z[0, m]
        b = at[o] * X[1, m] + at[o + 1] * Y[1, m] + at[o + 2] * Z[1, m]
        c = at[o] * X[2, m] + at[o + 1] * Y[2, m] + at[o + 2] * Z[2, m]
        u = X[0, m] * f0 + X[1, m] * f1 + X[2, m] * f2
        v = Y[0, m] * f0 + Y[1, m] * f1 + Y[2, m] * f2
        w = Z[0, m] * f0 + Z[1, m] * f1 + Z[2, m] * f2
        row = D[12 + nA + m]
        for q in range(columns):
            row[q] += a * G0[q] + b * G1[q] + c * G2[q] - u * H0[q] - v * H1[q] - w * H2[q]
