"""The analysis of a simulation that is open for steps from outside: begun, given inputs, kept, ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...model import ModelError
from ...model.base import Element
from ..cosimulation.presence import refuse_by_hand
from ..ked import vibrating
from .snapshot import Snapshot
from .stepping import Stepping

if TYPE_CHECKING:
    from .simulation import Simulation


def begin(
    sim: Simulation,
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
    if vibrating(sim):
        raise ModelError(
            "flexible bodies with KED are not stepped from outside: their nominal motion is known first; give "
            "formulation = floating"
        )
    refuse_by_hand(sim)
    sim.close()
    for one in [inputs] if isinstance(inputs, (str, int, Element)) else inputs:
        sim.inputs.name(one)
    given = {"integrator": integrator, "contact": contact, "record": record, "duration": duration, **options}
    sim._begins, sim._prepared = True, None
    try:
        sim._stepping = Stepping(sim, given)
    finally:
        sim._begins = False
    sim._opening = given


def opened(sim: Simulation) -> Stepping:
    """The open analysis; one with the options of the last where another analysis has come between."""
    if sim._stepping is None:
        sim.open(**(sim._opening or {}))
    assert sim._stepping is not None
    return sim._stepping


def set_input(sim: Simulation, name: Any, value: float, by: float | None = None) -> None:
    """Give an input (its name, id or VARIABLE) a value, in the units of its reader: from now on, or on a straight
    line until time ``by``.

    It holds until it is set again.  A change at once is a discontinuity, after which the integrator restarts at
    the next call; other analyses take inputs as they are at their start.  Raises ModelError for an input that there
    is not, a value that is not a number, a time ``by`` that has passed, and a jump that a motion cannot follow.
    """
    number = sim.inputs.find(name)
    if sim._stepping is None and by is not None:
        opened(sim)
    if sim._stepping is not None and not sim._stepping.left:
        sim._stepping.lead(number, value, by)
    else:
        sim.inputs.courses[number] = sim.inputs.course(
            number, value, sim.time, by, sim.inputs.courses[number].at(sim.time)
        )
        sim._prepared = None


def snapshot(sim: Simulation) -> Snapshot:
    """This moment of the analysis that is open, for `restore`: state, inputs, contacts, sensors, switches, and the
    history and step of the integrator.

    It stays in memory (its ``time`` in units of time); to disk goes `save`.  What user routines keep themselves is
    not in it. Raises ModelError where the analysis has ended.
    """
    stepping = sim._stepping or opened(sim)
    if stepping.ended:
        stepping._refuse()
    return Snapshot(stepping)


def restore(sim: Simulation, snapshot: Snapshot) -> None:
    """Return to a moment of the analysis that is open, as often as wanted; what follows has the bits that it had,
    rows recorded since are dropped.

    Times are in the units of the model.  Raises ModelError for a snapshot of an analysis that has been closed
    (`state` and `take` serve there).
    """
    if not isinstance(snapshot, Snapshot):
        raise ModelError(
            f"restore: {type(snapshot).__name__} is not a snapshot; give what sim.snapshot() returned (a saved state "
            "is read by sim.take)"
        )
    if sim._stepping is None or snapshot.stepping is not sim._stepping:
        raise ModelError(
            f"the snapshot of time {snapshot.time:.9g} was taken in an analysis that is closed by now; take one "
            "after open, or use state and take"
        )
    sim._stepping.restore(snapshot)


def close(sim: Simulation) -> None:
    """End the analysis that is open (messages and counters of the solver are then complete); what was recorded
    stays for `run`.

    Any other analysis, and switching elements on or off, closes it too; the next `advance` opens it again with the
    same options, at the state there is then (the integrator restarts, in units of time of the model).
    """
    if sim._stepping is not None and not sim._begins:
        sim._stepping.close()
        sim._stepping = None
