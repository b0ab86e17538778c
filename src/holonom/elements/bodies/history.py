"""What formulas over past steps make of the states of all bodies."""

from __future__ import annotations

import math

from ..._jit import jit
from ..vectors import cross
from .attitudes import inverse_tangent, inverse_tangent_rate
from .coordinates import SPEED, tail_of
from .layout import MOVES, STATE


@jit
def _take(y, o, v, first, band):
    """y[o] <- v, unless it differs from the velocity carried along by no more than the roundoff of positions."""
    if first or not (abs(v - y[o]) <= band):
        y[o] = v


@jit
def speeds_by_formula(bodies, P0, P1, a, d, first, y, acc):
    """Velocities of y <- what q' = P1 + a (q - P0) says of its coordinates, less d (bodies.moves); acc <- what u' = P1
    + a (u - P0) says of them.

    P0, P1: states with value and rate of a prediction.  Unless ``first``, velocities are there already, moved with the
    coordinates: they are exact below the last digit of these, which a magnifies, and multipliers at tiny steps live on
    these digits.
    """
    for i in range(bodies.n):
        o = STATE * i
        f = MOVES * i
        band = 8e-16 * a * (abs(y[o]) + abs(y[o + 1]) + abs(y[o + 2]))
        for c in range(3):
            _take(y, o + 7 + c, P1[o + c] + a * (y[o + c] - P0[o + c]) - d[f + c], first, band)
        q = y[o + 3]
        q0 = y[o + 4]
        q1 = y[o + 5]
        q2 = y[o + 6]
        s = P1[o + 3] + a * (q - P0[o + 3])
        s0 = P1[o + 4] + a * (q0 - P0[o + 4])
        s1 = P1[o + 5] + a * (q1 - P0[o + 5])
        s2 = P1[o + 6] + a * (q2 - P0[o + 6])
        band = 4e-15 * a
        _take(y, o + 10, 2.0 * (q * s0 - q0 * s - q1 * s2 + q2 * s1) - d[f + 3], first, band)
        _take(y, o + 11, 2.0 * (q * s1 + q0 * s2 - q1 * s - q2 * s0) - d[f + 4], first, band)
        _take(y, o + 12, 2.0 * (q * s2 - q0 * s1 + q1 * s0 - q2 * s) - d[f + 5], first, band)
        for c in range(MOVES):
            acc[f + c] = P1[o + 7 + c] + a * (y[o + 7 + c] - P0[o + 7 + c])
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        _take(y, v + i, P1[q + i] + a * (y[q + i] - P0[q + i]) - d[k + i], first, 8e-16 * a * abs(y[q + i]))
        acc[k + i] = P1[v + i] + a * (y[v + i] - P0[v + i])


@jit(entry="Bodies, int64, int64[::1], float64[::1], float64[::1], float64[::1], float64[::1]")
def past_rate(bodies, count, coord, ref, y, yd, out):
    """First 2 ``count`` numbers of ``out`` <- z' and z'' at a past state y with rates yd of the coordinates ``coord``
    (positions in a vector of moves) of z, the increments about the state ``ref`` (see `increments`).  Returns the
    largest turn between the two states, rad."""
    most = 0.0
    body = -1
    a0 = a1 = a2 = b0 = b1 = b2 = r0 = r1 = r2 = 0.0
    for k in range(count):
        b = coord[k] // MOVES
        c = coord[k] % MOVES
        if b > bodies.n:
            u, q, v = tail_of(bodies)
            out[k] = y[v + coord[k] - u]
            out[count + k] = yd[v + coord[k] - u]
            continue
        o = STATE * b
        if c < 3:
            out[k] = y[o + SPEED + c]
            out[count + k] = yd[o + SPEED + c]
            continue
        if b != body:
            body = b
            w = ref[o + 3]
            q = y[o + 3]
            c0, c1, c2 = cross(y[o + 4], y[o + 5], y[o + 6], ref[o + 4], ref[o + 5], ref[o + 6])
            v0 = w * y[o + 4] - q * ref[o + 4] + c0
            v1 = w * y[o + 5] - q * ref[o + 5] + c1
            v2 = w * y[o + 6] - q * ref[o + 6] + c2
            s = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
            p = w * q + ref[o + 4] * y[o + 4] + ref[o + 5] * y[o + 5] + ref[o + 6] * y[o + 6]
            g = 2.0 / p if s < 1e-8 else 2.0 * math.atan2(s if p > 0.0 else -s, abs(p)) / s
            a0 = g * v0
            a1 = g * v1
            a2 = g * v2
            most = max(most, abs(g) * s)
            b0, b1, b2 = inverse_tangent(a0, a1, a2, y[o + 10], y[o + 11], y[o + 12])
            e0, e1, e2 = inverse_tangent(a0, a1, a2, yd[o + 10], yd[o + 11], yd[o + 12])
            r0, r1, r2 = inverse_tangent_rate(a0, a1, a2, b0, b1, b2, y[o + 10], y[o + 11], y[o + 12])
            r0 += e0
            r1 += e1
            r2 += e2
        out[k] = b0 if c == 3 else (b1 if c == 4 else b2)
        out[count + k] = r0 if c == 3 else (r1 if c == 4 else r2)
    return most
