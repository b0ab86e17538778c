"""Where a wheel touches a rail, how it creeps there, and the wrench: for numbers and dual numbers.

Near the wheel the rail is a cylinder along t, the track's axis.  Seen along t, a wheel is bounded by its silhouette: of
each circle of its profile (axial position h, radius R, slope R' = dR/dh) the point where the surface is parallel to t.
With e the spin axis, q = sqrt(1 - e_t^2), it lies at

    r = h e + R (cos(a) x + sin(a) m),    x = (t - e_t e) / q,    m = e x t / q,    cos(a) = R' e_t / q

from the centre, exactly, at any yaw.  A point of the silhouette at (y, z) overlaps the rail by p = (z_rail(y) - z)
cos(theta), theta the slope of the rail there.

A patch is what all points of a part of the profile (tread; flange) overlap, as one: with w_i = exp(p_i / eps)

    delta = eps ln(sum w_i ds / s_0),     s_0 = sqrt(2 pi eps rho_0)
    position, slope, curvature, radius: means with the weights w_i

so that forces are smooth where the point of contact jumps from one place of the profile to another (Arnold, Netter,
ZAMM 78 (1998) S2: regularised contact geometry); eps
is some micrometres, and delta is the depth of the rigid profiles but for that.  Tread and flange each have a patch,
which carry together.

Normal force N = K delta^(3/2) (1 + chi delta'), not below zero, K by Hertz (`ellipse`) with A = cos(theta) / (2 R), B
half of the sum of both profiles' curvatures.  Creep
forces: `creep`, with the speed V = sqrt(v_t^2 + slow^2), friction mu ((1 - k) exp(-d w) + k), w the sliding speed.
"""

from __future__ import annotations

import math

from ...._jit import jit
from ...._with_numba import with_numba
from ...duals import along, asin, exp, real, sqrt
from ...vectors import cross
from .creep import CREEP_DUALS, CREEP_REAL
from .ellipse import COLUMNS, LAST, NODES, STEP
from .line import axes, place, rough

(
    SIDE,
    MU,
    FALL,
    FALL_RATE,
    HARD,
    DAMPING,
    SLOW,
    EPS,
    REACH,
    DS,
    SAMPLES,
    RAIL_NODES,
    RAIL_FIRST,
    RAIL_STEP,
    LAW,
    LAW_DUAL,
    CREEP_AT,
    SAMPLES_AT,
    RAIL_AT,
    ELLIPSE_AT,
    TRACK_AT,
    PATCHES,
    FLAT,
    BEND,
) = range(24)
HEAD = 24
PER_SAMPLE = 5  # axial position, radius, slope, curvature, share of the flange
PER_RAIL = 3  # height, slope, curvature
WIDE = 18.0  # of eps: points that overlap less than the deepest one by more do not count
BLOCK = 4
STEEP = 0.98  # of cos(a): a slope that yaw turns past the silhouette is held there


@with_numba
def _calls():
    global _creep_real, _creep_dual
    from ...._address import caller

    _creep_real, _creep_dual = caller(*CREEP_REAL), caller(*CREEP_DUALS)


@jit
def ln(x):
    return along(x, math.log(real(x)), 1.0 / real(x))


@jit
def root3(x):
    r = real(x) ** (1.0 / 3.0)
    return along(x, r, r / (3.0 * real(x)))


@jit
def rail_at(c, y):
    """Height, slope and curvature of the rail at y (dual or not), which lies on it."""
    h = c[RAIL_STEP]
    q = (y - c[RAIL_FIRST]) / h
    k = int(real(q))
    u = q - k
    at = int(c[RAIL_AT]) + PER_RAIL * k
    z0, d0, c0, z1, d1, c1 = c[at], c[at + 1], c[at + 2], c[at + 3], c[at + 4], c[at + 5]
    a = u * u
    b = a * u
    z = (2.0 * b - 3.0 * a + 1.0) * z0 + (3.0 * a - 2.0 * b) * z1 + h * ((b - 2.0 * a + u) * d0 + (b - a) * d1)
    s = 6.0 * (a - u) / h * (z0 - z1) + (3.0 * a - 4.0 * u + 1.0) * d0 + (3.0 * a - 2.0 * u) * d1
    return z, s, c0 + u * (c1 - c0)


