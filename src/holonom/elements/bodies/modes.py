"""Modes: small deformations of a body about a frame that floats with it.

The displacement in the frame is u(x) = sum_j q_j phi_j(x).  Modes are mean-axis and mass-orthonormal: they have no
momentum about the frame, the origin stays the centre of mass, and their own mass is one.  With phi_0 = s (the
undeformed position), q^ = (1, q) and the two tables over pairs

    S_kj = int rho (phi_k . phi_j I - sym phi_k phi_j^T) dV  (3 x 3),        H_kj = int rho phi_k x phi_j dV  (3)
    S_j = sum_k q^_k S_kj,   H_j = sum_k q^_k H_kj,   D_j = sum_k q'_k H_kj,   J = sum_j q^_j S_j,   h = sum_j q'_j H_j

the equations of motion in axes of the frame are

    m r'' = f
    J W' + sum_j H_j q''_j = t - W x (J W + h) - 2 sum_j q'_j S_j W
    H_j . W' + q''_j       = Q_j + W . S_j W - 2 W . D_j - w_j^2 q_j - 2 zeta_j w_j q'_j

(Shabana, Dynamics of Multibody Systems (2013), ch. 5; Wallrapp & Schwertassek, Dynamik flexibler Mehrkoerpersysteme
(1999), ch. 6).  What the centrifugal load stiffens is a part of S (k, j > 0): the shortening that goes with bending, of
second order in q, changes the moment of inertia.  Forces on an attachment stiffen by its displacement of second order,
see below.

An attachment a is a node of the mesh with shapes Phi (3, n) and Psi (3, n) of its displacement and rotation, and bends
G (3, n, n):

    p = s_a + Phi q + q.G q / 2,      P = dp/dq = Phi + G q,       psi = Psi q,      quaternion of its attitude in the
        frame (1, psi/2), normalised

psi are Rodrigues parameters: with N = 1 / (1 + psi.psi/4) and T = N (I - [psi]/2) its angular velocity in its own axes
is R^T W + T psi'.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..._jit import jit
from ..vectors import cross, rotate, unrotate
from .nodes import put_point

Modes = namedtuple("Modes", "count first full tptr T wptr B0 B1 h place Phi bends G P Q TP R now")
Modes.__doc__ = """count, first (c,): modes of each carrier and the first of them among its coordinates; T (flat, from
tptr (c,), 9 (n + 1)^2 each, the same for carriers with the same numbers): a row for each shape k, first S_kj (xx, yy,
zz, xy, yz, zx) of all j, then H_kj of all j, zero for k = j = 0, which is the rigid body; full (c,): whether there is
more of it than row and column zero; B0, B1 (flat, from wptr (c,), 9 (n + 1) each): S_j and H_j, and the same summed
with q' in place of q^, in the order of a row (of B1 `invariants` makes H_j alone); h (c, 9): change of J (6), h (3). a
attachments: place (a, 3), Phi (a, 6, most): shapes of displacement and rotation; bends (a,): whether G (a, 3, most,
most) is not zero; work: P (a, 3, most), Q (a, 3, most) = G q', TP (a, 3, most) = T Psi, R (a, 9) = rotation from the
axes of the attachment to those of the frame, now (a, 7): its place in the frame, psi and N."""


def make_modes(count, first, S, H, place, Phi, G) -> Modes:
    """Tables of modes.  count, first (c,): see `Modes`; S (c) of (n + 1, n + 1, 3, 3), H (c) of (n + 1, n + 1, 3), axes
    of the frames; position (a, 3); Phi (a) of (6, n); G (a) of (3, n, n) or None."""
    count = np.ascontiguousarray(count, np.int64)
    tables: list[np.ndarray] = []
    starts, places, size = [], {}, 0
    for s, h in zip(S, H):
        n = len(s)
        six = np.stack([s[..., 0, 0], s[..., 1, 1], s[..., 2, 2], s[..., 0, 1], s[..., 1, 2], s[..., 2, 0]], axis=-1)
        six[0, 0] = 0.0
        table = np.hstack([six.reshape(n, -1), np.reshape(h, (n, -1))]).ravel()
        key = table.tobytes()
        if key not in places:
            places[key] = size
            tables.append(table)
            size += len(table)
        starts.append(places[key])
    work = np.concatenate([[0], np.cumsum(9 * (count + 1))]).astype(np.int64)
    z = np.zeros
    most, a = int(count.max(initial=1)), len(place)
    shapes, bent = z((a, 6, most)), z((a, 3, most, most))
    bends = np.array([b is not None and np.any(b) for b in G], bool)
    for i, phi in enumerate(Phi):
        shapes[i, :, : phi.shape[1]] = phi
        if bends[i]:
            bent[i, :, : phi.shape[1], : phi.shape[1]] = G[i]
    if not bends.any():
        bent = z((a, 3, 0, 0))
    full = np.array([bool(np.any(s[1:, 1:]) or np.any(h[1:, 1:])) for s, h in zip(S, H)], bool)
    return Modes(
        count,
        np.ascontiguousarray(first, np.int64),
        full,
        np.array(starts, np.int64),
        np.concatenate([np.zeros(0), *tables]),
        work[:-1].copy(),
        z(work[-1]),
        z(work[-1]),
        z((len(count), 9)),
        np.ascontiguousarray(place, float).reshape(a, 3),
        shapes,
        bends,
        bent,
        z((a, 3, most)),
        z((a, 3, most)),
        z((a, 3, most)),
        z((a, 9)),
        z((a, 7)),
    )


# ---- sums over pairs of shapes ---------------------------------------------------------------------------------------
@jit
def add_rows(T, t, wide, count, y, q, out):
    """out += sum_k y[q + k] T[t + wide k:] over ``count`` rows, of each the first numbers; four rows at a time, summed
    in their order."""
    size = out.shape[0]
    k = 0
    while k + 4 <= count:
        a = y[q + k]
        b = y[q + k + 1]
        c = y[q + k + 2]
        d = y[q + k + 3]
        T0 = T[t : t + size]
        T1 = T[t + wide : t + wide + size]
        T2 = T[t + 2 * wide : t + 2 * wide + size]
        T3 = T[t + 3 * wide : t + 3 * wide + size]
        for i in range(size):
            out[i] = (((out[i] + a * T0[i]) + b * T1[i]) + c * T2[i]) + d * T3[i]
        t += 4 * wide
        k += 4
    while k < count:
        a = y[q + k]
        T0 = T[t : t + size]
        for i in range(size):
            out[i] += a * T0[i]
        t += wide
        k += 1


@jit
def invariants(m, g, y, q, v):
    """B0, h and, of B1, H_j of carrier g; q, v: where its modal coordinates and rates begin in y."""
    n = m.count[g]
    w = 9 * (n + 1)
    s = 6 * (n + 1)
    t = m.tptr[g]
    o = m.wptr[g]
    h = m.h[g]
    B0 = m.B0[o : o + w]
    B1 = m.B1[o + s : o + w]
    T = m.T[t : t + w]
    for i in range(w):
        B0[i] = T[i]
    for i in range(w - s):
        B1[i] = 0.0
    if m.full[g]:
        add_rows(m.T, t + w, w, n, y, q, B0)
        add_rows(m.T, t + w + s, w, n, y, v, B1)
    else:
        add_rows(m.T, t + w, w, n, y, q, B0[:6])
    for i in range(6):
        h[i] = B0[i]
    for i in range(3):
        h[6 + i] = 0.0
    for k in range(n):
        j = 6 * (k + 1)
        a = y[q + k]
        b = y[v + k]
        for i in range(6):
            h[i] += a * B0[j + i]
        j = s + 3 * (k + 1)
        for i in range(3):
            h[6 + i] += b * B0[j + i]


@jit
def rate_invariants(m, g, y, v):
    """Of B1 of carrier g, S_j; v: where its modal rates begin in y."""
    n = m.count[g]
    w = 9 * (n + 1)
    o = m.wptr[g]
    B1 = m.B1[o : o + 6 * (n + 1)]
    for i in range(B1.shape[0]):
        B1[i] = 0.0
    if m.full[g]:
        add_rows(m.T, m.tptr[g] + w, w, n, y, v, B1)
    else:
        add_rows(m.T, m.tptr[g] + w, w, n, y, v, B1[:6])


@jit
def times(S, o, a, b, c):
    """S (a, b, c), S the symmetric matrix S[o:] (xx, yy, zz, xy, yz, zx)."""
    return (
        S[o] * a + S[o + 3] * b + S[o + 5] * c,
        S[o + 3] * a + S[o + 1] * b + S[o + 4] * c,
        S[o + 5] * a + S[o + 4] * b + S[o + 2] * c,
    )


@jit
def _rates_times(m, g, y, v, a, b, c):
    """sum_j q'_j S_j (a, b, c)."""
    x = 0.0
    z = 0.0
    u = 0.0
    for k in range(m.count[g]):
        s0, s1, s2 = times(m.B0, m.wptr[g] + 6 * (k + 1), a, b, c)
        x += y[v + k] * s0
        z += y[v + k] * s1
        u += y[v + k] * s2
    return x, z, u


