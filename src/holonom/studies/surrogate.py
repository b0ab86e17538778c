"""Surrogates: cheap functions through the runs of a study, with their error.

"quadratic" is a response surface with its analysis of variance (Box and Wilson, 1951); "rbf" thin-plate splines
(SciPy); "kriging" a Gaussian process with a Matern 5/2 correlation of one length for each parameter, which maximise the
likelihood (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006).  Errors are those of leaving out one
run at a time; in closed form, but for "rbf", where runs are left out in ten groups.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import explained
from ..model.kinds import is_number, is_whole
from .designs import quadratic_terms
from .optimize import Optimum, Problem, absolute_violation, as_limits
from .parameters import Point, Space
from .smooth import derivative_name
from .store import Row

if TYPE_CHECKING:
    from .results import Results
    from .study import Study

GROUPS = 10
ROUNDING = 1e-13  # scatter of a measure over its size that is rounding
CONSTANT = "the measure is the same in all runs, so that nothing can be said about the parameters"
IMPROVEMENT = 0.01  # expected improvement, over the range of the objective, below which a search ends (Jones, 1998)
MOST_KNOWN = 600  # values and derivatives of a kriging surrogate, whose cost grows with the third power
NUGGETS = (-12.0, -1.0)  # decimal logarithm of the share of noise
LENGTHS = (math.log(0.05), math.log(20.0))


@dataclass(frozen=True)
class Term:
    """A term of a response surface: its ``name``, ``coefficient`` over coded parameters (-1 to 1 over the range),
    standard ``error``, ``t`` value, ``probability`` of a larger one without an effect, and ``squares``, the sum of
    squares that the term explains last."""

    name: str
    coefficient: float
    error: float
    t: float
    probability: float
    squares: float


class Surrogate:
    """A function of the parameters through the runs of a study.

    ``kind``; ``space``: its parameters; ``measure``; ``count``: runs behind it; ``q2``: share of the variance that is
    predicted of runs that were left out (1: all; NaN of a constant measure); ``constant``: the
    measure is the same in all runs, but for rounding; ``rmse``: root mean square error of these predictions;
    ``slopes``: derivatives (n, k) by positions in the unit cube that it uses, or None."""

    kind = ""
    others: Collection[str] = ()  #: further names that points may have: constants of the study

    def __init__(
        self, space: Space, measure: str, X: np.ndarray, y: np.ndarray, slopes: np.ndarray | None = None
    ) -> None:
        self.space, self.measure, self.X, self.y, self.slopes = space, measure, X, y, slopes
        self.count = len(y)
        self._fit()
        off = self.left_out() - y
        self.rmse = float(np.sqrt(np.mean(off**2)))
        spread = float(np.var(y))
        self.constant = math.sqrt(spread) <= ROUNDING * float(np.abs(y).max())
        self.q2 = math.nan if self.constant else 1.0 - float(np.mean(off**2)) / spread

    def _fit(self) -> None:
        raise NotImplementedError

    def values(self, X: np.ndarray) -> np.ndarray:
        """Predictions (n,) at points (n, k) of the unit cube."""
        raise NotImplementedError

    def left_out(self) -> np.ndarray:
        """Predictions (n,) of each run from the others."""
        raise NotImplementedError

    def __call__(self, point: Mapping[str, Any]) -> float:
        """The prediction at values of the parameters; nominal ones where it has none."""
        return float(self.values(self._shares(point))[0])

    def _shares(self, point: Mapping[str, Any]) -> np.ndarray:
        for name in point:
            if name not in self.space.names and name not in self.others:
                raise ModelError(
                    f"surrogate: there is no parameter {shown(name)}{did_you_mean(name, self.space.names)}"
                )
        own = {name: point[name] for name in self.space.names if name in point}
        return self.space.shares(self.space.complete(own))[None]

    def text(self) -> str:
        """What it is of, and how well it predicts."""
        return repr(self)[1:-1]

    def __repr__(self) -> str:
        error = CONSTANT if self.constant else f"q2 {self.q2:.4g}, rmse {self.rmse:.4g}"
        source = f"{self.count} runs" + ("" if self.slopes is None else " and their derivatives")
        return f"<{self.kind} surrogate of '{self.measure}' from {source}, {error}>"


class Quadratic(Surrogate):
    """A response surface of second order; ``terms``: its analysis of variance; ``r2``, ``r2_adjusted``: shares of the
    variance that it explains; ``std``: of the residuals."""

    kind = "quadratic"

    def _fit(self) -> None:
        from scipy.stats import t as student

        A = quadratic_terms(2.0 * self.X - 1.0)
        n, terms = A.shape
        if n <= terms or np.linalg.matrix_rank(A) < terms:
            raise ModelError(
                f"response surface: {terms} terms need more than {terms} runs that tell them apart, got {n}; take "
                "central_composite, box_behnken or d_optimal"
            )
        inverse = np.linalg.inv(A.T @ A)
        self._c = inverse @ (A.T @ self.y)
        residual = self.y - A @ self._c
        self._hat = np.einsum("ij,jk,ik->i", A, inverse, A)
        self._residual = residual
        left = n - terms
        error, total = float(residual @ residual), float(((self.y - self.y.mean()) ** 2).sum())
        self.std = math.sqrt(error / left)
        self.r2 = 1.0 - error / total if math.sqrt(total / n) > ROUNDING * float(np.abs(self.y).max()) else math.nan
        self.r2_adjusted = 1.0 - (1.0 - self.r2) * (n - 1) / left
        names = self.space.names
        words = ["1", *names, *(f"{a} x {b}" for a, b in itertools.combinations(names, 2)), *(f"{a}^2" for a in names)]
        self.terms = []
        for k, name in enumerate(words):
            spread = self.std * math.sqrt(inverse[k, k])
            t = float(self._c[k]) / spread if spread > 0.0 else math.copysign(math.inf, self._c[k])
            p = 2.0 * float(student.sf(abs(t), left))
            self.terms.append(Term(name, float(self._c[k]), spread, t, p, float(self._c[k] ** 2 / inverse[k, k])))

    def values(self, X: np.ndarray) -> np.ndarray:
        return quadratic_terms(2.0 * np.atleast_2d(X) - 1.0) @ self._c

    def left_out(self) -> np.ndarray:
        return self.y - self._residual / np.maximum(1.0 - self._hat, 1e-12)

    def text(self) -> str:
        """The analysis of variance as a table."""
        width = max(len(t.name) for t in self.terms)
        lines = [f"{'term'.ljust(width)}  {'coefficient':>12}  {'error':>10}  {'t':>9}  {'p':>9}  {'squares':>11}"]
        lines += [
            f"{t.name.ljust(width)}  {t.coefficient:12.5g}  {t.error:10.3g}  {t.t:9.3g}  {t.probability:9.3g}  "
            f"{t.squares:11.4g}"
            for t in self.terms
        ]
        known = f"R2 {self.r2:.6g}, adjusted {self.r2_adjusted:.6g}, of left out runs {self.q2:.6g}"
        lines.append(CONSTANT if self.constant else known)
        return "\n".join(lines)


class Radial(Surrogate):
    """Thin-plate splines with a linear trend."""

    kind = "rbf"

    def _made(self, rows: np.ndarray) -> Any:
        from scipy.interpolate import RBFInterpolator

        return RBFInterpolator(self.X[rows], self.y[rows], kernel="thin_plate_spline", degree=1)

    def _fit(self) -> None:
        k = self.X.shape[1]
        if self.count < k + 3:
            raise ModelError(f"rbf: {k} parameters need {k + 3} runs or more, got {self.count}")
        try:
            self._spline = self._made(np.arange(self.count))
        except np.linalg.LinAlgError:
            raise ModelError("rbf: the runs lie in a plane; vary all parameters") from None

    def values(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self._spline(np.atleast_2d(X)))

    def left_out(self) -> np.ndarray:
        out = np.empty(self.count)
        groups = min(GROUPS, self.count)
        for g in range(groups):
            rows = np.arange(self.count) % groups == g
            try:
                out[rows] = self._made(np.flatnonzero(~rows))(self.X[rows])
            except (np.linalg.LinAlgError, ValueError):
                out[rows] = self.y.mean()
        return out


class Kriging(Surrogate):
    """A Gaussian process; ``lengths``: correlation lengths in ranges of the parameters; ``noise``: share of the
    variance that is noise.  Where the runs have derivatives it passes through these too (gradient-enhanced kriging:
    Morris, Mitchell and Ylvisaker, Technometrics 35, 1993)."""

    kind = "kriging"

    def _fit(self) -> None:
        from scipy.optimize import minimize

        k = self.X.shape[1]
        if self.count < k + 2 and self.slopes is None:
            raise ModelError(f"kriging: {k} parameters need {k + 2} runs or more, got {self.count}")
        self._mean, self._size = float(self.y.mean()), float(self.y.std()) or 1.0
        self._z = (self.y - self._mean) / self._size
        self._ones = np.ones(self.count)
        if self.slopes is not None:  # derivatives follow the values, run by run
            self._z = np.concatenate([self._z, self.slopes.ravel() / self._size])
            self._ones = np.concatenate([self._ones, np.zeros(self.slopes.size)])
        bounds = [LENGTHS] * k + [NUGGETS]
        starts = [np.array([math.log(scale)] * k + [-8.0]) for scale in (0.2, 0.5, 2.0)]
        found = [minimize(lambda p: self._cost(p), s, bounds=bounds, method="L-BFGS-B") for s in starts]
        best = min(found, key=lambda f: f.fun).x
        self.lengths, self.noise = np.exp(best[:k]), 10.0 ** best[k]
        self._prepare(best)

    def _prepare(self, p: np.ndarray) -> float:
        """Factors of the correlation matrix; returns the negative logarithm of the likelihood but for a constant."""
        from scipy.linalg import cho_factor, cho_solve

        lengths, noise = np.exp(p[:-1]), 10.0 ** p[-1]
        R = _matern(self.X, self.X, lengths)
        if self.slopes is not None:
            across = _of_slopes(self.X, self.X, lengths)
            R = np.block([[R, across], [across.T, _between_slopes(self.X, lengths)]])
        R[np.diag_indices(len(R))] *= 1.0 + noise
        self._factor = cho_factor(R, lower=True)
        ones, count = self._ones, len(self._z)
        self._weights_of_one = cho_solve(self._factor, ones)
        self._trend = float(self._weights_of_one @ self._z / (self._weights_of_one @ ones))
        self._weights = cho_solve(self._factor, self._z - self._trend * ones)
        self.variance = float((self._z - self._trend * ones) @ self._weights) / count
        return 0.5 * count * math.log(max(self.variance, 1e-300)) + float(np.log(np.diag(self._factor[0])).sum())

    def _cost(self, p: np.ndarray) -> float:
        try:
            return self._prepare(p)
        except np.linalg.LinAlgError:
            return 1e10

    def _to_runs(self, X: np.ndarray) -> np.ndarray:
        """Correlations of values at points with what is known of the runs."""
        r = _matern(X, self.X, self.lengths)
        return r if self.slopes is None else np.hstack([r, _of_slopes(X, self.X, self.lengths)])

    def values(self, X: np.ndarray) -> np.ndarray:
        return self._mean + self._size * (self._trend + self._to_runs(np.atleast_2d(X)) @ self._weights)

    def std(self, point: Mapping[str, Any]) -> float:
        """Standard deviation of the prediction at values of the parameters."""
        return float(self.stds(np.atleast_2d(self._shares(point)))[0])

    def stds(self, X: np.ndarray) -> np.ndarray:
        """Standard deviations (n,) of the prediction at points (n, k) of the unit cube."""
        from scipy.linalg import cho_solve

        r = self._to_runs(X)
        lost = 1.0 - r @ self._weights_of_one
        share = 1.0 - np.einsum("ij,ji->i", r, cho_solve(self._factor, r.T))
        share = share + lost**2 / float(self._weights_of_one @ self._ones)
        return self._size * np.sqrt(np.maximum(self.variance * share, 0.0))

    def left_out(self) -> np.ndarray:
        from scipy.linalg import cho_solve

        # Dubrule (1983), with the trend estimated anew; a run is left out with its derivatives
        inverse = cho_solve(self._factor, np.eye(len(self._z)))
        w = self._weights_of_one
        Q = inverse - np.outer(w, w) / float(w @ self._ones)
        off, k = Q @ self._z, 0 if self.slopes is None else self.X.shape[1]
        if not k:
            return self.y - self._size * off / np.diag(Q)
        out = np.empty(self.count)
        for i in range(self.count):
            own = np.r_[i, self.count + k * i : self.count + k * (i + 1)]
            out[i] = self.y[i] - self._size * np.linalg.solve(Q[np.ix_(own, own)], off[own])[0]
        return out


def _distances(A: np.ndarray, B: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Differences (n, m, k) of points over the squared lengths, and sqrt(5) times their distance (n, m) in lengths."""
    d = A[:, None] - B[None]
    return d / lengths**2, math.sqrt(5.0) * np.sqrt(((d / lengths) ** 2).sum(axis=2))


