"""Sampled state equations (GSE with ND discrete states): x_d is constant between samples, and x_d <- f_d(x, x_d, u, t)
at every sample.

Samples are at SAMPLE_OFFSET + k SAMPLE_PERIOD, k = 0, 1, ..., or, where a routine gives the period (GSE_SAMP), each
that time after the one before.  Steps end there exactly; all blocks that are due read the state before the sample, then
the integrator restarts after it. A row of results at the time of a sample holds what was there before it.
Source: Adams Solver manual, GSE statement, equations (1) to (3).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...model.validate import samples_itself
from ...system.outputs import Sampled

NEAR = 1e-9  # a sample so many periods ahead is due
SHORTEST = 1e-9  # period of a sampling routine, as a share of the time that has passed


class Sampling:
    """The samples of one system; when the next ones are due is kept by the simulation from analysis to analysis."""

    def __init__(self, simulation: Any, system: Any):
        self.simulation, self.system = simulation, system
        self.blocks = [b for b in system.model.table("GSE").values() if b.active and b.nd]
        self.next: dict[int, float] = simulation.carried.samples
        if not self.blocks:
            return
        for b in self.blocks:
            if not samples_itself(b) and not (b.sample_period is not None and b.sample_period > 0.0):
                given = "none is given" if b.sample_period is None else f"it is {b.sample_period:g}"
                raise b.error(
                    f"SAMPLE_PERIOD must be positive, {given}; give the time between two samples, or a routine for it"
                )
            if b.id not in self.next:
                self.next[b.id] = (
                    self._regular(b, simulation.time) if b.sample_period else max(b.sample_offset, simulation.time)
                )
        self.functions = Sampled(system, self.blocks)

    @staticmethod
    def _regular(b: Any, t: float) -> float:
        """The first sample at t or later."""
        k = max(math.ceil((t - b.sample_offset) / b.sample_period - NEAR), 0)
        return float(b.sample_offset + k * b.sample_period)

    def _is_due(self, b: Any, t: float) -> bool:
        return t >= self.next[b.id] - NEAR * (b.sample_period or 0.0) - 1e-15 * abs(t)

    def due(self, t: float) -> bool:
        """Is there a sample at t?"""
        return any(self._is_due(b, t) for b in self.blocks)

    def goal(self, goal: float) -> float:
        """Where the next step must end."""
        return min([goal, *(self.next[b.id] for b in self.blocks)])

    def sample(self, t: float, y: np.ndarray) -> np.ndarray:
        """State after the sample at (t, y)."""
        due = [b for b in self.blocks if self._is_due(b, t)]
        self.simulation.recorder.evaluate(t, y, 0)
        values = self.functions.values(t, y, due)
        out = y.copy()
        first = self.system.bodies.end
        for b in due:
            x, period = values[b.id]
            if not np.isfinite(x).all():
                raise b.error(f"its routine for discrete states gives no finite number at time {t:.9g}")
            for k, number in enumerate(x):
                out[first + self.system.functions.state_number(("X", b.xd, k + 1))] = number
            if b.sample_period:
                self.next[b.id] = self._regular(b, t + 0.5 * b.sample_period)
            elif period > SHORTEST * abs(t) and math.isfinite(period):
                self.next[b.id] = t + period
            else:
                raise b.error(
                    f"its routine for the sampling period gives {period:g} at time {t:.9g}; it must be positive"
                )
        return out
