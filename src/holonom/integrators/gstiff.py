"""GSTIFF: Gear's backward differentiation formulas, orders 1 to 6, fixed coefficients, Nordsieck form.

Gear, Numerical Initial Value Problems in ODEs (1971); step and order control of Hindmarsh, LSODE (ACM SIGNUM 15 (1980) 10).
The history holds r, the quaternions (4 numbers), r', W and the states x:  z_j = h^j y^(j)/j!.  With the prediction p and
the correction e = (y - p_0)/l_0 the new history is p_j + l_j e, and derivatives are y' = p_1/h + a (y - p_0), a = 1/(l_0 h).
Unknowns are dr and dtheta (body axes); the new quaternion stays of unit length and W = 2 Im(conj(q) q').

``I3``   phi = 0 only; u is the derivative of q; the error test sees positions and states: velocities of an index-3
         solution carry an error of 1/h times that of the corrector, multipliers 1/h^2.
``SI2``  also G u + phit = 0, met by q' = u + M^-1 G^T mu (Gear, Gupta, Leimkuhler 1985): u is the mass-weighted projection
         of the derivative of q.  mu comes from the Schur factor, so the matrix is that of I3 (CLOSED_LOOPS.md, 4.7).  The
         error test sees velocities too, and multipliers are clean down to the smallest steps.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .._jit import jit
from ..elements.bodies.rigid import move, normalise, state_rate
from ..elements.joints.rows import add_GT, multiply_G
from ..elements.vectors import cross
from ..linalg.ldl import ldl_solve
from ..linalg.lu import lu_refactor
from ..system.dispatch import accept_references
from ..system.handle import make_handle, view_P, view_S, view_W
from ..system.implicit import assemble, balance, decide_rows, residual, solve, stiffness
from ..system.kernels import accept_angles, evaluate_constraints, evaluate_frames
from .newton import (
    CONVERGED,
    DIVERGED,
    INACCURATE,
    NOT_FINITE,
    REDUNDANT,
    SINGULAR,
    ImplicitStepper,
    converged,
    correction_norm,
    corrector_tolerance,
    speed_of,
    weigh,
)

MAXORD = 6
Nordsieck = namedtuple("Nordsieck", "Z P e eold yt d change lam0 lam1 coef errors")
Nordsieck.__doc__ = """Z (8, ny) history; P (8, ny) its prediction; e, eold (ny) corrections of this step and the one before; yt
(ny) trial; d (6 nb + 6) M^-1 G^T mu of SI2; change (ny) work; lam0, lam1 multipliers at both ends; coef (7, 8): l of each
order; errors (2): norms that one order more and one less would have had."""

Settings = namedtuple("Settings", "kappa maxit velocities stabilised search check eps")
Settings.__doc__ = """kappa: corrector tolerance / error tolerance; maxit; velocities: in the convergence test; stabilised: SI2;
search: rows may be redundant; check: error control; eps: redundancy."""

Parts = namedtuple("Parts", "I lu N w o")


def coefficients() -> np.ndarray:
    """l (7, 8): row k holds l_0..l_k of the BDF of order k, scaled so that l_1 = 1 (LSODE, routine CFODE)."""
    out = np.zeros((MAXORD + 1, MAXORD + 2))
    pc = np.zeros(MAXORD + 2)
    pc[0] = 1.0
    for k in range(1, MAXORD + 1):
        for i in range(k, 0, -1):
            pc[i] = pc[i - 1] + k * pc[i]
        pc[0] *= k
        out[k, : k + 1] = pc[: k + 1] / pc[1]
    return out


@jit
def _predict(Z, P, k):
    """P <- Pascal's triangle times Z"""
    for j in range(k + 1):
        for c in range(Z.shape[1]):
            P[j, c] = Z[j, c]
    for a in range(k):
        for j in range(k - 1, a - 1, -1):
            for c in range(Z.shape[1]):
                P[j, c] += P[j + 1, c]


@jit
def rescale(Z, k, ratio):
    """History of a step ``ratio`` times as long."""
    f = 1.0
    for j in range(1, k + 1):
        f *= ratio
        for c in range(Z.shape[1]):
            Z[j, c] *= f


@jit
def _take(y, o, v, first, band):
    """y[o] <- v, unless it differs from the velocity carried along by no more than the roundoff of positions."""
    if first or not (abs(v - y[o]) <= band):
        y[o] = v


