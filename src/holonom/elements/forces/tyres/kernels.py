"""Force, tangent and energies of every tyre: contact with the road (`contact`), and a law that is called through its
address.

    law(c, s, x) -> F_x, F_y, F_z, M_x, M_y, M_z, energy stored, elastic force, x'_1 ... x'_4

with its numbers c, the inputs s = (rho, rho', V_x, V_sy, omega, gamma, psi', mu) and four states x (those that it does
not have are zero), of numbers
(`LAW_REAL`) and dual ones (`LAW_DUALS`); forces of the road on the tyre in the contact's axes, and what its vertical
spring stores and pushes with.  Only these eight inputs and the states are directions of differentiation: the motion of
wheel and road comes in by the chain rule, and of the road's frame by that a common motion of both changes nothing.
"""

from __future__ import annotations

import numpy as np

from ...._jit import jit
from ...._with_numba import Signature, with_numba
from ...differences import bent, four_points, step_of
from ...duals import SEED, slope
from ...roads.surface import BELT, HEAD, LAW, LAW_AT, LAW_DUAL, RADIUS, ROAD, ROAD_AT, TURNS
from ...vectors import cross, rotate, unrotate
from .contact import motion, place, spread

INPUTS, OUTPUTS, STATES, DIRECTIONS = 8, 12, 4, 13
LAW_REAL, LAW_DUALS = (
    Signature(f"{OUTPUTS} * {number}", f"float64[::1], {INPUTS} * {number}, {STATES} * {number}")
    for number in ("float64", "complex128")
)


@with_numba
def _calls():
    global _law, _law_dual
    from ...._address import caller

    _law, _law_dual = caller(*LAW_REAL), caller(*LAW_DUALS)


@jit
def seen(fr, i, j):
    """Wheel i as the road j sees it, in the road's axes: d, e, v, w, omega."""
    d0 = fr.p[i, 0] - fr.p[j, 0]
    d1 = fr.p[i, 1] - fr.p[j, 1]
    d2 = fr.p[i, 2] - fr.p[j, 2]
    a0, a1, a2 = cross(fr.w[j, 0], fr.w[j, 1], fr.w[j, 2], d0, d1, d2)
    e0, e1, e2 = fr.A[i, 1], fr.A[i, 4], fr.A[i, 7]
    omega = fr.w[i, 0] * e0 + fr.w[i, 1] * e1 + fr.w[i, 2] * e2
    v0, v1, v2 = unrotate(
        fr.A, j, fr.v[i, 0] - fr.v[j, 0] - a0, fr.v[i, 1] - fr.v[j, 1] - a1, fr.v[i, 2] - fr.v[j, 2] - a2
    )
    w0, w1, w2 = unrotate(fr.A, j, fr.w[i, 0] - fr.w[j, 0], fr.w[i, 1] - fr.w[j, 1], fr.w[i, 2] - fr.w[j, 2])
    d0, d1, d2 = unrotate(fr.A, j, d0, d1, d2)
    e0, e1, e2 = unrotate(fr.A, j, e0, e1, e2)
    return d0, d1, d2, e0, e1, e2, v0, v1, v2, w0, w1, w2, omega


@jit
def state(x, k):
    return x[k] if k < x.shape[0] else 0.0


@jit
def call_law(address, c, s, x):
    """A law at an address, of numbers."""
    return _law(address, (c, s, x))


@jit
def solve(c, r, z, x):
    """Geometry, inputs and outputs of the law at a motion z = `seen`."""
    g = place(c, r, c[RADIUS], z[0], z[1], z[2], z[3], z[4], z[5])
    rate, vx, vsy, psi = motion(g, c[BELT], z[3], z[4], z[5], z[6], z[7], z[8], z[9], z[10], z[11], z[12])
    s = (g[0], rate, vx, vsy, z[12], g[1], psi, g[2])
    return (
        g,
        s,
        _law(
            int(c[LAW]), (c[int(c[LAW_AT]) : int(c[ROAD_AT])], s, (state(x, 0), state(x, 1), state(x, 2), state(x, 3)))
        ),
    )


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    z = seen(fr, f[0], f[1])
    g, s, o = solve(c, c[int(c[ROAD_AT]) :], z, x)
    f0, f1, f2, m0, m1, m2 = spread(g, o[0], o[1], o[2], o[3], o[4], o[5])
    t0, t1, t2 = cross(z[0], z[1], z[2], f0, f1, f2)
    j = f[1]
    W[0], W[1], W[2] = rotate(fr.A, j, f0, f1, f2)
    W[3], W[4], W[5] = rotate(fr.A, j, m0, m1, m2)
    W[9], W[10], W[11] = rotate(fr.A, j, -m0 - t0, -m1 - t1, -m2 - t2)
    W[6], W[7], W[8] = -W[0], -W[1], -W[2]
    for k in range(min(x.shape[0], STATES)):
        xd[k] = o[8 + k]


