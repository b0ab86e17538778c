"""Steps of an explicit method one after the other as a kernel: `ExplicitStepper.step` on the index-1 form without
Python between two steps, with the same numbers.

Size control: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, sec. II.4.
"""

from __future__ import annotations

from .._handle import view_P, view_S, view_W
from .._jit import jit
from ..elements.bodies.errors import weigh_state
from ..elements.bodies.increments import largest_spin
from . import runge_kutta as rk

#: positions in ``control`` (float64), what a loop knows between two steps: size wanted, growth allowed at the next one,
#: 1 once a step has been made since the last restart, size of the last step, error allowed, largest size, least size,
#: 1 for steps of one size, steps and rejected trials so far, smallest pivot ratio, angle that parts may have turned
#: since turns were counted [rad], beginning of the last step, number of steps after which it ends
WANTED, GROWTH, STEPPED, DONE, ERROR, MOST, LEAST, FIXED, STEPS, REJECTED, PIVOT, TURNED, BEGUN, ENOUGH = range(14)
CONTROLS = 14
#: why a loop ends: it is there, parts have turned by `TURN`, the step became too small, no step is accepted, there have
#: been ``ENOUGH`` steps
REACHED, TURNING, TOO_SMALL, FAILED, PAUSED = range(5)
TURN = 0.5  # radians that parts may turn before whole turns of angles are counted
GROWN = 6.0  # times that a step may be as long as the one before


@jit
def advance(S, W, P, scales, y, t, until, eps, counts, control):
    """Steps from (t, y), with the rates there in K[0], to ``until``; the last one ends there.  ``scales``: handle of
    `weigh_state`; ``counts``: end where turns are to be counted.  Returns the time and why it ends there."""
    T = P.T
    n = P.stages
    fixed = control[FIXED] != 0.0
    while t < until:
        if control[STEPPED] != 0.0:  # rates at the end of the last step begin the next
            for c in range(y.shape[0]):
                T.K[0, c] = T.K[n, c]
            control[STEPPED] = 0.0
        weigh_state(scales, y, control[ERROR], T.weight)
        T.warp[0] = 0.0
        T.warp[1] = 0.0
        if fixed:
            for c in range(y.shape[0]):
                T.weight[c] *= 1e-30  # take the step whatever the error is
        trials = 0
        while True:
            h = min(control[WANTED], control[MOST])
            left = until - t
            last = h >= left * (1 - 1e-12) - 1e-12 * abs(until) or (fixed and h >= left * (1 - 1e-6))
            if last:
                h = left
            if h <= 4e-16 * max(abs(t), abs(until)) or (h < control[LEAST] and not last):
                return t, TOO_SMALL
            err, pivot, skipped, stiff = rk.step(S, W, P, y, t, h, eps)
            if err < 1.0:
                break
            control[REJECTED] += 1.0
            trials += 1
            if fixed or trials > 60:
                return t, FAILED
            factor = 0.1  # singular, or not a number
            if pivot == rk.OPEN:
                factor = 0.4
            elif err < 1e300 and pivot > 0.0:
                factor = max(0.2, 0.9 * err ** (-1 / P.order))
            control[WANTED] = h * factor
            control[GROWTH] = 1.0
        control[PIVOT] = min(control[PIVOT], pivot)
        control[BEGUN] = t
        t = until if last else t + h
        control[DONE] = h
        control[STEPPED] = 1.0
        control[STEPS] += 1.0
        if not fixed:
            factor = 10.0 if err == 0.0 else 0.9 * err ** (-1 / P.order)
            if not (last and h < 0.5 * control[WANTED]):  # a step cut short states little about the next
                control[WANTED] = min(h * factor, control[GROWTH] * h)
        control[GROWTH] = GROWN
        if counts:
            control[TURNED] += 2.0 * h * largest_spin(y, S.bodies.n)
            if not (control[TURNED] < TURN):
                return t, TURNING
        if not (control[STEPS] < control[ENOUGH]):
            break
    if t < until:
        return t, PAUSED
    return t, REACHED


@jit(
    entry=(
        "Handle(Tables, Work, Explicit(Stages)), Handle(Bodies, StateScales, ()), float64[::1], float64, float64, "
        "float64, boolean, float64[::1]"
    )
)
def advance_by(handle, scales, y, t, until, eps, counts, control):
    """`advance` with the tables behind a handle, for Python."""
    return advance(view_S(handle), view_W(handle), view_P(handle), scales, y, t, until, eps, counts, control)
