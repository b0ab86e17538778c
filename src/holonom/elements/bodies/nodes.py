"""Nodes: bodies without mass that follow the coordinates of another body, so that joints, forces and contacts act on
these.

A node k has a position in the state as every body has (`layout`), and none of its own unknowns: with q the coordinates
of its carrier, those of the tail among them, N in all, and u their rates,

    position and attitude   X_k(q)                       its moves are  J_k dq,  J_k (6, N): translation in ground,
        rotation in axes of the node
    velocity             J_k u                        its change with q at fixed u is  V_k dq
    acceleration         J_k u' + b_k
    force F_k on it      J_k^T F_k on q               of which the change with q at fixed F_k is  H_k dq

Whoever acts on a body acts on a node as well: elements, rows and contacts know no difference.  What they leave among
forces, in rows and in the iteration matrix is brought here to the coordinates of the carrier (elimination of dependent
coordinates: Wittenburg, Dynamics of Multibody Systems
(2008), ch. 5; in finite elements a master-slave transformation).  In the state nodes are written again at each
evaluation (`place`).

A kind of carrier fills J, V, b and H, and positions its nodes; all else is here.  A node of a mesh (`absolute`), which
has no rigid carrier, follows a window of
coordinates: q are then those of the tail from the first of its window on, and N is how many that has.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..._jit import jit
from ..vectors import cross, rotate
from .layout import MOVES

Nodes = namedtuple("Nodes", "body index carrier which count J V bias F H run src row col at target")
Nodes.__doc__ = """k nodes, those of carriers first.  body (k,): their bodies; index (bodies,): the other way, -1 of
bodies that are none; of those of carriers carrier: index of these, and which: which of the coordinates of the tail
moves it; count (k,): N; J, V (k, 6, most), bias (k, 6): see above; F (k, 6): forces on them, as `condense` found them;
H (most, most), run (2, most) work. Entries of the iteration matrix in rows or columns of nodes, which its linear system
does not have: src (e,) position; row, col (e,): 6 k + c of node k, -1 of what is not a node; at (e,): first of the
positions in target (..) to which the entry is added."""


def make_nodes(bodies: int, body, carrier, which, count, most: int) -> Nodes:
    """Table of nodes among so many ``bodies``; ``carrier`` and ``which`` of the first of them; ``most``: coordinates of
    the largest carrier."""
    i = lambda a: np.ascontiguousarray(a, np.int64)
    z = np.zeros
    k = len(body)
    none = np.zeros(0, np.int64)
    index = np.full(bodies, -1, np.int64)
    index[i(body)] = np.arange(k)
    return Nodes(
        i(body),
        index,
        i(carrier),
        i(which),
        i(count),
        z((k, MOVES, most)),
        z((k, MOVES, most)),
        z((k, MOVES)),
        z((k, MOVES)),
        z((most, most)),
        z((2, most)),
        none,
        none,
        none,
        none,
        none,
    )


@jit
def put_point(A, g, y, o, n, p0, p1, p2, d0, d1, d2):
    """Position and velocity in the state y[n:] of a node at p that moves with d, both in the axes A[g] of the body
    whose state is y[o:]."""
    x0, x1, x2 = cross(y[o + 10], y[o + 11], y[o + 12], p0, p1, p2)
    x0, x1, x2 = rotate(A, g, x0 + d0, x1 + d1, x2 + d2)
    p0, p1, p2 = rotate(A, g, p0, p1, p2)
    y[n] = y[o] + p0
    y[n + 1] = y[o + 1] + p1
    y[n + 2] = y[o + 2] + p2
    y[n + 7] = y[o + 7] + x0
    y[n + 8] = y[o + 8] + x1
    y[n + 9] = y[o + 9] + x2


# ---- forces and velocities -------------------------------------------------------------------------------------------
@jit
def add_forces(nodes, g, N, F, z):
    """z (N) += J^T F of the nodes of carrier g."""
    for k in range(nodes.which.shape[0]):
        if nodes.carrier[k] == g:
            add_force(nodes, k, N, F, MOVES * nodes.body[k], z)


@jit
def add_force(nodes, k, N, f, o, z):
    """z (N) += J^T f[o:] of node k."""
    for c in range(MOVES):
        J = nodes.J[k, c, :N]
        x = f[o + c]
        if x != 0.0:
            for i in range(N):
                z[i] += J[i] * x


@jit
def follow(nodes, g, N, z, u, add):
    """u of the nodes of carrier g <- J z, or added to it."""
    for k in range(nodes.which.shape[0]):
        if nodes.carrier[k] == g:
            J = nodes.J[k]
            o = MOVES * nodes.body[k]
            # six sums at a time: one by itself waits for each of its terms
            v0 = J[0, 0] * z[0]
            v1 = J[1, 0] * z[0]
            v2 = J[2, 0] * z[0]
            v3 = J[3, 0] * z[0]
            v4 = J[4, 0] * z[0]
            v5 = J[5, 0] * z[0]
            for i in range(1, N):
                x = z[i]
                v0 += J[0, i] * x
                v1 += J[1, i] * x
                v2 += J[2, i] * x
                v3 += J[3, i] * x
                v4 += J[4, i] * x
                v5 += J[5, i] * x
            if not add:
                for c in range(MOVES):
                    u[o + c] = 0.0
            u[o] += v0
            u[o + 1] += v1
            u[o + 2] += v2
            u[o + 3] += v3
            u[o + 4] += v4
            u[o + 5] += v5


@jit
def node_of(nodes, b):
    """Index of the node that body b is, -1 for none."""
    return nodes.index[b]


# ---- the iteration matrix --------------------------------------------------------------------------------------------
@jit
def _size(nodes, code):
    """How many coordinates an entry with the row or column ``code`` goes to."""
    if code < 0:
        return 1
    return nodes.count[code // MOVES]


@jit
def condense_matrix(nodes, K, C):
    """K, C, derivatives by positions and velocities, brought from nodes to coordinates."""
    e = 0
    size = nodes.src.shape[0]
    run = nodes.run
    while e < size:
        # entries of one column come one after the other, those of the rows of a node too: they are summed first
        r = nodes.row[e]
        s = nodes.col[e]
        rows = _size(nodes, r)
        cols = _size(nodes, s)
        at = nodes.at[e]
        end = e + 1
        if r >= 0:
            while end < size and nodes.col[end] == s and nodes.row[end] >= 0 and nodes.row[end] // MOVES == r // MOVES:
                # a column that is not a node's is reported by its targets
                if s < 0 and nodes.target[nodes.at[end]] != nodes.target[at]:
                    break
                end += 1
        for i in range(rows):
            run[0, i] = 0.0
            run[1, i] = 0.0
        some = False
        for q in range(e, end):
            p = nodes.src[q]
            k = K[p]
            c = C[p]
            if k == 0.0 and c == 0.0:
                continue
            some = True
            K[p] = 0.0
            C[p] = 0.0
            if r < 0:
                run[0, 0] += k
                run[1, 0] += c
            else:
                J = nodes.J[r // MOVES, nodes.row[q] % MOVES]
                for i in range(rows):
                    run[0, i] += k * J[i]
                    run[1, i] += c * J[i]
        e = end
        if not some:
            continue
        for i in range(rows):
            k = run[0, i]
            c = run[1, i]
            if k == 0.0 and c == 0.0:
                continue
            if s < 0:
                t = nodes.target[at + i]
                K[t] += k
                C[t] += c
                continue
            J = nodes.J[s // MOVES, s % MOVES]
            V = nodes.V[s // MOVES, s % MOVES]
            for j in range(cols):
                t = nodes.target[at + cols * i + j]
                K[t] += k * J[j] + c * V[j]
                C[t] += c * J[j]


@jit
def condense_rows(nodes, data):
    """Entries of gradients in ``data`` brought from nodes to coordinates."""
    for e in range(nodes.src.shape[0]):
        p = nodes.src[e]
        v = data[p]
        if v == 0.0:
            continue
        data[p] = 0.0
        r = nodes.row[e]
        s = nodes.col[e]
        rows = _size(nodes, r)
        cols = _size(nodes, s)
        at = nodes.at[e]
        for i in range(rows):
            a = 1.0 if r < 0 else nodes.J[r // MOVES, r % MOVES, i]
            for j in range(cols):
                m = 1.0 if s < 0 else nodes.J[s // MOVES, s % MOVES, j]
                data[nodes.target[at + cols * i + j]] += a * m * v
