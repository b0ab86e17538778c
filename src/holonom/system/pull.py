"""Transposed derivatives of the equations of motion: from cotangents of rates to those of states and numbers (kernels).

For M a + G^T lam = F, G a = gamma, x' = f and cotangents abar of accelerations, with the factor at hand,

    S sg = G M^-1 abar - lbar,    nu = M^-1 (abar - G^T sg),
    cotangent of (state, numbers) = - nu . d(M a + G^T lam - F) - sg . d(phi'') + xbar . df        (a, lam held)

No matrix is assembled: rows have closed cotangents (`elements.joints.jets`), forces give those of their virtual power
nu . F.  The tables and work of the point must be those of its `kernels.rate`.
"""

from __future__ import annotations

from collections import namedtuple

from .._jit import jit
from .._six_points import AT, WEIGHTS
from ..elements.bodies.coordinates import solve_mass, speeds_of, tail_of
from ..elements.bodies.coupled import (
    complete_accelerations,
    loads_of_nodes,
    pull_coupled_inertia,
    pull_coupled_moves,
    pull_coupled_nodes,
)
from ..elements.bodies.layout import MOVES
from ..elements.bodies.pull import from_increments, keep_length, pull_bodies, pull_kinematics, to_increments
from ..elements.forces.pair_kinds import PAIR_KINDS
from ..elements.frames import WRENCH
from ..elements.jets import axis_of, dot, minus, plus, pull_axis, row_of, times, vector
from ..elements.joints.curve_pull import pull_curve_rows
from ..elements.joints.jets import pull_rows
from ..elements.joints.rows import add_GT, multiply_G
from ..elements.measures import measure
from ..elements.vectors import unrotate
from ..expressions.machine import jet
from ..linalg.ldl import ldl_solve
from .contact_entry import pull_contacts
from .functions import (
    ALONG,
    MEASURE,
    STATE,
    VECTOR,
    _direction,
    _positions,
    evaluate_functions,
    evaluate_inputs,
    flat_gradients,
    frame_of_input,
)
from .kernels import evaluate_constraints, evaluate_frames, factor_schur
from .part_calls import pull_loads, pull_part_wrenches, pull_parts
from .pull_frames import any_of, pull_frame, pull_lever, virtual_of, virtual_turn
from .pull_function_rows import pull_function_rows

Pull = namedtuple(
    "Pull",
    "out mass J gravity pairs wanted constants constant carried drive numbers nu sg abar lbar minus slopes z none "
    "krylov load given fbar ibar laws g tangent wrench virtual h contact still jets products",
)
Pull.__doc__ = """Results and work of pulls. out: `jets.Cotangents`; mass (nb,), J (nb, 3, 3) in principal axes,
gravity (3,): their cotangents; pairs: tuple of arrays like the tables of pair forces; wanted: the same, 1 where the
cotangent of a number is taken by differences of the law; constants (k,): places of constants of functions, and,
behind the last of these, of numbers of motions, whose cotangents are wanted, constant (k,) these; carried: of numbers
of coordinates of carriers, `carrier_pull.NUMBERS` each; drive (m): of the compliance of rows; numbers: all of these
in one array, which they share; abar (moves), lbar (m): of accelerations and multipliers (`pull_outputs`); krylov
(loads + 3, 2, m), or none: see `solve_transposed`. nu, z (moves), sg, minus, slopes, none (m; zeros), load, given
(moves): forces on nodes and cotangents of their accelerations, fbar (functions), ibar (inputs), laws (wrenches, 12):
of wrenches of forces with a law (`pull_laws`), g (72), tangent (12, 24), wrench (12), virtual (12), h (12): work;
contact: `ContactPull`; still (frames, 12), jets (6, frames, 6): work of `pull_function_rows`, products (11, 9): of
`curve_pull`."""

ContactPull = namedtuple("ContactPull", "address F place turn entries weights kept steps bar")
ContactPull.__doc__ = """Of contacts.  address (1) of `contact.pull.contact_pull`, zero where there are none; place,
turn (frames of shapes, 3): cotangents as in `jets.Cotangents`; bar (directions): cotangents of numbers along
directions, whose entries (.., 4), weights and steps `contact_pull` explains; F (moves), kept: work."""


