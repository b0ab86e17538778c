"""The model as it is now in numbers, with the state carried over and fitted to the constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...integrators import selection
from ...model import ModelError
from ...model.validate import validate
from ...system.build import INITIAL, System
from ...system.multipliers import REFUSE
from ..assemble import assemble, redundancy_said, started
from ..checks.given import not_kept
from ..checks.locked import locked
from ..contact import treatment as treatments
from ..contact.overlap import settle_overlaps
from ..contact.treatment import GRANULAR, alike, is_rigid
from ..cosimulation.presence import warn_held
from ..dynamics.past import reads_delay
from ..dynamics.topology import set_states
from ..holding import hold
from .switched import carried_over

if TYPE_CHECKING:
    from .simulation import Simulation

#: analyses of equilibria, where a delayed value is the present one
AT_REST = ("statics", "quasistatics")
MODES = {"dynamics": 4, "kinematics": 1, "statics": 5, "quasistatics": 6, "initial": 2, "linear": 7}

_ROUNDOFF = "constraints are met to roundoff"
IDLE_IC = {
    "error": _ROUNDOFF,
    "verror": _ROUNDOFF,
    "aerror": "accelerations come from a direct solution",
    "maxit": "the assembly ends by its own test",
    "amaxit": "accelerations come from a direct solution",
}


def prepare(sim: Simulation, mode: str = "dynamics", treatment: str | None = None) -> System:
    """The model as it is now in numbers, the state carried over, and fitted to the constraints.

    ``treatment`` of contacts: one of `model.settings.CONTACT_METHODS`, or `treatment.GRANULAR` where grains are
    left to a solver of their own;
    None: as the system is prepared already, else "compliant".  A system that `degrees_of_freedom` has just prepared
    so is taken as it is.
    """
    if not sim._begins:
        sim.close()
        sim.inputs.hold(sim.time)
    warn_held(sim, mode)
    ready, sim._prepared = sim._prepared, None
    at_rest = mode in AT_REST and reads_delay(sim.model)
    if ready is not None and (treatment is None or alike(ready, treatment)) and not at_rest:
        sim._treatments.add(treatment or ready)
        sim.system.outputs.set_parameter(("MODE",), MODES.get(mode, 4))
        sim.inputs.put(sim.system)
        return sim.system
    treatment = treatment or "compliant"
    sim._treatments.add(treatment)
    set_states(sim, sim.carried.switched)
    sim.recorder.keep_model()
    first = sim.system is None and not sim.carried.state
    sim.pass_over("IC", sim.model.initial, IDLE_IC)
    if sim.system is not None:
        sim.carried.keep(sim.system, sim.y)
    sim.inputs.declare(sim.model)
    system: Any = _system(sim, treatment, INITIAL if first else "", at_rest)
    for text in system.missing:
        if f"left out: {text}" not in sim.messages:
            sim.say(f"left out: {text}")
    for text in system.contacts.notes:
        sim.say_once(text)
    if not first:
        sim.carried.restore(system)
    sim.carried.hold(system, sim.time)
    carried = system.y0.copy()
    sim.assembly = assemble(system, sim.time, system.y0 if not first else None, carried=not first)
    if not first:
        names = [e.label for e in sim._woken if e.KIND != "CONTACT"]
        text = carried_over(system, sim.time, carried, sim.assembly.y, sim.assembly.moved[0], names)
        if text:
            sim.say(text)
        sim._woken = [e for e in sim._woken if e.KIND == "CONTACT"]
        system.contacts.recall(sim.carried.memories)
    overridden = system.overridden
    if first and system.initial_rows:  # joint and motion initial conditions hold at the start only

        def build(rows: str) -> System:
            other = _system(sim, treatment, rows, at_rest)
            hold(other, sim.carried.held)
            return other

        system, sim.assembly = started(system, sim.assembly, build, sim.time)
    sim.system = system
    if first or any(map(is_rigid, sim._treatments)) not in sim._doubted:
        sim._issue_doubts()
    if sim.redundant == REFUSE and sim.assembly.redundant and sim.assembly.redundant.dropped:
        lines = redundancy_said(system, sim.assembly.redundant)
        raise ModelError(
            f"redundant constraints, which this simulation refuses: {'; '.join(lines)}; remove or replace these joints"
        )
    sim.recorder.attach(system)
    sim.inputs.put(system)
    system.outputs.continue_angles(sim.carried.angles)
    system.outputs.set_parameter(("MODE",), MODES.get(mode, 4))
    for sensor, value in sim.carried.senval.items():
        system.outputs.set_parameter(("SENVAL", sensor), value)
    if first:
        for line in redundancy_said(system, sim.assembly.redundant):
            sim.say(f"redundant: {line}")
        sim.say(f"degrees of freedom: {sim.assembly.dof}")
        for text in (
            *([sim.assembly.opened] if sim.assembly.opened else []),
            *overridden,
            *not_kept(system, sim.assembly.y, mode),
        ):
            sim.warn(text)
        stuck = locked(system, sim.assembly.dof) if mode in ("dynamics", "kinematics") else ""
        if stuck:
            sim.warn(stuck)
    sim.y = sim.assembly.y
    sim.fmus.begin(system, sim.time, sim.y)
    return system


def _system(sim: Simulation, treatment: str, initial: str, at_rest: bool) -> System:
    """The model as numbers; where a granular solver carries the grains without them."""
    asked: dict[str, Any] = {
        "missing": sim.missing,
        "initial": initial,
        "senval": sim.carried.senval,
        "rigid": is_rigid(treatment),
        "inputs": sim.inputs.present(sim._begins),
    }
    if at_rest:
        asked["at_rest"] = True
    if treatment == GRANULAR:
        from ..grains.granular import parts_only, solver_grains

        validate(sim.model)
        system = System(parts_only(sim.model), carried=solver_grains(sim.model), **asked)
    else:
        system = sim.systems.get(sim.model, **asked)
    sim.fmus.attach(system)
    sim.inputs.put(system)
    return system


def degrees_of_freedom(sim: Simulation, contact: str | None = None, integrator: str | None = None) -> int:
    """Count them; what is prepared for that serves the analysis that follows, with contacts as the model says that
    they are treated, or as requested (`dynamics`)."""
    method = contact_method(sim, contact, integrator)
    sim.prepare(treatment=method)
    sim._prepared = method
    return sim.assembly.dof


def contact_method(sim: Simulation, contact: str | None = None, integrator: str | None = None) -> str:
    """How a dynamic analysis treats contacts (`model.settings.CONTACT_METHODS`), with those requested."""
    return treatments.contact_method(sim.model, contact, integrator)


def initial(sim: Simulation, **options: Any) -> None:
    """Initial-condition analysis: one row of the assembled state.  It has no options."""
    for name in sorted(options):
        sim.warn(
            f"{selection.option_name(name).upper()} belongs to dynamic analyses and has no influence on initial "
            "conditions"
        )
    system = sim.prepare(
        "initial",
        contact_method(
            sim,
        ),
    )
    settle_overlaps(system, sim.time, sim.y, sim.say)
    sim.recorder.begin("initial", {})
    sim.recorder.record(sim.time, sim.y.copy(), 0)
    sim.recorder.end()
