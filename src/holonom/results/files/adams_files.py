"""The files that RESULTS and OUTPUT of a model require, written in addition to a run: ``.res``, ``.req``, ``.out`` and
``.msg``.

Their name is the one that the script gives its results, else that of the dataset.  ``.res``: `adams_res`; ``.req``:
`export.export_req`. ``.out`` are tables as the Adams Solver manual describes them (nine columns for each request: the
time and its eight components), ``.msg`` is what the run had to say.  The graphics file (``.gra``) is not written, which
is reported.  `model.adams_output` reads the two statements.
"""

from __future__ import annotations

import datetime
import re
from pathlib import Path

from ...model import ModelError
from ...model.adams_output import AdamsOutput
from ..run import Run
from .adams_res import export_res
from .export import export_req, safe_name

WIDTH = 15  # of a column


def write_adams_files(run: Run, folder, name: str | None = None) -> list[Path]:
    """Write the files that the model of a run requests to ``folder``; returns their paths (none when neither RESULTS
    nor OUTPUT is given).

    ``name``: without extension; default: the name of the script or the dataset. Raises `ModelError` when a file cannot
    be written.
    """
    wanted = AdamsOutput.of(run.model.preferences)
    if not wanted.messages:
        return []
    folder = Path(folder)
    stem = safe_name(Path(re.split(r"[\\/]", name or name_of(run))[-1]).name)
    path = lambda ending: folder / f"{stem}{ending}"
    date = datetime.datetime.now().astimezone()  # one for all: Adams View takes files of one date for one analysis
    paths = []
    if wanted.results:
        export_res(
            run, path(".res"), left_out=wanted.left_out, decimals=wanted.decimals, comment=wanted.comment, date=date
        )
        paths.append(path(".res"))
    if wanted.requests:
        export_req(run, path(".req"), date=date, empty=True)
        paths.append(path(".req"))
    if wanted.tables:
        export_out(run, path(".out"))
        paths.append(path(".out"))
    export_msg(run, path(".msg"), date=date, files=paths, notes=wanted.notes)
    return [*paths, path(".msg")]


def name_of(run: Run) -> str:
    """What the script calls its results, else the dataset, else the model."""
    return str(run.info.get("output") or (Path(run.model.path).stem if run.model.path else "") or run.model.name)


def export_out(run: Run, path) -> None:
    """Write tables of all requests as text: the time and the eight components of each. Raises `ModelError` when the
    file cannot be written."""
    d = run.data
    lines = ["1", f" {run.model.title or run.model.name}", ""]
    for k, key in enumerate(d.requests):
        request = run.model.table("REQUEST").get(key[1])
        title = ((request.title or request.comment) if request is not None else "") or key[2]
        names, units = run.request_components(key)
        lines += [f" REQUEST/{key[1]}   {title}", ""]
        lines.append("".join(f"{word[: WIDTH - 1]:>{WIDTH}}" for word in ("TIME", *names)))
        lines.append("".join(f"{word[: WIDTH - 1]:>{WIDTH}}" for word in (run.units("time"), *units)))
        rows = zip(d.time.tolist(), d.request_values[:, k].tolist())
        lines += ["".join(f"{v:{WIDTH}.6E}" for v in (t, *row)) for t, row in rows]
        lines.append("")
    _write(path, lines)


def export_msg(
    run: Run,
    path,
    *,
    date: datetime.datetime | None = None,
    files: list[Path] | None = None,
    notes: list[str] | None = None,
) -> None:
    """Write the messages of a run: title, analyses, messages, warnings, files. Raises `ModelError` when the file cannot
    be written."""
    from ... import __version__

    unit, info = run.units("time"), run.info
    lines = [
        f" Holonom {__version__}",
        f" {(date or datetime.datetime.now()).strftime('%Y-%m-%d %H:%M:%S')}",
        "",
        f" Model title: {run.model.title or run.model.name}",
    ]
    if run.model.path:
        lines.append(f" Dataset: {run.model.path}")
    lines.append(f" Degrees of freedom: {info.get('degrees_of_freedom', 'unknown')}")
    lines += [f"   redundant constraint: {text}" for text in info.get("redundant", ())]
    lines += ["", " Messages"] + [
        f"   {text}" for text in info.get("messages", ()) if text not in info.get("warnings", ())
    ]
    lines += ["", " Analyses"]
    for s in run.segments:
        if s.end > s.start:
            lines.append(
                f"   {s.kind} from {run.time[s.start]:.9g} to {run.time[s.end - 1]:.9g} {unit}, {s.end - s.start} "
                "output rows"
            )
    warnings = [*info.get("warnings", ()), *(text for text in notes or () if text not in info.get("warnings", ()))]
    lines += ["", f" Warnings: {len(warnings) or 'none'}"] + [f"   WARNING: {text}" for text in warnings]
    if info.get("failed"):
        lines += ["", f"   ERROR: {info['failed']}"]
    if info.get("stopped"):
        lines += ["", f"   {info['stopped']}"]
    lines += ["", " Files"] + [f"   {file.name}" for file in files or ()]
    lines += ["", f" Termination status: {'failed' if info.get('failed') else 'finished'}"]
    _write(path, [part for line in lines for part in line.splitlines() or [""]])


def _write(path, lines: list[str]) -> None:
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as out:
            out.write("\n".join(lines) + "\n")
    except OSError as problem:
        raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
