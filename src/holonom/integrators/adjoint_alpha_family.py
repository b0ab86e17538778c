"""Discrete adjoint of HHT, generalized-alpha, Newmark and backward Euler at index 3 (`alpha_family`).

A step makes z = (a1, x1', lam) with

    R(z, y1) = (M v1' + G^T lam - F, x1'' - f, phi) = 0,     y1 = y1(y0, a0, a1, ...),     v1' linear in a0, a1, v0'

so for a cotangent g of z, that of y1 included, the multipliers mu = (nu, xs, sg) of the step follow from A^T mu = g,
A = dR/dz, and every other cotangent from - mu . dR.  A^T mu comes from pulls, exact whatever the iteration matrix
lacks; its factors, transposed, serve as the preconditioner of a stationary iteration, which takes two to five sweeps.
Step sizes are held.  Newton's own error is not seen: the run is taken as one whose equations hold.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import jit
from ..elements.bodies.coordinates import follow_carriers
from ..elements.bodies.lie_group_pull import as_rates, pull_accelerations, pull_start_of_step, turn_cotangents
from ..elements.bodies.mass import multiply_mass
from ..elements.joints.rows import multiply_G
from ..linalg.lu import lu_refactor, lu_solve_transposed
from ..model import ModelError
from ..system.implicit import REDUNDANT, Implicit, assemble, balance, decide_rows, stiffness
from ..system.kernels import accept_angles, evaluate_constraints, evaluate_frames, rate
from ..system.part_calls import accept_references
from ..system.pull import Pull, clear, pull, pull_balance, pull_projection, pull_values, to_state
from ..system.pull_outputs import pull_measured
from .adjoint import pull_arrays
from .adjoint_linear import LinearAdjoint
from .adjoint_turns import BeganAgain, end_of_run
from .tape import hold

SWEEPS = 60  # of a step at most
EXACT = 1e-13  # share of the multipliers that the last sweep may add
DECAYED = 1e-10  # pivots below this share of their column are chosen anew

Adjoint = namedtuple("Adjoint", ("I", "lu", "search", "a", "v", "xa", "xf", "r", "rx", "rl", "accb", "dyb", "kb",
                                 "rhs", "ys", "turn", "quat", "most", *Pull._fields, "pull"))  # fmt: skip
Adjoint.__doc__ = """Iteration work and factors of `system.implicit`; search: rows may be redundant; a, v (moves), xa,
xf (nx): cotangents of algorithmic and true accelerations and rates of states at the end of the step at hand; r (moves),
rx (nx), rl (m): what is left of A^T mu = g; accb (moves), dyb, kb, ys (ny), rhs (size), turn (3),
quat (4), most (3): work; results and work of pulls (`system.pull.Pull`), and together as ``pull``."""


_HANDLE = "Handle(Tables, Work, Adjoint(Iteration, LUArrays, Cotangents, ContactPull, Pull))"


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64{5 * ', float64[::1]'}")
def prepare(handle, t, y1, h, o, acc, lam, weights, yb):
    """The matrix at the end of a step, with pivots at hand; yb += cotangents of values there with ``weights``, where
    there are any.  Returns the worst pivot ratio."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    I = P.I
    p1 = (1.0 - o[4]) / (1.0 - o[5])
    aa = p1 / (o[1] * h * h)
    au = o[3] / (o[1] * h)
    ax = p1 / (o[3] * h)
    if weights.shape[0] > 0 and (S.fn.has_force > 0 or S.fn.has_acc > 0):
        pull_measured(S, W, P.pull, t, y1, weights, REDUNDANT, P.ys, P.dyb, P.kb, yb)
    for c in range(acc.shape[0]):
        I.acc[c] = acc[c]
    for r in range(lam.shape[0]):
        I.lam[r] = lam[r]
    evaluate_frames(S, W, y1)
    evaluate_constraints(S, W, t, y1)
    if P.search:
        decide_rows(S, W, I, REDUNDANT)
    balance(S, W, I, t, y1, 1.0, aa, au, ax)
    accept_angles(W)
    accept_references(S, W)
    if weights.shape[0] > 0 and not (S.fn.has_force > 0 or S.fn.has_acc > 0):
        clear(P.out.body)
        pull_values(S, W, P.pull, t, y1, weights, yb)
        to_state(S, P.pull, y1, yb)
    stiffness(S, W, I, t, y1)
    assemble(S, W, I, I.data, y1, P.search, 1.0, aa, au, ax, 0.5 * h * aa, 0.5 * h * au)
    return lu_refactor(P.lu, I.data)


@jit
def _size(values):
    """The largest of values."""
    most = 0.0
    for c in range(values.shape[0]):
        v = abs(values[c])
        if v > most:
            most = v
    return most


