"""The model of an MJCF tree: parts, joints, shapes, and what other elements refer to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....model import Model, ModelError
from ....model.base import close_word
from ....model.orientation import Frame
from ....model.xml_tree import Node
from ..assembly import Coordinate, Shapes, add_coordinate, add_part
from .bodies import SINGLE, Body, Joint, Tree
from .geoms import Geom

#: share of the mass of a body that a part between two of its joints has, which MuJoCo does not need
LIGHT = 1e-10


@dataclass
class Path:
    """A length that a scalar load acts along: its expression, its rate, and what applies a load by its expression."""

    length: str
    rate: str
    load: Callable[[str, str], None]
    drawn: float = 0.0  # the length in the drawing
    rest: float = 0.0  # the length at the springref of all joints


class Machine:
    """Model, and its parts, joints, sites, geoms by the names of the file."""

    def __init__(self, model: Model, tree: Tree, shapes: Shapes) -> None:
        self.model, self.tree, self.shapes = model, tree, shapes
        self.bodies = {body.name: body for body in tree.bodies}
        self.joints = {joint.name: joint for joint in tree.joints}
        self.part: dict[str, Any] = {}
        self.coordinate: dict[str, Coordinate] = {}
        self.markers: dict[str, tuple[Any, Any]] = {}  # of ball and free joints
        self.sites = {name: (body, frame) for body in tree.bodies for name, frame in body.sites}
        self.geoms = {geom.name: (body, geom) for body in tree.bodies for geom in body.geoms}
        self.paths: dict[str, Path] = {}  # tendons
        self.actuators: dict[str, tuple[Any, Path, Any]] = {}  # force, path, input
        self.drawn_shapes: dict[str, Any] = {}
        self.faults: list[str] = []
        self._turning: dict[int, np.ndarray] = {}  # angular velocity at the start, in ground, by the id of a part
        self._site_markers: dict[str, Any] = {}

    # ---- references ------------------------------------------------------------------------------------------------
    def refer(self, node: Node, attribute: str, table: dict[str, Any], what: str) -> Any:
        """What an attribute of an element names.  Raises `ModelError` for names that do not exist."""
        name = node.word(attribute)
        if name not in table:
            meant = close_word(name, table)
            raise ModelError(
                f"{node.where}: {attribute} of <{node.tag}> is '{name}', which is no {what}"
                + (f"; did you mean '{meant}'?" if meant else "")
            )
        return table[name]

    def site_marker(self, name: str) -> Any:
        if name not in self._site_markers:
            body, frame = self.sites[name]
            placed = body.frame @ frame
            self._site_markers[name] = self.marker(body, placed, name)
        return self._site_markers[name]

    def marker(self, body: Body, frame: Frame, name: str = "") -> Any:
        """A marker on the part of a body, in ground."""
        return self.model.marker_at(self.part[body.name], tuple(frame.origin), axes=frame.axes, name=name)

    # ---- parts and joints ------------------------------------------------------------------------------------------
    def build(self, q: dict[str, Any], speeds: dict[str, Any]) -> None:
        """Add all parts and joints; ``q``, ``speeds``: coordinates and rates of joints at the start."""
        head: dict[str, Body] = {}
        members: dict[str, list[Body]] = {}
        for body in self.tree.bodies:
            top = body if body.joints or body.parent is None else head[body.parent.name]
            head[body.name] = top
            members.setdefault(top.name, []).append(body)
        for name, bodies in members.items():
            top = self.bodies[name]
            if top.parent is None:
                self.part[name] = self.model.ground
            else:
                pieces = [
                    (b.mass, b.frame.origin + b.frame.axes @ b.centre, b.frame.axes @ b.inertia @ b.frame.axes.T)
                    for b in bodies
                ]
                self.part[name] = add_part(self.model, name, pieces, top.frame)
            for body in bodies:
                self.part[body.name] = self.part[name]
                self.marker(body, body.frame, body.name)
        for name in members:
            self._connect(self.bodies[name], q, speeds)
        self._carry()

    def _connect(self, body: Body, q: dict[str, Any], speeds: dict[str, Any]) -> None:
        """The joints of a body, with a light part between two of them."""
        before = self.part[body.parent.name] if body.parent is not None else None
        w = np.zeros(3)  # of the parts so far, in ground
        if body.parent is not None:
            w = self._turning.get(self.part[body.parent.name].id, w)
        for n, joint in enumerate(body.joints):
            last = n == len(body.joints) - 1
            after = self.part[body.name] if last else self._between(body, joint)
            assert joint.before is not None and joint.after is not None
            if joint.type == "free":
                self._free(body, joint, speeds.get(joint.name))
                if joint.name in speeds:
                    self._turning[after.id] = body.frame.axes @ np.array(speeds[joint.name][3:])
                continue
            i = self.model.marker_at(after, tuple(joint.after.origin), axes=joint.after.axes)
            j = self.model.marker_at(before, tuple(joint.before.origin), axes=joint.before.axes)
            if joint.type == "ball":
                self.model.spherical(i, j, joint.name)
                if joint.name in speeds:
                    w = w + joint.after.axes @ np.array(speeds[joint.name])
                    axes = self.model.body_frame(after).axes
                    if after.cm is not None:
                        axes = axes @ self.model.find("MARKER", after.cm).frame.axes
                    after.wx, after.wy, after.wz = map(float, axes.T @ w)
                self.markers[joint.name] = i, j
                self._resist(joint, i, j, "torque")
            else:
                start = joint.start[0] if joint.name not in q else q[joint.name][0]
                speed = speeds.get(joint.name, (None,))[0]
                turns = joint.type == "hinge"
                if turns and speed is not None:
                    w = w + speed * joint.after.axes[:, 2]
                self.coordinate[joint.name] = add_coordinate(
                    self.model, joint.name, turns, i, j, joint.axle, start, speed
                )
            before = after
            self._turning[after.id] = w

    def _between(self, body: Body, joint: Joint) -> Any:
        """A part between two joints of a body."""
        part = self.part[body.name]
        mass = LIGHT * (part.mass or 1.0)
        size = max(float(np.trace(part.inertia)) / (3.0 * (part.mass or 1.0)), 1e-6)
        at = joint.after.origin if joint.after is not None else body.frame.origin
        return self.model.part(f"{body.name}.{joint.name}", mass, (mass * size,) * 3, tuple(at))

    def _free(self, body: Body, joint: Joint, speed: Any) -> None:
        part = self.part[body.name]
        i = self.model.marker_at(part, tuple(body.frame.origin), axes=body.frame.axes)
        self.markers[joint.name] = i, None
        if speed is not None:
            v, w = np.array(speed[:3]), np.array(speed[3:])
            centre = self.model.body_frame(part).origin
            if part.cm is not None:
                centre = (self.model.body_frame(part) @ self.model.find("MARKER", part.cm).frame).origin
            v = v + np.cross(body.frame.axes @ w, centre - body.frame.origin)
            part.vx, part.vy, part.vz = map(float, v)
            part.wx, part.wy, part.wz = map(float, w)
        self._resist(joint, i, None, "force")
        self._resist(joint, i, None, "torque")

    def _resist(self, joint: Joint, i: Any, j: Any, kind: str) -> None:
        """Damping and armature of a ball or free joint: loads in proportion to its rates (in axes of the part after;
        translations of a free one in ground) and to their derivatives."""
        c, a = joint.axle.damping, joint.axle.armature
        if not c and not a:
            return
        if kind == "force":
            loads = [f"-{c!r}*V{x}({i})-{a!r}*ACC{x}({i})" for x in "XYZ"]
            self.model.vforce(i, None, *loads, name=f"{joint.name} damping")
            return
        other = f"{i},{j},{i}" if j is not None else f"{i},0,{i}"
        frame = f",{j}" if j is not None else ""
        loads = [f"-{c!r}*W{x}({other})-{a!r}*WDT{x}({other}{frame})" for x in "XYZ"]
        body = None if j is None else self.model.body_of(j)
        self.model.vtorque(i, body, *loads, rm=i, name=f"{joint.name} damping turning")

    def _carry(self) -> None:
        """Forces that balance the weight of bodies with gravcomp."""
        g = np.array(self.model.gravity)
        for body in self.tree.bodies:
            if body.carried and body.mass and self.part[body.name] is not self.model.ground:
                centre = body.frame.origin + body.frame.axes @ body.centre
                marker = self.model.marker_at(self.part[body.name], tuple(centre))
                force = [repr(float(f)) for f in -body.carried * body.mass * g]
                self.model.vforce(marker, None, *force, name=f"{body.name} gravcomp")

    # ---- shapes ----------------------------------------------------------------------------------------------------
    def draw(self, which: str) -> None:
        """Shapes of geoms: those that can touch, or all."""
        for body in self.tree.bodies:
            for geom in body.geoms:
                if which == "none" or (which == "collision" and not (geom.contype or geom.conaffinity)):
                    continue
                made = self.shapes.add(body.name, self._builder(body, geom))
                if made is not None:
                    self.drawn_shapes[geom.name] = made

    def _builder(self, body: Body, geom: Geom) -> Callable[[], Any]:
        part, frame, shapes = self.part[body.name], body.frame @ geom.frame, self.shapes
        size = geom.size

        def build() -> Any:
            if geom.faults and geom.type in ("hfield",) or (geom.mesh is None and geom.type in ("sdf",)):
                raise ModelError(geom.faults[0])
            if geom.type == "plane":
                return shapes.plane(part, frame, geom.name)
            if geom.mesh is not None:
                if geom.type != "mesh":
                    raise ModelError(geom.faults[0])
                return shapes.mesh(part, geom.mesh.read(), frame, geom.name)
            if geom.type == "sphere":
                return shapes.sphere(part, size[0], frame, geom.name)
            if geom.type == "box":
                return shapes.box(part, tuple(2.0 * s for s in size), frame, geom.name)
            if geom.type == "ellipsoid":
                return shapes.ellipsoid(part, size, frame, geom.name)
            return shapes.round(geom.type, part, size[0], 2.0 * size[1], frame, geom.name)

        return build


def single(machine: Machine, node: Node, attribute: str) -> tuple[Joint, Coordinate]:
    """A joint with one coordinate that an attribute names.  Raises `ModelError` for others."""
    joint = machine.refer(node, attribute, machine.joints, "joint")
    if joint.type not in SINGLE:
        raise ModelError(f"{node.where}: joint '{joint.name}' of <{node.tag}> must be a hinge or a slide")
    return joint, machine.coordinate[joint.name]
