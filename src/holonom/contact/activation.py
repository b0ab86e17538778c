"""Contact blocks of the iteration matrix, exchanged while a simulation runs: contacts that are not near are not in the
matrix.

The forces of a contact are condensed into the equations of its two bodies, a block of 12 x 12.  Its diagonal parts lie
where the bodies' own entries are, and so does whatever another element has there already; the rest of the matrix'
*entries* comes and goes with the near pairs.  The assembled numbers lie in one array

    0 .. nnz-1  the base: everything that is not contact;    nnz  a dummy;    nnz+1 ..  the pool: entries of near pairs,

so that no table of positions of any other element ever changes; only the gather list of the LU knows which of them the
matrix has, and in what order (prototype: MANY_CONTACTS.md, 2).  A pattern, once found, is kept in a store by its set of
pairs.

The elimination order is that of minimum degree over bodies and constraints with the near pairs as edges.  Pivots are on
the diagonal, of bodies by their inertia and of constraints by what bodies leave there: an entry of a contact may vanish
at any time and is therefore never a pivot.  Linear cost in the entries throughout.
"""

from __future__ import annotations

import time
from collections import OrderedDict, namedtuple

import numpy as np

from .._jit import jit
from ..elements.bodies.at_point import force_component, spin
from ..elements.bodies.at_point import place as centre
from ..elements.bodies.layout import MOVES
from ..elements.vectors import cross
from ..linalg._ordering import minimum_degree, place_rows, sort_columns
from ..linalg.lu import FrozenLU, analyse

ACTIVATIONS = ("active", "broad-phase", "all-pairs", "unknown-forces")
STORE = 64 << 20  # bytes of patterns kept
BLOCK = MOVES * MOVES  # entries of the block of one body in the columns of another
PAIR = 2 * MOVES  # unknowns of two bodies
SPARE = 8  # partners that may stay in the pattern though they are not near

Base = namedtuple("Base", "Ap Ai body part first diagonal node tptr trow nnz")
Base.__doc__ = """The part of the pattern that stays, int64: Ap, Ai by columns, rows rising; body, part (N,): body (-1:
none) and component of each unknown; first (n+1,), unknowns of each body follow each other; diagonal (n, 36): places of
the blocks of the bodies themselves; node (n,): super-node of each body; tptr (n+1), trow: rows in which the base has
triples for the spin of a body; nnz."""

Blocks = namedtuple("Blocks", "symbolic pp pa place trow tbody entries")
Blocks.__doc__ = """A pattern with the blocks of pairs: pp (n+1), pa: partners of each body, rising; place (len(pa),
36): places of the block of rows of the partner, columns of the body; trow (k, 3), tbody (k,): triples beyond those of
the base; entries: of the pool."""


@jit(
    _nrt=True,
    entry=(
        "int64, int64[:, ::1]",
        "int64, uint32[:, ::1]",
    ),
)
def partners(n, pairs):
    """pp (n+1), pa: bodies that each body is paired with, rising, each once; ground (n or more, or negative) is left
    out."""
    pp = np.zeros(n + 1, np.int64)
    for k in range(len(pairs)):
        i = pairs[k, 0]
        j = pairs[k, 1]
        if 0 <= i < n and 0 <= j < n and i != j:
            pp[i + 1] += 1
            pp[j + 1] += 1
    for b in range(n):
        pp[b + 1] += pp[b]
    pa = np.empty(pp[n], np.int64)
    at = pp.copy()
    for k in range(len(pairs)):
        i = pairs[k, 0]
        j = pairs[k, 1]
        if 0 <= i < n and 0 <= j < n and i != j:
            pa[at[i]] = j
            at[i] += 1
            pa[at[j]] = i
            at[j] += 1
    pa = sort_columns(n, pp, pa)
    out = np.empty(len(pa), np.int64)
    op = np.zeros(n + 1, np.int64)
    q = 0
    for b in range(n):
        for t in range(pp[b], pp[b + 1]):
            if t == pp[b] or pa[t] != pa[t - 1]:
                out[q] = pa[t]
                q += 1
        op[b + 1] = q
    return op, out[:q].copy()


