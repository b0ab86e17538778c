"""Optimisers that follow derivatives: those of SciPy, and what they share.

Derivatives are exact where a run has them as further measures, named by `derivative_name` ("d tip/d k"): a study of a
model makes them with ``gradients=True``, a function may return its own.  Otherwise they are central differences.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import ModelError
from ..model.kinds import is_number
from .store import Row

if TYPE_CHECKING:
    from .optimize import Problem


CHANGES = 1e-3  # size of a number that is limited by zero over its slope, at least
FLAT = 0.01  # slope of the objective over its value, in the unit cube, below which its changes give the scale
NO_SLOPE = 1e-9  # of a start without slope, which is rounding
PROBE = 0.1  # distance of the points that give these changes, in the unit cube
NEAR = 0.01  # distance of a failed run, in the unit cube, within which an optimum counts as next to it
INSIDE = 1e-3  # distance of the start of an interior point method from the bounds, in the unit cube
DEEP = 0.1  # of one that does not meet the constraints: next to a corner the barrier ends the search there
CHECKS = (1e-3, 3e-5)  # steps of the difference that derivatives of a function are compared with, in the unit cube
OFF = 0.02  # difference from it, over the sum of the parts of all parameters, that counts as wrong
ROUGH = 1e-8  # error of a measure over its size that a difference may have
ROUNDING = 1e-13  # change of a number over its size that is rounding


def oblique(count: int) -> np.ndarray:
    """A direction (count,) in which all parameters change, each by another share, 0.38 to 1: of a difference that finds
    whatever is wrong in one of them."""
    return 1.0 - 0.618 * (0.618 * np.arange(count) % 1.0)


def derivative_name(measure: str, parameter: str) -> str:
    """Name of the measure that holds the derivative of a measure by a parameter."""
    return f"d {measure}/d {parameter}"


class Smooth:
    """Objectives and limited measures of a problem, scaled, with derivatives, over the unit cube.

    ``names``: the measures, objectives first.  ``scale``: their sizes.  ``origin``: what counts as zero of the
    objective: that of the start where it is large and changes little (an energy about another level), so that neither
    the first step nor the end of a search depends on a constant in the objective."""

    def __init__(self, problem: Problem, x0: np.ndarray, step: float) -> None:
        self.problem, self.step = problem, step
        self.count = len(problem.objectives)
        self.names = [*problem.objectives, *(name for name, _, _ in problem.limits)]
        self.sign = np.ones(len(self.names))
        self.sign[: self.count] = problem.sign
        self.scale = np.ones(len(self.names))
        self.origin = 0.0
        self.exact = problem.exact  #: whether all derivatives so far were exact
        self._worst = 0.0
        first = problem.rows(x0[None])[0]
        if not first.ok:
            raise ModelError(f"the start of the optimiser fails: {first.message}; give another start")
        size = self._size(first, x0)
        if self.count == 1 and not problem.squares:
            size = self._changes(first, x0, size)
        self.scale[: self.count] = size
        slopes = None
        for k, (_, low, high) in enumerate(problem.limits, self.count):
            self.scale[k] = max(abs(v) for v in (low, high) if math.isfinite(v))
            if self.scale[k] == 0.0:  # zero has no size: that of the number, or of its changes
                self.scale[k] = 1.0
                slopes = self.slopes(x0) if slopes is None else slopes
                self.scale[k] = max(abs(problem.numbers(first)[k]), CHANGES * math.hypot(*slopes[k])) or 1.0
        if self.exact and problem.study.job["kind"] == "function":
            self._check_derivatives(x0)

    def _check_derivatives(self, x0: np.ndarray) -> None:
        """Compare the derivatives that a function returns with a difference along a line through all parameters, next
        to the start where that is at a bound: within its two sides, or the function has a kink there.  Raises
        ModelError with the derivative that is the furthest off, and its difference."""
        x = np.clip(x0, 2.0 * CHECKS[0], 1.0 - 2.0 * CHECKS[0])
        way = oblique(len(x))
        row = self.problem.rows(x0[None])[0]
        if any(self._exact(row, name, x0) is not None for name in self.names):
            row = self.problem.rows(x[None])[0]
        found = {k: J for k, name in enumerate(self.names) if (J := self._exact(row, name, x)) is not None}
        wrong = set(found)
        for step in CHECKS:
            if not wrong:
                return
            rows = self.problem.rows(np.array([x - step * way, x, x + step * way]))
            if not all(r.ok for r in rows):
                return
            below, here, above = (np.array(self.problem.numbers(r)) for r in rows)
            for k in tuple(wrong):
                sides = (here[k] - below[k]) / step, (above[k] - here[k]) / step
                slack = OFF * float(np.abs(found[k] * way).sum()) + ROUGH * abs(here[k]) / step
                if min(sides) - slack <= float(found[k] @ way) <= max(sides) + slack:
                    wrong.discard(k)
        if wrong:
            self._refuse(min(wrong), found, x)

    def _refuse(self, k: int, found: Mapping[int, np.ndarray], x: np.ndarray) -> None:
        """Raise ModelError for the derivative of measure k that is the furthest from its difference."""
        parameters = self.problem.space.parameters
        slopes = self._differences(x)[k] * self.sign[k]
        i = int(np.argmax(np.abs(found[k] - slopes)))
        size = parameters[i].slope(x[i])
        at = ", ".join(f"{p.name} = {v:.6g}" for p, s in zip(parameters, x) if is_number(v := p.at(s)))
        raise ModelError(
            f"'{derivative_name(self.names[k], parameters[i].name)}' is {found[k][i] / size:.6g} at {at}, a difference "
            f"gives {slopes[i] / size:.6g}; correct the derivative that the function returns, or leave it out"
        )

    def _size(self, first: Row, x0: np.ndarray) -> float:
        """The norm of the objectives at the start."""
        size = self._norm(first)
        if size == 0.0:  # zero has no size: that of its changes
            ends = np.vstack([x0 + s * np.eye(len(x0)) for s in (self.step, -self.step)])
            around = self.problem.rows(np.clip(ends, 0.0, 1.0))
            size = max((self._norm(row) for row in around if row.ok), default=0.0) / self.step
        return size or 1.0

    def _changes(self, first: Row, x0: np.ndarray, size: float) -> float:
        """The scale of the objective: its size, or where its slope is small against that, its largest change at points
        around the start, from which the objective then counts."""
        if not NO_SLOPE * size <= float(np.linalg.norm(self.slopes(x0)[0])) < FLAT * size:
            return size
        ends = np.vstack([x0 + s * np.eye(len(x0)) for s in (PROBE, -PROBE)])
        value = float(self.problem.values(first)[0])
        around = self.problem.rows(np.clip(ends, 0.0, 1.0))
        found = max((abs(float(self.problem.values(row)[0]) - value) for row in around if row.ok), default=0.0)
        if not ROUNDING * size < found < FLAT * size:
            return size
        self.origin = value
        return found

    def _norm(self, row: Row) -> float:
        return math.hypot(*self.problem.values(row))

    def _values(self, rows: Sequence[Row]) -> np.ndarray:
        """Measures (n, names), unscaled.  A failed run is worse than all before and meets no constraint: a line search
        steps back from it."""
        out = np.zeros((len(rows), len(self.names)))
        for k, row in enumerate(rows):
            if row.ok:
                out[k] = self.sign * self.problem.numbers(row)
                out[k, : self.count] -= self.origin
                self._worst = max(self._worst, *np.abs(out[k, : self.count]))
            else:
                out[k, : self.count] = self.scale[: self.count] + 10.0 * self._worst
                out[k, self.count :] = [
                    lo - size if math.isfinite(lo) else hi + size
                    for (_, lo, hi), size in zip(self.problem.limits, self.scale[self.count :])
                ]
        return out

    def many(self, X: np.ndarray) -> np.ndarray:
        """Scaled measures (n, names) at points (n, k)."""
        return self._values(self.problem.rows(np.clip(X, 0.0, 1.0))) / self.scale

    def at(self, x: np.ndarray) -> np.ndarray:
        """Scaled measures at a point."""
        return self.many(np.asarray(x, float)[None])[0]

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """Derivatives (names, k) of the scaled measures by positions in the unit cube."""
        x = np.clip(x, 0.0, 1.0)
        row = self.problem.rows(x[None])[0]
        found = [self._exact(row, name, x) for name in self.names]
        J = np.zeros((len(self.names), len(x)))
        if any(f is None for f in found):
            J, self.exact = self._differences(x), False
        for k, f in enumerate(found):
            if f is not None:
                J[k] = self.sign[k] * f
        return J / self.scale[:, None]

    def _exact(self, row: Row, name: str, x: np.ndarray) -> np.ndarray | None:
        parameters = self.problem.space.parameters
        names = [derivative_name(name, p.name) for p in parameters]
        if not row.ok or any(n not in row.measures for n in names):
            return None
        return np.array([row.measures[n] * p.slope(s) for n, p, s in zip(names, parameters, x)])

    def _differences(self, x: np.ndarray) -> np.ndarray:
        """Central differences, one-sided at a bound; failed runs are left out."""
        points = []
        for i in range(len(x)):
            for end in (min(x[i] + self.step, 1.0), max(x[i] - self.step, 0.0)):
                points.append(np.concatenate([x[:i], [end], x[i + 1 :]]))
        rows = self.problem.rows(np.array([x, *points]))
        found = self._values(rows)
        J = np.zeros((len(self.names), len(x)))
        for i in range(len(x)):
            ends = [(points[j - 1][i], found[j]) if rows[j].ok else (x[i], found[0]) for j in (1 + 2 * i, 2 + 2 * i)]
            if ends[0][0] != ends[1][0]:
                J[:, i] = (ends[0][1] - ends[1][1]) / (ends[0][0] - ends[1][0])
        return J

    def inequalities(self) -> list[tuple[int, float, float]]:
        """Limits as sign * (measure - limit) <= 0 of scaled measures: (index, sign, limit)."""
        out = []
        for k, (_, low, high) in enumerate(self.problem.limits, self.count):
            if math.isfinite(low):
                out.append((k, -1.0, low / self.scale[k]))
            if math.isfinite(high):
                out.append((k, 1.0, high / self.scale[k]))
        return out

    def scale_as_judged(self) -> None:
        """Scale numbers that are limited by zero over 1 at most, as `LimitScale` judges them."""
        for k, (_, low, high) in enumerate(self.problem.limits, self.count):
            if not any(v for v in (low, high) if math.isfinite(v)):
                self.scale[k] = min(self.scale[k], 1.0)

    @property
    def source(self) -> str:
        """Where the derivatives come from, in words."""
        return "exact derivatives" if self.exact else f"derivatives by central differences of step {self.step:g}"

    def done(self, converged: bool, message: str) -> tuple[bool, str]:
        """What a method returns: whether it converged, and why it ended."""
        return converged, f"{'converged' if converged else 'not converged'}: {message} ({self.source})"


def slsqp(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Sequential quadratic programming (Kraft, 1988)."""
    s = Smooth(problem, x0, options["step"])
    found = _slsqp(s, x0, options)
    x = np.clip(found.x, 0.0, 1.0)
    if found.status == 0 and problem.limits and problem.rank(problem.rows(x[None])[0])[0] > 0.0:
        s.scale_as_judged()  # a number of 1e4 that is limited by zero met it within 1e-9 of its size
        found = _slsqp(s, x, options)
    if found.status == 0:
        return s.done(True, "the objective changes by less than the tolerance")
    if found.status == 8 and problem.feasible:
        return s.done(True, "no descent within the accuracy of the derivatives")
    return s.done(False, found.message)


