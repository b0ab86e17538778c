"""User routines: how a ROUTINE= or USER(...) finds its Python function, and what that function may ask.

A routine is any callable ``f(call) -> number or sequence``.  ``call`` is a `UserCall`: ``call.id``,
``call.parameters``, ``call.time``, ``call.outputs`` (how many numbers are wanted), and ``call.measure(name, *ids)`` for
anything an expression could ask (``DX``, ``VARVAL``, ``DIF``, ...), as SYSFNC does in Adams.  Before the run each
routine is called once to learn what it asks (IFLAG in Adams: ``call.initial`` is true); during the run it may require
no more than that.
"""

from __future__ import annotations

from ..expressions import Call, ExpressionError, Name, Number, Unary, parse
from ..model import ModelError
from ..model.validate import part_names, routine_names


class MissingRoutine(ModelError):
    """A routine that is not registered."""


def user_parameters(text: str) -> tuple[float, ...]:
    """Numbers of ``USER(1, 2.5, -3)``."""
    node = parse(text or "USER()")
    if not isinstance(node, Call) or node.name != "USER":
        raise ExpressionError("USER(...) must be the whole function")
    out = []
    for a in node.args:
        sign = 1.0
        while isinstance(a, Unary):
            sign, a = -sign, a.operand
        if not isinstance(a, Number):
            raise ExpressionError("the parameters of USER must be numbers", a.column)
        out.append(sign * a.value)
    return tuple(out)


def find_routine(model, element, text, routine):
    """The registered function of an element: by ROUTINE name, by its own name, by kind, or the catch-all '*'."""
    names = routine_names(element, routine)
    for name in names:
        if name in model.routines:
            return name, model.routines[name]
    return names[0], None


class UserCall:
    """One call of a routine; see the module's text."""

    def __init__(self, routine: UserRoutine, time: float, values, initial: bool):
        self._routine = routine
        self._values = values
        self.time = time
        self.initial = initial
        self.id = routine.element.id
        self.parameters = routine.parameters
        self.outputs = routine.outputs

    def measure(self, name: str, *ids) -> float:
        return self._routine._measure(name.upper(), ids, self._values)


class CurveCall:
    """One call of the routine of a CURVE, which answers with the point (x, y, z) at ``alpha`` in [MINPAR, MAXPAR]."""

    def __init__(self, id: int, parameters: tuple[float, ...], alpha: float):
        self.id = id
        self.parameters = parameters
        self.alpha = alpha


def curve_routine(model, curve):
    """Python function alpha -> (x, y, z) of a CURVE with FUNCTION=USER(...).  Raises MissingRoutine."""
    parameters = user_parameters(curve.function) if curve.function else ()
    name, function = find_routine(model, curve, curve.function, curve.routine)
    if function is None:
        raise MissingRoutine(
            f"{curve.label}: user routine '{name}' with parameters {list(parameters)} is not registered; "
            f"give it with model.register({name!r}, function), a function whose call.alpha becomes a point (x, y, z)"
        )
    return lambda alpha: function(CurveCall(curve.id, parameters, alpha))


class UserRoutine:
    """Adapter between kernels and a user's function: values of the inputs in, ``outputs`` numbers out."""

    def __init__(self, functions, element, text, routine, outputs: int, part: str = ""):
        self.functions = functions
        self.element = element
        self.outputs = outputs
        self.zero = False  # it is not registered, and zeros are used instead
        try:
            self.parameters = user_parameters(text) if text and text.strip() else ()
        except ExpressionError as error:
            raise element.error(f"FUNCTION: {error}") from None
        if part:
            names = part_names(element, part)
            self.name = next((n for n in names if n in functions.model.routines), names[0])
            self.function = functions.model.routines.get(self.name)
        else:
            self.name, self.function = find_routine(functions.model, element, text, routine)
        if self.function is None and functions.system.ignore_missing:
            self.function, self.zero = (lambda call: [0.0] * outputs), True
        if self.function is None:
            raise MissingRoutine(
                f"{element.label}: user routine '{self.name}' with parameters {list(self.parameters)} is not "
                "registered; "
                f"give it with model.register({self.name!r}, function)"
            )
        self.inputs: list[int] = [0]
        self._place = {("TIME",): 0}
        self._learning = True
        self._call(None, initial=True)
        self._learning = False

    def _measure(self, name, ids, values) -> float:
        key = (name, *ids)
        if key not in self._place:
            if not self._learning:
                raise ModelError(
                    f"{self.element.label}: the routine requires {name}{ids} for the first time during the run; "
                    "request everything in the first call (call.initial)"
                )
            nodes = tuple(Number(float(i)) if not isinstance(i, str) else Name(i) for i in ids)
            index = self.functions.input(name, nodes)
            self._place[key] = len(self.inputs)
            self.inputs.append(index)
        return 0.0 if values is None else float(values[self._place[key]])

    def _call(self, values, initial=False):
        call = UserCall(self, 0.0 if values is None else float(values[0]), values, initial)
        try:
            result = self.function(call)
        except TypeError as error:
            if "UserCall" not in str(error):
                raise
            raise ModelError(
                f"{self.element.label}: its routine computes with the call that it is given ({error}); the time is "
                "call.time, and measures are call.measure(name, markers)"
            ) from error
        out = list(result) if hasattr(result, "__len__") else [result]
        if len(out) != self.outputs and not initial:
            raise ModelError(f"{self.element.label}: the routine returned {len(out)} values, {self.outputs} are needed")
        return out  # each becomes a float where it is written

    def __call__(self, values):
        return self._call(values)
