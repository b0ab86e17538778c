"""Plain evaluation of a syntax tree in Python: the definitions as the Adams manual writes them.

Slow, and independent of the bytecode: the tests compare the kernels with it, and :func:`explain` uses it to state which
operation of an expression failed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from .errors import ExpressionError
from .functions import CONSTANTS, FUNCTIONS, check_arity
from .nodes import Binary, Call, If, Name, Node, Number, String, Unary, to_text
from .piecewise import curve_component, surface_point
from .program import Program, ProgramSet
from .splines import AKIMA, CUBIC, LINEAR, row_of


class Fault(ExpressionError):
    """An operation without a value; the message names it with its arguments."""


Read = Callable[[Node], float]
Tables = Callable[[str, Node, list[float]], float]


def _trunc(a: float) -> float:
    return float(math.trunc(a))


def _nearest(a: float) -> float:
    whole = float(math.trunc(a))
    return whole + (math.copysign(1.0, a) if abs(a - whole) >= 0.5 else 0.0)


def _share(x: float, x0: float, x1: float) -> float:
    if x0 == x1:
        raise ZeroDivisionError
    return min(max((x - x0) / (x1 - x0), 0.0), 1.0)


def _step(x, x0, h0, x1, h1):
    t = _share(x, x0, x1)
    return h0 + (h1 - h0) * t**2 * (3 - 2 * t)


def _step5(x, x0, h0, x1, h1):
    t = _share(x, x0, x1)
    return h0 + (h1 - h0) * t**3 * (10 - 15 * t + 6 * t**2)


def _havsin(x, x0, h0, x1, h1):
    t = _share(x, x0, x1)
    return (h0 + h1) / 2 + (h1 - h0) / 2 * math.sin(t * math.pi - math.pi / 2)


def _impact(q, qd, q1, k, e, c, d):
    if q >= q1:
        return 0.0
    return max(0.0, k * (q1 - q) ** e - c * qd * _step(q, q1 - d, 1.0, q1, 0.0))


def _bistop(q, qd, q1, q2, k, e, c, d):
    if q < q1:
        return max(k * (q1 - q) ** e - _step(q, q1 - d, c, q1, 0.0) * qd, 0.0)
    if q > q2:
        return min(-k * (q - q2) ** e - _step(q, q2, 0.0, q2 + d, c) * qd, 0.0)
    return 0.0


def _cheby(x, x0, *a):
    t = x - x0
    polynomials = [1.0, t]
    while len(polynomials) < len(a):
        polynomials.append(2 * t * polynomials[-1] - polynomials[-2])
    return sum(c * p for c, p in zip(a, polynomials))


def _sweep(x, a, x0, f0, x1, f1, dx):
    if x <= x0:
        phase = f0 * x
    elif x < x1:
        phase = f0 * (x - x0) + (f1 - f0) / (2 * (x1 - x0)) * (x - x0) ** 2 + f0 * x0
    else:
        phase = f1 * x - (f1 - f0) / 2 * (x1 + x0)
    return _step5(x, x0, 0.0, x0 + dx, 1.0) * a * math.sin(2 * math.pi * phase)


_DEFINITIONS: dict[str, Callable[..., float]] = {
    "ABS": abs,
    "ACOS": math.acos,
    "AINT": _trunc,
    "ANINT": _nearest,
    "ASIN": math.asin,
    "ATAN": math.atan,
    "ATAN2": math.atan2,
    "COS": math.cos,
    "COSH": math.cosh,
    "DIM": lambda a, b: max(a - b, 0.0),
    "EXP": math.exp,
    "INT": _trunc,
    "LOG": math.log,
    "LOG10": math.log10,
    "MAX": max,
    "MIN": min,
    "MOD": math.fmod,
    "NINT": _nearest,
    "SIGN": lambda a, b: -abs(a) if b < 0 else abs(a),
    "SIN": math.sin,
    "SINH": math.sinh,
    "SQRT": math.sqrt,
    "TAN": math.tan,
    "TANH": math.tanh,
    "STEP": _step,
    "STEP5": _step5,
    "HAVSIN": _havsin,
    "IMPACT": _impact,
    "BISTOP": _bistop,
    "CHEBY": _cheby,
    "SWEEP": _sweep,
    "POLY": lambda x, x0, *a: sum(c * (x - x0) ** j for j, c in enumerate(a)),
    "FORSIN": lambda x, x0, w, a0, *a: a0 + sum(c * math.sin(j * w * (x - x0)) for j, c in enumerate(a, 1)),
    "FORCOS": lambda x, x0, w, a0, *a: a0 + sum(c * math.cos(j * w * (x - x0)) for j, c in enumerate(a, 1)),
    "SHF": lambda x, x0, a, w, phi, b: a * math.sin(w * (x - x0) - phi) + b,
}


def _power(a: float, b: float) -> float:
    if a == 0.0 and b < 0.0:
        raise ZeroDivisionError
    return math.pow(a, b)


def _divide(a: float, b: float) -> float:
    return a / b


_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "**": _power,
}


def _short(node: Node, most: int = 60) -> str:
    text = to_text(node)
    return text if len(text) <= most else text[: most - 3] + "..."


def _apply(function: Callable[..., float], shown: str, node: Node, *args: float) -> float:
    reason = "the result is not finite"
    try:
        result = function(*args)
        if isinstance(result, float | int) and math.isfinite(result):
            return float(result)
    except ExpressionError:
        raise
    except ZeroDivisionError:
        reason = "division by zero"
    except OverflowError:
        reason = "the result is too large"
    except ValueError:
        reason = "outside the domain of the function"
    raise Fault(f"{shown} fails: {reason}; it is in {_short(node)}", node.column)


def _no_tables(kind: str, node: Node, args: list[float]) -> float:
    raise ExpressionError(f"no {kind} data were given to evaluate {_short(node)}")


def evaluate(node: Node, inputs: Mapping[str, float] | Read, tables: Tables = _no_tables) -> float:
    """Value of a tree.

    ``inputs`` gives the value of an input: a mapping from its text (``"TIME"``, ``"DX(TIP, BASE)"``, as ``to_text``
    writes it) or a function of its node.  Raises :class:`Fault` when an operation has no finite value and
    :class:`ExpressionError` for an unknown input.
    """

    def read(node: Node) -> float:
        if callable(inputs):
            return float(inputs(node))
        try:
            return float(inputs[to_text(node)])
        except KeyError:
            raise ExpressionError(f"no value was given for {_short(node)}", node.column) from None

    def visit(node: Node) -> float:
        if isinstance(node, Number):
            return node.value
        if isinstance(node, Name) and node.name in CONSTANTS:
            return CONSTANTS[node.name]
        if isinstance(node, Name) or (isinstance(node, Call) and node.name not in FUNCTIONS):
            value = read(node)
            if not math.isfinite(value):
                raise Fault(f"the input {_short(node)} is {value}", node.column)
            return value
        if isinstance(node, Unary):
            return -visit(node.operand)
        if isinstance(node, Binary):
            a, b = visit(node.left), visit(node.right)
            return _apply(_OPERATIONS[node.op], f"{a:.6g} {node.op} {b:.6g}", node, a, b)
        if isinstance(node, If):
            cond = visit(node.cond)
            return visit(node.neg if cond < 0.0 else node.zero if cond == 0.0 else node.pos)
        if isinstance(node, String):
            raise ExpressionError("a string has no value", node.column)
        assert isinstance(node, Call)
        check_arity(node.name, len(node.args), node.column)
        if node.name in ("AKISPL", "CUBSPL", "INTERP", "CURVE"):
            kind = "curve" if node.name == "CURVE" else "spline"
            ids = 3 if kind == "curve" else 2
            args = [0.0 if k == ids else visit(a) for k, a in enumerate(node.args)]
            shown = ", ".join(f"{v:.6g}" for k, v in enumerate(args) if k != ids)
            return _apply(lambda: tables(kind, node, args), f"{node.name}({shown})", node)
        args = [visit(a) for a in node.args]
        shown = ", ".join(f"{v:.6g}" for v in args)
        return _apply(_DEFINITIONS[node.name], f"{node.name}({shown})", node, *args)

    return visit(node)


def _packed_tables(program: Program, programs: ProgramSet | None) -> Tables:
    def tables(kind: str, node: Node, args: list[float]) -> float:
        if programs is None:
            return _no_tables(kind, node, args)
        assert isinstance(node, Call)
        arg = node.args[3 if kind == "curve" else 2]
        id: int | str
        if isinstance(arg, Name) and arg.name not in CONSTANTS:
            id = arg.name
        else:
            id = arg.text if isinstance(arg, String) else int(evaluate(arg, {}))
        index = program.tables[kind, id]
        if kind == "curve":
            return curve_component(programs.curves, index, int(args[2]) - 1, int(args[1]), args[0])[0]
        order = int(args[3]) if len(args) == 4 else 0
        if node.name == "INTERP":
            row, z = row_of(index, LINEAR if args[1] == 1 else CUBIC), 0.0
        else:
            row, z = row_of(index, AKIMA if node.name == "AKISPL" else CUBIC), args[1]
        return surface_point(programs.splines, row, order, args[0], z)[0]

    return tables


def explain(program: Program, inputs, programs: ProgramSet | None = None) -> str:
    """Say in one sentence what a program gives for these global inputs, or which operation fails with which argument.

    ``programs``: the set that holds the tables, needed when the program reads splines or curves.
    """
    try:
        result = evaluate(program.node, lambda node: inputs[program.sources[node]], _packed_tables(program, programs))
    except ExpressionError as error:
        return str(error)
    return f"the value is {result:.12g}"
