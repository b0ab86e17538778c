"""Coordinates of all bodies as increments about a reference state: translations, and rotation vectors a of q = q_ref
exp(a) in body axes.

Unlike displacements of the moment (`coordinates.retract`) their rates are not the velocities: a' = T^-1(a) W, T the
tangent of the exponential
(`attitudes`).  One-step methods count their stages so from the start of the step, minimal sets from a reference kept
for many steps.
"""

from __future__ import annotations

import math

from ..._jit import jit
from .attitudes import inverse_tangent, inverse_tangent_rate, tangent, tangent_wide, turn_between
from .coordinates import SPEED, tail_of
from .layout import MOVES, STATE


@jit
def rebase_increment(bodies, a, x, w):
    """x <- the increment about the state that is reached by a, where x and a were counted from the same state; w (8)
    work."""
    for b in range(bodies.n):
        k = MOVES * b
        for c in range(k, k + 3):
            x[c] -= a[c]
        k += 3
        x[k], x[k + 1], x[k + 2] = turn_between(w, a[k], a[k + 1], a[k + 2], x[k], x[k + 1], x[k + 2])
    k = tail_of(bodies)[0]
    for i in range(k, k + bodies.tail):
        x[i] -= a[i]


@jit
def add_increment_speeds(bodies, x, xd, u):
    """u += the velocities that belong to rates xd of the increments x."""
    for b in range(bodies.n):
        k = MOVES * b
        t0, t1, t2 = tangent(x[k + 3], x[k + 4], x[k + 5], xd[k + 3], xd[k + 4], xd[k + 5])
        for c in range(3):
            u[k + c] += xd[k + c]
        u[k + 3] += t0
        u[k + 4] += t1
        u[k + 5] += t2
    k = tail_of(bodies)[0]
    for i in range(k, k + bodies.tail):
        u[i] += xd[i]


@jit
def correct_increment(bodies, d, x):
    """x <- the increment when the state it leads to is moved by the small d."""
    for b in range(bodies.n):
        k = MOVES * b
        for c in range(3):
            x[k + c] += d[k + c]
        t0, t1, t2 = inverse_tangent(x[k + 3], x[k + 4], x[k + 5], d[k + 3], d[k + 4], d[k + 5])
        x[k + 3] += t0
        x[k + 4] += t1
        x[k + 5] += t2
    k = tail_of(bodies)[0]
    for i in range(k, k + bodies.tail):
        x[i] += d[i]


# ---- minimal sets ----------------------------------------------------------------------------------------------------
@jit
def increment_gradients(slot_body, G, z, out):
    """out <- gradients of rows with respect to increments z, from those with respect to displacements; both (slots,
    MOVES)."""
    for s in range(G.shape[0]):
        o = MOVES * slot_body[s]
        for c in range(3):
            out[s, c] = G[s, c]
        out[s, 3], out[s, 4], out[s, 5] = tangent_wide(-z[o + 3], -z[o + 4], -z[o + 5], G[s, 3], G[s, 4], G[s, 5])


@jit
def speeds_of_increments(bodies, z, y):
    """Velocities of the state y, which hold the rates of the increments z, become the velocities that belong to
    them."""
    for i in range(bodies.n):
        o = STATE * i + SPEED + 3
        e = MOVES * i + 3
        y[o], y[o + 1], y[o + 2] = tangent_wide(z[e], z[e + 1], z[e + 2], y[o], y[o + 1], y[o + 2])


@jit
def increment_accelerations(bodies, z, rate, y, acc, out):
    """out <- z'' of increments z with rates ``rate``, from the accelerations of the state y."""
    for i in range(bodies.n):
        e = MOVES * i
        o = STATE * i + SPEED + 3
        for c in range(3):
            out[e + c] = acc[e + c]
        x0, x1, x2 = inverse_tangent(z[e + 3], z[e + 4], z[e + 5], acc[e + 3], acc[e + 4], acc[e + 5])
        r0, r1, r2 = inverse_tangent_rate(
            z[e + 3], z[e + 4], z[e + 5], rate[e + 3], rate[e + 4], rate[e + 5], y[o], y[o + 1], y[o + 2]
        )
        out[e + 3] = x0 + r0
        out[e + 4] = x1 + r1
        out[e + 5] = x2 + r2
    k = tail_of(bodies)[0]
    for i in range(k, k + bodies.tail):
        out[i] = acc[i]


@jit
def size_of_moves(bodies, d, length):
    """Largest component of a displacement, translations in units of ``length``; not a number where one of them is
    none."""
    size = 0.0
    for i in range(bodies.n):
        for c in range(MOVES):
            v = abs(d[MOVES * i + c])
            if c < 3:
                v /= length
            if v > size or v != v:
                size = v
    k = tail_of(bodies)[0]
    for i in range(k, k + bodies.tail):
        v = abs(d[i]) / length
        if v > size or v != v:
            size = v
    return size


@jit
def turns_within(bodies, z, limit):
    """Has every body turned by less than ``limit`` (rad)?  False for a value that is not a number."""
    for i in range(bodies.n):
        o = MOVES * i
        if not (z[o + 3] ** 2 + z[o + 4] ** 2 + z[o + 5] ** 2 < limit * limit):
            return False
    return True


@jit(entry="float64[::1], int64")
def largest_spin(y, n):
    """Of n bodies in a state, rad/time."""
    most = 0.0
    for i in range(n):
        o = STATE * i + SPEED + 3
        most = max(most, y[o] ** 2 + y[o + 1] ** 2 + y[o + 2] ** 2)
    return math.sqrt(most)


@jit(entry="Bodies, float64[::1]")
def largest_turn(bodies, z):
    """Largest turn of a body from the reference, rad."""
    most = 0.0
    for i in range(bodies.n):
        o = MOVES * i + 3
        most = max(most, z[o] ** 2 + z[o + 1] ** 2 + z[o + 2] ** 2)
    return math.sqrt(most)