# ---- pair forces -----------------------------------------------------------------------------------------------------
def _pulling(law, q):
    """Loop over a kind of pair forces: its own ``pull``, or one by its ``tangent``."""
    tangent, wrench, own = law.tangent, law.wrench, getattr(law, "pull", None)

    @jit
    def numbers(pairs, k, i, j, fr, ref, P, v):
        """Cotangents of the numbers that are wanted: central differences, exact for what is linear in them."""
        t = pairs.t[q]
        for c in range(t.shape[1]):
            if P.wanted[q][k, c] == 0:
                continue
            kept = t[k, c]
            h = abs(kept) if kept != 0.0 else 1.0
            x = 0.0
            for s in range(2):
                t[k, c] = kept + h if s == 0 else kept - h
                wrench(t, k, i, j, fr, ref, P.wrench)
                power = 0.0
                for e in range(12):
                    power += P.wrench[e] * v[e]
                x += power if s == 0 else -power
            t[k, c] = kept
            P.pairs[q][k, c] += x / (2.0 * h)

    if own is not None:

        @jit
        def row(pairs, t, k, at, fr, R, ref, virtual, levers, P):
            i = pairs.i[at]
            j = pairs.j[at]
            own(t, k, i, j, fr, ref, virtual, P.pairs[q], P.g)
            for side in range(2):
                f = i if side == 0 else j
                o = 18 * side
                for c in range(12):
                    P.h[c] = P.g[o + c]
                pull_frame(fr, R, f, P.h, P.out)
                if levers:
                    F = P.g[o + 12], P.g[o + 13], P.g[o + 14]
                    T = P.g[o + 15], P.g[o + 16], P.g[o + 17]
                    pull_lever(fr, R, f, virtual[1] if side == 0 else virtual[3], F, T, P.out)

    else:

        @jit
        def row(pairs, t, k, at, fr, R, ref, virtual, levers, P):
            i = pairs.i[at]
            j = pairs.j[at]
            D = P.tangent
            v = P.virtual
            for r in range(12):
                for c in range(24):
                    D[r, c] = 0.0
            tangent(t, k, i, j, fr, ref, P.wrench, D)
            vi, mi, vj, mj = virtual
            for c in range(3):
                v[c] = vi[c]
                v[3 + c] = mi[c]
                v[6 + c] = vj[c]
                v[9 + c] = mj[c]
            for c in range(24):
                g = 0.0
                for r in range(12):
                    g += v[r] * D[r, c]
                P.g[c] = g
            for side in range(2):
                f = i if side == 0 else j
                o = WRENCH * side
                for c in range(6):
                    P.h[c] = P.g[o + c]
                    P.h[6 + c] = P.g[12 + o + c]
                pull_frame(fr, R, f, P.h, P.out)
                if levers:
                    F = P.wrench[o], P.wrench[o + 1], P.wrench[o + 2]
                    T = P.wrench[o + 3], P.wrench[o + 4], P.wrench[o + 5]
                    pull_lever(fr, R, f, mi if side == 0 else mj, F, T, P.out)
            numbers(pairs, k, i, j, fr, ref, P, v)

    @jit
    def loop(x, pairs, t, a, b, fr, R, nu, P):
        ref = pairs.ref[a:b]
        for k in range(b - a):
            vi, mi = virtual_of(fr, R, pairs.i[a + k], nu)
            vj, mj = virtual_of(fr, R, pairs.j[a + k], nu)
            row(pairs, t, k, a + k, fr, R, ref, (vi, mi, vj, mj), True, P)
        return x

    @jit
    def given(x, pairs, t, a, b, fr, R, first, P):
        ref = pairs.ref[a:b]
        for k in range(b - a):
            v = P.laws[first + a + k]
            if not any_of(v):
                continue
            virtual = (v[0], v[1], v[2]), (v[3], v[4], v[5]), (v[6], v[7], v[8]), (v[9], v[10], v[11])
            row(pairs, t, k, a + k, fr, R, ref, virtual, False, P)
        return x

    return loop, given


