"""Paths that callers give for files: one check for all that results write, before anything is computed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...model import ModelError
from ...model.base import shown

#: endings of files that are not a run: a run under such a name would not open, or replace a model
FOREIGN = (
    ".csv", ".txt", ".tab", ".req", ".res", ".xlsx", ".json", ".png", ".svg", ".pdf", ".html", ".htm", ".gif", ".mp4",
    ".glb", ".npz", ".mat", ".adm", ".cmd", ".acf", ".py", ".md", ".xml", ".urdf", ".sdf",
)  # fmt: skip


def named_path(path: Any, what: str, example: str) -> Path:
    """A path that a caller gives, for ``what`` ("a run is saved to a file").  Raises ModelError for what is no path."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise ModelError(f"{what}; the path is {shown(path)}; give a text, as '{example}'")
    text = os.fspath(path)
    if not text.strip() or "\0" in text:
        raise ModelError(f"{what}; the path is {shown(repr(text)[1:-1])}; give a path, as '{example}'")
    return Path(text)


def file_path(path: Any, what: str, example: str, refused: tuple[str, ...] = ()) -> Path:
    """The same for a file; ``refused``: endings that it must not have.  Raises ModelError for a folder."""
    found = named_path(path, what, example)
    try:
        folder = found.is_dir()
    except OSError:  # such as a name that is too long: writing states it
        folder = False
    if folder or str(path).endswith(("/", os.sep)):
        raise ModelError(f"{what}, and '{found}' is a folder; give a file in it, as '{found / Path(example).name}'")
    if found.suffix.lower() in refused:
        raise ModelError(
            f"{what}, and '{found.name}' is the name of another type of file; give a name that ends in "
            f"{Path(example).suffix}, as '{found.stem}{Path(example).suffix}'"
        )
    return found
