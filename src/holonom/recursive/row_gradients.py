"""Derivatives of the equations over a tree (loops, couplers, motions) by coordinates and rates, as kernels.

Rows act with forces G^T lam on the bodies and hold  phi'' = G a - gamma = 0  with the accelerations a of the bodies.
Both change with the state; lam is what holds phi'' at zero:

    H dv' = -(d tau/dq - dQ/dq) dq - .. + G^T dlam,    G dv' = -(d phi''/dq) dq - (d phi''/dv) dv,    v' kept in phi''

where Q has the forces of the rows at constant lam, whose stiffness is d(G^T lam)/dq, and

    d phi''/dq_j = c_x . B_j + c_u . U_j + G . A_j,        d phi''/dv_j = c_u . B_j + G . A'_j.

c_x, c_u: cotangents of the second derivative of a row along the motion, accelerations of bodies kept (`joints.jets`);
B_j, U_j: motions of the bodies and changes of their velocities (`acceleration_gradients`); A_j, A'_j: changes of their
accelerations with coordinate and rate of freedom j. With the quantities of `gradients`, about one point for all bodies,

    dA_i/dq_j = S_j x A_i + eta_j x V_i + beta_j,          dA_i/dv_j = S_j x V_i + gamma_j.

Haug, Computer-Aided Kinematics and Dynamics (1989), ch. 9; Carpentier and Mansard (RSS 2018).
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from .._jit import jit
from ..elements.bodies import layout
from ..elements.bodies.layout import MOVES
from ..elements.jets import Cotangents, minus, plus, row_of, vector
from ..elements.joints.jets import pull_rows
from ..elements.joints.rows import CURVE, FUNCTION, add_GT
from ..elements.joints.stiffness import add_row_stiffness
from ..elements.vectors import unrotate
from ..linalg.dense_lu import solve_dense
from .kernels import write_acceleration
from .loops import solve_rows

RowGradients = namedtuple("RowGradients", "row out none pick still of G dq dv X swing sway")
RowGradients.__doc__ = """row (k,): rows over the tree; out: `jets.Cotangents` of one row; none, pick (m,), still
(bodies.moves): weights of its value, rate, second derivative and of virtual work; of (slots, 12): cotangents c_x, c_u
of the body of each slot; of the rows G, dq, dv (k, nv): gradients, derivatives of phi'' at constant v'; X (k, nv):
H^-1 G^T.  swing, sway (bodies.moves): changes of accelerations of bodies with coordinate and rate of one freedom, in
ground axes and in principal axes."""

TWELVE = 2 * MOVES


def make_row_gradients(system: Any, rows: np.ndarray, nv: int) -> RowGradients:
    """Work for the ``rows`` (k,) of a system over a tree with nv freedoms."""
    z, m, frames = np.zeros, system.m, len(system.S.fr.p)
    moves, k = system.S.bodies.moves, len(rows)
    out = Cotangents(z(TWELVE * (system.nb + 1)), z((frames, 3)), z((frames, 3)))
    over = lambda: z((k, nv))
    return RowGradients(
        np.array(rows, np.int64), out, z(m), z(m), z(moves), z((len(system.slot_body), TWELVE)), over(), over(), over(),
        over(), z(moves), z(moves),
    )  # fmt: skip


def rows_have_derivatives(system: Any, rows: np.ndarray) -> bool:
    """Whether all of these rows (k,) of a system have derivatives here: those of curves and of functions (GCON) do
    not."""
    return not np.isin(system.S.rows.kind[rows], (CURVE, FUNCTION)).any()


@jit(later="none")
def begin_row_gradients(S, W, T, V, L, D):
    """Forces of the rows into W.lam and W.F, and cotangents of their second derivatives, at the state whose
    accelerations were evaluated last (`joint_set.joint_rate`); V.y has that state."""
    for r in range(S.rows.m):
        W.lam[r] = 0.0
    for j in range(L.row.shape[0]):
        W.lam[L.row[j]] = -L.lam[j]
    for k in range(L.moved.shape[0]):
        write_acceleration(T, V, W.R, 1.0, W.acc, L.moved[k])
    add_GT(S.rows, W.rw.B, W.lam, W.F, -1.0)
    pull_accelerations(S, W, V.y, D)


@jit(later="none")
def pull_accelerations(S, W, y, D):
    """D.of <- cotangents of the second derivatives of the rows D.row at the state y, along the accelerations W.acc of
    the bodies that they touch.  Frames are current."""
    out = D.out
    for j in range(D.row.shape[0]):
        r = D.row[j]
        D.pick[r] = 1.0
        pull_rows(S, W, y, W.acc, D.still, D.none, D.none, D.pick, D.none, out)
        D.pick[r] = 0.0
        for q in range(S.rows.rp[r], S.rows.rp[r + 1]):
            o = TWELVE * S.rows.slot_body[q]
            for c in range(TWELVE):
                D.of[q, c] = out.body[o + c]
                out.body[o + c] = 0.0
    for c in range(out.body.shape[0] - TWELVE, out.body.shape[0]):  # of ground, and of the drawing: not wanted
        out.body[c] = 0.0
    for f in range(out.place.shape[0]):
        for c in range(3):
            out.place[f, c] = out.turn[f, c] = 0.0


@jit(later="none")
def add_stiffness_of_rows(S, W, I):
    """I.K += d(G^T lam)/dq of all bodies, with the multipliers W.lam."""
    im = I.im
    add_row_stiffness(S.rows, S.fr, W.R, W.lam, W.rw.angle, im.kmap, im.rmap, im.tmap, I.K, im.ws)


@jit
def body_swings(T, V, N, E, D, R, i, j):
    """D.swing, D.sway of body i <- changes of its accelerations with freedom j, which carries it; E.move, E.speed are
    those of this freedom (`acceleration_gradients.body_motions`)."""
    b = T.body[i]
    o = MOVES * b
    a = layout.STATE * b
    s, e = row_of(N.S, j), (N.S[j, 3], N.S[j, 4], N.S[j, 5])
    w, v = row_of(N.V, i), (N.V[i, 3], N.V[i, 4], N.V[i, 5])
    al, ac = row_of(N.A, i), (N.A[i, 3], N.A[i, 4], N.A[i, 5])
    t, u = row_of(N.eta, j), (N.eta[j, 3], N.eta[j, 4], N.eta[j, 5])
    d = V.y[a] - V.x[0, 0], V.y[a + 1] - V.x[0, 1], V.y[a + 2] - V.x[0, 2]
    moved = E.move[o], E.move[o + 1], E.move[o + 2]
    speed = E.speed[o], E.speed[o + 1], E.speed[o + 2]
    velocity = plus(v, vector(w, d))
    sw, sv = vector(s, w), plus(vector(s, v), vector(e, w))
    # with the coordinate
    x = plus(plus(vector(s, al), vector(t, w)), (N.beta[j, 0], N.beta[j, 1], N.beta[j, 2]))
    y = plus(plus(vector(s, ac), vector(e, al)), plus(vector(t, v), vector(u, w)))
    y = plus(y, (N.beta[j, 3], N.beta[j, 4], N.beta[j, 5]))
    y = plus(plus(y, vector(x, d)), plus(vector(al, moved), vector(w, speed)))
    y = plus(y, vector(plus(sw, t), velocity))
    x = minus(x, vector(s, al))
    D.swing[o], D.swing[o + 1], D.swing[o + 2] = y
    D.swing[o + 3], D.swing[o + 4], D.swing[o + 5] = unrotate(R, b, x[0], x[1], x[2])
    # with the rate
    x = plus(sw, (N.gamma[j, 0], N.gamma[j, 1], N.gamma[j, 2]))
    y = plus(sv, (N.gamma[j, 3], N.gamma[j, 4], N.gamma[j, 5]))
    y = plus(plus(y, vector(x, d)), plus(vector(s, velocity), vector(w, moved)))
    D.sway[o], D.sway[o + 1], D.sway[o + 2] = y
    D.sway[o + 3], D.sway[o + 4], D.sway[o + 5] = unrotate(R, b, x[0], x[1], x[2])


@jit(later="none")
def add_row_changes(S, W, T, V, N, E, L, D, j):
    """Column j of D.G, D.dq, D.dv from E.move, E.speed."""
    for k in range(L.moved.shape[0]):
        i = L.moved[k]
        o = MOVES * T.body[i]
        if E.carries[i, j] == 0:
            for c in range(MOVES):
                D.swing[o + c] = D.sway[o + c] = 0.0
        else:
            body_swings(T, V, N, E, D, W.R, i, j)
    G = W.rw.G
    for n in range(L.row.shape[0]):
        r = L.row[n]
        g = 0.0
        x = 0.0
        v = 0.0
        for q in range(S.rows.rp[r], S.rows.rp[r + 1]):
            o = MOVES * S.rows.slot_body[q]
            for c in range(MOVES):
                g += G[q, c] * E.move[o + c]
                x += D.of[q, c] * E.move[o + c] + D.of[q, MOVES + c] * E.speed[o + c] + G[q, c] * D.swing[o + c]
                v += D.of[q, MOVES + c] * E.move[o + c] + G[q, c] * D.sway[o + c]
        D.G[n, j] = g
        D.dq[n, j] = x
        D.dv[n, j] = v


@jit(later="none")
def half_inverse(T, L, D, H, order, right, out):
    """D.X <- H^-1 G^T from the factors H; the columns of freedoms that are held are zero in G."""
    for n in range(L.row.shape[0]):
        for k in range(T.nv):
            if T.held[k] != 0:
                D.G[n, k] = 0.0
            right[k] = D.G[n, k]
        solve_dense(H, order, right, out)
        for k in range(T.nv):
            D.X[n, k] = out[k]


@jit(later="none")
def hold_rows(T, L, D, j, way, out):
    """out (nv) += H^-1 G^T dlam, so that the rows stay fulfilled: column j with respect to coordinates (way 0) or
    rates (1).  L has the factor of its matrix."""
    for n in range(L.row.shape[0]):
        t = -D.dq[n, j] if way == 0 else -D.dv[n, j]
        for k in range(T.nv):
            t -= D.G[n, k] * out[k]
        L.right[n] = t
    solve_rows(L)
    for n in range(L.row.shape[0]):
        x = L.lam[n]
        if x != 0.0:
            for k in range(T.nv):
                out[k] += x * D.X[n, k]
