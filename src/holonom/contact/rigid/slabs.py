"""Gauss-Seidel on a large island in slabs: on any number of threads with the same bits.

Bodies are numbered by their distance from one at the edge of the island, in contacts (levels of a breadth-first search;
a contact joins bodies of one level or of two that follow each other).  Levels that follow each other make slabs of
about equal work.  Contacts inside slabs come first, all slabs at once; then those between a slab and the next, all at
once, since a slab is two levels thick at least. So no two threads ever touch one body, each sum is made by slabs, and
the order of all operations is that of the slabs: it depends on the island and not on who does the work.  What one
thread does with slabs costs what it does without.
"""

from __future__ import annotations

import math
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from math import inf

import numpy as np

from ..._atomic import fetch_add, load, meet
from ..._jit import jit
from ...elements.bodies.layout import MOVES, unknowns
from ...elements.bodies.mass import clear_moves
from ...elements.bodies.pair_rows import take_body
from .gauss_seidel import extrapolate, momentum, relative, sweep
from .prepare import error, group

LARGE = 4000  # contacts of an island that is cut
SLABS = 12  # slabs of an island at most
THICK = 2  # levels of a slab at least

_kept = threading.local()
_pool: ThreadPoolExecutor | None = None
_process = 0


@jit
def _levels(P, s, root, ptr, adj, level, queue):
    """Breadth-first search from a body of island s; returns how many bodies it met, in ``queue``."""
    for m in range(P.begin[s], P.begin[s + 1]):
        level[P.bodies[m]] = -1
    level[root] = 0
    queue[0] = root
    first = 0
    last = 1
    while first < last:
        b = queue[first]
        first += 1
        for q in range(ptr[b], ptr[b + 1]):
            k = adj[q]
            other = P.body[k, 0] + P.body[k, 1] - b
            if level[other] < 0:
                level[other] = level[b] + 1
                queue[last] = other
                last += 1
    return last


