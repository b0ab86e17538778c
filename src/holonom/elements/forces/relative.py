"""Shared by forces that act in the axes of J: relative displacements, the pair of wrenches, and their tangent.

In axes of J, with L = p_i - p_j (Adams Solver manual, BUSHING and FIELD; Adams View, "Constitutive Equations for
Bushings", which calls a, b, c "projected, small-angle rotational displacements": AX, AY, AZ is our reading of it):
    displacements  e = (x, y, z, a, b, c),   x, y, z = A_j' L,   a, b, c = AX, AY, AZ of i in j (projected angles)
    rates          u = (A_j' (v_i - v_j - w_j x L), A_j' (w_i - w_j)),   the first seen by an observer on J
The element acts with force F and torque T at I, and with -F and -T - L x F at J.  Only c may pass 90 degrees, and two
of a, b, c should stay small: turned about two axes, torques along the axes of J are the gradient of no energy.
"""

from __future__ import annotations

from ..._jit import jit
from ..measures import angle, angle_gradient
from ..vectors import cross, rotate, unrotate


@jit
def displacements(i, j, fr, k, ref):
    """(x, y, z, a, b, c) of frame i in frame j; angles near ref[k]."""
    x, y, z = unrotate(fr.A, j, fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2])
    a = angle(21, i, j, fr.A, ref[k, 0])
    b = angle(22, i, j, fr.A, ref[k, 1])
    return x, y, z, a, b, angle(23, i, j, fr.A, ref[k, 2])


@jit
def ground_rates(i, j, fr):
    """v_i - v_j - w_j x L and w_i - w_j, ground axes."""
    c0, c1, c2 = cross(
        fr.w[j, 0], fr.w[j, 1], fr.w[j, 2], fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
    )
    return (
        fr.v[i, 0] - fr.v[j, 0] - c0,
        fr.v[i, 1] - fr.v[j, 1] - c1,
        fr.v[i, 2] - fr.v[j, 2] - c2,
        fr.w[i, 0] - fr.w[j, 0],
        fr.w[i, 1] - fr.w[j, 1],
        fr.w[i, 2] - fr.w[j, 2],
    )


@jit
def rates(i, j, fr):
    """The same in axes of j."""
    s0, s1, s2, w0, w1, w2 = ground_rates(i, j, fr)
    a, b, c = unrotate(fr.A, j, s0, s1, s2)
    d, e, f = unrotate(fr.A, j, w0, w1, w2)
    return a, b, c, d, e, f


@jit
def accept(i, j, fr, ref):
    """Take the angles AX, AY, AZ of all elements as the new reference (n, 3)."""
    for k in range(i.shape[0]):
        for c in range(3):
            ref[k, c] = angle(21 + c, i[k], j[k], fr.A, ref[k, c])


@jit
def place(i, j, fr, W):
    """W[0:6] = (F, T) on i in axes of j -> both wrenches in ground axes, the one on j as the reaction."""
    F0, F1, F2 = rotate(fr.A, j, W[0], W[1], W[2])
    T0, T1, T2 = rotate(fr.A, j, W[3], W[4], W[5])
    m0, m1, m2 = cross(fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2], F0, F1, F2)
    W[0] = F0
    W[1] = F1
    W[2] = F2
    W[3] = T0
    W[4] = T1
    W[5] = T2
    W[6] = -F0
    W[7] = -F1
    W[8] = -F2
    W[9] = -T0 - m0
    W[10] = -T1 - m1
    W[11] = -T2 - m2


@jit
def wrench_power(i, j, fr, W):
    """Power of both wrenches."""
    x = 0.0
    for c in range(3):
        x += W[c] * fr.v[i, c] + W[3 + c] * fr.w[i, c] + W[6 + c] * fr.v[j, c] + W[9 + c] * fr.w[j, c]
    return x


@jit
def angle_rows(i, j, fr, D):
    """Gradients of a, b, c with respect to theta_i - theta_j (ground axes) into D[6:9, 18:21]."""
    for s in range(3):
        D[6 + s, 18], D[6 + s, 19], D[6 + s, 20] = angle_gradient(21 + s, i, j, fr.A)


@jit
def axis_rows(j, fr, D):
    """A_j' into D[6:9, 18:21]."""
    for s in range(3):
        for c in range(3):
            D[6 + s, 18 + c] = fr.A[j, 3 * c + s]


@jit
def fill_tangent(i, j, fr, W, D):
    """Complete D[12, 24] from P = D[0:6, 0:6] and N = D[0:6, 12:18].

    P and N (ground axes) give d(F, T) = P (dL - theta_j x L, theta_i - theta_j) + N du as seen by an observer on j;
    here the turning of his axes, his view of the velocities, and the moving arm L of the reaction are added.
    """
    L0, L1, L2 = fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
    s0, s1, s2, o0, o1, o2 = ground_rates(i, j, fr)
    w0, w1, w2 = fr.w[j, 0], fr.w[j, 1], fr.w[j, 2]
    for r in range(6):
        x0, x1, x2 = D[r, 0], D[r, 1], D[r, 2]
        n0, n1, n2 = D[r, 12], D[r, 13], D[r, 14]
        a0, a1, a2 = cross(L0, L1, L2, x0, x1, x2)
        b0, b1, b2 = cross(s0, s1, s2, n0, n1, n2)
        c0, c1, c2 = cross(o0, o1, o2, D[r, 15], D[r, 16], D[r, 17])
        D[r, 9] = -a0 - b0 - c0 - D[r, 3]
        D[r, 10] = -a1 - b1 - c1 - D[r, 4]
        D[r, 11] = -a2 - b2 - c2 - D[r, 5]
        a0, a1, a2 = cross(w0, w1, w2, n0, n1, n2)
        D[r, 0] = x0 + a0
        D[r, 1] = x1 + a1
        D[r, 2] = x2 + a2
        a0, a1, a2 = cross(L0, L1, L2, n0, n1, n2)
        D[r, 21] = -a0 - D[r, 15]
        D[r, 22] = -a1 - D[r, 16]
        D[r, 23] = -a2 - D[r, 17]
        for c in range(3):
            D[r, 6 + c] = -D[r, c]
            D[r, 18 + c] = -D[r, 12 + c]
    for b in range(0, 6, 3):  # theta_j x F, theta_j x T
        D[b, 10] += W[b + 2]
        D[b, 11] -= W[b + 1]
        D[b + 1, 9] -= W[b + 2]
        D[b + 1, 11] += W[b]
        D[b + 2, 9] += W[b + 1]
        D[b + 2, 10] -= W[b]
    for c in range(24):
        m0, m1, m2 = cross(L0, L1, L2, D[0, c], D[1, c], D[2, c])
        D[9, c] = -D[3, c] - m0
        D[10, c] = -D[4, c] - m1
        D[11, c] = -D[5, c] - m2
        for r in range(3):
            D[6 + r, c] = -D[r, c]
    for c, f in ((0, 1.0), (6, -1.0)):  # -dL x F
        D[9, c + 1] -= f * W[2]
        D[9, c + 2] += f * W[1]
        D[10, c] += f * W[2]
        D[10, c + 2] -= f * W[0]
        D[11, c] -= f * W[1]
        D[11, c + 1] += f * W[0]
