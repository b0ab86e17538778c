"""Accelerations of the ground: records from files, their baseline, filters and scales."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import close_word, shown
from ..model.bounded_file import read_bounded

MOST_BYTES = 50_000_000
G = 9.80665  # m/s^2
#: units of records in m/s^2
UNITS = {"g": G, "m/s2": 1.0, "cm/s2": 1e-2, "gal": 1e-2, "mm/s2": 1e-3, "in/s2": 0.0254, "ft/s2": 0.3048}
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?")


@dataclass(frozen=True)
class GroundMotion(Summary):
    """A record: ``acceleration`` (n,) in m/s^2 at equal steps ``dt`` in s, linear between them; ``name``; ``done``:
    processing steps, one sentence each."""

    acceleration: np.ndarray
    dt: float
    name: str = ""
    done: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        a = np.asarray(self.acceleration, float)
        if a.ndim != 1 or len(a) < 2 or not np.all(np.isfinite(a)):
            raise ModelError(
                f"a record of shape {a.shape} is not a row of finite numbers; give two or more accelerations"
            )
        if not (math.isfinite(self.dt) and self.dt > 0.0):
            raise ModelError(f"dt of a record is {shown(self.dt)}; give a positive time")
        a.flags.writeable = False
        object.__setattr__(self, "acceleration", a)

    @property
    def time(self) -> np.ndarray:
        """(n,) s, from zero."""
        return self.dt * np.arange(len(self.acceleration))

    @property
    def peak(self) -> float:
        """Largest acceleration, m/s^2."""
        return float(np.abs(self.acceleration).max())

    def velocity(self) -> np.ndarray:
        """(n,) m/s from rest: the integral of the straight pieces, exact."""
        a = self.acceleration
        return np.concatenate([[0.0], np.cumsum(0.5 * self.dt * (a[1:] + a[:-1]))])

    def displacement(self) -> np.ndarray:
        """(n,) m from rest, exact."""
        a, v, h = self.acceleration, self.velocity(), self.dt
        return np.concatenate([[0.0], np.cumsum(h * v[:-1] + h * h * (a[:-1] / 3.0 + a[1:] / 6.0))])

    def scaled(self, factor: float | None = None, *, peak: float | None = None) -> GroundMotion:
        """The record times a factor, or with this ``peak`` (m/s^2).  Raises `ModelError` where neither or both are
        given."""
        if (factor is None) == (peak is None):
            raise ModelError("give factor or peak, one of them")
        f = factor if factor is not None else peak / self.peak
        return replace(self, acceleration=f * self.acceleration, done=(*self.done, f"scaled by {f:.6g}"))

    def corrected(self, order: int = 1) -> GroundMotion:
        """The record without the polynomial drift of its velocity: a polynomial of this ``order`` is fitted to the
        velocity (through zero at the start), and its derivative taken
        away.  Raises `ModelError` for orders outside of 1 to 5."""
        if order not in range(1, 6):
            raise ModelError(f"order of a baseline is {shown(order)}; give 1 to 5")
        t = self.time / max(self.time[-1], 1e-300)
        powers = np.stack([t**k for k in range(1, order + 1)], axis=1)
        c = np.linalg.lstsq(powers, self.velocity(), rcond=None)[0]
        slope = sum(c[k - 1] * k * t ** (k - 1) for k in range(1, order + 1)) / max(self.time[-1], 1e-300)
        return replace(
            self,
            acceleration=self.acceleration - slope,
            done=(*self.done, f"baseline of order {order} taken out of the velocity"),
        )

    def filtered(self, low: float | None = None, high: float | None = None, order: int = 4) -> GroundMotion:
        """The record between the frequencies ``low`` and ``high`` (Hz; one may be missing): Butterworth of this
        ``order``, forward and back, without a shift of time.

        Raises `ModelError` for frequencies that are not between zero and half of the sampling rate.
        """
        from scipy.signal import butter, sosfiltfilt

        nyquist = 0.5 / self.dt
        edges = [f for f in (low, high) if f is not None]
        if not edges or any(not 0.0 < f < nyquist for f in edges) or edges != sorted(edges):
            raise ModelError(
                f"low is {shown(low)} and high {shown(high)}; give one or two frequencies that rise, between 0 and "
                f"{nyquist:g} Hz"
            )
        kind = "bandpass" if len(edges) == 2 else ("highpass" if low is not None else "lowpass")
        sos = butter(order, edges if len(edges) == 2 else edges[0], kind, fs=1.0 / self.dt, output="sos")
        text = f"Butterworth of order {order}, forward and back, {kind} {' to '.join(f'{f:g}' for f in edges)} Hz"
        return replace(self, acceleration=sosfiltfilt(sos, self.acceleration), done=(*self.done, text))


def read_ground_motion(
    path: str | Path, *, units: str | None = None, dt: float | None = None, column: int | None = None
) -> GroundMotion:
    """A record from a file of PEER (AT2: units of g, NPTS and DT in its head), from a CSV or text table with times, or
    of accelerations alone.

    ``units``: of the accelerations, "g", "m/s2", "cm/s2" (gal), "mm/s2", "in/s2", "ft/s2"; needed where the head does
    not give; ``dt``: s, needed for tables without times
    whose head does not give; ``column``: of a table, from 0 (default: of two columns whose first, the times, rises the
    second, else the first). Raises `ModelError`, with file and line, for data that cannot be read and for units or
    steps that are not given.
    """
    path = Path(path)
    lines = read_bounded(path, MOST_BYTES, "a record is not").decode("latin-1").splitlines()
    first, rows = 0, []
    for count, line in enumerate(lines, 1):
        words = line.replace(",", " ").replace(";", " ").split()
        numbers = (
            [float(w.replace("D", "E").replace("d", "e")) for w in words]
            if words and all(_NUMBER.fullmatch(w) for w in words)
            else None
        )
        if numbers is None:
            if rows and words:
                raise ModelError(f"'{path}:{count}': {shown(line.strip())} is not a row of numbers")
            continue
        if not rows:
            first = count
        rows.append(numbers)
    head = "\n".join(lines[: max(first - 1, 0)])
    if not rows:
        raise ModelError(f"'{path}' has no row of numbers")
    npts = re.search(r"NPTS\s*=\s*(\d+)", head, re.I)
    step = re.search(r"\bdt\s*=\s*([\d.eE+-]*\d)", head, re.I)
    stated = _told_units(head)
    pairs = np.array(rows) if all(len(row) == 2 for row in rows) and len(rows) > 2 else np.zeros((0, 2))
    # times next to accelerations, whatever the head says of the points
    timed = len(pairs) > 0 and bool((np.diff(pairs[:, 0]) > 0.0).all()) and (not npts or int(npts[1]) <= len(pairs))
    if npts and dt is None and step and not timed:
        values = np.array([v for row in rows for v in row])
        if len(values) < int(npts[1]):
            raise ModelError(f"'{path}' has {len(values)} numbers and its header states {npts[1]}; it is cut off")
        values, dt = values[: int(npts[1])], float(step[1])
    else:
        width = len(rows[0])
        uneven = next((k for k, row in enumerate(rows) if len(row) != width), None)
        if uneven is not None and not (npts or uneven == len(rows) - 1):
            raise ModelError(
                f"'{path}:{first + uneven}': it has {len(rows[uneven])} numbers where the first row has {width}"
            )
        table = np.array([row for row in rows if len(row) == width])
        times = timed
        if timed and column in (None, 1):
            steps = np.diff(table[:, 0])
            uneven = int(np.argmax(np.abs(steps - np.median(steps))))
            # times may be rounded: none is further from its position than half a step
            even = np.linspace(table[0, 0], table[-1, 0], len(table))
            if np.abs(table[:, 0] - even).max() > 0.5 * (even[1] - even[0]):
                raise ModelError(
                    f"'{path}:{first + uneven + 1}': its times do not rise by equal steps ({steps[uneven]:g} after "
                    f"steps of {np.median(steps):g} s); "
                    "give a record with equal steps"
                )
        if column is None:
            column = 1 if times else 0
        if not 0 <= column < width:
            raise ModelError(f"column is {column}; '{path}' has columns 0 to {width - 1}")
        values = table[:, column]
        if dt is None:
            dt = float((table[-1, 0] - table[0, 0]) / (len(table) - 1)) if times else float(step[1]) if step else None
    if dt is None:
        raise ModelError(f"'{path}' does not give its step of time; give dt=")
    unit = units if units is not None else stated
    if unit is None:
        raise ModelError(f"'{path}' does not give its units; give units= one of {', '.join(UNITS)}")
    if unit not in UNITS:
        meant = close_word(str(unit), UNITS)
        raise ModelError(
            f"units is {shown(unit)}" + (f"; did you mean '{meant}'?" if meant else f"; choose from {', '.join(UNITS)}")
        )
    done = [f"read as {unit}, step {dt:g} s"]
    return GroundMotion(UNITS[unit] * values, dt, path.stem, tuple(done))


def _told_units(head: str) -> str | None:
    text = head.lower().replace("^", "").replace(" ", "")
    for unit, words in (
        ("cm/s2", ("cm/sec2", "cm/s2", "cm/sec/sec")),
        ("mm/s2", ("mm/sec2", "mm/s2")),
        ("in/s2", ("in/sec2", "in/s2")),
        ("m/s2", ("m/sec2", "m/s2")),
    ):
        if any(w in text for w in words):
            return unit
    if re.search(r"\bgals?\b", head, re.I):
        return "cm/s2"
    return "g" if re.search(r"(units\s+of|\bin)\s+g\b|[(\[]\s*g\s*[)\]]", head, re.I) else None
