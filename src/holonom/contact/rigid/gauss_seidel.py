"""Block Gauss-Seidel over contacts (NSGS) in body space: each contact solved exactly in turn, velocities updated at
once.

Jean & Moreau 1992; Jean 1999 (NSCD); Acary & Brogliato 2008, ch. 13.  No Delassus matrix: a contact costs two gathers
of u, its exact local law and two updates of u, whatever its number of neighbours.  Sweeps go in the order of contacts
within islands: the same input gives the same bits.  Impulses in excess (redundant contacts) do no harm: some split of
the load is found.

Sweeps alone need some n^2 passes for a pile n bodies high.  Between sweeps we extrapolate as Nesterov (1983) does, r +
b (r - r of the sweep before), and u, which is linear in r, with it; when a sweep turns back against the extrapolation
in the metric of the local blocks, the momentum is dropped (O'Donoghue & Candes 2015), and likewise when the size of the
sweep's changes in that metric has
doubled: sweeps in one order are no symmetric operator, and momentum alone blew up on a brick wall.
(Pairs of sweeps, forward and backward, are symmetric, but no faster there and slower elsewhere.)  Four times
(a wall) to forty thousand times (a pile of 8000 balls) less error after 200 sweeps, at a cost that cannot be seen
(docs/rigid-solvers.md). Anderson's method and conjugate gradients (Silcowitz, Niebe & Erleben 2010) were tried: the
first as good with ten times the memory, the second behind.
"""

from __future__ import annotations

from math import inf, sqrt

from ..._jit import jit
from ...elements.bodies.pair_rows import add_speed, add_speeds2, add_speeds3, extrapolate_body, push, push2, push3
from .local import coulomb, disk
from .prepare import error


