"""What to try, as far as it fits the model: no advice on motions, EXACT or contacts where a model has none."""

from __future__ import annotations

from typing import Any


def try_(*ways: str) -> str:
    """``try (1) this, (2) that``; empty ways are left out."""
    return "try " + ", ".join(f"({k}) {way}" for k, way in enumerate(filter(None, ways), 1))


def driven(model: Any) -> bool:
    """Whether motions drive something."""
    return any(m.active for m in model.table("MOTION").values())


def pinned(model: Any) -> bool:
    """Whether coordinates of some part are exact."""
    return any(getattr(body, "exact", ()) for kind in ("PART", "POINT_MASS") for body in model.table(kind).values())


def touching(model: Any) -> bool:
    """Whether there are contacts."""
    return any(e.active for kind in ("CONTACT", "SURFACE_CONTACT") for e in model.table(kind).values())
