"""Sparse L D Lᵀ of a symmetric positive (semi)definite matrix: pattern fixed, dependent rows skipped.

With S = P A Pᵀ (P: minimum degree on super-nodes), S = L D Lᵀ, L unit lower triangular.  The numeric kernel is
right-looking and follows a precomputed map of its updates, so it neither searches nor gathers.  A pivot that falls
below eps times the largest diagonal that its row has had marks a row that depends on the rows before it: its column of
L is zeroed, its inverse pivot is 0 and so is its unknown (design notes CLOSED_LOOPS, 4.1 and 4.2).

Arrays D, Di, scale and skip are in elimination order: row r of the matrix is at ``pattern.arrays.place[r]``.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .._jit import jit
from ._ordering import choose, order_rows, sort_columns

ONE = np.uint64(1)
DECIDE, FROZEN, KEEP_ALL = 0, 1, 2

LDLArrays = namedtuple("LDLArrays", "place Lp Li Lmap")
LDLArrays.__doc__ = """Pattern for kernels, all uint32: place (n) row -> position; Lp (n+1), Li (nnz): columns of L
below the diagonal, rows rising; Lmap: index into Lx of each update, in the order in which `ldl_factor` meets them, or
empty when it would be too long."""

LDLWork = namedtuple("LDLWork", "Lx D Di scale skip work")
LDLWork.__doc__ = """Numbers of one factorisation: Lx (nnz), D, Di, scale, work (n) float64; skip (n) uint8."""


@jit(_nrt=True, entry="int64, int64[::1], int64[::1]")
def _symbolic(n, Cp, Ci):
    """Columns of L from the strictly lower columns Cp, Ci (duplicates allowed): Lp, Li with rising rows."""
    Lp = np.zeros(n + 1, np.int64)
    Li = np.empty(4 * len(Ci) + n + 16, np.int64)
    mark = np.full(n, -1, np.int64)
    child = np.full(n, -1, np.int64)
    sibling = np.full(n, -1, np.int64)
    top = 0
    for c in range(n):
        need = Cp[c + 1] - Cp[c]
        k = child[c]
        while k >= 0:
            need += Lp[k + 1] - Lp[k]
            k = sibling[k]
        if top + need > len(Li):
            bigger = np.empty(2 * (top + need), np.int64)
            for t in range(top):
                bigger[t] = Li[t]
            Li = bigger
        mark[c] = c
        parent = n
        for t in range(Cp[c], Cp[c + 1]):
            r = Ci[t]
            if mark[r] != c:
                mark[r] = c
                Li[top] = r
                top += 1
                parent = min(parent, r)
        k = child[c]
        while k >= 0:
            for t in range(Lp[k], Lp[k + 1]):
                r = Li[t]
                if mark[r] != c:
                    mark[r] = c
                    Li[top] = r
                    top += 1
                    parent = min(parent, r)
            k = sibling[k]
        if parent < n:
            sibling[c] = child[parent]
            child[parent] = c
        Lp[c + 1] = top
    return Lp, sort_columns(n, Lp, Li)


@jit(entry="int64, int64[::1], int64[::1], uint32[::1]")
def _update_map(n, Lp, Li, out):
    """Targets in Lx of the updates of every column; two rising lists are walked together."""
    t = 0
    for c in range(n):
        hi = Lp[c + 1]
        for a in range(Lp[c], hi):
            q = Lp[Li[a]]
            for b in range(a + 1, hi):
                while Li[q] != Li[b]:
                    q += 1
                out[t] = q
                t += 1


class LDLPattern:
    """Order, pattern of L and update map of one symmetric n x n pattern; see `build_ldl`.

    n: rows; nnz: entries of L below the diagonal; order (n): order[k] is the row at position k; arrays: `LDLArrays`.
    """

    def __init__(self, n, place, Lp, Li, Lmap):
        self.n = n
        self.nnz = len(Li)
        self.order = np.argsort(place, kind="stable")
        self.arrays = LDLArrays(*(np.ascontiguousarray(a, dtype=np.uint32) for a in (place, Lp, Li, Lmap)))
        self._place = place
        self._keys = np.repeat(np.arange(n), np.diff(Lp)) * n + Li

    def position(self, i, j):
        """Where the matrix entries (i, j) go: index into Lx, or into D where i == j.

        i, j: rows and columns in the caller's numbering, any equal shape; (i, j) and (j, i) share one position, which
        is written once.  Returns int64 of the same shape.  Raises KeyError for an entry that is not in the pattern.
        """
        a, b = self._place[np.asarray(i)], self._place[np.asarray(j)]
        low, high = np.maximum(a, b), np.minimum(a, b)
        key = high * self.n + low
        at = np.searchsorted(self._keys, key)
        found = (a == b) | (self._keys[np.minimum(at, self.nnz - 1)] == key) if self.nnz else a == b
        if not np.all(found):
            k = int(np.flatnonzero(~np.atleast_1d(found).ravel())[0])
            pair = [int(np.atleast_1d(np.broadcast_to(x, np.shape(a))).ravel()[k]) for x in (i, j)]
            raise KeyError(f"entry ({pair[0]}, {pair[1]}) is not in the pattern")
        return np.where(a == b, a, at)

    def work(self):
        """Fresh zeroed arrays for one factorisation, `LDLWork`."""
        z = lambda m: np.zeros(m)
        return LDLWork(z(self.nnz), z(self.n), z(self.n), z(self.n), np.zeros(self.n, np.uint8), z(self.n))


def build_ldl(n, rows, cols, groups=None, map_limit=20_000_000, last=None) -> LDLPattern:
    """Order and analyse a symmetric pattern.

    n: number of rows; rows, cols (any length): coordinates from either triangle, duplicates allowed, diagonal implied;
    groups (n) int or None: super-node (joint) of each row; rows of a node stay adjacent in their given order.
    map_limit: longest update map (4 bytes each); above it the factorisation looks its targets up, in less memory.
    last (n) or None: nodes are eliminated by rising largest ``last`` of their rows, whatever fills in, instead of by
    minimum degree. Raises ValueError for an entry outside of the matrix.
    """
    rows, cols = np.asarray(rows, np.int64).ravel(), np.asarray(cols, np.int64).ravel()
    if rows.size and (min(rows.min(), cols.min()) < 0 or max(rows.max(), cols.max()) >= n):
        raise ValueError(f"pattern entry outside of the {n} x {n} matrix")
    if n == 0:  # bodies without joints: nothing to order, and no kernel to compile for it
        none = np.zeros(0, np.int64)
        return LDLPattern(0, none, np.zeros(1, np.int64), none, none)
    place = order_rows(n, rows, cols, groups) if last is None else _rising(n, groups, np.asarray(last, float))
    a, b = place[rows], place[cols]
    keys = np.unique((np.minimum(a, b) * n + np.maximum(a, b))[a != b])
    Cp = np.searchsorted(keys, np.arange(n + 1) * n).astype(np.int64)
    Lp, Li = choose(n, len(keys))(_symbolic, n, Cp, keys % n)
    count = np.diff(Lp)
    updates = int((count * (count - 1) // 2).sum())
    Lmap = np.empty(updates if updates <= map_limit else 0, np.uint32)
    if len(Lmap):
        choose(n, updates // 10)(_update_map, n, Lp, Li, Lmap)
    return LDLPattern(n, place, Lp, Li, Lmap)


def _rising(n, groups, last):
    """Position (n,) of every row: nodes by their largest ``last``, rows of a node adjacent in their given order."""
    _, group = np.unique(np.arange(n) if groups is None else np.asarray(groups, np.int64), return_inverse=True)
    most = np.zeros(group.max() + 1)
    np.maximum.at(most, group, last)
    place = np.empty(n, np.int64)
    place[np.lexsort((np.arange(n), group, most[group]))] = np.arange(n)
    return place


@jit(entry="LDLArrays, float64[::1], float64[::1], float64[::1], float64[::1], uint8[::1], float64, int64")
def ldl_factor(pat, Lx, D, Di, scale, skip, eps, mode):
    """Factor in place.  Lx, D hold the matrix on entry (see `LDLPattern.position`), L and the pivots on return.

    pat: LDLArrays; Lx (nnz), D, Di, scale (n) float64; skip (n) uint8; Di returns the inverse pivots.
    mode 0: scale[k] = max(scale[k], D[k] on entry), then row k is skipped when its pivot <= eps*scale[k], and skip[k]
    reports this.  mode 1: skip[] is taken as it is and scale only read.  mode 2: scale as in mode 0, and no row is
    skipped. D keeps the pivots of skipped rows for the report.

    Returns (worst, skipped): smallest pivot/scale of the rows not skipped, number of rows skipped.  worst is -1 when a
    pivot is NaN, or not positive though its row is not to be skipped; that row is left out and the caller must refuse.
    """
    n = D.shape[0]
    worst = 1.0
    bad = False
    skipped = 0
    mapped = pat.Lmap.shape[0] > 0
    if mode != 1:
        for k in range(n):
            if D[k] > scale[k]:
                scale[k] = D[k]
            if mode == 2:
                skip[k] = 0
    t = np.uint64(0)
    for k in range(np.uint64(n)):
        d = D[k]
        lo = pat.Lp[k]
        hi = pat.Lp[k + ONE]
        if mode == 0:
            leave = not (d > eps * scale[k])
            skip[k] = leave
            skipped += leave
            bad = bad or d != d
        else:
            leave = skip[k] != 0
            skipped += leave
            if not leave and not (d > 0.0):
                leave = True
                bad = True
        if leave:
            Di[k] = 0.0
            for p in range(lo, hi):
                Lx[p] = 0.0
            m = np.uint64(hi) - np.uint64(lo)
            if m > ONE:
                t += m * (m - ONE) // np.uint64(2)
            continue
        if d < worst * scale[k]:
            worst = d / scale[k]
        inv = 1.0 / d
        Di[k] = inv
        for p in range(lo, hi):
            v = Lx[p] * inv
            D[pat.Li[p]] -= v * Lx[p]
            if mapped:
                for r in range(p + ONE, hi):
                    Lx[pat.Lmap[t]] -= v * Lx[r]
                    t += ONE
            else:
                q = np.uint64(pat.Lp[pat.Li[p]])
                for r in range(p + ONE, hi):
                    while pat.Li[q] != pat.Li[r]:
                        q += ONE
                    Lx[q] -= v * Lx[r]
        for p in range(lo, hi):
            Lx[p] *= inv
    if bad:
        worst = -1.0
    return worst, skipped


@jit(entry="LDLArrays, float64[::1], float64[::1], float64[::1], float64[::1]")
def ldl_solve(pat, Lx, Di, b, work):
    """Solve A x = b in place, b (n) in the caller's numbering; unknowns of skipped rows are 0.  work (n).

    Unknowns that the matrix leaves out, whose position is n, become 0 too; work is then longer by one.
    """
    n = Di.shape[0]
    for k in range(b.shape[0]):
        work[pat.place[k]] = b[k]
    for k in range(np.uint64(n)):
        v = work[k]
        for p in range(pat.Lp[k], pat.Lp[k + ONE]):
            work[pat.Li[p]] -= Lx[p] * v
    for j in range(np.uint64(n)):
        k = np.uint64(n) - ONE - j
        v = work[k] * Di[k]
        for p in range(pat.Lp[k], pat.Lp[k + ONE]):
            v -= Lx[p] * work[pat.Li[p]]
        work[k] = v
    if work.shape[0] > n:
        work[n] = 0.0
    for k in range(b.shape[0]):
        b[k] = work[pat.place[k]]
