"""Thermal deformation of solids: what a field of temperatures does to a free or held body, and to the modes of a
flexible part.

A rise dT over the temperature without stress strains by alpha dT I.  Its forces f = int B^T D alpha dT have no
resultant; displacements are K u = f, stresses D (B u - alpha dT I) (Boley & Weiner, Theory of Thermal Stresses (1960);
Bathe, Finite Element Procedures (1996), 4.2).  On modes phi_j of a free body of frequency w_j the generalised force is
phi_j^T f, and q_j = phi_j^T f / w_j^2 at rest.  Modes of vibration hold thermal shapes badly: static ones among the
modes make the expansion exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg as la
from scipy.sparse.csgraph import connected_components

from ..flexible.reduction import reduce
from ..flexible.solids import solid
from ..model.base import ModelError, shown
from .conduction import nodes_of
from .solve import factored

if TYPE_CHECKING:
    from ..flexible.mesh import Material, Mesh
    from ..model import Model
    from ..model.forces import MForce
    from ..model.reduced_body import ReducedBody

LOOSE = 1e-9  # stiffness of a support against a rigid motion, next to the others, below which it does not hold


class Expansion:
    """Thermal expansion of a meshed body.

    ``mesh`` of solids; ``material`` with expansion, or one a region of the mesh (`holonom.flexible.solid`);
    ``reference``: temperature at which it is without strain, a number or one a node; ``hexahedra``: of trilinear ones,
    as of `solid`.  Temperatures are arrays (a,) in the order of ``mesh.points``, such as ``T.values[-1]`` of
    `Temperatures`.

    Raises `ModelError` for materials that do not expand, for a mesh in pieces, and as `solid` does.

        shaft = hn.thermal.Expansion(mesh, steel, reference=20.0)
        u = shaft.free(T.values[-1])
    """

    def __init__(
        self, mesh: Mesh, material: Material | dict, *, reference: Any = 20.0, hexahedra: str = "incompatible"
    ) -> None:
        materials = material.values() if isinstance(material, dict) else [material]
        if not any(getattr(m, "expansion", 0.0) for m in materials):
            raise ModelError("the material has no expansion; give Material(..., expansion=...)")
        self.mesh = mesh
        self.elements = solid(mesh, material, hexahedra=hexahedra)
        #: positions in ``mesh.points`` of the nodes of the elements
        self.used = np.flatnonzero(np.isin(np.asarray(mesh.ids), self.elements.nodes))
        self.reference = self._field(reference, "reference")
        count, piece = connected_components(self.elements.K[::3, ::3], directed=False)
        if count > 1:
            sizes = np.bincount(piece)
            raise ModelError(
                f"the mesh is in {count} pieces that share no nodes ({', '.join(map(str, sizes[:5]))} nodes); expand "
                "each as a mesh of its own, or merge their nodes"
            )

    # ---- forces and displacements ------------------------------------------------------------------------------------
    def load(self, temperature: Any) -> np.ndarray:
        """(a, 3): forces of the expansion on nodes; their sum and moment are zero.  Raises `ModelError` for a field of
        another size."""
        out = np.zeros((len(self.mesh.points), 3))
        out[self.used] = self._load(temperature).reshape(-1, 3)
        return out

    def free(self, temperature: Any) -> np.ndarray:
        """(a, 3): displacements of the free body, less its rigid motion (weighted by mass: mean axes); of fields (t, a)
        over time (t, a, 3).

        Raises `ModelError` for a field of another size.
        """
        if np.ndim(temperature) == 2:
            rises = np.array([self._rise(T) for T in temperature])
            u = self._free(self.elements.expansion(rises.T, stressed=False)[0])
            out = np.zeros((len(rises), *self.mesh.points.shape))
            out[:, self.used] = u.T.reshape(len(rises), -1, 3)
            return out
        return self._all(self._free(self._load(temperature)))

    def held(self, temperature: Any, supports: dict[Any, str]) -> np.ndarray:
        """(a, 3): displacements where nodes are held: position -> components, such as ``{"x-": "xyz", "y-": "y"}``, in
        ground.

        Raises `ModelError` for supports that leave a rigid motion, and for unknown positions.
        """
        held = np.zeros((len(self.mesh.points), 3), bool)
        for where, components in supports.items():
            if not isinstance(components, str) or not components or set(components) - set("xyz"):
                raise ModelError(f"components of a support are {shown(components)}; give letters of xyz")
            for c in components:
                held[nodes_of(self.mesh, where), "xyz".index(c)] = True
        own = held[self.used].ravel()
        R = self._rigid[own]
        scale = np.abs(self._rigid).max(0)
        values = la.svdvals(R / scale) if len(R) >= 6 else np.zeros(6)
        if values[-1] <= LOOSE * max(values[0], 1e-300):
            raise ModelError(
                f"supports with {int(own.sum())} components leave a rigid motion of the body; hold it against all six, "
                "or use free()"
            )
        inner = np.flatnonzero(~own)
        u = np.zeros(len(own))
        K = self.elements.K.tocsc()
        u[inner] = factored(K[inner][:, inner]).solve(self._load(temperature)[inner])
        return self._all(u)

    def stress(self, displacement: np.ndarray, temperature: Any) -> np.ndarray:
        """(a, 6): stresses xx, yy, zz, xy, yz, zx at nodes of displacements (a, 3) under a field of temperatures, force
        / length^2.

        Raises `ModelError` for fields of other sizes.
        """
        u = np.asarray(displacement, float)
        if u.shape != self.mesh.points.shape:
            raise ModelError(f"displacements have the shape {u.shape}; give {self.mesh.points.shape}")
        out = np.zeros((len(self.mesh.points), 6))
        fixed = self.elements.expansion(self._rise(temperature))[1]
        out[self.used] = self.elements.stress(u[self.used].ravel())[:, :, 0] + fixed
        return out

    # ---- modes -------------------------------------------------------------------------------------------------------
    def reduce(
        self,
        interfaces: Sequence[Any] = (),
        modes: int = 10,
        *,
        fields: Sequence[Any] = (),
        mass_factor: float = 1.0,
        **how: Any,
    ) -> ReducedBody:
        """`holonom.flexible.reduce` of the same elements, with the thermal shapes of ``fields`` among its modes: under
        these fields, and under all sums of their rises, the displacement of the modes is that of the finite elements.
        ``interfaces``: ids of nodes, and spiders (`holonom.flexible.spider`; rigid ones hold the expansion of what they
        tie); ``mass_factor``: of the units of a model (``model.units.mass_factor``).  Raises `ModelError` as that
        does."""
        elements = replace(self.elements, M=self.elements.M * mass_factor)
        given = list(interfaces)
        spiders = [s for s in given if hasattr(s, "nodes")]
        if spiders:
            before = len(elements.markers[0])
            elements = elements.tied(*spiders)
            new = iter(elements.markers[0][before:])
            given = [int(next(new)) if hasattr(s, "nodes") else s for s in given]
        loads = np.column_stack([self._load(T) for T in fields]) if len(fields) else None
        return reduce(elements, given, modes, loads=loads, **how)

    def modal_load(self, body: ReducedBody, temperature: Any) -> np.ndarray:
        """(n,): generalised forces phi_j^T f of the expansion on modes of a body of the same mesh; on rigid motions
        they are zero.

        Raises `ModelError` for a body without the nodes of this mesh.
        """
        ids = np.asarray(self.elements.nodes)
        if not all(int(k) in body.place for k in ids) or not np.allclose(
            body.places[[body.place[int(k)] for k in ids]],
            self.elements.places,
            rtol=0.0,
            atol=1e-6 * np.ptp(self.elements.places),
        ):
            raise ModelError(
                f"the body has {len(body.nodes)} nodes that are not those of this mesh; reduce it from the same mesh "
                "(Expansion.reduce)"
            )
        shapes = body.shapes[[body.place[int(k)] for k in ids], :3]
        return np.einsum("ai,ain->n", self._load(temperature).reshape(-1, 3), shapes)

    def coordinates(self, body: ReducedBody, temperature: Any) -> np.ndarray:
        """(n,): q_j = phi_j^T f / w_j^2, at which the modes rest.  Raises `ModelError` as `modal_load`."""
        return self.modal_load(body, temperature) / body.frequency**2

    def prestrain(self, model: Model, part: Any, temperature: Any, scale: str = "1", *, name: str = "") -> MForce:
        """Apply thermal expansion to a flexible body in a model: a modal force (`Model.modal_force`) of a field of
        temperatures, times ``scale``, an expression of time.

        The part was made flexible with a body of this mesh: `reduce` with the field among its ``fields`` gives its
        expansion exactly. Several fields are additive. There is no load on the rigid-body motion. Thermal stresses do
        not change the stiffness (no thermal buckling). Units are those of the model. Raises `ModelError` for a rigid
        part, and as `modal_load`.

            shaft = hn.thermal.Expansion(mesh, steel)
            model.make_flexible(rotor, shaft.reduce(interfaces, 10, fields=[T.values[-1]]))
            shaft.prestrain(model, rotor, T.values[-1], "step(time, 0, 0, 1, 1)")
        """
        body = model.find("PART", part)
        flexibility = next((e for e in model.table("FLEXIBILITY").values() if e.part == body.id), None)
        if flexibility is None:
            raise body.error("it is rigid and does not expand; make it flexible first (model.make_flexible)")
        return model.modal_force(body, scale, load=self.modal_load(flexibility.body, temperature), name=name)

    # ---- inside ------------------------------------------------------------------------------------------------------
    def _field(self, values: Any, what: str) -> np.ndarray:
        try:
            given = np.asarray(values, float)
        except (TypeError, ValueError):
            given = np.array(np.nan)
        if given.shape not in ((), (len(self.mesh.points),)) or not np.isfinite(given).all():
            raise ModelError(
                f"{what} has the shape {given.shape}; give one finite number, or one for each of the "
                f"{len(self.mesh.points)} nodes"
            )
        return np.array(np.broadcast_to(given, len(self.mesh.points)))

    def _rise(self, temperature: Any) -> np.ndarray:
        return (self._field(temperature, "a field of temperatures") - self.reference)[self.used]

    def _load(self, temperature: Any) -> np.ndarray:
        return self.elements.expansion(self._rise(temperature), stressed=False)[0]

    def _all(self, u: np.ndarray) -> np.ndarray:
        out = np.zeros((len(self.mesh.points), 3))
        out[self.used] = u.reshape(-1, 3)
        return out

    @cached_property
    def _rigid(self) -> np.ndarray:
        return self.elements.rigid(self.elements.places.mean(0))

    @cached_property
    def _solve(self) -> tuple[np.ndarray, Any]:
        """Freedoms that are not held, and a factor; six are held, as far from each other as can be, which carry
        nothing."""
        K = self.elements.K.tocsc()
        support = la.qr((self._rigid / np.abs(self._rigid).max(0)).T, pivoting=True, mode="r")[1][:6]
        inner = np.setdiff1d(np.arange(K.shape[0]), support)
        return inner, factored(K[inner][:, inner])

    def _free(self, load: np.ndarray) -> np.ndarray:
        inner, factor = self._solve
        u = np.zeros(load.shape)
        u[inner] = factor.solve(load[inner])
        R, M = self._rigid, self.elements.M
        return u - R @ la.solve(R.T @ (M @ R), R.T @ (M @ u), assume_a="pos")
