"""Models from files of all formats that this version reads."""

from __future__ import annotations

from pathlib import Path

from ..model import Model, ModelError
from . import adams, robots
from .adams.lexer import read_text

#: endings of files that hold a model
MODEL_FILES = (".adm", ".cmd", ".json", *robots.FORMATS)


def read_model(path: Path, lenient: bool = False, parameters: bool = False) -> Model:
    """A model from an Adams dataset or View command file, a model file or a robot file.  ``lenient``: statements of
    Adams files that are not known are skipped with a warning; ``parameters``: design variables of a command file are
    parameters of the model.  Raises ModelError with the path where it is none of these."""
    if not path.suffix and not path.is_file() and path.with_suffix(".adm").is_file():
        path = path.with_suffix(".adm")
    if path.is_dir():
        raise ModelError(f"{path}: this is a folder; give a model file in it")
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file; check the path")
    kind = path.suffix.lower()
    if kind == ".json":
        try:
            model = Model.from_json(read_text(path))
        except ModelError as error:
            raise ModelError(f"{path}: {error}" if not str(error).startswith(str(path)) else str(error)) from None
        model.path = str(path)
        return model
    if kind in (".py", ".ipynb"):
        raise ModelError(
            f"{path}: this is a Python program, not a model; run it with: python {path.name}, or write the model to a "
            "file with model.to_json()"
            if kind == ".py"
            else f"{path}: this is a notebook, not a model; open it in Jupyter"
        )
    if kind == ".acf":
        raise ModelError(
            f"{path}: this is a script; give its dataset here (`holonom run` and `holonom check` take scripts)"
        )
    if kind in (".h5", ".hdf5", ".html", ".csv", ".req", ".res"):
        raise ModelError(
            f"{path}: this is a result, not a model; give a dataset (.adm), a model (.json) or a command file (.cmd)"
        )
    if kind in robots.FORMATS:
        return robots.read_robot(path)
    if kind == ".cmd":
        return adams.read_cmd(path, lenient=lenient, parameters=parameters)
    return adams.read_adm(path, lenient=lenient)
