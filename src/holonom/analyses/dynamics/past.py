"""The past of delayed expressions during a dynamic analysis; see `system.delay`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._warnings import WarningText
from ...model import ModelError
from ...system.delay import NODES, Past

EXACT = 1e-12  # of the values of a past: less is roundoff
SHARE = 0.5  # of a delay that varies: no longer is a step
BETWEEN = 0.5 / (NODES - 1), 1.0 - 0.5 / (NODES - 1)  # of a step: where the kept past is farthest from the expression
SMOOTH = 8  # jumps of derivatives from this one on are not waited for


def delays_of(system: Any) -> list[tuple[Any, Any]]:
    """(DELAY, work arrays in which its expression is found) of a system, in its equations and its outputs."""
    sets = ((system.functions.set, system), (system.outputs.set, system.outputs))
    return [(d, owner) for functions, owner in sets for d in functions.delays]


def attach(system: Any, kept: dict[str, Past]) -> float:
    """Let a system's DELAYs continue with the past that a simulation has; returns the shortest delay (infinity without
    one)."""
    system.workspace.pasts = kept
    return min((d.delay for d, _ in delays_of(system) if d.by is None), default=np.inf)


def refuse(system: Any, analysis: str, instead: str = "run") -> None:
    """Raise ModelError where an analysis that keeps no past meets a DELAY; ``instead``: the reason, and what leads to
    a dynamic analysis."""
    if delays_of(system):
        raise ModelError(
            f"DELAY needs the past of its expression, which {analysis} does not keep; {instead} a dynamic analysis"
        )


def reads_delay(model: Any) -> bool:
    """Whether a DELAY may occur in the expressions of a model, by their texts."""
    return any(
        "DELAY" in (v if isinstance(v, str) else str(v)).upper()
        for kind, table in model._tables.items()
        if kind not in ("PART", "MARKER", "GRAPHICS")
        for e in table.values()
        for v in vars(e).values()
        if isinstance(v, str) or (v and kind in ("REQUEST", "SWITCH"))
    )


class PastKeeper:
    """Keeps the past of all delayed expressions of one analysis, step by step.

    ``error``: the relative error that was requested; ``say``: takes a message where the past is kept less exactly: the
    expression is no polynomial of degree four over a step, or jumps at its end."""

    def __init__(self, system: Any, kept: dict[str, Past], error: float, say: Any) -> None:
        attach(system, kept)
        self._error, self._say = error, say
        self._largest: dict[int, float] = {}  # of each past
        self.found = list(
            {(d.key, d.delay if d.by is None else id(d)): (d, owner) for d, owner in delays_of(system)}.values()
        )

    @property
    def on(self) -> bool:
        return bool(self.found)

    def goal(self, t: float, goal: float) -> float:
        """Where the next step must end: not later than the shortest delay, since what is requested must be known, and
        at multiples of a delay after the start, where a derivative of the solution jumps: at the k-th one the k-th;
        from `SMOOTH` on no integrator sees it.
        """
        for d, _ in self.found:
            if d.by is not None:
                goal = min(goal, t + SHARE * d.delay) if d.delay > 0.0 else goal
                continue
            goal = min(goal, t + d.delay)
            start = d.past.start if d.past.steps else t
            k = int(np.floor((t - start) / d.delay + 1e-9)) + 1
            if k <= SMOOTH:
                goal = min(goal, start + k * d.delay)
        return goal

    def accept(self, stepper: Any, step: Any, recorder: Any, until: float) -> None:
        """Keep the values of a step that was accepted, up to time ``until``."""
        whole = until - step.t_old
        points = [*np.linspace(step.t_old, until, NODES), *(step.t_old + share * whole for share in BETWEEN)]
        values = np.empty((len(self.found), len(points)))
        y = np.zeros_like(stepper.y)
        for k, t in enumerate(points):
            stepper.interpolate(t, y)
            recorder.evaluate(t, y, 0)
            values[:, k] = [owner.W.f.x[d.source] for d, owner in self.found]
            for d, owner in self.found:
                if d.by is not None:
                    self._check(d, float(owner.W.f.x[d.by]), t, step.t_old)
        kept = set()
        for (d, _), row in zip(self.found, values):
            if id(d.past) not in kept:  # several delays of one expression share its past
                kept.add(id(d.past))
                d.past.add(step.t_old, until, row[:NODES].copy())
                self._compare(d, points[NODES:], row, whole)

    def _compare(self, d: Any, times: list[float], row: np.ndarray, whole: float) -> None:
        """Report a past that is kept less exactly than the error that was requested, once."""
        largest = self._largest[id(d.past)] = max(self._largest.get(id(d.past), 0.0), float(np.abs(row).max()))
        if d.past.reported or not whole > 0.0:
            return
        off = max(abs(d.past.value(t) - value) for t, value in zip(times, row[NODES:]))
        if off > max(self._error, EXACT) * largest:
            d.past.reported = True
            smaller = whole * max(0.1, (self._error * largest / off) ** (1.0 / NODES))
            self._say(
                WarningText(
                    f"at time {times[-1]:.6g} the past of DELAY({d.key}) is kept to {off / largest:.2g} of its values, "
                    f"less than the error {self._error:g} that was requested: five values a step represent it; if it "
                    f"is smooth hmax={smaller:.2g} is enough, and a sampled block (`sample_time`) may jump"
                )
            )

    @staticmethod
    def _check(d: Any, delay: float, t: float, begin: float) -> None:
        """Raise ModelError for a varying delay that is not positive, or whose past lies within the step."""
        if not delay > 0.0 or (d.past.steps and t - delay > begin + 1e-9 * (t - begin)):
            raise ModelError(
                f"the delay of DELAY({d.key}) is {delay:g} at time {t:g}, less than the step from {begin:g}, whose "
                "past is not known yet; "
                "keep it positive (bound it, as MAX(0.001, ...)), or give a smaller hmax where it falls fast"
            )
