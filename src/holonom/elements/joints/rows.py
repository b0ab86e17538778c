"""Scalar constraint equations ("rows") from which every joint is composed, with gradient, acceleration term, stiffness.

With p the origins, (x, y, z) the axes and v, w the velocities of the frames I and J:

===========  ==========================================  ===========================================================
kind         equation Phi = 0                            used by
===========  ==========================================  ===========================================================
POINT        (p_i - p_j) . e_c,  e_c a ground axis       revolute, spherical, universal, convel, fixed, at-point
DOT1         a_i . b_j                                   parallelism and perpendicularity (Adams writes ``Zi.Xj``)
DOT2         (p_i - p_j) . b_j - f(t)                    sliding joints, in-line, in-plane, translational motion
TWIST        x_i . y_j - y_i . x_j                       constant-velocity joint
SUM          sum_k s_k q_k - f(t)                        rotational motion, couplers, gears, screw, rack and pinion
CURVE        n_c . (p_i - c(alpha))                      point on curve: alpha is the nearest point (see `curves`)
FUNCTION     f(q, t)                                     general constraints (GCON), user constraints
===========  ==========================================  ===========================================================

where q_k of SUM is a joint coordinate: an angle about z (continuous over turns), a distance along z_j, or the second
angle of the body 1-2-3 sequence that turns J into I, sin q = x_j . z_i (continuous past 90 degrees, where the other two
have no meaning).

Every row gives its gradient G over the bodies it touches (slots of 6: dr, dtheta in body axes), the value ``phi``, the
time derivative at rest ``phit``, and ``gamma`` with  G u' = gamma  (Haug, Computer-Aided Kinematics and Dynamics, 1989,
ch. 9, in the frames notation of `frames`).
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..._jit import jit
from ..bodies.layout import MOVES
from ..measures import nearest
from ..vectors import cross, unrotate

POINT, DOT1, DOT2, TWIST, SUM, CURVE, FUNCTION = range(7)
ANGLE, DISTANCE, ELEVATION = range(3)
X, Y, Z = np.uint32(0), np.uint32(1), np.uint32(2)  # axes, of the type that tables have: one form of a kernel is enough

# kind (m,); fi, fj frames; a, b axis numbers; motion: index of a time function or -1; level: 0 displacement, 1
# velocity, 2 acceleration; si, sj slots (the last slot is a dummy for ground); on: the rows that count, all but for a
# mechanism that moves in a plane (`system.planar`)
# slots: slot_body (ns+1,); rp (m+1,) row -> its slots; body_ptr (n+2,), body_slots: slots of each body, of rows that
# count; slot_row
# terms of SUM rows: tr row, tk kind, ts scale, ti/tj frames, tsi/tsj slots, tref index of the continuous angle
Rows = namedtuple(
    "Rows",
    "m kind fi fj a b motion level si sj on slot_body rp body_ptr body_slots slot_row tr tk ts ti tj tsi tsj "
    "cr ccurve ci crm csi csrm cpos vr vcurve vi vj vsi vsj vpos compliance",
)
# point on curve: cr first row, ccurve, ci point, crm frame of the curve, csi, csrm (k, 2) slots; curve on curve: vr
# first row, vcurve (k, 2), vi, vj frames, vsi, vsj (k, 3) slots; cpos, vpos (k, 144): both bodies in the iteration
# matrix
# compliance (m,): c of rows  G u' = gamma + c lam,  zero of all but inertias of drives a = 1/c, whose multiplier is the
# load a q''; negative: -c times the diagonal of the Schur complement, see `system.kernels.fill_schur`
# evaluated: G (ns+1, 6), phi, phit, gamma (m,), angle, angle_rate (terms), angle_ref (terms, 2) angle and rate when
# last accepted, clock (2): times `ACCEPTED` (of that) and `PRESENT`: a shaft may turn several times within a step;
# motion (nmotion, 3); calpha (2 k): parameters of points on curves, then those accepted; vpar (k, 4) parameters of
# curve pairs, and those accepted; B (ns+1, 6): how the forces of rows act, -B^T lam: the array G itself, but for
# sliding contacts (`contact.unilateral`); soft (m, 2), or (0, 2): share of its own diagonal that the Schur complement
# has more of at each row, and how much that was at last
ACCEPTED, PRESENT = range(2)
INERT = 1e12  # of the diagonal: compliance of a drive that holds nothing
RowWork = namedtuple("RowWork", "G phi phit gamma angle angle_rate angle_ref clock motion calpha cn vpar vwork B soft")


def without_drives(rows: Rows) -> Rows:
    """The rows with inertias of drives that hold nothing: where positions are fitted by sizes."""
    return rows._replace(compliance=np.where(rows.compliance == 0.0, 0.0, -INERT))


@jit
def _add_slot(G, s, R, b, force, torque, arm):
    """Add covector (f on dp, t on dtheta) of a frame at distance s from its body's centre to the slot."""
    f0, f1, f2 = force
    t0, t1, t2 = torque
    s0, s1, s2 = arm
    c0, c1, c2 = cross(s0, s1, s2, f0, f1, f2)
    m0, m1, m2 = unrotate(R, b, c0 + t0, c1 + t1, c2 + t2)
    G[s, 0] += f0
    G[s, 1] += f1
    G[s, 2] += f2
    G[s, 3] += m0
    G[s, 4] += m1
    G[s, 5] += m2


