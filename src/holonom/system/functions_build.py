"""Compiles the expressions of a model to the tables of `functions`: inputs, order of evaluation, loops, gradients."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ..elements.forces import beam as beam_force
from ..elements.forces.nonlinear_beam import NonlinearBeam
from ..elements.kinds import FORCES
from ..elements.measures import MEASURES, frames_of
from ..expressions import (
    CONSTANTS,
    Binary,
    Call,
    ExpressionError,
    Name,
    Node,
    Number,
    ProgramSet,
    Spline,
    SplineError,
    Unary,
    compile_expression,
    freeze,
    pack_splines,
    row_of,
    walk,
)
from ..model import Model, ModelError
from ..model.base import kinds_of
from ..model.data_files import matrix_values, spline_points
from ..model.kinds import MOST_STATES
from . import functions as fk
from .callbacks import Callbacks
from .names import BASE, INPUT, input_course, read_function, time_derivative
from .pairs import KINDS, Batch, Pairs
from .user import UserRoutine


def _bends(beam) -> bool:
    """Is it a beam of any rotations?"""
    return beam.formulation.upper() == "NONLINEAR"


HELD = "@HELD"  # the branch of a switch; a name that no text can hold
FORCE_COMPONENTS = ("FM", "FX", "FY", "FZ", "TM", "TX", "TY", "TZ")
ELEMENT_FORCES = {
    "JOINT": "JOINT", "JPRIM": "JPRIM", "MOTION": "MOTION", "PTCV": "PTCV", "CVCV": "CVCV", "SFORCE": "SFORCE",
    "VFORCE": "VFORCE", "VTORQ": "VTORQUE", "GFORCE": "GFORCE", "BUSH": "BUSHING", "BEAM": "BEAM", "FIELD": "FIELD",
    "SPDP": "SPRINGDAMPER", "FRICTION": "FRICTION", "CONTACT": "CONTACT", "NFORCE": "NFORCE", "GCON": "GCON", "UCON": "UCON",
}  # fmt: skip


@dataclass
class Function:
    """One scalar function: a program, or a component of a user routine."""

    program: object = None
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


@dataclass
class Switch:
    """A condition on which an expression branches, and the input that can hold its branch; ``jump``: the value may jump."""

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
        self._zero: dict[int, bool] = {}  # user routine -> whether zeros stand in its place
        self.callbacks = Callbacks()
        self.user_inputs: list[list[int]] = []
        self.user_names: list[str] = []
        self._refs = 0
        #: switches of the expressions, whose branches can be held fast; None: expressions are compiled as they are
        self.switches: list[Switch] | None = None
        self._switch_index: dict[Node, int] = {}

    # ---- resolver protocol ----------------------------------------------------------------------------------------
    def spline(self, id):
        return self.system.functions.spline_number(id)

    def curve(self, id):
        raise KeyError(id)

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
            index = self._new(("SWITCH", args[0]), Input(fk.PARAMETER, label="switch"))
            if self.switches is not None:  # a condition with a branch inside is looked at by others, who only read the branch
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
        if name in FORCE_COMPONENTS:
            return self._marker_force(name, args)
        if name in ELEMENT_FORCES:
            return self._element_force(name, args)
        if name == "ORIENT":
            return self._orient(args)
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
        on = next((e for kind in ("VFORCE", "VTORQUE", "GFORCE", "PTCV") for e in self.model.table(kind).values() if e.jfloat == id), None)
        if on is None:
            raise ExpressionError(f"{marker.label} floats, and no VFORCE, VTORQUE, GFORCE or PTCV places it; use a fixed marker")
        if name not in PLACES or slot > 1:
            where = "in the third place" if name in PLACES else f"; only {', '.join(PLACES)} do"
            raise ExpressionError(
                f"{name} takes no floating marker {where}: {marker.label} has the place of MARKER/{on.i}, but axes and a speed that are not kept here; "
                f"use MARKER/{on.i}".replace(" ;", ";")
            )
        return on.i

    def frame_measure(self, name: str, frames) -> int:
        """A measure between frames that no marker has."""
        given = tuple(dict(zip(MEASURES[name].slots, frames)).get(c, 0) for c in "ijkl")
        return self._new((name, *given), Input(fk.MEASURE, MEASURES[name].code, given, -1, MEASURES[name].level, label=name))

    def _orient(self, args) -> int:
        """ORIENT(type, component, i, j): only as an output; evaluated in Python after the kernels."""
        if len(args) != 4:
            raise ExpressionError("ORIENT takes a type, a component and two markers")
        kind, component = (whole_number(a, what) for a, what in zip(args, ("the type of ORIENT", "the component of ORIENT")))
        i, j = (self.frames.frame(self._id("MARKER", a)) for a in args[2:])
        return self._new(("ORIENT", kind, component, i, j), Input(fk.PARAMETER, 100, (kind, component, i, j), label="ORIENT"))

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
        return self.carrier(("VARIABLE", id), lambda: self.node(input_course(variable, base), variable.label), start=variable.ic)

    def carrier(self, key, make, start: float = 0.0, residual: int = 0) -> int:
        """Input that carries the value of the function that ``make`` builds (built once, circles allowed)."""
        if key not in self._input_index:
            k = self._new(key, Input(fk.FUNCTION, label=f"{key[0]}/{key[1]}"))
            self.inputs[k].start = start
            f = make()
            function = self.functions[f]
            if function.var_input >= 0:  # the same function already carries another input: give this one its own copy
                self.functions.append(Function(function.program, function.user, function.component, residual, function.label))
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
                own = (n for n in walk(tree) if isinstance(n, Call) and n.name == "DIF1" and self._one("DIF1", n.args, "DIFF") == diff.id)
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
        return self.carrier(("Y", array.id, component), lambda: self.system.functions.block_output(self, array, component))

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
        return self._new(key, Input(fk.FORCE, code, (0, 0, rm, 0), sources=sources, label=f"{key[0]}({', '.join(map(str, key[1:]))})"))

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
        flag, component = (whole_number(a, f"the {what} of {name}") for a, what in zip(args[1:], ("flag for I or J", "component")))
        rm = self._id("MARKER", args[3]) if len(args) > 3 else 0
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
                raise ExpressionError(f"{name}({id},...) reads {kind}/{id}, which does not exist; correct the id, or add the {kind},")
            raise ExpressionError(
                f"{name}({id},...): {self.model.table(kind)[id].label} gives no force that a function can read in this version"
            )
        return self._force_input((name, id, flag, component, rm), [(source, 1 if flag else 0, 1)], component - 1, self.frames.frame(rm))

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
                f"NFORCE({id},{at},...): {element.label} does not act at MARKER/{at}; name one of {', '.join(map(str, element.ports))}"
            )
        source = self.system.functions.element_source("NFORCE", id)
        if source is None:
            return self._new(("LEFT OUT",), Input(fk.PARAMETER, label="0"))
        n = len(element.imarkers)
        sources = [(source + k, 1, 1) for k in range(n)] if at == element.j else [(source + element.imarkers.index(at), 0, 1)]
        return self._force_input(("NFORCE", id, at, component, rm), sources, component - 1, self.frames.frame(rm))

    def _left_out(self, kind: str, id: int) -> bool:
        """Whether the element exists but gives no force because it was left out (``missing="zero"``) or is not active."""
        element = self.model.table(kind).get(id)
        if element is None or (element.active and not self.system.ignore_missing):
            return False
        text = f"{element.label}: its force is zero where functions ask for it"
        if element.active and text not in self.system.missing:
            self.system.leave_out(text)
        return True

    # ---- functions ------------------------------------------------------------------------------------------------
    def compile(self, element, text: str, routine: str | None = None, component: int = 0, outputs: int = 1) -> int:
        """Index of the function of an element's text; USER(...) becomes a component of its routine."""
        if routine or text.strip().upper().startswith("USER"):
            return self.user_function(element, text, routine, component, outputs)
        try:
            tree = read_function(self.model, text)
            if self.switches is not None:
                tree = freeze(tree, lambda condition, jump: self._switch(condition, jump, element.label))
            program = compile_expression(tree, self)
        except ExpressionError as error:
            raise element.error(f"FUNCTION: {error}") from None
        self.functions.append(Function(program, label=element.label))
        return len(self.functions) - 1

    def _switch(self, condition: Node, jump: bool, label: str) -> Node | None:
        """The node that holds the branch of a condition; None when it is constant, or known only after the equations are solved."""
        calls = {n.name for n in walk(condition) if isinstance(n, Call)}
        late = any(c in FORCE_COMPONENTS or c in ELEMENT_FORCES or c.startswith(("ACC", "WDT")) or c in ("DIF1", "USER") for c in calls)
        if late or not any(isinstance(n, Call) or (isinstance(n, Name) and n.name not in CONSTANTS) for n in walk(condition)):
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
        if self._zero[u]:  # nothing stands in its place: no call of Python for it
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

    def pack(self, forces: list, diffs: list[int], gcons: list[tuple[int, int]], nstates: int, offset: int) -> fk.Functions:
        """All tables.  forces: rows for VForces; diffs: function of each state's rate; gcons: (row, function)."""
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
        own_ptr, own_target, own_exp, exp = [0], [], [], []
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
            I(f["kind"] for f in forces), I(f["i"] for f in forces), I(f["j"] for f in forces), I(f["rm"] for f in forces),
            I(f["react"] for f in forces), np.array([f["f"] for f in forces], np.int64).reshape(nf, 6), np.zeros((nf, 6)), geo,
            np.zeros(nf + 1, np.int64), np.zeros(1, np.uint32),
        )  # fmt: skip
        programs = [f.program if f.user < 0 else _EMPTY(self) for f in self.functions]
        self.set = ProgramSet(programs, splines=self.system.functions.packed_splines(programs))
        upt = np.concatenate([[0], np.cumsum([len(u) for u in self.user_inputs])]).astype(np.int64)
        inp = fk.Inputs(
            I(i.kind for i in self.inputs), I(i.code for i in self.inputs), *(I(i.args[k] for i in self.inputs) for k in range(4)),
            I(i.ref for i in self.inputs), I(i.level for i in self.inputs),
        )  # fmt: skip
        has_force = int(any(i.kind == fk.FORCE for i in self.inputs))
        has_acc = int(any(i.kind == fk.MEASURE and i.level == 2 for i in self.inputs))
        return fk.Functions(
            self.set.arrays, I(f.user for f in self.functions), I(f.component for f in self.functions),
            np.concatenate([[0], np.cumsum([len(g) for g in groups])]).astype(np.int64), I(e for g in groups for e in g), I(loops),
            I(f.residual for f in self.functions), I(f.var_input for f in self.functions), I(own_ptr), I(own_target), I(own_exp), I(exp),
            flat_ptr, I(i for f in flat for i in f), nstates, offset, inp, I(islot_ptr), I(islot_body), vf,
            I(diffs), np.zeros(1, np.uint32), I(r for r, _ in gcons), I(f for _, f in gcons),
            np.concatenate([[0], np.cumsum([len(i.sources) for i in self.inputs])]).astype(np.int64),
            np.array([s for i in self.inputs for s in i.sources] or [(0, 0, 0)], np.int64),
            np.array([self.callbacks.address], np.int64), upt, I(i for u in self.user_inputs for i in u), has_acc, has_force,
        )  # fmt: skip

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
            x, z(n), z(n), z((max(self._refs, 1), 2)), z(1), z(len(self.functions)), z(own + 1), z(int(self.flat_ptr[-1]) + 1),
            self.set.work(), z((tall, max(widest, tall + 2))), z(1), z((len(self.islot_body) + 1, 12)), z(96), z((12, 18)),
            z(18 + users), self.system.wrenches, z((self.system.nb + 1, 3)),
        )  # fmt: skip


