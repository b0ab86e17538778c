"""What is advised in a run that takes long: sentences with actions that a user takes with one click.

An action is a table: ``label``, ``commands`` (edits of the model, as `Document.do` takes them) and ``settings`` of the
next run.
"""

from __future__ import annotations

from typing import Any

PATIENCE = 8.0  # seconds of computing before a run can be called long
LONG = 60.0  # seconds that are left of a run from which something is advised
MANY_GRAINS = 200
MANY_CONTACTS = 20  # bodies that may touch, from which contacts as constraints are advised
FREE = ("auto", "dynamics", "interactive")  # analyses with a choice of the integrator


def grains(model: Any, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """The granular solver, where only the integrator keeps the grains from it."""
    from ..analyses.grains.granular import METHODS, safe_step, unfit

    count = sum(len(g) for g in model.table("GRAINS").values() if g.active)
    chosen = settings.get("integrator") or model.integrator.kind
    if count < MANY_GRAINS or chosen in METHODS or model.rigid.method != "compliant":
        return []
    if unfit(model, "SEMI_IMPLICIT_EULER"):
        return []
    step = safe_step(model)
    if not step:
        return []
    hmax = {"do": "settings", "group": "integrator", "field": "hmax", "value": step}
    label = f"Granular solver, step {step:g} {model.units.symbol('time')}"
    return [{"label": label, "commands": [hmax], "settings": {"integrator": "SEMI_IMPLICIT_EULER", "error": ""}}]


def contacts(model: Any, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Contacts as constraints, where many bodies touch by forces."""
    if model.rigid.method != "compliant":
        return []
    touching = [c for c in model.table("CONTACT").values() if c.active]
    bodies = {g for c in touching for g in (*c.igeom, *c.jgeom)}
    many = len(bodies) + sum(len(model.find("GRAINS", n)) for c in touching for n in {*c.igrains, *c.jgrains})
    if many < MANY_CONTACTS:
        return []
    method = {"do": "settings", "group": "rigid", "field": "method", "value": "time-stepping"}
    return [{"label": "Contacts as constraints", "commands": [method], "settings": {"integrator": "", "error": ""}}]


def looser(model: Any, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Settings of the run that the user has given, and that may be what takes long."""
    out: list[dict[str, Any]] = []
    if settings.get("integrator"):
        out.append({"label": "Automatic integrator", "commands": [], "settings": {"integrator": ""}})
    if settings.get("error"):
        out.append({"label": "Default error", "commands": [], "settings": {"error": ""}})
    return out


def actions(model: Any, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """All that may make a run of these settings shorter; none for analyses without a choice."""
    if settings.get("kind") not in FREE:
        return []
    return [a for find in (grains, contacts, looser) for a in find(model, settings)]


class Pace:
    """Notices once that a run takes long.  ``update`` at its progress; times in units of the model, ``now`` in
    seconds."""

    def __init__(self, end: float | None) -> None:
        self.end, self.begun, self.first, self.said = end, None, 0.0, False

    def update(self, t: float, now: float) -> float | None:
        """Seconds that are left, once, where they are many; else None."""
        if self.begun is None:
            self.begun, self.first = now, t
        spent, way = now - self.begun, t - self.first
        if self.said or not self.end or spent < PATIENCE or not way > 0.0:
            return None
        left = spent * (self.end - t) / way
        if left < LONG:
            return None
        self.said = True
        return left


def duration(seconds: float) -> str:
    """A time to wait as text."""
    for size, name in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 1.5 * size:
            return (
                f"{seconds / size:.0f} {name}"
                if seconds >= 10 * size or size == 60.0
                else f"{seconds / size:.1f} {name}"
            )
    return f"{seconds:.0f} s"
