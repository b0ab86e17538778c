"""Tangents of explicit Runge-Kutta methods: the derivatives of all states of a run by a few numbers at once.

The rows of the Jacobian of each stage are the pulls of its unit cotangents, so that tangents are exact as the adjoint
is, for all that has a pull, and differ from it by rounding alone.  With J_s, F_s of stage s and those of the projection

    Y'_s = y' + h sum a_sj k'_j,   k'_s = J_s Y'_s + F_s,   y'+ = P (y' + h sum b_s k'_s) + Q

The cost is that of some seven pulls a body and stage, whatever the number of parameters and functionals.
"""

from __future__ import annotations

import numpy as np

from .._handle import view_P, view_S, view_W
from .._jit import jit
from ..elements.bodies.layout import STATE
from ..elements.bodies.pull import pull_kinematics
from ..system.kernels import evaluate_frames, rate
from ..system.pull import clear, pull, pull_projection, pull_values, to_state
from ..system.pull_outputs import pull_outputs
from .adjoint_runge_kutta import SIZE, repeat_stages, time_at
from .explicit import REDUNDANT

SPEEDS = 7  # where velocities begin in the state of a body
NUMBERS, FRICTION, PORTS, MESHES = range(4)  # arrays in which cotangents of numbers are found

_HANDLE = "Handle(Tables, Work, Adjoint(Variable, Cotangents, ContactPull, Pull))"
_READ = "(int64[:, ::1], float64[::1], float64[::1], float64[::1], float64[::1])"


@jit
def _read(P, given, out):
    """out (parameters,) += the derivatives along effects; all cotangents of numbers become zero.

    given: entries (parameter, array, place) of the effects, their weights, and the arrays of friction, ports and meshes
    in which cotangents stand."""
    entries, weights, friction, ports, meshes = given
    for e in range(entries.shape[0]):
        at = entries[e, 2]
        where = entries[e, 1]
        if where == NUMBERS:
            x = P.numbers[at]
        elif where == FRICTION:
            x = friction[at]
        else:
            x = ports[at] if where == PORTS else meshes[at]
        out[entries[e, 0]] += weights[e] * x
    clear(P.numbers)
    clear(friction)
    clear(ports)
    clear(meshes)


@jit(
    entry=f"{_HANDLE}, {SIZE} * {_HANDLE}, float64, float64, float64[::1], float64[::1], {_READ}, "
    "float64[:, :, ::1], float64[:, :, ::1]"
)
def step_derivatives(handle, stages, t, after, y, warp, given, J, F):
    """J (stages, ny, ny), F (stages, ny, parameters) <- derivatives of the rates of the stages of a step from (t, y).
    Returns its size."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    bodies = S.bodies
    ground = STATE * bodies.n
    s0, h = repeat_stages(S, W, P, stages, t, after, y, warp)
    for s in range(P.stages):
        at = time_at(warp, s0 + P.C[s] * h)
        unit = P.Kb[s]
        clear(unit)
        for i in range(y.shape[0]):
            row = J[s, i]
            clear(row)
            clear(F[s, i])
            if ground <= i < ground + STATE:
                continue
            unit[i] = 1.0
            if i < ground and i % STATE < SPEEDS:
                pull_kinematics(bodies, P.Y[s], unit, row)
            else:
                pull(view_S(stages[s]), view_W(stages[s]), P.pull, at, P.Y[s], unit, row)
                _read(P, given, F[s, i])
            unit[i] = 0.0
    return h


@jit(entry=f"{_HANDLE}, float64, float64[::1], {_READ}, float64[:, ::1], float64[:, ::1]")
def projection_derivatives(handle, t, y, given, J, F):
    """J (ny, ny), F (ny, parameters) <- derivatives of a projection that ended at y."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    ground = STATE * S.bodies.n
    for i in range(y.shape[0]):
        clear(J[i])
        clear(F[i])
        if ground <= i < ground + STATE:
            continue
        J[i, i] = 1.0
        pull_projection(S, W, P.pull, t, y, J[i], REDUNDANT, True, True, False)
        _read(P, given, F[i])


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1], {_READ}, float64[::1], float64[::1]")
def value_derivatives(handle, t, y, of, given, row, numbers):
    """row (ny,), numbers (parameters,) <- derivatives of values of functions with weights ``of``."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    clear(row)
    clear(numbers)
    if S.fn.has_force > 0 or S.fn.has_acc > 0:
        rate(S, W, t, y, P.Z, REDUNDANT, 0)
        clear(P.Z)
        pull_outputs(S, W, P.pull, t, y, of, P.Z, row)
    else:
        evaluate_frames(S, W, y)
        clear(P.out.body)
        pull_values(S, W, P.pull, t, y, of, row)
        to_state(S, P.pull, y, row)
    _read(P, given, numbers)


class RungeKuttaTangents:
    """Tangents along a tape by the pulls of an adjoint (`RungeKuttaAdjoint`); ``entries``, ``weights``: see `_read`;
    ``friction``, ``ports``, ``meshes``: where these have their cotangents."""

    def __init__(self, adjoint, parameters, entries, weights, friction, ports, meshes):
        self._adjoint = adjoint
        self._given = entries, weights, friction, ports, meshes
        self._parameters = parameters

    def sweep(self, tape, start, wanted):
        """Derivatives of values of functions by parameters: {(end of a step, function): (parameters,)} of those wanted,
        {end of a step: functions}.  ``start`` (ny, parameters): of the state before it was projected."""
        adjoint, n = self._adjoint, self._parameters
        handle, tableau = adjoint.handle, adjoint.tableau
        times, states, warps = tape.times, tape.states, tape.warps
        ny = states.shape[1]
        J, F = np.zeros((tableau.stages, ny, ny)), np.zeros((tableau.stages, ny, n))
        P, Q, row, numbers = np.zeros((ny, ny)), np.zeros((ny, n)), np.zeros(ny), np.zeros(n)
        rates = np.zeros((tableau.stages, ny, n))
        of = np.zeros(len(adjoint.P.fbar))
        found = {}
        y = start
        for k in range(len(times)):
            t = float(times[k])
            if k:
                before = float(times[k - 1])
                h = step_derivatives(handle, adjoint.stages, before, t, states[k - 1], warps[k], self._given, J, F)
                for s in range(tableau.stages):
                    at = y + h * np.tensordot(tableau.A[s, :s], rates[:s], 1)
                    rates[s] = J[s] @ at + F[s]
                y = y + h * np.tensordot(tableau.B, rates, 1)
            projection_derivatives(handle, t, states[k], self._given, P, Q)
            y = P @ y + Q
            for e in wanted.get(k, ()):
                of[e] = 1.0
                value_derivatives(handle, t, states[k], of, self._given, row, numbers)
                of[e] = 0.0
                found[k, e] = row @ y + numbers
        return found