def _over_pair_kinds(which: int, q: int = 0):
    loop = _pulling(PAIR_KINDS[q].law, q)[which]
    if q + 1 == len(PAIR_KINDS):

        @jit
        def last(x, pairs, *given):
            return loop(x, pairs, pairs.t[q], pairs.first[q], pairs.first[q + 1], *given)

        return last
    later = _over_pair_kinds(which, q + 1)

    @jit
    def run(x, pairs, *given):
        return later(loop(x, pairs, pairs.t[q], pairs.first[q], pairs.first[q + 1], *given), pairs, *given)

    return run


_pull_all = _over_pair_kinds(0)
_pull_wrenches = _over_pair_kinds(1)


@jit(later="none")
def pull_pairs(S, W, nu, P):
    """Cotangents of the virtual power of springs, bushings, fields and beams."""
    _pull_all(0, S.pairs, S.fr, W.R, nu, P)


@jit(later="none")
def pull_pair_wrenches(S, W, first, P):
    """Cotangents of the wrenches of springs, bushings, fields and beams times those in P.laws, from row ``first`` on.
    Frames must be current."""
    _pull_wrenches(0, S.pairs, S.fr, W.R, first, P)


# ---- functions -------------------------------------------------------------------------------------------------------
@jit
def _unit(fr, vf, k, c):
    """Of component c of force k: its unit vector, the distance of the markers where it acts along their line, the frame
    whose axis it is elsewhere, and whether it is a torque."""
    kind = vf.kind[k]
    turn = c >= 3 if kind == VECTOR else not (kind == ALONG or kind == 2)
    if kind == ALONG:
        j = vf.j[k]
        d = minus(row_of(fr.p, vf.i[k]), row_of(fr.p, j))
        length = dot(d, d) ** 0.5
        return times(1.0 / length if length > 0.0 else 0.0, d), length, j, turn
    a = vf.rm[k] if kind == VECTOR else vf.j[k]
    return axis_of(fr.A, a, c % 3 if kind == VECTOR else 2), 1.0, a, turn


@jit
def _pull_unit(S, W, vf, k, unit, xbar, P):
    """Of the cotangent xbar of the unit vector of `_unit`."""
    fr = S.fr
    R = W.R
    x, length, a, _ = unit
    if vf.kind[k] == ALONG:
        e = times(1.0 / length if length > 0.0 else 0.0, minus(xbar, times(dot(x, xbar), x)))
        for side in range(2):
            for q in range(12):
                P.h[q] = 0.0
            for q in range(3):
                P.h[q] = e[q] if side == 0 else -e[q]
            pull_frame(fr, R, vf.i[k] if side == 0 else a, P.h, P.out)
    else:
        zero = (0.0, 0.0, 0.0)
        still = zero, zero, zero
        pull_axis(fr, R, a, x, still, xbar, zero, zero, zero, P.out)


@jit
def _pull_direction(S, W, vf, k, c, v, nu, P):
    """What the direction and the point of a force of size v add, at given size."""
    fr = S.fr
    R = W.R
    out = P.out
    i = vf.i[k]
    vi, mi = virtual_of(fr, R, i, nu)
    r = vf.react[k]
    zero = (0.0, 0.0, 0.0)
    unit = _unit(fr, vf, k, c)
    turn = unit[3]
    F = times(v, unit[0])
    if turn:
        relative = mi
        pull_lever(fr, R, i, mi, zero, F, out)
    else:
        relative = vi
        pull_lever(fr, R, i, mi, F, zero, out)
    if r >= 0:
        mr = virtual_turn(R, r, nu)
        o = MOVES * r
        if turn:
            relative = minus(relative, mr)
            t = times(-1.0, vector(mr, F))
        else:
            L = minus(row_of(fr.p, i), row_of(W.f.pos, r))
            relative = minus(relative, plus((nu[o], nu[o + 1], nu[o + 2]), vector(mr, L)))
            t = times(-1.0, vector(mr, vector(L, F)))
            e = vector(F, mr)  # F . (mr x dL)
            for q in range(12):
                P.h[q] = 0.0
            for q in range(3):
                P.h[q] = -e[q]
                out.body[12 * r + q] += e[q]
            pull_frame(fr, R, i, P.h, out)
        t0, t1, t2 = unrotate(R, r, t[0], t[1], t[2])
        out.body[12 * r + 3] += t0
        out.body[12 * r + 4] += t1
        out.body[12 * r + 5] += t2
    _pull_unit(S, W, vf, k, unit, times(v, relative), P)


