"""Dynamics of a model with FMUs: its simulation and its FMUs under one master."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from ...model import ModelError
from ...model.fmu import FMU, FmuDescription
from ...model.fmu.description import variable_of
from ...model.fmu.element import parameter_of
from .components import Ended, FmuComponent, FmuPort, SimulationComponent
from .master import Master
from .presence import fmus_of
from .report import report

SAME = 1e-12  # of a time


def run_coupled(sim: Any, times: np.ndarray, options: dict[str, Any]) -> None:
    """A dynamic analysis of a model with FMUs, with rows at ``times``.  FMUs go on where the last one has ended.
    Raises ModelError for FMUs that cannot be started or go on, and IntegrationError."""
    coupling = sim.coupling
    if coupling is not None and coupling.master.time != times[0] and not coupling.near(float(times[0])):
        raise ModelError(
            f"the FMUs of the model are at time {coupling.master.time:.9g}, and the simulation is at {times[0]:.9g}: "
            "their state is not part of a saved state; begin another Simulation"
        )
    try:
        if coupling is None:
            sim.coupling = coupling = ModelCoupling(sim, float(times[0]))
        coupling.run(times, {**options, "duration": float(times[-1] - times[0])})
    except BaseException:
        if sim.coupling is not None:
            sim.coupling.close()
        raise


class ModelCoupling:
    """The FMUs of one simulation, started at a time, and their master."""

    def __init__(self, sim: Any, start: float) -> None:
        model, self.sim, self.begun = sim.model, sim, False
        elements = fmus_of(model)
        self.elements = [e.id for e in elements]
        to_model = [n for e in elements for n in e.output_variables]
        self._one_source(elements, to_model)
        from_model = [f"VARVAL({n})" for e in elements for n in e.input_variables]
        self.simulation = SimulationComponent(sim, "the model", to_model, from_model, {})
        names = [f"{e.name}.{n}" for e in elements for n in e.inputs]
        names += [f"{e.name}.{n}" for e in elements for n in e.outputs]
        counts = np.cumsum([0, *(len(e.inputs) for e in elements)])
        sources = [range(len(from_model), len(from_model) + len(to_model))]
        sources += [range(a, b) for a, b in zip(counts[:-1], counts[1:])]
        steps = [e.step for e in elements if e.step is not None and not e.sampled]
        step = min(steps, default=None)
        self.fmus: list[FmuComponent] = []
        try:
            self.fmus += [_component(e, e.step if e.sampled else step, start, model.units.si_time) for e in elements]
            self.master = Master(
                [self.simulation, *self.fmus],
                sources,
                names,
                error=min(e.tolerance for e in elements),
                step=step,
            )
        except BaseException:
            self.close()
            raise
        if start:
            sim.warn(f"the FMUs of the model begin at time {start:.9g} with their start values")

    @staticmethod
    def _one_source(elements: list[FMU], to_model: list[int]) -> None:
        """Raises ModelError for a VARIABLE that takes two outputs."""
        if len(set(to_model)) < len(to_model):
            twice = next(n for n in to_model if to_model.count(n) > 1)
            first = next(e for e in elements if twice in e.output_variables)
            raise first.error(f"VARIABLE/{twice} takes two outputs of FMUs; give each a VARIABLE of its own")

    def near(self, time: float) -> bool:
        """Whether it is at this time but for rounding."""
        return abs(self.master.time - time) <= SAME * max(abs(time), abs(self.master.time))

    def run(self, times: np.ndarray, options: dict[str, Any]) -> None:
        """One analysis."""
        sim, master = self.sim, self.master
        if [e.id for e in fmus_of(sim.model)] != self.elements:
            raise ModelError("FMUs of the model were activated or deactivated in between; begin another Simulation")
        self.simulation.options = {**options, "record": "advance"}
        try:
            if self.begun:
                master.resume()
            else:
                master.initialise(float(times[0]))
            self.begun = True
            master.run(times)
        except Ended as ended:
            if ended.text:
                sim.warn(ended.text)
                sim.stopped = sim.stopped or ended.text
        finally:
            sim.close()
            sim.coupled = False
            for text in report(master):
                sim.say(text)

    def close(self) -> None:
        """End the processes of the FMUs."""
        for fmu in self.fmus:
            fmu.close()


def _component(e: FMU, step: float | None, start: float, second: float) -> FmuComponent:
    """The FMU of an element; ``step`` that it takes, in the model's unit of time, which is ``second`` [s]."""
    description = e.described()
    try:
        parameters = [(parameter_of(description, n), json.loads(text)) for n, text in e.parameters]
        return FmuComponent(
            description,
            e.label,
            ports_of(description, e.inputs, e.input_units, "input"),
            ports_of(description, e.outputs, e.output_units, "output"),
            parameters,
            error=e.tolerance,
            time_limit=e.time_limit,
            log=e.log,
            step=None if step is None else step * second,
            period=e.step if e.sampled and e.step is not None else math.nan,
            start=start,
            time_scale=second,
        )
    except ModelError as error:
        raise error if str(error).startswith(e.label) else e.error(str(error)) from None


def ports_of(
    description: FmuDescription, names: tuple[str, ...], units: tuple[str, ...], causality: str
) -> list[FmuPort]:
    out = []
    for name, unit in zip(names, units):
        variable, index = variable_of(description, name, causality)
        out.append(FmuPort(variable, index, *description.scale(variable, unit)))
    return out
