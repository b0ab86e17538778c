"""Cotangents of general constraints (GCON) f(x(q), t) = 0, rows without closed ones (kernels).

With g = (g_p, g_t) the gradient of f over origins and turns of frames in ground axes, and g', g^ its derivatives along
the motion and along a virtual displacement nu,

    d(f)    = g . (dp, dt)
    d(f')   = g' . (dp, dt) + g . (dv, dt'),               dt' = dw + w x dt
    d(f'')  = g'' . (dp, dt) + 2 g' . (dv, dt') + g . (da, dt'')
    d(G nu) = g^ . (dp, dt) + g . (d p^, d t^)

g', g'' and g^ are differences of six points over places of the frames along the motion, whose third and higher
derivatives do not count.  How fast frames move gives the step; a function that reads TIME may be faster, so there the
step falls until the differences agree with those of the step before.
"""

from __future__ import annotations

import math

import numpy as np

from .._jit import jit
from .._six_points import AT, WEIGHTS
from ..elements.bodies.mass import row_speed, row_times
from ..elements.jets import plus, point_jet, pull_point, times, turning, vector
from ..elements.measures import measure
from ..elements.vectors import unrotate
from .functions import MEASURE, TIME, evaluate_functions, evaluate_inputs, flat_gradients, frame_of_input, function_rows
from .pull_frames import pull_frame, pull_lever

SECOND = (1 / 90, -3 / 20, 3 / 2, 3 / 2, -3 / 20, 1 / 90)  # weights of the second derivative at the six points
MIDDLE = -49 / 18  # and at the middle
SHARE = 0.02  # step of differences, of a radian and of the distances of frames
LONGEST = 0.01  # and at most in time, since a function may read it
FINER, TRIALS = 3.0, 12  # by which a step falls, and how often at most
AGREED, NEAR = 1e-9, 1e-3  # share by which differences of two steps differ: the same; roundoff, if it rises again


@jit
def _add(S, W, P, n, first, w1, second, w2):
    """first, second (frames, 6) += w1, w2 times the gradient of general constraint n at the present frames."""
    fn = S.fn
    inp = fn.inputs
    e = fn.gcon_f[n]
    for p in range(fn.flat_ptr[e], fn.flat_ptr[e + 1]):
        x = fn.flat[p]
        v = W.f.flat[p]
        if inp.kind[x] != MEASURE or v == 0.0:
            continue
        measure(inp.code[x], inp.a[x], inp.b[x], inp.c[x], inp.d[x], S.fr, 0.0, P.g)
        for slot in range(4):
            frame = frame_of_input(inp, x, slot)
            for c in range(6):
                first[frame, c] += w1 * v * P.g[18 * slot + c]
                second[frame, c] += w2 * v * P.g[18 * slot + c]


@jit
def _evaluate(S, W, t, y):
    evaluate_inputs(S.fn, S, W, t, y)
    evaluate_functions(S.fn, S, W)
    flat_gradients(S.fn, S, W)


@jit
def _place(fr, f, still, d, turn):
    """Frame f at its place in ``still`` moved by d and turned by the vector turn."""
    for c in range(3):
        fr.p[f, c] = still[f, c] + d[c]
    angle = math.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
    s = math.sin(angle) / angle if angle > 0.0 else 1.0
    half = math.sin(0.5 * angle) / angle if angle > 0.0 else 0.5
    for k in range(3):
        x = still[f, 3 + k], still[f, 6 + k], still[f, 9 + k]
        first = vector(turn, x)
        x = plus(x, plus(times(s, first), times(2.0 * half * half, vector(turn, first))))
        for c in range(3):
            fr.A[f, 3 * c + k] = x[c]


@jit
def _move(S, W, P, y, nu, step, virtual):
    """All frames moved along the motion by a time, or along nu."""
    fr = S.fr
    for f in range(fr.body.shape[0]):
        motion = turning(W.R, fr.body[f], y, W.acc, nu)
        jet = point_jet(fr, f, motion, y, W.acc, nu)
        if virtual:
            _place(fr, f, P.still, times(step, jet[3]), times(step, motion[2]))
        else:
            half = 0.5 * step * step
            d = plus(times(step, jet[1]), times(half, jet[2]))
            _place(fr, f, P.still, d, plus(times(step, motion[0]), times(half, motion[1])))


@jit
def _size(x):
    return math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])


