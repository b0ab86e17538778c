"""Cholesky factors of large sparse matrices of finite elements: nested dissection by the places of nodes, dense fronts.

Multifrontal method (Duff & Reid, ACM Transactions on Mathematical Software 9 (1983) 302-325; Liu, SIAM Review 34 (1992)
82-109) on the tree of a nested dissection (George, SIAM J. Numerical Analysis 10 (1973) 345-363), whose separators are
layers of nodes next to planes across the longest side of what is left.  Fronts go to LAPACK and BLAS.  For 48,000
unknowns of quadratic tetrahedra SuperLU takes 4 times as long and holds 2.3 times as many numbers
(MMD_AT_PLUS_A), or 6.5 and 2.8 times (COLAMD): its factors are two, its orderings know no positions, and it works on
small blocks.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dsyrk, dtrsm
from scipy.linalg.lapack import dpotrf

LEAF = 48  # nodes that are not split further
CUTS = np.linspace(0.36, 0.64, 15)  # shares of the nodes on one side that are tried


class Indefinite(ArithmeticError):
    """A pivot is not positive; ``unknown`` is its number."""

    def __init__(self, unknown: int) -> None:
        super().__init__(f"pivot of unknown {unknown} is not positive")
        self.unknown = unknown


class Cholesky:
    """K = L L^T of a symmetric positive definite matrix.

    ``K`` (n, n) sparse, both triangles; ``node`` (n,): number of the node of each unknown, from 0; ``places`` (a, 3) of
    the nodes (any unit). Raises `Indefinite`.
    """

    def __init__(self, K, node: np.ndarray, places: np.ndarray) -> None:
        node = np.asarray(node)
        n, a = len(node), len(places)
        K = K.tocsc()
        joined = sp.csr_matrix(
            (np.ones(len(K.indices), bool), (node[K.indices], node[np.repeat(np.arange(n), np.diff(K.indptr))])),
            shape=(a, a),
        )
        fronts = _dissect(joined, np.asarray(places, float), np.unique(node))
        # nodes in the order of elimination; unknowns follow theirs
        order = np.concatenate([own for own, _ in fronts])
        rank = np.full(a, -1)
        rank[order] = np.arange(len(order))
        self.order = np.argsort(rank[node], kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(rank[node], minlength=len(order)))])
        K = K[self.order][:, self.order].tocsc()
        K.sort_indices()
        self.fronts: list[tuple[int, int, np.ndarray, np.ndarray, np.ndarray]] = []
        edges: list[np.ndarray] = []  # of each front: later nodes that it touches
        updates: list[tuple[np.ndarray, np.ndarray] | None] = []
        first = 0
        for own, children in fronts:
            last = first + len(own)
            near = [rank[joined.indices[joined.indptr[k] : joined.indptr[k + 1]]] for k in own] + [
                edges[c] for c in children
            ]
            edge = np.unique(np.concatenate(near))
            edge = edge[edge >= last]
            edges.append(edge)
            s, e = int(start[first]), int(start[last])
            around = (
                np.concatenate([np.arange(start[k], start[k + 1]) for k in edge])
                if len(edge)
                else np.zeros(0, np.int64)
            )
            updates.append(self._front(K, s, e, around, [updates[c] for c in children]))
            for c in children:
                updates[c] = None
                edges[c] = edges[c][:0]
            first = last

    def _front(self, K, s: int, e: int, around: np.ndarray, below: list) -> tuple[np.ndarray, np.ndarray]:
        m, b = e - s, len(around)
        F = np.zeros((m + b, m + b), order="F")
        of = lambda rows: np.where(rows < e, rows - s, m + np.searchsorted(around, rows))
        rows = K.indices[K.indptr[s] : K.indptr[e]]
        columns = np.repeat(np.arange(m), np.diff(K.indptr[s : e + 1]))
        later = rows >= s
        F[of(rows[later]), columns[later]] = K.data[K.indptr[s] : K.indptr[e]][later]
        for where, S in below:
            at = of(where)
            # in runs of neighbours, which are slices
            runs = np.flatnonzero(np.diff(at) != 1) + 1
            ends = np.concatenate([[0], runs, [len(at)]])
            if len(ends) < 40:
                for i in range(len(ends) - 1):
                    for j in range(i + 1):
                        p, q = slice(at[ends[i]], at[ends[i + 1] - 1] + 1), slice(at[ends[j]], at[ends[j + 1] - 1] + 1)
                        F[p, q] += S[ends[i] : ends[i + 1], ends[j] : ends[j + 1]]
            else:
                for j, column in enumerate(at):
                    F[at[j:], column] += S[j:, j]
        L, info = dpotrf(F[:m, :m], lower=1)
        if info:
            raise Indefinite(int(self.order[s + max(info, 1) - 1]))
        if not b:
            self.fronts.append((s, e, around, L, F[:0, :m]))
            return around, F[:0, :0]
        low = dtrsm(1.0, L, F[m:, :m], side=1, lower=1, trans_a=1)
        S = dsyrk(-1.0, low, 1.0, np.asfortranarray(F[m:, m:]), lower=1, overwrite_c=1)
        self.fronts.append((s, e, around, L, low))
        return around, S

    @property
    def nonzeros(self) -> int:
        """Numbers that the factor holds."""
        return sum(L.size + low.size for *_, L, low in self.fronts)

    def solve(self, load: np.ndarray) -> np.ndarray:
        """K^-1 of loads (n,) or (n, k)."""
        x = np.asarray(load, float)[self.order].reshape(len(self.order), -1)
        for s, e, around, L, low in self.fronts:
            x[s:e] = dtrsm(1.0, L, x[s:e], lower=1)
            if len(around):
                x[around] -= low @ x[s:e]
        for s, e, around, L, low in reversed(self.fronts):
            part = x[s:e] - low.T @ x[around] if len(around) else x[s:e]
            x[s:e] = dtrsm(1.0, L, part, lower=1, trans_a=1)
        out = np.empty_like(x)
        out[self.order] = x
        return out.reshape(np.shape(load))


def _dissect(joined: sp.csr_matrix, places: np.ndarray, nodes: np.ndarray) -> list[tuple[np.ndarray, list[int]]]:
    """Fronts in the order of elimination: their nodes, and the numbers of the fronts right below."""
    out: list[tuple[np.ndarray, list[int]]] = []

    def split(graph: sp.csr_matrix, own: np.ndarray) -> int:
        cut = None if len(own) <= LEAF else _cut(graph, places[own])
        below = []
        if cut is not None:
            for side in (-1, 1):
                part = np.flatnonzero(cut == side)
                below.append(split(graph[part][:, part], own[part]))
            own = own[cut == 0]
        out.append((own, below))
        return len(out) - 1

    split(joined[nodes][:, nodes], nodes)
    return out


def _cut(graph: sp.csr_matrix, at: np.ndarray) -> np.ndarray | None:
    """-1, 0, 1 for nodes on one side, between and on the other; None where nothing splits them."""
    a = np.repeat(np.arange(len(at)), np.diff(graph.indptr))
    b = graph.indices
    wide = np.ptp(at, axis=0)
    best, found = np.inf, None
    for axis in np.argsort(-wide)[:2]:
        if not wide[axis] > 0.5 * wide.max() or not wide[axis] > 0.0:
            continue
        x = at[:, axis]
        for c in np.unique(np.quantile(x, CUTS, method="nearest")):
            low = x <= c
            crossing = low[a] & ~low[b]
            for layer, side in ((a, low), (b, ~low)):
                between = np.zeros(len(at), bool)
                between[layer[crossing]] = True
                rest = int((side & ~between).sum())
                other = int((~side).sum())
                if not rest or not other:
                    continue
                cost = between.sum() * (1.0 + 2.0 * ((rest - other) / (rest + other)) ** 2)
                if cost < best:
                    best, found = cost, np.where(between, 0, np.where(low, -1, 1))
    return found
