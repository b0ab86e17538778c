"""Syntax tree to bytecode, and many programs to the flat arrays of the machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from . import opcodes as op
from .errors import ExpressionError, UnknownFunction
from .functions import CONSTANTS, FUNCTIONS, MEASURES, NOT_COMPUTED, check_arity
from .machine import Programs, binary_value, unary_value
from .nodes import Binary, Call, If, Name, Node, Number, OwnNumber, String, Unary
from .piecewise import Pieces, pack
from .splines import AKIMA, CUBIC, LINEAR, row_of

_UNARY = {
    "ABS": op.ABS,
    "ACOS": op.ACOS,
    "AINT": op.AINT,
    "ANINT": op.ANINT,
    "ASIN": op.ASIN,
    "ATAN": op.ATAN,
    "COS": op.COS,
    "COSH": op.COSH,
    "EXP": op.EXP,
    "INT": op.AINT,
    "LOG": op.LOG,
    "LOG10": op.LOG10,
    "NINT": op.ANINT,
    "SIN": op.SIN,
    "SINH": op.SINH,
    "SQRT": op.SQRT,
    "TAN": op.TAN,
    "TANH": op.TANH,
}
_BINARY = {"ATAN2": op.ATAN2, "MOD": op.MOD, "SIGN": op.SIGN, "MAX": op.MAX, "MIN": op.MIN}
_OPERATORS = {"+": op.ADD, "-": op.SUB, "*": op.MUL, "/": op.DIV, "**": op.POW}
_STEPS = {"STEP": op.STEP3, "STEP5": op.STEP5, "HAVSIN": op.HAVER}
_SPLINES = {"AKISPL": AKIMA, "CUBSPL": CUBIC}


class Resolver(Protocol):
    """What an expression requires of the model.  Each method may raise :class:`ExpressionError`, or ``KeyError`` when
    it does not know the name."""

    def input(self, name: str, args: tuple[Node, ...]) -> int:
        """Global index of TIME, MODE, DX(..), VARVAL(..), ...; the same measure must get the same index."""
        ...

    def spline(self, id: int | str) -> int:
        """Place of SPLINE/id among the packed splines."""
        ...

    def curve(self, id: int | str) -> int:
        """Place of CURVE/id among the packed curves."""
        ...


@dataclass(frozen=True, eq=False)
class Program:
    """A compiled expression.

    inputs
        Global indices of its distinct inputs, in order of appearance: the columns of its gradient.
    code
        uint32 (instructions, 5); jumps count words from the beginning of the program.
    constants, result, registers
        Constants, register of the result, number of registers.
    node, sources, tables
        The tree, the global index of each input node, and the table of each spline and curve, for :func:`explain`.
    """

    node: Node
    inputs: tuple[int, ...]
    code: np.ndarray
    constants: np.ndarray
    result: int
    registers: int
    sources: dict[Node, int]
    tables: dict[tuple[str, int | str], int]

    @property
    def spline_rows(self) -> set[int]:
        """Rows of the packed splines that the program reads (see ``pack_splines(used=...)``)."""
        return {int(p) >> 2 for o, _, _, _, p in self.code if o == op.SPLINE}

    @property
    def curves_read(self) -> set[int]:
        """Places of the curves that the program reads."""
        return {int(p) >> 4 for o, _, _, _, p in self.code if o == op.CURVE}


@dataclass(frozen=True)
class _Reg:
    """A register before numbering: kind ``i`` input, ``c`` constant, ``t`` temporary."""

    kind: str
    number: int


class _Own(float):
    """A constant that is kept apart (`nodes.OwnNumber`), or what is made of one: it meets no other of its value, and no
    rule for 0, 1 and whole powers applies to it."""

    tag: tuple

    def __new__(cls, value: float, tag: tuple):
        out = super().__new__(cls, value)
        out.tag = tag
        return out


_Operand = float | _Reg


def _is(a: _Operand, value: float) -> bool:
    """Whether an operand is this constant, and will be."""
    return a == value and not isinstance(a, _Own)


class _Builder:
    def __init__(self, resolver: Resolver):
        self.resolver = resolver
        self.code: list[list] = []
        self.inputs: list[int] = []
        self.temporaries = 0
        self.known: dict[tuple, _Reg] = {}
        self.sources: dict[Node, int] = {}
        self.tables: dict[tuple[str, int | str], int] = {}

    # -- instructions -------------------------------------------------------------------------------------------
    def emit(self, code: int, a: _Operand, b: _Operand = 0.0, parameter: int = 0) -> _Operand:
        """One instruction; constants are folded when the result is finite, and equal instructions are shared."""
        if isinstance(a, float) and isinstance(b, float) and code < op.SPLINE:
            try:
                folded = unary_value.py_func(code, a) if code < op.ADD else binary_value.py_func(code, a, b)
            except (ValueError, OverflowError, ZeroDivisionError):
                folded = math.nan
            if math.isfinite(folded):
                own = isinstance(a, _Own) or isinstance(b, _Own)
                return _Own(folded, (code, _key(a), _key(b))) if own else float(folded)
        key = (code, _key(a), _key(b), parameter)
        if key not in self.known:
            target = self.known[key] = self.temporary()
            self.code.append([code, target, a, b, parameter])
        return self.known[key]

    def temporary(self) -> _Reg:
        self.temporaries += 1
        return _Reg("t", self.temporaries - 1)

    def add(self, a: _Operand, b: _Operand) -> _Operand:
        if _is(a, 0.0) or _is(b, 0.0):
            return b if _is(a, 0.0) else a
        return self.emit(op.ADD, a, b)

    def sub(self, a: _Operand, b: _Operand) -> _Operand:
        return a if _is(b, 0.0) else self.emit(op.SUB, a, b)

    def mul(self, a: _Operand, b: _Operand) -> _Operand:
        if _is(a, 1.0) or _is(b, 1.0):
            return b if _is(a, 1.0) else a
        return self.emit(op.MUL, a, b)

    def power(self, a: _Operand, b: _Operand) -> _Operand:
        """Small whole powers become products."""
        whole = isinstance(b, float) and not isinstance(b, _Own) and b == int(b) and 1 <= abs(b) <= 8
        if isinstance(a, float) or not isinstance(b, float) or not whole:
            return 1.0 if _is(b, 0.0) else self.emit(op.POW, a, b)
        n = int(abs(b))
        square: _Operand = a
        result: _Operand = 1.0
        while n:
            if n & 1:
                result = self.mul(result, square)
            n >>= 1
            square = self.emit(op.MUL, square, square) if n else square
        return result if b > 0 else self.emit(op.DIV, 1.0, result)

    # -- tree ---------------------------------------------------------------------------------------------------
    def visit(self, node: Node) -> _Operand:
        if isinstance(node, OwnNumber):
            return _Own(node.value, node.tag)
        if isinstance(node, Number):
            return float(node.value)
        if isinstance(node, Name):
            return CONSTANTS[node.name] if node.name in CONSTANTS else self.input(node, node.name, ())
        if isinstance(node, Unary):
            return self.emit(op.NEG, self.visit(node.operand))
        if isinstance(node, Binary):
            a, b = self.visit(node.left), self.visit(node.right)
            if node.op == "**":
                return self.power(a, b)
            return self.emit(_OPERATORS[node.op], a, b)
        if isinstance(node, If):
            return self.choose(node)
        if isinstance(node, Call):
            if node.name not in FUNCTIONS:
                return self.input(node, node.name, node.args)
            check_arity(node.name, len(node.args), node.column)
            return self.call(node)
        if isinstance(node, String):
            raise ExpressionError(f"a string has no value: {node.text[:32]!r}", node.column)
        raise ExpressionError(f"{type(node).__name__} is not a node of an expression")

    def input(self, node: Node, name: str, args: tuple[Node, ...]) -> _Reg:
        if name in NOT_COMPUTED:
            raise ExpressionError(f"{name} {NOT_COMPUTED[name]};", node.column)
        try:
            index = int(self.resolver.input(name, args))
        except ExpressionError as error:
            if error.column:
                raise
            if isinstance(error, UnknownFunction):
                raise UnknownFunction(name, _KNOWN, node.column, "function" if args else "name") from None
            raise ExpressionError(error.reason, node.column) from None
        except KeyError:
            kind = "function" if isinstance(node, Call) else "name"
            raise UnknownFunction(name, _KNOWN, node.column, kind) from None
        self.sources[node] = index
        if index not in self.inputs:
            self.inputs.append(index)
        return _Reg("i", self.inputs.index(index))

    def choose(self, node: If) -> _Operand:
        cond = self.visit(node.cond)
        if isinstance(cond, float):
            return self.visit(node.neg if cond < 0.0 else node.zero if cond == 0.0 else node.pos)
        target = self.temporary()
        known = self.known
        choice: list = [op.IF, cond, cond, 0, 0]
        ends: list[list] = []
        places: dict[Node, int] = {}
        self.code.append(choice)
        for branch in (node.neg, node.zero, node.pos):
            if branch not in places:
                places[branch] = op.WORDS * len(self.code)
                self.known = dict(known)  # what a branch computes is not there for the others
                self.code.append([op.MOVE, target, self.visit(branch), 0.0, 0])
                ends.append([op.JUMP, cond, cond, 0, 0])
                self.code.append(ends[-1])
        self.known = known
        choice[3], choice[4] = places[node.zero], places[node.pos]
        for end in ends:
            end[3] = op.WORDS * len(self.code)
        return target

    def call(self, node: Call) -> _Operand:
        name, args = node.name, node.args
        if name in _SPLINES or name == "INTERP":
            return self.spline(node)
        if name == "CURVE":
            order = self.whole(args[1], "the order of a derivative", 0, 2)
            component = self.whole(args[2], "the component of CURVE", 1, 3)
            curve = self.index_of_table(node, "curve", args[3])
            return self.emit(op.CURVE, self.visit(args[0]), 0.0, ((curve * 4 + component - 1) << 2) + order)
        v = [self.visit(a) for a in args]
        if name in _UNARY:
            return self.emit(_UNARY[name], v[0])
        if name in _BINARY:
            result = v[0]
            for other in v[1:]:
                result = self.emit(_BINARY[name], result, other)
            return result
        if name == "DIM":
            return self.emit(op.PLUS, self.sub(v[0], v[1]))
        if name in _STEPS:
            x, x0, h0, x1, h1 = v
            if isinstance(x0, float) and x0 == x1:
                raise ExpressionError(f"{name} needs x0 and x1 to differ", node.column)
            return self.add(h0, self.mul(self.sub(h1, h0), self.step(_STEPS[name], x, x0, self.sub(x1, x0))))
        if name == "IMPACT":
            self.positive(v[6], "the penetration d of IMPACT", args[6])
            return self.impact(v[0], v[1], v[2], *v[3:])
        if name == "BISTOP":
            self.positive(v[7], "the penetration d of BISTOP", args[7])
            below = self.impact(v[0], v[1], v[2], *v[4:])
            negative = [self.emit(op.NEG, x) for x in (v[0], v[1], v[3])]
            return self.sub(below, self.impact(*negative, *v[4:]))
        if name == "SHF":
            x, x0, a, w, phi, b = v
            return self.add(self.mul(a, self.emit(op.SIN, self.sub(self.mul(w, self.sub(x, x0)), phi))), b)
        if name == "SWEEP":
            return self.sweep(node, *v)
        t = self.sub(v[0], v[1])
        if name == "POLY":
            result = v[-1]
            for a in reversed(v[2:-1]):
                result = self.add(self.mul(result, t), a)
            return result
        if name == "CHEBY":
            result = v[2]
            before: _Operand = 1.0
            now: _Operand = t
            for a in v[3:]:
                result = self.add(result, self.mul(a, now))
                before, now = now, self.sub(self.mul(2.0, self.mul(t, now)), before)
            return result
        wave = op.SIN if name == "FORSIN" else op.COS
        t = self.mul(v[2], t)
        result = v[3]
        for j, a in enumerate(v[4:], 1):
            if not _is(a, 0.0):
                result = self.add(result, self.mul(a, self.emit(wave, self.mul(float(j), t))))
        return result

    def step(self, kind: int, x: _Operand, x0: _Operand, width: _Operand) -> _Operand:
        return self.emit(kind, self.emit(op.DIV, self.sub(x, x0), width))

    def impact(self, q, qd, q1, k, e, c, d) -> _Operand:
        depth = self.emit(op.PLUS, self.sub(q1, q))
        elastic = self.mul(k, self.power(depth, e))
        damping = self.mul(self.mul(c, qd), self.step(op.STEP3, depth, 0.0, d))
        return self.emit(op.PLUS, self.sub(elastic, damping))

    def sweep(self, node: Call, x, a, x0, f0, x1, f1, dx) -> _Operand:
        for wide, what in ((self.sub(x1, x0), "x1 > x0"), (dx, "dx > 0")):
            if isinstance(wide, float) and wide <= 0.0:
                raise ExpressionError(f"SWEEP needs {what}", node.column)
        parts = [self.power(self.emit(op.PLUS, self.sub(x, end)), 2.0) for end in (x0, x1)]
        half = self.emit(op.DIV, self.sub(*parts), self.mul(2.0, self.sub(x1, x0)))
        phase = self.add(self.mul(f0, x), self.mul(self.sub(f1, f0), half))
        wave = self.emit(op.SIN, self.mul(2.0 * math.pi, phase))
        return self.mul(self.mul(a, wave), self.step(op.STEP5, x, x0, dx))

    def spline(self, node: Call) -> _Operand:
        args = node.args
        if node.name == "INTERP":
            method = self.whole(args[1], "the method of INTERP", 1, 3)
            if method == 2:
                raise ExpressionError("the method of INTERP is 1 (linear) or 3 (cubic)", args[1].column)
            kind = LINEAR if method == 1 else CUBIC
            z: _Operand = 0.0
        else:
            kind, z = _SPLINES[node.name], self.visit(args[1])
        order = self.whole(args[3], "the order of a derivative", 0, 2) if len(args) == 4 else 0
        row = row_of(self.index_of_table(node, "spline", args[2]), kind)
        return self.emit(op.SPLINE, self.visit(args[0]), z, (row << 2) + order)

    def index_of_table(self, node: Call, kind: str, arg: Node) -> int:
        """Require a spline or curve by its number or name."""
        id: int | str
        if isinstance(arg, Name) and arg.name not in CONSTANTS:
            id = arg.name
        elif isinstance(arg, String):
            id = arg.text
        else:
            id = self.whole(arg, f"the id of a {kind}", 0, 2**31)
        try:
            index = int(getattr(self.resolver, kind)(id))
        except KeyError:
            raise ExpressionError(f"there is no {kind} {id}, used by {node.name}", node.column) from None
        except ExpressionError as error:
            if error.column:
                raise
            raise ExpressionError(error.reason, node.column) from None
        self.tables[kind, id] = index
        return index

    def whole(self, node: Node, what: str, least: int, most: int) -> int:
        value = self.visit(node)
        if not isinstance(value, float) or value != math.floor(value) or not least <= value <= most:
            raise ExpressionError(f"{what} must be a whole number from {least} to {most}", node.column)
        return int(value)

    def positive(self, value: _Operand, what: str, node: Node) -> None:
        if isinstance(value, float) and value <= 0.0:
            raise ExpressionError(f"{what} must be positive", node.column)


_KNOWN = frozenset(FUNCTIONS) | MEASURES | frozenset(CONSTANTS) | {"IF"}


def _key(operand: _Operand):
    if isinstance(operand, _Reg):
        return operand
    if isinstance(operand, _Own):
        return operand.tag
    return np.float64(operand).tobytes()  # 0.0 and -0.0 differ


def compile_expression(node: Node, resolver: Resolver) -> Program:
    """Compile a tree.

    Constants are folded (PI, DTOR and RTOD are constants), equal subexpressions are computed once, IF evaluates only
    the branch it takes.  Raises :class:`ExpressionError`, with the column, for unknown names (suggesting a known
    one), wrong numbers of arguments, and arguments that must be constants (ids, orders, methods) and are not.
    """
    builder = _Builder(resolver)
    result = builder.visit(node)
    constants: dict[bytes | tuple, int] = {}
    values: list[float] = []
    n = len(builder.inputs)

    def constant(x: float) -> int:
        key = _key(x)
        if key not in constants:
            constants[key] = len(values)
            values.append(x)
        return constants[key]

    operands = [x for line in builder.code for x in line[1:4] if isinstance(x, float)]
    for x in [*operands, result]:
        if isinstance(x, float):
            constant(x)

    def number(x) -> int:
        if isinstance(x, float):
            return n + constants[_key(x)]
        if isinstance(x, _Reg):
            return x.number + {"i": 0, "t": n + len(values)}[x.kind]
        return x

    code = np.array([[number(x) for x in line] for line in builder.code], dtype=np.uint32).reshape(-1, op.WORDS)
    return Program(
        node,
        tuple(builder.inputs),
        code,
        np.array(values),
        number(result),
        n + len(values) + builder.temporaries,
        builder.sources,
        builder.tables,
    )


class ProgramSet:
    """Many programs as the flat arrays of the machine.

    ``arrays`` (:class:`Programs`) is passed to the kernels ``value``, ``gradient``, ``jet``; a program's number is its
    position in ``programs``.  ``work_size`` is the length of the scratch array, ``work()`` makes one.  ``splines`` and
    ``curves`` are packed tables, rows in the order that the resolver promised.
    """

    def __init__(
        self, programs: Sequence[Program], splines: Pieces | None = None, curves: Pieces | None = None
    ) -> None:
        self.programs = tuple(programs)
        self.splines = splines if splines is not None else pack([])
        self.curves = curves if curves is not None else pack([])
        constants = [p.constants for p in self.programs]
        inputs = [np.array(p.inputs, dtype=np.uint32) for p in self.programs]
        data_at = sum(c.size for c in constants)
        rows = [_moved(self.splines, data_at, True), _moved(self.curves, data_at + self.splines.data.size, False)]
        spline_at = 7 * len(self.programs)
        curve_at = spline_at + rows[0].size
        input_at = curve_at + rows[1].size
        code_at = input_at + sum(i.size for i in inputs)
        number_at = 0
        heads, codes = [], []
        for p in self.programs:
            code = p.code.astype(np.int64)
            code[code[:, 0] == op.IF, 3:] += code_at
            code[code[:, 0] == op.JUMP, 3] += code_at
            code[code[:, 0] == op.SPLINE, 4] = [
                ((spline_at + 6 * (q >> 2)) << 2) + (q & 3) for q in code[code[:, 0] == op.SPLINE, 4]
            ]
            code[code[:, 0] == op.CURVE, 4] = [
                ((curve_at + 6 * (q >> 4)) << 4) + (q & 15) for q in code[code[:, 0] == op.CURVE, 4]
            ]
            n, m = len(p.inputs), p.constants.size
            heads.append([code_at, code_at + code.size, input_at, n, number_at, m, p.result])
            codes.append(code.ravel())
            code_at += code.size
            input_at += n
            number_at += m
        words = np.concatenate([np.array(heads, dtype=np.int64).ravel(), *rows, *inputs, *codes, [0]])
        if words.max() >= 2**32:
            raise ExpressionError("too many expressions, splines and curves for 32-bit addresses")
        numbers = np.concatenate([*constants, self.splines.data, self.curves.data])
        self.arrays = Programs(words.astype(np.uint32), numbers)
        self.work_size = max([1, *(p.registers * max(3, 1 + len(p.inputs)) for p in self.programs)])

    def __len__(self) -> int:
        return len(self.programs)

    def work(self) -> np.ndarray:
        """A scratch array for the kernels."""
        return np.zeros(self.work_size)


def _moved(pieces: Pieces, by: int, surfaces: bool) -> np.ndarray:
    """Rows of tables whose data begin at number ``by``."""
    rows = pieces.rows.astype(np.int64).reshape(-1, 6)
    rows[:, [1, 2, 5] if surfaces else [1, 2]] += by
    return rows.ravel()