def whole_number(node: Node, what: str) -> int:
    """An argument that is a whole number, as an id, a component or a flag."""
    sign = 1
    while isinstance(node, Unary):
        node, sign = node.operand, -sign
    if not isinstance(node, Number) or node.value != math.floor(node.value) or abs(node.value) > 2**31:
        raise ExpressionError(f"{what} must be a whole number", node.column)
    return sign * int(node.value)


#: measures of places alone
PLACES = ("DX", "DY", "DZ", "DM")


def _EMPTY(resolver):
    return compile_expression(Number(0.0), resolver)


class FunctionBuilder:
    """Forces, states and general constraints of one system, and where their wrenches are kept."""

    def __init__(self, system):
        self.system = system
        self.model: Model = system.model
        self.set = FunctionSet(system, system)
        self.set.switches = []
        self.states: list[tuple] = []  # key of each state
        self.x_start: list[float] = []
        self._state_index: dict[tuple, int] = {}
        self.discrete: set = set()  # states that change at samples only
        self._rates: list[int] = []
        self.gcons: list[tuple[int, int]] = []
        #: constraints that act on more than two bodies, and whether their reaction would be told at ground; see `_one_sided`
        self._sides: dict[tuple[str, int], bool] = {}
        self.forces: list[dict] = []
        self.force_elements: list = []
        self.pair_elements: dict[str, list] = {kind: [] for kind in KINDS}
        self.wrench_elements: list = []
        self._wrench_ends: list = []  # markers between which each acts
        self._wrench_index: dict[tuple[str, int], int] | None = None  # none yet: constraints come before forces
        self._splines_done: dict[int, Spline] = {}
        self._blocks: dict[tuple, tuple] = {}
        self.constant_inputs: dict[tuple, int] = {}  # parameters of motions -> their places behind TIME
        self._register_states()

    # ---- splines --------------------------------------------------------------------------------------------------
    def spline_number(self, id) -> int:
        table = self.model.table("SPLINE")
        element = self.model.find("SPLINE", id)
        k = list(table).index(element.id)
        if k not in self._splines_done:
            self._splines_done[k] = self._spline(element)
        return k

    def _spline(self, element) -> Spline:
        data = spline_points(self.model, element)
        try:
            if len(data.z):
                return Spline(data.x, data.y, data.z, extrapolation=data.extrapolation, name=element.name)
            return Spline(data.x, data.y[0] if len(data.y) else (), extrapolation=data.extrapolation, name=element.name)
        except SplineError as error:
            raise element.error(str(error)) from None

    def packed_splines(self, programs):
        used = set().union(*(p.spline_rows for p in programs)) if programs else set()
        if not used:
            return None
        ids = list(self.model.table("SPLINE"))
        for row in used:  # motions name a spline by its place only: build what nobody else has
            self.spline_number(ids[row // row_of(1, 0)])
        return pack_splines([self._splines_done.get(k) for k in range(len(ids))], used)

    # ---- states ---------------------------------------------------------------------------------------------------
    def _register_states(self) -> None:
        model = self.model
        for diff in model.table("DIFF").values():
            self._add_state(("DIFF", diff.id), diff.ic[0] if diff.ic else 0.0)
        for kind in ("LSE", "TFSISO", "GSE"):
            for block in model.table(kind).values():
                if block.active and getattr(block, "nd", 0):
                    self._register_discrete(block)
                if block.x is None or not block.active:
                    continue
                array = self._array(block, block.x)
                n = self._block_size(block, array)
                if not 0 <= n <= MOST_STATES:
                    raise block.error(f"it has {n} states; give 0 to {MOST_STATES}")
                start = [0.0] * n
                ic = getattr(block, "ic", None)
                if ic is not None:
                    numbers = self._array(block, ic).numbers
                    if len(numbers) != n:
                        raise block.error(f"its IC array has {len(numbers)} numbers for {n} states")
                    start = list(numbers)
                for k in range(n):
                    self._add_state(("X", array.id, k + 1), start[k])

    def _register_discrete(self, block) -> None:
        """Discrete states of a GSE: constant from sample to sample, so states whose rate is zero (see `analyses.sampling`)."""
        if block.xd is None:
            raise block.error(f"it has {block.nd} discrete states and no array for them; give XD = id of an ARRAY of kind X")
        array = self._array(block, block.xd)
        if array.kind != "X":
            raise block.error(f"XD names {array.label} of kind {array.kind}; discrete states need an ARRAY of kind X")
        if not 0 < block.nd <= MOST_STATES:
            raise block.error(f"it has {block.nd} discrete states; give 1 to {MOST_STATES}")
        start = [0.0] * block.nd
        if block.icd is not None:
            start = list(self._array(block, block.icd).numbers)
            if len(start) != block.nd:
                raise block.error(f"its ICD array has {len(start)} numbers for {block.nd} discrete states")
        for k in range(block.nd):
            self._add_state(("X", array.id, k + 1), start[k])
            self.discrete.add(("X", array.id, k + 1))

    def _array(self, block, id):
        array = self.model.table("ARRAY").get(id)
        if array is None:
            raise block.error(f"it names ARRAY/{id}, which does not exist; correct the reference")
        return array

    def _matrix(self, block, id):
        matrix = self.model.table("MATRIX").get(id)
        if matrix is None:
            raise block.error(f"it names MATRIX/{id}, which does not exist; correct the reference")
        return matrix_values(self.model, matrix)

    def _block_size(self, block, array) -> int:
        if block.KIND == "LSE":
            return self._matrix(block, block.a).shape[0]
        if block.KIND == "TFSISO":
            return len(self._trimmed(block, block.denominator)) - 1
        return block.ns or (array.size or 0)

    def _trimmed(self, block, id) -> list[float]:
        numbers = list(self._array(block, id).numbers)
        while len(numbers) > 1 and numbers[-1] == 0.0:
            numbers.pop()
        return numbers

    def _add_state(self, key, start) -> None:
        self._state_index[key] = len(self.states)
        self.states.append(key)
        self.x_start.append(float(start))

    def state_number(self, key) -> int:
        if key not in self._state_index:
            kind, number = key[0], key[1]
            element = self.model.table("ARRAY" if kind == "X" else kind).get(number)
            if element is None:
                raise ExpressionError(f"there is no {kind}/{number}; correct the id, or add the {kind},")
            raise ExpressionError(
                f"{element.label} gives no state{' ' + str(key[2]) if len(key) > 2 else ''}: no active element computes it"
            )
        return self._state_index[key]

    @property
    def nx(self) -> int:
        return len(self.states)

    @property
    def x0(self) -> np.ndarray:
        return np.array(self.x_start, float)

    def _state_rates(self) -> None:
        """A function for the rate of every state, in their order."""
        for key in self.states:
            if key in self.discrete:
                self._rates.append(self.set.node(Number(0.0), "discrete state"))
            elif key[0] == "DIFF":
                diff = self.model.table("DIFF")[key[1]]
                if diff.implicit:
                    self.set.diff_rate(diff.id)
                    self._rates.append(self.set._variable["DIF1", diff.id])
                else:
                    f = self.set._variable.get(("DIF1", diff.id))
                    self._rates.append(f if f is not None else self.set.compile(diff, diff.function, diff.routine))
            else:
                self._rates.append(self._block_rate(key))

    def _outputs(self, block) -> int:
        """Number of outputs of a block."""
        if block.KIND == "TFSISO":
            return 1
        if block.KIND == "GSE":
            return block.no or 0
        sizes = [self._matrix(block, n).shape[0] for n in (block.c, block.d) if n is not None]
        return min(sizes, default=0)

    def _block_of(self, kind_of_array: str, array_id: int):
        for kind in ("LSE", "TFSISO", "GSE"):
            for block in self.model.table(kind).values():
                if getattr(block, kind_of_array, None) == array_id and block.active:
                    return block
        raise ExpressionError(f"no active LSE, TFSISO or GSE uses ARRAY/{array_id} as its {kind_of_array.upper()} array")

    def _u(self, block, k: int) -> Node:
        if block.u is None:
            raise block.error("it has inputs, but names no U array; give U = id")
        return Call("ARYVAL", (Number(float(block.u)), Number(float(k + 1))))

    def _x(self, block, k: int) -> Node:
        return Call("ARYVAL", (Number(float(block.x)), Number(float(k + 1))))

    def _block_rate(self, key) -> int:
        block = self._block_of("x", key[1])
        k = key[2] - 1
        if block.KIND == "LSE":
            A = self._matrix(block, block.a)
            terms = [(A[k, c], self._x(block, c)) for c in range(A.shape[1])]
            if block.b is not None:
                B = self._matrix(block, block.b)
                terms += [(B[k, c], self._u(block, c)) for c in range(B.shape[1])]
            return self.set.node(_sum(terms), block.label)
        if block.KIND == "TFSISO":  # controllable canonical form: the last state takes the input
            den = self._trimmed(block, block.denominator)
            n = len(den) - 1
            if k < n - 1:
                return self.set.node(self._x(block, k + 1), block.label)
            terms = [(-den[c] / den[n], self._x(block, c)) for c in range(n)] + [(1.0 / den[n], self._u(block, 0))]
            return self.set.node(_sum(terms), block.label)
        return self.set.user_function(block, block.function, block.routine, k, (block.ns or 0) + (block.no or 0))

    def block_output(self, functions: FunctionSet, array, component: int) -> int:
        """Function of one component of a Y array."""
        block = self._block_of("y", array.id)
        k = component - 1
        size = self._outputs(block)
        if not 0 <= k < size:
            raise ExpressionError(f"{array.label} has {size} outputs of {block.label}, no component {component}")
        if block.KIND == "LSE":
            terms = []
            if block.c is not None:
                Cm = self._matrix(block, block.c)
                terms += [(Cm[k, c], self._x(block, c)) for c in range(Cm.shape[1])]
            if block.d is not None:
                Dm = self._matrix(block, block.d)
                terms += [(Dm[k, c], self._u(block, c)) for c in range(Dm.shape[1])]
            return functions.node(_sum(terms), block.label)
        if block.KIND == "TFSISO":
            num, den = self._trimmed(block, block.numerator), self._trimmed(block, block.denominator)
            n = len(den) - 1
            if len(num) > len(den):
                raise block.error("its numerator has a higher degree than its denominator")
            num = num + [0.0] * (n + 1 - len(num))
            direct = num[n] / den[n]
            terms = [(num[c] - direct * den[c], self._x(block, c)) for c in range(n)] + [(direct, self._u(block, 0))]
            return functions.node(_sum(terms), block.label)
        return functions.user_function(block, block.function, block.routine, (block.ns or 0) + k, (block.ns or 0) + (block.no or 0))

    # ---- constraints ----------------------------------------------------------------------------------------------
    def add_constraints(self) -> None:
        from .equations import FUNCTION_ROW, RowInfo

        for gcon in (*self.model.table("GCON").values(), *self.model.table("UCON").values()):
            if not gcon.active:
                continue
            f = self.set.compile(gcon, gcon.function, gcon.routine)
            function = self.set.functions[f]
            frames, level = self._touched(gcon, function)
            i = self.system.frame(gcon.i) if getattr(gcon, "i", None) is not None else frames[0]
            row = RowInfo(FUNCTION_ROW, i, 0, level=level, frames=tuple(frames), name="function", words="its function")
            self.gcons.append((len(self.system.rows), f))
            self._one_sided(gcon, function, frames, i)
            bodies = {self.system.frame_list[a][0] for a in frames} - {self.system.frame_list[i][0]}
            other = next((a for a in frames if self.system.frame_list[a][0] in bodies), 0)
            self.system._record(gcon, i, other, [row])

    def _one_sided(self, element, function, frames, i) -> None:
        """Note a constraint whose reaction on J is not the opposite of that on I, or (I on ground) on neither: it acts on more than two bodies."""
        ground, body = self.system.nb, lambda a: self.system.frame_list[a][0]
        moving = {body(a) for a in frames} - {ground}
        ends = {body(a) for item in self._measures(function) for a in item.args[:2]}
        if len(moving) > 2 or (len(moving) == 2 and ground in ends):
            self._sides[element.KIND, element.id] = body(i) == ground

    def _measures(self, function, seen=()) -> list:
        """Measures of a function and of those that it calls."""
        out = []
        for k in function.own(self.set):
            item = self.set.inputs[k]
            if item.kind == fk.MEASURE:
                out.append(item)
            elif item.kind == fk.FUNCTION and k not in seen:
                out += self._measures(next(f for f in self.set.functions if f.var_input == k), (*seen, k))
        return out

    def check_side(self, kind: str, id: int, flag: int) -> None:
        """Refuse the reaction of a GCON or UCON on a side that it has not (`_one_sided`)."""
        if (flag or self._sides.get((kind, id))) and (kind, id) in self._sides:
            how = "name a marker of a moving part with I (of a UCON: measure one first)" if not flag else "ask for that on I (flag 0)"
            raise ExpressionError(
                f"{kind}({id},{flag},...): it acts on more than two bodies, so that this side has no reaction of its own; {how}"
            )

    def _touched(self, element, function, seen=None) -> tuple[list[int], int]:
        """Frames that a constraint function measures, and its level (1 when it measures velocities)."""
        frames: dict[int, None] = {}
        level = 0
        seen = set() if seen is None else seen
        for k in function.own(self.set):
            item = self.set.inputs[k]
            if item.kind == fk.MEASURE:
                frames.update(dict.fromkeys(item.args))
                level = max(level, item.level)
            elif item.kind == fk.FUNCTION and k not in seen:
                seen.add(k)
                inner = next(f for f in self.set.functions if f.var_input == k)
                more, l = self._touched(element, inner, seen)
                frames.update(dict.fromkeys(more))
                level = max(level, l)
            elif item.kind in (fk.STATE, fk.FORCE):
                raise element.error("a constraint may depend on positions, velocities and time, not on states or forces")
        moving = [a for a in frames if self.system.frame_list[a][0] != self.system.nb]
        if not moving and seen is not None and not frames:
            raise element.error("its function measures no moving marker")
        if level > 1:
            raise element.error("its function measures accelerations; give positions or velocities")
        return list(frames), level

    # ---- forces ---------------------------------------------------------------------------------------------------
    def collect(self) -> None:
        model = self.model
        self._pairs_and_order()
        for kind, add in (("SFORCE", self._sforce), ("VFORCE", self._vector), ("VTORQUE", self._vector), ("GFORCE", self._vector)):
            for element in model.table(kind).values():
                if element.active:
                    add(element)
        for element in model.table("FIELD").values():
            if element.active and (element.function or element.routine):
                self._user_field(element)
        for element in model.table("BEAM").values():
            if element.active and _bends(element):
                self._nonlinear_beam(element)
        self._state_rates()
        self.system.ports.compile(self)  # its own kernels give their rates
        for key in self.system.friction.states:  # last: the friction kernel gives their rates
            self._add_state(key, 0.0)

    def _pairs_and_order(self) -> None:
        model = self.model
        for e in model.table("SPRINGDAMPER").values():
            if e.active:
                self.pair_elements["spring" if e.kind == "TRANSLATIONAL" else "torsion"].append(e)
        self.pair_elements["bushing"] = [e for e in model.table("BUSHING").values() if e.active]
        self.pair_elements["field"] = [
            e for kind in ("FIELD", "BEAM") for e in model.table(kind).values()
            if e.active and not (kind == "FIELD" and (e.function or e.routine)) and not (kind == "BEAM" and _bends(e))
        ]  # fmt: skip
        for elements in self.pair_elements.values():
            for e in elements:  # frames must be known before they are numbered
                self.system.frame(e.i), self.system.frame(e.j)
        # places of all wrenches: constraints, function forces, then pairs
        self.function_force_elements = [
            e for kind in ("SFORCE", "VFORCE", "VTORQUE", "GFORCE") for e in model.table(kind).values() if e.active
        ] + [e for e in model.table("FIELD").values() if e.active and (e.function or e.routine)]
        self.function_force_elements += [e for e in model.table("BEAM").values() if e.active and _bends(e)]
        self.wrench_elements = [c.element for c in self.system.constraints] + self.function_force_elements
        for kind in KINDS:
            self.wrench_elements += self.pair_elements[kind]
        self.wrench_elements += self.system.friction.elements
        self._wrench_ends = [self._ends(e) for e in self.wrench_elements]
        for e, i, j in self.system.ports.wrenches():
            self.wrench_elements.append(e)
            self._wrench_ends.append((i, j))
        contacts = [e for e in model.table("CONTACT").values() if e.active]
        self.wrench_elements += contacts
        self._wrench_ends += [None] * len(contacts)
        self._wrench_index = {}
        for k, e in enumerate(self.wrench_elements):
            self._wrench_index.setdefault((e.KIND, e.id), k)  # the first of those that have several

    def element_source(self, kind: str, id: int) -> int | None:
        if self._wrench_index is None:
            raise ExpressionError("a constraint may depend on positions, velocities and time, not on forces")
        return self._wrench_index.get((kind, id))

    def marker_sources(self, i: int, j: int) -> list[tuple[int, int, int]]:
        """Wrenches that act at marker i, between i and j (j = 0: all that act at i): (index, side, sign)."""
        if self._wrench_index is None:
            raise ExpressionError("a constraint may depend on positions, velocities and time, not on forces")
        out = []
        for k, (e, ends) in enumerate(zip(self.wrench_elements, self._wrench_ends)):
            if ends is None:
                continue
            a, b = ends
            if a == i and (j == 0 or b == j or e.KIND == "GCON"):
                out.append((k, 0, 1))
            elif b == i and (j == 0 or a == j):
                out.append((k, 1, 1))
        return out

    def idle_between(self, i: int, j: int) -> bool:
        """Does an element act between the markers that is off at present?"""
        for kind in kinds_of("constraint", "force"):
            for e in self.model.table(kind).values():
                if e.active:
                    continue
                ends = e.ports if kind in FORCES else self._ends(e)
                if ends is not None and i in ends and (j == 0 or j in ends):
                    return True
        return False

    def _ends(self, e):
        if e.KIND == "CONTACT":
            return None
        if e.KIND == "FRICTION" or (e.KIND == "MOTION" and e.joint is not None):
            joint = self.model.joints.get(e.joint)
            return (joint.i, joint.j) if joint else None
        if e.KIND == "GCON":
            return (e.i, 0) if e.i else None
        if e.KIND == "PTCV":
            return e.i, e.jfloat if e.jfloat is not None else e.rm
        if hasattr(e, "jfloat"):
            return getattr(e, "i", None), e.jfloat
        if getattr(e, "i", None) is not None and getattr(e, "j", None) is not None:
            return e.i, e.j
        return None

    def _sforce(self, e) -> None:
        s = self.system
        f = self.set.compile(e, e.function, e.routine)
        rotational = e.kind == "ROTATIONAL"
        i, j = s.frame(e.i), s.frame(e.j)
        if e.actiononly:
            kind = fk.ABOUT_Z if rotational else fk.ALONG_Z
        else:
            kind = fk.ABOUT if rotational else fk.ALONG
        react = -1 if e.actiononly else s.frame_list[j][0]
        self.forces.append({"kind": kind, "i": i, "j": j, "rm": j, "react": react, "f": [f, -1, -1, -1, -1, -1]})
        self.force_elements.append(e)

    def _vector(self, e) -> None:
        s = self.system
        i = s.frame(e.i)
        rm = s.frame(e.rm) if e.rm is not None else 0
        react = -1
        if e.jfloat is not None:
            marker = self.model.markers.get(e.jfloat)
            if marker is None:
                raise e.error(f"its floating marker MARKER/{e.jfloat} does not exist; correct JFLOAT")
            react = s.body_of(marker)
        names = {"VFORCE": ("fx", "fy", "fz"), "VTORQUE": ("tx", "ty", "tz"), "GFORCE": ("fx", "fy", "fz", "tx", "ty", "tz")}[e.KIND]
        f = [-1] * 6
        for k, name in enumerate(names):
            at = k + 3 if e.KIND == "VTORQUE" else k
            if e.function or e.routine:
                f[at] = self.set.compile(e, e.function or "USER()", e.routine, k, len(names))
            else:
                text = getattr(e, name)
                if text.strip() not in ("0", "0.0", "0."):
                    f[at] = self.set.compile(e, text)
        self.forces.append({"kind": fk.VECTOR, "i": i, "j": i, "rm": rm, "react": react, "f": f})
        self.force_elements.append(e)

    def _user_field(self, e) -> None:
        s = self.system
        i, j = s.frame(e.i), s.frame(e.j)
        f = [self.set.compile(e, e.function or "USER()", e.routine, k, 6) for k in range(6)]
        self.forces.append({"kind": fk.VECTOR, "i": i, "j": i, "rm": j, "react": s.frame_list[j][0], "f": f})
        self.force_elements.append(e)

    def _nonlinear_beam(self, e) -> None:
        """Place and axes of I, by the places of three points that it carries, and its velocities, all in axes of J."""
        s = self.system
        i, j = s.frame(e.i), s.frame(e.j)
        body, origin, axes = s.frame_list[i]
        points = [i, *(s._add_frame(body, origin + e.length * axes[:, c], axes) for c in (0, 1))]
        routine = NonlinearBeam(e, beam_force.damping(e, beam_force.stiffness(e)))
        routine.inputs = [0, *(self.set.frame_measure(f"D{c}", (p, j, j)) for p in points for c in "XYZ")]
        routine.inputs += [self.set.frame_measure(f"V{c}", (i, j, j, j)) for c in "XYZ"] + [
            self.set.frame_measure(f"W{c}", (i, j, j)) for c in "XYZ"
        ]
        f = [self.set.own_function(e, routine, k) for k in range(6)]
        self.forces.append({"kind": fk.VECTOR, "i": i, "j": i, "rm": j, "react": s.frame_list[j][0], "f": f})
        self.force_elements.append(e)

    # ---- tables ---------------------------------------------------------------------------------------------------
    @property
    def needed(self) -> bool:
        return bool(self.forces or self._rates or self.gcons)

    @property
    def has_pairs(self) -> bool:
        return any(self.pair_elements.values())

    def tables(self):
        if not self.system.full:
            return None
        offset = self.system.bodies.end
        return self.set.pack(self.forces, self._rates, self.gcons, self.nx, offset)

    def work(self):
        return self.set.work() if self.system.full else None

    # ---- places in the iteration matrix ---------------------------------------------------------------------------
    def request_pairs(self, pattern):
        """Ask for the blocks of all pair forces; the answer is the tables with them."""
        pairs, body = self.system.S.pairs, self.system.S.fr.body
        asked = {}
        if pairs is not None:
            for kind in KINDS:
                batch = getattr(pairs, kind)
                if len(batch.i):
                    asked[kind] = pattern.full(np.stack([body[batch.i], body[batch.j]], 1))

        def fill():
            return pairs and pairs._replace(**{k: getattr(pairs, k)._replace(pos=r.positions) for k, r in asked.items()})

        return fill

    def request_friction(self, pattern):
        """Ask for the entries of joint friction."""
        return self.system.friction.request(pattern)

    def request_ports(self, pattern):
        """Ask for the entries of forces of registered kinds (`port_forces`)."""
        return self.system.ports.request(pattern)

    def request_functions(self, pattern):
        """Ask for the entries of function forces and state equations, in the order in which `function_stiffness` meets them."""
        fn, s = self.system.S.fn, self.set
        if fn is None:
            return None
        nb = self.system.nb
        body = self.system.S.fr.body
        vf = fn.vforce

        def columns(e):
            """Columns (k, 6 or 1) that the gradient of function e touches."""
            for i in s.flat[e]:
                item = s.inputs[i]
                if item.kind == fk.MEASURE:
                    for q in range(s.islot_ptr[i], s.islot_ptr[i + 1]):
                        yield pattern.unknown(np.array([s.islot_body[q]]))[0]
                elif item.kind == fk.STATE:
                    yield np.atleast_1d(pattern.state(item.args[0]))

        rows, cols, ptr = [], [], [0]
        geo_rows, geo_cols = [], []
        for k in range(len(vf.i)):
            react = vf.react[k] if vf.react[k] >= 0 else nb
            axes = vf.rm[k] if vf.kind[k] == fk.VECTOR else vf.j[k]
            mine = pattern.unknown(np.array([body[vf.i[k]], react])).ravel()
            geo_rows.append(mine)
            geo_cols.append(pattern.unknown(np.array([body[vf.i[k]], body[axes], react])).ravel())
            n = 0
            for c in range(6):
                if vf.f[k, c] >= 0:
                    for col in columns(vf.f[k, c]):
                        rows.append(np.repeat(mine, len(col)))
                        cols.append(np.tile(col, 12))
                        n += 12 * len(col)
            ptr.append(ptr[-1] + n)
        drows, dcols = [], []
        for k, e in enumerate(fn.diff_f):
            for col in columns(e):
                drows.append(np.full(len(col), pattern.state(k)))
                dcols.append(col)
        join = lambda parts: np.concatenate(parts) if parts else np.full(1, -1, np.int64)
        geo = pattern.entries(np.array(geo_rows)[:, :, None], np.array(geo_cols)[:, None, :]) if geo_rows else None
        main = pattern.entries(join(rows), join(cols), damping=True)
        diff = pattern.entries(join(drows), join(dcols), damping=True)

        def fill():
            table = vf._replace(pos_ptr=np.array(ptr, np.int64), pos=main.positions)
            if geo is not None:
                table = table._replace(geo=np.ascontiguousarray(geo.positions.reshape(len(vf.i), 216)))
            return fn._replace(vforce=table, diff_pos=diff.positions)

        return fill

    def pair_tables(self):
        if not self.system.full:
            return None
        batches = []
        for kind, elements in self.pair_elements.items():
            file = KINDS[kind]
            n = len(elements)
            t = np.zeros((n, len(file.COLUMNS)))
            for k, e in enumerate(elements):
                t[k] = (beam_force if e.KIND == "BEAM" else file).row(e, self.model)
            i = np.array([self.system.frame(e.i) for e in elements], np.int64)
            j = np.array([self.system.frame(e.j) for e in elements], np.int64)
            batches.append(Batch(t, i, j, np.zeros((n, 3)), np.zeros((n, 12)), np.zeros((n, 144), np.uint32)))
        z = np.zeros
        return Pairs(*batches, z(12), z((12, 24)), z((12, 12)), z((12, 12)), z(2, np.int64))


def _sum(terms) -> Node:
    tree: Node | None = None
    for scale, node in terms:
        if scale == 0.0:
            continue
        item = node if scale == 1.0 else Binary("*", Number(float(scale)), node)
        tree = item if tree is None else Binary("+", tree, item)
    return tree if tree is not None else Number(0.0)
