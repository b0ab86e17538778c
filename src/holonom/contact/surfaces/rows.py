"""Points of a flexible surface as constraints: rows of the relative velocity at points that are near to closing.

With the unit normal n and tangents t of what the point x meets (`kernels`) a row is what a unit force along it, and its
reaction, do to all coordinates:

    H_n u = n . (x' - y'),      H_t u = t . (x' - y'),      H^T r the generalised forces of the impulses r,

so that what the rows find of velocities and what impulses do along them are the same numbers.
"""

from __future__ import annotations

import math

from ..._handle import view_S, view_W
from ..._jit import jit
from ...elements.frames import add_wrench
from ...elements.vectors import cross, rotate, unrotate
from .columns import A_GAP, A_N, A_SHARE, A_WHICH, EVALUATIONS, MARGIN, NEAR, RADIUS
from .dented import _dents
from .meeting import meet
from .search import left_over, moved, put_shapes, search
from .skin import skin_at


@jit
def _speed(S, fr, i, j, u, count):
    """How fast points may come near to what they meet, at most; rates of modes at u[count:]."""
    t0 = fr.w[i, 0] - fr.w[j, 0]
    t1 = fr.w[i, 1] - fr.w[j, 1]
    t2 = fr.w[i, 2] - fr.w[j, 2]
    a, b, c = cross(
        fr.w[j, 0], fr.w[j, 1], fr.w[j, 2], fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
    )
    v0 = fr.v[i, 0] - fr.v[j, 0] - a
    v1 = fr.v[i, 1] - fr.v[j, 1] - b
    v2 = fr.v[i, 2] - fr.v[j, 2] - c
    v = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2) + math.sqrt(t0 * t0 + t1 * t1 + t2 * t2) * S.par[RADIUS]
    nA = S.big.shape[0]
    for k in range(nA):
        v += abs(u[count + k]) * S.big[k]
    for k in range(count - nA):
        v += abs(u[count + nA + k]) * S.bigB[k]
    return v


@jit
def _across(n0, n1, n2):
    """A unit vector across n."""
    a, b, c = (0.0, -n2, n1) if abs(n0) < 0.6 else (n2, 0.0, -n0)
    size = math.sqrt(a * a + b * b + c * c)
    return a / size, b / size, c / size


@jit(apart=True)
def _row(S, W, fr, R, i, j, k, place, direction, at_A, at_B, row):
    """row <- what a unit force d on point k, r from the frame of A, does to all coordinates."""
    r0, r1, r2 = place
    d0, d1, d2 = direction
    at = W.at
    for c in range(row.shape[0]):
        row[c] = 0.0
    m0, m1, m2 = cross(r0, r1, r2, d0, d1, d2)
    add_wrench(fr, R, i, d0, d1, d2, m0, m1, m2, row)
    b0 = fr.p[i, 0] + r0 - fr.p[j, 0]
    b1 = fr.p[i, 1] + r1 - fr.p[j, 1]
    b2 = fr.p[i, 2] + r2 - fr.p[j, 2]
    m0, m1, m2 = cross(b0, b1, b2, d0, d1, d2)
    add_wrench(fr, R, j, -d0, -d1, -d2, -m0, -m1, -m2, row)
    g0, g1, g2 = unrotate(fr.A, i, d0, d1, d2)
    for m in range(S.big.shape[0]):
        row[at_A[m]] += S.phi[k, 0, m] * g0 + S.phi[k, 1, m] * g1 + S.phi[k, 2, m] * g2
    if S.kern.shape[0] == 0:
        g0, g1, g2 = unrotate(fr.A, j, d0, d1, d2)
        for e in range(3):
            n = S.tri[int(at[A_WHICH]), e]
            share = at[A_SHARE + e]
            for m in range(S.bigB.shape[0]):
                row[at_B[m]] -= share * (S.shapes[n, 0, m] * g0 + S.shapes[n, 1, m] * g1 + S.shapes[n, 2, m] * g2)


@jit(
    entry=(
        "int64, Handle(Frames, (), ()), int64[::1], float64[:, ::1], float64[::1], int64[::1], int64[::1], "
        "float64, int64, float64[:, ::1], float64[:, ::1]"
    )
)
def enter_rows(address, frames, f, R, u, at_A, at_B, h, d, H, data):
    """Points whose gap may close within a time h, at frames (a handle) and coordinates and rates u as they are: rows (n
    d, moves) of ``d`` velocities, 1 or 3, into H, and gap, normal (3), point, what it meets and shares (3) into data
    (`numbers.POINT_DATA`).  Returns how many there are, -1 where there is no space for more, and the distance that is
    sure to be open at all other points, and the speed at most."""
    handle = skin_at(address)
    S = view_S(handle)
    W = view_W(handle)
    fr = view_S(frames)
    i = f[0]
    j = f[1]
    count = u.shape[0] // 2
    W.count[EVALUATIONS] += 1
    if S.kern.shape[0] > 0:
        put_shapes(S, fr, j)
    left = left_over(S, W, fr, i, j, u)
    if not left > 0.0:
        search(S, W, fr, i, j, u)
        left = W.pose[12]
    v = _speed(S, fr, i, j, u, count)
    reach = min(h * v, S.par[MARGIN])
    at = W.at
    n = 0
    way = W.pose[12] - left
    for q in range(W.count[NEAR]):
        if W.clear[q] - way >= max(reach, 0.0):
            left = min(left, W.clear[q] - way)
            break
        k = W.near[q]
        a, b, c = moved(S.place, S.phi, k, u, 0)
        r0, r1, r2 = rotate(fr.A, i, a, b, c)
        at[A_GAP] = 1e300
        if not meet(S, W, fr, i, j, k, u, r0, r1, r2, reach):
            left = min(left, at[A_GAP])
            continue
        if n == data.shape[0]:
            return -1, left, v
        data[n, 0] = at[A_GAP]
        for e in range(3):
            data[n, 1 + e] = at[A_N + e]
            data[n, 6 + e] = at[A_SHARE + e]
        data[n, 4] = k
        data[n, 5] = at[A_WHICH]
        n0, n1, n2 = at[A_N], at[A_N + 1], at[A_N + 2]
        _row(S, W, fr, R, i, j, k, (r0, r1, r2), (n0, n1, n2), at_A, at_B, H[n * d])
        if d > 1:
            a, b, c = _across(n0, n1, n2)
            _row(S, W, fr, R, i, j, k, (r0, r1, r2), (a, b, c), at_A, at_B, H[n * d + 1])
            a, b, c = cross(n0, n1, n2, a, b, c)
            _row(S, W, fr, R, i, j, k, (r0, r1, r2), (a, b, c), at_A, at_B, H[n * d + 2])
        n += 1
    return n, left, v


@jit(entry="int64, float64[:, ::1], float64[:, ::1]")
def enter_dents(address, data, C):
    """C (n, n) <- dents between the points of data (n, POINT_DATA)."""
    handle = skin_at(address)
    S = view_S(handle)
    W = view_W(handle)
    n = data.shape[0]
    for p in range(n):
        W.who[p] = int(data[p, 4])
        for e in range(4):
            W.met[p, 1 + e] = data[p, 5 + e]
    for p in range(n):
        for q in range(p + 1):
            C[p, q] = _dents(S, W, p, q)
            C[q, p] = C[p, q]
