"""Tendons, equalities and actuators of an MJCF file."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....model import ModelError
from ....model.orientation import Frame, from_quaternion
from ....model.xml_tree import Node
from ..assembly import couple
from .bodies import Joint
from .machine import Machine, Path, single
from .source import ACTUATORS, Classes, Styled

PICTURES = ("rgba", "material", "width", "group", "user")
#: stiffness of a tendon's limit where it is not that of solreflimit
SOLREF = (0.02, 1.0)


def clamp(text: str, limits: tuple[float, float] | None) -> str:
    """An expression within limits."""
    return text if limits is None else f"MIN({limits[1]!r},MAX({limits[0]!r},{text}))"


def limits_of(machine: Machine, node: Node, word: str, name: str) -> tuple[float, float] | None:
    acts = node.choice(word, ("true", "false", "auto"), "auto")
    if node.get(name) is None:
        return None
    low, high = node.numbers(name, 2)
    return (low, high) if acts == "true" or (acts == "auto" and machine.tree.settings.autolimits) else None


# ---- tendons ---------------------------------------------------------------------------------------------------------
def add_tendons(machine: Machine, nodes: list[Node], classes: Classes) -> None:
    for part in nodes:
        for n, raw in enumerate(part.all("fixed", "spatial")):
            node = classes.style(raw, tags=("tendon",))
            name = node.get("name") or f"tendon {n + 1}"
            if name in machine.paths:
                raise ModelError(f"{node.where}: a second tendon '{name}'; names of tendons are unique")
            for word in PICTURES:
                node.get(word)
            path = _fixed(machine, node, name) if node.tag == "fixed" else _spatial(machine, node, name)
            if path is None:
                machine.faults.append(
                    f"tendon '{name}' wraps around a geom, which is not modelled; it and its actuators have no effect"
                )
                machine.paths[name] = Path("0", "0", lambda text, label: None)
                continue
            machine.paths[name] = path
            _resist(machine, node, name, path)


def _fixed(machine: Machine, node: Styled, name: str) -> Path:
    """L = sum of coefficients times coordinates."""
    parts = []
    drawn = rest = 0.0
    for child in node.all("joint"):
        joint, q = single(machine, child, "joint")
        coefficient = child.number("coef")
        parts.append((coefficient, q))
        drawn += coefficient * joint.ref
        rest += coefficient * joint.axle.rest
    if not parts:
        raise ModelError(f"{node.where}: tendon '{name}' has no joint")
    total = lambda word: "+".join(f"({c!r})*{getattr(q, word)}" for c, q in parts)

    def load(text: str, label: str) -> None:
        for n, (c, q) in enumerate(parts):
            q.load(machine.model, f"({c!r})*({text})", label if len(parts) == 1 else f"{label} {n + 1}")

    return Path(f"({total('position')})", f"({total('rate')})", load, drawn, rest)


def _spatial(machine: Machine, node: Styled, name: str) -> Path | None:
    """L = sum of distances of sites, those behind a pulley divided by its divisor; None where a geom is in the way."""
    branches: list[tuple[float, list[str]]] = [(1.0, [])]
    wraps = False
    for child in node.children:
        if child.tag == "site":
            child.read = True
            machine.refer(child, "site", machine.sites, "site")
            branches[-1][1].append(child.word("site"))
        elif child.tag == "pulley":
            child.read = True
            branches.append((child.number("divisor"), []))
            if not branches[-1][0] > 0.0:
                raise ModelError(f"{child.where}: divisor of <pulley> is {branches[-1][0]:g}; give a positive one")
        elif child.tag == "geom":
            child.read = wraps = True
            machine.refer(child, "geom", machine.geoms, "geom")
            child.get("sidesite")
    if wraps:
        return None
    pieces: list[tuple[float, Any, float]] = []
    drawn = rest = 0.0
    for divisor, sites in branches:
        for a, b in zip(sites, sites[1:]):
            ends = [machine.sites[s] for s in (a, b)]
            way = [(body.drawn @ frame).origin for body, frame in ends]
            drawn += float(np.linalg.norm(way[1] - way[0])) / divisor
            sprung = [(body.sprung @ frame).origin for body, frame in ends]
            rest += float(np.linalg.norm(sprung[1] - sprung[0])) / divisor
            if machine.part[ends[0][0].name] is machine.part[ends[1][0].name]:
                pieces.append((divisor, None, float(np.linalg.norm(way[1] - way[0]))))
            else:
                pieces.append((divisor, (machine.site_marker(a), machine.site_marker(b)), 0.0))
    if not pieces:
        raise ModelError(f"{node.where}: tendon '{name}' has fewer than two sites in a row")
    length = "+".join(repr(own / d) if pair is None else f"DM({pair[0]},{pair[1]})/{d!r}" for d, pair, own in pieces)
    rate = "+".join(f"VR({pair[0]},{pair[1]})/{d!r}" for d, pair, _ in pieces if pair is not None) or "0"

    def load(text: str, label: str) -> None:
        moving = [(d, pair) for d, pair, _ in pieces if pair is not None]
        for n, (d, pair) in enumerate(moving):
            machine.model.sforce(pair[0], pair[1], f"({text})/{d!r}", label if len(moving) == 1 else f"{label} {n + 1}")

    return Path(f"({length})", f"({rate})", load, drawn, rest)


def _resist(machine: Machine, node: Styled, name: str, path: Path) -> None:
    """Spring (with a slack range), damper, armature and limits of a tendon."""
    off = machine.tree.settings.off
    stiffness, *more = node.row("stiffness", 1, 3, (0.0,))
    damping, *rest = node.row("damping", 1, 3, (0.0,))
    if any(more) or any(rest):
        machine.faults.append(f"tendon '{name}': stiffness and damping of higher order have no effect")
    low, high = (node.row("springlength", 1, 2) * 2)[:2] if node.get("springlength") is not None else (-1.0, -1.0)
    if low < 0.0:
        low = high = path.rest
    terms = []
    if stiffness > 0.0 and "spring" not in off:
        if low == high:
            terms.append(f"-{stiffness!r}*({path.length}-({low!r}))")
        else:
            terms.append(f"-{stiffness!r}*(MAX(0,{path.length}-({high!r}))-MAX(0,({low!r})-{path.length}))")
    if damping > 0.0 and "damper" not in off:
        terms.append(f"-{damping!r}*{path.rate}")
    if terms:
        path.load("".join(terms), f"{name} spring")
    limits = limits_of(machine, node, "limited", "range")
    if limits is not None and "limit" not in off:
        k, c = limit_law(machine, node)
        over, under = f"{path.length}-({limits[1]!r})", f"({limits[0]!r})-{path.length}"
        # above the upper limit the tendon pulls, below the lower one it pushes, and neither acts the other way
        text = f"-IF({over}:0,0,MAX(0,{k!r}*({over})+{c!r}*{path.rate}))"
        if limits[0] > 0.0 or node.tag == "fixed":
            text += f"+IF({under}:0,0,MAX(0,{k!r}*({under})-{c!r}*{path.rate}))"
        path.load(text, f"{name} limit")


def limit_law(machine: Machine, node: Styled) -> tuple[float, float]:
    """Stiffness and damping of the limit of a tendon, by `contacts.law` for the mean mass of a moving body."""
    from .contacts import SOLIMP, law, row_of

    masses = [body.mass for body in machine.tree.bodies if body.mass > 0.0]
    mass = sum(masses) / len(masses) if masses else 1.0
    return law(row_of(node, "solreflimit", SOLREF), row_of(node, "solimplimit", SOLIMP), mass)


# ---- equalities ------------------------------------------------------------------------------------------------------
def add_equalities(machine: Machine, nodes: list[Node], classes: Classes) -> None:
    """Equations between parts, coordinates and tendons; MuJoCo's are soft, these are exact."""
    for part in nodes:
        for n, raw in enumerate(part.all("connect", "weld", "joint", "tendon")):
            node = classes.style(raw, tags=("equality",))
            name = node.get("name") or f"{node.tag} {n + 1}"
            acts = node.flag("active", True) and "equality" not in machine.tree.settings.off
            if node.tag in ("connect", "weld"):
                _join(machine, node, name, acts)
            else:
                _equate(machine, node, name, acts)


