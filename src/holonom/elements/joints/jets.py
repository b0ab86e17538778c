"""Cotangents of constraint rows: of their values, rates and second derivatives along the motion, and of their virtual
work.

For the index-1 equations the second variation of a row is what counts, d(phi'') with accelerations held: it is the
second time derivative of the gradient applied to the variation.  Every kind of row is a function of products of
vectors fixed in bodies (`elements.jets`), so its cotangents follow by the chain rule:

    q0 d(phi) + q1 d(phi') + q2 d(phi'') + l d(nu . G^T)

Angles: alpha = atan2(S, C) with S = x_i . y_j, C = x_i . x_j; elevation: sin q = z_i . x_j.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..jets import (
    axis_of,
    jet_of,
    minus,
    point_jet,
    product_cotangents,
    product_jet,
    pull_axis,
    pull_point,
    times,
    turning,
)
from .rows import ANGLE, DOT1, DOT2, ELEVATION, POINT, TWIST


@jit
def axis_jet(fr, f, k, motion):
    """Jet of axis k of frame f; motion of `turning`."""
    x = axis_of(fr.A, f, k)
    first, second, virtual = jet_of(x, motion[0], motion[1], motion[2])
    return x, first, second, virtual


@jit
def _dot_jet(fr, i, a, mi, j, b, mj):
    return product_jet(axis_jet(fr, i, a, mi), axis_jet(fr, j, b, mj))


@jit
def _pull_dot(fr, R, i, a, mi, j, b, mj, c, out):
    """Of (axis a of frame i) . (axis b of frame j)."""
    x = axis_jet(fr, i, a, mi)
    y = axis_jet(fr, j, b, mj)
    e0, e1, e2, eh = product_cotangents(y, c[0], c[1], c[2], c[3])
    pull_axis(fr, R, i, x[0], mi, e0, e1, e2, eh, out)
    e0, e1, e2, eh = product_cotangents(x, c[0], c[1], c[2], c[3])
    pull_axis(fr, R, j, y[0], mj, e0, e1, e2, eh, out)


@jit
def distance_jet(fr, i, mi, j, mj, state):
    """Jet of p_i - p_j; ``state``: state, accelerations and virtual displacements."""
    p = point_jet(fr, i, mi, state[0], state[1], state[2])
    q = point_jet(fr, j, mj, state[0], state[1], state[2])
    return minus(p[0], q[0]), minus(p[1], q[1]), minus(p[2], q[2]), minus(p[3], q[3])


@jit
def pull_distance(fr, R, i, mi, j, mj, d, b, c, out):
    """Cotangents c of the jet of d . (axis b of frame j), d of `distance_jet`."""
    x = axis_jet(fr, j, b, mj)
    e0, e1, e2, eh = product_cotangents(x, c[0], c[1], c[2], c[3])
    pull_point(fr, R, i, mi, e0, e1, e2, eh, out)
    pull_point(fr, R, j, mj, times(-1.0, e0), times(-1.0, e1), times(-1.0, e2), times(-1.0, eh), out)
    e0, e1, e2, eh = product_cotangents(d, c[0], c[1], c[2], c[3])
    pull_axis(fr, R, j, x[0], mj, e0, e1, e2, eh, out)


@jit
def _pull_angle(fr, R, i, mi, j, mj, q0, q1, q2, l, out):
    S, Sd, Sdd, Sn = _dot_jet(fr, i, 0, mi, j, 1, mj)
    C, Cd, Cdd, Cn = _dot_jet(fr, i, 0, mi, j, 0, mj)
    rho = S * S + C * C
    rate = (C * Sd - S * Cd) / rho
    h = S * Sd + C * Cd
    A = C * Sdd - S * Cdd
    N = C * Sn - S * Cn
    rate_S = (-Cd - 2.0 * S * rate) / rho
    rate_C = (Sd - 2.0 * C * rate) / rho
    s0 = q0 * C / rho + q1 * rate_S + l * (-Cn - 2.0 * S * N / rho) / rho
    s0 += q2 * ((-Cdd - 2.0 * S * A / rho) / rho - 2.0 * (rate_S * h + rate * Sd) / rho)
    s0 += q2 * 4.0 * rate * h * S / (rho * rho)
    c0 = -q0 * S / rho + q1 * rate_C + l * (Sn - 2.0 * C * N / rho) / rho
    c0 += q2 * ((Sdd - 2.0 * C * A / rho) / rho - 2.0 * (rate_C * h + rate * Cd) / rho)
    c0 += q2 * 4.0 * rate * h * C / (rho * rho)
    s1 = q1 * C / rho - 2.0 * q2 * (C * h / rho + rate * S) / rho
    c1 = -q1 * S / rho - 2.0 * q2 * (-S * h / rho + rate * C) / rho
    _pull_dot(fr, R, i, 0, mi, j, 1, mj, (s0, s1, q2 * C / rho, l * C / rho), out)
    _pull_dot(fr, R, i, 0, mi, j, 0, mj, (c0, c1, -q2 * S / rho, -l * S / rho), out)


@jit
def _pull_elevation(fr, R, i, mi, j, mj, angle, q0, q1, q2, l, out):
    S, Sd, Sdd, Sn = _dot_jet(fr, i, 2, mi, j, 0, mj)
    c = math.cos(angle)
    c3 = c * c * c
    s0 = q0 / c + (q1 * Sd + q2 * Sdd + l * Sn) * S / c3 + q2 * Sd * Sd * (1.0 / c3 + 3.0 * S * S / (c3 * c * c))
    _pull_dot(fr, R, i, 2, mi, j, 0, mj, (s0, q1 / c + 2.0 * q2 * S * Sd / c3, q2 / c, l / c), out)


@jit(apart=True)
def pull_rows(S, W, y, acc, nu, q0, q1, q2, l, out):
    """Add to ``out`` the cotangents of all rows that count, with weights q0, q1, q2 of value, rate and second
    derivative and l of the virtual work (m numbers each); rows of curves and of functions are not among them."""
    rows = S.rows
    fr = S.fr
    R = W.R
    for k in range(rows.on.shape[0]):
        r = rows.on[k]
        kind = rows.kind[r]
        if not (kind == POINT or kind == DOT1 or kind == DOT2 or kind == TWIST):
            continue
        a0 = q0[r]
        a1 = q1[r]
        a2 = q2[r]
        ah = l[r]
        if a0 == 0.0 and a1 == 0.0 and a2 == 0.0 and ah == 0.0:
            continue
        i = rows.fi[r]
        j = rows.fj[r]
        mi = turning(R, fr.body[i], y, acc, nu)
        mj = turning(R, fr.body[j], y, acc, nu)
        if kind == POINT:
            e = (
                1.0 if rows.a[r] == 0 else 0.0,
                1.0 if rows.a[r] == 1 else 0.0,
                1.0 if rows.a[r] == 2 else 0.0,
            )
            pull_point(fr, R, i, mi, times(a0, e), times(a1, e), times(a2, e), times(ah, e), out)
            pull_point(fr, R, j, mj, times(-a0, e), times(-a1, e), times(-a2, e), times(-ah, e), out)
        elif kind == DOT1:
            _pull_dot(fr, R, i, rows.a[r], mi, j, rows.b[r], mj, (a0, a1, a2, ah), out)
        elif kind == DOT2:
            d = distance_jet(fr, i, mi, j, mj, (y, acc, nu))
            pull_distance(fr, R, i, mi, j, mj, d, rows.b[r], (a0, a1, a2, ah), out)
        else:
            _pull_dot(fr, R, i, 0, mi, j, 1, mj, (a0, a1, a2, ah), out)
            _pull_dot(fr, R, i, 1, mi, j, 0, mj, (-a0, -a1, -a2, -ah), out)
    for k in range(rows.tr.shape[0]):
        r = rows.tr[k]
        s = rows.ts[k]
        a0 = s * q0[r]
        a1 = s * q1[r]
        a2 = s * q2[r]
        ah = s * l[r]
        if a0 == 0.0 and a1 == 0.0 and a2 == 0.0 and ah == 0.0:
            continue
        i = rows.ti[k]
        j = rows.tj[k]
        mi = turning(R, fr.body[i], y, acc, nu)
        mj = turning(R, fr.body[j], y, acc, nu)
        if rows.tk[k] == ANGLE:
            _pull_angle(fr, R, i, mi, j, mj, a0, a1, a2, ah, out)
        elif rows.tk[k] == ELEVATION:
            _pull_elevation(fr, R, i, mi, j, mj, W.rw.angle[k], a0, a1, a2, ah, out)
        else:
            d = distance_jet(fr, i, mi, j, mj, (y, acc, nu))
            pull_distance(fr, R, i, mi, j, mj, d, 2, (a0, a1, a2, ah), out)
