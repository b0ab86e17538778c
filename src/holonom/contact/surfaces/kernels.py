"""What acts between points of a surface that bends and rigid shapes, or the facets of another one.

A point i is fixed to the body A at s_i + Phi_i q (axes of its floating frame); x = p_A + A_A (s_i + Phi_i q).  What it meets tells the gap g and the normal n: a
rigid shape by its pair kernel with a point (`contact.shapes`), a facet of a body B with corners y_C = Y_C + Psi_C q_B by

    g = n . (x - sum_C N_C y_C),    n = e1 x e2 / |e1 x e2|,    N_C: coordinates of the foot in the facet.

With the area a that the point stands for, the pressure of a law p(-g, -g') and the slip s of A over B at x,

    f = a p n + t(a p, s),    Q_A += Phi_i^T A_A^T f,    Q_B -= (sum_C N_C Psi_C)^T A_B^T f,    force f and moment (x - p) x f on both frames, at the point x

so that action is reaction to roundoff.  The work of f is that of a potential less what damping and friction take: at the foot dN and dn do no work.

Only points that are near are placed.  A search keeps those whose gap, undeformed, is below a margin and what modes may move them by, sum_j |q_j| max |Phi_j|; its list
serves while the motion since then, bounded by that of the frames and by sum_j |dq_j| max |Phi_j|, is below the margin: nothing that touches is left out.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from ..._handle import make_handle, view_S, view_W
from ..._jit import jit
from ...elements.vectors import cross, rotate, unrotate
from ..friction.tanh import force as friction_force
from ..kinematics import point_rates, prepare
from ..laws.hysteresis import force as normal_force
from ..shapes._address import call as pair
from ..shapes._address import no_shapes
from ..tables import COLUMNS, GAP, OUT_DEPTH, OUT_ELASTIC, OUT_RATE, OUT_STORED, N, P

SkinTables = namedtuple("SkinTables", "sh kern so sA place phi area normal big nodes shapes tri centre head item grid bigB p pf par")
SkinTables.__doc__ = """Points of A: place (k, 3), phi (k, 3, n), area (k,), normal (k, 3) outward; big (n,): largest displacement of a point by each mode.
Rigid shapes b: sh: table of shapes, of which the first is the point; kern (b,) addresses of pair kernels; so (b, 3), sA (b, 9): places and axes in the frame
of B.  Facets of a B that bends: nodes (m, 3), shapes (m, 3, n), tri (f, 3), centre (f, 4): middle and radius; head, item: facets in the cells of a grid; grid (7,):
its corner, size of a cell, cells along x, y, z; bigB (n,).  p, pf (1, 16): numbers of the law and of friction; par: `PARAMETERS`."""

SkinWork = namedtuple("SkinWork", "near count pose q0 cand stamp moved pts most A4 mem law slip at act res sums G")
SkinWork.__doc__ = """near (k,): points of the list; count: `COUNTERS`; pose (13,): of A in B when it was made, and what motion it bears; q0: coordinates then; cand
(k, CANDIDATES): facets near each, the first number how many (-1: all); stamp, moved (m, 3): corners placed in the present evaluation; pts, most: rows for pair kernels;
A4, mem, law, slip, at: work; act, res (k, RESULTS): points that touch and what acts there; sums: energy stored, power lost, a gap that none is below; G (9, columns)."""

PARAMETERS = ("margin", "radius", "friction", "deepest")
MARGIN, RADIUS, FRICTION, DEEPEST = range(len(PARAMETERS))
NEAR, TOUCHING, SEARCHES, EVALUATIONS, PLACED = range(5)
COUNTERS = 8
CANDIDATES = 64
#: of a point that touches: normal force, force (3) in ground, gap, place (3), normal (3), facet or shape, shares (3) of the corners of a facet
R_NORMAL, R_FORCE, R_GAP, R_PLACE, R_DIRECTION, R_WHICH, R_SHARE = 0, 1, 4, 5, 8, 11, 12
RESULTS = 15
#: work of the point at hand: gap, normal (3), facet, N (3), edges (6), |e1 x e2|, velocity (3), slip along n, velocity of the foot's corners in B (9)
A_GAP, A_N, A_WHICH, A_SHARE, A_EDGES, A_SIZE, A_V, A_VN, A_CORNERS, A_FORCE, A_FN = 0, 1, 4, 5, 8, 14, 15, 18, 19, 28, 31
BESIDE = 0.02  # of a facet, by which a foot may lie outside of it
FACING = -0.05  # cosine of the normals of surfaces that can meet
POINTS = 8


def empty(points=1, modes=1, shapes=0, corners=1, modes_b=1, facets=1, columns=24):
    """Tables and work of the right types, to be filled."""
    z, i = np.zeros, lambda *n: np.zeros(n, np.int64)
    S = SkinTables(no_shapes(shapes + 1), i(shapes), z((shapes, 3)), z((shapes, 9)), z((points, 3)), z((points, 3, modes)), z(points), z((points, 3)), z(modes),
                   z((corners, 3)), z((corners, 3, modes_b)), i(facets, 3), z((facets, 4)), i(2), i(facets), z(7), z(modes_b), z((1, 16)), z((1, 16)),
                   z(len(PARAMETERS)))  # fmt: skip
    W = SkinWork(i(points), i(COUNTERS), z(13), z(modes + modes_b), i(points, CANDIDATES), i(corners), z((corners, 3)), z((POINTS, COLUMNS)), i(1), z((4, 4)),
                 z((1, 8)), z(40), z(3), z(40), i(points), z((points, RESULTS)), z(3), z((9, columns)))  # fmt: skip
    return S, W


HANDLE = make_handle(*empty(), ())._numba_type_


@intrinsic
def _skin_at(typingctx, address):
    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(HANDLE))

    return HANDLE(types.int64), codegen


# ---- places -----------------------------------------------------------------------------------------------------------
@jit
def _moved(place, phi, i, u, o):
    """place[i] + phi[i] u[o:]."""
    n = phi.shape[2]
    a = place[i, 0]
    b = place[i, 1]
    c = place[i, 2]
    X = phi[i, 0]
    Y = phi[i, 1]
    Z = phi[i, 2]
    for k in range(n):
        q = u[o + k]
        a += X[k] * q
        b += Y[k] * q
        c += Z[k] * q
    return a, b, c


@jit
def _rate(phi, i, u, o):
    """phi[i] u[o:]."""
    a = 0.0
    b = 0.0
    c = 0.0
    for k in range(phi.shape[2]):
        a += phi[i, 0, k] * u[o + k]
        b += phi[i, 1, k] * u[o + k]
        c += phi[i, 2, k] * u[o + k]
    return a, b, c


@jit
def _corner(S, W, c, u, o):
    """Corner c of B, in its axes, placed once an evaluation."""
    if W.stamp[c] != W.count[EVALUATIONS]:
        W.stamp[c] = W.count[EVALUATIONS]
        W.moved[c, 0], W.moved[c, 1], W.moved[c, 2] = _moved(S.nodes, S.shapes, c, u, o)
    return W.moved[c, 0], W.moved[c, 1], W.moved[c, 2]


@jit
def _put_shapes(S, fr, j):
    """Frames of the rigid shapes, on the frame j of their body."""
    p = S.sh.fr.p
    A = S.sh.fr.A
    for b in range(S.kern.shape[0]):
        x, y, z = rotate(fr.A, j, S.so[b, 0], S.so[b, 1], S.so[b, 2])
        p[b + 1, 0] = fr.p[j, 0] + x
        p[b + 1, 1] = fr.p[j, 1] + y
        p[b + 1, 2] = fr.p[j, 2] + z
        for c in range(3):
            x, y, z = rotate(fr.A, j, S.sA[b, c], S.sA[b, 3 + c], S.sA[b, 6 + c])
            A[b + 1, c] = x
            A[b + 1, 3 + c] = y
            A[b + 1, 6 + c] = z


@jit
def _shape_gap(S, W, b, x, y, z, reach):
    """Gap of the point (x, y, z) over shape b, whose row in W.pts is returned too; a large number where it is not below the reach."""
    p = S.sh.fr.p
    p[0, 0] = x
    p[0, 1] = y
    p[0, 2] = z
    n = pair(S.kern[b], (S.sh, 0, b + 1, reach, W.pts, 0, POINTS))
    best = 1e300
    row = 0
    for k in range(n):
        if W.pts[k, GAP] < best:
            best = W.pts[k, GAP]
            row = k
    return best, row


# ---- the search -------------------------------------------------------------------------------------------------------
@jit
def _left(S, W, fr, i, j, u):
    """How much further both sides may move before the list no longer holds all that may touch; none below zero."""
    if W.count[SEARCHES] == 0:
        return -1.0
    nA = S.big.shape[0]
    way = 0.0
    for k in range(nA):
        way += abs(u[k] - W.q0[k]) * S.big[k]
    for k in range(S.bigB.shape[0] if S.kern.shape[0] == 0 else 0):
        way += abs(u[nA + k] - W.q0[nA + k]) * S.bigB[k]
    a, b, c = unrotate(fr.A, j, fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2])
    a -= W.pose[0]
    b -= W.pose[1]
    c -= W.pose[2]
    way += math.sqrt(a * a + b * b + c * c)
    turn = 0.0
    for q in range(3):
        a, b, c = unrotate(fr.A, j, fr.A[i, q], fr.A[i, 3 + q], fr.A[i, 6 + q])
        turn += (a - W.pose[3 + q]) ** 2 + (b - W.pose[6 + q]) ** 2 + (c - W.pose[9 + q]) ** 2
    way += math.sqrt(turn) * S.par[RADIUS]
    return W.pose[12] - way


@jit
def _search(S, W, fr, i, j, u):
    """The list of points that may touch before either side has moved by the margin."""
    nA = S.big.shape[0]
    W.count[SEARCHES] += 1
    W.pose[0], W.pose[1], W.pose[2] = unrotate(fr.A, j, fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2])
    for q in range(3):
        W.pose[3 + q], W.pose[6 + q], W.pose[9 + q] = unrotate(fr.A, j, fr.A[i, q], fr.A[i, 3 + q], fr.A[i, 6 + q])
    bent = 0.0
    for k in range(nA):
        W.q0[k] = u[k]
        bent += abs(u[k]) * S.big[k]
    rigid = S.kern.shape[0] > 0
    for k in range(0 if rigid else S.bigB.shape[0]):
        W.q0[nA + k] = u[nA + k]
        bent += abs(u[nA + k]) * S.bigB[k]
    margin = S.par[MARGIN]
    reach = margin + bent
    far = max(reach, S.par[RADIUS])
    least = far
    count = 0
    for k in range(S.place.shape[0]):
        x, y, z = rotate(fr.A, i, S.place[k, 0], S.place[k, 1], S.place[k, 2])
        x += fr.p[i, 0]
        y += fr.p[i, 1]
        z += fr.p[i, 2]
        g = 1e300
        if rigid:
            for b in range(S.kern.shape[0]):
                h, row = _shape_gap(S, W, b, x, y, z, far)
                g = min(g, h)
        else:
            x, y, z = unrotate(fr.A, j, x - fr.p[j, 0], y - fr.p[j, 1], z - fr.p[j, 2])
            g = _near_facets(S, W, k, x, y, z, reach, far)
        least = min(least, g)
        if g < reach:
            W.near[count] = k
            count += 1
    W.count[NEAR] = count
    # where nothing is near the list serves until something may be
    W.pose[12] = margin if count > 0 else max(margin, least - bent)


@jit
def _near_facets(S, W, k, x, y, z, reach, far):
    """Facets within ``reach`` of a point in axes of B into the candidates of point k; returns the distance to the nearest of them, or ``far``."""
    low = 1e300
    count = 0
    h = S.grid[3]
    d = reach + S.grid[3]  # no facet is larger than a cell
    nx = int(S.grid[4])
    ny = int(S.grid[5])
    nz = int(S.grid[6])
    x0 = max(0, int(math.floor((x - d - S.grid[0]) / h)))
    x1 = min(nx - 1, int(math.floor((x + d - S.grid[0]) / h)))
    y0 = max(0, int(math.floor((y - d - S.grid[1]) / h)))
    y1 = min(ny - 1, int(math.floor((y + d - S.grid[1]) / h)))
    z0 = max(0, int(math.floor((z - d - S.grid[2]) / h)))
    z1 = min(nz - 1, int(math.floor((z + d - S.grid[2]) / h)))
    for a in range(x0, x1 + 1):
        for b in range(y0, y1 + 1):
            for c in range(z0, z1 + 1):
                cell = (a * ny + b) * nz + c
                for q in range(S.head[cell], S.head[cell + 1]):
                    f = S.item[q]
                    away = math.sqrt((x - S.centre[f, 0]) ** 2 + (y - S.centre[f, 1]) ** 2 + (z - S.centre[f, 2]) ** 2) - S.centre[f, 3]
                    low = min(low, away)
                    if away < reach:
                        if count + 1 < CANDIDATES:
                            W.cand[k, count + 1] = f
                        count += 1
    W.cand[k, 0] = count if count + 1 < CANDIDATES else -1
    if low < 1e299:
        return max(low, 0.0)
    # beyond the cells that were looked at: as far as these reach, at least
    a0 = max(S.grid[0] - x, x - S.grid[0] - h * nx, 0.0)
    b0 = max(S.grid[1] - y, y - S.grid[1] - h * ny, 0.0)
    c0 = max(S.grid[2] - z, z - S.grid[2] - h * nz, 0.0)
    return min(far, max(math.sqrt(a0 * a0 + b0 * b0 + c0 * c0) - h, reach))


# ---- one point --------------------------------------------------------------------------------------------------------
@jit(apart=True)
def _meet(S, W, fr, i, j, k, u, r0, r1, r2):
    """Where the point k at r from the frame of A touches: gap, normal and what it meets into W.at; false where the gap is open."""
    at = W.at
    x = fr.p[i, 0] + r0
    y = fr.p[i, 1] + r1
    z = fr.p[i, 2] + r2
    if S.kern.shape[0] > 0:
        best = 1e300
        found = -1
        for b in range(S.kern.shape[0]):
            g, row = _shape_gap(S, W, b, x, y, z, S.par[MARGIN])
            if g < best:
                best = g
                found = b
        at[A_GAP] = best
        if not best < 0.0:
            return False
        g, row = _shape_gap(S, W, found, x, y, z, 0.0)
        if row != 0:
            for c in range(COLUMNS):
                W.pts[0, c] = W.pts[row, c]
        at[A_GAP] = g
        for c in range(3):
            at[A_N + c] = W.pts[0, N + c]
        at[A_WHICH] = found
        return True
    nA = S.big.shape[0]
    xb, yb, zb = unrotate(fr.A, j, x - fr.p[j, 0], y - fr.p[j, 1], z - fr.p[j, 2])
    m0, m1, m2 = rotate(fr.A, i, S.normal[k, 0], S.normal[k, 1], S.normal[k, 2])
    m0, m1, m2 = unrotate(fr.A, j, m0, m1, m2)
    count = W.cand[k, 0]
    all_of_them = count < 0
    if all_of_them:
        count = S.tri.shape[0]
    best = S.par[DEEPEST]
    found = -1
    for q in range(count):
        f = q if all_of_them else W.cand[k, q + 1]
        a0, a1, a2 = _corner(S, W, S.tri[f, 0], u, nA)
        b0, b1, b2 = _corner(S, W, S.tri[f, 1], u, nA)
        c0, c1, c2 = _corner(S, W, S.tri[f, 2], u, nA)
        b0 -= a0
        b1 -= a1
        b2 -= a2
        c0 -= a0
        c1 -= a1
        c2 -= a2
        n0, n1, n2 = cross(b0, b1, b2, c0, c1, c2)
        size = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
        if not size > 0.0:
            continue
        n0 /= size
        n1 /= size
        n2 /= size
        if n0 * m0 + n1 * m1 + n2 * m2 > FACING:
            continue
        d0 = xb - a0
        d1 = yb - a1
        d2 = zb - a2
        g = n0 * d0 + n1 * d1 + n2 * d2
        if abs(g) >= best:
            continue
        v0, v1, v2 = cross(c0, c1, c2, n0, n1, n2)
        s = (v0 * d0 + v1 * d1 + v2 * d2) / size
        v0, v1, v2 = cross(n0, n1, n2, b0, b1, b2)
        w = (v0 * d0 + v1 * d1 + v2 * d2) / size
        if s < -BESIDE or w < -BESIDE or s + w > 1.0 + BESIDE:
            continue
        best = abs(g)
        found = f
        at[A_GAP] = g
        at[A_N], at[A_N + 1], at[A_N + 2] = rotate(fr.A, j, n0, n1, n2)
        at[A_WHICH] = f
        at[A_SHARE] = 1.0 - s - w
        at[A_SHARE + 1] = s
        at[A_SHARE + 2] = w
        at[A_EDGES], at[A_EDGES + 1], at[A_EDGES + 2] = rotate(fr.A, j, b0, b1, b2)
        at[A_EDGES + 3], at[A_EDGES + 4], at[A_EDGES + 5] = rotate(fr.A, j, c0, c1, c2)
        at[A_SIZE] = size
    return found >= 0 and at[A_GAP] < 0.0


@jit(apart=True)
def _answer(S, W, fr, i, j, k, t, u, r0, r1, r2):
    """Velocity of the point k over what it meets, and the force on A, into W.at and W.law (derivatives)."""
    at = W.at
    nA = S.big.shape[0]
    rigid = S.kern.shape[0] > 0
    nB = 0 if rigid else S.bigB.shape[0]
    rate = nA + nB
    a, b, c = _rate(S.phi, k, u, rate)
    v0, v1, v2 = rotate(fr.A, i, a, b, c)
    x, y, z = cross(fr.w[i, 0], fr.w[i, 1], fr.w[i, 2], r0, r1, r2)
    v0 += fr.v[i, 0] + x
    v1 += fr.v[i, 1] + y
    v2 += fr.v[i, 2] + z
    b0 = fr.p[i, 0] + r0 - fr.p[j, 0]
    b1 = fr.p[i, 1] + r1 - fr.p[j, 1]
    b2 = fr.p[i, 2] + r2 - fr.p[j, 2]
    x, y, z = cross(fr.w[j, 0], fr.w[j, 1], fr.w[j, 2], b0, b1, b2)
    v0 -= fr.v[j, 0] + x
    v1 -= fr.v[j, 1] + y
    v2 -= fr.v[j, 2] + z
    if not rigid:
        f = int(at[A_WHICH])
        x = 0.0
        y = 0.0
        z = 0.0
        for q in range(3):
            a, b, c = _rate(S.shapes, S.tri[f, q], u, rate + nA)
            a, b, c = rotate(fr.A, j, a, b, c)
            at[A_CORNERS + 3 * q] = a
            at[A_CORNERS + 3 * q + 1] = b
            at[A_CORNERS + 3 * q + 2] = c
            x += at[A_SHARE + q] * a
            y += at[A_SHARE + q] * b
            z += at[A_SHARE + q] * c
        v0 -= x
        v1 -= y
        v2 -= z
    n0 = at[A_N]
    n1 = at[A_N + 1]
    n2 = at[A_N + 2]
    vn = v0 * n0 + v1 * n1 + v2 * n2
    at[A_V] = v0
    at[A_V + 1] = v1
    at[A_V + 2] = v2
    at[A_VN] = vn
    L = W.law
    area = S.area[k]
    F = area * normal_force(S.p, 0, -at[A_GAP], -vn, W.mem, 0, t, L)
    W.sums[0] += area * L[OUT_STORED]
    W.sums[1] += (F - area * L[OUT_ELASTIC]) * -vn
    L[36] = area * L[OUT_DEPTH]
    L[37] = area * L[OUT_RATE]
    at[A_FN] = F
    at[A_FORCE] = F * n0
    at[A_FORCE + 1] = F * n1
    at[A_FORCE + 2] = F * n2
    if S.par[FRICTION] != 0.0:
        s = W.slip
        s[0] = v0 - vn * n0
        s[1] = v1 - vn * n1
        s[2] = v2 - vn * n2
        friction_force(S.pf, 0, F, s, W.mem, 0, t, L)
        for q in range(3):
            at[A_FORCE + q] += L[q]
        W.sums[1] -= L[0] * s[0] + L[1] * s[1] + L[2] * s[2]


# ---- the law ----------------------------------------------------------------------------------------------------------
@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    handle = _skin_at(int(c[0]))
    S = view_S(handle)
    w = view_W(handle)
    i = f[0]
    j = f[1]
    nA = S.big.shape[0]
    rigid = S.kern.shape[0] > 0
    nB = 0 if rigid else S.bigB.shape[0]
    for q in range(12):
        W[q] = 0.0
    for q in range(nA + nB):
        xd[q] = 0.0
    w.sums[0] = 0.0
    w.sums[1] = 0.0
    w.count[EVALUATIONS] += 1
    if rigid:
        _put_shapes(S, fr, j)
    left = _left(S, w, fr, i, j, u)
    if not left > 0.0:
        _search(S, w, fr, i, j, u)
        left = w.pose[12]
    w.sums[2] = left
    at = w.at
    touching = 0
    for q in range(w.count[NEAR]):
        k = w.near[q]
        a, b, d = _moved(S.place, S.phi, k, u, 0)
        r0, r1, r2 = rotate(fr.A, i, a, b, d)
        at[A_GAP] = 1e300
        touches = _meet(S, w, fr, i, j, k, u, r0, r1, r2)
        w.sums[2] = min(w.sums[2], at[A_GAP])
        if not touches:
            continue
        _answer(S, w, fr, i, j, k, t, u, r0, r1, r2)
        f0 = at[A_FORCE]
        f1 = at[A_FORCE + 1]
        f2 = at[A_FORCE + 2]
        b0 = fr.p[i, 0] + r0 - fr.p[j, 0]
        b1 = fr.p[i, 1] + r1 - fr.p[j, 1]
        b2 = fr.p[i, 2] + r2 - fr.p[j, 2]
        m0, m1, m2 = cross(r0, r1, r2, f0, f1, f2)
        W[0] += f0
        W[1] += f1
        W[2] += f2
        W[3] += m0
        W[4] += m1
        W[5] += m2
        m0, m1, m2 = cross(b0, b1, b2, f0, f1, f2)
        W[6] -= f0
        W[7] -= f1
        W[8] -= f2
        W[9] -= m0
        W[10] -= m1
        W[11] -= m2
        g0, g1, g2 = unrotate(fr.A, i, f0, f1, f2)
        X = S.phi[k, 0]
        Y = S.phi[k, 1]
        Z = S.phi[k, 2]
        for m in range(nA):
            xd[m] += X[m] * g0 + Y[m] * g1 + Z[m] * g2
        if not rigid:
            g0, g1, g2 = unrotate(fr.A, j, f0, f1, f2)
            for e in range(3):
                n = S.tri[int(at[A_WHICH]), e]
                share = at[A_SHARE + e]
                X = S.shapes[n, 0]
                Y = S.shapes[n, 1]
                Z = S.shapes[n, 2]
                for m in range(nB):
                    xd[nA + m] -= share * (X[m] * g0 + Y[m] * g1 + Z[m] * g2)
        w.act[touching] = k
        res = w.res[touching]
        res[R_NORMAL] = at[A_FN]
        res[R_FORCE] = f0
        res[R_FORCE + 1] = f1
        res[R_FORCE + 2] = f2
        res[R_GAP] = at[A_GAP]
        res[R_PLACE] = fr.p[i, 0] + r0
        res[R_PLACE + 1] = fr.p[i, 1] + r1
        res[R_PLACE + 2] = fr.p[i, 2] + r2
        for e in range(3):
            res[R_DIRECTION + e] = at[A_N + e]
            res[R_SHARE + e] = at[A_SHARE + e]
        res[R_WHICH] = at[A_WHICH]
        touching += 1
    w.count[TOUCHING] = touching
    w.count[PLACED] += w.count[NEAR]


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    w = view_W(_skin_at(int(c[0])))
    out[0] = w.sums[0]
    out[1] = w.sums[1]
    out[2] = 0.0


@jit
def _by_foot(at, w0, w1, w2):
    """Changes of N of the foot for a shift w of the point over the facet."""
    n0 = at[A_N]
    n1 = at[A_N + 1]
    n2 = at[A_N + 2]
    e = A_EDGES
    a, b, c = cross(at[e + 3], at[e + 4], at[e + 5], n0, n1, n2)
    s = (a * w0 + b * w1 + c * w2) / at[A_SIZE]
    a, b, c = cross(n0, n1, n2, at[e], at[e + 1], at[e + 2])
    return s, (a * w0 + b * w1 + c * w2) / at[A_SIZE]


@jit(apart=True)
def _column(S, W, fr, i, j, column, D, dg, n0, n1, n2, s, w, x0, x1, x2, z0, z1, z2, a0, a1, a2, b0, b1, b2, p0, p1, p2, h0, h1, h2):
    """Column of D for a motion that changes the gap by dg, the normal by (n0..), the foot by (s, w), the point by x, the velocity by z (without that of the foot);
    turns a of the frame of A, b of that of B; p: levers of A, h: those of B, change by x less these."""
    at = W.at
    L = W.law
    rigid = S.kern.shape[0] > 0
    if not rigid:
        for e in range(3):
            d = -s - w if e == 0 else (s if e == 1 else w)
            W.G[6 + e, column] = d
            z0 -= d * at[A_CORNERS + 3 * e]
            z1 -= d * at[A_CORNERS + 3 * e + 1]
            z2 -= d * at[A_CORNERS + 3 * e + 2]
    m0 = at[A_N]
    m1 = at[A_N + 1]
    m2 = at[A_N + 2]
    zn = z0 * m0 + z1 * m1 + z2 * m2 + at[A_V] * n0 + at[A_V + 1] * n1 + at[A_V + 2] * n2
    dF = -L[36] * dg - L[37] * zn
    F = at[A_FN]
    g0 = dF * m0 + F * n0
    g1 = dF * m1 + F * n1
    g2 = dF * m2 + F * n2
    if S.par[FRICTION] != 0.0:
        vn = at[A_VN]
        s0 = z0 - zn * m0 - vn * n0
        s1 = z1 - zn * m1 - vn * n1
        s2 = z2 - zn * m2 - vn * n2
        g0 += L[3] * dF + L[6] * s0 + L[7] * s1 + L[8] * s2
        g1 += L[4] * dF + L[9] * s0 + L[10] * s1 + L[11] * s2
        g2 += L[5] * dF + L[12] * s0 + L[13] * s1 + L[14] * s2
    f0 = at[A_FORCE]
    f1 = at[A_FORCE + 1]
    f2 = at[A_FORCE + 2]
    D[0, column] += g0
    D[1, column] += g1
    D[2, column] += g2
    D[6, column] -= g0
    D[7, column] -= g1
    D[8, column] -= g2
    q0, q1, q2 = cross(p0, p1, p2, g0, g1, g2)
    D[3, column] += q0
    D[4, column] += q1
    D[5, column] += q2
    q0, q1, q2 = cross(h0, h1, h2, g0, g1, g2)
    D[9, column] -= q0
    D[10, column] -= q1
    D[11, column] -= q2
    q0, q1, q2 = cross(x0, x1, x2, f0, f1, f2)
    if not 0 <= column < 3:  # levers from A: its own translation leaves them
        D[3, column] += q0
        D[4, column] += q1
        D[5, column] += q2
    D[9, column] -= q0
    D[10, column] -= q1
    D[11, column] -= q2
    if 6 <= column < 9:  # B moves away
        e0 = 1.0 if column == 6 else 0.0
        e1 = 1.0 if column == 7 else 0.0
        e2 = 1.0 if column == 8 else 0.0
        q0, q1, q2 = cross(e0, e1, e2, f0, f1, f2)
        D[9, column] += q0
        D[10, column] += q1
        D[11, column] += q2
    q0, q1, q2 = cross(a0, a1, a2, f0, f1, f2)
    W.G[0, column], W.G[1, column], W.G[2, column] = unrotate(fr.A, i, g0 - q0, g1 - q1, g2 - q2)
    if not rigid:
        q0, q1, q2 = cross(b0, b1, b2, f0, f1, f2)
        q0, q1, q2 = unrotate(fr.A, j, g0 - q0, g1 - q1, g2 - q2)
        W.G[3, column] = -q0
        W.G[4, column] = -q1
        W.G[5, column] = -q2


@jit(apart=True)
def _of_facet(at, d0, d1, d2, b0, b1, b2, c0, c1, c2):
    """Change of gap, normal and foot (s, w) where the corners of the facet move by d, d + b, d + c."""
    n0 = at[A_N]
    n1 = at[A_N + 1]
    n2 = at[A_N + 2]
    e = A_EDGES
    x0, x1, x2 = cross(b0, b1, b2, at[e + 3], at[e + 4], at[e + 5])
    y0, y1, y2 = cross(at[e], at[e + 1], at[e + 2], c0, c1, c2)
    x0 += y0
    x1 += y1
    x2 += y2
    along = x0 * n0 + x1 * n1 + x2 * n2
    x0 = (x0 - along * n0) / at[A_SIZE]
    x1 = (x1 - along * n1) / at[A_SIZE]
    x2 = (x2 - along * n2) / at[A_SIZE]
    s = at[A_SHARE + 1]
    w = at[A_SHARE + 2]
    y0 = -(d0 + s * b0 + w * c0)
    y1 = -(d1 + s * b1 + w * c1)
    y2 = -(d2 + s * b2 + w * c2)
    g = at[A_GAP]
    s, w = _by_foot(at, y0 - g * x0, y1 - g * x1, y2 - g * x2)
    return n0 * y0 + n1 * y1 + n2 * y2, x0, x1, x2, s, w


@jit
def tangent(c, f, fr, ref, t, u, x, W, D):
    handle = _skin_at(int(c[0]))
    S = view_S(handle)
    w = view_W(handle)
    i = f[0]
    j = f[1]
    nA = S.big.shape[0]
    rigid = S.kern.shape[0] > 0
    nB = 0 if rigid else S.bigB.shape[0]
    stored = w.sums[0]
    lost = w.sums[1]
    if rigid:
        _put_shapes(S, fr, j)
    for q in range(w.count[TOUCHING]):
        k = w.act[q]
        a, b, d = _moved(S.place, S.phi, k, u, 0)
        r0, r1, r2 = rotate(fr.A, i, a, b, d)
        if _meet(S, w, fr, i, j, k, u, r0, r1, r2):
            _answer(S, w, fr, i, j, k, t, u, r0, r1, r2)
            _columns(S, w, fr, i, j, k, u, r0, r1, r2, D)
            _rows(S, w, fr, j, k, 24 + 2 * (nA + nB), D)
    w.sums[0] = stored
    w.sums[1] = lost


@jit
def _columns(S, W, fr, i, j, k, u, r0, r1, r2, D):
    at = W.at
    nA = S.big.shape[0]
    rigid = S.kern.shape[0] > 0
    nB = 0 if rigid else S.bigB.shape[0]
    h0 = fr.p[i, 0] + r0 - fr.p[j, 0]
    h1 = fr.p[i, 1] + r1 - fr.p[j, 1]
    h2 = fr.p[i, 2] + r2 - fr.p[j, 2]
    wa0, wa1, wa2 = fr.w[i, 0], fr.w[i, 1], fr.w[i, 2]
    wb0, wb1, wb2 = fr.w[j, 0], fr.w[j, 1], fr.w[j, 2]
    a, b, d = _rate(S.phi, k, u, nA + nB)
    y0, y1, y2 = rotate(fr.A, i, a, b, d)  # velocity in the frame of A
    n0 = at[A_N]
    n1 = at[A_N + 1]
    n2 = at[A_N + 2]
    q0 = 0.0  # velocity of the foot in the frame of B
    q1 = 0.0
    q2 = 0.0
    if rigid:
        prepare(W.pts, 0, W.A4)
    else:
        for e in range(3):
            q0 += at[A_SHARE + e] * at[A_CORNERS + 3 * e]
            q1 += at[A_SHARE + e] * at[A_CORNERS + 3 * e + 1]
            q2 += at[A_SHARE + e] * at[A_CORNERS + 3 * e + 2]
    # the point moves: translations and turns of A, modes of A
    for m in range(6 + nA):
        t0 = t1 = t2 = 0.0
        if m < 3:
            x0 = 1.0 if m == 0 else 0.0
            x1 = 1.0 if m == 1 else 0.0
            x2 = 1.0 if m == 2 else 0.0
            v0 = v1 = v2 = 0.0
            column = m
        elif m < 6:
            t0 = 1.0 if m == 3 else 0.0
            t1 = 1.0 if m == 4 else 0.0
            t2 = 1.0 if m == 5 else 0.0
            x0, x1, x2 = cross(t0, t1, t2, r0, r1, r2)
            v0, v1, v2 = cross(wa0, wa1, wa2, x0, x1, x2)
            a, b, d = cross(t0, t1, t2, y0, y1, y2)
            v0 += a
            v1 += b
            v2 += d
            column = m
        else:
            x0, x1, x2 = rotate(fr.A, i, S.phi[k, 0, m - 6], S.phi[k, 1, m - 6], S.phi[k, 2, m - 6])
            v0, v1, v2 = cross(wa0, wa1, wa2, x0, x1, x2)
            column = 24 + m - 6
            # the same column of velocities
            _column(S, W, fr, i, j, column + nA + nB, D, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, x0, x1, x2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                    r0, r1, r2, h0, h1, h2)  # fmt: skip
        a, b, d = cross(wb0, wb1, wb2, x0, x1, x2)
        s = z = 0.0
        g0 = g1 = g2 = 0.0
        if rigid:
            dg, g0, g1, g2, e0, e1, e2 = point_rates(W.pts, 0, W.A4, x0, x1, x2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        else:
            dg = n0 * x0 + n1 * x1 + n2 * x2
            s, z = _by_foot(at, x0, x1, x2)
        _column(S, W, fr, i, j, column, D, dg, g0, g1, g2, s, z, x0, x1, x2, v0 - a, v1 - b, v2 - d, t0, t1, t2, 0.0, 0.0, 0.0,
                r0, r1, r2, h0, h1, h2)  # fmt: skip
    # what it meets moves
    for m in range(6 + nB):
        t0 = t1 = t2 = 0.0
        v0 = v1 = v2 = 0.0
        s = z = 0.0
        if m < 3:
            d0 = 1.0 if m == 0 else 0.0
            d1 = 1.0 if m == 1 else 0.0
            d2 = 1.0 if m == 2 else 0.0
            v0, v1, v2 = cross(wb0, wb1, wb2, d0, d1, d2)
            column = 6 + m
            if rigid:
                dg, g0, g1, g2, e0, e1, e2 = point_rates(W.pts, 0, W.A4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, d0, d1, d2, 0.0, 0.0, 0.0)
            else:
                dg, g0, g1, g2, s, z = _of_facet(at, d0, d1, d2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        elif m < 6:
            t0 = 1.0 if m == 3 else 0.0
            t1 = 1.0 if m == 4 else 0.0
            t2 = 1.0 if m == 5 else 0.0
            v0, v1, v2 = cross(t0, t1, t2, q0, q1, q2)
            v0, v1, v2 = -v0, -v1, -v2
            column = 6 + m
            if rigid:
                d0, d1, d2 = cross(t0, t1, t2, W.pts[0, P] - fr.p[j, 0], W.pts[0, P + 1] - fr.p[j, 1], W.pts[0, P + 2] - fr.p[j, 2])
                dg, g0, g1, g2, e0, e1, e2 = point_rates(W.pts, 0, W.A4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, d0, d1, d2, t0, t1, t2)
            else:
                # the foot lies at x - g n; corner 0 at the foot less its shares of the edges
                e = A_EDGES
                c0 = h0 - at[A_GAP] * n0 - at[A_SHARE + 1] * at[e] - at[A_SHARE + 2] * at[e + 3]
                c1 = h1 - at[A_GAP] * n1 - at[A_SHARE + 1] * at[e + 1] - at[A_SHARE + 2] * at[e + 4]
                c2 = h2 - at[A_GAP] * n2 - at[A_SHARE + 1] * at[e + 2] - at[A_SHARE + 2] * at[e + 5]
                d0, d1, d2 = cross(t0, t1, t2, c0, c1, c2)
                b0, b1, b2 = cross(t0, t1, t2, at[e], at[e + 1], at[e + 2])
                c0, c1, c2 = cross(t0, t1, t2, at[e + 3], at[e + 4], at[e + 5])
                dg, g0, g1, g2, s, z = _of_facet(at, d0, d1, d2, b0, b1, b2, c0, c1, c2)
        else:
            T = S.tri
            l = int(at[A_WHICH])
            p = m - 6
            d0, d1, d2 = rotate(fr.A, j, S.shapes[T[l, 0], 0, p], S.shapes[T[l, 0], 1, p], S.shapes[T[l, 0], 2, p])
            b0, b1, b2 = rotate(fr.A, j, S.shapes[T[l, 1], 0, p], S.shapes[T[l, 1], 1, p], S.shapes[T[l, 1], 2, p])
            c0, c1, c2 = rotate(fr.A, j, S.shapes[T[l, 2], 0, p], S.shapes[T[l, 2], 1, p], S.shapes[T[l, 2], 2, p])
            column = 24 + nA + p
            o = A_SHARE
            e0 = -(at[o] * d0 + at[o + 1] * b0 + at[o + 2] * c0)
            e1 = -(at[o] * d1 + at[o + 1] * b1 + at[o + 2] * c1)
            e2 = -(at[o] * d2 + at[o + 1] * b2 + at[o + 2] * c2)
            _column(S, W, fr, i, j, column + nA + nB, D, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, e0, e1, e2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                    r0, r1, r2, h0, h1, h2)  # fmt: skip
            dg, g0, g1, g2, s, z = _of_facet(at, d0, d1, d2, b0 - d0, b1 - d1, b2 - d2, c0 - d0, c1 - d1, c2 - d2)
        _column(
            S, W, fr, i, j, column, D, dg, g0, g1, g2, s, z, 0.0, 0.0, 0.0, v0, v1, v2, 0.0, 0.0, 0.0, t0, t1, t2, r0, r1, r2, h0, h1, h2
        )
    # velocities of the frames
    for m in range(12):
        e0 = 1.0 if m % 3 == 0 else 0.0
        e1 = 1.0 if m % 3 == 1 else 0.0
        e2 = 1.0 if m % 3 == 2 else 0.0
        if 3 <= m < 6:
            e0, e1, e2 = cross(e0, e1, e2, r0, r1, r2)
        elif m >= 9:
            e0, e1, e2 = cross(e0, e1, e2, h0, h1, h2)
        sign = 1.0 if m < 6 else -1.0
        _column(S, W, fr, i, j, 12 + m, D, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, sign * e0, sign * e1, sign * e2, 0.0, 0.0, 0.0,
                0.0, 0.0, 0.0, r0, r1, r2, h0, h1, h2)  # fmt: skip


@jit
def _rows(S, W, fr, j, k, columns, D):
    """Rows of forces on modes, from what `_column` left in W.G."""
    at = W.at
    nA = S.big.shape[0]
    G0 = W.G[0, :columns]
    G1 = W.G[1, :columns]
    G2 = W.G[2, :columns]
    for m in range(nA):
        a = S.phi[k, 0, m]
        b = S.phi[k, 1, m]
        c = S.phi[k, 2, m]
        row = D[12 + m]
        for q in range(columns):
            row[q] += a * G0[q] + b * G1[q] + c * G2[q]
    if S.kern.shape[0] > 0:
        return
    G0 = W.G[3, :columns]
    G1 = W.G[4, :columns]
    G2 = W.G[5, :columns]
    H0 = W.G[6, :columns]
    H1 = W.G[7, :columns]
    H2 = W.G[8, :columns]
    f0, f1, f2 = unrotate(fr.A, j, at[A_FORCE], at[A_FORCE + 1], at[A_FORCE + 2])
    l = int(at[A_WHICH])
    X = S.shapes[S.tri[l, 0]]
    Y = S.shapes[S.tri[l, 1]]
    Z = S.shapes[S.tri[l, 2]]
    o = A_SHARE
    for m in range(S.bigB.shape[0]):
        a = at[o] * X[0, m] + at[o + 1] * Y[0, m] + at[o + 2] * Z[0, m]
        b = at[o] * X[1, m] + at[o + 1] * Y[1, m] + at[o + 2] * Z[1, m]
        c = at[o] * X[2, m] + at[o + 1] * Y[2, m] + at[o + 2] * Z[2, m]
        u = X[0, m] * f0 + X[1, m] * f1 + X[2, m] * f2
        v = Y[0, m] * f0 + Y[1, m] * f1 + Y[2, m] * f2
        w = Z[0, m] * f0 + Z[1, m] * f1 + Z[2, m] * f2
        row = D[12 + nA + m]
        for q in range(columns):
            row[q] += a * G0[q] + b * G1[q] + c * G2[q] - u * H0[q] - v * H1[q] - w * H2[q]
