"""Meshes from files, by meshio: its readers of single formats, with a bound on what is read, and what they leave out told."""

from __future__ import annotations

import importlib
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..model.base import ModelError
from .cells import CELLS

#: ending of a file -> module of meshio
FORMATS = {
    ".msh": "gmsh", ".vtk": "vtk", ".vtu": "vtu", ".inp": "abaqus", ".bdf": "nastran", ".nas": "nastran", ".fem": "nastran", ".dat": "nastran",
    ".stl": "stl", ".ply": "ply", ".obj": "obj", ".off": "off", ".mesh": "medit",
}  # fmt: skip
MOST_BYTES = 500 * 2**20
MOST_NODES = 2_000_000
#: cells that fill no volume and no surface: left out, but for their nodes in groups
THIN = ("vertex", "line", "line3", "line4")


def read_mesh(path: str | Path) -> dict[str, Any]:
    """Fields of `mesh.Mesh` from a file; see `Mesh.read`.  Raises `ModelError`."""
    path = Path(path)
    module = FORMATS.get(path.suffix.lower())
    if module is None:
        raise ModelError(f"'{path}' is no mesh by its name; files end with {', '.join(FORMATS)}")
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror}") from None
    if size > MOST_BYTES:
        raise ModelError(f"'{path}' has {size / 2**20:.0f} MiB, above the limit of {MOST_BYTES / 2**20:.0f}")
    if module in ("abaqus", "nastran"):
        _alone(path)
    try:
        reader = importlib.import_module(f"meshio.{module}")
    except ImportError:
        raise ModelError("files of meshes need meshio; install holonom[flex]") from None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = reader.read(str(path))
    except Exception as error:  # whatever a reader stumbles over in a file of others
        text = " ".join(str(error).split())[:120] or type(error).__name__
        raise ModelError(f"'{path}' cannot be read as a mesh ({module}): {text}") from None
    points = np.asarray(found.points, float)
    if points.ndim != 2 or not len(points) or points.shape[1] not in (2, 3):
        raise ModelError(f"'{path}' has no nodes with x, y, z")
    if len(points) > MOST_NODES:
        raise ModelError(f"'{path}' has {len(points)} nodes, above the limit of {MOST_NODES}")
    if points.shape[1] == 2:
        points = np.column_stack([points, np.zeros(len(points))])
    if module == "stl":  # whose triangles have no nodes in common
        points, own = np.unique(points, axis=0, return_inverse=True)
        found.cells = [type(block)(block.type, own.ravel()[np.asarray(block.data)]) for block in found.cells]
    tables: dict[str, list[np.ndarray]] = {}
    first = []  # of each block of the file: the number of its first cell in the table of its kind
    unknown: dict[str, int] = {}
    for block in found.cells:
        data = np.asarray(block.data, np.int64)
        first.append(sum(len(t) for t in tables.get(block.type, ())))
        if block.type in CELLS or block.type in THIN:
            tables.setdefault(block.type, []).append(data)
        else:
            unknown[block.type] = unknown.get(block.type, 0) + len(data)
    if unknown:
        kind, count = next(iter(unknown.items()))
        raise ModelError(f"'{path}' has {count} cells of kind {kind}, which have no elements here; mesh it with {', '.join(CELLS)}")
    groups, regions = _sets(found, first)
    return {
        "points": points,
        "cells": {kind: np.vstack(t) for kind, t in tables.items() if kind in CELLS},
        "ids": _ids(path, module, found, len(points)),
        "groups": groups,
        "regions": regions,
    }


def _alone(path: Path) -> None:
    """Raises `ModelError` for a file that includes others, which are not opened for it."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for count, line in enumerate(file, 1):
            if re.match(r"\s*\*?\s*INCLUDE\b", line, re.IGNORECASE):
                raise ModelError(f"{path}:{count}: it includes another file; put all nodes and elements into one")


def _sets(found: Any, first: list[int]) -> tuple[dict[str, np.ndarray], dict[str, dict[str, np.ndarray]]]:
    """Groups of nodes and regions of cells: sets of nodes, sets of cells (and their nodes), and tags that gmsh and Nastran write for each cell."""
    groups: dict[str, list[np.ndarray]] = {}
    regions: dict[str, dict[str, list[np.ndarray]]] = {}

    def cells(name: str, block: int, own: np.ndarray) -> None:
        kind = found.cells[block].type
        if not len(own):
            return
        groups.setdefault(name, []).append(np.unique(np.asarray(found.cells[block].data)[own]))
        if kind in CELLS:
            regions.setdefault(name, {}).setdefault(kind, []).append(first[block] + own)

    for name, own in (found.point_sets or {}).items():
        groups.setdefault(name, []).append(np.asarray(own, np.int64).ravel())
    told = set()
    for name, blocks in (found.cell_sets or {}).items():
        if name.startswith("gmsh:"):
            continue
        told.add(name)
        for block, own in enumerate(blocks):
            if own is not None:
                cells(name, block, np.asarray(own, np.int64).ravel())
    names = {(int(v[0]), int(v[1])): name for name, v in (found.field_data or {}).items() if np.size(v) == 2}
    size = {"v": 0, "l": 1, "t": 2, "q": 2}
    for key in ("gmsh:physical", "nastran:ref", "medit:ref"):
        for block, tags in enumerate((found.cell_data or {}).get(key, ())):
            kind = found.cells[block].type
            dimension = 3 if kind.startswith("tetra") else size.get(kind[0], 3)
            for tag in np.unique(tags):
                name = names.get((int(tag), dimension), str(int(tag)))
                if name not in told and int(tag) > 0:
                    cells(name, block, np.flatnonzero(np.asarray(tags) == tag))
    return (
        {name: np.unique(np.concatenate(own)) for name, own in groups.items()},
        {name: {kind: np.concatenate(own) for kind, own in kinds.items()} for name, kinds in regions.items()},
    )


def _ids(path: Path, module: str, found: Any, count: int) -> Any:
    """Numbers of the nodes in the file, where its reader or the file tells them in order; else none, and they count from 1."""
    ids = getattr(found, "points_id", None)
    if module == "abaqus":
        ids, inside = [], False
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("*") and not line.startswith("**"):
                    inside = line[1:].split(",")[0].strip().upper() == "NODE"
                elif inside and line.strip() and not line.startswith("**"):
                    ids.append(int(line.split(",")[0]))
    return ids if ids is not None and len(ids) == count and len(np.unique(ids)) == count else ()
