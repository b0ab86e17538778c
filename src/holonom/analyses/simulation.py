"""A simulation: a model, its present state, and analyses that follow each other.

`Simulation` is what scripts (``.acf``) and `simulate` drive: every analysis starts where the last one ended; elements may be
changed, activated and deactivated in between.
"""

from __future__ import annotations

import os
import time as clock
from typing import TYPE_CHECKING, Any

import numpy as np

from ..elements.bodies import layout
from ..integrators import front
from ..integrators.stepper import IntegrationError
from ..model import Model, ModelError
from ..model.base import Element
from ..model.region import Region
from ..model.settings import CONTACT_METHODS, IntegratorSettings
from ..model.validate import doubts, validate
from ..results.run import Run
from ..results.state import SavedState, read_state, write_state
from ..system.build import System
from ..system.multipliers import BASIC, CHOICES, REFUSE
from ..system.reference import counted_angles, take_angles
from .assemble import assemble, redundancy_words
from .feeding import Feeding, append, check, own_grains, without_part
from .holding import found, hold
from .inputs import Inputs
from .kinematics import Follower
from .overlap import settle_overlaps
from .progress import Progress, notice
from .recorder import Recorder
from .state import State
from .switched import Loss, carried_over, discarded, told
from .topology import acting, set_states, switches_of

if TYPE_CHECKING:
    from ..results.modes import Linear
    from .snapshot import Snapshot
    from .stepping import Stepping

MODES = {"dynamics": 4, "kinematics": 1, "statics": 5, "quasistatics": 6, "initial": 2, "linear": 7}

_ROUNDOFF = "constraints are met to roundoff"
IDLE_IC = {"error": _ROUNDOFF, "verror": _ROUNDOFF, "aerror": "accelerations come from a direct solution",
           "maxit": "the assembly ends by its own test", "amaxit": "accelerations come from a direct solution"}  # fmt: skip
IDLE_KINEMATICS = {"error": _ROUNDOFF, "aerror": "accelerations come from a direct solution",
                   "maxit": "a step that does not converge is halved"}  # fmt: skip
MOTION_ERROR = 1e-9  # of positions that are integrals of motions in kinematics
STEP = 1e-3  # of time-stepping where none is given, in seconds
IDLE_EQUILIBRIUM = {"stability": "the share of the mass matrix follows the imbalance"}


