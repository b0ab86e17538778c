"""What acts between points of a flexible surface and rigid shapes, or the facets of another one.

A point i is fixed to the body A at s_i + Phi_i q (axes of its floating frame); x = p_A + A_A (s_i + Phi_i q).  What it
meets gives the gap g and the normal n: a rigid shape by its pair kernel with a point (`contact.shapes`), a facet of a
body B with corners y_C = Y_C + Psi_C q_B by

    g = n . (x - sum_C N_C y_C),    n = e1 x e2 / |e1 x e2|,    N_C: coordinates of the foot in the facet.

With the area a that the point represents, the pressure of a law p(-g, -g') and the slip s of A over B at x,

    f = a p n + t(a p, s),    Q_A += Phi_i^T A_A^T f,    Q_B -= (sum_C N_C Psi_C)^T A_B^T f,    force f and moment (x -
        p) x f on both frames, at the point x

so that action is reaction to roundoff.  The work of f is that of a potential less what damping and friction take: at
the foot dN and dn do no work.

Only points that may touch are placed.  A search keeps those whose gap is below a margin, the smallest gaps first; its
list serves while the motion since then, bounded by that of the frames and by sum_j |dq_j| max |Phi_j|, is below the
margin, and is followed as far as gaps were below that motion: nothing is left out.

Where a surface meets facets the same is done the other way round, with the points of B and the facets of A, and for
edges of both that cross (`two_way`).
"""

from __future__ import annotations

from ..._jit import jit
from ..._with_numba import with_numba
from ...elements.vectors import cross, rotate, unrotate
from .columns import (
    A_DEPTH,
    A_FN,
    A_FORCE,
    A_GAP,
    A_N,
    A_SHARE,
    A_WHICH,
    EVALUATIONS,
    GIVEN,
    HELD,
    LAW_ACTS,
    MARGIN,
    MODE,
    NEAR,
    PLACED,
    R_BARE,
    R_DIRECTION,
    R_FORCE,
    R_GAP,
    R_NORMAL,
    R_PLACE,
    R_SHARE,
    R_WHICH,
    TOUCHING,
)
from .dented import press
from .meeting import answer, meet
from .search import left_over, moved, put_shapes, search
from .two_way import cross_at, search_edges, swapped


@with_numba
def _views():
    global view_S, view_W, skin_at
    from ..._handle import view_S, view_W
    from .skin import skin_at


@jit(apart=True)
def act(S, W, fr, i, j, k, t, u, place, touching, wrench, xd):
    """What acts at the point k, that touches as W.at gives: into the wrench and the forces on modes, and into W.res."""
    r0, r1, r2 = place
    answer(S, W, fr, i, j, k, t, u, r0, r1, r2)
    _push(S, W, fr, i, j, k, r0, r1, r2, touching, wrench, xd)


