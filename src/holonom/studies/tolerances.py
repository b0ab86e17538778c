"""Tolerance allocation: the cheapest tolerances of parameters with which measures stay within their limits.

The cost of a tolerance t is fixed + factor / t^power (Sutherland and Roth, 1975).  In the logarithms of the tolerances
cost and scatter are convex, so the least one is unique (for sums of one limit it is the closed form of Chase, Greenwood
and others, 1990, by a Lagrange multiplier).  How far each tolerance moves a measure is taken from runs at the
tolerances found, in turns, so that a curved measure is allocated with its own scatter and mean shift.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import explained
from ..model.kinds import is_number, is_whole
from .designs import sobol_shares
from .optimize import as_limits
from .parameters import Space
from .reliability import Statistics, statistics
from .robust import MOST_CORNERS, NODES, WEIGHTS, Spread, contradicted, normal_sample
from .store import Row

if TYPE_CHECKING:
    from .study import Study

CRITERIA = ("statistical", "worst_case")
OPTIONS = ("criterion", "sigmas", "process", "others", "at", "verify")
TURNS = 40
NARROWER = 10  # turns in which tolerances that move a mean beyond a limit may be reduced to a quarter
CLOSE = 1e-5  # relative change of all tolerances at which the turns end
WIDEST = math.log(1e6)  # range of a tolerance without bounds about its first guess
COST_KEYS = ("factor", "power", "fixed", "bounds")


@dataclass(frozen=True)
class Cost:
    """The cost of a tolerance t: ``fixed`` + ``factor`` / t^``power``; ``bounds`` of t."""

    factor: float
    power: float = 1.0
    fixed: float = 0.0
    bounds: tuple[float, float] | None = None

    def at(self, tolerance: float) -> float:
        """The cost of a tolerance."""
        return self.fixed + self.factor / tolerance**self.power


@dataclass
class Allocation(Summary):
    """Allocated tolerances.

    ``tolerances``: name -> t of nominal +/- t; ``cost``: their sum; ``spread``: measure -> `Spread` with these
    tolerances; ``shares``: measure -> name -> share of its variance (of its range, worst case); ``feasible``: whether
    all measures stay within their limits, by the allocation and by the sample; ``sample``: measure -> `Statistics` of
    runs with these tolerances and ``within``, the share of them that meet all limits (NaN without a sample);
    ``message``: which limits are active, which tolerances are at a bound, and what the sample contradicts; ``runs``:
    how many it took."""

    tolerances: dict[str, float]
    cost: float
    spread: dict[str, Spread]
    shares: dict[str, dict[str, float]] = field(repr=False)
    feasible: bool
    sample: dict[str, Statistics] = field(repr=False)
    within: float
    message: str
    runs: int
    stage: int = field(default=0, repr=False)


def as_cost(name: str, given: Any) -> Cost:
    """A cost from a number (the factor of power 1), or a table.  Raises ModelError for what is neither."""
    if is_number(given):
        given = {"factor": given}
    if isinstance(given, Cost):
        given = {k: getattr(given, k) for k in COST_KEYS}
    if not isinstance(given, Mapping) or "factor" not in given:
        raise ModelError(
            f"cost of '{name}': give the factor of factor / tolerance, or a table with factor and power, got "
            f"{shown(given)}"
        )
    for key in given:
        if key not in COST_KEYS:
            raise ModelError(f"cost of '{name}': unknown key {shown(key)}{did_you_mean(key, COST_KEYS)}")
    for key, least in (("factor", 0.0), ("power", 0.0), ("fixed", -math.inf)):
        value = given.get(key, 1.0)
        if not is_number(value) or not least < value < math.inf:
            above = " above zero" if least == 0.0 else ""
            raise ModelError(f"cost of '{name}': {key} must be a number{above}, got {shown(value)}")
    bounds = given.get("bounds")
    if bounds is not None:
        if (
            not isinstance(bounds, (list, tuple))
            or len(bounds) != 2
            or not all(is_number(b) for b in bounds)
            or not 0 < bounds[0] < bounds[1] < math.inf
        ):
            raise ModelError(f"cost of '{name}': bounds must be two tolerances above zero, got {shown(bounds)}")
        bounds = (float(bounds[0]), float(bounds[1]))
    return Cost(float(given["factor"]), float(given.get("power", 1.0)), float(given.get("fixed", 0.0)), bounds)


class _Stack:
    """Runs about the nominal point, and what tolerances amount to there."""

    def __init__(self, study: Study, stage: Any, names: list[str], limits: list, at: dict, worst: bool) -> None:
        self.study, self.stage, self.names, self.limits, self.at, self.worst = study, stage, names, limits, at, worst

    def runs(self, parts: np.ndarray) -> np.ndarray:
        """Measures (n, m) at deviations (n, r).  Raises ModelError where a run fails."""
        rows = self.rows(parts)
        for row in rows:
            if not row.ok:
                raise ModelError(f"tolerance allocation: a run within the tolerances fails: {row.message}")
        return np.array([[self._value(row, name) for name, _, _ in self.limits] for row in rows])

    def rows(self, parts: np.ndarray) -> list[Row]:
        points = [self.at | {n: self.at[n] + float(d) for n, d in zip(self.names, part)} for part in parts]
        return self.stage.evaluate(points, self.names)

    def _value(self, row: Row, name: str) -> float:
        if name not in row.measures:
            raise ModelError(f"there is no measure {shown(name)}{did_you_mean(name, row.measures)}")
        return row.measures[name]

    def along(self, reach: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Measures at the nominal point (m,), and at nodes * reach of one parameter at a time (r, nodes, m)."""
        r = len(reach)
        parts = np.zeros((1 + r * len(nodes), r))
        for i in range(r):
            parts[1 + i * len(nodes) : 1 + (i + 1) * len(nodes), i] = reach[i] * nodes
        found = self.runs(parts)
        return found[0], found[1:].reshape(r, len(nodes), -1)


