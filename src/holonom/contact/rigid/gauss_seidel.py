"""Block Gauss-Seidel over contacts (NSGS) in body space: each contact solved exactly in turn, velocities updated at once.

Jean & Moreau 1992; Jean 1999 (NSCD); Acary & Brogliato 2008, ch. 13.  No Delassus matrix: a contact costs two gathers of u, its
exact local law and two updates of u, whatever its number of neighbours.  Sweeps go forward and backward in turn, in the order of
contacts within islands: the same input gives the same bits.  Impulses in excess (redundant contacts) do no harm: some split of
the load is found and velocities are unique.
"""

from __future__ import annotations

from ..._jit import jit
from .local import coulomb, disk
from .prepare import error


@jit
def sweep(P, first, last, forward):
    """One pass over contacts order[first:last]; returns the largest speed by which a local law was missed before its turn."""
    d = P.H.shape[1]
    H = P.H
    u = P.u
    r = P.r
    L = P.local
    Minv = P.Minv
    top = 0.0
    for m in range(last - first):
        k = P.order[first + m] if forward else P.order[last - 1 - m]
        w = L[k, 0]
        if not w > 0.0:
            continue
        bi = P.body[k, 0]
        bj = P.body[k, 1]
        i = 6 * bi
        j = 6 * bj
        z0 = P.q[k, 0]
        if d == 1:
            for c in range(6):
                z0 += H[k, 0, c] * u[i + c] + H[k, 0, 6 + c] * u[j + c]
            old = r[k, 0]
            new = old - z0 / w
            if not new > 0.0:
                new = 0.0
            if new != old:
                r[k, 0] = new
                new -= old
                for c in range(6):
                    u[i + c] += Minv[bi, c] * H[k, 0, c] * new
                    u[j + c] += Minv[bj, c] * H[k, 0, 6 + c] * new
                top = max(top, w * abs(new))
            continue
        z1 = P.q[k, 1]
        z2 = P.q[k, 2]
        for c in range(6):
            a = u[i + c]
            b = u[j + c]
            z0 += H[k, 0, c] * a + H[k, 0, 6 + c] * b
            z1 += H[k, 1, c] * a + H[k, 1, 6 + c] * b
            z2 += H[k, 2, c] * a + H[k, 2, 6 + c] * b
        co = L[k, 3]
        si = L[k, 4]
        old0 = r[k, 0]
        old1 = r[k, 1]
        old2 = r[k, 2]
        n, x, y = coulomb(
            z0, co * z1 - si * z2, si * z1 + co * z2,
            old0, co * old1 - si * old2, si * old1 + co * old2, P.mu[k, 0], w, L[k, 1], L[k, 2], L[k, 5], L[k, 6],
        )  # fmt: skip
        d0 = n - old0
        d1 = co * x + si * y
        d2 = co * y - si * x
        r[k, 0] = n
        r[k, 1] = d1
        r[k, 2] = d2
        d1 -= old1
        d2 -= old2
        if d0 != 0.0 or d1 != 0.0 or d2 != 0.0:
            for c in range(6):
                u[i + c] += Minv[bi, c] * (H[k, 0, c] * d0 + H[k, 1, c] * d1 + H[k, 2, c] * d2)
                u[j + c] += Minv[bj, c] * (H[k, 0, 6 + c] * d0 + H[k, 1, 6 + c] * d1 + H[k, 2, 6 + c] * d2)
            top = max(top, w * abs(d0), L[k, 7] * (abs(d1) + abs(d2)))
        if d == 6:
            bound = P.mu[k, 1] * n
            old0 = r[k, 3]
            if L[k, 8] > 0.0 and (bound > 0.0 or old0 != 0.0):
                z0 = P.q[k, 3]
                for c in range(6):
                    z0 += H[k, 3, c] * u[i + c] + H[k, 3, 6 + c] * u[j + c]
                d0 = min(max(old0 - z0 / L[k, 8], -bound), bound)
                r[k, 3] = d0
                d0 -= old0
                for c in range(6):
                    u[i + c] += Minv[bi, c] * H[k, 3, c] * d0
                    u[j + c] += Minv[bj, c] * H[k, 3, 6 + c] * d0
                top = max(top, P.mu[k, 1] * L[k, 8] * abs(d0))
            bound = P.mu[k, 2] * n
            old1 = r[k, 4]
            old2 = r[k, 5]
            if bound > 0.0 or old1 != 0.0 or old2 != 0.0:
                z1 = P.q[k, 4]
                z2 = P.q[k, 5]
                for c in range(6):
                    z1 += H[k, 4, c] * u[i + c] + H[k, 4, 6 + c] * u[j + c]
                    z2 += H[k, 5, c] * u[i + c] + H[k, 5, 6 + c] * u[j + c]
                co = L[k, 9]
                si = L[k, 10]
                x, y = disk(co * z1 - si * z2, si * z1 + co * z2, co * old1 - si * old2, si * old1 + co * old2, bound, L[k, 11], L[k, 12])
                d1 = co * x + si * y
                d2 = co * y - si * x
                r[k, 4] = d1
                r[k, 5] = d2
                d1 -= old1
                d2 -= old2
                for c in range(6):
                    u[i + c] += Minv[bi, c] * (H[k, 4, c] * d1 + H[k, 5, c] * d2)
                    u[j + c] += Minv[bj, c] * (H[k, 4, 6 + c] * d1 + H[k, 5, 6 + c] * d2)
                top = max(top, P.mu[k, 2] * L[k, 12] * (abs(d1) + abs(d2)))
    return top


@jit
def relative(P, first, last):
    """z = H u + q of contacts order[first:last]."""
    d = P.H.shape[1]
    for m in range(first, last):
        k = P.order[m]
        i = 6 * P.body[k, 0]
        j = 6 * P.body[k, 1]
        for e in range(d):
            z = P.q[k, e]
            for c in range(6):
                z += P.H[k, e, c] * P.u[i + c] + P.H[k, e, 6 + c] * P.u[j + c]
            P.z[k, e] = z


@jit
def gauss_seidel(P, islands, tolerance, absolute, limit):
    """Sweeps of each island until its residual is below `tolerance` of its speed or below `absolute`, at most `limit` of them.
    Returns the most sweeps of an island; z, r, u are those of the end."""
    most = 0
    for s in range(islands):
        first = P.start[s]
        last = P.start[s + 1]
        goal = max(tolerance * P.scale[s], absolute)
        for it in range(limit):
            change = sweep(P, first, last, it % 2 == 0)
            most = max(most, it + 1)
            if change <= goal:
                relative(P, first, last)
                if error(P, first, last) <= goal:
                    break
        else:
            relative(P, first, last)
    return most
