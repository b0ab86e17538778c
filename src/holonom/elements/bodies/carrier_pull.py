"""Transposed derivatives of carriers and their nodes (`carrier`, `modes`, `nodes`), kernels.

A node with coordinates q of its carrier has the moves J(q) x of a motion x of these, and the acceleration J(q) u' +
b(q, u).  Everything that a node adds is a derivative of c . (J x + b), with a cotangent c (MOVES numbers, turns in axes
of the node):

    of its position, g:              J^T g                     of its velocity, g:      J^T g on u, d(g . J u) on q
    of its acceleration, c:          d(c . (J u' + b))         of a force F on it that works in nu:      d(F . J nu)

With the notation of `modes`, x = (., w, s) for turn and coordinates, C = A^T c of translation, e of rotation, d = P q',
u = R^T W, t = T psi', f = -N psi.psi'/2:

    J x + b = (A (w x p + W x (W x p) + 2 W x d + P s + q'.G q'),    R^T w + T Psi s + u x t + f t)

Attitudes of attachments change by R [T dpsi], T by  e . dT x = dpsi . S(x, e),  S(x, e) = -N/2 ((e.T x) psi + x x e).

What is inertia of masses and modes themselves is the derivative of nu . (F - M u'), F of `carrier.forces`.
"""

from __future__ import annotations

from ..._jit import jit
from ..jets import dot, minus, plus, row_of, times, vector
from ..vectors import rotate, unrotate
from .carrier import _ends
from .layout import MOVES, STATE
from .modes import _now, add_square, shape_rates, turned
from .modes import times as symmetric

#: cotangents of numbers of a coordinate: stiffness, damping, length, mass, base (3), axis (3)
NUMBERS = 10


@jit
def _places(c, g, bodies):
    """Where carrier g begins: in a state, in moves; its coordinates: in moves, in a state; their rates in a state."""
    q = STATE * (bodies.n + 1) + c.at[g]
    return STATE * c.body[g], MOVES * c.body[g], MOVES * (bodies.n + 1) + c.at[g], q, q + bodies.tail


@jit
def _three(x, o):
    return x[o], x[o + 1], x[o + 2]


@jit
def _add(x, o, a):
    x[o] += a[0]
    x[o + 1] += a[1]
    x[o + 2] += a[2]


@jit
def _turn_slope(N, psi, x, e):
    """S(x, e) of the text above."""
    along = dot(e, turned(N, psi[0], psi[1], psi[2], x[0], x[1], x[2]))
    return times(-0.5 * N, plus(times(along, psi), vector(x, e)))


@jit
def _turn_back(N, psi, a):
    """T^T a."""
    return times(N, plus(a, times(0.5, vector(psi, a))))


@jit
def _translation(C, w, W, p, d, relative, turn, spin):
    """Cotangents of p and d, from those of the translation; turn, spin: those so far of the attitude and of W, are
    returned with what is added."""
    CW = vector(C, W)
    turn = plus(turn, vector(relative, C))
    spin = plus(spin, plus(plus(vector(p, CW), vector(vector(W, p), C)), times(2.0, vector(d, C))))
    return plus(vector(C, w), vector(CW, W)), times(2.0, CW), turn, spin


@jit
def _move_mass(c, g, k, bodies, y, way, c0, rates, body, yb, bar):
    """`pull_moved` of mass k of carrier g; way: turn and coordinate of x; c0: cotangent of translation, ground axes."""
    o, b, f, q, v = _places(c, g, bodies)
    lo = c.ptr[g] + k
    w, s = way
    e = row_of(c.axis, lo)
    base = row_of(c.base, lo)
    p = plus(base, times(y[q + k], e))
    C = unrotate(c.A, g, c0[0], c0[1], c0[2])
    W = _three(y, o + 10) if rates else (0.0, 0.0, 0.0)
    speed = y[v + k] if rates else 0.0
    d = times(speed, e)
    relative = plus(vector(w, p), plus(vector(W, plus(vector(W, p), times(2.0, d))), times(s, e)))
    zero = (0.0, 0.0, 0.0)
    pb, db, turn, spin = _translation(C, w, W, p, d, relative, zero, zero)
    _add(body, 12 * c.body[g] + 3, turn)
    yb[q + k] += dot(pb, e)
    n = NUMBERS * lo
    _add(bar, n + 4, pb)
    _add(bar, n + 7, plus(times(y[q + k], pb), plus(times(speed, db), times(s, C))))
    if rates:
        _add(body, 12 * c.body[g] + 9, spin)
        yb[v + k] += dot(db, e)


