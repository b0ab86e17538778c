"""What a car is driven by, and where: the settings of `Vehicle.model`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..model import Model


@dataclass(frozen=True)
class Controls:
    """``steer``: angle of the steering wheel (radians, positive to the left), an expression of TIME (units of time of the model); or ``servo``: a stiff servo turns it to
    the input "steering command" (radians), for drivers, or to ``steer``, which may then depend on states.

    ``hold``: a speed control keeps the speed (or another, m/s, or an expression in units of the model), ``until`` a time (s) at which it lets go over 0.1 s; else
    ``throttle`` (0 to 1, of the engine's map) drives.  ``brake`` (0 to 1, of the brakes' torque).  ``gears``: rows (time [s], gear) of shifts, each with the clutch open
    for 0.3 s, or "driver" (inputs "gear ratio", turns of the engine per turn of the wheels, and "clutch", 0 to 1); without it the vehicle's gear stays in.

    Each of steer, throttle and brake may be a function of (model, chassis) that gives the expression.  Expressions read VARIABLEs by VARVAL."""

    steer: Any = "0"
    hold: bool | float | str = True
    until: float | None = None
    throttle: Any = "0"
    brake: Any = "0"
    gears: Any = ()
    servo: bool = False


@dataclass(frozen=True)
class Scene:
    """``road``: a function of the model that gives its road (``lambda m: m.road(...)``, or a table of one for each wheel, "front left" ...), default a plane at z = 0;
    ``contact``: of the tyres with it; ``position``, ``heading``: where the origin of the file's coordinates and its x axis stand, metres and radians."""

    road: Callable[[Model], Any] | None = None
    contact: str = "POINT"
    position: tuple[float, float] = (0.0, 0.0)
    heading: float = 0.0
