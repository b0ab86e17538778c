"""Meshes of Nastran bulk data files: grids in any coordinate system, and the connectivity of solids and shells.

Entries are read by `nastran`, which handles free, small and large fields, continuations, GRDSET and CORD1x/CORD2x.  A
property number is a region.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..model.base import ModelError
from .mesh_tables import MeshTables, warn_of_left_out
from .nastran import ELEMENTS, Deck, grid_position, read_bulk

#: entry -> types of cells by how many nodes it has
CELL_CARDS = {
    "CTETRA": {4: "tetra", 10: "tetra10"},
    "CHEXA": {8: "hexahedron", 20: "hexahedron20"},
    "CPENTA": {6: "wedge", 15: "wedge15"},
    "CPYRAM": {5: "pyramid", 13: "pyramid13"},
    "CTRIA3": {3: "triangle"},
    "CTRIAR": {3: "triangle"},
    "CTRIA6": {6: "triangle6"},
    "CQUAD4": {4: "quad"},
    "CQUADR": {4: "quad"},
    "CQUAD8": {8: "quad8"},
}
#: middle nodes of CHEXA: bottom, vertical, top; those of `cells`: bottom, top, vertical
BRICK_20 = (*range(12), *range(16, 20), *range(12, 16))


def read_nastran_mesh(path: Path) -> dict[str, Any]:
    """Fields of `mesh.Mesh` of a bulk data file, with or without BEGIN BULK; coordinates are basic ones.  Warns of
    beams, masses, springs and ties, which are left out.

    Raises `ModelError`, with file and line, for entries that cannot be read and elements that lack a part of their
    middle nodes.
    """
    deck = Deck()
    read_bulk(path, deck)
    tables = MeshTables(path)
    labels = sorted(deck.grids)
    tables.add_nodes(labels, (grid_position(deck, g) for g in labels))
    for name, where, region, nodes in deck.connectivity:
        kinds = CELL_CARDS.get(name)
        nodes = nodes[: max(kinds)] if kinds else tuple(n for n in nodes if n)
        corners = ELEMENTS[name][0].corners
        if kinds and not any(nodes[corners:]):
            nodes = nodes[:corners]
        if kinds is None:
            if name != "PLOTEL":
                deck.left_out[name] = deck.left_out.get(name, 0) + 1
            cell = tables.add_cell("line", nodes, where)
        elif len(nodes) not in kinds or not all(nodes):
            raise ModelError(f"{where}: {name} has some of its middle nodes only; give all of them or none")
        else:
            kind = kinds[len(nodes)]
            cell = tables.add_cell(kind, tuple(nodes[k] for k in BRICK_20) if kind == "hexahedron20" else nodes, where)
        if region > 0:
            tables.add_region(str(region), cell)
    found = tables.finish()
    warn_of_left_out(path, deck.left_out)
    return found
