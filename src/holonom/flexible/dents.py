"""Dents of a surface that no mode has: what nodes that may touch give way under forces on them, in addition to the
modes, without inertia.

Of unit forces L (size, d) inwards along the normals of d nodes the static displacements U of the free body, less what
modes X of frequencies w have of them,

    V = U - X w^-2 X^T L,      dents C = L^T V = V^T K V,      inert H = V^T M V,

both symmetric and not negative.  Under forces f(t) on the nodes the surface gives way by X q + C f - H f'' + ..: the
residual flexibility of MacNeal (Computers & Structures 1 (1971) 581-601) and the next term of its series, which here is
not taken but gives the error: at a circular frequency W a share W^2 H / C of a dent.

How many modes an ``accuracy`` requires: loads are spread over patches of the region, an eighth of its size in radius.
Of these c is the dent next to the nodes around. A partner as heavy as the body, and hard, hits such a patch with c as a
spring, W^2 = 2 b / c with the mobility b of the rigid body there (1 / mass), or in half a wave of the ``shortest``
time; modes are taken, the lowest first, until W^2 H / c is below the accuracy on all patches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.base import ModelError
from ..model.triangles import area_vectors, at_corners

if TYPE_CHECKING:
    from .finite_elements import FiniteElements

PATCHES = 12
WIDE = 0.125  # radius of a patch, of the size of the region
FACING = 0.5  # cosine of the normals of the nodes of a patch with that of its middle
MOST_NUMBERS = 2**28  # of static displacements


def normals(fe: FiniteElements, nodes: Any) -> tuple[np.ndarray, np.ndarray]:
    """Unit normals (d, 3) outwards and areas (d,) of nodes (ids) of the surface.  Raises `ModelError` for nodes that
    are not on it."""
    number = {int(k): i for i, k in enumerate(fe.nodes)}
    if not len(fe.faces):
        raise ModelError(
            "it has no triangles of its surface, and local compliance requires them; give a solid or a shell"
        )
    area = area_vectors(fe.places, fe.faces)
    out, size = (at_corners(fe.faces, v, len(fe.places)) for v in (area, np.linalg.norm(area, axis=1)))
    at = np.array([number[int(k)] for k in nodes])
    length = np.linalg.norm(out[at], axis=1)
    bad = np.flatnonzero(~(length > 1e-9 * size[at].max(initial=0.0)))
    if len(bad):
        raise ModelError(f"node {nodes[int(bad[0])]} of its region is not on the outer surface; leave it out")
    return out[at] / length[:, None], size[at]


class Dents:
    """Static displacements of unit normal forces on ``nodes`` (ids) of a body, from which `of` takes those of its
    modes."""

    def __init__(self, tied: Any, static: Callable[[np.ndarray], np.ndarray], nodes: Any) -> None:
        fe = tied.fe
        self.tied, self.nodes = tied, np.asarray(nodes, np.int64)
        number = {int(k): i for i, k in enumerate(fe.nodes)}
        if tied.K.shape[0] * len(self.nodes) > MOST_NUMBERS:
            raise ModelError(
                f"{len(self.nodes)} nodes of its region are too many for its {len(fe.nodes)} nodes; name those that "
                "may touch"
            )
        self.normal, self.area = normals(fe, self.nodes)
        self.at = np.array([number[int(k)] for k in self.nodes])
        load = np.zeros((fe.K.shape[0], len(self.nodes)))
        rows = fe.freedoms * self.at[:, None] + np.arange(3)
        load[rows, np.arange(len(self.nodes))[:, None]] = -self.normal
        self.load = tied.load(load)
        U, R = static(self.load), tied.R
        MR = tied.M @ R
        self.rigid = R.T @ MR
        self.U = U - R @ np.linalg.solve(self.rigid, MR.T @ U)

    def of(self, X: np.ndarray, frequency: np.ndarray) -> dict[str, np.ndarray]:
        """Tables of a reduced body with the modes X (size, n): `ReducedBody.dented`, .."""
        V = self.U - X @ ((X.T @ self.load) / frequency[:, None] ** 2)
        C, H = self.load.T @ V, V.T @ (self.tied.M @ V)
        return {"dented": self.nodes, "dent_normal": self.normal, "dents": 0.5 * (C + C.T), "inert": 0.5 * (H + H.T)}

    def lacking(self, X: np.ndarray, frequency: np.ndarray, shortest: float | None) -> np.ndarray:
        """(n + 1,) of a dent, the largest share that its inertia takes, with none of the modes X, the first, the first
        two, .."""
        P, around = self._patches()
        load, U = self.load @ P, self.U @ P
        local = np.einsum("ij,ij->j", load - self.load @ around, U)
        H = np.einsum("ij,ij->j", U, self.tied.M @ U)
        push = (X.T @ load) ** 2
        less = np.vstack([np.zeros(P.shape[1]), np.cumsum(push / frequency[:, None] ** 4, axis=0)])
        if shortest is None:
            b = self.tied.R.T @ load
            square = 2.0 * np.einsum("ij,ij->j", b, np.linalg.solve(self.rigid, b)) / local
        else:
            square = np.full(P.shape[1], (np.pi / shortest) ** 2)
        return (square / local * np.maximum(H - less, 0.0)).max(1)

    def _patches(self) -> tuple[np.ndarray, np.ndarray]:
        """(d, p): shares of the nodes in the loads of patches, and of the nodes around each."""
        x = self.tied.fe.places[self.at]
        size = float(np.linalg.norm(np.ptp(x, axis=0)))
        middle = [int(np.linalg.norm(x - x.mean(0), axis=1).argmin())]
        away = np.linalg.norm(x - x[middle[0]], axis=1)
        while len(middle) < min(PATCHES, len(x)):
            middle.append(int(away.argmax()))
            away = np.minimum(away, np.linalg.norm(x - x[middle[-1]], axis=1))
        inside, around = np.zeros((2, len(x), len(middle)))
        for k, i in enumerate(middle):
            r = np.linalg.norm(x - x[i], axis=1)
            same = self.normal @ self.normal[i] > FACING
            wide = max(WIDE * size, 1.001 * float(np.sort(r)[min(5, len(r)) - 1]))
            near = (r <= wide) & same
            ring = ~near & (r <= 2.0 * wide) & same
            inside[near, k] = self.area[near] / self.area[near].sum()
            if ring.any():
                around[ring, k] = self.area[ring] / self.area[ring].sum()
        return inside, around