@jit(_nrt=True, entry="int64, Base, int64[::1], int64[::1]")
def merge(N, b, pp, pa):
    """Base pattern and the blocks of partners: Ap, Ai, As, and position (len(pa), 36) of the blocks, row by row."""
    nnz = b.nnz
    most = nnz + BLOCK * len(pa)
    Ap = np.zeros(N + 1, np.int64)
    Ai = np.empty(most, np.int64)
    As = np.empty(most, np.int64)
    place = np.full((len(pa), BLOCK), np.uint32(nnz), np.uint32)
    new = nnz + 1
    q = 0
    for j in range(N):
        p = b.Ap[j]
        last = b.Ap[j + 1]
        c = b.body[j]
        if c >= 0:
            part = b.part[j]
            for t in range(pp[c], pp[c + 1]):
                a = pa[t]
                for r in range(b.first[a], b.first[a + 1]):
                    while p < last and b.Ai[p] < r:
                        Ai[q] = b.Ai[p]
                        As[q] = p
                        p += 1
                        q += 1
                    if p < last and b.Ai[p] == r:  # something else couples the two: its entry serves
                        As[q] = p
                        p += 1
                    else:
                        As[q] = new
                        new += 1
                    Ai[q] = r
                    place[t, MOVES * b.part[r] + part] = np.uint32(As[q])
                    q += 1
        while p < last:
            Ai[q] = b.Ai[p]
            As[q] = p
            p += 1
            q += 1
        Ap[j + 1] = q
    return Ap, Ai[:q], As[:q], place, new - nnz - 1


@jit(_nrt=True, entry="int64, Base, int64[::1], int64[::1], uint32[:, ::1]")
def triples(N, b, pp, pa, place):
    """trow (k, 3), tbody (k,): entries of a row in the rotational columns of a body, where the base has no such
    triple."""
    n = len(pp) - 1
    trow = np.empty((MOVES * len(pa), 3), np.uint32)
    tbody = np.empty(MOVES * len(pa), np.uint32)
    known = np.full(N, -1, np.int64)
    q = 0
    for c in range(n):
        if pp[c] == pp[c + 1]:
            continue
        for t in range(b.tptr[c], b.tptr[c + 1]):
            known[b.trow[t]] = c
        for t in range(pp[c], pp[c + 1]):
            a = pa[t]
            for r in range(b.first[a], b.first[a + 1]):
                o = MOVES * b.part[r] + 3
                if known[r] == c or (place[t, o] == b.nnz and place[t, o + 1] == b.nnz and place[t, o + 2] == b.nnz):
                    continue
                for k in range(3):
                    trow[q, k] = place[t, o + k]
                tbody[q] = np.uint32(c)
                q += 1
    return trow[:q].copy(), tbody[:q].copy()


@jit(
    _nrt=True,
    entry=(
        "int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], "
        "int64[::1], int64[::1]"
    ),
)
def order_pairs(ptr, adj, weight, after_ptr, after_node, first, members, node, pp, pa):
    """Position of every unknown: minimum degree over the graph of the base with an edge for each pair."""
    n = len(weight)
    body = np.full(n, -1, np.int64)
    for b in range(len(node)):
        if body[node[b]] < 0:  # a node of a carrier, which comes later, has the super-node of this
            body[node[b]] = b
    gp = np.zeros(n + 1, np.int64)
    g = np.empty(len(adj) + len(pa), np.int64)
    mark = np.full(n, -1, np.int64)
    q = 0
    for k in range(n):
        for t in range(ptr[k], ptr[k + 1]):
            g[q] = adj[t]
            mark[adj[t]] = k
            q += 1
        b = body[k]
        if b >= 0:
            for t in range(pp[b], pp[b + 1]):
                v = node[pa[t]]
                if mark[v] != k:
                    g[q] = v
                    q += 1
        gp[k + 1] = q
    return place_rows(minimum_degree(gp, g[:q].copy(), weight, after_ptr, after_node), first, members)


@jit(entry="int64, int64[::1], int64[::1], uint32[:, ::1], int64[::1], int64[::1], uint32[:, ::1]")
def gather(n, pp, pa, place, cursor, keys, opos):
    """keys <- lo (n + 1) + hi of all pairs, rising, then a number above all; opos (k, 72) <- places of the rows of lo
    in the columns of hi, and of the rows of hi in the columns of lo.  cursor (n,): work."""
    for b in range(n):
        cursor[b] = pp[b]
    q = 0
    for lo in range(n):
        for t in range(pp[lo], pp[lo + 1]):
            hi = pa[t]
            if hi > lo:
                keys[q] = lo * (n + 1) + hi
                for c in range(BLOCK):
                    opos[q, c] = place[cursor[hi], c]
                    opos[q, BLOCK + c] = place[t, c]
                cursor[hi] += 1
                q += 1
    for k in range(q, keys.shape[0]):
        keys[k] = 9223372036854775807


