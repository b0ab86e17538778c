"""HTML of names, values and sentences for notebooks: without scripts, all texts escaped; and what a model shows of itself."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from .paths import without_paths

MOST = 12  # names or messages that are shown of a list


def pretty(words: str) -> str:
    """Unit text with proper signs: N·mm, mm/s²."""
    return words.replace("*", "·").replace("^2", "²").replace("^3", "³")


def text(value: Any) -> str:
    return html.escape(str(value))


#: notebooks centre tables and set numbers and words to the right; lines and grounds stay those of the notebook, light or dark
TABLE = "margin:4px 0;border-collapse:collapse;font-size:13px"
LEFT, RIGHT = (f"text-align:{side};vertical-align:top;padding:3px 14px 3px 6px" for side in ("left", "right"))


def rows_of(rows: Iterable[tuple[str, Any]]) -> str:
    """A table of names and values, both on the left."""
    body = "".join(
        f'<tr><th scope="row" style="{LEFT};white-space:nowrap">{text(name)}</th><td style="{LEFT}">{text(value)}</td></tr>'
        for name, value in rows
    )
    return f'<div style="overflow-x:auto"><table style="{TABLE}">{body}</table></div>' if body else ""


def block(
    title: str,
    rows: Iterable[tuple[str, Any]],
    lists: Iterable[tuple[str, Sequence[str]]] = (),
    folded: Iterable[tuple[str, Sequence[str]]] = (),
) -> str:
    """A title, a table of names and values, and lists of sentences (empty ones are left out); ``folded`` ones open by a click and are whole."""
    out = f"<div><p><b>{text(title)}</b></p>" + rows_of(rows)
    for name, entries in lists:
        if entries:
            more = f"<li>... and {len(entries) - MOST} more</li>" if len(entries) > MOST else ""
            out += f"<p>{text(name)}: {len(entries)}</p><ul>" + "".join(f"<li>{text(e)}</li>" for e in entries[:MOST]) + more + "</ul>"
    for name, entries in folded:
        if entries:
            items = "".join(f"<li>{text(e)}</li>" for e in entries)
            out += f'<details><summary style="cursor:pointer">{text(name)}: {len(entries)}</summary><ul>{items}</ul></details>'
    return out + "</div>"


def names(entries: Sequence[str]) -> str:
    return ", ".join(entries[:MOST]) + (f", ... and {len(entries) - MOST} more" if len(entries) > MOST else "")


def of_model(model: Any) -> str:
    """Units, gravity and the number of elements of each kind."""
    u = model.units
    rows: list[tuple[str, Any]] = [
        ("units", f"{u.symbol('length')}, {u.symbol('mass')}, {u.symbol('force')}, {u.symbol('time')}"),
        ("gravity", f"{', '.join(f'{x:g}' for x in model.gravity)} {pretty(u.symbol('acceleration'))}"),
    ]
    rows += [(kind, f"{len(table)}: {names([str(e.name) for e in table.values()])}") for kind, table in model._tables.items() if table]
    return block(
        f"Model '{model.name}'" + (f": {model.title}" if model.title else ""),
        rows,
        [("warnings", [without_paths(w) for w in model.warnings])],
    )
