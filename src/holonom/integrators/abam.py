"""ABAM: Adams-Bashforth predictor, Adams-Moulton corrector, orders 1 to 12, variable step, on a minimal set.

Modified divided differences phi_i, one evaluation after the prediction of order k and one after the correction of order
k + 1 (PECE with local extrapolation), steps that double, stay or shrink:
    p = s_n + h sum_{i<=k} g_i phi*_i,      s_{n+1} = p + h g_{k+1} (f(p) - sum_{i<=k} phi*_i)
Shampine and Gordon, Computer Solution of Ordinary Differential Equations (1975), chs. 5, 7 and 10.  The independent
coordinates come from `partition`; a new partition or a new reference for rotation vectors does not cost the order: the
rates of the past are expressed in the new coordinates and their differences are taken again.
"""

from __future__ import annotations

import math
from collections import namedtuple
from fractions import Fraction
from functools import partial

import numpy as np

from .._jit import Entry, jit
from ..elements.bodies.history import past_rate
from ..elements.bodies.increments import largest_turn
from ..model import ModelError
from .dop853 import TABLE
from .entry import MINIMAL, REBASE, STEP
from .explicit import REDUNDANT, ExplicitStepper, _cause, _why
from .partition import Partition
from .reduced import ACCEPT, DECIDE, KEEP
from .stepper import Step, advice

HIGHEST = 12
PAST = HIGHEST + 2
TURN = 1.0  # rad from the reference at which a new one is taken
SEEN = 2.5  # rad from the new reference beyond which the past is forgotten
#: where absolute stability of the pair ends on the negative real axis, constant step, orders 1 to 12
STABLE = (2.0, 2.4, 1.93, 1.41, 1.04, 0.77, 0.58, 0.44, 0.34, 0.26, 0.21, 0.16)

Differences = namedtuple("Differences", "phi star psi new sigma g c e")
Differences.__doc__ = """phi (16, ny): modified divided differences at the last step, phi[i - 1] is phi_i; star (16,
ny): those of the trial, first scaled, then summed; psi (15): t_n - t_{n-i}; new (15): t_{n+1} - t_{n+1-i}; sigma (16),
g (16): coefficients; c (17) work; e (6): sums of errors."""


def moulton(n: int) -> np.ndarray:
    """|gamma*_i|, i = 0..n, of the Adams-Moulton formulas at a constant step."""
    c = [Fraction(1)]
    for m in range(1, n + 1):
        c.append(-sum((c[j] / (m + 1 - j) for j in range(m)), Fraction(0)))
    return np.array([abs(float(v)) for v in c])


GAMMA = moulton(PAST)


@jit(entry="Differences, int64, float64, int64, float64[::1], float64[::1]")
def predict(A, k, h, size, s, p):
    """Coefficients for a step h at order k; p <- prediction.  A.star becomes the sums phi*_i + ... + phi*_k."""
    beta = 1.0
    A.new[0] = h
    A.sigma[0] = 1.0
    for i in range(1, k + 1):
        A.new[i] = h + A.psi[i - 1]
    for i in range(1, k + 1):  # sigma_{i+1} = i alpha_i sigma_i
        A.sigma[i] = i * h / A.new[i - 1] * A.sigma[i - 1]
    for q in range(k + 1):
        A.c[q] = 1.0 / (q + 1)
    A.g[0] = 1.0
    for i in range(1, k + 1):
        a = 1.0 if i == 1 else h / A.new[i - 1]
        for q in range(k + 1 - i):
            A.c[q] -= a * A.c[q + 1]
        A.g[i] = A.c[0]
    for i in range(k):
        if i > 0:
            beta *= A.new[i - 1] / A.psi[i - 1]
        for c in range(size):
            A.star[i, c] = beta * A.phi[i, c]
    for c in range(size):
        v = 0.0
        total = 0.0
        for j in range(k):
            i = k - 1 - j
            v += A.g[i] * A.star[i, c]
            total += A.star[i, c]
            A.star[i, c] = total
        p[c] = s[c] + h * v


