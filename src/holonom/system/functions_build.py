"""Forces, states and general constraints of one system, from the expressions of its model."""

from __future__ import annotations

import numpy as np

from ..elements.forces import beam as linear_beam
from ..elements.forces import string_beam
from ..elements.forces.nonlinear_beam import NonlinearBeam
from ..elements.forces.pair_kinds import PAIR_KINDS
from ..elements.kinds import FORCES
from ..expressions import (
    Binary,
    Call,
    Curve,
    ExpressionError,
    Node,
    Number,
    Spline,
    SplineError,
    pack_curves,
    pack_splines,
    row_of,
)
from ..model import Model
from ..model.base import kinds_of
from ..model.data_files import matrix_values, spline_points
from ..model.kinds import MOST_STATES
from . import functions as fk
from .control import ControlLaws
from .fmu_functions import FmuFunctions, FmuRoutine
from .function_set import FunctionSet
from .pairs import Pairs

#: why a constraint cannot be computed that refers to what the equations of motion give only afterwards
CONSTRAINT_ON = (
    "a constraint may depend on positions, velocities, states and time, not on {}; write it as the force of a stiff "
    "spring, an SFORCE or GFORCE of -k times what is to be zero"
)


def state_label(key: tuple) -> str:
    """A state as users know it: DIFF/3, or component 2 of ARRAY/7."""
    if key[0] in ("DIFF", "CONTROL", "FMU"):
        return f"{key[0]}/{key[1]}" + (f", state {key[2]}" if key[0] != "DIFF" else "")
    return f"component {key[2]} of ARRAY/{key[1]}"


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
        self._constraints: list[tuple] = []  # (element, function, level) of each
        self.gcon_states: list[int] = []  # inputs that are states read by a constraint
        #: constraints that act on more than two bodies, and whether their reaction would be reported at ground; see
        #: `_one_sided`
        self._sides: dict[tuple[str, int], bool] = {}
        self.forces: list[dict] = []
        self.force_elements: list = []
        self.pair_elements: dict[str, list] = {kind.name: [] for kind in PAIR_KINDS}
        self.wrench_elements: list = []
        self._wrench_ends: list = []  # markers between which each acts
        self._wrench_index: dict[tuple[str, int], int] | None = None  # none yet: constraints come before forces
        self._splines_done: dict[int, Spline] = {}
        self._blocks: dict[tuple, tuple] = {}
        self.constant_inputs: dict[tuple, int] = {}  # parameters of motions -> their positions behind TIME
        self.control = ControlLaws(self)
        self.fmus = FmuFunctions(self)
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
            y = data.y[0] if len(data.y) else np.zeros(0)
            return Spline(data.x, y, extrapolation=data.extrapolation, name=element.name)
        except SplineError as error:
            raise element.error(str(error)) from None

    def packed_splines(self, programs):
        used = set().union(*(p.spline_rows for p in programs)) if programs else set()
        if not used:
            return None
        ids = list(self.model.table("SPLINE"))
        for row in used:  # motions name a spline by its position only: build the missing ones
            self.spline_number(ids[row // row_of(1, 0)])
        return pack_splines([self._splines_done.get(k) for k in range(len(ids))], used)

    def packed_curves(self, programs):
        """Tables of the curves that programs read, in the order of the model; a stub in place of each that none
        reads."""
        used = set().union(*(p.curves_read for p in programs)) if programs else set()
        if not used:
            return None
        stub = Curve(np.array([-1.0, 1.0]), np.zeros((3, 1, 2)))
        elements = list(self.model.table("CURVE").values())
        return pack_curves([self.system.curve_table(e, e.id) if k in used else stub for k, e in enumerate(elements)])

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

        self.control.register_states(self._add_state)
        self.fmus.register_states(self._add_state)

    def _register_discrete(self, block) -> None:
        """Discrete states of a GSE: constant from sample to sample, so states whose rate is zero (see
        `analyses.dynamics.sampling`)."""
        if block.xd is None:
            raise block.error(
                f"it has {block.nd} discrete states and no array for them; give XD = id of an ARRAY of kind X"
            )
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
                f"{element.label} gives no state{' ' + str(key[2]) if len(key) > 2 else ''}: no active element "
                "computes it"
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
            elif key[0] == "CONTROL":
                self._rates.append(self.control.rate(self.set, key))
            elif key[0] == "FMU":
                self._rates.append(self.fmus.rate(self.set, key))
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
        raise ExpressionError(
            f"no active LSE, TFSISO or GSE uses ARRAY/{array_id} as its {kind_of_array.upper()} array"
        )

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
        return functions.user_function(
            block, block.function, block.routine, (block.ns or 0) + k, (block.ns or 0) + (block.no or 0)
        )

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
            self._constraints.append((gcon, function, level))
            self._one_sided(gcon, function, frames, i)
            bodies = {self.system.frame_list[a][0] for a in frames} - {self.system.frame_list[i][0]}
            other = next((a for a in frames if self.system.frame_list[a][0] in bodies), 0)
            self.system._record(gcon, i, other, [row])

    def _one_sided(self, element, function, frames, i) -> None:
        """Note a constraint whose reaction on J is not the opposite of that on I, or (I on ground) on neither: it acts
        on more than two bodies."""
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
            how = (
                "name a marker of a moving part with I (of a UCON: measure one first)"
                if not flag
                else "request that on I (flag 0)"
            )
            raise ExpressionError(
                f"{kind}({id},{flag},...): it acts on more than two bodies, so that this side has no reaction of its "
                f"own; {how}"
            )

    def _touched(self, element, function, seen=None) -> tuple[list[int], int]:
        """Frames that a constraint function measures, and its level (1 when it measures velocities)."""
        frames: dict[int, None] = {}
        level = 0
        outer = seen is None  # functions that it reads may measure nothing: an input, a course over time
        seen = set() if seen is None else seen
        for k in function.own(self.set):
            item = self.set.inputs[k]
            if item.kind == fk.MEASURE:
                frames.update(dict.fromkeys(item.args))
                level = max(level, item.level)
            elif item.kind == fk.FUNCTION and k not in seen:
                seen.add(k)
                inner = next(f for f in self.set.functions if f.var_input == k)
                if inner.user >= 0 and isinstance(self.set.callbacks.functions[inner.user], FmuRoutine):
                    raise element.error(
                        f"its function reads {inner.label}, whose time derivatives are not known; use a force of a "
                        "stiff spring in its place"
                    )
                more, l = self._touched(element, inner, seen)
                frames.update(dict.fromkeys(more))
                level = max(level, l)
            elif item.kind == fk.FORCE:
                raise element.error(CONSTRAINT_ON.format("forces"))
        if outer and not frames:
            raise element.error("its function measures no moving marker")
        if level > 1:
            raise element.error("its function measures accelerations; give positions or velocities")
        return list(frames), level

    def _check_constraints(self) -> None:
        """Find the states that constraints read, and refuse what their rows cannot follow.

        With states x' = g the derivatives of phi(q, x, t) are  G u + phi_t + phi_x g  and
        G u' + ... + phi_x g';  so at the level of positions g must be free of velocities, or G would lack a term, and
        g' of accelerations and forces.  Of phi(q, u, x, t), which is derived once, only g is needed.
        """
        if not self._constraints:
            return
        groups, loops = self.set.order()
        looped = {f for group, loop in zip(groups, loops) if loop for f in group}
        for element, function, level in self._constraints:
            _, states = self._reached(element, function, looped)
            self.gcon_states += [k for k in states if k not in self.gcon_states]
            allowed = level
            while states and allowed < 2:
                numbers = [self.set.inputs[k].args[0] for k in states]
                states = []
                for n in numbers:
                    reached, more = self._reached(element, self.set.functions[self._rates[n]], looped)
                    self._check_rate(element, state_label(self.states[n]), reached, allowed)
                    states += [k for k in more if k not in states]
                allowed += 1

    def integrated_constraints(self) -> list[str]:
        """Labels of the constraints whose positions are integrals: of velocities, or of rates of states."""
        return [
            element.label
            for element, function, level in self._constraints
            if level == 1 or self._reached(element, function, set())[1]
        ]

    def _check_rate(self, element, state: str, reached: list, allowed: int) -> None:
        """Refuse a constraint that reads a state whose rate depends on more than measures of level ``allowed``."""
        if any(item.kind == fk.FORCE or (item.kind == fk.MEASURE and item.level > 1) for item in reached):
            raise element.error(
                f"the rate of its state {state} depends on forces or accelerations, which follow from the constraint; "
                "let it depend on positions, velocities and time"
            )
        if any(item.kind == fk.MEASURE and item.level > allowed for item in reached):
            raise element.error(
                f"the rate of its state {state} depends on velocities, and the constraint is one of positions; write "
                "the time derivative of the constraint, with DIF1 in place of DIF"
            )

    def _reached(self, element, function, looped: set[int]) -> tuple[list, list[int]]:
        """(inputs, those of them that are states by number) of a function and of the functions that it reads."""
        reached: dict[int, None] = {}
        work, seen = [function], {id(function)}
        while work:
            f = work.pop()
            for k in f.own(self.set):
                item = self.set.inputs[k]
                if item.kind != fk.FUNCTION:
                    reached[k] = None
                    continue
                at = next(n for n, g in enumerate(self.set.functions) if g.var_input == k)
                if at in looped:
                    raise element.error(
                        f"it reads {item.label}, which is defined by an equation in itself, so that its time "
                        "derivatives are not known; solve that equation by hand and write its result"
                    )
                inner = self.set.functions[at]
                if id(inner) not in seen:
                    seen.add(id(inner))
                    work.append(inner)
        states = [k for k in reached if self.set.inputs[k].kind == fk.STATE]
        for k in states:
            key = self.states[self.set.inputs[k].args[0]]
            if key in self.discrete:
                raise element.error(
                    f"it reads {state_label(key)}, a discrete state, which jumps at samples and parts cannot; give a "
                    "continuous state"
                )
        return [self.set.inputs[k] for k in reached], states

    # ---- forces ---------------------------------------------------------------------------------------------------
    def collect(self) -> None:
        model = self.model
        self._pairs_and_order()
        for kind, add in (
            ("SFORCE", self._sforce),
            ("VFORCE", self._vector),
            ("VTORQUE", self._vector),
            ("GFORCE", self._vector),
        ):
            for element in model.table(kind).values():
                if element.active:
                    add(element)
        for element in model.table("FIELD").values():
            if element.active and (element.function or element.routine):
                self._user_field(element)
        for element in model.table("BEAM").values():
            if element.active and not linear_beam.takes(element):
                (self._string_beam if element.formulation.upper() == "STRING" else self._nonlinear_beam)(element)
        self._state_rates()
        self._check_constraints()
        self.system.ports.compile(self)  # its own kernels give their rates
        for key in self.system.friction.states:  # last: the friction kernel gives their rates
            self._add_state(key, 0.0)

    def _pairs_and_order(self) -> None:
        model = self.model
        for kind in PAIR_KINDS:
            self.pair_elements[kind.name] = [
                e
                for source in kind.sources
                for e in model.table(source.ELEMENT).values()
                if e.active and source.takes(e)
            ]
        for elements in self.pair_elements.values():
            for e in elements:  # frames must be known before they are numbered
                self.system.frame(e.i), self.system.frame(e.j)
        # places of all wrenches: constraints, function forces, then pairs
        self.function_force_elements = [
            e for kind in ("SFORCE", "VFORCE", "VTORQUE", "GFORCE") for e in model.table(kind).values() if e.active
        ] + [e for e in model.table("FIELD").values() if e.active and (e.function or e.routine)]
        self.function_force_elements += [
            e for e in model.table("BEAM").values() if e.active and not linear_beam.takes(e)
        ]
        self.wrench_elements = [c.element for c in self.system.constraints] + self.function_force_elements
        for elements in self.pair_elements.values():
            self.wrench_elements += elements
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
            raise ExpressionError(CONSTRAINT_ON.format("forces"))
        return self._wrench_index.get((kind, id))

    def marker_sources(self, i: int, j: int) -> list[tuple[int, int, int]]:
        """Wrenches that act at marker i, between i and j (j = 0: all that act at i): (index, side, sign)."""
        if self._wrench_index is None:
            raise ExpressionError(CONSTRAINT_ON.format("forces"))
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
        names = {
            "VFORCE": ("fx", "fy", "fz"),
            "VTORQUE": ("tx", "ty", "tz"),
            "GFORCE": ("fx", "fy", "fz", "tx", "ty", "tz"),
        }[e.KIND]
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
        """Position and axes of I, by the places of three points that it carries, and its velocities, all in axes of
        J."""
        s = self.system
        i, j = s.frame(e.i), s.frame(e.j)
        body, origin, axes = s.frame_list[i]
        points = [i, *(s._add_frame(body, origin + e.length * axes[:, c], axes) for c in (0, 1))]
        routine = NonlinearBeam(e, linear_beam.damping(e, linear_beam.stiffness(e)))
        routine.inputs = [0, *(self.set.frame_measure(f"D{c}", (p, j, j)) for p in points for c in "XYZ")]
        routine.inputs += [self.set.frame_measure(f"V{c}", (i, j, j, j)) for c in "XYZ"] + [
            self.set.frame_measure(f"W{c}", (i, j, j)) for c in "XYZ"
        ]
        f = [self.set.own_function(e, routine, k) for k in range(6)]
        self.forces.append({"kind": fk.VECTOR, "i": i, "j": i, "rm": j, "react": s.frame_list[j][0], "f": f})
        self.force_elements.append(e)

    def _string_beam(self, e) -> None:
        s = self.system
        i, j = s.frame(e.i), s.frame(e.j)
        f = [self.set.compile(e, text) for text in string_beam.components(e, e.i, e.j)]
        self.forces.append({"kind": fk.VECTOR, "i": i, "j": i, "rm": j, "react": s.frame_list[j][0], "f": f})
        self.force_elements.append(e)

    # ---- tables ---------------------------------------------------------------------------------------------------
    @property
    def has_pairs(self) -> bool:
        return any(self.pair_elements.values())

    def tables(self):
        offset = self.system.bodies.end
        return self.set.pack(self.forces, self._rates, self.gcons, self.gcon_states, self.nx, offset)

    def work(self):
        return self.set.work()

    # ---- positions in the iteration matrix ---------------------------------------------------------------------------
    def request_pairs(self, pattern):
        """Require the blocks of all pair forces; the answer is the tables with them."""
        pairs, body = self.system.S.pairs, self.system.S.fr.body
        asked = pattern.full(np.stack([body[pairs.i], body[pairs.j]], 1)) if len(pairs.i) else None
        return lambda: pairs._replace(pos=asked.positions) if asked is not None else pairs

    def request_friction(self, pattern):
        """Require the entries of joint friction."""
        return self.system.friction.request(pattern)

    def request_ports(self, pattern):
        """Require the entries of forces of registered types (`port_forces`)."""
        return self.system.ports.request(pattern)

    def _slots(self, row: int) -> tuple[int, int]:
        """Where the slots of a row begin and end."""
        ptr = self.system.S.rows.rp
        return int(ptr[row]), int(ptr[row + 1])

    def request_functions(self, pattern):
        """Require the entries of function forces and state equations, in the order in which `function_stiffness` meets
        them."""
        fn, s = self.system.S.fn, self.set
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
        slots = self.system.S.rows.slot_body
        touched = [pattern.unknown(slots[a:b]).ravel() for a, b in (self._slots(r) for r in fn.gcon_row)]
        squares = [pattern.entries(q[:, None], q[None, :], damping=True) for q in touched]

        def fill():
            table = vf._replace(pos_ptr=np.array(ptr, np.int64), pos=main.positions)
            if geo is not None:
                table = table._replace(geo=np.ascontiguousarray(geo.positions.reshape(len(vf.i), 216)))
            places = [q.positions.ravel() for q in squares]
            return fn._replace(
                vforce=table,
                diff_pos=diff.positions,
                gcon_at=np.cumsum([0, *map(len, places)]).astype(np.int64),
                gcon_pos=np.concatenate(places) if places else fn.gcon_pos,
                gcon_size=np.array([1e-3 * self.system.extent]),
            )

        return fill

    def pair_tables(self):
        t, z, frame = [], np.zeros, self.system.frame
        for kind in PAIR_KINDS:
            row = {source.ELEMENT: source.row for source in kind.sources}
            elements = self.pair_elements[kind.name]
            t.append(z((len(elements), len(kind.law.COLUMNS))))
            for k, e in enumerate(elements):
                t[-1][k] = row[e.KIND](e, self.model)
        every = [e for elements in self.pair_elements.values() for e in elements]
        n = len(every)
        return Pairs(
            t=tuple(t),
            first=np.concatenate([[0], np.cumsum([len(x) for x in t])]).astype(np.int64),
            i=np.array([frame(e.i) for e in every], np.int64),
            j=np.array([frame(e.j) for e in every], np.int64),
            ref=z((n, 3)),
            out=z((n, 12)),
            pos=z((n, 144), np.uint32),
            W=z(12),
            D=z((12, 24)),
            KL=z((12, 12)),
            CL=z((12, 12)),
            idx=z(2, np.int64),
        )


def _sum(terms) -> Node:
    tree: Node | None = None
    for scale, node in terms:
        if scale == 0.0:
            continue
        item = node if scale == 1.0 else Binary("*", Number(float(scale)), node)
        tree = item if tree is None else Binary("+", tree, item)
    return tree if tree is not None else Number(0.0)
