"""Notebook display of runs, checks, audits and comparisons: HTML without scripts, all text escaped, and an animation in
a frame."""

from __future__ import annotations

import html
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.base import ModelError, did_you_mean, shown
from ...model.html import LEFT, MOST, RIGHT, TABLE, block, names, pretty, text
from ...model.kinds import is_number
from ...model.paths import without_paths
from .._units import to_si
from ..refereed import referee_words
from ..solver_words import integrators
from .still import STILL, still_picture, thin

if TYPE_CHECKING:
    from ..run import Run

MOST_CURVES = 5


class Inline:
    """A page of its own inside a notebook (an iframe); ``page``: its HTML."""

    def __init__(self, page: str, height: int = 520) -> None:
        self.page, self.height = page, int(height)

    def __repr__(self) -> str:
        return f"<a page of {len(self.page)} characters, which a notebook shows>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.page, quote=True)}" sandbox="allow-scripts allow-downloads" '
            'title="Animation of a run" '
            f'style="width:100%;height:{self.height}px;border:0;border-radius:8px"></iframe>'
        )


def of_run(run: Any) -> str:
    """Times, analyses and what solved them, what it has by name, how it ended, warnings and messages."""
    d = run.data
    title = f"Run of model '{run.model.name}'" + (
        f": {run.model.title}" if run.model.title and run.model.title != run.model.name else ""
    )
    rows: list[tuple[str, Any]] = [("output times", len(run))]
    if len(run):
        rows.append(("time", f"{d.time[0]:g} to {d.time[-1]:g} {run.units('time')}"))
    if not run.info.get("complete", True):
        title += " (interrupted)"
    if d.segments:
        rows.append(
            (
                "analyses",
                ", ".join(f"{s.kind} ({s.end - s.start})" for s in d.segments[:MOST])
                + (", ..." if len(d.segments) > MOST else ""),
            )
        )
    for label, entries in (
        ("parts", run.bodies),
        ("joints, motions", run.constraints),
        ("forces", run.forces),
        ("contacts", run.contacts),
        ("requests", run.requests),
        ("variables", run.variables),
    ):
        if entries:
            rows.append((f"{label} ({len(entries)})", names(entries)))
    if d.segments:
        rows.append(("solved by", integrators(run)))
    if len(d.history):
        accepted = int((d.history["cause"] == "").sum())
        rows.append(("steps", f"{accepted}, {len(d.history) - accepted} rejected"))
    if "cpu seconds" in d.counters:
        rows.append(("CPU of the solver", f"{d.counters['cpu seconds']:.3g} s"))
    if run.info.get("degrees_of_freedom") is not None:
        rows.append(("degrees of freedom", run.info["degrees_of_freedom"]))
    if referee_words(run):
        rows.append(("contact referee", referee_words(run)))
    clean = lambda given: [without_paths(g, run) for g in ([given] if isinstance(given, str) else given or []) if g]
    lists = [
        ("failed", clean(run.info.get("failed"))),
        ("stopped", clean(run.info.get("stopped"))),
        ("warnings", clean(run.info.get("warnings"))),
    ]
    said = [text for text in clean(run.info.get("messages")) if text not in lists[-1][1]]
    return block(title, rows, lists, [("messages", said)]) + small_plots(run)


def small_plots(run: Any) -> str:
    """Speeds of the fastest bodies, stored energy and the first requests, as small pictures; empty where nothing
    changes."""
    d, units = run.data, run.model.units
    if len(run) < 2 or not d.time[-1] > d.time[0]:
        return ""
    found: list[tuple[str, str, list[tuple[str, np.ndarray]]]] = []
    if d.bodies:
        speed = np.linalg.norm(np.nan_to_num(d.body_velocity), axis=2)
        order = [int(k) for k in np.argsort(-speed.max(axis=0), kind="stable")[:MOST_CURVES] if speed[:, k].max() > 0]
        found.append(
            (
                "Speed of bodies",
                f"speed ({pretty(units.symbol('velocity'))})",
                [(d.bodies[k][2], speed[:, k]) for k in order],
            )
        )
    energies = [(name, getattr(d, f"energy_{name}")) for name in ("kinetic", "gravity", "elastic")]
    energies = [
        (name, to_si(units, "energy") * v)
        for name, v in energies
        if v is not None and np.isfinite(v).any() and np.nanmax(np.abs(v)) > 0
    ]
    found.append(("Energy", "energy (J)", energies))
    for key in d.requests[:2]:
        names, texts = run.request_components(key)
        values = d.request_values[:, d.requests.index(key)]
        live = [
            k
            for k in range(len(names))
            if np.isfinite(values[:, k]).any() and np.ptp(values[np.isfinite(values[:, k]), k]) > 0
        ]
        same = [k for k in live if texts[k] == texts[live[0]]][:MOST_CURVES]
        if same:
            unit = pretty(texts[same[0]])
            found.append(
                (f"Request {key[2]}", f"value ({unit})" if unit else "value", [(names[k], values[:, k]) for k in same])
            )
    start, end = float(d.time[0]), float(d.time[-1])
    out = []
    for title, label, curves in found:
        if not curves:
            continue
        thinned = {k: thin(d.time, v, STILL) for k, (_, v) in enumerate(curves)}
        plot = {"title": title, "y": label, "curves": [(name, k) for k, (name, _) in enumerate(curves)]}
        picture = still_picture(plot, thinned, start, end, units.symbol("time"), (340, 130))
        if picture:
            out.append(
                '<figure style="margin:0;flex:0 1 '
                f'320px;max-width:380px;font-size:13px"><figcaption>{text(title)}</figcaption>{picture}</figure>'
            )
    return f'<div style="display:flex;flex-wrap:wrap;gap:6px 20px;margin-top:6px">{"".join(out)}</div>' if out else ""


