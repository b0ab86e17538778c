"""Texts without the folders of the machine that wrote them: pages are given away."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .base import ModelError

#: parts of a path end at a space, a quote or a bracket; a file may have spaces in folders that are known by name (see
#: `without_paths`)
PART = r"[^\s'\"<>|:;,()\[\]{}/\\]+"
POSIX = re.compile(rf"(?:file://|(?<![\w.<~/\\-]))/(?:{PART}/)+({PART})?")
HOME = re.compile(rf"(?<![\w./\\])~\w*/(?:{PART}/)*({PART})?")
WINDOWS = re.compile(rf"(?<!\w)(?:file:///)?[A-Za-z]:[\\/](?:{PART}[\\/])*({PART})?")
SHARE = re.compile(rf"(?<![\w\\])\\\\{PART}\\(?:{PART}\\)*({PART})?")


def without_paths(text: Any, run: Any = None, folder: Any = None) -> str:
    """``text`` with every absolute path cut to its last name.

    Folders that are known (of the model of ``run``, ``folder``, the present one, the user's own) are found with spaces
    in them too.  Names of the model that look like paths (``/arm/hinge/left``) stay.
    """
    text = str(text)
    if not any(c in text for c in "/\\"):
        return text
    model = getattr(run, "model", None)
    for known in _folders(getattr(model, "path", None), folder):
        for form in {known, known.replace("\\", "/")}:
            text = re.sub(re.escape(form) + r"[\\/](?:[^\s'\"<>|:;,()\\/]+[\\/])*", "", text)
            text = re.sub(re.escape(form) + r"(?![\w.-])", Path(form).name or "", text)
    names: list[frozenset[str]] = []  # walked through only where something looks like a path

    def last(m: re.Match[str]) -> str:
        if not names:
            names.append(_names(model) if model is not None else frozenset())
        return m.group(0) if m.group(0).rstrip(".") in names[0] else m.group(1) or "..."

    for pattern in (SHARE, WINDOWS, POSIX, HOME):
        text = pattern.sub(last, text)
    return text


def _folders(path: Any, folder: Any) -> list[str]:
    """Absolute folders, the longest first, none of which is the root."""
    found = []
    for known in (Path(str(path)).parent if path else None, folder, Path.cwd(), Path.home()):
        if known is None:
            continue
        for form in (Path(str(known)), Path(str(known)).absolute()):
            if form.is_absolute() and form != Path(form.anchor):
                found.append(str(form))
    return sorted(dict.fromkeys(found), key=len, reverse=True)


def _names(model: Any) -> frozenset[str]:
    return frozenset(name for e in model if (name := str(getattr(e, "name", ""))).startswith("/"))


def resolve(model: Any, file: str) -> Path:
    """A mesh file that a graphic names: as given in a model made in Python, only next to a model that came from a file.

    Raises `ModelError` for a path that leads out of that folder: a foreign file must not open others.
    """
    path = Path(file)
    if not getattr(model, "path", None):
        return path
    if path.is_absolute() or ".." in path.parts or "\\" in file:
        raise ModelError(f"{file} is searched for next to the model only; copy it there")
    return Path(model.path).resolve().parent / path