@partial(explained, name="tolerance allocation", bound=True, strict=True)
def allocate_tolerances(
    study: Study,
    limits: Mapping[str, Any],
    costs: Mapping[str, Any],
    *,
    criterion: str = "statistical",
    sigmas: float = 3.0,
    process: float = 3.0,
    others: Mapping[str, float] | None = None,
    at: Mapping[str, Any] | None = None,
    verify: int = 128,
) -> Allocation:
    """The cheapest tolerances with which measures stay within limits.

    ``limits``: measure -> (lowest, highest), None for none.  ``costs``: parameter -> factor of factor / t, or a table
    with factor, power, fixed and bounds of t.  ``others``: tolerances that are given, as those of bought parts.
    ``at``: nominal values, by default those of the parameters.  ``criterion``: "statistical": deviations are
    independent and normal, t is ``process`` of their standard deviations, and each measure is within its limits by
    mean -/+ ``sigmas`` of its standard deviation.  "worst_case": all deviations may be -t or t at once.  ``verify``:
    runs of a sample with the tolerances found; 0: none.

    Raises ModelError for unknown names, costs that are none, a nominal point outside of the limits, a tolerance that
    moves no measure and has no bounds, and where a run fails.
    """
    if criterion not in CRITERIA:
        raise ModelError(f"there is no criterion {shown(criterion)}{did_you_mean(criterion, CRITERIA)}")
    for word, number in (("sigmas", sigmas), ("process", process)):
        if not is_number(number) or not 0 < number < 40:
            raise ModelError(f"tolerance allocation: {word} must be a number between 0 and 40, got {shown(number)}")
    if not is_whole(verify) or verify < 0:
        raise ModelError(f"tolerance allocation: verify must be a whole number from 0, got {shown(verify)}")
    pairs = as_limits(limits)
    if not pairs:
        raise ModelError("tolerance allocation: give limits={'measure': (lowest, highest)}")
    if not isinstance(costs, Mapping) or not costs:
        raise ModelError(f"tolerance allocation: give costs={{'parameter': factor}}, got {shown(costs)}")
    prices = {name: as_cost(name, given) for name, given in costs.items()}
    given = dict(others or {})
    for name, value in given.items():
        if name in prices:
            raise ModelError(f"tolerance of '{name}': it has a cost and a given tolerance; give one of them")
        if not is_number(value) or not 0 < value < math.inf:
            raise ModelError(f"tolerance of '{name}' must be above zero, got {shown(value)}")
    names = [*prices, *given]
    for name in names:
        if not _continuous(study.space, name):
            raise ModelError(f"parameter '{name}' is discrete and has no tolerance")
    point = study.space.complete(at or {})
    if fault := study.space.fault(point):
        raise ModelError(f"tolerance allocation: {fault}")
    options = {
        "limits": {n: [v if math.isfinite(v) else None for v in (lo, hi)] for n, lo, hi in pairs},
        "costs": {n: [c.factor, c.power, c.fixed, c.bounds] for n, c in prices.items()},
        "others": given,
        "at": point,
        "criterion": criterion,
        "sigmas": float(sigmas),
        "process": float(process),
        "verify": verify,
    }
    stage = study.stage("tolerance allocation", options)
    worst = criterion == "worst_case"
    stack = _Stack(study, stage, names, pairs, point, worst)
    found = _turns(stack, prices, given, 1.0 if worst else float(sigmas), 1.0 if worst else float(process))
    message = found.message
    if verify:
        message += _sampled(stack, found, float(sigmas), float(process), verify)
    out = Allocation(
        {n: float(t) for n, t in zip(names, found.t) if n in prices},
        sum(c.at(t) for c, t in zip(prices.values(), found.t)),
        found.spread,
        found.shares,
        found.feasible,
        found.sample,
        found.within,
        message,
        stage.position,
        stage.number,
    )
    stage.conclude(
        {"tolerances": out.tolerances, "cost": out.cost, "feasible": out.feasible, "message": message, "runs": out.runs}
    )
    return out


