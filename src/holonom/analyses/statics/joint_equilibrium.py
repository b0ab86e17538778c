"""Static equilibrium in joint coordinates: coordinates q of the joints of a spanning tree and multipliers with

    Q(q, t) = G^T lam,    phi(q, t) = 0,

Q the generalised forces of a machine at rest, phi the equations over the tree (loops, motions, couplers) and G their
derivatives.  Newton's method with a trust region (Conn, Gould, Toint, Trust-Region Methods (2000), ch. 6) on the
displacements that phi leaves, with the analytic stiffness of `recursive.forces`.  What a step gains is the work of Q
along it, by the trapezoidal rule, so that forces without a potential are treated alike.  A step with a stiffness that
is not positive is shortened downhill, and a point without forces where it is negative is left: what is found is stable.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from ...recursive.entry import misplaced
from ...recursive.forces import JointForces
from ...recursive.tree import refusal
from ...system.reference import accept_reference

#: freedoms up to which "auto" chooses joint coordinates: their matrices are full
MOST_FREEDOMS = 300
RADIUS, WIDEST = 0.5, 2.0  # trust region at the start and at most: radians, or extents of the machine
TURN = 2.5  # rad that a body turns in a step at most, so that whole turns are counted
COUNTED = 1.0  # rad after which they are
NEUTRAL = 1e-10  # of the largest stiffness: less is none, of either sign
DEPENDENT = 1e-9  # of the largest singular value of the rows
SMALL = 1e-6  # steps so small are taken without a test
DONE = 1e-10  # steps so small are the last
CLOSED = 1e-13  # gaps in extents
SWEEPS = 20


def no_joint_equilibrium(system: Any, y: np.ndarray) -> str:
    """Empty, or a phrase: why `JointEquilibrium` does not find equilibria of a system near a state y of all bodies."""
    why = refusal(system)
    if why:
        return why
    if system.contacts.on:
        return "contacts act"
    if system.nx:
        return "there are states of differential equations"
    if system.friction.elements:
        return "joints have friction"
    return ""


class JointEquilibrium:
    """Equilibria of a system in joint coordinates.  ``stable``: the last one was found to be; ``why``: text of why
    there was none."""

    def __init__(self, system: Any):
        self.system = system
        self.joints = joints = JointForces(system.model, system)
        rows = [r for c in joints.rest for r in c.rows if system.S.rows.compliance[r] == 0.0]
        self.rows = np.array(rows, np.int64)
        #: unit displacements: radians, and for slides the extent of the machine
        self.unit = np.where(joints.turns, 1.0, system.extent)
        self.stable, self.why = False, ""

    def misplaced(self, y: np.ndarray) -> str:
        """Empty, or a phrase: why joint coordinates do not describe a state."""
        return misplaced(self.system, y)

    def find(self, t: float, start: np.ndarray, most: int) -> tuple[np.ndarray | None, int]:
        """(State at rest or None, iterations) from a state ``start``, in at most ``most`` iterations; turns of angles
        are counted on the way."""
        joints = self.joints
        self.stable, self.why = False, f"Newton's method did not balance the forces within {most} iterations"
        begun = self._closed(joints.from_state(start)[0], t, np.zeros(joints.nv))
        if begun is None:
            self.why = "the joints that close loops stay open"
            return None, 0
        q = begun
        force = self._force(q, t)
        radius, turned = RADIUS, 0.0
        for iteration in range(most):
            Z, multipliers = self._free(q, t, force)
            R, K = joints.balance(q, multipliers, t)
            if not (np.isfinite(R).all() and np.isfinite(K).all()):
                self.why = "a force is not a finite number"
                return None, iteration
            g, A = Z.T @ R, Z.T @ K @ Z
            turns = joints.body_turns()
            p, shift, positive = _step(g, A, radius)
            last = positive and shift == 0.0 and np.abs(p).max(initial=0.0) < DONE
            d = Z @ p
            most_turn = float(np.linalg.norm(turns @ d, axis=-1).max(initial=0.0))
            if most_turn > TURN:
                p, d = p * TURN / most_turn, d * TURN / most_turn
                most_turn = TURN
            size = float(np.abs(p).max(initial=0.0))
            path = np.zeros(joints.nv)
            moved = self._closed(joints.moved(q, d), t, path)
            path += d
            after = None if moved is None else self._force(moved, t)
            gain = -np.inf if after is None else 0.5 * float((force + after) @ path)
            expected = float(g @ p) - 0.5 * float(p @ A @ p)
            if after is None or not np.isfinite(after).all() or (size > SMALL and gain < 0.1 * expected):
                radius = 0.3 * size
                if radius < SMALL:
                    return None, iteration + 1
                continue
            if gain > 0.7 * expected and size > 0.9 * radius:
                radius = min(2.0 * radius, WIDEST)
            elif size > SMALL and gain < 0.3 * expected:
                radius = 0.5 * size
            assert moved is not None
            q, force = moved, after
            turned += most_turn
            if turned > COUNTED:
                accept_reference(self.system, joints.state(q))
                turned = 0.0
            if last:
                y = joints.state(q)
                accept_reference(self.system, y)
                self.stable = True
                return y, iteration + 1
        return None, most

    # ---- pieces ------------------------------------------------------------------------------------------------------
    def _force(self, q: np.ndarray, t: float) -> np.ndarray:
        """Generalised forces (nv,) at rest, without multipliers."""
        return -self.joints.efforts_at_rest(q, t)

    def _rows(self, q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Values of the equations over the tree, zero of those of velocities, and their derivatives over `unit`."""
        value, G = self.joints.row_gaps(q, t, self.rows)
        return np.where(self.system.S.rows.level[self.rows] == 0, value, 0.0), G * self.unit

    def _closed(self, q: np.ndarray, t: float, path: np.ndarray) -> np.ndarray | None:
        """q put on the equations over the tree; ``path`` is moved by the displacement.  None where they stay open."""
        if not len(self.rows):
            return q
        for _ in range(SWEEPS):
            value, G = self._rows(q, t)
            if not np.isfinite(value).all():
                return None
            d = -self.unit * np.linalg.lstsq(G, value, rcond=DEPENDENT)[0]
            if np.abs(d / self.unit).max(initial=0.0) > WIDEST:
                return None
            q = self.joints.moved(q, d)
            path += d
            if np.abs(d / self.unit).max(initial=0.0) < CLOSED:
                value, _ = self._rows(q, t)
                return q if np.abs(value).max() < 1e-8 * self.system.extent else None
        return None

    def _free(self, q: np.ndarray, t: float, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Displacements (nv, k) that the equations over the tree leave, and the multipliers (m,) that balance a force
        across them best."""
        multipliers = np.zeros(self.system.m)
        if not len(self.rows):
            return np.diag(self.unit), multipliers
        _, G = self._rows(q, t)
        U, s, V = np.linalg.svd(G)
        rank = int((s > DEPENDENT * s.max(initial=0.0)).sum())
        multipliers[self.rows] = U[:, :rank] @ ((V[:rank] @ (self.unit * force)) / s[:rank])
        return self.unit[:, None] * V[rank:].T, multipliers


def _step(g: np.ndarray, A: np.ndarray, radius: float) -> tuple[np.ndarray, float, bool]:
    """Solution of  (A + shift) p = g  no longer than the radius, with the least shift that makes A positive definite;
    the shift, and whether A is positive definite without it (`NEUTRAL`).

    Where there is no force along a direction of negative stiffness, the step goes along it."""
    if not len(g):
        return g, 0.0, True
    symmetric = 0.5 * (A + A.T)
    skew = np.abs(A - A.T).max() > 1e-9 * np.abs(A).max()
    size = max(float(np.abs(A).sum(axis=1).max()), 1e-300)
    floor = NEUTRAL * size
    shift, positive = 0.0, True
    least = 1e-3 * min(size, float(np.abs(g).max()) / radius)
    for _ in range(60):
        try:
            factor = cho_factor(symmetric + (shift + floor) * np.eye(len(g)), check_finite=False)
        except LinAlgError:
            positive = positive and shift > 0.0
            shift = max(4.0 * shift, least, floor)
            continue
        p = cho_solve(factor, g, check_finite=False)
        if skew:
            p = np.linalg.solve(A + (shift + floor) * np.eye(len(g)), g)
        longest = float(np.abs(p).max())
        if longest <= radius:
            break
        if longest <= 2.0 * radius:
            p = p * (radius / longest)
            break
        shift = max(2.0 * shift, least)
    if not positive and np.abs(p).max() < 0.01 * radius:
        values, vectors = eigh(symmetric, subset_by_index=[0, 0])
        if values[0] < -floor:
            v = vectors[:, 0]
            return p + 0.3 * radius * v / np.abs(v).max() * (1.0 if v @ g >= 0.0 else -1.0), shift, False
    return p, shift, positive