@jit
def _pull_inputs(S, W, P, yb):
    """Cotangents of functions, fbar, through their inputs to frames and states."""
    fn = S.fn
    f = W.f
    inp = fn.inputs
    for k in range(inp.kind.shape[0]):
        P.ibar[k] = 0.0
    for e in range(fn.flat_ptr.shape[0] - 1):
        if P.fbar[e] != 0.0:
            for q in range(fn.flat_ptr[e], fn.flat_ptr[e + 1]):
                P.ibar[fn.flat[q]] += P.fbar[e] * f.flat[q]
    for k in range(inp.kind.shape[0]):
        b = P.ibar[k]
        if b == 0.0:
            continue
        if inp.kind[k] == MEASURE:
            ref = 0.0
            if inp.ref[k] >= 0:
                ref = f.ref[inp.ref[k], 0]
            measure(inp.code[k], inp.a[k], inp.b[k], inp.c[k], inp.d[k], S.fr, ref, P.g)
            for slot in range(4):
                for c in range(12):
                    P.h[c] = b * P.g[18 * slot + c]
                pull_frame(S.fr, W.R, frame_of_input(inp, k, slot), P.h, P.out)
        elif inp.kind[k] == STATE:
            yb[fn.offset + inp.a[k]] += b


@jit
def _pull_constants(S, W, P):
    """Cotangents of constants of functions by differences of all functions; the step is short, since near to a touch of
    IMPACT and the like the points of a difference may lie on both sides."""
    fn = S.fn
    numbers = fn.programs.numbers
    n = P.fbar.shape[0]
    for c in range(P.constants.shape[0]):
        at = P.constants[c]
        if at >= numbers.shape[0]:  # of a motion
            continue
        kept = numbers[at]
        h = 2e-5 * abs(kept) if kept != 0.0 else 2e-3
        x = 0.0
        for s in range(6):
            numbers[at] = kept + AT[s] * h
            evaluate_functions(fn, S, W)
            for e in range(n):
                if P.fbar[e] != 0.0:
                    x += WEIGHTS[s] * P.fbar[e] * W.f.fval[e]
        numbers[at] = kept
        P.constant[c] += x / h
    if P.constants.shape[0] > 0:
        evaluate_functions(fn, S, W)


@jit(later="none")
def pull_functions(S, W, P, t, y, nu, kb, yb):
    """Cotangents of the virtual power of forces by functions and of optional parts, and of the rates of states."""
    fn = S.fn
    vf = fn.vforce
    evaluate_inputs(fn, S, W, t, y)
    evaluate_functions(fn, S, W)
    flat_gradients(fn, S, W)
    _positions(S, W, y)
    d = W.f.gvec
    for e in range(P.fbar.shape[0]):
        P.fbar[e] = 0.0
    for k in range(vf.i.shape[0]):
        bi = MOVES * S.fr.body[vf.i[k]]
        for c in range(6):
            e = vf.f[k, c]
            if e < 0:
                continue
            _direction(S, W, vf, k, c, d)
            power = 0.0
            for q in range(MOVES):
                power += d[q] * nu[bi + q]
            if vf.react[k] >= 0:
                for q in range(MOVES):
                    power += d[6 + q] * nu[MOVES * vf.react[k] + q]
            P.fbar[e] += power
            _pull_direction(S, W, vf, k, c, W.f.fval[e], nu, P)
    for k in range(fn.diff_f.shape[0]):
        P.fbar[fn.diff_f[k]] += kb[fn.offset + k]
    pull_parts(S, W, t, y, kb, yb, nu, P.fbar, P.lbar, P.out.body, P.out.place, P.out.turn)
    _pull_inputs(S, W, P, yb)
    _pull_constants(S, W, P)