def _continuous(space: Space, name: str) -> bool:
    return space[name].continuous and is_number(space[name].value)


@dataclass
class _State:
    """Tolerances (r,) and what they amount to."""

    t: np.ndarray
    spread: dict[str, Spread]
    shares: dict[str, dict[str, float]]
    feasible: bool
    message: str
    sample: dict[str, Statistics] = field(default_factory=dict)
    within: float = math.nan


@dataclass
class _Budget:
    """One side of a limit: sum over parameters of rate^power * t^power is at most budget^power, with power 2 of
    standard deviations and 1 of worst cases."""

    name: str
    rate: np.ndarray
    budget: float
    power: int


def _turns(stack: _Stack, prices: dict[str, Cost], given: dict[str, float], sigmas: float, process: float) -> _State:
    """Allocate, run at the tolerances found, and allocate again, until they remain."""
    free = len(prices)
    first = np.array([_guess(stack.study.space, n, stack.at[n]) for n in stack.names])
    for i, c in enumerate(prices.values()):
        if c.bounds:
            first[i] = math.sqrt(c.bounds[0] * c.bounds[1])
    first[free:] = list(given.values())
    middle = stack.runs(np.zeros((1, len(first))))[0]
    for (name, low, high), value in zip(stack.limits, middle):
        if not low < value < high:
            raise ModelError(
                f"tolerance allocation: the nominal value {value:.6g} of '{name}' is not within its limits {low:g} to "
                f"{high:g}; change the nominal point first"
            )
    t, settled = first, False
    share, last = 1.0, np.zeros(len(first))  # of the way to the next tolerances; less where they swing to and fro
    wide = np.array([*(c.bounds is None for c in prices.values()), *([False] * len(given))])
    for turn in range(TURNS):
        budgets, spread, shares = _measured(stack, t, sigmas, process)
        if turn < NARROWER and wide.any() and any(b.budget <= 0.0 for b in budgets):
            t = np.where(wide, 0.25 * t, t)  # so wide that the mean is beyond a limit
            continue
        new = np.append(_cheapest(list(prices.items()), budgets, t, free), t[free:])
        change = float(np.max(np.abs(new / t - 1.0)))
        if change <= CLOSE:
            settled = True
            break
        way = np.log(new / t)
        if way @ last < 0.0:
            share = max(0.5 * share, 0.05)
        t, last = t * np.exp(share * way), way
    if not settled:
        budgets, spread, shares = _measured(stack, t, sigmas, process)
    state = _State(t, spread, shares, True, "")
    parts, over = [], []
    for b in budgets:
        used = float(((b.rate * t) ** b.power).sum()) ** (1.0 / b.power)
        if b.budget <= 0.0 or used > b.budget * (1 + 1e-3):
            over.append(b.name)
        elif used > b.budget * (1 - 1e-3):
            parts.append(f"the limit of {b.name} is active")
    for (name, c), value in zip(prices.items(), t):
        for end, word in zip(c.bounds or (), ("tightest", "widest")):
            if abs(value / end - 1.0) < 1e-6:
                parts.append(f"'{name}' has its {word} tolerance {end:g}")
    if over:
        state.feasible = False
        parts.insert(0, f"even these tolerances do not meet the limit of {', '.join(dict.fromkeys(over))}")
    if not settled:
        parts.append(f"tolerances still change after {TURNS} turns")
    state.message = "; ".join(dict.fromkeys(parts)) if parts else "no limit is active"
    return state


