"""Meshes of solids and shells, and the materials that they are of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from .._summary import Summary
from ..model.base import ModelError, shown
from ..model.kinds import finite, is_number
from .cells import CELLS, SOLIDS, boundary, smooth_pieces
from .finite_elements import FiniteElements
from .mesh_files import read_mesh
from .solids import solid


@dataclass(frozen=True)
class Material(Summary):
    """Linear isotropic material, in consistent units: ``E`` Young's modulus, ``nu`` Poisson's ratio, ``density``; for
    heat, where requested: ``conductivity``, ``specific_heat`` (per mass), ``expansion`` (per degree)."""

    E: float
    nu: float
    density: float
    conductivity: float = 0.0
    specific_heat: float = 0.0
    expansion: float = 0.0

    def __post_init__(self) -> None:
        for name in ("E", "nu", "density", "conductivity", "specific_heat", "expansion"):
            value = getattr(self, name)
            if not is_number(value) or not finite(value):
                raise ModelError(f"{name} of a material is {shown(value)}; give a number")
        for name, good in (("E", self.E > 0.0), ("density", self.density > 0.0), ("nu", -1.0 < self.nu < 0.5)):
            if not good:
                wanted = "a number above -1 and below 0.5" if name == "nu" else "a positive number"
                raise ModelError(f"{name} of a material is {shown(getattr(self, name))}; give {wanted}")
        for name in ("conductivity", "specific_heat"):
            if not getattr(self, name) >= 0.0:
                raise ModelError(
                    f"{name} of a material is {shown(getattr(self, name))}; give zero or a positive number"
                )


@dataclass(frozen=True)
class Mesh(Summary):
    """Nodes and cells.  ``points`` (a, 3), length; ``cells``: name of a kind (`CELLS`, node order of meshio) -> (c, k)
    positions in ``points``; ``ids`` (a,) of the nodes (default: 1, 2, ...); ``groups``: name -> places of the nodes in
    it;
    ``regions``: name -> kind -> numbers of its cells, from 0.

    Raises `ModelError` for tables that do not fit each other.
    """

    points: np.ndarray
    cells: dict[str, np.ndarray]
    ids: Sequence[int] = ()
    groups: dict[str, np.ndarray] = field(default_factory=dict)
    regions: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            points = np.ascontiguousarray(self.points, float)
        except (TypeError, ValueError):
            raise ModelError(f"points of a mesh are {shown(self.points)}; give finite numbers (a, 3)") from None
        if points.ndim != 2 or points.shape[1] != 3 or not np.all(np.isfinite(points)):
            raise ModelError(f"points of a mesh have the shape {points.shape}; give finite numbers (a, 3)")
        for word in ("cells", "groups", "regions"):
            if not isinstance(getattr(self, word), dict):
                raise ModelError(f"{word} of a mesh are {shown(getattr(self, word))}; give a dictionary")
        cells = {}
        for kind, table in self.cells.items():
            if kind not in CELLS:
                raise ModelError(f"cells of kind {shown(kind)} are not known; give {', '.join(CELLS)}")
            try:
                table = np.asarray(table, np.int64).reshape(-1, CELLS[kind])
            except (TypeError, ValueError):
                raise ModelError(
                    f"cells of kind {kind} are {shown(table)}; give node indices (c, {CELLS[kind]})"
                ) from None
            if table.size and not (0 <= table.min() and table.max() < len(points)):
                raise ModelError(
                    f"cells of kind {kind} reference nodes from {table.min()} to {table.max()}; there are 0 to "
                    f"{len(points) - 1}"
                )
            cells[kind] = table
        try:
            ids = np.arange(1, len(points) + 1) if not len(self.ids) else np.asarray(self.ids, np.int64).ravel()
        except (TypeError, ValueError, OverflowError):
            raise ModelError(
                f"ids of a mesh are {shown(self.ids)}; give a whole number for each of its {len(points)} nodes"
            ) from None
        if len(ids) != len(points) or len(np.unique(ids)) != len(ids):
            raise ModelError(
                f"{len(points)} nodes of a mesh have {len(np.unique(ids))} different ids; give each one of its own"
            )
        groups = {str(name): np.unique(np.asarray(own, np.int64).ravel()) for name, own in self.groups.items()}
        for name, own in groups.items():
            if len(own) and not (0 <= own[0] and own[-1] < len(points)):
                raise ModelError(
                    f"group '{name}' has nodes from {own[0]} to {own[-1]}; there are 0 to {len(points) - 1}"
                )
        regions: dict[str, dict[str, np.ndarray]] = {}
        for name, kinds in self.regions.items():
            regions[str(name)] = {}
            for kind, own in kinds.items():
                own = np.unique(np.asarray(own, np.int64).ravel())
                count = len(cells.get(kind, ()))
                if len(own) and not (0 <= own[0] and own[-1] < count):
                    raise ModelError(f"region '{name}' has {kind} {own[0]} to {own[-1]}; there are {count}")
                regions[str(name)][kind] = own
        for name, value in (
            ("points", points),
            ("cells", cells),
            ("ids", ids),
            ("groups", groups),
            ("regions", regions),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def read(cls, path: str | Path) -> Mesh:
        """The mesh of a file: gmsh (.msh), Abaqus (.inp), Nastran (.bdf, .nas, .fem, .dat); by meshio VTK (.vtk, .vtu)
        and surfaces (.stl, .ply, .obj, .off).

        Lengths are those of the file, positions global: coordinate systems and instances are resolved.  Named sets,
        instances and physical groups, and numbers of properties of Nastran, are groups of nodes and regions of cells.
        Nodes of gmsh, Abaqus and Nastran keep their numbers where these are unique, all others count from 1.  Beams and
        points are left out, but for their nodes in groups.

        Raises `ModelError`, with the file, for what cannot be read, is too large, includes other files or has cells of
        other types (wedges, pyramids).
        """
        return cls(**read_mesh(path))

    def with_surfaces(self, angle: float = math.radians(40.0)) -> Mesh:
        """The mesh with a group of nodes "surface 1", "surface 2", ... for each piece of its surface that turns by no
        more than ``angle`` (rad) from face to face, the largest first: what a spider or a load is to hold, where a file
        names nothing.  Raises nothing."""
        faces = boundary(self.cells) or [t for k, t in self.cells.items() if k not in SOLIDS and len(t)]
        found = smooth_pieces(faces, self.points, angle)
        return replace(self, groups=self.groups | {f"surface {k + 1}": own for k, own in enumerate(found)})

    def of(self, material: Material | dict[str, Material]) -> FiniteElements:
        """Finite elements of its tetrahedra and hexahedra, of a material or of one a region (`solids.solid` states more
        and has the choices).

        Raises `ModelError` as that does.
        """
        return solid(self, material)

    def group(self, name: str) -> list[int]:
        """Ids of the nodes of a group.  Raises `ModelError` where there is none of that name."""
        if name not in self.groups:
            raise ModelError(f"the mesh has no group {shown(name)}; it has {', '.join(self.groups) or 'none'}")
        return [int(k) for k in np.asarray(self.ids)[self.groups[name]]]

    def nearest(self, at) -> int:
        """Id of the node nearest to a point (length).  Raises `ModelError` for a value that is not a point."""
        try:
            at = np.asarray(at, float)
        except (TypeError, ValueError):
            raise ModelError(f"a point is {shown(at)}; give x, y, z") from None
        if at.shape != (3,) or not np.all(np.isfinite(at)) or not len(self.points):
            raise ModelError(f"a point is {shown(at.tolist())}; give x, y, z")
        return int(np.asarray(self.ids)[int(((self.points - at) ** 2).sum(1).argmin())])
