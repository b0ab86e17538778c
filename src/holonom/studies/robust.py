"""Robust optimisation: designs whose measures remain good while parameters scatter.

Each design of an optimiser is a cluster of runs about it, which is reduced to the mean and the standard deviation of
each measure (mean plus k sigma), to its extremes (worst case), or to its value at the most probable point of a target
reliability index (the performance measure approach of Tu, Choi and Park, 1999, with the advanced mean value iteration
of Wu, Millwater and Cruse, 1990).  All optimisers of `optimize` work on the reduced rows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
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
from .distributions import Distribution, Normal, as_distribution
from .optimize import Limit, Problem, absolute_violation, as_limits, checked_method, search
from .parameters import Space
from .reliability import Statistics, probability, statistics
from .smooth import derivative_name
from .store import FAILED, Row

if TYPE_CHECKING:
    from .study import Stage, Study

#: criterion -> estimates of what scatters, the default first
ESTIMATES = {
    "sigma": ("quadrature", "sample", "linear"),
    "worst_case": ("corners", "linear"),
    "reliability": ("most_probable_point",),
}
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
MOST_CORNERS = 10  # parameters that scatter
STEP = 1e-3  # of differences in the standard normal space
SHARE = 1e-5  # of differences, of the range of a parameter that does not scatter
ANGLE = 1e-4  # between a most probable point and its gradient, at which the search for it ends
TURNS = 30  # iterations of that search
AGREE = 0.2  # relative difference of a standard deviation from that of the sample which is reported
#: options of `optimize_robust` beyond study and objective
OPTIONS = (
    "criterion",
    "sigmas",
    "scatter",
    "estimate",
    "count",
    "verify",
    "subject_to",
    "method",
    "start",
    "max_runs",
    "tolerance",
    "step",
    "population",
)


@dataclass(frozen=True)
class Spread(Summary):
    """One measure of a design whose parameters scatter.

    ``nominal``: its value without scatter; ``mean``, ``std``: estimates, NaN where the criterion does not have them;
    ``low``, ``high``: the values that limits and objective are compared with: mean minus and plus sigmas times std, the
    worst cases, or those of the target reliability (NaN on a side without a limit)."""

    nominal: float
    mean: float
    std: float
    low: float
    high: float


@dataclass
class RobustOptimum(Summary):
    """What a robust optimisation found.

    ``parameters``: nominal values of the best design; ``value``: the robust objective there; ``spread``: measure ->
    `Spread`; ``feasible``: whether all limits are met with scatter, by the estimates and by the sample; ``violation``:
    the largest violation, in units of the measure; ``sample``: measure -> `Statistics` of runs of an independent sample
    about the design, which verifies the estimates; ``converged``, ``message``: why it ended and what the sample
    contradicts; ``runs``: all runs, ``failed`` designs of which a run failed."""

    parameters: dict[str, Any]
    value: float
    spread: dict[str, Spread]
    feasible: bool
    violation: float
    sample: dict[str, Statistics] = field(repr=False)
    converged: bool
    message: str
    runs: int
    failed: int
    stage: int = field(default=0, repr=False)


@dataclass(frozen=True)
class Scattering:
    """A parameter that scatters: by a deviation from its nominal value (``added``), or by its own distribution."""

    name: str
    distribution: Distribution
    added: bool
    nominal: float  #: of the deviation zero, else of the parameter


def scatter_of(space: Space, given: Mapping[str, Any] | None) -> list[Scattering]:
    """What scatters: parameters with a distribution, and deviations ``given`` as standard deviation or distribution.
    Raises ModelError where nothing does, and for what cannot."""
    if given is not None and not isinstance(given, Mapping):
        raise ModelError(f"scatter must be a table of parameter and standard deviation, got {shown(given)}")
    given = given or {}
    for name in given:
        if name not in space.names:
            raise ModelError(f"scatter: there is no parameter {shown(name)}{did_you_mean(name, space.names)}")
    out = []
    for p in space.parameters:
        if p.distribution is not None:
            if p.name in given:
                raise ModelError(f"scatter of '{p.name}': the parameter has a distribution already; give one of them")
            assert p.truncated is not None
            out.append(Scattering(p.name, p.truncated, False, float(p.value)))
        elif p.name in given:
            if not p.continuous or not is_number(p.value):
                raise ModelError(f"scatter of '{p.name}': the parameter is discrete; only continuous ones scatter")
            out.append(Scattering(p.name, _deviation(p.name, given[p.name]), True, 0.0))
    if not out:
        raise ModelError("nothing scatters: give scatter={'name': standard deviation}, or a parameter a distribution")
    return out


def _deviation(name: str, given: Any) -> Distribution:
    if isinstance(given, Distribution):
        return given
    if isinstance(given, Mapping):
        return as_distribution(given, f"scatter of '{name}'")
    if not is_number(given) or not 0 < given < math.inf:
        raise ModelError(f"scatter of '{name}': the standard deviation must be above zero, got {shown(given)}")
    return Normal(0.0, float(given))


def normal_sample(count: int, k: int, seed: int) -> np.ndarray:
    """Points (count, k) of a Sobol sequence in the standard normal space."""
    from scipy.stats import norm

    return norm.ppf(np.clip(sobol_shares(count, k, seed), 0.5 / count, 1.0 - 0.5 / count))


class _RobustProblem(Problem):
    """A problem whose rows are reduced clusters of runs."""

    def __init__(
        self,
        study: Study,
        stage: Stage,
        objectives: Sequence[str],
        limits: list[Limit],
        sign: Sequence[float],
        most: int,
        squares: bool,
        *,
        scatter: list[Scattering],
        space: Space,
        options: Mapping[str, Any],
    ) -> None:
        self.criterion, self.sigmas, self.estimate = (options[w] for w in ("criterion", "sigmas", "estimate"))
        self.measure, self.given = options["objective"], limits
        sides = [(f"low {n}", lo, math.inf) for n, lo, _ in limits if math.isfinite(lo)]
        sides += [(f"high {n}", -math.inf, hi) for n, _, hi in limits if math.isfinite(hi)]
        super().__init__(study, stage, objectives, sides, sign, most, squares)
        self.space, self.scatter = space, scatter
        self.exact = self.criterion != "reliability"
        self.quantities = list(dict.fromkeys([self.measure, *(n for n, _, _ in limits)]))
        self.continuous = [p.name for p in space.parameters if p.continuous]
        self.nominal = np.array([s.nominal for s in scatter])
        if self.criterion != "reliability":
            self.parts = np.vstack([self.nominal, self._cluster(options["count"])])

    # ---- runs -------------------------------------------------------------------------------------------------------
    def parts_at(self, U: np.ndarray) -> np.ndarray:
        """Deviations and values (n, r) at points (n, r) of the standard normal space."""
        columns = [np.asarray(s.distribution.from_normal(u), float) for s, u in zip(self.scatter, np.transpose(U))]
        return np.stack(columns, axis=-1)

    def _cluster(self, count: int) -> np.ndarray:
        """Deviations and values of the runs about a design; the nominal one is not among them."""
        r = len(self.scatter)
        if self.estimate == "sample":
            return self.parts_at(normal_sample(count, r, self.study.seed))
        if self.estimate == "quadrature":
            outer = [k for k in range(len(NODES)) if NODES[k] != 0.0]
            U = np.zeros((1 + len(outer) * r, r))
            for i in range(r):
                U[1 + len(outer) * i : 1 + len(outer) * (i + 1), i] = NODES[outer]
            return self.parts_at(U)
        if self.estimate == "corners":
            return np.array(list(itertools.product(*(s.distribution.ends(self.sigmas) for s in self.scatter))))
        steps = np.diag(self._steps())
        return np.vstack([self.nominal + steps, self.nominal - steps])

    def _steps(self) -> np.ndarray:
        """Steps (r,) of slopes."""
        return np.array([0.1 * s.distribution.std for s in self.scatter])

    def _linear(self, F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slopes (r,) by what scatters, of values F (1 + 2 r,), and the steps."""
        r, step = len(self.scatter), self._steps()
        return (F[1 : 1 + r] - F[1 + r :]) / (2 * step), step

    def point(self, design: Mapping[str, Any], part: np.ndarray) -> dict[str, Any]:
        """The values of a run of a design."""
        out = dict(design)
        for s, value in zip(self.scatter, part):
            out[s.name] = float(design[s.name] + value) if s.added else float(value)
        return out

    def cluster(self, designs: Sequence[Mapping[str, Any]], parts: np.ndarray) -> list[list[Row]]:
        """Runs of each design."""
        points = [self.point(d, part) for d in designs for part in parts]
        rows = self.requested(points, self.space.names)
        return [rows[k : k + len(parts)] for k in range(0, len(rows), len(parts))]

    def evaluated(self, points: Sequence[Mapping[str, Any]]) -> list[Row]:
        """One row a design: its nominal values, and measures "low f", "high f", "mean f", "std f" of each f."""
        designs = [self.study.space.complete(p) for p in points]
        if self.criterion == "reliability":
            return [self._at_target(d) for d in designs]
        return [self._reduced(d, rows) for d, rows in zip(designs, self.cluster(designs, self.parts))]

    def _failure(self, design: dict[str, Any], rows: Sequence[Row]) -> Row | None:
        """A failed row where a run of a design failed."""
        for row in rows:
            if not row.ok:
                return Row(row.number, design, status=FAILED, message=row.message)
            if self.measure not in row.measures:
                raise ModelError(f"there is no measure {shown(self.measure)}{did_you_mean(self.measure, row.measures)}")
        return None

    def _slopes(self, rows: Sequence[Row], name: str) -> np.ndarray | None:
        """Exact derivatives (n, k) of a measure by the continuous parameters of the design, or None."""
        keys = [derivative_name(name, n) for n in self.continuous]
        if not all(k in row.measures for row in rows for k in keys):
            return None
        return np.array([[row.measures[k] for k in keys] for row in rows])

    def _row(self, design: dict[str, Any], first: Row, found: Mapping[str, tuple[Spread, Any, Any]]) -> Row:
        """A row of spreads and the derivatives of their ends."""
        measures: dict[str, float] = {}
        for name, (spread, low, high) in found.items():
            measures[name] = spread.nominal
            for word in ("mean", "std", "low", "high"):
                measures[f"{word} {name}"] = getattr(spread, word)
            for word, slopes in (("low", low), ("high", high)):
                if slopes is not None:
                    measures |= {
                        derivative_name(f"{word} {name}", n): float(s) for n, s in zip(self.continuous, slopes)
                    }
        return Row(first.number, design, measures=measures)

    # ---- mean plus sigmas, worst case -------------------------------------------------------------------------------
    def _reduced(self, design: dict[str, Any], rows: list[Row]) -> Row:
        if failed := self._failure(design, rows):
            return failed
        out = {}
        for name in self.quantities:
            F, G = np.array([self.limited(row, name) for row in rows]), self._slopes(rows, name)
            out[name] = self._extremes(F, G) if self.criterion == "worst_case" else self._moments(F, G)
        return self._row(design, rows[0], out)

    def _moments(self, F: np.ndarray, G: np.ndarray | None) -> tuple[Spread, Any, Any]:
        """Mean and sigmas of values F (1 + n,) with derivatives G, the nominal ones first."""
        r, k = len(self.scatter), 0 if G is None else G.shape[1]
        dmean, dvar = np.zeros(k), np.zeros(k)
        mean: float = float(F[1])
        var: float = 0.0
        if self.estimate == "linear":
            slope, step = self._linear(F)
            bias = np.array([s.distribution.mean for s in self.scatter]) - self.nominal
            spread = np.array([s.distribution.std for s in self.scatter])
            mean, var = float(F[0] + slope @ bias), float(((slope * spread) ** 2).sum())
            if G is not None:
                turn = (G[1 : 1 + r] - G[1 + r :]) / (2 * step[:, None])
                dmean, dvar = G[0] + bias @ turn, 2 * (slope * spread**2) @ turn
        elif self.estimate == "sample":
            mean, var = float(F[1:].mean()), float(F[1:].var(ddof=1))
            if G is not None:
                dmean = G[1:].mean(axis=0)
                dvar = 2 * (F[1:] - mean) @ (G[1:] - dmean) / (len(F) - 2)
        else:  # one parameter at a time (Rahman and Xu, 2004): exact for sums of functions of one parameter each
            each = len(NODES) - 1
            inner, w = int(np.flatnonzero(NODES == 0.0)[0]), WEIGHTS
            if G is not None:
                dmean = G[1].copy()
            for i in range(r):
                part = slice(2 + each * i, 2 + each * (i + 1))
                f = np.insert(F[part], inner, F[1])
                m = float(w @ f)
                mean += m - float(F[1])
                var += float(w @ (f - m) ** 2)
                if G is not None:
                    g = np.insert(G[part], inner, G[1], axis=0)
                    dmean = dmean + w @ g - G[1]
                    dvar = dvar + 2 * (w * (f - m)) @ (g - w @ g)
        std = math.sqrt(max(var, 0.0))
        dstd = dvar / (2 * std) if std > 0.0 else np.zeros(k)
        found = Spread(float(F[0]), mean, std, mean - self.sigmas * std, mean + self.sigmas * std)
        if G is None:
            return found, None, None
        return found, dmean - self.sigmas * dstd, dmean + self.sigmas * dstd

    def _extremes(self, F: np.ndarray, G: np.ndarray | None) -> tuple[Spread, Any, Any]:
        """Least and largest of values F (1 + n,), the nominal one first; linear: by their slopes."""
        nan = math.nan
        if self.estimate == "corners":
            low, high = int(np.argmin(F)), int(np.argmax(F))
            spread = Spread(float(F[0]), nan, nan, float(F[low]), float(F[high]))
            return spread, None if G is None else G[low], None if G is None else G[high]
        r = len(self.scatter)
        slope, step = self._linear(F)
        ends = np.array([s.distribution.ends(self.sigmas) for s in self.scatter]) - self.nominal[:, None]
        reach = slope[:, None] * ends
        spread = Spread(
            float(F[0]), nan, nan, float(F[0] + reach.min(axis=1).sum()), float(F[0] + reach.max(axis=1).sum())
        )
        if G is None:
            return spread, None, None
        turn = (G[1 : 1 + r] - G[1 + r :]) / (2 * step[:, None])
        pick = lambda k: G[0] + ends[np.arange(r), k] @ turn
        return spread, pick(reach.argmin(axis=1)), pick(reach.argmax(axis=1))

    # ---- target reliability -----------------------------------------------------------------------------------------
    def _at_target(self, design: dict[str, Any]) -> Row:
        """The row of a design with each limited measure at its most probable point of the target reliability."""
        nan = math.nan
        (rows,) = self.cluster([design], self.nominal[None])
        if failed := self._failure(design, rows):
            return failed
        out: dict[str, tuple[Spread, Any, Any]] = {}
        nominal = {name: self.limited(rows[0], name) for name in self.quantities}
        for name, low, high in [(self.measure, -math.inf, math.inf), *self.given]:
            values, slopes = [nan, nan], [None, None]
            for k, (limit, sign) in enumerate(((low, -1.0), (high, 1.0))):
                if math.isfinite(limit):
                    found = self._most_probable(design, name, sign)
                    if isinstance(found, Row):
                        return found
                    values[k], slopes[k] = found
            out[name] = (Spread(nominal[name], nan, nan, values[0], values[1]), slopes[0], slopes[1])
        row = self._row(design, rows[0], out)
        if (G := self._slopes(rows, self.measure)) is not None:
            row.measures |= {derivative_name(self.measure, n): float(s) for n, s in zip(self.continuous, G[0])}
        return row

    def _most_probable(self, design: dict[str, Any], name: str, sign: float) -> Row | tuple[float, Any]:
        """The largest (sign 1) or least value of a measure on the sphere of the target reliability index, with its
        derivatives by the design; a failed row where a run fails.  By the envelope theorem they are the derivatives at
        that point."""
        r, beta = len(self.scatter), self.sigmas
        u = np.zeros(r)
        found = self._with_slopes(design, u, name)
        if isinstance(found, Row):
            return found
        value, by_u, by_design = found
        on = False
        for _ in range(TURNS):
            size = float(np.linalg.norm(by_u))
            goal = sign * beta * by_u / size if size > 0.0 else u
            if on and (size == 0.0 or float(np.linalg.norm(goal - u)) <= ANGLE * beta):
                break
            if on:
                trials = u + np.outer([1.0, 0.5, 0.25, 0.125, 0.03125], goal - u)
                trials *= beta / np.maximum(np.linalg.norm(trials, axis=1), 1e-300)[:, None]
            elif size > 1e-12 * max(abs(value), 1e-300):
                trials = goal[None]
            else:  # flat in the middle: the ends of each axis
                trials = beta * np.vstack([np.eye(r), -np.eye(r)])
            (rows,) = self.cluster([design], self.parts_at(trials))
            if failed := self._failure(design, rows):
                return failed
            values = sign * np.array([self.limited(row, name) for row in rows])
            best = int(np.argmax(values))
            if on and values[best] <= sign * value:
                break
            u, on = trials[best], True
            found = self._with_slopes(design, u, name)
            if isinstance(found, Row):
                return found
            value, by_u, by_design = found
        return value, by_design

    def _with_slopes(self, design: dict[str, Any], u: np.ndarray, name: str) -> Row | tuple[float, Any, Any]:
        """A measure at u with its derivatives by u and by the continuous parameters of the design."""
        r = len(self.scatter)
        ends = self.parts_at(np.vstack([u + s * STEP * np.eye(r) for s in (1.0, -1.0)]))
        part = self.parts_at(u[None])[0]
        stretch = np.array([(ends[i, i] - ends[r + i, i]) / (2 * STEP) for i in range(r)])  # d part / d u
        index = {s.name: i for i, s in enumerate(self.scatter)}
        (rows,) = self.cluster([design], part[None])
        if failed := self._failure(design, rows):
            return failed
        value = self.limited(rows[0], name)
        keys = [derivative_name(name, n) for n in (*index, *self.continuous)]
        if all(k in rows[0].measures for k in keys):
            slopes = np.array([rows[0].measures[k] for k in keys])
            return value, slopes[:r] * stretch, slopes[r:]
        fixed = [n for n in self.continuous if n not in index]
        points = [self.point(design, end) for end in ends]
        steps = []
        for n in fixed:
            low, high = self.space[n].bounds  # type: ignore[misc]
            steps.append(SHARE * (high - low))
            points += [self.point(design | {n: design[n] + s * steps[-1]}, part) for s in (1.0, -1.0)]
        rows = self.requested(points, self.space.names)
        if failed := self._failure(design, rows):
            return failed
        f = np.array([self.limited(row, name) for row in rows])
        by_u = (f[:r] - f[r : 2 * r]) / (2 * STEP)
        rest = f[2 * r :]
        by_fixed = {n: (rest[2 * k] - rest[2 * k + 1]) / (2 * h) for k, (n, h) in enumerate(zip(fixed, steps))}
        by_design = [by_fixed[n] if n in by_fixed else by_u[index[n]] / stretch[index[n]] for n in self.continuous]
        return value, by_u, np.array(by_design)

    # ---- verification -----------------------------------------------------------------------------------------------
    def sampled(self, design: Mapping[str, Any], count: int) -> tuple[dict[str, np.ndarray], list[Row]]:
        """Values of each measure in an independent sample about a design, NaN where a run failed, and its runs.  A
        sample of the worst case is uniform within the ends."""
        r = len(self.scatter)
        if self.criterion == "worst_case":
            ends = np.array([s.distribution.ends(self.sigmas) for s in self.scatter])
            parts = ends[:, 0] + sobol_shares(count, r, self.study.seed + 1) * (ends[:, 1] - ends[:, 0])
        else:
            parts = self.parts_at(normal_sample(count, r, self.study.seed + 1))
        self.most = max(self.most, self.stage.position + count)
        (rows,) = self.cluster([design], parts)
        return {
            name: np.array([self.limited(row, name) if row.ok else math.nan for row in rows])
            for name in self.quantities
        }, rows


