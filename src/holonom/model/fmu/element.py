"""FMUs as elements of a model: which of its quantities they take, and which inputs of the model they give."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..base import Element, ModelError, close_word, shown
from ..kinds import is_number
from ..quantity_text import unit_of
from .description import FMU_TYPES, NUMBERS, STRUCTURAL, FmuDescription, FmuVariable, read_fmu, variable_of

SHOWN = 6  # names in a warning
#: who integrates the states of an FMU
SOLVERS = ("own", "model")
#: all categories of a log
ALL = "all"


@dataclass
class FMU(Element):
    """FMU: an FMU that is stepped together with the model; ``inputs`` of it are the values of VARIABLEs, and its
    ``outputs`` those of input VARIABLEs.

    ``input_units``, ``output_units``: units of these values in the model, "" for those of the FMU.  ``parameters``:
    names and JSON texts of values.  ``step``: fixed communication step, else steps follow from ``tolerance``;
    ``sampled``: a digital controller with the period ``step``; ``time_limit`` of one of its calls [s]; ``kind``: "cs"
    (co-simulation), "me" (model exchange), "": co-simulation where the FMU has it; ``log``: categories of its log.
    ``solver``: "model": the states of an FMU for model exchange are states of the model, and its outputs are VARIABLEs
    with the function FMU(id, number); "own": it is stepped next to the model by a solver of its own.
    """

    KIND: ClassVar[str] = "FMU"
    REFERENCES: ClassVar[dict[str, str]] = {"input_variables": "VARIABLE", "output_variables": "VARIABLE"}
    SET_AS: ClassVar[dict[str, str]] = {"error": "tolerance"}
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {"solver": SOLVERS}

    path: str = ""
    inputs: tuple[str, ...] = ()
    input_variables: tuple[int, ...] = ()
    input_units: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    output_variables: tuple[int, ...] = ()
    output_units: tuple[str, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()
    step: float | None = None
    tolerance: float = 1e-4
    sampled: bool = False
    time_limit: float = 60.0
    kind: str = ""
    solver: str = "own"
    log: tuple[str, ...] = ()

    def described(self) -> FmuDescription:
        """What its file says of itself, with its structural parameters.  Raises ModelError for files that cannot be
        read, and for categories of its log that there are not."""
        found = read_fmu(self.path, self.kind).with_structure({n: json.loads(text) for n, text in self.parameters})
        log_of(found, self.log)
        return found


def fmu_faults(model: Any, e: FMU) -> Iterator[str]:
    """Invalid values, one sentence each."""
    if not e.path:
        yield "it has no path; give the file of the FMU"
    if not (e.tolerance > 0.0 and math.isfinite(e.tolerance)):
        yield f"its error must be positive, it is {e.tolerance:g}"
    if e.step is not None and not (e.step > 0.0 and math.isfinite(e.step)):
        yield f"its step must be positive, it is {e.step:g}"
    if e.sampled and e.step is None:
        yield "it is sampled without a period; give step"
    if e.kind not in ("", *FMU_TYPES):
        yield f"its kind is {shown(e.kind)}; it must be cs (co-simulation) or me (model exchange)"
    if e.solver not in SOLVERS:
        yield f"its solver is {shown(e.solver)}; it must be {' or '.join(SOLVERS)}"
    if e.solver == "model" and (e.step is not None or e.sampled):
        yield (
            "its states are integrated with those of the model, without communication steps; leave out step, or give "
            "solver='own'"
        )
    if not e.time_limit > 0.0:
        yield f"its time limit must be positive, it is {e.time_limit:g} s"
    for names, ids, units, what in (
        (e.inputs, e.input_variables, e.input_units, "inputs"),
        (e.outputs, e.output_variables, e.output_units, "outputs"),
    ):
        if not len(names) == len(ids) == len(units):
            yield f"its {what}, their VARIABLEs and their units are not of the same number"
        if len(set(names)) < len(names):
            yield f"one of its {what} is connected twice"
    table = model.table("VARIABLE")
    for n in e.output_variables:
        if n in table and not table[n].input and e.solver == "own":
            yield f"it gives the value of {table[n].label}, which is not an input; make it with model.input"


class Fmus:
    """Mixin of `Model`: FMUs."""

    # provided by Model
    units: Any

    def add(self, element: Any) -> Any: ...
    def find(self, kind: str, reference: Any) -> Any: ...
    def free_id(self, kind: str) -> int:
        raise NotImplementedError

    def table(self, kind: str) -> Any: ...
    def variable(self, function: Any = "0", name: str = "", ic: float = 0.0, id: int = 0) -> Any: ...
    def input(self, name: str, value: float = 0.0, id: int = 0) -> Any: ...
    def warn(self, text: str) -> None: ...

    def fmu(
        self,
        path: str | os.PathLike,
        inputs: Mapping[str, Any] | None = None,
        outputs: Any = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        step: float | None = None,
        error: float | None = None,
        sampled: bool = False,
        time_limit: float = 60.0,
        kind: str = "",
        solver: str = "",
        log: bool | str | Sequence[str] = (),
        name: str = "",
        id: int = 0,
    ) -> FMU:
        """FMU 2.0 or 3.0, which is stepped together with the model in a process of its own; see docs/fmi.md.

        ``inputs``: input of the FMU -> expression, number or VARIABLE, or (expression, unit).  ``outputs``: names, or
        output of the FMU -> name of the input VARIABLE that takes its value (by default ``name.output``), or that
        VARIABLE, or (one of these, unit).  Arrays: elements as ``u[1]``, or lists.  Without a unit, values are those
        of the FMU.  ``parameters``: variable -> value at the start; of a structural parameter (3.0) too, with which the
        sizes of arrays change.

        ``kind``: "cs" (co-simulation) or "me" (model exchange); by default co-simulation where the FMU has it.
        ``solver`` of an FMU for model exchange: "model" (its states are states of the model, in the same steps of the
        same integrator, and its events are located there; default) or "own" (its states are integrated in its process
        by the method of Dormand and Prince with a relative error of 1e-8; default where ``error``, ``step`` or
        ``sampled`` is given).

        Of FMUs with a solver of their own: ``error``: requested error of the coupling, as a share of the size of each
        signal (default 1e-4); ``step`` (time of the model): fixed steps instead; ``sampled``: a digital controller with
        this period, which takes its inputs at its samples and whose outputs are held.  ``time_limit``: seconds that one
        call may take.  ``log``: categories of the log of the FMU ("logEvents" ...), or True for all, whose messages
        become messages of the run; warnings do without.

        Raises `ModelError` for files that are not such FMUs, for names and units that do not fit, and for FMUs without
        a binary for this machine.

            wheel = model.fmu("wheel.fmu", {"velocity": f"VZ({hub})"}, ["force"])
            model.vforce(hub, model.ground, fz=f"VARVAL({wheel.output_variables[0]})")
        """
        if not isinstance(path, (str, os.PathLike)):
            raise ModelError(f"path is {shown(path)}; give the path of an FMU")
        for what, one in (("inputs", inputs), ("parameters", parameters)):
            if one is not None and not isinstance(one, Mapping):
                raise ModelError(f"{what} are {shown(one)}; give a dictionary from names to values")
        description = read_fmu(path, kind).with_structure(parameters or {})
        name = name or description.identifier
        element = FMU(
            path=os.fspath(path),
            name=name,
            id=id,
            step=step,
            tolerance=1e-4 if error is None else error,
            sampled=sampled,
            time_limit=time_limit,
            kind=kind,
            log=log_of(description, log),
        )
        given = _connected(description, inputs or {}, "input")
        taken = _connected(description, _named_outputs(outputs), "output")
        whole = [p for p, *_ in given if not variable_of(description, p, "input")[0].type.startswith("Float")]
        element.solver = solver or (
            "own" if not description.exchange or whole or sampled or not (step is None and error is None) else "model"
        )
        _check_solver(description, element, whole)
        if element.solver == "model":  # else references in its outputs would have no id to name
            element.id = id or self.free_id("FMU")
        variables = [self._given(name, port, value) for port, value, _ in given]
        targets = [
            self._taken(name, port, value, f"FMU({element.id},{k})" if element.solver == "model" else "")
            for k, (port, value, _) in enumerate(taken, 1)
        ]
        element.inputs, element.outputs = tuple(p for p, *_ in given), tuple(p for p, *_ in taken)
        element.input_units, element.output_units = tuple(u for *_, u in given), tuple(u for *_, u in taken)
        element.input_variables, element.output_variables = tuple(variables), tuple(targets)
        element.parameters = _parameters(description, parameters or {})
        for text in fmu_faults(self, element):
            raise ModelError(text)
        self.add(element)
        for text in _doubts(description, element, self.units):
            self.warn(f"{element.label}: {text}")
        return element

    def _given(self, name: str, port: str, value: Any) -> int:
        """Id of the VARIABLE whose value an input of an FMU is."""
        if isinstance(value, Element):
            return self.find("VARIABLE", value).id
        return self.variable(value, f"{name}.{port}").id

    def _taken(self, name: str, port: str, value: Any, function: str) -> int:
        """Id of the VARIABLE that takes the value of an output of an FMU: an input, or with a ``function``."""
        if isinstance(value, Element):
            found = self.find("VARIABLE", value)
            if function and not found.input:
                raise ModelError(f"the output '{port}' goes to {found.label}, which has a function; give an input")
            if function:
                found.input, found.function = False, function
            return found.id
        wanted = value or f"{name}.{port}"
        if not isinstance(wanted, str):
            raise ModelError(f"the output '{port}' goes to {shown(value)}; give a VARIABLE or the name of a new one")
        if any(v.name.lower() == wanted.lower() for v in self.table("VARIABLE").values()):
            other = "the VARIABLE itself" if value else "this one another name, as fmu(..., name='second')"
            raise ModelError(f"the output '{port}' goes to '{wanted}', a name that is taken; give {other}")
        return (self.variable(function, wanted) if function else self.input(wanted)).id


def log_of(description: FmuDescription, given: bool | str | Sequence[str] | None) -> tuple[str, ...]:
    """Categories of its log that an FMU reports.  ``given``: names, True for all (`ALL`), or nothing.  Raises
    ModelError for others."""
    if given is True or given in (ALL, (ALL,), [ALL]):
        return (ALL,)
    names = (given,) if isinstance(given, str) else given or ()
    if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
        raise ModelError(f"'{description.path}': log is {shown(given)}; give True or a list of categories")
    for n in names:
        if n not in description.categories:
            meant = close_word(n, description.categories)
            hint = f"did you mean '{meant}'?" if meant else f"it has {', '.join(description.categories) or 'none'}"
            raise ModelError(f"'{description.path}': its log has no category '{n}'; {hint}")
    return tuple(names)


def _check_solver(description: FmuDescription, element: FMU, whole: list[str]) -> None:
    """Raises ModelError where the states of the FMU cannot be those of the model; ``whole``: inputs that are no
    floating-point numbers."""
    if element.solver == "model" and not description.exchange:
        raise ModelError(f"'{description.path}' is taken for co-simulation, which has its own solver; give kind='me'")
    if element.solver == "model" and whole:
        raise ModelError(
            f"'{description.path}': the input '{whole[0]}' changes in events only, so that it cannot follow the model "
            "within its steps; give solver='own'"
        )


def _named_outputs(outputs: Any) -> Mapping[str, Any]:
    """Outputs by name; those of a list get names of their own."""
    if outputs is None:
        return {}
    if isinstance(outputs, Mapping):
        return outputs
    if not isinstance(outputs, (list, tuple)) or not all(isinstance(o, str) for o in outputs):
        raise ModelError(f"outputs are {shown(outputs)}; give a list of names, or a dictionary name -> VARIABLE")
    return dict.fromkeys(outputs)


def _connected(description: FmuDescription, given: Mapping[str, Any], causality: str) -> list[tuple[str, Any, str]]:
    """(port, value, unit) of every number that is connected; arrays element by element."""
    out: list[tuple[str, Any, str]] = []
    for port, value in given.items():
        variable, index = variable_of(description, port, causality)
        unit = ""
        one = variable.size == 1 or index is not None
        if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], str) and (one or _is_unit(value[1])):
            value, unit = value
            if one:
                unit_of(unit)
        description.scale(variable, unit)
        if variable.size == 1 or index is not None:
            if variable.dimensions and index is None and isinstance(value, (list, tuple)) and len(value) == 1:
                value = value[0]  # an array of one value
            if isinstance(value, (list, tuple)):
                raise ModelError(f"the {causality} '{port}' has one value, and {len(value)} are given")
            out.append((port, value, unit))
            continue
        several = list(value) if isinstance(value, (list, tuple)) else [None] * variable.size
        if (value is not None and not isinstance(value, (list, tuple))) or len(several) != variable.size:
            raise ModelError(f"the {causality} '{port}' has {variable.size} values; give a list of as many")
        out += [(f"{port}[{k}]", one, unit) for k, one in enumerate(several, 1)]
    return out


def _is_unit(text: str) -> bool:
    try:
        unit_of(text)
    except ModelError:
        return False
    return bool(text)


def _parameters(description: FmuDescription, given: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Names and JSON texts of values."""
    out = []
    for name, value in given.items():
        parameter_of(description, name)
        plain = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
        flat = plain if isinstance(plain, (list, tuple)) else [plain]
        if not all(isinstance(v, (bool, str)) or is_number(v) for v in flat):
            raise ModelError(f"the parameter '{name}' is {shown(value)}; give a number, a list of numbers or a text")
        out.append((name, json.dumps(plain)))
    return tuple(out)


