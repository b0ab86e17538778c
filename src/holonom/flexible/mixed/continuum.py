"""Bodies of finite elements that are to touch: stiffness, mass and surface, axisymmetric, in the plane and in space.

Linear elasticity.  Of bodies of revolution (r, z) with the strains u_r,r, u_r/r, u_z,z, u_r,z + u_z,r and the weight 2
pi r, and in the plane (x, y) under plane strain or plane stress, on bilinear quadrilaterals with 2 x 2 points (Bathe,
Finite Element Procedures (1996), ch. 5); shape functions, quadrature and assembly are those of scikit-fem (Gustafsson &
McBain, J. Open Source Software 5 (2020) 2369).  In space the elements are those of `flexible.solids`. Masses are lumped
by default (rows of the consistent mass summed), as contact wants them: the consistent mass makes forces of contact
ring.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..._summary import Summary
from ...model.base import ModelError, shown
from ..cells import boundary
from ..mesh import Material, Mesh
from ..solids import solid

if TYPE_CHECKING:
    from .coordinates import Coordinates

FORMS = ("axisymmetric", "plane", "space")
#: words of a plane state
STATES = ("strain", "stress")


@dataclass(frozen=True, eq=False)
class Continuum(Summary):
    """A body of finite elements with a surface.  Nodes are called by their position in ``places``, from 0.

    ``places`` (a, d), length, d = 2 (r, z or x, y) or 3; ``K``, ``M`` (d a, d a): stiffness and mass, consistent units,
    degrees of freedom node by node; ``facets``: tables
    (f, k) of the nodes of the surface, outward: edges (k = 2) or faces (k = 3, 4); ``form``: "axisymmetric", "plane" or
    "space"; ``held`` (d a,): degrees of freedom that do not move; ``linear``: whether facets are as the elements have
    them (those of quadratic cells are cut into triangles).
    """

    places: np.ndarray
    K: sp.csc_matrix
    M: sp.csc_matrix
    facets: tuple[np.ndarray, ...]
    form: str
    material: Material | None
    held: np.ndarray
    name: str = "body"
    groups: dict[str, np.ndarray] = field(default_factory=dict)
    linear: bool = True
    neighbours: sp.csr_matrix | None = None
    thickness: float = 1.0
    #: (e, 4) nodes of the quadrilaterals of a plane body or one of revolution, and its plane state
    cells: np.ndarray | None = None
    state: str = "strain"

    @property
    def dimension(self) -> int:
        """Coordinates of a place: 2 or 3."""
        return self.places.shape[1]

    @property
    def freedoms(self) -> int:
        """Coordinates of the whole body: degrees of freedom that are not held."""
        return int((~self.held).sum())

    @property
    def mass(self) -> float:
        """Mass of the body; of a plane one that of its thickness."""
        axial = np.zeros(len(self.held))
        axial[self.dimension - 1 :: self.dimension] = 1.0
        return float(axial @ (self.M @ axial))

    def __repr__(self) -> str:
        return f"<{self.form} body '{self.name}': {len(self.places)} nodes, {self.freedoms} degrees of freedom>"

    # ---- positions
    # ------------------------------------------------------------------------------------------------------
    def moved(self, by: Sequence[float]) -> Continuum:
        """The body moved by (d,), length.  Raises `ModelError` for a body of revolution that leaves its axis."""
        by = np.asarray(by, float)
        if by.shape != (self.dimension,) or not np.all(np.isfinite(by)):
            raise ModelError(f"'{self.name}' is moved by {shown(by.tolist())}; give {self.dimension} numbers")
        if self.form == "axisymmetric" and by[0] != 0.0:
            raise ModelError(
                f"'{self.name}' is a body of revolution and cannot move by {by[0]:g} across its axis; give 0 first"
            )
        return replace(self, places=self.places + by)

    def hold(self, where: Any, directions: str | None = None) -> Continuum:
        """The body with nodes that do not move: a group, nodes, or a function of the positions that returns a mask;
        ``directions``: of "r", "z" or "x", "y", "z" some
        (default: all).  Raises `ModelError` for nodes and directions that are not there."""
        nodes = self.nodes(where)
        words = {"axisymmetric": "rz", "plane": "xy", "space": "xyz"}[self.form]
        wanted = words if directions is None else directions
        if not wanted or any(w not in words for w in wanted):
            raise ModelError(f"directions of '{self.name}' are {shown(directions)}; give some of {', '.join(words)}")
        held = self.held.copy()
        for w in wanted:
            held[self.dimension * nodes + words.index(w)] = True
        return replace(self, held=held)

    def nodes(self, where: Any) -> np.ndarray:
        """Nodes of a group, of a function of the positions (a, d) that returns a mask, or nodes themselves, sorted.
        Raises `ModelError` for none of these."""
        if isinstance(where, str):
            if where not in self.groups:
                raise ModelError(
                    f"'{self.name}' has no group {shown(where)}; it has {', '.join(self.groups) or 'none'}"
                )
            return self.groups[where]
        if callable(where):
            mask = np.asarray(where(self.places))
            if mask.shape != (len(self.places),) or mask.dtype != bool:
                raise ModelError(
                    f"a function of the places of '{self.name}' returned {shown(mask)}; return {len(self.places)} "
                    "booleans"
                )
            found = np.flatnonzero(mask)
        else:
            try:
                found = np.unique(np.asarray(where, float))
                if not np.array_equal(found, found.astype(np.int64)):
                    raise ValueError
                found = found.astype(np.int64)
            except (TypeError, ValueError, OverflowError):
                raise ModelError(
                    f"nodes of '{self.name}' are {shown(where)}; give a group, places of nodes or a function"
                ) from None
            if len(found) and not (0 <= found[0] and found[-1] < len(self.places)):
                raise ModelError(
                    f"'{self.name}' has no node {found[-1] if found[0] >= 0 else found[0]}; it has 0 to "
                    f"{len(self.places) - 1}"
                )
        if not len(found):
            raise ModelError(f"no node of '{self.name}' is among those that were requested")
        return found

    # ---- the surface -------------------------------------------------------------------------------------------------
    @property
    def skin(self) -> np.ndarray:
        """Nodes of the surface, sorted."""
        return np.unique(np.concatenate([f.ravel() for f in self.facets]))

    def on_surface(self, where: Any) -> np.ndarray:
        """`nodes` that are to touch.  Raises `ModelError` as that does, and for nodes that are not on the surface."""
        own = self.nodes(where)
        inside = np.setdiff1d(own, self.skin)
        if len(inside):
            at = ", ".join(f"{x:g}" for x in self.places[inside[0]])
            raise ModelError(
                f"node {inside[0]} of '{self.name}' at ({at}) is to touch and is not on its surface; leave it out"
            )
        return own

    def region(self, surface: Any, start: int, rings: int, layers: int = 1) -> np.ndarray:
        """Nodes around a node of the surface: ``rings`` of them along the surface (1: the node alone), each with
        ``layers`` of nodes into the body (1: those of the surface).  A ring is what edges reach from the one before; a
        layer what lies under it by edges.  Raises `ModelError` for counts below one and as `on_surface`."""
        for what, count in (("rings", rings), ("layers", layers)):
            if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
                raise ModelError(f"{what} of nodes to keep are {shown(count)}; give a whole number from 1 on")
        top = self.on_surface(surface)
        if start not in top:
            raise ModelError(f"node {start} of '{self.name}' is not on the surface that is to touch")
        on = np.zeros(len(self.places), bool)
        on[top] = True
        inside = {int(start)}
        front = [int(start)]
        graph = self.neighbours
        for _ in range(rings - 1):
            front = [
                int(k)
                for n in front
                for k in graph.indices[graph.indptr[n] : graph.indptr[n + 1]]
                if on[k] and int(k) not in inside
            ]
            inside |= set(front)
        foot = np.full(len(self.places), -1)  # node of the surface above
        foot[top] = top
        now = top
        kept = sorted(inside)
        chosen = np.zeros(len(self.places), bool)
        chosen[kept] = True
        for _ in range(layers - 1):
            below = []
            for n in now:
                for k in graph.indices[graph.indptr[n] : graph.indptr[n + 1]]:
                    if foot[k] < 0:
                        foot[k] = foot[n]
                        below.append(int(k))
            now = np.array(below, np.int64)
            kept += [int(k) for k in now if chosen[foot[k]]]
        return np.array(sorted(kept), np.int64)

    # ---- coordinates -------------------------------------------------------------------------------------------------
    def rigid(self) -> np.ndarray:
        """(d a, r) rigid motions that nothing holds, about the origin: translations, then rotations."""
        x = self.places
        a, d = x.shape
        if self.form == "axisymmetric":
            R = np.zeros((2 * a, 1))
            R[1::2, 0] = 1.0
        elif d == 2:
            R = np.zeros((a, 2, 3))
            R[:, 0, 0] = R[:, 1, 1] = 1.0
            R[:, 0, 2], R[:, 1, 2] = -x[:, 1], x[:, 0]
            R = R.reshape(2 * a, 3)
        else:
            from ..spiders import rigid_motions

            R = rigid_motions(x)[:, :3].reshape(3 * a, 6)
        if not np.any(self.held):
            return R
        on = R[self.held]
        values = np.linalg.svd(on, full_matrices=True)
        scale = max(float(values[1].max(initial=0.0)), 1e-300)
        rank = int((values[1] > 1e-9 * scale).sum())
        return R @ values[2][rank:].T

    def whole(self) -> Coordinates:
        """All its degrees of freedom as coordinates: the full finite elements."""
        from .coordinates import whole

        return whole(self)

    def kept(self, nodes: Any, modes: int) -> Coordinates:
        """Mixed coordinates (`coordinates.mixed`).  Raises `ModelError` as that does."""
        from .coordinates import mixed

        return mixed(self, nodes, modes)

    def modal(self, modes: int) -> Coordinates:
        """Modes of the free body alone, its rigid motions next to them (`coordinates.modal`).  Raises `ModelError` as
        that does."""
        from .coordinates import modal

        return modal(self, modes)


def axisymmetric(mesh: Mesh, material: Material, *, mass: str = "lumped", name: str = "body") -> Continuum:
    """A body of revolution of the quadrilaterals of a mesh: x of the mesh is the radius from 0 on, y the way along the
    axis (z is not read), length.

    ``mass``: "lumped" or "consistent".  Nodes on the axis do not move across it.  Raises `ModelError` for cells inside
    out, for nodes beyond the axis, for a mesh without quadrilaterals and where scikit-fem is absent.
    """
    return _flat(mesh, material, "axisymmetric", mass, name, 1.0, "strain")


def plane(
    mesh: Mesh,
    material: Material,
    *,
    thickness: float = 1.0,
    state: str = "strain",
    mass: str = "lumped",
    name: str = "body",
) -> Continuum:
    """A plane body of the quadrilaterals of a mesh in x and y, of a ``thickness`` (length), under plane ``state``
    "strain" or "stress".

    Raises `ModelError` for cells inside out, for a mesh without quadrilaterals, for unknown keywords and where
    scikit-fem is absent.
    """
    if state not in STATES:
        raise ModelError(f"the plane state of '{name}' is {shown(state)}; give {' or '.join(STATES)}")
    if (
        isinstance(thickness, bool)
        or not isinstance(thickness, (int, float, np.number))
        or not (0.0 < thickness < np.inf)
    ):
        raise ModelError(f"the thickness of '{name}' is {shown(thickness)}; give a positive number")
    return _flat(mesh, material, "plane", mass, name, float(thickness), state)


def space(
    mesh: Mesh, material: Material, *, mass: str = "lumped", hexahedra: str = "incompatible", name: str = "body"
) -> Continuum:
    """A body in space of the tetrahedra and hexahedra of a mesh (`flexible.solid`).

    The surface of linear cells is as they have it; that of quadratic ones is cut into triangles between their nodes,
    which nodes may touch but over which nothing is integrated.  Raises `ModelError` as `flexible.solid` does.
    """
    fe = solid(mesh, material, mass=mass, hexahedra=hexahedra)
    number = np.full(len(mesh.points), -1)
    place = {int(k): i for i, k in enumerate(fe.nodes)}
    for i, k in enumerate(mesh.ids):
        number[i] = place.get(int(k), -1)
    faces = [number[f] for f in boundary(mesh.cells)]
    linear = all(f.shape[1] in (3, 4) for f in faces)
    facets = tuple(faces) if linear else (np.asarray(fe.faces),)
    groups = {}
    for k, own in mesh.groups.items():
        inside = number[own]
        if np.any(inside >= 0):
            groups[k] = np.unique(inside[inside >= 0])
    joined = _joined([number[t] for k, t in mesh.cells.items() if len(t) and np.all(number[t] >= 0)], len(fe.nodes))
    held = np.zeros(3 * len(fe.nodes), bool)
    return Continuum(
        fe.places, fe.K.tocsc(), fe.M.tocsc(), facets, "space", material, held, name, groups, linear, joined
    )


def _flat(mesh: Mesh, material: Material, form: str, mass: str, name: str, thickness: float, state: str) -> Continuum:
    if mass not in ("lumped", "consistent"):
        raise ModelError(f"mass of '{name}' is {shown(mass)}; give lumped or consistent")
    if not isinstance(mesh, Mesh) or not len(mesh.cells.get("quad", ())):
        raise ModelError(
            f"'{name}' needs a mesh of quadrilaterals (kind quad), such as holonom.flexible.mixed.grid makes"
        )
    if not isinstance(material, Material):
        raise ModelError(f"the material of '{name}' is {shown(material)}; give a holonom.flexible.Material")
    quads = mesh.cells["quad"]
    used = np.unique(quads)
    number = np.full(len(mesh.points), -1)
    number[used] = np.arange(len(used))
    x, t = mesh.points[used, :2], number[quads]
    scale = np.ptp(x, axis=0).max()
    at = x[t]
    # twice the areas of the triangles at the corners: a cell is sound where all are positive
    sides = [(at[:, (k + 1) % 4] - at[:, k], at[:, (k + 3) % 4] - at[:, k]) for k in range(4)]
    corners = np.stack([a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] for a, b in sides], axis=1)
    bad = np.flatnonzero(corners.min(1) <= 1e-12 * np.abs(corners).max(1))
    if len(bad):
        raise ModelError(
            f"quadrilateral {bad[0]} (from 0) of '{name}' is inside out or folded, as are {len(bad) - 1} more; "
            "give its nodes counterclockwise"
        )
    if form == "axisymmetric":
        beyond = np.flatnonzero(x[:, 0] < -1e-12 * scale)
        if len(beyond):
            raise ModelError(
                f"node {used[beyond[0]]} of '{name}' has the radius {x[beyond[0], 0]:g}; give radii from 0 on"
            )
        x = np.column_stack([np.where(x[:, 0] < 1e-12 * scale, 0.0, x[:, 0]), x[:, 1]])
    K, M = _assemble(x, t, material, form, thickness, state)
    if mass == "lumped":
        M = sp.diags(np.asarray(M.sum(1)).ravel()).tocsc()
    edges = np.vstack([t[:, [k, (k + 1) % 4]] for k in range(4)])
    key = np.sort(edges, axis=1)
    _, first, times = np.unique(key, axis=0, return_index=True, return_counts=True)
    outer = edges[np.sort(first[times == 1])]
    held = np.zeros(2 * len(x), bool)
    if form == "axisymmetric":
        axis = x[:, 0] == 0.0
        held[0::2] = axis
        outer = outer[~(axis[outer[:, 0]] & axis[outer[:, 1]])]
    groups = {k: np.unique(number[own][number[own] >= 0]) for k, own in mesh.groups.items() if np.any(number[own] >= 0)}
    graph = sp.coo_matrix((np.ones(len(edges)), edges.T), shape=(len(x),) * 2).tocsr()
    return Continuum(
        x, K, M, (outer,), form, material, held, name, groups, True, (graph + graph.T).tocsr(), thickness, t, state
    )


def _assemble(x, t, material: Material, form: str, thickness: float, state: str):
    try:
        from skfem import Basis, BilinearForm, ElementQuad1, ElementVector, MeshQuad
    except ImportError:
        raise ModelError(
            "finite elements of revolution and in the plane need scikit-fem; install holonom[flex]"
        ) from None
    E, nu, rho = material.E, material.nu, material.density
    mu, lam = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
    if form == "plane" and state == "stress":
        lam = 2 * mu * lam / (lam + 2 * mu)
    round_ = form == "axisymmetric"
    basis = Basis(MeshQuad(x.T.copy(), t.T.copy()), ElementVector(ElementQuad1()), intorder=3)

    def strains(u, w):
        s = [u.grad[0, 0], u.grad[1, 1], u.grad[0, 1] + u.grad[1, 0]]
        return [*s, u[0] / w.x[0]] if round_ else s

    @BilinearForm
    def stiffness(u, v, w):
        a, b = strains(u, w), strains(v, w)
        weight = 2 * np.pi * w.x[0] if round_ else thickness
        normal = [0, 1, 3] if round_ else [0, 1]
        trace = sum(a[k] for k in normal) * sum(b[k] for k in normal)
        return weight * (lam * trace + 2 * mu * sum(a[k] * b[k] for k in normal) + mu * a[2] * b[2])

    @BilinearForm
    def inertia(u, v, w):
        weight = 2 * np.pi * w.x[0] if round_ else thickness
        return weight * rho * (u[0] * v[0] + u[1] * v[1])

    order = basis.nodal_dofs.T.ravel()
    out = []
    for form_ in (stiffness, inertia):
        A = form_.assemble(basis).tocsc()[order][:, order]
        out.append((0.5 * (A + A.T)).tocsc())
    return out


def _joined(tables: list[np.ndarray], size: int) -> sp.csr_matrix:
    """Nodes that an edge of a cell joins."""
    from .. import cells

    pairs = []
    for t in tables:
        edges = {
            4: cells.TETRA_EDGES,
            10: cells.TETRA_EDGES,
            8: cells.HEXAHEDRON_EDGES,
            20: cells.HEXAHEDRON_EDGES,
            27: cells.HEXAHEDRON_EDGES,
        }.get(t.shape[1])
        if edges is None:
            continue
        first = 4 if t.shape[1] in (4, 10) else 8
        for j, (a, b) in enumerate(edges):
            if t.shape[1] == first:
                pairs.append(t[:, [a, b]])
            else:
                pairs += [t[:, [a, first + j]], t[:, [first + j, b]]]
    e = np.vstack(pairs)
    graph = sp.coo_matrix((np.ones(len(e)), e.T), shape=(size, size)).tocsr()
    return (graph + graph.T).tocsr()


Where = str | Sequence[int] | np.ndarray | Callable[[np.ndarray], np.ndarray]
