"""FMUs for model exchange whose states are states of the model: one instance for each element and simulation, which
gives rates, outputs and event indicators to the equations of whichever system is analysed.

At the beginning, inputs and outputs are made consistent in initialisation mode; then the FMU is in continuous time,
but for the events that a dynamic analysis locates (`dynamics.fmu_events`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...expressions import Call, Number
from ...integrators.stepper import IntegrationError
from ...model import ModelError
from ...model.fmu import FMU
from ...model.fmu.element import parameter_of
from ...system.output_kernels import evaluate_outputs
from ...system.outputs import Followed
from .components import _Values, start_values
from .in_model import ports_of
from .process import FmuFailed, FmuProcess
from .worker import LEVELS, OUTPUTS, RATES, WITH_INPUTS

SWEEPS, LOOP = 40, 1e-10  # of inputs and outputs at the start: most repetitions, change of a value that ends them
NOISE = 1e-9  # of its unit: a value that is none
SAME = 1e-12  # of a time


class InsideFmu:
    """One FMU, and the port through which equations ask it (`system.fmu_functions.FmuPort`).  Values are those of the
    model; ``second``: the model's unit of time [s]."""

    def __init__(self, e: FMU, description: Any, start: float, second: float) -> None:
        self.element, self.second = e, second
        self.count = description.state_count
        parameters = [(parameter_of(description, n), json.loads(text)) for n, text in e.parameters]
        self.inputs = ports_of(description, e.inputs, e.input_units, "input")
        self.outputs = ports_of(description, e.outputs, e.output_units, "output")
        self._in, self._out = _Values(self.inputs), _Values(self.outputs)
        self.completes = description.completes
        self.running = False
        self.calls = 0  # evaluations of it in continuous time
        #: time of the last event; of the next one that the FMU has named
        self.time, self.next = start, np.inf
        self.process = FmuProcess(description, e.label, e.time_limit, e.log)
        try:
            self.process.ask("enter", start=start * second, tolerance=None, **start_values(parameters))
        except BaseException:
            self.process.close()
            raise
        self._asked: tuple | None = None
        self._told: tuple | None = None  # inputs of it
        self._rates: Sequence[float] = ()
        self._values: Sequence[float] = ()
        self._places = self._flat_places()

    def _flat_places(self) -> list[int]:
        """Where each output is among the values of all groups."""
        first = np.cumsum([0, *(len(values) for *_, values in self._out.groups)])
        return [int(first[k]) + at for k, at in self._out.places]

    # ---- initialisation ---------------------------------------------------------------------------------------------
    def initial(self, inputs: Sequence[float] | None) -> None:
        """Inputs in initialisation (None: as they are), and the outputs that they lead to."""
        found = self.process.ask("values", set=[] if inputs is None else self._groups(inputs), get=self._out.counts())
        self._values = self._of_fmu([v for group in found for v in group])

    def leave(self) -> np.ndarray:
        """Continuous time begins: the states there."""
        self.process.ask("leave")
        inputs = [[kind, references, len(values)] for kind, references, values in self._in.groups]
        count, self.levels_count = self.process.ask("wire", args=[inputs, self._out.counts()])
        if count != self.count:
            raise self.element.error(f"its description has {self.count} states, and its binary {count}; fix the FMU")
        self.running = True
        return self._now(self.process.ask("now"), self.time)

    # ---- in continuous time -----------------------------------------------------------------------------------------
    def rates(self, t: float, states: Sequence[float], inputs: Sequence[float]) -> Sequence[float]:
        """Rates of the states, in the model's unit of time."""
        if not self.running:
            return [0.0] * self.count
        self._ask(t, states, tuple(inputs))
        return self._rates

    def outputs_at(self) -> Sequence[float]:
        """Outputs of the last request."""
        return self._values

    def _ask(self, t: float, states: Sequence[float], inputs: tuple | None) -> None:
        key = (t, *states)
        if key == self._asked and inputs in (None, self._told):
            return
        flags = OUTPUTS | (RATES | WITH_INPUTS if inputs is not None else 0)
        found = self._numbers(flags, t, states, inputs or ())
        n = self.count if inputs is not None else 0
        self._values = self._of_fmu(found[n:])
        self._rates = [self.second * v for v in found[:n]]
        self._asked, self._told = key, inputs

    def _numbers(self, flags: int, t: float, states: Sequence[float], inputs: Sequence[float]) -> Sequence[float]:
        self.calls += 1
        given = [t * self.second, *states]
        if flags & WITH_INPUTS:
            for *_, values in self._groups(inputs):
                given += values
        return self.process.numbers(flags, given, f"an evaluation at {t * self.second:.9g} s")

    def levels(self, t: float, states: Sequence[float], inputs: Sequence[float]) -> np.ndarray:
        """Event indicators."""
        self._asked = None
        return np.array(self._numbers(LEVELS | WITH_INPUTS, t, states, inputs), float)

    def event(self, t: float, states: Sequence[float], inputs: Sequence[float]) -> np.ndarray:
        """An event at a time: the states after it."""
        self._asked = None
        args = [t * self.second, list(states), self._groups(inputs)]
        return self._now(self.process.ask("at_event", f" at {t * self.second:.9g} s", args=args), t)

    def _now(self, found: list, t: float) -> np.ndarray:
        states, following, levels = found
        self.time = t
        self.next = np.inf if following is None else following / self.second
        self.positive = np.array(levels) > 0.0
        self._asked = None
        return np.array(states, float)

    def complete(self, t: float, states: Sequence[float], inputs: Sequence[float]) -> bool:
        """A step ends there; whether the FMU requests an event."""
        args = [t * self.second, list(states), self._groups(inputs)]
        self._asked = None
        return bool(self.process.ask("complete", f" at {t * self.second:.9g} s", args=args))

    # ---- states of the whole FMU ------------------------------------------------------------------------------------
    def keep(self, number: int) -> tuple:
        """All that is needed to come back here."""
        self.process.ask("now", before=[["keep", number]])
        return self.time, self.next, self.positive

    def restore(self, number: int, kept: tuple) -> None:
        self.process.ask("now", before=[["restore", number]])
        self.time, self.next, self.positive = kept
        self._asked = None

    # ---- values -----------------------------------------------------------------------------------------------------
    def _groups(self, inputs: Sequence[float]) -> list:
        return self._in.filled([p.factor * v + p.offset for p, v in zip(self.inputs, inputs)])

    def _of_fmu(self, found: Sequence[float]) -> list[float]:
        return [(found[at] - p.offset) / p.factor for at, p in zip(self._places, self.outputs)]


