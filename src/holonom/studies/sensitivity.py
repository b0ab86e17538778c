"""Which parameters a measure depends on: one at a time, by screening, by shares of the variance.

Samples and estimators of Morris (Technometrics 33, 1991), Sobol (1993, with the estimators of Saltelli et al., 2010),
FAST (Saltelli, Tarantola and Chan, 1999), DGSM (Sobol and Kucherenko, 2009) and PAWN (Pianosi and Wagener, 2015) are
those of SALib, over the unit cube of the parameters: a parameter with a distribution is sampled by its quantiles.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from .._warnings import warn_model
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import explained
from ..model.kinds import is_number, is_whole
from .parameters import Space
from .population import library

if TYPE_CHECKING:
    from .study import Study

LEVELS = 4  # of the grid of Morris
EXPLAINED = 0.95  # share of the sum of squares that effects have without a warning
DELTA = 0.01  # step of DGSM in the unit cube
SKEWED = 0.2  # skewness of a distribution by its quantiles of 10, 50 and 90 % from which FAST is biased
LEAST_FAST = 65  # samples of FAST: more than four times the square of its four harmonics
#: method -> module of SALib that samples, module that estimates, its indices by our names
METHODS: dict[str, tuple[str, str, dict[str, str]]] = {
    "morris": (
        "SALib.sample.morris",
        "SALib.analyze.morris",
        {"mu_star": "mu_star", "mu": "mu", "sigma": "sigma", "mu_star_interval": "mu_star_conf"},
    ),
    "sobol": (
        "SALib.sample.sobol",
        "SALib.analyze.sobol",
        {"first": "S1", "total": "ST", "first_interval": "S1_conf", "total_interval": "ST_conf"},
    ),
    "fast": ("SALib.sample.fast_sampler", "SALib.analyze.fast", {"first": "S1", "total": "ST"}),
    "dgsm": (
        "SALib.sample.finite_diff",
        "SALib.analyze.dgsm",
        {"derivative": "vi", "bound": "dgsm", "derivative_interval": "dgsm_conf"},
    ),
    "pawn": ("SALib.sample.latin", "SALib.analyze.pawn", {"median": "median", "max": "maximum"}),
}


@dataclass
class Sensitivity(Summary):
    """Indices of sensitivity.

    ``indices``: measure -> name of the index -> values, one a parameter in the order of ``parameters``.  Intervals are
    half widths at 95 %.  ``second``: of "sobol", measure -> interactions (k, k), NaN on and below the diagonal;
    ``warnings``: what makes the indices doubtful."""

    method: str
    parameters: list[str]
    indices: dict[str, dict[str, np.ndarray]] = field(repr=False)
    second: dict[str, np.ndarray] = field(repr=False, default_factory=dict)
    runs: int = 0
    stage: int = field(default=0, repr=False)
    warnings: list[str] = field(default_factory=list)

    def __getitem__(self, measure: str) -> dict[str, np.ndarray]:
        """Indices of a measure.  Raises ModelError for a name that is none."""
        if measure not in self.indices:
            raise ModelError(f"there is no measure {shown(measure)}{did_you_mean(measure, self.indices)}")
        return self.indices[measure]

    def ranking(self, measure: str) -> list[tuple[str, float]]:
        """Parameters with their main index ("total", "mu_star", "bound", "median"), the most influential first."""
        found = self[measure]
        main = next(name for name in ("total", "mu_star", "bound", "median") if name in found)
        order = np.argsort(-found[main], kind="stable")
        return [(self.parameters[k], float(found[main][k])) for k in order]

    def text(self) -> str:
        """The indices as a table, a measure after the other."""
        lines = []
        for measure, found in self.indices.items():
            width = max(len(n) for n in (*self.parameters, measure))
            lines.append("  ".join([measure.ljust(width), *(n.rjust(18) for n in found)]))
            for k, name in enumerate(self.parameters):
                lines.append("  ".join([name.ljust(width), *(f"{v[k]:18.6g}" for v in found.values())]))
        return "\n".join([*lines, *self.warnings])


@partial(explained, name="sensitivity", bound=True, strict=True)
def sensitivity(
    study: Study,
    method: str = "sobol",
    *,
    count: int = 256,
    measures: Sequence[str] | None = None,
    second_order: bool = False,
) -> Sensitivity:
    """Indices of sensitivity of measures (all, by default) by the parameters that have bounds or a distribution.

    ``method`` and number of runs with ``count`` n and k parameters: "morris" n (k + 1), elementary effects over the
    whole range of each parameter; "sobol" n (k + 2), with ``second_order`` n (2 k + 2), n a power of two; "fast" n k;
    "dgsm" n (k + 1), mean squared derivatives and the bounds of total indices that follow from them; "pawn" n,
    distances of distributions.  Raises ModelError for unknown names, without SALib, and where runs fail that a
    method needs."""
    if method not in METHODS:
        raise ModelError(f"there is no method of sensitivity {shown(method)}{did_you_mean(method, METHODS)}")
    if measures is not None and not len(measures):
        raise ModelError("sensitivity: measures is empty; leave it out for all")
    if not is_whole(count) or count < 4:
        raise ModelError(f"sensitivity: count must be a whole number from 4, got {shown(count)}")
    if method == "sobol" and count & (count - 1):
        raise ModelError(f"sensitivity: count of 'sobol' must be a power of two, got {count}")
    if method == "fast" and count < LEAST_FAST:
        raise ModelError(f"sensitivity: 'fast' needs a count of {LEAST_FAST} or more, got {count}")
    if second_order and method != "sobol":
        raise ModelError(f"sensitivity: '{method}' has no second order; use sobol")
    if method == "dgsm":
        for p in study.space.varied.parameters:
            if not p.continuous:
                raise ModelError(
                    f"sensitivity: 'dgsm' needs derivatives, and '{p.name}' is discrete; use sobol or morris"
                )
            if p.distribution is not None and not all(map(math.isfinite, (p.drawn(0.0), p.drawn(1.0)))):
                raise ModelError(
                    f"sensitivity: the distribution of '{p.name}' has no ends, so that derivatives by its quantiles "
                    "have no finite mean; use TruncatedNormal, give bounds, or use sobol"
                )
    varied = study.space.varied.names
    sampler, estimator, names = METHODS[method]
    sample, estimate = (library("SALib", m, "sensitivity") for m in (sampler, estimator))
    problem = {"num_vars": len(varied), "names": varied, "bounds": [[0.0, 1.0]] * len(varied)}
    seed = study.seed % 2**32
    options: dict[str, dict[str, Any]] = {
        "morris": {"num_levels": LEVELS},
        "sobol": {"calc_second_order": second_order},
        "dgsm": {"delta": DELTA},
    }
    X = sample.sample(problem, count, seed=seed, **options.get(method, {}))
    X = np.clip(X, 0.0, 1.0)
    stage = study.stage("sensitivity", {"method": method, "count": count, "second_order": second_order})
    points = [study.space.drawn_point(dict(zip(varied, row)), 0.5 / len(X)) for row in X]
    table, whole, lost, message = _collected(stage, points, measures)
    if lost and method != "pawn":
        raise ModelError(
            f"sensitivity: {lost} of {len(points)} runs failed ({message}), and '{method}' needs all of them; narrow "
            "the bounds, or use pawn"
        )
    out: dict[str, dict[str, np.ndarray]] = {}
    second = {}
    for name, y in table.items():
        if np.ptp(y) == 0.0:
            out[name] = {index: np.zeros(len(varied)) for index in names}
            continue
        given = {"seed": seed or 1, "print_to_console": False}  # SALib takes 0 for none
        if method == "morris" and not all(p.continuous and not p.distribution for p in study.space.varied.parameters):
            found = elementary_effects(_ranges(study.space.varied, points), y, X)
        elif method == "morris":
            found = estimate.analyze(problem, X, y, num_levels=LEVELS, **given)
        elif method == "sobol":
            found = estimate.analyze(problem, y, calc_second_order=second_order, **given)
            if second_order:
                second[name] = np.asarray(found["S2"], float)
        elif method == "fast":
            with warnings.catch_warnings():  # of its intervals, which are not used
                warnings.simplefilter("ignore")
                found = estimate.analyze(problem, y, **given)
        else:
            found = estimate.analyze(problem, X[whole], y, **given)
        out[name] = {index: np.asarray(found[theirs], float) for index, theirs in names.items()}
        if method == "dgsm":  # the bound is the derivative times a constant
            share = np.divide(
                out[name]["bound"],
                out[name]["derivative"],
                where=out[name]["derivative"] > 0.0,
                out=np.zeros(len(varied)),
            )
            out[name]["bound_interval"] = share * out[name]["derivative_interval"]
    notes = _skewed(study.space.varied) if method == "fast" else []
    indices = {m: {i: [float(v) for v in values] for i, values in found.items()} for m, found in out.items()}
    stage.conclude({"indices": indices, **({"warnings": notes} if notes else {})})
    return Sensitivity(method, varied, out, second, len(points), stage.number, notes)


def _skewed(space: Space) -> list[str]:
    """A warning on distributions whose harmonics FAST cuts: it takes four of each parameter, at any count."""
    names = []
    for p in space.parameters:
        if p.truncated is not None:
            low, middle, high = map(p.drawn, (0.1, 0.5, 0.9))
            if abs(high + low - 2.0 * middle) > SKEWED * (high - low):
                names.append(f"'{p.name}'")
    if not names:
        return []
    return [
        f"fast takes four harmonics of a parameter, too few for the skewed distribution of {', '.join(names)}: its "
        "indices are biased, at any count; use sobol"
    ]


def _ranges(space: Space, points: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """Positions of points in the ranges of the parameters, 0 to 1 from the first value to the last."""
    out = np.zeros((len(points), len(space)))
    for j, p in enumerate(space.parameters):
        for k, point in enumerate(points):
            value = point[p.name]
            if p.choices is not None:
                out[k, j] = p.choices.index(value) / max(len(p.choices) - 1, 1)
            elif p.integer and p.bounds is not None:
                out[k, j] = (value - p.bounds[0]) / (p.bounds[1] - p.bounds[0])
            else:
                out[k, j] = p.share(value) if p.truncated is None else p.truncated.probability(value)
    return out


def elementary_effects(X: np.ndarray, y: np.ndarray, grid: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Statistics of the elementary effects (Morris, 1991) of trajectories X (r (k + 1), k), in which each step changes
    one parameter, by the step that it takes: of whole numbers and choices not that of the ``grid`` (by default X),
    whose steps say which parameter it is."""
    grid = X if grid is None else grid
    k = X.shape[1]
    effects: list[list[float]] = [[] for _ in range(k)]
    for first in range(0, len(X), k + 1):
        for step in range(first, first + k):
            change = X[step + 1] - X[step]
            j = int(np.argmax(np.abs(grid[step + 1] - grid[step])))
            effects[j].append(float((y[step + 1] - y[step]) / change[j]) if change[j] else 0.0)
    rows = np.array(effects)
    spread = np.abs(rows).std(axis=1, ddof=1) / math.sqrt(rows.shape[1])
    return {
        "mu": rows.mean(axis=1),
        "mu_star": np.abs(rows).mean(axis=1),
        "sigma": rows.std(axis=1, ddof=1),
        "mu_star_conf": 1.96 * spread,
    }


