"""FMUs for model exchange in the equations of a system: x' = f(t, x, u), y = g(t, x, u), whose states are states of the
model.

The FMU runs elsewhere (`analyses.cosimulation.inside`), which attaches one port to each element here; functions are
components of routines that call it.  Outputs that do not depend directly on an input are read without inputs, so that
they close no algebraic loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

from ..expressions import ExpressionError
from ..model import ModelError
from ..model.fmu.description import variable_of

if TYPE_CHECKING:
    from .function_set import FunctionSet

WIDTH = 16  # numbers that one routine returns (`callbacks`)


class FmuPort(Protocol):
    """What gives the rates of states (unit of the model's time) and all outputs at a time, states and inputs of the
    model; ``inputs`` None: as they are."""

    def rates(self, t: float, states: Sequence[float], inputs: Sequence[float]) -> Sequence[float]: ...
    def outputs(self, t: float, states: Sequence[float], inputs: Sequence[float] | None) -> Sequence[float]: ...


class FmuRoutine:
    """Numbers ``first`` to ``last`` of the rates, or of outputs, of one FMU."""

    zero = False
    name = "FMU"

    def __init__(self, owner: FmuFunctions, functions: FunctionSet, element: Any, what: str, numbers: range) -> None:
        self.owner, self.element, self.what, self.numbers = owner, element, what, numbers
        self.states = owner.counts[element.id]
        self.inputs = [0, *(functions.state(("FMU", element.id, k + 1)) for k in range(self.states))]
        if what != "own":
            self.inputs += [functions.variable(v) for v in element.input_variables]

    def __call__(self, values: Sequence[float]) -> list[float]:
        port = self.owner.ports.get(self.element.id)
        if port is None and self.owner.builder.system.ignore_missing:
            return [0.0] * len(self.numbers)
        if port is None:
            raise ModelError("the FMU does not run in this analysis; deactivate it, or give solver='own'")
        n = 1 + self.states
        t, states, inputs = values[0], values[1:n], None if self.what == "own" else values[n:]
        if self.what == "rates":
            assert inputs is not None
            every = port.rates(t, states, inputs)
        else:
            every = port.outputs(t, states, inputs)
        return [every[k] for k in self.numbers]


class FmuFunctions:
    """The FMUs of a system whose states are its own; ``ports`` by the id of the element, once they run."""

    def __init__(self, builder: Any) -> None:
        self.builder, self.model = builder, builder.model
        self.elements = [e for e in self.model.table("FMU").values() if e.active and e.solver == "model"]
        self.descriptions = {e.id: e.described() for e in self.elements}
        self.counts = {n: d.state_count for n, d in self.descriptions.items()}
        self.ports: dict[int, FmuPort] = {}

    def register_states(self, add: Any) -> None:
        """Register all states: ``add(key, start)``; values at the start are those that the FMU has then."""
        for e in self.elements:
            for k in range(self.counts[e.id]):
                add(("FMU", e.id, k + 1), 0.0)

    def output(self, functions: FunctionSet, element: Any, component: int) -> int:
        """Input that carries output ``component`` (from 1) of an FMU."""
        if element.id not in self.counts:
            why = "not active" if element.solver == "model" else "stepped by its own solver"
            raise ExpressionError(f"{element.label} is {why}, so FMU({element.id},{component}) has no value")
        if not 1 <= component <= len(element.outputs):
            raise ExpressionError(
                f"{element.label} has {len(element.outputs)} connected outputs, no output {component}"
            )
        k = component - 1
        description = self.descriptions[element.id]
        direct = variable_of(description, element.outputs[k], "output")[0].name in description.fed
        return functions.carrier(
            ("FMU", element.id, component),
            lambda: self._function(functions, element, "outputs" if direct else "own", k),
        )

    def rate(self, functions: FunctionSet, key: tuple) -> int:
        """Function of the rate of a state."""
        return self._function(functions, self.model.table("FMU")[key[1]], "rates", key[2] - 1)

    def _function(self, functions: FunctionSet, element: Any, what: str, k: int) -> int:
        """Function of number ``k`` of the rates or outputs, a component of a routine of `WIDTH` of them."""
        first = k - k % WIDTH
        size = self.counts[element.id] if what == "rates" else len(element.outputs)
        routine = FmuRoutine(self, functions, element, what, range(first, min(first + WIDTH, size)))
        whose = SimpleNamespace(KIND=f"FMU {what} {first}", id=element.id, label=element.label)
        return functions.own_function(whose, routine, k - first)
