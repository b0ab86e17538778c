"""Errors of the coordinates of all bodies: weights of their groups, and norms.

Groups are positions, rotations (rad), velocities, angular velocities; a weight is 1/(tolerance * scale).  The scale of
a group is the largest size in it over all bodies plus a floor, of rotations one rad; or every body has scales of its
own, and its positions are measured from where it began. Coordinates of the tail, which are lengths, count as positions
and velocities, each by itself.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ..._handle import view_S, view_W
from ..._jit import jit
from . import layout
from .coordinates import tail_of
from .coupled import clear_nodes, leave_nodes_out
from .layout import MOVES, STATE

Weights = namedtuple("Weights", "floor group x body first")
Weights.__doc__ = """floor (12): floors of the scales of positions, rotations, velocities, angular velocities; [4]
tolerance of the states, [5:9] those of the four groups, [9] floor of the states' scale less one, [10] adaptivity, [11]
0: scales are the largest of each group, norms root mean squares over the model; 1: each body has scales of its own,
norms are those of the worst body; group (4): weights 1/(tolerance * scale) of the groups; x (nx): largest |x| so far +
floor[9], so that the scale is x + 1; body (nb, 4): weights of each body; first (nb, 3): where it began, from which its
positions are measured when it has scales of its own."""

StateScales = namedtuple("StateScales", "floor factor x state_floor group")
StateScales.__doc__ = """floor (4) of the scales of the groups; factor (5) on the error of each group and of the states;
x (nx): largest |x| so far, state_floor (1): its floor; group (4) work."""


@jit
def components(bodies):
    """How many components a displacement of the bodies has that norms count; velocities have as many."""
    return bodies.moves - MOVES


def make_weights(bodies, nx: int, zeros, ones) -> Weights:
    """`Weights`, from functions that make arrays."""
    return Weights(ones(12), ones(4), zeros(nx), ones((bodies.n, 4)), zeros((bodies.n, 3)))


def tell_fast(bodies, out) -> int:
    """out (ny) <- one for velocities and states, which give stiffness (orientations turn fast without being stiff),
    else zero.  Returns how many components of positions and velocities norms count."""
    out[:] = 0.0
    layout.speeds(out, bodies.n)[:] = 1.0
    layout.coordinate_rates(out, bodies)[:] = 1.0
    out[bodies.end :] = 1.0
    return 2 * (bodies.moves - MOVES)


@jit
def sizes(bodies, y, out):
    """out[0], [2], [3] <- largest coordinate, velocity, angular velocity of a body."""
    r = 0.0
    v = 0.0
    o = 0.0
    for i in range(bodies.n):
        b = STATE * i
        for c in range(3):
            r = max(r, abs(y[b + c]))
            v = max(v, abs(y[b + 7 + c]))
            o = max(o, abs(y[b + 10 + c]))
    k, q, d = tail_of(bodies)
    for i in range(bodies.tail):
        r = max(r, abs(y[q + i]))
        v = max(v, abs(y[d + i]))
    out[0] = r
    out[2] = v
    out[3] = o


@jit(entry="Handle(Bodies, StateScales, ()), float64[::1], float64, float64[::1]")
def weigh_state(handle, y, error, out):
    """out (ny) <- 1/(error * factor * scale) of every component of the state, 0 for ground.  The handle holds bodies, a
    `StateScales`, nothing."""
    bodies = view_S(handle)
    w = view_W(handle)
    g = w.group
    sizes(bodies, y, g)
    g[0] = 1.0 / (error * w.factor[0] * (g[0] + w.floor[0]))
    g[1] = 1.0 / (error * w.factor[1] * (1.0 + w.floor[1]))
    g[2] = 1.0 / (error * w.factor[2] * (g[2] + w.floor[2]))
    g[3] = 1.0 / (error * w.factor[3] * (g[3] + w.floor[3]))
    r = g[0]
    q = 2.0 * g[1]  # a quaternion changes by half the angle
    v = g[2]
    o = g[3]
    for i in range(bodies.n):
        b = STATE * i
        for c in range(3):
            out[b + c] = r
            out[b + 7 + c] = v
            out[b + 10 + c] = o
        for c in range(3, 7):
            out[b + c] = q
    for c in range(STATE * bodies.n, STATE * bodies.n + STATE):
        out[c] = 0.0
    k, b, c = tail_of(bodies)
    for i in range(bodies.tail):
        out[b + i] = r
        out[c + i] = v
    x = w.x
    for k in range(x.shape[0]):
        x[k] = max(x[k], abs(y[bodies.end + k]))
        out[bodies.end + k] = 1.0 / (error * w.factor[4] * (x[k] + w.state_floor[0]))


@jit
def weigh(bodies, y, w):
    """The weights w (`Weights`) at the state y: of the groups, and of each body."""
    g = w.group
    sizes(bodies, y, g)
    g[0] = 1.0 / (w.floor[5] * (g[0] + w.floor[0]))
    g[1] = 1.0 / (w.floor[6] * (1.0 + w.floor[1]))
    g[2] = 1.0 / (w.floor[7] * (g[2] + w.floor[2]))
    g[3] = 1.0 / (w.floor[8] * (g[3] + w.floor[3]))
    fast = spin = 0.0
    for i in range(bodies.n):
        for c in range(4):
            w.body[i, c] = g[c]
        if w.floor[11] > 0.0:
            r = v = o = 0.0
            b = STATE * i
            for c in range(3):
                r = max(r, abs(y[b + c] - w.first[i, c]))
                v = max(v, abs(y[b + 7 + c]))
                o = max(o, abs(y[b + 10 + c]))
            w.body[i, 0] = 1.0 / (w.floor[5] * (r + w.floor[0]))
            w.body[i, 2] = 1.0 / (w.floor[7] * (v + w.floor[2]))
            w.body[i, 3] = 1.0 / (w.floor[8] * (o + w.floor[3]))
            fast = max(fast, w.body[i, 2])
            spin = max(spin, w.body[i, 3])
    leave_nodes_out(bodies, w.body)
    if (
        w.floor[11] > 0.0 and bodies.n > 0
    ):  # what roundoff is measured by (`newton.speed_of`): the body that requires most
        g[2] = fast
        g[3] = spin
    for k in range(w.x.shape[0]):
        w.x[k] = max(w.x[k], abs(y[bodies.end + k]) + w.floor[9])


# ---- norms -----------------------------------------------------------------------------------------------------------
# Sums continue from ``total``; ``most``: the largest share of a body (or state) so far; ``where``: whose it is
@jit
def norm_of_moves(bodies, w, d, at, g, speed, total, most):
    """Sum of weighted squares of the moves d[at:] with the weights of groups g and g + 1 (0: displacements, 2:
    velocities); with ``speed`` > 0 also of the velocities speed * d that displacements imply."""
    where = -1
    for i in range(bodies.n):
        o = at + MOVES * i
        g0 = w.body[i, g] ** 2 + (speed * w.body[i, 2]) ** 2
        g1 = w.body[i, g + 1] ** 2 + (speed * w.body[i, 3]) ** 2
        v = g0 * (d[o] ** 2 + d[o + 1] ** 2 + d[o + 2] ** 2)
        v += g1 * (d[o + 3] ** 2 + d[o + 4] ** 2 + d[o + 5] ** 2)
        total += v
        if not (v <= most):
            most = v
            where = i
    k = tail_of(bodies)[0]
    for i in range(bodies.tail):
        v = (w.group[g] ** 2 + (speed * w.group[2]) ** 2) * d[at + k + i] ** 2
        total += v
        if not (v <= most):
            most = v
            where = -2 - i
    return total, most, where


@jit
def norm_of_state(bodies, w, v, velocities, total, most):
    """Sum of weighted squares of a difference of states v; ``velocities``: they count."""
    for i in range(bodies.n):
        b = STATE * i
        e = w.body[i, 0] ** 2 * (v[b] ** 2 + v[b + 1] ** 2 + v[b + 2] ** 2)
        e += 4.0 * w.body[i, 1] ** 2 * (v[b + 3] ** 2 + v[b + 4] ** 2 + v[b + 5] ** 2 + v[b + 6] ** 2)
        if velocities:
            e += w.body[i, 2] ** 2 * (v[b + 7] ** 2 + v[b + 8] ** 2 + v[b + 9] ** 2)
            e += w.body[i, 3] ** 2 * (v[b + 10] ** 2 + v[b + 11] ** 2 + v[b + 12] ** 2)
        total += e
        most = max(most, e)
    k, q, d = tail_of(bodies)
    for i in range(bodies.tail):
        e = (w.group[0] * v[q + i]) ** 2
        if velocities:
            e += (w.group[2] * v[d + i]) ** 2
        total += e
        most = max(most, e)
    return total, most


@jit
def norm_of_errors(bodies, w, d, u, velocities, total, most):
    """Sum of squares of weighted errors of displacements d and, with ``velocities``, of velocities u."""
    for i in range(bodies.n):
        v = 0.0
        for c in range(MOVES):
            j = 0 if c < 3 else 1
            v += (d[MOVES * i + c] * w.body[i, j]) ** 2
            if velocities:
                v += (u[MOVES * i + c] * w.body[i, 2 + j]) ** 2
        total += v
        most = max(most, v)
    k = tail_of(bodies)[0]
    for i in range(k, k + bodies.tail):
        v = (w.group[0] * d[i]) ** 2
        if velocities:
            v += (w.group[2] * u[i]) ** 2
        total += v
        most = max(most, v)
    return total, most


@jit
def norm_by_groups(bodies, group, d, u, velocities, total, most):
    """`norm_of_errors` with the weights ``group`` (4) for all bodies, velocities first; and the body that has most.  d
    and u of nodes become zero."""
    where = -1
    clear_nodes(bodies, d)
    clear_nodes(bodies, u)
    for i in range(bodies.n):
        o = MOVES * i
        before = total
        if velocities:
            for c in range(MOVES):
                total += (u[o + c] * group[2 if c < 3 else 3]) ** 2
        for c in range(MOVES):
            total += (d[o + c] * group[0 if c < 3 else 1]) ** 2
        if not (total - before <= most):
            most = total - before
            where = i
    k = tail_of(bodies)[0]
    for i in range(k, k + bodies.tail):
        before = total
        if velocities:
            total += (u[i] * group[2]) ** 2
        total += (d[i] * group[0]) ** 2
        if not (total - before <= most):
            most = total - before
            where = -2 - (i - k)
    return total, most, where


@jit
def mean_of(total, most, count, w):
    """Root of the mean of squares, or of the largest body's share where each counts by itself."""
    return math.sqrt(most if w.floor[11] > 0.0 else total / max(1, count))
