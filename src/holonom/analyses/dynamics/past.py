"""The past of delayed expressions during a dynamic analysis; see `system.delay`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model import ModelError
from ...system.delay import NODES, Past

SMOOTH = 8  # jumps of derivatives from this one on are not waited for


def delays_of(system: Any) -> list[tuple[Any, Any]]:
    """(DELAY, work arrays in which its expression is found) of a system, in its equations and its outputs."""
    sets = ((system.functions.set, system), (system.outputs.set, system.outputs))
    return [(d, owner) for functions, owner in sets for d in functions.delays]


def attach(system: Any, kept: dict[str, Past]) -> float:
    """Let a system's DELAYs go on with the past that a simulation has; returns the shortest delay (infinity without one)."""
    found = delays_of(system)
    for d, _ in found:
        d.past = kept.setdefault(d.key, Past())
    return min((d.delay for d, _ in found), default=np.inf)


def refuse(system: Any, analysis: str) -> None:
    """Raise ModelError where an analysis that keeps no past meets a DELAY."""
    if delays_of(system):
        raise ModelError(f"DELAY needs the past of its expression, which {analysis} does not keep; run a dynamic analysis")


class PastKeeper:
    """Keeps the past of all delayed expressions of one analysis, step by step."""

    def __init__(self, system: Any, kept: dict[str, Past]) -> None:
        attach(system, kept)
        self.found = list({d.key: (d, owner) for d, owner in delays_of(system)}.values())

    @property
    def on(self) -> bool:
        return bool(self.found)

    def goal(self, t: float, goal: float) -> float:
        """Where the next step must end: not later than the shortest delay, since what is asked for must be known, and at multiples
        of a delay after the start, where a derivative of the solution jumps: at the k-th one the k-th; from `SMOOTH` on no
        integrator sees it.
        """
        for d, _ in self.found:
            goal = min(goal, t + d.delay)
            start = d.past.start if d.past.steps else t
            k = int(np.floor((t - start) / d.delay + 1e-9)) + 1
            if k <= SMOOTH:
                goal = min(goal, start + k * d.delay)
        return goal

    def accept(self, stepper: Any, step: Any, recorder: Any, until: float) -> None:
        """Keep the values of a step that was accepted, up to time ``until``."""
        points = np.linspace(step.t_old, until, NODES)
        values = np.empty((len(self.found), NODES))
        y = np.zeros_like(stepper.y)
        for k, t in enumerate(points):
            stepper.interpolate(t, y)
            recorder.evaluate(t, y, 0)
            values[:, k] = [owner.W.f.x[d.source] for d, owner in self.found]
        for (d, _), row in zip(self.found, values):
            d.past.add(step.t_old, until, row)