# ---- mass ------------------------------------------------------------------------------------------------------------
@jit
def enter_mass(m, g, y, q, v, M, o, N):
    """`invariants` of carrier g at the state y, whose coordinates and their rates begin at q and v; M[o:] (6, N) += the
    change of J, and H_j."""
    invariants(m, g, y, q + m.first[g], v + m.first[g])
    h = m.h[g]
    r = o + 3 * N + 3
    M[r] += h[0]
    M[r + 1] += h[3]
    M[r + 2] += h[5]
    r += N
    M[r] += h[3]
    M[r + 1] += h[1]
    M[r + 2] += h[4]
    r += N
    M[r] += h[5]
    M[r + 1] += h[4]
    M[r + 2] += h[2]
    n = m.count[g]
    j = m.wptr[g] + 6 * (n + 1) + 3
    d = o + 6 + m.first[g]
    for i in range(3):
        row = M[d + N * (3 + i) : d + N * (3 + i) + n]
        for k in range(n):
            row[k] = m.B0[j + 3 * k + i]


@jit
def enter_bent_mass(m, g, acc, b, q, D):
    """D += d(M acc)/dq; acc[b + 3:] holds W', acc[q:] the accelerations of the coordinates."""
    n = m.count[g]
    q += m.first[g]
    first = 6 + m.first[g]
    w0 = acc[b + 3]
    w1 = acc[b + 4]
    w2 = acc[b + 5]
    for i in range(n):
        s0, s1, s2 = times(m.B0, m.wptr[g] + 6 * (i + 1), w0, w1, w2)
        D[3, first + i] += 2.0 * s0
        D[4, first + i] += 2.0 * s1
        D[5, first + i] += 2.0 * s2
        t = m.tptr[g] + (n + 1) * (9 * (i + 1) + 6) + 3
        for j in range(n if m.full[g] else 0):
            for k in range(3):
                D[3 + k, first + i] += m.T[t + k] * acc[q + j]
            D[first + j, first + i] += m.T[t] * w0 + m.T[t + 1] * w1 + m.T[t + 2] * w2
            t += 3


