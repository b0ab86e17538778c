"""Small full matrices, real or complex, as kernels: LU with partial pivoting, row by row."""

from __future__ import annotations

from .._jit import jit


@jit
def factor_dense(A, order):
    """A (n, n) <- its factors, order (n,) <- rows in the order of elimination.  Returns the smallest pivot as a share
    of the largest entry of its row, zero for a singular matrix (Golub and Van Loan, Matrix Computations, 3.4)."""
    n = A.shape[0]
    least = 1.0
    for k in range(n):
        order[k] = k
    for k in range(n):
        best = k
        most = abs(A[k, k])
        for i in range(k + 1, n):
            a = abs(A[i, k])
            if a > most:
                most = a
                best = i
        if not (0.0 < most < 1e300):
            return 0.0
        if best != k:
            for j in range(n):
                x = A[k, j]
                A[k, j] = A[best, j]
                A[best, j] = x
            order[k], order[best] = order[best], order[k]
        size = 0.0
        for j in range(k, n):
            size = max(size, abs(A[k, j]))
        least = min(least, most / size)
        inverse = 1.0 / A[k, k]
        for i in range(k + 1, n):
            x = A[i, k]
            if x != 0.0:
                x *= inverse
                A[i, k] = x
                for j in range(k + 1, n):
                    A[i, j] -= x * A[k, j]
    return least


@jit
def solve_dense(A, order, b, x):
    """x (n,) <- A^-1 b with the factors of `factor_dense`; not the same array as b."""
    n = A.shape[0]
    for i in range(n):
        t = b[order[i]]
        for j in range(i):
            t -= A[i, j] * x[j]
        x[i] = t
    for ii in range(n):
        i = n - 1 - ii
        t = x[i]
        for j in range(i + 1, n):
            t -= A[i, j] * x[j]
        x[i] = t / A[i, i]
