"""Identification: parameters of a model from measured curves, by least squares; how well they are determined, which of
them cannot be distinguished, and what else to measure.

The residuals are (predicted - measured) / std.  At their least sum of squares S the covariance of the estimate is the
inverse of J'J (J: derivatives of the residuals), intervals follow from Student's distribution, and those of the profile
likelihood from the values at which S, minimised by all other parameters, has risen by the squared quantile (Bates and
Watts, Nonlinear Regression Analysis, 1988).  What is not determined is read from the singular values of J with columns
of length one (collinearity: Brun, Reichert and Kuensch, Water Resources Research 37, 2001).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from .._summary import Summary, counted
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import explained
from ..model.kinds import is_number, is_whole
from .curves import COARSE, SENSOR, Curve, Experiment, Predictor, as_experiments
from .parameters import Space
from .smooth import CHECKS, ENDS, NEAR, OFF, ROUGH, derivative_name, oblique, trust_region

EXACT, DIFFERENT = (
    1e-9,
    1e-5,
)  # singular values, of columns of length one, that are zero: exact derivatives, differences
TOGETHER = 0.03  # entry of the projector onto undetermined directions that joins two parameters
EDGE = 1e-6  # share of a range within which an estimate is at its bound
NOISE_ROUNDS = 20
AGAIN = 1e-4  # change of the noise or the sum of squares, from which they are computed again
CLOSE = 0.98  # correlation of two parameters that is reported
CURVED = 0.03  # second over first differences of the curves, from which a step is too long for a derivative
STRAIGHT = 0.003  # that of the step which replaces it
SHORTEST = 1e-9  # of these steps
OUTLIER = 1e-4  # probability of the largest residual of a curve, below which it is reported


@dataclass(repr=False)
class Undetermined(Summary):
    """Parameters that the curves do not determine.

    ``parameters``: one that has no effect beyond the noise, or several that cannot be distinguished.  ``directions``:
    each a table parameter -> change that leaves the curves as they are, to first order and within the noise; changes as
    shares of the values (``relative``), of the range where a value is zero.  ``structural``: no lower noise would help;
    otherwise the uncertainty exceeds the range."""

    parameters: tuple[str, ...]
    directions: list[dict[str, float]]
    relative: dict[str, bool]
    structural: bool

    def text(self) -> str:
        """A sentence."""
        names = ", ".join(self.parameters)
        if len(self.parameters) == 1:
            return f"{names} has no effect on the curves beyond the noise"
        of = lambda n: "" if self.relative[n] else " of its range"
        ways = [
            ", ".join(f"{n} by {100 * self.directions[0][n]:+.3g} %{of(n)}" for n in d)
            for d in self.directions[:1]
            for d in [{n: v for n, v in d.items() if abs(v) > 1e-4}]
        ]
        more = f", and along {len(self.directions) - 1} more directions" if len(self.directions) > 1 else ""
        within = "" if self.structural else " within the noise"
        return f"{names} cannot be distinguished: the curves stay as they are{within} when {ways[0]} change{more}"


@dataclass(repr=False)
class Candidate(Summary):
    """A quantity that could be measured in addition.

    ``of``, ``experiment``: which; ``undetermined``: what would still not be determined; ``separates``: parameters that
    it would determine; ``std``: of all parameters, with it."""

    of: str
    experiment: str
    undetermined: list[Undetermined]
    separates: list[str]
    std: dict[str, float]


@dataclass(repr=False)
class Profile(Summary):
    """The profile likelihood of a parameter.

    ``low``, ``high``: the interval; ``open_low``, ``open_high``: whether a bound, of the parameter or of another one,
    ended it in place of the curves; ``values``, ``rise``: values that were tried, and the rise of the sum of squares
    there, in units of the noise; ``better``: whether a better fit than the given one was met, so that the interval is
    not to be used."""

    parameter: str
    low: float
    high: float
    open_low: bool
    open_high: bool
    values: np.ndarray
    rise: np.ndarray
    better: bool = False


@dataclass(repr=False)
class Identification(Summary):
    """Parameters from measured curves.

    ``parameters``, ``std``, ``interval``: estimate, standard deviation and confidence interval (``level``) of each, the
    last two infinite where it is not determined, NaN where it is at its bound; ``covariance``, ``correlation``:
    matrices in the order of ``names``.  ``noise``: standard deviation of the noise of each curve, given or estimated.
    ``misfit``: root mean square residual over the noise, 1 where the noise explains it.  ``undetermined``: see
    `Undetermined`; ``rank``: of the derivatives; ``singular_values``: of columns of length one. ``candidates``: the
    most useful first.  ``converged``, ``message``: why the search ended; ``notes``: sentences on doubts.
    ``derivatives``: where they come from.  ``runs``, ``failed``: how many runs were computed, and how many failed.
    ``residuals``: of each curve,
    in its units."""

    parameters: dict[str, float]
    std: dict[str, float]
    interval: dict[str, tuple[float, float]]
    level: float
    names: list[str]
    covariance: np.ndarray
    correlation: np.ndarray
    noise: dict[str, float]
    misfit: float
    degrees_of_freedom: int
    undetermined: list[Undetermined]
    rank: int
    singular_values: np.ndarray
    candidates: list[Candidate]
    converged: bool
    message: str
    notes: list[str]
    derivatives: str
    runs: int
    failed: int
    residuals: dict[str, np.ndarray] = field(repr=False)
    _fit: Fit = field(repr=False)
    _x: np.ndarray = field(repr=False)
    _weights: np.ndarray = field(repr=False)
    _known: bool = field(repr=False)

    def profile(self, parameter: str, level: float | None = None) -> Profile:
        """The interval of a parameter by its profile likelihood: exact for non-linear models as far as the noise is
        normal; other parameters are fitted again at each value.  Raises ModelError for a name that does not exist."""
        return profile(self, parameter, self.level if level is None else level)

    def text(self) -> str:
        """Parameters with their intervals, then what is to be known about them."""
        width = max(len(n) for n in self.names)
        lines = [f"{'':{width}}  {'estimate':>12}  {'std':>10}  {100 * self.level:g} % interval"]
        for n in self.names:
            low, high = self.interval[n]
            ends = f"{low:.6g} to {high:.6g}" if math.isfinite(high - low) else _why(self.std[n])
            lines.append(f"{n:{width}}  {self.parameters[n]:12.6g}  {self.std[n]:10.3g}  {ends}")
        lines += [u.text() for u in self.undetermined]
        for c in self.candidates:
            gain = f"would determine {', '.join(c.separates)}" if c.separates else "would determine nothing more"
            lines.append(f"{c.of} of {c.experiment} {gain}")
        lines += [f"misfit {self.misfit:.3g} of the noise; {self.message} ({self.derivatives}, {self.runs} runs)"]
        return "\n".join(lines + self.notes)

    __str__ = text


def _why(std: float) -> str:
    return "not determined" if math.isinf(std) else "at its bound"


class Fit:
    """Residuals of experiments over the unit cube of the parameters that vary, in the units of their curves."""

    def __init__(self, experiments: list[Experiment], space: Space, step: float, derivatives: str) -> None:
        self.space, self.step, self.derivatives = space, step, derivatives
        self.varied = space.varied.parameters
        self.experiments = experiments
        self.curves: list[Curve] = [c for e in experiments for c in e.curves]
        self.of = [_label(c, e, experiments) for e in experiments for c in e.curves]
        self.predictors = [Predictor(e, e.curves, space) for e in experiments]
        #: step of each experiment and parameter: shorter than ``step`` where its curves are curved within that
        self.steps = np.full((len(self.predictors), len(self.varied)), step)
        self._settled: set[tuple[int, int]] = set()  # those that a shorter one does not improve: noise, kinks
        ends = np.cumsum([0, *(c.count for c in self.curves)])
        self.slices = [slice(a, b) for a, b in zip(ends, ends[1:])]
        self.data = np.concatenate(
            [np.zeros(c.count) if c.values is None else c.readings(c.values) for c in self.curves]
        )
        self.weight = np.concatenate([np.full(c.count, c.weight) for c in self.curves])
        self.failed, self.failure = 0, ""
        self.exact, self.checked = True, False
        self.coarse = np.zeros(len(self.curves))
        self._worst = 0.0
        self._lost: list[np.ndarray] = []  # points at which runs of the search failed

    @property
    def runs(self) -> int:
        """Runs that were computed."""
        return sum(p.runs for p in self.predictors)

    @property
    def source(self) -> str:
        """Where the derivatives come from, in words."""
        if self.exact:
            return "exact derivatives"
        shorter = [p.name for p, least in zip(self.varied, self.steps.min(axis=0)) if least < self.step]
        more = f", shorter for {', '.join(shorter)}" if shorter else ""
        return f"derivatives by central differences of step {self.step:g}{more}"

    @property
    def zero(self) -> float:
        """The singular value that counts as zero."""
        return EXACT if self.exact else DIFFERENT

    def values(self, x: np.ndarray) -> dict[str, Any]:
        """Values of all parameters."""
        return self.space.nominal() | {p.name: p.at(s) for p, s in zip(self.varied, x)}

    def predicted(self, x: np.ndarray) -> np.ndarray:
        """Readings of all curves.  Raises as the runs do."""
        values = self.values(x)
        out: list[np.ndarray] = []
        for predictor in self.predictors:
            found = predictor(values, self._wanted(predictor))
            for c, y, coarse in zip(predictor.curves, found.y, found.coarse):
                gain = c.sensor("gain", values)
                self.coarse[len(out)] = abs(gain) * coarse
                out.append(gain * y + c.sensor("offset", values))
        made = np.concatenate(out)
        if not np.isfinite(made).all():
            raise ModelError("the predicted curves are not finite")
        return made

    def _wanted(self, predictor: Predictor) -> list[str]:
        return [] if self.derivatives == "differences" else [p.name for p in self.varied]

    def residuals(self, x: np.ndarray) -> np.ndarray:
        """Predicted less measured; where a run fails, larger than all before, so that the search steps back."""
        try:
            r = self.predicted(x) - self.data
        except (ModelError, ArithmeticError, np.linalg.LinAlgError) as error:
            self.failed, self.failure = self.failed + 1, str(error)
            self._lost.append(x.copy())
            return np.full(len(self.data), 10.0 * self._worst)
        self._worst = max(self._worst, float(np.abs(r).max()))
        return r

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """Derivatives (samples, k) of the readings by positions in the unit cube."""
        values = self.values(x)
        J = np.zeros((len(self.data), len(self.varied)))
        first = 0
        for i, predictor in enumerate(self.predictors):
            own = [p.name for p in self.varied if p.name in predictor.names]
            found = predictor(values, self._wanted(predictor))
            exact = self.derivatives != "differences" and all(t is not None for t in found.slopes)
            if not exact and self.derivatives == "exact":
                raise ModelError(
                    f"experiment '{predictor.experiment.name}' has no exact derivatives; use curves with "
                    "expression=True, or a function that returns 'd x/d k'"
                )
            if own and not exact:
                self.exact = False
            for j, p in enumerate(self.varied):
                slope = p.slope(x[j])
                ends = self._straight_ends(i, x, j, found.y) if p.name in own and not exact else None
                for k, c in enumerate(predictor.curves):
                    column = J[self.slices[first + k], j]
                    gain = c.sensor("gain", values)
                    if ends is not None:
                        column += gain * (ends[1].y[k] - ends[0].y[k]) / ends[2]
                    elif p.name in own:
                        column += gain * slope * found.slopes[k][p.name]
                    for word, part in zip(SENSOR, (found.y[k], 1.0, -gain * found.rate[k])):
                        if getattr(c, word) == p.name:
                            column += slope * part
            first += len(predictor.curves)
        if self.exact and not self.checked and any(p.experiment.analysis is None for p in self.predictors):
            self.checked = True
            self._check_derivatives(x, J)
        return J

    def _check_derivatives(self, x: np.ndarray, J: np.ndarray) -> None:
        """Compare derivatives that functions return with a difference along a line through all parameters, but for the
        curvature over that step.  Raises ModelError with the derivative that is the furthest off."""
        way = CHECKS[1] * oblique(len(x))
        low, high = np.clip(x - way, 0.0, 1.0), np.clip(x + way, 0.0, 1.0)
        try:
            below, here, above = (self.predicted(at) for at in (low, x, high))
        except (ModelError, ArithmeticError, np.linalg.LinAlgError):
            return
        norm = np.linalg.norm
        curved = norm((above - here) - (here - below)) if (low < x).all() and (x < high).all() else 0.0
        slack = OFF * float((norm(J, axis=0) * (high - low)).sum()) + ROUGH * float(norm(here)) + float(curved)
        if norm(above - below - J @ (high - low)) <= slack:
            return
        ends = [
            (np.where(np.arange(len(x)) == j, low, x), np.where(np.arange(len(x)) == j, high, x)) for j in range(len(x))
        ]
        slopes = np.array([(self.predicted(b) - self.predicted(a)) / (b - a).sum() for a, b in ends]).T
        i, j = np.unravel_index(int(np.argmax(np.abs(J - slopes))), J.shape)
        size, p = self.varied[j].slope(x[j]), self.varied[j]
        curve = self.curves[next(k for k, part in enumerate(self.slices) if part.start <= i < part.stop)]
        raise ModelError(
            f"'{derivative_name(curve.of, p.name)}' is {J[i, j] / size:.6g} in a sample at {p.name} = "
            f"{p.at(x[j]):.6g}, a difference gives {slopes[i, j] / size:.6g}; correct the derivative that the function "
            "returns, or leave it out"
        )

    def _straight_ends(self, i: int, x: np.ndarray, j: int, here: Sequence[np.ndarray]) -> tuple[Any, Any, float]:
        """Outputs of experiment i on both sides of x, and their distance, so near that its curves are straight between
        them: a step is a share of the range, and a range of several decades is no size of a parameter.  Second over
        first differences fall with the step where the curves are smooth; where they rise (noise, kinks) the step
        remains."""
        ends = self._ends(i, x, j)
        inside = self.steps[i, j] <= x[j] <= 1.0 - self.steps[i, j]
        curved = _curved(ends, here) if inside else 0.0  # at a bound there is one side
        while curved > CURVED and (i, j) not in self._settled and self.steps[i, j] > SHORTEST:
            before = self.steps[i, j]
            self.steps[i, j] = max(before * max(STRAIGHT / curved, 0.01), SHORTEST)
            nearer = self._ends(i, x, j)
            if (now := _curved(nearer, here)) < 0.5 * curved:
                ends, curved = nearer, now
            else:
                self.steps[i, j] = before
                self._settled.add((i, j))
        return ends

    def _ends(self, i: int, x: np.ndarray, j: int) -> tuple[Any, Any, float]:
        """Outputs on both sides of x, one-sided at a bound or where a run fails, and their distance."""
        predictor, step, sides = self.predictors[i], self.steps[i, j], []
        for end in (max(x[j] - step, 0.0), min(x[j] + step, 1.0)):
            moved = np.concatenate([x[:j], [end], x[j + 1 :]])
            try:
                sides.append((end, predictor(self.values(moved))))
            except (ModelError, ArithmeticError, np.linalg.LinAlgError) as error:
                self.failed, self.failure = self.failed + 1, str(error)
                sides.append((x[j], predictor(self.values(x))))
        (low, a), (high, b) = sides
        if low == high:
            raise ModelError(f"the runs around the estimate fail, so that there is no derivative: {self.failure}")
        return a, b, high - low

    def solve(
        self, x: np.ndarray, weights: np.ndarray, free: np.ndarray, tolerance: float, max_steps: int
    ) -> tuple[np.ndarray, float, bool, str]:
        """The least sum of squares of weighted residuals by the ``free`` parameters (a mask): point, sum, whether the
        search converged and why it ended."""
        full = x.copy()

        def at(part: np.ndarray) -> np.ndarray:
            full[free] = part
            return full

        if not free.any():
            return full, float(np.sum((weights * self.residuals(full)) ** 2)), True, "nothing to fit"
        self._lost = []
        found = trust_region(
            lambda part: weights * self.residuals(at(part)),
            lambda part: weights[:, None] * self.jacobian(at(part))[:, free],
            x[free],
            tolerance,
            max_steps,
        )
        text = f"not converged: stopped after {max_steps} steps (max_steps)"
        if found.status:
            text = f"converged: {ENDS.get(found.status, found.message)}"
        best = at(found.x).copy()
        best[(best < EDGE) & free] = 0.0
        best[(best > 1.0 - EDGE) & free] = 1.0
        if found.status and any(float(np.abs(lost - best).max()) <= NEAR for lost in self._lost):
            text = (
                f"not converged: runs fail within {100 * NEAR:g} % of the ranges from the estimate, so that the search "
                f"cannot go on, and intervals do not count: {self.failure}"
            )
        return best, 2.0 * float(found.cost), text.startswith("converged"), text


def _curved(ends: tuple[Any, Any, float], here: Sequence[np.ndarray]) -> float:
    """Second over first differences of curves between both ends, each curve over its size; zero of one side."""
    first = second = 0.0
    for low, y, high in zip(ends[0].y, here, ends[1].y):
        size = float(y @ y) or 1.0
        first += float(np.sum((high - low) ** 2)) / size
        second += float(np.sum((high - 2.0 * y + low) ** 2)) / size
    return math.sqrt(second / first) if 0.0 < second < first else float(second > 0.0)


def _label(c: Curve, e: Experiment, experiments: list[Experiment]) -> str:
    return c.of if len(experiments) == 1 else f"{c.of} of {e.name}"


class Determined:
    """What weighted derivatives (samples, k) determine: columns are per range of a parameter, rows per noise.

    ``std``: in shares of the ranges, infinite where undetermined; ``covariance``; ``groups``: indices of parameters
    that cannot be distinguished, with the directions (in shares) and whether they are structural."""

    def __init__(self, J: np.ndarray, zero: float) -> None:
        n = J.shape[1]
        size = np.linalg.norm(J, axis=0)
        seen = size > 1.0  # moved over its whole range a parameter changes the curves by more than the noise
        U, s, Vt = np.linalg.svd(J[:, seen] / size[seen], full_matrices=False) if seen.any() else _NOTHING
        self.singular_values = s
        V = np.zeros((n, len(s)))
        V[seen] = Vt.T
        scale = np.where(seen, size, 1.0)
        with np.errstate(divide="ignore"):
            wide = np.abs(V / scale[:, None] / s).max(axis=0) > 1.0 if len(s) else np.zeros(0, bool)
        structural = s < zero * max(len(s), 1)
        lost = structural | wide
        self.rank = int((~lost).sum())
        N = V[:, lost]
        P = N @ N.T
        self.groups: list[tuple[list[int], np.ndarray, bool]] = []
        taken = set()
        for i in range(n):
            if not seen[i]:
                self.groups.append(([i], np.eye(n)[:, [i]], bool(size[i] < 1e-9)))
            elif P[i, i] > TOGETHER**2 and i not in taken:
                group = [i]
                for j in group:  # grows
                    group += [m for m in range(n) if abs(P[j, m]) > TOGETHER * math.sqrt(P[i, i]) and m not in group]
                group = [m for m in sorted(group) if P[m, m] > TOGETHER**2]
                taken |= set(group)
                inside = np.linalg.norm(N[group], axis=0) > 0.5
                self.groups.append((group, N[:, inside] / scale[:, None], bool(structural[lost][inside].any())))
        kept = V[:, ~lost] / s[~lost] / scale[:, None]
        self.covariance = kept @ kept.T
        out = np.sqrt(np.diag(self.covariance))
        for group, _, _ in self.groups:
            out[group] = np.inf
        self.std = out


_NOTHING: tuple[Any, Any, Any] = (None, np.zeros(0), np.zeros((0, 0)))


def _undetermined(found: Determined, fit: Fit, free: np.ndarray, x: np.ndarray) -> list[Undetermined]:
    some = [p for p, f in zip(fit.varied, free) if f]
    values, slopes = fit.values(x), [p.slope(s) for p, s, f in zip(fit.varied, x, free) if f]
    out: list[Undetermined] = []
    for group, directions, structural in found.groups:
        names = tuple(some[i].name for i in group)
        relative = {n: values[n] != 0.0 for n in names}
        tables = []
        for d in directions.T:
            change = {
                some[i].name: d[i] * (slopes[i] / values[some[i].name] if values[some[i].name] else 1.0) for i in group
            }
            largest = max(change.values(), key=abs)
            tables.append({n: float(0.01 * v / largest) for n, v in change.items()})
        out.append(Undetermined(names, tables, relative, structural))
    return out


@partial(explained, name="identify", strict=True)
def identify(
    experiments: Experiment | Sequence[Experiment],
    parameters: Mapping[str, Any] | Space,
    *,
    start: Mapping[str, Any] | None = None,
    starts: int = 1,
    level: float = 0.95,
    derivatives: str = "auto",
    step: float = 1e-4,
    tolerance: float = 1e-10,
    max_steps: int = 200,
) -> Identification:
    """Identify parameters from measured curves of one or several experiments by weighted least squares.

    ``parameters``: as of a `Study`, with bounds: of models, addresses, and of sensors (`Curve`).  ``start``: values at
    which the search begins, by default nominal ones; ``starts``: further begins, spread over the bounds, of which the
    best is kept.  ``level``: of the confidence intervals.  ``derivatives``: "auto" (exact ones where all curves of an
    experiment are expressions, or its function returns them, otherwise central differences), "exact" or "differences",
    of ``step``, a share of the range.  ``tolerance``: of sum of squares and parameters.  ``max_steps``: of the search.

    Where curves have no ``std``, the noise of each is estimated with the parameters, and the intervals are those of
    Student's distribution.  Runs that fail on the way are counted and avoided.

    Raises ModelError for unknown names, parameters without bounds or discrete ones, fewer samples than parameters, and
    where the run at the start fails.

        swing = hn.studies.read_curve("swing.csv", "pin.angle", std=0.01)
        test = hn.studies.Experiment(model, [swing], analysis={"end": 2.0, "steps": 400})
        found = hn.studies.identify(test, {"mass": (1.0, 3.0), "damping": (0.0, 0.5)})
        print(found); found.profile("mass")
    """
    fit = prepared(experiments, parameters, derivatives, step)
    if not is_number(level) or not 0.0 < level < 1.0:
        raise ModelError(f"identification: level must be between 0 and 1, got {shown(level)}")
    if not is_whole(starts) or starts < 1:
        raise ModelError(f"identification: starts must be a whole number from 1, got {shown(starts)}")
    check_search(tolerance, max_steps)
    found = fitted(fit, begin(fit, start), None, level, tolerance, max_steps, starts)
    found.candidates = candidates(found, [n for n in found.names if not math.isnan(found.std[n])])
    return found


def check_search(tolerance: Any, max_steps: Any) -> None:
    """Raise ModelError for a tolerance or a number of steps that is none."""
    if not is_number(tolerance) or not 0.0 < tolerance < 1.0:
        raise ModelError(f"identification: tolerance must be between 0 and 1, got {shown(tolerance)}")
    if not is_whole(max_steps) or max_steps < 1:
        raise ModelError(f"identification: max_steps must be a whole number from 1, got {shown(max_steps)}")


def prepared(experiments: Any, parameters: Any, derivatives: str, step: float) -> Fit:
    """The residuals of experiments.  Raises ModelError for arguments that are invalid."""
    space = parameters if isinstance(parameters, Space) else Space(parameters)
    words = ("auto", "exact", "differences")
    if derivatives not in words:
        raise ModelError(
            f"identification: derivatives must be one of {', '.join(words)}, got {shown(derivatives)}"
            f"{did_you_mean(derivatives, words)}"
        )
    if not is_number(step) or not 0.0 < step < 0.5:
        raise ModelError(f"identification: step must be between 0 and 0.5, got {shown(step)}")
    for p in space.varied.parameters:
        if not p.continuous:
            raise ModelError(f"parameter '{p.name}' is discrete; identification varies continuous ones only")
        if p.bounds is None:
            raise ModelError(f"parameter '{p.name}' has no bounds, which identification requires; give (low, high)")
    fit = Fit(as_experiments(experiments), space, step, derivatives)
    if len(fit.data) <= len(fit.varied):
        raise ModelError(
            f"identification: {counted(len(fit.data), 'sample')} cannot determine "
            f"{counted(len(fit.varied), 'parameter')}; measure more"
        )
    return fit


def begin(fit: Fit, start: Mapping[str, Any] | None) -> np.ndarray:
    """Position of the start, at which the runs succeed.  Raises ModelError otherwise."""
    values = fit.space.complete(start or {})
    if fault := fit.space.fault(values):
        raise ModelError(f"identification: {fault}")
    x = np.array([p.share(values[p.name]) for p in fit.varied])
    try:
        fit.predicted(x)
    except (ModelError, ArithmeticError, np.linalg.LinAlgError) as error:
        raise ModelError(f"the run at the start of the identification fails: {error}") from None
    return x


def fitted(
    fit: Fit, x: np.ndarray, free: np.ndarray | None, level: float, tolerance: float, max_steps: int, starts: int = 1
) -> Identification:
    """The least sum of squares from a start by the ``free`` parameters, with all that is known there but
    candidates."""
    free = np.ones(len(fit.varied), bool) if free is None else free
    begins = [x]
    if starts > 1:
        from scipy.stats import qmc

        begins += list(qmc.Sobol(len(x), scramble=False).random_base2(math.ceil(math.log2(starts)))[1:starts])
    noise, given = first_noise(fit)
    best = None
    for point in begins:
        found = fit.solve(point, fit.weight / noise, free, tolerance, max_steps)
        if best is None or found[1] < best[1]:
            best = found
    assert best is not None
    if not given.all():
        for _ in range(NOISE_ROUNDS):
            last = noise
            noise, total = _noise(fit, best[0], noise, given, free)
            best = fit.solve(best[0], fit.weight / noise, free, tolerance, max_steps)
            if best[1] < (1.0 - AGAIN) * total:
                continue  # the search had ended early, and this noise is too large
            if len(fit.curves) == 1 or np.abs(noise / last - 1.0).max() < AGAIN:
                break
    return _concluded(fit, best, noise, given, free, level)


def first_noise(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Standard deviation of each sample, and which are given; where it is not, a start: the size of the curve."""
    noise, given = np.ones(len(fit.data)), np.zeros(len(fit.data), bool)
    for c, part in zip(fit.curves, fit.slices):
        given[part] = c.std is not None
        noise[part] = c.noise if c.std is not None else (np.std(fit.data[part]) or np.abs(fit.data[part]).max() or 1.0)
    return noise, given