@jit
def _velocities(n, nx, P, d, y, acc, xd, h, a, first):
    """Velocities minus ``d`` (6 a body), accelerations and rates of states that the formula gives to the trial y.

    After the first iteration velocities are already there, moved by `_correct`: they are exact below the last digit of the
    positions, which a magnifies, and multipliers at tiny steps live on these digits.
    """
    for i in range(n):
        o = 13 * i
        band = 8e-16 * a * (abs(y[o]) + abs(y[o + 1]) + abs(y[o + 2]))
        for c in range(3):
            _take(y, o + 7 + c, P[1, o + c] / h + a * (y[o + c] - P[0, o + c]) - d[6 * i + c], first, band)
        q = y[o + 3]
        q0 = y[o + 4]
        q1 = y[o + 5]
        q2 = y[o + 6]
        s = P[1, o + 3] / h + a * (q - P[0, o + 3])
        s0 = P[1, o + 4] / h + a * (q0 - P[0, o + 4])
        s1 = P[1, o + 5] / h + a * (q1 - P[0, o + 5])
        s2 = P[1, o + 6] / h + a * (q2 - P[0, o + 6])
        band = 4e-15 * a
        _take(y, o + 10, 2.0 * (q * s0 - q0 * s - q1 * s2 + q2 * s1) - d[6 * i + 3], first, band)
        _take(y, o + 11, 2.0 * (q * s1 + q0 * s2 - q1 * s - q2 * s0) - d[6 * i + 4], first, band)
        _take(y, o + 12, 2.0 * (q * s2 - q0 * s1 + q1 * s0 - q2 * s) - d[6 * i + 5], first, band)
        for c in range(6):
            acc[6 * i + c] = P[1, o + 7 + c] / h + a * (y[o + 7 + c] - P[0, o + 7 + c])
    o = 13 * n + 13
    for k in range(nx):
        xd[k] = P[1, o + k] / h + a * (y[o + k] - P[0, o + k])


@jit
def _project(S, W, I, N, y, a):
    """SI2: mu, velocities and accelerations moved so that G u + phit = 0 once the correction G dq = -phi, du = a dq is made
    (with the factor and gradients of the prediction).  Without that forecast a*a*phi, roundoff over h^2, is in lam."""
    n = S.bodies.n
    z = W.z
    for i in range(n + 1):
        for c in range(6):
            z[6 * i + c] = y[13 * i + 7 + c]
    multiply_G(S.rows, W.rw.G, z, W.lam)
    for r in range(S.rows.m):
        W.lam[r] += W.rw.phit[r] - a * W.rw.phi[r]
        if S.rows.level[r] != 0:  # velocity and acceleration motions are met by the positions' own equation
            W.lam[r] = 0.0
    ldl_solve(S.ldl, W.Lx, W.Di, W.lam, W.lwork)
    for c in range(6 * n + 6):
        z[c] = 0.0
    add_GT(S.rows, W.G2, W.lam, z, 1.0)
    for i in range(n):
        for c in range(6):
            x = z[6 * i + c] * S.bodies.Minv[i, c]
            N.d[6 * i + c] += x
            y[13 * i + 7 + c] -= x
            I.acc[6 * i + c] -= a * x


@jit
def _norm(n, nx, v, w, velocities):
    """Weighted RMS of a vector of the size of the state."""
    total = 0.0
    g1 = 4.0 * w.group[1] ** 2
    for i in range(n):
        o = 13 * i
        total += w.group[0] ** 2 * (v[o] ** 2 + v[o + 1] ** 2 + v[o + 2] ** 2)
        total += g1 * (v[o + 3] ** 2 + v[o + 4] ** 2 + v[o + 5] ** 2 + v[o + 6] ** 2)
        if velocities:
            total += w.group[2] ** 2 * (v[o + 7] ** 2 + v[o + 8] ** 2 + v[o + 9] ** 2)
            total += w.group[3] ** 2 * (v[o + 10] ** 2 + v[o + 11] ** 2 + v[o + 12] ** 2)
    o = 13 * n + 13
    for k in range(nx):
        total += (v[o + k] / (w.floor[4] * (1.0 + w.x[k]))) ** 2
    return math.sqrt(total / max(1, (12 if velocities else 6) * n + nx))


