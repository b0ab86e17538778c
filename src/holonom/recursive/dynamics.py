"""What users ask of a model in joint coordinates: inverse and forward dynamics, mass matrix, bias, Jacobians."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import bsr_matrix, csr_matrix

from ..elements.bodies import layout
from ..model import Model, ModelError
from ..system.implicit import Implicit
from ..system.part_calls import FORCES
from .entry import FORWARD, GRADIENTS, INVERSE, MASS, PLACE
from .kinematics import JointKinematics
from .tree import named


class JointCoordinates(JointKinematics):
    """A model whose joints form a tree, in the coordinates of its joints.

    Equations of motion  H(q) v' + h(q, v, t) = tau,  q' = N(q) v: q (nq,) angles in radians, distances in model units
    and unit quaternions (scalar first) of spherical joints and of bodies that no joint holds; v (nv,) their rates, of
    quaternions the angular velocity of the joint in the axes of its frame I; tau efforts (force or torque) that act
    along v from outside.  h holds the forces of the model too: gravity, springs, functions, contacts.

    ``coordinates`` (nq), ``freedoms`` (nv): names, such as ``pin.angle``; ``q``, ``v``: values at the design position
    and velocities of the model.  Costs O(bodies) each, but for the mass matrix.

    Raises ModelError where the joints close loops or something else than joints constrains the model.
    """

    def __init__(self, model: Model, system: Any = None):
        super().__init__(model, system)
        if self.rest:
            raise ModelError(
                f"{named(self.rest)}: joint coordinates carry rigid bodies in a tree of joints, without loops, "
                "couplers and motions; remove it, or use hn.simulate, which does not need a tree"
            )
        if self.system.lagged:
            raise ModelError(
                "forces depend on reactions or accelerations "
                f"({self.system.lagged_words()}), which the equations of a tree do not have; remove them, or use "
                "hn.simulate"
            )
        self._implicit: Implicit | None = None

    # ---- dynamics ----------------------------------------------------------------------------------------------------
    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, effort: ArrayLike | None = None, time: float = 0.0
    ) -> np.ndarray:
        """Accelerations v' (nv,) for efforts (nv,), zero by default: the articulated-body recursion (Featherstone,
        Rigid Body Dynamics Algorithms (2008), 7.2), in O(bodies)."""
        self._set(q, v)
        W = self._handle.P.work
        if effort is None:
            W.tau.fill(0.0)
        else:
            self._put("effort", effort, W.tau)
        if not self._enter(self._handle, FORWARD, time, 0, 0.0, 0.0, 0.0) > 0.0:
            k = int(np.flatnonzero(~np.isfinite(W.r))[-1]) if not np.isfinite(W.r).all() else 0
            raise ModelError(
                f"{self.freedoms[k]} moves no mass at these coordinates; give the bodies behind it a mass and an "
                "inertia about its axis"
            )
        return W.acc.copy()

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, acceleration: ArrayLike, time: float | ArrayLike = 0.0
    ) -> np.ndarray:
        """Efforts tau (nv,) that the accelerations v' (nv,) require: the recursive Newton-Euler algorithm (Luh, Walker,
        Paul, J. Dyn. Sys. Meas. Control 102 (1980) 69), in O(bodies).

        Rows q (k, nq), v and acceleration (k, nv), and times (k,) or one time, give efforts (k, nv)."""
        q, v, acceleration = (np.asarray(a, float) for a in (q, v, acceleration))
        if q.ndim == 1:
            return self._inverse(q, v, acceleration, float(time))  # type: ignore[arg-type]
        if not len(q) == len(v) == len(acceleration):
            raise ModelError(
                f"q, v and acceleration have {len(q)}, {len(v)} and {len(acceleration)} rows; give as many of each"
            )
        times = np.broadcast_to(np.asarray(time, float), len(q))
        out = [self._inverse(*row, float(t)) for row, t in zip(zip(q, v, acceleration), times)]
        return np.array(out).reshape(len(q), self.nv)

    def _inverse(self, q: np.ndarray, v: np.ndarray, acceleration: np.ndarray, time: float) -> np.ndarray:
        self._set(q, v)
        W = self._handle.P.work
        self._put("acceleration", acceleration, W.acc)
        self._enter(self._handle, INVERSE, time, 0, 0.0, 0.0, 0.0)
        return W.tau.copy()

    def bias(self, q: ArrayLike, v: ArrayLike, time: float = 0.0) -> np.ndarray:
        """h (nv,): efforts that no acceleration requires; Coriolis and centrifugal terms less the forces of the
        model."""
        return self.inverse_dynamics(q, v, np.zeros(self.nv), time)

    def mass_matrix(self, q: ArrayLike) -> np.ndarray:
        """H (nv, nv), symmetric and positive definite: the composite-body algorithm (Featherstone 2008, 6.2)."""
        self._set(q, None)
        self._enter(self._handle, MASS, 0.0, 0, 0.0, 0.0, 0.0)
        return self._handle.P.out[: self.nv, : self.nv].copy()

    def jacobian_rate(self, marker: Any, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """dJ/dt (6, nv) of the Jacobian of a marker: its acceleration is J v' + (dJ/dt) v, linear rows first, ground
        axes."""
        body, _ = self._place(marker)
        origin = self.frame(marker, q).origin
        if body == self.system.nb:
            return np.zeros((6, self.nv))
        self._set(q, v)
        P = self._handle.P
        P.work.acc[:] = 0.0
        self._enter(self._handle, GRADIENTS, 0.0, 0, 0.0, 0.0, 0.0)
        N, i = P.gradients, self._at[body]
        to_point = origin - P.work.x[0]
        speed = N.V[i, 3:] + np.cross(N.V[i, :3], to_point)
        linear = N.rate[:, 3:] + np.cross(N.rate[:, :3], to_point) + np.cross(N.S[:, :3], speed)
        return np.where(self._carried[i][:, None], np.hstack([linear, N.rate[:, :3]]), 0.0).T

    def operational_inertia(self, marker: Any, q: ArrayLike, rows: Sequence[int] = range(6)) -> np.ndarray:
        """Inertia (k, k) that a marker has for forces and torques along the chosen ``rows`` of its Jacobian, three
        linear and three angular ones: (J H^-1 J^T)^-1 (Khatib, IEEE J. Robot. Autom. 3 (1987) 43).

        Raises ModelError where these motions depend on each other: at singular positions, and of fewer freedoms than
        rows."""
        J = self.jacobian(marker, q)[list(rows)]
        mobility = J @ np.linalg.solve(self.mass_matrix(q), J.T)
        size = np.sqrt(np.diag(mobility))
        if not size.all() or np.linalg.matrix_rank(mobility / np.outer(size, size), tol=1e-10, hermitian=True) < len(J):
            raise ModelError(
                f"{marker.label} cannot move in {len(J)} independent directions at these coordinates; choose fewer rows"
            )
        inverse = np.linalg.inv(mobility)
        return 0.5 * (inverse + inverse.T)

    def centre_of_mass(self, q: ArrayLike) -> np.ndarray:
        """Centre of mass (3,) of all bodies, in ground."""
        places = layout.rows(self.state(q), self.system.nb)[:, layout.PLACE]
        mass = self.system.bodies.mass[: self.system.nb]
        return mass @ places / mass.sum()

    def centroidal_matrix(self, q: ArrayLike) -> np.ndarray:
        """A (6, nv): A v is the linear momentum, and the angular momentum about the centre of mass of all bodies, in
        ground axes (Orin, Goswami, Lee, Auton. Robots 35 (2013) 161)."""
        centre = self.centre_of_mass(q)
        places, travel, turn = self._motions()
        tree, order = self._tree, np.asarray(self._tree.body)
        R = self.system.W.R[order].reshape(tree.n, 3, 3)
        linear = tree.mass[:, None, None] * travel
        spin = np.einsum("nij,nj,nlj,nkl->nki", R, tree.J, R, turn)
        angular = spin + np.cross((places - centre)[:, None], linear)
        return np.concatenate([linear.sum(axis=0), angular.sum(axis=0)], axis=1).T

    def centroidal_momentum(self, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Linear momentum and angular momentum about the centre of mass of all bodies (6,), in ground axes."""
        return self.centroidal_matrix(q) @ self._vector("v", v, self.nv)

    # ---- derivatives -------------------------------------------------------------------------------------------------
    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, acceleration: ArrayLike, time: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives (nv, nv) of the efforts of `inverse_dynamics` with respect to coordinates and to rates, analytic
        (`gradients`; Carpentier and Mansard, RSS 2018).

        Displacements of coordinates are those of ``v``: of a quaternion, a small turn about the axes that its rates
        have.  The derivative with respect to accelerations is the mass matrix.  Forces of the model count with their
        own stiffness and damping.  Raises ModelError where contacts act or forces depend on states."""
        self._set(q, v)
        P = self._handle.P
        self._put("acceleration", acceleration, P.work.acc)
        if self.system.contacts.on or self.system.nx:
            what = "contacts" if self.system.contacts.on else "states of differential equations"
            raise ModelError(f"derivatives of the dynamics do not contain {what}; deactivate them, or use differences")
        self._enter(self._handle, GRADIENTS, time, 0, 0.0, 0.0, 0.0)
        dq, dv = P.gradients.dq.copy(), P.gradients.dv.copy()
        if self._forced:
            dQ = self._force_gradients(time)
            dq -= dQ[0]
            dv -= dQ[1]
        return dq, dv

    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, effort: ArrayLike | None = None, time: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives (nv, nv) of the accelerations of `forward_dynamics` with respect to coordinates (displacements as
        in `inverse_dynamics_derivatives`), rates and efforts: -H^-1 d tau/dq, -H^-1 d tau/dv, H^-1."""
        acceleration = self.forward_dynamics(q, v, effort, time)
        dq, dv = self.inverse_dynamics_derivatives(q, v, acceleration, time)
        inverse = np.linalg.inv(self.mass_matrix(q))
        inverse = 0.5 * (inverse + inverse.T)
        return -inverse @ dq, -inverse @ dv, inverse

    @property
    def _forced(self) -> bool:
        """Whether something acts on the bodies besides gravity."""
        return bool(self.system.S.parts[:, FORCES].any())

    def _force_gradients(self, time: float) -> np.ndarray:
        """(2, nv, nv) derivatives of the generalised forces of springs, dampers and functions with respect to
        coordinates and rates, at the state of the last evaluation."""
        tree, N = self._tree, self._handle.P.gradients
        out: list[np.ndarray] = []
        changes = self.force_changes(time)
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

    def force_changes(self, time: float) -> np.ndarray:
        """(2, n, nv, 6) change of the applied forces on the bodies, in the order of the tree, with coordinates and
        rates: force and torque about the centre of mass in ground axes, without gravity.

        At the state of the last derivatives: (-K, -C) of the matrices K, C of all bodies times their motions."""
        system, tree, P = self.system, self._tree, self._handle.P
        N, W = P.gradients, P.work
        n, nv = tree.n, self.nv
        if not self._forced:
            return np.zeros((2, n, nv, layout.MOVES))
        if self._implicit is None:
            self._implicit = Implicit(system)
        solver = self._implicit
        self._enter(self._handle, PLACE, time, 0, 0.0, 0.0, 0.0)  # with attitudes
        y = W.y.copy()
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


def inverse_dynamics(
    model: Model, q: ArrayLike, v: ArrayLike, acceleration: ArrayLike, time: float | ArrayLike = 0.0
) -> np.ndarray:
    """Efforts (nv,) or (k, nv) along the joint coordinates that a motion of the model requires, with the forces of the
    model acting: `JointCoordinates.inverse_dynamics` of a model whose joints form a tree.

    ``q`` (nq,) coordinates, ``v`` (nv,) rates, ``acceleration`` (nv,), in the order of
    `JointCoordinates.coordinates` and ``freedoms``, or k rows of each.  Raises ModelError where the joints close loops.
    """
    return JointCoordinates(model).inverse_dynamics(q, v, acceleration, time)
