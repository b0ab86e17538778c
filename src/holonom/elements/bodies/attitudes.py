"""Rotation vectors and attitudes, as scalar kernels: a of q = q0 exp(a) in body axes, its tangent maps, vectors between
axes of a body and of ground."""

from __future__ import annotations

import math

from ..._jit import jit
from ..vectors import cross, turn_quaternion


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
    """Angular velocity, in the axes after the turn, when the rotation vector a of q = q0 exp(a) changes at the rate d;
    the inverse of `inverse_tangent`.  With -a: in the axes before the turn."""
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
def tangent_wide(a0, a1, a2, d0, d1, d2):
    """`tangent` with one more term of its series and x - sin x in one piece: what minimal sets, whose turns go up to 4
    rad, are integrated with."""
    c0, c1, c2 = cross(a0, a1, a2, d0, d1, d2)
    e0, e1, e2 = cross(a0, a1, a2, c0, c1, c2)
    s = a0 * a0 + a1 * a1 + a2 * a2
    if s < 1e-2:
        f = 0.5 - s * (1 / 24 - s * (1 / 720 - s / 40320))
        g = 1 / 6 - s * (1 / 120 - s * (1 / 5040 - s / 362880))
    else:
        x = math.sqrt(s)
        f = (1.0 - math.cos(x)) / s
        g = (x - math.sin(x)) / (s * x)
    return d0 - f * c0 + g * e0, d1 - f * c1 + g * e1, d2 - f * c2 + g * e2


@jit
def inverse_tangent_rate(a0, a1, a2, b0, b1, b2, d0, d1, d2):
    """(d/dt T^-1(a)) d when a changes at the rate b, T^-1 the map of `inverse_tangent`."""
    s = a0 * a0 + a1 * a1 + a2 * a2
    if s < 1e-2:
        f = 1 / 12 + s * (1 / 720 + s * (1 / 30240 + s / 1209600))
        g = 1 / 720 + s * (1 / 15120 + s * (1 / 403200 + s / 11975040))
    else:
        x = 0.5 * math.sqrt(s)
        sine = math.sin(x)
        cot = math.cos(x) / sine
        f = (1.0 - x * cot) / s
        g = ((x / (sine * sine) - cot) / (8.0 * x) - f) / s
    g *= 2.0 * (a0 * b0 + a1 * b1 + a2 * b2)
    p0, p1, p2 = cross(b0, b1, b2, d0, d1, d2)
    c0, c1, c2 = cross(a0, a1, a2, d0, d1, d2)
    e0, e1, e2 = cross(a0, a1, a2, c0, c1, c2)
    h0, h1, h2 = cross(b0, b1, b2, c0, c1, c2)
    k0, k1, k2 = cross(a0, a1, a2, p0, p1, p2)
    return (
        0.5 * p0 + g * e0 + f * (h0 + k0),
        0.5 * p1 + g * e1 + f * (h1 + k1),
        0.5 * p2 + g * e2 + f * (h2 + k2),
    )


@jit
def turn_between(w, a0, a1, a2, b0, b1, b2):
    """Rotation vector of exp(-a) exp(b); w (8) work."""
    for k in range(8):
        w[k] = 0.0
    w[0] = 1.0
    w[4] = 1.0
    turn_quaternion(w, 0, a0, a1, a2)
    turn_quaternion(w, 4, b0, b1, b2)
    c = w[0] * w[4] + w[1] * w[5] + w[2] * w[6] + w[3] * w[7]
    x = w[0] * w[5] - w[1] * w[4] - w[2] * w[7] + w[3] * w[6]
    y = w[0] * w[6] + w[1] * w[7] - w[2] * w[4] - w[3] * w[5]
    z = w[0] * w[7] - w[1] * w[6] + w[2] * w[5] - w[3] * w[4]
    if c < 0.0:
        c = -c
        x = -x
        y = -y
        z = -z
    s = math.sqrt(x * x + y * y + z * z)
    f = 2.0 / c * (1.0 - s * s / (3.0 * c * c)) if s < 1e-4 else 2.0 * math.atan2(s, c) / s
    return f * x, f * y, f * z


@jit
def to_ground(Y, o, a, b, c):
    """(a, b, c) from the axes of the body whose quaternion is Y[o:o+4] to those of ground."""
    p0, p1, p2 = cross(Y[o + 1], Y[o + 2], Y[o + 3], a, b, c)
    p0 *= 2.0
    p1 *= 2.0
    p2 *= 2.0
    q0, q1, q2 = cross(Y[o + 1], Y[o + 2], Y[o + 3], p0, p1, p2)
    return a + Y[o] * p0 + q0, b + Y[o] * p1 + q1, c + Y[o] * p2 + q2


@jit
def to_body(Y, o, a, b, c):
    """(a, b, c) from the axes of ground to those of the body whose quaternion is Y[o:o+4]."""
    p0, p1, p2 = cross(Y[o + 1], Y[o + 2], Y[o + 3], a, b, c)
    p0 *= 2.0
    p1 *= 2.0
    p2 *= 2.0
    q0, q1, q2 = cross(Y[o + 1], Y[o + 2], Y[o + 3], p0, p1, p2)
    return a - Y[o] * p0 + q0, b - Y[o] * p1 + q1, c - Y[o] * p2 + q2
