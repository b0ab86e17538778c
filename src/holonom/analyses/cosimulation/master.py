"""The master of a co-simulation: who steps when, with which inputs, and how far.

In a step from t to t + H, an input that comes from a component which has been stepped already is interpolated between
its values at both ends (Gauss-Seidel); others are extrapolated from their last step.  The error of a step is that of
order p + 1 (p: `Component.order`), so one step of H and two of H/2 differ by 2^p - 1 times the error of the latter
(Richardson).  A step is accepted where

    error <= requested error x size of the signal x H / length of the run,

so that the sum of all estimates stays below the requested error.  The same is required of the states of components,
as far as they show them: the error of a velocity that no signal has becomes that of a position later.  Where a
component cannot return to an earlier state, the difference between extrapolated and computed signals sets the next
step: an indicator, not an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..._summary import Summary
from ...integrators.stepper import IntegrationError
from ...model import ModelError
from .components import Component
from .process import FmuFailed

SCHEMES = ("gauss-seidel", "jacobi")
SWEEPS = 100  # of initial values, until they are refused as an algebraic loop
LOOP = 1e-10  # of its size, by which a signal of a loop may still change
NOISE = 1e-9  # size of a signal below which it counts as this
STILL = 1e-8  # the same of the motion of a state since the start
FIRST, LEAST, PROBE = 1e-3, 1e-7, 1e-6  # steps as shares of the run
SAFETY, SHRINK, GROWTH = 0.9, 0.2, 3.0
SAME = 1e-9  # of a step: so near a time has been reached
SLACK = 0.5  # of the least step: (t + h) - t is not h, and a step that is rejected must become shorter


@dataclass
class Statistics(Summary):
    """What a co-simulation has cost: ``steps`` accepted, ``repeated`` ones, ``smallest`` steps at which signals jump,
    ``estimate`` of the coupling error, of the sizes of the signals (nan: not estimated), ``indicator``: the largest
    difference between extrapolated and computed signals, of their sizes."""

    steps: int = 0
    repeated: int = 0
    jumps: int = 0
    first_jump: float = math.nan
    estimate: float = math.nan
    indicator: float = 0.0
    calls: dict[str, int] = field(default_factory=dict)


class Master:
    """Components and their connections: ``sources[k]``: for each input of component k, the number of the output (over
    all components, in order) that it takes; ``names`` of these outputs."""

    def __init__(
        self,
        components: Sequence[Component],
        sources: Sequence[Sequence[int]],
        names: Sequence[str],
        *,
        error: float = 1e-4,
        step: float | None = None,
        scheme: str = "gauss-seidel",
    ) -> None:
        self.components, self.names = list(components), list(names)
        self.sources = [np.array(list(s), int) for s in sources]
        self.error, self.scheme = error, scheme
        widths = [len(c.smooth) for c in components]
        ends = np.cumsum([0, *widths])
        self._own = [slice(a, b) for a, b in zip(ends[:-1], ends[1:])]
        self._owner = np.repeat(np.arange(len(widths)), widths)
        digital = np.array([not math.isnan(c.period) for c in components], bool)
        self._digital = [k for k, d in enumerate(digital) if d]
        self._others = [k for k, d in enumerate(digital) if not d]
        smooth = np.concatenate([c.smooth for c in components]) if widths else np.zeros(0, bool)
        self._smooth = smooth & ~digital[self._owner]
        taken = np.zeros(len(smooth), bool)
        for s in self.sources:
            taken[s] = True
        self._watched = self._smooth & taken
        self.order = min((components[k].order for k in self._others), default=2)
        self.step = self._fixed(step)
        self.returns = all(components[k].rolls_back for k in self._others)
        self.statistics = Statistics()
        self.values = np.zeros(len(smooth))  # present outputs
        self._slopes = np.zeros(len(smooth))
        self._size = np.full(len(smooth), NOISE)
        self._spent = np.zeros(len(smooth))
        self._due: dict[int, int] = {}  # samples that a controller has had
        self._h = math.nan
        self.time = self.start = 0.0
        self.span = math.inf  # of the present run

    def _fixed(self, step: float | None) -> float | None:
        """The size of all steps, where it is fixed."""
        if step is not None:
            return step
        sizes = {c.label: c.fixed for k, c in enumerate(self.components) if k in self._others and c.fixed == c.fixed}
        different = sorted(set(sizes.values()))
        if len(different) > 1 and different[-1] - different[0] > SAME * different[0]:
            text = ", ".join(f"{label} {size:g}" for label, size in sizes.items())
            raise ModelError(f"these components take steps of different fixed sizes: {text}; give one step")
        return different[0] if different else None

    # ---- the start --------------------------------------------------------------------------------------------------
    def initialise(self, start: float) -> None:
        """Outputs and inputs that fit each other at the start.  Raises `ModelError` for an algebraic loop that does
        not converge."""
        self.time = self.start = start
        for k, c in enumerate(self.components):
            self.values[self._own[k]] = c.values(None)
        for _ in range(SWEEPS):
            before = self.values.copy()
            for k, c in enumerate(self.components):
                if len(self.sources[k]):
                    self.values[self._own[k]] = c.values(self.values[self.sources[k]])
            change = np.abs(self.values - before) / np.maximum(np.abs(self.values), NOISE)
            if not (change > LOOP).any():
                break
        else:
            loop = ", ".join(f"'{self.names[j]}'" for j in np.flatnonzero(~(change <= LOOP))[:6])
            raise ModelError(
                f"the signals {loop} depend on each other in an algebraic loop, whose values at the start do not "
                "converge; put a filter or an integrator into the loop"
            )
        for k, c in enumerate(self.components):
            self.values[self._own[k]] = c.begin()
        self._watch(self.values)
        self._measure()

    def resume(self) -> None:
        """Another analysis begins where the last one has ended."""
        for k, c in enumerate(self.components):
            self.values[self._own[k]] = c.resume()
        self._measure()

    def _measure(self) -> None:
        """Groups of states of components, and where they are at the start of an analysis."""
        shown = [self.components[k] for k in self._others]
        first = np.cumsum([0, *(int(c.groups.max(initial=-1)) + 1 for c in shown)])
        self._groups = np.concatenate([c.groups + n for c, n in zip(shown, first)] or [np.zeros(0, int)])
        self._base = self._state()
        self._motion = np.full(first[-1], STILL)
        self._spent_states = np.zeros(first[-1])

    def _state(self) -> np.ndarray:
        return np.concatenate([self.components[k].state for k in self._others] or [np.zeros(0)])

    def _grouped(self, values: np.ndarray) -> np.ndarray:
        """The largest of each group."""
        out = np.zeros(len(self._motion))
        np.maximum.at(out, self._groups, np.abs(values))
        return out

    # ---- the way ----------------------------------------------------------------------------------------------------
    def run(self, times: np.ndarray, follow: Callable[[float, np.ndarray], None] | None = None) -> None:
        """Through all ``times``; ``follow`` is called with each of them after the first and the outputs there.  Raises
        `Ended` where a component ends the run, and IntegrationError."""
        span = self.span = float(times[-1] - self.time)
        if not math.isfinite(self._h):
            self._h = FIRST * span
        if self.step is None and self.returns and not self._slopes.any():
            self._probe(PROBE * span)
        self._check_grid(times)
        try:
            for goal in times[1:].tolist():
                self._to(goal, span)
                for k, c in enumerate(self.components):
                    c.show(self._shown(k))
                if follow is not None:
                    follow(goal, self.values)
        finally:
            s = self.statistics
            s.calls = {c.label: c.calls for c in self.components}
            if self._estimates:
                signals = (self._spent / self._size)[self._watched].max(initial=0.0)
                s.estimate = float(max(signals, (self._spent_states / self._motion).max(initial=0.0)))

    def _shown(self, k: int) -> np.ndarray:
        """Inputs of component k at the present time."""
        return self.values[self.sources[k]]

    @property
    def _estimates(self) -> bool:
        """Whether errors are estimated by steps of half the size."""
        return self.step is None and self.returns and bool(self._watched.any())

    @property
    def coupled(self) -> bool:
        """Whether a continuous signal is an input of a component."""
        return bool(self._watched.any())

    def _check_grid(self, times: np.ndarray) -> None:
        """Raises `ModelError` where outputs lie between steps that cannot be cut."""
        for c in self.components:
            if not math.isnan(c.fixed) and math.isnan(c.period):
                counts = (times - self.start) / c.fixed
                if (np.abs(counts - np.round(counts)) > 1e-6).any():
                    raise ModelError(
                        f"{c.label}: it only takes steps of one size, {c.fixed:g}, and output times lie between them; "
                        f"choose dt as a multiple of {c.fixed:g}, or another step"
                    )

    def _to(self, goal: float, span: float) -> None:
        """All components to one output time."""
        while self.time < goal:
            stop = min([goal, *(self._sample(k) for k in self._digital)])
            if goal - stop <= SAME * max(self._h, goal - self.time):
                stop = goal
            if self.step is not None:
                self._evenly(stop)
            elif self._estimates:
                self._controlled(stop, span)
            else:
                self._indicated(stop, span)

    def _sample(self, k: int) -> float:
        """The next sample of a digital controller; the present one is carried out first."""
        c = self.components[k]
        at = lambda n: self.start + n * c.period
        if at(self._due.get(k, 0)) - self.time <= SAME * c.period:
            n = self._due[k] = self._due.get(k, 0) + 1
            given = self.values[self.sources[k]]
            self.values[self._own[k]] = c.step(at(n - 1), at(n), given, np.zeros(len(given)))
            self._watch(self.values)
        return at(self._due[k])

    def _evenly(self, stop: float) -> None:
        """Steps of one size, at most the requested one."""
        assert self.step is not None
        start, n = self.time, max(1, math.ceil((stop - self.time) / self.step - 1e-6))
        for k in range(1, n + 1):
            end = stop if k == n else start + (stop - start) * k / n
            self._accept(end, *self._all(self.time, end, self.values, self._slopes))

    def _indicated(self, stop: float, span: float) -> None:
        """Steps by the difference between extrapolated and computed signals; they cannot be repeated."""
        while self.time < stop:
            end = self._end(stop)
            h = end - self.time
            self._accept(end, *self._all(self.time, end, self.values, self._slopes))
            ratio = self._last / self.error if self._watched.any() else 0.0
            self._h = max(LEAST * span, self._changed(h, end, ratio, 2))

    def _controlled(self, stop: float, span: float) -> None:
        """Steps of two halves, whose error is estimated by a whole one."""
        while self.time < stop:
            end, t = self._end(stop), self.time
            h, least = end - t, LEAST * span
            shortest = h <= least * (1.0 + SLACK)
            kept = [(self.components[k], self.components[k].keep()) for k in self._others]
            try:
                try:
                    whole, _ = self._all(t, end, self.values, self._slopes)
                    whole_state = self._state()
                    self._back(kept)
                    middle = t + 0.5 * h
                    half, slopes = self._all(t, middle, self.values, self._slopes)
                    self._watch(half)
                    new, slopes = self._all(middle, end, half, slopes)
                except FmuFailed as error:
                    if shortest:
                        raise IntegrationError(f"{error}; it rejects steps down to {h:.3g}", t) from None
                    self._back(kept)
                    self._h, self.statistics.repeated = SHRINK * h, self.statistics.repeated + 1
                    continue
                share, state = 1.0 / (2.0**self.order - 1.0), self._state()
                estimate = share * np.abs(whole - new)
                states = share * self._grouped(whole_state - state)
                size = np.maximum(self._size, np.maximum(np.abs(new), np.abs(half)))
                motion = np.maximum(self._motion, self._grouped(state - self._base))
                allowed = self.error * h / span
                jump = float((estimate / size)[self._watched].max()) / allowed
                ratio = max(jump, float((states / motion).max(initial=0.0)) / allowed)
                if ratio > 1.0 and not shortest:
                    self._back(kept)
                    self.statistics.repeated += 1
                    self._h = max(least, self._changed(h, end, ratio, self.order))
                    continue
            finally:
                for c, state in kept:
                    c.drop(state)
            if jump > 1.0:  # states alone: their motion has hardly begun, which is no jump
                if not self.statistics.jumps:
                    self.statistics.first_jump = t
                self.statistics.jumps += 1
            else:
                self._spent += estimate
                self._spent_states += states
            self._motion = motion
            self._accept(end, new, slopes)
            self._h = max(least, self._changed(h, end, ratio, self.order))

    def _back(self, kept: list) -> None:
        for c, state in kept:
            c.restore(state)

    def _changed(self, h: float, end: float, ratio: float, order: int) -> float:
        """The next step after one of ``h`` with this error over the allowed one; a step that an output time has cut
        does not limit the next."""
        factor = GROWTH if ratio <= 0.0 else min(GROWTH, max(SHRINK, SAFETY * ratio ** (-1.0 / order)))
        return max(factor * h, self._h) if factor >= 1.0 and h < self._h else factor * h

    def _end(self, stop: float) -> float:
        """The end of the next step: before ``stop`` two equal ones rather than a whole and a sliver."""
        left = stop - self.time
        if left <= self._h * (1.0 + 1e-6):
            return stop
        return self.time + (0.5 * left if left < 2.0 * self._h else self._h)

    # ---- one step ---------------------------------------------------------------------------------------------------
    def _all(self, t: float, end: float, values: np.ndarray, slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Every component from t to ``end``: outputs there, and their slopes."""
        h, new = end - t, values.copy()
        done = np.zeros(len(self.components), bool)
        for k in self._others:
            source = self.sources[k]
            rates = slopes[source]
            if self.scheme == "gauss-seidel":
                known = done[self._owner[source]]
                rates = np.where(known, (new[source] - values[source]) / h, rates)
            rates = np.where(self._smooth[source], rates, 0.0)
            new[self._own[k]] = self.components[k].step(t, end, values[source], rates)
            done[k] = True
        return new, np.where(self._smooth, (new - values) / h, 0.0)

    def _accept(self, end: float, new: np.ndarray, slopes: np.ndarray) -> None:
        expected = self.values + self._slopes * (end - self.time)
        self._watch(new)
        off = (np.abs(new - expected) / self._size)[self._watched]
        self._last = float(off.max(initial=0.0))
        self.statistics.indicator = max(self.statistics.indicator, self._last)
        self.statistics.steps += 1
        self.time, self.values, self._slopes = end, new, slopes

    def _watch(self, values: np.ndarray) -> None:
        np.maximum(self._size, np.abs(values), out=self._size)

    def _probe(self, h: float) -> None:
        """Slopes of all signals at the start, by a step that is taken back."""
        kept = [(self.components[k], self.components[k].keep()) for k in self._others]
        try:
            _, slopes = self._all(self.time, self.time + h, self.values, self._slopes)
            self._slopes = slopes
        except FmuFailed:
            pass  # it does not take so small a step
        finally:
            self._back(kept)
            for c, state in kept:
                c.drop(state)
