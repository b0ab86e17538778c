"""Discrete adjoint of RADAU5 on the stabilised index-2 equations (`radau`).

The three stages of a step are z = (X, V, Z, L, mu) with, at each of them,

    M V' + G^T L - F = 0,   Z' - f = 0,   phi = 0,   T(X) X' - u - M^-1 G^T mu = 0,   G u + phit = 0

where X', V', Z' are what the inverse of the Radau matrix over h makes of the increments; the third stage is the end of
the step.  For a cotangent g of z the multipliers w = (nu, xs, sg, rho, tau) of these equations follow from A^T w = g,
A = dR/dz, and every other cotangent from - w . dR.  A^T w comes from pulls, exact whatever the iteration matrix lacks;
the transpose of the whole simplified Newton iteration, its real and complex factors at the middle stage, serves as the
preconditioner of a stationary iteration, which contracts as Newton's does.  Step sizes are held.
(Hairer, Wanner 1996, IV.8; discrete adjoints of implicit Runge-Kutta methods: Sandu, ICCS 2006.)
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import jit
from ..elements.bodies.coordinates import follow_carriers, solve_mass, state_at
from ..elements.bodies.coupled import condense_coupled
from ..elements.bodies.increment_pull import (
    pull_increment_speeds,
    pull_start_of_increments,
    pull_state_at,
    turn_cotangents_of_increments,
)
from ..elements.bodies.layout import MOVES, STATE
from ..elements.bodies.mass import multiply_mass
from ..elements.joints.rows import add_GT, multiply_G
from ..linalg.ldl import ldl_solve
from ..linalg.lu import lu_refactor, lu_solve_transposed
from ..model import ModelError
from ..system.implicit import REDUNDANT, Implicit, assemble, decide_rows, residual, stiffness
from ..system.kernels import accept_angles, evaluate_constraints, evaluate_frames
from ..system.part_calls import accept_references
from ..system.projection import impulse_motion, keep_gradients
from ..system.pull import Pull, clear, pull_projection, pull_stabilised, pull_values, to_state
from ..system.pull_outputs import pull_measured
from . import radau
from .adjoint import pull_arrays
from .adjoint_linear import LinearAdjoint
from .adjoint_turns import BeganAgain, end_of_run
from .radau import MU_COMPLEX, MU_REAL
from .tape import hold

SWEEPS = 60  # of a step at most
EXACT = 1e-13  # share of the multipliers that the last sweep may add
SLIGHT = 1e-3  # share that multipliers of constraints have next to those of what they act on, at which they are noise
ROUNDED = 1e-10  # share at which sweeps that add no less than the one before add rounding
DECAYED = 1e-10  # pivots below this share of their column are chosen anew
STEADY = 0.7  # of two sweeps the second may add at most so much of the first, next to rounding

TransposedBlock = namedtuple("TransposedBlock", "q V x l mu nu f g r1 r4 z work small cor data")
TransposedBlock.__doc__ = """Work of a transposed linear system, real or complex: cotangents q, V (moves), x (nx), l,
mu (m) of its solution; nu (moves), f (nx), g (m), r1 (moves), r4 (m) of its right-hand sides; z (moves), work (m),
small, cor (unknowns inside); data of the matrix (of no use in the real one)."""

Adjoint = namedtuple("Adjoint", ("I", "lu", "luc", "T", "R", "B", "search", "X", "V", "Z", "L", "mu", "ys", "C", "rX",
                                 "rV", "rZ", "rL", "rM", "nus", "xss", "sgs", "rhos", "taus", "xd", "xdb", "n", "w",
                                 "dyb", "kb", "quat", "most", *Pull._fields, "pull"))  # fmt: skip
Adjoint.__doc__ = """Iteration work and factors, real and complex; T: `radau.Formula`; R, B: `TransposedBlock`; search:
rows may be redundant.  X, V (3, moves), Z (3, nx), L, mu (3, m): stages of the step at hand; ys (3, ny) their states, C
(3, ny) cotangents of these; rX, rV, rZ, rL, rM: what is left of A^T w = g; nus, rhos (3, moves), xss (3, nx), sgs, taus
(3, m): what a sweep adds to w; xd, xdb, n, w (moves), dyb, kb (ny), quat (4), most (5): work; results and work of pulls
(`system.pull.Pull`), and together as ``pull``."""

_HANDLE = (
    "Handle(Tables, Work, Adjoint(Iteration, LUArrays, complex LUArrays, complex Formula, TransposedBlock, "
    "complex TransposedBlock, Cotangents, ContactPull, Pull))"
)


@jit
def _reach(S, W, P, i, t, h, y0):
    """Frames, rows, forces, accelerations and multipliers become those of stage i."""
    bodies = S.bodies
    I, T = P.I, P.T
    ys = P.ys[i]
    a0 = T.Ai[i, 0] / h
    a1 = T.Ai[i, 1] / h
    a2 = T.Ai[i, 2] / h
    state_at(bodies, y0, P.X[i], P.V[i], ys)
    for c in range(bodies.moves):
        I.acc[c] = a0 * P.V[0, c] + a1 * P.V[1, c] + a2 * P.V[2, c]
    for k in range(I.im.nx):
        ys[bodies.end + k] = y0[bodies.end + k] + P.Z[i, k]
        I.xd[k] = a0 * P.Z[0, k] + a1 * P.Z[1, k] + a2 * P.Z[2, k]
    for r in range(S.rows.m):
        I.lam[r] = P.L[i, r]
    residual(S, W, I, t + T.c[i] * h, ys, 1.0, 1.0, 1.0, 1.0)


@jit
def _pull_values(S, W, P, t, y, weights, yb):
    """yb += cotangents of values at the end y of a step, whose frames are current."""
    if S.fn.has_force > 0 or S.fn.has_acc > 0:
        pull_measured(S, W, P.pull, t, y, weights, REDUNDANT, P.ys[0], P.dyb, P.kb, yb)
        return
    clear(P.out.body)
    pull_values(S, W, P.pull, t, y, weights, yb)
    to_state(S, P.pull, y, yb)


@jit(entry=f"{_HANDLE}, float64, float64, float64[::1], float64[::1], float64[::1], float64[::1]")
def prepare(handle, t, h, y0, y1, weights, yb):
    """Both matrices of a step from (t, y0) at its middle stage, with pivots at hand; yb += cotangents of values at its
    end y1 with ``weights``, where there are any.  Returns the worst pivot ratio."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    I = P.I
    sr = MU_REAL / h
    sc = MU_COMPLEX / h
    if weights.shape[0] > 0:
        _reach(S, W, P, 2, t, h, y0)
        accept_angles(W)
        accept_references(S, W)
        _pull_values(S, W, P, t + h, y1, weights, yb)
    _reach(S, W, P, 1, t, h, y0)
    accept_angles(W)
    accept_references(S, W)
    decide_rows(S, W, I, REDUNDANT)
    keep_gradients(W)
    stiffness(S, W, I, t + P.T.c[1] * h, P.ys[1])
    assemble(S, W, I, I.data, P.ys[1], P.search, 1.0, sr * sr, sr, sr, 0.5 * sr, 0.5)
    assemble(S, W, I, P.B.data, P.ys[1], P.search, 1.0, sc * sc, sc, sc, 0.5 * sc, 0.5)
    worst = lu_refactor(P.lu, I.data)
    return min(worst, lu_refactor(P.luc, P.B.data))


