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

from typing import Any

import numpy as np

from ..integrators import selection
from ..integrators.selection import Choice
from ..integrators.stepper import IntegrationError
from ..model import ModelError
from ..system.active_rows import REMEMBERED
from .dynamics import Dynamics
from .overlap import overlaps, settle_overlaps, words
from .rigid_contact import RigidContact
from .topology import switches_of

PENETRATION = 1e-5  # of the size: an overlap at the start that no rounding explains


class EventDriven(Dynamics):
    """`Dynamics` with rigid contact, from event to event."""

    BOUND = (*Dynamics.BOUND, "_by_set")
    way_out = "contact = time-stepping"

    def __init__(self, simulation: Any, system: Any, choice: Choice, times: np.ndarray, span: float | None = None):
        bent = next((e for e in system.tail if e is not None), None)
        if bent is not None:
            raise bent.error(
                "parts that bend cannot be where contacts are located as events; use contact = time-stepping, which takes their surfaces as constraints, or laws"
            )
        if not system.contacts.on and not switches_of(simulation.model):  # contacts may begin to act when joints are off
            raise ModelError("event-driven analysis needs a CONTACT; add one, or leave contact = events out")
        choice.options.extra["planar"] = False
        method = selection.METHODS[choice.kind]
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

    def behind(self, t: float, y: np.ndarray, approach: np.ndarray) -> np.ndarray:
        """Points that touch take the impact of the switch over, and open, stick or slide with the constraints that act now."""
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
        self.touch.rough = selection.METHODS[self.switching.kind].stiff
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
