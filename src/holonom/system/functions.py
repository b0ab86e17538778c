"""Everything that expressions drive: variables, forces, differential equations, general constraints.

A *function* is an expression over numbered *inputs*.  An input is TIME, a parameter (MODE, SENVAL), a kinematic
measure, a state, the value of another function (VARVAL, ARYVAL, DIF1), or a force (JOINT, SFORCE, FX, ...).  Functions
are evaluated in the order of their dependencies; those that depend on each other in a circle form a loop and are solved
together by Newton's method, 0 = f(z) - z (or 0 = f(z) for an implicit differential equation).  Every function therefore
has a value and an exact gradient over inputs that are not functions, whatever lies between (implicit function theorem
for loops).

Branches that are held within a step (`expressions.freeze`) are inputs as well, -1 or 1.  A function that gives no
number on them, as MAX(0,u)**1.5 held at u where the state lies a hair before u = 0, is evaluated again with the
branches that its conditions have there.

Force inputs (reactions, accelerations) take the value of the last evaluation; their gradient is not in the iteration
matrix, so models that feed reactions back converge linearly in them.
"""

from __future__ import annotations

import math
from collections import namedtuple

from .._jit import jit
from ..elements.bodies.coupled import turn_coupled_frames
from ..elements.bodies.layout import MOVES, RATES
from ..elements.bodies.layout import STATE as BODY
from ..elements.frames import (
    STEP,
    accelerate_frames,
    displace,
    displacement,
    keep_places,
    pull_back,
    put_back,
    put_back_body,
    turn_body,
)
from ..elements.joints.rows import PRESENT
from ..elements.measures import measure, measure_jet, measure_value
from ..elements.vectors import cross, unrotate
from ..expressions.machine import gradient, jet, value
from .callbacks import call_user
from .flags import UNSOLVED, USER_FAILED
from .reactions import gather_wrenches, wrench_component

TIME, PARAMETER, MEASURE, STATE, FUNCTION, FORCE = range(6)
BRANCH = 1  # code of a parameter that holds the branch of a condition
LET_GO = 1e-300  # times such a branch: its condition decides for now
ALONG, ABOUT, ALONG_Z, ABOUT_Z, VECTOR = range(5)

# ikind, icode, ia..id (frames, state number, function number), iref: index into ref for continuous angles, has_acc
Inputs = namedtuple("Inputs", "kind code a b c d ref level")
# programs; user: user block of a function or -1, ucomp its component; group_ptr/group: functions in order of
# evaluation, group_loop 1 for loops; residual 1 where 0 = f(z) instead of 0 = f(z) - z; var_input: input that carries
# its value or -1 own_ptr/own_target: for every own input of a function its position in the flat gradient, or -(g+1) for
# function g; exp_ptr/exp: where g's flat entries go; flat_ptr/flat: flat (primitive) inputs of each function; gcon_x:
# inputs that are states read by a general constraint; gcon_at (n + 1,), gcon_pos: places of the square of its bodies in
# the iteration matrix; gcon_size (1,): the least length of which steps of differences are a share
Functions = namedtuple(
    "Functions",
    "programs user ucomp group_ptr group group_loop residual var_input own_ptr own_target own_exp exp flat_ptr flat "
    "nstates offset inputs islot_ptr islot_body vforce diff_f diff_pos gcon_row gcon_f gcon_x gcon_at gcon_pos "
    "gcon_size src_ptr src users uptr uinputs has_acc has_force",
)
# kind, i, j frames (rm for VECTOR), body of the reaction or -1, f (n, 6) functions or -1, out (n, 6) wrench on I,
# pos, geo: positions in the iteration matrix
VForces = namedtuple("VForces", "kind i j rm react f out geo pos_ptr pos")
FunctionWork = namedtuple("FunctionWork", "x xd xdd ref clock fval own flat stack A B islot gvec KL uout wr pos")


@jit(apart=True)
def evaluate_inputs(fn, S, W, t, y):
    """Values of all inputs that are not functions."""
    inp = fn.inputs
    f = W.f
    if fn.has_acc > 0:
        accelerate_frames(S.fr, W.acc, W.R)
        turn_coupled_frames(S.bodies, W.R, S.fr)
    for k in range(inp.kind.shape[0]):
        kind = inp.kind[k]
        if kind == MEASURE:
            ref = 0.0
            if inp.ref[k] >= 0:
                ref = f.ref[inp.ref[k], 0] + f.ref[inp.ref[k], 1] * (t - f.clock[0])
            f.x[k] = measure_value(inp.code[k], inp.a[k], inp.b[k], inp.c[k], inp.d[k], S.fr, ref)
        elif kind == TIME:
            f.x[k] = t
        elif kind == STATE:
            f.x[k] = y[fn.offset + inp.a[k]]
        elif inp.code[k] == BRANCH and kind == PARAMETER and f.x[k] != 0.0:
            f.x[k] = math.copysign(1.0, f.x[k])  # one that was released


