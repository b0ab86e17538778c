"""The past of delayed expressions during a dynamic analysis; see `system.delay`.

Each accepted step is sampled: five values, and two between them, where a polynomial of degree four is farthest from
what it represents.  It is halved until the polynomials agree with what was sampled.  Samples at the ends of a step lie
a little inside: an expression that jumps at an event there belongs to either side.

Where the expression jumps or has a corner, what is late by a constant delay does so that much later.  Steps end there,
a moment before a jump, and the integrator begins again a moment behind it.  A corner passes on: what was integrated
over a break of the k-th derivative has one of the next; jumps, which pass on algebraically, are measured.

Where a delay varies, the arrival of a jump is predicted from the last step, and the steps that approach it are shorter
and shorter, as the prediction becomes exact.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np

from ..._warnings import WarningText
from ...model import ModelError
from ...system.delay import NO_BREAK, NODES, Past, polynomial

EXACT = 1e-12  # of the values of a past: less is roundoff
FIT = 0.1  # of the requested error: so well polynomials represent the expression
NOTHING = 1e-14  # values that are less by size are roundoff in any units
NOISE = 1e-6  # of the values: what halving does not reduce is a jump if it is more, noise if it is less
DEEP = 36  # halvings of a step; what does not fit then is a jump
MOST = 256  # halvings in one step
JUMP = 1e-9  # of the values: less is no jump
BEND = 0.3  # of the requested error: less between polynomials of two steps is no corner
TRUSTED = 4.0  # lengths of a piece: farther its polynomial is no guide
INSIDE = 4e-13, 2e-15  # of the step and of the time: so far from the ends of a step its ends are sampled
SIDE = 8 * 2.220446049250313e-16  # of times: to either side of a delayed jump
CLOSE = 1e-13  # of times: jumps so near each other are one
NEAR = 1e-9  # of the delay: corners so near each other are one
SHARE = 0.5  # of a delay that varies: no longer is a step
FAR, SHORT = 0.1, 1e-3  # of the way to a jump by a varying delay: left to the next step, at most and at least
MEET = 1e-12, 16 * 2.220446049250313e-16  # of the delay and of the time: a way so short is passed at once
GAP = 1e-10  # of times: pieces so near each other meet
CHECKED = 0.5 / (NODES - 1), 1.0 - 0.5 / (NODES - 1)  # of a piece: where a polynomial is farthest from the expression
SMOOTH = 8  # breaks of derivatives from this one on are not waited for


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

    ``error``: the relative error that was requested; ``say``: takes a message where the past is kept less exactly."""

    def __init__(self, system: Any, kept: dict[str, Past], error: float, say: Any) -> None:
        attach(system, kept)
        self._error, self._say = error, say
        self._fit = max(FIT * error, EXACT)
        #: the integrator has begun again since the last step
        self.restarted = True
        #: of the values of each past, by size
        self._largest = np.zeros(0)
        name = lambda d: (d.key, d.delay if d.by is None else id(d), d.history if d.constant is None else d.constant)
        self.found = list({name(d): (d, owner) for d, owner in delays_of(system)}.values())
        #: several delays of one expression share its past: text -> those delays
        self._readers: dict[str, list[Any]] = {}
        for d, _ in self.found:
            self._readers.setdefault(d.key, []).append(d)
        self._sources = list({d.key: (d, owner) for d, owner in reversed(self.found)}.values())
        self._constant = [d for d, _ in self.found if d.by is None]
        self._slowest = max((d.delay for d in self._constant), default=0.0)
        self._longest = {
            key: max(d.delay if d.by is None else np.inf for d in readers) for key, readers in self._readers.items()
        }

    @property
    def on(self) -> bool:
        return bool(self.found)

    # ---- where steps end --------------------------------------------------------------------------------------------
    def goal(self, t: float, goal: float) -> float:
        """Where the next step must end: not later than the shortest delay, since what is requested must be known, and
        where what is late jumps or has a corner."""
        begin = self._exact(t) if self.restarted else t
        for d, _ in self.found:
            if d.by is not None:
                goal = min(goal, t + SHARE * d.delay) if d.delay > 0.0 else goal
                ahead = _arrival(d, t)
                if ahead is not None and ahead[0] > t + _short(d, t):
                    goal = min(goal, ahead[0])
                continue
            # where the integrator begins again something may jump: it is not known yet
            goal = min(goal, begin + d.delay - (_side(begin, d.delay) if self.restarted else 0.0))
            for moment, level in self._from(d, t):
                if level > 0.0 and moment + d.delay > t + NEAR * d.delay:
                    goal = min(goal, moment + d.delay)
                    break
                before = moment + d.delay - _side(moment, d.delay)
                if level == 0.0 and before > t + CLOSE * max(abs(t), d.delay):
                    goal = min(goal, before)
                    break
        return goal

    def reached(self, t: float, last: float) -> float | None:
        """A moment behind a delayed jump that lies at time t, where the integrator begins again; None: there is none,
        or nothing comes after it until time ``last``."""
        behind = None
        for d in self._constant:
            for moment, level in self._from(d, t):
                late, side = moment + d.delay, _side(moment, d.delay)
                if late - side > t + CLOSE * max(abs(t), d.delay):
                    break
                if level == 0.0 and t < late + side <= last:
                    behind = late + side if behind is None else max(behind, late + side)
        for d, _ in self.found:
            ahead = None if d.by is None else _arrival(d, t)
            if ahead is not None and ahead[0] <= t + _short(d, t) and t < ahead[1] <= last:
                behind = ahead[1] if behind is None else max(behind, ahead[1])
        return behind

    @staticmethod
    def _from(d: Any, t: float) -> list[tuple[float, float]]:
        """Breaks in the past of a delay that arrive about time t or later."""
        breaks = d.past.breaks
        return breaks[bisect_left(breaks, (t - d.delay - 2.0 * NEAR * d.delay, NO_BREAK)) :] if breaks else breaks

    def _due(self, t: float) -> float:
        """The least derivative of what is late that breaks at time t; infinity: none."""
        return min(
            (
                level
                for d in self._constant
                for moment, level in self._from(d, t)
                if abs(moment + d.delay - t) <= NEAR * d.delay
            ),
            default=np.inf,
        )

    def _exact(self, t: float) -> float:
        """The time of a jump that is late, of which time t is a side; t: there is none."""
        return min(
            (
                moment + d.delay
                for d in self._constant
                for moment, level in self._from(d, t)
                if level == 0.0 and abs(moment + d.delay - t) <= 1.5 * _side(moment, d.delay)
            ),
            default=t,
        )

    # ---- the past of a step -----------------------------------------------------------------------------------------
    def accept(self, stepper: Any, step: Any, recorder: Any, until: float) -> None:
        """Keep the values of a step that was accepted, up to time ``until``."""
        begin, whole = step.t_old, until - step.t_old
        if not whole > 0.0:
            return
        inside = min(max(INSIDE[0] * whole, INSIDE[1] * abs(until)), 1e-2 * whole)
        y = np.zeros_like(stepper.y)

        def sample(t: float) -> np.ndarray:
            t = min(max(t, begin + inside), until - inside)
            stepper.interpolate(t, y)
            recorder.evaluate(t, y, 0)
            for d, owner in self.found:
                if d.by is not None:
                    self._check(d, float(owner.W.f.x[d.by]), t, begin)
            values = np.array([owner.W.f.x[d.source] for d, owner in self._sources])
            self._largest = np.fmax(self._largest, np.abs(values))
            return values

        self._sample = sample
        pasts = [d.past for d, _ in self._sources]
        self._largest = np.array([past.largest for past in pasts])
        self._room, self._first = MOST, [True] * len(pasts)
        self._late = self._due(begin)
        first, last = self._exact(begin), self._exact(until)
        nodes, seen = [], []
        for k in range(NODES):
            nodes.append(sample(first + k / (NODES - 1) * (last - first)))
            if k % 2 == 0:
                t = min(max(first + k / (NODES - 1) * (last - first), begin + inside), until - inside)
                seen.append([(t, t - (0.0 if d.by is None else float(o.W.f.x[d.by]))) for d, o in self.found])
        for (d, _), *places in zip(self.found, *seen):
            if d.by is not None:
                d.seen = tuple(x for place in places for x in place)
                self._passed(d)
        checks = [sample(first + place * (last - first)) for place in CHECKED]
        self._keep(first, last, nodes, checks, _off(nodes, checks), 0)
        del self._sample  # it holds the step
        self.restarted = False

    def _fails(self, off: np.ndarray) -> np.ndarray:
        return (off > self._fit * self._largest) & (self._largest > NOTHING)

    def _keep(self, begin: float, end: float, nodes: list, checks: list, off: np.ndarray, deep: int) -> None:
        """A piece of the step, or its halves: values at the nodes and where they are checked, and how far the
        polynomials are ``off`` there."""
        whole = end - begin
        fails = self._fails(off)
        if fails.any() and deep < DEEP and self._room > 0:
            self._room -= 1
            inner = [self._sample(begin + place * whole) for place in (0.375, 0.625)]
            middle, half = begin + 0.5 * whole, []
            for a, b, values in (
                (begin, middle, [nodes[0], checks[0], nodes[1], inner[0], nodes[2]]),
                (middle, end, [nodes[2], inner[1], nodes[3], checks[1], nodes[4]]),
            ):
                between = [self._sample(a + place * (b - a)) for place in CHECKED]
                half.append((a, b, values, between, _off(values, between)))
            stays = np.minimum(half[0][4], half[1][4]) >= 0.5 * off
            if (fails & ~(stays & (off <= NOISE * self._largest))).any():
                for piece in half:
                    self._keep(*piece, deep + 1)
                return
        for k, (d, _) in enumerate(self._sources):
            values = [float(v[k]) for v in nodes]
            if fails[k] and deep == DEEP:  # where it jumps
                self._add(k, d, begin, begin + 0.5 * whole, [values[0]] * NODES)
                self._add(k, d, begin + 0.5 * whole, end, [values[-1]] * NODES, 0.0)
                continue
            self._add(k, d, begin, end, values)
            if fails[k]:
                self._report(d, end, whole, float(off[k]), float(self._largest[k]))

    def _add(self, k: int, d: Any, begin: float, end: float, values: list[float], level: float = NO_BREAK) -> None:
        past, largest = d.past, float(self._largest[k])
        if self._first[k]:
            past.meet(begin, GAP * max(abs(begin), self._slowest))
            level = self._level(d, begin, end, values, largest)
            self._first[k] = False
        past.add((begin, end, *values, level, largest), self._longest[d.key])

    def _level(self, d: Any, begin: float, end: float, values: list[float], largest: float) -> float:
        """What breaks between the past so far and a piece that begins a step."""
        jump, varies = max(self._error, JUMP), max(values) - min(values)
        if not d.past.pieces:
            for reader in self._readers[d.key]:
                before = reader.constant if reader.constant is not None else float(reader.history(begin))
                if abs(before - values[0]) > jump * max(largest, abs(before)):
                    return 0.0
            return 1.0 if varies > 0.0 or any(r.constant is None for r in self._readers[d.key]) else NO_BREAK
        last = d.past.pieces[-1]
        old = last[2 : 2 + NODES]
        leap = abs(values[0] - old[-1])
        if leap > jump * largest and (self.restarted or leap > varies + (max(old) - min(old))):
            return 0.0
        if self._late == np.inf and not self.restarted:
            return NO_BREAK
        level, reach = (self._late if self._late < np.inf else 0.0) + 1.0, 0.25 * (end - begin)
        if reach < 0.0625 * (last[1] - last[0]):  # too near to be distinguished
            level = level if self._late < np.inf else NO_BREAK
        elif reach <= TRUSTED * (last[1] - last[0]):
            expected = polynomial(old, (begin + reach - last[0]) / (last[1] - last[0]))
            if not abs(expected - values[1]) > BEND * self._error * largest:
                return NO_BREAK
        return level if level < SMOOTH else NO_BREAK

    def _report(self, d: Any, t: float, whole: float, off: float, largest: float) -> None:
        """Report a past that is kept less exactly than the error that was requested, once."""
        if d.past.reported or not off > max(self._error, EXACT) * largest:
            return
        d.past.reported = True
        self._say(
            WarningText(
                f"at time {t:.6g} the past of DELAY({d.key}) is kept to {off / largest:.2g} of its values, less than "
                f"the error {self._error:g} that was requested, after {MOST} halvings of a step: it changes too often "
                f"within {whole:.2g}, or is not exact itself; give a smaller hmax, or a larger error"
            )
        )

    def _passed(self, d: Any) -> None:
        """Report, once, a jump that a varying delay has made late and that arrived within the last step."""
        if d.past.reported:
            return
        near = 4.0 * _short(d, d.seen[4])
        begin, end = min(d.seen[1], d.seen[5]) + near, max(d.seen[1], d.seen[5]) - near
        for moment, level in d.past.breaks[bisect_left(d.past.breaks, (begin, NO_BREAK)) :]:
            if moment >= end:
                return
            if level == 0.0:
                d.past.reported = True
                self._say(
                    WarningText(
                        f"before time {d.seen[4]:.6g} a jump of DELAY({d.key}) has arrived within a step, since the "
                        "delay varies faster than predicted: it was left to the step control, and the error may be "
                        f"some tens of times the {self._error:g} that was requested; give a smaller error"
                    )
                )
                return

    @staticmethod
    def _check(d: Any, delay: float, t: float, begin: float) -> None:
        """Raise ModelError for a varying delay that is not positive, or whose past lies within the step."""
        if not delay > 0.0 or t - delay > begin + 1e-9 * (t - begin):
            raise ModelError(
                f"the delay of DELAY({d.key}) is {delay:g} at time {t:g}, less than the step from {begin:g}, whose "
                "past is not known yet; "
                "keep it positive (bound it, as MAX(0.001, ...)), or give a smaller hmax where it falls fast"
            )


