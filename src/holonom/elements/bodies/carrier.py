"""Carriers: rigid bodies with coordinates of their own in addition to the six: masses that slide along lines fixed in
them, and modes.

Each mass m_k has one coordinate s_k: it lies at rho_k = b_k + s_k e_k in the principal axes of its carrier (b_k a
point, e_k a unit vector), so at x_k = r + A rho_k in ground.  With velocities u = (r', W, s') of a carrier (r' in
ground, W in its own axes)

    x_k'  = r' + A (W x rho_k + e_k s_k') = J_k u,       x_k'' = J_k u' + A b_k,      b_k = W x (W x rho_k) + 2 s_k' W x
        e_k
    M     = diag(m, J, 0) + sum_k m_k J_k^T J_k
    F     = that of the rigid body + sum_k J_k^T m_k (g - A b_k),   and   -stiffness (s_k - length_k) - damping s_k'
        on s_k

(Kane & Levinson, Dynamics: Theory and Applications (1985), ch. 4-6).  Modes, small deformations of the body, follow
behind the masses (`modes`).

M couples r', W and the coordinates s' of masses and modes, but no two of these with each other:

    M = [B  E; E^T  diag(d)],     B (6, 6),   E (6, k),   d the mass of each coordinate, one of modes

so that its coordinates are eliminated by hand: B - E d^-1 E^T = L D L^T is what is factored at each evaluation,
translations in the axes of the body, where it does not depend on the attitude.  The cost is linear in the number of
coordinates, but for the invariants of `modes`.

The coordinates lie in the tail of the state (see `layout`), those of one carrier one after the other.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..._address import of_type
from ..._jit import jit
from ..vectors import cross, rotate, unrotate
from .absolute import near_masses
from .layout import MOVES, STATE
from .mesh_tables import no_meshes, with_rows
from .modes import enter_bent_mass, enter_mass, make_modes, mode_forces, mode_kinetic, mode_momentum, mode_stiffness
from .nodes import add_force, add_forces, follow, make_nodes, node_of

NOTHING = 7e-15  # of terms that cancel, all that is left

Carriers = namedtuple(
    "Carriers",
    "body at ptr masses mass base axis stiffness damping length A mptr M L D z kept complex_kept places pptr KL CL "
    "nodes weights E rates modes meshes",
)
Carriers.__doc__ = """c carriers with k coordinates in all.  body (c,); at (c,): first coordinate of each in the tail;
ptr (c + 1,): its coordinates; masses (c,): how many of these are of sliding masses, the first; mass, stiffness,
damping, length (k,): of the coordinates and their springs, length where they are unloaded; base, axis (k, 3): b and e
of masses, principal axes of the carrier, zero of modes. Evaluated by `prepare`: A (c, 9) attitude; M (flat, from mptr
(c,), 6 (6 + coordinates) each): the first six rows of the mass, translations in axes of the body; L, D (c, 6, 6), (c,
6): factor of what is left of them; z (most,), kept, complex_kept (c, most): work.  places (flat, from pptr (c,)): where
the entries of the block of a carrier lie in the iteration matrix, its MOVES and then those of its blocks of the tail,
row by row; KL, CL
(most, most): work.  nodes: `Nodes`, the masses and attachments on which something acts; weights (rows, MOVES), or (0,
MOVES): what stands for masses (`weighted`); E (.., most): rows over the coordinates of a carrier, work of `products`;
rates (tail or more,): bounds of s'' over a step, see `carrier_nodes.bound_nodes`; modes: `Modes`; meshes:
`absolute.Meshes` behind the carriers; both are empty where there are none."""


def make_carriers(
    body,
    at,
    ptr,
    masses,
    lines,
    nodes=(),
    rows=0,
    modes=None,
    meshes=None,
    points=(),
    tail=0,
) -> Carriers:
    """Tables of carriers; ``at``: first coordinates in the tail, multiples of MOVES; ``lines``: mass, base, axis,
    stiffness, damping and length of all that slides or bends, an array each; ``nodes``: body, carrier and which
    of each node, see `Nodes`;
    ``rows``: number of bodies, ground among them; ``meshes``, ``points`` (k,): meshes, and bodies of the nodes on
    these; ``tail``: all of its coordinates."""
    mass, base, axis, stiffness, damping, length = lines
    count = np.diff(ptr)
    size = 6 + count
    meshes = no_meshes() if meshes is None else meshes
    if modes is None:
        modes = make_modes(
            [0] * len(body),
            masses,
            [np.zeros((1, 1, 3, 3))] * len(body),
            [np.zeros((1, 1, 3))] * len(body),
            np.zeros((0, 3)),
            (),
            (),
        )
    windows = 3 * meshes.points.vectors
    most = int(max([1, *size, *windows]))
    first = np.concatenate([[0], np.cumsum(6 * size)])
    whole = np.concatenate([[0], np.cumsum((MOVES * (1 + -(-count // MOVES))) ** 2)])
    i = lambda a: np.ascontiguousarray(a, np.int64)
    f = lambda a: np.ascontiguousarray(a, float)
    z = np.zeros
    nodes = np.asarray(nodes, np.int64).reshape(-1, 3)
    return Carriers(
        body=i(body),
        at=i(at),
        ptr=i(ptr),
        masses=i(masses),
        mass=f(mass),
        base=f(base),
        axis=f(axis),
        stiffness=f(stiffness),
        damping=f(damping),
        length=f(length),
        A=z((len(body), 9)),
        mptr=i(first[:-1]),
        M=z(first[-1]),
        L=z((len(body), 6, 6)),
        D=z((len(body), 6)),
        z=z(most),
        kept=z((len(body), most)),
        complex_kept=z((len(body), most), complex),
        places=z(whole[-1], np.uint32),
        pptr=i(whole[:-1]),
        KL=z((most, most)),
        CL=z((most, most)),
        nodes=make_nodes(rows, [*nodes[:, 0], *points], nodes[:, 1], nodes[:, 2], [*size[nodes[:, 1]], *windows], most),
        weights=z((0, MOVES)),
        E=z((0, most)),
        rates=z(int(max([tail, *at])) + MOVES * (1 + most // MOVES)),
        modes=modes,
        meshes=meshes,
    )


def with_room(bodies, slots: int, touched=()):
    """The same bodies with space for so many rows a carrier (`products`); ``touched``: bodies that rows act on."""
    c = bodies.carriers
    if c is None:
        return bodies
    used = np.isin(c.nodes.body[len(c.nodes.which) :], touched)
    return bodies._replace(carriers=c._replace(E=np.zeros((slots, c.E.shape[1])), meshes=with_rows(c.meshes, used)))


def alone(bodies):
    """The same bodies one by one, as those see them who require no more than states and single bodies: nothing is
    coupled, and nodes weigh what lies at them.  Tables of contacts have these, whose type is the same in all models."""
    c = bodies.carriers
    if c is None:
        return bodies
    mass, J = bodies.mass.copy(), bodies.J.copy()
    for b, g, k in zip(c.nodes.body, c.nodes.carrier, c.nodes.which):
        if k >= 0:
            mass[b], J[b] = c.mass[c.ptr[g] + k], J[c.body[g]]
        else:  # an attachment: what hits it meets the whole body
            mass[b], J[b] = mass[c.body[g]], J[c.body[g]]
    if c.meshes.size:
        mass[c.nodes.body[len(c.nodes.which) :]] = near_masses(c.meshes)
    return bodies._replace(mass=mass, J=J, carriers=None)


def working_copy(bodies):
    """The same bodies with work of their own, so that what was prepared at another state is kept."""
    c = bodies.carriers
    if c is None:
        return bodies
    own = lambda table, names: table._replace(**{name: getattr(table, name).copy() for name in names.split()})
    carriers = own(c, "A M L D z kept KL CL")
    nodes, modes = own(c.nodes, "J V bias F"), own(c.modes, "B0 B1 h P Q R now")
    meshes = c.meshes._replace(points=own(c.meshes.points, "T B work"))
    return bodies._replace(carriers=carriers._replace(nodes=nodes, modes=modes, meshes=meshes))


def numbers_of_carriers(bodies) -> np.ndarray:
    """(k, 10) stiffness, damping, length, mass, base and axis of each coordinate of carriers."""
    c = bodies.carriers
    if c is None:
        return np.zeros((0, 10))
    return np.hstack([np.stack([c.stiffness, c.damping, c.length, c.mass], axis=1), c.base, c.axis])


def mass_motions(bodies, y, R, dq, du):
    """Of each mass: its carrier, its position, its changes (6, k) of position and turn and of velocity and angular
    velocity, and the changes (2, 6, k) of the generalised forces of its spring on the mass and on the carrier (about
    its centre of mass).  All in ground axes, for changes dq, du (rows, 6, k) of coordinates and velocities of all
    bodies (rows of the tail behind them) about the state y with rotations R (n, 3, 3)."""
    c = bodies.carriers
    first = STATE * (bodies.n + 1)
    for g, b in enumerate(c.body):
        A, state = R[b], y[STATE * b : STATE * b + STATE]
        w = A @ state[10:13]
        ds, dv = (d[bodies.n :].reshape(-1, d.shape[2])[c.at[g] : c.at[g] + c.ptr[g + 1] - c.ptr[g]] for d in (dq, du))
        turned = lambda d, x, b=b: np.cross(d[b, 3:], x[:, None], axis=0)
        for k in range(c.masses[g]):
            m, i = c.ptr[g] + k, first + c.at[g] + k
            e, p = A @ c.axis[m], A @ (c.base[m] + y[i] * c.axis[m])
            arm = turned(dq, p) + e[:, None] * ds[k]
            # and what w x p + s' e changes with position and attitude
            velocity = (
                du[b, :3]
                + turned(du, p)
                + e[:, None] * dv[k]
                + np.cross(w[:, None], arm, axis=0)
                + y[i + bodies.tail] * turned(dq, e)
            )
            force = -c.stiffness[m] * (y[i] - c.length[m]) - c.damping[m] * y[i + bodies.tail]
            pull = force * turned(dq, e) - e[:, None] * (c.stiffness[m] * ds[k] + c.damping[m] * dv[k])
            moment = np.cross(arm, force * e[:, None], axis=0) + np.cross(p[:, None], pull, axis=0)
            spring = np.array([np.concatenate([pull, np.zeros_like(pull)]), -np.concatenate([pull, moment])])
            yield (
                b,
                state[:3] + p,
                np.concatenate([dq[b, :3] + arm, dq[b, 3:]]),
                np.concatenate([velocity, du[b, 3:]]),
                spring,
            )


def weighted(carriers, inverse):
    """The same carriers where other weights represent masses: coordinates that nothing couples, with the inverse masses
    ``inverse`` (rows, MOVES)."""
    if carriers is None:
        return None
    return carriers._replace(weights=inverse)


@jit
def _ends(c, g):
    lo = c.ptr[g]
    return lo, c.ptr[g + 1] - lo


@jit
def prepare(c, bodies, y, R):
    """M and its factor at the coordinates of the state y; R (n + 1, 9): rotations of the bodies."""
    tail = STATE * (bodies.n + 1)
    for g in range(c.body.shape[0]):
        b = c.body[g]
        lo, count = _ends(c, g)
        N = 6 + count
        o = c.mptr[g]
        q = tail + c.at[g]
        for k in range(9):
            c.A[g, k] = R[b, k]
        M = c.M
        for k in range(6 * N):
            M[o + k] = 0.0
        for k in range(3):
            M[o + N * k + k] = bodies.mass[b]
            M[o + N * (3 + k) + 3 + k] = bodies.J[b, k]
        for k in range(c.masses[g]):
            m = c.mass[lo + k]
            e0 = c.axis[lo + k, 0]
            e1 = c.axis[lo + k, 1]
            e2 = c.axis[lo + k, 2]
            s = y[q + k]
            p0 = c.base[lo + k, 0] + s * e0
            p1 = c.base[lo + k, 1] + s * e1
            p2 = c.base[lo + k, 2] + s * e2
            pp = p0 * p0 + p1 * p1 + p2 * p2
            for i in range(3):
                M[o + N * i + i] += m
                pi = p0 if i == 0 else (p1 if i == 1 else p2)
                for j in range(3):
                    pj = p0 if j == 0 else (p1 if j == 1 else p2)
                    M[o + N * (3 + i) + 3 + j] += m * ((pp if i == j else 0.0) - pi * pj)
            # velocity of the mass by W: W x rho, the rows of -[rho]
            r = o + 3
            M[r + N * 0 + 1] += m * p2
            M[r + N * 0 + 2] -= m * p1
            M[r + N * 1 + 0] -= m * p2
            M[r + N * 1 + 2] += m * p0
            M[r + N * 2 + 0] += m * p1
            M[r + N * 2 + 1] -= m * p0
            x0, x1, x2 = cross(p0, p1, p2, e0, e1, e2)
            d = 6 + k
            M[o + N * 0 + d] = m * e0
            M[o + N * 1 + d] = m * e1
            M[o + N * 2 + d] = m * e2
            M[o + N * 3 + d] = m * x0
            M[o + N * 4 + d] = m * x1
            M[o + N * 5 + d] = m * x2
        enter_mass(c.modes, g, y, q, q + bodies.tail, M, o, N)
        for i in range(3, 6):
            for j in range(3):
                M[o + N * i + j] = M[o + N * j + i]
        L = c.L[g]
        D = c.D[g]
        first = 6 + c.masses[g]
        z = c.z
        for j in range(6):
            for k in range(6, first):
                z[k] = M[o + N * j + k] / c.mass[lo + k - 6]
            for i in range(j, 6):
                v = M[o + N * i + j]
                for k in range(6, first):
                    v -= M[o + N * i + k] * z[k]
                L[i, j] = v
        if first < N:
            _eliminate_modes(M, o + first, N, N - first, L)
        for j in range(6):
            for i in range(j, 6):
                v = L[i, j]
                for k in range(j):
                    v -= L[i, k] * L[j, k] * D[k]
                if i == j:
                    D[j] = v
                else:
                    L[i, j] = v / D[j]


@jit
def _eliminate_modes(M, o, N, count, L):
    """L -= H^T H of rotations, H at M[o:]: modes have a mass of one, and no momentum of translation."""
    H0 = M[o + 3 * N : o + 3 * N + count]
    H1 = M[o + 4 * N : o + 4 * N + count]
    H2 = M[o + 5 * N : o + 5 * N + count]
    v0 = L[3, 3]
    v1 = L[4, 3]
    v2 = L[5, 3]
    v3 = L[4, 4]
    v4 = L[5, 4]
    v5 = L[5, 5]
    for k in range(count):
        a = H0[k]
        b = H1[k]
        d = H2[k]
        v0 -= a * a
        v1 -= b * a
        v2 -= d * a
        v3 -= b * b
        v4 -= d * b
        v5 -= d * d
    L[3, 3] = v0
    L[4, 3] = v1
    L[5, 3] = v2
    L[4, 4] = v3
    L[5, 4] = v4
    L[5, 5] = v5


@jit
def _gather(c, g, bodies, F, z):
    """z <- numbers of carrier g of a vector of unknowns."""
    lo, count = _ends(c, g)
    o = MOVES * c.body[g]
    q = MOVES * (bodies.n + 1) + c.at[g]
    for k in range(6):
        z[k] = F[o + k]
    for k in range(count):
        z[6 + k] = F[q + k]
    return 6 + count


@jit
def _spread(c, g, bodies, z, u, add):
    """The numbers z of carrier g into a vector of unknowns, or added to it."""
    lo, count = _ends(c, g)
    o = MOVES * c.body[g]
    q = MOVES * (bodies.n + 1) + c.at[g]
    if not add:
        for k in range(6):
            u[o + k] = 0.0
        for k in range(count):
            u[q + k] = 0.0
    for k in range(6):
        u[o + k] += z[k]
    for k in range(count):
        u[q + k] += z[6 + k]


@jit
def _solve(c, g, bodies, N, z):
    """z <- M^-1 z."""
    if c.weights.shape[0] > 0:
        first = bodies.n + 1 + c.at[g] // MOVES
        for k in range(6):
            z[k] *= c.weights[c.body[g], k]
        for k in range(N - 6):
            z[6 + k] *= c.weights[first + k // MOVES, k % MOVES]
        return
    o = c.mptr[g]
    lo = c.ptr[g] - 6
    M = c.M
    L = c.L[g]
    z[0], z[1], z[2] = unrotate(c.A, g, z[0], z[1], z[2])
    first = 6 + c.masses[g]
    count = N - first
    for k in range(6, first):
        z[k] /= c.mass[lo + k]
        for i in range(6):
            z[i] -= M[o + N * i + k] * z[k]
    # modes have a mass of one, and no momentum of translation
    H0 = M[o + 3 * N + first : o + 4 * N]
    H1 = M[o + 4 * N + first : o + 5 * N]
    H2 = M[o + 5 * N + first : o + 6 * N]
    tail = z[first:N]
    v0 = z[3]
    v1 = z[4]
    v2 = z[5]
    for k in range(count):
        v0 -= H0[k] * tail[k]
        v1 -= H1[k] * tail[k]
        v2 -= H2[k] * tail[k]
    z[3] = v0
    z[4] = v1
    z[5] = v2
    for i in range(6):
        v = z[i]
        for k in range(i):
            v -= L[i, k] * z[k]
        z[i] = v
    for i in range(6):
        z[i] /= c.D[g, i]
    for i in range(5, -1, -1):
        v = z[i]
        for k in range(i + 1, 6):
            v -= L[k, i] * z[k]
        z[i] = v
    for k in range(6, first):
        v = z[k] - z[k]
        for i in range(6):
            v += M[o + N * i + k] * z[i]
        z[k] -= v / c.mass[lo + k]
    v0 = z[3]
    v1 = z[4]
    v2 = z[5]
    for k in range(count):
        tail[k] -= H0[k] * v0 + H1[k] * v1 + H2[k] * v2
    z[0], z[1], z[2] = rotate(c.A, g, z[0], z[1], z[2])


@jit
def solve(c, bodies, F):
    """M^-1 F of all carriers, with forces on their nodes, kept for `give`: F may be overwritten before."""
    for g in range(c.body.shape[0]):
        z = of_type(c.kept, c.complex_kept, F)[g]
        N = _gather(c, g, bodies, F, z)
        add_forces(c.nodes, g, N, F, z)
        _solve(c, g, bodies, N, z)


@jit
def _response(c, bodies, b, f, o):
    """Index of the carrier that an impulse f[o:] (MOVES numbers) on body b moves, -1 for none; its moves are kept."""
    g = -1
    for k in range(c.body.shape[0]):
        if c.body[k] == b:
            g = k
    node = node_of(c.nodes, b) if g < 0 else -1
    if node >= 0:
        g = c.nodes.carrier[node]
    if g < 0:
        return -1
    z = c.kept[g]
    N = 6 + c.ptr[g + 1] - c.ptr[g]
    for k in range(N):
        z[k] = f[o + k] if k < 6 and node < 0 else 0.0
    if node >= 0:
        add_force(c.nodes, node, N, f, o, z)
    _solve(c, g, bodies, N, z)
    return g


@jit
def respond_one(c, bodies, b, f, o, u):
    """u += M^-1 of the impulse f[o:] (MOVES numbers) on body b alone, where it is a carrier or a node of one."""
    g = _response(c, bodies, b, f, o)
    if g >= 0:
        z = c.kept[g]
        _spread(c, g, bodies, z, u, True)
        follow(c.nodes, g, 6 + c.ptr[g + 1] - c.ptr[g], z, u, True)


@jit
def multiply(c, bodies, scale, u):
    """scale M u of all carriers, kept for `give`: u may be overwritten before."""
    for g in range(c.body.shape[0]):
        z = of_type(c.kept, c.complex_kept, u)[g]
        N = _gather(c, g, bodies, u, z)
        x0, x1, x2 = unrotate(c.A, g, z[0], z[1], z[2])
        x3 = z[3]
        x4 = z[4]
        x5 = z[5]
        o = c.mptr[g]
        lo = c.ptr[g] - 6
        M = c.M
        for i in range(6):
            r = o + N * i
            v = M[r] * x0 + M[r + 1] * x1 + M[r + 2] * x2 + M[r + 3] * x3 + M[r + 4] * x4 + M[r + 5] * x5
            if i >= 3 or c.masses[g] > 0:
                for k in range(6, N):
                    v += M[r + k] * z[k]
            z[i] = scale * v
        for k in range(6, N):
            r = o + k
            v = (
                M[r] * x0
                + M[r + N] * x1
                + M[r + 2 * N] * x2
                + M[r + 3 * N] * x3
                + M[r + 4 * N] * x4
                + M[r + 5 * N] * x5
            )
            z[k] = scale * (v + c.mass[lo + k] * z[k])
        z[0], z[1], z[2] = rotate(c.A, g, z[0], z[1], z[2])


@jit
def give(c, bodies, u, add):
    """Numbers of carriers in u <- what is kept, or added to it."""
    for g in range(c.body.shape[0]):
        _spread(c, g, bodies, of_type(c.kept, c.complex_kept, u)[g], u, add)


@jit
def give_motion(c, bodies, u, add):
    """`give` of a motion: nodes go with their carriers."""
    for g in range(c.body.shape[0]):
        z = of_type(c.kept, c.complex_kept, u)[g]
        _spread(c, g, bodies, z, u, add)
        follow(c.nodes, g, 6 + c.ptr[g + 1] - c.ptr[g], z, u, add)


@jit
def _expand(c, b, slot_body, slots, G, diag, first, last, pp, N):
    """E[pp - first] <- the row of slot pp over the coordinates of the carrier b.  What else the same row has there
    comes to its first slot, the others are zero; what is left of terms that cancel, as where a row holds what the line
    of a mass holds anyway, is zero and no roundoff."""
    e = c.E[pp - first, :N]
    for k in range(N):
        e[k] = 0.0
    for qq in range(first, pp):
        if diag[qq] == diag[pp]:
            return
    many = False
    for qq in range(pp + 1, last):
        many = many or diag[qq] == diag[pp]
    size = c.z[:N]
    for k in range(N):
        size[k] = 0.0
    for qq in range(pp, last if many else pp + 1):
        if diag[qq] != diag[pp]:
            continue
        q = slots[qq]
        on = slot_body[q]
        if on == b:
            for k in range(6):
                e[k] += G[q, k]
                size[k] += abs(G[q, k])
            continue
        node = node_of(c.nodes, on)
        for i in range(MOVES):
            x = G[q, i]
            if x != 0.0:
                J = c.nodes.J[node, i, :N]
                for k in range(N):
                    w = J[k] * x
                    e[k] += w
                    size[k] += abs(w)
    for k in range(N):
        if not abs(e[k]) > NOTHING * size[k]:
            e[k] = 0.0


@jit
def _enter_product(dest, diag, qq, pp, t, v, Lx, D):
    """The product v of slots qq and pp goes to its position, the t-th off the diagonal; returns the place of the
    next."""
    if qq == pp:
        D[diag[pp]] += v
        return t
    if diag[qq] != diag[pp]:
        Lx[dest[t]] += v
    return t + 1


@jit
def products(c, bodies, slot_body, ptr, slots, G, dest, diag, Lx, D):
    """Lx, D += products of the slots of carriers and their nodes in G M^-1 G^T, at the places of
    `mass.fill_products`."""
    t = 0
    body = 0
    E = c.E
    for g in range(c.body.shape[0]):
        b = c.body[g]
        while body < b:
            k = int(ptr[body + 1]) - int(ptr[body])
            t += k * (k - 1) // 2
            body += 1
        N = 6 + c.ptr[g + 1] - c.ptr[g]
        z = c.kept[g]
        first = np.int64(ptr[b])
        last = np.int64(ptr[b + 1])
        for pp in range(first, last):
            _expand(c, b, slot_body, slots, G, diag, first, last, pp, N)
        for pp in range(first, last):
            e = E[pp - first]
            for k in range(N):
                z[k] = e[k]
            _solve(c, g, bodies, N, z)
            # four rows at a time: a sum in its order waits for each of its terms
            qq = first
            while qq + 3 <= pp:
                e0 = E[qq - first, :N]
                e1 = E[qq - first + 1, :N]
                e2 = E[qq - first + 2, :N]
                e3 = E[qq - first + 3, :N]
                v0 = 0.0
                v1 = 0.0
                v2 = 0.0
                v3 = 0.0
                for k in range(N):
                    x = z[k]
                    v0 += x * e0[k]
                    v1 += x * e1[k]
                    v2 += x * e2[k]
                    v3 += x * e3[k]
                t = _enter_product(dest, diag, qq, pp, t, v0, Lx, D)
                t = _enter_product(dest, diag, qq + 1, pp, t, v1, Lx, D)
                t = _enter_product(dest, diag, qq + 2, pp, t, v2, Lx, D)
                t = _enter_product(dest, diag, qq + 3, pp, t, v3, Lx, D)
                qq += 4
            while qq <= pp:
                v = 0.0
                for k in range(N):
                    v += z[k] * E[qq - first, k]
                t = _enter_product(dest, diag, qq, pp, t, v, Lx, D)
                qq += 1
        body = b + 1


# ---- forces ----------------------------------------------------------------------------------------------------------
@jit
def _motion(c, g, k, bodies, y):
    """Of mass k of carrier g: position and line in its axes, W, s, s'."""
    lo = c.ptr[g]
    q = STATE * (bodies.n + 1) + c.at[g] + k
    s = y[q]
    v = y[q + bodies.tail]
    o = STATE * c.body[g] + 10
    e0 = c.axis[lo + k, 0]
    e1 = c.axis[lo + k, 1]
    e2 = c.axis[lo + k, 2]
    return (
        c.base[lo + k, 0] + s * e0,
        c.base[lo + k, 1] + s * e1,
        c.base[lo + k, 2] + s * e2,
        e0,
        e1,
        e2,
        y[o],
        y[o + 1],
        y[o + 2],
        s,
        v,
    )


