"""Bounding box and sphere of a shape in its own axes, and how wide it is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .base import ModelError

INF = np.inf
#: shapes whose bounding box is as wide as they are; all others may be thin anywhere
SOLID = ("SPHERE", "CYLINDER", "CAPSULE", "ELLIPSOID", "TORUS", "BOX", "PLANE")
#: of shapes that are round across their axis: where the radius stands in their numbers (`contact.tables`)
ROUND = {"SPHERE": 0, "CYLINDER": 0, "CAPSULE": 0, "TORUS": 1}
HOLLOW = {"SPHERE": 1, "CYLINDER": 2}


def bounds(solid) -> tuple[np.ndarray, np.ndarray, float]:
    """Centre (3,) and half sides (3,) of the box, and radius of the sphere about the same centre; infinite for what has no end.

    ``solid``: `model.shape.Solid`.
    """
    p = solid.par
    centre = np.zeros(3)
    kind = solid.kind
    if kind == "POINT":
        half = np.zeros(3)
    elif kind == "SPHERE":
        half = np.full(3, p[0])
        if p[1]:
            half = half * 1.5  # what lies just outside of a hollow one has gone through
        return centre, half, float(half[0])
    elif kind == "PLANE":
        if p[0] == 0.0:
            return centre, np.full(3, INF), INF
        deep = max(p[0], p[1])  # material below: what has sunk in is still found
        return np.array([0.0, 0.0, -0.5 * deep]), np.array([p[0], p[1], 0.5 * deep]), float(np.hypot(np.hypot(p[0], p[1]), 0.5 * deep))
    elif kind == "BOX":
        half = np.array(p[:3])
    elif kind == "CYLINDER":
        half = np.array([p[0], p[0], p[1]])
        if p[2]:
            half[:2] *= 1.5
    elif kind == "CAPSULE":
        half = np.array([p[0], p[0], p[1] + p[0]])
    elif kind == "FRUSTUM":
        r = max(p[0], p[1])
        half = np.array([r, r, p[2]])
    elif kind == "ELLIPSOID":
        half = np.array(p[:3])
    elif kind == "TORUS":
        half = np.array([p[0] + p[1], p[0] + p[1], p[1]])
    elif kind in ("HULL", "MESH"):
        low, high = solid.vertices.min(axis=0), solid.vertices.max(axis=0)
        centre, half = 0.5 * (low + high), 0.5 * (high - low)
        return centre, half, float(np.sqrt(((solid.vertices - centre) ** 2).sum(axis=1).max()))
    elif kind == "HEIGHT_FIELD":
        rows, columns = solid.heights.shape
        low, high = solid.heights.min(), solid.heights.max()
        x, y = 0.5 * p[0] * (rows - 1), 0.5 * p[1] * (columns - 1)
        deep = high - low + 0.1 * max(x, y)
        centre, half = np.array([0.0, 0.0, high - 0.5 * deep]), np.array([x, y, 0.5 * deep])
    elif kind in ("CURVE", "EXTRUSION", "REVOLUTION"):
        points = solid.profile.polyline()
        low, high = points.min(axis=0), points.max(axis=0)
        pad = 0.02 * float((high - low).max())  # the polyline cuts the arcs' corners
        if kind == "REVOLUTION":
            r = float(np.abs(points[:, 0]).max()) + pad
            centre = np.array([0.0, 0.0, 0.5 * (low[1] + high[1])])
            half = np.array([r, r, 0.5 * (high[1] - low[1]) + pad])
        else:
            centre = np.array([*(0.5 * (low + high)), 0.0])
            half = np.array([*(0.5 * (high - low) + pad), p[0] if kind == "EXTRUSION" else 0.5 * p[0]])
            if kind == "CURVE" and p[0] == 0.0:
                half[2] = 1e6 * float(half[:2].max())  # prismatic, without end for all that a machine is
            if kind == "EXTRUSION" and p[1] != 0.0:
                r = float(np.hypot(points[:, 0], points[:, 1]).max()) + pad
                centre, half = np.zeros(3), np.array([r, r, p[0]])
    else:
        raise ModelError(f"no bounds are known for a shape of kind {kind}")
    return centre, half, float(np.linalg.norm(half))


def half_width(solid: Any, along: np.ndarray | None = None) -> float:
    """Half of the least width of a shape (`model.shape.Solid`), length; of its width along the directions ``along`` (k, 3) in its own axes, the least of them.
    Infinite of half-spaces and hollow shapes, 0 of shapes that may be thin anywhere (hulls, meshes, profiles)."""
    if solid.kind in HOLLOW and solid.par[HOLLOW[solid.kind]]:
        return math.inf
    if solid.kind not in SOLID:
        return 0.0
    half = bounds(solid)[1]
    if not np.all(np.isfinite(half)):
        return math.inf
    return float(half.min() if along is None else (np.abs(along) @ half).min())


def roundness(solid: Any) -> float:
    """Radius of a round shape on which an axis can lie, infinite of a half-space or a hollow shape, 0 of shapes with edges."""
    if not math.isfinite(half_width(solid)):
        return math.inf
    if solid.kind == "ELLIPSOID":
        return float(min(solid.par[:3]))
    return float(solid.par[ROUND[solid.kind]]) if solid.kind in ROUND else 0.0
