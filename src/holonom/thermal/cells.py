"""Integrals over cells of meshes and their faces: shape functions and quadrature of scikit-fem on isoparametric cells in the node order of meshio.

One path for solids, sheets and faces: with the Jacobian J (3, d) of a cell of d dimensions and G = J^T J, the measure is sqrt(det G) and gradients
along the cell are J G^-1 dN (Zienkiewicz & Taylor, The Finite Element Method, vol. 1, ch. 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..flexible.mesh import CELLS
from ..model.base import ModelError

#: kind -> element of scikit-fem, dimensions, degree to which products of shape functions are integrated
ELEMENTS = {
    "tetra": ("ElementTetP1", 3, 2), "tetra10": ("ElementTetP2", 3, 4), "hexahedron": ("ElementHex1", 3, 3), "hexahedron20": ("ElementHexS2", 3, 5),
    "hexahedron27": ("ElementHex2", 3, 5), "triangle": ("ElementTriP1", 2, 2), "triangle6": ("ElementTriP2", 2, 4), "quad": ("ElementQuad1", 2, 3),
    "quad8": ("ElementQuadS2", 2, 5), "quad9": ("ElementQuad2", 2, 5),
}  # fmt: skip
_SIMPLEX = {3: ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), 2: ((0, 0), (1, 0), (0, 1))}
_CUBE = {3: ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)), 2: ((0, 0), (1, 0), (1, 1), (0, 1))}
#: pairs of corners between which the nodes of edges lie, in the order of meshio
_EDGES = {
    "tetra": ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)), "triangle": ((0, 1), (1, 2), (2, 0)), "quad": ((0, 1), (1, 2), (2, 3), (3, 0)),
    "hexahedron": ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)),
}  # fmt: skip
_CENTRES = {
    "hexahedron27": ((0, 0.5, 0.5), (1, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 1, 0.5), (0.5, 0.5, 0), (0.5, 0.5, 1), (0.5, 0.5, 0.5)), "quad9": ((0.5, 0.5),),
}  # fmt: skip
#: corners of the faces of solids, seen from outside against the clock
_FACES = {
    "tetra": ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)),
    "hexahedron": ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7)),
}
_FACE_KIND = {"tetra": "triangle", "tetra10": "triangle6", "hexahedron": "quad", "hexahedron20": "quad8", "hexahedron27": "quad9"}
FLAT = 1e-10  # measure at a point of a cell below this share of its size^d: it has collapsed


def family(kind: str) -> str:
    """The linear kind of the same shape."""
    return kind.rstrip("0123456789")


def solid(kind: str) -> bool:
    """Whether cells of this kind are solids."""
    return ELEMENTS[kind][1] == 3


@lru_cache
def reference(kind: str) -> np.ndarray:
    """(k, d) places of the nodes in the reference cell, which lies between 0 and 1."""
    base, d = family(kind), ELEMENTS[kind][1]
    corners = np.array((_SIMPLEX if base in ("tetra", "triangle") else _CUBE)[d], float)
    out = [corners]
    if CELLS[kind] > len(corners):
        out.append(np.array([corners[list(e)].mean(0) for e in _EDGES[base]]))
    if kind in _CENTRES:
        out.append(np.array(_CENTRES[kind]))
    return np.vstack(out)


def _library() -> Any:
    try:
        import skfem
    except ImportError:
        raise ModelError(
            "conduction takes its shape functions from scikit-fem, which is not installed; pip install holonom[flex]"
        ) from None
    return skfem


@lru_cache
def _element(kind: str) -> tuple[Any, tuple[int, ...]]:
    """Element of scikit-fem and, of each node of meshio, the number of its shape function."""
    element = getattr(_library(), ELEMENTS[kind][0])()
    where = [int(np.flatnonzero(np.abs(element.doflocs - at).max(1) < 1e-9)[0]) for at in reference(kind)]
    return element, tuple(where)


def shapes(kind: str, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shape functions (g, k) and their derivatives (g, k, d) at points (g, d) of the reference cell."""
    element, where = _element(kind)
    pairs = [element.lbasis(xi.T, k) for k in where]
    one = np.ones(len(xi))
    N = np.stack([p[0] * one for p in pairs], 1)
    return N, np.stack([np.array([row * one for row in p[1]]).T for p in pairs], 1)