@jit
def weights(fr, i, j, z, g, w):
    """What each of the first six outputs of the law adds to the power of both wrenches in virtual displacements and
    turns w (12) of wheel and road."""
    v0, v1, v2 = unrotate(fr.A, j, w[0] - w[6], w[1] - w[7], w[2] - w[8])
    r0, r1, r2 = unrotate(fr.A, j, w[9], w[10], w[11])
    t0, t1, t2 = cross(r0, r1, r2, z[0], z[1], z[2])
    a0, a1, a2 = v0 - t0, v1 - t1, v2 - t2
    b0, b1, b2 = unrotate(fr.A, j, w[3] - w[9], w[4] - w[10], w[5] - w[11])
    rho, gamma, mu, k, h, ex, ey, n0, n1, n2, x0, x1, x2, y0, y1, y2, c0, c1, c2 = g
    t0, t1, t2 = cross(b0, b1, b2, c0, c1, c2)
    a0, a1, a2 = a0 + t0, a1 + t1, a2 + t2
    return (
        a0 * x0 + a1 * x1 + a2 * x2,
        a0 * y0 + a1 * y1 + a2 * y2,
        a0 * n0 + a1 * n1 + a2 * n2,
        b0 * x0 + b1 * x1 + b2 * x2,
        b0 * y0 + b1 * y1 + b2 * y2,
        b0 * n0 + b1 * n1 + b2 * n2,
    )


@jit
def power(o, a, w, nx):
    """Power of the outputs o of the law by their `weights`, and of the rates of nx states by w behind (12)."""
    out = o[0] * a[0] + o[1] * a[1] + o[2] * a[2] + o[3] * a[3] + o[4] * a[4] + o[5] * a[5]
    for k in range(nx):
        out += w[12 + k] * o[8 + k]
    return out


@jit
def size(o, a, w, nx):
    """Sum of the sizes of the terms of `power`."""
    out = abs(o[0] * a[0]) + abs(o[1] * a[1]) + abs(o[2] * a[2])
    out += abs(o[3] * a[3]) + abs(o[4] * a[4]) + abs(o[5] * a[5])
    for k in range(nx):
        out += abs(w[12 + k] * o[8 + k])
    return out


@jit
def power_with(c, fr, f, z, s, x, a, w, number, value):
    """`power` with another value of a number: of the law alone, or, of its head and its road, of all."""
    c[number] = value
    law, road = int(c[LAW_AT]), int(c[ROAD_AT])
    nx = min(x.shape[0], STATES)
    if law <= number < road:
        o = _law(int(c[LAW]), (c[law:road], s, (state(x, 0), state(x, 1), state(x, 2), state(x, 3))))
        return power(o, a, w, nx)
    g, _, o = solve(c, c[road:], z, x)
    return power(o, weights(fr, f[0], f[1], z, g, w), w, nx)


@jit
def numbers(c, f, fr, ref, t, u, x, w, wanted, bar):
    """Differences of four points of the law at the same contact, exact to their fifth order; of two where the power is
    straight, and one value where a number has no influence."""
    z = seen(fr, f[0], f[1])
    g, s, o = solve(c, c[int(c[ROAD_AT]) :], z, x)
    a = weights(fr, f[0], f[1], z, g, w)
    nx = min(x.shape[0], STATES)
    base = power(o, a, w, nx)
    scale = size(o, a, w, nx)
    for k in range(wanted.shape[0]):
        if wanted[k] == 0:
            continue
        kept = c[k]
        h = step_of(kept)
        ahead = power_with(c, fr, f, z, s, x, a, w, k, kept + h)
        if ahead != base:
            behind = power_with(c, fr, f, z, s, x, a, w, k, kept - h)
            rise = 0.5 * (ahead - behind)
            if bent(ahead, base, behind, scale):
                far = power_with(c, fr, f, z, s, x, a, w, k, kept + 2.0 * h)
                rise = four_points(ahead, behind, far, power_with(c, fr, f, z, s, x, a, w, k, kept - 2.0 * h))
            bar[k] += rise / h
        c[k] = kept


@jit
def seed(on):
    return complex(0.0, SEED if on else 0.0)