@jit
def step(handle, y, t, h, k, kmax, grow, refresh):
    """`_step` behind a handle."""
    P = view_P(handle)
    return _step(view_S(handle), view_W(handle), P.I, P.lu, P.N, P.w, P.o, y, t, h, k, kmax, grow, refresh)


@jit
def _step(S, W, I, lu, N, w, o, y, t, h, k, kmax, grow, refresh):
    """One trial step of order k from (t, y), history N.Z scaled to h; on success y and N.Z are those of its end.

    grow: ratio of this step to the last, for the prediction of multipliers (0: keep them).  refresh: iterations with a new
    matrix, as bits.
    Returns status, iterations, matrices, error, worst unknown, worst pivot ratio, dropped rows.
    """
    n = S.bodies.n
    nx = I.im.nx
    ny = y.shape[0]
    P = N.P
    l0 = N.coef[k, 0]
    a = 1.0 / (l0 * h)
    yt = N.yt
    _predict(N.Z, P, k)
    for c in range(ny):
        yt[c] = P[0, c]
    normalise(n, yt)
    weigh(n, yt, w)
    for r in range(S.rows.m):
        I.lam[r] = N.lam1[r] + grow * (N.lam1[r] - N.lam0[r])
    for c in range(6 * n + 6):
        N.d[c] = 0.0
    kappa = corrector_tolerance(w, o.kappa, h) * 0.5 * (k + 1)
    speed = 0.0
    if o.velocities:
        speed = speed_of(w, kappa, a)
    old = 1.0
    worst = 1.0
    matrices = 0
    where = 0
    dropped = 0
    for it in range(o.maxit):
        _velocities(n, nx, P, N.d, yt, I.acc, I.xd, h, a, it == 0)
        fresh = (refresh >> it) & 1 != 0 or (it == 2 and matrices == 0)
        if o.stabilised and S.rows.m > 0:
            evaluate_frames(S, W, yt)
            evaluate_constraints(S, W, t + h, yt)
            if it == 0:
                low, dropped = decide_rows(S, W, I, o.eps)
                if not (low > 0.0):
                    return NOT_FINITE, it + 1, matrices, 0.0, where, worst, dropped
                for q in range(W.G2.shape[0]):
                    for c in range(6):
                        W.G2[q, c] = W.rw.G[q, c]
            _project(S, W, I, N, yt, a)
            evaluate_frames(S, W, yt)
            balance(S, W, I, t + h, yt, 1.0, a * a, a, a)
        else:
            residual(S, W, I, t + h, yt, 1.0, a * a, a, a)
            if it == 0 and o.search:
                low, dropped = decide_rows(S, W, I, o.eps)
                if not (low > 0.0):
                    return NOT_FINITE, it + 1, matrices, 0.0, where, worst, dropped
        if fresh:
            stiffness(S, W, I, t + h, yt)
            assemble(S, W, I, yt, o.search, 1.0, a * a, a, a, 0.5 * a, 0.5)
            worst = lu_refactor(lu, I.data)
            matrices += 1
            if not (worst > 0.0):
                return SINGULAR, it + 1, matrices, 0.0, where, worst, dropped
        solve(S, W, I, lu, o.search, worst < 1e-7)
        norm, where = correction_norm(S, I, w, speed)
        norm /= kappa
        verdict = converged(norm, old, it)
        if verdict == -2:
            return NOT_FINITE, it + 1, matrices, 0.0, where, worst, dropped
        if verdict == -1:
            return DIVERGED, it + 1, matrices, 0.0, where, worst, dropped
        old = norm
        _correct(S, I, N.yt, W.z, a)
        if verdict == 1:
            _velocities(n, nx, P, N.d, yt, I.acc, I.xd, h, a, False)
            for c in range(ny):
                N.e[c] = (yt[c] - P[0, c]) / l0
            error = 0.0
            if o.check:
                error = l0 / (k + 1.0) * _norm(n, nx, N.e, w, o.stabilised)
                N.errors[1] = 0.0
                N.errors[0] = 0.0
                if k > 1:
                    f = 1.0
                    for j in range(2, k):
                        f *= j
                    N.errors[1] = f * _norm(n, nx, N.Z[k], w, o.stabilised)
                if not (error <= 1.0):
                    return INACCURATE, it + 1, matrices, error, where, worst, dropped
                if k < kmax:
                    for c in range(ny):
                        N.change[c] = N.e[c] - N.eold[c]
                    N.errors[0] = l0 / (k + 2.0) * _norm(n, nx, N.change, w, o.stabilised)
            for j in range(k + 1):
                f = N.coef[k, j]
                for c in range(ny):
                    N.Z[j, c] = P[j, c] + f * N.e[c]
            for c in range(ny):
                y[c] = yt[c]
                N.eold[c] = N.e[c]
            for r in range(S.rows.m):
                N.lam0[r] = N.lam1[r]
                N.lam1[r] = I.lam[r]
            accept_angles(W)
            accept_references(S.fn, S.pairs, S, W)
            return CONVERGED, it + 1, matrices, error, where, worst, dropped
    return DIVERGED, o.maxit, matrices, 0.0, where, worst, dropped


