"""Optimisers of a study, by one interface with bounds and constraints on measures.

All work in the unit cube of the parameters.  Runs are requested in batches, which worker processes compute side by
side: the differences of a gradient, the trial steps of a line, a generation of a population.  Methods that follow
derivatives are in `smooth` and `feasible`, the others in `population`; `METHODS` has them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import explained
from ..model.kinds import is_number, is_whole
from . import feasible, population, smooth
from .formulas import Formula
from .parameters import Space
from .reasons import reasons
from .smooth import NEAR, oblique
from .store import Row

if TYPE_CHECKING:
    from .study import Stage, Study

AROUND = 0.01  # distance of the points around a start without slope, in the unit cube
TRIES = 8  # points at which a search may begin, over the number of starts: runs may fail at some
MOST_AROUND = 200  # of these points
BEST = "best"  # as a start: the best run of the earlier stages
NOISY = 0.05  # error of slopes by noise that ends the claim of convergence, over the spread of the objective
SMALL_CHANGE = 0.01  # least spread of the objective, over its value: a search may begin at its optimum
FINE = 1e-3  # longest step, in the unit cube, of which second differences are too small to be those of curvature
CLOSER = (0.1, 0.05)  # steps of second differences that distinguish noise from kinks, over that of the derivatives
CURVED = 0.03  # of them, over those of the step itself, where curvature is all they are; a kink has 0.08
MOST_CENTRES, LAST_KNOWN = 3, 500  # points whose differences are compared, and runs among which they are
HINT = 1e-4  # the same error that makes a claim doubtful: it hides an improvement of 1e-8 or more
LONGER = (1e-3, 0.03)  # steps of differences, in the unit cube, by which a doubtful claim is checked
CHECK_RUNS = 30  # of such a check at most, over the runs of one slope
LUCK = 4.0  # improvement over the scatter of the objective that is luck
FINER = 0.01  # a step of differences that the step before is compared with, over it
LEAST_STEP = 1e-10  # of these steps, in the unit cube
GAIN = 10.0  # improvement over the tolerance that counts
START_SHARE = 1e-3  # size of the objective, over what the search has gained, at least
FEASIBLE = 1e-8  # violation of a constraint over its scale that counts as met
ACTIVE = 0.01  # distance from a limit over its scale up to which noise of its number counts
SCATTERS = "scatters by about"  # in messages that name noise
Limit = tuple[str, float, float]


@dataclass
class Optimum(Summary):
    """What an optimiser found.

    ``parameters``: the best feasible point, or the one of least violation; ``value``: the objective there;
    ``measures``: all measures; ``feasible``: whether all constraints are met; ``violation``: the largest violation, in
    units of the measure; ``converged`` and ``message``: why it ended; ``runs``: how many it requested, ``failed`` how
    many of them failed; ``number``: that of the best run in its stage."""

    parameters: dict[str, Any]
    value: float
    measures: dict[str, float]
    feasible: bool
    violation: float
    converged: bool
    message: str
    runs: int
    failed: int
    number: int
    stage: int = field(default=0, repr=False)

    def text(self) -> str:
        """Parameters and measures of the best run, and why the search ended, a line each."""
        head = f"run {self.number}, {'feasible' if self.feasible else 'infeasible'}, value {self.value:.10g}"
        shown_measures = {n: v for n, v in self.measures.items() if not n.startswith("d ")}
        lines = [
            f"  {name} = {v:.10g}" if is_number(v) else f"  {name} = {v}"
            for name, v in (*self.parameters.items(), *shown_measures.items())
        ]
        return "\n".join([head, *lines, f"{self.message} ({self.runs} runs)"])


@dataclass(frozen=True)
class Method:
    """An optimiser: ``run(problem, start in the unit cube, options)`` returns whether it converged and why it ended.

    ``constraints``: "all", "inequalities" or "none"; ``continuous``: it cannot vary whole numbers and choices;
    ``objectives``: "one", or "several" of which each is minimised, or "squares" whose sum is; ``barrier``: limits act
    on its steps wherever they are, not only where they are reached."""

    run: Callable[[Problem, np.ndarray, Mapping[str, Any]], tuple[bool, str]]
    constraints: str = "all"
    continuous: bool = False
    objectives: str = "one"
    barrier: bool = False


METHODS = {
    "slsqp": Method(smooth.slsqp, continuous=True),
    "trust_constr": Method(smooth.trust_constr, continuous=True, barrier=True),
    "l_bfgs_b": Method(smooth.l_bfgs_b, "none", continuous=True),
    "least_squares": Method(smooth.least_squares, "none", continuous=True, objectives="squares"),
    "feasible_directions": Method(feasible.feasible_directions, "inequalities", continuous=True),
    "differential_evolution": Method(population.differential_evolution),
    "genetic": Method(population.genetic),
    "particle_swarm": Method(population.particle_swarm),
    "pattern_search": Method(population.pattern_search, "inequalities"),
    "cma_es": Method(population.cma_es),
    "dual_annealing": Method(population.dual_annealing),
    "optuna": Method(population.parzen),
    "nsga2": Method(population.nsga2, objectives="several"),
    "nsga3": Method(population.nsga3, objectives="several"),
}
#: options of `optimize` beyond study and objective
OPTIONS = ("subject_to", "method", "start", "starts", "max_runs", "tolerance", "step", "population")


class LimitScale:
    """The sizes over which violations of a pair of limits are judged: that of the limit, of zero that of the other one.

    Where both are zero, or one is and the other is infinite, it is 1, or the largest number of all runs where that is
    smaller (1e-9)."""

    def __init__(self, low: float, high: float) -> None:
        self.limits = [(sign, limit) for sign, limit in ((-1.0, low), (1.0, high)) if math.isfinite(limit)]
        self.largest = 0.0  #: size of the number in runs

    def meet(self, number: float) -> bool:
        """Take the number of a run into account; whether the scales changed."""
        before = self.largest
        self.largest = max(before, abs(number))
        return self.largest > before

    def excesses(self, number: float) -> list[float]:
        """How far a number is beyond each finite limit, over its scale."""
        other = max(abs(limit) for _, limit in self.limits) or min(self.largest, 1.0) or 1.0
        return [sign * (number - limit) / (abs(limit) or other) for sign, limit in self.limits]


class Ended(Exception):
    """The budget of runs is spent."""


class Problem:
    """Objectives and constraints over the unit cube; counts runs and keeps the best.

    ``limits``: measure, lowest, highest; ``sign``: of each objective, -1 to maximise; ``squares``: the objectives are
    residuals, whose sum of squares is minimised; ``most``: the budget of runs."""

    def __init__(
        self,
        study: Study,
        stage: Stage,
        objectives: Sequence[str],
        limits: list[Limit],
        sign: Sequence[float],
        most: int,
        squares: bool = False,
    ) -> None:
        self.study, self.stage, self.objectives, self.limits = study, stage, tuple(objectives), limits
        self.space = study.space.varied  #: of the unit cube; the other parameters are constants
        self.sign, self.most, self.squares = np.array(sign, float), most, squares
        self.failed = self.judged = 0
        self.exact = True  #: whether derivatives among the measures of a row are exact
        self.best: tuple[float, float, Row] | None = None  #: violation, objective, run
        self.lost: list[np.ndarray] = []  #: points of the unit cube at which a run failed
        self._known: dict[bytes, Row] = {}
        self._formulas: dict[str, Formula] = {}
        self._scales = [LimitScale(low, high) for _, low, high in limits]

    def rows(self, X: np.ndarray) -> list[Row]:
        """Rows at points (n, k) of the unit cube; the last ones are remembered.  Raises `Ended` within the budget."""
        keys = [np.ascontiguousarray(x).tobytes() for x in X]
        new = list(dict.fromkeys(k for k in keys if k not in self._known))
        if len(self._known) > 10_000:
            self._known = {k: self._known[k] for k in keys if k in self._known}
        points = [self.space.point(np.frombuffer(k)) for k in new]
        for key, row in zip(new, self.evaluated(points)):
            self._known[key] = row
            self.judge(row)
            if not row.ok:
                self.lost.append(np.frombuffer(key))
        return [self._known[k] for k in keys]

    def evaluated(self, points: Sequence[Mapping[str, Any]]) -> list[Row]:
        """One row a point: its run, or in `robust` what its scattered runs amount to."""
        return self.requested(points)

    def requested(self, points: Sequence[Mapping[str, Any]], beyond: Collection[str] = ()) -> list[Row]:
        """Runs at points; values of parameters ``beyond`` may leave their bounds.  Raises `Ended` within the budget."""
        if self.stage.position + len(points) > self.most:
            raise Ended
        return self.stage.evaluate(points, beyond)

    def judge(self, row: Row) -> None:
        """Count a run, and keep it where it is the best.  Raises ModelError for measures that it does not have."""
        self.judged += 1
        if not row.ok:
            self.failed += 1
            return
        for name in self.objectives:
            if name not in row.measures:
                raise ModelError(f"there is no measure {shown(name)}{did_you_mean(name, row.measures)}")
        changed = [scale.meet(self.limited(row, name)) for scale, (name, _, _) in zip(self._scales, self.limits)]
        if self.best is not None and any(changed):
            self.best = (*self.rank(self.best[2]), self.best[2])
        mine = (*self.rank(row), row)
        if self.best is None or mine[:2] < self.best[:2]:
            self.best = mine

    @property
    def remembered(self) -> list[Row]:
        """The rows that are remembered."""
        return list(self._known.values())

    def spread(self, number: Callable[[Row], float] | None = None) -> float:
        """Between the least and the largest value of a number, by default the objective, of the runs that are
        remembered: a constant in it does not enter.  Infinite where none succeeded."""
        values = [(number or self.value)(row) for row in self.remembered if row.ok]
        return max(values) - min(values) if values else math.inf

    def centres(self, step: float) -> list[np.ndarray]:
        """The last points of which all neighbours of central differences are remembered."""
        out = []
        for key in reversed(list(self._known)[-LAST_KNOWN:]):
            x = np.frombuffer(key)
            ends = [end for pair in _neighbours(x, step) for end in pair]
            if ends and all(np.ascontiguousarray(end).tobytes() in self._known for end in ends):
                out.append(x)
            if len(out) == MOST_CENTRES:
                break
        return out

    def noise_about(self, centres: Sequence[np.ndarray], step: float, number: Callable[[Row], float]) -> float:
        """Standard deviation of noise that second differences of a number of runs about points amount to.  Raises
        `Ended` within the budget."""
        found = []
        for x in centres:
            for above, below in _neighbours(x, step):
                rows = self.rows(np.array([above, x, below]))
                if all(row.ok for row in rows):
                    a, b, c = map(number, rows)
                    found.append((a - 2.0 * b + c) ** 2 / 6.0)
        return math.sqrt(sum(found) / len(found)) if found else 0.0

    @property
    def feasible(self) -> bool:
        """Whether a run met all constraints."""
        return self.best is not None and self.best[0] == 0.0

    def values(self, row: Row) -> np.ndarray:
        """The objectives, to be minimised."""
        return self.sign * [row.measures[name] for name in self.objectives]

    def numbers(self, row: Row) -> list[float]:
        """Objectives and limited numbers."""
        return [row.measures[name] for name in self.objectives] + [self.limited(row, n) for n, _, _ in self.limits]

    def value(self, row: Row) -> float:
        """The objective, to be minimised: the first of several, the sum of squares of residuals."""
        found = self.values(row)
        return float(found @ found) if self.squares else float(found[0])

    def limited(self, row: Row, name: str) -> float:
        """The number that a constraint limits: a measure, or a formula of parameters, derived values and measures.
        Raises ModelError for a text that is neither."""
        if name in row.measures:
            return row.measures[name]
        values = self.study.rules.extended(row.parameters) | row.measures
        if name not in self._formulas:
            if name.isidentifier() and name not in values:
                raise ModelError(f"there is no measure {shown(name)}{did_you_mean(name, row.measures)}")
            self._formulas[name] = Formula(name, values, f"constraint {shown(name)}")
        return float(self._formulas[name](values))

    @property
    def excess_count(self) -> int:
        """Number of one-sided limits."""
        return sum(math.isfinite(limit) for _, *pair in self.limits for limit in pair)

    def excesses(self, row: Row) -> list[float]:
        """How far a run is beyond each one-sided limit, over its scale; an equality is met within `FEASIBLE`."""
        return [
            excess - (FEASIBLE if low == high else 0.0)
            for scale, (name, low, high) in zip(self._scales, self.limits)
            for excess in scale.excesses(self.limited(row, name))
        ]

    def active(self, rows: Sequence[Row]) -> list[str]:
        """The limited numbers that are at a limit, or beyond it, in one of the runs."""
        return [
            name
            for scale, (name, _, _) in zip(self._scales, self.limits)
            if any(max(scale.excesses(self.limited(row, name))) > -ACTIVE for row in rows)
        ]

    def violation(self, row: Row) -> float:
        """The largest violation over the scale of its limit."""
        found = [scale.excesses(self.limited(row, name)) for scale, (name, _, _) in zip(self._scales, self.limits)]
        return max((excess for sides in found for excess in sides), default=0.0)

    def rank(self, row: Row) -> tuple[float, float]:
        """(violation, objective): feasible ones by objective, others by violation, failed ones last."""
        if not row.ok:
            return math.inf, math.inf
        violation = self.violation(row)
        return (violation if violation > FEASIBLE else 0.0), self.value(row)


def _neighbours(x: np.ndarray, step: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Both ends of central differences about a point of the unit cube, without those beyond it."""
    pairs = []
    for i in range(len(x)):
        ends = [np.concatenate([x[:i], [end], x[i + 1 :]]) for end in (x[i] + step, x[i] - step)]
        if ends[0][i] <= 1.0 and ends[1][i] >= 0.0:
            pairs.append((ends[0], ends[1]))
    return pairs


