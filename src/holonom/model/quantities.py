"""Quantities: parameters of a model, what is computed of them, and numbers of elements by address (`parameters`)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._six_points import AT
from .base import ModelError, did_you_mean, shown
from .constants import constants_of, with_constant
from .kinds import finite, is_number

Value = float | tuple[float, ...]


COMPONENTS = "xyz"


#: functions of NumPy of two numbers that are operators
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "power": operator.pow, "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt,
    "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
}  # fmt: skip


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


class Made:
    """What a function makes of arguments some of which are quantities, such as a section of a beam: a value that is
    known where the parameters are."""

    __slots__ = ("arguments", "function", "words")

    def __init__(self, function: Callable[..., Any], arguments: tuple, words: dict[str, Any]) -> None:
        self.function = function
        self.arguments = arguments
        self.words = words

    def __getattr__(self, name: str) -> Any:
        if name[:1] == "_":
            raise AttributeError(name)
        raise ModelError(
            f"{self!r} depends on parameters and has no {name} of its own; give it to what takes parameters (cable, "
            "rod, ancf_beam), or make it of their values"
        )

    def __repr__(self) -> str:
        return f"<{self.function.__qualname__} of parameters>"


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
            numbers = numbers_of_table(value)
            if self.index not in numbers:
                known = did_you_mean(str(self.index), numbers, "; give it a value first")
                raise owner.error(f"{self.field.upper()} has no number {shown(self.index)}{known}")
            return numbers[self.index]
        flat = flat_numbers(value)
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
        value = plain_value(self.name, value)
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
            flat = flat_numbers(old)
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


def plain_value(what: str, value: Any) -> Value:
    if isinstance(value, np.ndarray):
        value = value.item() if value.ndim == 0 else tuple(value.tolist())
    if isinstance(value, (tuple, list)):
        if value and all(is_number(v) and finite(v) for v in value):
            return tuple(float(v) for v in value)
    elif is_number(value) and finite(value):
        return float(value)
    raise ModelError(f"{what} is {shown(value)}; give a finite number, or numbers")


def component_of(value: Value, k: int) -> float:
    return value[k] if isinstance(value, tuple) else value


def entry_of(table: dict[str, Any], name: Any) -> str | None:
    """The key of a table that is meant by a name in any case."""
    return next((key for key in table if str(key).lower() == str(name).lower()), None)


def numbers_of_table(table: dict[str, Any]) -> dict[str, float]:
    """Numbers of a table by their names; of an entry that has several, ``name.1``, ``name.2`` and so on."""
    out: dict[str, float] = {}
    for key, value in table.items():
        flat = flat_numbers(value) if isinstance(value, (float, tuple)) else None
        if flat is not None and len(flat) == 1:
            out[key] = flat[0]
        else:
            out |= {f"{key}.{k}": v for k, v in enumerate(flat or (), 1)}
    return out


def _with_entry(table: dict[str, Any], index: str, value: Any) -> dict[str, Any]:
    """A table with another value of one of `numbers_of_table`."""
    key, _, k = (index, "", "1") if index in table else index.rpartition(".")
    old = table[key]
    if not isinstance(old, tuple):
        return {**table, key: value}
    return {**table, key: _shaped(old, (value if n == int(k) else v for n, v in enumerate(flat_numbers(old) or (), 1)))}


def flat_numbers(value: Any) -> list[float] | None:
    if is_number(value):
        return [float(value)]
    if not isinstance(value, tuple):
        return None
    out: list[float] = []
    for v in value:
        inner = flat_numbers(v)
        if inner is None:
            return None
        out += inner
    return out


def _shaped(value: Any, numbers: Iterator[float]) -> Any:
    return tuple(_shaped(v, numbers) for v in value) if isinstance(value, tuple) else next(numbers)
