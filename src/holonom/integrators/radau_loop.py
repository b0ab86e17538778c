"""Steps of RADAU5 one after the other as a kernel: `ImplicitStepper.step` with RADAU5's control of the step, without
Python between two steps and with the same numbers.

Pivots of the factorisation are those that were found last in Python.  Where they decay so far that a step does not
converge, the step becomes smaller; new ones are not chosen.  Blocks of contacts in the matrix stay as they are.

Size control: Hairer, Wanner, Solving Ordinary Differential Equations II (1996), IV.8.
"""

from __future__ import annotations

import math

import numpy as np

from .._handle import view_P, view_S, view_W
from .._jit import jit
from ..elements.bodies.coordinates import SPEED
from ..elements.bodies.increments import largest_spin
from ..elements.bodies.layout import MOVES, STATE
from ..elements.bodies.mass import multiply_mass
from ..linalg.lu import Symbolic
from ..system.implicit import REDUNDANT, decide_rows, residual
from ..system.kernels import find_gap
from . import radau
from . import runge_kutta as rk
from .explicit_loop import (
    BEGUN,
    CONTROLS,
    DONE,
    ENOUGH,
    ERROR,
    FAILED,
    FIXED,
    LEAST,
    MOST,
    PAUSED,
    REACHED,
    REJECTED,
    STEPPED,
    STEPS,
    TOO_SMALL,
    TURN,
    TURNED,
    TURNING,
    UNBOUNDED,
    WANTED,
)
from .newton import CONVERGED, INACCURATE, LEAST_STEPS, NOT_FINITE

#: positions in ``control`` behind those of `explicit_loop`: largest step after a failure of the corrector and its
#: growth; size of the step from which stages are extrapolated (0: none) and of the last one; error of the last step;
#: 1 after a rejected trial; steps of the least size in a row; the error that the weights have; angle that a body may
#: turn in a step (0: any); iterations that make a new matrix, as bits; 1 where many iterations keep the cap; 1 where
#: the least size is the user's wish; 2 (a power, as a number that the compiler does not know)
CAP, CAP_GROWTH, HOLD, HELD, BEFORE, SPOILED, LEASTS, WEIGHED, MOST_TURN, PATTERN, TOUCHING, WISHED, SQUARE = range(
    CONTROLS, CONTROLS + 13
)
RADAU_CONTROLS = CONTROLS + 13
#: arrays of the handle of a step that no step changes (patterns), and those that each trial writes before it reads them
FIXED_ARRAYS = (*(f"P.{lu}.{name}" for lu in ("lu", "luc") for name in Symbolic._fields), "P.I.im.")
WORK_ARRAYS = (
    *(f"P.{lu}.{name}" for lu in ("lu", "luc") for name in ("Lx", "Ux", "Ud", "x", "y", "where")),
    *("P.R.", "P.B.", "P.I.im.ws", "P.I.K", "P.I.C", "P.I.data", "P.I.res", "P.I.sol", "P.I.rhs", "P.I.cor", "P.I.ref"),
)
MOST_FAILURES = 60


def set_up(stepper, control) -> None:
    """``control`` as a `radau.RADAU5` that has been started would go on."""
    o = stepper.options
    control[WANTED], control[ERROR], control[WEIGHED] = stepper.h, o.error, o.error
    control[MOST], control[LEAST] = o.hmax or np.inf, o.hmin or 1e-13 * stepper.span
    control[WISHED], control[FIXED], control[ENOUGH] = bool(o.hmin), float(stepper.fixed), np.inf
    control[CAP], control[CAP_GROWTH], control[TOUCHING] = stepper.cap, stepper.growth, stepper.touching
    control[HOLD], control[HELD], control[BEFORE] = stepper.hold, stepper._held, stepper._error
    control[SPOILED] = stepper._rejected
    control[MOST_TURN] = stepper.most_turn if stepper._turning else 0.0
    control[PATTERN], control[SQUARE] = stepper.due(True), 2.0


@jit
def _flatten(S, W, y, yd):
    """`system.planar.Plane.flatten` in a planar mechanism."""
    plane = S.bodies.plane
    n = plane.shape[0]
    if n == 0:
        return
    for b in range(n):
        for c in range(MOVES):
            if c != plane[b, 0] and c != plane[b, 1] and c != plane[b, 2]:
                y[STATE * b + SPEED + c] = 0.0
                yd[STATE * b + SPEED + c] = 0.0
                W.acc[MOVES * b + c] = 0.0
    on = S.rows.on
    k = 0
    for r in range(W.lam.shape[0]):
        if k < on.shape[0] and on[k] == r:
            k += 1
        else:
            W.lam[r] = 0.0


