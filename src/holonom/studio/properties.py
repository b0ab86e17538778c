"""The property editor's rows, from the declarations of the model: types, words, references, defaults, texts."""

from __future__ import annotations

import dataclasses
import re
import typing
from functools import cache
from pathlib import Path
from typing import Any

from ..model import Model
from ..model.base import ELEMENT_TYPES
from ..model.model import SETTINGS, _tuples
from ..model.validate import faults_of
from .document import EXPRESSIONS, FIXED, texts_wrong
from .terms import rank, term, unit_of, used

#: components of lists of a fixed length, which have a field each
COMPONENTS = {"ip": ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")}
#: lists of expressions, which have a field each
TEXTS = {("CONTROL", "inputs")}
SHOWN_LAST = ("active", "source")
MAX_ROWS = 400  # of a list that is shown


@cache
def rows(cls: type) -> tuple[dict[str, Any], ...]:
    """One table a field of a dataclass: ``name``, ``kind`` of its editor, ``words``, ``reference``, ``needed``,
    ``default``, ``help``."""
    hints = typing.get_type_hints(cls)
    words: dict[str, Any] = getattr(cls, "WORDS", {})
    references: dict[str, str] = getattr(cls, "REFERENCES", {})
    text = " ".join((cls.__doc__ or "").split())
    out = []
    for f in dataclasses.fields(cls):
        if f.name in FIXED:
            continue
        hint = hints[f.name]
        optional = type(None) in typing.get_args(hint)
        kind, size = _editor(hint)
        if f.name in words:
            kind = "choice"
        elif f.name in references:
            kind = "references" if kind in ("list", "any") else "reference"
        elif f.name in EXPRESSIONS:
            kind = "formula"
        elif cls.__dict__.get("KIND") == "MARKER" and f.name in ("part", "body_kind"):
            kind = "shown"
        elif (getattr(cls, "KIND", ""), f.name) in TEXTS:
            kind = "texts"
        labels = COMPONENTS.get(f.name, ()) if kind == "list" else ()
        if labels:
            kind, size = "vector", len(labels)
        default = None if f.default is dataclasses.MISSING else f.default
        out.append(
            {
                "name": f.name,
                "kind": kind,
                "size": size,
                "labels": list(labels),
                "optional": optional,
                "words": list(words.get(f.name, ())),
                "reference": references.get(f.name, ""),
                "default": _plain(default),
                "help": _sentence(text, f.name),
            }
        )
    out.sort(key=lambda row: row["name"] in SHOWN_LAST)
    return tuple(out)


def _editor(hint: Any) -> tuple[str, int]:
    inside = [h for h in typing.get_args(hint) if h is not type(None)]
    if type(None) in typing.get_args(hint):
        return _editor(inside[0]) if len(inside) == 1 else ("any", 0)
    origin = typing.get_origin(hint)
    if hint is bool:
        return "flag", 0
    if hint is float:
        return "number", 0
    if hint is int:
        return "whole", 0
    if hint is str:
        return "text", 0
    if origin is tuple:
        if len(inside) == 2 and inside[1] is Ellipsis:
            return ("list", 0) if inside[0] in (float, int, str) else ("any", 0)
        return ("vector", len(inside)) if all(h is float for h in inside) else ("any", 0)
    if origin is dict:
        return "table", 0
    return "any", 0


def _sentence(text: str, name: str) -> str:
    """The first sentence or clause of a class's text that names a field."""
    found = re.search(rf"``{re.escape(name)}``", text)
    if not found:
        return ""
    start = max(text.rfind(". ", 0, found.start()), text.rfind("; ", 0, found.start()))
    ends = [k for k in (text.find(". ", found.end()), text.find(";", found.end())) if k >= 0]
    return text[start + 2 if start >= 0 else 0 : min(ends) if ends else len(text)].strip(" .").replace("``", "")


def _plain(value: Any) -> Any:
    """A value as JSON holds it; what it does not hold as a text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else repr(value)
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value[:MAX_ROWS]]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in list(value.items())[:MAX_ROWS]}
    return str(value)[:200]


def _help(cls: type) -> str:
    """What the model's own words say of a kind, for users who do not write Python: None is an empty field."""
    return re.sub(r"\bNone\b", "empty", " ".join((cls.__doc__ or "").split()).replace("``", "").replace("`", ""))


def properties(model: Model, element: Any) -> dict[str, Any]:
    """Everything that the editor shows of one element: rows with values and units, its sentences, and what names it."""
    shown_rows = []
    for row in rows(type(element)):
        value = getattr(element, row["name"])
        if row["name"] == "part" and row["kind"] == "shown" and value in model.table(element.body_kind):
            value = f"{value} {model.table(element.body_kind)[value].name}"
        unit = unit_of(model, element.KIND, row["name"], element)
        words = {**term(element.KIND, row["name"]), "used": used(element, row["name"])}
        if row["kind"] == "texts":
            words["labels"] = list(element.port_names)
        if (element.KIND, row["name"]) == ("PART", "mass") and not element.ground:
            words["optional"] = False  # its field stays in its place while it is empty
        if isinstance(value, tuple) and len(value) > MAX_ROWS:
            words["kind"] = "shown"  # its end is not shown, so that an edit would cut it off
        shown_rows.append({**row, **words, "value": _plain(value), "unit": unit})
    shown_rows.sort(key=lambda row: rank(row["group"]))
    users = model.users(element)
    wrong = [*faults_of(model, element)]
    for name in EXPRESSIONS:
        if hasattr(element, name):
            wrong += texts_wrong(element, name)
    source = f"{Path(element.source.file).name}:{element.source.line}" if element.source else ""
    return {
        "kind": element.KIND,
        "id": element.id,
        "name": element.name,
        "name_shared": _shared(model, element),
        "label": element.label,
        "source": source,
        "help": _help(type(element)),
        "rows": shown_rows,
        "faults": wrong,
        "users": [[e.KIND, e.id, e.name] for e in users[:50]],
        "more_users": max(0, len(users) - 50),
        "ground": bool(getattr(element, "ground", False)),
    }


def _shared(model: Model, element: Any) -> str:
    """The warning that other elements of its type have the same name, which upper and lower case do not tell apart."""
    low = element.name.lower()
    same = [e.id for e in model.table(element.KIND).values() if e.name.lower() == low]
    others = [n for n in same if n != element.id]
    if not low or not others:
        return ""
    kind, more = element.KIND, f" and {len(others) - 1} more" if len(others) > 1 else ""
    return f"the name is also that of {kind}/{others[0]}{more}, and means {kind}/{same[0]}; give another name"


def blank(model: Model, kind: str) -> dict[str, Any]:
    """The rows of an element of a kind that is not there yet."""
    cls = ELEMENT_TYPES[kind]
    shown_rows = [
        {**row, **term(kind, row["name"]), "value": row["default"], "unit": unit_of(model, kind, row["name"])}
        for row in rows(cls)
        if row["name"] not in SHOWN_LAST
    ]
    return {"help": _help(cls), "rows": shown_rows}


def model_properties(model: Model) -> dict[str, Any]:
    """The rows of the model itself: name, title, gravity, units, and of each group of settings."""
    units = model.units
    return {
        "name": model.name,
        "title": model.title,
        "gravity": list(map(_plain, model.gravity)),
        "gravity_unit": units.symbol("acceleration"),
        "units": {q: units.symbol(q) for q in ("length", "mass", "force", "time")},
        "settings": {
            group: {
                "help": _help(cls),
                "rows": [
                    {**row, "value": _plain(getattr(getattr(model, group), row["name"])), "unit": ""}
                    for row in rows(cls)
                    if row["kind"] != "any"
                ],
            }
            for group, cls in SETTINGS.items()
        },
    }


def outline(model: Model) -> list[list[Any]]:
    """The tree: kind, id, name, active, and of markers the body that carries them."""
    return [outlined(e) for e in model]


def outlined(e: Any) -> list[Any]:
    """The row of one element in the tree."""
    row = [e.KIND, e.id, e.name, bool(e.active)]
    if e.KIND == "MARKER":
        row.append([e.body_kind, e.part])
    elif e.KIND in ("JOINT", "JPRIM"):
        row.append(e.type)
    return row


__all__ = ["ELEMENT_TYPES", "_tuples", "model_properties", "outline", "outlined", "properties", "rows"]
