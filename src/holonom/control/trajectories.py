"""Trajectories of joint coordinates, and paths of frames in space that joints follow.

A `Trajectory` gives coordinates, rates and accelerations at any time: along a straight line with a trapezoid of speed,
or through via points by quintic polynomials or a B-spline.  A path is a function of its fraction s from 0 to 1:
`line` and `arc` are paths of a frame, `follow_path` turns one into a path of joint coordinates by inverse kinematics.
Biagiotti and Melchiorri, Trajectory Planning for Automatic Machines and Robots (Springer 2008), ch. 2 to 4 and 8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BPoly, CubicSpline, make_interp_spline
from scipy.spatial.transform import Rotation

from .._summary import Summary
from ..model import ModelError
from ..model.orientation import Frame
from ..recursive.inverse_kinematics import inverse_kinematics
from ..recursive.kinematics import JointKinematics

#: from the fraction of a path to coordinates and their first and second derivatives with respect to it
JointPath = Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]


@dataclass(repr=False)
class Trajectory(Summary):
    """Coordinates as a function of time: ``trajectory(t)`` is (q, v, a), three arrays (n,), or (k, n) for k times.

    Before the first and after the last time it rests at the ends.  ``duration`` in seconds from time zero."""

    duration: float
    _motion: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]] = field(repr=False)

    def __call__(self, t: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        t = np.asarray(t, float)
        q, v, a = self._motion(np.clip(t, 0.0, self.duration))
        rests = ((t < 0.0) | (t > self.duration))[..., None]
        return q, np.where(rests, 0.0, v), np.where(rests, 0.0, a)

    def sample(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Times (count,) from beginning to end, and q, v, a (count, n) there."""
        times = np.linspace(0.0, self.duration, count)
        return times, *self(times)


def trapezoid(start: ArrayLike, end: ArrayLike, speed: ArrayLike, acceleration: ArrayLike) -> Trajectory:
    """The quickest motion on a straight line between two positions (n,) at rest, within limits of speed and
    acceleration, numbers or (n,): all coordinates accelerate, move evenly and decelerate together; without the part in
    the middle where the way is short."""
    start, way = _row(start, "start"), _row(end, "end") - _row(start, "start")
    most = [np.broadcast_to(np.asarray(x, float), way.shape) for x in (speed, acceleration)]
    for name, x in zip(("speed", "acceleration"), most):
        if not (x > 0.0).all():
            raise ModelError(f"trapezoid: {name} must be positive, got {np.asarray(x).tolist()}")
    moving = way != 0.0
    if not moving.any():
        return Trajectory(0.0, lambda t: (np.broadcast_to(start, (*t.shape, len(start))), *_rest(t, len(start))))
    v, a = (float((x[moving] / np.abs(way[moving])).min()) for x in most)
    v = min(v, float(np.sqrt(a)))  # of the fraction; reached where v^2 / a < 1
    ramp = v / a
    duration = 1.0 / v + ramp

    def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        left = duration - t
        first, last = t < ramp, left < ramp
        s = np.where(first, 0.5 * a * t**2, np.where(last, 1.0 - 0.5 * a * left**2, v * (t - 0.5 * ramp)))
        rate = np.where(first, a * t, np.where(last, a * left, v))
        second = np.where(first, a, np.where(last, -a, 0.0))
        return start + s[..., None] * way, rate[..., None] * way, second[..., None] * way

    return Trajectory(duration, motion)


def quintic(
    points: ArrayLike, times: ArrayLike, rates: ArrayLike | None = None, accelerations: ArrayLike | None = None
) -> Trajectory:
    """Polynomials of degree five through points (k, n) at rising times (k,), the first at zero, with the rates and
    accelerations (k, n) given there.

    By default it begins and ends at rest, without acceleration, and takes the rates and accelerations of the cubic
    spline through the points between."""
    q, t = _points(points, times)
    spline = CubicSpline(t, q, bc_type="clamped")
    v, a = (spline(t, k) for k in (1, 2))
    a[[0, -1]] = 0.0
    v, a = (x if given is None else np.asarray(given, float) for x, given in ((v, rates), (a, accelerations)))
    for name, x in (("rates", v), ("accelerations", a)):
        if x.shape != q.shape or not np.isfinite(x).all():
            raise ModelError(f"quintic: {name} have shape {x.shape}; give finite numbers of shape {q.shape}")
    return _of_polynomial(BPoly.from_derivatives(t, np.stack([q, v, a], axis=1)), t[-1])


def spline(points: ArrayLike, times: ArrayLike) -> Trajectory:
    """B-spline of degree five through points (k, n) at rising times (k,), the first at zero: rates, accelerations and
    jerk are continuous; at rest and without acceleration at the ends."""
    q, t = _points(points, times)
    zero = np.zeros(q.shape[1])
    ends = [(1, zero), (2, zero)]
    return _of_polynomial(make_interp_spline(t, q, k=5, bc_type=(ends, ends)), t[-1])


