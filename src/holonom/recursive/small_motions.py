"""Small motions of a tree of joints about any state, and of closed loops about rest, exactly: how the motions and
accelerations of all bodies change with coordinates and rates of the joints.

With V, A, S, eta, beta, gamma of `gradients`, about one point for all bodies, and for bodies i that freedom j carries

    dV_i/dq_j = S_j x V_i + eta_j,                       dV_i/dv_j = S_j,
    dA_i/dq_j = S_j x A_i + eta_j x V_i + beta_j,        dA_i/dv_j = S_j x V_i + gamma_j,     v' kept.

Rows G over a spanning tree (loops, couplers, motions) leave the directions N,  G N = 0,  N^T H N = 1.  Of

    H v' + tau(q, v) + G^T lam = 0,    G v' = gamma

the derivatives along dq = N a, dv = N b are, at rest, where gamma does not change to first order and G v stays zero,

    N^T H dv' = -N^T (d tau/dq + d(G^T lam)/dq) N a - N^T (d tau/dv) N b,

lam kept: dG v' and d lam are orthogonal to N in the metric of H.  d(G^T lam)/dq is the stiffness that forces lam of
the rows on the bodies have.

Carpentier and Mansard, Analytical Derivatives of Rigid Body Dynamics Algorithms (RSS 2018).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements.bodies import layout
from .closed import NOTHING, RANK, unbound_lengths
from .entry import FORWARD, GRADIENTS, misplaced
from .forces import JointForces, motion_cross
from .kernels import move_coordinates
from .tree import named, refusal, tree_of

#: elements whose rows over the tree have derivatives: those of a GCON may depend on time and on velocities
CLOSING = ("JOINT", "JPRIM", "MOTION", "COUPLER", "GEAR", "CVJOINT", "PTCV", "CVCV")
RESTING = 1e-12  # 1/s: no body is faster, in rad, or extents of the machine


def no_small_motions(system: Any, y: np.ndarray) -> str:
    """Empty, or a sentence: why `SmallMotions` does not describe a system at a state y of all bodies."""
    why = refusal(system)
    if why:
        return why
    if system.contacts.on:
        return "contacts act"
    if system.nx:
        return "there are states of differential equations"
    if np.any(system.S.rows.compliance):
        return "drives have inertias of their own"
    rest = tree_of(system).rest
    if rest:
        strange = [c for c in rest if c.element.KIND not in CLOSING or np.any(system.S.rows.level[np.array(c.rows)])]
        if strange:
            return f"{named(strange)}: its equations have no derivatives in joint coordinates"
        if system.friction.elements:
            return f"{named(rest)}: closes a loop next to joints with friction"
        body = layout.rows(y, system.nb)[: system.nb]
        if max(np.abs(body[:, layout.VELOCITY]).max() / system.extent, np.abs(body[:, layout.SPIN]).max()) > RESTING:
            return f"{named(rest)}: not a joint of a tree, and the bodies move"
    return misplaced(system, y)


class SmallMotions:
    """Of a system at time t and a state y of all bodies; at rest where more than the joints of a tree constrains it.

    Displacements of coordinates are those of rates, as in `JointCoordinates`.  Of n bodies in the order of the system,
    ground axes, three components of travel of the centre of mass and three of turn: ``motion`` (n, 6, nv) for unit
    rates; ``speed`` (n, 6, nv): change of velocities with coordinates; ``acceleration`` (2, n, 6, nv): change of
    accelerations with coordinates and with rates at constant v'; ``force`` (2, n, 6, nv): that of applied forces and
    their torques about the centres of mass, gravity left out.  ``basis`` (nv, f): displacements that the rows over the
    tree leave, orthonormal in the metric of masses; ``effort`` (2, nv, nv): derivatives of inverse dynamics with
    respect to coordinates and rates, with the rows' forces acting; ``loops``: whether there are such rows.

    Raises LinAlgError where a freedom moves no mass."""

    def __init__(self, system: Any, t: float, y: np.ndarray):
        joints = JointForces(system.model, system)
        q, v = joints.from_state(y)
        rows = np.array([r for c in joints.rest for r in c.rows], np.int64)
        self.loops = bool(len(rows))
        if self.loops:
            v[:] = 0.0
        bias = joints.efforts(q, v, np.zeros(joints.nv), t)
        half = np.linalg.inv(np.linalg.cholesky(joints.mass_matrix(q))).T
        multipliers = np.zeros(system.m)
        push = -half.T @ bias
        if self.loops:
            G = joints.row_gaps(q, t, rows)[1] @ half
            size = np.linalg.norm(G, axis=1)
            size[size < NOTHING * unbound_lengths(system)[rows]] = np.inf
            U, s, V = np.linalg.svd(G / size[:, None])
            rank = int((s > RANK * s.max(initial=0.0)).sum())
            U, s, V, N = U[:, :rank], s[:rank], V[:rank], V[rank:].T
            free = N @ (N.T @ push) + ((system.W.rw.gamma[rows] / size) @ U / s) @ V
            multipliers[rows] = U @ (V @ (push - free) / s) / size
            self.basis, push = half @ N, free
        else:
            self.basis = half
        acceleration = half @ push
        self.effort = joints.effort_changes(q, v, acceleration, multipliers, t)
        P = joints._handle.P
        joints._set(q, v)
        P.work.acc[:] = acceleration
        joints._enter(joints._handle, GRADIENTS, t, 0, 0.0, 0.0, 0.0)
        changes = joints.force_changes(t)
        joints._set(q, v)
        P.work.acc[:] = acceleration
        joints._enter(joints._handle, GRADIENTS, t, 0, 0.0, 0.0, 0.0)
        N, order = P.gradients, np.asarray(joints._tree.body)
        n = len(order)
        carried = joints._carried[:, :, None]
        places, travel, turn = joints._motions()
        to_centre = (places - P.work.x[0])[:, None]
        S, V, A = N.S[None], N.V[:n, None], N.A[:n, None]
        velocity = V[..., 3:] + np.cross(V[..., :3], to_centre)

        def sorted_by_body(linear: np.ndarray, angular: np.ndarray) -> np.ndarray:
            out = np.zeros((n, layout.MOVES, joints.nv))
            out[order] = np.concatenate([linear, angular], axis=2).transpose(0, 2, 1)
            return out

        def at_centre(change: np.ndarray, turning: np.ndarray, moved: np.ndarray, speed: np.ndarray) -> np.ndarray:
            linear = change[..., 3:] + np.cross(change[..., :3], to_centre) + np.cross(A[..., :3], moved)
            linear += np.cross(turning, velocity) + np.cross(V[..., :3], speed)
            return sorted_by_body(linear, change[..., :3])

        self.motion = sorted_by_body(travel, turn)
        of_coordinates = np.where(carried, motion_cross(S, V) + N.eta, 0.0)
        linear = of_coordinates[..., 3:] + np.cross(of_coordinates[..., :3], to_centre) + np.cross(V[..., :3], travel)
        self.speed = sorted_by_body(linear, of_coordinates[..., :3])
        by_coordinates = np.where(carried, motion_cross(S, A) + motion_cross(N.eta[None], V) + N.beta, 0.0)
        by_rates = np.where(carried, motion_cross(S, V) + N.gamma, 0.0)
        self.acceleration = np.array(
            [
                at_centre(by_coordinates, of_coordinates[..., :3], travel, linear),
                at_centre(by_rates, turn, np.zeros_like(travel), travel),
            ]
        )
        self.force = np.zeros((2, n, layout.MOVES, joints.nv))
        self.force[:, order] = changes.transpose(0, 1, 3, 2)
        self._joints, self._at = joints, (q, v)

    def evaluate_moved(self, dq: np.ndarray, dv: np.ndarray, t: float) -> np.ndarray:
        """Forces of the system with coordinates and rates changed by dq and dv (nv,), left in its work; returns the
        state of all bodies there."""
        joints = self._joints
        P = joints._handle.P
        P.q[:], P.v[:] = self._at
        move_coordinates(joints._tree, P.q, dq)
        P.v[:] += dv
        P.work.tau.fill(0.0)
        joints._enter(joints._handle, FORWARD, t, 0, 0.0, 0.0, 0.0)
        return P.work.y