@jit(apart=True)
def _solve_transposed(S, W, I, lu, D, y, s, drop):
    """Transpose of `radau._solve` for one eigenvalue s: cotangents D.q, D.V, D.x, D.l, D.mu of displacements,
    velocities, states and multipliers into D.nu, D.f, D.g, D.r1, D.r4 of the residuals."""
    bodies = S.bodies
    im = I.im
    nq = im.nq
    o = nq + im.nx
    z = D.z
    inside = im.inside
    for c in range(bodies.moves):
        D.r1[c] = D.V[c]
        z[c] = D.q[c] + s * D.V[c]
        D.nu[c] = 0.0
    for b in range(bodies.n):
        k = MOVES * b + 3
        p = STATE * b + 10
        w0 = 0.5 * y[p]
        w1 = 0.5 * y[p + 1]
        w2 = 0.5 * y[p + 2]
        z[k] -= w1 * D.V[k + 2] - w2 * D.V[k + 1]
        z[k + 1] -= w2 * D.V[k] - w0 * D.V[k + 2]
        z[k + 2] -= w0 * D.V[k + 1] - w1 * D.V[k]
    for q in range(inside.shape[0]):
        j = inside[q]
        if j < nq:
            D.small[q] = z[im.moves[j]]
        elif j < o:
            D.small[q] = D.x[j - nq]
        else:
            D.small[q] = s * s * D.l[j - o]
    lu_solve_transposed(lu, D.small, D.cor)
    for k in range(im.nx):
        D.f[k] = 0.0
    for r in range(S.rows.m):
        D.g[r] = 0.0
    i1 = 1.0 / s
    i2 = i1 * i1
    for q in range(inside.shape[0]):
        j = inside[q]
        if j < nq:
            D.cor[q] *= i2
            D.nu[im.moves[j]] = D.cor[q]
        elif j < o:
            D.cor[q] *= i1
            D.f[j - nq] = D.cor[q]
        elif not (drop and W.skip[S.ldl.place[j - o]]):
            D.g[j - o] = D.cor[q]
    C = I.C
    for q in range(inside.shape[0]):
        j = inside[q]
        if j >= nq:
            break
        c = im.moves[j]
        for p in range(lu.Ap[q], lu.Ap[q + 1]):
            if C[lu.As[p]] != 0.0:
                D.r1[c] -= C[lu.As[p]] * D.cor[lu.Ai[p]]
    multiply_mass(bodies, s, D.nu, z)
    for c in range(bodies.moves):
        D.r1[c] -= z[c]
    if S.rows.m > 0:
        solve_mass(bodies, D.r1, z)
        multiply_G(S.rows, W.G2, z, D.r4)
        for r in range(S.rows.m):
            D.r4[r] = D.mu[r] - D.r4[r]
        ldl_solve(S.ldl, W.Lx, W.Di, D.r4, D.work)
        add_GT(S.rows, W.G2, D.r4, D.r1, 1.0)
        for r in range(S.rows.m):
            D.g[r] += s * D.r4[r]


