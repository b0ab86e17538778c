"""Discrete adjoint of explicit Runge-Kutta methods on the index-1 form: the transpose of the steps that a run took.

Of a step y+ = Pi(y + h sum b_s k_s), k_s = f(Y_s), Y_s = y + h sum a_sj k_j, with step sizes held:

    lam <- Pi^T lam;   for s = n .. 1:  kbar_s = h (b_s lam + sum_j>s a_js Ybar_j),  Ybar_s = J_s^T kbar_s
    lam <- lam + sum_s Ybar_s

(Hager, Numer. Math. 87 (2000) 247; Sandu, ICCS 2006).  Stages of one step are evaluated again, each with tables and
work of its own, so that nothing is evaluated twice; states at the ends of steps come from the tape.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import jit
from ..elements.bodies.carrier import working_copy
from ..system.kernels import (
    accept_angles,
    evaluate_constraints,
    evaluate_dynamics,
    evaluate_frames,
    factor_schur,
    rate,
)
from ..system.part_calls import accept_references
from ..system.pull import Pull, clear, pull, pull_projection, pull_values, to_state
from ..system.pull_outputs import pull_outputs
from . import runge_kutta as rk
from .adjoint import pull_arrays
from .adjoint_impacts import Impacts
from .adjoint_turns import Turns
from .explicit import REDUNDANT
from .tape import hold

SIZE = rk.MOST  # stages at most

Adjoint = namedtuple("Adjoint", ("K", "Y", "Kb", "Yb", "Z", "T", *Pull._fields, "pull", *rk.Tableau._fields))
Adjoint.__doc__ = """Arrays of an adjoint: K, Y, Kb, Yb (stages, ny): rates and states of the stages and their
cotangents; Z (ny): work; T: `Variable` of the step; results and work of pulls (`system.pull.Pull`), and
together as ``pull``, which has one type whatever the method; the table of the method."""


WHOLE, END, BEFORE = range(3)
Variable = namedtuple("Variable", "warp")
Variable.__doc__ = """warp (2): as `runge_kutta.span_of` reads it."""


_HANDLE = "Handle(Tables, Work, Adjoint(Variable, Cotangents, ContactPull, Pull))"
_STEPS = "float64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], int64[::1], float64[::1]"


@jit
def time_at(warp, at):
    """Time of a place in the variable of a step."""
    return at if warp[0] == 0.0 else warp[1] + warp[0] * at * at


@jit
def repeat_stages(S, W, P, stages, t, after, y, warp):
    """Evaluate the stages of a step from (t, y) to the time after it again: P.Y, P.K.  Returns where it begins and its
    size in its variable."""
    ny = y.shape[0]
    P.T.warp[0] = warp[0]
    P.T.warp[1] = warp[1]
    s0, h = rk.span_of(P.T, t, after - t)
    evaluate_frames(S, W, y)
    if S.rows.m > 0:
        evaluate_constraints(S, W, t, y)
        factor_schur(S, W, REDUNDANT, 0)
    evaluate_dynamics(S, W, t, y, P.Z)
    accept_angles(W)
    accept_references(S, W)
    for s in range(P.stages):
        at = s0 + P.C[s] * h
        rk.combine(P.Y[s], 1.0, y, P.K, P.A[s], s, h)
        rate(view_S(stages[s]), view_W(stages[s]), time_at(warp, at), P.Y[s], P.K[s], REDUNDANT, 1)
        if warp[0] != 0.0:
            for c in range(ny):
                P.K[s, c] *= 2.0 * abs(at)
    return s0, h


@jit(entry=f"{_HANDLE}, {SIZE} * {_HANDLE}, {_STEPS}, int64, int64, int64")
def sweep(handle, stages, times, path, warps, weights, marked, yb, last, first, part):
    """Carry the cotangent yb behind the end of step ``last`` of a tape to before its step ``first`` + 1; with ``first``
    = -1 to before its start.

    ``weights`` (samples, functions): cotangents of values of functions at marked ends of steps, ``marked`` (steps + 1):
    which row, or -1.  ``part``: `WHOLE`, or of the first of these steps its `END` alone or what is `BEFORE` it.  What
    is found of numbers is added to P.
    """
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    n = P.stages
    ny = yb.shape[0]
    for k in range(last, first, -1):
        t = times[k]
        y = path[k]
        if part != BEFORE or k < last:
            if marked[k] >= 0:
                if S.fn.has_force > 0 or S.fn.has_acc > 0:
                    rate(S, W, t, y, P.Z, REDUNDANT, 0)
                    clear(P.Z)
                    pull_outputs(S, W, P.pull, t, y, weights[marked[k]], P.Z, yb)
                else:
                    evaluate_frames(S, W, y)
                    clear(P.out.body)
                    pull_values(S, W, P.pull, t, y, weights[marked[k]], yb)
                    to_state(S, P.pull, y, yb)
            pull_projection(S, W, P.pull, t, y, yb, REDUNDANT, True, True, False)
        if k == 0 or part == END:
            break
        s0, h = repeat_stages(S, W, P, stages, times[k - 1], times[k], path[k - 1], warps[k])
        way = warps[k, 0]
        for s in range(n - 1, -1, -1):
            at = s0 + P.C[s] * h
            factor = h if way == 0.0 else h * 2.0 * abs(at)
            for c in range(ny):
                v = P.B[s] * yb[c]
                for j in range(s + 1, n):
                    if P.A[j, s] != 0.0:
                        v += P.A[j, s] * P.Yb[j, c]
                P.Kb[s, c] = factor * v
                P.Yb[s, c] = 0.0
            pull(view_S(stages[s]), view_W(stages[s]), P.pull, time_at(warps[k], at), P.Y[s], P.Kb[s], P.Yb[s])
        for s in range(n):
            for c in range(ny):
                yb[c] += P.Yb[s, c]


class RungeKuttaAdjoint:
    """Adjoint of the steps of an explicit Runge-Kutta method; ``handle``, ``P``: see `adjoint.pull_arrays`; ``error``:
    of a step unless given, since gradients lose one to two digits against the state; ``stages``: handles of the
    stages of a step, ``tableau``: of the method."""

    formulation = "INDEX1"
    error = 1e-10

    def __init__(self, system, stepper, wanted, constants, directions=()):
        self.system, self.warnings, self._stepper = system, [], stepper
        S, W, z = system.S, system.W, np.zeros
        self.tableau = tableau = stepper.tableau
        ny = len(system.y0)
        work = z((SIZE + 1, ny)), z((SIZE, ny)), z((SIZE, ny)), z((SIZE, ny)), z(ny), Variable(z(2))
        pull = pull_arrays(system, wanted, constants, directions)
        self.P = P = Adjoint(*work, *pull, pull, *tableau)
        self.handle = make_handle(S, W, P)
        stages = [_stage(system, P, self.handle) for _ in range(tableau.stages)]
        self.stages = (*stages, *stages[:1] * (SIZE - len(stages)))  # one type whatever the method

    def sweep(self, tape, weights, marked, yb):
        """Carry the cotangent yb behind the last step of a tape to before its first; see `sweep`."""
        times, warps = tape.times, tape.warps
        if not tape.whole:
            self._in_pieces(tape, times, warps, weights, marked, yb)
            return
        states = tape.states
        given = self.handle, self.stages, times, states, warps, weights, marked, yb
        contacts, last = self.system.contacts, len(times) - 1
        impacts = Impacts(self) if tape.impacts else None
        turns = Turns(self, tape) if tape.turns or tape.ends else None
        struck = set(tape.impacts)
        alone = struck | set(tape.turns)
        if tape.ends and marked[last] >= 0:
            if tape.modes:
                tape.branch(tape.modes[last])
            sweep(*given, last, last - 1, END)
            turns.end(*tape.ends, float(times[last]), states[last], weights[marked[last]], yb)
        while last > 0:
            first = last - 1
            while (
                first > 0
                and first not in alone
                and (not tape.held or tape.held[first] is tape.held[last])
                and (not tape.modes or tape.modes[first] is tape.modes[last])
            ):
                first -= 1
            if contacts.on and not contacts.rigid:
                hold(contacts, float(times[first]), states[first], tape.held[last])
            if tape.modes:
                tape.branch(tape.modes[last])
            if tape.ends and last == len(times) - 1:
                sweep(*given, last, first, BEFORE)
            elif last in tape.turns:
                sweep(*given, last, last - 1, END)
                turns.back(last, float(times[last]), states[last], yb)
                sweep(*given, last, first, BEFORE)
            elif last in struck:
                sweep(*given, last, last - 1, END)
                impacts.back(float(times[last - 1]), states[last - 1], float(times[last]), states[last], yb)
                sweep(*given, last, first, BEFORE)
            else:
                sweep(*given, last, first, WHOLE)
            last = first
        sweep(*given, 0, -1, WHOLE)
        self.warnings = [w for one in (impacts, turns) if one for w in one.warnings]

    def _in_pieces(self, tape, times, warps, weights, marked, yb):
        """`sweep` over steps that are made again piece by piece."""
        for first, last, states in tape.pieces(self._stepper):
            at = slice(first, last + 1)
            given = self.handle, self.stages, times[at], states, warps[at], weights, marked[at], yb
            sweep(*given, last - first, 0, WHOLE)
        sweep(*given, 0, -1, WHOLE)


def _stage(system, P, like):
    """A handle whose frames, rotations, rows, factor and accelerations are its own; decisions on rows are shared."""
    S, W = system.S, system.W
    fr = S.fr._replace(**{f: getattr(S.fr, f).copy() for f in ("p", "A", "s", "v", "w", "ab", "a", "al")})
    G = W.rw.G.copy()
    own = {f: getattr(W.rw, f).copy() for f in ("phi", "phit", "gamma", "angle", "angle_rate")}
    rw = W.rw._replace(G=G, B=G if W.rw.B is W.rw.G else W.rw.B.copy(), **own)
    W = W._replace(rw=rw, **{f: getattr(W, f).copy() for f in ("R", "F", "lam", "Lx", "D", "Di", "acc", "z", "plam")})
    own = {"fr": fr, "bodies": working_copy(S.bodies), "ports": system.ports.on_frames(fr)}
    return make_handle(S._replace(**own), W, P, like)