def _join(machine: Machine, node: Styled, name: str, acts: bool) -> None:
    """A spherical joint (connect) or a fixed one (weld) between two bodies."""
    world = machine.tree.bodies[0]
    if node.get("site1") is not None:
        first, second = (machine.refer(node, word, machine.sites, "site") for word in ("site1", "site2"))
        (one, local1), (two, local2) = first, second
    else:
        one = machine.refer(node, "body1", machine.bodies, "body")
        two = machine.refer(node, "body2", machine.bodies, "body") if node.get("body2") is not None else world
        relpose = node.row("relpose", 7, 7) if node.tag == "weld" else ()
        anchor = np.array(node.numbers("anchor", 3, (0.0, 0.0, 0.0)))
        back = Frame(-one.drawn.axes.T @ one.drawn.origin, one.drawn.axes.T)
        if relpose and any(relpose[3:]):
            local1, local2 = Frame(np.array(relpose[:3]), from_quaternion(relpose[3:])), Frame.identity()
        elif node.tag == "weld":
            local1, local2 = back @ two.drawn, Frame.identity()
        else:
            local1 = Frame(anchor, np.eye(3))
            point = one.drawn @ local1
            inverse = Frame(-two.drawn.axes.T @ two.drawn.origin, two.drawn.axes.T)
            local2 = inverse @ point
    if not acts or machine.part[one.name] is machine.part[two.name]:
        return
    i = machine.marker(one, one.frame @ local1)
    j = machine.marker(two, two.frame @ local2)
    (machine.model.spherical if node.tag == "connect" else machine.model.fixed)(i, j, name)


