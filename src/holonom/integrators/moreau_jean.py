"""Moreau-Jean time-stepping: rigid contacts with friction and impacts at a fixed step, without searching for events.

    M (u+ - u) = h F + G^T Lambda + H^T r,      q+ = q + h (theta u+ + (1 - theta) u),      G u+ = -phi_t,
    0 <= w_n + e min(w_n before, 0)  _|_  r_n >= 0,      r_t in the disk of radius mu r_n against w_t,      w = H u+

of the contacts that are closed at the middle q + h u / 2 (J. J. Moreau, "Unilateral contact and dry friction in finite
freedom dynamics", 1988; M. Jean, Comput. Methods Appl. Mech. Eng. 177 (1999) 235; V. Acary, B. Brogliato, Springer
2008, ch. 10).  Forces are those of the middle of the step, found with accelerations that satisfy the joints (order 2
where nothing touches): explicitly where only gravity and inertia act, linearly implicit where there are springs or
other forces (`_moreau_implicit`).  Any number of impacts may fall into a step: accumulations are passed over, and order
is one across impacts.

What moves further in a step than half of what it meets is thick could pass through it unseen between two middles.  Such
steps are checked from beginning to end (`contact.crossing`), cut where two shapes meet, and the next one is so short
that the impact is found at its middle.

After the step positions are brought back: joints by projection, contacts that overlap by the smallest displacement in
the metric of the mass that opens them (a complementarity problem of positions; V. Acary, Comput. Methods Appl. Mech.
Eng. 256 (2013) 224, combined projection).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from .._jit import Entry
from .._warnings import WarningText
from ..contact.crossing import CUT, MOVED, SHARE, THICK, WHICH, crossing, thin_shapes
from ..contact.rigid.problem import Problem, make_problem
from ..contact.rigid.rows import (
    G_FORCE,
    G_FRICTION,
    G_MOMENT,
    G_NORMAL,
    G_POINT,
    GIVEN_DATA,
    MEETS,
    MU,
    STATIC,
    enter_rows,
    give_back,
    make_memory,
    mend,
    regrip,
)
from ..contact.rigid.solvers import Settings, solve
from ..contact.rigid.solvers import before as speeds
from ..contact.tables import (
    AT,
    C_FORCE,
    C_FRICTION,
    C_NORMAL,
    C_POINT,
    C_TORQUE,
    COLUMNS,
    GAP,
    HELD,
    LIST_SPAN,
    MOST_MARGIN,
    MUTE,
    POINTS,
    SINCE,
)
from ..contact.tables import RATE as SPEED
from ..elements.bodies import layout
from ..elements.bodies.entry import bodies_handle, put_speeds, retract, speeds_of
from ..elements.bodies.gyroscopic import midpoint as turn_by_inertia
from ..elements.bodies.layout import MOVES, body_moves
from ..elements.bodies.mass import inverse_masses, masses
from ..linalg.lu import NotFinite, SingularMatrix
from ..model import ModelError
from ..system.delassus import generalised, push, respond
from ..system.flags import USER_FAILED
from ._moreau_implicit import LinearlyImplicit
from ._moreau_surfaces import GIVEN as SURFACES_GIVEN
from ._moreau_surfaces import MUTE as SURFACES_MUTE
from ._moreau_surfaces import Surfaces
from ._sleep import SLOW as REST
from ._sleep import Sleepers
from .dense_bounds import SampledBounds
from .entry import RATE, enter, explicit_handle, project_state
from .stepper import IntegrationError, Options, Step, Stepper, advice

REDUNDANT = 1e-8
SLOP = 1e-6  # depth that is left alone, of the size of the smallest shape that moves
PIN = 1e-3  # of a typical size: what is smaller counts as so large
PUSH = Settings("NSGS", 1e-3, 30)  # of the correction of positions
BAUMGARTE = 0.2  # share of the depth that stabilisation by velocity opens in a step
DRIVEN = 1e-9  # a body whose motions leave so little of its mobility is as good as ground
EVERY = np.array([1.0, 1.0, np.inf, 0.0, 1.0, 1.0])  # no point is left out (`rows.enter_rows`)
SLOW = 5.0  # what moves no faster than gravity makes it in so many steps does not bounce
REACH = 0.25  # points are searched for up to this gap at most, of the size of the shapes
LEAST = 1e-9  # a step that is cut shorter, as a share of its size, is none
AHEAD = 8.0  # steps that a list of near pairs should serve at most: beyond, all margins were as wide as they may be
REPORTED = 1e-3  # a residual of the contact problem that is worth a keyword
JAM, JAMMED = 0.1, 3  # a residual that no solver has lowered, so many steps one after the other: there is no solution
OPENED = 0.5  # share of the depth that is opened after a step
GRIPS = 20  # times that a contact problem is solved again because points begin or cease to slide
MENDS = 6  # times that a contact problem is solved again because its impulses gave energy
GAIN = 2e-12  # energy that is rounding, of the greatest there was
STARTS = 60  # corrections of positions before the first step
CUTS = 20  # times that one step is cut so that nothing passes through anything
SHORTEST = 1e-7  # share of it that is left at least
WIDER = 12  # times that the list of near pairs is made with wider margins for a step
MOST_CUTS = 500  # steps cut one after the other before that is reported
MOST_JOINTED = 600  # bodies with joints among which driven ones are searched for
MOST_DENSE = 6000  # rows of contacts on one mechanism: the Delassus matrix of more would not fit


class PairAccount(Protocol):
    """The work of impulses by pair (`analyses.contact.pair_energy.StepEnergy`)."""

    def book(self, t: float, points: int, P: Problem, before: np.ndarray, energy: float) -> None:
        """Behind the impulses of a step that ends at t."""

    def drop(self, t: float | None = None) -> None:
        """The step is taken again, or has no impulses and ends at t."""

    def close(self) -> None:
        """The step is over."""


class MoreauJean(Stepper):
    """The stepper of velocities and impulses.  Raises ModelError without a step or for contacts of flexible bodies.

    Beyond the protocol (`stepper.Stepper`): ``keeps`` and ``again`` (the last step again, to end earlier), ``mean``
    (forces of contacts over an output step), ``before_impact`` (velocities before an impact of something else),
    ``impacts``, ``pairs``, ``relax`` (a step without time).
    """

    name = "MOREAU_JEAN"
    fixed = True

    def __init__(self, system, options: Options):
        self.system = system
        self.options = options
        self.contacts = system.contacts
        rigid = system.model.rigid
        other = next((e for e in system.tail if e is not None and e.KIND != "FLEXIBILITY"), None)
        if other is not None:
            raise other.error(
                "masses that slide in parts, and meshes in absolute coordinates, are not in time-stepping; use another "
                "integrator"
            )
        self._sampled = SampledBounds(system)
        self.theta = rigid.theta
        self._since: float | None = None  # time from which means of forces count
        self.settings = Settings(rigid.solver, rigid.tolerance, rigid.iterations, threads=rigid.threads)
        if self.contacts.on and not self.contacts.rigid:
            raise ModelError("MOREAU_JEAN takes contacts as constraints; run it by contact = time-stepping")
        self._refuse_nodes()
        self.step_size = options.hmax or options.hinit
        if not self.step_size:
            raise ModelError("MOREAU_JEAN takes steps of one size; give it as STEP, or HMAX")
        self.handle = explicit_handle(system)
        self.T = system.workspace.stages
        self.messages: list[str] = []
        self.jams = JAMMED  # steps in a row without a solution that end the run
        self.statistics = {
            "steps": 0,
            "evaluations": 0,
            "contact iterations": 0,
            "steps whose contacts did not converge": 0,
            "largest contact residual": 0.0,
            "steps cut to meet something": 0,
        }
        #: where a step that was cut would have ended: the next ones end there, so that steps keep their times
        self._aim = None
        self._bodies = bodies_handle(system.bodies)
        self._enter, self._retract, self._put_speeds, self._speeds_of = (
            Entry(enter),
            Entry(retract),
            Entry(put_speeds),
            Entry(speeds_of),
        )
        self._enter_rows, self._give_back, self._mend = Entry(enter_rows), Entry(give_back), Entry(mend)
        size = system.bodies.moves
        self.d = np.zeros(size)
        self._f, self._z, self._F = np.zeros(size), np.zeros(size), np.zeros(size)
        self.before = np.zeros(size)
        self.mobility = inverse_masses(
            system.bodies
        )  # the table that contact problems read: zero for what is driven or sleeps
        self.problem = self.opening = None
        self._groups = None  # mechanism of each body, -1 for free ones
        #: impacts of the steps since they were last taken, rows of `results._data.IMPACT_DTYPE`; None: they are not
        #: noted
        self.impacts: list[tuple] | None = None
        #: of the work of pairs; None: they have none
        self.pairs: PairAccount | None = None
        self.sleepers: Sleepers | None = None
        self._told, self._jammed = False, 0
        self._warned, self._cuts = False, 0
        self.flow = 1.0  # of time in a step; 0 in statics
        self._noted, self._before_impact = 0, None
        self.keeps = False  # what is needed to take a step again
        self._kept: tuple[np.ndarray, ...] = ()
        #: state before an impact of something else at the start of the next step; contacts that rested then do not
        #: bounce
        self.before_impact: np.ndarray | None = None
        #: accelerations (bodies.moves) that contacts gave in the last step, zero for bodies in an impact
        self._lasting = np.zeros(size)
        self._mass = masses(system.bodies)
        self._spins = np.zeros((system.nb, 3))
        forces = system.functions
        #: the matrix where stiffness may bound the step, else None
        self.implicit = (
            LinearlyImplicit(system, self.theta, REDUNDANT)
            if forces.has_pairs or forces.forces or system.ports.elements or system.tail
            else None
        )
        #: regions of flexible bodies, as constraints
        self.surfaces = (
            Surfaces(system, self.implicit, self.theta, self.settings)
            if any(e.KIND == "SURFACE_CONTACT" for e in system.ports.elements)
            else None
        )
        if self.contacts.on:
            self._equip()

    def _refuse_nodes(self) -> None:
        """Rigid contacts do not act on flexible bodies here: their surfaces do."""
        if not self.contacts.on or not self.system.tail:
            return
        nodes = set(layout.nodes(self.system.bodies).tolist())
        for solid, b in zip(self.contacts.solids, self.contacts.body):
            if int(b) in nodes:
                raise solid.graphic.error(
                    "it is a shape on a flexible body, and contact = time-stepping takes such parts by their "
                    "surfaces; make it a surface_contact, "
                    "or leave contact = ... out"
                )

    def _equip(self) -> None:
        c = self.contacts
        c.grows = True
        n = self.system.nb
        self.memory, self._none = make_memory(0, n, self.theta), make_memory(0, n, 1.0)
        self._fit()
        rigid = self.system.model.rigid
        # of the smallest that moves: a pin in a large drum must not sink in by what the drum would not notice
        self._small = self._least()
        self.slop = SLOP * self._small if rigid.penetration is None else rigid.penetration
        self.stabilise = rigid.stabilisation
        self.how = np.zeros(6)
        #: impulses of the last step by contact, see `contact.rigid.rows.give_back`
        self.given = np.zeros((len(c.elements), GIVEN_DATA))
        self._sum = np.zeros_like(self.given)  # those of the steps before it since `mean` was last asked
        self._size = c._size()
        self.reach = REACH * self._size
        self._energy = self._lost = 0.0
        self._gravity = float(np.linalg.norm(self.system.bodies.gravity))
        self.continuous = rigid.continuous
        self._static = bool((c.S.p[:, STATIC] > c.S.p[:, MU]).any())  # are there two coefficients of friction?
        self._prepare_detection()
        self._newton_only()

    def _least(self) -> float:
        """Size of the smallest shape that moves, though no less than `PIN` of a typical one."""
        c = self.contacts
        r = c.S.sh.radius[: c.count]
        r = r[(c.body < self.system.nb) & np.isfinite(r) & (r > 0.0)]
        return max(float(r.min(initial=c._size())), PIN * c._size())

    def _fit(self) -> None:
        """Problems with space for as many points as the engine holds."""
        c, n = self.contacts, self.system.nb
        cap = len(c.W.pts)
        if cap == len(self.memory.key):
            return
        resists = any(e.rolling_resistance or e.spinning_resistance for e in c.elements)
        self.problem = make_problem(
            cap, 6 if resists else 3, n, self.mobility[: n + 1], np.zeros(self.system.bodies.moves)
        )
        self.opening = make_problem(cap, 1, n, self.mobility[: n + 1], np.zeros(self.system.bodies.moves))
        self.memory, self._none = self.memory.grown(cap), self._none.grown(cap)

    def _newton_only(self) -> None:
        """State which contacts require another law of impact than that of the scheme."""
        law = self.system.model.rigid.impact_law
        bounces = self.contacts.S.p[:, 0]
        others = [
            e.label for e, b in zip(self.contacts.elements, bounces) if (e.impact_law or law).upper() != "NEWTON" and b
        ]
        if others:
            self.messages.append(
                WarningText(
                    "time-stepping takes restitution as NEWTON's; another impact_law has no influence on "
                    f"{', '.join(others[:5])}; use contact = events for it"
                )
            )

    # ---- protocol ---------------------------------------------------------------------------------------------------
    def start(self, t: float, y: np.ndarray, tend: float, h0: float | None = None) -> None:
        self.t, self.y, self.tend = float(t), y, tend
        self._since = self.t
        if self.contacts.on:
            self.contacts.hold(MUTE)
        if self.surfaces is not None:
            self.surfaces.start(self.t)
            self.surfaces.hold(SURFACES_MUTE)
        if self.system.m:
            project_state(self.system, y, t, 1)
            self._find_mechanisms()
        self._find_spins()
        if self.contacts.on and self.stabilise == "projection":
            if self.implicit is not None:
                self.T.ya[:] = y
                self._implicit(self.t, self.step_size, np.zeros(self.system.bodies.moves), np.zeros(self.system.nx))
            self.contacts.collect(self.t, y, self.slop)
            self._fit()
            self.contacts.W.count[POINTS] = 0
            for _ in range(STARTS):
                if not self._open(self.t, np.inf):
                    break
        self.restart(h0)

    def restart(self, h0: float | None = None) -> None:
        self.h = self.step_size
        self._aim: float | None = None
        rigid = self.system.model.rigid
        if self.sleepers is not None:
            self.sleepers.wake_all()
        elif rigid.sleep and (self._groups is not None or self.implicit is not None):
            self.messages.append(
                WarningText(
                    "rigid contact: nothing is put to sleep in a model with joints or forces; sleep has no influence"
                )
            )
        elif rigid.sleep and self.contacts.on and self._gravity > 0.0:
            self.sleepers = Sleepers(self.mobility, self._size, REST * self._gravity * self.h)
        self.t_old, self.h_done = self.t, 0.0
        self._old = self.y.copy()

    def _find_mechanisms(self) -> None:
        """Bodies that joints connect, by mechanism; those that motions drive altogether are none: nothing can push
        them."""
        system = self.system
        rows, n = system.S.rows, system.nb
        bodies, row = rows.slot_body[: len(rows.slot_row) - 1], rows.slot_row[:-1]
        inside = bodies < n
        graph = coo_matrix(
            (np.ones(int(inside.sum())), (bodies[inside], n + row[inside])), shape=(n + system.m, n + system.m)
        )
        _, label = connected_components(graph, directed=False)
        jointed = np.unique(bodies[inside])
        self._groups = np.full(n + 1, -1, np.int64)
        self._groups[jointed] = label[jointed]
        self.mobility[:] = inverse_masses(system.bodies)
        if self.contacts.on:
            first = {int(g): int(b) for b, g in reversed(list(zip(jointed, label[jointed])))}
            for b in jointed:
                self.memory.leader[b] = first[int(label[b])]
        if len(jointed) > MOST_JOINTED:
            return
        f, du = np.zeros(system.bodies.moves), np.zeros(system.bodies.moves)
        alone = self.mobility.copy()  # what a unit force does where no joint holds
        for b in jointed:
            left = 0.0
            for c in np.flatnonzero(alone[b] > 0.0):
                f[:] = 0.0
                layout.move(f, b)[c] = 1.0
                push(self.handle, f, du, self._F)
                left = max(left, abs(layout.move(du, b)[c]) / alone[b, c])
            if left < DRIVEN:
                self.mobility[b] = 0.0
                self._groups[b] = -1

    def _find_spins(self) -> None:
        """Bodies with unequal moments of inertia that nothing but contacts turns."""
        n = self.system.nb
        self._spins[:] = 0.0
        if self.implicit is None:
            J = self._mass[:, layout.TURN]
            free = (J > 0.0).all(axis=1) & (np.ptp(J, axis=1) > 0.0)
            if self._groups is not None:
                free &= self._groups[:n] < 0
                free &= self.mobility[:n].any(axis=1)
            self._spins[free] = J[free]
        if self.contacts.on:
            self.memory.spins[:n] = self._spins

    def step(self, tmax: float) -> Step:
        """One step that does not pass ``tmax``.  Raises IntegrationError."""
        h, left = self.h, tmax - self.t
        if self._aim is not None:  # what is left of a step that was cut
            h = min(h, self._aim - self.t) if self._aim - self.t > LEAST * h else h
        if self.contacts.on:
            self._sum += self.given
        if self.pairs is not None:
            self.pairs.close()
        if self.surfaces is not None:
            self.surfaces.add()
        last = h >= left * (1 - 1e-6)
        if last:
            h = left
        self._old[:] = self.y
        self._noted = len(self.impacts or ())
        t, y, n = self.t, self.y, self.system.nb
        self._before_impact = self.before_impact
        if self.keeps and self.contacts.on:
            self._kept = self.contacts.held()
        fast = self.contacts.on and self._is_fast(h)
        kept = self._keep(h) if fast else None
        iterations = self._advance(t, h)
        if kept is not None:
            whole = h
            h, more = self._cut(t, h, kept)
            if more and self._aim is None:
                self._aim = tmax if last else t + whole
            iterations += more
            last = last and not more
        self.before_impact = None
        self.t_old, self.t, self.h_done = t, tmax if last else t + h, h
        if self._aim is not None and self.t >= self._aim - LEAST * self.step_size:
            self._aim = None
        if not np.isfinite(y).all():
            k = layout.owner_of_state(self.system.bodies, int(np.flatnonzero(~np.isfinite(y))[0]))
            name = self.system.body_elements[k].name if k < n else ""
            y[:] = self._old
            self.t = t
            raise advice(
                f"the step of {h:.3g} gives no finite numbers{f' for {name}' if name else ''}",
                t,
                self.system,
                cause="not a number",
            )
        self.statistics["steps"] += 1
        return Step(t, self.t, h, 1, iterations, [])

    # ---- continuous detection ---------------------------------------------------------------------------------------
    def _prepare_detection(self) -> None:
        """How thin shapes are that may meet, and how far from the centres of their bodies they reach."""
        c, n = self.contacts, self.contacts.count
        thin, arm = np.zeros(n), np.zeros(n)
        thin_shapes(c.handle.address, thin, arm)
        self._arm = float(arm[c.body < self.system.nb].max(initial=0.0))
        bounded = thin < 1e300
        both = [
            min(thin[i].min(), thin[j].min())
            for i, j in ([s[bounded[s]] for s in sides] for sides in c.sides)
            if len(i) and len(j)
        ]
        self._thinnest = min(both, default=np.inf)
        self._places, self._four, self._found = np.zeros((max(c.most_points, 1), COLUMNS)), np.zeros(4), np.zeros(CUT)
        self._margin = float(c.S.settings[MOST_MARGIN])

    def _is_fast(self, h: float) -> bool:
        """May something move by more in this step than half of what is thick?  What it strikes may leave twice as
        fast."""
        if self._thinnest == np.inf:
            return False
        u = layout.speeds(self.y, self.system.nb)
        v = np.abs(u).max(axis=0, initial=0.0)
        speed = (
            float(np.sqrt(v[layout.TRAVEL] @ v[layout.TRAVEL]) + self._arm * np.sqrt(v[layout.TURN] @ v[layout.TURN]))
            + h * self._gravity
        )
        if 2.0 * h * speed <= SHARE * self._thinnest:
            if self._margin != self.contacts.S.settings[MOST_MARGIN]:
                self.contacts.S.settings[MOST_MARGIN] = self._margin
            return False
        if self.continuous:
            self.contacts.S.settings[MOST_MARGIN] = max(self._margin, AHEAD * h * speed)
            return True
        if not self._warned:
            self._warned = True
            safe = SHARE * self._thinnest / speed
            self.messages.append(
                WarningText(
                    f"at time {self.t:.6g} bodies move by up to {h * speed:.3g} in a step of {h:.3g}, and the thinnest "
                    f"shape is {self._thinnest:.3g} thick: "
                    f"they may pass through each other unseen; a STEP of {safe:.2g} is safe, or rigid.continuous = True"
                )
            )
        return False

    def _keep(self, h: float) -> tuple:
        """What is needed to take the step that comes next once more."""
        m, c = self.memory, self.contacts
        c.W.clock[LIST_SPAN] = max(c.W.clock[LIST_SPAN], 1.5 * h)
        n = int(m.known[0])
        s = self.sleepers
        asleep = None if s is None else (s.still.copy(), s.island.copy(), s.mobility.copy(), s.count)
        return n, m.old[:n].copy(), m.key[:n].copy(), m.feature[:n].copy(), self._lasting.copy(), asleep

    def _cut(self, t: float, h: float, kept: tuple) -> tuple[float, int]:
        """Take the step of size h at t, which has been taken, so much shorter that no pair passes through another in
        it.

        Returns its size and the iterations of contact problems solved again.
        """
        more = 0
        for _ in range(CUTS):
            s = self._crossing(t, h)
            if s >= 1.0:
                break
            self._report_cut(t, h)
            n, old, key, feature, lasting, asleep = kept
            m = self.memory
            m.known[0], m.old[:n], m.key[:n], m.feature[:n] = n, old, key, feature
            self._lasting[:] = lasting
            if asleep is not None and self.sleepers is not None:
                still, island, self.sleepers.mobility[:], self.sleepers.count = asleep
                self.sleepers.still[:], self.sleepers.island[:] = still, island
            self.y[:] = self._old
            if self.impacts is not None:
                del self.impacts[self._noted :]
            h *= max(s, SHORTEST)
            more += max(self._advance(t, h), 1)
        self.statistics["steps cut to meet something"] += more > 0
        self._cuts = self._cuts + 1 if more else 0
        return h, more

    def _crossing(self, t: float, h: float) -> float:
        """`contact.crossing.crossing` of the step, before overlaps were opened, with a list of near pairs that covers
        it."""
        c = self.contacts
        end = self._old.copy()
        self._retract.call(self._bodies, end, self.d)
        for _ in range(WIDER):
            s = crossing(
                c.handle.address, self._old, self.d, end, c._R, 2.0 * self.slop, self._places, self._four, self._found
            )
            if s >= 0.0:
                return float(s)
            held = c.held()
            middle = self._old.copy()
            self._retract.call(self._bodies, middle, 0.5 * self.d)
            self._put_speeds.call(self._bodies, self.d / h, middle)
            c.W.clock[LIST_SPAN] = 2.0 * max(c.W.clock[LIST_SPAN], h)
            c.S.settings[MOST_MARGIN] *= 2.0
            c.search(t, middle)
            c.put(held)
        raise IntegrationError(
            f"at time {t:.6g} the search for near shapes does not cover a step of {h:.3g}; take smaller steps", t
        )

    def _report_cut(self, t: float, h: float) -> None:
        """Say once what keeps steps short: shapes that stay closed while they move fast."""
        if self._cuts < MOST_CUTS or self._warned:
            return
        self._warned = True
        c = self.contacts
        contact, a, b = (int(x) for x in c.W.near[int(self._found[WHICH]), :3])
        self.messages.append(
            f"at time {t:.6g} the last {self._cuts} steps were cut so that nothing passes through anything: "
            f"{c.body_name(a)} and {c.body_name(b)} "
            f"({c.elements[contact].label}) move by {self._found[MOVED]:.3g} in a step of {h:.3g} and are "
            f"{self._found[THICK]:.3g} thick; "
            f"a STEP of {SHARE * self._found[THICK] / self._found[MOVED] * h:.2g} needs no cuts"
        )

    def again(self, t: float) -> Step:
        """The last step once more, to end at ``t`` inside it, or as if it had not been taken; ``keeps`` must have been
        set before it."""
        self.y[:] = self._old
        if self.contacts.on:
            self.contacts.put(self._kept)
        self.t, self.before_impact = self.t_old, self._before_impact
        if self.contacts.on:
            self.given[:] = 0.0  # those of the step before are in the sum already
        if self.surfaces is not None:
            self.surfaces.drop()
        if self.impacts is not None:
            del self.impacts[self._noted :]
        if self.pairs is not None:
            self.pairs.drop()
        if t - self.t > LEAST * self.step_size:
            return self.step(t)
        self.t, self.h_done = t, 0.0
        return Step(self.t_old, t, 0.0, 1, 0, [])

    def mean(self, t: float, sums: np.ndarray) -> None:
        """Mean forces of contacts since they were last requested, until ``t`` in the last step, into the rows of
        ``sums`` (contacts, CONTACT_DATA)."""
        if not self.contacts.on:
            return
        if self._since is None:  # nothing has been required of it before its first step
            return
        T = t - self._since
        x = (t - self.t_old) / self.h_done if self.h_done else 1.0
        if T > LEAST * self.step_size:
            J = (self._sum + x * self.given) / T
            normal = J[:, G_NORMAL]
            place = np.divide(
                J[:, G_POINT:G_NORMAL], normal[:, None], out=np.zeros((len(J), 3)), where=normal[:, None] > 0.0
            )
            force = J[:, G_FORCE:G_MOMENT]
            sums[:, C_FORCE : C_FORCE + 3], sums[:, C_POINT : C_POINT + 3] = force, place
            sums[:, C_TORQUE : C_TORQUE + 3] = J[:, G_MOMENT:G_POINT] - np.cross(place, force)
            sums[:, C_NORMAL], sums[:, C_FRICTION] = normal, J[:, G_FRICTION]
        self._sum[:] = -x * self.given
        self._since = t

    def mean_surfaces(self, t: float) -> bool:
        """Mean forces of surfaces since they were last requested act in what is evaluated next; false where there are
        none, or no time has passed."""
        x = (t - self.t_old) / self.h_done if self.h_done else 1.0
        return (
            self.surfaces is not None and self._since is not None and self.surfaces.mean(t, x, LEAST * self.step_size)
        )

    def motion_bounds(self, out: np.ndarray, fine: bool = False) -> bool:
        self._sampled.find(self, out)
        return True

    def interpolate(self, t: float, out: np.ndarray) -> None:
        """State inside the last step: along the velocity of the step."""
        if abs(t - self.t) <= LEAST * self.h_done or not self.h_done:
            out[:] = self.y
            return
        x = (t - self.t_old) / self.h_done
        bodies = self.system.bodies
        out[:] = self._old
        a, b = self._speeds(self._old), self._speeds(self.y)
        self._retract.call(self._bodies, out, x * self.h_done * self._mean(a, b))
        self._put_speeds.call(self._bodies, (1 - x) * a + x * b, out)
        out[bodies.end :] = (1 - x) * self._old[bodies.end :] + x * self.y[bodies.end :]

    def relax(self, h: float) -> None:
        """A step from rest in which time is held (`analyses.statics.rigid`); velocities after it are what it was
        moved by, over ``h``."""
        self.flow, self.step_size = 0.0, h
        self._lasting[:] = 0.0
        if self.contacts.on:
            self.memory.old[:, 6:] = 0.0  # slips and speeds of the step before are none
        self._put_speeds.call(self._bodies, np.zeros(len(self.d)), self.y)
        self._advance(self.t, h)

    def _mean(self, before: np.ndarray, behind: np.ndarray) -> np.ndarray:
        """Velocities with which bodies move through the step."""
        if not self.contacts.on:
            return self.theta * behind + (1 - self.theta) * before
        theta = np.full(len(self.d), self.theta)  # coordinates of modes among them
        theta[: MOVES * len(self.memory.theta)] = layout.per_move(self.system.bodies, self.memory.theta)
        return theta * behind + (1 - theta) * before

    def _speeds(self, y: np.ndarray) -> np.ndarray:
        """(bodies.moves,) velocities of the state y."""
        u = np.empty(len(self.d))
        self._speeds_of.call(self._bodies, y, u)
        return u

    # ---- a step -----------------------------------------------------------------------------------------------------
    def _advance(self, t: float, h: float) -> int:
        system, T, y, n = self.system, self.T, self.y, self.system.nb
        bodies = system.bodies
        u = self._speeds(y)
        self.h_now = h
        x = y[bodies.end :].copy()
        T.ya[:] = y
        self.d[:] = 0.5 * h * u
        self._retract.call(self._bodies, T.ya, self.d)
        points = 0
        if self.surfaces is not None:
            self.surfaces.hold(SURFACES_MUTE)
        if self.contacts.on:
            self.contacts.hold(MUTE)
            own = np.abs(body_moves(u, n))
            fast = own[:, layout.TRAVEL].max() + self._size * own[:, layout.TURN].max() + h * self._gravity
            clock = self.contacts.W.clock
            clock[LIST_SPAN] = min(clock[LIST_SPAN], AHEAD * h)
            points = self.contacts.collect(t + 0.5 * h * self.flow, T.ya, max(min(h * fast, self.reach), self.slop))
        acc = system.W.acc
        rates = T.K[1, bodies.end :]
        if self.implicit is not None:
            self._implicit(t, h, acc, rates)
        for k in range(2 if self.implicit is None else 0):
            if k:
                self._put_speeds.call(self._bodies, u + 0.5 * h * (acc + self._lasting), T.ya)
                T.ya[bodies.end :] = x + 0.5 * h * rates
            self._enter.call(self.handle, RATE, y, t + 0.5 * h * self.flow, h, REDUNDANT, 0, T.d)
            self.statistics["evaluations"] += 1
        if self.implicit is None and self._spins.any():
            turn_by_inertia(self._spins, *(body_moves(v, n) for v in (u, self._lasting)), h, body_moves(acc, n))
        if system.W.flags[USER_FAILED]:
            system.raise_user_error(t)
        y[bodies.end :] = x + h * rates
        free = u + h * acc
        if self.sleepers is not None:
            body_moves(free, n)[self.sleepers.asleep] = 0.0
        iterations = 0
        near = self.surfaces.collect(t, T.ya, u, free, h) if self.surfaces is not None else 0
        if self.surfaces is not None and self.surfaces.said:
            self.messages += self.surfaces.said
            self.surfaces.said.clear()
        if points:
            iterations = self._impulses(t, h, u, free)
        elif self.contacts.on:
            self._none_closed(t, u, free, h)
        if near and not (points and self.problem.count[0]):
            iterations = self._surfaces_alone(t, u, free, h)
        if self.surfaces is not None:
            self.surfaces.take(u, free, h)
        self._put_speeds.call(self._bodies, free, y)
        self.d[:] = h * self._mean(u, free)
        self._retract.call(self._bodies, y, self.d)
        if system.m:
            project_state(system, y, t + h * self.flow, 2)
        if points and self.stabilise == "projection":
            theta = self.memory.theta[:n, None]
            lifted = h * float(
                (
                    (theta - 0.5)
                    * self._mass[:, layout.TRAVEL]
                    * body_moves(u - free, n)[:, layout.TRAVEL]
                    * bodies.gravity
                ).sum()
            )
            self._open(t + h * self.flow, self._lost - max(lifted, 0.0) if self.flow else np.inf)
        if self.surfaces is not None:
            self.surfaces.hold(SURFACES_GIVEN)
        if self.contacts.on:
            self.contacts.hold(HELD)
            self.contacts.W.count[SINCE] += 1  # margins of the search grow until a list serves some steps
        return iterations

    def _implicit(self, t: float, h: float, acc: np.ndarray, rates: np.ndarray) -> None:
        """Accelerations with the forces linearised."""
        self.statistics["evaluations"] += 1
        try:
            self.implicit.accelerations(t + 0.5 * h * self.flow, self.T.ya, h, acc, rates)
        except (SingularMatrix, NotFinite) as error:
            cause = "singular" if isinstance(error, SingularMatrix) else "not a number"
            words = (
                self.implicit.implicit.equation_words(error.index) if getattr(error, "index", None) is not None else ""
            )
            raise advice(
                f"the matrix of a step of {h:.3g} cannot be factored", t, self.system, equation=words, cause=cause
            ) from None

    def _impulses(self, t: float, h: float, u: np.ndarray, free: np.ndarray) -> int:
        """Impulses at the collected points; ``free`` becomes the velocity behind them."""
        self._fit()
        c, P, n = self.contacts, self.problem, self.system.nb
        self.before[:] = u if self.before_impact is None else self._speeds(self.before_impact)
        P.u[:] = free
        fixed = self.implicit is not None or not self.flow or self.stabilise != "projection"
        whole = max(h, self.step_size)  # a step that ends at an output or a switch is no measure of what rests
        self.how[:] = h, self.theta, self.slop, SLOW * whole * self._gravity, fixed, whole
        count = self._enter_rows.call(c.handle.address, self.T.ya, c._R, self.before, self.how, P, self.memory)
        self.before[:] = u
        if not count:
            self._none_closed(t, u, free, h)
            return 0
        if self.stabilise == "velocity":
            depth = -c.W.pts[:count, GAP] - self.slop
            P.q[:count, 0] -= BAUMGARTE / h * np.maximum(depth, 0.0)
        if self.sleepers is not None:
            self._wake(P, u, free, h)
            kept = self.sleepers.impulses(P)
        start = P.u.copy()
        self._energy = max(self._energy, 0.5 * float((self._mass * body_moves(u, n) * body_moves(u, n)).sum()))
        allowed = GAIN * (self._energy + self._gravity * self._small * float(self._mass[:, 0].sum()))
        for left in range(MENDS, 0, -1):
            report = self._solve_with_grip(P, start)
            if left == 1 or self.stabilise != "projection" or not self.flow or not self._mended(P, start, allowed):
                break
            P.u[:] = start
        if self.sleepers is not None:
            P.r[kept[0]] = kept[1]
        residual = self.statistics["largest contact residual"]
        self.statistics["largest contact residual"] = max(residual, float(report.residual))
        self.statistics["contact iterations"] += int(report.iterations)
        if report.converged:
            self._jammed = 0
        else:
            self._unsolved(t, report)
        if self.impacts is not None:
            self._note(t + h, P)
        if self.pairs is not None:
            self.pairs.book(t + h, count, P, self.before, allowed / GAIN)
        self._from = start  # velocities without impulses, inertia as the solution has it
        self._lost = self._give_back.call(c.handle.address, P, self.before, start, h, self.memory, self.given)
        behind = P.u
        # torques of inertia do no work on a body; what those of this step do (they were taken at a forecast) is not
        # there to open overlaps with
        change, twice = body_moves(start - u, n), body_moves(behind + u, n)
        self._lost -= 0.5 * float((self._spins * change[:, layout.TURN] * twice[:, layout.TURN]).sum())
        # a step cut short is no measure of what lasts (an impulse over next to no time): the mean over a whole step
        self._lasting *= 1.0 - h / whole
        self._lasting += (behind - start) / whole
        hit = np.flatnonzero(self.memory.state[:count] >= MEETS)
        struck = P.body[hit].ravel()
        body_moves(self._lasting, n)[struck[struck < n]] = 0.0
        free[:] = behind
        if self.sleepers is not None:
            self.sleepers.after(P, body_moves(free, n))
            self.statistics["bodies put to sleep"] = self.sleepers.count
        return int(report.iterations)

    def _surfaces_alone(self, t: float, u: np.ndarray, free: np.ndarray, h: float) -> int:
        """Impulses of surfaces where no rigid contact is closed; ``free`` becomes the velocity behind them."""
        residual, iterations, solver = self.surfaces.alone(u, free, h)
        most = self.statistics["largest contact residual"]
        self.statistics["largest contact residual"] = max(most, residual)
        self.statistics["contact iterations"] += iterations
        if residual > REPORTED:
            self.statistics["steps whose contacts did not converge"] += 1
            self._left(
                t,
                f"problem of flexible surfaces is left at a residual of {residual:.2g} by {solver}; another "
                "rigid.solver",
            )
        return iterations

    def _left(self, t: float, text: str) -> None:
        """A contact problem that is left unsolved is reported once."""
        if not self._told:
            self._told = True
            self.messages.append(WarningText(f"at time {t:.6g} the contact {text} or a smaller STEP may help"))

    def _none_closed(self, t: float, u: np.ndarray, free: np.ndarray, h: float) -> None:
        """No point carries an impulse in this step: torques of inertia were taken as if those of the step before
        continued, and are taken again."""
        before, behind, lasting = (body_moves(v, self.system.nb) for v in (u, free, self._lasting))
        if lasting[:, layout.TURN].any() and self._spins.any():
            acc = (behind - before) / h
            self._lasting[:] = 0.0
            turn_by_inertia(self._spins, before, lasting, h, acc)
            turns = self._spins.any(axis=1)
            behind[turns, layout.TURN] = before[turns, layout.TURN] + h * acc[turns, layout.TURN]
        self.memory.known[0] = 0
        self.memory.theta[:] = self.theta
        self._lasting[:] = 0.0
        self.given[:] = 0.0
        self._lost = 0.0
        if self.pairs is not None:
            self.pairs.drop(t + h)

    def _wake(self, P, u: np.ndarray, free: np.ndarray, h: float) -> None:
        """Wake what is met; gravity acts on it in this step already."""
        before = self.sleepers.asleep
        own = body_moves(free, len(before))
        self.sleepers.wake(P, own)
        up = before & ~self.sleepers.asleep
        if up.any():
            own[up] = body_moves(u, len(before))[up]
            own[up, layout.TRAVEL] += h * self.system.bodies.gravity
            P.u[:] = free

    def _unsolved(self, t: float, report) -> None:
        """A contact problem that has not come to its tolerance: counted, and reported once.  Raises IntegrationError
        where it has no solution."""
        self.statistics["steps whose contacts did not converge"] += 1
        self._jammed = self._jammed + 1 if report.residual > JAM and "LEMKE" in report.solver else 0
        if self._jammed >= self.jams:
            raise IntegrationError(
                f"at time {t:.6g} no impulses satisfy {self._closing()}: something is squeezed between parts that "
                "motions drive or joints hold; "
                "drive one of them by a force, or let it give way by a spring; the results so far are kept",
                t,
            )
        if report.residual > REPORTED:
            self._left(
                t,
                f"problem is left at a residual of {report.residual:.2g} after {report.iterations} iterations of "
                f"{report.solver}{': ' + report.message if report.message else ''}; more rigid.iterations, another "
                "rigid.solver",
            )

    def _closing(self) -> str:
        """The contacts that close although they should not."""
        c, z = self.contacts, speeds(self.problem)[:, 0]
        found = dict.fromkeys(
            c.elements[int(c.W.near[c.W.pair[m], 0])].label for m in np.flatnonzero(z < 0.1 * z.min())
        )
        return ", ".join(list(found)[:5]) or "the contacts"

    def _note(self, t: float, P) -> None:
        """Impacts of this step: points that closed faster than smooth motion explains."""
        c, n = self.contacts, int(P.count[0])
        before = c.W.pd[:n, SPEED]
        state = self.memory.state[:n]
        hard = (state > MEETS) | (state == MEETS) & (before < -self.memory.slow[:n])
        for m in np.flatnonzero(hard & (P.r[:n, 0] > 0.0)):
            w, old = speeds_at(P, m, P.u), speeds_at(P, m, self.before)
            k = int(c.W.pair[m])
            ids = [c.key_of(int(a)) for a in c.W.near[k, 1:3]]
            if c.W.near[k, 3]:
                ids.reverse()
            lost = -0.5 * float(P.r[m] @ (w + old))
            self.impacts.append(
                (
                    t,
                    c.elements[int(c.W.near[k, 0])].id,
                    *ids,
                    *c.W.pd[m, AT : AT + 3],
                    P.r[m, 0],
                    float(np.hypot(*P.r[m, 1:3])),
                    float(before[m]),
                    float(w[0]),
                    lost,
                )
            )

    def _mended(self, P, start: np.ndarray, allowed: float) -> int:
        """How much of the problem had to be changed because its solution gave an island energy."""
        return self._mend.call(self.contacts.handle.address, P, self.before, start, self.how, self.memory, allowed)

    def _solve_with_grip(self, P, start: np.ndarray):
        """Solve the problem of a step from velocities ``start``, which P.u has; with static friction until points stick
        and slide as their coefficients say."""
        if not self._static:
            return self._solve(P, self.settings)
        top = float(np.abs(speeds(P)).max(initial=0.0))
        report = self._solve(P, self.settings)
        for _ in range(GRIPS):
            least = 10.0 * min(report.residual, REPORTED) * top
            if not regrip(self.contacts.handle.address, P, self.before, least, self.memory):
                break
            P.u[:] = start
            report = self._solve(P, self.settings)
        return report

    def _solve(self, P, settings):
        """Solve a contact problem: contacts on mechanisms with their Delassus matrix, all others in the space of the
        bodies."""
        n = int(P.count[0])
        g = self._groups
        i, j = P.body[:n, 0], P.body[:n, 1]
        if self.implicit is not None and n:
            bound = np.ones(n, bool)
        elif g is None or not ((g[i] >= 0) | (g[j] >= 0)).any():
            return solve(P, settings)
        else:
            bound = self._bound(i, j)
        if not bound.all():
            first, second = (self._part(P, np.flatnonzero(mask)) for mask in (bound, ~bound))
            reports = [self._dense(first, settings), solve(second, settings)]
            for part, mask in ((first, bound), (second, ~bound)):
                P.r[np.flatnonzero(mask)] = part.r[: int(part.count[0])]
            P.u[:] = second.u
            self._push(first, P.u)
            worst = max(reports, key=lambda r: r.residual)
            return worst._replace(
                iterations=max(int(r.iterations) for r in reports), converged=all(r.converged for r in reports)
            )
        report = self._dense(P, settings)
        self._push(P, P.u)
        return report

    def _bound(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Contacts of islands in which there is a mechanism."""
        n, g = self.system.nb, self._groups
        moving = self.mobility[:n].any(axis=1)
        free = lambda b: (b < n) & np.append(moving, False)[b]
        both = free(i) & free(j)
        a, b = i[both], j[both]
        members = np.flatnonzero(g[:n] >= 0)
        rows = np.concatenate([a, members])
        cols = np.concatenate([b, n + g[members]])
        size = n + int(g.max()) + 1
        _, label = connected_components(
            coo_matrix((np.ones(len(rows)), (rows, cols)), shape=(size, size)), directed=False
        )
        mechanical = np.zeros(label.max() + 1, bool)
        mechanical[label[members]] = True
        at = np.where(free(i), i, np.minimum(j, n - 1))
        return mechanical[label[at]] & (free(i) | free(j))

    def _part(self, P, rows: np.ndarray):
        """Some contacts of a problem as one of their own, with velocities of its own."""
        part = make_problem(len(rows), P.H.shape[1], self.system.nb, self.mobility[: self.system.nb + 1], P.u.copy())
        part.count[0] = len(rows)
        for name in ("body", "H", "q", "mu", "r"):
            getattr(part, name)[:] = getattr(P, name)[rows]
        return part

    def _dense(self, P, settings):
        """Solve a problem with its Delassus matrix; P.u stays.  Raises IntegrationError where the matrix would not
        fit."""
        rows = int(P.count[0]) * P.H.shape[1]
        if rows > MOST_DENSE:
            raise IntegrationError(
                f"{rows} rows of contacts hang on mechanisms, more than {MOST_DENSE}; drive the parts by motions, or "
                "use contact = compliant",
                self.t,
            )
        Wd = np.zeros((rows, rows))
        if self.implicit is not None:
            self.implicit.respond(P, Wd)
        else:
            respond(self.handle, P, Wd, self._z, self._F)
        if P is self.problem and self.surfaces is not None and self.surfaces.count:
            return self._both(P, settings, Wd)
        return solve(P, settings, Wd)

    def _both(self, P, settings, Wd: np.ndarray):
        """Solve the problem of rigid contacts together with that of surfaces."""
        s, n, d = self.surfaces, int(P.count[0]), P.H.shape[1]
        k, e = s.count, s.rows
        f, z = np.zeros_like(self.d), np.zeros_like(self.d)
        q, mu, start, C = s.entered(self.before, P.u, self.h_now)
        Q = make_problem(n + k, d, 0, np.zeros((1, MOVES)), np.zeros(MOVES))
        Q.count[0] = n + k
        Q.mu[:n], Q.mu[n:, 0], Q.r[:n], Q.r[n:, :e] = P.mu[:n], mu, P.r[:n], start
        W = np.zeros((d * (n + k), d * (n + k)))
        W[: d * n, : d * n] = Wd
        at = d * n + (d * np.arange(k)[:, None] + np.arange(e)).ravel()
        W[np.ix_(at, at)] = s.H @ s.Z.T
        W[np.ix_(at[::e], at[::e])] += C
        for m in range(n):
            for row in range(d):
                f[:] = 0.0
                for side, b in enumerate(P.body[m]):
                    layout.move(f, b)[:] += P.H[m, row, MOVES * side : MOVES * side + MOVES]
                self.implicit.push(f, z)
                W[at, d * m + row] = W[d * m + row, at] = s.H @ z
        q0 = np.zeros((n + k, d))
        q0[:n], q0[n:, :e] = speeds(P), q
        for _ in range(GRIPS):
            report = solve(Q, settings, W, q0)
            P.r[:n], s.r[:] = Q.r[:n], Q.r[n:, :e]
            if not s.broken(Q.mu[n:, 0], q, (q0 + (W @ Q.r.ravel()).reshape(q0.shape))[n:, :e]):
                break
        return report

    def _push(self, P, u: np.ndarray) -> None:
        """u += what the impulses of P do, through the joints."""
        generalised(P, self._f)
        if self.implicit is not None:
            self.implicit.push(self._f, self._z)
        else:
            push(self.handle, self._f, self._z, self._F)
        u += self._z
        if P is self.problem and self.surfaces is not None:
            self.surfaces.push(u)

    # ---- positions --------------------------------------------------------------------------------------------------
    def _open(self, t: float, energy: float) -> bool:
        """Move bodies apart where they overlap by more than is left alone: 0 <= g + H dq _|_ p >= 0, dq = P M^-1 H^T p.
        True if any moved.

        They are lifted only as far as ``energy`` reaches, what contacts have taken in this step.  Points that part by
        themselves are only kept from going deeper.
        """
        c, P, n = self.contacts, self.opening, self.system.nb
        moved = False
        kept = int(c.W.count[POINTS])
        c.aside()  # the points of the step stay for the results
        count = c.collect_near(t, self.y, 2.0 * self.slop)
        if count and c.W.pts[:count, GAP].min() < -2.0 * self.slop and self._normals(P, count):
            P.u[:] = 0.0
            self._solve(P, PUSH._replace(threads=self.settings.threads))
            lift = -float(
                (self._mass[:, layout.TRAVEL] * body_moves(P.u, n)[:, layout.TRAVEL] * self.system.bodies.gravity).sum()
            )
            moved = energy > 0.0 or lift <= 0.0
            if lift > max(energy, 0.0):
                P.u[:] *= max(energy, 0.0) / lift
            self._retract.call(self._bodies, self.y, P.u)
            if self.system.m:
                project_state(self.system, self.y, t, 2)
        c.aside()
        c.W.count[POINTS] = kept
        return moved

    def _normals(self, P, count: int) -> bool:
        """Rows of the gaps of the collected points; false where all part by themselves."""
        c = self.contacts
        self._speeds_of.call(self._bodies, self.y, self.before)
        self._enter_rows.call(c.handle.address, self.y, c._R, self.before, EVERY, P, self._none)
        gap = OPENED * (c.W.pts[:count, GAP] + self.slop)
        parting = c.W.pd[:count, SPEED] * self.step_size > self.slop
        P.q[:count, 0] = np.where(parting, np.maximum(gap, 0.0), gap)
        P.r[:count] = 0.0
        return bool((P.q[:count, 0] < -self.slop).any())


def speeds_at(P, m: int, u: np.ndarray) -> np.ndarray:
    """(d,) speeds H u of point ``m`` of the contact problem P at velocities u (bodies.moves)."""
    i, j = P.body[m]
    return P.H[m, :, :MOVES] @ layout.move(u, i) + P.H[m, :, MOVES:] @ layout.move(u, j)