@jit(later="none")
def pull_laws(S, W, P, t, y, yb):
    """Cotangents of wrenches of forces with a law times those in P.laws, which become zero: of function forces, pair
    forces and forces of registered types.  Frames must be current."""
    fn = S.fn
    vf = fn.vforce
    first = W.f.wr.lo.shape[0]
    evaluate_inputs(fn, S, W, t, y)
    evaluate_functions(fn, S, W)
    flat_gradients(fn, S, W)
    for e in range(P.fbar.shape[0]):
        P.fbar[e] = 0.0
    for k in range(vf.i.shape[0]):
        v = P.laws[first + k]
        if not any_of(v):
            continue
        back = 1.0 if vf.react[k] >= 0 else 0.0
        F = v[0] - back * v[6], v[1] - back * v[7], v[2] - back * v[8]
        T = v[3] - back * v[9], v[4] - back * v[10], v[5] - back * v[11]
        for c in range(6):
            e = vf.f[k, c]
            if e >= 0:
                unit = _unit(S.fr, vf, k, c)
                along = T if unit[3] else F
                P.fbar[e] += dot(along, unit[0])
                _pull_unit(S, W, vf, k, unit, times(W.f.fval[e], along), P)
    first += vf.i.shape[0]
    if S.pairs.i.shape[0] > 0:
        pull_pair_wrenches(S, W, first, P)
    pull_part_wrenches(S, W, t, y, yb, P.laws, P.fbar, P.out.body, P.out.place, P.out.turn)
    _pull_inputs(S, W, P, yb)
    _pull_constants(S, W, P)
    for k in range(P.laws.shape[0]):
        for c in range(12):
            P.laws[k, c] = 0.0


@jit(later="none")
def pull_values(S, W, P, t, y, weights, yb):
    """Cotangents of weighted values of functions at a state whose frames are current; weights (functions,)."""
    fn = S.fn
    evaluate_inputs(fn, S, W, t, y)
    evaluate_functions(fn, S, W)
    flat_gradients(fn, S, W)
    for e in range(P.fbar.shape[0]):
        P.fbar[e] = weights[e]
    _pull_inputs(S, W, P, yb)
    _pull_constants(S, W, P)


@jit
def _pull_motions(S, W, P, t, q0, q1, q2):
    """Cotangents of numbers of motions, f(t) of rows z - f(t), by differences of their values and time derivatives."""
    rows = S.rows
    numbers = S.motions.numbers
    first = S.fn.programs.numbers.shape[0]
    x = W.inputs
    for c in range(P.constants.shape[0]):
        at = P.constants[c] - first
        if at < 0:
            continue
        kept = numbers[at]
        h = 2e-4 * abs(kept) if kept != 0.0 else 2e-4
        total = 0.0
        x[0, 0] = t
        for s in range(6):
            numbers[at] = kept + AT[s] * h
            for k in range(rows.on.shape[0]):
                r = rows.on[k]
                if rows.motion[r] >= 0:
                    f, fd, fdd = jet(S.motions, rows.motion[r], x[0], x[1], x[2], W.stack)
                    if rows.level[r] == 0:
                        total -= WEIGHTS[s] * (q0[r] * f + q1[r] * fd + q2[r] * fdd)
                    elif rows.level[r] == 1:  # the function is the velocity
                        total -= WEIGHTS[s] * (q1[r] * f + q2[r] * fd)
                    else:
                        total -= WEIGHTS[s] * q2[r] * f
        numbers[at] = kept
        P.constant[c] += total / h