def parameter_of(description: FmuDescription, name: str) -> FmuVariable:
    """A variable whose value may be given before the initialisation: a parameter, or another one with a start value.
    Raises `ModelError` for others."""
    found = description.variables.get(name)
    if found is not None and (
        found.causality == STRUCTURAL or found.start is not None and found.causality in ("output", "local")
    ):
        return found
    return variable_of(description, name, "parameter")[0]


def _doubts(description: FmuDescription, element: FMU, units: Any) -> Iterator[str]:
    """Inputs that are not connected, and numbers whose units may not be those of the model."""
    connected = {variable_of(description, n, "input")[0].name for n in element.inputs}
    free = [
        v
        for v in description.variables.values()
        if v.causality == "input" and v.name not in connected and v.type in NUMBERS
    ]
    if free:
        unsaid = lambda v: 0 if v.size == 1 else "those of the FMU"
        shorter = ", ".join(f"'{v.name}' = {v.start or unsaid(v)}" for v in free[:SHOWN])
        yield (
            f"an input is not connected and keeps its start value: {shorter}"
            if len(free) == 1
            else f"{len(free)} inputs are not connected and keep their start values: {shorter}"
        )
    own = (units.si_length, units.si_mass, units.si_time)
    for names, given, causality in (
        (element.inputs, element.input_units, "input"),
        (element.outputs, element.output_units, "output"),
    ):
        for port, unit in zip(names, given):
            variable = variable_of(description, port, causality)[0]
            known = description.units.get(variable.unit)
            if unit or known is None:
                continue
            size = math.prod(u**e for u, e in zip(own, known.exponents[:3]))
            if abs(known.factor / size - 1.0) > 1e-9 or known.offset:
                yield (
                    f"the {causality} '{port}' is in {variable.unit}, which is not a unit of the model; its values are "
                    f"exchanged as they are: give them in {variable.unit}, or name their unit as (value, unit)"
                )
