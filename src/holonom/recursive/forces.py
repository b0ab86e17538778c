"""How the forces of a model change with the coordinates of its joints, of a tree or of the spanning tree of loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import bsr_matrix, csr_matrix

from ..elements.bodies import layout
from ..model import Model
from ..system.implicit import Implicit
from ..system.part_calls import FORCES
from .entry import BALANCE, INVERSE, MASS, PLACE
from .kinematics import JointKinematics


class JointForces(JointKinematics):
    """A model of rigid bodies in the coordinates of its joints, with mass matrix, forces, and stiffness at rest."""

    def __init__(self, model: Model, system: Any = None):
        super().__init__(model, system)
        self._implicit: Implicit | None = None

    def mass_matrix(self, q: ArrayLike) -> np.ndarray:
        """H (nv, nv), symmetric and positive definite: the composite-body algorithm (Featherstone 2008, 6.2)."""
        self._set(q, None)
        self._enter(self._handle, MASS, 0.0, 0, 0.0, 0.0, 0.0)
        return self._handle.P.out[: self.nv, : self.nv].copy()

    def efforts(self, q: ArrayLike, v: ArrayLike | None, acceleration: ArrayLike, time: float) -> np.ndarray:
        """Efforts (nv,) that the accelerations (nv,) require at coordinates q and rates v, without forces of rows."""
        self._set(q, v)
        P = self._handle.P
        P.work.acc[:] = acceleration
        self._enter(self._handle, INVERSE, time, 0, 0.0, 0.0, 0.0)
        return P.work.tau.copy()

    def efforts_at_rest(self, q: ArrayLike, time: float) -> np.ndarray:
        """Efforts (nv,) that hold the machine at coordinates q: minus the generalised forces of the model."""
        return self.efforts(q, None, np.zeros(self.nv), time)

    def effort_changes(
        self, q: ArrayLike, v: ArrayLike | None, acceleration: np.ndarray, multipliers: np.ndarray, time: float
    ) -> np.ndarray:
        """(2, nv, nv) derivatives of `efforts` with respect to coordinates and rates, with ``multipliers`` (m,) of the
        rows of the system acting as forces on the bodies (`balance`)."""
        self._set(q, v)
        P = self._handle.P
        P.work.acc[:] = acceleration
        self.system.W.lam[:] = multipliers
        self._enter(self._handle, BALANCE, time, 0, 0.0, 0.0, 0.0)
        out = np.array([P.gradients.dq, P.gradients.dv])
        if self._forced or multipliers.any():
            out -= self._force_gradients(time, multipliers)
        return out

    def body_turns(self) -> np.ndarray:
        """(n, 3, nv) turns of the bodies, in the order of the tree and in ground axes, for unit displacements of the
        coordinates that were placed last."""
        return self._motions()[2].transpose(0, 2, 1)

    def balance(self, q: ArrayLike, multipliers: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Generalised forces (nv,) of a machine at rest at coordinates q, and their stiffness (nv, nv), minus their
        derivative with respect to displacements of q.

        ``multipliers`` (m,): of the rows of the system, which act as forces on the bodies; those of joints of the tree
        do no work and are to be zero.  With the efforts tau that no motion requires (`gradients`), the forces are -tau,
        and the stiffness is  d tau/dq  less what the forces on the bodies change by.  Forces do not depend on states
        and contacts here."""
        stiffness = self.effort_changes(q, None, np.zeros(self.nv), multipliers, time)[0]
        return -self._handle.P.work.tau, stiffness

    @property
    def _forced(self) -> bool:
        """Whether something acts on the bodies besides gravity."""
        return bool(self.system.S.parts[:, FORCES].any())

    def _force_gradients(self, time: float, multipliers: np.ndarray | None = None) -> np.ndarray:
        """(2, nv, nv) derivatives of the generalised forces of springs, dampers, functions, and of rows with these
        ``multipliers`` (m,), with respect to coordinates and rates, at the state of the last evaluation."""
        tree, N = self._tree, self._handle.P.gradients
        out: list[np.ndarray] = []
        changes = self.force_changes(time, multipliers)
        places, travel, _ = self._motions()
        centre = places - self._handle.P.work.x[0]
        for change in changes:
            f = change[..., :3]
            torque = change[..., 3:] + np.cross(centre[:, None], f)
            if not out:
                torque = torque + np.cross(travel, N.forces[:, None, 3:])
            wrench = np.concatenate([torque, f], axis=2)
            for i in range(tree.n - 1, -1, -1):
                if tree.parent[i] != tree.n:
                    wrench[tree.parent[i]] += wrench[i]
            out.append(np.einsum("kl,kjl->kj", N.S, wrench[self._owner]))
        return np.array(out)

    def force_changes(self, time: float, multipliers: np.ndarray | None = None) -> np.ndarray:
        """(2, n, nv, 6) change of the applied forces on the bodies, in the order of the tree, with coordinates and
        rates: force and torque about the centre of mass in ground axes, without gravity.

        At the state of the last derivatives: (-K, -C) of the matrices K, C of all bodies times their motions."""
        system, tree, P = self.system, self._tree, self._handle.P
        N, W = P.gradients, P.work
        n, nv = tree.n, self.nv
        if not self._forced and (multipliers is None or not multipliers.any()):
            return np.zeros((2, n, nv, layout.MOVES))
        if self._implicit is None:
            self._implicit = Implicit(system)
            self._implicit.tree = True  # nothing is solved with it: redundant rows are not looked for
        solver = self._implicit
        self._enter(self._handle, PLACE, time, 0, 0.0, 0.0, 0.0)  # with attitudes
        y = W.y.copy()
        solver.I.lam[:] = 0.0 if multipliers is None else multipliers
        solver.linearise(time, y, 0.0, 1.0, 0.0, 1.0)
        order = np.asarray(tree.body)
        where = (layout.MOVES * order[:, None] + np.arange(layout.MOVES)).ravel()
        K, C = (self._of_moves(a, solver)[where][:, where] for a in (solver.I.K, solver.I.C))
        R = system.W.R[order].reshape(n, 3, 3)
        S, V = N.S, N.V[:n]
        state = layout.rows(y, system.nb)[order]
        centre = state[:, layout.PLACE] - W.x[0]
        gyro = np.zeros((n, layout.MOVES, layout.MOVES))  # which the tree has
        for i, w in enumerate(state[:, layout.SPIN]):
            J = np.diag(tree.J[i])
            gyro[i, 3:, 3:] = _skew(w) @ J - _skew(J @ w)
        C = C - bsr_matrix((gyro, np.arange(n), np.arange(n + 1)), shape=C.shape)
        carried = self._carried[:, :, None]
        _, travel, turn = self._motions()
        moved = np.where(carried, motion_cross(S[None], V[:, None]) + N.eta[None], 0.0)
        speed = moved[..., 3:] + np.cross(moved[..., :3], centre[:, None]) + np.cross(V[:, None, :3], travel)
        spun = moved[..., :3] - np.cross(turn, V[:, None, :3])
        flat = lambda a, b: (
            np.concatenate([a, np.einsum("nji,nkj->nki", R, b)], axis=2).transpose(0, 2, 1).reshape(6 * n, nv)
        )
        B, U = flat(travel, turn), flat(speed, spun)
        of_axes = np.einsum("nij,nj->ni", R, self._torques(order))
        out = []
        for change in (-(K @ B) - C @ U, -(C @ B)):
            dF = change.reshape(n, 6, nv).transpose(0, 2, 1)  # of force and torque
            torque = np.einsum("nij,nkj->nki", R, dF[..., 3:])
            out.append(np.concatenate([dF[..., :3], torque], axis=2))
        out[0][..., 3:] += np.cross(turn, of_axes[:, None])
        return np.array(out)

    def _torques(self, order: np.ndarray) -> np.ndarray:
        """(n, 3) torques about the centres of mass, without gyroscopic ones, in principal axes."""
        tree, W = self._tree, self.system.W
        F = layout.moves(W.F)[order]
        w = layout.rows(self._handle.P.work.y, self.system.nb)[order][:, layout.SPIN]
        return F[:, 3:] + np.cross(w, tree.J * w)

    def _of_moves(self, values: np.ndarray, solver: Implicit) -> csr_matrix:
        """A matrix of the solver's pattern as (moves, moves)."""
        p = solver.pattern
        columns = np.repeat(np.arange(p.size), np.diff(p.indptr))
        keep = (p.indices < p.inside_bodies) & (columns < p.inside_bodies)
        at = p.moves[p.inside[: p.inside_bodies]]
        size = layout.MOVES * (self.system.nb + 1)
        entries = values[: len(p.indices)][keep], (at[p.indices[keep]], at[columns[keep]])
        return csr_matrix(entries, shape=(size, size))


def _skew(a: np.ndarray) -> np.ndarray:
    """[a], with [a] b = a x b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def motion_cross(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x x y of motions (..., 6)."""
    turn = np.cross(x[..., :3], y[..., :3])
    return np.concatenate([turn, np.cross(x[..., :3], y[..., 3:]) + np.cross(x[..., 3:], y[..., :3])], axis=-1)
