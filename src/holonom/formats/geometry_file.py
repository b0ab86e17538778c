"""Shapes in place of named geometry, from a small file: what `holonom run --geometry FILE` reads.

TOML or JSON, one entry a geometry: the name, ELEMENT name or id of a GRAPHICS, or a pattern with ``*``, and what is
instead, about the old graphic's marker and in model units::

    SOLID9 = "lobe1.stl"                                     # a mesh, next to this file
    SOLID2 = { mesh = "axle.obj", scale = 0.0393701, repair = true }
    SOLID3 = { type = "CYLINDER", radius = 2.0, length = 10.0, at = [0, 0, -5] }
    "cam_*" = { type = "SPHERE", radius = 3.0 }              # names that are given by themselves win over patterns

``at`` and ``euler`` (body 3-1-3, degrees) move a shape in the axes of that marker.
"""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from typing import Any

from ..model.base import ModelError
from ..model.model import Model
from ..model.outputs import Graphic

MAX_BYTES = 100_000_000


def read_geometry_file(path: str | Path) -> dict[str, Any]:
    """Entries of the file, mesh files as absolute paths.  Raises `ModelError`."""
    path = Path(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ModelError(f"{path}: larger than {MAX_BYTES} bytes; give meshes as files")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ModelError(f"{path}: this is not a text file; give TOML or JSON") from None
    try:
        data = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(
            f"{path}: this is not {'JSON' if path.suffix.lower() == '.json' else 'TOML'} ({error})"
        ) from None
    if not isinstance(data, dict) or not data:
        raise ModelError(f"{path}: it names no geometry; write NAME = mesh file, or NAME = {{ type = ..., ... }}")
    out = {}
    for name, value in data.items():
        if isinstance(value, str):
            value = {"mesh": value}
        if not isinstance(value, dict):
            raise ModelError(f"{path}: {name} must be a mesh file or a table of arguments, not {value!r}")
        value = dict(value)
        if "mesh" in value:
            if "type" in value:
                raise ModelError(f"{path}: {name} has both mesh and type; use one of them")
            value["file"], value["type"] = str(path.parent / value.pop("mesh")), "MESH"
        elif str(value.get("type", "")).upper() == "MESH" and "file" in value:
            value["file"] = str(path.parent / value["file"])
        if "euler" in value:
            try:
                value["euler"] = tuple(math.radians(float(v)) for v in value["euler"])
            except (TypeError, ValueError):
                raise ModelError(f"{path}: euler of {name} must be three angles in degrees") from None
        out[name] = {k: _tuples(v) for k, v in value.items()}
    return out


def apply_geometry_file(model: Model, path: str | Path) -> list[Graphic]:
    """Put the shapes of the file in place of geometry of the model; what was replaced.  Raises `ModelError`."""
    entries = read_geometry_file(path)
    done: dict[int, Graphic] = {}
    for name in sorted(entries, key=lambda n: "*" not in n):
        try:
            for graphic in model.substitute(name, entries[name]):
                done[graphic.id] = graphic
        except ModelError as error:
            raise ModelError(f"{path}: {name}: {error}") from None
    return list(done.values())


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, list) else value
