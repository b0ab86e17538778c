"""Names in expressions: which inputs a function of time may require, and variables written out in place."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from functools import partial
from typing import Any

from ..expressions import (
    CONSTANTS,
    Binary,
    Call,
    ExpressionError,
    Fault,
    If,
    Name,
    Node,
    Number,
    OwnNumber,
    Unary,
    evaluate,
    parse,
    rebuilt,
)
from ..expressions.psd import sines
from ..model import Model, ModelError
from ..model.base import ELEMENT_TYPES
from ..model.constants import constants_of
from ..model.data_files import spline_points

MAX_INLINE = 50
APART = "_apart"  # of a model: see `keep_apart`
#: parameter of an input (id, one of `COURSE`), and the function that its VARIABLE has; names that no text can hold
INPUT, BASE = "@INPUT", "@BASE"
GIVEN, VALUE, SLOPE, SINCE = range(4)  # 1 once the input has been set; its course: VALUE + SLOPE (TIME - SINCE)


def argument_id(model: Model, kind: str, node: Node) -> int:
    """Id that an argument of a function names: a whole number, or the name of an element."""
    if isinstance(node, Number):
        if node.value != math.floor(node.value) or node.value > 2**62:
            raise ExpressionError(f"an id must be a whole number, not {node.value}", node.column)
        return int(node.value)
    if isinstance(node, Unary) and isinstance(node.operand, Number) and node.operand.value == 0:
        return 0
    if isinstance(node, Name):
        try:
            return model.find(kind, node.name).id
        except ModelError as error:
            raise ExpressionError(str(error), node.column) from None
    raise ExpressionError(f"expected the id or name of a {kind}", getattr(node, "column", 0))


def no_marker(model: Model, id: int) -> str:
    """Text of an error about a marker that does not exist; it names the elements that have its id."""
    others = [table[id].label for kind in ELEMENT_TYPES if kind != "MARKER" and id in (table := model.table(kind))]
    known = f"; {', '.join(others[:3])} has that id, and is not a marker: give one of its markers" if others else ""
    return f"there is no MARKER/{id} in model '{model.name}'{known}"


def _found(model: Model, kind: str, node: Node):
    number = argument_id(model, kind, node)
    if number not in model.table(kind):
        raise ExpressionError(f"there is no {kind}/{number}", node.column)
    return model.table(kind)[number]


def read_function(model: Model, text: str, element: Any = None) -> Node:
    """The tree of a function, with every INVPSD written out as the sines that it means.  Constants of the ``element``
    that has this function which a derivative names (`keep_apart`) are numbers of their own."""
    tree = parse(text)
    tree = written_out(model, tree) if "INVPSD" in text.upper() else tree
    marks = vars(model).get(APART, {}).get((element.KIND, element.id), ()) if element is not None else ()
    spans = []
    for field, index in marks:
        # a carrier of a condition has another text while conditions are read, with fewer constants
        if getattr(element, field, None) == text and index < len(constants := constants_of(text)):
            first, end, _ = constants[index]
            spans.append((first, end, (element.KIND, element.id, field, index)))

    def own(node: Node) -> Node:
        if isinstance(node, Number):
            tags = (tag for first, end, tag in spans if first < node.column <= end)
            return node if (tag := next(tags, None)) is None else OwnNumber(node.value, tag, column=node.column)
        return rebuilt(node, own)

    return own(tree) if spans else tree


def keep_apart(model: Model, constants: Iterable[tuple[str, int, str, int]]) -> None:
    """Constants of functions, each (type, id, field, number from 0), that programs of this model and of its copies do
    not merge with others of their value, and to which no rule for 0 and 1 applies."""
    marks: dict[tuple[str, int], set[tuple[str, int]]] = {}
    for kind, id, field, index in constants:
        marks.setdefault((kind, id), set()).add((field, index))
    vars(model)[APART] = marks


def apart(model: Model) -> list[tuple[str, int, str, int]]:
    """What `keep_apart` was given."""
    marks = vars(model).get(APART, {})
    return [(kind, id, field, k) for (kind, id), some in marks.items() for field, k in sorted(some)]


def written_out(model: Model, node: Node) -> Node:
    if not (isinstance(node, Call) and node.name == "INVPSD"):
        return rebuilt(node, partial(written_out, model))
    if len(node.args) != 7:
        raise ExpressionError(
            f"INVPSD(x, id, f0, f1, nf, linlog, seed) takes 7 arguments, not {len(node.args)},", node.column
        )
    x, spline, *numbers = node.args
    f0, f1, count, flag, seed = (
        _constant(n, what)
        for n, what in zip(
            numbers, ("lowest frequency", "highest frequency", "number of frequencies", "flag linlog", "seed")
        )
    )
    if count != math.floor(count) or flag not in (0.0, 1.0):
        raise ExpressionError(
            f"INVPSD takes a whole number of frequencies, and 0 (linear) or 1 (logarithmic) for linlog, not {count:g} "
            f"and {flag:g}",
            node.column,
        )
    data = spline_points(model, _found(model, "SPLINE", spline))
    if len(data.z) or not len(data.y):
        raise ExpressionError("INVPSD takes a SPLINE of one curve, density over frequency", spline.column)
    try:
        return sines(written_out(model, x), data.x, data.y[0], f0, f1, int(min(count, 1e9)), flag == 1.0, int(seed))
    except ExpressionError as error:
        raise error if error.column else ExpressionError(error.reason, node.column) from None


def _constant(node: Node, what: str) -> float:
    try:
        value = evaluate(node, {})
    except (ExpressionError, Fault):
        value = math.nan
    if not math.isfinite(value):
        raise ExpressionError(f"the {what} of INVPSD must be a constant", node.column)
    return value


def input_course(variable, base: Node | None) -> Node:
    """The function of an input: its course, and until it is set for the first time ``base``, the function that its
    VARIABLE has (None: a number, which the course begins with)."""
    given, value, slope, since = (
        Call(INPUT, (Number(float(variable.id)), Number(float(k)))) for k in (GIVEN, VALUE, SLOPE, SINCE)
    )
    course = Binary("+", value, Binary("*", slope, Binary("-", Name("TIME"), since)))
    return course if base is None else If(given, base, base, course)


def inline_variables(model: Model, node: Node, depth: int = 0, inputs: Container[int] = ()) -> Node:
    """VARVAL(v) replaced by the function of v, so that motions may use variables that depend on time only, and
    ``inputs``."""
    if depth > MAX_INLINE:
        raise ExpressionError("variables refer to each other in a circle")
    if isinstance(node, Call) and node.name == "VARVAL" and len(node.args) == 1:
        variable = _found(model, "VARIABLE", node.args[0])
        if variable.id in inputs and variable.input:
            return input_course(variable, None)
        if variable.routine or variable.function.upper().lstrip().startswith("USER"):
            raise ExpressionError(f"{variable.label} is a user routine, not a function of time")
        function = inline_variables(model, read_function(model, variable.function, variable), depth + 1, inputs)
        return input_course(variable, function) if variable.id in inputs else function
    return rebuilt(node, partial(inline_variables, model, depth=depth, inputs=inputs))


def inline_sensors(model: Model, node: Node, values: dict[int, float]) -> Node:
    """SENVAL(s) replaced by its value, where that cannot change within an analysis: sensors that are off or end it."""
    if isinstance(node, Call) and node.name == "SENVAL" and len(node.args) == 1:
        sensor = _found(model, "SENSOR", node.args[0])
        if sensor.active and not (sensor.returns or sensor.halt):
            raise ExpressionError(f"{sensor.label} may fire within an analysis; give it RETURN or HALT", node.column)
        return Number(float(values.get(sensor.id, 0.0)))
    return rebuilt(node, partial(inline_sensors, model, values=values))


class TimeResolver:
    """Inputs of a function of time: TIME is input 0; ``parameters(name, args)`` gives the places of others."""

    def __init__(self, model: Model, parameters=None):
        self.model = model
        self.parameters = parameters

    def input(self, name, args) -> int:
        if name == "TIME" and not args:
            return 0
        if self.parameters is not None and name == INPUT:
            return self.parameters(name, args)
        raise ExpressionError(f"{name} is not a function of time")

    def spline(self, id):
        return spline_index(self.model, id)

    def curve(self, id):
        return curve_index(self.model, id)


def curve_index(model: Model, id) -> int:
    """Place of a CURVE among all curves of the model.  Raises KeyError where there is none."""
    try:
        element = model.find("CURVE", id)
    except ModelError:
        raise KeyError(id) from None
    return list(model.table("CURVE")).index(element.id)


def spline_index(model: Model, id) -> int:
    """Place of a SPLINE among all splines of the model."""
    element = model.find("SPLINE", id)
    return list(model.table("SPLINE")).index(element.id)


def time_derivative(node: Node) -> Node:
    """d/dt of an expression of states and time: DIF(i) -> DIF1(i), TIME -> 1.  Raises ExpressionError for anything
    else."""
    if isinstance(node, Number) or (isinstance(node, Name) and node.name in CONSTANTS):
        return Number(0.0)
    if isinstance(node, Name) and node.name == "TIME":
        return Number(1.0)
    if isinstance(node, Call) and node.name == "DIF":
        return Call("DIF1", node.args, column=node.column)
    if isinstance(node, Unary):
        return Unary(node.op, time_derivative(node.operand))
    if isinstance(node, Binary):
        a, b = node.left, node.right
        if node.op in "+-":
            return Binary(node.op, time_derivative(a), time_derivative(b))
        if node.op == "*":
            return Binary("+", Binary("*", time_derivative(a), b), Binary("*", a, time_derivative(b)))
        if node.op == "/":
            top = Binary("-", Binary("*", time_derivative(a), b), Binary("*", a, time_derivative(b)))
            return Binary("/", top, Binary("*", b, b))
    raise ExpressionError(
        "an implicit DIFF without its own DIF1 is an algebraic equation; it may be a sum, product or quotient of DIF "
        "and TIME",
        getattr(node, "column", 0),
    )