@jit(entry="Differences, int64, int64, float64[::1], float64[::1]")
def judge(A, k, size, f, weight):
    """Squares of the estimates at orders k, k - 1, k - 2 into A.e, without their factors."""
    a = 0.0
    b = 0.0
    d = 0.0
    for c in range(size):
        w = weight[c]
        v = f[c] - A.star[0, c]
        a += (v * w) ** 2
        if k > 1:
            b += ((A.star[k - 1, c] + v) * w) ** 2
        if k > 2:
            d += ((A.star[k - 2, c] + v) * w) ** 2
    A.e[0] = a
    A.e[1] = b
    A.e[2] = d


@jit(entry="Differences, int64, float64, int64, float64[::1], float64[::1], float64[::1]")
def correct(A, k, h, size, p, f, s):
    """s <- corrected state."""
    for c in range(size):
        s[c] = p[c] + h * A.g[k] * (f[c] - A.star[0, c])


@jit(entry="Differences, int64, int64, int64, float64[::1], float64[::1], float64[::1]")
def accept(A, k, size, first, fp, f, weight):
    """Differences at the new point, where the rate is f; fp: that at the prediction.  A.e[3]: square for the order k +
    1; A.e[4], A.e[5]: squares of f - fp and of the correction over velocities and states (components from
    ``first``)."""
    a = 0.0
    b = 0.0
    d = 0.0
    for c in range(size):
        w = weight[c]
        v = f[c] - A.star[0, c]
        A.phi[k + 1, c] = v - A.phi[k, c]
        A.phi[k, c] = v
        a += (A.phi[k + 1, c] * w) ** 2
        for i in range(k):
            A.phi[i, c] = A.star[i, c] + v
        if c >= first:
            b += ((f[c] - fp[c]) * w) ** 2
            d += (A.g[k] * (fp[c] - A.star[0, c]) * w) ** 2
    for i in range(k + 1):
        A.psi[i] = A.new[i]
    A.e[3] = a
    A.e[4] = b
    A.e[5] = d


@jit(entry="Differences, int64, float64, int64, float64[::1], float64[::1]")
def inside(A, k, x, size, s, out):
    """out <- the interpolant of the last step, of order k, at the time x (negative) from its end."""
    for i in range(k + 1):
        A.c[i] = 1.0 / (i + 1)
    A.g[0] = 1.0
    rho = 1.0
    term = 0.0
    for c in range(size):
        out[c] = A.phi[0, c]
    for j in range(1, k + 1):
        psi = A.psi[j - 1]
        gamma = (x + term) / psi
        eta = x / psi
        for i in range(k + 1 - j):
            A.c[i] = gamma * A.c[i] - eta * A.c[i + 1]
        rho *= gamma
        term = psi
        for c in range(size):
            out[c] += A.c[0] * A.phi[j, c]
    for c in range(size):
        out[c] = s[c] + x * out[c]


@jit(entry="Differences, int64, int64, float64[::1]")
def differences(A, count, size, times):
    """Modified divided differences from the rates A.phi[j] at ``times`` [j], the latest first."""
    for i in range(1, count):
        for j in range(count - 1, i - 1, -1):
            d = times[j - i] - times[j]
            for c in range(size):
                A.phi[j, c] = (A.phi[j - 1, c] - A.phi[j, c]) / d
    f = 1.0
    for i in range(1, count):
        A.psi[i - 1] = times[0] - times[i]
        f *= A.psi[i - 1]
        for c in range(size):
            A.phi[i, c] *= f


