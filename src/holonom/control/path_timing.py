"""The quickest motion along a path within limits of speed, acceleration and effort of joints.

With s(t) the place on the path q(s), u = s'' and x = s'^2, limits are linear in u and x at each s: rates q' s',
accelerations q' u + q'' x, efforts m u + c x + d sqrt(x) + g, where the root (viscous friction) is replaced by its
tangent.  Limits are met at both ends of each interval, on which u is constant.

From the end backwards the interval of x from which the rest can be followed is found by one linear program a point,
then from the beginning forwards the largest x inside it (Pham and Pham, IEEE Trans. Robot. 34 (2018) 645).  The
two-variable programs are solved by their corners.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from .._summary import Summary
from ..model import ModelError
from ..recursive.dynamics import JointCoordinates
from .trajectories import JointPath, Trajectory

ITERATIONS = 12  # over viscous friction
SETTLED = 1e-6  # change of the duration at which they end


@dataclass(repr=False)
class TimeOptimal(Summary):
    """The quickest motion along a path.

    ``duration`` (s); ``s`` (k,), ``speed`` (k,): points of the path and s' there; ``times`` (k,); ``trajectory``:
    coordinates over time; ``efforts``: function of time (k,) -> efforts (k, nv), None without a model."""

    duration: float
    s: np.ndarray
    speed: np.ndarray
    times: np.ndarray
    trajectory: Trajectory = field(repr=False)
    efforts: Callable[[ArrayLike], np.ndarray] | None = field(repr=False)


def time_optimal(
    path: JointPath,
    *,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    joints: JointCoordinates | None = None,
    count: int = 200,
    start_speed: float = 0.0,
    end_speed: float = 0.0,
) -> TimeOptimal:
    """The quickest motion along ``path`` (`control.joint_path`) from s = 0 to 1.

    Limits are numbers or one for each coordinate, of |rate|, |acceleration| and |effort|; efforts need ``joints``,
    whose coordinates are those of the path and no quaternions.  ``count``: intervals of s, at whose ends limits are
    met; between them they are exceeded to the second order of their length.  ``start_speed``, ``end_speed``: s' at the
    ends.  Forces of the model count as in `JointCoordinates.inverse_dynamics`.

    Raises ModelError where no limit is given, and at the s where none can be met (efforts that do not carry the
    weight)."""
    s = np.linspace(0.0, 1.0, count + 1)
    q, first, second = (np.array(a) for a in zip(*(path(float(x)) for x in s)))
    n = q.shape[1]
    if speed is None and acceleration is None and effort is None:
        raise ModelError("time_optimal: give a limit of speed, acceleration or effort; without one it takes no time")
    limits = {"speed": speed, "acceleration": acceleration, "effort": effort}
    most = {name: _limit(name, x, n) for name, x in limits.items() if x is not None}
    if "effort" in most:
        if joints is None:
            raise ModelError("time_optimal: a limit of effort needs joints=hn.JointCoordinates(model)")
        joints.require_tree("time_optimal with a limit of effort")
        if joints.nq != n or joints.nq != joints.nv:
            raise ModelError(
                f"time_optimal: the path has {n} coordinates, the model {joints.nq} and {joints.nv} freedoms; give a "
                "path of all its coordinates, and a model without quaternions"
            )
    free: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []  # a u + b x <= c, arrays (k, rows)
    if "acceleration" in most:
        free += [(first, second, np.broadcast_to(most["acceleration"], q.shape))]
        free += [(-first, -second, np.broadcast_to(most["acceleration"], q.shape))]
    top = np.full(count + 1, np.inf)
    if "speed" in most:
        with np.errstate(divide="ignore"):
            top = ((most["speed"] / np.abs(first)) ** 2).min(axis=1)
    terms = _efforts(joints, q, first, second) if joints is not None and "effort" in most else None
    ends = start_speed**2, end_speed**2
    if terms is None:
        x = _profile(free, top, s, *ends)
    else:
        x = _with_efforts(free, terms, most["effort"], top, s, ends)
    times = _times(s, x)
    duration = float(times[-1])
    trajectory = _trajectory(path, s, x, times)
    efforts = None
    if joints is not None:
        efforts = lambda t: joints.inverse_dynamics(*trajectory(np.atleast_1d(np.asarray(t, float))))
    return TimeOptimal(duration, s, np.sqrt(x), times, trajectory, efforts)


def _limit(name: str, value: ArrayLike, n: int) -> np.ndarray:
    out = np.broadcast_to(np.asarray(value, float), (n,))
    if not (np.isfinite(out).all() and (out > 0.0).all()):
        raise ModelError(f"time_optimal: limits of {name} must be positive numbers, got {np.asarray(value).tolist()}")
    return out


def _efforts(joints: JointCoordinates, q: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple:
    """Efforts m u + c x + d sqrt(x) + g along a path: m, c, d, g (k, n)."""
    zero = np.zeros_like(q)
    weight = joints.inverse_dynamics(q, zero, zero)
    mass = joints.inverse_dynamics(q, zero, first) - weight
    ahead = joints.inverse_dynamics(q, first, second)
    behind = joints.inverse_dynamics(q, -first, second)
    drag = 0.5 * (ahead - behind)
    drag[np.abs(drag) <= 1e-12 * np.abs(ahead).max(initial=0.0)] = 0.0
    return mass, 0.5 * (ahead + behind) - weight, drag, weight


def _times(s: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(2.0 * np.diff(s) / (np.sqrt(x[1:]) + np.sqrt(x[:-1])))])


def _with_efforts(
    rows: list, terms: tuple, most: np.ndarray, top: np.ndarray, s: np.ndarray, ends: tuple[float, float]
) -> np.ndarray:
    """x (k,) within limits of efforts: sqrt(x) is replaced by its tangent at the last x, which lies above it, so that
    each solution keeps the limits and the next is quicker."""
    mass, quick, drag, weight = terms
    viscous = bool(np.abs(drag).max() > 0.0)
    last, duration = np.zeros(len(s)), np.inf
    share = 1.0 if not viscous else 1e-2
    for _ in range(ITERATIONS if viscous else 1):
        if viscous and not last.any():
            last = _profile([*rows, (mass, quick, most - weight), (-mass, -quick, most + weight)], top, s, *ends)
        while True:
            root = np.sqrt(np.maximum(share * last, 1e-6 * max(float(last.max()), 1e-12)))[:, None]
            slope, there = quick + 0.5 * drag / root, weight + 0.5 * drag * root
            if not viscous:
                slope, there = quick, weight
            limited = [*rows, (mass, slope, most - there), (-mass, -slope, most + there)]
            try:
                x = _profile(limited, top, s, *ends)
                break
            except ModelError:
                if not viscous or share < 1e-6:
                    raise
                share *= 0.1
        change, duration = abs(float(_times(s, x)[-1]) - duration), float(_times(s, x)[-1])
        if change <= SETTLED * duration:
            break
        last, share = x, 1.0
    return x


def _profile(rows: list, top: np.ndarray, s: np.ndarray, begin: float, end: float) -> np.ndarray:
    """x (k,) of the quickest motion; begins at x = begin, ends at x = end."""
    k = len(s)
    A = np.concatenate([r[0] for r in rows], axis=1) if rows else np.zeros((k, 0))
    B = np.concatenate([r[1] for r in rows], axis=1) if rows else np.zeros((k, 0))
    C = np.concatenate([np.broadcast_to(r[2], r[0].shape) for r in rows], axis=1) if rows else np.zeros((k, 0))
    largest = np.where(np.isfinite(top), top, 1e12)
    low, high = np.zeros(k), np.zeros(k)
    low[-1] = high[-1] = end
    for i in range(k - 2, -1, -1):
        h = 2.0 * (s[i + 1] - s[i])
        behind = np.column_stack([A[i + 1] + h * B[i + 1], B[i + 1]])  # at the end of the interval, with the same u
        G = np.vstack([np.column_stack([A[i], B[i]]), behind, [[h, 1.0], [-h, -1.0], [0.0, 1.0], [0.0, -1.0]]])
        g = np.concatenate([C[i], C[i + 1], [high[i + 1], -low[i + 1], largest[i], 0.0]])
        high[i], found = _highest(G, g)
        low[i], _ = _highest(G, g, -1.0)
        if not found:
            raise ModelError(
                f"time_optimal: the limits cannot be met at s = {s[i]:.4g}, at any speed; widen those of effort or "
                "acceleration, or begin and end slower"
            )
    if not low[0] - 1e-12 <= begin <= high[0] + 1e-12:
        raise ModelError(
            f"time_optimal: from a start at s' = {begin**0.5:.4g} the limits cannot be met; it must lie between "
            f"{max(low[0], 0.0) ** 0.5:.4g} and {high[0] ** 0.5:.4g}"
        )
    x = np.zeros(k)
    x[0] = begin
    for i in range(k - 1):
        h = 2.0 * (s[i + 1] - s[i])
        slope = np.concatenate([A[i], A[i + 1] + h * B[i + 1]])
        room = np.concatenate([C[i] - B[i] * x[i], C[i + 1] - B[i + 1] * x[i]])
        rising, falling = slope > 0.0, slope < 0.0
        u = min((high[i + 1] - x[i]) / h, float((room[rising] / slope[rising]).min(initial=np.inf)))
        u = max(u, (low[i + 1] - x[i]) / h, float((room[falling] / slope[falling]).max(initial=-np.inf)))
        x[i + 1] = min(max(x[i] + h * u, 0.0), high[i + 1])
    return x


def _highest(G: np.ndarray, g: np.ndarray, sign: float = 1.0) -> tuple[float, bool]:
    """Largest (sign 1) or least (-1) second of the two numbers p with G p <= g, from the corners; whether there is
    any."""
    size = np.abs(G).max(axis=1)
    G, g = G[size > 0.0] / size[size > 0.0, None], g[size > 0.0] / size[size > 0.0]
    a, b = np.triu_indices(len(G), 1)
    det = G[a, 0] * G[b, 1] - G[a, 1] * G[b, 0]
    cross = np.abs(det) > 1e-14
    a, b, det = a[cross], b[cross], det[cross]
    p = np.stack([(g[a] * G[b, 1] - g[b] * G[a, 1]) / det, (G[a, 0] * g[b] - G[b, 0] * g[a]) / det])
    inside = (G @ p <= (g + 1e-9 * (1.0 + np.abs(g)))[:, None]).all(axis=0)
    if not inside.any():
        return 0.0, False
    return sign * float((sign * p[1, inside]).max()), True


def _trajectory(path: JointPath, s: np.ndarray, x: np.ndarray, times: np.ndarray) -> Trajectory:
    """Coordinates over time: s'' is constant between the points of s."""
    u = np.diff(x) / (2.0 * np.diff(s))

    def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        shape, t = t.shape, t.ravel()
        i = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(u) - 1)
        since = t - times[i]
        rate = np.sqrt(x[i]) + u[i] * since
        at = np.clip(s[i] + since * (np.sqrt(x[i]) + 0.5 * u[i] * since), 0.0, 1.0)
        q, first, second = (np.array(a) for a in zip(*(path(float(z)) for z in at)))
        v, a = first * rate[:, None], first * u[i][:, None] + second * (rate**2)[:, None]
        return tuple(y.reshape(*shape, -1) for y in (q, v, a))  # type: ignore[return-value]

    return Trajectory(float(times[-1]), motion)
