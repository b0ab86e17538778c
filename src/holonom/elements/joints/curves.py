"""Point on a curve (PTCV) and curve on curve (CVCV; see `evaluate_curve_pairs`).

Point on a curve: the origin of I stays on a curve c(alpha) fixed to frame R; two equations.

The curve parameter is not an unknown: alpha is the parameter of the nearest point, (rho - c) . c' = 0 with rho the
origin of I in the axes of R.  With n1, n2 normal to the tangent, the rows are n_k . (rho - c) = 0; on the constraint
    d/dt:   n . rho' = 0,           d2/dt2:   n . rho'' = n . c'' alpha'^2,     alpha' = c' . rho' / |c'|^2
(Haug 1989, sec. 3.6, after elimination of alpha).  The reaction is normal to the curve, as Adams' PTCV has it.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...expressions.piecewise import curve_point
from ..bodies.layout import MOVES
from ..frames import (
    STEP,
    displace,
    displacement,
    keep_places,
    project_tangent,
    put_back,
    put_back_body,
    scatter,
    turn_body,
)
from ..vectors import cross, rotate, unrotate
from .rows import _add_slot, _axis_motion

NEAR = 0.1  # length of a parameter within which Newton's method keeps to its branch
MOST = 200  # iterations, of at most that length each
BEHIND = 15  # rows of `vwork` for the rows of a pair; those behind are for their derivatives (`curve_pull`)
PAIR_WORK = BEHIND + 28


@jit
def nearest_parameter(curves, k, x, y, z, present, accepted, c):
    """Newton on (rho - c) . c' = 0, with steps of at most `NEAR`; c (4, 3) gets point and derivatives.

    It begins at the ``present`` parameter where that is near the ``accepted`` one, else at the accepted one: stages of
    a step that was too long leave the present one on another branch.  A point so far away that `MOST` iterations do not
    reach it is sought from the present one.
    """
    alpha = present if abs(present - accepted) < NEAR else accepted
    done = False
    for n in range(2 * MOST):
        if n == MOST:
            alpha = present
        curve_point(curves, k, alpha, c)
        d0 = x - c[0, 0]
        d1 = y - c[0, 1]
        d2 = z - c[0, 2]
        speed = c[1, 0] ** 2 + c[1, 1] ** 2 + c[1, 2] ** 2
        f = d0 * c[1, 0] + d1 * c[1, 1] + d2 * c[1, 2]
        slope = -speed + d0 * c[2, 0] + d1 * c[2, 1] + d2 * c[2, 2]
        if slope > -0.1 * speed:  # far from the curve: descend instead of solving
            slope = -speed
        step = -f / slope
        step = min(max(step, -NEAR), NEAR)
        alpha += step
        if abs(step) < 1e-15 or (done and abs(step) < 1e-13):
            break
        done = abs(step) < 1e-13
    curve_point(curves, k, alpha, c)
    return alpha


@jit
def _tangent_and_normal(c, e):
    """|c'|^2, the unit tangent, the unit normal nearest to direction e, and the length of e across the tangent."""
    speed2 = c[1, 0] ** 2 + c[1, 1] ** 2 + c[1, 2] ** 2
    s = math.sqrt(speed2)
    t0 = c[1, 0] / s
    t1 = c[1, 1] / s
    t2 = c[1, 2] / s
    along = e[0] * t0 + e[1] * t1 + e[2] * t2
    n0 = e[0] - along * t0
    n1 = e[1] - along * t1
    n2 = e[2] - along * t2
    s = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    return speed2, (t0, t1, t2), (n0 / s, n1 / s, n2 / s), s


