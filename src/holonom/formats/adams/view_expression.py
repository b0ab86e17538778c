"""Design-time expressions of Adams View (``(DV_1 * 2)``, ``(eval(.model.n + 1))``): a small evaluator, no Python eval.

Grammar: ``|| && ! == != < <= > >= // + - * / ** ()`` with names (``.model.DV_1``, ``i``), numbers with units
(``6inch``, ``30d``, ``7801.0(kg/meter**3)``), strings, ``{arrays}`` and functions.  Source: Adams View,
"Function Builder: design-time functions".  Raises `ViewError` for whatever it does not know.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 60
MAX_TEXT = 20_000
MAX_VALUES = 100_000  # numbers of an array

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|(?P<name>(?:[.$]?[A-Za-z_]|\.(?=\"))(?:[\w$]|(?<=\.)\"[^\"]*\"|\.(?=[A-Za-z_$\"]))*)"
    r"|(?P<string>\"[^\"]*\"|'[^']*')|(?P<op>\|\||&&|==|!=|<=|>=|//|\*\*|[-+*/<>!(){},:\[\]^]))"
)


class ViewError(Exception):
    """What an expression or a command lacks."""


class NoValue(ViewError):
    """A division by zero, a root of a negative number, a number too large."""


class Angle(float):
    """Radians: a number that was written with an angle unit."""


class Group:
    """A name that represents itself in an expression (an object's name)."""

    def __init__(self, view_name: str) -> None:
        self.view_name = view_name

    def __str__(self) -> str:
        return self.view_name

    __repr__ = __str__


class Place(list):
    """Three numbers in the ground frame, from a LOC_ function."""


class Turn(Place):
    """Three angles (body 3-1-3, radians) in the ground frame, from an ORI_ function."""


def tokens(text: str) -> list[tuple[str, str, bool]]:
    """(kind, text, glued to the token before) of an expression."""
    if len(text) > MAX_TEXT:
        raise ViewError(f"the expression has {len(text)} characters, more than {MAX_TEXT}")
    return _short_tokens(text) if len(text) < 200 else _tokens(text)


def _tokens(text: str) -> list[tuple[str, str, bool]]:
    out = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise ViewError(f"'{text[at : at + 20]}' cannot be read in an expression")
        kind = found.lastgroup
        out.append((kind, found[kind], found.start(kind) == at and at > 0))
        at = found.end()
    return out


_short_tokens = functools.lru_cache(maxsize=2000)(_tokens)  # loops evaluate the same texts again


class Evaluator:
    """Values of expressions.

    ``lookup(name)`` gives variables and objects, ``unit(name)`` the factor of a unit or None, ``turn()`` the radians of
    the angle unit of the file.  ``functions`` take angles as they are, ``plain`` ones in that unit.
    """

    def __init__(
        self,
        lookup: Callable[[str], Any],
        unit: Callable[[str], float | None],
        turn: Callable[[], float],
        functions: dict[str, Callable],
        plain: dict[str, Callable],
    ) -> None:
        self.lookup = lookup
        self.unit = unit
        self.turn = turn
        self.functions = {**plain, **functions}
        self.plain = plain.keys() - functions.keys()

    def __call__(self, text: str) -> Any:
        self.list = tokens(text)
        self.at = 0
        self.depth = 0
        if not self.list:
            raise ViewError("the expression is empty")
        try:
            value = self.either()
        except NoValue as error:
            raise ViewError(f"'{text[:60]}' has no value: {error}") from None
        if self.at < len(self.list):
            raise ViewError(f"'{self.list[self.at][1]}' is not expected in '{text[:60]}'")
        return value

    # ---- grammar ------------------------------------------------------------------------------------------------
    def peek(self) -> str:
        return self.list[self.at][1] if self.at < len(self.list) and self.list[self.at][0] == "op" else ""

    def take(self, *ops: str) -> str:
        found = self.peek()
        if found in ops:
            self.at += 1
            return found
        return ""

    def expect(self, op: str) -> None:
        if not self.take(op):
            raise ViewError(f"'{op}' is missing")

    def either(self) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ViewError(f"it is nested deeper than {MAX_DEPTH}")
        value = self.both()
        while self.take("||"):
            other = self.both()
            value = int(bool(value) or bool(other))
        self.depth -= 1
        return value

    def both(self) -> Any:
        value = self.compare()
        while self.take("&&"):
            other = self.compare()
            value = int(bool(value) and bool(other))
        return value

    def compare(self) -> Any:
        value = self.concatenate()
        while op := self.take("==", "!=", "<=", ">=", "<", ">"):
            other = self.concatenate()
            value, other = (as_text(v) if isinstance(v, Group) else self.in_file_units(v) for v in (value, other))
            if op not in ("==", "!=") and not (isinstance(value, str) and isinstance(other, str)):
                value, other = as_number(value), as_number(other)
            if op in ("==", "!="):
                same = (
                    str(value).lower() == str(other).lower()
                    if isinstance(value, str) or isinstance(other, str)
                    else value == other
                )
                value = int(same == (op == "=="))
            else:
                value = int({"<": value < other, ">": value > other, "<=": value <= other, ">=": value >= other}[op])
        return value

    def concatenate(self) -> Any:
        value = self.add()
        while self.take("//"):
            value = as_text(self.in_file_units(value)) + as_text(self.in_file_units(self.add()))
            if len(value) > MAX_TEXT:
                raise ViewError(f"a text grows to more than {MAX_TEXT} characters")
        return value

    def add(self) -> Any:
        value = self.multiply()
        while op := self.take("+", "-"):
            value = _apply(op, value, self.multiply(), self.turn())
        return value

    def multiply(self) -> Any:
        value = self.unary()
        while op := self.take("*", "/"):
            value = _apply(op, value, self.unary(), self.turn())
        return value

    def unary(self) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ViewError(f"it is nested deeper than {MAX_DEPTH}")
        try:
            if self.take("-"):
                return _apply("*", -1.0, self.unary())
            if self.take("+"):
                return self.unary()
            if self.take("!"):
                return int(not self.unary())
            return self.power()
        finally:
            self.depth -= 1

    def power(self) -> Any:
        value = self.primary()
        if self.take("**", "^"):
            base, exponent = as_number(self.in_file_units(value)), as_number(self.in_file_units(self.unary()))
            if abs(exponent) > 1000:
                raise NoValue(f"the exponent {exponent:g} is too large")
            try:
                value = base**exponent
            except (ZeroDivisionError, OverflowError):
                raise NoValue(f"{base:g} ** {exponent:g} is not a finite number") from None
            if isinstance(value, complex):
                raise NoValue("a root of a negative number")
        return value

    def primary(self) -> Any:
        if self.at >= len(self.list):
            raise ViewError("it ends too early")
        kind, text, _ = self.list[self.at]
        if kind == "number":
            self.at += 1
            if len(text) > 400 or not math.isfinite(float(text)):
                raise ViewError(f"{text[:40]} is too large a number")
            return self.quantity(float(text) if any(c in text for c in ".eE") else int(text))
        if kind == "string":
            self.at += 1
            return text[1:-1]
        if kind == "name":
            self.at += 1
            if self.peek() == "(" and not (text[0] == "." or self.measured(text)):
                value = self.call(text)
            else:
                value = self.lookup(text)
                if self.peek() == "(":
                    value = self.in_units(value)
            return self.indexed(value, text)
        if self.take("("):
            value = self.either()
            self.expect(")")
            return self.quantity(value)
        if self.take("{"):
            return self.indexed(self.array("}"), "the array")
        if self.take("["):  # a row of a matrix
            return self.array("]")
        raise ViewError(f"'{text}' is not expected")

    def array(self, close: str) -> list:
        values = self.arguments(close)
        if len(values) == 1 and isinstance(values[0], list):
            return values[0]
        if any(isinstance(v, list) and any(isinstance(w, list) for w in v) for v in values):
            raise ViewError("arrays are nested deeper than rows and columns")
        if sum(len(v) if isinstance(v, list) else 1 for v in values) > MAX_VALUES:
            raise ViewError(f"an array of more than {MAX_VALUES} values")
        return values

    def indexed(self, value: Any, text: str) -> Any:
        """A value of an array, counted from 1 (``.model.DV[2]``, ``{0.5}[1]``)."""
        while self.peek() == "[":
            self.at += 1
            index = whole(self.either())
            self.expect("]")
            if not isinstance(value, list) or not 1 <= index <= len(value):
                raise ViewError(f"there is no value [{index}] of {text}")
            value = value[index - 1]
        return value

    def in_file_units(self, value: Any) -> Any:
        """Angles as numbers in the angle unit of the file."""
        if isinstance(value, Angle):
            return float(value) / self.turn()
        return [self.in_file_units(v) for v in value] if type(value) is list else value

    def quantity(self, value: float) -> Any:
        """``6inch``, ``30d``, ``7801.0(kg/meter**3)``: a unit stands glued to its number."""
        if self.at >= len(self.list) or not self.list[self.at][2]:
            return value
        kind, text, _ = self.list[self.at]
        if kind == "name":
            if text.lower() in ("d", "deg", "degree", "degrees"):
                self.at += 1
                return Angle(math.radians(value))
            if text.lower() in ("r", "rad", "radian", "radians"):
                self.at += 1
                return Angle(value)
            factor = self.unit(text)
            if factor is None:
                raise ViewError(f"unknown unit '{text}'")
            self.at += 1
            return _apply("*", value, factor)
        return self.in_units(value) if text == "(" else value

    def measured(self, name: str) -> bool:
        """Whether a name before a parenthesis is a variable with a unit (``(DV_1 (newton/mm))``), no function."""
        if name.upper() in self.functions or name.upper() == "EVAL":
            return False
        try:
            self.lookup(name)
        except ViewError:
            return False
        return True

    def in_units(self, value: Any) -> Any:
        """A value times the units in the parenthesis that follows it."""
        self.expect("(")
        factor = self.units()
        self.expect(")")
        return _apply("*", value, factor)

    def units(self) -> float:
        """``newton-sec/mm``, ``kg/meter**3``: in units ``-`` and ``*`` are products."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ViewError(f"it is nested deeper than {MAX_DEPTH}")
        value, op = 1.0, "*"
        while True:
            if self.take("("):
                factor = self.units()
                self.expect(")")
            else:
                if self.at >= len(self.list) or self.list[self.at][0] not in ("name", "number"):
                    raise ViewError("a unit is missing")
                kind, text, _ = self.list[self.at]
                self.at += 1
                factor = self.unit_factor(text) if kind == "name" else as_number(read_number(text))
            if self.take("**", "^"):
                sign = -1.0 if self.take("-") else 1.0
                if self.at >= len(self.list) or self.list[self.at][0] != "number":
                    raise ViewError("the power of a unit is a number")
                power = sign * read_number(self.list[self.at][1])
                self.at += 1
                if abs(power) > 20:
                    raise ViewError(f"the power {power:g} of a unit is too large")
                factor = factor**power
            value = _apply("*" if op in "*-" else "/", value, factor)
            op = self.take("*", "-", "/")
            if not op:
                self.depth -= 1
                return value

    def unit_factor(self, name: str) -> float:
        factor = self.unit(name)
        if factor is None:
            raise ViewError(f"unknown unit '{name}'")
        return factor

    def arguments(self, close: str, count: int = 0) -> list:
        """Values up to a bracket; so many where a count is given."""
        values: list = []
        if not self.take(close):
            values.append(self.either())
            while not self.take(close):
                self.expect(",")
                values.append(self.either())
        if count and len(values) != count:
            raise ViewError(f"{count} values are required, not {len(values)}")
        return values

    def call(self, name: str) -> Any:
        self.expect("(")
        key = name.upper()
        if key == "IF":
            return self.conditional()
        values = self.arguments(")")
        if key == "EVAL":
            if len(values) != 1:
                raise ViewError("EVAL takes one expression")
            return values[0]
        function = self.functions.get(key)
        if function is None:
            raise ViewError(f"the design-time function {key} is not supported")
        least, most = _arity(function)
        if not least <= len(values) <= most:
            wanted = str(least) if least == most else f"{least} or more" if most == math.inf else f"{least} to {most}"
            raise ViewError(f"{key} takes {wanted} value{'' if wanted == '1' else 's'}, not {len(values)}")
        if key in self.plain:
            values = [self.in_file_units(v) for v in values]
        try:
            value = function(*values)
        except NoValue:
            raise
        except ViewError as error:
            raise ViewError(f"{key}: {error}" if not str(error).startswith(key) else str(error)) from None
        except (
            ZeroDivisionError,
            ValueError,
            OverflowError,
        ):  # of functions of numbers: outside of what they are defined for
            shown = ", ".join(as_text(v)[:30] for v in values)
            raise NoValue(f"{key}({shown}) is not defined") from None
        if isinstance(value, (int, float)) and not _finite(value):
            raise NoValue(f"{key}: the value is not finite")
        return value

    def conditional(self) -> Any:
        """``IF(x: below, at, above)``: by the sign of x."""
        x = as_number(self.either())
        self.expect(":")
        below, at, above = self.arguments(")", 3)
        return below if x < 0 else at if x == 0 else above


def _apply(op: str, a: Any, b: Any, turn: float = 1.0) -> Any:
    """A value of two; a number next to an angle of ``+`` and ``-`` is in the angle unit of the file, of ``turn``
    radians, as is an angle that is multiplied by another one or divides a number.
    """
    if isinstance(a, list) or isinstance(b, list):
        if isinstance(a, Turn) or isinstance(b, Turn):
            raise ViewError("the angles of an ORI_ function cannot be computed with; turn the marker that it names")
        if isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                raise ViewError("arrays of different length")
            out = [_apply(op, x, y, turn) for x, y in zip(a, b)]
        else:
            out = [_apply(op, x, b, turn) for x in a] if isinstance(a, list) else [_apply(op, a, y, turn) for y in b]
        # sums and multiples of positions in the ground frame are positions in the ground frame
        return Place(out) if isinstance(a, Place) or isinstance(b, Place) else out
    if not (isinstance(a, (int, float)) and isinstance(b, (int, float))):
        raise ViewError(f"text cannot be computed with '{op}'")
    if op == "/" and b == 0:
        raise NoValue("a division by zero")
    angles = isinstance(a, Angle), isinstance(b, Angle)
    if op in "+-" and any(angles) and not all(angles):
        a, b = (v if isinstance(v, Angle) else Angle(v * turn) for v in (a, b))
    elif (op == "*" and all(angles)) or (op == "/" and angles == (False, True)):
        a, b = (float(v) / turn if isinstance(v, Angle) else v for v in (a, b))
    try:
        value = a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a / b
    except OverflowError:
        value = math.inf
    if not _finite(value):
        raise NoValue("the value is not finite")
    angle = isinstance(a, Angle) != isinstance(b, Angle) if op in "*/" else isinstance(a, Angle) or isinstance(b, Angle)
    return Angle(value) if angle else value


def as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else repr(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        text = ", ".join(map(as_text, value[:MAX_TEXT]))
        if len(text) > MAX_TEXT:
            raise ViewError(f"a text grows to more than {MAX_TEXT} characters")
        return text
    return str(value)


# ---- values of the kind that is wanted ---------------------------------------------------------------------------
def _finite(value: float) -> bool:
    return abs(value) <= 1.7e308  # of whole numbers too, which have no end


def as_number(value: Any) -> float:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, (int, float)):
        raise ViewError(f"'{as_text(value)[:40]}' is not a number")
    return float(value)


def as_numbers(value: Any) -> list[float]:
    """Numbers of an array, of its rows one after the other."""
    out: list[float] = []
    for one in value if isinstance(value, list) else [value]:
        out += map(as_number, one) if isinstance(one, list) else [as_number(one)]
    return out


def whole(value: Any) -> int:
    number = as_number(value)
    if abs(number) > 1e15:
        raise ViewError(f"{number:g} is too large a whole number")
    return int(number)


def read_number(text: Any) -> float:
    """A number that a text holds."""
    try:
        value = float(as_text(text))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ViewError(f"'{as_text(text)[:40]}' is not a number")
    return value


def _arity(function: Callable) -> tuple[int, float]:
    """Minimum and maximum number of values that a function, or a method of a session, takes."""
    least, most = _parameters(getattr(function, "__func__", function))
    own = hasattr(function, "__self__")
    return least - own, most - own


@functools.lru_cache(maxsize=500)
def _parameters(function: Callable) -> tuple[int, float]:
    least, most = 0, 0.0
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            most = math.inf
        else:
            least += p.default is p.empty
            most += 1
    return least, most
