"""Whether joint coordinates or those of all bodies are integrated, and why."""

from __future__ import annotations

from typing import Any

from .._summary import counted
from ..elements.bodies.layout import MOVES
from ..recursive.entry import misplaced
from ..recursive.flexible import MEMBER
from ..recursive.tree import named, tree_of
from ..recursive.tree import refusal as no_tree
from .entry import stepping_tables
from .methods import NUMBERINGS, UNASKED

MAXIMAL, JOINT, _ = NUMBERINGS
#: rows over the tree up to which "auto" chooses it: the cost of the rest grows with their cube
MOST_ROWS = 12
#: the same where all motion is given as functions of time: steps are often longer there
MOST_OF_DRIVEN = 2
#: modes of a flexible body up to which "auto" chooses it: their mass matrix is full, and factored in each evaluation
MOST_MODES = 16
#: freedoms as a share of the coordinates of all bodies up to which "auto" chooses it
MOST_FREE = 0.6
#: bodies of a tree in a plane, without motions, up to which maximal coordinates cost no more: three a body
MOST_FLAT = 6
#: freedoms and states up to which "auto" chooses it for implicit methods, in a plane, in space, and in space with loops
MOST_FULL = 6, 20, 10


def numbering(system: Any, asked: str, implicit: bool = False) -> tuple[bool, str]:
    """Whether a method integrates joint coordinates, and the reason as text; empty for maximal ones where nothing was
    requested.

    ``asked``: one of `NUMBERINGS`, or `UNASKED`; ``implicit``: the method solves for the joint coordinates with full
    matrices.  What a tree does not carry runs in maximal coordinates."""
    if asked == MAXIMAL:
        return False, ""
    if asked == UNASKED and system.contacts.on:
        return False, ""  # bounds of the motion inside a step are proved for maximal coordinates, sampled for others
    joint, reason = _choose(system, asked, implicit)
    return joint, reason if joint or asked != UNASKED else ""


def _choose(system: Any, asked: str, implicit: bool) -> tuple[bool, str]:
    """`numbering` of what is not maximal, with its reason."""
    why = no_tree(system, modes=not implicit)
    if why:
        return False, f"maximal coordinates: {why}"
    rest = tree_of(system).rest
    rows = sum(len(c.rows) for c in rest)
    why = _costs_more(system, rest, implicit) if asked != JOINT else ""
    if not why:
        assembled = system.workspace.assembled
        why = misplaced(system, system.y0 if assembled is None else assembled[1])
    if why:
        return False, f"maximal coordinates: {why}"
    reason = "requested" if asked == JOINT else "few equations close loops" if rest else "the joints form a tree"
    return True, f"joint coordinates: {reason}" + (
        f"; over the tree: {counted(rows, 'equation')} of {named(rest)}" if rest else ""
    )


def _costs_more(system: Any, rest: list[Any], implicit: bool) -> str:
    """Empty, or a phrase: why joint coordinates are likely to cost more than maximal ones (docs/joint-coordinates.md
    has the measurements)."""
    run = system.workspace
    if run.assembled is not None:
        stepping_tables(system, *run.assembled)  # looks for the plane
    flat = run.plane is not None
    where = "in a plane" if flat else "in space"
    rows = sum(len(c.rows) for c in rest)
    motions = sum(len(c.rows) for c in rest if c.element.KIND == "MOTION")
    loops = rows - motions - len(run.named)  # those that are independent: the tree repeats none
    links = tree_of(system).links
    bodies = sum(link.role != MEMBER for link in links)
    freedoms = tree_of(system).tree.nv - sum(link.modes for link in links)
    if freedoms - motions - loops <= 0:
        if loops > MOST_OF_DRIVEN:
            return f"all motion is given, and {counted(loops, 'equation')} over the tree of joints cost less there"
        if not implicit:
            return ""
    if loops > MOST_ROWS or (flat and loops > 0):
        return f"{counted(loops, 'equation')} over the tree of joints, {where}, cost less there"
    if implicit:
        full = freedoms + system.nx
        most = MOST_FULL[0 if flat else 2 if loops > 0 else 1]
        return f"full matrices of {full} freedoms and states cost more {where}" if full > most else ""
    modes = max((link.modes for link in links), default=0)
    if modes > MOST_MODES:
        return f"{counted(modes, 'mode')} of a flexible body cost less there"
    if flat and not motions and bodies <= MOST_FLAT:
        return f"three coordinates of {counted(bodies, 'body')} in a plane cost no more"
    if system.contacts.on and loops > 0:
        return "contacts act on loops"
    if freedoms > MOST_FREE * bodies * (3 if flat else MOVES):
        return "most bodies float"
    return ""