@jit(entry="int64[::1], int64[::1], int64[::1], int64[::1]")
def covered(pp, pa, qp, qa):
    """Are all partners (pp, pa) among (qp, qa)?"""
    for b in range(pp.shape[0] - 1):
        q = qp[b]
        for t in range(pp[b], pp[b + 1]):
            while q < qp[b + 1] and qa[q] < pa[t]:
                q += 1
            if q == qp[b + 1] or qa[q] != pa[t]:
                return False
    return True


class Activation:
    """The exchangeable blocks of one matrix.

    ``base``: `Base`; ``nodes``: `_ordering.Nodes` of the base; ``lu``: the factorisation that is kept up to date, made
    with room. `use` exchanges the pattern; ``blocks`` is the present one, ``counts`` what it has cost: changes of the
    pattern, symbolic factorisations, patterns found in the store, seconds of CPU.
    """

    def __init__(self, n: int, N: int, base: Base, nodes, pairs=None):
        self.n, self.N, self.base, self.nodes = n, N, base, nodes
        self.counts = {"patterns": 0, "symbolic": 0, "from store": 0, "seconds": 0.0}
        self._store: OrderedDict[bytes, Blocks] = OrderedDict()
        self._bytes = 0
        self._key: bytes | None = None
        self.blocks = self._find(*partners(n, np.zeros((0, 2), np.int64) if pairs is None else pairs))
        symbolic = self.blocks.symbolic
        self.lu = FrozenLU(N, symbolic.Ap, symbolic.Ai, ordering="colamd", source=symbolic.As, room=0.5)
        self.lu.use(symbolic)

    def _find(self, pp, pa) -> Blocks:
        """The pattern with the blocks of these partners, from the store or new."""
        self._key = key = pp.tobytes() + pa.tobytes()
        blocks = self._store.get(key)
        if blocks is not None:
            self._store.move_to_end(key)
            self.counts["from store"] += 1
            return blocks
        g, b = self.nodes, self.base
        Ap, Ai, As, place, entries = merge(self.N, b, pp, pa)
        trow, tbody = triples(self.N, b, pp, pa, place)
        at = order_pairs(g.ptr, g.adj, g.weight, g.after_ptr, g.after_node, g.first, g.members, b.node, pp, pa)
        blocks = Blocks(analyse(self.N, Ap, Ai, As, at, at), pp, pa, place, trow, tbody, entries)
        self.counts["symbolic"] += 1
        self._store[key] = blocks
        self._bytes += _size(blocks)
        while self._bytes > STORE and len(self._store) > 1:
            self._bytes -= _size(self._store.popitem(last=False)[1])
        return blocks

    def lacks(self, pairs: np.ndarray) -> bool:
        """Has the pattern no block for some of ``pairs`` (k, 2)?"""
        return not covered(*partners(self.n, pairs), self.blocks.pp, self.blocks.pa)

    def use(self, pairs: np.ndarray) -> tuple[bool, bool]:
        """See to it that the pattern has the blocks of ``pairs`` (k, 2).  Those that are no more near stay until others
        come, or until they are half as many as those that are.  Returns (the pattern is another one, arrays of the LU
        have moved)."""
        start = time.thread_time()
        pp, pa = partners(self.n, pairs)
        b = self.blocks
        changed = len(b.pa) > 1.5 * len(pa) + SPARE or not covered(pp, pa, b.pp, b.pa)
        moved = False
        if changed:
            self.blocks = self._find(pp, pa)
            moved = self.lu.use(self.blocks.symbolic)
            self.counts["patterns"] += 1
        self.counts["seconds"] += time.thread_time() - start
        return changed, moved


def _size(blocks: Blocks) -> int:
    return sum(a.nbytes for a in (*blocks.symbolic, *blocks[1:6]))


