"""Integrals over cells of meshes and their faces: shape functions and quadrature of scikit-fem on isoparametric cells
in the node order of meshio.

One path for solids, sheets and faces: with the Jacobian J (3, d) of a cell of d dimensions and G = J^T J, the measure
is sqrt(det G) and gradients along the cell are J G^-1 dN (Zienkiewicz & Taylor, The Finite Element Method, vol. 1, ch.
5).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..flexible import cells as solids
from ..flexible.cells import CELLS
from ..model.base import ModelError

#: types of faces and sheets -> element of scikit-fem; degree to which products of their shape functions are integrated
SHEETS = {
    "triangle": ("ElementTriP1", 2),
    "triangle6": ("ElementTriP2", 4),
    "quad": ("ElementQuad1", 3),
    "quad8": ("ElementQuadS2", 5),
    "quad9": ("ElementQuad2", 5),
}
#: nodes of a face -> its kind
FACES = {3: "triangle", 6: "triangle6", 4: "quad", 8: "quad8", 9: "quad9"}
_CORNERS = {"triangle": ((0, 0), (1, 0), (0, 1)), "quad": ((0, 0), (1, 0), (1, 1), (0, 1))}
FLAT = 1e-10  # measure at a point of a cell below this share of its size^d: it has collapsed


def solid(kind: str) -> bool:
    """Whether cells of this kind are solids."""
    return kind in solids.SOLIDS


def simplex(kind: str) -> bool:
    """Whether they are tetrahedra or triangles."""
    return kind.startswith("t")


def dimensions(kind: str) -> int:
    """2 or 3."""
    return 3 if solid(kind) else 2


@lru_cache
def reference(kind: str) -> np.ndarray:
    """(k, d) places of the nodes in the reference cell, which lies between 0 and 1."""
    if solid(kind):
        return solids.nodes_of(kind)
    corners = np.array(_CORNERS[kind.rstrip("0123456789")], float)
    out = [corners]
    if CELLS[kind] > len(corners):
        out.append(0.5 * (corners + np.roll(corners, -1, axis=0)))
    if kind == "quad9":
        out.append(np.full((1, 2), 0.5))
    return np.vstack(out)


def shapes(kind: str, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shape functions (g, k) and their derivatives (g, k, d) at points (g, d) of the reference cell.  Raises
    `ModelError` where scikit-fem is absent."""
    if solid(kind):
        return solids.shapes(kind, xi)
    element = getattr(solids._fem(), SHEETS[kind][0])()
    where = [int(((element.doflocs - at) ** 2).sum(1).argmin()) for at in reference(kind)]
    pairs, zero = [element.lbasis(xi.T, k) for k in where], np.zeros(len(xi))
    return np.array([f + zero for f, _ in pairs]).T, np.array([d + zero for _, d in pairs]).transpose(2, 0, 1)


@lru_cache
def quadrature(kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points (g, d), weights (g,), shape functions (g, k) and derivatives (g, k, d).  Raises `ModelError` where
    scikit-fem is absent."""
    if solid(kind):
        rule = solids.mass_rule(kind)
        return rule.places, rule.weights, rule.values, rule.slopes
    fem = solids._fem()
    xi, weights = fem.quadrature.get_quadrature(getattr(fem, SHEETS[kind][0])().refdom, SHEETS[kind][1])
    return (xi.T, weights, *shapes(kind, xi.T))


class Integral(NamedTuple):
    """Quadrature over cells of one kind: ``nodes`` (c, k), ``N`` (g, k), ``weights`` (c, g) with the measure, ``grad``
    (c, g, k, 3), ``at`` (c, g, 3)."""

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
        return Integral(
            self.kind, self.nodes, N, weights * det, np.zeros(0), np.einsum("gk,cki->cgi", N, points[self.nodes])
        )

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
    if not simplex(kind):
        at = [(xi + s) / parts for s in steps]
    else:
        at = [(xi + s) / parts for s in steps if s.sum() < parts] + [
            (s + 1.0 - xi) / parts for s in steps if s.sum() < parts - 1
        ]
    return np.vstack(at), np.tile(weights, len(at)) / parts**2


def integral(kind: str, nodes: np.ndarray, points: np.ndarray, slopes: bool = True) -> Integral:
    """Over cells (c, k) of a kind; without ``slopes`` its ``grad``, the largest of its arrays, is empty.

    Raises `ModelError` for cells that are turned inside out or have no size.
    """
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
            f"{len(bad)} of {len(nodes)} cells of kind {kind} are invalid: cell {bad[0]} near "
            f"({', '.join(f'{v:.6g}' for v in at)}) {what}; fix the mesh"
        )
    grad = np.einsum("cgid,cgde,gke->cgki", J, np.linalg.inv(G), dN, optimize=True) if slopes else np.zeros(0)
    return Integral(kind, nodes, N, weights * det, grad, np.einsum("gk,cki->cgi", N, x))


def boundary(cells: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Faces of solids that belong to one cell alone: kind -> (f, k) nodes, seen from outside against the clock."""
    return {FACES[faces.shape[1]]: faces for faces in solids.boundary(cells)}


def scatter(size: int, nodes: np.ndarray, blocks: np.ndarray, columns: np.ndarray | None = None) -> sp.csr_matrix:
    """Blocks (c, k, l) of cells (c, k), and (c, l) where columns are others, in one matrix."""
    columns = nodes if columns is None else columns
    rows = np.broadcast_to(nodes[:, :, None], blocks.shape)
    return sp.csr_matrix(
        (blocks.ravel(), (rows.ravel(), np.broadcast_to(columns[:, None, :], blocks.shape).ravel())), shape=(size, size)
    )


def spread(size: int, nodes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(size,): values (c, k) of the nodes of cells, summed."""
    return np.bincount(nodes.ravel(), values.ravel(), size)


def nearest(kind: str, x: np.ndarray, points: np.ndarray, steps: int = 25) -> tuple[np.ndarray, np.ndarray]:
    """Of cells or faces with nodes x (p, k, 3), one for each of the points (p, 3): the position (p, d) in the reference
    cell that is nearest (Gauss and Newton, held inside), and the distance (p,)."""
    d, flat = dimensions(kind), simplex(kind)
    xi = np.full((len(points), d), 1.0 / (d + 1) if flat else 0.5)
    offset = np.zeros_like(points)
    for _ in range(steps):
        N, dN = shapes(kind, xi)
        offset = points - np.einsum("pk,pki->pi", N, x)
        J = np.einsum("pki,pkd->pid", x, dN)
        G = np.einsum("pid,pie->pde", J, J)
        move = np.linalg.solve(G + 1e-30 * np.eye(d), np.einsum("pid,pi->pd", J, offset)[..., None])[..., 0]
        moved = _inside(xi + move, flat)
        done = np.abs(moved - xi).max(initial=0.0) < 1e-13
        xi = moved
        if done:
            break
    N, _ = shapes(kind, xi)
    return xi, np.linalg.norm(points - np.einsum("pk,pki->pi", N, x), axis=1)


def _inside(xi: np.ndarray, flat: bool) -> np.ndarray:
    """The nearest position in the reference cell."""
    if not flat:
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
