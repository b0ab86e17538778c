"""Points of shapes to which drawing snaps: ends of rods and cylinders, corners and centres of boxes, corners of
extrusions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

MAX_SNAPS = 20_000
MAX_CORNERS = 64  # of a profile


def snap_points(model: Any, look: Any, index: dict[Any, int]) -> list[list[Any]]:
    """Rows of body number, x, y, z in axes of the body, and what the point is.

    ``look``: `pictures.geometry.build_look` of the model; ``index``: numbers of the bodies.  Markers are no part of
    it."""
    out: list[list[Any]] = []
    for g in model.table("GRAPHICS").values():
        number = g.arguments.get("corner" if g.type == "BOX" else "cm")
        frame = look.markers.get(number) if isinstance(number, int) else None
        if frame is None or frame.body not in index:
            continue
        for local, word in _points(g):
            at = np.asarray(frame.origin, float) + np.asarray(frame.axes, float) @ np.asarray(local, float)
            if np.isfinite(at).all():
                out.append([index[frame.body], *(float(f"{v:.9g}") for v in at), word])
        if len(out) >= MAX_SNAPS:
            break
    return out[:MAX_SNAPS]


def _points(graphic: Any) -> Iterator[tuple[tuple[float, float, float], str]]:
    """Points of a shape in axes of the marker that carries it."""
    a = graphic.arguments
    number = lambda name: float(a.get(name) or 0.0) if isinstance(a.get(name), (int, float)) else 0.0
    if graphic.type in ("CYLINDER", "CAPSULE", "FRUSTUM"):
        yield (0.0, 0.0, 0.0), "end"
        yield (0.0, 0.0, number("length")), "end"
        yield (0.0, 0.0, 0.5 * number("length")), "middle"
    elif graphic.type == "BOX":
        edges = tuple(number(c) for c in "xyz")
        yield tuple(0.5 * e for e in edges), "centre"  # type: ignore[misc]
        for corner in product((0.0, 1.0), repeat=3):
            yield tuple(c * e for c, e in zip(corner, edges)), "corner"  # type: ignore[misc]
    elif graphic.type == "EXTRUSION" and isinstance(a.get("profile"), (list, tuple)):
        rows = [r for r in a["profile"] if isinstance(r, (list, tuple)) and len(r) == 2]
        for x, y in rows[:MAX_CORNERS]:
            yield (float(x), float(y), 0.0), "corner"
            yield (float(x), float(y), number("length")), "corner"
    elif graphic.type in ("ELLIPSOID", "TORUS", "ROUNDED_BOX"):
        yield (0.0, 0.0, 0.0), "centre"