@jit
def outline(q, e0, e1, e2, h, R, slope):
    """The point of the silhouette on a circle of the wheel, from its centre."""
    ca = slope * e0 / q
    if real(ca) > STEEP:
        ca = ca * 0.0 + STEEP
    if real(ca) < -STEEP:
        ca = ca * 0.0 - STEEP
    sa = sqrt(1.0 - ca * ca)
    return h * e0 + R * ca * q, h * e1 + R * (sa * e2 - ca * e0 * e1) / q, h * e2 - R * (sa * e1 + ca * e0 * e2) / q


@jit
def overlap(c, k, q, y0, z0, e0, e1, e2):
    """How far the k-th point of the silhouette lies inside the rail, in numbers; -1e30 next to it."""
    at = int(c[SAMPLES_AT]) + PER_SAMPLE * k
    r0, r1, r2 = outline(q, e0, e1, e2, c[at], c[at + 1], c[at + 2])
    y = y0 + r1
    g = (y - c[RAIL_FIRST]) / c[RAIL_STEP]
    if not 0.0 <= g < c[RAIL_NODES] - 1.0:
        return -1e30
    z, s, bend = rail_at(c, y)
    return (z - z0 - r2) / math.sqrt(1.0 + s * s)


@jit
def touch(c, part, d1, d2, e0, e1, e2):
    """A patch of the wheel at (d1, d2) from the rail: depth, point from the wheel's centre (3), slope of the rail, sum
    of curvatures, radius; depth -1 without.

    Every `BLOCK`-th point finds about how deep the deepest one lies; blocks that are out of the reach of that are left
    out."""
    zero = d1 * 0.0
    n = int(c[SAMPLES])
    rq = math.sqrt(1.0 - real(e0) ** 2)
    a0, a1, a2, b1, b2 = real(e0), real(e1), real(e2), real(d1), real(d2)
    eps = c[EPS]
    best = -1e30
    for k in range(BLOCK // 2, n, BLOCK):
        share = c[int(c[SAMPLES_AT]) + PER_SAMPLE * k + 4]
        if (share if part == 1 else 1.0 - share) > 1e-6:
            p = overlap(c, k, rq, b1, b2, a0, a1, a2)
            if p > best:
                best = p
    reach = best - WIDE * eps
    block = reach - c[BEND]
    if best < -WIDE * eps - c[BEND]:
        return zero - 1.0, zero, zero, zero, zero, zero, zero
    q = sqrt(1.0 - e0 * e0)
    total, s0, s1, s2, slope, bend, radius = zero, zero, zero, zero, zero, zero, zero
    for start in range(0, n, BLOCK):
        middle = min(start + BLOCK // 2, n - 1)
        if overlap(c, middle, rq, b1, b2, a0, a1, a2) < block:
            continue
        for k in range(start, min(start + BLOCK, n)):
            at = int(c[SAMPLES_AT]) + PER_SAMPLE * k
            share = c[at + 4]
            share = share if part == 1 else 1.0 - share
            if share <= 1e-6 or overlap(c, k, rq, b1, b2, a0, a1, a2) < reach:
                continue
            r0, r1, r2 = outline(q, e0, e1, e2, c[at], c[at + 1], c[at + 2])
            z, s, b = rail_at(c, d1 + r1)
            p = (z - d2 - r2) / sqrt(1.0 + s * s)
            w = share * exp((p - best) / eps)
            total += w
            s0 += w * r0
            s1 += w * r1
            s2 += w * r2
            slope += w * s
            bend += w * (b + c[at + 3])
            radius += w * c[at + 1]
    if real(total) <= 0.0:
        return zero - 1.0, zero, zero, zero, zero, zero, zero
    depth = best + eps * ln(total * c[DS] / c[REACH])
    return depth, s0 / total, s1 / total, s2 / total, slope / total, bend / total, radius / total


@jit
def columns(c, x, k):
    """Column k of the ellipse's table at x = ln(B / A)."""
    r = real(x)
    if r < -LAST:
        x = x * 0.0 - LAST
    if r > LAST:
        x = x * 0.0 + LAST
    g = (x + LAST) / STEP
    i = min(int(real(g)), NODES - 2)
    u = g - i
    at = int(c[ELLIPSE_AT]) + 2 * COLUMNS * i + 2 * k
    on = at + 2 * COLUMNS
    a = u * u
    b = a * u
    return (
        (2.0 * b - 3.0 * a + 1.0) * c[at]
        + (3.0 * a - 2.0 * b) * c[on]
        + STEP * ((b - 2.0 * a + u) * c[at + 1] + (b - a) * c[on + 1])
    )


@jit
def hertz(c, depth, cn, bend, radius):
    """N without damping, ln(B / A), A + B."""
    A = 0.5 * cn / radius
    B = 0.5 * bend
    if real(B) < c[FLAT]:
        B = B * 0.0 + c[FLAT]
    x = ln(B / A)
    total = A + B
    stiff = depth / exp(columns(c, x, 2))
    return c[HARD] * stiff * sqrt(stiff) / sqrt(total), x, total


@jit
def elastic(c, part, d1, d2, e0, e1, e2):
    """What a patch stores."""
    depth, r0, r1, r2, slope, bend, radius = touch(c, part, d1, d2, e0, e1, e2)
    if real(depth) <= 0.0:
        return depth * 0.0
    N0, x, total = hertz(c, depth, 1.0 / sqrt(1.0 + slope * slope), bend, radius)
    return 0.4 * N0 * depth


@jit(apart=True, entry="float64[::1], int64, 2 * float64, 3 * float64, 3 * float64, 3 * float64")
def patch(c, part, shift, turning, speed, twist):
    """One patch -> force on the wheel (3), moment about its centre (3), in axes t, n, u of the track; energy; then
    depth, N, point (3), theta, a, b, xi, eta, phi, F_x, F_y, M_z,
    radius.  Without contact all is zero."""
    d1, d2 = shift
    e0, e1, e2 = turning
    v0, v1, v2 = speed
    w0, w1, w2 = twist
    zero = d1 * 0.0 + e0 * 0.0 + v0 * 0.0 + w0 * 0.0
    none = (
        zero,
        zero,
        zero,
        zero,
        zero,
        zero,
        zero,
        zero - 1.0,
        zero,
        zero,
        zero,
        zero,
        zero,
        zero,
        zero,
        zero,
        zero,
        zero,
        zero,
        zero,
        zero,
        zero,
    )
    depth, r0, r1, r2, slope, bend, radius = touch(c, part, d1, d2, e0, e1, e2)
    if real(depth) <= 0.0:
        return none
    cn = 1.0 / sqrt(1.0 + slope * slope)
    sn = slope * cn  # normal (0, -sn, cn), across (0, cn, sn)
    N0, x, total = hertz(c, depth, cn, bend, radius)
    # closing: the wheel without its spin, which runs along its surface
    spin = w0 * e0 + w1 * e1 + w2 * e2
    t0, t1, t2 = cross(w0 - spin * e0, w1 - spin * e1, w2 - spin * e2, r0, r1, r2)
    rate = (v1 + t1) * sn - (v2 + t2) * cn
    N = N0 * (1.0 + c[DAMPING] * rate)
    if real(N) <= 1e-9 * real(N0):
        return none
    size = root3(N / (c[HARD] * total))
    a = exp(columns(c, x, 0)) * size
    b = exp(columns(c, x, 1)) * size
    t0, t1, t2 = cross(w0, w1, w2, r0, r1, r2)
    u0 = v0 + t0
    u1 = v1 + t1
    u2 = v2 + t2
    V = sqrt(v0 * v0 + c[SLOW] * c[SLOW])
    xi = u0 / V
    eta = (u1 * cn + u2 * sn) / V
    phi = (w2 * cn - w1 * sn) / V
    mu = zero + c[MU]
    if c[FALL_RATE] != 0.0:
        slide = V * sqrt(xi * xi + eta * eta)
        mu = c[MU] * ((1.0 - c[FALL]) * exp(-c[FALL_RATE] * slide) + c[FALL])
    fx, fy, mz = creep_wrench(
        c,
        N,
        mu,
        a,
        b,
        exp(columns(c, x, 3)),
        exp(columns(c, x, 4)),
        exp(columns(c, x, 5)),
        exp(columns(c, x, 6)),
        xi,
        eta,
        phi,
    )
    f1 = fy * cn - N * sn
    f2 = fy * sn + N * cn
    m0, m1, m2 = cross(r0, r1, r2, fx, f1, f2)
    return (
        fx,
        f1,
        f2,
        m0,
        m1 - mz * sn,
        m2 + mz * cn,
        0.4 * N0 * depth,
        depth,
        N,
        r0,
        r1,
        r2,
        asin(sn),
        a,
        b,
        xi,
        eta,
        phi,
        fx,
        fy,
        mz,
        radius,
    )


def creep_wrench(c, *s):
    """The creep law of numbers, through its address."""
    raise NotImplementedError


@with_numba
def _install():
    from numba import types

    from ...._jit import overload

    @overload(creep_wrench)
    def _rub(c, N, mu, a, b, c11, c22, c23, c33, xi, eta, phi):
        if isinstance(N, types.Complex):
            return lambda c, N, mu, a, b, c11, c22, c23, c33, xi, eta, phi: _creep_dual(
                int(c[LAW_DUAL]),
                (c[int(c[CREEP_AT]) : int(c[CREEP_AT]) + 4], (N, mu, a, b, c11, c22, c23, c33, xi, eta, phi)),
            )
        return lambda c, N, mu, a, b, c11, c22, c23, c33, xi, eta, phi: _creep_real(
            int(c[LAW]), (c[int(c[CREEP_AT]) : int(c[CREEP_AT]) + 4], (N, mu, a, b, c11, c22, c23, c33, xi, eta, phi))
        )


@jit
def local(c, shift, turning, speed, twist):
    """The wheel in the axes of the track below it, with its rail's irregularities taken off: axes (12), then d (2), e,
    v, w (3 each)."""
    d0, d1, d2 = shift
    e0, e1, e2 = turning
    v0, v1, v2 = speed
    w0, w1, w2 = twist
    r = c[int(c[TRACK_AT]) :]
    s = place(r, d0, d1)
    g = axes(r, s)
    X, Y, Z, t0, t1, t2, n0, n1, n2, u0, u1, u2 = g
    y, z = rough(r, s, int(c[SIDE]))
    d0 = d0 - X
    d1 = d1 - Y
    d2 = d2 - Z
    return (
        g,
        (d0 * n0 + d1 * n1 + d2 * n2 - y, d0 * u0 + d1 * u1 + d2 * u2 - z),
        (e0 * t0 + e1 * t1 + e2 * t2, e0 * n0 + e1 * n1 + e2 * n2, e0 * u0 + e1 * u1 + e2 * u2),
        (v0 * t0 + v1 * t1 + v2 * t2, v0 * n0 + v1 * n1 + v2 * n2, v0 * u0 + v1 * u1 + v2 * u2),
        (w0 * t0 + w1 * t1 + w2 * t2, w0 * n0 + w1 * n1 + w2 * n2, w0 * u0 + w1 * u1 + w2 * u2),
        s,
    )


@jit
def wrench(c, shift, turning, speed, twist):
    """Force and moment about its centre on the wheel in the axes of the track's marker, and the energy."""
    d0, d1, d2 = shift
    e0, e1, e2 = turning
    v0, v1, v2 = speed
    w0, w1, w2 = twist
    g, d, e, v, w, s = local(c, (d0, d1, d2), (e0, e1, e2), (v0, v1, v2), (w0, w1, w2))
    f0 = d[0] * 0.0 + v[0] * 0.0 + e[0] * 0.0 + w[0] * 0.0
    f1, f2, m0, m1, m2, energy = f0, f0, f0, f0, f0, f0
    for part in range(int(c[PATCHES])):
        p = patch(c, part, (d[0], d[1]), (e[0], e[1], e[2]), (v[0], v[1], v[2]), (w[0], w[1], w[2]))
        f0 = f0 + p[0]
        f1 = f1 + p[1]
        f2 = f2 + p[2]
        m0 = m0 + p[3]
        m1 = m1 + p[4]
        m2 = m2 + p[5]
        energy = energy + p[6]
    X, Y, Z, t0, t1, t2, n0, n1, n2, u0, u1, u2 = g
    return (
        f0 * t0 + f1 * n0 + f2 * u0,
        f0 * t1 + f1 * n1 + f2 * u1,
        f0 * t2 + f1 * n2 + f2 * u2,
        m0 * t0 + m1 * n0 + m2 * u0,
        m0 * t1 + m1 * n1 + m2 * u1,
        m0 * t2 + m1 * n2 + m2 * u2,
        energy,
    )