@jit
def _largest(values, most):
    for c in range(values.shape[0]):
        v = abs(values[c])
        if not (v <= most):
            most = v
    return most


@jit
def _combine(S, P):
    """What is left at the stages as cotangents of the solutions of both linear systems."""
    bodies = S.bodies
    T, R, B, I = P.T, P.R, P.B, P.I
    m = S.rows.m
    nx = I.im.nx
    z = P.z
    for c in range(bodies.moves):
        R.q[c] = R.V[c] = 0.0
        B.q[c] = B.V[c] = 0.0
    for k in range(nx):
        R.x[k] = 0.0
        B.x[k] = 0.0
    for r in range(m):
        R.l[r] = R.mu[r] = 0.0
        B.l[r] = B.mu[r] = 0.0
    for i in range(3):
        clear(z)
        turn_cotangents_of_increments(bodies, P.X[i], P.rX[i], z)
        real = T.T[i, 0]
        pair = complex(T.T[i, 1], -T.T[i, 2])
        for c in range(bodies.moves):
            R.q[c] += real * z[c]
            R.V[c] += real * P.rV[i, c]
            B.q[c] += pair * z[c]
            B.V[c] += pair * P.rV[i, c]
        for k in range(nx):
            R.x[k] += real * P.rZ[i, k]
            B.x[k] += pair * P.rZ[i, k]
        for r in range(m):
            R.l[r] += real * P.rL[i, r]
            R.mu[r] += real * P.rM[i, r]
            B.l[r] += pair * P.rL[i, r]
            B.mu[r] += pair * P.rM[i, r]