@jit
def pull_constraints(S, W, P, t, y, nu, q0, q1, q2, l):
    """Add to P.out the cotangents of all rows with weights q0, q1, q2 of value, rate and second derivative and l of the
    virtual work (m numbers each), at accelerations W.acc."""
    pull_rows(S, W, y, W.acc, nu, q0, q1, q2, l, P.out)
    _pull_motions(S, W, P, t, q0, q1, q2)
    if S.rows.cr.shape[0] > 0 or S.rows.vr.shape[0] > 0:
        pull_curve_rows(S, W, P, y, W.acc, nu, q0, q1, q2, l)
    if S.fn.gcon_row.shape[0] > 0:
        pull_function_rows(S, W, P, t, y, nu, q0, q1, q2, l)


# ---- the whole -------------------------------------------------------------------------------------------------------
@jit
def clear(x):
    for c in range(x.shape[0]):
        x[c] = 0.0


@jit
def to_state(S, P, y, yb):
    """yb += what P.out has of bodies, cotangents of the numbers of the state y, whose frames are current; nodes of
    flexible bodies follow the coordinates of these."""
    if S.bodies.coupled.shape[0] > 0:
        pull_coupled_nodes(S.bodies, y, P.out.body, yb, P.carried)
    from_increments(S.bodies.n, y, P.out.body, yb)


@jit
def _clear_ground(bodies, z):
    for c in range(MOVES * bodies.n, MOVES * bodies.n + MOVES):
        z[c] = 0.0


@jit
def _respond(S, W, P, abar, share, lbar):
    """P.nu, P.sg <- the solution of M nu + G^T sg = share abar, G nu = lbar; P.z: work."""
    bodies = S.bodies
    z = P.z
    for c in range(z.shape[0]):
        z[c] = share * abar[c]
    _clear_ground(bodies, z)
    solve_mass(bodies, z, P.nu)
    if S.rows.m == 0:
        return
    multiply_G(S.rows, W.rw.G, P.nu, P.sg)
    for r in range(P.sg.shape[0]):
        P.sg[r] -= lbar[r]
    ldl_solve(S.ldl, W.Lx, W.Di, P.sg, W.lwork)
    add_GT(S.rows, W.rw.G, P.sg, z, -1.0)
    _clear_ground(bodies, z)
    solve_mass(bodies, z, P.nu)


@jit
def solve_transposed(S, W, P, y):
    """P.nu, P.sg <- the solution of M nu + G^T sg = abar, G nu - F_lam^T nu = lbar, with abar and lbar of P.

    F_lam, by which loads of friction feel reactions, has one column a load: conjugate residuals on what it adds to
    lbar end in as many steps (Eisenstat, Elman, Schultz, SIAM J. Numer. Anal. 20 (1983) 345).
    """
    _respond(S, W, P, P.abar, 1.0, P.lbar)
    if P.krylov.shape[0] == 0:
        return
    rest = P.krylov[0, 0]
    found = P.krylov[0, 1]
    for r in range(rest.shape[0]):
        rest[r] = 0.0
        found[r] = 0.0
    pull_loads(S, W, y, P.nu, rest)
    size = _square(rest)
    if size == 0.0:
        return
    for k in range(1, P.krylov.shape[0]):
        p = P.krylov[k, 0]
        w = P.krylov[k, 1]
        for r in range(p.shape[0]):
            p[r] = rest[r]
        _respond(S, W, P, P.abar, 0.0, p)
        for r in range(w.shape[0]):
            w[r] = 0.0
        pull_loads(S, W, y, P.nu, w)
        for r in range(w.shape[0]):
            w[r] = p[r] - w[r]
        whole = _square(w)
        for j in range(1, k):
            along = 0.0
            for r in range(w.shape[0]):
                along += w[r] * P.krylov[j, 1, r]
            for r in range(w.shape[0]):
                w[r] -= along * P.krylov[j, 1, r]
                p[r] -= along * P.krylov[j, 0, r]
        left = _square(w)
        if not left > 1e-24 * whole:
            break
        along = 0.0
        for r in range(w.shape[0]):
            w[r] /= left**0.5
            p[r] /= left**0.5
            along += w[r] * rest[r]
        for r in range(w.shape[0]):
            found[r] += along * p[r]
            rest[r] -= along * w[r]
        if _square(rest) <= 1e-30 * size:
            break
    for r in range(found.shape[0]):
        P.lbar[r] += found[r]
    _respond(S, W, P, P.abar, 1.0, P.lbar)