@jit
def evaluate_force_inputs(fn, fr, W):
    """Inputs that are forces, from the wrenches last gathered."""
    inp = fn.inputs
    for k in range(inp.kind.shape[0]):
        if inp.kind[k] == FORCE:
            lo = fn.src_ptr[k]
            W.f.x[k] = wrench_component(W.f.wr, fr, fn.src[lo:], fn.src_ptr[k + 1] - lo, inp.code[k], inp.c[k])


@jit(apart=True)
def evaluate_functions(fn, S, W):
    """Values of all functions, in order; loops by Newton's method from their last values.  Branches on which a function
    gives no number are released, and stay so until inputs are evaluated again: gradients are those of the values."""
    unsolved = W.flags[UNSOLVED]
    _evaluate(fn, W)
    while _let_go(fn, W.f):
        W.flags[UNSOLVED] = unsolved
        _evaluate(fn, W)


@jit
def _let_go(fn, f):
    """Whether branches are held on which a function gives no number: they are released."""
    found = False
    for e in range(f.fval.shape[0]):
        if f.fval[e] != f.fval[e]:
            for p in range(fn.flat_ptr[e], fn.flat_ptr[e + 1]):
                k = fn.flat[p]
                if fn.inputs.code[k] == BRANCH and fn.inputs.kind[k] == PARAMETER and abs(f.x[k]) == 1.0:
                    f.x[k] *= LET_GO
                    found = True
    return found


@jit
def _evaluate(fn, W):
    f = W.f
    f.uout[len(f.uout) - 1] = 0.0  # routines are asked anew at each evaluation: they may know better by now
    for g in range(fn.group_loop.shape[0]):
        lo = fn.group_ptr[g]
        hi = fn.group_ptr[g + 1]
        if fn.group_loop[g] == 0:
            e = fn.group[lo]
            f.fval[e] = _value(fn, W, e)
            if fn.var_input[e] >= 0:
                f.x[fn.var_input[e]] = f.fval[e]
        else:
            _solve_loop(fn, W, lo, hi)


@jit
def _value(fn, W, e):
    f = W.f
    if fn.user[e] >= 0:
        return _user_value(fn, W, fn.user[e], fn.ucomp[e])
    return value(fn.programs, e, f.x, f.stack)


@jit
def _user_value(fn, W, u, component):
    """Component of a user routine at the present inputs; within one evaluation one call serves the components of a
    force."""
    f = W.f
    last = len(f.uout) - 1  # 1 + number of the routine whose inputs and outputs stand in the buffer
    same = f.uout[last] == u + 1
    lo = fn.uptr[u]
    n = fn.uptr[u + 1] - lo
    for k in range(n):
        x = f.x[fn.uinputs[lo + k]]
        same = same and f.uout[16 + k] == x
        f.uout[16 + k] = x
    if not same:
        f.uout[last] = u + 1
        if call_user(fn.users[0], u, f.uout) != 0:
            W.flags[USER_FAILED] = u + 1
            f.uout[last] = 0.0
    return f.uout[component]


@jit
def _own_gradient(fn, W, e):
    """own[0:n] <- gradient with respect to the function's own inputs; returns the value."""
    f = W.f
    u = fn.user[e]
    if u < 0:
        return gradient(fn.programs, e, f.x, f.stack, f.own)
    base = _user_value(fn, W, u, fn.ucomp[e])
    lo = fn.uptr[u]
    for k in range(fn.uptr[u + 1] - lo):  # forward differences: a routine gives no derivatives
        idx = fn.uinputs[lo + k]
        x = f.x[idx]
        h = 1e-7 * max(abs(x), 0.1)
        f.x[idx] = x + h
        f.own[k] = (_user_value(fn, W, u, fn.ucomp[e]) - base) / h
        f.x[idx] = x
    return base


@jit
def _own_count(fn, e):
    return fn.own_ptr[e + 1] - fn.own_ptr[e]


@jit
def _solve_loop(fn, W, lo, hi):
    f = W.f
    n = hi - lo
    A = f.A
    for r in range(n):
        k = fn.var_input[fn.group[lo + r]]
        if f.x[k] != f.x[k]:  # from an evaluation that gave no number
            f.x[k] = 0.0
    for iteration in range(50):
        size = 0.0
        for r in range(n):
            e = fn.group[lo + r]
            v = _own_gradient(fn, W, e)
            o = fn.own_ptr[e]
            for c in range(n):
                A[r, c] = 0.0
            for q in range(_own_count(fn, e)):
                target = fn.own_target[o + q]
                if target < 0:
                    g = -target - 1
                    for c in range(n):
                        if fn.group[lo + c] == g:
                            A[r, c] += f.own[q]
            x = f.x[fn.var_input[e]]
            if fn.residual[e] == 0:
                A[r, r] -= 1.0
                A[r, n] = x - v
            else:
                A[r, n] = -v
        _eliminate(A, n, n + 1)
        for r in range(n):
            e = fn.group[lo + r]
            k = fn.var_input[e]
            f.x[k] += A[r, n]
            change = abs(A[r, n]) / (1e-6 + abs(f.x[k]))
            if not change <= size:  # also NaN: a singular loop has no solution
                size = change
        if size < 1e-13:
            break
        if not (size < 1e200) or iteration == 49:
            if size > 1e-9 or size != size:
                W.flags[UNSOLVED] = fn.group[lo] + 1
            break
    for r in range(n):
        e = fn.group[lo + r]
        f.fval[e] = f.x[fn.var_input[e]]


