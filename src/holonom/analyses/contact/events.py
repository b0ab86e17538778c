"""Onsets and separations of contacts, located during a dynamic analysis.

Before a step, near pairs with a gap are held open, so that the equations stay smooth even where a trial runs through a
wall; after it their gaps are checked on the integrator's interpolant, as often as positions, speeds and accelerations
ask so that nothing can pass through unseen
(`contact.advancement`), and the first onset or separation is located.  The state is taken just after it, where
memories of laws take over the speed of the impact.  The integrator restarts with a share of the contact's own time;
after the last separation the step that it had before returns.  Shampine, Gladwell, Brankin, ACM Trans. Math. Softw.
17 (1991) 11.

A contact that returns at once again and again (resting, overdamped) decides by itself for a while.  Methods that
lose much by a restart (`costly_restart`) locate only the onset that follows a free flight.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ..._jit import Entry
from ..._warnings import WarningText
from ...contact.event_functions import (
    AHEAD,
    BEHIND,
    CLOSING,
    EVENT_DATA,
    FREE,
    IMPACT,
    IMPACT_DEPTH,
    IMPACT_POWER,
    IMPACT_SPEED,
    PAIR_DATA,
    SLOPE,
    TOUCHING,
    WHICH,
    event_function,
    impact,
    predict_event,
)
from ...contact.laws import module
from ...contact.tables import INSIDE_STEP, NEWLOCK
from ...contact.walls import WALL
from ...elements.bodies import layout
from ...integrators.entry import project_state
from .follower import ContactFollower
from .gap_monitor import GapMonitor

KAPPA = 0.04  # first step behind an onset as a share of the contact's time
LEAST_LOOKS = 4  # in a step that is looked into and in which something touches: it may part and return
SHORT = 20.0  # a step is short when nothing could happen in so many of it
GRAZE = 0.1  # depth of a touch that may be missed, of the error of the integrator and the size of the shapes
ROUNDOFF = 1e-12  # depth of an onset and gap of a separation, of the size of the shapes
DEEP, SHALLOW = 0.9, 0.2  # a bend of the law above this share of the depth to come is stepped upon, and is soon behind
EXIT_CUT = 1.02  # the last step in contact ends so much behind the predicted separation
BROKEN = 0.1  # distance of a power from a whole number
ROOT, REACH = (
    0.25,
    3.0,
)  # share of a contact in which time is counted by its root, after onset and, in steps, before separation
LEAST_DOUBT = 1e-4  # the same at least where that step is taken in the root of time
LEAST_OVER, MOST_OVER, DOUBT = (
    1e-3,
    0.02,
    0.1,
)  # the same for changes of the law, which are approached first when more in doubt than that
QUICK = 1.0  # a contact returns quickly: within so many durations of the last one
CHATTER = 4  # quick returns before it decides by itself
REST, LONGEST_REST = 50, 2000  # steps for which it does
SOON_AGAIN = 30.0  # the same for methods with costly restarts: contact times from onset to onset
SLOW = 0.05  # impacts below this share of the fastest are left to the step control of methods with costly restarts
WITHIN, LONGEST_IMPACT = (
    20,
    2.0,
)  # least steps of methods with costly restarts in an impact: positions alone do not give them how short it is
# tolerance for which these are enough; an impact by a method of second order is wrong by the third power of their
# inverse
AT_EASE = 1e-3
OFTEN = 50  # steps between impacts: more of them call for a one-step method
LASTING = 0.9  # share of steps in contact that makes it continuous
MANY, CROWD = 8, 1.5  # so many contacts act, with an onset every so many steps: location pays no more
FLOOD, SOON = 1000, 1e-3  # so many onsets within this share of the analysis are worth a warning
VOID = 200  # changes in a row behind which all is as before
CRAWL = 2000  # steps in contact within `SOON` of the analysis are worth one, too
JUMP = 10.0  # momentum may change so many tolerances at a change of topology before it is reported
FLIGHT, LONG_FLIGHT = (
    10,
    10.0,
)  # steps, or durations of the last impact, without any contact before a method with costly restarts locates an onset
SOFT, SAFE = (
    0.5,
    0.25,
)  # of the thinner wall: an impact that goes in deeper is reported, with the stiffness that keeps it within the second
MOST_PAIRS = 4096  # of shapes of one contact whose speeds are compared with its law before the run
# of the thinnest shape: so deep a contact that begins and ends within one step is a thing gone through another
MISSED = 0.02


def _among(keys: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Which of the rising keys are among ``some`` (rising)?"""
    out = np.zeros(len(keys), bool)
    if len(some) and len(keys):
        k = np.minimum(np.searchsorted(keys, some), len(keys) - 1)
        out[k[keys[k] == some]] = True
    return out


