"""What happens at samples: state equations with discrete states (GSE with ND), and sampled control blocks.

The discrete states of a GSE are constant between samples, and x_d <- f_d(x, x_d, u, t) at every sample. Samples are at
SAMPLE_OFFSET + k SAMPLE_PERIOD, k = 0, 1, ..., or, where a routine gives the period (GSE_SAMP), each that time after
the one before.  All blocks that are due read the state before the sample.  Source: Adams Solver manual, GSE statement,
equations (1) to (3).

Sampled control blocks compute new outputs at offset + k period (with jitter: up to that later), one after the other in
the order in which they need each other's outputs, and hold them; with a delay the outputs are released so much later.

Steps end at samples and releases exactly; the integrator restarts after each. A row of results at the time of a sample
holds what was there before it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...model.validate import samples_itself
from ...system.control import uniform
from ...system.outputs import Sampled, SampledBlocks

NEAR = 1e-9  # a sample so many periods ahead is due
SHORTEST = 1e-9  # period of a sampling routine, as a share of the time that has passed


class Sampling:
    """The samples of one system; when the next ones are due is kept by the simulation from analysis to analysis, by
    ("GSE", id), ("CONTROL", id), and ("RELEASE", id) for outputs that wait for the end of their delay."""

    def __init__(self, simulation: Any, system: Any):
        self.simulation, self.system = simulation, system
        self.equations = [b for b in system.model.table("GSE").values() if b.active and b.nd]
        self.control = system.functions.control.sampled
        self.blocks = [*self.equations, *self.control]
        self.next: dict[tuple[str, int], float] = simulation.carried.samples
        for b in self.equations:
            if not samples_itself(b) and not (b.sample_period is not None and b.sample_period > 0.0):
                given = "none is given" if b.sample_period is None else f"it is {b.sample_period:g}"
                raise b.error(
                    f"SAMPLE_PERIOD must be positive, {given}; give the time between two samples, or a routine for it"
                )
            if ("GSE", b.id) not in self.next:
                self.next["GSE", b.id] = (
                    self._regular(b, simulation.time) if b.sample_period else max(b.sample_offset, simulation.time)
                )
        for b in self.control:
            if ("CONTROL", b.id) not in self.next:
                self.next["CONTROL", b.id] = first_sample(b, simulation.time)
        if self.equations:
            self.functions = Sampled(system, self.equations)
        if self.control:
            self.control_functions = SampledBlocks(system)

    @staticmethod
    def _regular(b: Any, t: float) -> float:
        """The first sample of a GSE at t or later."""
        k = max(math.ceil((t - b.sample_offset) / b.sample_period - NEAR), 0)
        return float(b.sample_offset + k * b.sample_period)

    def _period(self, key: tuple[str, int]) -> float:
        if key[0] == "GSE":
            return self.system.model.table("GSE")[key[1]].sample_period or 0.0
        return float(self.system.model.table("CONTROL")[key[1]].period)

    def _keys(self) -> list[tuple[str, int]]:
        """Clocks of the blocks of this system."""
        keys = [("GSE", b.id) for b in self.equations]
        for b in self.control:
            keys += [("CONTROL", b.id), *([("RELEASE", b.id)] if ("RELEASE", b.id) in self.next else [])]
        return keys

    def _is_due(self, key: tuple[str, int], t: float) -> bool:
        return t >= self.next[key] - NEAR * self._period(key) - 1e-15 * abs(t)

    def due(self, t: float) -> bool:
        """Is there a sample or a release at t?"""
        return bool(self.blocks) and any(self._is_due(key, t) for key in self._keys())

    def goal(self, goal: float) -> float:
        """Where the next step must end."""
        return min([goal, *(self.next[key] for key in self._keys())]) if self.blocks else goal

    def slow(self, span: float) -> list[str]:
        """A sentence for each sampled block whose period is longer than a run of length ``span``."""
        return [
            f"{b.label}: its sample time {b.period:g} is longer than the run of {span:g}, so it acts once at most; "
            "give a shorter sample time or a longer run"
            for b in self.control
            if b.period > span * (1.0 + NEAR)
        ]

    def sample(self, t: float, y: np.ndarray) -> np.ndarray:
        """State after the sample at (t, y)."""
        due = [key for key in self._keys() if self._is_due(key, t)]
        self.simulation.recorder.evaluate(t, y, 0)
        out = y.copy()
        if self.equations:
            self._sample_equations(t, y, out, [b for b in self.equations if ("GSE", b.id) in due])
        if self.control:
            self._sample_control(t, out, due)
        return out

    def _sample_equations(self, t: float, y: np.ndarray, out: np.ndarray, due: list[Any]) -> None:
        values = self.functions.values(t, y, due)
        first = self.system.bodies.end
        for b in due:
            x, period = values[b.id]
            if not np.isfinite(x).all():
                raise b.error(f"its routine for discrete states gives no finite number at time {t:.9g}")
            for k, number in enumerate(x):
                out[first + self.system.functions.state_number(("X", b.xd, k + 1))] = number
            if b.sample_period:
                self.next["GSE", b.id] = self._regular(b, t + 0.5 * b.sample_period)
            elif period > SHORTEST * abs(t) and math.isfinite(period):
                self.next["GSE", b.id] = t + period
            else:
                raise b.error(
                    f"its routine for the sampling period gives {period:g} at time {t:.9g}; it must be positive"
                )

    def _sample_control(self, t: float, out: np.ndarray, due: list[tuple[str, int]]) -> None:
        numbers = {}
        for b in self.control:
            if ("RELEASE", b.id) in due:
                self.control_functions.release(out, b)
                del self.next["RELEASE", b.id]
            if ("CONTROL", b.id) in due:
                numbers[b.id] = k = max(math.floor((t - b.offset) / b.period + NEAR), 0)
                if b.delay:
                    self.next["RELEASE", b.id] = _sample_time(b, k) + b.delay
                self.next["CONTROL", b.id] = _sample_time(b, k + 1)
        if numbers:
            self.control_functions.act(t, out, numbers)


def _sample_time(b: Any, k: int) -> float:
    """Time of sample k of a block."""
    late = b.jitter * float(uniform(b.seed, -1 - k, 1)[0]) if b.jitter else 0.0
    return float(b.offset + k * b.period + late)


def first_sample(b: Any, t: float) -> float:
    """The first sample of a block at t or later."""
    k = max(math.ceil((t - b.offset - b.jitter) / b.period - NEAR), 0)
    while _sample_time(b, k) < t - NEAR * b.period:
        k += 1
    return _sample_time(b, k)