class Simulation:
    """State of a model in time; see the module's text.

    ``progress``: show a progress bar (default: when standard error is a terminal).  ``missing``: "error" refuses a model
    with parts that this version cannot run, "zero" leaves them out and says so.  ``redundant``: what is reported where
    constraints repeat each other: "basic" (the repeated ones carry nothing), "minimum-norm" (the load is shared, see
    `system.multipliers`), or "refuse" (an error that names them).
    """

    def __init__(
        self, model: Model, progress: bool | str | None = None, missing: str = "error", quiet: bool = True, redundant: str = BASIC
    ):
        if redundant not in CHOICES:
            raise ModelError(f"unknown treatment '{redundant}' of redundant constraints; choose one of {', '.join(CHOICES)}")
        self.model = model
        self.redundant = redundant
        self.progress = progress
        notice.wanted = progress is not False
        self.missing = missing
        self.quiet = quiet
        self.time = 0.0
        self.recorder = Recorder(model)
        self.recorder.redundant = redundant
        self.messages: list[str] = []
        self.halted = False
        self.returned = False
        self._state: dict = {}
        self._memories: dict = {}  # of contacts
        self._angles: dict = {}
        self._samples: dict[int, float] = {}  # GSE -> time of its next sample
        self._senval: dict[int, float] = {}
        self.system: Any = None  # System of the last analysis
        self.assembly: Any = None  # Assembly of it
        self.stopped = ""
        #: integrate the works of motions, forces, dampers (two evaluations a step); None: in models of up to 100 bodies
        self.work: bool | None = None
        self._disabled_sensors: set[int] = set()
        self._ahead = False
        self.chatter: dict[str, tuple[int, float]] = {}  # of conditions that change back at once, see `events.Events`
        self._losses: list[Loss] = []  # of elements that were switched off, not told yet
        self._woken: list[Element] = []  # switched on since the last analysis
        self.linear: list[Linear] = []  # results of linear analyses so far
        self.feeding = Feeding()  # what feeders and sinks have done so far
        self.recorder.feeding = self.feeding
        self._owns = False  # its grains are its own, see `analyses.feeding`
        self._rigid = False  # contacts are constraints in the present analysis
        self._was_rigid = False  # or have been in one before
        self._lane = False  # grains go the fast way in the present analysis
        #: state of each SWITCH by its id, what elements hold that hold what they find, and elements that are off with a joint
        self._switched: dict[int, str] = {s.id: s.first for s in switches_of(model)}
        self._held: dict[tuple[str, int], Any] = {}
        self._followers: set[tuple[str, int]] = set()
        self.switchings: list[tuple] = []  # time, SWITCH, state before, state after, energy lost, impulse
        self.inputs = Inputs(model)  # values from outside
        self._stepping: Stepping | None = None  # the analysis that is open
        self._begins = False  # it is about to open
        self._opening: dict | None = None  # options with which it was opened last

    # ---- messages -------------------------------------------------------------------------------------------------
    def say(self, text: str) -> None:
        """Add a message to those of the run, and print it unless the simulation is quiet."""
        self.messages.append(text)
        if not self.quiet:
            print(text)

    def say_once(self, text: str) -> None:
        """A message that a script need not hear again with each analysis."""
        if text not in self.messages:
            self.say(text)

    def pass_over(self, statement: str, settings: Any, idle: dict[str, str]) -> None:
        """Say which arguments of a settings statement change nothing: the fields ``idle`` (with the reason), and its ``extra``."""
        for name, why in idle.items():
            value = getattr(settings, name)
            if value is not None:
                self.say_once(f"{statement}: {name.upper()} = {value:g} has no influence here and was passed over: {why}")
        for name, text in settings.extra:
            self.say_once(f"{statement}: {name}{' = ' + text if text else ''} has no influence here and was passed over")

    # ---- system and state -----------------------------------------------------------------------------------------
    def prepare(self, mode: str = "dynamics") -> System:
        """Compile the model as it is now, carry the state over, and fit it to the constraints."""
        if not self._begins:
            self.close()
            self.inputs.hold(self.time)
        if self._ahead:
            self._ahead = False
            self.system.outputs.set_parameter(("MODE",), MODES.get(mode, 4))
            self.inputs.put(self.system)
            return self.system
        set_states(self, self._switched)
        validate(self.model, self._rigid)
        first = self.system is None and not self._state
        self.pass_over("IC", self.model.initial, IDLE_IC)
        if self.system is not None:
            self._keep()
        self.inputs.declare(self.model)
        system: Any = self._system(first)
        for text in system.missing:
            if f"left out: {text}" not in self.messages:
                self.say(f"left out: {text}")
        for text in system.contacts.notes:
            self.say_once(text)
        if not first:
            self._restore(system)
        self._take_held(system)
        carried = system.y0.copy()
        self.assembly = assemble(system, self.time, system.y0 if not first else None, carried=not first)
        if not first:
            names = [e.label for e in self._woken if e.KIND != "CONTACT"]
            text = carried_over(system, self.time, carried, self.assembly.y, self.assembly.moved[0], names)
            if text:
                self.say(text)
            self._woken = [e for e in self._woken if e.KIND == "CONTACT"]
            system.contacts.recall(self._memories)
        if first and system.initial_rows:  # joint and motion initial conditions hold at the start only
            y = self.assembly.y
            system = self._system(False)
            hold(system, self._held)
            system.y0[:] = y
            self.assembly = assemble(system, self.time, y)
        self.system = system
        if self.redundant == REFUSE and self.assembly.redundant and self.assembly.redundant.dropped:
            lines = redundancy_words(system, self.assembly.redundant)
            raise ModelError(f"redundant constraints, which this simulation refuses: {'; '.join(lines)}; remove or replace these joints")
        self.recorder.attach(system)
        self.inputs.put(system)
        take_angles(system.outputs, self._angles, "output")
        system.outputs.set_parameter(("MODE",), MODES.get(mode, 4))
        for sensor, value in self._senval.items():
            system.outputs.set_parameter(("SENVAL", sensor), value)
        if first:
            lines = redundancy_words(system, self.assembly.redundant)
            for line in lines:
                self.say(f"redundant: {line}")
            self.say(f"degrees of freedom: {self.assembly.dof}")
            if self.assembly.opened:
                self.say(self.assembly.opened)
        self.y = self.assembly.y
        return system

    def _system(self, initial: bool) -> System:
        """The model as numbers; where grains go the fast way without them, and ``grains`` are apart."""
        inputs = self.inputs.present(self._begins)
        if not self._lane:
            system: Any = System(self.model, missing=self.missing, initial=initial, senval=self._senval, rigid=self._rigid, inputs=inputs)
            self.inputs.put(system)
            return system
        from .granular import lane_grains, parts_only

        system = System(parts_only(self.model), missing=self.missing, initial=initial, senval=self._senval, inputs=inputs,
                        carried=lane_grains(self.model))  # fmt: skip
        self.inputs.put(system)
        return system

    def _take_held(self, system: System) -> None:
        """Elements that hold what they find hold it on; those that are on from the start hold the design position."""
        if not system.holding:
            return
        on = acting(switches_of(self.model), self._switched) & system.holding
        fresh = [ref for ref in sorted(on) if ref not in self._held]
        self._held |= found(system, fresh, self.time, system.y0)
        hold(system, {ref: self._held[ref] for ref in on if ref in self._held})

    def degrees_of_freedom(self) -> int:
        """Count them; what is prepared for that serves the analysis that follows, with contacts as the model says that they are treated."""
        if not self._rigid:
            self.treat(self.contact_method())
        self.prepare()
        self._ahead = True
        return self.assembly.dof

    def _keep(self) -> None:
        """The present state by element, so that a system with other joints or forces can take it over."""
        s = self.system
        for key, b in s.body_index.items():
            if b < s.nb:
                self._state[key] = layout.body(self.y, b).copy()
        for g in s.grains:
            self._state["GRAINS", g.element.id] = kept = np.full((len(g.element), layout.STATE), np.nan)
            kept[g.slots] = g.state(self.y)
        for k, key in enumerate(s.functions.states):
            self._state[key] = float(self.y[layout.end(s.nb) + k])
        self._state |= {("SAMPLE", number): t for number, t in self._samples.items()}
        self._memories = s.contacts.memories()
        self._angles |= counted_angles(s)
        if s.workspace.outputs is not None:
            self._angles |= counted_angles(s.outputs, "output")

    def _restore(self, system: System) -> None:
        for key, b in system.body_index.items():
            if key in self._state and b < system.nb:
                layout.body(system.y0, b)[:] = self._state[key]
                layout.body(system.y_bodies, b)[:] = self._state[key]
        for g in system.grains:
            kept = self._state.get(("GRAINS", g.element.id), np.zeros((0, layout.STATE)))
            old = g.slots < len(kept)
            old[old] = np.isfinite(kept[g.slots[old]]).all(axis=1)
            for y in (system.y0, system.y_bodies):
                g.state(y)[old] = kept[g.slots[old]]
        for k, key in enumerate(system.functions.states):
            if key in self._state:
                system.y0[layout.end(system.nb) + k] = self._state[key]
        take_angles(system, self._angles)

    # ---- switching between analyses -------------------------------------------------------------------------------
    def activate(self, what: Any, *which: Any) -> list[Element]:
        """Switch elements on before the next analysis: see `deactivate`."""
        return self._switch(True, what, which)

    def deactivate(self, what: Any, *which: Any) -> list[Element]:
        """Switch elements off before the next analysis, which starts from the present state; returns them.

        ``what``: elements themselves, or a kind ("CONTACT", "JOINT", "MOTION", "SFORCE", "SENSOR", ...) followed by ids or names;
        a kind alone means all of it.  A name of a CONTACT may be that of a group.  The model of the simulation is changed.
        """
        return self._switch(False, what, which)

    def _switch(self, on: bool, what: Any, which: tuple) -> list[Element]:
        if not isinstance(what, str):
            elements = [e for one in (what, *which) for e in (one if isinstance(one, (list, tuple)) else (one,))]
            for e in elements:
                if not isinstance(e, Element) or self.model.table(e.KIND).get(e.id) is not e:
                    raise ModelError(f"{getattr(e, 'label', repr(e))} is not an element of this simulation's model; give a kind and an id")
        else:
            kind = what.upper()
            table = self.model.table(kind)  # raises for an unknown kind
            elements = [] if which else list(table.values())
            for one in which:
                group = self.model.contacts_of(one) if kind == "CONTACT" and isinstance(one, str) else []
                elements += group or [self.model.find(kind, one)]
        return self.switch(elements, on)

    def switch(self, elements: list[Element], on: bool, *, tell: bool = True) -> list[Element]:
        """Set ``active`` of elements of this model, and what goes with it: sensors, and a word on the energy and the reactions that are lost,
        at once or (``tell=False``) with those of later calls by `tell_losses`."""
        self.close()
        sensors = {e.id for e in elements if e.KIND == "SENSOR"}
        self._disabled_sensors = self._disabled_sensors - sensors if on else self._disabled_sensors | sensors
        if not on:
            self._senval.update(dict.fromkeys(sensors, 0.0))  # what a sensor that is off has stored is not told
            self._losses += discarded(self, elements)
            self._woken = [e for e in self._woken if not any(e is other for other in elements)]
        else:
            self._woken += [e for e in elements if not e.active]
        for e in elements:
            e.active = on
        self._ahead = False
        if tell:
            self.tell_losses()
        return elements

    def tell_losses(self) -> None:
        """What elements that were switched off have lost."""
        for text in told(self._losses, self.model.units.symbol):
            self.say(text)
        self._losses.clear()

    def woken_contacts(self) -> set[int]:
        """Ids of contacts that were switched on since the last analysis; they are told of once."""
        woken = {e.id for e in self._woken if e.KIND == "CONTACT"}
        self._woken = []
        return woken

    # ---- to disk and back -----------------------------------------------------------------------------------------
    def save(self, path: str | os.PathLike) -> None:
        """Write the model and its present state (HDF5), for `reload`.  Results are not in it."""
        write_state(path, self._saved())

    @property
    def state(self) -> State:
        """Places, velocities and further states at the present time, in model units (`State`).

        Called, ``sim.state()``, it gives the state and the model for `take`, the same as `save` in memory.
        """
        if self.system is None:
            self.prepare()
        return State(self)

    def _saved(self) -> SavedState:
        """What goes to a file, and comes back by `take`."""
        if self.system is None:
            self.prepare()
        self._keep()
        return SavedState(self.time, self.model, dict(self._state), dict(self._senval), set(self._disabled_sensors), dict(self._memories),
                          dict(self._switched), dict(self._held))  # fmt: skip

    def reload(self, path: str | os.PathLike, states_only: bool = False) -> None:
        """Go on from a saved state: with its model (of the same elements), or with the present one (``states_only``)."""
        self.take(read_state(path), states_only)

    def take(self, saved: SavedState, states_only: bool = False) -> None:
        """The same from memory: ``sim.take(saved)`` after ``saved = sim.state()``.  Raises ModelError when the state belongs to a model of other elements."""
        self.close()
        if not states_only:
            for kind, table in saved.model._tables.items():
                if set(table) != set(self.model.table(kind)):
                    raise ModelError(f"the saved model has other elements of kind {kind} than the present one; give its own dataset")
            saved.model.routines, saved.model.path = self.model.routines, self.model.path
            self.model = self.recorder.model = saved.model
            self._disabled_sensors = set(saved.disabled)
        self._state, self._senval, self._memories = dict(saved.state), dict(saved.senval), dict(saved.memories)
        self._switched = {s.id: s.first for s in switches_of(self.model)} | saved.switched
        self._held = dict(saved.held)
        self._samples = {key[1]: t for key, t in saved.state.items() if key[0] == "SAMPLE"}
        self.time, self.system, self._ahead = saved.time, None, False
        self.halted = self.returned = False

    # ---- analyses -------------------------------------------------------------------------------------------------
    def dynamics(self, end: float | None = None, steps: int | None = None, dt: float | None = None, duration: float | None = None,
                 integrator: str | None = None, contact: str | None = None, grains: str = "auto", threads: int = 1, **options: Any) -> None:  # fmt: skip
        """Integrate to ``end`` (or for ``duration``) with output every ``dt`` or at ``steps`` equal intervals.

        ``contact``: one of `model.settings.CONTACT_METHODS`, "compliant", "events" or "time-stepping"; default: what the model's
        `RigidSettings` say, or time-stepping where its integrator MOREAU_JEAN is asked for.  ``grains``: "granular" takes them the fast
        way (`analyses.granular`, on ``threads``), "general" lets the general equations of motion do it, "auto": the fast way where it can.
        """
        times = self._times(end, steps, dt, duration)
        method = self.contact_method(contact, integrator)
        if method == "time-stepping":
            integrator, options = "MOREAU_JEAN", self._moreau_step(options)
        choice = front.choose(self.model.integrator, integrator, options)
        if self._bulk(grains, method, choice):
            self._granular(choice, times, threads)
            return
        self.treat(method)
        try:
            if Feeding.active(self.model):
                self._fed(method, choice, times)
                return
            system: Any = self.prepare("dynamics")
            if system.lagged and method != "time-stepping":
                choice = front.choose(self.model.integrator, integrator, options, lagged=True)
            runner(method)(self, system, choice, times).run()
        finally:
            self.treat("compliant")

    def _bulk(self, grains: str, method: str, choice: front.Choice) -> bool:
        """Whether grains go the fast way.  Raises ModelError where it is asked for and cannot be."""
        from .granular import CHOICES, METHODS, unfit

        if grains not in CHOICES:
            raise ModelError(f"unknown way '{grains}' for grains; choose one of {', '.join(CHOICES)}")
        present = any(g.active for g in self.model.table("GRAINS").values())
        if grains == "general" or (grains == "auto" and (not present or method != "compliant" or choice.kind not in METHODS)):
            return False
        validate(self.model)
        why = unfit(self.model, choice.kind) if method == "compliant" else f"contact = {method} is not compliant"
        if why and grains == "granular":
            raise ModelError(f"grains cannot go the fast way: {why}; give grains = general")
        if why:
            self.say_once(f"grains go with the general equations of motion: {why}")
        return not why

    def _fed(self, method: str, choice: front.Choice, times: np.ndarray) -> None:
        """Between two outputs after another; grains come and go at outputs."""
        self.own()
        self.recorder.close()  # columns grow
        for a, b in zip(times[:-1], times[1:]):
            if self.halted or self.stopped:
                break
            n = len(self.messages)
            runner(method)(self, self.prepare("dynamics"), choice, np.array([a, b])).run()
            self.messages[n:] = [text for text in self.messages[n:] if text not in self.messages[:n]]  # each interval says the same
            self._exchange(b)

    def _exchange(self, t: float) -> None:
        """What sinks take and feeders make at time t, between two analyses."""
        self._keep()
        model, feeding = self.model, self.feeding
        state = {e.id: self._state["GRAINS", e.id] for e in model.table("GRAINS").values() if e.active}
        for n, kept in state.items():
            e = model.table("GRAINS")[n]
            slots = np.flatnonzero(e.exists)
            gone = slots[feeding.taken(model, e, slots, kept[slots, :3])]
            if len(gone):
                self.remove_grains(e, gone)
                kept[gone] = np.nan
        for f in model.table("FEEDER").values():
            if f.active and f.grains in state:
                e = model.table("GRAINS")[f.grains]
                balls = [(k, model.table("GRAINS")[n]) for n, k in state.items()]
                centres = np.concatenate([k[np.isfinite(k[:, 0]), :3] for k, _ in balls])
                reach = np.concatenate([(g.sizes * g.reach)[: len(k)][np.isfinite(k[:, 0])] for k, g in balls])
                places, sizes = feeding.feed(f, t, e, centres, reach)
                if len(places):
                    self.add_grains(e, places, sizes, density=f.density, velocity=f.velocity)
                    state[e.id] = np.concatenate([state[e.id], np.pad(places, ((0, 0), (0, 10)))])
        for text in feeding.said:
            self.say(text)
        feeding.said.clear()
        self._ahead = False

    # ---- grains and parts that come and go --------------------------------------------------------------------------
    def own(self) -> None:
        """Grains of its own, so that the user's model stays as it is when some come and go."""
        if not self._owns:
            self._owns = True
            self._take_model(own_grains(self.model))

    def _take_model(self, model: Model) -> None:
        self.close()
        self.model = self.recorder.model = model
        self.recorder.grains = list(model.table("GRAINS").values())
        self._ahead = False

    def add_grains(self, grains: Any, positions: Any, radius: Any, *, density: float | None = None, mass: Any = None, velocity: Any = None,
                   spin: Any = None, orientation: Any = None) -> np.ndarray:  # fmt: skip
        """Add grains to an element before the next analysis; ``radius``: of spheres, scale of others.  Returns their numbers."""
        self.own()
        e = self.model.find("GRAINS", getattr(grains, "id", grains))
        if (density is None) == (mass is None):
            raise e.error("give either density or mass of the grains to be added")
        sizes = np.broadcast_to(np.asarray(radius, float), len(np.atleast_2d(np.asarray(positions, float))))
        one = e.solid_volume
        self._ahead = False
        return append(e, positions, sizes, mass if density is None else float(density) * one * sizes**3, velocity, spin, orientation)

    def remove_grains(self, grains: Any, which: Any) -> np.ndarray:
        """Take grains out before the next analysis: ``which`` are their numbers, or a region (`Box`, ...).  Returns their numbers."""
        self.own()
        e = self.model.find("GRAINS", getattr(grains, "id", grains))
        if isinstance(which, Region):
            slots = np.flatnonzero(e.exists)
            places = e.positions[slots]
            if self.system is not None:
                self._keep()
                kept = self._state["GRAINS", e.id][slots, :3]
                places = np.where(np.isfinite(kept), kept, places)
            which = slots[which.contains(places)]
        rows = check(e, which)
        there = e.exists.copy()
        there[rows] = False
        e.present = there
        self._ahead = False
        return rows

    def remove(self, body: Any) -> None:
        """Take a part or point mass out before the next analysis, with its shapes.  Raises ModelError where a joint or a force holds it."""
        if self.system is not None:
            self._keep()
        part = body if isinstance(body, Element) else self.model.find("PART", body)
        part = self.model.table(part.KIND)[part.id]
        self._owns = True
        self._take_model(without_part(self.model, part))

    def _granular(self, choice: front.Choice, times: np.ndarray, threads: int) -> None:
        from .granular import GranularDynamics

        for s in switches_of(self.model):
            raise s.error("elements are not switched while grains go the fast way; give grains = general")
        self._ahead, self._lane = False, True
        if Feeding.active(self.model):
            self.own()
            self.recorder.close()  # columns grow
        try:
            GranularDynamics(self, self.prepare("dynamics"), choice, times, threads).run()
        finally:
            self._lane = False

    def contact_method(self, contact: str | None = None, integrator: str | None = None) -> str:
        """How a dynamic analysis treats contacts (`model.settings.CONTACT_METHODS`), with what is asked for."""
        asked = integrator or self.model.integrator.kind
        moreau = asked is not None and front.resolve(asked)[0] == "MOREAU_JEAN"
        if contact is not None and contact not in CONTACT_METHODS:
            raise ModelError(f"unknown treatment '{contact}' of contacts; choose one of {', '.join(CONTACT_METHODS)}")
        method = contact or ("time-stepping" if moreau else self.model.rigid.method)
        if method == "time-stepping" and integrator is not None and not moreau:
            raise ModelError(
                f"contact = {method} has an integrator of its own, MOREAU_JEAN; leave {integrator} out, or choose contact = events"
            )
        if method != "time-stepping" and moreau:
            raise ModelError(f"MOREAU_JEAN is the integrator of contact = time-stepping, not of contact = {method}; leave one of them out")
        return method

    def _moreau_step(self, options: dict) -> dict:
        """Options with a step where none is given."""
        settings = self.model.integrator
        if settings.hmax is None and settings.hinit is None and not {"hmax", "step", "hinit"} & {front.option_name(n) for n in options}:
            step = STEP / self.model.units.si_time
            self.say_once(f"time-stepping at steps of {step:g} {self.model.units.symbol('time')}; give STEP for others")
            return {**options, "step": step}
        return options

    def treat(self, method: str) -> None:
        """Contacts are constraints, or forces ("compliant"), in the systems that are built from now on."""
        rigid = method != "compliant"
        if rigid != self._rigid:
            self._ahead = False
        self._rigid = rigid
        self._was_rigid |= rigid

    def kinematics(self, end=None, steps=None, dt=None, duration=None, **options: Any) -> None:
        """Positions, velocities, accelerations and reactions of a mechanism without degrees of freedom.

        Motions that are given by their velocity or acceleration are integrated, with the error control of a dynamic analysis."""
        times = self._times(end, steps, dt, duration)
        system = self.prepare("kinematics")
        if self.assembly.dof > 0:
            raise ModelError(
                f"a kinematic analysis needs zero degrees of freedom, the model has {self.assembly.dof}; drive them with motions or run a dynamic analysis"
            )
        integrated = [m.label for m in self.model.table("MOTION").values() if m.active and m.level != "DISPLACEMENT"]
        if integrated:
            self._integrate_motions(integrated, times, options)
            return
        recorder = self.recorder
        self.pass_over("KINEMATICS", self.model.kinematics, IDLE_KINEMATICS)
        for name in sorted(set(options) - {"hmax"}):
            self.say_once(f"{front.option_name(name).upper()} belongs to dynamic analyses and has no influence on this kinematic one")
        hmax = options.get("hmax")
        hmax = self.model.kinematics.hmax if hmax is None else hmax
        hmax = np.inf if hmax is None else front.positive("hmax", hmax)
        recorder.begin("kinematics", {})
        y = self.y.copy()
        recorder.record(self.time, y, 0)
        begin = clock.process_time()
        sub = max(1, int(np.ceil((times[1] - times[0]) / hmax))) if len(times) > 1 else 1
        follower = Follower(system, self.time, y, times[-1] - self.time, self.say)
        try:
            with Progress(self.progress, self.time, times[-1]) as bar:
                for a, b in zip(times[:-1], times[1:]):
                    follower.to(b, sub)
                    recorder.record(b, y, 0)
                    self._leave(b, y)
                    bar.update(b, (b - a) / sub)
        except KeyboardInterrupt:
            self.stopped = f"stopped by the user at time {self.time:.6g}"
            self.say(self.stopped)
        except (IntegrationError, ModelError) as error:
            self.stopped = str(error)
            self.say(self.stopped)
            if follower.t > self.time:  # a row at the last position before the lock
                self._leave(follower.t, follower.y)
                recorder.record(self.time, follower.y.copy(), 1)
            raise
        finally:
            recorder.counters["cpu seconds"] = recorder.counters.get("cpu seconds", 0.0) + clock.process_time() - begin
            recorder.end()

    def _integrate_motions(self, labels: list[str], times: np.ndarray, options: dict) -> None:
        """A kinematic analysis whose positions are integrals of motions: the same equations as in dynamics, to an error that nobody sees."""
        self.pass_over("KINEMATICS", self.model.kinematics, IDLE_KINEMATICS)
        given = {"hmax": options.get("hmax") or self.model.kinematics.hmax, "error": options.get("error") or MOTION_ERROR}
        for name in sorted(set(options) - {"hmax", "error"}):
            self.say_once(f"{front.option_name(name).upper()} belongs to dynamic analyses and has no influence on this kinematic one")
        self.say_once(
            f"{', '.join(labels[:4])}{' and others' if len(labels) > 4 else ''}: given by velocity or acceleration, integrated to an error of "
            f"{given['error']:g} in this kinematic analysis"
        )
        choice = front.choose(IntegratorSettings(), "DOP853", given)
        analysis = runner("compliant")(self, self.system, choice, times)
        analysis.kind = "kinematics"
        analysis.run()

    def initial(self, **options: Any) -> None:
        """Initial-condition analysis: one row of the assembled state.  It has no options."""
        for name in sorted(options):
            self.say_once(f"{front.option_name(name).upper()} belongs to dynamic analyses and has no influence on initial conditions")
        self.treat(self.contact_method())
        try:
            system = self.prepare("initial")
            settle_overlaps(system, self.time, self.y, self.say)
            self.recorder.begin("initial", {})
            self.recorder.record(self.time, self.y.copy(), 0)
            self.recorder.end()
        finally:
            self.treat("compliant")

    def statics(self, contact: str | None = None, **options: Any) -> None:
        """Static equilibrium at the present time; ``contact`` as in `dynamics` ("events" and "time-stepping" are one here)."""
        self._equilibria("statics", np.array([self.time]), contact, options)

    def quasistatics(self, end=None, steps=None, dt=None, duration=None, contact: str | None = None, **options: Any) -> None:
        """A sequence of static equilibria."""
        self._equilibria("quasistatics", self._times(end, steps, dt, duration), contact, options)

    def _equilibria(self, kind: str, times: np.ndarray, contact: str | None, options: dict) -> None:
        from .rigid_statics import rest
        from .statics import equilibrium

        self.treat(self.contact_method(contact))
        try:
            system = self.prepare(kind)
            find = rest if system.rigid and system.contacts.on else equilibrium
            self.pass_over("EQUILIBRIUM", self.model.equilibrium, IDLE_EQUILIBRIUM)
            self.recorder.begin(kind, dict(options))
            y = self.y.copy()
            for t in times:
                result = find(system, t, y, self.model.equilibrium, say=self.say, **options)
                y = result.y
                self._leave(t, y)
                self.recorder.record(t, y.copy(), 1)
                self.recorder.count({"static iterations": result.iterations})
            self.recorder.end()
        finally:
            self.treat("compliant")

    def linearize(self, *, inputs=None, outputs=None, states=None, rm=None, damping: bool = True) -> Linear:
        """Small motions about the present state: eigenvalues, modes, state matrices (`Linear`).

        ``inputs``, ``outputs``: VARIABLEs, or PINPUT and POUTPUT elements, by name, id or themselves (default: all PINPUT and
        POUTPUT of the model); an output may also be an expression.  ``states``: VARIABLEs that serve as coordinates of the state
        matrices.  ``rm``: a marker that turns with the machine.  ``damping`` False leaves out all that depends on velocities.
        """
        from .linear import linearize_simulation

        answer = linearize_simulation(self, inputs=inputs, outputs=outputs, states=states, rm=rm, damping=damping)
        self.linear.append(answer)
        return answer

    def _leave(self, t: float, y: np.ndarray) -> None:
        self.time = float(t)
        self.y = y

    def _times(self, end, steps, dt, duration) -> np.ndarray:
        if end is None and duration is None:
            raise ModelError("a simulation needs END or DURATION")
        stop = float(end) if end is not None else self.time + float(duration)
        if not stop > self.time:
            raise ModelError(f"the end time {stop:g} does not lie after the present time {self.time:g}")
        if not np.isfinite(stop):
            raise ModelError("the end time must be a finite number")
        span = stop - self.time
        if dt is not None:
            if not dt > 0:
                raise ModelError(f"the output interval must be positive, not {dt:g}")
            n = max(1, int(np.floor(span / dt * (1 + 1e-10))))
            times = self.time + dt * np.arange(n + 1)
            return np.append(times, stop) if stop - times[-1] > 1e-9 * span else np.append(times[:-1], stop)
        n = 100 if steps is None else int(steps)
        if n < 1 or (steps is not None and n != steps):
            raise ModelError(f"the number of output steps must be a positive whole number, not {steps}")
        return np.linspace(self.time, stop, n + 1)

    # ---- step by step ---------------------------------------------------------------------------------------------
    def open(self, integrator: str | None = None, contact: str | None = None, *, inputs=(), record: str = "advance",
             duration: float | None = None, **options: Any) -> None:  # fmt: skip
        """Begin a dynamic analysis that `step` and `advance` carry on, from the present state; they open it with the defaults where it is not open.

        ``integrator``, ``contact`` and ``options`` as in `dynamics`; steps end where calls do, so there is no ``interpolate``.  ``inputs``: further
        VARIABLEs (names, ids or elements) that `set_input` may set; those of `Model.input` and of PINPUTs are inputs anyway.  ``record``: "advance"
        keeps a row for `run` at the end of each call, "none" keeps none and integrates no works.  ``duration``: how long it will go on, about, in
        units of time, from which first steps and error floors are taken as `simulate` takes them from its end; no limit (default: one second).
        Raises ModelError for options that do not fit and models that cannot be run.
        """
        from .stepping import Stepping

        self.close()
        for one in [inputs] if isinstance(inputs, (str, int, Element)) else inputs:
            self.inputs.name(one)
        given = {"integrator": integrator, "contact": contact, "record": record, "duration": duration, **options}
        self._begins, self._ahead = True, False
        try:
            self._stepping = Stepping(self, given)
        finally:
            self._begins = False
        self._opening = given

    def _opened(self) -> Stepping:
        """The open analysis; one with the options of the last where another analysis has come between."""
        if self._stepping is None:
            self.open(**(self._opening or {}))
        assert self._stepping is not None
        return self._stepping

    def step(self) -> float:
        """One step of the integrator, which chooses its size, at most the ``duration`` of `open`; returns the new time (units of time).

        A sensor that halts ends it at its event.  Raises IntegrationError where it cannot go on, ModelError after that.
        """
        return (self._stepping or self._opened()).step()

    def advance(self, until: float) -> float:
        """Integrate exactly to time ``until`` (units of time) and return the time, which is less where a sensor with HALT or RETURN has ended it.

        The integrator goes on where the last call left it; nothing begins anew between calls unless an input has changed at once.
        Raises ModelError for a time that has passed, and IntegrationError where it cannot go on: the state is the last good one then.
        """
        return (self._stepping or self._opened()).advance(until)

    def set_input(self, name: Any, value: float, by: float | None = None) -> None:
        """Give an input (its name, id or VARIABLE) a value, in the units of its reader: from now on, or on a straight line until time ``by``.

        It holds until it is set again.  A change at once is a discontinuity, behind which the integrator begins anew at the next call; other analyses
        take inputs as they are at their start.  Raises ModelError for an input that there is not, a value that is no number, a time ``by`` that has
        passed, and a jump that a motion cannot follow.
        """
        number = self.inputs.find(name)
        if self._stepping is None and by is not None:
            self._opened()
        if self._stepping is not None and not self._stepping.left:
            self._stepping.lead(number, value, by)
        else:
            self.inputs.courses[number] = self.inputs.course(number, value, self.time, by, self.inputs.courses[number].at(self.time))
            self._ahead = False

    def output(self, what: Any) -> Any:
        """The present value of an expression (a text of the function language, in its units), a VARIABLE, a REQUEST (its eight numbers) or a JOINT: its
        angle [rad] over whole turns, its travel (length), or an array of both.  A text that is the name of one of these elements means it; a list gives
        an array.  Turns of angles in an expression are counted from when it is first asked for, those of joints from the beginning.

        Raises ModelError for what has no value, or is no expression of this model.
        """
        return (self._stepping or self._opened()).output(what)

    def snapshot(self) -> Snapshot:
        """This moment of the analysis that is open, for `restore`: state, inputs, contacts, sensors, switches, and the history and step of the integrator.

        It stays in memory (its ``time`` in units of time); to disk goes `save`.  What user routines keep themselves is not in it.
        Raises ModelError where the analysis has ended.
        """
        stepping = self._stepping or self._opened()
        if stepping.ended:
            stepping._refuse()
        from .snapshot import Snapshot

        return Snapshot(stepping)

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a moment of the analysis that is open, as often as wanted; what follows has the bits that it had, rows recorded since are dropped.

        Times are in the units of the model.  Raises ModelError for a snapshot of an analysis that has been closed (`state` and `take` serve there).
        """
        from .snapshot import Snapshot

        if not isinstance(snapshot, Snapshot):
            raise ModelError(
                f"restore: {type(snapshot).__name__} is no snapshot; give what sim.snapshot() returned (a saved state goes to sim.take)"
            )
        if self._stepping is None or snapshot.stepping is not self._stepping:
            raise ModelError(
                f"the snapshot of time {snapshot.time:.9g} was taken in an analysis that is closed by now; take one after open, or use state and take"
            )
        self._stepping.restore(snapshot)

    def close(self) -> None:
        """End the analysis that is open (messages and counters of the solver are then complete); what was recorded stays for `run`.

        Any other analysis, and switching elements on or off, closes it too; the next `advance` opens it again with the same options, at the state there
        is then (the integrator begins anew, in units of time of the model).
        """
        if self._stepping is not None and not self._begins:
            self._stepping.close()
            self._stepping = None

    # ---- answer ---------------------------------------------------------------------------------------------------
    def run(self) -> Run:
        """Everything recorded so far, rows in model units; an analysis that is open stays so."""
        if self._stepping is not None:
            self._stepping.tally()
        if self.recorder.doubtful_turns:
            self.say_once(
                "angles of joints turned so far within a step that their whole turns are not sure; give a smaller hmax, or more output"
            )
        info: dict[str, Any] = {
            "messages": list(self.messages),
            "warnings": [*self.model.warnings, *doubts(self.model, self._was_rigid)],
            "stopped": self.stopped,
        }
        if self.assembly is not None and self.system is not None:
            info["degrees_of_freedom"] = self.assembly.dof
            info["redundant"] = redundancy_words(self.system, self.assembly.redundant)
            info["bodies"] = self.system.nb
            info["equations"] = self.system.m
        if self._switched:
            info["switches"] = [list(row) for row in self.switchings]
            info["switch states"] = {str(k): state for k, state in self._switched.items()}
        run = Run(self.model, self.recorder.data(), info)
        run.linear = list(self.linear)
        return run


def runner(method: str) -> Any:
    """Class that carries out a dynamic analysis with contacts treated so."""
    if method == "time-stepping":
        from .time_stepping import TimeStepping

        return TimeStepping
    if method == "events":
        from .event_driven import EventDriven

        return EventDriven
    from .dynamics import Dynamics

    return Dynamics


def simulate(model: Model, end: float | None = None, steps: int | None = None, *, dt: float | None = None, kind: str = "auto",
             integrator: str | None = None, progress: bool | str | None = None, missing: str = "error", quiet: bool = True,
             keep: str | os.PathLike | None = None, redundant: str = BASIC, contact: str | None = None, **options: Any) -> Run:  # fmt: skip
    """Run a model and return the `Run`.

    ``end``: end time; output at ``steps`` equal intervals or every ``dt``.  ``kind``: "dynamics", "kinematics", "statics",
    "quasistatics", "initial", or "auto" (kinematics when there is no degree of freedom left, else dynamics).  ``integrator``:
    one of `integrators.front.METHODS` ("DOP853", "GSTIFF", "HHT", "RADAU5", ...), with ``formulation`` "I3", "SI2" or "SI1"
    where it has them; the default is DOP853, and an implicit method as long as stability limits its step.
    Further options (`integrators.front.OPTIONS`, docs/integrators.md): ``error``, ``absolute``, ``scale``, ``hinit``, ``hmin``,
    ``hmax``, ``step``, ``kmax``, ``maxit``, ``corrector``, ``interpolate``, ``pattern``, ``jacobian``, ``adaptivity``, ``planar``...
    ``contact``: how contacts are treated in dynamics and statics: "compliant" (forces of their laws), "events" (constraints, impacts located in
    time) or "time-stepping" (constraints, Moreau-Jean at a fixed ``step``); see docs/rigid-contact.md.
    ``redundant``: reactions of redundant constraints, see `Simulation`.  ``keep``: a file to which rows go while the run
    goes on, so that a process that is killed leaves what it had.
    Raises ModelError for a bad model and IntegrationError (with ``.run``, the results so far) when a run cannot go on.
    """
    sim = Simulation(model, progress=progress, missing=missing, quiet=quiet, redundant=redundant)
    sim.recorder.file = keep
    try:
        if kind in ("auto", "dynamics"):
            sim.treat(sim.contact_method(contact, integrator))
        if kind == "auto":
            driven = sim.degrees_of_freedom() == 0 and sim.system.m and not sim.system.nx and not sim._switched
            kind = "kinematics" if driven and integrator is None and contact is None and not options else "dynamics"
        if kind in ("statics", "initial"):
            if integrator is not None:
                sim.say(f"INTEGRATOR = {integrator} has no influence on {'statics' if kind == 'statics' else 'initial conditions'}")
            getattr(sim, kind)(**options, **({"contact": contact} if kind == "statics" else {}))
        elif kind in ("dynamics", "kinematics", "quasistatics"):
            if kind == "dynamics":
                options["integrator"], options["contact"] = integrator, contact
            elif integrator is not None:
                sim.say(f"INTEGRATOR = {integrator} has no influence on {kind}")
            if kind == "quasistatics":
                options["contact"] = contact
            getattr(sim, kind)(end=end, steps=steps, dt=dt, **options)
        else:
            raise ModelError(f"unknown kind of analysis '{kind}'; choose dynamics, kinematics, statics, quasistatics or initial")
    except (IntegrationError, ModelError) as error:
        if len(sim.recorder):
            error.run = sim.run()  # type: ignore[union-attr,attr-defined]
        raise
    finally:
        sim.recorder.close()
        set_states(sim, {s.id: s.first for s in switches_of(model)})  # the model is as it was
    return sim.run()
