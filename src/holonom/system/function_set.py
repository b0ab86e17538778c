"""Functions over shared inputs: expressions of a model compiled to the tables of `functions`, with inputs, order of
evaluation, loops, gradients."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..elements.measures import MEASURES, frames_of
from ..expressions import (
    CONSTANTS,
    ELEMENT_FORCES,
    Call,
    ExpressionError,
    Fault,
    Name,
    Node,
    Number,
    ProgramSet,
    Unary,
    compile_expression,
    evaluate,
    freeze,
    periods,
    to_text,
    walk,
)
from ..model import Model, ModelError
from . import functions as fk
from .callbacks import Callbacks
from .control import READ
from .delay import Delayed
from .names import BASE, INPUT, curve_index, input_course, read_function, time_derivative
from .user import UserRoutine

HELD = "@HELD"  # the branch of a switch; a name that no text can hold
FORCE_COMPONENTS = ("FM", "FX", "FY", "FZ", "TM", "TX", "TY", "TZ")


@dataclass
class Function:
    """One scalar function: a program, or a component of a user routine."""

    program: Any = None
    user: int = -1
    component: int = 0
    residual: int = 0
    label: str = ""
    var_input: int = -1

    def own(self, owner) -> list[int]:
        return list(self.program.inputs) if self.user < 0 else owner.user_inputs[self.user]


@dataclass
class Input:
    kind: int
    code: int = 0
    args: tuple[int, int, int, int] = (0, 0, 0, 0)
    ref: int = -1
    level: int = 0
    sources: list[tuple[int, int, int]] = field(default_factory=list)  # force inputs
    label: str = ""
    start: float = 0.0


@dataclass
class Switch:
    """A condition on which an expression branches, and the input that can hold its branch; ``jump``: the value may
    jump."""

    condition: Node
    label: str
    jump: bool
    input: int = -1


class FunctionSet:
    """Functions over shared inputs, with the variables they need, in order of evaluation.

    ``frames`` offers ``frame(marker_id)``; used once for the equations of motion and once for outputs.
    """

    def __init__(self, system, frames):
        self.system = system
        self.model: Model = system.model
        self.frames = frames
        self.inputs: list[Input] = [Input(fk.TIME)]
        self._input_index: dict = {("TIME",): 0}
        self.functions: list[Function] = []
        self._variable: dict[tuple, int] = {}  # key -> function
        self._zero: dict[int, bool] = {}  # user routine -> whether zeros stand instead
        self.callbacks = Callbacks()
        self.user_inputs: list[list[int]] = []
        self.user_names: list[str] = []
        self._refs = 0
        self.delays: list[Delayed] = []
        #: switches of the expressions, whose branches can be held fast; None: expressions are compiled as they are
        self.switches: list[Switch] | None = None
        self._switch_index: dict[Node, int] = {}
        #: calls of splines, and whose they are
        self.lookups: dict[Call, str] = {}
        #: what the expressions repeat themselves in (`expressions.periods`): whether the shape in between is open, and
        #: whose it is
        self.periods: dict[Node, tuple[bool, str]] = {}
        #: expressions that TIME occurs in, or a VARIABLE, with whose they are
        self.over_time: list[tuple[Node, str]] = []

    # ---- resolver protocol ----------------------------------------------------------------------------------------
    def spline(self, id):
        return self.system.functions.spline_number(id)

    def curve(self, id):
        return curve_index(self.model, id)

    def _new(self, key, item: Input) -> int:
        if key not in self._input_index:
            self._input_index[key] = len(self.inputs)
            self.inputs.append(item)
        return self._input_index[key]

    def _id(self, kind: str, node: Node) -> int:
        from .names import argument_id

        return argument_id(self.model, kind, node)

    def input(self, name: str, args) -> int:
        if name == "TIME" and not args:
            return 0
        if name == HELD:
            index = self._new(("SWITCH", args[0]), Input(fk.PARAMETER, fk.BRANCH, label="switch"))
            if (
                self.switches is not None
            ):  # a condition with a branch inside is checked by others, who only read the branch
                self.switches[int(args[0].value)].input = index  # type: ignore[attr-defined]
            return index
        if name == INPUT:
            key = (INPUT, *(int(a.value) for a in args))
            return self._new(key, Input(fk.PARAMETER, label="input"))
        if name == BASE:
            return self._input_index[BASE, int(args[0].value)]
        if name == "MODE" and not args:
            return self._new(("MODE",), Input(fk.PARAMETER, label="MODE"))
        if name in MEASURES:
            return self._measure(name, args)
        if name in ("VARVAL", "DIF", "DIF1", "ARYVAL", "SENVAL", "PINVAL", "POUVAL"):
            return getattr(self, f"_{name.lower()}")(args)
        if name == "CONTROL":
            return self._control_output(args)
        if name == "FMU":
            return self._fmu_output(args)
        if name in READ:
            return self.system.functions.control.input(self, name, *(int(a.value) for a in args))
        if name in FORCE_COMPONENTS:
            return self._marker_force(name, args)
        if name in ELEMENT_FORCES:
            return self._element_force(name, args)
        if name == "ORIENT":
            return self._orient(args)
        if name == "DELAY":
            return self._delay(args)
        if name == "USER":
            raise ExpressionError("USER(...) must be the whole function, not a part of it")
        raise KeyError(name)

    def _measure(self, name, args) -> int:
        ids = [self._id("MARKER", a) for a in args]
        ids = [self._followed(name, k, i) for k, i in enumerate(ids)]
        try:
            frames = frames_of(name, [self.frames.frame(i) for i in ids])
        except ValueError as error:
            raise ExpressionError(str(error)) from None
        m = MEASURES[name]
        key = (name, *frames)
        if key not in self._input_index:
            ref = -1
            if m.is_angle:
                ref = self._refs
                self._refs += 1
            self._new(key, Input(fk.MEASURE, m.code, frames, ref, m.level, label=f"{name}({','.join(map(str, ids))})"))
        return self._input_index[key]

    def _followed(self, name: str, slot: int, id: int) -> int:
        """The marker that stands where a marker is: itself, or the I marker that a floating one is kept upon."""
        marker = self.model.markers.get(id)
        if marker is None or not marker.floating:
            return id
        on = next(
            (
                e
                for kind in ("VFORCE", "VTORQUE", "GFORCE", "PTCV")
                for e in self.model.table(kind).values()
                if e.jfloat == id
            ),
            None,
        )
        if on is None:
            raise ExpressionError(
                f"{marker.label} floats, and no VFORCE, VTORQUE, GFORCE or PTCV places it; use a fixed marker"
            )
        if name not in PLACES or slot > 1:
            where = "in the third position" if name in PLACES else f"; only {', '.join(PLACES)} do"
            raise ExpressionError(
                f"{name} takes no floating marker {where}: {marker.label} has the position of MARKER/{on.i}, "
                f"but axes and "
                "a speed that are not kept here; "
                f"use MARKER/{on.i}".replace(" ;", ";")
            )
        return on.i

    def frame_measure(self, name: str, frames) -> int:
        """A measure between frames that no marker has."""
        given = tuple(dict(zip(MEASURES[name].slots, frames)).get(c, 0) for c in "ijkl")
        return self._new(
            (name, *given), Input(fk.MEASURE, MEASURES[name].code, given, -1, MEASURES[name].level, label=name)
        )

    def _orient(self, args) -> int:
        """ORIENT(type, component, i, j): only as an output; evaluated in Python after the kernels."""
        if len(args) != 4:
            raise ExpressionError("ORIENT takes a type, a component and two markers")
        kind, component = (
            whole_number(a, what) for a, what in zip(args, ("the type of ORIENT", "the component of ORIENT"))
        )
        i, j = (self.frames.frame(self._id("MARKER", a)) for a in args[2:])
        return self._new(
            ("ORIENT", kind, component, i, j), Input(fk.PARAMETER, 100, (kind, component, i, j), label="ORIENT")
        )

    def _delay(self, args) -> int:
        """DELAY(expression, delay, history): an input that carries what the past of the expression says."""
        if len(args) != 3:
            raise ExpressionError(
                f"DELAY takes an expression, a delay and the history before the start, not {len(args)} arguments"
            )
        source, delay, history = args
        try:
            seconds = evaluate(delay, {})
        except (ExpressionError, Fault):
            seconds = None  # it varies
        if seconds is not None and not seconds > 0.0:
            raise ExpressionError(f"the delay of DELAY must be positive, it is {seconds:g}")

        def before(t: float) -> float:
            return evaluate(history, {"TIME": t})

        try:
            constant = float(evaluate(history, {}))
        except (ExpressionError, Fault):
            constant = None  # a function of time
        try:
            before(-1.0 if seconds is None else -seconds)
        except (ExpressionError, Fault) as error:
            raise ExpressionError(
                f"the history of DELAY must be a function of TIME alone ({str(error).split(' at column')[0]})"
            ) from None

        if self.system.at_rest:
            return self.carrier(("DELAYED", source), lambda: self.node(source, f"DELAY({to_text(source)})"))

        def make() -> int:
            carried = self.carrier(("DELAYED", source), lambda: self.node(source, f"DELAY({to_text(source)})"))
            by = (
                None
                if seconds is not None
                else self.carrier(("DELAYED", delay), lambda: self.node(delay, f"DELAY by {to_text(delay)}"))
            )
            one = Delayed(self.system.workspace, to_text(source), carried, seconds or np.inf, before, by, constant)
            self.delays.append(one)
            return self.own_function(
                SimpleNamespace(KIND="DELAY", id=len(self.delays), label=f"DELAY({to_text(source)})"), one, 0
            )

        return self.carrier(("DELAY", *args), make)

    def _one(self, name, args, kind) -> int:
        if len(args) != 1:
            raise ExpressionError(f"{name} takes one argument, not {len(args)}")
        return self._id(kind, args[0])

    def _varval(self, args) -> int:
        return self.variable(self._one("VARVAL", args, "VARIABLE"))

    def variable(self, id: int) -> int:
        """Input that carries the value of VARIABLE/id."""
        variable = self.model.table("VARIABLE").get(id)
        if variable is None:
            raise ExpressionError(f"there is no VARIABLE/{id}")
        make = lambda: self.compile(variable, variable.function, variable.routine)
        if id not in self.system.inputs:
            return self.carrier(("VARIABLE", id), make, start=variable.ic)
        base = None
        if not variable.input:
            self.carrier((BASE, id), make, start=variable.ic)
            base = Call(BASE, (Number(float(id)),))
        return self.carrier(
            ("VARIABLE", id), lambda: self.node(input_course(variable, base), variable.label), start=variable.ic
        )

    def carrier(self, key, make, start: float = 0.0, residual: int = 0) -> int:
        """Input that carries the value of the function that ``make`` builds (built once, circles allowed)."""
        if key not in self._input_index:
            k = self._new(key, Input(fk.FUNCTION, label=f"{key[0]}/{key[1]}"))
            self.inputs[k].start = start
            f = make()
            function = self.functions[f]
            if function.var_input >= 0:  # the same function already carries another input: give this one its own copy
                self.functions.append(
                    Function(function.program, function.user, function.component, residual, function.label)
                )
                f = len(self.functions) - 1
                function = self.functions[f]
            function.var_input = k
            function.residual = residual
            self._variable[key] = f
        return self._input_index[key]

    def _dif(self, args) -> int:
        return self.state(("DIFF", self._one("DIF", args, "DIFF")))

    def state(self, key) -> int:
        builder = self.system.functions
        k = builder.state_number(key)
        return self._new(("STATE", k), Input(fk.STATE, 0, (k, 0, 0, 0), label=str(key)))

    def _dif1(self, args) -> int:
        return self.diff_rate(self._one("DIF1", args, "DIFF"))

    def diff_rate(self, id: int) -> int:
        diff = self.model.table("DIFF").get(id)
        if diff is None:
            raise ExpressionError(f"there is no DIFF/{id}")
        start = diff.ic[1] if len(diff.ic) > 1 else 0.0
        return self.carrier(("DIF1", id), lambda: self._diff_function(diff), start, int(diff.implicit))

    def _diff_function(self, diff) -> int:
        """Function of a DIFF; an implicit one that does not hold its own rate is an algebraic equation, and its time
        derivative gives the rate."""
        if diff.implicit and not diff.routine and not diff.function.strip().upper().startswith("USER"):
            try:
                tree = read_function(self.model, diff.function)
                own = (
                    n
                    for n in walk(tree)
                    if isinstance(n, Call) and n.name == "DIF1" and self._one("DIF1", n.args, "DIFF") == diff.id
                )
                if next(own, None) is None:
                    return self.node(time_derivative(tree), diff.label)
            except ExpressionError as error:
                raise diff.error(f"FUNCTION: {error}") from None
        return self.compile(diff, diff.function, diff.routine)

    def _aryval(self, args) -> int:
        if len(args) != 2:
            raise ExpressionError("ARYVAL takes an array and a component")
        array = self.model.table("ARRAY").get(self._id("ARRAY", args[0]))
        if array is None:
            raise ExpressionError(f"there is no ARRAY/{self._id('ARRAY', args[0])}")
        return self.array_input(array, whole_number(args[1], "the component of ARYVAL"))

    def array_input(self, array, component: int) -> int:
        k = component - 1
        if k < 0:
            raise ExpressionError(f"components of {array.label} are counted from 1, there is no {component}")
        if array.kind == "IC":
            if not 0 <= k < len(array.numbers):
                raise ExpressionError(f"{array.label} has {len(array.numbers)} numbers, no component {component}")
            key = ("CONSTANT", array.numbers[k])
            i = self._new(key, Input(fk.PARAMETER, label="number"))
            self.inputs[i].start = array.numbers[k]
            return i
        if array.kind == "U":
            if not 0 <= k < len(array.variables):
                raise ExpressionError(f"{array.label} has {len(array.variables)} variables, no component {component}")
            return self.variable(array.variables[k])
        if array.kind == "X":
            return self.state(("X", array.id, component))
        return self.carrier(
            ("Y", array.id, component), lambda: self.system.functions.block_output(self, array, component)
        )

    def _control_output(self, args) -> int:
        """CONTROL(block[, output])"""
        if len(args) not in (1, 2):
            raise ExpressionError(f"CONTROL takes a block and the number of an output, not {len(args)} arguments")
        block = self._element("CONTROL", self._id("CONTROL", args[0]))
        component = whole_number(args[1], f"the output of {block.label}") if len(args) > 1 else 1
        return self.system.functions.control.output(self, block, component)

    def _fmu_output(self, args) -> int:
        """FMU(fmu, output): of an FMU whose states are integrated with those of the model"""
        if len(args) != 2:
            raise ExpressionError(f"FMU takes an FMU and the number of an output, not {len(args)} arguments")
        element = self._element("FMU", self._id("FMU", args[0]))
        component = whole_number(args[1], f"the output of {element.label}")
        return self.system.functions.fmus.output(self, element, component)

    def _senval(self, args) -> int:
        return self._new(("SENVAL", self._one("SENVAL", args, "SENSOR")), Input(fk.PARAMETER, label="SENVAL"))

    def _pouval(self, args) -> int:
        return self._plant("POUTPUT", args)

    def _pinval(self, args) -> int:
        return self._plant("PINPUT", args)

    def _plant(self, kind, args) -> int:
        if len(args) not in (1, 2):
            raise ExpressionError(f"{kind[:3]}VAL takes an id and a component, not {len(args)} arguments")
        element = self._element(kind, self._id(kind, args[0]))
        component = whole_number(args[1], f"the component of {element.label}") if len(args) > 1 else 1
        if not 1 <= component <= len(element.variables):
            raise ExpressionError(f"{element.label} has {len(element.variables)} variables, no component {component}")
        return self.variable(element.variables[component - 1])

    def _element(self, kind: str, number: int):
        element = self.model.table(kind).get(number)
        if element is None:
            raise ExpressionError(f"there is no {kind}/{number}")
        return element

    # ---- forces as inputs -----------------------------------------------------------------------------------------
    def _force_input(self, key, sources, code, rm) -> int:
        return self._new(
            key,
            Input(fk.FORCE, code, (0, 0, rm, 0), sources=sources, label=f"{key[0]}({', '.join(map(str, key[1:]))})"),
        )

    def _marker_force(self, name, args) -> int:
        if not 1 <= len(args) <= 3:
            raise ExpressionError(f"{name} takes one to three markers, not {len(args)}")
        ids = [self._id("MARKER", a) for a in args]
        i, j, rm = (*ids, 0, 0)[:3]
        sources = self.system.functions.marker_sources(i, j)
        if not sources and self.system.functions.idle_between(i, j):
            return self._new(("LEFT OUT",), Input(fk.PARAMETER, label="0"))
        if not sources:
            raise ExpressionError(f"{name}({i},{j}): no force or constraint acts between these markers")
        return self._force_input((name, i, j, rm), sources, FORCE_COMPONENTS.index(name), self.frames.frame(rm))

    def _element_force(self, name, args) -> int:
        if len(args) not in (3, 4):
            raise ExpressionError(f"{name} takes an id, a flag for I or J, a component and a marker")
        id = self._id(ELEMENT_FORCES[name], args[0])
        if name == "NFORCE":
            return self._nforce(id, args)
        flag, component = (
            whole_number(a, f"the {what} of {name}") for a, what in zip(args[1:], ("flag for I or J", "component"))
        )
        rm = self._id("MARKER", args[3]) if len(args) > 3 else 0
        if flag not in (0, 1):
            raise ExpressionError(f"the flag of {name} is 0 (force on I) or 1 (on J), not {flag}")
        if not 1 <= component <= 8:
            raise ExpressionError(f"the component of {name} is a number from 1 to 8")
        source = self.system.functions.element_source(ELEMENT_FORCES[name], id)
        if source is None and self._left_out(ELEMENT_FORCES[name], id):
            return self._new(("LEFT OUT",), Input(fk.PARAMETER, label="0"))
        if name in ("GCON", "UCON") and source is not None:
            self.system.functions.check_side(name, id, flag)
        if source is None:
            kind = ELEMENT_FORCES[name]
            if id not in self.model.table(kind):
                raise ExpressionError(
                    f"{name}({id},...) reads {kind}/{id}, which does not exist; correct the id, or add the {kind},"
                )
            raise ExpressionError(
                f"{name}({id},...): {self.model.table(kind)[id].label} gives no force that a function can read in this "
                "version"
            )
        return self._force_input(
            (name, id, flag, component, rm), [(source, 1 if flag else 0, 1)], component - 1, self.frames.frame(rm)
        )

    def _nforce(self, id: int, args) -> int:
        """NFORCE(id, marker, component, rm): what acts at one of its markers; at J the reactions to all others."""
        at = self._id("MARKER", args[1])
        component = whole_number(args[2], "the component of NFORCE")
        rm = self._id("MARKER", args[3]) if len(args) > 3 else 0
        element = self._element("NFORCE", id)
        if not 1 <= component <= 8:
            raise ExpressionError("the component of NFORCE is a number from 1 to 8")
        if at not in element.ports:
            raise ExpressionError(
                f"NFORCE({id},{at},...): {element.label} does not act at MARKER/{at}; name one of "
                f"{', '.join(map(str, element.ports))}"
            )
        source = self.system.functions.element_source("NFORCE", id)
        if source is None:
            return self._new(("LEFT OUT",), Input(fk.PARAMETER, label="0"))
        n = len(element.imarkers)
        sources = (
            [(source + k, 1, 1) for k in range(n)] if at == element.j else [(source + element.imarkers.index(at), 0, 1)]
        )
        return self._force_input(("NFORCE", id, at, component, rm), sources, component - 1, self.frames.frame(rm))

    def _left_out(self, kind: str, id: int) -> bool:
        """Whether the element exists but gives no force because it was left out (``missing="zero"``) or is not
        active."""
        element = self.model.table(kind).get(id)
        if element is None or (element.active and not self.system.ignore_missing):
            return False
        text = f"{element.label}: its force is zero where functions require it"
        if element.active and text not in self.system.missing:
            self.system.leave_out(text)
        return True

    # ---- functions ------------------------------------------------------------------------------------------------
    def compile(self, element, text: str, routine: str | None = None, component: int = 0, outputs: int = 1) -> int:
        """Index of the function of an element's text; USER(...) becomes a component of its routine."""
        if routine or text.strip().upper().startswith("USER"):
            return self.user_function(element, text, routine, component, outputs)
        try:
            tree = read_function(self.model, text, element)
            timed = any(word in text.upper() for word in ("TIME", "VARVAL"))
            return self.tree(tree, element.label, timed)
        except ExpressionError as error:
            raise element.error(f"FUNCTION: {error}") from None

    def tree(self, tree: Node, label: str, timed: bool = False) -> int:
        """Index of the function of a tree, whose branches the equations of motion hold within a step; ``timed``: parts
        of it may be functions of time alone."""
        for part in walk(tree):
            if isinstance(part, Call) and part.name in ("AKISPL", "CUBSPL"):
                self.lookups[part] = label
        if self.switches is not None:
            if timed:
                self.over_time.append((tree, label))
            for phase, open_shape in periods(tree).items():
                self.periods[phase] = open_shape or self.periods.get(phase, (False, ""))[0], label
            tree = freeze(tree, lambda condition, jump: self._switch(condition, jump, label))
        return self.node(tree, label)

    def _switch(self, condition: Node, jump: bool, label: str) -> Node | None:
        """The node that holds the branch of a condition; None when it is constant, or known only after the equations
        are solved."""
        calls = {n.name for n in walk(condition) if isinstance(n, Call)}
        late = any(
            c in FORCE_COMPONENTS or c in ELEMENT_FORCES or c.startswith(("ACC", "WDT")) or c in ("DIF1", "USER")
            for c in calls
        )
        if late or not any(
            isinstance(n, Call) or (isinstance(n, Name) and n.name not in CONSTANTS) for n in walk(condition)
        ):
            return None
        k = self._switch_index.setdefault(condition, len(self._switch_index))
        if k == len(self.switches):  # type: ignore[arg-type]
            self.switches.append(Switch(condition, label, jump))  # type: ignore[union-attr]
        self.switches[k].jump = self.switches[k].jump or jump  # type: ignore[index]
        return Call(HELD, (Number(float(k)),))

    def node(self, tree: Node, label: str) -> int:
        self.functions.append(Function(compile_expression(tree, self), label=label))
        return len(self.functions) - 1

    def user_function(self, element, text, routine, component, outputs) -> int:
        key = ("USER", element.KIND, element.id)
        u = self._variable.get(key)
        if u is None:
            u = len(self.user_inputs)
            self.user_inputs.append([])
            self._variable[key] = u
            user = UserRoutine(self, element, text, routine, outputs)
            self._call_back(u, element, user)
            self._zero[u] = user.zero
        if self._zero[u]:  # nothing replaces it: no call of Python for it
            return self.node(Number(0.0), element.label)
        self.functions.append(Function(None, u, component, label=element.label))
        return len(self.functions) - 1

    def _call_back(self, u: int, element, user) -> None:
        self.user_inputs[u] = user.inputs
        self.callbacks.add(user, len(user.inputs))
        self.user_names.append(f"{element.label}, routine '{user.name}'")

    def own_function(self, element, routine, component: int) -> int:
        """A component of what a routine of this package returns, which knows its inputs."""
        key = ("OWN", element.KIND, element.id)
        u = self._variable.get(key)
        if u is None:
            u = self._variable[key] = len(self.user_inputs)
            self.user_inputs.append([])
            self._call_back(u, element, routine)
        self.functions.append(Function(None, u, component, label=element.label))
        return len(self.functions) - 1

    # ---- tables ---------------------------------------------------------------------------------------------------
    def order(self) -> tuple[list[list[int]], list[int]]:
        """Groups of functions in order of evaluation (Tarjan), and 1 for those that are loops."""
        n = len(self.functions)
        carrier = {f.var_input: k for k, f in enumerate(self.functions) if f.var_input >= 0}
        edges = [[carrier[i] for i in f.own(self) if i in carrier] for f in self.functions]
        groups, loops = [], []
        index, low, on, stack, count = [-1] * n, [0] * n, [False] * n, [], 0
        for root in range(n):
            if index[root] >= 0:
                continue
            work = [(root, 0)]
            while work:
                v, at = work.pop()
                if at == 0:
                    index[v] = low[v] = count
                    count += 1
                    stack.append(v)
                    on[v] = True
                again = False
                for k in range(at, len(edges[v])):
                    w = edges[v][k]
                    if index[w] < 0:
                        work += [(v, k + 1), (w, 0)]
                        again = True
                        break
                    if on[w]:
                        low[v] = min(low[v], index[w])
                if again:
                    continue
                if low[v] == index[v]:
                    group = []
                    while True:
                        w = stack.pop()
                        on[w] = False
                        group.append(w)
                        if w == v:
                            break
                    group.sort()
                    groups.append(group)
                    loops.append(int(len(group) > 1 or v in edges[v] or self.functions[v].residual == 1))
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[v])
        for group, loop in zip(groups, loops):
            for f in group:
                if loop and self.functions[f].var_input < 0:
                    raise ModelError(f"{self.functions[f].label}: this function depends on itself")
        return groups, loops

    def pack(
        self,
        forces: list,
        diffs: list[int],
        gcons: list[tuple[int, int]],
        gcon_states: list[int],
        nstates: int,
        offset: int,
    ) -> fk.Functions:
        """All tables.  forces: rows for VForces; diffs: function of each state's rate; gcons: (row, function);
        gcon_states: inputs that are states read by one."""
        groups, loops = self.order()
        self.groups, self.loops = groups, loops
        carrier = {f.var_input: k for k, f in enumerate(self.functions) if f.var_input >= 0}
        n = len(self.functions)
        flat: list[list[int]] = [[] for _ in range(n)]
        for group in groups:
            members = set(group)
            found: dict[int, None] = {}
            for e in group:
                for i in self.functions[e].own(self):
                    if i in carrier:
                        if carrier[i] not in members:
                            found.update(dict.fromkeys(flat[carrier[i]]))
                    else:
                        found[i] = None
            for e in group:
                flat[e] = list(found)
        own_ptr, own_target, own_exp = [0], [], []
        exp: list[int] = []
        for e, f in enumerate(self.functions):
            place = {i: k for k, i in enumerate(flat[e])}
            for i in f.own(self):
                if i in carrier:
                    g = carrier[i]
                    own_target.append(-g - 1)
                    own_exp.append(len(exp))
                    if set(flat[g]) <= set(place):
                        exp.extend(place[p] for p in flat[g])
                    else:  # a member of the same loop
                        exp.extend(0 for _ in flat[g])
                else:
                    own_target.append(place[i])
                    own_exp.append(0)
            own_ptr.append(len(own_target))
        I = lambda a: np.array(list(a), np.int64).reshape(-1)
        flat_ptr = np.concatenate([[0], np.cumsum([len(f) for f in flat])]).astype(np.int64)
        frames = self.frames.frame_list
        islot_ptr, islot_body = [0], []
        nb = self.system.nb
        for item in self.inputs:
            if item.kind == fk.MEASURE and item.level < 2:
                bodies = sorted({frames[a][0] for a in item.args} - {nb})
                islot_body += bodies
            islot_ptr.append(len(islot_body))
        self.flat, self.flat_ptr, self.islot_ptr, self.islot_body = flat, flat_ptr, islot_ptr, islot_body
        self.forces, self.diffs = forces, diffs
        nf = len(forces)
        geo = np.zeros((nf, 216), np.uint32)
        vf = fk.VForces(
            kind=I(f["kind"] for f in forces),
            i=I(f["i"] for f in forces),
            j=I(f["j"] for f in forces),
            rm=I(f["rm"] for f in forces),
            react=I(f["react"] for f in forces),
            f=np.array([f["f"] for f in forces], np.int64).reshape(nf, 6),
            out=np.zeros((nf, 6)),
            geo=geo,
            pos_ptr=np.zeros(nf + 1, np.int64),
            pos=np.zeros(1, np.uint32),
        )
        programs = [f.program if f.user < 0 else _EMPTY(self) for f in self.functions]
        functions = self.system.functions
        self.set = ProgramSet(
            programs, splines=functions.packed_splines(programs), curves=functions.packed_curves(programs)
        )
        upt = np.concatenate([[0], np.cumsum([len(u) for u in self.user_inputs])]).astype(np.int64)
        inp = fk.Inputs(
            I(i.kind for i in self.inputs),
            I(i.code for i in self.inputs),
            I(i.args[0] for i in self.inputs),
            I(i.args[1] for i in self.inputs),
            I(i.args[2] for i in self.inputs),
            I(i.args[3] for i in self.inputs),
            I(i.ref for i in self.inputs),
            I(i.level for i in self.inputs),
        )
        has_force = int(any(i.kind == fk.FORCE for i in self.inputs))
        has_acc = int(any(i.kind == fk.MEASURE and i.level == 2 for i in self.inputs))
        return fk.Functions(
            programs=self.set.arrays,
            user=I(f.user for f in self.functions),
            ucomp=I(f.component for f in self.functions),
            group_ptr=np.concatenate([[0], np.cumsum([len(g) for g in groups])]).astype(np.int64),
            group=I(e for g in groups for e in g),
            group_loop=I(loops),
            residual=I(f.residual for f in self.functions),
            var_input=I(f.var_input for f in self.functions),
            own_ptr=I(own_ptr),
            own_target=I(own_target),
            own_exp=I(own_exp),
            exp=I(exp),
            flat_ptr=flat_ptr,
            flat=I(i for f in flat for i in f),
            nstates=nstates,
            offset=offset,
            inputs=inp,
            islot_ptr=I(islot_ptr),
            islot_body=I(islot_body),
            vforce=vf,
            diff_f=I(diffs),
            diff_pos=np.zeros(1, np.uint32),
            gcon_row=I(r for r, _ in gcons),
            gcon_f=I(f for _, f in gcons),
            gcon_x=I(gcon_states),
            gcon_at=np.zeros(len(gcons) + 1, np.int64),
            gcon_pos=np.zeros(1, np.uint32),
            gcon_size=np.ones(1),
            src_ptr=np.concatenate([[0], np.cumsum([len(i.sources) for i in self.inputs])]).astype(np.int64),
            src=np.array([s for i in self.inputs for s in i.sources] or [(0, 0, 0)], np.int64),
            users=np.array([self.callbacks.address], np.int64),
            uptr=upt,
            uinputs=I(i for u in self.user_inputs for i in u),
            has_acc=has_acc,
            has_force=has_force,
        )

    def work(self) -> fk.FunctionWork:
        n = len(self.inputs)
        widest = max([len(g) + len(self.flat[g[0]]) + 2 for g, l in zip(self.groups, self.loops) if l] or [1])
        tall = max([len(g) for g, l in zip(self.groups, self.loops) if l] or [1])
        own = max([len(f.own(self)) for f in self.functions] or [1])
        z = np.zeros
        x = z(n)
        for k, item in enumerate(self.inputs):
            x[k] = getattr(item, "start", 0.0)
        users = max([len(u) for u in self.user_inputs] or [0])
        return fk.FunctionWork(
            x=x,
            xd=z(n),
            xdd=z(n),
            ref=z((max(self._refs, 1), 2)),
            clock=z(1),
            fval=z(len(self.functions)),
            own=z(own + 1),
            flat=z(int(self.flat_ptr[-1]) + 1),
            stack=self.set.work(),
            A=z((tall, max(widest, tall + 2))),
            B=z(1),
            islot=z((len(self.islot_body) + 1, 12)),
            gvec=z(96),
            KL=z((12, 18)),
            uout=z(18 + users),
            wr=self.system.wrenches,
            pos=z((self.system.nb + 1, 3)),
        )


def whole_number(node: Node, what: str) -> int:
    """An argument that is a whole number, as an id, a component or a flag."""
    sign = 1
    while isinstance(node, Unary):
        node, sign = node.operand, -sign
    if not isinstance(node, Number) or node.value != math.floor(node.value) or abs(node.value) > 2**31:
        raise ExpressionError(f"{what} must be a whole number", node.column)
    return sign * int(node.value)


#: measures of positions alone
PLACES = ("DX", "DY", "DZ", "DM")


def _EMPTY(resolver):
    return compile_expression(Number(0.0), resolver)
