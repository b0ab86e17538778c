"""``run["pin"]``: results by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...model import ModelError
from ...model.base import Element, shown
from .._names import suggestion

if TYPE_CHECKING:
    from ..run import Run

#: tables of a run -> the method that gives the view of one element
VIEW_OF_GROUP = {
    "bodies": "part",
    "constraints": "constraint",
    "forces": "force",
    "contacts": "contact",
    "requests": "request",
    "variables": "variable",
}


def named(run: Run, reference: Any) -> Any:
    """Results of one element of any type, by its name, ``"KIND/id"`` or the element; of a marker; of a state by its
    label; or one history by its full name (`curve`).

    Raises `ModelError` for an ambiguous or unknown name.
    """
    if isinstance(reference, Element):
        reference = run.model.meant(reference)
        if reference.KIND == "MARKER":
            return run.marker(reference)
        reference = f"{reference.KIND}/{reference.id}"
    if not isinstance(reference, str):
        raise ModelError(f"{shown(reference)} does not name a result; give a name, as run['pin'], or 'JOINT/3'")
    text = reference.strip().lower()
    found = []
    for table, view in VIEW_OF_GROUP.items():
        for kind, number, name in run._keys[table].keys:
            if text in (name.lower(), f"{kind.lower()}/{number}"):
                found.append((view, f"{kind}/{number}"))
    if len(found) > 1:
        raise ModelError(
            f"several elements of this run are named '{reference}': give " + " or ".join(f"'{key}'" for _, key in found)
        )
    if found:
        view, key = found[0]
        return getattr(run, view)(key)
    if text in (label.lower() for label in run.states):
        return run.state(reference)
    ground = next((p for p in run.model.table("PART").values() if p.ground), None)
    if ground is not None and text in (ground.name.lower(), f"part/{ground.id}"):
        return run.part(ground)
    for marker in run.model.table("MARKER").values():
        if text in (marker.name.lower(), f"marker/{marker.id}"):
            return run.marker(marker)
    if "." in text:
        return run.curve(reference)
    names = [key[2] for table in VIEW_OF_GROUP for key in run._keys[table].keys] + list(run.states)
    raise ModelError(f"this run has nothing named '{reference}'{suggestion(text, names)}")
