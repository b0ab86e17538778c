"""Dense output of one-step methods by cubics, and the rotation vector they need."""

from __future__ import annotations

import math

from .._jit import jit
from ..elements.bodies.rigid import state_rate
from ..elements.vectors import turn_quaternion


@jit
def inverse_tangent(a0, a1, a2, d0, d1, d2):
    """Change of the rotation vector a when q = q0 exp(a) is turned by the small d in its own axes:
    d + a x d / 2 + (1/|a|^2 - cot(|a|/2)/(2|a|)) a x (a x d)   (Iserles et al., Acta Numerica 9 (2000) 215, App. B)."""
    c0 = a1 * d2 - a2 * d1
    c1 = a2 * d0 - a0 * d2
    c2 = a0 * d1 - a1 * d0
    e0 = a1 * c2 - a2 * c1
    e1 = a2 * c0 - a0 * c2
    e2 = a0 * c1 - a1 * c0
    s = a0 * a0 + a1 * a1 + a2 * a2
    if s < 1e-2:
        f = 1.0 / 12.0 + s / 720.0 + s * s / 30240.0
    else:
        x = 0.5 * math.sqrt(s)
        f = (1.0 - x / math.tan(x)) / s
    return d0 + 0.5 * c0 + f * e0, d1 + 0.5 * c1 + f * e1, d2 + 0.5 * c2 + f * e2


@jit
def tangent(a0, a1, a2, d0, d1, d2):
    """Angular velocity, in the axes after the turn, when the rotation vector a of q = q0 exp(a) changes at the rate d; the
    inverse of `inverse_tangent`.  With -a: in the axes before the turn."""
    s = a0 * a0 + a1 * a1 + a2 * a2
    if s < 1e-2:
        b = 0.5 * (1.0 - s / 12.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0)))
        c = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0))) / 6.0
    else:
        x = math.sqrt(s)
        b = (1.0 - math.cos(x)) / s
        c = (1.0 - math.sin(x) / x) / s
    p0 = a1 * d2 - a2 * d1
    p1 = a2 * d0 - a0 * d2
    p2 = a0 * d1 - a1 * d0
    q0 = a1 * p2 - a2 * p1
    q1 = a2 * p0 - a0 * p2
    q2 = a0 * p1 - a1 * p0
    return d0 - b * p0 + c * q0, d1 - b * p1 + c * q1, d2 - b * p2 + c * q2


@jit
def hermite(n, nx, y0, y1, acc0, acc1, turn, f0, f1, h, s, y, acc, yd):
    """State at fraction ``s`` of a step from y0 to y1 with accelerations at both ends: cubic in positions and velocities.

    turn (3 n): rotation vectors from y0 to y1; f0, f1 (nx): rates of the states.  acc gets the linear interpolation, yd the
    rates that belong to y and acc.
    """
    a = s * s * (3 - 2 * s)
    b = s * (1 - s) * (1 - s)
    d = s * s * (s - 1)
    for c in range(6 * n):
        acc[c] = (1 - s) * acc0[c] + s * acc1[c]
    for i in range(n):
        o = 13 * i
        for c in range(3):
            y[o + c] = (1 - a) * y0[o + c] + a * y1[o + c] + h * (b * y0[o + 7 + c] + d * y1[o + 7 + c])
        for c in range(6):
            y[o + 7 + c] = (1 - a) * y0[o + 7 + c] + a * y1[o + 7 + c] + h * (b * acc0[6 * i + c] + d * acc1[6 * i + c])
        t0 = turn[3 * i]
        t1 = turn[3 * i + 1]
        t2 = turn[3 * i + 2]
        e0, e1, e2 = inverse_tangent(t0, t1, t2, y1[o + 10], y1[o + 11], y1[o + 12])
        for c in range(4):
            y[o + 3 + c] = y0[o + 3 + c]
        turn_quaternion(
            y, o + 3,
            a * t0 + h * (b * y0[o + 10] + d * e0),
            a * t1 + h * (b * y0[o + 11] + d * e1),
            a * t2 + h * (b * y0[o + 12] + d * e2),
        )  # fmt: skip
    for c in range(13 * n, 13 * n + 13):
        y[c] = y1[c]
    state_rate(n, y, acc, yd)
    o = 13 * n + 13
    for k in range(nx):
        y[o + k] = (1 - a) * y0[o + k] + a * y1[o + k] + h * (b * f0[k] + d * f1[k])
        yd[o + k] = (1 - s) * f0[k] + s * f1[k]