@jit
def _axis_motion(w0, w1, w2, a0, a1, a2):
    """first and second derivative of an axis turning with constant angular velocity"""
    b0, b1, b2 = cross(w0, w1, w2, a0, a1, a2)
    c0, c1, c2 = cross(w0, w1, w2, b0, b1, b2)
    return b0, b1, b2, c0, c1, c2


@jit
def _dot_jet(fr, i, a, j, b):
    """value, rate and bias second derivative of (axis a of frame i) . (axis b of frame j)"""
    a0 = fr.A[i, a]
    a1 = fr.A[i, 3 + a]
    a2 = fr.A[i, 6 + a]
    b0 = fr.A[j, b]
    b1 = fr.A[j, 3 + b]
    b2 = fr.A[j, 6 + b]
    c0, c1, c2, d0, d1, d2 = _axis_motion(fr.w[i, 0], fr.w[i, 1], fr.w[i, 2], a0, a1, a2)
    e0, e1, e2, h0, h1, h2 = _axis_motion(fr.w[j, 0], fr.w[j, 1], fr.w[j, 2], b0, b1, b2)
    x = a0 * b0 + a1 * b1 + a2 * b2
    xd = c0 * b0 + c1 * b1 + c2 * b2 + a0 * e0 + a1 * e1 + a2 * e2
    xdd = d0 * b0 + d1 * b1 + d2 * b2 + 2 * (c0 * e0 + c1 * e1 + c2 * e2) + a0 * h0 + a1 * h1 + a2 * h2
    return x, xd, xdd


@jit
def _distance_jet(fr, i, j, b):
    """value, rate and bias second derivative of (p_i - p_j) . (axis b of frame j)"""
    d0 = fr.p[i, 0] - fr.p[j, 0]
    d1 = fr.p[i, 1] - fr.p[j, 1]
    d2 = fr.p[i, 2] - fr.p[j, 2]
    u0 = fr.v[i, 0] - fr.v[j, 0]
    u1 = fr.v[i, 1] - fr.v[j, 1]
    u2 = fr.v[i, 2] - fr.v[j, 2]
    b0 = fr.A[j, b]
    b1 = fr.A[j, 3 + b]
    b2 = fr.A[j, 6 + b]
    e0, e1, e2, h0, h1, h2 = _axis_motion(fr.w[j, 0], fr.w[j, 1], fr.w[j, 2], b0, b1, b2)
    x = d0 * b0 + d1 * b1 + d2 * b2
    xd = u0 * b0 + u1 * b1 + u2 * b2 + d0 * e0 + d1 * e1 + d2 * e2
    xdd = (
        (fr.ab[i, 0] - fr.ab[j, 0]) * b0
        + (fr.ab[i, 1] - fr.ab[j, 1]) * b1
        + (fr.ab[i, 2] - fr.ab[j, 2]) * b2
        + 2 * (u0 * e0 + u1 * e1 + u2 * e2)
        + d0 * h0
        + d1 * h1
        + d2 * h2
    )
    return x, xd, xdd


