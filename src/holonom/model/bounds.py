"""Bounding box and sphere of a shape in its own axes, and how wide it is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .shape_kinds import shape_kind


def bounds(solid: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """Centre (3,) and half sides (3,) of the box, and radius of the sphere about the same centre; infinite for what has
    no end.

    ``solid``: `model.shape.Solid`.
    """
    return shape_kind(solid.kind).bounds(solid)


def half_width(solid: Any, along: np.ndarray | None = None) -> float:
    """Half of the minimum width of a shape (`model.shape.Solid`), length; of its width along the directions ``along``
    (k,
    3) in its own axes, the smallest of them. Infinite of half-spaces and hollow shapes, 0 of shapes that may be thin
    anywhere (hulls, meshes, profiles)."""
    kind = shape_kind(solid.kind)
    if kind.hollow(solid):
        return math.inf
    if not kind.wide:
        return 0.0
    half = bounds(solid)[1]
    if not np.all(np.isfinite(half)):
        return math.inf
    return float(half.min() if along is None else (np.abs(along) @ half).min())


def roundness(solid: Any) -> float:
    """Radius of a round shape on which an axis can lie, infinite of a half-space or a hollow shape, 0 of shapes with
    edges."""
    if not math.isfinite(half_width(solid)):
        return math.inf
    return float(shape_kind(solid.kind).roundness(solid))
