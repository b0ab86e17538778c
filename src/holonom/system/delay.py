"""DELAY(expression, delay, history): the value of an expression some time ago (Adams Solver manual, DELAY function).

    value(t) = expression at t - delay      where t - delay is not before the first moment of the run that is known
               history at t - delay         before

The past is kept step by step: five values in each accepted step, between which a polynomial of degree four represents
the expression, so that no polynomial crosses the end of a step.  Steps are no longer than the shortest delay, hence
nothing is extrapolated (the method of steps: Bellen, Zennaro, Numerical Methods for Delay Differential Equations,
2003).

A delay that is an expression itself is evaluated with the equations; steps are no longer than half of it, and a run
ends with an error message where it falls so fast that the past of a step would lie within it, or where it is not
positive.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import numpy as np

NODES = 5  # values kept in a step
_PLACES = [float(p) for p in np.linspace(0.0, 1.0, NODES)]
_WEIGHTS = [float(1.0 / np.prod([p - q for q in _PLACES if q != p])) for p in _PLACES]  # barycentric


class Past:
    """Values of one expression in the steps that were accepted."""

    def __init__(self) -> None:
        self.ends: list[float] = []
        self.steps: list[tuple[float, float, np.ndarray]] = []
        self.reported = False  # that it is kept less exactly than requested

    def add(self, begin: float, end: float, values: np.ndarray) -> None:
        """A step and the values at its `NODES` equidistant points."""
        if end > begin:
            self.ends.append(end)
            self.steps.append((begin, end, values))

    @property
    def rows(self) -> np.ndarray:
        """(steps, 2 + `NODES`): beginning, end and values of each step."""
        return np.array([[begin, end, *values] for begin, end, values in self.steps], float).reshape(-1, 2 + NODES)

    @classmethod
    def of(cls, rows: np.ndarray) -> Past:
        """The past that has these `rows`."""
        past = cls()
        for begin, end, *values in rows:
            past.add(float(begin), float(end), np.array(values))
        return past

    @property
    def start(self) -> float:
        """The first moment that is known; infinity where none is."""
        return self.steps[0][0] if self.steps else np.inf

    def value(self, t: float) -> float:
        """The value at a time that is not before `start`; beyond the end that of the last polynomial."""
        begin, end, values = self.steps[min(bisect_left(self.ends, t), len(self.steps) - 1)]
        x = (t - begin) / (end - begin)
        total = whole = 0.0  # in this order, as the runtime of exported FMUs does it
        for place, weight, value in zip(_PLACES, _WEIGHTS, values):
            if x == place:
                return float(value)
            w = weight / (x - place)
            total += w * value
            whole += w
        return float(total / whole)


class Delayed:
    """The routine of one DELAY: inputs are TIME and, where it varies, the delay; ``source``, ``by``: the inputs that
    carry the expression and the delay (None: constant); ``constant``: the history where it is a number;
    ``workspace``: that of the system, whose pasts all functions share, those of the equations, of outputs and of
    conditions.
    """

    name = "DELAY"
    zero = False

    def __init__(
        self,
        workspace: Any,
        key: str,
        source: int,
        delay: float,
        history: Callable[[float], float],
        by: int | None = None,
        constant: float | None = None,
    ) -> None:
        self.workspace = workspace
        self.key, self.source, self.delay, self.history, self.by = key, source, delay, history, by
        self.constant = constant
        self.inputs = [0] if by is None else [0, by]

    @property
    def past(self) -> Past:
        """The past of its expression, as the present analysis keeps it."""
        past = self.workspace.pasts.get(self.key)
        return self.workspace.pasts.setdefault(self.key, Past()) if past is None else past

    def __call__(self, values) -> list[float]:
        if self.by is not None:
            self.delay = max(float(values[1]), 0.0)
        t, past = float(values[0]) - self.delay, self.past
        return [past.value(t) if t >= past.start else self.history(t)]
