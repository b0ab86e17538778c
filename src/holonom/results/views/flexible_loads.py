"""Loads on the nodes of a flexible body, for finite elements: what joints, forces and contacts do, and the motion of
its frame.

Everything is in axes of the mesh (those of `ReducedBody`) at its time.  With r the centre of mass, W and W' the angular
velocity and acceleration of the floating frame and g the gravity, a node loads the mesh with what acts there, and its
mass with

    g - r'' - W' x s - W x (W x s),       s the position from the centre of mass,

which balances it but for the vibration of the modes.  Forces are those on the `sides` of all elements.
Momentum is checked before anything is written: F + m g = m r'', and the moments about the centre of mass against the
change of angular momentum, with q'' from the equations of the modes (`elements.bodies.modes`).  What is missing there
is reported, not exported without it.

Cards: Abaqus *CLOAD, *DLOAD with GRAV, CENTRIF and ROTA (Analysis User's Guide, "Distributed loads"; Theory Guide
6.1.1); Nastran FORCE, MOMENT, GRAV, RFORCE and LOAD (Quick Reference Guide; RACC of RFORCE acts along W', so it is
written with the other sign).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...model import ModelError
from ...model.base import shown
from ...model.shape import carrier_of
from .. import _rotation as rotation
from .._interpolate import linear, locate
from .._names import Named
from .sides import Side, contact_sides, sides

if TYPE_CHECKING:
    from ..run import Run
    from .flexible import FlexibleView

BALANCE = 1e-4  # of the largest force: beyond, something that acts on the body is not known
FORMATS = ("csv", "abaqus", "nastran")
AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Loads(Named):
    """``time`` (nt,); ``nodes`` (k,) ids; ``forces``, ``moments`` (nt, k, 3) on them, about the displaced node;
    ``acceleration`` (nt, 3) of the centre of mass, ``gravity``, ``omega``, ``alpha`` (nt, 3): motion of the frame;
    ``centre`` (3,) of mass; all in axes of the mesh, units of the model.

    ``residual`` (nt,): size of sum F + m (g - r''); ``scale``: of the largest of these; ``moment_residual``,
    ``moment_scale`` alike, about the centre of mass; ``modal`` (nt, n): q'' of the modes; ``sources``: words of what
    acts.
    """

    time: np.ndarray
    nodes: np.ndarray
    forces: np.ndarray
    moments: np.ndarray
    acceleration: np.ndarray
    gravity: np.ndarray
    omega: np.ndarray
    alpha: np.ndarray
    centre: np.ndarray
    residual: np.ndarray
    scale: float
    moment_residual: np.ndarray
    moment_scale: float
    modal: np.ndarray
    sources: tuple[str, ...]


class _Collector:
    def __init__(self, view: FlexibleView) -> None:
        self.view, self.run, self.model = view, view.run, view.run.model
        self.sum: dict[int, np.ndarray] = {}
        self.sources: list[str] = []

    def node(self, body: Any) -> int | None:
        """Node of a body that is an attachment of this part."""
        return (
            body.node if body is not None and body.KIND == "ATTACHMENT" and body.flexibility == self.view.id else None
        )

    def of_side(self, side: Side) -> int | None:
        """Node on which a side acts; of a floating marker, which follows I, that of the body on which it lies."""
        body = self.model.body_of(side.marker)
        if not side.marker.floating and (body.KIND, body.id) == ("PART", self.view.element.part):
            raise side.marker.error(
                "a force acts on it, but it lies on the flexible body, not on a node of it; put it on a node "
                "(model.attachment)"
            )
        return self.node(body)

    @cached_property
    def places(self) -> dict[int, np.ndarray]:
        return {}

    def add(self, node: int, force: np.ndarray, torque: np.ndarray, at: np.ndarray) -> None:
        """A force at a point of ground, (nt, 3) each."""
        if node not in self.places:
            self.places[node] = self.view.position(node).values
        both = np.column_stack([force, torque + np.cross(at - self.places[node], force)])
        self.sum[node] = self.sum.get(node, 0.0) + both

    def elements(self) -> None:
        for key, found in sides(self.run):
            if key[0] == "SURFACE_CONTACT":
                self.surface(self.model.table(key[0])[key[1]])
                continue
            on: list[tuple[int, Side]] = []
            for s in found:
                node = self.of_side(s)
                if node is not None and np.isfinite(s.force).all() and (np.any(s.force) or np.any(s.torque)):
                    on.append((node, s))
            for node, side in on:
                self.add(node, side.force, side.torque, side.at)
            if on:
                self.sources.append(f"{key[0]}/{key[1]} '{key[2]}'")

    def surface(self, contact: Any) -> None:
        """What a surface contact does at the nodes of its regions."""
        view = self.run.surface(contact)
        for flexibility, nodes, forces in (
            (contact.flexibility, view.nodes, view.force),
            (contact.onto, view.onto_nodes, view.onto_force),
        ):
            if flexibility == self.view.id and np.any(forces):
                for k, node in enumerate(nodes.tolist()):
                    if np.any(forces[:, k]):
                        self.add(
                            node,
                            forces.values[:, k],
                            np.zeros_like(forces.values[:, k]),
                            self.view.position(node).values,
                        )
                self.sources.append(contact.label)

    def contacts(self) -> None:
        for contact, both in contact_sides(self.run):
            for side in both:
                bodies = [carrier_of(self.model, g) for g in side.shapes]
                nodes = sorted({n for n in map(self.node, bodies) if n is not None})
                if not nodes:
                    continue
                if any(self.node(b) is None for b in bodies):
                    raise contact.error(
                        f"its shapes lie on {self.view.part.name} and on other bodies too; part it, so that the force "
                        "on each is known"
                    )
                away = np.array([np.linalg.norm(self.view.position(n).values - side.point, axis=1) for n in nodes])
                for row, node in enumerate(nodes):  # of several the nearest at each time
                    here = (away.argmin(axis=0) == row)[:, None]
                    if here.any():
                        self.add(node, side.force * here, side.torque * here, side.point)
                self.sources.append(contact.label)


class _BodyMotion(NamedTuple):
    """Motion of a body at all output times and what its inertia needs, in ground axes.

    ``axes`` (nt, 3, 3) of the body; ``acceleration`` of its centre of mass, angular ``velocity``, angular acceleration
    ``turning`` and ``gravity``, (nt, 3) each; ``mass`` and ``inertia`` (3, 3) about the centre, in axes of the body and
    units of force; ``rests``: the run holds no accelerations (statics), and they are zero."""

    axes: np.ndarray
    acceleration: np.ndarray
    velocity: np.ndarray
    turning: np.ndarray
    gravity: np.ndarray
    mass: float
    inertia: np.ndarray
    rests: bool


def body_motion(run: Run, key: tuple[str, int, str]) -> _BodyMotion:
    """Motion of the body ``key``.  Raises ModelError where the run lacks its angular velocity."""
    _, quaternion, _, a, w, al = run._body_arrays(key)
    if not np.isfinite(w).all():
        raise ModelError(
            f"this run does not hold the angular velocity of {key[2]} at all times, so the loads of its inertia are "
            "not known"
        )
    rests = not np.isfinite(a).all()
    a, al = (np.zeros_like(v) if rests else v for v in (a, al))
    gravity = np.broadcast_to(np.asarray(run.model.gravity, float), a.shape)
    return _BodyMotion(rotation.matrices(quaternion), a, w, al, gravity, *run._mass(key), rests)


def loads_of(view: FlexibleView) -> Loads:
    """Loads of all output times.  Raises `ModelError` where they do not balance (statics: at rest)."""
    run = view.run
    if not len(run):
        raise ModelError("this run has no output times")
    found = _Collector(view)
    found.elements()
    found.contacts()
    key = (view.part.kind, view.part.id, view.part.name)
    motion = body_motion(run, key)
    a, w, al, gravity, mass = motion.acceleration, motion.velocity, motion.turning, motion.gravity, motion.mass
    turn = motion.axes @ view.element.turn  # axes of the mesh in ground
    into = lambda v: np.einsum("tji,tj->ti", turn, v)
    nodes = np.array(sorted(found.sum), np.int64)
    both = np.array([found.sum[n] for n in nodes]).reshape(len(nodes), len(run), 6).transpose(1, 0, 2)
    missing = mass * a - mass * gravity - both[:, :, :3].sum(axis=1)
    scale = max(
        mass * np.abs(a).max(initial=0.0),
        mass * np.abs(gravity).max(initial=0.0),
        np.abs(both[:, :, :3]).max(initial=0.0),
    )
    size = np.linalg.norm(missing, axis=1)
    rotated = lambda v: np.einsum("tji,tkj->tki", turn, v)
    F, M = rotated(both[:, :, :3]), rotated(both[:, :, 3:])
    modal, turning, arms = _turning(view, nodes, F, M, into(w), into(al))
    moment = np.linalg.norm(turning - arms, axis=1)
    twist = max(np.abs(turning).max(initial=0.0), np.abs(arms).max(initial=0.0), np.abs(M).max(initial=0.0))
    twist = max(
        float(twist), 1e-3 * scale * float(np.linalg.norm(np.ptp(view.body.places, axis=0)))
    )  # what cancels is not exact
    for found_size, found_scale, what, unit in (
        (size, scale, "forces on its nodes and mass times acceleration", "force"),
        (moment, twist, "moments on its nodes and the change of its angular momentum", "torque"),
    ):
        if found_size.max(initial=0.0) > BALANCE * found_scale:
            t = int(found_size.argmax())
            raise view.element.error(
                f"at time {run.time[t]:.6g} the {what} differ by {found_size[t]:.4g} {run.units(unit)} (largest "
                f"{found_scale:.4g}): something acts on it "
                "that the run does not hold; its loads are not known"
            )
    return Loads(
        run.time,
        nodes,
        F,
        M,
        into(a),
        into(gravity),
        into(w),
        into(al),
        view.body.centre,
        size,
        float(scale),
        moment,
        twist,
        modal,
        tuple(found.sources),
    )


def _turning(
    view: FlexibleView, nodes: np.ndarray, F: np.ndarray, M: np.ndarray, W: np.ndarray, alpha: np.ndarray
) -> tuple[np.ndarray, ...]:
    """q'' (nt, n) of the modes; (nt, 3) the rate of the angular momentum, and the moments of forces about the centre of
    mass; axes of the mesh."""
    body, element = view.body, view.element
    q, u = view._state[:, ::2], view._state[:, 1::2]
    one = np.column_stack([np.ones(len(q)), q])
    S, H = np.einsum("tk,kjab->tjab", one, body.S, optimize=True), np.einsum("tk,kja->tja", one, body.H, optimize=True)
    D = np.einsum("tk,kja->tja", u, body.H[1:], optimize=True)[:, 1:]
    J, S, H = np.einsum("tj,tjab->tab", one, S), S[:, 1:], H[:, 1:]
    drive, arms = np.zeros_like(q), np.zeros_like(W)
    for k, node in enumerate(nodes):
        place, shape = body.place[int(node)], body.shapes[body.place[int(node)]]
        bend = np.flatnonzero(body.bent == node)
        second = np.einsum("cjk,tk->tcj", body.bends[bend[0]], q) if len(bend) else np.zeros((len(q), 3, q.shape[1]))
        moved = body.places[place] - body.centre + np.einsum("tcj,tj->tc", shape[:3] + 0.5 * second, q)
        psi = q @ shape[3:].T
        share = 1.0 / (1.0 + 0.25 * (psi * psi).sum(axis=1))
        # its turning in axes of the frame is share (psi' + psi x psi' / 2)
        torque = share[:, None] * (M[:, k] - 0.5 * np.cross(psi, M[:, k]))
        drive += np.einsum("tcj,tc->tj", shape[:3] + second, F[:, k]) + torque @ shape[3:]
        arms += M[:, k] + np.cross(moved, F[:, k])
    w = body.frequency
    SW = np.einsum("tjab,tb->tja", S, W)
    modal = (
        drive
        + np.einsum("ta,tja->tj", W, SW - 2.0 * D)
        - w * w * q
        - 2.0 * np.asarray(element.damping) * w * u
        - np.einsum("tja,ta->tj", H, alpha)
    )
    spin = np.einsum("tab,tb->ta", J, W) + np.einsum("tj,tja->ta", u, H)
    turning = (
        np.einsum("tab,tb->ta", J, alpha)
        + np.einsum("tj,tja->ta", modal, H)
        + np.cross(W, spin)
        + 2.0 * np.einsum("tj,tja->ta", u, SW)
    )
    return modal, turning, arms


def _between(loads: Loads, times: Any) -> Loads:
    """At other times, linear between the rows: so the sum of forces stays mass times acceleration."""
    try:
        t = np.atleast_1d(np.asarray(times, float))
    except (TypeError, ValueError):
        t = np.zeros(0)
    if t.ndim != 1 or not len(t) or not np.all((t >= loads.time[0]) & (t <= loads.time[-1])):
        raise ModelError(
            f"times are {shown(times)}; they must be numbers inside this run, which goes from {loads.time[0]:g} to "
            f"{loads.time[-1]:g}"
        )
    left, right, s, _ = locate(loads.time, t)

    def at(values: np.ndarray) -> np.ndarray:
        return linear(values, left, right, s)

    return replace(
        loads,
        time=t,
        forces=at(loads.forces),
        moments=at(loads.moments),
        acceleration=at(loads.acceleration),
        gravity=at(loads.gravity),
        omega=at(loads.omega),
        alpha=at(loads.alpha),
        residual=at(loads.residual),
        moment_residual=at(loads.moment_residual),
        modal=at(loads.modal),
    )


def write(view: FlexibleView, path: str | Path, format: str, times: Any, elements: str, first: int) -> list[Path]:
    """See `FlexibleView.loads`."""
    word = str(format).strip().lower()
    if word not in FORMATS:
        raise ModelError(f"format is {shown(format)}; give {', '.join(FORMATS)}")
    if not isinstance(first, int) or first < 1:
        raise ModelError(f"first is {shown(first)}; give a whole number from 1")
    name = str(elements).strip()
    if not name or any(c in name for c in ',"\n\r*'):
        raise ModelError(f"elements is {shown(elements)}; give the name of a set of elements")
    loads = view.interface_loads() if times is None else _between(view.interface_loads(), times)
    path = Path(path)
    try:
        if word == "csv":
            return _csv(view, loads, path)
        lines = _abaqus(view, loads, name) if word == "abaqus" else _nastran(view, loads, first)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise ModelError(f"'{path}' cannot be written: {error}") from None
    return [path]


def _csv(view: FlexibleView, loads: Loads, path: Path) -> list[Path]:
    """Two tables: loads of nodes, and the motion of the frame in NAME_frame.csv."""
    u = view.run.units
    f, m, l, t = u("force"), u("torque"), u("length"), u("time")
    place = view.body.places[[view.body.place[int(n)] for n in loads.nodes]].reshape(-1, 3)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(
            [
                f"time [{t}]",
                "node",
                *(f"{c} [{l}]" for c in AXES),
                *(f"F{c} [{f}]" for c in AXES),
                *(f"M{c} [{m}]" for c in AXES),
            ]
        )
        for r, time in enumerate(loads.time):
            for k, node in enumerate(loads.nodes):
                out.writerow(
                    [
                        float(time),
                        int(node),
                        *map(float, place[k]),
                        *map(float, loads.forces[r, k]),
                        *map(float, loads.moments[r, k]),
                    ]
                )
    frame = path.with_name(f"{path.stem}_frame{path.suffix or '.csv'}")
    with frame.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        names = (
            ("a", u("acceleration")),
            ("g", u("acceleration")),
            ("omega_", u("angular_velocity")),
            ("alpha_", u("angular_acceleration")),
        )
        out.writerow([f"time [{t}]", *(f"{n}{c} [{unit}]" for n, unit in names for c in AXES), f"residual [{f}]"])
        table = np.column_stack(
            [loads.time, loads.acceleration, loads.gravity, loads.omega, loads.alpha, loads.residual]
        )
        out.writerows([float(v) for v in row] for row in table)
    return [path, frame]


def _plain(text: str) -> str:
    """A name that cannot end a comment line."""
    return " ".join(text.split())[:80]


def _words(view: FlexibleView, loads: Loads) -> Iterator[str]:
    u = view.run.units
    yield (
        f"Loads on the nodes of {_plain(view.name)}, {len(loads.time)} times, model {_plain(view.run.model.name)}, "
        "written by Holonom"
    )
    yield f"units {u('force')}, {u('length')}, {u('time')}; axes of the mesh, which turn with the part"
    yield f"sources: {', '.join(_plain(s) for s in loads.sources) or 'none'}"
    yield (
        f"sum of forces and mass times acceleration differ by {loads.residual.max():.3g} {u('force')} at most "
        f"(largest force {loads.scale:.4g})"
    )
    yield f"moments and the change of angular momentum by {loads.moment_residual.max():.3g} {u('torque')}"
    yield (
        "gravity and the acceleration of the frame are loads of the mass: hold the body at three points, their "
        "reactions are about zero"
    )
    yield "moments act on rotations: nodes of solids have none, tie such a node to those around it"
    if view.run.model.units.mass_factor != 1.0:
        yield f"masses of the mesh in {u('force')} {u('time')}^2 / {u('length')}"


def _fixed(value: float) -> str:
    return f"{0.0 if value == 0 else value:.9g}"


def _vector(v: np.ndarray) -> tuple[float, np.ndarray]:
    size = float(np.linalg.norm(v))
    return size, v / size if size > 0.0 else v


def _abaqus(view: FlexibleView, loads: Loads, elements: str) -> list[str]:
    out = [f"** {line}" for line in _words(view, loads)]
    centre = ", ".join(_fixed(c) for c in loads.centre)
    for r, time in enumerate(loads.time):
        out += [f"*STEP, NAME=Loads-{r + 1}, PERTURBATION", f"time {time:.9g}", "*STATIC", "*CLOAD, OP=NEW"]
        for k, node in enumerate(loads.nodes):
            both = np.concatenate([loads.forces[r, k], loads.moments[r, k]])
            out += [f"{node}, {c + 1}, {_fixed(v)}" for c, v in enumerate(both) if v]
        out.append("*DLOAD, OP=NEW")
        size, way = _vector(loads.gravity[r] - loads.acceleration[r])
        direction = lambda v: ", ".join(_fixed(c) for c in v)
        if size:
            out.append(f"{elements}, GRAV, {_fixed(size)}, {direction(way)}")
        size, way = _vector(loads.omega[r])
        if size:
            out.append(f"{elements}, CENTRIF, {_fixed(size**2)}, {centre}, {direction(way)}")
        size, way = _vector(loads.alpha[r])
        if size:
            out.append(f"{elements}, ROTA, {_fixed(size)}, {centre}, {direction(way)}")
        out.append("*END STEP")
    return out


def _card(name: str, *values: Any) -> list[str]:
    """A bulk data card in large fields: four of 16 columns a line."""
    texts = ["" if v is None else f"{0.0 if v == 0 else v:.9E}" if isinstance(v, float) else str(v) for v in values]
    out = []
    for k in range(0, len(texts), 4):
        head = f"{name}*" if k == 0 else "*"
        more = "*" if k + 4 < len(texts) else ""
        out.append(f"{head:<8}" + "".join(f"{t:>16}" for t in texts[k : k + 4]) + more)
    if len(out) % 2:  # a card in large fields has an even number of lines
        out[-1] = f"{out[-1]:<72}*"
        out.append("*")
    return out


def _nastran(view: FlexibleView, loads: Loads, first: int) -> list[str]:
    return nastran_cards(_words(view, loads), loads, first, view.element.error)


def nastran_cards(
    words: Iterable[str], loads: Loads, first: int, fault: Callable[[str], Exception], grids: np.ndarray | None = None
) -> list[str]:
    """Each time has a LOAD of its own, from ``first``: of forces and moments on nodes, and of gravity, acceleration and
    turning of the mass.

    ``words``: lines of comment; ``grids`` (k, 3): places of the nodes, where these are not nodes of a mesh yet.  Raises
    what ``fault`` makes of a sentence."""
    centre, count = 1 + int(loads.nodes.max(initial=0)), len(loads.time)
    if centre >= 100_000_000 or first + 4 * count >= 100_000_000:
        raise fault("ids of its nodes, or numbers of load sets, have more than 8 digits; Nastran takes no such")
    out = [f"$ {line}" for line in words]
    out.append(f"$ case control: LOAD = {first}, {first + 1}, ... for the times in order")
    out.append(f"$ GRID {centre} is the centre of mass, through which the axes of turning go")
    for node, place in zip(loads.nodes, () if grids is None else grids):
        out += _card("GRID", int(node), None, *map(float, place))
    out += _card("GRID", centre, None, *map(float, loads.centre), None, 123456)
    for r, time in enumerate(loads.time):
        nodes = first + count + 3 * r
        out.append(f"$ time {time:.9g}")
        sets = []
        for card, values in (("FORCE", loads.forces[r]), ("MOMENT", loads.moments[r])):
            for node, v in zip(loads.nodes, values):
                size, way = _vector(v)
                if size:
                    out += _card(card, nodes, int(node), None, size, *map(float, way))
                    sets.append(nodes)
        size, way = _vector(loads.gravity[r] - loads.acceleration[r])
        if size:
            out += _card("GRAV", nodes + 1, None, size, *map(float, way))
            sets.append(nodes + 1)
        size, way = _vector(loads.omega[r])
        if size:
            out += _card("RFORCE", nodes + 2, centre, None, size / (2 * np.pi), *map(float, way), 1)
            sets.append(nodes + 2)
        size, way = _vector(loads.alpha[r])
        if size:
            out += _card("RFORCE", nodes + 2, centre, None, 0.0, *map(float, way), 1, -size / (2 * np.pi))
            sets.append(nodes + 2)
        if sets:
            out += _card("LOAD", first + r, 1.0, *(v for s in dict.fromkeys(sets) for v in (1.0, s)))
    return out
