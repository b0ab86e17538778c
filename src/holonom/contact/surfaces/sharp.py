"""Sharp convex edges and corners of surfaces of triangles, of flexible bodies and of rigid shapes with plane faces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...model.triangles import area_vectors
from ..shape_kinds import contact_parts

SHARP = math.cos(math.radians(20.0))  # of the normals of the faces next to an edge
WELDED = 1e-9  # of the size of a surface, within which vertices are one


def welded(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same surface with one vertex at each position."""
    size = float(np.ptp(points, axis=0).max()) or 1.0
    _, first, back = np.unique(np.round(points / (WELDED * size)), axis=0, return_index=True, return_inverse=True)
    triangles = back.ravel()[triangles]
    whole = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
    return points[first], triangles[whole]


def sharp_edges(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(e, 2) ends of the edges whose two faces make a convex angle of more than 20 degrees, and (e, 2, 3) unit vectors
    across each into both faces."""
    normal = area_vectors(points, triangles)
    size = np.linalg.norm(normal, axis=1)
    beside: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for f in np.flatnonzero(size > 0.0):
        a, b, c = (int(k) for k in triangles[f])
        for p, q, apex in ((a, b, c), (b, c, a), (c, a, b)):
            beside.setdefault((min(p, q), max(p, q)), []).append((int(f), apex))
    ends, wings = [], []
    for (p, q), faces in beside.items():
        if len(faces) != 2:
            continue
        (f, over), (g, far) = faces
        n, m = normal[f] / size[f], normal[g] / size[g]
        if n @ m > SHARP or not n @ (points[far] - points[p]) < 0.0:
            continue
        along = points[q] - points[p]
        along = along / np.linalg.norm(along)
        wing = [points[k] - points[p] for k in (over, far)]
        wing = [w - (w @ along) * along for w in wing]
        ends.append((p, q))
        wings.append([w / np.linalg.norm(w) for w in wing])
    return np.array(ends, np.int64).reshape(-1, 2), np.array(wings, float).reshape(-1, 2, 3)


def corner_normals(points: np.ndarray, triangles: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """(k, 3) unit normals at vertices, each of its faces that differ by more than 20 degrees counted once whatever its
    area."""
    normal = area_vectors(points, triangles)
    size = np.linalg.norm(normal, axis=1)
    out = np.zeros((len(corners), 3))
    for k, vertex in enumerate(corners):
        kept: list[np.ndarray] = []
        for f in np.flatnonzero((triangles == vertex).any(axis=1) & (size > 0.0)):
            n = normal[f] / size[f]
            if all(n @ m < SHARP for m in kept):
                kept.append(n)
        total = np.sum(kept, axis=0) if kept else np.zeros(3)
        length = np.linalg.norm(total)
        out[k] = total / length if length > 1e-6 else 0.0
    return out


def polyhedron(solid: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Vertices and triangles of a rigid shape with plane faces, in its own axes; None of others."""
    plane = contact_parts(solid.kind).plane_faces
    if plane is None:
        return None
    points, triangles = plane(solid)
    return welded(np.asarray(points, float), np.asarray(triangles, np.int64))