def _equate(machine: Machine, node: Styled, name: str, acts: bool) -> None:
    """q1 - q1_0 = a0 + a1 x + ... + a4 x^4,  x = q2 - q2_0, of the coordinates of joints or the lengths of tendons; q_0
    those of the drawing."""
    kind = node.tag
    ends: list[tuple[str, float, Any]] = []
    for word in (f"{kind}1", f"{kind}2"):
        if word.endswith("2") and node.get(word) is None:
            continue
        if kind == "joint":
            joint, q = single(machine, node, word)
            ends.append((q.position, joint.ref, q))
        else:
            path = machine.refer(node, word, machine.paths, "tendon")
            ends.append((path.length, path.drawn, None))
    a = node.row("polycoef", 1, 5, (0.0, 1.0, 0.0, 0.0, 0.0))
    if not acts:
        return
    (one, one_0, q1), *other = ends
    if not other:
        machine.model.constraint(f"{one}-({one_0 + a[0]!r})", name=name)
        return
    two, two_0, q2 = other[0]
    if q1 is not None and q2 is not None and not any(a[2:]):
        couple(machine.model, q1, q2, a[1], a[0] + one_0 - a[1] * two_0, name)
        return
    x = f"({two}-({two_0!r}))"
    poly = "+".join(f"({c!r})" + (f"*{x}" if k == 1 else f"*{x}**{k}" if k else "") for k, c in enumerate(a) if c)
    machine.model.constraint(f"{one}-({one_0!r})-({poly or '0'})", name=name)


def dependent(machine_joints: dict[str, Joint], nodes: list[Node], classes: Classes, q: dict[str, Any]) -> None:
    """Coordinates of joints at the start that equalities give by others."""
    for part in nodes:
        for raw in part.children:
            if raw.tag != "joint":
                continue
            node = classes.style(raw, tags=("equality",))
            one, two = machine_joints.get(node.get("joint1") or ""), machine_joints.get(node.get("joint2") or "")
            if one is None or one.name in q or (two is None and node.get("joint2") is not None):
                continue
            a = node.row("polycoef", 1, 5, (0.0, 1.0, 0.0, 0.0, 0.0))
            x = 0.0 if two is None else q.get(two.name, two.start)[0] - two.ref
            terms = a[:1] if two is None else a
            q[one.name] = (one.ref + sum(c * x**k for k, c in enumerate(terms)),)


