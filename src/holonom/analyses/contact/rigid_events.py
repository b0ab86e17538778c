"""When rigid contacts change within a step: the event functions of gaps, forces and slips on the integrator's
interpolant, and their location.

See `event_driven` for the method.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ..._warnings import WarningText
from ...contact.event_functions import AHEAD, EVENT_DATA, NEXT
from ...contact.impacts import groups
from ...contact.rigid.rows import ROLL, SPIN, STATIC
from ...contact.traits import HALF_SPACE
from ...contact.unilateral import (
    D_CORNER,
    D_ROLL,
    D_ROLLS,
    D_SLIP,
    D_SPEED,
    D_SPINS,
    D_T1,
    D_W,
    DETERMINANT,
    FREE,
    NOISE_DEPTH,
    NOISE_SPEED,
    SLACK,
    SLIDES,
    STICKS,
    UNSOLVED,
    W_AHEAD,
    W_BEHIND,
    W_FREE,
    W_NEXT,
    W_PAIR,
    W_SLOPE,
)
from ...elements.bodies import layout
from ...elements.bodies.mass import mobility
from ...integrators.entry import project_state
from ...integrators.stepper import IntegrationError
from ...model.settings import IMPACT_LAWS
from ...system.active_rows import ActiveRows, Point
from .follower import ContactFollower
from .gap_monitor import GapMonitor
from .local_stepping import Crowded
from .settling import ENOUGH, FOLLOWED, Accumulation, Settling

BEHIND = 1e-12  # of the size of the shapes: depth at which an impact is taken
TOUCHING = 1e-9  # of the size: points nearer than this touch
STILL = 1e-9  # of the speed scale: a relative velocity that counts as zero
# of the accelerations that forces give, and of the usual ones: what they do not give, beyond which the closed points
# are not followed, and beyond which it is no contradiction between them but a loss of precision, which ends the run
INEXACT, IMPRECISE = 1e-6, 0.1
MARGIN = 1e-9  # of the forces: a normal force or a friction beyond its bound by this is an event
GRAZE = 0.1  # depth of a touch that may be missed, of the error of the integrator and the size of the shapes
RATES = D_SPEED, D_SPINS, D_ROLLS  # of slip, spin and rolling
INSIDE = (0.29, 0.63, 1.0)  # where forces are checked in a step
SAME_TIME = 50  # events at one time that are too many
SAID = 3  # messages of a kind
CREEP, CREEPS = 1e-4, 16  # of the natural time: steps so short, so many in a row, are those of slip that vanishes
SLIDE = 0.1  # of the smaller shape: what a closed point may slide in a step over what has an end
STUCK = 4000  # such steps within the natural time of gravity end the run
WOBBLES = 200  # steps within the natural time of gravity: so many, and what wobbles almost flat is laid down


class RigidEvents(ContactFollower):
    """The points of one system that touch, and when they change; `rigid_contact.RigidContact` states what becomes of
    them."""

    def __init__(self, system: Any, say: Any, span: float, recorder: Any, error: float):
        self.system, self.say, self.recorder = system, say, recorder
        self.on = True
        self.contacts = system.contacts
        self.rows = ActiveRows(system)
        self.error = error
        self.contacts.holder = self
        self.counters = {
            "impacts": 0,
            "onsets": 0,
            "lift-offs": 0,
            "slips": 0,
            "stops of slip": 0,
            "accumulations": 0,
            "evaluations of gaps": 0,
        }
        if self.contacts.S.p[:, [SPIN, ROLL]].any():
            self.counters |= {"spins": 0, "stops of spin": 0, "rolls": 0, "stops of rolling": 0}
        self.said: list[str] = []
        self.span = span
        self.e, self.et = self.contacts.S.p[:, [0, 2]].T
        self.law = [IMPACT_LAWS[int(k)] for k in self.contacts.S.p[:, 5]]
        self.size = float(self.contacts._size())
        self.d = self.rows.d
        self.groups = groups(self.d)
        p = self.contacts.S.p
        self.bounds_of = np.column_stack(
            [p[:, 1], p[:, SPIN] / self.size, p[:, ROLL] / self.size]
        )  # of each contact, as shares of N
        self.grips_of = self.bounds_of.copy()  # the same at rest
        self.grips_of[:, 0] = p[:, STATIC]
        self.rows.depth = self.depth = BEHIND * self.size
        g = float(np.linalg.norm(system.bodies.gravity))
        self.weight = float(system.bodies.mass.sum()) * g
        self.largest = 0.0
        self.fall = np.sqrt(g * self.size) if g else 0.0
        self.acceleration = g
        self.series: dict[tuple, Accumulation] = {}
        self.settling = Settling(error, self.size, g)
        self._y = np.zeros_like(system.y0)
        self.most = int(system.model.rigid.most_events)
        self._events: deque[float] = deque(maxlen=max(self.most, SAME_TIME))
        self.rough = self.blind = (
            False  # is the integrator implicit; does it know nothing of velocities but from positions?
        )
        self.monitor = GapMonitor(self.contacts)
        self.slack = max(self.depth, GRAZE * min(error, 1e-3) * self.size)
        self._found: list[tuple[str, tuple]] = []  # of the event just located: what and which point
        self.questionable = False  # accelerations have had several solutions
        self._told = False  # an impact has gained energy
        self._said: dict[str, int] = {}  # messages of a kind
        self._creeping = 0  # short steps in a row
        self._idle_at, self._idle_events = -np.inf, 0  # the last event, and how many in a row have changed nothing
        self._rates = np.zeros(0)  # at the first of them
        self._loose: set[tuple] = set()  # slips that were stopped and continue
        self._natural = self.settling.natural  # by gravity alone
        self._since, self._steps = -np.inf, 0  # steps within that time
        self._flatten = self._tried = (
            False  # is something to be laid flat, because its events crowd, and has that been tried?
        )
        self.ends: set[tuple[float, int]] = set()  # accumulations: time, contact
        self.impacts = recorder.impacts
        self._moving: dict[tuple, bool] = {}  # points that have slid since they began to
        self._speed = 1.0
        self._burden = 0.0  # closed points, summed over events
        #: whether impulses of the rows of the system pull at something that only pushes (`topology`)
        self.pulls: Any = None

    # ---- what Dynamics asks ------------------------------------------------------------------------------------------
    def begin(self, t: float, y: np.ndarray, costly_restart: bool) -> None:
        self.monitor.forget()
        if self.blind:  # velocities are known to the root of the error
            noise = np.sqrt(self.error) * self._speed, 10.0 * self.error * self.size
        elif self.rough:
            noise = 10.0 * self.error * self._speed, 0.1 * self.error * self.size
        else:
            noise = STILL * self._speed, 0.1 * TOUCHING * self.size
        self.rows.noise = self.rows.T.settings[[NOISE_SPEED, NOISE_DEPTH]] = noise
        self.settling.finest = noise[1]

    def resume(self) -> None:
        self.contacts.holder = self

    def release(self) -> None:
        self._total()
        self.rows.release()
        self.contacts.holder = None

    def _total(self) -> None:
        """What was only counted."""
        more = {kind: n - SAID for kind, n in self._said.items() if n > SAID}
        if "accumulation" in more:
            self.say(f"{more['accumulation']} further accumulations of impacts were ended in the same way")
        if "overlap" in more:
            self.say(
                WarningText(f"{more['overlap']} further contact points appeared inside a shape and were moved out")
            )
        crowds = sum(n for kind, n in more.items() if kind.startswith("crowd"))
        if crowds:
            self.say(f"{crowds} further crowds of events of contact were ended in the same way")
        self._said.clear()

    @property
    def closed(self) -> list[Point]:
        return [p for p in self.rows.points if p.mode != FREE]

    def accept(self, y: np.ndarray) -> None:
        if self.rows.points:
            self._rename(self.rows.follow(y))

    def _rename(self, renamed: dict[tuple, tuple]) -> None:
        """What is kept by the names of points goes by new ones."""
        if not renamed:
            return
        now = lambda key: (*renamed[key[:3]], *key[3:]) if key[:3] in renamed else key
        self._found = [(what, now(key)) for what, key in self._found]
        self._loose = {now(key) for key in self._loose}
        self._moving = {now(key): moves for key, moves in self._moving.items()}
        self.series = {now(key): series for key, series in self.series.items()}

    # ---- after a step ------------------------------------------------------------------------------------------------
    def check(self, stepper: Any, step: Any, until: float | None = None) -> float | None:
        """Time of the first event within the last step (up to ``until``), or None."""
        end = step.t if until is None else until
        self._found = []
        touch = self._touching(stepper, step.t_old, end)
        if touch is None and self.closed and self._lies(stepper, step, end):
            return end
        first = end if touch is None else touch
        change = self._changing(stepper, step.t_old, first) if self.closed else None
        if change is not None:
            return change
        if touch is not None:
            self._found = [("touch", ())]
            return touch
        if (
            self.closed
        ):  # slip turns as the motion continues: its present direction is that from which the next step counts
            D = self.rows.T.data
            for k, p in enumerate(self.rows.points):
                if p.mode == SLIDES and p.mu[0] > 0.0 and D[k, D_SLIP : D_SLIP + 3].any():
                    p.way[:3] = D[k, D_SLIP : D_SLIP + 3]
                if p.turns[1] == SLIDES and p.mu[2] > 0.0 and D[k, D_ROLL : D_ROLL + 2].any():
                    p.way[3:6] = D[k, D_ROLL : D_ROLL + 2] @ D[k, D_T1 : D_T1 + 6].reshape(2, 3)
                self.rows.T.way[k] = p.way
            return self._creeps(step, end)
        return None

    def longest(self, y: np.ndarray) -> float:
        """Step in which no closed point slides, or turns with its body, over more than a share of the smaller of two
        shapes that have an end: trial states far beyond the place where edges cross see other ones.  A corner or a ball
        on a flat face may slide as far as it likes, its face goes on (`contact.unilateral`)."""
        sh, T = self.contacts.S.sh, self.rows.T
        spin = np.linalg.norm(layout.rows(y, self.system.nb)[:, layout.SPIN], axis=1)
        body = self.contacts.shape_body
        out = np.inf
        for k, p in enumerate(self.rows.points):
            if p.mode == FREE or HALF_SPACE[sh.kind[p.a]] or HALF_SPACE[sh.kind[p.b]]:
                continue
            if T.data[k, D_CORNER]:
                continue
            size = float(min(sh.radius[p.a], sh.radius[p.b]))
            turning = max(float(spin[b]) for b in (body(p.a), body(p.b)) if b < len(spin))
            speed = float(np.linalg.norm(T.data[k, D_W + 1 : D_W + 3])) + size * turning
            if speed > 0.0 and 0.0 < size < np.inf:
                out = min(out, SLIDE * size / speed)
        return out

    def _creeps(self, step: Any, end: float) -> float | None:
        """End of a step that is the last of many short ones: slip slower than is followed stops there."""
        settling = self.settling
        self._creeping = self._creeping + 1 if step.h < CREEP * settling.natural and end == step.t else 0
        D, points = self.rows.T.data, self.rows.points
        rates = np.abs(D[: len(points), RATES])
        if self._creeping == 1 or self._rates.shape != rates.shape:
            self._creeping, self._rates = min(self._creeping, 1), rates.copy()
        if (
            self._creeping > 1 and self._creeping % (CREEPS if not self.rough else 10 * CREEPS) == 0
        ):  # those with a history begin with short steps
            slow = np.minimum(settling.speed(FOLLOWED), self._rates)
            self._found = [
                ("stop", (*p.key, g))
                for k, p in enumerate(points)
                for g in range(len(self.groups))
                if p.mode != FREE
                and p.mu[g] > 0.0
                and p.modes[g] == SLIDES
                and rates[k, g] < slow[k, g]
                and (*p.key, g) not in self._loose
            ]
            if self._found:
                settling.level = max(settling.level, FOLLOWED)
                return end
        return None

    def _lies(self, stepper: Any, step: Any, end: float) -> bool:
        """Are so many steps needed that what wobbles on its edge, lower than is followed, lies down at the end of this
        one?"""
        if end - self._since > self._natural:
            self._since, self._steps = end, 0
        self._steps += 1
        if self._steps >= STUCK and step.h < CREEP * self._natural:
            raise Crowded(
                f"at time {end:.9g} the motion of {self._names(self.closed)} requires steps of {step.h:.2g}, {STUCK} "
                f"of them within {self._natural:.2g}: friction "
                "or rolling resistance of something almost at rest; the results so far are kept; use contact = "
                "time-stepping",
                end,
            )
        tries, rest = divmod(self._steps, WOBBLES)
        if self._flatten:
            level = len(ENOUGH) - 1
        elif rest or not tries or not self._natural < np.inf:
            return False
        else:
            level = min(FOLLOWED + tries - 1, len(ENOUGH) - 1)
        self._flatten = False
        pairs = {(p.a, p.b) for p in self.closed}
        near = self.rows.near(end, self._state(stepper, end), self.settling.heights[level])
        if sum((p.a, p.b) in pairs for p in near) <= len(self.closed):
            return False
        self._found = [("lay", (level,))]
        return True

    def _state(self, stepper: Any, t: float) -> np.ndarray:
        stepper.interpolate(t, self._y)
        return self._y

    # gaps
    def _watch(self, stepper: Any, t: float, span: float, behind: float = 0.0) -> np.ndarray:
        """Gaps at t; ``behind``: time before t that should be free of contact, as far as it is needed."""
        self.counters["evaluations of gaps"] += 1
        self.rows.T.out[W_BEHIND] = behind
        out = self.rows.event_function(t, self._state(stepper, t), span, self.monitor.bounds)
        self.monitor.sound(t)
        return out

    def _touching(self, stepper: Any, a: float, end: float) -> float | None:
        """First time in (a, end] at which an open point closes."""
        h, monitor = end - a, self.monitor
        monitor.follow(stepper)
        self.rows.T.settings[SLACK] = self.slack
        out = self._watch(stepper, end, h, monitor.wanted(a, end))
        while out[W_FREE] > 0.0:
            behind = float(out[W_BEHIND])
            if monitor.cover(a, end, behind):
                monitor.ended(self._seen(out), end, h)
                return None
            if not monitor.fresh:
                out = self._watch(stepper, a, h)
                monitor.began(self._seen(out), a)
                if monitor.cover(a, end, behind):
                    monitor.ended(self._seen(self._watch(stepper, end, h)), end, h)
                    return None
            if not monitor.sharpen(stepper):
                break
            out = self._watch(stepper, end, h, monitor.wanted(a, end))
        monitor.sharpen(stepper)
        out = self._watch(stepper, a, h)
        t = a
        for _ in range(monitor.MOST):
            last, free, slope = t, float(out[W_FREE]), float(out[W_SLOPE])
            t = monitor.after(t, float(out[W_AHEAD]), end)
            out = self._watch(stepper, t, h)
            if out[W_FREE] <= 0.0:
                monitor.forget()
                return self._root(stepper, last, t)
            turn = monitor.nearest(last, free, slope, t, float(out[W_FREE]), float(out[W_SLOPE]))
            if turn is not None:
                if self._watch(stepper, turn, h)[W_FREE] <= 0.0:
                    monitor.forget()
                    return self._root(stepper, last, turn)
                out = self._watch(stepper, t, h)
            if t >= end:
                monitor.ended(self._seen(out), end, h)
                return None
        for text in monitor.cut(t, int(out[W_PAIR]) if out[W_FREE] < 1e299 else -1):
            self.say(text)
        monitor.ended(self._seen(out), t, h)
        return t

    @staticmethod
    def _seen(out: np.ndarray) -> np.ndarray:
        """What a watch gives, in the order of a look."""
        seen = np.zeros(EVENT_DATA)
        seen[[AHEAD, NEXT]] = out[[W_AHEAD, W_NEXT]]
        return seen

    def _root(self, stepper: Any, a: float, b: float) -> float:
        """Where the minimum gap vanishes in (a, b], it being through at b: Newton from b, kept in the bracket."""
        out = self.rows.T.out
        near = max(4e-16 * max(abs(a), abs(b)), 1e-15 * (b - a))
        t, f, slope = b, float(out[W_FREE]), float(out[W_SLOPE])
        h = b - a
        for _ in range(100):
            if f <= 0.0:
                b, fb = t, f
                if fb >= -0.1 * self.depth:
                    break
            else:
                a = t
            if b - a <= near:
                break
            x = t - (f + 0.05 * self.depth) / slope if slope < 0.0 else a
            if not a < x < b:
                x = 0.5 * (a + b)
            if x in (a, b):
                break
            t = x
            out = self._watch(stepper, t, h)
            f, slope = float(out[W_FREE]), float(out[W_SLOPE])
            if f > 1e299:  # what touches at b is nowhere near: look nearer to it
                f, slope = self.size, 0.0
        return b

    def _holds(self, t: float, y: np.ndarray) -> bool:
        """Can the closed points stay as they are at (t, y), however their loads are shared?"""
        raise NotImplementedError

    def _names(self, points: list[Point]) -> str:
        """Labels of the contacts of points."""
        raise NotImplementedError

    # forces
    def _margins(self, stepper: Any, t: float, young: bool = True) -> list[tuple[float, str, tuple]]:
        """How far each closed point is from a change at t, as shares; negative where it has changed.  Without ``young``
        slips that no accepted state has shown yet are left out: their direction is found within their first step, and
        what the interpolant gives inside of it means nothing."""
        y = self._state(stepper, t)
        project_state(self.system, y, t, 0)
        T, lam = self.rows.T, self.system.W.lam
        # of the largest force so far: where all vanish, what is left is roundoff
        self.largest = max(self.largest, self.weight, float(np.abs(lam).max(initial=0.0)))
        if abs(T.out[UNSOLVED]) > INEXACT * self.acceleration:
            self._solved(t, float(T.out[UNSOLVED]), lam)
        force = max(self.weight, float(np.abs(lam).max(initial=0.0))) or 1.0
        out: list[tuple[float, str, tuple]] = []
        for k, p in enumerate(self.rows.points):
            if p.mode == FREE:
                continue
            if T.seen[k] < 0:  # it has left its surface
                out.append((-1.0, "lift", p.key))
                continue
            normal = -lam[p.rows[0]] / force
            out.append((normal, "lift", p.key))
            for g, mode in enumerate(p.modes):
                if p.mu[g] == 0.0:
                    continue
                key = (*p.key, g)
                if mode == STICKS:
                    rows = list(p.rows[self.groups[g]])
                    out.append((p.grip[g] * normal - float(np.linalg.norm(lam[rows])) / force, "slip", key))
                else:
                    if not (young or self._moving.get(key)):
                        continue
                    speed = T.data[k, RATES[g]] / self._speed
                    if speed > 10.0 * self.error:  # before that errors of the integrator may turn it round
                        self._moving[key] = True
                    out.append((speed if self._moving.get(key) else speed + 10.0 * self.error, "stop", key))
        if T.out[DETERMINANT] <= 0.0 and T.count[2]:
            out.append((-1.0, "jam", ()))
        if len(self.closed) > 1 and any(m < -MARGIN and what == "slip" for m, what, _ in out) and self._holds(t, y):
            return [(max(m, 0.0) if what == "slip" else m, what, key) for m, what, key in out]
        return out

    def _solved(self, t: float, left: float, lam: np.ndarray) -> None:
        """Raise an error where the acceleration ``left`` that the multipliers do not give (`unilateral._exact`) counts
        among those that they give, and those of the motion."""
        system = self.system
        z = np.zeros((system.nb + 1, layout.MOVES))
        np.add.at(z, system.slot_body[:-1], system.W.rw.G[:-1] * lam[system.slot_row[:-1], None])
        z = np.abs(z * mobility(system.S.bodies))
        given = max(float(z[:, layout.TRAVEL].max()), float(z[:, layout.TURN].max()) * self.size)
        usual = max(self.acceleration, self._speed**2 / self.size)
        if abs(left) <= INEXACT * max(given, usual):
            return
        words = (
            f"at time {t:.9g} the forces of {self._names(self.closed)} cannot be computed to better than "
            f"{abs(left) / usual:.1g} of the accelerations"
        )
        if left < 0.0 or left > IMPRECISE * usual:
            raise IntegrationError(
                f"{words}: something light carries something 1e7 times as heavy or more; the results so far are kept; "
                "use masses that differ less, contact = time-stepping, or compliant contact",
                t,
            )
        raise Crowded(
            f"{words}: closed points contradict each other; the results so far are kept; use contact = time-stepping",
            t,
        )

    def _changing(self, stepper: Any, a: float, end: float) -> float | None:
        """First time in (a, end] at which a closed point opens, or begins or stops to slip."""
        low = a
        for x in INSIDE:
            t = a + x * (end - a) if x < 1.0 else end
            margins = self._margins(stepper, t, x == 1.0)
            bad = [(what, key) for m, what, key in margins if m < -bound(what)]
            if not bad:
                low = t
                continue
            high = t
            f_high, f_low, side = least(margins, bad), None, 0
            for _ in range(80):
                if (
                    high - low <= max(4e-16 * abs(high), 1e-14 * (end - a))
                    or f_high > -0.1 * MARGIN * (bad[0][0] != "stop") - 1e-15
                ):
                    break
                if f_low is not None and f_low > 0.0 > f_high:
                    t = high - f_high * (high - low) / (f_high - f_low)
                    margin = 1e-3 * (high - low)
                    t = min(max(t, low + margin), high - margin)
                else:
                    t = 0.5 * (low + high)
                margins = self._margins(stepper, t)
                now = [(what, key) for m, what, key in margins if m < -bound(what)]
                if now:
                    bad, high = now, t
                    f_high = least(margins, bad)
                    if side < 0 and f_low is not None:
                        f_low *= 0.5
                    side = -1
                else:
                    low, f_low = t, max(least(margins, bad), 0.0)
                    if side > 0:
                        f_high *= 0.5
                    side = 1
            self._found = bad
            return high
        return None


def bound(what: str) -> float:
    """Share by which a force may be beyond its bound before that is an event."""
    return 0.0 if what == "stop" else MARGIN


def least(margins: list[tuple[float, str, tuple]], bad: list[tuple[str, tuple]]) -> float:
    """The minimum margin of those in ``bad``."""
    return min((m + bound(what) for m, what, key in margins if (what, key) in bad), default=1.0)
