"""Cotangents of forces and accelerations that functionals read at a state (kernels).

With J = f(lam, a, q, u) and cotangents lbar, abar of multipliers and accelerations at given q, u,

    S sg = G M^-1 abar - lbar,    nu = M^-1 (abar - G^T sg),    cotangent = f_(q, u) - nu . dR1 - sg . dR2

(see `pull`, `pull_reaction` for wrenches of constraints, and `pull.pull_laws` for those of forces with a law, which
depend on the state alone).
"""

from __future__ import annotations

from .._jit import jit
from ..elements.bodies.coupled import complete_accelerations, pull_coupled_inertia
from ..elements.bodies.layout import MOVES
from ..elements.frames import WRENCH
from ..elements.jets import axis_of, dot, plus, pull_point, row_of, times, turning, vector
from ..elements.joints.curve_pull import pull_curve_rows
from ..elements.measures import measure
from ..elements.vectors import unrotate
from .functions import FORCE, MEASURE, evaluate_force_inputs, frame_of_input
from .kernels import evaluate_constraints, evaluate_frames, factor_schur, project_velocity, rate
from .projection import impulse_motion
from .pull import clear, pull_accelerations, pull_laws, pull_projection, pull_values, to_state
from .pull_frames import any_of, pull_frame
from .pull_reaction import pull_reaction
from .reactions import gather_wrenches


@jit
def _pull_force(So, Wo, Po, S, W, P, y, k):
    """Of input k, a component or the size of a sum of wrenches."""
    fn = So.fn
    fr = So.fr
    wr = Wo.f.wr
    code = fn.inputs.code[k]
    rm = fn.inputs.c[k]
    o = 3 if code >= 4 else 0
    F = (0.0, 0.0, 0.0)
    for q in range(fn.src_ptr[k], fn.src_ptr[k + 1]):
        at = fn.src[q, 0]
        p = WRENCH * fn.src[q, 1] + o
        F = plus(F, times(fn.src[q, 2], (wr.out[at, p], wr.out[at, p + 1], wr.out[at, p + 2])))
    b = Po.ibar[k]
    if code == 0 or code == 4:
        size = dot(F, F) ** 0.5
        n = times(b / size if size > 0.0 else 0.0, F)
    else:
        axis = axis_of(fr.A, rm, (code - 1) % 4)
        n = times(b, axis)
        turned = times(b, vector(axis, F))
        for c in range(12):
            P.h[c] = turned[c - 3] if 3 <= c < 6 else 0.0
        pull_frame(fr, W.R, rm, P.h, Po.out)
    zero = (0.0, 0.0, 0.0)
    for q in range(fn.src_ptr[k], fn.src_ptr[k + 1]):
        x = times(fn.src[q, 2], n)
        at = fn.src[q, 0]
        if at >= wr.lo.shape[0]:  # of a force with a law: `pull_laws`
            p = WRENCH * fn.src[q, 1] + o
            for c in range(3):
                P.laws[at, p + c] += x[c]
            continue
        i, j = wr.i[at], wr.j[at]
        point = i if fn.src[q, 1] == 0 else j
        Fbar, Tbar = (zero, x) if o > 0 else (x, zero)
        pull_reaction(S, W, y, (i, j, wr.lo[at], wr.hi[at]), point, Fbar, Tbar, P.nu, P.none, P.lbar, P.h, P.out)
        if S.rows.cr.shape[0] > 0 or S.rows.vr.shape[0] > 0:  # the displacement is in P.nu, the multipliers in W.plam
            pull_curve_rows(S, W, P, y, W.acc, P.nu, P.none, P.none, P.none, W.plam)


@jit
def reads_laws(P):
    """Whether P.laws has cotangents of wrenches."""
    for k in range(P.laws.shape[0]):
        if any_of(P.laws[k]):
            return True
    return False


@jit
def _pull_acceleration(So, Po, W, P, y, k):
    """Of input k, a measure of accelerations: what the accelerations of its frames add."""
    inp = So.fn.inputs
    fr = So.fr
    R = W.R
    zero = (0.0, 0.0, 0.0)
    measure(inp.code[k], inp.a[k], inp.b[k], inp.c[k], inp.d[k], fr, 0.0, P.g)
    b = Po.ibar[k]
    for slot in range(4):
        frame = frame_of_input(inp, k, slot)
        body = fr.body[frame]
        o = 18 * slot + 12
        a = times(b, (P.g[o], P.g[o + 1], P.g[o + 2]))
        al = times(b, (P.g[o + 3], P.g[o + 4], P.g[o + 5]))
        motion = turning(R, body, y, W.acc, P.nu)
        pull_point(fr, R, frame, (motion[0], motion[1], zero), zero, zero, a, zero, Po.out)
        spin = plus(vector(row_of(fr.s, frame), a), al)
        spin = unrotate(R, body, spin[0], spin[1], spin[2])
        turn = vector(motion[1], al)
        turn = unrotate(R, body, turn[0], turn[1], turn[2])
        q = MOVES * body
        for c in range(3):
            Po.out.body[12 * body + 3 + c] += turn[c]
            P.abar[q + c] += a[c]
            P.abar[q + 3 + c] += spin[c]


