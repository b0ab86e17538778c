"""Machines that are locked: closed loops of joints leave no freedom, and no motion drives them."""

from __future__ import annotations

from collections import Counter
from typing import Any

#: elements that may move a machine without degrees of freedom
DRIVES = ("MOTION", "GCON", "UCON", "SWITCH")
NAMED = 6  # joints that are named one by one


def locked(system: Any, freedoms: int) -> str:
    """A sentence about a machine without ``freedoms`` that nothing drives, with the joints of its closed loops; empty
    for others, and where all of these joints are fixed ones."""
    model = system.model
    if freedoms or not system.m or any(e.active for kind in DRIVES for e in model.table(kind).values()):
        return ""
    body = lambda number: (model.markers[number].body_kind, model.markers[number].part)
    edges = [(e, body(e.i), body(e.j)) for kind in ("JOINT", "JPRIM") for e in model.table(kind).values() if e.active]
    while True:  # what hangs on a single joint is in no loop
        count = Counter(end for _, *ends in edges for end in ends)
        rest = [edge for edge in edges if min(count[end] for end in edge[1:]) > 1]
        if len(rest) == len(edges):
            break
        edges = rest
    names = [f"'{e.name}'" for e, *_ in edges if e.type != "FIXED"]
    if not names:
        return ""
    shown = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    return (
        f"0 degrees of freedom and no motion: nothing can move; {shown} close loops; align their axes and points, or "
        "give one of them more freedoms"
    )
