"""Derivatives of inverse dynamics with respect to coordinates and rates, as kernels over the tree.

Spatial vectors are those of one point for all bodies, so that a small motion of freedom j carries everything behind it
by  x -> S_j x x,  which cancels in the efforts of freedoms that it carries too.  With V, A (A of ground: minus gravity)
before or after freedom j, whichever it does not move, f = I A + V x* I V, and

    eta_j = V x S_j,    beta_j = A x S_j + V x eta_j,    gamma_j = S_j' + eta_j,
    D x = I (x x V) + x x* I V + V x* I x,    I, D, f summed over all that a freedom carries,

    d tau_k / d q_j = S_k . (I_k beta_j + D_k eta_j)                  freedom j carries freedom k
                    = S_k . (I_j beta_j + D_j eta_j + S_j x* f_j)     it does not
    d tau_k / d v_j = S_k . (I gamma_j + D S_j)                       I, D of the one that is farther from ground.

Carpentier and Mansard, Analytical Derivatives of Rigid Body Dynamics Algorithms (RSS 2018); joints of several freedoms
and forces on the bodies are our own addition.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .._jit import jit
from ..elements.bodies.layout import MOVES, STATE
from ..elements.joints.composition import BALL
from ..elements.vectors import cross, rotate
from .kernels import set_inertia

Gradients = namedtuple("Gradients", "S eta beta gamma rate ball V A I D f push forces dq dv")
Gradients.__doc__ = """Of each freedom: S, eta, beta, gamma, rate S' (6) about the root of the first body; ball (nv):
first freedom of the ball it belongs to where its axes move with the body, that less nv - 1 where they do not, nv
elsewhere.  Of each body, ground's last: V, A (6); I, D (36) of all that it carries; f, push (6): wrenches of inertia
and of forces on all that it carries.  forces (n, 6): on each body, without gravity.  dq, dv (nv, nv): results."""


def make_gradients(n: int, nv: int) -> Gradients:
    """Work arrays for n bodies and nv freedoms."""
    z = np.zeros
    six, all6 = (lambda: z((nv, 6))), (lambda: z((n + 1, 6)))
    return Gradients(
        six(), six(), six(), six(), six(), z(nv, np.int64), all6(), all6(), z((n + 1, 36)), z((n + 1, 36)), all6(),
        all6(), z((n, 6)), z((nv, nv)), z((nv, nv)),
    )  # fmt: skip


@jit
def other_forces(T, W, R, gravity, F, out):
    """out (n, 6) <- of the forces F on the bodies, those that are neither gravity nor gyroscopic, about the root of the
    first body; R: principal axes."""
    for i in range(T.n):
        b = T.body[i]
        o = MOVES * b
        y = STATE * b
        m = T.mass[i]
        w0 = W.y[y + 10]
        w1 = W.y[y + 11]
        w2 = W.y[y + 12]
        g0, g1, g2 = cross(w0, w1, w2, T.J[i, 0] * w0, T.J[i, 1] * w1, T.J[i, 2] * w2)
        t0, t1, t2 = rotate(R, b, F[o + 3] + g0, F[o + 4] + g1, F[o + 5] + g2)
        f0 = F[o] - m * gravity[0]
        f1 = F[o + 1] - m * gravity[1]
        f2 = F[o + 2] - m * gravity[2]
        c0, c1, c2 = cross(W.y[y] - W.x[0, 0], W.y[y + 1] - W.x[0, 1], W.y[y + 2] - W.x[0, 2], f0, f1, f2)
        out[i, 0] = t0 + c0
        out[i, 1] = t1 + c1
        out[i, 2] = t2 + c2
        out[i, 3] = f0
        out[i, 4] = f1
        out[i, 5] = f2


@jit
def motion_cross(x, i, y, j, out, k):
    """out[k] += x[i] x y[j], motions."""
    a0, a1, a2 = cross(x[i, 0], x[i, 1], x[i, 2], y[j, 0], y[j, 1], y[j, 2])
    b0, b1, b2 = cross(x[i, 0], x[i, 1], x[i, 2], y[j, 3], y[j, 4], y[j, 5])
    c0, c1, c2 = cross(x[i, 3], x[i, 4], x[i, 5], y[j, 0], y[j, 1], y[j, 2])
    out[k, 0] += a0
    out[k, 1] += a1
    out[k, 2] += a2
    out[k, 3] += b0 + c0
    out[k, 4] += b1 + c1
    out[k, 5] += b2 + c2


@jit
def force_cross(x, i, f, j, out, k):
    """out[k] += x[i] x* f[j], a motion and a wrench."""
    a0, a1, a2 = cross(x[i, 0], x[i, 1], x[i, 2], f[j, 0], f[j, 1], f[j, 2])
    b0, b1, b2 = cross(x[i, 3], x[i, 4], x[i, 5], f[j, 3], f[j, 4], f[j, 5])
    c0, c1, c2 = cross(x[i, 0], x[i, 1], x[i, 2], f[j, 3], f[j, 4], f[j, 5])
    out[k, 0] += a0 + b0
    out[k, 1] += a1 + b1
    out[k, 2] += a2 + b2
    out[k, 3] += c0
    out[k, 4] += c1
    out[k, 5] += c2


@jit
def place_skew(M, i, row, column, x0, x1, x2):
    """M[i], 6 by 6, += [x] at (row, column), with [x] y = x x y."""
    o = 6 * row + column
    M[i, o + 1] -= x2
    M[i, o + 2] += x1
    M[i, o + 6] += x2
    M[i, o + 8] -= x0
    M[i, o + 12] -= x1
    M[i, o + 13] += x0


@jit
def outward_motions(T, W, N, v, acc, gravity):
    """S and V, A of all bodies about the root of the first, for accelerations ``acc`` of the freedoms; eta, beta,
    gamma of freedoms."""
    n = T.n
    S, V, A = N.S, N.V, N.A
    for l in range(3):
        V[n, l] = V[n, 3 + l] = A[n, l] = 0.0
        A[n, 3 + l] = -gravity[l]
    for i in range(n):
        p = T.parent[i]
        d0 = W.x[i, 0] - W.x[0, 0]
        d1 = W.x[i, 1] - W.x[0, 1]
        d2 = W.x[i, 2] - W.x[0, 2]
        for k in range(T.first[i], T.first[i + 1]):
            c0, c1, c2 = cross(d0, d1, d2, W.S[k, 0], W.S[k, 1], W.S[k, 2])
            for l in range(3):
                S[k, l] = W.S[k, l]
            S[k, 3] = W.S[k, 3] + c0
            S[k, 4] = W.S[k, 4] + c1
            S[k, 5] = W.S[k, 5] + c2
        for l in range(6):
            V[i, l] = V[p, l]
            A[i, l] = A[p, l]
        for o in range(T.step[i], T.step[i + 1]):
            k = T.freedom[o]
            ball = T.kind[o] == BALL
            end = k + 3 if ball else k + 1
            if ball and T.reverse[i] != 0:  # axes that do not move with the turn itself
                for j in range(k, end):
                    N.ball[j] = k - T.nv + 1
                    take_rates(N, i, j)
                add_freedoms(N, i, k, end, v, acc)
                for j in range(k, end):
                    take_eta(N, i, j)
            elif ball:
                for j in range(k, end):
                    N.ball[j] = k
                    take_eta(N, i, j)
                for j in range(k, end):  # V after the turn moves them
                    for l in range(6):
                        V[i, l] += S[j, l] * v[j]
                for j in range(k, end):
                    take_rates(N, i, j)
                for j in range(k, end):
                    for l in range(6):
                        A[i, l] += S[j, l] * acc[j] + N.rate[j, l] * v[j]
                        N.gamma[j, l] = N.rate[j, l] + N.eta[j, l]
                continue
            else:
                N.ball[k] = T.nv
                take_rates(N, i, k)
                add_freedoms(N, i, k, end, v, acc)
                take_eta(N, i, k)
            for j in range(k, end):
                for l in range(6):
                    N.gamma[j, l] = N.rate[j, l] + N.eta[j, l]


@jit
def take_rates(N, i, j):
    """rate of freedom j: its axis moves with V of body i as it is."""
    for l in range(6):
        N.rate[j, l] = 0.0
    motion_cross(N.V, i, N.S, j, N.rate, j)


@jit
def add_freedoms(N, i, k, end, v, acc):
    """V and A of body i with freedoms k to end."""
    for j in range(k, end):
        for l in range(6):
            N.A[i, l] += N.S[j, l] * acc[j] + N.rate[j, l] * v[j]
    for j in range(k, end):
        for l in range(6):
            N.V[i, l] += N.S[j, l] * v[j]


@jit
def take_eta(N, i, j):
    """eta and beta of freedom j from V and A of body i as they are."""
    for l in range(6):
        N.eta[j, l] = N.beta[j, l] = 0.0
    motion_cross(N.V, i, N.S, j, N.eta, j)
    motion_cross(N.A, i, N.S, j, N.beta, j)
    motion_cross(N.V, i, N.eta, j, N.beta, j)


@jit
def own_inertia(T, W, N, i):
    """I of body i alone about the root of the first; W.I is that about its own root."""
    I, w = N.I, W.I
    m = T.mass[i]
    c0, c1, c2 = rotate(W.R, i, T.com[i, 0], T.com[i, 1], T.com[i, 2])
    d0 = W.x[i, 0] - W.x[0, 0]
    d1 = W.x[i, 1] - W.x[0, 1]
    d2 = W.x[i, 2] - W.x[0, 2]
    # rotation about the new point: that about the old one, less m ([d][c] + [c][d] + [d][d])
    dc = d0 * c0 + d1 * c1 + d2 * c2
    dd = d0 * d0 + d1 * d1 + d2 * d2
    for l in range(36):
        I[i, l] = 0.0
    diagonal = m * (2.0 * dc + dd)
    I[i, 0] = w[i, 0] + diagonal - m * (2.0 * d0 * c0 + d0 * d0)
    I[i, 7] = w[i, 1] + diagonal - m * (2.0 * d1 * c1 + d1 * d1)
    I[i, 14] = w[i, 2] + diagonal - m * (2.0 * d2 * c2 + d2 * d2)
    I[i, 1] = I[i, 6] = w[i, 3] - m * (d0 * c1 + d1 * c0 + d0 * d1)
    I[i, 2] = I[i, 12] = w[i, 4] - m * (d0 * c2 + d2 * c0 + d0 * d2)
    I[i, 8] = I[i, 13] = w[i, 5] - m * (d1 * c2 + d2 * c1 + d1 * d2)
    c0 = m * (c0 + d0)
    c1 = m * (c1 + d1)
    c2 = m * (c2 + d2)
    place_skew(I, i, 0, 3, c0, c1, c2)
    place_skew(I, i, 3, 0, -c0, -c1, -c2)
    I[i, 21] = I[i, 28] = I[i, 35] = m


@jit
def own_terms(N, i, h, work):
    """D and f of body i alone; h, work (1, 6)."""
    I, D, V, A, f = N.I, N.D, N.V, N.A, N.f
    for r in range(6):
        t = 0.0
        u = 0.0
        for c in range(6):
            t += I[i, 6 * r + c] * V[i, c]
            u += I[i, 6 * r + c] * A[i, c]
        h[0, r] = t
        f[i, r] = u
    force_cross(V, i, h, 0, f, i)
    for l in range(36):
        D[i, l] = 0.0
    place_skew(D, i, 0, 0, -h[0, 0], -h[0, 1], -h[0, 2])
    place_skew(D, i, 0, 3, -h[0, 3], -h[0, 4], -h[0, 5])
    place_skew(D, i, 3, 0, -h[0, 3], -h[0, 4], -h[0, 5])
    for c in range(6):  # V x* I e_c - I (V x e_c), column by column
        for r in range(6):
            work[0, r] = I[i, 6 * r + c]
            work[1, r] = work[2, r] = 0.0
            work[3, r] = 1.0 if r == c else 0.0
        force_cross(V, i, work, 0, work, 1)
        motion_cross(V, i, work, 3, work, 2)
        for r in range(6):
            t = work[1, r]
            for l in range(6):
                t -= I[i, 6 * r + l] * work[2, l]
            D[i, 6 * r + c] += t


@jit
def carries(T, N, j, k):
    """Does freedom j carry freedom k of the same joint?"""
    if N.ball[j] != T.nv and N.ball[j] == N.ball[k]:
        return N.ball[j] >= 0 and k != j
    return k > j


@jit(later="none")
def inverse_gradients(T, W, N, R, F, gravity, v, acc):
    """dq, dv of N <- derivatives of the efforts of `kernels.inverse`; frames, S and forces F of the system are current,
    R: principal axes.  Forces but gravity keep their values here: what they change by is the caller's."""
    set_inertia(T, W)
    other_forces(T, W, R, gravity, F, N.forces)
    n = T.n
    S, I, D, f, push, work = N.S, N.I, N.D, N.f, N.push, W.small
    outward_motions(T, W, N, v, acc, gravity)
    for i in range(n):
        own_inertia(T, W, N, i)
        own_terms(N, i, work[4:5], work)
        for l in range(6):
            push[i, l] = N.forces[i, l]
    for k in range(T.nv):
        for j in range(T.nv):
            N.dq[k, j] = N.dv[k, j] = 0.0
    row = W.U  # of freedom k: S_k I and, in the place of its velocities, S_k D
    for ii in range(n):
        i = n - 1 - ii
        for k in range(T.first[i], T.first[i + 1]):
            for c in range(6):
                a = 0.0
                b = 0.0
                for l in range(6):
                    a += S[k, l] * I[i, 6 * l + c]
                    b += S[k, l] * D[i, 6 * l + c]
                row[k, c] = a
                work[0, c] = b
                work[1, c] = 0.0
                work[2, c] = 0.0
            # c_k = I beta + D eta + S x* f, and I gamma + D S
            force_cross(S, k, f, i, work, 1)
            for r in range(6):
                for l in range(6):
                    a = I[i, 6 * r + l]
                    b = D[i, 6 * r + l]
                    work[1, r] += a * N.beta[k, l] + b * N.eta[k, l]
                    work[2, r] += a * N.gamma[k, l] + b * S[k, l]
            m = i
            while m != n:
                for j in range(T.first[m], T.first[m + 1]):
                    dv = 0.0
                    for l in range(6):
                        dv += row[k, l] * N.gamma[j, l] + work[0, l] * S[j, l]
                    N.dv[k, j] = dv
                    if m != i or carries(T, N, j, k):
                        dq = 0.0
                        for l in range(6):
                            dq += row[k, l] * N.beta[j, l] + work[0, l] * N.eta[j, l]
                            work[3, l] = 0.0
                        motion_cross(S, j, S, k, work, 3)
                        for l in range(6):
                            dq -= work[3, l] * push[i, l]
                        N.dq[k, j] = dq
                    if m != i or not carries(T, N, k, j):  # how the effort of j changes with k
                        dq = 0.0
                        dv = 0.0
                        for l in range(6):
                            dq += S[j, l] * work[1, l]
                            dv += S[j, l] * work[2, l]
                        N.dq[j, k] = dq
                        N.dv[j, k] = dv
                m = T.parent[m]
        p = T.parent[i]
        if p != n:
            for l in range(36):
                I[p, l] += I[i, l]
                D[p, l] += D[i, l]
            for l in range(6):
                f[p, l] += f[i, l]
                push[p, l] += push[i, l]
