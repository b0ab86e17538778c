"""INVPSD: a signal of given power spectral density, written out as a sum of sines.

Adams Solver manual, INVPSD: ``INVPSD(x, id, f0, f1, nf, linlog, seed)`` is ``sum A_i sin(2 pi f_i x + phi_i)`` at nf
frequencies from f0 to f1 (in cycles per unit of x), with amplitudes such that the effective values of the signal and of
the density agree, and phases of a pseudo-random number generator, the same for the same seed.  Here A_i**2/2 is the
integral of the density, which is straight between the points of the spline, or straight over logarithms, over the cell
of f_i: exactly, whatever nf is.  The generator is SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014); that of Adams
is not published, so the signals of both have one density and different phases.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .errors import ExpressionError
from .nodes import LONGEST_SUM, Binary, Call, Node, Number

MOST = 2000  # frequencies
_MASK = (1 << 64) - 1


def phases(seed: int, count: int) -> list[float]:
    """``count`` angles from 0 to 2 pi."""
    state, out = seed & _MASK, []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        out.append(2.0 * math.pi * ((z ^ (z >> 31)) >> 11) / 2.0**53)
    return out


def amplitudes(x: Sequence[float], y: Sequence[float], f: np.ndarray, logarithmic: bool) -> np.ndarray:
    """Amplitudes at the frequencies f (n) of the density y(x).  Raises `ExpressionError` where it has no meaning."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if not (f[0] >= x[0] and f[-1] <= x[-1]):
        raise ExpressionError(
            f"the frequencies {f[0]:g} to {f[-1]:g} of INVPSD must lie within {x[0]:g} to {x[-1]:g}, where the density "
            "is given"
        )
    near = y[(x >= f[0]) & (x <= f[-1])]
    if (near < 0).any():
        raise ExpressionError(f"the density of INVPSD is {near.min():g} somewhere; it must not be negative")
    if logarithmic and (f[0] <= 0 or x[0] <= 0 or (y <= 0).any()):
        raise ExpressionError(
            "INVPSD takes logarithms of frequencies and densities (linlog = 1); all of them must be positive"
        )
    ends = np.concatenate([f[:1], 0.5 * (f[1:] + f[:-1]), f[-1:]])
    grid = np.union1d(ends, x[(x > f[0]) & (x < f[-1])])
    if logarithmic:
        p = np.exp(np.interp(np.log(grid), np.log(x), np.log(y)))
        b = np.diff(np.log(p)) / np.diff(np.log(grid)) + 1.0  # density as f**(b - 1)
        wide = np.abs(b) > 1e-9
        area = np.where(wide, np.diff(p * grid) / np.where(wide, b, 1.0), p[:-1] * grid[:-1] * np.diff(np.log(grid)))
    else:
        p = np.interp(grid, x, y)
        area = 0.5 * (p[1:] + p[:-1]) * np.diff(grid)
    total = np.concatenate([[0.0], np.cumsum(area)])
    return np.sqrt(2.0 * np.maximum(np.diff(np.interp(ends, grid, total)), 0.0))


def sines(
    argument: Node,
    x: Sequence[float],
    y: Sequence[float],
    f0: float,
    f1: float,
    count: int,
    logarithmic: bool,
    seed: int,
) -> Node:
    """The tree of the signal."""
    if not 0.0 <= f0 < f1:
        raise ExpressionError(f"the frequencies of INVPSD must rise from 0 or more, they go from {f0:g} to {f1:g}")
    if not 2 <= count <= MOST:
        raise ExpressionError(f"INVPSD takes 2 to {MOST} frequencies, not {count}")
    f = np.linspace(f0, f1, count)
    terms: list[Node] = []
    for a, w, phase in zip(
        amplitudes(x, y, f, logarithmic).tolist(), (2.0 * math.pi * f).tolist(), phases(seed, count)
    ):
        angle = Binary("+", Binary("*", Number(w), argument), Number(phase))
        terms.append(Binary("*", Number(a), Call("SIN", (angle,))))
    while len(terms) > 1:  # in groups, so that many frequencies make no deep tree
        groups = []
        for k in range(0, len(terms), LONGEST_SUM):
            node = terms[k]
            for term in terms[k + 1 : k + LONGEST_SUM]:
                node = Binary("+", node, term)
            groups.append(node)
        terms = groups
    return terms[0]
