"""Which rows of a constraint Jacobian depend on the rows before them.

Rows are scaled to unit length.  Going through them in order (`priority`, then as given), a row is dropped when its
distance from the span of the rows kept before it is at most `tol`: Gram-Schmidt with one repetition (W. Hoffmann,
Computing 41 (1989): twice is enough).  What a dropped row repeats is then unique, since the kept rows are independent.

Rows that share no column, directly or through others, are treated apart.  In large connected sets a sparse LDLᵀ of
J Jᵀ first finds the candidates: its pivots are squared distances, blind below 1e-8, so it is requested everything
closer than 1e-5 and Gram-Schmidt decides on the rows that the candidates nearly repeat, and on no others.  Where more
than 1200 of these hang together the candidates are dropped as they are, in elimination order instead of `priority`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular
from scipy.sparse.csgraph import connected_components

from .ldl import DECIDE, build_ldl, ldl_factor, ldl_solve

DENSE_ROWS = 300
DENSE = 40_000  # entries of a matrix of at most DENSE_ROWS rows that is not made sparse at all
LARGEST = 1200  # rows connected by dependences among which the order of preference still decides
CANDIDATE = 1e-10
NEIGHBOUR = 1e-7


@dataclass(frozen=True)
class RankReport:
    """rank; kept, dropped: row numbers, rising; combinations[k]: for dropped[k], the list of (row, coefficient) with
    J[dropped[k]] = sum of coefficient * J[row] over kept rows (empty for a zero row); pivots (m): distance of each unit
    row from the rows before it (in large sets, for rows far from any redundancy, before it in elimination order)."""

    rank: int
    kept: list[int]
    dropped: list[int]
    combinations: list[list[tuple[int, float]]]
    pivots: np.ndarray = field(repr=False)

    def describe(self, names=None) -> str:
        """One line per dropped row, "row 17 repeats rows 3, 5"; names: text for each row."""
        name = (lambda k: f"row {k}") if names is None else (lambda k: str(names[k]))
        lines = []
        for row, parts in zip(self.dropped, self.combinations):
            said = f"repeats {', '.join(name(r) for r, _ in parts)}" if parts else "is zero"
            lines.append(f"{name(row)} {said}")
        return "\n".join(lines)


def _gram_schmidt(A, tol):
    """In-order independence of the unit rows of dense A (m, n): kept positions, {dropped: coefficients over the kept
    rows before it}, distances (m)."""
    m, n = A.shape
    Q = np.zeros((min(m, n), n))
    R = np.zeros((min(m, n), min(m, n)))  # kept rows = Rᵀ Q, R upper triangular
    kept, dropped, distance = [], {}, np.zeros(m)
    for i in range(m):
        r = len(kept)
        q = Q[:r]
        c = q @ A[i]
        v = A[i] - c @ q
        d = q @ v
        v -= d @ q
        c += d
        distance[i] = np.linalg.norm(v)
        if r < len(Q) and distance[i] > tol:
            Q[r] = v / distance[i]
            R[:r, r] = c
            R[r, r] = distance[i]
            kept.append(i)
        else:
            dropped[i] = solve_triangular(R[:r, :r], c, check_finite=False) if r else np.zeros(0)
    return kept, dropped, distance


def _clean(A, row, rows, c, best):
    """Least support: leave out tiny coefficients where what is left, solved again, repeats the row as well as c, to
    within ``best``."""
    for tiny in (1e-6, 1e-9, 1e-12):
        keep = np.abs(c) > tiny
        if keep.all():
            break
        kept = np.asarray(rows)[keep]
        if not len(kept):
            continue
        new = np.linalg.lstsq(A[kept].T, A[row], rcond=None)[0]
        if np.linalg.norm(A[row] - new @ A[kept]) <= 4.0 * best + 1e-14:
            return [int(r) for r in kept], new
    keep = np.abs(c) > 0.0
    return [int(r) for r in np.asarray(rows, int)[keep]], c[keep]


def _dense_block(U, rows, tol, pivots, found):
    """Decide rows (in order of preference) of the unit-row matrix U, dense or sparse, exactly; fill pivots and
    found."""
    B = U[rows]
    A = B[:, B.any(axis=0)] if isinstance(B, np.ndarray) else B[:, np.unique(B.indices)].toarray()
    kept, dropped, distance = _gram_schmidt(A, tol)
    pivots[rows] = distance
    for i, c in dropped.items():
        before = [k for k in kept if k < i]
        support, coefficients = _clean(A, i, before, c, distance[i])
        found[int(rows[i])] = [(int(rows[s]), float(v)) for s, v in zip(support, coefficients)]


def _large_block(U, rows, tol, pivots, found):
    """As `_dense_block` by way of the sparse LDLᵀ of the Gram matrix."""
    B = U[rows]
    S = (B @ B.T).tocoo()
    low = S.row >= S.col
    i, j, s = S.row[low], S.col[low], S.data[low]
    m = len(rows)
    p = build_ldl(m, i, j)
    w = p.work()
    at = p.position(i, j)
    w.D[at[i == j]] = s[i == j]
    w.Lx[at[i != j]] = s[i != j]
    _, skipped = ldl_factor(p.arrays, w.Lx, w.D, w.Di, w.scale, w.skip, CANDIDATE, DECIDE)
    pivots[rows] = np.sqrt(np.maximum(w.D[p.arrays.place.astype(np.int64)], 0.0))
    if not skipped:
        return
    # Left null vectors of J lie in the span of the near-null vectors e_k - S⁻¹ S e_k of the candidates k: only rows in
    # their supports can take part in a dependence, and supports that do not meet decide apart.
    S = S.tocsc()
    member, owner, repeats = [], [], {}
    for number, k in enumerate(p.order[w.skip == 1]):
        z = S[:, [k]].toarray().ravel()
        ldl_solve(p.arrays, w.Lx, w.Di, z, w.work)
        near = np.flatnonzero(np.abs(z) > NEIGHBOUR)
        near = near[near != k]
        member += [k, *near]
        owner += [number] * (len(near) + 1)
        repeats[int(k)] = (near, z[near])
    touch = sp.csr_matrix((np.ones(len(member)), (member, owner)), shape=(m, skipped))
    rowwise = touch @ touch.T
    count, label = connected_components(rowwise, directed=False)
    involved = np.unique(member)
    for c in np.unique(label[involved]):
        part = involved[label[involved] == c]
        if len(part) <= LARGEST:
            _dense_block(U, rows[part], tol, pivots, found)
            continue
        # too many for Gram-Schmidt: the candidates themselves, as far as what they repeat gives them back
        for k in part[np.isin(part, list(repeats))]:
            near, share = repeats[int(k)]
            left = B[[k]] - sp.csr_matrix(share) @ B[near]
            pivots[rows[k]] = np.sqrt(left.multiply(left).sum())
            if pivots[rows[k]] <= max(tol, NEIGHBOUR):
                found[int(rows[k])] = [(int(rows[r]), float(v)) for r, v in zip(near, share)]


def _not_finite(row: int) -> ValueError:
    return ValueError(f"row {row} has an entry that is not finite")


def _unit_rows(J, weights) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """J with the metric of the columns and rows of unit length; their lengths are the products of the two that follow,
    zero for rows of zeros; number of the set of connected rows to which each belongs.  Dense."""
    U = J.toarray().astype(float) if sp.issparse(J) else J.copy()
    if not np.isfinite(U).all():
        raise _not_finite(int(np.flatnonzero(~np.isfinite(U).all(axis=1))[0]))
    if weights is not None:
        U *= np.sqrt(weights)
    # Largest entry first, so that rows of 1e-200 or 1e200 do not lose their length.
    top = np.abs(U).max(axis=1, initial=0.0)
    safe = np.where(top > 0.0, top, 1.0)
    U /= safe[:, None]
    norm = np.sqrt(np.einsum("ij,ij->i", U, U))
    U /= np.where(norm > 0.0, norm, 1.0)[:, None]
    there = (U != 0.0).astype(float)
    return U, norm, safe, connected_components(there @ there.T, directed=False)[1] if len(U) else np.zeros(0, int)


def _sparse_unit_rows(J, weights) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """As `_unit_rows`, sparse."""
    U = sp.csr_matrix(J, dtype=float, copy=True)
    U.sum_duplicates()
    U.eliminate_zeros()
    m, n = U.shape
    if not np.all(np.isfinite(U.data)):
        k = int(np.flatnonzero(~np.isfinite(U.data))[0])
        raise _not_finite(int(np.searchsorted(U.indptr, k, side="right") - 1))
    if weights is not None:
        U = (U @ sp.diags(np.sqrt(weights))).tocsr()
    top = np.asarray(abs(U).max(axis=1).todense()).ravel() if U.nnz else np.zeros(m)
    safe = np.where(top > 0.0, top, 1.0)
    U = (sp.diags(1.0 / safe) @ U).tocsr()
    norm = np.sqrt(np.asarray(U.multiply(U).sum(axis=1)).ravel())
    U = (sp.diags(1.0 / np.where(norm > 0.0, norm, 1.0)) @ U).tocsr()
    graph = sp.bmat([[None, abs(U)], [abs(U).T, None]]) if m and n else sp.csr_matrix((m + n, m + n))
    return U, norm, safe, connected_components(graph, directed=False)[1][:m]


def independent_rows(J, weights=None, tol=1e-9, priority=None) -> RankReport:
    """Rank of J and the rows to leave out.

    J (m, n): dense or sparse; weights (n): positive, the metric of the columns (inverse masses: J diag(w) Jᵀ is the
    Schur matrix); tol: distance, relative to the length of the row, below which a row counts as dependent;
    priority (m) int: rows of lower priority number are kept first, equal ones in the order given.

    Raises ValueError for non-finite entries and non-positive weights.
    """
    J = J if sp.issparse(J) else np.asarray(J, float)
    m, n = J.shape
    if weights is not None:
        weights = np.asarray(weights, float)
        if weights.shape != (n,) or not np.all(weights > 0.0):
            raise ValueError(f"weights must be {n} positive numbers")
    small = m <= DENSE_ROWS and m * n <= DENSE
    U, norm, safe, label = (_unit_rows if small else _sparse_unit_rows)(J, weights)
    length = norm * safe
    preference = np.arange(m) if priority is None else np.lexsort((np.arange(m), np.asarray(priority)))
    of_row = label[preference]
    pivots = np.zeros(m)
    found: dict[int, list[tuple[int, float]]] = {int(k): [] for k in np.flatnonzero(norm == 0.0)}
    by_set = np.argsort(of_row, kind="stable")
    cuts = np.flatnonzero(np.diff(of_row[by_set])) + 1
    for part in np.split(preference[by_set], cuts):
        if len(part) and norm[part[0]] > 0.0:
            (_dense_block if len(part) <= DENSE_ROWS else _large_block)(U, part, tol, pivots, found)
    dropped = sorted(found)
    combinations = [sorted((r, c * float(length[k] / length[r])) for r, c in found[k]) for k in dropped]
    kept = [k for k in range(m) if k not in found]
    return RankReport(len(kept), kept, dropped, combinations, pivots)