@jit
def _eliminate(A, n, m):
    """Gauss with row pivoting on A (n, m): columns n.. become the solution."""
    for k in range(n):
        p = k
        for r in range(k + 1, n):
            if abs(A[r, k]) > abs(A[p, k]):
                p = r
        if p != k:
            for c in range(m):
                v = A[k, c]
                A[k, c] = A[p, c]
                A[p, c] = v
        d = A[k, k]
        for c in range(k, m):
            A[k, c] /= d
        for r in range(n):
            if r != k:
                v = A[r, k]
                if v != 0.0:
                    for c in range(k, m):
                        A[r, c] -= v * A[k, c]


@jit
def _direction(S, W, vf, k, c, out):
    """Generalised force of a unit component c of force k: out[0:6] on the body of I, out[6:12] on that of the reaction.
    Also the unit vector; translational (0) or rotational (1)."""
    fr = S.fr
    i = vf.i[k]
    j = vf.j[k]
    kind = vf.kind[k]
    turn = c >= 3
    if kind == VECTOR:
        a = vf.rm[k]
        axis = c % 3
        d0 = fr.A[a, axis]
        d1 = fr.A[a, 3 + axis]
        d2 = fr.A[a, 6 + axis]
    elif kind == ALONG:
        d0 = fr.p[i, 0] - fr.p[j, 0]
        d1 = fr.p[i, 1] - fr.p[j, 1]
        d2 = fr.p[i, 2] - fr.p[j, 2]
        length = (d0 * d0 + d1 * d1 + d2 * d2) ** 0.5
        if length > 0.0:
            d0 /= length
            d1 /= length
            d2 /= length
    else:
        d0 = fr.A[j, 2]
        d1 = fr.A[j, 5]
        d2 = fr.A[j, 8]
        turn = kind == ABOUT or kind == ABOUT_Z
    for q in range(12):
        out[q] = 0.0
    b = fr.body[i]
    if turn:
        out[3], out[4], out[5] = unrotate(W.R, b, d0, d1, d2)
    else:
        out[0] = d0
        out[1] = d1
        out[2] = d2
        m0, m1, m2 = cross(fr.s[i, 0], fr.s[i, 1], fr.s[i, 2], d0, d1, d2)
        out[3], out[4], out[5] = unrotate(W.R, b, m0, m1, m2)
    r = vf.react[k]
    if r >= 0:
        if turn:
            out[9], out[10], out[11] = unrotate(W.R, r, -d0, -d1, -d2)
        else:
            out[6] = -d0
            out[7] = -d1
            out[8] = -d2
            x0, x1, x2 = _lever(S, W, i, r)
            m0, m1, m2 = cross(x0, x1, x2, -d0, -d1, -d2)
            out[9], out[10], out[11] = unrotate(W.R, r, m0, m1, m2)
    return d0, d1, d2, turn


@jit
def _lever(S, W, i, r):
    """p_i - centre of body r (kept in W.z by `evaluate`)"""
    return S.fr.p[i, 0] - W.f.pos[r, 0], S.fr.p[i, 1] - W.f.pos[r, 1], S.fr.p[i, 2] - W.f.pos[r, 2]


@jit
def _positions(S, W, y):
    for b in range(S.bodies.n + 1):
        for c in range(3):
            W.f.pos[b, c] = y[BODY * b + c]


@jit(apart=True)
def function_forces(S, W, t, y, yd):
    """F += all function forces; yd <- rates of the states."""
    fn = S.fn
    evaluate_inputs(fn, S, W, t, y)
    if fn.has_force > 0:
        gather_wrenches(W.f.wr, S, W)
        evaluate_force_inputs(fn, S.fr, W)
    evaluate_functions(fn, S, W)
    _positions(S, W, y)
    f = W.f
    vf = fn.vforce
    d = f.gvec
    for k in range(vf.i.shape[0]):
        for c in range(6):
            vf.out[k, c] = 0.0
        bi = MOVES * S.fr.body[vf.i[k]]
        for c in range(6):
            e = vf.f[k, c]
            if e < 0:
                continue
            v = f.fval[e]
            d0, d1, d2, turn = _direction(S, W, vf, k, c, d)
            o = 3 if turn else 0
            vf.out[k, o] += v * d0
            vf.out[k, o + 1] += v * d1
            vf.out[k, o + 2] += v * d2
            for q in range(MOVES):
                W.F[bi + q] += v * d[q]
            if vf.react[k] >= 0:
                r = MOVES * vf.react[k]
                for q in range(MOVES):
                    W.F[r + q] += v * d[6 + q]
    for k in range(fn.diff_f.shape[0]):
        yd[fn.offset + k] = f.fval[fn.diff_f[k]]


