"""Forces along the line of two points that pass through each other: they turn round in that instant."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...elements.bodies import layout

THROUGH = 1e-6  # of the distance travelled in a step: so near to each other points have passed through each other


def passing_points(system: Any, times: np.ndarray, states: np.ndarray) -> list[str]:
    """A sentence for each SPRINGDAMPER and SFORCE whose points pass through each other within a step.

    times (n,), states (n, ny) at the ends of steps.  The force along the line from J to I turns round there, and with
    it the motion has a kink whose time depends on the parameters; no event is located there, so that the derivative
    leaves out the jump of the adjoint.  Springs without free length and preload have no force there, and no kink."""
    found = []
    for kind in ("SPRINGDAMPER", "SFORCE"):
        for element in system.model.table(kind).values():
            if not _turns_round(element):
                continue
            line = _place(system, element.i, states) - _place(system, element.j, states)
            before, step = line[:-1], np.diff(line, axis=0)
            square = np.maximum((step * step).sum(axis=1), np.finfo(float).tiny)
            nearest = np.clip(-(before * step).sum(axis=1) / square, 0.0, 1.0)
            miss = np.linalg.norm(before + nearest[:, None] * step, axis=1)
            through = (miss <= THROUGH * np.sqrt(square)) & ((before * line[1:]).sum(axis=1) < 0.0)
            if through.any():
                k = int(np.argmax(through))
                at = times[k] + nearest[k] * (times[k + 1] - times[k])
                found.append(
                    f"{element.label}: its points pass through each other at time {at:.6g}; the force turns round "
                    "there, and the derivative leaves that out: it may be wrong, also in its sign. Use a VFORCE along "
                    "a fixed direction, or keep the points apart"
                )
    return found


def _turns_round(element: Any) -> bool:
    """Does the force act along the line of its points, and not vanish where they meet?"""
    if not element.active or element.kind.upper() != "TRANSLATIONAL" or not element.j:
        return False
    if element.KIND == "SFORCE":
        return not element.actiononly and (element.function or "").strip() not in ("0", "0.0")
    return element.k * element.length + element.force != 0.0


def _place(system: Any, marker_id: int, states: np.ndarray) -> np.ndarray:
    """Places (n, 3) of a marker, of a flexible body as undeformed."""
    marker = system.model.markers[marker_id]
    body = system.body_of(marker)
    local = system.local[body]
    offset = local.axes.T @ (marker.frame.origin - local.origin)
    if body == system.nb:
        return np.broadcast_to(marker.frame.origin, (len(states), 3))
    block = states[:, layout.STATE * body : layout.STATE * (body + 1)]
    q = block[:, layout.QUATERNION]
    across = np.cross(q[:, 1:], offset)
    return block[:, layout.PLACE] + offset + 2.0 * (q[:, :1] * across + np.cross(q[:, 1:], across))