def _slsqp(s: Smooth, x0: np.ndarray, options: Mapping[str, Any]) -> Any:
    """The answer of SciPy."""
    from scipy.optimize import minimize

    problem = s.problem
    constraints: list[dict[str, Any]] = []
    equal = {k for k, (_, low, high) in enumerate(problem.limits, 1) if low == high}
    for k, sign, limit in s.inequalities():
        if k in equal and sign > 0:
            continue  # an equality, which the other side has given
        constraints.append(
            {
                "type": "eq" if k in equal else "ineq",
                "fun": lambda x, k=k, sign=sign, limit=limit: sign * (limit - s.at(x)[k]),
                "jac": lambda x, k=k, sign=sign: -sign * s.slopes(x)[k],
            }
        )
    return minimize(
        lambda x: s.at(x)[0],
        x0,
        jac=lambda x: s.slopes(x)[0],
        bounds=[(0.0, 1.0)] * len(x0),
        constraints=constraints,
        method="SLSQP",
        options={"ftol": options["tolerance"], "maxiter": 10_000},
    )


def trust_constr(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Interior point and trust region (Byrd, Hribar and Nocedal, 1999), with quasi-Newton curvature."""
    from scipy.optimize import BFGS, Bounds, NonlinearConstraint, minimize

    s = Smooth(problem, x0, options["step"])
    low = np.array([lo for _, lo, _ in problem.limits]) / s.scale[1:]
    high = np.array([hi for _, _, hi in problem.limits]) / s.scale[1:]
    constraints = (
        [NonlinearConstraint(lambda x: s.at(x)[1:], low, high, jac=lambda x: s.slopes(x)[1:], hess=BFGS())]
        if problem.limits
        else []
    )
    inside = INSIDE if problem.rank(problem.rows(x0[None])[0])[0] == 0.0 else DEEP
    # by ``gtol`` SciPy ends where the gradient of the Lagrangian vanishes, however far inside of the constraints: the
    # search ends by its other tolerances; it begins inside of the bounds
    with warnings.catch_warnings():  # of single steps, on which the answer does not depend
        warnings.filterwarnings("ignore", message="delta_grad == 0.0|Singular Jacobian")
        found = minimize(
            lambda x: s.at(x)[0],
            np.clip(x0, inside, 1.0 - inside),
            jac=lambda x: s.slopes(x)[0],
            hess=BFGS(),
            method="trust-constr",
            bounds=Bounds(0.0, 1.0, keep_feasible=True),
            constraints=constraints,
            callback=lambda _, state: not np.any(state.grad) and state.constr_violation == 0.0,
            options={"gtol": 0.0, "xtol": options["tolerance"], "barrier_tol": options["tolerance"], "maxiter": 10_000},
        )
    words = {
        2: "the trust region and the barrier have shrunk below the tolerance",
        3: "the gradient of the objective vanishes",
    }
    return s.done(found.status in words and problem.feasible, words.get(found.status, str(found.message)))


def l_bfgs_b(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Limited-memory quasi-Newton with bounds (Byrd, Lu, Nocedal and Zhu, 1995)."""
    from scipy.optimize import minimize

    s = Smooth(problem, x0, options["step"])
    found = minimize(
        lambda x: s.at(x)[0],
        x0,
        jac=lambda x: s.slopes(x)[0],
        bounds=[(0.0, 1.0)] * len(x0),
        method="L-BFGS-B",
        options={"ftol": options["tolerance"], "gtol": options["tolerance"], "maxiter": 10_000, "maxfun": 10**7},
    )
    if found.status == 0:
        return s.done(True, "the objective or its gradient changes by less than the tolerance")
    if "ABNORMAL" in str(found.message):
        return s.done(True, "no descent within the accuracy of the derivatives")
    return s.done(False, str(found.message))


#: status of `scipy.optimize.least_squares` -> why it ended
ENDS = {
    1: "its gradient vanishes",
    2: "the sum of squares changes by less than the tolerance",
    3: "the parameters change by less than the tolerance",
    4: "sum of squares and parameters change by less than the tolerance",
}


def trust_region(
    residuals: Callable[[np.ndarray], np.ndarray],
    jacobian: Callable[[np.ndarray], np.ndarray],
    x0: np.ndarray,
    tolerance: float,
    most: int,
) -> Any:
    """The least sum of squares within the unit cube by at most ``most`` evaluations, as SciPy returns it: a trust
    region with bounds (Branch, Coleman and Li, 1999).

    SciPy makes the first trust region as large as the start is far from zero, so that a start at the lower bounds would
    end where it is: the search is in x + 1.  Its ``gtol`` is absolute, so that it would end at once where residuals
    are small: only a gradient of nothing but rounding ends the search, the other tolerances are relative."""
    from scipy.optimize import least_squares as solve

    found = solve(
        lambda u: residuals(u - 1.0),
        np.clip(x0, 0.0, 1.0) + 1.0,
        jac=lambda u: jacobian(u - 1.0),
        bounds=(1.0, 2.0),
        method="trf",
        x_scale="jac",
        ftol=tolerance,
        xtol=tolerance,
        gtol=np.finfo(float).eps,
        max_nfev=most,
    )
    found.x = found.x - 1.0
    return found


def least_squares(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Least sum of squares of the objectives: see `trust_region`."""
    s = Smooth(problem, x0, options["step"])
    found = trust_region(s.at, s.slopes, x0, options["tolerance"], 10_000)
    return s.done(found.status > 0, ENDS.get(found.status, found.message))
