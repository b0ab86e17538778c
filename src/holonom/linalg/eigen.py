"""Eigenvalues of dense pencils A x = λ B x with singular B, and null spaces that make such pencils regular.

A constrained system linearised with its multipliers is a pencil with many infinite eigenvalues.  `finite_eigenvalues`
leaves them out by the homogeneous form (α, β), λ = α/β (C. B. Moler, G. W. Stewart, SIAM J. Numer. Anal. 10 (1973)).
In chains (index 2 and 3) roundoff turns an infinite eigenvalue into one of size eps^(-1/index), so projecting on
``nullspace(J)`` first, which removes the multipliers, is the accurate way.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.linalg as sla
import scipy.sparse as sp


class SingularPencil(ArithmeticError):
    """det(A - λ B) vanishes for every λ: the eigenvalues mean nothing (too few equations for the unknowns)."""


@dataclass(frozen=True)
class EigenReport:
    """values (k): finite eigenvalues, complex, sorted by magnitude, then real part, then imaginary part (conjugate
    pairs: negative imaginary part first); vectors (n, k) of unit length, or None; infinite: number of infinite ones."""

    values: np.ndarray
    vectors: np.ndarray | None = field(repr=False)
    infinite: int


def _dense(A):
    return A.toarray() if sp.issparse(A) else np.asarray(A)


def finite_eigenvalues(A, B, vectors=False, tol=1e-10) -> EigenReport:
    """Finite eigenvalues of A x = λ B x.

    A, B (n, n): dense or sparse, real or complex, B may be singular.  Each is scaled to norm 1; an eigenvalue whose
    |β| <= tol |α| is infinite, one whose |α| and |β| both vanish makes the pencil singular.
    Raises SingularPencil, and ValueError for shapes that do not fit.
    """
    A, B = _dense(A), _dense(B)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or A.shape != B.shape:
        raise ValueError(f"A {A.shape} and B {B.shape} must be square and alike")
    n = A.shape[0]
    if n == 0:
        return EigenReport(np.zeros(0, complex), np.zeros((0, 0), complex) if vectors else None, 0)
    a, b = np.linalg.norm(A, np.inf) or 1.0, np.linalg.norm(B, np.inf) or 1.0
    got = sla.eig(A / a, B / b, right=vectors, homogeneous_eigvals=True)
    alpha, beta = got[0] if vectors else got
    small = 10.0 * n * np.finfo(float).eps
    if np.any((np.abs(alpha) <= small) & (np.abs(beta) <= small)):
        raise SingularPencil("A and B share a null direction: det(A - λ B) is zero for every λ")
    finite = np.abs(beta) > tol * np.abs(alpha)
    values = alpha[finite] / beta[finite] * (a / b)
    # Rounded keys: conjugates and equal magnitudes must not change positions by their last bits.
    scale = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(values), 1e-300))) - 9)
    order = np.lexsort((values.imag, np.round(values.real / scale) * scale, np.round(np.abs(values) / scale) * scale))
    x = None
    if vectors:
        x = got[1][:, finite][:, order]
        x = x / np.linalg.norm(x, axis=0)
    return EigenReport(values[order], x, int(n - finite.sum()))


def nullspace(J, tol=1e-10):
    """Orthonormal basis N (n, n - rank) of {x: J x = 0}, by QR with column pivoting of Jᵀ.

    J (m, n): dense or sparse; rows are scaled to unit length first, so that units do not decide the rank; pivots below
    tol of the largest count as zero.  The signs are fixed: the largest entry of each column is positive.
    """
    J = np.array(_dense(J), dtype=float)
    m, n = J.shape
    norm = np.linalg.norm(J, axis=1)
    J = J[norm > 0.0] / norm[norm > 0.0, None]
    if not len(J):
        return np.eye(n)
    Q, R, _ = sla.qr(J.T, pivoting=True)
    d = np.abs(np.diag(R))
    N = Q[:, int(np.sum(d > tol * d[0])) :]
    largest = N[np.argmax(np.abs(N), axis=0), np.arange(N.shape[1])]
    return N * np.where(largest < 0.0, -1.0, 1.0)


@dataclass(frozen=True)
class StateModes:
    """Eigenvalues of a real square matrix whose zero eigenvalues were split off first (`eigenvalues_of_states`).

    values (k): all that are not zero, sorted by magnitude, then imaginary part (conjugate pairs stand together,
    positive imaginary part first); vectors (n, k) of unit length.  zero (n, z): orthonormal basis of {x: A x = 0};
    chains (z): lengths of the Jordan chains of the zero eigenvalue, falling (2 for a rigid-body motion); they sum up to
    its multiplicity.
    """

    values: np.ndarray
    vectors: np.ndarray = field(repr=False)
    zero: np.ndarray = field(repr=False)
    chains: list[int]


def eigenvalues_of_states(A, scale=None, limit=None) -> StateModes:
    """Eigenvalues of the state matrix A (n, n) with zero ones exact.

    scale (n): units of the states; limit: a direction (in those units) that A shrinks to less than this is null.
    Without them A is balanced and 1e-9 of its norm is the limit.

    A rigid-body motion is a double zero eigenvalue with one eigenvector; plain QR spreads it to ± the square root of
    the noise. So null spaces are split off by orthogonal transformations until what is left is regular (the staircase
    of V. N. Kublanovskaya, USSR Comp. Math. 6 (1966), for this one eigenvalue).  Raises ValueError for a matrix that is
    not square or not finite.
    """
    A = np.array(_dense(A), dtype=float)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A {A.shape} must be square")
    if not np.all(np.isfinite(A)):
        raise ValueError("A has an entry that is not finite")
    n = len(A)
    if n == 0:
        return StateModes(np.zeros(0, complex), np.zeros((0, 0), complex), np.zeros((0, 0)), [])
    if scale is None:
        A, (scale, _) = sla.matrix_balance(A, permute=False, separate=True)
    else:
        scale = np.asarray(scale, float)
        A = A * scale / scale[:, None]
    if limit is None:
        limit = 1e-9 * np.linalg.norm(A, 2)
    Q, T = np.eye(n), A
    counts: list[int] = []
    done = 0
    while done < n:
        _, s, Vt = np.linalg.svd(T[done:, done:])
        r = int(np.sum(s <= limit))
        if r == 0:
            break
        V = np.eye(n)
        V[done:, done:] = np.vstack([Vt[len(s) - r :], Vt[: len(s) - r]]).T  # null directions first
        Q = Q @ V
        T = V.T @ T @ V
        T[done:, done : done + r] = 0.0
        counts.append(r)
        done += r
    values, right = np.linalg.eig(T[done:, done:]) if done < n else (np.zeros(0, complex), np.zeros((0, 0), complex))
    values = values.astype(complex)
    top = np.zeros((done, len(values)), complex)
    for k, value in enumerate(values):  # (T11 - λ) x1 = -T12 x2
        top[:, k] = (
            sla.solve_triangular(T[:done, :done] - value * np.eye(done), -T[:done, done:] @ right[:, k])
            if done
            else 0.0
        )
    vectors = scale[:, None] * (Q @ np.vstack([top, right]))
    zero = scale[:, None] * Q[:, : counts[0]] if counts else np.zeros((n, 0))
    if counts:
        zero = np.linalg.qr(zero)[0]
    size = np.linalg.norm(vectors, axis=0)
    vectors = vectors / np.where(size > 0.0, size, 1.0)
    unit = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(values), 1e-300))) - 9)
    order = np.lexsort(
        (-values.imag, np.abs(values.imag), np.round(values.real / unit) * unit, np.round(np.abs(values) / unit) * unit)
    )
    chains = [sum(c > k for c in counts) for k in range(counts[0])] if counts else []
    return StateModes(values[order], vectors[:, order], zero, chains)
