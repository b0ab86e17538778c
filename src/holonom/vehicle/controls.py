"""What a car is driven by, and where: the settings of `Vehicle.model`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .._summary import Summary
from ..model import Model, ModelError
from ..model.base import shown
from .template import number_of, numbers_of


def _share(pedal: Any) -> float:
    """A pedal that is a number, also as text; 0 for an expression or a function."""
    try:
        return float(pedal)
    except (TypeError, ValueError):
        return 0.0


@dataclass(frozen=True)
class Controls(Summary):
    """``steer``: angle of the steering wheel (radians, positive to the left), an expression of TIME (units of time of
    the model); or ``servo``: a stiff servo turns it to the input "steering command" (radians), for drivers, or to
    ``steer``, which may then depend on states.

    ``hold``: a speed control keeps the speed (or another, m/s, or an expression in units of the model), ``until`` a
    time (s) at which it is released over 0.1 s; otherwise ``throttle`` (0 to 1, of the engine map) drives. ``brake`` (0
    to 1, of the brake torque): the speed control is released while the brake is applied. ``gears``: rows (time [s],
    gear) of shifts, each with the clutch open for 0.3 s, or "driver" (inputs "gear ratio", turns of the engine per turn
    of the wheels, and "clutch", 0 to 1); without it the gear of the vehicle is kept.

    Each of steer, throttle and brake may be a function of (model, chassis) that returns the expression. Expressions
    read VARIABLEs by VARVAL. Raises `ModelError` for invalid settings."""

    steer: Any = "0"
    hold: bool | float | str = True
    until: float | None = None
    throttle: Any = "0"
    brake: Any = "0"
    gears: Any = ()
    servo: bool = False

    def __post_init__(self) -> None:
        for word in ("steer", "throttle", "brake"):
            value = getattr(self, word)
            if not (isinstance(value, str) or callable(value)):
                object.__setattr__(self, word, repr(number_of(value, f"Controls.{word}, which is not an expression,")))
        if not isinstance(self.hold, (bool, str)):
            number_of(self.hold, "Controls.hold", least=0.0)
        if self.until is not None:
            number_of(self.until, "Controls.until", least=0.0)
        for word in ("throttle", "brake"):
            share = _share(getattr(self, word))
            if not 0.0 <= share <= 1.0:
                raise ModelError(f"Controls.{word} is {share:g}; give a share from 0 to 1")
        if not isinstance(self.gears, (list, tuple)) and self.gears != "driver":
            raise ModelError(f"Controls.gears is {shown(self.gears)}; give rows (time, gear), or 'driver'")
        if not isinstance(self.gears, str):
            rows = [numbers_of(row, f"Controls.gears: row {k + 1}", 2) for k, row in enumerate(self.gears)]
            for k, ((before, _), (time, _)) in enumerate(zip(rows, rows[1:])):
                if not time > before:
                    raise ModelError(
                        f"Controls.gears: times must increase, but row {k + 2} ({time:g} s) follows {before:g} s"
                    )


@dataclass(frozen=True)
class Scene(Summary):
    """``road``: a function of the model that gives its road (``lambda m: m.road(...)``, or a table of one for each
    wheel, "front left" ...), default a plane at z = 0;
    ``contact``: of the tyres with it; ``position``, ``heading``: where the origin of the file's coordinates and its x
    axis stand, metres and radians.
    ``body_contact``: contact of the body geometry with the plane, so that a car that rolls over comes to rest on its
    side or roof; without it a warning gives the time from which the inclination of a wheel exceeds the range of its
    tyre. Raises `ModelError` for invalid settings."""

    road: Callable[[Model], Any] | None = None
    contact: str = "POINT"
    position: Sequence[float] = (0.0, 0.0)
    heading: float = 0.0
    body_contact: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.body_contact, bool):
            raise ModelError(f"Scene.body_contact is {shown(self.body_contact)}; give True or False")
        if self.body_contact and self.road is not None:
            raise ModelError(
                "Scene.body_contact: the body touches the plane at z = 0 only; leave the road out, or body_contact"
            )
        if not (self.road is None or callable(self.road)):
            raise ModelError(
                f"Scene.road is {shown(self.road)}; give a function of the model, as lambda m: m.road('FLAT')"
            )
        numbers_of(self.position, "Scene.position", 2)
        number_of(self.heading, "Scene.heading")
