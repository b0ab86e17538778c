"""States of all bodies inside a step, between what is known at its ends or its stages."""

from __future__ import annotations

from ..._jit import jit
from ..vectors import turn_quaternion
from .attitudes import inverse_tangent
from .coordinates import rates, tail_of
from .layout import MOVES, STATE


@jit
def copy_ground(bodies, y0, y):
    """Ground of y <- that of y0."""
    for c in range(STATE * bodies.n, STATE * bodies.n + STATE):
        y[c] = y0[c]


@jit
def hermite_bodies(bodies, y0, y1, acc0, acc1, turn, h, s, y, acc, yd):
    """y <- state at fraction ``s`` of a step of size h from y0 to y1 with accelerations at both ends: cubic in
    positions and velocities.

    turn (3 n): rotation vectors from y0 to y1.  acc gets the linear interpolation, yd the rates that belong to y and
    acc.
    """
    a = s * s * (3 - 2 * s)
    b = s * (1 - s) * (1 - s)
    d = s * s * (s - 1)
    for c in range(bodies.moves):
        acc[c] = (1 - s) * acc0[c] + s * acc1[c]
    for i in range(bodies.n):
        o = STATE * i
        for c in range(3):
            y[o + c] = (1 - a) * y0[o + c] + a * y1[o + c] + h * (b * y0[o + 7 + c] + d * y1[o + 7 + c])
        for c in range(MOVES):
            y[o + 7 + c] = (
                (1 - a) * y0[o + 7 + c] + a * y1[o + 7 + c] + h * (b * acc0[MOVES * i + c] + d * acc1[MOVES * i + c])
            )
        t0 = turn[3 * i]
        t1 = turn[3 * i + 1]
        t2 = turn[3 * i + 2]
        e0, e1, e2 = inverse_tangent(t0, t1, t2, y1[o + 10], y1[o + 11], y1[o + 12])
        for c in range(4):
            y[o + 3 + c] = y0[o + 3 + c]
        turn_quaternion(
            y,
            o + 3,
            a * t0 + h * (b * y0[o + 10] + d * e0),
            a * t1 + h * (b * y0[o + 11] + d * e1),
            a * t2 + h * (b * y0[o + 12] + d * e2),
        )
    copy_ground(bodies, y1, y)
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        y[q + i] = (1 - a) * y0[q + i] + a * y1[q + i] + h * (b * y0[v + i] + d * y1[v + i])
        y[v + i] = (1 - a) * y0[v + i] + a * y1[v + i] + h * (b * acc0[k + i] + d * acc1[k + i])
    rates(bodies, y, acc, yd)


@jit
def combine_stages(bodies, y0, X, V, l0, l1, l2, y):
    """y <- state y0 moved by l0 X[0] + l1 X[1] + l2 X[2], its velocities changed by the same of V; X, V (3,
    bodies.moves)."""
    for b in range(bodies.n):
        o = STATE * b
        k = MOVES * b
        for c in range(3):
            y[o + c] = y0[o + c] + l0 * X[0, k + c] + l1 * X[1, k + c] + l2 * X[2, k + c]
        for c in range(4):
            y[o + 3 + c] = y0[o + 3 + c]
        turn_quaternion(
            y,
            o + 3,
            l0 * X[0, k + 3] + l1 * X[1, k + 3] + l2 * X[2, k + 3],
            l0 * X[0, k + 4] + l1 * X[1, k + 4] + l2 * X[2, k + 4],
            l0 * X[0, k + 5] + l1 * X[1, k + 5] + l2 * X[2, k + 5],
        )
        for c in range(MOVES):
            y[o + 7 + c] = y0[o + 7 + c] + l0 * V[0, k + c] + l1 * V[1, k + c] + l2 * V[2, k + c]
    copy_ground(bodies, y0, y)
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        y[q + i] = y0[q + i] + l0 * X[0, k + i] + l1 * X[1, k + i] + l2 * X[2, k + i]
        y[v + i] = y0[v + i] + l0 * V[0, k + i] + l1 * V[1, k + i] + l2 * V[2, k + i]