class ContactEvents(ContactFollower):
    """Follows the near pairs of one system; ``on`` is false where there is nothing to watch.

    ``counters``: onsets, separations, bends of laws, steps in contact, looks.
    """

    def __init__(self, system: Any, wanted: bool = True, span: float = 1.0):
        self.system = system
        self.contacts = system.contacts
        self.on = wanted and self.contacts.on
        self.said: list[str] = []
        self.turned = np.nan  # time of the last change
        #: memories of laws and friction are guarded also where nothing is located (steps of one size, events off):
        #: works and outputs are evaluated inside steps too, and must not be remembered
        self.guards = bool(self.contacts.on and self.contacts.S.memory)
        self._kept: tuple | None = None  # memories before the step
        self._next: tuple | None = None  # and at its end, while states inside are checked
        if self.contacts.on:
            self.W = self.contacts.W
        if not self.on:
            return
        self.counters = {
            "onsets": 0,
            "separations": 0,
            "bends of laws": 0,
            "steps in contact": 0,
            "evaluations of gaps": 0,
        }
        self.jump = 0.0  # largest of the momentum at a change, as a share of what the mass could carry with its energy
        self.span = span
        self.spacing = 1e9  # steps from onset to onset, on the average
        self.busy = 0.0  # share of the last steps in contact
        self.acting = 0.0  # contacts that act, on the average of the last steps
        self._steps = 0  # since the last onset
        self._arrivals = 0  # onsets, located or not
        self._parted = np.inf, 0.0  # time at which nothing touched any more, duration of the last impact
        self._recent: deque[float] = deque(maxlen=FLOOD)
        self._flooded = False
        self._passed, self._crawled = -np.inf, False  # time at the last check of `_crawl`
        self._fastest = 0.0
        self._until, self._brief = (
            -np.inf,
            0.0,
        )  # end of an impact and its duration: steps of methods with costly restarts are bounded there
        self._pause = 0  # steps for which nothing is held open
        self._void = 0  # changes in a row behind which all was as before
        self._cuts = 0  # steps in a row that were cut for what was foretold
        self.costly_restart = False
        self.within = float(WITHIN)  # see `follow_method`
        self.held = True  # pairs are held open at present
        self.inside = np.zeros(0, np.int64)  # keys of pairs that act and are watched for separation, rising
        self.kink = np.zeros(0)  # depths at which their laws bend, negative once they are deeper; 0: passed over
        self._bend: dict[int, float] = {}  # the same by key
        self._bends = np.zeros(len(self.contacts.elements))  # by contact
        for c, element in enumerate(self.contacts.elements):
            self._bends[c] = getattr(module(element.law_name), "kink", lambda p: 0.0)(self.contacts.S.p[c])
        self.rest: dict[int, int] = {}  # steps for which a pair decides by itself
        self._next_rest: dict[int, int] = {}
        self._onset: dict[int, float] = {}
        self._last: dict[int, tuple[float, float]] = {}  # separation, duration of the contact before it
        self._returns: dict[int, int] = {}
        self._free = 0  # steps since the last contact
        self._saved = 0.0  # step before the first contact
        self.out = np.zeros(EVENT_DATA)
        self._before = self.out.copy()  # at the beginning of the step
        self.monitor = GapMonitor(self.contacts)
        self._event_function, self._predict = Entry(event_function), Entry(predict_event)
        self.seen = np.zeros(
            (16, PAIR_DATA)
        )  # of the pairs in ``inside`` at the last check, its end, the beginning of the step
        self._now, self._then = self.seen.copy(), self.seen.copy()
        self._past = -1.0  # time between the two; 0 when there is no past, negative when the pairs are others
        self._ahead = np.zeros(5)
        self._damped = False  # the bend of the last onset is shallow
        self._root = 0.0, -np.inf  # steps are taken in the root of the time since an onset, up to a time
        self._powers: dict[int, float] = {}  # of the depth with which the force of a contact begins
        self._impact = np.zeros(IMPACT)
        self._R = np.zeros((system.nb + 1, 9))
        self._R[:] = np.eye(3).ravel()
        self._y = np.zeros_like(system.y0)
        self.depth = self.slack = ROUNDOFF * max(self.contacts._size(), 1e-2 * system.extent)
        sh = self.contacts.S.sh
        walls = np.where(sh.par[:, WALL] > 0.0, sh.par[:, WALL], 2.0 * sh.half.min(axis=1, initial=np.inf))
        self._walls = np.where(np.isfinite(sh.half[:, 0]) & (sh.half[:, 0] < 1e300) & (walls > 0.0), walls, np.inf)
        self._soft: set[int] = set()  # contacts that were reported
        thin = walls[(walls > 0.0) & np.isfinite(walls) & np.isfinite(sh.half[:, 0])]
        self._missed = MISSED * float(thin.min()) if len(thin) else 0.0  # 0: nothing can be passed through
        self._met = np.zeros(
            0, np.int64
        )  # pairs that touched when the step began, while contacts decide by themselves; all others are
        # checked, those too that the search finds only within the step

    # ---- evaluations of gaps -----------------------------------------------------------------------------------------
    def _evaluate_gaps(self, t: float, y: np.ndarray, span: float, behind: float = 0.0) -> int:
        """Gaps at (t, y) into ``out``; ``behind``: time before t that should be free of contact, as far as it is
        needed."""
        self.counters["evaluations of gaps"] += 1
        self.out[BEHIND] = behind
        self.contacts.place(y)
        n = self._event_function.call(
            self.contacts.handle.address,
            t,
            y,
            self._R,
            span,
            self.monitor.bounds,
            max(self.slack, self.depth),
            (self.inside, self.kink, len(self.inside)),
            self.depth,
            self.seen,
            self.out,
        )
        self.monitor.sound(t)
        return n

    @property
    def frequent(self) -> bool:
        """Do impacts come more often than a method with a history can bear?"""
        if not self.on:
            return False
        often = self._often
        return self._arrivals >= 3 and self.spacing < often and self._steps < 2 * often and self.busy < LASTING

    @property
    def _often(self) -> float:
        """Steps from impact to impact below which these are what the steps are for; a method with costly restarts
        takes 2 ``within`` for each."""
        return max(OFTEN, 6.0 * self.within) if self.costly_restart else OFTEN

    def bounds(self, t: float) -> bool:
        """Is the step at t bounded by an impact, so that it gives no information about the rest of the model?"""
        return self.on and self.costly_restart and t < self._until

    @property
    def lasting(self) -> bool:
        """Has something been in contact nearly all the time, without onsets that count?"""
        return self.on and self.busy >= LASTING and self._steps > 4 * OFTEN

    def follow_method(self, error: float, blind: bool) -> None:
        """Tolerance of the integrator, and whether its error test is ``blind`` for velocities."""
        if self.on:
            self.slack = max(self.depth, GRAZE * min(error, AT_EASE) * self.contacts._size())
            self.within = WITHIN * (max(1.0, AT_EASE / error) ** (1 / 3) if blind else 1.0)

    def begin(self, t: float, y: np.ndarray, costly_restart: bool) -> None:
        """Hold pairs that have a gap at (t, y), before the integrator starts there."""
        if not self.on:
            if self.guards:
                self.W.count[INSIDE_STEP] = 0
            return
        self.costly_restart = costly_restart
        self.W.count[INSIDE_STEP] = 0
        self.held = not (self._pause or (costly_restart and self._free < FLIGHT and self._arrivals))
        if not self._arrivals:
            self._check_speeds(y)
        self.inside = self.inside[:0]
        self._hold(self._evaluate_gaps(t, y, 0.0))
        self.monitor.forget()  # nothing is known of how far the others are
        self._see(t, y)

    def _check_speeds(self, y: np.ndarray) -> None:
        """Report contacts whose law is softer than a wall is thick, for bodies that approach each other now.

        With the elastic part k d^e of a law the energy m v^2 / 2 is stored at  d = ((e + 1) m v^2 / (2 k))^(1 / (e +
        1)),  m the reduced mass and v the speed of approach of the centres.  Laws of line contact are left out: their
        stiffness depends on the depth.
        """
        c, bodies = self.contacts, self.system.bodies
        x, v = (np.vstack([z, np.zeros(3)]) for z in (layout.places(y, bodies.n), layout.velocities(y, bodies.n)))
        lightness = np.append(1.0 / np.maximum(bodies.mass[: bodies.n], 1e-300), 0.0)
        for k, element in enumerate(c.elements):
            p: dict[str, float] = dict(zip((column[0] for column in module(element.law_name).COLUMNS), c.S.p[k]))
            stiffness, power = p.get("k", p.get("P", 0.0)), p.get("e", p.get("n", 1.0))
            i, j = (side[side < len(c.solids)] for side in c.sides[k])
            if k in self._soft or not stiffness > 0.0 or "R" in p or not 0 < len(i) * len(j) <= MOST_PAIRS:
                continue
            a, b = c.body[i][:, None], c.body[j][None, :]
            away, closing = x[a] - x[b], v[b] - v[a]
            far = np.linalg.norm(away, axis=-1)
            speed = np.maximum((away * closing).sum(axis=-1), 0.0) / np.maximum(far, 1e-300)
            light = lightness[a] + lightness[b]
            energy = np.where(light > 0.0, 0.5 * speed**2 / np.maximum(light, 1e-300), 0.0)
            depth = ((power + 1.0) * energy / stiffness) ** (1.0 / (power + 1.0))
            wall = np.minimum(self._walls[i][:, None], self._walls[j][None, :])
            worst = np.unravel_index(np.argmax(depth / wall), wall.shape)
            if depth[worst] > SOFT * wall[worst]:
                pair = int(i[worst[0]]), int(j[worst[1]])
                self._report_soft(k, pair, f"{element.label}: ", float(speed[worst]), float(depth[worst]), float(power))

    def _report_soft(self, k: int, pair: tuple[int, int], start: str, speed: float, depth: float, power: float) -> None:
        """Report, once for contact k, that an impact of two shapes goes deeper than half of the thinner wall."""
        self._soft.add(k)
        wall = float(self._walls[list(pair)].min())
        unit = self.system.model.units.symbol
        names = " and ".join(f"'{self.contacts.body_name(a)}'" for a in pair)
        self.said.append(
            WarningText(
                f"{start}{names} approach at {speed:.4g} {unit('velocity')}, and the law stores that energy at a depth "
                f"of {depth:.4g} {unit('length')}, "
                f"but the thinner wall is {wall:.4g} thick: one may pass through the other; a stiffness "
                f"{(depth / (SAFE * wall)) ** (power + 1.0):.3g} "
                "times as large stops it within a quarter of the wall, contact = events at its surface"
            )
        )

    def _see(self, t: float, y: np.ndarray) -> None:
        """Gaps and rates of pairs in contact at a state without a past."""
        self._past = 0.0
        if self.held and len(self.inside):
            before = self.out.copy()
            self._evaluate_gaps(t, y, 0.0)
            self._now[: len(self.inside)] = self.seen[: len(self.inside)]
            self.out[:] = before

    def _hold(self, n: int) -> None:
        """Modes of all pairs from their gaps."""
        W, inside = self.W, self.inside
        gap, key = W.gap[:n], W.key[:n]
        W.count[NEWLOCK] = self.held
        apart = gap > -self.depth
        W.lock[:n] = apart & self.held
        if not self.held:
            self.inside = key[:0].copy()
            self._met = key[gap <= 0.0]
        elif not self.rest:
            self.inside = key[~apart]
        else:
            alone = _among(key, np.array(sorted(self.rest), np.int64))
            W.lock[:n][alone] = 0
            self._met = key[gap <= 0.0]
            self.inside = key[~apart & ~alone]
        n = len(self.inside)
        self.kink = np.array([self._bend.get(int(k), 0.0) for k in self.inside]) if self._bend else np.zeros(n)
        if n != len(inside) or not np.array_equal(self.inside, inside):
            self._past = -1.0
        if n > len(self.seen):
            self.seen, self._now, self._then = np.zeros((3, 2 * n, PAIR_DATA))

    def resume(self) -> None:
        """This system acts again, after another one."""

    def release(self) -> None:
        """Let all contacts decide by themselves again (outside dynamic analyses)."""
        self.look_inside_step(False)  # memories as they are at the end
        if self.on:
            self.W.lock[:] = 0
            self.W.count[NEWLOCK] = self.W.count[INSIDE_STEP] = 0

    def look_inside_step(self, yes: bool) -> None:
        """States that are checked from now on lie inside the last step: nothing is remembered of them, and they see
        what its stages saw, the memories from before it; those from its end return with ``yes`` false."""
        if not (self.on or self.guards):
            return
        if self.guards and yes != bool(self.W.count[INSIDE_STEP]):
            if yes:
                self._next = self._memories()
                self._recall(self._kept)
            else:
                self._recall(self._next)
                self._next = None
        self.W.count[INSIDE_STEP] = yes

    # ---- before a step ----------------------------------------------------------------------------------------------
    def goal(self, stepper: Any, goal: float) -> float:
        """Where the next step must end: a last step in contact just after the separation that is to come."""
        if self.guards:
            self._kept = self._next or self._memories()
        if not self.on:
            return goal
        t = stepper.t
        if self.costly_restart and t < self._until:
            return min(goal, t + self._brief / self.within)
        n = len(self.inside)
        warps = stepper.warps and not stepper.fixed
        if warps:
            since, until = self._root
            damped = self._damped and n and self.kink.max() > 0.0  # up to a shallow bend damping rules
            stepper.warp = (1, since) if t < until and not damped else (0, 0.0)
        if self.held and n and self._past >= 0.0:
            h = stepper.h
            self._predict.call(
                self.contacts.handle.address, self._now, self._then, n, self._past, REACH * h, self.kink, self._ahead
            )
            ahead, doubt, parts, pair, idle = self._ahead.tolist()
            if idle and self._bend:
                self._forget_bends()
            if parts and 1e-3 * h < ahead < REACH * h and warps and self._rooted(int(pair)):
                ahead += min(max(doubt, LEAST_DOUBT * ahead), MOST_OVER * ahead)
                stepper.warp = -1, t + ahead
                return min(goal, t + ahead)
            if ahead < h:
                if parts:
                    ahead *= EXIT_CUT
                elif doubt > DOUBT * ahead:
                    ahead -= doubt
                else:
                    ahead += min(max(doubt, LEAST_OVER * ahead), MOST_OVER * ahead)
                # what is foretold again and again and never comes (a body that trembles on what holds it) cuts ever
                # less
                self._cuts += 1
                return min(goal, t + max(ahead, 1e-3 * 2.0 ** min(self._cuts - 1, 20) * h))
        self._cuts = 0
        return goal

    def _forget_bends(self) -> None:
        """Pairs that do not push on their way out have no bend to come."""
        for i in range(len(self.inside)):
            if self._now[i, 1] > 0.0 and self._now[i, 3] == 0.0 and self.kink[i] < 0.0:
                self._bend.pop(int(self.inside[i]), None)
                self.kink[i] = 0.0

    def _rooted(self, k: int) -> bool:
        """Does the force of near pair k begin with a broken power of the depth?"""
        power = self._powers.get(int(self.W.near[k, 0]), 1.0)
        return abs(power - round(power)) > BROKEN

    def _memories(self) -> tuple:
        """What laws and friction remember at present, by keys of near pairs."""
        W, n = self.W, self.contacts.near.shape[0]
        rows = slice(0, n * self.contacts.S.memory)
        return W.key[:n].copy(), W.nmem[:n].copy(), W.mem[rows].copy(), W.fmem[rows].copy(), W.feat[rows].copy()

    def _recall(self, memories: tuple | None) -> None:
        """Memories as they were when `_memories` was asked."""
        if memories is None or not self.contacts.S.memory:
            return
        W, M = self.W, self.contacts.S.memory
        keys, nmem, mem, fmem, feat = memories
        now = W.key[: self.contacts.near.shape[0]]
        W.nmem[: len(now)] = 0
        place = np.searchsorted(now, keys)
        for i in np.flatnonzero(nmem):
            k = place[i]
            if k < len(now) and now[k] == keys[i]:
                W.nmem[k] = nmem[i]
                a, b = slice(i * M, (i + 1) * M), slice(k * M, (k + 1) * M)
                W.mem[b], W.fmem[b], W.feat[b] = mem[a], fmem[a], feat[a]

    # ---- after a step -----------------------------------------------------------------------------------------------
    def check(self, stepper: Any, step: Any, until: float | None = None) -> float | None:
        """Time of the first onset or separation within the last step (up to ``until``), or None."""
        if not self.on:
            return None
        end = step.t if until is None else until
        y = stepper.y if end == step.t else self._state(stepper, end)
        span = max(step.h, stepper.h)
        self.monitor.follow(stepper)
        if not self.held and self._missed > 0.0:
            return self._sweep(stepper, step.t_old, end, y, span, until is None)
        n = self._evaluate_gaps(end, y, span, self.monitor.wanted(step.t_old, end))
        if self.inside.size:
            self._then, self._now = self._now, self._then
            self._now[: len(self.inside)] = self.seen[: len(self.inside)]
            self._past = end - step.t_old if self._past >= 0.0 else 0.0
        if self.held and not self._calm(stepper, step.t_old, end, span):
            found = self._walk(stepper, step.t_old, end, span)
            if found is not None:
                return found
            n = self.contacts.near.shape[0]
        if self.held and self.rest and self._missed > 0.0:
            found = self._alone(stepper, step.t_old, end, span)
            if found is not None:
                return found
            n = self.contacts.near.shape[0]
        if until is None:
            self._end(end, n, span)
        return None

    def _alone(self, stepper: Any, a: float, end: float, span: float) -> float | None:
        """The same as `_sweep` for pairs that decide by themselves in addition to others that do not, and were apart
        when the step began."""
        W, fine = self.W, self.depth
        apart = sorted(set(self.rest).difference(self._met.tolist()))
        keys = np.array(apart, np.int64)
        n = self.contacts.near.shape[0]
        W.lock[:n][_among(W.key[:n], keys)] = 1
        if not apart or not W.lock[:n][_among(W.key[:n], keys)].any():
            return None
        self.depth = max(fine, self._missed)
        n = self._evaluate_gaps(end, self._state(stepper, end), span)
        W.lock[:n][_among(W.key[:n], keys) & (W.gap[:n] <= 0.0)] = 0  # felt by the method
        self.monitor.forget()
        n = self._evaluate_gaps(end, self._state(stepper, end), span, self.monitor.wanted(a, end))
        found = None if self._calm(stepper, a, end, span) else self._walk(stepper, a, end, span)
        self.depth = fine
        if found is not None:
            for key in apart:
                self.rest.pop(key, None)
            return self._walk(stepper, a, end, span)
        n = self.contacts.near.shape[0]
        W.lock[:n][_among(W.key[:n], keys)] = 0
        self._evaluate_gaps(end, self._state(stepper, end), span)
        return None

    def _sweep(self, stepper: Any, a: float, end: float, y: np.ndarray, span: float, whole: bool) -> float | None:
        """A step over which contacts decide by themselves: the onset of one that is over at its end, or None.

        The method feels what touches at the ends of its steps (and stages); a thing that is apart at both ends may have
        passed through another.  Such pairs are locked while they are checked, so that looks follow each other as
        closely as their speeds ask.
        """
        W, fine = self.W, self.depth
        n = self.contacts.near.shape[0]
        W.lock[:n] = ~_among(W.key[:n], self._met)
        W.count[NEWLOCK] = 1
        self.depth = max(fine, self._missed)
        n = self._evaluate_gaps(end, y, span, self.monitor.wanted(a, end))
        felt = (W.lock[:n] != 0) & (W.gap[:n] <= 0.0)
        if felt.any():
            W.lock[:n][felt] = 0
            n = self._evaluate_gaps(end, y, span, self.monitor.wanted(a, end))
        found = None
        if not self._calm(stepper, a, end, span):
            found = self._walk(stepper, a, end, span)
            n = self.contacts.near.shape[0]
        self.depth = fine
        if found is not None:
            return self._walk(stepper, a, end, span)
        self._met = W.key[:n][W.gap[:n] <= 0.0]
        W.lock[:n] = 0
        W.count[NEWLOCK] = 0
        if whole:
            self._end(end, n, span)
        return None

    def _state(self, stepper: Any, t: float) -> np.ndarray:
        stepper.interpolate(t, self._y)
        return self._y

    def _calm(self, stepper: Any, a: float, end: float, span: float) -> bool:
        """Can nothing have changed since ``a``?  ``out``: the evaluation at the end.  Times in which nothing can happen
        after the beginning and before the end must cover the step."""
        out, monitor = self.out, self.monitor
        if out[FREE] <= 0.0:
            return False
        while True:
            if monitor.cover(a, end, out[BEHIND]):
                return True
            seen = out.copy()
            if not monitor.fresh:
                self._evaluate_gaps(a, self._state(stepper, a), span)
                monitor.began(out, a)
                if monitor.cover(a, end, seen[BEHIND]):
                    self._evaluate_gaps(
                        end, self._state(stepper, end), span
                    )  # so that what is kept of the pairs is that of the end
                    return True
            if not monitor.sharpen(stepper):
                out[:] = seen
                return False
            self._evaluate_gaps(end, self._state(stepper, end), span, monitor.wanted(a, end))

    def _walk(self, stepper: Any, a: float, end: float, span: float) -> float | None:
        """First change in (a, end]: looks that follow each other as closely as positions, speeds and accelerations ask.
        After many of them the step is cut there: it continues after that."""
        out, h, monitor = self.out, end - a, self.monitor
        if out[FREE] <= 0.0 < self._before[FREE] and monitor.known(a) > SHORT * h:
            return self._locate(stepper, a, self._before[FREE], end, end)  # a separation, and nothing else is near
        most = h / LEAST_LOOKS if self.inside.size else np.inf
        monitor.sharpen(stepper)
        self._evaluate_gaps(a, self._state(stepper, a), h)
        t = a
        for _ in range(monitor.MOST):
            before, free, slope = t, out[FREE], out[SLOPE]
            t = monitor.after(t, min(out[AHEAD], most), end)
            self._evaluate_gaps(t, self._state(stepper, t), h if t < end else span)
            if out[FREE] <= 0.0:
                return self._locate(stepper, before, free, t, end)
            turn = monitor.nearest(before, free, slope, t, out[FREE], out[SLOPE])
            if turn is not None:  # it came nearer and went away again: seen from both ends it may have touched
                self._evaluate_gaps(turn, self._state(stepper, turn), h)
                if out[FREE] <= 0.0:
                    return self._locate(stepper, before, free, turn, end)
                self._evaluate_gaps(t, self._state(stepper, t), h if t < end else span)
            if t >= end:
                return None
        self.said += monitor.cut(t, int(out[WHICH]))
        return t

    def _locate(self, stepper: Any, a: float, fa: float, b: float, end: float) -> float:
        """Root in (a, b]: Newton on the minimum gap, kept in the bracket (else Illinois); the state just after it is
        taken."""
        out = self.out
        fb, slope = out[FREE], out[SLOPE]
        t = b
        fa = max(fa, 0.0)
        near = max(4e-16 * max(abs(a), abs(b)), 1e-14 * (b - a))
        depth, h = self.depth, end - a
        side = 0
        f = fb
        for _ in range(80):
            if fb >= -0.5 * depth or b - a <= near:
                break
            t = t - (f + 0.25 * depth) / slope if slope != 0.0 else a
            if not a + 0.25 * near < t < b - 0.25 * near:
                t = b - fb * (b - a) / (fb - fa) if fb < fa else 0.5 * (a + b)
                t = min(max(t, a + 0.5 * near), b - 0.5 * near)
            self._evaluate_gaps(t, self._state(stepper, t), b - a)
            f, slope = out[FREE], out[SLOPE]
            if f <= 0.0:
                b, fb = t, f
                fa = 0.5 * fa if side < 0 else fa
                side = -1
            else:
                a, fa = t, f
                fb = 0.5 * fb if side > 0 else fb
                side = 1
        if not self.system.m:
            return b
        for _ in range(5):  # the constraints move the state: it must be behind where it is taken
            y = self._state(stepper, b)
            project_state(self.system, y, b, 1)
            self._evaluate_gaps(b, y, h)
            if out[FREE] <= 0.0 or b >= end or not out[SLOPE] < 0.0:
                break
            b = min(b + max(2.0 * (out[FREE] + 0.25 * depth) / -out[SLOPE], near), b + 1e-3 * h, end)
        return b

    def _end(self, t: float, n: int, span: float) -> None:
        """A step without a change."""
        out, W = self.out, self.W
        speed = max(float(self._before[CLOSING]), float(out[CLOSING]))
        self._before[:] = out
        self.monitor.ended(out, t, span)
        self._steps += 1
        self.busy += 0.02 * ((out[TOUCHING] > 0) - self.busy)
        self.acting += 0.02 * (out[TOUCHING] - self.acting)
        if self._pause:
            self._pause -= 1
            if not self._pause and not self.costly_restart:
                self.held = True
                self._hold(n)
        if out[TOUCHING] > 0:
            self.counters["steps in contact"] += 1
            self._crawl(t)
            if self._free and self.costly_restart and (self.rest or not self.held):
                self._arrive()
                if speed > SLOW * self._fastest:
                    self._until = t + LONGEST_IMPACT * self._brief
            self._free = 0
        else:
            if not self._free:
                self._parted = t, self._brief
            self._free += 1
            free = self._free >= FLIGHT or t - self._parted[0] > LONG_FLIGHT * self._parted[1]
            if self.costly_restart and not self.held and free and not self._pause:
                self.held = True
                self._hold(n)
        if self.rest:
            for key in list(self.rest):
                self.rest[key] -= 1
                if self.rest[key] <= 0:
                    del self.rest[key]
                    self._returns[key] = 0
            self._hold(n)
        elif self.held and (out[TOUCHING] != len(self.inside) or n - np.count_nonzero(W.lock[:n]) != len(self.inside)):
            self._hold(n)  # a pair that had just come in, or has grazed

    def _crawl(self, t: float) -> None:
        """Says, once, which pair makes steps so short that the run makes no progress."""
        if self.counters["steps in contact"] % CRAWL:
            return
        before, self._passed = self._passed, t
        if t - before < SOON * self.span and not self._crawled:
            self._crawled = True
            n = self.contacts.near.shape[0]
            k = int(np.argmin(self.W.gap[:n])) if n else -1
            names = self.contacts.pair_names(k) if k >= 0 else "contacts"
            self.said.append(
                WarningText(
                    f"at time {t:.6g} {CRAWL} steps have passed {t - before:.3g} of time, in touch of {names}: their "
                    "force jumps, as their nearest features "
                    "change or as its law is, or their friction near rest is stiff for the integrator; a larger ERROR, "
                    "RADAU5, a finer mesh, a shape with an exact kernel, or contact = time-stepping lets the run "
                    "continue"
                )
            )

    def audit(self, t: float, before: np.ndarray, after: np.ndarray, error: float, say: Any) -> None:
        """Momentum at and after a change of topology: only the constraints may move it, within the tolerance."""
        if not self.on:
            return
        bodies = self.system.bodies
        n = bodies.n
        v = lambda y: layout.velocities(y, n)
        # what moves with this energy has at most this momentum; bodies that only turn have none but roundoff
        total = float(np.sqrt(2.0 * layout.kinetic(bodies.mass, bodies.J, before) * bodies.mass.sum()))
        jump = float(np.abs(bodies.mass @ (v(after) - v(before))).max(initial=0.0))
        if total > 0.0:
            self.jump = max(self.jump, jump / total)
            if not jump <= JUMP * error * total:
                say(
                    WarningText(
                        f"at time {t:.6g} a change of contact changes the momentum by {jump / total:.3g} of its size: "
                        "the constraints absorbed it"
                    )
                )

    # ---- at a change ------------------------------------------------------------------------------------------------
    def turn(self, t: float, y: np.ndarray, step: Any, wanted: float) -> float:
        """Modes after the change just located at (t, y); returns the first step.  ``wanted``: the step that the method
        would take."""
        self.turned = t
        self._recall(self._kept)
        self._next = None
        self._cuts = 0
        n = self._evaluate_gaps(t, y, 0.0)
        W = self.W
        gap, key = W.gap[:n], W.key[:n]
        acted = _among(key, self.inside)
        closing = np.flatnonzero((W.lock[:n] != 0) & (gap <= -self.depth))
        opening = np.flatnonzero(acted & (gap >= self.depth))
        h0 = wanted
        if len(closing) and not self.inside.size:
            self._saved = wanted
        for k in closing:
            h0 = min(h0, self._onset_time(int(k), t, y))
        for k in opening:
            self._went(int(key[k]), t)
        for pair, bend in list(self._bend.items()):
            i = int(np.searchsorted(key, pair))
            if i < n and key[i] == pair and np.sign(bend) * (abs(bend) + gap[i]) <= -self.depth:
                self._bend[pair] = -bend
                self.counters["bends of laws"] += 1
                self._void = -1
        self._void = self._void + 1 if not len(closing) and not len(opening) else 0
        if self._void == VOID:
            nearest = int(np.argmin(gap)) if n else -1
            self.said.append(
                WarningText(
                    f"at time {t:.6g} changes of contact are detected again and again and vanish when they are "
                    "located, with "
                    f"{self.contacts.pair_names(nearest) if nearest >= 0 else 'no pair'} nearest (a gap of "
                    f"{float(gap[nearest]) if nearest >= 0 else np.inf:.3g}): the run may stall; "
                    "use contact = time-stepping"
                )
            )
        if self.costly_restart and len(closing):
            self.held, self._free = False, 0
        elif len(closing) and self.acting > MANY and self.spacing < CROWD:
            self.held, self._pause = False, LONGEST_REST // 4
            self.said.append(
                f"at time {t:.6g} about {self.acting:.0f} contacts act and others open or close at nearly every step: "
                "they are integrated "
                f"over without location for {self._pause} steps; a fixed step (VELOCITY_VERLET, 1/60 of a contact's "
                "duration) may cost less"
            )
        self._hold(n)
        self._before[:] = 0.0
        self.monitor.forget()
        self._see(t, y)
        if len(opening) and not self.inside.size and not len(closing):
            h0 = max(h0, self._saved)
        return h0

    def _arrive(self) -> None:
        """Steps from onset to onset."""
        self._arrivals += 1
        before = min(self.spacing, 2.0 * self._often)
        self.spacing = before + 0.1 * (self._steps - before) if self._arrivals > 3 else min(before, max(self._steps, 1))
        self._steps = 0

    def _onset_time(self, k: int, t: float, y: np.ndarray) -> float:
        """An onset of near pair k; returns a first step."""
        self.counters["onsets"] += 1
        self._arrive()
        self._recent.append(t)
        if len(self._recent) == FLOOD and t - self._recent[0] < SOON * self.span:
            self._recent.clear()
            text = WarningText(
                f"at time {t:.6g} there were {FLOOD} onsets of contacts within {SOON:g} of the analysis; when a "
                "contact should be at rest there, "
                "the step is too long for its stiffness: try a smaller ERROR, or RADAU5"
            )
            if not self._flooded:
                self.said.append(text)
            self._flooded = True
        key = int(self.W.key[k])
        impact(self.contacts.handle.address, k, self._R, y, self._impact)
        c, pair = int(self.W.near[k, 0]), (int(self.W.near[k, 1]), int(self.W.near[k, 2]))
        if c not in self._soft and self._impact[IMPACT_DEPTH] > SOFT * self._walls[list(pair)].min():
            label = f"at time {t:.6g} {self.contacts.elements[c].label}: "
            self._report_soft(
                c,
                pair,
                label,
                float(self._impact[IMPACT_SPEED]),
                float(self._impact[IMPACT_DEPTH]),
                float(self._impact[IMPACT_POWER] or 1.0),
            )
        gone, lasted = self._last.get(key, (-np.inf, 0.0))
        if self.costly_restart:  # does not see separations
            quick = t - self._onset.get(key, -np.inf) < SOON_AGAIN * self._impact[3]
        else:
            quick = t - gone < QUICK * lasted
        self._returns[key] = self._returns.get(key, 0) + 1 if quick else 0
        if self._returns[key] >= CHATTER:
            self.rest[key] = self._next_rest.get(key, REST)
            self._next_rest[key] = min(2 * self.rest[key], LONGEST_REST)
        self._onset[key] = t
        self._powers.setdefault(int(self.W.near[k, 0]), self._impact[11] or 1.0)
        if self._rooted(k):
            self._root = t, t + ROOT * self._impact[3]
        time, bend = float(self._impact[3]), float(self._bends[self.W.near[k, 0]])
        if bend > 0.0 and bend < DEEP * self._impact[2]:
            self._bend[key] = bend
            self._damped = bend < SHALLOW * self._impact[2]
        self._fastest = max(self._fastest, self._impact[1])
        if time > 0.0 and self._impact[1] > SLOW * self._fastest:
            self._until, self._brief = t + LONGEST_IMPACT * time, time
        first = 0.2 / self.within if self.costly_restart else KAPPA
        return first * time if time > 0.0 else np.inf

    def _went(self, key: int, t: float) -> None:
        self.counters["separations"] += 1
        self._bend.pop(key, None)
        self._last[key] = t, t - self._onset.get(key, t)