@jit
def solved(S, W, P, aa, ax):
    """P.rhs, what the transposed matrix of a Newton iteration gives, into P.nu (moves, over aa), P.kb (states, over ax)
    and P.sg (rows; those left out are 0).  Returns whether all is finite, and whether it is small against the largest
    so far, P.most."""
    im = P.I.im
    end = S.bodies.end
    clear(P.nu)
    clear(P.kb)
    for q in range(im.inside.shape[0]):
        j = im.inside[q]
        if j < im.nq:
            P.nu[im.moves[j]] = P.rhs[q] / aa
        elif j < im.nq + im.nx:
            P.kb[end + j - im.nq] = P.rhs[q] / ax
        else:
            P.sg[j - im.nq - im.nx] = P.rhs[q]
    follow_carriers(S.bodies, P.nu)
    if P.search:
        for q in range(S.rows.m):
            if W.skip[S.ldl.place[q]]:
                P.sg[q] = 0.0
    small = True
    for g in range(3):
        change = _size(P.nu if g == 0 else P.kb if g == 1 else P.sg)
        P.most[g] = max(P.most[g], change)
        small = small and change <= EXACT * P.most[g]
        if not (change < 1e300):
            return False, small
    return True, small


@jit(entry=f"{_HANDLE}, float64, float64{6 * ', float64[::1]'}, int64")
def back(handle, t, h, o, y0, y1, a0, a1, yb, sweeps):
    """Cotangents yb, P.a, P.v, P.xa, P.xf behind a step -> those before it; `prepare` has been called.  Returns the
    number of sweeps, 0 where ``sweeps`` are not enough."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    I = P.I
    im = I.im
    bodies = S.bodies
    end = bodies.end
    nx = im.nx
    nq = im.nq
    m = S.rows.m
    p1 = (1.0 - o[4]) / (1.0 - o[5])
    p0 = o[4] / (1.0 - o[5])
    pv = -o[5] / (1.0 - o[5])
    aa = p1 / (o[1] * h * h)
    ax = p1 / (o[3] * h)
    r = P.r
    rx = P.rx
    rl = P.rl
    for c in range(r.shape[0]):
        r[c] = P.a[c] + p1 * P.v[c]
        P.accb[c] = P.v[c]
    pull_accelerations(bodies, y0, y1, a0, a1, h, o, yb, P.z, P.turn, r)
    for k in range(nx):
        rx[k] = P.xa[k] + p1 * P.xf[k] + h * o[3] * yb[end + k]
    for q in range(m):
        rl[q] = 0.0
    done = 0
    for c in range(3):
        P.most[c] = 0.0
    for it in range(sweeps):
        turn_cotangents(bodies, y0, a0, a1, h, o, r, P.z, P.turn)
        for q in range(im.inside.shape[0]):
            j = im.inside[q]
            if j < nq:
                P.rhs[q] = P.z[im.moves[j]] / (o[1] * h * h)
            elif j < nq + nx:
                P.rhs[q] = rx[j - nq] / (o[3] * h)
            else:
                P.rhs[q] = aa * rl[j - nq - nx]
        lu_solve_transposed(P.lu, P.rhs, P.rhs)
        clear(P.dyb)
        finite, small = solved(S, W, P, aa, ax)
        if not finite:
            return 0
        pull_balance(S, W, P.pull, t, y1, P.kb, P.dyb)
        multiply_mass(bodies, 1.0, P.nu, P.z)
        for c in range(r.shape[0]):
            P.accb[c] -= P.z[c]
            r[c] -= p1 * P.z[c]
        pull_accelerations(bodies, y0, y1, a0, a1, h, o, P.dyb, P.z, P.turn, r)
        for k in range(nx):
            P.xf[k] -= P.kb[end + k]
            rx[k] += h * o[3] * P.dyb[end + k] - p1 * P.kb[end + k]
        if m > 0:
            multiply_G(S.rows, W.rw.G, P.nu, P.sg)
            for q in range(m):
                rl[q] -= P.sg[q] - P.lbar[q]
                if P.search and W.skip[S.ldl.place[q]]:
                    rl[q] = 0.0
        for c in range(yb.shape[0]):
            yb[c] += P.dyb[c]
        if small:
            done = it + 1
            break
    for c in range(P.a.shape[0]):
        P.a[c] = p0 * P.accb[c]
        P.v[c] = pv * P.accb[c]
    pull_start_of_step(bodies, y0, y1, a0, a1, h, o, yb, P.z, P.turn, P.quat, P.a)
    for k in range(nx):
        P.xa[k] = p0 * P.xf[k] + h * o[2] * yb[end + k]
        P.xf[k] = pv * P.xf[k]
    return done


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1], float64[::1]")
def begin(handle, t, y, weights, yb):
    """Cotangents before the first step: accelerations and rates there follow from the state, which was projected."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    bodies = S.bodies
    evaluate_frames(S, W, y)
    if weights.shape[0] > 0:
        if S.fn.has_force > 0 or S.fn.has_acc > 0:
            pull_measured(S, W, P.pull, t, y, weights, REDUNDANT, P.ys, P.dyb, P.kb, yb)
        else:
            clear(P.out.body)
            pull_values(S, W, P.pull, t, y, weights, yb)
            to_state(S, P.pull, y, yb)
    rate(S, W, t, y, P.dyb, REDUNDANT, 1)
    as_rates(bodies, P.a, P.v, P.kb)
    for k in range(P.xa.shape[0]):
        P.kb[bodies.end + k] = P.xa[k] + P.xf[k]
    pull(S, W, P.pull, t, y, P.kb, yb)
    pull_projection(S, W, P.pull, t, y, yb, REDUNDANT, True, True, False)