def _noise(fit: Fit, x: np.ndarray, noise: np.ndarray, given: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, float]:
    """Noise of the curves without one, from their residuals, and the weighted sum of squares with it; each parameter
    takes a degree of freedom, from the curves that determine it."""
    r = fit.residuals(x)
    U, s, _ = np.linalg.svd((fit.weight / noise)[:, None] * fit.jacobian(x)[:, free], full_matrices=False)
    leverage = np.sum(U[:, s > 1e-7 * max(s.max(initial=0.0), 1e-300)] ** 2, axis=1)
    out = noise.copy()
    for part in fit.slices:
        if not given[part].all():
            left = len(r[part]) - float(leverage[part].sum())
            least = 1e-12 * (np.abs(fit.data[part]).max() or 1.0)  # curves without noise
            out[part] = max(math.sqrt(float(r[part] @ r[part]) / max(left, 1e-3)), least)
    return out, float(np.sum((fit.weight / out * r) ** 2))


def _concluded(
    fit: Fit,
    best: tuple[np.ndarray, float, bool, str],
    noise: np.ndarray,
    given: np.ndarray,
    free: np.ndarray,
    level: float,
) -> Identification:
    from scipy.stats import norm, t

    x, total, converged, message = best
    weights = fit.weight / noise
    r, J = fit.residuals(x), fit.jacobian(x)
    edge = free & ((x == 0.0) | (x == 1.0))
    inner = free & ~edge
    some = [p for p, f in zip(fit.varied, free) if f]
    names, values = [p.name for p in some], fit.values(x)
    found = Determined(weights[:, None] * J[:, inner], fit.zero)
    if (fit.weight != 1.0).any() and np.isfinite(found.std).all():
        # the noise is what it is: what weights change is the estimate, by (A'A)^-1 A'
        A = found.covariance @ (weights[:, None] * J[:, inner]).T
        found.covariance = (A * fit.weight**2) @ A.T
        found.std = np.sqrt(np.diag(found.covariance))
    where = np.flatnonzero(inner[free])
    slopes = np.array([p.slope(s) for p, s, f in zip(fit.varied, x, free) if f])
    covariance = np.full((len(names), len(names)), np.nan)
    covariance[np.ix_(where, where)] = found.covariance * np.outer(slopes[where], slopes[where])
    std = np.full(len(names), np.nan)
    std[where] = found.std * slopes[where]
    lost = where[np.isinf(found.std)]
    covariance[lost], covariance[:, lost] = np.nan, np.nan
    dof = len(r) - found.rank
    q = float(norm.ppf(0.5 + 0.5 * level) if given.all() else t.ppf(0.5 + 0.5 * level, dof))
    undetermined = _undetermined(found, fit, inner, x)
    notes = _notes(fit, x, r, noise, given, dof, [p for p, e in zip(fit.varied, edge) if e])
    with np.errstate(invalid="ignore"):
        correlation = covariance / np.outer(std, std)
    for i in range(len(names)):
        for j in range(i):
            if abs(correlation[i, j]) > CLOSE:
                notes.append(f"{names[j]} and {names[i]} are correlated by {correlation[i, j]:.4f}")
    if fit.failed:
        notes.append(f"{counted(fit.failed, 'run')} failed on the way, the last one: {fit.failure}")
    return Identification(
        {n: float(values[n]) for n in names},
        dict(zip(names, map(float, std))),
        {p.name: _interval(p, float(values[p.name]), q * s) for p, s in zip(some, std)},
        level,
        names,
        covariance,
        correlation,
        {o: float(np.sqrt(np.mean(noise[part] ** 2))) for o, part in zip(fit.of, fit.slices)},
        math.sqrt(float(np.sum((r / noise) ** 2)) / dof),
        dof,
        undetermined,
        found.rank,
        found.singular_values,
        [],
        converged,
        message,
        notes,
        fit.source,
        fit.runs,
        fit.failed,
        {o: r[part] for o, part in zip(fit.of, fit.slices)},
        fit,
        x,
        weights,
        bool(given.all()),
    )