# ---- forces ----------------------------------------------------------------------------------------------------------
@jit
def inertia_moment(m, g, y, v, w0, w1, w2):
    """-W x (dJ W + h) - 2 sum_j q'_j S_j W, dJ the change of J."""
    h = m.h[g]
    s0, s1, s2 = times(h, 0, w0, w1, w2)
    a0, a1, a2 = cross(w0, w1, w2, s0 + h[6], s1 + h[7], s2 + h[8])
    s0, s1, s2 = _rates_times(m, g, y, v, w0, w1, w2)
    return -a0 - 2.0 * s0, -a1 - 2.0 * s1, -a2 - 2.0 * s2


@jit
def mode_forces(m, g, y, v, w, F, f, o):
    """Moments F[o + 3:] and forces F[f:] on coordinates += what velocities make; W at y[w:]."""
    v += m.first[g]
    f += m.first[g]
    w0 = y[w]
    w1 = y[w + 1]
    w2 = y[w + 2]
    t0, t1, t2 = inertia_moment(m, g, y, v, w0, w1, w2)
    F[o + 3] += t0
    F[o + 4] += t1
    F[o + 5] += t2
    for k in range(m.count[g]):
        s0, s1, s2 = times(m.B0, m.wptr[g] + 6 * (k + 1), w0, w1, w2)
        j = m.wptr[g] + 6 * (m.count[g] + 1) + 3 * (k + 1)
        F[f + k] += w0 * (s0 - 2.0 * m.B1[j]) + w1 * (s1 - 2.0 * m.B1[j + 1]) + w2 * (s2 - 2.0 * m.B1[j + 2])


