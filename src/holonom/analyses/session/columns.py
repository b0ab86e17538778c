"""Where the columns of a row of results lie in the arrays of a system, found once and read at every row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._jit import briefly, jit
from ...elements.bodies.layout import STATE

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
        n, at, move = row[k], STATE * body[k], 6 * body[k]
        A = R[body[k]]
        for i in range(3):
            out[n, PLACE + i] = y[at + i]
            out[n, VELOCITY + i] = y[at + 7 + i]
            out[n, ACCELERATION + i] = acc[move + i] + bias[k, i]
            spin = rate = 0.0
            for j in range(3):
                spin += A[3 * i + j] * y[at + 10 + j]
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


class ElementRows:
    """Which rows of a table belong to some elements, in their order; the system may not have all of them."""

    def __init__(self, row_of: Mapping[Any, int], keys: list[Any], absent: float = 0.0):
        self.rows = np.array([row_of.get(key, -1) for key in keys], np.int64)
        self._missing = np.flatnonzero(self.rows < 0)
        self._absent = absent

    def of(self, table: np.ndarray) -> np.ndarray:
        """A copy of these rows (n, ..), with ``absent`` for what the system has not."""
        if len(self._missing) == len(self.rows):
            return np.full((len(self.rows), *table.shape[1:]), self._absent)
        out = table[self.rows]
        out[self._missing] = self._absent
        return out


class BodyColumns:
    """Bodies of results in a system: ``read`` gives their columns."""

    def __init__(self, system: Any, bodies: list[Any]):
        self._system = system
        there = [(k, system.body_index.get((e.KIND, e.id))) for k, e in enumerate(bodies)]
        there = [(k, b) for k, b in there if b is not None]
        self._count = len(bodies)
        self._row = np.array([k for k, _ in there], np.int64)
        self._body = np.array([b for _, b in there], np.int64)
        self._axes = np.array([system.local[b].axes for _, b in there]).reshape(-1, 3, 3)
        self._bias = np.zeros((len(there), 6))
        carriers = system.bodies.carriers
        nodes = {} if carriers is None else {b: k for k, b in enumerate(carriers.nodes.body.tolist())}
        self._nodes = ElementRows(nodes, self._body.tolist())
        self._unknown = np.full((len(bodies), 4), np.nan)

    def read(self, y: np.ndarray, last: np.ndarray | None) -> np.ndarray:
        """(bodies, BODY_DATA) at the last evaluation, which was at y; NaN where the system has not the body.
        ``last``: quaternions of the row before."""
        system = self._system
        if system.bodies.carriers is not None:
            self._bias = self._nodes.of(system.bodies.carriers.nodes.bias)
        out = np.full((self._count, BODY_DATA), np.nan)
        last = self._unknown if last is None else np.ascontiguousarray(last)
        given = y, system.W.R, system.W.acc, self._bias, self._row, self._body, self._axes, last, out
        briefly(read_bodies, len(self._row), *given)
        return out
