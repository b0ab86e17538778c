"""Explicit one-step methods as kernels: any Runge-Kutta table, or kick and drift, on the index-1 form or on a minimal
set.

On the index-1 form the state is the whole vector y, and after every accepted step one mass-weighted projection of
positions and velocities onto the constraints follows (Eich 1993): it costs a few per cent and keeps ten to two hundred
times more digits than the drifting solution.  Which rows are redundant is decided once a step, at the projected point,
and kept in the stages.  On a minimal set (see `partition`) the state is shorter, and every stage lies on the
constraints.

Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, sec. II.4-6 and II.10.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .._jit import jit
from ..elements.bodies.coordinates import kick as kick_speeds
from ..elements.bodies.coordinates import normalise, rates, retract, speeds_of
from ..elements.joints.rows import PRESENT
from ..system.contact_entry import accept_contacts
from ..system.kernels import (
    accept_angles,
    evaluate_constraints,
    evaluate_dynamics,
    evaluate_frames,
    factor_schur,
    find_gap,
    position_correction,
    project_velocity,
    rate,
)
from ..system.part_calls import accept_references
from ._minimal import is_minimal, length, rate_of, square_of, turned, whole_state
from .reduced import ACCEPT, DECIDE, STAGE

Tableau = namedtuple("Tableau", "order stages A B C E3 E5 extra AX CX D like fsal kick")
Tableau.__doc__ = """One method.  order: of the solution; stages; A, B, C: the table; E3, E5 (stages + 1): weights of
the rates in two error estimates (E3 zero: one estimate, both zero: none); extra: stages of the interpolant, AX, CX
their table; D: weights in its upper coefficients; like: the stage at the end of the step whose rate is compared with
the rate of the solution to see stiffness (-1: none); fsal: 1 when the estimates want the rate of the solution itself;
kick: 0 Runge-Kutta, 1 semi-implicit Euler, 2 velocity Verlet."""

Stages = namedtuple("Stages", "K x ya yn yold d weight fast count dense warp first")
Stages.__doc__ = """Work arrays.  K (16, ny): rates of the stages, then of the end, then of the interpolant; x (ny):
state of a minimal set; ya, yn, yold: a stage, the end, the beginning; weight (ny) of the error norm; fast (ny): 1 for
velocities and states, which tell stiffness (orientations turn fast without being stiff); count (3): components that the
norm counts, ``limit`` and ``reach`` of `project_state`; dense (7, ny);
warp (2): variable in which steps are taken, see `span_of`; first (ny): rates kept while they are those in that
variable."""


MOST = 12  # stages of a method


def make_stages(ny: int, nq: int) -> Stages:
    z = np.zeros
    return Stages(
        z((16, ny)),
        z(ny),
        z(ny),
        z(ny),
        z(ny),
        z(nq),
        z(ny),
        z(ny),
        np.array([1.0, np.inf, np.inf]),
        z((7, ny)),
        z(2),
        z(ny),
    )


def make_tableau(order, A, B, C, E=(), E3=(), AX=(), CX=(), D=(), like=-1, fsal=0, kick=0) -> Tableau:
    """Tables of the lengths that kernels expect, from lists as short as the method needs."""
    n = len(B)

    def padded(values, *shape):
        out = np.zeros(shape)
        for k, row in enumerate(values):
            if len(shape) == 1:
                out[k] = row
            else:
                out[k, : len(row)] = row
        return out

    return Tableau(
        order,
        n,
        padded(A, MOST, MOST),
        padded(B, MOST),
        padded(C, MOST),
        padded(E3, MOST + 1),
        padded(E, MOST + 1),
        len(CX),
        padded(AX, 3, 16),
        padded(CX, 3),
        padded(D, 4, 16),
        like,
        fsal,
        kick,
    )


CLOSING = 4  # corrections of positions more than were asked for
OPEN = -4.0  # in place of a pivot: joints are open at the end of a step

EULER = make_tableau(1, [[]], [1], [0])


@jit(apart=True)
def project_state(S, W, y, t, d, eps, sweeps, yd, limit, reach):
    """Put y on the constraints: ``sweeps`` position corrections, one velocity projection; then rates at that point.

    Quasi-Newton with the factor of the point itself.  Joints that are still open by more than ``limit`` get up to
    `CLOSING` corrections more; where they stay open, or were open by more than ``reach`` (no step may leave that to be
    fixed: it might be moved to another position of the mechanism), nothing is accepted and the first number is
    `OPEN`.  Returns smallest pivot ratio, skipped rows, size of the last position correction and constraint velocity
    found.
    """
    worst = 1.0
    skipped = 0
    size = 0.0
    speed = 0.0
    normalise(S.bodies, y)
    evaluate_frames(S, W, y)
    if S.rows.m > 0:
        evaluate_constraints(S, W, t, y)
        if limit < 1e300 and not (find_gap(S, W) < reach):
            return OPEN, skipped, size, speed
        k = 0
        while k < sweeps or (k < sweeps + CLOSING and not (find_gap(S, W) <= limit)):
            worst, skipped = factor_schur(S, W, eps, 0)
            size = position_correction(S, W, d)
            retract(S.bodies, y, d)
            evaluate_frames(S, W, y)
            evaluate_constraints(S, W, t, y)
            k += 1
        if limit < 1e300 and not (find_gap(S, W) <= limit):
            return OPEN, skipped, size, speed
        worst, skipped = factor_schur(S, W, eps, 0)
        speed = project_velocity(S, W, y)
        evaluate_frames(S, W, y)
        evaluate_constraints(S, W, t, y)
    evaluate_dynamics(S, W, t, y, yd)
    rates(S.bodies, y, W.acc, yd)
    W.rw.clock[PRESENT] = t
    accept_angles(W)
    accept_references(S, W)
    accept_contacts(S, W, t, y)
    return worst, skipped, size, speed


@jit
def combine(out, keep, x, K, w, n, h):
    """out <- keep x + h sum_l w[l] K[l], l < n: weights that are not zero, four at a time, since memory is what this
    costs."""
    ny = out.shape[0]
    l = 0
    first = True
    while l < n or first:
        k0 = k1 = k2 = k3 = 0
        a0 = a1 = a2 = a3 = 0.0
        found = 0
        while l < n and found < 4:
            if w[l] != 0.0:
                a3 = a2
                k3 = k2
                a2 = a1
                k2 = k1
                a1 = a0
                k1 = k0
                a0 = h * w[l]
                k0 = l
                found += 1
            l += 1
        if found == 0 and not first:
            break
        p = K[k0]
        q = K[k1]
        r = K[k2]
        s = K[k3]
        if found > 2:
            if first:
                for c in range(ny):
                    out[c] = keep * x[c] + (a0 * p[c] + a1 * q[c] + a2 * r[c] + a3 * s[c])
            else:
                for c in range(ny):
                    out[c] += a0 * p[c] + a1 * q[c] + a2 * r[c] + a3 * s[c]
        elif first:
            for c in range(ny):
                out[c] = keep * x[c] + (a0 * p[c] + a1 * q[c])
        else:
            for c in range(ny):
                out[c] += a0 * p[c] + a1 * q[c]
        first = False


@jit
def span_of(T, t, h):
    """Beginning and length of the step from t to t + h in the variable in which it is taken: time, or with warp[0] = 1
    the root of the time since warp[1], with -1 minus the root of the time until then.

    A contact force d^1.5 begins and ends like the power 1.5 of time, which no polynomial follows; in the root it is a
    cube.
    """
    if T.warp[0] == 0.0:
        return t, h
    a = T.warp[0] * math.sqrt(max(T.warp[0] * (t - T.warp[1]), 0.0))
    b = T.warp[0] * math.sqrt(max(T.warp[0] * (t + h - T.warp[1]), 0.0))
    return a, b - a


@jit(apart=True)
def stage_rate(S, W, P, s, x, out, eps):
    """out <- rates at a stage, s its place in the variable of the step; returns the smallest pivot ratio, not positive
    when there is none."""
    warp = P.T.warp
    t = s if warp[0] == 0.0 else warp[1] + warp[0] * s * s
    if is_minimal(P.M):
        worst, skipped = rate_of(P.M, S, W, t, x, out, eps, STAGE)
    else:
        worst, skipped = rate(S, W, t, x, out, eps, 1)
    if warp[0] != 0.0:
        for c in range(out.shape[0]):
            out[c] *= 2.0 * abs(s)
    return worst


@jit(apart=True)
def finish(S, W, P, x, y, t, eps, out):
    """The end of a step becomes a point on the constraints, with its rates in ``out``.  Returns pivot ratio, skipped
    rows."""
    if is_minimal(P.M):
        keep = 1 if P.fsal or P.like == P.stages - 1 else 0  # the last evaluation was near
        worst, skipped = rate_of(P.M, S, W, t, x, out, eps, DECIDE + ACCEPT + keep)
        if worst > 0.0:
            whole_state(P.M, y)
        return worst, skipped
    worst, skipped, size, speed = project_state(S, W, y, t, P.T.d, eps, 1, out, P.T.count[1], P.T.count[2])
    return worst, skipped


@jit
def step(S, W, P, y, t, h, eps):
    """One trial step from (t, y) with K[0] current.  On success (error < 1) y and the rate after the last stage's are
    those of the projected end.  Returns error norm, smallest pivot ratio, skipped rows, stiffness estimate h*|lambda|.
    """
    if P.kick > 0:
        return kick(S, W, P, y, t, h, eps)
    T = P.T
    if T.warp[0] == 0.0:
        return trial(S, W, P, y, t, h, eps, t, h)
    s, ds = span_of(T, t, h)
    for c in range(y.shape[0]):
        T.first[c] = T.K[0, c]
        T.K[0, c] *= 2.0 * abs(s)
    err, worst, skipped, stiff = trial(S, W, P, y, t, h, eps, s, ds)
    if not (err < 1.0):
        for c in range(y.shape[0]):
            T.K[0, c] = T.first[c]
    return err, worst, skipped, stiff


@jit(apart=True)
def trial(S, W, P, y, t, end, eps, s0, h):
    """`step` from t by ``end``, from s0 by h in the variable in which it is taken."""
    T = P.T
    K = T.K
    M = P.M
    x = T.x if is_minimal(M) else y
    ny = length(M, y.shape[0])
    n = P.stages
    low = 1.0
    for s in range(1, n):
        combine(T.ya[:ny], 1.0, x, K, P.A[s], s, h)
        worst = stage_rate(S, W, P, s0 + P.C[s] * h, T.ya, K[s], eps)
        if not (worst > 0.0):
            return 1e30, worst, 0, 0.0
        low = min(low, worst)
    combine(T.yn[:ny], 1.0, x, K, P.B, n, h)
    if P.fsal:
        worst = stage_rate(S, W, P, s0 + h, T.yn, K[n], eps)
        if not (worst > 0.0):
            return 1e30, worst, 0, 0.0
    d5 = T.dense[5]
    d3 = T.dense[6]
    combine(d5[:ny], 0.0, x, K, P.E5, n + P.fsal, 1.0)
    combine(d3[:ny], 0.0, x, K, P.E3, n + P.fsal, 1.0)
    e5 = square_of(M, T.yn, d5, T.weight, ny)
    e3 = square_of(M, T.yn, d3, T.weight, ny)
    err = 0.0
    if not (e5 == 0.0 and e3 == 0.0):  # also when they are not numbers: such a step must be rejected
        err = abs(h) * e5 / math.sqrt((e5 + 0.01 * e3) * T.count[0])
    if err < 1.0:
        err = max(err, turned(M, x, T.yn, end) ** P.order)
    if not (err < 1.0):
        return err, low, 0, 0.0
    num = 0.0
    den = 0.0
    if P.like >= 0:
        if P.like < n - 1:  # the stage is not the last one: build its point again
            combine(T.ya[:ny], 1.0, x, K, P.A[P.like], P.like, h)
        for c in range(ny):
            den += T.fast[c] * ((T.yn[c] - T.ya[c]) * T.weight[c]) ** 2
    for c in range(ny):
        T.yold[c] = x[c]
        x[c] = T.yn[c]
    worst, skipped = finish(S, W, P, x, y, t + end, eps, K[n])
    if not (worst > 0.0) and (is_minimal(M) or worst == OPEN):
        for c in range(ny):
            x[c] = T.yold[c]
        return 1e30, worst, 0, 0.0
    stiff = 0.0
    if den > 0.0:
        rate = (
            1.0 if T.warp[0] == 0.0 else 2.0 * abs(s0 + h)
        )  # of time, in the variable of the step at its end; stages hold their rates by that
        if rate > 0.0:
            for c in range(ny):
                num += T.fast[c] * ((K[n, c] - K[P.like, c] / rate) * T.weight[c]) ** 2
            stiff = abs(end) * math.sqrt(num / den)
    return err, min(low, worst), skipped, stiff


@jit(later=("float64", "float64", "int64", "float64"))
def kick(S, W, P, y, t, h, eps):
    """Semi-implicit Euler: velocities by the old forces, positions by the new velocities.  Velocity Verlet: half a
    kick, a drift, half a kick by the forces at its end; where these depend on velocities they get the velocities of a
    full kick by the old forces, which keeps second order.  States of differential equations: Euler; Heun.  Rotations by
    the exponential.
    """
    T = P.T
    bodies = S.bodies
    ny = y.shape[0]
    K0 = T.K[0]
    K1 = T.K[1]
    part = 0.5 * h if P.kick == 2 else h
    for c in range(ny):
        T.yold[c] = y[c]
    kick_speeds(bodies, part, K0, y)
    speeds_of(bodies, y, T.d)
    for c in range(bodies.moves):
        T.d[c] *= h
    retract(bodies, y, T.d)
    for c in range(bodies.end, ny):
        y[c] += h * K0[c]
    low = 1.0
    if P.kick == 2:
        for c in range(ny):
            T.ya[c] = y[c]
        kick_speeds(bodies, part, K0, T.ya)
        low, skipped = rate(S, W, t + h, T.ya, K1, eps, 1)
        kick_speeds(bodies, part, K1, y)
        for c in range(bodies.end, ny):
            y[c] += part * (K1[c] - K0[c])
    total = 0.0
    for c in range(ny):
        total += 0.0 * y[c]
    if not (low > 0.0 and total == 0.0):  # a force that is not a number must not be accepted
        for c in range(ny):
            y[c] = T.yold[c]
        return total + 1e30, low, 0, 0.0
    worst, skipped, size, speed = project_state(S, W, y, t + h, T.d, eps, 1, T.K[P.stages], T.count[1], T.count[2])
    if worst == OPEN:
        for c in range(y.shape[0]):
            y[c] = T.yold[c]
        return 1e30, worst, skipped, 0.0
    return 0.0, min(low, worst), skipped, 0.0


@jit
def prepare_dense(S, W, P, y, t, h, eps):
    """Coefficients of the interpolant of the last step (from yold to y, t the old time): a cubic through both ends, and
    what D adds to it."""
    T = P.T
    K = T.K
    M = P.M
    x = T.x if is_minimal(M) else y
    ny = length(M, y.shape[0])
    n = P.stages
    s0, h = span_of(T, t, h)
    for c in range(ny):
        T.first[c] = K[n, c]
    if T.warp[0] != 0.0:
        for c in range(ny):
            K[n, c] *= 2.0 * abs(s0 + h)
    for s in range(P.extra):
        combine(T.ya[:ny], 1.0, T.yold, K, P.AX[s], n + 1 + s, h)
        stage_rate(S, W, P, s0 + P.CX[s] * h, T.ya, K[n + 1 + s], eps)
    for c in range(ny):
        dy = x[c] - T.yold[c]
        T.dense[0, c] = dy
        T.dense[1, c] = h * K[0, c] - dy
        T.dense[2, c] = 2 * dy - h * (K[n, c] + K[0, c])
    for k in range(4):
        d = T.dense[3 + k]
        combine(d[:ny], 0.0, x, K, P.D[k], n + 1 + P.extra, h)
    for c in range(ny):
        K[n, c] = T.first[c]


@jit(entry="Stages, float64, float64[::1]")
def interpolate(T, x, out):
    """State at fraction x of the last step."""
    for c in range(out.shape[0]):
        v = 0.0
        for k in range(7):
            v += T.dense[6 - k, c]
            v *= x if k % 2 == 0 else 1.0 - x
        out[c] = T.yold[c] + v
