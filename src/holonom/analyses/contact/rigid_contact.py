"""What becomes of rigid contacts at an event: impulses of those that close, which open, stick or slide afterwards, rest
after accumulations.

See `event_driven` for the method.
"""

from __future__ import annotations

import math

import numpy as np

from ..._warnings import WarningText
from ...contact.impacts import GOOD, SOLVED, Impact, Motion, accelerate, impact
from ...contact.tables import GAP
from ...contact.tables import P as FOOT
from ...contact.unilateral import D_C, D_GAMMA, D_GAP, D_N, D_T1, D_TURN, D_TURN_GAMMA, D_W, FREE, SLIDES, STICKS
from ...contact.walls import thinner
from ...elements.bodies import layout
from ...elements.bodies.mass import mobility
from ...integrators.entry import project_state
from ...integrators.stepper import IntegrationError
from ...linalg.ldl import ldl_solve
from ...system.active_rows import Point
from .local_stepping import Crowded
from .rigid_events import CREEP, MARGIN, SAID, SAME_TIME, STILL, TOUCHING, RigidEvents
from .settling import ENOUGH, FOLLOWED, TOLD, Accumulation, arrest, island

# of the size: depth of a point that appears (where faces, edges and corners take over from each other) that is reported
SEEN = 1e-6
NAMED = 4  # pairs that a message names
DRIVEN = 1e-9  # of the energy: work of motions at an impact that is more than roundoff
SUNK = 1e-3  # of the size: depth that no contact point may have; of the thinner wall: height of what is laid flat
SLOW = 1e-8  # of the speed scale: impacts slower than this have no rebound
STOPPED = 1e-6  # of the speed scale: a slip that stops within this is at rest
COUNTED = ("slips", "stops of slip"), ("spins", "stops of spin"), ("rolls", "stops of rolling")
HEAVY = 10_000  # closed points, summed over events, from which on time-stepping is named
SHORT = 1e-3  # of the analysis: within it there may be so many events as the settings say
IDLE = 50  # events in a row, each within `CREEP` of the natural time of the one before, after which all is as before
AT_ONCE = 1e-15  # of the time: between a stop and the slip that ends it, where nothing has stuck in between
RESTARTS = 8  # such stops in a row after which friction is not followed any longer
NEARLY, SLOWLY = (
    1e-8,
    1e-6,
)  # of the size and of the speed scale: gap and speed of what has come to rest in time-stepping
ARRESTED = 5.0  # times the speed of the last impact of an accumulation: points so slow come to rest with it