def _interval(p: Any, value: float, half: float) -> tuple[float, float]:
    if p.log and math.isfinite(half):
        return value * math.exp(-half / value), value * math.exp(half / value)
    return value - half, value + half


def _notes(
    fit: Fit, x: np.ndarray, r: np.ndarray, noise: np.ndarray, given: np.ndarray, dof: int, edge: list
) -> list[str]:
    """Sentences on doubts: misfit, residuals that are correlated, outputs that are coarse, estimates at bounds."""
    from scipy.stats import chi2, t

    out = []
    for p in edge:
        out.append(f"{p.name} is at its bound {fit.values(x)[p.name]:g}; other intervals hold for it as a constant")
    for o, c, part, coarse in zip(fit.of, fit.curves, fit.slices, fit.coarse):
        s, n = r[part] / noise[part], len(r[part])
        total = float(s @ s)
        if c.std is not None and n > len(fit.varied) and chi2.sf(total, n) < 1e-3:
            out.append(
                f"{o}: the residuals are {math.sqrt(total / n):.3g} times the noise that is given; the model does not "
                "explain the curve, or the noise is larger"
            )
        k, left = int(np.argmax(np.abs(s))), n - len(fit.varied) - 1
        others = total - float(s[k] ** 2)
        if left > 0 and others > 0.0:
            times = abs(float(s[k])) / math.sqrt(others / left)
            if n * 2.0 * float(t.sf(times, left)) < OUTLIER:
                at = f" at {c.times[k]:g}" if len(c.times) == n else ""
                out.append(
                    f"{o}: the residual{at} is {times:.3g} times the other ones, an outlier that draws the estimate: "
                    "check the sample, or leave it out"
                )
        centred = s - s.mean()
        size = float(centred @ centred)
        lag = float(centred[1:] @ centred[:-1]) / size if size > 0.0 else 0.0
        if n >= 20 and lag > 4.0 / math.sqrt(n):
            out.append(
                f"{o}: successive residuals are correlated by {lag:.2f}: the model does not explain the curve, or the "
                "noise is filtered; the true intervals are wider"
            )
        level = float(np.sqrt(np.mean(noise[part] ** 2)))
        if coarse > COARSE * level:
            out.append(
                f"{o}: interpolation between outputs of the run has an error of about {coarse:.2g}, the noise is "
                f"{level:.2g}; raise the number of steps of output"
            )
    return out


