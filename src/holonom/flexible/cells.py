"""Isoparametric cells of solids: shape functions and quadratures of scikit-fem on the nodes in meshio's (VTK's) order,
and their faces.

Shape functions and quadratures are those of scikit-fem (Gustafsson & McBain, J. Open Source Software 5 (2020) 2369);
nodes are matched by their positions in the reference cell, so that all nodes of a cell bend its edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .._summary import Summary
from ..model.base import ModelError

#: types of cells by the names that meshio has for them -> nodes of a cell
CELLS = {
    "tetra": 4,
    "tetra10": 10,
    "hexahedron": 8,
    "hexahedron20": 20,
    "hexahedron27": 27,
    "triangle": 3,
    "triangle6": 6,
    "quad": 4,
    "quad8": 8,
    "quad9": 9,
}
TETRA_EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
HEXAHEDRON_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
TETRA_CORNERS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
HEXAHEDRON_CORNERS = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
#: corners of the faces, outward
TETRA_FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
HEXAHEDRON_FACES = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (2, 3, 7, 6), (0, 3, 2, 1), (4, 5, 6, 7))
#: kind -> element of scikit-fem, orders of the quadratures of stiffness, mass and stress
SOLIDS = {
    "tetra": ("ElementTetP1", 1, 2, 1),
    "tetra10": ("ElementTetP2", 2, 4, 2),
    "hexahedron": ("ElementHex1", 3, 3, 3),
    "hexahedron20": ("ElementHexS2", 5, 5, 3),
    "hexahedron27": ("ElementHex2", 5, 5, 3),
}
#: triangles that faces of so many nodes (corners, then middles of edges, then their own) are drawn with
TRIANGLES = {
    3: ((0, 1, 2),),
    6: ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
    4: ((0, 1, 2), (0, 2, 3)),
    8: ((0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 6), (4, 6, 7)),
    9: ((0, 4, 8), (0, 8, 7), (4, 1, 5), (4, 5, 8), (8, 5, 2), (8, 2, 6), (7, 8, 6), (7, 6, 3)),
}
FLAT = 1e-10  # volume at a point, as a share of the largest in the cell, that counts as none
CHUNK = 4_000_000  # numbers of cells that are worked on at once


def nodes_of(kind: str) -> np.ndarray:
    """(k, 3) places of the nodes in the reference cell, in the order of meshio."""
    tetra = kind.startswith("tetra")
    corners = np.array(TETRA_CORNERS if tetra else HEXAHEDRON_CORNERS, float)
    out = [corners]
    if kind not in ("tetra", "hexahedron"):
        out.append(np.array([corners[[a, b]].mean(0) for a, b in (TETRA_EDGES if tetra else HEXAHEDRON_EDGES)]))
    if kind == "hexahedron27":
        out += [np.array([corners[list(f)].mean(0) for f in HEXAHEDRON_FACES]), np.full((1, 3), 0.5)]
    return np.vstack(out)


def faces_of(kind: str) -> np.ndarray:
    """(f, k) nodes of the faces, outward: corners, middles of edges, then that of the face."""
    tetra = kind.startswith("tetra")
    faces, edges = (TETRA_FACES, TETRA_EDGES) if tetra else (HEXAHEDRON_FACES, HEXAHEDRON_EDGES)
    first = 4 if tetra else 8
    middle = {frozenset(e): first + i for i, e in enumerate(edges)}
    out = []
    for i, f in enumerate(faces):
        nodes = list(f)
        if kind not in ("tetra", "hexahedron"):
            nodes += [middle[frozenset((f[j], f[(j + 1) % len(f)]))] for j in range(len(f))]
        if kind == "hexahedron27":
            nodes.append(20 + i)
        out.append(nodes)
    return np.array(out)


@dataclass(frozen=True)
class Rule(Summary):
    """Points of a quadrature: ``places`` (g, 3), ``weights`` (g,), ``values`` (g, k) and ``slopes`` (g, k, 3) of the
    shape functions."""

    places: np.ndarray
    weights: np.ndarray
    values: np.ndarray
    slopes: np.ndarray


def _fem():
    try:
        import skfem
        import skfem.quadrature
    except ImportError:
        raise ModelError("finite elements of solids need scikit-fem; install holonom[flex]") from None
    return skfem


@lru_cache
def rule(kind: str, order: int) -> Rule:
    """Quadrature of polynomials up to ``order`` (of hexahedra in each direction).  Raises `ModelError` where scikit-fem
    is absent."""
    fem = _fem()
    X, weights = fem.quadrature.get_quadrature(getattr(fem, SOLIDS[kind][0])().refdom, order)
    values, slopes = shapes(kind, X.T)
    return Rule(X.T, weights, values, slopes)


def shapes(kind: str, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shape functions (g, k) and their slopes (g, k, 3) at positions (g, 3) of the reference cell.  Raises `ModelError`
    where scikit-fem is absent."""
    element = getattr(_fem(), SOLIDS[kind][0])()
    own = [int(((element.doflocs - p) ** 2).sum(1).argmin()) for p in nodes_of(kind)]
    found = [element.lbasis(np.asarray(places, float).T, i) for i in own]
    zero = np.zeros(len(places))
    return np.array([f + zero for f, _ in found]).T, np.array([s + zero for _, s in found]).transpose(2, 0, 1)


