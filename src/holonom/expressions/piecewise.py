"""Packed piecewise polynomials: the one table format of splines and curves, and the kernels that read it.

A table has ``n + 1`` pieces for ``n`` breakpoints: the first and the last piece are the extrapolations, so the kernels
know no special case.  Piece ``i`` is a polynomial in ``t = x - breaks[max(i, 1) - 1]``, coefficients from the highest
power down.  Columns (the z rows of a surface, the x, y, z of a curve) share the breakpoints.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .._jit import jit


class Pieces(NamedTuple):
    """``data`` float64: breakpoints and coefficients of all tables.  ``rows`` uint32, flat, six words a table: number
    of pieces (0: no such table), start of the breakpoints, start of the coefficients, degree, number of columns, start
    of the z values (of a curve: 1 when it is closed)."""

    data: np.ndarray
    rows: np.ndarray


class Table(NamedTuple):
    """One table before packing: ``breaks`` (n,), ``coefficients`` (columns, n + 1, degree + 1), ``z`` (columns,) or
    empty, ``closed``: x is wrapped into the range of the breakpoints."""

    breaks: np.ndarray
    coefficients: np.ndarray
    z: np.ndarray
    closed: bool = False


def pack(tables: Iterable[Table | None]) -> Pieces:
    """Flatten tables; ``None`` keeps a row that gives NaN."""
    chunks: list[np.ndarray] = [np.zeros(1)]
    rows = []
    at = 1
    for table in tables:
        if table is None:
            rows.append((0, 0, 0, 0, 0, 0))
            continue
        columns, pieces, size = table.coefficients.shape
        starts = []
        for part in (table.breaks, table.coefficients, table.z):
            starts.append(at)
            chunks.append(np.ascontiguousarray(part, dtype=np.float64).ravel())
            at += chunks[-1].size
        last = int(table.closed) if not table.z.size else starts[2]
        rows.append((pieces, starts[0], starts[1], size - 1, columns, last))
    return Pieces(np.concatenate(chunks), np.array(rows, dtype=np.uint32).ravel())


@jit
def count_below(data, start, n, x):
    """How many of the ``n`` increasing numbers from ``data[start]`` are <= x."""
    low = 0
    high = n
    while low < high:
        middle = (low + high) >> 1
        if data[start + middle] <= x:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def polynomial(data, at, degree, t, order):
    """Derivatives number order, order + 1, order + 2 (order 0 to 2) at t of the polynomial whose highest coefficient
    is ``data[at]``."""
    d0 = data[at]
    d1 = d2 = d3 = d4 = 0.0
    for i in range(1, degree + 1):
        d4 = d4 * t + d3
        d3 = d3 * t + d2
        d2 = d2 * t + d1
        d1 = d1 * t + d0
        d0 = d0 * t + data[at + i]
    if order == 0:
        return d0, d1, 2.0 * d2
    if order == 1:
        return d1, 2.0 * d2, 6.0 * d3
    return 2.0 * d2, 6.0 * d3, 24.0 * d4


@jit
def locate(data, n, breaks, x):
    """Piece that holds x and the local coordinate t; the last breakpoint belongs to the piece inside."""
    i = count_below(data, breaks, n - 1, x)
    if i == n - 1 and x == data[breaks + n - 2]:
        i -= 1
    return i, x - data[breaks + max(i, 1) - 1]


@jit
def surface(data, rows, at, order, x, z):
    """Value and derivatives f, f_x, f_z, f_xx, f_xz of ``d^order/dx^order`` of the spline whose row begins at
    ``rows[at]``: cubic in x, linear in z.

    z is ignored when the table has one column; beyond the first and last z the end pair is extrapolated.
    """
    n = np.int64(rows[at])
    if n == 0:
        return math.nan, 0.0, 0.0, 0.0, 0.0
    degree = np.int64(rows[at + 3])
    columns = np.int64(rows[at + 4])
    zs = np.int64(rows[at + 5])
    i, t = locate(data, n, np.int64(rows[at + 1]), x)
    at = np.int64(rows[at + 2]) + i * (degree + 1)
    if columns == 1:
        f, fx, fxx = polynomial(data, at, degree, t, order)
        return f, fx, 0.0, fxx, 0.0
    j = min(max(count_below(data, zs, columns, z) - 1, 0), columns - 2)
    dz = data[zs + j + 1] - data[zs + j]
    w = (z - data[zs + j]) / dz
    at += j * n * (degree + 1)
    f, fx, fxx = polynomial(data, at, degree, t, order)
    g, gx, gxx = polynomial(data, at + n * (degree + 1), degree, t, order)
    return f + w * (g - f), fx + w * (gx - fx), (g - f) / dz, fxx + w * (gxx - fxx), (gx - fx) / dz


@jit
def coordinate(data, rows, at, component, order, alpha):
    """Derivatives number order, order + 1, order + 2 of one coordinate (0, 1, 2) of the curve at ``rows[at]``."""
    n = np.int64(rows[at])
    if n == 0:
        return math.nan, 0.0, 0.0
    breaks = np.int64(rows[at + 1])
    degree = np.int64(rows[at + 3])
    if rows[at + 5] == 1:
        alpha = data[breaks] + (alpha - data[breaks]) % (data[breaks + n - 2] - data[breaks])
    i, t = locate(data, n, breaks, alpha)
    at = np.int64(rows[at + 2]) + (component * n + i) * (degree + 1)
    return polynomial(data, at, degree, t, order)


@jit(entry="Pieces, int64, float64, float64[:, ::1]")
def curve_point(tables, curve, alpha, out):
    """Point and first, second, third derivative with respect to alpha into ``out[0:4, 0:3]``."""
    for c in range(3):
        out[0, c], out[1, c], out[2, c] = coordinate(tables.data, tables.rows, 6 * curve, c, 0, alpha)
        out[3, c] = coordinate(tables.data, tables.rows, 6 * curve, c, 1, alpha)[2]


@jit(entry="Pieces, int64, int64, float64, float64")
def surface_point(tables, row, order, x, z):
    """:func:`surface` of one row of packed splines."""
    return surface(tables.data, tables.rows, 6 * row, order, x, z)


@jit(entry="Pieces, int64, int64, int64, float64")
def curve_component(tables, curve, component, order, alpha):
    """:func:`coordinate` of one of the packed curves."""
    return coordinate(tables.data, tables.rows, 6 * curve, component, order, alpha)
