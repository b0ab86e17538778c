"""Torques of inertia over a step of fixed size: bodies that turn by themselves while impulses act at the ends.

J (n, 3): moments of inertia about the principal axes, zeros for bodies that this is not required of; vectors of
unknowns as in `layout`.
"""

from __future__ import annotations

from ..._jit import jit
from .layout import MOVES

TURN = 3  # where rotations begin among the unknowns of a body


@jit(entry="float64[:, ::1], float64[:, ::1], float64[:, ::1], float64, float64[:, ::1]")
def midpoint(J, u, lasting, h, acc):
    """Angular accelerations of the bodies: the implicit midpoint rule by fixed points of a form that keeps the energy
    of a body that nothing turns,

        J a = (J p) x (w + h (a + lasting)/2),      p = w + h (a + lasting)/2 of the last a,

    h the step.  u, lasting, acc (n or more, MOVES): velocities, accelerations of what acts besides, and the a that are
    sought.
    """
    g = 0.5 * h
    for b in range(acc.shape[0]):
        if J[b, 0] == 0.0:
            continue
        w0, w1, w2 = u[b, 3] + g * lasting[b, 3], u[b, 4] + g * lasting[b, 4], u[b, 5] + g * lasting[b, 5]
        for _ in range(3):
            l0, l1, l2 = J[b, 0] * (w0 + g * acc[b, 3]), J[b, 1] * (w1 + g * acc[b, 4]), J[b, 2] * (w2 + g * acc[b, 5])
            r0, r1, r2 = l1 * w2 - l2 * w1, l2 * w0 - l0 * w2, l0 * w1 - l1 * w0
            l0, l1, l2 = g * l0, g * l1, g * l2
            # (J - [l] x) a = r by the adjugate
            c00, c01, c02 = J[b, 1] * J[b, 2] + l0 * l0, l0 * l1 - l2 * J[b, 2], l0 * l2 + l1 * J[b, 1]
            c10, c11, c12 = l0 * l1 + l2 * J[b, 2], J[b, 0] * J[b, 2] + l1 * l1, l1 * l2 - l0 * J[b, 0]
            c20, c21, c22 = l0 * l2 - l1 * J[b, 1], l1 * l2 + l0 * J[b, 0], J[b, 0] * J[b, 1] + l2 * l2
            size = J[b, 0] * c00 + l2 * c10 - l1 * c20
            acc[b, 3] = (c00 * r0 + c01 * r1 + c02 * r2) / size
            acc[b, 4] = (c10 * r0 + c11 * r1 + c12 * r2) / size
            acc[b, 5] = (c20 * r0 + c21 * r1 + c22 * r2) / size


@jit
def work(J, b, before, start, u):
    """Energy that the torques of inertia, which took body b from ``before`` to ``start``, give it with the mean
    velocity of ``before`` and u; zero where that is the one they were taken at."""
    o = MOVES * b + TURN
    s = 0.0
    for c in range(3):
        s += 0.5 * J[b, c] * (start[o + c] - before[o + c]) * (u[o + c] + before[o + c])
    return s


@jit
def turn_by_mean(J, b, before, u, h, start):
    """Rotations of body b in ``start`` <- those of ``before`` after a step h with the torques of inertia at the mean
    velocity of ``before`` and u."""
    o = MOVES * b + TURN
    w0, w1, w2 = 0.5 * (u[o] + before[o]), 0.5 * (u[o + 1] + before[o + 1]), 0.5 * (u[o + 2] + before[o + 2])
    j0, j1, j2 = J[b, 0], J[b, 1], J[b, 2]
    start[o] = before[o] + h * (j1 - j2) / j0 * w1 * w2
    start[o + 1] = before[o + 1] + h * (j2 - j0) / j1 * w2 * w0
    start[o + 2] = before[o + 2] + h * (j0 - j1) / j2 * w0 * w1
