"""Distributions of parameters, by mean and standard deviation as engineers give them; values by quantiles, so that a
design in the unit cube and a point of the standard normal space mean the same everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import explained_class
from ..model.kinds import is_number

#: type -> its two arguments
ARGUMENTS = {
    "normal": ("mean", "std"),
    "lognormal": ("mean", "std"),
    "uniform": ("low", "high"),
    "gumbel": ("mean", "std"),
    "weibull": ("scale", "shape"),
    "exponential": ("mean", None),
    "truncated normal": ("mean", "std"),
}


@explained_class
@dataclass(frozen=True)
class Distribution:
    """A distribution of one parameter: ``type`` with arguments ``a`` and ``b``, see `ARGUMENTS`, cut at ``low`` and
    ``high`` (see `within`).  Made by `Normal`, `LogNormal`, `Uniform`, `Gumbel`, `Weibull`, `Exponential`,
    `TruncatedNormal`."""

    type: str
    a: float
    b: float = 0.0
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        if self.type not in ARGUMENTS:
            raise ModelError(f"unknown distribution {shown(self.type)}{did_you_mean(self.type, ARGUMENTS)}")
        for word, value in zip(ARGUMENTS[self.type], (self.a, self.b)):
            if word and not (is_number(value) and math.isfinite(value)):
                raise ModelError(f"distribution '{self.type}': {word} must be a number, got {shown(value)}")
            if word in ("std", "shape", "scale") and value <= 0:
                raise ModelError(f"distribution '{self.type}': {word} must be above zero, got {value:g}")
        if self.type in ("lognormal", "exponential") and self.a <= 0:
            raise ModelError(f"distribution '{self.type}': mean must be above zero, got {self.a:g}")
        if self.type == "uniform" and not self.a < self.b:
            raise ModelError(f"distribution 'uniform': low {self.a:g} must be below high {self.b:g}")
        if not self.low < self.high:
            raise ModelError(f"distribution '{self.type}': low {self.low:g} must be below high {self.high:g}")

    @cached_property
    def _scipy(self) -> Any:
        if self.type != "truncated normal" and (self.low, self.high) != (-math.inf, math.inf):
            return _Cut(self._whole(), self.low, self.high)
        return self._whole()

    def _whole(self) -> Any:
        """The distribution of SciPy; of all but the truncated normal the one that is not cut."""
        from scipy import stats

        a, b = self.a, self.b
        if self.type == "lognormal":
            s2 = math.log1p((b / a) ** 2)
            return stats.lognorm(math.sqrt(s2), scale=a * math.exp(-0.5 * s2))
        if self.type == "gumbel":
            scale = b * math.sqrt(6.0) / math.pi
            return stats.gumbel_r(a - float(np.euler_gamma) * scale, scale)
        if self.type == "truncated normal":
            return stats.truncnorm((self.low - a) / b, (self.high - a) / b, a, b)
        return {
            "normal": lambda: stats.norm(a, b),
            "uniform": lambda: stats.uniform(a, b - a),
            "weibull": lambda: stats.weibull_min(b, scale=a),
            "exponential": lambda: stats.expon(scale=a),
        }[self.type]()

    def within(self, low: float, high: float) -> Distribution:
        """The distribution cut at two values: its density between them, over the probability between them."""
        least, largest = self._scipy.support()
        if low <= least and high >= largest:
            return self
        return replace(self, low=max(low, self.low), high=min(high, self.high))

    @property
    def mean(self) -> float:
        """Mean value."""
        return float(self._scipy.mean())

    @property
    def std(self) -> float:
        """Standard deviation."""
        return float(self._scipy.std())

    def probability(self, value: float) -> float:
        """Probability that a value is not exceeded."""
        return float(self._scipy.cdf(value))

    def quantile(self, probability: Any) -> float | np.ndarray:
        """Value that is not exceeded with a probability."""
        return self._scipy.ppf(probability)

    def from_normal(self, u: Any) -> float | np.ndarray:
        """Value at a coordinate u of the standard normal space: F^-1(Phi(u)), by the smaller tail."""
        from scipy import stats

        if self.type == "normal" and (self.low, self.high) == (-math.inf, math.inf):
            return self.a + self.b * np.asarray(u)
        u = np.asarray(u, float)
        upper = self._scipy.isf(stats.norm.sf(u))
        return np.where(u > 0, upper, self._scipy.ppf(stats.norm.cdf(u)))

    def ends(self, sigmas: float) -> tuple[float, float]:
        """Its least and largest value where it has both, else those at -``sigmas`` and ``sigmas`` of the standard
        normal space."""
        low, high = self._scipy.support()
        if math.isfinite(low) and math.isfinite(high):
            return float(low), float(high)
        return float(self.from_normal(-sigmas)), float(self.from_normal(sigmas))

    def to_normal(self, x: Any) -> float | np.ndarray:
        """Coordinate in the standard normal space of a value: Phi^-1(F(x))."""
        from scipy import stats

        x = np.asarray(x, float)
        p, q = self._scipy.cdf(x), self._scipy.sf(x)
        return np.where(p > 0.5, stats.norm.isf(q), stats.norm.ppf(p))

    def to_json(self) -> dict[str, Any]:
        """What a file holds of it."""
        out: dict[str, Any] = {"type": self.type}
        out |= {word: value for word, value in zip(ARGUMENTS[self.type], (self.a, self.b)) if word}
        return out | {k: v for k, v in (("low", self.low), ("high", self.high)) if math.isfinite(v) and k not in out}


class _Cut:
    """A distribution of SciPy between two values; probabilities by the smaller tail."""

    def __init__(self, whole: Any, low: float, high: float) -> None:
        self.whole, self.low, self.high = whole, low, high
        self.upper, self.lower = bool(whole.cdf(low) > 0.5), bool(whole.cdf(high) < 0.5)  # than the median, all of it
        self.under = float(whole.cdf(low)), float(whole.cdf(high))
        self.over = float(whole.sf(low)), float(whole.sf(high))
        self.mass = self.over[0] - self.over[1] if self.upper else self.under[1] - self.under[0]

    def cdf(self, x: Any) -> np.ndarray:
        x = np.clip(x, self.low, self.high)
        return (self.over[0] - self.whole.sf(x) if self.upper else self.whole.cdf(x) - self.under[0]) / self.mass

    def sf(self, x: Any) -> np.ndarray:
        x = np.clip(x, self.low, self.high)
        return (self.under[1] - self.whole.cdf(x) if self.lower else self.whole.sf(x) - self.over[1]) / self.mass

    def ppf(self, p: Any) -> np.ndarray:
        part = np.asarray(p, float) * self.mass
        found = self.whole.isf(self.over[0] - part) if self.upper else self.whole.ppf(self.under[0] + part)
        return np.clip(found, self.low, self.high)

    def isf(self, q: Any) -> np.ndarray:
        part = np.asarray(q, float) * self.mass
        found = self.whole.ppf(self.under[1] - part) if self.lower else self.whole.isf(self.over[1] + part)
        return np.clip(found, self.low, self.high)

    def support(self) -> tuple[float, float]:
        low, high = self.whole.support()
        return max(float(low), self.low), min(float(high), self.high)

    def mean(self) -> float:
        return self._average(lambda x: x)

    def std(self) -> float:
        middle = self.mean()
        return math.sqrt(self._average(lambda x: (x - middle) ** 2))

    def _average(self, of: Callable[[Any], Any]) -> float:
        """The mean of a function, over the probability: `expect` of SciPy loses the far tails."""
        from scipy.integrate import quad

        return float(quad(lambda p: of(self.ppf(p)), 0.0, 1.0, epsabs=0.0, epsrel=1e-8, limit=200)[0])


def as_distribution(given: Any, where: str) -> Distribution:
    """A distribution from the table of a file: {type: normal, mean: 1, std: 0.1}."""
    if not isinstance(given, Mapping) or "type" not in given:
        raise ModelError(f"{where}: a distribution is a table with a type and its arguments, got {shown(given)}")
    kind = given["type"]
    if kind not in ARGUMENTS:
        raise ModelError(f"{where}: unknown distribution {shown(kind)}{did_you_mean(kind, ARGUMENTS)}")
    words = [w for w in ARGUMENTS[kind] if w]
    extra = ["low", "high"] if kind == "truncated normal" else []
    for key in given:
        if key not in ("type", *words, *extra):
            raise ModelError(f"{where}: distribution '{kind}' has no {shown(key)}{did_you_mean(key, words + extra)}")
    for word in words:
        if word not in given:
            raise ModelError(f"{where}: distribution '{kind}' needs {word}")
    return Distribution(kind, *(given[w] for w in words), **{k: given[k] for k in extra if k in given})


def Normal(mean: float, std: float) -> Distribution:
    """Normal distribution: density exp(-((x - mean) / std)^2 / 2) / (std sqrt(2 pi))."""
    return Distribution("normal", mean, std)


def LogNormal(mean: float, std: float) -> Distribution:
    """Lognormal distribution by the mean and standard deviation of the value itself."""
    return Distribution("lognormal", mean, std)


def Uniform(low: float, high: float) -> Distribution:
    """Uniform distribution between ``low`` and ``high``."""
    return Distribution("uniform", low, high)


def Gumbel(mean: float, std: float) -> Distribution:
    """Gumbel distribution of largest values (type I) by its mean and standard deviation: F(x) =
    exp(-exp(-(x - u) / b)), b = std sqrt(6) / pi, u = mean - 0.5772 b."""
    return Distribution("gumbel", mean, std)


def Weibull(scale: float, shape: float) -> Distribution:
    """Weibull distribution of two parameters: F(x) = 1 - exp(-(x / scale)^shape), x >= 0."""
    return Distribution("weibull", scale, shape)


def Exponential(mean: float) -> Distribution:
    """Exponential distribution: F(x) = 1 - exp(-x / mean), x >= 0."""
    return Distribution("exponential", mean)


def TruncatedNormal(mean: float, std: float, low: float, high: float) -> Distribution:
    """Normal distribution of ``mean`` and ``std``, cut at ``low`` and ``high``: a tolerance with inspection."""
    return Distribution("truncated normal", mean, std, low, high)
