"""What the explicit one-step methods share: step size control, stiffness test, dense output.  Each has a file of its
own.

Two formulations: INDEX1, the equations of all bodies with accelerations from G M^-1 G^T and one projection a step
(`runge_kutta`), and MINIMAL, the independent coordinates alone (`partition`).  Where joint coordinates are requested
and the joints form a tree, these are integrated in their place (`joint_set`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._handle import make_handle
from .._jit import Entry
from ..elements.bodies import layout
from ..elements.bodies.errors import tell_fast
from ..elements.bodies.motion_bounds import bound_series, bound_stages
from ..model import ModelError
from . import explicit_loop as loop
from . import runge_kutta as rk
from .dense_bounds import DOUBT, SampledBounds, dense_slopes
from .entry import (
    CLOSE,
    CONSTRAINTS,
    DENSE,
    MINIMAL,
    PROJECT,
    RATE,
    REBASE,
    STEP,
    Explicit,
    enter,
    enter_steps,
    explicit_handle,
    make_explicit,
    project_state,
    stepping_tables,
)
from .joint_set import JointSet
from .numbering import MAXIMAL, numbering
from .partition import NOT_CLOSED, TURNED, Partition
from .reduced import GROWN, ReducedState
from .stepper import IntegrationError, Options, Scales, Step, Stepper, advice

# gaps of joints, in units of the model's extent: what may be left after a step, at most (ERROR where that is smaller),
# and what a step may leave to be closed; and in units of the largest coordinate, for roundoff far from the origin
OPENED, REACH, ROUNDOFF = 1e-5, 1e-2, 1e-13
REDUNDANT = 1e-8  # a pivot below this share of the largest its row has had marks a redundant row
_TRIES = {"not closed": "singular", "large turn": "error"}
SLOPES = dense_slopes()  # of the functions of the dense output
#: counters of rejected trials, and where `explicit_loop` has them
_REJECTED = {
    "rejected: error": loop.REJECTED,
    "rejected: singular": loop.SINGULAR,
    "rejected: not a number": loop.UNBOUNDED,
    "rejected: open": loop.LEFT_OPEN,
    "rejected: not closed": loop.UNCLOSED,
}


class ExplicitStepper(Stepper):
    """An explicit one-step method (protocol: `stepper.Stepper`).

    ``stiff`` becomes true when the step has been limited by stability, not accuracy, in 15 steps of the last 21.

    With ``fixed`` (or hmin = hmax) every step but the last has the size ``hmax``; a method without an error estimate
    knows no other.  A subclass gives the tableau and where stability ends on the negative real axis.
    """

    tableau: rk.Tableau
    stable = math.inf  # largest stable h |lambda|
    formulations: tuple[str, ...] = ("INDEX1", "MINIMAL")
    warps = True
    together = 1000  # bodies times steps of one kernel: some milliseconds

    def __init__(self, system, options: Options):
        self.system = system
        self.options = options
        joint, self.numbering = numbering(system, str(options.extra.get("coordinates", MAXIMAL)))
        self._kind: type[ReducedState] | None = (
            JointSet if joint else Partition if self._formulation() == "MINIMAL" else None
        )
        self.minimal = self._kind is not None
        self.order = self.tableau.order
        self.estimates = bool(self.tableau.E5.any())
        self.fixed = bool(
            options.fixed or not self.estimates or (options.hmin is not None and options.hmin == options.hmax)
        )
        if self.fixed and not (options.hmax or options.hinit):
            raise ModelError(
                f"{self.name} {'at a' if self.estimates else 'has no error estimate and needs a'} fixed step: give its "
                "size as HMAX"
            )
        self._tables: tuple | None = None
        self._pivot = 1.0  # of the last step
        self.reduced: ReducedState | None = None
        self.M = None
        self._equip(
            *(system.workspace.assembled or (0.0, None))
        )  # here rather than in `start`: it is part of setting up
        self.statistics = {
            "steps": 0,
            "evaluations": 0,
            "rejected: error": 0,
            "rejected: singular": 0,
            "rejected: not a number": 0,
        }
        if self._kind is not None:
            self.statistics.update(dict.fromkeys(self._kind.counts, 0))
        self.messages: list[str] = []
        self.warp = (0, 0.0)
        self.stiff = False
        self._stiff_count = 0
        self._calm_count = 0
        self.worst_pivot = 1.0
        self.skipped = 0
        self._ny = len(system.y0)
        self._control = np.zeros(loop.CONTROLS)  # of `advance`
        self._sampled, self._staged, self._series = SampledBounds(system), Entry(bound_stages), Entry(bound_series)
        self._loop: Callable[..., tuple[float, int]] | None = None  # kernel of `advance`

    def _formulation(self) -> str:
        """The one requested; I3, SI2 and SI1 in a model mean the implicit integrators and leave the default."""
        asked = (self.options.formulation or "").upper()
        if asked in ("", "I3", "SI2", "SI1"):
            return self.formulations[0]
        if asked not in self.formulations:
            raise ModelError(f"{self.name} has no formulation '{asked}'; choose {' or '.join(self.formulations)}")
        return asked

    def _equip(self, t: float, y: np.ndarray | None) -> None:
        """Tables of the space or of the plane, and what is made for them."""
        kind = self._kind
        planar = self.options.extra.get("planar", True) and y is not None and (kind is None or kind.planar)
        tables = stepping_tables(self.system, t, y, planar)
        if self._tables is not None and tables[0] is self._tables[0]:
            return
        self._tables = tables
        self.reduced = None if kind is None else kind(self.system, *tables)
        self._make_handle()
        if self.reduced is not None and self.reduced.leave_out(self):
            self._make_handle()

    def _make_handle(self) -> None:
        part = self.reduced
        tables, self.M = (self._tables, None) if part is None else ((part.S, part.W), part.arrays)
        self.handle, self.stages = make_explicit(self.system, self.tableau, tables, self.M)
        self._whole = (
            self.handle if self.M is None else make_handle(*tables, Explicit(self.stages, None, *self.tableau))
        )
        self._enter, self._evaluate, self._inside = Entry(enter_steps), Entry(enter), Entry(rk.interpolate)

    @property
    def looped(self) -> bool:
        """Whether `advance` has steps of its state."""
        return self._kind is None or self._kind.looped

    @property
    def tables(self) -> tuple[Any, Any]:
        return self._tables or (self.system.S, self.system.W)

    @property
    def pivot_ratio(self) -> float:
        return self._pivot

    # ---- protocol ---------------------------------------------------------------------------------------------------
    def start(self, t: float, y: np.ndarray, tend: float, h0: float | None = None) -> None:
        """Begin at (t, y), a state that fits the constraints; ``tend`` gives the time scale."""
        self.t, self.y = float(t), y
        self.tend = tend
        self.scales = Scales(self.system, y, tend - t, self.options)
        self._equip(self.t, y)
        far = np.abs(layout.places(y, self.system.nb)).max(initial=0.0)
        limit = min(max(self.options.error, 1e-9), OPENED) * self.system.extent + ROUNDOFF * far
        self.stages.count[1:] = limit, REACH * self.system.extent + limit
        self.restart(h0)

    def restart(self, h0: float | None = None) -> None:
        """Begin again at the present time and state (after a discontinuity)."""
        o = self.options
        if self.reduced is None or self.reduced.chosen:
            self.skipped = self.settle()
        if self.reduced is None:
            self._use(self._ny)
        else:
            self._begin_reduced()
        self._weights(1.0)
        self.h = (o.hmax or o.hinit or 0.0) if self.fixed else (h0 or o.hinit or self._first_step())
        self._grow = GROWN
        self._dense_ready = self._stepped = False
        self.t_old, self.h_done = self.t, 0.0
        if self.tape is not None:
            self.tape.start(self)

    def step(self, tmax: float) -> Step:
        """One accepted step that does not pass ``tmax``.  Raises IntegrationError."""
        T, o = self.stages, self.options
        n = self.tableau.stages
        rejected: list = []
        if self._stepped:  # rates at the end of the last step begin the next; after a restart they are in place already
            T.K[0] = T.K[n]
            if self.reduced is not None and not self.reduced.go_on(self, self._pivot):
                self._begin_reduced()
        self._weights(o.error if not self.fixed else 1e30 * o.error)  # whatever the error says
        T.warp[:] = self.warp
        most = min(o.hmax or np.inf, np.inf if self.fixed else self.system.contacts.bristle_step())
        if self.reduced is not None and not self.fixed:
            most = min(most, self.reduced.longest_step)
        while True:
            h = min(self.h, most)
            left = tmax - self.t
            last = h >= left * (1 - 1e-12) - 1e-12 * abs(tmax) or (self.fixed and h >= left * (1 - 1e-6))
            if last:
                h = left
            if h <= 4e-16 * max(abs(self.t), abs(tmax)) or (o.hmin and h < o.hmin and not last):
                raise advice(f"the step became too small ({h:.3g})", self.t, self.system, cause=_why(rejected))
            err, skipped, pivot, stiff = self._enter.call(self.handle, STEP, self.y, self.t, h, REDUNDANT, 0, T.d)
            self.statistics["evaluations"] += n + self.tableau.fsal
            self._user_failure()
            if err < 1.0:
                break
            cause = _cause(err, pivot)
            self.statistics[f"rejected: {cause}"] = self.statistics.get(f"rejected: {cause}", 0) + 1
            rejected.append((self.t, h, self.order, 0, cause))
            if self.fixed:
                raise advice(
                    f"the fixed step of {h:.3g} fails ({cause})", self.t, self.system, cause=_TRIES.get(cause, cause)
                )
            factor = (
                0.1
                if cause in ("singular", "not a number")
                else 0.4
                if cause != "error"
                else max(0.2, 0.9 * err ** (-1 / self.order))
            )
            self.h = self._stretch(self.t, h, factor)
            self._grow = 1.0
            if len(rejected) > 60:
                raise advice("no step is accepted", self.t, self.system, cause=_TRIES.get(cause, cause))
            if cause == "not closed" and self.reduced is not None and self.reduced.chosen and len(rejected) in (2, 8):
                self._begin_reduced()
        self.worst_pivot = min(self.worst_pivot, pivot)
        self._pivot = pivot
        self.t_old, self.t = self.t, self.t + h if not last else tmax
        self.h_done = h
        self._stepped = True
        self._dense_ready = False
        self.skipped = skipped
        self.statistics["steps"] += 1
        if not self.fixed:
            factor = 10.0 if err == 0.0 else 0.9 * err ** (-1 / self.order)
            if not (last and h < 0.5 * self.h):  # a step cut short states little about the next
                self.h = min(self._stretch(self.t_old, h, factor, True), self._grow * h)
        self._grow = GROWN
        if self._even():
            self._watch(stiff)
        iterations = self._iterations()
        if self.tape is not None:
            self.tape.step(self)
        return Step(self.t_old, self.t, h, self.order, iterations, rejected)

    def mark(self, stepped: bool) -> tuple[np.ndarray, ...]:
        """What `repeat` needs to go on from here: state, rates (after a step, or where the run begins), references of
        continuous angles; copies."""
        K = self.stages.K
        return self.y.copy(), K[self.tableau.stages if stepped else 0].copy(), *(a.copy() for a in self._references())

    def _references(self) -> tuple[np.ndarray, ...]:
        S, W = self.tables
        ports = self.system.ports
        own = (ports.W.ref,) if ports.elements else ()
        return W.rw.angle_ref, W.rw.calpha, W.rw.vpar, W.f.ref, S.pairs.ref, *own

    def repeat(self, mark: tuple[np.ndarray, ...], times: Sequence[float], sizes: Sequence[float]) -> np.ndarray:
        """States at a mark and at the ends of the steps of these ``sizes`` from these ``times`` on, made again on the
        index-1 form; the present state of the stepper is as before, angles and rates are those of the last step."""
        T, y = self.stages, mark[0].copy()
        T.K[0] = mark[1]
        for mine, kept in zip(self._references(), mark[2:]):
            mine[:] = kept
        T.warp[:] = 0.0
        T.weight[:] = 1e-30  # the step is taken whatever the error says
        states = np.empty((len(sizes) + 1, len(y)))
        states[0] = y
        for k, (t, h) in enumerate(zip(times, sizes)):
            if k:
                T.K[0] = T.K[self.tableau.stages]
            self._enter.call(self.handle, STEP, y, t, h, REDUNDANT, 0, T.d)
            states[k + 1] = y
        return states

    def advance(self, until: float, counts: bool) -> tuple[Step, float]:
        """Steps towards ``until`` as `step` makes them, in one kernel: to ``until``, at most so many that the user can
        interrupt them, with ``counts`` to where turns of angles are to be counted, and to the first that stability
        limits.  Returns the last step, and the angle by which parts may have turned [rad].  Raises IntegrationError.
        Not for minimal sets, and not where something is done between steps."""
        if not self.looped:
            raise AssertionError("steps on the index-1 form or in joint coordinates are wanted")
        o, control = self.options, self._control
        given = self.handle, self.scales._handle, self.y, self.t, float(until), REDUNDANT, bool(counts), control
        if self._loop is None:
            self._loop = loop.advance_by.entry(*given)
        control[:] = 0.0
        control[loop.WANTED], control[loop.ERROR], control[loop.FIXED] = self.h, o.error, self.fixed
        control[loop.MOST] = min(o.hmax or np.inf, np.inf if self.fixed else self.system.contacts.bristle_step())
        control[loop.LEAST], control[loop.GROWTH] = o.hmin or 0.0, self._grow
        control[loop.PIVOT], control[loop.STEPPED] = self.worst_pivot, self._stepped
        control[loop.ENOUGH] = max(1, self.together // (self.system.nb + 1))
        control[loop.STABLE] = 0.0 if self.fixed or not np.isfinite(self.stable) else self.stable
        self.t, why = self._loop(*given)
        steps = int(control[loop.STEPS])
        self._stepped = bool(control[loop.STEPPED])
        self.h, self._grow = float(control[loop.WANTED]), float(control[loop.GROWTH])
        for name, place in _REJECTED.items():
            if control[place]:
                self.statistics[name] = self.statistics.get(name, 0) + int(control[place])
        self.statistics["steps"] += steps
        trials = steps + int(control[list(_REJECTED.values())].sum())
        self.statistics["evaluations"] += trials * (self.tableau.stages + self.tableau.fsal)
        if steps:
            self.worst_pivot = self._pivot = float(control[loop.PIVOT])
            self.t_old, self.h_done = float(control[loop.BEGUN]), float(control[loop.DONE])
            self.skipped = int(control[loop.SKIPPED])
            self._dense_ready = False
            self._watch(float(control[loop.STIFFNESS]), steps - 1)
        if why in (loop.TOO_SMALL, loop.FAILED):
            return self.step(until), float(control[loop.TURNED])  # which states why it fails
        return Step(self.t_old, self.t, self.h_done, self.order, 0, []), float(control[loop.TURNED])

    def interpolate(self, t: float, out: np.ndarray) -> None:
        """State at a time inside the last step."""
        T = self.stages
        if t == self.t or not self.h_done:
            out[:] = self.y
            return
        if not self._dense_ready:
            self._make_dense()
        x = self._fraction(t)
        inside = self._inside.call
        if self.M is None:
            inside(T, x, out)
            return
        s = T.ya[: self.M.size[1]]
        inside(T, x, s)
        self._close(t, s, lambda time: inside(T, self._fraction(time), s))
        out[:] = self.M.y

    def motion_bounds(self, out: np.ndarray, fine: bool = False) -> bool:
        """Bounds of speeds and accelerations over the last step into ``out`` (see `motion_bounds`): from its stages, or
        with ``fine`` from its dense output; true where they cannot be had finer."""
        T, bodies = self.stages, self.system.bodies
        if self.M is not None or T.warp[0]:
            self._sampled.find(self, out)
            return True
        if fine and not self._dense_ready:
            self._make_dense()
        if not self._dense_ready and not self.tableau.kick:
            self._staged.call(bodies, T.K, self.tableau.stages + 1, self.y, self.h_done, DOUBT, out)
            return False
        if not self._dense_ready:
            self._make_dense()
        self._series.call(bodies, T.dense, 0, len(SLOPES), SLOPES / self.h_done, self.y, self.h_done, out)
        return True

    def _close(self, t: float, s: np.ndarray, state: Any) -> None:
        """Whole state M.y of the minimal set ``s`` at time t inside the last step; where the mechanism does not close
        from what its end lets expect, along the way back from there, on which ``state(time)`` fills s."""
        pivot = self.close(s, t)
        pieces = 2
        while not pivot > 0.0 and pieces <= 256:
            for k in range(pieces + 1):
                state(time := self.t + (t - self.t) * k / pieces)
                pivot = self.close(s, time, min(k, 1))
                if not pivot > 0.0:
                    break
            pieces *= 2
        if not pivot > 0.0:
            raise IntegrationError(
                f"the mechanism cannot be closed at time {t:.9g}, inside a step; try a smaller HMAX, or DOP853", t
            )

    # ---- pieces -----------------------------------------------------------------------------------------------------
    def _make_dense(self) -> None:
        self._enter.call(self.handle, DENSE, self.y, self.t_old, self.h_done, REDUNDANT, 0, self.stages.d)
        self.statistics["evaluations"] += self.tableau.extra
        self._dense_ready = True

    def _stretch(self, t: float, h: float, factor: float, behind: bool = False) -> float:
        """Size of a step at t, or ``behind`` that from t to t + h, which is ``factor`` times as long in the variable of
        the steps."""
        way, t0 = self.warp
        if not way:
            return h * factor
        a, b = math.sqrt(max(way * (t - t0), 0.0)), math.sqrt(max(way * (t + h - t0), 0.0))
        x = b if behind else a
        end = x + factor * (b - a)
        return max(abs(end * abs(end) - x * x), 1e-2 * h)

    def _fraction(self, t: float) -> float:
        """Of the last step in its variable."""
        warp = self.stages.warp
        if not warp[0]:
            return (t - self.t_old) / self.h_done
        way, t0 = warp
        a, x, b = (math.sqrt(max(way * (s - t0), 0.0)) for s in (self.t_old, t, self.t_old + self.h_done))
        return (x - a) / (b - a)

    def _use(self, size: int) -> None:
        """Which components indicate stiffness, and how many the norm counts; ``size``: length of the state."""
        T, bodies = self.stages, self.system.bodies
        if self.reduced is None:
            T.count[0] = max(tell_fast(bodies, T.fast) + self.system.nx, 1)
        else:
            T.fast[:] = 0.0
            T.fast[self.reduced.positions : size] = 1.0
            T.count[0] = max(self.reduced.counted, 1)

    def _weights(self, error: float) -> None:
        """Weights of the norm at the present state."""
        T, M, part = self.stages, self.M, self.reduced
        if M is None or part is None:
            self.scales.weights(self.y, error, T.weight)
            return
        self.scales.weights(self.y, error, T.ya)
        part.weigh(T.ya)
        own = T.weight[: part.size]
        T.ya.take(self._places, out=own)
        own *= self._halves

    def _first_step(self) -> float:
        """Hairer, Norsett, Wanner I, II.4, in our weights."""
        T, t = self.stages, self.t
        size = self._ny if self.M is None else int(self.M.size[1])
        x = self.y if self.M is None else T.x[:size]
        w = T.weight[:size]
        norm = lambda v: float(np.sqrt(np.mean((v * w) ** 2))) if size else 0.0
        d0, d1 = norm(x) if self.M is None else 1.0, norm(T.K[0, :size])
        span = self.tend - t
        h0 = 1e-6 * span if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
        h0 = min(h0, span)
        T.ya[:size] = x + h0 * T.K[0, :size]
        if self.M is None:
            self._evaluate.call(self.handle, RATE, self.y, t + h0, 0.0, REDUNDANT, 0, T.d)
        else:
            self._enter.call(self.handle, MINIMAL, T.ya, t + h0, 0.0, REDUNDANT, 0, T.K[1])
        self.statistics["evaluations"] += 1
        d2 = norm(T.K[1, :size] - T.K[0, :size]) / h0
        most = max(d1, d2)
        order = self.order
        h1 = max(1e-6 * span, 1e-3 * h0) if not most > 1e-15 else (0.01 * self.options.error**0.5 / most) ** (1 / order)
        return min(100 * h0, h1, span)

    def _even(self) -> bool:
        """Does the estimate of stiffness speak of the last step?  In the root of time the rates of a step that begins
        or ends at the root vary too much; of the steps after that they do not, and a model may be stiff compared with
        a young contact."""
        way, t0 = self.warp
        if not way:
            return True
        near, far = sorted(max(way * (t - t0), 0.0) for t in (self.t_old, self.t))
        return near > 0.25 * far

    def _watch(self, stiff: float, calm: int = 0) -> None:
        """A step with this estimate of stiffness, after ``calm`` ones that stability has not limited."""
        self._calm_count += calm
        if self._calm_count >= 6:
            self._stiff_count = 0
        if stiff > self.stable:
            self._stiff_count += 1
            self._calm_count = 0
            self.stiff = self.stiff or self._stiff_count >= 15
        else:
            self._calm_count += 1
            if self._calm_count >= 6:
                self._stiff_count = 0

    # ---- reduced states: what they require (`reduced.Evaluations`) --------------------------------------------------
    def settle(self) -> int:
        """The present state onto the constraints, rates into K[0]; returns the number of redundant rows."""
        T = self.stages
        _, skipped, *_ = self._evaluate.call(self._whole, PROJECT, self.y, self.t, 0.0, REDUNDANT, 1, T.d)
        T.K[0] = T.yn
        layout.ground(T.K[0], self.system.nb)[:] = 0.0  # nothing is evaluated of it: what is there is an old state
        self.statistics["evaluations"] += 1
        self._user_failure()
        return int(skipped)

    def project(self) -> float:
        """The present state onto all constraints of the system; smallest pivot, not positive where that fails."""
        return float(project_state(self.system, self.y, self.t, 1)[0])

    def rows(self, y: np.ndarray) -> None:
        """Frames and all rows of the system at a state of all bodies at time 0."""
        handle = explicit_handle(self.system)
        enter(handle, CONSTRAINTS, y, 0.0, 0.0, REDUNDANT, 0, self.system.workspace.stages.d)

    def read(self, y: np.ndarray, t: float) -> None:
        """The state of all bodies becomes the reference; x and K[0] follow."""
        self._enter.call(self.handle, REBASE, y, t, 0.0, REDUNDANT, 0, self.stages.d)

    def close(self, s: np.ndarray, t: float, keep: int = 0) -> float:
        """State of all bodies of a reduced one; smallest pivot, not positive where that fails."""
        pivot, *_ = self._enter.call(self.handle, CLOSE, s, t, 0.0, REDUNDANT, keep, self.stages.d)
        return float(pivot)

    def rates(self, flags: int) -> float:
        """Rates of x into K[0]; smallest pivot, not positive where there are none."""
        pivot, *_ = self._enter.call(
            self.handle, MINIMAL, self.stages.x, self.t, 0.0, REDUNDANT, flags, self.stages.K[0]
        )
        self.statistics["evaluations"] += 1
        self._user_failure()
        return float(pivot)

    def _begin_reduced(self) -> None:
        """The present state becomes a reduced one."""
        part = self.reduced
        assert part is not None
        part.begin(self)
        self._places, self._halves = part.weighed()
        self._use(part.size)

    def _iterations(self) -> int:
        """How many the reduced state has taken since they were counted."""
        new = 0 if self.reduced is None else self.reduced.iterations - self.statistics.get("iterations", 0)
        if new:
            self.statistics["iterations"] += new
        return new


def _cause(err: float, pivot: float) -> str:
    if pivot == NOT_CLOSED:
        return "not closed"
    if pivot == TURNED:
        return "large turn"
    if pivot == rk.OPEN:
        return "open"
    if not np.isfinite(err) or pivot != pivot:
        return "not a number"
    return "error" if pivot > 0.0 else "singular"


def _why(rejected: list) -> str:
    """Key into `stepper.TRIES` of the last rejected trial."""
    cause = rejected[-1][4] if rejected else "error"
    return _TRIES.get(cause, cause)
