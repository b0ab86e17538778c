"""Who takes part in a co-simulation, and who is connected with whom: `Plan`."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..._warnings import WarningText
from ...model import Model, ModelError
from ...model.base import did_you_mean, shown
from ...model.fmu import read_fmu
from ...model.fmu.description import ANY, NUMBERS, FmuDescription, variable_of
from ...model.fmu.element import log_of, parameter_of
from ...model.kinds import is_number
from ..session.simulation import Simulation
from .components import Component, FmuComponent, FmuPort, SimulationComponent
from .presence import fmus_of

SHOWN = 6  # inputs in a warning


class Plan:
    """Who is connected with whom."""

    def __init__(
        self,
        components: Mapping[str, Any],
        connections: Mapping[str, str],
        sampled: dict[str, float],
        parameters: dict[str, Any],
        options: dict[str, Mapping[str, Any]],
        kinds: dict[str, str],
        record: Sequence[str],
        log: dict[str, Any],
    ) -> None:
        self.names = list(components)
        if not self.names:
            raise ModelError("there are no components; give models, simulations or paths of FMUs by name")
        self.simulations: dict[str, Simulation] = {}
        self.fmus: dict[str, FmuDescription] = {}
        for name, one in components.items():
            self._add(name, one, kinds.get(name, ""))
        of_fmus = (sampled, self.fmus, "FMU"), (kinds, self.fmus, "FMU"), (log, self.fmus, "FMU")
        for given, known, what in (*of_fmus, (options, self.simulations, "model")):
            for name in given:
                if name not in known:
                    raise ModelError(f"there is no {what} '{name}'{did_you_mean(name, known)}")
        for name, period in sampled.items():
            if not (is_number(period) and period > 0.0):
                raise ModelError(f"the period of '{name}' is {shown(period)}; give a positive number of seconds")
        self.sampled, self.options = sampled, options
        values: dict[str, dict[str, Any]] = {name: {} for name in self.fmus}
        for path, value in parameters.items():
            name, variable = self._split(path, self.fmus, "FMU")
            values[name][variable] = value
        self.fmus = {name: fmu.with_structure(values[name]) for name, fmu in self.fmus.items()}
        self.parameters = {
            name: [(parameter_of(fmu, variable), value) for variable, value in values[name].items()]
            for name, fmu in self.fmus.items()
        }
        self.log = {name: log_of(fmu, log.get(name)) for name, fmu in self.fmus.items()}
        self.inputs: dict[str, list[str]] = {name: [] for name in self.names}
        self.outputs: dict[str, list[str]] = {name: _all_outputs(self.fmus.get(name)) for name in self.names}
        self._links: list[tuple[str, str, str, str]] = []
        for target, source in connections.items():
            self._connect(target, source)
        for path in record:
            self._record(path)

    def _add(self, name: str, one: Any, kind: str) -> None:
        if not isinstance(name, str) or not name or "." in name:
            raise ModelError(f"a component is named {shown(name)}; give a name without points")
        if isinstance(one, (Model, Simulation)):
            sim = one if isinstance(one, Simulation) else Simulation(one)
            if any(sim is other for other in self.simulations.values()):
                raise ModelError(f"'{name}' is the simulation of another component; give each its own")
            if fmus_of(sim.model):
                raise ModelError(f"'{name}' has FMUs in its model; give them as components here")
            if sim.time:
                raise ModelError(f"'{name}' is at time {sim.time:g}; a co-simulation begins at time 0")
            self.simulations[name] = sim
        elif isinstance(one, (str, os.PathLike)):
            self.fmus[name] = read_fmu(one, kind)
        else:
            raise ModelError(
                f"the component '{name}' is {shown(one)}; give a Model, a Simulation or the path of an FMU"
            )

    def _split(self, path: str, known: Mapping[str, Any], what: str) -> tuple[str, str]:
        name, point, rest = path.partition(".")
        if not point or not rest or name not in known:
            meant = did_you_mean(name, known) if point else ""
            raise ModelError(f"'{path}' does not begin with the name of {what} and a point{meant}")
        return name, rest

    def _connect(self, target: str, source: str) -> None:
        if not (isinstance(target, str) and isinstance(source, str)):
            raise ModelError(
                f"connections: {shown(target)} is connected with {shown(source)}; give texts: "
                "'component.input': 'component.output'"
            )
        (to, port), (of, output) = (self._split(p, dict.fromkeys(self.names), "a component") for p in (target, source))
        widths = self._width(to, port, "input"), self._width(of, output, "output")
        if max(widths) > 1 and widths[0] == widths[1]:
            for k in range(1, widths[0] + 1):
                self._connect(f"{target}[{k}]", f"{source}[{k}]")
            return
        if of in self.fmus:
            variable, index = variable_of(self.fmus[of], output, "output")
            output = _element_name(variable.name, variable.size, index, source)
        if to in self.fmus:
            variable, index = variable_of(self.fmus[to], port, "input")
            port = _element_name(variable.name, variable.size, index, target)
        else:
            port = str(self.simulations[to].inputs.find(port))
        if port in self.inputs[to]:
            raise ModelError(f"'{target}' is connected twice")
        self.inputs[to].append(port)
        if output not in self.outputs[of]:
            self.outputs[of].append(output)
        self._links.append((to, port, of, output))

    def _width(self, name: str, port: str, causality: str) -> int:
        """How many values a whole array of an FMU has, else 1."""
        if name not in self.fmus:
            return 1
        variable, index = variable_of(self.fmus[name], port, causality)
        return variable.size if index is None else 1

    def _record(self, path: Any) -> None:
        """A value that is no input of anything, for the results."""
        if not isinstance(path, str):
            raise ModelError(f"record contains {shown(path)}; give texts like 'component.variable'")
        name, output = self._split(path, dict.fromkeys(self.names), "a component")
        if self._width(name, output, ANY) > 1:
            for k in range(1, self._width(name, output, ANY) + 1):
                self._record(f"{path}[{k}]")
            return
        if name in self.fmus:
            variable, index = variable_of(self.fmus[name], output, ANY)
            output = _element_name(variable.name, variable.size, index, path)
        if output not in self.outputs[name]:
            self.outputs[name].append(output)

    def free(self) -> list[str]:
        """A warning for each FMU with inputs that are not connected, a message for each such model."""
        out: list[str] = []
        for name in self.names:
            connected = set(self.inputs[name])
            if name in self.fmus:
                some = [v for v in self.fmus[name].variables.values() if v.causality == "input" and v.type in NUMBERS]
                whole = {v.name: v.start or ("0" if v.size == 1 else "those of the FMU") for v in some}
                free = {n: s for n, s in whole.items() if not any(c == n or c.startswith(f"{n}[") for c in connected)}
            else:
                table = self.simulations[name].model.table("VARIABLE")
                free = {v.name: v.function for v in table.values() if v.input and str(v.id) not in connected}
            if free:
                listed = ", ".join(f"'{n}' = {s}" for n, s in list(free.items())[:SHOWN])
                text = f"'{name}': inputs that are not connected keep their start values: {listed}"
                out.append(WarningText(text) if name in self.fmus else text)
        return out

    # ---- for the master ---------------------------------------------------------------------------------------------
    def signals(self) -> list[str]:
        """Names of all outputs, component by component."""
        return [f"{name}.{output}" for name in self.names for output in self.outputs[name]]

    def sources(self) -> list[list[int]]:
        """For each component and input, the number of its signal."""
        number = {signal: k for k, signal in enumerate(self.signals())}
        of = {(to, port): number[f"{source}.{output}"] for to, port, source, output in self._links}
        return [[of[name, port] for port in self.inputs[name]] for name in self.names]

    def component(self, name: str, time_limit: float, step: float | None, end: float, error: float) -> Component:
        """One of them, ready to be initialised."""
        if name in self.simulations:
            sim = self.simulations[name]
            scale = 1.0 / sim.model.units.si_time
            outputs = [_expression(sim.model, text) for text in self.outputs[name]]
            opening = {"duration": end * scale, **self.options.get(name, {})}
            return SimulationComponent(sim, name, [int(n) for n in self.inputs[name]], outputs, opening, scale)
        fmu, period = self.fmus[name], self.sampled.get(name, math.nan)
        ports = lambda names, causality: [FmuPort(*variable_of(fmu, n, causality)) for n in names]
        return FmuComponent(
            fmu,
            f"FMU '{name}'",
            ports(self.inputs[name], "input"),
            ports(self.outputs[name], ANY),
            self.parameters[name],
            error=error,
            time_limit=time_limit,
            step=step if math.isnan(period) else period,
            period=period,
            log=self.log[name],
        )


def _element_name(name: str, size: int, index: int | None, path: str) -> str:
    """The name of one number."""
    if index is None and size > 1:
        raise ModelError(f"'{path}' has {size} values; connect them one by one, as {path}[1]")
    return name if size == 1 else f"{name}[{(index or 0) + 1}]"


def _all_outputs(fmu: FmuDescription | None) -> list[str]:
    """Every number that an FMU gives."""
    if fmu is None:
        return []
    some = [v for v in fmu.variables.values() if v.causality == "output" and v.type in NUMBERS]
    return [v.name if v.size == 1 else f"{v.name}[{k}]" for v in some for k in range(1, v.size + 1)]


def _expression(model: Model, text: str) -> str:
    """The expression of a VARIABLE that is named, or the text itself."""
    key = text.strip().lower()
    found: Sequence[Any] = [v for v in model.table("VARIABLE").values() if v.name.lower() == key]
    return f"VARVAL({found[0].id})" if found else text