@jit
def mode_stiffness(m, g, y, v, w, K, C):
    """K -= dF/dq, C -= dF/du of `mode_forces`."""
    n = m.count[g]
    v += m.first[g]
    w0 = y[w]
    w1 = y[w + 1]
    w2 = y[w + 2]
    first = 6 + m.first[g]
    hs = m.wptr[g] + 6 * (n + 1)
    rate_invariants(m, g, y, v)
    h = m.h[g]
    s0, s1, s2 = times(h, 0, w0, w1, w2)
    s0 += h[6]
    s1 += h[7]
    s2 += h[8]
    for a in range(3):
        t0 = 1.0 if a == 0 else 0.0
        t1 = 1.0 if a == 1 else 0.0
        t2 = 1.0 if a == 2 else 0.0
        x0, x1, x2 = cross(t0, t1, t2, s0, s1, s2)
        d0, d1, d2 = times(h, 0, t0, t1, t2)
        d0, d1, d2 = cross(w0, w1, w2, d0, d1, d2)
        r0, r1, r2 = _rates_times(m, g, y, v, t0, t1, t2)
        C[3, 3 + a] += x0 + d0 + 2.0 * r0
        C[4, 3 + a] += x1 + d1 + 2.0 * r1
        C[5, 3 + a] += x2 + d2 + 2.0 * r2
        for k in range(n):
            d0, d1, d2 = times(m.B0, m.wptr[g] + 6 * (k + 1), t0, t1, t2)
            C[first + k, 3 + a] -= 2.0 * (w0 * d0 + w1 * d1 + w2 * d2 - m.B1[hs + 3 * (k + 1) + a])
    for i in range(n):
        j = m.wptr[g] + 6 * (i + 1)
        l = hs + 3 * (i + 1)
        s0, s1, s2 = times(m.B0, j, w0, w1, w2)
        x0, x1, x2 = cross(w0, w1, w2, m.B0[l], m.B0[l + 1], m.B0[l + 2])
        C[3, first + i] += 2.0 * s0 + x0
        C[4, first + i] += 2.0 * s1 + x1
        C[5, first + i] += 2.0 * s2 + x2
        # dJ/dq_i = 2 S_i, dS_j/dq_i = S_ij, dh/dq_i = -D_i; sum_j q'_j S_ij is what B1 holds
        x0, x1, x2 = cross(w0, w1, w2, 2.0 * s0 - m.B1[l], 2.0 * s1 - m.B1[l + 1], 2.0 * s2 - m.B1[l + 2])
        d0, d1, d2 = times(m.B1, j, w0, w1, w2)
        K[3, first + i] += x0 + 2.0 * d0
        K[4, first + i] += x1 + 2.0 * d1
        K[5, first + i] += x2 + 2.0 * d2
        t = m.tptr[g] + 9 * (n + 1) * (i + 1) + 6
        u = t + 6 * n + 3
        for k in range(n if m.full[g] else 0):
            s0, s1, s2 = times(m.T, t, w0, w1, w2)
            K[first + k, first + i] -= w0 * s0 + w1 * s1 + w2 * s2
            C[first + k, first + i] += 2.0 * (w0 * m.T[u] + w1 * m.T[u + 1] + w2 * m.T[u + 2])
            t += 6
            u += 3


@jit
def mode_kinetic(m, g, y, q, v, w):
    """Kinetic energy beyond that of the rigid body."""
    invariants(m, g, y, q + m.first[g], v + m.first[g])
    h = m.h[g]
    s0, s1, s2 = times(h, 0, y[w], y[w + 1], y[w + 2])
    out = y[w] * (0.5 * s0 + h[6]) + y[w + 1] * (0.5 * s1 + h[7]) + y[w + 2] * (0.5 * s2 + h[8])
    for k in range(m.count[g]):
        out += 0.5 * y[v + m.first[g] + k] ** 2
    return out