@jit(apart=True)
def _push(S, W, fr, i, j, k, r0, r1, r2, touching, wrench, xd):
    """The force in W.at on the point k: into the wrench and the forces on modes, and into W.res."""
    at = W.at
    nA = S.big.shape[0]
    f0 = at[A_FORCE]
    f1 = at[A_FORCE + 1]
    f2 = at[A_FORCE + 2]
    b0 = fr.p[i, 0] + r0 - fr.p[j, 0]
    b1 = fr.p[i, 1] + r1 - fr.p[j, 1]
    b2 = fr.p[i, 2] + r2 - fr.p[j, 2]
    m0, m1, m2 = cross(r0, r1, r2, f0, f1, f2)
    wrench[0] += f0
    wrench[1] += f1
    wrench[2] += f2
    wrench[3] += m0
    wrench[4] += m1
    wrench[5] += m2
    m0, m1, m2 = cross(b0, b1, b2, f0, f1, f2)
    wrench[6] -= f0
    wrench[7] -= f1
    wrench[8] -= f2
    wrench[9] -= m0
    wrench[10] -= m1
    wrench[11] -= m2
    g0, g1, g2 = unrotate(fr.A, i, f0, f1, f2)
    X = S.phi[k, 0]
    Y = S.phi[k, 1]
    Z = S.phi[k, 2]
    for m in range(nA):
        xd[m] += X[m] * g0 + Y[m] * g1 + Z[m] * g2
    if S.kern.shape[0] == 0:
        nB = S.bigB.shape[0]
        g0, g1, g2 = unrotate(fr.A, j, f0, f1, f2)
        for e in range(3):
            n = S.tri[int(at[A_WHICH]), e]
            share = at[A_SHARE + e]
            X = S.shapes[n, 0]
            Y = S.shapes[n, 1]
            Z = S.shapes[n, 2]
            for m in range(nB):
                xd[nA + m] -= share * (X[m] * g0 + Y[m] * g1 + Z[m] * g2)
    W.act[touching] = k
    res = W.res[touching]
    res[R_NORMAL] = at[A_FN]
    res[R_FORCE] = f0
    res[R_FORCE + 1] = f1
    res[R_FORCE + 2] = f2
    res[R_GAP] = -at[A_DEPTH]
    res[R_BARE] = at[A_GAP]
    res[R_PLACE] = fr.p[i, 0] + r0
    res[R_PLACE + 1] = fr.p[i, 1] + r1
    res[R_PLACE + 2] = fr.p[i, 2] + r2
    for e in range(3):
        res[R_DIRECTION + e] = at[A_N + e]
        res[R_SHARE + e] = at[A_SHARE + e]
    res[R_WHICH] = at[A_WHICH]


@jit(apart=True)
def _give(S, W, fr, i, j, u, wrench, xd):
    """What was given at points acts, where they are now."""
    at = W.at
    count = W.count[HELD] if S.par[MODE] == GIVEN else 0
    for q in range(count):
        k = W.given_at[q]
        row = W.given[q]
        a, b, d = moved(S.place, S.phi, k, u, 0)
        r0, r1, r2 = rotate(fr.A, i, a, b, d)
        at[A_FN] = row[R_NORMAL]
        at[A_GAP] = row[R_BARE]
        at[A_DEPTH] = -row[R_GAP]
        at[A_WHICH] = row[R_WHICH]
        for e in range(3):
            at[A_FORCE + e] = row[R_FORCE + e]
            at[A_N + e] = row[R_DIRECTION + e]
            at[A_SHARE + e] = row[R_SHARE + e]
        _push(S, W, fr, i, j, k, r0, r1, r2, q, wrench, xd)
    W.sums[0] = W.balance[0] if count > 0 else 0.0
    W.sums[1] = W.balance[1] if count > 0 else 0.0
    W.count[TOUCHING] = count


@jit(apart=True)
def points(S, w, fr, i, j, t, u, W, xd):
    """What acts at all points: into the wrenches W (12,) and the forces xd on coordinates, energy and power into
    w.sums, and a gap that none is below."""
    w.sums[0] = 0.0
    w.sums[1] = 0.0
    w.count[EVALUATIONS] += 1
    if S.kern.shape[0] > 0:
        put_shapes(S, fr, j)
    left = left_over(S, w, fr, i, j, u)
    if not left > 0.0:
        search(S, w, fr, i, j, u)
        left = w.pose[12]
    w.sums[2] = left
    touching = 0
    if S.dent.shape[0] + S.dentB.shape[0] > 0:
        for q in range(press(S, w, fr, i, j, u, w.pose[12] - left)):
            if w.push[q] > 0.0:
                k = w.who[q]
                a, b, d = moved(S.place, S.phi, k, u, 0)
                r0, r1, r2 = rotate(fr.A, i, a, b, d)
                meet(S, w, fr, i, j, k, u, r0, r1, r2, S.par[MARGIN])
                w.at[A_DEPTH] = w.deep[q]
                w.sums[0] -= 0.5 * w.push[q] * (w.met[q, 0] + w.deep[q])
                act(S, w, fr, i, j, k, t, u, (r0, r1, r2), touching, W, xd)
                touching += 1
    else:
        way = w.pose[12] - left
        for q in range(w.count[NEAR]):
            if w.clear[q] - way >= max(w.sums[2], 0.0):  # it, and all behind it, are farther than one that was seen
                break
            k = w.near[q]
            a, b, d = moved(S.place, S.phi, k, u, 0)
            r0, r1, r2 = rotate(fr.A, i, a, b, d)
            w.count[PLACED] += 1
            w.at[A_GAP] = 1e300
            touches = meet(S, w, fr, i, j, k, u, r0, r1, r2, 0.0)
            w.sums[2] = min(w.sums[2], w.at[A_GAP])
            if touches:
                act(S, w, fr, i, j, k, t, u, (r0, r1, r2), touching, W, xd)
                touching += 1
    w.count[TOUCHING] = touching


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    handle = skin_at(int(c[0]))
    S = view_S(handle)
    w = view_W(handle)
    i = f[0]
    j = f[1]
    rigid = S.kern.shape[0] > 0
    for q in range(12):
        W[q] = 0.0
    for q in range(S.big.shape[0] + (0 if rigid else S.bigB.shape[0])):
        xd[q] = 0.0
    if S.par[MODE] != LAW_ACTS:
        w.count[EVALUATIONS] += 1
        _give(S, w, fr, i, j, u, W, xd)
        return
    points(S, w, fr, i, j, t, u, W, xd)
    if S.more[0] != 0:
        back(S, w, fr, i, j, t, u, W, xd)
    if S.more[1] != 0:
        edges(S, w, fr, i, j, t, u, W, xd)