@jit
def _sweep(S, W, P, h):
    """P.nus .. P.taus <- what the transposed simplified Newton iteration makes of what is left."""
    _combine(S, P)
    bodies = S.bodies
    T, R, B, I = P.T, P.R, P.B, P.I
    y = P.ys[1]
    _solve_transposed(S, W, I, P.lu, R, y, MU_REAL / h, P.search)
    _solve_transposed(S, W, I, P.luc, B, y, MU_COMPLEX / h, P.search)
    for i in range(3):
        real = T.TR[i]
        pair = T.TC[i]
        for c in range(bodies.moves):
            P.nus[i, c] = real * R.nu[c] + (pair * B.nu[c]).real
            P.rhos[i, c] = -(real * R.r1[c] + (pair * B.r1[c]).real)
        condense_coupled(bodies, P.rhos[i])
        for k in range(I.im.nx):
            P.xss[i, k] = real * R.f[k] + (pair * B.f[k]).real
        for r in range(S.rows.m):
            P.sgs[i, r] = real * R.g[r] + (pair * B.g[r]).real
            P.taus[i, r] = -(real * R.r4[r] + (pair * B.r4[r]).real)


@jit
def _share(P, h):
    """Largest share of the multipliers so far that the last sweep has added; not finite where they are not."""
    share = 0.0
    for g in range(5):
        change = 0.0
        for i in range(3):
            if g == 0:
                change = _largest(P.nus[i], change)
            elif g == 1:
                change = _largest(P.rhos[i], change)
            elif g == 2:
                change = _largest(P.xss[i], change)
            elif g == 3:
                change = _largest(P.sgs[i], change)
            else:
                change = _largest(P.taus[i], change)
        if not (change < 1e300):
            return math.inf
        P.most[g] = max(P.most[g], change)
        size = P.most[g]
        if g == 3:
            size = max(size, SLIGHT * P.most[1] / h)
        elif g == 4:
            size = max(size, SLIGHT * P.most[1])
        if size > 0.0:
            share = max(share, change / size)
    return share


@jit
def _pull_stage(S, W, P, i, t, h, y0):
    """What the multipliers of a sweep at stage i take off what is left, and add to the cotangents of its state and of
    numbers."""
    bodies = S.bodies
    end = bodies.end
    m = S.rows.m
    nx = P.I.im.nx
    T = P.T
    Ai = T.Ai
    _reach(S, W, P, i, t, h, y0)
    rho = P.rhos[i]
    for c in range(bodies.moves):
        P.nu[c] = P.nus[i, c]
        P.xd[c] = (Ai[i, 0] * P.X[0, c] + Ai[i, 1] * P.X[1, c] + Ai[i, 2] * P.X[2, c]) / h
    follow_carriers(bodies, P.nu)
    solve_mass(bodies, rho, P.n)
    if m > 0:
        for r in range(m):
            P.sg[r] = P.sgs[i, r]
        impulse_motion(S, W.rw.G, P.mu[i], 1.0, P.w)
        multiply_G(S.rows, W.rw.G, P.n, P.lbar)
        for r in range(m):
            P.rM[i, r] += P.lbar[r]
        multiply_G(S.rows, W.rw.G, P.nu, P.lbar)
        for r in range(m):
            P.rL[i, r] -= P.lbar[r]
    clear(P.dyb)
    clear(P.kb)
    for k in range(nx):
        P.kb[end + k] = P.xss[i, k]
    pull_stabilised(S, W, P.pull, t + T.c[i] * h, P.ys[i], P.mu[i], rho, P.taus[i], P.n, P.w, P.kb, P.dyb)
    for r in range(m):
        P.rL[i, r] += P.lbar[r]
        if P.search and W.skip[S.ldl.place[r]]:
            P.rL[i, r] = 0.0
            P.rM[i, r] = 0.0
    for c in range(P.dyb.shape[0]):
        P.C[i, c] += P.dyb[c]
    clear(P.z)
    pull_state_at(bodies, P.ys[i], P.X[i], P.dyb, P.z, P.rX[i], P.rV[i])
    for k in range(nx):
        P.rZ[i, k] += P.dyb[end + k]
    # - nu . M V' - xs . Z' - rho . T(X) X'
    multiply_mass(bodies, 1.0, P.nus[i], P.z)
    clear(P.w)
    clear(P.xdb)
    pull_increment_speeds(bodies, P.X[i], P.xd, rho, P.w, P.xdb)
    for c in range(bodies.moves):
        P.rX[i, c] -= P.w[c]
    for j in range(3):
        a = Ai[i, j] / h
        for c in range(bodies.moves):
            P.rV[j, c] -= a * P.z[c]
            P.rX[j, c] -= a * P.xdb[c]
        for k in range(nx):
            P.rZ[j, k] -= a * P.xss[i, k]


