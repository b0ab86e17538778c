"""Steps of an explicit method one after the other as a kernel: `ExplicitStepper.step` on the index-1 form or in joint
coordinates without Python between two steps, with the same numbers.

Size control: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, sec. II.4.
"""

from __future__ import annotations

from .._handle import view_P, view_S, view_W
from .._jit import jit
from ..elements.bodies.increments import largest_spin
from . import runge_kutta as rk
from ._minimal import length, longest_step, weigh
from .partition import NOT_CLOSED
from .reduced import GROWN

#: positions in ``control`` (float64), what a loop knows between two steps: size wanted, growth allowed at the next one,
#: 1 once a step has been made since the last restart, size of the last step, error allowed, largest size, least size,
#: 1 for steps of one size, steps and rejected trials so far, smallest pivot ratio, angle that parts may have turned
#: since turns were counted [rad], beginning of the last step, number of steps after which it ends, redundant rows and
#: stiffness estimate of the last step, estimate beyond which a step is the last one (0: none), and rejected trials that
#: are not due to the error: singular, not a number, joints that stay open, mechanisms that do not close
WANTED, GROWTH, STEPPED, DONE, ERROR, MOST, LEAST, FIXED, STEPS, REJECTED, PIVOT, TURNED, BEGUN, ENOUGH = range(14)
SKIPPED, STIFFNESS, STABLE, SINGULAR, UNBOUNDED, LEFT_OPEN, UNCLOSED = range(14, 21)
CONTROLS = 21
#: why a loop ends: it is there, parts have turned by `TURN`, the step became too small, no step is accepted, there have
#: been ``ENOUGH`` steps, or the last one was limited by stability
REACHED, TURNING, TOO_SMALL, FAILED, PAUSED = range(5)
TURN = 0.5  # radians that parts may turn before whole turns of angles are counted


@jit
def advance(S, W, P, scales, y, t, until, eps, counts, control):
    """Steps from (t, y), with the rates there in K[0], to ``until``; the last one ends there.  ``scales``: handle of
    `weigh_state`; ``counts``: end where turns are to be counted.  Returns the time and why it ends there."""
    T = P.T
    n = P.stages
    size = length(P.M, y.shape[0])
    fixed = control[FIXED] != 0.0
    while t < until:
        if control[STEPPED] != 0.0:  # rates at the end of the last step begin the next
            for c in range(size):
                T.K[0, c] = T.K[n, c]
            control[STEPPED] = 0.0
        weigh(P.M, scales, y, control[ERROR] if not fixed else 1e30 * control[ERROR], T)  # whatever the error is
        T.warp[0] = 0.0
        T.warp[1] = 0.0
        most = control[MOST]
        if not fixed:
            most = min(most, longest_step(P.M))
        trials = 0
        while True:
            h = min(control[WANTED], most)
            left = until - t
            last = h >= left * (1 - 1e-12) - 1e-12 * abs(until) or (fixed and h >= left * (1 - 1e-6))
            if last:
                h = left
            if h <= 4e-16 * max(abs(t), abs(until)) or (h < control[LEAST] and not last):
                return t, TOO_SMALL
            err, pivot, skipped, stiff = rk.step(S, W, P, y, t, h, eps)
            if err < 1.0:
                break
            trials += 1
            if fixed or trials > 60:
                control[REJECTED] += 1.0
                return t, FAILED
            if pivot == rk.OPEN or pivot == NOT_CLOSED:
                factor = 0.4
                control[LEFT_OPEN if pivot == rk.OPEN else UNCLOSED] += 1.0
            elif not (err < 1e300) or pivot != pivot:
                factor = 0.1
                control[UNBOUNDED] += 1.0
            elif pivot > 0.0:
                factor = max(0.2, 0.9 * err ** (-1 / P.order))
                control[REJECTED] += 1.0
            else:
                factor = 0.1
                control[SINGULAR] += 1.0
            control[WANTED] = h * factor
            control[GROWTH] = 1.0
        control[PIVOT] = min(control[PIVOT], pivot)
        control[BEGUN] = t
        t = until if last else t + h
        control[DONE] = h
        control[STEPPED] = 1.0
        control[STEPS] += 1.0
        control[SKIPPED] = skipped
        control[STIFFNESS] = stiff
        if not fixed:
            factor = 10.0 if err == 0.0 else 0.9 * err ** (-1 / P.order)
            if not (last and h < 0.5 * control[WANTED]):  # a step cut short states little about the next
                control[WANTED] = min(h * factor, control[GROWTH] * h)
        control[GROWTH] = GROWN
        if counts:
            control[TURNED] += 2.0 * h * largest_spin(y, S.bodies.n)
            if not (control[TURNED] < TURN):
                return t, TURNING
        if not (control[STEPS] < control[ENOUGH]) or (control[STABLE] > 0.0 and stiff > control[STABLE]):
            break
    if t < until:
        return t, PAUSED
    return t, REACHED


@jit(
    entry=(
        "Handle(Tables, Work, Explicit(Stages)), Handle(Bodies, StateScales, ()), float64[::1], float64, float64, "
        "float64, boolean, float64[::1]",
        "Handle(Tables, Work, Explicit(Stages, JointState)), Handle(Bodies, StateScales, ()), float64[::1], float64, "
        "float64, float64, boolean, float64[::1]",
    )
)
def advance_by(handle, scales, y, t, until, eps, counts, control):
    """`advance` with the tables behind a handle, for Python."""
    return advance(view_S(handle), view_W(handle), view_P(handle), scales, y, t, until, eps, counts, control)
