"""The steps that a run has taken, for its adjoint: times and states at their ends."""

from __future__ import annotations

from typing import Any

import numpy as np


class Tape:
    """``times`` (n + 1,), ``states`` (n + 1, ny) at the ends of steps, the start first; ``traces``: what else the
    method keeps of each (`Stepper.trace`); ``breaks``: times at which the integrator began again within the run.

    A stepper that has a tape calls `start` whenever it begins, and `step` after each accepted step.
    """

    def __init__(self) -> None:
        self._times: list[float] = []
        self._states: list[np.ndarray] = []
        self.traces: list[tuple[np.ndarray, ...]] = []
        self.breaks: list[float] = []
        self.warped = False

    def start(self, stepper: Any) -> None:
        """The integrator begins at its present time and state."""
        if not self._times:
            self._keep(stepper)
        elif np.array_equal(stepper.y, self._states[-1]) and stepper.t == self._times[-1] and len(self._times) == 1:
            return
        else:
            self.breaks.append(float(stepper.t))

    def step(self, stepper: Any) -> None:
        """Behind an accepted step."""
        self._keep(stepper)
        self.warped = self.warped or bool(stepper.warp[0])

    def _keep(self, stepper: Any) -> None:
        self._times.append(float(stepper.t))
        self._states.append(stepper.y.copy())
        self.traces.append(stepper.trace())

    @property
    def times(self) -> np.ndarray:
        return np.array(self._times)

    @property
    def states(self) -> np.ndarray:
        return np.array(self._states)