# ---- actuators -------------------------------------------------------------------------------------------------------
def add_actuators(machine: Machine, nodes: list[Node], classes: Classes, controls: dict[int, float]) -> None:
    """A control is an input of the model, the force of an actuator a variable, both with the actuator's name."""
    if "actuation" in machine.tree.settings.off:
        return
    sums: dict[str, list[str]] = {}  # of joints with a range of all actuators together
    number = 0
    for part in nodes:
        for raw in part.all(*ACTUATORS):
            node = classes.style(raw, tags=(raw.tag, *(tag for tag in ACTUATORS if tag != raw.tag)))
            name = node.get("name") or f"actuator {number + 1}"
            made = _actuator(machine, node, name, controls.get(number, 0.0), sums)
            if not made:
                machine.faults.append(f"actuator '{name}' (<{node.tag}>) is not modelled; it has no force")
            number += 1
    for name, terms in sums.items():
        joint = machine.joints[name]
        text = clamp("+".join(terms), joint.force_range)
        machine.coordinate[name].load(machine.model, text, f"{name} actuators")


def _path(machine: Machine, node: Styled, sums: dict[str, list[str]]) -> Path | None:
    """What an actuator acts along; None for one that is not modelled."""
    gear = node.row("gear", 1, 6, (1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    g = gear[0]
    for word in ("joint", "jointinparent"):
        if node.get(word) is None:
            continue
        joint = machine.refer(node, word, machine.joints, "joint")
        if joint.name in machine.coordinate:
            return _along(machine, joint, g, sums)
        return _turning(machine, joint, gear, word)
    if node.get("tendon") is not None:
        path = machine.refer(node, "tendon", machine.paths, "tendon")
        if path.length == "0":
            return None
        return Path(
            f"(({g!r})*{path.length})",
            f"(({g!r})*{path.rate})",
            lambda text, label: path.load(f"({g!r})*({text})", label),
            g * path.drawn,
        )
    if node.get("site") is not None and node.get("refsite") is None:
        machine.refer(node, "site", machine.sites, "site")
        marker = machine.site_marker(node.word("site"))

        def push(text: str, label: str) -> None:
            loads: dict[str, Any] = {f"{kind}{x}": f"({c!r})*({text})" for (kind, x), c in zip(SIX, gear) if c}
            machine.model.gforce(marker, None, **loads, rm=marker, name=label)

        rate = "+".join(
            f"({c!r})*{'V' if kind == 'f' else 'W'}{x.upper()}({marker},0,{marker})"
            for (kind, x), c in zip(SIX, gear)
            if c
        )
        return Path("0", f"({rate or '0'})", push)
    return None


def _along(machine: Machine, joint: Joint, g: float, sums: dict[str, list[str]]) -> Path:
    """The coordinate of a joint times a gear ratio."""
    q = machine.coordinate[joint.name]

    def load(text: str, label: str) -> None:
        if joint.force_range is None:
            q.load(machine.model, f"({g!r})*({text})", label)
        else:
            sums.setdefault(joint.name, []).append(f"({g!r})*({text})")

    return Path(f"(({g!r})*{q.position})", f"(({g!r})*{q.rate})", load, g * joint.ref)


SIX = (("f", "x"), ("f", "y"), ("f", "z"), ("t", "x"), ("t", "y"), ("t", "z"))


def _turning(machine: Machine, joint: Joint, gear: tuple[float, ...], word: str) -> Path | None:
    """Torque (and force) on a ball or free joint along a direction of the part after it, or before it."""
    i, j = machine.markers[joint.name]
    if joint.type == "free" and word == "jointinparent":
        return None
    frame = i if word == "joint" else j
    first = gear[3:] if joint.type == "free" else gear[:3]

    def load(text: str, label: str) -> None:
        if joint.type == "free" and any(gear[:3]):
            machine.model.vforce(i, None, *(f"({c!r})*({text})" for c in gear[:3]), name=f"{label} push")
        if any(first):
            body = None if j is None else machine.model.body_of(j)
            machine.model.vtorque(i, body, *(f"({c!r})*({text})" for c in first), rm=frame, name=label)

    other = "0" if j is None else str(j)
    rate = "+".join(f"({c!r})*W{x}({i},{other},{frame})" for x, c in zip("XYZ", first) if c)
    return Path("0", f"({rate or '0'})", load)


def _actuator(machine: Machine, node: Styled, name: str, control: float, sums: dict[str, list[str]]) -> bool:
    """Whether it is modelled.   force = gain (control or activation) + b0 + b1 length + b2 rate, within its range."""
    model = machine.model
    row = lambda word, default, count=10: node.row(word, 1, count, default)
    kind = node.tag
    if kind not in ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder"):
        return False
    for word in ("group", "user"):
        node.get(word)
    gain, bias = [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    dynamics, lag = "none", 0.0
    if kind == "general":
        gaintype = node.choice("gaintype", ("fixed", "affine", "muscle", "user"), "fixed")
        biastype = node.choice("biastype", ("none", "affine", "muscle", "user"), "none")
        dynamics = node.choice("dyntype", ("none", "integrator", "filter", "filterexact", "muscle", "user"), "none")
        if "muscle" in (gaintype, biastype, dynamics) or "user" in (gaintype, biastype, dynamics):
            return False
        gain = [*row("gainprm", (1.0,)), 0.0, 0.0][:3]
        gain = gain if gaintype == "affine" else [gain[0], 0.0, 0.0]
        bias = [*row("biasprm", (0.0,)), 0.0, 0.0][:3] if biastype == "affine" else bias
        lag = row("dynprm", (1.0,))[0]
    elif kind in ("position", "intvelocity"):
        kp, kv = node.number("kp", 1.0), node.number("kv", 0.0)
        if node.get("dampratio") is not None:
            machine.faults.append(f"actuator '{name}': dampratio has no effect; give kv")
        gain, bias = [kp, 0.0, 0.0], [0.0, -kp, -kv]
        lag = node.number("timeconst", 0.0) if kind == "position" else 0.0
        dynamics = "integrator" if kind == "intvelocity" else "filterexact" if lag > 0.0 else "none"
    elif kind == "velocity":
        kv = node.number("kv", 1.0)
        gain, bias = [kv, 0.0, 0.0], [0.0, 0.0, -kv]
    elif kind == "damper":
        gain = [0.0, 0.0, -node.number("kv", 1.0)]
    elif kind == "cylinder":
        lag, dynamics = node.number("timeconst", 1.0), "filter"
        gain[0] = node.number("area", 1.0)
        if node.get("diameter") is not None:
            gain[0] = 0.25 * math.pi * node.number("diameter") ** 2
        bias = [*node.row("bias", 1, 3, (0.0,)), 0.0, 0.0][:3]
    path = _path(machine, node, sums)
    if path is None:
        return False
    if path.length == "0" and (bias[1] or gain[1]):
        return False
    if dynamics in ("filter", "filterexact") and not lag > 0.0:
        raise ModelError(f"{node.where}: the time constant of actuator '{name}' is {lag:g} s; give a positive one")
    entry = model.input(name, control)
    u = f"VARVAL({entry.id})"
    if "clampctrl" not in machine.tree.settings.off:
        u = clamp(u, limits_of(machine, node, "ctrllimited", "ctrlrange"))
    if dynamics != "none":
        state = model.diff("0", f"{name} activation", ic=0.0)
        act = f"DIF({state.id})"
        limits = limits_of(machine, node, "actlimited", "actrange")
        drive = u if dynamics == "integrator" else f"({u}-{act})/{lag!r}"
        if limits is not None:
            up, down = f"MAX(0,{drive})", f"MIN(0,{drive})"
            inside = f"IF({act}-({limits[0]!r}):{up},{up},{drive})"
            drive = f"IF({act}-({limits[1]!r}):{inside},{down},{down})"
        state.function = drive
        u = act
    gains = "+".join(f"({g!r}){x}" for g, x in zip(gain, ("", f"*{path.length}", f"*{path.rate}")) if g)
    biases = "".join(f"+({b!r}){x}" for b, x in zip(bias, ("", f"*{path.length}", f"*{path.rate}")) if b)
    force = clamp(f"({gains or '0'})*{u}{biases}", limits_of(machine, node, "forcelimited", "forcerange"))
    value = model.variable(force, f"{name} force")
    damping, *_ = node.row("damping", 1, 3, (0.0,))
    load = f"VARVAL({value.id})" + (f"-{damping!r}*{path.rate}" if damping else "")
    path.load(load, name)
    armature = node.number("armature", 0.0)
    if armature:
        machine.faults.append(f"actuator '{name}': its armature {armature:g} has no effect; give that of the joint")
    machine.actuators[name] = value, path, entry
    return True
