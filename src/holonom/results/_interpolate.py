"""Histories between their output times."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model import ModelError
from ..model.base import shown
from . import _rotation as rotation
from ._data import COLUMNS, LISTS, RunData

#: value -> array that holds its rate
RATES = {
    "body_position": "body_velocity",
    "body_velocity": "body_acceleration",
    "body_angular_velocity": "body_angular_acceleration",
}
#: beyond this turn per output interval (radians) the cubic on quaternions is worse than the great arc
MAX_TURN = 2.0


def times_of(time: Any) -> np.ndarray:
    """One time or many as numbers.  Raises ModelError for what is not."""
    try:
        return np.atleast_1d(np.asarray(time, float))
    except (TypeError, ValueError):
        raise ModelError(f"times are {shown(time)}; give a number or a list of numbers") from None


def interpolate(data: RunData, time) -> RunData:
    """Rows of ``data`` at ``time`` (scalar or (n,)); see `Run.at`.  History, counters and segments are left out."""
    t = times_of(time)
    if t.ndim != 1:
        raise ModelError(f"times must be one number or a list, not shape {t.shape}")
    if len(data.time) == 0:
        raise ModelError("this run has no output times")
    first, last = data.time[0], data.time[-1]
    slack = 1e-12 * max(abs(first), abs(last))
    bad = ~((t >= first - slack) & (t <= last + slack))
    if bad.any():
        raise ModelError(f"time {t[bad][0]:g} lies outside this run, which goes from {first:g} to {last:g}")
    if len(t) == len(data.time) and np.array_equal(t, data.time) and np.all(np.diff(t) > 0):
        return data.take(slice(None))
    left, right, s, h = locate(data.time, t)
    arrays: dict[str, Any] = {}
    for name in COLUMNS:
        value = getattr(data, name)
        if value is None:
            continue
        if name == "body_quaternion":
            arrays[name] = _orientations(data, left, right, s, h)
        elif name in RATES:
            arrays[name] = cubic(value, getattr(data, RATES[name]), left, right, s, h)
        else:
            arrays[name] = linear(value, left, right, s)
    return RunData(
        time=t,
        **{name: getattr(data, name) for name in LISTS},
        **{side: getattr(data, side) for side in ("constraint_i", "constraint_j", "force_i", "force_j")},
        **arrays,
        extra={name: linear(v, left, right, s) for name, v in data.extra.items() if v.dtype.kind == "f"},
    )


def locate(times: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows to the left and right of each t, the fraction in between and the interval; the later row at a repeated
    time."""
    left = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 1)
    right = np.minimum(left + 1, len(times) - 1)
    h = times[right] - times[left]
    s = np.clip((t - times[left]) / np.where(h > 0, h, 1.0), 0.0, 1.0)
    right = np.where(s == 0, left, right)  # on a row: that row, even when the next is not recorded (NaN)
    return left, right, s, h


def _wide(v: np.ndarray, like: np.ndarray) -> np.ndarray:
    return v.reshape(v.shape + (1,) * (like.ndim - 1))


def linear(value: np.ndarray, left, right, s) -> np.ndarray:
    s = _wide(s, value)
    return np.where(s == 0, value[left], (1 - s) * value[left] + s * value[right])


def _hermite(y0, y1, d0, d1, s, h):
    s2, s3 = s * s, s * s * s
    return (2 * s3 - 3 * s2 + 1) * y0 + (3 * s2 - 2 * s3) * y1 + h * ((s3 - 2 * s2 + s) * d0 + (s3 - s2) * d1)


def cubic(value, rate, left, right, s, h) -> np.ndarray:
    """Cubic with the rates at both ends; linear where a rate is not recorded."""
    straight = linear(value, left, right, s)
    s, h = _wide(s, value), _wide(h, value)
    curved = _hermite(value[left], value[right], rate[left], rate[right], s, h)
    return np.where(np.isfinite(curved) & (s > 0), curved, straight)


def _orientations(data: RunData, left, right, s, h) -> np.ndarray:
    q, w = data.body_quaternion, data.body_angular_velocity
    p0, p1 = q[left], q[right]
    p1 = np.where(np.sum(p0 * p1, axis=-1, keepdims=True) < 0, -p1, p1)
    s, h = _wide(s, q), _wide(h, q)
    arc = rotation.slerp(p0, p1, s)
    curved = _hermite(p0, p1, rotation.rate(p0, w[left]), rotation.rate(p1, w[right]), s, h)
    norm = np.linalg.norm(curved, axis=-1, keepdims=True)
    turn = h * np.maximum(np.linalg.norm(w[left], axis=-1), np.linalg.norm(w[right], axis=-1))[..., None]
    good = np.isfinite(norm) & (norm > 0.5) & (turn < MAX_TURN) & (s > 0)
    out = np.where(good, curved / np.where(norm > 0, norm, 1.0), arc)
    return np.where(s == 0, p0, out)
