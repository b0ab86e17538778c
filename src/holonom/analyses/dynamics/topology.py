"""Elements that SWITCHes turn on and off during a dynamic analysis: when, and what happens to the state then.

The conditions of the present states are checked after each step, at its end and inside it on the integrator's
interpolant, and the first that becomes positive is located.  There another system takes over: every combination of
states has one, built when it is first met and kept with its integrators.  Positions stay; velocities jump by the
impulses of the new constraints,

    u_p = u - M^-1 G^T Lambda,   (G M^-1 G^T) Lambda = G u + phi_t        (plastic impact)
    u+  = u + (1 + e) (u_p - u)                                          (stops with restitution, Newton's law)

with all joints of the mechanism in G.  Stops that are closed meanwhile only push: one whose impulse would pull opens.
A rebound that would last less than `INSTANT` of the analysis is none: the stop closes, and the sequence of bounces has
come to rest. Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (Wiley 1996); Glocker, Set-Valued Force
Laws (Springer 2001).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ...elements.bodies import layout
from ...elements.bodies.coordinates import rotations
from ...elements.bodies.mass import kinetic
from ...elements.bodies.momentum import momentum
from ...integrators.entry import CONSTRAINTS, RATE, enter, explicit_handle, project_state
from ...integrators.explicit import REDUNDANT
from ...model import ModelError
from ...model.switches import Switch, Transition
from ...model.validate import validate
from ...system.build import System
from ...system.flags import USER_FAILED
from ...system.functions import FORCE, MEASURE
from ...system.names import INPUT
from ...system.output_kernels import ACCEPT, VALUES, evaluate_outputs, sample
from ...system.outputs import OwnFrames
from ...system.reference import continue_angles, present_angles, take_angles
from ..assemble import assemble, redundancy_words
from ..holding import found, hold

INSTANT = 1e-6  # of the analysis: rebounds that are over within it are none
INSIDE = (0.1, 0.27, 0.5, 0.73, 0.9)  # where a step is checked: not equally spaced, so that no oscillation hides
BEYOND = 1e-6  # of the size of its coordinate, by which a joint may start beyond a stop
NOISE = 1e-10  # of the largest force or torque: conditions on reactions below it are roundoff
CLEAR = 1e-11  # of the size of what it compares: so far below zero a condition must have been to become positive
AT_ONCE = 40  # changes at one point of time before there is reported to be no end of them
FLOOD, SOON = 1000, 1e-5  # so many changes within this share of the analysis as well
TOLD = 20  # changes that messages report one by one
NEEDS_JOINT = {"MOTION": "joint", "FRICTION": "joint", "COUPLER": "joints", "GEAR": "joints"}
PARTED = 1e-9  # impulses that pull below this share of the largest are roundoff


def _coordinate_size(system: Any, s: Switch, tr: Transition) -> float:
    """Size of what a condition compares: the length scale of the model for a stop of a travel, one radian for a stop of
    an angle.  The unit of other conditions is unknown: at least one."""
    if not tr.side:
        return max(1.0, system.extent)
    motions = [system.model.table("MOTION")[id] for kind, id in s.acting(tr.target) if kind == "MOTION"]
    return system.extent if any(m.kind == "TRANSLATIONAL" for m in motions) else 1.0


class Guards(OwnFrames):
    """The conditions under which the present states are left, in one system; a row for each transition."""

    def __init__(self, system: Any, leaving: list[tuple[Switch, Transition]]):
        super().__init__(system)
        self.leaving = leaving
        self.rows = [[self.set.compile(s, w) for w in t.when] for s, t in leaving]
        self.pack(system.W._replace(R=system.W.R.copy()))
        late = lambda i: i.kind == FORCE or (i.kind == MEASURE and i.level == 2)
        #: conditions on forces and accelerations, which are known once the equations are solved
        self.late = np.array(
            [any(late(self.set.inputs[i]) for f in row for i in self.set.flat[f]) for row in self.rows], bool
        )
        self.edge = np.array([t.edge for _, t in leaving], bool)
        self.pushes = np.array([t.side != 0 for _, t in leaving], bool)
        self.opens = np.array(
            [any(o.side and o.target == t.source for o in s.transitions) for s, t in leaving], bool
        )  # closed stops
        self.size = np.array([_coordinate_size(system, s, t) for s, t in leaving])
        self.clear = CLEAR * self.size
        self.armed = ~self.edge
        self.g = np.zeros(len(leaving))  # at the beginning of the step
        self.noise = np.zeros(len(leaving))
        system.workspace.guards = (
            self  # rows of contacts that open and close are handed on to it (`system.active_rows`)
        )
        self._keys = [(key, k) for key, k in self.set._input_index.items() if key[0] in ("MODE", "SENVAL", INPUT)]

    def values(self, t: float, y: np.ndarray, solve: bool = True) -> np.ndarray:
        """The smallest condition of each transition at (t, y); ``solve`` False: those on forces as they were last."""
        system = self.system
        theirs = system.outputs.set._input_index
        for key, k in self._keys:
            if key in theirs:
                self.W.f.x[k] = system.outputs.W.f.x[theirs[key]]
            elif key[0] == "SENVAL":
                self.W.f.x[k] = system.senval.get(key[1], 0.0)
        if solve and self.late.any():
            project_state(system, y, t, 0)
            if system.W.flags[USER_FAILED]:
                system.raise_user_error(t)
            self.W.R[:] = system.W.R
            self.W.acc[:] = system.W.acc
            if system.contacts.on:
                system.contacts.sum(t, y)
            evaluate_outputs(self.handle, t, y)
            self.noise[self.late] = NOISE * np.abs(system.wrenches.out).max(initial=0.0)
        else:
            sample(self.handle, t, y, VALUES)
        v = self.W.f.fval
        return np.array([min(v[f] for f in row) for row in self.rows])

    def accept(self, t: float, y: np.ndarray) -> None:
        """Keep count of the turns of angles."""
        if self.set._refs:
            sample(self.handle, t, y, ACCEPT)


class Topology:
    """Follows the states of all SWITCHes through one dynamic analysis (`dynamics.Dynamics`)."""

    def __init__(self, dynamics: Any):
        self.d = dynamics
        self.sim = dynamics.simulation
        self.span = dynamics.span
        self.switches = switches_of(self.sim.model)
        self.states: dict[int, str] = dict(self.sim.carried.switched)
        self.systems: dict[tuple, Any] = {self._key(self.states): dynamics.system}
        self._reports: dict[tuple, Any] = {self._key(self.states): self.sim.assembly.redundant}
        self._bound: dict[tuple, dict] = {}
        self._guards: dict[tuple, Guards] = {}
        self._recent: deque[float] = deque(maxlen=FLOOD)
        self._last_lines = redundancy_words(dynamics.system, self.sim.assembly.redundant)
        self.fired: list[int] = []
        #: elements whose own values were checked, when the simulation began or they were switched on
        self._known = {id(e) for e in self.sim.model if e.active}
        self._away: set[int] = set()  # SWITCHes whose stop has just been left by a rebound
        self.counters = {"switches": 0, "impacts of switches": 0, "systems of switches": 1}
        self.worst = 0.0
        self._equip()

    def _key(self, states: dict[int, str]) -> tuple:
        return tuple(states[s.id] for s in self.switches)

    # ---- before and after -------------------------------------------------------------------------------------------
    def begin(self, t: float, y: np.ndarray) -> np.ndarray:
        """At the start of the analysis: what holds there already switches at once; returns the state to begin with."""
        self._check_stops(t, y)
        self.fired = self._arrive(t, y, True)
        if not self.fired:
            return y
        self.d.work.renew()
        return self.turn(t, y)

    def _check_stops(self, t: float, y: np.ndarray) -> None:
        g = self.guards.values(t, y)
        for (s, tr), value, size in zip(self.guards.leaving, g, self.guards.size):
            if tr.side and value > BEYOND * size:
                raise s.error(
                    f"at time {t:.6g} the joint lies beyond its {tr.target} stop by {value:.4g}; start it between "
                    "its stops"
                )

    def end(self) -> None:
        """The analysis ends: counters, and the other systems let go."""
        r = self.d.recorder
        r.count(self.counters)
        if self.counters["impacts of switches"]:
            name = "largest imbalance of momentum in impacts of switches"
            r.counters[name] = max(self.worst, r.counters.get(name, 0.0))
        self.sim.carried.switched.update(self.states)

    # ---- evaluations of gaps -----------------------------------------------------------------------------------------
    def _equip(self) -> None:
        """Guards of the present combination of states."""
        key = self._key(self.states)
        if key not in self._guards:
            leaving = [(s, t) for s in self.switches for t in s.transitions if t.source == self.states[s.id]]
            self._guards[key] = Guards(self.d.system, leaving)
            self._guards[key].continue_angles(self.sim.carried.angles)
        self.guards = self._guards[key]
        self._y = np.zeros_like(self.d.system.y0)

    def _arrive(self, t: float, y: np.ndarray, start: bool = False) -> list[int]:
        """The present states are entered at (t, y): which transitions are due at once; the others are armed or wait."""
        G = self.guards
        if not G.leaving:
            return []
        G.accept(t, y)
        g = G.values(t, y)
        away = np.array([s.id in self._away for s, _ in G.leaving])
        G.armed = ~G.edge | (g < -G.clear) | (away & G.pushes & (np.abs(g) <= G.clear))
        self._away.clear()
        due = (g > G.noise) & ~G.edge
        if self.d.stepped:  # what contacts give is known after a step
            G.armed &= ~(G.edge & G.late)
            due &= ~G.late
        just = G.edge & ~G.armed & ~G.late & ~G.pushes & (np.abs(g) <= G.clear)
        if start and just.any():  # just zero at the start: what it does next decides
            T, system = self.d.system.workspace.stages, self.d.system
            T.ya[:] = y
            enter(explicit_handle(system), RATE, y, t, 0.0, REDUNDANT, 0, T.d)
            moment = 1e-8 * self.span
            ahead = G.values(t + moment, y + moment * T.K[1], False)
            due |= just & (ahead > g)
        G.g = np.where(G.edge & (g >= -G.clear), 0.0, g)
        return self._first_of_each(np.flatnonzero(due))

    def _first_of_each(self, rows: Any) -> list[int]:
        """One transition for each switch: the first in its list."""
        out: dict[int, int] = {}
        for k in rows:
            out.setdefault(self.guards.leaving[k][0].id, int(k))
        return list(out.values())

    def check(self, stepper: Any, step: Any, until: float) -> float | None:
        """Time of the first change within the last step, as far as ``until``, or None."""
        G = self.guards
        if not G.leaving:
            return None

        def at(t: float) -> np.ndarray:
            if t == step.t:
                return G.values(t, stepper.y)
            stepper.interpolate(t, self._y)
            return G.values(t, self._y)

        end = at(until)
        h = until - step.t_old
        points = [(until, end)]
        if h > 0 and self._doubtful(end):
            points = [*((step.t_old + s * h, at(step.t_old + s * h)) for s in INSIDE), *points]
        a, ga = step.t_old, G.g
        for t, g in points:
            sunk = G.pushes & ~G.armed & (g > np.maximum(G.g, 0.0) + G.clear)  # never left its stop
            hit = (G.armed & (g > G.noise)) | sunk
            below = g < -G.clear
            if self.d.stepped:  # forces are those at the end of the step
                inside = hit & ~G.late
                if t < step.t or inside.any():
                    hit = inside
                    below &= ~G.late
                elif hit.any():  # a stop that would pull in this step has let go before it
                    pulling = hit & G.opens
                    self.fired = self._first_of_each(np.flatnonzero(pulling if pulling.any() else hit))
                    return step.t_old if pulling.any() else t
            if hit.any():
                return self._locate(a, np.where(sunk, 0.0, ga), t, g, at, hit)
            G.armed |= below
            a, ga = t, g
        G.g = end
        if G.set._refs:
            if until != step.t:
                stepper.interpolate(until, self._y)
            G.accept(until, stepper.y if until == step.t else self._y)
        return None

    def _doubtful(self, end: np.ndarray) -> bool:
        """Could a condition have changed twice within the step?  Not when it stays far from zero for its change."""
        G = self.guards
        near = np.minimum(np.abs(end), np.abs(G.g)) <= 2.0 * np.abs(end - G.g)
        return bool((near | (G.armed & (end > G.noise))).any())

    def _locate(self, a: float, ga: np.ndarray, b: float, gb: np.ndarray, at: Any, hit: np.ndarray) -> float:
        """The first time in (a, b] at which one of the conditions is positive: Illinois, or halving from a zero at
        a."""
        G = self.guards
        k = np.flatnonzero(hit)
        scale = np.maximum(np.abs(gb[k] - ga[k]), 1e-300)
        most = lambda g: float(((g[k] - G.noise[k]) / scale).max())
        fa, fb = min(most(ga), 0.0), most(gb)
        near = max(4e-16 * max(abs(a), abs(b)), 1e-14 * (b - a))
        side = 0
        for _ in range(100):
            if b - a <= near:
                break
            t = b - fb * (b - a) / (fb - fa) if fa < 0.0 else 0.5 * (a + b)
            t = min(max(t, a + 0.5 * near), b - 0.5 * near)
            g = at(t)
            f = most(g)
            if f > 0.0:
                b, fb, gb = t, f, g
                fa = 0.5 * fa if side < 0 else fa
                side = -1
            else:
                a, fa = t, f
                fb = 0.5 * fb if side > 0 else fb
                side = 1
        self.fired = self._first_of_each(k[gb[k] > G.noise[k]])
        return b

    # ---- changes ----------------------------------------------------------------------------------------------------
    def turn(self, t: float, y: np.ndarray) -> np.ndarray:
        """Carry out what is due at (t, y) and what follows from it at once; the row behind is stored.  Returns the
        state behind."""
        before, given = self.d.system, y
        self._count(t)
        self.guards.accept(t, y)
        due = self.fired
        self.fired = []
        for _ in range(AT_ONCE):
            rows = [self.guards.leaving[k] for k in due]
            for s, tr in rows:
                if self.states[s.id] == tr.source:
                    y = self._change(t, y, s, tr)
            y = self.d.behind(t, y, carry(before, self.d.system, given, y))
            due, self.fired = self.fired or self._arrive(t, y), []
            if not due:
                break
        else:
            names = sorted({self.guards.leaving[k][0].label for k in due})
            raise ModelError(
                f"at time {t:.6g} the changes of {' and '.join(names)} have no end: each state is left at once for "
                "another; "
                "let the conditions of neighbouring states exclude each other, or give them EDGE"
            )
        self.d.sensors.previous = None
        if self.d.keeps:
            self.d.recorder.record(t, y, 0)
        else:
            self.d.recorder.evaluate(t, y, 0)
        return y

    def _count(self, t: float) -> None:
        self._recent.append(t)
        if len(self._recent) == FLOOD and t - self._recent[0] < SOON * self.span:
            names = sorted({s.label for s, _ in self.guards.leaving})
            raise ModelError(
                f"at time {t:.6g} {' and '.join(names)} switch without end, {FLOOD} times since {self._recent[0]:.9g}; "
                "a stop with a smaller RESTITUTION comes to rest sooner, other conditions need a distance between on "
                "and off"
            )

    def _change(self, t: float, y: np.ndarray, s: Switch, tr: Transition) -> np.ndarray:
        """One transition at (t, y)."""
        source, target = dict(self.states), {**self.states, s.id: tr.target}
        while True:
            after, fitted, before = self._fit(t, y, target, s, tr)
            pulls = self._pulling(after, fitted.impulses, target, s)
            if pulls is None:
                break
            other, freed = pulls  # a stop that is closed elsewhere would pull: it releases in this impact
            source[other.id] = target[other.id] = freed
        lost, size, off = self._balance(t, after, before, fitted)
        e = tr.restitution
        if e > 0.0 and self._rebounds(t, y, after, before, fitted.y, source, s, tr):
            self._go(source, before)
            y = carry(after, self.d.system, before, y)
            n = self.d.system.nb
            u, v = layout.speeds(y, n), layout.speeds(carry(after, self.d.system, fitted.y, y), n)
            u += (1.0 + e) * (v - u)
            lost, size = (1.0 - e * e) * lost, (1.0 + e) * size
            state, off = tr.source, (1.0 + e) * off
            self._away.add(s.id)
        else:
            self._go(target, fitted.y)
            y, state = fitted.y.copy(), tr.target
            self._report_redundant(s, tr, after, fitted.redundant)
            self.sim.assembly = fitted
        r = self.d.recorder
        if self.d.work.on:
            r.work = r.work + np.array([0.0, lost] if lost >= 0 else [-lost, 0.0])
            if r.contacts:
                r.impulse = r.impulse + np.concatenate([off, np.zeros(6)])
        self.counters["switches"] += 1
        self.counters["impacts of switches"] += size > 0.0
        self._log(t, s, tr.source, state, lost, size)
        return y

    def _fit(self, t: float, y: np.ndarray, states: dict[int, str], s: Switch, tr: Transition):
        """The system of other states, the state fitted to it, and the state as it came."""
        old = self.d.system
        key = self._key(states)
        new = self._system(states)
        before = carry(old, new, y, new.y0)
        if new is not old:
            take_angles(new, present_angles(old))
        on, was = acting(self.switches, states), acting(self.switches, self.states)
        fresh = [ref for sw in self.switches for ref in sw.hold if ref in on and ref not in was]
        if fresh:
            self.sim.carried.held |= found(new, fresh, t, before)
        hold(new, {ref: v for ref, v in self.sim.carried.held.items() if ref in on})
        try:
            fitted = assemble(new, t, before, carried=True, report=self._reports.get(key))
        except ModelError as problem:
            why = (
                str(problem)
                .split("; try")[0]
                .replace("the initial position cannot be assembled", "the parts do not fit together")
            )
            why = why.replace("the initial velocities cannot be made to fit", "no velocities fit all constraints")
            raise s.error(
                f"its change from {tr.source} to {tr.target} cannot be carried out: {why}; it must not close a loop "
                "that does not fit, "
                "or against motions that contradict it"
            ) from None
        self._reports[key] = fitted.redundant
        return new, fitted, before

    def _system(self, states: dict[int, str]) -> Any:
        """The system of a combination of states."""
        key = self._key(states)
        if key not in self.systems:
            sim = self.sim
            set_states(sim, states)
            try:
                refuse_held_bodies(sim.model, states, self.switches)
                validate(sim.model, self.d.system.rigid, self._known)
                self._known |= {id(e) for e in sim.model if e.active}
                inputs = sim.inputs.present(sim._stepping is not None)
                self.systems[key] = System(
                    sim.model, missing=sim.missing, senval=sim.carried.senval, rigid=self.d.system.rigid, inputs=inputs
                )
            finally:
                set_states(sim, self.states)
            self.counters["systems of switches"] += 1
        self.sim.inputs.put(self.systems[key])
        return self.systems[key]

    def pulled(self, impulses: np.ndarray) -> bool:
        """Does an impact of contacts, with these impulses of the rows, pull at a closed stop?  It is due to open
        then."""
        found = self._pulling(self.d.system, impulses, self.states, None)
        if found is None:
            return False
        self.fired = [k for k, (s, tr) in enumerate(self.guards.leaving) if s is found[0] and tr.target == found[1]][:1]
        return bool(self.fired)

    def _pulling(
        self, system: Any, impulses: np.ndarray, states: dict[int, str], hitting: Switch | None
    ) -> tuple[Switch, str] | None:
        """A closed stop whose impulse pulls, and the state in which it is open; the worst one first."""
        worst, out = -PARTED * float(np.abs(impulses).max(initial=0.0)), None
        rows = {(c.element.KIND, c.element.id): c.rows.start for c in system.constraints}
        for s in self.switches:
            closing = next((tr for tr in s.transitions if tr.side and tr.target == states[s.id]), None)
            if closing is None or s is hitting:
                continue
            for ref in set(s.acting(closing.target)) - set(s.acting(closing.source)):
                if ref in rows and -impulses[rows[ref]] * closing.side < worst:
                    worst, out = -impulses[rows[ref]] * closing.side, (s, closing.source)
        return out

    def _rebounds(self, t, y, after, before, plastic, source, s: Switch, tr: Transition) -> bool:
        """Does the rebound of the constraints that the target adds last longer than an instant?"""
        free = self._system(source)
        refs = set(s.acting(tr.target)) - set(s.acting(tr.source))
        rows = [r for c in after.constraints if (c.element.KIND, c.element.id) in refs for r in c.rows]
        n = after.nb
        z = before.copy()
        layout.speeds(z, n)[:] += (1.0 + tr.restitution) * layout.speeds(plastic - before, n)
        w = carry(after, free, z, free.y0)
        project_state(free, w, t, 0)
        acc = free.W.acc.copy()
        enter(explicit_handle(after), CONSTRAINTS, z, t, 0.0, REDUNDANT, 0, after.workspace.stages.d)
        G, rw = after.W.rw.G, after.W.rw
        if free.nb != n:
            return True
        u = np.concatenate([layout.body(z, b)[layout.SPEED] for b in range(n + 1)])
        longest = 0.0
        for r in rows:
            at = np.flatnonzero(after.slot_row[: after.nslots] == r)
            v = a = 0.0
            for q in at:
                b = after.slot_body[q]
                v += G[q] @ layout.move(u, b)
                a += G[q] @ layout.move(acc, b)
            v, a = v + rw.phit[r], a - rw.gamma[r]
            if tr.side and v * tr.side <= 0.0:
                continue
            longest = max(longest, np.inf if v * a >= 0.0 and v != 0.0 else 2.0 * abs(v / a) if a else 0.0)
        return longest > INSTANT * self.span

    def _balance(self, t: float, system: Any, before: np.ndarray, fitted: Any) -> tuple[float, float, np.ndarray]:
        """Kinetic energy lost, size of the largest impulse of a row, and what ground gives (6,); checks the momentum.

        What all parts gain must be what the rows that touch ground give: all other impulses come in pairs.
        """
        n, bodies = system.nb, system.bodies
        if not n:
            return 0.0, 0.0, np.zeros(6)
        after, Lambda = fitted.y, fitted.impulses
        have = []
        R = np.tile(np.eye(3).ravel(), (n + 1, 1))
        for y in (before, after):
            rotations(bodies, y, R)
            out = np.zeros(18)
            momentum(bodies, y, R, np.zeros(bodies.moves), np.zeros(6), out)
            have.append(out[:6].copy())
        row, body = system.slot_row[: system.nslots], system.slot_body[: system.nslots]
        q = np.flatnonzero(self._grounded(system)[row] & (Lambda[row] != 0.0)) if system.m else np.zeros(0, np.int64)
        w = -Lambda[row[q], None] * system.W.rw.G[q]
        place, axes = layout.places(after, n)[body[q]], R[body[q]].reshape(-1, 3, 3)
        given = np.concatenate(
            [w[:, :3].sum(0), (np.cross(place, w[:, :3]) + np.einsum("qij,qj->qi", axes, w[:, 3:])).sum(0)]
        )
        kinetic = [_kinetic(bodies, y) + system.drive_energy(y) for y in (before, after)]
        lost = kinetic[0] - kinetic[1]
        jump = float(np.abs(Lambda).max(initial=0.0))
        u = layout.rows(before, n)
        size = float((bodies.mass * np.linalg.norm(u[:, layout.VELOCITY], axis=1)).sum()) + np.abs(given[:3]).max()
        turn = float(
            (
                bodies.mass * np.linalg.norm(u[:, layout.VELOCITY], axis=1) * np.linalg.norm(u[:, layout.PLACE], axis=1)
            ).sum()
        )
        turn += float(np.linalg.norm(bodies.J * u[:, layout.SPIN], axis=1).sum()) + np.abs(given[3:]).max()
        off = np.abs(have[1] - have[0] - given)
        share = float(max(off[:3].max() / size if size else 0.0, off[3:].max() / turn if turn else 0.0))
        jump = jump if jump > 1e-12 * (size + turn) else 0.0
        if jump:
            self.worst = max(self.worst, share)
            if share > 1e-9:
                self.sim.warn(
                    f"at time {t:.6g} the momentum of all parts is out of balance by {share:.3g} of its size in this "
                    "impact"
                )
        if not jump or abs(lost) <= 1e-14 * max(kinetic):
            lost = 0.0
        return lost, jump, given

    def _grounded(self, system: Any) -> np.ndarray:
        """Rows that touch ground."""
        equations = system.workspace.equations
        if equations.grounded is None:
            frames = lambda row: [f for _, _, a, b in row.terms for f in (a, b)] or list(row.frames or (row.i, row.j))
            equations.grounded = np.array(
                [any(system.frame_list[f][0] == system.nb for f in frames(row)) for row in system.rows], bool
            )
        return equations.grounded

    # ---- systems ----------------------------------------------------------------------------------------------------
    def _go(self, states: dict[int, str], y: np.ndarray) -> None:
        """The system of these states takes over, at the state y."""
        key, old = self._key(states), self._key(self.states)
        if key == old:
            return
        d, sim = self.d, self.sim
        system, before = self._system(states), d.system
        d._count()
        d._release()
        sim.carried.angles |= present_angles(before)
        memories = before.contacts.memories()
        kind, formulation, changes = d.switching.kind, d.switching.formulation, d.switching.changes
        self._bound[old] = {name: getattr(d, name) for name in d.BOUND}
        self.states = dict(states)
        sim.carried.switched.update(states)
        set_states(sim, self.states)
        d.recorder.attach(system)  # makes its outputs
        if key in self._bound:
            for name, value in self._bound[key].items():
                setattr(d, name, value)
            d.touch.resume()
        else:
            d.bind(system)
        _renew_plane(system, y)
        sim.system = system
        for name, value in before.outputs.parameters.items():
            system.outputs.set_parameter(name, value)
        system.contacts.recall(memories)
        d.switching.kind, d.switching.formulation, d.switching.changes = kind, formulation, changes
        self._equip()
        continue_angles(system, sim.carried.angles)
        d.stepper = d._make(d.switching.present())

    def _report_redundant(self, s: Switch, tr: Transition, system: Any, report: Any) -> None:
        lines = redundancy_words(system, report)
        if lines != self._last_lines:
            new = [line for line in lines if line not in self._last_lines]
            for line in new:
                self.sim.say_once(f"redundant with {s.name} {tr.target}: {line}")
            self._last_lines = lines

    def _log(self, t: float, s: Switch, source: str, target: str, lost: float, impulse: float) -> None:
        table = self.sim.switchings
        table.append((float(t), s.name, source, target, float(lost), float(impulse)))
        if len(table) > TOLD:
            if len(table) == TOLD + 1:
                self.sim.say("further switches are not reported one by one: see the table switches of the run")
            return
        unit = self.sim.model.units.symbol("energy")
        what = f"{s.name} goes from {source} to {target}" if source != target else f"{s.name} is met with rebound"
        energy = (
            ""
            if lost == 0.0
            else f"; {abs(lost):.4g} {unit} of kinetic energy {'are lost' if lost > 0 else 'are put in'}"
        )
        self.sim.say(f"at time {t:.9g} {what}{energy}")


# ---- states and elements -------------------------------------------------------------------------------------------
def switches_of(model: Any) -> list[Switch]:
    return [s for s in model.table("SWITCH").values() if s.active]


def acting(switches: list[Switch], states: dict[int, str]) -> set:
    """Elements that SWITCHes have turned on."""
    return {ref for s in switches for ref in s.acting(states[s.id])}


def set_states(sim: Any, states: dict[int, str]) -> None:
    """Set ``active`` of all elements that SWITCHes turn on and off, and of what needs a joint that is off."""
    model = sim.model
    switches = [
        s for s in switches_of(model) if states.get(s.id) in s.states[: len(s.on)]
    ]  # faulty ones are refused by `validate`
    on = acting(switches, states)
    for s in switches:
        for kind, number in s.elements:
            if number in model.table(kind):
                model.table(kind)[number].active = (kind, number) in on
    off = {n for s in switches for kind, n in s.elements if kind == "JOINT" and (kind, n) not in on}
    own = {ref for s in switches for ref in s.elements}
    for kind, name in NEEDS_JOINT.items():
        for e in model.table(kind).values():
            joints = getattr(e, name)
            gone = bool(off.intersection(joints if isinstance(joints, tuple) else (joints,)))
            ref = (kind, e.id)
            if gone and e.active:
                if ref not in own:
                    sim.followers.add(ref)
                e.active = False
            elif not gone and ref in sim.followers:
                sim.followers.discard(ref)
                e.active = True


def refuse_held_bodies(model: Any, states: dict[int, str], switches: list[Switch]) -> None:
    """Raise for a body that a state removes while elements hold it."""
    gone = {
        (k, n): s
        for s in switches
        for k, n in s.elements
        if k in ("PART", "POINT_MASS") and not model.table(k)[n].active
    }
    if not gone:
        return
    for e in model:
        if not e.active or e.KIND in ("MARKER", "GRAPHICS", "REQUEST", "FOREIGN", "PART", "POINT_MASS"):
            continue
        for name, kind in e.REFERENCES.items():
            if kind != "MARKER":
                continue
            marker = model.markers.get(getattr(e, name) or 0)
            s = gone.get((marker.body_kind, marker.part)) if marker is not None else None
            if s is not None:
                body = model.table(marker.body_kind)[marker.part]
                raise s.error(
                    f"its state {states[s.id]} removes {body.label}, which {e.label} holds; switch that off too"
                )


def carry(old: Any, new: Any, y: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """A state of one system as one of another; bodies and states that the old one does not have come from ``rest``."""
    tails = old.tail_places(), new.tail_places()
    if old is new or (
        old.body_index == new.body_index and old.functions.states == new.functions.states and tails[0] == tails[1]
    ):
        return y.copy()
    out = rest.copy()
    for key, b in new.body_index.items():
        a = old.body_index.get(key)
        if a is not None and a < old.nb and b < new.nb:
            layout.body(out, b)[:] = layout.body(y, a)
    place = {key: k for k, key in enumerate(old.functions.states)}
    for k, key in enumerate(new.functions.states):
        if key in place:
            out[new.bodies.end + k] = y[old.bodies.end + place[key]]
    for key, at in tails[1].items():
        if key in tails[0]:
            out[at] = y[tails[0][key]]
    return out


def _kinetic(bodies: Any, y: np.ndarray) -> float:
    return kinetic(bodies, y)


def _renew_plane(system: Any, y: np.ndarray) -> None:
    """Forget that a system moves in a plane where it does so no more."""
    plane = system.workspace.plane
    if plane is None:
        return
    n = system.nb
    b = layout.rows(y, n)
    c = [k for k in range(3) if k != plane.axis]
    if np.abs(b[:, 7 + plane.axis]).max(initial=0.0) > 1e-12 * (
        1.0 + np.abs(b[:, [7 + k for k in c]]).max(initial=0.0)
    ):
        system.workspace.forget_plane()
