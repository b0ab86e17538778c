"""Mean-stress corrections: the amplitude about zero mean that does the damage of an amplitude about a mean.

With amplitude a, mean m, top = a + m:

| | amplitude about zero mean |
|---|---|
| Goodman, Soderberg, Morrow | a / (1 - m / L), L the ultimate strength, the yield strength, the true fracture strength |
| Gerber | a / (1 - (m / L)^2), L the ultimate strength |
| Walker | top^(1 - g) a^g; zero where top is not positive |
| Smith-Watson-Topper | sqrt(top a): Walker with g = 1/2 |
| FKM, sensitivity M | a (1 - M) for m < -a; a + M m to m = a; (1 + M)(a + m M/3) / (1 + M/3) to m = 3 a; then a (1 + M)^2 / (1 + M/3) |

Sources: Dowling, Mechanical Behavior of Materials (2013), 9.7; Smith, Watson & Topper, Journal of Materials 5 (1970) 767-778; FKM guideline (2012),
normal stresses, field by field.

For compressive means Goodman's formula promises more than tests keep, so amplitudes stay as they are there unless ``compression`` states that the formula
holds.  Where the mean reaches L there is no life left.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._moved import former_attribute
from .._summary import Summary
from ..model.base import ModelError, shown
from ..model.kinds import positive
from . import kernels

CODES = {
    "goodman": kernels.LINEAR,
    "soderberg": kernels.LINEAR,
    "morrow": kernels.LINEAR,
    "gerber": kernels.GERBER,
    "walker": kernels.WALKER,
    "swt": kernels.WALKER,
    "fkm": kernels.FKM,
}
LIMITS = {
    "goodman": "ultimate strength",
    "soderberg": "yield strength",
    "morrow": "fracture strength",
    "gerber": "ultimate strength",
}


@dataclass(frozen=True)
class MeanStress(Summary):
    """A correction by its ``name``, with its number ``value``: a strength in the unit of the stress, Walker's exponent,
    or the sensitivity M of FKM.

    Made by `goodman`, `gerber`, `soderberg`, `morrow`, `walker`, `swt`, `fkm`.
    """

    name: str
    value: float
    compression: bool = False

    def coefficients(self, ratio: float = -1.0) -> np.ndarray:
        """(4,) for kernels: code, number, compression, and mean over amplitude at the stress ratio of a curve."""
        return np.array([CODES[self.name], self.value, float(self.compression), (1.0 + ratio) / (1.0 - ratio)])

    table = former_attribute("table", "coefficients")

    def equivalent(self, amplitude: Any, mean: Any, ratio: float = -1.0) -> np.ndarray:
        """Amplitude that does the same damage at the stress ratio R = ``ratio`` (-1: zero mean), in the unit of the
        stress.

        ``amplitude`` and ``mean`` are numbers or arrays.  Raises `ModelError` for a negative amplitude, and for a mean
        that reaches the strength.
        """
        out, worst = self.amplitudes(amplitude, mean, ratio)
        if np.any(np.isinf(out)):
            raise ModelError(self.beyond(worst))
        return out

    def amplitudes(self, amplitude: Any, mean: Any, ratio: float = -1.0) -> tuple[np.ndarray, float]:
        """As `equivalent`, infinite where the mean has reached the strength; and the largest mean."""
        a, m = np.broadcast_arrays(np.asarray(amplitude, float), np.asarray(mean, float))
        if not (np.all(np.isfinite(a)) and np.all(np.isfinite(m)) and np.all(a >= 0.0)):
            raise ModelError("amplitudes must be finite and not negative, and means finite")
        if not -np.inf < ratio < 1.0:
            raise ModelError(f"the stress ratio of a curve is {shown(ratio)}; give a number below 1, -1 for zero mean")
        out = np.empty(a.size)
        kernels.amplitudes(
            self.coefficients(ratio), np.ascontiguousarray(a).ravel(), np.ascontiguousarray(m).ravel(), out
        )
        return out.reshape(a.shape), float(m.max(initial=-np.inf))

    def beyond(self, mean: float) -> str:
        """What is reported where the mean has reached the strength."""
        return (
            f"{self.name}: the mean stress {mean:.6g} reaches the {LIMITS.get(self.name, 'limit')} {self.value:.6g}; "
            "there is no life left: check units and loads, or take another correction"
        )


def goodman(ultimate: float, *, compression: bool = False) -> MeanStress:
    """Goodman's line to the ``ultimate`` strength (unit of the stress).  Raises `ModelError` for one that is not
    positive."""
    positive(ultimate=ultimate)
    return MeanStress("goodman", float(ultimate), compression)


def gerber(ultimate: float) -> MeanStress:
    """Gerber's parabola to the ``ultimate`` strength (unit of the stress); compressive means count as none.  Raises
    `ModelError` as `goodman` does."""
    positive(ultimate=ultimate)
    return MeanStress("gerber", float(ultimate))


def soderberg(yield_strength: float, *, compression: bool = False) -> MeanStress:
    """Soderberg's line to the yield strength (unit of the stress).  Raises `ModelError` as `goodman` does."""
    positive(yield_strength=yield_strength)
    return MeanStress("soderberg", float(yield_strength), compression)


def morrow(fracture: float, *, compression: bool = True) -> MeanStress:
    """Morrow's line to the true ``fracture`` strength (or sigma_f'; unit of the stress), for compressive means too.
    Raises `ModelError` as `goodman` does."""
    positive(fracture=fracture)
    return MeanStress("morrow", float(fracture), compression)


def walker(exponent: float) -> MeanStress:
    """Walker's rule with its exponent, from above 0 (only the maximum stress counts) to 1 (no influence of the mean).
    Raises `ModelError` outside of that."""
    if not (isinstance(exponent, (int, float)) and 0.0 < exponent <= 1.0):
        raise ModelError(
            f"the exponent of Walker's rule is {shown(exponent)}; give a number above 0, up to 1 (about 0.65 for steel)"
        )
    return MeanStress("walker", float(exponent))


def swt() -> MeanStress:
    """Smith, Watson and Topper's rule, which needs no constant."""
    return MeanStress("swt", 0.5)


def fkm(sensitivity: float) -> MeanStress:
    """The FKM guideline's four pieces with mean-stress sensitivity M, 0 to below 1.  Raises `ModelError` outside of
    that."""
    if not (isinstance(sensitivity, (int, float)) and 0.0 <= sensitivity < 1.0):
        raise ModelError(f"the mean-stress sensitivity is {shown(sensitivity)}; give a number from 0 to below 1")
    return MeanStress("fkm", float(sensitivity))


#: for kernels, where there is no correction
UNCORRECTED = np.zeros(4)