class Places:
    """Where the engine writes the blocks of one matrix: keys of the pairs in it, their positions, those of the bodies'
    own blocks.

    ``keys``, ``opos`` are longer than what they hold; ``version`` rises when they have been made again.  ``fixed``:
    keys, rising, and places of pairs that the base always has, those with nodes.
    """

    def __init__(self, activation: Activation, room: int, fixed=None):
        n = activation.n
        self._fixed = fixed
        self.dpos = np.full((n + 1, BLOCK), activation.base.nnz, np.uint32)
        self.dpos[:n] = activation.base.diagonal
        self.version = 0
        self._n = n
        self._cursor = np.zeros(n, np.int64)
        self.keys, self.opos = np.zeros(room, np.int64), np.zeros((room, 2 * BLOCK), np.uint32)
        self.set(activation.blocks)

    def set(self, b: Blocks) -> None:
        k = len(b.pa) // 2
        if k > len(self.keys):
            room = 2 * k
            self.keys, self.opos = np.zeros(room, np.int64), np.zeros((room, 2 * BLOCK), np.uint32)
            self.version += 1
        gather(self._n, b.pp, b.pa, b.place, self._cursor, self.keys, self.opos)
        if self._fixed is not None:
            keys, places = self._fixed
            at = np.searchsorted(self.keys[:k], keys)
            there = np.flatnonzero(np.append(self.keys[:k], -1)[at] == keys)
            self.opos[at[there]] = places[there]


Unknowns = namedtuple("Unknowns", "at scratch defined near count keys dpos opos")
Unknowns.__doc__ = """Contact forces as unknowns: at: first of their entries in the data, 75 a contact (3 on the
diagonal, 3 x 12 in their rows, 12 x 3 in their columns); scratch: first of the local blocks in K and C; near (cap, 3):
contact (-1: none) and bodies of each local block; count (1 or more): local blocks in use; defined: contacts; keys,
dpos, opos: see `Places`."""


#: of a contact whose force is unknown: on the diagonal, in the three rows, in the three columns
ENTRIES = 3 + 3 * PAIR + PAIR * 3


def no_unknowns() -> Unknowns:
    z = np.zeros
    return Unknowns(
        0,
        0,
        0,
        z((1, 3), np.int64),
        z(1, np.int64),
        z(1, np.int64),
        z((1, BLOCK), np.uint32),
        z((1, 2 * BLOCK), np.uint32),
    )


@jit
def clear(u, K, C):
    """Zeros in the local blocks."""
    for p in range(u.scratch, u.scratch + PAIR * PAIR * u.count[0]):
        K[p] = 0.0
        C[p] = 0.0


@jit
def _pair_at(u, n, i, j):
    """Place of two bodies in the list of pairs, or -1."""
    lo = min(i, j)
    hi = max(i, j)
    if hi >= n or lo == hi:
        return -1
    key = lo * (n + 1) + hi
    first = 0
    last = u.keys.shape[0]
    while first < last:
        mid = (first + last) // 2
        if u.keys[mid] < key:
            first = mid + 1
        else:
            last = mid
    return first if first < u.keys.shape[0] and u.keys[first] == key else -1


@jit
def _block(u, at, i, j, r, c):
    """Place of entry (r, c) of the local block of bodies i and j (0..11 each), -1 where there is none."""
    row = i if r < MOVES else j
    col = i if c < MOVES else j
    e = MOVES * (r % MOVES) + c % MOVES
    if row == col:
        return np.int64(u.dpos[row, e])
    if at < 0:
        return -1
    return np.int64(u.opos[at, e if row < col else BLOCK + e])


@jit
def expand(u, bodies, R, y, K, C, ka, ca, fa, data):
    """Contact forces f as unknowns of their own.  The local block X = ka K + ca C + fa (C [W], its spin) of each near
    contact is taken apart,

        f + phi dq = 0  (rows of f),   -B f + G dq  (rows of the bodies),   X = G + B phi,

    phi: the rows of X of the force on body i, with the sign turned; B: the wrenches of f on both bodies (f at a point
    between them). Every contact that is *defined* has its three unknowns, their entries, and ones on their diagonal.
    """
    n = bodies.n
    for p in range(u.at, u.at + ENTRIES * u.defined):
        data[p] = 0.0 * ka
    for k in range(u.defined):
        for r in range(3):
            data[u.at + ENTRIES * k + r] = 1.0 + 0.0 * ka
    for k in range(u.count[0]):
        first = u.scratch + PAIR * PAIR * k
        i = u.near[k, 1]
        j = u.near[k, 2]
        up = 0 if i < n else MOVES  # ground has no rows of its own that count
        sign = 1.0 if i < n else -1.0
        size = 0.0
        for p in range(first + PAIR * up, first + PAIR * up + 3 * PAIR):
            size += abs(K[p]) + abs(C[p])
        if size == 0.0 or u.near[k, 0] < 0:
            continue
        o = u.at + ENTRIES * u.near[k, 0]
        rows = o + 3
        cols = rows + 3 * PAIR
        for r in range(3):
            for c in range(PAIR):
                data[rows + PAIR * r + c] = sign * _local(K, C, first, up + r, c, i, j, bodies, y, ka, ca, fa)
        for h in range(2):
            b = i if h == 0 else j
            if b >= n:
                continue
            side = -1.0 if h == 0 else 1.0
            far = j if h == 0 else i
            s0 = s1 = s2 = 0.0
            if far < n:
                s0, s1, s2 = centre(bodies, y, far)
                r0, r1, r2 = centre(bodies, y, b)
                s0, s1, s2 = 0.5 * (s0 - r0), 0.5 * (s1 - r1), 0.5 * (s2 - r2)
            for r in range(3):
                e0 = side if r == 0 else 0.0
                e1 = side if r == 1 else 0.0
                e2 = side if r == 2 else 0.0
                m0, m1, m2 = cross(s0, s1, s2, e0, e1, e2)
                for c in range(MOVES):
                    data[cols + 3 * (MOVES * h + c) + r] = (
                        force_component(bodies, R, b, c, e0, e1, e2, m0, m1, m2) + 0.0 * ka
                    )
        at = _pair_at(u, n, i, j)
        for r in range(PAIR):
            for c in range(PAIR):
                p = _block(u, at, i, j, r, c) if (i if r < MOVES else j) < n and (i if c < MOVES else j) < n else -1
                if p >= 0:
                    v = _local(K, C, first, r, c, i, j, bodies, y, ka, ca, fa)
                    for q in range(3):
                        v += data[cols + 3 * r + q] * data[rows + PAIR * q + c]
                    data[p] += v


