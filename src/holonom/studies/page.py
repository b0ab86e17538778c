"""One page about a study: stages, failures, the table of runs and figures, as HTML that needs no network.

Figures are drawn as SVG: history, parallel coordinates, scatter matrix, contours, Pareto front, tornado, indices of
sensitivity, Pareto chart of the effects of a two-level design.  A run that
the pointer is on is emphasised and shows its values; one that is clicked is marked in all figures and in the table,
with its parameters as `Study.model` takes them."""

from __future__ import annotations

import html
import json
import math
import warnings
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import counted
from ..model import ModelError
from ..model.kinds import is_number
from ..results import pages
from ..results.pages import animation
from .optimize import FEASIBLE, LimitScale
from .parameters import Space
from .sensitivity import effects
from .store import Row

if TYPE_CHECKING:
    from .results import Results

MOST_DESIGNS = 5000  # whose parameters a click shows
MOST_LINES = 400  # runs in parallel coordinates and scatter plots: evenly picked
MOST_COLUMNS = 6  # of a scatter matrix
MOST_MEASURES = 6
MOST_NAMES = 20  # in a note on what a figure leaves out
LONGEST_OPTION = 60  # characters of an argument of a stage
MOST_SURFACES = 3  # measures of which contours are drawn
MOST_FITTED = 80  # runs behind a kriging surrogate, of whose fit the cost grows with the third power
CELLS = 28  # of the grid of contours
LEVELS = 9
WIDE = 6.4  # px, of a letter
MOST_EFFECTS = 20  # of a Pareto chart
STYLE = """
figure:not(.plot) svg:not(.still) { max-width: 1100px; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; } svg .soft { fill: var(--soft); }
svg .axis { stroke: var(--line); stroke-width: 1; fill: none; }
svg .run { stroke: var(--accent); fill: none; stroke-opacity: .35; }
svg .dot { fill: var(--accent); fill-opacity: .55; }
svg .front { fill: var(--bad); }
svg .best { stroke: var(--bad); fill: none; stroke-width: 2; }
svg .low { fill: var(--accent); } svg .high { fill: var(--bad); fill-opacity: .8; }
svg .run:hover, svg .run.picked { stroke: var(--bad); stroke-opacity: 1; stroke-width: 3; }
svg .dot:hover, svg .dot.picked { fill: var(--bad); fill-opacity: 1; }
svg circle.picked { stroke: var(--ink); stroke-width: 2; }
svg .interval { stroke: var(--ink); fill: none; stroke-width: 1.2; }
svg .share { stroke: var(--soft); fill: none; stroke-dasharray: 4 3; }
svg .level { fill: none; stroke: var(--soft); stroke-width: 1; }
[data-run] { cursor: pointer; } tr.picked td { background: color-mix(in srgb, var(--bad) 20%, transparent); }
#picked { position: fixed; right: 1rem; bottom: 1rem; max-width: 30rem; max-height: 60vh; overflow: auto; margin: 0;
  padding: .7rem 1rem; border: 1px solid var(--line); background: Canvas; color: CanvasText; }
"""
#: a click marks a run in all figures and shows its values and parameters
PICKING = """
const box = document.getElementById("picked");
document.addEventListener("click", (event) => {
  if (box.contains(event.target)) return;
  const key = event.target.closest("[data-run]")?.dataset.run;
  for (const node of document.querySelectorAll("[data-run]")) node.classList.toggle("picked", node.dataset.run === key);
  const text = key && (document.querySelector(`svg [data-run="${key}"] > title`)?.textContent || "");
  box.hidden = !key;
  box.textContent = key ? `${text}\n\nstudy.model(${DESIGNS[key] || "{}"})` : "";
});
"""


def write_page(results: Results, path: str | Path) -> Path:
    """Write the page.  Raises ModelError where the file cannot be written, or does not end in .html."""
    return animation.write_page(Path(path), page_text(results))


