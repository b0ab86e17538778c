"""Geometric stiffness of constraint rows: derivative of G^T lam with respect to positions, for the iteration matrix."""

from __future__ import annotations

import math

from ..._jit import jit
from ..frames import project_tangent, scatter
from ..vectors import cross, unrotate
from .rows import (
    ANGLE,
    DOT1,
    DOT2,
    ELEVATION,
    POINT,
    TWIST,
    X,
    Y,
    _angle,
    _axis_cross,
    _dot_jet,
    _elevation,
    _hat_product,
    _twist_torque,
)


@jit
def _hat(D, r, c, scale, x0, x1, x2):
    """D[r:, c:] += scale * [x], the matrix with [x] d = x cross d"""
    D[r, c + 1] -= scale * x2
    D[r, c + 2] += scale * x1
    D[r + 1, c] += scale * x2
    D[r + 1, c + 2] -= scale * x0
    D[r + 2, c] -= scale * x1
    D[r + 2, c + 1] += scale * x0


@jit
def _add_hat_product(D, r, c, scale, x0, x1, x2, y0, y1, y2, M):
    """D[r:, c:] += scale * [x][y]"""
    _hat_product(M, x0, x1, x2, y0, y1, y2)
    for a in range(3):
        for b in range(3):
            D[r + a, c + b] += scale * M[3 * a + b]


@jit
def _add_cross_tangent(D, scale, fr, i, a, j, b, M):
    """Derivative of the torque (axis a of i) x (axis b of j): its pair on frames i (rows 3:6) and j (rows 9:12,
    minus)."""
    x0 = fr.A[i, a]
    x1 = fr.A[i, 3 + a]
    x2 = fr.A[i, 6 + a]
    y0 = fr.A[j, b]
    y1 = fr.A[j, 3 + b]
    y2 = fr.A[j, 6 + b]
    # d(x cross y) = (dti x x) x y + x x (dtj x y) = [y][x] dti - [x][y] dtj
    for side in range(2):
        r = 3 + 6 * side
        s = scale if side == 0 else -scale
        _add_hat_product(D, r, 3, s, y0, y1, y2, x0, x1, x2, M)
        _add_hat_product(D, r, 9, -s, x0, x1, x2, y0, y1, y2, M)


@jit
def _distance_tangent(D, W, lam, fr, i, j, b, M):
    """wrench and derivative of lam * d/dq of (p_i - p_j) . b_j"""
    b0 = fr.A[j, b]
    b1 = fr.A[j, 3 + b]
    b2 = fr.A[j, 6 + b]
    d0 = fr.p[i, 0] - fr.p[j, 0]
    d1 = fr.p[i, 1] - fr.p[j, 1]
    d2 = fr.p[i, 2] - fr.p[j, 2]
    W[0] = lam * b0
    W[1] = lam * b1
    W[2] = lam * b2
    W[6] = -W[0]
    W[7] = -W[1]
    W[8] = -W[2]
    t0, t1, t2 = cross(b0, b1, b2, d0, d1, d2)
    W[9] = lam * t0
    W[10] = lam * t1
    W[11] = lam * t2
    # db = dtj x b = -[b] dtj
    _hat(D, 0, 9, -lam, b0, b1, b2)
    _hat(D, 6, 9, lam, b0, b1, b2)
    # torque on j: b x d -> [d][b] dtj + [b](dpi - dpj)
    _add_hat_product(D, 9, 9, lam, d0, d1, d2, b0, b1, b2, M)
    _hat(D, 9, 0, lam, b0, b1, b2)
    _hat(D, 9, 6, -lam, b0, b1, b2)


