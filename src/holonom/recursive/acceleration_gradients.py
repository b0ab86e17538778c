"""Derivatives of the accelerations of a tree with respect to coordinates and rates, as kernels: those of inverse
dynamics (`gradients`), with what the forces on the bodies change by, through the mass matrix and the equations over the
tree (`row_gradients`); without these

    d a/dq = -H^-1 (d tau/dq - dQ/dq),    d a/dv = -H^-1 (d tau/dv - dQ/dv).

Stiffness and damping of the forces are those of the implicit methods, K and C between the motions of bodies.  With B_j
the motions of the bodies for unit rates of freedom j, and U_j what their velocities change by when it is displaced, the
forces on the bodies change by -(K B_j + C U_j) and -C B_j.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from .._jit import jit
from ..elements.bodies import layout
from ..elements.bodies.layout import MOVES
from ..elements.vectors import cross, rotate, unrotate
from ..linalg.dense_lu import factor_dense, solve_dense
from ..system.implicit import Implicit
from ..system.part_calls import FORCES, add_stiffness
from .gradients import inverse_gradients
from .kernels import Tree, composite, write_state
from .row_gradients import (
    add_row_changes,
    add_stiffness_of_rows,
    begin_row_gradients,
    half_inverse,
    hold_rows,
    make_row_gradients,
)
from .tree import carried_bodies

Couplings = namedtuple(
    "Couplings",
    "forced at row column carries rows live live_row live_column k d move speed change rate wrench turned right out",
)
Couplings.__doc__ = """forced (1): 1 where forces but gravity act on bodies; at, row, column (c,): entries of K and
C between bodies, and their moves; carries (n, nv): 1 for bodies that a freedom carries; rows:
`row_gradients.RowGradients`.  Work: live (1): how many of the entries are not zero, live_row, live_column (c,) their
moves, k, d (c,) their values; move, speed, change, rate (bodies.moves); wrench, turned (n + 1, 6); right, out (nv)."""


def make_couplings(system: Any, solver: Implicit, tree: Tree, rows: np.ndarray) -> Couplings:
    """Tables of a system over its tree with the ``rows`` (k,), whose matrices are those of ``solver``."""
    p, n, nv = solver.pattern, int(tree.n), int(tree.nv)
    columns = np.repeat(np.arange(p.size), np.diff(p.indptr))
    keep = np.flatnonzero((p.indices < p.inside_bodies) & (columns < p.inside_bodies))
    at = np.asarray(p.moves[p.inside[: p.inside_bodies]], np.int64)
    forced = np.array([int(system.S.parts[:, FORCES].any())])
    z, size, whole = np.zeros, MOVES * (system.nb + 1), lambda: np.zeros(len(keep), np.int64)
    return Couplings(
        forced, keep.astype(np.int64), at[p.indices[keep]], at[columns[keep]], carried_bodies(tree).astype(np.int64),
        make_row_gradients(system, rows, nv), z(1, np.int64), whole(), whole(), z(len(keep)), z(len(keep)), z(size),
        z(size), z(size), z(size), z((n + 1, MOVES)), z((n + 1, MOVES)), z(nv), z(nv),
    )  # fmt: skip


@jit
def gather_couplings(E, I):
    """The entries of K and C between bodies that are not zero: most rows and forces couple few moves of two bodies."""
    n = 0
    for p in range(E.at.shape[0]):
        k = I.K[E.at[p]]
        d = I.C[E.at[p]]
        if k != 0.0 or d != 0.0:
            E.live_row[n] = E.row[p]
            E.live_column[n] = E.column[p]
            E.k[n] = k
            E.d[n] = d
            n += 1
    E.live[0] = n


@jit
def body_motions(T, V, N, E, R, j):
    """E.move, E.speed <- motions of the bodies for a unit displacement of freedom j, and changes of their velocities,
    in ground and in principal axes; zero for bodies that it does not carry."""
    for c in range(E.move.shape[0]):
        E.move[c] = E.speed[c] = 0.0
    S, A = N.S, N.V
    for i in range(T.n):
        if E.carries[i, j] == 0:
            continue
        b = T.body[i]
        o = MOVES * b
        d0 = V.y[layout.STATE * b] - V.x[0, 0]
        d1 = V.y[layout.STATE * b + 1] - V.x[0, 1]
        d2 = V.y[layout.STATE * b + 2] - V.x[0, 2]
        s0, s1, s2 = S[j, 0], S[j, 1], S[j, 2]
        w0, w1, w2 = A[i, 0], A[i, 1], A[i, 2]
        c0, c1, c2 = cross(s0, s1, s2, d0, d1, d2)
        c0 += S[j, 3]
        c1 += S[j, 4]
        c2 += S[j, 5]
        E.move[o] = c0
        E.move[o + 1] = c1
        E.move[o + 2] = c2
        E.move[o + 3], E.move[o + 4], E.move[o + 5] = unrotate(R, b, s0, s1, s2)
        # S_j x V_i + eta_j, about the common point
        m0, m1, m2 = cross(s0, s1, s2, w0, w1, w2)
        a0, a1, a2 = cross(s0, s1, s2, A[i, 3], A[i, 4], A[i, 5])
        b0, b1, b2 = cross(S[j, 3], S[j, 4], S[j, 5], w0, w1, w2)
        m0 += N.eta[j, 0]
        m1 += N.eta[j, 1]
        m2 += N.eta[j, 2]
        e0, e1, e2 = cross(m0, m1, m2, d0, d1, d2)
        f0, f1, f2 = cross(w0, w1, w2, c0, c1, c2)
        E.speed[o] = a0 + b0 + N.eta[j, 3] + e0 + f0
        E.speed[o + 1] = a1 + b1 + N.eta[j, 4] + e1 + f1
        E.speed[o + 2] = a2 + b2 + N.eta[j, 5] + e2 + f2
        t0, t1, t2 = cross(s0, s1, s2, w0, w1, w2)
        E.speed[o + 3], E.speed[o + 4], E.speed[o + 5] = unrotate(R, b, m0 - t0, m1 - t1, m2 - t2)


@jit
def add_force_changes(T, V, N, E, R, j):
    """Column j of N.dq and N.dv less the change of the generalised forces with freedom j."""
    body_motions(T, V, N, E, R, j)
    for c in range(E.change.shape[0]):
        E.change[c] = E.rate[c] = 0.0
    for p in range(E.live[0]):
        c = E.live_column[p]
        E.change[E.live_row[p]] -= E.k[p] * E.move[c] + E.d[p] * E.speed[c]
        E.rate[E.live_row[p]] -= E.d[p] * E.move[c]
    for i in range(T.n):
        b = T.body[i]
        o = MOVES * b
        d0 = V.y[layout.STATE * b] - V.x[0, 0]
        d1 = V.y[layout.STATE * b + 1] - V.x[0, 1]
        d2 = V.y[layout.STATE * b + 2] - V.x[0, 2]
        f0, f1, f2 = N.forces[i, 3], N.forces[i, 4], N.forces[i, 5]
        h0, h1, h2 = cross(d0, d1, d2, f0, f1, f2)
        t0, t1, t2 = rotate(R, b, E.change[o + 3], E.change[o + 4], E.change[o + 5])
        s0, s1, s2 = rotate(R, b, E.move[o + 3], E.move[o + 4], E.move[o + 5])
        # the torque about the centre turns with the axes of the body
        a0, a1, a2 = cross(s0, s1, s2, N.forces[i, 0] - h0, N.forces[i, 1] - h1, N.forces[i, 2] - h2)
        b0, b1, b2 = cross(d0, d1, d2, E.change[o], E.change[o + 1], E.change[o + 2])
        c0, c1, c2 = cross(E.move[o], E.move[o + 1], E.move[o + 2], f0, f1, f2)
        E.wrench[i, 0] = t0 + a0 + b0 + c0
        E.wrench[i, 1] = t1 + a1 + b1 + c1
        E.wrench[i, 2] = t2 + a2 + b2 + c2
        t0, t1, t2 = rotate(R, b, E.rate[o + 3], E.rate[o + 4], E.rate[o + 5])
        b0, b1, b2 = cross(d0, d1, d2, E.rate[o], E.rate[o + 1], E.rate[o + 2])
        E.turned[i, 0] = t0 + b0
        E.turned[i, 1] = t1 + b1
        E.turned[i, 2] = t2 + b2
        for l in range(3):
            E.wrench[i, 3 + l] = E.change[o + l]
            E.turned[i, 3 + l] = E.rate[o + l]
    for ii in range(T.n):
        i = T.n - 1 - ii
        for k in range(T.first[i], T.first[i + 1]):
            a = 0.0
            b1 = 0.0
            for l in range(6):
                a += N.S[k, l] * E.wrench[i, l]
                b1 += N.S[k, l] * E.turned[i, l]
            N.dq[k, j] -= a
            N.dv[k, j] -= b1
        q = T.parent[i]
        if q != T.n:
            for l in range(6):
                E.wrench[q, l] += E.wrench[i, l]
                E.turned[q, l] += E.turned[i, l]


@jit(apart=True)
def acceleration_gradients(S, W, I, T, V, N, E, L, t, v, acc, out):
    """out.Jq, out.Jw (nv, nv) <- derivatives of the accelerations with respect to displacements of the coordinates, and
    to rates, at the state that was evaluated last (`entry.forces`, and the rows L with their factor and multipliers),
    with the rates v and accelerations ``acc`` (nv,) of all freedoms.  out.A (nv, nv), out.order (nv,): work.
    Derivatives of freedoms that are held, and with respect to them, are zero; which rows count does not change.
    Returns 0.0 where the mass matrix is singular."""
    rows = L.row.shape[0] > 0
    D = E.rows
    write_state(T, V, W.R, V.y, 1)
    if rows:
        begin_row_gradients(S, W, T, V, L, D)
    inverse_gradients(T, V, N, W.R, W.F, S.bodies.gravity, v, acc)
    if E.forced[0] != 0 or rows:
        for p in range(I.im.used[0]):
            I.K[p] = 0.0
            I.C[p] = 0.0
        if E.forced[0] != 0:
            add_stiffness(S, W, t, V.y, I.K, I.C)
        if rows:
            add_stiffness_of_rows(S, W, I)
        gather_couplings(E, I)
        for j in range(T.nv):
            if T.held[j] == 0:
                add_force_changes(T, V, N, E, W.R, j)
                if rows:
                    add_row_changes(S, W, T, V, N, E, L, D, j)
    H = out.A
    composite(T, V, H)
    for k in range(T.nv):
        if T.held[k] != 0:
            for l in range(T.nv):
                H[k, l] = H[l, k] = 0.0
            H[k, k] = 1.0
    pivot = factor_dense(H, out.order)
    if rows:
        half_inverse(T, L, D, H, out.order, E.right, E.out)
    for j in range(T.nv):
        for way in range(2):
            for k in range(T.nv):
                x = N.dq[k, j] if way == 0 else N.dv[k, j]
                E.right[k] = 0.0 if T.held[k] != 0 or T.held[j] != 0 else -x
            solve_dense(H, out.order, E.right, E.out)
            if rows and T.held[j] == 0:
                hold_rows(T, L, D, j, way, E.out)
            for k in range(T.nv):
                if way == 0:
                    out.Jq[k, j] = E.out[k]
                else:
                    out.Jw[k, j] = E.out[k]
    return pivot
