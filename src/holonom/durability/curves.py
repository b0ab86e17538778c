"""S-N curves: straight stretches over logarithms of stress and cycles.

Through points (N_i, S_i) with N = N_i (S / S_i)^-k on each stretch (Basquin, 1910).  Below the last point there is a
limit (the original rule of Miner), the same slope (the elementary one) or the slope 2 k - 1 (Haibach, 1970).

Standard curves of welded steel: EN 1993-1-9 (2005), 7.1, and Hobbacher's IIW recommendations (document IIW-1823-07,
section 3.2 and 4.3), where the class is the range at 2 million cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from .._moved import former_attribute
from .._summary import Summary
from ..model.base import ModelError, shown
from ..model.kinds import positive
from ..model.settings import Units
from . import kernels
from ._words import finite_array, word
from .mean_stress import UNCORRECTED, MeanStress

BELOW = ("haibach", "elementary", "original")
STRESS_TYPES = ("amplitude", "range")
#: classes of EN 1993-1-9, figure 7.1 and 7.2 [MPa], for direct and for shear stress
EUROCODE = (160, 140, 125, 112, 100, 90, 80, 71, 63, 56, 50, 45, 40, 36)
EUROCODE_SHEAR = (100, 80)
#: classes of IIW for steel [MPa], for normal and for shear stress
IIW = (160, 140, 125, 112, 100, 90, 80, 71, 63, 56, 50, 45, 40, 36)
IIW_SHEAR = (100, 80)


@dataclass(frozen=True, eq=False)
class SNCurve(Summary):
    """Cycles to failure over stress, ``kind`` "amplitude" or "range".

    ``cycles`` (p,) rising and ``stress`` (p,) falling: points, stress in the unit of the model; ``first``: slope k
    above the first point;
    ``last``: slope below the last one, infinite where there is a limit that does no damage; ``ratio``: stress ratio R
    at which it was measured
    (-1: zero mean), for corrections of the mean, None where it represents every mean, as those of welds; ``scatter``:
    standard deviation of log10 N; ``probability`` of failure at which it stands;
    ``name``: for plots.  Raises `ModelError` for points that do not fall, slopes and stresses that are not positive.
    """

    cycles: np.ndarray
    stress: np.ndarray
    first: float
    last: float = np.inf
    kind: str = "amplitude"
    ratio: float | None = -1.0
    scatter: float = 0.0
    probability: float = 0.5
    name: str = ""

    def __post_init__(self) -> None:
        word("kind of stress", self.kind, STRESS_TYPES)
        N, S = (
            np.atleast_1d(finite_array(v, what))
            for v, what in ((self.cycles, "cycles of a curve"), (self.stress, "stress of a curve"))
        )
        if N.ndim != 1 or N.shape != S.shape or not len(N):
            raise ModelError(
                f"a curve has {N.size} numbers of cycles and {S.size} stresses; give one stress for each number of "
                "cycles"
            )
        if not (N.min() > 0.0 and S.min() > 0.0):
            raise ModelError("stresses and cycles of a curve must be positive numbers")
        for k in np.flatnonzero(~((np.diff(N) > 0.0) & (np.diff(S) < 0.0))):
            raise ModelError(
                f"points of a curve must fall: from {S[k]:g} at {N[k]:g} cycles it rises to {S[k + 1]:g} at "
                f"{N[k + 1]:g}; sort them by cycles, and "
                "give each stress once"
            )
        positive(slope=self.first, **({} if self.last == np.inf else {"last slope": self.last}))
        if self.ratio is not None and not -np.inf < self.ratio < 1.0:
            raise ModelError(
                f"the stress ratio of a curve is {shown(self.ratio)}; give a number below 1, -1 for zero mean"
            )
        if not 0.0 <= self.scatter < 10.0:
            raise ModelError(f"scatter is {shown(self.scatter)}; give the standard deviation of log10 N, 0 or more")
        if not 0.0 < self.probability < 1.0:
            raise ModelError(f"probability is {shown(self.probability)}; give one between 0 and 1")
        for name, value in (("cycles", N), ("stress", S), ("first", float(self.first)), ("last", float(self.last))):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        points = ", ".join(f"{s:g} at {n:.3g}" for n, s in zip(self.cycles, self.stress))
        return f"SNCurve({self.name or self.kind}: {points}; slopes {', '.join(f'{k:g}' for k in self.slopes)})"

    @classmethod
    def basquin(
        cls, stress: float, cycles: float, slope: float, *, below: str | float = "haibach", **more: Any
    ) -> SNCurve:
        """One point and a slope k, N = ``cycles`` (S / ``stress``)^-k, and what holds ``below``: "haibach" (2 k - 1),
        "elementary" (k), "original" (a limit), or a slope of one's own.

        ``more``: other fields of the curve.  Raises `ModelError` as the curve does.
        """
        positive(stress=stress, cycles=cycles, slope=slope)
        return cls(np.array([cycles]), np.array([stress]), slope, _below(below, slope), **more)

    @classmethod
    def power(cls, coefficient: float, exponent: float, **more: Any) -> SNCurve:
        """S = ``coefficient`` (2 N)^``exponent`` without a limit: sigma_f' and b of a material.  Raises `ModelError`
        for an exponent not below zero."""
        positive(coefficient=coefficient)
        if not -np.inf < exponent < 0.0:
            raise ModelError(f"the exponent of S = A (2N)^b is {shown(exponent)}; give a negative number, about -0.1")
        return cls(np.array([0.5]), np.array([float(coefficient)]), -1.0 / exponent, -1.0 / exponent, **more)

    @classmethod
    def through(
        cls, stress: Sequence[float], cycles: Sequence[float], *, below: str | float = "haibach", **more: Any
    ) -> SNCurve:
        """Straight stretches through points; above the first the slope of the first stretch continues.  ``below`` as in
        `basquin`, of the last stretch.

        Raises `ModelError` for fewer than two points and for points that do not fall.
        """
        if np.size(stress) < 2:
            raise ModelError(f"a curve through {np.size(stress)} points has no slope; give two at least")
        curve = cls(np.asarray(cycles, float), np.asarray(stress, float), 1.0, **more)
        slopes = curve.slopes[1:-1]
        return replace(curve, first=float(slopes[0]), last=_below(below, float(slopes[-1])))

    @classmethod
    def fit(
        cls, stress: Sequence[float], cycles: Sequence[float], *, below: str | float = "elementary", **more: Any
    ) -> SNCurve:
        """Line of log N over log S in least squares through tests that failed (ASTM E739), with their scatter; the
        point is at a million cycles.

        Raises `ModelError` for fewer than three tests, and where life does not fall with stress.
        """
        S, N = finite_array(stress, "stress of the tests"), finite_array(cycles, "cycles of the tests")
        if S.shape != N.shape or S.ndim != 1 or len(S) < 3 or not (S.min() > 0.0 and N.min() > 0.0):
            raise ModelError("a fit needs three tests or more, each with a positive stress and number of cycles")
        x, y = np.log10(S), np.log10(N)
        if not np.ptp(x) > 0.0:
            raise ModelError("all tests have the same stress; a slope needs two")
        slope, height = np.polyfit(x, y, 1)
        if not slope < 0.0:
            raise ModelError("the tests live longer at higher stress; check which column is which")
        spread = float(np.sqrt(np.sum((y - height - slope * x) ** 2) / (len(x) - 2)))
        return cls.basquin(10.0 ** ((6.0 - height) / slope), 1e6, -slope, below=below, scatter=spread, **more)

    @property
    def slopes(self) -> np.ndarray:
        """(p + 1,): before the first point, between points, after the last."""
        between = -np.diff(np.log(self.cycles)) / np.diff(np.log(self.stress))
        return np.concatenate([[self.first], between, [self.last]])

    def coefficients(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Stress amplitudes, cycles and slopes, for kernels."""
        return self.stress * (1.0 if self.kind == "amplitude" else 0.5), self.cycles, self.slopes

    table = former_attribute("table", "coefficients")

    def damages(self, start: np.ndarray, end: np.ndarray, mean: MeanStress | None = None) -> np.ndarray:
        """1 / N of cycles between stresses ``start`` and ``end`` (k,); infinite where the mean has reached its
        limit."""
        out = np.empty(len(start))
        a, b = (np.ascontiguousarray(v, float) for v in (start, end))
        kernels.damages(*self.coefficients(), self.mean_table(mean), a, b, out)
        return out

    def mean_table(self, mean: MeanStress | None) -> np.ndarray:
        """Table of a correction at the stress ratio of the curve.  Raises `ModelError` for a correction of a curve that
        represents every mean."""
        if mean is None:
            return UNCORRECTED
        if not isinstance(mean, MeanStress):
            raise ModelError(f"mean is {shown(mean)}; give a correction such as durability.goodman(ultimate)")
        if self.ratio is None:
            raise ModelError(
                f"the curve {self.name or self.kind} represents every mean stress; leave the correction out"
            )
        return mean.coefficients(self.ratio)

    def life(self, stress: Any) -> np.ndarray:
        """Cycles to failure at a stress of the curve's kind (number or array, unit of the model); infinite below a
        limit."""
        S = np.asarray(stress, float)
        if not np.all(S >= 0.0):
            raise ModelError(f"{self.kind} of the stress must not be negative")
        half = (0.5 if self.kind == "range" else 1.0) * S.ravel()
        with np.errstate(divide="ignore"):
            return (1.0 / self.damages(-half, half)).reshape(S.shape)

    def strength(self, cycles: Any) -> np.ndarray:
        """Stress of the curve's kind at a number of cycles (number or array); of a curve with a limit the limit from
        its last point on."""
        N = np.asarray(cycles, float)
        if not np.all(N > 0.0):
            raise ModelError("numbers of cycles must be positive")
        k = np.searchsorted(self.cycles, N)
        at = np.maximum(k - 1, 0)
        return self.stress[at] * (N / self.cycles[at]) ** (-1.0 / self.slopes[k])

    def scaled(self, factor: float) -> SNCurve:
        """Strength times a factor: size, surface, or one over a notch factor.  Raises `ModelError` for one that is not
        positive."""
        positive(factor=factor)
        return replace(self, stress=self.stress * factor)

    def at_probability(self, probability: float) -> SNCurve:
        """The curve at another ``probability`` of failure: log10 N is normal with the standard deviation ``scatter``.

        Raises `ModelError` for a curve without scatter.
        """
        if not self.scatter:
            raise ModelError("this curve has no scatter; give it the standard deviation of log10 N (scatter=)")
        if not 0.0 < probability < 1.0:
            raise ModelError(f"probability is {shown(probability)}; give one between 0 and 1")
        shift = self.scatter * (NormalDist().inv_cdf(probability) - NormalDist().inv_cdf(self.probability))
        return replace(self, cycles=self.cycles * 10.0**shift, probability=probability)


