"""Functionals of a run: numbers that are made of values of expressions at times, of integrals and of curves."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev as cheb

from ..._summary import Summary
from ...model import ModelError
from ...model.base import shown
from ...model.kinds import finite, is_number

END = None  # a time: the end of the run


@dataclass(frozen=True, repr=False)
class SmallMotion(Summary):
    """Of the small motions about an equilibrium the eigenvalue of ``mode``, or, with an ``input`` (a VARIABLE), the
    response of an expression ``output`` to it at a ``frequency``: two values, real and imaginary part."""

    mode: int = 0
    output: str = ""
    input: Any = None
    frequency: float = 0.0


@dataclass(frozen=True, repr=False)
class Term(Summary):
    """``rule`` gives the number and its derivatives from values (times,) of ``expression`` at ``times``; ``integral``:
    the values are those of its integral over time from the start.  ``locate``: gives times and rule from samples of a
    first run, times and values, where the times depend on the motion; see `located`.  ``small``: the values are those
    of a `SmallMotion`."""

    expression: str
    times: tuple[float | None, ...]
    rule: Callable[[np.ndarray], tuple[float, np.ndarray]]
    integral: bool = False
    locate: Callable[[np.ndarray, np.ndarray, list[str]], tuple[tuple[float | None, ...], Callable]] | None = None
    small: SmallMotion | None = None


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

        def of(inner: Callable[[np.ndarray], tuple[float, np.ndarray]]) -> Callable:
            def rule(values: np.ndarray) -> tuple[float, np.ndarray]:
                x, g = inner(values)
                return float(function(factor * x)), slope(factor * x) * factor * g

            return rule

        changed = dataclasses.replace(term, rule=of(term.rule))
        if (locate := term.locate) is not None:

            def relocate(*given: Any) -> tuple[tuple[float | None, ...], Callable]:
                times, inner = locate(*given)
                return times, of(inner)

            changed = dataclasses.replace(changed, locate=relocate)
        return Functional(((1.0, changed),))


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


def peak(expression: str, minimum: bool = False) -> Functional:
    """The largest value of an expression over the run, with ``minimum`` the smallest one.

    A first run with 400 samples finds it.  Within the run the derivative is that of the value at its time, since the
    expression does not change with time there."""
    sign = -1.0 if minimum else 1.0

    def locate(times: np.ndarray, values: np.ndarray, warnings: list[str]) -> tuple[tuple[float | None, ...], Callable]:
        before, here, after = (sign * v for v in (values[:-2], values[1:-1], values[2:]))
        inner = np.flatnonzero((here > before) & (here >= after))
        heights = sign * values
        bend = (before + after - 2.0 * here)[inner]
        heights[inner + 1] -= (after - before)[inner] ** 2 / (8.0 * bend)  # the parabola through three samples
        k = int(np.argmax(heights))
        spread = float(np.ptp(values))
        others = [j for j in inner + 1 if abs(j - k) > 1 and heights[k] - heights[j] < 1e-6 * spread]
        if others:
            warnings.append(
                f"{expression} has peaks of equal height at times {times[k]:.6g} and {times[others[0]]:.6g}: the "
                "derivative is that of the first, and may be of one side"
            )
        if k in (0, len(times) - 1):
            return (END if k else float(times[k]),), _first

        def rule(samples: np.ndarray) -> tuple[float, np.ndarray]:
            curve = Curve(samples)
            x = min((*curve.stationary(), -1.0, 1.0), key=lambda x: -sign * curve.value(x))
            return curve.value(x), curve.weights(x)

        return Curve.times(times[k - 1], times[k + 1]), rule

    return Functional(((1.0, Term(_text(expression), (), _first, locate=locate)),))


def time_of(expression: str, crossing: int = 1) -> Functional:
    """The time (units of time of the model) at which an expression is zero for the ``crossing``-th time; zero at the
    start does not count.  With c = 0 at t, dt = -dc/c'.  Raises `ModelError` where it is not zero so often (crossings
    closer than 1/400 of the run are not seen), or only touches zero."""
    if not isinstance(crossing, int) or isinstance(crossing, bool) or crossing < 1:
        raise ModelError(f"crossing is {shown(crossing)}; give a whole number from 1 on")

    def locate(times: np.ndarray, values: np.ndarray, warnings: list[str]) -> tuple[tuple[float, ...], Callable]:
        sign = np.sign(values)
        at = np.flatnonzero((sign[:-1] * sign[1:] < 0.0) | ((sign[1:] == 0.0) & (sign[:-1] != 0.0)))
        if len(at) < crossing:
            raise ModelError(f"{expression} is zero {len(at)} times in the run, and crossing is {crossing}")
        k = int(at[crossing - 1])
        low, high = float(times[k]), float(times[k + 1])
        if values[k + 1] == 0.0 and k + 2 < len(times):
            high = float(times[k + 2])

        def rule(samples: np.ndarray) -> tuple[float, np.ndarray]:
            curve = Curve(samples)
            roots = curve.zeros()
            if not len(roots) or abs(curve.slope(roots[0])) < 1e-6 * np.ptp(values):
                raise ModelError(
                    f"{expression} touches zero near time {low:.6g} without crossing it: its time has no derivative"
                )
            x, half = float(roots[0]), 0.5 * (high - low)
            return 0.5 * (low + high) + half * x, -half * curve.weights(x) / curve.slope(x)

        return Curve.times(low, high), rule

    return Functional(((1.0, Term(_text(expression), (), _first, locate=locate)),))


def _small(what: SmallMotion, rule: Callable[[complex], tuple[float, complex]]) -> Functional:
    """``rule``: value and g of a complex number z, so that the value changes by Re(g dz)."""

    def of(values: np.ndarray) -> tuple[float, np.ndarray]:
        value, g = rule(complex(values[0], values[1]))
        return float(value), np.array([g.real, -g.imag])

    return Functional(((1.0, Term("", (END,), of, small=what)),))


def _mode(mode: Any) -> SmallMotion:
    if not isinstance(mode, int) or isinstance(mode, bool) or mode < 1:
        raise ModelError(f"mode is {shown(mode)}; give a whole number from 1 on, as in the table of modes")
    return SmallMotion(mode)


def eigenvalue(mode: int, part: str = "real") -> Functional:
    """The "real" or "imaginary" part (rad per unit of time) of an eigenvalue of the small motions about the static
    equilibrium; ``mode`` as `Linear.modes` counts them.  Raises `ModelError` for another part or number."""
    if part not in ("real", "imaginary"):
        raise ModelError(f"part is {shown(part)}; choose real or imaginary")
    return _small(_mode(mode), lambda z: (z.real, 1.0 + 0j) if part == "real" else (z.imag, -1j))


def natural_frequency(mode: int) -> Functional:
    """The undamped natural frequency |lambda|/2 pi (cycles per unit of time) of a mode about the static equilibrium,
    ``mode`` as `Linear.modes` counts them.  Raises `ModelError` for another number."""
    return _small(_mode(mode), lambda z: (abs(z) / (2.0 * np.pi), z.conjugate() / (2.0 * np.pi * abs(z))))


def damping_ratio(mode: int) -> Functional:
    """The damping ratio -Re lambda/|lambda| of a mode about the static equilibrium, ``mode`` as `Linear.modes` counts
    them.  Raises `ModelError` for another number."""

    def rule(z: complex) -> tuple[float, complex]:
        size = abs(z)
        return -z.real / size, -1.0 / size + z.real * z.conjugate() / size**3

    return _small(_mode(mode), rule)


RESPONSES: dict[str, Callable[[complex], tuple[float, complex]]] = {
    "magnitude": lambda z: (abs(z), z.conjugate() / abs(z)),
    "phase": lambda z: (float(np.angle(z)), -1j / z),
    "real": lambda z: (z.real, 1.0 + 0j),
    "imaginary": lambda z: (z.imag, -1j),
}


def frequency_response(output: str, input: Any, frequency: float, part: str = "magnitude") -> Functional:
    """The "magnitude", "phase" (rad), "real" or "imaginary" part of the frequency response of an expression ``output``
    to a VARIABLE ``input`` (name, id or itself) about the static equilibrium, at a ``frequency`` in cycles per unit of
    time.  Raises `ModelError` for another part, and a frequency that is not positive."""
    if part not in RESPONSES:
        raise ModelError(f"part is {shown(part)}; choose {', '.join(RESPONSES)}")
    if not is_number(frequency) or not finite(frequency) or frequency <= 0.0:
        raise ModelError(f"frequency is {shown(frequency)}; give a positive number")
    name = input if isinstance(input, (str, int)) else getattr(input, "id", None)
    if name is None:
        raise ModelError(f"input is {shown(input)}; give a VARIABLE of the model")
    return _small(SmallMotion(0, _text(output), name, float(frequency)), RESPONSES[part])


SAMPLES = 400  # of the run that locates peaks and times
NODES = 9


class Curve:
    """The polynomial through samples at `NODES` Chebyshev points of an interval, over -1 .. 1."""

    X = np.sin(np.pi * np.arange(1 - NODES, NODES, 2) / (2 * NODES))  # rising

    def __init__(self, samples: np.ndarray) -> None:
        self._c = cheb.chebfit(self.X, samples, NODES - 1)

    @classmethod
    def times(cls, low: float, high: float) -> tuple[float, ...]:
        """Times of the samples between two times."""
        return tuple((0.5 * (low + high) + 0.5 * (high - low) * cls.X).tolist())

    def value(self, x: float) -> float:
        return float(cheb.chebval(x, self._c))

    def slope(self, x: float) -> float:
        return float(cheb.chebval(x, cheb.chebder(self._c)))

    def stationary(self) -> list[float]:
        """Where its slope is zero."""
        return _inside(cheb.chebroots(cheb.chebder(self._c)))

    def zeros(self) -> list[float]:
        return _inside(cheb.chebroots(self._c))

    @classmethod
    def weights(cls, x: float) -> np.ndarray:
        """Derivatives of its value at x by the samples."""
        return np.asarray(cheb.chebval(x, cheb.chebfit(cls.X, np.eye(NODES), NODES - 1)))


def _inside(roots: np.ndarray) -> list[float]:
    real = roots[np.abs(np.imag(roots)) < 1e-7].real
    return sorted(real[np.abs(real) <= 1.0 + 1e-6].tolist())


def located(
    functionals: Sequence[Functional], sample: Callable[[list[str]], tuple[np.ndarray, np.ndarray]], warnings: list[str]
) -> list[Functional]:
    """Functionals whose terms have times: ``sample`` gives times (n,) and values (n, expressions) of a run."""
    texts = list(dict.fromkeys(t.expression for f in functionals for _, t in f.terms if t.locate is not None))
    if not texts:
        return list(functionals)
    times, values = sample(texts)

    def at_times(term: Term) -> Term:
        if term.locate is None:
            return term
        moments, rule = term.locate(times, values[:, texts.index(term.expression)], warnings)
        return dataclasses.replace(term, times=moments, rule=rule, locate=None)

    return [Functional(tuple((factor, at_times(t)) for factor, t in f.terms)) for f in functionals]
