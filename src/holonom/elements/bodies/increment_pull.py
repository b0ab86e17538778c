"""Transposed derivatives of increments over a step (`increments`): of the state that they lead to, and of velocities
that belong to their rates (kernels)."""

from __future__ import annotations

import math

from ..._jit import jit
from ..jets import dot, vector
from ..vectors import turn_quaternion
from .attitudes import inverse_tangent, tangent
from .coordinates import tail_of
from .layout import MOVES, STATE
from .pull import to_increments


@jit
def pull_state_at(bodies, y, x, yb, z, xb, vb):
    """xb, vb (moves) += cotangents of the increments x and of those of velocities of y = `state_at`(y0, x, v), from
    its own, yb; z (moves): work."""
    to_increments(bodies, y, yb, z)
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        xb[k + i] += z[k + i]
        vb[k + i] += yb[v + i]
    for b in range(bodies.n):
        k = MOVES * b
        o = STATE * b + 7
        t = tangent(-x[k + 3], -x[k + 4], -x[k + 5], z[k + 3], z[k + 4], z[k + 5])
        for c in range(3):
            xb[k + c] += z[k + c]
            xb[k + 3 + c] += t[c]
        for c in range(MOVES):
            vb[k + c] += yb[o + c]


@jit
def pull_start_of_increments(bodies, x, yb, quat, y0b):
    """y0b += the cotangent of the start y0 of y = `state_at`(y0, x, v), from that of y, yb; quat (4): work."""
    k, q, v = tail_of(bodies)
    for i in range(q, q + 2 * bodies.tail):
        y0b[i] += yb[i]
    for b in range(bodies.n):
        o = STATE * b
        k = MOVES * b + 3
        e = quat
        e[0] = 1.0
        e[1] = e[2] = e[3] = 0.0
        turn_quaternion(e, 0, x[k], x[k + 1], x[k + 2])
        qa = yb[o + 3]
        q0 = yb[o + 4]
        q1 = yb[o + 5]
        q2 = yb[o + 6]
        y0b[o + 3] += e[0] * qa + e[1] * q0 + e[2] * q1 + e[3] * q2
        y0b[o + 4] += -e[1] * qa + e[0] * q0 + e[2] * q2 - e[3] * q1
        y0b[o + 5] += -e[2] * qa + e[0] * q1 + e[3] * q0 - e[1] * q2
        y0b[o + 6] += -e[3] * qa + e[0] * q2 + e[1] * q1 - e[2] * q0
        for c in range(3):
            y0b[o + c] += yb[o + c]
        for c in range(MOVES):
            y0b[o + 7 + c] += yb[o + 7 + c]


@jit
def turn_cotangents_of_increments(bodies, x, xb, z):
    """z <- cotangents of small displacements of the state, from those of the increments x, xb: the transpose of
    `increments.correct_increment`."""
    k = tail_of(bodies)[0]
    for i in range(k, k + bodies.tail):
        z[i] = xb[i]
    for b in range(bodies.n):
        k = MOVES * b
        for c in range(3):
            z[k + c] = xb[k + c]
        k += 3
        z[k], z[k + 1], z[k + 2] = inverse_tangent(-x[k], -x[k + 1], -x[k + 2], xb[k], xb[k + 1], xb[k + 2])


@jit
def _slopes_of_tangent(s):
    """b, c and b'/x, c'/x of `attitudes.tangent`, where x^2 = s, b = (1 - cos x)/x^2 and c = (x - sin x)/x^3."""
    if s < 1e-2:
        b = 0.5 - s * (1 / 24 - s * (1 / 720 - s * (1 / 40320 - s / 3628800)))
        c = 1 / 6 - s * (1 / 120 - s * (1 / 5040 - s * (1 / 362880 - s / 39916800)))
        db = -1 / 12 + s * (1 / 180 - s * (1 / 6720 - s / 453600))
        dc = -1 / 60 + s * (1 / 1260 - s * (1 / 60480 - s / 4989600))
        return b, c, db, dc
    x = math.sqrt(s)
    b = (1.0 - math.cos(x)) / s
    c = (x - math.sin(x)) / (s * x)
    return b, c, (math.sin(x) / x - 2.0 * b) / s, (b - 3.0 * c) / s


@jit
def pull_increment_speeds(bodies, x, xd, rho, xb, xdb):
    """xb, xdb += cotangents of increments x and of their rates xd of rho . u, u the velocities that belong to these
    (`increments.add_increment_speeds`)."""
    k = tail_of(bodies)[0]
    for i in range(k, k + bodies.tail):
        xdb[i] += rho[i]
    for b in range(bodies.n):
        k = MOVES * b
        for c in range(3):
            xdb[k + c] += rho[k + c]
        k += 3
        a = x[k], x[k + 1], x[k + 2]
        d = xd[k], xd[k + 1], xd[k + 2]
        r = rho[k], rho[k + 1], rho[k + 2]
        t = tangent(-a[0], -a[1], -a[2], r[0], r[1], r[2])
        ad, ar, dr, aa = dot(a, d), dot(a, r), dot(d, r), dot(a, a)
        f, g, df, dg = _slopes_of_tangent(aa)
        w = vector(d, r)
        along = dg * (ar * ad - dr * aa) - df * dot(a, w) - 2.0 * g * dr
        for c in range(3):
            xdb[k + c] += t[c]
            xb[k + c] += along * a[c] - f * w[c] + g * (ad * r[c] + ar * d[c])
