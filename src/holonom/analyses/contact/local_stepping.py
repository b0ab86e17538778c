"""Time-stepping inside an event-driven analysis: where the order of events is lost, contacts are constraints of steps
for a while.

An event-driven analysis follows one event after the other.  Where events never end (rattling in which no series is
recognised, a coin on its edge), where one of them has no solution that is found, or where no step after it is
accepted, steps of `integrators.moreau_jean` need no order of events: any number of impacts may fall into one.  Such a
time is short, so that the rest of the run is as exact as its integrator; when events fail again soon after it, the next
one is four times as long.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...integrators.moreau_jean import MoreauJean
from ...integrators.stepper import IntegrationError, Options
from .follower import ContactFollower

STEP = 1e-3  # of the natural time: size of a step
STEPS = 50  # in the first such time
LONGER = 4.0  # times as long as the one before, where events fail again within so many of its lengths
SLOP = 1e-10  # of the size: overlap that is left alone


class Crowded(IntegrationError):
    """Events of contact cannot be followed one by one; time-stepping goes through."""


class LocalStepping(ContactFollower):
    """Follows contacts through a time of time-stepping, which ends with the first step that reaches ``until``.
    ``error``: why it was begun."""

    on = True

    def __init__(self, until: float, error: IntegrationError):
        self.until, self.error = until, error
        self.said: list[str] = []
        self.counters = {"onsets": 0}

    def begin(self, t: float, y: Any, costly_restart: bool) -> None:
        return

    def goal(self, stepper: Any, goal: float) -> float:
        return min(goal, self.until) if self.until > stepper.t else goal

    def check(self, stepper: Any, step: Any, until: float | None = None) -> float | None:
        return step.t if step.t >= self.until and (until is None or until >= step.t) else None

    def resume(self) -> None:
        return

    def release(self) -> None:
        return


def make_stepper(system: Any, h: float, size: float) -> MoreauJean:
    """Time-stepping of a system whose contacts are constraints, at steps of size ``h``; ``size``: of its shapes."""
    model, rigid = system.model, system.model.rigid
    model.rigid = replace(rigid, sleep=False, penetration=SLOP * size, stabilisation="projection")
    try:
        stepper = MoreauJean(system, Options(hmax=h))
        stepper.jams = (
            1  # it is there for what events cannot solve: where its first problem has no solution, nothing has
        )
        return stepper
    finally:
        model.rigid = rigid


def natural_time(touch: Any) -> float:
    """Time in which something of the size of the shapes moves by as much."""
    natural = (
        min(float(touch.settling.natural), float(touch.size / touch.speed))
        if touch.speed > 0.0
        else float(touch.settling.natural)
    )
    return natural if np.isfinite(natural) and natural > 0.0 else float(touch.span)