@jit
def law_slopes(c, s, x, L):
    """Derivatives of forces, moments and rates of states by inputs and states into L (10, 12)."""
    law = c[int(c[LAW_AT]) : int(c[ROAD_AT])]
    nx = x.shape[0]
    for k in range(INPUTS + nx):
        if (k == 6 and c[TURNS] == 0.0) or (k == 7 and c[ROAD] == 0.0):
            for i in range(10):
                L[i, k] = 0.0
            continue
        o = _law_dual(
            int(c[LAW_DUAL]),
            (
                law,
                (
                    s[0] + seed(k == 0),
                    s[1] + seed(k == 1),
                    s[2] + seed(k == 2),
                    s[3] + seed(k == 3),
                    s[4] + seed(k == 4),
                    s[5] + seed(k == 5),
                    s[6] + seed(k == 6),
                    s[7] + seed(k == 7),
                ),
                (
                    state(x, 0) + seed(k == 8),
                    state(x, 1) + seed(k == 9),
                    state(x, 2) + seed(k == 10),
                    state(x, 3) + seed(k == 11),
                ),
            ),
        )
        L[0, k] = slope(o[0])
        L[1, k] = slope(o[1])
        L[2, k] = slope(o[2])
        L[3, k] = slope(o[3])
        L[4, k] = slope(o[4])
        L[5, k] = slope(o[5])
        L[6, k] = slope(o[8])
        L[7, k] = slope(o[9])
        L[8, k] = slope(o[10])
        L[9, k] = slope(o[11])


@jit
def chain(L, g, o, ds, k, nx, J):
    """Column k of J (6 + nx): of the wrench on the wheel at the geometry g, dual or not, and of rates of the states,
    where inputs change by ds (8)."""
    d0, d1, d2, d3, d4, d5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(INPUTS):
        d0 += L[0, i] * ds[i]
        d1 += L[1, i] * ds[i]
        d2 += L[2, i] * ds[i]
        d3 += L[3, i] * ds[i]
        d4 += L[4, i] * ds[i]
        d5 += L[5, i] * ds[i]
    fill(g, o, d0, d1, d2, d3, d4, d5, k, J)
    for q in range(nx):
        a = 0.0
        for i in range(INPUTS):
            a += L[6 + q, i] * ds[i]
        J[6 + q, k] = a


@jit
def fill(g, o, d0, d1, d2, d3, d4, d5, k, J):
    p = spread(
        g,
        complex(o[0], SEED * d0),
        complex(o[1], SEED * d1),
        complex(o[2], SEED * d2),
        complex(o[3], SEED * d3),
        complex(o[4], SEED * d4),
        complex(o[5], SEED * d5),
    )
    J[0, k] = slope(p[0])
    J[1, k] = slope(p[1])
    J[2, k] = slope(p[2])
    J[3, k] = slope(p[3])
    J[4, k] = slope(p[4])
    J[5, k] = slope(p[5])


