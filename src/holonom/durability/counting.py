"""Cycle counting after ASTM E1049-85 (2017): rainflow, range pairs, simple ranges, level crossings, peaks; turning
points and matrices.

Rainflow is the three-point rule of section 5.4.4: a range that is not larger than the one after it is a cycle, half a
cycle where it holds the first point, and what is left at the end is half cycles.  The four-point rule (AFNOR A03-406;
Amzallag, Gerey, Robert & Bahuaud, International Journal of Fatigue 16 (1994) 287-293) takes only cycles that lie within
the ranges on both sides, and gives the same ones once its residue is counted the same way. A signal that repeats is
turned so that it begins at its largest value, and then all cycles close (section 5.4.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._summary import Summary
from ..model.base import ModelError, shown
from ..model.kinds import all_numbers, not_negative, positive
from . import kernels
from ._words import finite_array, history, word

RESIDUES = ("half", "repeat", "none")
METHODS = ("three_point", "four_point")


@dataclass(frozen=True, eq=False)
class Cycles(Summary):
    """Cycles of a signal, in the order in which they close.

    ``start``, ``end`` (k,): the two turning points of each, in the unit of the signal; ``count`` (k,): 1, 0.5, or how
    often it occurs; ``first``, ``last`` (k,): their positions in the signal (-1: not of one signal).
    """

    start: np.ndarray
    end: np.ndarray
    count: np.ndarray
    first: np.ndarray
    last: np.ndarray

    def __len__(self) -> int:
        return len(self.count)

    def __repr__(self) -> str:
        return f"Cycles({self.total:g} cycles, largest range {self.range.max(initial=0.0):g})"

    @property
    def range(self) -> np.ndarray:
        """(k,) difference of the turning points, not negative."""
        return np.abs(self.end - self.start)

    @property
    def amplitude(self) -> np.ndarray:
        """(k,) half the range."""
        return 0.5 * self.range

    @property
    def mean(self) -> np.ndarray:
        """(k,) middle of the turning points."""
        return 0.5 * (self.start + self.end)

    @property
    def total(self) -> float:
        """How many cycles, half ones as halves."""
        return float(self.count.sum())

    def table(self, digits: int = 9) -> np.ndarray:
        """(r, 2): the ranges that occur, rising and rounded to so many digits of the largest, and how many cycles have
        them."""
        size = self.range.max(initial=0.0)
        if not size:
            return np.zeros((0, 2))
        grid = 10.0 ** (np.floor(np.log10(size)) + 1 - digits)
        ranges, place = np.unique(np.round(self.range / grid), return_inverse=True)
        return np.column_stack([ranges * grid, np.bincount(place, self.count)])

    def exceedance(self) -> tuple[np.ndarray, np.ndarray]:
        """Ranges (r,), falling, and how many cycles are as large or larger (r,): the cumulative spectrum of the
        load."""
        order = np.argsort(-self.range, kind="stable")
        ranges, total = self.range[order], np.cumsum(self.count[order])
        keep = np.append(ranges[1:] != ranges[:-1], True) if len(ranges) else np.zeros(0, bool)
        return ranges[keep], total[keep]

    def scaled(self, factor: float) -> Cycles:
        """Turning points times a factor: stress per load, a safety factor. Raises `ModelError` for a value that is not
        a number."""
        all_numbers(factor=factor)
        return replace(self, start=self.start * factor, end=self.end * factor)

    def times(self, repeats: float) -> Cycles:
        """So many passes.  Raises `ModelError` for a number that is not positive."""
        positive(repeats=repeats)
        return replace(self, count=self.count * repeats)

    def equivalent_range(self, slope: float, cycles: float = 1e6) -> float:
        """Range which, ``cycles`` times, does the damage of these on a curve of this slope: (sum n_i R_i^m / N)^(1/m),
        unit of the signal.

        Raises `ModelError` for a slope or a number that is not positive.
        """
        positive(slope=slope, cycles=cycles)
        size = self.range.max(initial=0.0)
        return (
            float(size * (np.sum(self.count * (self.range / size) ** slope) / cycles) ** (1.0 / slope)) if size else 0.0
        )

    def equivalent_amplitude(self, slope: float, cycles: float = 1e6) -> float:
        """Half the `equivalent_range`."""
        return 0.5 * self.equivalent_range(slope, cycles)

    def pseudo_damage(self, slope: float) -> float:
        """sum n_i a_i^m over the amplitudes: damage but for the constant of a curve, for comparison; (unit of the
        signal)^slope."""
        positive(slope=slope)
        return float(np.sum(self.count * self.amplitude**slope))

    def from_to(self, bins: int | Sequence[float] = 32) -> Matrix:
        """Rainflow matrix: how many cycles go from a class (row) to a class (column)."""
        edges = _edges(bins, np.concatenate([self.start, self.end]))
        return Matrix(_counted(self.start, edges, self.end, edges, self.count), edges, edges, "from", "to")

    def range_mean(self, bins: int | Sequence[float] = 32, mean_bins: int | Sequence[float] | None = None) -> Matrix:
        """Matrix of ranges (rows) and means (columns)."""
        rows = _edges(bins, np.append(self.range, 0.0))
        columns = _edges(
            bins if mean_bins is None and np.ndim(bins) == 0 else 32 if mean_bins is None else mean_bins, self.mean
        )
        return Matrix(_counted(self.range, rows, self.mean, columns, self.count), rows, columns, "range", "mean")


@dataclass(frozen=True, eq=False)
class Matrix(Summary):
    """Cycles in classes: ``counts`` (r, c), ``rows`` (r + 1,) and ``columns`` (c + 1,) the edges of the classes in the
    unit of the signal."""

    counts: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    row_name: str
    column_name: str

    def cycles(self) -> Cycles:
        """The cycles, each at the middle of its classes: what is left of a signal that was kept as a matrix."""
        i, j = np.nonzero(self.counts)
        row, column = (0.5 * (e[1:] + e[:-1]) for e in (self.rows, self.columns))
        none = np.full(len(i), -1)
        if self.row_name == "from":
            return Cycles(row[i], column[j], self.counts[i, j], none, none)
        return Cycles(column[j] - 0.5 * row[i], column[j] + 0.5 * row[i], self.counts[i, j], none, none)


def _edges(bins: Any, values: np.ndarray) -> np.ndarray:
    if np.ndim(bins) == 0:
        if not (isinstance(bins, (int, np.integer)) and 1 <= bins <= 4096):
            raise ModelError(f"bins = {shown(bins)}; give a number of classes from 1 to 4096, or their edges")
        low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
        return np.linspace(low, high if high > low else low + 1.0, int(bins) + 1)
    edges = finite_array(bins, "classes")
    if edges.ndim != 1 or len(edges) < 2 or not np.all(np.diff(edges) > 0.0):
        raise ModelError(f"edges of classes are {shown(bins)}; give two or more rising numbers")
    if len(values) and not (edges[0] <= values.min() and values.max() <= edges[-1]):
        raise ModelError(
            f"classes from {edges[0]:g} to {edges[-1]:g} do not hold all values, which go from {values.min():g} to "
            f"{values.max():g}; widen them"
        )
    return edges


def _counted(row, rows, column, columns, count) -> np.ndarray:
    i, j = (
        np.clip(np.searchsorted(e, v, side="right") - 1, 0, len(e) - 2) for v, e in ((row, rows), (column, columns))
    )
    out = np.zeros((len(rows) - 1, len(columns) - 1))
    np.add.at(out, (i, j), count)
    return out


def turning_points(signal: Any, hysteresis: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Positions (m,) and values (m,) of the turning points of a signal (n,), its ends among them.

    ``hysteresis``: swings that are not larger than this, in the unit of the signal, are none.  Of a constant signal
    there is one. Raises `ModelError` for an empty signal or values that are not finite.
    """
    x = history(signal, least=1)
    not_negative(hysteresis=hysteresis)
    at = np.empty(len(x) + 1, np.int64)
    at = at[: kernels.turning(x, len(x), float(hysteresis), at)]
    return at, x[at]


