"""RADAU5 in joint coordinates: Radau IIA with three stages, order 5, on the ordinary differential equations

    q' = N(q) v,    v' = a(q, v, x, t),    x' = f(q, v, x, t)

of `joint_set`: accelerations by the recursion over the tree of joints, with the rows over it resolved in each stage and
projected onto at the end of each step.  The state is (q, v, x) itself; it is small, so matrices are full.

Each eigenvalue s of A^-1 over h (`radau`) takes one linear system.  With  J_q  the derivative of (a, f) with respect
to displacements d of the freedoms (q moves by N d) and J_w that with respect to w = (v, x), the coordinates are
eliminated:

    (s - J_w - J_q D) dw = r_w + J_q T (s - M)^-1 r_q,    dq = (s - M)^-1 (r_q + N dv),

where M is that of quaternions, q' = M(v) q, T takes rates of coordinates to displacements, and D = T (s - M)^-1 N.

Hairer, Wanner, Solving Ordinary Differential Equations II (1996), IV.8; derivatives are taken at the predicted middle
stage, as in `radau`: exactly (`recursive.acceleration_gradients`), or by differences of the rates where contacts,
states, or rows of curves and functions are added to the tree.
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import jit
from ..elements.joints.composition import BALL
from ..linalg.dense_lu import factor_dense, solve_dense
from ..recursive.acceleration_gradients import acceleration_gradients, make_couplings
from ..recursive.gradients import make_gradients
from ..recursive.kernels import coordinate_rates, displacements, move_coordinates
from ..recursive.row_gradients import rows_have_derivatives
from ..system.implicit import Implicit
from .dop853 import TABLE
from .explicit import ExplicitStepper
from .joint_set import find_turn, joint_rate, square_of_errors
from .newton import CAUSES, CONVERGED, CORRECTOR, DIVERGED, INACCURATE, NOT_FINITE, REASONS, SINGULAR
from .partition import NOT_CLOSED
from .radau import _AI, _C, _E, _T, _TC, _TR, MU_COMPLEX, MU_REAL, Formula, radau_weights
from .reduced import ACCEPT, DECIDE
from .stepper import Step, advice

#: of the scale of a component: how far it is moved for a difference
NUDGE = 1e-7

Collocation = namedtuple("Collocation", "begun s s1 Z H F G Jq Jw A C order corder r w rr wr rc wc qc count exact")
Collocation.__doc__ = """Of a state of size n with nv freedoms and nw = nv + states: begun, s, s1 (n) the beginning
of the step, a stage, where derivatives are taken; Z, H, F, G (3, n) stages of this step and of the last one over its
beginning, rates, residuals; Jq (nw, nv), Jw (nw, nw); A, C (nw, nw) factors, real and complex, and their orders; r, w
(n, nw) real work; rr, wr (nw) and rc (n), wc (nw), qc (n + nw) right sides and solutions, real and complex; count (1)
evaluations made; exact (1): 1 where derivatives are analytic."""

#: work of explicit methods, joint state, collocation, formula, iteration of the implicit methods, work of derivatives
JointParts = namedtuple("JointParts", "T M Q R I N E")


@jit
def turn_rates(v, k, q, c, out):
    """out (4) <- M(v) q of the quaternion q[c:] with the rates v[k:]."""
    w0 = 0.5 * v[k]
    w1 = 0.5 * v[k + 1]
    w2 = 0.5 * v[k + 2]
    a = q[c]
    b0 = q[c + 1]
    b1 = q[c + 2]
    b2 = q[c + 3]
    out[c] = -b0 * w0 - b1 * w1 - b2 * w2
    out[c + 1] = a * w0 + b1 * w2 - b2 * w1
    out[c + 2] = a * w1 - b0 * w2 + b2 * w0
    out[c + 3] = a * w2 + b0 * w1 - b1 * w0


@jit
def resolve_coordinates(T, s1, v, s, r, out):
    """out (nq) <- (s - M)^-1 r, M at the rates v; r and out are not the same."""
    for o in range(T.kind.shape[0]):
        c = T.coordinate[o]
        k = T.freedom[o]
        if T.kind[o] == BALL:
            turn_rates(v, k, r, c, out)
            f = 1.0 / (s * s + 0.25 * (v[k] * v[k] + v[k + 1] * v[k + 1] + v[k + 2] * v[k + 2]))
            for l in range(4):
                out[c + l] = f * (s * r[c + l] + out[c + l])
        else:
            out[c] = r[c] / s


@jit(apart=True)
def differences(S, W, M, T, Q, t, weight, error, eps):
    """Jq, Jw <- derivatives at (t, s1) by differences; rates there are F[1]."""
    tree = M.tree
    nq = tree.nq
    nv = tree.nv
    n = M.size[1]
    out = T.d
    for k in range(nv + n - nq):
        for c in range(n):
            Q.s[c] = Q.s1[c]
        if k < nv:
            if tree.held[k] != 0:
                for l in range(n - nq):
                    Q.Jq[l, k] = 0.0
                continue
            for c in range(nv):
                Q.w[c] = 0.0
            # a scale of rates is that of coordinates over a time: of displacements the coordinates give it
            step = NUDGE * Q.r[k]
            Q.w[k] = step
            move_coordinates(tree, Q.s, Q.w)
        else:
            if k < 2 * nv and tree.held[k - nv] != 0:
                for l in range(n - nq):
                    Q.Jw[l, k - nv] = 0.0
                continue
            c = nq + k - nv
            step = NUDGE / (error * weight[c])
            Q.s[c] += step
        joint_rate(S, W, M, t, Q.s, out, eps, 0)
        Q.count[0] += 1.0
        f = 1.0 / step
        for l in range(n - nq):
            x = (out[nq + l] - Q.F[1, nq + l]) * f
            if k < nv:
                Q.Jq[l, k] = x
            else:
                Q.Jw[l, k - nv] = x


@jit
def fill_matrix(T, Q, q, v, s, A):
    """A <- s - J_w - J_q D"""
    n = Q.Jw.shape[0]
    for i in range(n):
        for j in range(n):
            A[i, j] = -Q.Jw[i, j]
        A[i, i] += s
    for o in range(T.kind.shape[0]):
        k = T.freedom[o]
        if T.kind[o] == BALL:
            # D d = f (s d + d x v / 2)
            f = 1.0 / (s * s + 0.25 * (v[k] * v[k] + v[k + 1] * v[k + 1] + v[k + 2] * v[k + 2]))
            for i in range(n):
                a = Q.Jq[i, k]
                b = Q.Jq[i, k + 1]
                c = Q.Jq[i, k + 2]
                A[i, k] -= f * (s * a + 0.5 * (c * v[k + 1] - b * v[k + 2]))
                A[i, k + 1] -= f * (s * b + 0.5 * (a * v[k + 2] - c * v[k]))
                A[i, k + 2] -= f * (s * c + 0.5 * (b * v[k] - a * v[k + 1]))
        else:
            f = 1.0 / s
            for i in range(n):
                A[i, k] -= f * Q.Jq[i, k]


@jit
def solve_system(T, Q, q, v, s, A, order, r, right, w, work):
    """Solution of the system of one eigenvalue: w (nw) = dw and r (n) <- dq, dw from the right side r (n); right (nw),
    work (n)."""
    nq = T.nq
    nv = T.nv
    nw = A.shape[0]
    resolve_coordinates(T, q, v, s, r, work)
    displacements(T, q, work, w)
    for i in range(nw):
        t = r[nq + i]
        for k in range(nv):
            t += Q.Jq[i, k] * w[k]
        right[i] = t
    solve_dense(A, order, right, w)
    coordinate_rates(T, q, w, work)
    for c in range(nq):
        r[c] += work[c]
    resolve_coordinates(T, q, v, s, r, work)
    for c in range(nq):
        r[c] = work[c]
    for i in range(nw):
        r[nq + i] = w[i]


@jit
def predict(R, Q, n, K, h, hold):
    """Stages by extrapolation of the last step's polynomial; at a start by the rates K there."""
    for i in range(3):
        if hold > 0.0:
            l0, l1, l2 = radau_weights(1.0 + R.c[i] * h / hold)
            for c in range(n):
                Q.Z[i, c] = l0 * Q.H[0, c] + l1 * Q.H[1, c] + (l2 - 1.0) * Q.H[2, c]
        else:
            for c in range(n):
                Q.Z[i, c] = R.c[i] * h * K[c]


