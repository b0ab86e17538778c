"""Components of a co-simulation, models and FMUs, that joints connect: `Joined`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...model import Model, ModelError
from ...model.base import did_you_mean, shown
from ...model.fmu.description import FmuDescription, variable_of
from ...model.settings import Units
from .components import Component, FmuComponent, FmuPort
from .cut import LOCKED, Cut, held, side_component
from .ends import ABSENT, FORCES, GIVEN, MOTIONS, TAKEN, End, add_end, end_names
from .plan import Plan

OF_POINTS = (*TAKEN[:3], *GIVEN[:6])  # what an end must have for a joint that holds no rotations
SOLVER = 0.1, 1e-7  # of the requested error, and at most: what FMUs with solvers of their own are given


class Joined:
    """``joints``: (type, end of I, end of J), where an end is "component.marker" of a model or "component.end" of an
    FMU; ``ends``: "component.end" -> {name in `TAKEN` or `GIVEN`: variable}, for FMUs that name them in another way.

    Raises ModelError for joints and ends that there are not, for ends that lack what the joint needs, for components
    that no joint connects and for models in different units.
    """

    def __init__(
        self,
        components: Mapping[str, Any],
        joints: Sequence[tuple[str, str, str]],
        ends: Mapping[str, Mapping[str, str]],
        parameters: Mapping[str, Any],
        options: Mapping[str, Mapping[str, Any]],
        kinds: Mapping[str, str],
        log: Mapping[str, Any],
    ) -> None:
        for name, one in components.items():
            if not isinstance(one, (Model, str)) and not hasattr(one, "__fspath__"):
                raise ModelError(
                    f"the component '{name}' is {shown(one)}; joints connect Models and paths of FMUs, in their states "
                    "at time 0"
                )
        copies = {name: one.copy() if isinstance(one, Model) else one for name, one in components.items()}
        self.plan = plan = Plan(copies, {}, {}, dict(parameters), dict(options), dict(kinds), (), dict(log))
        self.units = _units(plan)
        self._others, self._used = ends, set[str]()
        self.inputs: dict[str, list[Any]] = {name: [] for name in plan.names}
        self.outputs: dict[str, list[Any]] = {name: [] for name in plan.names}
        self.cuts: list[Cut] = []
        taken: set[str] = set()
        for joint in joints:
            if not isinstance(joint, (tuple, list)) or len(joint) != 3 or not all(isinstance(x, str) for x in joint):
                raise ModelError(f"joints: {shown(joint)}; give (type, end of I, end of J), all texts")
            kind, i, j = joint
            if kind.upper() not in LOCKED:
                raise ModelError(
                    f"joints: there is no type {shown(kind)}; choose one of {', '.join(sorted(map(str.lower, LOCKED)))}"
                )
            label = f"joint ({kind}, {i}, {j})"
            along, about = held(SimpleNamespace(type=kind.upper()))
            for end in (i, j):
                if end in taken:
                    raise ModelError(f"{label}: '{end}' is an end of two joints; give each an end of its own")
                taken.add(end)
            first, second = (self._end(end, label, len(about) > 0) for end in (i, j))
            if first.side == second.side:
                raise ModelError(f"{label}: both ends belong to one component; make it a joint of that model")
            self.cuts.append(Cut(label, first, second, along, about))
        if not self.cuts:
            raise ModelError("joints: there is none; give (type, end of I, end of J)")
        for end in ends:
            if end not in taken:
                raise ModelError(f"ends: '{end}' is no end of a joint{did_you_mean(end, taken)}")
        joined = {e.side for cut in self.cuts for e in cut.ends}
        for k, name in enumerate(plan.names):
            if k not in joined:
                raise ModelError(f"the component '{name}' has no joint; give it one, or leave it out")

    def _end(self, path: str, label: str, turns: bool) -> End:
        name, point, rest = path.partition(".")
        if not point or name not in self.plan.names:
            raise ModelError(
                f"{label}: '{path}' does not begin with the name of a component and a point"
                f"{did_you_mean(name, self.plan.names)}"
            )
        side = self.plan.names.index(name)
        if name in self.plan.simulations:
            if path in self._others:
                raise ModelError(f"ends: '{path}' is a marker of a model; names of variables are for FMUs")
            return self._of_model(name, side, rest, label)
        return self._of_fmu(self.plan.fmus[name], name, side, path, label, turns)

    def _of_model(self, name: str, side: int, marker: str, label: str) -> End:
        model = self.plan.simulations[name].model
        found = [m for m in model.markers.values() if m.name.lower() == marker.lower()]
        if not found:
            names = [m.name for m in model.markers.values() if m.name]
            raise ModelError(f"{label}: '{name}' has no marker '{marker}'{did_you_mean(marker, names)}")
        first, number = len(self.outputs[name]), len(self.inputs[name])
        words = [[f"end_{marker}_{n}" for n in some] for some in (TAKEN, GIVEN, [f"a{n}" for n in TAKEN])]
        inputs, outputs, accelerations = add_end(model, found[0].id, *words)
        self.inputs[name] += inputs
        self.outputs[name] += outputs
        return End(side, number + np.arange(len(TAKEN)), first + np.arange(len(GIVEN)), accelerations)

    def _of_fmu(self, fmu: FmuDescription, name: str, side: int, path: str, label: str, turns: bool) -> End:
        other = self._others.get(path, {})
        for word in other:
            if word not in (*TAKEN, *GIVEN):
                raise ModelError(
                    f"ends: '{path}': there is no {shown(word)}; choose from {', '.join((*TAKEN, *GIVEN))}"
                )
        end = path.partition(".")[2]
        numbers: list[list[int]] = []
        for words, quantities, causality, names, ports in zip(
            (TAKEN, GIVEN), (FORCES, MOTIONS), ("input", "output"), end_names(end, other), (self.inputs, self.outputs)
        ):
            found = []
            for word, quantity, variable in zip(words, quantities, names):
                variable = next((n for n in (variable, f"'{variable}'") if n in fmu.variables), variable)
                needed = turns or word in OF_POINTS or word in other
                if not needed and variable not in fmu.variables:
                    found.append(ABSENT)
                    continue
                try:
                    v, index = variable_of(fmu, variable, causality)
                except ModelError as error:
                    raise ModelError(f"{label}: the end '{path}' lacks its {causality} {word}: {error}") from None
                factor, offset = fmu.scale(v, self._unit(quantity)) if v.unit else (1.0, 0.0)
                found.append(len(ports[name]))
                ports[name].append(FmuPort(v, index, factor, offset))
            numbers.append(found)
        return End(side, np.array(numbers[0]), np.array(numbers[1]), None)

    def _unit(self, quantity: str) -> str:
        """The unit of a quantity in the models (SI where there are none)."""
        return "" if quantity == "none" else self.units.symbol(quantity)

    def components(self, time_limit: float, step: float | None, end: float, error: float) -> tuple[list, list[str]]:
        """All of them, and names of all their outputs; those of the ends have none ("")."""
        made: list[Component] = []
        names: list[str] = []
        try:
            for name in self.plan.names:
                component, own = self._component(name, time_limit, step, end, error)
                made.append(component)
                names += [""] * len(self.outputs[name]) + [f"{name}.{one}" for one in own]
                if not component.rolls_back or component.fixed == component.fixed:
                    what = (
                        "only takes steps of one size" if component.rolls_back else "cannot return to an earlier state"
                    )
                    raise ModelError(
                        f"{component.label} {what}, and a joint is closed by repeating steps; connect it by forces: "
                        "connections="
                    )
        except BaseException:
            for one in made:
                one.close()
            raise
        return made, names

    def _component(
        self, name: str, time_limit: float, step: float | None, end: float, error: float
    ) -> tuple[Component, list[str]]:
        """One of them, and the names of its own outputs."""
        plan, inputs, hidden = self.plan, self.inputs[name], self.outputs[name]
        if name in plan.simulations:
            sim, given = plan.simulations[name], plan.options.get(name, {})
            side, own = side_component(sim, name, inputs, hidden, self.cuts, given, end, error)
            return side, [v.name or v.label for v in own]
        fmu = plan.fmus[name]
        component = FmuComponent(
            fmu,
            f"FMU '{name}'",
            inputs,
            [*hidden, *(FmuPort(*variable_of(fmu, output, "output")) for output in plan.outputs[name])],
            plan.parameters[name],
            error=min(SOLVER[0] * error, SOLVER[1]),
            time_limit=time_limit,
            step=step,
            log=plan.log[name],
        )
        return component, plan.outputs[name]


def _units(plan: Plan) -> Units:
    found = {name: sim.model.units for name, sim in plan.simulations.items()}
    first = next(iter(found), "")
    for name, units in found.items():
        if units != found[first]:
            raise ModelError(
                f"the models '{first}' and '{name}' are in different units, and joints need the same; convert one"
            )
    return found[first] if found else Units()
