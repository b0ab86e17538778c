"""A run as one HTML page: what ran, how the solver fared, energy, curves, end values and the animation, all offline.

The page asks for nothing from a network, runs no script but the viewer, and escapes every name: models come from
strangers.  The curves are SVG drawn by Matplotlib in the page's own text colour, so they follow its light or dark look.
"""

from __future__ import annotations

import html
import io
import re
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .animation import fill, scene, template, viewer

COLOURS = ("#3b82d6", "#e07b2f", "#3fa45b", "#cf4d5b", "#8a6fd1", "#2aa3a3", "#b9860f", "#c768a8")
INK = "#010203"  # stands for the page's text colour while Matplotlib draws
CURVE_POINTS = 1500
MAX_CURVES = 8
MAX_FIGURES = 12
MAX_ROWS = 200


def write_report(
    run: Any,
    path: str | Path,
    *,
    title: str | None = None,
    animation: bool = True,
    max_frames: int = 600,
    renderer: str = "auto",
    folder: str | Path | None = None,
) -> Path:
    """Write the report of ``run`` (`holonom.results.Run`) to the HTML file ``path`` and return it.

    ``animation``: put the viewer into the page (see `animation.write_animation` for ``max_frames``, ``renderer`` and
    ``folder``).  A part of the page that cannot be made is replaced by a sentence that says why; an unknown renderer
    raises ValueError.
    """
    if renderer not in ("auto", "three", "canvas"):
        raise ValueError(f"unknown renderer '{renderer}'; choose auto, three or canvas")
    path = Path(path)
    name = title or run.model.title or run.model.name
    missing: list[str] = []
    show = _guard(_animation, run, name, max_frames, renderer, folder, missing) if animation else ""
    sections = [
        ("Animation", show),
        ("Model", _guard(_model, run)),
        ("Warnings", _guard(_warnings, run, missing)),
        ("Solver", _guard(_solver, run)),
        ("Impacts", _guard(_impacts, run)),
        ("Switches", _guard(_switches, run)),
        ("Energy", _guard(_energy, run)),
        ("Curves", _guard(_curves, run)),
        ("Values at the end", _guard(_ends, run)),
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
        style=template("viewer.css") + template("report.css"),
        lead=_lead(run),
        links="".join(links),
        body="\n".join(body),
        foot=html.escape(_foot(run)),
    )
    path.write_text(page, encoding="utf-8")
    return path


report = write_report


def _guard(make: Callable[..., str], *args: Any) -> str:
    """A section, or a sentence when it cannot be made: one bad array must not cost the whole report."""
    try:
        return make(*args)
    except Exception as error:
        warnings.warn(f"a part of the report could not be made ({make.__name__[1:]}): {error}", stacklevel=3)
        return f'<p class="bad">This part could not be made: {html.escape(str(error) or type(error).__name__)}.</p>'


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
    return table(("", ""), [(name, value if isinstance(value, str) else number(value)) for name, value in rows])


def unit(run: Any, quantity: str) -> str:
    """Unit text with proper signs: N·mm, mm/s²."""
    return run.model.units.symbol(quantity).replace("*", "·").replace("^2", "²").replace("^3", "³")