def as_limits(subject_to: Mapping[str, Any] | None) -> list[Limit]:
    """Constraints as (measure, lowest, highest).  Raises ModelError for pairs that are none."""
    out = []
    if subject_to is not None and not isinstance(subject_to, Mapping):
        raise ModelError(f"subject_to: give a table of measures and limits, got {shown(subject_to)}")
    for name, given in (subject_to or {}).items():
        pair = (given, given) if is_number(given) else given
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise ModelError(f"constraint on '{name}': give (lowest, highest), None for none, got {shown(given)}")
        for v in pair:
            if v is not None and not (is_number(v) and math.isfinite(v)):
                raise ModelError(f"constraint on '{name}': a limit must be a number or None, got {shown(v)}")
        low = -math.inf if pair[0] is None else float(pair[0])
        high = math.inf if pair[1] is None else float(pair[1])
        if low > high or (low, high) == (-math.inf, math.inf):
            raise ModelError(
                f"constraint on '{name}': {shown(given)} allows {'nothing' if low > high else 'everything'}"
            )
        out.append((name, low, high))
    return out


def checked_method(space: Space, method: str, limits: list[Limit], options: Mapping[str, Any]) -> Method:
    """The method of a name.  Raises ModelError for what it cannot do."""
    if method not in METHODS:
        raise ModelError(f"there is no optimiser {shown(method)}{did_you_mean(method, METHODS)}")
    found, most = METHODS[method], options["max_runs"]
    if not is_whole(most) or most < 1:
        raise ModelError(f"optimiser: max_runs must be a whole number from 1, got {shown(most)}")
    for word in ("tolerance", "step"):
        if not is_number(options[word]) or not 0 < options[word] < 1:
            raise ModelError(f"optimiser: {word} must be a number between 0 and 1, got {shown(options[word])}")
    starts = options.get("starts", 1)
    if not is_whole(starts) or starts < 1:
        raise ModelError(f"optimiser: starts must be a whole number from 1, got {shown(starts)}")
    if starts > 1 and not found.continuous:
        raise ModelError(f"'{method}' searches the whole space from one start; starts is for methods with derivatives")
    size = options["population"]
    if size is not None and not (is_whole(size) and size >= 4):
        raise ModelError(f"optimiser: population must be a whole number from 4, got {shown(size)}")
    for p in space.parameters:
        if p.choices is None and p.bounds is None:
            raise ModelError(f"parameter '{p.name}' has no bounds, which '{method}' requires; give bounds=(low, high)")
        if found.continuous and not p.continuous:
            raise ModelError(
                f"parameter '{p.name}' is discrete; '{method}' varies continuous ones, use differential_evolution"
            )
    if method == "cma_es" and len(space) < 2:
        raise ModelError("'cma_es' adapts covariances, of two parameters or more; use differential_evolution")
    if limits and found.constraints == "none":
        raise ModelError(f"'{method}' has no constraints, and '{limits[0][0]}' is one; use slsqp")
    equal = [name for name, low, high in limits if low == high]
    if equal and found.constraints == "inequalities":
        raise ModelError(f"'{method}' has no equality constraints, and '{equal[0]}' is one; use slsqp")
    return found