@jit(entry=f"{_HANDLE}, float64, float64, float64[::1], float64[::1], int64")
def back(handle, t, h, y0, yb, sweeps):
    """Cotangent yb behind a step from (t, y0) -> that before it; `prepare` has been called.  Returns the number of
    sweeps, 0 where ``sweeps`` are not enough."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    bodies = S.bodies
    end = bodies.end
    nx = P.I.im.nx
    for i in range(3):
        clear(P.rX[i])
        clear(P.rV[i])
        clear(P.rZ[i])
        clear(P.rL[i])
        clear(P.rM[i])
        clear(P.C[i])
    for i in (0, 2):
        state_at(bodies, y0, P.X[i], P.V[i], P.ys[i])
    for c in range(yb.shape[0]):
        P.C[2, c] = yb[c]
    clear(P.z)
    pull_state_at(bodies, P.ys[2], P.X[2], yb, P.z, P.rX[2], P.rV[2])
    for k in range(nx):
        P.rZ[2, k] = yb[end + k]
    for g in range(5):
        P.most[g] = 0.0
    done = 0
    before = math.inf
    for it in range(sweeps):
        _sweep(S, W, P, h)
        share = _share(P, h)
        if not (share < 1e300):
            return 0
        for i in range(3):
            _pull_stage(S, W, P, i, t, h, y0)
        if share <= EXACT or (it > 1 and share <= ROUNDED and share > STEADY * before):
            done = it + 1
            break
        before = share
    clear(yb)
    for i in range(3):
        pull_start_of_increments(bodies, P.X[i], P.C[i], P.quat, yb)
        for k in range(nx):
            yb[end + k] += P.C[i, end + k]
    return done


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1], float64[::1]")
def begin(handle, t, y, weights, yb):
    """Cotangents before the first step, at the state that was projected."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    if weights.shape[0] > 0:
        evaluate_frames(S, W, y)
        evaluate_constraints(S, W, t, y)
        _pull_values(S, W, P, t, y, weights, yb)
    pull_projection(S, W, P.pull, t, y, yb, REDUNDANT, True, True, False)


