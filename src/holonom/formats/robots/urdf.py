"""URDF: a tree of links and joints, in metres, kilograms, seconds and radians.

A link has its frame in the joint that leads to it.  Links that fixed joints connect are one rigid body here: masses,
centres and inertias are added, and every link keeps a marker with its name in its frame.  Joints:

=====================  ================================  ==============================================================
URDF                   here                              coordinate
=====================  ================================  ==============================================================
revolute, continuous   `Model.revolute`, with stops      angle about the axis, of the child relative to the parent
prismatic              `Model.translational`, stops      travel along the axis
floating               none                              six freedoms
planar                 `Model.planar`                    in the plane across the axis
fixed                  one body                          none
mimic                  `Model.coupler`, or with an       q = multiplier q_other + offset
                       offset `Model.constraint`
=====================  ================================  ==============================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...model import Model, ModelError
from ...model.base import close_word, shown
from ...model.orientation import Frame, turned
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
    sound_inertia,
    start_of,
)

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
TURNS = ("revolute", "continuous")
#: tags and attributes without influence on the motion: pictures, and what only simulators of one make read
PICTURES = ("material",)
KNOWN = {  # attributes and children of elements that have no effect where they stand
    "visual": ("name", "origin geometry material"),
    "collision": ("name", "origin geometry"),
    "origin": ("xyz rpy", ""),
    "geometry": ("", "box cylinder sphere capsule mesh"),
    "box": ("size", ""),
    "cylinder": ("radius length", ""),
    "sphere": ("radius", ""),
    "capsule": ("radius length", ""),
    "mesh": ("filename scale", ""),
    "material": ("name", "color texture"),
    "color": ("rgba", ""),
    "texture": ("filename", ""),
    "axis": ("xyz", ""),
}
BASES = ("fixed", "free")
WORLD = "world"  # the link that is ground


@dataclass
class Body:
    """Mass, centre and inertia about the centre in the axes of a link (or of ground)."""

    mass: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass
class Link:
    name: str
    node: Node
    body: Body
    shapes: list[Node]
    joint: Joint | None = None  # that leads to it
    children: list[Joint] = field(default_factory=list)
    R: np.ndarray = field(default_factory=lambda: np.eye(3))  # axes and origin in ground
    p: np.ndarray = field(default_factory=lambda: np.zeros(3))


@dataclass
class Joint:
    name: str
    node: Node
    type: str
    parent: str
    child: str
    R: np.ndarray
    p: np.ndarray
    axis: np.ndarray
    lower: float | None = None
    upper: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    mimic: tuple[str, float, float] | None = None
    boundless: bool = False  # its limits are missing or equal


def rotation(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Axes of angles about the fixed x, y and z, in this order: R = R_z(yaw) R_y(pitch) R_x(roll)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_euler("xyz", (roll, pitch, yaw)).as_matrix()


def read_urdf(
    path: str | Path,
    *,
    base: str = "fixed",
    position: Any = (0.0, 0.0, 0.0),
    positions: Mapping[str, float] | None = None,
    gravity: Any = (0.0, 0.0, -9.81),
    shapes: str = "collision",
    root: str | Path | None = None,
) -> Model:
    """Model of a robot file (URDF), in SI units.

    ``base``: "fixed" attaches the link without a parent to ground, "free" lets it move; a link "world" and a base
    without mass are ground always.  ``position``: where the frame of that link lies.  ``positions``: joint -> angle
    (rad) or travel (m) at the start, default 0, or the nearest limit where 0 is beyond it, with a warning.
    ``gravity``: m/s^2; a URDF has none of its own.  ``shapes``: "collision", "visual" or "none", drawn and ready for
    contacts, of which a URDF defines none; meshes of collision count by their convex hull.  ``root``: the folder that
    mesh files must lie in, and below which ``package://`` is searched (default: two folders above the file).

    Damping acts as a damper, friction as a joint friction of constant force or torque, limits as stops, ``mimic`` as a
    coupler.  What has no counterpart (effort and velocity limits, transmissions, sensors, extensions of one program)
    is named in one warning.  Raises `ModelError` with file and line for what cannot be read: several roots, cycles,
    links and joints that do not exist, negative masses, moments of inertia that are missing, an axis of
    zero length.

        model = hn.read_urdf("panda.urdf", positions={"panda_joint4": -1.5})
        run = hn.simulate(model, end=1.0, steps=100)
    """
    path = Path(path)
    if base not in BASES:
        raise ModelError(f"base is {shown(base)}; give 'fixed' or 'free'")
    if shapes not in ("collision", "visual", "none"):
        raise ModelError(f"shapes is {shown(shapes)}; give 'collision', 'visual' or 'none'")
    tree = read_xml(path, "robot", "a robot file is not")
    model = Model(tree.get("name") or path.stem)
    model.path = str(path)
    model.gravity = gravity
    tree.get("version")
    if any(node.tag.startswith("xacro:") for node in tree.children):
        raise ModelError(f"'{path}': it has xacro macros; convert it to a URDF by the program 'xacro'")
    for tag in PICTURES:
        for node in tree.all(tag):
            node.skip(KNOWN)
    doubts: list[str] = []
    links = _links(tree, shapes, doubts)
    joints = _joints(tree, links)
    top = _tree(tree, links, joints)
    q, beyond = _start(path, joints, positions or {})
    top.p = np.array([float(x) for x in position])
    order = _place(top, links, q)
    held = top.name == WORLD or base == "fixed" or not _weight(top, links)
    groups = _groups(order, links)
    bodies = {}
    for head, members in groups.items():
        ground = head == top.name and held
        bodies[head] = model.ground if ground else _part(model, links[head], [links[m] for m in members])
        for m in members:
            model.marker_at(bodies[head], tuple(links[m].p), axes=links[m].R, name=m)
    of = {m: bodies[head] for head, members in groups.items() for m in members}
    made = {
        j.name: _joint(model, j, of, links, q.get(j.name, 0.0))
        for j in joints.values()
        if j.type not in ("fixed", "floating")
    }
    for j in joints.values():
        if j.mimic is not None:
            _mimic(model, j, made)
    drawn = Shapes(model, path, root, convex=shapes == "collision")
    _shapes(drawn, order, of, shapes)
    free = [f"'{j.name}'" for j in joints.values() if j.boundless]
    if free:
        beyond.append(
            f"'{path}': joint{'s' * (len(free) > 1)} {', '.join(free)} without limits: they are missing or equal"
        )
    beyond += angles_in_degrees(tree, lambda node: (node.attributes.get("rpy") or "").split())
    for text in doubts + beyond + drawn.report():
        model.warn(text)
    left = unread(tree)
    if left:
        model.warn(f"'{path}': not read, without effect: {', '.join(left)}")
    return model


# ---- the file --------------------------------------------------------------------------------------------------------
def _origin(node: Node) -> tuple[np.ndarray, np.ndarray]:
    """Axes and place of the <origin> of an element."""
    origin = node.one("origin")
    if origin is None:
        return np.eye(3), np.zeros(3)
    R = rotation(*origin.numbers("rpy", 3, (0.0, 0.0, 0.0)))
    return R, np.array(origin.numbers("xyz", 3, (0.0, 0.0, 0.0)))


MOMENTS, PRODUCTS = ("ixx", "iyy", "izz"), ("ixy", "ixz", "iyz")


def _links(tree: Node, shapes: str, doubts: list[str]) -> dict[str, Link]:
    """Links by name; ``doubts`` receives a sentence for each whose inertia is not complete."""
    links: dict[str, Link] = {}
    for node in tree.all("link"):
        name = node.word("name")
        if name in links:
            raise ModelError(f"{node.where}: a second link '{name}'; names of links are unique")
        body = Body()
        inertial = node.one("inertial")
        if inertial is not None:
            R, p = _origin(inertial)
            mass, inertia = inertial.one("mass"), inertial.one("inertia")
            if mass is None:
                raise ModelError(f"{inertial.where}: <inertial> of link '{name}' has no <mass>")
            body = Body(mass.number("value"), p, np.zeros((3, 3)))
            if body.mass < 0.0:
                raise ModelError(f"{mass.where}: the mass of link '{name}' is {body.mass:g} kg; give a positive one")
            if inertia is None:
                doubts.append(
                    f"{inertial.where}: <inertial> of link '{name}' has no <inertia>; its moments of inertia are 0"
                )
            else:
                lacking = [k for k in MOMENTS if inertia.get(k) is None]
                if lacking:
                    raise ModelError(
                        f"{inertia.where}: <inertia> of link '{name}' has no {', '.join(lacking)}; give all "
                        "three moments"
                    )
                lacking = [k for k in PRODUCTS if inertia.get(k) is None]
                if lacking:
                    doubts.append(
                        f"{inertia.where}: <inertia> of link '{name}' has no {', '.join(lacking)}, taken as 0"
                    )
                xx, yy, zz, xy, xz, yz = (inertia.number(k, 0.0) for k in (*MOMENTS, *PRODUCTS))
                body.inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
                body.inertia = sound_inertia(inertia.where, name, body.inertia, body.mass, doubts)
        for kind in ("visual", "collision"):
            if kind != shapes:
                for shape in node.all(kind):
                    shape.skip(KNOWN)
        links[name] = Link(name, node, body, [] if shapes == "none" else node.all(shapes))
    if not links:
        raise ModelError(f"{tree.where}: the robot has no link")
    return links


def _joints(tree: Node, links: dict[str, Link]) -> dict[str, Joint]:
    joints: dict[str, Joint] = {}
    for node in tree.all("joint"):
        name, kind = node.word("name"), node.word("type")
        if name in joints:
            raise ModelError(f"{node.where}: a second joint '{name}'; names of joints are unique")
        if kind not in TYPES:
            meant = close_word(kind, TYPES)
            raise ModelError(
                f"{node.where}: the type of joint '{name}' is {shown(kind)}; "
                + (f"did you mean {meant}?" if meant else f"choose from {', '.join(TYPES)}")
            )
        ends = []
        for end in ("parent", "child"):
            found = node.one(end)
            if found is None:
                raise ModelError(f"{node.where}: joint '{name}' has no <{end}>")
            link = found.word("link")
            if link == WORLD and end == "parent" and link not in links:  # as some programs have it
                links[link] = Link(link, found, Body(), [])
            if link not in links:
                meant = close_word(link, links)
                raise ModelError(
                    f"{found.where}: the {end} of joint '{name}' is '{link}', which is no link"
                    + (f"; did you mean '{meant}'?" if meant else "")
                )
            ends.append(link)
        R, p = _origin(node)
        joint = Joint(name, node, kind, ends[0], ends[1], R, p, np.array([1.0, 0.0, 0.0]))
        axis = node.one("axis")
        if axis is not None and kind not in ("fixed", "floating"):
            given = np.array(axis.numbers("xyz", 3, (1.0, 0.0, 0.0)))
            size = float(np.linalg.norm(given))
            if size == 0.0:
                raise ModelError(f"{axis.where}: the axis of joint '{name}' has no length; give a direction")
            joint.axis = given / size
        elif axis is not None:
            axis.skip(KNOWN)
        limit = node.one("limit")
        if limit is not None and kind in ("revolute", "prismatic"):
            lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
            if lower > upper:
                raise ModelError(
                    f"{limit.where}: the limits of joint '{name}' are {lower:g} and {upper:g}; the lower one must not "
                    "be above the upper one"
                )
            if lower < upper:
                joint.lower, joint.upper = lower, upper
            else:
                joint.boundless = True
        elif limit is None and kind in ("revolute", "prismatic"):
            joint.boundless = True
        dynamics = node.one("dynamics")
        if dynamics is not None:
            joint.damping, joint.friction = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
            for word, value in (("damping", joint.damping), ("friction", joint.friction)):
                if value < 0.0:
                    raise ModelError(f"{dynamics.where}: {word} of joint '{name}' is {value:g}; give 0 or more")
        mimic = node.one("mimic")
        if mimic is not None:
            joint.mimic = mimic.word("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
        joints[name] = joint
    for joint in joints.values():
        if joint.mimic is not None and joint.mimic[0] not in joints:
            meant = close_word(joint.mimic[0], joints)
            raise ModelError(
                f"{joint.node.where}: joint '{joint.name}' mimics '{joint.mimic[0]}', which is no joint"
                + (f"; did you mean '{meant}'?" if meant else "")
            )
    return joints


def _tree(tree: Node, links: dict[str, Link], joints: dict[str, Joint]) -> Link:
    """The link without a parent; joints are put to their links."""
    for joint in joints.values():
        child = links[joint.child]
        if child.joint is not None:
            raise ModelError(
                f"{joint.node.where}: link '{joint.child}' is the child of '{child.joint.name}' and of '{joint.name}'; "
                "a URDF is a tree, so close the loop by a joint of the model that was read"
            )
        child.joint = joint
        links[joint.parent].children.append(joint)
    tops = [link for link in links.values() if link.joint is None]
    if not tops:
        raise ModelError(f"{tree.where}: every link has a parent, so that the joints form a cycle")
    if len(tops) > 1:
        names = ", ".join(f"'{link.name}'" for link in tops)
        raise ModelError(f"{tops[1].node.where}: the links {names} have no parent; a robot has one root")
    reached = [tops[0]]
    for link in reached:
        reached += [links[joint.child] for joint in link.children]
    if len(reached) < len(links):
        lost = next(link for link in links.values() if link not in reached)
        raise ModelError(f"{lost.node.where}: link '{lost.name}' is not connected to the root; its joints form a cycle")
    return tops[0]


# ---- places ----------------------------------------------------------------------------------------------------------
def _start(path: Path, joints: dict[str, Joint], given: Mapping[str, float]) -> tuple[dict[str, float], list[str]]:
    """Coordinate of each joint at the start, and sentences about those that limits moved."""
    q: dict[str, float] = {}
    beyond = []
    for name, value in given.items():
        joint = joints.get(name)
        if joint is None or joint.type not in (*TURNS, "prismatic"):
            meant = close_word(name, [j.name for j in joints.values() if j.type in (*TURNS, "prismatic")])
            raise ModelError(
                f"positions has '{name}', which is no joint with one coordinate"
                + (f"; did you mean '{meant}'?" if meant else "")
            )
        q[name] = start_of(name, value, joint.type in TURNS, joint.lower, joint.upper)
    beyond += doubts_of({name: q[name] for name in q if joints[name].type in TURNS})
    for name, joint in joints.items():
        if name not in q and joint.mimic is None:
            q[name] = 0.0
            if joint.lower is not None and joint.upper is not None:
                q[name] = min(max(0.0, joint.lower), joint.upper)
            if q[name] != 0.0:
                beyond.append(
                    f"'{path}': joint '{name}' starts at {q[name]:g}, its limit, since 0 is beyond it; give another "
                    "value by positions="
                )
    pending = [j for j in joints.values() if j.mimic is not None and j.name not in q]
    while pending:
        ready = [j for j in pending if j.mimic and j.mimic[0] in q]
        if not ready:
            raise ModelError(f"{pending[0].node.where}: joint '{pending[0].name}' mimics itself by way of others")
        for j in ready:
            other, multiplier, offset = j.mimic  # type: ignore[misc]
            q[j.name] = multiplier * q[other] + offset
        pending = [j for j in pending if j.name not in q]
    return q, beyond


def _place(top: Link, links: dict[str, Link], q: dict[str, float]) -> list[Link]:
    """Frames of all links in ground; the links, parents first."""
    order = [top]
    for link in order:
        for joint in link.children:
            child = links[joint.child]
            child.R, child.p = link.R @ joint.R, link.p + link.R @ joint.p
            if joint.type in TURNS:
                child.R = child.R @ turned(joint.axis, q[joint.name])
            elif joint.type == "prismatic":
                child.p = child.p + child.R @ joint.axis * q[joint.name]
            order.append(child)
    return order


def _weight(top: Link, links: dict[str, Link]) -> float:
    """Mass of the links that fixed joints connect with the root."""
    mass, rest = 0.0, [top]
    for link in rest:
        mass += link.body.mass
        rest += [links[j.child] for j in link.children if j.type == "fixed"]
    return mass


def _groups(order: list[Link], links: dict[str, Link]) -> dict[str, list[str]]:
    """Names of links that are one rigid body, by the first of them."""
    head: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    for link in order:
        fixed = link.joint is not None and link.joint.type == "fixed"
        head[link.name] = head[link.joint.parent] if fixed and link.joint else link.name
        groups.setdefault(head[link.name], []).append(link.name)
    return groups


# ---- the model -------------------------------------------------------------------------------------------------------
def _part(model: Model, head: Link, members: list[Link]):
    """The rigid body of some links: mass, centre and inertia of all about the common centre."""
    bodies = [
        (link.body.mass, link.p + link.R @ link.body.centre, link.R @ link.body.inertia @ link.R.T) for link in members
    ]
    return add_part(model, head.name, bodies, Frame(head.p, head.R))


def _joint(model: Model, joint: Joint, of: dict[str, Any], links: dict[str, Link], start: float):
    """The joint between the bodies of its links, its z axis along the axis of the file, with damper, friction and
    stops."""
    child, parent = links[joint.child], links[joint.parent]
    seat = parent.R @ joint.R  # axes of the joint at coordinate 0
    frame = axis_frame(joint.axis)
    at_parent = parent.p + parent.R @ joint.p
    i = model.marker_at(of[joint.child], tuple(child.p), axes=child.R @ frame)
    j = model.marker_at(of[joint.parent], tuple(at_parent), axes=seat @ frame)
    if joint.type == "planar":
        return model.planar(i, j, joint.name)
    axle = Axle(joint.lower, joint.upper, joint.damping, friction=joint.friction)
    return add_coordinate(model, joint.name, joint.type in TURNS, i, j, axle, start)


def _mimic(model: Model, joint: Joint, made: dict[str, Any]) -> None:
    """q = multiplier q_other + offset."""
    other, multiplier, offset = joint.mimic  # type: ignore[misc]
    if joint.type == "fixed":
        model.warn(f"{joint.node.where}: joint '{joint.name}' is fixed; its <mimic> of '{other}' has no effect")
        return
    if not isinstance(made.get(joint.name), Coordinate) or not isinstance(made.get(other), Coordinate):
        raise ModelError(f"{joint.node.where}: joint '{joint.name}' mimics '{other}'; both must have one coordinate")
    couple(model, made[joint.name], made[other], multiplier, offset, f"{joint.name} mimic")


# ---- shapes ----------------------------------------------------------------------------------------------------------
def _shapes(shapes: Shapes, order: list[Link], of: dict[str, Any], kind: str) -> None:
    """Add the shapes of all links."""
    for link in order:
        for n, node in enumerate(link.shapes):
            R, p = _origin(node)
            name = node.get("name") or f"{link.name} {kind}" + (f" {n + 1}" if len(link.shapes) > 1 else "")
            for tag in PICTURES:
                for picture in node.all(tag):
                    picture.skip(KNOWN)
            geometry = node.one("geometry")
            if geometry is None or len(geometry.children) != 1:
                raise ModelError(f"{node.where}: <{kind}> of link '{link.name}' must have one shape in <geometry>")
            frame = Frame(link.p + link.R @ p, link.R @ R)
            shapes.add(link.name, _shape(shapes, of[link.name], geometry.children[0], frame, name))


def _shape(shapes: Shapes, body: Any, node: Node, frame: Frame, name: str) -> Callable[[], Any]:
    """What adds the shape.  The numbers of the file are read before."""
    node.read = True
    if node.tag == "box":
        size = node.numbers("size", 3)
        return lambda: shapes.box(body, size, frame, name)
    if node.tag == "sphere":
        radius = node.number("radius")
        return lambda: shapes.sphere(body, radius, frame, name)
    if node.tag in ("cylinder", "capsule"):
        length, radius = node.number("length"), node.number("radius")
        return lambda: shapes.round(node.tag, body, radius, length, frame, name)
    if node.tag == "mesh":
        scale, file = node.numbers("scale", 3, (1.0, 1.0, 1.0)), node.word("filename")
        return lambda: shapes.mesh(body, shapes.file(file), frame, name, scale)
    raise ModelError(f"{node.where}: <{node.tag}> is not a shape; give box, cylinder, sphere, capsule or mesh")