def search(
    study: Study,
    objectives: Sequence[str],
    sign: Sequence[float],
    limits: list[Limit],
    options: dict[str, Any],
    start: Mapping[str, Any] | str | None,
    name: str = "optimisation",
    make: Callable[..., Problem] = Problem,
) -> tuple[Problem, Stage, bool, str]:
    """Run a method as a stage of a study: the problem with its best run, the stage, whether the method converged, and
    why it ended.  ``name``: of the stage; ``make``: makes the problem."""
    method = METHODS[options["method"]]
    earlier = start == BEST
    if isinstance(start, str) and not earlier:
        raise ModelError(f"optimiser: start must be a table of values or '{BEST}', got {shown(start)}")
    begin = study.space.complete({} if earlier else start or {})  # type: ignore[arg-type]
    if fault := study.space.fault(begin):
        raise ModelError(f"optimiser: {fault}")
    options |= {
        "start": BEST if earlier else begin,
        "subject_to": {n: [v if math.isfinite(v) else None for v in (lo, hi)] for n, lo, hi in limits},
    }
    stage = study.stage(name, options)
    problem = make(study, stage, objectives, limits, sign, options["max_runs"], method.objectives == "squares")
    x0 = problem.space.shares(_best_before(problem) if earlier else begin)
    converged, message = _searched(method, problem, x0, options)
    if problem.best is None:
        for why in reasons(study.store.failures(stage.number)):
            raise ModelError(f"no run of the optimiser succeeded; {why.count} of them: {why.example}")
        raise ModelError(
            f"max_runs {options['max_runs']} does not cover the first batch of '{options['method']}'; raise it"
        )
    if method.continuous and converged and _next_to_failed(problem):
        converged = False
        message = (
            f"not converged: runs fail within {100 * NEAR:g} % of the ranges from this point, where a search that "
            "follows derivatives cannot go on; give such limits in subject_to, or use pattern_search"
        )
    elif method.continuous and not converged and SCATTERS not in message:
        if (noise := _noise(problem, options["step"], active=not method.barrier)) is not None:
            message += f"; {noise.text(options['step'])}"
    if problem.failed:
        what = "runs" if make is Problem else "designs"
        message += f"; {problem.failed} of {max(problem.judged, problem.failed)} {what} failed"
        if found := reasons(study.store.failures(stage.number)):
            message += f", {found[0].count} of them: {found[0].text}"
    if problem.best[0] > 0:
        beyond = absolute_violation(problem, problem.best[2])
        message += f"; no point meets all constraints, the least violation is {beyond:.3g}"
    if (best := problem.best[2]).warnings:
        others = len(best.warnings) - 1
        message += f"; warning of this run: {best.warnings[0]}" + (f" (and {others} more)" if others else "")
    return problem, stage, converged, message


