"""The linear analysis of a model in one call."""

from __future__ import annotations

from typing import Any

from ...model import Model, ModelError
from ...results.modes import Linear
from ..session.simulation import Simulation


def linearize(
    model: Model,
    *,
    statics: bool = False,
    end: float | None = None,
    inputs=None,
    outputs=None,
    states=None,
    rm=None,
    damping: bool = True,
    missing: str = "error",
    **options: Any,
) -> Linear:
    """Linearise a model at its assembled initial position, after ``statics``, or after dynamics to ``end`` (``options``
    as of `simulate`); returns a `Linear`.

    For the other arguments see `Simulation.linearize`.
    """
    sim = Simulation(model, progress=False, missing=missing)
    sim.work = False
    if statics:
        sim.statics()
    if end is not None:
        sim.dynamics(end=end, steps=1, **options)
    elif options:
        raise ModelError(
            f"unknown option '{sorted(options)[0]}' of a linear analysis; options of an integrator need END"
        )
    return sim.linearize(inputs=inputs, outputs=outputs, states=states, rm=rm, damping=damping)