@jit
def _pull(c, g, k, bodies, y, gravity):
    """m_k (g - b_k) in the axes of the carrier; ``gravity`` 1 or 0: whether g counts."""
    p0, p1, p2, e0, e1, e2, w0, w1, w2, s, v = _motion(c, g, k, bodies, y)
    m = c.mass[c.ptr[g] + k]
    g0, g1, g2 = unrotate(c.A, g, gravity * bodies.gravity[0], gravity * bodies.gravity[1], gravity * bodies.gravity[2])
    x0, x1, x2 = cross(w0, w1, w2, p0, p1, p2)
    b0, b1, b2 = cross(w0, w1, w2, x0 + 2.0 * v * e0, x1 + 2.0 * v * e1, x2 + 2.0 * v * e2)
    return m * (g0 - b0), m * (g1 - b1), m * (g2 - b2)


@jit
def forces(c, bodies, y, F):
    """F += what masses and their springs do to their carriers, `prepare` at y."""
    for g in range(c.body.shape[0]):
        lo, count = _ends(c, g)
        o = MOVES * c.body[g]
        q = MOVES * (bodies.n + 1) + c.at[g]
        r = STATE * (bodies.n + 1) + c.at[g]
        for k in range(count):
            F[q + k] -= c.stiffness[lo + k] * (y[r + k] - c.length[lo + k]) + c.damping[lo + k] * y[r + bodies.tail + k]
        mode_forces(c.modes, g, y, r + bodies.tail, STATE * c.body[g] + 10, F, q, o)
        for k in range(c.masses[g]):
            p0, p1, p2, e0, e1, e2, w0, w1, w2, s, v = _motion(c, g, k, bodies, y)
            f0, f1, f2 = _pull(c, g, k, bodies, y, 1.0)
            x0, x1, x2 = rotate(c.A, g, f0, f1, f2)
            F[o] += x0
            F[o + 1] += x1
            F[o + 2] += x2
            x0, x1, x2 = cross(p0, p1, p2, f0, f1, f2)
            F[o + 3] += x0
            F[o + 4] += x1
            F[o + 5] += x2
            F[q + k] += e0 * f0 + e1 * f1 + e2 * f2