@jit
def _correct(S, I, y, d, a):
    """Positions, velocities, states and multipliers moved by the solution of the linear system."""
    n = S.bodies.n
    for i in range(n):
        o = I.im.at[i]
        f = 6 * i
        for c in range(3):
            d[f + c] = I.sol[o + c]
            d[f + 3 + c] = 0.0
        if S.bodies.rotates[i]:
            for c in range(3, 6):
                d[f + c] = I.sol[o + c]
        v = 13 * i + 7
        w0, w1, w2 = cross(y[v + 3], y[v + 4], y[v + 5], d[f + 3], d[f + 4], d[f + 5])
        for c in range(6):
            y[v + c] += a * d[f + c]
        y[v + 3] += 0.5 * w0
        y[v + 4] += 0.5 * w1
        y[v + 5] += 0.5 * w2
    move(n, y, d)
    o = I.im.nq
    for k in range(I.im.nx):
        y[13 * n + 13 + k] += I.sol[o + k]
    o += I.im.nx
    for r in range(S.rows.m):
        I.lam[r] += a * a * I.sol[o + r]


@jit
def raise_order(Z, e, k, last):
    """Row k+1 of the history from the last correction; ``last`` = l_k."""
    for c in range(Z.shape[1]):
        Z[k + 1, c] = e[c] * last / (k + 1.0)


@jit
def evaluate_history(Z, n, nx, k, h, s, y, acc, yd):
    """State at time s*h after the point of the history (-1 <= s <= 0), accelerations and rates from the polynomial."""
    ny = Z.shape[1]
    for c in range(ny):
        v = Z[k, c]
        g = k * Z[k, c]
        for j in range(k - 1, -1, -1):
            v = v * s + Z[j, c]
            if j > 0:
                g = g * s + j * Z[j, c]
        y[c] = v
        yd[c] = g / h
    normalise(n, y)
    for i in range(n):
        for c in range(6):
            acc[6 * i + c] = yd[13 * i + 7 + c]
    state_rate(n, y, acc, yd)


