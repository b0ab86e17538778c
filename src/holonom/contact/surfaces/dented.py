"""Dents of surfaces in contact: pressures at the points that touch, where the surface gives way next to its modes
without inertia.

Of points with the gaps g (as the modes have them), areas a and the dents C between them (`ReducedBody.dents` of both
sides, of facets by the shares of corners)

    d_i = -g_i - sum_j C_ij F_j,      F_j = a_j k max(d_j, 0)^e,

by Newton steps on d, the points with d > 0 together: with E = dF/dd of these, (1/E + C) y = -r, dd = -r - C y
(Cholesky).  They start at the forces that points had last; of a linear law they end after a few steps with the
solution.  The potential sum_i a_i k d_i^(e+1) / (e + 1) + F C F / 2 has dF = -(1/E + C)^-1 dg, so that energy is kept;
damping multiplies F_i by 1 + 3/2 damping v_i, with the speed v_i of approach of the whole, dent and layer.  Forces act
along the normals of the undented surfaces; friction makes no dents.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import rotate
from ..laws.formulas import power
from .columns import A_GAP, A_SHARE, A_WHICH, LOST, MARGIN, NEAR, PLACED
from .meeting import meet
from .search import moved

STEPS = 60
DAMPED = 15  # steps after which they are halved, should they go in a circle
ENOUGH = 1e-13  # of the largest gap


@jit
def _dents(S, W, p, q):
    """C of candidates p and q."""
    c = 0.0
    if S.dent.shape[0] > 0:
        c = S.dent[W.who[p], W.who[q]]
    if S.dentB.shape[0] > 0:
        T = S.tri
        a = int(W.met[p, 1])
        b = int(W.met[q, 1])
        for e in range(3):
            for h in range(3):
                c += W.met[p, 2 + e] * W.met[q, 2 + h] * S.dentB[T[a, e], T[b, h]]
    return c


@jit(apart=True)
def factor(S, W, n):
    """L of (1/E + C) for the candidates with a depth, which are reported in W.pick; returns how many these are."""
    count = 0
    for p in range(n):
        if W.deep[p] > 0.0:
            W.pick[count] = p
            count += 1
    for a in range(count):
        p = W.pick[a]
        for b in range(a + 1):
            v = _dents(S, W, p, W.pick[b])
            if a == b:
                v += 1.0 / slope(S, W, p)
            for m in range(b):
                v -= W.L[a, m] * W.L[b, m]
            W.L[a, b] = math.sqrt(max(v, 1e-300)) if a == b else v / W.L[b, b]
    return count


@jit
def slope(S, W, p):
    """dF / dd of a candidate with a depth."""
    e = S.p[0, 1]
    return S.area[W.who[p]] * S.p[0, 0] * e * power(W.deep[p], e - 1.0)


@jit
def _rest(S, W, n):
    """Forces by depths into W.push, r into W.step; returns the largest r."""
    e = S.p[0, 1]
    for p in range(n):
        W.push[p] = 0.0
        if W.deep[p] > 0.0:
            W.push[p] = S.area[W.who[p]] * S.p[0, 0] * power(W.deep[p], e)
    count = 0
    for p in range(n):
        if W.push[p] > 0.0:
            W.pick[count] = p
            count += 1
    worst = 0.0
    for p in range(n):
        r = W.deep[p] + W.met[p, 0]
        for a in range(count):
            r += _dents(S, W, p, W.pick[a]) * W.push[W.pick[a]]
        W.step[p] = r
        worst = max(worst, abs(r))
    return worst


@jit
def solve(L, x, n):
    """x <- (L L^T)^-1 x."""
    for p in range(n):
        v = x[p]
        for q in range(p):
            v -= L[p, q] * x[q]
        x[p] = v / L[p, p]
    for p in range(n - 1, -1, -1):
        x[p] /= L[p, p]
        for q in range(p):
            x[q] -= L[p, q] * x[p]


@jit
def _lifted(S, W, n):
    """What the forces of the candidates lift any other point at most."""
    lift = 0.0
    for p in range(n):
        F = W.push[p]
        if not F > 0.0:
            continue
        if S.bulge.shape[0] > 0:
            lift += F * S.bulge[W.who[p]]
        if S.bulgeB.shape[0] > 0:
            a = int(W.met[p, 1])
            for e in range(3):
                lift += F * W.met[p, 2 + e] * S.bulgeB[S.tri[a, e]]
    return lift


@jit(apart=True)
def press(S, W, fr, i, j, u, way):
    """How many candidates there are; their points, gaps, depths and forces into W, and the smallest open gap into
    W.sums[2].  ``way``: what both sides have moved at most since the list was made.

    Candidates are the points that may be closed, and those that the dents of others may lift so far, which is requested
    behind the solution."""
    lift = 0.0
    while True:
        n = _press(S, W, fr, i, j, u, way, lift)
        more = _lifted(S, W, n)
        if more <= lift or n == W.count[NEAR]:
            return n
        lift = 2.0 * more


@jit(apart=True)
def _press(S, W, fr, i, j, u, way, lift):
    """`press` with the points whose gap may be below ``lift``."""
    at = W.at
    n = 0
    size = 0.0
    closed = False
    for q in range(W.count[NEAR]):
        if W.clear[q] - way >= max(W.sums[2], lift, 0.0):
            break
        k = W.near[q]
        a, b, d = moved(S.place, S.phi, k, u, 0)
        r0, r1, r2 = rotate(fr.A, i, a, b, d)
        at[A_GAP] = 1e300
        found = meet(S, W, fr, i, j, k, u, r0, r1, r2, S.par[MARGIN])
        W.count[PLACED] += 1
        W.sums[2] = min(W.sums[2], at[A_GAP])
        if not found:
            continue
        W.who[n] = k
        W.met[n, 0] = at[A_GAP]
        W.met[n, 1] = at[A_WHICH]
        for e in range(3):
            W.met[n, 2 + e] = at[A_SHARE + e]
        closed = closed or at[A_GAP] < 0.0
        size = max(size, abs(at[A_GAP]))
        n += 1
    if not closed:
        for k in range(W.last.shape[0]):
            W.last[k] = 0.0
        return 0
    e = S.p[0, 1]
    for p in range(n):
        F = W.last[W.who[p]]
        W.deep[p] = power(F / (S.area[W.who[p]] * S.p[0, 0]), 1.0 / e) if F > 0.0 else -W.met[p, 0]
    worst = _rest(S, W, n)
    turn = 0
    while worst > ENOUGH * size and turn < STEPS:
        count = factor(S, W, n)
        for a in range(count):
            W.push[a] = -W.step[W.pick[a]]
        solve(W.L, W.push, count)
        share = 1.0 if turn < DAMPED else 0.5
        for p in range(n):
            v = -W.step[p]
            for a in range(count):
                v -= _dents(S, W, p, W.pick[a]) * W.push[a]
            W.deep[p] += share * v
        before = worst
        worst = _rest(S, W, n)
        turn += 1
        if worst >= before and worst < 1e3 * ENOUGH * size:  # roundoff
            break
    if worst > 1e3 * ENOUGH * size:
        W.count[LOST] += 1
    for k in range(W.last.shape[0]):
        W.last[k] = 0.0
    for p in range(n):
        W.last[W.who[p]] = W.push[p]
    return n
