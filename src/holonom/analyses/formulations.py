"""The same machine with rigid parts, by KED and in the floating frame: what each gives of the deflections, what it
costs, and which to use."""

from __future__ import annotations

import csv
import html
import io
import time as clock
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from .._summary import Summary
from ..integrators.stepper import IntegrationError
from ..model import Model, ModelError
from ..model.base import shown
from ..results.run import Run
from ..results.views.bending import SMALL, bending
from .ked import rigid
from .linear.linearize import linearize
from .session.simulate import simulate

#: name -> formulation and quasi_static of flexible bodies; none of rigid parts
NAMES: dict[str, tuple[str, bool] | None] = {
    "rigid": None,
    "KED quasi-static": ("KED", True),
    "KED": ("KED", False),
    "floating": ("floating", False),
}
WITHIN = 0.02  # difference to the floating frame, compared with the largest deflection, that counts as none
INTEGRATOR, ERROR = "RADAU5", 1e-6  # of the floating frame unless specified
FINER = 1e-3  # error of the run by which all are measured, next to that
STYLE = (
    "body{font:15px sans-serif;margin:2em;max-width:75em}table{border-collapse:collapse}td,th{padding:.3em "
    ".7em;text-align:left;vertical-align:top}"
)
STIFF = 1e-5  # deflection compared with the size of a part below which it is not visible
COLUMNS = (
    "formulation",
    "largest deflection",
    "of",
    "time",
    "first frequency",
    "CPU s",
    "difference to floating",
    "determined by KED",
    "said",
)


@dataclass
class Formulation(Summary):
    """What one formulation found.  ``deflection``: largest displacement of a node in the floating frame (length), of
    part ``part`` at ``time``, and ``share`` of its size; ``frequency``: first one at the start, cycles per time;
    ``cpu``: seconds of the processor, the smallest of all repeats;
    ``difference``: largest distance of a node from where the floating frame has it, integrated a thousand times more
    closely, compared with the largest deflection of its part: of the floating frame itself the error of its
    integration;
    ``indicator``: what KED gives of itself; NaN where there is none.  ``said``: a sentence, or why it did not run.
    ``course`` (times,): largest displacement in time."""

    name: str
    deflection: float = np.nan
    part: str = ""
    time: float = np.nan
    share: float = np.nan
    frequency: float = np.nan
    cpu: float = np.nan
    difference: float = np.nan
    indicator: float = np.nan
    said: str = ""
    course: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)
    run: Run | None = field(default=None, repr=False)