@jit(apart=True)
def evaluate_rows(rows, rw, fr, R):
    """Fill G, phi, gamma of all rows; ``phit`` holds only the explicit time derivative.  Motions must be current in
    rw."""
    G = rw.G
    for c in range(6):
        G[G.shape[0] - 1, c] = 0.0
    for k in range(rows.on.shape[0]):
        r = rows.on[k]
        kind = rows.kind[r]
        if kind >= DOT2:  # the others write the same positions each time
            for s in range(rows.rp[r], rows.rp[r + 1]):
                for c in range(6):
                    G[s, c] = 0.0
        i = rows.fi[r]
        j = rows.fj[r]
        si = rows.si[r]
        sj = rows.sj[r]
        a = rows.a[r]
        b = rows.b[r]
        x = 0.0
        xdd = 0.0
        if kind == POINT:
            x = fr.p[i, a] - fr.p[j, a]
            xdd = fr.ab[i, a] - fr.ab[j, a]
            G[si, a] = 1.0
            G[sj, a] = -1.0
            p = 1 if a == 0 else (2 if a == 1 else 0)
            q = 2 if a == 0 else (0 if a == 1 else 1)
            # s x e_a has components  +s_q on p, -s_p on q
            b1 = fr.body[i]
            b2 = fr.body[j]
            for c in range(3):
                G[si, 3 + c] = fr.s[i, q] * R[b1, 3 * p + c] - fr.s[i, p] * R[b1, 3 * q + c]
                G[sj, 3 + c] = -fr.s[j, q] * R[b2, 3 * p + c] + fr.s[j, p] * R[b2, 3 * q + c]
        elif kind == DOT1:
            x, xd, xdd = _dot_jet(fr, i, a, j, b)
            t0, t1, t2 = cross(fr.A[i, a], fr.A[i, 3 + a], fr.A[i, 6 + a], fr.A[j, b], fr.A[j, 3 + b], fr.A[j, 6 + b])
            G[si, 3], G[si, 4], G[si, 5] = unrotate(R, fr.body[i], t0, t1, t2)
            G[sj, 3], G[sj, 4], G[sj, 5] = unrotate(R, fr.body[j], -t0, -t1, -t2)
        elif kind == DOT2:
            x, xdd = _distance_row(G, si, sj, R, fr, i, j, b)
        elif kind == TWIST:
            x, xd, xdd = _dot_jet(fr, i, X, j, Y)
            y, yd, ydd = _dot_jet(fr, i, Y, j, X)
            x -= y
            xdd -= ydd
            t0, t1, t2 = _twist_torque(fr, i, j)
            G[si, 3], G[si, 4], G[si, 5] = unrotate(R, fr.body[i], t0, t1, t2)
            G[sj, 3], G[sj, 4], G[sj, 5] = unrotate(R, fr.body[j], -t0, -t1, -t2)
        rw.phi[r] = x
        rw.gamma[r] = -xdd
        rw.phit[r] = 0.0
    if rows.tr.shape[0] > 0:
        _add_terms(rows, rw, fr, R)
    for k in range(rows.on.shape[0]):
        r = rows.on[k]
        f = rows.motion[r]
        if f >= 0:
            if rows.level[r] == 0:
                rw.phi[r] -= rw.motion[f, 0]
                rw.phit[r] -= rw.motion[f, 1]
                rw.gamma[r] += rw.motion[f, 2]
            elif rows.level[r] == 1:  # the function is the velocity
                rw.phi[r] = 0.0
                rw.phit[r] -= rw.motion[f, 0]
                rw.gamma[r] += rw.motion[f, 1]
            else:
                rw.phi[r] = 0.0
                rw.gamma[r] += rw.motion[f, 0]
        elif rows.level[r] == 2:  # the inertia of a drive
            rw.phi[r] = 0.0