@jit(
    entry=(
        "Handle(Tables, Work, JointParts(Stages, JointState, complex Collocation, complex Formula, Iteration, "
        "Gradients, Couplings)), float64[::1], float64, float64, float64, float64, float64, int64, float64"
    )
)
def joint_step(handle, y, t, h, hold, kappa, error, maxit, check):
    """One trial step from (t, x) with the rates K[0]; on success x is its end, K[0] the rates there and y the state of
    all bodies.  hold: size of the step before, 0 at a start; check: 0 takes the step whatever its error is.

    Returns status, iterations, error, pivot, skipped rows."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    T, M, Q, R = P.T, P.M, P.Q, P.R
    tree = M.tree
    nq = tree.nq
    nv = tree.nv
    n = M.size[1]
    eps = 1e-8
    sr = MU_REAL / h
    sc = MU_COMPLEX / h
    weight = T.weight
    for c in range(n):
        Q.begun[c] = T.x[c]
    predict(R, Q, n, T.K[0], h, hold)
    for o in range(tree.kind.shape[0]):  # scales of displacements
        k = tree.freedom[o]
        ball = tree.kind[o] == BALL
        for l in range(3 if ball else 1):
            Q.r[k + l] = 1.0 if ball or tree.held[k] != 0 else 1.0 / (error * weight[tree.coordinate[o]])
    old = 1.0
    pivot = 1.0
    skipped = 0
    q = Q.s1[:nq]
    v = Q.s1[nq : nq + nv]
    for it in range(maxit):
        for turn in range(3):
            i = (turn + 1) % 3  # the middle stage first: derivatives are taken there
            for c in range(n):
                Q.s[c] = Q.begun[c] + Q.Z[i, c]
            pivot, skipped = joint_rate(S, W, M, t + R.c[i] * h, Q.s, Q.F[i], eps, 0)
            Q.count[0] += 1.0
            if not (pivot > 0.0):
                return NOT_FINITE, it + 1, 0.0, pivot, skipped
            if turn == 0 and it == 0:
                for c in range(n):
                    Q.s1[c] = Q.s[c]
                middle = t + R.c[1] * h
                if Q.exact[0] != 0:
                    for k in range(nv):
                        Q.w[k] = M.work.acc[k] + M.work.drive[k]
                    acceleration_gradients(S, W, P.I, tree, M.work, P.N, P.E, M.loops, middle, v, Q.w, Q)
                else:
                    differences(S, W, M, T, Q, middle, weight, error, eps)
                fill_matrix(tree, Q, q, v, sr, Q.A)
                fill_matrix(tree, Q, q, v, sc, Q.C)
                worst = factor_dense(Q.A, Q.order)
                worst = min(worst, factor_dense(Q.C, Q.corder))
                if not (worst > 0.0):
                    return SINGULAR, it + 1, 0.0, pivot, skipped
        for i in range(3):
            a0 = R.Ai[i, 0] / h
            a1 = R.Ai[i, 1] / h
            a2 = R.Ai[i, 2] / h
            for c in range(n):
                Q.G[i, c] = Q.F[i, c] - a0 * Q.Z[0, c] - a1 * Q.Z[1, c] - a2 * Q.Z[2, c]
        for c in range(n):
            Q.w[c] = R.TR[0] * Q.G[0, c] + R.TR[1] * Q.G[1, c] + R.TR[2] * Q.G[2, c]
            Q.rc[c] = R.TC[0] * Q.G[0, c] + R.TC[1] * Q.G[1, c] + R.TC[2] * Q.G[2, c]
        solve_system(tree, Q, q, v, sr, Q.A, Q.order, Q.w, Q.rr, Q.wr, Q.s)
        solve_system(tree, Q, q, v, sc, Q.C, Q.corder, Q.rc, Q.qc[n:], Q.wc, Q.qc[:n])
        total = 0.0
        for i in range(3):
            t0 = R.T[i, 0]
            t1 = R.T[i, 1]
            t2 = R.T[i, 2]
            for c in range(n):
                d = t0 * Q.w[c] + t1 * Q.rc[c].real + t2 * Q.rc[c].imag
                Q.Z[i, c] += d
                total += (d * weight[c]) ** 2
        norm = math.sqrt(total / max(1, 3 * n)) / kappa
        if not (norm < 1e30):
            return NOT_FINITE, it + 1, 0.0, pivot, skipped
        done = norm < 1e-4
        if it > 0 and not done:
            rate = norm / old
            if rate < 1.0 and rate / (1.0 - rate) * norm < 1.0:
                done = True
            elif it > 1 and (rate > 0.99 or rate ** (maxit - 1 - it) * norm / (1.0 - rate) > 1.0):
                return DIVERGED, it + 1, 0.0, pivot, skipped
        old = norm
        if done:
            wrong = 0.0
            if check > 0.0:
                for c in range(n):
                    Q.w[c] = T.K[0, c] + (R.e[0] * Q.Z[0, c] + R.e[1] * Q.Z[1, c] + R.e[2] * Q.Z[2, c]) / h
                solve_system(tree, Q, q, v, sr, Q.A, Q.order, Q.w, Q.rr, Q.wr, Q.s)
                for c in range(n):
                    Q.s[c] = Q.begun[c] + Q.Z[2, c]
                wrong = math.sqrt(square_of_errors(M, Q.s, Q.w, weight) / max(1.0, T.count[0]))
                wrong = max(wrong, find_turn(M, Q.begun, Q.s, h) ** 4)
                if not (wrong <= 1.0):
                    return INACCURATE, it + 1, wrong, pivot, skipped
            for c in range(n):
                T.x[c] = Q.begun[c] + Q.Z[2, c]
            pivot, skipped = joint_rate(S, W, M, t + h, T.x, Q.F[0], eps, DECIDE + ACCEPT)
            Q.count[0] += 1.0
            if not (pivot > 0.0):
                return NOT_FINITE, it + 1, wrong, pivot, skipped
            for c in range(n):
                T.K[0, c] = Q.F[0, c]
                for i in range(3):
                    Q.H[i, c] = Q.Z[i, c]
            for c in range(y.shape[0]):
                y[c] = M.y[c]
            return CONVERGED, it + 1, wrong, pivot, skipped
    return DIVERGED, maxit, 0.0, pivot, skipped


class JointRADAU5(ExplicitStepper):
    """Radau IIA of order 5 on joint coordinates: `radau.RADAU5` for small stiff machines."""

    name = "RADAU5"
    tableau = TABLE  # of the work arrays alone
    warps = False
    quadrature = 3
    Q: Collocation
    stage_handle: Any
    _kernel: Any

    def __init__(self, system, options):
        self._implicit: Implicit | None = None
        super().__init__(system, options)
        o = self.options
        self.order = 5
        self.kappa = (o.newton or CORRECTOR * o.error) / o.error
        self.maxit = min(o.maxit or 10, 60)
        self.statistics |= {"iterations": 0, "matrices": 0}
        self.statistics |= {f"rejected: {cause}": 0 for cause in CAUSES.values()}

    @property
    def looped(self) -> bool:
        return False

    def _make_handle(self) -> None:
        super()._make_handle()
        assert self.M is not None and self.reduced is not None
        n, nv = self.reduced.size, int(self.M.tree.nv)
        nw, z = n - self.reduced.positions, np.zeros
        c = lambda k: z(k, complex)
        self.Q = Collocation(
            z(n), z(n), z(n), z((3, n)), z((3, n)), z((3, n)), z((3, n)), z((nw, nv)), z((nw, nw)), z((nw, nw)),
            c((nw, nw)), z(nw, np.int64), z(nw, np.int64), z(n), z(n), z(nw), z(nw), c(n), c(nw), c(n + nw), z(1),
            z(1, np.int64),
        )  # fmt: skip
        tree, whole = self.M.tree, self._solver()
        rows = self.M.loops.row
        smooth = rows_have_derivatives(self.system, rows)
        self.Q.exact[0] = smooth and not (self.system.contacts.on or self.system.nx)
        couplings = make_couplings(self.system, whole, tree, rows)
        S = whole.S._replace(rows=self.reduced.S.rows)
        formula = Formula(_C, _AI, np.ascontiguousarray(_T), _TR, _TC, _E)
        parts = JointParts(self.stages, self.M, self.Q, formula, whole.I, make_gradients(int(tree.n), nv), couplings)
        self.stage_handle = make_handle(S, whole.W, parts)
        self._kernel = None

    def _solver(self) -> Implicit:
        """Stiffness and damping of the forces; made once."""
        if self._implicit is None:
            self._implicit = Implicit(self.system)
        return self._implicit

    def _first_step(self) -> float:
        o, span = self.options, self.tend - self.t
        return min(1e-3 * (o.hmax or math.inf), 1e-5 * span)

    def restart(self, h0: float | None = None) -> None:
        super().restart(h0)
        self.hold = self._held = 0.0
        self._error, self._rejected = 1e-2, False
        self.Q.H[:] = 0.0

    def step(self, tmax: float) -> Step:
        """One accepted step that does not pass ``tmax``.  Raises IntegrationError."""
        o, T, part, count = self.options, self.stages, self.reduced, self.statistics
        assert part is not None
        if self._stepped and not part.go_on(self, self._pivot):
            self._begin_reduced()
        self._weights(o.error)
        most = min(o.hmax or np.inf, np.inf if self.fixed else part.longest_step)
        rejected: list = []
        hmin = o.hmin or 1e-13 * max(self.tend - self.t, 1e-300)
        begun = T.x[: part.size].copy()
        while True:
            h, last = self._trial(tmax, most)
            if h <= 4e-16 * max(abs(self.t), abs(tmax)):
                raise advice(f"the step became too small ({h:.3g})", self.t, self.system, cause="error")
            if self._kernel is None:
                self._kernel = joint_step.entry(
                    self.stage_handle, self.y, self.t, h, self.hold, self.kappa, o.error, self.maxit, 1.0
                )
            before = float(self.Q.count[0])
            status, iterations, error, pivot, skipped = self._kernel(
                self.stage_handle, self.y, self.t, h, self.hold, self.kappa, o.error, self.maxit,
                0.0 if self.fixed else 1.0,
            )  # fmt: skip
            count["evaluations"] += int(self.Q.count[0] - before)
            count["iterations"] += iterations
            count["matrices"] += 1
            self._user_failure()
            if status == CONVERGED:
                break
            T.x[: part.size] = begun
            cause = CAUSES[status] if pivot != NOT_CLOSED else "not closed"
            rejected.append((self.t, h, self.order, iterations, cause))
            count[f"rejected: {cause}"] = count.get(f"rejected: {cause}", 0) + 1
            if self.fixed or len(rejected) > 60 or h <= hmin:
                raise advice(f"{REASONS[status]} with a step of {h:.3g}", self.t, self.system, cause=CAUSES[status])
            self.h = max(h * (max(0.1, min(0.9, 0.9 * error**-0.25)) if status == INACCURATE else 0.5), hmin)
            self._rejected = True
            if len(rejected) > 2:
                self.hold = 0.0
        self.worst_pivot = min(self.worst_pivot, pivot)
        self._pivot, self.skipped = pivot, skipped
        self.t_old, self.t = self.t, tmax if last else self.t + h
        self.h_done = h
        self._stepped = True
        count["steps"] += 1
        self._choose(h, error, iterations, last)
        if self.tape is not None:
            self.tape.step(self)
        return Step(self.t_old, self.t, h, self.order, iterations, rejected)

    def _trial(self, tmax: float, most: float) -> tuple[float, bool]:
        """Size of the next trial and whether it ends at ``tmax``; the rest is halved rather than left as a splinter."""
        left = tmax - self.t
        h = min(self.h, most)
        if h >= left * (1 - 1e-9):
            return left, True
        return (0.5 * left, False) if not self.fixed and h > 0.5 * left else (h, False)

    def _choose(self, h: float, error: float, iterations: int, last: bool) -> None:
        """Size of the next step, as in `radau`."""
        previous, self.hold = self._held, h
        self._held = h
        if self.fixed:
            return
        error = max(error, 1e-10)
        factor = 0.9 * (2 * self.maxit + 1) / (2 * self.maxit + iterations) * error**-0.25
        if previous > 0.0:
            factor = min(factor, 0.9 * h / previous * (self._error / error**2) ** 0.25)
        if self._rejected:
            factor = min(factor, 1.0)
        self._rejected = False
        self._error = max(error, 1e-2)
        wanted = h * min(max(factor, 0.2), 8.0)
        self.h = max(wanted, self.h) if last and h < 0.999 * self.h and error < 0.5 else wanted

    def interpolate(self, t: float, out: np.ndarray) -> None:
        """State at a time inside the last step."""
        if t == self.t or not self.h_done:
            out[:] = self.y
            return
        assert self.M is not None and self.reduced is not None
        s = self.stages.ya[: self.reduced.size]
        self._polynomial(t, s)
        self._close(t, s, lambda time: self._polynomial(time, s))
        out[:] = self.M.y

    def _polynomial(self, t: float, s: np.ndarray) -> None:
        """s <- the collocation polynomial at time t."""
        x = (t - self.t_old) / self.h_done
        s[:] = self.Q.begun + np.dot(radau_weights(x), self.Q.H)
