"""Cotangents of states of rigid bodies: increments and the numbers of a state, kinematics, inertia (kernels)."""

from __future__ import annotations

from ..._jit import jit
from ..jets import dot, vector
from .coordinates import tail_of


@jit(entry="int64, float64[::1], float64[::1], float64[::1]")
def from_increments(n, y, body, yb):
    """yb += cotangents of increments (12 a body) as those of the numbers of the state:  eta = 2 (a dv - v da - v x dv)
    of a quaternion (a, v) of any length."""
    for b in range(n):
        o = 13 * b
        q = 12 * b
        a = y[o + 3]
        v = y[o + 4], y[o + 5], y[o + 6]
        f = 2.0 / (a * a + dot(v, v))
        e = body[q + 3], body[q + 4], body[q + 5]
        c = vector(e, v)
        yb[o + 3] -= f * dot(v, e)
        for k in range(3):
            yb[o + k] += body[q + k]
            yb[o + 4 + k] += f * (a * e[k] - c[k])
        for k in range(6):
            yb[o + 7 + k] += body[q + 6 + k]


@jit
def pull_kinematics(bodies, y, kb, yb):
    """Rates of places are velocities, those of quaternions q (0, W)/2."""
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        yb[v + i] += kb[q + i]
    for b in range(bodies.n):
        o = 13 * b
        for c in range(3):
            yb[o + 7 + c] += kb[o + c]
        a = y[o + 3]
        v0 = y[o + 4]
        v1 = y[o + 5]
        v2 = y[o + 6]
        p = 0.5 * y[o + 10]
        q = 0.5 * y[o + 11]
        s = 0.5 * y[o + 12]
        k0 = kb[o + 3]
        k1 = kb[o + 4]
        k2 = kb[o + 5]
        k3 = kb[o + 6]
        yb[o + 3] += p * k1 + q * k2 + s * k3
        yb[o + 4] += -p * k0 - s * k2 + q * k3
        yb[o + 5] += -q * k0 + s * k1 - p * k3
        yb[o + 6] += -s * k0 - q * k1 + p * k2
        yb[o + 10] += 0.5 * (-v0 * k0 + a * k1 + v2 * k2 - v1 * k3)
        yb[o + 11] += 0.5 * (-v1 * k0 - v2 * k1 + a * k2 + v0 * k3)
        yb[o + 12] += 0.5 * (-v2 * k0 + v1 * k1 - v0 * k2 + a * k3)


@jit
def pull_bodies(bodies, y, acc, nu, P):
    """- nu . d(M a + W x J W - m g)."""
    for b in range(bodies.n):
        w = y[13 * b + 10], y[13 * b + 11], y[13 * b + 12]
        J = bodies.J[b, 0], bodies.J[b, 1], bodies.J[b, 2]
        m = nu[6 * b + 3], nu[6 * b + 4], nu[6 * b + 5]
        h = vector((J[0] * w[0], J[1] * w[1], J[2] * w[2]), m)
        c = vector(m, w)
        for k in range(3):
            P.out.body[12 * b + 9 + k] -= h[k] + J[k] * c[k]
            P.mass[b] -= nu[6 * b + k] * (acc[6 * b + k] - bodies.gravity[k])
            P.gravity[k] += bodies.mass[b] * nu[6 * b + k]
            for l in range(3):
                P.J[b, k, l] -= m[k] * acc[6 * b + 3 + l] + c[k] * w[l]


@jit
def to_increments(bodies, y, yb, z):
    """z <- cotangents of increments (moves: dr, dtheta in body axes) of those of positions, yb; ground's are zero."""
    k, q, v = tail_of(bodies)
    for i in range(6):
        z[k - 6 + i] = 0.0
    for i in range(bodies.tail):
        z[k + i] = yb[q + i]
    for b in range(bodies.n):
        o = 13 * b
        q = 6 * b
        a = y[o + 3]
        v0 = y[o + 4]
        v1 = y[o + 5]
        v2 = y[o + 6]
        k0 = yb[o + 3]
        k1 = yb[o + 4]
        k2 = yb[o + 5]
        k3 = yb[o + 6]
        for c in range(3):
            z[q + c] = yb[o + c]
        z[q + 3] = 0.5 * (-v0 * k0 + a * k1 + v2 * k2 - v1 * k3)
        z[q + 4] = 0.5 * (-v1 * k0 - v2 * k1 + a * k2 + v0 * k3)
        z[q + 5] = 0.5 * (-v2 * k0 + v1 * k1 - v0 * k2 + a * k3)


@jit
def keep_length(n, y, yb):
    """yb <- cotangent before quaternions were made of unit length."""
    for b in range(n):
        o = 13 * b + 3
        d = yb[o] * y[o] + yb[o + 1] * y[o + 1] + yb[o + 2] * y[o + 2] + yb[o + 3] * y[o + 3]
        for c in range(4):
            yb[o + c] -= d * y[o + c]
