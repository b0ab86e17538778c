"""What analyses that do not step FMUs do about those of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model import Model
from ...model.fmu import FMU

if TYPE_CHECKING:
    from ..session.simulation import Simulation


def fmus_of(model: Model) -> list[FMU]:
    """The active FMUs of a model that have solvers of their own."""
    return [e for e in model.table("FMU").values() if e.active and e.solver != "model"]


def refuse_by_hand(sim: Simulation) -> None:
    """Raises ModelError where a model with FMUs is stepped by another one than their master."""
    if not sim.coupled:
        for e in fmus_of(sim.model):
            raise e.error(
                "a simulation that is stepped from outside does not step its FMUs; use dynamics, simulate or "
                "cosimulate, or deactivate it"
            )


def warn_held(sim: Simulation, mode: str) -> None:
    """Warn where an analysis holds the outputs of FMUs."""
    if mode != "dynamics":
        for e in fmus_of(sim.model):
            sim.warn(
                f"{e.label}: FMUs are stepped in dynamics only; its outputs are held at their present values in {mode}"
            )