def rainflow(signal: Any, residue: str = "half", *, method: str = "three_point", hysteresis: float = 0.0) -> Cycles:
    """Rainflow cycles of a signal (n,), after ASTM E1049-85 section 5.4.4.

    ``residue``: "half" counts the residue as half cycles (the standard), "repeat" treats the signal as periodic, so
    that all cycles close, "none" omits the residue; ``method``: "three_point" (the standard) or "four_point" (AFNOR);
    ``hysteresis``: smallest range that counts, in the unit of the signal. Raises `ModelError` for a signal that is
    empty or not finite, and for unknown keywords.
    """
    x = history(signal)
    word("residue", residue, RESIDUES)
    word("method", method, METHODS)
    places = np.arange(len(x))
    if residue == "repeat" and method == "three_point":
        top = int(np.argmax(x))
        places = np.append(np.roll(places, -top), top)
    at, _ = turning_points(x[places], hysteresis)
    values = x[places]
    m = len(at)
    stack, first, last, count = (
        np.empty(m + 1, np.int64),
        np.empty(2 * m + 2, np.int64),
        np.empty(2 * m + 2, np.int64),
        np.empty(2 * m + 2),
    )
    if method == "three_point":
        k = kernels.three_point(values, at, m, residue == "repeat", stack, first, last, count)
        if residue == "none":
            whole = count[:k] == 1.0
            first, last, count, k = first[:k][whole], last[:k][whole], count[:k][whole], int(whole.sum())
    else:
        k, left = kernels.four_point(values, at, m, stack, first, last, count)
        rest = stack[:left].copy()
        if residue == "half":
            first[k : k + left - 1], last[k : k + left - 1], count[k : k + left - 1] = rest[:-1], rest[1:], 0.5
            k += left - 1
        elif residue == "repeat":
            twice = np.concatenate([rest, rest])
            turns, _ = turning_points(values[twice], hysteresis)
            a, b = first[k:].copy(), last[k:].copy()
            more, _ = kernels.four_point(
                values[twice], turns, len(turns), np.empty(len(turns) + 1, np.int64), a, b, count[k:]
            )
            first[k : k + more], last[k : k + more] = twice[a[:more]], twice[b[:more]]
            k += more
    first, last = places[first[:k]], places[last[:k]]
    return Cycles(x[first], x[last], count[:k].copy(), first, last)


