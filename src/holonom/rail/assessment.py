"""Wheelsets of a run compared with the limits of running safety and track loading of EN 14363 and UIC 518.

| quantity | worked out as | limit |
|---|---|---|
| derailment quotient Y / Q of a guiding wheel | low-pass 20 Hz, mean over 2 m, largest | 0.8 where R >= 250 m; Nadal's for a flange and a friction |
| sum of guiding forces of a wheelset | low-pass 20 Hz, mean over 2 m, largest | k1 (10 kN + load / 3), Prud'homme |
| unloading 1 - Q / Q0 of a wheel | low-pass 20 Hz, largest | 0.6 |

Standards take the 99.85 % values over many stretches of track; of one run the largest value counts, which is more.
"""  # noqa: E501

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.values import number
from .vehicle import Wheelset, nadal, prudhomme, wheel_history

QUOTIENT_LIMIT, SMALLEST_RADIUS, UNLOADING_LIMIT = 0.8, 250.0, 0.6


@dataclass(frozen=True)
class Assessment(Summary):
    """Of a wheelset: ``name``; ``quotient`` (infinite where a wheel bore nothing), ``guiding`` (force) and
    ``unloading``: largest values of the table above; ``mean_y``, ``mean_q``: (left, right) over the last part of the
    run; ``load``: the force that both wheels carry at rest; ``quotient_limit`` (NaN where there is none), ``nadal``,
    ``guiding_limit``, ``unloading_limit``; ``notes``: sentences about what profiles do not hold and wheels that bore
    nothing."""

    name: str
    quotient: float
    guiding: float
    unloading: float
    mean_y: tuple[float, float]
    mean_q: tuple[float, float]
    load: float
    quotient_limit: float
    nadal: float
    guiding_limit: float
    unloading_limit: float
    notes: tuple[str, ...]

    @property
    def exceeded(self) -> list[str]:
        """Words of what is above its limit."""
        pairs = (
            ("Y/Q", self.quotient, self.quotient_limit),
            ("sum of Y", self.guiding, self.guiding_limit),
            ("unloading", self.unloading, self.unloading_limit),
        )
        return [word for word, value, limit in pairs if value > limit]


def assess(
    run: Any,
    wheelsets: Sequence[Wheelset],
    *,
    start: float = 0.0,
    steady: float = 1.0,
    radius: float = math.inf,
    mu: float = 0.35,
    flange: float = math.radians(70.0),
    factor: float = 1.0,
    cutoff: float = 20.0,
    window: float = 2.0,
) -> list[Assessment]:
    """Assessment of each wheelset from the track position ``start`` on, compared with its limits; units of the model.

    ``steady``: time before the end of the run over which means are taken; ``radius``: of the curve in metres (the limit
    0.8 does not apply below 250 m); ``mu``, ``flange`` (rad): of Nadal's limit; ``factor``: k1 of Prud'homme's (0.85:
    freight wagons); ``cutoff``: of the filter in Hz,
    ``window``: of the moving mean in metres. Raises `ModelError` where a wheelset is not beyond ``start`` long enough
    for its filter, and where the run has too few output steps.

        for axle in hn.rail.assess(run, coach.wheelsets, start=40.0, radius=600.0):
            print(axle.name, axle.quotient, axle.guiding, axle.exceeded)
    """
    for word, value in (("steady", steady), ("factor", factor), ("cutoff", cutoff), ("window", window)):
        if not number(value, word) > 0.0:
            raise ModelError(f"{word} is {value:g}; give a positive number")
    if not radius > 0.0:
        raise ModelError(f"radius is {radius:g}; give a positive one")
    return [_assess(run, w, start, steady, radius, nadal(flange, mu), factor, cutoff, window) for w in wheelsets]


def _assess(
    run: Any,
    axle: Wheelset,
    start: float,
    steady: float,
    radius: float,
    climb: float,
    factor: float,
    cutoff: float,
    window: float,
) -> Assessment:
    import xarray as xr

    from ..results.curves import filtered, moving_mean

    u = run.model.units
    sides = [wheel_history(run, c) for c in axle.contacts]
    time = sides[0]["time"]
    counts = sides[0]["s"] >= start
    if counts.sum() < 2:
        raise ModelError(
            f"{axle.part.name} does not reach {start:g} {u.symbol('length')} of its track; give a longer run or a "
            "smaller start"
        )
    speed = float(sides[0]["speed"][counts].mean()) * u.si_length
    if not speed > 0.0:
        raise ModelError(
            f"{axle.part.name} does not run forwards beyond {start:g} {u.symbol('length')}, so a mean over "
            f"{window:g} m is meaningless"
        )

    def smooth(values: np.ndarray, mean: bool = True) -> np.ndarray:
        curve = filtered(
            xr.DataArray(values, {"time": ("time", time * u.si_time, {"units": "s"})}, ("time",), name=axle.part.name),
            cutoff,
        )
        return (moving_mean(curve, window / speed) if mean else curve).values[counts]

    half = 0.5 * axle.load
    quotient = max(float(smooth(h["quotient"]).max()) if np.isfinite(h["quotient"]).all() else math.inf for h in sides)
    late = time >= time[-1] - steady
    means = [(float(h["Y"][late].mean()), float(h["Q"][late].mean())) for h in sides]
    return Assessment(
        axle.part.name,
        quotient,
        float(np.abs(smooth(sides[0]["Y"] + sides[1]["Y"])).max()),
        max(float((1.0 - smooth(h["Q"], False) / half).max()) for h in sides),
        (means[0][0], means[1][0]),
        (means[0][1], means[1][1]),
        axle.load,
        QUOTIENT_LIMIT if radius >= SMALLEST_RADIUS else math.nan,
        climb,
        prudhomme(axle.load * u.si_force, factor) / u.si_force,
        UNLOADING_LIMIT,
        tuple(s for h in sides for s in h["left"]),
    )
