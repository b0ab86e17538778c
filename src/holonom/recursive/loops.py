"""Constraints that a tree does not fulfil by itself: loops, motions, couplers, as rows of the system over the tree.

The rows G of all bodies are those of `elements.joints.rows`.  With the factor H = L^T L of `kernels.factor` each is
brought half way through the tree,  Y = L^-T (G B)^T  with the motions B of bodies, along the ways of its bodies to
ground.  Then  A = (G B) H^-1 (G B)^T = Y^T Y,  and multipliers follow from A by an envelope Cholesky factor.

Rows are independent or not at one point of a step, and the decision is kept in its stages: decided in each stage it
flickers near positions where rows become dependent, and the solution is lost.  A pivot is measured by the largest that
its row has had, since near such a position the whole row may shrink.
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

from .._jit import jit
from ..elements.vectors import cross, rotate
from .flexible import MEMBER, RIGID, half_member, half_modes
from .tree import Link

#: a row counts where its pivot is above this share of the largest diagonal that it has had
INDEPENDENT = 1e-6

Loops = namedtuple(
    "Loops", "row body moved bodies path freedoms freedom env place Y A D right lam act most p least z w"
)
Loops.__doc__ = """row (k,): number of each row in the system; body (slots,): body of the tree of each slot of rows, n
for ground; moved: bodies of these slots; bodies (k + 1,), path: bodies that a row moves, children first; freedoms
(k + 1,), freedom: their freedoms, last first; env (k,): first row with which a row shares freedoms; place (m,): work
for all rows of the system.  Y: half solved rows at ``freedom``; A (k, k) and D (k, k): A and its factor, with inverse
pivots; right, lam (k); act (k,): 1 where a row counts; most (k,): its largest diagonal; p (n + 1, 6): wrenches; least
(1,): smallest pivot as a share of that; z (nv), w (6): efforts on modes, and a wrench, of one row, work."""


def make_loops(system: Any, links: list[Link], tree: Any, rows: np.ndarray) -> Loops:
    """Tables of the rows (k,) of a system over its tree."""
    number = {link.body: i for i, link in enumerate(links)} | {system.nb: tree.n}
    body = np.array([number[int(b)] for b in system.slot_body], np.int64)
    parent = [int(p) for p in tree.parent]

    def up(i: int) -> list[int]:
        out = []
        while i != tree.n:
            out.append(i)
            i = parent[i]
        return out

    bodies, path, freedoms, freedom, env = [0], [], [0], [], []
    moved: list[set[int]] = []
    touched: set[int] = set()
    for r in rows:
        touched |= {int(b) for b in body[system.rp[r] : system.rp[r + 1]]}
        own = sorted({i for b in body[system.rp[r] : system.rp[r + 1]] for i in up(int(b))}, reverse=True)
        path += own
        bodies.append(len(path))
        mine = [k for i in own for k in range(tree.first[i + 1] - 1, tree.first[i] - 1, -1)]
        freedom += mine
        freedoms.append(len(freedom))
        moved.append(set(mine))
        env.append(next(s for s, other in enumerate(moved) if other & moved[-1] or other is moved[-1]))
    index = lambda values: np.array(values, np.int64).reshape(-1)
    k, z = len(rows), np.zeros
    return Loops(
        index(rows), body, index(sorted(touched - {tree.n})), index(bodies), index(path), index(freedoms),
        index(freedom), index(env), z(max(system.m, 1)), z(max(len(freedom), 1)), z((k, k)), z((k, k)), z(k), z(k),
        np.ones(k, np.int64), z(k), z((tree.n + 1, 6)), np.ones(1), z(tree.nv), z(6),
    )  # fmt: skip


@jit
def half_rows(S, T, V, N, G, R):
    """Y of all rows with gradients G; R: principal axes of the bodies."""
    P = N.p
    for j in range(N.row.shape[0]):
        r = N.row[j]
        for q in range(S.rows.rp[r], S.rows.rp[r + 1]):
            i = N.body[q]
            if i == T.n:
                continue
            c0, c1, c2 = rotate(V.R, i, T.com[i, 0], T.com[i, 1], T.com[i, 2])
            t0, t1, t2 = rotate(R, S.rows.slot_body[q], G[q, 3], G[q, 4], G[q, 5])
            h0, h1, h2 = cross(c0, c1, c2, G[q, 0], G[q, 1], G[q, 2])
            P[i, 0] += t0 + h0
            P[i, 1] += t1 + h1
            P[i, 2] += t2 + h2
            P[i, 3] += G[q, 0]
            P[i, 4] += G[q, 1]
            P[i, 5] += G[q, 2]
        at = N.freedoms[j]
        p0 = p1 = p2 = p3 = p4 = p5 = 0.0
        carried = -1
        for o in range(N.bodies[j], N.bodies[j + 1]):
            i = N.path[o]
            if i != carried and carried >= 0:  # another branch: what this one has come to waits at its body
                P[carried, 0] += p0
                P[carried, 1] += p1
                P[carried, 2] += p2
                P[carried, 3] += p3
                P[carried, 4] += p4
                P[carried, 5] += p5
                p0 = p1 = p2 = p3 = p4 = p5 = 0.0
            p0 += P[i, 0]
            p1 += P[i, 1]
            p2 += P[i, 2]
            p3 += P[i, 3]
            p4 += P[i, 4]
            p5 += P[i, 5]
            for l in range(6):
                P[i, l] = 0.0
            if T.role[i] != RIGID:
                w = N.w
                w[0], w[1], w[2], w[3], w[4], w[5] = p0, p1, p2, p3, p4, p5
                if T.role[i] == MEMBER:
                    half_member(T, V, w, N.z, i)
                else:
                    half_modes(T, V, w, N.z, N.Y, at, i)
                    at += T.first[i + 1] - T.last[i]
                    p0, p1, p2, p3, p4, p5 = w[0], w[1], w[2], w[3], w[4], w[5]
            for kk in range(T.last[i] - T.first[i]):
                k = T.last[i] - 1 - kk
                s = V.S
                z = s[k, 0] * p0 + s[k, 1] * p1 + s[k, 2] * p2
                if T.pure[k] == 0:
                    z += s[k, 3] * p3 + s[k, 4] * p4 + s[k, 5] * p5
                z *= V.r[k]
                N.Y[at] = z
                at += 1
                p0 -= V.U[k, 0] * z
                p1 -= V.U[k, 1] * z
                p2 -= V.U[k, 2] * z
                p3 -= V.U[k, 3] * z
                p4 -= V.U[k, 4] * z
                p5 -= V.U[k, 5] * z
            carried = T.parent[i]
            c0, c1, c2 = cross(V.d[i, 0], V.d[i, 1], V.d[i, 2], p3, p4, p5)
            p0 += c0
            p1 += c1
            p2 += c2


@jit
def gram(N):
    """A = Y^T Y, by merging the falling lists of freedoms of two rows."""
    f = N.freedom
    for j in range(N.row.shape[0]):
        for i in range(N.env[j], j + 1):
            a = N.freedoms[j]
            b = N.freedoms[i]
            end_a = N.freedoms[j + 1]
            end_b = N.freedoms[i + 1]
            t = 0.0
            while a < end_a and b < end_b:
                if f[a] == f[b]:
                    t += N.Y[a] * N.Y[b]
                    a += 1
                    b += 1
                elif f[a] > f[b]:
                    a += 1
                else:
                    b += 1
            N.A[j, i] = t


@jit
def factor_rows(N, decide):
    """Envelope Cholesky factor of A; ``decide``: which rows count, else those that did.  Returns the smallest pivot as
    a share of the largest diagonal of its row, and how many rows do not count."""
    least = 1.0
    skipped = 0
    D = N.D
    for j in range(N.row.shape[0]):
        first = N.env[j]
        N.most[j] = max(N.most[j], N.A[j, j])
        if not decide and N.act[j] == 0:
            skipped += 1
            continue
        for i in range(first, j):
            t = 0.0
            if N.act[i] == 1:
                t = N.A[j, i]
                for k in range(max(first, N.env[i]), i):
                    t -= D[j, k] * D[i, k]
                t *= D[i, i]
            D[j, i] = t
        t = N.A[j, j]
        for k in range(first, j):
            t -= D[j, k] * D[j, k]
        if decide:
            N.act[j] = 1 if t > INDEPENDENT * N.most[j] else 0
        if N.act[j] == 1:
            t = max(t, 1e-16 * N.most[j])
            least = min(least, t / N.most[j])
            D[j, j] = 1.0 / math.sqrt(t)
        else:
            skipped += 1
            for k in range(first, j):
                D[j, k] = 0.0
    N.least[0] = least
    return least, skipped


@jit
def solve_rows(N):
    """lam <- A^-1 right on the rows that count, zero on others."""
    D = N.D
    k = N.row.shape[0]
    for j in range(k):
        t = 0.0
        if N.act[j] == 1:
            t = N.right[j]
            for i in range(N.env[j], j):
                t -= D[j, i] * N.lam[i]
            t *= D[j, j]
        N.lam[j] = t
    for jj in range(k):
        j = k - 1 - jj
        if N.act[j] == 0:
            continue
        t = N.lam[j] * D[j, j]
        N.lam[j] = t
        for i in range(N.env[j], j):
            N.lam[i] -= D[j, i] * t


@jit
def push_rows(N, u):
    """u += Y lam."""
    for j in range(N.row.shape[0]):
        x = N.lam[j]
        if x != 0.0:
            for o in range(N.freedoms[j], N.freedoms[j + 1]):
                u[N.freedom[o]] += N.Y[o] * x


@jit
def pull_rows(N, u, j):
    """Y_j . u"""
    t = 0.0
    for o in range(N.freedoms[j], N.freedoms[j + 1]):
        t += N.Y[o] * u[N.freedom[o]]
    return t
