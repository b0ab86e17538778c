"""Transposed steps of all bodies by accelerations on R3 x SO(3) (`lie_group`): cotangents of the end of a step to those
of accelerations and of its start.

``w``: the six numbers b0, b1, g0, g1, am, af of the method, of which four count here; ``turn`` (3), ``quat`` (4): work.
"""

from __future__ import annotations

from ..._jit import jit
from ..vectors import turn_quaternion
from .attitudes import inverse_tangent, tangent
from .coordinates import tail_of
from .layout import MOVES, STATE
from .pull import to_increments


@jit
def _turn_of_step(y0, a0, a1, b, h, w, turn):
    f = MOVES * b + 3
    for c in range(3):
        turn[c] = h * (y0[STATE * b + 10 + c] + h * (w[0] * a0[f + c] + w[1] * a1[f + c]))


@jit
def pull_step(bodies, y0, y1, a0, a1, h, w, yb, z, turn):
    """z (moves) <- cotangents of translations, rotation vectors and coordinates over the step, of those of its end,
    yb."""
    to_increments(bodies, y1, yb, z)
    for b in range(bodies.n):
        k = MOVES * b + 3
        _turn_of_step(y0, a0, a1, b, h, w, turn)
        z[k], z[k + 1], z[k + 2] = tangent(-turn[0], -turn[1], -turn[2], z[k], z[k + 1], z[k + 2])


@jit
def pull_accelerations(bodies, y0, y1, a0, a1, h, w, yb, z, turn, r):
    """r += cotangents of the accelerations at the end that those of the state there, yb, give; z: work."""
    pull_step(bodies, y0, y1, a0, a1, h, w, yb, z, turn)
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        r[k + i] += h * h * w[1] * z[k + i] + h * w[3] * yb[v + i]
    for b in range(bodies.n):
        for c in range(MOVES):
            r[MOVES * b + c] += h * h * w[1] * z[MOVES * b + c] + h * w[3] * yb[STATE * b + 7 + c]


@jit
def turn_cotangents(bodies, y0, a0, a1, h, w, r, z, turn):
    """z <- r with its parts of accelerations as those of small turns at the end: the transpose of
    `lie_group.add_step_correction`."""
    k = tail_of(bodies)[0]
    for i in range(k, k + bodies.tail):
        z[i] = r[i]
    for b in range(bodies.n):
        k = MOVES * b + 3
        _turn_of_step(y0, a0, a1, b, h, w, turn)
        for c in range(3):
            z[k - 3 + c] = r[k - 3 + c]
        z[k], z[k + 1], z[k + 2] = inverse_tangent(-turn[0], -turn[1], -turn[2], r[k], r[k + 1], r[k + 2])


@jit
def pull_start_of_step(bodies, y0, y1, a0, a1, h, w, yb, z, turn, quat, ab):
    """yb, of the end of the step, <- that of its start; ab += cotangents of the accelerations there; z: work."""
    pull_step(bodies, y0, y1, a0, a1, h, w, yb, z, turn)
    f, k, p = tail_of(bodies)
    for i in range(bodies.tail):
        v = yb[p + i]
        ab[f + i] += h * h * w[0] * z[f + i] + h * w[2] * v
        yb[p + i] = v + h * z[f + i]
    for b in range(bodies.n):
        k = STATE * b
        f = MOVES * b
        for c in range(MOVES):
            v = yb[k + 7 + c]
            ab[f + c] += h * h * w[0] * z[f + c] + h * w[2] * v
            yb[k + 7 + c] = v + h * z[f + c]
        _turn_of_step(y0, a0, a1, b, h, w, turn)
        e = quat
        e[0] = 1.0
        e[1] = e[2] = e[3] = 0.0
        turn_quaternion(e, 0, turn[0], turn[1], turn[2])
        qa = yb[k + 3]
        q0 = yb[k + 4]
        q1 = yb[k + 5]
        q2 = yb[k + 6]
        yb[k + 3] = e[0] * qa + e[1] * q0 + e[2] * q1 + e[3] * q2
        yb[k + 4] = -e[1] * qa + e[0] * q0 + e[2] * q2 - e[3] * q1
        yb[k + 5] = -e[2] * qa + e[0] * q1 + e[3] * q0 - e[1] * q2
        yb[k + 6] = -e[3] * qa + e[0] * q2 + e[1] * q1 - e[2] * q0


@jit
def as_rates(bodies, a, v, kb):
    """kb <- cotangents of rates of a state, a + v of the accelerations in them; others are zero."""
    for c in range(kb.shape[0]):
        kb[c] = 0.0
    k, q, p = tail_of(bodies)
    for i in range(bodies.tail):
        kb[p + i] = a[k + i] + v[k + i]
    for b in range(bodies.n):
        for c in range(MOVES):
            kb[STATE * b + 7 + c] = a[MOVES * b + c] + v[MOVES * b + c]
