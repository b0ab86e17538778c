"""A design of a study as a model, in a process of its own: the function of a study is code of the project."""

from __future__ import annotations

import os
from typing import Any

from ..model import Model
from .one_request import answer_one


def design(given: dict[str, Any]) -> dict[str, Any]:
    """The design of the study file ``file`` at ``values``: its ``name``, and ``model`` (JSON), or ``vehicle`` and the
    ``path`` next to which its files are."""
    from ..studies.study_file import design_model

    os.chdir(given["folder"])
    made = design_model(given["file"], given["values"])
    if isinstance(made, Model):
        return {"name": made.name, "model": made.to_json()}
    return {"name": made.name, "vehicle": made.data, "path": str(made.path) if made.path else ""}


def main() -> None:
    """Answer one request."""
    answer_one(design)
