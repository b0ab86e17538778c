"""Transposed derivatives of meshes in absolute nodal coordinates and of their nodes (`absolute`), kernels.

Places of nodes are linear in coordinates; their turns have W = T(g) g' with the gradients g of the window, one or two.
With T' and T'' the first and second derivatives of T along g' = h at constant h, and with the turn T dg that a change
of g is (so that d(T x) = T'_x dg + (T x) x T dg, T'_x that along x),

    e . d(T x)    by g:  T'_x^T e + T^T (e x W_x),                              W_x = T x
    e . d(T' h)   by g:  T''^T e + T^T (e x W') + T'^T (e x W),                 W' = T' h
                  by h:  2 T'^T e + T^T (e x W)

which is the second time derivative of the gradient in place of a second variation: T is carried along as a jet of its
axes, whose rates W gives.

Of the elements, nu . F_e has the derivatives -K^T nu and -C^T nu.  Numbers of meshes have cotangents along directions
(`Slopes`): of what a parameter changes in the data of elements and in the mass.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from ..._handle import make_handle, view_S
from ..._jit import jit
from ..absolute import ABSOLUTE_ELEMENTS
from ..jets import dot, minus, plus, times, vector
from .absolute import BETWEEN, NUMBERS, PULL, _axes_of, _half, _lead, _number, _offsets, _pull, _sum
from .layout import MOVES

FIRST, SECOND = 36, 54  # where T' and T'' stand in `Points.work`, as T does in T
STEP = 0.01  # of numbers of elements that enter forces otherwise than linearly or in squares

Slopes = namedtuple("Slopes", "data begin m mass step points bar kept")
Slopes.__doc__ = """Directions (k) of numbers of meshes: data (k, ..): of all kinds, those of each (e, R) as
`Block.data` from begin (types) on; m (k, vectors, band), mass (k, vectors): as in `Meshes`; step (k): of a difference;
points (k): 2, where forces are of second order along the direction or less, or 6; bar (k): cotangents, which are added
to; kept: work."""


# ---- directions of numbers -------------------------------------------------------------------------------------------
def make_slopes(meshes: Any, directions: list[dict]) -> Any:
    """Handle on `Slopes` of meshes with ``directions``, each a dictionary with what changes in the data of a kind
    (its number) and in "m" and "mass"."""
    z, k = np.zeros, len(directions)
    begin = np.cumsum([0, *(b.data.size for b in meshes.blocks)])
    data, m, mass = z((k, int(begin[-1]))), z((k, *meshes.m.shape)), z((k, *meshes.mass.shape))
    step, points = np.ones(k), np.full(k, 2, np.int64)
    for i, direction in enumerate(directions):
        for key, value in direction.items():
            if key in ("m", "mass"):
                (m if key == "m" else mass)[i] = value
            else:
                data[i, begin[key] : begin[key + 1]] = value.ravel()
        ways = {q: value for q, value in direction.items() if q not in ("m", "mass")}
        if ways:
            sizes = (
                abs(d / np.where(meshes.blocks[q].data != 0.0, meshes.blocks[q].data, 1.0)) for q, d in ways.items()
            )
            step[i] = STEP / max(float(x.max()) for x in sizes)
            if not all(_straight(q, meshes.blocks[q], d, step[i]) for q, d in ways.items()):
                points[i] = 6
    most = max((b.data.shape[1] for b in meshes.blocks), default=0)
    return make_handle(Slopes(data, begin[:-1], m, mass, step, points, z(k), z(most)), (), (), empty_slopes())


def _straight(q: int, block: Any, way: np.ndarray, step: float) -> bool:
    """Whether forces are of second order or less along a change of the data: so that two steps give the same."""
    kind, rng = ABSOLUTE_ELEMENTS[q], np.random.default_rng(1)
    n = kind.NODES * kind.PER_NODE
    f = np.zeros(n)
    for e in np.flatnonzero(way.any(axis=1))[:3]:
        v, q0 = rng.normal(size=n), rng.normal(size=n)
        found = []
        for h in (step, 0.5 * step):
            ends = []
            for side in (h, -h):
                row = block.data[e : e + 1] + side * way[e]
                kind.forces(np.ascontiguousarray(row), 0, q0, v, f)
                ends.append(f.copy())
            found.append((ends[0] - ends[1]) / (2.0 * h))
        size = np.abs(f).max() / step
        if not np.abs(found[1] - found[0]).max() <= 1e-13 * size:
            return False
    return True


@cache
def empty_slopes() -> Any:
    """A handle on no directions, of the type of all others."""
    z = np.zeros
    none = Slopes(z((0, 0)), z(0, np.int64), z((0, 0, 0)), z((0, 0)), z(0), z(0, np.int64), z(0), z(0))
    return make_handle(none, (), ())


@intrinsic
def _slopes_at(typingctx, address):
    kind = empty_slopes()._numba_type_

    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(kind))

    return kind(types.int64), codegen


# ---- turns of nodes --------------------------------------------------------------------------------------------------
@jit
def _at(x, o):
    return x[o], x[o + 1], x[o + 2]


@jit
def _row(p, k, block, r):
    """Row r of T by the first or second gradient."""
    return _at(p.T[k], 9 * block + 3 * r)


@jit
def _put(x, o, a):
    x[o] = a[0]
    x[o + 1] = a[1]
    x[o + 2] = a[2]


@jit
def _along(M, o, two, h, k):
    """M h, M (3 by 3, or two of these) at ``o``, of the gradients h and k."""
    a = (dot(_at(M, o), h), dot(_at(M, o + 3), h), dot(_at(M, o + 6), h))
    if two:
        o += 9
        a = plus(a, (dot(_at(M, o), k), dot(_at(M, o + 3), k), dot(_at(M, o + 6), k)))
    return a


@jit
def _back(M, o, e):
    """M^T e of a block of nine."""
    return plus(times(e[0], _at(M, o)), plus(times(e[1], _at(M, o + 3)), times(e[2], _at(M, o + 6))))


@jit
def _product(a, v):
    """The first and second derivatives of a v: jets (value, first, second) of a scalar and of a vector."""
    first = plus(times(a[1], v[0]), times(a[0], v[1]))
    return first, plus(times(a[2], v[0]), plus(times(2.0 * a[1], v[1]), times(a[0], v[2])))


@jit
def _times(a, b):
    """Jet of a product of scalars."""
    return a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2]


@jit
def _inverse(a):
    """Jet of 1 / a."""
    i = 1.0 / a[0]
    return i, -a[1] * i * i, (2.0 * a[1] * a[1] * i - a[2]) * i * i


@jit
def _store(f, o, jet):
    """Row at ``o`` of T' and T''."""
    _put(f, FIRST + o, jet[0])
    _put(f, SECOND + o, jet[1])