def candidates(found: Identification, names: Sequence[str]) -> list[Candidate]:
    """Each candidate of the experiments with what it would determine of the parameters ``names``."""
    fit, x = found._fit, found._x
    offered = [(e, c) for e in fit.experiments for c in e.candidates]
    if not offered:
        return []
    free = np.array([p.name in names for p in fit.varied])
    present = found._weights[:, None] * fit.jacobian(x)[:, free]
    now = Determined(present, fit.zero)
    some = [p for p, f in zip(fit.varied, free) if f]
    slopes = [p.slope(s) for p, s, f in zip(fit.varied, x, free) if f]
    out = []
    for e, c in offered:
        c = c if c.times is not None else replace(c, times=e.curves[0].times)
        alone = Fit([replace(e, curves=[replace(c, values=np.zeros(len(c.times)))])], fit.space, fit.step, "auto")
        J = alone.jacobian(x)[:, free] / np.broadcast_to(np.asarray(c.noise, float), c.count)[:, None] * c.weight
        then = Determined(np.vstack([present, J]), max(fit.zero, alone.zero))
        gained = [p.name for p, a, b in zip(some, now.std, then.std) if np.isinf(a) and np.isfinite(b)]
        std = {p.name: float(s * v) for p, s, v in zip(some, then.std, slopes)}
        rank = (int(np.isinf(then.std).sum()), float(np.max(then.std[np.isfinite(then.std)], initial=0.0)))
        out.append((rank, Candidate(c.of, e.name, _undetermined(then, fit, free, x), gained, std)))
    return [c for _, c in sorted(out, key=lambda item: item[0])]


