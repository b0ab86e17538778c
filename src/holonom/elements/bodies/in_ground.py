"""Bodies in ground axes, as rows of results have them, and how fast they turn."""

from __future__ import annotations

import math

from ..._jit import jit
from . import layout
from .layout import MOVES, STATE

#: where velocities and angular velocities begin in the state of a body
SPEEDS, SPINS = layout.VELOCITY.start, layout.SPIN.start
#: columns of a body: position, quaternion, velocity, acceleration, angular velocity and acceleration in ground axes
PLACE, QUATERNION, VELOCITY, ACCELERATION, SPIN, SPIN_RATE, BODY_DATA = 0, 3, 7, 10, 13, 16, 19


@jit(
    entry="float64[::1], float64[:, ::1], float64[::1], float64[:, ::1], int64[::1], int64[::1], float64[:, :, ::1], "
    "float64[:, ::1], float64[:, ::1]"
)
def read_bodies(y, R, acc, bias, row, body, axes, last, out):
    """Bodies (k,) of the state y, their rotations R (.., 9) and accelerations acc into ``row`` (k,) of out (.., 19).

    ``bias`` (k, 6): accelerations that are not in acc; ``axes`` (k, 3, 3): of the body in those of the state;
    ``last`` (.., 4): quaternions of the row before, whose signs are continued.  Quaternions by Shepperd's method, as
    `model.orientation.to_quaternion`."""
    for k in range(body.shape[0]):
        n, at, move = row[k], STATE * body[k], MOVES * body[k]
        A = R[body[k]]
        for i in range(3):
            out[n, PLACE + i] = y[at + i]
            out[n, VELOCITY + i] = y[at + SPEEDS + i]
            out[n, ACCELERATION + i] = acc[move + i] + bias[k, i]
            spin = rate = 0.0
            for j in range(3):
                spin += A[3 * i + j] * y[at + SPINS + j]
                rate += A[3 * i + j] * (acc[move + 3 + j] + bias[k, 3 + j])
            out[n, SPIN + i] = spin
            out[n, SPIN_RATE + i] = rate
        L = axes[k]
        m00 = A[0] * L[0, 0] + A[1] * L[0, 1] + A[2] * L[0, 2]
        m01 = A[0] * L[1, 0] + A[1] * L[1, 1] + A[2] * L[1, 2]
        m02 = A[0] * L[2, 0] + A[1] * L[2, 1] + A[2] * L[2, 2]
        m10 = A[3] * L[0, 0] + A[4] * L[0, 1] + A[5] * L[0, 2]
        m11 = A[3] * L[1, 0] + A[4] * L[1, 1] + A[5] * L[1, 2]
        m12 = A[3] * L[2, 0] + A[4] * L[2, 1] + A[5] * L[2, 2]
        m20 = A[6] * L[0, 0] + A[7] * L[0, 1] + A[8] * L[0, 2]
        m21 = A[6] * L[1, 0] + A[7] * L[1, 1] + A[8] * L[1, 2]
        m22 = A[6] * L[2, 0] + A[7] * L[2, 1] + A[8] * L[2, 2]
        trace = m00 + m11 + m22
        if trace >= m00 and trace >= m11 and trace >= m22:
            q0, q1, q2, q3 = 1.0 + trace, m21 - m12, m02 - m20, m10 - m01
        elif m00 >= m11 and m00 >= m22:
            q0, q1, q2, q3 = m21 - m12, 1.0 + m00 - m11 - m22, m10 + m01, m02 + m20
        elif m11 >= m22:
            q0, q1, q2, q3 = m02 - m20, m10 + m01, 1.0 - m00 + m11 - m22, m21 + m12
        else:
            q0, q1, q2, q3 = m10 - m01, m02 + m20, m21 + m12, 1.0 - m00 - m11 + m22
        size = math.sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
        old = last[n]
        sign = q0 if math.isnan(old[0]) else old[0] * q0 + old[1] * q1 + old[2] * q2 + old[3] * q3
        size = -size if sign < 0.0 or (sign == 0.0 and q0 < 0.0) else size
        out[n, QUATERNION] = q0 / size
        out[n, QUATERNION + 1] = q1 / size
        out[n, QUATERNION + 2] = q2 / size
        out[n, QUATERNION + 3] = q3 / size


@jit(entry="float64[::1], int64, int64[::1], float64[:, ::1]")
def fastest(y, bodies, turning, ref):
    """Largest rate at which an angle may turn in state y: twice the largest component of an angular velocity of the
    first ``bodies``, or that of a row ``turning`` of ref."""
    most = 0.0
    for b in range(bodies):
        for c in range(3):
            most = max(most, 2.0 * abs(y[STATE * b + SPINS + c]))
    for n in range(turning.shape[0]):
        most = max(most, abs(ref[turning[n], 1]))
    return most
