"""Conduction of heat in a meshed body: what enters, what leaves, and the temperatures that follow.

    rho c dT/dt = div(k grad T) + s     in the body,
    k dT/dn = q + h (T_a - T) + e sigma ((T_a - z)^4 - (T - z)^4) + g (T' - T)     on its faces,

by finite elements (Zienkiewicz & Taylor, The Finite Element Method, vol. 1; Lewis, Nithiarasu & Seetharamu,
Fundamentals of the Finite Element Method for Heat and Fluid Flow): C dT/dt = r(T, t) with C_ij = int rho c N_i N_j, and
r what conditions and conduction bring to each node.  h: film coefficient, T_a: ambient, e: emissivity, z: absolute zero
in the scale of T, g: contact conductance to the temperature T' of what is opposite.  Units are those of the mesh and
material, consistent: lengths m, powers W, temperatures K or degrees C; or mm, mW, t/mm^3, mJ/(t K), mW/(mm K).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from .._summary import Summary
from ..flexible import cells as solids
from ..flexible.mesh import Material, Mesh
from ..model.base import ModelError, close_word, shown
from . import cells
from .course import Course, course

if TYPE_CHECKING:
    from .modes import ThermalModes
    from .temperatures import Temperatures

STEFAN_BOLTZMANN = 5.670374419e-8  # W / (m^2 K^4), CODATA 2018
NEAR = 12  # faces that are tried for the nearest to a point
PARTS = 3  # in each direction, into which a face in contact is cut for the quadrature

Where = str | Sequence[int] | np.ndarray | Callable[[np.ndarray], np.ndarray] | None


@dataclass
class Condition(Summary):
    """A heat source, film, radiating face or conductance, by its name in results.  ``steady``: its ``value`` stays as
    it is.

    ``unit`` (a,): what a value of one brings to each node; ``matrix`` (a, a): what the temperatures of nodes take away
    for a coefficient of one;
    ``toward`` (a,): heat that arrives on the first side is -coefficient toward . T, of a conductance between two; of
    links it is the whole of them, the heat of node i being -coefficient toward_i (toward . T), which as a matrix would
    be full.
    """

    name: str
    kind: str
    value: Course
    steady: bool
    unit: np.ndarray
    matrix: sp.csr_matrix | None = None
    ambient: Course | None = None
    toward: np.ndarray | None = None
    faces: list[cells.Integral] = field(default_factory=list)
    zero: float = 0.0
    sigma: float = 0.0

    def coefficient(self, t: float) -> float:
        """Film, emissivity or conductance at a time.  Raises `ModelError` where it is negative."""
        out = self.value(t)
        if out < 0.0:
            word = {"convection": "film coefficient", "radiation": "emissivity"}.get(self.kind, "conductance")
            raise ModelError(
                f"the {word} of {self.kind} '{self.name}' is {out:g} at time {t:g}; give zero or a positive number"
            )
        return out


class Conduction:
    """Heat conduction in a body of one mesh (`join` combines several).

    ``mesh``: solids, or sheets (triangles and quadrilaterals) with a ``thickness``; ``material``: a `Material` with
    conductivity, or a dict from names of regions of cells, or groups of nodes, to materials (a cell belongs to a group
    with all its nodes; the key None is for all other cells);
    ``lumped``: capacity on the nodes alone, the diagonal of the consistent one scaled to the heat of each cell (Hinton,
    Rock & Zienkiewicz 1976);
    ``conductivity``: a table (n, 2) of temperatures and conductivities, linear between and constant outside, in place
    of that of the material, or a dict of tables by the names of materials.

    Positions are given as the name of a group of nodes (of `generate`: or of a region), as positions in
    ``mesh.points``, as a function of points (p, 3) that returns a mask, or None for all.  Faces are those of the
    boundary all of whose nodes lie there.  Values may be numbers, expressions in ``time``, tables (n, 2) or functions
    of time.

    Raises `ModelError` for cells without conductivity, turned inside out, or of no group.

        bar = hn.thermal.Conduction(mesh, steel)
        bar.temperature("x-", 100.0)
        bar.convection("x+", film=25.0, ambient="20 + 5*sin(time/3600)")
        T = bar.steady()
    """

    def __init__(
        self,
        mesh: Mesh,
        material: Material | dict,
        *,
        thickness: float | None = None,
        lumped: bool = False,
        conductivity: Any = None,
    ) -> None:
        if not isinstance(mesh, Mesh):
            raise ModelError(
                f"mesh is {shown(mesh)}; give a holonom.flexible.Mesh (box, cylinder, Mesh.read, holonom.thermal.join)"
            )
        self.mesh = mesh
        self.lumped = bool(lumped)
        self.size = len(mesh.points)
        self.thickness = _thickness(mesh, thickness)
        self._used = {k: n for k, n in mesh.cells.items() if len(n) and (cells.solid(k) or self.thickness)}
        if not self._used:
            raise ModelError(
                "the mesh has no solids and no thickness was given; give cells of solids, or thickness= of sheets"
            )
        self._integrals = {k: cells.integral(k, n, mesh.points, slopes=False) for k, n in self._used.items()}
        self._check_nodes()
        #: kind -> number of the material of each cell
        self.materials, self.material_of = materials_of(mesh, self._used, material)
        self._tables = self._read_tables(conductivity)
        for m, (name, one) in enumerate(self.materials):
            if not one.conductivity > 0.0 and m not in self._tables:
                raise ModelError(f"the material{_of(name)} has no conductivity; give Material(..., conductivity=...)")
        self._boundary = self._faces_of_mesh()
        self._held: list[tuple[str, np.ndarray, Course, bool]] = []
        self._conditions: list[Condition] = []
        self._constant, self._varying = self._stiffness()
        self._capacity: sp.csr_matrix | None = None

    # ---- matrices ----------------------------------------------------------------------------------------------------
    @property
    def conductivity(self) -> sp.csr_matrix:
        """(a, a): int k grad N_i . grad N_j, without what depends on temperature; power per degree."""
        return self._constant

    @property
    def capacity(self) -> sp.csr_matrix:
        """(a, a): int rho c N_i N_j, or its lumped diagonal; energy per degree.  Raises `ModelError` for a material
        without specific heat."""
        if self._capacity is None:
            for name, one in self.materials:
                if not one.specific_heat > 0.0:
                    raise ModelError(
                        f"the material{_of(name)} has no specific heat; give Material(..., specific_heat=...)"
                    )
            total = sp.csr_matrix((self.size, self.size))
            for kind, each in self._integrals.items():
                scale = np.array([one.density * one.specific_heat for _, one in self.materials])[self.material_of[kind]]
                scale = scale * (1.0 if cells.solid(kind) else self.thickness)
                blocks = each.products(scale[:, None])
                if self.lumped:
                    diagonal = np.einsum("cii->ci", blocks)
                    share = diagonal * (blocks.sum((1, 2)) / diagonal.sum(1))[:, None]
                    total += sp.diags_array(cells.spread(self.size, each.nodes, share)).tocsr()
                else:
                    total += cells.scatter(self.size, each.nodes, blocks)
            self._capacity = total.tocsr()
        return self._capacity

    @property
    def volume(self) -> np.ndarray:
        """(a,): integral of each shape function over the body, length^3; weights of a mean temperature."""
        out = np.zeros(self.size)
        for kind, each in self._integrals.items():
            out += cells.spread(self.size, each.nodes, each.loads) * (1.0 if cells.solid(kind) else self.thickness)
        return out

    # ---- conditions --------------------------------------------------------------------------------------------------
    def temperature(self, where: Where, value: Any, *, name: str = "") -> None:
        """Prescribe the temperature of nodes over time. Where conditions share nodes, the last one applies.  Raises
        `ModelError` for an unknown group."""
        nodes = self.nodes(where)
        name = self._named(name, "temperature", where)
        self._held.append((name, nodes, *course(value, f"temperature of '{name}'")))

    def flux(self, where: Where, value: Any, *, name: str = "") -> None:
        """Heat per area and time into faces.  Raises `ModelError` for a position without faces."""
        name = self._named(name, "flux", where)
        flux, steady = course(value, f"flux of '{name}'")
        self._conditions.append(Condition(name, "flux", flux, steady, self._over(self.faces(where))))

    def heat(self, where: Where, power: Any, *, name: str = "") -> None:
        """Heat per time into faces, uniformly distributed over their area.  Raises `ModelError` for a position without
        faces."""
        name = self._named(name, "heat", where)
        unit = self._over(self.faces(where))
        self._conditions.append(Condition(name, "heat", *course(power, f"power of '{name}'"), unit / unit.sum()))

    def convection(self, where: Where, film: Any, ambient: Any, *, name: str = "") -> None:
        """Faces in a fluid: film coefficient (power / (length^2 degree)) and its temperature.

        Raises `ModelError` for a position without faces and for a film that is negative.
        """
        name = self._named(name, "convection", where)
        faces = self.faces(where)
        matrix = sum(
            (cells.scatter(self.size, f.nodes, f.products()) for f in faces), sp.csr_matrix((self.size, self.size))
        )
        out = Condition(name, "convection", *course(film, f"film of '{name}'"), self._over(faces), matrix)
        out.ambient, _ = course(ambient, f"ambient of '{name}'")
        if out.steady:
            out.coefficient(0.0)
        self._conditions.append(out)

    def radiation(
        self,
        where: Where,
        emissivity: Any,
        ambient: Any,
        *,
        zero: float,
        constant: float = STEFAN_BOLTZMANN,
        name: str = "",
    ) -> None:
        """Faces that radiate to large surroundings: q = emissivity constant ((T_a - zero)^4 - (T - zero)^4).

        ``zero``: absolute zero in the scale of all temperatures here, 0 in kelvin, -273.15 in degrees Celsius;
        ``constant``: of Stefan and Boltzmann, in the units of the mesh (default SI).  Raises `ModelError` for a
        position without faces, an emissivity outside 0 to 1, and temperatures below ``zero``.
        """
        name = self._named(name, "radiation", where)
        faces = self.faces(where)
        value, same = course(emissivity, f"emissivity of '{name}'")
        out = Condition(name, "radiation", value, False, self._over(faces), faces=faces)
        out.zero, out.sigma = (
            _finite(zero, f"zero of radiation '{name}'"),
            _finite(constant, f"constant of radiation '{name}'"),
        )
        if same and not 0.0 <= value(0.0) <= 1.0:
            raise ModelError(f"the emissivity of radiation '{name}' is {value(0.0):g}; it lies between 0 and 1")
        out.ambient, same = course(ambient, f"ambient of '{name}'")
        if same and out.ambient(0.0) < out.zero:
            raise ModelError(
                f"the ambient of radiation '{name}' is {out.ambient(0.0):g}, below absolute zero, which is "
                f"{out.zero:g} in this scale; "
                "give zero=0 for kelvin, -273.15 for degrees Celsius"
            )
        self._conditions.append(out)

    def generate(self, value: Any, where: Where = None, *, name: str = "") -> None:
        """Heat per volume and time in all cells, or in those with all their nodes in a position.  Raises `ModelError`
        for a position without cells."""
        name = self._named(name, "generation", where)
        unit, count = np.zeros(self.size), 0
        for kind, mine in cells_of(self.mesh, self._used, where).items():
            part = _part(self._integrals[kind], mine)
            count += len(part.nodes)
            unit += cells.spread(self.size, part.nodes, part.loads) * (1.0 if cells.solid(kind) else self.thickness)
        if not count:
            raise ModelError(f"no cell has all its nodes in {_shown(where)}; give a region that contains cells")
        self._conditions.append(Condition(name, "generation", *course(value, f"generation of '{name}'"), unit))

    def source(self, at: Any, power: Any, *, name: str = "") -> None:
        """Heat per time at a point (3,), distributed to the nodes of its cell by the shape functions.  Raises
        `ModelError` for a point outside."""
        name = self._named(name, "source", None)
        nodes, weights = self.locate(at)
        unit = np.zeros(self.size)
        np.add.at(unit, nodes, weights)
        self._conditions.append(Condition(name, "source", *course(power, f"power of '{name}'"), unit))

    def contact(self, a: Where, b: Where, conductance: Any, *, reach: float | None = None, name: str = "") -> None:
        """Heat between faces in contact: q = conductance (T_b - T_a) per area, between each point of the finer side and
        the nearest point of the other.

        The meshes of both sides need not match: where they do not, the integral over the opposite side is a quadrature
        with a relative error of about 1e-4.
        ``conductance``: power / (length^2 degree); ``reach``: distance beyond which a point has nothing opposite
        (default: half the mean size of the faces of a).  Raises `ModelError` for positions without faces, a negative
        conductance, and faces that do not meet.
        """
        name = self._named(name, "contact", a)
        one, other = self.faces(a), self.faces(b)
        value = course(conductance, f"conductance of '{name}'")
        size = [float(np.sqrt(np.concatenate([f.weights.sum(1) for f in side]).mean())) for side in (one, other)]
        reach = 0.5 * size[0] if reach is None else _finite(reach, f"reach of contact '{name}'")
        # points lie on the finer side, and dense enough that both see an even load
        sign = 1.0
        if size[1] < size[0]:
            one, other, sign = other, one, -1.0
        matrix, toward, met, nearest_gap = sp.csr_matrix((self.size, self.size)), np.zeros(self.size), 0.0, np.inf
        for f in (f.finer(self.mesh.points, PARTS) for f in one):
            nodes, N, gap = _opposite(other, f.at.reshape(-1, 3), self.mesh.points)
            nearest_gap = min(nearest_gap, gap.min(initial=np.inf))
            weights = f.weights.ravel() * (gap <= reach)
            met += weights.sum()
            own = np.broadcast_to(f.N, (len(f.nodes), *f.N.shape)).reshape(-1, f.N.shape[1])
            both = np.hstack([np.repeat(f.nodes, len(f.N), axis=0), nodes])
            shape = np.hstack([own, -N])
            matrix = matrix + cells.scatter(
                self.size, both, weights[:, None, None] * shape[:, :, None] * shape[:, None, :]
            )
            toward += sign * cells.spread(self.size, both, weights[:, None] * shape)
        if not met:
            raise ModelError(
                f"contact '{name}': no face of {_shown(a)} is closer than {nearest_gap:.3g} to {_shown(b)}, beyond "
                f"its reach of {reach:.3g}; "
                "give other faces or reach="
            )
        matrix.eliminate_zeros()
        out = Condition(name, "contact", *value, np.zeros(self.size), matrix, toward=toward)
        if out.steady:
            out.coefficient(0.0)
        self._conditions.append(out)

    def link(self, a: Where, b: Where, conductance: Any, *, name: str = "") -> None:
        """Heat between the mean temperatures of two sets of faces, power = conductance (T_b - T_a): a bearing, a joint,
        rotating parts.

        ``conductance``: power / degree.  Raises `ModelError` for positions without faces and a negative conductance.
        """
        name = self._named(name, "link", a)
        weights = [self._over(self.faces(p)) for p in (a, b)]
        difference = weights[0] / weights[0].sum() - weights[1] / weights[1].sum()
        value = course(conductance, f"conductance of '{name}'")
        out = Condition(name, "link", *value, np.zeros(self.size), toward=difference)
        if out.steady:
            out.coefficient(0.0)
        self._conditions.append(out)

    # ---- positions
    # ------------------------------------------------------------------------------------------------------
    def nodes(self, where: Where) -> np.ndarray:
        """Places of nodes in ``mesh.points``.  Raises `ModelError` for an unknown group, numbers that are not
        positions, and for nothing."""
        return nodes_of(self.mesh, where)

    def faces(self, where: Where) -> list[cells.Integral]:
        """Faces of the boundary with all their nodes in a position; sheets are faces themselves.  Raises `ModelError`
        where there is none."""
        inside = np.isin(np.arange(self.size), self.nodes(where))
        out = []
        for kind, faces in self._boundary.items():
            keep = faces[inside[faces].all(1)]
            if len(keep):
                out.append(cells.integral(kind, keep, self.mesh.points, slopes=False))
        if not out:
            raise ModelError(
                f"{_shown(where)} has {int(inside.sum())} nodes, but no face of the boundary has all its nodes among "
                "them; give all nodes of a face"
            )
        return out

    def area(self, where: Where) -> float:
        """Of the faces in a position, length^2.  Raises `ModelError` where there is none."""
        return float(sum(f.weights.sum() for f in self.faces(where)))

    def locate(self, at: Any) -> tuple[np.ndarray, np.ndarray]:
        """Nodes (k,) of the cell that holds a point (3,), and the shape functions (k,) there.  Raises `ModelError` for
        a point outside."""
        return locate(self.mesh, self._used, at)

    # ---- what results --------------------------------------------------------------------------------------------
    def steady(self, time: float = 0.0, *, start: Any = None) -> Temperatures:
        """Temperatures that no longer change, under the conditions as they are at ``time``; by Newton's method where
        these are not linear, from ``start``
        (default: the mean of what is given).  One row: a `Temperatures`.

        Raises `ModelError` for a part whose temperature is not determined by a temperature, film or radiation
        condition, with the unbalanced heat.
        """
        from .solve import steady

        return steady(self, time, start)

    def transient(
        self,
        end: float | None = None,
        steps: int = 50,
        *,
        times: Any = None,
        start: Any = 20.0,
        method: str = "TR-BDF2",
        error: float = 1e-2,
        theta: float = 0.5,
    ) -> Temperatures:
        """Temperatures over time from ``start`` (a number, or one a node): a `Temperatures`.

        Output at ``steps`` equal steps to ``end``, or at ``times``, the first of which is the start.  ``method``:
        ``"TR-BDF2"`` (Bank et al. 1985; Hosea & Shampine 1996): second order, L-stable, its steps chosen so that the
        local error of each is below ``error`` degrees at every node; or ``"theta"``: one step an output, ``theta`` 1
        (Euler backward), 0.5 (Crank and Nicolson), without control.  Raises `ModelError` for a material without
        specific heat and bad times.
        """
        from .solve import transient

        return transient(self, end, steps, times, start, method, error, theta)

    def modes(self, count: int = 10) -> ThermalModes:
        """Thermal modes K phi = lambda C phi of the body with its films and held temperatures: `ThermalModes`, a small
        model of the same body.

        Raises `ModelError` for conditions that are not linear or whose coefficients change in time.
        """
        from .modes import modes

        return modes(self, count)

    # ---- inside ------------------------------------------------------------------------------------------------------
    def _check_nodes(self) -> None:
        used = np.zeros(self.size, bool)
        for each in self._integrals.values():
            used[each.nodes] = True
        #: nodes of no cell that counts take no part: their temperature is that of the nearest that does
        self.used = used

    def _faces_of_mesh(self) -> dict[str, np.ndarray]:
        out = cells.boundary(self._used)
        for kind, nodes in self._used.items():
            if not cells.solid(kind):
                out[kind] = np.vstack([out[kind], nodes]) if kind in out else nodes
        return out

    def _over(self, faces: list[cells.Integral]) -> np.ndarray:
        out = np.zeros(self.size)
        for f in faces:
            out += cells.spread(self.size, f.nodes, f.loads)
        return out

    def _named(self, name: str, kind: str, where: Where) -> str:
        if name and any(name == n for n in self.names):
            raise ModelError(f"there is a condition '{name}' already; give each a name of its own")
        base = name or (f"{kind} {where}" if isinstance(where, str) else kind)
        out, k = base, 1
        while out in self.names:
            k += 1
            out = f"{base} {k}"
        return out

    @property
    def names(self) -> list[str]:
        """Of all conditions, in the order in which results have them."""
        return [c.name for c in self._conditions] + [h[0] for h in self._held]

    def _read_tables(self, tables: Any) -> dict[int, np.ndarray]:
        if tables is None:
            return {}
        given = tables if isinstance(tables, dict) else {name: tables for name, _ in self.materials}
        names = [name for name, _ in self.materials]
        out = {}
        for name, table in given.items():
            if name not in names:
                raise ModelError(
                    f"conductivity is given for {_shown(name)}, which has no material; give "
                    f"{', '.join(map(_shown, names))}"
                )
            try:
                array = np.asarray(table, float)
            except (TypeError, ValueError):
                array = np.zeros(0)
            if array.ndim != 2 or array.shape[1] != 2 or not np.isfinite(array).all() or not (array[:, 1] > 0.0).all():
                raise ModelError(
                    f"the conductivity{_of(name)} is {shown(table)}; give rows of temperature and positive conductivity"
                )
            if not (np.diff(array[:, 0]) > 0.0).all():
                raise ModelError(f"temperatures in the table of conductivity{_of(name)} must rise")
            out[names.index(name)] = array
        return out

    def _stiffness(self) -> tuple[sp.csr_matrix, list[tuple[cells.Integral, np.ndarray, float]]]:
        """What is constant, and the cells with tables: integrals, table, thickness."""
        total, varying = sp.csr_matrix((self.size, self.size)), []
        k = np.array([one.conductivity for _, one in self.materials])
        for kind, each in self._integrals.items():
            number = self.material_of[kind]
            thick = 1.0 if cells.solid(kind) else self.thickness
            fixed = np.flatnonzero(~np.isin(number, list(self._tables)))
            # gradients are many: those of a chunk at a time
            for some in solids.chunks(len(fixed), 6 * each.N.size):
                part = cells.integral(kind, each.nodes[fixed[some]], self.mesh.points)
                total = total + cells.scatter(
                    self.size, part.nodes, part.gradients(thick * k[number[fixed[some]]][:, None])
                )
            for m, table in self._tables.items():
                if (number == m).any():
                    varying.append((cells.integral(kind, each.nodes[number == m], self.mesh.points), table, thick))
        return total.tocsr(), varying

    @property
    def linear(self) -> bool:
        """Whether heat depends linearly on temperatures."""
        return not self._varying and all(c.kind != "radiation" for c in self._conditions)

    def pieces(self, time: float = 0.0) -> np.ndarray:
        """(a,) number of the connected piece that each node belongs to: by cells, and by contacts and links that
        conduct at a time."""
        link = self._constant
        for part, *_ in self._varying:
            link = link + cells.scatter(
                self.size, part.nodes, np.ones((len(part.nodes), part.nodes.shape[1], part.nodes.shape[1]))
            )
        for c in self._conditions:
            if c.toward is not None and c.coefficient(time) > 0.0:
                if c.matrix is None:
                    touched = np.flatnonzero(c.toward)
                    between = sp.csr_matrix((np.ones(len(touched) - 1), (touched[:-1], touched[1:])), shape=link.shape)
                link = link + (abs(c.matrix) if c.matrix is not None else between)
        return connected_components(link, directed=False)[1]


# ---- positions and materials
# --------------------------------------------------------------------------------------------
def nodes_of(mesh: Mesh, where: Where, others: Any = ()) -> np.ndarray:
    """Places of nodes of a mesh: those of a group, numbers, a function of points, or None for all.  Raises `ModelError`
    where there is none."""
    if where is None:
        return np.arange(len(mesh.points))
    if isinstance(where, str):
        if where not in mesh.groups:
            words = [*mesh.groups, *others]
            meant = close_word(where, words)
            known = f"did you mean '{meant}'?" if meant else f"it has {', '.join(words) or 'none'}"
            raise ModelError(f"the mesh has no group '{where}'; {known}")
        out = np.unique(np.asarray(mesh.groups[where], np.int64))
    elif callable(where):
        mask = np.asarray(where(mesh.points))
        if mask.shape != (len(mesh.points),) or mask.dtype != bool:
            raise ModelError(
                f"a function of positions returned {shown(mask)}; it must return a mask with one truth value a point"
            )
        out = np.flatnonzero(mask)
    else:
        try:
            given = np.asarray(where)
            out = np.unique(given.astype(np.int64, casting="safe"))
        except (TypeError, ValueError):
            raise ModelError(
                f"a position is {shown(where)}; give a group, numbers of nodes, or a function of points"
            ) from None
    if not len(out):
        raise ModelError(f"no node lies in {_shown(where)}")
    if out[0] < 0 or out[-1] >= len(mesh.points):
        raise ModelError(
            f"{_shown(where)} has node {out[-1] if out[0] >= 0 else out[0]}; positions are 0 to {len(mesh.points) - 1}"
        )
    return out


def cells_of(mesh: Mesh, used: dict[str, np.ndarray], where: Where) -> dict[str, np.ndarray]:
    """Kind -> mask of the cells of a region, or with all their nodes in a position.  Raises `ModelError` for an unknown
    name."""
    if isinstance(where, str) and where in mesh.regions:
        own = mesh.regions[where]
        return {kind: np.isin(np.arange(len(nodes)), own.get(kind, ())) for kind, nodes in used.items()}
    inside = np.isin(np.arange(len(mesh.points)), nodes_of(mesh, where, mesh.regions))
    return {kind: inside[nodes].all(1) for kind, nodes in used.items()}


def materials_of(
    mesh: Mesh, used: dict[str, np.ndarray], material: Material | dict
) -> tuple[list[tuple[str | None, Material]], dict[str, np.ndarray]]:
    """Materials with the names of their groups, and kind of cell -> number of the material of each.  Raises
    `ModelError` for cells without one."""
    if isinstance(material, Material):
        return [(None, material)], {kind: np.zeros(len(n), np.int64) for kind, n in used.items()}
    if not isinstance(material, dict) or not material or not all(isinstance(m, Material) for m in material.values()):
        raise ModelError(f"material is {shown(material)}; give a Material, or a dict from groups to materials")
    out = list(material.items())
    number = {kind: np.full(len(n), -1) for kind, n in used.items()}
    for m, (name, _) in enumerate(out):
        if name is None:
            continue
        for kind, mine in cells_of(mesh, used, name).items():
            twice = mine & (number[kind] >= 0)
            if twice.any():
                raise ModelError(
                    f"{int(twice.sum())} cells belong to '{out[number[kind][twice][0]][0]}' and '{name}'; give each "
                    "one material"
                )
            number[kind][mine] = m
    for kind, given in number.items():
        if None in material:
            given[given < 0] = [name for name, _ in out].index(None)
        missing = np.flatnonzero(given < 0)
        if len(missing):
            at = mesh.points[used[kind][missing[0]]].mean(0)
            raise ModelError(
                f"{len(missing)} cells of kind {kind} belong to none of {', '.join(map(_shown, material))}, one near "
                f"({', '.join(f'{v:.6g}' for v in at)}); give a material for None, which is for all others"
            )
    return out, number


def join(**meshes: Mesh) -> Mesh:
    """One mesh of several, whose nodes stay apart: `Conduction.contact` and `Conduction.link` bring heat from one to
    another.

    The group ``name`` holds all nodes of ``name=mesh``; its groups and regions ``g`` become ``name.g``.  Ids are
    numbered again.  Raises `ModelError` for no mesh.

        both = hn.thermal.join(shaft=one, housing=other)
        heat.contact("shaft.seat", "housing.bore", 5000.0)
    """
    if not meshes:
        raise ModelError("join combines meshes; give at least one: join(shaft=..., housing=...)")
    points: list[np.ndarray] = []
    kinds: dict[str, list[np.ndarray]] = {}
    groups: dict[str, Any] = {}
    regions: dict[str, Any] = {}
    first = 0
    for name, mesh in meshes.items():
        points.append(mesh.points)
        before = {kind: sum(map(len, tables)) for kind, tables in kinds.items()}
        for region, own in mesh.regions.items():
            regions[f"{name}.{region}"] = {
                kind: np.asarray(n, np.int64) + before.get(kind, 0) for kind, n in own.items()
            }
        for kind, nodes in mesh.cells.items():
            kinds.setdefault(kind, []).append(nodes + first)
        groups[name] = first + np.arange(len(mesh.points))
        for group, nodes in mesh.groups.items():
            groups[f"{name}.{group}"] = first + np.asarray(nodes, np.int64)
        first += len(mesh.points)
    return Mesh(np.vstack(points), {k: np.vstack(n) for k, n in kinds.items()}, (), groups, regions)


def locate(mesh: Mesh, used: dict[str, np.ndarray], at: Any) -> tuple[np.ndarray, np.ndarray]:
    """Nodes (k,) of the cell of ``used`` that holds a point (3,), and the shape functions (k,) there.  Raises
    `ModelError` for a point outside."""
    try:
        point = np.asarray(at, float)
    except (TypeError, ValueError):
        point = np.zeros(0)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise ModelError(f"a point is {shown(at)}; give three numbers")
    best: tuple[float, np.ndarray, np.ndarray] | None = None
    for kind, nodes in used.items():
        centre = mesh.points[nodes].mean(1)
        near = np.argsort(((centre - point) ** 2).sum(1))[: 4 * NEAR]
        xi, gap = cells.nearest(kind, mesh.points[nodes[near]], np.tile(point, (len(near), 1)))
        k = int(gap.argmin())
        if best is None or gap[k] < best[0]:
            best = (float(gap[k]), nodes[near[k]], cells.shapes(kind, xi[k : k + 1])[0][0])
    assert best is not None
    size = float(np.linalg.norm(np.ptp(mesh.points[best[1]], axis=0)))
    # a curved surface lies off its cells by a share of their size
    if best[0] > 0.1 * size:
        raise ModelError(
            f"the point ({', '.join(f'{v:.6g}' for v in point)}) lies {best[0]:.3g} outside of the mesh; give one "
            "inside"
        )
    return best[1], best[2]


def _opposite(
    faces: list[cells.Integral], points: np.ndarray, nodes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each point (p, 3) the nearest point of the faces: nodes (p, k), shape functions (p, k), distance (p,); k is
    that of the largest face."""
    most = max(f.nodes.shape[1] for f in faces)
    out = np.zeros((len(points), most), np.int64)
    N = np.zeros((len(points), most))
    gap = np.full(len(points), np.inf)
    for f in faces:
        centre = f.at.mean(1)
        count = min(NEAR, len(centre))
        near = cKDTree(centre).query(points, count)[1].reshape(len(points), count)
        k = f.nodes.shape[1]
        for column in near.T:
            xi, distance = cells.nearest(f.kind, nodes[f.nodes[column]], points)
            better = distance < gap * (1.0 - 1e-12)
            gap[better] = distance[better]
            out[better] = 0
            N[better] = 0.0
            out[better, :k] = f.nodes[column[better]]
            N[better, :k] = cells.shapes(f.kind, xi[better])[0]
    return out, N, gap


def _part(each: cells.Integral, keep: np.ndarray) -> cells.Integral:
    return each._replace(nodes=each.nodes[keep], weights=each.weights[keep], at=each.at[keep])


def _thickness(mesh: Mesh, thickness: float | None) -> float:
    if thickness is None:
        return 0.0
    value = _finite(thickness, "thickness")
    if not value > 0.0:
        raise ModelError(f"thickness is {shown(thickness)}; give a positive number")
    return value


def _finite(value: Any, what: str) -> float:
    try:
        out = float(value)
    except (TypeError, ValueError):
        out = np.nan
    if not np.isfinite(out):
        raise ModelError(f"{what} is {shown(value)}; give a number")
    return out


def _of(name: Any) -> str:
    return "" if name is None else f" of '{name}'"


def _shown(where: Any) -> str:
    return (
        f"group '{where}'"
        if isinstance(where, str)
        else "the whole body"
        if where is None
        else "the position that was given"
    )
