"""Event-driven dynamics with rigid contact: smooth motion between impacts, contacts that are closed as constraints.

Between events the closed points are rows of the system (`system.active_rows`): no penetration, and where they stick no
tangential velocity; where they slide, friction mu N against the slip.  Any integrator solves these equations.  After a
step it is checked on the interpolant:

* gaps of all other points: one that closes is an impact, located in time;
* the normal force of a closed point (lift-off) and the friction of one that sticks, against its cone (slip begins);
* the slip of a point that slides (it stops, or turns round);
* where contacts resist spin and rolling, the same of these: torques against their bounds, arm N, and rates that vanish.

At an event the touching points are taken together.  Those that close get the impulses of an impact
(`contact.impacts.impact`, with the inverse mass that joints leave), then the complementarity problem of accelerations
(`contact.impacts.accelerate`) decides which open, stick or slide, the rows of the system are renewed, and the
integrator restarts.  (F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996; V. Acary, B.
Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer 2008, ch. 8.)

Impacts that follow each other ever faster would never end: `settling` recognises them and lets the points close.  Where
that does not help, and where no solution of an event is found or no step after it accepted, the contacts are taken by
time-stepping for a short while (`local_stepping`), and a message reports this.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...contact.tables import POINTS
from ...integrators import selection
from ...integrators.selection import Choice
from ...integrators.stepper import IntegrationError
from ...model import ModelError
from ...system.active_rows import REMEMBERED
from ..dynamics.analysis import Dynamics
from ..dynamics.topology import switches_of
from ..dynamics.work import EnergyError, EnergyLimit
from .local_stepping import LONGER, STEP, STEPS, Crowded, LocalStepping, make_stepper, natural_time
from .overlap import overlaps, settle_overlaps, words
from .rigid_contact import RigidContact
from .rigid_events import SAID

CONTACT_ID = 1  # column of an impact
PENETRATION = 1e-5  # of the size: an overlap at the start that no rounding explains


class EventDriven(Dynamics):
    """`Dynamics` with rigid contact, from event to event."""

    BOUND = (*Dynamics.BOUND, "_by_set")
    way_out = "contact = time-stepping"

    def __init__(self, simulation: Any, system: Any, choice: Choice, times: np.ndarray, span: float | None = None):
        bent = next((e for e in system.tail if e is not None), None)
        if bent is not None:
            raise bent.error(
                "flexible bodies are not supported where contacts are located as events; use contact = "
                "time-stepping, which "
                "takes their surfaces as constraints, or laws"
            )
        if not system.contacts.on and not switches_of(
            simulation.model
        ):  # contacts may begin to act when joints are off
            if not simulation.model.table("CONTACT"):
                raise ModelError("event-driven analysis needs a CONTACT; add one, or leave contact = events out")
            simulation.warn("all contacts are switched off: nothing in this event-driven run can touch")
        choice.options.extra["planar"] = False
        method = selection.METHODS[choice.kind]
        if (choice.options.formulation or "").upper() == "MINIMAL" or method.formulations == ("MINIMAL",):
            raise ModelError(
                f"{choice.kind} on independent coordinates cannot take contacts as constraints; use DOP853, RADAU5, "
                "GSTIFF or HHT"
            )
        if method.formulations[0] == "MINIMAL":
            choice.options.formulation = "INDEX1"
        super().__init__(simulation, system, choice, times, span)

    def bind(self, system: Any) -> None:
        super().bind(system)
        self._before = (-np.inf, 0.0, 0)  # end, length and number of the last time of time-stepping
        self._at_start: IntegrationError | None = None  # why the analysis begins with one
        self.switching.touch = None
        self._by_set: dict[tuple, dict] = {}  # steppers by what is closed
        if system.contacts.on:  # a SWITCH may have turned off all contacts
            span, error = self.span, self.choice.options.error
            self.touch: Any = RigidContact(system, self.simulation.say_once, span, self.recorder, error)

    def _refuse_overlaps(self, t: float, y: np.ndarray) -> None:
        found = [(k, d) for k, d in overlaps(self.system, t, y) if d > PENETRATION * self.touch.size]
        if found:
            raise ModelError(
                f"at time {t:.6g} shapes overlap, which rigid contact cannot have: {words(self.system, found)}; move "
                "the parts apart, or set "
                'initial = "resolve" on their contacts'
            )

    def behind(self, t: float, y: np.ndarray, approach: np.ndarray) -> np.ndarray:
        """Points that touch take the impact of the switch over, and open, stick or slide with the constraints that act
        now."""
        if isinstance(self.touch, RigidContact):
            self._refuse_overlaps(t, y)
            self.system.contacts.search(t, y)
            y = y.copy()
            assert self.topology is not None
            self.touch.pulls = self.topology.pulled
            if self.touch.turn(t, y, approach) is not None:
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
            system.contacts.search(sim.time, sim.y)  # boxes without size are near nothing until they are searched for
            self.touch.turn(sim.time, sim.y)
        except Crowded as error:
            self.touch.rows.set([])
            self._at_start = error
        except (IntegrationError, ModelError) as error:
            if isinstance(error, IntegrationError):  # the state at the start is a result too
                self.touch.rows.set([])
                self.recorder.begin(
                    "dynamics", {"integrator": choice.kind, "error": choice.options.error, "formulation": ""}
                )
                self.recorder.record(sim.time, sim.y.copy(), 0)
                self.recorder.end()
                sim.stopped = str(error)
                sim.say(sim.stopped)
            self.touch.release()
            raise
        super().set_up()
        if self.work.on and self.topology is None:
            self.work.limit = EnergyLimit(self.recorder, self.choice.options.error, self._touching)

    def _touching(self) -> str:
        """What touches, else what struck last, for a message; begins with a comma."""
        touch, impacts = self.touch, self.recorder.impacts
        if isinstance(touch, RigidContact) and touch.closed:
            return f", with contact of {touch.pairs(touch.closed)}"
        if impacts:
            contact = next(e for e in self.recorder.contacts if e.id == impacts[-1][CONTACT_ID])
            return f", after an impact of {contact.label} at time {impacts[-1][0]:.9g}"
        return ""

    def begin(self) -> None:
        super().begin()
        if self._at_start is not None:
            self._step_locally(self._at_start)

    def _start(self, t: float, y: np.ndarray, h0: float | None) -> None:
        if self._local is not None:
            super()._start(t, y, h0)
            return
        self.touch.rough = selection.METHODS[self.switching.kind].stiff
        self.touch.blind = self.multistep and self.switching.formulation in (None, "I3")
        super()._start(t, y, h0)

    # ---- time-stepping for a while -----------------------------------------------------------------------------------
    @property
    def _local(self) -> LocalStepping | None:
        return self.touch if isinstance(self.touch, LocalStepping) else None

    def _advance(self, bar: Any) -> bool:
        if self._local is not None:
            self.work.renew()  # forces are constant over a step of time-stepping
        try:
            going = super()._advance(bar)
            if not self.multistep and isinstance(self.touch, RigidContact) and self.touch.closed:
                self.stepper.h = min(self.stepper.h, self.touch.longest(self.stepper.y))
            return going
        except Crowded as error:
            self._step_locally(error)
            return True
        except IntegrationError as error:
            if self._local is None or isinstance(error, EnergyError):
                raise
            first = self._local.error
            raise IntegrationError(
                f"{first}; time-stepping does not go through there either: {error}", first.time
            ) from error

    def _way_on(self, error: IntegrationError) -> tuple[str, str] | None:
        if self._local is not None:
            return None
        if isinstance(self.touch, RigidContact) and self.touch.closed and not error.source:
            raise Crowded(str(error), error.time, error.equation, error.source) from error
        return super()._way_on(error)

    def _choose_again(self, step: Any) -> None:
        """Not within a time of time-stepping: no other integrator knows of its contacts."""
        if self._local is None:
            super()._choose_again(step)

    def _step_locally(self, error: IntegrationError) -> None:
        """From the last good state on contacts are taken by time-stepping, for a while."""
        sim, touch, recorder = self.simulation, self.touch, self.recorder
        t, y = float(sim.time), sim.y.copy()
        natural = natural_time(touch)
        end, length, number = self._before
        length = LONGER * length if t - end <= LONGER * length else STEPS * STEP * natural
        h = min(STEP * natural, length / STEPS)
        self._count()
        recorder.count(touch.counters)
        touch.counters = dict.fromkeys(touch.counters, 0)
        touch.release()
        contacts = self.system.contacts
        self._settings = contacts.S.settings.copy()
        self.touch = LocalStepping(t + length, error)
        self.stepper = make_stepper(self.system, h, touch.size)
        if self.work.on:
            self.stepper.impacts = recorder.impacts
        recorder.means = lambda time, sums: self.stepper.mean(time, sums)
        self._before = (t + length, length, number + 1)
        if number < SAID:
            unit = self.system.model.units.symbol("time")
            sim.warn(
                f"{str(error).split('; the results')[0].split('; try')[0]}: contacts are taken by time-stepping at "
                f"steps of {h:.3g} {unit} "
                f"until {t + length:.9g}, and events are located again after that"
            )
        self.work.renew()
        self._start(t, y, None)

    def _follow_again(self, event: float) -> None:
        """The time of time-stepping is over at ``event``: what touches is at rest there or moves apart."""
        sim, contacts = self.simulation, self.system.contacts
        self.work.advance(self._seen, event, self.out, 1)
        y = self.out.copy()
        sim.leave(event, y)
        if event >= self.last:
            return
        self._leave_local()
        contacts.search(event, y)
        self.touch = RigidContact(self.system, sim.say_once, self.span, self.recorder, self.choice.options.error)
        if self.topology is not None:
            self.touch.pulls = self.topology.pulled
        self._steppers, self._by_set = {}, {}
        self.touch.settling.impatient = True
        self.touch.come_to_rest(event, y)
        self.touch.turn(event, y)
        sim.leave(event, y)
        self._take_steppers()
        self.work.renew()
        self._start(event, y, None)

    def _leave_local(self) -> None:
        """What time-stepping has set in the contacts and the recorder is as it was."""
        contacts = self.system.contacts
        self._count()
        self.recorder.means = None
        contacts.grows = False
        contacts.S.settings[:] = self._settings
        contacts.W.count[POINTS] = 0

    def end(self) -> None:
        if self._local is not None:
            self._leave_local()
        if self._before[2] > SAID:
            self.simulation.say(
                f"contacts were taken by time-stepping for a while {self._before[2] - SAID} further times"
            )
        super().end()

    def _touch(self, event: float, step: Any) -> None:
        """Impact, or change of what is closed, sticks or slides; restart after it."""
        sim = self.simulation
        if self._local is not None:
            self._follow_again(event)
            return
        self.work.advance(self._seen, event, self.out, 1)
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
            self.events.begin(event, y, self.costly_restart)
            self.touch.begin(event, y, self.costly_restart)
            self._restart(event, y, wanted if self.touch.struck else self._first(step, wanted))

    def _first(self, step: Any, wanted: float) -> float:
        return wanted if not self.multistep else max(1e-3 * wanted, self._splinter)
