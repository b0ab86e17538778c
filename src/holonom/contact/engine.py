"""The contact engine: points of near pairs, their forces, exact derivatives, energies and sums.

Two kernels, compiled for themselves: the equations of motion call them through their addresses (`system.contacts`), so
a model without contacts neither pays for them nor compiles them.  Pair kernels, laws and friction lie behind addresses
too.

A point carries  f = N n + t  on body a and -f on body b, at c = p_b + g n / 2, with N(d, d') from a law, d = -g, and
the friction t(N, s) of the slip s = v - (v . n) n, v the velocity of a's material point at c against b's; rolling and
spinning resistance add the couple  T = -N (rho w_t h(|w_t|) + sigma n h(w_n)),  w = w_a - w_b,  h(x) = tanh(x / w_0) /
x.  The contact force does the work -N d' + t . s exactly, since d' = -n . v.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numba.extending import intrinsic

from .._address import caller
from .._handle import make_handle, view_S, view_W
from .._jit import jit
from ..elements.bodies.at_point import add_force_at, force_component, lever, unit_motion
from ..elements.bodies.coordinates import rotations
from ..elements.bodies.layout import MOVES
from ..elements.bodies.tables import no_bodies
from ..elements.frames import update_frames
from .broad_phase import _find, search, still_near
from .call import ACCEPT, COLLECT, FORCES, GAPS, INDEX, MATRIX, SEARCH, SUMS, VECTOR
from .kinematics import point_rates, prepare
from .laws.formulas import smooth_sign
from .shapes._address import call as pair
from .shapes._address import no_shapes
from .tables import (
    ALL_PAIRS,
    AT,
    C_DEPTH,
    C_FORCE,
    C_FRICTION,
    C_LOST,
    C_NORMAL,
    C_POINT,
    C_POINTS,
    C_RATE,
    C_STORED,
    C_TORQUE,
    CLOCK,
    COLUMNS,
    CONTACT_DATA,
    COUNTERS,
    DEPTH,
    ENGINE_COLUMNS,
    FD,
    FEATURE,
    FN,
    FORCE,
    FRICTION_ACCEPT,
    FRICTION_FORCE,
    FT,
    FULL,
    FV,
    GAP,
    GIVEN,
    HELD,
    INSIDE_STEP,
    LAW_ACCEPT,
    LAW_FORCE,
    LAWS,
    LOST,
    NEAR,
    OUT_BY_NORMAL,
    OUT_BY_SLIP,
    OUT_DEPTH,
    OUT_ELASTIC,
    OUT_FORCE,
    OUT_LOST,
    OUT_RATE,
    OUT_STORED,
    POINT_DATA,
    POINTS,
    PUBLISHED,
    RATE,
    REACH,
    RELAXES,
    ROLLING,
    SETTINGS,
    SHAPE_TYPES,
    SHIFTED,
    SINCE,
    SPINNING,
    STORED,
    TA,
    TN,
    TRANSITION,
    TS,
    WEIGHT,
    Contacts,
    ContactWork,
    N,
    P,
)

PAIR = 2 * MOVES  # unknowns of two bodies

LAW_ARGUMENTS = (MATRIX, INDEX, types.float64, types.float64, MATRIX, INDEX, types.float64, VECTOR)
ACCEPT_ARGUMENTS = (MATRIX, INDEX, types.float64, types.float64, MATRIX, INDEX, types.float64)
FRICTION_ARGUMENTS = (MATRIX, INDEX, types.float64, VECTOR, MATRIX, INDEX, types.float64, VECTOR)
FRICTION_ACCEPT_ARGUMENTS = (MATRIX, INDEX, types.float64, VECTOR, MATRIX, INDEX, types.float64)
_law = caller(types.float64, LAW_ARGUMENTS)
_law_accept = caller(types.none, ACCEPT_ARGUMENTS)
_friction = caller(types.none, FRICTION_ARGUMENTS)
_friction_accept = caller(types.none, FRICTION_ACCEPT_ARGUMENTS)


def empty_tables(n=0, contacts=0, near=1, points=1, memory=0, bodies=None, pairs=0):
    """`Contacts` and `ContactWork` of the right types and sizes, to be filled: n shapes, near pairs and points at most,
    memory: points of a pair that are remembered; bodies: those of the system, none but ground without."""
    bodies = no_bodies() if bodies is None else bodies
    z = np.zeros
    i = lambda *shape: np.zeros(shape, np.int64)
    u = lambda *shape: np.zeros(shape, np.uint32)
    kinds = len(SHAPE_TYPES)
    rows = near * memory + 1
    S = Contacts(
        sh=no_shapes(n),
        kern=i(kinds, kinds),
        law=i(contacts, 4),
        p=z((contacts, 16)),
        pf=z((contacts, 16)),
        pe=z((contacts, len(ENGINE_COLUMNS))),
        side_ptr=i(n + 1),
        side=i(0),
        excluded=i(0),
        barred=i(0),
        settings=z(len(SETTINGS)),
        bodies=bodies,
        most=i(kinds, kinds),
        memory=memory,
    )
    W = ContactWork(
        near=i(near, 4),
        key=i(near),
        near2=i(near, 4),
        key2=i(near),
        lock=i(near),
        lock2=i(near),
        count=i(COUNTERS),
        clock=z(len(CLOCK)),
        lo=z((n, 3)),
        hi=z((n, 3)),
        place=z((n, 12)),
        order=np.arange(n),
        unbounded=i(0),
        head=i(1 << max(4, (2 * n).bit_length())),
        cell=i(n, 4),
        pts=z((points, COLUMNS)),
        pair=i(points),
        pd=z((points, POINT_DATA)),
        nmem=i(near),
        mem=z((rows, 8)),
        fmem=z((rows, 8)),
        feat=z(rows),
        nmem2=i(near),
        mem2=z((rows, 8)),
        fmem2=z((rows, 8)),
        feat2=z(rows),
        A4=z((4, 4)),
        slip=z(3),
        law=z(40),
        cw=z((contacts, CONTACT_DATA)),
        gap=z(near),
        bkey=i(pairs),
        dpos=u(bodies.n + 1, MOVES * MOVES),
        opos=u(pairs, 2 * MOVES * MOVES),
        scratch=i(1),
        dkey=i(0),
        dnum=i(0, 3),
        wr=z((1, 12)),
        wrow=i(contacts),
        skey=i(near),
        shift=z(near),
    )
    return S, W


#: types of everything behind the engine's entries; the same for every model
HANDLE = make_handle(*empty_tables(), ())._numba_type_


@intrinsic
def _handle_at(typingctx, address):
    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(HANDLE))

    return HANDLE(types.int64), codegen


@jit
def engine(address, mode, t, y, R, F, K, C):
    """The entry.  FORCES: add contact forces to F (6 a body) at state y; ACCEPT: the last FORCES was an accepted step's
    end; GAPS: least gap of each near pair at y (W.gap); SUMS: sums of each contact (W.cw); SEARCH: the list of near
    pairs again, then FORCES; COLLECT: points with a gap below the reach into W.pts, no forces.  ``address``: of a
    handle on `Contacts` and `ContactWork`.  Returns the number of points that act."""
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    if mode == ACCEPT:
        if W.count[INSIDE_STEP] != 0 or S.settings[GIVEN] != LAWS:
            return W.count[POINTS]
        W.count[SINCE] += 1
        if S.memory > 0:  # the points of the accepted state, which need not be those of the last evaluation
            rotations(S.bodies, y, R)
            update_frames(S.sh.fr, y, R)
            _forces(S, W, t, y, R, F, False)
            _accept(S, W, t)
    elif mode == SUMS:
        _sums(S, W)
    elif mode == FORCES and S.settings[GIVEN] != LAWS:
        if S.settings[GIVEN] == HELD:
            update_frames(S.sh.fr, y, R)
            for m in range(W.count[POINTS]):
                k = W.pair[m]
                _apply(
                    S.bodies,
                    W,
                    m,
                    S.sh.fr.body[S.sh.frame[W.near[k, 1]]],
                    S.sh.fr.body[S.sh.frame[W.near[k, 2]]],
                    y,
                    R,
                    F,
                )
            _share(S, W)
    else:
        update_frames(S.sh.fr, y, R)
        if mode == SEARCH or not still_near(S, W):
            if S.settings[ALL_PAIRS] == 0.0 or W.count[NEAR] == 0 or mode == SEARCH:
                search(S, W, t)
        if mode == GAPS:
            _gaps(S, W)
        elif mode == COLLECT:
            _collect(S, W)
        elif S.settings[GIVEN] == LAWS:
            _forces(S, W, t, y, R, F, True)
            _share(S, W)
    return W.count[POINTS]


@jit
def derivatives(address, mode, t, y, R, F, K, C):
    """The second entry, which only models with a matrix compile: K, C += derivatives at the last FORCES of `engine`,
    which has the same arguments; mode and F are not checked."""
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    if S.settings[GIVEN] == LAWS:
        _stiffness(S, W, y, R, K, C)
    return W.count[POINTS]


@jit
def _share(S, W):
    """Wrenches of contacts for functions that require them."""
    if S.settings[PUBLISHED] != 0.0:
        _sums(S, W)
        for c in range(W.cw.shape[0]):
            for q in range(6):
                W.wr[W.wrow[c], q] = W.cw[c, q]
                W.wr[W.wrow[c], 6 + q] = -W.cw[c, q]


@jit
def near_points(S, W, k, reach, m):
    """Points of near pair k with gaps below about ``reach``, into pts from row m; returns how many, -1 where there is
    no space for them."""
    sh = S.sh
    a = W.near[k, 1]
    b = W.near[k, 2]
    most = S.most[sh.kind[a], sh.kind[b]]
    if m + most > W.pts.shape[0]:
        W.count[FULL] += 1
        return -1
    return pair(S.kern[sh.kind[a], sh.kind[b]], (sh, a, b, reach, W.pts, m, most))


@jit
def shift_of(W, k):
    """How much further in the depths of near pair k are measured from (`ledger`)."""
    if W.count[SHIFTED] == 0:
        return 0.0
    q = _find(W.skey, W.count[SHIFTED], W.key[k])
    return W.shift[q] if q >= 0 else 0.0


@jit
def _collect(S, W):
    """Points with a gap below the reach, by near pair; what acts there is zero."""
    reach = S.settings[REACH]
    m = 0
    for k in range(W.count[NEAR]):
        if W.lock[k] != 0:
            continue
        n = near_points(S, W, k, reach, m)
        if n < 0:
            break
        for q in range(m, m + n):
            if W.pts[q, GAP] < reach:
                if q != m:
                    for c in range(W.pts.shape[1]):
                        W.pts[m, c] = W.pts[q, c]
                W.pair[m] = k
                for c in range(W.pd.shape[1]):
                    W.pd[m, c] = 0.0
                m += 1
    W.count[POINTS] = m


@jit
def _gaps(S, W):
    """Least gap of every near pair; a large number where there is no point within reach."""
    sh = S.sh
    room = W.pts.shape[0]
    for k in range(W.count[NEAR]):
        a = W.near[k, 1]
        b = W.near[k, 2]
        ka = sh.kind[a]
        kb = sh.kind[b]
        n = pair(S.kern[ka, kb], (sh, a, b, 1e300, W.pts, 0, min(S.most[ka, kb], room)))
        least = 1e300
        for q in range(n):
            least = min(least, W.pts[q, GAP])
        W.gap[k] = least + shift_of(W, k)
    W.count[POINTS] = 0  # the points of the last forces are gone


@jit
def _forces(S, W, t, y, R, F, add):
    sh = S.sh
    fr = sh.fr
    m = 0
    for k in range(W.count[NEAR]):
        if W.lock[k] != 0:
            continue
        n = near_points(S, W, k, 0.0, m)
        if n < 0:
            break
        shift = shift_of(W, k)
        for q in range(m, m + n):
            if W.pts[q, GAP] + shift < 0.0:
                if q != m:  # keep the list dense
                    for c in range(W.pts.shape[1]):
                        W.pts[m, c] = W.pts[q, c]
                W.pair[m] = k
                _point(S, W, m, k, shift, t)
                if add:
                    _apply(S.bodies, W, m, fr.body[sh.frame[W.near[k, 1]]], fr.body[sh.frame[W.near[k, 2]]], y, R, F)
                m += 1
    W.count[POINTS] = m


@jit
def _memory(S, W, k, feature):
    """Row of the memory of a feature of near pair k, or that of a point that remembers nothing."""
    for r in range(k * S.memory, k * S.memory + W.nmem[k]):
        if W.feat[r] == feature:
            return r
    return W.mem.shape[0] - 1


@jit
def _point(S, W, m, k, shift, t):
    """What acts at point m of near pair k, into pd[m]."""
    sh = S.sh
    fr = sh.fr
    pts = W.pts
    pd = W.pd
    c = W.near[k, 0]
    fa = sh.frame[W.near[k, 1]]
    fb = sh.frame[W.near[k, 2]]
    g = pts[m, GAP]
    n0, n1, n2 = pts[m, N], pts[m, N + 1], pts[m, N + 2]
    c0 = pts[m, P] + 0.5 * g * n0
    c1 = pts[m, P + 1] + 0.5 * g * n1
    c2 = pts[m, P + 2] + 0.5 * g * n2
    v0, v1, v2 = _speed(fr, fa, c0, c1, c2)
    u0, u1, u2 = _speed(fr, fb, c0, c1, c2)
    v0 -= u0
    v1 -= u1
    v2 -= u2
    vn = v0 * n0 + v1 * n1 + v2 * n2
    d = -(g + shift)
    row = _memory(S, W, k, pts[m, FEATURE]) if S.memory > 0 else 0
    weight = pts[m, WEIGHT]
    L = W.law
    Fn = weight * _law(S.law[c, LAW_FORCE], (S.p, c, d, -vn, W.mem, row, t, L))
    elastic = weight * L[OUT_ELASTIC]
    pd[m, FN] = Fn
    pd[m, DEPTH] = d
    pd[m, RATE] = -vn
    pd[m, FD] = weight * L[OUT_DEPTH]
    pd[m, FV] = weight * L[OUT_RATE]
    pd[m, STORED] = weight * L[OUT_STORED]
    lost = (Fn - elastic) * -vn
    if S.pe[c, RELAXES] != 0.0:  # stress relaxes at rest too: the law gives what that takes
        lost = weight * L[OUT_LOST]
    f0, f1, f2 = Fn * n0, Fn * n1, Fn * n2
    for q in range(FT, DEPTH):
        pd[m, q] = 0.0
    for q in range(TN, STORED):
        pd[m, q] = 0.0
    if S.law[c, FRICTION_FORCE] != 0:
        s = W.slip  # slip
        s[0] = v0 - vn * n0
        s[1] = v1 - vn * n1
        s[2] = v2 - vn * n2
        _friction(S.law[c, FRICTION_FORCE], (S.pf, c, Fn, s, W.fmem, row, t, L))
        # a remembered deflection may have turned out of the tangent plane
        x = L[0] * n0 + L[1] * n1 + L[2] * n2
        L[0] -= x * n0
        L[1] -= x * n1
        L[2] -= x * n2
        for q in range(3):
            pd[m, FT + q] = L[OUT_FORCE + q]
            pd[m, TN + q] = L[OUT_BY_NORMAL + q]
        for q in range(9):
            pd[m, TS + q] = L[OUT_BY_SLIP + q]
        lost -= L[0] * s[0] + L[1] * s[1] + L[2] * s[2]
        f0 += L[0]
        f1 += L[1]
        f2 += L[2]
    if S.pe[c, ROLLING] != 0.0 or S.pe[c, SPINNING] != 0.0:
        w0 = fr.w[fa, 0] - fr.w[fb, 0]
        w1 = fr.w[fa, 1] - fr.w[fb, 1]
        w2 = fr.w[fa, 2] - fr.w[fb, 2]
        wn = w0 * n0 + w1 * n1 + w2 * n2
        w0 -= wn * n0
        w1 -= wn * n1
        w2 -= wn * n2
        size = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
        roll = -Fn * S.pe[c, ROLLING] * smooth_sign(size, S.pe[c, TRANSITION])
        spin = -Fn * S.pe[c, SPINNING] * smooth_sign(wn, S.pe[c, TRANSITION]) * wn
        pd[m, TA] = roll * w0 + spin * n0
        pd[m, TA + 1] = roll * w1 + spin * n1
        pd[m, TA + 2] = roll * w2 + spin * n2
        lost -= roll * size * size + spin * wn
    pd[m, LOST] = lost
    pd[m, AT] = c0
    pd[m, AT + 1] = c1
    pd[m, AT + 2] = c2
    pd[m, FORCE] = f0
    pd[m, FORCE + 1] = f1
    pd[m, FORCE + 2] = f2


@jit
def _smooth_slope(x, w):
    """Derivative of `smooth_sign` by x, over x."""
    z = x / w
    if abs(z) < 1e-3:
        return -2.0 / (3.0 * w**3)
    h = math.tanh(z)
    return ((1.0 - h * h) / w - h / x) / (x * x)


@jit
def _speed(fr, f, c0, c1, c2):
    """Velocity of the material point of frame f at c."""
    r0 = c0 - fr.p[f, 0]
    r1 = c1 - fr.p[f, 1]
    r2 = c2 - fr.p[f, 2]
    return (
        fr.v[f, 0] + fr.w[f, 1] * r2 - fr.w[f, 2] * r1,
        fr.v[f, 1] + fr.w[f, 2] * r0 - fr.w[f, 0] * r2,
        fr.v[f, 2] + fr.w[f, 0] * r1 - fr.w[f, 1] * r0,
    )


@jit
def _apply(bodies, W, m, i, j, y, R, F):
    """Generalised forces of point m on bodies i and j."""
    pd = W.pd
    for side in range(2):
        b = j if side else i
        s = -1.0 if side else 1.0
        r0, r1, r2 = lever(bodies, y, b, pd[m, AT], pd[m, AT + 1], pd[m, AT + 2])
        f0, f1, f2 = s * pd[m, FORCE], s * pd[m, FORCE + 1], s * pd[m, FORCE + 2]
        add_force_at(bodies, R, b, (r0, r1, r2), (f0, f1, f2), (s * pd[m, TA], s * pd[m, TA + 1], s * pd[m, TA + 2]), F)


@jit
def _stiffness(S, W, y, R, K, C):
    sh = S.sh
    body = sh.fr.body
    nb = S.bodies.n
    if W.scratch[0] > 0:
        for k in range(W.count[NEAR]):
            W.dnum[k, 0] = _find(W.dkey, W.dkey.shape[0], W.key[k])
            W.dnum[k, 1] = body[sh.frame[W.near[k, 1]]]
            W.dnum[k, 2] = body[sh.frame[W.near[k, 2]]]
    for m in range(W.count[POINTS]):
        k = W.pair[m]
        a = W.near[k, 1]
        b = W.near[k, 2]
        i = body[sh.frame[a]]
        j = body[sh.frame[b]]
        prepare(W.pts, m, W.A4)
        lo = min(i, j)
        hi = max(i, j)
        at = _find(W.bkey, W.bkey.shape[0], lo * (nb + 1) + hi) if hi < nb else -1
        _columns(S, W, m, k, i, j, at, y, R, K, C)


@jit
def _columns(S, W, m, k, i, j, at, y, R, K, C):
    """Derivatives of the generalised forces of point m with respect to the coordinates of both bodies."""
    sh = S.sh
    fr = sh.fr
    pts = W.pts
    pd = W.pd
    c = W.near[k, 0]
    fa = sh.frame[W.near[k, 1]]
    fb = sh.frame[W.near[k, 2]]
    n0, n1, n2 = pts[m, N], pts[m, N + 1], pts[m, N + 2]
    g = pts[m, GAP]
    c0, c1, c2 = pd[m, AT], pd[m, AT + 1], pd[m, AT + 2]
    v0, v1, v2 = _speed(fr, fa, c0, c1, c2)
    u0, u1, u2 = _speed(fr, fb, c0, c1, c2)
    v0 -= u0
    v1 -= u1
    v2 -= u2
    vn = v0 * n0 + v1 * n1 + v2 * n2
    Fn = pd[m, FN]
    f0, f1, f2 = pd[m, FORCE], pd[m, FORCE + 1], pd[m, FORCE + 2]
    T0, T1, T2 = pd[m, TA], pd[m, TA + 1], pd[m, TA + 2]
    friction = S.law[c, FRICTION_FORCE] != 0
    rolls = S.pe[c, ROLLING] != 0.0 or S.pe[c, SPINNING] != 0.0
    bodies = S.bodies
    nb = bodies.n
    for q in range(2 * PAIR):
        side = 1 if (q % PAIR) >= MOVES else 0
        e = q % MOVES
        rate = q >= PAIR
        b = j if side else i
        if (
            b == nb or W.dpos[b, (MOVES + 1) * e] == W.dpos[nb, 0]
        ):  # in a planar mechanism three of six are not in the matrix
            continue
        # displacement (d at the centre of mass, th) or velocity (dv, dw) of body b
        d0, d1, d2, h0, h1, h2 = unit_motion(bodies, R, b, e)
        x0, x1, x2 = lever(bodies, y, b, c0, c1, c2)
        # velocity or displacement of the material point at c
        m0 = d0 + h1 * x2 - h2 * x1
        m1 = d1 + h2 * x0 - h0 * x2
        m2 = d2 + h0 * x1 - h1 * x0
        s = -1.0 if side else 1.0
        p0 = p1 = p2 = 0.0  # motion of c
        q0 = q1 = q2 = 0.0  # change of n
        dd = 0.0
        z0 = s * m0  # change of the relative velocity
        z1 = s * m1
        z2 = s * m2
        y0 = s * h0  # change of the relative angular velocity
        y1 = s * h1
        y2 = s * h2
        if not rate:
            # material points at p_a = c + g n / 2 and p_b = c - g n / 2
            o = -0.5 * g if side else 0.5 * g
            k0 = m0 + o * (h1 * n2 - h2 * n1)
            k1 = m1 + o * (h2 * n0 - h0 * n2)
            k2 = m2 + o * (h0 * n1 - h1 * n0)
            if side:
                dg, q0, q1, q2, p0, p1, p2 = point_rates(
                    pts, m, W.A4, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (k0, k1, k2), (h0, h1, h2)
                )
            else:
                dg, q0, q1, q2, p0, p1, p2 = point_rates(
                    pts, m, W.A4, (k0, k1, k2), (h0, h1, h2), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
                )
            p0 += 0.5 * (dg * n0 + g * q0)
            p1 += 0.5 * (dg * n1 + g * q1)
            p2 += 0.5 * (dg * n2 + g * q2)
            dd = -dg
            # the relative velocity at c: c runs, and the body turns with its velocities (w turns, the centre's does
            # not)
            f = fb if side else fa
            w0, w1, w2 = fr.w[f, 0], fr.w[f, 1], fr.w[f, 2]
            t0 = h1 * w2 - h2 * w1
            t1 = h2 * w0 - h0 * w2
            t2 = h0 * w1 - h1 * w0
            # own body: t x lever + w x (p - d);  the other body: its w x p with the opposite sign
            ga, gb = fa, fb
            r0 = fr.w[ga, 0] - fr.w[gb, 0]
            r1 = fr.w[ga, 1] - fr.w[gb, 1]
            r2 = fr.w[ga, 2] - fr.w[gb, 2]
            z0 = r1 * p2 - r2 * p1 + s * (t1 * x2 - t2 * x1 - w1 * d2 + w2 * d1)
            z1 = r2 * p0 - r0 * p2 + s * (t2 * x0 - t0 * x2 - w2 * d0 + w0 * d2)
            z2 = r0 * p1 - r1 * p0 + s * (t0 * x1 - t1 * x0 - w0 * d1 + w1 * d0)
            y0 = s * t0
            y1 = s * t1
            y2 = s * t2
        zn = z0 * n0 + z1 * n1 + z2 * n2 + v0 * q0 + v1 * q1 + v2 * q2
        dN = pd[m, FD] * dd - pd[m, FV] * zn
        g0 = dN * n0 + Fn * q0
        g1 = dN * n1 + Fn * q1
        g2 = dN * n2 + Fn * q2
        if friction:
            s0 = z0 - zn * n0 - vn * q0
            s1 = z1 - zn * n1 - vn * q1
            s2 = z2 - zn * n2 - vn * q2
            g0 += pd[m, TN] * dN + pd[m, TS] * s0 + pd[m, TS + 1] * s1 + pd[m, TS + 2] * s2
            g1 += pd[m, TN + 1] * dN + pd[m, TS + 3] * s0 + pd[m, TS + 4] * s1 + pd[m, TS + 5] * s2
            g2 += pd[m, TN + 2] * dN + pd[m, TS + 6] * s0 + pd[m, TS + 7] * s1 + pd[m, TS + 8] * s2
        e0 = e1 = e2 = 0.0
        if rolls:
            e0, e1, e2 = _couple(S, fr, c, fa, fb, Fn, dN, (n0, n1, n2), (q0, q1, q2), (y0, y1, y2))
        for other in range(2):
            row = j if other else i
            if row == nb:
                continue
            o = -1.0 if other else 1.0
            l0, l1, l2 = lever(bodies, y, row, c0, c1, c2)
            # torque: lever x df + dlever x f + couple; its axes turn with the body
            a0 = p0
            a1 = p1
            a2 = p2
            own = other == side and not rate
            if own:
                a0 -= d0
                a1 -= d1
                a2 -= d2
            k0 = l1 * g2 - l2 * g1 + a1 * f2 - a2 * f1 + e0
            k1 = l2 * g0 - l0 * g2 + a2 * f0 - a0 * f2 + e1
            k2 = l0 * g1 - l1 * g0 + a0 * f1 - a1 * f0 + e2
            if own:
                b0 = l1 * f2 - l2 * f1 + T0
                b1 = l2 * f0 - l0 * f2 + T1
                b2 = l0 * f1 - l1 * f0 + T2
                k0 -= h1 * b2 - h2 * b1
                k1 -= h2 * b0 - h0 * b2
                k2 -= h0 * b1 - h1 * b0
            if W.scratch[0] > 0:
                D = K if not rate else C
                first = W.scratch[0] + PAIR * PAIR * k + PAIR * MOVES * other + MOVES * side + e
                for r in range(MOVES):
                    D[first + PAIR * r] -= o * force_component(bodies, R, row, r, g0, g1, g2, k0, k1, k2)
            elif other == side:
                D = K if not rate else C
                for r in range(MOVES):
                    D[W.dpos[row, MOVES * r + e]] -= o * force_component(bodies, R, row, r, g0, g1, g2, k0, k1, k2)
            elif at >= 0:
                D = K if not rate else C
                first = 0 if row < b else MOVES * MOVES
                for r in range(MOVES):
                    D[W.opos[at, first + MOVES * r + e]] -= o * force_component(
                        bodies, R, row, r, g0, g1, g2, k0, k1, k2
                    )


@jit
def _couple(S, fr, c, fa, fb, Fn, dN, normal, q, y):
    """Change of the resistance to rolling and spinning for changes of N, n (q) and the relative angular velocity
    (y)."""
    n0, n1, n2 = normal
    q0, q1, q2 = q
    y0, y1, y2 = y
    w0 = fr.w[fa, 0] - fr.w[fb, 0]
    w1 = fr.w[fa, 1] - fr.w[fb, 1]
    w2 = fr.w[fa, 2] - fr.w[fb, 2]
    wn = w0 * n0 + w1 * n1 + w2 * n2
    dwn = y0 * n0 + y1 * n1 + y2 * n2 + w0 * q0 + w1 * q1 + w2 * q2
    r0, r1, r2 = w0 - wn * n0, w1 - wn * n1, w2 - wn * n2
    s0 = y0 - dwn * n0 - wn * q0
    s1 = y1 - dwn * n1 - wn * q1
    s2 = y2 - dwn * n2 - wn * q2
    size = math.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
    w = S.pe[c, TRANSITION]
    h = smooth_sign(size, w)
    x = r0 * s0 + r1 * s1 + r2 * s2
    k = S.pe[c, ROLLING]
    a = -k * h
    slope = -k * Fn * _smooth_slope(size, w) * x
    sp = smooth_sign(wn, w) * wn
    dsp = (1.0 - math.tanh(wn / w) ** 2) / w * dwn
    z = -S.pe[c, SPINNING]
    e0 = a * (dN * r0 + Fn * s0) + slope * r0 + z * (dN * sp * n0 + Fn * (dsp * n0 + sp * q0))
    e1 = a * (dN * r1 + Fn * s1) + slope * r1 + z * (dN * sp * n1 + Fn * (dsp * n1 + sp * q1))
    e2 = a * (dN * r2 + Fn * s2) + slope * r2 + z * (dN * sp * n2 + Fn * (dsp * n2 + sp * q2))
    return e0, e1, e2


@jit
def _accept(S, W, t):
    """Points of the last forces are those of an accepted state: their memories are brought up to date, others
    forgotten."""
    n = W.count[NEAR]
    M = S.memory
    blank = W.mem.shape[0] - 1
    m = 0
    for k in range(n):
        first = m
        while m < W.count[POINTS] and W.pair[m] == k:
            m += 1
        c = W.near[k, 0]
        base = k * M
        kept = 0
        # rows of points that are still there, in their new order, through the second buffer
        for q in range(first, min(m, first + M)):
            row = _memory(S, W, k, W.pts[q, FEATURE])
            for x in range(8):
                W.mem2[base + kept, x] = W.mem[row, x]
                W.fmem2[base + kept, x] = W.fmem[row, x]
            if row == blank:
                W.mem2[base + kept, 7] = t
            kept += 1
        W.nmem[k] = kept
        for r in range(kept):
            q = first + r
            W.feat[base + r] = W.pts[q, FEATURE]
            for x in range(8):
                W.mem[base + r, x] = W.mem2[base + r, x]
                W.fmem[base + r, x] = W.fmem2[base + r, x]
            if S.law[c, LAW_ACCEPT] != 0:
                _law_accept(S.law[c, LAW_ACCEPT], (S.p, c, W.pd[q, DEPTH], W.pd[q, RATE], W.mem, base + r, t))
            if S.law[c, FRICTION_ACCEPT] != 0:
                s = W.slip
                _slip(S, W, q, k, s)
                _friction_accept(S.law[c, FRICTION_ACCEPT], (S.pf, c, W.pd[q, FN], s, W.fmem, base + r, t))


@jit
def _slip(S, W, m, k, s):
    sh = S.sh
    fa = sh.frame[W.near[k, 1]]
    fb = sh.frame[W.near[k, 2]]
    c0, c1, c2 = W.pd[m, AT], W.pd[m, AT + 1], W.pd[m, AT + 2]
    v0, v1, v2 = _speed(sh.fr, fa, c0, c1, c2)
    u0, u1, u2 = _speed(sh.fr, fb, c0, c1, c2)
    s[0] = v0 - u0 + W.pd[m, RATE] * W.pts[m, N]
    s[1] = v1 - u1 + W.pd[m, RATE] * W.pts[m, N + 1]
    s[2] = v2 - u2 + W.pd[m, RATE] * W.pts[m, N + 2]


@jit
def _sums(S, W):
    """What each contact does altogether, as its side I feels it."""
    cw = W.cw
    for c in range(cw.shape[0]):
        for q in range(CONTACT_DATA):
            cw[c, q] = 0.0
    pd = W.pd
    for m in range(W.count[POINTS]):
        k = W.pair[m]
        c = W.near[k, 0]
        s = -1.0 if W.near[k, 3] else 1.0
        size = pd[m, FN]
        for q in range(3):
            cw[c, C_FORCE + q] += s * pd[m, FORCE + q]
            cw[c, C_POINT + q] += size * pd[m, AT + q]
        cw[c, C_NORMAL] += size
        cw[c, C_FRICTION] += math.sqrt(pd[m, FT] ** 2 + pd[m, FT + 1] ** 2 + pd[m, FT + 2] ** 2)
        if cw[c, C_POINTS] == 0.0 or pd[m, DEPTH] > cw[c, C_DEPTH]:
            cw[c, C_DEPTH] = pd[m, DEPTH]
            cw[c, C_RATE] = pd[m, RATE]
        cw[c, C_POINTS] += 1.0
        cw[c, C_STORED] += pd[m, STORED]
        cw[c, C_LOST] += pd[m, LOST]
    for c in range(cw.shape[0]):
        if cw[c, C_NORMAL] > 0.0:
            for q in range(3):
                cw[c, C_POINT + q] /= cw[c, C_NORMAL]
    for m in range(W.count[POINTS]):
        k = W.pair[m]
        c = W.near[k, 0]
        s = -1.0 if W.near[k, 3] else 1.0
        r0 = pd[m, AT] - cw[c, C_POINT]
        r1 = pd[m, AT + 1] - cw[c, C_POINT + 1]
        r2 = pd[m, AT + 2] - cw[c, C_POINT + 2]
        f0, f1, f2 = pd[m, FORCE], pd[m, FORCE + 1], pd[m, FORCE + 2]
        cw[c, C_TORQUE] += s * (r1 * f2 - r2 * f1 + pd[m, TA])
        cw[c, C_TORQUE + 1] += s * (r2 * f0 - r0 * f2 + pd[m, TA + 1])
        cw[c, C_TORQUE + 2] += s * (r0 * f1 - r1 * f0 + pd[m, TA + 2])