@jit
def _rate_of_turn(f, two, h, k):
    """W' = T' h."""
    return _along(f, FIRST, two, h, k)


@jit
def _jet_of_axis(p, k, y, first, h):
    """T', T'' of a point that follows one gradient, along the change h of it."""
    f = p.work
    A = p.across[k]
    g = _sum(y, first, p.at[k], p.slope[k], p.vectors[k])
    size = dot(g, g) ** 0.5
    i = 1.0 / size
    t = times(i, g)
    b2 = times(size, _row(p, k, 0, 2))
    b3 = times(-size, _row(p, k, 0, 1))
    W = _along(p.T[k], 0, False, h, h)
    dt = minus(times(W[2], b2), times(W[1], b3))
    d2 = minus(times(W[0], b3), times(W[2], t))
    d3 = minus(times(W[1], t), times(W[0], b2))
    ds = dot(t, h)
    t0 = _at(A, 0)
    a2 = _at(A, 3)
    a3 = _at(A, 6)
    zero = (0.0, 0.0, 0.0)
    # of second derivatives, once those of the axes are known from W' = T' h
    tt = zero
    dd2 = zero
    dd3 = zero
    for twice in range(2):
        inverse = _inverse((size, ds, dot(dt, h)))
        one = _inverse((1.0 + dot(t0, t), dot(t0, dt), dot(t0, tt)))
        share = _times(one, inverse)
        y2 = _times((dot(a2, t), dot(a2, dt), dot(a2, tt)), share)
        y3 = _times((dot(a3, t), dot(a3, dt), dot(a3, tt)), share)
        x = _product(y3, (b2, d2, dd2))
        z = _product(y2, (b3, d3, dd3))
        _store(f, 0, (minus(x[0], z[0]), minus(x[1], z[1])))
        x = _product(inverse, (b3, d3, dd3))
        _store(f, 3, (times(-1.0, x[0]), times(-1.0, x[1])))
        _store(f, 6, _product(inverse, (b2, d2, dd2)))
        if twice == 0:
            V = _rate_of_turn(f, False, h, h)
            tt = plus(minus(times(V[2], b2), times(V[1], b3)), minus(times(W[2], d2), times(W[1], d3)))
            dd2 = plus(minus(times(V[0], b3), times(V[2], t)), minus(times(W[0], d3), times(W[2], dt)))
            dd3 = plus(minus(times(V[1], t), times(V[0], b2)), minus(times(W[1], dt), times(W[0], d2)))


