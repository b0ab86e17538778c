"""RADAU5: Radau IIA with three stages, order 5, on the stabilised index-2 equations, variable step.

    q' = u + M^-1 G^T mu,    M u' = F - G^T lam,    x' = f,    phi(q, t) = 0,    G u + phit = 0

Hairer, Wanner, Solving Ordinary Differential Equations II (1996), IV.8 and VII.7; stabilisation of Gear, Gupta,
Leimkuhler, J. Comput. Appl. Math. 12 (1985) 77.  Unknowns of a stage are increments over the start of the step: dr, the
rotation vector about the attitude there, du, dW, dx, and the multipliers.  Velocities have order 5 too, multipliers
order 3; they are kept out of the error test, which sees positions, velocities and states.

The three stages are decoupled into one real and one complex system (eigenvalues of A^-1), both of the pattern of the
iteration matrix.  With s an eigenvalue over h the block elimination is

    S dmu = G r1 + r4 - s phi,    (M + (C + M D)/s + (K + C D)/s^2) dq + G^T dlam/s^2 = -(r2 + s M r1 + C r1)/s^2,    G
        dq = -phi
    du = s dq + D dq + r1,        D = [W]/2,    S = G M^-1 G^T,    r1 moved by -M^-1 G^T dmu

so the doubled constraints cost solves with the Schur factor, not a larger matrix (CLOSED_LOOPS.md, 4.5 to 4.7):
derivatives at the predicted middle stage, multipliers extrapolated by the collocation polynomial, no verdict of
divergence before the third iteration.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import Entry, jit
from ..elements.bodies.coordinates import (
    follow_carriers,
    gather,
    rates,
    solve_mass,
    speeds_moved,
    speeds_of,
    spread,
    state_at,
)
from ..elements.bodies.dense import combine_stages
from ..elements.bodies.errors import components, norm_by_groups, weigh
from ..elements.bodies.increments import add_increment_speeds, correct_increment, largest_turn, rebase_increment
from ..elements.bodies.mass import multiply_mass, row_times
from ..elements.bodies.motion_bounds import bound_cubic
from ..elements.joints.rows import multiply_G
from ..linalg.lu import lu_refactor, lu_refine, lu_solve
from ..system.contact_entry import accept_contacts
from ..system.implicit import REDUNDANT, assemble, decide_rows, residual, stiffness
from ..system.kernels import accept_angles
from ..system.part_calls import accept_references
from ..system.projection import impulse_motion, keep_gradients, project_rows
from .newton import (
    CONVERGED,
    DIVERGED,
    INACCURATE,
    NOT_FINITE,
    SINGULAR,
    ImplicitStepper,
    corrector_tolerance,
)

S6 = math.sqrt(6.0)
C1, C2 = (4.0 - S6) / 10.0, (4.0 + S6) / 10.0


def _tables():
    """c, A^-1, and T, T^-1 that bring A^-1 to the real number and the complex pair (a column and its conjugate) of its
    eigenvalues; e: weights of the stages in the error estimate."""
    A = np.array(
        [
            [(88 - 7 * S6) / 360, (296 - 169 * S6) / 1800, (-2 + 3 * S6) / 225],
            [(296 + 169 * S6) / 1800, (88 + 7 * S6) / 360, (-2 - 3 * S6) / 225],
            [(16 - S6) / 36, (16 + S6) / 36, 1 / 9],
        ]
    )
    inverse = np.linalg.inv(A)
    values, vectors = np.linalg.eig(inverse)
    real = int(np.argmin(np.abs(values.imag)))
    pair = int(np.argmax(values.imag))
    T = np.column_stack([vectors[:, real].real, vectors[:, pair].real, vectors[:, pair].imag])
    T = T / T[2, 0]
    back = np.linalg.inv(T)
    # z = T w with w = (w0, Re v, Im v) belongs to the eigenvector p = a + i b as a Re v + b Im v: v's eigenvalue is the
    # conjugate
    mu = values[pair].conjugate()
    e = np.array([-13 - 7 * S6, -13 + 7 * S6, -1.0]) / 3.0
    return (
        np.array([C1, C2, 1.0]),
        inverse,
        T,
        back[0].copy(),
        back[1] + 1j * back[2],
        e,
        float(values[real].real),
        complex(mu),
    )


_C, _AI, _T, _TR, _TC, _E, MU_REAL, MU_COMPLEX = _tables()

Formula = namedtuple("Formula", "c Ai T TR TC e")

Stages = namedtuple("Stages", "X V Z L mu res r1 r4 HX HV HZ HL ys yj yold f0 x0 lam ws dx")
Stages.__doc__ = """X, V (3, bodies.moves) increments of positions and velocities over the start, Z (3, nx) of states;
L, mu (3, m) multipliers; res (3, N), r1 (3, bodies.moves), r4 (3, m) residuals; HX..HL stages of the last step; ys (ny)
state of a stage; yj
(ny) where the matrix was made; yold (ny) start of the step; f0 (bodies.moves), x0 (nx) forces and rates there, or
accelerations where masses couple coordinates and change with them; lam (m)
multipliers there; ws (8) quaternions; dx (bodies.moves)
work."""

Block = namedtuple("Block", "res r1 r4 mu z rhs full sol dq dV work small cor ref data")
Block.__doc__ = """Work of a linear system, real or complex: transformed residuals res (N), r1 (bodies.moves), r4 (m);
mu (m) and sol (N) solution, dq, dV (bodies.moves) displacements and
velocities in it; z, rhs, full (N), work; small, cor, ref: of the unknowns inside; data of the matrix (of no use in the
real one)."""

Settings = namedtuple("Settings", "kappa maxit search check eps turn")
Parts = namedtuple(
    "Parts", "I lu luc T R B Q w o"
)  # iteration, factors real and complex, formula, blocks, stages, weights, settings


@jit(entry="float64")
def radau_weights(x):
    """Lagrange polynomials of the stages at fraction x of the step, zero at its start."""
    l0 = x * (x - C2) * (x - 1.0) / (C1 * (C1 - C2) * (C1 - 1.0))
    l1 = x * (x - C1) * (x - 1.0) / (C2 * (C2 - C1) * (C2 - 1.0))
    l2 = x * (x - C1) * (x - C2) / ((1.0 - C1) * (1.0 - C2))
    return l0, l1, l2


@jit(entry="float64")
def _multiplier_weights(x):
    """The same without the start, where multipliers have no value."""
    l0 = (x - C2) * (x - 1.0) / ((C1 - C2) * (C1 - 1.0))
    l1 = (x - C1) * (x - 1.0) / ((C2 - C1) * (C2 - 1.0))
    l2 = (x - C1) * (x - C2) / ((1.0 - C1) * (1.0 - C2))
    return l0, l1, l2


@jit(entry="float64")
def radau_slopes(x):
    """Derivatives of `radau_weights`."""
    l0 = ((x - C2) * (x - 1.0) + x * (x - 1.0) + x * (x - C2)) / (C1 * (C1 - C2) * (C1 - 1.0))
    l1 = ((x - C1) * (x - 1.0) + x * (x - 1.0) + x * (x - C1)) / (C2 * (C2 - C1) * (C2 - 1.0))
    l2 = ((x - C1) * (x - C2) + x * (x - C2) + x * (x - C1)) / ((1.0 - C1) * (1.0 - C2))
    return l0, l1, l2


@jit
def _predict(S, nx, T, Q, y, h, hold):
    """Stages by extrapolation of the last step's polynomial; at a start by the rates there."""
    bodies = S.bodies
    moves = bodies.moves
    m = S.rows.m
    for i in range(3):
        x = T.c[i]
        X = Q.X[i]
        V = Q.V[i]
        if hold > 0.0:
            x = 1.0 + x * h / hold
            l0, l1, l2 = radau_weights(x)
            k0, k1, k2 = _multiplier_weights(x)
            for c in range(moves):
                X[c] = l0 * Q.HX[0, c] + l1 * Q.HX[1, c] + l2 * Q.HX[2, c]
                V[c] = l0 * Q.HV[0, c] + l1 * Q.HV[1, c] + (l2 - 1.0) * Q.HV[2, c]
            rebase_increment(bodies, Q.HX[2], X, Q.ws)
            for k in range(nx):
                Q.Z[i, k] = l0 * Q.HZ[0, k] + l1 * Q.HZ[1, k] + (l2 - 1.0) * Q.HZ[2, k]
            for r in range(m):
                Q.L[i, r] = k0 * Q.HL[0, r] + k1 * Q.HL[1, r] + k2 * Q.HL[2, r]
        else:
            x *= h
            for c in range(moves):
                V[c] = x * Q.f0[c]
            if bodies.tail == 0:
                solve_mass(bodies, V, V)
            speeds_of(bodies, y, X)
            for c in range(moves):
                X[c] = x * (X[c] + 0.5 * V[c])
            for k in range(nx):
                Q.Z[i, k] = x * Q.x0[k]
            for r in range(m):
                Q.L[i, r] = Q.lam[r]
        for r in range(m):
            Q.mu[i, r] = 0.0


