"""What a notebook shows of runs, models, checks, audits and comparisons: HTML without scripts, all texts escaped, and an animation in a frame."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

MOST = 12  # names or messages that are shown of a list


class Inline:
    """A page of its own inside a notebook (an iframe); ``page``: its HTML."""

    def __init__(self, page: str, height: int = 520) -> None:
        self.page, self.height = page, int(height)

    def __repr__(self) -> str:
        return f"<a page of {len(self.page)} characters, which a notebook shows>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.page, quote=True)}" sandbox="allow-scripts" '
            f'style="width:100%;height:{self.height}px;border:1px solid #ccc"></iframe>'
        )


def text(value: Any) -> str:
    return html.escape(str(value))


def block(title: str, rows: Iterable[tuple[str, Any]], lists: Iterable[tuple[str, Sequence[str]]] = ()) -> str:
    """A title, a table of names and values, and lists of sentences (empty ones are left out)."""
    body = "".join(
        f'<tr><th style="text-align:left">{text(name)}</th><td style="text-align:left">{text(value)}</td></tr>' for name, value in rows
    )
    out = f"<div><p><b>{text(title)}</b></p>" + (f"<table>{body}</table>" if body else "")
    for name, entries in lists:
        if entries:
            more = f"<li>... and {len(entries) - MOST} more</li>" if len(entries) > MOST else ""
            out += f"<p>{text(name)}: {len(entries)}</p><ul>" + "".join(f"<li>{text(e)}</li>" for e in entries[:MOST]) + more + "</ul>"
    return out + "</div>"


def names(entries: Sequence[str]) -> str:
    return ", ".join(entries[:MOST]) + (f", ... and {len(entries) - MOST} more" if len(entries) > MOST else "")


def of_run(run: Any) -> str:
    """Times, analyses, what it has by name, steps of the solver, how it ended, warnings."""
    d = run.data
    title = f"Run of model '{run.model.name}'"
    rows: list[tuple[str, Any]] = [("output times", len(run))]
    if len(run):
        rows.append(("time", f"{d.time[0]:g} to {d.time[-1]:g} {run.units('time')}"))
    if not run.info.get("complete", True):
        title += " (interrupted)"
    if d.segments:
        rows.append(("analyses", ", ".join(f"{s.kind} ({s.end - s.start})" for s in d.segments)))
    for label, entries in (("parts", run.bodies), ("joints, motions", run.constraints), ("forces", run.forces), ("contacts", run.contacts),
                           ("requests", run.requests), ("variables", run.variables)):  # fmt: skip
        if entries:
            rows.append((f"{label} ({len(entries)})", names(entries)))
    if len(d.history):
        accepted = int((d.history["cause"] == "").sum())
        rows.append(("steps", f"{accepted}, {len(d.history) - accepted} rejected"))
    if run.info.get("degrees_of_freedom") is not None:
        rows.append(("degrees of freedom", run.info["degrees_of_freedom"]))
    stopped = [str(run.info["stopped"])] if run.info.get("stopped") else []
    return block(title, rows, [("stopped", stopped), ("warnings", run.info.get("warnings") or [])])


def of_model(model: Any) -> str:
    """Units, gravity and the number of elements of each kind."""
    u = model.units
    rows: list[tuple[str, Any]] = [
        ("units", f"{u.symbol('length')}, {u.symbol('mass')}, {u.symbol('force')}, {u.symbol('time')}"),
        ("gravity", f"{', '.join(f'{x:g}' for x in model.gravity)} {u.symbol('acceleration')}"),
    ]
    rows += [(kind, f"{len(table)}: {names([str(e.name) for e in table.values()])}") for kind, table in model._tables.items() if table]
    return block(f"Model '{model.name}'" + (f": {model.title}" if model.title else ""), rows, [("warnings", list(model.warnings))])


def of_check(check: Any) -> str:
    """Verdict of `holonom.check`, what was counted and what is to be mended."""
    rows: list[tuple[str, Any]] = [("verdict", "the model can run" if check.ok else "the model cannot run as it is")]
    rows.append(("statements", ", ".join(f"{n} {kind}" for kind, n in check.statements.items())))
    if check.degrees_of_freedom is not None:
        rows += [("degrees of freedom", check.degrees_of_freedom), ("bodies that move", check.bodies),
                 ("constraint equations", check.equations), ("states", check.states)]  # fmt: skip
    lists = [("redundant constraints", [f"{r.words} [{r.adams}]" for r in check.redundant]), ("contacts", check.contacts), ("faults", check.faults),
             ("missing for a run", check.missing), ("missing for the picture", check.geometry), ("warnings", check.warnings)]  # fmt: skip
    return block(f"Check of model '{check.model.name}'", rows, lists)


def of_audit(audit: Any, title: str) -> str:
    """What an audit says."""
    return f"<div><p><b>{text(title)}</b></p><p>{text(str(audit).split(': ', 1)[-1])}</p></div>"


def of_comparison(found: Any) -> str:
    """The curves that differ most."""
    head = ("curve", "unit", "max difference", "of range", "rms", "at time")
    cells = "".join(f"<th>{text(h)}</th>" for h in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{text(v)}</td>" for v in
                         (r.name, r.unit, f"{r.difference:.4g}", f"{r.relative:.3g}", f"{r.rms:.4g}", f"{r.time:.6g}")) + "</tr>"
        for r in found.rows[:20]
    )  # fmt: skip
    only = [("only in the first", found.only_a), ("only in the second", found.only_b)]
    return f"<div><p><b>{len(found.rows)} curves at {len(found.times)} times</b></p><table><tr>{cells}</tr>{body}</table></div>" + "".join(
        block("", [], [pair]) for pair in only if pair[1]
    )
