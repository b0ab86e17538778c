"""A run as one HTML page: model and settings, solver statistics, energy, curves, final values and the animation, all
offline.

The page requests nothing from a network, runs no script but its own, and escapes every name: models come from
strangers.  No absolute path of the machine that wrote it is in it.  Curves are data that the page draws
(`report_curves`), in its light or dark look.
"""

from __future__ import annotations

import html
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..._warnings import warn_model
from ...model.base import ModelError, kinds_of, shown
from ...model.paths import without_paths
from .._data import Segment
from .._units import to_si
from ..audit import Audit, audit
from ..compare import NOISE, compare
from ..refereed import referee_words
from ..run import Run
from ..solver_words import integrators, method
from ..views.bending import SMALL, bending
from ..views.reactions import reactions
from .animation import check_options, fill, page_path, scene, template, unpacker, viewer, write_page
from .data import embedded
from .report_curves import CURVE_POINTS, MAX_CURVES, Curves, pretty, thin, unique
from .report_figures import figure_of_steps

__all__ = ["CURVE_POINTS", "facts", "figure_of_steps", "html_table", "number", "report", "thin", "unit", "write_report"]

MAX_ROWS = 200
MAX_FIRST = 12  # of the largest loads that are seen at once
MAX_RUNS = 7  # compared with the first
DASHES = ("", "7 4", "2 3", "10 3 2 3")  # those of plots.js
MAX_MESSAGES = 5000


def write_report(
    run: Any,
    path: str | Path,
    *,
    title: str | None = None,
    animation: bool = True,
    max_frames: int = 600,
    renderer: str = "auto",
    folder: str | Path | None = None,
    more: Mapping[str, Any] | None = None,
    others: Mapping[str, Any] | Sequence[Any] | None = None,
    label: str = "",
    colors: str = "",
    arrows: str = "",
    follow: str = "",
) -> Path:
    """Write the report of ``run`` (`holonom.results.Run`) to the HTML file ``path`` and return it.

    ``others``: further runs (name -> run, or a list), whose curves are drawn dashed with those of the same names, in
    the units of this run; one section lists the largest differences. ``label``: name of ``run`` among them. The rest of
    the page shows only ``run``.

    ``more``: further sections, heading -> an object with ``_repr_html_`` (such as `holonom.durability.Life`), a text,
    or a list of these.

    ``animation``: include the viewer in the page (see `animation.write_animation` for ``max_frames``, ``renderer``,
    ``folder``, ``colors``, ``arrows`` and ``follow``). A section that cannot be created is replaced by a message that
    states the reason; an unknown renderer raises ValueError.
    """
    if renderer not in ("auto", "three", "canvas"):
        raise ValueError(f"unknown renderer '{renderer}'; choose auto, three or canvas")
    path = page_path(path)
    check_options(run, max_frames, follow)
    if more is not None and not isinstance(more, Mapping):
        raise ModelError(f"more is {shown(more)}; give further sections as {{heading: content}}")
    if others is not None and not hasattr(others, "__iter__"):
        raise ModelError(f"others is {shown(others)}; give further runs as {{name: run}} or a list")
    if not isinstance(others, Mapping):
        others = {f"run {k + 2}": other for k, other in enumerate(others or ())}
    others = {without_paths(str(k), run): other for k, other in others.items()}
    for key, other in others.items():
        if not isinstance(other, Run):
            raise ModelError(f"others: '{key}' is {shown(other)}, not a run; give runs, as {{name: run}}")
    label = without_paths(str(label), run) or "run 1"
    if label in others:
        raise ModelError(f"two runs are named '{label}': give each its own name (label=..., others={{name: run}})")
    if len(others) > MAX_RUNS:
        raise ModelError(f"a report holds {MAX_RUNS + 1} runs at most; {len(others) + 1} were given")
    name = without_paths(title or run.model.title or run.model.name, run)
    missing: list[str] = []
    show = (
        _guard(_animation, run, name, max_frames, renderer, folder, missing, colors, arrows, follow)
        if animation
        else ""
    )
    curves = _collected(run, others, label)
    sections = [
        ("Warnings", _guard(_warnings, run)),
        ("Largest loads", _guard(_loads, run, curves)),
        ("Animation" if animation else "Elements", show + _guard(_elements, curves)),
        ("Runs", _guard(_runs, run, others, label) if others else ""),
        ("Impacts", _guard(_impacts, run)),
        ("Switches", _guard(_switches, run)),
        ("Flexible bodies", _guard(_bending, run, curves)),
        *((heading, _guard(_foreign, content)) for heading, content in (more or {}).items()),
        ("Energy", _guard(_energy, run, curves)),
        ("Curves", _guard(_curves, run, curves)),
        ("Values at the end", _guard(_ends, run, curves)),
        ("Model", _guard(_model, run)),
        ("Messages", _guard(_messages, run, missing)),
        ("Solver", _guard(_solver, run, curves)),
    ]
    body, links = [], []
    for heading, content in sections:
        if content:
            ident = heading.lower().replace(" ", "-")
            links.append(f'<a href="#{ident}">{heading}</a>')
            body.append(f'<section id="{ident}"><h2>{heading}</h2>\n{content}\n</section>')
    page = fill(
        template("report.html"),
        title=html.escape(name),
        style=template("viewer.css")
        + template("vendor/uPlot.min.css")
        + template("report.css")
        + template("plots.css"),
        lead=_lead(run),
        links="".join(links),
        body="\n".join(body),
        data=f'{unpacker()}<script type="application/json" '
        f'id="holonom-curves">{embedded(curves.data())}</script>{plotter()}'
        f"<script>{template('report.js')}</script>",
        foot=html.escape(_foot(run)),
    )
    return write_page(path, page)