@jit
def add_outputs(So, Wo, Po, S, W, P, t, y, weights, yb):
    """Add what weighted values of functions have: cotangents of frames to P.out and Po.out, of states to yb, of
    multipliers and accelerations to P.lbar and P.abar, of wrenches of forces with a law to P.laws (see `pull_laws`).

    So, Wo, Po: tables, work and results of the functions, which may have frames of their own (`outputs.OwnFrames`;
    P.out and Po.out share ``body``); S, W, P: those of the equations of motion.  The frames of the functions must be
    current.
    """
    fn = So.fn
    if fn.has_force > 0:
        gather_wrenches(Wo.f.wr, S, W)
        evaluate_force_inputs(fn, So.fr, Wo)
    pull_values(So, Wo, Po, t, y, weights, yb)
    if S.bodies.coupled.shape[0] > 0:
        complete_accelerations(S.bodies, W.acc)
    for k in range(fn.inputs.kind.shape[0]):
        if Po.ibar[k] == 0.0:
            continue
        if fn.inputs.kind[k] == FORCE:
            _pull_force(So, Wo, Po, S, W, P, y, k)
        elif fn.inputs.kind[k] == MEASURE and fn.inputs.level[k] == 2:
            _pull_acceleration(So, Po, W, P, y, k)


@jit
def read_outputs(S, W, P, t, y, weights, yb):
    """`pull_values` with what reactions and accelerations add to P.out and, as cotangents of multipliers and
    accelerations, to P.lbar and P.abar; of wrenches of forces with a law to P.laws."""
    clear(P.out.body)
    clear(P.abar)
    clear(P.lbar)
    add_outputs(S, W, P, S, W, P, t, y, weights, yb)


@jit(later="none")
def pull_outputs(S, W, P, t, y, weights, none, yb):
    """`pull_values` with reactions and accelerations, at a state whose rates were evaluated last; none (ny): zeros."""
    read_outputs(S, W, P, t, y, weights, yb)
    if reads_laws(P):
        pull_laws(S, W, P, t, y, yb)
    pull_accelerations(S, W, P, t, y, none, yb)


@jit(later="none")
def pull_measured(S, W, P, t, y, weights, eps, ys, ysb, none, yb):
    """yb += cotangents of weighted values of functions at a state y that need not fit the constraints: forces and
    accelerations are those of the state ys with the nearest velocities that do, as results have them
    (`session.recorder.Recorder.evaluate`), everything else that of y.  ys, ysb, none (ny): work."""
    bodies = S.bodies
    for c in range(y.shape[0]):
        ys[c] = y[c]
        ysb[c] = 0.0
    evaluate_frames(S, W, ys)
    if S.rows.m > 0:
        evaluate_constraints(S, W, t, ys)
        factor_schur(S, W, eps, 0)
        project_velocity(S, W, ys)
        for r in range(S.rows.m):
            P.slopes[r] = W.plam[r]
    rate(S, W, t, ys, none, eps, 0)
    evaluate_frames(S, W, y)
    read_outputs(S, W, P, t, y, weights, yb)
    to_state(S, P, y, yb)
    rate(S, W, t, ys, none, eps, 0)
    clear(none)
    clear(P.out.body)
    if reads_laws(P):
        pull_laws(S, W, P, t, ys, ysb)
    pull_accelerations(S, W, P, t, ys, none, ysb)
    if S.rows.m > 0:
        # M (us - u) + G^T mu = 0, G us + phit = 0
        for r in range(S.rows.m):
            P.sg[r] = P.slopes[r]
        pull_projection(S, W, P, t, ys, ysb, eps, True, False, True)
        impulse_motion(S, W.rw.G, P.slopes, 1.0, P.z)
        for b in range(bodies.n):
            o = MOVES * b
            for c in range(3):
                P.mass[b] += P.nu[o + c] * P.z[o + c]
                for k in range(3):
                    P.J[b, c, k] += P.nu[o + 3 + c] * P.z[o + 3 + k]
        if bodies.coupled.shape[0] > 0:
            for c in range(P.z.shape[0]):
                P.z[c] = -P.z[c]
            clear(P.out.body)
            pull_coupled_inertia(bodies, ys, P.z, P.nu, False, P.gravity, P.out.body, ysb, P.carried)
            to_state(S, P, ys, ysb)
    for c in range(yb.shape[0]):
        yb[c] += ysb[c]