@dataclass
class Comparison(Summary):
    """Rows of `compare`, the ``times`` of their outputs, and ``advice``: one sentence on which to use."""

    model: Model
    rows: list[Formulation]
    times: np.ndarray
    advice: str = ""

    def __getitem__(self, name: str) -> Formulation:
        """The row of a formulation by its name.  Raises ModelError for one that was not run."""
        for row in self.rows:
            if row.name == name:
                return row
        raise ModelError(f"'{name}' was not compared; choose one of {', '.join(row.name for row in self.rows)}")

    def cells(self) -> list[list[str]]:
        """Texts of the table, with a first row of headings and units."""
        length, time = (self.model.units.symbol(what) for what in ("length", "time"))
        number = lambda v, form=".3g": "" if np.isnan(v) else format(v, form)
        share = lambda v: "" if np.isnan(v) else f"{100 * v:.3g} %"
        units = {"largest deflection": length, "time": time, "first frequency": f"1/{time}"}
        out = [[f"{c} [{units[c]}]" if c in units else c for c in COLUMNS]]
        for r in self.rows:
            out.append(
                [
                    r.name,
                    number(r.deflection),
                    r.part,
                    number(r.time, ".4g"),
                    number(r.frequency, ".5g"),
                    number(r.cpu),
                    share(r.difference),
                ]
                + [share(r.indicator), r.said]
            )
        return out

    @property
    def text(self) -> str:
        """The table with aligned columns, sentences of the formulations, and the advice."""
        cells = self.cells()
        width = [max(len(row[k]) for row in cells) for k in range(len(COLUMNS) - 1)]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, width)).rstrip() for row in cells]
        lines += [f"{row[0]}: {row[-1]}" for row in cells[1:] if row[-1]]
        return "\n".join([*lines, self.advice])

    def __str__(self) -> str:
        return self.text

    def save(self, path: str | Path) -> Path:
        """Write the table: ``.csv``, ``.md`` or ``.html`` (with the course of the deflections).  Raises ModelError for
        another ending."""
        path = Path(path)
        kind = path.suffix.lower()
        writers = {".csv": self._csv, ".md": self._markdown, ".html": self._page}
        if kind not in writers:
            raise ModelError(
                f"{path}: a comparison is written as {', '.join(writers)}; give a file with one of these endings"
            )
        try:
            path.write_text(writers[kind](), encoding="utf-8", newline="")
        except OSError as error:
            raise ModelError(f"'{path}' cannot be written: {error}") from None
        return path

    def _csv(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out)
        length, time = (self.model.units.symbol(what) for what in ("length", "time"))
        writer.writerow(
            [
                "formulation",
                f"deflection [{length}]",
                "part",
                f"time [{time}]",
                "share of size",
                f"first frequency [1/{time}]",
                "cpu [s]",
                "difference",
                "indicator",
                "said",
            ]
        )
        plain = lambda v: "" if np.isnan(v) else repr(float(v))
        for r in self.rows:
            writer.writerow(
                [
                    r.name,
                    plain(r.deflection),
                    r.part,
                    plain(r.time),
                    plain(r.share),
                    plain(r.frequency),
                    plain(r.cpu),
                    plain(r.difference),
                    plain(r.indicator),
                    r.said,
                ]
            )
        return out.getvalue()

    def _markdown(self) -> str:
        head, *rows = self.cells()
        line = lambda row: "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
        return "\n".join([line(head), line(["---"] * len(head)), *map(line, rows), "", self.advice, ""])

    def _page(self) -> str:
        head, *rows = self.cells()
        row = lambda cells, tag: "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"
        return (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(self.model.name)}: '
            f"formulations</title><style>{STYLE}</style>"
            f"<h1>{html.escape(self.model.name)}: formulations</h1><p>{html.escape(self.advice)}</p>"
            f"<table>{row(head, 'th')}{''.join(row(r, 'td') for r in rows)}</table>{self._curves()}</html>\n"
        )

    def _curves(self) -> str:
        """The largest displacement of a node over time as SVG."""
        from ..results.pictures.figures import matplotlib

        with matplotlib.rc_context({"svg.hashsalt": "holonom", "svg.fonttype": "none"}):
            from matplotlib.backends.backend_svg import FigureCanvasSVG

            from ..results.pictures.figures import Figure

            figure = Figure(figsize=(9, 3.6), layout="constrained")
            FigureCanvasSVG(figure)
            axes = figure.subplots()
            for r in self.rows:
                if len(r.course):
                    axes.plot(self.times, r.course, label=r.name, lw=1.2, ls="-" if r.name == "floating" else "--")
            length, time = (self.model.units.symbol(what) for what in ("length", "time"))
            axes.set(xlabel=f"time [{time}]", ylabel=f"deflection [{length}]")
            axes.legend(frameon=False)
            out = io.StringIO()
            figure.savefig(out, format="svg", metadata={"Date": None})
        text = out.getvalue()
        return text[text.index("<svg") :]


