"""Are joints closed at outputs?  Measured from the markers of rigid bodies alone, without the equations that hold the
joints.

A joint keeps its I marker, at p_i with the axis z_i, to its J marker:

    point (FIXED, REVOLUTE, SPHERICAL, ...)    |p_i - p_j| = 0
    line (TRANSLATIONAL, CYLINDRICAL, INLINE)  |(p_i - p_j) x z_j| = 0
    plane (PLANAR, INPLANE)                    |(p_i - p_j) . z_j| = 0
    axes (REVOLUTE, TRANSLATIONAL, ...)        |z_i x z_j| = 0, an angle

The bound is that with which results call a joint open (`singular.tolerance`), for angles times the radius of gyration.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._jit import briefly, jit
from ..._warnings import WarningText
from ...elements.bodies.layout import STATE
from .singular import tolerance

POINT, LINE, PLANE = range(3)
#: what the markers of a joint keep: their points, and whether their z axes stay parallel
KEPT = {
    "FIXED": (POINT, True),
    "REVOLUTE": (POINT, True),
    "SPHERICAL": (POINT, False),
    "UNIVERSAL": (POINT, False),
    "HOOKE": (POINT, False),
    "CONVEL": (POINT, False),
    "TRANSLATIONAL": (LINE, True),
    "CYLINDRICAL": (LINE, True),
    "PLANAR": (PLANE, True),
    "ATPOINT": (POINT, False),
    "INLINE": (LINE, False),
    "INPLANE": (PLANE, False),
}
SHOWN = 3  # joints that are reported


@jit(entry="float64[::1], int64[:, ::1], int64[::1], bool[::1], float64[:, :, ::1], float64[:, :, ::1], float64")
def widest(y, body, kept, parallel, at, axis, length):
    """(joint, gap) of the joint that is open the widest in state y: body (n, 2), at (n, 2, 3), axis (n, 2, 3): bodies,
    positions and z axes of the markers in the axes of their bodies; kept (n,): POINT, LINE or PLANE; parallel (n,);
    angles count with ``length``."""
    worst, which = -1.0, -1
    for k in range(body.shape[0]):
        d0 = d1 = d2 = 0.0
        a0 = a1 = a2 = z0 = z1 = z2 = 0.0
        for side in range(2):
            x = y[STATE * body[k, side] : STATE * body[k, side] + 7]
            w, a, b, c = x[3], x[4], x[5], x[6]
            s = 2.0 / (w * w + a * a + b * b + c * c)
            for part in range(2):
                v = at[k, side] if part == 0 else axis[k, side]
                t0, t1, t2 = b * v[2] - c * v[1], c * v[0] - a * v[2], a * v[1] - b * v[0]
                r0 = v[0] + s * (w * t0 + b * t2 - c * t1)
                r1 = v[1] + s * (w * t1 + c * t0 - a * t2)
                r2 = v[2] + s * (w * t2 + a * t1 - b * t0)
                if part == 1:
                    if side == 0:
                        a0, a1, a2 = r0, r1, r2
                    else:
                        z0, z1, z2 = r0, r1, r2
                elif side == 0:
                    d0, d1, d2 = x[0] + r0, x[1] + r1, x[2] + r2
                else:
                    d0, d1, d2 = d0 - x[0] - r0, d1 - x[1] - r1, d2 - x[2] - r2
        along = d0 * z0 + d1 * z1 + d2 * z2
        if kept[k] == POINT:
            gap = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        elif kept[k] == LINE:
            e0, e1, e2 = d0 - along * z0, d1 - along * z1, d2 - along * z2
            gap = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
        else:
            gap = abs(along)
        if parallel[k]:
            e0, e1, e2 = a1 * z2 - a2 * z1, a2 * z0 - a0 * z2, a0 * z1 - a1 * z0
            gap = max(gap, length * math.sqrt(e0 * e0 + e1 * e1 + e2 * e2))
        if gap > worst or gap != gap:
            worst, which = gap, k
    return which, worst


class ClosedJoints:
    """Measures the joints between rigid bodies of one system at outputs, and reports what is open.

    ``checked``: rows; ``widest``: (gap, label of the joint) so far; ``reported``: ids of the joints that were open."""

    def __init__(self, system: Any, say: Callable[[Any], None]) -> None:
        self.system, self.say = system, say
        self.joints: list[Any] = []
        self.checked, self.widest = 0, (0.0, "")
        self.reported: set[int] = set()
        carriers = system.bodies.carriers
        soft = set() if carriers is None else {*map(int, carriers.body), *map(int, carriers.nodes.body)}
        rows = []
        for constraint in system.constraints:
            joint = constraint.element
            kept = KEPT.get(joint.type) if joint.KIND in ("JOINT", "JPRIM") else None
            if kept is None:
                continue
            i, j = self._marker(joint.i), self._marker(joint.j)
            if i is None or j is None or i[0] in soft or j[0] in soft:
                continue
            self.joints.append(joint)
            rows.append((kept, (i, j)))
        self.body = np.array([[s[0] for s in sides] for _, sides in rows], np.int64).reshape(-1, 2)
        self.at = np.array([[s[1] for s in sides] for _, sides in rows], float).reshape(-1, 2, 3)
        self.axis = np.array([[s[2] for s in sides] for _, sides in rows], float).reshape(-1, 2, 3)
        self.length = float(system.gyration)
        self.kept = np.array([kept for (kept, _), _ in rows], np.int64)
        self.parallel = np.array([parallel for (_, parallel), _ in rows], np.bool_)

    def _marker(self, id: int) -> tuple[int, np.ndarray, np.ndarray] | None:
        """Body, position and z axis of a marker in the principal axes of its body; None where that is not a body of the
        system."""
        system = self.system
        marker = system.model.markers.get(id)
        if marker is None:
            return None
        b = system.body_index.get((marker.body_kind, marker.part))
        if b is None:
            return None
        local = system.local[b]
        return b, local.axes.T @ (marker.frame.origin - local.origin), local.axes.T @ marker.frame.axes[:, 2]

    def check(self, t: float, y: np.ndarray) -> None:
        """The row of results at (t, y)."""
        if not self.joints:
            return
        system = self.system
        self.checked += 1
        given = y, self.body, self.kept, self.parallel, self.at, self.axis, self.length
        k, gap = briefly(widest, len(self.joints), *given)
        if gap <= self.widest[0]:
            return
        joint = self.joints[k]
        self.widest = gap, joint.label
        if gap <= tolerance(system, y) or joint.id in self.reported or len(self.reported) == SHOWN:
            return
        self.reported.add(joint.id)
        unit = system.model.units.symbol("length")
        self.say(
            WarningText(
                f"at time {t:.9g} {joint.label} is open by {gap:.3g} {unit}, measured between its markers; the "
                "equations that hold it are satisfied, so one of "
                "them was left out as redundant or does not describe this joint; use a smaller ERROR, or joints that "
                "do not contradict each other"
            )
        )


def summary(checked: list[ClosedJoints]) -> dict[str, Any]:
    """What results give of the joints: rows checked, joints, the widest gap (length) and its joint; empty where nothing
    was checked."""
    some = [c for c in checked if c.checked]
    if not some:
        return {}
    worst = max((c.widest for c in some), key=lambda found: found[0])
    return {
        "rows": sum(c.checked for c in some),
        "joints": max(len(c.joints) for c in some),
        "widest gap": worst[0],
        "joint": worst[1],
    }
