"""Roads measured along x: heights of one or more tracks, straight or cubic in between, held beyond the ends; straight
between tracks, held next to them.

Numbers: n, m, positions x (n), tracks y (m), heights (n, m), slopes (n, m); straight roads have no slopes.
"""

from __future__ import annotations

from ..._jit import jit
from ..duals import real
from ..intervals import below
from .friction import SHAPE, friction


@jit(entry="float64[::1], float64, float64")
def profile(r, X, Y):
    o = int(r[SHAPE])
    n = int(r[o])
    m = int(r[o + 1])
    cubic = r[o + 2] != 0.0
    x0 = o + 3
    y0 = x0 + n
    z0 = y0 + m
    s0 = z0 + n * m
    zero = X * 0.0 + Y * 0.0
    k = below(r, x0, n, real(X))
    step = r[x0 + k + 1] - r[x0 + k]
    t = (X - r[x0 + k]) / step
    held = real(t) < 0.0 or real(t) > 1.0
    if held:
        t = t * 0.0 + (0.0 if real(t) < 0.0 else 1.0)
    j = 0
    a = zero
    if m > 1:
        j = below(r, y0, m, real(Y))
        a = (Y - r[y0 + j]) / (r[y0 + j + 1] - r[y0 + j])
        if real(a) < 0.0 or real(a) > 1.0:
            a = zero + (0.0 if real(a) < 0.0 else 1.0)
    h0, d0 = piece(r, z0 + k * m + j, s0 + k * m + j, m, step, t, cubic)
    if held:
        d0 = d0 * 0.0
    if m == 1:
        return h0 + zero, d0 + zero, zero, friction(r, X, Y)
    h1, d1 = piece(r, z0 + k * m + j + 1, s0 + k * m + j + 1, m, step, t, cubic)
    if held:
        d1 = d1 * 0.0
    across = (h1 - h0) / (r[y0 + j + 1] - r[y0 + j]) if 0.0 < real(a) < 1.0 else zero
    return h0 + a * (h1 - h0), d0 + a * (d1 - d0), across + zero, friction(r, X, Y)


@jit
def piece(r, z, s, m, step, t, cubic):
    """Height and slope of one track in an interval; t in [0, 1]."""
    f, g = r[z], r[z + m]
    if not cubic:
        return f + (g - f) * t, t * 0.0 + (g - f) / step
    p, q = r[s] * step, r[s + m] * step
    b = 3.0 * (g - f) - 2.0 * p - q
    c = p + q - 2.0 * (g - f)
    return f + t * (p + t * (b + t * c)), (p + t * (2.0 * b + 3.0 * t * c)) / step