@jit
def _square(x):
    out = 0.0
    for r in range(x.shape[0]):
        out += x[r] * x[r]
    return out


@jit(apart=True)
def pull(S, W, P, t, y, kb, yb):
    """yb += J^T kb at the point where the rates were evaluated last with these tables and this work; cotangents of
    numbers are added to those of P."""
    bodies = S.bodies
    clear(P.out.body)
    clear(P.lbar)
    speeds_of(bodies, kb, P.abar)
    pull_accelerations(S, W, P, t, y, kb, yb)
    pull_kinematics(bodies, y, kb, yb)


@jit
def pull_accelerations(S, W, P, t, y, kb, yb):
    """Of cotangents abar, lbar of accelerations and multipliers, and kb of rates of states, in addition to what P.out
    has."""
    coupled = S.bodies.coupled.shape[0] > 0
    if coupled:
        complete_accelerations(S.bodies, W.acc)
        for c in range(P.load.shape[0]):
            P.load[c] = W.F[c]
    solve_transposed(S, W, P, y)
    if coupled:
        for c in range(P.given.shape[0]):
            P.given[c] = P.abar[c]
        if S.rows.m > 0:
            add_GT(S.rows, W.rw.G, P.sg, P.given, -1.0)
        pull_coupled_moves(S.bodies, y, W.acc, P.given, True, P.out.body, yb, P.carried)
    if S.rows.m > 0:
        for r in range(P.sg.shape[0]):
            P.sg[r] = -P.sg[r]
            W.plam[r] = -W.lam[r]
            if S.rows.compliance[r] != 0.0:
                P.drive[r] -= P.sg[r] * W.lam[r]
        pull_constraints(S, W, P, t, y, P.nu, P.none, P.none, P.sg, W.plam)
    _pull_forces(S, W, P, t, y, kb, yb)


@jit
def _pull_forces(S, W, P, t, y, kb, yb):
    """- nu . d(M a - F) + kb . d(rates of states), with nu of P, and what P.out has of rows, to yb."""
    bodies = S.bodies
    if S.pairs.i.shape[0] > 0:
        pull_pairs(S, W, P.nu, P)
    if P.fbar.shape[0] > 0:
        pull_functions(S, W, P, t, y, P.nu, kb, yb)
    else:
        pull_parts(S, W, t, y, kb, yb, P.nu, P.fbar, P.lbar, P.out.body, P.out.place, P.out.turn)
    pull_contacts(S, W, P, t, y)
    pull_bodies(bodies, y, W.acc, P.nu, P)
    if bodies.coupled.shape[0] > 0:
        pull_coupled_inertia(bodies, y, W.acc, P.nu, True, P.gravity, P.out.body, yb, P.carried)
        pull_coupled_moves(bodies, y, P.nu, P.load, False, P.out.body, yb, P.carried)
    to_state(S, P, y, yb)


@jit(apart=True)
def pull_balance(S, W, P, t, y, kb, yb):
    """yb += - nu . d(M a + G^T lam - F) - sg . d(phi) + kb . d(rates of states), with nu and sg of P, at accelerations
    W.acc and multipliers W.lam, which are held; kb counts where states are.  P.lbar <- (dF/dlam)^T nu.  Frames and rows
    must be current."""
    clear(P.out.body)
    clear(P.lbar)
    if S.bodies.coupled.shape[0] > 0:
        loads_of_nodes(S.bodies, P.load)
    if S.rows.m > 0:
        for r in range(P.sg.shape[0]):
            P.minus[r] = -P.sg[r]
            W.plam[r] = -W.lam[r]
        pull_constraints(S, W, P, t, y, P.nu, P.minus, P.none, P.none, W.plam)
    _pull_forces(S, W, P, t, y, kb, yb)