class ABAM(ExplicitStepper):
    """Adams PECE of variable order and step.  ``kmax`` limits the order k of the predictor (the solution is of order k
    + 1).

    At a fixed step the order is kmax (4 unless given), and the first steps are taken with DOP853.
    """

    name = "ABAM"
    tableau = TABLE  # for the first steps at a fixed step
    formulations = ("MINIMAL",)
    warps = False

    def __init__(self, system, options):
        super().__init__(system, options)
        self.kmax = options.kmax or (4 if self.fixed else HIGHEST)
        if not 1 <= self.kmax <= HIGHEST:
            raise ModelError(f"KMAX of ABAM is {self.kmax}; it must lie between 1 and {HIGHEST}")
        ny = len(system.y0)
        z = np.zeros
        self.A = Differences(z((16, ny)), z((16, ny)), z(15), z(15), z(16), z(16), z(17), z(6))
        self._s, self._p, self._f, self._fp, self._last = z(ny), z(ny), z(ny), z(ny), z(ny)
        self._times = z(PAST)
        self._newest = 0
        self._predict, self._judge, self._correct, self._accept, self._within = (
            Entry(predict),
            Entry(judge),
            Entry(correct),
            Entry(accept),
            Entry(inside),
        )
        self._y, self._yd = z((PAST, ny)), z((PAST, ny))

    @property
    def partition(self) -> Partition:
        """The minimal set: no other state has its past."""
        assert isinstance(self.reduced, Partition)
        return self.reduced

    # ---- protocol ---------------------------------------------------------------------------------------------------
    def restart(self, h0: float | None = None) -> None:
        self._known = 0
        self.order = 1
        self._equal = 0  # steps of the present size
        self._climbing = True  # the first phase: order and step grow at each step
        self._erk = 0.0
        self._low = 0
        super().restart(h0)
        self._begin()

    def _first_step(self) -> float:
        """So that a step of first order is well within the error allowed."""
        T, M, span = self.stages, self.M, self.tend - self.t
        assert M is not None
        size = int(M.size[1])
        self._weights(self.options.error)
        w = T.weight[:size]
        norm = lambda v: math.sqrt(float(np.mean((v * w) ** 2))) if size else 0.0
        d1 = norm(T.K[0, :size])
        h = min(1e-4 * span, 0.1 / d1 if d1 > 0.0 else span)
        T.ya[:size] = T.x[:size] + h * T.K[0, :size]
        pivot, *_ = self._enter.call(self.handle, MINIMAL, T.ya, self.t + h, 0.0, REDUNDANT, 0, T.K[1])
        self.statistics["evaluations"] += 1
        d2 = norm(T.K[1, :size] - T.K[0, :size]) / h if pivot > 0.0 else math.inf
        return min(0.5 / math.sqrt(d2) if d2 > 0.0 else span, 0.01 * span)

    def _begin(self) -> None:
        """The state that `_begin_reduced` left in x and K[0] is the first known point."""
        T, M, A = self.stages, self.M, self.A
        assert M is not None
        size = int(M.size[1])
        self._s[:size] = T.x[:size]
        A.phi[:] = 0.0
        A.phi[0, :size] = T.K[0, :size]
        self._remember()
        self._stepped = False  # the reference is that of `_begin_reduced`

    def step(self, tmax: float) -> Step:
        """One accepted step that does not pass ``tmax``.  Raises IntegrationError."""
        o, M, A, part, count = self.options, self.M, self.A, self.partition, self.statistics
        assert M is not None
        T, s, p, f, fp = self.stages, self._s, self._p, self._f, self._fp
        if self._stepped:
            self._renew()
        if self.fixed and self._known < self.kmax:
            return self._first_steps(tmax)
        if self.fixed:
            self.order = self.kmax
        rejected: list = []
        failures = 0
        evaluate = partial(self._enter.call, self.handle, MINIMAL)
        self._weights(o.error)
        while True:
            size, first, weight = part.size, part.f, T.weight
            h, last = self._size(tmax, rejected)
            k = self.order
            t = self.t + h
            self._predict.call(A, k, h, size, s, p)
            pivot, skipped, *_ = evaluate(p, t, 0.0, REDUNDANT, 0, fp)
            count["evaluations"] += 1
            self._user_failure()
            error = erk = erkm1 = erkm2 = math.inf
            lower = False
            if pivot > 0.0:
                self._judge.call(A, k, size, fp, weight)
                scale = h / math.sqrt(T.count[0])
                root = scale * math.sqrt(A.e[0])
                error = root * abs(A.g[k - 1] - A.g[k])
                erk = root * A.sigma[k] * GAMMA[k]
                erkm1 = scale * A.sigma[k - 1] * GAMMA[k - 1] * math.sqrt(A.e[1]) if k > 1 else math.inf
                erkm2 = scale * A.sigma[k - 2] * GAMMA[k - 2] * math.sqrt(A.e[2]) if k > 2 else math.inf
                lower = k > 1 and (max(erkm1, erkm2) <= erk if k > 2 else erkm1 <= 0.5 * erk)
            if self.fixed and pivot > 0.0 and error < 1e200:
                error = 0.0
            if error <= 1.0:
                self._correct.call(A, k, h, size, p, fp, s)
                pivot, skipped, *_ = evaluate(s, t, 0.0, REDUNDANT, KEEP + DECIDE + ACCEPT, f)
                count["evaluations"] += 1
                self._user_failure()
                if pivot > 0.0:
                    break
                s[:] = self._last
                error = math.inf
            cause = _cause(error if pivot > 0.0 else 0.0, pivot)
            count[f"rejected: {cause}"] += 1
            rejected.append((self.t, h, k, 0, cause))
            failures += 1
            self._climbing = False
            if self.fixed:
                raise advice(f"the fixed step of {h:.3g} fails ({cause})", self.t, self.system, cause=_why(rejected))
            if failures > 60:
                raise advice("no step is accepted", self.t, self.system, cause=_why(rejected))
            if cause == "error":
                self.order = k - 1 if lower else k
                self.h = h * (0.5 if failures <= 3 or not 0.5 < 0.25 * erk else math.sqrt(0.5 / erk))
                if failures >= 3:
                    self.order = 1
            else:
                self.h = 0.25 * h
            self._equal = 0
            if cause == "not closed" and failures in (2, 8):
                self._begin_reduced()
                self._again()
                self._weights(o.error)
        self._accept.call(A, k, size, first, fp, f, weight)
        self._equal = self._equal + 1 if abs(h - self._hold) <= 1e-14 * h else 1
        self._hold = h
        wanted = self.h
        self._choose(k, h, lower, erk, erkm1)
        if last and h < 0.5 * wanted:
            self.h = wanted
        if A.e[5] > 0.0:
            self._stability(k, math.sqrt(A.e[4] / A.e[5]))
        self._finish(t if not last else tmax, h, skipped, pivot)
        return Step(self.t_old, self.t, h, k, self._iterations(), rejected)

    def interpolate(self, t: float, out: np.ndarray) -> None:
        """State at a time inside the last step."""
        T, M = self.stages, self.M
        assert M is not None
        if t == self.t or not self.h_done:
            out[:] = self.y
            return
        size = int(M.size[1])
        if self._by_runge_kutta:
            super().interpolate(t, out)
            return
        within = self._within.call
        within(self.A, self._k, t - self.t, size, self._s, T.ya)
        self._close(t, T.ya, lambda time: within(self.A, self._k, time - self.t, size, self._s, T.ya))
        out[:] = M.y

    # ---- pieces -----------------------------------------------------------------------------------------------------
    _hold = 0.0
    _by_runge_kutta = False

    def _size(self, tmax: float, rejected: list) -> tuple[float, bool]:
        """Size of the next trial, and whether it ends at ``tmax``."""
        o = self.options
        h = min(self.h, o.hmax) if o.hmax else self.h
        left = tmax - self.t
        last = h >= left * (1 - 1e-12) - 1e-12 * abs(tmax) or (self.fixed and h >= left * (1 - 1e-6))
        if last:
            h = left
        elif h > 0.5 * left and not self.fixed:
            h = 0.5 * left  # no splinter at the end
        if h <= 4e-16 * max(abs(self.t), abs(tmax)) or (o.hmin and h < o.hmin and not last and h < 0.4 * left):
            raise advice(f"the step became too small ({h:.3g})", self.t, self.system, cause=_why(rejected))
        return h, last

    def _choose(self, k: int, h: float, lower: bool, erk: float, erkm1: float) -> None:
        """Order and size of the next step (Shampine and Gordon, ch. 7)."""
        self._k = k
        if self.fixed:
            return
        if lower or k == self.kmax:
            self._climbing = False
        if self._climbing:
            self.order, erk = k + 1, 0.0
        elif lower:
            self.order, erk = k - 1, erkm1
        elif self._equal > k and k < self.kmax:
            higher = h / math.sqrt(self.stages.count[0]) * GAMMA[k + 1] * math.sqrt(self.A.e[3])
            if k > 1 and erkm1 <= min(erk, higher):
                self.order, erk = k - 1, erkm1
            elif higher < (0.5 * erk if k == 1 else erk):
                self.order, erk = k + 1, higher
        if self._climbing or 0.5 >= erk * 2.0 ** (self.order + 1):
            self.h = 2.0 * h
        elif 0.5 >= erk:
            self.h = h
        else:
            self.h = h * max(0.5, min(0.9, (0.5 / erk) ** (1.0 / (self.order + 1))))

    def _stability(self, k: int, reach: float) -> None:
        """Stiff when h |lambda| is near the boundary of the order in use, and orders have fallen, most of the time:
        high orders are near their boundaries for the sake of accuracy."""
        self.stable = 0.6 * STABLE[k - 1] if k <= 5 else math.inf
        self._watch(reach)

    def _finish(self, t: float, h: float, skipped: int, pivot: float) -> None:
        assert self.M is not None
        self.t_old, self.t, self.h_done = self.t, t, h
        self.y[:] = self.M.y
        self.skipped, self._pivot = skipped, pivot
        self.worst_pivot = min(self.worst_pivot, pivot)
        self._by_runge_kutta = False
        self._stepped = True
        self.statistics["steps"] += 1
        self._remember()

    def _remember(self) -> None:
        """The present point joins the past."""
        M = self.M
        assert M is not None
        self._newest = (self._newest - 1) % PAST
        k = self._newest
        self._times[k] = self.t
        self._y[k] = M.y
        self._yd[k] = M.yd
        self._known = min(self._known + 1, PAST)
        self._last[:] = self._s

    def _order_of_past(self) -> np.ndarray:
        """Places of the known points, the latest first."""
        return (self._newest + np.arange(self._known)) % PAST

    def _renew(self) -> None:
        """A new partition when the dependent block has degraded, a new reference when a body has turned far."""
        M, part = self.M, self.partition
        assert M is not None
        if part.degraded(self._pivot):
            self._begin_reduced()
        elif largest_turn(self.system.bodies, M.base[0]) > TURN:
            self._enter.call(self.handle, REBASE, self.y, self.t, 0.0, REDUNDANT, 0, self.stages.d)
        else:
            return
        self._again()

    def _again(self) -> None:
        """State and differences in the coordinates of the present reference; the past beyond `SEEN` is forgotten."""
        M, A, T = self.M, self.A, self.stages
        assert M is not None
        f, size = (int(v) for v in M.size)
        self._s[:size] = T.x[:size]
        self._last[:] = self._s
        usable = 0
        past = self._order_of_past()
        for j in past:
            if not self._past_rate(j, A.phi[usable]) < SEEN:
                break
            usable += 1
        self._known = usable
        A.phi[usable:] = 0.0
        differences(A, usable, size, self._times[past])
        if not self.fixed:
            self.order = max(1, min(self.order, usable - 1))

    def _past_rate(self, j: int, out: np.ndarray) -> float:
        """out <- rate of the minimal state at known point ``j`` relative to the present reference; returns the largest
        turn between them."""
        M, bodies, nx = self.M, self.system.bodies, self.system.nx
        assert M is not None
        f = int(M.size[0])
        out[2 * f : 2 * f + nx] = self._yd[j, bodies.end :]
        return past_rate(bodies, f, M.coord, M.ref, self._y[j], self._yd[j], out)

    def _first_steps(self, tmax: float) -> Step:
        """DOP853 at the fixed step until the order's past is known."""
        T, M, part = self.stages, self.M, self.partition
        assert M is not None
        size = part.size
        h, last = self._size(tmax, [])
        T.x[:size] = self._s[:size]
        T.K[0, :size] = self.A.phi[0, :size]
        self._weights(self.options.error)
        T.weight[:] *= 1e-30
        err, skipped, pivot, _ = self._enter.call(self.handle, STEP, self.y, self.t, h, REDUNDANT, 0, T.d)
        self.statistics["evaluations"] += TABLE.stages
        self._user_failure()
        if not err < 1.0:
            raise advice(f"the fixed step of {h:.3g} fails ({_cause(err, pivot)})", self.t, self.system)
        self._s[:size] = T.x[:size]
        self._finish(tmax if last else self.t + h, h, skipped, pivot)
        self._hold = h
        self._dense_ready = False
        self._by_runge_kutta = True
        past = self._order_of_past()
        for j, k in enumerate(past):
            self._past_rate(k, self.A.phi[j])
        differences(self.A, self._known, size, self._times[past])
        return Step(self.t_old, self.t, h, TABLE.order, self._iterations(), [])