def _collected(
    stage: Any, points: list[dict[str, Any]], measures: Sequence[str] | None
) -> tuple[dict[str, np.ndarray], np.ndarray, int, str]:
    """Measures of the runs that succeeded, which ones did, how many did not, and the commonest sentence of those."""
    rows = [row.measures if row.ok else None for row in stage.each(points)]
    whole = np.array([row is not None for row in rows])
    done = [row for row in rows if row is not None]
    message = stage.commonest()[1]
    if not done:
        raise ModelError(f"no run succeeded; most of them: {message}")
    names = list(measures) if measures is not None else list(done[0])
    for name in names:
        if name not in done[0]:
            raise ModelError(f"there is no measure {shown(name)}{did_you_mean(name, done[0])}")
    return {name: np.array([row[name] for row in done]) for name in names}, whole, int((~whole).sum()), message


@dataclass
class Tornado(Summary):
    """Measures with one parameter at a time at its lowest and highest value, the others nominal.

    ``nominal``: measure -> value; ``bars``: measure -> rows (parameter, low, high, measure at low, measure at high),
    the widest first; a side that failed is NaN.  ``left_out``: parameters with choices, which have no ends."""

    nominal: dict[str, float]
    bars: dict[str, list[tuple[str, Any, Any, float, float]]] = field(repr=False)
    stage: int = field(default=0, repr=False)
    left_out: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The bars as a table."""
        lines = []
        for measure, rows in self.bars.items():
            lines.append(f"{measure}: nominal {self.nominal[measure]:.6g}")
            width = max(len(r[0]) for r in rows)
            lines += [f"  {n.ljust(width)}  {lo!s:>10} {a:12.6g}   {hi!s:>10} {b:12.6g}" for n, lo, hi, a, b in rows]
        if self.left_out:
            lines.append(f"not varied, since choices have no ends: {', '.join(self.left_out)}; run full_factorial()")
        return "\n".join(lines)


@partial(explained, name="tornado", bound=True, strict=True)
def tornado(study: Study, share: float = 0.9) -> Tornado:
    """Measures with one parameter at a time at the ends of its bounds; of a parameter with a distribution and no bounds
    at those quantiles between which ``share`` of it lies.  Raises ModelError where the nominal run fails."""
    if not is_number(share) or not 0.0 < share < 1.0:
        raise ModelError(f"tornado: share must be a number between 0 and 1, got {shown(share)}")
    varied = [p for p in study.space.parameters if p.varies and p.choices is None]
    if not varied:
        raise ModelError("tornado: no parameter has bounds or a distribution")
    ends = {}
    for p in varied:
        tails = (0.5 - 0.5 * share, 0.5 + 0.5 * share)
        ends[p.name] = p.bounds or tuple(p.drawn(t) for t in tails)
    base = study.space.nominal()
    points = [base, *(base | {name: v} for name, pair in ends.items() for v in pair)]
    stage = study.stage("tornado", {"share": share})
    rows = stage.evaluate(points)
    if not rows[0].ok:
        raise ModelError(f"tornado: the nominal run fails: {rows[0].message}")
    value = lambda row, name: row.measures.get(name, np.nan)
    bars: dict[str, list[tuple[str, Any, Any, float, float]]] = {}
    for name in rows[0].measures:
        made = [(p, *ends[p], value(rows[1 + 2 * k], name), value(rows[2 + 2 * k], name)) for k, p in enumerate(ends)]
        bars[name] = sorted(made, key=lambda r: -np.nan_to_num(abs(r[4] - r[3]), nan=np.inf))
    stage.conclude({"runs": len(points)})
    left_out = [p.name for p in study.space.parameters if p.choices is not None and len(p.choices) > 1]
    return Tornado(dict(rows[0].measures), bars, stage.number, left_out)


def effects(rows: Sequence[Mapping[str, Any]], names: Sequence[str], y: np.ndarray) -> list[tuple[str, float, float]]:
    """Main effects and interactions of two of a two-level design, for a Pareto chart: (term, effect, share of the sum
    of squares of the measure), the largest first.  ``rows``: values of the parameters; parameters that do not change
    are left out.  Where these terms have less than `EXPLAINED` of the sum of squares, a warning reports the rest, which
    is of interactions of three parameters and more, or of repeated runs that differ.

    The effect is the change of the measure from the lower to the upper level, of texts from the first to the second.
    Interactions that the design cannot separate from each other are one term, "a x b + c x d", their sum.  One that it
    cannot separate from a parameter is left out (all of them in a Plackett-Burman design), and its part is in that
    effect.  Of runs that are not balanced (some failed) the effects are those of least squares, without interactions of
    three parameters, which a warning reports.  Raises ModelError where a parameter has more than two values, and where
    the runs do not determine all these terms."""
    coded = {}
    for name in names:
        values = list(dict.fromkeys(row[name] for row in rows))
        if all(map(is_number, values)):
            values = sorted(values)
        if len(values) > 2:
            raise ModelError(f"effects: parameter '{name}' has {len(values)} values; effects are of two-level designs")
        if len(values) == 2:
            coded[name] = np.array([1.0 if row[name] == values[1] else -1.0 for row in rows])
    columns = [np.ones(len(y)), *coded.values()]
    if any(a @ b != 0.0 for i, a in enumerate(columns) for b in columns[i + 1 :]):
        return _by_size(_unbalanced(coded, y))
    products: list[tuple[str, np.ndarray]] = []
    kept = list(coded)
    for i, first in enumerate(kept):
        for second in kept[i + 1 :]:
            term, product = f"{first} x {second}", coded[first] * coded[second]
            shared = [float(product @ c) for _, c in products]
            same = next((k for k, s in enumerate(shared) if abs(s) == len(y)), None)
            if same is not None:
                products[same] = (f"{products[same][0]} {'+' if shared[same] > 0 else '-'} {term}", products[same][1])
            elif not any(shared) and not any(product @ c for c in columns):  # one that overlaps with some is left out
                products.append((term, product))
    terms = coded | dict(products)
    found = {term: 2.0 * float(c @ y) / len(y) for term, c in terms.items()}
    total = 4.0 * float(np.var(y))
    rest = 1.0 - sum(v * v for v in found.values()) / total if total > 0.0 else 0.0
    if rest > 1.0 - EXPLAINED:
        warn_model(
            f"effects: {100 * rest:.3g} % of the sum of squares are in none of these terms, but in interactions of "
            "three parameters or more, or between runs of equal parameters"
        )
    return _by_size(found, total)


def _by_size(found: Mapping[str, float], total: float = 0.0) -> list[tuple[str, float, float]]:
    """Terms with effects and shares of the sum of squares, by default that of the terms, the largest first."""
    total = total or sum(v * v for v in found.values()) or 1.0
    return [(t, v, v * v / total) for t, v in sorted(found.items(), key=lambda item: -abs(item[1]))]


def _unbalanced(coded: Mapping[str, np.ndarray], y: np.ndarray) -> dict[str, float]:
    """Effects of runs that are not a balanced design, by least squares with all interactions of two parameters.
    Raises ModelError where the runs do not determine them."""
    names = list(coded)
    pairs = {f"{a} x {b}": coded[a] * coded[b] for i, a in enumerate(names) for b in names[i + 1 :]}
    terms = {**coded, **pairs}
    X = np.column_stack([np.ones(len(y)), *terms.values()])
    if np.linalg.matrix_rank(X) < X.shape[1]:
        raise ModelError(
            "effects: these runs are not a balanced two-level design (each value of a parameter as often as the other, "
            "in all combinations), and do not determine all interactions of two parameters; take full_factorial(2), "
            "fractional_factorial or plackett_burman alone"
        )
    warn_model(
        f"effects: the {len(y)} runs are not a balanced two-level design; the effects are by least squares, which is "
        "exact without interactions of three parameters"
    )
    found = np.linalg.lstsq(X, y, rcond=None)[0]
    return {term: 2.0 * float(v) for term, v in zip(terms, found[1:])}
