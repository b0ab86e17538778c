"""What every solver starts from: islands, local blocks, velocities before impulses, and the residual that all are
judged by."""

from __future__ import annotations

from math import sqrt

from ..._jit import jit
from ...elements.bodies.pair_rows import add_sizes, add_speed, moves, push, row_product, set_velocities
from .local import factor

LEAST = 1e-6  # of the speeds that a relative speed is made of: residuals are measured against no less


@jit
def root(parent, b):
    while parent[b] != b:
        parent[b] = parent[parent[b]]
        b = parent[b]
    return b


@jit
def group(tag, first, n, groups, order, start):
    """Items 0..n-1 by group to ``order`` and ``start``, in their own order within (a counting sort): tag[first + k] is
    -1 - the group of item k, or not negative where it has none."""
    for s in range(groups + 1):
        start[s] = 0
    for k in range(n):
        if tag[first + k] < 0:
            start[-tag[first + k]] += 1  # of the group behind: the sums are then where groups begin
    for s in range(groups):
        start[s + 1] += start[s]
    for k in range(n):
        if tag[first + k] < 0:
            s = -1 - tag[first + k]
            order[start[s]] = k
            start[s] += 1
    for s in range(groups, 0, -1):
        start[s] = start[s - 1]
    start[0] = 0


@jit
def sort_islands(P, n, nodes):
    """Contacts by island to order and start; returns the number of islands.  parent[:nodes] are trees, parent[nodes +
    k] the root of contact k.  Islands come in the order of their first contact, contacts in their own: the same input,
    the same order."""
    parent = P.parent
    islands = 0
    for k in range(n):
        tree = parent[nodes + k]
        if parent[tree] >= 0:  # a root keeps the number of its island as -1 - number
            islands += 1
            parent[tree] = -islands
        parent[nodes + k] = parent[tree]
    group(parent, nodes, n, islands, P.order, P.start)
    return islands


@jit
def join(parent, i, j):
    """Join the trees of i and j; the smaller number is the root."""
    i = root(parent, i)
    j = root(parent, j)
    if i < j:
        parent[j] = i
    else:
        parent[i] = j


@jit
def find_islands(P):
    """Islands of contacts joined by moving bodies (union-find); ground does not join.  Returns their number."""
    n = P.count[0]
    nodes = len(P.Minv)
    parent = P.parent
    for b in range(nodes):
        parent[b] = b
    for k in range(n):
        if moves(P.Minv, P.body[k, 0]) and moves(P.Minv, P.body[k, 1]):
            join(parent, P.body[k, 0], P.body[k, 1])
    for b in range(nodes):
        parent[b] = parent[parent[b]]  # the parent of the parent is its root by now: roots have the smallest number
    for k in range(n):
        parent[nodes + k] = parent[P.body[k, 0] if moves(P.Minv, P.body[k, 0]) else P.body[k, 1]]
    islands = sort_islands(P, n, nodes)
    for b in range(nodes):  # parents have smaller numbers: theirs are islands by now, where there is one
        p = parent[b]
        if p >= 0 and parent[p] < 0:
            parent[b] = parent[p]
    group(parent, 0, nodes, islands, P.bodies, P.begin)
    return islands


@jit(entry="Problem")
def velocities(P):
    """z = H u + q."""
    d = P.H.shape[1]
    for k in range(P.count[0]):
        for e in range(d):
            P.z[k, e] = add_speed(P.H, k, e, P.body[k, 0], P.body[k, 1], P.u, P.q[k, e])


@jit
def apply(P):
    """u += M^-1 H^T r."""
    d = P.H.shape[1]
    for k in range(P.count[0]):
        for e in range(d):
            r = P.r[k, e]
            if r != 0.0:
                push(P.Minv, P.H, k, e, P.body[k, 0], P.body[k, 1], r, P.u)


@jit(entry="Problem, float64[:, ::1]")
def impulses_once(P, free):
    """u and z from the velocities ``free`` (nb+1, 6) without impulses and r, in one sum: what thousands of updates have
    left of rounding is gone, and every impulse gives its bodies opposite momenta to the last digits."""
    set_velocities(free, P.u)
    apply(P)
    velocities(P)