@jit
def mode_momentum(m, g, y, q, v, w):
    """Angular momentum about the centre of mass beyond that of the rigid body, and the moment of inertia forces in
    `mode_forces`, axes of the frame."""
    invariants(m, g, y, q + m.first[g], v + m.first[g])
    h = m.h[g]
    s0, s1, s2 = times(h, 0, y[w], y[w + 1], y[w + 2])
    t0, t1, t2 = inertia_moment(m, g, y, v + m.first[g], y[w], y[w + 1], y[w + 2])
    return s0 + h[6], s1 + h[7], s2 + h[8], t0, t1, t2


# ---- attachments -----------------------------------------------------------------------------------------------------
@jit
def shape(m, a, n, y, q):
    """Place of attachment a in the frame, psi and N, into the table; P of it and its attitude R too."""
    p0 = m.place[a, 0]
    p1 = m.place[a, 1]
    p2 = m.place[a, 2]
    s0 = 0.0
    s1 = 0.0
    s2 = 0.0
    Phi = m.Phi[a]
    for i in range(3):
        P = m.P[a, i, :n]
        for k in range(n):
            P[k] = Phi[i, k]
        if m.bends[a]:
            add_square(m.G[a, i], n, y, q, P)
    P = m.P[a]
    for k in range(n):
        c = y[q + k]
        p0 += 0.5 * (P[0, k] + Phi[0, k]) * c
        p1 += 0.5 * (P[1, k] + Phi[1, k]) * c
        p2 += 0.5 * (P[2, k] + Phi[2, k]) * c
        s0 += Phi[3, k] * c
        s1 += Phi[4, k] * c
        s2 += Phi[5, k] * c
    N = 1.0 / (1.0 + 0.25 * (s0 * s0 + s1 * s1 + s2 * s2))
    now = m.now[a]
    now[0] = p0
    now[1] = p1
    now[2] = p2
    now[3] = s0
    now[4] = s1
    now[5] = s2
    now[6] = N
    R = m.R[a]
    # (1 + N ([psi] + [psi]^2 / 2))
    R[0] = 1.0 - 0.5 * N * (s1 * s1 + s2 * s2)
    R[1] = N * (0.5 * s0 * s1 - s2)
    R[2] = N * (0.5 * s0 * s2 + s1)
    R[3] = N * (0.5 * s0 * s1 + s2)
    R[4] = 1.0 - 0.5 * N * (s0 * s0 + s2 * s2)
    R[5] = N * (0.5 * s1 * s2 - s0)
    R[6] = N * (0.5 * s0 * s2 - s1)
    R[7] = N * (0.5 * s1 * s2 + s0)
    R[8] = 1.0 - 0.5 * N * (s0 * s0 + s1 * s1)


@jit
def add_square(G, n, y, q, out):
    """out (n) += G q, of a symmetric G (n, n): by its rows, four at a time and summed in their order."""
    j = 0
    while j + 4 <= n:
        a = y[q + j]
        b = y[q + j + 1]
        c = y[q + j + 2]
        d = y[q + j + 3]
        G0 = G[j, :n]
        G1 = G[j + 1, :n]
        G2 = G[j + 2, :n]
        G3 = G[j + 3, :n]
        for k in range(n):
            out[k] = (((out[k] + a * G0[k]) + b * G1[k]) + c * G2[k]) + d * G3[k]
        j += 4
    while j < n:
        a = y[q + j]
        G0 = G[j, :n]
        for k in range(n):
            out[k] += a * G0[k]
        j += 1


@jit
def _now(m, a):
    now = m.now[a]
    return now[0], now[1], now[2], now[3], now[4], now[5], now[6]


@jit
def shape_rates(m, a, n, y, v):
    """P q', of `shape`, and psi'."""
    p0 = 0.0
    p1 = 0.0
    p2 = 0.0
    s0 = 0.0
    s1 = 0.0
    s2 = 0.0
    for k in range(n):
        c = y[v + k]
        p0 += m.P[a, 0, k] * c
        p1 += m.P[a, 1, k] * c
        p2 += m.P[a, 2, k] * c
        s0 += m.Phi[a, 3, k] * c
        s1 += m.Phi[a, 4, k] * c
        s2 += m.Phi[a, 5, k] * c
    return p0, p1, p2, s0, s1, s2


