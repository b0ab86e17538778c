"""HTML of names, values and sentences for notebooks: without scripts, all texts escaped; and what a model shows of
itself."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from .joint_facts import facts
from .paths import without_paths

MOST = 12  # names or messages that are shown of a list


def pretty(words: str) -> str:
    """Unit text with proper signs: N·mm, mm/s²."""
    return words.replace("*", "·").replace("^2", "²").replace("^3", "³")


def text(value: Any) -> str:
    return html.escape(str(value))


#: notebooks centre tables and set numbers and words to the right; lines and grounds stay those of the notebook, light
#: or dark
TABLE = "margin:4px 0;border-collapse:collapse;font-size:13px"
LEFT, RIGHT = (f"text-align:{side};vertical-align:top;padding:3px 14px 3px 6px" for side in ("left", "right"))


def rows_of(rows: Iterable[tuple[str, Any]]) -> str:
    """A table of names and values, both on the left."""
    body = "".join(
        f'<tr><th scope="row" style="{LEFT};white-space:nowrap">{text(name)}</th><td '
        f'style="{LEFT}">{text(value)}</td></tr>'
        for name, value in rows
    )
    return f'<div style="overflow-x:auto"><table style="{TABLE}">{body}</table></div>' if body else ""


def block(
    title: str,
    rows: Iterable[tuple[str, Any]],
    lists: Iterable[tuple[str, Sequence[str]]] = (),
    folded: Iterable[tuple[str, Sequence[str]]] = (),
) -> str:
    """A title, a table of names and values, and lists of sentences (empty ones are left out); ``folded`` ones open by a
    click and are whole."""
    out = f"<div><p><b>{text(title)}</b></p>" + rows_of(rows)
    for name, entries in lists:
        if entries:
            more = f"<li>... and {len(entries) - MOST} more</li>" if len(entries) > MOST else ""
            out += (
                f"<p>{text(name)}: {len(entries)}</p><ul>"
                + "".join(f"<li>{text(e)}</li>" for e in entries[:MOST])
                + more
                + "</ul>"
            )
    for name, entries in folded:
        if entries:
            items = "".join(f"<li>{text(e)}</li>" for e in entries)
            out += (
                f'<details><summary style="cursor:pointer">{text(name)}: '
                f"{len(entries)}</summary><ul>{items}</ul></details>"
            )
    return out + "</div>"


def names(entries: Sequence[str]) -> str:
    return ", ".join(entries[:MOST]) + (f", ... and {len(entries) - MOST} more" if len(entries) > MOST else "")


#: equations of other constraints
SINGLE = {"COUPLER": 1, "GEAR": 1, "MOTION": 1, "PTCV": 2, "CVCV": 3}
#: constraints of other counts, and bodies with coordinates of their own
UNCOUNTED = ("GCON", "UCON", "FE_PART", "FLEX_BODY", "FLEXIBILITY", "ABSOLUTE_MESH", "SLIDING_MASS", "SWITCH", "GRAINS")
MOST_BODIES = 60


def counted_freedom(model: Any) -> tuple[int, int] | None:
    """Freedoms of the bodies and equations of the constraints (Gruebler's count, with redundant ones), or None where an
    element is of no known count."""
    if any(e.active for kind in UNCOUNTED for e in model.table(kind).values()):
        return None
    free = 6 * sum(p.active and not p.ground for p in model.parts.values()) + 3 * sum(
        p.active for p in model.table("POINT_MASS").values()
    )
    equations = 0
    for kind in ("JOINT", "JPRIM"):
        for e in model.table(kind).values():
            if e.active and not facts(e).equations:
                return None
            equations += facts(e).equations if e.active else 0
    return free, equations + sum(
        n * sum(bool(e.active) for e in model.table(kind).values()) for kind, n in SINGLE.items()
    )


def tree(model: Any) -> str:
    """Each body with its mass, its markers and what acts on it; a click opens a body."""
    on: dict[tuple[str, int], list[str]] = {}
    for kind, table in model._tables.items():
        for e in table.values():
            if kind == "MARKER" or not (hasattr(e, "i") and hasattr(e, "j")):
                continue
            for m in {e.i, e.j}:
                marker = model.markers.get(m) if isinstance(m, int) else None
                if marker is not None:
                    word = str(getattr(e, "type", kind)).lower() if kind in ("JOINT", "JPRIM") else kind.lower()
                    on.setdefault((marker.body_kind, marker.part), []).append(
                        f"{e.name} ({word}{'' if e.active else ', not active'})"
                    )
    markers: dict[tuple[str, int], list[str]] = {}
    for m in model.markers.values():
        markers.setdefault((m.body_kind, m.part), []).append(str(m.name))
    bodies = [*model.parts.values(), *model.table("POINT_MASS").values()]
    out = []
    for body in bodies[:MOST_BODIES]:
        key = (body.KIND, body.id)
        mass = (
            "ground"
            if getattr(body, "ground", False)
            else f"{body.mass:g} {model.units.symbol('mass')}"
            if body.mass
            else "no mass"
        )
        items = [
            (word, names(found))
            for word, found in (("joints and forces", on.get(key)), ("markers", markers.get(key)))
            if found
        ]
        inner = "".join(f"<li>{text(word)}: {text(what)}</li>" for word, what in items)
        head = f"{text(body.name)} <small>{text(body.KIND)}/{body.id}, {text(mass)}</small>"
        out.append(
            f'<li><details><summary style="cursor:pointer">{head}</summary><ul>{inner}</ul></details></li>'
            if inner
            else f"<li>{head}</li>"
        )
    more = f"<li>... and {len(bodies) - MOST_BODIES} more</li>" if len(bodies) > MOST_BODIES else ""
    summary = f'<summary style="cursor:pointer">tree of {len(bodies)} bodies</summary>'
    return (
        f"<details{' open' if len(bodies) <= 8 else ''}>{summary}<ul>{''.join(out)}{more}</ul></details>"
        if bodies
        else ""
    )


def of_model(model: Any) -> str:
    """Units, gravity, the number of elements of each kind, degrees of freedom by count, the tree of bodies, faults and
    warnings."""
    from .validate import faults

    u = model.units
    rows: list[tuple[str, Any]] = [
        ("units", f"{u.symbol('length')}, {u.symbol('mass')}, {u.symbol('force')}, {u.symbol('time')}"),
        ("gravity", f"{', '.join(f'{x:g}' for x in model.gravity)} {pretty(u.symbol('acceleration'))}"),
    ]
    freedom = counted_freedom(model)
    if freedom is not None:
        free, equations = freedom
        rows.append(
            (
                "degrees of freedom",
                f"{free - equations} by count: {free} of the bodies less {equations} equations (holonom.check finds "
                "redundant ones)",
            )
        )
    rows += [
        (kind, f"{len(table)}: {names([str(e.name) for e in table.values()])}")
        for kind, table in model._tables.items()
        if table
    ]
    try:
        found = [without_paths(f) for f in faults(model)]
    except Exception as error:  # a page of a notebook must stand even where a model is half built
        found = [f"its faults cannot be reported: {error}"]
    return block(
        f"Model '{model.name}'" + (f": {model.title}" if model.title else ""),
        rows,
        [("faults", found), ("warnings", [without_paths(w) for w in model.warnings])],
    ) + tree(model)
