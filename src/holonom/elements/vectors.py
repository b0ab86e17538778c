"""Small vector arithmetic for kernels: scalars in, scalars out, so that nothing is allocated.

A rotation matrix is a row of nine numbers (row order); axis k of a frame is the column (A[k], A[3+k], A[6+k]).
"""

from __future__ import annotations

import math

from .._jit import jit


@jit
def cross(a0, a1, a2, b0, b1, b2):
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@jit
def rotate(A, k, a, b, c):
    """A[k] @ (a, b, c)"""
    return (
        A[k, 0] * a + A[k, 1] * b + A[k, 2] * c,
        A[k, 3] * a + A[k, 4] * b + A[k, 5] * c,
        A[k, 6] * a + A[k, 7] * b + A[k, 8] * c,
    )


@jit
def unrotate(A, k, a, b, c):
    """A[k].T @ (a, b, c)"""
    return (
        A[k, 0] * a + A[k, 3] * b + A[k, 6] * c,
        A[k, 1] * a + A[k, 4] * b + A[k, 7] * c,
        A[k, 2] * a + A[k, 5] * b + A[k, 8] * c,
    )


@jit
def turn_quaternion(q, o, t0, t1, t2):
    """q[o:o+4] <- q * exp(t/2), the quaternion turned by the rotation vector t given in body axes; renormalised."""
    s = t0 * t0 + t1 * t1 + t2 * t2
    if s < 1e-4:  # series: the closed form loses digits at small angles
        f = 0.5 - s / 48.0 + s * s / 3840.0
        c = 1.0 - s / 8.0 + s * s / 384.0
    else:
        angle = math.sqrt(s)
        f = math.sin(0.5 * angle) / angle
        c = math.cos(0.5 * angle)
    b0 = f * t0
    b1 = f * t1
    b2 = f * t2
    a = q[o]
    a0 = q[o + 1]
    a1 = q[o + 2]
    a2 = q[o + 3]
    r = a * c - a0 * b0 - a1 * b1 - a2 * b2
    r0 = a * b0 + a0 * c + a1 * b2 - a2 * b1
    r1 = a * b1 - a0 * b2 + a1 * c + a2 * b0
    r2 = a * b2 + a0 * b1 - a1 * b0 + a2 * c
    g = 1.0 / math.sqrt(r * r + r0 * r0 + r1 * r1 + r2 * r2)
    q[o] = g * r
    q[o + 1] = g * r0
    q[o + 2] = g * r1
    q[o + 3] = g * r2
