"""``holonom study``: what the file of a study holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .application import CODES, Debug, group, guarded

if TYPE_CHECKING:
    from ..studies.results import Results

study_app = group("study", "Parameter studies: runs that a file holds, also while the study runs.")
StudyFile = Annotated[
    Path,
    typer.Argument(help="File of the runs of a study (.study), or its study file (.yaml, .json).", show_default=False),
]
StageNumber = Annotated[int | None, typer.Option(help="Stage, from 1. Default: all.")]


DefinitionFile = Annotated[
    Path, typer.Argument(help="Study file, .yaml or .json, or the name of a shipped study.", show_default=False)
]
AcceptChanges = Annotated[
    bool, typer.Option("--accept-changes", help="Continue although code or files differ from those of finished runs.")
]


@study_app.command("list", epilog=CODES)
@guarded
def study_list(debug: Debug = False) -> None:
    """Studies that ship with Holonom; run one by its name."""
    from ..studies.study_file import shipped_studies

    for name, about in shipped_studies():
        print(f"{name}: {about}")


@study_app.command("run", epilog=CODES)
@guarded
def study_run(study: DefinitionFile, accept_changes: AcceptChanges = False, debug: Debug = False) -> None:
    """Run the stages of a study file; runs that its store has are not computed again."""
    from ..studies.study_file import run_study_file

    run_study_file(study, accept_changes=accept_changes)


@study_app.command("resume", epilog=CODES)
@guarded
def study_resume(study: DefinitionFile, accept_changes: AcceptChanges = False, debug: Debug = False) -> None:
    """Continue a study file whose run was interrupted; its store must exist."""
    from ..studies.study_file import run_study_file

    run_study_file(study, resume=True, accept_changes=accept_changes)


def _held(study: Path, stage: int | None = None) -> Results:
    """The runs of a study, by their file or the study file that names it."""
    from ..studies.results import load
    from ..studies.study_file import store_path

    return load(store_path(study), stage)


@study_app.command("status", epilog=CODES)
@guarded
def study_status(study: StudyFile, debug: Debug = False) -> None:
    """Stages with their numbers of runs, and the sentences of failed runs, the commonest first."""
    print(_held(study).status())


@study_app.command("show", epilog=CODES)
@guarded
def study_show(
    study: StudyFile,
    stage: StageNumber = None,
    rows: Annotated[int, typer.Option(help="Rows to show.")] = 20,
    best: Annotated[str | None, typer.Option(help="Show the run with the least value of this measure.")] = None,
    largest: Annotated[bool, typer.Option("--largest", help="With --best: the largest value.")] = False,
    debug: Debug = False,
) -> None:
    """Parameters, measures and status of runs as a table, or the best run."""
    held = _held(study, stage)
    if best is None:
        print(held.text(rows))
        return
    row = held.best(best, largest)
    print(f"run {row.number}")
    for name, value in {**row.parameters, **row.measures}.items():
        print(f"  {name} = {value!r}")


@study_app.command("model", epilog=CODES)
@guarded
def study_model(
    study: DefinitionFile,
    out: Annotated[
        Path, typer.Argument(help="File to write: .json, .adm, or .cmd of a View file.", show_default=False)
    ],
    best: Annotated[str | None, typer.Option(help="Of the run with the least value of this measure.")] = None,
    largest: Annotated[bool, typer.Option("--largest", help="With --best: the largest value.")] = False,
    stage: StageNumber = None,
    accept_changes: AcceptChanges = False,
    debug: Debug = False,
) -> None:
    """Write the model, or vehicle file, of the design that the last stage found, or of the best run."""
    import json

    from ..formats.adams import write_cmd
    from ..model import Model, ModelError
    from ..studies.study_file import design_model
    from .models import write_model

    held = _held(study, stage)
    if best is not None:
        values = held.best(best, largest).parameters
    else:
        numbers = [s["stage"] for s in held.store.stages() if stage in (None, s["stage"])]
        outcomes = [found for k in numbers if "parameters" in (found := held.store.outcome(k) or {})]
        if not outcomes:
            raise ModelError(f"no finished stage of '{study}' has found a design; name a measure with --best")
        values = outcomes[-1]["parameters"]
    made = design_model(study, values, accept_changes)
    if not isinstance(made, Model):
        if out.suffix.lower() != ".json":
            raise ModelError(f"{out}: a vehicle is written to a file that ends in .json")
        out.write_text(json.dumps(made.data, indent=1) + "\n", encoding="utf-8")
        print(f"vehicle: {out}")
    elif out.suffix.lower() == ".cmd":
        write_cmd(made, out)
        print(f"model: {out}")
    else:
        write_model(lambda: made, out)


@study_app.command("export", epilog=CODES)
@guarded
def study_export(
    study: StudyFile,
    out: Annotated[Path, typer.Argument(help="File to write: .csv, .parquet or .html.", show_default=False)],
    stage: StageNumber = None,
    debug: Debug = False,
) -> None:
    """All runs with all digits as a table, or a page with figures."""
    from ..model import ModelError

    held = _held(study, stage)
    writers = {".csv": held.to_csv, ".parquet": held.to_parquet, ".html": held.to_html}
    if out.suffix.lower() not in writers:
        raise ModelError(f"cannot write '{out}': its ending must be .csv, .parquet or .html")
    print(f"{len(held)} runs written to {writers[out.suffix.lower()](out)}")
