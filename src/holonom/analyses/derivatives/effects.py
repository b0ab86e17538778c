"""What a number of the drawing moves in the tables of a system.

An `Effect` is the derivative of the tables by one number: masses, inertias, positions and directions of frames, rows
of pair forces, constants of functions, gravity, the state at the design position.  Numbers of parts, markers and pair
forces have it in closed form or by differences of one row; all others by differences of the whole build, whose other
tables must stay the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..._six_points import AT, WEIGHTS
from ...contact.pull import LAWS, NUMBER_TABLES
from ...elements.bodies import layout
from ...elements.bodies.carrier import numbers_of_carriers
from ...elements.forces.pair_kinds import PAIR_KINDS
from ...elements.joints import friction
from ...expressions import Call, If, walk
from ...model import ModelError
from ...model.dummies import has_inertia, inertia_of
from ...model.orientation import Frame
from ...model.quantities import Number, Parameter
from ...system.build import System
from .conditions import read_conditions

STEP = 2e-3  # of the number
SMALL = 1e-3  # of a step: enough to see which tables a number enters
#: functions whose second derivative may jump
JUMPY = frozenset(
    "ABS AINT AKISPL ANINT BISTOP CURVE DIM HAVSIN IF IMPACT INT INTERP MAX MIN MOD NINT SIGN STEP SWEEP".split()
)
TURNED = 0.05  # principal axes that turn by more over the points of differences have no derivative


#: (table, place in it) -> derivative
Effect = dict[tuple, Any]


def add(into: Effect, effect: Effect, factor: float) -> None:
    """into += factor effect"""
    for key, value in effect.items():
        into[key] = into.get(key, 0.0) + factor * value


class Effects:
    """Effects of numbers on the tables of one system.  Raises ModelError for numbers whose influence has no derivative
    here."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.model = system.model
        self._scratch = system.model.copy()
        self._known: dict[Number, Effect] = {}
        self._direct: set[Number] = set()  # found without a build: `settle` examines them
        self._pairs = {
            (e.KIND, e.id): (q, k, next(s for s in kind.sources if s.ELEMENT == e.KIND and s.takes(e)))
            for q, kind in enumerate(PAIR_KINDS)
            for k, e in enumerate(system.functions.pair_elements[kind.name])
        }
        self._ports = {(e.KIND, e.id): k for k, e in enumerate(system.ports.elements)}
        self._friction = {e.id: k for k, e in enumerate(system.friction.elements)}
        # overlaps of sliding joints count from the travel as drawn
        self._overlaps = any(row[friction.GROW] for row in system.friction.rows)
        #: markers that are more than the place of an element
        self._special = {m for p in self.model.parts.values() for m in (p.cm, p.im, p.vm, p.wm) if m is not None} | {
            p.cm for p in self.model.table("POINT_MASS").values() if getattr(p, "cm", None) is not None
        }

    def of(self, number: Number) -> Effect:
        """The effect of one number; a set of numbers is given to `settle` before."""
        if number not in self._known:
            self.settle([number])
        return self._known[number]

    def settle(self, numbers: Iterable[Number]) -> None:
        """Find the effects of numbers.  Those of one row or in closed form must hold all that a number moves: all of
        these are moved at once, and where a table changes that no effect names, halves of them are, down to the
        numbers that do it, whose effects are found anew by differences of the whole build."""
        new = [n for n in dict.fromkeys(numbers) if n not in self._known]
        for number in new:
            self._known[number] = self._find(number)
        # tensors of inertia are held in their axes, which a build turns; armatures stand in equations of joints
        own = [n for n in new if n in self._direct and n.kind != "MODEL" and n.field not in ("ip", "armature")]
        if own:
            base = _everything(self, self._system())
            groups = [own]
            while groups:
                group = groups.pop()
                if self._complete(group, base):
                    continue
                if len(group) > 1:
                    groups += [group[: len(group) // 2], group[len(group) // 2 :]]
                else:
                    self._known[group[0]] = self._whole(group[0])

    def _complete(self, group: list[Number], base: dict[str, np.ndarray]) -> bool:
        """Whether the effects of numbers name all that changes in the tables when the numbers are moved."""
        kept = [(owner, n.field, value) for n in group for owner, value in (n._found(self._scratch),)]
        try:
            for n in group:
                n.write(self._scratch, float(n.read(self._scratch)) + SMALL * self._step(n))  # type: ignore[arg-type]
            now = _everything(self, self._system())
        except ModelError:
            return False
        finally:
            for owner, field, value in reversed(kept):
                setattr(owner, field, value)
        named: dict[str, set[tuple]] = {}
        for n in group:
            for key in self._known[n]:
                what, at = (f"{key[0]} {key[1]}", key[2:]) if key[0] == "pairs" else (key[0], key[1:])
                named.setdefault(what, set()).add(at)
        for what, table in base.items():
            other = now[what]
            if table.shape != other.shape:
                return False
            if np.array_equal(table, other, equal_nan=True):
                continue
            known = named.get(what, set())
            if () in known:
                continue
            wide = max((len(at) for at in known), default=1)
            changed = (table != other) & ~(np.isnan(table) & np.isnan(other))
            if changed.ndim > wide:
                changed = changed.any(axis=tuple(range(wide, changed.ndim)))
            if any(tuple(map(int, at)) not in known for at in np.argwhere(changed)):
                return False
        return True

    def _whole(self, number: Number) -> Effect:
        step = self._step(number)
        return self._build(number.name, step, lambda of: number.at_points(self._scratch, step, of))

    def _find(self, number: Number) -> Effect:
        found = self._at_once(number)
        if found is None:
            return self._whole(number)
        self._direct.add(number)
        return found

    def _at_once(self, number: Number) -> Effect | None:
        """The effect of a number in closed form or by differences of one row; None where it takes the build."""
        s = self.system
        if number.kind == "MODEL":
            return {("gravity", number.index - 1): 1.0}  # type: ignore[operator]
        element = self.model.find(number.kind, number.id)
        key = (number.kind, number.id)
        if key in self._pairs:
            return self._row(number, element)
        if key in self._ports and not _on_modes(s.ports.kinds[self._ports[key]]):
            return self._port(number, self._ports[key])
        if number.kind == "FRICTION" and number.id in self._friction and number.field not in element.REFERENCES:
            return self._friction_row(number, self._friction[number.id])
        if key in s.body_index and s.body_index[key] < s.nb and number.kind in ("PART", "POINT_MASS"):
            body, factor = s.body_index[key], self.model.units.mass_factor
            if number.field == "mass" and (number.kind == "POINT_MASS" or has_inertia(element)):
                return {("mass", body): factor}
            if number.field == "ip" and has_inertia(element):
                return {("J", body): self._inertia(number, body) * factor}
        if number.kind == "JOINT" and number.field == "armature":  # compliance c = 1/a of a row
            rows = next(c.rows for c in s.constraints if c.element.KIND == "JOINT" and c.element.id == number.id)
            c = s.S.rows.compliance
            return {("drive", r): -(float(c[r]) ** 2) * self.model.units.mass_factor for r in rows if c[r] != 0.0}
        if number.kind == "MARKER" and number.field == "qp" and number.id not in self._special:
            if element.zp is None and element.xp is None and not self._overlaps and not s.contacts.on:
                return self._place(number)
        return None

    def of_parameter(self, parameter: Parameter, component: int) -> Effect:
        """The effect of a component of a named parameter, all of its uses at once."""
        value = np.atleast_1d(np.array(parameter.value, float))
        step = STEP * (abs(float(value[component])) or self.system.extent)

        def points(of: Callable[[], Any]) -> list[Any]:
            out, kept = [], self._scratch
            for k in AT:
                moved = value.copy()
                moved[component] += k * step
                now = moved.tolist() if parameter.size > 1 else float(moved[0])
                self._scratch = kept.with_parameters({parameter.name: now})
                out.append(of())
            self._scratch = kept
            return out

        return self._build(parameter.name, step, points)

    def _row(self, number: Number, element: Any) -> Effect:
        q, k, source = self._pairs[number.kind, number.id]
        moved = self._scratch.find(number.kind, number.id)
        slope = self._slope(number, lambda: np.array(source.row(moved, self._scratch), float))
        return {("pairs", q, k, int(c)): float(slope[c]) for c in np.flatnonzero(slope)}

    def _port(self, number: Number, k: int) -> Effect:
        """What a number changes of those and of the initial states of force k of a registered type."""
        ports = self.system.ports
        element = ports.elements[k]
        moved, kind = self._scratch.find(element.KIND, element.id), ports.kinds[k]

        def place(marker: int) -> Frame:
            m = self._scratch.markers.get(marker)
            return Frame.identity() if m is None else self._scratch.body_frame(m) @ m.frame

        values = self._slope(number, lambda: np.array(kind.values(moved, self._scratch), float).ravel())
        states = self._slope(number, lambda: np.array(kind.states(moved, place), float).ravel())
        first = int(ports.S.value_at[k])
        out: Effect = {("port", first + int(c)): float(values[c]) for c in np.flatnonzero(values)}
        if states.any():
            out["y0",] = np.zeros(len(self.system.y0))
            at = ports.S.offset + int(ports.S.state_at[k])
            out["y0",][at : at + len(states)] = states
        return out

    def _friction_row(self, number: Number, k: int) -> Effect:
        builder = self.system.friction
        moved, travel = self._scratch.find(number.kind, number.id), builder.travels[k]
        joint = self._scratch.find("JOINT", builder.joint[k].element.id)
        # where a limit is infinite there is none
        row = lambda: np.nan_to_num(np.array(friction.row(moved, joint, travel), float), posinf=0.0)
        slope = self._slope(number, row)
        return {("friction", k, int(c)): float(slope[c]) for c in np.flatnonzero(slope)}

    def _inertia(self, number: Number, body: int) -> np.ndarray:
        """Derivative of the tensor in principal axes, which are held."""
        _, axes = inertia_of(self.model, self.model.find(number.kind, number.id))
        moved = self._scratch.find(number.kind, number.id)
        V = axes.T @ self.system.local[body].axes
        return V.T @ self._slope(number, lambda: inertia_of(self._scratch, moved)[0]) @ V

    def _place(self, number: Number) -> Effect:
        s = self.system
        frame = s._marker_frame.get(number.id)
        if frame is None:
            return {}
        local = s.local[s.frame_list[frame][0]]
        out: Effect = {("place", frame): local.axes[number.index - 1].copy()}  # type: ignore[operator]
        for k, markers in enumerate(s.ports.ports):
            if number.id in markers:  # what a law keeps of the drawing
                add(out, self._port(number, k), 1.0)
        return out

    def _step(self, number: Number) -> float:
        value = float(number.read(self.model))  # type: ignore[arg-type]
        if number.kind in ("MARKER", "PART", "POINT_MASS") and number.field in ("qp", "qg", "zp", "xp", "zg", "xg"):
            return STEP * self.system.extent
        return STEP * (abs(value) or 1.0)

    def _slope(self, number: Number, of: Callable[[], np.ndarray]) -> np.ndarray:
        """The derivative of what a function makes of the scratch model."""
        step = self._step(number)
        return _difference(number.at_points(self._scratch, step, of), step)

    def _build(self, name: str, step: float, points: Callable[[Callable[[], Any]], list[Any]]) -> Effect:
        """By differences of the whole build: ``points(of)`` gives values of a function at the points of a
        difference."""
        try:
            systems = points(self._system)
        except ModelError as error:
            raise ModelError(f"the derivative by {name} is not known: a model near to it fails ({error})") from None
        here = self.system
        same = _tables(here)
        for s in systems:
            other = _tables(s)
            for what, table in same.items():
                if not (table.shape == other[what].shape and np.array_equal(table, other[what], equal_nan=True)):
                    merged = (
                        " (a number of exactly 0 or 1 may decide which terms there are: change it slightly)"
                        if what in ("functions (structure)", "motions (structure)")
                        else ""
                    )
                    raise ModelError(
                        f"the derivative by {name} is not known: it enters {what}, which has no derivative yet{merged}"
                        "; docs/derivatives.md lists the elements that have one"
                    )
        out: Effect = {}
        slope = lambda values: _difference(values, step)
        for key, of in (
            ("mass", lambda s: s.bodies.mass),
            ("J", lambda s: s.bodies.J),
            ("gravity", lambda s: s.bodies.gravity),
            ("place", lambda s: s.S.fr.sb),
            ("constant", lambda s: np.concatenate([s.S.fn.programs.numbers, s.S.motions.numbers])),
            ("port", _port_values),
            ("carried", lambda s: numbers_of_carriers(s.bodies).ravel()),
        ):
            change = slope([of(s) for s in systems])
            if not change.size:
                continue
            for k in np.flatnonzero(change.reshape(len(change), -1).any(axis=1)):
                if key == "constant" and k >= len(here.S.fn.programs.numbers):
                    self._smooth_motions(name)
                if key == "J":
                    out["J", int(k)] = np.diag(change[k])
                else:
                    out[key, int(k)] = change[k].copy() if change.ndim > 1 else float(change[k])
        out |= _mesh_numbers(here, systems, slope)
        change = slope([np.nan_to_num(s.S.friction.t, posinf=0.0) for s in systems])
        out |= {("friction", int(k), int(c)): float(change[k, c]) for k, c in zip(*np.nonzero(change))}
        for q in range(len(PAIR_KINDS)):
            change = slope([s.S.pairs.t[q] for s in systems])
            out |= {("pairs", q, int(k), int(c)): float(change[k, c]) for k, c in zip(*np.nonzero(change))}
        out |= self._turns(name, systems, step)
        if here.contacts.on:
            out |= self._contacts(systems, slope)
        change = slope([self._aligned(s) for s in systems])
        if change.any():
            out["y0",] = change
        return out

    def _smooth_motions(self, name: str) -> None:
        """Raise ModelError where accelerations of motions may jump, at times that may depend on the number."""
        for motion, node in self.system.motion_nodes.values():
            for part in walk(node):
                name_of = "IF" if isinstance(part, If) else part.name if isinstance(part, Call) else ""
                if name_of in JUMPY:
                    raise ModelError(
                        f"the derivative by {name} is not known: it is a number of a motion, and the acceleration of "
                        f"{motion.label} jumps where {name_of} does; use STEP5, CUBSPL or smooth functions there"
                    )

    def _system(self) -> System:
        """Of the scratch model; conditions of its functions are read anew."""
        model, rigid = self._scratch.copy(), self.system.rigid
        read_conditions(model, rigid)
        return System(model, rigid=rigid)

    def _aligned(self, other: System) -> np.ndarray:
        """The state of another system, with quaternions of the sign of this one's: both signs are the same rotation."""
        y, n = other.y0.copy(), self.system.nb
        mine, theirs = layout.rows(self.system.y0, n)[:, 3:7], layout.rows(y, n)[:, 3:7]
        theirs[np.einsum("bi,bi->b", mine, theirs) < 0.0] *= -1.0
        return y

    def _contacts(self, systems: list[System], slope: Callable[[list[np.ndarray]], np.ndarray]) -> Effect:
        """Numbers of laws and of shapes of contacts, positions and directions of shapes."""
        out: Effect = {}
        for name in NUMBER_TABLES:
            change = slope([_contact_table(s, name) for s in systems])
            out |= {("contact", name, int(r), int(c)): float(change[r, c]) for r, c in zip(*np.nonzero(change))}
        change = slope([s.contacts.S.sh.fr.sb for s in systems])
        out |= {("shape place", int(f)): change[f].copy() for f in np.flatnonzero(change.any(axis=1))}
        turns = slope([s.contacts.S.sh.fr.Ab for s in systems])
        vector = _turn_of(turns, self.system.contacts.S.sh.fr.Ab)
        return out | {("shape turn", int(f)): vector[f].copy() for f in np.flatnonzero(vector.any(axis=1))}

    def _turns(self, name: str, systems: list[System], step: float) -> Effect:
        """Rotations of frames and of principal axes."""
        for s in systems:
            for mine, theirs in zip(self.system.local, s.local):
                if np.abs(mine.axes.T @ theirs.axes - np.eye(3)).max() > TURNED:
                    raise ModelError(
                        f"the derivative by {name} is not known: principal axes of a part, of equal inertias, "
                        "turn with it at once; give the part three different principal inertias"
                    )
        vector = _turn_of(_difference([s.S.fr.Ab for s in systems], step), self.system.S.fr.Ab)
        return {("turn", int(f)): vector[f].copy() for f in np.flatnonzero(np.abs(vector).max(axis=1) > 0.0)}


def _turn_of(change: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """dtheta (n, 3) of axes (n, 9) that change by [dtheta] A = dA."""
    turn = np.einsum("fij,fkj->fik", change.reshape(-1, 3, 3), axes.reshape(-1, 3, 3))
    return np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], axis=1)


def _difference(values: list[np.ndarray], step: float) -> np.ndarray:
    # what does not change is zero to the bit
    return sum(w * (v - values[0]) for w, v in zip(WEIGHTS, values)) / step  # type: ignore[return-value]


def _everything(effects: Effects, system: System) -> dict[str, np.ndarray]:
    """All tables that numbers of a model enter, under the names that keys of an `Effect` begin with."""
    S = system.S
    out: dict[str, Any] = {f"structure, {name}": table for name, table in _tables(system).items()}
    out |= {
        "mass": system.bodies.mass,
        "J": system.bodies.J,
        "gravity": system.bodies.gravity,
        "place": S.fr.sb,
        "turn": S.fr.Ab,
        "constant": np.concatenate([S.fn.programs.numbers, S.motions.numbers]),
        "port": _port_values(system),
        "carried": numbers_of_carriers(system.bodies).ravel(),
        "friction": S.friction.t,
        "y0": effects._aligned(system),
        **{f"pairs {q}": S.pairs.t[q] for q in range(len(PAIR_KINDS))},
    }
    if system.contacts.on:
        out |= {f"contact {name}": _contact_table(system, name) for name in NUMBER_TABLES}
        out |= {"shape place": system.contacts.S.sh.fr.sb, "shape turn": system.contacts.S.sh.fr.Ab}
    if system.bodies.carriers is not None and system.bodies.carriers.meshes.size:
        meshes = system.bodies.carriers.meshes
        out |= {f"mesh {q}": block.data for q, block in enumerate(meshes.blocks)} | {"m": meshes.m, "sum": meshes.mass}
    return {name: np.array(table, float) for name, table in out.items()}


def _port_values(system: System) -> np.ndarray:
    """Numbers of forces of registered types; those with tables of their own keep an address there."""
    ports = system.ports
    if not ports.elements:
        return np.zeros(0)
    out = ports.S.value.copy()
    for k, kind in enumerate(ports.kinds):
        if kind.tables is not None:
            out[ports.S.value_at[k]] = 0.0
    return out


def _contact_table(system: System, name: str) -> np.ndarray:
    S = system.contacts.S
    table = np.nan_to_num(getattr(S if name in NUMBER_TABLES[:LAWS] else S.sh, name))
    return table.reshape(len(table), -1)


def _shapes(system: System) -> dict[str, np.ndarray]:
    """Tables of shapes of which no derivative is known."""
    if not system.contacts.on:
        return {}
    S = system.contacts.S
    names = ("kind", "frame", "first", "vert", "tri", "node", "link", "seg")
    return {f"shapes of contacts ({n})": getattr(S.sh, n) for n in names} | {"laws of contacts": S.law}


def _on_modes(kind: Any) -> bool:
    """Whether a registered force acts on modes, by numbers of which its values do not show all."""
    return kind.coordinates is not None or kind.modal is not None


def _modes(system: System) -> dict[str, np.ndarray]:
    """Tables of flexible bodies, and of forces on their modes, of which no derivative is known."""
    c = system.bodies.carriers
    if c is None:
        return {}
    numbers: list[float] = []
    for e in (e for e, kind in zip(system.ports.elements, system.ports.kinds) if _on_modes(kind)):
        numbers += [*getattr(e, "matrix", ()), *getattr(e, "load", ())]
    modes = {f"modes of flexible bodies ({n})": getattr(c.modes, n) for n in ("count", "T", "place", "Phi", "G")}
    modes["forces on modes"] = np.array(numbers)
    return modes | {"nodes of flexible bodies": np.concatenate([c.nodes.body, c.nodes.carrier, c.nodes.which])}


def _surfaces(system: System) -> dict[str, np.ndarray]:
    """Tables of forces that have them behind an address (surfaces of flexible bodies), of which no derivative is
    known."""
    out: dict[str, np.ndarray] = {}
    ports = system.ports
    for element, kind, table in zip(ports.elements, ports.kinds, ports._tables if ports.elements else ()):
        if kind.tables is None:
            continue
        sides = [s for s in (table, getattr(table, "back", None), getattr(table, "edges", None)) if s is not None]
        numbers = [v.ravel() for side in sides for v in _arrays(side.S) if v.dtype == float]
        out[f"numbers of {element.label}"] = np.concatenate([np.zeros(0), *numbers])
    return out


def _arrays(table: Any) -> Iterator[np.ndarray]:
    if isinstance(table, np.ndarray):
        yield table
    elif isinstance(table, tuple):
        for name, part in zip(getattr(table, "_fields", ("",) * len(table)), table):
            if name != "fr":  # frames move in a run
                yield from _arrays(part)


def _mesh_numbers(system: System, near: list[System], slope: Callable[[list[np.ndarray]], np.ndarray]) -> Effect:
    """What changes in the data of elements of meshes, ("mesh", their kind), and in the mass of these."""
    out: Effect = {}
    if not _meshes(system):
        return out
    of = lambda s: s.bodies.carriers.meshes
    for q, block in enumerate(of(system).blocks):
        change = slope([of(s).blocks[q].data for s in near]) if block.data.size else block.data
        if change.any():
            out["mesh", q] = change
    for name in ("m", "mass"):
        change = slope([getattr(of(s), name) for s in near])
        if change.any():
            out["mesh", name] = change
    return out


def _meshes(system: System) -> dict[str, np.ndarray]:
    """Tables of meshes in absolute coordinates of which no derivative is known.  Sizes of gradients that points follow
    have no influence."""
    c = system.bodies.carriers
    if c is None or not c.meshes.size:
        return {}
    p = c.meshes.points
    sized = lambda w: np.round(w / np.maximum(np.abs(w).max(axis=1, keepdims=True), 1e-300), 12)
    of = lambda names, parts: {f"points of meshes ({n})": np.asarray(v) for n, v in zip(names.split(), parts)}
    out = of("mesh at vectors place normal turn", (p.mesh, p.at, p.vectors, p.place, p.normal, p.turn))
    out |= of("slope side axes", (sized(p.slope), sized(p.side), np.round(p.across, 12)))
    out |= {f"elements of meshes ({q})": np.append(b.at, b.data.shape) for q, b in enumerate(c.meshes.blocks)}
    return out | {"meshes (what is held)": c.meshes.held, "mass of meshes (band)": np.array(c.meshes.m.shape)}


def _tables(system: System) -> dict[str, np.ndarray]:
    """Tables of which no derivative is known, and that must therefore not change."""
    S = system.S
    rows = {f"equations of joints ({n})": np.asarray(v) for n, v in zip(S.rows._fields, S.rows)}
    out = rows | {
        "motions (structure)": S.motions.words,
        "functions (structure)": S.fn.programs.words,
        "points of curves": S.curves.data,
        "frames (bodies)": np.asarray(S.fr.body),
        "forces (structure)": system.ports.S.frame if system.ports.elements else np.zeros(0),
        "friction (structure)": np.array([S.friction.i, S.friction.j, S.friction.kind, S.friction.x]),
        **_shapes(system),
        **_modes(system),
        **_meshes(system),
        **_surfaces(system),
        "which bodies there are": np.array([system.nb, len(system.y0), layout.end(system.nb)]),
    }
    return {name: np.asarray(v) for name, v in out.items()}
