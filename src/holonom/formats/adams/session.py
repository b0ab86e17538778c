"""Runs a command file: reads the script and the dataset that it names, and hands the commands to
`analyses.session.script`."""

from __future__ import annotations

import os
from typing import Any

from ..._warnings import warn_model
from ...analyses.session.script import ScriptRunner, dataset_of
from ...model import Model, ModelError
from ...model.commands import Script
from ...results.run import Run
from .reader import read_adm
from .script import read_acf


def run_script(
    script: str | os.PathLike | Script,
    model: Model | None = None,
    *,
    progress: bool | str | None = None,
    missing: str = "error",
    quiet: bool = True,
    lenient: bool = False,
    referee: bool | str | None = None,
    folder: str | os.PathLike | None = None,
    **options: Any,
) -> Run:
    """Run a script (the path of an ``.acf`` file, or the result of `read_script`) and return the `Run` of all its
    analyses.

    ``model``: the model; without it the dataset named in the script is read.  ``folder``: where the files of
    LINEAR/STATEMAT and LINEAR/MKB commands are written, under the names of their FILE; without it a warning lists those
    that were not written. ``options`` (``integrator``, ``error``, ``hmax``, ...) override the settings of the script.
    Raises ModelError for bad input and IntegrationError (with ``.run``, the results so far) when an analysis cannot
    continue.
    """
    commands = script if isinstance(script, Script) else read_acf(script, lenient=lenient)
    if model is None:
        path = dataset_of(commands)
        if path is None:
            raise ModelError(
                f"{commands.path or 'the script'} names no dataset; add FILE/MODEL=name, or give the model"
            )
        model = read_adm(path, lenient=lenient)
    run = ScriptRunner(
        commands, model, progress=progress, missing=missing, quiet=quiet, referee=referee, **options
    ).run()
    for linear in run.linear:
        if folder is not None:
            linear.write_files(folder)
        elif linear.wanted:
            names = ", ".join(f"{kind} in '{name}'" for kind, name, _ in linear.wanted)
            warn_model(
                f"the matrices of LINEAR/{names} are not written; give run_script(..., folder=...), or take run.linear"
            )
    return run