class _Port:
    """How equations see an FMU (`system.fmu_functions.FmuPort`)."""

    def __init__(self, fmu: InsideFmu) -> None:
        self._fmu = fmu
        self.rates = fmu.rates

    def outputs(self, t: float, states: Sequence[float], inputs: Sequence[float] | None) -> Sequence[float]:
        """All outputs."""
        fmu = self._fmu
        if fmu.running:
            fmu._ask(t, states, None if inputs is None else tuple(inputs))
        elif inputs is not None or not fmu.outputs_at():
            fmu.initial(inputs)
        return fmu.outputs_at()


class Signals:
    """Inputs and states of the FMUs of one system at any of its states."""

    def __init__(self, sim: Any, system: Any, fmus: list[InsideFmu]) -> None:
        self.sim, self.system, self.fmus = sim, system, fmus
        nodes = [
            (Call("VARVAL", (Number(float(v)),)), f.element.label) for f in fmus for v in f.element.input_variables
        ]
        self._followed = Followed(system, nodes) if nodes else None
        self._late = self._followed is not None and not bool(self._followed.known.all())
        counts = np.cumsum([0, *(len(f.element.input_variables) for f in fmus)])
        self._inputs = [slice(a, b) for a, b in zip(counts[:-1], counts[1:])]
        first = system.bodies.end
        self._states = []
        for f in fmus:
            at = first + (system.functions.state_number(("FMU", f.element.id, 1)) if f.count else 0)
            self._states.append(slice(at, at + f.count))

    def inputs(self, t: float, y: np.ndarray) -> list[list[float]]:
        """Of each FMU."""
        if self._followed is None:
            return [[] for _ in self.fmus]
        if self._late:
            self.sim.recorder.evaluate(t, y.copy(), 0)
            followed = self._followed
            followed.values(t, y)
            evaluate_outputs(followed.handle, t, y)
            values = followed.W.f.fval[followed._functions]
        else:
            values = self._followed.values(t, y)
        if not np.isfinite(values).all():
            raise IntegrationError(f"an input of {self.fmus[0].element.label} is not a finite number", t)
        return [values[part].tolist() for part in self._inputs]

    def states(self, y: np.ndarray) -> list[list[float]]:
        """Of each FMU."""
        return [y[part].tolist() for part in self._states]

    def put(self, k: int, states: np.ndarray, y: np.ndarray) -> None:
        """States of FMU ``k`` in y."""
        y[self._states[k]] = states