def _guess(space: Space, name: str, value: float) -> float:
    """A first tolerance: a thousandth of the range, or of the value."""
    bounds = space[name].bounds
    return 1e-3 * (bounds[1] - bounds[0] if bounds else abs(value) or 1.0)


def _measured(
    stack: _Stack, t: np.ndarray, sigmas: float, process: float
) -> tuple[list[_Budget], dict[str, Spread], dict[str, dict[str, float]]]:
    """What tolerances amount to by runs, one parameter at a time, and the budgets of the limits."""
    budgets, spread, shares = [], {}, {}
    nodes = np.array([-1.0, 1.0]) if stack.worst else NODES[NODES != 0.0]
    middle, outer = stack.along(t / process, nodes)
    for j, (name, low, high) in enumerate(stack.limits):
        f0, F = float(middle[j]), outer[:, :, j]
        if stack.worst:
            up, down = np.maximum(F.max(axis=1) - f0, 0.0), np.maximum(f0 - F.min(axis=1), 0.0)
            spread[name] = Spread(f0, math.nan, math.nan, f0 - float(down.sum()), f0 + float(up.sum()))
            part = up + down
            sides = [(f"'{name}' below", down, f0 - low), (f"'{name}' above", up, high - f0)]
        else:
            w = WEIGHTS[NODES != 0.0]
            w0 = float(1.0 - w.sum())
            m = F @ w + w0 * f0
            var = (F - m[:, None]) ** 2 @ w + w0 * (f0 - m) ** 2
            mean, std = f0 + float((m - f0).sum()), math.sqrt(float(var.sum()))
            spread[name] = Spread(f0, mean, std, mean - sigmas * std, mean + sigmas * std)
            part, each = var, np.sqrt(var) * sigmas
            sides = [(f"'{name}' below", each, mean - low), (f"'{name}' above", each, high - mean)]
        total = float(part.sum())
        shares[name] = {n: float(v) / total if total else 0.0 for n, v in zip(stack.names, part)}
        budgets += [
            _Budget(word, reach / t, room, 1 if stack.worst else 2)
            for word, reach, room in sides
            if math.isfinite(room)
        ]
    return budgets, spread, shares