@jit
def evaluate_curve_rows(rows, rw, curves, fr, R):
    """Rows of all point-on-curve constraints; ``rw.calpha``: the parameters of the last call, then those accepted."""
    c = rw.cn[:4]
    n = rows.cr.shape[0]
    for k in range(rows.cr.shape[0]):
        i = rows.ci[k]
        j = rows.crm[k]
        x, y, z = unrotate(fr.A, j, fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2])
        alpha = nearest_parameter(curves, rows.ccurve[k], x, y, z, rw.calpha[k], rw.calpha[n + k], c)
        rw.calpha[k] = alpha
        d0 = x - c[0, 0]
        d1 = y - c[0, 1]
        d2 = z - c[0, 2]
        speed2, (t0, t1, t2), (n0, n1, n2), _ = _tangent_and_normal(c, rw.cn[4 + k])
        # velocity of rho in the axes of R
        u0 = fr.v[i, 0] - fr.v[j, 0]
        u1 = fr.v[i, 1] - fr.v[j, 1]
        u2 = fr.v[i, 2] - fr.v[j, 2]
        p0 = fr.p[i, 0] - fr.p[j, 0]
        p1 = fr.p[i, 1] - fr.p[j, 1]
        p2 = fr.p[i, 2] - fr.p[j, 2]
        w0, w1, w2 = cross(fr.w[j, 0], fr.w[j, 1], fr.w[j, 2], p0, p1, p2)
        r0, r1, r2 = unrotate(fr.A, j, u0 - w0, u1 - w1, u2 - w2)
        rate = (c[1, 0] * r0 + c[1, 1] * r1 + c[1, 2] * r2) / speed2
        for which in range(2):
            if which == 1:
                n0, n1, n2 = cross(t0, t1, t2, n0, n1, n2)
            row = rows.cr[k] + which
            g0, g1, g2 = rotate(fr.A, j, n0, n1, n2)
            rw.phi[row] = n0 * d0 + n1 * d1 + n2 * d2
            b0, b1, b2, h0, h1, h2 = _axis_motion(fr.w[j, 0], fr.w[j, 1], fr.w[j, 2], g0, g1, g2)
            second = (
                (fr.ab[i, 0] - fr.ab[j, 0]) * g0
                + (fr.ab[i, 1] - fr.ab[j, 1]) * g1
                + (fr.ab[i, 2] - fr.ab[j, 2]) * g2
                + 2 * (u0 * b0 + u1 * b1 + u2 * b2)
                + p0 * h0
                + p1 * h1
                + p2 * h2
            )
            curvature = n0 * c[2, 0] + n1 * c[2, 1] + n2 * c[2, 2]
            rw.gamma[row] = -second + curvature * rate * rate
            rw.phit[row] = 0.0
            # torque on R: n x (p_i - p_j) about its origin
            q0, q1, q2 = cross(g0, g1, g2, p0, p1, p2)
            _add_slot(
                rw.G,
                rows.csi[k, which],
                R,
                fr.body[i],
                (g0, g1, g2),
                (0.0, 0.0, 0.0),
                (fr.s[i, 0], fr.s[i, 1], fr.s[i, 2]),
            )
            _add_slot(
                rw.G,
                rows.csrm[k, which],
                R,
                fr.body[j],
                (-g0, -g1, -g2),
                (q0, q1, q2),
                (fr.s[j, 0], fr.s[j, 1], fr.s[j, 2]),
            )


# ---- curve on curve --------------------------------------------------------------------------------------------------
@jit
def _in_plane(c, fr, f, lever, t, n):
    """Contact on the curve of frame f, from c (point and derivatives in its axes): ``lever`` from the frame's origin,
    unit tangent t, n = z x t (ground axes).  Returns curvature and its derivative over arc length."""
    lever[0], lever[1], lever[2] = rotate(fr.A, f, c[0, 0], c[0, 1], c[0, 2])
    s2 = c[1, 0] ** 2 + c[1, 1] ** 2
    s = math.sqrt(s2)
    x = c[1, 0] / s
    y = c[1, 1] / s
    t[0], t[1], t[2] = rotate(fr.A, f, x, y, 0.0)
    n[0], n[1], n[2] = rotate(fr.A, f, -y, x, 0.0)
    k = (c[1, 0] * c[2, 1] - c[1, 1] * c[2, 0]) / (s2 * s)
    dk = (c[1, 0] * c[3, 1] - c[1, 1] * c[3, 0]) / (s2 * s) - 3.0 * k * (c[1, 0] * c[2, 0] + c[1, 1] * c[2, 1]) / s2
    return k, dk / s