def _matern(A: np.ndarray, B: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Matern 5/2 correlations (n, m) of points (n, k) and (m, k)."""
    r = math.sqrt(5.0) * np.sqrt((((A[:, None] - B[None]) / lengths) ** 2).sum(axis=2))
    return (1.0 + r + r * r / 3.0) * np.exp(-r)


def _of_slopes(A: np.ndarray, B: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Correlations (n, m k) of values at points (n, k) with derivatives at points (m, k): of `_matern` by the second
    point."""
    d, r = _distances(A, B, lengths)
    return (5.0 / 3.0 * d * ((1.0 + r) * np.exp(-r))[..., None]).reshape(len(A), -1)


def _between_slopes(A: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Correlations (n k, n k) of derivatives at points (n, k)."""
    d, r = _distances(A, A, lengths)
    n, k = A.shape
    first = (1.0 + r)[..., None, None] * np.diag(1.0 / lengths**2)
    both = 5.0 / 3.0 * np.exp(-r)[..., None, None] * (first - 5.0 * d[..., :, None] * d[..., None, :])
    return both.transpose(0, 2, 1, 3).reshape(n * k, n * k)


SURROGATES: dict[str, type[Surrogate]] = {c.kind: c for c in (Quadratic, Radial, Kriging)}


def fit(results: Results, measure: str, kind: str = "kriging") -> Surrogate:
    """A surrogate of a measure from finished runs: "quadratic", "rbf" or "kriging".  Runs of equal parameters count
    once, by their mean.  Raises ModelError for unknown names, discrete parameters and too few runs."""
    if kind not in SURROGATES:
        raise ModelError(f"there is no surrogate {shown(kind)}{did_you_mean(kind, SURROGATES)}")
    return fit_rows(results.space.varied, results, measure, kind)


def fit_rows(space: Space, rows: Iterable[Row], measure: str, kind: str) -> Surrogate:
    """As `fit`, of given runs over the parameters of ``space``."""
    for p in space.parameters:
        if not p.continuous or p.bounds is None:
            raise ModelError(f"surrogate: parameter '{p.name}' must be continuous with bounds")
    names = [derivative_name(measure, p.name) for p in space.parameters]
    slopes_of: dict[tuple, list[list[float]]] = {}
    seen: dict[tuple, list[float]] = {}
    known: dict[str, None] = {}
    others: dict[str, None] = {}
    for row in rows:
        known.update(dict.fromkeys(row.measures))
        others.update(dict.fromkeys(row.parameters))
        if measure in row.measures:
            key = tuple(row.parameters[n] for n in space.names)
            seen.setdefault(key, []).append(row.measures[measure])
            if all(n in row.measures for n in names):
                slopes_of.setdefault(key, []).append([row.measures[n] for n in names])
    if not seen:
        raise ModelError(f"no run has a measure {shown(measure)}{did_you_mean(measure, [*space.names, *known])}")
    X = np.array([space.shares(dict(zip(space.names, key))) for key in seen])
    slopes = _slopes(space, slopes_of, list(seen), X) if kind == "kriging" else None
    made = SURROGATES[kind](space, measure, X, np.array([np.mean(v) for v in seen.values()]), slopes)
    made.others = others
    return made


def _slopes(
    space: Space, found: Mapping[tuple, list[list[float]]], keys: list[tuple], X: np.ndarray
) -> np.ndarray | None:
    """Derivatives (n, k) by positions in the unit cube, where all runs have them and there are not too many."""
    if len(keys) * (1 + len(space)) > MOST_KNOWN or any(key not in found for key in keys):
        return None
    rows = np.array([np.mean(found[key], axis=0) for key in keys])
    return rows * np.array([[p.slope(s) for p, s in zip(space.parameters, x)] for x in X])


@dataclass
class Verified(Summary):
    """An optimum that was found on surrogates and run on the model.

    ``parameters``, ``value``, ``measures``, ``feasible``: of the best run; ``predicted``: by the surrogate
    there; ``rounds``: (predicted, run) objective of each round; ``converged``, ``message``; ``runs``: of the model, the
    sample included; ``surrogates``: measure -> the last surrogate."""

    parameters: Point
    value: float
    measures: dict[str, float]
    feasible: bool
    predicted: float
    rounds: list[tuple[float, float]] = field(repr=False)
    converged: bool
    message: str
    runs: int
    surrogates: dict[str, Any] = field(repr=False, default_factory=dict)

    def text(self) -> str:
        """Parameters and measures of the best run, what the surrogate says there, and why the search ended."""
        lines = [
            f"value {self.value:.8g}, by the surrogate {self.predicted:.8g}; {'' if self.feasible else 'in'}feasible"
        ]
        for name, v in (*self.parameters.items(), *self.measures.items()):
            lines.append(f"  {name} = {v:.8g}" if is_number(v) else f"  {name} = {v}")
        return "\n".join([*lines, f"{self.message} ({self.runs} runs)"])

    __str__ = text


@partial(explained, name="optimize_on_surrogate", bound=True, strict=True)
def optimize_on_surrogate(
    study: Study,
    objective: str,
    *,
    subject_to: Mapping[str, Any] | None = None,
    maximize: bool = False,
    design: Any = None,
    kind: str = "kriging",
    rounds: int = 10,
    tolerance: float = 1e-3,
) -> Verified:
    """Optimise surrogates of the objective and of the limited measures, run the model there, add the run to the sample,
    and repeat until surrogate and run agree within ``tolerance`` of the range of the objective in the sample, at most
    ``rounds`` times.  With kriging the search goes on where its error makes a better point likely, until the largest
    expected improvement (Jones, Schonlau and Welch, 1998) is below 1 % of that range.  ``design``: the first sample, by
    default a Latin hypercube of ten points a parameter.

    Raises ModelError as `fit` and `optimize.optimize`."""
    from .designs import latin_hypercube

    limits = as_limits(subject_to)
    if not is_whole(rounds) or rounds < 1:
        raise ModelError(f"optimize_on_surrogate: rounds must be a whole number from 1, got {shown(rounds)}")
    if not is_number(tolerance) or not 0.0 < tolerance < 1.0:
        raise ModelError(f"optimize_on_surrogate: tolerance must be between 0 and 1, got {shown(tolerance)}")
    if kind not in SURROGATES:
        raise ModelError(f"there is no surrogate {shown(kind)}{did_you_mean(kind, SURROGATES)}")
    names = [objective, *(n for n, _, _ in limits)]
    sample = study.run(design if design is not None else latin_hypercube(10 * len(study.space.varied)))
    options = {
        "objective": objective,
        "maximize": maximize,
        "kind": kind,
        "rounds": rounds,
        "tolerance": tolerance,
        "limits": [[n, *(v if math.isfinite(v) else None for v in (lo, hi))] for n, lo, hi in limits],
        "sample": sample.stage,
    }
    stage = study.stage("surrogate", options)
    sign = -1.0 if maximize else 1.0
    judge = Problem(study, stage, [objective], limits, [sign], 10**9)
    rows = list(sample)
    history: list[tuple[float, float]] = []
    best, predicted, converged = None, math.nan, False
    made: dict[str, Any] = {}
    for row in rows:
        if row.ok:
            judge.judge(row)
    for _ in range(rounds):
        made = {n: fit_rows(study.space.varied, rows, n, kind) for n in names}
        found = _minimum(study, made, objective, subject_to, sign)
        (row,) = stage.evaluate([found.parameters])
        rows.append(row)
        if not row.ok:
            continue
        judge.judge(row)
        history.append((found.value, row.measures[objective]))
        spread = float(np.ptp([r.measures[objective] for r in rows if r.ok])) or 1.0
        if abs(history[-1][0] - history[-1][1]) <= tolerance * spread and judge.rank(row)[0] == 0.0:
            converged = True
            if kind != "kriging":
                break
            made = {n: fit_rows(study.space.varied, rows, n, kind) for n in names}
            point, gain = _most_promising(study, made, judge, rows, sign)
            if gain <= IMPROVEMENT * spread:
                break
            converged = False  # where the surrogate is uncertain a better point is likely enough
            (row,) = stage.evaluate([point])
            rows.append(row)
            if row.ok:
                judge.judge(row)
    assert judge.best is not None
    violation, _, best = judge.best
    predicted = made[objective](best.parameters) if made else math.nan
    message = f"stopped after {rounds} rounds"
    if converged:
        message = "converged: surrogate and run agree within the tolerance"
        if kind == "kriging":
            message += ", and no better point is likely elsewhere"
        else:
            message += f"; '{kind}' has no error, so that a better point elsewhere is possible (use kriging)"
    if violation > 0.0:
        message += f"; no run meets all constraints, the least violation is {absolute_violation(judge, best):.3g}"
    stage.conclude({"parameters": best.parameters, "measures": best.measures, "message": message})
    return Verified(
        best.parameters,
        best.measures[objective],
        best.measures,
        violation == 0.0,
        predicted,
        history,
        converged,
        message,
        len(rows),
        made,
    )


def _most_promising(
    study: Study, made: Mapping[str, Any], judge: Problem, rows: list[Row], sign: float
) -> tuple[Point, float]:
    """The point of the largest expected improvement (Jones, Schonlau and Welch, 1998) of the best run among corners and
    a sample of the unit cube that meet the limits by their surrogates, and that improvement."""
    from scipy.stats import norm

    from .designs import sobol_shares

    objective = judge.objectives[0]
    k = len(judge.space)
    X = sobol_shares(1024, k, study.seed)
    if k <= 10:
        X = np.vstack([np.array(list(itertools.product((0.0, 1.0), repeat=k))), X])
    assert judge.best is not None
    best = judge.best[1]
    predicted, error = sign * made[objective].values(X), np.maximum(made[objective].stds(X), 1e-300)
    z = (best - predicted) / error
    gain = error * (z * norm.cdf(z) + norm.pdf(z))
    for name, low, high in judge.limits:
        values = made[name].values(X)
        gain[(values < low) | (values > high)] = 0.0
    for row in rows:  # one that failed, too, is not run again
        gain[np.abs(X - judge.space.shares(row.parameters)).max(axis=1) < 1e-3] = 0.0
    i = int(np.argmax(gain))
    return judge.space.point(X[i]), float(gain[i])


def _minimum(study: Study, made: Mapping[str, Any], objective: str, subject_to: Any, sign: float) -> Optimum:
    """The optimum of surrogates: evolution, then slsqp from its best point."""
    predict = lambda v: {name: s(v) for name, s in made.items()}
    space = made[objective].space
    with TemporaryDirectory() as folder:
        made_of: dict[str, Any] = dict(workers=0, seed=study.seed, progress=False)
        with type(study)(Path(folder) / "surrogate.study", predict, space, **made_of) as s:
            go = s.maximize if sign < 0 else s.minimize
            first = go(objective, subject_to=subject_to, method="differential_evolution", max_runs=2000, tolerance=1e-4)
            second = go(objective, subject_to=subject_to, start=first.parameters)
            return second if second.feasible >= first.feasible else first