@jit
def accept_present(S, W):
    """`accept_functions` at the time of the last evaluation of rows."""
    accept_functions(S.fn, S, W, W.rw.clock[PRESENT])


@jit(apart=True)
def accept_functions(fn, S, W, t):
    """Continuous angles: the present value and rate become the reference (a shaft may turn several times within a
    step)."""
    inp = fn.inputs
    for k in range(inp.kind.shape[0]):
        r = inp.ref[k]
        if r >= 0:
            W.f.ref[r, 0] = W.f.x[k]
            x, W.f.ref[r, 1], xdd = measure_jet(inp.code[k], inp.a[k], inp.b[k], inp.c[k], inp.d[k], S.fr, W.f.x[k])
    W.f.clock[0] = t


# ---- gradients -------------------------------------------------------------------------------------------------------
@jit(apart=True)
def flat_gradients(fn, S, W):
    """flat[...] <- gradient of every function over its primitive inputs (current inputs)."""
    f = W.f
    for g in range(fn.group_loop.shape[0]):
        lo = fn.group_ptr[g]
        hi = fn.group_ptr[g + 1]
        n = hi - lo
        loop = fn.group_loop[g] != 0
        if loop:
            for r in range(n):
                for c in range(f.A.shape[1]):
                    f.A[r, c] = 0.0
        for r in range(n):
            e = fn.group[lo + r]
            _own_gradient(fn, W, e)
            o = fn.own_ptr[e]
            base = fn.flat_ptr[e]
            for q in range(fn.flat_ptr[e], fn.flat_ptr[e + 1]):
                f.flat[q] = 0.0
            for q in range(_own_count(fn, e)):
                target = fn.own_target[o + q]
                s = f.own[q]
                if target >= 0:
                    f.flat[base + target] += s
                else:
                    h = -target - 1
                    inside = False
                    if loop:
                        for c in range(n):
                            if fn.group[lo + c] == h:
                                f.A[r, c] += s
                                inside = True
                    if not inside:
                        x = fn.own_exp[o + q]
                        for p in range(fn.flat_ptr[h], fn.flat_ptr[h + 1]):
                            f.flat[base + fn.exp[x]] += s * f.flat[p]
                            x += 1
        if loop:  # all members share one list of flat inputs
            m = fn.flat_ptr[fn.group[lo] + 1] - fn.flat_ptr[fn.group[lo]]
            for r in range(n):
                e = fn.group[lo + r]
                if fn.residual[e] == 0:
                    f.A[r, r] -= 1.0
                for q in range(m):
                    f.A[r, n + q] = -f.flat[fn.flat_ptr[e] + q]
            _eliminate(f.A, n, n + m)
            for r in range(n):
                e = fn.group[lo + r]
                for q in range(m):
                    f.flat[fn.flat_ptr[e] + q] = f.A[r, n + q]


@jit
def frame_of_input(inp, k, slot):
    """The frame of a measure, an input, whose gradient is the ``slot``-th of four."""
    if slot == 0:
        return inp.a[k]
    if slot == 1:
        return inp.b[k]
    if slot == 2:
        return inp.c[k]
    return inp.d[k]


@jit(apart=True)
def input_gradients(fn, S, W):
    """islot[...] <- gradient of every measure over the coordinates of its bodies: (dr, dtheta), (dr', dW)."""
    for k in range(fn.inputs.kind.shape[0]):
        if fn.islot_ptr[k + 1] > fn.islot_ptr[k]:
            _input_gradient(fn, S, W, k)


@jit
def _input_gradient(fn, S, W, k):
    inp = fn.inputs
    f = W.f
    g = f.gvec
    lo = fn.islot_ptr[k]
    hi = fn.islot_ptr[k + 1]
    ref = 0.0
    if inp.ref[k] >= 0:
        ref = f.ref[inp.ref[k], 0]
    measure(inp.code[k], inp.a[k], inp.b[k], inp.c[k], inp.d[k], S.fr, ref, g)
    for q in range(lo, hi):
        for c in range(12):
            f.islot[q, c] = 0.0
    for slot in range(4):
        frame = frame_of_input(inp, k, slot)
        b = S.fr.body[frame]
        for q in range(lo, hi):
            if fn.islot_body[q] == b:
                pull_back(S.fr, W.R, frame, g, 18 * slot, f.islot[q], 0)


