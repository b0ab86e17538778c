"""Co-simulation of models and FMUs: `cosimulate`."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._summary import Summary
from ..._warnings import WarningText, warn_model
from ...model import Model, ModelError
from ...model.base import Element, did_you_mean, shown
from ...model.fmu import read_fmu
from ...model.fmu.description import ANY, NUMBERS, FmuDescription, variable_of
from ...model.fmu.element import log_of, parameter_of
from ...model.kinds import is_number
from ...results.run import Run
from ..session.output_times import output_times
from ..session.simulation import Simulation
from .components import Component, Ended, FmuComponent, FmuPort, SimulationComponent
from .cut import JoinedMaster, SplitModel
from .master import SCHEMES, Master, Statistics
from .presence import fmus_of
from .report import report

SHOWN = 6  # inputs in a warning


@dataclass
class Cosimulation(Summary):
    """Results of `cosimulate`: ``time`` [s], ``signals`` ("component.output" -> values at these times, in the units of
    the component), ``runs`` of its models, ``statistics`` of the master, ``messages``.

    ``results["wheel.force"]`` is one of the signals.
    """

    time: np.ndarray
    signals: dict[str, np.ndarray]
    runs: dict[str, Run] = field(default_factory=dict)
    statistics: Statistics = field(default_factory=Statistics)
    messages: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> np.ndarray:
        """A signal by name.  Raises `ModelError` for one that there is not."""
        if name not in self.signals:
            raise ModelError(f"there is no signal '{name}'{did_you_mean(name, self.signals)}")
        return self.signals[name]


def cosimulate(
    components: Mapping[str, Any] | Model,
    connections: Mapping[str, str] | None = None,
    end: float = math.nan,
    steps: int | None = None,
    *,
    cut: str | Element | Sequence[str | Element] | None = None,
    dt: float | None = None,
    error: float = 1e-4,
    step: float | None = None,
    scheme: str = "gauss-seidel",
    sampled: Mapping[str, float] | None = None,
    parameters: Mapping[str, Any] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    kinds: Mapping[str, str] | None = None,
    record: Sequence[str] = (),
    time_limit: float = 60.0,
    log: Mapping[str, Any] | None = None,
) -> Cosimulation:
    """Simulate models and FMUs together; each has its own solver, and they exchange values at communication points.
    See docs/fmi.md.

    ``components``: name -> `Model`, `Simulation` or path of an FMU (2.0 or 3.0), in the order in which they are
    stepped.  ``connections``: "component.input" -> "component.output": inputs of a model are its input
    VARIABLEs, outputs its VARIABLEs or any expression; inputs without a connection keep their start values. ``end``
    [s], with output at ``steps`` equal intervals or every ``dt``.

    ``error``: requested error of the coupling, as a share of the size of each signal: communication steps are chosen so
    that the sum of their estimated errors stays below it, by repeating each step as two halves; where a component
    cannot return to an earlier state, an indicator chooses them and the error is not controlled.  ``step``: steps of
    a fixed size [s] instead.  ``scheme``: "gauss-seidel" or "jacobi".  ``sampled``: periods [s] of digital
    controllers, which take their inputs at their samples and whose outputs are held.  ``parameters``:
    "component.variable" -> value of an FMU at the start.  ``options``: name of a model -> options of
    `Simulation.open`.  ``kinds``: name of an FMU -> "cs" (co-simulation) or "me" (model exchange), by default the first
    that it has.  ``record``: further values for the results: "component.variable" of an FMU (any variable that is a
    number, also a local one), "component.expression" of a model.  ``time_limit``: seconds that one call of an FMU may
    take.  ``log``: name of an FMU -> categories of its log, or True for all, which become ``messages``; its warnings do
    without.

    ``cut``: a joint, or several, at which a `Model` in place of the components is cut. Its sides are simulated apart,
    each with the options of `Simulation.open` in ``options`` (by name of the side: its first part), and coupled by the
    reactions of these joints, which are linear over a communication step and close the joints, in positions and
    velocities, at its end (order 4; no energy is created).  Signals are the VARIABLEs of the sides.

    Raises `ModelError` for names that do not exist, for FMUs that cannot be run, and for algebraic loops that do not
    converge; IntegrationError where a component fails during the run.
    """
    if math.isnan(end):
        raise ModelError("cosimulate needs an end; give end= (a time)")
    if isinstance(components, Model) or cut is not None:
        if record:
            raise ModelError("record is for components; the sides of a cut model return their VARIABLEs")
        return _cut(components, cut, end, steps, dt, error, step, dict(options or {}), connections)
    if isinstance(record, str):
        raise ModelError(f"record is the text {shown(record)}; give a list of names, record=[{shown(record)}]")
    if scheme not in SCHEMES:
        raise ModelError(f"unknown scheme {shown(scheme)}; choose one of {', '.join(SCHEMES)}")
    for what, value in (("error", error), ("step", step), ("time_limit", time_limit)):
        if value is not None and not (is_number(value) and value > 0.0):
            raise ModelError(f"{what} is {shown(value)}; give a positive number")
    times = output_times(0.0, end, steps, dt, None)
    if step is not None and step > end:
        raise ModelError(f"step = {step:g} is longer than the run of {end:g} s; give a shorter step")
    plan = _Plan(
        components,
        connections or {},
        dict(sampled or {}),
        dict(parameters or {}),
        dict(options or {}),
        dict(kinds or {}),
        record,
        dict(log or {}),
    )
    made: list[Component] = []
    try:
        made += [plan.component(name, time_limit, step, float(end), error) for name in plan.names]
        master = Master(made, plan.sources(), plan.signals(), error=error, step=step, scheme=scheme)
        return _run(plan.simulations, plan.signals(), master, times, plan.free())
    finally:
        for component in made:
            component.close()


def _cut(
    model: Any,
    cut: Any,
    end: float,
    steps: int | None,
    dt: float | None,
    error: float,
    step: float | None,
    options: dict[str, Mapping[str, Any]],
    connections: Any,
) -> Cosimulation:
    """A model whose sides are coupled at joints."""
    if not isinstance(model, Model) or cut is None or connections:
        raise ModelError(
            "cut names the joints at which one Model is cut: cosimulate(model, cut='pin', end=2), without connections"
        )
    for what, value in (("error", error), ("step", step)):
        if value is not None and not (is_number(value) and value > 0.0):
            raise ModelError(f"{what} is {shown(value)}; give a positive number")
    times = output_times(0.0, end, steps, dt, None)
    split = SplitModel(model, list(cut) if isinstance(cut, (list, tuple)) else [cut])
    for name in options:
        if name not in split.models:
            raise ModelError(f"there is no side '{name}'{did_you_mean(name, split.models)}")
    sims = {name: Simulation(m) for name, m in split.models.items()}
    names, made = [], []
    for k, (name, sim) in enumerate(sims.items()):
        hidden = {*split.inputs[k], *(v.id for v in split.outputs[k])}
        own = [v for v in sim.model.table("VARIABLE").values() if v.id not in hidden and not v.name.startswith("cut_")]
        names += [f"{name}.{v.name or v.label}" for v in (*split.outputs[k], *own)]
        scale = 1.0 / sim.model.units.si_time
        opening = {"duration": float(end) * scale, "error": min(1e-9, 1e-3 * error), **options.get(name, {})}
        outputs = [*split.outputs[k], *own]
        made.append(SimulationComponent(sim, name, split.inputs[k], outputs, opening, scale))
    try:
        master = JoinedMaster(made, split.cuts, names, error=error, step=step)
        found = _run(sims, names, master, times)
    finally:
        for component in made:
            component.close()
    internal = {f"{name}.{v.name}" for name, some in zip(sims, split.outputs) for v in some}
    found.signals = {name: values for name, values in found.signals.items() if name not in internal}
    return found


def _run(
    simulations: Mapping[str, Simulation],
    names: Sequence[str],
    master: Master,
    times: np.ndarray,
    notes: Sequence[str] = (),
) -> Cosimulation:
    master.initialise(0.0)
    rows, kept, ended = [master.values.copy()], [0.0], ""

    def follow(t: float, values: np.ndarray) -> None:
        kept.append(t)
        rows.append(values.copy())

    try:
        master.run(times, follow)
    except Ended as end:
        ended = end.text or f"a sensor has ended the run at {end.time:.9g} s"
    messages = [*report(master), *notes, *([ended] if ended else [])]
    if not simulations:
        for text in messages:
            if isinstance(text, WarningText):
                warn_model(text)
    runs = {}
    for name, sim in simulations.items():
        sim.close()
        for text in messages:
            sim.say(text)
        runs[name] = sim.run()
    signals = dict(zip(names, np.array(rows).T))
    return Cosimulation(np.array(kept), signals, runs, master.statistics, messages)


class _Plan:
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