def compare(
    model: Model | Callable[[], Model],
    end: float | None = None,
    steps: int | None = None,
    *,
    dt: float | None = None,
    formulations: tuple[str, ...] | None = None,
    within: float = WITHIN,
    repeats: int = 2,
    **options: Any,
) -> Comparison:
    """Run a mechanism with flexible parts with each formulation, and recommend one.

    ``model``, or a function that builds it; it is not changed, and the formulation of its parts does not matter.
    ``end``, ``steps``, ``dt`` as in `simulate`;
    ``formulations``: some of `NAMES` (default: all); ``within``: acceptable difference from the floating frame,
    relative to the largest deflection; ``repeats``: number of runs, of which the smallest CPU time is reported;
    integrator ``options`` apply to all runs; the default for the floating frame is RADAU5 with an error of 1e-6. The
    reference is one more run of the floating frame with an error tolerance a thousand times smaller.

    Deflections are displacements of nodes in the floating frame of the part (mean axes). For a formulation that cannot
    be applied, the reason is given in place of results. Raises `ModelError` for a mechanism without flexible parts and
    for unknown names.
    """
    machine = model if isinstance(model, Model) else model() if callable(model) else None
    if not isinstance(machine, Model):
        raise ModelError(f"{shown(model)} is not a model; give one, or a function without arguments that builds one")
    bend = [e for e in machine.table("FLEXIBILITY").values() if e.active]
    if not bend:
        raise ModelError(
            f"model '{machine.name}' has no flexible body; make one part flexible first (model.make_flexible)"
        )
    chosen = (
        tuple(NAMES)
        if formulations is None
        else (formulations,)
        if isinstance(formulations, str)
        else tuple(formulations)
    )
    for name in chosen:
        if name not in NAMES:
            raise ModelError(f"there is no formulation {shown(name)} to compare; choose some of {', '.join(NAMES)}")
    if not (isinstance(repeats, int) and repeats > 0):
        raise ModelError(f"repeats is {shown(repeats)}; give a positive whole number")
    if not (isinstance(within, (int, float)) and within > 0):
        raise ModelError(f"within is {shown(within)}; give a positive share of the deflection")
    rows = [_row(machine, name, repeats, {"end": end, "steps": steps, "dt": dt, **options}) for name in chosen]
    found = {r.name: r for r in rows}
    reference = found.get("floating")
    if reference is not None and reference.run is not None:
        more = {**_floating({"end": end, "steps": steps, "dt": dt, **options})}
        more["error"] = FINER * float(more["error"])
        try:
            exact = simulate(with_formulation(machine, "floating"), progress=False, **more)
        except (ModelError, IntegrationError):
            exact = reference.run
        for r in rows:
            if r.run is not None and r.run is not exact:
                r.difference = _difference(bend, r.run, exact)
    ked = next((r.frequency for r in rows if r.name.startswith("KED") and not np.isnan(r.frequency)), np.nan)
    if reference is not None and reference.run is not None:
        reference.frequency = _frequency(machine, ked)
    times = next((np.asarray(r.run.time) for r in rows if r.run is not None), np.zeros(0))
    return Comparison(machine.copy(), rows, times, _advice(rows, reference, within))


def with_formulation(model: Model, name: str) -> Model:
    """The model with all its parts of one formulation (`NAMES`); it is not changed itself."""
    choice = NAMES[name]
    if choice is None:
        return rigid(model)
    twin = model.copy()
    table = twin.table("FLEXIBILITY")
    for number, e in list(table.items()):
        at_rest = {"q": (), "speed": ()} if choice[1] else {}
        table[number] = replace(e, formulation=choice[0], quasi_static=choice[1], **at_rest)
    return twin


def _floating(options: dict[str, Any]) -> dict[str, Any]:
    return {**options, "integrator": options.get("integrator") or INTEGRATOR, "error": options.get("error") or ERROR}