def of_check(check: Any) -> str:
    """Verdict of `holonom.check`, what was counted and what is to be fixed."""
    rows: list[tuple[str, Any]] = [("verdict", "the model can run" if check.ok else "the model cannot run as it is")]
    rows.append(("statements", ", ".join(f"{n} {kind}" for kind, n in check.statements.items())))
    if check.degrees_of_freedom is not None:
        rows += [
            ("degrees of freedom", check.degrees_of_freedom),
            ("bodies that move", check.bodies),
            ("constraint equations", check.equations),
            ("states", check.states),
        ]
    lists = [
        ("redundant constraints", [f"{r.words} [in Adams {r.adams}]" for r in check.redundant]),
        ("contacts", check.contacts),
        ("faults", check.faults),
        ("missing for a run", check.missing),
        ("missing for the picture", check.geometry),
        ("warnings", check.warnings),
    ]
    clean = [(name, [without_paths(e) for e in entries]) for name, entries in lists if name != "contacts"]
    folded = [(name, [without_paths(e) for e in entries]) for name, entries in lists if name == "contacts"]
    return block(f"Check of model '{check.model.name}'", rows, clean, folded)


def of_audit(audit: Any, title: str) -> str:
    """What an audit says."""
    return f"<div><p><b>{text(title)}</b></p><p>{text(pretty(str(audit).split(': ', 1)[-1]))}</p></div>"


def of_comparison(found: Any) -> str:
    """The curves that differ most."""
    head = ("curve", "unit", "max difference", "of range", "rms", "at time")
    side = lambda k: LEFT if k < 2 else RIGHT
    cells = "".join(f'<th scope="col" style="{side(k)}">{text(h)}</th>' for k, h in enumerate(head))
    differ = sum(1 for r in found.rows if r.difference > 0)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="{side(k)}">{text(v)}</td>'
            for k, v in enumerate(
                (r.name, pretty(r.unit), f"{r.difference:.4g}", f"{r.relative:.3g}", f"{r.rms:.4g}", f"{r.time:.6g}")
            )
        )
        + "</tr>"
        for r in found.rows[:20]
    )
    only = [("only in the first", found.only_a), ("only in the second", found.only_b)]
    verdict = f"{differ} of them differ" if differ else "none of them differs"
    more = f", the first 20 of {len(found.rows)} are shown" if len(found.rows) > 20 and differ else ""
    shown = (
        f'<div style="overflow-x:auto"><table style="{TABLE}"><tr>{cells}</tr>{body}</table></div>' if differ else ""
    )
    return (
        f"<div><p><b>{len(found.rows)} curves at {len(found.times)} times: {verdict}{more}</b></p>{shown}</div>"
        + "".join(block("", [], [pair]) for pair in only if pair[1])
    )


def animate(run: Run, path: str | Path | None = None, *, height: int = 520, **options: Any) -> Path | Inline:
    """Write a 3D animation as an HTML page (`write_animation` lists the options). Without a path it is shown in the
    notebook, ``height`` pixels high."""
    from .animation import animation_page, write_animation

    known = list(inspect.signature(animation_page).parameters)[1:]
    for word in options:
        if word not in known:
            raise ModelError(f"animate: there is no argument '{word}'{did_you_mean(word, known)}")
    if not is_number(height) or not 50 <= height <= 10000:
        raise ModelError(f"height is {shown(height)}; give pixels, from 50 to 10000")
    return Inline(animation_page(run, **options), height) if path is None else write_animation(run, path, **options)
