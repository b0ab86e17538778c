"""Point on a curve (PTCV): the origin of I stays on a curve c(alpha) fixed to frame R; two equations.

The curve parameter is not an unknown: alpha is the parameter of the nearest point, (rho - c) . c' = 0 with rho the origin
of I in the axes of R.  With n1, n2 normal to the tangent, the rows are n_k . (rho - c) = 0; on the constraint
    d/dt:   n . rho' = 0,           d2/dt2:   n . rho'' = n . c'' alpha'^2,     alpha' = c' . rho' / |c'|^2
(Haug 1989, sec. 3.6, after elimination of alpha).  The reaction is normal to the curve, as Adams' PTCV has it.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...expressions.piecewise import curve_point
from ..vectors import cross, rotate, unrotate
from .rows import _add_slot, _axis_motion


@jit
def nearest_parameter(curves, k, x, y, z, alpha, c):
    """Newton on (rho - c) . c' = 0 from ``alpha``; steps are kept short; c (4, 3) gets point and derivatives."""
    for iteration in range(30):
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
        if step > 0.1:
            step = 0.1
        if step < -0.1:
            step = -0.1
        alpha += step
        if abs(step) < 1e-15:
            break
    curve_point(curves, k, alpha, c)
    return alpha


@jit
def evaluate_curve_rows(rows, rw, curves, fr, R):
    """Rows of all point-on-curve constraints; ``rw.calpha`` is kept from call to call as the starting guess."""
    c = rw.cn[:4]
    for k in range(rows.cr.shape[0]):
        i = rows.ci[k]
        j = rows.crm[k]
        x, y, z = unrotate(fr.A, j, fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2])
        alpha = nearest_parameter(curves, rows.ccurve[k], x, y, z, rw.calpha[k], c)
        rw.calpha[k] = alpha
        d0 = x - c[0, 0]
        d1 = y - c[0, 1]
        d2 = z - c[0, 2]
        speed2 = c[1, 0] ** 2 + c[1, 1] ** 2 + c[1, 2] ** 2
        s = math.sqrt(speed2)
        t0 = c[1, 0] / s
        t1 = c[1, 1] / s
        t2 = c[1, 2] / s
        e = rw.cn[4 + k]
        along = e[0] * t0 + e[1] * t1 + e[2] * t2
        n0 = e[0] - along * t0
        n1 = e[1] - along * t1
        n2 = e[2] - along * t2
        s = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
        n0 /= s
        n1 /= s
        n2 /= s
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
            _add_slot(rw.G, rows.csi[k, which], R, fr.body[i], g0, g1, g2, 0.0, 0.0, 0.0, fr.s[i, 0], fr.s[i, 1], fr.s[i, 2])
            _add_slot(rw.G, rows.csrm[k, which], R, fr.body[j], -g0, -g1, -g2, q0, q1, q2, fr.s[j, 0], fr.s[j, 1], fr.s[j, 2])
