"""Friction of a road: one factor, and others on rectangles of it.

A road's numbers begin with: where its shape begins, mu, width of the edges, how many rectangles, and for each x0, x1,
y0, y1, mu.
"""

from __future__ import annotations

from ..._jit import jit
from ..duals import clip, real

SHAPE, BASE, EDGE, COUNT, FIRST = range(5)


@jit
def gate(x, low, high, edge):
    """1 between low and high, 0 outside, a ramp of the width ``edge`` about each."""
    if edge == 0.0:
        return x * 0.0 + (1.0 if low <= real(x) < high else 0.0)
    return clip((x - low) / edge + 0.5, 0.0, 1.0) * clip((high - x) / edge + 0.5, 0.0, 1.0)


@jit
def friction(r, X, Y):
    mu = X * 0.0 + Y * 0.0 + r[BASE]
    for k in range(int(r[COUNT])):
        o = FIRST + 5 * k
        share = gate(X, r[o], r[o + 1], r[EDGE]) * gate(Y, r[o + 2], r[o + 3], r[EDGE])
        mu = mu * (1.0 - share) + share * r[o + 4]
    return mu
