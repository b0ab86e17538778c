"""SENSOR elements during a dynamic analysis."""

from __future__ import annotations

from typing import Any

import numpy as np


class Sensors:
    """SENSOR elements during a dynamic analysis: located on the interpolant, then acted upon."""

    def __init__(self, simulation: Any, system: Any):
        self.simulation = simulation
        self.outputs = system.outputs
        self.sensors = [s for s in self.outputs.sensors if s.id not in simulation.carried.disabled]
        self.index = [k for k, s in enumerate(self.outputs.sensors) if s.id not in simulation.carried.disabled]
        self.fired: list = []
        self.stepsize: float | None = None
        self.dt: float | None = None
        self.previous: np.ndarray | None = None

    def _distance(self) -> np.ndarray:
        """Positive when the sensor's condition holds."""
        v = self.outputs.sensor_values[self.index] if self.index else np.zeros(0)
        out = np.empty(len(v))
        for k, s in enumerate(self.sensors):
            x = v[k] - s.value
            out[k] = x + s.tolerance if s.comparison == "GE" else (s.tolerance - x if s.comparison == "LE" else s.tolerance - abs(x))
        return out

    def check(self, stepper, step, recorder, until: float | None = None) -> float | None:
        """Time of the first sensor that becomes true in the last step (as far as ``until``), or None."""
        if not self.sensors:
            return None
        y = np.zeros_like(stepper.y)

        def at(t):
            stepper.interpolate(t, y)
            recorder.evaluate(t, y, 0)
            return self._distance()

        before = self.previous if self.previous is not None else at(step.t_old)
        # a sensor may fire between the ends of a long step: look at a few points inside
        points = np.linspace(step.t_old, step.t if until is None else until, 5)[1:]
        for t in points:
            now = at(t)
            hit = (now >= 0) & (before < 0)
            if hit.any():
                lo, hi = (t - (points[1] - points[0])), t
                for _ in range(60):
                    mid = 0.5 * (lo + hi)
                    if mid in (lo, hi):
                        break
                    if (at(mid)[hit] >= 0).any():
                        hi = mid
                    else:
                        lo = mid
                    if hi - lo < 1e-12 * max(abs(hi), 1e-12):
                        break
                final = at(hi)
                self.fired = [s for s, d, h in zip(self.sensors, final, hit) if h and d >= 0]
                self.previous = final
                self._values = self.outputs.evaluate_values
                self._own = self.outputs.sensor_values
                return float(hi)
            before = now
        self.previous = before
        return None

    def act(self, t: float) -> bool:
        """Carry out what the sensors ask; true when the analysis ends here."""
        sim = self.simulation
        end = False
        all_sensors = self.outputs.sensors
        for s in self.fired:
            k = all_sensors.index(s)
            value = float(self._values[k] if s.evaluate else self._own[k])
            sim.carried.senval[s.id] = value
            self.outputs.set_parameter(("SENVAL", s.id), value)
            sim.say(f"sensor {s.name} at time {t:.9g}: value {float(self._own[k]):.6g}")
            if s.halt:
                sim.halted = True
                end = True
            if s.returns:
                sim.returned = True
                end = True
            self.stepsize = s.stepsize or self.stepsize
            self.dt = s.dt or self.dt
        return end

    def new_times(self, times, k):
        if self.dt is None:
            return times
        t, stop = self.simulation.time, times[-1]
        head = times[:k]
        tail = np.append(np.arange(t + self.dt, stop - 1e-12 * stop, self.dt), stop)
        self.dt = None
        return np.concatenate([head, tail])
