"""Integrals of controllers that slide along a limit of their output (anti-windup by clamping).

The output is u = min(v, limit) with v = w + I, w what the integral is not part of. Below the limit I' = r, above it
I' = 0 where r leads further. Where v' = w' < 0 above and v' = w' + r > 0 below, both sides lead to v = limit, and the
solution stays there (Filippov, Differential Equations with Discontinuous Righthand Sides (1988), section 4):

    I = limit - w,   I' = -w' between 0 and r,   u = limit,

until w' = 0 (v goes beyond the limit, and I stays) or w' + r = 0 (v comes back).  Meanwhile nothing depends on I: the
motion is that with the branch beyond the limit, and I follows from w wherever a state is taken.  The ends are zeros of
the rates of v, located on the interpolant of a step.  The same holds at a lower limit with all signs changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

APART = 1e-3  # of a step: between two values of v whose difference gives its rate
CLOSE = 1e-9  # of a step: how exactly the end of sliding is located
ON_LIMIT = 1e-9  # of integral and limit: so near the limit does v stay there when an integrator begins again

Values = Callable[[float], np.ndarray]


class Sliding:
    """What may slide among the conditions of a ``watch`` (`system.outputs.Watch`); `on`: what slides."""

    def __init__(self, system: Any, watch: Any) -> None:
        where = {s.condition: k for k, s in enumerate(watch.switches)}
        control = system.functions.control
        found = []
        for b in control.blocks:
            for s in control.laws[b.id].slides:
                k, r = where.get(s.excess.node), where.get(s.rate.node)
                if k is None or r is None or not (watch.known[k] and watch.known[r]):
                    continue
                at = system.bodies.end + system.functions.state_number(("CONTROL", b.id, s.state + 1))
                found.append((k, r, at, s.side, s.limit))
        table = np.array(found, float).reshape(-1, 5)
        #: v - limit and r among the conditions, I in the state
        self.excess, self.rate, self.state = (table[:, k].astype(np.int64) for k in range(3))
        self.side, self.limit = table[:, 3], table[:, 4]
        self.on = np.zeros(len(found), bool)
        #: what begins to slide at the event just located; what ceases to, and the branch that it takes
        self.begins: list[int] = []
        self.ends: tuple[int, float] | None = None
        self._watch = watch

    def __bool__(self) -> bool:
        return bool(self.on.any())

    def settled(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state with integrals that keep v at the limit: itself, where none slides."""
        if not self:
            return y
        excess = self._watch.values(t, y)[self.excess]
        y = y.copy()
        y[self.state[self.on]] -= np.where(self.side * excess < 0.0, excess, 0.0)[self.on]
        return y

    def kept(self, g: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Conditions that are held beyond their limits where an integrator begins at y, and their branches; what has
        left its limit slides no longer."""
        size = np.abs(y[self.state]) + np.abs(self.limit)
        self.on &= np.abs(g[self.excess]) <= ON_LIMIT * size
        return self.on.copy()

    def _rates(self, n: int, at: Values, t: float, step: Any) -> tuple[float, float]:
        """Rate of v beyond the limit, away from it, on the interpolant of a step taken there, and r."""
        wide = APART * (step.t - step.t_old)
        lo = min(max(t - 0.5 * wide, step.t_old), step.t - wide)
        k, r = self.excess[n], self.rate[n]
        a, b = at(lo), at(lo + wide)
        return self.side[n] * (b[k] - a[k]) / wide, self.side[n] * 0.5 * (a[r] + b[r])

    def look(self, at: Values, t: float, step: Any, changed: np.ndarray, modes: np.ndarray) -> None:
        """What begins to slide at an event at time t within a step, at which conditions ``changed``; ``modes`` were
        held in it."""
        for n in np.flatnonzero(~self.on).tolist():
            if self.excess[n] in changed:
                beyond, r = self._rates(n, at, t, step)
                if modes[self.excess[n]] != self.side[n]:  # it came from within
                    beyond -= r
                if beyond < 0.0 < beyond + r:
                    self.begins.append(n)

    def left(self, at: Values, step: Any, points: tuple[float, ...]) -> float | None:
        """Time at which the first that slides ceases to within a step, looked for at shares ``points`` of it and at its
        end."""
        self.ends = None
        h, until = step.t - step.t_old, step.t
        for n in np.flatnonzero(self.on).tolist():

            def both(t: float, n: int = n) -> tuple[float, float]:
                beyond, r = self._rates(n, at, t, step)
                return -beyond, beyond + r

            before = step.t_old
            for t in (*(step.t_old + s * h for s in points), step.t):
                if t > until:
                    break
                if min(both(t)) > 0.0:
                    before = t
                    continue
                while t - before > CLOSE * h:
                    middle = 0.5 * (before + t)
                    before, t = (middle, t) if min(both(middle)) > 0.0 else (before, middle)
                until = t
                back = both(t)[1] <= 0.0
                self.ends = n, -self.side[n] if back else self.side[n]
                break
        return None if self.ends is None else until


class Settled:
    """A stepper whose states between the ends of a step have integrals that slide where they are."""

    def __init__(self, stepper: Any, sliding: Sliding) -> None:
        self._stepper, self._sliding = stepper, sliding

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stepper, name)

    @property
    def y(self) -> np.ndarray:
        """The state at the end of the last step."""
        return self._sliding.settled(self._stepper.t, self._stepper.y)

    def interpolate(self, t: float, y: np.ndarray) -> None:
        """y <- the state at time t within the last step."""
        self._stepper.interpolate(t, y)
        y[:] = self._sliding.settled(t, y)
