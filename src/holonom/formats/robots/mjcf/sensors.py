"""Sensors of an MJCF file as requests, each with the name of its sensor, its components from F2."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....model.orientation import Frame
from ....model.xml_tree import Node
from .machine import Machine

#: sensors of a site: kind -> functions of the marker of the site
AT_SITE = {
    "gyro": ("W{x}({m},0,{m})",),
    "velocimeter": ("V{x}({m},0,{m})",),
}
TYPES = ("body", "xbody", "geom", "site")
KEPT = ("user", "noise")


def add_sensors(machine: Machine, nodes: list[Node]) -> None:
    number = 0
    for part in nodes:
        for node in part.children:
            name = node.attributes.get("name") or f"{node.tag} {number + 1}"
            number += 1
            functions = _functions(machine, node)
            if functions is None:
                continue
            node.read = True
            node.get("name")
            for word in KEPT:
                node.get(word)
            machine.model.request(name, functions=functions)


def _functions(machine: Machine, node: Node) -> list[str] | None:
    """Expressions of a sensor; None for one without."""
    kind = node.tag
    if kind == "clock":
        return ["TIME"]
    if kind in ("jointpos", "jointvel", "jointactuatorfrc"):
        joint = machine.refer(node, "joint", machine.joints, "joint")
        q = machine.coordinate.get(joint.name)
        if q is None or kind == "jointactuatorfrc":
            return None
        return [q.position if kind == "jointpos" else q.rate]
    if kind in ("tendonpos", "tendonvel"):
        path = machine.refer(node, "tendon", machine.paths, "tendon")
        return [path.length if kind == "tendonpos" else path.rate]
    if kind in ("actuatorpos", "actuatorvel", "actuatorfrc"):
        name = node.word("actuator")
        if name not in machine.actuators:
            return None
        force, path, _ = machine.actuators[name]
        return [{"actuatorpos": path.length, "actuatorvel": path.rate}.get(kind, f"VARVAL({force.id})")]
    if kind in AT_SITE:
        machine.refer(node, "site", machine.sites, "site")
        m = machine.site_marker(node.word("site"))
        return [text.format(x=x, m=m) for text in AT_SITE[kind] for x in "XYZ"]
    if kind == "ballangvel":
        joint = machine.refer(node, "joint", machine.joints, "joint")
        if joint.type != "ball":
            return None
        i, j = machine.markers[joint.name]
        return [f"W{x}({i},{j},{i})" for x in "XYZ"]
    if kind in ("framepos", "framelinvel", "frameangvel", "framelinacc", "frameangacc"):
        m = _object(machine, node, "objtype", "objname")
        if m is None:
            return None
        r = "0"
        if node.attributes.get("reftype"):
            found = _object(machine, node, "reftype", "refname")
            if found is None:
                return None
            r = f"{found}"  # its number
        word = {"framepos": "D", "framelinvel": "V", "frameangvel": "W", "framelinacc": "ACC", "frameangacc": "WDT"}
        base = f"{m},{r},{r}" if kind == "framepos" else f"{m},{r},{r},{r}"
        if kind == "frameangvel":
            base = f"{m},{r},{r}"
        return [f"{word[kind]}{x}({base})" for x in "XYZ"]
    return None


def _object(machine: Machine, node: Node, kind: str, name: str) -> Any:
    """The marker of a body (at its centre of mass), xbody, geom or site; None for others."""
    if node.attributes.get(kind) not in TYPES:
        return None
    what = node.get(kind)
    if what == "site":
        machine.refer(node, name, machine.sites, "site")
        return machine.site_marker(node.word(name))
    if what == "geom":
        body, geom = machine.refer(node, name, machine.geoms, "geom")
        return machine.marker(body, body.frame @ geom.frame)
    body = machine.refer(node, name, machine.bodies, "body")
    frame = body.frame
    return machine.marker(body, frame @ Frame(body.centre, np.eye(3)) if what == "body" else frame)
