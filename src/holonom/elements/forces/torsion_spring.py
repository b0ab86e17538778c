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
ELEMENT, TURNS = "SPRINGDAMPER", True


def takes(element) -> bool:
    """Those about an axis."""
    return element.kind != "TRANSLATIONAL"


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
    T = t[k, 2] - t[k, 1] * _rate(i, j, fr)
    if t[k, 0] != 0.0:  # a mere damper needs no angle
        T -= t[k, 0] * (angle(AZ, i, j, fr.A, ref[k, 2]) - t[k, 3])
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
def add_stiffness(t, i, j, fr, R, ref, W, pos, K, C):
    """K -= dF/dq, C -= dF/du of all springs, at positions ``pos`` (n, 144): what `tangent` and `frames.project_tangent`
    give, without the zeros.

    With theta the rotations of the bodies and z_i, z_j the axis in theirs, the torques M_i = T z_i and M_j = -T z_j
    change by

        dM_i = z_i dT + T z_i x (theta_i - theta_j),   dM_j = -z_j dT,
        dT = q . (theta_i - theta_j) - ct z . (dw_i - dw_j),   q = ct z x w_i - kt g,   g = d AZ / d theta_i.
    """
    for k in range(t.shape[0]):
        f = i[k]
        h = j[k]
        a = fr.body[f]
        b = fr.body[h]
        wrench(t, k, f, h, fr, ref, W)
        z0, z1, z2 = fr.A[h, 2], fr.A[h, 5], fr.A[h, 8]
        T = W[3] * z0 + W[4] * z1 + W[5] * z2
        q0, q1, q2 = cross(z0, z1, z2, fr.w[f, 0], fr.w[f, 1], fr.w[f, 2])
        ct = t[k, 1]
        q0, q1, q2 = ct * q0, ct * q1, ct * q2
        if t[k, 0] != 0.0:
            g = angle_gradient(AZ, f, h, fr.A)
            q0 -= t[k, 0] * g[0]
            q1 -= t[k, 0] * g[1]
            q2 -= t[k, 0] * g[2]
        for r in range(3):
            zi = R[a, r] * z0 + R[a, r + 3] * z1 + R[a, r + 6] * z2
            zj = R[b, r] * z0 + R[b, r + 3] * z1 + R[b, r + 6] * z2
            # T x z in ground axes for the axis x of body a: rows of the geometric part
            x0, x1, x2 = cross(R[a, r], R[a, r + 3], R[a, r + 6], T * z0, T * z1, T * z2)
            for c in range(3):
                yi = R[a, c] * q0 + R[a, c + 3] * q1 + R[a, c + 6] * q2
                yj = R[b, c] * q0 + R[b, c + 3] * q1 + R[b, c + 6] * q2
                ui = R[a, c] * z0 + R[a, c + 3] * z1 + R[a, c + 6] * z2
                uj = R[b, c] * z0 + R[b, c + 3] * z1 + R[b, c + 6] * z2
                xi = R[a, c] * x0 + R[a, c + 3] * x1 + R[a, c + 6] * x2
                xj = R[b, c] * x0 + R[b, c + 3] * x1 + R[b, c + 6] * x2
                o = 39 + 12 * r + c  # rotational rows and columns of i in 12 x 12
                K[pos[k, o]] -= zi * yi + xi
                K[pos[k, o + 6]] += zi * yj + xj
                K[pos[k, o + 72]] += zj * yi
                K[pos[k, o + 78]] -= zj * yj
                C[pos[k, o]] += ct * zi * ui
                C[pos[k, o + 6]] -= ct * zi * uj
                C[pos[k, o + 72]] -= ct * zj * ui
                C[pos[k, o + 78]] += ct * zj * uj


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
