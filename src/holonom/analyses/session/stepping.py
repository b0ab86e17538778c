"""A simulation that others step: one analysis that stays open between calls (`Simulation.open`, `step`, `advance`).

It is the analysis that `Dynamics.run` carries out, with its events, sensors, samples, contacts and switches; calls
state how far, and the integrator is not begun again between them.  Steps end where calls do, as in a run with
INTERPOLATE = OFF.  An input that jumps is a discontinuity: the integrator restarts after it.  Where nothing is
between two steps (`Stepping._plain`), `advance` makes them alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...elements.bodies import layout
from ...elements.bodies.absolute import accept
from ...elements.bodies.momentum import OUTSIDE
from ...expressions import Call, switch_nodes, walk
from ...integrators import selection
from ...integrators.entry import CONSTRAINTS, enter, explicit_handle
from ...integrators.explicit import REDUNDANT, ExplicitStepper
from ...integrators.stepper import IntegrationError
from ...model import ModelError
from ...model.base import Element
from ...model.joint_facts import facts
from ...system.outputs import Probe
from ..assemble import assemble
from ..dynamics.analysis import Dynamics
from ..dynamics.topology import set_states
from ..grains.feeding import Feeding
from .inputs import Course
from .progress import Progress

RECORDS = ("advance", "none")
SAME = 1e-9  # of its size: a motion that an input moves by less does not jump
NEAR = 1e-15  # of a time: so near it has been reached
TURN = 0.5  # radians that the parts may have turned before whole turns of angles are counted
ROOM = 4.0  # steps that fit before the end of the present piece of time


class Stepping:
    """The open analysis of one simulation; made by `Simulation.open`, whose options it takes."""

    def __init__(self, sim: Any, options: dict):
        self.sim = sim
        self.given = dict(options)
        self.options = dict(options)
        self.ended = ""  # why it cannot continue
        self.before: tuple | None = None  # kinetic energy and momentum before the inputs that are to jump
        self.jumps = False  # an input has changed its value since the last step
        self.left = False  # the analysis has ended
        self.fresh = False  # outputs are those of the present state
        self.rows = True  # the end of a call leaves a row, where they are recorded
        self._asks = False
        self._plain: ExplicitStepper | None = None  # integrator that needs nothing between its steps
        self._counts, self._turned = False, 0.0  # but the turns of angles, since they were counted
        self._alone = False  # all of its steps are made by one kernel
        self.bar = Progress(False, 0.0, 1.0)
        self._began()

    def _began(self) -> None:
        from ..contact.treatment import runner, with_step

        sim, options = self.sim, self.options
        self.record, grains = options.pop("record"), options.pop("grains", "general")
        duration = options.pop("duration")
        integrator, contact = options.pop("integrator"), options.pop("contact")
        if self.record not in RECORDS:
            raise ModelError(f"record = {self.record!r} is not one of {', '.join(RECORDS)}")
        span = selection.positive("duration", duration) if duration is not None else 1.0 / sim.model.units.si_time
        if grains not in ("general", "auto"):
            raise ModelError(
                f"grains = {grains}: while a simulation is stepped, grains are integrated with the general "
                f"equations of motion; "
                "leave it out"
            )
        if selection._truth("interpolate", options.get("interpolate") or False):
            raise ModelError("INTERPOLATE = ON is not allowed here: steps end where advance and step do; leave it out")
        if sim.model.integrator.interpolate:
            sim.say_once(
                "INTERPOLATE = ON of the model's INTEGRATOR has no influence while it is stepped: steps end where "
                "calls do"
            )
        options["interpolate"] = False
        method = sim.contact_method(contact, integrator)
        if method == "time-stepping":
            integrator, options = "MOREAU_JEAN", with_step(sim.model, options, sim.say_once)
        choice = selection.choose_for(sim.model, integrator, options)
        if Feeding.active(sim.model):
            feeder = next(e for kind in ("FEEDER", "SINK") for e in sim.model.table(kind).values() if e.active)
            raise feeder.error(
                "grains are added and removed between the outputs of a run, not while a simulation is stepped; "
                "deactivate it, or "
                "use dynamics"
            )
        if any(g.active for g in sim.model.table("GRAINS").values()):
            sim.say_once("grains are integrated with the general equations of motion while a simulation is stepped")
        system = sim.prepare("dynamics", method)
        if system.lagged and method != "time-stepping":
            choice = selection.choose_for(sim.model, integrator, options, lagged=True)
        self.dynamics: Dynamics = runner(method)(sim, system, choice, np.array([sim.time, sim.time + span]), span)
        d = self.dynamics
        d.ahead = d.tend if duration is not None else np.inf
        d.keeps = self.record == "advance"
        contacts = system.contacts.on and not system.contacts.rigid  # their ledger lives on works
        d.works = None if d.keeps or contacts else False
        sim.halted = sim.returned = False
        d.set_up()
        try:
            d.begin()
        except (IntegrationError, ModelError) as error:
            self._failed(error)
            raise
        self._plainly()

    # ---- how far ----------------------------------------------------------------------------------------------------
    def advance(self, until: Any) -> float:
        """To time ``until``, or to where a sensor ends it; returns the time."""
        sim = self.sim
        if self.ended:
            self._refuse()
        try:
            until = float(until)
        except (TypeError, ValueError):
            raise ModelError(f"advance: the time {until!r} is not a number") from None
        if not until - sim.time > NEAR * abs(until) or until == np.inf:
            return self._nowhere(until)
        self._ask_anew()
        stepper, d = self._plain, self.dynamics
        if stepper is None or until > self._corner or (self.jumps and (self.before is not None or d._last is None)):
            return self._go(until)
        self.fresh = False
        try:  # nothing is between these steps
            if self.jumps:
                self._begin_anew(stepper)
            while stepper.t < until:
                if self._alone and stepper.tape is None:
                    d._last, turned = stepper.advance(until, self._counts)
                    self._turned += turned
                    if not self._turned < TURN:
                        self._count_turns()
                    continue
                if d.remembers:
                    accept(d.system.bodies, stepper.y)
                d._last = stepper.step(until)
                if self._watches:
                    self._look(stepper)
        except BaseException as error:
            self._failed(error)
            raise
        finally:
            sim.time, sim.y = stepper.t, stepper.y
        if self._corner - until <= NEAR * abs(until):
            self._arrive()
        return until

    def step(self) -> float:
        """One step of the integrator; returns the time."""
        if self.ended:
            self._refuse()
        self._ask_anew()
        return self._go(None)

    def _ask_anew(self) -> None:
        """A routine that answers otherwise than at the end of the last call (it reads what its owner has changed) is a
        jump, as an input that is set."""
        if self._asks and self.dynamics.system.functions.set.callbacks.changed():
            self.jumps = True

    def _nowhere(self, until: float) -> float:
        t = float(self.sim.time)
        if not np.isfinite(until):
            raise ModelError(f"advance: the time {until} must be a finite number")
        if abs(until - t) <= NEAR * abs(until):
            return t
        raise ModelError(
            f"advance: the time {until:.9g} lies before the present time {t:.9g}; restore a snapshot to go back"
        )

    def _refuse(self) -> None:
        raise ModelError(
            f"the simulation cannot be stepped on from time {self.sim.time:.9g}: {self.ended}; restore a snapshot, or "
            "open it again"
        )

    def _go(self, until: float | None) -> float:
        """Through steps with all that follows from them: to ``until``, or one step (None)."""
        d, sim, start = self.dynamics, self.sim, self.sim.time
        sim.returned = d.paused = self.fresh = False
        try:
            on, there = True, False
            while on and not d.paused and not there:
                if self.jumps:
                    self._jump()
                end = self._far() if until is None else until
                goal = self._corner if end - self._corner > NEAR * abs(end) else end
                if d.tend < goal:
                    d.tend, d.ahead = max(d.tend + d.span * np.ceil((goal - d.tend) / d.span), goal), np.inf
                d.times, d.next, d.rows = np.array([sim.time, goal]), 1, self.rows and goal == until
                on = d.through(self.bar) if until is not None else d._advance(self.bar)
                there = sim.time > start if until is None else goal == until
                if self._corner - sim.time <= NEAR * abs(sim.time):
                    self._arrive()
            d.referee.judge()
        except BaseException as error:
            self._failed(error)
            raise
        if sim.halted:
            self.ended = f"{', '.join(s.label for s in d.sensors.fired)} has halted it"
        if until is None and d.keeps:
            self._row()
        self._plainly()
        return float(sim.time)

    def row(self) -> None:
        """A row at the present time, with inputs as they are now; works have been integrated to it."""
        self.evaluate()
        if self.dynamics.keeps:
            self.dynamics.recorder.store(self.sim.time, self.sim.y)

    def _far(self) -> float:
        """A time that the next step does not reach, or ends at where it would be longer than the scale of time."""
        d, t = self.dynamics, self.sim.time
        h = max(d.stepper.h or 0.0, 0.0 if d._last is None else d._last.h)
        if not ROOM * h < d.span:
            return t + d.span
        if d.tend - t <= ROOM * h:
            d.tend, d.ahead = d.tend + d.span, np.inf
        return d.tend

    def _row(self) -> None:
        """A row at the end of a step."""
        d, t = self.dynamics, self.sim.time
        times = d.recorder.rows["time"]
        if times[-1] < t:
            d.work.advance(d._seen, t, d.out, 1)
            d.recorder.store(t, d.out)

    def _plainly(self) -> None:
        """Whether there is anything between two steps; what is the same for all of them."""
        d, s = self.dynamics, self.dynamics.system
        if self._turned:
            self._count_turns()
        self.fresh = False
        self._asks = any(
            f.callbacks.functions for f in (s.functions.set, s.outputs.set)
        )  # routines, which may know better by now
        self._corner = self.sim.inputs.corner(self.sim.time)
        self._plain = None
        stepper = d.stepper
        if (
            type(d) is Dynamics
            and isinstance(stepper, ExplicitStepper)
            and (stepper.fixed or self._even())
            and stepper.looped
            and not d.switching.free
            and not (
                d.keeps
                or d.work.on
                or d.events.on
                or d.touch.on
                or s.contacts.on
                or d.sensors.sensors
                or d.sampling.blocks
                or d.fmus.on
            )
            and d.topology is None
            and not any(_breaks(node) for _, node in s.motion_nodes.values())
            and not self.ended
        ):
            self._plain = stepper
            self._counts = bool(len(s.outputs._turning)) or any(p.counts for p in s.outputs.probes)
            self._watches = self._counts or d.watch.on or bool(s.outputs.set._refs)
            self._counts = self._watches and not (d.watch.on and not self._counts and not s.outputs.set._refs)
            self._spins = layout.spins(stepper.y, s.nb)
            routines = bool(s.functions.set.callbacks.functions)
            #: not even Python is between these steps
            self._alone = not (d.remembers or d.watch.on or routines)

    def _even(self) -> bool:
        """No step that the error chooses has to end before a call does: nothing depends on time, repeats itself, is
        delayed or begins to act unseen."""
        d, s = self.dynamics, self.dynamics.system
        return not (s.functions.set.over_time or s.motion_nodes or d.periods.on or d.past.on or s.ports.bounding)

    def _look(self, stepper: ExplicitStepper) -> None:
        """After a step: rows that are left out, and turns of angles, which are counted before they can be mistaken for
        others."""
        d = self.dynamics
        if d.watch.on:
            d.watch.step(stepper, stepper.t, stepper.y)
        if self._counts:
            self._turned += 2.0 * stepper.h_done * max(float(self._spins.max()), -float(self._spins.min()))
            if not self._turned < TURN:
                self._count_turns()

    def _count_turns(self) -> None:
        d = self.dynamics
        d.system.outputs.follow(d.stepper.t, d.stepper.y)
        self._turned = 0.0

    def _failed(self, error: BaseException) -> None:
        """The analysis cannot continue; what it has so far stays."""
        d = self.dynamics
        if isinstance(error, (IntegrationError, ModelError)):
            d.fail(error)
            self.ended = str(error).split("; ")[0]
        else:
            self.ended = f"a call was interrupted by {type(error).__name__}"
            if isinstance(error, KeyboardInterrupt):
                d.interrupted()
        self._leave()

    def _leave(self) -> None:
        if not self.left:
            self.left = True
            self._count_steps()
            self.dynamics.end()

    def restore(self, snapshot: Any) -> None:
        """Back to a moment of this analysis."""
        snapshot.put_back()
        d, sim = self.dynamics, self.sim
        if d.topology is not None:
            set_states(sim, d.topology.states)
        self.fresh = False

    def tally(self) -> None:
        """Counters as they are now."""
        if not self.left:
            self._count_steps()
            self.dynamics._count()
            self.dynamics.recorder.end()

    def _count_steps(self) -> None:
        """Those that were made the short way; there was no other integrator."""
        if self._plain is not None:
            self.dynamics._made[self._plain.name] = int(self._plain.statistics["steps"])

    def close(self) -> None:
        """The analysis ends here."""
        if self._plain is not None and self._counts:
            self._count_turns()
        self._leave()

    def place(self, y: np.ndarray) -> None:
        """The bodies and states of y (ny,) from now on, fitted to the constraints; nothing is recorded of the change.
        Raises ModelError where they cannot be fitted."""
        sim, d = self.sim, self.dynamics
        if self.ended:
            self._refuse()
        y = assemble(d.system, sim.time, y, carried=True).y
        d.stepper.y[:] = y
        sim.leave(sim.time, d.stepper.y)
        self.jumps, self.fresh = True, False

    # ---- inputs -----------------------------------------------------------------------------------------------------
    def lead(self, number: int, value: Any, by: Any) -> None:
        """An input goes to ``value`` from now on."""
        inputs, t = self.sim.inputs, self.sim.time
        known = inputs.courses[number].given or inputs.model.table("VARIABLE")[number].input
        present = inputs.courses[number].at(t) if known else self.output(inputs.model.table("VARIABLE")[number])
        course = inputs.course(number, value, t, by, present)
        if course.value != present:
            self.jumps = True
        self._take({number: course})

    def _arrive(self) -> None:
        """Courses that have come to their ends."""
        inputs, t = self.sim.inputs, self.sim.time
        ended = [(n, c.target) for n, c in inputs.courses.items() if c.until - t <= NEAR * abs(t)]
        self._take({n: Course(target, since=t, target=target, given=True) for n, target in ended})

    def _take(self, courses: dict[int, Course]) -> None:
        """Other courses of inputs.  Raises ModelError, and changes nothing, where a motion would have to jump."""
        sim, system = self.sim, self.dynamics.system
        inputs, old = sim.inputs, {n: sim.inputs.courses[n] for n in courses}
        moves = any(key[1] in courses for key in system.functions.constant_inputs)
        if moves:
            before, was = self._motions(), self.before or self._energy()
        for n, course in courses.items():
            inputs.courses[n] = course
            inputs.put_one(system, n)
        self.fresh = False
        self._corner = inputs.corner(sim.time)
        if not moves:
            return
        after = self._motions()
        for k, (motion, _) in system.motion_nodes.items():
            a, b = before[k], after[k]
            if motion.level == "DISPLACEMENT" and abs(b[0] - a[0]) > SAME * max(abs(a[0]), abs(b[0]), 1e-3):
                for n, course in old.items():
                    inputs.courses[n] = course
                    inputs.put_one(system, n)
                self._corner = inputs.corner(sim.time)
                names = ", ".join(inputs.model.table("VARIABLE")[n].label for n in courses)
                raise ModelError(
                    f"{motion.label}: {names} would make its displacement jump from {a[0]:.6g} to {b[0]:.6g} at time "
                    f"{sim.time:.6g}, and nothing can "
                    "follow; give the time by which it is there, set_input(name, value, by=...)"
                )
        if (before != after).any():
            self.jumps, self.before = True, was

    def _motions(self) -> np.ndarray:
        """Functions of all motions at the present time, with their first two derivatives."""
        system = self.dynamics.system
        enter(
            explicit_handle(system),
            CONSTRAINTS,
            self.sim.y.copy(),
            self.sim.time,
            0.0,
            REDUNDANT,
            0,
            system.workspace.stages.d,
        )
        return system.W.rw.motion.copy()

    def _energy(self) -> tuple[float, np.ndarray]:
        """Kinetic energy, and momentum of the moving parts."""
        r = self.dynamics.recorder
        r.evaluate(self.sim.time, self.sim.y.copy(), 0)
        return float(r.outputs.energy[0]), r.momentum[:OUTSIDE].copy()

    def _begin_anew(self, stepper: ExplicitStepper) -> None:
        """`_jump` where nothing else is to be reported of it."""
        self.jumps = False
        self.dynamics.watch.begin()
        stepper.restart()

    def _jump(self) -> None:
        self.jumps, before, self.before = False, self.before, None
        if self._plain is not None and self._counts:
            self._count_turns()
        self.dynamics.jump(before)

    # ---- what there is ----------------------------------------------------------------------------------------------
    def evaluate(self) -> None:
        """Accelerations, reactions, outputs at the present state."""
        self._ask_anew()  # before the answers to this are taken for those at the end of the last call
        if not self.fresh or self._asks:
            if self._plain is not None and self._counts and self._turned:
                self._count_turns()
            self.dynamics.recorder.evaluate(self.sim.time, self.sim.y.copy(), 0)
            self.fresh = True

    def output(self, what: Any) -> Any:
        """A number, or an array of them; see `Simulation.output`."""
        readers = self.dynamics.system.workspace.readers
        key = (what.KIND, what.id) if isinstance(what, Element) else what
        if isinstance(what, (list, tuple)):
            return np.array([self.output(one) for one in what])
        if key not in readers:
            readers[key] = self._reader(what)
            self._plainly()
        return readers[key]()

    def _reader(self, what: Any) -> Callable[[], Any]:
        model, outputs = self.sim.model, self.dynamics.system.outputs
        element = what
        if isinstance(what, str):
            name = what.strip().lower()
            found = [
                e
                for kind in ("VARIABLE", "REQUEST", "JOINT")
                for e in model.table(kind).values()
                if e.name.lower() == name
            ]
            if len(found) > 1:
                raise ModelError(
                    f"'{what}' is the name of {' and of '.join(e.label for e in found)}; give the element itself"
                )
            if not found:
                return self._probe(what)
            element = found[0]
        if not isinstance(element, Element) or element.KIND not in ("VARIABLE", "REQUEST", "JOINT"):
            label = element.label if isinstance(element, Element) else repr(what)
            raise ModelError(
                f"{label} has no value to be requested; give an expression, a VARIABLE, a REQUEST or a JOINT"
            )
        element = model.find(element.KIND, element)
        if not element.active:
            raise element.error("it is not active, so that it has no value")
        if element.KIND == "VARIABLE":
            row = [v.id for v in outputs.variables].index(element.id)
            return self._evaluated(lambda: float(outputs.variable_values[row]))
        if element.KIND == "REQUEST":
            row = [r.id for r in outputs.requests].index(element.id)
            return self._evaluated(lambda: outputs.request_values[row].copy())
        return self._coordinates(element)

    def _coordinates(self, joint: Any) -> Callable[[], Any]:
        freedoms, outputs = facts(joint).freedoms, self.dynamics.system.outputs
        if not freedoms or "angles" in freedoms:
            raise joint.error(
                f"a joint of type {joint.type} has no coordinates of its own to be requested; give an expression "
                "between its markers"
            )
        ends = f"{joint.i},{joint.j},{joint.j}"
        parts: list[Callable[[], Any]] = []
        for freedom in freedoms:
            if freedom == "angle":
                parts.append(self._evaluated(lambda: outputs.angle_values["JOINT", joint.id]))
            else:
                parts += [self._probe(f"{d}({ends})") for d in (("DZ",) if freedom == "travel" else ("DX", "DY"))]
        return parts[0] if len(parts) == 1 else lambda: np.array([part() for part in parts])

    def _evaluated(self, read: Callable[[], Any]) -> Callable[[], Any]:
        def asked() -> Any:
            self.evaluate()
            return read()

        return asked

    def _probe(self, text: str) -> Callable[[], float]:
        sim, outputs = self.sim, self.dynamics.system.outputs
        probe = Probe(self.dynamics.system, text)
        if probe.counts:
            if self._turned:
                self._count_turns()
            probe.accept(sim.time, sim.y)
            outputs.probes.append(probe)
        if probe.late:
            return self._evaluated(lambda: probe.value(sim.time, sim.y))
        return lambda: probe.value(sim.time, sim.y)


def _breaks(node: Any) -> bool:
    """May a motion with this function have a break?"""
    return bool(switch_nodes(node)) or any(
        isinstance(n, Call) and n.name in ("AKISPL", "CUBSPL", "INTERP") for n in walk(node)
    )