@jit
def _move_attachment(c, g, a, bodies, y, way, xq, c0, e, rates, body, yb):
    """`pull_moved` of attachment a of carrier g; way: turn of x, and the vector whose numbers xq and on are its
    coordinates; c0, e: cotangents of translation (ground axes) and of rotation."""
    m = c.modes
    n = m.count[g]
    o, b, f, q, v = _places(c, g, bodies)
    q += m.first[g]
    v += m.first[g]
    w, x = way
    p0, p1, p2, s0, s1, s2, N = _now(m, a)
    p = (p0, p1, p2)
    psi = (s0, s1, s2)
    zero = (0.0, 0.0, 0.0)
    C = unrotate(c.A, g, c0[0], c0[1], c0[2])
    x0, x1, x2, r0, r1, r2 = shape_rates(m, a, n, x, xq)
    Px = (x0, x1, x2)
    Sx = (r0, r1, r2)
    W = zero
    d = zero
    rate = zero
    bent = zero
    Q = c.KL
    X = c.CL
    if m.bends[a]:
        for i in range(3):
            for k in range(n):
                Q[i, k] = 0.0
                X[i, k] = 0.0
            add_square(m.G[a, i], n, x, xq, X[i, :n])
            if rates:
                add_square(m.G[a, i], n, y, v, Q[i, :n])
    if rates:
        W = _three(y, o + 10)
        x0, x1, x2, r0, r1, r2 = shape_rates(m, a, n, y, v)
        d = (x0, x1, x2)
        rate = (r0, r1, r2)
        if m.bends[a]:
            for k in range(n):
                bent = plus(bent, times(y[v + k], (Q[0, k], Q[1, k], Q[2, k])))
    relative = plus(plus(vector(w, p), vector(W, plus(vector(W, p), times(2.0, d)))), plus(Px, bent))
    pb, db, turn, spin = _translation(C, w, W, p, d, relative, zero, zero)
    # rotation
    z = unrotate(m.R, a, w[0], w[1], w[2])
    psib = plus(_turn_back(N, psi, vector(e, z)), _turn_slope(N, psi, Sx, e))
    rateb = zero
    if rates:
        u = unrotate(m.R, a, W[0], W[1], W[2])
        t = turned(N, s0, s1, s2, rate[0], rate[1], rate[2])
        h = -0.5 * N * dot(psi, rate)
        ub = vector(t, e)
        tb = plus(vector(e, u), times(h, e))
        hb = -0.5 * N * dot(e, t)
        psib = plus(psib, plus(_turn_back(N, psi, vector(ub, u)), _turn_slope(N, psi, rate, tb)))
        psib = plus(psib, times(hb, plus(rate, times(h, psi))))
        rateb = plus(_turn_back(N, psi, tb), times(hb, psi))
        spin = plus(spin, rotate(m.R, a, ub[0], ub[1], ub[2]))
        _add(body, 12 * c.body[g] + 9, spin)
    _add(body, 12 * c.body[g] + 3, turn)
    for k in range(n):
        P = (m.P[a, 0, k], m.P[a, 1, k], m.P[a, 2, k])
        Psi = (m.Phi[a, 3, k], m.Phi[a, 4, k], m.Phi[a, 5, k])
        value = dot(pb, P) + dot(psib, Psi)
        slope = dot(db, P) + dot(rateb, Psi)
        if m.bends[a]:
            value += dot(C, (X[0, k], X[1, k], X[2, k]))
            if rates:
                bend = (Q[0, k], Q[1, k], Q[2, k])
                value += dot(db, bend)
                slope += 2.0 * dot(C, bend)
        yb[q + k] += value
        if rates:
            yb[v + k] += slope


