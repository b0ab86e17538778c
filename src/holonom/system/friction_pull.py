"""Transposed derivatives of joint friction (`friction`): of the virtual power of its wrenches and of the rates of its
deformations, and how its loads depend on multipliers (kernels).

The wrench is linear in the loads L(F, T), which the reaction of the joint makes: at held reactions the tangent of the
law at constant loads and that of L by the axis serve; by multipliers F and T are those of `pull_reaction`.
"""

from __future__ import annotations

import math

from .._jit import jit
from .._six_points import AT, WEIGHTS
from ..elements.frames import WRENCH
from ..elements.jets import Cotangents, axis_of, dot, minus, plus, pull_axis, row_of, times
from ..elements.joints.friction import (
    AXI,
    AXIS,
    BALL,
    BEN,
    FMAX,
    GROW,
    LAT,
    MUD,
    MUS,
    NUM,
    OVER,
    RAD,
    SIDE,
    TMAX,
    TOR,
    law_tangent,
    slip_gradient,
    spread,
    tangent,
)
from .friction import _evaluate
from .pull_frames import pull_frame, pull_lever, virtual_of
from .pull_reaction import displacement_of, load_cotangent, pull_reaction

STEP = 1e-4  # of a number: laws have kinks


@jit
def _power(w, v):
    out = 0.0
    for c in range(12):
        out += w[c] * v[c]
    return out


@jit
def _virtual(ft, k, S, W, nu):
    """ft.g[:12] <- virtual displacements of both frames."""
    for side in range(2):
        f = ft.i[k] if side == 0 else ft.j[k]
        v, m = virtual_of(S.fr, W.R, f, nu)
        for c in range(3):
            ft.virtual[WRENCH * side + c] = v[c]
            ft.virtual[WRENCH * side + 3 + c] = m[c]


@jit
def _powers_of_loads(ft, k, S):
    """Virtual powers per load of the translational and of the rotational part."""
    L = ft.load[k]
    l0, l1 = L[0], L[1]
    L[0], L[1] = 1.0, 0.0
    spread(ft.t, k, ft.kind[k], ft.i[k], ft.j[k], S.fr, L, ft.mu, ft.W)
    p0 = _power(ft.W, ft.virtual)
    L[0], L[1] = 0.0, 1.0
    spread(ft.t, k, ft.kind[k], ft.i[k], ft.j[k], S.fr, L, ft.mu, ft.W)
    p1 = _power(ft.W, ft.virtual)
    L[0], L[1] = l0, l1
    return p0, p1


@jit
def _by_reaction(ft, k, fr, p0, p1):
    """Cotangents of the reaction (F, T), of the axis and of the travel, of p0 L0 + p1 L1 (`friction.loads`); the
    reaction is in ft.wr."""
    t = ft.t
    what = ft.kind[k]
    F = ft.wr[0, 0], ft.wr[0, 1], ft.wr[0, 2]
    T = ft.wr[0, 3], ft.wr[0, 4], ft.wr[0, 5]
    zero = (0.0, 0.0, 0.0)
    mu = max(t[k, MUS], t[k, MUD])
    if mu > 0.0 and ft.load[k, 0] >= t[k, FMAX] / mu:
        p0 = 0.0
    if mu > 0.0 and ft.load[k, 1] >= t[k, TMAX] / mu:
        p1 = 0.0
    if what == BALL:
        size = math.sqrt(dot(F, F))
        return times(p1 * t[k, LAT] / size if size > 0.0 else 0.0, F), zero, zero, 0.0
    x = p1 if what == AXIS else p0 + t[k, RAD] * p1
    f, axis = _axis(ft, k)
    a = axis_of(fr.A, f, axis)
    along = dot(F, a)
    across = minus(F, times(along, a))
    lateral = math.sqrt(dot(across, across))
    about = dot(T, a)
    tilt = minus(T, times(about, a))
    bend = math.sqrt(dot(tilt, tilt))
    by_lateral = x * t[k, LAT] / lateral if lateral > 0.0 else 0.0
    by_bend = x * t[k, BEN] / bend if bend > 0.0 else 0.0
    by_travel = 0.0
    if t[k, OVER] != 0.0:
        d = minus(row_of(fr.p, ft.i[k]), row_of(fr.p, ft.j[k]))
        over = t[k, OVER] + t[k, GROW] * dot(d, axis_of(fr.A, ft.j[k], 2))
        if abs(over) > 1e-12:
            by_bend /= abs(over)
            by_travel = -by_bend * bend * bend * t[k, GROW] / over
        else:
            by_bend /= 1e-12
    by_along = x * t[k, AXI] * (1.0 if along > 0.0 else -1.0) if what == AXIS else 0.0
    by_about = x * t[k, TOR] * (1.0 if about > 0.0 else -1.0) if what != AXIS else 0.0
    Fbar = plus(times(by_lateral, across), times(by_along, a))
    Tbar = plus(times(by_bend, tilt), times(by_about, a))
    abar = plus(times(by_along - by_lateral * along, F), times(by_about - by_bend * about, T))
    return Fbar, Tbar, abar, by_travel


@jit
def _axis(ft, k):
    """Frame and number of the axis."""
    if ft.kind[k] == AXIS:
        return ft.i[k] if ft.t[k, SIDE] == 1.0 else ft.j[k], int(ft.t[k, NUM])
    return ft.j[k], 2