@lru_cache
def quadrature(kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points (g, d), weights (g,), shape functions (g, k) and derivatives (g, k, d)."""
    from skfem.quadrature import get_quadrature

    element, _ = _element(kind)
    xi, weights = get_quadrature(element.refdom, ELEMENTS[kind][2])
    return (xi.T, weights, *shapes(kind, xi.T))


class Integral(NamedTuple):
    """Quadrature over cells of one kind: ``nodes`` (c, k), ``N`` (g, k), ``weights`` (c, g) with the measure, ``grad`` (c, g, k, 3), ``at`` (c, g, 3)."""

    kind: str
    nodes: np.ndarray
    N: np.ndarray
    weights: np.ndarray
    grad: np.ndarray
    at: np.ndarray

    def finer(self, points: np.ndarray, parts: int) -> Integral:
        """Of faces, with each cut into parts x parts for the quadrature alone (no gradients)."""
        xi, weights = _cut(self.kind, parts)
        N, dN = shapes(self.kind, xi)
        J = np.einsum("cki,gkd->cgid", points[self.nodes], dN, optimize=True)
        det = np.sqrt(np.maximum(np.linalg.det(np.einsum("cgid,cgie->cgde", J, J, optimize=True)), 0.0))
        return Integral(self.kind, self.nodes, N, weights * det, np.zeros(0), np.einsum("gk,cki->cgi", N, points[self.nodes]))

    @property
    def loads(self) -> np.ndarray:
        """(c, k): integrals of the shape functions."""
        return self.weights @ self.N

    def products(self, scale: np.ndarray | float = 1.0) -> np.ndarray:
        """(c, k, k): integrals of N_i N_j, times a scale (c, g) or a number."""
        return np.einsum("cg,gi,gj->cij", self.weights * scale, self.N, self.N, optimize=True)

    def gradients(self, scale: np.ndarray | float = 1.0) -> np.ndarray:
        """(c, k, k): integrals of grad N_i . grad N_j, times a scale (c, g) or a number."""
        return np.einsum("cg,cgia,cgja->cij", self.weights * scale, self.grad, self.grad, optimize=True)


@lru_cache
def _cut(kind: str, parts: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of the quadrature over a face that is cut into parts x parts."""
    xi, weights, _, _ = quadrature(kind)
    steps = np.array([(i, j) for i in range(parts) for j in range(parts)], float)
    if family(kind) == "quad":
        at = [(xi + s) / parts for s in steps]
    else:
        at = [(xi + s) / parts for s in steps if s.sum() < parts] + [(s + 1.0 - xi) / parts for s in steps if s.sum() < parts - 1]
    return np.vstack(at), np.tile(weights, len(at)) / parts**2


def integral(kind: str, nodes: np.ndarray, points: np.ndarray) -> Integral:
    """Over cells (c, k) of a kind.  Raises `ModelError` for cells that are turned inside out or have no size."""
    _, weights, N, dN = quadrature(kind)
    x = points[nodes]  # (c, k, 3)
    J = np.einsum("cki,gkd->cgid", x, dN, optimize=True)
    G = np.einsum("cgid,cgie->cgde", J, J, optimize=True)
    d = G.shape[-1]
    size = np.linalg.norm(np.ptp(x, axis=1), axis=1)[:, None]
    det = np.linalg.det(J) if d == 3 else np.sqrt(np.maximum(np.linalg.det(G), 0.0))
    bad = np.flatnonzero((det <= FLAT * size**d).any(1))
    if len(bad):
        at = x[bad[0]].mean(0)
        what = "is turned inside out" if det[bad[0]].min() < 0.0 else "has no size"
        raise ModelError(
            f"{len(bad)} of {len(nodes)} cells of kind {kind} cannot be: cell {bad[0]} near ({', '.join(f'{v:.6g}' for v in at)}) {what}; mend the mesh"
        )
    grad = np.einsum("cgid,cgde,gke->cgki", J, np.linalg.inv(G), dN, optimize=True)
    return Integral(kind, nodes, N, weights * det, grad, np.einsum("gk,cki->cgi", N, x))


def surface(kind: str, nodes: np.ndarray) -> tuple[str, np.ndarray]:
    """Kind of the faces of solids, and the nodes (c, faces, k) of each, by place."""
    inner = reference(kind)
    face = _FACE_KIND[kind]
    on = reference(face)
    linear = family(face)
    rows = []
    for corners in _FACES[family(kind)]:
        at = shapes(linear, on)[0] @ inner[list(corners)]
        rows.append([int(np.abs(inner - p).max(1).argmin()) for p in at])
    return face, nodes[:, np.array(rows)]


def boundary(cells: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Faces of solids that belong to one cell alone: kind -> (f, k) nodes, seen from outside against the clock."""
    found: dict[str, list[np.ndarray]] = {}
    for kind, nodes in cells.items():
        if solid(kind) and len(nodes):
            face, faces = surface(kind, nodes)
            found.setdefault(face, []).append(faces.reshape(-1, faces.shape[2]))
    out = {}
    # one look over all kinds with as many corners: a linear and a quadratic cell never share a face
    for face, parts in found.items():
        all_faces = np.vstack(parts)
        key = np.sort(all_faces[:, : 3 if family(face) == "triangle" else 4], axis=1)
        _, first, count = np.unique(key, axis=0, return_index=True, return_counts=True)
        out[face] = all_faces[np.sort(first[count == 1])]
    return out


def scatter(size: int, nodes: np.ndarray, blocks: np.ndarray, columns: np.ndarray | None = None) -> sp.csr_matrix:
    """Blocks (c, k, l) of cells (c, k), and (c, l) where columns are others, in one matrix."""
    columns = nodes if columns is None else columns
    rows = np.broadcast_to(nodes[:, :, None], blocks.shape)
    return sp.csr_matrix((blocks.ravel(), (rows.ravel(), np.broadcast_to(columns[:, None, :], blocks.shape).ravel())), shape=(size, size))


def spread(size: int, nodes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(size,): values (c, k) of the nodes of cells, summed."""
    return np.bincount(nodes.ravel(), values.ravel(), size)


def nearest(kind: str, x: np.ndarray, points: np.ndarray, steps: int = 25) -> tuple[np.ndarray, np.ndarray]:
    """Of cells or faces with nodes x (p, k, 3), one for each of the points (p, 3): the place (p, d) in the reference cell that is nearest (Gauss and
    Newton, held inside), and the distance (p,)."""
    d = ELEMENTS[kind][1]
    simplex = family(kind) in ("tetra", "triangle")
    xi = np.full((len(points), d), 1.0 / (d + 1) if simplex else 0.5)
    offset = np.zeros_like(points)
    for _ in range(steps):
        N, dN = shapes(kind, xi)
        offset = points - np.einsum("pk,pki->pi", N, x)
        J = np.einsum("pki,pkd->pid", x, dN)
        G = np.einsum("pid,pie->pde", J, J)
        move = np.linalg.solve(G + 1e-30 * np.eye(d), np.einsum("pid,pi->pd", J, offset)[..., None])[..., 0]
        moved = _inside(xi + move, simplex)
        done = np.abs(moved - xi).max(initial=0.0) < 1e-13
        xi = moved
        if done:
            break
    N, _ = shapes(kind, xi)
    return xi, np.linalg.norm(points - np.einsum("pk,pki->pi", N, x), axis=1)


def _inside(xi: np.ndarray, simplex: bool) -> np.ndarray:
    """The nearest place in the reference cell."""
    if not simplex:
        return np.clip(xi, 0.0, 1.0)
    xi = np.array(xi)
    over = xi.sum(1) > 1.0
    if over.any() or (xi < 0.0).any():
        # projection on the simplex: sort, find the shift (Held, Wolfe & Crowder 1974)
        clipped = np.maximum(xi, 0.0)
        far = clipped.sum(1) > 1.0
        if far.any():
            y = xi[far]
            u = -np.sort(-y, axis=1)
            mean = (np.cumsum(u, 1) - 1.0) / np.arange(1, y.shape[1] + 1)
            rho = (u > mean).sum(1) - 1
            clipped[far] = np.maximum(y - mean[np.arange(len(y)), rho][:, None], 0.0)
        xi = clipped
    return xi


def corners(kind: str, nodes: np.ndarray) -> np.ndarray:
    """Triangles (.., 3) between which faces (f, k) are drawn: quadratic ones through the nodes of their edges."""
    fans: dict[str, Sequence[tuple[int, int, int]]] = {
        "triangle": ((0, 1, 2),), "quad": ((0, 1, 2), (0, 2, 3)), "triangle6": ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
        "quad8": ((0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 6), (4, 6, 7)),
        "quad9": ((0, 4, 8), (0, 8, 7), (4, 1, 5), (4, 5, 8), (8, 5, 2), (8, 2, 6), (7, 8, 6), (7, 6, 3)),
    }  # fmt: skip
    return nodes[:, np.array(fans[kind])].reshape(-1, 3)
