"""Profiles as smooth curves: slopes and curvatures of points along an arc."""

from __future__ import annotations

import numpy as np

from ....model.base import ModelError


def arc(points) -> tuple[np.ndarray, np.ndarray]:
    """Lengths along a row of points (n, 2) and the points, ordered by y; points that coincide are left out.  Raises
    ModelError for a value that is not a profile."""
    p = np.asarray(points, float)
    if p.ndim != 2 or p.shape[1] != 2 or len(p) < 5 or not np.isfinite(p).all():
        raise ModelError("a profile has five or more rows of two finite numbers (y, z)")
    if p[-1, 0] < p[0, 0]:
        p = p[::-1]
    steps = np.hypot(*np.diff(p, axis=0).T)
    size = np.ptp(p, axis=0).max()
    p = p[np.concatenate([[True], steps > 1e-7 * size])]
    steps = np.hypot(*np.diff(p, axis=0).T)
    return np.concatenate([[0.0], np.cumsum(steps)]), p


def resampled(points, step: float, steepest: float) -> np.ndarray:
    """Rows y, z, dz/dy, curvature (positive where z bulges up) every ``step`` along the part around the middle that is
    no steeper than the angle ``steepest`` and does not
    turn back: cubic splines over the arc.  The part is that which holds y = 0, or the nearest point to it."""
    from scipy.interpolate import CubicSpline

    s, p = arc(points)
    spline = CubicSpline(s, p)
    fine = np.linspace(0.0, s[-1], max(int(np.ceil(s[-1] / step)), 8) + 1)
    (y, z), (dy, dz), (ddy, ddz) = spline(fine).T, spline(fine, 1).T, spline(fine, 2).T
    good = dy > np.cos(steepest) * np.hypot(dy, dz)
    middle = np.argmin(np.where(good, np.abs(y), np.inf))
    if not good[middle]:
        raise ModelError("a profile has no part that lies flat; its rows are (y, z) with y across the track")
    bad = np.flatnonzero(~good)
    low = bad[bad < middle].max(initial=-1) + 1
    high = bad[bad > middle].min(initial=len(y))
    cut = slice(low, high)
    y, z, dy, dz, ddy, ddz = (v[cut] for v in (y, z, dy, dz, ddy, ddz))
    return np.column_stack([y, z, dz / dy, -(dy * ddz - dz * ddy) / (dy * dy + dz * dz) ** 1.5])


def rail_in_track(points, gauge: float, depth: float, inclination: float) -> np.ndarray:
    """The profile of a left rail (y positive away from the middle of the track, z up) in axes of the track: inclined,
    its top at z = 0, and its gauge face, ``depth`` below the top or wherever it is nearest to the middle above that, at
    y = gauge / 2."""
    _, p = arc(points)
    angle = np.arctan(inclination)
    c, s = np.cos(angle), np.sin(angle)
    # the top leans towards the middle of the track: to smaller y
    p = np.column_stack([c * p[:, 0] - s * p[:, 1], s * p[:, 0] + c * p[:, 1]])
    from scipy.interpolate import CubicSpline

    along, q = arc(p)
    spline = CubicSpline(along, q)
    fine = spline(np.linspace(0.0, along[-1], 20001))
    top = fine[:, 1].max()
    above = fine[:, 1] >= top - depth
    return p - [fine[above, 0].min() - 0.5 * gauge, top]
