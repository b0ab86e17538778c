"""What users ask of a model in joint coordinates, of trees and of closed loops: inverse and forward dynamics, mass
matrix, bias, Jacobians."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..elements.bodies import layout
from ..model import Model, ModelError
from .closed import ClosedDynamics
from .entry import FORWARD, GRADIENTS, INVERSE
from .tree import named

#: of the largest effort or acceleration: what may be left of a motion that is required
LEFT = 1e-6


class JointCoordinates(ClosedDynamics):
    """A model of rigid bodies in the coordinates of its joints.

    Equations of motion  H(q) v' + h(q, v, t) = tau,  q' = N(q) v: q (nq,) angles in radians, distances in model units
    and unit quaternions (scalar first) of spherical joints and of bodies that no joint holds; v (nv,) their rates, of
    quaternions the angular velocity of the joint in the axes of its frame I; tau efforts (force or torque) that act
    along v from outside.  h holds the forces of the model too: gravity, springs, functions, contacts.

    Where joints close loops, or couplers, gears and motions constrain the model, q, v, H and h are those of a spanning
    tree, and forces G^T lam with  G v' = gamma  are added (`loops`, `constraint_jacobian`, `basis`, `closed`); q and v
    must fulfil these equations.

    ``coordinates`` (nq), ``freedoms`` (nv): names, such as ``pin.angle``; ``q``, ``v``: values at the design position
    and velocities of the model.  Costs O(bodies) each, but for the mass matrix, and O(nv^3) with loops.

    Raises ModelError where forces depend on reactions or accelerations, and where bodies are flexible.
    """

    def __init__(self, model: Model, system: Any = None):
        super().__init__(model, system)
        if self.system.lagged:
            raise ModelError(
                "forces depend on reactions or accelerations "
                f"({self.system.lagged_words()}), which the equations of a tree do not have; remove them, or use "
                "hn.simulate"
            )

    def require_tree(self, what: str) -> None:
        """Raises ModelError where loops, couplers or motions constrain the model; ``what`` needs a tree."""
        if self.loops:
            raise ModelError(
                f"{named(self.rest)}: {what} needs joints in a tree, without loops, couplers and motions; remove "
                "it, or use JointCoordinates.forward_dynamics and inverse_dynamics, which support it"
            )

    # ---- dynamics ----------------------------------------------------------------------------------------------------
    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, effort: ArrayLike | None = None, time: float = 0.0
    ) -> np.ndarray:
        """Accelerations v' (nv,) for efforts (nv,), zero by default: the articulated-body recursion (Featherstone,
        Rigid Body Dynamics Algorithms (2008), 7.2), in O(bodies); with loops, those that keep them closed.

        Raises ModelError where a freedom moves no mass, and where q and v leave loops open."""
        free = self._free(q, v, effort, time)
        return self._constrained(q, v, free, time)[0] if self.loops else free

    def _free(self, q: ArrayLike, v: ArrayLike, effort: ArrayLike | None, time: float) -> np.ndarray:
        """`forward_dynamics` of the tree alone."""
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
        self,
        q: ArrayLike,
        v: ArrayLike,
        acceleration: ArrayLike,
        time: float | ArrayLike = 0.0,
        actuated: Sequence[str] | None = None,
    ) -> np.ndarray:
        """Efforts tau (nv,) that the accelerations v' (nv,) require: the recursive Newton-Euler algorithm (Luh, Walker,
        Paul, J. Dyn. Sys. Meas. Control 102 (1980) 69), in O(bodies).

        Rows q (k, nq), v and acceleration (k, nv), and times (k,) or one time, give efforts (k, nv).  With loops
        efforts are not unique: ``actuated`` names the freedoms on which drives act, the others are zero; of more drives
        than the mobility the smallest efforts.  Raises ModelError where these drives cannot cause the motion, and where
        loops would open."""
        q, v, acceleration = (np.asarray(a, float) for a in (q, v, acceleration))
        drives = self._drives(actuated)
        if q.ndim == 1:
            return self._inverse(q, v, acceleration, float(time), drives)  # type: ignore[arg-type]
        if not len(q) == len(v) == len(acceleration):
            raise ModelError(
                f"q, v and acceleration have {len(q)}, {len(v)} and {len(acceleration)} rows; give as many of each"
            )
        times = np.broadcast_to(np.asarray(time, float), len(q))
        out = [self._inverse(*row, float(t), drives) for row, t in zip(zip(q, v, acceleration), times)]
        return np.array(out).reshape(len(q), self.nv)

    def _drives(self, actuated: Sequence[str] | None) -> np.ndarray | None:
        """(nv,) Whether a drive acts on a freedom; None where it does on all, and nothing is left open."""
        if actuated is None:
            if self.loops:
                raise ModelError(
                    f"{named(self.rest)}: efforts are not unique where loops, couplers or motions constrain the model; "
                    f"name the freedoms on which drives act, such as actuated=['{self.freedoms[0]}']"
                )
            return None
        strange = [name for name in actuated if name not in self.freedoms]
        if strange:
            raise ModelError(f"actuated: no freedom '{strange[0]}'; choose among {', '.join(self.freedoms)}")
        return np.isin(self.freedoms, list(actuated))

    def _inverse(
        self, q: np.ndarray, v: np.ndarray, acceleration: np.ndarray, time: float, drives: np.ndarray | None
    ) -> np.ndarray:
        self._set(q, v)
        W = self._handle.P.work
        self._put("acceleration", acceleration, W.acc)
        self._enter(self._handle, INVERSE, time, 0, 0.0, 0.0, 0.0)
        effort = W.tau.copy()
        return effort if drives is None else self._by_drives(q, v, acceleration, time, effort, drives)

    def _by_drives(
        self,
        q: np.ndarray,
        v: np.ndarray,
        acceleration: np.ndarray,
        time: float,
        effort: np.ndarray,
        drives: np.ndarray,
    ) -> np.ndarray:
        """The smallest efforts that, with forces of the rows, do what these of the tree do, zero but where drives
        act."""
        scale = max(np.abs(effort).max(), np.abs(self.bias(q, v, time)).max(), 1e-300)
        reach = np.zeros((self.nv, 0))  # directions of the forces of the rows
        if self.loops:
            kept, _, closure = self._constrained(q, v, self._free(q, v, effort, time), time)
            if np.abs(kept - acceleration).max() > LEFT * max(np.abs(kept).max(), np.abs(acceleration).max()):
                raise ModelError(
                    f"{named(self.rest)}: would open with these accelerations; give some that fulfil its equations, as "
                    "those of forward_dynamics"
                )
            reach = np.linalg.solve(closure.half.T, closure.V.T)
        some, s, other = np.linalg.svd(reach[~drives])
        rank = int((s > 1e-10 * np.abs(reach).max(initial=0.0)).sum())
        mu = other[:rank].T @ ((some[:, :rank].T @ -effort[~drives]) / s[:rank])
        idle = other[rank:].T  # forces of rows that require nothing where no drives act
        if idle.shape[1] and drives.any():
            mu = mu - idle @ np.linalg.lstsq(reach[drives] @ idle, (effort + reach @ mu)[drives], rcond=1e-10)[0]
        total = effort + reach @ mu
        if np.abs(total[~drives]).max(initial=0.0) > LEFT * scale:
            k = int(np.flatnonzero(~drives)[np.abs(total[~drives]).argmax()])
            raise ModelError(
                f"the actuated freedoms cannot cause this motion: {self.freedoms[k]} would require {total[k]:.3g}; "
                "name it too, or give a motion that they can cause"
            )
        return np.where(drives, total, 0.0)

    def bias(self, q: ArrayLike, v: ArrayLike, time: float = 0.0) -> np.ndarray:
        """h (nv,): efforts that no acceleration requires; Coriolis and centrifugal terms less the forces of the
        model; of the tree alone where there are loops."""
        return self.efforts(q, v, np.zeros(self.nv), time)

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
        linear and three angular ones: (J H^-1 J^T)^-1 (Khatib, IEEE J. Robot. Autom. 3 (1987) 43), with loops with
        P of `forward_dynamics_derivatives` in place of H^-1.

        Raises ModelError where these motions depend on each other: at singular positions, and of fewer freedoms than
        rows."""
        J = self.jacobian(marker, q)[list(rows)]
        inner = self._closure(q, 0.0).mobility if self.loops else np.linalg.inv(self.mass_matrix(q))
        mobility = J @ inner @ J.T
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
        own stiffness and damping.  Raises ModelError where contacts act, forces depend on states, or loops leave
        efforts open."""
        self.require_tree("the derivative of inverse dynamics")
        self._refuse_states()
        self._set(q, v)
        P = self._handle.P
        self._put("acceleration", acceleration, P.work.acc)
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
        in `inverse_dynamics_derivatives`), rates and efforts: -H^-1 d tau/dq, -H^-1 d tau/dv, H^-1.

        With loops those of both equations (`closed`), the last one P = d v'/d tau of rank f, the mobility; they hold
        for displacements and rates that keep the loops closed.  Raises ModelError as `inverse_dynamics_derivatives`
        does, and with loops for equations of curves and general constraints."""
        if self.loops:
            self._refuse_states()
            free = self._free(q, v, effort, time)
            acc, lam, closure = self._constrained(q, v, free, time)
            P, half = closure.mobility, closure.half
            efforts = self.effort_changes(q, v, acc, lam, time)
            rows = self._row_changes(q, v, acc, time)
            dq, dv = (-P @ e - half @ closure.reach(r) for e, r in zip(efforts, rows))
            return dq, dv, P
        acceleration = self.forward_dynamics(q, v, effort, time)
        dq, dv = self.inverse_dynamics_derivatives(q, v, acceleration, time)
        inverse = np.linalg.inv(self.mass_matrix(q))
        inverse = 0.5 * (inverse + inverse.T)
        return -inverse @ dq, -inverse @ dv, inverse

    def _refuse_states(self) -> None:
        if self.system.contacts.on or self.system.nx:
            what = "contacts" if self.system.contacts.on else "states of differential equations"
            raise ModelError(f"derivatives of the dynamics do not contain {what}; deactivate them, or use differences")


def inverse_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    acceleration: ArrayLike,
    time: float | ArrayLike = 0.0,
    actuated: Sequence[str] | None = None,
) -> np.ndarray:
    """Efforts (nv,) or (k, nv) along the joint coordinates that a motion of the model requires, with the forces of the
    model acting: `JointCoordinates.inverse_dynamics`.

    ``q`` (nq,) coordinates, ``v`` (nv,) rates, ``acceleration`` (nv,), in the order of
    `JointCoordinates.coordinates` and ``freedoms``, or k rows of each.  Where joints close loops, ``actuated`` names
    the freedoms on which drives act.  Raises ModelError where they cannot cause the motion."""
    return JointCoordinates(model).inverse_dynamics(q, v, acceleration, time, actuated)
