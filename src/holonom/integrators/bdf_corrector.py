"""What all backward differentiation formulas share: the corrector, the formulations of the constraints, the base class.

Every BDF says, whatever its coefficients, that the derivative at the end of the step is that of the predicting
polynomial plus a multiple of the correction,

    y' = P1 + a (y - P0),

with P0, P1 value and rate of the prediction and a the leading coefficient.  GSTIFF has a = 1/(l_0 h) (fixed
coefficients), DSTIFF a = (1 + 1/2 + .. + 1/k)/h (fixed leading coefficient), WSTIFF a = sum 1/(t_1 - t_(1-i)) (variable
coefficients).  So one compiled corrector serves all; a method's own file holds its history, its error constants and its
choice of order.

The history holds r, the quaternions (4 numbers), r', W and the states x.  Unknowns are dr and dtheta (body axes); the
new quaternion stays of unit length and W = 2 Im(conj(q) q').  With u the velocities (r', W) and M u' = F - G^T lam:

``I3``   q' = u, phi = 0.  Only positions and states are controlled: velocities of an index-3 solution carry an error of
1/h
         times that of the corrector, multipliers 1/h^2, and the matrix of (q, u, lam) has a condition that grows as
             1/h^2.
``SI2``  q' = u - M^-1 G^T mu, phi = 0, G u + phit = 0 (Gear, Gupta, Leimkuhler, J. Comput. Appl. Math. 12 (1985) 77): u
is the
         mass-weighted projection of the derivative of q.  mu comes from the Schur factor, so the matrix is that of I3
         (CLOSED_LOOPS.md, 4.7).  The error test sees velocities too, and multipliers are clean down to the smallest
             steps.
``SI1``  SI2 with lam = eta', mu = nu' (Gear, BIT 46 (2006) 505): the impulses of the constraints, not their forces, are
unknowns
         of index 1, with a history that is predicted and tested like all else.  The solution of a step is that of SI2,
             its matrix that
         of SI2 with the columns of the multipliers divided by a: its condition stays bounded as h -> 0.  The history
             keeps what the
         impulses do to the bodies, p' = M^-1 G^T lam and s' = M^-1 G^T mu, in the units of velocities and positions,
             and an error of p
         counts as one of velocities, of s as one of positions: no scale of forces has to be guessed, and what redundant
             rows share
         among themselves, which nothing determines, does not count.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import jit
from ..elements.bodies import layout
from ..elements.bodies.coordinates import add_speeds, normalise, rates, retract_with_speeds, speeds_of
from ..elements.bodies.errors import components, mean_of, norm_of_moves, norm_of_state, weigh
from ..elements.bodies.history import speeds_by_formula
from ..elements.bodies.mass import accelerations_by
from ..elements.bodies.rigid import keep_in_plane
from ..linalg.lu import lu_refactor
from ..system.contact_entry import accept_contacts
from ..system.implicit import REDUNDANT, assemble, balance, decide_rows, residual, solve, stiffness
from ..system.kernels import accept_angles, evaluate_constraints, evaluate_frames
from ..system.part_calls import accept_references
from ..system.projection import impulse_motion, keep_gradients, stabilise
from .newton import (
    CONVERGED,
    DIVERGED,
    INACCURATE,
    NOT_FINITE,
    SINGULAR,
    ImplicitStepper,
    converged,
    correction_norm,
    outdated,
    speed_of,
)

MAXORD = 6
# of ERROR in model units that a step of I3 may take, whose test sees positions only: with the whole of it an undamped
# vibration is off by a hundred times ERROR after ten periods (SI2, which sees velocities, by ten times)
SHARE = 0.1
FORMULATIONS = ("I3", "SI2", "SI1")
WORTH = 1.2  # an order above 2, not A-stable, must allow a step this many times that of order 2 (see `BDF`)

Trial = namedtuple("Trial", "P0 P1 e yt d dq lam0 lam1 first impulses")
Trial.__doc__ = """One step: P0, P1 (N) predicted values and rates, e (N) correction y - P0, where N = ny, or ny + 2
bodies.moves with p and s behind the state (SI1); yt (ny) trial; d (bodies.moves) M^-1 G^T mu; dq (bodies.moves)
correction of an iteration; lam0, lam1 (m) multipliers at both ends; first (ny) state at which the integration began;
impulses: SI1."""

Settings = namedtuple("Settings", "maxit velocities stabilised search eps chord")
Settings.__doc__ = """maxit; velocities: in the convergence test; stabilised: SI2, SI1; search: rows may be redundant;
eps: redundancy; chord: see `newton.outdated`."""

Parts = namedtuple("Parts", "I lu N w o")


@jit
def _rates(S, I, N, y, a, first):
    """Velocities (less N.d), accelerations and rates of states that the formula gives to the trial y
    (`speeds_by_formula`)."""
    speeds_by_formula(S.bodies, N.P0, N.P1, a, N.d, first, y, I.acc)
    o = S.bodies.end
    for k in range(I.im.nx):
        I.xd[k] = N.P1[o + k] + a * (y[o + k] - N.P0[o + k])


@jit
def _project(S, W, I, N, y, a):
    """SI2: M^-1 G^T mu joins N.d and leaves velocities and accelerations (`projection.stabilise`)."""
    z = W.z
    stabilise(S, W, y, a, 1.0, z)
    add_speeds(S.bodies, -1.0, z, y)
    for c in range(S.bodies.moves):
        N.d[c] += z[c]
        I.acc[c] -= a * z[c]


@jit
def _record_impulses(S, W, N, lam, a, o):
    """Corrections of p and s behind the state, from ``o`` on: their rates are M^-1 G^T lam and d."""
    moves = S.bodies.moves
    z = W.z
    impulse_motion(S, W.rw.G, lam, 1.0, z)
    for c in range(moves):
        N.e[o + c] = (z[c] - N.P1[o + c]) / a
        N.e[o + moves + c] = (N.d[c] - N.P1[o + moves + c]) / a


@jit
def _impulse_norm(S, W, I, w, a):
    """Weighted RMS of the change of p that the correction of the multipliers means: M^-1 G^T dlam/a, dlam = a a
    I.sol."""
    o = I.im.nq + I.im.nx
    for r in range(S.rows.m):
        W.lam[r] = a * I.sol[o + r]
    impulse_motion(S, W.rw.G, W.lam, 1.0, W.z)
    total, most, _ = norm_of_moves(S.bodies, w, W.z, 0, 2, 0.0, 0.0, 0.0)
    return mean_of(total, most, components(S.bodies), w)


@jit
def history_norm(bodies, nx, v, w, velocities, impulses):
    """Weighted RMS of a vector of the size of the history; velocities: they count."""
    total, most = norm_of_state(bodies, w, v, velocities, 0.0, 0.0)
    b = bodies.end
    for k in range(nx):
        e = (v[b + k] / (w.floor[4] * (1.0 + w.x[k]))) ** 2
        total += e
        most = max(most, e)
    if impulses:
        b += nx
        total, most, _ = norm_of_moves(bodies, w, v, b, 2, 0.0, total, most)
        total, most, _ = norm_of_moves(bodies, w, v, b + bodies.moves, 0, 0.0, total, most)
    return mean_of(
        total, most, (2 if velocities else 1) * components(bodies) + nx, w
    )  # so SI1 is never looser than SI2


@jit(
    entry=(
        "Handle(Tables, Work, Parts(Iteration, LUArrays, Trial, Weights, Settings)), float64[::1], float64, "
        "float64, float64, float64, float64, int64"
    )
)
def correct(handle, y, t, a, scale, kappa, grow, refresh):
    """Solve for the state at the end ``t`` of a step whose prediction is in N; when it is good, y becomes that state.

    a: leading coefficient; scale: local error / correction (0: no error test); kappa: tolerance of the corrector in
    units of the error allowed; grow: ratio of this step to the last, for the prediction of multipliers (0: keep them);
    refresh: iterations with a new matrix, as bits. Returns status, iterations, matrices, norm of the correction, worst
    unknown, worst pivot ratio, dropped rows.
    """
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    I, lu, N, w, o = P.I, P.lu, P.N, P.w, P.o
    bodies = S.bodies
    ny = y.shape[0]
    P0 = N.P0
    yt = N.yt
    for c in range(ny):
        yt[c] = P0[c]
    # out of the plane nothing is corrected: what the prediction makes of roundoff there would grow with the power of
    # its order
    keep_in_plane(bodies, N.first, yt)
    normalise(bodies, yt)
    weigh(bodies, yt, w)
    for r in range(S.rows.m):
        I.lam[r] = N.lam1[r] + grow * (N.lam1[r] - N.lam0[r])
    for c in range(bodies.moves):
        N.d[c] = 0.0
    speed = 0.0
    if o.velocities:
        speed = speed_of(w, kappa, a)
    old = 1.0
    late = False
    worst = 1.0
    matrices = 0
    where = 0
    dropped = 0
    for it in range(o.maxit):
        _rates(S, I, N, yt, a, it == 0)
        keep_in_plane(bodies, N.first, yt)
        fresh = (refresh >> it) & 1 != 0 or (it == 2 and matrices == 0) or late
        if o.stabilised and S.rows.m > 0:
            evaluate_frames(S, W, yt)
            evaluate_constraints(S, W, t, yt)
            if it == 0:
                low, dropped = decide_rows(S, W, I, o.eps)
                if not (low > 0.0):
                    return NOT_FINITE, it + 1, matrices, 0.0, where, worst, dropped
                keep_gradients(W)
            _project(S, W, I, N, yt, a)
            evaluate_frames(S, W, yt)
            balance(S, W, I, t, yt, 1.0, a * a, a, a)
        else:
            residual(S, W, I, t, yt, 1.0, a * a, a, a)
            if it == 0 and o.search:
                low, dropped = decide_rows(S, W, I, o.eps)
                if not (low > 0.0):
                    return NOT_FINITE, it + 1, matrices, 0.0, where, worst, dropped
        if fresh:
            stiffness(S, W, I, t, yt)
            assemble(S, W, I, I.data, yt, o.search, 1.0, a * a, a, a, 0.5 * a, 0.5)
            worst = lu_refactor(lu, I.data)
            matrices += 1
            if not (worst > 0.0):
                return SINGULAR, it + 1, matrices, 0.0, where, worst, dropped
        solve(S, W, I, lu, o.search, worst < 1e-7)
        norm, where = correction_norm(S, I, N.dq, w, speed)
        if N.impulses:
            norm = max(norm, _impulse_norm(S, W, I, w, a))
        norm /= kappa
        verdict = converged(norm, old, it)
        late = outdated(norm, old, it, o.chord)
        if verdict == -2:
            return NOT_FINITE, it + 1, matrices, 0.0, where, worst, dropped
        if verdict == -1 and (fresh or not late):
            return DIVERGED, it + 1, matrices, 0.0, where, worst, dropped
        old = norm
        _move(S, I, N.dq, yt, a)
        if verdict == 1:
            _rates(S, I, N, yt, a, False)
            keep_in_plane(bodies, N.first, yt)
            for c in range(ny):
                N.e[c] = yt[c] - P0[c]
            if N.impulses:
                _record_impulses(S, W, N, I.lam, a, ny)
            size = 0.0
            if scale > 0.0:
                size = history_norm(bodies, I.im.nx, N.e, w, o.stabilised, N.impulses)
                if not (scale * size <= 1.0):
                    return INACCURATE, it + 1, matrices, size, where, worst, dropped
            for c in range(ny):
                y[c] = yt[c]
            for r in range(S.rows.m):
                N.lam0[r] = N.lam1[r]
                N.lam1[r] = I.lam[r]
            accept_angles(W)
            accept_references(S, W)
            accept_contacts(S, W, t, y)
            return CONVERGED, it + 1, matrices, size, where, worst, dropped
    return DIVERGED, o.maxit, matrices, 0.0, where, worst, dropped


@jit
def _move(S, I, d, y, a):
    """Positions and velocities moved by d (bodies.moves), states and multipliers by the solution of the linear
    system."""
    retract_with_speeds(S.bodies, d, a, y)
    o = I.im.nq
    for k in range(I.im.nx):
        y[S.bodies.end + k] += I.sol[o + k]
    o += I.im.nx
    for r in range(S.rows.m):
        I.lam[r] += a * a * I.sol[o + r]


@jit
def finish_interpolation(bodies, y, acc, yd):
    """A polynomial's value y and rate yd made a state: coordinates on their manifold, accelerations apart, rates that
    fit."""
    normalise(bodies, y)
    speeds_of(bodies, yd, acc)
    rates(bodies, y, acc, yd)


class BDF(ImplicitStepper):
    """Base of the four: a subclass keeps the history (`_first_history`, `_predict`, `_record`) and chooses order and
    step (`_record`, `_lower`).

    Orders above 2 are unstable for lightly damped oscillations whose h w lies in a band near 1: such modes grow until
    the error test cuts the step, and the order selection, which sees errors only, stays where it is.  But then the
    scaled derivatives do not fall any more with their order: order 2 would do with the same step.  So a higher order
    has to earn its place: it is left for order 2 unless its step is `WORTH` times longer.  (Chain of 100 in SI2,
    tolerance 1e-3: 387 steps instead of 911; at 1e-5, where high orders pay, nothing changes.)
    """

    order_wanted = MAXORD

    def __init__(self, system, options=None):
        super().__init__(system, options)
        o = self.options
        formulation = (o.formulation or "I3").upper()
        if formulation not in FORMULATIONS:
            raise ValueError(f"formulation {o.formulation!r} of {self.name} is not one of {', '.join(FORMULATIONS)}")
        self.formulation = formulation
        self.stabilised = formulation != "I3"
        self.share = 1.0 if self.stabilised else SHARE
        self.kmax = int(o.kmax or self.order_wanted)
        if not 1 <= self.kmax <= MAXORD:
            raise ValueError(f"KMAX of {self.name} is {o.kmax}; it must lie between 1 and {MAXORD}")
        # at a contact they require 10-35 % more iterations and give nothing: the error test sees them
        velocities = (o.corrector != "modified" or self.stabilised) and not self.touching
        self.settings = Settings(self.maxit, velocities, self.stabilised, self.search, REDUNDANT, self.chord)
        ny, m, z = len(system.y0), system.m, np.zeros
        impulses = formulation == "SI1"
        self.size = N = ny + 2 * system.bodies.moves * impulses
        moves = system.bodies.moves
        self.N = Trial(z(N), z(N), z(N), z(ny), z(moves), z(moves), z(m), z(m), z(ny), impulses)
        self._lam = self.N.lam1
        self._acc = z(moves)

    # ---- to be given by each method ---------------------------------------------------------------------------------
    def _first_history(self, y, rates, h) -> None:
        """Begin the history with a value and its rates (N), at order 1."""
        raise NotImplementedError

    def _predict(self, h) -> tuple[float, float]:
        """Fill N.P0, N.P1 for a step h of order self.order; returns the leading coefficient and error / correction."""
        raise NotImplementedError

    def _record(self, h, size) -> None:
        """History and order after an accepted step; size: norm of the correction."""
        raise NotImplementedError

    def _lower(self, h, error, failures) -> None:
        """Order and step after a failed error test."""
        raise NotImplementedError

    # ---- ImplicitStepper --------------------------------------------------------------------------------------------
    def _begin(self):
        N, I, h = self.N, self.I, self.h
        ny = len(self.y)
        self.order = self.k_done = 1
        y, rates = np.zeros(self.size), np.zeros(self.size)
        y[:ny] = N.first[:] = self.y
        rates[:ny] = I.yd
        layout.ground(rates, self.S.bodies.n)[:] = 0.0
        if N.impulses:
            rates[ny : ny + self.S.bodies.moves] = self._constraint_accelerations()
        N.lam0[:] = I.lam[:] = N.lam1
        I.acc[:] = self.W.acc
        I.bias[:] = 0.0
        I.xbias[:] = 0.0
        self._last = 0.0
        self.refresh, self._matrix = True, 0.0
        self._first_history(y, rates, h)
        a = 1.0 / h
        self._first_matrix(1.0, a * a, a, a)

    def _constraint_accelerations(self):
        """M^-1 G^T lam (bodies.moves) at the start."""
        rows = self.S.rows
        slots = len(rows.slot_row) - 1
        pulls = self.W.rw.G[:slots] * self.N.lam1[rows.slot_row[:slots], None]
        return accelerations_by(self.S.bodies, rows.slot_body[:slots], pulls)

    def _make_handle(self):
        self.handle = make_handle(self.S, self.W, Parts(self.I, self.lu.arrays, self.N, self.weights, self.settings))

    def _try(self, h):
        a, scale = self._predict(h)
        refresh = self.fresh or self.refresh or abs(a - self._matrix) > 0.2 * a
        kappa = 0.5 * (self.order + 1) * (self.kappa + self.weights.floor[10] / h)
        grow = h / self._last if self._last > 0 else 0.0
        self._scale = scale
        status, its, matrices, size, where, worst, dropped = self._run(
            correct,
            self.y,
            float(self.t + h),
            float(a),
            float(scale) if self.checks else 0.0,
            float(kappa),
            float(grow),
            self.due(refresh),
        )
        if matrices:
            self._matrix = a
        self._size = size
        return status, its, matrices, scale * size, where, worst, dropped

    @property
    def checks(self) -> bool:
        """Is there an error test?"""
        return not self.fixed

    def _accept(self, h, error, iterations):
        self._last = h
        self.k_done = self.order
        self.refresh = iterations > 4
        self._record(h, self._size)

    def _refuse(self, status, h, error, failures):
        self.refresh = True
        if status != INACCURATE:
            self.h = 0.25 * h
            if failures > 3:
                self.order = 1
            self._disturbed()
            return
        self._lower(h, error, failures)

    def _disturbed(self) -> None:
        """The corrector failed: nothing is known about the next step."""

    def interpolate_lam(self, t):
        s = (t - self.t_old) / self.h_done if self.h_done else 1.0
        return (1 - s) * self.N.lam0 + s * self.N.lam1


def factor(error: float, order: int, bias: float) -> float:
    """Step that order ``order`` would allow, as a multiple of the present one (LSODE: 1/(bias e^(1/(k+1)) + ..))."""
    return 1.0 / (bias * error ** (1.0 / (order + 1)) + 1e-6 * bias)