def contradicted(y: np.ndarray, low: float, high: float, sigmas: float) -> str:
    """The limit that mean -/+ sigmas * std of a sample (n,) exceed by more than three standard errors, in words, or an
    empty text."""
    n, mean, std = len(y), float(y.mean()), float(np.std(y, ddof=1))
    peaked = float(((y - mean) ** 4).mean()) / max(std**4, 1e-300)
    error = std * math.sqrt(1.0 / n + sigmas**2 * max(peaked - 1.0, 0.0) / (4.0 * n))
    for sign, limit, word in ((-1.0, low, "below"), (1.0, high, "above")):
        end = mean + sign * sigmas * std
        if math.isfinite(limit) and sign * (end - limit) > 3.0 * error + 1e-9 * abs(limit):
            return f"mean {'+' if sign > 0 else '-'} {sigmas:g} std is {end:.6g}, {word} the limit {limit:g}"
    return ""


def _doubts(problem: _RobustProblem, spread: Mapping[str, Spread], values: Mapping[str, np.ndarray]) -> list[str]:
    """Where the estimates of a design contradict a sample."""
    from scipy.stats import norm

    out = []
    for name, y in values.items():
        good, s = y[np.isfinite(y)], spread[name]
        if len(good) < len(y):
            out.append(f"{len(y) - len(good)} of {len(y)} runs of the sample fail")
        if len(good) < 2:
            continue
        if problem.criterion == "sigma":
            std = float(np.std(good, ddof=1))
            if abs(std - s.std) > AGREE * max(std, s.std):
                out.append(
                    f"the standard deviation of '{name}' is {std:.4g} in the sample, {s.std:.4g} by the estimate "
                    f"'{problem.estimate}'; use estimate='sample'"
                )
        elif problem.criterion == "worst_case":
            slack = 1e-6 * max(s.high - s.low, abs(s.high), abs(s.low))
            if good.min() < s.low - slack or good.max() > s.high + slack:
                out.append(
                    f"'{name}' is between {good.min():.6g} and {good.max():.6g} in the sample, beyond its estimated "
                    f"worst cases {s.low:.6g} and {s.high:.6g}: its extremes are not at corners"
                )
    if problem.criterion == "reliability":
        target = float(norm.sf(problem.sigmas))
        for name, low, high in problem.given:
            good = values[name][np.isfinite(values[name])]
            for limit, word in ((low, "low"), (high, "high")):
                if math.isfinite(limit) and len(good):
                    share, least, _ = probability(good, *((limit, None) if word == "low" else (None, limit)))
                    if least > target:
                        out.append(
                            f"{share:.3g} of the sample are beyond the limit {limit:g} of '{name}', more than the "
                            f"{target:.3g} of the target: its limit state is strongly curved"
                        )
    return list(dict.fromkeys(out))


