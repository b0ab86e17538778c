"""A car body of welded aluminium extrusions as finite elements: underframe, side walls with windows, roof and end
walls, on the secondary springs of two bogies.

An extrusion has two skins of thickness s = r h at the distance h.  A homogeneous plate of thickness t = sqrt(3) h and
modulus E' = 2 r E / sqrt(3) has the same stiffness in its plane (E' t = 2 E s) and in bending (E' t^3 / 12 = 2 E s (h /
2)^2), so that shells of one material stand for extrusions of any depth; the stress in a skin is E / E' times that of
the plate at the height h / 2 = t / (2 sqrt(3)) over its middle.

Stresses are taken panel by panel (one flat or curved sheet at a time, both skins): the mean over cells that meet in a
fold is not the stress of any of them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._summary import Summary
from ..flexible import FiniteElements, Material, Mesh, shell, spider
from ..model import ModelError
from ..model.values import number, whole

#: of the skins: Pa, -, kg/m^3
ALUMINIUM = Material(7.0e10, 0.33, 2700.0)
SKIN = 1.0 / 16.0  # thickness of a skin over the distance of both
WEBS = 1.5  # mass of skins and the webs between them over that of the skins
ROOT3 = math.sqrt(3.0)
#: depth of the extrusions, m, by the first word of a panel's name
DEPTH = {"floor": 0.06, "sill": 0.06, "beam": 0.06, "wall": 0.05, "roof": 0.05, "end": 0.05}


@dataclass(frozen=True)
class Panel(Summary):
    """A sheet of the body: ``name``; ``nodes`` (a,) positions in the mesh, ``normals`` (a, 3) there; ``stress``: from
    displacements (6 a, n) of these nodes and the side of a skin (1 or -1) to its stresses (a, 6, n)."""

    name: str
    nodes: np.ndarray
    normals: np.ndarray
    stress: Callable[[np.ndarray, float], np.ndarray]


@dataclass(frozen=True)
class CarBody(Summary):
    """``mesh``; ``elements``: of the free body with its spiders; ``seats``: ids of the interface nodes on the secondary
    springs (front left, front right, rear left, rear right), ``centres``: of those at the traction rods (front, rear);
    ``structure``: mass of the extrusions, kg; ``panels``."""

    mesh: Mesh
    elements: FiniteElements
    seats: tuple[int, ...]
    centres: tuple[int, ...]
    structure: float
    panels: tuple[Panel, ...]

    @property
    def interfaces(self) -> tuple[int, ...]:
        """Ids of all interface nodes."""
        return self.seats + self.centres

    @property
    def inertia_loads(self) -> np.ndarray:
        """(freedoms, 6): forces of inertia of the six rigid accelerations, for ``loads`` of `Model.make_flexible`."""
        at = self.elements.places
        centre = np.average(at, axis=0)
        return self.elements.M @ self.elements.rigid(centre)

    def skin_stress(self, shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[str, int]]]:
        """Stresses of both skins of all panels: ``shapes`` (a, 6, n) displacements of all nodes; returns stresses
        (k, 6, n) in Pa, positions (k, 3), normals (k, 3) and (panel, number of the node in the mesh) of each row.
        Nodes that a spider ties rigidly, and those next to them, are left out: a rigid tie makes a stress of its
        own."""
        tied = {n for s in self.elements.spiders for n in s.nodes}
        near = np.isin(self.mesh.ids, sorted(tied))
        for quad in self.mesh.cells["quad"]:
            if near[quad].any() and not near[quad].all():
                tied |= {int(i) for i in np.asarray(self.mesh.ids)[quad]}
        kept = ~np.isin(self.mesh.ids, sorted(tied))
        rows, places, across, names = [], [], [], []
        for panel in self.panels:
            inside = kept[panel.nodes]
            u = shapes[panel.nodes].reshape(6 * len(panel.nodes), -1)
            for side, word in ((1.0, "outer"), (-1.0, "inner")):
                rows.append(panel.stress(u, side)[inside])
                places.append(self.mesh.points[panel.nodes][inside])
                across.append(panel.normals[inside])
                names += [(f"{panel.name}, {word} skin", int(k)) for k in panel.nodes[inside]]
        return np.concatenate(rows), np.concatenate(places), np.concatenate(across), names


def _mesh(length: float, width: float, floor: float, eaves: float, rise: float, deep: float, cells: int, across: int):
    """Nodes and panels of a body whose middle on the track is the origin."""
    x = np.linspace(-0.5 * length, 0.5 * length, cells + 1)
    y = np.linspace(-0.5 * width, 0.5 * width, across + 1)
    z = np.linspace(floor + deep, eaves, 9)
    points: list[Any] = []
    number_of: dict[tuple[float, ...], int] = {}
    quads: list[list[int]] = []
    panels: dict[str, list[int]] = {}

    def node(p: tuple[float, float, float]) -> int:
        key = tuple(np.round(p, 6))
        if key not in number_of:
            number_of[key] = len(points)
            points.append(p)
        return number_of[key]

    def sheet(name: str, at: Any, m: int, n: int, hole: Any = lambda i, j: False) -> None:
        for i in range(m):
            for j in range(n):
                if not hole(i, j):
                    panels.setdefault(name, []).append(len(quads))
                    quads.append([node(at(i, j)), node(at(i + 1, j)), node(at(i + 1, j + 1)), node(at(i, j + 1))])

    sheet("floor", lambda i, j: (x[i], y[j], floor + deep), cells, across)
    for j in range(0, across + 1, 2):
        sheet(f"sill {j // 2 + 1}", lambda i, k, j=j: (x[i], y[j], floor + k * deep), cells, 1)
    for i in range(0, cells + 1, 2):
        sheet(f"beam {i // 2 + 1}", lambda j, k, i=i: (x[i], y[j], floor + k * deep), across, 1)
    window = lambda i, j: i % 3 != 0 and 2 <= j < 5 and 2 < i < cells - 3
    for j, side in ((0, "right"), (across, "left")):
        sheet(f"wall {side}", lambda i, k, j=j: (x[i], y[j], z[k]), cells, 8, window)
    arch = lambda j: eaves + rise * (1.0 - (2.0 * y[j] / width) ** 2)
    sheet("roof", lambda i, j: (x[i], y[j], arch(j)), cells, across)
    for i, end in ((0, "rear"), (cells, "front")):
        sheet(f"end {end}", lambda j, k, i=i: (x[i], y[j], z[k]), across, 8)
    table = np.array(quads)
    regions = {name: {"quad": np.array(which)} for name, which in panels.items()}
    return Mesh(np.array(points), {"quad": table}, regions=regions)


def car_body(
    mass: float = 32000.0,
    *,
    length: float = 24.0,
    width: float = 2.8,
    floor: float = 0.925,
    eaves: float = 3.3,
    rise: float = 0.5,
    deep: float = 0.2,
    pivots: float = 19.0,
    spread: float = 2.0,
    cells: int = 40,
    across: int = 8,
) -> CarBody:
    """Finite elements of a car body whose middle is at the origin on the track: x forward, y left, z up, in SI.

    ``mass``: of all; of what the extrusions do not weigh half lies evenly on the floor and half on all nodes.
    ``floor``, ``eaves``, ``rise``: heights of the underside and of the eaves over the rails, of the roof over the
    eaves; ``deep``: of the underframe; ``pivots``, ``spread``: distances of the secondary springs along
    and across, ``floor`` their height; ``cells``, ``across``: of the mesh, both even.  Raises `ModelError` for sizes
    that do not fit.

        body = hn.rail.car_body(32000.0)
        flexible = model.make_flexible(coach.body, body.elements, interfaces=body.interfaces, modes=10)
    """
    given = {"mass": mass, "length": length, "width": width, "floor": floor, "eaves": eaves, "rise": rise}
    given |= {"deep": deep, "pivots": pivots, "spread": spread}
    for word, value in given.items():
        if not number(value, word) > 0.0:
            raise ModelError(f"{word} is {value:g}; give a positive number")
    if not (pivots < length and spread < width and floor + deep < eaves):
        raise ModelError(
            f"a body of {length:g} x {width:g} m from {floor + deep:g} to {eaves:g} m does not enclose springs "
            f"{pivots:g} and {spread:g} m apart; give a longer, wider or higher one"
        )
    for word, value, least in (("cells", cells, 12), ("across", across, 4)):
        if whole(value, word) < least or value % 2:
            raise ModelError(f"{word} is {value}; give an even number from {least} on")
    mesh = _mesh(length, width, floor, eaves, rise, deep, cells, across)
    share = 2.0 * SKIN / ROOT3
    plate = Material(share * ALUMINIUM.E, ALUMINIUM.nu, share * WEBS * ALUMINIUM.density)
    thick = {name: ROOT3 * DEPTH[name.split()[0]] for name in mesh.regions}
    fe = shell(mesh, plate, thick)
    structure = float(fe.M.tocsr()[::6, ::6].sum())
    if not mass > structure:
        raise ModelError(f"mass is {mass:g} kg; its extrusions alone weigh {structure:.0f} kg: give more")
    on_floor = np.flatnonzero(np.abs(mesh.points[:, 2] - (floor + deep)) < 1e-6)
    added = np.zeros((len(mesh.points), 6))
    added[:, :3] = 0.5 * (mass - structure) / len(mesh.points)
    added[on_floor, :3] += 0.5 * (mass - structure) / len(on_floor)
    fe = dataclasses.replace(fe, M=sp.csc_matrix(fe.M + sp.diags(added.ravel())))

    def tie(at: tuple[float, float, float], count: int) -> Any:
        near = np.argsort(np.linalg.norm(mesh.points - np.array(at), axis=1), kind="stable")[:count]
        return spider([int(mesh.ids[k]) for k in near], at=at)

    half, beside = 0.5 * pivots, 0.5 * spread
    seats = [tie((sx * half, sy * beside, floor), 6) for sx in (1.0, -1.0) for sy in (1.0, -1.0)]
    centres = [tie((sx * half, 0.0, floor), 6) for sx in (1.0, -1.0)]
    fe = fe.tied(*seats, *centres)
    ids = tuple(s.id for s in fe.spiders)
    panels = tuple(_panel(mesh, plate, name, thick[name]) for name in mesh.regions)
    return CarBody(mesh, fe, ids[:4], ids[4:], structure, panels)


def _panel(mesh: Mesh, plate: Material, name: str, thickness: float) -> Panel:
    """Stresses of one sheet, by the shells of its own cells."""
    quads = mesh.cells["quad"][mesh.regions[name]["quad"]]
    nodes = np.unique(quads)
    own = Mesh(mesh.points[nodes], {"quad": np.searchsorted(nodes, quads)})
    corners = own.points[own.cells["quad"]]
    normals = np.zeros((len(nodes), 3))
    of_cells = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    np.add.at(normals, own.cells["quad"].ravel(), np.repeat(of_cells, 4, axis=0))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    middle, top = (shell(own, plate, thickness, side=side).stress for side in ("middle", "top"))
    assert middle is not None and top is not None

    def stress(u: np.ndarray, side: float) -> np.ndarray:
        flat = middle(u)
        return (ALUMINIUM.E / plate.E) * (flat + side / ROOT3 * (top(u) - flat))

    return Panel(name, nodes, normals, stress)