class AlphaAdjoint:
    """Adjoint of the steps of a method of the alpha family; ``handle``, ``P``: see `adjoint.pull_arrays`; ``error``: of
    a step unless given."""

    formulation = "I3"
    error = 1e-6

    def __init__(self, system, stepper, wanted, constants, directions=()):
        self.system, self.warnings = system, []
        self._implicit = implicit = Implicit(system)
        z, I = np.zeros, implicit.I
        moves, ny, nx, m = system.bodies.moves, len(system.y0), system.nx, system.m
        pull = pull_arrays(system, wanted, constants, directions)
        self.P = Adjoint(
            I, implicit.lu.arrays, not implicit.tree, z(moves), z(moves), z(nx), z(nx), z(moves), z(nx), z(m), z(moves),
            z(ny), z(ny), z(implicit.pattern.size), z(ny), z(3), z(4), z(3),
            *pull, pull,
        )  # fmt: skip
        self.handle = make_handle(implicit.S, system.W, self.P)

    def _follow_contacts(self, tape, k):
        """Contacts as they were held within step k of a tape, and their entries in the matrix; returns whether that
        has others than before."""
        implicit = self._implicit
        if not tape.held:
            return False
        hold(self.system.contacts, float(tape.times[k - 1]), tape.states[k - 1], tape.held[k])
        if not implicit.follow():
            return False
        self._use(implicit)
        return True

    def _use(self, implicit):
        """Take the arrays that the matrix has now."""
        self.P = self.P._replace(I=implicit.I, lu=implicit.lu.arrays)
        self.handle = make_handle(implicit.S, self.system.W, self.P)

    def beside(self):
        """Pulls of the equations of motion at a state, with the cotangents of numbers of this adjoint."""
        return LinearAdjoint.beside(self)

    def sweep(self, tape, weights, marked, yb):
        """Carry the cotangent yb behind the last step of a tape to before its first.  Raises ModelError where the
        linear systems of a step are not solved."""
        P = self.P
        times, states, traces = tape.times, tape.states, tape.traces
        none = np.zeros(0)
        last = len(times) - 1
        ends = last if tape.ends and marked[last] >= 0 else -1  # whose values are pulled with the time of the end
        of = lambda k: weights[marked[k]] if marked[k] >= 0 and k != ends else none
        if ends > 0:
            self.warnings += end_of_run(self.beside(), tape, weights[marked[last]], yb)
        fresh = True
        again = BeganAgain(self, tape)
        for k in range(last, 0, -1):
            t, h = float(times[k]), float(times[k] - times[k - 1])
            a1, acc, lam, formula = traces[k]
            y0, a0 = again.state(k - 1), (tape.begun[k - 1][1] if k - 1 in tape.begun else traces[k - 1][0])
            again.branch(k)
            if self._follow_contacts(tape, k):
                P, fresh = self.P, True
            worst = prepare(self.handle, t, states[k], h, formula, acc, lam, of(k), yb)
            if fresh or not worst > DECAYED:
                lu = self._implicit.lu
                lu.factor(P.I.data)
                if lu.arrays is not P.lu:
                    self.P = P = P._replace(lu=lu.arrays)
                    self.handle = make_handle(self._implicit.S, self.system.W, P)
                fresh = False
            done = back(self.handle, t, h, formula, y0, states[k], a0, a1, yb, SWEEPS)
            if not done:
                raise ModelError(
                    f"the transposed equations of the step to time {t:.6g} are not solved by its iteration matrix; use "
                    "DOP853, or shorter steps (hmax)"
                )
            if k - 1 in tape.begun:
                begin(self.handle, float(times[k - 1]), y0, none, yb)
                for cotangent in (P.a, P.v, P.xa, P.xf):
                    cotangent[:] = 0.0
                again.back(k - 1, yb)
        self.warnings += again.warnings
        begin(self.handle, float(times[0]), states[0], of(0), yb)