@jit(apart=True)
def function_stiffness(S, W, t, y, K, C):
    """K -= dF/dq, C -= dF/du, and the rows of the states; inputs and functions must be current."""
    fn = S.fn
    evaluate_inputs(fn, S, W, t, y)
    evaluate_functions(fn, S, W)
    _positions(S, W, y)
    flat_gradients(fn, S, W)
    input_gradients(fn, S, W)
    f = W.f
    vf = fn.vforce
    inp = fn.inputs
    d = f.gvec
    for k in range(vf.i.shape[0]):
        cur = vf.pos_ptr[k]
        for c in range(6):
            e = vf.f[k, c]
            if e < 0:
                continue
            _direction(S, W, vf, k, c, d)
            for p in range(fn.flat_ptr[e], fn.flat_ptr[e + 1]):
                s = f.flat[p]
                x = fn.flat[p]
                if inp.kind[x] == MEASURE:
                    for q in range(fn.islot_ptr[x], fn.islot_ptr[x + 1]):
                        for r in range(12):
                            v = s * d[r]
                            for z in range(6):
                                at = vf.pos[cur]
                                K[at] -= v * f.islot[q, z]
                                C[at] -= v * f.islot[q, 6 + z]
                                cur += 1
                elif inp.kind[x] == STATE:
                    for r in range(12):
                        K[vf.pos[cur]] -= s * d[r]
                        cur += 1
        _geometric(S, W, vf, k, K)
    cur = 0
    for k in range(fn.diff_f.shape[0]):
        e = fn.diff_f[k]
        for p in range(fn.flat_ptr[e], fn.flat_ptr[e + 1]):
            s = f.flat[p]
            x = fn.flat[p]
            if inp.kind[x] == MEASURE:
                for q in range(fn.islot_ptr[x], fn.islot_ptr[x + 1]):
                    for z in range(6):
                        at = fn.diff_pos[cur]
                        K[at] -= s * f.islot[q, z]
                        C[at] -= s * f.islot[q, 6 + z]
                        cur += 1
            elif inp.kind[x] == STATE:
                K[fn.diff_pos[cur]] -= s
                cur += 1
    if fn.gcon_row.shape[0] > 0:
        _constraint_stiffness(fn, S, W, K, C)


