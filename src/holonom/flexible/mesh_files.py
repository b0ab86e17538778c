"""Meshes from files: gmsh, Abaqus and Nastran by readers of our own, all others by meshio in a separate process
(`meshio_script`), with bounds."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ..model.base import ModelError, shown
from .abaqus_mesh import read_abaqus_mesh
from .cells import CELLS
from .gmsh_mesh import read_gmsh_mesh
from .mesh_tables import MOST_NODES, THIN
from .nastran_mesh import read_nastran_mesh

#: ending of a file -> reader (a function), or module of meshio
FORMATS: dict[str, Any] = {
    ".msh": read_gmsh_mesh,
    ".inp": read_abaqus_mesh,
    ".bdf": read_nastran_mesh,
    ".nas": read_nastran_mesh,
    ".fem": read_nastran_mesh,
    ".dat": read_nastran_mesh,
    ".vtk": "vtk",
    ".vtu": "vtu",
    ".stl": "stl",
    ".ply": "ply",
    ".obj": "obj",
    ".off": "off",
    ".mesh": "medit",
}
MOST_BYTES = 500 * 2**20
SECONDS = 300.0


def read_mesh(path: str | Path) -> dict[str, Any]:
    """Fields of `mesh.Mesh` from a file; see `Mesh.read`.  Raises `ModelError`."""
    if not isinstance(path, (str, Path)):
        raise ModelError(f"the path of a mesh is {shown(path)}; give the name of a file")
    path = Path(path)
    module = FORMATS.get(path.suffix.lower())
    if module is None:
        raise ModelError(f"'{path}' does not have the file ending of a mesh; use one of {', '.join(FORMATS)}")
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror}") from None
    if size > MOST_BYTES:
        raise ModelError(f"'{path}' has {size / 2**20:.0f} MiB, above the limit of {MOST_BYTES / 2**20:.0f}")
    if callable(module):
        if module is read_nastran_mesh:
            _alone(path)
        return _with_cells(path, module(path))
    found = _read(path, module)
    points = found["points"]
    if points.ndim != 2 or not len(points) or points.shape[1] not in (2, 3):
        raise ModelError(f"'{path}' has no nodes with x, y, z")
    if len(points) > MOST_NODES:
        raise ModelError(f"'{path}' has {len(points)} nodes, above the limit of {MOST_NODES}")
    if points.shape[1] == 2:
        points = np.column_stack([points, np.zeros(len(points))])
    content = json.loads(bytes(found["content"]))
    blocks = [(kind, found[f"cells {k}"]) for k, kind in enumerate(content["kinds"])]
    count = len(points)
    if module == "stl":  # whose triangles have no nodes in common
        points, own = np.unique(points, axis=0, return_inverse=True)
        blocks = [
            (kind, own.ravel()[data])
            for kind, data in blocks
            if not data.size or (0 <= data.min() and data.max() < count)
        ]
    tables: dict[str, list[np.ndarray]] = {}
    first = []  # of each block of the file: the number of its first cell in the table of its kind
    unknown: dict[str, int] = {}
    for kind, data in blocks:
        first.append(sum(len(t) for t in tables.get(kind, ())))
        if kind in CELLS or kind in THIN:
            if (
                data.ndim != 2
                or (kind in CELLS and data.shape[1] != CELLS[kind])
                or (data.size and not (0 <= data.min() and data.max() < count))
            ):
                raise ModelError(f"'{path}' has cells of kind {kind} that reference nodes which it does not have")
            tables.setdefault(kind, []).append(data)
        else:
            unknown[kind] = unknown.get(kind, 0) + len(data)
    if unknown:
        kind, many = next(iter(unknown.items()))
        raise ModelError(
            f"'{path}' has {many} cells of kind {kind}, which have no elements here; mesh it with {', '.join(CELLS)}"
        )
    groups, regions = _sets(found, content, blocks, first)
    return _with_cells(
        path,
        {
            "points": points,
            "cells": {kind: np.vstack(t) for kind, t in tables.items() if kind in CELLS},
            "ids": (),
            "groups": groups,
            "regions": regions,
        },
    )


def _with_cells(path: Path, found: dict[str, Any]) -> dict[str, Any]:
    """Fields of a mesh that has elements.  Raises `ModelError` for nodes alone, which have neither mass nor
    stiffness."""
    if not any(len(table) for table in found["cells"].values()):
        count = len(found["points"])
        raise ModelError(
            f"'{path}' has {count} node{'s' if count != 1 else ''} and no cells of {', '.join(CELLS)}; write its "
            "elements into the file"
        )
    return found


def _read(path: Path, module: str) -> dict[str, np.ndarray]:
    """What `meshio_script` found."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "mesh.npz"
        script = Path(__file__).with_name("meshio_script.py")
        try:
            done = subprocess.run(
                [sys.executable, "-P", str(script), module, str(path.resolve()), str(out)],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise ModelError(
                f"'{path}' cannot be read as a mesh ({module}) within {SECONDS:g} s; it may be damaged"
            ) from None
        if done.returncode == 3:
            raise ModelError("files of meshes need meshio; install holonom[flex]")
        if done.returncode or not out.exists():
            text = done.stderr.strip().splitlines()
            raise ModelError(
                f"'{path}' cannot be read as a mesh ({module}): "
                f"{text[-1][:120] if text else 'its reader stopped; it may be damaged'}"
            )
        with np.load(out, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}


def _alone(path: Path) -> None:
    """Raises `ModelError` for a file that includes others, which are not opened for it."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for count, line in enumerate(file, 1):
            if re.match(r"\s*\*?\s*INCLUDE\b", line, re.IGNORECASE):
                raise ModelError(f"{path}:{count}: it includes another file; put all nodes and elements into one")


def _sets(
    found: dict, content: dict, blocks: list, first: list[int]
) -> tuple[dict[str, np.ndarray], dict[str, dict[str, np.ndarray]]]:
    """Groups of nodes and regions of cells: sets of nodes, sets of cells (and their nodes), and tags that gmsh and
    Nastran write for each cell."""
    groups: dict[str, list[np.ndarray]] = {}
    regions: dict[str, dict[str, list[np.ndarray]]] = {}

    def cells(name: str, block: int, own: np.ndarray) -> None:
        if not 0 <= block < len(blocks):
            return
        kind, data = blocks[block]
        own = own[(own >= 0) & (own < len(data))]
        if not len(own):
            return
        groups.setdefault(name, []).append(np.unique(data[own]))
        if kind in CELLS:
            regions.setdefault(name, {}).setdefault(kind, []).append(first[block] + own)

    for k, name in enumerate(content["points"]):
        groups.setdefault(name, []).append(found[f"points {k}"])
    for k, (name, block) in enumerate(content["cells"]):
        cells(name, block, found[f"set {k}"])
    named = {name for name, _ in content["cells"]}
    names = {(tag, dimension): name for name, tag, dimension in content["names"]}
    size = {"v": 0, "l": 1, "t": 2, "q": 2}
    for k, block in enumerate(content["tags"]):
        tags, kind = found[f"tag {k}"], blocks[block][0] if block < len(blocks) else ""
        dimension = 3 if kind.startswith("tetra") else size.get(kind[:1], 3)
        for tag in np.unique(tags):
            name = names.get((int(tag), dimension), str(int(tag)))
            if name not in named and int(tag) > 0:
                cells(name, block, np.flatnonzero(tags == tag))
    return (
        {name: np.unique(np.concatenate(own)) for name, own in groups.items()},
        {name: {kind: np.concatenate(own) for kind, own in kinds.items()} for name, kinds in regions.items()},
    )