def table(head: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> str:
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
    return f"<div class=scroll><table>{header}<tbody>{''.join(cells)}</tbody></table></div>{caption}"


def _lead(run: Any) -> str:
    t = run.data.time
    parts = []
    if len(t):
        parts.append(f"{number(t[0])} to {number(t[-1])} {unit(run, 'time')}, {len(t)} outputs")
    if run.data.segments:
        parts.append(", then ".join(dict.fromkeys(str(s.kind) for s in run.data.segments)))
    parts.append(f"units {unit(run, 'length')}, {unit(run, 'mass')}, {unit(run, 'force')}, {unit(run, 'time')}")
    if run.model.path:
        parts.append(str(run.model.path))
    out = f"<p class=lead>{html.escape('  ·  '.join(parts))}</p>"
    if not run.info.get("complete", True):
        why = run.info.get("stopped") or run.info.get("error") or "it was stopped before its end"
        out += f"<p class=bad>This run is not complete: {html.escape(str(why))}</p>"
    return out


def _foot(run: Any) -> str:
    version = run.info.get("version")
    return "Holonom" + (f" {version}" if version else "") + (f"  ·  {run.info['date']}" if run.info.get("date") else "")


# ---- sections -------------------------------------------------------------------------------------------------------
def _animation(run: Any, name: str, max_frames: int, renderer: str, folder: Any, missing: list[str]) -> str:
    data = scene(run, title="", max_frames=max_frames, folder=folder)
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
        ("Other constraints", ("MOTION", "COUPLER", "GEAR", "PTCV", "CVCV", "GCON", "UCON")),
        (
            "Forces",
            (
                "SFORCE",
                "VFORCE",
                "VTORQUE",
                "GFORCE",
                "SPRINGDAMPER",
                "BUSHING",
                "FIELD",
                "BEAM",
                "CONTACT",
                "NFORCE",
                "MFORCE",
                "FRICTION",
            ),
        ),
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


def _list(items: Sequence[str], note: str = "") -> str:
    shown = "".join(f"<li>{html.escape(str(t))}</li>" for t in items[:MAX_ROWS])
    more = f"{len(items) - MAX_ROWS} more are not shown. " if len(items) > MAX_ROWS else ""
    return f"<ul>{shown}</ul>" + (f"<p class=note>{html.escape(more + note)}</p>" if more + note else "")


def _warnings(run: Any, missing: Sequence[str]) -> str:
    given = run.info.get("warnings") or ()
    found = list(dict.fromkeys([*run.model.warnings, *([given] if isinstance(given, str) else map(str, given))]))
    out = _list(found) if found else ""
    foreign = [e for e in run.model.table("FOREIGN").values() if e.active]
    if foreign:
        needed = Counter(e.statement for e in foreign if e.needed)
        other = Counter(e.statement for e in foreign if not e.needed)
        texts = [f"{n} {name}: kept, but not simulated; the numbers are without it" for name, n in needed.most_common()]
        texts += [f"{n} {name}: kept; no influence on the numbers" for name, n in other.most_common()]
        out += f"<h3>Statements that were not used</h3>{_list(texts)}"
    if missing:
        out += f"<details><summary>{len(missing)} things are not drawn</summary>{_list(list(missing))}</details>"
    return out or "<p>None.</p>"


def _solver(run: Any) -> str:
    d, h = run.data, run.data.history
    rows: list[tuple[str, Any]] = []
    for key, label in (
        ("integrator", "Integrator"),
        ("formulation", "Formulation"),
        ("error", "Error tolerance"),
        ("wall_time", "Wall time (s)"),
        ("cpu_time", "CPU time (s)"),
        ("compile_time", "Compile time (s)"),
    ):
        if key in run.info:
            rows.append((label, run.info[key]))
    out = ""
    if len(h):
        good = h[h["cause"] == ""]
        causes = Counter(str(c) for c in h["cause"] if c)
        rows += [("Steps tried", len(h)), ("Steps accepted", len(good)), ("Steps rejected", len(h) - len(good))]
        if h["iterations"].any():
            rows.append(("Iterations per step", float(h["iterations"].mean())))
        if len(good):
            steps = good["step"][good["step"] > 0]
            if len(steps):
                rows.append(
                    (
                        f"Step size: smallest, median, largest ({unit(run, 'time')})",
                        ", ".join(number(f(steps)) for f in (np.min, np.median, np.max)),
                    )
                )
            if good["order"].any():
                rows.append(("Order: mean, largest", f"{number(good['order'].mean())}, {good['order'].max()}"))
        cpu = h["cpu"][np.isfinite(h["cpu"])]
        if len(cpu) and "cpu_time" not in run.info:
            rows.append(("CPU time at the last step (s)", float(cpu[-1])))
        if causes:
            worst = {c: h["time"][h["cause"] == c] for c in causes}
            out += "<h3>Why steps were rejected</h3>" + table(
                ("Cause", "Steps", f"First at ({unit(run, 'time')})", f"Last at ({unit(run, 'time')})"),
                [(c, n, float(worst[c][0]), float(worst[c][-1])) for c, n in causes.most_common()],
            )
    text = facts(rows) + out
    if len(d.segments) > 1 or any(s.settings for s in d.segments):
        text += "<h3>Analyses</h3>" + table(
            ("Analysis", "From", "To", "Outputs", "Settings"),
            [
                (
                    s.kind,
                    float(d.time[s.start]),
                    float(d.time[s.end - 1]),
                    s.end - s.start,
                    ", ".join(
                        f"{k} {number(v) if isinstance(v, (int, float)) else v}" for k, v in s.settings.items() if v not in ("", None)
                    ),
                )
                for s in d.segments
                if s.end > s.start
            ],
        )
    if d.counters:
        text += "<h3>Counters</h3>" + table(("Work", "Times"), [(str(k).replace("_", " "), v) for k, v in d.counters.items()])
    if len(h) > 1:
        text += _step_figure(h, unit(run, "time"))
    return text or "<p>This run has no record of its steps.</p>"


def _energy(run: Any) -> str:
    from .audit import audit
    from .quantities import to_si

    d, joule, second, factor = run.data, "J", unit(run, "time"), to_si(run.model.units, "energy")
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
    rows = [(k, float(v[0]), float(np.nanmin(v)), float(np.nanmax(v)), float(v[-1])) for k, v in curves.items()]
    for k, s in enumerate(checked.segments):
        if np.isfinite(s.residual).any():
            name = "balance" if len(checked.segments) == 1 else f"balance of analysis {k + 1}"
            r = s.residual
            rows.append((name, float(r[0]), float(np.nanmin(r)), float(np.nanmax(r)), float(r[-1])))
    out += table((f"Energy ({joule})", "Start", "Smallest", "Largest", "End"), rows)
    out += figure(d.time, curves, second, f"energy ({joule})", "Energies")
    for s in checked.segments:
        if np.isfinite(s.residual).any() and len(s.time) > 1:
            known = s.works_recorded
            title = "Balance: sum − start − input + dissipated" if known else "Change of the sum since the start"
            out += figure(s.time, {"balance": s.residual}, second, f"balance ({joule})", title, height=1.9)
    return out


def _impacts(run: Any) -> str:
    """Impulses of contacts as constraints: the largest ones, in order of time."""
    rows = run.impacts
    if not len(rows):
        return ""
    shown = np.sort(np.argsort(-rows["normal_impulse"], kind="stable")[:MAX_ROWS])
    second, impulse, speed = unit(run, "time"), f"{unit(run, 'force')}·{unit(run, 'time')}", unit(run, "velocity")
    head = (f"Time ({second})", "Contact", "Between", f"Normal impulse ({impulse})", f"Friction ({impulse})", f"Speed before ({speed})", f"behind ({speed})",
            f"Energy lost ({unit(run, 'energy')})")  # fmt: skip
    columns = ("normal_impulse", "tangential_impulse", "velocity_before", "velocity_after", "energy_lost")
    more = f"The {len(shown)} largest of {len(rows)}. " if len(rows) > len(shown) else ""
    note = more + "Speeds are those of the gap: negative where it closes."
    between = lambda r: " and ".join(_touching(r, side) for side in "ij")
    return table(head, [(float(r["time"]), str(r["contact"]), between(r), *(float(r[c]) for c in columns)) for r in rows[shown]], note)


def _touching(row: Any, side: str) -> str:
    """The shape of one side of an impact and, where it has another name, the body that carries it."""
    body, shape = str(row[f"body_{side}"]), str(row[f"shape_{side}"])
    return shape if body in ("", shape) else f"{shape} ({body})" if shape else body


def _switches(run: Any) -> str:
    """Changes of SWITCHes."""
    head = (f"Time ({unit(run, 'time')})", "Switch", "From", "To", f"Energy lost ({unit(run, 'energy')})")
    return table(head, [(float(r["time"]), r["switch"], r["source"], r["target"], float(r["energy"])) for r in run.switches])


def _curves(run: Any) -> str:
    d, t = run.data, run.data.time
    if len(t) < 2:
        return ""
    ts, out = unit(run, "time"), []
    for k, key in enumerate(d.requests[:MAX_FIGURES]):
        names, units = run.request_components(key)
        groups: dict[str, dict[str, np.ndarray]] = {}
        for c, (name, text) in enumerate(zip(names, units)):
            values = d.request_values[:, k, c]
            if np.isfinite(values).any() and np.nanmax(np.abs(values)) > 0:
                groups.setdefault(text, {})[name] = values
        for text, curves in groups.items():
            out.append(figure(t, curves, ts, text or "value", f"Request {key[2]}"))
    if len(d.requests) > MAX_FIGURES:
        out.append(f"<p class=note>{len(d.requests) - MAX_FIGURES} more requests are not plotted.</p>")
    norm = lambda a: np.linalg.norm(a, axis=-1)
    names = _unique(d.bodies)
    if d.bodies:
        change = d.body_position - d.body_position[:1]
        pick = _largest(np.nan_to_num(norm(change)).max(axis=0))
        noise = 1e-12 * np.nanmax(np.abs(change), initial=0)
        for axis, letter in enumerate("xyz"):
            curves = {names[k]: d.body_position[:, k, axis] for k in pick}
            if any(np.nanmax(np.abs(change[:, k, axis]), initial=0) > noise for k in pick):
                out.append(figure(t, curves, ts, f"{letter} ({unit(run, 'length')})", f"Centres of mass, {letter}"))
        for values, quantity, what, title in (
            (d.body_velocity, "velocity", "speed", "Speed of centres of mass"),
            (d.body_angular_velocity, "angular_velocity", "|ω|", "Angular speed"),
        ):
            size = norm(values)
            if np.isfinite(size).any() and np.nanmax(size) > 0:
                out.append(figure(t, {names[k]: size[:, k] for k in pick}, ts, f"{what} ({unit(run, quantity)})", title))
    for label, keys, force, torque in (
        ("Reactions", d.constraints, d.constraint_force, d.constraint_torque),
        ("Applied forces", d.forces, d.force_force, d.force_torque),
    ):
        names = _unique(keys)
        for values, quantity in ((force, "force"), (torque, "torque")):
            size = norm(values) if len(keys) else np.zeros((len(t), 0))
            if np.isfinite(size).any() and np.nanmax(size) > 0:
                pick = _largest(np.nan_to_num(size).max(axis=0))
                out.append(
                    figure(
                        t,
                        {names[k]: size[:, k] for k in pick},
                        ts,
                        f"{quantity} ({unit(run, quantity)})",
                        f"{label}: {quantity}",
                    )
                )
    names = _unique(d.contacts)
    for sizes, title in ((d.contact_normal, "Contacts: normal force"), (d.contact_friction, "Contacts: friction force")) if names else ():
        if np.isfinite(sizes).any() and np.nanmax(sizes) > 0:
            pick = _largest(np.nan_to_num(sizes).max(axis=0))
            out.append(figure(t, {names[k]: sizes[:, k] for k in pick}, ts, f"force ({unit(run, 'force')})", title))
    if d.variables:
        names = _unique(d.variables)
        pick = _largest(np.nan_to_num(np.abs(d.variable_values)).max(axis=0))
        out.append(figure(t, {names[k]: d.variable_values[:, k] for k in pick}, ts, "value", "Variables"))
    if d.states:
        pick = _largest(np.nan_to_num(np.abs(d.state_values)).max(axis=0))
        out.append(figure(t, {d.states[k]: d.state_values[:, k] for k in pick}, ts, "value", "States"))
    note = f"<p class=note>Where there are more than {MAX_CURVES}, those with the largest values are drawn.</p>"
    return f"<div class=figures>{''.join(out)}</div>{note}" if out else ""


def _largest(sizes: np.ndarray) -> list[int]:
    """Columns that move most, at most MAX_CURVES, in the order of the model."""
    order = np.argsort(-np.asarray(sizes), kind="stable")[:MAX_CURVES]
    return sorted(int(k) for k in order if sizes[k] > 0)


def _unique(keys: Sequence[tuple[str, int, str]]) -> list[str]:
    counts = Counter(k[2] for k in keys)
    return [k[2] if counts[k[2]] == 1 else f"{k[2]} ({k[0]}/{k[1]})" for k in keys]


def _ends(run: Any) -> str:
    d = run.data
    if not len(d.time):
        return ""
    last = lambda a, k: [float(v) for v in a[-1, k]]
    out = ""
    if d.bodies:
        rows = [
            (
                name,
                *last(d.body_position, k),
                *last(d.body_velocity, k),
                float(np.linalg.norm(d.body_angular_velocity[-1, k])),
            )
            for k, name in enumerate(_unique(d.bodies))
        ]
        l, v, w = (unit(run, q) for q in ("length", "velocity", "angular_velocity"))
        head = ("Body", *(f"{c} ({l})" for c in "xyz"), *(f"v{c} ({v})" for c in "xyz"), f"|ω| ({w})")
        out += table(head, rows, "Centres of mass, ground axes.")
    for label, keys, force, torque in (
        ("Constraint", d.constraints, d.constraint_force, d.constraint_torque),
        ("Force", d.forces, d.force_force, d.force_torque),
    ):
        rows = [(name, *last(force, k), *last(torque, k)) for k, name in enumerate(_unique(keys))]
        f, m = unit(run, "force"), unit(run, "torque")
        out += table(
            (label, *(f"F{c} ({f})" for c in "xyz"), *(f"T{c} ({m})" for c in "xyz")),
            rows,
            "On the I marker, ground axes." if rows else "",
        )
    rows = []
    for k, key in enumerate(d.requests):
        names, units = run.request_components(key)
        rows += [(key[2], n, float(v), un) for n, v, un in zip(names, d.request_values[-1, k], units) if np.isfinite(v) and v != 0]
    out += table(("Request", "Component", "Value", "Unit"), rows)
    rows = [(name, float(d.variable_values[-1, k])) for k, name in enumerate(_unique(d.variables))]
    rows += [(name, float(d.state_values[-1, k])) for k, name in enumerate(d.states)]
    return out + table(("Variable or state", "Value"), rows)


# ---- figures --------------------------------------------------------------------------------------------------------
def thin(t: np.ndarray, y: np.ndarray, limit: int = CURVE_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """A curve that looks the same with about ``limit`` points: least and largest value of each piece are kept."""
    n = len(t)
    if n <= limit:
        return t, y
    edges = np.linspace(0, n, max(2, limit // 2) + 1).astype(int)
    keep = {0, n - 1}
    filled = np.where(np.isfinite(y), y, 0.0)
    for a, b in zip(edges[:-1], edges[1:]):
        keep |= {a + int(np.argmin(filled[a:b])), a + int(np.argmax(filled[a:b]))}
    index = np.array(sorted(keep))
    return t[index], y[index]


def figure(t: np.ndarray, curves: dict[str, np.ndarray], x: str, y: str, title: str, height: float = 2.7) -> str:
    """SVG figure of curves over time; names are text, never formulas or markup."""
    fig, ax = _axes(height)
    for k, (name, values) in enumerate(curves.items()):
        ax.plot(
            *thin(np.asarray(t), np.asarray(values)),
            label=name,
            color=COLOURS[k % len(COLOURS)],
            lw=1.4,
            ls="-" if k < len(COLOURS) else "--",
        )
    _labels(ax, f"time ({x})", y)
    if len(curves) > 1:
        _legend(ax)
    return _svg(fig, title)


def _step_figure(h: np.ndarray, second: str) -> str:
    fig, ax = _axes(2.4)
    good, bad = h[h["cause"] == ""], h[h["cause"] != ""]
    good = good[good["step"] > 0]
    if len(good):
        ax.step(*thin(good["time"], good["step"]), where="pre", color=COLOURS[0], lw=1.1, label="accepted")
    for k, cause in enumerate(dict.fromkeys(str(c) for c in bad["cause"])):
        rows = bad[(bad["cause"] == cause) & (bad["step"] > 0)][:2000]
        if len(rows):
            ax.plot(
                rows["time"],
                rows["step"],
                ls="",
                marker="x",
                ms=4,
                color=COLOURS[(k + 1) % len(COLOURS)],
                label=f"rejected: {cause}",
            )
    steady = len(good) and good["step"].min() > 0.1 * good["step"].max()
    if steady:
        ax.set_ylim(0.0, 1.2 * good["step"].max())
    ax.set_yscale("log" if len(good) and not steady else "linear")
    _labels(ax, f"time ({second})", f"step ({second})")
    if len(bad):
        _legend(ax)
    return _svg(fig, "Step size")


def _axes(height: float):
    from matplotlib.figure import Figure

    fig = Figure(figsize=(7.2, height), layout="constrained")
    ax = fig.add_subplot()
    ax.patch.set_alpha(0)
    fig.patch.set_alpha(0)
    ax.grid(True, color=INK, alpha=0.14, lw=0.7)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(INK)
        spine.set_alpha(0.4)
    ax.tick_params(colors=INK, labelsize=8.5, length=3)
    ax.margins(x=0.01)
    return fig, ax


def _labels(ax, x: str, y: str) -> None:
    ax.set_xlabel(x, color=INK, fontsize=9, parse_math=False)
    ax.set_ylabel(y, color=INK, fontsize=9, parse_math=False)


def _legend(ax) -> None:
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    legend = ax.legend(
        handles,
        ["x"] * len(handles),
        fontsize=8.5,
        frameon=False,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        labelcolor=INK,
    )
    for text, label in zip(legend.get_texts(), labels):  # names such as "$x" must not be read as formulas
        text.set_parse_math(False)
        text.set_text(label if len(label) <= 34 else label[:16] + "…" + label[-16:])


def _svg(fig, title: str) -> str:
    import matplotlib as mpl

    stream = io.StringIO()
    quiet = {"svg.fonttype": "none", "svg.hashsalt": title, "font.family": "sans-serif", "text.usetex": False}
    with mpl.rc_context(quiet), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # glyphs that a font lacks; the page's own fonts draw the text
        fig.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S).replace(INK, "currentColor")
    text = re.sub(r'font: ([\d.]+px) [^";]*', r"font: \1 system-ui, sans-serif", text)
    salt = f"f{abs(hash_text(title + text)):08x}-"  # ids of several figures share one page
    text = re.sub(r'\bid="', f'id="{salt}', text)
    text = re.sub(r'(xlink:href="#|url\(#)', lambda m: m.group(1) + salt, text)
    text = text.replace("<svg ", f'<svg role="img" aria-label="{html.escape(title, quote=True)}" ', 1)
    return f"<figure>{text}<figcaption>{html.escape(title)}</figcaption></figure>"


def hash_text(text: str) -> int:
    """The same number for the same text in every process."""
    import zlib

    return zlib.crc32(text.encode())
