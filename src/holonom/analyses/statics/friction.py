"""FRICTION of joints in statics: what it can hold stays where it was, the rest slides until friction balances what is
left.

In a dynamic analysis the deformation b of a joint's bristle follows its slip by a rate (`elements.joints.friction`).
At rest nothing has a rate; here b follows the slip itself, from where the analysis began,

    b - b0 - s(q)/d = 0,        s(q): slip of the surfaces since then,  d: MAX_STICTION_DEFORMATION,

and the friction mu_s S(|b|) b/|b| of the law at rest grows with it up to mu_s: the limit of an infinitely slow motion
along Newton's path. Joints with INACTIVE=STATIC have none.  EFFECT=SLIDING has no stiction, and so nothing at rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ...elements.joints.friction import AXIS, COUNT, CYLINDER, DEF, MUD, MUS, NUM, RAD, SIDE, SLIDE, SOFT


class StaticFriction:
    """Friction of one static analysis of a system; ``apply`` puts its equations into the iteration matrix, ``end``
    gives the law back."""

    def __init__(self, system: Any, S: Any):
        """``S``: the tables of the matrix of this analysis, with its positions."""
        self.system = system
        self.data = S.friction if system.friction.elements else None
        if self.data is None:
            return
        t = self.data
        self.off = np.array([e.inactive.upper().startswith("STAT") for e in system.friction.elements])
        self.kept = t.t[self.off][:, [MUS, MUD]].copy()
        t.t[np.flatnonzero(self.off)[:, None], [MUS, MUD]] = 0.0
        self.count = [COUNT[int(k)] if x >= 0 else 0 for k, x in zip(t.kind, t.x)]
        self.begun = False

    def begin(self, y: np.ndarray) -> None:
        """The slip is measured from the state y on."""
        self.begun = False
        if self.data is not None:
            t = self.data
            self.first = [y[t.offset + x : t.offset + x + n].copy() for x, n in zip(t.x, self.count)]
            self.slip = [np.zeros(n) for n in self.count]

    def apply(self, I: Any, nq: int, y: np.ndarray) -> None:
        """Residual and matrix rows of the deformations; frames and I.C must be those of y."""
        t = self.data
        if t is None:
            return
        poses = [self._pose(t, k) for k in range(len(self.count))]
        if not self.begun:
            self.poses, self.begun = poses, True
        for k, n in enumerate(self.count):
            if not n:
                continue
            self.slip[k] += self._moved(t, k, self.poses[k], poses[k])
            at = nq + t.x[k] + np.arange(n)
            rows = t.row[k].reshape(3, 12)[:n]
            b = y[t.offset + t.x[k] : t.offset + t.x[k] + n]
            if self.off[k]:
                I.res[at] = 0.0
                I.data[rows] = 0.0
            else:
                I.res[at] = self.first[k] + self.slip[k] / t.t[k, DEF] - b
                I.data[rows] = I.C[rows]  # - ds/dq / d: the rate of b per velocity at rest
            I.data[t.diag[k].reshape(3, 3)[:n, :n]] = np.eye(n)
        self.poses = poses

    def _pose(self, t: Any, k: int) -> tuple[float, np.ndarray, np.ndarray]:
        """Travel along z of J, attitude of I in J, axis of friction in J."""
        fr = self.system.S.fr
        i, j = t.i[k], t.j[k]
        A, B = fr.A[i].reshape(3, 3), fr.A[j].reshape(3, 3)
        axis = B.T @ (A if t.t[k, SIDE] == 1.0 else B)[:, int(t.t[k, NUM])]
        return float((fr.p[i] - fr.p[j]) @ B[:, 2]), B.T @ A, axis

    def _moved(self, t: Any, k: int, before: tuple, now: tuple) -> np.ndarray:
        """Slip of the surfaces between two poses."""
        kind, radius = t.kind[k], t.t[k, RAD]
        travel = now[0] - before[0]
        if kind == SLIDE:
            return np.array([travel])
        turn = radius * Rotation.from_matrix(now[1] @ before[1].T).as_rotvec()
        if kind == AXIS:
            return np.array([turn @ now[2]])
        return np.array([travel, turn[2]]) if kind == CYLINDER else turn

    def limit_deformations(self, y: np.ndarray) -> None:
        """Deformations as a motion would leave them: what has slid keeps the deformation of sliding."""
        t = self.data
        if t is None:
            return
        for k, n in enumerate(self.count):
            b = y[t.offset + t.x[k] : t.offset + t.x[k] + n]
            size = float(np.linalg.norm(b))
            if n and size > SOFT:
                b *= SOFT / size

    def end(self) -> None:
        if self.data is not None:
            self.data.t[np.flatnonzero(self.off)[:, None], [MUS, MUD]] = self.kept