report = write_report


def plotter() -> str:
    """Script elements of the plots: uPlot (MIT, its notice inside) and our component over it."""
    notice = template("vendor/uPlot.LICENSE.txt").replace("--", "- -")
    return (
        f"<!-- uPlot: {notice} "
        f"-->\n<script>{template('vendor/uPlot.iife.min.js')}</script>\n<script>{template('plots.js')}</script>"
    )


def _foreign(content: Any) -> str:
    """A section that another module made."""
    if isinstance(content, (list, tuple)):
        return "\n".join(_foreign(part) for part in content)
    if hasattr(content, "_repr_html_"):
        return content._repr_html_()
    return f"<p>{html.escape(str(content))}</p>"


def _guard(make: Callable[..., str], *args: Any) -> str:
    """A section, or a sentence when it cannot be made: one bad array must not cost the whole report."""
    try:
        return make(*args)
    except Exception as error:
        warn_model(f"a part of the report could not be made ({make.__name__[1:]}): {error}")
        return f'<p class="bad">This part could not be made: {html.escape(str(error) or type(error).__name__)}.</p>'


def _collected(run: Any, others: Mapping[str, Any], label: str) -> Curves:
    """All curves; those that cannot be made are left out, saying so."""
    try:
        curves = Curves(run, others=others, label=label)
    except Exception as error:
        warn_model(f"a part of the report could not be made (curves): {error}")
        return Curves(run, found=[])
    try:
        curves.gather()
    except Exception as error:
        warn_model(f"a part of the report could not be made (elements): {error}")
        curves.elements = []
    return curves


# ---- words and tables -----------------------------------------------------------------------------------------------
def number(value: Any) -> str:
    """Six digits (five with a power of ten); an empty text for what is not recorded."""
    if value is None:
        return ""
    if isinstance(value, (bool, str)):
        return str(value)
    value = float(value)
    if not np.isfinite(value):
        return "" if np.isnan(value) else ("∞" if value > 0 else "−∞")
    if value == 0:
        return "0"
    if value == round(value) and abs(value) < 1e7:
        text = f"{value:.0f}"
    elif 1e-4 <= abs(value) < 1e7:
        text = f"{value:.{max(0, 5 - int(np.floor(np.log10(abs(value)))))}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        text = f"{value:.5g}"
    return text.replace("-", "−", 1) if value < 0 else text


def facts(rows: Sequence[tuple[str, Any]]) -> str:
    """Two columns, name and value; values stand left whether numbers or words."""
    return html_table(("", ""), [(name, value if isinstance(value, str) else number(value)) for name, value in rows])


def unit(run: Any, quantity: str) -> str:
    """Unit text with proper signs: N·mm, mm/s²."""
    return pretty(run.model.units.symbol(quantity))


