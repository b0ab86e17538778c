"""Names of results: an unknown attribute of a run or of one of its views raises an error with the closest name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._summary import Summary
from ..model import ModelError
from ..model.base import Element, shown, whole_number
from ..model.calls import Guided

if TYPE_CHECKING:
    from ._data import Key


class Named(Guided, Summary):
    """Base of every class that users read results from.  An attribute that does not exist raises `AttributeError` with
    the closest name, or with all names; calls that do not fit a method raise `ModelError` (`model.calls`)."""


class Keys:
    """Finds a column by name, id, KIND/id or element."""

    def __init__(self, what: str, keys: list[Key]) -> None:
        self.what = what
        self.keys = keys
        self.by_kind_id = {(k.upper(), i): (k, i, n) for k, i, n in keys}
        self.by_name: dict[str, list[Key]] = {}
        for key in keys:
            self.by_name.setdefault(key[2].lower(), []).append(key)

    def find(self, reference: Any, prefer: str | None = None) -> Key:
        if isinstance(reference, Element):
            reference = f"{reference.KIND}/{reference.id}"
        if isinstance(reference, str) and not reference.strip().isdigit():
            text = reference.strip()
            kind, _, number = text.rpartition("/")
            if kind and number.isdigit() and (kind.upper(), int(number)) in self.by_kind_id:
                return self.by_kind_id[kind.upper(), int(number)]
            found = self.by_name.get(text.lower()) or self.by_name.get(text.lower().rsplit(".", 1)[-1]) or []
            which = f"named '{reference}'"
            hint = suggestion(text.lower(), [k[2] for k in self.keys])
        else:
            whole = whole_number(reference)
            if whole is None:
                raise ModelError(f"give a name, an id, 'KIND/id' or an element, not {shown(reference)}")
            wanted = whole
            found = [k for k in self.keys if k[1] == wanted]
            which = f"with id {wanted}"
            hint = suggestion("", [f"{k[0]}/{k[1]}" for k in self.keys])
        if prefer and any(k[0] == prefer for k in found):
            found = [k for k in found if k[0] == prefer]
        if not found:
            raise ModelError(f"none of the {self.what} of this run is {which}{hint}")
        if len(found) > 1:
            raise ModelError(
                f"several {self.what} are {which}: state which, as '"
                + "' or '".join(f"{k[0]}/{k[1]}" for k in found)
                + "'"
            )
        return found[0]


def suggestion(word: str, names: Sequence[str]) -> str:
    """End of an error sentence: the closest name, or what there is."""
    import difflib

    lower = {n.lower(): n for n in names}
    close = difflib.get_close_matches(word, list(lower), n=1)
    if close:
        return f"; did you mean '{lower[close[0]]}'?"
    if not names:
        return "; it recorded none"
    return "; it has " + ", ".join(list(names)[:6]) + (", ..." if len(names) > 6 else "")
