"""Axes of slender bodies that have passed through each other between two outputs: cables, rods, beams, and capsules or
cylinders that they touch.

Contacts of these see capsules along the axis, and a compliant one does not know from which side it was entered.  Here
the axes themselves are followed: segments whose ends move in straight lines from one output to the next meet where the
volume of the tetrahedron of their ends,

    V(x) = (b - a) x (d - c) . (c - a),

changes its sign and both points that are then nearest to each other lie within the segments (collisions of moving
edges: Provot, Graphics Interface (1997) 177).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...contact.shape_kinds import ROWS
from ...model.base import ModelError
from ...model.shape import is_shape, marker_id, shape_of
from ...results.run import Run

POINTS = 4  # of an axis, for each element
MOST = 60_000_000  # pairs of segments, over all outputs, that are checked
BISECTIONS = 30
BESIDE = 1e-9  # of a segment, by which a crossing may lie outside of it


def axis_of(run: Run, model: Any, number: int) -> tuple[Any, np.ndarray] | None:
    """A key and the points (nt, k, 3) of the axis of the body that has the shape with this id, or of the shape: None of
    what is not slender."""
    graphic = model.table("GRAPHICS").get(number)
    if graphic is None or not is_shape(graphic):
        return None
    try:
        solid = shape_of(model, graphic)
    except ModelError:  # its file is not read: the run left the contact out, and reported
        return None
    kind, ident = solid.body.KIND, solid.body.id
    if kind == "MESH_POINT":
        mesh = model.table("ABSOLUTE_MESH")[solid.body.mesh]
        view = run.mesh(mesh)
        if "length" not in view.kind.PROPERTIES:
            return None
        return ("mesh", mesh.id), view.axis(POINTS).values
    if kind == "PART":
        rod = next((r for r in model.table("ROD").values() if ident in r.parts), None)
        if rod is not None:
            places = run.rod(rod).places
            return ("rod", rod.id), np.concatenate([places, places[:, :1]], axis=1) if rod.closed else places
    row = ROWS[solid.kind]
    if row.rolls != "rod":
        return None
    frame = model.body_frame(solid.body) @ solid.frame
    half = float(solid.par[row.radii[2]])
    ends = frame.origin + np.array([[-half], [half]]) * frame.axes[:, 2]
    if getattr(solid.body, "ground", False):
        return ("shape", number), np.broadcast_to(ends, (len(run), 2, 3))
    marker = model.markers[marker_id(graphic)]
    drawn = model.body_frame(solid.body) @ marker.frame
    at, axes = run.marker(marker)._motion[:2]
    return ("shape", number), at[:, None] + np.einsum("tij,kj->tki", axes, (ends - drawn.origin) @ drawn.axes)


def axes_of(run: Run, contact: Any) -> tuple[dict[Any, np.ndarray], dict[Any, np.ndarray]]:
    """Axes of both sides of a contact, each once; of a contact with itself the second side is the first."""
    sides = []
    for shapes in (contact.igeom, contact.jgeom):
        found = {}
        for number in shapes:
            axis = axis_of(run, run.model, number)
            if axis is not None:
                found[axis[0]] = axis[1]
        sides.append(found)
    return sides[0], sides[1]


def crossings(a: np.ndarray, b: np.ndarray) -> tuple[int, float, np.ndarray] | None:
    """The first passage of two axes (nt, k, 3), (nt, l, 3) through each other: row, share of the interval behind it,
    and position (3,); None where there is none."""
    for k in range(len(a) - 1):
        near = _near(a[k : k + 2], b[k : k + 2])
        if not len(near):
            continue
        i, j = near.T
        ends = [np.stack([x[k][n], x[k][n + 1], x[k + 1][n], x[k + 1][n + 1]]) for x, n in ((a, i), (b, j))]
        found = _meet(*ends)
        if found is not None:
            return k, *found
    return None


def _near(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(m, 2) pairs of segments whose boxes, over the interval, meet."""
    low, high = [], []
    for x in (a, b):
        four = np.stack([x[0, :-1], x[0, 1:], x[1, :-1], x[1, 1:]])
        low.append(four.min(0))
        high.append(four.max(0))
    return np.argwhere(((low[0][:, None] <= high[1][None]) & (low[1][None] <= high[0][:, None])).all(axis=2))


def _at(ends: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First ends and directions (m, 3) at shares x (m,) of the interval."""
    first = ends[0] + x[:, None] * (ends[2] - ends[0])
    last = ends[1] + x[:, None] * (ends[3] - ends[1])
    return first, last - first


def _volume(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    (p, d), (q, e) = _at(a, x), _at(b, x)
    return np.einsum("mi,mi->m", np.cross(d, e), q - p)


def _meet(a: np.ndarray, b: np.ndarray) -> tuple[float, np.ndarray] | None:
    low, high = np.zeros(a.shape[1]), np.ones(a.shape[1])
    first = _volume(a, b, low)
    turns = first * _volume(a, b, high) < 0.0
    if not turns.any():
        return None
    a, b, low, high, first = a[:, turns], b[:, turns], low[turns], high[turns], first[turns]
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        same = _volume(a, b, middle) * first > 0.0
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    (p, d), (q, e) = _at(a, low), _at(b, low)
    dd, ee, de = (np.einsum("mi,mi->m", x, y) for x, y in ((d, d), (e, e), (d, e)))
    det = dd * ee - de**2
    good = det > 1e-12 * dd * ee
    det = np.where(good, det, 1.0)
    w = q - p
    dw, ew = np.einsum("mi,mi->m", d, w), np.einsum("mi,mi->m", e, w)
    s, t = (dw * ee - ew * de) / det, (dw * de - ew * dd) / det
    inside = good & (s >= -BESIDE) & (s <= 1.0 + BESIDE) & (t >= -BESIDE) & (t <= 1.0 + BESIDE)
    if not inside.any():
        return None
    n = int(np.flatnonzero(inside)[np.argmin(low[inside])])
    return float(low[n]), p[n] + s[n] * d[n]


def passed(run: Run, contact: Any) -> str:
    """A message on the first passage of axes of a CONTACT between slender bodies through each other; empty where there
    is none."""
    if not contact.active or len(run) < 2:
        return ""
    first, second = axes_of(run, contact)
    left = MOST
    for name, a in first.items():
        for other, b in second.items():
            if name == other or "shape" == name[0] == other[0]:
                continue
            left -= (a.shape[1] - 1) * (b.shape[1] - 1) * len(run)
            if left < 0:
                return (
                    f"{contact.label}: its axes have too many segments to check them all for passages; give fewer "
                    "outputs"
                )
            found = crossings(a, b)
            if found is not None:
                k, x, at = found
                t = run.time[k] + x * (run.time[k + 1] - run.time[k])
                place = ", ".join(f"{v:.6g}" for v in at)
                return (
                    f"{contact.label}: at time {t:.6g} the axes of two of its bodies have passed through each other at "
                    f"({place}) in ground: "
                    "do not trust this run from there on; raise the stiffness of the contact, or take more elements"
                )
    return ""
