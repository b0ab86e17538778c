"""Design-time expressions of Adams View (``(DV_1 * 2)``, ``(eval(.model.n + 1))``): a small evaluator, no Python eval.

Grammar: ``|| && ! == != < <= > >= // + - * / ** ()`` with names (``.model.DV_1``, ``i``), numbers with units
(``6inch``, ``30d``, ``7801.0(kg/meter**3)``), strings, ``{arrays}`` and functions.  Source: Adams View,
"Function Builder: design-time functions".  Raises `ViewError` for whatever it does not know.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 60
MAX_TEXT = 20_000

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|(?P<name>[.$]?[A-Za-z_][\w$]*(?:\.[A-Za-z_$][\w$]*)*)"
    r"|(?P<string>\"[^\"]*\"|'[^']*')|(?P<op>\|\||&&|==|!=|<=|>=|//|\*\*|[-+*/<>!(){},\[\]^]))"
)


class ViewError(Exception):
    """What an expression or a command lacks."""


class Angle(float):
    """Radians: a number that was written with an angle unit."""


class Place(list):
    """Three numbers in the ground frame, from a LOC_ or ORI_ function (ORI: radians)."""


def tokens(text: str) -> list[tuple[str, str, bool]]:
    """(kind, text, glued to the token before) of an expression."""
    if len(text) > MAX_TEXT:
        raise ViewError(f"the expression has {len(text)} characters, more than {MAX_TEXT}")
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


class Evaluator:
    """Values of expressions.

    ``lookup(name)`` gives variables and objects, ``unit(name)`` the factor of a unit or None.
    """

    def __init__(self, lookup: Callable[[str], Any], unit: Callable[[str], float | None], functions: dict[str, Callable]) -> None:
        self.lookup = lookup
        self.unit = unit
        self.functions = {**FUNCTIONS, **functions}

    def __call__(self, text: str) -> Any:
        self.list = tokens(text)
        self.at = 0
        self.depth = 0
        if not self.list:
            raise ViewError("the expression is empty")
        try:
            value = self.either()
        except (TypeError, ValueError, ZeroDivisionError, OverflowError, IndexError) as error:
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
            if op in ("==", "!="):
                same = str(value).lower() == str(other).lower() if isinstance(value, str) or isinstance(other, str) else value == other
                value = int(same == (op == "=="))
            else:
                value = int({"<": value < other, ">": value > other, "<=": value <= other, ">=": value >= other}[op])
        return value

    def concatenate(self) -> Any:
        value = self.add()
        while self.take("//"):
            value = as_text(value) + as_text(self.add())
        return value

    def add(self) -> Any:
        value = self.multiply()
        while op := self.take("+", "-"):
            value = _apply(op, value, self.multiply())
        return value

    def multiply(self) -> Any:
        value = self.unary()
        while op := self.take("*", "/"):
            value = _apply(op, value, self.unary())
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
            exponent = self.unary()
            if abs(float(exponent)) > 1000:
                raise ViewError(f"the exponent {exponent} is too large")
            value = float(value) ** float(exponent)
            if isinstance(value, complex):
                raise ViewError("a root of a negative number")
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
            value = self.call(text) if self.peek() == "(" else self.lookup(text)
            while self.peek() == "[":
                self.at += 1
                index = int(self.either())
                self.expect("]")
                value = value[index - 1]
            return value
        if self.take("("):
            value = self.either()
            self.expect(")")
            return value
        if self.take("{"):
            values = self.arguments("}")
            return values[0] if len(values) == 1 and isinstance(values[0], list) else values
        raise ViewError(f"'{text}' is not expected")

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
            return value * factor
        if text == "(":
            lookup, self.lookup = self.lookup, self.unit_factor
            try:
                self.at += 1
                factor = self.either()
                self.expect(")")
            finally:
                self.lookup = lookup
            return value * factor
        return value

    def unit_factor(self, name: str) -> float:
        factor = self.unit(name)
        if factor is None:
            raise ViewError(f"unknown unit '{name}'")
        return factor

    def arguments(self, close: str) -> list:
        values: list = []
        if self.take(close):
            return values
        while True:
            values.append(self.either())
            if self.take(close):
                return values
            self.expect(",")

    def call(self, name: str) -> Any:
        self.expect("(")
        key = name.upper()
        values = self.arguments(")")
        if key == "EVAL":
            if len(values) != 1:
                raise ViewError("EVAL takes one expression")
            return values[0]
        function = self.functions.get(key)
        if function is None:
            raise ViewError(f"the design-time function {key} is not supported")
        return function(*values)


def _apply(op: str, a: Any, b: Any) -> Any:
    if isinstance(a, list) or isinstance(b, list):
        if isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                raise ViewError("arrays of different length")
            return [_apply(op, x, y) for x, y in zip(a, b)]
        return [_apply(op, x, b) for x in a] if isinstance(a, list) else [_apply(op, a, y) for y in b]
    if isinstance(a, str) or isinstance(b, str):
        raise ViewError(f"text cannot be computed with '{op}'")
    value = a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a / b
    if not math.isfinite(value):
        raise ViewError("the value is not finite")
    angle = isinstance(a, Angle) != isinstance(b, Angle) if op in "*/" else isinstance(a, Angle) or isinstance(b, Angle)
    return Angle(value) if angle else value


def as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else repr(value)
    if isinstance(value, int):
        return str(value)
    name = getattr(value, "view_name", None)
    return name if name is not None else str(value)


def _mod(a: float, b: float) -> float:
    return math.fmod(a, b)


def _nearest(a: float) -> int:
    return int(math.floor(a + 0.5))


FUNCTIONS: dict[str, Callable] = {
    "ABS": abs,
    "SQRT": math.sqrt,
    "SIN": math.sin,
    "COS": math.cos,
    "TAN": math.tan,
    "EXP": math.exp,
    "LOG": math.log,
    "LOG10": math.log10,
    "ASIN": lambda a: Angle(math.asin(a)),
    "ACOS": lambda a: Angle(math.acos(a)),
    "ATAN": lambda a: Angle(math.atan(a)),
    "ATAN2": lambda a, b: Angle(math.atan2(a, b)),
    "SINH": math.sinh,
    "COSH": math.cosh,
    "TANH": math.tanh,
    "MIN": min,
    "MAX": max,
    "INT": int,
    "AINT": lambda a: float(int(a)),
    "NINT": _nearest,
    "ANINT": lambda a: float(_nearest(a)),
    "RTOI": _nearest,
    "ITOR": float,
    "CEIL": math.ceil,
    "FLOOR": math.floor,
    "MOD": _mod,
    "SIGN": lambda a, b: math.copysign(a, b),
    "RTOD": lambda: 180 / math.pi,
    "DTOR": lambda: math.pi / 180,
    "STOI": lambda s: int(float(s)),
    "STOR": float,
    "RTOS": as_text,
    "ITOS": as_text,
    "STOO": str,
    "STR_PRINT": lambda s: s,
    "STR_LENGTH": len,
    "UPPER": lambda s: s.upper(),
    "LOWER": lambda s: s.lower(),
    "UNIQUE_NAME": str,
    "SUM": lambda a: sum(a),
    "LEN": len,
    "ROWS": len,
    "MAG": lambda a: math.sqrt(sum(x * x for x in a)),
}