@jit
def friction_loads(S, W, y, nu, lbar):
    """lbar += (dF/dlam)^T nu."""
    ft = S.friction
    if ft.reactive == 0:
        return
    for k in range(ft.i.shape[0]):
        _evaluate(ft, k, S, W, y)
        _virtual(ft, k, S, W, nu)
        p0, p1 = _powers_of_loads(ft, k, S)
        Fbar, Tbar, abar, by_travel = _by_reaction(ft, k, S.fr, p0, p1)
        constraint = ft.i[k], ft.j[k], ft.lo[k], ft.hi[k]
        b, turn = displacement_of(S, W, constraint, ft.i[k], Fbar, Tbar, ft.move)
        load_cotangent(S, W, constraint, b, ft.move, lbar)


@jit
def _pull_slip(ft, k, c, size, S, W, out):
    """Of size times slip component c."""
    slip_gradient(ft.t, k, ft.kind[k], c, ft.i[k], ft.j[k], S.fr, W.R, ft.D[0], ft.g)
    for side in range(2):
        for q in range(12):
            ft.W[q] = size * ft.D[0, 12 * side + q]
        pull_frame(S.fr, W.R, ft.i[k] if side == 0 else ft.j[k], ft.W, out)


@jit
def _pull_numbers(ft, k, S, W, y, kb):
    t = ft.t
    n = ft.n[k]
    for c in range(t.shape[1]):
        if ft.wanted[k, c] == 0:
            continue
        kept = t[k, c]
        h = STEP * (abs(kept) if kept != 0.0 else 1.0)
        x = 0.0
        for q in range(6):
            t[k, c] = kept + AT[q] * h
            _evaluate(ft, k, S, W, y)
            power = _power(ft.out[k], ft.virtual)
            if ft.x[k] >= 0:
                for a in range(n):
                    power += kb[ft.offset + ft.x[k] + a] * ft.rate[a]
            x += WEIGHTS[q] * power
        t[k, c] = kept
        ft.bar[k, c] += x / h


@jit
def pull_friction(S, W, t, y, kb, yb, nu, fbar, lbar, body, place, turn):
    """See `part_calls.pull_parts`."""
    ft = S.friction
    fr = S.fr
    R = W.R
    out = Cotangents(body, place, turn)
    m = ft.m
    zero = (0.0, 0.0, 0.0)
    still = zero, zero, zero
    for k in range(ft.i.shape[0]):
        i = ft.i[k]
        j = ft.j[k]
        what = ft.kind[k]
        n = ft.n[k]
        state = ft.x[k] >= 0
        _virtual(ft, k, S, W, nu)
        _pull_numbers(ft, k, S, W, y, kb)
        _evaluate(ft, k, S, W, y)
        law_tangent(ft.t, k, n, state, ft.v, ft.b, m[0], m[1], m[2], m[3])
        w = ft.out[k]
        tangent(ft.t, k, what, i, j, fr, ft.load[k], ft.mu, m[0], w, ft.D)
        for side in range(2):
            f = i if side == 0 else j
            for c in range(12):
                column = WRENCH * side + c if c < WRENCH else 12 + WRENCH * side + c - WRENCH
                x = 0.0
                for r in range(12):
                    x += ft.virtual[r] * ft.D[r, column]
                ft.W[c] = x
            pull_frame(fr, R, f, ft.W, out)
            o = WRENCH * side
            turned = ft.virtual[o + 3], ft.virtual[o + 4], ft.virtual[o + 5]
            pull_lever(fr, R, f, turned, (w[o], w[o + 1], w[o + 2]), (w[o + 3], w[o + 4], w[o + 5]), out)
        if state:
            x = ft.offset + ft.x[k]
            for c in range(n):
                for a in range(n):
                    ft.rate[a] = m[1, a, c]
                spread(ft.t, k, what, i, j, fr, ft.load[k], ft.rate, ft.W)
                yb[x + c] += _power(ft.W, ft.virtual)
                slope = 0.0
                for a in range(n):
                    yb[x + c] += kb[x + a] * m[3, a, c]
                    slope += kb[x + a] * m[2, a, c]
                _pull_slip(ft, k, c, slope, S, W, out)
        if ft.reactive == 0:
            continue
        p0, p1 = _powers_of_loads(ft, k, S)
        Fbar, Tbar, abar, by_travel = _by_reaction(ft, k, fr, p0, p1)
        f, axis = _axis(ft, k)
        pull_axis(fr, R, f, axis_of(fr.A, f, axis), still, abar, zero, zero, zero, out)
        if by_travel != 0.0:
            d = minus(row_of(fr.p, i), row_of(fr.p, j))
            z = axis_of(fr.A, j, 2)
            pull_axis(fr, R, j, z, still, times(by_travel, d), zero, zero, zero, out)
            for side in range(2):
                for c in range(12):
                    ft.W[c] = (by_travel if side == 0 else -by_travel) * z[c] if c < 3 else 0.0
                pull_frame(fr, R, i if side == 0 else j, ft.W, out)
        constraint = i, j, ft.lo[k], ft.hi[k]
        pull_reaction(S, W, y, constraint, i, Fbar, Tbar, ft.move, ft.none, lbar, ft.g, out)
