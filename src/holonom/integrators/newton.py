"""What the implicit integrators share: weights, convergence test, pivots, and the loop of trials of one step."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._jit import Kernel, jit
from ..elements.bodies import layout
from ..elements.bodies.coordinates import spread
from ..elements.bodies.errors import components, make_weights, mean_of, norm_of_moves
from ..elements.bodies.increments import largest_spin
from ..linalg.lu import PIVOT_SHARE, DecayedPivot, NotFinite, SingularMatrix
from ..model.base import ModelError
from ..system.flags import USER_FAILED
from ..system.implicit import Implicit
from .dense_bounds import SampledBounds
from .entry import project_state, stepping_tables
from .stepper import Options, Scales, Step, Stepper, advice

CONVERGED, DIVERGED, SINGULAR, NOT_FINITE, INACCURATE = range(5)
CAUSES = {DIVERGED: "corrector", SINGULAR: "singular", NOT_FINITE: "not a number", INACCURATE: "error"}
REASONS = {
    DIVERGED: "the corrector does not converge",
    SINGULAR: "the iteration matrix is singular",
    NOT_FINITE: "a force or a constraint is not a number",
    INACCURATE: "the local error stays above the tolerance",
}
LEAST_STEPS = 100  # so many steps of the smallest size in a row are a failure
CORRECTOR = 0.03  # error left by the corrector as a share of the error allowed in a step
# with contacts: size of a correction (in the measure of the error, whatever is allowed) after which the next iteration
# has a matrix of its own, and the rate above which it has one too.  A chain drive of 240 links took 125 steps of 3.2
# iterations with one matrix a step at error 1e-3, a failure at every seventh; so it takes 22 of 4.4
CHORD = 3e-3
RATE = 0.3


@jit
def corrector_tolerance(w, kappa, h):
    """Error left by the corrector as a share of the error of a step: ADAPTIVITY/h on top, for small steps."""
    return kappa + w.floor[10] / h


@jit
def speed_of(w, kappa, au):
    """Velocities implied by a correction, du = au * dq, as far as they rise above the roundoff of positions (1e-15 of
    their scale): at tiny steps the test must not require what cannot be had."""
    noise = 1e-15 * max(w.group[2] / (w.group[0] * w.floor[5]), w.group[3])
    return min(au, 0.1 * kappa / noise)


@jit
def correction_norm(S, I, d, w, speed):
    """Weighted RMS of the correction I.sol over positions, rotations and states, with ``speed`` > 0 also of the
    velocities that it implies (du = speed * dq).  Returns the norm and the body or (behind the bodies) state that
    contributes most; d becomes the displacement of the bodies."""
    bodies = S.bodies
    spread(I.im.moves, I.sol, d)
    total, most, where = norm_of_moves(bodies, w, d, 0, 0, speed, 0.0, -1.0)
    tol = w.floor[4]
    for k in range(I.im.nx):
        v = (I.sol[I.im.nq + k] / (tol * (1.0 + w.x[k]))) ** 2
        total += v
        if not (v <= most):
            most = v
            where = bodies.n + k
    return mean_of(total, most, components(bodies) + I.im.nx, w), 0 if where == -1 else where


@jit
def converged(norm, old, it):
    """Is the error left after this correction below 1?  Contraction at the rate seen; a first correction counts only
    when it is tiny.  Returns 1 yes, 0 continue, -1 diverged (never before the third correction), -2 not finite."""
    if not (norm < 1e30):
        return -2
    if norm < 1e-10:
        return 1
    if it == 0:
        return 1 if norm < 1e-3 else 0
    if norm < 0.3:  # so small that the contraction rate may be roundoff
        return 1
    rate = norm / old
    if rate < 0.9 and norm * rate / (1.0 - rate) < 1.0:
        return 1
    if it > 1 and rate > 2.0:
        return -1
    return 0


@jit
def outdated(norm, old, it, chord):
    """Should the next iteration have a matrix of its own?  After a large correction, or one hardly smaller than that
    before, contacts touch which the matrix does not have.  ``chord``: a large one, infinite where the matrix is never
    renewed so."""
    return norm > chord or (chord < 1e300 and it > 0 and norm > RATE * old)


def _repeat(jacobian, n: int) -> list[bool]:
    """Adams' PATTERN over n iterations; a strategy by name requires the first only."""
    pattern = list(jacobian) if isinstance(jacobian, tuple) else [True] + [False] * (n - 1)
    return [pattern[k % len(pattern)] for k in range(n)]


