"""Results of a mesh in absolute nodal coordinates: axis, strains, section forces, strain energy.

All follows from the coordinates that a run records (`elements.absolute`); sections at equal local coordinates of each
element, lengths those unloaded.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...elements.absolute import ABSOLUTE_ELEMENTS, NAMES
from ...model import ModelError
from .._names import Named
from .._units import to_si

if TYPE_CHECKING:
    import xarray as xr

    from ...model.absolute import AbsoluteMesh
    from ..run import Run

UNITS = {
    "axial force": "force",
    "shear force": "force",
    "shear force y": "force",
    "shear force z": "force",
    "bending moment": "torque",
    "bending moment y": "torque",
    "bending moment z": "torque",
    "torque": "torque",
    "strain": "none",
    "stretch": "none",
    "shear": "none",
}


class MeshView(Named):
    """A mesh over time: ``element`` its `model.absolute.AbsoluteMesh`.  Positions in ground; ``s``: unloaded length
    from the beginning."""

    def __init__(self, run: Run, element: AbsoluteMesh) -> None:
        self.run, self.element, self.name = run, element, element.name
        #: its kind of elements, a file of `elements.absolute`
        self.kind = ABSOLUTE_ELEMENTS[NAMES.index(element.element)]
        #: coordinates (nt, n)
        self._q = run.state(f"ABSOLUTE_MESH_{element.id}").values[:, ::2]
        #: nodes (e, NODES) and properties (e, ..) of its elements
        self.cells = np.array(element.cells).reshape(-1, self.kind.NODES)
        self.properties = element.element_parameters(self.kind.NODES)

    def __repr__(self) -> str:
        return f"<ABSOLUTE_MESH/{self.element.id} '{self.name}': {len(self.cells)} elements, {len(self.run)} times>"

    @property
    def is_cable(self) -> bool:
        """Whether it has an axis and no cross-sections."""
        return "strain" in self.kind.PROPERTIES

    def own(self, e: int) -> np.ndarray:
        """(nt, n) coordinates of element e, from zero."""
        return self._q.reshape(len(self._q), self.element.nodes, -1)[:, self.cells[e]].reshape(len(self._q), -1)

    def drawn(self, e: int) -> np.ndarray:
        """(n,) coordinates of element e as drawn."""
        return np.array(self.element.places, float).reshape(self.element.nodes, -1)[self.cells[e]].ravel()

    def resultants(self, e: int, xi: Any, own: np.ndarray | None = None) -> np.ndarray:
        """(nt, names) resultants of element e at the local coordinate xi, in the order of its kind (`kind.RESULTANTS`),
        without those of the drawing where it is unloaded as drawn; ``own``: coordinates, by default at all times."""
        own = self.own(e) if own is None else own
        out = self.kind.resultants(self.properties[e], xi, own, self.element.unit)
        if self.is_cable:  # unloaded they are straight
            return out
        return out - self.kind.resultants(self.properties[e], xi, self.drawn(e)[None], self.element.unit)

    @property
    def _lengths(self) -> np.ndarray:
        if "length" not in self.kind.PROPERTIES:
            raise ModelError(
                f"a mesh of the kind '{self.element.element}' has no axis; request its nodes, or for fields of its "
                "elements (field)"
            )
        return self.properties[:, self.kind.PROPERTIES.index("length")]

    @property
    def nodes(self) -> xr.DataArray:
        """Positions of the nodes along the axis (of plates in rows along the second family of lines), dims (time, node,
        axis), length; nodes are counted from 1."""
        order = (
            list(dict.fromkeys(self.cells.ravel().tolist()))
            if self.kind.NODES == 2
            else list(range(self.element.nodes))
        )
        places = self._q.reshape(len(self._q), self.element.nodes, -1)[:, order, :3]
        return self.run._array(
            places,
            ("node", "axis"),
            {"node": 1 + np.arange(len(order)), "axis": list("xyz")},
            "length",
            f"{self.name}.nodes",
        )

    def axis(self, points: int = 4) -> xr.DataArray:
        """Positions along the axis, so many ``points`` an element and its end, dims (time, s, axis), length."""
        x = np.linspace(0.0, 1.0, points + 1)
        out, s = [], []
        at = np.concatenate([[0.0], np.cumsum(self._lengths)])
        for e in range(len(self.cells)):
            vectors = self.own(e).reshape(len(self._q), -1, 3)
            for xi in x if e + 1 == len(self.cells) else x[:-1]:
                out.append(
                    np.einsum("i,tij->tj", self.kind.weights(self.properties[e], xi, self.element.unit)[0], vectors)
                )
                s.append(at[e] + xi * self._lengths[e])
        return self.run._array(
            np.stack(out, axis=1), ("s", "axis"), {"s": np.array(s), "axis": list("xyz")}, "length", f"{self.name}.axis"
        )

    def _sections(self, points: int) -> tuple[np.ndarray, np.ndarray]:
        """s (k,) and resultants (nt, k, names), at the middles of ``points`` equal pieces of each element."""
        x = (np.arange(points) + 0.5) / points
        at = np.concatenate([[0.0], np.cumsum(self._lengths)])
        values = [self.resultants(e, float(xi)) for e in range(len(self.cells)) for xi in x]
        return (at[:-1, None] + x * self._lengths[:, None]).ravel(), np.stack(values, axis=1)

    def _named(self, what: str) -> int:
        names = self.kind.RESULTANTS
        if what not in names:
            raise ModelError(
                f"a mesh of the kind '{self.element.element}' has no '{what}'; choose one of {', '.join(names)}"
            )
        return names.index(what)

    def field(self, what: str, u: float = 0.5, v: float = 0.5) -> xr.DataArray:
        """A resultant of a plate, per length, at the position (u, v) of each element, by default its middle: dims
        (time, element), force / length or force.  Raises `ModelError` for another keyword, and for a value that is not
        a plate."""
        if self.kind.NODES != 4:
            raise ModelError(
                f"a mesh of the kind '{self.element.element}' is not a plate; request its sections (section)"
            )
        k = self._named(what)
        values = np.stack([self.resultants(e, (float(u), float(v)))[:, k] for e in range(len(self.cells))], axis=1)
        unit = (
            {"units": self.run.model.units.symbol("force")}
            if what.startswith("moment")
            else {"units": f"{self.run.model.units.symbol('force')}/{self.run.model.units.symbol('length')}"}
        )
        return self.run._array(
            values, ("element",), {"element": 1 + np.arange(len(self.cells))}, None, f"{self.name}.{what}", unit
        )

    def section(self, what: str, points: int = 1) -> xr.DataArray:
        """A resultant of the sections along the axis, dims (time, s): of a cable "axial force", "bending moment",
        "strain" or "curvature" (a size, 1 / length), of beams forces, moments and torque of their sections
        (`kind.RESULTANTS`); at the middles of so many equal pieces (``points``) of each element.  Raises `ModelError`
        for another keyword."""
        k = self._named(what)
        s, values = self._sections(points)
        attrs = (
            {}
            if UNITS.get(what)
            else {"units": f"1/{self.run.model.units.symbol('length')}" if "curvature" in what else "none"}
        )
        return self.run._array(values[..., k], ("s",), {"s": s}, UNITS.get(what), f"{self.name}.{what}", attrs)

    @cached_property
    def strain_energy(self) -> xr.DataArray:
        """Strain energy of all its elements, dims (time), in J regardless of the units of the model."""
        e, q, count = self.element, self._q, len(self.cells)
        row = self.kind.rows(np.array([self.drawn(k) for k in range(count)]), self.properties, e.unit)
        values = np.zeros(len(q))
        remembers = hasattr(self.kind, "accept") and self.kind.remembers(row)
        for t, own in enumerate(q.reshape(len(q), e.nodes, -1)[:, self.cells].reshape(len(q), count, -1)):
            for k in range(count):
                values[t] += self.kind.energies(row, k, own[k], np.zeros_like(own[k]))[0]
                if remembers:
                    self.kind.accept(row, k, own[k])
        return self.run._array(
            to_si(self.run.model.units, "energy") * values, (), {}, None, f"{self.name}.strain_energy", {"units": "J"}
        )


def recorded(run: Any) -> list[MeshView]:
    """Views of the meshes whose coordinates the run holds."""
    held = {name.partition("[")[0] for name in run.states}
    return [
        MeshView(run, e)
        for e in run.model.table("ABSOLUTE_MESH").values()
        if e.active and f"ABSOLUTE_MESH_{e.id}" in held
    ]


def mesh(run: Run, reference: Any = None) -> MeshView:
    """Axis, forces in sections and strain energy of a mesh in absolute coordinates (a cable); the name may be omitted
    if the model has only one.

    Raises `ModelError` for an unknown name, and where the run has no coordinates of it."""
    table = run.model.table("ABSOLUTE_MESH")
    if reference is None:
        if len(table) != 1:
            raise ModelError(f"the model has {len(table)} meshes in absolute coordinates; name one of them")
        reference = next(iter(table.values()))
    return MeshView(run, run.model.find("ABSOLUTE_MESH", getattr(reference, "mesh", reference)))