@jit(apart=True)
def back(S, w, fr, i, j, t, u, W, xd):
    """Points of B on the facets of A, added to what acts and to w.sums."""
    handle = skin_at(S.more[0])
    T = view_S(handle)
    v = view_W(handle)
    nB = T.big.shape[0]
    nA = T.bigB.shape[0]
    swapped(u, nA, nB, v.u)
    for q in range(12):
        v.wrench[q] = 0.0
    for q in range(nA + nB):
        v.modal[q] = 0.0
    points(T, v, fr, j, i, t, v.u, v.wrench, v.modal)
    for q in range(6):
        W[q] += v.wrench[6 + q]
        W[6 + q] += v.wrench[q]
    for q in range(nA):
        xd[q] += v.modal[nB + q]
    for q in range(nB):
        xd[nA + q] += v.modal[q]
    w.sums[0] += v.sums[0]
    w.sums[1] += v.sums[1]
    w.sums[2] = min(w.sums[2], v.sums[2])


@jit(apart=True)
def edges(S, w, fr, i, j, t, u, W, xd):
    """Crossing edges of both sides, added to what acts and to w.sums."""
    handle = skin_at(S.more[1])
    E = view_S(handle)
    v = view_W(handle)
    v.sums[0] = 0.0
    v.sums[1] = 0.0
    v.count[EVALUATIONS] += 1
    left = left_over(E, v, fr, i, j, u)
    if not left > 0.0:
        search_edges(E, v, fr, i, j, u)
        left = v.pose[12]
    v.sums[2] = left
    way = v.pose[12] - left
    touching = 0
    for q in range(v.count[NEAR]):
        if v.clear[q] - way >= max(v.sums[2], 0.0):
            break
        v.at[A_GAP] = 1e300
        crosses, r0, r1, r2, share = cross_at(E, v, fr, i, j, v.near[q], u)
        v.sums[2] = min(v.sums[2], max(v.at[A_GAP], v.clear[q] - way))
        if crosses and v.at[A_GAP] < 0.0:
            act(E, v, fr, i, j, 0, t, u, (r0, r1, r2), touching, W, xd)
            v.act[touching] = v.near[q]
            v.res[touching, R_SHARE + 2] = share  # of the second end of the edge of A; that of B has two corners
            touching += 1
    v.count[TOUCHING] = touching
    w.sums[0] += v.sums[0]
    w.sums[1] += v.sums[1]
    w.sums[2] = min(w.sums[2], v.sums[2])


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    w = view_W(skin_at(int(c[0])))
    out[0] = w.sums[0]
    out[1] = w.sums[1]
    out[2] = 0.0
