"""Frames: what joints, forces and measures see of a body.

A frame (of a marker) has, in ground axes, an origin ``p``, axes ``A``, velocity ``v``, angular velocity ``w``,
acceleration ``a`` and angular acceleration ``al``.  Elements return wrenches, scalars and their derivatives *with
respect to frames*; only this module knows how a frame moves with its body, so a new kind of body is a change here and
nowhere else.

Perturbations of a frame are (dp, dtheta, dv, dw, da, dal), all in ground axes; dtheta is the rotation vector with
dA = dtheta x A.  A *covector* is the gradient of a scalar with respect to them: three numbers for each.

A rigid body b (centre of mass r, quaternion, velocity v, angular velocity W in body axes) offers, with s = p - r,
    p = r + A_b s_b,   v = r' + w x s,   w = A_b W,   a = r'' + al x s + w x (w x s),   al = A_b W'
and its own perturbations are (dr, dtheta_b, dr', dW, dr'', dW'), rotations in *body* axes (HOUSE.md, notation).
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .._jit import jit
from .bodies.layout import MOVES, STATE
from .vectors import cross, rotate, unrotate

#: numbers of a wrench on a frame (force, torque at its origin), and of a frame's displacement (dp, dtheta)
WRENCH = 6

# body: index of the carrying body (the last body is ground); sb, Ab: position in the body's principal axes.
# p, A, s, v, w, ab: evaluated; ab = w x (w x s), the acceleration that remains when the body's own is zero.
# a, al: accelerations, filled by `accelerate_frames` only.  turned: frames whose A, v and w are requested (0: only p,
# s, ab).
Frames = namedtuple("Frames", "body sb Ab p A s v w ab a al turned")


def make_frames(body, sb, Ab) -> Frames:
    """Frames of ``n`` markers: ``body`` (n,), ``sb`` (n, 3) and ``Ab`` (n, 9) in the principal axes of the body."""
    n = len(body)
    z = lambda k: np.zeros((n, k))
    return Frames(
        np.asarray(body, np.uint32),
        np.ascontiguousarray(sb),
        np.ascontiguousarray(Ab),
        z(3),
        z(9),
        z(3),
        z(3),
        z(3),
        z(3),
        z(3),
        z(3),
        np.ones(n, np.uint8),
    )


@jit(entry="Frames, float64[::1], float64[:, ::1]")
def update_frames(fr, y, R):
    """`update_frame` of all frames."""
    for k in range(fr.body.shape[0]):
        update_frame(fr, k, y, R)


@jit(forceinline=True)
def update_frame(fr, k, y, R):
    """Evaluate p, A, s, v, w, ab of frame k from the state ``y`` and body rotations ``R`` (nb+1, 9)."""
    b = fr.body[k]
    o = STATE * b
    s0, s1, s2 = rotate(R, b, fr.sb[k, 0], fr.sb[k, 1], fr.sb[k, 2])
    fr.s[k, 0] = s0
    fr.s[k, 1] = s1
    fr.s[k, 2] = s2
    fr.p[k, 0] = y[o] + s0
    fr.p[k, 1] = y[o + 1] + s1
    fr.p[k, 2] = y[o + 2] + s2
    w0, w1, w2 = rotate(R, b, y[o + 10], y[o + 11], y[o + 12])
    c0, c1, c2 = cross(w0, w1, w2, s0, s1, s2)
    fr.ab[k, 0], fr.ab[k, 1], fr.ab[k, 2] = cross(w0, w1, w2, c0, c1, c2)
    if not fr.turned[k]:
        return
    fr.w[k, 0] = w0
    fr.w[k, 1] = w1
    fr.w[k, 2] = w2
    fr.v[k, 0] = y[o + 7] + c0
    fr.v[k, 1] = y[o + 8] + c1
    fr.v[k, 2] = y[o + 9] + c2
    for i in range(0, 9, 3):
        x = R[b, i]
        z = R[b, i + 1]
        q = R[b, i + 2]
        for j in range(3):
            fr.A[k, i + j] = x * fr.Ab[k, j] + z * fr.Ab[k, 3 + j] + q * fr.Ab[k, 6 + j]


@jit
def accelerate_frames(fr, acc, R):
    """Evaluate a, al of all frames from body accelerations ``acc`` (r'' and W' in body axes of each body)."""
    for k in range(fr.body.shape[0]):
        b = fr.body[k]
        o = MOVES * b
        e0, e1, e2 = rotate(R, b, acc[o + 3], acc[o + 4], acc[o + 5])
        fr.al[k, 0] = e0
        fr.al[k, 1] = e1
        fr.al[k, 2] = e2
        c0, c1, c2 = cross(e0, e1, e2, fr.s[k, 0], fr.s[k, 1], fr.s[k, 2])
        fr.a[k, 0] = acc[o] + c0 + fr.ab[k, 0]
        fr.a[k, 1] = acc[o + 1] + c1 + fr.ab[k, 1]
        fr.a[k, 2] = acc[o + 2] + c2 + fr.ab[k, 2]


@jit
def add_wrench(fr, R, k, f0, f1, f2, t0, t1, t2, Q):
    """Add a wrench on frame ``k`` (force and torque at its origin, ground axes) to the generalised forces ``Q``.

    Q holds of each body: force in ground axes, moment about the centre of mass in body axes.
    """
    b = fr.body[k]
    m0, m1, m2 = cross(fr.s[k, 0], fr.s[k, 1], fr.s[k, 2], f0, f1, f2)
    m0, m1, m2 = unrotate(R, b, m0 + t0, m1 + t1, m2 + t2)
    o = MOVES * b
    Q[o] += f0
    Q[o + 1] += f1
    Q[o + 2] += f2
    Q[o + 3] += m0
    Q[o + 4] += m1
    Q[o + 5] += m2


@jit
def pull_back(fr, R, k, g, o, out, q):
    """Covector on frame ``k`` (12 numbers at g[o:]: dp, dtheta, dv, dw) -> gradient on its body (12 at out[q:], added).

    out: (dr, dtheta_b) then (dr', dW), rotations in body axes.  From
    dv = dr' + dw x s + w x (dtheta x s),  dw = A_b dW + dtheta x w,  dp = dr + dtheta x s.
    """
    b = fr.body[k]
    s0 = fr.s[k, 0]
    s1 = fr.s[k, 1]
    s2 = fr.s[k, 2]
    w0 = fr.w[k, 0]
    w1 = fr.w[k, 1]
    w2 = fr.w[k, 2]
    # g_v . (w x (dtheta x s)) = dtheta . (s x (g_v x w));  (g_w + s x g_v) . (dtheta x w) = dtheta . (w x (g_w + s x
    # g_v))
    v0 = g[o + 6]
    v1 = g[o + 7]
    v2 = g[o + 8]
    c0, c1, c2 = cross(v0, v1, v2, w0, w1, w2)
    c0, c1, c2 = cross(s0, s1, s2, g[o] + c0, g[o + 1] + c1, g[o + 2] + c2)
    e0, e1, e2 = cross(s0, s1, s2, v0, v1, v2)
    d0, d1, d2 = cross(w0, w1, w2, g[o + 9] + e0, g[o + 10] + e1, g[o + 11] + e2)
    m0, m1, m2 = unrotate(R, b, c0 + d0 + g[o + 3], c1 + d1 + g[o + 4], c2 + d2 + g[o + 5])
    out[q] += g[o]
    out[q + 1] += g[o + 1]
    out[q + 2] += g[o + 2]
    out[q + 3] += m0
    out[q + 4] += m1
    out[q + 5] += m2
    m0, m1, m2 = unrotate(R, b, e0 + g[o + 9], e1 + g[o + 10], e2 + g[o + 11])
    out[q + 6] += v0
    out[q + 7] += v1
    out[q + 8] += v2
    out[q + 9] += m0
    out[q + 10] += m1
    out[q + 11] += m2


@jit
def project_tangent(fr, R, nf, idx, W, D, nrows, K, C):
    """Wrenches on frames and their derivatives with respect to frames -> derivatives with respect to body coordinates.

    ``idx`` (nf,) frames; ``W`` (6*nrows,) wrench on each of the first ``nrows`` frames; ``D`` (6*nrows, 12*nf): columns
    (dp, dtheta) of every frame in turn (6*nf), then (dv, dw) of every frame.  Adds to ``K``, ``C`` (6*nrows, 6*nf):
    derivative of the generalised force with respect to (dr, dtheta_b) and (dr', dW) of each frame's body.
    """
    for f in range(nf):
        k = idx[f]
        b = fr.body[k]
        s0 = fr.s[k, 0]
        s1 = fr.s[k, 1]
        s2 = fr.s[k, 2]
        w0 = fr.w[k, 0]
        w1 = fr.w[k, 1]
        w2 = fr.w[k, 2]
        pc = WRENCH * f
        vc = WRENCH * (nf + f)
        for c in range(12):
            # frame perturbation of body coordinate c: dp, dt (rotation), dv, dw
            p0 = p1 = p2 = t0 = t1 = t2 = v0 = v1 = v2 = u0 = u1 = u2 = 0.0
            if c < 3:
                p0 = 1.0 if c == 0 else 0.0
                p1 = 1.0 if c == 1 else 0.0
                p2 = 1.0 if c == 2 else 0.0
            elif c < 6:
                t0 = R[b, c - 3]
                t1 = R[b, c]
                t2 = R[b, c + 3]
                p0, p1, p2 = cross(t0, t1, t2, s0, s1, s2)
                u0, u1, u2 = cross(t0, t1, t2, w0, w1, w2)
                v0, v1, v2 = cross(w0, w1, w2, p0, p1, p2)
                x0, x1, x2 = cross(u0, u1, u2, s0, s1, s2)
                v0 += x0
                v1 += x1
                v2 += x2
            elif c < 9:
                v0 = 1.0 if c == 6 else 0.0
                v1 = 1.0 if c == 7 else 0.0
                v2 = 1.0 if c == 8 else 0.0
            else:
                u0 = R[b, c - 9]
                u1 = R[b, c - 6]
                u2 = R[b, c - 3]
                v0, v1, v2 = cross(u0, u1, u2, s0, s1, s2)
            for row in range(nrows):
                a = idx[row]
                ba = fr.body[a]
                o = WRENCH * row
                f0 = f1 = f2 = m0 = m1 = m2 = 0.0
                for e in range(6):
                    r = o + e
                    x = D[r, vc] * v0 + D[r, vc + 1] * v1 + D[r, vc + 2] * v2
                    x += D[r, vc + 3] * u0 + D[r, vc + 4] * u1 + D[r, vc + 5] * u2
                    if c < 6:
                        x += D[r, pc] * p0 + D[r, pc + 1] * p1 + D[r, pc + 2] * p2
                        x += D[r, pc + 3] * t0 + D[r, pc + 4] * t1 + D[r, pc + 5] * t2
                    if e == 0:
                        f0 = x
                    elif e == 1:
                        f1 = x
                    elif e == 2:
                        f2 = x
                    elif e == 3:
                        m0 = x
                    elif e == 4:
                        m1 = x
                    else:
                        m2 = x
                x0, x1, x2 = cross(fr.s[a, 0], fr.s[a, 1], fr.s[a, 2], f0, f1, f2)
                m0 += x0
                m1 += x1
                m2 += x2
                if row == f and 3 <= c < 6:  # the lever turns with the body, and so do its axes
                    x0, x1, x2 = cross(p0, p1, p2, W[o], W[o + 1], W[o + 2])
                    y0, y1, y2 = cross(s0, s1, s2, W[o], W[o + 1], W[o + 2])
                    y0, y1, y2 = cross(t0, t1, t2, y0 + W[o + 3], y1 + W[o + 4], y2 + W[o + 5])
                    m0 += x0 - y0
                    m1 += x1 - y1
                    m2 += x2 - y2
                m0, m1, m2 = unrotate(R, ba, m0, m1, m2)
                if c < 6:
                    q = MOVES * f + c
                    K[o, q] += f0
                    K[o + 1, q] += f1
                    K[o + 2, q] += f2
                    K[o + 3, q] += m0
                    K[o + 4, q] += m1
                    K[o + 5, q] += m2
                else:
                    q = MOVES * (f - 1) + c
                    C[o, q] += f0
                    C[o + 1, q] += f1
                    C[o + 2, q] += f2
                    C[o + 3, q] += m0
                    C[o + 4, q] += m1
                    C[o + 5, q] += m2


@jit
def scatter(positions, k, n, local, scale, data):
    """data[positions[k, :]] += scale * local (n x n, row order); the dummy position collects what belongs to ground"""
    for r in range(n):
        for c in range(n):
            data[positions[k, n * r + c]] += scale * local[r, c]


# ---- displaced bodies ------------------------------------------------------------------------------------------------
#: of differences of gradients of rows, in radians and in lengths
STEP = 1e-4

Displaced = namedtuple("Displaced", "p A s v w R G phi D KL CL wrench frames")
Displaced.__doc__ = """Work of derivatives of rows by displacements: copies of frames and rotations for `put_back`;
G (slots, 6), phi (2, 3) gradients and values; D, KL, CL, wrench, frames: of
`project_tangent`."""


def make_displaced(fr, bodies: int, slots: int) -> Displaced:
    """Work for as many bodies (ground included) and slots; none of 0 slots."""
    z = np.zeros
    n, b = (len(fr.body), bodies) if slots else (0, 0)
    return Displaced(
        z((n, 3)), z((n, 9)), z((n, 3)), z((n, 3)), z((n, 3)), z((b, 9)), z((slots, MOVES)), z((2, 3)),
        z((12, 24)), z((12, 12)), z((12, 12)), z(12), z(2, np.int64),
    )  # fmt: skip


@jit
def keep_places(fr, R, kept):
    """Copy what `displace` changes, for `put_back`."""
    for k in range(fr.body.shape[0]):
        for c in range(3):
            kept.p[k, c] = fr.p[k, c]
            kept.s[k, c] = fr.s[k, c]
            kept.v[k, c] = fr.v[k, c]
            kept.w[k, c] = fr.w[k, c]
        for c in range(9):
            kept.A[k, c] = fr.A[k, c]
    for b in range(R.shape[0]):
        for c in range(9):
            kept.R[b, c] = R[b, c]


@jit
def put_back(fr, k, kept):
    """Undo `displace` of frame k, to the bit."""
    for c in range(3):
        fr.p[k, c] = kept.p[k, c]
        fr.s[k, c] = kept.s[k, c]
        fr.v[k, c] = kept.v[k, c]
        fr.w[k, c] = kept.w[k, c]
    for c in range(9):
        fr.A[k, c] = kept.A[k, c]


@jit
def put_back_body(R, b, kept):
    """Undo `turn_body`, to the bit."""
    for c in range(9):
        R[b, c] = kept.R[b, c]


@jit
def _turn_of(M, k, x, C):
    """M[k], axes or (n, 3) a vector in each of its ``C`` columns, turned by the rotation vector x."""
    angle = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) ** 0.5
    a = math.sin(angle) / angle
    b = (1.0 - math.cos(angle)) / (angle * angle)
    for c in range(C):
        v0, v1, v2 = M[k, c], M[k, C + c], M[k, 2 * C + c]
        u0, u1, u2 = cross(x[0], x[1], x[2], v0, v1, v2)
        t0, t1, t2 = cross(x[0], x[1], x[2], u0, u1, u2)
        M[k, c] = v0 + a * u0 + b * t0
        M[k, C + c] = v1 + a * u1 + b * t1
        M[k, 2 * C + c] = v2 + a * u2 + b * t2


