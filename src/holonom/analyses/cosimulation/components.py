"""Components of a co-simulation: simulations and FMUs, stepped in the same way by the master.

A component has ``inputs`` numbers, which vary linearly over a step or are held, and ``outputs`` numbers.  Times are
those of the master; ``time_scale`` of them is the component's unit of time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..._summary import Summary
from ...elements.bodies import layout
from ...integrators.stepper import IntegrationError
from ...model import ModelError
from ...model.base import shown
from ...model.fmu.description import NUMBERS, STRUCTURAL, FmuDescription, FmuVariable
from ...model.kinds import is_number
from .process import FmuFailed, FmuProcess

OWN = 0.01  # tolerance of the solver inside an FMU, of the requested error of the coupling: its errors add up
FINEST = 1e-12  # tolerance that solvers still take
#: least and largest number of the types that are no doubles
RANGES: dict[str, tuple[float, float]] = {
    **{f"Int{n}": (-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in (8, 16, 32, 64)},
    **{f"UInt{n}": (0, 2**n - 1) for n in (8, 16, 32, 64)},
    "Boolean": (-math.inf, math.inf),
    "Float32": (-3.4028234e38, 3.4028234e38),
}


class Ended(Exception):
    """A component has ended the run at ``time``; ``text``: why."""

    def __init__(self, time: float, text: str) -> None:
        super().__init__(text)
        self.time, self.text = time, text


class Component(Protocol):
    """What the master steps."""

    label: str
    #: positions of outputs that may be extrapolated: floating-point numbers
    smooth: np.ndarray
    #: of the error of one step + 1: 2 where inputs vary linearly, 1 where they are held
    order: int
    rolls_back: bool
    #: whether inputs have slopes over a step
    interpolates: bool
    #: the only step that it can do, or nan
    fixed: float
    #: period of a digital controller, else nan
    period: float
    calls: int
    inputs: list
    #: numbers of its own that the error is estimated of too, and the groups in which they are measured
    state: np.ndarray
    groups: np.ndarray

    def values(self, inputs: np.ndarray | None) -> np.ndarray: ...
    def begin(self) -> np.ndarray: ...
    def resume(self) -> np.ndarray: ...
    def show(self, inputs: np.ndarray) -> None: ...
    def step(self, t: float, end: float, inputs: np.ndarray, slopes: np.ndarray) -> np.ndarray: ...
    def keep(self) -> Any: ...
    def restore(self, kept: Any) -> None: ...
    def drop(self, kept: Any) -> None: ...
    def report(self) -> list[str]: ...
    def close(self) -> None: ...


class SimulationComponent:
    """A simulation.  ``inputs``: ids of its input VARIABLEs; ``outputs``: texts of expressions or VARIABLEs;
    ``options`` of `Simulation.open`."""

    order = 2
    rolls_back = interpolates = True
    fixed = period = math.nan

    def __init__(
        self,
        sim: Any,
        label: str,
        inputs: Sequence[int],
        outputs: Sequence[Any],
        options: dict,
        time_scale: float = 1.0,
    ) -> None:
        self.sim, self.label, self.inputs, self.outputs = sim, label, list(inputs), list(outputs)
        self.options, self.time_scale = options, time_scale
        self.smooth = np.ones(len(self.outputs), bool)
        self.calls = 0
        self.state, self.groups = np.zeros(0), np.zeros(0, int)
        self._before: int | None = None  # segments before the analysis that finds the values at the start
        self._moving: frozenset[int] = frozenset()

    def values(self, inputs: np.ndarray | None) -> np.ndarray:
        """Outputs at the start, with these values of the inputs (None: as they are)."""
        if self._before is None or self._moving:
            self.sim.close()
            if self._before is None:
                self._before = len(self.sim.recorder.segments)
            self._set(inputs)
            self._open({**self.options, "record": "none"})
        else:
            self._set(inputs)
        return self._read()

    def begin(self) -> np.ndarray:
        """The analysis opens, with a row at the start."""
        sim = self.sim
        sim.close()
        if self._before is not None:  # the analysis in which the values at the start were found is none of the run
            del sim.recorder.segments[self._before :]
            self._before = None
        n = len(sim.messages)
        self._open(self.options)
        sim.messages[n:] = [text for text in sim.messages[n:] if text not in sim.messages[:n]]
        return self._read()

    resume = begin

    def _open(self, options: dict) -> None:
        self.sim.coupled = True
        self.sim.open(**options)
        self.sim._stepping.rows = False  # they are those of `show`
        self._moving = frozenset(key[1] for key in self.sim.system.functions.constant_inputs) & frozenset(self.inputs)

    def _set(self, inputs: np.ndarray | None) -> None:
        for number, value in zip(self.inputs, () if inputs is None else inputs.tolist()):
            self.sim.set_input(number, value)

    def _read(self) -> np.ndarray:
        y, n = self.sim.y, self.sim.system.nb
        parts = (*layout.parts(y, n), *y[layout.end(n) :, None])
        self.state = np.concatenate([np.ravel(part) for part in parts])
        if len(self.groups) != len(self.state):
            self.groups = np.repeat(np.arange(len(parts)), [part.size for part in parts])
        return np.array([self.sim.output(what) for what in self.outputs], float)

    def show(self, inputs: np.ndarray) -> None:
        """A row at the present time, with these values of the inputs in place of extrapolated ones."""
        for number, value in zip(self.inputs, inputs.tolist()):
            if number not in self._moving:
                self.sim.set_input(number, value)
        self.sim._stepping.row()

    def step(self, t: float, end: float, inputs: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """From t to ``end``.  An input that a MOTION reads is led to its value at the end, as a jump would be an
        impact; the others begin at theirs."""
        sim, until = self.sim, end * self.time_scale
        for number, value, slope in zip(self.inputs, inputs.tolist(), slopes.tolist()):
            target = value + slope * (end - t)
            if number in self._moving:
                sim.set_input(number, target, by=until)
            else:
                sim.set_input(number, value)
                if slope:
                    sim.set_input(number, target, by=until)
        self.calls += 1
        reached = sim.advance(until)
        if reached < until:
            raise Ended(reached / self.time_scale, "")
        return self._read()

    def keep(self) -> Any:
        return self.sim.snapshot()

    def restore(self, kept: Any) -> None:
        self.sim.restore(kept)

    def drop(self, kept: Any) -> None: ...

    def report(self) -> list[str]:
        """Its messages are those of its run."""
        return []

    def close(self) -> None:
        self.sim.close()
        self.sim.coupled = False


@dataclass(frozen=True)
class FmuPort(Summary):
    """An input or output of an FMU: ``index`` of an element of an array; value of the FMU = ``factor`` x value +
    ``offset``."""

    variable: FmuVariable
    index: int | None = None
    factor: float = 1.0
    offset: float = 0.0


class _Values:
    """Variables of an FMU by type, as its functions take them, and where ports are in them."""

    def __init__(self, ports: Sequence[FmuPort]) -> None:
        self.groups: list[tuple[str, list[int], list[float]]] = []  # type, references, values
        self.places: list[tuple[int, int]] = []
        kinds: dict[str, int] = {}
        known: dict[int, tuple[int, int]] = {}
        for port in ports:
            v = port.variable
            if v.reference not in known:
                k = kinds.setdefault(v.type, len(self.groups))
                if k == len(self.groups):
                    self.groups.append((v.type, [], []))
                known[v.reference] = (k, len(self.groups[k][2]))
                self.groups[k][1].append(v.reference)
                self.groups[k][2].extend(start_numbers(v) or [0.0] * v.size)
            k, at = known[v.reference]
            self.places.append((k, at + (port.index or 0)))
        self._bounded = [(p.variable, *at) for p, at in zip(ports, self.places) if p.variable.type in RANGES]

    def filled(self, numbers: list[float], only: str = "") -> list:
        """Groups with these values of the ports; ``only``: of this type, the others have none.  Raises `ModelError` for
        values that their types cannot hold."""
        values = [list(group[2]) if not only else [0.0] * len(group[2]) for group in self.groups]
        for (k, at), number in zip(self.places, numbers):
            values[k][at] = number
        for variable, k, at in self._bounded if not only else ():
            _check_range(variable, values[k][at], "the input")
        return [
            [kind, references, [_exact(kind, v) for v in some]]
            for (kind, references, _), some in zip(self.groups, values)
            if not only or kind == only
        ]

    def counts(self) -> list:
        """Groups with the numbers of their values, for reading."""
        return [[kind, references, len(values)] for kind, references, values in self.groups]


class FmuComponent:
    """An FMU in its process.  ``parameters``: values of variables before its initialisation; ``period``: of a digital
    controller, whose inputs are those at its samples; ``error``: requested of the coupling.  An FMU that has a solver
    gets `OWN` of it as its tolerance, or its default where that is smaller."""

    def __init__(
        self,
        description: FmuDescription,
        label: str,
        inputs: Sequence[FmuPort],
        outputs: Sequence[FmuPort],
        parameters: Sequence[tuple[FmuVariable, Any]] = (),
        *,
        error: float,
        time_limit: float = 60.0,
        step: float | None = None,
        period: float = math.nan,
        start: float = 0.0,
        time_scale: float = 1.0,
        log: Sequence[str] = (),
    ) -> None:
        self.description, self.label = description, label
        self.inputs, self.outputs = list(inputs), list(outputs)
        hidden = [FmuPort(v, k) for v in description.states if v.type in NUMBERS for k in range(v.size)]
        self._in, self._out = _Values(inputs), _Values([*outputs, *hidden])
        self.state, self.groups = np.zeros(len(hidden)), np.arange(len(hidden))
        self._read_groups = self._out.counts()
        self.smooth = np.array([p.variable.type.startswith("Float") for p in outputs], bool)
        self._floats = np.array([p.variable.type.startswith("Float") for p in inputs], bool)
        held = not description.interpolates and description.direct
        self.order = 1 if held and self._floats.any() else 2
        self.rolls_back, self.interpolates = description.rolls_back, description.interpolates
        self.time_scale = time_scale
        self.period = period
        self.fixed = math.nan if description.variable_step else fixed_step(description, step, label) / time_scale
        self.calls = self._kept = 0
        self._before: list[list] = []  # what is to be done with states before the next request
        self.process = FmuProcess(description, label, time_limit, log)
        try:
            default = description.tolerance if description.tolerance > 0.0 else math.inf
            tolerance = max(min(default, OWN * error), FINEST)
            self.process.ask("enter", start=start * time_scale, tolerance=tolerance, **start_values(parameters))
        except BaseException:
            self.process.close()
            raise

    def values(self, inputs: np.ndarray | None) -> np.ndarray:
        """Outputs in initialisation, with these values of the inputs (None: its own start values)."""
        given = [] if inputs is None else self._in.filled(self._to_fmu(inputs))
        return self._of_fmu(self._ask("values", set=given, get=self._read_groups))

    def begin(self) -> np.ndarray:
        """The initialisation ends."""
        self.process.ask("leave")
        return self.resume()

    def resume(self) -> np.ndarray:
        """Its outputs as they are."""
        return self._of_fmu(self._ask("values", set=[], get=self._read_groups))

    def show(self, inputs: np.ndarray) -> None: ...

    def step(self, t: float, end: float, inputs: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """From t to ``end``.  Inputs have their slopes where the FMU takes them; else they are held at their mean, and
        at their last value where an output depends on them directly: it is read at the end."""
        h, lead = end - t, []
        if self.description.interpolates:
            rates = [p.factor * s / self.time_scale for p, s in zip(self.inputs, slopes.tolist())]
            lead = self._in.filled(rates, "Float64")
        else:
            inputs = inputs + np.where(self._floats, slopes * h * (1.0 if self.order == 1 else 0.5), 0.0)
        self.calls += 1
        scale = self.time_scale
        try:
            given = self._in.filled(self._to_fmu(inputs))
        except ModelError as error:
            raise IntegrationError(f"{self.label}: {error}", t) from None
        try:
            groups = self._ask(
                "step",
                f" from {t * scale:.9g} to {end * scale:.9g} s",
                set=given,
                lead=lead,
                t=t * scale,
                h=end * scale - t * scale,
                get=self._read_groups,
            )
        except FmuFailed as error:
            if error.terminated:
                raise Ended(t, str(error)) from None
            if error.rejected:
                raise
            raise IntegrationError(str(error), t) from None
        out = self._of_fmu(groups)
        if not np.isfinite(out).all():
            port = self.outputs[int(np.flatnonzero(~np.isfinite(out))[0])]
            raise IntegrationError(
                f"{self.label}: its output '{port.variable.name}' is no finite number after the step from "
                f"{t * scale:.9g} to {end * scale:.9g} s",
                t,
            )
        return out

    def keep(self) -> int:
        """The number of a state; it is kept, as all that is done with it, with the next request."""
        self._kept += 1
        self._before.append(["keep", self._kept])
        return self._kept

    def restore(self, kept: int) -> None:
        self._before.append(["restore", kept])

    def drop(self, kept: int) -> None:
        self._before.append(["drop", kept])

    def report(self) -> list[str]:
        """What the FMU has said."""
        return self.process.report()

    def _ask(self, do: str, during: str = "", **words: Any) -> Any:
        """A request behind what is to be done with states."""
        before, self._before = self._before, []
        return self.process.ask(do, during, before=before, **words)

    def close(self) -> None:
        self.process.close()

    def _to_fmu(self, values: np.ndarray) -> list[float]:
        return [p.factor * v + p.offset for p, v in zip(self.inputs, values.tolist())]

    def _of_fmu(self, groups: list[list[float]]) -> np.ndarray:
        found, n = [groups[k][at] for k, at in self._out.places], len(self.outputs)
        self.state = np.array(found[n:], float)
        return np.array([(v - p.offset) / p.factor for v, p in zip(found, self.outputs)], float)


def fixed_step(description: FmuDescription, step: float | None, label: str) -> float:
    """The communication step of an FMU that takes no other [s].  Raises `ModelError` where nobody states it."""
    found = step if step is not None else description.step
    if not found > 0.0:
        raise ModelError(f"{label}: the FMU only takes steps of a fixed size, and its file states none; give step")
    return found


def start_numbers(variable: FmuVariable) -> list[float] | None:
    """Start values of a variable as numbers.  Raises `ModelError` for what is none."""
    if variable.start is None:
        return None
    words = variable.start.split()
    try:
        out = [{"true": 1.0, "false": 0.0}[w] if w in ("true", "false") else float(w) for w in words]
    except ValueError:
        raise ModelError(f"the start value of '{variable.name}' is {shown(variable.start)}; fix the FMU") from None
    return out * variable.size if len(out) == 1 else out if len(out) == variable.size else None


def start_values(parameters: Sequence[tuple[FmuVariable, Any]]) -> dict[str, Any]:
    """What the process sets before the initialisation: "structure" in configuration mode, and "set".  Raises
    `ModelError` as `parameter_groups` does."""
    sizes = [(v, value) for v, value in parameters if v.causality == STRUCTURAL]
    others = [(v, value) for v, value in parameters if v.causality != STRUCTURAL]
    return {"structure": parameter_groups(sizes), "set": parameter_groups(others)}


def parameter_groups(parameters: Sequence[tuple[FmuVariable, Any]]) -> list:
    """Values of variables as the process takes them.  Raises `ModelError` for values of another type or number."""
    out = []
    for variable, value in parameters:
        if variable.type == "String":
            if not isinstance(value, str):
                raise ModelError(f"the parameter '{variable.name}' is a text; {shown(value)} is given")
            out.append(["String", [variable.reference], [value]])
            continue
        given = list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]
        given = [v.item() if isinstance(v, np.generic) else v for v in given]
        if not all(isinstance(v, bool) or is_number(v) for v in given):
            raise ModelError(f"the parameter '{variable.name}' is {shown(value)}; give a number")
        if len(given) != variable.size:
            raise ModelError(
                f"the parameter '{variable.name}' has {variable.size} value{'s' * (variable.size != 1)}, and "
                f"{len(given)} are given"
            )
        for v in given:
            _check_range(variable, float(v), "the parameter")
        numbers = [_exact(variable.type, float(v)) for v in given]
        if any(float(n) != float(v) for n, v in zip(numbers, given)):
            raise ModelError(f"the parameter '{variable.name}' is a whole number; {shown(value)} is given")
        out.append([variable.type, [variable.reference], numbers])
    return out


def _check_range(variable: FmuVariable, value: float, what: str) -> None:
    """Raises `ModelError` for a number that the type of a variable cannot hold (it would wrap around)."""
    if variable.type not in RANGES:
        return
    least, most = RANGES[variable.type]
    if not math.isfinite(value):
        raise ModelError(f"{what} '{variable.name}' is given {value:g}, which is no finite number")
    if not (least <= round(value) <= most):
        raise ModelError(
            f"{what} '{variable.name}' is of type {variable.type}, {least:.9g} to {most:.9g}, and {value:.9g} is "
            "given; limit it"
        )


def _exact(kind: str, value: float) -> Any:
    """A number as its type holds it; whole numbers are the nearest."""
    if kind.startswith("Float"):
        return value
    return value != 0.0 if kind == "Boolean" else round(value)
