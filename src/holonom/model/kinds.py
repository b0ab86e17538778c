"""What the fields of elements may hold, by their annotations: one position that checks values of the wrong kind.

Readers of foreign files, JSON and Python put values into dataclasses, which take anything.  `misfit` says as text what
is wrong with a value, `misfits` with all fields of an element; no later code needs to handle a text where a
number is wanted.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
import types
import typing
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from .base import ModelError, shown

#: the largest size of a number of the drawing: no machine has a larger one in any unit, and its cube is still finite
LARGEST = 1e100
MOST_STATES = 100_000  # of one block of state equations
_WHOLE = 2**62

Check = Callable[[Any], str]  # what is wanted in place of the value, empty when it fits


def is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def positive(**values: Any) -> None:
    """Raises `ModelError` for a value that is not a finite number above zero, by its name."""
    _demand(values, lambda v: 0.0 < v < math.inf, "a positive number")


def not_negative(**values: Any) -> None:
    """Raises `ModelError` for a value that is not a finite number from zero up, by its name."""
    _demand(values, lambda v: 0.0 <= v < math.inf, "zero or a positive number")


def all_numbers(**values: Any) -> None:
    """Raises `ModelError` for a value that is not a finite number, by its name."""
    _demand(values, math.isfinite, "a number")


def _demand(values: dict[str, Any], fits: Callable[[Any], bool], wanted: str) -> None:
    for name, value in values.items():
        if not (is_number(value) and fits(value)):
            raise ModelError(f"{name} is {shown(value)}; give {wanted}")


def has_text(values: Any) -> bool:
    """Whether a text is a number or among a list of numbers: numpy would read ``"0.3"`` as one."""
    if isinstance(values, (tuple, list)):
        return any(map(has_text, values))
    return isinstance(values, (str, bytes))


def _writable(text: str) -> bool:
    """Whether a file can hold a text (no half of a surrogate pair, as JSON can spell)."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_)) and abs(int(value)) < _WHOLE


def _plain(test: Callable[[Any], bool], words: str) -> Check:
    return lambda value: "" if test(value) else words


def _number(value: Any) -> str:
    if type(value) is float:
        return ""
    if not is_number(value):
        return "a number"
    return "" if not isinstance(value, numbers.Integral) or abs(int(value)) <= LARGEST else "a smaller number"


def _rows(inner: list[Check], fixed: bool) -> Check:
    """A tuple (also a list or an array): of so many, or of any number of the same kind."""

    def check(value: Any) -> str:
        if not isinstance(value, (tuple, list, np.ndarray)):
            return f"{f'{len(inner)} values' if fixed else 'a list'}"
        if fixed and len(value) != len(inner):
            return f"{len(inner)} values"
        test = inner[0] if inner else None
        for k, one in enumerate(value):
            words = inner[k](one) if fixed else test(one) if test is not None else ""
            if words:
                return f"{words} at place {k + 1}"
        return ""

    return check


def _table(inner: Check) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, dict) or not all(isinstance(k, str) for k in value):
            return "a table of names"
        return next((f"{words} for {shown(k)}" for k, v in value.items() if (words := inner(v))), "")

    return check


def _either(inner: list[Check]) -> Check:
    def check(value: Any) -> str:
        found = [test(value) for test in inner]
        return "" if "" in found else " or ".join(dict.fromkeys(found))

    return check


def _optional(inner: Check) -> Check:
    return lambda value: "" if value is None else inner(value)


@lru_cache(maxsize=1000)
def check_of(hint: Any) -> Check:
    """The test of a type annotation."""
    if hint is Any:
        return lambda value: ""
    if hint is int:
        return _plain(is_whole, "a whole number")
    if hint is float:
        return _number
    if hint is bool:
        return _plain(lambda v: isinstance(v, (bool, np.bool_)) or v in (0, 1) and isinstance(v, int), "true or false")
    if hint is str:
        return _plain(lambda v: isinstance(v, str) and (v.isascii() or _writable(v)), "a text")
    if hint is type(None):
        return _plain(lambda v: v is None, "nothing")
    if hint is tuple:
        return _rows([], False)
    if hint is dict:
        return _table(lambda v: "")
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        rest = [check_of(h) for h in inside if h is not type(None)]
        test = rest[0] if len(rest) == 1 else _either(rest)
        return _optional(test) if type(None) in inside else test
    if origin is tuple:
        if len(inside) == 2 and inside[1] is Ellipsis:
            return _rows([check_of(inside[0])], False)
        return _rows([check_of(h) for h in inside], True)
    if origin is dict:
        return _table(check_of(inside[1]))
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):  # a transition of a switch

        def check(value: Any) -> str:
            if not isinstance(value, hint):
                return f"a {hint.__name__.lower()}"
            return next((sentence for _, sentence in misfits(value)), "")

        return check
    if isinstance(hint, type):
        return _plain(lambda v: isinstance(v, hint), f"a {hint.__name__}")
    return lambda value: ""


@lru_cache(maxsize=200)
def checks(cls: type) -> tuple[tuple[str, Check], ...]:
    """Name and test of each field of a dataclass."""
    hints = typing.get_type_hints(cls)
    return tuple((f.name, check_of(hints[f.name])) for f in dataclasses.fields(cls))


def misfit(cls: type, name: str, value: Any) -> str:
    """What a field wants in place of ``value``, as text; empty when it fits.  KeyError for an unknown field."""
    return dict(checks(cls))[name](value)


def misfits(element: Any) -> Iterator[tuple[str, str]]:
    """(field, sentence) of each field that holds a value of the wrong kind."""
    values = vars(element)
    for name, check in checks(type(element)):  # type: ignore[arg-type]
        words = check(values[name]) if name in values else ""
        if words:
            yield name, f"{name.upper()} is {shown(values[name])}; give {words}"


def finite(value: Any) -> bool:
    return (
        is_number(value)
        and abs(float(value) if isinstance(value, np.generic) else value) <= 1.7e308
        and math.isfinite(value)
    )