@jit(_nrt=True)
def tangent(c, f, fr, ref, t, u, x, W, D):
    i, j = f[0], f[1]
    r = c[int(c[ROAD_AT]) :]
    nx = min(x.shape[0], STATES)
    z = seen(fr, i, j)
    g, s, o = solve(c, r, z, x)
    L = np.empty((10, INPUTS + STATES))
    J = np.zeros((10, DIRECTIONS))  # by d, turns of e, v, w, omega
    ds = np.zeros(INPUTS)
    law_slopes(c, s, x, L)
    for k in range(6):
        if k < 3:
            t0, t1, t2 = 0.0, 0.0, 0.0
        else:
            t0, t1, t2 = cross(1.0 if k == 3 else 0.0, 1.0 if k == 4 else 0.0, 1.0 if k == 5 else 0.0, z[3], z[4], z[5])
        e0, e1, e2 = complex(z[3], SEED * t0), complex(z[4], SEED * t1), complex(z[5], SEED * t2)
        G = place(c, r, c[RADIUS], z[0] + seed(k == 0), z[1] + seed(k == 1), z[2] + seed(k == 2), e0, e1, e2)
        rate, vx, vsy, psi = motion(G, c[BELT], e0, e1, e2, z[6], z[7], z[8], z[9], z[10], z[11], z[12])
        ds[0], ds[1], ds[2], ds[3], ds[4], ds[5], ds[6], ds[7] = (
            slope(G[0]),
            slope(rate),
            slope(vx),
            slope(vsy),
            0.0,
            slope(G[1]),
            slope(psi),
            slope(G[2]),
        )
        chain(L, G, o, ds, k, nx, J)
    ds[0], ds[5], ds[7] = 0.0, 0.0, 0.0
    for k in range(7):
        ds[1], ds[2], ds[3], ds[6] = motion(
            g,
            0.0,
            z[3],
            z[4],
            z[5],
            1.0 if k == 0 else 0.0,
            1.0 if k == 1 else 0.0,
            1.0 if k == 2 else 0.0,
            1.0 if k == 3 else 0.0,
            1.0 if k == 4 else 0.0,
            1.0 if k == 5 else 0.0,
            1.0 if k == 6 else 0.0,
        )
        ds[4] = 1.0 if k == 6 else 0.0
        chain(L, g, o, ds, 6 + k, nx, J)
    p0, p1, p2 = fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
    e0, e1, e2 = fr.A[i, 1], fr.A[i, 4], fr.A[i, 7]
    for column in range(24):
        k = column % 3
        a0, a1, a2, b0, b1, b2, c0, c1, c2, h0, h1, h2, q0, q1, q2 = moved(fr, i, j, column, z)
        domega = 0.0
        if column // 3 == 1:
            t0, t1, t2 = cross(1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0, e0, e1, e2)
            domega = t0 * fr.w[i, 0] + t1 * fr.w[i, 1] + t2 * fr.w[i, 2]
        elif column // 3 == 5:
            domega = fr.A[i, 3 * k + 1]
        out0, out1, out2, out3, out4, out5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for n in range(6 + nx):
            row = J[n]
            y = (
                row[0] * a0
                + row[1] * a1
                + row[2] * a2
                + row[3] * b0
                + row[4] * b1
                + row[5] * b2
                + row[6] * c0
                + row[7] * c1
                + row[8] * c2
                + row[9] * h0
                + row[10] * h1
                + row[11] * h2
                + row[12] * domega
            )
            if n == 0:
                out0 = y
            elif n == 1:
                out1 = y
            elif n == 2:
                out2 = y
            elif n == 3:
                out3 = y
            elif n == 4:
                out4 = y
            elif n == 5:
                out5 = y
            else:
                D[6 + n, column] = y
        f0, f1, f2 = rotate(fr.A, j, out0, out1, out2)
        m0, m1, m2 = rotate(fr.A, j, out3, out4, out5)
        react(W, D, column, (p0, p1, p2), (q0, q1, q2), (f0, f1, f2), (m0, m1, m2))
    for k in range(nx):
        fill(g, o, L[0, 8 + k], L[1, 8 + k], L[2, 8 + k], L[3, 8 + k], L[4, 8 + k], L[5, 8 + k], 0, J)
        f0, f1, f2 = rotate(fr.A, j, J[0, 0], J[1, 0], J[2, 0])
        m0, m1, m2 = rotate(fr.A, j, J[3, 0], J[4, 0], J[5, 0])
        react(W, D, 24 + k, (p0, p1, p2), (0.0, 0.0, 0.0), (f0, f1, f2), (m0, m1, m2))
        for q in range(nx):
            D[12 + q, 24 + k] = L[6 + q, 8 + k]


@jit
def moved(fr, i, j, column, z):
    """What of `seen` (z, without the spin) changes with motion ``column`` of 24 (the wheel's position, turn, then those
    of what it rolls on; the wheel's velocity, angular velocity, then those of the other; along the axes of ground):
    changes of d, turn of e, v, w in the axes of frame j, and of p - q in ground."""
    k = column % 3
    what = column // 3
    u0, u1, u2 = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
    p0, p1, p2 = fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
    dp0, dp1, dp2, de0, de1, de2, dv0, dv1, dv2, dw0, dw1, dw2 = (
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    )
    q0, q1, q2 = 0.0, 0.0, 0.0
    if what == 0 or what == 2:
        side = 1.0 if what == 0 else -1.0
        dp0, dp1, dp2 = side * u0, side * u1, side * u2
        q0, q1, q2 = dp0, dp1, dp2
        dv0, dv1, dv2 = cross(dp0, dp1, dp2, fr.w[j, 0], fr.w[j, 1], fr.w[j, 2])
    elif what == 1:
        de0, de1, de2 = u0, u1, u2
    elif what == 3:  # as all the rest turned back
        v0, v1, v2 = rotate(fr.A, j, z[6], z[7], z[8])
        w0, w1, w2 = fr.w[i, 0] - fr.w[j, 0], fr.w[i, 1] - fr.w[j, 1], fr.w[i, 2] - fr.w[j, 2]
        dp0, dp1, dp2 = cross(p0, p1, p2, u0, u1, u2)
        de0, de1, de2 = -u0, -u1, -u2
        dv0, dv1, dv2 = cross(v0, v1, v2, u0, u1, u2)
        dw0, dw1, dw2 = cross(w0, w1, w2, u0, u1, u2)
    elif what == 4:
        dv0, dv1, dv2 = u0, u1, u2
    elif what == 5:
        dw0, dw1, dw2 = u0, u1, u2
    elif what == 6:
        dv0, dv1, dv2 = -u0, -u1, -u2
    else:
        dv0, dv1, dv2 = cross(p0, p1, p2, u0, u1, u2)
        dw0, dw1, dw2 = -u0, -u1, -u2
    a0, a1, a2 = unrotate(fr.A, j, dp0, dp1, dp2)
    b0, b1, b2 = unrotate(fr.A, j, de0, de1, de2)
    c0, c1, c2 = unrotate(fr.A, j, dv0, dv1, dv2)
    h0, h1, h2 = unrotate(fr.A, j, dw0, dw1, dw2)
    return a0, a1, a2, b0, b1, b2, c0, c1, c2, h0, h1, h2, q0, q1, q2