class InsideFmus:
    """All FMUs of a simulation whose states are those of the model."""

    def __init__(self, sim: Any) -> None:
        self.sim = sim
        self.of: dict[int, InsideFmu] = {}
        self._kept = 0

    def attach(self, system: Any) -> None:
        """Let the equations of a system ask the FMUs, which are started for that.  Raises ModelError for FMUs that
        cannot be started."""
        functions = system.functions.fmus
        for e in functions.elements:
            if e.id not in self.of:
                model = self.sim.model
                description = functions.descriptions[e.id]
                self.of[e.id] = InsideFmu(e, description, float(self.sim.time), model.units.si_time)
            functions.ports[e.id] = _Port(self.of[e.id])

    def present(self, system: Any) -> list[InsideFmu]:
        """Those of a system."""
        return [self.of[e.id] for e in system.functions.fmus.elements]

    def begin(self, system: Any, t: float, y: np.ndarray) -> None:
        """FMUs that have just been started begin at (t, y), into which their states go.  Raises ModelError for
        algebraic loops that do not converge, and where the FMUs are at another time."""
        fmus = self.present(system)
        for f in fmus:
            if f.running and f.time > t + SAME * max(abs(t), abs(f.time)):
                raise f.element.error(
                    f"it is at time {f.time:.9g}, and the simulation is at {t:.9g}: its state is not part of a saved "
                    "state; begin another Simulation"
                )
        fresh = [f for f in fmus if not f.running]
        if not fresh:
            return
        signals = Signals(self.sim, system, fmus)
        before: list[list[float]] | None = None
        for _ in range(SWEEPS):
            try:
                given = signals.inputs(t, y)
            except IntegrationError:  # not finite
                before = None
                continue
            for f, inputs in zip(fmus, given):
                if not f.running:
                    f.initial(inputs)
            if before is not None and _close(before, given):
                break
            before = given
        else:
            names = [f"'{f.element.name}.{n}'" for f in fresh for n in f.element.inputs]
            raise ModelError(
                f"the signals {', '.join(names[:6])} depend on each other in an algebraic loop, whose values at the "
                "start do not converge; put a filter or an integrator into the loop"
            )
        for k, f in enumerate(fmus):
            if not f.running:
                f.time = t
                signals.put(k, f.leave(), y)

    def keep(self) -> dict[int, tuple]:
        """States of all FMUs, for `restore`.  Raises ModelError for FMUs that do not give theirs."""
        self._kept += 1
        out = {}
        for n, f in self.of.items():
            if not f.process.description.rolls_back:
                raise f.element.error(
                    "it cannot return to an earlier state (its file does not state canGetAndSetFMUState), so that no "
                    "snapshot can be taken"
                )
            out[n] = self._kept, f.keep(self._kept)
        return out

    def restore(self, kept: dict[int, tuple]) -> None:
        """Back to what `keep` has kept."""
        for n, (number, more) in kept.items():
            self.of[n].restore(number, more)

    def drop(self, kept: dict[int, tuple]) -> None:
        """A state is no longer needed."""
        for n, (number, _) in kept.items():
            f = self.of.get(n)
            if f is not None and f.process._end.alive:
                try:
                    f.process.ask("now", before=[["drop", number]])
                except FmuFailed:
                    pass

    def close(self) -> None:
        """End the processes."""
        for f in self.of.values():
            f.process.close()


def _close(a: list[list[float]], b: list[list[float]]) -> bool:
    return all(abs(x - z) <= LOOP * max(abs(x), abs(z), NOISE) for p, q in zip(a, b) for x, z in zip(p, q))
