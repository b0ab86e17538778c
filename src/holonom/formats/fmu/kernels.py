"""Entries of an FMU: what its C code calls, over the handles that a simulation steps with.

They are compiled like all kernels and linked into the runtime (`runtime`); Python does not call them.
"""

from __future__ import annotations

import math
from typing import Any

from numba import typeof, types

from ..._handle import view_P, view_S, view_W
from ..._jit import jit
from ...contact.call import VECTOR
from ...elements.bodies.coordinates import normalise, retract, speeds_of
from ...elements.bodies.layout import STATE
from ...elements.bodies.pull import pull_kinematics
from ...integrators import explicit_loop, radau, radau_loop
from ...integrators import runge_kutta as rk
from ...integrators.explicit import REDUNDANT
from ...integrators.explicit_loop import ENOUGH, STEPS, TURNED, TURNING
from ...system.flags import UNSETTLED, UNSOLVED
from ...system.kernels import (
    evaluate_constraints,
    evaluate_frames,
    factor_schur,
    find_gap,
    position_correction,
    project_velocity,
    rate,
)
from ...system.output_kernels import count_turns, evaluate_outputs, sample
from ...system.pull import clear, pull_accelerations, pull_laws, pull_projection, to_state
from ...system.pull_frames import any_of
from ...system.pull_outputs import add_outputs, reads_laws

#: what an entry returns: done, the step became too small, no step is accepted, a variable that depends on itself has no
#: value, forces do not agree with the reactions on which they depend, the equations cannot be solved
DONE, TOO_SMALL, FAILED, NO_VALUE, NO_FORCES, SINGULAR = range(6)


@jit
def _faults(W):
    """What the last evaluations report besides numbers."""
    if W.flags[UNSOLVED] != 0:
        W.flags[UNSOLVED] = 0
        return NO_VALUE
    if W.flags[UNSETTLED] != 0:
        W.flags[UNSETTLED] = 0
        return NO_FORCES
    return DONE


@jit
def begin(handle, whole, y, t, control):
    """(t, y) onto the constraints, its rates into K[0]: at the start, and after a discontinuity."""
    S = view_S(handle)
    W = view_W(handle)
    T = view_P(handle).T
    W.flags[UNSOLVED] = 0
    W.flags[UNSETTLED] = 0
    pivot, skipped, size, speed = rk.project_state(S, W, y, t, T.d, REDUNDANT, 1, T.yn, math.inf, math.inf)
    find_gap(S, W)
    for c in range(y.shape[0]):
        T.K[0, c] = T.yn[c]
    for c in range(STATE * S.bodies.n, STATE * S.bodies.n + STATE):
        T.K[0, c] = 0.0  # of ground nothing is evaluated
    if not (pivot > 0.0):
        return SINGULAR
    return _faults(W)


