"""Stiffness and mass of a free body, as `reduction.reduce` takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from ..model.base import ModelError
from ..model.reduced_body import ReducedBody
from .reduction import reduce


@dataclass(frozen=True)
class Sections:
    """Sections of beams: ``station`` (p,) nodes, by place; ``triad`` (p, 3, 3): their axes as columns, x along the beam; ``fibre`` (p, k, 2), ``law``
    (p, k, 3, 6): see `model.reduced_body.ReducedBody`; ``forces``: of displacements (6 a, n) the forces and moments (p, 6, n) of the sections;
    ``spread``: what accelerations (6 a, n) that act on the mass between nodes, as gravity does, add to these."""

    station: np.ndarray
    triad: np.ndarray
    fibre: np.ndarray
    law: np.ndarray
    forces: Callable[[np.ndarray], np.ndarray]
    spread: Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class FiniteElements:
    """Stiffness and mass of a free body.  Nodes have six freedoms each, displacement along x, y, z and rotation about these, or the first three.

    ``nodes`` (a,): their ids; ``places`` (a, 3), length; ``K``, ``M`` (6 a, 6 a) or (3 a, 3 a): stiffness and mass, consistent units (kg, N, m, or mass in
    force time^2 / length); ``lines`` (.., 2): pairs of nodes, by place, between which it is drawn; ``geometric``: of static displacements (6 a,) or (3 a,)
    the stiffness that their stresses make, or None where it is not known; ``faces`` (.., 3): triangles of the surface, by place; ``stress``: of
    displacements (6 a, k) or (3 a, k) the stresses (a, 6, k) at nodes, xx, yy, zz, xy, yz, zx, or None; ``expansion``: of a rise of temperature (a,) at
    nodes the forces (6 a,) or (3 a,) with which it pushes, and the stresses (a, 6) where nodes do not move (None with ``stressed=False``; several rises
    (a, k) give forces alone), or None; ``sections``: forces of the sections of beams, or None.
    """

    nodes: Sequence[int]
    places: np.ndarray
    K: sp.csc_matrix
    M: sp.csc_matrix
    lines: np.ndarray
    geometric: Callable[[np.ndarray], sp.csc_matrix] | None = None
    faces: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    stress: Callable[[np.ndarray], np.ndarray] | None = None
    expansion: Callable[..., tuple[np.ndarray, np.ndarray | None]] | None = None
    sections: Sections | None = None

    @property
    def freedoms(self) -> int:
        """Freedoms of a node: 6 or 3."""
        return 3 if self.K.shape[0] == 3 * len(self.nodes) else 6

    def reduced(
        self, interfaces: Sequence[int], modes: int, *, highest: float | None = None, geometric: bool = True, mass_factor: float = 1.0
    ) -> ReducedBody:
        """`reduction.reduce`, with the mass in other units.  Raises `ModelError` as that does."""
        of = self.sections
        sections = of if of is None else replace(of, spread=lambda b: mass_factor * of.spread(b))
        return reduce(replace(self, M=self.M * mass_factor, sections=sections), interfaces, modes, highest=highest, geometric=geometric)

    def rigid(self, about: np.ndarray) -> np.ndarray:
        """(freedoms, 6) rigid motions: translations, and rotations about a point."""
        a = len(self.nodes)
        R = np.zeros((a, 6, 6))
        R[:, :3, :3] = R[:, 3:, 3:] = np.eye(3)
        s = self.places - about
        for k, e in enumerate(np.eye(3)):
            R[:, :3, 3 + k] = np.cross(e, s)
        return R[:, : self.freedoms].reshape(-1, 6)

    def motion(self, node: int) -> tuple[np.ndarray, np.ndarray]:
        """Displacement and rotation of the node with this number (by place): the freedoms (k,) that they follow from, and how (6, k).

        Raises `ModelError` for a node of a solid with too few others around it.
        """
        if self.freedoms == 6:
            return 6 * node + np.arange(6), np.eye(6)
        around = np.unique(
            np.concatenate([self.K.indices[self.K.indptr[3 * node + c] : self.K.indptr[3 * node + c + 1]] for c in range(3)]) // 3
        )
        s = self.places[around] - self.places[node]
        R = np.zeros((len(around), 3, 6))
        R[:, :, :3] = np.eye(3)
        for k, e in enumerate(np.eye(3)):
            R[:, :, 3 + k] = np.cross(e, s)
        size = np.linalg.norm(s, axis=1).max(initial=0.0)
        inverse, rank = la.pinv(R.reshape(-1, 6) / ([1.0] * 3 + [size or 1.0] * 3), rtol=1e-9, return_rank=True)
        if rank < 6:
            raise ModelError(f"node {self.nodes[node]} has too few nodes around it to tell its rotation")
        out = inverse / np.array([1.0] * 3 + [size] * 3)[:, None]
        # its place is its own
        out[:3] = 0.0
        own = int(np.flatnonzero(around == node)[0])
        out[:3, 3 * own : 3 * own + 3] = np.eye(3)
        return (3 * around[:, None] + np.arange(3)).ravel(), out
