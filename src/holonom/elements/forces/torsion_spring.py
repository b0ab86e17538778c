"""SPRINGDAMPER, ROTATIONAL: spring and damper about the z axis of J, which I must share (a revolute joint sees to it).

T = -kt (AZ - angle) - ct WZ + torque;   T z_j on I, the opposite on J; AZ counts whole turns (``ref``).
Source: Adams Solver manual, SPRINGDAMPER statement.
Energy 1/2 kt (AZ - angle)^2 - torque (AZ - angle), exact while the z axes are parallel.
"""

from __future__ import annotations

from ..._jit import jit
from ..frames import add_wrench
from ..measures import angle, angle_gradient
from ..vectors import cross
from .relative import wrench_power

COLUMNS = (
    ("kt", "stiffness", "force*length/angle"),
    ("ct", "damping", "force*length*time/angle"),
    ("torque", "preload at AZ = angle", "force*length"),
    ("angle", "free angle", "angle"),
)
AZ = 23


def row(element, model=None) -> tuple[float, ...]:
    """Row of a rotational `model.SpringDamper`."""
    return float(element.kt), float(element.ct), float(element.torque), float(element.angle)


@jit
def _rate(i, j, fr):
    """WZ(i, j, j)"""
    x = 0.0
    for c in range(3):
        x += fr.A[j, 3 * c + 2] * (fr.w[i, c] - fr.w[j, c])
    return x


@jit
def wrench(t, k, i, j, fr, ref, W):
    T = t[k, 2] - t[k, 0] * (angle(AZ, i, j, fr.A, ref[k, 2]) - t[k, 3]) - t[k, 1] * _rate(i, j, fr)
    for c in range(3):
        W[c] = 0.0
        W[6 + c] = 0.0
        W[3 + c] = T * fr.A[j, 3 * c + 2]
        W[9 + c] = -W[3 + c]


@jit
def tangent(t, k, i, j, fr, ref, W, D):
    """dT = dT z_j + T theta_j x z_j,   d WZ = z_j . (dw_i - dw_j) + theta_j . (z_j x (w_i - w_j))."""
    wrench(t, k, i, j, fr, ref, W)
    z = (fr.A[j, 2], fr.A[j, 5], fr.A[j, 8])
    g = angle_gradient(AZ, i, j, fr.A)
    h = cross(z[0], z[1], z[2], fr.w[i, 0] - fr.w[j, 0], fr.w[i, 1] - fr.w[j, 1], fr.w[i, 2] - fr.w[j, 2])
    for a in range(12):
        for b in range(24):
            D[a, b] = 0.0
    for a in range(3):
        for b in range(3):
            D[3 + a, 3 + b] = -t[k, 0] * z[a] * g[b]
            D[3 + a, 9 + b] = (t[k, 0] * g[b] - t[k, 1] * h[b]) * z[a]
            D[3 + a, 15 + b] = -t[k, 1] * z[a] * z[b]
            D[3 + a, 21 + b] = t[k, 1] * z[a] * z[b]
    D[3, 10] += W[5]
    D[3, 11] -= W[4]
    D[4, 9] -= W[5]
    D[4, 11] += W[3]
    D[5, 9] += W[4]
    D[5, 10] -= W[3]
    for a in range(3):
        for b in range(24):
            D[9 + a, b] = -D[3 + a, b]


@jit
def energy(t, k, i, j, fr, ref):
    x = angle(AZ, i, j, fr.A, ref[k, 2]) - t[k, 3]
    return (0.5 * t[k, 0] * x - t[k, 2]) * x


@jit
def power(t, k, i, j, fr, ref, W):
    w = _rate(i, j, fr)
    x = -t[k, 1] * w * w
    return wrench_power(i, j, fr, W) - x, x


@jit
def add_all(t, i, j, fr, R, ref, Q, out):
    for k in range(t.shape[0]):
        W = out[k]
        wrench(t, k, i[k], j[k], fr, ref, W)
        add_wrench(fr, R, i[k], 0.0, 0.0, 0.0, W[3], W[4], W[5], Q)
        add_wrench(fr, R, j[k], 0.0, 0.0, 0.0, W[9], W[10], W[11], Q)
