"""Meshes of Abaqus input files, with the instances of their assemblies where they are placed (`abaqus_deck`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..model.base import ModelError
from .abaqus_deck import cell_kind, read_deck
from .mesh_tables import MeshTables, warn_of_left_out


def read_abaqus_mesh(path: Path) -> dict[str, Any]:
    """Fields of `mesh.Mesh`.  Node numbers are those of the file where they are unique, else they count from 1 over the
    instances.

    With several instances a set is a group and region of its name, over all of them, and one of each instance,
    "instance.set"; an instance is one of its name.  Warns of beams, masses, springs and ties, which are left out.
    Raises `ModelError`, with file and line, for what cannot be read and for types of elements that are not known.
    """
    counts: dict[str, int] = {}
    instances = read_deck(path, counts)
    several = len(instances) > 1
    labels = [k for i in instances for k in i.scope.nodes]
    unique = len(set(labels)) == len(labels)
    tables = MeshTables(path)
    left_out = dict(counts)
    first = 1
    for i in instances:
        scope = i.scope
        number = {k: k if unique else first + n for n, k in enumerate(scope.nodes)}
        first += len(number)
        tables.add_nodes(number.values(), scope.nodes.values())
        found = {}
        for e, (kind, nodes, where) in scope.elements.items():
            cell = cell_kind(kind)
            if cell is None:
                raise ModelError(
                    f"{where}: the element type {kind or '(none)'} is not known; mesh with C3D4, C3D8, C3D10, C3D20, "
                    "S3, S4 or S8"
                )
            strange = next((k for k in nodes if k not in number), None)
            if strange is not None:
                raise ModelError(f"{where}: element {e} references node {strange}, which is not defined")
            if cell in ("line", "vertex") and not kind.startswith(("R3D", "RB", "SFM")):
                left_out[kind] = left_out.get(kind, 0) + 1
            found[e] = tables.add_cell(cell, tuple(number[k] for k in nodes), where)
        for prefix in ("", f"{i.name}.") if several and i.name else ("",):
            for name, own in scope.node_sets.items():
                tables.add_group(prefix + scope.spelt[name], (number[k] for k in own if k in number))
            for name, own in scope.element_sets.items():
                for e in dict.fromkeys(own):
                    if e in found:
                        tables.add_region(prefix + scope.spelt[name], found[e])
        if i.name:
            tables.add_group(i.name, number.values())
            for cell in found.values():
                tables.add_region(i.name, cell)
    done = tables.finish()
    warn_of_left_out(path, left_out)
    return done
