"""Damage of a stationary Gaussian stress from its power spectral density: narrow band (Rayleigh), Dirlik, Benasciutti
and Tovo.

With moments m_k = int f^k G(f) df of the one-sided density G(f): rate of rising zero crossings sqrt(m2/m0), of peaks
sqrt(m4/m2).  Narrow band: amplitudes have the density a/m0 exp(-a^2 / 2 m0) and come at the rate of zero crossings
(Miles, 1954).  Dirlik (thesis, Warwick 1985; in Dowling or Bishop & Sherratt): with Z = range / (2 sqrt(m0)),

    p(Z) = D1/Q exp(-Z/Q) + D2 Z/R^2 exp(-Z^2 / 2 R^2) + D3 Z exp(-Z^2 / 2),    xm = m1/m0 sqrt(m2/m4),  g = m2 /
        sqrt(m0 m4),
    D1 = 2 (xm - g^2) / (1 + g^2),  R = (g - xm - D1^2) / (1 - g - D1 + D1^2),  D2 = (1 - g - D1 + D1^2) / (1 - R),  D3
        = 1 - D1 - D2,
    Q = 1.25 (g - D3 - D2 R) / D1,

at the rate of peaks.  Benasciutti and Tovo (Probabilistic Engineering Mechanics 21 (2006) 287-299): between what level
crossings and what simple ranges give, with h = m0.75 / sqrt(m0 m1.5), at the rate of peaks

    p(a) = b g Rayleigh(a; m0) + (1 - b) Rayleigh(a; g^2 m0),    b = (h^2 - g^2) / (1 - g^2).

The mean stress of a Gaussian process is not corrected here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..model.base import ModelError
from ._words import word
from .curves import SNCurve

METHODS = ("dirlik", "benasciutti_tovo", "narrow_band")


@dataclass(frozen=True)
class Spectrum(Summary):
    """Moments of a power spectral density: ``m0``, ``m075`` (of order 0.75), ``m1``, ``m15``, ``m2``, ``m4``, (unit
    of the signal)^2 / time^k."""

    m0: float
    m075: float
    m1: float
    m15: float
    m2: float
    m4: float

    @property
    def crossings(self) -> float:
        """Rising crossings of the mean per time."""
        return float(np.sqrt(self.m2 / self.m0))

    @property
    def peaks(self) -> float:
        """Peaks per time."""
        return float(np.sqrt(self.m4 / self.m2))

    @property
    def irregularity(self) -> float:
        """Crossings per peak, 1 for a narrow band."""
        return self.crossings / self.peaks


def spectrum(frequency: Any, density: Any) -> Spectrum:
    """Moments of a one-sided power spectral density (unit^2 / frequency) over frequencies (n,) per unit of time, by the
    trapezoidal rule.

    Raises `ModelError` for frequencies that do not increase and densities that are negative or all zero.
    """
    f, G = np.asarray(frequency, float), np.asarray(density, float)
    if f.ndim != 1 or f.shape != G.shape or len(f) < 2:
        raise ModelError(
            f"frequencies have the shape {f.shape} and densities {G.shape}; give one density for each of two "
            "frequencies or more"
        )
    if not (np.all(np.isfinite(f)) and f[0] >= 0.0 and np.all(np.diff(f) > 0.0)):
        raise ModelError("frequencies of a spectrum must rise from zero or above")
    if not (np.all(np.isfinite(G)) and np.all(G >= 0.0)):
        raise ModelError("a power spectral density must not be negative")
    moments = [float(np.trapezoid(f**k * G, f)) for k in (0, 0.75, 1, 1.5, 2, 4)]
    if not moments[4] > 0.0:
        raise ModelError("this power spectral density is zero; there is no cycle in it")
    return Spectrum(*moments)


def amplitude_density(amplitude: Any, moments: Spectrum, method: str = "dirlik") -> np.ndarray:
    """Density of the rainflow amplitudes (unit of the signal)^-1 at some amplitudes.  Raises `ModelError` for an
    unknown method."""
    a = np.asarray(amplitude, float)
    word("method", method, METHODS)
    m = moments
    Z = a / np.sqrt(m.m0)
    if method == "narrow_band":
        return Z * np.exp(-0.5 * Z**2) / np.sqrt(m.m0)
    g = m.m2 / np.sqrt(m.m0 * m.m4)
    if method == "benasciutti_tovo":
        if 1.0 - g < 1e-9:
            return Z * np.exp(-0.5 * Z**2) / np.sqrt(m.m0)
        b = (m.m075**2 / (m.m0 * m.m15) - g * g) / (1.0 - g * g)
        return (b * g * Z * np.exp(-0.5 * Z**2) + (1.0 - b) * Z / g**2 * np.exp(-0.5 * (Z / g) ** 2)) / np.sqrt(m.m0)
    x = m.m1 / m.m0 * np.sqrt(m.m2 / m.m4)
    D1 = 2.0 * (x - g * g) / (1.0 + g * g)
    if D1 < 1e-6 or 1.0 - g - D1 + D1 * D1 < 1e-9:  # a narrow band, to which the formulas tend
        return Z * np.exp(-0.5 * Z**2) / np.sqrt(m.m0)
    R = (g - x - D1 * D1) / (1.0 - g - D1 + D1 * D1)
    D2 = (1.0 - g - D1 + D1 * D1) / (1.0 - R)
    D3 = 1.0 - D1 - D2
    Q = 1.25 * (g - D3 - D2 * R) / D1
    p = D1 / Q * np.exp(-Z / Q) + D2 * Z / R**2 * np.exp(-0.5 * (Z / R) ** 2) + D3 * Z * np.exp(-0.5 * Z**2)
    return p / np.sqrt(m.m0)


def spectral_damage(
    frequency: Any, density: Any, material: SNCurve, *, method: str = "dirlik", factor: float = 1.0
) -> float:
    """Damage per unit of time of a stationary Gaussian stress with a one-sided power spectral density, without its
    mean.

    ``frequency`` (n,) per unit of time, ``density`` (n,) in stress^2 / frequency (times ``factor``^2); ``method``:
    "dirlik", "benasciutti_tovo" (better for widely separated bands) or "narrow_band" (conservative for wide bands).
    Raises `ModelError` as `spectrum` does and for a material that is not an S-N curve.
    """
    word("method", method, METHODS)
    if not isinstance(material, SNCurve):
        raise ModelError("damage of a spectrum needs an SNCurve")
    moments = spectrum(frequency, factor**2 * np.asarray(density, float))
    # amplitudes where there is anything: Rayleigh's part ends at 10 standard deviations, the exponential one reaches
    # further
    edges = np.unique(np.concatenate([np.linspace(0.0, 12.0, 241) * np.sqrt(moments.m0), material.coefficients()[0]]))
    edges = edges[edges <= 12.0 * np.sqrt(moments.m0)]
    x, w = np.polynomial.legendre.leggauss(8)
    half = 0.5 * np.diff(edges)
    a = (edges[:-1, None] + half[:, None] * (1.0 + x)).ravel()
    weight = (half[:, None] * w).ravel()
    rate = moments.crossings if method == "narrow_band" else moments.peaks
    return float(rate * np.sum(weight * amplitude_density(a, moments, method) * material.damages(-a, a)))


def gaussian_signal(frequency: Any, density: Any, duration: float, step: float, seed: int = 0) -> np.ndarray:
    """A Gaussian history of zero mean with a one-sided power spectral density (n,): random phases and amplitudes,
    reproducible by the ``seed``.

    ``duration`` and ``step`` in the unit of time.  Raises `ModelError` where the step is too long for the highest
    frequency, and as `spectrum` does.
    """
    spectrum(frequency, density)
    f, G = np.asarray(frequency, float), np.asarray(density, float)
    n = int(round(duration / step))
    if n < 8 or 0.5 / step < f[-1]:
        raise ModelError(
            f"a step of {step:g} and a duration of {duration:g} cannot hold frequencies to {f[-1]:g}; give a step "
            f"below {0.5 / f[-1]:g}"
        )
    line = np.fft.rfftfreq(n, step)
    size = 0.5 * n * np.sqrt(np.interp(line, f, G, 0.0, 0.0) * (line[1] - line[0]))
    rng = np.random.default_rng(seed)
    out = size * (rng.normal(size=len(line)) + 1j * rng.normal(size=len(line)))
    out[0] = 0.0
    return np.fft.irfft(out, n)