@jit
def _step(S, W, y, nu, virtual):
    """Step over which frames move by about `SHARE`."""
    fr = S.fr
    far = 0.0
    for f in range(fr.body.shape[0]):
        far = max(far, math.sqrt(fr.s[f, 0] ** 2 + fr.s[f, 1] ** 2 + fr.s[f, 2] ** 2))
        for c in range(3):
            far = max(far, abs(fr.p[f, c] - fr.p[0, c]))
    if far == 0.0:
        far = 1.0
    pace = 0.0
    for f in range(fr.body.shape[0]):
        motion = turning(W.R, fr.body[f], y, W.acc, nu)
        jet = point_jet(fr, f, motion, y, W.acc, nu)
        if virtual:
            pace = max(pace, _size(motion[2]), _size(jet[3]) / far)
        else:
            pace = max(pace, _size(motion[0]), _size(jet[1]) / far)
            pace = max(pace, math.sqrt(_size(motion[1])), math.sqrt(_size(jet[2]) / far))
    if virtual:
        return SHARE / pace if pace > 0.0 else 0.0
    return min(LONGEST, SHARE / pace) if pace > 0.0 else LONGEST


@jit
def _reads_time(S, n):
    """Does the function of general constraint n read TIME, itself or through VARIABLEs?"""
    fn = S.fn
    e = fn.gcon_f[n]
    for p in range(fn.flat_ptr[e], fn.flat_ptr[e + 1]):
        if fn.inputs.kind[fn.flat[p]] == TIME:
            return True
    return False


@jit
def _along(S, W, P, n, t, y, nu, step, first, second):
    """first, second (frames, 6): derivatives g' and g'' along the motion, by differences of a step in time; P.jets[0]
    is g."""
    for f in range(S.fr.body.shape[0]):
        for c in range(6):
            first[f, c] = 0.0
            second[f, c] = MIDDLE / (step * step) * P.jets[0, f, c]
    for s in range(6):
        _move(S, W, P, y, nu, AT[s] * step, False)
        _evaluate(S, W, t + AT[s] * step, y)
        _add(S, W, P, n, first, WEIGHTS[s] / step, second, SECOND[s] / (step * step))


@jit
def _apart(P, k, j):
    """Largest difference of jets k and j, as a share of the largest entry of either."""
    most = 0.0
    size = 0.0
    for f in range(P.jets.shape[1]):
        for c in range(6):
            most = max(most, abs(P.jets[k, f, c] - P.jets[j, f, c]))
            size = max(size, abs(P.jets[k, f, c]), abs(P.jets[j, f, c]))
    return most / size if size > 0.0 else 0.0


@jit
def _along_clock(S, W, P, n, t, y, nu, step):
    """The same into jets 1 and 2 for a function of TIME: the step falls from ``step`` until two agree, or until
    roundoff parts them again."""
    _along(S, W, P, n, t, y, nu, step, P.jets[1], P.jets[2])
    before = np.inf
    for _ in range(TRIALS):
        step /= FINER
        _along(S, W, P, n, t, y, nu, step, P.jets[4], P.jets[5])
        apart = max(_apart(P, 1, 4), _apart(P, 2, 5))
        if apart > before and before < NEAR:
            break
        for f in range(P.jets.shape[1]):
            for c in range(6):
                P.jets[1, f, c] = P.jets[4, f, c]
                P.jets[2, f, c] = P.jets[5, f, c]
        before = apart
        if apart < AGREED:
            break