@jit(apart=True)
def _stage(S, W, I, T, Q, i, t, y, h):
    """Residuals of stage i; leaves frames, rows and forces current there."""
    bodies = S.bodies
    moves = bodies.moves
    ys = Q.ys
    dx = Q.dx
    a0 = T.Ai[i, 0] / h
    a1 = T.Ai[i, 1] / h
    a2 = T.Ai[i, 2] / h
    state_at(bodies, y, Q.X[i], Q.V[i], ys)
    for c in range(moves):
        I.acc[c] = a0 * Q.V[0, c] + a1 * Q.V[1, c] + a2 * Q.V[2, c]
        dx[c] = a0 * Q.X[0, c] + a1 * Q.X[1, c] + a2 * Q.X[2, c]
    o = bodies.end
    for k in range(I.im.nx):
        ys[o + k] = y[o + k] + Q.Z[i, k]
        I.xd[k] = a0 * Q.Z[0, k] + a1 * Q.Z[1, k] + a2 * Q.Z[2, k]
    for r in range(S.rows.m):
        I.lam[r] = Q.L[i, r]
    residual(S, W, I, t + T.c[i] * h, ys, 1.0, 1.0, 1.0, 1.0)
    for k in range(I.res.shape[0]):
        Q.res[i, k] = I.res[k]
    r1 = Q.r1[i]
    z = W.z
    impulse_motion(S, W.rw.G, Q.mu[i], -1.0, r1)
    speeds_of(bodies, ys, z)
    for c in range(moves):
        r1[c] -= z[c]
    add_increment_speeds(bodies, Q.X[i], dx, r1)
    multiply_G(S.rows, W.rw.G, z, Q.r4[i])
    for r in range(S.rows.m):
        Q.r4[i, r] += W.rw.phit[r]


