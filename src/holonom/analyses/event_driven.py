"""Event-driven dynamics with rigid contact: smooth motion between impacts, contacts that are closed as constraints.

Between events the closed points are rows of the system (`system.active_rows`): no penetration, and where they stick no tangential velocity;
where they slide, friction mu N against the slip.  Any integrator solves these equations.  After a step it is looked at on the interpolant:

* gaps of all other points: one that closes is an impact, located in time;
* the normal force of a closed point (lift-off) and the friction of one that sticks, against its cone (slip begins);
* the slip of a point that slides (it stops, or turns round);
* where contacts resist spin and rolling, the same of these: torques against their bounds, arm N, and rates that vanish.

At an event the touching points are taken together.  Those that close get the impulses of an impact (`contact.impacts.impact`, with the
inverse mass that joints leave), then the complementarity problem of accelerations (`contact.impacts.accelerate`) decides which open,
stick or slide, the rows of the system are renewed, and the integrator begins anew.  (F. Pfeiffer, C. Glocker, Multibody Dynamics with
Unilateral Contacts, Wiley 1996; V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer 2008, ch. 8.)

Impacts that follow each other ever faster would never end: `settling` recognises them and lets the points close.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ..contact.event_functions import AHEAD, EVENT_DATA, NEXT
from ..contact.impacts import GOOD, SOLVED, accelerate, groups, impact
from ..contact.rigid.rows import ROLL, SPIN
from ..contact.tables import (
    GAP,
)
from ..contact.tables import P as FOOT
from ..contact.unilateral import (
    D_C,
    D_GAMMA,
    D_N,
    D_ROLL,
    D_ROLLS,
    D_SLIP,
    D_SPEED,
    D_SPINS,
    D_T1,
    D_TURN,
    D_TURN_GAMMA,
    D_W,
    DETERMINANT,
    FREE,
    NOISE_DEPTH,
    NOISE_SPEED,
    SLACK,
    SLIDES,
    STICKS,
    W_AHEAD,
    W_FREE,
    W_NEXT,
    W_PAIR,
    W_SLOPE,
)
from ..contact.unilateral import LOST as GONE
from ..elements.bodies import layout
from ..elements.bodies.mass import mobility
from ..integrators import front
from ..integrators.entry import settle
from ..integrators.front import Choice
from ..integrators.stepper import IntegrationError
from ..linalg.ldl import ldl_solve
from ..model import ModelError
from ..model.settings import IMPACT_LAWS
from ..system.active_rows import REMEMBERED, ActiveRows, Point
from .contact_follower import ContactFollower
from .dynamics import Dynamics
from .looks import Looks
from .overlap import overlaps, settle_overlaps, words
from .settling import ENOUGH, FOLLOWED, TOLD, Accumulation, Settling, arrest, island
from .topology import switches_of

BEHIND = 1e-12  # of the size of the shapes: depth at which an impact is taken
TOUCHING = 1e-9  # of the size: points nearer than this touch
SEEN = 1e-6  # of the size: depth of a point that appears (where faces, edges and corners take over from each other) that is told
SUNK = 1e-3  # of the size: depth that no contact point may have
PENETRATION = 1e-5  # of the size: an overlap at the start that no rounding explains
STILL = 1e-9  # of the speed scale: a relative velocity that counts as zero
SLOW = 1e-8  # of the speed scale: impacts slower than this have no rebound
MARGIN = 1e-9  # of the forces: a normal force or a friction beyond its bound by this is an event
STOPPED = 1e-6  # of the speed scale: a slip that stops within this is at rest
GRAZE = 0.1  # depth of a touch that may be missed, of the error of the integrator and the size of the shapes
RATES = D_SPEED, D_SPINS, D_ROLLS  # of slip, spin and rolling
COUNTED = ("slips", "stops of slip"), ("spins", "stops of spin"), ("rolls", "stops of rolling")
INSIDE = (0.29, 0.63, 1.0)  # where forces are looked at in a step
SAME_TIME = 50  # events at one time that are too many
HEAVY = 10_000  # closed points, summed over events, from which on time-stepping is named
SHORT = 1e-3  # of the analysis: within it there may be so many events as the settings say
SAID = 3  # messages of a kind
CREEP, CREEPS = 1e-4, 16  # of the natural time: steps so short, so many in a row, are those of slip that vanishes
STUCK = 4000  # such steps within the natural time of gravity end the run
WOBBLES = 200  # steps within the natural time of gravity: so many, and what wobbles almost flat is laid down
ARRESTED = 5.0  # times the speed of the last impact of an accumulation: points so slow come to rest with it


class RigidContact(ContactFollower):
    """The points of one system that touch, and what becomes of them."""

    def __init__(self, system: Any, say: Any, span: float, recorder: Any, error: float):
        self.system, self.say, self.recorder = system, say, recorder
        self.on = True
        self.contacts = system.contacts
        self.rows = ActiveRows(system)
        self.error = error
        self.contacts.holder = self
        self.counters = {"impacts": 0, "onsets": 0, "lift-offs": 0, "slips": 0, "stops of slip": 0, "accumulations": 0, "looks at gaps": 0}
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
        self.bounds_of = np.column_stack([p[:, 1], p[:, SPIN] / self.size, p[:, ROLL] / self.size])  # of each contact, as shares of N
        self.rows.depth = self.depth = BEHIND * self.size
        g = float(np.linalg.norm(system.bodies.gravity))
        self.weight = float(system.bodies.mass.sum()) * g
        self.fall = np.sqrt(g * self.size) if g else 0.0
        self.acceleration = g
        self.series: dict[tuple, Accumulation] = {}
        self.settling = Settling(error, self.size, g)
        self._y = np.zeros_like(system.y0)
        self.most = int(system.model.rigid.most_events)
        self._events: deque[float] = deque(maxlen=max(self.most, SAME_TIME))
        self.rough = self.blind = False  # is the integrator implicit; does it know nothing of velocities but from places?
        self.looks = Looks(self.contacts)
        self.slack = max(self.depth, GRAZE * min(error, 1e-3) * self.size)
        self._found: list[tuple[str, tuple]] = []  # of the event just located: what and which point
        self.questionable = False  # accelerations have had several solutions
        self._told = False  # an impact has gained energy
        self._said: dict[str, int] = {}  # messages of a kind
        self._creeping = 0  # short steps in a row
        self._rates = np.zeros(0)  # at the first of them
        self._loose: set[tuple] = set()  # slips that were stopped and go on
        self._natural = self.settling.natural  # by gravity alone
        self._since, self._steps = -np.inf, 0  # steps within that time
        self._flatten = self._tried = False  # is something to be laid flat, because its events crowd, and has that been tried?
        self.ends: set[tuple[float, int]] = set()  # accumulations: time, contact
        self.impacts = recorder.impacts
        self._moving: dict[tuple, bool] = {}  # points that have slid since they began to
        self._speed = 1.0
        self._burden = 0.0  # closed points, summed over events
        #: whether impulses of the rows of the system pull at something that only pushes (`topology`)
        self.pulls: Any = None

    # ---- what Dynamics asks -------------------------------------------------------------------------------------------
    def begin(self, t: float, y: np.ndarray, patient: bool) -> None:
        self.looks.forget()
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
            self.say(f"{more['overlap']} further contact points appeared inside a shape and were moved out")
        crowds = sum(n for kind, n in more.items() if kind.startswith("crowd"))
        if crowds:
            self.say(f"{crowds} further crowds of events of contact were ended in the same way")
        self._said.clear()

    @property
    def closed(self) -> list[Point]:
        return [p for p in self.rows.points if p.mode != FREE]

    # ---- after a step -------------------------------------------------------------------------------------------------
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
        if self.closed:  # slip turns as the motion goes on: its present direction is that from which the next step counts
            D = self.rows.T.data
            for k, p in enumerate(self.rows.points):
                if p.mode == SLIDES and p.mu[0] > 0.0 and D[k, D_SLIP : D_SLIP + 3].any():
                    p.way[:3] = D[k, D_SLIP : D_SLIP + 3]
                if p.turns[1] == SLIDES and p.mu[2] > 0.0 and D[k, D_ROLL : D_ROLL + 2].any():
                    p.way[3:6] = D[k, D_ROLL : D_ROLL + 2] @ D[k, D_T1 : D_T1 + 6].reshape(2, 3)
                self.rows.T.way[k] = p.way
            return self._creeps(step, end)
        return None

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
            self._found = [("stop", (*p.key, g)) for k, p in enumerate(points) for g in range(len(self.groups)) if p.mode != FREE
                           and p.mu[g] > 0.0 and p.modes[g] == SLIDES and rates[k, g] < slow[k, g] and (*p.key, g) not in self._loose]  # fmt: skip
            if self._found:
                settling.level = max(settling.level, FOLLOWED)
                return end
        return None

    def _lies(self, stepper: Any, step: Any, end: float) -> bool:
        """Are so many steps needed that what wobbles on its edge, lower than is followed, lies down at the end of this one?"""
        if end - self._since > self._natural:
            self._since, self._steps = end, 0
        self._steps += 1
        if self._steps >= STUCK and step.h < CREEP * self._natural:
            raise IntegrationError(
                f"at time {end:.9g} the motion of {self._names(self.closed)} asks for steps of {step.h:.2g}, {STUCK} of them within {self._natural:.2g}: friction "
                "or rolling resistance of something almost at rest; the results so far are kept; use contact = time-stepping", end
            )  # fmt: skip
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
    def _watch(self, stepper: Any, t: float, span: float) -> np.ndarray:
        self.counters["looks at gaps"] += 1
        out = self.rows.event_function(t, self._state(stepper, t), span, self.looks.bounds)
        self.looks.sound(t)
        return out

    def _touching(self, stepper: Any, a: float, end: float) -> float | None:
        """First time in (a, end] at which an open point closes."""
        h, looks = end - a, self.looks
        looks.follow(stepper)
        self.rows.T.settings[SLACK] = self.slack
        out = self._watch(stepper, end, h)
        while out[W_FREE] > 0.0:
            behind = float(out[W_AHEAD])
            if looks.cover(a, end, behind):
                looks.ended(self._seen(out), end, h)
                return None
            if not looks.fresh:
                out = self._watch(stepper, a, h)
                looks.began(self._seen(out), a)
                if looks.cover(a, end, behind):
                    looks.ended(self._seen(self._watch(stepper, end, h)), end, h)
                    return None
            if not looks.sharpen(stepper):
                break
            out = self._watch(stepper, end, h)
        looks.sharpen(stepper)
        out = self._watch(stepper, a, h)
        t = a
        for _ in range(looks.MOST):
            last, free, slope = t, float(out[W_FREE]), float(out[W_SLOPE])
            t = looks.after(t, float(out[W_AHEAD]), end)
            out = self._watch(stepper, t, h)
            if out[W_FREE] <= 0.0:
                looks.forget()
                return self._root(stepper, last, t)
            turn = looks.nearest(last, free, slope, t, float(out[W_FREE]), float(out[W_SLOPE]))
            if turn is not None:
                if self._watch(stepper, turn, h)[W_FREE] <= 0.0:
                    looks.forget()
                    return self._root(stepper, last, turn)
                out = self._watch(stepper, t, h)
            if t >= end:
                looks.ended(self._seen(out), end, h)
                return None
        for text in looks.cut(t, int(out[W_PAIR]) if out[W_FREE] < 1e299 else -1):
            self.say(text)
        looks.ended(self._seen(out), t, h)
        return t

    @staticmethod
    def _seen(out: np.ndarray) -> np.ndarray:
        """What a watch tells, in the order of a look."""
        seen = np.zeros(EVENT_DATA)
        seen[[AHEAD, NEXT]] = out[[W_AHEAD, W_NEXT]]
        return seen

    def _root(self, stepper: Any, a: float, b: float) -> float:
        """Where the least gap vanishes in (a, b], it being through at b: Newton from b, kept in the bracket."""
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

    # forces
    def _margins(self, stepper: Any, t: float) -> list[tuple[float, str, tuple]]:
        """How far each closed point is from a change at t, as shares; negative where it has changed."""
        y = self._state(stepper, t)
        settle(self.system, y, t, 0)
        T, lam = self.rows.T, self.system.W.lam
        if T.count[GONE]:
            self._lost(t)
        force = max(self.weight, float(np.abs(lam).max(initial=0.0))) or 1.0
        out = []
        for k, p in enumerate(self.rows.points):
            if p.mode == FREE:
                continue
            normal = -lam[p.rows[0]] / force
            out.append((normal, "lift", p.key))
            for g, mode in enumerate(p.modes):
                if p.mu[g] == 0.0:
                    continue
                key = (*p.key, g)
                if mode == STICKS:
                    rows = list(p.rows[self.groups[g]])
                    out.append((p.mu[g] * normal - float(np.linalg.norm(lam[rows])) / force, "slip", key))
                else:
                    speed = T.data[k, RATES[g]] / self.speed
                    if speed > 10.0 * self.error:  # before that errors of the integrator may turn it round
                        self._moving[key] = True
                    out.append((speed if self._moving.get(key) else speed + 10.0 * self.error, "stop", key))
        if T.out[DETERMINANT] <= 0.0 and T.count[2]:
            out.append((-1.0, "jam", ()))
        if len(self.closed) > 1 and any(m < -MARGIN and what == "slip" for m, what, _ in out) and self._holds(t, y):
            return [(max(m, 0.0) if what == "slip" else m, what, key) for m, what, key in out]
        return out

    def _changing(self, stepper: Any, a: float, end: float) -> float | None:
        """First time in (a, end] at which a closed point opens, or begins or stops to slip."""
        low = a
        for x in INSIDE:
            t = a + x * (end - a) if x < 1.0 else end
            margins = self._margins(stepper, t)
            bad = [(what, key) for m, what, key in margins if m < -_bound(what)]
            if not bad:
                low = t
                continue
            high = t
            f_high, f_low, side = _least(margins, bad), None, 0
            for _ in range(80):
                if high - low <= max(4e-16 * abs(high), 1e-14 * (end - a)) or f_high > -0.1 * MARGIN * (bad[0][0] != "stop") - 1e-15:
                    break
                if f_low is not None and f_low > 0.0 > f_high:
                    t = high - f_high * (high - low) / (f_high - f_low)
                    margin = 1e-3 * (high - low)
                    t = min(max(t, low + margin), high - margin)
                else:
                    t = 0.5 * (low + high)
                margins = self._margins(stepper, t)
                now = [(what, key) for m, what, key in margins if m < -_bound(what)]
                if now:
                    bad, high = now, t
                    f_high = _least(margins, bad)
                    if side < 0 and f_low is not None:
                        f_low *= 0.5
                    side = -1
                else:
                    low, f_low = t, max(_least(margins, bad), 0.0)
                    if side > 0:
                        f_high *= 0.5
                    side = 1
            self._found = bad
            return high
        return None

    def _lost(self, t: float) -> None:
        """A closed point has left its surface."""
        self._found = [("lift", ())]

    def _holds(self, t: float, y: np.ndarray) -> bool:
        """Can the closed points stay as they are at (t, y), however their loads are shared?"""
        points = self.rows.points
        D, W, acc, velocity = self._problem(t, y.copy(), [p for p in points if p.mode != FREE])
        try:
            modes = self._decide(points, D, W, acc, velocity, set(), set(), t=t)[0]
        except IntegrationError:
            modes = [(FREE, FREE, FREE)] * len(points)
        self.rows.set(points)
        settle(self.system, y, t, 0)
        return all(b[0] != FREE and all(x == y or mu == 0.0 for x, y, mu in zip(p.modes, b, p.mu)) for b, p in zip(modes, points))

    # ---- at an event ----------------------------------------------------------------------------------------------------
    def _problem(self, t: float, y: np.ndarray, points: list[Point]):
        """Of these points at (t, y): geometry, Delassus matrix (dk, dk), accelerations without contact forces (k, d), velocities (k, d)."""
        system, rows, d = self.system, self.rows, self.d
        modes = [p.mode for p in points]
        for p in points:
            p.mode = FREE
        rows.set(points)
        settle(system, y, t, 0)
        D = rows.evaluate(y).copy()
        points = rows.points
        k, n = len(points), system.nb
        H = np.zeros((d * k, n + 1, layout.MOVES))
        for i, p in enumerate(points):
            for side, shape in enumerate((p.a, p.b)):
                H[d * i : d * i + d, self.contacts.shape_body(shape)] += rows.T.H[i, :, layout.MOVES * side : layout.MOVES * (side + 1)]
        S, W = system.S, system.W
        inverse = mobility(S.bodies)
        Z = H * inverse
        self._shares = np.zeros((d * k, system.m))  # impulses of the rows for an impulse of 1 along each
        if system.m:
            G, body, row = W.rw.G[:-1], system.slot_body[:-1], system.slot_row[:-1]
            for j in range(d * k):
                b = np.bincount(row, (G * Z[j][body]).sum(axis=1), minlength=system.m)
                ldl_solve(S.ldl, W.Lx, W.Di, b, W.lwork)
                self._shares[j] = b
                z = np.zeros((n + 1, layout.MOVES))
                np.add.at(z, body, G * b[row][:, None])
                Z[j] -= z * inverse
        flat = H.reshape(d * k, -1)
        self._Z = Z.reshape(d * k, -1)
        delassus = flat @ self._Z.T
        acc = (flat @ W.acc).reshape(k, d) - self._of(D, D_GAMMA, D_TURN_GAMMA)
        for p, mode in zip(points, modes):
            p.mode = mode
        return D, 0.5 * (delassus + delassus.T), acc, self._of(D, D_W, D_TURN)

    def _of(self, D: np.ndarray, straight: int, turning: int) -> np.ndarray:
        """(k, d): three columns of each kind."""
        return np.hstack([D[:, straight : straight + 3], D[:, turning : turning + 3]][: self.d // 3])

    @property
    def speed(self) -> float:
        return self._speed

    def _scale(self, y: np.ndarray) -> None:
        v = layout.rows(y, self.system.nb)
        spin = np.abs(v[:, layout.SPIN]).max(initial=0.0) * self.size
        self._speed = max(float(np.abs(v[:, layout.VELOCITY]).max(initial=0.0)), float(spin), self.fall, self.size / self.span * 1e-3)
        self.rows.slow = self.error * self._speed

    def turn(self, t: float, y: np.ndarray, came: np.ndarray | None = None) -> bool | None:
        """What becomes of all touching points at (t, y), where an event was located; ``y`` changes where there is an impact.
        ``came``: the state before an impact of something else; points that did not approach there take part in it without rebound.
        Returns whether the equations of motion are others than before; None, and no impact, where it would pull at a stop, which opens first."""
        self._guard(t)
        if self.closed and came is None:  # velocities of what is closed are known better than the integrator tells
            settle(self.system, y, t, 1)
        self.struck = False
        self._scale(y)
        if came is not None:
            self._found = []
        found = self._found
        leaving = {key for what, key in found if what == "lift"}
        slipping = {key for what, key in found if what == "slip"}
        stopped = {key for what, key in found if what == "stop"}
        lay = next((key[0] for what, key in found if what == "lay"), 0)
        points = self._candidates(t, y, self.settling.heights[lay] if lay else 0.0)
        before = self.rows.signature
        if not points:
            self.rows.set([])
            return before != ()
        D, W, acc, velocity = self._problem(t, y, points)
        points = self.rows.points
        still = STILL * self._speed
        if lay:
            if self._lay(t, y, points, D, W, velocity, lay):
                acc, velocity = self._after(t, y, points)
                D = self.rows.T.data[: len(points)].copy()
        elif (velocity[:, 0] < -still).any():
            self.struck = True
            rested = np.zeros(len(points), bool) if came is None else self.rows.evaluate(came)[:, D_W] > -still
            if not self._impact(t, y, points, D, W, velocity, acc, rested):
                self.rows.set([])
                return None
            acc, velocity = self._after(t, y, points)
            D = self.rows.T.data[: len(points)].copy()
            stopped = set()
        else:
            shut = np.array([p.mode != FREE for p in points])
            self._crowd(t, points, 0.0, float(np.maximum(-acc[shut, 0], 0.0).max(initial=0.0)), False)
            if stopped and self.settling.level and self._halt(t, y, points, D, W, velocity, shut):
                acc, velocity = self._after(t, y, points)
                D = self.rows.T.data[: len(points)].copy()
        touching = velocity[:, 0] <= max(still, 0.0)
        modes = [(FREE, FREE, FREE)] * len(points)
        use = np.flatnonzero(touching)
        ways = np.zeros((len(points), 7))
        if len(use):
            at = (self.d * use[:, None] + np.arange(self.d)).ravel()
            some = [points[i] for i in use]
            decided, way = self._decide(some, D[use], W[np.ix_(at, at)], acc[use], velocity[use], leaving, slipping, stopped, t)
            for i, mode, w in zip(use, decided, way):
                modes[i], ways[i] = mode, w
        for p, mode, way, d in zip(points, modes, ways, D):
            if mode[0] == FREE and p.mode != FREE:
                self.counters["lift-offs"] += 1
            elif mode[0] != FREE and p.mode == FREE:
                self.counters["onsets"] += 1
            elif p.mode != FREE:
                for g, (before_, now) in enumerate(zip(p.modes, mode)):
                    if p.mu[g] > 0.0 and before_ != now:
                        self.counters[COUNTED[g][now == STICKS]] += 1
            p.mode, p.turns, p.way = mode[0], mode[1:], way
            self._loose -= {(*p.key, g) for g, now in enumerate(p.modes) if now != SLIDES}
            p.base = d[D_T1 : D_T1 + 3].copy()
        closed = [p for p in points if p.mode != FREE]
        self._moving = {}
        for p, v in zip(points, velocity):
            for g, s in enumerate(self.groups if p.mode != FREE else []):
                self._moving[(*p.key, g)] = p.modes[g] == SLIDES and np.linalg.norm(v[s]) > 10.0 * self.error * self._speed
        self.rows.set(closed)
        for _ in range(len(closed) if len(closed) > 1 else 0):  # a redundant point that would have to draw is not needed
            z = y.copy()
            settle(self.system, z, t, 0)
            force = [-float(self.system.W.lam[p.rows[0]]) for p in self.rows.points]
            least = int(np.argmin(force))
            if force[least] >= -MARGIN * max(self.weight, max(force)):
                break
            del closed[closed.index(self.rows.points[least])]
            self.rows.set(closed)
        settle(self.system, y, t, 1)
        return before != self.rows.signature

    def _guard(self, t: float) -> None:
        """Time must go on."""
        e = self._events
        e.append(t)
        self._burden += len(self.closed)
        if self._burden > HEAVY and self._burden < np.inf:
            self._burden = np.inf
            self.say(
                f"at time {t:.6g} the events of contact so far, with the points closed at each, come to {HEAVY}: every event solves for all of them at once; "
                "where many bodies rest on each other contact = time-stepping costs far less (this run goes on)"
            )
        if len(e) >= SAME_TIME and t - e[-SAME_TIME] <= 4e-16 * abs(t):
            raise IntegrationError(
                f"at time {t:.9g} contacts change {SAME_TIME} times without time going on: no set of closed contacts holds there; "
                "the results so far are kept; use contact = time-stepping, which needs no order of events", t
            )  # fmt: skip
        if len(e) >= self.most and t - e[-self.most] < SHORT * self.span:
            raise IntegrationError(
                f"at time {t:.9g} there were {self.most} events of contact within {t - e[-self.most]:.3g}: an infinite sequence that no geometric series "
                "follows; the results so far are kept; use contact = time-stepping, or a smaller restitution", t
            )  # fmt: skip

    def _candidates(self, t: float, y: np.ndarray, near: float = 0.0) -> list[Point]:
        """Closed points and those that touch, or are nearer than ``near``."""
        points = list(self.closed)
        near = max(near, TOUCHING * self.size)
        for p in self.rows.near(t, y, near):
            deep = -p.last[GAP]
            if deep > SEEN * self.size + 10.0 * self.rows.noise[1]:
                element = self.contacts.elements[p.contact]
                i, j = (self.contacts.solids[s].body.name for s in (p.a, p.b))
                words = f"at time {t:.9g} {i} and {j} ({element.label}) are inside each other by {deep:.3g}"
                if deep > SUNK * self.size:
                    raise IntegrationError(
                        f"{words}: the impact that led there was not seen; the results so far are kept; try a smaller HMAX, or contact = time-stepping",
                        t,
                    )
                self._tell(
                    "overlap", f"{words}, where a contact point appears that was not there before; they are moved apart as it closes"
                )
            same = [q for q in points if (q.a, q.b) == (p.a, p.b) and (q.feature == p.feature or
                    np.linalg.norm(q.last[FOOT : FOOT + 3] - p.last[FOOT : FOOT + 3]) < 1e-6 * self.size)]  # fmt: skip
            if same:
                continue
            p.mu = self.bounds_of[p.contact].copy()
            points.append(p)
        return points

    def _after(self, t: float, y: np.ndarray, points: list[Point]):
        """Accelerations without contact forces and velocities, after an impact at the same place."""
        settle(self.system, y, t, 0)
        D = self.rows.evaluate(y)
        k = len(points)
        acc = np.zeros((k, self.d))
        for i, p in enumerate(points):
            for side, shape in enumerate((p.a, p.b)):
                b = self.contacts.shape_body(shape)
                acc[i] += self.rows.T.H[i, :, layout.MOVES * side : layout.MOVES * (side + 1)] @ layout.move(self.system.W.acc, b)
        return acc - self._of(D, D_GAMMA, D_TURN_GAMMA), self._of(D, D_W, D_TURN)

    def _impact(self, t: float, y: np.ndarray, points: list[Point], D, W, velocity, acc, rested) -> bool:
        """Velocities after the impact of all touching points, into y; those that ``rested`` (k,) do not rebound.  False: it pulls at a stop."""
        c = np.array([p.contact for p in points])
        mu, e, et = self.bounds_of[c], self.e[c].copy(), self.et[c].copy()
        closing = velocity[:, 0] < -STILL * self._speed
        e[(velocity[:, 0] > -SLOW * self._speed) | rested] = 0.0
        over, slow = self._over(t, points, W, velocity, acc, e, closing & ~rested)
        e[over] = et[over] = 0.0
        law = self.law[c[int(np.argmin(velocity[:, 0]))]]
        before = self._energy(y)
        r, residual = impact(W, velocity, mu, law, e, et)
        if over.any() and residual <= SOLVED:
            w = velocity + (W @ r.ravel()).reshape(-1, self.d)
            r = r + arrest(W, w, mu, self.groups, slow, island(W, over, self.d))
        if residual > SOLVED:
            raise IntegrationError(
                f"at time {t:.9g} the impact of {self._names(points)} has no solution to better than {residual:.2g} of its speed: if something is "
                "squeezed between parts that motions drive or joints hold, drive one of them by a force; else use contact = time-stepping; "
                "the results so far are kept", t
            )  # fmt: skip
        if self.pulls is not None and self.pulls(r.ravel() @ self._shares):
            return False
        self._give(y, points, D, r)
        after = self._energy(y)
        lost = before - after
        w = velocity + (W @ r.ravel()).reshape(-1, self.d)
        self.counters["impacts"] += 1
        if lost < -1e-10 * max(before, after) and not self._told:
            self._told = True
            self.say(
                f"at time {t:.6g} an impact with friction gains energy ({-lost:.3g} {self.system.model.units.symbol('energy')}) at "
                f"{self._names(points)}: restitution of velocities "
                "(NEWTON) allows that (Kane's paradox); impact_law POISSON or ENERGY does not"
            )
        self.recorder.work = self.recorder.work + np.array([0.0, lost])
        for i, p in enumerate(points):
            if r[i].any():
                work = 0.5 * float(r[i] @ (velocity[i] + w[i]))
                self.impacts.append((t, self.contacts.elements[p.contact].id, *self._pair(p), *D[i, D_C : D_C + 3], r[i, 0], float(np.hypot(r[i, 1], r[i, 2])),
                                     velocity[i, 0], w[i, 0], -work))  # fmt: skip
        return True

    def _give(self, y: np.ndarray, points: list[Point], D, r) -> None:
        """Velocities behind the impulses r (k, d) of ``points``, into y; their momentum and that of ground to the recorder."""
        momentum = self._momentum(y)
        du = layout.moves(self._Z.T @ r.ravel())
        n = self.system.nb
        layout.speeds(y, n)[:] += du[:n]
        gain = self._momentum(y) - momentum
        ground = np.zeros(6)
        for i, p in enumerate(points):
            axes = D[i, D_N : D_N + 9].reshape(3, 3)
            f = r[i, :3] @ axes
            for s, shape in ((-1.0, p.a), (1.0, p.b)):  # what ground gives to the other body
                if self.contacts.shape_body(shape) == n:
                    ground[:3] += s * f
                    ground[3:] += s * np.cross(D[i, D_C : D_C + 3], f)
                    if self.d > 3:
                        ground[3:] += s * self.size * r[i, 3:] @ axes
        self.recorder.impulse = self.recorder.impulse + np.concatenate([gain, ground])

    def _over(self, t: float, points: list[Point], W, velocity, acc, e, closing) -> tuple[np.ndarray, float]:
        """Which of the points that close (k,) do so for good, and the speed below which what hangs together with them comes to rest."""
        settling = self.settling
        fresh = np.flatnonzero(closing)
        over = np.zeros(len(points), bool)
        if not len(fresh):
            return over, 0.0
        press = self._press(points, W, velocity, acc, closing)
        speed = -velocity[:, 0]
        first = fresh[int(np.argmax(speed[fresh]))]
        series = [self.series.setdefault(points[i].key, Accumulation()) for i in fresh]
        ended = [s.add(t) for s in series]
        a = float(press[fresh].max())
        if not a > 1e-6 * self._speed**2 / self.size:  # nothing presses: things that collapse on each other
            a = self._speed**2 / self.size
        self._crowd(t, points, float(speed[first]), a, any(s.steady for s in series))
        rebound = np.where(e > 0.0, e, 1.0) * speed
        slow = 0.0
        told = []
        for i, s, end in zip(fresh, series, ended):
            short = rebound[i] ** 2 < 2.0 * (press[i] if not settling.level else a) * settling.height
            if e[i] >= 1.0 or not (end or short):
                continue
            over[i] = True
            slow = max(slow, ARRESTED * (rebound[i] if short else speed[i]), settling.slow)
            told.append((points[i], s, end))
        for p, s, end in told:
            element = self.contacts.elements[p.contact]
            if (t, element.id) not in self.ends:
                text = f"their series ends at {s.end or t:.12g} after {s.count} that were followed"
                if not end:
                    text = f"after {s.count} the next rebound is lower than what is followed ({settling.height:.2g})"
                self._tell(
                    "accumulation", f"at time {t:.9g} the impacts of {element.label} accumulate: {text}, and the contact stays closed"
                )
                self.counters["accumulations"] += 1
            self.ends.add((t, element.id))
            s.clear()
        return over, slow

    def _press(self, points: list[Point], W, velocity, acc, closing) -> np.ndarray:
        """Accelerations (k,) with which points are pressed together: without contact forces, or with those of the points that stay closed."""
        press = np.maximum(-acc[:, 0], 0.0)
        held = np.flatnonzero(~closing & (np.abs(velocity[:, 0]) <= STILL * self._speed))
        if not len(held):
            return press
        at = (self.d * held[:, None] + np.arange(self.d)).ravel()
        some = [points[i] for i in held]
        motion = accelerate(W[np.ix_(at, at)], acc[held], np.array([p.mu for p in some]), self._ways(some, velocity[held]))
        if motion.solutions and motion.residual <= GOOD:
            force = np.zeros(velocity.size)
            force[at] = motion.r.ravel()
            press = np.maximum(press, -(acc + (W @ force).reshape(acc.shape))[:, 0])
        return press

    def _lay(self, t: float, y: np.ndarray, points: list[Point], D, W, velocity, level: int) -> bool:
        """Something that wobbles on its edge, all of it lower than is followed, lies down: its points come to rest, into y.  Whether it does."""
        slow = ARRESTED * self.settling.speed(level)
        pairs = {(p.a, p.b) for p in points if p.mode != FREE}
        some = np.array([(p.a, p.b) in pairs for p in points]) & (np.abs(velocity[:, 0]) <= slow)
        if not any(some[i] and p.mode == FREE for i, p in enumerate(points)):
            return False
        r = arrest(W, velocity, np.array([p.mu for p in points]), self.groups, slow, some)
        before = self._energy(y)
        self._give(y, points, D, r)
        self.recorder.work = self.recorder.work + np.array([0.0, before - self._energy(y)])
        self._tried = False
        height = self.settling.heights[level]
        self._tell(
            "flat",
            f"at time {t:.9g} {self._names(points)} wobbles lower than {height:.2g}, which takes ever shorter steps: it is laid flat",
        )
        self.counters["accumulations"] += 1
        return True

    def _halt(self, t: float, y: np.ndarray, points: list[Point], D, W, velocity, shut) -> bool:
        """Where stops of slip crowd (the slip of several points vanishes at once, or passes zero at a hair's breadth), what slips more slowly than is followed
        is brought to rest, into y; whether there was any."""
        slow = self.settling.slow
        mu = np.array([p.mu for p in points])
        for g, s in enumerate(self.groups):
            for i, p in enumerate(points):
                if np.linalg.norm(velocity[i, s]) > slow:
                    self._loose.discard((*p.key, g))
                elif (*p.key, g) in self._loose:  # friction does not hold it: it begins to slide anew
                    mu[i, g] = 0.0
        slips = [shut & (mu[:, g] > 0.0) & (np.linalg.norm(velocity[:, s], axis=1) <= slow) for g, s in enumerate(self.groups)]
        some = island(W, np.any(slips, axis=0), self.d) & shut
        if not some.any():
            return False
        r = arrest(W, velocity, mu, self.groups, slow, some)
        before = self._energy(y)
        self._give(y, points, D, r)
        self.recorder.work = self.recorder.work + np.array([0.0, before - self._energy(y)])
        self._loose |= {(*points[i].key, g) for g, which in enumerate(slips) for i in np.flatnonzero(which)}
        return True

    def _crowd(self, t: float, points: list[Point], speed: float, acceleration: float, steady: bool) -> None:
        """One more event among ``points``: small ones that crowd are followed less closely, and end the run where that does not help."""
        level = self.settling.add(t, speed, acceleration, steady)
        if level is None or level < TOLD:
            return
        if level >= len(ENOUGH) and not self._tried:
            self._flatten = self._tried = True
        elif level >= len(ENOUGH):
            raise IntegrationError(
                f"at time {t:.9g} events of {self._names(points)} come faster than their bodies move, and leaving out rebounds lower than "
                f'{self.settling.height:.2g} does not end them; the results so far are kept; use contact = time-stepping', t
            )  # fmt: skip
        if level >= len(ENOUGH):
            return
        self._tell(
            f"crowd {level}",
            f"at time {t:.9g} events of {self._names(points)} crowd: rebounds lower than {self.settling.height:.2g} are left out until they are over",
        )

    def _tell(self, kind: str, text: str) -> None:
        """A message, those of its kind that follow the first ones are counted."""
        self._said[kind] = self._said.get(kind, 0) + 1
        if self._said[kind] <= SAID:
            self.say(text)

    def _ways(self, points: list[Point], velocity, stopped=frozenset()) -> np.ndarray:
        """Directions (k, d - 1) of slip, spin and rolling of points that are not at rest."""
        still = 10.0 * STILL * self._speed
        ways = np.zeros((len(points), self.d - 1))
        for g, s in enumerate(self.groups):
            for i, p in enumerate(points):
                speed = float(np.linalg.norm(velocity[i, s]))
                if p.mu[g] > 0.0 and speed > (STOPPED * self._speed if (*p.key, g) in stopped else still):
                    ways[i, s.start - 1 : s.stop - 1] = velocity[i, s] / speed
        return ways

    def _pair(self, p: Point) -> tuple[int, int]:
        """Graphics of the point's I and J side."""
        c = self.contacts
        a, b = c.key_of(p.a), c.key_of(p.b)
        return (b, a) if p.b in c.sides[p.contact][0] and p.a not in c.sides[p.contact][0] else (a, b)

    def _names(self, points: list[Point]) -> str:
        c = self.contacts
        return " and ".join(dict.fromkeys(c.elements[p.contact].label for p in points))

    def _energy(self, y: np.ndarray) -> float:
        b = self.system.bodies
        return layout.kinetic(b.mass, b.J, y)

    def _momentum(self, y: np.ndarray) -> np.ndarray:
        from .switched import _momentum

        return _momentum(self.system, y)

    def _decide(self, points, D, W, acc, velocity, leaving, slipping, stopped=frozenset(), t=0.0):
        """Modes and directions of slip of touching points from their accelerations."""
        k = len(points)
        ways = self._ways(points, velocity, stopped)
        mu = np.array([p.mu for p in points])
        motion = accelerate(W, acc, mu, ways)
        if motion.solutions == 0:
            raise IntegrationError(
                f"at time {t:.9g} the accelerations of {self._names(points)} have no solution: friction of the sliding contact would make its normal force "
                "draw it in (Painleve's paradox); the results so far are kept; a smaller friction coefficient, or compliant contact, goes through", t
            )  # fmt: skip
        if motion.solutions > 1 and not self.questionable:
            self.questionable = True
            self.say(
                f"at time {t:.9g} the accelerations of {self._names(points)} have several solutions (Painleve's paradox of sliding friction); the one of "
                "least force is taken, the results from here on are one of several possible motions"
            )
        if motion.residual > SOLVED:
            raise IntegrationError(
                f"at time {t:.9g} no accelerations of {self._names(points)} fit friction and contact to better than {motion.residual:.2g}; the results so "
                "far are kept; use contact = time-stepping", t
            )  # fmt: skip
        size = max(self.acceleration, float(np.abs(acc).max(initial=0.0)))
        force = max(self.weight, float(np.abs(motion.r).max(initial=0.0)))
        least = 0.1 * MARGIN
        modes, out = [], np.zeros((k, 7))
        for i, p in enumerate(points):
            N = motion.r[i, 0]
            if motion.a[i, 0] > least * size or (p.key in leaving and N <= 10.0 * MARGIN * force):
                modes.append((FREE, FREE, FREE))
                continue
            mode = [SLIDES] * 3
            axes = D[i, D_N : D_N + 9].reshape(3, 3)
            for g, s in enumerate(self.groups):
                way = ways[i, s.start - 1 : s.stop - 1]
                if mu[i, g] > 0.0 and not way.any():
                    T, a = motion.r[i, s], motion.a[i, s]
                    length, faster = float(np.linalg.norm(T)), float(np.linalg.norm(a))
                    if faster > least * size:
                        way = a / faster
                    elif (*p.key, g) in slipping and length > 0.0 and length >= mu[i, g] * N - 10.0 * MARGIN * force:
                        way = -T / length
                    else:
                        mode[g] = STICKS
                if g == 1:
                    out[i, 6] = way[0]
                else:
                    out[i, 3 * (g // 2) : 3 * (g // 2) + 3] = way @ axes[1:]
            modes.append(tuple(mode))
        return modes, out

    # ---- results ----------------------------------------------------------------------------------------------------------
    def fill(self, t: float, y: np.ndarray) -> None:
        """The forces of closed points where the engine keeps those of compliant contact, for sums and pictures."""
        self.rows.fill(y)


def _bound(what: str) -> float:
    """Share by which a force may be beyond its bound before that is an event."""
    return 0.0 if what == "stop" else MARGIN


def _least(margins: list[tuple[float, str, tuple]], bad: list[tuple[str, tuple]]) -> float:
    """The least margin of those in ``bad``."""
    return min((m + _bound(what) for m, what, key in margins if (what, key) in bad), default=1.0)


class EventDriven(Dynamics):
    """`Dynamics` with rigid contact, from event to event."""

    BOUND = (*Dynamics.BOUND, "_by_set")
    way_out = "contact = time-stepping"

    def __init__(self, simulation: Any, system: Any, choice: Choice, times: np.ndarray, span: float | None = None):
        if not system.contacts.on and not switches_of(simulation.model):  # contacts may begin to act when joints are off
            raise ModelError("event-driven analysis needs a CONTACT; add one, or leave contact = events out")
        choice.options.extra["planar"] = False
        method = front.METHODS[choice.kind]
        if (choice.options.formulation or "").upper() == "MINIMAL" or method.formulations == ("MINIMAL",):
            raise ModelError(
                f"{choice.kind} on independent coordinates cannot take contacts as constraints; use DOP853, RADAU5, GSTIFF or HHT"
            )
        if method.formulations[0] == "MINIMAL":
            choice.options.formulation = "INDEX1"
        super().__init__(simulation, system, choice, times, span)

    def bind(self, system: Any) -> None:
        super().bind(system)
        self.switching.touch = None
        self._by_set: dict[tuple, dict] = {}  # steppers by what is closed
        if system.contacts.on:  # a SWITCH may have turned off all contacts
            span, error = self.span, self.choice.options.error
            self.touch: Any = RigidContact(system, self.simulation.say_once, span, self.recorder, error)

    def _refuse_overlaps(self, t: float, y: np.ndarray) -> None:
        found = [(k, d) for k, d in overlaps(self.system, t, y) if d > PENETRATION * self.touch.size]
        if found:
            raise ModelError(
                f"at time {t:.6g} shapes overlap, which rigid contact cannot have: {words(self.system, found)}; move the parts apart, or set "
                'initial = "resolve" on their contacts'
            )

    def behind(self, t: float, y: np.ndarray, came: np.ndarray) -> np.ndarray:
        """Points that touch take the impact of the switch over, and open, stick or slide with the constraints that act now."""
        if isinstance(self.touch, RigidContact):
            self._refuse_overlaps(t, y)
            self.system.contacts.search(t, y)
            y = y.copy()
            assert self.topology is not None
            self.touch.pulls = self.topology.pulled
            if self.touch.turn(t, y, came) is not None:
                self._take_steppers()
        return y

    def _take_steppers(self) -> None:
        """Integrators of the present set of closed points."""
        self._steppers = self._by_set.setdefault(self.touch.rows.signature, {})
        while len(self._by_set) > REMEMBERED:
            del self._by_set[next(iter(self._by_set))]
        self.stepper = self._make(self.switching.present())

    def set_up(self) -> None:
        sim, system, choice = self.simulation, self.system, self.choice
        if not isinstance(self.touch, RigidContact):
            super().set_up()
            return
        if self.topology is not None:
            self.touch.pulls = self.topology.pulled
        try:
            settle_overlaps(system, sim.time, sim.y, lambda text: None)
            self._refuse_overlaps(sim.time, sim.y)
            system.contacts.search(sim.time, sim.y)  # boxes without size are near nothing until they are looked for
            self.touch.turn(sim.time, sim.y)
        except (IntegrationError, ModelError) as error:
            if isinstance(error, IntegrationError):  # the state at the start is a result too
                self.touch.rows.set([])
                self.recorder.begin("dynamics", {"integrator": choice.kind, "error": choice.options.error, "formulation": ""})
                self.recorder.record(sim.time, sim.y.copy(), 0)
                self.recorder.end()
                sim.stopped = str(error)
                sim.say(sim.stopped)
            self.touch.release()
            raise
        super().set_up()

    def _start(self, t: float, y: np.ndarray, h0: float | None) -> None:
        self.touch.rough = front.METHODS[self.switching.kind].stiff
        self.touch.blind = self.multistep and self.switching.formulation in (None, "I3")
        super()._start(t, y, h0)

    def _touch(self, event: float, step: Any) -> None:
        """Impact, or change of what is closed, sticks or slides; begin anew behind it."""
        sim = self.simulation
        self.work.advance(self.stepper, event, self.out, 1)
        y = self.out.copy()
        sim.leave(event, y)
        if event >= self.last and self.next >= len(self.times):
            return
        wanted = max(step.h, self.stepper.h)
        changed = self.touch.turn(event, y)
        if changed is None:
            self._switch(event, step, False)
            return
        sim.leave(event, y)
        if event >= self.last:
            return
        if changed:
            self._count()
            self._take_steppers()
            self.work.renew()
            self._start(event, y, self._first(step, wanted))
        else:
            self.events.begin(event, y, self.patient)
            self.touch.begin(event, y, self.patient)
            self._restart(event, y, wanted if self.touch.struck else self._first(step, wanted))

    def _first(self, step: Any, wanted: float) -> float:
        return wanted if not self.multistep else max(1e-3 * wanted, self._splinter)