@jit
def turned(N, s0, s1, s2, r0, r1, r2):
    """T r, with T = N (I - [psi]/2)."""
    x0, x1, x2 = cross(s0, s1, s2, r0, r1, r2)
    return N * (r0 - 0.5 * x0), N * (r1 - 0.5 * x1), N * (r2 - 0.5 * x2)


@jit
def bend_rates(m, a, n, y, v, r0, r1, r2):
    """q'.G q' of attachment a, added to (r0, r1, r2); G q' is left in the table."""
    if m.bends[a]:
        Q = m.Q[a]
        for i in range(3):
            for k in range(n):
                Q[i, k] = 0.0
            add_square(m.G[a, i], n, y, v, Q[i, :n])
        for k in range(n):
            c = y[v + k]
            r0 += Q[0, k] * c
            r1 += Q[1, k] * c
            r2 += Q[2, k] * c
    return r0, r1, r2


@jit
def place_attachment(c, g, a, y, q, v, o, n):
    """State y[n:] of attachment a of carrier g <- what follows from the state y[o:] of the carrier and its
    coordinates."""
    m = c.modes
    count = m.count[g]
    q += m.first[g]
    v += m.first[g]
    shape(m, a, count, y, q)
    p0, p1, p2, s0, s1, s2, N = _now(m, a)
    d0, d1, d2, r0, r1, r2 = shape_rates(m, a, count, y, v)
    put_point(c.A, g, y, o, n, p0, p1, p2, d0, d1, d2)
    # quaternion of the body times (1, psi / 2), normalised
    u = math.sqrt(N)
    s0 *= 0.5
    s1 *= 0.5
    s2 *= 0.5
    e = y[o + 3]
    e0 = y[o + 4]
    e1 = y[o + 5]
    e2 = y[o + 6]
    x0, x1, x2 = cross(e0, e1, e2, s0, s1, s2)
    y[n + 3] = u * (e - e0 * s0 - e1 * s1 - e2 * s2)
    y[n + 4] = u * (e0 + e * s0 + x0)
    y[n + 5] = u * (e1 + e * s1 + x1)
    y[n + 6] = u * (e2 + e * s2 + x2)
    w0, w1, w2 = unrotate(m.R, a, y[o + 10], y[o + 11], y[o + 12])
    r0, r1, r2 = turned(N, 2.0 * s0, 2.0 * s1, 2.0 * s2, r0, r1, r2)
    y[n + 10] = w0 + r0
    y[n + 11] = w1 + r1
    y[n + 12] = w2 + r2