@jit
def _transform(v, w, t):
    """w <- t . v, the combination of the three stages that belongs to one eigenvalue"""
    for k in range(w.shape[0]):
        w[k] = t[0] * v[0, k] + t[1] * v[1, k] + t[2] * v[2, k]


@jit(apart=True)
def _solve(S, W, I, lu, data, B, y, s, drop, refine):
    """Solution of the system of one eigenvalue s: B.sol = (dq, dx, dlam/s^2), B.dV, B.mu from B.res, B.r1, B.r4; y:
    where the matrix was made, W.G2 its gradients."""
    bodies = S.bodies
    nq = I.im.nq
    nx = I.im.nx
    m = S.rows.m
    r1 = B.r1
    z = B.z
    rhs = B.rhs
    o = nq + nx
    if m > 0:
        follow_carriers(bodies, r1)
        multiply_G(S.rows, W.G2, r1, B.mu)
        for r in range(m):
            B.mu[r] += B.r4[r] + s * B.res[o + r]
            if S.rows.level[r] != 0:  # velocity and acceleration motions are met by the positions' own equation
                B.mu[r] = 0.0
        project_rows(S, W, W.G2, B.mu, B.work, -1.0, z)
        for c in range(bodies.moves):
            r1[c] += z[c]
    multiply_mass(bodies, s, r1, z)
    moves = I.im.moves
    for k in range(nq):
        rhs[k] = B.res[k] - z[moves[k]]
        B.full[k] = r1[moves[k]]
    for k in range(nq, o + m):
        rhs[k] = B.res[k]
    C = I.C
    inside = I.im.inside
    for k in range(inside.shape[0]):
        j = inside[k]
        if j >= nq:
            break
        v = B.full[j]
        for p in range(lu.Ap[k], lu.Ap[k + 1]):
            if C[p] != 0.0:
                rhs[inside[lu.Ai[p]]] -= C[lu.As[p]] * v
    i1 = 1.0 / s
    i2 = i1 * i1
    for k in range(nq):
        rhs[k] *= i2
    for k in range(nq, o):
        rhs[k] *= i1
    for r in range(m):
        level = S.rows.level[r]
        if drop and W.skip[S.ldl.place[r]]:
            rhs[o + r] = 0.0
        elif level > 0:
            v = row_times(S.rows, W.G2, r, r1)
            if level == 1:
                rhs[o + r] = (rhs[o + r] - v) * i1
            else:
                rhs[o + r] = (rhs[o + r] * i1 - v) * i1
    for k in range(inside.shape[0]):
        B.small[k] = rhs[inside[k]]
    lu_solve(lu, B.small, B.cor)
    if refine:
        lu_refine(lu, data, B.small, B.cor, B.ref)
    for k in range(inside.shape[0]):  # the others stay zero
        B.sol[inside[k]] = B.cor[k]
    spread(moves, B.sol, B.dq)
    speeds_moved(bodies, y, B.dq, r1, s, B.dV)