@jit
def _geometric(S, W, vf, k, K):
    """Turning of directions and levers at constant force values: columns (body of I, of RM or J, of the reaction)."""
    fr = S.fr
    KL = W.f.KL
    for r in range(12):
        for c in range(18):
            KL[r, c] = 0.0
    i = vf.i[k]
    bi = fr.body[i]
    a = vf.rm[k] if vf.kind[k] == VECTOR else vf.j[k]
    ba = fr.body[a]
    r = vf.react[k]
    F0 = vf.out[k, 0]
    F1 = vf.out[k, 1]
    F2 = vf.out[k, 2]
    T0 = vf.out[k, 3]
    T1 = vf.out[k, 4]
    T2 = vf.out[k, 5]
    s0 = fr.s[i, 0]
    s1 = fr.s[i, 1]
    s2 = fr.s[i, 2]
    along = vf.kind[k] == ALONG
    length = 1.0
    size = 0.0
    n0 = n1 = n2 = 0.0
    if along:
        n0 = fr.p[i, 0] - fr.p[a, 0]
        n1 = fr.p[i, 1] - fr.p[a, 1]
        n2 = fr.p[i, 2] - fr.p[a, 2]
        length = (n0 * n0 + n1 * n1 + n2 * n2) ** 0.5
        if length == 0.0:
            return
        n0 /= length
        n1 /= length
        n2 /= length
        size = F0 * n0 + F1 * n1 + F2 * n2
    for col in range(3):
        b = bi if col == 0 else (ba if col == 1 else r)
        if b < 0:
            continue
        for z in range(6):
            p0 = p1 = p2 = t0 = t1 = t2 = 0.0  # motion of the lever (p_i - r of the reaction), turn of the body
            if z < 3:
                p0 = 1.0 if z == 0 else 0.0
                p1 = 1.0 if z == 1 else 0.0
                p2 = 1.0 if z == 2 else 0.0
            else:
                t0 = W.R[b, z - 3]
                t1 = W.R[b, z]
                t2 = W.R[b, z + 3]
            f0 = f1 = f2 = g0 = g1 = g2 = 0.0  # change of force and torque
            if along:
                if col == 2:
                    continue
                if col == 0:
                    if z >= 3:
                        p0, p1, p2 = cross(t0, t1, t2, s0, s1, s2)
                else:
                    if z >= 3:
                        p0, p1, p2 = cross(t0, t1, t2, fr.s[a, 0], fr.s[a, 1], fr.s[a, 2])
                    p0 = -p0
                    p1 = -p1
                    p2 = -p2
                on = n0 * p0 + n1 * p1 + n2 * p2
                f0 = size * (p0 - on * n0) / length
                f1 = size * (p1 - on * n1) / length
                f2 = size * (p2 - on * n2) / length
            elif col == 1 and z >= 3:
                f0, f1, f2 = cross(t0, t1, t2, F0, F1, F2)
                g0, g1, g2 = cross(t0, t1, t2, T0, T1, T2)
            # row of I: (F, A_i^T (s x F + T))
            m0, m1, m2 = cross(s0, s1, s2, f0, f1, f2)
            m0 += g0
            m1 += g1
            m2 += g2
            if col == 0 and z >= 3:
                x0, x1, x2 = cross(t0, t1, t2, s0, s1, s2)
                x0, x1, x2 = cross(x0, x1, x2, F0, F1, F2)
                y0, y1, y2 = cross(s0, s1, s2, F0, F1, F2)
                y0, y1, y2 = cross(t0, t1, t2, y0 + T0, y1 + T1, y2 + T2)
                m0 += x0 - y0
                m1 += x1 - y1
                m2 += x2 - y2
            m0, m1, m2 = unrotate(W.R, bi, m0, m1, m2)
            q = MOVES * col + z
            KL[0, q] = f0
            KL[1, q] = f1
            KL[2, q] = f2
            KL[3, q] = m0
            KL[4, q] = m1
            KL[5, q] = m2
            if r < 0:
                continue
            # row of the reaction: -(F, A_r^T (l x F + T)), l = p_i - r
            l0, l1, l2 = _lever(S, W, i, r)
            m0, m1, m2 = cross(l0, l1, l2, f0, f1, f2)
            m0 += g0
            m1 += g1
            m2 += g2
            e0 = e1 = e2 = 0.0
            if col == 0:
                if z < 3:
                    e0 = 1.0 if z == 0 else 0.0
                    e1 = 1.0 if z == 1 else 0.0
                    e2 = 1.0 if z == 2 else 0.0
                else:
                    e0, e1, e2 = cross(t0, t1, t2, s0, s1, s2)
            own = col == 2 or (along and col == 1)
            if own:
                if z < 3:
                    e0 = -1.0 if z == 0 else 0.0
                    e1 = -1.0 if z == 1 else 0.0
                    e2 = -1.0 if z == 2 else 0.0
                else:
                    y0, y1, y2 = cross(l0, l1, l2, F0, F1, F2)
                    y0, y1, y2 = cross(t0, t1, t2, y0 + T0, y1 + T1, y2 + T2)
                    m0 -= y0
                    m1 -= y1
                    m2 -= y2
            x0, x1, x2 = cross(e0, e1, e2, F0, F1, F2)
            m0, m1, m2 = unrotate(W.R, r, m0 + x0, m1 + x1, m2 + x2)
            KL[6, q] = -f0
            KL[7, q] = -f1
            KL[8, q] = -f2
            KL[9, q] = -m0
            KL[10, q] = -m1
            KL[11, q] = -m2
    for row in range(12):
        for c in range(18):
            K[vf.geo[k, 18 * row + c]] -= KL[row, c]


@jit
def _along(fn, W, e, d, h):
    """User routine of function e at inputs + h d."""
    f = W.f
    u = fn.user[e]
    lo = fn.uptr[u]
    n = fn.uptr[u + 1] - lo
    for k in range(n):
        i = fn.uinputs[lo + k]
        f.uout[16 + k] = f.x[i] + h * d[i]
    f.uout[len(f.uout) - 1] = 0.0  # not the inputs of `_user_value`
    if call_user(fn.users[0], u, f.uout) != 0:
        W.flags[USER_FAILED] = u + 1
    return f.uout[fn.ucomp[e]]


@jit
def _jet(fn, W, e):
    """Value and first and second time derivative of function e from those of its inputs; differences for user
    routines."""
    f = W.f
    if fn.user[e] < 0:
        return jet(fn.programs, e, f.x, f.xd, f.xdd, f.stack)
    base = _along(fn, W, e, f.xd, 0.0)
    size = speed = acceleration = 0.0
    for k in range(fn.uptr[fn.user[e]], fn.uptr[fn.user[e] + 1]):
        i = fn.uinputs[k]
        size = max(size, abs(f.x[i]))
        speed = max(speed, abs(f.xd[i]))
        acceleration = max(acceleration, abs(f.xdd[i]))
    step = 1e-4 * max(size, 1e-2)
    v = a = 0.0
    if speed > 0.0:
        h = step / speed
        p = _along(fn, W, e, f.xd, h)
        m = _along(fn, W, e, f.xd, -h)
        v = (p - m) / (2.0 * h)
        a = (p - 2.0 * base + m) / (h * h)
    if acceleration > 0.0:
        h = step / acceleration
        a += (_along(fn, W, e, f.xdd, h) - _along(fn, W, e, f.xdd, -h)) / (2.0 * h)
    return base, v, a