@jit
def touch(curves, ki, kj, fr, i, j, present, ci, cj):
    """Parameters (alpha, beta) where the tangents are parallel and the joining line is normal: Newton from present[:2],
    or from the accepted present[2:] as `nearest_parameter` does."""
    a = present[0]
    b = present[1]
    if max(abs(a - present[2]), abs(b - present[3])) >= NEAR:
        a = present[2]
        b = present[3]
    done = False
    o0, o1, o2 = unrotate(fr.A, j, fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2])
    # x and y of the axes x, y of I, in axes of J
    x0, x1, x2 = unrotate(fr.A, j, fr.A[i, 0], fr.A[i, 3], fr.A[i, 6])
    y0, y1, y2 = unrotate(fr.A, j, fr.A[i, 1], fr.A[i, 4], fr.A[i, 7])
    for n in range(2 * MOST):
        if n == MOST:
            a = present[0]
            b = present[1]
        curve_point(curves, ki, a, ci)
        curve_point(curves, kj, b, cj)
        d0 = o0 + x0 * ci[0, 0] + y0 * ci[0, 1] - cj[0, 0]
        d1 = o1 + x1 * ci[0, 0] + y1 * ci[0, 1] - cj[0, 1]
        t0 = x0 * ci[1, 0] + y0 * ci[1, 1]
        t1 = x1 * ci[1, 0] + y1 * ci[1, 1]
        h0 = x0 * ci[2, 0] + y0 * ci[2, 1]
        h1 = x1 * ci[2, 0] + y1 * ci[2, 1]
        f = d0 * cj[1, 0] + d1 * cj[1, 1]
        g = t1 * cj[1, 0] - t0 * cj[1, 1]
        fa = t0 * cj[1, 0] + t1 * cj[1, 1]
        fb = d0 * cj[2, 0] + d1 * cj[2, 1] - cj[1, 0] ** 2 - cj[1, 1] ** 2
        ga = h1 * cj[1, 0] - h0 * cj[1, 1]
        gb = t1 * cj[2, 0] - t0 * cj[2, 1]
        det = fa * gb - fb * ga
        if det == 0.0:
            break
        da = -(f * gb - fb * g) / det
        db = -(fa * g - f * ga) / det
        size = max(abs(da), abs(db))
        if size > NEAR:
            da *= NEAR / size
            db *= NEAR / size
        a += da
        b += db
        if size < 1e-15 or (done and size < 1e-13):  # rounding of the parameters may not let it become less
            break
        done = size < 1e-13
    curve_point(curves, ki, a, ci)
    curve_point(curves, kj, b, cj)
    return a, b


@jit
def evaluate_curve_pairs(rows, rw, curves, fr, R):
    """Rows of all curve-on-curve constraints: normal gap, gap out of the plane of J, tangent of I in the plane of J.

    Both curves are planar, in the xy planes of their frames.  alpha, beta are not unknowns: they solve d . t_j = 0 and
    t_i . n_j = 0, with d = P_i - P_j between the points, t, n = z x t tangents and normals.  Then
        Phi_1 = n_j . d,   Phi_2 = z_j . d,   Phi_3 = z_j . t_i,
    three equations, as the Adams/View manual counts ("removes three degrees of freedom").  With a, b the speeds at
    which the contact runs along the curves, found from the derivative of the two conditions, and a', b' from the
    second,
        Phi_1' = n_j . (V_i - V_j) + (w_j x n_j) . d    (the contact's own motion drops out),
        Phi_3'' = z'' . t_i + 2 z' . t_i' + z . t_i'',   t_i' = w_i x t_i + k_i n_i a   (Frenet; k curvature), and so
            on.
    """
    for k in range(rows.vr.shape[0]):
        _evaluate_pair(rows, rw, curves, fr, R, k)


