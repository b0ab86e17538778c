"""Cotangents of reactions and accelerations that functionals read at a state (kernels).

With J = f(lam, a, q, u) and cotangents lbar, abar of multipliers and accelerations at given q, u,

    S sg = G M^-1 abar - lbar,    nu = M^-1 (abar - G^T sg),    cotangent = f_(q, u) - nu . dR1 - sg . dR2

(see `pull`).  The wrench of a constraint on a frame, times cotangents (Fbar, Tbar) in ground axes, is the virtual power
- lam . G m of a displacement m of one body, that which moves the frame by Fbar and turns it by Tbar.
"""

from __future__ import annotations

from .._jit import jit
from ..elements.bodies.coordinates import solve_mass
from ..elements.bodies.layout import MOVES
from ..elements.frames import WRENCH
from ..elements.jets import axis_of, dot, minus, plus, pull_point, row_of, times, turning, vector
from ..elements.joints.jets import pull_rows
from ..elements.joints.rows import add_GT, multiply_G
from ..elements.measures import measure
from ..elements.vectors import rotate, unrotate
from ..linalg.ldl import ldl_solve
from .functions import FORCE, MEASURE, evaluate_force_inputs, frame_of_input
from .pull import _pull_forces, clear, pull_frame, pull_values
from .reactions import gather_wrenches


@jit
def _pull_reaction(S, W, P, y, constraint, side, Fbar, Tbar):
    """Of Fbar . F + Tbar . T, the wrench of a constraint on the frame of a side."""
    fr = S.fr
    R = W.R
    wr = W.f.wr
    i = wr.i[constraint]
    j = wr.j[constraint]
    own = j if fr.body[i] == S.bodies.n else i  # the frame of the body whose gradients count
    point = i if side == 0 else j
    b = fr.body[own]
    sign = 1.0 if point == own else -1.0
    Fbar = times(sign, Fbar)
    Tbar = times(sign, Tbar)
    lever = plus(row_of(fr.s, own), minus(row_of(fr.p, point), row_of(fr.p, own)))
    move = minus(Fbar, vector(Tbar, lever))
    turn = unrotate(R, b, Tbar[0], Tbar[1], Tbar[2])
    for c in range(P.nu.shape[0]):
        P.nu[c] = 0.0
    o = MOVES * b
    for c in range(3):
        P.nu[o + c] = move[c]
        P.nu[o + 3 + c] = turn[c]
    multiply_G(S.rows, W.rw.G, P.nu, P.sg)
    for r in range(S.rows.m):
        W.plam[r] = 0.0
    f = (0.0, 0.0, 0.0)
    t = (0.0, 0.0, 0.0)
    for r in range(wr.lo[constraint], wr.hi[constraint]):
        P.lbar[r] -= P.sg[r]
        W.plam[r] = -W.lam[r]
        for q in range(S.rows.rp[r], S.rows.rp[r + 1]):
            if S.rows.slot_body[q] == b:
                G = W.rw.G
                f = plus(f, times(-W.lam[r], (G[q, 0], G[q, 1], G[q, 2])))
                t = plus(t, times(-W.lam[r], (G[q, 3], G[q, 4], G[q, 5])))
    pull_rows(S, W, y, W.acc, P.nu, P.none, P.none, P.none, W.plam, P.out)
    # the displacement itself, whose lever and axes turn with the body
    g = vector(Tbar, f)
    for c in range(12):
        P.h[c] = g[c] if c < 3 else 0.0
    pull_frame(fr, R, point, P.h, P.out)
    t = rotate(R, b, t[0], t[1], t[2])
    t = vector(t, Tbar)
    t = unrotate(R, b, t[0], t[1], t[2])
    for c in range(3):
        P.out.body[12 * b + c] -= g[c]
        P.out.body[12 * b + 3 + c] += t[c]