@jit
def advance(handle, scales, outputs, y, t, until, control):
    """Steps from (t, y) to ``until``; whole turns of angles that outputs measure are counted on the way.  Returns the
    time and what has happened."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    counts = view_P(outputs).turning.shape[0] > 0
    why = TURNING
    while why == TURNING:
        t, why = explicit_loop.advance(S, W, P, scales, y, t, until, REDUNDANT, counts, control)
        if why == TURNING:
            count_turns(outputs, t, y)
            control[TURNED] = 0.0
            if not (control[STEPS] < control[ENOUGH]):
                why = explicit_loop.PAUSED
    if why == explicit_loop.TOO_SMALL:
        return t, TOO_SMALL
    if why == explicit_loop.FAILED:
        return t, FAILED
    return t, _faults(W)


@jit
def begin_radau(handle, whole, y, t, control):
    """`begin` of RADAU5."""
    W = view_W(whole)
    W.flags[UNSOLVED] = 0
    W.flags[UNSETTLED] = 0
    if not (radau_loop.begin(handle, whole, y, t, control) > 0.0):
        return SINGULAR
    return _faults(W)


@jit
def advance_radau(handle, whole, outputs, y, t, until, control):
    """`advance` of RADAU5."""
    counts = view_P(outputs).turning.shape[0] > 0
    why = TURNING
    while why == TURNING:
        t, why = radau_loop.advance(handle, y, t, until, counts, control)
        if why == TURNING:
            count_turns(outputs, t, y)
            control[TURNED] = 0.0
            if not (control[STEPS] < control[ENOUGH]):
                why = explicit_loop.PAUSED
    if why == explicit_loop.TOO_SMALL:
        return t, TOO_SMALL
    if why == explicit_loop.FAILED:
        return t, FAILED
    return t, _faults(view_W(handle))


@jit
def between_radau(handle, y, begin, h, t, ready, out):
    """`between` of RADAU5, whose stages are its dense output."""
    P = view_P(handle)
    radau.collocation(view_S(handle).bodies, P.I.im.nx, P.Q, h, (t - begin) / h, out, P.Q.dx, P.I.yd)


@jit
def evaluate(whole, outputs, y, t, counted, sweeps):
    """All outputs at (t, y), after evaluating the equations of motion there; ``counted``: turns of angles have been
    counted before; ``sweeps``: corrections of positions."""
    S = view_S(whole)
    W = view_W(whole)
    T = view_P(whole).T
    W.flags[UNSOLVED] = 0
    W.flags[UNSETTLED] = 0
    pivot, skipped, size, speed = rk.project_state(S, W, y, t, T.d, REDUNDANT, sweeps, T.yn, math.inf, math.inf)
    find_gap(S, W)
    if counted and view_P(outputs).turning.shape[0] > 0:
        count_turns(outputs, t, y)
    evaluate_outputs(outputs, t, y)
    if not (pivot > 0.0):
        return SINGULAR
    return _faults(W)


@jit
def between(handle, y, begin, h, t, ready, out):
    """``out`` <- the state at time t within the last step, from ``begin`` by h to y; ``ready``: its dense output is
    there already."""
    P = view_P(handle)
    if not ready:
        rk.prepare_dense(view_S(handle), view_W(handle), P, y, begin, h, REDUNDANT)
    rk.interpolate(P.T, (t - begin) / h, out)


@jit
def later(whole, y, t, moment, out):
    """``out`` <- the state a ``moment`` after (t, y), at its rates there."""
    S = view_S(whole)
    W = view_W(whole)
    T = view_P(whole).T
    for c in range(y.shape[0]):
        T.ya[c] = y[c]
    rate(S, W, t, T.ya, T.K[1], REDUNDANT, 1)
    for c in range(y.shape[0]):
        out[c] = y[c] + moment * T.K[1, c]
    return DONE


@jit
def derivative(handle, x, t, gain, nearest, xd):
    """Model exchange: xd <- f(P(x)) + ``gain`` (P(x) - x), f the rates, P(x) the point on the constraints next to x,
    which goes into ``nearest``.

    What is evaluated lies on the constraints whatever the integrator of the importer does, and ``gain`` [1/time] draws
    its state back to them (Baumgarte's idea on the index-1 form)."""
    S = view_S(handle)
    W = view_W(handle)
    T = view_P(handle).T
    q = nearest
    W.flags[UNSOLVED] = 0
    W.flags[UNSETTLED] = 0
    for c in range(x.shape[0]):
        q[c] = x[c]
    normalise(S.bodies, q)
    if S.rows.m > 0:
        evaluate_frames(S, W, q)
        evaluate_constraints(S, W, t, q)
        factor_schur(S, W, REDUNDANT, 0)
        for _ in range(2):
            position_correction(S, W, T.d)
            retract(S.bodies, q, T.d)
            evaluate_frames(S, W, q)
            evaluate_constraints(S, W, t, q)
        factor_schur(S, W, REDUNDANT, 1)
        project_velocity(S, W, q)
    pivot, skipped = rate(S, W, t, q, xd, REDUNDANT, 0)
    for c in range(x.shape[0]):
        xd[c] += gain * (q[c] - x[c])
    for c in range(STATE * S.bodies.n, STATE * S.bodies.n + STATE):
        xd[c] = 0.0  # of ground nothing is evaluated
    if not (pivot > 0.0):
        return SINGULAR
    return _faults(W)


@jit
def pull_rates_and_outputs(adjoint, measured, t, y, kb, values, yb):
    """yb += cotangents of kb . f(y) and of weighted functions of outputs at y, where outputs were evaluated last if any
    of these counts.

    Outputs may read accelerations and multipliers: both are the solution of one linear system, so that their cotangents
    and those of the rates take one solution with its matrix (`system.pull`)."""
    S = view_S(adjoint)
    W = view_W(adjoint)
    P = view_P(adjoint).pull
    rate(S, W, t, y, view_P(adjoint).Z, REDUNDANT, 0)
    clear(P.out.body)
    clear(P.lbar)
    speeds_of(S.bodies, kb, P.abar)
    if any_of(values):
        add_outputs(view_S(measured), view_W(measured), view_P(measured).pull, S, W, P, t, y, values, yb)
        if reads_laws(P):
            pull_laws(S, W, P, t, y, yb)
    if any_of(kb) or any_of(P.abar) or any_of(P.lbar):
        pull_accelerations(S, W, P, t, y, kb, yb)
        pull_kinematics(S.bodies, y, kb, yb)
    else:
        to_state(S, P, y, yb)


@jit
def pull_to_constraints(adjoint, t, y, yb, eps, velocities, positions, impulses):
    """`pull_projection` with the part of the handle that has one type whatever the method: its kernels are those of
    gradients of runs, and are in the binary once."""
    P = view_P(adjoint).pull
    pull_projection(view_S(adjoint), view_W(adjoint), P, t, y, yb, eps, velocities, positions, impulses)


def is_implicit(handles: dict[str, Any]) -> bool:
    """Whether these are handles of RADAU5."""
    return isinstance(handles["step"].P, radau.Parts)


def entries(handles: dict[str, Any]) -> dict[str, tuple]:
    """Symbol of C -> (kernel, types of its arguments) of each entry, for the types of these handles."""
    step, whole, outputs, scales = (typeof(handles[name]) for name in ("step", "whole", "outputs", "scales"))
    real, truth = types.float64, types.boolean
    implicit = is_implicit(handles)
    found = {
        "holonom_begin": (begin_radau if implicit else begin, (step, whole, VECTOR, real, VECTOR)),
        "holonom_advance": (
            advance_radau if implicit else advance,
            (step, scales, outputs, VECTOR, real, real, VECTOR),
        ),
        "holonom_evaluate": (evaluate, (whole, outputs, VECTOR, real, truth, types.int64)),
        "holonom_between": (between_radau if implicit else between, (step, VECTOR, real, real, real, truth, VECTOR)),
        "holonom_later": (later, (whole, VECTOR, real, real, VECTOR)),
        "holonom_outputs": (evaluate_outputs, (outputs, real, VECTOR)),
        "holonom_derivative": (derivative, (whole, VECTOR, real, real, VECTOR, VECTOR)),
        "holonom_sample": (sample, (outputs, real, VECTOR, types.int64)),
    }
    if "adjoint" not in handles:
        return found
    of = typeof(handles["adjoint"])
    return found | {
        "holonom_pull": (pull_rates_and_outputs, (of, of, real, VECTOR, VECTOR, VECTOR, VECTOR)),
        "holonom_pull_projection": (pull_to_constraints, (of, real, VECTOR, VECTOR, real, truth, truth, truth)),
    }