class RadauAdjoint:
    """Adjoint of the steps of RADAU5; ``handle``, ``P``: see `adjoint.pull_arrays`; ``error``: of a step unless
    given; ``sweeps``: most sweeps of a step."""

    formulation = "SI2"
    error = 1e-8

    def __init__(self, system, stepper, wanted, constants, directions=()):
        self.system, self.warnings = system, []
        self._implicit = implicit = Implicit(system)
        z, I = np.zeros, implicit.I
        moves, ny, nx, m = system.bodies.moves, len(system.y0), system.nx, system.m
        inside = implicit.pattern.size

        def block(kind, nnz):
            sizes = (moves, moves, nx, m, m, moves, nx, m, moves, m, moves, m, inside, inside, nnz)
            return TransposedBlock(*(z(size, kind) for size in sizes))

        formula = radau.Formula(radau._C, radau._AI, np.ascontiguousarray(radau._T), radau._TR, radau._TC, radau._E)
        three = lambda k: z((3, k))
        pull = pull_arrays(system, wanted, constants, directions)
        self.P = Adjoint(
            I, implicit.lu.arrays, _complex(implicit.lu.arrays), formula, block(float, 1),
            block(complex, len(I.data)), not implicit.tree,
            three(moves), three(moves), three(nx), three(m), three(m), three(ny), three(ny), three(moves),
            three(moves), three(nx), three(m), three(m), three(moves), three(nx), three(m), three(moves), three(m),
            z(moves), z(moves), z(moves), z(moves), z(ny), z(ny), z(4), z(5),
            *pull, pull,
        )  # fmt: skip
        self.handle = make_handle(implicit.S, system.W, self.P)
        self.sweeps = 0

    def _follow_contacts(self, tape, k):
        """Contacts as they were held within step k of a tape, and their entries in both matrices; returns whether
        these have others than before."""
        implicit = self._implicit
        if not tape.held:
            return False
        hold(self.system.contacts, float(tape.times[k - 1]), tape.states[k - 1], tape.held[k])
        if not implicit.follow():
            return False
        arrays = implicit.lu.arrays
        block = self.P.B._replace(data=np.zeros(len(implicit.I.data), complex))
        self.P = self.P._replace(I=implicit.I, lu=arrays, luc=_complex(arrays), B=block)
        self.handle = make_handle(implicit.S, self.system.W, self.P)
        return True

    def beside(self):
        """Pulls of the equations of motion at a state, with the cotangents of numbers of this adjoint."""
        return LinearAdjoint.beside(self)

    def sweep(self, tape, weights, marked, yb):
        """Carry the cotangent yb behind the last step of a tape to before its first.  Raises ModelError where the
        linear systems of a step are not solved."""
        P = self.P
        times, states, traces = tape.times, tape.states, tape.traces
        none = np.zeros(0)
        last = len(times) - 1
        ends = last if tape.ends and marked[last] >= 0 else -1  # whose values are pulled with the time of the end
        of = lambda k: weights[marked[k]] if marked[k] >= 0 and k != ends else none
        if ends > 0:
            self.warnings += end_of_run(self.beside(), tape, weights[marked[last]], yb)
        fresh = True
        again = BeganAgain(self, tape)
        for k in range(last, 0, -1):
            t, h = float(times[k - 1]), float(times[k] - times[k - 1])
            y0 = again.state(k - 1)
            again.branch(k)
            if self._follow_contacts(tape, k):
                P, fresh = self.P, True
            for mine, kept in zip((P.X, P.V, P.Z, P.L, P.mu), traces[k]):
                mine[:] = kept
            worst = prepare(self.handle, t, h, y0, states[k], of(k), yb)
            if fresh or not worst > DECAYED:
                lu = self._implicit.lu
                lu.factor(P.I.data)
                if lu.arrays is not P.lu:
                    self.P = P = P._replace(lu=lu.arrays, luc=_complex(lu.arrays))
                    self.handle = make_handle(self._implicit.S, self.system.W, P)
                prepare(self.handle, t, h, y0, states[k], none, yb)
                fresh = False
            done = back(self.handle, t, h, y0, yb, SWEEPS)
            self.sweeps = max(self.sweeps, done)
            if not done:
                raise ModelError(
                    f"the transposed equations of the step to time {t + h:.6g} are not solved by its iteration matrix; "
                    "use DOP853, or shorter steps (hmax)"
                )
            if k - 1 in tape.begun:
                begin(self.handle, t, y0, none, yb)
                again.back(k - 1, yb)
        self.warnings += again.warnings
        begin(self.handle, float(times[0]), states[0], of(0), yb)


def _complex(a):
    """The same pattern with complex numbers."""
    z = lambda v: np.zeros(len(v), complex)
    return a._replace(Lx=z(a.Lx), Ux=z(a.Ux), Ud=z(a.Ud), x=z(a.x), y=z(a.y), where=np.zeros(1, np.int64))
