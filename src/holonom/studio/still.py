"""Bodies that will not move in a run, which a user who has just drawn them expects to fall."""

from __future__ import annotations

from typing import Any

from ..model.base import kinds_of

NAMED = 5  # bodies that are named


def without_gravity(model: Any) -> list[str]:
    """A message where gravity is zero and bodies are free: without a constraint, a force or an initial velocity.

    A contact alone does not move a body that rests, so it does not count."""
    if any(model.gravity):
        return []
    held = {("PART", n) for n, p in model.parts.items() if p.ground}
    markers, joints = model.markers, model.table("JOINT")
    for kind in (*kinds_of("constraint"), *kinds_of("force")):
        for e in model.table(kind).values():
            if e.active and kind != "CONTACT":
                held |= _bodies(e, markers, joints)
    for kind in ("FLEXIBILITY", "FE_PART", "FLEX_BODY"):
        held |= {("PART", e.part) for e in model.table(kind).values() if getattr(e, "part", None)}
    bodies = [*model.parts.values(), *model.table("POINT_MASS").values()]
    free = [b for b in bodies if (b.KIND, b.id) not in held and not _thrown(b)]
    if not free:
        return []
    names = ", ".join(f"{b.KIND}/{b.id} '{b.name}'" for b in free[:NAMED])
    more = f" and {len(free) - NAMED} more" if len(free) > NAMED else ""
    parts = "1 part is" if len(free) == 1 else f"{len(free)} parts are"
    them = "it" if len(free) == 1 else "them"
    return [
        f"gravity is zero and {parts} free: nothing moves {names}{more}; give the model its gravity, or a force or a "
        f"velocity to {them}"
    ]


def _bodies(element: Any, markers: Any, joints: Any) -> set[tuple[str, int]]:
    """Bodies on which an element acts, through its markers and joints."""
    found = set()
    for name, target in getattr(type(element), "REFERENCES", {}).items():
        value = getattr(element, name, None)
        for number in value if isinstance(value, (tuple, list)) else (value,):
            if target == "MARKER" and number in markers:
                found.add((markers[number].body_kind, markers[number].part))
            elif target == "JOINT" and number in joints:
                found |= _bodies(joints[number], markers, {})
            elif target in ("PART", "POINT_MASS") and number:
                found.add((target, number))
    return found


def _thrown(body: Any) -> bool:
    return any(getattr(body, name, None) for name in ("vx", "vy", "vz", "wx", "wy", "wz"))
