"""`minimize`: parameters for which a functional of a run is least, by adjoint gradients and SciPy's optimisers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._summary import Summary
from ...model import Model, ModelError
from ...model.base import shown
from ...model.kinds import finite, is_number
from ...model.quantities import Parameter
from .functionals import Functional
from .gradient import Gradient, asked_for, gradients, present
from .supported import kinks

METHODS = ("L-BFGS-B", "SLSQP")
MET = 1e-6  # violation of a constraint over its scale that counts as met


@dataclass(repr=False)
class Minimum(Summary):
    """What `minimize` found.

    ``parameters``: name -> value; ``value``: the functional there, ``start`` that at the beginning; ``constraints``:
    values of the constrained functionals, ``feasible`` whether all are within their limits; ``gradient``: the
    `Gradient` there; ``model``: the model with these parameters; ``runs``: evaluations of a run with its gradients;
    ``converged`` and ``message``: why it ended; ``history``: the functional at each evaluation.
    """

    parameters: dict[str, Any]
    value: float
    start: float
    constraints: list[float]
    feasible: bool
    gradient: Gradient
    model: Model
    runs: int
    converged: bool
    message: str
    history: list[float] = field(default_factory=list)


def minimize(
    functional: Functional,
    parameters: Any,
    *,
    model: Model,
    end: Any = None,
    kind: str = "auto",
    subject_to: Sequence[tuple[Functional, float | None, float | None]] = (),
    method: str | None = None,
    tolerance: float = 1e-9,
    max_runs: int = 200,
    integrator: str = "DOP853",
    error: float | None = None,
    **options: Any,
) -> Minimum:
    """Parameters that minimise a functional, starting from their present values; within the bounds of parameters, and
    with functionals ``subject_to`` limits (functional, lowest, highest), None for none.

    ``method``: SciPy's L-BFGS-B, or with constraints SLSQP; a local minimum in general.  Parameters are scaled by their
    bounds, or else by their values.  ``tolerance``: change of the functional over its first value at which it ends;
    ``max_runs``: runs with gradients at most.  ``integrator``, ``error``, ``options`` as for `gradient`; where
    functions have kinks the first and the last gradient are compared with those at another error.

    Raises `ModelError` as `gradient` does, with the parameters where a run on the way fails; ImportError without SciPy.

        best = hn.minimize(hn.integral("DZ(3,4)**2"), ["k", "c"], model=model, end=2.0)
        best.parameters, best.value, best.model
    """
    from scipy import optimize

    limits = _limits(subject_to)
    method = _method(method, bool(limits))
    if not isinstance(functional, Functional):
        raise ModelError(f"minimize needs a functional, not {shown(functional)}; as holonom.final('DX(3,4)')")
    problem = _Problem(
        model,
        [functional, *(f for f, _, _ in limits)],
        parameters,
        lambda twin, fs, compare: gradients(
            twin, fs, parameters, end, integrator, error, options, kind, compare=compare
        ),
        max_runs,
    )
    first = problem.at(np.zeros(problem.size))
    scale = abs(first[0].value) or 1.0
    constraints = []
    for k, (_, low, high) in enumerate(limits, 1):
        size = max(abs(first[k].value), *(abs(v) for v in (low, high) if v is not None)) or 1.0
        if low is not None:
            constraints.append(problem.constraint(k, low, size, "eq" if low == high else "ineq"))
        if high is not None and low != high:
            constraints.append(problem.constraint(k, high, -size, "ineq"))
    settings: dict[str, Any] = {"maxiter": max_runs, "ftol": tolerance}
    if method == "L-BFGS-B":
        settings |= {"gtol": 1e-12, "maxfun": max_runs}
    words = {"constraints": constraints} if limits else {}
    try:
        found = optimize.minimize(
            lambda x: problem.at(x)[0].value / scale,
            np.zeros(problem.size),
            jac=lambda x: problem.slope(x, 0) / scale,
            bounds=problem.bounds,
            method=method,
            options=settings,
            **words,
        )
        x, converged, message = found.x, bool(found.success), str(found.message)
    except _Ended:
        x, converged, message = problem.last, False, f"{max_runs} runs were taken; increase max_runs to continue"
    best = problem.at(x, final=True)
    if problem.runs > 1 and kind in ("auto", "dynamics") and kinks(model, problem.functionals):
        best = problem.compared(x)
    values = [g.value for g in best[1:]]
    feasible = all(_violation(v, low, high) <= MET for v, (_, low, high) in zip(values, limits))
    return Minimum(
        problem.values(x), best[0].value, first[0].value, values, feasible, best[0],
        model.with_parameters(problem.given(x)), problem.runs, converged, message, problem.history,
    )  # fmt: skip


def _violation(value: float, low: float | None, high: float | None) -> float:
    """By how much a value is out of its limits, over the largest of the three."""
    size = max(abs(value), abs(low or 0.0), abs(high or 0.0)) or 1.0
    return max(0.0, 0.0 if low is None else low - value, 0.0 if high is None else value - high) / size


class _Ended(Exception):
    """The runs are used up."""


class _Problem:
    """Functionals over scaled parameters; the last point is kept."""

    def __init__(
        self,
        model: Model,
        functionals: list[Functional],
        parameters: Any,
        take: Callable[[Model, list[Functional], bool], list[Gradient]],
        most: int,
    ) -> None:
        self.model, self.functionals, self._take, self._most = model, functionals, take, most
        self.asked = asked_for(model, parameters)
        self.origin = present(model, parameters)
        self.size = len(self.origin)
        if not self.size:
            raise ModelError("no parameters are given; give one at least")
        limits = [_bounds(what, c) for _, components, _ in self.asked for what, c in components]
        self.low, self.high = np.array(limits).T
        span = self.high - self.low
        self.scale = np.array(
            [s if 0.0 < s < math.inf else abs(v) or 1.0 for s, v in zip(span.tolist(), self.origin.tolist())]
        )
        self.bounds = list(zip((self.low - self.origin) / self.scale, (self.high - self.origin) / self.scale))
        self.runs = 0
        self.history: list[float] = []
        self.last = np.zeros(self.size)
        self._known: tuple[bytes, list[Gradient]] | None = None

    def given(self, x: np.ndarray) -> dict[Any, Any]:
        """Values for `Model.with_parameters`; those out of bounds by rounding are put on them."""
        vector = np.clip(np.where(x == 0.0, self.origin, self.origin + self.scale * x), self.low, self.high)
        rest, out = iter(vector.tolist()), {}
        for _, components, several in self.asked:
            values = [next(rest) for _ in components]
            if isinstance(components[0][0], Parameter):
                out[components[0][0].name] = tuple(values) if several else values[0]
            else:
                out |= {what: v for (what, _), v in zip(components, values)}
        return out

    def values(self, x: np.ndarray) -> dict[str, Any]:
        return {what if isinstance(what, str) else what.name: v for what, v in self.given(x).items()}

    def at(self, x: np.ndarray, final: bool = False) -> list[Gradient]:
        """Gradients at a point.  Raises `_Ended` where no more runs are allowed, `ModelError` where a run fails."""
        key = np.ascontiguousarray(x, float).tobytes()
        if self._known is not None and self._known[0] == key:
            return self._known[1]
        if self.runs >= self._most and not final:
            raise _Ended
        try:
            found = self._take(self.model.with_parameters(self.given(x)), self.functionals, not self.runs)
        except ModelError as error:
            if not self.runs:
                raise
            where = ", ".join(f"{name} = {shown(v)}" for name, v in self.values(x).items())
            raise ModelError(
                f"minimize reached {where}, where the run fails: {error}; give the parameters narrower bounds"
            ) from None
        self.runs += 1
        self.history.append(found[0].value)
        self.last = np.array(x, float)
        self._known = key, found
        return found

    def compared(self, x: np.ndarray) -> list[Gradient]:
        """Gradients at a point, compared with those at another error where functions have kinks."""
        return self._take(self.model.with_parameters(self.given(x)), self.functionals, True)

    def constraint(self, k: int, limit: float, scale: float, kind: str) -> dict[str, Any]:
        """SciPy's constraint that a functional, less a limit and over a scale, is not negative, or zero."""
        return {
            "type": kind,
            "fun": lambda x: (self.at(x)[k].value - limit) / scale,
            "jac": lambda x: self.slope(x, k) / scale,
        }

    def slope(self, x: np.ndarray, k: int) -> np.ndarray:
        return self.at(x)[k].vector * self.scale


