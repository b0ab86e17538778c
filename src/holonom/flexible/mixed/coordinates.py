"""Coordinates of a body that is to touch: all its degrees of freedom, mixed ones of nodes and modes, or modes alone.

Mixed coordinates are those of Craig and Bampton (AIAA Journal 6 (1968) 1313-1319) with the nodes b that may touch as
the boundary, i all others:

    u_i = -K_ii^-1 K_ib u_b + Phi q,      K_ii Phi = M_ii Phi w^2 (the kept nodes held),

which flexible multibody dynamics has for contact as the multi-variable method (Chinese J. of Theoretical and Applied
Mechanics, doi 10.6052/0459-1879-13-166). Statics of forces on the kept nodes are exact.  The rigid motion is in the
basis: where the kept nodes do not give all of it (one node in space), what is left, the rigid motions that leave the
kept nodes in place, comes in addition to the modes.

Modes alone have the free body's shapes, u = R x + Phi q: no static shape of a force on the surface is among them, so
that a local indentation is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from ..._summary import Summary
from ...linalg.multifrontal import Cholesky, Indefinite
from ...model.base import ModelError, shown

if TYPE_CHECKING:
    from .continuum import Continuum


@dataclass(frozen=True, eq=False)
class Coordinates(Summary):
    """Coordinates q of a body, u = T q, and its matrices in them.

    ``body``; ``T`` (d a, n) dense, or None where q are the degrees of freedom ``free`` (n,) themselves; ``K``, ``M``
    (n, n), dense or sparse; ``nodes``: kept ones; ``frequencies`` (modes,), rad per time, of the modes that are the
    last coordinates; ``kind``: "whole", "mixed" or "modal".
    """

    body: Continuum
    T: np.ndarray | None
    free: np.ndarray
    K: Any
    M: Any
    nodes: np.ndarray
    frequencies: np.ndarray
    kind: str

    @property
    def size(self) -> int:
        """How many coordinates."""
        return self.K.shape[0]

    def __repr__(self) -> str:
        return (
            f"<{self.kind} coordinates of '{self.body.name}': {self.size} for {self.body.freedoms} degrees of freedom, "
            f"{len(self.nodes)} nodes kept>"
        )

    def of(self, rows: sp.csr_matrix) -> sp.csr_matrix | np.ndarray:
        """Rows (k, d a) over displacements as rows (k, n) over coordinates."""
        return rows[:, self.free] if self.T is None else np.asarray(rows @ self.T)

    def displacements(self, q: np.ndarray) -> np.ndarray:
        """Displacements (.., a, d) for coordinates (.., n), length."""
        q = np.asarray(q, float)
        d, a = self.body.dimension, len(self.body.places)
        if self.T is None:
            u = np.zeros((*q.shape[:-1], d * a))
            u[..., self.free] = q
        else:
            u = q @ self.T.T
        return u.reshape(*q.shape[:-1], a, d)

    def fit(self, u: np.ndarray) -> np.ndarray:
        """Coordinates (n,) nearest to displacements or velocities (a, d) in the metric of the mass.

        Raises `ModelError` where a rigid motion is not in the basis (more than a millionth of its kinetic energy is
        lost)."""
        u = np.asarray(u, float).ravel()
        if self.T is None:
            return u[self.free]
        Mu = self.body.M @ u
        q = la.solve(self.M, self.T.T @ Mu, assume_a="pos")
        lost = 1.0 - (q @ self.T.T @ Mu) / max(float(u @ Mu), 1e-300)
        if u @ Mu > 0.0 and lost > 1e-6:
            raise ModelError(
                f"the coordinates of '{self.body.name}' hold all but {lost:.1e} of the energy of a motion that is "
                "required of them: a rigid motion is missing "
                "from the basis; keep more nodes, or take its rigid motions along"
            )
        return q

    def only(self, modes: np.ndarray) -> Coordinates:
        """The same with some of its modes, by position from 0.  Raises `ModelError` for modes that are not there."""
        if self.T is None:
            raise ModelError(
                f"'{self.body.name}' has all its degrees of freedom as coordinates and no modes to choose from"
            )
        modes = np.asarray(modes, np.int64)
        count = len(self.frequencies)
        if len(modes) and not (0 <= modes.min() and modes.max() < count):
            raise ModelError(f"'{self.body.name}' has modes 0 to {count - 1}; {modes.max()} is requested")
        keep = np.concatenate([np.arange(self.size - count), self.size - count + modes])
        return Coordinates(
            self.body,
            self.T[:, keep],
            self.free,
            self.K[np.ix_(keep, keep)],
            self.M[np.ix_(keep, keep)],
            self.nodes,
            self.frequencies[modes],
            self.kind,
        )


def whole(body: Continuum) -> Coordinates:
    """All degrees of freedom that are not held."""
    free = np.flatnonzero(~body.held)
    K, M = body.K[free][:, free].tocsc(), body.M[free][:, free].tocsc()
    return Coordinates(body, None, free, K, M, np.arange(len(body.places)), np.zeros(0), "whole")


def mixed(body: Continuum, nodes: Any, modes: int) -> Coordinates:
    """Nodes that are kept, all their degrees of freedom, and ``modes`` of the rest with these held, the lowest.

    ``nodes``: a group, positions in ``body.places``, or a function of these.  Raises `ModelError` for nodes that are
    not there, for more modes than the rest has, for a negative count and for a body that falls apart.
    """
    _count(modes, 0)
    kept = body.nodes(nodes)
    d = body.dimension
    free = np.flatnonzero(~body.held)
    on = np.zeros(len(body.held), bool)
    on[(d * kept[:, None] + np.arange(d)).ravel()] = True
    b, i = free[on[free]], free[~on[free]]
    if not len(b):
        raise ModelError(f"all kept nodes of '{body.name}' are held; keep nodes that move")
    if modes > max(len(i) - 1, 0):
        raise ModelError(
            f"{modes} modes of '{body.name}' are requested; in addition to the kept nodes it has {len(i)} degrees of "
            f"freedom"
        )
    K, M = body.K, body.M
    R = body.rigid()
    N = R @ _null(R[b], np.abs(R).max(0, initial=0.0))  # rigid motions that leave the kept nodes in place
    r = N.shape[1]
    n = len(b) + r + modes
    T = np.zeros((len(body.held), n))
    T[b, np.arange(len(b))] = 1.0
    frequencies = np.zeros(0)
    if len(i):
        Kii, Mii, Kib = K[i][:, i].tocsc(), M[i][:, i].tocsc(), K[i][:, b]
        rest = np.arange(len(i))
        if r:  # what is left is held in as many degrees of freedom, which is exact, as the load has no part along it
            _, _, pivots = la.qr(N[i].T, pivoting=True, mode="economic")
            rest = np.setdiff1d(rest, pivots[:r])
        factor = _factor(body, Kii[rest][:, rest], i[rest])
        T[np.ix_(i[rest], np.arange(len(b)))] = -factor(Kib[rest].toarray())
        if r:
            T[:, len(b) : len(b) + r] = N
        if modes:
            shapes, frequencies = _lowest(body, Kii, Mii, i, modes, N[i] if r else None, factor if not r else None)
            T[i, len(b) + r :] = shapes
    return _reduced(body, T, free, kept, frequencies, "mixed")


def modal(body: Continuum, modes: int) -> Coordinates:
    """Rigid motions and the lowest ``modes`` of the body as it is held, no nodes.  Raises `ModelError` as `mixed`
    does."""
    _count(modes, 0)
    free = np.flatnonzero(~body.held)
    R = body.rigid()
    r = R.shape[1]
    if modes > len(free) - r - 1:
        raise ModelError(f"{modes} modes of '{body.name}' are requested; it has {len(free)} degrees of freedom")
    T = np.zeros((len(body.held), r + modes))
    T[:, :r] = R
    frequencies = np.zeros(0)
    if modes:
        K, M = body.K[free][:, free].tocsc(), body.M[free][:, free].tocsc()
        shapes, frequencies = _lowest(body, K, M, free, modes, R[free] if r else None, None)
        T[free, r:] = shapes
    return _reduced(body, T, free, np.zeros(0, np.int64), frequencies, "modal")


def inertia_relief(body: Continuum) -> Callable[[np.ndarray], np.ndarray]:
    """Static displacements (d a, k) for loads (d a, k): of a body that is held against its supports, otherwise against
    the inertia of the rigid acceleration that the loads make, about the centre of mass (no rigid part in the metric of
    the mass).  Raises `ModelError` for a body that falls apart."""
    free = np.flatnonzero(~body.held)
    R = body.rigid()
    r = R.shape[1]
    rest = np.arange(len(free))
    if r:
        _, _, pivots = la.qr(R[free].T, pivoting=True, mode="economic")
        rest = np.setdiff1d(rest, pivots[:r])
    own = free[rest]
    factor = _factor(body, body.K[own][:, own].tocsc(), own)
    MR = body.M @ R
    inverse = np.linalg.inv(R.T @ MR) if r else np.zeros((0, 0))

    def static(load: np.ndarray) -> np.ndarray:
        f = np.array(load, float)
        f[body.held] = 0.0
        f = f - MR @ (inverse @ (R.T @ f))
        u = np.zeros_like(f)
        u[own] = factor(f[own])
        return u - R @ (inverse @ (MR.T @ u))

    return static


def _count(modes: Any, least: int) -> None:
    if isinstance(modes, bool) or not isinstance(modes, (int, np.integer)) or modes < least:
        raise ModelError(f"modes of mixed coordinates are {shown(modes)}; give a whole number from {least} on")


def _null(A: np.ndarray, size: np.ndarray) -> np.ndarray:
    """(r, k): combinations of the columns of A (m, r), of a ``size`` each, that vanish."""
    if not A.shape[1]:
        return np.zeros((0, 0))
    _, s, V = np.linalg.svd(A / size, full_matrices=True)
    rank = int((s > 1e-9).sum())
    return V[rank:].T / size[:, None]


def _reduced(body: Continuum, T: np.ndarray, free, kept, frequencies, kind: str) -> Coordinates:
    K, M = T.T @ (body.K @ T), T.T @ (body.M @ T)
    return Coordinates(body, T, free, 0.5 * (K + K.T), 0.5 * (M + M.T), kept, frequencies, kind)


def _factor(body: Continuum, A, own: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A^-1 of loads for the degrees of freedom ``own``, by nested dissection on the places of the nodes."""
    d = body.dimension
    at = body.places if d == 3 else np.column_stack([body.places, np.zeros(len(body.places))])
    try:
        return Cholesky(A.tocsc(), own // d, at).solve
    except Indefinite as e:
        node = int(own[min(e.unknown, len(own) - 1)]) // d
        raise ModelError(
            f"'{body.name}' has a motion without stiffness in addition to its rigid ones, near node {node}: it falls "
            f"apart, or "
            "a piece hangs on one node"
        ) from None


def _lowest(
    body: Continuum, K, M, own: np.ndarray, count: int, rigid: np.ndarray | None, solve
) -> tuple[np.ndarray, np.ndarray]:
    """Mass-orthonormal shapes (n, count) and frequencies, without the rigid motions."""
    r = 0 if rigid is None else rigid.shape[1]
    shift = 0.0
    if r:
        shift = 1e-9 * float(K.diagonal().sum() / M.diagonal().sum())
        solve = _factor(body, (K + shift * M).tocsc(), own)
    n = K.shape[0]
    if count + r >= n - 1:
        values, shapes = la.eigh(K.toarray(), M.toarray())
        values, shapes = values[: count + r], shapes[:, : count + r]
    else:
        start = np.random.default_rng(0).normal(size=n)
        values, shapes = eigsh(K, count + r, M, sigma=-shift, OPinv=LinearOperator((n, n), solve), v0=start, tol=1e-10)
        order = np.argsort(values)
        values, shapes = values[order], shapes[:, order]
    if rigid is not None and r:  # rigid motions leave, and what is left of them in the others
        values, shapes = values[r:], shapes[:, r:]
        MR = M @ rigid
        shapes = shapes - rigid @ np.linalg.solve(rigid.T @ MR, MR.T @ shapes)
    if count and not values[0] > 0.0:
        raise ModelError(f"'{body.name}' has a motion without stiffness in addition to its rigid ones; it falls apart")
    sign = np.sign(shapes[np.abs(shapes).argmax(0), np.arange(count)])
    return shapes * sign, np.sqrt(values)
