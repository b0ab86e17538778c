"""A machine that is cut at joints: its sides are simulated apart, and the reactions of the joints couple them.

Each side gets the wrench of a joint at its marker as inputs.  Over a communication step the wrench is linear in time,

    w(t) = G0^T a (1 - s) + G1^T b s,   s = (t - t0) / H,

G the directions that the joint holds (in the axes of J at the start and at the end of the step), and a, b (m,) are such
that the positions and the velocities which the joint holds together agree at the end of the step:  g(t0 + H) = 0,
g'(t0 + H) = 0.  So the constraint does not drift, and the power that one side gives and the other does not take,
w (v_I - v_J), has the work  -(w' integral of g dt)  over a step (w is linear, g zero at both ends), of the order H^5:
the coupling creates no energy.  (Multipliers at macro points: Schweizer, Lu, Multibody System Dynamics 34 (2015) 129;
energy at the coupling: Sadjina et al., Engineering with Computers 33 (2017) 607.)

The 2 m numbers follow by Newton's method with returns to the start of the step.  Its matrix is that of the admittance
A = d g'' / d w (m, m) of both sides, evaluated at both ends of the step and linear between them; rank-one updates
(Broyden) improve it.  Where it takes many trials, as with stiff forces in the sides, the matrix is measured by one
trial for each of the 2 m numbers, and kept for steps of about the same size as long as it serves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ...expressions import Call, ExpressionError, Number, parse, walk
from ...expressions.functions import MEASURES
from ...expressions.references import NAMED
from ...integrators.stepper import IntegrationError
from ...model import Model, ModelError
from ...model.base import did_you_mean, kinds_of
from ...model.joint_facts import facts
from .components import Component, Ended, SimulationComponent
from .ends import ABSENT, ACCELERATIONS, OUTPUTS, TAKEN, End, add_end
from .master import FIRST, Master
from .process import FmuFailed

ORDER = 4  # of the coupling
TRIES = 14  # steps with other reactions, until a step is repeated with half the size
SLOW = 2  # trials that a step may take; more of them, together as many as a matrix costs, lead to a measured one
ALIKE, KEPT = 2.0, 8  # ratio of step sizes for which a measured matrix is tried; most that are kept
DEARER = 4  # factor on their price where measured matrices do not save trials
NUDGE = 1e-4  # of its size: the gap by which reactions are varied for it
CLOSE = 1e-2  # of the error of a step, to which the joint is closed
AGREE = 1e-6  # of its size, to which both sides must agree at the start
NOISE = 1e-10  # of its size: a gap that is none
ROUNDING = 1e-13  # the same where the error is controlled: short steps may have errors below NOISE
SUBSTEPS = 4  # of a step of a component whose inputs are held
MEASURED = 4  # times that the matrix of sides without accelerations is measured, until its nudges have their size
BODIES, OTHER_BODIES = (
    ("PART", "POINT_MASS", "FLEX_BODY"),
    ("FE_PART", "ATTACHMENT", "SLIDING_MASS", "MESH_POINT", "GRAINS"),
)
HAIR = 1e-9  # of the span: how exactly the time is found at which a sensor ends the run
ENDS = 50  # tries to find it
#: types of joints at which a machine is cut, and the directions that they hold
LOCKED = {"REVOLUTE": 5, "SPHERICAL": 3, "FIXED": 6, "TRANSLATIONAL": 5, "CYLINDRICAL": 4, "PLANAR": 3}


@dataclass
class Cut:
    """A joint at which the machine is cut: its two ends, the translations (rows of a unit matrix) and rotations that it
    holds, in axes of J.  ``signs`` (3,): -1 for axes of I that point against those of J, which joints allow."""

    label: str
    i: End
    j: End
    along: np.ndarray
    about: np.ndarray
    signs: np.ndarray = field(default_factory=lambda: np.ones(3))

    @property
    def size(self) -> int:
        """Number of its conditions."""
        return len(self.along) + len(self.about)

    @property
    def ends(self) -> tuple[End, End]:
        """Both, that of I first."""
        return self.i, self.j


def held(joint: Any) -> tuple[np.ndarray, np.ndarray]:
    """Translations and rotations that a joint (or what has its ``type``) holds, rows of a unit matrix."""
    holds, axes = facts(joint).holds, np.eye(3)
    return tuple(axes[[a in holds for a in names]] for names in ("xyz", "XYZ"))  # type: ignore[return-value]


class SplitModel:
    """Sides of a model that is cut at ``joints``: `models` by name, `cuts`, and for each side its ``inputs`` (ids) and
    ``outputs`` (VARIABLEs).  Raises ModelError for joints whose directions depend on the position, and where the
    machine is still connected."""

    def __init__(self, model: Model, joints: Sequence[Any]):
        found = [_joint(model, j) for j in joints]
        if not found:
            raise ModelError("cut: there is no joint to cut the machine at; give names of joints")
        parts = [e for kind in BODIES for e in model.table(kind).values() if _is_side(e)]
        for kind in OTHER_BODIES:
            for e in model.table(kind).values():
                raise e.error("a machine with this element cannot be cut at joints")
        sides = _groups(model, parts, found)
        self.cuts: list[Cut] = []
        self.models: dict[str, Model] = {}
        self.inputs: list[list[int]] = []
        self.outputs: list[list[Any]] = []
        of = {(p.KIND, p.id): n for n, group in enumerate(sides) for p in group}
        for joint in found:
            _check(model, joint, of)
        for n, group in enumerate(sides):
            mine = {(p.KIND, p.id) for p in group}
            copy = model.copy()
            for joint in found:
                copy.remove(copy.find(joint.KIND, joint.id), with_users=True)
            for p in parts:
                if (p.KIND, p.id) not in mine:
                    copy.remove(copy.find(p.KIND, p.id), with_users=True)
            name = group[0].name.replace(".", "_") or f"side_{n + 1}"
            self.models[name if name not in self.models else f"{name}_{n + 1}"] = copy
            self.inputs.append([])
            self.outputs.append([])
        for m in self.models.values():
            _drop_outputs(model, m)
        for sensor in model.table("SENSOR").values():
            if not any(sensor.id in m.table("SENSOR") for m in self.models.values()):
                raise sensor.error(
                    f"it reads more than one side of the cut ({', '.join(self.models)}), and a sensor is watched on "
                    "one; give one sensor for each side, or cut elsewhere"
                )
        for joint in found:
            first, second = (self._end(model, marker, of) for marker in (joint.i, joint.j))
            self.cuts.append(Cut(joint.label, first, second, *held(joint)))

    def _end(self, model: Model, marker_id: int, of: dict[tuple[str, int], int]) -> End:
        """Inputs and outputs at one marker of a joint."""
        marker = model.markers[marker_id]
        side = of[marker.body_kind, marker.part]
        m, first, number = list(self.models.values())[side], len(self.outputs[side]), len(self.inputs[side])
        names = [
            [f"cut_{marker_id}_{n}" for n in some] for some in (TAKEN, range(OUTPUTS), map(str.lower, ACCELERATIONS))
        ]
        inputs, made, accelerations = add_end(m, marker_id, *names)
        self.inputs[side] += inputs
        self.outputs[side] += made
        return End(side, number + np.arange(len(inputs)), first + np.arange(OUTPUTS), accelerations)


def side_component(
    sim: Any,
    name: str,
    inputs: list[int],
    outputs: list[Any],
    cuts: Sequence[Cut],
    options: Mapping[str, Any],
    end: float,
    error: float,
) -> tuple[SimulationComponent, list[Any]]:
    """A model that joints connect, ready to be initialised, with the inputs and outputs of its ends, and its own
    VARIABLEs, which are outputs behind these.  ``end`` [s]."""
    second = [v for cut in cuts for e in cut.ends for v in e.accelerations or ()]
    hidden = {*inputs, *(v.id for v in outputs)}
    table = sim.model.table("VARIABLE")
    hidden |= {v.id for v in second if v.id in table and table[v.id].name == v.name}  # of this side
    own = [v for v in table.values() if v.id not in hidden]
    scale = 1.0 / sim.model.units.si_time
    opening = {"duration": end * scale, "error": min(1e-9, 1e-3 * error), **options}
    return SimulationComponent(sim, name, inputs, [*outputs, *own], opening, scale), own


def _drop_outputs(whole: Model, side: Model) -> None:
    """Outputs and sensors whose functions name elements of the other sides are not among those of this one.  Raises
    ModelError for others that do."""
    again = True
    while again:
        again = False
        for e in list(side):
            here = _named(e)
            gone = [f"{k}/{n}" for k, n in here if n in whole.table(k) and n not in side.table(k)]
            if gone and e.KIND not in ("VARIABLE", "REQUEST", "SENSOR"):
                raise e.error(
                    f"its function reads {gone[0]}, on another side of the cut, so that the machine cannot be cut there"
                )
            if gone:
                side.remove(e, with_users=True)
                again = True


def _named(element: Any) -> list[tuple[str, int]]:
    """(type, id) of the elements that the functions of an element name."""
    out: list[tuple[str, int]] = []
    texts = [v for v in vars(element).values() if isinstance(v, str)]
    texts += [
        v for some in vars(element).values() if isinstance(some, (list, tuple)) for v in some if isinstance(v, str)
    ]
    for text in texts:
        if "(" not in text:
            continue
        try:
            tree = parse(text)
        except ExpressionError:
            continue
        for call in (n for n in walk(tree) if isinstance(n, Call)):
            place, kind = NAMED.get(call.name, (-1, ""))
            for k, a in enumerate(call.args):
                takes = kind if k == place else "MARKER" if call.name in MEASURES else ""
                if takes and isinstance(a, Number):
                    out.append((takes, int(a.value)))
    return out


def _joint(model: Model, reference: Any) -> Any:
    if isinstance(reference, str):
        key = reference.lower()
        for kind in ("JOINT", "JPRIM"):
            for e in model.table(kind).values():
                if e.name.lower() == key or e.label.lower() == key:
                    return e
        names = [e.name for kind in ("JOINT", "JPRIM") for e in model.table(kind).values() if e.name]
        raise ModelError(f"cut: there is no joint '{reference}'{did_you_mean(reference, names)}")
    if getattr(reference, "KIND", "") not in ("JOINT", "JPRIM"):
        raise ModelError(f"cut: {reference!r} is not a joint; give its name")
    return model.find(reference.KIND, reference)


def _is_side(body: Any) -> bool:
    return not getattr(body, "ground", False) and getattr(body, "active", True)


def _groups(model: Model, parts: list[Any], joints: list[Any]) -> list[list[Any]]:
    """Bodies that forces and joints connect when ``joints`` are cut."""
    cut = {(j.KIND, j.id) for j in joints}
    of_marker = {m.id: (m.body_kind, m.part) for m in model.markers.values()}
    root = {(p.KIND, p.id): (p.KIND, p.id) for p in parts}

    def top(key: tuple[str, int]) -> tuple[str, int]:
        while root[key] != key:
            key = root[key]
        return key

    for kind in kinds_of("constraint", "force"):
        for e in model.table(kind).values():
            if not e.active or (e.KIND, e.id) in cut:
                continue
            bodies = [b for b in (of_marker.get(m) for m in e.ports) if b in root]
            for b in bodies[1:]:
                root[top(b)] = top(bodies[0])
    out: dict[tuple[str, int], list[Any]] = {}
    for p in parts:
        out.setdefault(top((p.KIND, p.id)), []).append(p)
    return list(out.values())


def _check(model: Model, joint: Any, of: dict[tuple[str, int], int]) -> None:
    """Raises ModelError for a joint at which the machine cannot be cut."""
    known = facts(joint)
    if len(known.holds) != LOCKED.get(joint.type, -1):
        raise joint.error(
            f"a machine cannot be cut at a joint of type {joint.type}; choose one of {', '.join(sorted(LOCKED))}"
        )
    sides = []
    for marker_id in (joint.i, joint.j):
        marker = model.markers.get(marker_id)
        side = None if marker is None else of.get((marker.body_kind, marker.part))
        if side is None:
            raise joint.error("one of its sides is the ground; cut at a joint between two parts")
        sides.append(side)
    if sides[0] == sides[1]:
        raise joint.error(
            "its two parts are still connected by other joints or forces when it is cut; name all joints of the cut, "
            "as cut=['a', 'b']"
        )
    for user in model.users(joint):
        if user.KIND not in ("REQUEST", "GRAPHICS"):
            raise joint.error(f"{user.label} acts on it, so that the machine cannot be cut there")


class JoinedMaster(Master):
    """Steps of sides whose joints are closed at the end of each."""

    def __init__(self, components: Sequence[Component], cuts: Sequence[Cut], names: Sequence[str], **options: Any):
        super().__init__(components, [[] for _ in components], names, **options)
        self.cuts = list(cuts)
        self._sides = list(components)
        held = [c.order for c in components if not c.interpolates]
        self.order = min([ORDER, *held])
        #: whether accelerations of all ends are known
        self._accelerated = all(e.accelerations is not None for cut in cuts for e in cut.ends)
        self._watched = np.zeros(len(self._smooth), bool)
        self._sizes = np.ones(0)  # (m,) of what each row of the joints holds: that of the machine, 1 rad
        self.m = sum(c.size for c in self.cuts)
        self._slopes = np.zeros(
            3 * self.m + 1
        )  # reactions at both ends of the last step, its size; which was before it
        self._now = [np.zeros(len(c.inputs)) for c in components]
        self._measured: list[tuple[float, np.ndarray]] = []  # sizes of steps, inverse matrices
        self._wasted = 0  # trials beyond `SLOW` since the last one was measured
        self._price = 2 * self.m  # of them, for which another is measured
        self._usual = 0.0  # trials of a step without one, on average
        models = [c.sim.model for c in components if isinstance(c, SimulationComponent)]
        ends = (s.active and (s.halt or s.returns) for m in models for s in m.table("SENSOR").values())
        self._halts = any(ends) and all(c.rolls_back for c in components)
        self._kept: list[tuple[Component, Any]] = []  # at the present time, where a sensor may end the run
        self._follow: Any = None

    @property
    def coupled(self) -> bool:
        """Joints couple the sides, not signals."""
        return True

    # ---- kinematics of the joints ------------------------------------------------------------------------------------
    def _ends(self, values: np.ndarray, cut: Cut) -> list[np.ndarray]:
        return [e.read(values[self._own[e.side]]) for e in cut.ends]

    @staticmethod
    def _axes(end: np.ndarray) -> np.ndarray:
        x, y = end[9:12], end[12:15]
        return np.column_stack([x, y, np.cross(x, y)])

    @staticmethod
    def _directions(S: np.ndarray, cut: Cut) -> tuple[np.ndarray, np.ndarray]:
        """Directions held, as rows: those of the ground where all three are."""
        return tuple(held if len(held) == 3 else held @ S.T for held in (cut.along, cut.about))  # type: ignore[return-value]

    def _gaps(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(m,) what the joints hold at zero, and its rate, in axes of J: translations, then rotations."""
        gaps, rates = [], []
        for cut in self.cuts:
            i, j = self._ends(values, cut)
            R, S = self._axes(i) * cut.signs, self._axes(j)
            along, about = self._directions(S, cut)
            d = i[:3] - j[:3]
            gaps.append(along @ d)
            rates.append(along @ (i[3:6] - j[3:6] - (0.0 if len(along) == 3 else np.cross(j[6:9], d))))
            turned = np.cross(S, R, axis=0)  # of each axis; that of the hinge does not see the angle about it
            gaps.append(about @ (0.5 * turned.sum(axis=1) if len(about) == 3 else turned[:, 2]))
            rates.append(about @ (i[6:9] - j[6:9]))
        return np.concatenate(gaps), np.concatenate(rates)

    def _wrenches(self, values: np.ndarray, reactions: np.ndarray) -> list[np.ndarray]:
        """Inputs of the sides for reactions (m,) of the joints, at the positions in ``values``."""
        out = [np.zeros(len(c.inputs)) for c in self._sides]
        n = 0
        for cut in self.cuts:
            i, j = self._ends(values, cut)
            S = self._axes(j)
            along, about = self._directions(S, cut)
            force = reactions[n : n + len(along)] @ along
            torque = reactions[n + len(along) : n + cut.size] @ about
            n += cut.size
            cut.i.act(np.append(force, torque), out[cut.i.side])
            cut.j.act(np.append(-force, -torque - np.cross(i[:3] - j[:3], force)), out[cut.j.side])
        return out

    def initialise(self, start: float) -> None:
        """The sides as they are; their joints must be closed.  Raises ModelError where they are not."""
        super().initialise(start)
        for cut in self.cuts:
            R, S = (self._axes(end) for end in self._ends(self.values, cut))
            cut.signs = np.where(np.sum(R * S, axis=0) < 0.0, -1.0, 1.0)
        gaps, rates = self._gaps(self.values)
        places = [end[:3] for cut in self.cuts for end in self._ends(self.values, cut)]
        extents = [float(c.sim.system.extent) for c in self._sides if isinstance(c, SimulationComponent)]
        self._length = max([*extents, float(np.ptp(places, axis=0).max())]) or 1.0
        self._sizes = np.concatenate([[self._length] * len(c.along) + [1.0] * len(c.about) for c in self.cuts])
        speed = max(float(np.abs(self.values).max(initial=0.0)), NOISE) / self._length
        n = 0
        for cut in self.cuts:
            moves, turns = slice(n, n + len(cut.along)), slice(n + len(cut.along), n + cut.size)
            for what, off, rows, rate, advice in (
                ("positions", gaps, moves, 1.0, "move one of them"),
                ("directions", gaps, turns, 1.0, "turn one of them"),
                ("velocities", rates, moves, speed, "give velocities that fit the joint"),
                ("angular velocities", rates, turns, speed, "give angular velocities that fit the joint"),
            ):
                worst = float(np.abs(off[rows]).max(initial=0.0))
                if worst > AGREE * rate * self._sizes[rows].max(initial=0.0):
                    raise ModelError(
                        f"{cut.label}: the {what} of its two sides differ by {worst:.3g} at the start; {advice}, or "
                        "start from the state of a simulation of the whole machine"
                    )
            n += cut.size

    # ---- one step ----------------------------------------------------------------------------------------------------
    def _trial(self, t: float, end: float, values: np.ndarray, z: np.ndarray, guess: np.ndarray) -> np.ndarray:
        """Outputs at the end for reactions ``z`` (2 m) at both ends of a step; ``guess``: positions at its end."""
        first, last = self._wrenches(values, z[: self.m]), self._wrenches(guess, z[self.m :])
        new = values.copy()
        for k, c in enumerate(self.components):
            rates = (last[k] - first[k]) / (end - t)
            times = np.linspace(t, end, 2 if c.interpolates else SUBSTEPS + 1).tolist()
            times[-1] = end
            for a, b in zip(times, times[1:]):
                new[self._own[k]] = c.step(a, b, first[k] + rates * (a - t), rates)
        self._now = last
        return new

    def _residual(self, values: np.ndarray, h: float) -> np.ndarray:
        gaps, rates = self._gaps(values)
        return np.concatenate([gaps, h * rates])

    def _off(self, residual: np.ndarray) -> float:
        """The largest of a residual, as a share of the size of the machine; rotations as they are."""
        return float(np.abs(residual / np.tile(self._sizes, 2)).max())

    def _largest(self, matrix: np.ndarray) -> np.ndarray:
        """(2 m,) the same of each column of a (2 m, 2 m) matrix of changes of the residual."""
        return np.abs(matrix / np.tile(self._sizes, 2)[:, None]).max(axis=0)

    def _all(self, t: float, end: float, values: np.ndarray, slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All sides from t to ``end`` with reactions that close the joints there."""
        m, h = self.m, end - t
        a, b, size = slopes[:m], slopes[m : 2 * m], slopes[-1]
        rate = (b - a) / size if size > 0.0 else np.zeros(m)
        z = np.concatenate([b, b + rate * h])
        kept = [(c, c.keep()) for c in self.components]
        anew = self._known(h) is None

        def first(evaluated: bool) -> tuple[np.ndarray | None, np.ndarray]:
            """The admittance at the start, where it is to be evaluated, and the outputs of the first trial."""
            start = None
            if evaluated and self._accelerated:
                start = self._admittance(values)
                self._back(kept)
            return start, self._trial(t, end, values, z, self._ahead(values, h))

        try:
            start, new = first(anew)
            try:
                new, z = self._close(t, end, values, z, new, kept, start)
            except FmuFailed:
                if anew:
                    raise
                self._measured.clear()  # a measured matrix serves no longer
                self._price *= DEARER
                self._back(kept)
                start, new = first(True)
                new, z = self._close(t, end, values, z, new, kept, start)
        finally:
            for c, state in kept:
                c.drop(state)
        return new, np.concatenate([z, slopes[2 * m : 3 * m], [h]])

    def _ahead(self, values: np.ndarray, h: float) -> np.ndarray:
        """Positions and axes a time h later, at their present rates."""
        out = values.copy()
        for e in (e for cut in self.cuts for e in cut.ends):
            now = e.read(values[self._own[e.side]])
            later = now.copy()
            later[:3] = now[:3] + h * now[3:6]
            turn = Rotation.from_rotvec(h * now[6:9]).as_matrix()
            later[9:12], later[12:15] = turn @ now[9:12], turn @ now[12:15]
            e.write(later, out[self._own[e.side]])
        return out

    def _close(
        self,
        t: float,
        end: float,
        values: np.ndarray,
        z: np.ndarray,
        new: np.ndarray,
        kept: list,
        start: np.ndarray | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        h = end - t
        allowed, least = (CLOSE * self.error, ROUNDING) if self.step is None else (1e-3 * CLOSE * self.error, NOISE)
        bound = max(allowed * min(1.0, h / max(self._span, h)), least)
        r, guess = self._residual(new, h), new
        if self._off(r) <= bound:
            return new, z
        B = self._known(h) if start is None else np.linalg.inv(self._matrix(start, self._admittance(new), h))
        if B is None:
            B = self._measured_alone(t, end, values, z, new, guess, kept)
        for n in range(TRIES):
            dz = -B @ r
            self._back(kept)
            new = self._trial(t, end, values, z + dz, guess)
            z, before, r = z + dz, r, self._residual(new, h)
            worst = self._off(r)
            if worst <= bound:
                if self._pays(h, n + 2, start is None):
                    new = self._measure_matrix(t, end, values, z, new, guess, kept, B)
                return new, z
            if not worst < 10.0 * self._off(before):
                break
            if n:  # Broyden; the first residual had other directions at the end of the step
                u = B @ (r - before)
                if abs(float(dz @ u)) > 0.1 * float(dz @ dz):
                    B = B + np.outer(dz - u, dz @ B) / float(dz @ u)
        raise FmuFailed(f"the joints of the cut are not closed at {end:.9g} s; give a smaller step", rejected=True)

    def _pays(self, h: float, trials: int, measured: bool) -> bool:
        """Whether a matrix is to be measured, after a step of so many trials with a ``measured`` matrix or without."""
        self._wasted += max(0, trials - SLOW)
        if not measured:
            self._usual = 0.8 * self._usual + 0.2 * trials if self._usual else float(trials)
        elif trials > SLOW and trials > self._usual - 1.0:  # it saves nothing, as where directions turn quickly
            same = [one for one in self._measured if abs(one[0] / h - 1.0) < 0.1]
            if same:
                self._measured = [one for one in self._measured if one is not same[0]]
                self._price, self._wasted = DEARER * self._price, 0
        return self._wasted > self._price

    def _known(self, h: float) -> np.ndarray | None:
        """The inverse matrix that was measured for steps of about this size."""
        near = min(self._measured, key=lambda one: abs(np.log(one[0] / h)), default=None)
        if near is None or not 1.0 / ALIKE < near[0] / h < ALIKE:
            return None
        return near[1] * (near[0] / h) ** 2

    def _measure_matrix(
        self,
        t: float,
        end: float,
        values: np.ndarray,
        z: np.ndarray,
        new: np.ndarray,
        guess: np.ndarray,
        kept: list,
        B: np.ndarray,
    ) -> np.ndarray:
        """Measure the matrix of this step, whose solution is ``z`` with the outputs ``new`` at its end; its outputs
        when it is repeated for that."""
        nudges = NUDGE / self._largest(np.linalg.inv(B))
        M = self._responses(t, end, values, z, new, guess, kept, nudges)
        self._wasted = 0
        if np.isfinite(M).all() and np.linalg.cond(M) < 1e14:
            self._keep_matrix(end - t, np.linalg.inv(M))
        self._back(kept)
        return self._trial(t, end, values, z, guess)

    def _keep_matrix(self, h: float, B: np.ndarray) -> None:
        others = [one for one in self._measured if abs(one[0] / h - 1.0) > 0.1]
        self._measured = [*others[-KEPT + 1 :], (h, B)]

    def _responses(
        self,
        t: float,
        end: float,
        values: np.ndarray,
        z: np.ndarray,
        new: np.ndarray,
        guess: np.ndarray,
        kept: list,
        nudges: np.ndarray,
    ) -> np.ndarray:
        """(2 m, 2 m) changes of the residual of a step with the outputs ``new``, over changes of its reactions by
        ``nudges``."""
        h = end - t
        r, columns = self._residual(new, h), []
        for nudge, unit in zip(nudges, np.eye(2 * self.m)):
            self._back(kept)
            there = self._trial(t, end, values, z + nudge * unit, guess)
            columns.append((self._residual(there, h) - r) / nudge)
        return np.array(columns).T

    def _measured_alone(
        self, t: float, end: float, values: np.ndarray, z: np.ndarray, new: np.ndarray, guess: np.ndarray, kept: list
    ) -> np.ndarray:
        """The inverse matrix of a step, where nothing is known of it: the nudges get their size by its own columns."""
        h = end - t
        near = min(self._measured, key=lambda one: abs(np.log(one[0] / h)), default=None)
        nudges = np.ones(2 * self.m)
        if near is not None:
            nudges = NUDGE / (self._largest(np.linalg.inv(near[1])) * (h / near[0]) ** 2)
        for _ in range(MEASURED):
            M = self._responses(t, end, values, z, new, guess, kept, nudges)
            size = self._largest(M)
            if not (np.isfinite(size).all() and (size > 0.0).all()):
                break
            found = size * nudges / NUDGE
            if (found > 0.1).all() and (found < 10.0).all():
                break
            nudges = NUDGE / size
        if not np.isfinite(M).all() or np.linalg.matrix_rank(M) < 2 * self.m:
            raise ModelError(
                "the reactions of the joints between the components are not independent, or a component does not react "
                "to one (the machine is overconstrained there, or a force is not connected inside the FMU); use joints "
                "that hold fewer directions"
            )
        B = np.linalg.inv(M)
        self._keep_matrix(h, B)
        return B

    @staticmethod
    def _matrix(A: np.ndarray, C: np.ndarray, h: float) -> np.ndarray:
        """(2 m, 2 m) d(g, h g')/d(a, b) over a step along which the admittance goes from A to C."""
        rows = [[A / 4 + C / 12, A / 12 + C / 12], [A / 3 + C / 6, A / 6 + C / 3]]
        return h * h * np.block(rows)

    def _admittance(self, values: np.ndarray) -> np.ndarray:
        """(m, m) second derivatives of the gaps, for one more unit of each reaction at the present state."""
        columns = [self._gap_rates(values, np.zeros(self.m))]
        columns += [self._gap_rates(values, unit) for unit in np.eye(self.m)]
        A = np.array(columns[1:]).T - columns[0][:, None]
        if not np.isfinite(A).all() or np.linalg.matrix_rank(A) < self.m:
            raise ModelError(
                "cut: the reactions of the joints are not independent (the machine is overconstrained there); cut at "
                "joints that hold fewer directions"
            )
        return A

    def _gap_rates(self, values: np.ndarray, reactions: np.ndarray) -> np.ndarray:
        """(m,) second derivatives of the gaps, as far as reactions change them."""
        for c, inputs in zip(self._sides, self._wrenches(values, reactions)):
            assert isinstance(c, SimulationComponent)
            c._set(inputs)
        out = []
        for cut in self.cuts:
            i, j = self._ends(values, cut)
            (ai, wi), (aj, wj) = (self._accelerations(e) for e in (cut.i, cut.j))
            along, about = self._directions(self._axes(j), cut)
            out += [along @ (ai - aj - np.cross(wj, i[:3] - j[:3])), about @ (wi - wj)]
        return np.concatenate(out)

    def _accelerations(self, end: End) -> np.ndarray:
        """(2, 3) acceleration of a marker, and angular acceleration."""
        side = self._sides[end.side]
        assert isinstance(side, SimulationComponent) and end.accelerations is not None
        return np.array([side.sim.output(v) for v in end.accelerations]).reshape(2, 3)

    def _changed(self, h: float, end: float, ratio: float, order: int) -> float:
        """As `Master._changed`, by halving the time between two outputs, so that matrices serve again."""
        return self._halved(super()._changed(h, end, ratio, order))

    def _halved(self, h: float) -> float:
        return float(self._rows * 2.0 ** min(0.0, np.floor(np.log2(h / self._rows) + 1e-9)))

    def _end(self, stop: float) -> float:
        """The end of the next step, of which a whole number leads to ``stop``."""
        left = stop - self.time
        for step in (self._h, 0.5 * self._h, 0.25 * self._h):
            n = round(left / step)
            if n and abs(left - n * step) < 1e-6 * step:
                return stop if n == 1 else self.time + step
        n = max(1, int(np.ceil(left / self._h - 1e-6)))
        return stop if n == 1 else self.time + left / n

    def _accept(self, end: float, new: np.ndarray, slopes: np.ndarray) -> None:
        self._watch(new)
        self.statistics.steps += 1
        self.time, self.values, self._slopes = end, new, slopes
        self._remember()

    def _remember(self) -> None:
        """The sides as they are, to come back to where one of them is ended by a sensor."""
        if self._halts:
            for c, state in self._kept:
                c.drop(state)
            self._kept = [(c, c.keep()) for c in self._sides]

    def _evenly(self, stop: float) -> None:
        """As `Master._evenly`; steps of fixed size cannot be repeated where the joints do not close."""
        try:
            super()._evenly(stop)
        except FmuFailed as error:
            raise IntegrationError(str(error), self.time) from None

    def _to(self, goal: float, span: float) -> None:
        """As `Master._to`.  A sensor may fire in a trial whose reactions do not close the joints: all sides go to a
        hair before that time with those that do, and only what fires behind it at once ends the run, with a row."""
        near, stop = HAIR * span, goal
        for _ in range(ENDS):
            try:
                super()._to(stop, span)
            except Ended as end:
                if not self._halts:
                    raise
                self._back(self._kept)
                if end.time - self.time <= 2.0 * near:
                    for k, c in enumerate(self.components):
                        c.show(self._shown(k))
                    if self._follow is not None:
                        self._follow(self.time, self.values)
                    raise
                stop = end.time - near
                continue
            if stop == goal:
                return
            stop = goal
        raise ModelError(f"cut: where a sensor ends the run is not found at time {self.time:.9g}; give a smaller error")

    def _shown(self, k: int) -> np.ndarray:
        return self._now[k]

    def run(self, times: np.ndarray, follow: Any = None) -> None:
        """As `Master.run`."""
        self._span = span = float(times[-1] - self.time)
        self._rows = float(times[1] - times[0])
        self._h = self._halved(self._h if np.isfinite(self._h) else FIRST * span)
        sizes = np.array([self._length, 1.0, self._length / span, 1.0 / span])
        watched = np.repeat([True, False, True], [3, 6, 6])
        for e in (e for cut in self.cuts for e in cut.ends):  # what is small at the start is measured by the size of
            e.write(np.repeat(sizes[[0, 2, 3, 1]], [3, 3, 3, 6]), self._size[self._own[e.side]])  # the machine
            there = (e.outputs != ABSENT) & watched
            self._watched[self._own[e.side].start + e.outputs[there]] = True
        first = 0
        for c in self.components:
            if isinstance(c, SimulationComponent):
                self._motion[first : first + 4] = np.maximum(self._motion[first : first + 4], sizes)
            first += int(c.groups.max(initial=-1)) + 1
        self._follow = follow
        self._remember()
        try:
            super().run(times, follow)
        finally:
            for c, state in self._kept:
                c.drop(state)

    def _probe(self, h: float) -> None:
        """The first step finds reactions without a prediction."""
