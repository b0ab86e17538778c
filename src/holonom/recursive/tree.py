"""From a system to its tree: which joints carry bodies, in what order, and the tables of `kernels`."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..elements.bodies import layout
from ..elements.bodies.coupled import DATA_ADDRESS
from ..elements.joints import JOINTS
from ..elements.joints.composition import BALL, COORDINATES, FREEDOMS, SCREW, SLIDE, TURN, Freedom, Subspace, free
from .flexible import MEMBER, RIGID, ROOT, make_flexible
from .kernels import Tree

AXES = "xyz"
#: elements of flexible bodies that a tree may have
CARRIED = ("FLEXIBILITY", "ATTACHMENT")
#: what a body has that no joint holds: three ways along the axes of ground, then any rotation; point masses do not turn
FLOATING, POINT = free((0, 1, 2), ball=True), free((0, 1, 2))
HERE = (np.zeros(3), np.eye(3))


@dataclass(frozen=True)
class Link:
    """One body of the tree: its number in the system, that of its parent, the joint's element or None for a body that
    floats, whether the joint is run from I to J, and the frames (origin, axes) of the joint on parent and body, in
    their principal axes; ``role`` of what belongs to a flexible body, ``modes`` of its root (`flexible`)."""

    body: int
    parent: int
    element: Any
    subspace: Subspace
    reverse: bool
    on_parent: tuple[np.ndarray, np.ndarray]
    on_body: tuple[np.ndarray, np.ndarray]
    role: int = RIGID
    modes: int = 0

    def steps(self) -> tuple[Freedom, ...]:
        """Freedoms in the order from parent to body."""
        steps = self.subspace.freedoms
        return steps[::-1] if self.reverse else steps


def refusal(system: Any, modes: bool = False) -> str:
    """Empty, or a sentence: why the system cannot be integrated in joint coordinates; ``modes``: whether the caller
    integrates those of flexible bodies."""
    if system.rigid:
        return "contacts are rigid constraints"
    if len(system.tail) or layout.has_nodes(system.bodies):
        elements = [e for e in (*system.node_elements, *system.tail) if e is not None]
        e = next((e for e in elements if not modes or e.KIND not in CARRIED), None)
        if e is not None:
            return f"{e.label} has coordinates of its own next to those of a body"
        if system.contacts.on:
            return f"contacts act in a model with a flexible body ({elements[0].label})"
    if system.grains:
        return "grains are solved in bulk"
    if any(s.active for s in system.model.table("SWITCH").values()):
        return "SWITCH elements change the joints"
    if system.lagged:
        return f"forces depend on reactions or accelerations ({system.lagged_words()})"
    return ""


def named(constraints: list[Any]) -> str:
    """The first of some constraints by name."""
    labels = [c.element.label for c in constraints]
    return ", ".join(labels[:4]) + (", ..." if len(labels) > 4 else "")


def carried(system: Any, constraint: Any) -> bool:
    """Whether a constraint is a joint that may hang a body on another."""
    kind = JOINTS.get(getattr(constraint.element, "type", ""))
    a, b = (int(system.frame_list[f][0]) for f in (constraint.i, constraint.j))
    described = constraint.element.KIND in ("JOINT", "JPRIM") and kind is not None and kind.subspace is not None
    return described and a != b and all(k == system.nb or bool(system.bodies.rotates[k]) for k in (a, b))


class Spanning:
    """The spanning tree of a system: ``links``, parents first; ``rest``: constraints that its joints do not fulfil by
    themselves."""

    def __init__(self, system: Any):
        self._system = system
        self.links, self.rest = spanning_tree(system)

    @cached_property
    def tree(self) -> Tree:
        """Tables of the links for kernels, which do not write to them."""
        return make_tree(self._system, self.links)


def tree_of(system: Any) -> Spanning:
    """The spanning tree of a system, made when it is first requested: the choice of coordinates, the check of places,
    integrators, statics and `JointCoordinates` all use it."""
    if system.workspace.spanning is None:
        system.workspace.spanning = Spanning(system)
    return system.workspace.spanning


def spanning_tree(system: Any) -> tuple[list[Link], list[Any]]:
    """Links of all bodies, parents first, and the constraints that the tree does not fulfil by itself.

    Breadth first from ground: every body is as few joints away from ground as possible, which keeps loops short.  The
    numbering is depth first, so that bodies of a branch are neighbours in memory; a flexible body and its attachments
    are reached at once, and numbered one after the other, the one by which they hang first.
    """
    n = system.nb
    edges: list[list[tuple[int, int, Any]]] = [[] for _ in range(n + 1)]
    rest = []
    flexible = flexible_bodies(system)
    groups = {b: members for members, _ in flexible.values() for b in members}
    for number, c in enumerate(system.constraints):
        a, b = (int(system.frame_list[f][0]) for f in (c.i, c.j))
        if not carried(system, c) or (a in groups and groups[a] is groups.get(b)):
            rest.append((number, c))
            continue
        edges[a].append((number, b, c))
        edges[b].append((number, a, c))
    parent: dict[int, tuple[int, int, Any]] = {n: (-1, -1, None)}
    children: list[list[int]] = [[] for _ in range(n + 1)]
    used = set()
    roots: dict[int, int] = {}  # of flexible bodies, with the number of their modes
    queue: deque[int] = deque()

    def reach(b: int, a: int, number: int, c: Any) -> None:
        parent[b] = (a, number, c)
        children[a].append(b)
        queue.append(b)
        for other in groups.get(b, ()):
            if other != b:
                parent[other] = (b, -1, None)
                queue.append(other)

    for seed in (n, *range(n)):
        if seed == n:
            queue.append(n)
        elif seed not in parent:
            reach(groups.get(seed, [seed])[0], n, -1, None)
        while queue:
            a = queue.popleft()
            for number, b, c in edges[a]:
                if b not in parent:
                    used.add(number)
                    reach(b, a, number, c)
    for members, modes in flexible.values():
        roots[next(b for b in members if parent[b][0] not in members)] = modes
    order, stack = [], list(reversed(children[n]))
    while stack:
        b = stack.pop()
        members = groups.get(b, [b])
        order += [b, *(other for other in members if other != b)]
        stack += [child for other in reversed(members) for child in reversed(children[other])]
    links = [
        _link(system, b, parent[b][0], parent[b][2])
        if b in roots or b not in groups
        else Link(b, parent[b][0], None, free(), False, HERE, HERE, MEMBER)
        for b in order
    ]
    links = [replace(link, role=ROOT, modes=roots[link.body]) if link.body in roots else link for link in links]
    closing = {number: c for a in edges for number, _, c in a if number not in used}
    return links, [c for _, c in sorted([*rest, *closing.items()], key=lambda item: item[0])]


def _link(system: Any, body: int, parent: int, constraint: Any) -> Link:
    if constraint is None:
        return Link(body, parent, None, FLOATING if system.bodies.rotates[body] else POINT, False, HERE, HERE)
    element = constraint.element
    describe = JOINTS[element.type].subspace
    assert describe is not None  # others are no links
    subspace = describe(element)
    (bi, si, Ai), (_, sj, Aj) = (system.frame_list[f] for f in (constraint.i, constraint.j))
    on_i, on_j = (si, Ai @ subspace.seat.T), (sj, Aj)
    reverse = bi != body
    return Link(body, parent, element, subspace, reverse, *((on_i, on_j) if reverse else (on_j, on_i)))


def flexible_bodies(system: Any) -> dict[int, tuple[list[int], int]]:
    """Of each carrier with modes alone, by its number: its body and those of its attachments, and how many modes."""
    c = system.bodies.carriers
    if c is None:
        return {}
    nodes: list[list[int]] = [[] for _ in c.body]
    for b, g in zip(c.nodes.body.tolist(), c.nodes.carrier.tolist()):
        nodes[g].append(b)
    return {g: ([b, *nodes[g]], int(c.modes.count[g])) for g, b in enumerate(c.body.tolist()) if not int(c.masses[g])}


def _tables(system: Any, links: list[Link]) -> Any:
    """Tables of the flexible bodies of a tree."""
    out = make_flexible(len(links))
    flexible = flexible_bodies(system)
    if not flexible:
        return out
    c = system.bodies.carriers
    number = {link.body: k for k, link in enumerate(links)}
    node = {b: k for k, b in enumerate(c.nodes.body.tolist())}
    parents = {link.parent for link in links if link.role != MEMBER}
    roots, columns, squares = [], 0, 0
    for i, link in enumerate(links):
        if link.role != ROOT:
            continue
        g, (members, modes) = next((g, own) for g, own in flexible.items() if link.body in own[0])
        roots.append(i)
        out.carrier[i], out.body[i], out.square[i] = g, number[members[0]], squares
        out.members[i] = i + len(members)
        squares += modes * modes
        for b in members:
            j = number[b]
            out.root[j], out.node[j] = i, node.get(b, -1)
            out.loaded[j] = int(b == members[0] or b in parents)
            if j != i:
                out.block[j] = columns
                columns += modes
    return out._replace(address=int(system.bodies.coupled[0, DATA_ADDRESS]), roots=np.array(roots, np.int64))


def make_tree(system: Any, links: list[Link]) -> Tree:
    """Tables of the links for kernels."""
    n = len(links)
    number = {link.body: k for k, link in enumerate(links)} | {system.nb: n}
    seat = {link.body: link.on_body for link in links} | {system.nb: (np.zeros(3), np.eye(3))}
    kind, axis, pitch, coordinate, freedom, step, first, pure = [], [], [], [], [], [0], [0], []
    halt, last = [], []
    r0, R0, com, C, inertia = np.zeros((n, 3)), np.zeros((n, 9)), np.zeros((n, 3)), np.zeros((n, 9)), np.zeros((n, 6))
    bodies = system.bodies
    mass, J = (np.ascontiguousarray(a[[link.body for link in links]]) for a in (bodies.mass, bodies.J))
    J[bodies.rotates[[link.body for link in links]] == 0] = 0.0
    armature: list[float] = []
    nq = nv = 0
    for k, link in enumerate(links):
        s, A = seat[link.parent]
        p, B = link.on_parent
        r0[k], R0[k] = A.T @ (p - s), (A.T @ B).ravel()
        s, A = link.on_body
        com[k], C[k] = -A.T @ s, A.T.ravel()
        T = A.T @ np.diag(J[k]) @ A + mass[k] * (com[k] @ com[k] * np.eye(3) - np.outer(com[k], com[k]))
        inertia[k] = T[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        steps = link.steps()
        for m, f in enumerate(steps):
            kind.append(f.kind)
            axis.append(f.axis)
            pitch.append(f.pitch if f.kind == SCREW else 1.0)
            coordinate.append(nq)
            freedom.append(nv)
            slides_after = any(g.kind in (SLIDE, SCREW) for g in steps[m + 1 :])
            pure += [int(f.kind in (TURN, BALL) and not slides_after)] * FREEDOMS[f.kind]
            own = getattr(link.element, "armature", None) or 0.0  # of joints with one freedom
            armature += [own * system.model.units.mass_factor] * FREEDOMS[f.kind]
            nq += COORDINATES[f.kind]
            nv += FREEDOMS[f.kind]
        halt.append(len(kind))
        last.append(nv)
        more = link.modes
        kind, axis, pitch = kind + [SLIDE] * more, axis + [0] * more, pitch + [1.0] * more
        coordinate, freedom = coordinate + [*range(nq, nq + more)], freedom + [*range(nv, nv + more)]
        pure, armature = pure + [0] * more, armature + [0.0] * more
        nq, nv = nq + more, nv + more
        step.append(len(kind))
        first.append(nv)
    index = lambda values: np.array(values, np.int64).reshape(-1)
    identity = lambda M: index((M == np.eye(3).ravel()).all(axis=1))
    return Tree(
        n, nq, nv, index([number[link.parent] for link in links]), index([link.body for link in links]),
        index([link.reverse for link in links]), index(step), index(halt), index(kind), index(axis),
        np.array(pitch, float), index(coordinate), index(freedom), index(first), index(last), index(pure),
        np.zeros(nv, np.int64), np.array(armature, float), identity(R0), identity(C), r0, R0, mass, J, com, C, inertia,
        seen_frames(system), index([link.role for link in links]), _tables(system, links),
    )  # fmt: skip


def seen_frames(system: Any, rows: np.ndarray | None = None) -> np.ndarray:
    """Frames that forces, and the rows (k,) of the system, see: those of the joints of the tree are not among them."""
    if system.friction.elements:
        return np.arange(len(system.frame_list))
    table = system.S.rows
    seen = [0, *system.watched_frames, *range(system.row_frames, len(system.frame_list))]
    for frames in (table.ti, table.tj, table.ci, table.crm, table.vi, table.vj):
        seen += frames.ravel().tolist()
    if rows is not None and len(rows):
        seen += [*table.fi[rows].tolist(), *table.fj[rows].tolist()]
    return np.unique(np.array(seen, np.int64))


def carried_bodies(tree: Tree) -> np.ndarray:
    """(n, nv) Whether a freedom carries a body."""
    out = np.zeros((tree.n, tree.nv), bool)
    for i in range(tree.n):
        if tree.parent[i] != tree.n:
            out[i] = out[tree.parent[i]]
        out[i, tree.first[i] : tree.first[i + 1]] = True
    return out


def names(system: Any, links: list[Link]) -> tuple[list[str], list[str]]:
    """Names of coordinates and freedoms, ``PIN_1.angle`` and its like."""
    q, v = [], []
    for link in links:
        owner = link.element.name if link.element is not None else system.body_elements[link.body].name
        turns = sum(f.kind in (TURN, SCREW) for f in link.steps())
        for f in link.steps():
            if f.kind == BALL:
                q += [f"{owner}.q{k}" for k in range(4)]
                v += [f"{owner}.w{a}" for a in AXES]
            elif f.kind == SLIDE:
                q.append(f"{owner}.{AXES[f.axis]}")
                v.append(q[-1])
            else:
                q.append(f"{owner}.angle" + (f"_{AXES[f.axis]}" if turns > 1 else ""))
                v.append(q[-1])
        for k in range(link.modes):
            q.append(f"{system.body_elements[link.body].name}.mode_{k + 1}")
            v.append(q[-1])
    return q, v
