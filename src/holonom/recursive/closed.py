"""Dynamics of a model whose joints close loops, over their spanning tree:

    H v' + h(q, v, t) = tau + G^T lam,    G v' = gamma,

with H, h of the tree and the rows G of loops, couplers and motions.  With H = L L^T the rows  G L^-T = U s V  (lengths
of rows divided out) have a rank, and rows that repeat others do no harm:

    v' = v'_tree + L^-T V^T s^-1 U^T (gamma - G v'_tree),    P = L^-T (1 - V^T V) L^-1,

v'_tree of the tree alone.  P, the inverse of H on the motions that the rows leave, is d v'/d tau.  Derivatives with
respect to coordinates and rates are those of both equations (`row_gradients`):

    dv' = -P (d tau_id - d(G^T lam)) - L^-T V^T s^-1 U^T d phi''.

They equal those of loop-closure articulated-body algorithms (Sathya and Carpentier, RSS 2024) and of constrained
dynamics (Carpentier, Budhiraja, Mansard, RSS 2021), whose results are unique.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..elements.bodies import layout
from ..elements.bodies.mass import uncoupled
from ..elements.joints.rows import DOT2, POINT, SUM
from ..model import Model, ModelError
from .entry import CHANGES, ROWS
from .forces import JointForces, motion_cross
from .row_gradients import rows_have_derivatives
from .tree import named

RANK = 1e-8  # a row nearer than this to the others is redundant
NOTHING = 1e-8  # a row this much shorter over the tree than on free bodies never acts
OPEN = 1e-6  # of the extent, of a radian, of the speeds: what rows may be open
CLOSED, TRIALS = 1e-13, 40


@dataclass(frozen=True)
class Closure:
    """Rows over the tree at one position: ``half`` (nv, nv) L^-T, ``size`` (k,) lengths of the rows, infinite where a
    row never acts, and U (k, r), s (r,), V (r, nv) of the rank r."""

    half: np.ndarray
    size: np.ndarray
    U: np.ndarray
    s: np.ndarray
    V: np.ndarray

    def reach(self, right: np.ndarray) -> np.ndarray:
        """L^T a of the smallest accelerations a in the metric of masses that give the rows the values (k, ...)."""
        return self.V.T @ ((self.U.T @ (right.T / self.size).T).T / self.s).T

    def multipliers(self, way: np.ndarray) -> np.ndarray:
        """lam (k,) of accelerations that `reach` has found."""
        return self.U @ (self.V @ way / self.s) / self.size

    @property
    def mobility(self) -> np.ndarray:
        """P (nv, nv)."""
        half = self.half
        through = self.V @ half.T
        return half @ half.T - through.T @ through

    @property
    def basis(self) -> np.ndarray:
        """(nv, f) displacements that the rows leave, orthonormal in the metric of masses."""
        _, _, whole = np.linalg.svd(self.V, full_matrices=True)
        return self.half @ whole[len(self.V) :].T


class ClosedDynamics(JointForces):
    """Accelerations and their derivatives where rows close loops over the tree; see the text of this module."""

    def __init__(self, model: Model, system: Any = None):
        super().__init__(model, system)
        self._rows = np.array([r for c in self.rest for r in c.rows], np.int64)
        if self.system.S.rows.compliance[self._rows].any():
            raise ModelError(
                f"{named(self.rest)}: the drive of a joint that closes a loop has an inertia (armature), which joint "
                "coordinates give only to joints of the tree; give it to another joint of the loop, or use hn.simulate"
            )

    @property
    def loops(self) -> bool:
        """Whether more than the joints of a tree constrains the model: loops, couplers, motions."""
        return len(self._rows) > 0

    def constraint_jacobian(self, q: ArrayLike, time: float = 0.0) -> np.ndarray:
        """G (k, nv) of the equations that the tree does not fulfil by itself: G v = 0 for all rates that loops and
        couplers leave; empty for a tree."""
        return self.row_gaps(q, time, self._rows)[1]

    def basis(self, q: ArrayLike, time: float = 0.0) -> np.ndarray:
        """(nv, f) rates that loops, couplers and motions leave, as columns that are orthonormal in the metric of the
        mass matrix; f is the mobility at coordinates q."""
        return self._closure(q, time).basis

    def closed(self, q: ArrayLike, v: ArrayLike | None = None, time: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """The nearest coordinates (nq,) and rates (nv,) in the metric of the masses that close the loops and fulfil
        couplers and motions.  Raises ModelError where they cannot be closed from there."""
        q = self._vector("q", q, self.nq).copy()
        v = np.zeros(self.nv) if v is None else self._vector("v", v, self.nv).copy()
        if not self.loops:
            return q, v
        level = self.system.S.rows.level[self._rows]
        least = np.inf
        for _ in range(TRIALS):
            closure = self._closure(q, time)
            gap = np.where(level == 0, self.system.W.rw.phi[self._rows], 0.0)
            way = closure.reach(-gap)
            size = np.abs(gap / self._lengths()).max()
            if size < CLOSED or (size < OPEN and size > 0.3 * least):
                break
            least = min(least, size)
            q = self.moved(q, closure.half @ way)
        else:
            raise ModelError(
                f"{named(self.rest)}: cannot be closed from these coordinates; give some that are nearer to a closed "
                "position"
            )
        G = self.constraint_jacobian(q, time)
        speed = np.where(level == 2, 0.0, G @ v + self.system.W.rw.phit[self._rows])
        return q, v - closure.half @ closure.reach(speed)

    # ---- pieces ------------------------------------------------------------------------------------------------------
    def _lengths(self) -> np.ndarray:
        """(k,) unit of the values of the rows: the extent of the model for distances, a radian for others."""
        kind = self.system.S.rows.kind[self._rows]
        return np.where((kind == POINT) | (kind == DOT2), self.system.extent, 1.0)

    def _closure(self, q: ArrayLike, time: float) -> Closure:
        """The rows at coordinates q, which are left evaluated there at rest."""
        half = np.linalg.inv(np.linalg.cholesky(self.mass_matrix(q))).T
        G = self.row_gaps(q, time, self._rows)[1] @ half
        size = np.linalg.norm(G, axis=1)
        size[size < NOTHING * unbound_lengths(self.system)[self._rows]] = np.inf
        U, s, V = np.linalg.svd(G / size[:, None], full_matrices=False)
        rank = int((s > RANK * s.max(initial=0.0)).sum())
        return Closure(half, size, U[:, :rank], s[:rank], V[:rank])

    def _constrained(
        self, q: ArrayLike, v: ArrayLike, free: np.ndarray, time: float
    ) -> tuple[np.ndarray, np.ndarray, Closure]:
        """Accelerations (nv,) from those of the tree alone, which were evaluated last (`FORWARD`), multipliers (m,) as
        `effort_changes` takes them, and the rows.  Raises ModelError where loops are open."""
        system, rows = self.system, self._rows
        bodies = layout.body_moves(system.W.acc, system.nb).copy()
        closure = self._closure(q, time)
        self._set(q, v)
        self._enter(self._handle, ROWS, time, 0, 0.0, 0.0, 0.0)
        G, work = system.W.rw.G[:-1], system.W.rw
        along = np.bincount(system.slot_row[:-1], (G * bodies[system.slot_body[:-1]]).sum(axis=1), max(system.m, 1))[
            rows
        ]
        self._refuse_open(closure, np.asarray(v, float), time)
        way = closure.reach(work.gamma[rows] - along)
        lam = np.zeros(system.m)
        lam[rows] = -closure.multipliers(way)
        return free + closure.half @ way, lam, closure

    def _refuse_open(self, closure: Closure, v: np.ndarray, time: float) -> None:
        """Raises ModelError where positions or speeds that were evaluated last do not fulfil the rows; angles of rows
        may differ by turns, and are not checked."""
        table, work, rows = self.system.S.rows, self.system.W.rw, self._rows
        plain = (table.level[rows] == 0) & (table.kind[rows] != SUM)
        gap = np.where(plain, np.abs(work.phi[rows]) / self._lengths(), 0.0)
        phit = work.phit[rows].copy()
        if gap.max() > OPEN:
            r = int(rows[gap.argmax()])
            raise ModelError(
                f"{self.system.row_words(r)}: open by {np.abs(work.phi[r]):.3g} at these coordinates; "
                "JointCoordinates.closed(q, v) gives the nearest that are closed"
            )
        half_speed = np.linalg.solve(closure.half, v)
        speed = (closure.U * closure.s) @ (closure.V @ half_speed) + phit / closure.size
        speed[(table.level[rows] == 2) | ~np.isfinite(closure.size)] = 0.0
        most = np.linalg.norm(half_speed) + np.abs(phit / closure.size).max()
        if np.abs(speed).max() > OPEN * most:
            r = int(rows[np.abs(speed).argmax()])
            raise ModelError(
                f"{self.system.row_words(r)}: not fulfilled by these rates; JointCoordinates.closed(q, v) gives the "
                "nearest that fulfil it"
            )

    def _row_changes(self, q: ArrayLike, v: ArrayLike, acceleration: np.ndarray, time: float) -> np.ndarray:
        """(2, k, nv) derivatives of the second derivatives of the rows along the motion with respect to coordinates and
        rates, at constant accelerations (nv,)."""
        system, rows = self.system, self._rows
        if not rows_have_derivatives(system, rows):
            raise ModelError(
                f"{named(self.rest)}: equations of curves and general constraints have no derivatives in joint "
                "coordinates; use differences"
            )
        self._set(q, v)
        P = self._handle.P
        P.work.acc[:] = acceleration
        system.W.lam[:] = 0.0
        self._enter(self._handle, CHANGES, time, 0, 0.0, 0.0, 0.0)
        move, speed, swing, sway = self._body_changes()
        mine = np.flatnonzero(np.isin(system.slot_row[:-1], rows))
        at = np.array([self._at[int(b)] for b in system.slot_body[mine]], np.int64)
        G, of = system.W.rw.G[mine], P.rows.of[mine]
        along = lambda c, d: np.einsum("sc,skc->sk", c, d[at])
        out = np.zeros((2, system.m, self.nv))
        to = system.slot_row[mine]
        np.add.at(out[0], to, along(of[:, :6], move) + along(of[:, 6:], speed) + along(G, swing))
        np.add.at(out[1], to, along(of[:, 6:], move) + along(G, sway))
        return out[:, rows]

    def _body_changes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(n, nv, 6) each, bodies in the order of the tree: motions for unit rates, changes of velocities with the
        coordinates, of accelerations with coordinates and with rates, as derivatives were evaluated last; of centres of
        mass in ground axes, then angular ones in principal axes."""
        tree, P = self._tree, self._handle.P
        N, n = P.gradients, tree.n
        R = self.system.W.R[np.asarray(tree.body)].reshape(n, 3, 3)
        carried = self._carried[:, :, None]
        places, travel, turn = self._motions()
        d = (places - P.work.x[0])[:, None]
        S, V, A = N.S[None], N.V[:n, None], N.A[:n, None]
        mask = lambda x: np.where(carried, x, 0.0)
        velocity = V[..., 3:] + np.cross(V[..., :3], d)
        moved = mask(motion_cross(S, V) + N.eta)
        by_q = mask(motion_cross(S, A) + motion_cross(N.eta[None], V) + N.beta)
        by_v = mask(motion_cross(S, V) + N.gamma)
        speed = moved[..., 3:] + np.cross(moved[..., :3], d) + np.cross(V[..., :3], travel)
        swing = by_q[..., 3:] + np.cross(by_q[..., :3], d) + np.cross(A[..., :3], travel)
        swing += np.cross(moved[..., :3], velocity) + np.cross(V[..., :3], speed)
        sway = by_v[..., 3:] + np.cross(by_v[..., :3], d) + np.cross(turn, velocity) + np.cross(V[..., :3], travel)
        own = lambda linear, angular: np.concatenate([linear, np.einsum("nji,nkj->nki", R, angular)], axis=2)
        return (
            own(travel, turn),
            own(speed, moved[..., :3] - np.cross(turn, V[..., :3])),
            own(swing, by_q[..., :3] - np.cross(turn, A[..., :3])),
            own(sway, by_v[..., :3]),
        )


def unbound_lengths(system: Any) -> np.ndarray:
    """(m,) lengths of the rows in the metric of the masses if no joint bound the bodies: over the tree they are
    shorter, or rounding where a row never acts."""
    G, mobility = system.W.rw.G[:-1], uncoupled(system.bodies)[system.slot_body[:-1]]
    return np.sqrt(np.bincount(system.slot_row[:-1], (G**2 * mobility).sum(axis=1), system.m))