def _beyond(problem: _RobustProblem, values: Mapping[str, np.ndarray]) -> list[str]:
    """Limits that the sample of a design does not meet."""
    from scipy.stats import norm

    out = []
    for name, low, high in problem.given:
        good = values[name][np.isfinite(values[name])]
        if len(good) < 2:
            continue
        if problem.criterion == "sigma":
            if text := contradicted(good, low, high, problem.sigmas):
                out.append(f"{text} of '{name}' in the sample")
        elif problem.criterion == "worst_case":
            slack = 1e-6 * max(float(np.ptp(good)), *(abs(v) for v in (low, high) if math.isfinite(v)))
            if good.min() < low - slack or good.max() > high + slack:
                out.append(f"'{name}' is beyond its limits in the sample")
        else:
            for pair in ((low, None), (None, high)):
                limit = next(v for v in pair if v is not None)
                if math.isfinite(limit) and probability(good, *pair)[1] > float(norm.sf(problem.sigmas)):
                    out.append(f"'{name}' is beyond its limit {limit:g} more often than the target in the sample")
    return out


@partial(explained, name="robust optimisation", bound=True, strict=True)
def optimize_robust(
    study: Study,
    objective: str,
    *,
    criterion: str = "sigma",
    sigmas: float = 3.0,
    scatter: Mapping[str, Any] | None = None,
    estimate: str | None = None,
    count: int = 64,
    verify: int = 128,
    subject_to: Mapping[str, Any] | None = None,
    method: str = "slsqp",
    maximize: bool = False,
    start: Mapping[str, Any] | None = None,
    max_runs: int = 20_000,
    tolerance: float = 1e-9,
    step: float = 1e-5,
    population: int | None = None,
) -> RobustOptimum:
    """The design whose measures are best while parameters scatter.

    Parameters with bounds are the design.  ``scatter``: deviations of its parameters from their nominal values, name ->
    standard deviation, or the distribution of the deviation; parameters with a distribution of their own scatter too.
    Bounds are those of nominal values, runs may lie outside by the deviation.

    ``criterion``: "sigma": the objective is mean + ``sigmas`` * std (minus, to maximise), and limits are met by mean
    -/+ ``sigmas`` * std.  "worst_case": extremes while each parameter is within the ends of its distribution (of an
    unbounded one at -/+ ``sigmas``).  "reliability": the objective is nominal, each limit is met with the reliability
    index ``sigmas`` (probability Phi(sigmas), first order).

    ``estimate`` of "sigma": "quadrature" (five points a parameter, one parameter at a time; exact for sums of functions
    of one parameter each), "sample" (a Sobol sample of ``count``, the same for all designs), "linear" (slopes; blind
    where they vanish).  Of "worst_case": "corners" (2^r of up to 10 parameters), "linear".  ``verify``: runs of an
    independent sample about the best design, beyond ``max_runs``, whose contradictions ``message`` reports; 0: none.
    ``method``, ``subject_to`` and the others as in `optimize.optimize`; there are no equalities.  Where runs have exact
    derivatives, those of means, deviations and worst cases are exact too.

    Raises ModelError as `optimize.optimize`, for unknown criteria and estimates, and where nothing scatters.
    """
    if not isinstance(objective, str):
        raise ModelError(f"robust optimisation has one objective, got {shown(objective)}")
    if criterion not in ESTIMATES:
        raise ModelError(f"there is no criterion {shown(criterion)}{did_you_mean(criterion, ESTIMATES)}")
    estimate = ESTIMATES[criterion][0] if estimate is None else estimate
    if estimate not in ESTIMATES[criterion]:
        known = ESTIMATES[criterion]
        raise ModelError(f"criterion '{criterion}' has no estimate {shown(estimate)}{did_you_mean(estimate, known)}")
    if not is_number(sigmas) or not 0 < sigmas < 40:
        raise ModelError(f"robust optimisation: sigmas must be a number between 0 and 40, got {shown(sigmas)}")
    for word, size, least in (("count", count, 4), ("verify", verify, 0)):
        if not is_whole(size) or size < least:
            raise ModelError(f"robust optimisation: {word} must be a whole number from {least}, got {shown(size)}")
    found = scatter_of(study.space, scatter)
    if estimate == "corners" and len(found) > MOST_CORNERS:
        raise ModelError(f"{len(found)} parameters scatter; corners are for {MOST_CORNERS}, use estimate='linear'")
    design = [p for p in study.space.varied.parameters if p.distribution is None]
    if not design:
        raise ModelError("no parameter of the design varies; give one bounds=(low, high) and no distribution")
    space = Space(design)
    limits = as_limits(subject_to)
    if equal := [name for name, low, high in limits if low == high]:
        raise ModelError(f"'{equal[0]}' scatters and cannot equal a number; give (lowest, highest)")
    options = {
        "objective": objective,
        "maximize": maximize,
        "criterion": criterion,
        "sigmas": float(sigmas),
        "scatter": {s.name: s.distribution.to_json() for s in found if s.added},
        "estimate": estimate,
        "count": count,
        "verify": verify,
        "method": method,
        "max_runs": max_runs,
        "tolerance": tolerance,
        "step": step,
        "population": population,
    }
    kind = checked_method(space, method, limits, options)
    if kind.objectives != "one":
        raise ModelError(f"'{method}' does not minimise one objective; use slsqp")
    side = objective if criterion == "reliability" else f"{'low' if maximize else 'high'} {objective}"
    make: Callable[..., Problem] = partial(_RobustProblem, scatter=found, space=space, options=options)
    sign = [-1.0 if maximize else 1.0]
    problem, stage, converged, message = search(
        study, [side], sign, limits, options, start, "robust optimisation", make
    )
    assert problem.best is not None and isinstance(problem, _RobustProblem)
    violation, value, row = problem.best
    spread = {
        name: Spread(row.measures[name], *(row.measures[f"{w} {name}"] for w in ("mean", "std", "low", "high")))
        for name in problem.quantities
    }
    sample: dict[str, Statistics] = {}
    beyond: list[str] = []
    if verify:
        values, _ = problem.sampled(row.parameters, verify)
        sample = {name: statistics(y) for name, y in values.items() if np.isfinite(y).sum() > 1}
        message = "; ".join([message, *_doubts(problem, spread, values)])
        beyond = _beyond(problem, values)
        message = "; ".join([message, *beyond])
    out = RobustOptimum(
        row.parameters,
        -value if maximize else value,
        spread,
        violation == 0.0 and not beyond,
        absolute_violation(problem, row),
        sample,
        converged,
        message,
        stage.position,
        problem.failed,
        stage.number,
    )
    measures = {k: v for k, v in row.measures.items() if math.isfinite(v) and not k.startswith("d ")}
    stage.conclude(
        {
            "parameters": row.parameters,
            "measures": measures,
            "feasible": out.feasible,
            "converged": converged,
            "message": message,
            "runs": out.runs,
            "failed": out.failed,
        }
    )
    return out
