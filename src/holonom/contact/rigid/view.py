"""One island as matrices, for the solvers that do linear algebra."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ...elements.bodies import layout
from .dense import gauss_seidel_dense
from .gauss_seidel import gauss_seidel
from .prepare import error
from .problem import Problem

DENSE = 600  # rows up to which a dense Delassus matrix is the faster one


class View:
    """Contacts k (m,) of one island:  z = W r + q,  W (m d, m d) dense or sparse by columns, q (m, d), mu (m, 3) and
    the sizes rho (m, 4): inverse local mobility of normal, tangents, spin and roll (zero: inert).

    `put(r)` writes impulses and what follows from them into the problem, `error()` is the residual as a speed, `sweeps`
    is Gauss-Seidel from the state that was put last.
    """

    def __init__(self, P: Problem, s: int, before: np.ndarray, free: np.ndarray, WT: np.ndarray | None):
        self.P, self.s, self.WT = P, s, WT
        first, last = int(P.start[s]), int(P.start[s + 1])
        self.range = first, last
        self.k = np.sort(P.order[first:last])
        self.d = d = P.H.shape[1]
        self.scale = float(P.scale[s])
        self.mu = P.mu[self.k] if d > 1 else np.zeros((len(self.k), 3))
        self.q = before[self.k]
        L = P.local[self.k]
        mobility = np.stack([L[:, 0], L[:, 7], L[:, 8], 0.5 * (L[:, 11] + L[:, 12])], 1)
        self.rho = np.divide(1.0, mobility, out=np.zeros_like(mobility), where=mobility > 0)
        axes = np.stack([L[:, 3], -L[:, 4], L[:, 4], L[:, 3]], 1).reshape(-1, 2, 2)  # rows: principal tangents
        local = L[:, 5:7, None] * np.eye(2) + L[:, 0, None, None] * L[:, 1:3, None] * L[:, None, 1:3]
        self.tangents = np.swapaxes(axes, 1, 2) @ local @ axes  # the block W_tt (m, 2, 2)
        self._W = self._G = None
        self.free = free
        self.message = ""
        if WT is None:
            self.bodies = P.bodies[P.begin[s] : P.begin[s + 1]]

    @property
    def G(self):
        """Rows of the relative velocity over the island's bodies, (m d, 6 bodies), sparse by rows."""
        if self._G is None:
            P, k, d = self.P, self.k, self.d
            place = np.full(len(P.Minv), -1)
            place[self.bodies] = np.arange(len(self.bodies))
            body = place[P.body[k]]
            rows = np.broadcast_to(np.arange(len(k) * d).reshape(-1, d, 1, 1), (len(k), d, 2, layout.MOVES))
            columns = np.broadcast_to(layout.columns(body[:, None, :]), rows.shape)
            there = np.broadcast_to((body >= 0)[:, None, :, None], rows.shape)
            values = P.H[k].reshape(rows.shape)
            self._G = sparse.csr_matrix(
                (values[there], (rows[there], columns[there])), shape=(len(k) * d, layout.MOVES * len(self.bodies))
            )
        return self._G

    @property
    def Minv(self):
        return self.P.Minv[self.bodies].ravel()

    @property
    def W(self):
        if self._W is None:
            if self.WT is not None:
                rows = (self.d * self.k[:, None] + np.arange(self.d)).ravel()
                self._W = np.ascontiguousarray(self.WT[np.ix_(rows, rows)].T)
            else:
                W = (self.G @ sparse.diags(self.Minv)) @ self.G.T
                self._W = W.toarray() if len(self.k) * self.d <= DENSE else W.tocsc()
        return self._W

    def z(self, r):
        return (self.W @ r.ravel()).reshape(r.shape) + self.q

    @property
    def r(self):
        return self.P.r[self.k]

    def put(self, r):
        P = self.P
        P.r[self.k] = r
        if self.WT is None:
            u = self.free[self.bodies] + layout.moves(self.Minv * (self.G.T @ r.ravel()))
            layout.moves(P.u)[self.bodies] = u
            P.z[self.k] = (self.G @ u.ravel()).reshape(r.shape) + P.q[self.k] + self._ground
        else:
            P.z[self.k] = self.z(r)

    @property
    def _ground(self):
        """Velocities of bodies that do not move by impulses, as far as they are not zero."""
        if not hasattr(self, "_rest"):
            self._rest = self.q - self.P.q[self.k] - (self.G @ self.free[self.bodies].ravel()).reshape(self.q.shape)
        return self._rest

    def error(self):
        return error(self.P, *self.range)

    def sweeps(self, tolerance, absolute, limit):
        """Sweeps of Gauss-Seidel; returns how many."""
        if self.WT is None:
            return gauss_seidel(self.P, self.s, self.s + 1, tolerance, absolute, limit, True)
        return gauss_seidel_dense(
            self.P, self.WT, np.zeros(self.P.z.shape), self.s, self.s + 1, tolerance, absolute, limit, True
        )
