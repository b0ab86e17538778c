"""Contacts of an MJCF file as contacts with a spring and a damper.

MuJoCo gives each contact the acceleration  a1 = (1 - d) a0 - d (b v + k r),  with the depth r, its rate v, the
acceleration a0 without the contact, and from `solref` = (T, z) and `solimp` = (dmin, dmax, width ...)

    b = 2 / (dmax T),   k = d(r) / (dmax T z)^2,   d(r) from dmin at r = 0 to dmax at r = width.

A free body of mass m that strikes an obstacle moves there as with the force  m d (k r + b v):  a spring of stiffness
K = m d k  and a damper of  C = m d b,  which keep the meaning of solref, the time constant T and the damping ratio z of
the impact.  A body at rest sinks to  m g / K,  which is 1 / (1 - d) times as deep as in MuJoCo, whose (1 - d) a0 has no
counterpart in a force.  Here d is the mean of dmin and dmax, and m the mass of all bodies that move together, or of two
of these m1 m2 / (m1 + m2).  Negative `solref` = (-stiffness, -damping) gives k = d stiffness / dmax^2 and
b = damping / dmax.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....model import ModelError
from ....model.xml_tree import Node
from .bodies import Body
from .geoms import Geom
from .machine import Machine
from .source import Classes, Styled

SOLREF = (0.02, 1.0)
SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
FRICTION = (1.0, 0.005, 0.0001)
LEAST = 1e-4  # of dmin and dmax, as MuJoCo bounds them
MOST = 0.9999


def row_of(node: Node, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
    return node.row(name, 1, len(default), default)


def law(solref: tuple[float, ...], solimp: tuple[float, ...], mass: float) -> tuple[float, float]:
    """Stiffness (N/m) and damping (N s/m) of a contact of a mass (kg)."""
    low, high = (min(max(d, LEAST), MOST) for d in solimp[:2])
    d = 0.5 * (low + high)
    if solref[0] > 0.0:
        b, k = 2.0 / (high * solref[0]), d / (high * solref[0] * max(solref[1], 1e-6)) ** 2
    else:
        b, k = -solref[1] / high, -solref[0] * d / high**2
    return mass * d * k, mass * d * b


def mixed(a: Styled, b: Styled) -> dict[str, Any]:
    """Parameters of a pair of geoms: of the one of higher priority; else the larger friction and dimension, and the
    mean of solref and solimp by solmix (the smaller solref where one is negative)."""
    of = lambda n: {
        "friction": row_of(n, "friction", FRICTION),
        "condim": int(n.number("condim", 3.0)),
        "solref": row_of(n, "solref", SOLREF),
        "solimp": row_of(n, "solimp", SOLIMP),
    }
    one: dict[str, Any] = of(a)
    two: dict[str, Any] = of(b)
    ranks = a.number("priority", 0.0), b.number("priority", 0.0)
    mixes = a.number("solmix", 1.0), b.number("solmix", 1.0)
    if ranks[0] != ranks[1]:
        return one if ranks[0] > ranks[1] else two
    total = sum(mixes)
    share = mixes[0] / total if total > 1e-15 else 0.5
    mean = lambda p, q: tuple(share * x + (1.0 - share) * y for x, y in zip(p, q))
    refs = one["solref"], two["solref"]
    positive = refs[0][0] > 0.0 and refs[1][0] > 0.0
    return {
        "friction": tuple(map(max, one["friction"], two["friction"])),
        "condim": max(one["condim"], two["condim"]),
        "solref": mean(*refs) if positive else tuple(map(min, *refs)),
        "solimp": mean(one["solimp"], two["solimp"]),
    }


def add_contacts(machine: Machine, nodes: list[Node], classes: Classes) -> None:
    """Contacts of all pairs of geoms that MuJoCo tests, those of equal parameters in one element."""
    roots = _roots(machine)
    masses: dict[str, float] = {}
    for body in machine.tree.bodies:
        masses[roots[body.name]] = masses.get(roots[body.name], 0.0) + body.mass
    excluded, pairs = set(), []
    for part in nodes:
        for node in part.all("exclude"):
            node.get("name")
            excluded.add(frozenset(machine.refer(node, w, machine.bodies, "body").name for w in ("body1", "body2")))
        for raw in part.all("pair"):
            node = classes.style(raw)
            node.get("name")
            pairs.append((node, *(machine.refer(node, w, machine.geoms, "geom") for w in ("geom1", "geom2"))))
    groups: dict[tuple, list[tuple[Geom, Geom]]] = {}
    listed = set()
    for node, (one, a), (two, b) in pairs:
        listed.add(frozenset((a.name, b.name)))
        given = mixed(a.node, b.node)
        friction = row_of(node, "friction", (*FRICTION[:1], *FRICTION))  # of a pair: two slide, one spins, two roll
        given |= {
            word: value
            for word, value in (
                ("friction", (friction[0], *friction[2:4])),
                ("condim", int(node.number("condim", 3.0))),
                ("solref", row_of(node, "solref", SOLREF)),
                ("solimp", row_of(node, "solimp", SOLIMP)),
            )
            if node.get(word) is not None
        }
        _sort(groups, machine, given, (one, a), (two, b), roots, masses)
    geoms = [(body, geom) for body in machine.tree.bodies for geom in body.geoms if geom.name in machine.drawn_shapes]
    for n, (one, a) in enumerate(geoms):
        for two, b in geoms[n + 1 :]:
            if frozenset((a.name, b.name)) in listed or not (a.contype & b.conaffinity or b.contype & a.conaffinity):
                continue
            if machine.part[one.name] is machine.part[two.name] or _connected(machine, one, two):
                continue
            if frozenset((one.name, two.name)) not in excluded:
                _sort(groups, machine, mixed(a.node, b.node), (one, a), (two, b), roots, masses)
    for n, (key, found) in enumerate(groups.items()):
        _add(machine, f"contact {n + 1}", key, found)


def _roots(machine: Machine) -> dict[str, str]:
    """Body -> the first of the bodies that joints connect with it; bodies fixed to ground are the world's."""
    out: dict[str, str] = {}
    for body in machine.tree.bodies:
        if body.parent is None:
            out[body.name] = body.name
        else:
            fixed = out[body.parent.name] == "world" and machine.part[body.name] is not machine.model.ground
            out[body.name] = body.name if fixed else out[body.parent.name]
    return out


