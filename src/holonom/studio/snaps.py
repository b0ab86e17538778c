"""Points of shapes to which drawing snaps (`ShapeKind.features`), in axes of the bodies that carry them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model import ModelError
from ..model.shape import is_shape, kind_of, shape_of
from ..model.shape_kinds import shape_kind
from ..model.shape_kinds._kind import _no_features

MAX_SNAPS = 20_000


def snap_points(model: Any, index: dict[Any, int]) -> list[list[Any]]:
    """Rows of body number, x, y, z in axes of the body, and what the point is.

    ``index``: numbers of the bodies by (kind, id).  Markers are no part of it; shapes that cannot be read have none."""
    out: list[list[Any]] = []
    for g in model.table("GRAPHICS").values():
        if len(out) >= MAX_SNAPS:
            break
        try:
            if not is_shape(g) or shape_kind(kind_of(model, g)).features is _no_features:
                continue
            solid = shape_of(model, g)
        except (ModelError, KeyError, ValueError, ArithmeticError):
            continue
        body = index.get((solid.body.KIND, solid.body.id))
        if body is None:
            continue
        for local, word in shape_kind(solid.kind).features(solid):
            at = solid.frame.origin + solid.frame.axes @ np.asarray(local, float)
            if np.isfinite(at).all():
                out.append([body, *(float(f"{v:.9g}") for v in at), word])
    return out[:MAX_SNAPS]