@jit
def scales(P, islands):
    """scale of each island from z before impulses: the largest speed of normals and slip, and no less than `LEAST` of
    the speeds whose sums these are, of which less than that is rounding (a body that rolls with 10 m/s has relative
    speeds of 1e-15).  Where nothing moves: r = 0."""
    d = P.H.shape[1]
    for s in range(islands):
        top = 0.0
        size = 0.0
        for m in range(P.start[s], P.start[s + 1]):
            k = P.order[m]
            v = P.z[k, 0] * P.z[k, 0]
            if d > 1:
                v += P.z[k, 1] * P.z[k, 1] + P.z[k, 2] * P.z[k, 2]
            top = max(top, v)
            for e in range(min(d, 3)):
                size = max(size, add_sizes(P.H, k, e, P.body[k, 0], P.body[k, 1], P.u, abs(P.q[k, e])))
        P.scale[s] = max(sqrt(top), LEAST * size)
        if top == 0.0:
            for m in range(P.start[s], P.start[s + 1]):
                P.r[P.order[m], 0] = 0.0
    for k in range(P.count[0]):  # an impulse that pulls, is not a number or cannot act is no start
        if not P.r[k, 0] > 0.0 or not P.local[k, 0] > 0.0:
            for e in range(d):
                P.r[k, e] = 0.0


@jit
def factor_all(P, D):
    """The local blocks from H and Minv; D (d, d) is work."""
    d = P.H.shape[1]
    for k in range(P.count[0]):
        i = P.body[k, 0]
        j = P.body[k, 1]
        for e in range(d):
            for f in range(e + 1):
                v = row_product(P.Minv, P.H, k, e, f, i, j)
                D[e, f] = v
                D[f, e] = v
        factor(P.local, k, d, D)


@jit(entry="Problem, float64[:, ::1]")
def prepare(P, D):
    """Before a solver in body space.  Returns the number of islands; r is the start and u its velocities."""
    islands = find_islands(P)
    factor_all(P, D)
    velocities(P)
    scales(P, islands)
    apply(P)
    return islands


@jit
def _outside(v1, v2, r1, r2, rho, bound):
    """Speed by which a tangential impulse misses its law: |r - projection on the disk of (r - rho v)| / rho."""
    if not rho > 0.0:
        return 0.0
    x = r1 - rho * v1
    y = r2 - rho * v2
    size = sqrt(x * x + y * y)
    if size > bound:
        x *= bound / size
        y *= bound / size
    x -= r1
    y -= r2
    return sqrt(x * x + y * y) / rho


@jit(entry="Problem, int64, int64")
def error(P, first, last):
    """Largest speed by which contacts order[first:last] miss their law at z and r: the function of Alart & Curnier
    (1991),

        e_n = r_n - max(0, r_n - rho_n z_n),    e_t = r_t - proj(r_t - rho_t z_t; |.| <= mu max(0, r_n - rho_n z_n)),

    with rho the inverse of the local Delassus block (W_nn, the mean of W_tt), divided by rho; spin and roll likewise,
    times their arm.  Zero at solutions only."""
    d = P.H.shape[1]
    top = 0.0
    for m in range(first, last):
        k = P.order[m]
        w = P.local[k, 0]
        if not w > 0.0:
            continue
        n = P.r[k, 0] - P.z[k, 0] / w
        if n < 0.0:
            n = 0.0
        v = abs(P.r[k, 0] - n) * w
        if v > top or v != v:  # what is not a number stays
            top = v
        if d >= 3 and P.local[k, 7] > 0.0:
            v = _outside(P.z[k, 1], P.z[k, 2], P.r[k, 1], P.r[k, 2], 1.0 / P.local[k, 7], P.mu[k, 0] * n)
            if v > top or v != v:
                top = v
        if d == 6:
            arm = P.mu[k, 1]
            if arm > 0.0 and P.local[k, 8] > 0.0:
                v = arm * _outside(P.z[k, 3], 0.0, P.r[k, 3], 0.0, 1.0 / P.local[k, 8], arm * n)
                if v > top or v != v:
                    top = v
            arm = P.mu[k, 2]
            w = 0.5 * (P.local[k, 11] + P.local[k, 12])
            if arm > 0.0 and w > 0.0:
                v = arm * _outside(P.z[k, 4], P.z[k, 5], P.r[k, 4], P.r[k, 5], 1.0 / w, arm * n)
                if v > top or v != v:
                    top = v
    return top


@jit(entry="Problem, int64, int64, float64")
def worst(P, begin, end, absolute):
    """Largest error of the islands from `begin` to before `end`, relative to their speeds; errors below `absolute`
    count as none."""
    top = 0.0
    for s in range(begin, end):
        v = error(P, P.start[s], P.start[s + 1])
        if v <= absolute:
            continue
        v = v / P.scale[s] if P.scale[s] > 0.0 else v
        if v > top or v != v:
            top = v
    return top