def _side(moment: float, delay: float) -> float:
    """How far from a jump that is late a step ends and another begins."""
    return SIDE * max(abs(moment), delay)


def _short(d: Any, t: float) -> float:
    """A way in time that is passed at once, for a delay that varies."""
    return max(MEET[0] * d.delay, MEET[1] * abs(t))


def _arrival(d: Any, t: float) -> tuple[float, float] | None:
    """When the next jump arrives by a delay that varies: a time before, where a step may end, and one behind."""
    if not d.seen:
        return None
    t0, s0, tm, sm, t1, s1 = d.seen
    late, early = (s1 - sm) / (t1 - tm), (sm - s0) / (tm - t0)
    bend = (late - early) / (t1 - t0)
    slope = late + bend * (t1 - tm)
    passed = s1 + (t - t1) * (slope + bend * (t - t1)) - 0.5 * slope * _short(d, t)
    if not slope > 0.0 or not d.delay > 0.0:
        return None
    breaks = d.past.breaks
    ahead = breaks[bisect_left(breaks, (passed, NO_BREAK)) :]
    moment = next((m for m, level in ahead if level == 0.0 and m > passed), None)
    if moment is None:
        return None
    under = slope * slope + 4.0 * bend * (moment - s1)
    way = 2.0 * (moment - s1) / (slope + float(np.sqrt(under))) if under > 0.0 else (moment - s1) / slope
    share = (way + t1 - t0) / d.delay
    margin = abs(way) * (min(FAR, share * share) + SHORT)
    return t1 + way - margin, t1 + way + 1e-3 * margin + _short(d, t)


def _off(nodes: list[np.ndarray], checks: list[np.ndarray]) -> np.ndarray:
    """How far polynomials are from what was sampled between their nodes."""
    return np.fmax(*(np.abs(polynomial(nodes, place) - seen) for place, seen in zip(CHECKED, checks)))