@jit
def _enter(c, g, D, col, row, force, torque, axis):
    """D[:, col] -= derivative of the generalised force of a mass: f of its force (axes of the body), l of its moment;
    ``row``: of its coordinate."""
    f0, f1, f2 = force
    l0, l1, l2 = torque
    e0, e1, e2 = axis
    x0, x1, x2 = rotate(c.A, g, f0, f1, f2)
    D[0, col] -= x0
    D[1, col] -= x1
    D[2, col] -= x2
    D[3, col] -= l0
    D[4, col] -= l1
    D[5, col] -= l2
    D[row, col] -= e0 * f0 + e1 * f1 + e2 * f2


@jit
def _scatter(c, g, N, local, scale, data):
    """data += scale * local, at the places of carrier g."""
    lo, count = _ends(c, g)
    wide = MOVES * (1 + (count + MOVES - 1) // MOVES)
    p = c.pptr[g]
    for i in range(N):
        for j in range(N):
            data[c.places[p + wide * i + j]] += scale * local[i, j]


@jit
def _clear(D, N):
    for i in range(N):
        for j in range(N):
            D[i, j] = 0.0


@jit
def stiffness(c, bodies, y, K, C):
    """K -= dF/dq, C -= dF/du of `forces`."""
    for g in range(c.body.shape[0]):
        lo, count = _ends(c, g)
        N = 6 + count
        KL = c.KL
        CL = c.CL
        _clear(KL, N)
        _clear(CL, N)
        for k in range(count):
            KL[6 + k, 6 + k] += c.stiffness[lo + k]
            CL[6 + k, 6 + k] += c.damping[lo + k]
        mode_stiffness(c.modes, g, y, STATE * (bodies.n + 1) + c.at[g] + bodies.tail, STATE * c.body[g] + 10, KL, CL)
        for k in range(c.masses[g]):
            p0, p1, p2, e0, e1, e2, w0, w1, w2, s, v = _motion(c, g, k, bodies, y)
            m = c.mass[lo + k]
            f0, f1, f2 = _pull(c, g, k, bodies, y, 1.0)
            h0, h1, h2 = _pull(c, g, k, bodies, y, 0.0)  # -m b
            g0 = f0 - h0
            g1 = f1 - h1
            g2 = f2 - h2
            x0, x1, x2 = cross(w0, w1, w2, p0, p1, p2)
            row = 6 + k
            for a in range(3):
                t0 = 1.0 if a == 0 else 0.0
                t1 = 1.0 if a == 1 else 0.0
                t2 = 1.0 if a == 2 else 0.0
                # the body turns by t: weights turn the other way in its axes, and what they do to r turns with it
                d0, d1, d2 = cross(g0, g1, g2, t0, t1, t2)
                l0, l1, l2 = cross(p0, p1, p2, d0, d1, d2)
                _enter(c, g, KL, 3 + a, row, (d0, d1, d2), (l0, l1, l2), (e0, e1, e2))
                q0, q1, q2 = cross(t0, t1, t2, f0, f1, f2)
                q0, q1, q2 = rotate(c.A, g, q0, q1, q2)
                KL[0, 3 + a] -= q0
                KL[1, 3 + a] -= q1
                KL[2, 3 + a] -= q2
                # W changes by t
                y0, y1, y2 = cross(t0, t1, t2, p0, p1, p2)
                d0, d1, d2 = cross(w0, w1, w2, y0, y1, y2)
                z0, z1, z2 = cross(t0, t1, t2, x0 + 2.0 * v * e0, x1 + 2.0 * v * e1, x2 + 2.0 * v * e2)
                d0 = -m * (d0 + z0)
                d1 = -m * (d1 + z1)
                d2 = -m * (d2 + z2)
                l0, l1, l2 = cross(p0, p1, p2, d0, d1, d2)
                _enter(c, g, CL, 3 + a, row, (d0, d1, d2), (l0, l1, l2), (e0, e1, e2))
            y0, y1, y2 = cross(w0, w1, w2, e0, e1, e2)
            d0, d1, d2 = cross(w0, w1, w2, y0, y1, y2)
            d0 *= -m
            d1 *= -m
            d2 *= -m
            l0, l1, l2 = cross(p0, p1, p2, d0, d1, d2)
            z0, z1, z2 = cross(e0, e1, e2, f0, f1, f2)
            _enter(c, g, KL, row, row, (d0, d1, d2), (l0 + z0, l1 + z1, l2 + z2), (e0, e1, e2))
            d0 = -2.0 * m * y0
            d1 = -2.0 * m * y1
            d2 = -2.0 * m * y2
            l0, l1, l2 = cross(p0, p1, p2, d0, d1, d2)
            _enter(c, g, CL, row, row, (d0, d1, d2), (l0, l1, l2), (e0, e1, e2))
        _scatter(c, g, N, KL, 1.0, K)
        _scatter(c, g, N, CL, 1.0, C)


@jit
def mass_entries(c, bodies, scale, convected, bent, y, acc, data):
    """data += M (scale + convected [W]) + bent d(M acc)/dq, `prepare` at y; [W] acts on rotations."""
    for g in range(c.body.shape[0]):
        lo, count = _ends(c, g)
        N = 6 + count
        o = c.mptr[g]
        b = MOVES * c.body[g]
        KL = c.KL
        CL = c.CL
        _clear(KL, N)
        _clear(CL, N)
        v = STATE * c.body[g] + 10
        w0 = y[v]
        w1 = y[v + 1]
        w2 = y[v + 2]
        for j in range(N):
            for i in range(6):
                c.z[i] = c.M[o + N * i + j]
            for i in range(6, N):
                c.z[i] = c.M[o + N * j + i] if j < 6 else (c.mass[lo + i - 6] if i == j else 0.0)
            x0, x1, x2 = rotate(c.A, g, c.z[0], c.z[1], c.z[2])
            if j >= 3:
                KL[0, j] = x0
                KL[1, j] = x1
                KL[2, j] = x2
                for i in range(3, N):
                    KL[i, j] = c.z[i]
            else:  # translations in ground: A M_rr A^T is a multiple of one, the others turn back
                KL[j, j] = c.M[o]
                for i in range(3, N):
                    m0, m1, m2 = rotate(c.A, g, c.M[o + N * 0 + i], c.M[o + N * 1 + i], c.M[o + N * 2 + i])
                    KL[i, j] = m0 if j == 0 else (m1 if j == 1 else m2)
        for i in range(N):
            CL[i, 3] = KL[i, 4] * w2 - KL[i, 5] * w1
            CL[i, 4] = KL[i, 5] * w0 - KL[i, 3] * w2
            CL[i, 5] = KL[i, 3] * w1 - KL[i, 4] * w0
        _scatter(c, g, N, KL, scale, data)
        _scatter(c, g, N, CL, convected, data)
        _clear(KL, N)
        r0, r1, r2 = unrotate(c.A, g, acc[b], acc[b + 1], acc[b + 2])
        t0 = acc[b + 3]
        t1 = acc[b + 4]
        t2 = acc[b + 5]
        q = MOVES * (bodies.n + 1) + c.at[g]
        enter_bent_mass(c.modes, g, acc, b, q, KL)
        for k in range(c.masses[g]):
            p0, p1, p2, e0, e1, e2, u0, u1, u2, s, rate = _motion(c, g, k, bodies, y)
            m = -c.mass[lo + k]  # `_enter` takes away
            z = acc[q + k]
            x0, x1, x2 = cross(t0, t1, t2, p0, p1, p2)
            a0 = r0 + x0 + e0 * z
            a1 = r1 + x1 + e1 * z
            a2 = r2 + x2 + e2 * z
            row = 6 + k
            for a in range(3):
                d0 = 1.0 if a == 0 else 0.0
                d1 = 1.0 if a == 1 else 0.0
                d2 = 1.0 if a == 2 else 0.0
                f0, f1, f2 = cross(r0, r1, r2, d0, d1, d2)
                l0, l1, l2 = cross(p0, p1, p2, f0, f1, f2)
                _enter(c, g, KL, 3 + a, row, (m * f0, m * f1, m * f2), (m * l0, m * l1, m * l2), (e0, e1, e2))
                f0, f1, f2 = cross(d0, d1, d2, a0, a1, a2)
                f0, f1, f2 = rotate(c.A, g, f0, f1, f2)
                KL[0, 3 + a] -= m * f0
                KL[1, 3 + a] -= m * f1
                KL[2, 3 + a] -= m * f2
            f0, f1, f2 = cross(t0, t1, t2, e0, e1, e2)
            l0, l1, l2 = cross(p0, p1, p2, f0, f1, f2)
            x0, x1, x2 = cross(e0, e1, e2, a0, a1, a2)
            _enter(
                c,
                g,
                KL,
                row,
                row,
                (m * f0, m * f1, m * f2),
                (m * (l0 + x0), m * (l1 + x1), m * (l2 + x2)),
                (e0, e1, e2),
            )
        _scatter(c, g, N, KL, bent, data)


@jit
def energies(c, bodies, y):
    """Kinetic energy of masses and modes, of gravity on masses, and stored in springs; A of the last `prepare`."""
    kinetic = 0.0
    gravity = 0.0
    stored = 0.0
    for g in range(c.body.shape[0]):
        lo, count = _ends(c, g)
        o = STATE * c.body[g]
        r = STATE * (bodies.n + 1) + c.at[g]
        for k in range(count):
            stored += 0.5 * c.stiffness[lo + k] * (y[r + k] - c.length[lo + k]) ** 2
        kinetic += mode_kinetic(c.modes, g, y, r, r + bodies.tail, o + 10)
        for k in range(c.masses[g]):
            p0, p1, p2, e0, e1, e2, w0, w1, w2, s, v = _motion(c, g, k, bodies, y)
            m = c.mass[lo + k]
            x0, x1, x2 = cross(w0, w1, w2, p0, p1, p2)
            x0, x1, x2 = rotate(c.A, g, x0 + v * e0, x1 + v * e1, x2 + v * e2)
            kinetic += 0.5 * m * ((y[o + 7] + x0) ** 2 + (y[o + 8] + x1) ** 2 + (y[o + 9] + x2) ** 2)
            x0, x1, x2 = rotate(c.A, g, p0, p1, p2)
            gravity -= m * (
                bodies.gravity[0] * (y[o] + x0)
                + bodies.gravity[1] * (y[o + 1] + x1)
                + bodies.gravity[2] * (y[o + 2] + x2)
            )
    return kinetic, gravity, stored


@jit
def damped(c, bodies, y):
    """Power of the dampers of masses and modes."""
    out = 0.0
    for g in range(c.body.shape[0]):
        lo, count = _ends(c, g)
        q = STATE * (bodies.n + 1) + c.at[g] + bodies.tail
        for k in range(count):
            out -= c.damping[lo + k] * y[q + k] ** 2
    return out


@jit
def momenta(c, bodies, y, out):
    """Momentum of masses and modes added to out[0:3], out[3:6], and what inertia of them is in the forces of their
    carriers taken out of out[6:12] (`momentum`)."""
    for g in range(c.body.shape[0]):
        lo, count = _ends(c, g)
        o = STATE * c.body[g]
        r = STATE * (bodies.n + 1) + c.at[g]
        h0, h1, h2, t0, t1, t2 = mode_momentum(c.modes, g, y, r, r + bodies.tail, o + 10)
        h0, h1, h2 = rotate(c.A, g, h0, h1, h2)
        t0, t1, t2 = rotate(c.A, g, t0, t1, t2)
        out[3] += h0
        out[4] += h1
        out[5] += h2
        out[9] -= t0
        out[10] -= t1
        out[11] -= t2
        for k in range(c.masses[g]):
            p0, p1, p2, e0, e1, e2, w0, w1, w2, s, v = _motion(c, g, k, bodies, y)
            m = c.mass[lo + k]
            x0, x1, x2 = cross(w0, w1, w2, p0, p1, p2)
            x0, x1, x2 = rotate(c.A, g, x0 + v * e0, x1 + v * e1, x2 + v * e2)
            p0, p1, p2 = rotate(c.A, g, p0, p1, p2)
            p0 += y[o]
            p1 += y[o + 1]
            p2 += y[o + 2]
            h0 = m * (y[o + 7] + x0)
            h1 = m * (y[o + 8] + x1)
            h2 = m * (y[o + 9] + x2)
            out[0] += h0
            out[1] += h1
            out[2] += h2
            l0, l1, l2 = cross(p0, p1, p2, h0, h1, h2)
            out[3] += l0
            out[4] += l1
            out[5] += l2
            h0, h1, h2 = _pull(c, g, k, bodies, y, 0.0)
            h0, h1, h2 = rotate(c.A, g, h0, h1, h2)
            out[6] -= h0
            out[7] -= h1
            out[8] -= h2
            l0, l1, l2 = cross(p0, p1, p2, h0, h1, h2)
            out[9] -= l0
            out[10] -= l1
            out[11] -= l2
