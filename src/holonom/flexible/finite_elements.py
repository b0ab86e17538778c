"""Stiffness and mass of a free body, as `reduction.reduce` takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp

from .._summary import Summary
from ..model.base import ModelError, shown
from ..model.reduced_body import ReducedBody
from .reduction import missing_share, missing_statics, reduce
from .spiders import Spider, nearest_rigid, rigid_motions, skew


@dataclass(frozen=True)
class Sections(Summary):
    """Sections of beams: ``station`` (p,) nodes, by position; ``triad`` (p, 3, 3): their axes as columns, x along the
    beam; ``fibre`` (p, k, 2), ``law``
    (p, k, 3, 6): see `model.reduced_body.ReducedBody`; ``forces``: of displacements (6 a, n) the forces and moments (p,
    6, n) of the sections;
    ``spread``: what accelerations (6 a, n) that act on the mass between nodes, as gravity does, add to these."""

    station: np.ndarray
    triad: np.ndarray
    fibre: np.ndarray
    law: np.ndarray
    forces: Callable[[np.ndarray], np.ndarray]
    spread: Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class FiniteElements(Summary):
    """Stiffness and mass of a free body.  Nodes have six degrees of freedom each, displacement along x, y, z and
    rotation about these, or the first three.

    ``nodes`` (a,): their ids; ``places`` (a, 3), length; ``K``, ``M`` (6 a, 6 a) or (3 a, 3 a): stiffness and mass,
    consistent units (kg, N, m, or mass in force time^2 / length); ``lines`` (.., 2): pairs of nodes, by position,
    between which it is drawn; ``geometric``: of static displacements (6 a,) or (3 a,) the stiffness that their stresses
    make, or None where it is not known; ``faces`` (.., 3): triangles of the surface, by position; ``stress``: of
    displacements (6 a, k) or (3 a, k) the stresses (a, 6, k) at nodes, xx, yy, zz, xy, yz, zx, or None; ``expansion``:
    of a rise of temperature (a,) at nodes the forces (6 a,) or (3 a,) with which it pushes, and the stresses (a, 6)
    where nodes do not move (None with ``stressed=False``; several rises
    (a, k) give forces alone), or None; ``sections``: forces of the sections of beams, or None; ``spiders``: what ties
    nodes to further ones;
    ``absolute``: of straight beams (model, part) -> the part as a beam in absolute coordinates.
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
    spiders: tuple[Spider, ...] = ()
    absolute: Callable | None = None

    @property
    def freedoms(self) -> int:
        """Freedoms of a node: 6 or 3."""
        return 3 if self.K.shape[0] == 3 * len(self.nodes) else 6

    def tied(self, *spiders: Spider) -> FiniteElements:
        """With spiders, whose interface nodes `reduction.reduce` and `Model.make_flexible` know by their ids (those
        without one get the next free ones).

        Raises `ModelError` for nodes that are missing, tied rigidly twice, or too few to hold what turns.
        """
        known = {int(k) for k in self.nodes} | {s.id for s in self.spiders}
        held = {k: s.id for s in self.spiders if s.kind == "rigid" for k in s.nodes}
        free = max(known, default=0) + 1
        out = list(self.spiders)
        number = {int(k): i for i, k in enumerate(self.nodes)}
        for s in spiders:
            if not isinstance(s, Spider):
                raise ModelError(f"{shown(s)} is not a spider; give holonom.flexible.spider(nodes)")
            missing = [k for k in s.nodes if k not in number]
            if missing:
                raise ModelError(f"a spider ties node {missing[0]}, which is not among the {len(self.nodes)} nodes")
            if s.id in known:
                raise ModelError(f"a spider has the id {s.id} of another node; leave it out, or give a free one")
            at = self.places[[number[k] for k in s.nodes]]
            s = replace(s, id=s.id or free, at=tuple(float(v) for v in (at.mean(0) if s.at is None else s.at)))
            if self.freedoms == 3 or s.kind == "distributing":
                spread = np.linalg.svd(at - at.mean(0), compute_uv=False)
                if len(at) < 3 or not spread[1] > 1e-6 * spread[0]:
                    raise ModelError(
                        f"spider {s.id} ties {len(at)} nodes on a line, about which it would turn freely; give nodes "
                        "next to it"
                    )
            if s.kind == "rigid":
                twice = next((k for k in s.nodes if k in held), None)
                if twice is not None:
                    raise ModelError(
                        f"node {twice} is tied rigidly by spiders {held[twice]} and {s.id}; leave it out of one"
                    )
                held |= dict.fromkeys(s.nodes, s.id)
            known.add(s.id)
            free = max(free, s.id + 1)
            out.append(s)
        return replace(self, spiders=tuple(out))

    @property
    def markers(self) -> tuple[np.ndarray, np.ndarray]:
        """Ids and positions (.., 3) of all nodes on which markers may lie: interface nodes of spiders are the last."""
        ids = np.array([*self.nodes, *(s.id for s in self.spiders)], np.int64)
        return ids, np.vstack([self.places, *(np.array([s.at]) for s in self.spiders)])

    def reduced(
        self,
        interfaces: Sequence[int],
        modes: int,
        *,
        highest: float | None = None,
        effective: float | None = None,
        geometric: bool = True,
        mass_factor: float = 1.0,
        touching: Sequence[int] = (),
        dents: Sequence[int] = (),
        accuracy: float | None = None,
        shortest: float | None = None,
        loads: np.ndarray | None = None,
    ) -> ReducedBody:
        """`reduction.reduce`, with the mass in other units; forces on the nodes ``touching`` (ids) are exact in statics
        too.  Raises `ModelError` as that does."""
        of = self.sections
        sections = of if of is None else replace(of, spread=lambda b: mass_factor * of.spread(b))
        own = replace(self, M=self.M * mass_factor, sections=sections)
        pushed = self._pushed(touching)
        if loads is not None:
            pushed = np.asarray(loads, float) if pushed is None else np.hstack([pushed, loads])
        return reduce(
            own,
            interfaces,
            modes,
            highest=highest,
            effective=effective,
            geometric=geometric,
            loads=pushed,
            dents=dents,
            accuracy=accuracy,
            shortest=shortest,
        )

    def _pushed(self, nodes: Sequence[int]) -> np.ndarray | None:
        """(freedoms, 3 k): unit forces on nodes, None where there are no nodes."""
        if not len(nodes):
            return None
        number = {int(k): i for i, k in enumerate(self.nodes)}
        missing = [k for k in nodes if k not in number]
        if missing:
            raise ModelError(f"there is no node {missing[0]} among its {len(self.nodes)} nodes")
        out = np.zeros((self.K.shape[0], 3 * len(nodes)))
        rows = self.freedoms * np.array([number[k] for k in nodes])[:, None] + np.arange(3)
        out[rows.ravel(), np.arange(3 * len(nodes))] = 1.0
        return out

    def missing(
        self,
        body: ReducedBody,
        nodes: Sequence[int],
        holds: Mapping[int, np.ndarray] | None = None,
        weight: Sequence[float] | None = None,
        directions: np.ndarray | None = None,
    ) -> list[tuple[float, float]]:
        """`reduction.missing_statics`.  Raises `ModelError` as that does."""
        return missing_statics(self, body, nodes, holds, weight, directions)

    def load(self, nodes: Mapping[int, Sequence[float]]) -> np.ndarray:
        """(freedoms,) of forces (3,), or forces and moments (6,), on nodes by id; nodes of solids take forces.  Raises
        `ModelError` for nodes that are not there and moments on nodes without rotations."""
        number = {int(k): i for i, k in enumerate(self.nodes)}
        out = np.zeros(self.K.shape[0])
        for node, values in nodes.items():
            row = np.asarray(values, float).ravel()
            if node not in number:
                raise ModelError(f"there is no node {node} among its {len(self.nodes)} nodes")
            if self.freedoms == 3 and np.any(row[3:]):
                raise ModelError(
                    f"node {node} of a solid has no rotation, so no moment acts on it; give forces on several nodes"
                )
            first = self.freedoms * number[node]
            out[first : first + min(len(row), self.freedoms)] += row[: self.freedoms]
        return out

    @property
    def mass(self) -> float:
        """Mass, in the unit of ``M``."""
        one = np.zeros(self.K.shape[0])
        one[0 :: self.freedoms] = 1.0
        return float(one @ (self.M @ one))

    def wave_speed(self) -> tuple[float, float]:
        """Minimum and maximum estimate of the speed of elastic waves, in length and the units of K and M: the median
        over nodes of sqrt(k / m) times the distance of the nearest neighbour, k the minimum and the maximum stiffness
        of a node along any direction, m what the mass of its row adds up to.

        Of a solid both are about the speed of waves; of beams and thin shells the lesser may be that of bending.
        Raises nothing.
        """
        f, a = self.freedoms, len(self.nodes)
        K = self.K.tocoo()
        i, j, c, d = K.row // f, K.col // f, K.row % f, K.col % f
        block = np.zeros((a, 3, 3))
        own = (i == j) & (c < 3) & (d < 3)
        np.add.at(block, (i[own], c[own], d[own]), K.data[own])
        apart = i != j
        away = np.linalg.norm(self.places[i[apart]] - self.places[j[apart]], axis=1)
        nearest = np.full(a, np.inf)
        np.minimum.at(nearest, i[apart][away > 0.0], away[away > 0.0])
        one = np.zeros(self.K.shape[0])
        one[0::f] = 1.0
        mass = (self.M @ one)[0::f]
        known = np.isfinite(nearest) & (mass > 0.0)
        if not known.any():
            return 0.0, 0.0
        stiffness = np.linalg.eigvalsh(block[known])[:, [0, 2]]
        speed = np.sqrt(np.maximum(stiffness, 0.0) / mass[known, None]) * nearest[known, None]
        least, largest = np.median(speed, axis=0)
        return float(least), float(largest)

    def missing_share(self, body: ReducedBody, load: np.ndarray) -> float:
        """`reduction.missing_share`.  Raises `ModelError` as that does."""
        return missing_share(self, body, load)

    def rigid(self, about: np.ndarray) -> np.ndarray:
        """(freedoms, 6) rigid motions: translations, and rotations about a point."""
        return rigid_motions(self.places - about)[:, : self.freedoms].reshape(-1, 6)

    def motion(self, node: int) -> tuple[np.ndarray, np.ndarray]:
        """Displacement and rotation of the node with this number (by position): the degrees of freedom (k,) that they
        follow from, and how (6, k).

        Raises `ModelError` for a node of a solid with too few others around it.
        """
        if self.freedoms == 6:
            return 6 * node + np.arange(6), np.eye(6)
        around = np.unique(
            np.concatenate(
                [self.K.indices[self.K.indptr[3 * node + c] : self.K.indptr[3 * node + c + 1]] for c in range(3)]
            )
            // 3
        )
        out = nearest_rigid(self.places[around] - self.places[node])
        if out is None:
            raise ModelError(f"node {self.nodes[node]} has too few nodes around it to define its rotation")
        # its position is its own
        out[:3] = 0.0
        own = int(np.flatnonzero(around == node)[0])
        out[:3, 3 * own : 3 * own + 3] = np.eye(3)
        return (3 * around[:, None] + np.arange(3)).ravel(), out

    def rotations(self) -> sp.csr_matrix:
        """(3 a, 3 a): rotations of the nodes of a solid by displacements, as `motion` has them.

        Raises `ModelError` for nodes with too few others around them.
        """
        K = self.K.tocsc()
        a = len(self.nodes)
        one = sp.csr_matrix(
            (np.ones(len(K.indices), bool), K.indices // 3, K.indptr[::3].copy()), shape=(a, a)
        )  # copied, as it is changed
        one.sum_duplicates()
        i, j = np.repeat(np.arange(a), np.diff(one.indptr)), one.indices
        s = self.places[j] - self.places[i]
        times = np.maximum(np.bincount(i, minlength=a), 1)
        mean = np.column_stack([np.bincount(i, s[:, c], a) for c in range(3)]) / times[:, None]
        s = s - mean[i]
        J = np.zeros((a, 3, 3))
        for p in range(3):
            for q in range(p, 3):
                J[:, p, q] = J[:, q, p] = -np.bincount(i, s[:, p] * s[:, q], a)
        J[:, [0, 1, 2], [0, 1, 2]] -= np.einsum("aii->a", J)[:, None]
        size = np.linalg.eigvalsh(J)
        bad = np.flatnonzero(~(size[:, 0] > 1e-12 * size[:, 2]))
        if len(bad):
            raise ModelError(f"node {self.nodes[bad[0]]} has too few nodes around it to define its rotation")
        blocks = np.linalg.inv(J)[i] @ skew(s)
        return sp.bsr_matrix((blocks, j, one.indptr), shape=(3 * a, 3 * a)).tocsr()
