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
    # Rounded keys: conjugates and equal magnitudes must not change places by their last bits.
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
