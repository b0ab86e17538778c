"""Short texts for objects that hold much: what a console and a notebook show of a result.

A dataclass that derives from `Summary` has a ``repr`` of a few lines whatever it holds: numbers in full, texts cut,
arrays by their size, lists by their length.  A class with a text of its own (``__str__``) is shown by it in notebooks.
"""

from __future__ import annotations

import dataclasses
import html
from typing import Any

import numpy as np

LONGEST = 500  # characters of a whole text
TEXT = 80  # of one value
FEW = 6  # numbers of an array that are shown


def short(value: Any) -> str:
    """One value in at most some 80 characters."""
    if isinstance(value, (bool, int, np.integer, np.bool_)) or value is None:
        return repr(value) if not isinstance(value, np.generic) else repr(value.item())
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.6g}"
    if isinstance(value, complex):
        return f"{value:.6g}"
    if isinstance(value, str):
        return repr(value if len(value) <= TEXT else value[: TEXT - 3] + "...")
    if isinstance(value, np.ndarray):
        if value.size <= FEW and value.ndim == 1 and value.dtype.kind in "fiub":
            return "[" + ", ".join(short(v.item()) for v in value) + "]"
        return f"<{' x '.join(map(str, value.shape))} array>"
    if isinstance(value, dict):
        return f"{{{len(value)} items}}" if value else "{}"
    if isinstance(value, (list, tuple, set, frozenset)):
        left, right = ("(", ")") if isinstance(value, tuple) else ("[", "]")
        if not value:
            return left + right
        if len(value) <= FEW and all(v is None or isinstance(v, (bool, int, float, str)) for v in value):
            text = left + ", ".join(map(short, value)) + right
            if len(text) <= TEXT:
                return text
        return f"{left}{len(value)} of {type(next(iter(value))).__name__}{right}"
    if isinstance(value, type) or callable(value):
        return getattr(value, "__name__", type(value).__name__)
    if hasattr(value, "shape"):
        return f"<{type(value).__name__} {tuple(value.shape)}>"
    name = getattr(value, "name", None)
    return f"<{type(value).__name__} {name!r}>" if isinstance(name, str) and len(name) < TEXT else type(value).__name__


def counted(number: int, word: str) -> str:
    """``1 fault``, ``2 faults``, ``3 bodies``."""
    more = f"{word[:-1]}ies" if word[-1:] == "y" and word[-2:-1] not in "aeiou" else f"{word}s"
    return f"{number} {word if number == 1 else more}"


def summary(thing: Any) -> str:
    """``Class(field=value, ...)`` of a dataclass, cut where it grows too long."""
    name = type(thing).__qualname__
    out: list[str] = []
    room = LONGEST - len(name)
    for f in dataclasses.fields(thing):
        if not f.repr or f.name[:1] == "_":
            continue
        text = f"{f.name}={short(getattr(thing, f.name, None))}"
        room -= len(text) + 2
        if room < 0:
            out.append("...")
            break
        out.append(text)
    return f"{name}({', '.join(out)})"


class Summary:
    """Base of dataclasses that hold more than a console should show."""

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__repr__" not in vars(cls) and cls.__repr__ in (object.__repr__, Summary._summary):
            cls.__repr__ = Summary._summary  # type: ignore[method-assign]  # before `dataclass` writes a long one

    def _summary(self) -> str:
        return summary(self) if dataclasses.is_dataclass(self) else object.__repr__(self)

    def _repr_html_(self) -> str:
        if type(self).__str__ is object.__str__:
            if not dataclasses.is_dataclass(self):
                return f"<code>{html.escape(repr(self))}</code>"
            rows = "".join(
                f'<tr><th scope="row" style="text-align:left">{html.escape(f.name)}</th>'
                f'<td style="text-align:left">{html.escape(short(getattr(self, f.name, None)))}</td></tr>'
                for f in dataclasses.fields(self)
                if f.repr and f.name[:1] != "_"
            )
            return f"<div><p><b>{html.escape(type(self).__name__)}</b></p><table>{rows}</table></div>"
        return f"<pre>{html.escape(str(self))}</pre>"


__all__ = ["Summary", "counted", "short", "summary"]