def _of_polynomial(f: Any, duration: float) -> Trajectory:
    first, second = f.derivative(), f.derivative(2)
    return Trajectory(float(duration), lambda t: (f(t), first(t), second(t)))


def _rest(t: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    zero = np.zeros((*t.shape, n))
    return zero, zero


def _row(values: ArrayLike, name: str) -> np.ndarray:
    out = np.atleast_1d(np.asarray(values, float))
    if out.ndim != 1 or not np.isfinite(out).all():
        raise ModelError(f"{name} must be a row of finite numbers, got shape {out.shape}")
    return out


def _points(points: ArrayLike, times: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    q, t = np.asarray(points, float), np.asarray(times, float)
    q = q[:, None] if q.ndim == 1 else q
    if q.ndim != 2 or t.shape != (len(q),) or len(q) < 2 or not (np.isfinite(q).all() and np.isfinite(t).all()):
        raise ModelError(
            f"points have shape {q.shape} and times {t.shape}; give at least two points, as many times, finite numbers"
        )
    if t[0] != 0.0 or not (np.diff(t) > 0.0).all():
        raise ModelError("times must begin at zero and rise from point to point")
    return q, t


# ---- paths -----------------------------------------------------------------------------------------------------------
def line(start: Frame, end: Frame) -> Callable[[float], Frame]:
    """Path of a frame on a straight line, turning about one axis (spherical linear interpolation)."""
    turn = Rotation.from_matrix(start.axes.T @ end.axes).as_rotvec()
    way = end.origin - start.origin
    return lambda s: Frame(start.origin + s * way, start.axes @ Rotation.from_rotvec(s * turn).as_matrix())


def arc(start: Frame, via: ArrayLike, end: ArrayLike | Frame) -> Callable[[float], Frame]:
    """Path of a frame on the circle from its origin through the points ``via`` and ``end``; the axes keep their
    direction, or turn about one axis to those of ``end`` where that is a frame."""
    a, b = start.origin, np.asarray(via, float)
    target = end if isinstance(end, Frame) else Frame(np.asarray(end, float), start.axes)
    u, w = b - a, target.origin - a
    normal = np.cross(u, w)
    size = float(normal @ normal)
    if not size > 1e-20 * float(u @ u) * float(w @ w):
        raise ModelError("arc: its three points are on one straight line; use line, or move the point via")
    centre = a + np.cross(normal, (w @ w) * u - (u @ u) * w) / (2.0 * size)
    n = normal / np.sqrt(size)
    x = a - centre
    radius = float(np.linalg.norm(x))
    x, y = x / radius, np.cross(n, x / radius)
    angle = float(np.arctan2((target.origin - centre) @ y, (target.origin - centre) @ x) % (2.0 * np.pi))
    turn = line(start, target)
    return lambda s: Frame(centre + radius * (np.cos(s * angle) * x + np.sin(s * angle) * y), turn(s).axes)


def joint_path(points: ArrayLike) -> JointPath:
    """Path of joint coordinates through points (k, n): the cubic spline over the length of the lines between them."""
    q = np.asarray(points, float)
    if q.ndim != 2 or len(q) < 2 or not np.isfinite(q).all():
        raise ModelError(f"a path needs at least two points of finite coordinates, got shape {q.shape}")
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(q, axis=0), axis=1))])
    if not (np.diff(length) > 0.0).all():
        raise ModelError("a path has the same point twice in succession; remove one")
    f = CubicSpline(length / length[-1], q, bc_type="not-a-knot" if len(q) > 3 else "natural")
    return lambda s: (f(s), f(s, 1), f(s, 2))


def follow_path(
    model: Any, marker: Any, path: Callable[[float], Frame], *, count: int = 41, **options: Any
) -> np.ndarray:
    """Coordinates (count, nq) at which a marker follows a path of frames: inverse kinematics at even fractions, each
    from the one before, with the ``options`` of `hn.inverse_kinematics`.

    Raises ModelError where the path leaves the reach, with the fraction and the distance that is left."""
    joints = model if isinstance(model, JointKinematics) else JointKinematics(model)
    out: list[np.ndarray] = []
    start = options.pop("start", None)
    for s in np.linspace(0.0, 1.0, count):
        found = inverse_kinematics(joints, [(marker, path(float(s)))], start=start, **options)
        if not found.reached:
            _, way, turn = found.errors[0]
            raise ModelError(
                f"{marker.label} cannot follow the path at s = {s:.4g}: {way:.3g} and {turn:.3g} rad are left"
                + (f", {', '.join(found.at_limits)} at a limit" if found.at_limits else "")
                + "; move the path, widen limits, or begin at another start"
            )
        start = found.q
        out.append(found.q)
    return np.array(out)
