"""Transposed derivatives of the forces of contacts: of the power nu . F of their points in a virtual displacement of
the bodies, by the motion of the bodies, by positions and directions of shapes, and by numbers of laws and shapes
(kernels).

At a point c with the normal n, the force f and the couple T on body a, and -f, -T on body b, the power is

    f . V + T . M,    V = nu_a + m_a x (c - r_a) - nu_b - m_b x (c - r_b),    M = m_a - m_b

with the virtual translations nu and turns m.  A motion changes gap, normal and point (`contact.kinematics`), depth,
rate and slip, by them f and T as the law and the friction say (`contact.engine`), and V by the point and the turn of
the axes.  Numbers have differences of the law: of lengths within a share of the smallest depth, since a force begins
with a power of it that may be broken.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .._handle import view_S, view_W
from .._jit import jit
from .._six_points import AT as POINTS_AT
from .._six_points import WEIGHTS
from ..elements.bodies.at_point import lever, unit_motion
from ..elements.bodies.layout import MOVES
from ..elements.jets import dot, minus, plus, times, vector
from .call import FORCES, INDEX, MATRIX, VECTOR
from .engine import _couple, _handle_at, _speed, engine
from .kinematics import point_rates, prepare
from .tables import (
    AT,
    DEPTH,
    FD,
    FN,
    FORCE,
    FRICTION_FORCE,
    FV,
    GAP,
    POINTS,
    ROLLING,
    SPINNING,
    TA,
    TN,
    TS,
    N,
)

STEP = 1e-4  # of a number, or of the smallest depth
SHALLOW = 1e-8  # of a length: depths below this have differences to one side
P, PF, PE, PAR, HALF, RADIUS, CENTRE = range(7)  # tables of numbers
NUMBER_TABLES = ("p", "pf", "pe", "par", "half", "radius", "centre")
LAWS = 3  # the first of them are those of laws

#: the entry: address of the tables, time, state, virtual displacement, rotations, forces, cotangents of bodies, of
#: positions and of directions of the frames of shapes; of directions of numbers: entries (direction, table, row,
#: column), weights, values kept, steps, cotangents
_WHOLE = types.int64[:, ::1]
ENTRY = (INDEX, types.float64, VECTOR, VECTOR, MATRIX, VECTOR, VECTOR, MATRIX, MATRIX, _WHOLE, *(VECTOR,) * 4)


@jit
def _number(S, table, r, c):
    if table == P:
        return S.p[r, c]
    if table == PF:
        return S.pf[r, c]
    if table == PE:
        return S.pe[r, c]
    if table == PAR:
        return S.sh.par[r, c]
    if table == HALF:
        return S.sh.half[r, c]
    if table == RADIUS:
        return S.sh.radius[r]
    return S.sh.centre[r, c]


@jit
def _put(S, table, r, c, x):
    if table == P:
        S.p[r, c] = x
    elif table == PF:
        S.pf[r, c] = x
    elif table == PE:
        S.pe[r, c] = x
    elif table == PAR:
        S.sh.par[r, c] = x
    elif table == HALF:
        S.sh.half[r, c] = x
    elif table == RADIUS:
        S.sh.radius[r] = x
    else:
        S.sh.centre[r, c] = x


@jit
def _power(address, t, y, R, nu, F):
    """nu . F of the contacts at a state; F is work."""
    for c in range(F.shape[0]):
        F[c] = 0.0
    engine(address, FORCES, t, y, R, F, F, F)
    out = 0.0
    for c in range(F.shape[0]):
        out += nu[c] * F[c]
    return out


@jit
def _virtual(bodies, R, nu, b):
    """Virtual translation and turn of a body, ground axes."""
    if b == bodies.n:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    o = MOVES * b
    m = (0.0, 0.0, 0.0)
    for c in range(3):
        h = unit_motion(bodies, R, b, 3 + c)
        m = plus(m, times(nu[o + 3 + c], (h[3], h[4], h[5])))
    return (nu[o], nu[o + 1], nu[o + 2]), m


@jit
def _change(S, W, m, frames, V, M, geometry, dz, dy, dM, dV):
    """Of the power of point m, for changes of gap, normal and point (``geometry``), relative velocity at the point,
    relative angular velocity, M and V."""
    pts = W.pts
    pd = W.pd
    fa, fb = frames
    c = W.near[W.pair[m], 0]
    dg, q, p = geometry
    n = pts[m, N], pts[m, N + 1], pts[m, N + 2]
    v = _speed(S.sh.fr, fa, pd[m, AT], pd[m, AT + 1], pd[m, AT + 2])
    v = minus(v, _speed(S.sh.fr, fb, pd[m, AT], pd[m, AT + 1], pd[m, AT + 2]))
    vn = dot(v, n)
    zn = dot(dz, n) + dot(v, q)
    size = pd[m, FN]
    dN = -pd[m, FD] * dg - pd[m, FV] * zn
    df = plus(times(dN, n), times(size, q))
    if S.law[c, FRICTION_FORCE] != 0:
        s0, s1, s2 = minus(minus(dz, times(zn, n)), times(vn, q))
        T = pd[m]
        df = (
            df[0] + T[TN] * dN + T[TS] * s0 + T[TS + 1] * s1 + T[TS + 2] * s2,
            df[1] + T[TN + 1] * dN + T[TS + 3] * s0 + T[TS + 4] * s1 + T[TS + 5] * s2,
            df[2] + T[TN + 2] * dN + T[TS + 6] * s0 + T[TS + 7] * s1 + T[TS + 8] * s2,
        )
    out = dot(df, V) + dot((pd[m, FORCE], pd[m, FORCE + 1], pd[m, FORCE + 2]), dV)
    if S.pe[c, ROLLING] != 0.0 or S.pe[c, SPINNING] != 0.0:
        dT = _couple(S, S.sh.fr, c, fa, fb, size, dN, n, q, dy)
        out += dot(dT, M) + dot((pd[m, TA], pd[m, TA + 1], pd[m, TA + 2]), dM)
    return out


@jit
def _pull_point(S, W, m, y, R, nu, body, place, turn):
    sh = S.sh
    fr = sh.fr
    pd = W.pd
    bodies = S.bodies
    k = W.pair[m]
    frames = sh.frame[W.near[k, 1]], sh.frame[W.near[k, 2]]
    prepare(W.pts, m, W.A4)
    n = W.pts[m, N], W.pts[m, N + 1], W.pts[m, N + 2]
    gap = W.pts[m, GAP]
    at = pd[m, AT], pd[m, AT + 1], pd[m, AT + 2]
    zero = (0.0, 0.0, 0.0)
    na, ma = _virtual(bodies, R, nu, fr.body[frames[0]])
    nb, mb = _virtual(bodies, R, nu, fr.body[frames[1]])
    M = minus(ma, mb)
    V = minus(plus(na, vector(ma, lever(bodies, y, fr.body[frames[0]], at[0], at[1], at[2]))), nb)
    V = minus(V, vector(mb, lever(bodies, y, fr.body[frames[1]], at[0], at[1], at[2])))
    fa, fb = frames
    spin = fr.w[fa, 0] - fr.w[fb, 0], fr.w[fa, 1] - fr.w[fb, 1], fr.w[fa, 2] - fr.w[fb, 2]
    for side in range(2):
        f = frames[side]
        b = fr.body[f]
        s = -1.0 if side else 1.0
        virtual = mb if side else ma
        x = lever(bodies, y, b, at[0], at[1], at[2])
        w = fr.w[f, 0], fr.w[f, 1], fr.w[f, 2]
        off = times(s * 0.5 * gap, n)  # from c to the material point of this side
        for e in range(6):
            u = unit_motion(bodies, R, b, e)
            d, h = (u[0], u[1], u[2]), (u[3], u[4], u[5])
            if b != bodies.n:
                still = plus(d, vector(h, x))  # motion of the material point at c
                g = _move(W, m, side, plus(still, vector(h, off)), h)
                turned = vector(h, w)
                dz = plus(vector(spin, g[2]), times(s, minus(vector(turned, x), vector(w, d))))
                own = vector(h, virtual)
                dV = plus(vector(M, g[2]), times(s, minus(vector(own, x), vector(virtual, d))))
                body[12 * b + e] += _change(S, W, m, frames, V, M, g, dz, times(s, turned), times(s, own), dV)
                body[12 * b + 6 + e] += _change(
                    S, W, m, frames, V, M, (0.0, zero, zero), times(s, still), times(s, h), zero, zero
                )
            # the shape in its body
            u = unit_motion(bodies, R, b, 3 + e % 3)
            h = (u[3], u[4], u[5])
            if e < 3:
                g = _move(W, m, side, h, zero)
            else:
                arm = minus(plus(at, off), (fr.p[f, 0], fr.p[f, 1], fr.p[f, 2]))
                g = _move(W, m, side, vector(h, arm), h)
            v = _change(S, W, m, frames, V, M, g, vector(spin, g[2]), zero, zero, vector(M, g[2]))
            if e < 3:
                place[f, e] += v
            else:
                turn[f, e - 3] += v


@jit
def _move(W, m, side, d, h):
    """Changes of gap, normal and point, where one side moves by d at its material point and turns by h."""
    zero = (0.0, 0.0, 0.0)
    n = W.pts[m, N], W.pts[m, N + 1], W.pts[m, N + 2]
    if side:
        dg, q0, q1, q2, p0, p1, p2 = point_rates(W.pts, m, W.A4, zero, zero, d, h)
    else:
        dg, q0, q1, q2, p0, p1, p2 = point_rates(W.pts, m, W.A4, d, h, zero, zero)
    q = (q0, q1, q2)
    return dg, q, plus((p0, p1, p2), times(0.5, plus(times(dg, n), times(W.pts[m, GAP], q))))


@jit
def _moved(S, entries, weights, kept, first, last, way, given):
    """`_power` where the numbers of a direction have gone ``way`` along it."""
    for e in range(first, last):
        _put(S, entries[e, 1], entries[e, 2], entries[e, 3], kept[e] + way * weights[e])
    address, t, y, R, nu, F = given
    return _power(address, t, y, R, nu, F)


@jit
def contact_pull(address, t, y, nu, R, F, body, place, turn, entries, weights, kept, steps, bar):
    """The entry, see `ENTRY`; ``steps``: of numbers of laws, negative: shares of the smallest depth over the largest
    weight.  Returns the number of points that act."""
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    _power(address, t, y, R, nu, F)
    points = W.count[POINTS]
    least = np.inf
    for m in range(points):
        least = min(least, W.pd[m, DEPTH])
    given = address, t, y, R, nu, F
    if points > 0 and least > 0.0:
        first = 0
        while first < entries.shape[0]:
            k = entries[first, 0]
            last = first
            size = 0.0
            while last < entries.shape[0] and entries[last, 0] == k:
                kept[last] = _number(S, entries[last, 1], entries[last, 2], entries[last, 3])
                size = max(size, abs(kept[last]))
                last += 1
            h = steps[k] if steps[k] > 0.0 else -steps[k] * least
            x = 0.0
            if steps[k] > 0.0 or least > SHALLOW * size:
                for q in range(6):
                    x += WEIGHTS[q] * _moved(S, entries, weights, kept, first, last, h * POINTS_AT[q], given)
            else:  # towards where it is deeper: to the other side there is nothing
                h = -steps[k] / STEP * SHALLOW * size
                here = _moved(S, entries, weights, kept, first, last, 0.0, given)
                ahead = _moved(S, entries, weights, kept, first, last, h, given)
                if W.count[POINTS] < points:
                    h = -h
                    ahead = _moved(S, entries, weights, kept, first, last, h, given)
                x = 2.0 * ahead - 1.5 * here - 0.5 * _moved(S, entries, weights, kept, first, last, 2.0 * h, given)
            _moved(S, entries, weights, kept, first, last, 0.0, given)
            bar[k] += x / h
            first = last
    for m in range(points):
        _pull_point(S, W, m, y, R, nu, body, place, turn)
    return points


def table_of(S, table):
    """The array of a table of `NUMBER_TABLES`."""
    name = NUMBER_TABLES[table]
    return getattr(S if table < LAWS else S.sh, name)


@jit
def _stand(S, W, m, size):
    """Point m with a normal force and nothing else."""
    pd = W.pd
    for c in range(pd.shape[1]):
        pd[m, c] = 0.0
    pd[m, FN] = size
    for c in range(3):
        n = W.pts[m, N + c]
        pd[m, AT + c] = W.pts[m, c] + 0.5 * W.pts[m, GAP] * n
        pd[m, FORCE + c] = size * n


@jit(
    entry="int64, int64, float64, float64, float64[::1], float64[:, ::1], float64[::1], float64[::1], float64[:, ::1], "
    "float64[:, ::1]"
)
def pull_given(address, m, size, t, y, R, nu, body, place, turn):
    """Cotangents of the power in the virtual velocities nu (6 a body) of a normal force of constant size at collected
    point m."""
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    _stand(S, W, m, size)
    _pull_point(S, W, m, y, R, nu, body, place, turn)


@jit(entry="int64, int64, float64, float64[::1], float64[:, ::1], float64[::1], float64[:, ::1], float64[:, ::1]")
def point_gaps(address, m, t, y, R, body, place, turn):
    """The gap of collected point m, and its gradient: by motions of the bodies (12 each; the first six are the row of
    its rate over their velocities), by positions and directions of shapes."""
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    sh = S.sh
    fr = sh.fr
    _stand(S, W, m, 1.0)
    k = W.pair[m]
    prepare(W.pts, m, W.A4)
    n = W.pts[m, N], W.pts[m, N + 1], W.pts[m, N + 2]
    at = W.pd[m, AT], W.pd[m, AT + 1], W.pd[m, AT + 2]
    zero = (0.0, 0.0, 0.0)
    for side in range(2):
        f = sh.frame[W.near[k, 1 + side]]
        b = fr.body[f]
        s = -1.0 if side else 1.0
        x = lever(S.bodies, y, b, at[0], at[1], at[2])
        off = times(s * 0.5 * W.pts[m, GAP], n)
        for e in range(6):
            u = unit_motion(S.bodies, R, b, e)
            d, h = (u[0], u[1], u[2]), (u[3], u[4], u[5])
            if b != S.bodies.n:
                body[12 * b + e] += _move(W, m, side, plus(plus(d, vector(h, x)), vector(h, off)), h)[0]
            u = unit_motion(S.bodies, R, b, 3 + e % 3)
            h = (u[3], u[4], u[5])
            if e < 3:
                place[f, e] += _move(W, m, side, h, zero)[0]
            else:
                arm = minus(plus(at, off), (fr.p[f, 0], fr.p[f, 1], fr.p[f, 2]))
                turn[f, e - 3] += _move(W, m, side, vector(h, arm), h)[0]
    return W.pts[m, GAP]
