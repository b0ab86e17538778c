"""A dynamic analysis with contacts as constraints, by time-stepping (`integrators.moreau_jean`)."""

from __future__ import annotations

from typing import Any

from .dynamics import Dynamics


class TimeStepping(Dynamics):
    """As `Dynamics`; nothing is located, since impacts fall within steps.  They are noted (``run.impacts``) where works are integrated."""

    def _start(self, t: float, y: Any, h0: float | None) -> None:
        super()._start(t, y, h0)
        if self.work.on:
            self.stepper.impacts = self.recorder.impacts