@jit
def _angle_tangent(D, W, lam, fr, i, j, M):
    """wrench and derivative of lam * d(angle)/dq; g = (c u - s v)/(s^2 + c^2), u = x_i x y_j, v = x_i x x_j"""
    angle, rate, second, g0, g1, g2 = _angle(fr, i, j)
    W[3] = lam * g0
    W[4] = lam * g1
    W[5] = lam * g2
    W[9] = -W[3]
    W[10] = -W[4]
    W[11] = -W[5]
    s, sd, sdd = _dot_jet(fr, i, X, j, Y)
    c, cd, cdd = _dot_jet(fr, i, X, j, X)
    u0, u1, u2 = _axis_cross(fr, i, 0, j, 1)
    v0, v1, v2 = _axis_cross(fr, i, 0, j, 0)
    rho = s * s + c * c
    _add_cross_tangent(D, lam * c / rho, fr, i, 0, j, 1, M)
    _add_cross_tangent(D, -lam * s / rho, fr, i, 0, j, 0, M)
    # ds = u . (dti - dtj), dc = v . (dti - dtj)
    for e in range(3):
        ue = u0 if e == 0 else (u1 if e == 1 else u2)
        ve = v0 if e == 0 else (v1 if e == 1 else v2)
        r0 = 2.0 * (s * ue + c * ve)
        for side in range(2):
            k = 3 + 6 * side
            sign = lam / rho if side == 0 else -lam / rho
            for col in range(2):
                q = 3 + 6 * col + e
                x = sign if col == 0 else -sign
                D[k, q] += x * (ve * u0 - ue * v0 - g0 * r0)
                D[k + 1, q] += x * (ve * u1 - ue * v1 - g1 * r0)
                D[k + 2, q] += x * (ve * u2 - ue * v2 - g2 * r0)


@jit
def _elevation_tangent(D, W, lam, fr, i, j, expected, M):
    """wrench and derivative of lam * dq/d(theta), sin q = x_j . z_i; g = u / cos q, u = z_i x x_j, dq = g . (dti -
    dtj)"""
    q, rate, second, g0, g1, g2 = _elevation(fr, i, j, expected)
    c = math.cos(q)
    tangent = math.tan(q)
    _set_torque(W, lam * g0, lam * g1, lam * g2)
    _add_cross_tangent(D, lam / c, fr, i, 2, j, 0, M)
    for e in range(3):
        ge = g0 if e == 0 else (g1 if e == 1 else g2)
        x = lam * tangent * ge
        for side in range(2):
            k = 3 + 6 * side
            for col in range(2):
                sign = x if side == col else -x
                D[k, 3 + 6 * col + e] += sign * g0
                D[k + 1, 3 + 6 * col + e] += sign * g1
                D[k + 2, 3 + 6 * col + e] += sign * g2


