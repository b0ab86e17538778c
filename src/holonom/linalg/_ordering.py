"""Elimination orders: minimum degree on super-nodes, with the safe places of constraint rows.

Source: P. R. Amestoy, T. A. Davis, I. S. Duff, "An approximate minimum degree ordering algorithm", SIAM J. Matrix Anal.
Appl. 17 (1996): quotient graph, approximate external degree, absorption of elements.  Nodes are weighted by the number
of unknowns that they hold; indistinguishable nodes are not merged, since callers already give super-nodes.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .._jit import jit, small

#: unknowns and entries up to which a pattern is analysed in plain Python (`_jit.small`)
SMALL = 300, 3000
NOTHING = -3
GROUND = -1


@jit
def _root(up, b):
    while up[b] != b:
        up[b] = up[up[b]]
        b = up[b]
    return b


@jit
def _fixed_point(c, state, weight, up, attach, slack, after_ptr, after_node):
    """What the constraint c would leave its component attached to: (allowed, body or GROUND or NOTHING)."""
    lo = after_ptr[c]
    hi = after_ptr[c + 1]
    fixed = GROUND if hi == lo + 1 else NOTHING
    inside = False
    room = 0
    for t in range(lo, hi):
        b = after_node[t]
        f = b
        if b >= 0 and state[b] != 0:
            r = _root(up, b)
            f = attach[r]
            inside = True
            seen = False
            for s in range(lo, t):
                if after_node[s] >= 0 and state[after_node[s]] != 0 and _root(up, after_node[s]) == r:
                    seen = True
            if not seen:
                room += slack[r]
        if f != NOTHING:
            if fixed != NOTHING and fixed != f:
                return False, fixed
            fixed = f
    return inside and (fixed < 0 or room >= weight[c]), fixed


@jit(_nrt=True, entry="int64[::1], int64[::1], int64[::1], int64[::1], int64[::1]")
def minimum_degree(ptr, adj, weight, after_ptr, after_node):
    """Elimination order of the nodes of a symmetric graph.

    ptr (N+1), adj: neighbours of each node, each edge from both sides, no loops; weight (N): unknowns per node;
    after_ptr (N+1), after_node: for a constraint node the bodies that it acts on (-1: ground), empty for other nodes.

    A constraint's own diagonal is zero; its pivot is made by the bodies eliminated before it.  With bodies not yet
    eliminated seen as fixed, the eliminated constraints must be independent.  That holds when every connected set of
    eliminated bodies and constraints hangs on at most one fixed thing (ground or one body): a motion of that one thing
    is a rigid motion of the set.  Hanging on two it may be a structure with too many supports: the constraint waits.

    Returns order (N): order[k] is the node eliminated k-th.  Ties: last touched first, so chains are swept from an end.
    """
    n = len(weight)
    total = 1
    for i in range(n):
        total += weight[i]
    g = adj.copy()
    elen = np.zeros(n, np.int64)  # list of i: elen[i] elements, then alen[i] variables
    alen = np.empty(n, np.int64)
    deg = np.empty(n, np.int64)
    state = np.zeros(n, np.int64)  # 0 variable, 1 element, 2 absorbed
    head = np.full(total + 1, -1, np.int64)
    nxt = np.full(n, -1, np.int64)
    prv = np.full(n, -1, np.int64)
    listed = np.zeros(n, np.int64)
    mark = np.zeros(n, np.int64)
    stamp = np.zeros(n, np.int64)
    outside = np.zeros(n, np.int64)
    size = np.zeros(n, np.int64)
    start = np.zeros(n, np.int64)
    count = np.zeros(n, np.int64)
    members = np.empty(2 * len(adj) + 16, np.int64)
    top = 0
    up = np.arange(n)
    attach = np.full(n, NOTHING, np.int64)
    slack = weight.copy()
    order = np.empty(n, np.int64)
    widest = 1
    user_ptr = np.zeros(n + 1, np.int64)  # constraints of each body
    for t in range(after_ptr[n]):
        if after_node[t] >= 0:
            user_ptr[after_node[t] + 1] += 1
    for i in range(n):
        user_ptr[i + 1] += user_ptr[i]
    user = np.empty(user_ptr[n], np.int64)
    fill = user_ptr.copy()
    for c in range(n):
        for t in range(after_ptr[c], after_ptr[c + 1]):
            b = after_node[t]
            if b >= 0:
                user[fill[b]] = c
                fill[b] += 1
    for k in range(n):
        i = n - 1 - k
        alen[i] = ptr[i + 1] - ptr[i]
        widest = max(widest, alen[i])
        d = 0
        for t in range(ptr[i], ptr[i + 1]):
            d += weight[adj[t]]
        deg[i] = d
        nxt[i] = head[d]
        if head[d] >= 0:
            prv[head[d]] = i
        head[d] = i
        listed[i] = 1
    kept = np.empty(widest + 1, np.int64)
    least = 0
    oldest = 0
    for step in range(n):
        p = -1
        fixed = NOTHING
        while p < 0:
            while least < total and head[least] < 0:
                least += 1
            if least >= total:  # only waiting constraints are left: no safe choice exists, take them as they come
                while state[oldest] != 0:
                    oldest += 1
                p = oldest
                break
            c = head[least]
            head[least] = nxt[c]
            if nxt[c] >= 0:
                prv[nxt[c]] = -1
            listed[c] = 0
            ok = True
            if after_ptr[c + 1] > after_ptr[c]:
                ok, fixed = _fixed_point(c, state, weight, up, attach, slack, after_ptr, after_node)
            if ok:
                p = c  # otherwise c waits, out of the lists, until the elimination of a neighbour lists it again
        if after_ptr[p + 1] > after_ptr[p]:
            r = -1
            for t in range(after_ptr[p], after_ptr[p + 1]):
                b = after_node[t]
                if b >= 0 and state[b] != 0:
                    s = _root(up, b)
                    if r < 0:
                        r = s
                    elif s != r:
                        up[s] = r
                        slack[r] += slack[s]
            if r >= 0:
                slack[r] -= weight[p]
                attach[r] = fixed
        else:
            for t in range(user_ptr[p], user_ptr[p + 1]):
                c = user[t]
                if state[c] != 0:
                    for q in range(after_ptr[c], after_ptr[c + 1]):
                        b = after_node[q]
                        if b >= 0 and state[b] != 0:
                            s = _root(up, b)
                            if s != p:
                                up[s] = p
                                slack[p] += slack[s]
        order[step] = p
        state[p] = 1
        need = alen[p]
        for t in range(ptr[p], ptr[p] + elen[p]):
            need += count[g[t]]
        if top + need > len(members):
            bigger = np.empty(2 * (top + need), np.int64)
            for t in range(top):
                bigger[t] = members[t]
            members = bigger
        now = step + 1
        mark[p] = now
        start[p] = top
        heavy = 0
        for t in range(ptr[p] + elen[p], ptr[p] + elen[p] + alen[p]):
            v = g[t]
            if mark[v] != now:
                mark[v] = now
                members[top] = v
                top += 1
                heavy += weight[v]
        for t in range(ptr[p], ptr[p] + elen[p]):
            e = g[t]
            if state[e] == 1:
                for q in range(start[e], start[e] + count[e]):
                    v = members[q]
                    if mark[v] != now:
                        mark[v] = now
                        members[top] = v
                        top += 1
                        heavy += weight[v]
                state[e] = 2
        count[p] = top - start[p]
        size[p] = heavy
        for q in range(start[p], top):
            i = members[q]
            for t in range(ptr[i], ptr[i] + elen[i]):
                e = g[t]
                if state[e] == 1:
                    if stamp[e] != now:
                        stamp[e] = now
                        outside[e] = size[e]
                    outside[e] -= weight[i]
        for q in range(start[p], top):
            i = members[q]
            d = heavy - weight[i]
            ne = 0
            for t in range(ptr[i], ptr[i] + elen[i]):
                e = g[t]
                if state[e] == 1:
                    if outside[e] == 0:
                        state[e] = 2
                    else:
                        g[ptr[i] + ne] = e
                        ne += 1
                        d += outside[e]
            na = 0
            for t in range(ptr[i] + elen[i], ptr[i] + elen[i] + alen[i]):
                v = g[t]
                if mark[v] != now:
                    kept[na] = v
                    na += 1
                    d += weight[v]
            g[ptr[i] + ne] = p
            ne += 1
            for t in range(na):
                g[ptr[i] + ne + t] = kept[t]
            elen[i] = ne
            alen[i] = na
            d = min(d, deg[i] + heavy - weight[i], total - 1)
            if listed[i] == 1:
                if prv[i] >= 0:
                    nxt[prv[i]] = nxt[i]
                else:
                    head[deg[i]] = nxt[i]
                if nxt[i] >= 0:
                    prv[nxt[i]] = prv[i]
            deg[i] = d
            prv[i] = -1
            nxt[i] = head[d]
            if head[d] >= 0:
                prv[head[d]] = i
            head[d] = i
            listed[i] = 1
            least = min(least, d)
    return order


@jit(_nrt=True)
def sort_columns(n, p, i):
    """Rows of every column in rising order, by two transpositions (linear in the number of entries)."""
    m = p[n]
    tp = np.zeros(n + 1, np.int64)
    for t in range(m):
        tp[i[t] + 1] += 1
    for k in range(n):
        tp[k + 1] += tp[k]
    ti = np.empty(m, np.int64)
    at = tp.copy()
    for k in range(n):
        for t in range(p[k], p[k + 1]):
            ti[at[i[t]]] = k
            at[i[t]] += 1
    out = np.empty(m, np.int64)
    at = p.copy()
    for r in range(n):
        for t in range(tp[r], tp[r + 1]):
            out[at[ti[t]]] = r
            at[ti[t]] += 1
    return out


Nodes = namedtuple("Nodes", "group ptr adj weight after_ptr after_node first members")
Nodes.__doc__ = """Graph of the super-nodes of a matrix, all int64: group (n,) node of each unknown; ptr (N+1), adj:
neighbours; weight (N,); after_ptr (N+1), after_node: see `minimum_degree`; first (N+1), members (n,): unknowns of each
node, rising."""


def super_nodes(n, rows, cols, groups=None, after=()) -> Nodes:
    """Graph of an n x n matrix with the (symmetrised) pattern rows, cols; arguments as of `order_rows`."""
    if groups is None:
        names = group = np.arange(n)
    else:
        names, group = np.unique(np.asarray(groups, np.int64), return_inverse=True)
        if group.shape != (n,):
            raise ValueError(f"groups has shape {group.shape}, expected ({n},)")
    nodes = len(names)
    a, b = group[rows], group[cols]
    pairs = np.unique(np.concatenate([a * nodes + b, b * nodes + a]))
    a, b = pairs // max(nodes, 1), pairs % max(nodes, 1)
    a, b = a[a != b], b[a != b]
    ptr = np.searchsorted(a, np.arange(nodes + 1)).astype(np.int64)
    lists: dict[int, list[int]] = {}
    where = {int(name): k for k, name in enumerate(names)}
    for node, bodies in after:
        known = [where[int(x)] if int(x) >= 0 else GROUND for x in np.atleast_1d(bodies)]
        lists[where[int(node)]] = list(dict.fromkeys(known))
    after_ptr = np.zeros(nodes + 1, np.int64)
    for k, bodies in lists.items():
        after_ptr[k + 1] = len(bodies)
    after_ptr = np.cumsum(after_ptr)
    after_node = np.array([x for k in sorted(lists) for x in lists[k]], np.int64)
    weight = np.bincount(group, minlength=nodes).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(weight)]).astype(np.int64)
    i = lambda v: np.ascontiguousarray(v, np.int64)
    return Nodes(i(group), ptr, i(b), weight, after_ptr, after_node, first, i(np.argsort(group, kind="stable")))


@jit(_nrt=True, entry="int64[::1], int64[::1], int64[::1]")
def place_rows(order, first, members):
    """Position (n,) of every unknown for an order of the nodes; unknowns of a node stay adjacent, in rising order."""
    place = np.empty(len(members), np.int64)
    at = 0
    for k in range(len(order)):
        for t in range(first[order[k]], first[order[k] + 1]):
            place[members[t]] = at
            at += 1
    return place


def choose(n: int, entries: int):
    """``call(kernel, ...)`` for the analysis of a pattern: in plain Python where it is small."""
    return small if n <= SMALL[0] and entries <= SMALL[1] else lambda kernel, *args: kernel(*args)


def order_rows(n, rows, cols, groups=None, after=()):
    """Minimum-degree position of every row of an n x n matrix with the (symmetrised) pattern rows, cols.

    groups (n): super-node of each row, any integers; rows of a node stay adjacent, in their given order.
    after: pairs (node, bodies of the node); see `minimum_degree`.  Returns position (n): place[row] = position.
    """
    g = super_nodes(n, rows, cols, groups, after)
    call = choose(n, len(g.adj))
    return call(place_rows, call(minimum_degree, g.ptr, g.adj, g.weight, g.after_ptr, g.after_node), g.first, g.members)