@jit
def prepare_attachment(c, g, a, y, v, o, J, bias):
    """J and bias of attachment a (`nodes`), with `place` at the same state."""
    m = c.modes
    n = m.count[g]
    first = 6 + m.first[g]
    v += m.first[g]
    p0, p1, p2, s0, s1, s2, N = _now(m, a)  # `place` was at the same state
    d0, d1, d2, r0, r1, r2 = shape_rates(m, a, n, y, v)
    w0 = y[o + 10]
    w1 = y[o + 11]
    w2 = y[o + 12]
    x0, x1, x2 = cross(w0, w1, w2, p0, p1, p2)
    b0, b1, b2 = cross(w0, w1, w2, x0 + 2.0 * d0, x1 + 2.0 * d1, x2 + 2.0 * d2)
    b0, b1, b2 = bend_rates(m, a, n, y, v, b0, b1, b2)
    bias[0], bias[1], bias[2] = rotate(c.A, g, b0, b1, b2)
    u0, u1, u2 = unrotate(m.R, a, w0, w1, w2)  # W, and its velocity in the frame t, in axes of the attachment
    t0, t1, t2 = turned(N, s0, s1, s2, r0, r1, r2)
    f = -0.5 * N * (s0 * r0 + s1 * r1 + s2 * r2)
    b0, b1, b2 = cross(u0, u1, u2, t0, t1, t2)
    bias[3] = b0 + f * t0
    bias[4] = b1 + f * t1
    bias[5] = b2 + f * t2
    R = m.R[a]
    A = c.A[g]
    for k in range(3):
        J[k, k] = 1.0
        z0 = 1.0 if k == 0 else 0.0
        z1 = 1.0 if k == 1 else 0.0
        z2 = 1.0 if k == 2 else 0.0
        y0, y1, y2 = cross(z0, z1, z2, p0, p1, p2)
        J[0, 3 + k], J[1, 3 + k], J[2, 3 + k] = rotate(c.A, g, y0, y1, y2)
        for i in range(3):
            J[3 + i, 3 + k] = R[3 * k + i]
    P0 = m.P[a, 0, :n]
    P1 = m.P[a, 1, :n]
    P2 = m.P[a, 2, :n]
    S0 = m.Phi[a, 3, :n]
    S1 = m.Phi[a, 4, :n]
    S2 = m.Phi[a, 5, :n]
    # rows of A P and of N (1 - [psi] / 2) Psi
    for i in range(3):
        e0 = A[3 * i]
        e1 = A[3 * i + 1]
        e2 = A[3 * i + 2]
        row = J[i, first : first + n]
        for k in range(n):
            row[k] = e0 * P0[k] + e1 * P1[k] + e2 * P2[k]
    J3 = J[3, first : first + n]
    J4 = J[4, first : first + n]
    J5 = J[5, first : first + n]
    for k in range(n):
        k0 = S0[k]
        k1 = S1[k]
        k2 = S2[k]
        J3[k] = N * (k0 - 0.5 * (s1 * k2 - s2 * k1))
        J4[k] = N * (k1 - 0.5 * (s2 * k0 - s0 * k2))
        J5[k] = N * (k2 - 0.5 * (s0 * k1 - s1 * k0))


@jit
def attachment_slopes(c, g, a, y, q, v, o, J, V):
    """V of attachment a (`nodes`), with `prepare` at the same state."""
    m = c.modes
    n = m.count[g]
    first = 6 + m.first[g]
    q += m.first[g]
    v += m.first[g]
    shape(m, a, n, y, q)
    p0, p1, p2, s0, s1, s2, N = _now(m, a)
    d0, d1, d2, r0, r1, r2 = shape_rates(m, a, n, y, v)
    bend_rates(m, a, n, y, v, 0.0, 0.0, 0.0)
    w0 = y[o + 10]
    w1 = y[o + 11]
    w2 = y[o + 12]
    x0, x1, x2 = cross(w0, w1, w2, p0, p1, p2)
    x0 += d0
    x1 += d1
    x2 += d2
    u0, u1, u2 = unrotate(m.R, a, w0, w1, w2)
    t0, t1, t2 = turned(N, s0, s1, s2, r0, r1, r2)
    for k in range(3):
        z0 = 1.0 if k == 0 else 0.0
        z1 = 1.0 if k == 1 else 0.0
        z2 = 1.0 if k == 2 else 0.0
        y0, y1, y2 = cross(z0, z1, z2, x0, x1, x2)
        V[0, 3 + k], V[1, 3 + k], V[2, 3 + k] = rotate(c.A, g, y0, y1, y2)
    for k in range(n):
        j = first + k
        y0, y1, y2 = cross(w0, w1, w2, m.P[a, 0, k], m.P[a, 1, k], m.P[a, 2, k])
        if m.bends[a]:
            y0 += m.Q[a, 0, k]
            y1 += m.Q[a, 1, k]
            y2 += m.Q[a, 2, k]
        V[0, j], V[1, j], V[2, j] = rotate(c.A, g, y0, y1, y2)
        k0 = m.Phi[a, 3, k]
        k1 = m.Phi[a, 4, k]
        k2 = m.Phi[a, 5, k]
        z0 = J[3, j]
        z1 = J[4, j]
        z2 = J[5, j]
        m.TP[a, 0, k] = z0
        m.TP[a, 1, k] = z1
        m.TP[a, 2, k] = z2
        f = -0.5 * N * (s0 * k0 + s1 * k1 + s2 * k2)
        y0, y1, y2 = cross(u0, u1, u2, z0, z1, z2)
        h0, h1, h2 = cross(k0, k1, k2, r0, r1, r2)
        V[3, j] = y0 + f * t0 - 0.5 * N * h0
        V[4, j] = y1 + f * t1 - 0.5 * N * h1
        V[5, j] = y2 + f * t2 - 0.5 * N * h2


