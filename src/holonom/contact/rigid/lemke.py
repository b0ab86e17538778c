"""Lemke's method: direct pivoting, no tolerance, and a definite answer when there is no solution.

The law as a linear complementarity problem  w = M x + p,  0 <= w _|_ x >= 0  (Stewart & Trinkle 1996; Anitescu & Potra
1997):

    x = (r_n, b, l):   M = [W_nn  W_nD  0;  W_Dn  W_DD  E;  mu  -E^T  0],   r_t = D b,

with slip directions D in pairs +-.  Frictionless contacts need r_n only and are exact.  A contact with one inert
tangent (a planar model) has the two directions +- of the other and is exact too.  Else the cone is a pyramid of FACETS
faces: forces miss their direction by up to pi / FACETS and the message reports this.  Friction here is the
non-associated law itself.  Lemke's rule with the lexicographic test for ties (Cottle, Pang & Stone 2009, ch. 4) ends at
a solution or on a ray.  A ray states that the method found none; with friction there may be one all the same, which
`modes` settles for small planar problems.  Cost: pivots, about as many as unknowns, of n^2 each.
"""

from __future__ import annotations

import numpy as np

from .view import View

FACETS = 8
MOST = 1200  # unknowns; a pivot touches two of them squared


def lemke(M: np.ndarray, p: np.ndarray, limit: int | None = None):
    """(x, pivots, outcome): x with w = M x + p, 0 <= w _|_ x >= 0; outcome "solution", "ray" (x is None) or "limit".

    Equations are scaled by their largest entry; pivots below 1e-11 of it count as zero.
    """
    n = len(p)
    if n == 0 or p.min() >= 0:
        return np.zeros(n), 0, "solution"
    limit = limit or 50 * n
    # columns: w (n), x (n), x0, constant
    T = np.zeros((n, 2 * n + 2))
    T[:, :n] = np.eye(n)
    T[:, n : 2 * n] = -M
    T[:, 2 * n] = -1.0
    T[:, -1] = p
    basis = np.arange(n)
    tiny = 1e-11
    row = _lexicographic(T, np.flatnonzero(p < 0), -T[:, 2 * n], n)
    enter = 2 * n
    for pivots in range(1, limit + 1):
        leave = basis[row]
        T[row] /= T[row, enter]
        column = T[:, enter].copy()
        column[row] = 0.0
        busy = np.flatnonzero(column)
        T[busy] -= column[busy, None] * T[row]
        basis[row] = enter
        if leave == 2 * n:
            x = np.zeros(2 * n)
            x[basis] = T[:, -1]
            return np.maximum(x[n:], 0.0), pivots, "solution"
        enter = leave + n if leave < n else leave - n
        c = T[:, enter]
        rows = np.flatnonzero(c > tiny * max(1.0, np.abs(c).max()))
        if not len(rows):
            return None, pivots, "ray"
        own = np.flatnonzero(basis[rows] == 2 * n)
        row = _lexicographic(T, rows, c, n)
        if len(own):  # x0 leaves as soon as it may
            k = rows[own[0]]
            if T[k, -1] / c[k] <= T[row, -1] / c[row] + 1e-13 * abs(T[:, -1]).max():
                row = k
    return None, limit, "limit"


def _lexicographic(T, rows, column, n):
    """Row of the smallest ratio (constant, inverse of the basis) / column, ties broken by the next columns."""
    for c in [T.shape[1] - 1, *range(n)]:
        ratio = T[rows, c] / column[rows]
        least = ratio.min()
        rows = rows[ratio <= least + 1e-12 * max(1.0, abs(least))]
        if len(rows) == 1:
            break
    return rows[0]


def directions(v: View):
    """Per contact the slip directions D (k, 2) in its two tangents, and whether all of them are exact."""
    out = []
    exact = True
    angle = 2 * np.pi * np.arange(FACETS) / FACETS
    pyramid = np.stack([np.cos(angle), np.sin(angle)], 1)
    for k in range(len(v.k)):
        size, axes = np.linalg.eigh(v.tangents[k])
        if v.mu[k, 0] <= 0 or size[1] <= 0:
            out.append(np.zeros((0, 2)))
        elif size[0] <= 1e-12 * size[1]:
            out.append(np.array([axes[:, 1], -axes[:, 1]]))
        else:
            exact = False
            out.append(pyramid)
    return out, exact


def linear_problem(v: View):
    """M, p, the matrix B that makes impulses r = B x of its unknowns, and whether they are exact.  Speeds and
    mobilities are scaled to one."""
    m, d = len(v.k), v.d
    D, exact = directions(v) if d >= 3 else ([np.zeros((0, 2))] * m, True)
    acts = np.flatnonzero(v.rho[:, 0] > 0)
    facets = sum(len(D[k]) for k in acts)
    rubs = [k for k in acts if len(D[k])]
    n = len(acts) + facets + len(rubs)
    if n > MOST:
        return None
    B = np.zeros((m * d, n))
    size = np.sqrt(v.rho[:, 0])  # the root of the local mass: a diagonal scaling that keeps the law
    for a, k in enumerate(acts):
        B[d * k, a] = size[k]
    at = len(acts)
    E = np.zeros((n, n))
    for g, k in enumerate(rubs):
        l = len(acts) + facets + g
        B[d * k + 1 : d * k + 3, at : at + len(D[k])] = size[k] * D[k].T
        E[at : at + len(D[k]), l] = 1.0
        E[l, at : at + len(D[k])] = -1.0
        E[l, int(np.searchsorted(acts, k))] = v.mu[k, 0]
        at += len(D[k])
    W = v.W if isinstance(v.W, np.ndarray) else v.W.toarray()
    p = B.T @ v.q.ravel()
    unit = np.abs(p).max() or 1.0
    return B.T @ W @ B + E, p / unit, B * unit, exact


def pivot(v: View, goal: float, limit: int) -> int:
    """Solve one island; returns the number of pivots.  What else there is to say goes to `v.message`."""
    if v.d == 6 and v.mu[:, 1:].any():
        v.message = "LEMKE has no spin and rolling resistance"
        return 0
    problem = linear_problem(v)
    if problem is None:
        v.message = f"LEMKE pivots a dense tableau: {len(v.k)} contacts are too many for it"
        return 0
    M, p, B, exact = problem
    x, pivots, outcome = lemke(M, p)
    if x is None:
        v.message = (
            "LEMKE ended on a ray: no solution was found" if outcome == "ray" else "LEMKE cycled without a solution"
        )
        return pivots
    if not exact:
        v.message = f"LEMKE took friction cones as pyramids of {FACETS} faces"
    v.put((B @ x).reshape(len(v.k), v.d))
    return pivots