def _cheapest(prices: list[tuple[str, Cost]], budgets: list[_Budget], t: np.ndarray, free: int) -> np.ndarray:
    """Tolerances (free,) of least cost within the budgets, by the logarithms of the tolerances; the tightest ones where
    no tolerances meet them."""
    from scipy.optimize import minimize

    start = np.zeros(free)
    low, high = np.zeros(free), np.zeros(free)
    rest = []  # of each budget, what given tolerances leave of it, to its power
    for b in budgets:
        left = max(b.budget, 0.0) ** b.power - float(((b.rate[free:] * t[free:]) ** b.power).sum())
        rest.append(left)
    for i, (name, c) in enumerate(prices):
        own = [
            (left / free) ** (1.0 / b.power) / b.rate[i] for b, left in zip(budgets, rest) if b.rate[i] > 0 and left > 0
        ]
        if not own and not c.bounds:
            moves = any(b.rate[i] > 0 for b in budgets)
            what = "the given tolerances exceed the limits by themselves" if moves else "no measure changes with it"
            raise ModelError(f"tolerance of '{name}': {what}; give its cost bounds=(tightest, widest)")
        start[i] = math.log(min(own)) if own else math.log(c.bounds[1])  # type: ignore[index]
        low[i], high[i] = map(math.log, c.bounds) if c.bounds else (start[i] - WIDEST, start[i] + WIDEST)
    start = np.clip(start, low, high)
    if any(left <= 0 for left in rest):
        return np.exp(low)
    factor, power = np.array([[c.factor, c.power] for _, c in prices]).T
    scale = float((factor * np.exp(-power * start)).sum())
    cost = lambda y: float((factor * np.exp(-power * y)).sum()) / scale
    slope = lambda y: -power * factor * np.exp(-power * y) / scale
    constraints: list[dict[str, Any]] = []
    for b, left in zip(budgets, rest):
        if not (b.rate[:free] > 0).any():
            continue

        def room(y: np.ndarray, b: _Budget = b, left: float = left) -> float:
            return math.log(left) - math.log(float(((b.rate[:free] * np.exp(y)) ** b.power).sum()))

        def room_slope(y: np.ndarray, b: _Budget = b) -> np.ndarray:
            terms = (b.rate[:free] * np.exp(y)) ** b.power
            return -b.power * terms / terms.sum()

        constraints.append({"type": "ineq", "fun": room, "jac": room_slope})
    found = minimize(
        cost,
        start,
        jac=slope,
        bounds=list(zip(low, high)),
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    y = np.clip(found.x, low, high)
    if min((c["fun"](y) for c in constraints), default=0.0) < -1e-6:
        return np.exp(low)
    return np.exp(y)


def _sampled(stack: _Stack, state: _State, sigmas: float, process: float, count: int) -> str:
    """Run a sample with the tolerances found, and report what it contradicts."""
    r = len(state.t)
    if stack.worst:
        parts = (2.0 * sobol_shares(count, r, stack.study.seed + 1) - 1.0) * state.t
        if r <= MOST_CORNERS:
            parts = np.vstack([parts, np.array(list(itertools.product((-1.0, 1.0), repeat=r))) * state.t])
    else:
        parts = normal_sample(count, r, stack.study.seed + 1) * state.t / process
    rows = stack.rows(parts)
    good = [row for row in rows if row.ok]
    text = f"; {len(rows) - len(good)} of {len(rows)} runs of the sample fail" if len(good) < len(rows) else ""
    if len(good) < 2:
        return text
    met = np.ones(len(good), bool)
    for name, low, high in stack.limits:
        y = np.array([row.measures[name] for row in good])
        state.sample[name] = statistics(y)
        s = state.spread[name]
        slack = 1e-3 * (s.high - s.low)
        met &= (y >= low - slack) & (y <= high + slack) if stack.worst else (y >= low) & (y <= high)
        std = float(np.std(y, ddof=1))
        if stack.worst and (y.min() < s.low - slack or y.max() > s.high + slack):
            text += f"; '{name}' is between {y.min():.6g} and {y.max():.6g} in the sample, beyond its worst cases"
            text += f" {s.low:.6g} and {s.high:.6g} by one tolerance at a time"
            state.feasible = state.feasible and bool(y.min() >= low - slack and y.max() <= high + slack)
        if not stack.worst and (beyond := contradicted(y, low, high, sigmas)):
            text += f"; {beyond} of '{name}' in the sample, which contradicts the allocation"
            state.feasible = False
        if not stack.worst and abs(std - s.std) > 0.2 * max(std, s.std):
            text += f"; the standard deviation of '{name}' is {std:.4g} in the sample, {s.std:.4g} in the allocation"
    state.within = float(met.sum()) / len(rows)
    return text