@jit
def load_attachment(c, g, a, F, H):
    """H of attachment a under forces F (`nodes`)."""
    m = c.modes
    n = m.count[g]
    first = 6 + m.first[g]
    p0, p1, p2, s0, s1, s2, N = _now(m, a)
    f0, f1, f2 = unrotate(c.A, g, F[0], F[1], F[2])
    t0 = F[3]
    t1 = F[4]
    t2 = F[5]
    P = m.P
    TP = m.TP
    for k in range(3):
        z0 = 1.0 if k == 0 else 0.0
        z1 = 1.0 if k == 1 else 0.0
        z2 = 1.0 if k == 2 else 0.0
        d0, d1, d2 = cross(f0, f1, f2, z0, z1, z2)
        H[3, 3 + k], H[4, 3 + k], H[5, 3 + k] = cross(p0, p1, p2, d0, d1, d2)
        for j in range(n):
            H[first + j, 3 + k] = P[a, 0, j] * d0 + P[a, 1, j] * d1 + P[a, 2, j] * d2
    for i in range(n):
        d0, d1, d2 = cross(P[a, 0, i], P[a, 1, i], P[a, 2, i], f0, f1, f2)
        x0, x1, x2 = cross(TP[a, 0, i], TP[a, 1, i], TP[a, 2, i], t0, t1, t2)
        x0, x1, x2 = rotate(m.R, a, x0, x1, x2)
        H[3, first + i] = d0 + x0
        H[4, first + i] = d1 + x1
        H[5, first + i] = d2 + x2
        k0 = m.Phi[a, 3, i]
        k1 = m.Phi[a, 4, i]
        k2 = m.Phi[a, 5, i]
        f = -0.5 * N * (s0 * k0 + s1 * k1 + s2 * k2)
        # t . (k_i x k_j) = k_j . (t x k_i)
        x0, x1, x2 = cross(t0, t1, t2, k0, k1, k2)
        for j in range(n):
            h = f * (TP[a, 0, j] * t0 + TP[a, 1, j] * t1 + TP[a, 2, j] * t2)
            h -= 0.5 * N * (x0 * m.Phi[a, 3, j] + x1 * m.Phi[a, 4, j] + x2 * m.Phi[a, 5, j])
            if m.bends[a]:
                h += m.G[a, 0, j, i] * f0 + m.G[a, 1, j, i] * f1 + m.G[a, 2, j, i] * f2
            H[first + j, first + i] = h


@jit
def bound_attachment(c, g, a, y, q, v, i, h):
    """Bounds over a step of size h that ends at y: distance from the centre of mass, velocity and acceleration in the
    frame, angular velocity and acceleration in it; i: first coordinate of the carrier in c.rates."""
    m = c.modes
    n = m.count[g]
    place = 0.0
    speed = 0.0
    acceleration = 0.0
    turn = 0.0
    turning = 0.0
    i += m.first[g]
    q += m.first[g]
    v += m.first[g]
    for k in range(3):
        place += m.place[a, k] ** 2
    place = math.sqrt(place)
    for k in range(n):
        most = abs(y[v + k]) + h * c.rates[i + k]
        size = abs(y[q + k]) + h * most
        P = 0.0
        Psi = 0.0
        for j in range(3):
            d = abs(m.Phi[a, j, k])
            if m.bends[a]:
                for l in range(n):
                    far = abs(y[v + l]) + h * c.rates[i + l]
                    d += abs(m.G[a, j, k, l]) * (abs(y[q + l]) + h * far)
                    acceleration += abs(m.G[a, j, k, l]) * far * most
            P += d
            Psi += abs(m.Phi[a, 3 + j, k])
        place += P * size
        speed += P * most
        acceleration += P * c.rates[i + k]
        turn += Psi * most
        turning += Psi * c.rates[i + k]
    return place, speed, acceleration, turn, turning
