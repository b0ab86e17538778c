"""Strain-life: the stable cyclic curve, Neuber's rule at a notch, loops with the memory of the material, and Coffin,
Manson and Basquin's line.

Ramberg-Osgood: e = s/E + (s/K')^(1/n'); on the branches of a loop swings are twice that (Masing).  Neuber: s e =
(elastic stress)^2 / E, and with a limit load ratio Kp (Seeger & Heuler; FKM guideline nonlinear, 2.5): s e = L Kp e*,
e* on the cyclic curve at L / Kp.  Life of a loop with strain amplitude ea, mean stress sm and largest stress smax, 2 N
reversals:

| correction | ea or smax ea |
|---|---|
| "none" | ea = sf'/E (2N)^b + ef' (2N)^c |
| "morrow" | ea = (sf' - sm)/E (2N)^b + ef' (2N)^c |
| "modified_morrow" | ea = (sf' - sm)/E (2N)^b + ef' ((sf' - sm)/sf')^(c/b) (2N)^c |
| "swt" | smax ea = sf'^2/E (2N)^2b + sf' ef' (2N)^(b+c); no damage where smax is not positive |

Sources: Dowling, Mechanical Behavior of Materials (2013), ch. 14; memory: Clormann & Seeger, Stahlbau 55 (1986) 65-71.
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
from ._words import history, word
from .counting import Cycles, turning_points

CORRECTIONS = {
    "none": kernels.STRAIN,
    "morrow": kernels.MORROW,
    "modified_morrow": kernels.MODIFIED_MORROW,
    "swt": kernels.SWT,
}


@dataclass(frozen=True, eq=False)
class Loops(Cycles):
    """Cycles of the elastic stress with what the material does in them: ``stress_low``, ``stress_high``,
    ``strain_low``, ``strain_high`` (k,)."""

    stress_low: np.ndarray
    stress_high: np.ndarray
    strain_low: np.ndarray
    strain_high: np.ndarray

    @property
    def strain_amplitude(self) -> np.ndarray:
        """(k,) half the swing of the strain."""
        return 0.5 * (self.strain_high - self.strain_low)

    @property
    def mean_stress(self) -> np.ndarray:
        """(k,) middle of the stress."""
        return 0.5 * (self.stress_high + self.stress_low)


@dataclass(frozen=True)
class StrainLife(Summary):
    """Material of the local strain approach, unit of stress that of the model.

    ``E`` modulus of elasticity; ``sigma_f`` fatigue strength coefficient sf' and ``b`` its exponent; ``epsilon_f``
    fatigue ductility coefficient ef' and ``c`` its exponent; ``K``, ``n``: cyclic strength coefficient K' and exponent
    n' (left out: n' = b/c, K' = sf' / ef'^n', which makes the lines agree); ``limit_ratio``: limit load over load at
    first yield, for Neuber's rule (infinite: the classic rule); ``correction`` of the mean stress: "none", "morrow",
    "modified_morrow", "swt".  Raises `ModelError` for numbers of the wrong sign.
    """

    E: float
    sigma_f: float
    b: float
    epsilon_f: float
    c: float
    K: float = 0.0
    n: float = 0.0
    limit_ratio: float = np.inf
    correction: str = "swt"

    def __post_init__(self) -> None:
        positive(E=self.E, sigma_f=self.sigma_f, epsilon_f=self.epsilon_f)
        for name in ("b", "c"):
            if not -10.0 < getattr(self, name) < 0.0:
                raise ModelError(
                    f"{name} of strain-life is {shown(getattr(self, name))}; give a negative exponent, about "
                    f"{-0.1 if name == 'b' else -0.6}"
                )
        if not self.n:
            object.__setattr__(self, "n", self.b / self.c)
        if not self.K:
            object.__setattr__(self, "K", self.sigma_f / self.epsilon_f**self.n)
        positive(K=self.K, n=self.n)
        if not self.n <= 1.0:
            raise ModelError(f"n of strain-life is {shown(self.n)}; the cyclic exponent lies between 0 and 1")
        if not self.limit_ratio >= 1.0:
            raise ModelError(
                f"limit_ratio is {shown(self.limit_ratio)}; the limit load is not below that of first yield: give 1 "
                "or more"
            )
        word("correction", self.correction, CORRECTIONS)

    def coefficients(self) -> np.ndarray:
        """(9,) for kernels."""
        return np.array(
            [
                self.E,
                self.K,
                self.n,
                self.limit_ratio,
                self.sigma_f,
                self.b,
                self.epsilon_f,
                self.c,
                CORRECTIONS[self.correction],
            ]
        )

    table = former_attribute("table", "coefficients")

    def strain(self, stress: Any) -> np.ndarray:
        """Strain on the cyclic curve at a stress (number or array, of either sign)."""
        s = np.asarray(stress, float)
        return s / self.E + np.sign(s) * (np.abs(s) / self.K) ** (1.0 / self.n)

    def notch(self, elastic: Any) -> tuple[np.ndarray, np.ndarray]:
        """Stress and strain on the cyclic curve by Neuber's rule, where an elastic body would have the stress
        ``elastic`` (number or array)."""
        L = np.asarray(elastic, float)
        table = self.coefficients()
        s = np.array([np.copysign(kernels.notch_stress(table, abs(v)), v) for v in L.ravel()]).reshape(L.shape)
        return s, self.strain(s)

    def life(self, strain_amplitude: Any, mean_stress: Any = 0.0, largest_stress: Any = None) -> np.ndarray:
        """Cycles to failure N at a strain amplitude (number or array) with a mean stress; zero where Morrow's mean
        reaches sf'.

        ``largest_stress``: of "swt", which requires it where the mean is not all (None: mean plus the stress of the
        cyclic curve at that amplitude).
        """
        e, m = (np.asarray(v, float) for v in np.broadcast_arrays(strain_amplitude, mean_stress))
        if not np.all(e >= 0.0):
            raise ModelError("a strain amplitude must not be negative")
        top = (
            m + self.cyclic_stress(e)
            if largest_stress is None
            else np.broadcast_to(np.asarray(largest_stress, float), e.shape)
        )
        out = np.empty(e.size)
        kernels.strain_lives(self.coefficients(), *(np.ascontiguousarray(v).ravel() for v in (e, m, top)), out)
        return 0.5 * np.exp(out).reshape(e.shape)

    def cyclic_stress(self, strain: Any) -> np.ndarray:
        """Stress on the cyclic curve at a strain (number or array, of either sign)."""
        e = np.abs(np.asarray(strain, float))
        # s/E + (s/K)^(1/n) = e: each term alone bounds it from above, and the sum is convex
        s = np.minimum(self.E * e, self.K * e**self.n)
        for _ in range(100):
            plastic = (s / self.K) ** (1.0 / self.n)
            step = np.where(
                s > 0.0,
                (s / self.E + plastic - e) / (1.0 / self.E + plastic / (self.n * np.where(s > 0.0, s, 1.0))),
                0.0,
            )
            s = s - step
            if np.all(np.abs(step) <= 1e-14 * s):
                break
        return np.sign(strain) * s

    def path(self, elastic: Any, residue: str = "repeat", *, hysteresis: float = 0.0) -> Loops:
        """Loops at a notch under a history (n,) of the stress that an elastic body would have (stress concentration
        included).

        ``residue``: "repeat" takes the history as one that repeats and begins at its largest size, so that all loops
        close; "half" goes through it once, from no load, and what does not close is half loops; "none" leaves those
        out.  Raises `ModelError` as `rainflow` does.
        """
        x = history(elastic, "the history of the stress")
        word("residue", residue, ("repeat", "half", "none"))
        places = np.arange(len(x))
        if residue == "repeat":
            top = int(np.argmax(np.abs(x)))
            places = np.append(np.roll(places, -top), top)
        values = x[places]
        at, _ = turning_points(values, hysteresis)
        m = len(at)
        stack, first, last, count = (
            np.empty(m + 1, np.int64),
            np.empty(m + 1, np.int64),
            np.empty(m + 1, np.int64),
            np.empty(m + 1),
        )
        four, s, e = np.empty((4, m + 1)), np.empty(len(values)), np.empty(len(values))
        k = kernels.notch_path(
            values,
            at,
            m,
            self.coefficients(),
            stack,
            (first, last, count),
            (four[0], four[1]),
            (four[2], four[3]),
            (s, e),
        )
        keep = np.flatnonzero(count[:k] == 1.0) if residue == "none" else np.arange(k)
        a, b = places[first[keep]], places[last[keep]]
        return Loops(x[a], x[b], count[keep], a, b, *(row[keep] for row in four))

    def damages(self, loops: Loops) -> np.ndarray:
        """1 / N of each loop (k,); infinite where Morrow's mean has reached sf'."""
        with np.errstate(divide="ignore"):
            return 1.0 / self.life(loops.strain_amplitude, loops.mean_stress, loops.stress_high)
