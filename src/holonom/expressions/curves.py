"""CURVE data: parametric curves x(alpha), y(alpha), z(alpha), open or closed, as packed piecewise polynomials."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .errors import CurveError
from .piecewise import Pieces, Table, curve_point, pack

if TYPE_CHECKING:  # SciPy's splines are slow to load: only a model that has a curve does
    from scipy.interpolate import BSpline

MAX_ORDER = 10


@dataclass(frozen=True, eq=False)
class Curve:
    """A three-dimensional parametric curve, C^(order - 2).

    breaks
        (n,) increasing values of the parameter alpha.
    coefficients
        (3, n - 1, order): on piece i the powers of ``alpha - breaks[i]``, highest first.
    closed
        The parameter is periodic; an open curve continues in a straight line beyond its ends.

    Build one with :meth:`through`, :meth:`control` or :meth:`sampled`.  All raise :class:`CurveError`.
    """

    breaks: np.ndarray
    coefficients: np.ndarray
    closed: bool = False
    name: str = ""

    @classmethod
    def through(
        cls, points, *, order: int = 4, closed: bool = False, parameter: str = "uniform", name: str = ""
    ) -> Curve:
        """B-spline of the given order (degree + 1) through the points, alpha from -1 to 1 (CURVE_POINTS).

        points: (n, 3), n >= 4; of a closed curve the last point must equal the first.  ``parameter``: ``"uniform"``
        gives each point the same share of alpha, ``"chord"`` a share in proportion to the distance.  Closed curves
        are periodic with ``order - 2`` continuous derivatives, open ones end not-a-knot.
        """
        points = cls._points(points, closed, order, name)
        where = f"curve {name}: " if name else "curve: "
        steps = np.ones(len(points) - 1)
        if parameter == "chord":
            steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
            if not (steps > 0).all():
                raise CurveError(f"{where}two neighbouring points are equal")
        elif parameter != "uniform":
            raise CurveError(f"{where}parameter is 'uniform' or 'chord', not {parameter!r}")
        alpha = np.concatenate([[0.0], np.cumsum(steps)])
        alpha = -1.0 + 2.0 * alpha / alpha[-1]
        return cls._interpolating(alpha, points, order - 1, closed, name)

    @classmethod
    def control(cls, points, *, order: int = 4, closed: bool = False, name: str = "") -> Curve:
        """Uniform B-spline with these control points, alpha from -1 to 1 (CONTROL_POINTS).

        An open curve begins and ends in its end points; of a closed curve the last point must equal the first.
        """
        from scipy.interpolate import BSpline

        points = cls._points(points, closed, order, name)
        k = order - 1
        if closed:
            ring = points[:-1]
            points = np.vstack([ring] * (2 + k // len(ring)))[: len(ring) + k]
            step = 2.0 / len(ring)
            knots = -1.0 + step * np.arange(-k, len(ring) + k + 1)
        else:
            knots = np.concatenate([np.full(k, -1.0), np.linspace(-1.0, 1.0, len(points) - k + 1), np.full(k, 1.0)])
        return cls._from_spline(BSpline(knots, points, k), -1.0, 1.0, closed, name)

    @classmethod
    def sampled(
        cls,
        function: Callable[[float], Sequence[float]],
        low: float = -1.0,
        high: float = 1.0,
        *,
        closed: bool = False,
        samples: int = 201,
        order: int = 6,
        name: str = "",
    ) -> Curve:
        """B-spline through samples of a Python function alpha -> (x, y, z), alpha from low to high (USER, CURSUB)."""
        if not (np.isfinite([low, high]).all() and low < high) or samples < max(4, order):
            where = f"curve {name}: " if name else "curve: "
            raise CurveError(f"{where}needs low < high and at least {max(4, order)} samples")
        alpha = np.linspace(low, high, samples)
        points = np.array([np.asarray(function(float(a)), dtype=np.float64) for a in alpha])
        points = cls._points(points, closed, order, name)
        return cls._interpolating(alpha, points, order - 1, closed, name)

    @staticmethod
    def _points(points, closed: bool, order: int, name: str) -> np.ndarray:
        where = f"curve {name}: " if name else "curve: "
        try:
            points = np.array(points, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise CurveError(f"{where}points must be numbers ({error})") from None
        if points.ndim != 2 or points.shape[1] != 3:
            raise CurveError(f"{where}points must have the shape (n, 3), not {points.shape}")
        if len(points) < 4:
            raise CurveError(f"{where}at least four points are needed, got {len(points)}")
        if not 2 <= order <= MAX_ORDER or order > len(points) - closed:
            raise CurveError(f"{where}order {order} must lie between 2 and {min(MAX_ORDER, len(points) - closed)}")
        if not np.isfinite(points).all():
            raise CurveError(f"{where}a point is not finite")
        size = np.ptp(points, axis=0).max()
        if size == 0.0:
            raise CurveError(f"{where}all points are equal")
        if closed and np.abs(points[-1] - points[0]).max() > 1e-6 * size:
            raise CurveError(f"{where}the first and the last point of a closed curve must be equal")
        return points

    @classmethod
    def _interpolating(cls, alpha: np.ndarray, points: np.ndarray, k: int, closed: bool, name: str) -> Curve:
        from scipy.interpolate import BSpline, make_interp_spline
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        if not closed:
            return cls._from_spline(make_interp_spline(alpha, points, k=k), alpha[0], alpha[-1], False, name)
        # Periodic knots at the data for odd degrees and half way for even ones (SciPy's even periodic splines have
        # kinks at the seam); the periodic coefficients solve a cyclic banded system.
        n = len(alpha) - 1
        base = alpha[:-1] if k % 2 else 0.5 * (alpha[:-1] + alpha[1:])
        turns = np.arange(-k - 1, n + k + 2)
        knots = base[turns % n] + (alpha[-1] - alpha[0]) * (turns // n)
        design = BSpline.design_matrix(alpha[:-1], knots, k).tocoo()
        cyclic = csc_array((design.data, (design.row, design.col % n)), shape=(n, n))
        ring = splu(cyclic).solve(points[:-1])
        spline = BSpline(knots, ring[np.arange(len(knots) - k - 1) % n], k)
        return cls._from_spline(spline, alpha[0], alpha[-1], True, name)

    @classmethod
    def _from_spline(cls, spline: BSpline, low: float, high: float, closed: bool, name: str) -> Curve:
        k = spline.k
        inside = 1e-12 * (high - low)
        knots = np.unique(spline.t)
        breaks = np.concatenate([[low], knots[(knots > low + inside) & (knots < high - inside)], [high]])
        breaks = breaks[np.append(True, np.diff(breaks) > inside)]
        powers = [spline(breaks[:-1], nu=m) / math.factorial(m) for m in range(k, -1, -1)]
        return cls(breaks, np.ascontiguousarray(np.array(powers).transpose(2, 1, 0)), closed, name)

    @property
    def low(self) -> float:
        """First value of the parameter."""
        return float(self.breaks[0])

    @property
    def high(self) -> float:
        """Last value of the parameter."""
        return float(self.breaks[-1])

    def piecewise_polynomials(self) -> Table:
        """Piecewise polynomials with a straight line before and after."""
        columns, pieces, size = self.coefficients.shape
        coefficients = np.zeros((columns, pieces + 2, size))
        coefficients[:, 1:-1] = self.coefficients
        coefficients[:, 0, -2:] = self.coefficients[:, 0, -2:]
        span = self.breaks[-1] - self.breaks[-2]
        for c in range(columns):
            last = self.coefficients[c, -1]
            coefficients[c, -1, -2:] = np.polyval(np.polyder(last), span), np.polyval(last, span)
        return Table(self.breaks, coefficients, np.zeros(0), self.closed)

    def at(self, alpha: float) -> np.ndarray:
        """(4, 3): point and first three derivatives with respect to alpha."""
        out = np.empty((4, 3))
        curve_point(pack([self.piecewise_polynomials()]), 0, float(alpha), out)
        return out

    def points(self, n: int = 201) -> np.ndarray:
        """(n, 3) points at equal steps of alpha, ends included."""
        tables, out = pack([self.piecewise_polynomials()]), np.empty((4, 3))
        points = np.empty((n, 3))
        for k, alpha in enumerate(np.linspace(self.low, self.high, n)):
            if self.closed and k == n - 1:
                alpha = self.low
            curve_point(tables, 0, float(alpha), out)
            points[k] = out[0]
        return points

    def length(self) -> float:
        """Arc length, by Gauss-Legendre quadrature with eight points on each piece."""
        nodes, weights = np.polynomial.legendre.leggauss(8)
        size = self.coefficients.shape[2]
        powers = np.arange(size - 1, 0, -1)
        total = 0.0
        for i, h in enumerate(np.diff(self.breaks)):
            t = 0.5 * h * (nodes + 1.0)
            slope = (self.coefficients[:, i, :-1] * powers) @ t ** (powers[:, None] - 1)
            total += 0.5 * h * weights @ np.sqrt((slope**2).sum(axis=0))
        return float(total)

    def closest(self, point, samples: int = 20) -> tuple[float, float]:
        """Parameter of the point of the curve closest to ``point`` (3,), and the distance.

        Samples every piece, then refines the best samples by safeguarded Newton steps on the squared distance; the
        result lies between ``low`` and ``high``.
        """
        target = np.asarray(point, dtype=np.float64)
        tables, out = pack([self.piecewise_polynomials()]), np.empty((4, 3))
        h = np.diff(self.breaks)
        alphas = (self.breaks[:-1, None] + h[:, None] * np.arange(samples) / samples).ravel()
        alphas = np.append(alphas, self.high)

        def distance2(alpha: float) -> float:
            curve_point(tables, 0, alpha, out)
            return float(((out[0] - target) ** 2).sum())

        values = np.array([distance2(a) for a in alphas])
        best, best_alpha = np.inf, self.low
        for k in np.argsort(values, kind="stable")[:5]:
            alpha, value = float(alphas[k]), values[k]
            step = float(h.max()) / samples
            for _ in range(60):
                distance2(alpha)
                gap = out[0] - target
                slope, bend = gap @ out[1], out[1] @ out[1] + gap @ out[2]
                move = -slope / bend if bend > 0 else -np.sign(slope) * step
                move = min(max(move, -step), step)
                while True:  # shorten until the distance falls
                    trial = min(max(alpha + move, self.low), self.high)
                    new = distance2(trial)
                    if new <= value or abs(move) < 1e-15 * (self.high - self.low):
                        break
                    move *= 0.5
                done = abs(trial - alpha) <= 1e-14 * (self.high - self.low)
                if new <= value:
                    alpha, value = trial, new
                if done:
                    break
            if value < best:
                best, best_alpha = value, alpha
        return best_alpha, float(np.sqrt(best))


def pack_curves(curves: Sequence[Curve]) -> Pieces:
    """Pack curves for the kernels, in this order."""
    return pack(c.piecewise_polynomials() for c in curves)
