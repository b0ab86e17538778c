"""Momentum of the moving bodies, and the forces from outside that change it.

    p = sum m r',     L = sum r x m r' + A J W      about the origin of ground
    p' = sum f,       L' = sum r x f + A (t + W x J W)

f, t: what acts on each body in all (force in ground axes, moment in its own axes less W x J W, as in `kernels`).
Forces between bodies cancel in the sums, so what is left comes from outside: gravity, ground, forces without reaction.
"""

from __future__ import annotations

from ..._jit import jit
from ..vectors import cross, rotate
from .coupled import coupled_momenta

# out of `momentum`: p, L; force and moment from outside; those of them that contacts with ground give
LINEAR, ANGULAR, OUTSIDE, CONTACTS = 0, 3, 6, 12
MOMENTUM_DATA = 18


@jit(entry="Bodies, float64[::1], float64[:, ::1], float64[::1], float64[::1], float64[::1]")
def momentum(bodies, y, R, F, ground, out):
    """out <- see above, at state y; F (bodies.moves) forces with those of constraints, ``ground`` (6) what contacts do
    to ground."""
    for c in range(12):
        out[c] = 0.0
    for c in range(6):
        out[12 + c] = -ground[c]
    J = bodies.J
    for b in range(bodies.n):
        o = 13 * b
        f = 6 * b
        m = bodies.mass[b]
        w0 = y[o + 10]
        w1 = y[o + 11]
        w2 = y[o + 12]
        h0 = J[b, 0] * w0
        h1 = J[b, 1] * w1
        h2 = J[b, 2] * w2
        g0, g1, g2 = cross(w0, w1, w2, h0, h1, h2)
        h0, h1, h2 = rotate(R, b, h0, h1, h2)
        g0, g1, g2 = rotate(R, b, g0 + F[f + 3], g1 + F[f + 4], g2 + F[f + 5])
        p0, p1, p2 = cross(y[o], y[o + 1], y[o + 2], m * y[o + 7], m * y[o + 8], m * y[o + 9])
        t0, t1, t2 = cross(y[o], y[o + 1], y[o + 2], F[f], F[f + 1], F[f + 2])
        for c in range(3):
            out[c] += m * y[o + 7 + c]
            out[6 + c] += F[f + c]
        out[3] += p0 + h0
        out[4] += p1 + h1
        out[5] += p2 + h2
        out[9] += t0 + g0
        out[10] += t1 + g1
        out[11] += t2 + g2
    coupled_momenta(bodies, y, out)