class GSTIFF(ImplicitStepper):
    """Gear's BDF with variable step and order; formulation I3 (default) or SI2.

    Orders above 2 are not stable for lightly damped oscillations: when error tests fail again and again at such orders
    while the corrector is content, the order is held at 2 for a while, longer each time.
    """

    name = "GSTIFF"

    def __init__(self, system, options=None):
        super().__init__(system, options)
        o = self.options
        formulation = (o.formulation or "I3").upper()
        if formulation not in ("I3", "SI2"):
            raise ValueError(f"formulation {o.formulation!r} of GSTIFF is neither I3 nor SI2")
        self.stabilised = formulation == "SI2"
        velocities = o.corrector != "modified" or self.stabilised
        self.settings = Settings(self.kappa, self.maxit, velocities, self.stabilised, self.search, not self.fixed, REDUNDANT)
        self.kmax = min(o.kmax or MAXORD, MAXORD)
        ny, m, z = len(system.y0), system.m, np.zeros
        self.N = Nordsieck(z((8, ny)), z((8, ny)), z(ny), z(ny), z(ny), z(6 * system.nb + 6), z(ny), z(m), z(m),
                           coefficients(), z(2))  # fmt: skip
        self._lam = self.N.lam1
        self._acc = z(6 * system.nb + 6)
        self._patience, self._strikes, self._hold = 50, 0.0, 0

    def _begin(self):
        N, I, h = self.N, self.I, self.h
        n = self.S.bodies.n
        self.order = 1
        N.Z[:] = 0.0
        N.Z[0] = self.y
        N.Z[1] = h * I.yd
        N.Z[1, 13 * n : 13 * n + 13] = 0.0
        N.eold[:] = 0.0
        N.lam0[:] = I.lam[:] = N.lam1
        I.acc[:] = self.W.acc
        I.bias[:] = 0.0
        I.xbias[:] = 0.0
        self.hz, self._last, self._wait, self._most = h, 0.0, 2, 1e4
        self._raise = False
        self.refresh, self._matrix = True, 0.0
        a = 1.0 / h
        self._first_matrix(1.0, a * a, a, a)

    def _make_handle(self):
        self.handle = make_handle(self.S, self.W, Parts(self.I, self.lu.arrays, self.N, self.weights, self.settings))

    def _try(self, h):
        N = self.N
        if self._raise:
            raise_order(N.Z, N.eold, self.order - 1, N.coef[self.order - 1, self.order - 1])
            self._raise = False
        if h != self.hz:
            rescale(N.Z, self.order, h / self.hz)
            if abs(h / self.hz - 1.0) > 1e-9:
                self._wait = max(self._wait, self.order + 1)
            self.hz = h
        a = 1.0 / (N.coef[self.order, 0] * h)
        refresh = self.fresh or self.refresh or abs(a - self._matrix) > 0.2 * a
        grow = h / self._last if self._last > 0 else 0.0
        result = step(self.handle, self.y, self.t, h, self.order, self.kmax, grow, self.pattern if refresh else 0)
        if result[2]:
            self._matrix = a
        return result

    def _accept(self, h, error, iterations):
        N, k = self.N, self.order
        self._last = h
        self.k_done = k
        self.refresh = iterations > 4
        self._strikes *= 0.95
        self._hold = max(0, self._hold - 1)
        self._wait -= 1
        if self.fixed:
            if self._wait <= 0 and k < self.kmax:
                self._raise, self.order, self._wait = True, k + 1, k + 2
            return
        if self._wait > 0:
            return
        same = 1.0 / (1.2 * error ** (1 / (k + 1)) + 1.2e-6)
        down = 1.0 / (1.3 * N.errors[1] ** (1 / k) + 1.3e-6) if k > 1 else 0.0
        limit = min(self.kmax, 2) if self._hold else self.kmax
        up = 1.0 / (1.4 * N.errors[0] ** (1 / (k + 2)) + 1.4e-6) if k < limit else 0.0
        best, new = max((same, k), (down, k - 1), (up, k + 1), key=lambda c: c[0])
        if k > limit:
            best, new = down, k - 1
        elif best < 1.1:
            self._wait = 3
            return
        if new > k:
            self._raise = True
        self.order = new
        self.h = h * min(best, self._most)
        self._most = 10.0
        self._wait = new + 1

    def _refuse(self, status, h, error, failures):
        N, k = self.N, self.order
        self._wait = k + 1
        self._most = 2.0
        self.refresh = True
        if status != INACCURATE:
            self.h = 0.25 * h
            if failures > 3 and k > 1:
                self.order = 1
            return
        if k > 2:
            self._strikes += 1.0
            if self._strikes > 3.0:
                self._hold, self._strikes = self._patience, 0.0
                self._patience = min(2 * self._patience, 10000)
        ratio = 1.0 / (1.2 * error ** (1 / (k + 1)) + 1.2e-6)
        down = 1.0 / (1.3 * N.errors[1] ** (1 / k) + 1.3e-6) if k > 1 else 0.0
        if down > ratio:
            ratio, self.order = min(down, 1.0), k - 1
        if failures > 1:
            ratio = min(ratio, 0.2)
        if failures > 2 and k > 1:
            self.order, ratio = 1, min(ratio, 0.1)
        self.h = h * min(max(ratio, 0.1), 0.9)

    def interpolate(self, t, out, rates=None):
        s = (t - self.t) / self.hz
        yd = self.I.yd if rates is None else rates
        evaluate_history(self.N.Z, self.S.bodies.n, self.system.nx, self.k_done, self.hz, s, out, self._acc, yd)

    def interpolate_lam(self, t):
        s = (t - self.t_old) / self.h_done if self.h_done else 1.0
        return (1 - s) * self.N.lam0 + s * self.N.lam1