def profile(found: Identification, parameter: str, level: float, most: int = 30) -> Profile:
    """The interval in which the sum of squares, minimised by the other parameters, rises by no more than the squared
    quantile: see `Identification.profile`.  ``most``: values that are tried on each side."""
    from scipy.stats import norm, t

    fit = found._fit
    if (fit.weight != 1.0).any():
        raise ModelError("profile: curves with a weight have no likelihood; give std alone, and leave weight at 1")
    if parameter not in found.names:
        raise ModelError(f"there is no identified parameter {shown(parameter)}{did_you_mean(parameter, found.names)}")
    j = next(k for k, p in enumerate(fit.varied) if p.name == parameter)
    p = fit.varied[j]
    free = np.array([q.name in found.names and k != j for k, q in enumerate(fit.varied)])
    tail = 0.5 + 0.5 * level
    q = float(norm.ppf(tail) if found._known else t.ppf(tail, found.degrees_of_freedom))
    least = float(np.sum((found._weights * fit.residuals(found._x)) ** 2))
    tried: dict[float, float] = {float(found._x[j]): 0.0}
    better = False
    ends = []
    width = found.std[parameter] / p.slope(found._x[j])
    for sign in (-1.0, 1.0):
        x, inside, outside = found._x.copy(), (float(found._x[j]), 0.0), None
        at = inside[0] + sign * q * (width if math.isfinite(width) else 0.1 / q)
        bound, limited, twice = 0.5 + 0.5 * sign, False, 0
        for _ in range(most):
            at = min(max(at, 0.0), 1.0)
            x[j] = at
            x, total, _, _ = fit.solve(x, found._weights, free, 1e-10, 100)
            rise = total - least
            tried[at] = rise
            better |= rise < -1e-3
            z = math.sqrt(max(rise, 0.0)) - q  # linear in the parameter for a linear model
            held = bool(np.any((x[free] == 0.0) | (x[free] == 1.0)))
            if z <= 0.0:
                inside, twice = (at, z + q), max(twice, 0) + 1
            else:
                outside, twice, limited = (at, z + q), min(twice, 0) - 1, held
            if abs(z) < 1e-4 * q or outside is None and at == bound:
                limited = held or at == bound
                break
            if outside is None:  # further out: by the slope so far, at most four times as far
                at = found._x[j] + (at - found._x[j]) * min(max(q / max(z + q, 1e-12), 1.2), 4.0)
            elif abs(twice) > 1:  # the same end moved twice: halve
                at = 0.5 * (inside[0] + outside[0])
            else:
                (a, za), (b, zb) = inside, outside
                at = a + (b - a) * min(max((q - za) / (zb - za), 0.02), 0.98)
        ends.append((at, limited))
    (low, open_low), (high, open_high) = ends
    order = sorted(tried)
    return Profile(
        parameter,
        p.at(low),
        p.at(high),
        open_low,
        open_high,
        np.array([p.at(s) for s in order]),
        np.array([tried[s] for s in order]),
        better,
    )
