"""A simulation: a model, its present state, and analyses that follow each other.

`Simulation` is what scripts (``.acf``) and `simulate` drive: every analysis starts where the last one ended; elements
may be changed, activated and deactivated in between.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._warnings import LOG, WarningText, warn_model
from ...elements.kinds import FORCES
from ...integrators import selection
from ...model import Model, ModelError
from ...model.base import Element
from ...model.validate import doubts, validate
from ...results.files.state import SavedState, read_state, write_state
from ...results.run import Run
from ...system.build import System
from ...system.multipliers import BASIC, CHOICES, REFUSE
from ...system.reference import take_angles
from ..assemble import assemble, redundancy_said, redundancy_words
from ..checks import ranges
from ..checks.closed_joints import ClosedJoints
from ..checks.closed_joints import summary as closed_joints
from ..checks.given import not_kept
from ..contact.overlap import settle_overlaps
from ..contact.refereeing import Refereeing, check_choice, checked
from ..contact.treatment import GRANULAR, alike, contact_method, is_rigid, runner, with_step
from ..dynamics.past import attach, refuse
from ..dynamics.sensors import Sensors
from ..dynamics.topology import set_states, switches_of
from ..grains.feeding import Feeding, add_grains, exchange, own_grains, remove_grains, without_part
from ..holding import hold
from . import parameters
from .carried import Carried
from .inputs import Inputs
from .output_times import output_times, step_within
from .progress import notice
from .recorder import Recorder
from .state import State
from .switched import Loss, carried_over, discarded, told
from .systems import Systems

if TYPE_CHECKING:
    from ...results.modes import Linear
    from ..statics.path import LoadPath
    from .snapshot import Snapshot
    from .stepping import Stepping

MODES = {"dynamics": 4, "kinematics": 1, "statics": 5, "quasistatics": 6, "initial": 2, "linear": 7}

_ROUNDOFF = "constraints are met to roundoff"
IDLE_IC = {
    "error": _ROUNDOFF,
    "verror": _ROUNDOFF,
    "aerror": "accelerations come from a direct solution",
    "maxit": "the assembly ends by its own test",
    "amaxit": "accelerations come from a direct solution",
}
IDLE_EQUILIBRIUM = {"stability": "the share of the mass matrix follows the imbalance"}


def kept_file(path: str | os.PathLike | None) -> str | os.PathLike | None:
    """The file to which rows of a run go while it goes on.  Raises ModelError, before the run, where there can be
    none."""
    if path is not None and (os.path.isdir(path) or not os.path.isdir(os.path.dirname(os.fspath(path)) or ".")):
        raise ModelError(
            f"keep = '{os.fspath(path)}': there is no such folder; give a file in a folder that exists"
            if not os.path.isdir(path)
            else f"keep = '{os.fspath(path)}' is a folder; give a file"
        )
    return path


class Simulation:
    """State of a model in time; see the module's text.

    ``progress``: show a progress bar (default: when standard error is a terminal).  ``missing``: "error" refuses a
    model with parts that this version cannot run, "zero" leaves them out and says so.  ``redundant``: what is reported
    where constraints repeat each other: "basic" (the repeated ones carry nothing), "minimum-norm" (the load is shared,
    see `system.multipliers`), or "refuse" (an error that names them).  ``referee``: whether an independent check ends a
    run in which a body passes through another (`analyses.contact.refereeing`): True (default), False, or "strict",
    which samples every step 100 times.
    """

    y: np.ndarray  # present state, once a system is prepared
    #: whether the contact referee checks the analyses of simulations that do not say so
    REFEREE: bool | str = True

    def __init__(
        self,
        model: Model,
        progress: bool | str | None = None,
        missing: str = "error",
        quiet: bool = True,
        redundant: str = BASIC,
        referee: bool | str | None = None,
    ):
        if redundant not in CHOICES:
            raise ModelError(
                f"unknown treatment '{redundant}' of redundant constraints; choose one of {', '.join(CHOICES)}"
            )
        self.model = model
        self.redundant = redundant
        self.progress = progress
        notice.wanted = progress is not False
        self.referee = check_choice(self.REFEREE if referee is None else referee)
        self.refereed: list[Refereeing] = []  # what the referee has checked, a row for each system
        self.closed: list[ClosedJoints] = []  # joints measured at outputs, the same
        self.missing = missing
        self.quiet = quiet
        self.time = 0.0
        self.recorder = Recorder(model)
        self.recorder.redundant = redundant
        self.recorder.warn = self.warn
        self.messages: list[str] = []  # everything that the analyses have to say, in order; warnings are among them
        self.warnings: list[
            str
        ] = []  # what their reader must see, with the doubts about the model; those of ``model.warnings`` are not repeated here  # noqa: E501
        self._doubted: set[bool] = (
            set()
        )  # doubts about the model that were issued: with contacts as forces (False), as constraints (True)
        self.halted = False
        self.returned = False
        self.carried = Carried(model)  # state by element, from one analysis to the next
        self.systems = Systems()  # what has been built so far
        self.system: Any = None  # System of the last analysis
        self.assembly: Any = None  # Assembly of it
        self.stopped = ""
        #: integrate the works of motions, forces, dampers (two evaluations a step); None: in models of up to 100 bodies
        self.work: bool | None = None
        self._prepared: str | None = (
            None  # treatment of contacts for which the present system is prepared, and nothing has changed since
        )
        self.chatter: dict[str, tuple[int, float]] = {}  # of conditions that change back at once, see `events.Events`
        self._losses: list[Loss] = []  # of elements that were switched off, not told yet
        self._woken: list[Element] = []  # switched on since the last analysis
        self.linear: list[Linear] = []  # results of linear analyses so far
        self.feeding = Feeding()  # what feeders and sinks have done so far
        self.recorder.feeding = self.feeding
        self._given = model  # the user's: grains come and go in a copy of it, see `analyses.grains.feeding`
        self._treatments: set[str] = set()  # of contacts, in the analyses so far
        self.followers: set[tuple[str, int]] = set()  # elements that are off with a joint that a SWITCH has turned off
        self.switchings: list[tuple] = []  # time, SWITCH, state before, state after, energy lost, impulse
        self.inputs = Inputs(model)  # values from outside
        self._stepping: Stepping | None = None  # the analysis that is open
        self._begins = False  # it is about to open
        #: what the KED analysis found (`ked.Vibration`): indicator, first frequencies, advice; None where there was
        #: none
        self.ked: dict[str, Any] | None = None
        self._opening: dict | None = None  # options with which it was opened last
        self.parameters: list[parameters.Change] = []  # numbers of elements that were changed, see `set_parameter`

    # ---- messages -------------------------------------------------------------------------------------------------
    def say(self, text: str) -> None:
        """Add a message to those of the run, log it, and print it unless the simulation is quiet; a `WarningText` is a
        warning too (`warn`)."""
        self.messages.append(text)
        if isinstance(text, WarningText):
            self._issue(text)
            return
        LOG.info("%s", text)
        if not self.quiet:
            print(text)

    def warn(self, text: str) -> None:
        """Add a message that the reader of the results must see, and issue it as a `holonom.ModelWarning`; the same
        text once only."""
        if text not in self.warnings:
            self.say(WarningText(text))

    def _issue(self, text: str) -> None:
        """List a warning of the run and issue it, once."""
        if text not in self.warnings:
            self.warnings.append(str(text))
            warn_model(text)

    def _issue_doubts(self) -> list[str]:
        """Doubts about the model as its contacts are treated so far: issued before the first step, so that nobody waits
        for them."""
        rigid = any(map(is_rigid, self._treatments))
        found = doubts(self.model, rigid)
        if rigid not in self._doubted:
            self._doubted.add(rigid)
            for text in found:
                self._issue(text)
        return found

    def say_once(self, text: str) -> None:
        """A message that a script need not hear again with each analysis."""
        if text not in self.messages:
            self.say(text)

    def pass_over(self, statement: str, settings: Any, idle: dict[str, str]) -> None:
        """Say which arguments of a settings statement change nothing: the fields ``idle`` (with the reason), and its
        ``extra``."""
        for name, why in idle.items():
            value = getattr(settings, name)
            if value is not None:
                self.say_once(
                    f"{statement}: {name.upper()} = {value:g} has no influence here and was passed over: {why}"
                )
        for name, text in settings.extra:
            self.say_once(
                f"{statement}: {name}{' = ' + text if text else ''} has no influence here and was passed over"
            )

    # ---- system and state -----------------------------------------------------------------------------------------
    def prepare(self, mode: str = "dynamics", treatment: str | None = None) -> System:
        """The model as it is now in numbers, the state carried over, and fitted to the constraints.

        ``treatment`` of contacts: one of `model.settings.CONTACT_METHODS`, or `treatment.GRANULAR` where grains are
        left to a solver of their own;
        None: as the system is prepared already, else "compliant".  A system that `degrees_of_freedom` has just prepared
        so is taken as it is.
        """
        if not self._begins:
            self.close()
            self.inputs.hold(self.time)
        ready, self._prepared = self._prepared, None
        if ready is not None and (treatment is None or alike(ready, treatment)):
            self._treatments.add(treatment or ready)
            self.system.outputs.set_parameter(("MODE",), MODES.get(mode, 4))
            self.inputs.put(self.system)
            return self.system
        treatment = treatment or "compliant"
        self._treatments.add(treatment)
        set_states(self, self.carried.switched)
        first = self.system is None and not self.carried.state
        self.pass_over("IC", self.model.initial, IDLE_IC)
        if self.system is not None:
            self.carried.keep(self.system, self.y)
        self.inputs.declare(self.model)
        system: Any = self._system(treatment, first)
        for text in system.missing:
            if f"left out: {text}" not in self.messages:
                self.say(f"left out: {text}")
        for text in system.contacts.notes:
            self.say_once(text)
        if not first:
            self.carried.restore(system)
        self.carried.hold(system, self.time)
        carried = system.y0.copy()
        self.assembly = assemble(system, self.time, system.y0 if not first else None, carried=not first)
        if not first:
            names = [e.label for e in self._woken if e.KIND != "CONTACT"]
            text = carried_over(system, self.time, carried, self.assembly.y, self.assembly.moved[0], names)
            if text:
                self.say(text)
            self._woken = [e for e in self._woken if e.KIND == "CONTACT"]
            system.contacts.recall(self.carried.memories)
        overridden = system.overridden
        if first and system.initial_rows:  # joint and motion initial conditions hold at the start only
            y, opened = self.assembly.y, self.assembly.opened
            system = self._system(treatment, False)
            hold(system, self.carried.held)
            system.y0[:] = y
            self.assembly = assemble(system, self.time, y)
            self.assembly.opened = opened or self.assembly.opened
        self.system = system
        if first or any(map(is_rigid, self._treatments)) not in self._doubted:
            self._issue_doubts()
        if self.redundant == REFUSE and self.assembly.redundant and self.assembly.redundant.dropped:
            lines = redundancy_said(system, self.assembly.redundant)
            raise ModelError(
                f"redundant constraints, which this simulation refuses: {'; '.join(lines)}; remove or replace these "
                "joints"
            )
        self.recorder.attach(system)
        self.inputs.put(system)
        take_angles(system.outputs, self.carried.angles, "output")
        system.outputs.set_parameter(("MODE",), MODES.get(mode, 4))
        for sensor, value in self.carried.senval.items():
            system.outputs.set_parameter(("SENVAL", sensor), value)
        if first:
            for line in redundancy_said(system, self.assembly.redundant):
                self.say(f"redundant: {line}")
            self.say(f"degrees of freedom: {self.assembly.dof}")
            for text in (
                *([self.assembly.opened] if self.assembly.opened else []),
                *overridden,
                *not_kept(system, self.assembly.y, mode),
            ):
                self.warn(text)
        self.y = self.assembly.y
        return system

    def _system(self, treatment: str, initial: bool) -> System:
        """The model as numbers; where a granular solver carries the grains without them."""
        asked: dict[str, Any] = {
            "missing": self.missing,
            "initial": initial,
            "senval": self.carried.senval,
            "rigid": is_rigid(treatment),
            "inputs": self.inputs.present(self._begins),
        }
        if treatment == GRANULAR:
            from ..grains.granular import parts_only, solver_grains

            validate(self.model)
            system = System(parts_only(self.model), carried=solver_grains(self.model), **asked)
        else:
            system = self.systems.get(self.model, **asked)
        self.inputs.put(system)
        return system

    def degrees_of_freedom(self, contact: str | None = None, integrator: str | None = None) -> int:
        """Count them; what is prepared for that serves the analysis that follows, with contacts as the model says that
        they are treated, or as asked for (`dynamics`)."""
        method = self.contact_method(contact, integrator)
        self.prepare(treatment=method)
        self._prepared = method
        return self.assembly.dof

    # ---- switching between analyses -------------------------------------------------------------------------------
    def activate(self, what: Any, *which: Any) -> list[Element]:
        """Switch elements on before the next analysis: see `deactivate`."""
        return self._switch(True, what, which)

    def deactivate(self, what: Any, *which: Any) -> list[Element]:
        """Switch elements off before the next analysis, which starts from the present state; returns them.

        ``what``: elements themselves, or a kind ("CONTACT", "JOINT", "MOTION", "SFORCE", "SENSOR", ...) followed by ids
        or names; a kind alone means all of it.  A name of a CONTACT may be that of a group.  The model of the
        simulation is changed.
        """
        return self._switch(False, what, which)

    def _switch(self, on: bool, what: Any, which: tuple) -> list[Element]:
        if not isinstance(what, str):
            elements = [e for one in (what, *which) for e in (one if isinstance(one, (list, tuple)) else (one,))]
            for e in elements:
                if not isinstance(e, Element) or self.model.table(e.KIND).get(e.id) is not e:
                    raise ModelError(
                        f"{getattr(e, 'label', repr(e))} is not an element of this simulation's model; give a kind "
                        "and an id"
                    )
        else:
            kind = what.upper()
            table = self.model.table(kind)  # raises for an unknown kind
            elements = [] if which else list(table.values())
            for one in which:
                group = self.model.contacts_of(one) if kind == "CONTACT" and isinstance(one, str) else []
                elements += group or [self.model.find(kind, one)]
        return self.switch(elements, on)

    def switch(self, elements: list[Element], on: bool, *, tell: bool = True) -> list[Element]:
        """Set ``active`` of elements of this model, and what goes with it: sensors, and a word on the energy and the
        reactions that are lost, at once or (``tell=False``) with those of later calls by `report_losses`."""
        self.close()
        sensors = {e.id for e in elements if e.KIND == "SENSOR"}
        carried = self.carried
        carried.disabled = carried.disabled - sensors if on else carried.disabled | sensors
        if not on:
            carried.senval.update(dict.fromkeys(sensors, 0.0))  # what a sensor that is off has stored is not told
            self._losses += discarded(self, elements)
            self._woken = [e for e in self._woken if not any(e is other for other in elements)]
        else:
            self._woken += [e for e in elements if not e.active]
        for e in elements:
            e.active = on
        self._prepared = None
        if tell:
            self.report_losses()
        return elements

    def report_losses(self) -> None:
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
        self.carried.keep(self.system, self.y)
        return self.carried.saved(self.model, self.time)

    def reload(self, path: str | os.PathLike, states_only: bool = False) -> None:
        """Go on from a saved state: with its model (of the same elements), or with the present one
        (``states_only``)."""
        self.take(read_state(path), states_only)

    def take(self, saved: SavedState, states_only: bool = False) -> None:
        """The same from memory: ``sim.take(saved)`` after ``saved = sim.state()``.  Raises ModelError when the state
        belongs to a model of other elements."""
        self.close()
        if not states_only:
            for kind, table in saved.model._tables.items():
                if set(table) != set(self.model.table(kind)):
                    raise ModelError(
                        f"the saved model has other elements of kind {kind} than the present one; give its own dataset"
                    )
            saved.model.routines, saved.model.path = self.model.routines, self.model.path
            self.model = self.recorder.model = self._given = saved.model
            self.carried.disabled = set(saved.disabled)
        self.carried.take(saved, self.model)
        self.time, self.system, self._prepared = saved.time, None, None
        self.halted = self.returned = False

    # ---- analyses -------------------------------------------------------------------------------------------------
    def dynamics(
        self,
        end: float | None = None,
        steps: int | None = None,
        dt: float | None = None,
        duration: float | None = None,
        integrator: str | None = None,
        contact: str | None = None,
        grains: str = "auto",
        threads: int = 1,
        **options: Any,
    ) -> None:
        """Integrate to ``end`` (or for ``duration``) with output every ``dt`` or at ``steps`` equal intervals.

        ``contact``: one of `model.settings.CONTACT_METHODS`, "compliant", "events" or "time-stepping"; default: what
        the model's `RigidSettings` say, or time-stepping where its integrator MOREAU_JEAN is asked for.  ``grains``:
        "granular" takes them the fast way (`analyses.grains.granular`, on ``threads``), "general" lets the general
        equations of motion do it, "auto": the fast way where it can.
        """
        times = output_times(self.time, end, steps, dt, duration)
        step_within(options, times)
        method = self.contact_method(contact, integrator)
        if self._vibrating(method):
            from ..ked import Vibration

            Vibration(self, times, {"integrator": integrator, **options}).run()
            return
        if method == "time-stepping":
            integrator, options = "MOREAU_JEAN", with_step(self.model, options, self.say_once)
        choice = selection.choose(self.model.integrator, integrator, options)
        if self._bulk(grains, method, choice):
            self._granular(choice, times, threads)
            return
        if Feeding.active(self.model):
            self._fed(method, choice, times)
            return
        system = self.prepare("dynamics", method)
        shortest = attach(system, self.carried.past)
        if method == "time-stepping":
            refuse(system, "time-stepping")
        if shortest < np.inf:
            given = options.get("hmax") or self.model.integrator.hmax or np.inf
            options = {**options, "hmax": min(given, shortest)}
            choice = selection.choose(self.model.integrator, integrator, options)
        if system.lagged and method != "time-stepping":
            choice = selection.choose(self.model.integrator, integrator, options, lagged=True)
        runner(method)(self, system, choice, times).run()

    def _vibrating(self, contact: str = "compliant", other: str = "") -> bool:
        """Whether parts bend by KED (`ked`).  ``other``: what is done instead, as with the floating frame, by an
        analysis that has no nominal motion."""
        from ..ked import parts

        own = parts(self.model)
        if own and other:
            self.say_once(
                f"{other}: parts that bend are taken in their floating frame; their formulation, KED, is one of "
                "dynamics"
            )
        elif own and contact != "compliant":
            raise own[0].error(f"KED knows no contact = {contact}; leave that out, or give formulation = floating")
        return bool(own)

    def _bulk(self, grains: str, method: str, choice: selection.Choice) -> bool:
        """Whether grains go the fast way.  Raises ModelError where it is asked for and cannot be."""
        from ..grains.granular import CHOICES, METHODS, unfit

        if grains not in CHOICES:
            raise ModelError(f"unknown way '{grains}' for grains; choose one of {', '.join(CHOICES)}")
        present = any(g.active for g in self.model.table("GRAINS").values())
        if grains == "general" or (
            grains == "auto" and (not present or method != "compliant" or choice.kind not in METHODS)
        ):
            return False
        validate(self.model)
        why = unfit(self.model, choice.kind) if method == "compliant" else f"contact = {method} is not compliant"
        if why and grains == "granular":
            raise ModelError(f"grains cannot go the fast way: {why}; give grains = general")
        if why:
            self.say_once(f"grains go with the general equations of motion: {why}")
        return not why

    def _fed(self, method: str, choice: selection.Choice, times: np.ndarray) -> None:
        """Between two outputs after another; grains come and go at outputs."""
        self.own()
        self.recorder.close()  # columns grow
        for a, b in zip(times[:-1], times[1:]):
            if self.halted or self.stopped:
                break
            n = len(self.messages)
            runner(method)(self, self.prepare("dynamics", method), choice, np.array([a, b])).run()
            self.messages[n:] = [
                text for text in self.messages[n:] if text not in self.messages[:n]
            ]  # each interval says the same
            exchange(self, b)

    # ---- grains and parts that come and go --------------------------------------------------------------------------
    def own(self) -> None:
        """Grains of its own, so that the user's model stays as it is when some come and go."""
        if self.model is self._given:
            self._take_model(own_grains(self.model))

    def _take_model(self, model: Model) -> None:
        self.close()
        self.model = self.recorder.model = model
        self.recorder.grains = list(model.table("GRAINS").values())
        self._prepared = None

    def add_grains(
        self,
        grains: Any,
        positions: Any,
        radius: Any,
        *,
        density: float | None = None,
        mass: Any = None,
        velocity: Any = None,
        spin: Any = None,
        orientation: Any = None,
    ) -> np.ndarray:
        """Add grains to an element before the next analysis; ``radius``: of spheres, scale of others.  Returns their
        numbers."""
        self._prepared = None
        return add_grains(self, grains, positions, radius, density, mass, velocity, spin, orientation)

    def remove_grains(self, grains: Any, which: Any) -> np.ndarray:
        """Take grains out before the next analysis: ``which`` are their numbers, or a region (`Box`, ...).  Returns
        their numbers."""
        self._prepared = None
        return remove_grains(self, grains, which)

    def remove(self, body: Any) -> None:
        """Take a part or point mass out before the next analysis, with its shapes.  Raises ModelError where a joint or
        a force holds it."""
        if self.system is not None:
            self.carried.keep(self.system, self.y)
        part = body if isinstance(body, Element) else self.model.find("PART", body)
        part = self.model.table(part.KIND)[part.id]
        self._take_model(without_part(self.model, part))

    def _granular(self, choice: selection.Choice, times: np.ndarray, threads: int) -> None:
        from ..grains.granular import GranularDynamics

        for s in switches_of(self.model):
            raise s.error("elements are not switched while grains go the fast way; give grains = general")
        if Feeding.active(self.model):
            self.own()
            self.recorder.close()  # columns grow
        GranularDynamics(self, self.prepare("dynamics", GRANULAR), choice, times, threads).run()

    def contact_method(self, contact: str | None = None, integrator: str | None = None) -> str:
        """How a dynamic analysis treats contacts (`model.settings.CONTACT_METHODS`), with what is asked for."""
        return contact_method(self.model, contact, integrator)

    def kinematics(self, end=None, steps=None, dt=None, duration=None, **options: Any) -> None:
        """Positions, velocities, accelerations and reactions of a mechanism without degrees of freedom.

        Motions that are given by their velocity or acceleration are integrated, with the error control of a dynamic
        analysis."""
        from ..kinematics import kinematics

        kinematics(self, output_times(self.time, end, steps, dt, duration), options)

    def initial(self, **options: Any) -> None:
        """Initial-condition analysis: one row of the assembled state.  It has no options."""
        for name in sorted(options):
            self.warn(
                f"{selection.option_name(name).upper()} belongs to dynamic analyses and has no influence on initial "
                "conditions"
            )
        system = self.prepare("initial", self.contact_method())
        settle_overlaps(system, self.time, self.y, self.say)
        self.recorder.begin("initial", {})
        self.recorder.record(self.time, self.y.copy(), 0)
        self.recorder.end()

    def statics(self, contact: str | None = None, **options: Any) -> None:
        """Static equilibrium at the present time; ``contact`` as in `dynamics` ("events" and "time-stepping" are one
        here)."""
        self._equilibria("statics", np.array([self.time]), contact, options)

    def quasistatics(
        self, end=None, steps=None, dt=None, duration=None, contact: str | None = None, **options: Any
    ) -> None:
        """A sequence of static equilibria; sensors are located between them."""
        self._equilibria("quasistatics", output_times(self.time, end, steps, dt, duration), contact, options)

    def _equilibria(self, kind: str, times: np.ndarray, contact: str | None, options: dict) -> None:
        from ..statics.equilibrium import equilibrium
        from ..statics.rigid import rest

        self._vibrating(other=kind)
        system = self.prepare(kind, self.contact_method(contact))
        find = rest if system.rigid and system.contacts.on else equilibrium
        self.pass_over("EQUILIBRIUM", self.model.equilibrium, IDLE_EQUILIBRIUM)
        self.recorder.begin(kind, dict(options))
        sensors = Sensors(self, system)
        k, y = 0, self.y.copy()

        def settle(t: float) -> None:
            """The equilibrium at time t, from the present one."""
            nonlocal y
            result = find(system, t, y, self.model.equilibrium, say=self.say, **options)
            y = result.y
            self.recorder.count({"static iterations": result.iterations})

        def evaluate(t: float) -> None:
            settle(t)
            self.recorder.evaluate(t, y.copy(), 1, still=True)

        while k < len(times):
            event = sensors.first(evaluate, (self.time, times[k])) if k and sensors.sensors else None
            if event is None:
                settle(times[k])
            t = times[k] if event is None else event
            self.leave(t, y)
            self.recorder.record_at_rest(t, y)
            k += 1 if event is None else 0
            if event is not None:
                if sensors.act(event):
                    break
                times = sensors.new_times(times, k)
                k += bool(times[k] <= event) if k < len(times) else 0
        self.recorder.end()

    def path(
        self,
        parameter: Any,
        end: float,
        *,
        start: float | None = None,
        step: float = 0.05,
        largest: float = 0.2,
        points: int = 500,
        stability: bool = True,
    ) -> LoadPath:
        """Static equilibria while a parameter goes from its present value (or ``start``) to ``end``, past limit points
        by arc length: snap-through, snap-back.

        ``parameter``: an input (`Model.input`: its name, id or VARIABLE) that forces or motions read, or "time" for
        loads that are functions of TIME; ``step``, ``largest``: the first and the longest step along the path, pure
        numbers (translations over the extent of the machine, radians, the parameter over its range); ``points``: most
        points; ``stability``: count unstable directions at each point.  `run` has a row a point, whose time is that of
        the start plus the length along the path.  The next analysis starts at the last point.

        Raises ModelError for what is no input, and where there is no equilibrium at the start; a path that ends early
        says why in its messages
        (``complete`` is False).

            found = sim.path("load", end=100.0)
            found.limits[0].parameter
        """
        from ..statics.path import follow_path

        self._vibrating(other="path")
        return follow_path(
            self, parameter, end, start=start, step=step, largest=largest, points=points, stability=stability
        )

    def linearize(self, *, inputs=None, outputs=None, states=None, rm=None, damping: bool = True) -> Linear:
        """Small motions about the present state: eigenvalues, modes, state matrices (`Linear`).

        ``inputs``, ``outputs``: VARIABLEs, or PINPUT and POUTPUT elements, by name, id or themselves (default: all
        PINPUT and POUTPUT of the model); an output may also be an expression.  ``states``: VARIABLEs that serve as
        coordinates of the state matrices.  ``rm``: a marker that turns with the machine.  ``damping`` False leaves out
        all that depends on velocities.
        """
        from ..linear.linearisation import linearize_simulation

        self._vibrating(other="linear analysis")
        answer = linearize_simulation(self, inputs=inputs, outputs=outputs, states=states, rm=rm, damping=damping)
        self.linear.append(answer)
        return answer

    def leave(self, t: float, y: np.ndarray) -> None:
        """The present time and state, from which the next analysis begins."""
        self.time = float(t)
        self.y = y

    # ---- step by step ---------------------------------------------------------------------------------------------
    def open(
        self,
        integrator: str | None = None,
        contact: str | None = None,
        *,
        inputs=(),
        record: str = "advance",
        duration: float | None = None,
        **options: Any,
    ) -> None:
        """Begin a dynamic analysis that `step` and `advance` carry on, from the present state; they open it with the
        defaults where it is not open.

        ``integrator``, ``contact`` and ``options`` as in `dynamics`; steps end where calls do, so there is no
        ``interpolate``.  ``inputs``: further VARIABLEs (names, ids or elements) that `set_input` may set; those of
        `Model.input` and of PINPUTs are inputs anyway.  ``record``: "advance" keeps a row for `run` at the end of each
        call, "none" keeps none and integrates no works.  ``duration``: how long it will go on, about, in units of time,
        from which first steps and error floors are taken as `simulate` takes them from its end; no limit (default: one
        second). Raises ModelError for options that do not fit and models that cannot be run.
        """
        from .stepping import Stepping

        if self._vibrating():
            raise ModelError(
                "parts that bend by KED are not stepped from outside: their nominal motion is known first; give "
                "formulation = floating"
            )
        self.close()
        for one in [inputs] if isinstance(inputs, (str, int, Element)) else inputs:
            self.inputs.name(one)
        given = {"integrator": integrator, "contact": contact, "record": record, "duration": duration, **options}
        self._begins, self._prepared = True, None
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
        """One step of the integrator, which chooses its size, at most the ``duration`` of `open`; returns the new time
        (units of time).

        A sensor that halts ends it at its event.  Raises IntegrationError where it cannot go on, ModelError after that.
        """
        return (self._stepping or self._opened()).step()

    def advance(self, until: float) -> float:
        """Integrate exactly to time ``until`` (units of time) and return the time, which is less where a sensor with
        HALT or RETURN has ended it.

        The integrator goes on where the last call left it; nothing begins anew between calls unless an input has
        changed at once. Raises ModelError for a time that has passed, and IntegrationError where it cannot go on: the
        state is the last good one then.
        """
        return (self._stepping or self._opened()).advance(until)

    def set_input(self, name: Any, value: float, by: float | None = None) -> None:
        """Give an input (its name, id or VARIABLE) a value, in the units of its reader: from now on, or on a straight
        line until time ``by``.

        It holds until it is set again.  A change at once is a discontinuity, behind which the integrator begins anew at
        the next call; other analyses take inputs as they are at their start.  Raises ModelError for an input that there
        is not, a value that is no number, a time ``by`` that has passed, and a jump that a motion cannot follow.
        """
        number = self.inputs.find(name)
        if self._stepping is None and by is not None:
            self._opened()
        if self._stepping is not None and not self._stepping.left:
            self._stepping.lead(number, value, by)
        else:
            self.inputs.courses[number] = self.inputs.course(
                number, value, self.time, by, self.inputs.courses[number].at(self.time)
            )
            self._prepared = None

    def set_parameter(self, element: Element | str, name: str, value: Any) -> None:
        """Give a number of a force or contact (stiffness, damping, preload, coefficient of friction; its field
        ``name``) a value from now on, in model units.  ``element``: itself, its name, or a text such as
        "SPRINGDAMPER/3".

        Those of springs, bushings, beams, fields and contacts are written into the tables of the open analysis, and the
        integrator begins anew behind the jump; what other elements have opens it anew, as do friction and resistances
        that a contact had none of.  The energy that springs store more or less at once is booked as work put in.  The
        model of the simulation is changed. Raises ModelError for an element of another model, a name that none or
        several have, a field that is no such number, and a value that the model or the builder of the element refuses.
        """
        parameters.change(self, parameters.element_of(self.model, element), name, value)

    def output(self, what: Any) -> Any:
        """The present value of an expression (a text of the function language, in its units), a VARIABLE, a REQUEST
        (its eight numbers) or a JOINT: its angle [rad] over whole turns, its travel (length), or an array of both.  A
        text that is the name of one of these elements means it; a list gives an array.  Turns of angles in an
        expression are counted from when it is first asked for, those of joints from the beginning.

        Raises ModelError for what has no value, or is no expression of this model.
        """
        return (self._stepping or self._opened()).output(what)

    def snapshot(self) -> Snapshot:
        """This moment of the analysis that is open, for `restore`: state, inputs, contacts, sensors, switches, and the
        history and step of the integrator.

        It stays in memory (its ``time`` in units of time); to disk goes `save`.  What user routines keep themselves is
        not in it. Raises ModelError where the analysis has ended.
        """
        stepping = self._stepping or self._opened()
        if stepping.ended:
            stepping._refuse()
        from .snapshot import Snapshot

        return Snapshot(stepping)

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a moment of the analysis that is open, as often as wanted; what follows has the bits that it had,
        rows recorded since are dropped.

        Times are in the units of the model.  Raises ModelError for a snapshot of an analysis that has been closed
        (`state` and `take` serve there).
        """
        from .snapshot import Snapshot

        if not isinstance(snapshot, Snapshot):
            raise ModelError(
                f"restore: {type(snapshot).__name__} is no snapshot; give what sim.snapshot() returned (a saved state "
                "goes to sim.take)"
            )
        if self._stepping is None or snapshot.stepping is not self._stepping:
            raise ModelError(
                f"the snapshot of time {snapshot.time:.9g} was taken in an analysis that is closed by now; take one "
                "after open, or use state and take"
            )
        self._stepping.restore(snapshot)

    def close(self) -> None:
        """End the analysis that is open (messages and counters of the solver are then complete); what was recorded
        stays for `run`.

        Any other analysis, and switching elements on or off, closes it too; the next `advance` opens it again with the
        same options, at the state there is then (the integrator begins anew, in units of time of the model).
        """
        if self._stepping is not None and not self._begins:
            self._stepping.close()
            self._stepping = None

    def _keep(self, path: str | os.PathLike | None, run: Run, failure: Exception | None = None) -> Run:
        """Put a run that has ended into the file to which its rows went, whole; a warning says where that cannot be
        done."""
        if failure is not None:
            run.info["failed"] = str(failure)
        if path is not None:
            try:
                run.save(path)
            except ModelError as error:
                self.warn(f"the run is not kept: {error}; save it elsewhere")
                run.info["warnings"].append(self.warnings[-1])
        return run

    # ---- answer ---------------------------------------------------------------------------------------------------
    def run(self) -> Run:
        """Everything recorded so far, rows in model units; an analysis that is open stays so."""
        if self._stepping is not None:
            self._stepping.tally()
        if self.recorder.doubtful_turns:
            self.warn(
                "angles of joints turned so far within a step that their whole turns are not sure; give a smaller "
                "hmax, or more output"
            )
        later: list[str] = []  # what is known at the end only
        info: dict[str, Any] = {"stopped": self.stopped, "complete": not self.stopped}
        if self.assembly is not None and self.system is not None:
            info["degrees_of_freedom"] = self.assembly.dof
            info["redundant"] = redundancy_words(self.system, self.assembly.redundant)
            info["bodies"] = self.system.nb
            info["equations"] = self.system.m
        if self.carried.switched:
            info["switches"] = [list(row) for row in self.switchings]
            info["switch states"] = {str(k): state for k, state in self.carried.switched.items()}
        if self.ked is not None:
            info["KED"] = self.ked
            later += [self.ked["advice"]] if self.ked["advice"] else []
        if any(c.active for c in self.model.table("CONTACT").values()):
            info["referee"] = checked(self.referee, self.refereed)
        if joints := closed_joints(self.closed):
            info["joints measured"] = joints
        if self.parameters:
            info["parameters"] = [list(row) for row in self.parameters]
        run = Run(self.model, self.recorder.data().freeze(), info)
        run.linear = list(self.linear)
        later += [
            *ranges.extrapolated(self.recorder.excesses),
            *ranges.without_value(self.recorder.undefined),
            *ranges.left(run),
        ]
        for e in self.model:
            kind = FORCES.get(e.KIND)
            if kind is not None and kind.doubts is not None and len(run.time):
                later += kind.doubts(e, run)
        for text in later:
            self._issue(text)
        found = [*self.model.warnings, *self._issue_doubts(), *self.warnings]
        run.info = {
            "messages": [*map(str, self.messages), *parameters.words(self.parameters)],
            "warnings": list(dict.fromkeys(found)),
            **run.info,
        }
        return run