@jit
def _update(S, W, I, T, Q, R, B, w, sr, sc):
    """Stages moved by both solutions; returns the weighted RMS of the change and the body or (behind the bodies) state
    that changed most."""
    bodies = S.bodies
    nx = I.im.nx
    nq = I.im.nq
    dx = Q.dx
    dv = W.z
    total = 0.0
    most = -1.0
    where = 0
    for i in range(3):
        t0 = T.T[i, 0]
        t1 = T.T[i, 1]
        t2 = T.T[i, 2]
        for c in range(bodies.moves):
            dv[c] = t0 * R.dV[c] + t1 * B.dV[c].real + t2 * B.dV[c].imag
            dx[c] = t0 * R.dq[c] + t1 * B.dq[c].real + t2 * B.dq[c].imag
            Q.V[i, c] += dv[c]
        correct_increment(bodies, dx, Q.X[i])
        total, most, worst = norm_by_groups(bodies, w.group, dx, dv, True, total, most)
        where = worst if worst != -1 else where
    for k in range(nx):
        v = 0.0
        f = 1.0 / (w.floor[4] * (1.0 + w.x[k]))
        for i in range(3):
            e = T.T[i, 0] * R.sol[nq + k] + T.T[i, 1] * B.sol[nq + k].real + T.T[i, 2] * B.sol[nq + k].imag
            Q.Z[i, k] += e
            v += (e * f) ** 2
        total += v
        if not (v <= most):
            most = v
            where = bodies.n + k
    o = nq + nx
    s2 = sr * sr
    c2 = sc * sc
    for r in range(S.rows.m):
        a = s2 * R.sol[o + r]
        q = c2 * B.sol[o + r]
        for i in range(3):
            Q.L[i, r] += T.T[i, 0] * a + T.T[i, 1] * q.real + T.T[i, 2] * q.imag
            Q.mu[i, r] += T.T[i, 0] * R.mu[r] + T.T[i, 1] * B.mu[r].real + T.T[i, 2] * B.mu[r].imag
    return math.sqrt(total / max(1, 3 * (2 * components(bodies) + nx))), where


