"""Cotangents of the rows of points on curves and of curves on curves (`curves`), as `jets` has those of the others.

Both are functions of products of vectors fixed in bodies: rho = A_j^T (p_i - p_j) of a point, and with it the axes x, y
of I in the axes of J of a pair of curves.  So the cotangents of the jets of these products are what is wanted.

Point on curve, n of a row and its derivative n' by alpha, w = (rho - c) . c'', s = |c'|^2:

    phi = n . (rho - c),   phi' = n . rho',   phi'' = n . rho'' - n . c'' a^2,   a = c' . rho'/s,   phi^ = n . rho^

with d(alpha) = c' . d(rho)/(s - w).  Pair of curves: the two conditions that give its parameters are solved as series
along the motion, of second order; what its rows have of third derivatives follows from six-point differences of these
series over the nine products, on the polynomials of the curves at the contact.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..._six_points import AT, WEIGHTS
from ...expressions.piecewise import coordinate
from ..jets import (
    dot,
    minus,
    plus,
    product_cotangents,
    product_jet,
    pull_axis,
    row_of,
    times,
    turning,
    vector,
)
from .curves import BEHIND, _tangent_and_normal, nearest_parameter, touch
from .jets import axis_jet, distance_jet, pull_distance

STEP = 1e-3  # of the products, in the size of the curves; of the directions


# ---- point on curve --------------------------------------------------------------------------------------------------
@jit
def _weighted(a, x, b, y):
    """a x + b y"""
    return a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]


@jit
def _pull_point_on_curve(S, W, P, k, y, acc, nu, q0, q1, q2, l):
    rows = S.rows
    fr = S.fr
    rw = W.rw
    r = rows.cr[k]
    largest = 0.0
    for c in range(r, r + 2):
        largest = max(largest, max(abs(q0[c]), abs(q1[c])), max(abs(q2[c]), abs(l[c])))
    if largest == 0.0:
        return
    i = rows.ci[k]
    j = rows.crm[k]
    mi = turning(W.R, fr.body[i], y, acc, nu)
    mj = turning(W.R, fr.body[j], y, acc, nu)
    d = distance_jet(fr, i, mi, j, mj, (y, acc, nu))
    jx = product_jet(d, axis_jet(fr, j, 0, mj))
    jy = product_jet(d, axis_jet(fr, j, 1, mj))
    jz = product_jet(d, axis_jet(fr, j, 2, mj))
    rho1 = jx[1], jy[1], jz[1]
    rho2 = jx[2], jy[2], jz[2]
    virtual = jx[3], jy[3], jz[3]
    c = rw.cn[:4]
    present, accepted = rw.calpha[k], rw.calpha[rows.cr.shape[0] + k]
    nearest_parameter(S.curves, rows.ccurve[k], jx[0], jy[0], jz[0], present, accepted, c)
    c1 = row_of(c, 1)
    c2 = row_of(c, 2)
    c3 = row_of(c, 3)
    gap = minus((jx[0], jy[0], jz[0]), row_of(c, 0))
    e = row_of(rw.cn, 4 + k)
    s2, t, n, size = _tangent_and_normal(c, rw.cn[4 + k])
    b = vector(t, n)
    # derivatives of tangent and normals by alpha
    t1 = times(1.0 / math.sqrt(s2), minus(c2, times(dot(c2, t), t)))
    u = times(-1.0, plus(times(dot(e, t1), t), times(dot(e, t), t1)))
    n1 = times(1.0 / size, minus(u, times(dot(n, u), n)))
    b1 = plus(vector(t1, n), vector(t, n1))
    a = dot(c1, rho1) / s2
    a1 = (dot(c2, rho1) - 2.0 * a * dot(c1, c2)) / s2
    N0 = _weighted(q0[r], n, q0[r + 1], b)
    N1 = _weighted(q1[r], n, q1[r + 1], b)
    N2 = _weighted(q2[r], n, q2[r + 1], b)
    NL = _weighted(l[r], n, l[r + 1], b)
    D2 = _weighted(q2[r], n1, q2[r + 1], b1)
    bend = dot(N2, c2)
    slope = dot(_weighted(q0[r], n1, q0[r + 1], b1), gap) - dot(N0, c1)
    slope += dot(_weighted(q1[r], n1, q1[r + 1], b1), rho1) + dot(D2, rho2)
    slope -= (dot(D2, c2) + dot(N2, c3)) * a * a + 2.0 * bend * a * a1
    slope += dot(_weighted(l[r], n1, l[r + 1], b1), virtual)
    e0 = plus(N0, times(slope / (s2 - dot(gap, c2)), c1))
    e1 = minus(N1, times(2.0 * a * bend / s2, c1))
    for axis in range(3):
        given = e0[axis], e1[axis], N2[axis], NL[axis]
        pull_distance(fr, W.R, i, mi, j, mj, d, axis, given, P.out)


# ---- curve on curve --------------------------------------------------------------------------------------------------
# m, m1, m2 (9): origin of I, its axes x and y, in the axes of J, and their derivatives along the motion
@jit
def _local(table, d, c):
    """Point and three derivatives (x, y) a parameter d further, from those of order 0 to 4 in ``table`` (5, 3)."""
    for x in range(2):
        c[0, x] = table[0, x] + d * (
            table[1, x] + d * (table[2, x] / 2.0 + d * (table[3, x] / 6.0 + d * table[4, x] / 24.0))
        )
        c[1, x] = table[1, x] + d * (table[2, x] + d * (table[3, x] / 2.0 + d * table[4, x] / 6.0))
        c[2, x] = table[2, x] + d * (table[3, x] + d * table[4, x] / 2.0)
        c[3, x] = table[3, x] + d * table[4, x]


@jit
def _turned(m, x, y):
    """x, y of I in the axes of J."""
    return (
        m[3] * x + m[6] * y,
        m[4] * x + m[7] * y,
        m[5] * x + m[8] * y,
    )


@jit
def _contact(work, m):
    """Points and derivatives at the contact into work[10:14] of I and work[14:18] of J: Newton's method from where they
    are in work[0:5], work[5:10]."""
    ci = work[10:14]
    cj = work[14:18]
    a = 0.0
    b = 0.0
    for _ in range(8):
        _local(work[0:5], a, ci)
        _local(work[5:10], b, cj)
        p = _turned(m, ci[0, 0], ci[0, 1])
        d0 = m[0] + p[0] - cj[0, 0]
        d1 = m[1] + p[1] - cj[0, 1]
        t = _turned(m, ci[1, 0], ci[1, 1])
        h = _turned(m, ci[2, 0], ci[2, 1])
        f = d0 * cj[1, 0] + d1 * cj[1, 1]
        g = t[1] * cj[1, 0] - t[0] * cj[1, 1]
        fa = t[0] * cj[1, 0] + t[1] * cj[1, 1]
        fb = d0 * cj[2, 0] + d1 * cj[2, 1] - cj[1, 0] ** 2 - cj[1, 1] ** 2
        ga = h[1] * cj[1, 0] - h[0] * cj[1, 1]
        gb = t[1] * cj[2, 0] - t[0] * cj[2, 1]
        det = fa * gb - fb * ga
        da = -(f * gb - fb * g) / det
        db = -(fa * g - f * ga) / det
        a += da
        b += db
        if abs(da) + abs(db) < 1e-15:
            break
    _local(work[0:5], a, ci)
    _local(work[5:10], b, cj)


@jit
def _run(m, m1, m2, v, v1, v2):
    """First and second derivative of m_X v_x + m_Y v_y."""
    p = _turned(m1, v[0], v[1])
    q = _turned(m, v1[0], v1[1])
    first = plus(p, q)
    p = _turned(m2, v[0], v[1])
    q = _turned(m1, v1[0], v1[1])
    r = _turned(m, v2[0], v2[1])
    return first, plus(plus(p, times(2.0, q)), r)


@jit
def _of(c, k, a1, a2):
    """First and second derivative along the motion of the derivative number k by its parameter."""
    first = c[k + 1, 0] * a1, c[k + 1, 1] * a1
    if k == 2:
        return first, (0.0, 0.0)
    return first, (c[k + 2, 0] * a1 * a1 + c[k + 1, 0] * a2, c[k + 2, 1] * a1 * a1 + c[k + 1, 1] * a2)


@jit
def _ratio(q, q1, q2, v, v1, v2):
    """Derivatives of q/|v|."""
    s = math.sqrt(v[0] * v[0] + v[1] * v[1])
    s1 = (v[0] * v1[0] + v[1] * v1[1]) / s
    s2 = (v1[0] * v1[0] + v1[1] * v1[1] + v[0] * v2[0] + v[1] * v2[1] - s1 * s1) / s
    f = q / s
    f1 = (q1 - f * s1) / s
    return f, f1, (q2 - 2.0 * f1 * s1 - f * s2) / s


@jit
def _series(work, m, m1, m2, out):
    """out (3, 3) <- values, first and second derivatives (columns) of the three rows; `_contact` has been called."""
    ci = work[10:14]
    cj = work[14:18]
    a = ci[0, 0], ci[0, 1]
    a_ = ci[1, 0], ci[1, 1]
    b_ = cj[1, 0], cj[1, 1]
    b__ = cj[2, 0], cj[2, 1]
    p = _turned(m, a[0], a[1])
    d = m[0] + p[0] - cj[0, 0], m[1] + p[1] - cj[0, 1], m[2] + p[2]
    t = _turned(m, a_[0], a_[1])
    h = _turned(m, ci[2, 0], ci[2, 1])
    fa = t[0] * b_[0] + t[1] * b_[1]
    fb = d[0] * b__[0] + d[1] * b__[1] - b_[0] ** 2 - b_[1] ** 2
    ga = h[1] * b_[0] - h[0] * b_[1]
    gb = t[1] * b__[0] - t[0] * b__[1]
    det = fa * gb - fb * ga
    a1 = b1 = a2 = b2 = 0.0
    for turn in range(3):  # the first derivatives of the parameters, the second ones, then with both
        v1, v2 = _of(ci, 0, a1, a2)
        w1, w2 = _of(ci, 1, a1, a2)
        x1, x2 = _of(cj, 0, b1, b2)
        z1, z2 = _of(cj, 1, b1, b2)
        d1, d2 = _run(m, m1, m2, a, v1, v2)
        d1 = d1[0] + m1[0] - x1[0], d1[1] + m1[1] - x1[1], d1[2] + m1[2]
        d2 = d2[0] + m2[0] - x2[0], d2[1] + m2[1] - x2[1], d2[2] + m2[2]
        t1, t2 = _run(m, m1, m2, a_, w1, w2)
        if turn == 0:
            f = d1[0] * b_[0] + d1[1] * b_[1]
            g = t1[1] * b_[0] - t1[0] * b_[1]
            a1 = -(f * gb - fb * g) / det
            b1 = -(fa * g - f * ga) / det
        elif turn == 1:
            f = d2[0] * b_[0] + d2[1] * b_[1] + d[0] * z2[0] + d[1] * z2[1]
            f += 2.0 * (d1[0] * z1[0] + d1[1] * z1[1])
            g = t2[1] * b_[0] - t2[0] * b_[1] + t[1] * z2[0] - t[0] * z2[1]
            g += 2.0 * (t1[1] * z1[0] - t1[0] * z1[1])
            a2 = -(f * gb - fb * g) / det
            b2 = -(fa * g - f * ga) / det
    q = b_[0] * d[1] - b_[1] * d[0]
    q1 = z1[0] * d[1] - z1[1] * d[0] + b_[0] * d1[1] - b_[1] * d1[0]
    q2 = z2[0] * d[1] - z2[1] * d[0] + b_[0] * d2[1] - b_[1] * d2[0]
    q2 += 2.0 * (z1[0] * d1[1] - z1[1] * d1[0])
    out[0, 0], out[0, 1], out[0, 2] = _ratio(q, q1, q2, b_, z1, z2)
    out[1, 0] = d[2]
    out[1, 1] = d1[2]
    out[1, 2] = d2[2]
    out[2, 0], out[2, 1], out[2, 2] = _ratio(t[2], t1[2], t2[2], a_, w1, w2)


@jit
def _held(work, jets, weights, series):
    """Weighted sum of values, rates, second derivatives and virtual changes of the rows at given jets."""
    _contact(work, jets[0])
    total = 0.0
    _series(work, jets[0], jets[1], jets[2], series)
    for r in range(3):
        total += weights[0, r] * series[r, 0] + weights[1, r] * series[r, 1] + weights[2, r] * series[r, 2]
    _series(work, jets[0], jets[3], jets[4], series)
    for r in range(3):
        total += weights[3, r] * series[r, 1]
    return total


@jit
def pair_cotangents(work, jets, weights, size, bars):
    """bars (4, 9) <- cotangents of the jets of the nine products: jets (7, 9) begins with these; weights (4, 3) of
    values, rates, second derivatives and virtual changes of the rows; ``size`` of the curves; work (24, 3) begins with
    the curves at the contact, see `_contact`."""
    series = work[18:21]
    turned = work[21:24]
    zero = jets[4]
    unit = jets[5]
    moved = jets[6]
    for c in range(9):
        zero[c] = unit[c] = 0.0
    _contact(work, jets[0])
    _series(work, jets[0], jets[1], zero, series)
    for k in range(9):
        unit[k] = 1.0
        # of second order in rates: f(v + e) - f(v) - f(e) is twice its polar form
        for c in range(9):
            moved[c] = jets[1, c] + unit[c]
        bars[0, k] = bars[1, k] = bars[2, k] = bars[3, k] = 0.0
        _series(work, jets[0], moved, zero, turned)
        for r in range(3):
            bars[1, k] += weights[2, r] * (turned[r, 2] - series[r, 2])
        _series(work, jets[0], unit, zero, turned)
        for r in range(3):
            bars[1, k] += weights[1, r] * turned[r, 1] - weights[2, r] * turned[r, 2]
            bars[2, k] += weights[2, r] * turned[r, 1]
            bars[3, k] += weights[3, r] * turned[r, 1]
        unit[k] = 0.0
    for k in range(9):
        kept = jets[0, k]
        h = STEP * (size if k < 3 else 1.0)
        for s in range(6):
            jets[0, k] = kept + AT[s] * h
            bars[0, k] += WEIGHTS[s] / h * _held(work, jets, weights, series)
        jets[0, k] = kept


@jit
def _pull_pair(S, W, P, k, y, acc, nu, q0, q1, q2, l):
    rows = S.rows
    fr = S.fr
    rw = W.rw
    first = rows.vr[k]
    work = rw.vwork[BEHIND : BEHIND + 24]
    weights = rw.vwork[BEHIND + 24 : BEHIND + 28]
    largest = 0.0
    for r in range(3):
        weights[0, r] = q0[first + r]
        weights[1, r] = q1[first + r]
        weights[2, r] = q2[first + r]
        weights[3, r] = l[first + r]
        for c in range(4):
            largest = max(largest, abs(weights[c, r]))
    if largest == 0.0:
        return
    i = rows.vi[k]
    j = rows.vj[k]
    mi = turning(W.R, fr.body[i], y, acc, nu)
    mj = turning(W.R, fr.body[j], y, acc, nu)
    d = distance_jet(fr, i, mi, j, mj, (y, acc, nu))
    a, b = touch(S.curves, rows.vcurve[k, 0], rows.vcurve[k, 1], fr, i, j, rw.vpar[k], work[0:4], work[5:9])
    for side in range(2):
        curve = rows.vcurve[k, side]
        alpha = a if side == 0 else b
        for c in range(3):
            work[5 * side + 4, c] = coordinate(S.curves.data, S.curves.rows, 6 * curve, c, 2, alpha)[2]
    jets = P.products[:7]
    bars = P.products[7:]
    size = 0.0
    for axis in range(3):
        x = axis_jet(fr, j, axis, mj)
        for g in range(3):
            products = product_jet(d if g == 0 else axis_jet(fr, i, g - 1, mi), x)
            for c in range(4):
                jets[c, 3 * g + axis] = products[c]
        size = max(size, abs(work[0, axis]), abs(work[5, axis]))
    pair_cotangents(work, jets, weights, size, bars)
    for axis in range(3):
        pull_distance(
            fr, W.R, i, mi, j, mj, d, axis, (bars[0, axis], bars[1, axis], bars[2, axis], bars[3, axis]), P.out
        )
        for g in range(1, 3):
            at = 3 * g + axis
            x = axis_jet(fr, i, g - 1, mi)
            z = axis_jet(fr, j, axis, mj)
            e0, e1, e2, eh = product_cotangents(z, bars[0, at], bars[1, at], bars[2, at], bars[3, at])
            pull_axis(fr, W.R, i, x[0], mi, e0, e1, e2, eh, P.out)
            e0, e1, e2, eh = product_cotangents(x, bars[0, at], bars[1, at], bars[2, at], bars[3, at])
            pull_axis(fr, W.R, j, z[0], mj, e0, e1, e2, eh, P.out)


@jit(later="none")
def pull_curve_rows(S, W, P, y, acc, nu, q0, q1, q2, l):
    """Add to ``P.out`` the cotangents of all rows of curves; arguments of `jets.pull_rows`.  P: `system.pull.Pull`."""
    for k in range(S.rows.cr.shape[0]):
        _pull_point_on_curve(S, W, P, k, y, acc, nu, q0, q1, q2, l)
    for k in range(S.rows.vr.shape[0]):
        _pull_pair(S, W, P, k, y, acc, nu, q0, q1, q2, l)
