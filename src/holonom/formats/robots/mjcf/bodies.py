"""The tree of bodies of an MJCF file: joints, geoms, sites, and frames of all of these for given coordinates."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....model import ModelError
from ....model.orientation import Frame, from_quaternion, to_quaternion, turned
from ....model.xml_tree import Node
from ..assembly import Axle, axis_frame
from .geoms import Geom, Mesh, between, read_geom
from .settings import Settings
from .source import Classes, Styled, euler_axes

JOINTS = ("free", "ball", "slide", "hinge")
SINGLE = ("slide", "hinge")
COORDINATES = {"free": 7, "ball": 4, "slide": 1, "hinge": 1}
FREEDOMS = {"free": 6, "ball": 3, "slide": 1, "hinge": 1}


@dataclass
class Joint:
    name: str
    node: Styled | Node
    type: str
    pos: np.ndarray
    axis: np.ndarray
    axle: Axle
    ref: float = 0.0
    #: frames of the markers in ground: of the part before and of the part after
    before: Frame | None = None
    after: Frame | None = None
    force_range: tuple[float, float] | None = None  # of all actuators together

    @property
    def start(self) -> tuple[float, ...]:
        """The coordinates of the drawing."""
        return (self.ref,) if self.type in SINGLE else (1.0, 0.0, 0.0, 0.0)


@dataclass
class Body:
    name: str
    node: Node
    parent: Body | None
    local: Frame
    mass: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    joints: list[Joint] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    sites: list[tuple[str, Frame]] = field(default_factory=list)
    carried: float = 0.0  # share of its weight that is balanced
    drawn: Frame = field(default_factory=Frame.identity)  # at the coordinates of the drawing
    sprung: Frame = field(default_factory=Frame.identity)  # at the springref of all joints, `qpos_spring` of MuJoCo
    frame: Frame = field(default_factory=Frame.identity)  # at the start
    faults: list[str] = field(default_factory=list)


@dataclass
class Tree:
    """All bodies, parents first, the world the first; sites and joints by name."""

    bodies: list[Body]
    settings: Settings

    @property
    def joints(self) -> list[Joint]:
        return [joint for body in self.bodies for joint in body.joints]


def read_tree(tree: Node, classes: Classes, settings: Settings, meshes: dict[str, Mesh]) -> Tree:
    """Raises `ModelError` for names given twice, bodies and joints that cannot be."""
    world = Body("world", tree, None, Frame.identity())
    reader = _Reader(classes, settings, meshes, [world])
    for part in tree.all("worldbody"):
        reader.contents(part, world, Frame.identity(), part.get("childclass") or "")
    if len(reader.bodies) == 1 and not world.geoms and not world.sites:
        raise ModelError(f"{tree.where}: the file has no body; give <worldbody> with bodies")
    for body in reader.bodies[1:]:
        reader.weigh(body)
    total = sum(body.mass for body in reader.bodies)
    if settings.total_mass > 0.0 and total > 0.0:
        for body in reader.bodies:
            body.mass *= settings.total_mass / total
            body.inertia = body.inertia * (settings.total_mass / total)
    return Tree(reader.bodies, settings)


class _Reader:
    def __init__(self, classes: Classes, settings: Settings, meshes: dict[str, Mesh], bodies: list[Body]) -> None:
        self.classes, self.settings, self.meshes, self.bodies = classes, settings, meshes, bodies
        self.names: dict[str, set[str]] = {"body": {"world"}}
        self.inertials: dict[int, tuple[Node, Frame]] = {}

    def name(self, node: Node, kind: str, otherwise: str) -> str:
        """The name of an element, else one that is free."""
        taken = self.names.setdefault(kind, set())
        given = node.get("name")
        name = given or otherwise
        for n in range(2, 1_000_000):
            if name not in taken:
                break
            if given:
                raise ModelError(f"{node.where}: a second {kind} '{name}'; names of {kind}s are unique")
            name = f"{otherwise} {n}"
        taken.add(name)
        return name

    def contents(self, node: Node, body: Body, offset: Frame, inherited: str) -> None:
        """The elements of a body or a frame, whose axes are ``offset`` in those of the body."""
        for child in node.children:
            if child.tag == "frame":
                child.read = True
                child.get("name")
                moved = _copy_pose(child, self.settings) if "#" in child.attributes else self.settings.pose(child)
                self.contents(child, body, offset @ moved, child.get("childclass") or inherited)
            elif child.tag == "body":
                child.read = True
                self.body(child, body, offset, child.get("childclass") or inherited)
            elif child.tag == "geom":
                child.read = True
                styled = self.classes.style(child, inherited)
                name = self.name(styled, "geom", f"{body.name} geom")
                body.geoms.append(read_geom(styled, name, self.settings, self.meshes, offset))
            elif child.tag == "site":
                child.read = True
                styled = self.classes.style(child, inherited)
                for word in ("rgba", "material", "group", "size", "type", "user"):
                    styled.get(word)
                frame = self.settings.pose(styled)
                if styled.get("fromto") is not None:
                    frame = between(np.array(styled.numbers("fromto", 6)), styled)[0]
                body.sites.append((self.name(styled, "site", f"{body.name} site"), offset @ frame))
            elif child.tag in ("joint", "freejoint"):
                child.read = True
                body.joints.append(self.joint(child, body, offset, inherited))
            elif child.tag == "inertial":
                if id(body) in self.inertials:
                    raise ModelError(f"{child.where}: a second <inertial> of body '{body.name}'; a body has one")
                child.read = True
                self.inertials[id(body)] = child, offset

    def body(self, node: Node, parent: Body, offset: Frame, inherited: str) -> None:
        name = self.name(node, "body", f"body {len(self.bodies)}")
        body = Body(name, node, parent, offset @ self.settings.pose(node))
        body.carried = node.number("gravcomp", 0.0)
        self.bodies.append(body)
        self.contents(node, body, Frame.identity(), inherited)
        if node.get("mocap") is not None and node.flag("mocap"):
            body.faults.append(f"body '{name}' is moved by the user (mocap), here it is fixed to ground")
        free = [joint for joint in body.joints if joint.type == "free"]
        if free and (len(body.joints) > 1 or parent.name != "world"):
            raise ModelError(
                f"{free[0].node.where}: the free joint of body '{name}' must be its only joint, and its body a child "
                "of <worldbody>"
            )

    def joint(self, node: Node, body: Body, offset: Frame, inherited: str) -> Joint:
        styled: Styled | Node = self.classes.style(node, inherited) if node.tag == "joint" else node
        kind = styled.choice("type", JOINTS, "hinge") if node.tag == "joint" else "free"
        name = self.name(styled, "joint", f"{body.name} joint")
        for word in ("group", "user"):
            styled.get(word)
        joint = Joint(name, styled, kind, np.zeros(3), np.array([0.0, 0.0, 1.0]), Axle())
        if node.tag == "freejoint":
            return joint
        joint.pos = offset.origin + offset.axes @ styled.numbers("pos", 3, (0.0, 0.0, 0.0))
        axle, off = joint.axle, self.settings.off
        axle.armature = styled.number("armature", 0.0)
        axle.damping = 0.0 if "damper" in off else self.first(styled, "damping", joint, body)
        for word, value in (("armature", axle.armature), ("damping", axle.damping)):
            if value < 0.0:
                raise ModelError(f"{styled.where}: {word} of joint '{name}' is {value:g}; give 0 or more")
        if kind not in SINGLE:
            for word in ("axis", "ref"):
                styled.get(word)
            return joint
        axis = offset.axes @ styled.numbers("axis", 3, (0.0, 0.0, 1.0))
        size = float(np.linalg.norm(axis))
        if not size > 0.0:
            raise ModelError(f"{styled.where}: the axis of joint '{name}' has no length; give a direction")
        joint.axis = axis / size
        angle = self.settings.angle if kind == "hinge" else float
        joint.ref = angle(styled.number("ref", 0.0))
        axle.stiffness = 0.0 if "spring" in off else self.first(styled, "stiffness", joint, body)
        axle.rest = angle(styled.number("springref", 0.0))
        axle.friction = 0.0 if "frictionloss" in off else styled.number("frictionloss", 0.0)
        limits = self.limits(styled, "limited", "range")
        if limits is not None and "limit" not in off:
            axle.lower, axle.upper = angle(limits[0]), angle(limits[1])
            if not axle.lower < axle.upper:
                raise ModelError(
                    f"{styled.where}: the range of joint '{name}' is {limits[0]:g} to {limits[1]:g}; the lower limit "
                    "must be below the upper one"
                )
        for word, value in (("stiffness", axle.stiffness), ("frictionloss", axle.friction)):
            if value < 0.0:
                raise ModelError(f"{styled.where}: {word} of joint '{name}' is {value:g}; give 0 or more")
        joint.force_range = self.limits(styled, "actuatorfrclimited", "actuatorfrcrange")
        return joint

    def first(self, node: Node, word: str, joint: Joint, body: Body) -> float:
        """The linear coefficient of stiffness or damping."""
        value, *more = node.row(word, 1, 3, (0.0,))
        if any(more):
            body.faults.append(f"joint '{joint.name}': the {word} has terms of higher order, of which none is used")
        return value

    def limits(self, node: Node, word: str, name: str) -> tuple[float, float] | None:
        """A range of two numbers where it acts."""
        acts = node.choice(word, ("true", "false", "auto"), "auto")
        if node.get(name) is None:
            if acts == "true":
                raise ModelError(f"{node.where}: {word} of <{node.tag}> is true and {name} is missing; give it")
            return None
        low, high = node.numbers(name, 2)
        return (low, high) if acts == "true" or (acts == "auto" and self.settings.autolimits) else None

    def weigh(self, body: Body) -> None:
        """Mass, centre and inertia of a body, given or of its geoms."""
        settings = self.settings
        given = self.inertials.get(id(body))
        if given is not None:
            node, offset = given
            frame = offset @ settings.pose(node)
            mass = node.number("mass")
            if mass < 0.0:
                raise ModelError(f"{node.where}: the mass of body '{body.name}' is {mass:g} kg; give a positive one")
            if node.get("fullinertia") is not None:
                xx, yy, zz, xy, xz, yz = node.numbers("fullinertia", 6)
                own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            else:
                if node.get("diaginertia") is None and settings.inertia != "true":
                    body.faults.append(
                        f"{node.where}: <inertial> of body '{body.name}' has no diaginertia and no fullinertia; its "
                        "moments of inertia are 0"
                    )
                own = np.diag(node.numbers("diaginertia", 3, (0.0, 0.0, 0.0)))
            if settings.inertia != "true":
                low, *_, high = np.linalg.eigvalsh(own)
                if low < -1e-9 * abs(high) or high < 0.0:
                    raise ModelError(
                        f"{node.where}: the inertia of body '{body.name}' has the principal moment {low:g} kg*m^2; "
                        "give positive ones"
                    )
                body.mass, body.centre, body.inertia = mass, frame.origin, frame.axes @ own @ frame.axes.T
        if (given is None and settings.inertia == "auto") or settings.inertia == "true":
            pieces = []
            for geom in body.geoms:
                if not settings.groups[0] <= geom.group <= settings.groups[1]:
                    continue
                try:
                    pieces.append(geom.body())
                except ModelError as error:
                    geom.faults.append(f"no mass of geom '{geom.name}': {error}")
            pieces = [piece for piece in pieces if piece[0] > 0.0]
            if pieces:
                from ....model.bodies import combine_masses

                body.mass, body.centre, body.inertia = combine_masses(pieces)
        body.mass = max(body.mass, settings.least_mass)
        moments, axes = np.linalg.eigh(body.inertia)
        moments = np.maximum(moments, settings.least_inertia)
        if settings.balance and moments[2] > moments[0] + moments[1]:
            moments = np.full(3, moments.mean())
        if settings.least_inertia or settings.balance:
            body.inertia = axes @ np.diag(moments) @ axes.T


def _copy_pose(node: Node, settings: Settings) -> Frame:
    """The frame of a copy of <replicate>: each copy is turned by its number times the angles, and lies by the offset,
    in the axes of the copy before, further than that."""
    n = int(node.attributes["#"])
    node.taken.add("#")
    step = np.array(node.numbers("offset", 3, (0.0, 0.0, 0.0)))
    angles = [settings.angle(a) for a in node.numbers("euler", 3, (0.0, 0.0, 0.0))]
    axes = lambda k: euler_axes(tuple(k * a for a in angles), settings.eulerseq)
    origin = sum((axes(k) @ step for k in range(n)), np.zeros(3))
    return Frame(origin, axes(n))


# ---- frames ----------------------------------------------------------------------------------------------------------
def place(tree: Tree, q: dict[str, Any]) -> None:
    """Frames of all bodies and of the markers of joints for coordinates of joints (default: those of the drawing)."""
    for body in tree.bodies:
        if body.parent is None:
            continue
        frame = body.parent.frame @ body.local
        for joint in body.joints:
            values = q.get(joint.name)
            if joint.type == "free":
                if values is not None:
                    frame = Frame(np.array(values[:3]), from_quaternion(values[3:]))
                joint.after = joint.before = frame
                continue
            value = joint.start if values is None else values
            seat = frame @ Frame(joint.pos, axis_frame(joint.axis))
            if joint.type == "hinge":
                turn = turned(joint.axis, value[0] - joint.ref)
                back = turned(np.array([0.0, 0.0, 1.0]), -joint.ref)
                joint.before = Frame(seat.origin, seat.axes @ back)
            elif joint.type == "ball":
                turn = from_quaternion(value)
                joint.before = Frame(seat.origin, frame.axes)
            else:
                turn = np.eye(3)
                joint.before = Frame(seat.origin - seat.axes[:, 2] * joint.ref, seat.axes)
                frame = Frame(frame.origin + seat.axes[:, 2] * (value[0] - joint.ref), frame.axes)
            point = frame.origin + frame.axes @ joint.pos
            axes = frame.axes @ turn
            frame = Frame(point - axes @ joint.pos, axes)
            joint.after = Frame(point, axes if joint.type == "ball" else axes @ axis_frame(joint.axis))
        body.frame = frame


def split(tree: Tree, numbers: tuple[float, ...], sizes: dict[str, int]) -> dict[str, tuple[float, ...]]:
    """Coordinates (or rates) of joints from one row of all, in the order of the file."""
    out, at = {}, 0
    for joint in tree.joints:
        out[joint.name] = tuple(numbers[at : at + sizes[joint.type]])
        at += sizes[joint.type]
    return out


def pose_of(frame: Frame) -> tuple[float, ...]:
    """Position and quaternion of a frame."""
    return (*frame.origin.tolist(), *to_quaternion(frame.axes).tolist())


def within(joint: Joint) -> float:
    """The coordinate nearest to that of the drawing within the limits of a joint."""
    low = -math.inf if joint.axle.lower is None else joint.axle.lower
    high = math.inf if joint.axle.upper is None else joint.axle.upper
    return min(max(joint.ref, low), high)