def _below(below: str | float, slope: float) -> float:
    if isinstance(below, (int, float)) and not isinstance(below, bool):
        if not below > 0.0:
            raise ModelError(
                f"the slope below the knee is {shown(below)}; give a positive number, or one of {', '.join(BELOW)}"
            )
        return float(below)
    return {"haibach": 2.0 * slope - 1.0, "elementary": slope, "original": np.inf}[
        word("rule below the knee", below, BELOW)
    ]


def _class(what: str, given: float, classes: Sequence[int], units: Units | None) -> float:
    """Units of stress of a model in one MPa.  Raises `ModelError` for a class that there is not."""
    if given not in classes:
        near = min(classes, key=lambda c: abs(c - given)) if isinstance(given, (int, float)) else classes[0]
        raise ModelError(
            f"{what} has no class {shown(given)}; the nearest is {near}, all are {', '.join(map(str, sorted(classes)))}"
        )
    if units is not None and not isinstance(units, Units):
        raise ModelError(f"units is {shown(units)}; give those of a model, model.units")
    return 1.0 if units is None else 1e6 * units.si_length**2 / units.si_force


def eurocode3(detail: float, *, shear: bool = False, units: Units | None = None) -> SNCurve:
    """Curve of a detail category of EN 1993-1-9 over the range of the stress.

    Direct stress: slope 3 to 5 million cycles, 5 to 100 million, then the cut-off; ``shear``: slope 5 to 100 million.
    ``units``: those of the model (None: stress in MPa). Partial factors are not included. The probability of failure is
    5 %. Raises `ModelError` for an unknown category.
    """
    mpa = _class("EN 1993-1-9", detail, EUROCODE_SHEAR if shear else EUROCODE, units)
    name = f"EN 1993-1-9, {detail:g}" + (", shear" if shear else "")
    if shear:
        return SNCurve(
            np.array([1e8]),
            np.array([mpa * detail * (2e6 / 1e8) ** 0.2]),
            5.0,
            kind="range",
            ratio=None,
            probability=0.05,
            name=name,
        )
    knee = mpa * detail * (2.0 / 5.0) ** (1.0 / 3.0)
    return SNCurve(
        np.array([5e6, 1e8]),
        np.array([knee, knee * 0.05**0.2]),
        3.0,
        kind="range",
        ratio=None,
        probability=0.05,
        name=name,
    )


def iiw(fat: float, *, shear: bool = False, constant: bool = False, units: Units | None = None) -> SNCurve:
    """Curve of a FAT class of the IIW recommendations for steel, over the range of the stress.

    Normal stress: slope 3 to 10 million cycles, ``shear``: slope 5 to 100 million; below the knee 22 where the
    amplitude is ``constant``, else 5 (shear: 9) for sums of damage.  ``units``: those of the model (None: stress in
    MPa).  The probability of failure is 2.3 %. Raises `ModelError` for an unknown class.
    """
    mpa = _class("the IIW", fat, IIW_SHEAR if shear else IIW, units)
    slope, knee = (5.0, 1e8) if shear else (3.0, 1e7)
    below = 22.0 if constant else 2.0 * slope - 1.0
    name = f"IIW FAT {fat:g}" + (", shear" if shear else "")
    at = mpa * fat * (2e6 / knee) ** (1.0 / slope)
    return SNCurve(
        np.array([knee]), np.array([at]), slope, below, kind="range", ratio=None, probability=0.023, name=name
    )