@jit(
    entry=("Problem, int64, int64, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1]")
)
def cut(P, s, most, ptr, adj, level, queue, tag, order, start):
    """Cuts island s: its contacts in P.order by slabs, then by the gaps between them, its bodies in P.bodies by slabs,
    each in the order in which they were; ``start`` (2 slabs) states where contacts begin, from P.start[s].  level:
    where a body is then in P.bodies, from P.begin[s]. Returns the number of slabs, 0 where the island is too compact.
    ptr, adj, queue, tag, order: work."""
    first = P.start[s]
    n = P.start[s + 1] - first
    nodes = len(P.Minv)
    mark = -1 - s
    for b in range(nodes + 1):
        ptr[b] = 0
    for m in range(first, first + n):
        i = P.body[P.order[m], 0]
        j = P.body[P.order[m], 1]
        if P.parent[i] == mark and P.parent[j] == mark and i != j:
            ptr[i] += 1
            ptr[j] += 1
    for b in range(1, nodes + 1):
        ptr[b] += ptr[b - 1]
    for m in range(first + n - 1, first - 1, -1):
        k = P.order[m]
        i = P.body[k, 0]
        j = P.body[k, 1]
        if P.parent[i] == mark and P.parent[j] == mark and i != j:
            ptr[i] -= 1
            adj[ptr[i]] = k
            ptr[j] -= 1
            adj[ptr[j]] = k
    met = _levels(P, s, P.bodies[P.begin[s]], ptr, adj, level, queue)
    met = _levels(P, s, queue[met - 1], ptr, adj, level, queue)
    levels = level[queue[met - 1]] + 1
    slabs = min(most, levels // THICK)
    if slabs < 2:
        return 0
    for v in range(levels):  # queue is free by now: first the work of levels, then their slabs
        queue[v] = 0
    for m in range(first, first + n):
        k = P.order[m]
        i = P.body[k, 0]
        j = P.body[k, 1]
        a = level[i] if P.parent[i] == mark else level[j]
        b = level[j] if P.parent[j] == mark else a
        tag[m - first] = min(a, b)
        queue[min(a, b)] += 1
    slab = 0
    thick = 0
    done = 0
    for v in range(levels):
        if thick >= THICK and slab < slabs - 1 and levels - v >= THICK and done * slabs >= (slab + 1) * n:
            slab += 1
            thick = 0
        done += queue[v]
        queue[v] = slab
        thick += 1
    slabs = slab + 1
    for m in range(n):
        k = P.order[first + m]
        i = P.body[k, 0]
        j = P.body[k, 1]
        a = queue[level[i] if P.parent[i] == mark else level[j]]
        b = queue[level[j]] if P.parent[j] == mark else a
        tag[m] = -1 - (a if a == b else slabs + min(a, b))
    group(tag, 0, n, 2 * slabs - 1, order, start)
    for m in range(n):
        tag[m] = P.order[first + order[m]]
    for m in range(n):
        P.order[first + m] = tag[m]
    begin = P.begin[s]
    bodies = P.begin[s + 1] - begin
    for m in range(bodies):
        tag[m] = -1 - queue[level[P.bodies[begin + m]]]
    group(tag, 0, bodies, slabs, order, ptr)
    for m in range(bodies):
        tag[m] = P.bodies[begin + order[m]]
    for m in range(bodies):
        P.bodies[begin + m] = tag[m]
        level[tag[m]] = m
    return slabs


@jit(entry="Problem, Problem, int64, int64[::1]")
def gather(P, Q, s, place):
    """Problem Q: island s alone, contacts and bodies in their present order; place: of each body there (`cut`)."""
    first = P.start[s]
    n = P.start[s + 1] - first
    nb = P.begin[s + 1] - P.begin[s]
    d = P.H.shape[1]
    mark = -1 - s
    Q.count[0] = n
    Q.start[0] = 0
    Q.start[1] = n
    Q.begin[0] = 0
    Q.begin[1] = nb
    for m in range(n):
        k = P.order[first + m]
        Q.order[m] = m
        for side in range(2):
            b = P.body[k, side]
            Q.body[m, side] = place[b] if P.parent[b] == mark else nb
        for e in range(d):
            for c in range(2 * MOVES):
                Q.H[m, e, c] = P.H[k, e, c]
            Q.q[m, e] = P.q[k, e]
            Q.r[m, e] = P.r[k, e]
            Q.r1[m, e] = 0.0
        for c in range(3):
            Q.mu[m, c] = P.mu[k, c]
        for c in range(P.local.shape[1]):
            Q.local[m, c] = P.local[k, c]
    for m in range(nb + 1):
        take_body(P.Minv, P.u, P.bodies[P.begin[s] + m] if m < nb else -1, Q.Minv, Q.u, m)
        Q.bodies[min(m, nb - 1)] = min(m, nb - 1)
    clear_moves(Q.u1)
    return n


@jit(entry="Problem, Problem, int64")
def scatter(P, Q, s):
    """Impulses of island s from Q."""
    for m in range(Q.start[1]):
        for e in range(P.r.shape[1]):
            P.r[P.order[P.start[s] + m], e] = Q.r[m, e]


@jit(nogil=True)
def _swept(P, start, bar, counter, begin, end, out):
    """Sweeps of slabs begin..end-1, whichever are still to be done."""
    while True:
        b = begin + fetch_add(bar, counter, 1)
        if b >= end:
            return
        out[b, 0], out[b, 1], out[b, 2] = sweep(P, start[b], start[b + 1])


@jit(nogil=True, entry="Problem, int64, int64[::1], int64[::1], float64[:, ::1], float64, int64, boolean, int64, int64")
def gauss_seidel_slabs(P, slabs, start, bar, out, goal, limit, accelerate, t, T):
    """`gauss_seidel` on a problem of one island in slabs, as thread t of T.  bar (40,): meetings and counters, zero;
    out (2 slabs, 3): sums. Returns the sweeps."""
    n = P.start[1]
    m0 = n * t // T  # what this thread extrapolates
    m1 = n * (t + 1) // T
    b0 = P.begin[1] * t // T
    b1 = P.begin[1] * (t + 1) // T
    gaps = 2 * slabs - 1
    if accelerate:
        extrapolate(P, m0, m1, b0, b1, 0.0)
    step = 1.0
    best = inf
    least = inf
    meet(bar, T)
    for it in range(limit):
        _swept(P, start, bar, 16, 0, slabs, out)
        meet(bar, T)
        _swept(P, start, bar, 24, slabs, gaps, out)
        meet(bar, T)
        change = 0.0
        back = 0.0
        size = 0.0
        for b in range(gaps):
            change = max(change, out[b, 0])
            back += out[b, 1]
            size += out[b, 2]
        if change <= goal or it == limit - 1:
            relative(P, m0, m1)
            meet(bar, T)  # sums are read, z is there
            out[t, 0] = error(P, m0, m1)
            meet(bar, T)
            worst = 0.0
            for b in range(T):
                if out[b, 0] > worst or out[b, 0] != out[b, 0]:  # what is not a number stays
                    worst = out[b, 0]
            if worst <= goal or it == limit - 1:
                return it + 1
        if accelerate:
            step, b, best, least = momentum(step, back, size, best, least)
            extrapolate(P, m0, m1, b0, b1, b)
        if t == 0:
            fetch_add(bar, 16, -load(bar, 16))
            fetch_add(bar, 24, -load(bar, 24))
        meet(bar, T)
    return limit


def solve_large(P, s: int, goal: float, limit: int, accelerate: bool, threads: int) -> int:
    """Impulses of island s by sweeps in slabs on so many threads; returns the sweeps, 0 where it cannot be cut.  Works
    on a copy of the island in the order of the sweeps: bodies of a slab stay in the cache, and what is in a row is read
    in a row."""
    n, nodes, nb = int(P.start[s + 1] - P.start[s]), len(P.Minv), int(P.begin[s + 1] - P.begin[s])
    most = max(n, nodes + 1)
    adj, level, queue, tag, order, ptr = _room(
        "search", np.int64, [(2 * n,), (nodes,), (most,), (most,), (most,), (nodes + 1,)]
    )
    start = np.zeros(2 * SLABS + 1, np.int64)
    slabs = cut(P, s, SLABS, ptr, adj, level, queue, tag, order, start)
    if not slabs:
        return 0
    d = P.H.shape[1]
    names = ("H", "q", "r", "r1", "z", "mu", "local", "Minv", "u", "u1")
    shapes = [(n, d, 2 * MOVES), *4 * [(n, d)], (n, 3), (n, P.local.shape[1]), (nb + 1, MOVES), *2 * [(unknowns(nb),)]]
    body, own, bodies = _room("numbers", np.int64, [(n, 2), (n,), (nb,)])
    Q = P._replace(
        **dict(zip(names, _room("island", np.float64, shapes))),
        count=np.zeros(1, np.int64),
        body=body,
        order=own,
        bodies=bodies,
        start=np.zeros(2, np.int64),
        begin=np.zeros(2, np.int64),
    )
    gather(P, Q, s, level)
    T = max(1, min(threads, slabs))
    rest = Q, slabs, start, np.zeros(40, np.int64), np.zeros((2 * slabs, 3)), goal, limit, accelerate
    if T == 1:
        sweeps = gauss_seidel_slabs(*rest, 0, 1)
    else:
        gauss_seidel_slabs.outer  # noqa: B018  made once, before the threads meet
        others = [_workers(T - 1).submit(gauss_seidel_slabs, *rest, t, T) for t in range(1, T)]
        sweeps = gauss_seidel_slabs(*rest, 0, T)
        for o in others:
            o.result()
    scatter(P, Q, s)
    return sweeps


def _room(name: str, dtype, shapes) -> list[np.ndarray]:
    """Arrays of these shapes, not cleared, in memory that this thread keeps from call to call: fresh pages cost more
    than the copy."""
    sizes = [math.prod(shape) for shape in shapes]
    flat = getattr(_kept, name, None)
    if flat is None or len(flat) < sum(sizes):
        flat = np.empty(sum(sizes) * 5 // 4, dtype)
        setattr(_kept, name, flat)
    ends = np.cumsum(sizes)
    return [flat[end - size : end].reshape(shape) for end, size, shape in zip(ends, sizes, shapes)]


def _workers(n: int) -> ThreadPoolExecutor:
    """A pool of this process: one that was forked off has none of its parent's threads."""
    global _pool, _process
    if _pool is None or _pool._max_workers < n or _process != os.getpid():
        _pool, _process = ThreadPoolExecutor(n, "contacts"), os.getpid()
    return _pool
