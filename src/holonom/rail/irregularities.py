"""Irregularities of tracks: classes of spectra, records made from them, files.

Four quantities over s: ``level`` (mean height of both rails), ``alignment`` (mean lateral position, positive to the
left),
``cross`` (height of the left rail over the right one), ``gauge`` (widening).

Power spectral densities are one-sided over the angular wave number Omega (rad / m), so that the variance is the
integral of S over Omega:

FRA, classes 1 (rough) to 6 (Federal Railroad Administration; Fries, Coffey, J. Dyn. Syst. Meas. Control 112 (1990); as
Lei, High Speed Railway Track Dynamics (2017), prints it, k = 1/4, A_v, A_a in cm^2 rad / m)

    level      S = k A_v Oc^2 / (O^2 (O^2 + Oc^2))
    alignment  S = k A_a Oc^2 / (O^2 (O^2 + Oc^2))
    cross      S = 4 k A_v Oc^2 / ((O^2 + Oc^2) (O^2 + Os^2))

ERRI B 176, "low" and "high" disturbance (Claus, Schiehlen, Modeling and simulation of railway bogie structural
vibrations, Vehicle System Dynamics Suppl. 28 (1998) 538)

    level      S = A_v Oc^2 / ((O^2 + Or^2) (O^2 + Oc^2))
    alignment  S = A_a Oc^2 / ((O^2 + Or^2) (O^2 + Oc^2))
    cross      S = (2 b)^2 A_v / b^2 Oc^2 O^2 / ((O^2 + Or^2) (O^2 + Oc^2) (O^2 + Os^2)),     b = 0.75 m, as a height

Authors differ in what their S is the density of; Claus and Schiehlen make records whose variance is the integral
divided by pi.  ``scale`` multiplies the
spectra: give 1/pi for theirs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import shown
from ..model.bounded_file import read_bounded
from ..model.values import number

#: class -> A_v, A_a (cm^2 rad / m), Os (rad / m)
FRA = {
    1: (1.2107, 3.3634, 0.6046),
    2: (1.0181, 1.2107, 0.9308),
    3: (0.6816, 0.4128, 0.8520),
    4: (0.5376, 0.3027, 1.1312),
    5: (0.2095, 0.0762, 0.8209),
    6: (0.0339, 0.0339, 0.4380),
}
FRA_CUT = 0.8245
#: disturbance -> A_v, A_a (m rad)
ERRI = {"low": (4.032e-7, 2.119e-7), "high": (1.08e-6, 6.125e-7)}
ERRI_CUT, ERRI_LONG, ERRI_CROSS = 0.8246, 0.0206, 0.4380
IRREGULARITY_TYPES = ("level", "alignment", "cross")
MOST_BYTES = 200_000_000


def spectrum(name: str, kind: str, omega: Any) -> np.ndarray:
    """One-sided power spectral density (m^2 / (rad / m)) at angular wave numbers (rad / m): ``name`` "FRA 1" ... "FRA
    6", "ERRI low", "ERRI high"; ``kind`` level, alignment or cross. Raises ModelError for unknown keywords."""
    o = np.asarray(omega, float)
    family, _, which = str(name).strip().partition(" ")
    if kind not in IRREGULARITY_TYPES:
        raise ModelError(f"kind is {shown(kind)}; give one of {', '.join(IRREGULARITY_TYPES)}")
    if family.upper() == "FRA" and which.strip() in {str(k) for k in FRA}:
        a_v, a_a, o_s = FRA[int(which)]
        k, c2 = 0.25e-4, FRA_CUT**2
        if kind == "cross":
            return 4.0 * k * a_v * c2 / ((o**2 + c2) * (o**2 + o_s**2))
        return k * (a_v if kind == "level" else a_a) * c2 / (o**2 * (o**2 + c2))
    if family.upper() == "ERRI" and which.strip().lower() in ERRI:
        a_v, a_a = ERRI[which.strip().lower()]
        c2, r2 = ERRI_CUT**2, ERRI_LONG**2
        if kind == "cross":
            return 4.0 * a_v * c2 * o**2 / ((o**2 + r2) * (o**2 + c2) * (o**2 + ERRI_CROSS**2))
        return (a_v if kind == "level" else a_a) * c2 / ((o**2 + r2) * (o**2 + c2))
    known = [f"FRA {k}" for k in FRA] + [f"ERRI {k}" for k in ERRI]
    raise ModelError(f"there is no spectrum {shown(name)}; give one of {', '.join(known)}")