@jit
def _move_node(c, k, bodies, y, motion, f, o, rates, body, yb, bar):
    """`pull_moved` of node k; motion: x, where the turn and where the coordinates of its carrier begin in it; cotangent
    f[o:]."""
    x, xw, xq = motion
    g = c.nodes.carrier[k]
    which = c.nodes.which[k]
    c0 = _three(f, o)
    if which < 0:
        way = _three(x, xw), x
        _move_attachment(c, g, -1 - which, bodies, y, way, xq + c.modes.first[g], c0, _three(f, o + 3), rates, body, yb)
    else:
        _move_mass(c, g, which, bodies, y, (_three(x, xw), x[xq + which]), c0, rates, body, yb, bar)


@jit
def pull_moved(c, bodies, y, x, f, rates, body, yb, bar):
    """body, yb, bar += derivatives by attitudes (12 a body as in `jets.Cotangents`), coordinates, rates and numbers of
    f . (J x + b) of all nodes; b alone where ``rates``.  x, f (moves)."""
    for k in range(c.nodes.which.shape[0]):
        o = MOVES * c.nodes.body[k]
        some = 0.0
        for i in range(MOVES):
            some += abs(f[o + i])
        if some == 0.0:
            continue
        s, b, t, q, v = _places(c, c.nodes.carrier[k], bodies)
        _move_node(c, k, bodies, y, (x, b + 3, t), f, o, rates, body, yb, bar)


@jit
def pull_nodes(c, bodies, y, body, yb, bar):
    """Cotangents of nodes in ``body`` (12 each) become those of their carriers."""
    nodes = c.nodes
    for k in range(nodes.which.shape[0]):
        g = nodes.carrier[k]
        own = 12 * nodes.body[k]
        to = 12 * c.body[g]
        s, b, t, q, v = _places(c, g, bodies)
        N = nodes.count[k]
        for i in range(MOVES):
            x = body[own + i]
            z = body[own + MOVES + i]
            J = nodes.J[k, i]
            for j in range(N):
                if j < MOVES:
                    body[to + j] += x * J[j]
                    body[to + MOVES + j] += z * J[j]
                else:
                    yb[q + j - MOVES] += x * J[j]
                    yb[v + j - MOVES] += z * J[j]
        if nodes.which[k] >= 0:  # of a position, by what its mass has of numbers
            lo = c.ptr[g] + nodes.which[k]
            p0, p1, p2 = unrotate(c.A, g, body[own], body[own + 1], body[own + 2])
            _add(bar, NUMBERS * lo + 4, (p0, p1, p2))
            _add(bar, NUMBERS * lo + 7, times(y[q + nodes.which[k]], (p0, p1, p2)))
        _move_node(c, k, bodies, y, (y, s + 10, v), body, own + MOVES, False, body, yb, bar)
        for i in range(2 * MOVES):
            body[own + i] = 0.0


@jit
def complete_accelerations(c, bodies, acc):
    """acc of nodes, J u' so far or anything, <- J u' + b."""
    nodes = c.nodes
    for k in range(nodes.which.shape[0]):
        s, b, t, q, v = _places(c, nodes.carrier[k], bodies)
        o = MOVES * nodes.body[k]
        for i in range(MOVES):
            x = nodes.bias[k, i]
            for j in range(nodes.count[k]):
                x += nodes.J[k, i, j] * (acc[b + j] if j < MOVES else acc[t + j - MOVES])
            acc[o + i] = x


@jit
def give_loads(c, bodies, F):
    """F of nodes <- the forces on them that `condense` kept."""
    for k in range(c.nodes.which.shape[0]):
        for i in range(MOVES):
            F[MOVES * c.nodes.body[k] + i] = c.nodes.F[k, i]


