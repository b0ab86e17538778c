"""Times at which an analysis leaves rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model import ModelError
from ...model.base import shown
from ...model.kinds import is_number

MOST_ROWS = 20_000_000  # of one analysis: more fill the memory with the times alone and a few columns


def output_times(
    now: float, end: float | None, steps: int | None, dt: float | None, duration: float | None
) -> np.ndarray:
    """From ``now`` to ``end`` (or for ``duration``), every ``dt`` or at ``steps`` equal intervals (default: 100).
    Raises ModelError for a value that is not a time, and for both of them."""
    for word, value in (("end", end), ("steps", steps), ("dt", dt), ("duration", duration)):
        if value is not None and not is_number(value):
            raise ModelError(f"{word} is {shown(value)}; give a number")
    if steps is not None and dt is not None:
        raise ModelError(f"steps = {steps} and dt = {dt:g} both state when results are stored; give one of them")
    if end is not None and duration is not None:
        raise ModelError(
            f"end = {end:g} and duration = {duration:g} both state when the analysis ends; give one of them"
        )
    if end is not None:
        stop = float(end)
    elif duration is not None:
        stop = now + float(duration)
    else:
        raise ModelError("a simulation needs an end; give end= (a time), or duration=")
    if not stop > now:
        raise ModelError(f"the end time {stop:g} does not lie after the present time {now:g}")
    if not np.isfinite(stop):
        raise ModelError("the end time must be a finite number")
    span = stop - now
    if dt is not None:
        if not dt > 0:
            raise ModelError(f"the output interval must be positive, not {dt:g}")
        if not span / dt <= MOST_ROWS:
            raise ModelError(_too_many(f"dt = {dt:g}", span / dt))
        n = max(1, int(np.floor(span / dt * (1 + 1e-10))))
        times = now + dt * np.arange(n + 1)
        return np.append(times, stop) if stop - times[-1] > 1e-9 * span else np.append(times[:-1], stop)
    n = 100 if steps is None else int(steps)
    if n < 1 or (steps is not None and n != steps):
        raise ModelError(f"the number of output steps must be a positive whole number, not {steps}")
    if n > MOST_ROWS:
        raise ModelError(_too_many(f"steps = {n}", n))
    return np.linspace(now, stop, n + 1)


def _too_many(given: str, rows: float) -> str:
    return (
        f"{given} gives {rows:.3g} rows of results, and {MOST_ROWS:,} fit at most; give fewer (the integrator chooses "
        "its own steps between them)"
    )


def _within(name: str, value: Any, span: float, remedy: str) -> None:
    """Raises ModelError for a time step or interval that is longer than the run of length ``span``."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and value > span * (1.0 + 1e-9) and span > 0.0:
        raise ModelError(f"{name} = {value:g} is longer than the run of {span:g}; give {remedy}")


def step_within(options: dict[str, Any], times: np.ndarray) -> None:
    """Raises ModelError for a fixed step that is longer than the run from the first to the last time."""
    span = float(times[-1] - times[0])
    _within(
        "step", options.get("step", options.get("h")), span, "a shorter step (steps= counts the rows of the results)"
    )


def interval_within(dt: float | None, span: float) -> None:
    """Raises ModelError for an output interval that is longer than the run of length ``span``."""
    _within("dt", dt, span, "a shorter output interval, or steps=")
