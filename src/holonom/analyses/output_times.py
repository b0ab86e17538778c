"""Times at which an analysis leaves rows."""

from __future__ import annotations

import numpy as np

from ..model import ModelError


def output_times(now: float, end: float | None, steps: int | None, dt: float | None, duration: float | None) -> np.ndarray:
    """From ``now`` to ``end`` (or for ``duration``), every ``dt`` or at ``steps`` equal intervals (default: 100).  Raises ModelError for what is no time."""
    if end is None and duration is None:
        raise ModelError("a simulation needs END or DURATION")
    stop = float(end) if end is not None else now + float(duration)
    if not stop > now:
        raise ModelError(f"the end time {stop:g} does not lie after the present time {now:g}")
    if not np.isfinite(stop):
        raise ModelError("the end time must be a finite number")
    span = stop - now
    if dt is not None:
        if not dt > 0:
            raise ModelError(f"the output interval must be positive, not {dt:g}")
        n = max(1, int(np.floor(span / dt * (1 + 1e-10))))
        times = now + dt * np.arange(n + 1)
        return np.append(times, stop) if stop - times[-1] > 1e-9 * span else np.append(times[:-1], stop)
    n = 100 if steps is None else int(steps)
    if n < 1 or (steps is not None and n != steps):
        raise ModelError(f"the number of output steps must be a positive whole number, not {steps}")
    return np.linspace(now, stop, n + 1)
