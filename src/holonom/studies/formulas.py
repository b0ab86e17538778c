"""Formulas of parameters: derived values and constraints, as text.  They are read as a syntax tree of which only
arithmetic, comparisons and a few functions are allowed; nothing of it is executed as Python."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.kinds import is_number

LONGEST = 2000  # characters
FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs, "min": min, "max": max, "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "log10": math.log10,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "atan2": math.atan2, "floor": math.floor, "ceil": math.ceil, "hypot": math.hypot,
}  # fmt: skip
CONSTANTS = {"pi": math.pi}
Partials = tuple[float, ...]
_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
    ast.Mod: math.fmod,
}
#: derivatives of functions by their arguments
_PARTIALS: dict[str, Callable[..., Partials]] = {
    "abs": lambda a: (math.copysign(1.0, a),),
    "min": lambda *a: _of_one(a, min(a)),
    "max": lambda *a: _of_one(a, max(a)),
    "sqrt": lambda a: (0.5 / math.sqrt(a),),
    "exp": lambda a: (math.exp(a),),
    "log": lambda a, base=math.e: (
        1.0 / (a * math.log(base)),
        *([] if base == math.e else [-math.log(a) / (base * math.log(base) ** 2)]),
    ),
    "log10": lambda a: (1.0 / (a * math.log(10.0)),),
    "sin": lambda a: (math.cos(a),),
    "cos": lambda a: (-math.sin(a),),
    "tan": lambda a: (1.0 / math.cos(a) ** 2,),
    "asin": lambda a: (1.0 / math.sqrt(1.0 - a * a),),
    "acos": lambda a: (-1.0 / math.sqrt(1.0 - a * a),),
    "atan": lambda a: (1.0 / (1.0 + a * a),),
    "atan2": lambda a, b: (b / (a * a + b * b), -a / (a * a + b * b)),
    "floor": lambda a: (0.0,),
    "ceil": lambda a: (0.0,),
    "hypot": lambda *a: tuple(v / math.hypot(*a) for v in a),
}
_COMPARED = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


_BINARY_PARTIALS: dict[type[ast.operator], Callable[[float, float], Partials]] = {
    ast.Add: lambda a, b: (1.0, 1.0),
    ast.Sub: lambda a, b: (1.0, -1.0),
    ast.Mult: lambda a, b: (b, a),
    ast.Div: lambda a, b: (1.0 / b, -a / (b * b)),
    ast.Pow: lambda a, b: (
        b * math.pow(a, b - 1.0) if b else 0.0,
        math.log(a) * math.pow(a, b) if a > 0.0 else math.nan,
    ),
    ast.Mod: lambda a, b: (1.0, -float(math.trunc(a / b))),
}


def _of_one(arguments: Partials, chosen: float) -> Partials:
    """Derivatives of the smallest or largest of some numbers: those of the first that is it."""
    first = arguments.index(chosen)
    return tuple(float(k == first) for k in range(len(arguments)))


class Formula:
    """A formula of names: ``Formula("2 * sqrt(k * m)", ["k", "m"], "c")``; a call with values gives its number.

    ``comparison``: it is one or a chain of comparisons, "a + b <= 1", whose value is a truth value.  Raises ModelError,
    which begins with ``where``, for text that is not a formula and for names that do not exist."""

    def __init__(self, text: Any, names: Iterable[str], where: str, comparison: bool = False) -> None:
        self.text, self.where, self._names = text, where, list(names)
        if is_number(text) and not comparison:
            text = repr(text)
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
            raise ModelError(f"{where}: a formula is a text, as '2 * sqrt(k * m)', got {shown(text)}")
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise self._fault() from None
        if isinstance(tree, ast.Compare) != comparison:
            wanted = "a comparison, as 'a + b <= 1'" if comparison else "a number, not a comparison"
            raise ModelError(f"{where}: {shown(text)} must be {wanted}")
        self._check(tree)
        self._tree = tree

    def _fault(self) -> ModelError:
        return ModelError(f"{self.where}: {shown(self.text)} is not a formula")

    def _check(self, node: ast.AST) -> None:
        if isinstance(node, ast.Constant) and is_number(node.value):
            return
        if isinstance(node, ast.Name):
            known = [*self._names, *CONSTANTS]
            if node.id not in known:
                raise ModelError(f"{self.where}: there is no parameter {shown(node.id)}{did_you_mean(node.id, known)}")
            if node.id in CONSTANTS and node.id in self._names:
                raise ModelError(f"{self.where}: '{node.id}' is a constant, and a name of this study; rename that")
            return
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            parts: list[ast.AST] = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            parts = [node.operand]
        elif isinstance(node, ast.Compare) and all(type(op) in _COMPARED for op in node.ops):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            if node.func.id not in FUNCTIONS:
                raise ModelError(
                    f"{self.where}: there is no function {shown(node.func.id)}{did_you_mean(node.func.id, FUNCTIONS)}"
                )
            parts = list(node.args)
        else:
            raise self._fault()
        for part in parts:
            self._check(part)

    def __call__(self, values: Mapping[str, Any]) -> Any:
        """Its value.  Raises ModelError where it has none, as the root of a negative number."""
        try:
            found = (self._value if isinstance(self._tree, ast.Compare) else self._number)(self._tree, values)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
            raise ModelError(f"{self.where}: {self.text} has no value ({error})") from None
        return found

    def slopes(self, values: Mapping[str, Any], of: Mapping[str, np.ndarray]) -> np.ndarray:
        """Its derivatives (k,), by the chain rule from those of the names, ``of``: zero for others.  Raises ModelError
        where it has none, as the root of zero."""
        try:
            found = self._slopes(self._tree, values, of)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
            raise ModelError(f"{self.where}: {self.text} has no derivative ({error})") from None
        return found + np.zeros_like(next(iter(of.values())))

    def _slopes(self, node: Any, values: Mapping[str, Any], of: Mapping[str, np.ndarray]) -> Any:
        if isinstance(node, ast.Name):
            return of.get(node.id, 0.0)
        if isinstance(node, ast.UnaryOp):
            found = self._slopes(node.operand, values, of)
            return -found if isinstance(node.op, ast.USub) else found
        if isinstance(node, ast.BinOp):
            arguments, partials = [node.left, node.right], _BINARY_PARTIALS[type(node.op)]
        elif isinstance(node, ast.Call):
            arguments, partials = node.args, _PARTIALS[node.func.id]  # type: ignore[attr-defined]
        else:
            return 0.0  # a number
        inner = [self._slopes(a, values, of) for a in arguments]
        if not any(np.any(part) for part in inner):  # a constant, also where the function has no derivative
            return 0.0
        numbers = [self._number(a, values) for a in arguments]
        found = 0.0
        for partial, part in zip(partials(*numbers), inner):
            if np.any(part):
                if not math.isfinite(partial):
                    raise ValueError("not differentiable")
                found = found + partial * part
        return found

    def _value(self, node: Any, values: Mapping[str, Any]) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return values[node.id] if node.id in values else CONSTANTS[node.id]
        if isinstance(node, ast.BinOp):
            return _BINARY[type(node.op)](self._number(node.left, values), self._number(node.right, values))
        if isinstance(node, ast.UnaryOp):
            value = self._number(node.operand, values)
            return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.Call):
            return FUNCTIONS[node.func.id](*(self._number(a, values) for a in node.args))  # type: ignore[attr-defined]
        left = node.left
        for op, right in zip(node.ops, node.comparators):
            part = self._value if isinstance(op, (ast.Eq, ast.NotEq)) else self._number  # texts are equal or not
            if not _COMPARED[type(op)](part(left, values), part(right, values)):
                return False
            left = right
        return True

    def _number(self, node: Any, values: Mapping[str, Any]) -> float:
        """The value of a part that calculates.  Raises TypeError for a text: "1" times 2 would be "11"."""
        value = self._value(node, values)
        if isinstance(value, str):
            raise TypeError(f"{node.id} is the text {shown(value)}, not a number")
        return value


def names_in(text: Any) -> set[str]:
    """Names that a formula reads, its functions among them."""
    return {node.id for node in ast.walk(ast.parse(str(text).strip(), mode="eval")) if isinstance(node, ast.Name)}


class Rules:
    """What follows from the parameters: ``derived``, name -> formula of parameters and derived values before it;
    ``where``, comparisons that must be met before a run."""

    def __init__(self, names: list[str], derived: Mapping[str, Any] | None, where: Iterable[str] | None) -> None:
        if derived is not None and not isinstance(derived, Mapping):
            raise ModelError(f"study: derived is a table of name and formula, got {shown(derived)}")
        self.names = frozenset(names)
        known = list(names)
        self.derived: dict[str, Formula] = {}
        for name, text in (derived or {}).items():
            if name in known:
                raise ModelError(f"derived parameter '{name}' is a parameter already; give it once")
            self.derived[name] = Formula(text, known, f"derived parameter '{name}'")
            known.append(name)
        if isinstance(where, str):
            where = [where]
        self.where = [Formula(text, known, "where", comparison=True) for text in where or ()]

    def slopes(self, values: Mapping[str, Any], names: Sequence[str]) -> dict[str, np.ndarray]:
        """Derivatives (k,) of parameters and derived values by the parameters ``names``.  Raises ModelError where one
        has none."""
        out = dict(zip(names, np.eye(len(names))))
        for name, formula in self.derived.items():
            out[name] = formula.slopes(values, out)
        return out

    def extended(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """A point with its derived values.  Raises ModelError where one has no value."""
        out = dict(point)
        for name, formula in self.derived.items():
            out[name] = float(formula(out))
        return out

    def fault(self, point: Mapping[str, Any]) -> str:
        """Which constraint a point does not meet, or an empty text."""
        try:
            values = self.extended(point)
            for formula in self.where:
                if not formula(values):
                    return f"the parameters do not meet {formula.text}"
        except ModelError as error:
            return str(error)
        return ""

    def distinct(self, measures: Iterable[str], same: Collection[str] = ()) -> None:
        """Raise ModelError for a measure with the name of a parameter: a table and a formula would have one of both.
        ``same``: measures that repeat the value of their parameter."""
        for name in measures:
            if name in self.names and name not in same:
                raise ModelError(
                    f"measure {shown(name)} has the name of a parameter; give it another one, as {shown(f'{name}_out')}"
                )

    def to_json(self) -> dict[str, Any]:
        """What a definition holds of them; nothing where there are none."""
        out: dict[str, Any] = {}
        if self.derived:
            out["derived"] = {name: formula.text for name, formula in self.derived.items()}
        if self.where:
            out["where"] = [formula.text for formula in self.where]
        return out