@jit
def _jet_of_pair(p, k, y, first, h, j):
    """T', T'' of a point that follows two gradients, along the changes h and j of these."""
    size, w1, w2 = _axes_of(p, k, y, first)
    f = p.work
    f1 = _at(f, 0)
    f2 = _at(f, 3)
    f3 = _at(f, 6)
    turn = p.turn[k] % BETWEEN
    between = p.turn[k] >= BETWEEN
    one, two, three = 3 * turn, 3 * ((turn + 1) % 3), 3 * ((turn + 2) % 3)
    # angular velocity of f, which "y+z" turns about f_3 by half an angle in addition
    W = (dot(f3, j) / w2 - w1 / (size * w2) * dot(f3, h), -dot(f3, h) / size, dot(f2, h) / size)
    d1 = minus(times(W[2], f2), times(W[1], f3))
    d2 = minus(times(W[0], f3), times(W[2], f1))
    d3 = minus(times(W[1], f1), times(W[0], f2))
    rate1 = W[2] * w2 + dot(f1, j)
    rate2 = dot(f2, j) - W[2] * w1
    zero = (0.0, 0.0, 0.0)
    q1 = zero
    q2 = zero
    q3 = zero
    c1 = 0.0
    c2 = 0.0
    for twice in range(2):
        a = _inverse((size, dot(f1, h), dot(d1, h)))
        b = _inverse((w2, rate2, c2))
        c = _times((-w1, -rate1, -c1), _times(a, b))
        u = (f2, d2, q2)
        v = (f3, d3, q3)
        _store(f, one, _product(c, v))
        _store(f, 9 + one, _product(b, v))
        x = _product(a, v)
        _store(f, two, (times(-1.0, x[0]), times(-1.0, x[1])))
        _store(f, 9 + two, (zero, zero))
        _store(f, three, _product(a, u))
        _store(f, 9 + three, (zero, zero))
        if twice == 0:
            # of f, in the order in which it stands
            V = _rate_of_turn(f, True, h, j)
            V = (V[turn], V[(turn + 1) % 3], V[(turn + 2) % 3])
            q1 = plus(minus(times(V[2], f2), times(V[1], f3)), minus(times(W[2], d2), times(W[1], d3)))
            q2 = plus(minus(times(V[0], f3), times(V[2], f1)), minus(times(W[0], d3), times(W[2], d1)))
            q3 = plus(minus(times(V[1], f1), times(V[0], f2)), minus(times(W[1], d1), times(W[0], d2)))
            c1 = V[2] * w2 + W[2] * rate2 + dot(d1, j)
            c2 = dot(d2, j) - V[2] * w1 - W[2] * rate1
    if not between:
        return
    x1 = (w1, rate1, c1)
    x2 = (w2, rate2, c2)
    s1 = _times(x1, x1)
    s2 = _times(x2, x2)
    inverse = _inverse((s1[0] + s2[0], s1[1] + s2[1], s1[2] + s2[2]))
    m1 = _times(x1, inverse)
    m2 = _times(x2, inverse)
    r = _product(m1, (f2, d2, q2))
    x = _product(m2, (f1, d1, q1))
    _store(f, 9 + three, (times(0.5, minus(r[0], x[0])), times(0.5, minus(r[1], x[1]))))
    for o in range(three, three + 3):
        f[FIRST + o] *= 0.5
        f[SECOND + o] *= 0.5
    # cosine and sine of half the angle, whose rate is that of atan2(w2, w1)/2
    cb, sb = _half(w1, w2)
    rate = 0.5 * (m1[0] * rate2 - m2[0] * rate1)
    change = 0.5 * (m1[1] * rate2 + m1[0] * c2 - m2[1] * rate1 - m2[0] * c1)
    cos = (cb, -sb * rate, -sb * change - cb * rate * rate)
    sin = (sb, cb * rate, cb * change - sb * rate * rate)
    a = _inverse((size, dot(f1, h), dot(d1, h)))
    b = _inverse(x2)
    c = _times((-w1, -rate1, -c1), _times(a, b))
    v = (f3, d3, q3)
    minus_a = (-a[0], -a[1], -a[2])
    # the rows of f_1 and f_2 are all along f_3: cos (c, b) + sin (-a, 0), and cos (-a, 0) - sin (c, b)
    minus_sin = (-sin[0], -sin[1], -sin[2])
    _store(f, one, _product(_sum_of(_times(cos, c), _times(sin, minus_a)), v))
    _store(f, 9 + one, _product(_times(cos, b), v))
    _store(f, two, _product(_sum_of(_times(cos, minus_a), _times(minus_sin, c)), v))
    _store(f, 9 + two, _product(_times(minus_sin, b), v))