@jit
def _local(K, C, first, r, c, i, j, bodies, y, ka, ca, fa):
    """Entry (r, c) of a local block, with the spin of the body of its column."""
    p = first + PAIR * r + c
    v = ka * K[p] + ca * C[p]
    e = c % MOVES - 3
    if e >= 0:
        b = i if c < MOVES else j
        p -= e
        d = (e + 1) % 3
        g = (e + 2) % 3
        v += fa * (C[p + d] * spin(bodies, y, b, g) - C[p + g] * spin(bodies, y, b, d))
    return v


class UnknownForces:
    """The arrangement without condensation, for measurement: three unknown forces for every contact that is defined,
    and all pairs of bodies that could touch in the pattern.  The forces are eliminated first, and the iterates are
    those of the condensed form.

    pairs (nc, 2): bodies of each contact; unknown (n+1, 6): unknowns of the bodies, -1 for none; near (cap, 3), count:
    of `Unknowns`, kept by the engine.
    """

    def __init__(self, activation: Activation, places: Places, pairs: np.ndarray, unknown: np.ndarray, near, count):
        a, nc, n = activation, len(pairs), activation.n
        self.scratch = a.base.nnz + 1 + a.blocks.entries
        self.at = self.scratch + PAIR * PAIR * len(near)
        self.places = self.at + ENTRIES * nc
        size = a.N + 3 * nc
        s = a.blocks.symbolic
        inner = np.repeat(np.arange(a.N), np.diff(s.Ap.astype(np.int64))) * size + s.Ai
        u = unknown[np.where((pairs < 0) | (pairs > n), n, pairs)].reshape(nc, PAIR)
        f = a.N + 3 * np.arange(nc)[:, None] + np.arange(3)
        diagonal = f * size + f
        rows = np.where(u[:, None, :] >= 0, u[:, None, :] * size + f[:, :, None], -1).reshape(nc, 3 * PAIR)
        cols = np.where(u[:, :, None] >= 0, f[:, None, :] * size + u[:, :, None], -1).reshape(nc, 3 * PAIR)
        keys = np.concatenate([inner, np.concatenate([diagonal, rows, cols], 1).ravel()])
        source = np.concatenate([s.As, self.at + np.arange(ENTRIES * nc)])
        some = np.flatnonzero(keys >= 0)
        some = some[np.argsort(keys[some], kind="stable")]
        keys = keys[some]
        place = np.concatenate([3 * nc + s.pr.astype(np.int64), np.arange(3 * nc)])
        indptr = np.searchsorted(keys, np.arange(size + 1) * size).astype(np.int64)
        symbolic = analyse(size, indptr, keys % size, source[some].astype(np.int64), place, place)
        self.lu = FrozenLU(size, symbolic.Ap, symbolic.Ai, ordering="colamd", source=symbolic.As)
        self.lu.use(symbolic)
        self.unknowns = Unknowns(self.at, self.scratch, nc, near, count, places.keys, places.dpos, places.opos)