def stiffness_rule(kind: str) -> Rule:
    """Quadrature of the stiffness, exact where edges are straight and faces parallel.  Raises as `rule`."""
    return rule(kind, SOLIDS[kind][1])


def mass_rule(kind: str) -> Rule:
    """Quadrature of the mass, exact the same way.  Raises as `rule`."""
    return rule(kind, SOLIDS[kind][2])


def stress_rule(kind: str) -> Rule:
    """Points at which stresses are best (Barlow's).  Raises as `rule`."""
    return rule(kind, SOLIDS[kind][3])


def gradients(at: np.ndarray, rule: Rule) -> tuple[np.ndarray, np.ndarray]:
    """Of cells with nodes at (c, k, 3): slopes of the shape functions along x, y, z (c, g, k, 3), and volumes of the
    points (c, g)."""
    J = np.einsum("gka,cki->cgia", rule.slopes, at, optimize=True)
    return np.matmul(rule.slopes, np.linalg.inv(J)), np.linalg.det(J) * rule.weights


def chunks(count: int, numbers: int) -> Iterator[slice]:
    """Slices of so many cells, each with so many numbers, that are worked on at once."""
    step = max(1, CHUNK // max(numbers, 1))
    for k in range(0, count, step):
        yield slice(k, min(k + step, count))


def check(kind: str, at: np.ndarray, ids: np.ndarray) -> None:
    """Raises `ModelError` with the first cell (c, k, 3), by its number from 0 and the ids (c, k) of its nodes, that is
    inside out or flat."""
    for own, points in (
        (stiffness_rule(kind).slopes, True),
        (mass_rule(kind).slopes, True),
        (shapes(kind, nodes_of(kind))[1], False),
    ):
        for part in chunks(len(at), 9 * len(own)):
            det = np.linalg.det(np.einsum("gka,cki->cgia", own, at[part], optimize=True))
            largest = np.abs(det).max(1)
            low = det.min(1)
            bad = np.flatnonzero((low <= FLAT * largest) if points else (low < -FLAT * largest))
            if len(bad):
                c = part.start + int(bad[0])
                what = (
                    "is inside out"
                    if det[bad[0]].max() < 0.0
                    else "has no volume"
                    if not largest[bad[0]] > 0.0
                    else "is folded over itself"
                )
                nodes = ", ".join(str(int(n)) for n in ids[c][: 8 if kind.startswith("hexa") else 4])
                raise ModelError(
                    f"{kind} {c} (from 0; corners at nodes {nodes}) {what}, as are {len(bad) - 1} more; fix the mesh "
                    "or the order of their nodes"
                    if len(bad) > 1
                    else f"{kind} {c} (from 0; corners at nodes {nodes}) {what}; fix the mesh or the order of its nodes"
                )


def check_duplicates(tables: dict[str, np.ndarray], ids: np.ndarray) -> None:
    """Raises `ModelError` for two cells between the same corners, which would count stiffness and mass twice; ``ids``
    of the nodes."""
    for family in ("tetra", "hexahedron", "triangle", "quad"):
        own = [(kind, t) for kind, t in tables.items() if kind.startswith(family) and len(t)]
        if not own:
            continue
        count = {"tetra": 4, "hexahedron": 8, "triangle": 3, "quad": 4}[family]
        corners = np.vstack([np.sort(t[:, :count], axis=1) for _, t in own])
        order = np.lexsort(corners.T)
        twice = np.flatnonzero(np.all(corners[order[1:]] == corners[order[:-1]], axis=1))
        if len(twice):
            a, b = sorted((int(order[twice[0]]), int(order[twice[0] + 1])))
            nodes = ", ".join(str(int(ids[k])) for k in corners[a])
            more = f" ({len(twice)} such pairs)" if len(twice) > 1 else ""
            raise ModelError(
                f"{family} {a} and {b} (from 0) are the same cell, between nodes {nodes}{more}; delete one of them"
            )


def boundary(cells: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Faces that belong to one cell, outward; tables (f, k) of places of nodes, one for each number of nodes of a
    face."""
    found: dict[int, list[np.ndarray]] = {}
    for kind, table in cells.items():
        if kind in SOLIDS and len(table):
            faces = table[:, faces_of(kind)]
            found.setdefault(faces.shape[2], []).append(faces.reshape(-1, faces.shape[2]))
    out = []
    for count, tables in found.items():
        faces = np.vstack(tables)
        corners = np.sort(faces[:, : 3 if count in (3, 6) else 4], axis=1)
        _, first, times = np.unique(corners, axis=0, return_index=True, return_counts=True)
        out.append(faces[np.sort(first[times == 1])])
    return out


def triangles(faces: list[np.ndarray]) -> np.ndarray:
    """(.., 3) triangles that faces are drawn with."""
    return np.vstack(
        [f[:, np.array(TRIANGLES[f.shape[1]])].reshape(-1, 3) for f in faces] or [np.zeros((0, 3), np.int64)]
    )


def edges(faces: list[np.ndarray]) -> np.ndarray:
    """(.., 2) edges of faces, each once, in two pieces where they have a node in the middle."""
    out = [np.zeros((0, 2), np.int64)]
    for f in faces:
        corners = 3 if f.shape[1] in (3, 6) else 4
        for j in range(corners):
            a, b = f[:, j], f[:, (j + 1) % corners]
            if f.shape[1] == corners:
                out.append(np.column_stack([a, b]))
            else:
                m = f[:, corners + j]
                out += [np.column_stack([a, m]), np.column_stack([m, b])]
    return np.unique(np.sort(np.vstack(out), axis=1), axis=0)


def smooth_pieces(faces: list[np.ndarray], points: np.ndarray, angle: float) -> list[np.ndarray]:
    """Nodes of pieces of a surface between edges at which it turns by more than an angle (rad), the largest piece
    first."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    flat, whole, sides, first = [], [], [], 0
    for f in faces:
        corners = 3 if f.shape[1] in (3, 6) else 4
        at = points[f[:, :corners]]
        flat.append(
            np.cross(at[:, 2] - at[:, 0], at[:, -1] - at[:, 1])
            if corners == 4
            else np.cross(at[:, 1] - at[:, 0], at[:, 2] - at[:, 0])
        )
        whole += list(f)
        for j in range(corners):
            sides.append(np.column_stack([f[:, j], f[:, (j + 1) % corners], first + np.arange(len(f))]))
        first += len(f)
    if not first:
        return []
    normal = np.vstack(flat)
    area = np.linalg.norm(normal, axis=1)
    normal /= np.where(area > 0.0, area, 1.0)[:, None]
    side = np.vstack(sides)
    key = np.sort(side[:, :2], axis=1)
    order = np.lexsort(key.T)
    same = np.all(key[order[1:]] == key[order[:-1]], axis=1)
    a, b = side[order[:-1][same], 2], side[order[1:][same], 2]
    near = np.einsum("ij,ij->i", normal[a], normal[b]) >= np.cos(angle)
    graph = coo_matrix((np.ones(int(near.sum())), (a[near], b[near])), shape=(first, first))
    count, piece = connected_components(graph, directed=False)
    size = np.bincount(piece, area, count)
    return [
        np.unique(np.concatenate([whole[k] for k in np.flatnonzero(piece == p)]))
        for p in np.argsort(-size, kind="stable")
    ]
