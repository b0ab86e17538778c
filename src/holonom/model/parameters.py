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
import math
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._six_points import AT, WEIGHTS
from .base import ELEMENT_TYPES, Element, ModelError, did_you_mean, shown
from .constants import constants_of, with_constant
from .kinds import finite, is_number, misfit

Value = float | tuple[float, ...]
_ADDRESS = re.compile(r"([A-Za-z_]\w*)/(\d+)\.([A-Za-z_]\w*)(?:\((\w+)\))?", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_BRACKETS = re.compile(r"(.+)\[[-\w]*\]")
COMPONENTS = "xyz"
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


#: functions of NumPy of two numbers that are operators
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "power": operator.pow, "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt,
    "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
}  # fmt: skip


# ---- quantities ----------------------------------------------------------------------------------------------------
class Quantity:
    """A number that depends on parameters: a parameter, a component of one, or what arithmetic made of them.

    ``value``: its present value.  It is not a float, so that nothing turns it into a plain number unnoticed.
    """

    __slots__ = ("_rule", "names", "owner")

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Functions of NumPy of one quantity, ``np.sin(p)``, and arithmetic with its scalars.  Raises ModelError for
        arrays: a quantity is one number."""
        rule = _ARITHMETIC.get(function.__name__)
        plain = method == "__call__" and not options
        if plain and function.nin == 1 and function.nout == 1:
            return self._through(lambda a: float(function(a)))
        if plain and rule is not None and all(isinstance(x, Quantity) or np.ndim(x) == 0 for x in inputs):
            return rule(*(x if isinstance(x, Quantity) else float(x) for x in inputs))
        raise ModelError(
            f"{self!r} is one number, which numpy.{function.__name__} cannot combine with an array; write it number "
            "by number, as [p * x for x in values]"
        )

    def __init__(self, owner: Any, names: frozenset[str], rule: Callable[[Mapping[str, Value]], float]) -> None:
        self.owner = owner
        self.names = names
        self._rule = rule

    def at(self, values: Mapping[str, Value]) -> float:
        """Its value where the parameters have these ones."""
        return self._rule(values)

    @property
    def value(self) -> Any:
        """Its value in units of the model."""
        return self._rule({name: p.value for name, p in self.owner().items()})

    def __eq__(self, other: Any) -> bool:
        if is_number(other):
            raise ModelError(f"{self!r} is not a number and equals none; compare its .value")
        return self is other

    __hash__ = object.__hash__

    def __float__(self) -> float:
        raise ModelError(
            f"{self!r} would become a plain number and no longer be a parameter; give it to a builder method as it "
            "is, or write .value for its number"
        )

    def _no_order(self, _: Any) -> bool:
        raise ModelError(f"{self!r} has no order, since it stands for other values too; compare its .value")

    __lt__ = __le__ = __gt__ = __ge__ = _no_order
    __int__ = __index__ = __float__  # type: ignore[assignment]

    def _with(self, other: Any, rule: Callable[[Any, Any], float]) -> Any:
        if isinstance(other, Quantity):
            if other.owner is not self.owner:
                raise ModelError(f"{self!r} and {other!r} are parameters of different models")
            return Quantity(self.owner, self.names | other.names, lambda v: rule(self.at(v), other.at(v)))
        if not is_number(other):
            return NotImplemented
        plain = float(other)
        return Quantity(self.owner, self.names, lambda v: rule(self.at(v), plain))

    def _through(self, rule: Callable[[float], float]) -> Quantity:
        return Quantity(self.owner, self.names, lambda v: rule(self.at(v)))

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a / b)

    def __pow__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a**b)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rpow__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b**a)

    def __abs__(self) -> Any:
        return self._through(abs)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b / a)

    def __neg__(self) -> Any:
        return self._through(lambda a: -a)

    def __pos__(self) -> Any:
        return self

    def apply(self, function: Callable[[float], float]) -> Quantity:
        """A function of it, of plain numbers: ``angle.apply(math.sin)``."""
        return self._through(function)

    def __format__(self, spec: str) -> str:
        raise ModelError(
            f"{self!r} is not a parameter itself and cannot be in a text; make a VARIABLE of it, or name the parameters"
        )

    def __repr__(self) -> str:
        return f"<quantity of {', '.join(sorted(self.names))}>"


class Parameter(Quantity):
    """A named number or point of a model; made by `Model.parameter`.

    ``value``, ``unit`` as given there, ``low``, ``high`` its bounds.  ``p[0]``: a component of a point.
    """

    __slots__ = ("_value", "high", "low", "name", "unit")

    def __init__(self, owner: Any, name: str, value: Value, low: Any, high: Any, unit: str) -> None:
        super().__init__(owner, frozenset((name,)), lambda v: v[name])  # type: ignore[arg-type,return-value]
        self.name = name
        self._value = value
        self.low = low
        self.high = high
        self.unit = unit

    @property
    def value(self) -> Value:
        """Its value in units of the model."""
        return self._value

    @property
    def size(self) -> int:
        """1 for a number, 3 for a point."""
        return len(self._value) if isinstance(self._value, tuple) else 1

    def __len__(self) -> int:
        if not isinstance(self._value, tuple):
            raise TypeError(f"parameter '{self.name}' is one number and has no length")
        return len(self._value)

    def __getitem__(self, k: int) -> Quantity:
        if not isinstance(self._value, tuple):
            raise TypeError(f"parameter '{self.name}' is one number and has no components")
        n = range(len(self._value))[k]  # IndexError behind the last one
        return Quantity(self.owner, self.names, lambda v, name=self.name: v[name][n])  # type: ignore[index,misc]

    def __iter__(self) -> Iterator[Quantity]:
        return (self[k] for k in range(len(self)))

    def _with(self, other: Any, rule: Callable[[Any, Any], float]) -> Any:
        if isinstance(self._value, tuple):
            raise ModelError(f"parameter '{self.name}' is a point; compute with its components, as {self.name}[0]")
        return super()._with(other, rule)

    def _through(self, rule: Callable[[float], float]) -> Quantity:
        if isinstance(self._value, tuple):
            raise ModelError(f"parameter '{self.name}' is a point; compute with its components, as {self.name}[0]")
        return super()._through(rule)

    def __format__(self, spec: str) -> str:
        """In the text of a function: ``VARVAL(id)`` of a VARIABLE that holds it."""
        if spec:
            raise ModelError(
                f"a format, {spec!r}, would make a plain number of parameter '{self.name}'; leave the format out, or "
                f"write {self.name}.value"
            )
        return self.owner.in_text(self)

    def __repr__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"<parameter {self.name} = {self._value}{unit}>"


@dataclass(frozen=True)
class Number:
    """One number of an element, or the vector of a field (``index`` None; the name of a coefficient in a table): an
    unnamed parameter."""

    kind: str
    id: int
    field: str
    index: int | str | None = None

    @property
    def name(self) -> str:
        """Its address, as ``SPRINGDAMPER/3.K``, or ``GRAVITY(3)``."""
        end = "" if self.index is None else f"({self.index})"
        if self.kind == "MODEL":
            return f"GRAVITY{end}"
        return f"{self.kind}/{self.id}.{self.field.upper()}{end}"

    address = name

    def read(self, model: Any) -> Value:
        """Its value in units of the model.  Raises `ModelError` where the element or the number does not exist."""
        owner, value = self._found(model)
        return self._of(owner, value)

    def read_from(self, element: Any) -> Value:
        """`read` of an element at hand."""
        return self._of(element, getattr(element, self.field))

    def _of(self, owner: Any, value: Any) -> Value:
        if isinstance(value, str):
            constants = [v for _, _, v in constants_of(value)]
            if self.index is None:
                if len(constants) != 1:
                    raise owner.error(
                        f"{self.field.upper()} has {len(constants)} constants; give which one, as "
                        f"number('{self.field}', 1)"
                    )
                return constants[0]
            self._within(owner, len(constants))
            return constants[self.index - 1]  # type: ignore[operator]
        if isinstance(value, dict):
            numbers = _numbers_of_table(value)
            if self.index not in numbers:
                known = did_you_mean(str(self.index), numbers, "; give it a value first")
                raise owner.error(f"{self.field.upper()} has no number {shown(self.index)}{known}")
            return numbers[self.index]
        flat = _flat(value)
        if flat is None:
            raise owner.error(f"{self.field.upper()} is {shown(value)}, which is not a number")
        if self.index is None:
            return flat[0] if not isinstance(value, tuple) else tuple(flat)
        self._within(owner, len(flat))
        return flat[self.index - 1]  # type: ignore[operator]

    def write(self, model: Any, value: Any) -> None:
        """Give it a value in units of the model, in this model.  Raises `ModelError` as `read` does, and for a value of
        another size."""
        owner, old = self._found(model)
        now = self.read(model)
        value = _value_of(self.name, value)
        if isinstance(now, tuple) != isinstance(value, tuple) or (
            isinstance(now, tuple) and len(now) != len(value)  # type: ignore[arg-type]
        ):
            raise owner.error(f"{self.field.upper()} is {shown(now)}; give as many numbers, not {shown(value)}")
        if isinstance(old, str):
            new: Any = with_constant(old, (self.index or 1) - 1, value)  # type: ignore[arg-type, operator]
        elif isinstance(old, dict):
            new = _with_entry(old, str(self.index), value)
        elif self.index is None:
            new = value if not isinstance(old, tuple) else _shaped(old, iter(value))  # type: ignore[arg-type]
        else:
            flat = _flat(old)
            assert flat is not None
            flat[self.index - 1] = value  # type: ignore[call-overload, operator]
            new = _shaped(old, iter(flat)) if isinstance(old, tuple) else flat[0]
        setattr(owner, self.field, new)

    def at_points(self, model: Any, step: float, of: Callable[[], Any]) -> list[Any]:
        """Values of a function of nothing where the number is at the six points of a difference (`_six_points`) with
        this step, in this model, which is left as it was."""
        owner, old = self._found(model)
        value = self.read(model)
        if isinstance(value, tuple):
            raise owner.error(f"{self.name} is a vector; its components are numbers, as {self.name}(1)")
        try:
            out = []
            for k in AT:
                setattr(owner, self.field, old)
                self.write(model, value + k * step)
                out.append(of())
            return out
        finally:
            setattr(owner, self.field, old)

    def _within(self, owner: Any, count: int) -> None:
        if not 1 <= self.index <= count:  # type: ignore[operator]
            raise owner.error(f"{self.field.upper()} has {count} numbers and no number {self.index}; they count from 1")

    def _found(self, model: Any) -> tuple[Any, Any]:
        if self.kind == "MODEL":
            return _Gravity(model), model.gravity
        owner = model.find(self.kind, self.id)
        return owner, getattr(owner, self.field)


class _Gravity:
    """The model as the owner of its gravity."""

    model: Any

    def __init__(self, model: Any) -> None:
        object.__setattr__(self, "model", model)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.model, name, value)

    def error(self, text: str) -> ModelError:
        return ModelError(f"model '{self.model.name}': {text}")


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
    value = _value_of(name, value)
    bounds = []
    for what, bound in (("low", low), ("high", high)):
        bound = None if bound is None else _value_of(f"{what} of parameter '{name}'", bound)
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


def _value_of(what: str, value: Any) -> Value:
    if isinstance(value, np.ndarray):
        value = value.item() if value.ndim == 0 else tuple(value.tolist())
    if isinstance(value, (tuple, list)):
        if value and all(is_number(v) and finite(v) for v in value):
            return tuple(float(v) for v in value)
    elif is_number(value) and finite(value):
        return float(value)
    raise ModelError(f"{what} is {shown(value)}; give a finite number, or numbers")


# ---- calls with parameters -----------------------------------------------------------------------------------------
def quantities_in(value: Any) -> Iterator[Quantity]:
    """Quantities in an argument, also inside lists, tables and arrays."""
    if isinstance(value, Quantity):
        yield value
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
    fields = {(kind, n): dict(_fields(model.table(kind)[n])) for kind, n, _ in made if n in model.table(kind)}
    call = Call(method, tuple(map(keep, args)), {k: keep(v) for k, v in words.items()}, names, list(made), fields)
    parameters_of(model).calls.append(call)
    kept = parameters_of(model)
    kept.made |= dict.fromkeys(fields, names)
    for key in (*_elements_in(args), *_elements_in(tuple(words.values()))):
        kept.read[key] = kept.read.get(key, frozenset()) | names


def record_whole(model: Any, make: Callable[[Mapping[str, Value]], Any], names: Iterable[str]) -> None:
    """All elements of a model follow parameters of it that are there already: ``make(values)`` makes the whole model
    anew.  Raises `ModelError` then where gravity or settings follow too, which are no numbers of elements."""
    kept, taken = parameters_of(model), frozenset(names)
    settings = {what: copy.copy(getattr(model, what)) for what in SETTINGS}
    fields = {(e.KIND, e.id): dict(_fields(e)) for e in model}
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
        return {(e.KIND, e.id): dict(_fields(e)) for e in fresh}

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


def _fields(element: Any) -> Iterator[tuple[str, Any]]:
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
        out = {(kind, n): dict(_fields(model._tables[kind][n])) for kind, n, _ in made}
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
        value = _value_of(f"parameter '{found.name}'", value)
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
            step = _component(new[shift.name], shift.component) - _component(old[shift.name], shift.component)
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


def _component(value: Value, k: int) -> float:
    return value[k] if isinstance(value, tuple) else value


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
            if _entry(_numbers_of_table(getattr(element, table)), name) is not None:
                key, index = table, name
    if key in tables:
        if index is None:
            raise element.error(f"{key.upper()} is a table; give the name of a number in it as the index")

        number = Number(element.KIND, element.id, key, _entry(_numbers_of_table(getattr(element, key)), index) or index)
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
    flat = _flat(value)
    if flat is None:
        raise element.error(f"{key.upper()} is {shown(value)}, which is not a number")
    if index is not None:
        number._within(element, len(flat))
    return number


def _entry(table: dict[str, Any], name: Any) -> str | None:
    """The key of a table that is meant by a name in any case."""
    return next((key for key in table if str(key).lower() == str(name).lower()), None)


def _numbers_of_table(table: dict[str, Any]) -> dict[str, float]:
    """Numbers of a table by their names; of an entry that has several, ``name.1``, ``name.2`` and so on."""
    out: dict[str, float] = {}
    for key, value in table.items():
        flat = _flat(value) if isinstance(value, (float, tuple)) else None
        if flat is not None and len(flat) == 1:
            out[key] = flat[0]
        else:
            out |= {f"{key}.{k}": v for k, v in enumerate(flat or (), 1)}
    return out


def _with_entry(table: dict[str, Any], index: str, value: Any) -> dict[str, Any]:
    """A table with another value of one of `_numbers_of_table`."""
    key, _, k = (index, "", "1") if index in table else index.rpartition(".")
    old = table[key]
    if not isinstance(old, tuple):
        return {**table, key: value}
    return {**table, key: _shaped(old, (value if n == int(k) else v for n, v in enumerate(_flat(old) or (), 1)))}


def _flat(value: Any) -> list[float] | None:
    if is_number(value):
        return [float(value)]
    if not isinstance(value, tuple):
        return None
    out: list[float] = []
    for v in value:
        inner = _flat(v)
        if inner is None:
            return None
        out += inner
    return out


def _shaped(value: Any, numbers: Iterator[float]) -> Any:
    return tuple(_shaped(v, numbers) for v in value) if isinstance(value, tuple) else next(numbers)


# ---- plain data ----------------------------------------------------------------------------------------------------
def linear_uses(model: Any, name: str, scratch: Any = None, check: bool = True) -> tuple[list[Shift], list[str]]:
    """The numbers that a parameter moves, with derivatives at the present value as factors, and (with ``check``)
    addresses of those that it does not move linearly.  ``scratch``: a copy of the model, which is left as it was.

    Raises `ModelError` where other values of the parameter give elements of another form.
    """
    scratch = model.copy() if scratch is None else scratch
    values = {n: p.value for n, p in parameters_of(scratch).items()}
    out: list[Shift] = []
    curved: list[str] = []
    for c in range(parameters_of(scratch).table[name].size):
        h = 2e-3 * (abs(_component(values[name], c)) or 1.0)
        points = [_numbers_at(scratch, name, values, {name: _moved_by(values[name], c, k * h)}) for k in AT]
        for number in points[0]:
            if any(number not in p for p in points):
                raise ModelError(
                    f"{number.name} is there for some values of parameter '{name}' and not for others; a parameter "
                    "must not decide which numbers there are"
                )
            row = [p[number] for p in points]
            if max(row) == min(row):
                continue
            if not check and _cornered(row):
                raise ModelError(
                    f"{number.name} has a corner or a jump at this value of parameter '{name}', as Euler angles have "
                    "at their pole: no derivative; turn the axes of the marker or part that it belongs to"
                )
            slope = sum(w * (v - row[2]) for w, v in zip(WEIGHTS, row)) / h
            size = max(map(abs, row))
            if abs(slope) * h <= 1e-14 * size:
                continue
            out.append(Shift(number, name, c, _rounded(slope)))
            if max(abs(v - row[2] - slope * h * (k + 1)) for v, k in zip(row, AT)) > 1e-12 * (size + abs(slope * h)):
                curved.append(number.name)
    if check:
        curved += _mixed(scratch, name, values, out)
    return out, sorted(set(curved))


def _cornered(row: list[float]) -> bool:
    """Has a function with these values at the points `AT` a corner or a jump between them?

    Its second differences over one and two steps are equal at a corner |x|, and as 3 to 5 or more apart where it is
    smooth; a jump is larger than all other differences.
    """
    a, b, c, d, e, f = row
    steps = sorted(map(abs, (b - a, c - b, 0.5 * (d - c), e - d, f - e)))
    near, far = c + d - b - e, b + e - a - f
    noise = 1e-9 * max(map(abs, row))
    corner = abs(near) > noise and abs(far - near) < 0.3 * abs(near)
    return corner or (steps[-1] > 0.1 and steps[-1] > 10.0 * steps[-2])


def _numbers_at(
    scratch: Any, name: str, values: Mapping[str, Value], other: Mapping[str, Value]
) -> dict[Number, float]:
    """Numbers of the elements that a parameter moves, where parameters have other values; these are put back."""
    kept = parameters_of(scratch)
    moved = {**values, **other}
    changed = frozenset(other)
    move(scratch, moved, values, changed)
    try:
        keys = {(kind, n) for call in kept.calls if name in call.names for kind, n, _ in call.made}
        keys |= {(s.number.kind, s.number.id) for s in kept.shifts if s.name == name}
        fields = {k: dict(_fields(scratch.table(k[0])[k[1]])) for k in sorted(keys) if k[1] in scratch.table(k[0])}
        out = _numbers_made(fields)
        if kept.gravity is not None and any(name in q.names for q in quantities_in(kept.gravity)):
            out |= {Number("MODEL", 0, "gravity", k + 1): g for k, g in enumerate(scratch.gravity)}
    finally:
        move(scratch, values, moved, changed)
    return out


def _mixed(scratch: Any, name: str, values: Mapping[str, Value], uses: list[Shift]) -> list[str]:
    """Addresses of numbers in which a parameter multiplies others."""
    others = frozenset().union(*(c.names for c in parameters_of(scratch).calls if name in c.names)) - {name}
    if not others:
        return []
    step = lambda v: 2e-3 * (abs(v) or 1.0)
    ahead = lambda v: tuple(c + step(c) for c in v) if isinstance(v, tuple) else v + step(v)
    beside = {n: ahead(values[n]) for n in others}
    first = _numbers_at(scratch, name, values, beside)
    second = _numbers_at(scratch, name, values, {**beside, name: ahead(values[name])})
    out = []
    for number in second:
        steps = [s.factor * step(_component(values[name], s.component)) for s in uses if s.number == number]
        size = abs(second[number]) + sum(map(abs, steps))
        if number not in first or abs(second[number] - first[number] - sum(steps)) > 1e-11 * size:
            out.append(number.name)
    return out


def _rounded(slope: float) -> float:
    """A factor without the rounding of differences, where it is a short number."""
    short = float(f"{slope:.6g}")
    return short if abs(slope - short) <= 1e-11 * abs(slope) else slope


def _moved_by(value: Value, c: int, step: float) -> Value:
    return tuple(v + step * (k == c) for k, v in enumerate(value)) if isinstance(value, tuple) else value + step


def _numbers_made(fields: dict[tuple[str, int], dict[str, Any]]) -> dict[Number, float]:
    out: dict[Number, float] = {}
    for (kind, n), table in fields.items():
        references = ELEMENT_TYPES[kind].REFERENCES
        for name, value in table.items():
            if name in references or isinstance(value, bool) or value is None:
                continue
            if isinstance(value, str):
                for k, (_, _, v) in enumerate(constants_of(value)):
                    out[Number(kind, n, name, k + 1)] = v
                continue
            if isinstance(value, dict):
                out |= {Number(kind, n, name, key): v for key, v in _numbers_of_table(value).items()}
                continue
            flat = _flat(value)
            if flat is None:
                continue
            for k, v in enumerate(flat):
                out[Number(kind, n, name, k + 1 if isinstance(value, tuple) else None)] = v
    return out


def to_data(model: Any) -> list[dict[str, Any]]:
    """Parameters as plain data: name, value, bounds, unit, and the numbers that they move linearly.

    A use that is not linear cannot be written: the file keeps the parameter without it, and the model warns.
    """
    kept = vars(model).get("_parameters")
    if kept is None:
        return []
    out = []
    for name, p in kept.items():
        uses, curved = linear_uses(model, name)
        lost = set(curved)
        if lost:
            model.warn(
                f"parameter '{name}' does not enter {', '.join(sorted(lost)[:3])} linearly; files keep the present "
                "value there, and this use is lost when they are read"
            )
        row: dict[str, Any] = {"name": name, "value": _plain(p.value)}
        row |= {k: _plain(v) for k, v in (("low", p.low), ("high", p.high)) if v is not None}
        if p.unit:
            row["unit"] = p.unit
        row["uses"] = [[s.number.name, s.component, s.factor] for s in uses if s.number.name not in lost]
        if name in kept.variables:
            row["variable"] = kept.variables[name]
        out.append(row)
    return out


def from_data(model: Any, rows: Any) -> None:
    """Give a model the parameters that `to_data` wrote.  Raises `ModelError` for what is not such data."""
    if not isinstance(rows, (list, tuple)):
        raise ModelError(f"the parameters of the model file are {shown(rows)}; give a list")
    kept = parameters_of(model)
    for row in rows:
        if not isinstance(row, dict) or not set(row) <= {"name", "value", "low", "high", "unit", "uses", "variable"}:
            raise ModelError(f"a parameter of the model file is {shown(row)}; give name, value, low, high, unit, uses")
        p = declare(
            model, row.get("name", ""), row.get("value"), row.get("low"), row.get("high"), row.get("unit", ""), ()
        )
        for use in row.get("uses", ()):
            fits = isinstance(use, (list, tuple)) and len(use) == 3 and isinstance(use[0], str)
            if not (
                fits and type(use[1]) is int and 0 <= use[1] < p.size and is_number(use[2]) and math.isfinite(use[2])
            ):
                raise ModelError(
                    f"parameter '{p.name}': one of its uses is {shown(use)}; give an address, a component, a factor"
                )
            number = resolve(model, use[0])
            if not isinstance(number, Number):
                raise ModelError(f"parameter '{p.name}': {shown(use[0])} is not the address of a number")
            kept.shifts.append(Shift(number, p.name, use[1], float(use[2])))
        if "variable" in row:
            kept.variables[p.name] = model.find("VARIABLE", row["variable"]).id


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


__all__ = ["Number", "Parameter", "Parameters", "Quantity", "with_values"]
