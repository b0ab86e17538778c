"""The steps that a run has taken, for its adjoint: times and states at their ends, and what was held within each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..contact.tables import NEAR, NEWLOCK
from ..model import ModelError

PARTED = 2e-12  # depth, of the size of the shapes, at which a contact that parts ends: twice that of its location


class Held(NamedTuple):
    """Contacts within a step: keys of the near pairs that acted, and whether others were held open."""

    acting: tuple[int, ...]
    others: bool


class Mark(NamedTuple):
    """From where steps are made again: number of the end of a step, state and rates there, and what the step accepted
    as the reference of continuous angles (`Stepper.mark`)."""

    at: int
    held: tuple[np.ndarray, ...]


class Tape:
    """``times`` (n + 1,), ``states`` (n + 1, ny) at the ends of steps, the start first; ``warps`` (n + 1, 2): variable
    of the step to each, see `runge_kutta.span_of`; ``held``: contacts within it, None where there are none; ``traces``:
    what else the method keeps of each (`Stepper.trace`); ``touches``: numbers of the ends at which a contact began or
    ended, ``impacts``: at which rigid ones struck (states are those after it); ``turns``: numbers of the ends at which
    conditions of functions changed, and which (`analyses.dynamics.events`); ``modes``: the branches that were held
    within each step, empty where nothing branches; ``breaks``: times at which the integrator began again within the run
    for another reason.

    A stepper that has a tape calls `start` whenever it begins, and `step` after each accepted step.  ``touch``: what
    locates contacts (`analyses.contact.events`), whose ``turned`` is the time of the last change; ``events``, the same
    of conditions; ``sensors``, whose ``acted`` is when one acted last without an influence on the motion.

    States of more than ``most`` bytes are not kept.  Some two times the root of the number of steps remain as marks,
    and `pieces` makes the steps between two of them again: the same bits, for the time of one more run (Griewank,
    Walther, Evaluating Derivatives (2008), 12.1; two levels).  Where contacts act, functions branch, and where a
    stepper has no `mark` all states are kept.

    ``whole_steps``: the method keeps stages, so that a step within which a condition changes is taken again to end
    there (`back`); ``begun``: numbers of the ends at which it began again, with the state there and what else it
    keeps.
    """

    def __init__(
        self,
        contacts: Any = None,
        touch: Any = None,
        most: float = np.inf,
        events: Any = None,
        sensors: Any = None,
        whole_steps: bool = False,
    ) -> None:
        self.whole_steps = whole_steps
        self.begun: dict[int, tuple[np.ndarray, ...]] = {}
        self._wound = np.nan  # time to which `back` went last
        self._contacts = contacts if contacts is not None and contacts.on else None
        self._touch = touch
        self._events = events if events is not None and events.on else None
        self._sensors = sensors
        self._most = most if self._contacts is None and self._events is None else np.inf
        self._marks: list[Mark] = []
        self._spacing = 1  # steps between marks
        self._last: np.ndarray | None = None  # state at the end of the last step
        self._sizes = array("d")  # of steps, as they were made
        self.whole = True  # all states are kept
        self._times = array("d")
        self._states: list[np.ndarray] = []
        self._warps: list[tuple[float, float]] = []
        self.held: list[Held | None] = []
        self.traces: list[tuple[np.ndarray, ...]] = []
        self.touches: list[int] = []
        self.impacts: list[int] = []
        self.turns: dict[int, np.ndarray] = {}
        self.modes: list[np.ndarray] = []
        self.functions: dict[int, int] = {}  # of conditions that may change, by their numbers
        self.ends: tuple[int, str] | None = None  # the function whose zero ends the run, and whose it is
        self.breaks: list[float] = []

    def start(self, stepper: Any) -> None:
        """The integrator begins at its present time and state."""
        times, t = self._times, float(stepper.t)
        if not times:
            self._keep(stepper, (0.0, 0.0))
        elif self.whole_steps and t == times[-1] and (t == self._wound or self._turned(t)):
            self.begun[len(times) - 1] = stepper.y.copy(), *stepper.trace()
            if self._events is not None and self._turned(t):
                self.turns[len(times) - 1] = self._events.changed
        elif self._events is not None and self._events.turned == t and self._within(t):
            self.cut(t, stepper.y)
            self.turns[len(times) - 1] = self._events.changed
        elif t == times[-1] and self._last is not None and np.array_equal(stepper.y, self._last):
            return
        elif self._sensors is not None and self._sensors.acted == t and self._within(t):
            self.cut(t, stepper.y)
        elif self._contacts is None or self._touch is None or len(times) < 2:
            self.breaks.append(t)
        elif self._touch.turned == t and self._within(t):  # the last step ends where this was located
            self.cut(t, stepper.y)
            (self.impacts if self._contacts.rigid else self.touches).append(len(times) - 1)
        else:
            self.breaks.append(t)

    def _turned(self, t: float) -> bool:
        """Whether a condition changed last at this time."""
        return self._events is not None and self._events.turned == t

    def back(self, t: float) -> np.ndarray:
        """Forget the steps behind a time at which one ended; returns the state from which the next began."""
        while self._times[-1] > t:
            n = len(self._times)
            for kept in (self._states, self._warps, self.held, self.modes, self.traces):
                if len(kept) == n:
                    kept.pop()
            self._times.pop()
            self.begun.pop(n - 1, None)
            self.turns.pop(n - 1, None)
        self._wound = t
        n = len(self._times) - 1
        return self.begun[n][0] if n in self.begun else self._states[n]

    def _within(self, t: float) -> bool:
        """Whether a time is within the last step, or its end."""
        return len(self._times) > 1 and self._times[-2] < t <= self._times[-1]

    def cut(self, t: float, y: np.ndarray) -> None:
        """The last step ends at a time within it."""
        self._times[-1] = t
        self._last = y.copy()
        if self.whole:
            self._states[-1] = self._last

    def step(self, stepper: Any) -> None:
        """Behind an accepted step."""
        self._keep(stepper, (float(stepper.warp[0]), float(stepper.warp[1])))

    def _keep(self, stepper: Any, warp: tuple[float, float]) -> None:
        self._times.append(float(stepper.t))
        self._last = stepper.y.copy()
        if self._most < np.inf and hasattr(stepper, "mark"):
            self._mark(stepper)
        if self.whole:
            self._states.append(self._last)
        if self._contacts is not None:
            self._warps.append(warp)
            self.held.append(self._hold())
        if self._events is not None:
            modes = self._events.modes
            same = self.modes and np.array_equal(self.modes[-1], modes)
            self.modes.append(self.modes[-1] if same else modes.copy())
        if trace := stepper.trace():
            self.traces.append(trace)

    def _mark(self, stepper: Any) -> None:
        self._sizes.append(float(stepper.h_done))
        n = len(self._times) - 1
        if n % self._spacing == 0:
            self._marks.append(Mark(n, stepper.mark(n > 0)))
            if len(self._marks) > 2 * self._spacing + 2:
                self._spacing *= 2
                self._marks = [m for m in self._marks if m.at % self._spacing == 0]
        if self.whole and self._last is not None and self._last.nbytes * (n + 1) > self._most:
            self.whole = False
            self._states = []

    def pieces(self, stepper: Any) -> Iterator[tuple[int, int, np.ndarray]]:
        """First and last end of steps, and the states at these and between them, of pieces of the run from its end to
        its start.  Raises ModelError where steps that are made again do not end in the same bits."""
        last = len(self._times) - 1
        if self.whole:
            yield 0, last, self.states
            return
        assert self._last is not None
        after = self._last
        for mark in reversed(self._marks):
            if mark.at == last:
                continue
            states = stepper.repeat(mark.held, self._times[mark.at : last], self._sizes[mark.at + 1 : last + 1])
            if not np.array_equal(states[-1], after):
                raise ModelError(
                    f"the steps from time {self._times[mark.at]:.6g} to {self._times[last]:.6g} end elsewhere when "
                    "they are made again, so that checkpoints cannot replace states; give more memory (MB)"
                )
            yield mark.at, last, states
            last, after = mark.at, mark.held[0]

    @property
    def bytes(self) -> int:
        """Of what is kept of the run, without what a piece takes."""
        arrays = [a for m in self._marks for a in m.held] + self._states
        return sum(a.nbytes for a in arrays) + 8 * (len(self._times) + len(self._sizes))

    def branch(self, modes: np.ndarray) -> None:
        """The equations of motion take branches, as those of `modes`."""
        assert self._events is not None
        self._events.watch.hold(modes)

    def condition(self, which: int) -> Any:
        """A `system.function_set.Switch`."""
        assert self._events is not None
        return self._events.watch.switches[which]

    def _hold(self) -> Held | None:
        if self._contacts is None:
            return None
        W = self._contacts.W
        n = int(W.count[NEAR])
        now = Held(tuple(W.key[:n][W.lock[:n] == 0].tolist()), bool(W.count[NEWLOCK]))
        return self.held[-1] if self.held and self.held[-1] == now else now

    def settle(self) -> None:
        """Steps that end where contacts part end so much before that all of their stages are in contact: next to it
        forces are none, but their derivatives are."""
        contacts, done = self._contacts, {}
        for k in self.touches:
            held = self.held[k]
            assert contacts is not None and held is not None
            h = self._times[k] - self._times[k - 1]
            hold(contacts, self._times[k - 1], self._states[k - 1], held)
            for j in (k - 1, k):
                gaps = contacts.gaps(self._times[j], self._states[j])
                done[j] = dict(zip(contacts.W.key[: len(gaps)].tolist(), gaps.tolist()))
            for key in held.acting:
                before, after = done[k - 1].get(key, 1.0), done[k].get(key, -1.0)
                if before < 0.0 <= after:
                    if self._warps[k][0] < 0.0:  # the root of the time until then, which was foretold before
                        self._warps[k] = -1.0, self._times[k - 1] + h
                    end = h * (after + PARTED * contacts._size()) / (after - before)
                    self._times[k] = min(self._times[k], self._times[k - 1] + h - min(end, 0.5 * h))

    @property
    def start_state(self) -> np.ndarray:
        return self._marks[0].held[0] if self._marks else self._states[0]

    @property
    def times(self) -> np.ndarray:
        return np.array(self._times)

    @property
    def states(self) -> np.ndarray:
        return np.array(self._states)

    @property
    def warps(self) -> np.ndarray:
        return np.array(self._warps) if self._warps else np.zeros((len(self._times), 2))


def hold(contacts: Any, t: float, y: np.ndarray, held: Held) -> None:
    """Contacts of a system as they were held within a step that began at (t, y)."""
    W = contacts.W
    W.count[NEWLOCK] = held.others
    contacts.search(t, y)
    n = int(W.count[NEAR])
    W.lock[:n] = ~np.isin(W.key[:n], held.acting) if held.others else 0