@jit
def react(W, D, column, p, q, force, torque):
    """A column of both wrenches, from that of the wheel (f, m) in the axes of frame j, turned to ground, where p - q
    changes by q; these axes, and the wrench W with them, turn with frame j (columns 9 to 11)."""
    p0, p1, p2 = p
    q0, q1, q2 = q
    f0, f1, f2 = force
    m0, m1, m2 = torque
    if column // 3 == 3:
        u0, u1, u2 = 1.0 if column == 9 else 0.0, 1.0 if column == 10 else 0.0, 1.0 if column == 11 else 0.0
        t0, t1, t2 = cross(u0, u1, u2, W[0], W[1], W[2])
        f0 += t0
        f1 += t1
        f2 += t2
        t0, t1, t2 = cross(u0, u1, u2, W[3], W[4], W[5])
        m0 += t0
        m1 += t1
        m2 += t2
    D[0, column], D[1, column], D[2, column], D[3, column], D[4, column], D[5, column] = f0, f1, f2, m0, m1, m2
    D[6, column], D[7, column], D[8, column] = -f0, -f1, -f2
    t0, t1, t2 = cross(p0, p1, p2, f0, f1, f2)
    s0, s1, s2 = cross(q0, q1, q2, W[0], W[1], W[2])
    D[9, column], D[10, column], D[11, column] = -m0 - t0 - s0, -m1 - t1 - s1, -m2 - t2 - s2


@jit
def deflection_rate(c, r, z, rate):
    """The rate of rho as it is, along the motion; on a flat road that of the plane."""
    if c[ROAD] == 0.0:
        return rate
    t0, t1, t2 = cross(z[9], z[10], z[11], z[3], z[4], z[5])
    g = place(
        c,
        r,
        c[RADIUS],
        complex(z[0], SEED * z[6]),
        complex(z[1], SEED * z[7]),
        complex(z[2], SEED * z[8]),
        complex(z[3], SEED * t0),
        complex(z[4], SEED * t1),
        complex(z[5], SEED * t2),
    )
    return slope(g[0])


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    r = c[int(c[ROAD_AT]) :]
    z = seen(fr, f[0], f[1])
    g, s, o = solve(c, r, z, x)
    out[0] = o[6]
    power = 0.0
    for k in range(2):
        for i in range(3):
            power += W[6 * k + i] * fr.v[f[k], i] + W[6 * k + 3 + i] * fr.w[f[k], i]
    # a belt runs below the road's marker: what the force does on it comes from outside
    n0, n2, x0, x2, y0, y2 = g[7], g[9], g[10], g[12], g[13], g[15]
    drive = c[BELT] / (n0 * n0 + n2 * n2) ** 0.5
    out[2] = drive * (o[0] * (n2 * x0 - n0 * x2) + o[1] * (n2 * y0 - n0 * y2))
    out[1] = out[2] - power - o[7] * deflection_rate(c, r, z, s[1])


@jit(entry="float64[::1], int64[::1], Frames, float64[::1], float64[::1]")
def watch(c, f, fr, x, out):
    """What a tyre sees and does: inputs (8), outputs (12), contact point (3) of the wheel from the road's marker, in
    its axes."""
    z = seen(fr, f[0], f[1])
    g, s, o = solve(c, c[int(c[ROAD_AT]) :], z, x)
    for k in range(3):
        out[20 + k] = z[k] + (g[16] if k == 0 else (g[17] if k == 1 else g[18]))
    out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7] = s
    out[8], out[9], out[10], out[11], out[12], out[13], out[14], out[15], out[16], out[17], out[18], out[19] = o


#: of the law a head (`roads.surface`) and what else it is called with
__all__ = ["HEAD", "LAW_DUALS", "LAW_REAL", "energies", "force", "numbers", "tangent", "watch"]
