"""Bodies at rest that time-stepping leaves out until something wakes them.

Bodies that have been slow for `PATIENCE` steps, with all that they lean on, fall asleep together: they count as ground,
their velocities are zero, and the impulses between them stay what they were.  A body that comes or slides against one
of them faster than it may wakes the whole island, as does anything that the island leans on when it moves.  What is
slow: the speed that gravity gives in a step, times `SLOW`.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..elements.bodies.layout import MOVES, TRAVEL, TURN, moves

PATIENCE = 50  # steps of rest before sleep
EVERY = 10  # steps between searches for islands that may sleep
SLOW = 0.2  # of the speed that gravity gives in a step: what is slower rests
WAKES = 2.0  # times that: what comes faster wakes


class Sleepers:
    """Which islands sleep.  ``mobility`` (nb + 1, MOVES): the table of inverse masses that the contact problem reads;
    ``awake`` keeps the one of all bodies."""

    def __init__(self, mobility: np.ndarray, size: float, speed: float):
        self.mobility, self.awake = mobility, mobility.copy()
        n = len(mobility) - 1
        self.still = np.zeros(n, np.int64)  # steps for which each body has been slow
        self.island = np.full(n + 1, -1, np.int64)  # of those that sleep, -1 for others
        self.size, self.speed = size, speed
        self.count = 0
        self._next = 0

    @property
    def asleep(self) -> np.ndarray:
        """(nb,) which islands sleep."""
        return self.island[:-1] >= 0

    def wake_all(self) -> None:
        self.island[:] = -1
        self.still[:] = 0
        self.mobility[:] = self.awake

    def wake(self, P, free: np.ndarray) -> None:
        """Before contacts are solved: islands that are met at speed.  ``free`` (nb, 6): velocities without impulses."""
        n = int(P.count[0])
        i, j = P.body[:n, 0], P.body[:n, 1]
        mixed = (self.island[i] >= 0) != (self.island[j] >= 0)
        if not mixed.any():
            return
        k = np.flatnonzero(mixed)
        u = moves(P.u)
        w = np.einsum("kec,kc->ke", P.H[k, :3, :MOVES], u[i[k]]) + np.einsum("kec,kc->ke", P.H[k, :3, MOVES:], u[j[k]])
        fast = (w[:, 0] < -WAKES * self.speed) & (w[:, 0] + P.q[k, 0] < 0.0) | (
            np.abs(w[:, 1:]).max(axis=1, initial=0.0) > WAKES * self.speed
        )
        woken = np.unique(np.maximum(self.island[i[k[fast]]], self.island[j[k[fast]]]))
        if len(woken):
            up = np.isin(self.island, woken)
            self.island[up] = -1
            self.mobility[up] = self.awake[up]
            self.still[up[:-1]] = 0

    def impulses(self, P) -> tuple[np.ndarray, np.ndarray]:
        """Contacts among what sleeps, and the impulses there, which no solver checks and which stay."""
        i, j = P.body[: int(P.count[0])].T
        free = self.mobility.any(axis=1)
        k = np.flatnonzero(((self.island[i] >= 0) | (self.island[j] >= 0)) & ~free[i] & ~free[j])
        return k, P.r[k].copy()

    def after(self, P, u: np.ndarray) -> None:
        """After a step: who is slow, and every few steps which islands fall asleep.  ``u`` (nb, 6): velocities behind
        it."""
        slow = np.abs(u[:, TRAVEL]).max(axis=1) + self.size * np.abs(u[:, TURN]).max(axis=1) < self.speed
        self.still[slow] += 1
        self.still[~slow] = 0
        self._next += 1
        if self._next % EVERY or not (self.still >= PATIENCE).any():
            return
        n, m = int(P.count[0]), len(self.island) - 1
        acting = P.r[:n, 0] > 0.0
        i, j = P.body[:n, 0][acting], P.body[:n, 1][acting]
        free = self.awake.any(axis=1)
        both = free[i] & free[j]
        graph = coo_matrix((np.ones(int(both.sum())), (i[both], j[both])), shape=(m, m))
        count, label = connected_components(graph, directed=False)
        ready = np.ones(count, bool)
        held = np.zeros(count, bool)
        tired = (self.still >= PATIENCE) & free[:-1]
        ready[label[~tired]] = False
        leans = np.concatenate([i[~free[j]], j[~free[i]]])
        held[label[leans[free[leans]]]] = True
        down = (ready & held)[label]
        new = down & (self.island[:-1] < 0)
        if new.any():
            self.island[:-1] = np.where(down, label, np.where(self.island[:-1] >= 0, self.island[:-1] + count + m, -1))
            self.mobility[:-1][down] = 0.0
            self.count += int(new.sum())