# ---- general constraints ---------------------------------------------------------------------------------------------
@jit
def _carry_jets(fn, W):
    """Derivatives of the inputs that are values of other functions, from those of the inputs of these."""
    f = W.f
    for g in range(fn.group_loop.shape[0]):
        e = fn.group[fn.group_ptr[g]]
        if fn.var_input[e] >= 0 and fn.group_loop[g] == 0:
            v, f.xd[fn.var_input[e]], f.xdd[fn.var_input[e]] = _jet(fn, W, e)


@jit
def _row_gradient(fn, S, W, n, G):
    """G (slots, 6) <- gradient of general constraint n over its bodies, from those of functions and inputs."""
    f = W.f
    inp = fn.inputs
    row = fn.gcon_row[n]
    e = fn.gcon_f[n]
    lo = S.rows.rp[row]
    hi = S.rows.rp[row + 1]
    for q in range(hi - lo):
        for c in range(6):
            G[q, c] = 0.0
    o = 6 if S.rows.level[row] == 1 else 0
    for p in range(fn.flat_ptr[e], fn.flat_ptr[e + 1]):
        x = fn.flat[p]
        if inp.kind[x] == MEASURE:
            for q in range(fn.islot_ptr[x], fn.islot_ptr[x + 1]):
                for z in range(lo, hi):
                    if S.rows.slot_body[z] == fn.islot_body[q]:
                        for c in range(6):
                            G[z - lo, c] += f.flat[p] * f.islot[q, o + c]


@jit
def _measured(S, k, slot, inp):
    """Is this the first of the four frames of a measure that is this one?"""
    frame = frame_of_input(inp, k, slot)
    for other in range(slot):
        if frame_of_input(inp, k, other) == frame:
            return False
    return True


@jit
def _add_curvature(fn, S, W, n, x, K, C):
    """K, C += lam f_x d2x of general constraint n: differences of the gradient of its input x, a measure, over moves of
    its bodies."""
    f = W.f
    fr = S.fr
    inp = fn.inputs
    row = fn.gcon_row[n]
    wide = 6 * _slots_of(S, row)
    level = S.rows.level[row]
    o = 6 if level == 1 else 0
    size = fn.gcon_size[0]
    for slot in range(4):
        a, b = inp.a[x], frame_of_input(inp, x, slot)
        for c in range(3):
            size = max(size, abs(fr.p[a, c] - fr.p[b, c]))
    for side in range(fn.islot_ptr[x], fn.islot_ptr[x + 1]):
        b = fn.islot_body[side]
        column = fn.gcon_at[n] + 6 * _slot_of(S, row, b)
        for c in range(12 if level == 1 else 6):
            h = STEP * (size if c < 3 or 6 <= c < 9 else 1.0)
            for sign in (1.0, -1.0):
                axis = displacement(W.R, b, c, sign * h)
                for slot in range(4):
                    frame = frame_of_input(inp, x, slot)
                    if fr.body[frame] == b and _measured(S, x, slot, inp):
                        displace(fr, frame, c, axis)
                turn_body(W.R, b, c, axis)
                _input_gradient(fn, S, W, x)
                for slot in range(4):
                    put_back(fr, frame_of_input(inp, x, slot), W.displaced)
                put_back_body(W.R, b, W.displaced)
                v = sign * W.lam[row] * W.displaced.phi[0, 0] / (2.0 * h)
                for q in range(fn.islot_ptr[x], fn.islot_ptr[x + 1]):
                    at = column + c % 6 + wide * 6 * _slot_of(S, row, fn.islot_body[q])
                    for r in range(6):
                        if c < 6:
                            K[fn.gcon_pos[at + wide * r]] += v * f.islot[q, o + r]
                        else:
                            C[fn.gcon_pos[at + wide * r]] += v * f.islot[q, o + r]
    _input_gradient(fn, S, W, x)


@jit
def _slots_of(S, row):
    """How many bodies a row has."""
    k = 0
    for _ in range(S.rows.rp[row], S.rows.rp[row + 1]):
        k += 1
    return k


@jit
def _slot_of(S, row, b):
    """Which of the bodies of a row is b."""
    k = 0
    for z in range(S.rows.rp[row], S.rows.rp[row + 1]):
        if S.rows.slot_body[z] == b:
            break
        k += 1
    return k


@jit
def _refresh(fn, S, W, e):
    """Gradient of function e over its flat inputs at their present values: of it alone where it reads no other."""
    f = W.f
    o = fn.own_ptr[e]
    count = _own_count(fn, e)
    for q in range(count):
        if fn.own_target[o + q] < 0:
            evaluate_functions(fn, S, W)
            flat_gradients(fn, S, W)
            return
    _own_gradient(fn, W, e)
    base = fn.flat_ptr[e]
    for q in range(base, fn.flat_ptr[e + 1]):
        f.flat[q] = 0.0
    for q in range(count):
        f.flat[base + fn.own_target[o + q]] += f.own[q]


