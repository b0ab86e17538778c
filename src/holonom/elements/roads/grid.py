"""Roads of OpenCRG: a curved regular grid of heights over a reference line (u along, v to the left).

A position (X, Y) = P(t) + v m(t), where P and the normals m are straight between nodes of the reference line, so that v
does not jump at its bends.  The height is the bilinear one of the grid, held next to and beyond it, with the reference
line's own height and its bank v times a slope across.

Numbers: n nodes, stride of the search, m lines v; v (m); x, y, phi, height, bank of the line (n each), heights (n, m).
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..duals import real
from ..intervals import below
from .friction import SHAPE, friction

HEADER = 3


@jit
def nearest(r, x0, n, stride, X, Y):
    """The node nearest to a place: of every ``stride``-th, and then of those around it."""
    best = math.inf
    k = 0
    for i in range(0, n, stride):
        d = (r[x0 + i] - X) ** 2 + (r[x0 + n + i] - Y) ** 2
        if d < best:
            best = d
            k = i
    near = k
    for i in range(max(0, k - stride), min(n, k + stride + 1)):
        d = (r[x0 + i] - X) ** 2 + (r[x0 + n + i] - Y) ** 2
        if d < best:
            best = d
            near = i
    return near


@jit
def residual(r, x0, n, k, t, v, X, Y):
    """Place of (t, v) in the interval k less (X, Y), and its derivatives by t and v."""
    ax, ay, bx, by = r[x0 + k], r[x0 + n + k], r[x0 + k + 1], r[x0 + n + k + 1]
    f, g = r[x0 + 2 * n + k], r[x0 + 2 * n + k + 1]
    mx, my, kx, ky = -math.sin(f), math.cos(f), -math.sin(g), math.cos(g)
    nx = mx + t * (kx - mx)
    ny = my + t * (ky - my)
    return (
        ax + t * (bx - ax) + v * nx - X,
        ay + t * (by - ay) + v * ny - Y,
        (bx - ax) + v * (kx - mx),
        (by - ay) + v * (ky - my),
        nx,
        ny,
    )


@jit(entry="float64[::1], float64, float64")
def grid(r, X, Y):
    o = int(r[SHAPE])
    n, stride, m = int(r[o]), int(r[o + 1]), int(r[o + 2])
    v0 = o + HEADER
    x0 = v0 + m
    h0 = x0 + 3 * n
    b0 = h0 + n
    z0 = b0 + n
    zero = X * 0.0 + Y * 0.0
    k = min(nearest(r, x0, n, stride, real(X), real(Y)), n - 2)
    # the interval: of the two next to the node, that in which t comes to lie
    t = 0.0
    v = 0.0
    for attempt in range(3):
        t, v = 0.5, 0.0
        for _ in range(6):
            a, b, at, bt, av, bv = residual(r, x0, n, k, t, v, real(X), real(Y))
            det = at * bv - bt * av
            t -= (a * bv - b * av) / det
            v -= (at * b - bt * a) / det
        if t < 0.0 and k > 0 and attempt == 0:
            k -= 1
        elif t > 1.0 and k < n - 2 and attempt == 0:
            k += 1
        else:
            break
    a, b, at, bt, av, bv = residual(r, x0, n, k, t, v, X, Y)
    det = at * bv - bt * av
    T = t - (a * bv - b * av) / det
    V = v - (at * b - bt * a) / det
    # once more, so that the derivatives of (T, V) by (X, Y) are dual too
    a, b, at, bt, av, bv = residual(r, x0, n, k, T, V, X, Y)
    det = at * bv - bt * av
    tX, tY, vX, vY = bv / det, -av / det, -bt / det, at / det
    beyond = real(T) < 0.0 or real(T) > 1.0
    q = zero + (0.0 if real(T) < 0.0 else 1.0) if beyond else T + zero
    j = below(r, v0, m, real(V)) if m > 1 else 0
    wide = r[v0 + j + 1] - r[v0 + j] if m > 1 else 1.0
    s = (V - r[v0 + j]) / wide
    beside = m == 1 or real(s) < 0.0 or real(s) > 1.0
    if beside:
        s = zero + (0.0 if m == 1 or real(s) < 0.0 else 1.0)
    i = z0 + k * m + j
    z00, z10 = r[i], r[i + m]
    z01, z11 = (r[i + 1], r[i + m + 1]) if m > 1 else (z00, z10)
    side = V
    held_bank = False
    if real(V) < r[v0] or real(V) > r[v0 + m - 1]:  # the bank ends where the grid does
        side = zero + (r[v0] if real(V) < r[v0] else r[v0 + m - 1])
        held_bank = True
    bank = r[b0 + k] + q * (r[b0 + k + 1] - r[b0 + k])
    low, high = z00 + s * (z01 - z00), z10 + s * (z11 - z10)
    h = low + q * (high - low) + r[h0 + k] + q * (r[h0 + k + 1] - r[h0 + k]) + bank * side
    ht = zero
    if not beyond:
        ht = high - low + (r[h0 + k + 1] - r[h0 + k]) + side * (r[b0 + k + 1] - r[b0 + k])
    hv = zero
    if not beside:
        hv = ((z01 - z00) + q * ((z11 - z10) - (z01 - z00))) / wide
    if not held_bank:
        hv = hv + bank
    return h + zero, ht * tX + hv * vX, ht * tY + hv * vY, friction(r, X, Y)
