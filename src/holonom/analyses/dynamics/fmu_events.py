"""Events of FMUs whose states are states of the model: where an event indicator changes its sign (state events), at
times that the FMU names (time events), and where it requests one at the end of a step (step events).

Between events the FMU holds its discrete states, so the equations are smooth.  After a step its indicators are checked,
at its end and inside it on the integrator's interpolant; the first change of a sign (zero counts as negative, as in
FMI) is located by the Illinois method, the FMU carries out its event there, and the integrator restarts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...integrators.stepper import IntegrationError
from ..cosimulation.inside import InsideFmu, Signals

INSIDE = (0.27, 0.5, 0.73)  # where a step is checked whose indicators are near zero for their change
NEAR = 1e-13  # of a step and of the time: so close an event is located
MOST, WITHIN = 1000, 1e-6  # events within this share of the span: it switches for ever
TRIES = 60


class FmuEvents:
    """Follows the FMUs of one system; ``on`` is false where there are none."""

    def __init__(self, simulation: Any, system: Any, span: float) -> None:
        self.fmus: list[InsideFmu] = simulation.fmus.present(system)
        self.on = bool(self.fmus)
        self.located = 0
        self._counted = sum(f.calls for f in self.fmus)
        self._span, self._recent = span, [-np.inf]
        if self.on:
            self.signals = Signals(simulation, system, self.fmus)
            self._asked = False  # one wants an event at the end of the last step
            self._stepped = any(f.completes for f in self.fmus)

    # ---- events -----------------------------------------------------------------------------------------------------
    def act(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state after an event of all FMUs at (t, y)."""
        out, self._asked = y.copy(), False
        for k, f in enumerate(self.fmus):
            inputs, states = self.signals.inputs(t, out)[k], self.signals.states(out)[k]
            self.signals.put(k, f.event(t, states, inputs), out)
        self.located += 1
        self._recent = [*self._recent[-MOST:], t]
        if len(self._recent) > MOST and t - self._recent[0] < WITHIN * self._span:
            raise IntegrationError(
                f"{self.fmus[0].element.label}: {MOST} events within {t - self._recent[0]:.3g} up to time {t:.9g}: it "
                "switches again and again; fix the FMU, or use its co-simulation (kind='cs') if it has one",
                t,
            )
        return out

    def counts(self) -> dict[str, int]:
        """Counters since they were last taken."""
        if not self.on:
            return {}
        calls, before = sum(f.calls for f in self.fmus), self._counted
        events, self.located, self._counted = self.located, 0, calls
        return {"events of FMUs": events, "evaluations of FMUs": calls - before}

    def report(self) -> list[str]:
        """What the FMUs have said since they were last asked."""
        return [text for f in self.fmus for text in f.process.report()]

    def due(self, t: float) -> bool:
        """Whether an event must be carried out at the end of the last step."""
        return self.on and (self._asked or any(t >= f.next - NEAR * abs(f.next) for f in self.fmus))

    def goal(self, goal: float) -> float:
        """Where the next step must end."""
        return min([goal, *(f.next for f in self.fmus)])

    def accept(self, t: float, y: np.ndarray) -> None:
        """A step has ended at (t, y)."""
        if not (self.on and self._stepped):
            return
        given, states = self.signals.inputs(t, y), self.signals.states(y)
        for k, f in enumerate(self.fmus):
            if f.completes:
                self._asked |= f.complete(t, states[k], given[k])

    # ---- indicators -------------------------------------------------------------------------------------------------
    def levels(self, t: float, y: np.ndarray) -> np.ndarray:
        """Indicators of all FMUs."""
        given, states = self.signals.inputs(t, y), self.signals.states(y)
        found = [f.levels(t, x, u) for f, x, u in zip(self.fmus, states, given) if f.levels_count]
        return np.concatenate(found) if found else np.zeros(0)

    def check(self, stepper: Any, step: Any) -> float | None:
        """Time at which the first indicator changes its sign within the last step, or None."""
        if not self.on or not any(f.levels_count for f in self.fmus):
            return None
        positive = np.concatenate([f.positive for f in self.fmus])
        y = np.empty_like(stepper.y)

        def at(t: float) -> np.ndarray:
            if t == step.t:
                return self.levels(t, stepper.y)
            stepper.interpolate(t, y)
            return self.levels(t, y)

        first, end = at(step.t_old), at(step.t)
        crossed = lambda z: (z > 0.0) != positive
        if crossed(first).any():  # others have ended the last step in front of it
            return float(step.t_old)
        a, za, points = step.t_old, first, [(step.t, end)]
        if (np.minimum(np.abs(end), np.abs(first)) <= 2.0 * np.abs(end - first)).any():
            points = [*((t, at(t)) for t in (step.t_old + s * step.h for s in INSIDE) if a < t < step.t), *points]
        for t, z in points:
            if crossed(z).any():
                return self._locate(a, za, t, z, at, crossed, step.h)
            a, za = t, z
        return None

    def _locate(self, a: float, za: np.ndarray, b: float, zb: np.ndarray, at: Any, crossed: Any, h: float) -> float:
        """The first time in (a, b], to `NEAR`, at which an indicator has changed its sign; the end behind it is
        taken."""
        wa, wb, last = 1.0, 1.0, 0
        near = max(4e-16 * max(abs(a), abs(b)), NEAR * h)
        for n in range(TRIES):
            if b - a <= near:
                break
            k = crossed(zb)
            fa, fb = wa * za[k], wb * zb[k]
            with np.errstate(divide="ignore", invalid="ignore"):
                roots = a + (b - a) * fa / (fa - fb)
            t = float(np.nanmin(roots)) if np.isfinite(roots).any() and n % 8 < 7 else 0.5 * (a + b)
            t = min(max(t, a + 0.5 * near), b - 0.5 * near)
            z = at(t)
            if crossed(z).any():
                b, zb, wb = t, z, 1.0
                wa, last = (0.5 * wa if last < 0 else 1.0), -1
            else:
                a, za, wa = t, z, 1.0
                wb, last = (0.5 * wb if last > 0 else 1.0), 1
        return b