@jit
def _sum_of(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@jit
def _gradients(p, k, x, o):
    """Both gradients of the window of vectors at x[o:]."""
    count = p.vectors[k]
    return _sum(x, o, p.at[k], p.slope[k], count), _sum(x, o, p.at[k], p.side[k], count)


@jit
def _jet(p, k, y, first, h, j):
    if p.turn[k] >= 0:
        _jet_of_pair(p, k, y, first, h, j)
    else:
        _jet_of_axis(p, k, y, first, h)


@jit
def _spread(p, k, u, w, yb, o):
    """yb[o:] += cotangents u and w of both gradients."""
    for i in range(p.vectors[k]):
        a = p.slope[k, i]
        b = p.side[k, i]
        q = o + p.at[k, i]
        for c in range(3):
            yb[q + c] += a * u[c] + b * w[c]


@jit
def _pull_turn(p, k, y, first, x, o, e, yb):
    """yb += derivatives by places of e . T x, of the vectors at x[o:]."""
    two = p.turn[k] >= 0
    h, j = _gradients(p, k, x, o)
    _jet(p, k, y, first, h, j)
    W = _along(p.T[k], 0, two, h, j)
    c = vector(e, W)
    u = plus(_back(p.work, FIRST, e), _back(p.T[k], 0, c))
    w = u
    if two:
        w = plus(_back(p.work, FIRST + 9, e), _back(p.T[k], 9, c))
    _spread(p, k, u, w, yb, first)


@jit
def _pull_bias(p, k, y, first, tail, e, yb):
    """yb += derivatives by places and rates of e . W' at constant rates."""
    two = p.turn[k] >= 0
    h, j = _gradients(p, k, y, first + tail)
    _jet(p, k, y, first, h, j)
    f = p.work
    T = p.T[k]
    W = _along(T, 0, two, h, j)
    V = _rate_of_turn(f, two, h, j)
    eW = vector(e, W)
    eV = vector(e, V)
    u = plus(_back(f, SECOND, e), plus(_back(T, 0, eV), _back(f, FIRST, eW)))
    a = plus(times(2.0, _back(f, FIRST, e)), _back(T, 0, eW))
    w = u
    b = a
    if two:
        w = plus(_back(f, SECOND + 9, e), plus(_back(T, 9, eV), _back(f, FIRST + 9, eW)))
        b = plus(times(2.0, _back(f, FIRST + 9, e)), _back(T, 9, eW))
    _spread(p, k, u, w, yb, first)
    _spread(p, k, a, b, yb, first + tail)


# ---- operations (`coupled.OPERATIONS`) -------------------------------------------------------------------------------
@jit
def complete_accelerations(c, bodies, acc):
    """acc of nodes <- J u' + b."""
    own = c.nodes.which.shape[0]
    o = _offsets(bodies)[0]
    for k in range(c.meshes.points.turn.shape[0]):
        _lead(c, k, acc, o, acc, False)
        for i in range(MOVES):
            acc[MOVES * c.nodes.body[own + k] + i] += c.nodes.bias[own + k, i]


@jit
def give_loads(c, bodies, F):
    """F of nodes <- the forces on them that `condense` kept."""
    own = c.nodes.which.shape[0]
    for k in range(own, own + c.meshes.points.turn.shape[0]):
        for i in range(MOVES):
            F[MOVES * c.nodes.body[k] + i] = c.nodes.F[k, i]


@jit
def pull_moved(c, bodies, y, x, f, rates, body, yb, bar):
    """yb += derivatives by places and rates of f . (J x + b) of all nodes; b alone where ``rates``.  x, f (moves)."""
    p = c.meshes.points
    own = c.nodes.which.shape[0]
    o, first = _offsets(bodies)
    for k in range(p.turn.shape[0]):
        e = _at(f, MOVES * c.nodes.body[own + k] + 3)
        if e[0] == 0.0 and e[1] == 0.0 and e[2] == 0.0:
            continue  # places are linear in coordinates
        _pull_turn(p, k, y, first, x, o, e, yb)
        if rates:
            _pull_bias(p, k, y, first, bodies.tail, e, yb)


@jit
def pull_nodes(c, bodies, y, body, yb, bar):
    """Cotangents of nodes in ``body`` (12 each) become those of coordinates."""
    p = c.meshes.points
    own = c.nodes.which.shape[0]
    first = _offsets(bodies)[1]
    v = first + bodies.tail
    for k in range(p.turn.shape[0]):
        b = 12 * c.nodes.body[own + k]
        for i in range(MOVES):
            J = c.nodes.J[own + k, i]
            x = body[b + i]
            z = body[b + MOVES + i]
            for a in range(p.vectors[k]):
                q = p.at[k, a]
                for r in range(3):
                    yb[first + q + r] += x * J[3 * a + r]
                    yb[v + q + r] += z * J[3 * a + r]
        e = _at(body, b + MOVES + 3)
        if e[0] != 0.0 or e[1] != 0.0 or e[2] != 0.0:
            _pull_turn(p, k, y, first, y, v, e, yb)
        for i in range(2 * MOVES):
            body[b + i] = 0.0


@jit
def _pull_mass(m, bodies, S, k, acc, nu, o, whole):
    """Of direction k: - nu . dM u', and nu . dG g."""
    out = 0.0
    for j in range(m.mass.shape[0]):
        i = o + 3 * j
        if whole:
            out += S.mass[k, j] * dot(_at(nu, i), _at(bodies.gravity, 0))
        for p in range(min(m.m.shape[1], m.m.shape[0] - j)):
            x = S.m[k, j, p]
            if x != 0.0:
                q = i + 3 * p
                out -= x * dot(_at(nu, i), _at(acc, q))
                if p > 0:
                    out -= x * dot(_at(nu, q), _at(acc, i))
    return out


@jit
def pull_inertia(c, bodies, y, acc, nu, whole, gravity, body, yb, bar):
    """yb, gravity (3) and the bar of directions += derivatives of nu . (F - M u'), with F of `absolute.forces`; of
    - nu . M u' alone where not ``whole``.  acc, nu (moves)."""
    m = c.meshes
    o, first = _offsets(bodies)
    if whole:
        for j in range(m.mass.shape[0]):
            for a in range(3):
                gravity[a] += m.mass[j] * nu[o + m.start + 3 * j + a]
        for q in range(m.laws.shape[0]):
            if m.laws[q, PULL] != 0:
                _pull(m.laws[q, PULL], (m, y, first, bodies.tail, nu, o, yb))
    if m.asked[0] == 0:
        return
    S = view_S(_slopes_at(m.asked[0]))
    for k in range(S.bar.shape[0]):
        S.bar[k] += _pull_mass(m, bodies, S, k, acc, nu, o + m.start, whole)
    if whole:
        for q in range(m.laws.shape[0]):
            if m.laws[q, NUMBERS] != 0:
                tables = (m, y, first, bodies.tail, nu, o, S.data, S.begin[q], S.step, S.points, S.bar, S.kept)
                _number(m.laws[q, NUMBERS], tables)
