"""SPLINE data: curves y(x) and families y(x, z), as the Adams functions AKISPL, CUBSPL and INTERP read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .errors import SplineError
from .piecewise import Pieces, Table, pack, surface_point

AKIMA, CUBIC, LINEAR = 0, 1, 2
INTERPOLATIONS = (AKIMA, CUBIC, LINEAR)
EXTRAPOLATIONS = ("parabolic", "linear", "constant")


@dataclass(frozen=True, eq=False)
class Spline:
    """Data points of an Adams SPLINE statement.

    x
        (n,) at least four increasing values.
    y
        (n,) for a curve, (m, n) for a family: one row per z.
    z
        (m,) at least two increasing values, or ``None`` for a curve.
    extrapolation
        ``"parabolic"`` (Adams default): the parabola through the first or last three points; ``"linear"``
        (LINEAR_EXTRAPOLATE): the line through the first or last two; ``"constant"`` (Adams for time histories).

    Between the points AKISPL is Akima's local cubic (1970, continuous slope), CUBSPL the natural cubic (continuous
    curvature), INTERP with method 1 the polygon.  All are linear in z.  Beyond the data the value is continuous, the
    slope in general is not.  Raises :class:`SplineError` for data that cannot be interpolated.
    """

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray | None = None
    extrapolation: str = "parabolic"
    name: str = ""

    def __post_init__(self):
        where = f"spline {self.name}: " if self.name else "spline: "
        try:
            x, y = (np.array(v, dtype=np.float64) for v in (self.x, self.y))
            z = None if self.z is None else np.array(self.z, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise SplineError(f"{where}x, y and z must be arrays of numbers ({error})") from None
        if x.ndim != 1 or x.size < 4:
            raise SplineError(f"{where}at least four x values are needed, got {x.size}")
        shape = (x.size,) if z is None else (z.size, x.size)
        if y.shape != shape:
            raise SplineError(
                f"{where}y must have the shape {shape} to fit x{'' if z is None else ' and z'}, not {y.shape}"
            )
        for axis, values in (("x", x), ("z", z)):
            if values is None:
                continue
            if not np.isfinite(values).all():
                raise SplineError(f"{where}{axis} holds a value that is not finite")
            wrong = np.flatnonzero(np.diff(values) <= 0)
            if wrong.size:
                k = int(wrong[0])
                raise SplineError(
                    f"{where}{axis} must increase, but {axis}[{k + 1}] = {values[k + 1]:g} follows {values[k]:g}"
                )
        if z is not None and (z.ndim != 1 or z.size < 2):
            raise SplineError(f"{where}a family of curves needs at least two z values")
        if not np.isfinite(y).all():
            raise SplineError(f"{where}y holds a value that is not finite")
        if self.extrapolation not in EXTRAPOLATIONS:
            raise SplineError(f"{where}extrapolation is one of {', '.join(EXTRAPOLATIONS)}, not {self.extrapolation!r}")
        for key, value in (("x", x), ("y", y), ("z", z)):
            if value is not None:
                value.setflags(write=False)
            object.__setattr__(self, key, value)

    def piecewise_polynomials(self, kind: int) -> Table:
        """Piecewise polynomials of one kind (AKIMA, CUBIC, LINEAR), extrapolations included."""
        from scipy.interpolate import (
            Akima1DInterpolator,
            CubicSpline,
        )  # slow to load: only a model that has a spline does

        x, rows = self.x, np.atleast_2d(self.y)
        coefficients = np.zeros((len(rows), x.size + 1, 4))
        for row, y in zip(coefficients, rows):
            if kind == AKIMA:
                row[1:-1] = Akima1DInterpolator(x, y).c.T
            elif kind == CUBIC:
                row[1:-1] = CubicSpline(x, y, bc_type="natural").c.T
            else:
                row[1:-1, 2], row[1:-1, 3] = np.diff(y) / np.diff(x), y[:-1]
            row[0, 1:] = self._beyond(x[:3] - x[0], y[:3])
            row[-1, 1:] = self._beyond((x[-3:] - x[-1])[::-1], y[-3:][::-1])
        return Table(x, coefficients, np.zeros(0) if self.z is None else self.z)

    def _beyond(self, t: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
        """Coefficients of t**2, t, 1 of the extrapolation through (0, y[0]), (t[1], y[1]), (t[2], y[2])."""
        if self.extrapolation == "constant":
            return 0.0, 0.0, y[0]
        slope = (y[1] - y[0]) / t[1]
        if self.extrapolation == "linear":
            return 0.0, slope, y[0]
        second = ((y[2] - y[1]) / (t[2] - t[1]) - slope) / t[2]
        return second, slope - second * t[1], y[0]

    def at(self, x: float, z: float = 0.0, kind: int = AKIMA, order: int = 0) -> float:
        """Value or derivative (order 0 to 2 with respect to x) at one point; for studies, not for loops."""
        return surface_point(pack([self.piecewise_polynomials(kind)]), 0, order, float(x), float(z))[0]


def row_of(spline: int, kind: int) -> int:
    """Row of a packed table: every spline has one per kind."""
    return len(INTERPOLATIONS) * spline + kind


def pack_splines(splines: Sequence[Spline], used: Iterable[int] | None = None) -> Pieces:
    """Pack splines for the kernels; ``used`` limits the rows (see :func:`row_of`) that are built."""
    rows = set(range(len(INTERPOLATIONS) * len(splines))) if used is None else set(used)
    return pack(
        s.piecewise_polynomials(k) if row_of(i, k) in rows else None
        for i, s in enumerate(splines)
        for k in INTERPOLATIONS
    )