def page_text(results: Results) -> str:
    """The page."""
    title = _safe(f"Study {results.store.path.name}")
    body, designs = page_body(results)
    lead = f'<h1>{title}</h1><p class="lead">{_safe(results.status())}</p>'
    text = json.dumps(designs).replace("<", "\\u003c")
    script = f"<script>const DESIGNS = {text};{PICKING}</script>"
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{page_style()}</style></head>'
        f'<body>{lead}{body}<pre id="picked" hidden></pre>{script}</body></html>'
    )


def page_style() -> str:
    """The style sheet of the page."""
    return (Path(pages.__file__).parent / "templates" / "report.css").read_text(encoding="utf-8") + STYLE


def page_body(results: Results) -> tuple[str, dict[str, str]]:
    """Stages, figures and runs as HTML; and the parameters, as JSON, of each run by its attribute ``data-run``."""
    rows = [row for row in results if row.ok]
    names = [n for n in results.names if not n.startswith("d ")]
    parts: list[str] = []
    parameters = [p.name for p in results.space.parameters if p.varies]
    measures = [n for n in names if n not in results.space.names]
    measures, further = measures[:MOST_MEASURES], measures[MOST_MEASURES:]
    for stage in results.store.stages():
        if results.stage not in (None, stage["stage"]):
            continue
        parts += _stage(results, stage, measures)
    if rows and measures:
        picked = _last(rows)
        note = "" if len(picked) == len(rows) else f' <span class="note">{len(picked)} of {len(rows)} runs</span>'
        drawn = _parallel(picked, [*parameters, *measures])
        parts += [f"<h2>Parallel coordinates{note}</h2>", drawn, _left_out(further)]
        columns = _chosen(parameters, measures)
        left = [n for n in (*parameters, *measures) if n not in columns]
        parts += [f"<h2>Scatter matrix{note}</h2>", _matrix(picked, columns), _left_out(left)]
        surfaces = [drawn for m in measures[:MOST_SURFACES] if (drawn := _contours(results, rows, m))]
        if surfaces:
            parts += ["<h2>Contours</h2>", *surfaces]
    parts += ["<h2>Runs</h2>", _table(results, names)]
    designs = {_number_of(row): json.dumps(row.parameters) for row in (*rows[:MOST_DESIGNS], *_last(rows))}
    return "".join(parts), designs


def _last(rows: list[Row]) -> list[Row]:
    """Runs evenly picked over all, which figures draw."""
    return [rows[k] for k in np.unique(np.linspace(0, len(rows) - 1, MOST_LINES).astype(int))] if rows else []


def _number_of(row: Row) -> str:
    """The same for runs of the same parameters, in all stages."""
    return f"{zlib.crc32(json.dumps(row.parameters).encode()):08x}"


def _key(row: Row) -> str:
    """The attribute by which a run is found in all figures."""
    return f' data-run="{_number_of(row)}"'


def _safe(text: Any) -> str:
    return html.escape(str(text))


def _of(row: Row, name: str) -> Any:
    return row.parameters.get(name, row.measures.get(name))


def _values(row: Row) -> str:
    """Values of a run, for its tooltip."""
    found = {**row.parameters, **{n: v for n, v in row.measures.items() if not n.startswith("d ")}}
    text = "\n".join(f"{n} = {v:.6g}" if is_number(v) else f"{n} = {v}" for n, v in found.items())
    return f"<title>run {row.number}\n{_safe(text)}</title>"


def _svg(width: int, height: int, label: str, parts: Iterable[str]) -> str:
    head = f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{_safe(label)}">'
    return f"<figure>{head}{''.join(parts)}</svg></figure>"