@jit(apart=True)
def pull_stabilised(S, W, P, t, y, mu, rho, tau, n, w, kb, yb):
    """`pull_balance` with + rho . d(u + M^-1 G^T mu) - tau . d(phi'): of the stabilised equations of index 2.
    n (moves): M^-1 rho, w (moves): M^-1 G^T mu."""
    clear(P.out.body)
    clear(P.lbar)
    bodies = S.bodies
    coupled = bodies.coupled.shape[0] > 0
    if coupled:
        loads_of_nodes(bodies, P.load)
    if S.rows.m > 0:
        for r in range(P.sg.shape[0]):
            P.minus[r] = -P.sg[r]
            P.slopes[r] = -tau[r]
            W.plam[r] = -W.lam[r]
        pull_constraints(S, W, P, t, y, P.nu, P.minus, P.slopes, P.none, W.plam)
        for r in range(P.sg.shape[0]):
            W.plam[r] = mu[r]
        pull_constraints(S, W, P, t, y, n, P.none, P.none, P.none, W.plam)
        if coupled:
            clear(P.given)
            add_GT(S.rows, W.rw.G, mu, P.given, 1.0)
            pull_coupled_moves(bodies, y, n, P.given, False, P.out.body, yb, P.carried)
            pull_coupled_inertia(bodies, y, w, n, False, P.gravity, P.out.body, yb, P.carried)
        for b in range(bodies.n):
            o = MOVES * b
            for c in range(3):
                P.mass[b] -= n[o + c] * w[o + c]
                for k in range(3):
                    P.J[b, c, k] -= n[o + 3 + c] * w[o + 3 + k]
    for b in range(bodies.n):
        for c in range(MOVES):
            P.out.body[12 * b + MOVES + c] += rho[MOVES * b + c]
    tail, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        yb[v + i] += rho[tail + i]
    _pull_forces(S, W, P, t, y, kb, yb)


@jit(apart=True)
def pull_projection(S, W, P, t, y, yb, eps, velocities, positions, impulses):
    """yb <- cotangent before a projection that ended at y, from that after it.

    The metric is that of the bodies in S.  ``impulses``: multipliers of the velocity projection are in P.sg (they
    count where velocities changed much); those of positions are left out, terms of the size of the gap.
    """
    bodies = S.bodies
    n = bodies.n
    z = P.z
    nu = P.nu
    sg = P.sg
    evaluate_frames(S, W, y)
    if S.rows.m > 0:
        evaluate_constraints(S, W, t, y)
        factor_schur(S, W, eps, 0)
        if velocities:
            clear(P.out.body)
            speeds_of(bodies, yb, z)
            _clear_ground(bodies, z)
            solve_mass(bodies, z, nu)
            for r in range(sg.shape[0]):
                W.plam[r] = -sg[r] if impulses else 0.0
            multiply_G(S.rows, W.rw.G, nu, sg)
            ldl_solve(S.ldl, W.Lx, W.Di, sg, W.lwork)
            if impulses:
                add_GT(S.rows, W.rw.G, sg, z, -1.0)
                _clear_ground(bodies, z)
                solve_mass(bodies, z, nu)
                if bodies.coupled.shape[0] > 0:
                    clear(P.given)
                    add_GT(S.rows, W.rw.G, W.plam, P.given, 1.0)
                    pull_coupled_moves(bodies, y, nu, P.given, False, P.out.body, yb, P.carried)
            for r in range(sg.shape[0]):
                sg[r] = -sg[r] if S.rows.level[r] != 2 else 0.0  # velocities alone do not meet these
            pull_constraints(S, W, P, t, y, nu, P.none, sg, P.none, W.plam)
            to_state(S, P, y, yb)
        if positions:
            clear(P.out.body)
            to_increments(bodies, y, yb, z)
            solve_mass(bodies, z, nu)
            multiply_G(S.rows, W.rw.G, nu, sg)
            ldl_solve(S.ldl, W.Lx, W.Di, sg, W.lwork)
            for r in range(sg.shape[0]):
                sg[r] = -sg[r] if S.rows.level[r] == 0 else 0.0
            pull_constraints(S, W, P, t, y, nu, sg, P.none, P.none, P.none)
            to_state(S, P, y, yb)
    keep_length(n, y, yb)
