"""Critical speeds: eigenvalues over the speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..analyses.linear.linearize import linearize
from ..model import Model, ModelError
from ..model.values import number


@dataclass(frozen=True)
class Stability(Summary):
    """``speed`` (n,); ``growth`` (n,): real part, and ``frequency`` (n,), cycles per time, of the oscillation that is
    damped least; ``damping`` (n,): its ratio; ``critical``: the speed at which it is not damped, NaN where that is not
    within the range."""

    speed: np.ndarray
    growth: np.ndarray
    frequency: np.ndarray
    critical: float

    @property
    def damping(self) -> np.ndarray:
        return -self.growth / np.hypot(self.growth, 2.0 * np.pi * self.frequency)


def least_damped(model: Model, slowest: float = 0.0, fastest: float = np.inf) -> complex:
    """The eigenvalue of the oscillation of a model at its start that grows fastest or is damped least; only those of
    frequencies (cycles per time) between ``slowest`` and
    ``fastest`` count.  Raises ModelError where nothing oscillates."""
    values = linearize(model).eigenvalues
    turns = np.abs(values.imag) / (2.0 * np.pi)
    found = values[(values.imag > 1e-3) & (turns >= slowest) & (turns <= fastest)]
    if not len(found):
        raise ModelError(f"'{model.name}' has no oscillation between {slowest:g} and {fastest:g} cycles per time")
    return complex(found[np.argmax(found.real)])


def critical_speed(
    build: Callable[[float], Model],
    low: float,
    high: float,
    *,
    points: int = 5,
    tolerance: float = 1e-3,
    slowest: float = 0.2,
    fastest: float = np.inf,
) -> Stability:
    """The lowest speed between ``low`` and ``high`` at which an oscillation of ``build(speed)`` grows: eigenvalues at
    ``points`` speeds, then halves, to the relative ``tolerance``.

    ``build`` gives a model that runs at a speed (`holonom.rail.vehicle`); oscillations slower than ``slowest`` and
    faster than ``fastest`` (cycles per time) do not count.  Raises
    `ModelError` for speeds that do not rise.

        found = hn.rail.critical_speed(lambda v: coach_at(v), 20.0, 120.0)
    """
    low, high = number(low, "low"), number(high, "high")
    if not 0.0 < low < high or points < 2:
        raise ModelError(
            f"speeds from {low:g} to {high:g} at {points} points; give 0 < low < high and two points or more"
        )
    at: dict[float, complex] = {}

    def value(v: float) -> float:
        at[v] = least_damped(build(v), slowest, fastest)
        return at[v].real

    speeds = np.linspace(low, high, points)
    critical = float("nan")
    before = None
    for v in speeds:
        grows = value(float(v)) > 0.0
        if grows and before is not None:
            a, b = before, float(v)
            while b - a > tolerance * b:
                middle = 0.5 * (a + b)
                a, b = (a, middle) if value(middle) > 0.0 else (middle, b)
            critical = 0.5 * (a + b)
        if grows:
            break
        before = float(v)
    order = np.array(sorted(at))
    values = np.array([at[v] for v in order])
    return Stability(order, values.real, values.imag / (2.0 * np.pi), critical)


def growth_rate(time: Any, y: Any) -> float:
    """Growth rate of an oscillation (1 / time) from its amplitudes: the slope of their logarithm. Raises `ModelError`
    for fewer than three amplitudes."""
    time, y = np.asarray(time, float), np.asarray(y, float)
    y = y - np.mean(y[len(y) // 2 :])
    peaks = np.flatnonzero((np.abs(y[1:-1]) >= np.abs(y[:-2])) & (np.abs(y[1:-1]) > np.abs(y[2:]))) + 1
    if len(peaks) < 3:
        raise ModelError("the record has fewer than three swings; take a longer one")
    return float(np.polyfit(time[peaks], np.log(np.abs(y[peaks])), 1)[0])