@jit
def displacement(R, b, c, h):
    """Ground vector of a displacement by h of body b in its coordinate c: 0-5 (dr, dtheta), 6-11 (dr', dW)."""
    a = c % 3
    if c < 3 or 6 <= c < 9:
        return h if a == 0 else 0.0, h if a == 1 else 0.0, h if a == 2 else 0.0
    return h * R[b, a], h * R[b, 3 + a], h * R[b, 6 + a]


@jit
def turn_body(R, b, c, x):
    """Rotation of a body displaced by `displacement` x in its coordinate c."""
    if 3 <= c < 6:
        _turn_of(R, b, x, 3)


@jit
def displace(fr, k, c, x):
    """Frame k of a body displaced by `displacement` x in its coordinate c; (r', W) are held in displacements.
    Accelerations and ``ab`` are left."""
    if c < 3:
        for e in range(3):
            fr.p[k, e] += x[e]
    elif c < 6:
        for sign in range(2):  # p = r + s, v = r' + w x s
            f = 1.0 if sign == 1 else -1.0
            if sign == 1:
                _turn_of(fr.s, k, x, 1)
                _turn_of(fr.w, k, x, 1)
                _turn_of(fr.A, k, x, 3)
            v0, v1, v2 = cross(fr.w[k, 0], fr.w[k, 1], fr.w[k, 2], fr.s[k, 0], fr.s[k, 1], fr.s[k, 2])
            fr.v[k, 0] += f * v0
            fr.v[k, 1] += f * v1
            fr.v[k, 2] += f * v2
            for e in range(3):
                fr.p[k, e] += f * fr.s[k, e]
    elif c < 9:
        for e in range(3):
            fr.v[k, e] += x[e]
    else:
        v0, v1, v2 = cross(x[0], x[1], x[2], fr.s[k, 0], fr.s[k, 1], fr.s[k, 2])
        fr.v[k, 0] += v0
        fr.v[k, 1] += v1
        fr.v[k, 2] += v2
        for e in range(3):
            fr.w[k, e] += x[e]
