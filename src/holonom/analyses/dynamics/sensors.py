"""SENSOR elements during an analysis: found between two evaluations, located, then acted upon.

A sensor fires where its function reaches the value, from below for GE, from above for LE, by a change of sign from
either side for EQ; the tolerance counts where the function turns or stays within it before it reaches the value.  A
sensor whose condition holds within the tolerance when the analysis begins, or after it has fired, fires when it has
ceased to hold and holds again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

POINTS = 5  # evaluations in a step or between two output times, both ends included


class Sensors:
    """SENSOR elements of one analysis."""

    def __init__(self, simulation: Any, system: Any):
        self.simulation = simulation
        self.outputs = system.outputs
        self.sensors = [s for s in self.outputs.sensors if s.id not in simulation.carried.disabled]
        self.index = [k for k, s in enumerate(self.outputs.sensors) if s.id not in simulation.carried.disabled]
        self.fired: list = []
        self.acted = np.nan  # time at which one acted last
        self.stepsize: float | None = None
        self.dt: float | None = None
        self.previous: np.ndarray | None = None
        self.tolerance = np.array([s.tolerance for s in self.sensors])
        self.values = np.array([s.value for s in self.sensors])
        self.equal = np.array([s.comparison not in ("GE", "LE") for s in self.sensors], bool)
        self.sign = np.array([-1.0 if s.comparison == "LE" else 1.0 for s in self.sensors])
        self._armed = np.ones(len(self.sensors), bool)

    def _offsets(self) -> np.ndarray:
        """By how much the functions are beyond the values, from the outputs that were evaluated last."""
        return self.outputs.sensor_values[self.index] - self.values if self.index else np.zeros(0)

    def _holds(self, x: np.ndarray) -> np.ndarray:
        return np.where(self.equal, np.abs(x) <= self.tolerance, self.sign * x + self.tolerance >= 0.0)

    def _hits(self, before: np.ndarray, now: np.ndarray) -> np.ndarray:
        """Which sensors fire between two evaluations."""
        side = np.where(self.equal, np.where(before > 0.0, -1.0, 1.0), self.sign)  # to which the value is reached
        was, is_now = side * before, side * now
        passed = (was < 0.0) & (is_now >= 0.0)
        turned = (was < 0.0) & (was >= -self.tolerance) & (is_now <= was)
        return self._armed & (passed | turned)

    def check(self, stepper, step, recorder, until: float | None = None) -> float | None:
        """Time of the first sensor that fires in the last step (as far as ``until``), or None."""
        if not self.sensors:
            return None
        y = np.zeros_like(stepper.y)

        def evaluate(t: float) -> None:
            stepper.interpolate(t, y)
            recorder.evaluate(t, y, 0)

        # a sensor may fire between the ends of a long step: a few points inside are evaluated
        return self.first(evaluate, np.linspace(step.t_old, step.t if until is None else until, POINTS))

    def first(self, evaluate: Callable[[float], None], points: Sequence[float] | np.ndarray) -> float | None:
        """Time at which the first sensor fires between the first and the last of ``points``, or None; ``evaluate``:
        work out the outputs at a time.

        The outputs at that time are those that were evaluated last.
        """

        def at(t: float) -> np.ndarray:
            evaluate(t)
            return self._offsets()

        before = self.previous
        if before is None:
            before = at(points[0])
            self._armed = ~self._holds(before)
            self._report_held(points[0], before)
        rows = [before, *(at(t) for t in points[1:])]
        for k in range(1, len(rows)):
            a, b = points[k - 1], points[k]
            summit = self._summit(at, points, rows, k)
            if summit is not None:
                b, now = summit
            else:
                now = rows[k]
            before = rows[k - 1]
            hit = self._hits(before, now)
            at_summit = summit is not None and not hit.any()
            if at_summit:
                hit = self._armed & (np.abs(now) <= self.tolerance)
            if hit.any():
                hi = b if at_summit else self._located(at, before, hit, a, b)
                final = at(hi)
                self.fired = [
                    s for s, f in zip(self.sensors, hit if at_summit else self._hits(before, final) & hit) if f
                ]
                self._armed = ~self._holds(final) & self._armed
                self.previous = final
                self._values = self.outputs.evaluate_values
                self._own = self.outputs.sensor_values
                return float(hi)
            self._armed |= ~self._holds(rows[k])
        self.previous = rows[-1]
        return None

    def _report_held(self, t: float, offsets: np.ndarray) -> None:
        """Warn of sensors whose condition holds from the start on: they wait until it has ceased to hold."""
        for s, x, armed in zip(self.sensors, offsets, self._armed):
            if armed or s.id in self.simulation.carried.senval:  # one that has fired waits as well, as it should
                continue
            other = {"GE": "; give LE where it is to fire downwards", "LE": "; give GE where it is to fire upwards"}
            self.simulation.warn(
                f"{s.label}: its condition, {s.comparison} {s.value:g}, holds at time {t:.6g} already, where its "
                f"function is {s.value + x:.6g}: it fires only when it has ceased to hold and holds again"
                f"{other.get(s.comparison, '; begin elsewhere where it is to fire at once')}"
            )

    def _located(
        self, at: Callable[[float], np.ndarray], before: np.ndarray, hit: np.ndarray, lo: float, hi: float
    ) -> float:
        """Time at which the first of some sensors fires between two times, by bisection."""
        for _ in range(60):
            mid = 0.5 * (lo + hi)
            if mid in (lo, hi) or hi - lo < 1e-12 * max(abs(hi), 1e-12):
                break
            if (self._hits(before, at(mid)) & hit).any():
                hi = mid
            else:
                lo = mid
        return hi

    def _summit(
        self, at: Callable[[float], np.ndarray], points: Sequence[float] | np.ndarray, rows: list, k: int
    ) -> tuple[float, np.ndarray] | None:
        """Where a function turns between two evaluations within the tolerance of its value, or beyond it: time and
        offsets; or None.

        Second differences of the evaluations bound by how much it may rise between them; where that reaches the
        tolerance the highest point is sought by golden section.
        """
        if len(rows) < 3:
            return None
        x = np.array(rows)
        side = np.where(self.equal, np.where(x[k - 1] > 0.0, -1.0, 1.0), self.sign)
        z = side * x
        bend = 0.5 * np.abs(np.diff(z, 2, axis=0)).max(axis=0)
        top = np.maximum(z[k - 1], z[k])
        may = (
            self._armed
            & (z[k - 1] < -self.tolerance)
            & (z[k] < -self.tolerance)
            & (top + bend >= -self.tolerance)
            & (top >= z.max(axis=0))
        )
        for s in np.flatnonzero(may):
            a, b = points[k - 1], points[k]
            ratio = 0.5 * (np.sqrt(5.0) - 1.0)
            left, right = b - ratio * (b - a), a + ratio * (b - a)
            low, high = at(left), at(right)
            for _ in range(40):
                if side[s] * low[s] > side[s] * high[s]:
                    b, right, high = right, left, low
                    left = b - ratio * (b - a)
                    low = at(left)
                else:
                    a, left, low = left, right, high
                    right = a + ratio * (b - a)
                    high = at(right)
            found = at(0.5 * (a + b))
            if side[s] * found[s] >= -self.tolerance[s]:
                return 0.5 * (a + b), found
        return None

    def act(self, t: float) -> bool:
        """Carry out what the sensors ask; true when the analysis ends here."""
        sim = self.simulation
        self.acted = t
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
