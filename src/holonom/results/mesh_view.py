"""What a mesh in absolute nodal coordinates did during a run: its axis, strains, forces in its sections, strain energy.

All follows from the coordinates that a run records (`elements.absolute`); sections at equal local coordinates of each element, lengths those unloaded.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..elements.absolute import KINDS, NAMES
from ..model import ModelError
from ._units import to_si

if TYPE_CHECKING:
    import xarray as xr

    from ..model.absolute import AbsoluteMesh
    from .run import Run

UNITS = {"axial force": "force", "bending moment": "torque", "strain": "none", "curvature": None}
GAUSS = np.polynomial.legendre.leggauss(5)


class MeshView:
    """A mesh over time: ``element`` its `model.absolute.AbsoluteMesh`.  Places in ground; ``s``: unloaded length from the beginning."""

    def __init__(self, run: Run, element: AbsoluteMesh) -> None:
        self.run, self.element, self.name = run, element, element.name
        self._kind = KINDS[NAMES.index(element.element)]
        #: coordinates (nt, n)
        self._q = run.state(f"ABSOLUTE_MESH_{element.id}").values[:, ::2]
        self._cells = np.array(element.cells).reshape(-1, self._kind.NODES)
        self._properties = np.array(element.properties, float).reshape(len(self._cells), -1)
        self._lengths = self._properties[:, self._kind.PROPERTIES.index("length")]

    def __repr__(self) -> str:
        return f"<ABSOLUTE_MESH/{self.element.id} '{self.name}': {len(self._cells)} elements, {len(self.run)} times>"

    def _own(self, e: int) -> np.ndarray:
        """(nt, n) coordinates of element e."""
        return self._q.reshape(len(self._q), self.element.nodes, -1)[:, self._cells[e]].reshape(len(self._q), -1)

    @property
    def nodes(self) -> xr.DataArray:
        """Places of the nodes along the axis, dims (time, node, axis), length; nodes are counted from 1."""
        order = list(dict.fromkeys(self._cells.ravel().tolist()))
        places = self._q.reshape(len(self._q), self.element.nodes, -1)[:, order, :3]
        return self.run._array(
            places, ("node", "axis"), {"node": 1 + np.arange(len(order)), "axis": list("xyz")}, "length", f"{self.name}.nodes"
        )

    def axis(self, points: int = 4) -> xr.DataArray:
        """Places along the axis, so many ``points`` an element and its end, dims (time, s, axis), length."""
        x = np.linspace(0.0, 1.0, points + 1)
        out, s = [], []
        at = np.concatenate([[0.0], np.cumsum(self._lengths)])
        for e in range(len(self._cells)):
            vectors = self._own(e).reshape(len(self._q), -1, 3)
            for xi in x if e + 1 == len(self._cells) else x[:-1]:
                out.append(np.einsum("i,tij->tj", self._kind.weights(self._properties[e], xi, self.element.unit)[0], vectors))
                s.append(at[e] + xi * self._lengths[e])
        return self.run._array(np.stack(out, axis=1), ("s", "axis"), {"s": np.array(s), "axis": list("xyz")}, "length", f"{self.name}.axis")

    def _sections(self, points: int) -> tuple[np.ndarray, np.ndarray]:
        """s (k,) and resultants (nt, k, names), at the middles of ``points`` equal pieces of each element."""
        x = (np.arange(points) + 0.5) / points
        at = np.concatenate([[0.0], np.cumsum(self._lengths)])
        values = [
            self._kind.resultants(self._properties[e], float(xi), self._own(e), self.element.unit)
            for e in range(len(self._cells))
            for xi in x
        ]
        return (at[:-1, None] + x * self._lengths[:, None]).ravel(), np.stack(values, axis=1)

    def section(self, what: str, points: int = 1) -> xr.DataArray:
        """A resultant of the sections along the axis, dims (time, s): "axial force", "bending moment", "strain" or "curvature" (a size, 1 / length);
        at the middles of so many equal pieces (``points``) of each element.  Raises `ModelError` for another word."""
        names = self._kind.RESULTANTS
        if what not in names:
            raise ModelError(f"a mesh of the kind '{self.element.element}' has no '{what}' along it; choose one of {', '.join(names)}")
        s, values = self._sections(points)
        attrs = {} if UNITS.get(what) else {"units": f"1/{self.run.model.units.symbol('length')}" if what == "curvature" else "none"}
        return self.run._array(values[..., names.index(what)], ("s",), {"s": s}, UNITS.get(what), f"{self.name}.{what}", attrs)

    @cached_property
    def strain_energy(self) -> xr.DataArray:
        """Of all its elements, dims (time), in J whatever units the model has."""
        row, q = (
            self._kind.rows(
                self._q[0].reshape(self.element.nodes, -1)[self._cells].reshape(len(self._cells), -1), self._properties, self.element.unit
            ),
            self._q,
        )
        values = np.array([
            sum(self._kind.energies(row, e, own[e], np.zeros_like(own[e]))[0] for e in range(len(self._cells)))
            for own in q.reshape(len(q), self.element.nodes, -1)[:, self._cells].reshape(len(q), len(self._cells), -1)
        ])  # fmt: skip
        return self.run._array(to_si(self.run.model.units, "energy") * values, (), {}, None, f"{self.name}.strain_energy", {"units": "J"})


def recorded(run: Any) -> list[MeshView]:
    """Views of the meshes whose coordinates the run holds."""
    held = {name.partition("[")[0] for name in run.states}
    return [MeshView(run, e) for e in run.model.table("ABSOLUTE_MESH").values() if e.active and f"ABSOLUTE_MESH_{e.id}" in held]