@jit
def begin(handle, whole, y, t, control):
    """(t, y) onto the constraints, and forces and reactions there for the first step, as `RADAU5.restart` has them;
    ``whole``: handle of the system in space.  Returns the smallest pivot ratio."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    I, Q = P.I, P.Q
    T = view_P(whole).T
    bodies = S.bodies
    pivot, skipped, size, speed = rk.project_state(
        view_S(whole), view_W(whole), y, t, T.d, REDUNDANT, 1, T.yn, math.inf, math.inf
    )
    find_gap(view_S(whole), view_W(whole))
    for c in range(y.shape[0]):
        I.yd[c] = T.yn[c]
    for c in range(STATE * bodies.n, STATE * bodies.n + STATE):
        I.yd[c] = 0.0  # of ground nothing is evaluated
    _flatten(S, W, y, I.yd)
    if bodies.tail == 0:
        multiply_mass(bodies, 1.0, W.acc, Q.f0)
    else:
        for c in range(bodies.moves):
            Q.f0[c] = W.acc[c]
    for c in range(bodies.moves):
        I.acc[c] = W.acc[c]
    for k in range(I.im.nx):
        Q.x0[k] = I.yd[bodies.end + k]
        I.xd[k] = Q.x0[k]
    for r in range(S.rows.m):
        Q.lam[r] = W.lam[r]
        I.lam[r] = Q.lam[r]
    for i in range(3):
        for c in range(bodies.moves):
            Q.HX[i, c] = 0.0
            Q.HV[i, c] = 0.0
        for k in range(I.im.nx):
            Q.HZ[i, k] = 0.0
        for r in range(S.rows.m):
            Q.HL[i, r] = Q.lam[r]
    for c in range(y.shape[0]):
        Q.yold[c] = y[c]
        Q.ys[c] = y[c]
    control[CAP] = math.inf
    control[HOLD] = 0.0
    control[HELD] = 0.0
    control[BEFORE] = 1e-2
    control[SPOILED] = 0.0
    control[LEASTS] = 0.0
    residual(S, W, I, t, y, 1.0, 1.0, 1.0, 1.0)
    if P.o.search:
        decide_rows(S, W, I, REDUNDANT)  # which compares pivots with the largest ones seen
    return pivot


@jit
def _weigh_anew(P, control):
    """Weights of the error that is allowed now; the corrector's share of it stays the same."""
    if control[WEIGHED] != control[ERROR]:
        ratio = control[ERROR] / control[WEIGHED]
        for k in range(4, 9):
            P.w.floor[k] *= ratio
        control[WEIGHED] = control[ERROR]


@jit
def _next_size(P, control, h, error, iterations):
    """Size of the next step after one of size h: `RADAU5._accept`."""
    previous = control[HELD]
    control[HOLD] = h
    control[HELD] = h
    if control[FIXED] != 0.0:
        return
    error = max(error, 1e-10)
    factor = 0.9 * (2 * P.o.maxit + 1) / (2 * P.o.maxit + iterations) * error**-0.25
    if previous > 0.0:  # Gustafsson: the error tends to change as it did over the last step
        factor = min(factor, 0.9 * h / previous * (control[BEFORE] / error ** control[SQUARE]) ** 0.25)
    if control[SPOILED] != 0.0:
        factor = min(factor, 1.0)
    control[SPOILED] = 0.0
    control[BEFORE] = max(error, 1e-2)
    control[WANTED] = h * min(max(factor, 0.2), 8.0)


@jit
def _smaller(control, status, h, error, failures):
    """Size of the next trial after a rejected one: `RADAU5._refuse`."""
    factor = 0.5
    if status == INACCURATE:
        factor = 0.9 * error**-0.25
        if not (factor < 0.9):
            factor = 0.9
        if not (factor > 0.1):
            factor = 0.1
    control[WANTED] = h * factor
    control[SPOILED] = 1.0
    if failures > 2:
        control[HOLD] = 0.0  # extrapolate nothing


@jit
def advance(handle, y, t, until, counts, control):
    """Steps from (t, y) to ``until``; the last one ends there.  ``counts``: end where turns are to be counted.  Returns
    the time and why it ends there."""
    S = view_S(handle)
    P = view_P(handle)
    _weigh_anew(P, control)
    fixed = control[FIXED] != 0.0
    refresh = int(control[PATTERN])
    least = control[LEAST]
    if control[STEPPED] == 0.0:  # behind a restart
        control[WANTED] = min(control[WANTED], control[MOST])
        control[STEPPED] = 1.0
    while t < until:
        failures = 0
        while True:
            left = until - t
            h = min(control[WANTED], control[CAP], control[MOST])
            if control[MOST_TURN] > 0.0:
                spin = largest_spin(y, S.bodies.n)
                if h * spin > control[MOST_TURN]:
                    h = control[MOST_TURN] / spin
            last = h >= left * (1 - 1e-9)
            if last:
                h = left
            elif not fixed and h > 0.5 * left:  # rather than a splinter
                h = 0.5 * left
            status, its, matrices, error, where, worst, dropped = radau.step(handle, y, t, h, control[HOLD], refresh)
            if status == CONVERGED:
                break
            failures += 1
            control[REJECTED] += 1.0
            if status == NOT_FINITE:
                control[UNBOUNDED] += 1.0
            if h <= max(least, 4e-16 * abs(t)):
                return t, TOO_SMALL
            if fixed or failures > MOST_FAILURES:
                return t, FAILED
            if status != INACCURATE:
                control[CAP] = max(0.5 * h, least)  # grows slowly: no loop of failures
            _smaller(control, status, h, error, failures)
            control[WANTED] = max(control[WANTED], least)
        control[BEGUN] = t
        t = until if last else t + h
        control[DONE] = h
        control[STEPS] += 1.0
        full = h >= 0.999 * control[WANTED]  # a step cut short states little about the next
        wanted = control[WANTED]
        _next_size(P, control, h, error, its)
        if not full and control[WANTED] < wanted and error < 0.5:
            control[WANTED] = wanted
        control[WANTED] = max(control[WANTED], least)
        control[LEASTS] = control[LEASTS] + 1.0 if h <= 2.0 * least and not last and control[WISHED] == 0.0 else 0.0
        if control[LEASTS] > LEAST_STEPS:
            return t, TOO_SMALL
        if its <= 4 or control[TOUCHING] == 0.0:
            control[CAP] = min(control[CAP] * control[CAP_GROWTH], 1e300)
        if counts:
            control[TURNED] += 2.0 * h * largest_spin(y, S.bodies.n)
            if not (control[TURNED] < TURN):
                return t, TURNING
        if not (control[STEPS] < control[ENOUGH]):
            break
    if t < until:
        return t, PAUSED
    return t, REACHED
