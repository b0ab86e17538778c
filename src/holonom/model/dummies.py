"""Parts without mass or inertia, as Adams takes them: dummies between joints, sliders of which only the mass was given.

Every body of the equations has mass and inertia, so missing values are substituted: a mass of SHARE of that of
all parts together, and the inertia m r^2 of a ring whose radius r is a share of the reach of the part's markers.  What
moves is off by as much; warnings state this
(`validate.doubts`).  A part that no joint holds still needs a mass of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bodies import central_inertia
from .orientation import Frame

SHARE = 1e-6  # of the mass of all parts
THIN = 0.01  # of the reach of a part: radius of gyration where only the mass was given


def held(model: Any, part: Any) -> bool:
    """Whether an active joint or primitive holds the part."""
    own = {m.id for m in model.markers.values() if m.body_kind == part.KIND and m.part == part.id}
    return any(
        e.active and (e.i in own or e.j in own) for kind in ("JOINT", "JPRIM") for e in model.table(kind).values()
    )


def mass_of(model: Any, body: Any) -> float:
    """Mass of a body in model units, or its substitute."""
    if body.mass:
        return float(body.mass)
    known = sum(
        b.mass for table in (model.parts, model.table("POINT_MASS")) for b in table.values() if b.mass and b.mass > 0.0
    )
    return SHARE * float(known or 1.0)


def place_of(model: Any, part: Any) -> Frame:
    """Frame of the centre of mass in the part's own axes; the part's own where it names none."""
    cm = model.markers.get(part.cm) if part.cm is not None else None
    return cm.frame if cm is not None else Frame.identity()


def has_inertia(part: Any) -> bool:
    return bool(part.mass) and bool(part.ip) and any(part.ip)


def inertia_of(model: Any, part: Any) -> tuple[np.ndarray, np.ndarray]:
    """As `bodies.central_inertia`, with a substitute for inertia that is not given."""
    if has_inertia(part):
        return central_inertia(model, part)
    place = place_of(model, part)
    frames = [
        m.frame for m in model.markers.values() if m.body_kind == part.KIND and m.part == part.id and not m.floating
    ]
    reach = max((float(np.linalg.norm(f.origin - place.origin)) for f in frames), default=0.0)
    if not reach > 0.0:
        places = np.array([p.frame.origin for p in model.parts.values()])
        reach = 0.1 * float(np.ptp(places, axis=0).max()) or 1.0
    radius = (THIN if part.mass else 1.0) * reach
    return mass_of(model, part) * radius**2 * np.eye(3), place.axes


def words(model: Any, part: Any) -> str:
    """Substitute for missing mass or inertia of a part, a sentence; empty where nothing is missing."""
    if part.ground or not part.active or has_inertia(part):
        return ""
    unit = model.units.symbol("mass")
    inertia = float(inertia_of(model, part)[0][0, 0])
    if part.mass:
        return (
            f"{part.label}: it has mass but no inertia; {inertia:.3g} {unit}*{model.units.symbol('length')}^2 about "
            "every axis is used instead"
        )
    return (
        f"{part.label}: it has no mass; {mass_of(model, part):.3g} {unit} ({SHARE:g} of all parts) and an inertia of "
        f"{inertia:.3g} "
        f"{unit}*{model.units.symbol('length')}^2 are used instead"
    )
