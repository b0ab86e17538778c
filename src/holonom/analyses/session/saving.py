"""A simulation to disk and back: the model with its present state."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...model import ModelError
from ...results.files.state import SavedState, read_state, write_state

if TYPE_CHECKING:
    from .simulation import Simulation


def save(sim: Simulation, path: str | os.PathLike) -> None:
    """Write the model and its present state (HDF5), for `reload`: with whole turns of angles, values of inputs and the
    past of DELAY.  Results are not in it."""
    write_state(path, saved_state(sim))


def saved_state(sim: Simulation) -> SavedState:
    """What goes to a file, and comes back by `take`."""
    if sim.system is None:
        sim.prepare()
    sim.carried.keep(sim.system, sim.y)
    saved = sim.carried.saved(sim.model, sim.time)
    saved.inputs, saved.named = sim.inputs.saved(), set(sim.inputs.named)
    return saved


def reload(sim: Simulation, path: str | os.PathLike, states_only: bool = False) -> None:
    """Go on from a saved state: with its model (of the same elements), or with the present one
    (``states_only``).  Warns where the file is of a former version and does not hold all of the state."""
    sim.take(read_state(path), states_only)


def take(sim: Simulation, saved: SavedState, states_only: bool = False) -> None:
    """The same from memory: ``sim.take(saved)`` after ``saved = sim.state()``.  Raises ModelError when the state
    belongs to a model of other elements."""
    sim.close()
    if not states_only:
        for kind, table in saved.model._tables.items():
            if set(table) != set(sim.model.table(kind)):
                raise ModelError(
                    f"the saved model has other elements of kind {kind} than the present one; give its own dataset"
                )
        saved.model.routines, saved.model.path = sim.model.routines, sim.model.path
        sim.model = sim.recorder.model = sim._given = saved.model
        sim.carried.disabled = set(saved.disabled)
    sim.carried.take(saved, sim.model)
    sim.inputs.take(saved.inputs, saved.named, sim.model)
    if saved.lacks:
        sim.warn(f"the saved state was written by an earlier version and does not hold {saved.lacks}; save it again")
    sim.time, sim.system, sim._prepared = saved.time, None, None
    sim.halted = sim.returned = False