@jit
def _evaluate_pair(rows, rw, curves, fr, R, k):
    """Rows of one curve-on-curve constraint."""
    w = rw.vwork
    ci = w[0:4]
    cj = w[4:8]
    li = w[8]
    lj = w[9]
    ti = w[10]
    tj = w[11]
    ni = w[12]
    nj = w[13]
    e = w[14]
    i = rows.vi[k]
    j = rows.vj[k]
    a, b = touch(curves, rows.vcurve[k, 0], rows.vcurve[k, 1], fr, i, j, rw.vpar[k], ci, cj)
    rw.vpar[k, 0] = a
    rw.vpar[k, 1] = b
    ki, dki = _in_plane(ci, fr, i, li, ti, ni)
    kj, dkj = _in_plane(cj, fr, j, lj, tj, nj)
    z = (fr.A[j, 2], fr.A[j, 5], fr.A[j, 8])
    wi = (fr.w[i, 0], fr.w[i, 1], fr.w[i, 2])
    wj = (fr.w[j, 0], fr.w[j, 1], fr.w[j, 2])
    d = (
        fr.p[i, 0] + li[0] - fr.p[j, 0] - lj[0],
        fr.p[i, 1] + li[1] - fr.p[j, 1] - lj[1],
        fr.p[i, 2] + li[2] - fr.p[j, 2] - lj[2],
    )
    t = (ti[0], ti[1], ti[2])
    n = (nj[0], nj[1], nj[2])
    s = (tj[0], tj[1], tj[2])
    m = (ni[0], ni[1], ni[2])
    # relative velocity and bias acceleration of the points of the bodies at the contact
    x = _cross(wi, (li[0], li[1], li[2]))
    y = _cross(wj, (lj[0], lj[1], lj[2]))
    v = (
        fr.v[i, 0] + x[0] - fr.v[j, 0] - y[0],
        fr.v[i, 1] + x[1] - fr.v[j, 1] - y[1],
        fr.v[i, 2] + x[2] - fr.v[j, 2] - y[2],
    )
    x = _cross(wi, x)
    y = _cross(wj, y)
    acc = (
        fr.ab[i, 0] + x[0] - fr.ab[j, 0] - y[0],
        fr.ab[i, 1] + x[1] - fr.ab[j, 1] - y[1],
        fr.ab[i, 2] + x[2] - fr.ab[j, 2] - y[2],
    )
    tau = _dot(t, s)
    nu = _dot(m, n)
    zt = _dot(z, t)
    zm = _dot(z, m)
    phi = _dot(n, d)
    h = 1.0 - kj * phi
    det = h * ki * nu - kj * tau * tau
    tn = _cross(t, n)
    ws = _cross(wj, s)
    r1 = -_dot(v, s) - _dot(ws, d)
    r2 = -(wi[0] - wj[0]) * tn[0] - (wi[1] - wj[1]) * tn[1] - (wi[2] - wj[2]) * tn[2]
    pa = (h * r2 - kj * tau * r1) / det
    pb = (tau * r2 - ki * nu * r1) / det
    # first and second derivatives of directions and of d, without the second derivatives of the parameters
    wt = _cross(wi, t)
    t1 = _sum(wt, m, ki * pa)
    m1 = _sum(_cross(wi, m), t, -ki * pa)
    s1 = _sum(ws, n, kj * pb)
    n1 = _sum(_cross(wj, n), s, -kj * pb)
    z1 = _cross(wj, z)
    z2 = _cross(wj, z1)
    d1 = _sum(_sum(v, t, pa), s, -pb)
    d2 = _sum(_sum(acc, wt, 2.0 * pa), ws, -2.0 * pb)
    d2 = _sum(_sum(d2, m, ki * pa * pa), n, -kj * pb * pb)
    t2 = _sum(_sum(_cross(wi, t1), m, dki * pa * pa), m1, ki * pa)
    n2 = _sum(_sum(_cross(wj, n1), s, -dkj * pb * pb), s1, -kj * pb)
    s2 = _sum(_sum(_cross(wj, s1), n1, kj * pb), n, dkj * pb * pb)
    r1 = -_dot(d2, s) - 2.0 * _dot(d1, s1) - _dot(s2, d)
    r2 = -_dot(t2, n) - 2.0 * _dot(t1, n1) - _dot(t, n2)
    qa = (h * r2 - kj * tau * r1) / det
    qb = (tau * r2 - ki * nu * r1) / det
    d2 = _sum(_sum(d2, t, qa), s, -qb)
    t2 = _sum(t2, m, ki * qa)
    n2 = _sum(n2, s, -kj * qb)
    row = rows.vr[k]
    rw.phi[row] = phi
    rw.phi[row + 1] = _dot(z, d)
    rw.phi[row + 2] = zt
    rw.gamma[row] = -_dot(n2, d) - 2.0 * _dot(n1, d1) - _dot(n, d2)
    rw.gamma[row + 1] = -_dot(z2, d) - 2.0 * _dot(z1, d1) - _dot(z, d2)
    rw.gamma[row + 2] = -_dot(z2, t) - 2.0 * _dot(z1, t1) - _dot(z, t2)
    for q in range(3):
        rw.phit[row + q] = 0.0
    # covectors: f on the points at the contact (I plus, J minus), torque g on I, its reaction and d x f on J
    for q in range(3):
        ca = 0.0  # share of the contact's run along I
        if q == 0:
            f = n
            g = (0.0, 0.0, 0.0)
        elif q == 1:
            f = z
            g = (0.0, 0.0, 0.0)
            ca = zt
        else:
            f = (0.0, 0.0, 0.0)
            g = _cross(t, z)
            ca = ki * zm
        ca /= det
        f = _sum(f, s, ca * kj * tau)
        g = _sum(g, tn, -ca * h)
        x = _cross(f, d)
        e[0] = x[0] - g[0]
        e[1] = x[1] - g[1]
        e[2] = x[2] - g[2]
        _add_slot(
            rw.G,
            rows.vsi[k, q],
            R,
            fr.body[i],
            (f[0], f[1], f[2]),
            (g[0], g[1], g[2]),
            (fr.s[i, 0] + li[0], fr.s[i, 1] + li[1], fr.s[i, 2] + li[2]),
        )
        _add_slot(
            rw.G,
            rows.vsj[k, q],
            R,
            fr.body[j],
            (-f[0], -f[1], -f[2]),
            (e[0], e[1], e[2]),
            (fr.s[j, 0] + lj[0], fr.s[j, 1] + lj[1], fr.s[j, 2] + lj[2]),
        )