@jit(later="none")
def _add_terms(rows, rw, fr, R):
    """Add the joint coordinates of SUM rows to ``phi``, ``gamma`` and G.  Machines without motions of angles, couplers
    and gears have none, and do not compile this."""
    G = rw.G
    for k in range(rows.tr.shape[0]):
        r = rows.tr[k]
        i = rows.ti[k]
        j = rows.tj[k]
        s = rows.ts[k]
        if rows.tk[k] == ANGLE:
            q, rw.angle_rate[k], qdd, t0, t1, t2 = _angle(fr, i, j)
            expected = rw.angle_ref[k, 0] + rw.angle_ref[k, 1] * (rw.clock[PRESENT] - rw.clock[ACCEPTED])
            q = nearest(q, expected)
            rw.angle[k] = q
            t0 *= s
            t1 *= s
            t2 *= s
            _add_slot(G, rows.tsi[k], R, fr.body[i], (0.0, 0.0, 0.0), (t0, t1, t2), (0.0, 0.0, 0.0))
            _add_slot(G, rows.tsj[k], R, fr.body[j], (0.0, 0.0, 0.0), (-t0, -t1, -t2), (0.0, 0.0, 0.0))
        elif rows.tk[k] == ELEVATION:
            expected = rw.angle_ref[k, 0] + rw.angle_ref[k, 1] * (rw.clock[PRESENT] - rw.clock[ACCEPTED])
            q, rw.angle_rate[k], qdd, t0, t1, t2 = _elevation(fr, i, j, expected)
            rw.angle[k] = q
            t0 *= s
            t1 *= s
            t2 *= s
            _add_slot(G, rows.tsi[k], R, fr.body[i], (0.0, 0.0, 0.0), (t0, t1, t2), (0.0, 0.0, 0.0))
            _add_slot(G, rows.tsj[k], R, fr.body[j], (0.0, 0.0, 0.0), (-t0, -t1, -t2), (0.0, 0.0, 0.0))
        else:
            q, qd, qdd = _distance_jet(fr, i, j, Z)
            rw.angle[k] = q
            _distance_gradient(G, rows.tsi[k], rows.tsj[k], R, fr, i, j, Z, s)
        rw.phi[r] += s * q
        rw.gamma[r] -= s * qdd


@jit(later=("float64", "float64"))
def _distance_row(G, si, sj, R, fr, i, j, b):
    """Value and bias second derivative of a DOT2 row, with its slots of G.  Machines in which nothing slides do not
    compile this."""
    x, xd, xdd = _distance_jet(fr, i, j, b)
    _distance_gradient(G, si, sj, R, fr, i, j, b, 1.0)
    return x, xdd


@jit
def _distance_gradient(G, si, sj, R, fr, i, j, b, s):
    b0 = s * fr.A[j, b]
    b1 = s * fr.A[j, 3 + b]
    b2 = s * fr.A[j, 6 + b]
    t0, t1, t2 = cross(b0, b1, b2, fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2])
    _add_slot(G, si, R, fr.body[i], (b0, b1, b2), (0.0, 0.0, 0.0), (fr.s[i, 0], fr.s[i, 1], fr.s[i, 2]))
    _add_slot(G, sj, R, fr.body[j], (-b0, -b1, -b2), (t0, t1, t2), (fr.s[j, 0], fr.s[j, 1], fr.s[j, 2]))


