"""What a run reports besides the state: requests, variables, sensors, wrenches, energies, at one point of time."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from .._handle import Handle, make_handle
from .._jit import Entry, briefly
from ..contact.tables import C_LOST, C_STORED
from ..elements.bodies.in_ground import fastest
from ..elements.frames import make_frames, update_frames
from ..elements.measures import orient
from ..expressions import Call, ExpressionError, parse, walk
from ..model import ModelError
from ..model.adams_output import AdamsOutput
from ..model.joint_facts import turning
from ..model.orientation import Frame
from ..model.validate import samples_itself
from .control import sampled_order, standard_normal
from .function_set import FORCE_COMPONENTS, FunctionSet
from .functions import FORCE, MEASURE, PARAMETER, STATE, TIME
from .names import INPUT, no_marker, read_function
from .output_kernels import (
    ACCEPT,
    VALUES,
    count_simple_turns,
    count_turns,
    evaluate_outputs,
    evaluate_turning_outputs,
    power_of_forces,
    sample,
    sample_turns,
)
from .reference import counted_angles, function_angles, take_angles
from .user import UserRoutine

#: angles of displacements: body 3-1-3, or with OUTPUT/YPR yaw, pitch and roll
ANGLES = {False: ("PSI", "THETA", "PHI"), True: ("YAW", "PITCH", "ROLL")}
STANDARD = {
    "DISPLACEMENT": ("DM", "DX", "DY", "DZ", None, "PSI", "THETA", "PHI"),
    "VELOCITY": ("VM", "VX", "VY", "VZ", "WM", "WX", "WY", "WZ"),
    "ACCELERATION": ("ACCM", "ACCX", "ACCY", "ACCZ", "WDTM", "WDTX", "WDTY", "WDTZ"),
    "FORCE": FORCE_COMPONENTS,
}

OutputParts = namedtuple("OutputParts", "S W wr energy ports turning before")
OutputParts.__doc__ = """What kernels of outputs need besides their own tables.  S, W: equations of motion that count
at present; wr: wrenches; energy (5); ports (3): work; turning (n): rows of the angles whose whole turns are counted;
before (n, 2): their references until then, work."""


class OwnFrames:
    """Functions over frames of their own, so that they cost nothing while the equations of motion are evaluated."""

    def __init__(self, system):
        self.system = system
        self.model = system.model
        self.local = system.local
        self.frame_list: list = [(system.nb, np.zeros(3), np.eye(3))]
        self._marker_frame: dict[int, int] = {}
        self.set = FunctionSet(system, self)

    def pack(self, W) -> None:
        """Tables and handle; ``W`` is the work that they share with the equations of motion."""
        system = self.system
        body = np.array([f[0] for f in self.frame_list])
        fr = make_frames(
            body, np.array([f[1] for f in self.frame_list]), np.array([f[2].ravel() for f in self.frame_list])
        )
        fn = self.set.pack([], [], [], [], system.nx, system.bodies.end)
        self.S = system.S._replace(fr=fr, fn=fn)
        self.W = W._replace(f=self.set.work())
        self.energy = np.zeros(5)  # kinetic, gravity, elastic; power put in, power lost
        self._of_ports = np.zeros(3)
        self._turning = self._turning_angles()
        self._before = np.zeros((len(self._turning), 2))
        self.handle = make_handle(self.S, self.W, self.parts())
        #: angles that outputs or the equations of motion count as well: owner, rows here, rows there
        self._theirs: list[tuple[Any, np.ndarray, np.ndarray]] = []
        if self.set._refs:
            counting = [owner for owner in (system.workspace.outputs, system) if owner is not None]
            self._theirs = [(owner, *rows) for owner in counting if len((rows := self._same_angles(owner))[0])]
            take_angles(self, counted_angles(system, system.workspace.outputs))

    def _same_angles(self, owner) -> tuple[np.ndarray, np.ndarray]:
        """Rows here and there of the angles that both measure."""
        there = dict(function_angles(owner))
        found = [(r, there[key]) for key, r in function_angles(self) if key in there]
        rows = np.array(found, np.int64).reshape(-1, 2)
        return rows[:, 0], rows[:, 1]

    def continue_angles(self, angles: dict[tuple, float]) -> None:
        """Continue counting turns where others ended, see `system.reference`."""
        take_angles(self, angles)

    def _share_angles(self, t: float) -> None:
        """Turns are those that outputs and the equations of motion have counted, where they count them as well."""
        for owner, mine, theirs in self._theirs:
            f = owner.W.f
            self.W.f.ref[mine, 0] = f.ref[theirs, 0] + f.ref[theirs, 1] * (t - f.clock[0])
            self.W.f.ref[mine, 1] = 0.0

    def parts(self) -> OutputParts:
        """What kernels of outputs need of the equations of motion that count at present."""
        system = self.system
        own = self.energy, self._of_ports, self._turning, self._before
        return OutputParts(system.S, system.W, system.wrenches, *own)

    def _turning_angles(self) -> np.ndarray:
        """Rows of the angles whose whole turns are counted."""
        return np.zeros(0, np.int64)

    # the interface that FunctionSet requires of frames
    def frame(self, marker_id: int) -> int:
        if marker_id == 0:
            return 0
        if marker_id not in self._marker_frame:
            marker = self.model.markers.get(marker_id)
            if marker is None:
                raise ModelError(no_marker(self.model, marker_id))
            if marker.floating:
                raise marker.error("a floating marker has no position of its own here; use the marker that it follows")
            body = self.system.body_of(marker)
            local = self.local[body]
            place: Frame = marker.frame
            self.frame_list.append((body, local.axes.T @ (place.origin - local.origin), local.axes.T @ place.axes))
            self._marker_frame[marker_id] = len(self.frame_list) - 1
        return self._marker_frame[marker_id]


class Followed(OwnFrames):
    """Values of ``nodes`` (m,) with the labels of whose they are, parts of the expressions of the equations of motion,
    at any state.  ``known`` (m,): those that need no forces or accelerations."""

    def __init__(self, system, nodes):
        super().__init__(system)
        functions = [self.set.node(node, label) for node, label in nodes]
        self.pack(system.W._replace(R=system.W.R.copy()))
        late = lambda i: i.kind == FORCE or (i.kind == MEASURE and i.level == 2)
        inputs = [[self.set.inputs[i] for i in self.set.flat[f]] for f in functions]
        self.known = np.array([not any(late(i) for i in seen) for seen in inputs], bool)
        #: of time alone: values cost nothing
        self.timed = np.array([all(i.kind in (TIME, PARAMETER) for i in seen) for seen in inputs], bool)
        self._functions = np.array(functions, np.int64)
        # parameters (MODE, SENVAL, inputs, branches held within an expression) are as the equations of motion have them
        mine, theirs = self.set._input_index, system.functions.set._input_index
        self._shared = [
            (k, theirs[key])
            for key, k in mine.items()
            if key[0] in ("MODE", "SENVAL", "SWITCH", INPUT) and key in theirs
        ]

    def values(self, t: float, y: np.ndarray) -> np.ndarray:
        """(m,)"""
        for k, j in self._shared:
            self.W.f.x[k] = self.system.W.f.x[j]
        self._share_angles(t)
        sample(self.handle, t, y, VALUES)
        return self.W.f.fval[self._functions]


class Watch(Followed):
    """Conditions on which the expressions of the equations of motion branch, and the inputs that hold their
    branches."""

    def __init__(self, system):
        self.switches = list(system.functions.set.switches or [])
        super().__init__(system, [(s.condition, s.label) for s in self.switches])
        self._inputs = np.array([s.input for s in self.switches], np.int64)

    def hold(self, modes: np.ndarray) -> None:
        """Hold the branches of the equations of motion: -1 or 1, 0 lets the condition decide."""
        self.system.W.f.x[self._inputs] = modes


class Probe(OwnFrames):
    """The value of one expression at any state of a system that is being stepped.  Raises ModelError for what is not an
    expression of the model."""

    def __init__(self, system, text: str):
        super().__init__(system)
        try:
            self.set.node(parse(text), text)
        except ExpressionError as error:
            raise ModelError(f"'{text}': {error}") from None
        self._at = len(self.set.functions) - 1
        self.pack(system.W)
        #: whether forces or accelerations are requested, which are known once the equations have been solved
        self.late = any(
            i.kind == FORCE or (i.kind == MEASURE and i.level == 2)
            for i in (self.set.inputs[k] for k in self.set.flat[self._at])
        )
        #: whether turns of angles are counted
        self.counts = bool(self.set._refs)
        mine = self.set._input_index
        self._keys = [(key, k) for key, k in mine.items() if key[0] in ("MODE", "SENVAL", INPUT)]

    def accept(self, t: float, y: np.ndarray) -> None:
        """Keep count of the turns of angles."""
        if self.counts:
            sample(self.handle, t, y, ACCEPT)

    def value(self, t: float, y: np.ndarray) -> float:
        """At (t, y), where the system must just have been evaluated if it is `late`."""
        for key, k in self._keys:
            self.W.f.x[k] = self.system.outputs.parameters.get(key, 0.0)
        if self.late:
            evaluate_outputs(self.handle, t, y)
        else:
            sample(self.handle, t, y, VALUES)
        return float(self.W.f.fval[self._at])


class Sampled(OwnFrames):
    """Discrete states that the routines of ``blocks`` (GSE) give at a sample, and the times until the next ones."""

    def __init__(self, system, blocks):
        super().__init__(system)
        self.blocks = blocks
        routine = lambda b, outputs, part: UserRoutine(self.set, b, b.function, None, outputs, part)
        self._of = {
            b.id: (routine(b, b.nd, "UPDATE"), routine(b, 1, "SAMP") if samples_itself(b) else None) for b in blocks
        }
        self.pack(system.W)

    def values(self, t: float, y: np.ndarray, due) -> dict[int, tuple[np.ndarray, float]]:
        """(discrete states, time until the next sample) of the blocks that are ``due``, by id; the system must just
        have been evaluated at (t, y)."""
        for key, value in self.system.outputs.parameters.items():
            k = self.set._input_index.get(key)
            if k is not None:
                self.W.f.x[k] = value
        self._share_angles(t)
        evaluate_outputs(self.handle, t, y)
        return {b.id: self._ask(b, self._of[b.id], t) for b in self.blocks if b in due}

    def _ask(self, b, routines, t: float) -> tuple[np.ndarray, float]:
        """Each of ``routines`` (update, period or None) is called once."""
        out = []
        for routine in routines:
            try:
                out.append([float(v) for v in routine(self.W.f.x[routine.inputs])] if routine is not None else [0.0])
            except Exception as error:
                raise ModelError(
                    f"{b.label}, routine '{routine.name}' failed at time {t:.9g}: {type(error).__name__}: {error}"
                ) from error
        return np.array(out[0]), out[1][0]


class SampledBlocks(OwnFrames):
    """What sampled control blocks do at a sample: outputs of the blocks that are due, one after the other in the order
    in which they need each other, then the states of all of them at once (see `system.control`)."""

    def __init__(self, system):
        super().__init__(system)
        self.control = control = system.functions.control
        node = lambda b, signals: [self.set.node(s.node, b.label) for s in signals]
        self._out = {b.id: node(b, control.laws[b.id].outputs) for b in control.sampled}
        self._change = {b.id: node(b, control.laws[b.id].change) for b in control.sampled}
        self.pack(system.W)
        number = system.functions.state_number
        self._first = {b.id: system.bodies.end + number(("CONTROL", b.id, 1)) for b in control.sampled}
        #: whether forces or accelerations are read, which are known once the equations have been solved
        self.late = any(i.kind == FORCE or (i.kind == MEASURE and i.level == 2) for i in self.set.inputs)
        at_once = {}  # state that holds an output without delay -> its block
        for b in control.sampled:
            if not b.delay:
                n = control.places(b)[0]
                at_once |= {number(("CONTROL", b.id, n + k + 1)): b.id for k in range(len(self._out[b.id]))}
        reads = {
            b.id: {
                at_once[k]
                for f in self._out[b.id]
                for i in self.set.flat[f]
                if self.set.inputs[i].kind == STATE and (k := self.set.inputs[i].args[0]) in at_once
            }
            for b in control.sampled
        }
        self.order = sampled_order(control.sampled, reads)

    def release(self, y: np.ndarray, block) -> None:
        """Outputs that were computed a delay ago begin to act."""
        n, m, _ = self.control.places(block)
        first, size = self._first[block.id], m - n
        y[first + n : first + m] = y[first + m : first + m + size]

    def act(self, t: float, y: np.ndarray, due: dict[int, int]) -> None:
        """The sample at (t, y), which changes y; ``due``: id of each block that is due -> number of its sample.  The
        system must just have been evaluated at (t, y)."""
        blocks = [b for b in self.order if b.id in due]
        self.take_parameters()
        self._share_angles(t)
        for b in blocks:
            count = self.control.laws[b.id].draws
            if count:
                first = self._first[b.id] + self.control.places(b)[2]
                y[first : first + count] = standard_normal(b.seed, due[b.id], count)
        for b in blocks:
            self._evaluate(t, y)
            values = self.W.f.fval[self._out[b.id]]
            if not np.isfinite(values).all():
                raise b.error(f"its output is not a finite number at time {t:.9g}; check its inputs and parameters")
            first = self._first[b.id] + self.control.places(b)[1 if b.delay else 0]
            y[first : first + len(values)] = values
        changed = [b for b in blocks if self._change[b.id]]
        if changed:
            self._evaluate(t, y)
            for b in changed:
                first = self._first[b.id]
                y[first : first + len(self._change[b.id])] = self.W.f.fval[self._change[b.id]]

    def first(self, block) -> int:
        """Place of the first state of a block in the state vector."""
        return self._first[block.id]

    def functions_of(self, block) -> tuple[list[int], list[int]]:
        """Functions of the outputs of a block, and of its states after a sample."""
        return self._out[block.id], self._change[block.id]

    def take_parameters(self) -> None:
        """MODE, SENVAL and inputs as they were set last."""
        for key, value in self.system.outputs.parameters.items():
            k = self.set._input_index.get(key)
            if k is not None:
                self.W.f.x[k] = value

    def _evaluate(self, t: float, y: np.ndarray) -> None:
        if self.late:
            evaluate_outputs(self.handle, t, y)
        else:
            sample(self.handle, t, y, VALUES)


class Outputs(OwnFrames):
    """Output functions of a system: requests, variables, sensors."""

    def __init__(self, system):
        super().__init__(system)
        self.requests = [r for r in self.model.table("REQUEST").values() if r.active]
        self.variables = [v for v in self.model.table("VARIABLE").values() if v.active]
        self.sensors = [s for s in self.model.table("SENSOR").values() if s.active]
        numbers = lambda functions: np.array(list(functions), np.int64)
        self._request = numbers(k for r in self.requests for k in self._compile_request(r))
        self._variable = numbers(self._carried(v) for v in self.variables)
        self._sensor = numbers(self.set.compile(s, s.function, s.routine) for s in self.sensors)
        self._evaluate = numbers(self.set.compile(s, s.evaluate) if s.evaluate else -1 for s in self.sensors)
        self._angle = numbers(self._compile_angles())
        self._compile_delays()
        self.pack(system.W)
        self._choose()
        resisting = {r for s in self.model.table("SWITCH").values() for r in s.resisting}
        forces = self.system.functions.force_elements  # a row of forces by functions each
        self._resisting = np.array([k for k, e in enumerate(forces) if (e.KIND, e.id) in resisting], np.int64)
        self._begun = False
        #: turns between two evaluations were not sure, see `_count`
        self.doubtful = False
        self._orient = [(k, i.args) for k, i in enumerate(self.set.inputs) if i.code == 100 and i.label == "ORIENT"]
        self._orient_last: dict = {}
        self.parameters: dict[tuple, float] = {}  # MODE, SENVAL and inputs as they were set last
        self.probes: list[Probe] = []  # expressions that have been requested, and follow the turns of angles

    def _choose(self) -> None:
        """Kernels for what is requested: those for angles alone, where nothing else is."""
        of = {i.label: k for k, i in enumerate(self.set.inputs)}
        self._turns = np.array([of.get(f"AZ({e.i},{e.j})", -1) for e in self.angles], np.int64)
        angles = set(self._turns)
        self._simple = (
            len(self.set.functions) == len(set(self._angle.tolist()))
            and -1 not in angles
            and all(i.kind == TIME or (i.kind == MEASURE and k in angles) for k, i in enumerate(self.set.inputs))
        )
        self._evaluate_kernel, self._sample, self._count_kernel = (
            (evaluate_turning_outputs, sample_turns, count_simple_turns)
            if self._simple
            else (evaluate_outputs, sample, count_turns)
        )
        #: the handle for whose types the entry is
        self._entered: Handle | None = None
        self._entry = Entry(self._evaluate_kernel)

    def _turning_angles(self) -> np.ndarray:
        labels = {f"AZ({e.i},{e.j})" for e in self.angles}
        return np.array([i.ref for i in self.set.inputs if i.label in labels and i.ref >= 0], np.int64)

    def _compile_angles(self) -> list[int]:
        """Angles of joints and torsion springs about z, whose whole turns are counted."""
        there = lambda m: (
            m in self.model.markers and not self.model.markers[m].floating and self._present(self.model.markers[m])
        )
        pairs = [*self.model.joints.values(), *self.model.table("SPRINGDAMPER").values()]
        self.angles = [e for e in pairs if turning(e) and there(e.i) and there(e.j)]
        return [self.set.compile(e, f"AZ({e.i},{e.j})") for e in self.angles]

    def _compile_delays(self) -> None:
        """What conditions of SWITCHes and the elements that these turn on and off delay is computed whatever their
        states are, so that its past has no gap; so is what inputs of sampled blocks delay, which are evaluated at
        samples only."""
        for b in self.system.functions.control.sampled:
            for tree in self.system.functions.control.inputs_of(b):
                for part in walk(tree):
                    if isinstance(part, Call) and part.name == "DELAY":
                        self.set.node(part, b.label)
        for s in self.model.table("SWITCH").values():
            if not s.active:
                continue
            texts = [(s, w) for tr in s.transitions for w in tr.when]
            for kind, number in s.elements:
                e = self.model.table(kind)[number]
                given = {k: v for k, v in vars(e).items() if k not in ("name", "routine")}
                texts += [(e, v) for v in given.values() if isinstance(v, str)]
            for e, text in dict.fromkeys((e.label, text) for e, text in texts if "DELAY" in text.upper()):
                try:
                    for part in walk(read_function(self.model, text)):
                        if isinstance(part, Call) and part.name == "DELAY":
                            self.set.node(part, e)
                except ExpressionError as error:
                    raise ModelError(f"{e}: FUNCTION: {error}") from None

    def _present(self, marker) -> bool:
        body = self.model.body_of(marker)
        return getattr(body, "ground", False) or (body.KIND, body.id) in self.system.body_index

    def _carried(self, variable) -> int:
        k = self.set.variable(variable.id)
        return next(f for f, function in enumerate(self.set.functions) if function.var_input == k)

    def _compile_request(self, r) -> list[int]:
        out = [-1] * 8
        if r.function or r.routine:
            return [self.set.compile(r, r.function or "USER()", r.routine, k, 8) for k in range(8)]
        if r.kind:
            i, j, rm = (f"{m or 0}" for m in (r.i, r.j, r.rm))
            turned: dict[str | None, str] = dict(
                zip(("PSI", "THETA", "PHI"), ANGLES[AdamsOutput.of(self.model.preferences).yaw_pitch_roll])
            )
            for k, name in enumerate(turned.get(n, n) for n in STANDARD[r.kind]):
                if name is None:
                    continue
                args = (
                    (i, j) if name in (*turned.values(), "DM", "WM", "WDTM", "VM", "ACCM", "FM", "TM") else (i, j, rm)
                )
                if r.kind == "FORCE" and not self.system.functions.marker_sources(r.i or 0, r.j or 0):
                    self.model.warn(f"{r.label}: no force acts between these markers; its values are zero")
                    return out
                out[k] = self.set.compile(r, f"{name}({','.join(args)})")
            return out
        for key, text in r.functions.items():
            out[int(key[1:]) - 1] = self.set.compile(r, text)
        return out

    def evaluate(self, t: float, y: np.ndarray) -> None:
        """All values at (t, y); the system must just have been evaluated there."""
        if len(self._turning) and self._begun and self._far(t, y):
            self._count(t, y)
        if self._orient:
            update_frames(self.S.fr, y, self.W.R)
            for k, (kind, component, i, j) in self._orient:
                key = (kind, i, j)
                self.W.f.x[k] = orient(kind, component, i, j, self.S.fr)
                if kind == 27:  # keep the sign of the Euler parameters continuous
                    if component == 1:
                        p = [orient(27, c, i, j, self.S.fr) for c in (1, 2, 3, 4)]
                        last = self._orient_last.get(key)
                        sign = 1.0 if last is None or np.dot(last, p) >= 0 else -1.0
                        self._orient_last[key] = sign * np.array(p)
                    if key in self._orient_last:
                        self.W.f.x[k] = self._orient_last[key][component - 1]
        contacts = self.system.contacts
        if contacts.on:
            sums = contacts.sum(t, y)
        if self._entered is not self.handle:
            self._entered, self._entry = self.handle, Entry(self._evaluate_kernel)
        self._entry.call(self.handle, t, y)
        if self._simple:
            self.W.f.fval[self._angle] = self.W.f.x[self._turns]
        for probe in self.probes:
            probe.accept(t, y)
        self._begun = True
        if contacts.on:
            self.energy[2] += sums[0, C_STORED] if len(sums) == 1 else sums[:, C_STORED].sum()
            self.energy[4] += sums[0, C_LOST] if len(sums) == 1 else sums[:, C_LOST].sum()
        if len(self._resisting):  # friction, though functions give it: it loses what they would put in
            power = power_of_forces(self.handle, y, self._resisting)
            self.energy[3] -= power
            self.energy[4] -= power

    def follow(self, t: float, y: np.ndarray) -> None:
        """After a step of the integrator: keep count of the turns of the angles that outputs measure."""
        if len(self._turning) and self._begun:
            self._count(t, y)
        elif self.set._refs:
            self._sample(self.handle, t, y, ACCEPT)
        for probe in self.probes:
            probe.accept(t, y)

    def continue_angles(self, angles: dict[tuple, float]) -> None:
        """Continue counting turns where others ended; nothing is known of the way from the last evaluation."""
        super().continue_angles(angles)
        self._begun = False

    def _far(self, t: float, y: np.ndarray) -> bool:
        """May something have turned by more than a radian since the last count?"""
        n, f = self.system.nb, self.W.f
        rate = briefly(fastest, n + len(self._turning), y, n, self._turning, f.ref)
        return abs(t - f.clock[0]) * rate > 1.0

    def _count(self, t: float, y: np.ndarray) -> None:
        """Accept the angles at (t, y) and count their whole turns."""
        self.doubtful = bool(self._count_kernel(self.handle, t, y)) or self.doubtful

    def _values(self, functions: np.ndarray) -> np.ndarray:
        """Of functions (n,); zero where the number is negative."""
        values = self.W.f.fval
        if not len(functions) or not len(values):
            return np.zeros(len(functions))
        return np.where(functions >= 0, values[functions], 0.0)

    @property
    def request_values(self) -> np.ndarray:
        return self._values(self._request).reshape(-1, 8)

    @property
    def variable_values(self) -> np.ndarray:
        return self._values(self._variable)

    @property
    def angles_now(self) -> np.ndarray:
        """(angles,) Angles of joints and torsion springs about z, over whole turns."""
        return self._values(self._angle)

    @property
    def angle_values(self) -> dict[tuple[str, int], float]:
        """The same by kind and id."""
        return {(e.KIND, e.id): v for e, v in zip(self.angles, self.angles_now)}

    @property
    def sensor_values(self) -> np.ndarray:
        return self._values(self._sensor)

    @property
    def evaluate_values(self) -> np.ndarray:
        return self._values(self._evaluate)

    def set_parameter(self, key: tuple, value: float) -> None:
        """MODE, SENVAL or that of an input, here and in the equations of motion."""
        self.parameters[key] = value
        for functions, work in ((self.set, self.W.f), (self.system.functions.set, self.system.W.f)):
            k = functions._input_index.get(key)
            if k is not None and work is not None:
                work.x[k] = value
