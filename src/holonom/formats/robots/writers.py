"""Writers of robot files: a model of rigid parts and joints as URDF, MJCF or SDF, in SI units.

The parts form a tree from ground along the joints, in the order of the model; joints that close loops are written where
the format has them.  What a format cannot express is named in one warning.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from ...model import Model, ModelError
from ...model.bodies import central_inertia
from ...model.orientation import Frame, to_quaternion
from .assembly import Axle

WORLD = "world"
FALL = (0.0, 0.0, -9.81)  # gravity of a format that does not write it
#: fields of an element that are written, or that do not change its motion; all others that are set are named in
#: the warning, so that a field that is new is named until it is written
WRITTEN = {
    "PART": "ground mass cm im ip qg reuler zg xg exact assembly_weight material solid_file",
    "JOINT": "type i j armature",
    "MOTION": "joint kind level function",
    "SWITCH": "states on transitions",
    "SPRINGDAMPER": "kind i j kt ct angle torque",
    "BUSHING": "i j k c kt ct force torque",
    "COUPLER": "joints types scales",
    # friction is written as one number: without the two that smooth it near rest
    "FRICTION": "joint mu_static mu_dynamic pin_radius force_preload torque_preload inputs "
    "stiction_transition_velocity max_stiction_deformation",
}
WORDS = {
    "icrot": "start and speed (icrot)",
    "ictran": "start and speed (ictran)",
    **{word: f"initial velocity {word}" for word in ("vx", "vy", "vz", "wx", "wy", "wz")},
}
SINGLE = {"REVOLUTE": True, "TRANSLATIONAL": False}  # type of joint -> whether its coordinate is an angle


@dataclass(eq=False)
class _Link:
    """A part; frames in ground, SI units."""

    name: str
    frame: Frame
    mass: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))  # in ground
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))  # about the centre, axes of ground
    shapes: list[tuple[str, str, tuple[float, ...], Frame, Any]] = field(default_factory=list)
    joint: _Joint | None = None  # that leads to it
    children: list[_Joint] = field(default_factory=list)


@dataclass(eq=False)
class _Joint:
    name: str
    type: str
    parent: str
    child: str
    before: Frame  # of the marker of the parent, in ground
    after: Frame  # of that of the child
    sign: float  # -1 where the child is the J part: the coordinate is that of I in J
    start: float = 0.0
    axle: Axle = field(default_factory=Axle)
    mimic: tuple[str, float] | None = None

    @property
    def axis(self) -> np.ndarray:
        """The axis in ground."""
        return self.sign * self.before.axes[:, 2]


class _Robot:
    """Links and joints of a model, and a count of the elements that are not among them."""

    def __init__(self, model: Model) -> None:
        self.model = model
        u = model.units
        self.length, self.mass, self.time = u.si_length, u.si_mass, u.si_time
        self.lost: list[str] = []
        self.done: set[tuple[str, int]] = set()
        self.links: dict[str, _Link] = {WORLD: _Link(WORLD, Frame.identity())}
        self.link_of: dict[int, _Link] = {}
        self.joints: dict[int, _Joint] = {}
        self.loops: list[_Joint] = []
        self.gravity = tuple(float(g) * self.length / self.time**2 for g in model.gravity)
        self._parts()
        self._connect()
        self._coordinates()
        self._shapes()
        self._unwritten()
        counts: Counter[str] = Counter()
        for kind, table in model._tables.items():
            if kind in ("MARKER", "PART"):
                continue
            counts.update(kind for e in table.values() if (kind, e.id) not in self.done)
        self.lost += [f"{count} {kind}" for kind, count in sorted(counts.items())]

    def _unwritten(self) -> None:
        """Name what is set in the elements that are written, and not written."""
        for kind, words in WRITTEN.items():
            known = {"id", "name", "active", "source", *words.split()}
            for e in self.model.table(kind).values():
                if (kind, e.id) not in self.done and not (kind == "PART" and e.active and not e.ground):
                    continue
                for f in dataclasses.fields(e):
                    value = getattr(e, f.name)
                    if f.name in known or value == f.default or (not f.default and not np.any(value)):
                        continue
                    self.lost.append(f"{WORDS.get(f.name, f.name)} of {kind} '{e.name}'")
                if kind == "SWITCH" and any(t.restitution for t in e.transitions):
                    self.lost.append(f"restitution of {kind} '{e.name}'")
                if kind == "FRICTION" and e.mu_static != e.mu_dynamic:
                    self.lost.append(f"mu_static of {kind} '{e.name}'")

    def si(self, frame: Frame) -> Frame:
        return Frame(self.length * np.asarray(frame.origin), np.asarray(frame.axes))

    def marker(self, id: int) -> tuple[_Link, Frame]:
        """The link of a marker, and its frame in ground."""
        marker = self.model.find("MARKER", id)
        body = self.model.body_of(marker)
        return self.link_of[body.id], self.si(self.model.body_frame(body) @ marker.frame)

    def _parts(self) -> None:
        for part in self.model.parts.values():
            if part.ground:
                self.link_of[part.id] = self.links[WORLD]
                continue
            if not part.active:
                self.lost.append(f"part '{part.name}', which is not active")
                continue
            frame = self.model.body_frame(part)
            link = _Link(part.name, self.si(frame), float(part.mass or 0.0) * self.mass)
            centre = frame if part.cm is None else frame @ self.model.find("MARKER", part.cm).frame
            link.centre = self.length * centre.origin
            if part.ip and any(part.ip):
                tensor, axes = central_inertia(self.model, part)
                turn = frame.axes @ axes
                link.inertia = self.mass * self.length**2 * turn @ tensor @ turn.T
            if link.name in self.links:
                raise ModelError(f"two parts are named '{link.name}'; robot files need names of their own")
            self.links[link.name] = self.link_of[part.id] = link

    def _connect(self) -> None:
        found = []
        for joint in self.model.table("JOINT").values():
            ends = [self.model.body_of(self.model.find("MARKER", m)) for m in (joint.i, joint.j)]
            if joint.active and all(e.id in self.link_of and e.KIND == "PART" for e in ends):
                found.append((joint, *(self.marker(m) for m in (joint.i, joint.j))))
        reached, pending = {WORLD}, list(found)
        roots = [name for name in self.links if name != WORLD]
        while pending or roots:
            known = [[end[0].name in reached for end in e[1:]] for e in pending]
            step = next((k for k, (one, two) in enumerate(known) if one != two), None)
            if step is None:
                closed = [e for e, both in zip(pending, known) if all(both)]
                for joint, (one, i), (two, j) in closed:
                    self.loops.append(_Joint(joint.name, joint.type, two.name, one.name, j, i, 1.0))
                    self.done.add(("JOINT", joint.id))
                    self.joints[joint.id] = self.loops[-1]
                pending = [e for e, both in zip(pending, known) if not all(both)]
                roots = [name for name in roots if name not in reached]
                if not roots:
                    break
                reached.add(roots[0])  # a floating base
                continue
            joint, (one, i), (two, j) = pending.pop(step)
            forward = two.name in reached  # J is the parent
            parent, child = (two, one) if forward else (one, two)
            before, after = (j, i) if forward else (i, j)
            made = _Joint(joint.name, joint.type, parent.name, child.name, before, after, 1.0 if forward else -1.0)
            child.joint = made
            parent.children.append(made)
            reached.add(child.name)
            self.joints[joint.id] = made
            self.done.add(("JOINT", joint.id))

    def _coordinates(self) -> None:
        """Start, limits, springs, dampers, friction, armature and couplers of joints with one coordinate."""
        model, force = self.model, self.mass * self.length / self.time**2
        of = {(e.i, e.j): e for e in model.table("JOINT").values() if e.id in self.joints and e.type in SINGLE}
        for e in of.values():
            made = self.joints[e.id]
            i, j = (self.marker(m)[1] for m in (e.i, e.j))
            turn = j.axes.T @ i.axes[:, 0]
            made.start = math.atan2(turn[1], turn[0]) if SINGLE[e.type] else float(j.axes[:, 2] @ (i.origin - j.origin))
        size = lambda e: 1.0 if SINGLE[e.type] else self.length
        loads: Counter[int] = Counter()  # of the springs of a joint at its coordinate 0
        for switch in model.table("SWITCH").values():
            motions = [
                m for m in model.table("MOTION").values() if m.name in (f"{switch.name}.low", f"{switch.name}.high")
            ]
            for motion in motions:
                joint = model.table("JOINT").get(motion.joint)
                if joint is None or joint.id not in self.joints or joint.type not in SINGLE:
                    continue
                limit = float(motion.function) * size(joint)
                setattr(self.joints[joint.id].axle, "lower" if motion.name.endswith(".low") else "upper", limit)
                self.done |= {("MOTION", motion.id), ("SWITCH", switch.id)}
        for spring in model.table("SPRINGDAMPER").values():
            joint = of.get((spring.i, spring.j))
            if joint is not None and spring.kind == "ROTATIONAL" and SINGLE[joint.type] and spring.active:
                axle, unit = self.joints[joint.id].axle, force * self.length
                axle.stiffness += spring.kt * unit
                axle.damping += spring.ct * unit * self.time
                loads[joint.id] += (spring.kt * spring.angle + spring.torque) * unit
                self.done.add(("SPRINGDAMPER", spring.id))
        for bushing in model.table("BUSHING").values():
            joint = of.get((bushing.i, bushing.j))
            others = (*bushing.k[:2], *bushing.kt, *bushing.c[:2], *bushing.ct, *bushing.torque, *bushing.force[:2])
            if joint is not None and not SINGLE[joint.type] and bushing.active and not any(others):
                axle = self.joints[joint.id].axle
                axle.stiffness += bushing.k[2] * force / self.length
                axle.damping += bushing.c[2] * force * self.time / self.length
                loads[joint.id] += bushing.force[2] * force
                self.done.add(("BUSHING", bushing.id))
        for number, load in loads.items():
            made = self.joints[number]
            if made.axle.stiffness:
                made.axle.rest = load / made.axle.stiffness
            elif load:
                self.lost.append(f"constant load {load:.6g} of the springs of joint '{made.name}', without stiffness")
        for friction in model.table("FRICTION").values():
            joint = model.table("JOINT").get(friction.joint)
            if (
                joint is not None
                and joint.id in self.joints
                and joint.type in SINGLE
                and friction.inputs == ("PRELOAD",)
            ):
                preload = friction.torque_preload * force * self.length, friction.force_preload * force
                self.joints[joint.id].axle.friction = friction.mu_dynamic * preload[0 if SINGLE[joint.type] else 1]
                self.done.add(("FRICTION", friction.id))
        for joint in model.joints.values():
            if joint.armature and joint.id in self.joints:
                unit = self.mass if joint.type == "TRANSLATIONAL" else self.mass * self.length**2
                self.joints[joint.id].axle.armature = joint.armature * unit
        for coupler in model.table("COUPLER").values():
            pair: list[Any] = [model.table("JOINT").get(n) for n in coupler.joints]
            if len(pair) == 2 and all(e is not None and e.id in self.joints and e.type in SINGLE for e in pair):
                one, two = (self.joints[e.id] for e in pair)
                ratio = -coupler.scales[1] / coupler.scales[0] * size(pair[0]) / size(pair[1])
                if one.mimic is None:
                    one.mimic = two.name, ratio
                    self.done.add(("COUPLER", coupler.id))

    def _shapes(self) -> None:
        for shape in self.model.table("GRAPHICS").values():
            found = self._shape(shape)
            if found is not None:
                link, kind, size, frame, mesh = found
                link.shapes.append((shape.name, kind, tuple(self.length * s for s in size), frame, mesh))
                self.done.add(("GRAPHICS", shape.id))

    def _shape(self, shape: Any) -> tuple[_Link, str, tuple[float, ...], Frame, Any] | None:
        a, kind = shape.arguments, shape.type.upper()
        number = a.get("corner" if kind == "BOX" else "cm" if kind in ("CYLINDER", "CAPSULE", "ELLIPSOID") else "rm")
        if number is None or a.get("inside") or not shape.active:
            return None
        body = self.model.body_of(self.model.find("MARKER", int(number)))
        if body.id not in self.link_of or body.KIND != "PART":
            return None
        link, frame = self.marker(int(number))
        if kind == "BOX":
            edges = (a["x"], a["y"], a["z"])
            return link, "box", edges, frame @ Frame(0.5 * self.length * np.array(edges), np.eye(3)), None
        if kind in ("CYLINDER", "CAPSULE"):
            middle = Frame(np.array((0.0, 0.0, 0.5 * self.length * a["length"])), np.eye(3))
            return link, kind.lower(), (a["radius"], a["length"]), frame @ middle, None
        if kind == "ELLIPSOID":
            axes = tuple(0.5 * a[f"{x}scale"] for x in "xyz")
            return (
                (link, "sphere", axes[:1], frame, None)
                if len(set(axes)) == 1
                else (link, "ellipsoid", axes, frame, None)
            )
        if kind == "PLANE" and "xmin" not in a:
            return link, "plane", (), frame, None
        return None


def _warn(robot: _Robot, title: str, lost: list[str], path: Any) -> None:
    if lost:
        robot.model.warn(f"'{path or title}': {title} cannot express: {', '.join(lost)}")


def _save(text: str, path: str | os.PathLike | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _row(values: Any) -> str:
    return " ".join(repr(float(v) + 0.0) for v in values)


def _relative(base: Frame, frame: Frame) -> Frame:
    return Frame(base.axes.T @ (frame.origin - base.origin), base.axes.T @ frame.axes)


def _rpy(axes: np.ndarray) -> tuple[float, float, float]:
    """Angles about the fixed x, y and z of `urdf.rotation`; roll 0 where z lies along the x axis of the base."""
    level = math.hypot(axes[0, 0], axes[1, 0])
    pitch = math.atan2(-axes[2, 0], level)
    if level < 1e-9:
        return 0.0, pitch, math.atan2(-axes[0, 1], axes[1, 1])
    return math.atan2(axes[2, 1], axes[2, 2]), pitch, math.atan2(axes[1, 0], axes[0, 0])


def _origin(frame: Frame) -> str:
    return f'<origin xyz="{_row(frame.origin)}" rpy="{_row(_rpy(frame.axes))}"/>'


def _tensor(inertia: np.ndarray) -> dict[str, float]:
    return {f"i{a}{b}": float(inertia["xyz".index(a), "xyz".index(b)]) for a, b in ("xx", "yy", "zz", "xy", "xz", "yz")}


def _starts(robot: _Robot) -> list[str]:
    return [f"start {j.start:.6g} of joint '{j.name}'" for j in robot.joints.values() if abs(j.start) > 1e-12]


# ---- URDF ------------------------------------------------------------------------------------------------------------
def write_urdf(model: Model, path: str | os.PathLike | None = None) -> str:
    """The model as a URDF in SI units, also written to ``path`` when given.

    A URDF is a tree of links with hinges, sliders, fixed, planar and floating joints; loops, springs, the start of
    joints, gravity and all that has no counterpart are named in one warning.  Raises `ModelError` for parts of equal
    names.
    """
    robot = _Robot(model)
    lost = [*robot.lost, *(f"joint '{j.name}', which closes a loop" for j in robot.loops), *_starts(robot)]
    out = ['<?xml version="1.0"?>', f"<robot name={quoteattr(model.name)}>"]
    frames = {name: link.joint.after if link.joint is not None else link.frame for name, link in robot.links.items()}
    types = {"FIXED": "fixed", "PLANAR": "planar"}
    for name, link in robot.links.items():
        out.append(f"  <link name={quoteattr(name)}>")
        if name != WORLD:
            at = frames[name].axes.T @ (link.centre - frames[name].origin)
            inertia = _tensor(frames[name].axes.T @ link.inertia @ frames[name].axes)
            words = " ".join(f'{k}="{v!r}"' for k, v in inertia.items())
            out.append(
                f'    <inertial><origin xyz="{_row(at)}"/><mass value="{link.mass!r}"/><inertia {words}/></inertial>'
            )
        for label, kind, size, frame, _ in link.shapes:
            at = _relative(frames[name], frame)
            geometry = {
                "box": lambda s: f'<box size="{_row(s)}"/>',
                "sphere": lambda s: f'<sphere radius="{s[0]!r}"/>',
                "cylinder": lambda s: f'<cylinder radius="{s[0]!r}" length="{s[1]!r}"/>',
                "capsule": lambda s: f'<capsule radius="{s[0]!r}" length="{s[1]!r}"/>',
            }.get(kind)
            if geometry is None:
                lost.append(f"shape '{label}', a {kind}")
                continue
            out.append(
                f"    <collision name={quoteattr(label)}>{_origin(at)}<geometry>{geometry(size)}</geometry></collision>"
            )
        out.append("  </link>")
    for name, link in robot.links.items():
        joint = link.joint
        if name == WORLD:
            continue
        if joint is None:
            at = link.frame
            out.append(
                f'  <joint name={quoteattr(f"{name} free")} type="floating"><parent link="{WORLD}"/><child '
                f"link={quoteattr(name)}/>{_origin(at)}</joint>"
            )
            continue
        limited = joint.axle.lower is not None or joint.axle.upper is not None
        kind = types.get(joint.type, "floating")
        if joint.type in SINGLE:
            kind = "prismatic" if not SINGLE[joint.type] else "revolute" if limited else "continuous"
        elif joint.type not in types:
            lost.append(f"joint '{joint.name}' ({joint.type}), written as floating")
        at = _relative(frames[joint.parent], joint.before)
        out.append(
            f'  <joint name={quoteattr(joint.name)} type="{kind}"><parent link={quoteattr(joint.parent)}/>'
            f"<child link={quoteattr(name)}/>{_origin(at)}"
        )
        if kind not in ("fixed", "floating"):
            out.append(f'    <axis xyz="{_row((0.0, 0.0, joint.sign))}"/>')
        axle = joint.axle
        if limited:
            low = axle.lower if axle.lower is not None else -1e9
            high = axle.upper if axle.upper is not None else 1e9
            out.append(f'    <limit lower="{low!r}" upper="{high!r}" effort="0" velocity="0"/>')
        if axle.damping or axle.friction:
            out.append(f'    <dynamics damping="{axle.damping!r}" friction="{axle.friction!r}"/>')
        if joint.mimic is not None:
            out.append(f'    <mimic joint={quoteattr(joint.mimic[0])} multiplier="{joint.mimic[1]!r}"/>')
        lost += [f"{word} of joint '{joint.name}'" for word in ("stiffness", "armature") if getattr(axle, word)]
        out.append("  </joint>")
    if robot.gravity != FALL:
        lost.append(f"gravity {_row(robot.gravity)}")
    out.append("</robot>\n")
    _warn(robot, "URDF", lost, path)
    return _save("\n".join(out), path)


# ---- MJCF ------------------------------------------------------------------------------------------------------------
def write_mjcf(model: Model, path: str | os.PathLike | None = None) -> str:
    """The model as an MJCF in SI units and radians, also written to ``path`` when given.

    Hinges, sliders, ball, cylindrical, universal, planar and free joints, springs, armature, couplers, and loops of
    ball, fixed and revolute joints are written, the start of joints as their `ref`; what has no counterpart is named in
    one warning.  Raises `ModelError` for parts of equal names.
    """
    robot = _Robot(model)
    lost = list(robot.lost)
    out = [
        f"<mujoco model={quoteattr(model.name)}>",
        '  <compiler angle="radian" autolimits="true"/>',
        f'  <option gravity="{_row(robot.gravity)}"/>',
        "  <worldbody>",
    ]

    def geoms(link: _Link, indent: str) -> None:
        for label, kind, size, frame, _ in link.shapes:
            at = _relative(link.frame, frame)
            half = {"box": tuple(0.5 * s for s in size), "cylinder": (size[0], 0.5 * size[1]) if len(size) > 1 else ()}
            half["capsule"] = half["cylinder"]
            sizes = half.get(kind, size) or (1.0, 1.0, 1.0)
            out.append(
                f'{indent}<geom name={quoteattr(label)} type="{kind}" size="{_row(sizes)}" '
                f'pos="{_row(at.origin)}" '
                f'quat="{_row(to_quaternion(at.axes))}"/>'
            )

    def single(joint: _Joint, kind: str, axis: np.ndarray, link: _Link, name: str, axle: Axle, start: float) -> None:
        at = link.frame.axes.T @ (joint.after.origin - link.frame.origin)
        words = {
            "damping": axle.damping,
            "stiffness": axle.stiffness,
            "armature": axle.armature,
            "frictionloss": axle.friction,
            "ref": start,
            "springref": axle.rest,
        }
        text = "".join(f' {k}="{v!r}"' for k, v in words.items() if v)
        if axle.lower is not None or axle.upper is not None:
            low = axle.lower if axle.lower is not None else -1e9
            text += f' range="{low!r} {axle.upper if axle.upper is not None else 1e9!r}"'
        out.append(
            f'{"    "}<joint name={quoteattr(name)} type="{kind}" pos="{_row(at)}" '
            f'axis="{_row(link.frame.axes.T @ axis)}"{text}/>'
        )

    def joints(link: _Link) -> None:
        joint = link.joint
        if joint is None:
            out.append(f"    <freejoint name={quoteattr(f'{link.name} free')}/>")
        elif joint.type in SINGLE:
            single(
                joint, "hinge" if SINGLE[joint.type] else "slide", joint.axis, link, joint.name, joint.axle, joint.start
            )
        elif joint.type == "SPHERICAL":
            single(joint, "ball", joint.axis, link, joint.name, Axle(), 0.0)
        elif joint.type == "CYLINDRICAL":
            for kind in ("slide", "hinge"):
                single(joint, kind, joint.axis, link, f"{joint.name} {kind}", Axle(), 0.0)
        elif joint.type == "UNIVERSAL":
            for n, frame in enumerate((joint.before, joint.after)):
                single(joint, "hinge", frame.axes[:, 2], link, f"{joint.name} {n + 1}", Axle(), 0.0)
        elif joint.type == "PLANAR":
            for n in (0, 1):
                single(joint, "slide", joint.before.axes[:, n], link, f"{joint.name} {'xy'[n]}", Axle(), 0.0)
            single(joint, "hinge", joint.axis, link, f"{joint.name} turn", Axle(), 0.0)
        elif joint.type != "FIXED":
            lost.append(f"joint '{joint.name}' ({joint.type}), written as fixed")

    def body(link: _Link) -> None:
        base = robot.links[link.joint.parent].frame if link.joint is not None else robot.links[WORLD].frame
        at = _relative(base, link.frame)
        out.append(
            f'    <body name={quoteattr(link.name)} pos="{_row(at.origin)}" quat="{_row(to_quaternion(at.axes))}">'
        )
        inertia = link.frame.axes.T @ link.inertia @ link.frame.axes
        six = (*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2])
        centre = link.frame.axes.T @ (link.centre - link.frame.origin)
        out.append(f'    <inertial pos="{_row(centre)}" mass="{link.mass!r}" fullinertia="{_row(six)}"/>')
        joints(link)
        geoms(link, "    ")
        for joint in link.children:
            body(robot.links[joint.child])
        out.append("    </body>")

    geoms(robot.links[WORLD], "    ")
    for link in robot.links.values():
        if link.name != WORLD and (link.joint is None or link.joint.parent == WORLD):
            body(link)
    out.append("  </worldbody>")
    equal = []
    for joint in robot.loops:
        one = robot.links[joint.child]
        bodies = f"body1={quoteattr(joint.child)} body2={quoteattr(joint.parent)}"
        if joint.type == "FIXED":
            equal.append(f"    <weld name={quoteattr(joint.name)} {bodies}/>")
        elif joint.type in ("SPHERICAL", "REVOLUTE"):
            points = [joint.after.origin]
            if joint.type == "REVOLUTE":  # two points of its axis, 0.1 m apart
                points.append(joint.after.origin + 0.1 * joint.after.axes[:, 2])
            for n, point in enumerate(points):
                at = one.frame.axes.T @ (point - one.frame.origin)
                name = joint.name + (f" {n + 1}" if n else "")
                equal.append(f'    <connect name={quoteattr(name)} {bodies} anchor="{_row(at)}"/>')
        else:
            lost.append(f"joint '{joint.name}' ({joint.type}), which closes a loop")
    for joint in robot.joints.values():
        if joint.mimic is not None:
            other = next(j for j in robot.joints.values() if j.name == joint.mimic[0])
            offset = joint.mimic[1] * other.start - joint.start
            equal.append(
                f"    <joint joint1={quoteattr(joint.name)} joint2={quoteattr(other.name)} "
                f'polycoef="{offset + 0.0!r} {joint.mimic[1]!r} 0 0 0"/>'
            )
    if equal:
        out += ["  <equality>", *equal, "  </equality>"]
    out.append("</mujoco>\n")
    _warn(robot, "MJCF", lost, path)
    return _save("\n".join(out), path)


# ---- SDF -------------------------------------------------------------------------------------------------------------
def write_sdf(model: Model, path: str | os.PathLike | None = None) -> str:
    """The model as an SDF (version 1.9) in SI units, also written to ``path`` when given.

    Links are placed as drawn, where joints have the coordinate 0: limits and springs are shifted by their start.  Loops
    are written; what has no counterpart is named in one warning.  Raises `ModelError` for parts of equal names.
    """
    robot = _Robot(model)
    lost = list(robot.lost)
    name = model.name.replace("::", "_")
    out = ['<?xml version="1.0"?>', '<sdf version="1.9">', f"  <model name={quoteattr(name)}>"]
    types = {
        "REVOLUTE": "revolute",
        "TRANSLATIONAL": "prismatic",
        "SPHERICAL": "ball",
        "FIXED": "fixed",
        "UNIVERSAL": "universal",
    }
    pose = lambda frame: f"<pose>{_row((*frame.origin, *_rpy(frame.axes)))}</pose>"
    for link in robot.links.values():
        if link.name == WORLD:
            lost += [f"shape '{shape[0]}' of ground" for shape in link.shapes]
            continue
        inertia = _tensor(link.frame.axes.T @ link.inertia @ link.frame.axes)
        words = "".join(f"<{k}>{v!r}</{k}>" for k, v in inertia.items())
        centre = _row((*(link.frame.axes.T @ (link.centre - link.frame.origin)), 0.0, 0.0, 0.0))
        out.append(
            f"    <link name={quoteattr(link.name)}>{pose(link.frame)}<inertial><pose>{centre}</pose>"
            f"<mass>{link.mass!r}</mass><inertia>{words}</inertia></inertial>"
        )
        for label, kind, size, frame, _ in link.shapes:
            sizes = {"box": ("size",), "sphere": ("radius",), "ellipsoid": ("radii",), "plane": ()}
            tags = sizes.get(kind, ("radius", "length"))
            whole = len(tags) == 1
            inner = "".join(f"<{t}>{_row(size) if whole else repr(size[n])}</{t}>" for n, t in enumerate(tags))
            out.append(
                f"      <collision name={quoteattr(label)}>{pose(_relative(link.frame, frame))}<geometry>"
                f"<{kind}>{inner}</{kind}></geometry></collision>"
            )
        out.append("    </link>")
    for joint in [*(j for j in robot.joints.values() if j not in robot.loops), *robot.loops]:
        if joint.type not in types:
            lost.append(f"joint '{joint.name}' ({joint.type})")
            continue
        child = robot.links[joint.child]
        out.append(
            f'    <joint name={quoteattr(joint.name)} type="{types[joint.type]}">'
            f"{pose(_relative(child.frame, joint.after))}<parent>{escape(joint.parent)}</parent>"
            f"<child>{escape(joint.child)}</child>"
        )
        if joint.type in SINGLE:
            out.append(_sdf_axis(robot, joint))
            if joint.axle.armature:
                lost.append(f"armature of joint '{joint.name}'")
        if joint.type == "UNIVERSAL":
            for tag, frame in (("axis", joint.before), ("axis2", joint.after)):
                xyz = _row(joint.after.axes.T @ frame.axes[:, 2])
                out.append(f"      <{tag}><xyz>{xyz}</xyz></{tag}>")
        out.append("    </joint>")
    if robot.gravity != FALL:
        lost.append(f"gravity {_row(robot.gravity)}")
    out.append("  </model>\n</sdf>\n")
    _warn(robot, "SDF", lost, path)
    return _save("\n".join(out), path)


def _sdf_axis(robot: _Robot, joint: _Joint) -> str:
    axle = joint.axle
    text = f"      <axis><xyz>{_row(joint.after.axes.T @ joint.axis)}</xyz>"
    if axle.lower is not None or axle.upper is not None:
        low = -math.inf if axle.lower is None else axle.lower - joint.start
        high = math.inf if axle.upper is None else axle.upper - joint.start
        text += f"<limit><lower>{low!r}</lower><upper>{high!r}</upper></limit>"
    words = {
        "damping": axle.damping,
        "friction": axle.friction,
        "spring_stiffness": axle.stiffness,
        "spring_reference": axle.rest - joint.start if axle.stiffness else 0.0,
    }
    inner = "".join(f"<{k}>{v!r}</{k}>" for k, v in words.items() if v)
    text += f"<dynamics>{inner}</dynamics>" if inner else ""
    if joint.mimic is not None:
        other, factor = joint.mimic
        offset = factor * next(j.start for j in robot.joints.values() if j.name == other) - joint.start
        text += (
            f"<mimic joint={quoteattr(other)}><multiplier>{factor!r}</multiplier><offset>{offset!r}</offset></mimic>"
        )
    return text + "</axis>"
