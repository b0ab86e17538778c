"""Meshes of elements in absolute nodal coordinates: bodies whose coordinates all lie in the tail, without a rigid
carrier.

With q the coordinates of all meshes, vectors of three numbers in ground (places of nodes, and gradients there;
`elements.absolute`),

    M q'' = F_e(q, q') + G g + J^T F,       M = m (x) I_3

m, a matrix over vectors, is constant and a band: it is factorised once, m = U^T D U, and what joints ask of its inverse
is kept: the block of m^-1 over the vectors on which they act.  F_e of the elements, gravity by the vector G of mass
integrals, J^T F of nodes.

A node of a mesh (`nodes`) is a point of an element at a local coordinate.  Its place p and gradient a (along the axis)
are linear in the vectors of the nodes of its window; its axes are those of the drawing, turned by the least rotation
that brings the direction t_0 of the axis as drawn to t = a / |a|.  With b_2, b_3 its axes across, a_2, a_3 the same as
drawn, c = t_0.t and y_i = a_i.t the angular velocity in its own axes is

    W = T a',   T = [(y_3 b_2 - y_2 b_3)/(1 + c);  -b_3;  b_2] / |a|

Points whose section has an attitude follow two gradients u and w instead (of a beam r_y and r_z, of a plate its
tangents, or its director and a tangent),

    f_1 = u/|u|,  f_3 = u x w/|u x w|,  f_2 = f_3 x f_1
    W = [f_3.w'/w_2 - w_1 f_3.u'/(|u| w_2);  -f_3.u'/|u|;  f_2.u'/|u|] in f,     w_i = w.f_i

and have f as their axes, in an order that is named by what u and w are: "xy" (u is x), "yz" (u is y), "zx" (u is z).
"y+z" has y and z turned about x by half of what the angle a between u and w is off a right one, so that a torque about
x turns both alike and does not shear the section:

    W_3 = (f_2.u'/|u| + (w_1 f_2 - w_2 f_1).w'/w.w)/2,   with f_1 and f_2, and their W, turned by b = (a - pi/2)/2

The least rotation has no direction where t = -t_0; a cable whose end turns by half a turn out of a plane must not pass
there exactly.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import types

from ..._address import of_type, referrer, when_called
from ..._handle import RefType
from ..._jit import Kernel, jit
from ..._six_points import AT, WEIGHTS
from ..absolute import ABSOLUTE_ELEMENTS
from .layout import ACCELERATION_BOUND, BOUNDS, MOVES, SPEED_BOUND, STATE, TURN_BOUND, TURN_RATE_BOUND

SMALLEST = 1e-12  # of 1 + c, from which on the least rotation is one by half a turn about a_2

Block = namedtuple("Block", "data at places q v f K C")
Block.__doc__ = """Elements of one kind: data (e, R); at (e, NODES): first coordinate of each node in the tail; places
(e, n n): entries of the iteration matrix; q, v, f (n,), K, C (n, n): work."""

Points = namedtuple("Points", "mesh at vectors place slope side normal turn across T B inverse work")
Points.__doc__ = """k nodes of meshes, behind those of carriers in `Nodes`: mesh (k,): which mesh; at (k, most): first
coordinate in the tail of each vector of their windows; vectors (k,): how many vectors these have; place, slope, side
(k, most): weights of their place, of their gradient (a, or u) and of w; normal (k, 3): what is added to w; turn (k,):
see `TURNS`; across (k, 9): t_0, a_2, a_3; T (k, 9 or 18), B (k, 27 or 108): W by the rates of a, or of u and w, and
dT_ij / da_l, blocks of nine and of 27 by rates, then by vectors; inverse (k,): where the window stands among rows of
``P``, -1 of nodes on which no row acts; work (72)."""

#: what the axes of a point follow (`model.absolute.MeshPoint.axes`), and which of its axes lies along the first
#: gradient
TURNS = {"x": -1, "xy": 0, "yz": 1, "zx": 2, "y+z": 4}
BETWEEN = 3  # from here on less three, and the axes lie symmetrically to both gradients

Meshes = namedtuple(
    "Meshes", "start size begin m U D mass held blocks laws asked points P Pat kept complex_kept mval mpos npos nptr"
)
Meshes.__doc__ = """start, size: first coordinate of all meshes in the tail, and how many there are, 3 a vector; begin
(meshes + 1,): those of each in the tail; m, U (vectors, band): rows of the mass from its diagonal on, and of the
factor; D (vectors,) inverse pivots; mass (vectors,): integral of density over each shape; held (size,): coordinates
that do not move (out of a plane, or filled up); blocks: `Block` of each of `absolute.ABSOLUTE_ELEMENTS`; laws (types of
elements, 5): addresses of their forces, stiffness, energies and of the transposed derivatives of their forces by
coordinates and by numbers, zero of types that are absent; asked (1): address of `absolute_pull.Slopes`, or zero;
points: `Points`; P (w,
w): m^-1 over the vectors of windows with rows, Pat (w,): these vectors; kept, complex_kept (size,): work; mval, mpos:
entries of the mass in the iteration matrix and their places; npos (flat, from nptr (k,)): places of the windows of
nodes."""


# ---- made outside of kernels -----------------------------------------------------------------------------------------


def kinetic(meshes, bodies, y: np.ndarray) -> float:
    """Kinetic energy of the meshes at the state y."""
    v = y[STATE * (bodies.n + 1) + bodies.tail + meshes.start :][: meshes.size]
    out = 0.0
    for p in range(meshes.m.shape[1]):
        a, b = v.reshape(-1, 3)[: len(meshes.m) - p], v.reshape(-1, 3)[p:]
        out += (0.5 if p == 0 else 1.0) * float(meshes.m[: len(meshes.m) - p, p] @ (a * b).sum(axis=1))
    return out


def remembering(bodies) -> list[tuple[int, Block]]:
    """Numbers of kinds, and their elements, that remember what they have been through (plastic bending)."""
    if bodies.carriers is None:
        return []
    blocks = ((k, b) for k, b in enumerate(bodies.carriers.meshes.blocks) if len(b.data) and k in ACCEPTING)
    return [(k, b) for k, b in blocks if ABSOLUTE_ELEMENTS[k].remembers(b.data)]


def accept(bodies, y: np.ndarray) -> None:
    """What meshes remember is brought up to the state y: at the beginning of a step, so that all that is asked within
    it follows from there."""
    for k, block in remembering(bodies):
        ACCEPTING[k](block, y, STATE * (bodies.n + 1))


def near_masses(meshes) -> np.ndarray:
    """(k,) mass of what is near each node, as those see it who ask for single bodies."""
    p = meshes.points
    near = np.array(
        [meshes.mass[(p.at[k, :n] - meshes.start) // 3] @ (p.place[k, :n] > 0.0) for k, n in enumerate(p.vectors)]
    )
    return np.where(near > 0.0, near, meshes.mass.sum() / max(len(meshes.mass), 1))  # of gradients none is near


def mass_matrix(meshes) -> np.ndarray:
    """(size, size) mass of all coordinates, ones for what is filled up."""
    count, wide = meshes.m.shape
    out = np.zeros((count, count))
    for p in range(wide):
        i = np.arange(count - p)
        out[i, i + p] = out[i + p, i] = meshes.m[: count - p, p]
    return np.kron(out, np.eye(3))


# ---- elements --------------------------------------------------------------------------------------------------------
def _gathering(kind) -> Kernel:
    nodes, per = kind.NODES, kind.PER_NODE

    @jit
    def gather(block, e, y, first, tail):
        for k in range(nodes):
            o = first + block.at[e, k]
            for i in range(per):
                block.q[per * k + i] = y[o + i]
                block.v[per * k + i] = y[o + tail + i]

    return gather


def _forcing(q: int) -> Kernel:
    kind = ABSOLUTE_ELEMENTS[q]
    nodes, per, forces = kind.NODES, kind.PER_NODE, kind.forces
    gather = _gathering(kind)

    @jit
    def loop(meshes, y, first, tail, F, o):
        block = meshes.blocks[q]
        for e in range(block.data.shape[0]):
            gather(block, e, y, first, tail)
            forces(block.data, e, block.q, block.v, block.f)
            for k in range(nodes):
                for i in range(per):
                    F[o + block.at[e, k] + i] += block.f[per * k + i]

    return loop


def _stiffening(q: int) -> Kernel:
    kind = ABSOLUTE_ELEMENTS[q]
    n, stiffness = kind.NODES * kind.PER_NODE, kind.stiffness
    gather = _gathering(kind)

    @jit
    def loop(meshes, y, first, tail, K, C):
        block = meshes.blocks[q]
        for e in range(block.data.shape[0]):
            gather(block, e, y, first, tail)
            damped = stiffness(block.data, e, block.q, block.v, block.K, block.C)
            for i in range(n):
                for j in range(n):
                    K[block.places[e, n * i + j]] += block.K[i, j]
            if damped:
                for i in range(n):
                    for j in range(n):
                        C[block.places[e, n * i + j]] += block.C[i, j]

    return loop


def _storing(q: int) -> Kernel:
    kind = ABSOLUTE_ELEMENTS[q]
    energies = kind.energies
    gather = _gathering(kind)

    @jit
    def loop(meshes, y, first, tail, stored, power):
        block = meshes.blocks[q]
        for e in range(block.data.shape[0]):
            gather(block, e, y, first, tail)
            a, b = energies(block.data, e, block.q, block.v)
            stored += a
            power += b
        return stored, power

    return loop


def _pulling(q: int) -> Kernel:
    kind = ABSOLUTE_ELEMENTS[q]
    nodes, per, n, stiffness = kind.NODES, kind.PER_NODE, kind.NODES * kind.PER_NODE, kind.stiffness
    gather = _gathering(kind)

    @jit
    def loop(meshes, y, first, tail, nu, o, yb):
        """yb += derivatives by coordinates and rates of nu . F."""
        block = meshes.blocks[q]
        for e in range(block.data.shape[0]):
            gather(block, e, y, first, tail)
            damped = stiffness(block.data, e, block.q, block.v, block.K, block.C)
            for k in range(nodes):
                for i in range(per):
                    block.f[per * k + i] = nu[o + block.at[e, k] + i]
            for k in range(nodes):
                for i in range(per):
                    j = first + block.at[e, k] + i
                    x = 0.0
                    z = 0.0
                    for r in range(n):
                        x += block.f[r] * block.K[r, per * k + i]
                        if damped:
                            z += block.f[r] * block.C[r, per * k + i]
                    yb[j] -= x
                    yb[j + tail] -= z

    return loop


def _numbering(q: int) -> Kernel:
    kind = ABSOLUTE_ELEMENTS[q]
    nodes, per, forces = kind.NODES, kind.PER_NODE, kind.forces
    gather = _gathering(kind)

    @jit
    def loop(meshes, y, first, tail, nu, o, data, begin, step, points, bar, kept):
        """bar += differences of nu . F along directions of the data of elements (`absolute_pull.Slopes`)."""
        block = meshes.blocks[q]
        wide = block.data.shape[1]
        for e in range(block.data.shape[0]):
            gather(block, e, y, first, tail)
            row = block.data[e]
            for c in range(wide):
                kept[c] = row[c]
            for d in range(data.shape[0]):
                way = data[d, begin + wide * e : begin + wide * (e + 1)]
                some = False
                for c in range(wide):
                    some = some or way[c] != 0.0
                if not some:
                    continue
                few = points[d] == 2
                total = 0.0
                for s in range(6):
                    if few and AT[s] * AT[s] != 1:
                        continue
                    h = step[d] * (1.0 if few else 0.25) * AT[s]
                    for c in range(wide):
                        row[c] = kept[c] + h * way[c]
                    forces(block.data, e, block.q, block.v, block.f)
                    power = 0.0
                    for k in range(nodes):
                        for i in range(per):
                            power += nu[o + block.at[e, k] + i] * block.f[per * k + i]
                    total += power * (0.5 * AT[s] if few else 4.0 * WEIGHTS[s])
                bar[d] += total / step[d]
                for c in range(wide):
                    row[c] = kept[c]

    return loop


def _accepting(kind) -> Kernel:
    accept = kind.accept
    gather = _gathering(kind)

    @jit(entry="Block, float64[::1], int64")
    def loop(block, y, first):
        for e in range(block.data.shape[0]):
            gather(block, e, y, first, 0)
            accept(block.data, e, block.q)

    return loop


#: of kinds that remember
ACCEPTING = {k: _accepting(kind) for k, kind in enumerate(ABSOLUTE_ELEMENTS) if hasattr(kind, "accept")}
FORCES, STIFFNESS, ENERGIES, PULL, NUMBERS = range(5)
_MAKERS = (_forcing, _stiffening, _storing, _pulling, _numbering)
_LOOPS = tuple(tuple(of(q) for of in _MAKERS) for q in range(len(ABSOLUTE_ELEMENTS)))
_VECTOR, _PAIR = types.float64[::1], types.UniTuple(types.float64, 2)
_force, _stiffen, _store = referrer(types.none), referrer(types.none), referrer(_PAIR)
#: data, begin, step, points, bar, kept of `absolute_pull.Slopes`
_DIRECTIONS = (types.float64[:, ::1], types.int64, _VECTOR, types.int64[::1], _VECTOR, _VECTOR)
_pull, _number = referrer(types.none), referrer(types.none)


def loops(kind: Any) -> Iterator[tuple[int, int, Kernel, types.Type, tuple]]:
    """(type of element, law, kernel, types of its result and of its arguments) of the loops over elements; ``kind``:
    type of a handle on bodies and carriers.  Nothing is compiled."""
    carriers = kind.content.types[1]
    own = RefType(carriers.types[carriers.fields.index("meshes")])
    start = (own, _VECTOR, types.int64, types.int64)
    form = (
        (types.none, (*start, _VECTOR, types.int64)),
        (types.none, (*start, _VECTOR, _VECTOR)),
        (_PAIR, (*start, types.float64, types.float64)),
        (types.none, (*start, _VECTOR, types.int64, _VECTOR)),
        (types.none, (*start, _VECTOR, types.int64, *_DIRECTIONS)),
    )
    for q in range(len(_LOOPS)):
        for law, (result, arguments) in enumerate(form):
            yield q, law, _LOOPS[q][law], result, arguments


def connect(meshes: Meshes, kind: Any) -> None:
    """Fill the addresses of the loops over the elements that there are, which are compiled when they are called first;
    ``kind``: type of a handle on bodies and carriers."""
    for q, law, kernel, result, arguments in loops(kind):
        if len(meshes.blocks[q].data):
            meshes.laws[q, law] = when_called(kernel, arguments, result)


@jit
def _add_forces(meshes, y, first, tail, F, o):
    for q in range(meshes.laws.shape[0]):
        if meshes.laws[q, FORCES] != 0:
            _force(meshes.laws[q, FORCES], (meshes, y, first, tail, F, o))


@jit
def _add_stiffness(meshes, y, first, tail, K, C):
    for q in range(meshes.laws.shape[0]):
        if meshes.laws[q, STIFFNESS] != 0:
            _stiffen(meshes.laws[q, STIFFNESS], (meshes, y, first, tail, K, C))


@jit
def _sum_energies(meshes, y, first, tail):
    stored = power = 0.0
    for q in range(meshes.laws.shape[0]):
        if meshes.laws[q, ENERGIES] != 0:
            stored, power = _store(meshes.laws[q, ENERGIES], (meshes, y, first, tail, stored, power))
    return stored, power


# ---- the mass --------------------------------------------------------------------------------------------------------
@jit
def _offsets(bodies):
    """Where the tail begins among unknowns, and its coordinates in the state."""
    return MOVES * (bodies.n + 1), STATE * (bodies.n + 1)


@jit
def _band_solve(m, z):
    """z <- M^-1 z."""
    U = m.U
    count = U.shape[0]
    wide = U.shape[1]
    for j in range(count):
        x0 = z[3 * j]
        x1 = z[3 * j + 1]
        x2 = z[3 * j + 2]
        for p in range(1, min(wide, count - j)):
            u = U[j, p]
            k = 3 * (j + p)
            z[k] -= u * x0
            z[k + 1] -= u * x1
            z[k + 2] -= u * x2
    for j in range(count - 1, -1, -1):
        d = m.D[j]
        x0 = z[3 * j] * d
        x1 = z[3 * j + 1] * d
        x2 = z[3 * j + 2] * d
        for p in range(1, min(wide, count - j)):
            u = U[j, p]
            k = 3 * (j + p)
            x0 -= u * z[k]
            x1 -= u * z[k + 1]
            x2 -= u * z[k + 2]
        z[3 * j] = x0
        z[3 * j + 1] = x1
        z[3 * j + 2] = x2


@jit
def _solve(m, weights, bodies, z):
    """z <- M^-1 z, or ``weights`` z where these stand for masses; zero where coordinates are held."""
    if weights.shape[0] > 0:
        for i in range(m.size):
            k = m.start + i
            z[i] *= weights[bodies.n + 1 + k // MOVES, k % MOVES]
    else:
        _band_solve(m, z)
    for i in range(m.size):
        if m.held[i]:
            z[i] = 0.0


@jit
def _add_node_force(c, k, J_row, f, o, z):
    """z += J^T f[o:] of the node k of all, J_row of meshes."""
    m = c.meshes
    p = m.points
    for i in range(MOVES):
        x = f[o + i]
        if x != 0.0:
            J = c.nodes.J[k, i]
            for a in range(p.vectors[J_row]):
                q = p.at[J_row, a] - m.start
                z[q] += J[3 * a] * x
                z[q + 1] += J[3 * a + 1] * x
                z[q + 2] += J[3 * a + 2] * x


@jit
def solve(c, bodies, F):
    """M^-1 F of all meshes, with forces on their nodes, kept for `give`: F may be overwritten before."""
    m = c.meshes
    o = _offsets(bodies)[0] + m.start
    z = of_type(m.kept, m.complex_kept, F)
    for i in range(m.size):
        z[i] = F[o + i]
    own = c.nodes.which.shape[0]
    for k in range(m.points.turn.shape[0]):
        _add_node_force(c, own + k, k, F, MOVES * c.nodes.body[own + k], z)
    _solve(m, c.weights, bodies, z)


@jit
def multiply(c, bodies, scale, u):
    """scale M u of all meshes, kept for `give`."""
    m = c.meshes
    o = _offsets(bodies)[0] + m.start
    z = of_type(m.kept, m.complex_kept, u)
    b = m.m
    count = b.shape[0]
    wide = b.shape[1]
    for i in range(m.size):
        z[i] = 0.0
    for j in range(count):
        k = o + 3 * j
        x0 = scale * u[k]
        x1 = scale * u[k + 1]
        x2 = scale * u[k + 2]
        s0 = b[j, 0] * x0
        s1 = b[j, 0] * x1
        s2 = b[j, 0] * x2
        for p in range(1, min(wide, count - j)):
            v = b[j, p]
            if v != 0.0:
                i = 3 * (j + p)
                z[i] += v * x0
                z[i + 1] += v * x1
                z[i + 2] += v * x2
                s0 += v * scale * u[o + i]
                s1 += v * scale * u[o + i + 1]
                s2 += v * scale * u[o + i + 2]
        z[3 * j] += s0
        z[3 * j + 1] += s1
        z[3 * j + 2] += s2


@jit
def give(c, bodies, u, add):
    """Numbers of meshes in u <- what is kept, or added to it."""
    m = c.meshes
    o = _offsets(bodies)[0] + m.start
    z = of_type(m.kept, m.complex_kept, u)
    if add:
        for i in range(m.size):
            u[o + i] += z[i]
    else:
        for i in range(m.size):
            u[o + i] = z[i]


@jit
def _lead(c, k, z, first, u, add):
    """Moves of the k-th node of meshes in u <- J z, or added to it; ``first``: where the tail begins in z."""
    p = c.meshes.points
    own = c.nodes.which.shape[0] + k
    b = MOVES * c.nodes.body[own]
    for i in range(MOVES):
        J = c.nodes.J[own, i]
        q = first + p.at[k, 0]
        v = J[0] * z[q] + J[1] * z[q + 1] + J[2] * z[q + 2]
        for a in range(1, p.vectors[k]):
            q = first + p.at[k, a]
            v += J[3 * a] * z[q] + J[3 * a + 1] * z[q + 1] + J[3 * a + 2] * z[q + 2]
        if add:
            u[b + i] += v
        else:
            u[b + i] = v


@jit
def give_motion(c, bodies, u, add):
    """`give` of a motion: nodes go with their meshes."""
    give(c, bodies, u, add)
    m = c.meshes
    z = of_type(m.kept, m.complex_kept, u)
    for k in range(m.points.turn.shape[0]):
        _lead(c, k, z, -m.start, u, add)


@jit
def lead_nodes(c, bodies, u):
    """u of nodes <- J u of their meshes."""
    o = _offsets(bodies)[0]
    for k in range(c.meshes.points.turn.shape[0]):
        _lead(c, k, u, o, u, False)


@jit
def respond_one(c, bodies, b, f, o, u):
    """u += M^-1 of the impulse f[o:] (MOVES numbers) on body b alone, where it is a node of a mesh."""
    m = c.meshes
    own = c.nodes.which.shape[0]
    k = c.nodes.index[b] - own
    if k < 0:
        return
    z = m.kept
    for i in range(m.size):
        z[i] = 0.0
    _add_node_force(c, own + k, k, f, o, z)
    _solve(m, c.weights, bodies, z)
    give_motion(c, bodies, u, True)


@jit
def products(c, bodies, slot_body, ptr, slots, G, dest, diag, Lx, D):
    """Lx, D += products of the slots of nodes of meshes in G M^-1 G^T, which stand with the first node of each mesh, at
    the places of `mass.fill_products`."""
    own = c.nodes.which.shape[0]
    t = 0
    for body in range(bodies.n):
        first = np.int64(ptr[body])
        last = np.int64(ptr[body + 1])
        count = last - first
        if count == 0:
            continue
        if c.nodes.index[body] < own:  # rigid, or a carrier with its nodes
            t += count * (count - 1) // 2
            continue
        for pp in range(first, last):
            # gradient of the slot over its window, times the block of the inverse
            p = slots[pp]
            a = c.nodes.index[slot_body[p]]
            for qq in range(first, pp + 1):
                q = slots[qq]
                b = c.nodes.index[slot_body[q]]
                v = _product(c, bodies, a, p, b, q, G)
                if qq == pp:
                    D[diag[pp]] += v
                    continue
                if diag[qq] != diag[pp]:
                    Lx[dest[t]] += v
                else:  # the same row on two nodes of a mesh
                    D[diag[pp]] += 2.0 * v
                t += 1


@jit
def _product(c, bodies, a, p, b, q, G):
    """G_p M^-1 G_q^T of slots p and q on the nodes a and b."""
    m = c.meshes
    own = c.nodes.which.shape[0]
    pa = m.points.inverse[a - own]
    pb = m.points.inverse[b - own]
    total = 0.0
    for i in range(3 * m.points.vectors[a - own]):
        held = m.points.at[a - own, i // 3] + i % 3
        if m.held[held - m.start]:
            continue
        x = 0.0
        for r in range(MOVES):
            x += G[p, r] * c.nodes.J[a, r, i]
        if x == 0.0:
            continue
        if c.weights.shape[0] > 0:
            for v in range(m.points.vectors[b - own]):
                if m.points.at[b - own, v] + i % 3 == held:
                    j = 3 * v + i % 3
                    w = 0.0
                    for r in range(MOVES):
                        w += G[q, r] * c.nodes.J[b, r, j]
                    total += x * w * c.weights[bodies.n + 1 + held // MOVES, held % MOVES]
            continue
        for j in range(i % 3, 3 * m.points.vectors[b - own], 3):
            w = 0.0
            for r in range(MOVES):
                w += G[q, r] * c.nodes.J[b, r, j]
            total += x * w * m.P[pa + i // 3, pb + j // 3]
    return total


# ---- nodes -----------------------------------------------------------------------------------------------------------
@jit
def _sum(y, o, at, weights, count):
    """sum_i weights_i of the vectors at y[o + at_i:]."""
    x0 = 0.0
    x1 = 0.0
    x2 = 0.0
    for i in range(count):
        w = weights[i]
        k = o + at[i]
        x0 += w * y[k]
        x1 += w * y[k + 1]
        x2 += w * y[k + 2]
    return x0, x1, x2


@jit
def place(c, bodies, y):
    """States of nodes in y, and T, <- what follows from the coordinates of their meshes."""
    m = c.meshes
    p = m.points
    first = _offsets(bodies)[1]
    own = c.nodes.which.shape[0]
    v = first + bodies.tail
    for k in range(p.turn.shape[0]):
        n = STATE * c.nodes.body[own + k]
        count = p.vectors[k]
        y[n], y[n + 1], y[n + 2] = _sum(y, first, p.at[k], p.place[k], count)
        y[n + 7], y[n + 8], y[n + 9] = _sum(y, v, p.at[k], p.place[k], count)
        if p.turn[k] >= 0:
            _stand(p, k, y, first, v, n)
            continue
        g0, g1, g2 = _sum(y, first, p.at[k], p.slope[k], count)
        A = p.across[k]
        inverse = 1.0 / math.sqrt(g0 * g0 + g1 * g1 + g2 * g2)
        t0 = g0 * inverse
        t1 = g1 * inverse
        t2 = g2 * inverse
        den = 1.0 + A[0] * t0 + A[1] * t1 + A[2] * t2
        x0 = A[1] * t2 - A[2] * t1
        x1 = A[2] * t0 - A[0] * t2
        x2 = A[0] * t1 - A[1] * t0
        if den < SMALLEST:
            den = SMALLEST
            x0 = A[3]
            x1 = A[4]
            x2 = A[5]
            e = 0.0
        else:
            s = 1.0 / math.sqrt(den * den + x0 * x0 + x1 * x1 + x2 * x2)
            e = den * s
            x0 *= s
            x1 *= s
            x2 *= s
        # the quaternion of the axes as drawn, turned by (e, x) in ground
        d0, d1, d2, d3 = _quaternion(A)
        y[n + 3] = e * d0 - x0 * d1 - x1 * d2 - x2 * d3
        y[n + 4] = e * d1 + x0 * d0 + x1 * d3 - x2 * d2
        y[n + 5] = e * d2 + x1 * d0 + x2 * d1 - x0 * d3
        y[n + 6] = e * d3 + x2 * d0 + x0 * d2 - x1 * d1
        T = p.T[k]
        b20, b21, b22 = _turned(e, x0, x1, x2, A[3], A[4], A[5])
        b30, b31, b32 = _turned(e, x0, x1, x2, A[6], A[7], A[8])
        y2 = (A[3] * t0 + A[4] * t1 + A[5] * t2) / den
        y3 = (A[6] * t0 + A[7] * t1 + A[8] * t2) / den
        T[0] = (y3 * b20 - y2 * b30) * inverse
        T[1] = (y3 * b21 - y2 * b31) * inverse
        T[2] = (y3 * b22 - y2 * b32) * inverse
        T[3] = -b30 * inverse
        T[4] = -b31 * inverse
        T[5] = -b32 * inverse
        T[6] = b20 * inverse
        T[7] = b21 * inverse
        T[8] = b22 * inverse
        h0, h1, h2 = _sum(y, v, p.at[k], p.slope[k], count)
        for i in range(3):
            y[n + 10 + i] = T[3 * i] * h0 + T[3 * i + 1] * h1 + T[3 * i + 2] * h2


@jit
def _axes_of(p, k, y, first):
    """f_1, f_2, f_3 at 0, 3, 6 of `work`, |u|, w_1, w_2 of a point that follows two gradients."""
    f = p.work
    count = p.vectors[k]
    u0, u1, u2 = _sum(y, first, p.at[k], p.slope[k], count)
    w0, w1, w2 = _sum(y, first, p.at[k], p.side[k], count)
    w0 += p.normal[k, 0]
    w1 += p.normal[k, 1]
    w2 += p.normal[k, 2]
    size = math.sqrt(u0 * u0 + u1 * u1 + u2 * u2)
    f[0] = u0 / size
    f[1] = u1 / size
    f[2] = u2 / size
    n0 = f[1] * w2 - f[2] * w1
    n1 = f[2] * w0 - f[0] * w2
    n2 = f[0] * w1 - f[1] * w0
    wide = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    f[6] = n0 / wide
    f[7] = n1 / wide
    f[8] = n2 / wide
    f[3] = f[7] * f[2] - f[8] * f[1]
    f[4] = f[8] * f[0] - f[6] * f[2]
    f[5] = f[6] * f[1] - f[7] * f[0]
    return size, f[0] * w0 + f[1] * w1 + f[2] * w2, wide


@jit
def _half(w1, w2):
    """Cosine and sine of half of what the angle of w from f_1 is beyond a right one."""
    b = 0.5 * (math.atan2(w2, w1) - 0.5 * math.pi)
    return math.cos(b), math.sin(b)


@jit
def _stand(p, k, y, first, v, n):
    """Axes and angular velocity in the state y[n:] of a point that follows two gradients, and its T; ``v``: where rates
    begin."""
    size, w1, w2 = _axes_of(p, k, y, first)
    f = p.work
    T = p.T[k]
    turn = p.turn[k] % BETWEEN
    # f_1 is the axis ``turn``, f_2 and f_3 those that follow it
    one, two, three = 3 * turn, 3 * ((turn + 1) % 3), 3 * ((turn + 2) % 3)
    for i in range(3):
        T[one + i] = -w1 / (size * w2) * f[6 + i]
        T[9 + one + i] = f[6 + i] / w2
        T[two + i] = -f[6 + i] / size
        T[9 + two + i] = 0.0
        T[three + i] = f[3 + i] / size
        T[9 + three + i] = 0.0
    if p.turn[k] >= BETWEEN:
        c, s = _half(w1, w2)
        square = w1 * w1 + w2 * w2
        for i in range(3):
            T[three + i] *= 0.5
            T[9 + three + i] = 0.5 * (w1 * f[3 + i] - w2 * f[i]) / square
            for o in range(0, 18, 9):
                x = T[o + one + i]
                T[o + one + i] = c * x + s * T[o + two + i]
                T[o + two + i] = c * T[o + two + i] - s * x
        for i in range(3):
            x = f[i]
            f[i] = c * x + s * f[3 + i]
            f[3 + i] = c * f[3 + i] - s * x
    for i in range(3):
        b = 9 + 3 * ((turn + i) % 3)
        for j in range(3):
            f[b + j] = f[3 * i + j]
    y[n + 3], y[n + 4], y[n + 5], y[n + 6] = _quaternion(f[9:18])
    count = p.vectors[k]
    h0, h1, h2 = _sum(y, v, p.at[k], p.slope[k], count)
    k0, k1, k2 = _sum(y, v, p.at[k], p.side[k], count)
    for i in range(3):
        o = 3 * i
        y[n + 10 + i] = T[o] * h0 + T[o + 1] * h1 + T[o + 2] * h2 + T[9 + o] * k0 + T[10 + o] * k1 + T[11 + o] * k2


@jit
def _bend_two(p, k, y, first):
    """B of a point that follows two gradients: dT^s_ij / d(vector t)_l at 27 (2 s + t) + 9 i + 3 j + l, T at the same
    state."""
    size, w1, w2 = _axes_of(p, k, y, first)
    f = p.work
    T = p.T[k]
    B = p.B[k]
    turn = p.turn[k] % BETWEEN
    one, two, three = 3 * turn, 3 * ((turn + 1) % 3), 3 * ((turn + 2) % 3)
    between = p.turn[k] >= BETWEEN
    cb, sb = 1.0, 0.0
    if between:
        cb, sb = _half(w1, w2)
    square = w1 * w1 + w2 * w2
    for t in range(2):
        for l in range(3):
            # what f turns by, and what grows and shifts, with this number of u or w
            W1 = cb * T[9 * t + one + l] - sb * T[9 * t + two + l]
            W2 = sb * T[9 * t + one + l] + cb * T[9 * t + two + l]
            if t == 0:
                W3 = f[3 + l] / size
                ds, d1, d2 = f[l], W3 * w2, -W3 * w1
            else:
                W3 = 0.0
                ds, d1, d2 = 0.0, f[l], f[3 + l]
            o = 27 * t + l
            q = 54 + o
            c = -w1 / (size * w2)
            dc = c * (-ds / size - d2 / w2) - d1 / (size * w2)
            for j in range(3):
                df2 = W1 * f[6 + j] - W3 * f[j]
                df3 = W2 * f[j] - W1 * f[3 + j]
                B[o + 3 * one + 3 * j] = c * df3 + dc * f[6 + j]
                B[o + 3 * two + 3 * j] = (f[6 + j] * ds / size - df3) / size
                B[o + 3 * three + 3 * j] = (df2 - f[3 + j] * ds / size) / size
                B[q + 3 * one + 3 * j] = (df3 - f[6 + j] * d2 / w2) / w2
                B[q + 3 * two + 3 * j] = 0.0
                B[q + 3 * three + 3 * j] = 0.0
                if between:
                    db = 0.5 * (w1 * d2 - w2 * d1) / square
                    df1 = W3 * f[3 + j] - W2 * f[6 + j]
                    slant = w1 * f[3 + j] - w2 * f[j]
                    B[o + 3 * three + 3 * j] *= 0.5
                    change = d1 * f[3 + j] + w1 * df2 - d2 * f[j] - w2 * df1
                    B[q + 3 * three + 3 * j] = 0.5 * change / square - slant * (w1 * d1 + w2 * d2) / (square * square)
                    for r in range(2):
                        h = o if r == 0 else q
                        x = B[h + 3 * one + 3 * j]
                        z = B[h + 3 * two + 3 * j]
                        B[h + 3 * one + 3 * j] = cb * x + sb * z + db * T[9 * r + two + j]
                        B[h + 3 * two + 3 * j] = cb * z - sb * x - db * T[9 * r + one + j]


@jit
def _curved(B, o, r, h0, h1, h2, l):
    """sum_j h_j B_rjl of the block of 27 at ``o``."""
    o += 9 * r + l
    return B[o] * h0 + B[o + 3] * h1 + B[o + 6] * h2


@jit
def _turned(e, x0, x1, x2, v0, v1, v2):
    """v turned by the quaternion (e, x)."""
    c0 = 2.0 * (x1 * v2 - x2 * v1)
    c1 = 2.0 * (x2 * v0 - x0 * v2)
    c2 = 2.0 * (x0 * v1 - x1 * v0)
    return v0 + e * c0 + x1 * c2 - x2 * c1, v1 + e * c1 + x2 * c0 - x0 * c2, v2 + e * c2 + x0 * c1 - x1 * c0


@jit
def _quaternion(A):
    """Quaternion (scalar first) of the rotation whose columns are A[0:3], A[3:6], A[6:9]."""
    trace = A[0] + A[4] + A[8]
    if trace > 0.0:
        s = 2.0 * math.sqrt(trace + 1.0)
        return 0.25 * s, (A[5] - A[7]) / s, (A[6] - A[2]) / s, (A[1] - A[3]) / s
    if A[0] >= A[4] and A[0] >= A[8]:
        s = 2.0 * math.sqrt(1.0 + A[0] - A[4] - A[8])
        return (A[5] - A[7]) / s, 0.25 * s, (A[3] + A[1]) / s, (A[6] + A[2]) / s
    if A[4] >= A[8]:
        s = 2.0 * math.sqrt(1.0 + A[4] - A[0] - A[8])
        return (A[6] - A[2]) / s, (A[3] + A[1]) / s, 0.25 * s, (A[7] + A[5]) / s
    s = 2.0 * math.sqrt(1.0 + A[8] - A[0] - A[4])
    return (A[1] - A[3]) / s, (A[6] + A[2]) / s, (A[7] + A[5]) / s, 0.25 * s


@jit
def _bend(p, k, g0, g1, g2):
    """B of node k, dT_ij / da_l at 9 i + 3 j + l, T at the same gradient g."""
    T = p.T[k]
    A = p.across[k]
    B = p.B[k]
    s = math.sqrt(g0 * g0 + g1 * g1 + g2 * g2)
    inverse = 1.0 / s
    t = (g0 * inverse, g1 * inverse, g2 * inverse)
    b2 = (T[6] * s, T[7] * s, T[8] * s)
    b3 = (-T[3] * s, -T[4] * s, -T[5] * s)
    den = max(1.0 + A[0] * t[0] + A[1] * t[1] + A[2] * t[2], SMALLEST)
    y2 = A[3] * t[0] + A[4] * t[1] + A[5] * t[2]
    y3 = A[6] * t[0] + A[7] * t[1] + A[8] * t[2]
    for l in range(3):
        W1 = T[l]
        W2 = T[3 + l]
        W3 = T[6 + l]
        # change of t along direction l, and what follows
        r2 = b2[l] * inverse
        r3 = b3[l] * inverse
        dy2 = 0.0
        dy3 = 0.0
        dc = 0.0
        for j in range(3):
            dt = b2[j] * r2 + b3[j] * r3
            dy2 += A[3 + j] * dt
            dy3 += A[6 + j] * dt
            dc += A[j] * dt
        shrink = t[l] * inverse
        for j in range(3):
            d2 = -W3 * t[j] + W1 * b3[j]
            d3 = W2 * t[j] - W1 * b2[j]
            B[3 * j + l] = (dy3 * b2[j] + y3 * d2 - dy2 * b3[j] - y2 * d3) * inverse / den - T[j] * (shrink + dc / den)
            B[9 + 3 * j + l] = -d3 * inverse + b3[j] * inverse * shrink
            B[18 + 3 * j + l] = d2 * inverse - b2[j] * inverse * shrink


@jit
def prepare(c, bodies, y, R):
    """What nodes ask of the state y."""
    prepare_nodes(c, bodies, y)


@jit
def prepare_nodes(c, bodies, y):
    """J and bias of all nodes; `place` at the state."""
    m = c.meshes
    p = m.points
    first = _offsets(bodies)[1]
    own = c.nodes.which.shape[0]
    for k in range(p.turn.shape[0]):
        count = p.vectors[k]
        J = c.nodes.J[own + k]
        T = p.T[k]
        for i in range(count):
            w = p.place[k, i]
            s = p.slope[k, i]
            for j in range(3):
                J[j, 3 * i + j] = w
                for r in range(3):
                    J[3 + r, 3 * i + j] = s * T[3 * r + j]
        h0, h1, h2 = _sum(y, first + bodies.tail, p.at[k], p.slope[k], count)
        B = p.B[k]
        if p.turn[k] >= 0:
            for i in range(count):
                s = p.side[k, i]
                if s != 0.0:
                    for r in range(3):
                        for j in range(3):
                            J[3 + r, 3 * i + j] += s * T[9 + 3 * r + j]
            _bend_two(p, k, y, first)
            k0, k1, k2 = _sum(y, first + bodies.tail, p.at[k], p.side[k], count)
            for r in range(3):
                x = 0.0
                for l in range(3):
                    h = h0 if l == 0 else h1 if l == 1 else h2
                    x += h * (_curved(B, 0, r, h0, h1, h2, l) + _curved(B, 54, r, k0, k1, k2, l))
                    h = k0 if l == 0 else k1 if l == 1 else k2
                    x += h * (_curved(B, 27, r, h0, h1, h2, l) + _curved(B, 81, r, k0, k1, k2, l))
                c.nodes.bias[own + k, 3 + r] = x
            continue
        g0, g1, g2 = _sum(y, first, p.at[k], p.slope[k], count)
        _bend(p, k, g0, g1, g2)
        for r in range(3):
            b = 9 * r
            x0 = B[b] * h0 + B[b + 1] * h1 + B[b + 2] * h2
            x1 = B[b + 3] * h0 + B[b + 4] * h1 + B[b + 5] * h2
            x2 = B[b + 6] * h0 + B[b + 7] * h1 + B[b + 8] * h2
            c.nodes.bias[own + k, 3 + r] = x0 * h0 + x1 * h1 + x2 * h2


@jit
def prepare_slopes(c, bodies, y):
    """V of all nodes; `prepare_nodes` at the state."""
    p = c.meshes.points
    first = _offsets(bodies)[1] + bodies.tail
    own = c.nodes.which.shape[0]
    for k in range(p.turn.shape[0]):
        count = p.vectors[k]
        h0, h1, h2 = _sum(y, first, p.at[k], p.slope[k], count)
        V = c.nodes.V[own + k]
        B = p.B[k]
        for r in range(3):
            for l in range(3):
                x = _curved(B, 0, r, h0, h1, h2, l)
                if p.turn[k] >= 0:
                    k0, k1, k2 = _sum(y, first, p.at[k], p.side[k], count)
                    x += _curved(B, 54, r, k0, k1, k2, l)
                    z = _curved(B, 27, r, h0, h1, h2, l) + _curved(B, 81, r, k0, k1, k2, l)
                    for i in range(count):
                        V[3 + r, 3 * i + l] = p.slope[k, i] * x + p.side[k, i] * z
                    continue
                for i in range(count):
                    V[3 + r, 3 * i + l] = p.slope[k, i] * x


@jit
def condense(c, bodies, F):
    """Forces on nodes become forces on their meshes; they are kept for `node_stiffness`."""
    nodes = c.nodes
    p = c.meshes.points
    own = nodes.which.shape[0]
    o = _offsets(bodies)[0]
    for k in range(p.turn.shape[0]):
        b = MOVES * nodes.body[own + k]
        for i in range(MOVES):
            f = F[b + i]
            nodes.F[own + k, i] = f
            F[b + i] = 0.0
            if f != 0.0:
                J = nodes.J[own + k, i]
                for a in range(p.vectors[k]):
                    q = o + p.at[k, a]
                    F[q] += J[3 * a] * f
                    F[q + 1] += J[3 * a + 1] * f
                    F[q + 2] += J[3 * a + 2] * f


@jit
def load_nodes(c, bodies, y, K):
    """K -= H of all nodes (`nodes`) under the forces that `condense` kept."""
    p = c.meshes.points
    own = c.nodes.which.shape[0]
    h = p.work
    for k in range(p.turn.shape[0]):
        f = c.nodes.F[own + k]
        if f[3] == 0.0 and f[4] == 0.0 and f[5] == 0.0:
            continue
        B = p.B[k]
        two = p.turn[k] >= 0
        for s in range(4 if two else 1):
            for i in range(9):
                b = 27 * s + i
                h[9 * s + i] = f[3] * B[b] + f[4] * B[b + 9] + f[5] * B[b + 18]
        count = p.vectors[k]
        wide = 3 * count
        o = c.meshes.nptr[k]
        for i in range(count):
            for j in range(count):
                u = p.slope[k, i]
                w = p.slope[k, i] * p.slope[k, j]
                if two:
                    v = p.side[k, i]
                    x = u * p.side[k, j]
                    y = v * p.slope[k, j]
                    z = v * p.side[k, j]
                    if w == 0.0 and x == 0.0 and y == 0.0 and z == 0.0:
                        continue
                    for a in range(3):
                        for b in range(3):
                            q = 3 * a + b
                            K[c.meshes.npos[o + wide * (3 * i + a) + 3 * j + b]] -= (
                                w * h[q] + x * h[9 + q] + y * h[18 + q] + z * h[27 + q]
                            )
                elif w != 0.0:
                    for a in range(3):
                        for b in range(3):
                            K[c.meshes.npos[o + wide * (3 * i + a) + 3 * j + b]] -= w * h[3 * a + b]


@jit
def bound_nodes(c, bodies, y1, h, out):
    """Rows of nodes in ``out`` (`motion_bounds`): sums over the coordinates of their windows."""
    p = c.meshes.points
    first = _offsets(bodies)[1]
    own = c.nodes.which.shape[0]
    for k in range(p.turn.shape[0]):
        speed = 0.0
        acceleration = 0.0
        turn = 0.0
        turning = 0.0
        for i in range(p.vectors[k]):
            fast = 0.0
            grow = 0.0
            for j in range(3):
                q = p.at[k, i] + j
                a = c.rates[q]
                v = abs(y1[first + bodies.tail + q]) + h * a
                fast += v * v
                grow += a * a
            fast = math.sqrt(fast)
            grow = math.sqrt(grow)
            speed += abs(p.place[k, i]) * fast
            acceleration += abs(p.place[k, i]) * grow
            turn += (abs(p.slope[k, i]) + abs(p.side[k, i])) * fast
            turning += (abs(p.slope[k, i]) + abs(p.side[k, i])) * grow
        g0, g1, g2 = _sum(y1, first, p.at[k], p.slope[k], p.vectors[k])
        size = math.sqrt(g0 * g0 + g1 * g1 + g2 * g2)
        if p.turn[k] >= 0:
            _, first_part, across = _axes_of(p, k, y1, first)
            turn *= 1.0 + abs(first_part) / size  # of w along u
            turning *= 1.0 + abs(first_part) / size
            size = min(size, across)
        size = max(size - h * turn, 0.1 * size)
        turn /= size
        turning = turning / size + 3.0 * turn * turn
        b = out[c.nodes.body[own + k]]
        for j in range(BOUNDS):
            b[j] = 0.0
        b[SPEED_BOUND] = speed
        b[ACCELERATION_BOUND] = acceleration
        b[TURN_BOUND] = turn
        b[TURN_RATE_BOUND] = turning


# ---- forces ----------------------------------------------------------------------------------------------------------
@jit
def forces(c, bodies, y, F):
    """F += gravity, stresses and dampers of all elements."""
    m = c.meshes
    o, first = _offsets(bodies)
    for j in range(m.mass.shape[0]):
        w = m.mass[j]
        if w != 0.0:
            k = o + m.start + 3 * j
            F[k] += w * bodies.gravity[0]
            F[k + 1] += w * bodies.gravity[1]
            F[k + 2] += w * bodies.gravity[2]
    _add_forces(m, y, first, bodies.tail, F, o)
    for i in range(m.size):
        if m.held[i]:
            F[o + m.start + i] = 0.0


@jit
def stiffness(c, bodies, y, K, C):
    """K -= dF/dq, C -= dF/du of `forces`."""
    _add_stiffness(c.meshes, y, _offsets(bodies)[1], bodies.tail, K, C)


@jit
def mass_entries(c, bodies, scale, convected, bent, y, acc, data):
    """data += scale M."""
    m = c.meshes
    for k in range(m.mpos.shape[0]):
        data[m.mpos[k]] += scale * m.mval[k]


@jit
def _weighted(m, y, o, q):
    """sum_ij m_ij a_i.b_j over vectors at y[o:] and y[q:]."""
    b = m.m
    count = b.shape[0]
    total = 0.0
    for j in range(count):
        for p in range(min(b.shape[1], count - j)):
            v = b[j, p]
            if v != 0.0:
                i = 3 * j
                k = 3 * (j + p)
                x = y[o + i] * y[q + k] + y[o + i + 1] * y[q + k + 1] + y[o + i + 2] * y[q + k + 2]
                if p > 0:
                    x += y[o + k] * y[q + i] + y[o + k + 1] * y[q + i + 1] + y[o + k + 2] * y[q + i + 2]
                total += v * x
    return total


@jit
def energies(c, bodies, y):
    """Kinetic energy, energy in gravity, strain energy of all meshes."""
    m = c.meshes
    first = _offsets(bodies)[1]
    q = first + m.start
    v = q + bodies.tail
    gravity = 0.0
    g = bodies.gravity
    for j in range(m.mass.shape[0]):
        gravity -= m.mass[j] * (g[0] * y[q + 3 * j] + g[1] * y[q + 3 * j + 1] + g[2] * y[q + 3 * j + 2])
    stored, power = _sum_energies(m, y, first, bodies.tail)
    return 0.5 * _weighted(m, y, v, v), gravity, stored


@jit
def damped(c, bodies, y):
    """Power of the dampers of all meshes."""
    stored, power = _sum_energies(c.meshes, y, _offsets(bodies)[1], bodies.tail)
    return power


@jit
def momenta(c, bodies, y, out):
    """Momentum of meshes added to out[0:3], out[3:6], and gravity on them to out[6:12] (`momentum`)."""
    m = c.meshes
    q = _offsets(bodies)[1] + m.start
    v = q + bodies.tail
    b = m.m
    count = b.shape[0]
    g = bodies.gravity
    for j in range(count):
        w = m.mass[j]
        i = 3 * j
        for a in range(3):
            out[a] += w * y[v + i + a]
            out[6 + a] += w * g[a]
        out[9] += w * (y[q + i + 1] * g[2] - y[q + i + 2] * g[1])
        out[10] += w * (y[q + i + 2] * g[0] - y[q + i] * g[2])
        out[11] += w * (y[q + i] * g[1] - y[q + i + 1] * g[0])
        for p in range(min(b.shape[1], count - j)):
            x = b[j, p]
            if x == 0.0:
                continue
            k = 3 * (j + p)
            _add_moment(y, q + i, v + k, x, out)
            if p > 0:
                _add_moment(y, q + k, v + i, x, out)


@jit
def _add_moment(y, i, k, x, out):
    out[3] += x * (y[i + 1] * y[k + 2] - y[i + 2] * y[k + 1])
    out[4] += x * (y[i + 2] * y[k] - y[i] * y[k + 2])
    out[5] += x * (y[i] * y[k + 1] - y[i + 1] * y[k])
