"""Hinges that were meant to be parallel and are not: why a planar loop cannot move.

A closed loop of parallel hinges moves in their common plane, and its out-of-plane equations are redundant.  With one
axis tilted by a small angle they are not redundant any more: the loop has no freedom left, and an analysis fails with
open joints or velocities that do not fit.  The angle comes from rounded coordinates of a drawing more often than from a
design.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model.joint_facts import FACTS

#: angles between axes, in radians: below, a loop moves within roundoff; above, the axes are not meant to be parallel
LEAST, MOST = 3e-9, np.radians(1.0)
NAMED = 4


def unparallel(system: Any, y: np.ndarray) -> str:
    """One message on the axes of joints in closed loops that are nearly, but not quite, parallel to those of the
    others at the state y; empty without such axes."""
    joints = [j for j in system.model.table("JOINT").values() if j.active]
    ends = {j.id: tuple(system.frame_list[system.frame(m)][0] for m in (j.i, j.j)) for j in joints}
    hinged = [j for j in joints if j.type in FACTS and FACTS[j.type].keeps and _in_loop(j.id, ends)]
    if len(hinged) < 3:
        return ""
    axes = np.array([_axis(system, y, j.i) for j in hinged])
    sine = np.linalg.norm(np.cross(axes[:, None], axes[None, :]), axis=2)
    parallel = sine <= LEAST
    reference = int(np.argmax(parallel.sum(axis=1)))
    tilted = [k for k in range(len(hinged)) if LEAST < sine[reference, k] < MOST]
    if parallel[reference].sum() < 2 or not tilted:
        return ""
    others = [hinged[k].label for k in np.nonzero(parallel[reference])[0]]
    worst = max(tilted, key=lambda k: sine[reference, k])
    angle = float(np.degrees(np.arcsin(sine[reference, worst])))
    more = f", and {len(tilted) - 1} more axes are tilted" if len(tilted) > 1 else ""
    return (
        f"the axis of {hinged[worst].label} is {angle:.3g} degrees out of parallel with those of "
        f"{', '.join(others[:NAMED])}"
        f"{' and others' if len(others) > NAMED else ''} in the same loop{more}: such a loop of rigid parts cannot "
        "move; make the axes parallel, or replace "
        "one joint by a SPHERICAL or CYLINDRICAL one or by a bushing"
    )


def _axis(system: Any, y: np.ndarray, marker: int) -> np.ndarray:
    """z axis of a marker in ground at the state y."""
    body, _, axes = system.frame_list[system.frame(marker)]
    z = axes[:, 2]
    return z if body == system.nb else system.body_frame(y, body).axes @ z


def _in_loop(joint: int, ends: dict[int, tuple[int, int]]) -> bool:
    """Do the bodies of a joint stay connected through other joints when it is removed?"""
    start, goal = ends[joint]
    seen, todo = {start}, [start]
    while todo:
        body = todo.pop()
        for other, (a, b) in ends.items():
            if other != joint and body in (a, b):
                far = b if body == a else a
                if far not in seen:
                    seen.add(far)
                    todo.append(far)
    return goal in seen
