"""DOP853: explicit Runge-Kutta of order 8 (error estimators 5 and 3, dense output 7) on the index-1 form, with projection.

Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, sec. II.5-6 and II.10; table from scipy.integrate.DOP853.
After every accepted step one mass-weighted projection of positions and velocities onto the constraints (Eich 1993): it
costs a few per cent and keeps ten to two hundred times more digits than the drifting solution.  Which rows are redundant is
decided once a step, at the projected point, and kept in the stages.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .._jit import jit
from ..elements.bodies.rigid import move, normalise, state_rate
from ..system.dispatch import accept_references
from ..system.kernels import (
    accept_angles,
    evaluate_constraints,
    evaluate_dynamics,
    evaluate_frames,
    factor_schur,
    position_correction,
    project_velocity,
    rate,
)

ORDER = 8

Stages = namedtuple("Stages", "K ya yn yold d weight dense")


def make_stages(ny: int, nq: int) -> Stages:
    """Work arrays: K (16, ny) stage rates, trial states, weight (ny,) of the error norm, dense (7, ny)."""
    z = np.zeros
    return Stages(z((16, ny)), z(ny), z(ny), z(ny), z(nq), z(ny), z((7, ny)))


@jit
def settle(S, W, y, t, d, eps, sweeps, yd):
    """Put y on the constraints: ``sweeps`` position corrections, one velocity projection; then rates at that point.

    Quasi-Newton with the factor of the point itself.  Returns smallest pivot ratio, skipped rows, size of the last
    position correction and constraint velocity found.
    """
    worst = 1.0
    skipped = 0
    size = 0.0
    speed = 0.0
    normalise(S.bodies.n, y)
    evaluate_frames(S, W, y)
    if S.rows.m > 0:
        evaluate_constraints(S, W, t, y)
        for _ in range(sweeps):
            worst, skipped = factor_schur(S, W, eps, 0)
            size = position_correction(S, W, d)
            move(S.bodies.n, y, d)
            evaluate_frames(S, W, y)
            evaluate_constraints(S, W, t, y)
        worst, skipped = factor_schur(S, W, eps, 0)
        speed = project_velocity(S, W, y)
        evaluate_frames(S, W, y)
        evaluate_constraints(S, W, t, y)
    evaluate_dynamics(S, W, t, y, yd)
    state_rate(S.bodies.n, y, W.acc, yd)
    W.rw.clock[1] = t
    accept_angles(W)
    accept_references(S.fn, S.pairs, S, W)
    return worst, skipped, size, speed


@jit
def step(S, W, T, y, t, h, eps, A, B, C, E3, E5):
    """One trial step from (t, y) with K[0] current.  On success (error < 1) y and K[12] are those of the projected end.

    Returns error norm, smallest pivot ratio, skipped rows, stiffness estimate h*|lambda|.
    """
    ny = y.shape[0]
    K = T.K
    n = S.bodies.n
    low = 1.0
    skipped = 0
    for s in range(1, 12):
        for c in range(ny):
            T.ya[c] = 0.0
        for l in range(s):
            a = A[s, l]
            if a != 0.0:
                for c in range(ny):
                    T.ya[c] += a * K[l, c]
        for c in range(ny):
            T.ya[c] = y[c] + h * T.ya[c]
        worst, skipped = rate(S, W, t + C[s] * h, T.ya, K[s], eps, 1)
        if not (worst > 0.0):
            return 1e30, worst, skipped, 0.0
        low = min(low, worst)
    e5 = 0.0
    e3 = 0.0
    num = 0.0
    den = 0.0
    for c in range(ny):
        v = 0.0
        a5 = 0.0
        a3 = 0.0
        for l in range(12):
            k = K[l, c]
            v += B[l] * k
            a5 += E5[l] * k
            a3 += E3[l] * k
        T.yn[c] = y[c] + h * v
        w = T.weight[c]
        e5 += (a5 * w) ** 2
        e3 += (a3 * w) ** 2
        if c >= 13 * n + 13 or c % 13 >= 7:  # velocities and states: orientations turn fast without being stiff
            den += ((T.yn[c] - T.ya[c]) * w) ** 2
    err = 0.0
    if not (e5 == 0.0 and e3 == 0.0):  # also when they are not numbers: such a step must be rejected
        err = abs(h) * e5 / math.sqrt((e5 + 0.01 * e3) * (12 * n + S.nx))
    if not (err < 1.0):
        return err, low, skipped, 0.0
    for c in range(ny):
        T.yold[c] = y[c]
        y[c] = T.yn[c]
    worst, skipped, size, speed = settle(S, W, y, t + h, T.d, eps, 1, K[12])
    for c in range(ny):
        if c >= 13 * n + 13 or c % 13 >= 7:
            num += ((K[12, c] - K[11, c]) * T.weight[c]) ** 2
    stiff = 0.0
    if den > 0.0:
        stiff = abs(h) * math.sqrt(num / den)
    return err, min(low, worst), skipped, stiff


@jit
def prepare_dense(S, W, T, y, t, h, eps, A_extra, C_extra, D):
    """Coefficients of the seventh-order interpolant of the last step (from yold to y, t the old time)."""
    ny = y.shape[0]
    K = T.K
    for s in range(3):
        for c in range(ny):
            v = 0.0
            for l in range(13 + s):
                v += A_extra[s, l] * K[l, c]
            T.ya[c] = T.yold[c] + h * v
        rate(S, W, t + C_extra[s] * h, T.ya, K[13 + s], eps, 1)
    for c in range(ny):
        dy = y[c] - T.yold[c]
        T.dense[0, c] = dy
        T.dense[1, c] = h * K[0, c] - dy
        T.dense[2, c] = 2 * dy - h * (K[12, c] + K[0, c])
        for k in range(4):
            v = 0.0
            for l in range(16):
                v += D[k, l] * K[l, c]
            T.dense[3 + k, c] = h * v


@jit
def interpolate(T, x, out):
    """State at fraction x of the last step."""
    for c in range(out.shape[0]):
        v = 0.0
        for k in range(7):
            v += T.dense[6 - k, c]
            v *= x if k % 2 == 0 else 1.0 - x
        out[c] = T.yold[c] + v
