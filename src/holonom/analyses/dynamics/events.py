"""Discontinuities declared by expressions, located during a dynamic analysis.

Expressions that branch (IF, SIGN, ABS, MAX, MIN, DIM, IMPACT, BISTOP) are compiled so that their branches can be held
fast
(`expressions.freeze`).  During a step they are, so the equations stay smooth and the step is not cut down to creep over
the jump; after it the conditions are checked, at its end and inside it on the integrator's interpolant, and when one
has changed sign its first root is located by the Illinois method.  The state is taken there, the branch changes, and
the integrator restarts with the step that it had.  (Shampine, Gladwell, Brankin, ACM Trans. Math. Softw. 17 (1991)
11; for held branches Barton, Lee, ACM TOMACS 12 (2002) 256.)

A condition that returns at once again and again (dry friction by SIGN, a controller that chatters) decides by itself
for a while, as it does without location; an integral that stops at a limit slides along it (`sliding`).  Methods with a
history (backward differences, HHT and its family) hold only branches that may jump: a corner costs them less than a
restart.  Conditions on forces and accelerations, and those of motions, are left to the step size control.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...integrators.entry import RATE, enter, explicit_handle
from ...integrators.explicit import REDUNDANT
from ...model import ModelError
from ...system.outputs import Watch
from .sliding import Sliding

Bracket = tuple[float, np.ndarray, float, np.ndarray]  # time and conditions before a change, and after it

INSIDE = (0.1, 0.27, 0.5, 0.73, 0.9)  # where a step is checked: not equally spaced, so that no oscillation hides
TIMES = np.linspace(0.0, 1.0, 17)[1:-1] + 0.02 * np.sin(7.0 * np.arange(15))  # the same for conditions of time alone
CHATTER = 4  # returns of the same condition within short times before it is released
SHORT = 1e-3  # short: this share of the usual step
REST, LONGEST_REST = 50, 2000  # steps for which it is released


def repeated(chatter: dict[str, tuple[int, float]]) -> list[str]:
    """One message for each element whose conditions were released again after what was reported of it; they count from
    there on."""
    more = {label: (n - 1, last) for label, (n, last) in chatter.items() if n > 1}
    chatter.update({label: (1, last) for label, (_, last) in more.items()})
    return [
        f"conditions of {label} changed back at once {n} more time{'s' if n > 1 else ''} up to time {last:.6g} and "
        "were integrated over"
        for label, (n, last) in more.items()
    ]


def moment_later(system: Any, t: float, y: np.ndarray, moment: float) -> np.ndarray:
    """The state a moment after (t, y), at its rates there."""
    T = system.workspace.stages
    T.ya[:] = y
    enter(explicit_handle(system), RATE, y, t, 0.0, REDUNDANT, 0, T.d)
    return y + moment * T.K[1]


class Events:
    """Follows the conditions of one system; ``on`` is false when there is nothing to watch."""

    def __init__(self, system: Any, wanted: bool = True, span: float = 1.0, chatter: dict | None = None):
        self.system = system
        #: what is reported once: element -> how often its conditions were released, and when last
        self.chatter: dict[str, tuple[int, float]] = {} if chatter is None else chatter
        self.span = span
        self.on = wanted and bool(system.functions.set.switches)
        self.located = 0
        #: of the last event: its time, and which conditions changed
        self.turned, self.changed = np.nan, np.zeros(0, np.int64)
        self._turn = np.zeros(0, np.int64), np.zeros(0)
        if not self.on:
            return
        self.watch = Watch(system)
        self.on = bool(self.watch.known.any())
        n = len(self.watch.switches)
        self.modes = np.zeros(n)
        self.rest = np.zeros(n, np.int64)  # steps for which a condition decides by itself
        self._next_rest = np.full(n, REST)
        self._last = np.full(n, -np.inf)  # time of its last event
        self._returns = np.zeros(n)
        self._usual = 0.0  # a typical step between events
        self._timed = np.flatnonzero(self.watch.timed & self.watch.known & ~self._linear())
        self._moved = np.flatnonzero(~self.watch.timed & self.watch.known)
        self.said: list[str] = []
        self.sliding = Sliding(system, self.watch)

    def settled(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state with integrals that slide where they are (`Sliding.settled`)."""
        return self.sliding.settled(t, y) if self.on else y

    def refuse_sliding(self, t: float) -> None:
        """Raises ModelError where an integral begins to slide at the event just located, in a run recorded for its
        derivative."""
        for n in self.sliding.begins:
            raise ModelError(
                f"{self.watch.switches[self.sliding.excess[n]].label}: its integral stays at a limit of the output "
                f"from time {t:.6g} on, which has no derivative; give anti_windup='back_calculation', or take "
                "differences of runs"
            )

    def _watched(self) -> np.ndarray:
        """Conditions whose branches are held, and whose changes are events."""
        held = self.modes != 0
        held[self.sliding.excess[self.sliding.on]] = False
        return held

    def _linear(self) -> np.ndarray:
        """Conditions that are linear in time (``TIME - 3``): one check of the end of a step is enough.  What a DELAY
        gives is not known before the run."""
        if self.watch.set.delays:
            return np.zeros(len(self.watch.switches), bool)
        g = [self.watch.values(t, self.system.y0).copy() for t in (0.0, 1.0, 2.7, -3.1)]
        slope = g[1] - g[0]
        return np.all(
            [np.abs(v - g[0] - t * slope) <= 1e-12 * (np.abs(v) + np.abs(g[0])) for v, t in zip(g[2:], (2.7, -3.1))],
            axis=0,
        )

    def begin(self, t: float, y: np.ndarray, costly_restart: bool) -> None:
        """Hold the branches that the conditions have at (t, y), before the integrator starts there."""
        if not self.on:
            return
        jumps = np.array([s.jump for s in self.watch.switches])
        self.held = self.watch.known & (jumps if costly_restart else True)
        self.g = self.watch.values(t, y).copy()
        ahead = np.nan_to_num(np.sign(self._ahead(t, y)))
        self.modes = np.where(self.held & (self.rest == 0), np.where(ahead != 0, ahead, np.sign(self.g)), 0.0)
        self._slide(self.sliding.kept(self.g, y))
        self.watch.hold(self.modes)

    def _slide(self, which: Any) -> None:
        """Hold the branches beyond the limits along which integrals slide."""
        self.modes[self.sliding.excess[which]] = self.sliding.side[which]

    def _ahead(self, t: float, y: np.ndarray) -> np.ndarray:
        """Conditions a moment later: where one is just zero, that side counts to which the motion goes."""
        moment = 1e-8 * self.span
        return self.watch.values(t + moment, moment_later(self.system, t, y, moment)).copy()

    def release(self) -> None:
        """Let all conditions decide by themselves again (outside dynamic analyses)."""
        if self.on:
            self.modes[:] = 0.0
            self.watch.hold(self.modes)

    def check(self, stepper: Any, step: Any) -> float | None:
        """Time at which the first condition changes within the last step, or None."""
        if not self.on:
            return None
        y = np.empty_like(stepper.y)
        at = lambda t: self.watch.values(t, stepper.y if t == step.t else self._state(stepper, t, y)).copy()
        held, sliding = self._watched(), self.sliding
        sliding.begins.clear()
        leaves = sliding.left(at, step, INSIDE) if sliding else None
        last = step.t if leaves is None else leaves
        end = at(last)
        found = self._bracket(step, at, last, end, held)
        if found is not None:
            sliding.ends = None
            event = self._locate(*found, at, step.h)
            sliding.look(at, event, step, self._turn[0], self.modes)
            return event
        if leaves is None:
            self._end(step, end)
            return None
        assert sliding.ends is not None
        n, mode = sliding.ends
        self.located += 1
        self._turn = sliding.excess[[n]], np.array([mode])
        return leaves

    def _state(self, stepper: Any, t: float, y: np.ndarray) -> np.ndarray:
        stepper.interpolate(t, y)
        return y

    def _bracket(self, step: Any, at: Any, until: float, end: np.ndarray, held: np.ndarray) -> Bracket | None:
        """(time before, values, time after, values) around the first change of a held condition in a step as far as
        ``until``, where the conditions are ``end``; or None."""
        crossed = lambda g: bool((held & (g * self.modes <= 0.0)).any())
        h = until - step.t_old
        points: list[tuple[float, np.ndarray]] = []
        if held[self._timed].any():  # time alone: values without the state
            y = self.system.y0
            for s in TIMES:
                g = np.where(self.watch.timed, self.watch.values(step.t_old + s * h, y), end)
                if (held & self.watch.timed & (g * self.modes <= 0.0)).any():
                    points.append((step.t_old + s * h, at(step.t_old + s * h)))
                    break
        if held[self._moved].any() and self._doubtful(end, held):
            last = points[0][0] if points else until
            points += [(step.t_old + s * h, at(step.t_old + s * h)) for s in INSIDE if step.t_old + s * h < last]
        points = [*sorted(points, key=lambda p: p[0]), (until, end)]
        before, g_before = step.t_old, self.g
        for t, g in points:
            if crossed(g):
                return before, g_before, t, g
            before, g_before = t, g
        return None

    def _doubtful(self, end: np.ndarray, held: np.ndarray) -> bool:
        """Could a condition of the state have changed twice within the step?  Not when it stays far from zero for its
        change."""
        k = self._moved[held[self._moved]]
        return bool((np.minimum(np.abs(end[k]), np.abs(self.g[k])) <= 2.0 * np.abs(end[k] - self.g[k])).any())

    def _locate(self, a: float, ga: np.ndarray, b: float, gb: np.ndarray, at: Any, h: float) -> float:
        """First root in (a, b]: Illinois on the smallest condition, each measured by its change; the end after it is
        taken."""
        k = np.flatnonzero(self._watched() & (gb * self.modes <= 0.0))
        scale = np.maximum(np.abs(gb[k] - ga[k]), 1e-300)
        least = lambda g: float((g[k] * self.modes[k] / scale).min())
        fa, fb = max(least(ga), 0.0), least(gb)
        side = 0
        near = max(4e-16 * max(abs(a), abs(b)), 1e-13 * h)
        for _ in range(60):
            if b - a <= near or fb == 0.0:
                break
            t = b - fb * (b - a) / (fb - fa) if fb < fa else 0.5 * (a + b)
            t = min(max(t, a + 0.5 * near), b - 0.5 * near)  # a root on the edge of the bracket closes it
            f = least(at(t))
            if f <= 0.0:
                b, fb = t, f
                fa = 0.5 * fa if side < 0 else fa
                side = -1
            else:
                a, fa = t, f
                fb = 0.5 * fb if side > 0 else fb
                side = 1
        self._hit(b, at(b), h)
        return b

    def _hit(self, t: float, g: np.ndarray, h: float) -> None:
        """Count returns; a condition that chatters is released for a while."""
        self.located += 1
        k = np.flatnonzero(self._watched() & (g * self.modes <= 0.0))
        quick = t - self._last[k] < SHORT * max(self._usual, h)
        # a condition that returns at once, then at the end of a tiny step, at once again ... chatters too: one later
        # return does not clear it
        self._returns[k] = np.where(quick, self._returns[k] + 1.0, np.maximum(self._returns[k] - 0.5, 0.0))
        self._last[k] = t
        for i in k[self._returns[k] >= CHATTER]:
            self.rest[i] = self._next_rest[i]
            self._next_rest[i] = min(2 * self._next_rest[i], LONGEST_REST)
            self._returns[i] = 0
            label = self.watch.switches[i].label
            count, _ = self.chatter.get(label, (0, t))
            self.chatter[label] = count + 1, t
            if count == 0:
                self.said.append(
                    f"at time {t:.6g} a condition of {label} changes back at once, again and again: it is "
                    f"integrated over without location for {self.rest[i]} steps"
                )
        self._turn = (k, -self.modes[k])

    def lateness(self, stepper: Any, step: Any) -> float:
        """By how much the last step ended behind the event just located, from the rates of its conditions there."""
        k, modes = self._turn
        before = 1e-3 * step.h
        y = self._state(stepper, step.t - before, np.empty_like(stepper.y))
        earlier = self.watch.values(step.t - before, y)[k].copy()
        now = self.watch.values(step.t, stepper.y)[k]
        rate = (now - earlier) / before
        crossing = rate * modes > 0.0
        return float((now[crossing] / rate[crossing]).max()) if crossing.any() else 0.0

    def turn(self, t: float, y: np.ndarray, costly_restart: bool) -> None:
        """Begin again after the event just located: its conditions change their branches, whatever roundoff makes of
        them."""
        sliding = self.sliding
        if sliding.ends is not None:
            sliding.on[sliding.ends[0]] = False
            sliding.ends = None
        self.begin(t, y, costly_restart)
        k, modes = self._turn
        self.turned, self.changed = t, k
        self.modes[k] = np.where(self.rest[k] == 0, modes, 0.0)
        sliding.on[sliding.begins] = True
        self._slide(sliding.begins)
        self.watch.hold(self.modes)

    def _end(self, step: Any, g: np.ndarray) -> None:
        """A step without events: those that rest do so a step less, those without a sign take the one they have now."""
        self._usual = step.h if self._usual == 0.0 else 0.8 * self._usual + 0.2 * step.h
        self.rest[self.rest > 0] -= 1
        if sum(cause == "not a number" for *_, cause in step.rejected) > 1:
            # a held branch may have left the domain of its functions: let the conditions decide
            self.rest[self.modes != 0] = np.maximum(self.rest[self.modes != 0], 10)
        self.g = g
        modes = np.where(self.held & (self.rest == 0), np.where(self.modes != 0, self.modes, np.sign(g)), 0.0)
        if (modes != self.modes).any():
            self.modes = modes
            self.watch.hold(modes)