@jit
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def _cross(a, b):
    return cross(a[0], a[1], a[2], b[0], b[1], b[2])


@jit
def _sum(a, b, s):
    """a + s b"""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


# ---- derivatives of reactions ----------------------------------------------------------------------------------------
@jit
def add_curve_stiffness(rows, rw, curves, fr, R, lam, K, ws):
    """K += d(G^T lam)/dq of points on curves.  The force F = A_j (lam_1 n_1 + lam_2 n_2) turns with the curve, and with
    its normals as the point runs along it: dalpha = c' . drho / (|c'|^2 - (rho - c) . c'').  Rows must be current."""
    c = rw.cn[:4]
    D = ws.D
    KL = ws.KL
    CL = ws.CL
    w = ws.wrench
    frames = ws.frames
    for k in range(rows.cr.shape[0]):
        l0 = lam[rows.cr[k]]
        l1 = lam[rows.cr[k] + 1]
        if l0 == 0.0 and l1 == 0.0:
            continue
        i = rows.ci[k]
        j = rows.crm[k]
        P = fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
        x, y, z = unrotate(fr.A, j, P[0], P[1], P[2])
        curve_point(curves, rows.ccurve[k], rw.calpha[k], c)
        speed2, t, n, across = _tangent_and_normal(c, rw.cn[4 + k])
        e = rw.cn[4 + k, 0], rw.cn[4 + k, 1], rw.cn[4 + k, 2]
        bend = c[2, 0], c[2, 1], c[2, 2]
        s = math.sqrt(speed2)
        t1 = _sum((bend[0] / s, bend[1] / s, bend[2] / s), t, -_dot(bend, t) / s)
        m1 = _sum((-_dot(e, t1) * t[0], -_dot(e, t1) * t[1], -_dot(e, t1) * t[2]), t1, -_dot(e, t))
        n1 = _sum(m1, n, -_dot(m1, n))
        n1 = n1[0] / across, n1[1] / across, n1[2] / across
        b1 = _sum(_cross(t1, n), _cross(t, n1), 1.0)
        force = _sum((l0 * n[0], l0 * n[1], l0 * n[2]), _cross(t, n), l1)
        F = rotate(fr.A, j, force[0], force[1], force[2])
        change = _sum((l0 * n1[0], l0 * n1[1], l0 * n1[2]), b1, l1)
        B = rotate(fr.A, j, change[0], change[1], change[2])
        T = rotate(fr.A, j, c[1, 0], c[1, 1], c[1, 2])
        q = 1.0 / (speed2 - _dot((x - c[0, 0], y - c[0, 1], z - c[0, 2]), bend))
        for r in range(12):
            for col in range(12):
                KL[r, col] = 0.0
                CL[r, col] = 0.0
        for col in range(9):  # moves of i, of j, turns of j
            a = col % 3
            one = 1.0 if a == 0 else 0.0, 1.0 if a == 1 else 0.0, 1.0 if a == 2 else 0.0
            still = 0.0, 0.0, 0.0
            sign = 1.0 if col < 3 else -1.0
            dP = (sign * one[0], sign * one[1], sign * one[2]) if col < 6 else still
            seen = dP if col < 6 else _sum(still, _cross(one, P), -1.0)
            dF = _sum(_cross(one, F) if col >= 6 else still, B, q * _dot(T, seen))
            dT = _sum(_cross(dF, P), _cross(F, dP), 1.0)
            at = a if col < 3 else 3 + col
            for r in range(3):
                D[r, at] = dF[r]
                D[6 + r, at] = -dF[r]
                D[9 + r, at] = dT[r]
        torque = _cross(F, P)
        for r in range(3):
            w[r] = F[r]
            w[6 + r] = -F[r]
            w[9 + r] = torque[r]
        frames[0] = i
        frames[1] = j
        project_tangent(fr, R, 2, frames, w, D, 2, KL, CL)
        scatter(rows.cpos, k, 12, KL, 1.0, K)


