"""Meshes of solids and shells, and the materials that they are of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..model.base import ModelError, shown

#: kinds of cells by the names that meshio has for them -> nodes of a cell
CELLS = {
    "tetra": 4, "tetra10": 10, "hexahedron": 8, "hexahedron20": 20, "hexahedron27": 27, "triangle": 3, "triangle6": 6, "quad": 4, "quad8": 8, "quad9": 9,
}  # fmt: skip


@dataclass(frozen=True)
class Material:
    """Linear isotropic material, in consistent units: ``E`` Young's modulus, ``nu`` Poisson's ratio, ``density``; for heat, where asked for:
    ``conductivity``, ``specific_heat`` (per mass), ``expansion`` (per degree)."""

    E: float
    nu: float
    density: float
    conductivity: float = 0.0
    specific_heat: float = 0.0
    expansion: float = 0.0

    def __post_init__(self) -> None:
        for name, good in (("E", self.E > 0.0), ("density", self.density > 0.0), ("nu", -1.0 < self.nu < 0.5)):
            if not good:
                wanted = "a number above -1 and below 0.5" if name == "nu" else "a positive number"
                raise ModelError(f"{name} of a material is {shown(getattr(self, name))}; give {wanted}")
        for name in ("conductivity", "specific_heat"):
            if not getattr(self, name) >= 0.0:
                raise ModelError(f"{name} of a material is {shown(getattr(self, name))}; give zero or a positive number")


@dataclass(frozen=True)
class Mesh:
    """Nodes and cells.  ``points`` (a, 3), length; ``cells``: name of a kind (`CELLS`, node order of meshio) -> (c, k) places in ``points``;
    ``ids`` (a,) of the nodes (default: 1, 2, ...); ``groups``: name -> places of the nodes in it."""

    points: np.ndarray
    cells: dict[str, np.ndarray]
    ids: Sequence[int] = ()
    groups: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        points = np.ascontiguousarray(self.points, float)
        if points.ndim != 2 or points.shape[1] != 3 or not np.all(np.isfinite(points)):
            raise ModelError(f"points of a mesh have the shape {points.shape}; give finite numbers (a, 3)")
        cells = {}
        for kind, table in self.cells.items():
            if kind not in CELLS:
                raise ModelError(f"cells of kind {shown(kind)} are not known; give {', '.join(CELLS)}")
            table = np.asarray(table, np.int64).reshape(-1, CELLS[kind])
            if table.size and not (0 <= table.min() and table.max() < len(points)):
                raise ModelError(f"cells of kind {kind} name nodes from {table.min()} to {table.max()}; there are 0 to {len(points) - 1}")
            cells[kind] = table
        ids = np.arange(1, len(points) + 1) if not len(self.ids) else np.asarray(self.ids, np.int64)
        if len(ids) != len(points) or len(np.unique(ids)) != len(ids):
            raise ModelError(f"{len(points)} nodes of a mesh have {len(np.unique(ids))} different ids; give each one of its own")
        for name, value in (("points", points), ("cells", cells), ("ids", ids)):
            object.__setattr__(self, name, value)