@jit
def _estimate(S, W, I, lu, T, Q, R, w, y, h, s, drop):
    """Weighted RMS of the error, (f(y0) + (e1 z1 + e2 z2 + e3 z3)/h) filtered by the real matrix; y: where that was
    made.

    That is its projection on the motions allowed; the error of positions is looked at before it too, so that a
    mechanism without freedom, whose projection is zero, keeps a tolerance inside its steps.
    """
    bodies = S.bodies
    nx = I.im.nx
    nq = I.im.nq
    e0 = T.e[0] / h
    e1 = T.e[1] / h
    e2 = T.e[2] / h
    dx = Q.dx
    z = W.z
    speeds_of(bodies, Q.yold, R.r1)
    for c in range(bodies.moves):
        R.r1[c] = -(R.r1[c] + e0 * Q.X[0, c] + e1 * Q.X[1, c] + e2 * Q.X[2, c])
        dx[c] = R.r1[c] / s
        z[c] = e0 * Q.V[0, c] + e1 * Q.V[1, c] + e2 * Q.V[2, c]
    raw, _, _ = norm_by_groups(bodies, w.group, dx, dx, False, 0.0, 0.0)
    if bodies.tail > 0:
        for c in range(bodies.moves):
            z[c] += Q.f0[c]
        multiply_mass(bodies, 1.0, z, z)
    else:
        multiply_mass(bodies, 1.0, z, z)
        for c in range(bodies.moves):
            z[c] += Q.f0[c]
    gather(I.im.moves, z, R.res)
    for k in range(nx):
        R.res[nq + k] = Q.x0[k] + e0 * Q.Z[0, k] + e1 * Q.Z[1, k] + e2 * Q.Z[2, k]
    for r in range(S.rows.m):
        R.res[nq + nx + r] = 0.0
        R.r4[r] = 0.0
    _solve(S, W, I, lu, I.data, R, y, s, drop, False)
    total, _, _ = norm_by_groups(bodies, w.group, R.dq, R.dV, True, 0.0, 0.0)
    for k in range(nx):
        total += (R.sol[nq + k] / (w.floor[4] * (1.0 + w.x[k]))) ** 2
    return math.sqrt(max(total, raw) / max(1, 2 * components(bodies) + nx))


@jit
def _accept(S, W, I, T, Q, y, t, h):
    """The third stage becomes the state; forces and rates there are those of the next error estimate."""
    bodies = S.bodies
    for i in range(3):
        for k in range(bodies.moves):
            Q.HX[i, k] = Q.X[i, k]
            Q.HV[i, k] = Q.V[i, k]
        for k in range(I.im.nx):
            Q.HZ[i, k] = Q.Z[i, k]
        for r in range(S.rows.m):
            Q.HL[i, r] = Q.L[i, r]
    state_at(bodies, y, Q.X[2], Q.V[2], y)
    for c in range(bodies.moves):
        I.acc[c] = (T.Ai[2, 0] * Q.V[0, c] + T.Ai[2, 1] * Q.V[1, c] + T.Ai[2, 2] * Q.V[2, c]) / h
    for k in range(I.im.nx):
        y[bodies.end + k] += Q.Z[2, k]
        I.xd[k] = 0.0
    for r in range(S.rows.m):
        Q.lam[r] = Q.L[2, r]
        I.lam[r] = Q.L[2, r]
    residual(S, W, I, t + h, y, 1.0, 1.0, 1.0, 1.0)
    for c in range(bodies.moves):
        Q.f0[c] = W.F[c]
    if bodies.tail > 0:
        solve_mass(bodies, Q.f0, Q.f0)
    for k in range(I.im.nx):
        Q.x0[k] = I.yd[bodies.end + k]


