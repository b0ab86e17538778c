"""What cylinders with two chambers have in common, whatever fills them: checks of their sizes and of their drawing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from ...model.base import ModelError


def size_faults(cylinder: Any, positive: Iterable[str], not_negative: Iterable[str]) -> Iterator[str]:
    """A sentence for each number that is not positive, or is negative."""
    for name in positive:
        if not getattr(cylinder, name) > 0.0:
            yield f"{name} is {getattr(cylinder, name):g}; give a positive number"
    for name in not_negative:
        if getattr(cylinder, name) < 0.0:
            yield f"{name} is {getattr(cylinder, name):g}; give zero or a positive number"


def drawing_faults(cylinder: Any, model: Any) -> Iterator[str]:
    """A sentence for a drawn distance at which a chamber has no volume left."""
    ends = [model.markers.get(m) for m in (cylinder.i, cylinder.j)]
    turned = any(e.icrot or e.ictran for e in model.table("JOINT").values())  # assembly moves what is drawn
    if None in ends or turned or not cylinder.area_a > 0.0:
        return
    try:
        a, b = (model._place(m).origin for m in ends)
    except (ModelError, KeyError):  # of a marker without a body, which is a fault of its own
        return
    s = math.dist(a, b) - cylinder.length
    beyond = cylinder.dead_b / cylinder.area_b if cylinder.area_b > 0.0 else math.inf
    if not -cylinder.dead_a / cylinder.area_a < s < cylinder.stroke + beyond:
        yield (
            f"its markers are drawn {s + cylinder.length:g} apart; the cylinder reaches from {cylinder.length:g} "
            f"(length) to {cylinder.length + cylinder.stroke:g} (length + stroke); correct these, or the drawing"
        )