class _Axis:
    """Numbers, or texts in order, to pixels."""

    def __init__(self, values: Sequence[Any], start: float, end: float) -> None:
        self.start, self.end = start, end
        self.words = None if all(is_number(v) for v in values) else list(dict.fromkeys(map(str, values)))
        numbers = [float(v) for v in values] if self.words is None else [0.0, len(self.words) - 1.0]
        self.low, self.high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)

    def at(self, value: Any) -> float:
        number = float(value) if self.words is None else float(self.words.index(str(value)))
        share = (number - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.start + share * (self.end - self.start)

    def ends(self) -> tuple[str, str]:
        """Labels of both ends."""
        if self.words is not None:
            return self.words[0], self.words[-1]
        return f"{self.low:.4g}", f"{self.high:.4g}"


def _frame(x: _Axis, y: _Axis, across: str, up: str) -> list[str]:
    """Border and labels of a plot."""
    left, right, low, high = x.start, x.end, y.start, y.end
    x0, x1 = x.ends()
    y0, y1 = y.ends()
    return [
        f'<rect class="axis" x="{left}" y="{high}" width="{right - left}" height="{low - high}"/>',
        f'<text class="soft" x="{left}" y="{low + 16}">{_safe(x0)}</text>',
        f'<text class="soft" x="{right}" y="{low + 16}" text-anchor="end">{_safe(x1)}</text>',
        f'<text x="{(left + right) / 2}" y="{low + 16}" text-anchor="middle">{_safe(across)}</text>',
        f'<text class="soft" x="{left - 6}" y="{low}" text-anchor="end">{_safe(y0)}</text>',
        f'<text class="soft" x="{left - 6}" y="{high + 11}" text-anchor="end">{_safe(y1)}</text>',
        f'<text x="{left}" y="{high - 7}">{_safe(up)}</text>',
    ]


def _stage(results: Results, stage: dict[str, Any], measures: list[str]) -> list[str]:
    """The figures of one stage."""
    options, number = stage["options"], stage["stage"]
    rows = [row for row in results.store.rows(number) if row.ok]
    outcome = results.store.outcome(number) or {}
    failed = sum(count for status, count in stage["counts"].items() if status != "ok")
    lost = f", {failed} of them without results" if failed else ""
    head = [f"<h2>Stage {number}: {_safe(stage['name'])}</h2>", f"<p>{_safe(_said(options))}</p>"]
    head.append(f'<p class="note">{counted(sum(stage["counts"].values()), "run")}{lost}</p>')
    if message := outcome.get("message"):
        head.append(f"<p>{_safe(message)}</p>")
    if stage["name"] == "tornado" and rows:
        ends = {p.name: None for p in results.space.parameters if p.varies and p.choices is None}
        bars = [_tornado(rows, list(ends), m) for m in measures if m in rows[0].measures]
        return [*head, *bars, _left_out([n for n in rows[0].measures if n not in measures])]
    if "indices" in outcome:
        shown_ones = {m: found for m, found in outcome["indices"].items() if m in measures}
        varied = [p.name for p in results.space.varied.parameters]
        bars = [_indices(varied, found, m, str(options["method"])) for m, found in shown_ones.items()]
        notes = [f'<p class="note">{_safe(n)}</p>' for n in outcome.get("warnings", ())]
        return [*head, *notes, *bars, _left_out([m for m in outcome["indices"] if m not in shown_ones])]
    if rows and (charts := _effects(results, rows, measures)):
        return [*head, *charts, _left_out([n for n in _own(rows[0]) if n not in measures])]
    if "front" in outcome and rows:
        return [*head, _pareto(rows, set(outcome["front"]), list(options["objectives"]))]
    if stage["name"] == "optimisation" and rows and isinstance(options.get("objective"), str):
        best = outcome.get("parameters", {})
        text = ", ".join(f"{n} = {v:.6g}" if is_number(v) else f"{n} = {v}" for n, v in best.items())
        return [*head, f"<p>{_safe(text)}</p>", _history(rows, options)]
    return head


def _meet(rows: list[Row], limits: dict[str, Any]) -> np.ndarray:
    """Whether runs meet the constraints on measures; those on formulas are left out."""
    good = np.ones(len(rows), bool)
    for name, (low, high) in limits.items():
        scale = LimitScale(-math.inf if low is None else low, math.inf if high is None else high)
        values = [row.measures.get(name) for row in rows]
        for value in values:
            scale.meet(value or 0.0)
        good &= [value is None or max(scale.excesses(value)) <= FEASIBLE for value in values]
    return good


def _history(rows: list[Row], options: dict[str, Any]) -> str:
    """The objective of each run, and the best so far that meets the constraints."""
    measure, largest = options["objective"], bool(options.get("maximize"))
    rows = [row for row in rows if measure in row.measures]
    y = np.array([row.measures[measure] for row in rows])
    good = _meet(rows, options.get("subject_to") or {})
    worst = -np.inf if largest else np.inf
    best = (np.maximum if largest else np.minimum).accumulate(np.where(good, y, worst))
    # the worst twentieth of the runs would press all others into a line
    kept = np.sort(y)[int(0.05 * len(y)) :] if largest else np.sort(y)[: max(int(0.95 * len(y)), 1)]
    X, Y = _Axis([row.number for row in rows], 80, 780), _Axis([*kept, *best[np.isfinite(best)]], 230, 30)
    inside = (y >= Y.low) & (y <= Y.high)
    line = " ".join(f"{X.at(r.number):.1f},{Y.at(b):.1f}" for r, b in zip(rows, best) if np.isfinite(b))
    dots = [
        f'<circle class="dot"{_key(r)} cx="{X.at(r.number):.1f}" cy="{Y.at(v):.1f}" r="2.5">{_values(r)}</circle>'
        for r, v, ok in zip(rows, y, inside)
        if ok
    ]
    parts = [*_frame(X, Y, "run", measure), *dots, f'<polyline class="best" points="{line}"/>']
    return _svg(800, 260, f"history of {measure}", parts)


def _parallel(rows: list[Row], names: list[str]) -> str:
    """A line for each run over the axes of parameters and measures."""
    rows = [row for row in rows if all(_of(row, n) is not None for n in names)]
    places = np.linspace(60, 740, len(names)) if len(names) > 1 else [400.0]
    axes = [_Axis([_of(row, n) for row in rows], 230, 40) for n in names]
    parts = []
    for n, x, a in zip(names, places, axes):
        low, high = a.ends()
        parts += [
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="40" y2="230"/>',
            f'<text x="{x:.1f}" y="18" text-anchor="middle">{_safe(n)}</text>',
            f'<text class="soft" x="{x:.1f}" y="33" text-anchor="middle">{_safe(high)}</text>',
            f'<text class="soft" x="{x:.1f}" y="246" text-anchor="middle">{_safe(low)}</text>',
        ]
    for row in rows:
        points = " ".join(f"{x:.1f},{a.at(_of(row, n)):.1f}" for n, x, a in zip(names, places, axes))
        parts.append(f'<polyline class="run"{_key(row)} points="{points}">{_values(row)}</polyline>')
    return _svg(800, 255, "parallel coordinates", parts)


def _chosen(parameters: list[str], measures: list[str]) -> list[str]:
    """Columns of a scatter matrix: the first parameters and measures."""
    kept = measures[:2]
    return parameters[: MOST_COLUMNS - len(kept)] + kept


def _left_out(names: list[str]) -> str:
    """A note on parameters and measures that a figure does not have."""
    if not names:
        return ""
    text = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
    return f'<p class="note">Without {_safe(text)}; the table below has all.</p>'


def _said(options: Mapping[str, Any]) -> str:
    """The arguments of a stage that are short."""
    short = [
        (n, v)
        for n, v in options.items()
        if v is not None and v is not False and v != {} and len(str(v)) <= LONGEST_OPTION
    ]
    return ", ".join(f"{n.replace('_', ' ')} {v}" for n, v in short)


def _matrix(rows: list[Row], names: list[str]) -> str:
    """Scatter plots of each pair of columns, names on the diagonal."""
    if len(names) < 2:
        return "<p>There is one number only.</p>"
    rows = [row for row in rows if all(_of(row, n) is not None for n in names)]
    size = 760 / len(names)
    parts = []
    for i, down in enumerate(names):
        for j, across in enumerate(names):
            x, y = 20 + j * size, 10 + i * size
            parts.append(f'<rect class="axis" x="{x:.1f}" y="{y:.1f}" width="{size:.1f}" height="{size:.1f}"/>')
            X = _Axis([_of(r, across) for r in rows], x + 6, x + size - 6)
            Y = _Axis([_of(r, down) for r in rows], y + size - 6, y + 6)
            if i == j:
                low, high = X.ends()
                middle = f'x="{x + size / 2:.1f}" text-anchor="middle"'
                parts.append(f'<text {middle} y="{y + size / 2:.1f}">{_safe(down)}</text>')
                ends = f"{low} to {high}" if X.words is None else f"{len(X.words)} choices"
                parts.append(f'<text class="soft" {middle} y="{y + size / 2 + 17:.1f}">{ends}</text>')
                continue
            for r in rows:
                at = f'cx="{X.at(_of(r, across)):.1f}" cy="{Y.at(_of(r, down)):.1f}"'
                parts.append(f'<circle class="dot"{_key(r)} {at} r="2">{_values(r)}</circle>')
    return _svg(800, 780, "scatter matrix", parts)


def _pareto(rows: list[Row], front: set[int], names: list[str]) -> str:
    """Runs over the first two objectives, those of the front emphasised."""
    across, up = names[:2]
    kept = [r for r in rows if across in r.measures and up in r.measures]
    good = [r for r in kept if r.number in front] or kept
    spread = lambda name: _limits([r.measures[name] for r in good])
    X, Y = _Axis(spread(across), 80, 780), _Axis(spread(up), 330, 30)
    parts = _frame(X, Y, across, up)
    for r in kept:
        x, y = X.at(r.measures[across]), Y.at(r.measures[up])
        if 80 <= x <= 780 and 30 <= y <= 330:
            kind = "front" if r.number in front else "dot"
            radius = 4 if r.number in front else 2
            parts.append(
                f'<circle class="{kind}"{_key(r)} cx="{x:.1f}" cy="{y:.1f}" r="{radius}">{_values(r)}</circle>'
            )
    return _svg(800, 360, f"Pareto front of {across} and {up}", parts)


def _contours(results: Results, rows: list[Row], measure: str) -> str:
    """Levels of a surrogate of a measure over the two parameters that move it most, the others as in the middle run;
    nothing where there is no surrogate."""
    from .surrogate import fit_rows

    rows = [row for row in rows if measure in row.measures]
    smooth = [p for p in results.space.varied.parameters if p.continuous and p.bounds is not None]
    fixed = [p for p in results.space.varied.parameters if p not in smooth]
    if len(smooth) < 2 or not rows or any(p.continuous for p in fixed):
        return ""
    kind_of = lambda row: tuple(row.parameters[p.name] for p in fixed)
    common = Counter(map(kind_of, rows)).most_common(1)[0][0]  # of choices and whole numbers
    rows, space = [row for row in rows if kind_of(row) == common], Space(smooth)
    few = [rows[k] for k in np.unique(np.linspace(0, len(rows) - 1, MOST_FITTED).astype(int))]
    made = []
    for kind, some in (("quadratic", rows), ("kriging", few)):
        try:
            made.append(fit_rows(space, some, measure, kind))
        except (ModelError, np.linalg.LinAlgError):
            continue
    made = [surface for surface in made if not surface.constant]  # nothing but rounding would be drawn
    if not made:
        return ""
    surface = max(made, key=lambda s: s.q2)
    middle = np.median(surface.X, axis=0)
    line = np.linspace(0.0, 1.0, CELLS + 1)
    spread = []
    for k in range(len(space)):
        at = np.tile(middle, (len(line), 1))
        at[:, k] = line
        spread.append(np.ptp(surface.values(at)))
    first, second = sorted(np.argsort(spread)[-2:])
    grid = np.tile(middle, ((CELLS + 1) ** 2, 1))
    grid[:, first], grid[:, second] = (a.ravel() for a in np.meshgrid(line, line))
    Z = surface.values(grid).reshape(CELLS + 1, CELLS + 1)
    if not np.ptp(Z) > 0.0:
        return ""
    p, q = space.parameters[first], space.parameters[second]
    X, Y = _Axis([p.at(0.0), p.at(1.0)], 80, 580), _Axis([q.at(0.0), q.at(1.0)], 380, 30)
    parts = _frame(X, Y, p.name, q.name)
    levels = np.linspace(Z.min(), Z.max(), LEVELS + 2)[1:-1]
    for level in levels:
        segments = level_segments(Z, float(level))
        px, py = (lambda a: f"{80 + 500 * a / CELLS:.1f}"), (lambda b: f"{380 - 350 * b / CELLS:.1f}")
        path = "".join(f"M{px(a)} {py(b)}L{px(c)} {py(d)}" for a, b, c, d in segments)
        parts.append(f'<path class="level" d="{path}"><title>{_safe(measure)} = {level:.6g}</title></path>')
        if segments:
            a, b, *_ = max(segments, key=lambda one: one[0])
            place = f'x="{min(84 + 500 * a / CELLS, 600):.1f}" y="{384 - 350 * b / CELLS:.1f}"'
            parts.append(f'<text class="soft" {place}>{level:.4g}</text>')
    for r in few:
        x, y = 80 + 500 * p.share(r.parameters[p.name]), 380 - 350 * q.share(r.parameters[q.name])
        parts.append(f'<circle class="dot"{_key(r)} cx="{x:.1f}" cy="{y:.1f}" r="2.5">{_values(r)}</circle>')
    held = {p.name: value for p, value in zip(fixed, common)}
    held |= {o.name: o.at(m) for k, (o, m) in enumerate(zip(space.parameters, middle)) if k not in (first, second)}
    words = [f"{surface.kind} surrogate of {len(surface.y)} runs, q2 {surface.q2:.3g}"]
    words += [f"{n} = {v:.4g}" if is_number(v) else f"{n} = {v}" for n, v in held.items()]
    note = "; ".join(words)
    return _svg(720, 410, f"contours of {measure}", parts) + f'<p class="note">{_safe(measure)}: {_safe(note)}</p>'


def level_segments(Z: np.ndarray, level: float) -> list[tuple[float, float, float, float]]:
    """Where a surface on a grid Z (rows, columns) has a level: segments (x, y, x, y) in columns and rows, by linear
    interpolation along the edges of the cells (marching squares; saddles by the mean of the cell)."""
    out = []
    above = Z > level
    for i in range(len(Z) - 1):
        for j in range(Z.shape[1] - 1):
            corners = ((i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j))
            crossed = []
            for a, b in zip(corners, (*corners[1:], corners[0])):
                if above[a] != above[b]:
                    s = (level - Z[a]) / (Z[b] - Z[a])
                    crossed.append((a[1] + s * (b[1] - a[1]), a[0] + s * (b[0] - a[0])))
            if len(crossed) == 4 and (Z[i : i + 2, j : j + 2].mean() > level) != above[i, j]:
                crossed = [crossed[3], *crossed[:3]]
            out += [(*crossed[k], *crossed[k + 1]) for k in range(0, len(crossed), 2)]
    return out


def _limits(values: list[float]) -> list[float]:
    """A range with a margin."""
    low, high = min(values), max(values)
    margin = 0.25 * (high - low) or 1.0
    return [low - margin, high + margin]


def _tornado(rows: list[Row], names: list[str], measure: str) -> str:
    """Bars from the measure at the lower end of a parameter to that at the upper end, about the nominal value."""
    nominal = rows[0]
    found = {row.number: row.measures.get(measure, math.nan) for row in rows}
    middle = nominal.measures[measure]
    bars = [(n, found.get(1 + 2 * k, math.nan), found.get(2 + 2 * k, math.nan)) for k, n in enumerate(names)]
    bars.sort(key=lambda bar: -np.nan_to_num(abs(bar[2] - bar[1]), nan=np.inf))
    values = [v for _, *pair in bars for v in pair if math.isfinite(v)] + [middle]
    X = _Axis(values, 190, 760)
    parts = [f'<text x="190" y="18">{_safe(measure)}: nominal {middle:.6g}</text>']
    for k, (name, low, high) in enumerate(bars):
        y = 34 + 24 * k
        parts.append(f'<text x="180" y="{y + 13}" text-anchor="end">{_safe(name)}</text>')
        for kind, value in (("low", low), ("high", high)):
            if math.isfinite(value):
                a, b = sorted((X.at(middle), X.at(value)))
                end = "lower" if kind == "low" else "upper"
                parts.append(
                    f'<rect class="{kind}" x="{a:.1f}" y="{y}" width="{max(b - a, 0.5):.1f}" height="17">'
                    f"<title>{_safe(name)} at its {end} end: {value:.6g}</title></rect>"
                )
    bottom = 40 + 24 * len(bars)
    low_text, high_text = X.ends()
    parts += [
        f'<line class="axis" x1="{X.at(middle):.1f}" x2="{X.at(middle):.1f}" y1="26" y2="{bottom}"/>',
        f'<text class="soft" x="190" y="{bottom + 14}">{low_text}</text>',
        f'<text class="soft" x="760" y="{bottom + 14}" text-anchor="end">{high_text}</text>',
    ]
    return _svg(800, bottom + 24, f"tornado of {measure}", parts)


#: index of sensitivity -> its interval, what it is, and how its bar is drawn; the first of a method orders parameters
INDICES: dict[str, tuple[str, str, str]] = {
    "total": ("total_interval", "total index", "high"),
    "first": ("first_interval", "first index", "low"),
    "mu_star": ("mu_star_interval", "mean absolute elementary effect", "low"),
    "sigma": ("", "standard deviation of elementary effects", "high"),
    "bound": ("bound_interval", "upper bound of the total index", "low"),
    "median": ("", "median distance of distributions", "low"),
    "max": ("", "largest distance of distributions", "high"),
}


def _own(row: Row) -> list[str]:
    """Measures of a run without derivatives."""
    return [n for n in row.measures if not n.startswith("d ")]


def _indices(names: list[str], found: Mapping[str, list[float]], measure: str, method: str) -> str:
    """Bars of the indices of sensitivity of a measure with their intervals, the most influential parameter first."""
    kinds = [name for name in INDICES if name in found]
    order = sorted(range(len(names)), key=lambda k: -found[kinds[0]][k])
    half = lambda name, k: found[INDICES[name][0]][k] if INDICES[name][0] in found else 0.0
    ends = [found[n][k] + sign * half(n, k) for n in kinds for k in order for sign in (-1.0, 1.0)]
    X = _Axis([0.0, *ends], 190, 760)
    parts = [f'<text x="190" y="18">{_safe(measure)}: {_safe(method)}</text>']
    x = 790 - sum(WIDE * len(INDICES[name][1]) + 30 for name in kinds)
    for name in kinds:
        kind, label = INDICES[name][2], INDICES[name][1]
        parts += [
            f'<circle class="{kind}" cx="{x + 5:.0f}" cy="14" r="5"/>',
            f'<text class="soft" x="{x + 15:.0f}" y="18">{label}</text>',
        ]
        x += WIDE * len(label) + 30
    step = 14 * len(kinds) + 10
    for place, k in enumerate(order):
        y = 34 + step * place
        parts.append(f'<text x="180" y="{y + 7 * len(kinds) + 4}" text-anchor="end">{_safe(names[k])}</text>')
        for i, name in enumerate(kinds):
            value, width, top = found[name][k], half(name, k), y + 14 * i
            a, b = sorted((X.at(0.0), X.at(value)))
            tip = f"{names[k]}: {INDICES[name][1]} {value:.4g}" + (f" ± {width:.2g} (95 %)" if width else "")
            parts.append(
                f'<rect class="{INDICES[name][2]}" x="{a:.1f}" y="{top}" width="{max(b - a, 0.5):.1f}" height="12">'
                f"<title>{_safe(tip)}</title></rect>"
            )
            if width:
                low, high = X.at(value - width), X.at(value + width)
                path = f"M{low:.1f} {top + 3}v6m0 -3H{high:.1f}m0 -3v6"
                parts.append(f'<path class="interval" d="{path}"/>')
    bottom = 36 + step * len(order)
    low_text, high_text = X.ends()
    zero = X.at(0.0)
    parts += [
        f'<line class="axis" x1="{zero:.1f}" x2="{zero:.1f}" y1="26" y2="{bottom}"/>',
        f'<text class="soft" x="190" y="{bottom + 14}">{low_text}</text>',
        f'<text class="soft" x="760" y="{bottom + 14}" text-anchor="end">{high_text}</text>',
    ]
    return _svg(800, bottom + 24, f"indices of {measure}", parts)


def _effects(results: Results, rows: list[Row], measures: list[str]) -> list[str]:
    """Pareto charts of the effects of a two-level design: size of each, and the sum of shares so far.  Nothing for
    other stages."""
    names = [p.name for p in results.space.parameters if p.varies]
    levels = [len({str(row.parameters[n]) for row in rows}) for n in names]
    if max(levels, default=0) != 2 or len(rows) < 4:
        return []
    out = []
    for measure in (m for m in _own(rows[0]) if m in measures):
        y = np.array([row.measures.get(measure, math.nan) for row in rows])
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                found = effects([row.parameters for row in rows], names, y)
        except ModelError:
            return []
        out.append(_pareto_chart(found[:MOST_EFFECTS], measure))
        out += [f'<p class="note">{_safe(w.message)}</p>' for w in caught[:1]]
        if len(found) > MOST_EFFECTS:
            rest = sum(share for *_, share in found[MOST_EFFECTS:])
            out.append(f'<p class="note">Without {len(found) - MOST_EFFECTS} smaller effects, {100 * rest:.2g} %.</p>')
    return out


def _pareto_chart(found: list[tuple[str, float, float]], measure: str) -> str:
    """Bars of effects, the largest first, with the line of the shares of the sum of squares up to each."""
    X = _Axis([0.0, max(abs(v) for _, v, _ in found) or 1.0], 250, 700)
    parts = [f'<text x="250" y="18">{_safe(measure)}: effects from the lower to the upper level</text>']
    points, total = [], 0.0
    for k, (term, value, share) in enumerate(found):
        y, total = 30 + 20 * k, total + share
        kind = "low" if value < 0.0 else "high"
        parts += [
            f'<text x="240" y="{y + 12}" text-anchor="end">{_safe(term)}</text>',
            f'<rect class="{kind}" x="250" y="{y}" width="{max(X.at(abs(value)) - 250, 0.5):.1f}" height="15">'
            f"<title>{_safe(term)}: {value:+.6g}, {100 * share:.3g} % of the sum of squares</title></rect>",
            f'<text class="soft" x="790" y="{y + 12}" text-anchor="end">{value:+.4g}</text>',
        ]
        points.append(f"{250 + 450 * min(total, 1.0):.1f},{y + 7.5}")
    bottom = 34 + 20 * len(found)
    parts += [
        f'<polyline class="share" points="{" ".join(points)}"/>',
        f'<text class="soft" x="250" y="{bottom + 14}">0</text>',
        f'<text class="soft" x="700" y="{bottom + 14}" text-anchor="end">{X.ends()[1]}; line: 100 %</text>',
    ]
    return _svg(800, bottom + 24, f"effects on {measure}", parts)


def _table(results: Results, names: list[str], most: int = 200) -> str:
    """The first runs as a table."""
    head = "".join(f'<th class="n">{_safe(n)}</th>' for n in names)
    body = []
    for k, row in enumerate(results):
        if k == most:
            break
        cells = [_of(row, n) for n in names]
        text = "".join(
            f'<td class="n">{"" if v is None else f"{v:.6g}" if is_number(v) else _safe(v)}</td>' for v in cells
        )
        state = row.status if row.ok else f"{row.status}: {row.message}"
        body.append(f'<tr{_key(row)}><td class="n">{row.number}</td>{text}<td>{_safe(state)}</td></tr>')
    more = f"<p>and {len(results) - most} more runs</p>" if len(results) > most else ""
    return (
        f'<div class="scroll"><table><thead><tr><th class="n">run</th>{head}<th>status</th></tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>{more}"
    )
