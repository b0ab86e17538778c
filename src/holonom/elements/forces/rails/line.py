"""Kernels of a track (`track`): its line, its axes, its irregularities, for numbers and dual numbers."""

from __future__ import annotations

import math

from ...._jit import jit
from ...duals import asin, cos, real, sin

#: positions in the head of its numbers
FIRST, STEP_, NODES, ROUGH_FIRST, ROUGH_STEP, ROUGH_COUNT, STRAIGHT, STRIDE, HEAD = range(9)
PER_NODE = 8  # X, Y, psi, sine of the roll and their rates by s


@jit
def node(r, k, j):
    return r[HEAD + PER_NODE * k + j]


@jit
def hermite(y0, y1, d0, d1, h, u):
    """Cubic with values y and slopes d at the ends of a step h, at the share u (dual or not) -> value."""
    a = u * u
    b = a * u
    return (2.0 * b - 3.0 * a + 1.0) * y0 + (3.0 * a - 2.0 * b) * y1 + h * ((b - 2.0 * a + u) * d0 + (b - a) * d1)


@jit
def line(r, s):
    """X, Y, psi, sine of the roll at s."""
    n = int(r[NODES])
    h = r[STEP_]
    q = (s - r[FIRST]) / h
    if real(q) <= 0.0 or real(q) >= n - 1.0:
        k = 0 if real(q) <= 0.0 else n - 1
        d = s - (r[FIRST] + h * k)
        return (
            node(r, k, 0) + d * node(r, k, 4),
            node(r, k, 1) + d * node(r, k, 5),
            s * 0.0 + node(r, k, 2),
            s * 0.0 + node(r, k, 3),
        )
    k = int(real(q))
    u = q - k
    return (
        hermite(node(r, k, 0), node(r, k + 1, 0), node(r, k, 4), node(r, k + 1, 4), h, u),
        hermite(node(r, k, 1), node(r, k + 1, 1), node(r, k, 5), node(r, k + 1, 5), h, u),
        hermite(node(r, k, 2), node(r, k + 1, 2), node(r, k, 6), node(r, k + 1, 6), h, u),
        hermite(node(r, k, 3), node(r, k + 1, 3), node(r, k, 7), node(r, k + 1, 7), h, u),
    )


@jit
def nearest(r, x, y):
    """s of the point of the line below (x, y): a search over some nodes, then Newton's steps."""
    n = int(r[NODES])
    h = r[STEP_]
    stride = int(r[STRIDE])
    best = 1e300
    k0 = 0
    for k in range(0, n, stride):
        d = (x - node(r, k, 0)) ** 2 + (y - node(r, k, 1)) ** 2
        if d < best:
            best = d
            k0 = k
    low = max(0, k0 - stride)
    high = min(n - 1, k0 + stride)
    for k in range(low, high + 1):
        d = (x - node(r, k, 0)) ** 2 + (y - node(r, k, 1)) ** 2
        if d < best:
            best = d
            k0 = k
    s = r[FIRST] + h * k0
    for _ in range(8):
        X, Y, psi, roll = line(r, s)
        step = (x - X) * math.cos(psi) + (y - Y) * math.sin(psi)
        s += step
        if abs(step) < 1e-12 * h:
            break
    return s


@jit
def curvature(r, s):
    """Rate of psi at s: a number."""
    n = int(r[NODES])
    h = r[STEP_]
    q = (s - r[FIRST]) / h
    if q <= 0.0 or q >= n - 1.0:
        return 0.0
    k = int(q)
    u = q - k
    d = (node(r, k + 1, 2) - node(r, k, 2)) / h
    return (
        6.0 * u * (1.0 - u) * d
        + (3.0 * u * u - 4.0 * u + 1.0) * node(r, k, 6)
        + (3.0 * u * u - 2.0 * u) * node(r, k + 1, 6)
    )


@jit
def place(r, d0, d1):
    """s of a point at (d0, d1) in the marker's axes, with its derivative where they are dual."""
    if r[STRAIGHT] != 0.0:
        return d0
    s = nearest(r, real(d0), real(d1))
    X, Y, psi, roll = line(r, s)
    c = math.cos(psi)
    e = math.sin(psi)
    f = (d0 - X) * c + (d1 - Y) * e
    # d f / d s = -1 + curvature * (offset to the left)
    g = curvature(r, s) * (-(real(d0) - X) * e + (real(d1) - Y) * c)
    return s + f / (1.0 - g)


@jit
def axes(r, s):
    """Place of the line at s and axes t, n, u there: 12 numbers."""
    X, Y, psi, roll = line(r, s)
    a = asin(roll)
    c = cos(psi)
    e = sin(psi)
    ca = cos(a)
    zero = psi * 0.0
    return X, Y, zero, c, e, zero, -e * ca, c * ca, roll, e * roll, -c * roll, ca


@jit(entry="float64[::1], float64")
def frame(r, s):
    return axes(r, s)


@jit
def rough(r, s, side):
    """Displacement (y, z) of a rail at s; ``side`` 0 left, 1 right."""
    n = int(r[ROUGH_COUNT])
    zero = s * 0.0
    if n == 0:
        return zero, zero
    q = (s - r[ROUGH_FIRST]) / r[ROUGH_STEP]
    if not 0.0 <= real(q) < n - 1.0:
        return zero, zero
    k = int(real(q))
    u = q - k
    at = HEAD + PER_NODE * int(r[NODES]) + 2 * side
    y = zero
    z = zero
    for j in range(2):
        y0 = r[at + 4 * k + j]
        y1 = r[at + 4 * (k + 1) + j]
        before = r[at + 4 * (k - 1) + j] if k > 0 else 2.0 * y0 - y1
        behind = r[at + 4 * (k + 2) + j] if k + 2 < n else 2.0 * y1 - y0
        v = hermite(y0, y1, 0.5 * (y1 - before), 0.5 * (behind - y0), 1.0, u)
        if j == 0:
            y = v
        else:
            z = v
    return y, z