def html_table(head: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> str:
    """HTML table; numbers stand right, everything is escaped; rows above MAX_ROWS are counted, not shown."""
    if not rows:
        return ""
    cells = []
    for row in rows[:MAX_ROWS]:
        tds = []
        for k, value in enumerate(row):
            numeric = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
            text = number(value) if numeric or value is None else str(value)
            tag = "th scope=row" if k == 0 else "td"
            tds.append(f"<{tag}{' class=n' if numeric else ''}>{html.escape(text)}</{tag.split()[0]}>")
        cells.append(f"<tr>{''.join(tds)}</tr>")
    first = rows[0]
    ths = "".join(
        f"<th scope=col{' class=n' if isinstance(first[k], (int, float, np.number)) else ''}>{html.escape(h)}</th>"
        for k, h in enumerate(head)
    )
    more = f"{len(rows) - MAX_ROWS} more rows are not shown. " if len(rows) > MAX_ROWS else ""
    caption = f"<p class=note>{html.escape(more + note)}</p>" if more + note else ""
    header = f"<thead><tr>{ths}</tr></thead>" if any(head) else ""
    return f"<div class=scroll tabindex=0><table>{header}<tbody>{''.join(cells)}</tbody></table></div>{caption}"


def _lead(run: Any) -> str:
    t = run.data.time
    parts = []
    if len(t):
        parts.append(f"{number(t[0])} to {number(t[-1])} {unit(run, 'time')}, {len(t)} outputs")
    if run.data.segments:
        parts.append(", then ".join(dict.fromkeys(str(s.kind) for s in run.data.segments)))
    parts.append(f"units {unit(run, 'length')}, {unit(run, 'mass')}, {unit(run, 'force')}, {unit(run, 'time')}")
    if run.model.path:
        parts.append(Path(str(run.model.path).replace("\\", "/")).name)
    out = f"<p class=lead>{html.escape('  ·  '.join(parts))}</p>"
    if not run.info.get("complete", True):
        why = run.info.get("stopped") or run.info.get("error") or "it was stopped before its end"
        out += f"<p class=bad>This run is not complete: {html.escape(without_paths(why, run))}</p>"
    failed = run.info.get("failed")
    if failed:
        out += f"<p class=bad>The run failed: {html.escape(without_paths(failed, run))}</p>"
    elif run.info.get("stopped") and run.info.get("complete", True):
        out += f"<p class=bad>{html.escape(without_paths(run.info['stopped'], run))}</p>"
    return out


def _foot(run: Any) -> str:
    version = run.info.get("version")
    return "Holonom" + (f" {version}" if version else "") + (f"  ·  {run.info['date']}" if run.info.get("date") else "")


def _runs(run: Any, others: Mapping[str, Any], label: str) -> str:
    """Which runs are drawn, in which lines, and where they differ most."""
    rows = []
    for k, (name, other) in enumerate({label: run, **others}.items()):
        t = other.time
        span = f"{number(t[0])} to {number(t[-1])} {unit(other, 'time')}, {len(t)} outputs" if len(t) else "no outputs"
        line = (
            f'<svg width="46" height="8" role="img" aria-label="line {k % len(DASHES) + 1}"><path d="M0 4h46" '
            'stroke="currentColor" stroke-width="2.5" '
            f'stroke-dasharray="{DASHES[k % len(DASHES)]}"/></svg>'
        )
        cells = (name, other.model.name, span, integrators(other) if other.segments else "")
        rows.append("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in cells) + f"<td>{line}</td></tr>")
    head = "".join(f"<th scope=col>{h}</th>" for h in ("Run", "Model", "Time", "Solved by", "Line"))
    out = (
        "<div class=scroll "
        f"tabindex=0><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
    for name, other in others.items():
        out += f"<h3>{html.escape(name)} against {html.escape(label)}</h3>"
        try:
            found = compare(run, other)
        except ModelError as error:
            out += f"<p class=note>{html.escape(str(error))}.</p>"
            continue
        differ = [r for r in found.rows if r.difference > r.noise]
        lines = [
            (r.name, pretty(r.unit), float(r.difference), float(100 * r.relative), float(r.rms), float(r.time))
            for r in differ[:12]
        ]
        note = f"{len(differ)} of {len(found.rows)} curves differ by more than rounding" + (
            f"; the {len(lines)} that differ most" if len(differ) > 12 else ""
        )
        alone = [f"{len(names)} only in {who}" for names, who in ((found.only_a, label), (found.only_b, name)) if names]
        text = ". ".join([note, *alone]) + "."
        out += html_table(
            ("Curve", "Unit", "Largest difference", "Of its range (%)", "R.m.s.", f"At ({unit(run, 'time')})"),
            lines,
            text,
        )
        if not lines:
            out += f"<p class=note>{html.escape(text)}</p>"
    return out + "<p class=note>All other sections are of the first run.</p>"


# ---- sections -------------------------------------------------------------------------------------------------------
def _animation(
    run: Any,
    name: str,
    max_frames: int,
    renderer: str,
    folder: Any,
    missing: list[str],
    colors: str,
    arrows: str,
    follow: str,
) -> str:
    data = scene(run, title="", max_frames=max_frames, folder=folder, colors=colors, arrows=arrows, follow=follow)
    data["missing"] = [without_paths(text, run, folder) for text in data["missing"]]
    missing += data["missing"]
    return viewer(data, renderer=renderer).replace("data-holonom-viewer", 'data-holonom-viewer data-wheel="focus"', 1)


def _model(run: Any) -> str:
    m = run.model
    bodies = [p for p in m.parts.values() if not p.ground]
    masses = [b.mass for b in [*bodies, *m.table("POINT_MASS").values()] if b.mass]
    rows: list[tuple[str, Any]] = [("Model", m.name)]
    if m.title and m.title != m.name:
        rows.append(("Title", m.title))
    rows.append(("Parts", len(bodies)))
    for kind, label in (
        ("POINT_MASS", "Point masses"),
        ("FLEXIBILITY", "Flexible bodies"),
        ("FLEX_BODY", "Flexible bodies"),
        ("FE_PART", "Beam bodies (FE_PART)"),
    ):
        if m.table(kind):
            rows.append((label, len(m.table(kind))))
    rows.append((f"Mass of all bodies ({unit(run, 'mass')})", float(sum(masses))))
    joints = Counter(j.type.lower() for j in m.joints.values() if j.active)
    joints.update(f"{p.type.lower()} primitive" for p in m.table("JPRIM").values() if p.active)
    rows.append(("Joints", f"{sum(joints.values())}: {_counted(joints)}" if joints else 0))
    for label, kinds in (
        ("Other constraints", [k for k in kinds_of("constraint") if k not in ("JOINT", "JPRIM")]),
        ("Forces", [*kinds_of("force"), "CONTACT"]),
    ):
        found = Counter({k: sum(1 for e in m.table(k).values() if e.active) for k in kinds if m.table(k)})
        if sum(found.values()):
            rows.append((label, f"{sum(found.values())}: {_counted(found)}"))
    rows.append((f"Gravity ({unit(run, 'acceleration')})", ", ".join(number(g) for g in m.gravity)))
    for key, label in (
        ("dof", "Degrees of freedom"),
        ("degrees_of_freedom", "Degrees of freedom"),
        ("coordinates", "Coordinates"),
        ("constraint_equations", "Constraint equations"),
    ):
        if key in run.info:
            rows.append((label, run.info[key]))
    out = facts(rows)
    redundant = run.info.get("redundant", run.info.get("redundant_constraints"))
    if redundant is not None:
        names = [str(r) for r in redundant] if isinstance(redundant, (list, tuple)) else []
        count = len(names) if names or isinstance(redundant, (list, tuple)) else redundant
        out += f"<h3>Redundant constraints: {html.escape(str(count))}</h3>"
        if names:
            out += _list(
                names,
                "Their reactions are set to zero. The motion does not depend on this choice; other reactions may.",
            )
    return out


def _counted(counts: Counter) -> str:
    return ", ".join(f"{n} {name}" for name, n in counts.most_common() if n)


def _list(items: Sequence[str], note: str = "", most: int = MAX_ROWS) -> str:
    shown = "".join(f"<li>{html.escape(str(t))}</li>" for t in items[:most])
    more = f"{len(items) - most} more are not shown. " if len(items) > most else ""
    return f"<ul>{shown}</ul>" + (f"<p class=note>{html.escape(more + note)}</p>" if more + note else "")


def _loads(run: Any, curves: Curves) -> str:
    """Largest speed and acceleration of a body, and the largest force and torque of each joint, motion, force and
    contact with their times: what a strength engineer reads first."""
    if not len(run):
        return ""
    time = unit(run, "time")
    found = []
    d, names = run.data, list(unique(run.data.bodies).values())
    for what, array, quantity in (
        ("Fastest body", d.body_velocity, "velocity"),
        ("Largest acceleration", d.body_acceleration, "acceleration"),
    ):
        if array is None or not np.size(array):
            continue
        sizes = np.nan_to_num(np.linalg.norm(np.asarray(array, float), axis=2))
        row, body = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
        if sizes[row, body] > curves.noise(quantity):
            value = f"{number(sizes[row, body])} {unit(run, quantity)} at {number(d.time[row])} {time}"
            found.append((what, f"{value}: {names[body]}"))
    rows = []
    for r in reactions(run, forces=True, contacts=True).rows:
        force, torque = (
            float(curves.clean(r[f"peak_{what}"], what)) if np.isfinite(r[f"peak_{what}"]) else 0.0
            for what in ("force", "torque")
        )
        if force or torque:
            rows.append(
                (
                    str(r["element"]),
                    f"{r['kind']}/{r['id']}",
                    force,
                    float(r["force_time"]) if force else "",
                    torque,
                    float(r["torque_time"]) if torque else "",
                )
            )
    rows.sort(key=lambda row: (-row[2], -row[4]))
    head = (
        "Element",
        "Id",
        f"Peak force ({unit(run, 'force')})",
        f"at ({time})",
        f"Peak torque ({unit(run, 'torque')})",
        f"at ({time})",
    )
    note = "Sizes of the force and torque on the I marker, or on the I side of a contact."
    out = (facts(found) if found else "") + html_table(head, rows[:MAX_FIRST], note if len(rows) <= MAX_FIRST else "")
    if len(rows) > MAX_FIRST:
        rest = html_table(head, rows[MAX_FIRST:], note)
        out += f"<details><summary>{len(rows) - MAX_FIRST} more</summary>{rest}</details>"
    return out


def _elements(curves: Curves) -> str:
    """Where the page's script shows the element that is chosen."""
    if not curves.elements:
        return ""
    more = f"; {curves.hidden} elements with smaller forces are not in this page" if curves.hidden else ""
    note = (
        "Choose a body in the picture or an element here: it is shown with its values at the time of the picture "
        f"and its curves{more}."
    )
    return f'<div id="holonom-inspector" class="inspector"></div><p class="note">{html.escape(note)}</p>'


def _texts(run: Any, *lists: Any) -> list[str]:
    """Texts of several lists, each once, without the folders of this machine."""
    given = [text for texts in lists for text in ([texts] if isinstance(texts, str) else texts or ())]
    return list(dict.fromkeys(without_paths(str(text), run) for text in given))


def _warned(run: Any) -> list[str]:
    return _texts(run, run.model.warnings, run.info.get("warnings"))


def _warnings(run: Any) -> str:
    """What the reader must know before the numbers: the first section of the page."""
    found = _warned(run)
    return _list(found, most=MAX_MESSAGES) if found else ""


def _messages(run: Any, missing: Sequence[str]) -> str:
    """All else that the run and the reading of its model had to say."""
    found = _warned(run)
    said = [text for text in _texts(run, run.info.get("messages")) if text not in found]
    out = "" if found else "<p>No warnings.</p>"
    foreign = [e for e in run.model.table("FOREIGN").values() if e.active]
    if foreign:
        needed = Counter(e.statement for e in foreign if e.needed)
        other = Counter(e.statement for e in foreign if not e.needed)
        texts = [f"{n} {name}: kept, but not simulated; the numbers are without it" for name, n in needed.most_common()]
        texts += [f"{n} {name}: kept; no influence on the numbers" for name, n in other.most_common()]
        out += f"<h3>Statements that were not used</h3>{_list(texts)}"
    if said:
        out += f'<h3>Messages of the run: {len(said)}</h3><div class="messages">{_list(said, most=MAX_MESSAGES)}</div>'
    if missing:
        count = "One thing is" if len(missing) == 1 else f"{len(missing)} things are"
        out += f"<details><summary>{count} not drawn</summary>{_list(list(missing), most=MAX_MESSAGES)}</details>"
    return out


#: settings of an analysis that its row gives by other keywords, or in columns of their own
TOLD = ("integrator", "formulation", "error", "steps by integrator")


def _solver(run: Any, curves: Curves) -> str:
    d, h = run.data, run.data.history
    second = unit(run, "time")
    rows: list[tuple[str, Any]] = [("Integrator", integrators(run))]
    formulations = list(
        dict.fromkeys(str(s.settings["formulation"]) for s in d.segments if s.settings.get("formulation"))
    )
    if formulations or run.info.get("formulation"):
        rows.append(("Formulation", ", ".join(formulations) or str(run.info["formulation"])))
    errors = list(dict.fromkeys(float(s.settings["error"]) for s in d.segments if s.settings.get("error")))
    if errors or run.info.get("error_tolerance"):
        rows.append(("Error allowed in a step", ", ".join(number(e) for e in errors) or run.info["error_tolerance"]))
    for key, label in (
        ("wall_time", "Wall time (s)"),
        ("cpu_time", "CPU time (s)"),
        ("compile_time", "Compile time (s)"),
    ):
        if key in run.info:
            rows.append((label, run.info[key]))
    if "cpu seconds" in d.counters and "cpu_time" not in run.info:
        rows.append(("CPU time of the solver (s)", float(d.counters["cpu seconds"])))
    out = ""
    if len(h):
        good = h[h["cause"] == ""]
        causes = Counter(str(c) for c in h["cause"] if c)
        rows += [("Steps tried", len(h)), ("Steps accepted", len(good)), ("Steps rejected", len(h) - len(good))]
    if referee_words(run):
        rows.append(("Contact referee", referee_words(run)))
        if h["iterations"].any():
            rows.append(("Iterations per step", float(h["iterations"].mean())))
        if len(good):
            steps = good["step"][good["step"] > 0]
            if len(steps):
                sizes = ", ".join(number(f(steps)) for f in (np.min, np.median, np.max))
                rows.append((f"Step size: smallest, median, largest ({second})", sizes))
            if good["order"].any():
                rows.append(("Order: mean, largest", f"{number(good['order'].mean())}, {good['order'].max()}"))
        cpu = h["cpu"][np.isfinite(h["cpu"])]
        if len(cpu) and "cpu_time" not in run.info and "cpu seconds" not in d.counters:
            rows.append(("CPU time at the last step (s)", float(cpu[-1])))
        if causes:
            worst = {c: h["time"][h["cause"] == c] for c in causes}
            out += "<h3>Why steps were rejected</h3>" + html_table(
                ("Cause", "Steps", f"First at ({second})", f"Last at ({second})"),
                [(c, n, float(worst[c][0]), float(worst[c][-1])) for c, n in causes.most_common()],
            )
    elif not any(method(s) for s in d.segments) and not run.info.get("integrator"):
        rows = [row for row in rows if row[0] != "Integrator"]
    text = (facts(rows) if rows else "") + out
    if d.segments and rows:
        text += "<h3>Analyses</h3>" + html_table(
            ("Analysis", f"From ({second})", f"To ({second})", "Outputs", "Solved by", "Settings"),
            [
                (
                    s.kind,
                    float(d.time[s.start]),
                    float(d.time[s.end - 1]),
                    s.end - s.start,
                    method(s) or "not recorded",
                    _settings(s),
                )
                for s in _joined(d.segments)
            ],
        )
    if d.counters:
        counted = [(str(k).replace("_", " "), v) for k, v in d.counters.items() if k != "cpu seconds"]
        text += ("<h3>Counters</h3>" + html_table(("Work", "Times"), counted)) if counted else ""
    if len(h) > 1:
        text += f'<div class="figures">{figure_of_steps(h, curves)}</div>'
    return text or "<p>This run has no record of its steps.</p>"


def _joined(segments: Sequence[Segment]) -> list[Segment]:
    """Analyses with rows; those that follow each other in the same way (feeders part a run at every output) as one."""
    out: list[Segment] = []
    plain = lambda s: {k: v for k, v in s.settings.items() if k != "steps by integrator"}
    for s in segments:
        if s.end <= s.start:
            continue
        last = out[-1] if out else None
        if last is None or last.end != s.start or last.kind != s.kind or plain(last) != plain(s):
            out.append(Segment(s.kind, s.start, s.end, dict(s.settings)))
            continue
        last.end = s.end
        made = Counter(last.settings.get("steps by integrator") or {})
        made.update(s.settings.get("steps by integrator") or {})
        if made:
            last.settings["steps by integrator"] = dict(made)
    return out


def _settings(segment: Any) -> str:
    word = lambda v: number(v) if isinstance(v, (int, float)) and not isinstance(v, bool) else str(v)
    shown = [f"error {number(segment.settings['error'])}"] if segment.settings.get("error") else []
    if segment.settings.get("formulation"):
        shown.append(str(segment.settings["formulation"]))
    shown += [f"{k} {word(v)}" for k, v in segment.settings.items() if k not in TOLD and v not in ("", None)]
    return ", ".join(shown)


def _bending(run: Any, curves: Curves) -> str:
    """Of each flexible body: what it is made of, its largest deflection, its modes with their share of the strain
    energy, and its hot spots."""
    out, lines = "", []
    for element in run.model.table("FLEXIBILITY").values():
        if (
            element.active
            and len(run.time)
            and any(name.startswith(f"FLEXIBILITY_{element.id}[") for name in run.states)
        ):
            view = run.flexible(element)
            strain = view.strain_energy.values
            out += f"<h3>{html.escape(view.name)}</h3>{_deflection(run, view)}{_modes(run, view, np.nan_to_num(strain))}{_hot_spots(run, element)}"  # noqa: E501
            lines.append((view.name, curves.add(strain.sum(axis=1))))
    figure = curves.figure(curves.plot("Strain energy of flexible bodies", "energy (J)", lines)) if lines else ""
    return out + (f'<div class="figures">{figure}</div>{curves.left_out()}' if figure else "")


def _deflection(run: Any, view: Any) -> str:
    way, node, time = view.largest_displacement
    share = bending(run, view.element)[0]
    where = f"{100 * share:.3g} % of its size, node {node}, at {number(time)} {unit(run, 'time')}"
    rows = [
        ("Nodes", len(view.nodes)),
        ("Modes", view.modes),
        (f"Largest displacement from its floating frame ({unit(run, 'length')})", way),
        ("", where + ("" if share <= SMALL else "; beyond what modes are for")),
        ("Largest strain energy (J)", float(np.nanmax(view.strain_energy.values.sum(axis=1), initial=0.0))),
    ]
    return facts(rows)


def _plain(values: Any, largest: float) -> np.ndarray:
    """With zeros for what is rounding compared with the largest."""
    return np.where(np.abs(values) <= NOISE * largest, 0.0, values)


def _modes(run: Any, view: Any, strain: np.ndarray) -> str:
    element, peaks = view.element, strain.max(axis=0)
    q = np.abs(np.nan_to_num(view.q.values)).max(axis=0) * element.largest()
    shares = _plain(100 * view.energy_share, 100.0)
    table_of = np.column_stack(
        [view.frequency / (2 * np.pi), element.damping, _plain(q, q.max()), shares, _plain(peaks, peaks.max())]
    )
    second = run.model.units.symbol("time")
    head = (
        "Mode",
        f"Frequency ({'Hz' if second == 's' else '1/' + second})",
        "Damping",
        f"Displacement ({unit(run, 'length')})",
        "Strain energy (%)",
        "Largest (J)",
    )
    note = (
        "Frequencies of the free body; largest displacement and strain energy of each mode, and its mean share of "
        "the strain energy."
    )
    return html_table(head, [(k + 1, *map(float, row)) for k, row in enumerate(table_of)], note)


def _hot_spots(run: Any, element: Any) -> str:
    note = ""
    try:
        try:
            view = run.flexible(element)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it is in the note
                spots = view.hot_spots(10)
            note = "".join(f"{text[:1].upper()}{text[1:]}. " for text in view.doubts)
        except ModelError:  # loads that are not known, or no stresses at all
            spots = run.flexible(element, residual=False).hot_spots(10)
            note = "Stresses are those of the modes alone: not all loads on its nodes are known. "
    except ModelError as error:
        text = str(error).partition(": ")[2] or str(error)
        return f"<p class=note>{html.escape(text[:1].upper() + text[1:])}.</p>"
    size = float(np.linalg.norm(np.ptp(element.points, axis=0)))
    places = _plain(np.column_stack([spots[c] for c in "xyz"]), size)
    fibre = bool(any(spots["fibre"]))
    length, force = (run.model.units.symbol(u) for u in ("length", "force"))
    head = (
        "Node",
        f"von Mises ({pretty(f'{force}/{length}^2')})",
        f"Time ({unit(run, 'time')})",
        *(f"{c} ({unit(run, 'length')})" for c in "xyz"),
    )
    rows = [
        (
            int(r["node"]),
            float(r["von_mises"]),
            float(r["time"]),
            *map(float, at),
            *((str(r["fibre"]),) if fibre else ()),
        )
        for r, at in zip(spots, places)
    ]
    note += "Largest stress over time, positions in the undeformed part."
    return "<h4>Hot spots</h4>" + html_table((*head, "Fibre") if fibre else head, rows, note)


def _energy(run: Any, curves_of: Curves | None = None) -> str:
    plots = Curves(run) if curves_of is None else curves_of
    d, joule, factor = run.data, "J", to_si(run.model.units, "energy")
    curves = {"kinetic": d.energy_kinetic, "gravity": d.energy_gravity, "elastic": d.energy_elastic}
    curves = {k: factor * v for k, v in curves.items() if v is not None and np.isfinite(v).any()}
    if not curves:
        return ""
    curves["sum"] = sum(np.nan_to_num(v) for v in curves.values())
    for name in ("dissipated", "input"):
        value = getattr(d, f"energy_{name}")
        if value is not None and np.isfinite(value).any():
            curves[name] = factor * value
    checked = audit(run)
    text = str(checked).removeprefix("energy audit: ")
    out = f"<p>{html.escape(text[:1].upper() + text[1:])}.</p>"
    top = max(np.nanmax(np.abs(v), initial=0.0) for v in curves.values())
    plain = lambda v: 0.0 if abs(v) <= NOISE * top else float(v)
    rows = [
        (k, *(plain(f(v)) for f in (_first, np.nanmin, np.nanmax, _last)))
        for k, v in curves.items()
        if np.isfinite(v).any()
    ]
    for k, s in enumerate(checked.segments):
        if np.isfinite(s.residual).any():
            name = "balance" if len(checked.segments) == 1 else f"balance of analysis {k + 1}"
            rows.append((name, *(float(f(s.residual)) for f in (_first, np.nanmin, np.nanmax, _last))))
    out += html_table((f"Energy ({joule})", "Start", "Smallest", "Largest", "End"), rows)
    out += _pairs(checked)
    if len(d.time) < 2:
        return out
    unless_noise = lambda v, name: (
        None if np.nanmax(np.abs(v), initial=0.0) <= NOISE * top else plots.add(v, name=f"energy.{name}")
    )
    figures = [
        plots.plot(
            "Energies",
            f"energy ({joule})",
            [(n, unless_noise(v, "total" if n == "sum" else n)) for n, v in curves.items()],
        )
    ]
    for k, s in enumerate(checked.segments):
        if np.isfinite(s.residual).any() and len(s.time) > 1:
            title = (
                "Balance: sum − start − input + dissipated" if s.works_recorded else "Change of the sum since the start"
            )
            title += f", analysis {k + 1}" if len(checked.segments) > 1 else ""
            noise = np.nanmax(np.abs(s.residual)) <= NOISE * max(top, s.scale)
            figures.append(
                plots.plot(title, f"balance ({joule})", [("", None if noise else plots.add(s.residual, t=s.time))])
            )
    return f'{out}<div class="figures">{"".join(plots.figure(n) for n in figures)}</div>{plots.left_out()}'


def _pairs(checked: Audit) -> str:
    """Energy of pairs of shapes in compliant contact."""
    if not checked.pairs:
        return ""
    unit = checked.unit
    works = ("Work taken", "Work given", "Given beyond what was taken")
    head = ("Contact of", *(f"{work} ({unit})" for work in works), "Verdict")
    words = lambda p: "creates energy" if p.creates else "creates none"
    shown = checked.pairs[:MAX_ROWS]
    note = f"The first {len(shown)} of {len(checked.pairs)}." if len(shown) < len(checked.pairs) else ""
    return html_table(head, [(p.pair, p.taken, p.given, p.gained, words(p)) for p in shown], note)


def _first(values: np.ndarray) -> float:
    return float(values[0])


def _last(values: np.ndarray) -> float:
    return float(values[-1])


def _impacts(run: Any) -> str:
    """Impulses of contacts as constraints: the largest ones, in order of time."""
    rows = run.impacts
    if not len(rows):
        return ""
    shown = np.sort(np.argsort(-rows["normal_impulse"], kind="stable")[:MAX_ROWS])
    second, impulse, speed = unit(run, "time"), f"{unit(run, 'force')}·{unit(run, 'time')}", unit(run, "velocity")
    head = (
        f"Time ({second})",
        "Contact",
        "Between",
        f"Normal impulse ({impulse})",
        f"Friction ({impulse})",
        f"Speed before ({speed})",
        f"behind ({speed})",
        f"Energy lost ({unit(run, 'energy')})",
    )
    columns = ("normal_impulse", "tangential_impulse", "velocity_before", "velocity_after", "energy_lost")
    more = f"The {len(shown)} largest of {len(rows)}. " if len(rows) > len(shown) else ""
    note = more + "Speeds are those of the gap: negative where it closes."
    between = lambda r: " and ".join(_touching(r, side) for side in "ij")
    return html_table(
        head,
        [(float(r["time"]), str(r["contact"]), between(r), *(float(r[c]) for c in columns)) for r in rows[shown]],
        note,
    )


def _touching(row: Any, side: str) -> str:
    """The shape of one side of an impact and, where it has another name, the body that carries it."""
    body, shape = str(row[f"body_{side}"]), str(row[f"shape_{side}"])
    return shape if body in ("", shape) else f"{shape} ({body})" if shape else body


def _switches(run: Any) -> str:
    """Changes of SWITCHes."""
    head = (f"Time ({unit(run, 'time')})", "Switch", "From", "To", f"Energy lost ({unit(run, 'energy')})")
    return html_table(
        head, [(float(r["time"]), r["switch"], r["source"], r["target"], float(r["energy"])) for r in run.switches]
    )


def _curves(run: Any, curves: Curves) -> str:
    out = "".join(f"<h3>{html.escape(heading)}</h3>{text}" for heading, text in curves.whole())
    note = (
        f"Where there are more than {MAX_CURVES}, those with the largest values are drawn; a name in a legend shows or "
        "hides its curve, and a "
        "click in a plot sets the time of the picture."
    )
    return out + f'<p class="note">{html.escape(note)}</p>' if out else ""


def _ends(run: Any, curves: Curves) -> str:
    d = run.data
    if not len(d.time):
        return ""
    last = lambda a, k, dimension: [float(v) for v in curves.clean(a[-1, k], dimension)]
    out = ""
    if d.bodies:
        rows = [
            (
                name,
                *last(d.body_position, k, "length"),
                *last(d.body_velocity, k, "velocity"),
                float(curves.clean(np.linalg.norm(d.body_angular_velocity[-1, k]), "angular_velocity")),
            )
            for k, name in enumerate(unique(d.bodies).values())
        ]
        l, v, w = (unit(run, q) for q in ("length", "velocity", "angular_velocity"))
        head = ("Body", *(f"{c} ({l})" for c in "xyz"), *(f"v{c} ({v})" for c in "xyz"), f"|ω| ({w})")
        out += html_table(head, rows, "Centres of mass, ground axes.")
    for label, keys, force, torque in (
        ("Constraint", d.constraints, d.constraint_force, d.constraint_torque),
        ("Force", d.forces, d.force_force, d.force_torque),
    ):
        rows = [
            (name, *last(force, k, "force"), *last(torque, k, "torque")) for k, name in enumerate(unique(keys).values())
        ]
        f, m = unit(run, "force"), unit(run, "torque")
        out += html_table(
            (label, *(f"F{c} ({f})" for c in "xyz"), *(f"T{c} ({m})" for c in "xyz")),
            rows,
            "On the I marker, ground axes." if rows else "",
        )
    out += _joints_at_the_end(run, curves)
    if d.contacts:
        f, l = unit(run, "force"), unit(run, "length")
        columns = ((d.contact_normal, "force"), (d.contact_friction, "force"), (d.contact_depth, "length"))
        rows = [
            (name, *(float(curves.clean(a[-1, k], q)) for a, q in columns))
            for k, name in enumerate(unique(d.contacts).values())
        ]
        out += html_table(("Contact", f"Normal force ({f})", f"Friction ({f})", f"Depth ({l})"), rows)
    rows = []
    for k, key in enumerate(d.requests):
        names, units = run.request_components(key)
        rows += [
            (key[2], n, float(v), pretty(un))
            for n, v, un in zip(names, d.request_values[-1, k], units)
            if np.isfinite(v) and v != 0
        ]
    out += html_table(("Request", "Component", "Value", "Unit"), rows)
    rows = [(name, float(d.variable_values[-1, k])) for k, name in enumerate(unique(d.variables).values())]
    rows += [(name, float(d.state_values[-1, k])) for k, name in enumerate(d.states)]
    out += html_table(("Variable or state", "Value"), rows)
    return out + ("<p class=note>What is zero to rounding is shown as 0.</p>" if out else "")


def _joints_at_the_end(run: Any, curves: Curves) -> str:
    """Coordinates of joints, motions and springs."""
    shown = (
        "angle",
        "angles",
        "travel",
        "slide",
        "value",
        "length",
        "line_force",
        "effort",
        "angular_velocity",
        "speed",
        "rate",
        "length_rate",
    )
    rows = []
    for q in curves.found:
        what = q.name.rpartition(".")[2]
        if q.table not in ("constraint", "force") or what not in shown or q.owner is None:
            continue
        name = q.name.rpartition(".")[0]
        factor = np.degrees(1.0) if q.dimension == "angle" else 1.0
        values = factor * curves.clean(q.values[-1], q.dimension)
        for component, value in zip(q.components, values):
            rows.append((name, f"{what.replace('_', ' ')} {component}".strip(), float(value), pretty(curves.unit(q))))
    return html_table(
        ("Joint, motion or spring", "Coordinate", "Value", "Unit"), rows, "I with respect to J." if rows else ""
    )