@jit(
    entry=(
        "Handle(Tables, Work, Parts(Iteration, LUArrays, complex LUArrays, complex Formula, Block, complex "
        "Block, Stages, Weights, Settings)), float64[::1], float64, float64, float64, int64"
    )
)
def step(handle, y, t, h, hold, refresh):
    """One trial step from (t, y); on success y is its end.  hold: size of the step before, 0 at a start.

    refresh: iterations with a new matrix, as bits. Returns status, iterations, matrices, error, worst unknown, worst
    pivot ratio, dropped rows.
    """
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    I, lu, luc, T, R, B, Q, w, o = P.I, P.lu, P.luc, P.T, P.R, P.B, P.Q, P.w, P.o
    m = S.rows.m
    sr = MU_REAL / h
    sc = MU_COMPLEX / h
    for c in range(y.shape[0]):
        Q.yold[c] = y[c]
    weigh(S.bodies, y, w)
    kappa = corrector_tolerance(w, o.kappa, h)
    _predict(S, I.im.nx, T, Q, y, h, hold)
    old = 1.0
    worst = 1.0
    matrices = 0
    where = 0
    dropped = 0
    for it in range(o.maxit):
        for turn in range(3):
            i = (turn + 1) % 3  # the middle stage first: derivatives are taken there
            _stage(S, W, I, T, Q, i, t, y, h)
            if turn == 0 and (it == 0 or (refresh >> it) & 1 != 0):
                low, dropped = decide_rows(S, W, I, o.eps)
                if not (low > 0.0):
                    return NOT_FINITE, it + 1, matrices, 0.0, where, worst, dropped
                if dropped > 0:
                    for r in range(m):
                        if W.skip[S.ldl.place[r]]:
                            for k in range(3):
                                Q.L[k, r] = 0.0
                                Q.mu[k, r] = 0.0
                keep_gradients(W)
                for c in range(y.shape[0]):
                    Q.yj[c] = Q.ys[c]
                stiffness(S, W, I, t + T.c[i] * h, Q.ys)
                assemble(S, W, I, I.data, Q.ys, o.search, 1.0, sr * sr, sr, sr, 0.5 * sr, 0.5)
                assemble(S, W, I, B.data, Q.ys, o.search, 1.0, sc * sc, sc, sc, 0.5 * sc, 0.5)
                worst = lu_refactor(lu, I.data)
                worst = min(worst, lu_refactor(luc, B.data))
                matrices += 1
                if not (worst > 0.0):
                    return SINGULAR, it + 1, matrices, 0.0, where, worst, dropped
        _transform(Q.res, R.res, T.TR)
        _transform(Q.res, B.res, T.TC)
        _transform(Q.r1, R.r1, T.TR)
        _transform(Q.r1, B.r1, T.TC)
        _transform(Q.r4, R.r4, T.TR)
        _transform(Q.r4, B.r4, T.TC)
        _solve(S, W, I, lu, I.data, R, Q.yj, sr, o.search, worst < 1e-7)
        _solve(S, W, I, luc, B.data, B, Q.yj, sc, o.search, worst < 1e-7)
        norm, where = _update(S, W, I, T, Q, R, B, w, sr, sc)
        norm /= kappa
        if not (norm < 1e30):
            return NOT_FINITE, it + 1, matrices, 0.0, where, worst, dropped
        done = norm < 1e-4
        if it > 0 and not done:
            rate = norm / old
            left = o.maxit - 1 - it
            if rate < 1.0 and rate / (1.0 - rate) * norm < 1.0:
                done = True
            elif it > 1 and (rate > 0.99 or rate**left * norm / (1.0 - rate) > 1.0):
                return DIVERGED, it + 1, matrices, 0.0, where, worst, dropped
        old = norm
        if done:
            if largest_turn(S.bodies, Q.X[2]) > o.turn:  # near a full turn its rotation vector is not defined
                return DIVERGED, it + 1, matrices, 0.0, where, worst, dropped
            error = 0.0
            if o.check:
                error = _estimate(S, W, I, lu, T, Q, R, w, Q.yj, h, sr, o.search)
                if not (error <= 1.0):
                    return INACCURATE, it + 1, matrices, error, where, worst, dropped
            _accept(S, W, I, T, Q, y, t, h)
            accept_angles(W)
            accept_references(S, W)
            accept_contacts(S, W, t + h, y)
            return CONVERGED, it + 1, matrices, error, where, worst, dropped
    return DIVERGED, o.maxit, matrices, 0.0, where, worst, dropped