def _connected(machine: Machine, one: Body, two: Body) -> bool:
    """Whether one body is the parent of the other (bodies fixed to each other count as one), and neither is fixed to
    ground: MuJoCo tests no contact of these."""
    for a, b in ((one, two), (two, one)):
        top = b
        while not top.joints and top.parent is not None:
            top = top.parent
        if top.parent is None:
            continue
        above = machine.part[top.parent.name]
        if above is machine.part[a.name] and above is not machine.model.ground:
            return True
    return False


def _sort(
    groups: dict,
    machine: Machine,
    given: dict[str, Any],
    first: Any,
    second: Any,
    roots: dict[str, str],
    masses: dict[str, float],
) -> None:
    (one, a), (two, b) = first, second
    if a.name not in machine.drawn_shapes or b.name not in machine.drawn_shapes:
        return
    moving = [masses[roots[body.name]] for body in (one, two) if machine.part[body.name] is not machine.model.ground]
    moving = [mass for mass in moving if mass > 0.0]
    if not moving:
        return
    mass = 1.0 / sum(1.0 / m for m in moving)
    stiffness, damping = law(given["solref"], given["solimp"], mass)
    slide, spin, roll = given["friction"]
    condim = given["condim"]
    key = (stiffness, damping, slide if condim > 1 else 0.0, spin if condim > 3 else 0.0, roll if condim > 4 else 0.0)
    groups.setdefault(key, []).append((a, b))


def _add(machine: Machine, name: str, key: tuple, pairs: Iterable[tuple[Geom, Geom]]) -> None:
    """One contact of the pairs of geoms; all other pairs of their two sides are excluded."""
    stiffness, damping, slide, spin, roll = key
    shape = machine.drawn_shapes
    wanted = {frozenset((a.name, b.name)) for a, b in pairs}
    left, right = sorted({a.name for a, _ in pairs}), sorted({b.name for _, b in pairs})
    exclude = [(shape[a], shape[b]) for a in left for b in right if a != b and frozenset((a, b)) not in wanted]
    more: dict[str, Any] = {}
    if slide > 0.0:
        more["mu"] = slide
    if spin > 0.0:
        more["spinning_resistance"] = spin
    if roll > 0.0:
        more["rolling_resistance"] = roll
    try:
        machine.model.contact(
            [shape[a] for a in left],
            [shape[b] for b in right],
            "KELVIN_VOIGT",
            name,
            stiffness=stiffness,
            damping=damping,
            exclude=exclude,
            joined=True,
            **more,
        )
    except ModelError as error:
        machine.faults.append(f"{name} of {len(wanted)} pairs of geoms is left out: {error}")