@jit
def _pull_modes(m, g, y, places, acc, nu, whole, body, to, yb):
    """What modes of carrier g add to `pull_inertia`; places: see `_places`."""
    o, b, f, q, v = places
    n = m.count[g]
    q += m.first[g]
    v += m.first[g]
    f += m.first[g]
    nw = _three(nu, b + 3)
    al = _three(acc, b + 3)
    zero = (0.0, 0.0, 0.0)
    W = _three(y, o + 10) if whole else zero
    across = vector(W, nw)
    h = m.h[g]
    at = m.wptr[g]
    hs = at + 6 * (n + 1)
    spin = zero
    if whole:
        x0, x1, x2 = symmetric(h, 0, W[0], W[1], W[2])
        spin = vector(nw, (x0 + h[6], x1 + h[7], x2 + h[8]))
        spin = plus(spin, symmetric(h, 0, across[0], across[1], across[2]))
    for i in range(n):
        own = at + 6 * (i + 1)
        H = _three(m.B0, hs + 3 * (i + 1))
        value = -2.0 * dot(nw, symmetric(m.B0, own, al[0], al[1], al[2]))
        Sw = symmetric(m.B0, own, W[0], W[1], W[2])
        slope = dot(across, H) - 2.0 * dot(nw, Sw)
        sum_H = zero
        if whole:
            value += 2.0 * dot(across, Sw)
            spin = plus(spin, times(-2.0 * y[v + i], symmetric(m.B0, own, nw[0], nw[1], nw[2])))
            spin = plus(spin, times(2.0 * nu[f + i], minus(Sw, _three(m.B1, hs + 3 * (i + 1)))))
        t = m.tptr[g] + 9 * (n + 1) * (i + 1) + 6
        u = t + 6 * n + 3
        for j in range(n if m.full[g] else 0):
            Hij = _three(m.T, u)
            a = nu[f + j]
            sides = plus(times(-acc[f + j], nw), times(-a, al))
            if whole:
                r = y[v + j]
                sides = plus(sides, times(r, across))
                weight = minus(times(a, W), times(2.0 * r, nw))
                value += dot(weight, symmetric(m.T, t, W[0], W[1], W[2]))
                sum_H = plus(sum_H, times(a, Hij))
            value += dot(sides, Hij)
            t += 6
            u += 3
        yb[q + i] += value
        if whole:
            yb[v + i] += slope - 2.0 * dot(W, sum_H)
    if whole:
        _add(body, to + 9, spin)


@jit
def pull_inertia(c, bodies, y, acc, nu, whole, gravity, body, yb, bar):
    """body, yb, gravity (3), bar += derivatives of nu . (F - M u') of masses and modes, next to those of rigid bodies,
    with F of `carrier.forces`; of - nu . M u' alone where not ``whole``.  acc, nu (moves)."""
    zero = (0.0, 0.0, 0.0)
    for g in range(c.body.shape[0]):
        lo, count = _ends(c, g)
        o, b, f, q, v = _places(c, g, bodies)
        to = 12 * c.body[g]
        for k in range(count if whole else 0):
            n = NUMBERS * (lo + k)
            yb[q + k] -= c.stiffness[lo + k] * nu[f + k]
            yb[v + k] -= c.damping[lo + k] * nu[f + k]
            bar[n] -= nu[f + k] * (y[q + k] - c.length[lo + k])
            bar[n + 1] -= nu[f + k] * y[v + k]
            bar[n + 2] += nu[f + k] * c.stiffness[lo + k]
        _pull_modes(c.modes, g, y, (o, b, f, q, v), acc, nu, whole, body, to, yb)
        for k in range(c.masses[g]):
            m = c.mass[lo + k]
            e = row_of(c.axis, lo + k)
            p = plus(row_of(c.base, lo + k), times(y[q + k], e))
            W = _three(y, o + 10) if whole else zero
            rate = y[v + k] if whole else 0.0
            nw = _three(nu, b + 3)
            al = _three(acc, b + 3)
            w = plus(vector(nw, p), times(nu[f + k], e))
            x0, x1, x2 = rotate(c.A, g, w[0], w[1], w[2])
            way = plus(_three(nu, b), (x0, x1, x2))
            w = plus(plus(vector(al, p), vector(W, plus(vector(W, p), times(2.0 * rate, e)))), times(acc[f + k], e))
            x0, x1, x2 = rotate(c.A, g, w[0], w[1], w[2])
            a = plus(_three(acc, b), (x0, x1, x2))
            if whole:
                a = minus(a, (bodies.gravity[0], bodies.gravity[1], bodies.gravity[2]))
                _add(gravity, 0, times(m, way))
            bar[NUMBERS * (lo + k) + 3] -= dot(way, a)
            _move_mass(c, g, k, bodies, y, (al, acc[f + k]), times(-m, way), whole, body, yb, bar)
            _move_mass(c, g, k, bodies, y, (nw, nu[f + k]), times(-m, a), False, body, yb, bar)
