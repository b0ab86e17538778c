"""Block Gauss-Seidel over contacts on a given Delassus matrix: z = W r + q0, for bodies of mechanisms and for implicit
forces.

The same law and the same sweeps as in body space.  z is kept up to date by the columns of W of the contact that
changed, so that contacts that stay open cost nothing.
"""

from __future__ import annotations

from math import inf

from ..._jit import jit
from .gauss_seidel import momentum
from .local import coulomb, disk, factor
from .prepare import error, join, root, scales, sort_islands


@jit(entry="Problem, float64[:, ::1], float64[:, ::1]")
def prepare_dense(P, WT, D):
    """Before a solver on a matrix, WT its transpose, with q0 in P.z: islands by the blocks of the matrix, local blocks,
    z of the start; D (d, d) is work.  Returns the number of islands."""
    n = P.count[0]
    d = P.H.shape[1]
    parent = P.parent
    for k in range(n):
        parent[k] = k
    for k in range(n):
        for m in range(k):
            joined = False
            for e in range(d):
                for f in range(d):
                    if WT[d * k + e, d * m + f] != 0.0 or WT[d * m + f, d * k + e] != 0.0:
                        joined = True
            if joined:
                join(parent, k, m)
        for e in range(d):
            for f in range(d):
                D[e, f] = WT[d * k + f, d * k + e]
        factor(P.local, k, d, D)
    for k in range(n):
        parent[n + k] = root(parent, k)
    islands = sort_islands(P, n, n)
    scales(P, islands)
    for k in range(n):
        for e in range(d):
            if P.r[k, e] != 0.0:
                add(P, WT, d * k + e, P.r[k, e])
    return islands


@jit
def add(P, WT, row, r):
    """z += r W[:, row]."""
    d = P.H.shape[1]
    for k in range(P.count[0]):
        for e in range(d):
            P.z[k, e] += r * WT[row, d * k + e]


@jit
def sweep_dense(P, WT, first, last):
    """As `sweep`, on a matrix."""
    d = P.H.shape[1]
    r = P.r
    z = P.z
    L = P.local
    r1 = P.r1
    top = 0.0
    back = 0.0
    norm = 0.0
    for m in range(first, last):
        k = P.order[m]
        w = L[k, 0]
        if not w > 0.0:
            continue
        old0 = r[k, 0]
        if d == 1:
            n = old0 - z[k, 0] / w
            if not n > 0.0:
                n = 0.0
            if n != old0:
                r[k, 0] = n
                add(P, WT, k, n - old0)
                top = max(top, w * abs(n - old0))
                back -= w * (n - old0) * (n - r1[k, 0])
                norm += w * (n - old0) * (n - old0)
            continue
        co = L[k, 3]
        si = L[k, 4]
        old1 = r[k, 1]
        old2 = r[k, 2]
        n, x, y = coulomb(
            z[k, 0],
            co * z[k, 1] - si * z[k, 2],
            si * z[k, 1] + co * z[k, 2],
            old0,
            co * old1 - si * old2,
            si * old1 + co * old2,
            P.mu[k, 0],
            w,
            L[k, 1],
            L[k, 2],
            L[k, 5],
            L[k, 6],
        )
        r[k, 0] = n
        r[k, 1] = co * x + si * y
        r[k, 2] = co * y - si * x
        if d == 6:
            old3 = r[k, 3]
            old4 = r[k, 4]
            old5 = r[k, 5]
        for e in range(3):
            old = old0 if e == 0 else old1 if e == 1 else old2
            if r[k, e] != old:
                add(P, WT, d * k + e, r[k, e] - old)
                size = w if e == 0 else L[k, 7]
                top = max(top, size * abs(r[k, e] - old))
                back -= size * (r[k, e] - old) * (r[k, e] - r1[k, e])
                norm += size * (r[k, e] - old) * (r[k, e] - old)
        if d == 6:
            bound = P.mu[k, 1] * n
            if L[k, 8] > 0.0 and (bound > 0.0 or old3 != 0.0):
                r[k, 3] = min(max(old3 - z[k, 3] / L[k, 8], -bound), bound)
                add(P, WT, d * k + 3, r[k, 3] - old3)
                top = max(top, P.mu[k, 1] * L[k, 8] * abs(r[k, 3] - old3))
                back -= L[k, 8] * (r[k, 3] - old3) * (r[k, 3] - r1[k, 3])
                norm += L[k, 8] * (r[k, 3] - old3) * (r[k, 3] - old3)
            bound = P.mu[k, 2] * n
            if bound > 0.0 or old4 != 0.0 or old5 != 0.0:
                w = 0.5 * (L[k, 11] + L[k, 12])
                co = L[k, 9]
                si = L[k, 10]
                x, y = disk(
                    co * z[k, 4] - si * z[k, 5],
                    si * z[k, 4] + co * z[k, 5],
                    co * old4 - si * old5,
                    si * old4 + co * old5,
                    bound,
                    L[k, 11],
                    L[k, 12],
                )
                r[k, 4] = co * x + si * y
                r[k, 5] = co * y - si * x
                add(P, WT, d * k + 4, r[k, 4] - old4)
                add(P, WT, d * k + 5, r[k, 5] - old5)
                top = max(top, P.mu[k, 2] * w * (abs(r[k, 4] - old4) + abs(r[k, 5] - old5)))
                back -= w * ((r[k, 4] - old4) * (r[k, 4] - r1[k, 4]) + (r[k, 5] - old5) * (r[k, 5] - r1[k, 5]))
                norm += w * ((r[k, 4] - old4) * (r[k, 4] - old4) + (r[k, 5] - old5) * (r[k, 5] - old5))
    return top, back, norm


@jit
def extrapolate_dense(P, z1, first, last, b):
    """As `extrapolate`, with z and z1 in the place of u and u1."""
    d = P.H.shape[1]
    for m in range(first, last):
        k = P.order[m]
        for e in range(d):
            r = P.r[k, e]
            P.r[k, e] = r + b * (r - P.r1[k, e])
            P.r1[k, e] = r
            z = P.z[k, e]
            P.z[k, e] = z + b * (z - z1[k, e])
            z1[k, e] = z


@jit(entry="Problem, float64[:, ::1], float64[:, ::1], int64, int64, float64, float64, int64, boolean")
def gauss_seidel_dense(P, WT, z1, begin, end, tolerance, absolute, limit, accelerate):
    """As `gauss_seidel`, on a matrix; z1 (n, d) is work."""
    most = 0
    for s in range(begin, end):
        first = P.start[s]
        last = P.start[s + 1]
        goal = max(tolerance * P.scale[s], absolute)
        if accelerate:
            extrapolate_dense(P, z1, first, last, 0.0)
        t = 1.0
        best = inf
        least = inf
        for it in range(limit):
            change, back, size = sweep_dense(P, WT, first, last)
            most = max(most, it + 1)
            if it == limit - 1 or (change <= goal and error(P, first, last) <= goal):
                break
            if accelerate:
                t, b, best, least = momentum(t, back, size, best, least)
                extrapolate_dense(P, z1, first, last, b)
    return most