def _bounds(what: Any, c: int) -> tuple[float, float]:
    """Bounds of a component of a parameter; infinite of one that has none."""
    if not isinstance(what, Parameter):
        return -math.inf, math.inf
    low, high = (v[c] if isinstance(v, tuple) else v for v in (what.low, what.high))
    return (-math.inf if low is None else float(low)), (math.inf if high is None else float(high))


def _method(method: Any, limited: bool) -> str:
    if method is None:
        return "SLSQP" if limited else "L-BFGS-B"
    if method not in METHODS:
        raise ModelError(f"method is {shown(method)}; choose one of {', '.join(METHODS)}")
    if limited and method != "SLSQP":
        raise ModelError(f"{method} takes no constraints; choose SLSQP")
    return method


def _limits(given: Any) -> list[tuple[Functional, float | None, float | None]]:
    if isinstance(given, Mapping) or not isinstance(given, Sequence):
        raise ModelError(f"subject_to is {shown(given)}; give a list of (functional, lowest, highest)")
    out = []
    for item in given:
        if not isinstance(item, (tuple, list)) or len(item) != 3 or not isinstance(item[0], Functional):
            raise ModelError(f"subject_to holds {shown(item)}; give (functional, lowest, highest), None for no limit")
        for v in item[1:]:
            if v is not None and not (is_number(v) and finite(v)):
                raise ModelError(f"a limit of subject_to is {shown(v)}; give a number, or None for none")
        low, high = (None if v is None else float(v) for v in item[1:])
        if low is None and high is None or (low is not None and high is not None and low > high):
            raise ModelError(f"the limits {shown(tuple(item[1:]))} of subject_to allow nothing or everything")
        out.append((item[0], low, high))
    return out