def range_pairs(signal: Any, *, hysteresis: float = 0.0) -> Cycles:
    """Range-pair counting of a signal (n,), ASTM E1049-85 section 5.4.2: a range is counted if a range of equal or
    larger size in the opposite direction follows.

    The remainder at the end is counted backwards.  Raises `ModelError` as `rainflow` does.
    """
    x = history(signal)
    at, _ = turning_points(x, hysteresis)
    m = len(at)
    first, last = np.empty(m + 1, np.int64), np.empty(m + 1, np.int64)
    k = kernels.range_pairs(x, at, m, np.empty(m + 1, np.int64), first, last)
    return Cycles(x[first[:k]], x[last[:k]], np.ones(k), first[:k], last[:k])


def simple_ranges(signal: Any, *, hysteresis: float = 0.0) -> Cycles:
    """Simple-range counting of a signal (n,), ASTM E1049-85 section 5.3: each range between two turning points is half
    a cycle.

    Raises `ModelError` as `rainflow` does.
    """
    x = history(signal)
    at, values = turning_points(x, hysteresis)
    return Cycles(values[:-1], values[1:], np.full(len(at) - 1, 0.5), at[:-1], at[1:])


def level_crossings(
    signal: Any, levels: int | Sequence[float] = 32, reference: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Level crossing counting of a signal (n,), ASTM E1049-85 section 5.1: levels (l,) and how often each is crossed
    (l,).

    Levels at and above the ``reference`` are counted at upward crossings, levels below it at downward crossings;
    ``levels``: their number between minimum and maximum, or the levels, in the unit of the signal. Raises `ModelError`
    as `rainflow` does.
    """
    x = history(signal)
    all_numbers(reference=reference)
    if np.ndim(levels) == 0:
        if not (isinstance(levels, (int, np.integer)) and 1 <= levels <= 100_000):
            raise ModelError(f"levels = {shown(levels)}; give how many, from 1 to 100000, or the levels themselves")
        at = np.linspace(x.min(), x.max(), int(levels) + 2)[1:-1]
    else:
        at = finite_array(levels, "levels")
        if at.ndim != 1 or not np.all(np.diff(at) > 0.0):
            raise ModelError(f"levels are {shown(levels)}; give rising numbers")
    a, b = x[:-1], x[1:]
    rising, falling = np.zeros(len(at) + 1), np.zeros(len(at) + 1)
    up, down = b > a, b < a
    np.add.at(rising, np.searchsorted(at, a[up], side="right"), 1)  # levels with a < level <= b
    np.add.at(rising, np.searchsorted(at, b[up], side="right"), -1)
    np.add.at(falling, np.searchsorted(at, b[down], side="left"), 1)  # levels with b <= level < a
    np.add.at(falling, np.searchsorted(at, a[down], side="left"), -1)
    return at, np.where(at >= reference, np.cumsum(rising)[:-1], np.cumsum(falling)[:-1]).astype(int)


def peaks(
    signal: Any, reference: float = 0.0, *, between_crossings: bool = False, hysteresis: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Peak counting of a signal (n,), ASTM E1049-85 section 5.2: values (p,), rising, and how often each occurs (p,).

    Peaks above the ``reference`` and valleys below it are counted, ends of the signal are not; ``between_crossings``:
    only the largest between two crossings of the reference (mean-crossing peak counting). Raises `ModelError` as
    `rainflow` does.
    """
    x = history(signal)
    all_numbers(reference=reference)
    at, values = turning_points(x, hysteresis)
    before, here, after = values[:-2], values[1:-1], values[2:]
    keep = ((here > before) & (here > after) & (here > reference)) | (
        (here < before) & (here < after) & (here < reference)
    )
    found, where = here[keep], at[1:-1][keep]
    if between_crossings and len(found):
        side = np.sign(x - reference)
        side[side == 0.0] = 1.0
        stretch = np.concatenate([[0], np.cumsum(side[1:] != side[:-1])])[where]
        begin = np.flatnonzero(np.append(True, stretch[1:] != stretch[:-1]))
        found = reference + np.sign(found[begin] - reference) * np.maximum.reduceat(np.abs(found - reference), begin)
    return np.unique(found, return_counts=True)


def combine(blocks: Iterable[tuple[Cycles, float]]) -> Cycles:
    """Cycles of a duty cycle: each block of (cycles, repeats) is repeated that many times. Cycles between blocks are
    not counted.

    Raises `ModelError` for no blocks and for repeats that are not positive.
    """
    pairs = list(blocks)
    if not pairs or not all(isinstance(p, (tuple, list)) and len(p) == 2 and isinstance(p[0], Cycles) for p in pairs):
        raise ModelError(
            f"a duty is {shown(pairs) if pairs else 'without blocks'}; give pairs of cycles (as rainflow counts them) "
            "and repeats"
        )
    parts = [c.times(r) for c, r in pairs]
    joined = {name: np.concatenate([getattr(c, name) for c in parts]) for name in ("start", "end", "count")}
    none = np.full(len(joined["count"]), -1)
    return Cycles(**joined, first=none, last=none)