@jit
def _axis_cross(fr, i, a, j, b):
    return cross(fr.A[i, a], fr.A[i, 3 + a], fr.A[i, 6 + a], fr.A[j, b], fr.A[j, 3 + b], fr.A[j, 6 + b])


@jit
def _twist_torque(fr, i, j):
    u0, u1, u2 = _axis_cross(fr, i, 0, j, 1)
    v0, v1, v2 = _axis_cross(fr, i, 1, j, 0)
    return u0 - v0, u1 - v1, u2 - v2


@jit
def _angle(fr, i, j):
    """angle of x_i about z_j from x_j, its rate and bias second derivative, and its gradient with respect to
    dtheta_i"""
    s, sd, sdd = _dot_jet(fr, i, X, j, Y)
    c, cd, cdd = _dot_jet(fr, i, X, j, X)
    rho = s * s + c * c
    rate = (c * sd - s * cd) / rho
    second = (c * sdd - s * cdd) / rho - 2.0 * rate * (s * sd + c * cd) / rho
    u0, u1, u2 = _axis_cross(fr, i, 0, j, 1)
    v0, v1, v2 = _axis_cross(fr, i, 0, j, 0)
    c /= rho
    s /= rho
    return math.atan2(s, c), rate, second, c * u0 - s * v0, c * u1 - s * v1, c * u2 - s * v2


@jit(entry="Frames, uint32, uint32, float64")
def _elevation(fr, i, j, expected):
    """q with sin q = x_j . z_i near ``expected``, its rate and bias second derivative, and its gradient with respect to
    dtheta_i.

    cos q is the length of the part of z_i across x_j, with the sign of the branch: no roundoff of 1 - sin^2 near 90
    degrees."""
    s, sd, sdd = _dot_jet(fr, i, Z, j, X)
    c = math.hypot(_dot_jet(fr, i, Z, j, Y)[0], _dot_jet(fr, i, Z, j, Z)[0])
    c = max(c, 1e-150)
    near = nearest(math.atan2(s, c), expected)
    far = nearest(math.atan2(s, -c), expected)
    if abs(far - expected) < abs(near - expected):
        near = far
        c = -c
    rate = sd / c
    t0, t1, t2 = _axis_cross(fr, i, 2, j, 0)
    return near, rate, sdd / c + s * rate * rate / c, t0 / c, t1 / c, t2 / c


@jit
def multiply_G(rows, G, z, out):
    """out <- G z of the rows that count, with z MOVES numbers a body (ground last)"""
    for k in range(rows.on.shape[0]):
        r = rows.on[k]
        s = 0.0
        for q in range(rows.rp[r], rows.rp[r + 1]):
            o = MOVES * rows.slot_body[q]
            s += G[q, 0] * z[o] + G[q, 1] * z[o + 1] + G[q, 2] * z[o + 2]
            s += G[q, 3] * z[o + 3] + G[q, 4] * z[o + 4] + G[q, 5] * z[o + 5]
        out[r] = s


@jit
def add_GT(rows, G, lam, F, scale):
    """F += scale * G^T lam"""
    for k in range(rows.on.shape[0]):
        r = rows.on[k]
        x = scale * lam[r]
        if x != 0.0:
            for q in range(rows.rp[r], rows.rp[r + 1]):
                o = MOVES * rows.slot_body[q]
                for c in range(MOVES):
                    F[o + c] += x * G[q, c]


@jit
def _hat_product(M, x0, x1, x2, y0, y1, y2):
    """M <- [x][y] (product of the two cross-product matrices), row order"""
    d = x0 * y0 + x1 * y1 + x2 * y2
    M[0] = y0 * x0 - d
    M[1] = y0 * x1
    M[2] = y0 * x2
    M[3] = y1 * x0
    M[4] = y1 * x1 - d
    M[5] = y1 * x2
    M[6] = y2 * x0
    M[7] = y2 * x1
    M[8] = y2 * x2 - d