@jit
def add_pair_stiffness(rows, rw, curves, fr, R, lam, K, ws):
    """K += d(G^T lam)/dq of curves on curves, by differences of G over moves of both bodies: what the contact's run
    along both curves adds has third derivatives of the curves.  Rows must be current and are left so."""
    if rows.vr.shape[0] == 0:
        return
    keep_places(fr, R, ws)
    G = rw.G
    for k in range(rows.vr.shape[0]):
        row = rows.vr[k]
        if lam[row] == 0.0 and lam[row + 1] == 0.0 and lam[row + 2] == 0.0:
            continue
        lo = rows.rp[row]
        hi = rows.rp[row + 3]
        for c in range(4):
            ws.wrench[c] = rw.vpar[k, c]
        for q in range(3):
            ws.phi[0, q] = rw.phi[row + q]
            ws.phi[1, q] = rw.gamma[row + q]
        for q in range(lo, hi):
            for r in range(MOVES):
                ws.G[q - lo, r] = G[q, r]
        size = 0.0  # of the levers
        for c in range(3):
            size = max(size, abs(rw.vwork[8, c]), abs(rw.vwork[9, c]))
        for side in range(2):
            frame = rows.vi[k] if side == 0 else rows.vj[k]
            b = fr.body[frame]
            for c in range(MOVES):
                h = STEP * (size if c < 3 else 1.0)
                for sign in (1.0, -1.0):
                    axis = displacement(R, b, c, sign * h)
                    displace(fr, frame, c, axis)
                    turn_body(R, b, c, axis)
                    for q in range(lo, hi):
                        for r in range(MOVES):
                            G[q, r] = 0.0
                    _evaluate_pair(rows, rw, curves, fr, R, k)
                    put_back(fr, frame, ws)
                    put_back_body(R, b, ws)
                    for e in range(4):
                        rw.vpar[k, e] = ws.wrench[e]
                    for q in range(3):
                        x = sign * lam[row + q] / (2.0 * h)
                        for at in range(2):
                            slot = rows.vsi[k, q] if at == 0 else rows.vsj[k, q]
                            if slot < lo or slot >= hi:
                                continue
                            for r in range(MOVES):
                                K[rows.vpos[k, 12 * (MOVES * at + r) + MOVES * side + c]] += x * G[slot, r]
        for q in range(3):
            rw.phi[row + q] = ws.phi[0, q]
            rw.gamma[row + q] = ws.phi[1, q]
        for q in range(lo, hi):
            for r in range(MOVES):
                G[q, r] = ws.G[q - lo, r]
