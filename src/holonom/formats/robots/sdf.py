"""SDF: models of links and joints with frames relative to each other, in metres, kilograms, seconds and radians.

Poses are resolved to ground.  Links that fixed joints connect are one rigid body here.  Joints may close loops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...model import Model, ModelError
from ...model.base import close_word, shown
from ...model.orientation import Frame, axes_from, from_quaternion
from ...model.xml_tree import Node, read_xml, unread
from .assembly import (
    Axle,
    Coordinate,
    Shapes,
    add_coordinate,
    add_part,
    angles_in_degrees,
    axis_frame,
    couple,
    doubts_of,
    mesh_file,
    sound_inertia,
    start_of,
)
from .mjcf.geoms import WATER, unit_moments
from .urdf import rotation

TYPES = ("revolute", "continuous", "prismatic", "ball", "universal", "revolute2", "screw", "fixed")
TURNS = ("revolute", "continuous")
ENDLESS = 1e15  # a limit that is none
MOST_MODELS = 2_000
MODEL, WORLD = "__model__", "world"


@dataclass
class Link:
    """Mass, centre and inertia in the axes of the link; ``frame`` in ground."""

    name: str
    node: Node
    frame: Frame
    fixed: bool
    mass: float = 1.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.eye(3))
    weightless: bool = False
    guessed: bool = False


class Scope:
    """A model or a world: its links, joints, frames and nested models by name."""

    def __init__(self, node: Node, prefix: str, outer: Scope | None, version: float, static: bool) -> None:
        self.node, self.prefix, self.outer, self.version, self.static = node, prefix, outer, version, static
        self.given: Node = node  # the element with the pose: of an included model that of <include>
        self.items: dict[str, Node] = {}
        self.inner: dict[str, Scope] = {}
        self.busy: set[str] = set()  # frames that are being resolved

    def error(self, node: Node, name: str, what: str) -> ModelError:
        meant = close_word(name, [*self.items, *self.inner])
        return ModelError(
            f"{node.where}: {what} is '{name}', which is no link, joint, frame or model here"
            + (f"; did you mean '{meant}'?" if meant else "")
        )

    def find(self, name: str, node: Node, what: str) -> tuple[Scope, str]:
        """The scope that has an element, and its name there."""
        if name in self.items or name in (MODEL, WORLD):
            return self, name
        if name in self.inner:
            return self.inner[name], MODEL
        head, _, rest = name.partition("::")
        if rest and head in self.inner:
            return self.inner[head].find(rest, node, what)
        raise self.error(node, name, what)

    # ---- frames ----------------------------------------------------------------------------------------------------
    def frame(self, name: str, node: Node, what: str = "relative_to") -> Frame:
        """Frame of a link, joint, frame or model in ground.  Raises `ModelError` for unknown names and cycles."""
        scope, own = self.find(name, node, what)
        if scope is not self:
            return scope.frame(own, node, what)
        if own == WORLD:
            return Frame.identity()
        if own in self.busy:
            raise ModelError(f"{node.where}: the frame '{name}' is given relative to itself by way of others")
        self.busy.add(own)
        try:
            return self._model_frame() if own == MODEL else self._frame(self.items[own])
        finally:
            self.busy.discard(own)

    def _model_frame(self) -> Frame:
        if self.outer is None:
            return pose_in(self.given, None, Frame.identity()) if self.node.tag == "model" else Frame.identity()
        base = self.outer.frame(MODEL, self.node) if self.outer.node.tag == "model" else Frame.identity()
        placed = pose_in(self.given, self.outer, base)
        origin = (
            self.given.get("placement_frame")
            or text_of(self.given, "placement_frame")
            or self.node.get("placement_frame")
        )
        if origin:
            inside = self._inside(origin)
            back = Frame(-inside.axes.T @ inside.origin, inside.axes.T)
            return placed @ back
        return placed

    def _inside(self, name: str) -> Frame:
        """A frame of this model in the axes of the model."""
        probe = Scope(self.node, self.prefix, None, self.version, self.static)
        probe.given = Node(self.node.path, "model", {}, self.node.line)
        probe.items, probe.inner = self.items, self.inner
        return probe.frame(name, self.node, "placement_frame")

    def _frame(self, item: Node) -> Frame:
        base, what = self.root, "relative_to"
        if item.tag == "joint":
            base, what = ends_of(item)[1], "child"
        elif item.tag == "frame":
            base, what = item.get("attached_to") or self.root, "attached_to"
        return pose_in(item, self, lambda: self.frame(base, item, what))

    @property
    def root(self) -> str:
        return WORLD if self.node.tag == "world" else MODEL

    # ---- bodies ----------------------------------------------------------------------------------------------------
    def link(self, name: str, node: Node, what: str, depth: int = 0) -> str:
        """Full name of the link that an element is attached to; "world" for ground."""
        if depth > 100:
            raise ModelError(f"{node.where}: '{name}' is attached to itself by way of others")
        scope, own = self.find(name, node, what)
        if scope is not self:
            return scope.link(own, node, what, depth + 1)
        if own == WORLD:
            return WORLD
        if own == MODEL:
            first = self.node.get("canonical_link") or next((n for n, i in self.items.items() if i.tag == "link"), "")
            first = first or next(iter(self.inner), "")
            if not first:
                raise ModelError(f"{node.where}: the model '{self.prefix}' has no link; {what} needs one")
            return self.link(first, node, what, depth + 1)
        item = self.items[own]
        if item.tag == "link":
            return self.prefix + own
        if item.tag == "joint":
            return self.link(ends_of(item)[1], item, "child", depth + 1)
        return self.link(item.get("attached_to") or self.root, item, "attached_to", depth + 1)


# ---- values of elements ----------------------------------------------------------------------------------------------
def text_of(node: Node, tag: str, default: str = "") -> str:
    found = node.one(tag)
    return default if found is None else found.text.strip()


def numbers_of(
    node: Node, tag: str, count: int, default: tuple[float, ...] | None = None, endless: bool = False
) -> tuple[float, ...]:
    """Numbers in the text of a child.  Raises `ModelError` for others, and where it is absent and has no default."""
    found = node.one(tag)
    if found is None:
        if default is None:
            raise ModelError(f"{node.where}: <{node.tag}> has no <{tag}>")
        return default
    return found.content(count, endless)


def number_of(node: Node, tag: str, default: float) -> float:
    return numbers_of(node, tag, 1, (default,))[0]


def true(node: Node, tag: str, default: bool = False) -> bool:
    text = text_of(node, tag, "true" if default else "false").lower()
    if text not in ("true", "false", "1", "0"):
        raise ModelError(f"{node.where}: <{tag}> is {shown(text)}; give true or false")
    return text in ("true", "1")


def pose_in(node: Node, scope: Scope | None, given: Frame | Callable[[], Frame]) -> Frame:
    """Frame of an element by its <pose>, in the frame ``given`` or in that which ``relative_to`` names."""
    pose = node.one("pose")
    other = "" if pose is None else (pose.get("relative_to") or "").strip()
    if other and scope is not None and pose is not None:
        base = scope.frame(other, pose)
    else:
        base = given() if callable(given) else given
    if pose is None:
        return base
    if not pose.text.strip():
        return base
    if pose.choice("rotation_format", ("euler_rpy", "quat_xyzw"), "euler_rpy") == "quat_xyzw":
        x, y, z, a, b, c, w = pose.content(7)
        if not any((a, b, c, w)):
            raise ModelError(f"{pose.where}: the quaternion of <pose> is zero; give one that is not")
        return base @ Frame(np.array((x, y, z)), from_quaternion((w, a, b, c)))
    x, y, z, *angles = pose.content(6)
    factor = math.pi / 180.0 if pose.flag("degrees") else 1.0
    return base @ Frame(np.array((x, y, z)), rotation(*(factor * a for a in angles)))


def _radians_of(node: Node) -> list[str]:
    """The angles of a <pose> that gives them in radians."""
    plain = node.attributes.get("degrees", "false") in ("false", "0") and "quat" not in node.attributes.get(
        "rotation_format", ""
    )
    return node.text.split()[3:] if node.tag == "pose" and plain else []


def ends_of(joint: Node) -> tuple[str, str]:
    """Names of parent and child of a joint."""
    found = []
    for tag in ("parent", "child"):
        name = text_of(joint, tag)
        if not name:
            raise ModelError(f"{joint.where}: joint '{joint.get('name')}' has no <{tag}>")
        found.append(name)
    return found[0], found[1]


# ---- the reader ------------------------------------------------------------------------------------------------------
def read_sdf(
    path: str | Path,
    *,
    positions: Mapping[str, float] | None = None,
    gravity: Any = None,
    shapes: str = "collision",
    root: str | Path | None = None,
) -> Model:
    """Model of a robot file (SDF), in SI units: all models of a world, or the model of the file.

    Names of nested and of several models are those of SDF, "model::link".  ``positions``: joint -> angle (rad) or
    travel (m) at the start, to which assembly moves the links; links are drawn where the file places them.
    ``gravity``: m/s^2, in place of that of the world (0, 0, -9.81).  ``shapes``: "collision", "visual" or "none",
    ready for contacts, of which none is added.  ``root``: the folder that included models and meshes must lie in
    (default: two folders above the file).

    Static models are fixed to ground; models that no joint connects with the world move freely.  Links without
    <inertial> have 1 kg and 1 kg m^2, the defaults of SDF, and are named.  What has no counterpart is named in one
    warning.  Raises `ModelError` with file and line for what cannot be read.

        model = hn.read_sdf("double_pendulum.sdf")
        run = hn.simulate(model, end=1.0, steps=100)
    """
    path = Path(path)
    if shapes not in ("collision", "visual", "none"):
        raise ModelError(f"shapes is {shown(shapes)}; give 'collision', 'visual' or 'none'")
    file = read_xml(path, "sdf", "a robot file is not")
    above = path.resolve().parents
    folder = Path(root) if root is not None else above[min(2, len(above) - 1)]
    reader = _Reader(path, folder)
    top = reader.top(file)
    model = Model(top.node.get("name") or path.stem)
    model.path = str(path)
    weight: Any = (0.0, 0.0, -9.81)
    if top.node.tag == "world":
        weight = numbers_of(top.node, "gravity", 3, weight)
    model.gravity = weight if gravity is None else gravity
    reader.links(top)
    reader.build(model, top, positions or {})
    drawn = Shapes(model, path, root, convex=shapes == "collision")
    for link in reader.found.values():
        _shapes(drawn, reader, link, shapes)
    for text in angles_in_degrees(file, _radians_of) + drawn.report():
        model.warn(text)
    if reader.faults:
        model.warn(f"'{path}': {'; '.join(reader.faults)}")
    left = unread(file) + [text for other in reader.files for text in unread(other)]
    if left:
        model.warn(f"'{path}': not read, without effect: {', '.join(left)}")
    return model


class _Reader:
    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.folder = path, folder
        self.scopes: list[Scope] = []
        self.of: dict[str, Scope] = {}  # scope of a link by its full name
        self.found: dict[str, Link] = {}
        self.files: list[Node] = []
        self.faults: list[str] = []
        self.part: dict[str, Any] = {}
        self.opened: list[Path] = []

    def top(self, file: Node) -> Scope:
        version = self.version(file)
        worlds, models = file.all("world"), file.all("model")
        if len(worlds) + len(models) > 1:
            raise ModelError(
                f"{file.where}: it has {len(worlds) + len(models)} worlds and models; give a file with one"
            )
        if not worlds and not models:
            raise ModelError(f"{file.where}: it has no model and no world")
        node = (worlds or models)[0]
        return self.scope(node, node, "", None, version, False)

    def version(self, file: Node) -> float:
        text = file.get("version") or "1.0"
        major, _, minor = text.partition(".")
        if not (major.isdigit() and minor.isdigit()):
            raise ModelError(f"{file.where}: version is {shown(text)}; give one as '1.9'")
        return int(major) + int(minor) / 100.0

    def scope(self, node: Node, given: Node, prefix: str, outer: Scope | None, version: float, static: bool) -> Scope:
        if len(self.scopes) >= MOST_MODELS:
            raise ModelError(f"{node.where}: more than {MOST_MODELS} models")
        node.read = given.read = True
        node.get("name")
        static = static or (
            node.tag == "model" and (true(node, "static") or (given is not node and true(given, "static")))
        )
        here = Scope(node, prefix, outer, version, static)
        here.given = given
        self.scopes.append(here)
        for child in node.children:
            if child.tag in ("link", "joint", "frame"):
                child.read = True
                self._new(here, child, child.word("name"))
                here.items[child.word("name")] = child
            elif child.tag == "model":
                name = child.word("name")
                self._new(here, child, name)
                here.inner[name] = self.scope(child, child, f"{prefix}{name}::", here, version, static)
            elif child.tag == "include":
                self._include(here, child)
        return here

    def _new(self, here: Scope, node: Node, name: str) -> None:
        if name in here.items or name in here.inner:
            raise ModelError(f"{node.where}: a second '{name}' in this model; names are unique")
        if name in (MODEL, WORLD):
            raise ModelError(f"{node.where}: the name '{name}' is reserved; choose another")

    def _include(self, here: Scope, node: Node) -> None:
        node.read = True
        uri = text_of(node, "uri")
        if not uri:
            raise ModelError(f"{node.where}: <include> has no <uri>")
        try:
            file = self._model_file(uri)
        except ModelError as error:
            self.faults.append(f"the model '{uri}' is left out: {error}")
            node.get("merge")
            return
        if file in self.opened:
            raise ModelError(f"{node.where}: the file '{file.name}' includes itself by way of others")
        self.opened.append(file)
        inner = read_xml(file, "sdf", "a robot file is not")
        self.files.append(inner)
        models = inner.all("model")
        if len(models) != 1:
            raise ModelError(f"{inner.where}: a file that is included has one model, it has {len(models)}")
        name = text_of(node, "name") or models[0].word("name")
        self._new(here, node, name)
        given = node if node.one("pose") is not None else models[0]
        scope = self.scope(
            models[0], given, f"{here.prefix}{name}::", here, self.version(inner), here.static or true(node, "static")
        )
        here.inner[name] = scope
        self.opened.pop()

    def _model_file(self, uri: str) -> Path:
        """The file of an included model: itself, or model.sdf of a folder."""
        last: ModelError | None = None
        for name in (uri, f"{uri}/model.sdf"):
            try:
                return mesh_file(name, self.path, self.folder)
            except ModelError as error:
                last = last or error
        raise last or ModelError(f"the file '{uri}' is not found")

    # ---- links -----------------------------------------------------------------------------------------------------
    def links(self, top: Scope) -> None:
        for scope in self.scopes:
            for name, node in scope.items.items():
                if node.tag == "link":
                    full = scope.prefix + name
                    link = Link(full, node, scope.frame(name, node), scope.static)
                    self.found[full], self.of[full] = link, scope
                    self._weigh(link, scope)
        if not self.found:
            raise ModelError("; ".join([f"{top.node.where}: it has no link", *dict.fromkeys(self.faults)]))
        guessed = [f"'{link.name}'" for link in self.found.values() if link.guessed and not link.fixed]
        if guessed:
            self.faults.append(f"links without <inertial> have 1 kg and 1 kg m^2: {', '.join(guessed)}")

    def _weigh(self, link: Link, scope: Scope) -> None:
        node = link.node
        link.weightless = not true(node, "gravity", True)
        inertial = node.one("inertial")
        if inertial is None:
            link.guessed = True
            return
        local = pose_in(inertial, scope, link.frame)
        axes, centre = link.frame.axes.T @ local.axes, link.frame.axes.T @ (local.origin - link.frame.origin)
        if inertial.get("auto") is not None and inertial.flag("auto"):
            self._from_shapes(link, inertial, scope)
            return
        link.mass, link.centre = number_of(inertial, "mass", 1.0), centre
        tensor = inertial.one("inertia")
        if tensor is None:
            self.faults.append(
                f"{inertial.where}: link '{link.name}' has no <inertia>: moments of 1 kg m^2, the default"
            )
        else:
            lacking = [k for k in ("ixx", "iyy", "izz") if tensor.one(k) is None]
            if lacking:
                self.faults.append(
                    f"{tensor.where}: <inertia> of link '{link.name}' has no {', '.join(lacking)}: 1 kg m^2, the "
                    "default"
                )
            xx, yy, zz = (number_of(tensor, k, 1.0) for k in ("ixx", "iyy", "izz"))
            xy, xz, yz = (number_of(tensor, k, 0.0) for k in ("ixy", "ixz", "iyz"))
            link.inertia = axes @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes.T
        if link.mass < 0.0:
            raise ModelError(
                f"{inertial.where}: the mass of link '{link.name}' is {link.mass:g} kg; give a positive one"
            )
        link.inertia = sound_inertia(inertial.where, link.name, link.inertia, link.mass, self.faults)

    def _from_shapes(self, link: Link, inertial: Node, scope: Scope) -> None:
        """Mass, centre and inertia of the collision shapes and their densities."""
        from ...model.bodies import combine_masses

        density = number_of(inertial, "density", WATER)
        bodies = []
        for shape in link.node.all("collision"):
            own = number_of(shape, "density", density)
            frame = pose_in(shape, scope, link.frame)
            geometry = shape.one("geometry")
            kind = geometry.children[0] if geometry is not None and geometry.children else None
            found = None if kind is None else _solid(kind)
            if found is None:
                self.faults.append(f"link '{link.name}': the mass of a shape that is not a simple solid is left out")
                continue
            (volume, moments), down = found
            axes = link.frame.axes.T @ frame.axes
            place = link.frame.axes.T @ (frame.origin - link.frame.origin) + axes @ down
            bodies.append((own * volume, place, own * volume * axes @ np.diag(moments) @ axes.T))
        if not bodies:
            raise ModelError(f"{inertial.where}: link '{link.name}' has no shape from which its mass follows")
        link.mass, link.centre, link.inertia = combine_masses(bodies)
        given = number_of(inertial, "mass", 0.0)
        if given > 0.0:
            link.inertia, link.mass = link.inertia * (given / link.mass), given

    # ---- the model -------------------------------------------------------------------------------------------------
    def build(self, model: Model, top: Scope, positions: Mapping[str, float]) -> None:
        joints = [
            (scope, scope.prefix + name, node)
            for scope in self.scopes
            for name, node in scope.items.items()
            if node.tag == "joint"
        ]
        ends: dict[str, tuple[str, str]] = {}
        types: dict[str, str] = {}
        for scope, full, node in joints:
            types[full] = kind = node.word("type")
            if kind not in (*TYPES, "gearbox"):
                meant = close_word(kind, TYPES)
                raise ModelError(
                    f"{node.where}: the type of joint '{full}' is {shown(kind)}; "
                    + (f"did you mean {meant}?" if meant else f"choose from {', '.join(TYPES)}")
                )
            parent, child = ends_of(node)
            ends[full] = scope.link(parent, node, "parent"), scope.link(child, node, "child")
            if ends[full][0] == ends[full][1]:
                raise ModelError(f"{node.where}: joint '{full}' connects '{ends[full][0]}' with itself")
        self._parts(model, [ends[full] for full in ends if types[full] == "fixed"])
        made: dict[str, Any] = {}
        for scope, full, node in joints:
            if types[full] == "gearbox":
                self.faults.append(
                    f"joint '{full}' is a gearbox, which is not modelled; its links are not connected by it"
                )
            elif types[full] != "fixed":
                made[full] = self._joint(model, scope, full, node, types[full], ends[full])
        self._start(model, made, positions)
        for scope, full, node in joints:
            self._mimic(model, scope, full, node, made)

    def _parts(self, model: Model, fixed: list[tuple[str, str]]) -> None:
        head = {name: name for name in self.found} | {WORLD: WORLD}

        def top(name: str) -> str:
            while head[name] != name:
                name = head[name]
            return name

        pairs = fixed + [(WORLD, name) for name, link in self.found.items() if link.fixed]
        for a, b in pairs:
            one, two = top(a), top(b)
            if one != two:
                head[one if two == WORLD else two] = two if two == WORLD else one
        members: dict[str, list[Link]] = {}
        for name, link in self.found.items():
            members.setdefault(top(name), []).append(link)
        self.part[WORLD] = model.ground
        for name, links in members.items():
            if name != WORLD:
                pieces = [
                    (k.mass, k.frame.origin + k.frame.axes @ k.centre, k.frame.axes @ k.inertia @ k.frame.axes.T)
                    for k in links
                ]
                self.part[name] = add_part(model, name, pieces, self.found[name].frame)
            for link in links:
                self.part[link.name] = self.part[name]
                model.marker_at(self.part[name], tuple(link.frame.origin), axes=link.frame.axes, name=link.name)
                if link.weightless and name != WORLD and link.mass > 0.0:
                    at = model.marker_at(self.part[name], tuple(link.frame.origin + link.frame.axes @ link.centre))
                    force = [repr(float(-link.mass * g)) for g in model.gravity]
                    model.vforce(at, None, *force, name=f"{link.name} without gravity")

    def _axis(self, scope: Scope, node: Node, joint: Node, seat: Frame) -> np.ndarray:
        """Direction of an axis in ground."""
        xyz = node.one("xyz")
        v = np.array(numbers_of(node, "xyz", 3, (0.0, 0.0, 1.0)))
        size = float(np.linalg.norm(v))
        if not size > 0.0:
            raise ModelError(f"{node.where}: the axis of joint '{joint.get('name')}' has no length; give a direction")
        other = (xyz.get("expressed_in") or "").strip() if xyz is not None else ""
        flag = node.one("use_parent_model_frame")
        old = true(node, "use_parent_model_frame") if flag is not None else scope.version < 1.05
        axes = (
            scope.frame(other, node, "expressed_in").axes
            if other
            else (scope.frame(scope.root, node).axes if old else seat.axes)
        )
        return axes @ v / size

    def _joint(self, model: Model, scope: Scope, full: str, node: Node, kind: str, ends: tuple[str, str]) -> Any:
        seat = scope._frame(node)
        at = tuple(seat.origin)
        child, parent = self.part[ends[1]], self.part[ends[0]]
        if kind == "ball":
            return model.spherical(
                model.marker_at(child, at, axes=seat.axes), model.marker_at(parent, at, axes=seat.axes), full
            )
        axis = node.one("axis")
        if axis is None:
            raise ModelError(f"{node.where}: joint '{full}' has no <axis>; give <axis> with <xyz>")
        z = self._axis(scope, axis, node, seat)
        if kind in ("universal", "revolute2"):
            second = node.one("axis2")
            if second is None:
                raise ModelError(f"{node.where}: joint '{full}' has no <axis2>; give a second axis")
            z2 = self._axis(scope, second, node, seat)
            if abs(float(z @ z2)) > 1e-6:
                raise ModelError(f"{node.where}: the axes of joint '{full}' are not at right angles")
            i, j = model.marker_at(child, at, axes=axes_from(z2, z)), model.marker_at(parent, at, axes=axes_from(z, z2))
            return model.universal(i, j, full)
        frame = axis_frame(z)
        i, j = model.marker_at(child, at, axes=frame), model.marker_at(parent, at, axes=frame)
        axle = Axle()
        limit, dynamics = axis.one("limit"), axis.one("dynamics")
        if limit is not None:
            lower, upper = (
                numbers_of(limit, w, 1, (s * math.inf,), endless=True)[0] for w, s in (("lower", -1), ("upper", 1))
            )
            if lower > upper:
                raise ModelError(
                    f"{limit.where}: the limits of joint '{full}' are {lower:g} and {upper:g}; the lower one must "
                    "not be above the upper one"
                )
            if kind != "continuous":
                axle.lower = lower if lower > -ENDLESS else None
                axle.upper = upper if upper < ENDLESS else None
        if dynamics is not None:
            axle.damping, axle.friction = number_of(dynamics, "damping", 0.0), number_of(dynamics, "friction", 0.0)
            axle.stiffness = number_of(dynamics, "spring_stiffness", 0.0)
            axle.rest = number_of(dynamics, "spring_reference", 0.0)
        for word, value in (
            ("damping", axle.damping),
            ("friction", axle.friction),
            ("spring_stiffness", axle.stiffness),
        ):
            if value < 0.0:
                raise ModelError(f"{axis.where}: {word} of joint '{full}' is {value:g}; give 0 or more")
        if axle.lower is not None and axle.lower == axle.upper:
            return model.fixed(i, j, full)
        if kind == "screw":
            pitch = number_of(node, "screw_thread_pitch", 0.0)
            old = number_of(node, "thread_pitch", 0.0)
            pitch = pitch or (-math.tau / old if old else 1.0)
            return model.screw(i, j, pitch, full)
        return add_coordinate(model, full, kind in TURNS, i, j, axle, 0.0)

    def _start(self, model: Model, made: dict[str, Any], positions: Mapping[str, float]) -> None:
        single = {name: q for name, q in made.items() if isinstance(q, Coordinate)}
        for name, value in positions.items():
            if name not in single:
                meant = close_word(name, single)
                raise ModelError(
                    f"positions has '{name}', which is no joint with one coordinate"
                    + (f"; did you mean '{meant}'?" if meant else "")
                )
            turns = single[name].turns
            q = start_of(name, value, turns)
            for text in doubts_of({name: q} if turns else {}):
                model.warn(text)
            setattr(single[name].joint, "icrot" if turns else "ictran", (q, None))

    def _mimic(self, model: Model, scope: Scope, full: str, node: Node, made: dict[str, Any]) -> None:
        axis = node.one("axis")
        for mimic in axis.all("mimic") if axis is not None else ():
            name = scope.prefix + mimic.word("joint")
            mimic.get("axis")
            if name not in made or not isinstance(made[name], Coordinate) or not isinstance(made.get(full), Coordinate):
                raise ModelError(f"{mimic.where}: joint '{full}' mimics '{name}'; both must have one coordinate")
            factor = number_of(mimic, "multiplier", 1.0)
            offset = number_of(mimic, "offset", 0.0) - factor * number_of(mimic, "reference", 0.0)
            couple(model, made[full], made[name], factor, offset, f"{full} mimic")


# ---- shapes ----------------------------------------------------------------------------------------------------------
def _solid(node: Node) -> tuple[tuple[float, np.ndarray], np.ndarray] | None:
    """Volume and moments per unit of mass of a simple solid, and its centre; None for others."""
    nothing = np.zeros(3)
    if node.tag == "box":
        return unit_moments("box", tuple(0.5 * s for s in numbers_of(node, "size", 3)), False), nothing
    if node.tag == "sphere":
        return unit_moments("sphere", numbers_of(node, "radius", 1), False), nothing
    if node.tag == "ellipsoid":
        return unit_moments("ellipsoid", numbers_of(node, "radii", 3), False), nothing
    if node.tag in ("cylinder", "capsule"):
        sizes = numbers_of(node, "radius", 1)[0], 0.5 * numbers_of(node, "length", 1)[0]
        return unit_moments(node.tag, sizes, False), nothing
    return None


_TEXTS = (  # elements of a text alone
    "name uri scale size radius radii length normal center ambient diffuse emissive shininess lighting render_order "
    "double_sided cast_shadows transparency visibility_flags layer albedo_map roughness_map roughness metalness_map "
    "metalness environment_map ambient_occlusion_map emissive_map light_map specular_map glossiness_map glossiness"
)
_MAPS = "albedo_map environment_map ambient_occlusion_map normal_map emissive_map light_map"
KNOWN = {  # attributes and children of elements that have no effect where they stand
    **dict.fromkeys(_TEXTS.split(), ("", "")),
    "visual": ("name", "pose geometry material cast_shadows transparency visibility_flags meta"),
    "collision": ("name", "pose geometry"),
    "meta": ("", "layer"),
    "pose": ("relative_to rotation_format degrees", ""),
    "geometry": ("", "empty box sphere ellipsoid cylinder capsule cone plane mesh"),
    "empty": ("", ""),
    "box": ("", "size"),
    "sphere": ("", "radius"),
    "ellipsoid": ("", "radii"),
    **dict.fromkeys(("cylinder", "capsule", "cone"), ("", "radius length")),
    "plane": ("", "normal size"),
    "mesh": ("", "uri scale submesh"),
    "submesh": ("", "name center"),
    "material": (
        "",
        "script shader render_order lighting ambient diffuse specular shininess emissive double_sided pbr",
    ),
    "script": ("", "uri name"),
    "shader": ("type", "normal_map"),
    "normal_map": ("type", ""),
    "light_map": ("uv_set", ""),
    "pbr": ("", "metal specular"),
    "metal": ("", _MAPS + " roughness_map roughness metalness_map metalness"),
    "specular": ("", _MAPS + " specular_map glossiness_map glossiness"),  # the colour or the workflow
}


def _shapes(shapes: Shapes, reader: _Reader, link: Link, which: str) -> None:
    """Add the shapes of a link."""
    scope = reader.of[link.name]
    for kind in ("visual", "collision"):
        if kind != which:
            for node in link.node.all(kind):
                node.skip(KNOWN)
    for n, node in enumerate(link.node.all(which) if which != "none" else ()):
        name = f"{link.name} {node.get('name') or n + 1}"
        frame = pose_in(node, scope, link.frame)
        geometry = node.one("geometry")
        if geometry is None or len(geometry.children) != 1:
            raise ModelError(f"{node.where}: <{which}> of link '{link.name}' must have one shape in <geometry>")
        shapes.add(link.name, _shape(shapes, reader.part[link.name], geometry.children[0], frame, name))


def _shape(shapes: Shapes, body: Any, node: Node, frame: Frame, name: str) -> Callable[[], Any]:
    """What adds the shape.  The numbers of the file are read before."""
    node.read = True
    if node.tag == "box":
        size = numbers_of(node, "size", 3)
        return lambda: shapes.box(body, size, frame, name)
    if node.tag == "sphere":
        radius = numbers_of(node, "radius", 1)[0]
        return lambda: shapes.sphere(body, radius, frame, name)
    if node.tag == "ellipsoid":
        radii = numbers_of(node, "radii", 3)
        return lambda: shapes.ellipsoid(body, radii, frame, name)
    if node.tag in ("cylinder", "capsule", "cone"):
        radius, length = numbers_of(node, "radius", 1)[0], numbers_of(node, "length", 1)[0]
        return lambda: shapes.round(node.tag, body, radius, length, frame, name)
    if node.tag == "plane":
        normal = np.array(numbers_of(node, "normal", 3, (0.0, 0.0, 1.0)))
        node.all("size")
        if not np.linalg.norm(normal) > 0.0:
            raise ModelError(f"{node.where}: the normal of a plane has no length; give a direction")
        tilted = Frame(frame.origin, frame.axes @ axes_from(normal))
        return lambda: shapes.plane(body, tilted, name)
    if node.tag == "mesh":
        scale, file = numbers_of(node, "scale", 3, (1.0, 1.0, 1.0)), text_of(node, "uri")
        return lambda: shapes.mesh(body, shapes.file(file), frame, name, scale)

    def refuse() -> None:
        raise ModelError(f"<{node.tag}> is not read")

    return refuse
