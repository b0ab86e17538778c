"""HHT: the Hilber-Hughes-Taylor method on the index-3 equations, second order, one Newton solve a step.

    M a1/(1+alpha) + (G^T lam - F)_1 - alpha/(1+alpha) (G^T lam - F)_0 = 0,      phi(q_1, t_1) = 0
    q1 = q0 o exp(h u0 + h^2 ((1/2 - beta) a0 + beta a1)),      u1 = u0 + h ((1 - gamma) a0 + gamma a1)
    gamma = 1/2 - alpha,    beta = (1 - alpha)^2/4,    -1/3 <= alpha <= 0

Negrut, Rampalli, Ottarsson, Sajdak, J. Comput. Nonlinear Dyn. 2 (2007) 73; rotations on the group as in Bruls, Cardona,
Arnold, Mech. Mach. Theory 48 (2012) 121, with body-axes angular velocities.  States obey the same formula with
x' = (1+alpha) f_1 - alpha f_0.

The algorithmic acceleration a belongs to t + alpha h: its error in positions is (beta + alpha/2 - 1/6) h^3 q''', hence the
estimate (beta + alpha/2 - 1/6) h^2 (a1 - a0).  Accelerations that are reported are -M^-1 (G^T lam - F) at t itself.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .._jit import jit
from ..elements.vectors import turn_quaternion
from ..linalg.lu import lu_refactor
from ..system.dispatch import accept_references
from ..system.handle import make_handle, view_P, view_S, view_W
from ..system.implicit import assemble, decide_rows, residual, solve, stiffness
from ..system.kernels import accept_angles
from .interpolation import hermite, inverse_tangent
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

History = namedtuple("History", "yt yold a aold b acc0 acc1 lam0 lam1 xd xdold f0 f1 turn")
History.__doc__ = """yt (ny) trial; yold start of the last step; a, aold algorithmic accelerations now and before (6 nb + 6);
b: G^T lam - F now; acc0, acc1 accelerations at both ends; lam0, lam1 multipliers; xd, xdold algorithmic rates of
states; f0, f1 their true rates; turn (3 nb) rotation vectors of the step."""

Settings = namedtuple("Settings", "alpha kappa eps maxit velocities search check")
Settings.__doc__ = """alpha; kappa: corrector tolerance / error tolerance; eps: redundancy; maxit; velocities: they take part in
the convergence test; search: rows may be redundant; check: error control."""

Parts = namedtuple("Parts", "I lu H w o")  # of the handle: iteration, factors, history, weights, settings


@jit
def _place(n, nx, y0, a0, acc, xd0, xd, turn, h, beta, gamma, y):
    """Newmark formulas: trial state from the accelerations ``acc``, ``xd`` at its end."""
    for i in range(n):
        o = 13 * i
        f = 6 * i
        for c in range(3):
            y[o + c] = y0[o + c] + h * (y0[o + 7 + c] + h * ((0.5 - beta) * a0[f + c] + beta * acc[f + c]))
            turn[3 * i + c] = h * (y0[o + 10 + c] + h * ((0.5 - beta) * a0[f + 3 + c] + beta * acc[f + 3 + c]))
        for c in range(4):
            y[o + 3 + c] = y0[o + 3 + c]
        turn_quaternion(y, o + 3, turn[3 * i], turn[3 * i + 1], turn[3 * i + 2])
        for c in range(6):
            y[o + 7 + c] = y0[o + 7 + c] + h * ((1.0 - gamma) * a0[f + c] + gamma * acc[f + c])
    o = 13 * n + 13
    for k in range(nx):
        y[o + k] = y0[o + k] + h * ((1.0 - gamma) * xd0[k] + gamma * xd[k])


@jit
def _correct(S, I, turn, aa, ax):
    """Accelerations, rates and multipliers moved by the solution of the linear system."""
    acc = I.acc
    for i in range(S.bodies.n):
        o = I.im.at[i]
        f = 6 * i
        acc[f] += aa * I.sol[o]
        acc[f + 1] += aa * I.sol[o + 1]
        acc[f + 2] += aa * I.sol[o + 2]
        if S.bodies.rotates[i]:
            d0, d1, d2 = inverse_tangent(turn[3 * i], turn[3 * i + 1], turn[3 * i + 2], I.sol[o + 3], I.sol[o + 4], I.sol[o + 5])
            acc[f + 3] += aa * d0
            acc[f + 4] += aa * d1
            acc[f + 5] += aa * d2
    o = I.im.nq
    for k in range(I.im.nx):
        I.xd[k] += ax * I.sol[o + k]
    o += I.im.nx
    for r in range(S.rows.m):
        I.lam[r] += aa * I.sol[o + r]


@jit
def _error(S, I, H, w, h, hold, alpha, beta):
    """Weighted RMS of the local error of positions, rotations and states."""
    n = S.bodies.n
    factor = (beta + 0.5 * alpha - 1.0 / 6.0) * h * h
    total = 0.0
    for i in range(n):
        f = 6 * i
        for c in range(3):
            total += ((I.acc[f + c] - H.a[f + c]) * factor * w.group[0]) ** 2
            total += ((I.acc[f + 3 + c] - H.a[f + 3 + c]) * factor * w.group[1]) ** 2
    for k in range(I.im.nx):
        if hold > 0.0:  # second difference of the rate
            e = h / 6.0 * (I.xd[k] - H.xd[k] - h / hold * (H.xd[k] - H.xdold[k]))
        else:
            e = 0.5 * h * (I.xd[k] - H.xd[k])
        total += (e / (w.floor[4] * (1.0 + w.x[k]))) ** 2
    return math.sqrt(total / max(1, 6 * n + I.im.nx))


@jit
def _accept(S, I, H, y, cm):
    """The trial state becomes the state; forces at its end follow from the balance that the corrector has met."""
    n = S.bodies.n
    for c in range(y.shape[0]):
        H.yold[c] = y[c]
        y[c] = H.yt[c]
    for i in range(n):
        for c in range(6):
            f = 6 * i + c
            mass = S.bodies.mass[i] if c < 3 else S.bodies.J[i, c - 3]
            b = -cm * mass * I.acc[f] - I.bias[f]
            H.acc0[f] = H.acc1[f]
            H.acc1[f] = -b * S.bodies.Minv[i, c]
            H.b[f] = b
            H.aold[f] = H.a[f]
            H.a[f] = I.acc[f]
    for k in range(I.im.nx):
        H.xdold[k] = H.xd[k]
        H.xd[k] = I.xd[k]
        H.f0[k] = H.f1[k]
        H.f1[k] = cm * I.xd[k] + I.xbias[k]
    for r in range(S.rows.m):
        H.lam0[r] = H.lam1[r]
        H.lam1[r] = I.lam[r]


@jit
def step(handle, y, t, h, hold, refresh):
    """`_step` behind a handle."""
    P = view_P(handle)
    return _step(view_S(handle), view_W(handle), P.I, P.lu, P.H, P.w, P.o, y, t, h, hold, refresh)


@jit
def _step(S, W, I, lu, H, w, o, y, t, h, hold, refresh):
    """One trial step from (t, y); on success y is its end.  hold: size of the step before, 0 at a start.

    refresh: iterations with a new matrix, as bits; otherwise the factors at hand serve until they converge slowly.
    Returns status, iterations, matrices, error, worst unknown, worst pivot ratio, dropped rows.
    """
    n = S.bodies.n
    nx = I.im.nx
    alpha = o.alpha
    gamma = 0.5 - alpha
    beta = 0.25 * (1.0 - alpha) ** 2
    cm = 1.0 / (1.0 + alpha)
    aa = 1.0 / (beta * h * h)
    au = gamma / (beta * h)
    ax = 1.0 / (gamma * h)
    g = h / hold if hold > 0.0 else 0.0
    for c in range(6 * n):
        I.acc[c] = H.a[c] + g * (H.a[c] - H.aold[c])
        I.bias[c] = -alpha * cm * H.b[c]
    for k in range(nx):
        I.xd[k] = H.xd[k] + g * (H.xd[k] - H.xdold[k])
        I.xbias[k] = alpha * cm * H.f1[k]
    for r in range(S.rows.m):
        I.lam[r] = H.lam1[r] + g * (H.lam1[r] - H.lam0[r])
    kappa = corrector_tolerance(w, o.kappa, h)
    speed = 0.0
    old = 1.0
    worst = 1.0
    matrices = 0
    where = 0
    dropped = 0
    for it in range(o.maxit):
        _place(n, nx, y, H.a, I.acc, H.xd, I.xd, H.turn, h, beta, gamma, H.yt)
        if it == 0:
            weigh(n, H.yt, w)
            if o.velocities:
                speed = speed_of(w, kappa, au)
        residual(S, W, I, t + h, H.yt, cm, aa, au, ax)
        if (refresh >> it) & 1 != 0 or (it == 2 and matrices == 0):
            if it == 0 and o.search:
                low, dropped = decide_rows(S, W, I, o.eps)
                if not (low > 0.0):
                    return NOT_FINITE, it + 1, matrices, 0.0, where, worst, dropped
            stiffness(S, W, I, t + h, H.yt)
            assemble(S, W, I, H.yt, o.search, cm, aa, au, ax, 0.5 * h * aa, 0.5 * h * au)
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
        _correct(S, I, H.turn, aa, ax)
        if verdict == 1:
            _place(n, nx, y, H.a, I.acc, H.xd, I.xd, H.turn, h, beta, gamma, H.yt)
            error = 0.0
            if o.check:
                error = _error(S, I, H, w, h, hold, alpha, beta)
                if not (error <= 1.0):
                    return INACCURATE, it + 1, matrices, error, where, worst, dropped
            _accept(S, I, H, y, cm)
            accept_angles(W)
            accept_references(S.fn, S.pairs, S, W)
            return CONVERGED, it + 1, matrices, error, where, worst, dropped
    return DIVERGED, o.maxit, matrices, 0.0, where, worst, dropped


class HHT(ImplicitStepper):
    """Hilber-Hughes-Taylor with error control on positions, or at a fixed step when hmin = hmax."""

    name = "HHT"
    order = 2

    def __init__(self, system, options=None):
        super().__init__(system, options)
        o = self.options
        alpha = -0.3 if o.alpha is None else o.alpha
        if not -1 / 3 - 1e-12 <= alpha <= 0:
            raise ValueError(f"ALPHA of HHT is {alpha}; it must lie between -1/3 and 0")
        velocities = o.corrector != "modified"
        self.settings = Settings(alpha, self.kappa, REDUNDANT, self.maxit, velocities, self.search, not self.fixed)
        n, ny, m, nx = system.nb, len(system.y0), system.m, system.nx
        z, q = np.zeros, 6 * system.nb + 6
        self.H = History(z(ny), z(ny), z(q), z(q), z(q), z(q), z(q), z(m), z(m), z(nx), z(nx), z(nx), z(nx), z(3 * n))
        self._lam = self.H.lam1
        self._acc = z(q)

    def _begin(self):
        S, W, I, H = self.S, self.W, self.I, self.H
        n = S.bodies.n
        for a in (H.a, H.aold, H.acc0, H.acc1, I.acc):
            a[:] = W.acc
        H.b[:] = 0.0
        for c in range(6):
            inertia = S.bodies.mass if c < 3 else S.bodies.J[:, c - 3]
            H.b[c : 6 * n : 6] = -inertia * W.acc[c : 6 * n : 6]
        for f in (H.xd, H.xdold, H.f0, H.f1):
            f[:] = I.yd[13 * n + 13 :]
        H.lam0[:] = I.lam[:] = H.lam1
        H.yold[:] = self.y
        self.hold = 0.0
        self.refresh = True
        self._matrix = 0.0
        a, h = self.settings.alpha, self.h
        gamma, beta = 0.5 - a, 0.25 * (1 - a) ** 2
        self._first_matrix(1 / (1 + a), 1 / (beta * h * h), gamma / (beta * h), 1 / (gamma * h))

    def _make_handle(self):
        self.handle = make_handle(self.S, self.W, Parts(self.I, self.lu.arrays, self.H, self.weights, self.settings))

    def _try(self, h):
        refresh = self.fresh or self.refresh or abs(h - self._matrix) > 1e-9 * h
        result = step(self.handle, self.y, self.t, h, self.hold, self.pattern if refresh else 0)
        if result[2]:
            self._matrix = h
        return result

    def _accept(self, h, error, iterations):
        self.hold = h
        self.refresh = iterations > 4
        if not self.fixed:
            f = 0.9 * max(error, 1e-6) ** (-1 / 3)
            if f < 1.0 or f > 1.2:
                self.h = h * min(max(f, 0.5), 2.0)

    def _refuse(self, status, h, error, failures):
        self.h = h * max(0.2, 0.9 * error ** (-1 / 3)) if status == INACCURATE else 0.25 * h
        self.refresh = True
        if failures > 2:
            self.hold = 0.0  # extrapolate nothing

    def interpolate(self, t, out, rates=None):
        H = self.H
        s = (t - self.t_old) / self.h_done if self.h_done else 1.0
        yd = self.I.yd if rates is None else rates
        hermite(self.S.bodies.n, self.system.nx, H.yold, self.y, H.acc0, H.acc1, H.turn, H.f0, H.f1, self.h_done, s, out, self._acc, yd)

    def interpolate_lam(self, t):
        s = (t - self.t_old) / self.h_done if self.h_done else 1.0
        return (1 - s) * self.H.lam0 + s * self.H.lam1