def _row(model: Model, name: str, repeats: int, options: dict[str, Any]) -> Formulation:
    row = Formulation(name)
    if name == "floating":
        options = _floating(options)
    twin = with_formulation(model, name)
    try:
        for _ in range(repeats):
            begin = clock.process_time()
            run = simulate(twin, progress=False, **options)
            row.cpu = float(np.nanmin([row.cpu, clock.process_time() - begin]))
    except (ModelError, IntegrationError) as error:
        row.said = f"did not run: {error}"
        return row
    row.run = run
    if NAMES[name] is None:
        row.deflection = 0.0
        row.course = np.zeros(len(np.asarray(run.time)))
        return row
    courses = []
    for e in (e for e in twin.table("FLEXIBILITY").values() if e.active):
        share, time, _ = bending(run, e)
        way = _ways(e, _coordinates(run, e))
        courses.append(way)
        if np.isnan(row.deflection) or way.max() > row.deflection:
            row.deflection, row.time, row.part = float(way.max()), time, twin.table("PART")[e.part].name
        row.share = float(np.nanmax([row.share, share]))
    row.course = np.max(courses, axis=0)
    ked = run.info.get("KED")
    if ked:
        row.indicator, row.frequency, row.said = (
            ked["indicator"],
            ked["first frequency"][0] / (2 * np.pi),
            ked["advice"],
        )
    return row


def _coordinates(run: Run, e: Any) -> np.ndarray:
    return run.state(f"FLEXIBILITY_{e.id}").values[:, ::2]


def _ways(e: Any, q: np.ndarray) -> np.ndarray:
    """(times,) largest displacement of a node for modal coordinates (times, n)."""
    out = np.zeros(len(q))
    for shape in e.body.shapes[:, :3]:
        np.maximum(out, np.linalg.norm(q @ shape.T, axis=1), out=out)
    return out


def _difference(bend: list[Any], run: Run, reference: Run) -> float:
    """Largest distance of a node from where it is in the reference, compared with the largest deflection of its part
    there."""
    worst = 0.0
    for e in bend:
        there = _coordinates(reference, e)
        here = _coordinates(run, e) if f"FLEXIBILITY_{e.id}[0]" in run.states else np.zeros_like(there)
        n = min(len(here), len(there))
        largest = _ways(e, there).max(initial=0.0)
        if largest > 0.0:
            worst = max(worst, float(_ways(e, here[:n] - there[:n]).max(initial=0.0)) / largest)
    return worst


def _frequency(model: Model, like: float) -> float:
    """First frequency of the machine at its start, all terms of the floating frame in it: the one nearest to that of
    KED, or the least."""
    try:
        found = np.abs(linearize(with_formulation(model, "floating")).eigenvalues.imag) / (2 * np.pi)
    except (ModelError, IntegrationError, ArithmeticError):
        return np.nan
    found = found[found > 1e-9 * found.max(initial=0.0)]
    if not len(found):
        return np.nan
    return float(found.min() if np.isnan(like) else found[np.argmin(np.abs(found - like))])


def _advice(rows: list[Formulation], reference: Formulation | None, within: float) -> str:
    percent = lambda v: f"{100 * v:.3g} %"
    if reference is None or reference.run is None:
        return "without a run in the floating frame there is nothing to measure the others by" + (
            f": {reference.said}" if reference is not None else ""
        )
    if reference.share > SMALL:
        return (
            f"{reference.part} deflects by {percent(reference.share)} of its size: beyond small deformations "
            f"({percent(SMALL)}) modes are not a model of it, "
            "whatever the formulation; make it stiffer, or of several flexible bodies"
        )
    others = [r for r in rows if r.run is not None and r.name.startswith("KED")]
    fit = [r for r in others if r.difference <= within]
    if not fit:
        off = " and ".join(f"{r.name} differs by {percent(r.difference)}" for r in others)
        return f"use the floating frame: {off}" if off else "use the floating frame"
    best = min(fit, key=lambda r: r.cpu)
    size = (
        f"; its deflection is {percent(reference.share)} of its size, so rigid parts serve where stresses and "
        "vibration do not matter"
        if reference.share < STIFF
        else ""
    )
    if best.cpu < reference.cpu:
        return (
            f"use {best.name}: it differs by {percent(best.difference)} from the floating frame and takes "
            f"{best.cpu:.2g} CPU s, that {reference.cpu:.2g}{size}"
        )
    return (
        f"use the floating frame: it takes {reference.cpu:.2g} CPU s, {best.name} {best.cpu:.2g} for the same "
        f"within {percent(best.difference)}{size}"
    )