@jit(later="none")
def pull_function_rows(S, W, P, t, y, nu, q0, q1, q2, l):
    """Add to P.out the cotangents of general constraints with weights q0, q1, q2 of value, rate and second derivative
    and l of the virtual work (m numbers each), and to P.constant those of constants."""
    fn = S.fn
    fr = S.fr
    out = P.out
    _evaluate(S, W, t, y)
    for f in range(fr.body.shape[0]):
        for c in range(3):
            P.still[f, c] = fr.p[f, c]
            for k in range(3):
                P.still[f, 3 + 3 * c + k] = fr.A[f, 3 * c + k]
    along = _step(S, W, y, nu, False)
    across = _step(S, W, y, nu, True)
    g0, g1, g2, gh = P.jets[0], P.jets[1], P.jets[2], P.jets[3]  # 4 and 5: work of `_along_clock`
    for n in range(fn.gcon_row.shape[0]):
        row = fn.gcon_row[n]
        a0 = q0[row]
        a1 = q1[row]
        a2 = q2[row]
        ah = l[row]
        if a0 == 0.0 and a1 == 0.0 and a2 == 0.0 and ah == 0.0:
            continue
        for k in range(4):
            for f in range(fr.body.shape[0]):
                for c in range(6):
                    P.jets[k, f, c] = 0.0
        _add(S, W, P, n, g0, 1.0, g1, 0.0)
        if (a1 != 0.0 or a2 != 0.0) and _reads_time(S, n):
            _along_clock(S, W, P, n, t, y, nu, along)
        elif a1 != 0.0 or a2 != 0.0:
            _along(S, W, P, n, t, y, nu, along, g1, g2)
        if ah != 0.0 and across > 0.0:
            for s in range(6):
                _move(S, W, P, y, nu, AT[s] * across, True)
                _evaluate(S, W, t, y)
                _add(S, W, P, n, gh, WEIGHTS[s] / across, gh, 0.0)
        for f in range(fr.body.shape[0]):
            _place(fr, f, P.still, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        _evaluate(S, W, t, y)
        for f in range(fr.body.shape[0]):
            _pull_frame_of_row(S, W, P, f, y, nu, a0, a1, a2, ah, out)
    _pull_constants_of_rows(S, W, P, t, y, nu, q0, q1, q2, l)


@jit
def _part(g, f, o):
    return g[f, o], g[f, o + 1], g[f, o + 2]


@jit
def _pull_frame_of_row(S, W, P, f, y, nu, a0, a1, a2, ah, out):
    """What the jets of the gradient over one frame add."""
    fr = S.fr
    R = W.R
    zero = (0.0, 0.0, 0.0)
    b = fr.body[f]
    some = 0.0
    for k in range(4):
        for c in range(6):
            some += abs(P.jets[k, f, c])
    if some == 0.0:
        return
    w, al, m = turning(R, b, y, W.acc, nu)
    p0, p1, p2, ph = _part(P.jets[0], f, 0), _part(P.jets[1], f, 0), _part(P.jets[2], f, 0), _part(P.jets[3], f, 0)
    t0, t1, t2, th = _part(P.jets[0], f, 3), _part(P.jets[1], f, 3), _part(P.jets[2], f, 3), _part(P.jets[3], f, 3)
    turned = vector(t0, w)
    p = plus(plus(times(a0, p0), times(a1, p1)), plus(times(a2, p2), times(ah, ph)))
    q = plus(times(a0, t0), times(a1, plus(t1, turned)))
    twice = plus(plus(t2, times(2.0, vector(t1, w))), plus(vector(t0, al), vector(turned, w)))
    q = plus(q, plus(times(a2, twice), times(ah, plus(th, vector(t0, m)))))
    v = plus(times(a1, p0), times(2.0 * a2, p1))
    u = plus(times(a1, t0), times(a2, plus(times(2.0, t1), turned)))
    for c in range(3):
        P.h[c] = p[c]
        P.h[3 + c] = q[c]
        P.h[6 + c] = v[c]
        P.h[9 + c] = u[c]
    pull_frame(fr, R, f, P.h, out)
    pull_lever(fr, R, f, m, times(ah, p0), times(ah, t0), out)
    pull_point(fr, R, f, (w, al, zero), zero, zero, times(a2, p0), zero, out)
    turn = vector(al, times(a2, t0))
    e0, e1, e2 = unrotate(R, b, turn[0], turn[1], turn[2])
    out.body[12 * b + 3] += e0
    out.body[12 * b + 4] += e1
    out.body[12 * b + 5] += e2


@jit
def _pull_constants_of_rows(S, W, P, t, y, nu, q0, q1, q2, l):
    """Cotangents of constants of functions by differences of the rows."""
    fn = S.fn
    rows = S.rows
    G = W.rw.G
    numbers = fn.programs.numbers
    for k in range(P.constants.shape[0]):
        at = P.constants[k]
        kept = numbers[at]
        h = 2e-3 * abs(kept) if kept != 0.0 else 2e-3
        x = 0.0
        for s in range(6):
            numbers[at] = kept + AT[s] * h
            function_rows(S, W, t, y)
            for n in range(fn.gcon_row.shape[0]):
                r = fn.gcon_row[n]
                value = q0[r] * W.rw.phi[r] + q1[r] * (row_speed(rows, G, r, y) + W.rw.phit[r])
                value += q2[r] * (row_times(rows, G, r, W.acc) - W.rw.gamma[r]) + l[r] * row_times(rows, G, r, nu)
                x += WEIGHTS[s] * value
        numbers[at] = kept
        P.constant[k] += x / h
    if P.constants.shape[0] > 0:
        function_rows(S, W, t, y)
