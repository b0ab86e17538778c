"""What the readers of robot files share: parts of several links, joints with one coordinate, shapes, mesh files."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...model import Model, ModelError, Units
from ...model.bodies import combine_masses
from ...model.implausible import in_degrees
from ...model.orientation import Frame
from ...model.quantity_text import converted
from ...model.values import number
from ...model.xml_tree import Node

SHOWN = 3  # faults of shapes in one warning
NOTHING = 1e-15  # m^2, of the square of a radius of gyration: what is below is left of arithmetic


def add_part(model: Model, name: str, bodies: list[tuple[float, np.ndarray, np.ndarray]], frame: Frame):
    """The rigid part of some links (mass, centre, inertia about it in axes of ground), its axes those of ``frame``."""
    mass, centre, inertia = 0.0, frame.origin, np.zeros((3, 3))
    if any(body[0] > 0.0 for body in bodies):
        mass, centre, inertia = combine_masses(bodies)
    else:
        inertia = sum((body[2] for body in bodies), inertia)
    inertia = frame.axes.T @ inertia @ frame.axes
    return model.part(name, mass, 0.5 * (inertia + inertia.T), tuple(centre), axes=frame.axes)


def sound_inertia(where: str, link: str, inertia: np.ndarray, mass: float, doubts: list[str]) -> np.ndarray:
    """(3, 3) inertia of a link, 0 where it is only what arithmetic leaves, of which a sentence is added to ``doubts``.
    Raises ModelError for negative principal moments, with ``where`` the file has them."""
    low, _, high = np.linalg.eigvalsh(inertia)
    if 0.0 < max(-low, high) <= NOTHING * mass:
        doubts.append(
            f"{where}: the moments of inertia of link '{link}' are at most {max(-low, high):g} kg*m^2, which is "
            "roundoff; they are taken as 0"
        )
        return np.zeros((3, 3))
    if low < -1e-9 * abs(high) or high < 0.0:
        raise ModelError(
            f"{where}: the inertia of link '{link}' has the principal moment {low:g} kg*m^2; give positive ones"
        )
    return inertia


def start_of(name: str, value: Any, turns: bool, lower: float | None = None, upper: float | None = None) -> float:
    """A coordinate of ``positions=``, in rad or m; texts with units count.  Raises ModelError for what is not a number,
    and beyond the limits."""
    what = f"positions: joint '{name}'"
    q = number(converted(value, "rad" if turns else "m", Units(), what), what)
    if lower is not None and upper is not None and not lower <= q <= upper:
        degrees = f'; if it is in degrees, give "{q:g} deg"' if turns and in_degrees(what, q) else ""
        raise ModelError(f"{what} is to start at {q:g}, and its limits are {lower:g} and {upper:g}{degrees}")
    return q


def doubts_of(starts: Mapping[str, float]) -> list[str]:
    """Sentences about angles of ``positions=`` that seem to be in degrees."""
    return [text for name, q in starts.items() if (text := in_degrees(f"positions: joint '{name}'", q))]


def axis_frame(axis: np.ndarray) -> np.ndarray:
    """Axes (3, 3) whose z is a unit vector."""
    x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    x /= np.linalg.norm(x)
    return np.column_stack((x, np.cross(axis, x), axis))


def angles_in_degrees(tree: Node, angles: Callable[[Node], Sequence[str]]) -> list[str]:
    """Sentences about the angles of elements of a file that seem to be in degrees.  ``angles``: those of an element as
    text, none where it has none."""
    out = []
    for node in tree.children:
        for text in angles(node) if node.read else ():
            try:
                doubt = in_degrees("an angle", float(text))
            except ValueError:  # the reader refuses it
                continue
            if doubt:
                out.append(f"{node.where}: <{node.tag}>: {doubt}")
                break
        out += angles_in_degrees(node, angles)
    return out


@dataclass
class Coordinate:
    """The coordinate of a revolute joint (radians) or of a translational one: expressions of it and its rates, and the
    load that acts along it.  ``whole``: whole turns at the start, which the angle of the joint does not count."""

    joint: Any
    turns: bool
    whole: float = 0.0

    @property
    def position(self) -> str:
        i, j = self.joint.i, self.joint.j
        angle = f"(AZ({i},{j})+{self.whole!r})" if self.whole else f"AZ({i},{j})"
        return angle if self.turns else f"DZ({i},{j},{j})"

    @property
    def rate(self) -> str:
        i, j = self.joint.i, self.joint.j
        return f"WZ({i},{j},{j})" if self.turns else f"VZ({i},{j},{j},{j})"

    @property
    def acceleration(self) -> str:
        i, j = self.joint.i, self.joint.j
        return f"WDTZ({i},{j},{j})" if self.turns else f"ACCZ({i},{j},{j},{j})"

    def load(self, model: Model, text: str, name: str) -> None:
        """A torque about the axis, or a force along it, on the I part, with its reaction on the J part."""
        i, j = self.joint.i, self.joint.j
        if self.turns:
            model.sforce(i, j, text, name, kind="ROTATIONAL")
        else:
            model.vforce(i, model.body_of(model.find("MARKER", j)), fz=text, rm=j, name=name)


@dataclass
class Axle:
    """Parameters of a joint with one coordinate; all for the coordinate of the file."""

    lower: float | None = None
    upper: float | None = None
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0  # coordinate at which the spring is unloaded
    friction: float = 0.0  # torque or force of dry friction
    armature: float = 0.0  # inertia (or mass) of the drive, felt along the coordinate alone


def add_coordinate(
    model: Model, name: str, turns: bool, i: Any, j: Any, axle: Axle, start: float, speed: float | None = None
) -> Coordinate:
    """A revolute or translational joint of markers whose z is its axis, with stops, spring, damper, dry friction and
    the inertia of its drive; ``start``: its coordinate as drawn."""
    whole = math.tau * round(start / math.tau) if turns and abs(start) > math.pi else 0.0
    limit = lambda value: None if value is None else value - whole
    build = model.revolute if turns else model.translational
    given: dict[str, Any] = {"armature": axle.armature or None}
    if speed:
        given["icrot" if turns else "ictran"] = (start - whole, speed)
    made = build(i, j, name, lower=limit(axle.lower), upper=limit(axle.upper), **given)
    q = Coordinate(made, turns, whole)
    if whole:
        model.warn(
            f"joint '{name}' starts at {start:.6g} radians; results give its angle without the "
            f"{round(whole / math.tau)} whole turns of the start"
        )
    rest = axle.rest - whole
    if axle.stiffness > 0.0 or axle.damping > 0.0:
        word = "damping" if not axle.stiffness else "spring"
        if turns:
            model.torsion_spring(i, j, axle.stiffness, axle.damping, angle=rest, name=f"{name} {word}")
        else:
            along = lambda value: (0.0, 0.0, value)
            model.bushing(
                i,
                j,
                along(axle.stiffness),
                damping=along(axle.damping),
                force=along(axle.stiffness * rest),
                name=f"{name} {word}",
            )
    if axle.friction > 0.0:
        preload: dict[str, Any] = (
            {"torque_preload": axle.friction, "pin_radius": 1.0} if turns else {"force_preload": axle.friction}
        )
        model.friction(made, f"{name} friction", mu_static=1.0, mu_dynamic=1.0, inputs=("PRELOAD",), **preload)
    return q


def couple(model: Model, one: Coordinate, other: Coordinate, factor: float, offset: float, name: str) -> None:
    """The equation  q_one = factor q_other + offset:  a coupler, with an offset a general constraint."""
    if offset == 0.0 and not one.whole and not other.whole:
        letters = ["R" if q.turns else "T" for q in (one, other)]
        model.coupler([one.joint, other.joint], (1.0, -factor), letters, name)
        return
    model.constraint(f"{one.position} - ({factor!r})*{other.position} - ({offset!r})", name=name)


# ---- shapes ----------------------------------------------------------------------------------------------------------
class Shapes:
    """Adds shapes to parts, and keeps the reasons of those that cannot be made."""

    def __init__(self, model: Model, path: Path, root: Any, convex: bool) -> None:
        above = path.resolve().parents
        self.folder = Path(root) if root is not None else above[min(2, len(above) - 1)]
        self.model, self.path, self.convex = model, path, convex
        self.lost: dict[str, list[str]] = {}

    def add(self, link: str, build: Callable[[], Any]) -> Any:
        """The shape that ``build`` makes, or None."""
        try:
            return build()
        except ModelError as error:
            self.lost.setdefault(str(error), []).append(link)
            return None

    def file(self, name: str, path: Path | None = None) -> str:
        return str(mesh_file(name, path or self.path, self.folder))

    def mesh(self, body: Any, mesh: Any, frame: Frame, name: str, scale: Any = (1.0, 1.0, 1.0)) -> Any:
        x, z = tuple(frame.axes[:, 0]), tuple(frame.axes[:, 2])
        return self.model.mesh(body, mesh, tuple(frame.origin), x, z, scale, convex=self.convex, name=name)

    def box(self, body: Any, size: Any, frame: Frame, name: str) -> Any:
        x, z = tuple(frame.axes[:, 0]), tuple(frame.axes[:, 2])
        return self.model.box(body, tuple(frame.origin), size, x=x, z=z, name=name)

    def sphere(self, body: Any, radius: float, frame: Frame, name: str) -> Any:
        return self.model.sphere(body, tuple(frame.origin), radius, name=name)

    def ellipsoid(self, body: Any, axes: Any, frame: Frame, name: str) -> Any:
        x, z = tuple(frame.axes[:, 0]), tuple(frame.axes[:, 2])
        return self.model.ellipsoid(body, tuple(frame.origin), axes, x=x, z=z, name=name)

    def plane(self, body: Any, frame: Frame, name: str) -> Any:
        return self.model.plane(body, tuple(frame.origin), tuple(frame.axes[:, 2]), name=name)

    def round(self, kind: str, body: Any, radius: float, length: float, frame: Frame, name: str) -> Any:
        """A "cylinder", "capsule" or "cone" along z, centred at the frame."""
        half = 0.5 * length * frame.axes[:, 2]
        build = getattr(self.model, kind)
        return build(body, tuple(frame.origin - half), tuple(frame.origin + half), radius, name=name)

    def report(self) -> list[str]:
        """A sentence about those that are left out."""
        if not self.lost:
            return []
        some = [f"{reason} (link {', '.join(names)})" for reason, names in list(self.lost.items())[:SHOWN]]
        more = sum(len(names) for names in list(self.lost.values())[SHOWN:])
        count = sum(map(len, self.lost.values()))
        return [
            f"'{self.path}': {count} shape{'s' * (count > 1)} left out: {'; '.join(some)}"
            + (f"; and {more} more" if more else "")
        ]


def mesh_file(name: str, path: Path, folder: Path) -> Path:
    """Where the file of a mesh lies: next to the robot file, or of ``package://NAME/...`` (``model://``) in a folder
    NAME above it or next to one of those above it.  Raises `ModelError` for files that are outside of ``folder`` or
    absent."""
    above = [path.resolve().parent, *path.resolve().parent.parents]
    top = folder.resolve()
    above = [a for a in above if a == top or top in a.parents] or [path.resolve().parent]
    scheme = next((s for s in ("package://", "model://") if name.startswith(s)), "")
    if scheme:
        package, _, rest = name[len(scheme) :].partition("/")
        tried = [a / package / rest for a in above] + [a / rest for a in above if a.name == package]
        words = rest.split("/")  # a package that lies elsewhere here: the end of the path, folder and file at least
        tried += [a.joinpath(*words[k:]) for k in range(len(words) - 1) for a in above]
    else:
        tried = [path.resolve().parent / name.removeprefix("file://")]
    for place in tried:
        inside = top in place.resolve().parents
        if inside and place.is_file():
            return place.resolve()
        if place.is_file() and not inside:
            raise ModelError(f"the file '{name}' is outside of '{top}'; name a folder that has it by root=")
    raise ModelError(f"the file '{name}' is not found below '{top}'")