@jit(entry="Bodies, int64, Stages, float64, float64, float64[::1], float64[::1], float64[::1]")
def collocation(bodies, nx, Q, h, s, y, acc, yd):
    """State at fraction s of the last step from the polynomials through its stages, accelerations, and rates."""
    l0, l1, l2 = radau_weights(s)
    d0, d1, d2 = radau_slopes(s)
    d0 /= h
    d1 /= h
    d2 /= h
    combine_stages(bodies, Q.yold, Q.HX, Q.HV, l0, l1, l2, y)
    for c in range(bodies.moves):
        acc[c] = d0 * Q.HV[0, c] + d1 * Q.HV[1, c] + d2 * Q.HV[2, c]
    rates(bodies, y, acc, yd)
    o = bodies.end
    for k in range(nx):
        y[o + k] = Q.yold[o + k] + l0 * Q.HZ[0, k] + l1 * Q.HZ[1, k] + l2 * Q.HZ[2, k]
        yd[o + k] = d0 * Q.HZ[0, k] + d1 * Q.HZ[1, k] + d2 * Q.HZ[2, k]


class RADAU5(ImplicitStepper):
    """Radau IIA of order 5 in the stabilised index-2 form: the method for stiff models when accuracy counts."""

    name = "RADAU5"
    # one matrix serves all stages: at 97 rad/s every third step failed with 2 rad, none with 1.5; a singular matrix
    # ended steps of a turn
    most_turn = 1.5
    unknown_forces = False
    order = 5

    def __init__(self, system, options=None):
        super().__init__(system, options)
        self._collocation, self._cubic = Entry(collocation), Entry(bound_cubic)
        o = self.options
        if (o.formulation or "SI2").upper() != "SI2":
            raise ValueError(f"formulation {o.formulation!r} of RADAU5 is not SI2, the only one it has")
        self.settings = Settings(
            self.kappa,
            self.maxit,
            self.search,
            not self.fixed,
            REDUNDANT,
            math.inf if self.plane else 2.0 * np.pi - 1.0,
        )
        n, ny, m, nx, N = system.bodies.moves, len(system.y0), system.m, system.nx, self.implicit.pattern.N
        inside = self.implicit.pattern.size
        z = np.zeros
        self.Q = Stages(
            z((3, n)),
            z((3, n)),
            z((3, nx)),
            z((3, m)),
            z((3, m)),
            z((3, N)),
            z((3, n)),
            z((3, m)),
            z((3, n)),
            z((3, n)),
            z((3, nx)),
            z((3, m)),
            z(ny),
            z(ny),
            z(ny),
            z(n),
            z(nx),
            z(m),
            z(8),
            z(n),
        )

        def block(kind, nnz):
            sizes = (N, n, m, m, n, N, N, N, n, n, m, inside, inside, inside, nnz)
            return Block(*(z(size, kind) for size in sizes))

        self.R, self.B = block(float, 1), block(complex, len(self.I.data))
        self.T = Formula(_C, _AI, np.ascontiguousarray(_T), _TR, _TC, _E)
        self._lam = self.Q.lam
        self._acc = z(n)

    def _begin(self):
        W, I, Q = self.W, self.I, self.Q
        bodies = self.S.bodies
        Q.f0[:] = W.acc
        if bodies.tail == 0:
            multiply_mass(bodies, 1.0, W.acc, Q.f0)
        I.acc[:] = W.acc
        I.xd[:] = Q.x0[:] = I.yd[bodies.end :]
        I.bias[:] = 0.0
        I.xbias[:] = 0.0
        I.lam[:] = Q.lam
        Q.HL[:] = Q.lam
        for a in (Q.HX, Q.HV, Q.HZ):
            a[:] = 0.0
        Q.yold[:] = Q.ys[:] = self.y
        self.hold = self._held = 0.0
        self._error, self._rejected = 1e-2, False
        s = MU_REAL / self.h
        self._first_matrix(1.0, s * s, s, s)

    def _make_handle(self):
        a = self.lu.arrays
        if len(self.B.data) != len(self.I.data):
            self.B = self.B._replace(data=np.zeros(len(self.I.data), complex))
        z = lambda v: np.zeros(len(v), complex)
        complex_ = a._replace(Lx=z(a.Lx), Ux=z(a.Ux), Ud=z(a.Ud), x=z(a.x), y=z(a.y), where=np.zeros(1, np.int64))
        parts = Parts(self.I, a, complex_, self.T, self.R, self.B, self.Q, self.weights, self.settings)
        self.handle = make_handle(self.S, self.W, parts)

    def _try(self, h):
        return self._run(step, self.y, float(self.t), float(h), float(self.hold), self.due(True))

    def _accept(self, h, error, iterations):
        previous, self.hold = self._held, h
        self._held = h
        if self.fixed:
            return
        error = max(error, 1e-10)
        factor = self._safety(iterations) * error**-0.25
        if previous > 0.0:  # Gustafsson: the error tends to change as it did over the last step
            factor = min(factor, 0.9 * h / previous * (self._error / error**2) ** 0.25)
        if self._rejected:
            factor = min(factor, 1.0)
        self._rejected = False
        self._error = max(error, 1e-2)
        self.h = h * min(max(factor, 0.2), 8.0)

    def _safety(self, iterations):
        return 0.9 * (2 * self.maxit + 1) / (2 * self.maxit + iterations)

    def _refuse(self, status, h, error, failures):
        self.h = h * max(0.1, min(0.9, 0.9 * error**-0.25)) if status == INACCURATE else 0.5 * h
        self._rejected = True
        if failures > 2:
            self.hold = 0.0  # extrapolate nothing

    def trace(self):
        """Increments of positions, velocities and states, and both multipliers, of the stages of the last step."""
        Q = self.Q
        return Q.HX.copy(), Q.HV.copy(), Q.HZ.copy(), Q.HL.copy(), Q.mu.copy()

    def interpolate(self, t, out, rates=None):
        s = (t - self.t_old) / self.h_done if self.h_done else 1.0
        yd = self.I.yd if rates is None else rates
        self._collocation.call(self.S.bodies, self.system.nx, self.Q, self.h_done or 1.0, s, out, self._acc, yd)

    def motion_bounds(self, out, fine=False):
        Q, h = self.Q, self.h_done
        first, last = (np.dot(radau_slopes(s), Q.HV) / h for s in (0.0, 1.0))
        self._cubic.call(self.S.bodies, Q.yold, self.y, first, last, h, out)
        return True

    def interpolate_lam(self, t):
        if not self.h_done:
            return self.Q.lam.copy()
        k0, k1, k2 = _multiplier_weights((t - self.t_old) / self.h_done)
        return k0 * self.Q.HL[0] + k1 * self.Q.HL[1] + k2 * self.Q.HL[2]