class ImplicitStepper(Stepper):
    """Front of the implicit integrators (protocol: `stepper.Stepper`).

    ``interpolate(t, out, rates)`` gives the rates too, ``interpolate_lam(t)`` the multipliers; ``lam``: those of the
    end of the last step.

    A subclass states how to begin (`_begin`), try (`_try`), take (`_accept`) and refuse (`_refuse`) a step.
    """

    recovers = False  # a fixed step that fails is not the end
    flat = True  # three coordinates a body where a mechanism moves in a plane
    #: rad that a body turns in a step at most, where it may turn in space: rotation vectors over a step are singular at
    #: whole turns, and what a body carries round is not seen from turn to turn
    most_turn = 3.0
    share = 1.0  # of ERROR in model units that a step may take
    handle: Any = None
    unknown_forces = True  # those of contacts may stay unknowns of the matrix, for measurement

    def __init__(self, system, options: Options | None = None):
        self.system = system
        self.options = o = options or Options()
        self.planar = o.extra.get("planar", True) and self.flat
        if system.workspace.assembled is not None:
            stepping_tables(system, *system.workspace.assembled, self.planar)
        self.plane = system.workspace.plane if self.planar else None
        self.implicit = Implicit(system, self.plane)
        self.S, self.W, self.I = self.implicit.S, self.implicit.W, self.implicit.I
        self.lu = self.implicit.lu
        self.pivots = o.extra.get("linear_solver", "auto")  # one of `linalg.lu.POLICIES`
        if self.pivots == "fixed" and system.workspace.named:
            rows, first = system.workspace.named, system.workspace.named[0]
            raise ModelError(
                f"{system.row_words(first)}: this equation depends on others"
                + (f", and so do {len(rows) - 1} more" if len(rows) > 1 else "")
                + ", which linear_solver = fixed (LSOLVER/CALAHAN) refuses; take joints with fewer constraints, or "
                "linear_solver = threshold (LSOLVER/HARWELL), which leaves dependent equations out"
            )
        self.lu.set_policy(self.pivots)
        self.search = not self.implicit.tree
        self.touching = self.implicit.contacts is not None  # the model has contacts
        if self.implicit.unknowns is not None and not self.unknown_forces:
            raise ValueError(
                f"{self.name} has no form with contact forces as unknowns; use contact_activation = all-pairs, or "
                "GSTIFF or HHT"
            )
        #: of the cap on the step after a failure of the corrector, at each step that needs few iterations.  Friction
        #: that reverses and contacts that close fail again and again at the same size of step: there the cap creeps
        self.growth = 1.1 if self.touching else 1.3
        self.stale = False  # the factors belong to another pattern
        self._version = self.implicit.version
        self.weights = make_weights(system.bodies, system.nx, np.zeros, np.ones)
        self.fixed = o.fixed or (o.hmin is not None and o.hmin == o.hmax)
        self._turning = not (self.fixed or self.plane) and system.nb > 0
        self.kappa = (o.newton or CORRECTOR * o.error) / o.error
        self.maxit = min(o.maxit or 10, 60)  # a bit of `pattern` for each
        #: a new matrix at each step, or one kept as long as it serves (modified Newton)
        self.fresh = o.extra.get("fresh", True) if o.jacobian is None else o.jacobian == "step" or o.jacobian[0] is True
        #: iterations of a step at which the matrix is made anew, as bits, when one is due
        self.pattern = sum(1 << k for k, due in enumerate(_repeat(o.jacobian, self.maxit)) if due)
        #: correction after which contacts are checked anew (`outdated`), unless the user has given a PATTERN
        self.chord = CHORD * CORRECTOR / (self.kappa * o.error) if self.touching and o.jacobian is None else np.inf
        self.statistics = {"steps": 0, "iterations": 0, "matrices": 0, "pivots": 0}
        self.statistics.update({f"rejected: {c}": 0 for c in CAUSES.values()})
        if self.touching:
            self.statistics.update({"patterns": 0, "patterns analysed": 0})
        self._handled: tuple | None = None  # what the present handle holds
        self._entry: tuple = (None, None)  # the handle, and the kernel of a trial for its types
        self.messages: list[str] = []
        self.skipped = 0
        self.worst_pivot = 1e300
        self._lam = np.zeros(system.m)
        self._sampled = SampledBounds(system)

    @property
    def tables(self):
        return self.S, self.W

    def motion_bounds(self, out: np.ndarray, fine: bool = False) -> bool:
        self._sampled.find(self, out)
        return True

    # ---- to be given by each integrator -----------------------------------------------------------------------------
    def _begin(self) -> None:
        raise NotImplementedError

    def _make_handle(self) -> None:
        raise NotImplementedError

    def _try(self, h: float) -> tuple:
        """One trial: (status, iterations, matrices, error, worst unknown, worst pivot, dropped)."""
        raise NotImplementedError

    def _accept(self, h: float, error: float, iterations: int) -> None:
        raise NotImplementedError

    def _refuse(self, status: int, h: float, error: float, failures: int) -> None:
        """Set self.h (and order) for the next trial."""
        raise NotImplementedError

    def _run(self, kernel: Kernel, *args: Any) -> tuple:
        """The kernel of a trial with the handle at hand; numbers among its arguments are floats, or whole, always the
        same ones (`Kernel.entry`)."""
        if self._entry[0] is not self.handle:
            self._entry = self.handle, kernel.entry(self.handle, *args)
        return self._entry[1](self.handle, *args)

    # ---- protocol ---------------------------------------------------------------------------------------------------
    def start(self, t: float, y: np.ndarray, tend: float, h0: float | None = None) -> None:
        """Begin at (t, y), which is put on the constraints; ``tend`` gives the time scale."""
        self.t, self.y, self.tend = float(t), y, tend
        self._entry = (None, None)
        self.span = max(tend - t, 1e-300)
        o = self.options
        scales = Scales(self.system, y, self.span, o)
        floor = self.weights.floor
        floor[:4] = scales.floor
        error = o.error * (self.share if o.units else 1.0)
        floor[4] = error * scales.factor[4]
        floor[5:9] = error * scales.factor[:4]
        floor[9] = scales.state_floor - 1.0
        floor[10] = o.adaptivity / o.error
        floor[11] = float(o.units)
        self.weights.first[:] = layout.places(y, self.system.nb)
        self.weights.x[:] = scales.x + floor[9]
        self.restart(h0)

    def restart(self, h0: float | None = None) -> None:
        """Begin again at the present time and state, at a small step unless ``h0`` or HINIT specifies otherwise."""
        o = self.options
        worst, *_ = project_state(self.system, self.y, self.t, 1, self.I.yd)
        self._user_failure()
        if not worst > 0.0:
            raise advice(
                "the constraints cannot be resolved",
                self.t,
                self.system,
                cause="singular" if worst == worst else "not a number",
            )
        if self.plane:
            self.plane.flatten(self.y, self.I.yd, self.W)
        self._lam[:] = self.W.lam
        hmax = o.hmax or math.inf
        self.h = hmax if self.fixed else min(h0 or o.hinit or min(1e-3 * hmax, 1e-5 * self.span), hmax)
        self.cap = math.inf
        self.least = 0
        self.t_old, self.h_done = self.t, 0.0
        self._follow_contacts()
        self._begin()
        if self.tape is not None:
            self.tape.start(self)

    def step(self, tmax: float) -> Step:
        """One accepted step that does not pass ``tmax``.  Raises IntegrationError with the worst equation."""
        o, count = self.options, self.statistics
        rejected: list = []
        iterations = failures = 0
        pivoted = met = False
        hmin = o.hmin or 1e-13 * self.span
        while True:
            if self.touching and self._follow_contacts():
                self._renew_handle()
            h, last = self._trial_step(tmax)
            status, its, matrices, error, where, worst, self.skipped = self._try(h)
            iterations += its
            count["matrices"] += matrices
            if self.W.flags[USER_FAILED]:
                self._user_failure()
            if matrices:
                self.worst_pivot = worst
                self.stale = False
            small = PIVOT_SHARE if self.lu.policy == "threshold" else 1e-10
            if status == CONVERGED:
                if matrices and small == PIVOT_SHARE and worst < small:
                    self._pivot(trial=True)  # for the matrices that follow
                break
            if matrices and not pivoted and worst < small and status != NOT_FINITE:
                if self._pivot(trial=True):
                    pivoted = True
                    continue
                status = NOT_FINITE
            if status == DIVERGED and not met and self.implicit.meets_others():
                met = (
                    True  # pairs that were not near before have no entries in the matrix: no reason for a smaller step
                )
                continue
            cause = CAUSES[status]
            rejected.append((self.t, h, getattr(self, "order", 0), its, cause))
            count[f"rejected: {cause}"] += 1
            failures += 1
            if (self.fixed and not self.recovers) or failures > 60 or h <= max(hmin, 4e-16 * abs(self.t)):
                raise advice(
                    f"{REASONS[status]} with a step of {h:.3g}",
                    self.t,
                    self.system,
                    equation=self.words(where),
                    cause=cause,
                )
            if status != INACCURATE:
                self.cap = max(0.5 * h, hmin)  # grows slowly: no loop of failures
            pivoted = False  # those of a trial may not suit the next one's matrix
            self._refuse(status, h, error, failures)
            self.h = max(self.h, hmin)
        self.t_old, self.t = self.t, tmax if last else self.t + h
        self.h_done = h
        count["steps"] += 1
        count["iterations"] += iterations
        step = Step(self.t_old, self.t, h, self.order, iterations, rejected)
        full = h >= 0.999 * self.h  # a step cut short by tmax states little about the next
        wanted = self.h
        if self.tape is not None:
            self.tape.step(self)
        self._accept(h, error, its)
        if not full and self.h < wanted:
            self.h = wanted if error < 0.5 else self.h
        self.h = max(self.h, hmin)
        # steps that pass, but lead nowhere: an error that grows as they shrink (accelerations of an undamped method of
        # index 3); steps down to a smallest one that the user has set are his wish
        self.least = self.least + 1 if h <= 2.0 * hmin and not (last or o.hmin) else 0
        if self.least > LEAST_STEPS:
            raise advice(
                f"the step size has reached its minimum, {hmin:.3g},",
                self.t,
                self.system,
                equation=self.words(where),
                cause="error",
            )
        if its <= 4 or not self.touching:
            self.cap = min(self.cap * self.growth, 1e300)  # without end, and no overflow
        return step

    # ---- contacts ---------------------------------------------------------------------------------------------------
    def _follow_contacts(self) -> bool:
        """Exchange the contact blocks of the matrix when other pairs are near; True when handles must be made again."""
        if self.implicit.follow():
            self.stale = True
            counts = self.implicit.blocks.counts
            self.statistics["patterns"], self.statistics["patterns analysed"] = counts["patterns"], counts["symbolic"]
        if self.implicit.version == self._version:
            return False
        self._version = self.implicit.version
        self.I, self.lu = self.implicit.I, self.implicit.lu
        return True

    def due(self, refresh: bool) -> int:
        """Iterations of the next trial that make the matrix again, as bits."""
        return (self.pattern if refresh else 0) | self.stale

    def _trial_step(self, tmax: float):
        """Size of the next trial and whether it ends at ``tmax``; the rest is halved rather than left as a splinter."""
        left = tmax - self.t
        h = self.h
        if h > self.cap:
            h = self.cap
        most = self.options.hmax
        if most and h > most:
            h = most
        if self._turning:
            spin = largest_spin(self.y, self.system.nb)
            if h * spin > self.most_turn:  # what speeds up within a step is the method's own business
                h = self.most_turn / spin
        if h >= left * (1 - 1e-9):
            return left, True
        if not self.fixed and h > 0.5 * left:
            return 0.5 * left, False
        return h, False

    @property
    def lam(self) -> np.ndarray:
        return self._lam

    # ---- matrix -----------------------------------------------------------------------------------------------------
    def _first_matrix(self, cm, aa, au, ax) -> None:
        """Pivots from the matrix at (t, y) with accelerations I.acc and multipliers I.lam."""
        self.implicit.linearise(self.t, self.y, cm, aa, au, ax)
        self._pivot()

    def _pivot(self, trial: bool = False) -> bool:
        """New pivots for the present data.  Returns whether there are any: data of a ``trial`` may be infinite, which a
        smaller step fixes.

        Raises IntegrationError that names the equation when none help."""
        self.statistics["pivots"] += 1
        try:
            self.lu.factor(self.I.data)
        except DecayedPivot as error:
            words = self.implicit.equation_words(error.index)
            raise advice(
                "the pivots kept by linear_solver = fixed no longer suit the matrix (linear_solver = threshold "
                "chooses new ones)",
                self.t,
                self.system,
                equation=words,
                cause="singular",
            ) from None
        except SingularMatrix as error:
            words = self.implicit.equation_words(error.index)
            raise advice(
                "the iteration matrix is singular", self.t, self.system, equation=words, cause="singular"
            ) from None
        except NotFinite as error:
            if trial:
                return False
            words = self.implicit.equation_words(error.row)
            raise advice(
                "a derivative is not finite", self.t, self.system, equation=words, cause="not a number"
            ) from None
        self.stale = False
        self._renew_handle()
        return True

    def _renew_handle(self) -> None:
        """Make the handle again when arrays have moved; else it still holds them, and a restart (at an impact) is
        spared 3 ms."""
        held = self.I, self.lu.arrays
        if self._handled is None or any(a is not b for a, b in zip(held, self._handled)):
            self._make_handle()
            self._handled = held

    def words(self, where: int) -> str:
        """Name of the body or state that `correction_norm` blames."""
        n = self.system.nb
        if where <= -2:
            return self.system.tail_words(-2 - where)
        return (
            f"the motion of {self.system.body_elements[where].label}"
            if where < n
            else self.system.state_words(where - n)
        )
