"""Flexible bodies of a tree: modes as further columns.

A flexible body hangs in the tree by one of its *members*: an attachment, or itself where it floats or a joint holds it.
The link of that member is its *root*; all others, itself among them, are links without freedoms next to it.  With the
root at rest a unit rate of mode k moves member j by Y_jk, a spatial vector in ground axes about the origin of j; with
inertias and wrenches of members (those of their subtrees among them) about the root,

    [I    U_k ]      I = sum_j I_j,    U_k = (E_k, 0) + sum_j I_j Y_jk,
    [U_l  M_kl]      M_kl = delta_kl + Y_ck . (E_l, 0) + (E_k, 0) . Y_cl + sum_j Y_jk . I_j Y_jl

is the mass of root and modes: c is the body itself, E_k = A H_k its coupling of rotation and modes and one the mass of
a mode (`elements.bodies.modes`).  Modes are eliminated before the freedoms of the joint; what is left of I is the
inertia that the joint sees.  Attachments, their accelerations, the coupling and the change of the inertia are the
kernels of `elements.bodies`, so both numberings have the same equations.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .._handle import view_S, view_W
from .._jit import jit
from ..elements.bodies.kinds import tables_at
from ..elements.bodies.layout import MOVES, STATE
from ..elements.bodies.modes import bend_rates, invariants, prepare_attachment, shape, shape_rates, times, turned
from ..elements.bodies.nodes import node_of
from ..elements.vectors import cross, rotate, unrotate

#: roles of links: a rigid body or one without coordinates of its own; root and other members of a flexible body
RIGID, ROOT, MEMBER = range(3)

Flexible = namedtuple("Flexible", "address root carrier node body block square loaded roots members")
Flexible.__doc__ = """address: of the tables of carriers.  Of each link: root: link of the root of its flexible body, -1
of others; carrier: of the root, its number among carriers; node: its number among nodes, -1 of what is none; body: of
the root, the link of the flexible body itself; block: of a member, the first of its rows of Y; square: of the root,
the first of the numbers of M; loaded: 1 where it has an inertia or a subtree.  roots: links; members (n + 1,): first
link behind the members of a root, which follow it."""


def make_flexible(n: int) -> Flexible:
    """Tables of n links that are all rigid."""
    none = lambda: np.full(n, -1, np.int64)
    return Flexible(0, none(), none(), none(), none(), none(), none(), none(), np.zeros(0, np.int64), none())


@jit(forceinline=True)
def nine(A, i):
    """The nine numbers of row i."""
    return A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5], A[i, 6], A[i, 7], A[i, 8]


@jit
def put_product(a, b, A, i):
    """A[i] <- product of two matrices of nine numbers each."""
    A[i, 0] = a[0] * b[0] + a[1] * b[3] + a[2] * b[6]
    A[i, 1] = a[0] * b[1] + a[1] * b[4] + a[2] * b[7]
    A[i, 2] = a[0] * b[2] + a[1] * b[5] + a[2] * b[8]
    A[i, 3] = a[3] * b[0] + a[4] * b[3] + a[5] * b[6]
    A[i, 4] = a[3] * b[1] + a[4] * b[4] + a[5] * b[7]
    A[i, 5] = a[3] * b[2] + a[4] * b[5] + a[5] * b[8]
    A[i, 6] = a[6] * b[0] + a[7] * b[3] + a[8] * b[6]
    A[i, 7] = a[6] * b[1] + a[7] * b[4] + a[8] * b[7]
    A[i, 8] = a[6] * b[2] + a[7] * b[5] + a[8] * b[8]


@jit
def put_three(A, i, x0, x1, x2):
    """A[i] <- x."""
    A[i, 0] = x0
    A[i, 1] = x1
    A[i, 2] = x2


@jit(later="none")
def hang(T, V, q, v, i):
    """Members of the flexible body whose root is the link i, which is placed, at coordinates q and rates v: frames,
    velocities, accelerations while rates of freedoms are constant, columns Y.  Tables of its attachments and its
    invariants are current then; its coordinates and rates are in the state y."""
    F = T.flexible
    handle = tables_at(F.address)
    c = view_W(handle)
    bodies = view_S(handle)
    m = c.modes
    y = V.y
    g = F.carrier[i]
    n = m.count[g]
    tail = STATE * (bodies.n + 1) + c.at[g]
    rate = tail + bodies.tail
    first = T.last[i]
    c0 = T.coordinate[T.halt[i]]
    for k in range(n):
        y[tail + k] = q[c0 + k]
        y[rate + k] = v[first + k]
    invariants(m, g, y, tail, rate)
    own = F.body[i]
    A = c.A
    Y = V.Y
    # the body by which it hangs
    x0, x1, x2 = rotate(V.R, i, T.com[i, 0], T.com[i, 1], T.com[i, 2])
    w0 = V.w[i, 0]
    w1 = V.w[i, 1]
    w2 = V.w[i, 2]
    l0 = V.al[i, 0]
    l1 = V.al[i, 1]
    l2 = V.al[i, 2]
    e0, e1, e2 = cross(w0, w1, w2, x0, x1, x2)
    f0, f1, f2 = cross(w0, w1, w2, e0, e1, e2)
    h0, h1, h2 = cross(l0, l1, l2, x0, x1, x2)
    v0 = V.v[i, 0] + e0
    v1 = V.v[i, 1] + e1
    v2 = V.v[i, 2] + e2
    a0 = V.a[i, 0] + f0 + h0
    a1 = V.a[i, 1] + f1 + h1
    a2 = V.a[i, 2] + f2 + h2
    at0 = V.x[i, 0] + x0
    at1 = V.x[i, 1] + x1
    at2 = V.x[i, 2] + x2
    root = F.node[i]
    if root < 0:
        put_product(nine(V.R, i), nine(T.C, i), A, g)
    else:
        a = -1 - c.nodes.which[root]
        shape(m, a, n, y, tail)
        d0, d1, d2, r0, r1, r2 = shape_rates(m, a, n, y, rate)
        s = m.now[a]
        t0, t1, t2 = turned(s[6], s[3], s[4], s[5], r0, r1, r2)
        put_product(nine(V.R, i), nine(T.C, i), V.turn, 0)  # axes of the attachment
        u0, u1, u2 = unrotate(V.turn, 0, w0, w1, w2)
        u0 -= t0
        u1 -= t1
        u2 -= t2
        f = -0.5 * s[6] * (s[3] * r0 + s[4] * r1 + s[5] * r2)
        b0, b1, b2 = cross(u0, u1, u2, t0, t1, t2)
        h0, h1, h2 = rotate(V.turn, 0, b0 + f * t0, b1 + f * t1, b2 + f * t2)
        l0 -= h0
        l1 -= h1
        l2 -= h2
        w0, w1, w2 = rotate(V.turn, 0, u0, u1, u2)
        R = nine(m.R, a)
        put_product(nine(V.turn, 0), (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]), A, g)
        x0, x1, x2 = rotate(A, g, s[0], s[1], s[2])
        e0, e1, e2 = cross(w0, w1, w2, x0, x1, x2)
        h0, h1, h2 = rotate(A, g, d0, d1, d2)
        v0 -= e0 + h0
        v1 -= e1 + h1
        v2 -= e2 + h2
        f0, f1, f2 = cross(w0, w1, w2, e0 + 2.0 * h0, e1 + 2.0 * h1, e2 + 2.0 * h2)
        d0, d1, d2 = bend_rates(m, a, n, y, rate, 0.0, 0.0, 0.0)
        b0, b1, b2 = rotate(A, g, d0, d1, d2)
        h0, h1, h2 = cross(l0, l1, l2, x0, x1, x2)
        a0 -= f0 + b0 + h0
        a1 -= f1 + b1 + h1
        a2 -= f2 + b2 + h2
        at0 -= x0
        at1 -= x1
        at2 -= x2
        for k in range(9):
            V.R[own, k] = A[g, k]
        put_three(V.x, own, at0, at1, at2)
        put_three(V.w, own, w0, w1, w2)
        put_three(V.v, own, v0, v1, v2)
        put_three(V.al, own, l0, l1, l2)
        put_three(V.a, own, a0, a1, a2)
        put_three(V.d, own, at0 - V.x[i, 0], at1 - V.x[i, 1], at2 - V.x[i, 2])
    o = STATE * T.body[own] + 10
    y[o], y[o + 1], y[o + 2] = unrotate(A, g, w0, w1, w2)
    if root >= 0:
        _prepare(c, g, root, bodies, y, rate)
        # the body moves as the attachment would, the other way round
        J = c.nodes.J[root]
        for k in range(n):
            e0, e1, e2 = rotate(V.turn, 0, J[3, 6 + k], J[4, 6 + k], J[5, 6 + k])
            h0, h1, h2 = cross(e0, e1, e2, x0, x1, x2)
            column = F.block[own] + k
            Y[0, column] = -e0
            Y[1, column] = -e1
            Y[2, column] = -e2
            Y[3, column] = h0 - J[0, 6 + k]
            Y[4, column] = h1 - J[1, 6 + k]
            Y[5, column] = h2 - J[2, 6 + k]
    for j in range(i + 1, F.members[i]):
        node = F.node[j]
        if node < 0:
            continue
        a = -1 - c.nodes.which[node]
        shape(m, a, n, y, tail)
        _prepare(c, g, node, bodies, y, rate)
        s = m.now[a]
        x0, x1, x2 = rotate(A, g, s[0], s[1], s[2])
        put_product(nine(A, g), nine(m.R, a), V.R, j)
        d0, d1, d2, r0, r1, r2 = shape_rates(m, a, n, y, rate)
        t0, t1, t2 = turned(s[6], s[3], s[4], s[5], r0, r1, r2)
        h0, h1, h2 = rotate(V.R, j, t0, t1, t2)
        put_three(V.w, j, w0 + h0, w1 + h1, w2 + h2)
        e0, e1, e2 = cross(w0, w1, w2, x0, x1, x2)
        h0, h1, h2 = rotate(A, g, d0, d1, d2)
        put_three(V.v, j, v0 + e0 + h0, v1 + e1 + h1, v2 + e2 + h2)
        b = c.nodes.bias[node]
        h0, h1, h2 = rotate(V.R, j, b[3], b[4], b[5])
        put_three(V.al, j, l0 + h0, l1 + h1, l2 + h2)
        h0, h1, h2 = cross(l0, l1, l2, x0, x1, x2)
        put_three(V.a, j, a0 + h0 + b[0], a1 + h1 + b[1], a2 + h2 + b[2])
        put_three(V.x, j, at0 + x0, at1 + x1, at2 + x2)
        put_three(V.d, j, at0 + x0 - V.x[i, 0], at1 + x1 - V.x[i, 1], at2 + x2 - V.x[i, 2])
        J = c.nodes.J[node]
        for k in range(n):
            e0, e1, e2 = rotate(V.R, j, J[3, 6 + k], J[4, 6 + k], J[5, 6 + k])
            column = F.block[j] + k
            Y[0, column] = e0
            Y[1, column] = e1
            Y[2, column] = e2
            Y[3, column] = J[0, 6 + k]
            Y[4, column] = J[1, 6 + k]
            Y[5, column] = J[2, 6 + k]
            if root >= 0:
                z = F.block[own] + k
                h0, h1, h2 = cross(Y[0, z], Y[1, z], Y[2, z], x0, x1, x2)
                Y[0, column] += Y[0, z]
                Y[1, column] += Y[1, z]
                Y[2, column] += Y[2, z]
                Y[3, column] += Y[3, z] + h0
                Y[4, column] += Y[4, z] + h1
                Y[5, column] += Y[5, z] + h2
    h = m.wptr[g] + 6 * (n + 1) + 3
    for k in range(n):
        e0, e1, e2 = rotate(A, g, m.B0[h + 3 * k], m.B0[h + 3 * k + 1], m.B0[h + 3 * k + 2])
        V.E[0, first + k] = e0
        V.E[1, first + k] = e1
        V.E[2, first + k] = e2


@jit
def _prepare(c, g, node, bodies, y, rate):
    """J and bias of an attachment, whose shape is current."""
    a = -1 - c.nodes.which[node]
    prepare_attachment(c, g, a, y, rate, STATE * c.body[g], c.nodes.J[node], c.nodes.bias[node])


@jit(later="none")
def bias_frames(T, fr):
    """Accelerations that frames on attachments have at rest of the coordinates, in frames that are seen."""
    c = view_W(tables_at(T.flexible.address))
    for f in range(T.seen.shape[0]):
        k = node_of(c.nodes, fr.body[T.seen[f]])
        if k >= 0:
            for l in range(3):
                fr.ab[T.seen[f], l] += c.nodes.bias[k, l]


@jit(later="none")
def drop_bias(T, acc, i):
    """Acceleration of the link i without what coordinates do not make, as W.acc has that of nodes."""
    node = T.flexible.node[i]
    if node >= 0:
        b = view_W(tables_at(T.flexible.address)).nodes.bias[node]
        for l in range(MOVES):
            acc[MOVES * T.body[i] + l] -= b[l]


@jit(later="none")
def modal_accelerations(T, V, share, acc):
    """Accelerations of the coordinates of flexible bodies into those of the system, ``share`` of `V.acc`."""
    handle = tables_at(T.flexible.address)
    c = view_W(handle)
    bodies = view_S(handle)
    for r in range(T.flexible.roots.shape[0]):
        i = T.flexible.roots[r]
        at = MOVES * (bodies.n + 1) + c.at[T.flexible.carrier[i]]
        for k in range(T.first[i + 1] - T.last[i]):
            acc[at + k] = share * V.acc[T.last[i] + k]


@jit(later="none")
def read_modes(T, y, q, v, i):
    """q, v of the modes whose root is the link i <- those of the state y."""
    handle = tables_at(T.flexible.address)
    c = view_W(handle)
    bodies = view_S(handle)
    tail = STATE * (bodies.n + 1) + c.at[T.flexible.carrier[i]]
    for k in range(T.first[i + 1] - T.last[i]):
        q[T.coordinate[T.halt[i]] + k] = y[tail + k]
        v[T.last[i] + k] = y[tail + bodies.tail + k]


@jit(later="none")
def flexible_inertia(T, V):
    """Change of the inertia of flexible bodies with their coordinates, added to I; U and M of their own masses."""
    F = T.flexible
    c = view_W(tables_at(F.address))
    m = c.modes
    for r in range(F.roots.shape[0]):
        i = F.roots[r]
        g = F.carrier[i]
        own = F.body[i]
        h = m.h[g]
        I = V.I[own]
        A = c.A[g]
        for a in range(3):
            s0, s1, s2 = times(h, 0, A[3 * a], A[3 * a + 1], A[3 * a + 2])
            s0, s1, s2 = rotate(c.A, g, s0, s1, s2)
            if a == 0:
                I[0] += s0
                I[3] += s1
                I[4] += s2
            elif a == 1:
                I[1] += s1
                I[5] += s2
            else:
                I[2] += s2
        n = m.count[g]
        first = T.last[i]
        M = F.square[i]
        for k in range(n):
            e0 = V.E[0, first + k]
            e1 = V.E[1, first + k]
            e2 = V.E[2, first + k]
            U = V.U[first + k]
            U[0] = e0
            U[1] = e1
            U[2] = e2
            U[3] = U[4] = U[5] = 0.0
            row = V.M[M + n * k : M + n * k + k + 1]
            if own == i:
                for l in range(k + 1):
                    row[l] = 0.0
            else:
                b = F.block[own]
                y0, y1, y2 = V.Y[0, b + k], V.Y[1, b + k], V.Y[2, b + k]
                Y0, Y1, Y2 = V.Y[0, b : b + k + 1], V.Y[1, b : b + k + 1], V.Y[2, b : b + k + 1]
                E0, E1, E2 = (
                    V.E[0, first : first + k + 1],
                    V.E[1, first : first + k + 1],
                    V.E[2, first : first + k + 1],
                )
                for l in range(k + 1):
                    row[l] = y0 * E0[l] + y1 * E1[l] + y2 * E2[l] + Y0[l] * e0 + Y1[l] * e1 + Y2[l] * e2
            V.M[M + n * k + k] += 1.0


@jit(later="none")
def flexible_bias(T, V, forces):
    """Wrenches p of flexible bodies += what the change of their inertia requires; efforts that modes require for the
    accelerations at constant rates, less the forces on them, into V.pm."""
    F = T.flexible
    handle = tables_at(F.address)
    c = view_W(handle)
    bodies = view_S(handle)
    m = c.modes
    for r in range(F.roots.shape[0]):
        i = F.roots[r]
        g = F.carrier[i]
        own = F.body[i]
        a0, a1, a2 = unrotate(c.A, g, V.al[own, 0], V.al[own, 1], V.al[own, 2])
        s0, s1, s2 = times(m.h[g], 0, a0, a1, a2)
        s0, s1, s2 = rotate(c.A, g, s0, s1, s2)
        V.p[own, 0] += s0
        V.p[own, 1] += s1
        V.p[own, 2] += s2
        at = MOVES * (bodies.n + 1) + c.at[g]
        for k in range(T.first[i + 1] - T.last[i]):
            f = T.last[i] + k
            V.pm[f] = V.E[0, f] * V.al[own, 0] + V.E[1, f] * V.al[own, 1] + V.E[2, f] * V.al[own, 2] - forces[at + k]


@jit(later="none")
def gather(T, V, j):
    """Inertia and wrench of the member j, its subtree included, as modes see them; they are added to the root after
    this."""
    F = T.flexible
    i = F.root[j]
    first = T.last[i]
    n = T.first[i + 1] - first
    b = F.block[j]
    p0, p1, p2, p3, p4, p5 = V.p[j, 0], V.p[j, 1], V.p[j, 2], V.p[j, 3], V.p[j, 4], V.p[j, 5]
    Y0, Y1, Y2 = V.Y[0, b : b + n], V.Y[1, b : b + n], V.Y[2, b : b + n]
    Y3, Y4, Y5 = V.Y[3, b : b + n], V.Y[4, b : b + n], V.Y[5, b : b + n]
    pm = V.pm[first : first + n]
    for k in range(n):
        pm[k] += Y0[k] * p0 + Y1[k] * p1 + Y2[k] * p2 + Y3[k] * p3 + Y4[k] * p4 + Y5[k] * p5
    if F.loaded[j] == 0:
        return
    I = V.I[j]
    M = F.square[i]
    d0 = V.d[j, 0]
    d1 = V.d[j, 1]
    d2 = V.d[j, 2]
    for k in range(n):
        s0, s1, s2, s3, s4, s5 = Y0[k], Y1[k], Y2[k], Y3[k], Y4[k], Y5[k]
        g0 = I[0] * s0 + I[3] * s1 + I[4] * s2 + I[6] * s3 + I[7] * s4 + I[8] * s5
        g1 = I[3] * s0 + I[1] * s1 + I[5] * s2 + I[9] * s3 + I[10] * s4 + I[11] * s5
        g2 = I[4] * s0 + I[5] * s1 + I[2] * s2 + I[12] * s3 + I[13] * s4 + I[14] * s5
        g3 = I[6] * s0 + I[9] * s1 + I[12] * s2 + I[15] * s3 + I[18] * s4 + I[19] * s5
        g4 = I[7] * s0 + I[10] * s1 + I[13] * s2 + I[18] * s3 + I[16] * s4 + I[20] * s5
        g5 = I[8] * s0 + I[11] * s1 + I[14] * s2 + I[19] * s3 + I[20] * s4 + I[17] * s5
        U = V.U[first + k]
        U[0] += g0 + d1 * g5 - d2 * g4
        U[1] += g1 + d2 * g3 - d0 * g5
        U[2] += g2 + d0 * g4 - d1 * g3
        U[3] += g3
        U[4] += g4
        U[5] += g5
        row = V.M[M + n * k : M + n * k + k + 1]
        for l in range(k + 1):
            row[l] += g0 * Y0[l] + g1 * Y1[l] + g2 * Y2[l] + g3 * Y3[l] + g4 * Y4[l] + g5 * Y5[l]


@jit(later="float64")
def eliminate_modes(T, V, i):
    """Modes of the root i eliminated from its inertia and wrench, the last first; returns 1, not a positive number
    where one moves no mass."""
    first = T.last[i]
    n = T.first[i + 1] - first
    M = T.flexible.square[i]
    I = V.I[i]
    P = V.p[i]
    low = 1.0
    for kk in range(n):
        k = n - 1 - kk
        row = M + n * k
        pivot = V.M[row + k]
        if not (pivot > 0.0):
            low = -1.0 if pivot == pivot else pivot
        r = 1.0 / math.sqrt(pivot)
        U = V.U[first + k]
        for l in range(6):
            U[l] *= r
        z = (V.tau[first + k] - V.pm[first + k]) * r
        V.r[first + k] = r
        V.u[first + k] = z
        for l in range(k):
            x = V.M[row + l] * r
            V.M[row + l] = x
            V.pm[first + l] += x * z
            other = V.U[first + l]
            for e in range(6):
                other[e] -= x * U[e]
            above = V.M[M + n * l : M + n * l + l + 1]
            factors = V.M[row : row + l + 1]
            for e in range(l + 1):
                above[e] -= x * factors[e]
        u0, u1, u2, u3, u4, u5 = U[0], U[1], U[2], U[3], U[4], U[5]
        I[0] -= u0 * u0
        I[1] -= u1 * u1
        I[2] -= u2 * u2
        I[3] -= u0 * u1
        I[4] -= u0 * u2
        I[5] -= u1 * u2
        I[6] -= u0 * u3
        I[7] -= u0 * u4
        I[8] -= u0 * u5
        I[9] -= u1 * u3
        I[10] -= u1 * u4
        I[11] -= u1 * u5
        I[12] -= u2 * u3
        I[13] -= u2 * u4
        I[14] -= u2 * u5
        I[15] -= u3 * u3
        I[16] -= u4 * u4
        I[17] -= u5 * u5
        I[18] -= u3 * u4
        I[19] -= u3 * u5
        I[20] -= u4 * u5
        P[0] += u0 * z
        P[1] += u1 * z
        P[2] += u2 * z
        P[3] += u3 * z
        P[4] += u4 * z
        P[5] += u5 * z
    return low


@jit(later="none")
def solve_modes(T, V, u, out, i):
    """out <- accelerations of the modes of the root i, whose own is in V.da, from half solved efforts u."""
    first = T.last[i]
    n = T.first[i + 1] - first
    a = V.da[i]
    for k in range(n):
        U = V.U[first + k]
        x = u[first + k]
        x -= U[0] * a[0] + U[1] * a[1] + U[2] * a[2] + U[3] * a[3] + U[4] * a[4] + U[5] * a[5]
        row = T.flexible.square[i] + n * k
        for l in range(k):
            x -= V.M[row + l] * out[first + l]
        out[first + k] = x * V.r[first + k]


@jit(later="none")
def follow_modes(T, V, d, out, j):
    """out[j] += small motion of the member j by displacements d (nv) of the modes of its body."""
    i = T.flexible.root[j]
    first = T.last[i]
    b = T.flexible.block[j]
    for k in range(T.first[i + 1] - first):
        x = d[first + k]
        for l in range(6):
            out[j, l] += x * V.Y[l, b + k]


@jit(later="none")
def half_member(T, V, p, z, j):
    """z (nv) of the modes of a flexible body += what the wrench p (6) on its member j does to them."""
    i = T.flexible.root[j]
    first = T.last[i]
    b = T.flexible.block[j]
    for k in range(T.first[i + 1] - first):
        for l in range(6):
            z[first + k] += V.Y[l, b + k] * p[l]


@jit(later="none")
def half_modes(T, V, p, z, out, at, i):
    """out[at:] <- half solved efforts of the modes of the root i, the last first, for efforts z (nv), zero afterwards,
    and the wrench p (6) on it, which is left with what the joint sees."""
    first = T.last[i]
    n = T.first[i + 1] - first
    for kk in range(n):
        k = n - 1 - kk
        x = z[first + k] * V.r[first + k]
        z[first + k] = 0.0
        out[at + kk] = x
        row = T.flexible.square[i] + n * k
        for l in range(k):
            z[first + l] -= V.M[row + l] * x
        U = V.U[first + k]
        for l in range(6):
            p[l] -= U[l] * x
