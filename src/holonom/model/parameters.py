"""Parameters: named numbers that a model is built with, and numbers of its elements by address.

A `Parameter` is given to builder methods in place of a number or a point.  The call is recorded, with all later ones
that were given elements of it, and `with_values` repeats them in their order with other values on a copy of the model:
what a script with other numbers would have written.  What was found by an id or a name alone keeps its numbers.

A `Number` addresses one number (or a vector) of an element: ``SPRINGDAMPER/3.K``, ``BUSHING/2.K(3)``, the n-th
constant of an expression ``SFORCE/1.FUNCTION(2)``.  Indices count from 1.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np

from .base import Element, ModelError, did_you_mean, shown
from .constants import constants_of
from .kinds import misfit
from .quantities import (
    Made,
    Number,
    Parameter,
    Quantity,
    Value,
    component_of,
    entry_of,
    flat_numbers,
    numbers_of_table,
    plain_value,
)

F = TypeVar("F", bound=Callable[..., Any])

_ADDRESS = re.compile(r"([A-Za-z_]\w*)/(\d+)\.([A-Za-z_]\w*)(?:\((\w+)\))?", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_BRACKETS = re.compile(r"(.+)\[[-\w]*\]")
#: what a model has in addition to its elements
SETTINGS = ("gravity", "integrator", "equilibrium", "kinematics", "initial", "rigid")
#: fields by the names that builder methods give them
FIELD_NAMES = {
    "stiffness": ("k", "kt"),
    "damping": ("c", "ct"),
    "rotational_stiffness": ("kt",),
    "rotational_damping": ("ct",),
    "inertia": ("ip",),
    "position": ("qg", "qp"),
    "series_stiffness": ("k_series",),
    "restitution": ("restitution", "e"),
}


# ---- what a model keeps --------------------------------------------------------------------------------------------
@dataclass
class Call:
    """A builder call with quantities: method, arguments, and the elements that it made with their fields.

    ``whole``: of a model that is made anew, as a file that computes with variables is (`record_whole`): the method
    takes the values and returns the fields.
    """

    method: Callable
    args: tuple
    words: dict[str, Any]
    names: frozenset[str]
    made: list[tuple[str, int, int]]  # kind, id, highest id of the kind before
    fields: dict[tuple[str, int], dict[str, Any]]
    whole: bool = False


@dataclass
class Shift:
    """A linear use: the number moves by ``factor`` times the change of a component of the parameter."""

    number: Number
    name: str
    component: int
    factor: float


@dataclass
class Parameters:
    """Parameters of one model, by name, and where they are used."""

    model: Any
    table: dict[str, Parameter] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    shifts: list[Shift] = field(default_factory=list)
    gravity: tuple | None = None
    variables: dict[str, int] = field(default_factory=dict)
    #: elements that were made with parameters -> names of these: what is built upon them follows
    made: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)
    #: elements that a call with parameters was given -> names of these: the call reads where they are
    read: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)
    #: what makes the whole model from values (`record_whole`), as a command file
    source: Callable[[Mapping[str, Value]], Any] | None = None
    #: variables of a file that are no parameters -> why
    unfit: dict[str, str] = field(default_factory=dict)

    def __call__(self) -> dict[str, Parameter]:
        return self.table

    def items(self) -> Any:
        return self.table.items()

    def in_text(self, parameter: Parameter) -> str:
        """``VARVAL(id)`` of the VARIABLE that holds a parameter in functions."""
        if self.table.get(parameter.name) is not parameter:
            raise ModelError(f"{parameter!r} belongs to another model")
        if parameter.size != 1:
            raise ModelError(f"parameter '{parameter.name}' is a point; a function takes numbers")
        if parameter.name not in self.variables:
            made = self.model.variable(parameter, name=f"parameter_{parameter.name}")
            self.variables[parameter.name] = made.id
        return f"VARVAL({self.variables[parameter.name]})"

    def of_copy(self, model: Any) -> Parameters:
        """The same for a copy of the model."""
        twin = Parameters(
            model,
            {},
            list(self.calls),
            list(self.shifts),
            self.gravity,
            dict(self.variables),
            dict(self.made),
            dict(self.read),
            self.source,
        )
        twin.table = {n: Parameter(twin, n, p.value, p.low, p.high, p.unit) for n, p in self.table.items()}
        return twin


def parameters_of(model: Any) -> Parameters:
    """What a model keeps of its parameters."""
    kept = vars(model).get("_parameters")
    if kept is None:
        kept = Parameters(model)
        vars(model)["_parameters"] = kept
    return kept


def declare(model: Any, name: str, value: Any, low: Any, high: Any, unit: str, moves: Any) -> Parameter:
    """A new parameter of a model; see `Model.parameter`."""
    kept = parameters_of(model)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ModelError(f"a parameter cannot be named {shown(name)}; give letters, digits and _, a letter first")
    if name in kept.table:
        raise ModelError(f"there is a parameter '{name}' already; give each a name of its own")
    if not isinstance(unit, str):
        raise ModelError(f"parameter '{name}': unit is {shown(unit)}; give a text")
    value = plain_value(name, value)
    bounds = []
    for what, bound in (("low", low), ("high", high)):
        bound = None if bound is None else plain_value(f"{what} of parameter '{name}'", bound)
        if bound is not None and isinstance(value, tuple) and not isinstance(bound, tuple):
            bound = (bound,) * len(value)
        if isinstance(bound, tuple) and (not isinstance(value, tuple) or len(bound) != len(value)):
            raise ModelError(f"parameter '{name}': {what} is {shown(bound)}; give as many numbers as its value has")
        bounds.append(bound)
    parameter = Parameter(kept, name, value, bounds[0], bounds[1], unit)
    for a, b in zip(_listed(bounds[0]), _listed(bounds[1])):
        if a > b:
            raise ModelError(f"parameter '{name}': low {a:g} is above high {b:g}; exchange them")
    within(parameter, value)
    kept.table[name] = parameter
    try:
        for element in [moves] if isinstance(moves, Element) else moves or ():
            kept.shifts += _moved(model, parameter, element)
    except ModelError:
        del kept.table[name]
        raise
    return parameter


def _moved(model: Any, parameter: Parameter, element: Any) -> Iterator[Shift]:
    """Uses of a hardpoint: the markers of an element move with it, by the same way in ground."""
    if parameter.size != 3:
        raise ModelError(f"parameter '{parameter.name}': moves= takes a point as its value, three coordinates")
    if not isinstance(element, Element):
        raise ModelError(f"parameter '{parameter.name}': moves holds {shown(element)}; give joints, forces or markers")
    element = model.find(element.KIND, element)
    if element.KIND == "PART":
        raise element.error(f"parameter '{parameter.name}' cannot move a part; give its markers, or position= of it")
    markers = [element.id] if element.KIND == "MARKER" else list(element.ports)
    if not markers:
        raise element.error(f"it has no markers that parameter '{parameter.name}' could move")
    taken = {(s.number.id, s.number.index) for s in parameters_of(model).shifts if s.name == parameter.name}
    for number in markers:
        marker = model.find("MARKER", number)
        if marker.floating:
            continue
        A = model.body_frame(marker).axes
        for row in range(3):
            if (number, row + 1) in taken:
                continue
            for c in range(3):
                if A[c, row] != 0.0:
                    yield Shift(Number("MARKER", number, "qp", row + 1), parameter.name, c, float(A[c, row]))


def within(parameter: Parameter, value: Value) -> None:
    """Raise `ModelError` for a value out of the bounds of a parameter."""
    for v, a, b in zip(_listed(value), _filled(parameter.low, value), _filled(parameter.high, value)):
        if (a is not None and v < a) or (b is not None and v > b):
            raise ModelError(
                f"parameter '{parameter.name}' is {v:g}, outside of its bounds "
                f"{'-infinity' if a is None else format(a, 'g')} to {'infinity' if b is None else format(b, 'g')}"
            )


def _listed(value: Any) -> tuple:
    return () if value is None else value if isinstance(value, tuple) else (value,)


def _filled(bound: Any, value: Any) -> tuple:
    return (None,) * len(_listed(value)) if bound is None else _listed(bound)


# ---- calls with parameters -----------------------------------------------------------------------------------------
def quantities_in(value: Any) -> Iterator[Quantity]:
    """Quantities in an argument, also inside lists, tables and arrays."""
    if isinstance(value, Quantity):
        yield value
    elif isinstance(value, Made):
        yield from quantities_in((value.arguments, value.words))
    elif isinstance(value, (tuple, list)):
        for v in value:
            yield from quantities_in(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from quantities_in(v)
    elif isinstance(value, np.ndarray) and value.dtype == object:
        for v in value.ravel():
            yield from quantities_in(v)


def replaced(value: Any, values: Mapping[str, Value], model: Any = None) -> Any:
    """An argument with numbers in place of quantities, and elements of ``model`` in place of those of the original."""
    if isinstance(value, Quantity):
        return value.at(values)
    if isinstance(value, Made):
        return value.function(*replaced(value.arguments, values), **replaced(value.words, values))
    if isinstance(value, Element):
        return value if model is None else model.table(value.KIND).get(value.id, value)
    if isinstance(value, (tuple, list)):
        return type(value)(replaced(v, values, model) for v in value) if type(value) in (tuple, list) else value
    if isinstance(value, dict):
        return {k: replaced(v, values, model) for k, v in value.items()}
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.array([replaced(v, values, model) for v in value.ravel()]).reshape(value.shape)
    return value


def begun(model: Any, args: tuple, words: dict[str, Any]) -> tuple[tuple, dict[str, Any], frozenset[str]]:
    """Arguments of a builder call with numbers in place of parameters, and the names of these."""
    kept = parameters_of(model)
    found = list(quantities_in(args)) + list(quantities_in(words))
    inherited = _inherited(kept, args) | _inherited(kept, words) if kept.made else frozenset()
    if not found:
        return args, words, inherited
    for q in found:
        if q.owner is not kept:
            raise ModelError(f"{q!r} belongs to another model; make one with model.parameter(...)")
    values = {n: p.value for n, p in kept.items()}
    names = frozenset().union(*(q.names for q in found)) | inherited
    return replaced(args, values), replaced(words, values), names


def _inherited(kept: Parameters, value: Any) -> frozenset[str]:
    """Parameters with which the elements in an argument were made.  A whole number may be the id of a marker, as
    ``part.cm`` is: a call that is repeated for a number that only looks like one gives the same again."""
    if isinstance(value, Element):
        return kept.made.get((value.KIND, value.id), frozenset())
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return kept.made.get(("MARKER", int(value)), frozenset())
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return frozenset().union(*(_inherited(kept, v) for v in value))
    return frozenset()


def record(model: Any, method: Callable, args: tuple, words: dict[str, Any], names: frozenset, made: list) -> None:
    """Keep a builder call that was made with parameters.

    Raises `ModelError` for one that made no element: it cannot be repeated with other values, since what it changed has
    changed already.
    """
    if not made:
        taken = ", ".join(sorted(n for q in (*quantities_in(args), *quantities_in(words)) for n in q.names))
        if not taken:  # only elements that parameters made, such as those of a renaming
            return
        raise ModelError(
            f"{method.__name__} changes what is there and would not follow the parameter {taken}; give the parameter "
            "where the element is made, or its number as .value"
        )
    keep = lambda v: list(v) if isinstance(v, list) else v
    fields = {(kind, n): dict(fields_of(model.table(kind)[n])) for kind, n, _ in made if n in model.table(kind)}
    call = Call(method, tuple(map(keep, args)), {k: keep(v) for k, v in words.items()}, names, list(made), fields)
    parameters_of(model).calls.append(call)
    kept = parameters_of(model)
    kept.made |= dict.fromkeys(fields, names)
    for key in (*_elements_in(args), *_elements_in(tuple(words.values()))):
        kept.read[key] = kept.read.get(key, frozenset()) | names


def with_parameters(*names: str) -> Callable[[F], F]:
    """A function of a model, which adds elements to it, that takes parameters for its arguments of these ``names``, as
    builder methods do: it is repeated with other values (a decorator)."""

    def wrap(function: F) -> F:
        order = list(inspect.signature(function).parameters)

        @functools.wraps(function)
        def call(model: Any, *args: Any, **words: Any) -> Any:
            kept = vars(model).get("_parameters") if hasattr(model, "__dict__") else None
            if kept is None or vars(model).get("_building") is not None:
                return function(model, *args, **words)
            plain, plain_words, found = begun(model, args, words)
            for word, value in (*zip(order[1:], args), *words.items()):
                if word not in names and (taken := sorted(n for q in quantities_in(value) for n in q.names)):
                    raise ModelError(
                        f"{function.__name__}: {word} takes no parameter ({', '.join(taken)}); its {', '.join(names)} "
                        "do, others take numbers (.value)"
                    )
            if not found:
                return function(model, *args, **words)
            made: list[tuple[str, int, int]] = []
            vars(model)["_building"] = made
            try:
                out = function(model, *plain, **plain_words)
                record(model, function, args, words, found, made)
            except ModelError:
                model._withdraw(made)
                raise
            finally:
                vars(model).pop("_building", None)
            return out

        return cast(F, call)

    return wrap


def record_whole(model: Any, make: Callable[[Mapping[str, Value]], Any], names: Iterable[str]) -> None:
    """All elements of a model follow parameters of it that are there already: ``make(values)`` makes the whole model
    anew.  Raises `ModelError` then where gravity or settings follow too, which are no numbers of elements."""
    kept, taken = parameters_of(model), frozenset(names)
    settings = {what: copy.copy(getattr(model, what)) for what in SETTINGS}
    fields = {(e.KIND, e.id): dict(fields_of(e)) for e in model}
    here = {n: p.value for n, p in kept.items() if n in taken}

    def fields_at(values: Mapping[str, Value]) -> dict[tuple[str, int], dict[str, Any]]:
        if all(values[n] == x for n, x in here.items()):  # differences come back here after each point
            return {key: {n: dict(v) if isinstance(v, dict) else v for n, v in f.items()} for key, f in fields.items()}
        fresh = make({n: values[n] for n in taken})
        for what, value in settings.items():
            if getattr(fresh, what) != value:
                raise ModelError(
                    f"{what} follows from {', '.join(sorted(taken))}; a parameter of a file may decide numbers of "
                    "elements alone"
                )
        return {(e.KIND, e.id): dict(fields_of(e)) for e in fresh}

    made = [(kind, n, n - 1) for kind, n in fields]
    kept.calls.append(Call(fields_at, (), {}, taken, made, fields, whole=True))
    kept.made |= dict.fromkeys(fields, taken)
    kept.source = make


def _elements_in(value: Any) -> Iterator[tuple[str, int]]:
    if isinstance(value, Element):
        yield value.KIND, value.id
    elif isinstance(value, (tuple, list)):
        for v in value:
            yield from _elements_in(v)


def refuse_late_change(
    model: Any, what: str, element: Any, sources: Iterable[Any] = (), repeated: Iterable[Any] = ()
) -> None:
    """Raise `ModelError` where a call that changes an element, ``what``, comes after calls with parameters on which it
    depends: with other values these are repeated, and this one is not.

    Without ``sources`` they are those that made the element or read where it is; else those that made one of
    ``sources``.  ``repeated``: arguments of the call: with parameters that made these it is repeated.
    """
    kept = vars(model).get("_parameters")
    if kept is None:
        return
    now = {(kind, n) for kind, n, _ in vars(model).get("_building") or ()}  # by the same call
    keys = {(e.KIND, e.id) for e in sources or (element,)} - now
    names = {n for key in keys for table in (kept.made, {} if sources else kept.read) for n in table.get(key, ())}
    names -= {n for e in repeated for n in kept.made.get((e.KIND, e.id), ())}
    if names:
        raise element.error(
            f"{what} would not follow other values of {', '.join(sorted(names))}; call it before the parameter is "
            "given, or give the numbers where the element is made"
        )


def fields_of(element: Any) -> Iterator[tuple[str, Any]]:
    for f in dataclasses.fields(element):
        if f.name not in ("id", "name", "source"):
            value = getattr(element, f.name)
            yield f.name, dict(value) if isinstance(value, dict) else value


def repeat(model: Any, call: Call, values: Mapping[str, Value]) -> dict[tuple[str, int], dict[str, Any]]:
    """Fields of the elements that a builder call makes with these values.  The model is left as it was."""
    if call.whole:
        whole = call.method(values)
        _same_elements(call, whole)
        return whole
    gone = {(kind, n) for kind, n, _ in call.made}
    kinds = {kind for kind, _, _ in call.made}
    tables, names, highest = model._tables, model._names, model._highest
    vars(model).update(_tables=dict(tables), _names=dict(names), _highest=dict(highest))  # copies share some
    messages = list(model.warnings)
    for kind in kinds:
        model._tables[kind] = {n: e for n, e in model._tables[kind].items() if (kind, n) not in gone}
        model._name_anew(kind)
    for kind, _, before in reversed(call.made):
        model._highest[kind] = before
    made: list[tuple[str, int, int]] = []
    vars(model)["_building"] = made
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call.method(model, *replaced(call.args, values, model), **replaced(call.words, values, model))
        out = {(kind, n): dict(fields_of(model._tables[kind][n])) for kind, n, _ in made}
    finally:
        vars(model).pop("_building", None)
        vars(model).update(_tables=tables, _names=names, _highest=highest)
        model.warnings[:] = messages
    _same_elements(call, out)
    return out


def _same_elements(call: Call, out: Mapping[tuple[str, int], Any]) -> None:
    if set(out) != {(kind, n) for kind, n, _ in call.made}:
        maker = "the file" if call.whole else call.method.__name__
        raise ModelError(
            f"{maker} with {', '.join(sorted(call.names))} makes other elements than before; a parameter must not "
            "decide which elements there are"
        )


# ---- other values --------------------------------------------------------------------------------------------------
def with_values(model: Any, given: Any) -> Any:
    """A copy of a model whose parameters and numbers have other values; see `Model.with_parameters`."""
    if not isinstance(given, Mapping):
        raise ModelError(f"values are {shown(given)}; give a table, as {{'k': 2e4}}")
    twin = model.copy()
    kept = parameters_of(twin)
    old = {n: p.value for n, p in kept.items()}
    new = dict(old)
    numbers: list[tuple[Number, Any]] = []
    named: set[str] = set()
    for what, value in given.items():
        found = resolve(model, what)
        if found.name in named:
            raise ModelError(f"{found.name} is given twice; give it one value")
        named.add(found.name)
        if isinstance(found, Number):
            numbers.append((found, value))
            continue
        value = plain_value(f"parameter '{found.name}'", value)
        if isinstance(value, tuple) != isinstance(found.value, tuple) or len(_listed(value)) != found.size:
            raise ModelError(f"parameter '{found.name}' is {shown(value)}; it has {found.size} number(s)")
        within(found, value)
        new[found.name] = value
    changed = frozenset(n for n in new if new[n] != old[n])
    for name in changed:
        p = kept.table[name]
        kept.table[name] = Parameter(kept, name, new[name], p.low, p.high, p.unit)
    if changed:
        move(twin, new, old, changed)
    for number, value in numbers:
        if changed and number.read(twin) != number.read(model):
            raise ModelError(
                f"{number.name} follows from {', '.join(sorted(changed))} and is given a value too; give one"
            )
        number.write(twin, value)
    return twin


def move(model: Any, new: Mapping[str, Value], old: Mapping[str, Value], changed: frozenset[str]) -> None:
    """Give the elements of a model what follows from other values of these parameters."""
    kept = parameters_of(model)
    for at, call in enumerate(kept.calls):
        if not call.names & changed:
            continue
        fields = repeat(model, call, new)
        for (kind, n), now in fields.items():
            element, before = model.table(kind).get(n), call.fields[kind, n]
            for name, value in now.items():
                if element is None or value == before[name]:
                    continue
                if getattr(element, name) != before[name]:
                    raise element.error(
                        f"{name.upper()} was set after {', '.join(sorted(call.names))} gave it, and both cannot hold "
                        "with other values; set it where the element is made"
                    )
                setattr(element, name, value)
        kept.calls[at] = dataclasses.replace(call, fields=fields)
    for shift in kept.shifts:
        if shift.name in changed:
            step = component_of(new[shift.name], shift.component) - component_of(old[shift.name], shift.component)
            shift.number.write(model, shift.number.read(model) + shift.factor * step)  # type: ignore[operator]
    if kept.gravity is not None:
        object.__setattr__(model, "gravity", tuple(replaced(kept.gravity, new)))


def with_gravity(model: Any, value: Any) -> Any:
    """Gravity as plain numbers; components that are parameters are kept for `with_values`."""
    found = list(quantities_in(value))
    kept = parameters_of(model)
    if any(q.owner is not kept for q in found):
        raise ModelError(f"model '{model.name}': gravity holds a parameter of another model")
    kept.gravity = value if found else None
    return replaced(value, {n: p.value for n, p in kept.items()}) if found else value


def resolve(model: Any, what: Any) -> Parameter | Number:
    """The parameter or number that is meant: itself, the name of a parameter, or an address.  Raises `ModelError` for
    what is none, and for those of other models."""
    kept = parameters_of(model)
    if isinstance(what, Parameter):
        if what.name not in kept.table:
            raise ModelError(f"model '{model.name}' has no parameter '{what.name}'; it belongs to another model")
        return kept.table[what.name]
    if isinstance(what, Number):
        what.read(model)
        return what
    if isinstance(what, Quantity):
        raise ModelError(f"{what!r} is computed from parameters; name these")
    if not isinstance(what, str):
        raise ModelError(
            f"{shown(what)} is not a parameter; give a parameter, its name, or an address as 'BUSHING/3.K(1)'"
        )
    if what in kept.table:
        return kept.table[what]
    if what in kept.unfit:
        raise ModelError(f"variable '{what}' of the file of model '{model.name}' is no parameter: {kept.unfit[what]}")
    text = what.strip()
    if text.upper() in ("GRAVITY", "GRAVITY(1)", "GRAVITY(2)", "GRAVITY(3)"):
        return Number("MODEL", 0, "gravity", int(text[-2]) if text[-1] == ")" else None)
    match = _ADDRESS.fullmatch(text)
    if match is None and (component := _BRACKETS.fullmatch(text)) and _ADDRESS.fullmatch(component[1]):
        raise ModelError(f"{shown(what)}: components are counted from 1, in round brackets, as '{component[1]}(1)'")
    if match is None:
        raise ModelError(
            f"model '{model.name}' has no parameter {shown(what)}"
            + did_you_mean(what, kept.table, "; give its name, or an address as 'SPRINGDAMPER/3.K'")
        )
    kind = match[1].upper()
    element = model.find(kind, int(match[2]))
    index = match[4]
    return number_of(element, match[3].lower(), int(index) if index and index.isdigit() else index)


def number_of(element: Any, name: Any, index: int | str | None = None) -> Number:
    """The number of an element that is meant by the name of a field, of an argument of its builder method, or of a
    coefficient in a table of it; a whole number means the n-th constant of its function.  Raises `ModelError` for a
    name or an index that there is not."""
    if isinstance(name, int) and not isinstance(name, bool):
        name, index = "function", name
    if not isinstance(name, str):
        raise element.error(f"{shown(name)} is not the name of a number; give a text, as 'mass'")
    known = [f.name for f in dataclasses.fields(element) if f.name not in ("id", "name", "source", "active")]
    key = next((f for f in known if f.lower() == name.lower()), name.lower())
    tables = [f for f in known if isinstance(getattr(element, f), dict)]
    if key not in known and index is None:
        for table in tables:
            if entry_of(numbers_of_table(getattr(element, table)), name) is not None:
                key, index = table, name
    if key in tables:
        if index is None:
            raise element.error(f"{key.upper()} is a table; give the name of a number in it as the index")

        index = entry_of(numbers_of_table(getattr(element, key)), index) or index
        number = Number(element.KIND, element.id, key, index)
        number.read_from(element)
        return number
    if key not in known:
        # springs have both k and kt: the one of its type
        fitting = [f for f in FIELD_NAMES.get(key, ()) if f in known]
        if not fitting:
            raise element.error(f"it has no number '{name}'{did_you_mean(key, known)}")
        turning = getattr(element, "kind", "") == "ROTATIONAL"
        key = fitting[-1] if turning else fitting[0]
    if index is not None and (not isinstance(index, int) or isinstance(index, bool)):
        raise element.error(f"the index of {key.upper()} is {shown(index)}; give a whole number from 1 on")
    if key in element.REFERENCES or (
        misfit(type(element), key, 0.5) and not isinstance(getattr(element, key), (str, tuple))
    ):
        raise element.error(f"{key.upper()} is not a number; name one that is")
    number = Number(element.KIND, element.id, key, index)
    value = getattr(element, key)
    if value is None:
        raise element.error(f"{key.upper()} has no value; give it one first")
    if isinstance(value, str):
        constants = constants_of(value)
        if index is None and len(constants) != 1 or index is not None and not 1 <= index <= len(constants):
            raise element.error(
                f"{key.upper()} '{shown(value)}' has {len(constants)} constants; give the number of one, from 1 on"
            )
        return Number(element.KIND, element.id, key, index or 1)
    flat = flat_numbers(value)
    if flat is None:
        raise element.error(f"{key.upper()} is {shown(value)}, which is not a number")
    if index is not None:
        number._within(element, len(flat))
    return number


__all__ = ["Number", "Parameter", "Parameters", "Quantity", "with_values"]