class RigidContact(RigidEvents):
    """The points of one system that touch, and what becomes of them at an event."""

    turned = math.nan  # time of the last event
    _near = 0.0  # gap up to which points count as touching at the next event
    _stopped: frozenset[tuple] | set[tuple] = frozenset()  # points that stopped at the last stop of slip
    _stopped_at = -math.inf  # time of that
    _restarts = 0  # how often they have slipped again at once

    def _holds(self, t: float, y: np.ndarray) -> bool:
        """Can the closed points stay as they are at (t, y), however their loads are shared?"""
        points = self.rows.points
        D, W, acc, velocity = self._problem(t, y.copy(), [p for p in points if p.mode != FREE])
        try:
            modes = self._decide(points, D, W, acc, velocity, set(), set(), t=t)[0]
        except IntegrationError:
            modes = [(FREE, FREE, FREE)] * len(points)
        self.rows.set(points)
        project_state(self.system, y, t, 0)
        return all(
            b[0] != FREE and all(x == y or mu == 0.0 for x, y, mu in zip(p.modes, b, p.mu))
            for b, p in zip(modes, points)
        )

    # ---- at an event -------------------------------------------------------------------------------------------------
    def _problem(self, t: float, y: np.ndarray, points: list[Point]):
        """Of these points at (t, y): geometry, Delassus matrix (dk, dk), accelerations without contact forces (k, d),
        velocities (k, d)."""
        system, rows, d = self.system, self.rows, self.d
        modes = [p.mode for p in points]
        for p in points:
            p.mode = FREE
        rows.set(points)
        project_state(system, y, t, 0)
        D = rows.evaluate(y).copy()
        points = rows.points
        k, n = len(points), system.nb
        H = np.zeros((d * k, n + 1, layout.MOVES))
        for i, p in enumerate(points):
            for side, shape in enumerate((p.a, p.b)):
                H[d * i : d * i + d, self.contacts.shape_body(shape)] += rows.T.H[
                    i, :, layout.MOVES * side : layout.MOVES * (side + 1)
                ]
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
        self._speed = max(
            float(np.abs(v[:, layout.VELOCITY]).max(initial=0.0)), float(spin), self.fall, self.size / self.span * 1e-3
        )
        self.rows.slow = (10.0 if self.rough else 1.0) * self.error * self._speed

    def turn(self, t: float, y: np.ndarray, approach: np.ndarray | None = None) -> bool | None:
        """What becomes of all touching points at (t, y), where an event was located; ``y`` changes where there is an
        impact.
        ``approach``: the state before an impact of something else; points that did not approach there take part in it
        without rebound. Returns whether the equations of motion are others than before; None, and no impact, where it
        would pull at a stop, which opens first."""
        self.turned = t
        self._guard(t)
        before = self.rows.signature
        if approach is not None:
            self._found = []
        self.accept(y)
        if any(p.gone for p in self.rows.points):
            self.rows.set([p for p in self.rows.points if not p.gone])
        if self.closed and approach is None:  # velocities of what is closed are known better than the integrator gives
            project_state(self.system, y, t, 1)
        self.struck = False
        self._scale(y)
        found = self._found
        leaving = {key for what, key in found if what == "lift"}
        slipping = {key for what, key in found if what == "slip"}
        stopped = {key for what, key in found if what == "stop"}
        lay = next((key[0] for what, key in found if what == "lay"), 0)
        while True:
            points = self._candidates(t, y, self.settling.heights[lay] if lay else 0.0)
            if not points:
                self.rows.set([])
                return before != ()
            D, W, acc, velocity = self._problem(t, y, points)
            points = self.rows.points
            if not (lay and self._high(points, D)):
                break
            lay = 0
        still = STILL * self._speed
        if lay:
            if self._lay(t, y, points, D, W, velocity, lay):
                acc, velocity = self._after(t, y, points)
                D = self.rows.T.data[: len(points)].copy()
        elif (velocity[:, 0] < -still).any():
            self.struck = True
            rested = np.zeros(len(points), bool) if approach is None else self.rows.evaluate(approach)[:, D_W] > -still
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
            decided, way = self._decide(
                some, D[use], W[np.ix_(at, at)], acc[use], velocity[use], leaving, slipping, stopped, t
            )
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
                self._moving[(*p.key, g)] = p.modes[g] == SLIDES and bool(
                    np.linalg.norm(v[s]) > 10.0 * self.error * self._speed
                )
        self.rows.set(closed)
        for _ in range(
            len(closed) if len(closed) > 1 else 0
        ):  # a redundant point that would have to draw is not needed
            z = y.copy()
            project_state(self.system, z, t, 0)
            force = [-float(self.system.W.lam[p.rows[0]]) for p in self.rows.points]
            least = int(np.argmin(force))
            if force[least] >= -MARGIN * max(self.weight, max(force)):
                break
            del closed[closed.index(self.rows.points[least])]
            self.rows.set(closed)
        project_state(self.system, y, t, 1)
        self._sticks(t, stopped, slipping)
        changed = before != self.rows.signature
        self._has_effect(t, bool(leaving) and not changed and not self.struck)
        return changed

    def _has_effect(self, t: float, idle: bool) -> None:
        """Points that lift off again and again, and touch again at once, are not followed any longer."""
        soon = t - self._idle_at <= CREEP * min(self._natural, self.span)
        self._idle_events = 0 if not idle else self._idle_events + 1 if soon else 1
        self._idle_at = t
        if self._idle_events >= IDLE:
            self._idle_events = 0
            raise Crowded(
                f"at time {t:.9g} points of {self._names(self.closed)} have lifted off {IDLE} times in a row and "
                "touched again at once: their surface ends or their nearest features change there; the results so far "
                "are kept; use contact = time-stepping, or shapes with an exact kernel",
                t,
            )

    def _sticks(self, t: float, stopped: set[tuple], slipping: set[tuple]) -> None:
        """Points that stop and slip again at the same time, again and again, are not followed any longer."""
        if slipping and slipping <= self._stopped and t - self._stopped_at <= AT_ONCE * abs(t):
            self._restarts += 1
        elif not stopped or t - self._stopped_at > CREEP * min(self._natural, self.span):
            self._restarts = 0
        if stopped:
            self._stopped, self._stopped_at = stopped, t
        if self._restarts >= RESTARTS:
            self._restarts = 0
            raise Crowded(
                f"at time {t:.9g} points of {self._names(self.closed)} have stopped {RESTARTS} times in a row and "
                "slipped again at once: their friction is at its bound; the results so far are kept; use contact = "
                "time-stepping",
                t,
            )

    def _guard(self, t: float) -> None:
        """Time must continue."""
        e = self._events
        e.append(t)
        self._burden += len(self.closed)
        if self._burden > HEAVY and self._burden < np.inf:
            self._burden = np.inf
            self.say(
                f"at time {t:.6g} the events of contact so far, with the points closed at each, come to {HEAVY}: every "
                "event solves for all of them at once; "
                "where many bodies rest on each other contact = time-stepping costs far less (this run goes on)"
            )
        if len(e) >= SAME_TIME and t - e[-SAME_TIME] <= 4e-16 * abs(t):
            raise Crowded(
                f"at time {t:.9g} contacts change {SAME_TIME} times without time continuing: no set of closed contacts "
                "holds there; "
                "the results so far are kept; use contact = time-stepping, which needs no order of events",
                t,
            )
        if len(e) >= self.most and t - e[-self.most] < SHORT * self.span:
            raise Crowded(
                f"at time {t:.9g} there were {self.most} events of contact within {t - e[-self.most]:.3g}: an infinite "
                "sequence that no geometric series "
                "follows; the results so far are kept; use contact = time-stepping, or a smaller restitution",
                t,
            )

    def come_to_rest(self, t: float, y: np.ndarray) -> None:
        """Behind a time of time-stepping: points that touch within its accuracy, and move no faster than a fall that
        ERROR does not resolve, are at rest, into y.  It takes energy, never gives it."""
        self._scale(y)
        self.settling.level = max(self.settling.level, FOLLOWED)
        near = max(self.depth, NEARLY * self.size)
        points = self._candidates(t, y, near)
        if not points:
            return
        D, W, _, velocity = self._problem(t, y, points)
        points = self.rows.points
        slow = max(self.settling.slow, SLOWLY * self._speed)
        r = arrest(W, velocity, np.array([p.mu for p in points]), self.groups, slow, np.abs(velocity[:, 0]) <= slow)
        before = self._energy(y)
        self._give(y, points, D, r)
        self.recorder.work = self.recorder.work + np.array([0.0, before - self._energy(y)])
        self._near = near

    def _candidates(self, t: float, y: np.ndarray, near: float = 0.0) -> list[Point]:
        """Closed points and those that touch, or are nearer than ``near``."""
        points = [p for p in self.closed if not p.gone]
        near = max(near, TOUCHING * self.size, self._near)
        self._near = 0.0
        found = self.rows.near(t, y, near)
        same = self._same(points, found)
        for k, p in enumerate(found):
            deep = -p.last[GAP]
            if deep > SEEN * self.size + 10.0 * self.rows.noise[1]:
                element = self.contacts.elements[p.contact]
                i, j = (self.contacts.solids[s].body.name for s in (p.a, p.b))
                words = f"at time {t:.9g} {i} and {j} ({element.label}) are inside each other by {deep:.3g}"
                if deep > SUNK * self.size:
                    raise IntegrationError(
                        f"{words}: the impact that led there was not seen; the results so far are kept; try a smaller "
                        "HMAX, or contact = time-stepping",
                        t,
                    )
                self._say_once(
                    "overlap",
                    WarningText(
                        f"{words}, where a contact point appears that was not there before; they are moved apart as it "
                        "closes"
                    ),
                )
            if k in same:
                continue
            p.mu, p.grip = self.bounds_of[p.contact].copy(), self.grips_of[p.contact].copy()
            points.append(p)
        return points

    def _same(self, points: list[Point], found: list[Point]) -> set[int]:
        """Which of the points ``found`` are among ``points``: those at the same place, then those of the same name.
        What has another name at its place is called by that from now on: the numbers that distinguish several points on
        one face follow the order of their gaps."""
        near = 1e-6 * self.size
        places: list[list[int]] = [
            [
                k
                for k, p in enumerate(found)
                if (q.a, q.b) == (p.a, p.b) and np.linalg.norm(q.last[FOOT : FOOT + 3] - p.last[FOOT : FOOT + 3]) < near
            ]
            for q in points
        ]
        same = {k for place in places for k in place}
        for q, place in zip(points, places):
            if not place:
                same |= {k for k, p in enumerate(found) if p.key == q.key}
        new = {p.key for k, p in enumerate(found) if k not in same}
        renamed = {}
        for q, place in zip(points, places):
            if place and q.key in new:
                renamed[q.key] = found[place[0]].key
                q.feature = found[place[0]].feature
        self._rename(renamed)
        return same

    def _after(self, t: float, y: np.ndarray, points: list[Point]):
        """Accelerations without contact forces and velocities, after an impact at the same point."""
        project_state(self.system, y, t, 0)
        D = self.rows.evaluate(y)
        k = len(points)
        acc = np.zeros((k, self.d))
        for i, p in enumerate(points):
            for side, shape in enumerate((p.a, p.b)):
                b = self.contacts.shape_body(shape)
                acc[i] += self.rows.T.H[i, :, layout.MOVES * side : layout.MOVES * (side + 1)] @ layout.move(
                    self.system.W.acc, b
                )
        return acc - self._of(D, D_GAMMA, D_TURN_GAMMA), self._of(D, D_W, D_TURN)

    def _impact(self, t: float, y: np.ndarray, points: list[Point], D, W, velocity, acc, rested) -> bool:
        """Velocities after the impact of all touching points, into y; those that ``rested`` (k,) do not rebound.
        False: it pulls at a stop."""
        c = np.array([p.contact for p in points])
        mu, e, et = self.bounds_of[c], self.e[c].copy(), self.et[c].copy()
        closing = velocity[:, 0] < -STILL * self._speed
        e[(velocity[:, 0] > -SLOW * self._speed) | rested] = 0.0
        over, slow = self._over(t, points, W, velocity, acc, e, closing & ~rested)
        e[over] = et[over] = 0.0
        law = self.law[c[int(np.argmin(velocity[:, 0]))]]
        before = self._energy(y)
        r, residual = self._impulses(points, W, velocity, mu, law, e, et)
        if over.any() and residual <= SOLVED:
            w = velocity + (W @ r.ravel()).reshape(-1, self.d)
            r = r + arrest(W, w, mu, self.groups, slow, island(W, over, self.d))
        if residual > SOLVED:
            raise Crowded(
                f"at time {t:.9g} the impact of {self._names(points)} has no solution to better than {residual:.2g} of "
                "its speed: if something is "
                "squeezed between parts that motions drive or joints hold, drive one of them by a force; else use "
                "contact = time-stepping; "
                "the results so far are kept",
                t,
            )
        if self.pulls is not None and self.pulls(r.ravel() @ self._shares):
            return False
        self._give(y, points, D, r)
        after = self._energy(y)
        w = velocity + (W @ r.ravel()).reshape(-1, self.d)
        lost = -0.5 * float((r * (velocity + w)).sum())
        put = after - before + lost  # what motions do that drive the bodies; nothing but roundoff without them
        if abs(put) <= DRIVEN * max(before, after):
            put, lost = 0.0, before - after
        self.counters["impacts"] += 1
        if lost < -1e-10 * max(before, after) and not self._told:
            self._told = True
            self.say(
                WarningText(
                    f"at time {t:.6g} an impact with friction gains energy ({-lost:.3g} "
                    f"{self.system.model.units.symbol('energy')}) at "
                    f"{self._names(points)}: restitution of velocities "
                    "(NEWTON) allows that (Kane's paradox); impact_law POISSON or ENERGY does not"
                )
            )
        self.recorder.work = self.recorder.work + np.array([put, lost])
        for i, p in enumerate(points):
            if r[i].any():
                work = 0.5 * float(r[i] @ (velocity[i] + w[i]))
                self.impacts.append(
                    (
                        t,
                        self.contacts.elements[p.contact].id,
                        *self._pair(p),
                        *D[i, D_C : D_C + 3],
                        r[i, 0],
                        float(np.hypot(r[i, 1], r[i, 2])),
                        velocity[i, 0],
                        w[i, 0],
                        -work,
                    )
                )
        return True

    def _impulses(self, points: list[Point], W, velocity, mu, law: str, e, et) -> Impact:
        """Impulses of an impact; points that stick and continue sticking have their static coefficient."""
        still = 10.0 * STILL * self._speed
        at_rest = np.linalg.norm(velocity[:, self.groups[0]], axis=1) <= still
        rests = at_rest & np.array([p.mode == STICKS and p.grip[0] > p.mu[0] for p in points])
        mu = mu.copy()
        while True:
            mu[rests, 0] = [p.grip[0] for p, rest in zip(points, rests) if rest]
            found = impact(W, velocity, mu, law, e, et)
            behind = velocity + (W @ found.r.ravel()).reshape(-1, self.d)
            slides = rests & (np.linalg.norm(behind[:, self.groups[0]], axis=1) > still)
            if not slides.any():
                return found
            rests &= ~slides
            mu[slides, 0] = [p.mu[0] for p, slide in zip(points, slides) if slide]

    def _give(self, y: np.ndarray, points: list[Point], D, r) -> None:
        """Velocities after the impulses r (k, d) of ``points``, into y; their momentum and that of ground to the
        recorder."""
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
        """Which of the points that close (k,) do so for good, and the speed below which what hangs together with them
        comes to rest."""
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
        crossings = []
        for i, s, end in zip(fresh, series, ended):
            short = rebound[i] ** 2 < 2.0 * (press[i] if not settling.level else a) * settling.height
            if e[i] >= 1.0 or not (end or short):
                continue
            over[i] = True
            slow = max(slow, ARRESTED * (rebound[i] if short else speed[i]), settling.slow)
            crossings.append((points[i], s, end))
        for p, s, end in crossings:
            element = self.contacts.elements[p.contact]
            if (t, element.id) not in self.ends:
                text = f"their series ends at {s.end or t:.12g} after {s.count} that were followed"
                if not end:
                    text = f"after {s.count} the next rebound is lower than what is followed ({settling.height:.2g})"
                self._say_once(
                    "accumulation",
                    f"at time {t:.9g} the impacts of {element.label} accumulate: {text}, and the contact stays closed",
                )
                self.counters["accumulations"] += 1
            self.ends.add((t, element.id))
            s.clear()
        return over, slow

    def _press(self, points: list[Point], W, velocity, acc, closing) -> np.ndarray:
        """Accelerations (k,) with which points are pressed together: without contact forces, or with those of the
        points that stay closed."""
        press = np.maximum(-acc[:, 0], 0.0)
        held = np.flatnonzero(~closing & (np.abs(velocity[:, 0]) <= STILL * self._speed))
        if not len(held):
            return press
        at = (self.d * held[:, None] + np.arange(self.d)).ravel()
        some = [points[i] for i in held]
        motion = accelerate(
            W[np.ix_(at, at)], acc[held], np.array([p.mu for p in some]), self._ways(some, velocity[held])
        )
        if motion.solutions and motion.residual <= GOOD:
            force = np.zeros(velocity.size)
            force[at] = motion.r.ravel()
            press = np.maximum(press, -(acc + (W @ force).reshape(acc.shape))[:, 0])
        return press

    def _high(self, points: list[Point], D) -> bool:
        """Does something that wobbles stand so high that its points must not be pulled together?"""
        sh = self.contacts.S.sh
        low = np.array([SUNK * thinner(sh, p.a, p.b) for p in points])
        return bool((D[: len(points), D_GAP] > low).any())

    def _lay(self, t: float, y: np.ndarray, points: list[Point], D, W, velocity, level: int) -> bool:
        """Something that wobbles on its edge, all of it lower than is followed, lies down: its points come to rest,
        into y.  Whether it does."""
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
        self._say_once(
            "flat",
            f"at time {t:.9g} {self._names(points)} wobbles lower than {height:.2g}, which takes ever shorter steps: "
            "it is laid flat",
        )
        self.counters["accumulations"] += 1
        return True

    def _halt(self, t: float, y: np.ndarray, points: list[Point], D, W, velocity, shut) -> bool:
        """Where stops of slip crowd (the slip of several points vanishes at once, or passes zero at a hair's breadth),
        what slips more slowly than is followed is brought to rest, into y; whether there was any."""
        slow = self.settling.slow
        mu = np.array([p.mu for p in points])
        for g, s in enumerate(self.groups):
            for i, p in enumerate(points):
                if np.linalg.norm(velocity[i, s]) > slow:
                    self._loose.discard((*p.key, g))
                elif (*p.key, g) in self._loose:  # friction does not hold it: it begins to slide anew
                    mu[i, g] = 0.0
        slips = [
            shut & (mu[:, g] > 0.0) & (np.linalg.norm(velocity[:, s], axis=1) <= slow)
            for g, s in enumerate(self.groups)
        ]
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
        """One more event among ``points``: small ones that crowd are followed less closely, and end the run where that
        does not help."""
        level = self.settling.add(t, speed, acceleration, steady)
        if level is None or level < TOLD:
            return
        if level >= len(ENOUGH) and not self._tried and not self.settling.impatient:
            self._flatten = self._tried = True
        elif level >= len(ENOUGH):
            raise Crowded(
                f"at time {t:.9g} events of {self._names(points)} come faster than their bodies move, and leaving out "
                "rebounds lower than "
                f"{self.settling.height:.2g} does not end them; the results so far are kept; use contact = "
                "time-stepping",
                t,
            )
        if level >= len(ENOUGH):
            return
        self._say_once(
            f"crowd {level}",
            f"at time {t:.9g} events of {self._names(points)} crowd: rebounds lower than {self.settling.height:.2g} "
            "are left out until they are over",
        )

    def _say_once(self, kind: str, text: str) -> None:
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

    def pairs(self, points: list[Point]) -> str:
        """Bodies and contacts of points, each pair once."""
        c = self.contacts
        names = dict.fromkeys((c.body_name(p.a), c.body_name(p.b), c.elements[p.contact].label) for p in points)
        words = [f"{a} and {b} ({contact})" for a, b, contact in names]
        return ", ".join(words[:NAMED]) + (f" and {len(words) - NAMED} more pairs" if len(words) > NAMED else "")

    def _energy(self, y: np.ndarray) -> float:
        b = self.system.bodies
        return layout.kinetic(b.mass, b.J, y) + self.system.drive_energy(y)

    def _momentum(self, y: np.ndarray) -> np.ndarray:
        from ..session.switched import _momentum

        return _momentum(self.system, y)

    def _decide(self, points, D, W, acc, velocity, leaving, slipping, stopped=frozenset(), t=0.0):
        """Modes and directions of slip of touching points from their accelerations."""
        k = len(points)
        ways = self._ways(points, velocity, stopped)
        motion, mu = self._accelerations(points, W, acc, ways, slipping, stopped)
        if motion.solutions == 0:
            # of one point that is proved; of several, time-stepping finds the impulses that lead on
            raise (IntegrationError if k == 1 else Crowded)(
                f"at time {t:.9g} the accelerations of {self._names(points)} have no solution: friction of the sliding "
                f"{'contact' if k == 1 else 'contacts'} would make {'its normal force' if k == 1 else 'normal forces'} "
                "draw in (Painleve's paradox); the results so far are kept; a smaller friction coefficient, or "
                "compliant contact, goes through",
                t,
            )
        if motion.solutions > 1 and not self.questionable:
            self.questionable = True
            self.say(
                WarningText(
                    f"at time {t:.9g} the accelerations of {self._names(points)} have several solutions (Painleve's "
                    "paradox of sliding friction); the one of "
                    "least force is taken, the results from here on are one of several possible motions"
                )
            )
        if motion.residual > SOLVED:
            raise Crowded(
                f"at time {t:.9g} no accelerations of {self._names(points)} fit friction and contact to better than "
                f"{motion.residual:.2g}; the results so "
                "far are kept; use contact = time-stepping",
                t,
            )
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

    def _accelerations(self, points: list[Point], W, acc, ways, slipping, stopped) -> tuple[Motion, np.ndarray]:
        """Forces and accelerations of touching points, and the coefficients (k, groups) that they have: at rest the
        static one, as long as it holds.

        A point that slid before this event, and whose slip has not ended here, has that of sliding although it may not
        move yet.
        """
        mu, grip = np.array([p.mu for p in points]), np.array([p.grip for p in points])
        slid = np.array([p.mode == SLIDES and (*p.key, 0) not in stopped and not self.struck for p in points])
        first = self.groups[0]
        rests = ~ways[:, first.start - 1 : first.stop - 1].any(axis=1) & ~slid & (grip[:, 0] > mu[:, 0])
        leaves = np.array([(*p.key, 0) in slipping for p in points])
        while True:
            bound = mu.copy()
            bound[rests, 0] = grip[rests, 0]
            motion = accelerate(W, acc, bound, ways)
            if not rests.any():
                return motion, bound
            size = max(self.acceleration, float(np.abs(acc).max(initial=0.0)))
            force = max(self.weight, float(np.abs(motion.r).max(initial=0.0)))
            rubs = np.linalg.norm(motion.r[:, first], axis=1) >= bound[:, 0] * motion.r[:, 0] - 10.0 * MARGIN * force
            slides = rests & ((np.linalg.norm(motion.a[:, first], axis=1) > 0.1 * MARGIN * size) | (leaves & rubs))
            if not slides.any():
                return motion, bound
            rests &= ~slides

    # ---- results -----------------------------------------------------------------------------------------------------
    def fill(self, t: float, y: np.ndarray) -> None:
        """The forces of closed points where the engine keeps those of compliant contact, for sums and pictures."""
        self.rows.fill(y)
