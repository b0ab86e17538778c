"""What users ask of a model in joint coordinates: inverse and forward dynamics, mass matrix, bias, Jacobians."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..elements.bodies import layout
from ..model import Model, ModelError
from .entry import FORWARD, GRADIENTS, INVERSE
from .forces import JointForces
from .tree import named


class JointCoordinates(JointForces):
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


def inverse_dynamics(
    model: Model, q: ArrayLike, v: ArrayLike, acceleration: ArrayLike, time: float | ArrayLike = 0.0
) -> np.ndarray:
    """Efforts (nv,) or (k, nv) along the joint coordinates that a motion of the model requires, with the forces of the
    model acting: `JointCoordinates.inverse_dynamics` of a model whose joints form a tree.

    ``q`` (nq,) coordinates, ``v`` (nv,) rates, ``acceleration`` (nv,), in the order of
    `JointCoordinates.coordinates` and ``freedoms``, or k rows of each.  Raises ModelError where the joints close loops.
    """
    return JointCoordinates(model).inverse_dynamics(q, v, acceleration, time)
