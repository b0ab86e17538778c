"""Functionals of a run: numbers that are made of values of expressions at times, of integrals and of curves."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._summary import Summary
from ...model import ModelError
from ...model.base import shown
from ...model.kinds import finite, is_number

END = None  # a time: the end of the run


@dataclass(frozen=True, repr=False)
class Term(Summary):
    """``rule`` gives the number and its derivatives from values (times,) of ``expression`` at ``times``; ``integral``:
    the values are those of its integral over time from the start."""

    expression: str
    times: tuple[float | None, ...]
    rule: Callable[[np.ndarray], tuple[float, np.ndarray]]
    integral: bool = False


@dataclass(frozen=True, repr=False)
class Functional(Summary):
    """A sum of terms with factors; functionals are added and subtracted, also to numbers, and multiplied and divided by
    numbers."""

    terms: tuple[tuple[float, Term], ...]

    def __add__(self, other: Any) -> Functional:
        if is_number(other) and finite(other):
            other = Functional(((1.0, Term(repr(float(other)), (END,), _first)),))  # a constant is an expression too
        if not isinstance(other, Functional):
            return NotImplemented
        return Functional(self.terms + other.terms)

    __radd__ = __add__

    def __mul__(self, factor: Any) -> Functional:
        if not is_number(factor) or not finite(factor):
            return NotImplemented
        return Functional(tuple((factor * f, t) for f, t in self.terms))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Functional:
        if not is_number(divisor) or not finite(divisor) or divisor == 0:
            return NotImplemented
        return self * (1.0 / divisor)

    def __neg__(self) -> Functional:
        return self * -1.0

    def __sub__(self, other: Any) -> Functional:
        return self + -other if isinstance(other, Functional) or is_number(other) else NotImplemented

    def __rsub__(self, other: Any) -> Functional:
        return -self + other

    def __pow__(self, exponent: Any) -> Functional:
        """A power of a functional of one term."""
        return self.apply(lambda x: x**exponent, lambda x: exponent * x ** (exponent - 1))

    def apply(self, function: Callable[[float], float], slope: Callable[[float], float]) -> Functional:
        """A smooth function of a functional of one term; ``slope``: its derivative.  Raises `ModelError` for a sum."""
        if len(self.terms) != 1:
            raise ModelError("a function applies to a functional of one term; apply it before terms are added")
        factor, term = self.terms[0]

        def rule(values: np.ndarray) -> tuple[float, np.ndarray]:
            x, g = term.rule(values)
            return float(function(factor * x)), slope(factor * x) * factor * g

        return Functional(((1.0, dataclasses.replace(term, rule=rule)),))


def _text(expression: Any) -> str:
    if not isinstance(expression, str) or not expression.strip():
        raise ModelError(
            f"{shown(expression)} is not an expression; give a text of the function language, as 'DX(3,4)'"
        )
    return expression


def _first(values: np.ndarray) -> tuple[float, np.ndarray]:
    return float(values[0]), np.ones(1)


def final(expression: str) -> Functional:
    """The value of an expression at the end of the run, in its units (lengths in those of the model)."""
    return Functional(((1.0, Term(_text(expression), (END,), _first)),))


def value_at(expression: str, time: float) -> Functional:
    """The value of an expression at a time (units of time of the model); a step of the run ends there.  Raises
    `ModelError` for a time that is not a number."""
    if not is_number(time) or not finite(time) or time < 0.0:
        raise ModelError(f"the time {shown(time)} must be a number that is not negative")
    return Functional(((1.0, Term(_text(expression), (float(time),), _first)),))


def integral(expression: str) -> Functional:
    """The integral of an expression over the run, in its units times those of time: a state of the run more."""
    return Functional(((1.0, Term(_text(expression), (END,), _first, True)),))


def least_squares(expression: str, times: Sequence[float], data: Sequence[float], weights: Any = 1.0) -> Functional:
    """sum_k w_k (value at time k - data k)^2, ``weights`` one number or as many as times (units of the model).  Raises
    `ModelError` for lists of different lengths."""
    t, d = np.asarray(times, float).ravel(), np.asarray(data, float).ravel()
    if len(t) != len(d) or not len(t):
        raise ModelError(f"least_squares: {len(t)} times and {len(d)} data are given; give as many of both")
    if not (np.isfinite(t).all() and np.isfinite(d).all() and (np.diff(t) > 0.0).all() and t[0] >= 0.0):
        raise ModelError("least_squares: times must be finite, not negative and rising, and data finite")
    w = np.broadcast_to(np.asarray(weights, float), t.shape)

    def rule(values: np.ndarray) -> tuple[float, np.ndarray]:
        rest = values - d
        return float(w @ rest**2), 2.0 * w * rest

    return Functional(((1.0, Term(_text(expression), tuple(t.tolist()), rule)),))