@dataclass(frozen=True)
class Irregularities(Summary):
    """``first``, ``spacing``: where and how far apart (m); ``level``, ``alignment``, ``cross``, ``gauge`` (n,) in
    metres."""

    first: float
    spacing: float
    level: np.ndarray
    alignment: np.ndarray
    cross: np.ndarray
    gauge: np.ndarray

    @property
    def s(self) -> np.ndarray:
        return self.first + self.spacing * np.arange(len(self.level))

    def rows(self, units: Any = None) -> np.ndarray:
        """(n, 4): y and z of the left rail, y and z of the right one, in metres or in ``units`` of a model."""
        half, wide = 0.5 * self.cross, 0.5 * self.gauge
        out = np.column_stack([self.alignment + wide, self.level + half, self.alignment - wide, self.level - half])
        return out if units is None else out / units.si_length

    def arguments(self, units: Any) -> dict[str, Any]:
        """What ``model.rail_track`` takes: irregularities, spacing, first."""
        return {
            "irregularities": self.rows(units),
            "spacing": self.spacing / units.si_length,
            "first": self.first / units.si_length,
        }


def make_irregularities(
    name: str,
    length: float,
    *,
    spacing: float = 0.25,
    first: float = 0.0,
    wavelengths=(1.0, 100.0),
    scale: float = 1.0,
    seed: int = 0,
    ramp: float = 0.0,
    kinds=IRREGULARITY_TYPES,
) -> Irregularities:
    """A record of ``length`` metres from ``first`` on with the `spectrum` ``name``: harmonics of the length with random
    phases (``seed``) and the amplitude sqrt(2 S dOmega), so that its periodogram is the spectrum, between the
    ``wavelengths`` (m); periodic over the length.

    ``scale`` multiplies S; ``ramp``: length in metres at either end over which it is faded in and out; ``kinds``:
    components to generate. Raises `ModelError` for lengths that do not fit.
    """
    short, long = (number(v, "wavelengths") for v in wavelengths)
    given = {"length": length, "spacing": spacing, "first": first, "scale": scale, "ramp": ramp}
    length, spacing, first, scale, ramp = (number(v, w) for w, v in given.items())
    for kind in kinds:
        if kind not in IRREGULARITY_TYPES:
            raise ModelError(
                f"there is no kind {shown(kind)} of irregularity; there are {', '.join(IRREGULARITY_TYPES)}"
            )
    if not (length > 0.0 and spacing > 0.0 and length / spacing <= 2e6):
        raise ModelError(
            f"length is {length:g} and spacing {spacing:g}; give positive metres, up to two million points"
        )
    if not 2.0 * spacing <= short < long:
        raise ModelError(
            f"wavelengths are {short:g} to {long:g} m with points {spacing:g} m apart; give 2 spacing <= short < long"
        )
    if not 0.0 <= 2.0 * ramp <= length or not scale > 0.0:
        raise ModelError(
            f"ramp is {ramp:g} and scale {scale:g}; give a ramp up to half of the length and a positive scale"
        )
    n = int(round(length / spacing))
    step = 2.0 * math.pi / (n * spacing)
    omega = step * np.arange(1, n // 2)
    inside = (omega >= 2.0 * math.pi / long * (1.0 - 1e-9)) & (omega <= 2.0 * math.pi / short * (1.0 + 1e-9))
    if not inside.any():
        raise ModelError(
            f"length is {length:g} m, shorter than the longest wavelength {long:g} m and without a harmonic between; "
            "give a longer record"
        )
    rng = np.random.default_rng(seed)
    out = {}
    x = spacing * np.arange(n)
    fade = np.ones(n)
    if ramp > 0.0:
        u = np.clip(np.minimum(x, x[-1] - x) / ramp, 0.0, 1.0)
        fade = u * u * (3.0 - 2.0 * u)
    for kind in IRREGULARITY_TYPES:
        phases = rng.uniform(0.0, 2.0 * math.pi, len(omega))  # drawn for all, so that types do not change each other
        if kind not in kinds:
            out[kind] = np.zeros(n)
            continue
        size = np.where(inside, np.sqrt(2.0 * scale * spectrum(name, kind, omega) * step), 0.0)
        spectrum_ = np.zeros(n // 2 + 1, complex)
        spectrum_[1 : len(omega) + 1] = 0.5 * n * size * np.exp(1j * phases)
        out[kind] = np.fft.irfft(spectrum_, n) * fade
    return Irregularities(first, spacing, gauge=np.zeros(n), **out)


def spectral_density(values: Any, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """Angular wave numbers (rad / m) and the one-sided periodogram of a record whose points are ``spacing`` apart: the
    sum of S dOmega is the variance."""
    v = np.asarray(values, float)
    n = len(v)
    f = np.fft.rfft(v - v.mean())
    step = 2.0 * math.pi / (n * spacing)
    density = 2.0 * np.abs(f) ** 2 / n**2 / step
    if n % 2 == 0:
        density[-1] *= 0.5
    return step * np.arange(1, len(f)), density[1:]


def read_irregularities(
    path: str | Path,
    *,
    unit: str = "mm",
    columns=("s", "y_left", "z_left", "y_right", "z_right"),
    spacing: float | None = None,
) -> Irregularities:
    """A record from a text file of rows of numbers (commas, blanks, tabs or semicolons between; lines without numbers
    are skipped): s in metres, the rest in ``unit`` ("mm", "m").

    ``columns`` names them in order: s, y_left, z_left, y_right, z_right, or level, alignment, cross, gauge; "-" skips
    one.  s must rise; rows are brought to an even spacing (default the
    mean one).  Raises `ModelError` for what cannot be read.
    """
    if unit not in ("mm", "m"):
        raise ModelError(f"unit is {shown(unit)}; give mm or m")
    known = {"s", "y_left", "z_left", "y_right", "z_right", "level", "alignment", "cross", "gauge", "-"}
    for word in columns:
        if word not in known:
            raise ModelError(f"there is no column {shown(word)}; there are {', '.join(sorted(known))}")
    if "s" not in columns:
        raise ModelError("columns name no s, the position along the track")
    where = Path(path)
    text = read_bounded(where, MOST_BYTES, "a record is not").decode("utf-8", errors="replace")
    rows = []
    for count, line in enumerate(text.splitlines(), 1):
        words = line.replace(",", " ").replace(";", " ").split()
        if not words:
            continue
        try:
            values = [float(w) for w in words]
        except ValueError:
            if rows:
                raise ModelError(
                    f"'{where}', line {count}: {shown(line.strip()[:60])} is not a row of numbers"
                ) from None
            continue
        if len(values) < len(columns):
            raise ModelError(f"'{where}', line {count} has {len(values)} numbers; {len(columns)} columns are named")
        rows.append(values[: len(columns)])
    if len(rows) < 4:
        raise ModelError(f"'{where}' has {len(rows)} rows; a record has four or more")
    table = {word: column for word, column in zip(columns, np.array(rows).T) if word != "-"}
    s = table.pop("s")
    if not np.isfinite(np.array(rows)).all() or not (np.diff(s) > 0.0).all():
        raise ModelError(f"'{where}': s does not rise from row to row, or a number is not finite")
    step = float(np.ptp(s) / (len(s) - 1)) if spacing is None else spacing
    at = s[0] + step * np.arange(int((s[-1] - s[0]) / step * (1.0 + 1e-12)) + 1)
    scale = 1e-3 if unit == "mm" else 1.0
    table = {word: scale * np.interp(at, s, v) for word, v in table.items()}
    zero = np.zeros(len(at))
    get = lambda word: table.get(word, zero)
    if {"y_left", "z_left", "y_right", "z_right"} & set(table):
        yl, zl, yr, zr = (get(w) for w in ("y_left", "z_left", "y_right", "z_right"))
        return Irregularities(float(at[0]), step, 0.5 * (zl + zr), 0.5 * (yl + yr), zl - zr, yl - yr)
    return Irregularities(float(at[0]), step, get("level"), get("alignment"), get("cross"), get("gauge"))


def curve(
    radius: float,
    *,
    straight: float = 50.0,
    transition: float = 50.0,
    length: float = 100.0,
    cant: float = 0.0,
    out: float = 50.0,
    left: bool = True,
) -> list[tuple[float, float, float]]:
    """Sections for ``model.rail_track``: a straight, a clothoid with a ramp of cant, a curve, a clothoid back, a
    straight (``out``; zero: the curve continues to the end).

    ``cant``: height of the outer rail over the inner one."""
    for what, value in (("radius", radius), ("straight", straight), ("transition", transition), ("length", length)):
        if not number(value, what) > 0.0:
            raise ModelError(f"{what} is {value:g}; give a positive length")
    cant, out = number(cant, "cant"), number(out, "out")
    sign = 1.0 if left else -1.0
    bend, high = sign / radius, sign * cant
    rows = [(straight, 0.0, 0.0), (transition, bend, high), (length, bend, high)]
    return [*rows, (transition, 0.0, 0.0), (out, 0.0, 0.0)] if out > 0.0 else rows


def equilibrium_cant(radius: float, speed: float, spread: float = 1.5, gravity: float = 9.80665) -> float:
    """Equilibrium cant, at which there is no lateral force in the plane of the rails: spread v^2 / sqrt(v^4 + (g
    R)^2)."""
    v2 = speed * speed
    return spread * v2 / math.hypot(v2, gravity * radius)
