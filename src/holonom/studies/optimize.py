"""Optimisers of a study, by one interface with bounds and constraints on measures.

All work in the unit cube of the parameters.  Runs are requested in batches, which worker processes compute side by
side: the differences of a gradient, a generation of a population.  "slsqp" is SciPy's sequential quadratic programming
(Kraft, 1988) with gradients by central differences; it expects runs that succeed.  "differential_evolution" is
DE/rand/1/bin (Storn and Price, 1997) with the feasibility rules of Deb (2000) for constraints, which accepts whole
numbers, choices and failed runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.kinds import is_number, is_whole
from .store import Row

if TYPE_CHECKING:
    from .study import Stage, Study

FEASIBLE = 1e-8  # violation of a constraint over its scale that counts as met


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


class _Ended(Exception):
    """The budget of runs is spent."""


class Problem:
    """An objective and constraints over the unit cube; counts runs and keeps the best."""

    def __init__(
        self, study: Study, stage: Stage, objective: str, limits: list[tuple[str, float, float]], sign: float, most: int
    ) -> None:
        self.study, self.stage, self.objective, self.limits = study, stage, objective, limits
        self.sign, self.most = sign, most
        self.failed = 0
        self.best: tuple[float, float, Row] | None = None  #: violation, objective, run
        self._known: dict[bytes, Row] = {}

    def rows(self, X: np.ndarray) -> list[Row]:
        """Runs at points (n, k) of the unit cube; the last ones are remembered.  Raises `_Ended` within the budget."""
        keys = [np.ascontiguousarray(x).tobytes() for x in X]
        new = list(dict.fromkeys(k for k in keys if k not in self._known))
        if self.stage.position + len(new) > self.most:
            raise _Ended
        if len(self._known) > 10_000:
            self._known = {k: self._known[k] for k in keys if k in self._known}
        points = [self.study.space.point(np.frombuffer(k)) for k in new]
        for key, row in zip(new, self.stage.evaluate(points)):
            self._known[key] = row
            self._judge(row)
        return [self._known[k] for k in keys]

    def _judge(self, row: Row) -> None:
        if not row.ok:
            self.failed += 1
            return
        for name in (self.objective, *(m for m, _, _ in self.limits)):
            if name not in row.measures:
                raise ModelError(f"there is no measure {shown(name)}{did_you_mean(name, row.measures)}")
        violation = self.violation(row)
        mine = (violation if violation > FEASIBLE else 0.0, self.value(row), row)
        if self.best is None or mine[:2] < self.best[:2]:
            self.best = mine

    def value(self, row: Row) -> float:
        """The objective, to be minimised."""
        return self.sign * row.measures[self.objective]

    def violation(self, row: Row) -> float:
        """The largest violation over the scale of its limit."""
        worst = 0.0
        for name, low, high in self.limits:
            m = row.measures[name]
            for limit, excess in ((low, low - m), (high, m - high)):
                if math.isfinite(limit):
                    worst = max(worst, excess / max(abs(limit), 1.0))
        return worst


def _limits(subject_to: Mapping[str, Any] | None) -> list[tuple[str, float, float]]:
    out = []
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


def optimize(
    study: Study,
    objective: str,
    *,
    subject_to: Mapping[str, Any] | None = None,
    method: str = "slsqp",
    maximize: bool = False,
    start: Mapping[str, Any] | None = None,
    max_runs: int = 1000,
    tolerance: float = 1e-9,
    step: float = 1e-5,
    population: int | None = None,
) -> Optimum:
    """The least (``maximize``: largest) value of a measure within the bounds of the parameters.

    ``subject_to``: measure -> (lowest, highest), None for none, or one number for equality.  ``method``: "slsqp" or
    "differential_evolution".  ``start``: values at which "slsqp" begins, by default nominal ones.  ``max_runs``: the
    budget.  ``tolerance``: of the objective.  ``step``: of differences, as a share of the range of a parameter.
    ``population``: of the evolution, by default ten per parameter, 20 at least.

    Raises ModelError for unknown names, for parameters without bounds, and where no run succeeds.
    """
    if method not in METHODS:
        raise ModelError(f"there is no optimiser {shown(method)}{did_you_mean(method, METHODS)}")
    if not is_whole(max_runs) or max_runs < 1:
        raise ModelError(f"optimiser: max_runs must be a whole number from 1, got {shown(max_runs)}")
    for word, value in (("tolerance", tolerance), ("step", step)):
        if not is_number(value) or not 0 < value < 1:
            raise ModelError(f"optimiser: {word} must be a number between 0 and 1, got {shown(value)}")
    if population is not None and not (is_whole(population) and population >= 4):
        raise ModelError(f"optimiser: population must be a whole number from 4, got {shown(population)}")
    for p in study.space.parameters:
        if p.choices is None and p.bounds is None:
            raise ModelError(f"parameter '{p.name}' has no bounds, which '{method}' requires; give bounds=(low, high)")
        if method == "slsqp" and not p.continuous:
            raise ModelError(
                f"parameter '{p.name}' is discrete; '{method}' varies continuous ones, use differential_evolution"
            )
    limits = _limits(subject_to)
    begin = study.space.complete(start or {})
    if fault := study.space.fault(begin):
        raise ModelError(f"optimiser: {fault}")
    options = {
        "objective": objective, "maximize": maximize, "method": method, "max_runs": max_runs, "tolerance": tolerance,
        "step": step, "population": population, "start": begin,
        "subject_to": {n: [v if math.isfinite(v) else None for v in (lo, hi)] for n, lo, hi in limits},
    }  # fmt: skip
    stage = study.stage("optimisation", options)
    problem = Problem(study, stage, objective, limits, -1.0 if maximize else 1.0, max_runs)
    try:
        converged, message = METHODS[method](problem, study.space.shares(begin), options)
    except _Ended:
        converged, message = False, f"stopped after {stage.position} runs (max_runs {max_runs})"
    if problem.best is None:
        for sentence, count in study.store.failures(stage.number):
            raise ModelError(f"no run of the optimiser succeeded; {count} of them: {sentence}")
        raise ModelError(f"max_runs {max_runs} does not cover the first batch of '{method}'; raise it")
    violation, _, row = problem.best
    if violation > 0:
        message += f"; no point meets all constraints, the least violation is {violation:.3g}"
    found = Optimum(
        row.parameters, row.measures[objective], row.measures, violation == 0.0, _absolute(limits, row), converged,
        message, stage.position, problem.failed, row.number, stage.number,
    )  # fmt: skip
    stage.conclude(
        {"parameters": row.parameters, "measures": row.measures, "number": row.number, "feasible": found.feasible,
         "converged": converged, "message": message, "runs": stage.position, "failed": problem.failed}
    )  # fmt: skip
    return found


def _absolute(limits: list[tuple[str, float, float]], row: Row) -> float:
    return max((max(low - row.measures[n], row.measures[n] - high, 0.0) for n, low, high in limits), default=0.0)


# ---- methods ---------------------------------------------------------------------------------------------------------
def _slsqp(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    from scipy.optimize import minimize

    step, limits = options["step"], problem.limits
    worst = 0.0
    scale = [1.0] * (1 + len(limits))

    def values(rows: list[Row]) -> np.ndarray:
        """Objective and limited measures (n, 1 + limits), scaled.  A failed run is worse than all before and meets no
        constraint: the line search steps back from it."""
        nonlocal worst
        out = np.zeros((len(rows), 1 + len(limits)))
        for k, row in enumerate(rows):
            if row.ok:
                out[k] = [problem.value(row), *(row.measures[n] for n, _, _ in limits)]
                worst = max(worst, abs(out[k, 0]))
            else:
                out[k] = [1.0 + 10.0 * worst, *(lo - 1.0 if math.isfinite(lo) else hi + 1.0 for _, lo, hi in limits)]
        return out / scale

    first = problem.rows(x0[None])[0]
    if not first.ok:
        raise ModelError(f"the start of the optimiser fails: {first.message}; give another start")
    size = abs(problem.value(first))
    if size == 0.0:  # zero has no size: that of its changes
        around = problem.rows(np.clip(np.vstack([x0 + s * np.eye(len(x0)) for s in (step, -step)]), 0.0, 1.0))
        size = max((abs(problem.value(row)) for row in around if row.ok), default=0.0) / step
    scale = [size or 1.0]
    scale += [max(abs(lo) if math.isfinite(lo) else 0.0, abs(hi) if math.isfinite(hi) else 0.0, 1e-12) if lo or hi
              else 1.0 for _, lo, hi in limits]  # fmt: skip
    at = lambda x: values(problem.rows(np.clip(x, 0.0, 1.0)[None]))[0]

    def slopes(x: np.ndarray) -> np.ndarray:
        """Derivatives (1 + limits, k) by differences: central, one-sided at a bound; failed runs are left out."""
        x = np.clip(x, 0.0, 1.0)
        points = []
        for i in range(len(x)):
            for end in (min(x[i] + step, 1.0), max(x[i] - step, 0.0)):
                points.append(np.concatenate([x[:i], [end], x[i + 1 :]]))
        rows = problem.rows(np.array([x, *points]))
        found = values(rows)
        J = np.zeros((1 + len(limits), len(x)))
        for i in range(len(x)):
            a, b = 1 + 2 * i, 2 + 2 * i
            ends = [(points[a - 1][i], found[a]) if rows[a].ok else (x[i], found[0]),
                    (points[b - 1][i], found[b]) if rows[b].ok else (x[i], found[0])]  # fmt: skip
            if ends[0][0] != ends[1][0]:
                J[:, i] = (ends[0][1] - ends[1][1]) / (ends[0][0] - ends[1][0])
        return J

    constraints: list[dict[str, Any]] = []
    for k, (_, low, high) in enumerate(limits, 1):
        s = scale[k]
        if low == high:
            constraints.append(
                {"type": "eq", "fun": lambda x, k=k, v=low / s: at(x)[k] - v, "jac": lambda x, k=k: slopes(x)[k]}
            )
            continue
        if math.isfinite(low):
            constraints.append(
                {"type": "ineq", "fun": lambda x, k=k, v=low / s: at(x)[k] - v, "jac": lambda x, k=k: slopes(x)[k]}
            )
        if math.isfinite(high):
            constraints.append(
                {"type": "ineq", "fun": lambda x, k=k, v=high / s: v - at(x)[k], "jac": lambda x, k=k: -slopes(x)[k]}
            )
    found = minimize(
        lambda x: at(x)[0], x0, jac=lambda x: slopes(x)[0], bounds=[(0.0, 1.0)] * len(x0), constraints=constraints,
        method="SLSQP", options={"ftol": options["tolerance"], "maxiter": 10_000},
    )  # fmt: skip
    best = problem.best
    if found.status == 0:
        return True, "converged: the objective changes by less than the tolerance"
    if found.status == 8 and best is not None and best[0] == 0.0:
        return True, f"converged: no descent within the accuracy of differences of step {step:g}"
    return False, f"not converged: {found.message}"


def _evolution(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    k = len(x0)
    size = options["population"] or max(20, 10 * k)
    rng = np.random.default_rng([problem.study.seed, 0xDE])
    slices = np.array([rng.permutation(size) for _ in range(k)]).T
    X = (slices + rng.random((size, k))) / size
    X[0] = x0

    def ranks(rows: list[Row]) -> list[tuple[float, float]]:
        """(violation, objective): feasible ones by objective, others by violation, failed ones last."""
        out = []
        for row in rows:
            violation = problem.violation(row) if row.ok else math.inf
            out.append((violation if violation > FEASIBLE else 0.0, problem.value(row) if row.ok else math.inf))
        return out

    mine = ranks(problem.rows(X))
    while True:
        F = 0.5 + 0.4 * rng.random(size)[:, None]
        donors = np.array([rng.choice(size - 1, 3, replace=False) for _ in range(size)])
        donors += donors >= np.arange(size)[:, None]
        a, b, c = X[donors.T]
        mutant = a + F * (b - c)
        # back into the cube, between the bound and the parent
        mutant = np.where(mutant < 0, 0.5 * X, np.where(mutant > 1, 0.5 * (1 + X), mutant))
        cross = rng.random((size, k)) < 0.9
        cross[np.arange(size), rng.integers(0, k, size)] = True
        trial = np.where(cross, mutant, X)
        theirs = ranks(problem.rows(trial))
        for i in range(size):
            if theirs[i] <= mine[i]:
                X[i], mine[i] = trial[i], theirs[i]
        values = [f for v, f in mine if v == 0.0]
        if len(values) == size and max(values) - min(values) <= options["tolerance"] * max(1e-12, abs(min(values))):
            return True, "converged: all of the population have the same objective within the tolerance"


#: name -> function (problem, start in the unit cube, options) -> (converged, message)
METHODS = {"slsqp": _slsqp, "differential_evolution": _evolution}

#: options of `optimize` beyond study and objective
OPTIONS = ("subject_to", "method", "start", "max_runs", "tolerance", "step", "population")
