"""Files that commands read: models, scripts, runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .._warnings import warn_model

if TYPE_CHECKING:
    from ..model import Model
    from ..model.commands import Script
    from ..results import Run


def read_model(path: Path, lenient: bool = False) -> Model:
    """A model from any file that this version reads; readers are not loaded by commands that read none."""
    from ..formats import model_file

    return model_file.read_model(path, lenient)


def read_with_script(path: Path, lenient: bool = False) -> tuple[Model, Script | None]:
    """A model, and the script when ``path`` is one: then the dataset is the one that the script names."""
    if path.suffix.lower() != ".acf":
        return read_model(path, lenient), None
    from ..analyses.session.script import dataset_of
    from ..formats.adams import read_acf
    from ..model import ModelError

    if not path.is_file():
        raise ModelError(f"{path}: there is no such file; check the path")
    script = read_acf(path, lenient)
    dataset = dataset_of(script)
    beside = path.with_suffix(".adm")
    if dataset is None and not beside.is_file():
        raise ModelError(
            f"{path}: the script names no dataset; write FILE/MODEL=name or the name alone in its first line"
        )
    if dataset is not None and not dataset.is_file() and not beside.is_file():
        raise ModelError(
            f"{path}: the script names the dataset '{dataset.name}', which is not next to it; put it there, or correct "
            "the name"
        )
    if dataset is None or not dataset.is_file():
        why = "names no dataset" if dataset is None else f"names the dataset '{dataset.name}', which is not next to it"
        script.warnings.append(f"{path}: the script {why}; {beside.name} is taken")
        warn_model(script.warnings[-1])
        dataset = beside
    return read_model(dataset, lenient), script


def put_geometry(machine: Model, path: Path | None) -> None:
    """Shapes of a geometry file in place of geometry of the model."""
    if path is not None:
        from ..formats.geometry_file import apply_geometry_file

        replaced = apply_geometry_file(machine, path)
        print(f"geometry: {len(replaced)} shapes replaced by {path}")


def run_file(path: Path) -> Path:
    """The run file that a path means."""
    from ..model import ModelError

    if path.is_dir():
        if (path / "run.h5").is_file():
            return path / "run.h5"
        raise ModelError(
            f"{path}: this folder holds no run.h5; give the folder that `holonom run` wrote to, or a run file"
        )
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file or folder; check the path")
    return path


def names_of_runs(files: list[Path]) -> list[str]:
    """Short names that distinguish run files: the file's, the folder's where files are called alike, with a number
    where both are."""
    names = [p.stem for p in files]
    if len(set(names)) < len(names):
        names = [p.resolve().parent.name or p.stem for p in files]
    return [n if names.count(n) == 1 else f"{n} ({k + 1})" for k, n in enumerate(names)]


def load_run(path: Path) -> Run:
    from ..results.files.store import load

    return load(run_file(path))
