"""Scatter and failure: statistics of samples, worst cases, the first- and second-order reliability methods, subset
simulation.

FORM: the design point is the nearest point of the limit state to the origin of the standard normal space (Hasofer and
Lind, 1974; Rackwitz and Fiessler, 1978), found by the improved HL-RF iteration with a merit function (Zhang and Der
Kiureghian, 1995); the probability is Phi(-beta).  SORM: main curvatures at that point (Fiessler, Neumann and Rackwitz,
1979) in the formula of Hohenbichler and Rackwitz (1988), which tends to Breitung's (1984) for large beta.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import explained
from ..model.kinds import is_number, is_whole
from .parameters import StudyParameter
from .smooth import OFF, ROUGH, derivative_name, oblique
from .store import Row

if TYPE_CHECKING:
    from .study import Study

STEP = 1e-3  # of differences, standard deviations
CURVED = 0.05  # of second differences
MOST = 100  # iterations
FARTHEST = 37.0  # standard deviations: beyond, quantiles are infinite
METHODS = ("form", "subset")
BEYOND = (0.02, 0.1)  # distances from the design point, towards failure, at which the measure must pass its limit
INSIDE = 0.99  # radius of the sphere of checks over the distance of the design point
DISAGREE = 2.0  # a ratio of two probabilities beyond which both are doubtful
UNLIKELY = 1e-4  # probability of as many failures in the sample of checks, below which it contradicts
TIED = 0.05  # share of the samples of a level with one value, above which a measure counts as stepped
SIGNS = ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0))


@dataclass(frozen=True)
class Statistics(Summary):
    """Statistics of a measure over runs.

    ``count``, ``failed``: runs with the measure, and without; ``mean``, ``std`` (of a sample); ``error``: standard
    error of the mean of independent runs; ``low``, ``high``: smallest and largest; ``quantiles``: at 1, 5, 25, 50, 75,
    95 and 99 %."""

    count: int
    failed: int
    mean: float
    std: float
    error: float
    low: float
    high: float
    quantiles: dict[float, float] = field(repr=False)


def statistics(y: np.ndarray) -> Statistics:
    """Statistics of values (n,); NaN counts as failed.  Raises ModelError for fewer than two values."""
    good = y[np.isfinite(y)]
    if len(good) < 2:
        raise ModelError(f"statistics need two values or more, got {len(good)}")
    std = float(np.std(good, ddof=1))
    levels = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
    return Statistics(
        len(good),
        len(y) - len(good),
        float(good.mean()),
        std,
        std / math.sqrt(len(good)),
        float(good.min()),
        float(good.max()),
        {q: float(np.quantile(good, q)) for q in levels},
    )


def probability(
    y: np.ndarray, low: float | None, high: float | None, level: float = 0.95
) -> tuple[float, float, float]:
    """Share of runs outside of (low, high) with its confidence interval (Wilson, 1927).  Runs that failed (NaN) are
    left out.  Raises ModelError without a limit."""
    from scipy.stats import norm

    if low is None and high is None:
        raise ModelError("probability: give low or high")
    if low is not None and high is not None and low > high:
        raise ModelError(f"probability: low {low:g} is above high {high:g}, so that nothing is within; exchange them")
    good = y[np.isfinite(y)]
    n = len(good)
    if not n:
        raise ModelError("probability: no run has the measure")
    out = (good < (-math.inf if low is None else low)) | (good > (math.inf if high is None else high))
    p, z = float(out.mean()), float(norm.ppf(0.5 + 0.5 * level))
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return p, max(middle - half, 0.0), min(middle + half, 1.0)


@dataclass
class Reliability(Summary):
    """A failure probability.

    ``beta``: distance of the design point in standard deviations, negative where the mean fails; ``probability``: of
    failure, first order; ``second_order``: that of SORM, NaN where it was not requested; ``point``: values of the
    parameters there; ``importance``: share of each parameter in the variance of the linearised limit state;
    ``converged``, ``message``: why the search ended; ``warnings``: why the probability may be far off although it
    converged: several design points, first and second order that differ by more than a factor of 2, a sample that
    contradicts them; ``runs``: how many it took."""

    beta: float
    probability: float
    second_order: float
    point: dict[str, Any]
    importance: dict[str, float]
    converged: bool
    message: str
    warnings: list[str]
    runs: int
    stage: int = field(default=0, repr=False)

    def text(self) -> str:
        """Probability, index, design point, shares of the parameters, and reasons for doubt."""
        lines = [f"probability {self.probability:.6g} (first order), index {self.beta:.6g}"]
        if not self.converged:
            lines = [
                f"no design point; probability {self.probability:.6g}, index {self.beta:.6g} of the last point tried"
            ]
        if math.isfinite(self.second_order):
            lines.append(f"probability {self.second_order:.6g} (second order)")
        lines.append(f"most likely failure at {_point(self.point)}")
        lines.append("importance " + ", ".join(f"{n} {100 * v:.3g} %" for n, v in self.importance.items()))
        return "\n".join([*lines, f"{self.message} ({self.runs} runs)", *(f"warning: {w}" for w in self.warnings)])

    __str__ = text


@dataclass
class SampledReliability(Summary):
    """A failure probability by subset simulation.

    ``probability``; ``low``, ``high``: its 95 % interval; ``beta``: the reliability index of the same probability;
    ``point``: values of the parameters at the most likely failed sample; ``levels``: thresholds until failure;
    ``converged``, ``message``: whether failure was reached; ``runs``: how many it took."""

    probability: float
    low: float
    high: float
    beta: float
    point: dict[str, Any]
    levels: int
    converged: bool
    message: str
    runs: int
    stage: int = field(default=0, repr=False)

    def text(self) -> str:
        """Probability with its interval, the most likely failure, and why the search ended."""
        interval = f"95 % interval {self.low:.4g} to {self.high:.4g}"
        return (
            f"probability {self.probability:.6g}, {interval}, index {self.beta:.6g}\n"
            f"most likely failure at {_point(self.point)}\n{self.message} ({self.runs} runs)"
        )

    __str__ = text


class _LimitState:
    """g(u) > 0 is safe; u are standard normal coordinates of the parameters that have a distribution."""

    def __init__(self, study: Study, stage: Any, measure: str, sign: float, limit: float) -> None:
        self.study, self.stage, self.measure, self.sign, self.limit = study, stage, measure, sign, limit
        self.random = [p for p in study.space.parameters if p.distribution is not None]
        self.checked = False  # whether derivatives of a function were compared with a difference

    def point(self, u: np.ndarray) -> dict[str, Any]:
        return self.points(np.asarray(u)[None])[0]

    def points(self, U: np.ndarray) -> list[dict[str, Any]]:
        columns = [p.truncated.from_normal(u) for p, u in zip(self.random, U.T)]  # type: ignore[union-attr]
        names = [p.name for p in self.random]
        nominal = self.study.space.nominal()
        return [nominal | dict(zip(names, map(float, row))) for row in np.array(columns, float).T]

    def rows(self, U: np.ndarray) -> list[Row]:
        rows = self.stage.evaluate(self.points(U))
        for row in rows:
            if not row.ok:
                raise ModelError(
                    f"reliability: a run fails: {row.message}; the limit state must exist around its design point"
                )
            if self.measure not in row.measures:
                raise ModelError(f"there is no measure {shown(self.measure)}{did_you_mean(self.measure, row.measures)}")
        return rows

    def values(self, U: np.ndarray) -> np.ndarray:
        return np.array([self.sign * (self.limit - row.measures[self.measure]) for row in self.rows(U)])

    def beyond(self, U: np.ndarray) -> np.ndarray:
        """Values that are zero or below where the measure is beyond the limit; at the limit it is not."""
        g = self.values(U)
        return np.where(g == 0.0, np.finfo(float).tiny, g)

    def known(self, U: np.ndarray) -> np.ndarray:
        """Values far from the design point, where a run may fail: NaN for these."""
        rows = self.stage.evaluate(self.points(U))
        return np.array([self.sign * (self.limit - row.measures.get(self.measure, math.nan)) for row in rows])

    def with_slope(self, u: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient: exact where the runs have derivatives, else by central differences."""
        k = len(u)
        row = self.rows(u[None])[0]
        g = self.sign * (self.limit - row.measures[self.measure])
        found = [row.measures.get(derivative_name(self.measure, p.name)) for p in self.random]
        if all(f is not None for f in found):
            ends = np.array(
                [
                    [float(p.truncated.from_normal(v + s)) for s in (STEP, -STEP)]  # type: ignore[union-attr]
                    for p, v in zip(self.random, u)
                ]
            )
            slope = -self.sign * np.array(found) * (ends[:, 0] - ends[:, 1]) / (2 * STEP)
            if not self.checked and self.study.job["kind"] == "function":
                self._check(u, g, slope)
            self.checked = True
            return g, slope
        around = self.values(np.vstack([u + s * STEP * np.eye(k) for s in (1.0, -1.0)]))
        return g, (around[:k] - around[k:]) / (2 * STEP)

    def _check(self, u: np.ndarray, g: float, slope: np.ndarray) -> None:
        """Compare derivatives that a function returns with a difference along a line through all parameters."""
        way = oblique(len(u))
        above, below = self.values(np.array([u + STEP * way, u - STEP * way]))
        sides = (above - g) / STEP, (g - below) / STEP
        slack = OFF * float(np.abs(slope * way).sum()) + ROUGH * (abs(g) + abs(self.limit)) / STEP
        if not min(sides) - slack <= float(slope @ way) <= max(sides) + slack:
            raise ModelError(
                f"reliability: the derivatives of '{self.measure}' that the function returns give a slope of "
                f"{-self.sign * float(slope @ way):.6g} along all random parameters, differences give "
                f"{-self.sign * 0.5 * sum(sides):.6g}; correct them, or leave them out"
            )

    def curvatures(self, u: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Main curvatures (k - 1,) of the limit state at u, positive where it bends away from the origin, ascending,
        and their directions (k, k - 1)."""
        k, size = len(u), float(np.linalg.norm(slope))
        basis = np.linalg.qr(np.column_stack([slope / size, np.eye(k)]))[0][:, 1:k]
        steps: list[np.ndarray] = []
        where: dict[tuple, int] = {}
        for i in range(k - 1):
            for s in (1.0, -1.0):
                where[i, i, s] = len(steps)
                steps.append(u + s * CURVED * basis[:, i])
            for j in range(i):
                for s, t in SIGNS:
                    where[i, j, s, t] = len(steps)
                    steps.append(u + CURVED * (s * basis[:, i] + t * basis[:, j]))
        middle, *values = self.values(np.array([u, *steps]))
        H = np.zeros((k - 1, k - 1))
        for i in range(k - 1):
            H[i, i] = (values[where[i, i, 1.0]] - 2 * middle + values[where[i, i, -1.0]]) / CURVED**2
            for j in range(i):
                H[i, j] = H[j, i] = sum(s * t * values[where[i, j, s, t]] for s, t in SIGNS) / (4 * CURVED**2)
        found, vectors = np.linalg.eigh(H / size)
        return found, basis @ vectors

    def design_point(self, u: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray, float, bool]:
        """The nearest point of the limit state to the origin by the improved HL-RF iteration from u: coordinates,
        gradient there, value at the start, whether it converged."""
        first = scale = 0.0
        slope = np.zeros(len(u))
        for k in range(MOST):
            g, slope = self.with_slope(u)
            size = float(np.linalg.norm(slope))
            if size == 0.0:
                at = ", ".join(f"{n} = {v:.6g}" for n, v in self.point(u).items() if is_number(v))
                raise ModelError(
                    f"reliability: '{self.measure}' does not change with the random parameters at {at}; use "
                    "method='subset'"
                )
            if k == 0:
                first, scale = g, abs(g) or size
            alpha, length = slope / size, float(np.linalg.norm(u))
            on = abs(g) <= tolerance * scale
            if on and float(np.linalg.norm(u - (alpha @ u) * alpha)) <= 10 * tolerance * max(length, 1.0):
                return u, slope, first, True
            d = (alpha @ u - g / size) * alpha - u
            weight = 2.0 * max(length / size, 0.0 if on else 0.5 * float((u + d) @ (u + d)) / abs(g))
            trial = u + np.outer(0.5 ** np.arange(6), d)
            trial *= np.minimum(1.0, FARTHEST / np.maximum(np.linalg.norm(trial, axis=1, keepdims=True), 1.0))
            merits = [0.5 * float(x @ x) + weight * abs(v) for x, v in zip(trial, self.values(trial))]
            here = 0.5 * length**2 + weight * abs(g)
            u = next((x for x, m in zip(trial, merits) if m < here), trial[-1])
        return u, slope, first, False


@partial(explained, name="reliability", bound=True, strict=True)
def reliability(
    study: Study,
    measure: str,
    *,
    low: float | None = None,
    high: float | None = None,
    method: str = "form",
    second_order: bool = True,
    tolerance: float = 1e-5,
    checks: int = 40,
    count: int = 1000,
) -> Reliability | SampledReliability:
    """Probability that a measure is below ``low``, or above ``high``.

    ``method``: "form": by the nearest point of failure (FORM), with ``second_order`` also its curvatures (SORM);
    ``tolerance`` of that point; ``checks``: further runs that look for failure nearer to the mean and for a random
    sample that contradicts the probability (`Reliability.warnings`), 0 for none.  "subset": subset simulation with
    ``count`` runs a level, a level for each factor of ten: for several regions of failure, limit states without
    derivatives and many parameters.

    The parameters that have a distribution are random and independent, the others nominal.  Raises ModelError where
    both or no limits are given, for an unknown measure or method, without distributions and where a run fails."""
    from scipy.stats import binom, norm

    if (low is None) == (high is None):
        raise ModelError("reliability: give low or high, one of them")
    sign, limit = (1.0, high) if low is None else (-1.0, low)
    if limit is None or not is_number(limit) or not math.isfinite(limit):
        raise ModelError(f"reliability: a limit must be a number, got {shown(limit)}")
    if method not in METHODS:
        raise ModelError(f"reliability: there is no method {shown(method)}{did_you_mean(method, METHODS)}")
    if not is_whole(count) or count < 100:
        raise ModelError(f"reliability: count must be a whole number from 100, got {shown(count)}")
    if not is_whole(checks) or checks < 0:
        raise ModelError(f"reliability: checks must be a whole number from 0, got {shown(checks)}")
    own: dict[str, Any] = {"second_order": second_order, "tolerance": tolerance, "checks": checks}
    if method == "subset":
        own = {"count": count}
    stage = study.stage("reliability", {"measure": measure, "low": low, "high": high, "method": method} | own)
    state = _LimitState(study, stage, measure, sign, float(limit))
    if not state.random:
        raise ModelError("reliability: no parameter has a distribution")
    if method == "subset":
        return _by_subsets(study, stage, state, count)
    u, slope, first, converged = state.design_point(np.zeros(len(state.random)), tolerance)
    side = math.copysign(1.0, first)  # -1: the mean fails
    warnings: list[str] = []
    sample = np.zeros(0)
    if converged and checks:
        rng = np.random.default_rng([study.seed, 0xC4EC])
        normal = rng.standard_normal((checks, len(u)))
        inner = normal[::2] * (INSIDE * np.linalg.norm(u) / np.linalg.norm(normal[::2], axis=1, keepdims=True))
        tried = state.known(np.vstack([inner, normal[1::2]]))
        beyond, sample = side * tried[: len(inner)] < 0.0, tried[len(inner) :]
        if beyond.any():
            warnings.append(
                f"{beyond.sum()} of {len(inner)} runs nearer to the mean than the design point are beyond the limit: "
                "there are several design points"
            )
            other, its_slope, _, found_it = state.design_point(inner[beyond.argmax()], tolerance)
            if found_it and np.linalg.norm(other) < np.linalg.norm(u):
                u, slope = other, its_slope
                warnings[-1] += ", of which a nearer one than the first is used"
    second, curved = math.nan, 1.0
    if second_order and converged:
        bends, ways = state.curvatures(u, slope)
        if len(u) > 1 and 1.0 + side * bends[0] * float(np.linalg.norm(u)) < 0.0:
            # the limit state is nearer to the origin at both sides: this point is no minimum of the distance
            u, slope, _, converged = state.design_point(u + 0.5 * ways[:, 0], tolerance)
            bends, ways = state.curvatures(u, slope)
            warnings.append("there is a second design point, as near, on the other side of a saddle, not counted")
    beta = side * float(np.linalg.norm(u))
    p = float(norm.sf(beta))
    if second_order and converged:
        ratio = float(np.exp(norm.logpdf(abs(beta)) - norm.logsf(abs(beta))))
        factors = 1.0 + ratio * side * bends
        curved = math.exp(-0.5 * float(np.sum(np.log(factors)))) if (factors > 0).all() else math.inf
        tail = float(norm.sf(abs(beta))) * curved
        if not tail <= 1.0:
            warnings.append("the limit state curves too strongly towards the mean, so there is no second order")
        else:
            second = tail if beta >= 0 else 1.0 - tail
            if not 1.0 / DISAGREE <= curved <= DISAGREE:
                side_of = "failure" if beta >= 0 else "no failure"
                warnings.append(f"curvature changes the probability of {side_of} by a factor of {curved:.3g}")
    sample = sample[np.isfinite(sample)]
    failures = int((sample < 0.0).sum())  # at the limit is not beyond it
    if converged and checks:
        further = u - np.outer(BEYOND, slope / np.linalg.norm(slope))
        if (state.known(further) == 0.0).all():
            warnings.append(
                f"'{measure}' stays at its limit beyond the design point and does not pass it: the probability is that "
                "of reaching the limit"
            )
    stated = [q for q in (p, second) if math.isfinite(q)]
    if all(min(binom.cdf(failures, len(sample), q), binom.sf(failures - 1, len(sample), q)) < UNLIKELY for q in stated):
        warnings.append(f"{failures} of {len(sample)} runs of a random sample fail, which contradicts the probability")
    message = f"the design point is not found within {MOST} iterations"
    if converged:
        message = "the design point is on the limit state and nearest to the mean"
    if converged and warnings:
        reasons = "; ".join(warnings)
        message = f"a design point is found, but the probability may be off: {reasons}; compare with method='subset'"
    share = slope**2 / float(slope @ slope)
    importance = {r.name: float(a) for r, a in zip(state.random, share)}
    found = Reliability(
        beta, p, second, state.point(u), importance, converged, message, warnings, stage.position, stage.number
    )
    stage.conclude(
        {
            "beta": beta,
            "probability": p,
            "converged": converged,
            "message": message,
            "warnings": warnings,
            "runs": stage.position,
        }
    )
    return found


def _by_subsets(study: Study, stage: Any, state: _LimitState, count: int) -> SampledReliability:
    """The probability by subset simulation."""
    from scipy.stats import norm

    from .subset import subset_simulation

    rng = np.random.default_rng([study.seed, 0x5B5E7])
    found = subset_simulation(state.beyond, len(state.random), count, rng)
    p, point = found.probability, {}
    if found.nearest is None:
        low, high = 0.0, found.bound
        message = f"no sample fails within {found.levels} levels: the probability is below {high:.2g}"
    else:
        low, high = (min(p * math.exp(s * 1.96 * found.variation), 1.0) for s in (-1.0, 1.0))
        message = f"failure is reached at level {found.levels}; the coefficient of variation is {found.variation:.2g}"
        point = state.point(found.nearest)
    if found.tied > TIED:
        message += (
            f"; the measure is stepped: {100 * found.tied:.3g} % of the samples of a level have one value, so that "
            "levels cannot be chosen freely"
        )
        if found.nearest is None:
            message += "; take a larger count"
    out = SampledReliability(
        p,
        low,
        high,
        float(norm.isf(p)) if p > 0.0 else math.inf,
        point,
        found.levels,
        found.nearest is not None,
        message,
        stage.position,
        stage.number,
    )
    stage.conclude(
        {"probability": p, "low": low, "high": high, "converged": out.converged, "message": message, "runs": out.runs}
    )
    return out


@dataclass
class WorstCase(Summary):
    """The extremes of a measure within the bounds: ``low``, ``high`` its values, ``at_low``, ``at_high`` the parameters
    there, ``message`` how they were found, ``runs`` how many it took."""

    low: float
    high: float
    at_low: dict[str, Any] = field(repr=False)
    at_high: dict[str, Any] = field(repr=False)
    message: str = ""
    runs: int = 0

    def text(self) -> str:
        """Both extremes with the parameters there, and how they were found."""
        rows = [(word, v, at) for word, v, at in (("low", self.low, self.at_low), ("high", self.high, self.at_high))]
        return "\n".join(
            [*(f"{word:4} {v:.8g} at {_point(at)}" for word, v, at in rows), f"{self.message} ({self.runs} runs)"]
        )

    __str__ = text


def _point(values: Mapping[str, Any]) -> str:
    """Values of parameters in a line."""
    return ", ".join(f"{n} = {v:.6g}" if is_number(v) else f"{n} = {v}" for n, v in values.items())


def _extremes(rows: Sequence[Row], measure: str) -> WorstCase:
    """The extremes of runs of all designs."""
    good = [row for row in rows if row.ok]
    if not good:
        raise ModelError("worst case: no run succeeded")
    if measure not in good[0].measures:
        raise ModelError(f"there is no measure {shown(measure)}{did_you_mean(measure, good[0].measures)}")
    low, high = (end(good, key=lambda row: row.measures[measure]) for end in (min, max))
    message = f"all {len(rows)} designs were run"
    if failed := len(rows) - len(good):
        message += f"; {failed} of them failed, so these are the extremes of what could be run"
    return WorstCase(
        low.measures[measure], high.measures[measure], dict(low.parameters), dict(high.parameters), message, len(rows)
    )


def _at_corner(varied: Sequence[StudyParameter], at: Mapping[str, Any]) -> bool:
    """Whether all numbers with bounds are at one of them."""
    return all(
        min(abs(at[p.name] - b) for b in p.bounds) <= 1e-6 * (p.bounds[1] - p.bounds[0]) for p in varied if p.bounds
    )


@partial(explained, name="worst case", bound=True, strict=True)
def worst_case(study: Study, measure: str, *, max_runs: int = 1000) -> WorstCase:
    """Least and largest value of a measure within the bounds: the corners (of up to ten parameters, 33 to 1024 points;
    else a Plackett-Burman design) and a Latin hypercube, then slsqp from the best and the worst of them, with discrete
    parameters differential_evolution.  Where all are discrete and ``max_runs`` allows it, all designs are run.  Raises
    ModelError as `optimize.optimize`."""
    from .designs import full_factorial, latin_hypercube, plackett_burman

    varied = study.space.varied.parameters
    sizes = [
        len(p.choices) if p.choices is not None else int(p.bounds[1] - p.bounds[0]) + 1 if p.integer and p.bounds else 0
        for p in varied
    ]
    if all(sizes) and math.prod(sizes) <= max_runs:  # all designs there are
        table = list(study.run(full_factorial({p.name: n for p, n in zip(varied, sizes)})))
        return _extremes(table, measure)
    design = full_factorial(2) if len(varied) <= 10 else plackett_burman()
    corners = list(study.run(design))
    count = len(corners)
    corners += list(study.run(latin_hypercube(max(10, 10 * len(varied)))))
    rows = [row for row in corners if row.ok]
    if not rows:
        raise ModelError("worst case: no corner of the bounds could be run")
    if measure not in rows[0].measures:
        raise ModelError(f"there is no measure {shown(measure)}{did_you_mean(measure, rows[0].measures)}")
    ends: list[tuple[float, Mapping[str, Any]]] = []
    method = "slsqp" if all(p.continuous for p in varied) else "differential_evolution"
    runs, failed = len(corners), len(corners) - len(rows)
    for largest in (False, True):
        corner = (max if largest else min)(rows, key=lambda row: row.measures[measure])
        best = corner.measures[measure], corner.parameters
        found = (study.maximize if largest else study.minimize)(
            measure, start=corner.parameters, max_runs=max_runs, method=method
        )
        runs, failed = runs + found.runs, failed + found.failed
        if (found.value > best[0]) == largest and found.value != best[0]:
            best = found.value, found.parameters
        ends.append(best)
    (low, at_low), (high, at_high) = ends
    message = f"{count} corners and {len(corners) - count} points within, then {method} from the extremes"
    inside = [word for word, at in (("low", at_low), ("high", at_high)) if not _at_corner(varied, at)]
    if inside:
        message += f"; {' and '.join(inside)} {'are' if len(inside) > 1 else 'is'} not at a corner of the bounds"
    message += "; extremes that these do not approach are possible where the measure is not monotonic"
    if failed:
        message += f"; {failed} of {runs} runs failed, so these are the extremes of what could be run"
    return WorstCase(low, high, dict(at_low), dict(at_high), message, runs)