@jit
def sweep(P, first, last):
    """One pass over contacts order[first:last].  Returns the largest speed by which a local law was missed before its
    turn and, in the metric of the local blocks, how far the sweep returns against the way from r1, <r before - r, r -
    r1>, and the square of its changes."""
    d = P.H.shape[1]
    H = P.H
    u = P.u
    r = P.r
    L = P.local
    Minv = P.Minv
    r1 = P.r1
    top = 0.0
    back = 0.0
    size = 0.0
    for m in range(first, last):
        k = P.order[m]
        w = L[k, 0]
        if not w > 0.0:
            continue
        i = P.body[k, 0]
        j = P.body[k, 1]
        z0 = P.q[k, 0]
        if d == 1:
            z0 = add_speed(H, k, 0, i, j, u, z0)
            old = r[k, 0]
            new = old - z0 / w
            if not new > 0.0:
                new = 0.0
            if new != old:
                r[k, 0] = new
                new -= old
                push(Minv, H, k, 0, i, j, new, u)
                top = max(top, w * abs(new))
                back -= w * new * (r[k, 0] - r1[k, 0])
                size += w * new * new
            continue
        z0, z1, z2 = add_speeds3(H, k, i, j, u, z0, P.q[k, 1], P.q[k, 2])
        co = L[k, 3]
        si = L[k, 4]
        old0 = r[k, 0]
        old1 = r[k, 1]
        old2 = r[k, 2]
        n, x, y = coulomb(
            z0,
            co * z1 - si * z2,
            si * z1 + co * z2,
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
        d0 = n - old0
        d1 = co * x + si * y
        d2 = co * y - si * x
        r[k, 0] = n
        r[k, 1] = d1
        r[k, 2] = d2
        d1 -= old1
        d2 -= old2
        if d0 != 0.0 or d1 != 0.0 or d2 != 0.0:
            push3(Minv, H, k, i, j, d0, d1, d2, u)
            top = max(top, w * abs(d0), L[k, 7] * (abs(d1) + abs(d2)))
            back -= w * d0 * (n - r1[k, 0]) + L[k, 7] * (d1 * (r[k, 1] - r1[k, 1]) + d2 * (r[k, 2] - r1[k, 2]))
            size += w * d0 * d0 + L[k, 7] * (d1 * d1 + d2 * d2)
        if d == 6:
            bound = P.mu[k, 1] * n
            old0 = r[k, 3]
            if L[k, 8] > 0.0 and (bound > 0.0 or old0 != 0.0):
                z0 = add_speed(H, k, 3, i, j, u, P.q[k, 3])
                d0 = min(max(old0 - z0 / L[k, 8], -bound), bound)
                r[k, 3] = d0
                d0 -= old0
                push(Minv, H, k, 3, i, j, d0, u)
                top = max(top, P.mu[k, 1] * L[k, 8] * abs(d0))
                back -= L[k, 8] * d0 * (r[k, 3] - r1[k, 3])
                size += L[k, 8] * d0 * d0
            bound = P.mu[k, 2] * n
            old1 = r[k, 4]
            old2 = r[k, 5]
            if bound > 0.0 or old1 != 0.0 or old2 != 0.0:
                z1, z2 = add_speeds2(H, k, 4, i, j, u, P.q[k, 4], P.q[k, 5])
                w = 0.5 * (L[k, 11] + L[k, 12])
                co = L[k, 9]
                si = L[k, 10]
                x, y = disk(
                    co * z1 - si * z2,
                    si * z1 + co * z2,
                    co * old1 - si * old2,
                    si * old1 + co * old2,
                    bound,
                    L[k, 11],
                    L[k, 12],
                )
                d1 = co * x + si * y
                d2 = co * y - si * x
                r[k, 4] = d1
                r[k, 5] = d2
                d1 -= old1
                d2 -= old2
                push2(Minv, H, k, 4, i, j, d1, d2, u)
                top = max(top, P.mu[k, 2] * w * (abs(d1) + abs(d2)))
                back -= w * (d1 * (r[k, 4] - r1[k, 4]) + d2 * (r[k, 5] - r1[k, 5]))
                size += w * (d1 * d1 + d2 * d2)
    return top, back, size


@jit
def relative(P, first, last):
    """z = H u + q of contacts order[first:last]."""
    d = P.H.shape[1]
    for m in range(first, last):
        k = P.order[m]
        for e in range(d):
            P.z[k, e] = add_speed(P.H, k, e, P.body[k, 0], P.body[k, 1], P.u, P.q[k, e])


@jit
def extrapolate(P, m0, m1, b0, b1, b):
    """r += b (r - r1), u likewise, and r1, u1 what they were; of contacts order[m0:m1] and bodies[b0:b1]."""
    d = P.H.shape[1]
    for m in range(m0, m1):
        k = P.order[m]
        for e in range(d):
            r = P.r[k, e]
            P.r[k, e] = r + b * (r - P.r1[k, e])
            P.r1[k, e] = r
    for m in range(b0, b1):
        extrapolate_body(P.bodies[m], b, P.u, P.u1)


@jit
def momentum(t, back, size, best, least):
    """Nesterov's next t, the part of the last step that is added, t' = (1 + sqrt(1 + 4 t^2)) / 2, b = (t - 1) / t', and
    the smallest changes since the last restart and ever.  Changes ten times the smallest ever end it: plain sweeps
    continue (t = 0)."""
    least = min(least, size)
    if t == 0.0 or size > 100.0 * least:
        return 0.0, 0.0, best, least
    if back > 0.0 or size > 4.0 * best:
        t = 1.0
        best = size
    new = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t))
    return new, (t - 1.0) / new, min(best, size), least


@jit(entry="Problem, int64, int64, float64, float64, int64, boolean")
def gauss_seidel(P, begin, end, tolerance, absolute, limit, accelerate):
    """Sweeps of each island from `begin` to before `end` until its residual is below `tolerance` of its speed or below
    `absolute`, at most `limit` of them.  Returns the most sweeps of an island; z, r, u are those of the end."""
    most = 0
    for s in range(begin, end):
        first = P.start[s]
        last = P.start[s + 1]
        goal = max(tolerance * P.scale[s], absolute)
        if accelerate:
            extrapolate(P, first, last, P.begin[s], P.begin[s + 1], 0.0)  # keeps the start
        t = 1.0
        best = inf
        least = inf
        for it in range(limit):
            change, back, size = sweep(P, first, last)
            most = max(most, it + 1)
            if change <= goal or it == limit - 1:
                relative(P, first, last)
                if error(P, first, last) <= goal or it == limit - 1:
                    break
            if accelerate:
                t, b, best, least = momentum(t, back, size, best, least)
                extrapolate(P, first, last, P.begin[s], P.begin[s + 1], b)
    return most