@jit
def add_row_stiffness(rows, fr, R, lam, expected, kmap, rmap, tmap, K, ws):
    """K += d(G^T lam)/dq.  kmap (m, 36): positions of the rotational 3x3 blocks ii, ij, ji, jj of POINT and DOT1 rows;
    rmap (m, 144), tmap (terms, 144): positions of full 12x12 blocks of the other rows and of SUM terms."""
    M = ws.M9
    for r in range(rows.m):
        l = lam[r]
        if l == 0.0:
            continue
        kind = rows.kind[r]
        i = rows.fi[r]
        j = rows.fj[r]
        a = rows.a[r]
        b = rows.b[r]
        if kind == POINT:
            for side in range(2):
                f = i if side == 0 else j
                q = fr.body[f]
                _hat_product(M, fr.sb[f, 0], fr.sb[f, 1], fr.sb[f, 2], R[q, 3 * a], R[q, 3 * a + 1], R[q, 3 * a + 2])
                s = l if side == 0 else -l
                o = 27 * side
                for e in range(9):
                    K[kmap[r, o + e]] += s * M[e]
        elif kind == DOT1:
            x0 = fr.Ab[i, a]
            x1 = fr.Ab[i, 3 + a]
            x2 = fr.Ab[i, 6 + a]
            y0 = fr.Ab[j, b]
            y1 = fr.Ab[j, 3 + b]
            y2 = fr.Ab[j, 6 + b]
            bi = fr.body[i]
            bj = fr.body[j]
            e0, e1, e2 = unrotate(R, bi, fr.A[j, b], fr.A[j, 3 + b], fr.A[j, 6 + b])
            _hat_product(M, x0, x1, x2, e0, e1, e2)
            for e in range(9):
                K[kmap[r, e]] += l * M[e]
            e0, e1, e2 = unrotate(R, bj, fr.A[i, a], fr.A[i, 3 + a], fr.A[i, 6 + a])
            _hat_product(M, y0, y1, y2, e0, e1, e2)
            for e in range(9):
                K[kmap[r, 27 + e]] += l * M[e]
            for c in range(3):  # -[x] R_i^T R_j [y], column c
                z0 = 0.0
                z1 = 0.0
                z2 = 0.0
                if c == 0:
                    z1 = y2
                    z2 = -y1
                elif c == 1:
                    z0 = -y2
                    z2 = y0
                else:
                    z0 = y1
                    z1 = -y0
                h0 = R[bj, 0] * z0 + R[bj, 1] * z1 + R[bj, 2] * z2
                h1 = R[bj, 3] * z0 + R[bj, 4] * z1 + R[bj, 5] * z2
                h2 = R[bj, 6] * z0 + R[bj, 7] * z1 + R[bj, 8] * z2
                h0, h1, h2 = unrotate(R, bi, h0, h1, h2)
                h0, h1, h2 = cross(x0, x1, x2, h0, h1, h2)
                K[kmap[r, 9 + c]] -= l * h0
                K[kmap[r, 12 + c]] -= l * h1
                K[kmap[r, 15 + c]] -= l * h2
                K[kmap[r, 18 + 3 * c]] -= l * h0
                K[kmap[r, 19 + 3 * c]] -= l * h1
                K[kmap[r, 20 + 3 * c]] -= l * h2
        elif kind == DOT2 or kind == TWIST:
            _clear(ws)
            if kind == DOT2:
                _distance_tangent(ws.D, ws.W, l, fr, i, j, b, M)
            else:
                t0, t1, t2 = _twist_torque(fr, i, j)
                _set_torque(ws.W, l * t0, l * t1, l * t2)
                _add_cross_tangent(ws.D, l, fr, i, 0, j, 1, M)
                _add_cross_tangent(ws.D, -l, fr, i, 1, j, 0, M)
            _project(fr, R, i, j, rmap, r, K, ws)
    for k in range(rows.tr.shape[0]):
        l = lam[rows.tr[k]] * rows.ts[k]
        if l == 0.0:
            continue
        i = rows.ti[k]
        j = rows.tj[k]
        _clear(ws)
        if rows.tk[k] == ANGLE:
            _angle_tangent(ws.D, ws.W, l, fr, i, j, M)
        elif rows.tk[k] == ELEVATION:
            _elevation_tangent(ws.D, ws.W, l, fr, i, j, expected[k], M)
        else:
            _distance_tangent(ws.D, ws.W, l, fr, i, j, 2, M)
        _project(fr, R, i, j, tmap, k, K, ws)


@jit
def _set_torque(W, t0, t1, t2):
    W[3] = t0
    W[4] = t1
    W[5] = t2
    W[9] = -t0
    W[10] = -t1
    W[11] = -t2


@jit
def _clear(ws):
    for r in range(12):
        ws.W[r] = 0.0
        for c in range(24):
            ws.D[r, c] = 0.0
        for c in range(12):
            ws.KL[r, c] = 0.0
            ws.CL[r, c] = 0.0


@jit
def _project(fr, R, i, j, pmap, k, K, ws):
    ws.idx[0] = i
    ws.idx[1] = j
    project_tangent(fr, R, 2, ws.idx, ws.W, ws.D, 2, ws.KL, ws.CL)
    scatter(pmap, k, 12, ws.KL, 1.0, K)