def _searched(method: Method, problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Run a method from its start, and from ``starts`` - 1 further points of the cube at which a run succeeds, each
    with an equal share of the runs that are left: whether the search that found the best converged, and why it ended.
    """
    starts = options.get("starts", 1)
    if starts == 1:
        return _from_one(method, problem, x0, options)
    from scipy.stats import qmc

    points = qmc.Sobol(len(x0), scramble=False).random_base2(math.ceil(math.log2(TRIES * starts)))[1:]
    tried, best, outcome = 0, None, (False, "")
    for k, x in enumerate([x0, *points]):
        left = options["max_runs"] - problem.stage.position
        if tried == starts or left <= 0:
            break
        problem.most = options["max_runs"]
        if k and not problem.rows(x[None])[0].ok:
            continue
        tried += 1
        problem.most = problem.stage.position + max(1, left // (starts - tried + 1))
        found = _from_one(method, problem, x, options)
        if problem.best is not best:
            best, outcome = problem.best, found
    return outcome[0], f"{outcome[1]}; the best of {tried} starts"


def _from_one(method: Method, problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Run a method from one start: whether it converged, and why it ended."""
    try:
        converged, message = method.run(problem, x0, options)
        if method.continuous and converged and (x := _better_around(problem, x0, options["step"])) is not None:
            converged, message = method.run(problem, x, options)
            message += (
                "; the start is a maximum or a saddle, or next to one, so the search went on from a point around it"
            )
        if not method.continuous:
            return converged, message
        return _checked(method, problem, options, _refined(method, problem, options, (converged, message)))
    except Ended:
        return False, f"stopped after {problem.stage.position} runs (max_runs {options['max_runs']})"


def _refined(
    method: Method, problem: Problem, options: Mapping[str, Any], outcome: tuple[bool, str]
) -> tuple[bool, str]:
    """Search on by differences of smaller steps where they contradict those of the step before, until this no longer
    improves the best point: whether it converged, and why it ended.  Raises `Ended` within the budget."""
    step = options["step"]
    while outcome[0]:
        too_long = FINER * step >= LEAST_STEP and _too_long(problem, step, options["tolerance"])
        if not too_long and step == options["step"] or (noise := _noise(problem, step)) is not None and noise.sure:
            break
        step *= FINER if too_long else 1.0
        before = problem.best
        assert before is not None
        found = method.run(problem, problem.space.shares(before[2].parameters), {**options, "step": step})
        assert problem.best is not None
        least = GAIN * options["tolerance"] * _size(problem, before[1])
        if problem.best[0] >= before[0] and before[1] - problem.best[1] <= least:
            break
        outcome = found
    return outcome


def _checked(
    method: Method, problem: Problem, options: Mapping[str, Any], outcome: tuple[bool, str]
) -> tuple[bool, str]:
    """A claim of convergence where numbers scatter by as much as may hide an improvement: it is withdrawn where slopes
    are noise, where the search goes on by differences of longer steps, to which scatter matters less, and where the
    budget ends before that is known."""
    step, most = options["step"], problem.most
    if not outcome[0]:
        return outcome
    if (noise := _noise(problem, step)) is not None and noise.sure:
        return False, f"not converged: {noise.text(step)}"
    centres = problem.centres(step)
    found = _scatters(problem, centres, step, active=False)
    doubtful = {number: scatter for (_, number), (scatter, size) in found.items() if scatter > HINT * step * size}
    if not doubtful:
        return outcome
    curved = all(_is_curvature(problem, centres[:1], step, number, scatter) for number, scatter in doubtful.items())
    luck = LUCK * next(iter(found.values()))[0]
    steps = [s for s in LONGER if s > step]
    for longer in steps:
        before = problem.best
        assert before is not None
        x = problem.space.shares(before[2].parameters)
        problem.most = min(most, problem.stage.position + CHECK_RUNS * (2 * len(x) + 1))
        ended = 0  # the budget that ended the search, if one did
        try:
            method.run(problem, x, {**options, "step": longer})
        except Ended:
            ended = problem.most
        finally:
            problem.most = most
        assert problem.best is not None
        least = GAIN * options["tolerance"] * max(_size(problem, before[1]), problem.spread())
        if problem.best[0] < before[0] or before[1] - problem.best[1] > max(least, luck):
            return False, (
                f"not converged: differences of step {step:g} find no improvement, those of step {longer:g} do: the "
                f"objective or a constraint scatters from point to point, or has kinks; set step={longer:g}, or use "
                "pattern_search"
            )
        if ended and not curved:
            advice = "raise max_runs" if ended == most else f"set step={longer:g}, or use pattern_search"
            return False, (
                "not converged: the objective or a constraint scatters from point to point, or has kinks, and a search "
                f"by differences of step {longer:g}, which checks the optimum, came to no end; {advice}"
            )
    if curved or not steps:
        return outcome
    tried = " and ".join(f"{s:g}" for s in steps)
    return True, (
        f"{outcome[1]}; a number has a kink there or scatter, and differences of step {tried} find nothing that is "
        "better by more than this"
    )


def _size(problem: Problem, value: float) -> float:
    """The size of an objective: its value, or a share of its changes along the search where that is more."""
    known = [problem.value(row) for row in problem.remembered if row.ok]
    return max(abs(value), START_SHARE * abs(known[0] - value)) if known else abs(value)


def _too_long(problem: Problem, step: float, tolerance: float) -> bool:
    """Whether differences of a step are wrong by more than the tolerance: by a line through all parameters at the last
    point of which they are known, with a smaller step.  A slope that is wrong by s hides an improvement of s^2 / (2 c)
    where the curvature is c, and s times the step where it is none."""
    centres = problem.centres(step)[:1]
    if not centres:
        return False  # derivatives are exact
    x, short = centres[0], FINER * step
    way = oblique(len(x))
    way[(x + step > 1.0) | (x - step < 0.0)] = 0.0  # differences there are one-sided
    way /= np.linalg.norm(way)
    inside = np.clip(x, short, 1.0 - short)
    try:
        line = problem.rows(np.array([inside - short * way, inside, inside + short * way]))
        pairs = [problem.rows(np.array([x, *pair])) for pair in _neighbours(x, step)]
    except Ended:
        return False
    if not all(row.ok for rows in (line, *pairs) for row in rows):
        return False
    numbers: list[Callable[[Row], float]] = [problem.value]
    numbers += [partial(problem.limited, name=n) for n in problem.active(line)]
    for k, number in enumerate(numbers):
        below, here, above = map(number, line)
        slope = sum(w * (number(a) - number(b)) / (2.0 * step) for w, (_, a, b) in zip(way[way != 0.0], pairs))
        wrong, curvature = abs((above - below) / (2.0 * short) - slope), abs(above - 2.0 * here + below) / short**2
        hidden = min(wrong**2 / (2.0 * curvature), wrong * step) if curvature else wrong * step
        if hidden > GAIN * tolerance * (_size(problem, here) if k == 0 else abs(here)):
            return True
    return False


def _best_before(problem: Problem) -> Mapping[str, Any]:
    """The best point of the earlier stages.  Raises ModelError where none of their runs succeeded."""
    space, store, best = problem.study.space, problem.study.store, None
    for row in (row for number in range(1, problem.stage.number) for row in store.rows(number)):
        if not row.ok or space.fault(row.parameters):
            continue
        for name in problem.objectives:
            if name not in row.measures:
                raise ModelError(f"there is no measure {shown(name)}{did_you_mean(name, row.measures)}")
        mine = (*problem.rank(row), row.parameters)
        if best is None or mine[:2] < best[:2]:
            best = mine
    if best is None:
        raise ModelError(f"optimiser: start='{BEST}' needs a run of an earlier stage that succeeded; there is none")
    return best[2]


def _better_around(problem: Problem, x0: np.ndarray, step: float) -> np.ndarray | None:
    """A better point around a start at which a search remained, along the axes and the diagonals of two parameters:
    derivatives vanish at a maximum and at a saddle, too."""
    assert problem.best is not None
    start = problem.best
    if float(np.abs(problem.space.shares(start[2].parameters) - x0).max()) > 2.0 * step:  # a point of a difference
        return None
    k = len(x0)
    ways = [*np.eye(k)]
    ways += [(ways[i] + s * ways[j]) / math.sqrt(2.0) for i in range(k) for j in range(i) for s in (1.0, -1.0)]
    X = np.clip(x0 + AROUND * np.array([s * w for w in ways for s in (1.0, -1.0)])[:MOST_AROUND], 0.0, 1.0)
    try:
        problem.rows(X)
    except Ended:
        return None
    violation, value, row = problem.best
    if (violation, value) >= start[:2] or start[1] - value <= 1e-9 * abs(start[1]) and violation == start[0]:
        return None
    return problem.space.shares(row.parameters)


@dataclass(frozen=True)
class Noise:
    """Scatter of a number that makes slopes by differences wrong: ``what`` it is, standard deviation, the step that
    suits it; ``sure``: a kink is excluded."""

    what: str
    scatter: float
    step: float
    sure: bool

    def text(self, step: float) -> str:
        """What it does to differences of a step, and what helps."""
        kink = "" if self.sure else " (or has a kink)"
        return (
            f"{self.what} {SCATTERS} {self.scatter:.2g} from point to point{kink}, which differences of "
            f"step {step:g} turn into wrong slopes; set step={self.step:.1g}, or use pattern_search"
        )


def _scatters(
    problem: Problem, centres: Sequence[np.ndarray], step: float, active: bool = True
) -> dict[tuple[str, Callable[[Row], float]], tuple[float, float]]:
    """Of the objective and of the limited numbers, with their names in words: what second differences of a step about
    ``centres`` amount to as noise (standard deviation), and the size of the number.  ``active``: only of numbers at a
    limit in the later half of the runs."""
    known = [row for row in problem.remembered if row.ok]
    if not known or not centres:
        return {}
    names = problem.active(known[len(known) // 2 :]) if active else [name for name, _, _ in problem.limits]
    numbers = {"the objective": problem.value} | {f"constraint '{n}'": partial(problem.limited, name=n) for n in names}
    return {
        (what, number): (
            problem.noise_about(centres, step, number),
            max(problem.spread(number), SMALL_CHANGE * abs(number(known[-1]))),
        )
        for what, number in numbers.items()
    }


def _noise(problem: Problem, step: float, active: bool = True) -> Noise | None:
    """The scatter of the objective, or of a number that a limit holds, where it makes slopes by differences wrong.
    Of second differences those of a smooth function fall with the square of the step, those of a kink with the step,
    those of noise not at all (Hamming's tables of differences; J. J. More and S. M. Wild, SIAM J. Sci. Comput. 33,
    2011).  Where the budget of runs does not allow smaller steps, a kink is not excluded; of long steps curvature is
    not, and nothing is reported.  ``active``: as in `_scatters`."""
    centres = problem.centres(step)
    for (what, number), (scatter, size) in _scatters(problem, centres, step, active).items():
        if scatter <= NOISY * size * step:
            continue
        suits = min(0.1, (scatter / size) ** (1 / 3))
        try:
            closer = [problem.noise_about(centres[:1], share * step, number) for share in CLOSER]
        except Ended:
            return Noise(what, scatter, suits, sure=False) if step <= FINE else None
        if math.hypot(*closer) / math.sqrt(len(CLOSER)) >= 0.25 * scatter:
            return Noise(what, scatter, suits, sure=True)
    return None


def _is_curvature(
    problem: Problem, centres: Sequence[np.ndarray], step: float, number: Callable[[Row], float], scatter: float
) -> bool:
    """Whether what second differences of a step amount to as noise falls with the square of the step: False where the
    budget does not allow smaller ones."""
    try:
        closer = [problem.noise_about(centres, share * step, number) for share in CLOSER]
    except Ended:
        return False
    return math.hypot(*closer) / math.sqrt(len(CLOSER)) <= CURVED * scatter


def _next_to_failed(problem: Problem) -> bool:
    """Whether the best point is next to one at which a run failed."""
    assert problem.best is not None
    x = problem.space.shares(problem.best[2].parameters)
    return any(float(np.abs(lost - x).max()) <= NEAR for lost in problem.lost)


@partial(explained, name="optimiser", bound=True, strict=True)
def optimize(
    study: Study,
    objective: str | Sequence[str],
    *,
    subject_to: Mapping[str, Any] | None = None,
    method: str = "slsqp",
    maximize: bool = False,
    start: Mapping[str, Any] | str | None = None,
    starts: int = 1,
    max_runs: int = 1000,
    tolerance: float = 1e-9,
    step: float = 1e-5,
    population: int | None = None,
) -> Optimum:
    """The least (``maximize``: largest) value of a measure within the bounds of the parameters.

    ``objective``: a measure; of "least_squares" a list of residuals, whose sum of squares is minimised.
    ``subject_to``: measure, or a formula of parameters and measures as "a + b", -> (lowest, highest), None for none, or
    one number for equality.  ``method``: "slsqp",
    "trust_constr", "l_bfgs_b", "least_squares" and "feasible_directions" follow derivatives: exact ones where the runs
    have them (``gradients=True`` of a `Study`), else differences; "differential_evolution", "genetic",
    "particle_swarm", "pattern_search", "cma_es", "dual_annealing" and "optuna" do without, and vary whole numbers and
    choices too.  ``start``: values at which it begins, by default nominal ones; "best": the best run of the
    earlier stages of the study, by objective and constraints.  ``starts``: of a method that follows derivatives, from
    how many points it begins: that one and others spread over the bounds (those that fail are passed over), of which
    the best result is kept, since derivatives lead to the next minimum only.  ``max_runs``: the budget.
    ``tolerance``: of the objective.  Derivatives that a function returns are compared with a difference at the start,
    and where the start has no slope, points around it are run.  ``step``: of differences, as a share of the range of a
    parameter.  ``population``: of an evolution or a swarm.

    Raises ModelError for unknown names, for parameters without bounds, for what a method cannot do, where its package
    is not installed, and where no run succeeds.
    """
    limits = as_limits(subject_to)
    several = not isinstance(objective, str)
    options = {
        "objective": list(objective) if several else objective,
        "maximize": maximize,
        "method": method,
        "max_runs": max_runs,
        "tolerance": tolerance,
        "step": step,
        "population": population,
        **({} if starts == 1 else {"starts": starts}),
    }
    kind = checked_method(study.space.varied, method, limits, options)
    if kind.objectives == "several":
        raise ModelError(f"'{method}' finds Pareto fronts of several objectives; use Study.pareto")
    if several and kind.objectives != "squares":
        raise ModelError(f"'{method}' has one objective, got {shown(objective)}; use Study.pareto, or least_squares")
    if kind.objectives == "squares" and maximize:
        raise ModelError("'least_squares' minimises a sum of squares; it cannot maximise")
    names = [objective] if isinstance(objective, str) else list(objective)
    sign = [-1.0 if maximize else 1.0] * len(names)
    problem, stage, converged, message = search(study, names, sign, limits, options, start)
    assert problem.best is not None
    violation, value, row = problem.best
    found = Optimum(
        row.parameters,
        -value if maximize else value,
        row.measures,
        violation == 0.0,
        absolute_violation(problem, row),
        converged,
        message,
        stage.position,
        problem.failed,
        row.number,
        stage.number,
    )
    stage.conclude(
        {
            "parameters": row.parameters,
            "measures": row.measures,
            "number": row.number,
            "feasible": found.feasible,
            "converged": converged,
            "message": message,
            "runs": stage.position,
            "failed": problem.failed,
        }
    )
    return found


def absolute_violation(problem: Problem, row: Row) -> float:
    """The largest violation of a limit, in units of its measure."""
    numbers = [(problem.limited(row, name), low, high) for name, low, high in problem.limits]
    return max((max(low - v, v - high, 0.0) for v, low, high in numbers), default=0.0)
