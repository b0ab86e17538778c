"""`read_mjcf`: bodies, joints, geoms, tendons, equalities, actuators, sensors of MuJoCo's own format, in SI units."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....model import Model, ModelError
from ....model.base import close_word, shown
from ....model.xml_tree import Node, unread
from ..assembly import Shapes, doubts_of, start_of
from .bodies import COORDINATES, FREEDOMS, SINGLE, Tree, place, read_tree, split, within
from .contacts import add_contacts
from .geoms import read_meshes
from .loads import add_actuators, add_equalities, add_tendons, dependent
from .machine import Machine
from .sensors import add_sensors
from .settings import Settings
from .source import Classes, read_source, replicate

SHAPES = ("collision", "visual", "none")
SOME = 12  # of the reports of one reading


def read_mjcf(
    path: str | Path,
    *,
    positions: Mapping[str, float] | None = None,
    keyframe: str | int | None = None,
    gravity: Any = None,
    shapes: str = "collision",
    contacts: bool = True,
    root: str | Path | None = None,
) -> Model:
    """Model of a robot file of MuJoCo (MJCF), in SI units.

    ``positions``: joint -> angle (rad) or travel (m) at the start, by default those of the drawing, or the nearest
    limit where they are beyond it, with a warning.  ``keyframe``: name or number of a <key>, whose coordinates, rates
    and controls are those of the start.  ``gravity``: m/s^2, in place of that of the file.  ``shapes``: "collision"
    draws geoms that can touch, "visual" all, "none" no geom and no contact.  ``contacts``: whether the contacts of the
    file are added.  ``root``: the folder that meshes and included files must lie in (default: two folders above the
    file).

    Several joints of one body have parts between them, with 1e-10 of its mass.  Limits are rigid stops, equalities
    exact constraints; an actuator is an input and a variable of its force, both with its name, a sensor a request.
    Contacts are springs and dampers: `holonom.formats.robots.mjcf.contacts` has the equations.  What has no
    counterpart is named in one warning.  Raises `ModelError` with file and line for what cannot be read.

        model = hn.read_mjcf("humanoid.xml", contacts=False)
        run = hn.simulate(model, end=1.0, steps=100)
    """
    path = Path(path)
    if shapes not in SHAPES:
        raise ModelError(f"shapes is {shown(shapes)}; give 'collision', 'visual' or 'none'")
    above = path.resolve().parents
    folder = Path(root) if root is not None else above[min(2, len(above) - 1)]
    file = read_source(path, folder)
    model = Model(file.get("model") or path.stem)
    model.path = str(path)
    replicate(file)
    settings = Settings.of(file)
    classes = Classes(file)
    gravity = settings.gravity if gravity is None else gravity
    model.gravity = (0.0, 0.0, 0.0) if "gravity" in settings.off else gravity
    meshes = read_meshes(file, classes, settings, path, folder)
    tree = read_tree(file, classes, settings, meshes)
    place(tree, {joint.name: (joint.axle.rest,) for joint in tree.joints if joint.type in SINGLE})
    for body in tree.bodies:
        body.sprung = body.frame
    place(tree, {})
    for body in tree.bodies:
        body.drawn = body.frame
    q, speeds, controls, beyond = _start(path, file, tree, positions or {}, keyframe)
    dependent({joint.name: joint for joint in tree.joints}, file.all("equality"), classes, q)
    beyond += _limited(path, tree, q)
    place(tree, q)
    machine = Machine(model, tree, Shapes(model, path, root, convex=True))
    machine.build(q, speeds)
    machine.draw(shapes)
    add_tendons(machine, file.all("tendon"), classes)
    add_equalities(machine, file.all("equality"), classes)
    add_actuators(machine, file.all("actuator"), classes, controls)
    add_sensors(machine, file.all("sensor"))
    wanted = contacts and shapes != "none" and "contact" not in settings.off
    if wanted:
        add_contacts(machine, file.all("contact"), classes)
    _report(model, path, machine, settings, beyond, file)
    return model


def _start(path: Path, file: Node, tree: Tree, given: Mapping[str, float], keyframe: str | int | None):
    """Coordinates and rates of joints at the start, controls, and sentences."""
    q: dict[str, Any] = {}
    speeds: dict[str, Any] = {}
    controls: dict[int, float] = {}
    keys = [key for part in file.all("keyframe") for key in part.all("key")]
    names = [key.get("name") or str(n) for n, key in enumerate(keys)]
    if keyframe is not None:
        at = keyframe if isinstance(keyframe, int) else names.index(keyframe) if keyframe in names else -1
        if not 0 <= at < len(keys):
            meant = close_word(str(keyframe), names)
            raise ModelError(
                f"'{path}': there is no keyframe {shown(keyframe)}; "
                + (f"did you mean '{meant}'?" if meant else f"it has {', '.join(names) or 'none'}")
            )
        key = keys[at]
        key.get("time")
        for word, sizes, into in (("qpos", COORDINATES, q), ("qvel", FREEDOMS, speeds)):
            count = sum(sizes[joint.type] for joint in tree.joints)
            if key.get(word) is not None:
                into.update(split(tree, key.numbers(word, count), sizes))
        if key.get("ctrl") is not None:
            controls = dict(enumerate(key.row("ctrl", 1, 10_000)))
    else:
        for key in keys:  # known, and not chosen
            key.taken.update(("time", "qpos", "qvel", "ctrl"))
    joints = {joint.name: joint for joint in tree.joints}
    starts: dict[str, float] = {}
    for name, value in given.items():
        joint = joints.get(name)
        if joint is None or joint.type not in SINGLE:
            meant = close_word(name, [j.name for j in joints.values() if j.type in SINGLE])
            raise ModelError(
                f"positions has '{name}', which is no joint with one coordinate"
                + (f"; did you mean '{meant}'?" if meant else "")
            )
        turns = joint.type == "hinge"
        starts[name] = start_of(name, value, turns, joint.axle.lower, joint.axle.upper)
        q[name] = (starts[name],)
    return q, speeds, controls, doubts_of({name: x for name, x in starts.items() if joints[name].type == "hinge"})


def _limited(path: Path, tree: Tree, q: dict[str, Any]) -> list[str]:
    """Move the coordinates of joints that are beyond their limits to the nearest one."""
    out = []
    for joint in tree.joints:
        if joint.type in SINGLE and joint.name not in q and within(joint) != joint.ref:
            q[joint.name] = (within(joint),)
            out.append(
                f"'{path}': joint '{joint.name}' starts at {q[joint.name][0]:g}, its limit, since {joint.ref:g} is "
                "beyond it; give another value by positions="
            )
    return out


def _report(model: Model, path: Path, machine: Machine, settings: Settings, beyond: list[str], file: Node) -> None:
    faults = [fault for body in machine.tree.bodies for fault in body.faults] + machine.faults
    shape_faults = {reason for reason in machine.shapes.lost}
    faults += [
        fault
        for body in machine.tree.bodies
        for geom in body.geoms
        for fault in geom.faults
        if fault not in shape_faults
    ]
    if settings.fluids:
        faults.append(f"forces of the fluid ({', '.join(dict.fromkeys(settings.fluids))}) are not modelled")
    for text in beyond + machine.shapes.report():
        model.warn(text)
    if faults:
        more = f"; and {len(faults) - SOME} more" if len(faults) > SOME else ""
        model.warn(f"'{path}': {'; '.join(faults[:SOME])}{more}")
    left = unread(file)
    if left:
        model.warn(f"'{path}': not read, without effect: {', '.join(left)}")