@jit(apart=True)
def _constraint_stiffness(fn, S, W, K, C):
    """K, C += d(G^T lam) of general constraints f(x(q, u)): lam (f_x d2x + dx f_xx dx), second derivatives by
    differences of first ones.  Gradients of functions and inputs must be current and are left so."""
    f = W.f
    inp = fn.inputs
    keep_places(S.fr, W.R, W.displaced)
    for n in range(fn.gcon_row.shape[0]):
        row = fn.gcon_row[n]
        if W.lam[row] == 0.0:
            continue
        e = fn.gcon_f[n]
        level = S.rows.level[row]
        o = 6 if level == 1 else 0
        wide = 6 * _slots_of(S, row)
        for p in range(fn.flat_ptr[e], fn.flat_ptr[e + 1]):
            x = fn.flat[p]
            if inp.kind[x] != MEASURE:
                continue
            W.displaced.phi[0, 0] = f.flat[p]
            if f.flat[p] != 0.0:
                _add_curvature(fn, S, W, n, x, K, C)
            kept = f.x[x]
            h = STEP * max(abs(kept), 1e-2)
            for sign in (1.0, -1.0):
                f.x[x] = kept + sign * h
                _refresh(fn, S, W, e)
                v = sign * W.lam[row] / (2.0 * h)
                for q in range(fn.flat_ptr[e], fn.flat_ptr[e + 1]):
                    z = fn.flat[q]
                    if inp.kind[z] != MEASURE or f.flat[q] == 0.0:
                        continue
                    for i in range(fn.islot_ptr[z], fn.islot_ptr[z + 1]):
                        rows = fn.gcon_at[n] + wide * 6 * _slot_of(S, row, fn.islot_body[i])
                        for j in range(fn.islot_ptr[x], fn.islot_ptr[x + 1]):
                            at = rows + 6 * _slot_of(S, row, fn.islot_body[j])
                            for r in range(6):
                                w = v * f.flat[q] * f.islot[i, o + r]
                                for c in range(6):
                                    K[fn.gcon_pos[at + wide * r + c]] += w * f.islot[j, c]
                                    if level == 1:
                                        C[fn.gcon_pos[at + wide * r + c]] += w * f.islot[j, 6 + c]
            f.x[x] = kept
            _refresh(fn, S, W, e)


@jit(apart=True)
def function_rows(S, W, t, y):
    """Rows of GCON: phi, gradient into G, phit and gamma from exact second-order Taylor arithmetic along the motion."""
    fn = S.fn
    if fn.gcon_row.shape[0] == 0:
        return
    f = W.f
    inp = fn.inputs
    evaluate_inputs(fn, S, W, t, y)
    evaluate_functions(fn, S, W)
    flat_gradients(fn, S, W)
    input_gradients(fn, S, W)
    for k in range(inp.kind.shape[0]):
        f.xd[k] = 0.0
        f.xdd[k] = 0.0
        if inp.kind[k] == TIME:
            f.xd[k] = 1.0
        elif inp.kind[k] == MEASURE:
            ref = 0.0
            if inp.ref[k] >= 0:
                ref = f.ref[inp.ref[k], 0]
            v, f.xd[k], f.xdd[k] = measure_jet(inp.code[k], inp.a[k], inp.b[k], inp.c[k], inp.d[k], S.fr, ref)
        elif inp.kind[k] == STATE:
            f.xd[k] = f.fval[fn.diff_f[inp.a[k]]]
    _carry_jets(fn, W)
    if fn.gcon_x.shape[0] > 0:  # x'' is the time derivative of the rate x', which the first pass has given
        for n in range(fn.gcon_x.shape[0]):
            k = fn.gcon_x[n]
            v, f.xdd[k], a = _jet(fn, W, fn.diff_f[inp.a[k]])
        _carry_jets(fn, W)
    for n in range(fn.gcon_row.shape[0]):
        row = fn.gcon_row[n]
        e = fn.gcon_f[n]
        v, vd, vdd = _jet(fn, W, e)
        lo = S.rows.rp[row]
        hi = S.rows.rp[row + 1]
        level = S.rows.level[row]
        moving = 0.0
        _row_gradient(fn, S, W, n, W.rw.G[lo:hi])
        for z in range(lo, hi):
            b = BODY * S.rows.slot_body[z] + RATES
            for c in range(MOVES):
                moving += W.rw.G[z, c] * y[b + c]
        if level == 1:  # f(q, u, t) = 0: the row is f itself at velocity level
            W.rw.phi[row] = 0.0
            W.rw.phit[row] = v - moving
            W.rw.gamma[row] = -vd
        else:
            W.rw.phi[row] = v
            W.rw.phit[row] = vd - moving
            W.rw.gamma[row] = -vdd
