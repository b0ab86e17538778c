"""What a simulation answers: the run with all that was found on the way, and its file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...elements.kinds import FORCES
from ...model import ModelError
from ...results.run import Run
from ..assemble import redundancy_words
from ..checks import ranges
from ..checks.closed_joints import summary as closed_joints
from ..contact.refereeing import checked
from . import parameters

if TYPE_CHECKING:
    from .simulation import Simulation


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


def keep(sim: Simulation, path: str | os.PathLike | None, run: Run, failure: Exception | None = None) -> Run:
    """Put a run that has ended into the file to which its rows went, whole; a warning says where that cannot be
    done."""
    if failure is not None:
        run.info["failed"] = str(failure)
    if path is not None:
        try:
            run.save(path)
        except ModelError as error:
            sim.warn(f"the run is not kept: {error}; save it elsewhere")
            run.info["warnings"].append(sim.warnings[-1])
            run.info["not kept"] = str(error)
    return run


def run_so_far(sim: Simulation) -> Run:
    """Everything recorded so far, rows in model units; an analysis that is open stays so."""
    if sim._stepping is not None:
        sim._stepping.tally()
    if sim.recorder.doubtful_turns:
        sim.warn(
            "angles of joints turned so far within a step that the number of whole turns is uncertain; give a smaller "
            "hmax, or more output"
        )
    model = sim.recorder.model_of_results()
    later: list[str] = []  # what is known at the end only
    info: dict[str, Any] = {"stopped": sim.stopped, "complete": not sim.stopped}
    if sim.assembly is not None and sim.system is not None:
        info["degrees_of_freedom"] = sim.assembly.dof
        info["redundant"] = redundancy_words(sim.system, sim.assembly.redundant)
        info["bodies"] = sim.system.nb
        info["equations"] = sim.system.m
    if sim.carried.switched:
        info["switches"] = [list(row) for row in sim.switchings]
        info["switch states"] = {str(k): state for k, state in sim.carried.switched.items()}
    if sim.ked is not None:
        info["KED"] = sim.ked
        later += [sim.ked["advice"]] if sim.ked["advice"] else []
    if any(c.active for kind in ("CONTACT", "SURFACE_CONTACT") for c in model.table(kind).values()):
        info["referee"] = checked(sim.referee, sim.refereed)
    if sim.pair_energies:
        info["pair energies"] = [pairs.results() for pairs in sim.pair_energies]
    if joints := closed_joints(sim.closed):
        info["joints measured"] = joints
    if sim.parameters:
        info["parameters"] = [list(row) for row in sim.parameters]
    run = Run._of_kept(model, sim.recorder.data().freeze(), info)
    run.linear = list(sim.linear)
    later += [
        *ranges.extrapolated(sim.recorder.excesses),
        *ranges.without_value(sim.recorder.undefined),
        *ranges.left(run),
    ]
    for e in model:
        kind = FORCES.get(e.KIND)
        if kind is not None and kind.doubts is not None and len(run.time):
            later += kind.doubts(e, run)
    for text in later:
        sim._issue(text)
    found = [*model.warnings, *sim._issue_doubts(), *sim.warnings]
    run.info = {
        "messages": [*map(str, sim.messages), *parameters.words(sim.parameters)],
        "warnings": list(dict.fromkeys(found)),
        **run.info,
    }
    return run
