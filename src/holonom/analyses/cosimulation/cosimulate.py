"""Co-simulation of models and FMUs: `cosimulate`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._summary import Summary
from ..._warnings import WarningText, warn_model
from ...model import Model, ModelError
from ...model.base import Element, did_you_mean, shown
from ...model.kinds import is_number
from ...results.run import Run
from ..session.output_times import output_times
from ..session.simulation import Simulation
from .components import Component, Ended
from .cut import JoinedMaster, SplitModel, side_component
from .joined import Joined
from .master import SCHEMES, Master, Statistics
from .plan import Plan
from .report import report


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


ERROR = 1e-4  # of the coupling, where neither an error nor a step is given


def cosimulate(
    components: Mapping[str, Any] | Model,
    connections: Mapping[str, str] | None = None,
    end: float = math.nan,
    steps: int | None = None,
    *,
    cut: str | Element | Sequence[str | Element] | None = None,
    joints: Sequence[tuple[str, str, str]] = (),
    ends: Mapping[str, Mapping[str, str]] | None = None,
    dt: float | None = None,
    error: float | None = None,
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

    ``error`` (1e-4): requested error of the coupling, as a share of the size of each signal: communication steps are
    chosen so that the sum of their estimated errors stays below it, by repeating each step as two halves; where a
    component cannot return to an earlier state, an indicator chooses them and the error is not controlled. ``step``:
    steps of a fixed size [s] instead. ``scheme``: "gauss-seidel" or "jacobi". ``sampled``: periods [s] of digital
    controllers, which take their inputs at their samples and whose outputs are held. ``parameters``:
    "component.variable" -> value of an FMU at the start. ``options``: name of a model -> options of `Simulation.open`.
    ``kinds``: name of an FMU -> "cs" (co-simulation) or "me" (model exchange), by default the first that it has.
    ``record``: further values for the results: "component.variable" of an FMU (any variable that is a number, also a
    local one), "component.expression" of a model. ``time_limit``: seconds that one call of an FMU may take. ``log``:
    name of an FMU -> categories of its log, or True for all, which become ``messages``; its warnings do without.

    ``cut``: a joint, or several, at which a `Model` in place of the components is cut. Its sides are simulated apart,
    each with the options of `Simulation.open` in ``options`` (by name of the side: its first part), and coupled by the
    reactions of these joints, which are linear over a communication step and close the joints, in positions and
    velocities, at its end (order 4; no energy is created).  Signals are the VARIABLEs of the sides.

    ``joints``: joints between components, in place of ``connections``: (type, end of I, end of J), with the types
    revolute, spherical, fixed, translational, cylindrical and planar.  An end is "component.marker" of a model, or
    "component.end" of an FMU, which takes the wrench at it as inputs ``end.fx`` ... ``end.tz`` and gives ``end.x`` ...
    ``end.wz`` and its directions ``end.xx`` ... ``end.yz`` (`export_fmu(ends=)` writes such FMUs); ``ends``: other
    names of these in an FMU, {"load.hook": {"fx": "force[1]", ...}}.  The joints are closed as those of ``cut``; FMUs
    must be able to return to an earlier state.

    Raises `ModelError` for names that do not exist, for FMUs that cannot be run, and for algebraic loops that do not
    converge; IntegrationError where a component fails during the run.
    """
    if math.isnan(end):
        raise ModelError("cosimulate needs an end; give end= (a time)")
    if error is not None and step is not None:
        raise ModelError(
            "cosimulate: error and step are given, and steps of a fixed size control no error; give one of them"
        )
    error = ERROR if error is None else error
    if isinstance(components, Model) or cut is not None:
        if record:
            raise ModelError("record is for components; the sides of a cut model return their VARIABLEs")
        return _cut(components, cut, end, steps, dt, error, step, dict(options or {}), connections)
    if joints or ends:
        if record or sampled or connections:
            raise ModelError("joints take no connections, sampled or record; signals are all outputs of the components")
        joined = Joined(components, joints, ends or {}, parameters or {}, options or {}, kinds or {}, log or {})
        return _joined(joined, end, steps, dt, error, step, time_limit)
    if isinstance(record, str):
        raise ModelError(f"record is the text {shown(record)}; give a list of names, record=[{shown(record)}]")
    if scheme not in SCHEMES:
        raise ModelError(f"unknown scheme {shown(scheme)}; choose one of {', '.join(SCHEMES)}")
    _positive(error=error, step=step, time_limit=time_limit)
    times = output_times(0.0, end, steps, dt, None)
    if step is not None and step > end:
        raise ModelError(f"step = {step:g} is longer than the run of {end:g} s; give a shorter step")
    plan = Plan(
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


def _positive(**given: float | None) -> None:
    """Raises ModelError for what is no positive number; None: it is not given."""
    for what, value in given.items():
        if value is not None and not (is_number(value) and value > 0.0):
            raise ModelError(f"{what} is {shown(value)}; give a positive number")


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
    _positive(error=error, step=step)
    times = output_times(0.0, end, steps, dt, None)
    split = SplitModel(model, list(cut) if isinstance(cut, (list, tuple)) else [cut])
    for name in options:
        if name not in split.models:
            raise ModelError(f"there is no side '{name}'{did_you_mean(name, split.models)}")
    sims = {name: Simulation(m) for name, m in split.models.items()}
    names, made = [], []
    for k, (name, sim) in enumerate(sims.items()):
        given = options.get(name, {})
        side, own = side_component(sim, name, split.inputs[k], split.outputs[k], split.cuts, given, float(end), error)
        names += [f"{name}.{v.name or v.label}" for v in (*split.outputs[k], *own)]
        made.append(side)
    try:
        master = JoinedMaster(made, split.cuts, names, error=error, step=step)
        found = _run(sims, names, master, times)
    finally:
        for component in made:
            component.close()
    internal = {f"{name}.{v.name}" for name, some in zip(sims, split.outputs) for v in some}
    found.signals = {name: values for name, values in found.signals.items() if name not in internal}
    return found


def _joined(
    joined: Joined, end: float, steps: int | None, dt: float | None, error: float, step: float | None, time_limit: float
) -> Cosimulation:
    """Components that joints connect."""
    _positive(error=error, step=step, time_limit=time_limit)
    times = output_times(0.0, end, steps, dt, None)
    made, names = joined.components(time_limit, step, float(end), error)
    try:
        master = JoinedMaster(made, joined.cuts, names, error=error, step=step)
        found = _run(joined.plan.simulations, names, master, times)
    finally:
        for component in made:
            component.close()
    found.signals.pop("", None)
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