@jit
def _pull_force(S, W, P, y, k):
    """Of input k, a component or the size of a sum of wrenches."""
    fn = S.fn
    fr = S.fr
    wr = W.f.wr
    code = fn.inputs.code[k]
    rm = fn.inputs.c[k]
    o = 3 if code >= 4 else 0
    F = (0.0, 0.0, 0.0)
    for q in range(fn.src_ptr[k], fn.src_ptr[k + 1]):
        at = fn.src[q, 0]
        p = WRENCH * fn.src[q, 1] + o
        F = plus(F, times(fn.src[q, 2], (wr.out[at, p], wr.out[at, p + 1], wr.out[at, p + 2])))
    b = P.ibar[k]
    if code == 0 or code == 4:
        size = dot(F, F) ** 0.5
        n = times(b / size if size > 0.0 else 0.0, F)
    else:
        axis = axis_of(fr.A, rm, (code - 1) % 4)
        n = times(b, axis)
        turned = times(b, vector(axis, F))
        for c in range(12):
            P.h[c] = turned[c - 3] if 3 <= c < 6 else 0.0
        pull_frame(fr, W.R, rm, P.h, P.out)
    zero = (0.0, 0.0, 0.0)
    for q in range(fn.src_ptr[k], fn.src_ptr[k + 1]):
        x = times(fn.src[q, 2], n)
        _pull_reaction(S, W, P, y, fn.src[q, 0], fn.src[q, 1], zero if o > 0 else x, x if o > 0 else zero)


@jit
def _pull_acceleration(S, W, P, y, k):
    """Of input k, a measure of accelerations: what the accelerations of its frames add."""
    inp = S.fn.inputs
    fr = S.fr
    R = W.R
    zero = (0.0, 0.0, 0.0)
    measure(inp.code[k], inp.a[k], inp.b[k], inp.c[k], inp.d[k], fr, 0.0, P.g)
    b = P.ibar[k]
    for slot in range(4):
        frame = frame_of_input(inp, k, slot)
        body = fr.body[frame]
        o = 18 * slot + 12
        a = times(b, (P.g[o], P.g[o + 1], P.g[o + 2]))
        al = times(b, (P.g[o + 3], P.g[o + 4], P.g[o + 5]))
        motion = turning(R, body, y, W.acc, P.nu)
        pull_point(fr, R, frame, (motion[0], motion[1], zero), zero, zero, a, zero, P.out)
        spin = plus(vector(row_of(fr.s, frame), a), al)
        spin = unrotate(R, body, spin[0], spin[1], spin[2])
        turn = vector(motion[1], al)
        turn = unrotate(R, body, turn[0], turn[1], turn[2])
        q = MOVES * body
        for c in range(3):
            P.out.body[12 * body + 3 + c] += turn[c]
            P.abar[q + c] += a[c]
            P.abar[q + 3 + c] += spin[c]


@jit(later="none")
def pull_outputs(S, W, P, t, y, weights, none, yb):
    """`pull_values` with reactions and accelerations, at a state whose rates were evaluated last; none (ny): zeros."""
    fn = S.fn
    bodies = S.bodies
    n = bodies.n
    clear(P.out.body)
    clear(P.abar)
    clear(P.lbar)
    if fn.has_force > 0:
        gather_wrenches(W.f.wr, S, W)
        evaluate_force_inputs(fn, S.fr, W)
    pull_values(S, W, P, t, y, weights, yb)
    for k in range(fn.inputs.kind.shape[0]):
        if P.ibar[k] == 0.0:
            continue
        if fn.inputs.kind[k] == FORCE:
            _pull_force(S, W, P, y, k)
        elif fn.inputs.kind[k] == MEASURE and fn.inputs.level[k] == 2:
            _pull_acceleration(S, W, P, y, k)
    z = P.z
    for c in range(z.shape[0]):
        z[c] = P.abar[c] if c < MOVES * n else 0.0
    solve_mass(bodies, z, P.nu)
    if S.rows.m > 0:
        multiply_G(S.rows, W.rw.G, P.nu, P.sg)
        for r in range(P.sg.shape[0]):
            P.sg[r] -= P.lbar[r]
        ldl_solve(S.ldl, W.Lx, W.Di, P.sg, W.lwork)
        add_GT(S.rows, W.rw.G, P.sg, z, -1.0)
        for c in range(MOVES * n, z.shape[0]):
            z[c] = 0.0
        solve_mass(bodies, z, P.nu)
        for r in range(P.sg.shape[0]):
            P.sg[r] = -P.sg[r]
            W.plam[r] = -W.lam[r]
        pull_rows(S, W, y, W.acc, P.nu, P.none, P.none, P.sg, W.plam, P.out)
    _pull_forces(S, W, P, t, y, none, yb)
