"""Which pairs of shapes are near: boxes with margins, swept along one axis or sorted into a grid, made again only when
a shape leaves its box.

Every bounded shape has a box along the ground axes, widened by a margin that grows with its speed.  As long as all
shapes stay in their widened boxes, no pair outside the list can touch, so the list serves for many evaluations (a
Verlet list; sweep and prune: D. Baraff, PhD thesis, Cornell 1992).  Margins are as wide as the motion since the last
search suggests.  Shapes without bounds (planes) are tested against the bounding sphere of every other shape.  A grid
takes over where a sweep would check many more pairs than there are shapes; both find the same list.
"""

from __future__ import annotations

import math

from .._jit import jit
from .tables import (
    ALL_PAIRS,
    BROKEN,
    BUILDS,
    EXTENT,
    FULL,
    GRIDS,
    JOINED,
    LAST_SEARCH,
    LEAST_MARGIN,
    LIST_SPAN,
    MOST_MARGIN,
    NEAR,
    NEWLOCK,
    REACH,
    SINCE,
    TESTED,
    VERSION,
)
from .traits import HALF_SPACE, ball

LONGEST = 1e3  # times that between two searches: a list is never meant to serve longer, so that margins stay bounded


@jit
def _find(keys, n, key):
    first = 0
    last = n
    while first < last:
        mid = (first + last) // 2
        if keys[mid] < key:
            first = mid + 1
        else:
            last = mid
    return first if first < n and keys[first] == key else -1


@jit
def _extent(sh, a, c):
    """Half side along ground axis c of the box around shape a (that of a ball does not turn)."""
    if ball(sh, a):
        return sh.half[a, c]
    f = sh.frame[a]
    A = sh.fr.A
    o = 3 * c
    return abs(A[f, o]) * sh.half[a, 0] + abs(A[f, o + 1]) * sh.half[a, 1] + abs(A[f, o + 2]) * sh.half[a, 2]


@jit
def _centre(sh, a, c):
    f = sh.frame[a]
    A = sh.fr.A
    o = 3 * c
    return sh.fr.p[f, c] + A[f, o] * sh.centre[a, 0] + A[f, o + 1] * sh.centre[a, 1] + A[f, o + 2] * sh.centre[a, 2]


@jit
def still_near(S, W):
    """Are all shapes within their boxes?  Frames must be current."""
    sh = S.sh
    n = W.order.shape[0]
    body = sh.fr.body
    for a in range(n):
        f = sh.frame[a]
        if body[f] == S.bodies.n:
            continue
        if sh.half[a, 0] < 1e300:
            for c in range(3):
                x = _centre(sh, a, c)
                e = _extent(sh, a, c) + 0.5 * S.settings[REACH]
                if not (x - e >= W.lo[a, c] and x + e <= W.hi[a, c]):
                    return False
        else:  # an unbounded shape that moves: its plane must stay within the minimum margin over the scene
            reach = S.settings[LEAST_MARGIN]
            size = W.clock[EXTENT]
            for c in range(3):
                if not (abs(sh.fr.p[f, c] - W.place[a, c]) < reach):
                    return False
                for d in range(3):
                    if not (abs(sh.fr.A[f, 3 * c + d] - W.place[a, 3 + 3 * c + d]) * size < reach):
                        return False
    return True


@jit
def _excluded(S, i, j):
    """Does a joint connect bodies i and j?"""
    lo = min(i, j)
    hi = max(i, j)
    key = lo * (S.bodies.n + 1) + hi
    return _find(S.excluded, S.excluded.shape[0], key) >= 0


@jit
def _enter(S, W, a, b):
    """Enter shapes a and b with every contact that has them on opposite sides."""
    sh = S.sh
    body = sh.fr.body
    i = body[sh.frame[a]]
    j = body[sh.frame[b]]
    if i == j:
        return
    if S.barred.shape[0] > 0 and _find(S.barred, S.barred.shape[0], a * sh.kind.shape[0] + b) >= 0:
        return
    joined = _excluded(S, i, j)
    p = S.side_ptr[a]
    q = S.side_ptr[b]
    ea = S.side_ptr[a + 1]
    eb = S.side_ptr[b + 1]
    while p < ea and q < eb:
        c = S.side[p] // 2
        d = S.side[q] // 2
        if c < d:
            p += 1
        elif d < c:
            q += 1
        else:
            if joined and S.pe[c, JOINED] == 0.0:
                p += 1
                continue
            both_p = p + 1 < ea and S.side[p + 1] // 2 == c
            both_q = q + 1 < eb and S.side[q + 1] // 2 == c
            if S.side[p] != S.side[q] or both_p or both_q:
                on_i = S.side[p] % 2 == 0 and (S.side[q] % 2 == 1 or both_q)  # a may be of I, b of J
                _add(S, W, c, a, b, 0 if on_i else 1)
            p += 2 if both_p else 1
            q += 2 if both_q else 1


@jit
def _add(S, W, c, a, b, flip):
    ka = S.sh.kind[a]
    kb = S.sh.kind[b]
    if ka > kb:
        a, b = b, a
        ka, kb = kb, ka
        flip = 1 - flip
    if S.kern[ka, kb] == 0:
        return
    k = W.count[NEAR]
    if k >= W.key.shape[0]:
        W.count[FULL] += 1
        return
    n = S.sh.kind.shape[0]
    W.near[k, 0] = c
    W.near[k, 1] = a
    W.near[k, 2] = b
    W.near[k, 3] = flip
    W.key[k] = (c * n + a) * n + b
    W.count[NEAR] = k + 1


@jit
def _sort_pairs(W, n):
    """Near pairs by rising key (Shell's method, gaps of Ciura)."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            key = W.key[i]
            a, b, c, d = W.near[i, 0], W.near[i, 1], W.near[i, 2], W.near[i, 3]
            j = i
            while j >= gap and W.key[j - gap] > key:
                W.key[j] = W.key[j - gap]
                for q in range(4):
                    W.near[j, q] = W.near[j - gap, q]
                j -= gap
            W.key[j] = key
            W.near[j, 0], W.near[j, 1], W.near[j, 2], W.near[j, 3] = a, b, c, d
        gap //= 3


@jit
def _sort_shapes(W, axis):
    """``order`` by rising lower side along an axis."""
    n = W.order.shape[0]
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            a = W.order[i]
            x = W.lo[a, axis]
            j = i
            while j >= gap and W.lo[W.order[j - gap], axis] > x:
                W.order[j] = W.order[j - gap]
                j -= gap
            W.order[j] = a
        gap //= 3


@jit
def _boxes(S, W):
    """Boxes with margins; returns the axis along which they are spread most."""
    sh = S.sh
    n = W.order.shape[0]
    least = S.settings[LEAST_MARGIN]
    most = S.settings[MOST_MARGIN]
    ahead = W.clock[LIST_SPAN]  # time that the list should serve
    sum0 = sum1 = sum2 = 0.0
    sq0 = sq1 = sq2 = 0.0
    m = 0
    big = 0.0
    W.count[BROKEN] = 0
    for a in range(n):
        f = sh.frame[a]
        if sh.half[a, 0] >= 1e300:
            for c in range(3):
                W.place[a, c] = sh.fr.p[f, c]
                for d in range(3):
                    W.place[a, 3 + 3 * c + d] = sh.fr.A[f, 3 * c + d]
            continue
        still = sh.fr.body[f] == S.bodies.n
        turns = 0.0 if ball(sh, a) else sh.radius[a]  # a ball that spins stays in its box
        w = math.sqrt(sh.fr.w[f, 0] ** 2 + sh.fr.w[f, 1] ** 2 + sh.fr.w[f, 2] ** 2) * (
            turns + math.sqrt(sh.centre[a, 0] ** 2 + sh.centre[a, 1] ** 2 + sh.centre[a, 2] ** 2)
        )
        for c in range(3):
            x = _centre(sh, a, c)
            e = _extent(sh, a, c) + 0.5 * S.settings[REACH]
            v = abs(sh.fr.v[f, c]) + w
            margin = 0.0 if still else min(least + v * ahead, most)
            W.lo[a, c] = x - e - margin
            W.hi[a, c] = x + e + margin
            if (
                not W.hi[a, c] - W.lo[a, c] < 1e300
            ):  # no number: a trial state far off, or (reported by those who follow events) one that was accepted
                W.count[BROKEN] = a + 1
            big = max(big, abs(x) + e)
        x = W.lo[a, 0] + W.hi[a, 0]
        z = W.lo[a, 1] + W.hi[a, 1]
        q = W.lo[a, 2] + W.hi[a, 2]
        sum0 += x
        sum1 += z
        sum2 += q
        sq0 += x * x
        sq1 += z * z
        sq2 += q * q
        m += 1
    W.clock[EXTENT] = big
    if m == 0:
        return 0
    s0 = sq0 - sum0 * sum0 / m
    s1 = sq1 - sum1 * sum1 / m
    s2 = sq2 - sum2 * sum2 / m
    if s0 >= s1 and s0 >= s2:
        return 0
    return 1 if s1 >= s2 else 2


@jit
def _balls_apart(S, W, a, b):
    """Are these two balls whose boxes overlap, but which cannot touch while both stay in them?"""
    sh = S.sh
    if not (ball(sh, a) and ball(sh, b)):
        return False
    r = sh.radius[a]
    s = sh.radius[b]
    d = p = q = 0.0
    for c in range(3):
        x = 0.5 * (W.lo[a, c] + W.hi[a, c] - W.lo[b, c] - W.hi[b, c])
        u = 0.5 * (W.hi[a, c] - W.lo[a, c]) - r  # margins: how far the centre may go
        v = 0.5 * (W.hi[b, c] - W.lo[b, c]) - s
        d += x * x
        p += u * u
        q += v * v
    far = r + s + math.sqrt(p) + math.sqrt(q)
    return d > far * far


@jit
def _offer(S, W, a, b):
    """Enter two bounded shapes if their boxes overlap."""
    if (
        W.lo[b, 0] <= W.hi[a, 0]
        and W.lo[a, 0] <= W.hi[b, 0]
        and W.lo[b, 1] <= W.hi[a, 1]
        and W.lo[a, 1] <= W.hi[b, 1]
        and W.lo[b, 2] <= W.hi[a, 2]
        and W.lo[a, 2] <= W.hi[b, 2]
        and not _balls_apart(S, W, a, b)
    ):
        _enter(S, W, min(a, b), max(a, b))


@jit
def _sweep(S, W, axis):
    """Sweep and prune: from lower to lower side along the axis as long as the box reaches."""
    sh = S.sh
    n = W.order.shape[0]
    for i in range(n):
        a = W.order[i]
        if sh.half[a, 0] >= 1e300:
            continue
        top = W.hi[a, axis]
        for j in range(i + 1, n):
            b = W.order[j]
            if W.lo[b, axis] > top:
                break
            if sh.half[b, 0] < 1e300:
                _offer(S, W, a, b)


@jit
def _overlaps(S, W, axis):
    """How many pairs of boxes a sweep would check."""
    n = W.order.shape[0]
    count = 0
    for i in range(n):
        a = W.order[i]
        if S.sh.half[a, 0] >= 1e300:
            continue
        first = i + 1
        last = n
        while first < last:
            mid = (first + last) // 2
            if W.lo[W.order[mid], axis] > W.hi[a, axis]:
                last = mid
            else:
                first = mid + 1
        count += first - i - 1
    return count


@jit
def _side(W, a):
    return max(W.hi[a, 0] - W.lo[a, 0], W.hi[a, 1] - W.lo[a, 1], W.hi[a, 2] - W.lo[a, 2])


@jit
def _bucket(x, y, z, mask):
    return (x * 73856093 ^ y * 19349663 ^ z * 83492791) & mask


@jit(later="boolean")
def _grid(S, W, sweeps):
    """Pairs by a hashed grid (M. Teschner et al., Optimized Spatial Hashing, VMV 2003); False where a sweep with so
    many looks is cheaper.

    Cells are as wide as the largest box but for the few that are far above the mean, and those are held against all
    others. Each shape checks the cells around its centre for those that came before it, so that every pair is met
    once.
    """
    sh = S.sh
    n = W.order.shape[0]
    mean = 0.0
    m = 0
    for a in range(n):
        if sh.half[a, 0] < 1e300:
            mean += _side(W, a)
            m += 1
    if m == 0:
        return False
    mean /= m
    cell = 0.0
    large = 0
    for a in range(n):
        if sh.half[a, 0] >= 1e300:
            continue
        if _side(W, a) <= 3.0 * mean:
            cell = max(cell, _side(W, a))
        else:
            large += 1
    if not cell > 0.0 or (64 + large) * n > sweeps:
        return False
    mask = W.head.shape[0] - 1
    for h in range(mask + 1):
        W.head[h] = -1
    for a in range(n):
        if sh.half[a, 0] >= 1e300:
            continue
        if _side(W, a) > cell:
            for b in range(n):
                if sh.half[b, 0] < 1e300 and b != a and (b < a or _side(W, b) <= cell):
                    _offer(S, W, a, b)
            continue
        x = int(math.floor(0.5 * (W.lo[a, 0] + W.hi[a, 0]) / cell))
        y = int(math.floor(0.5 * (W.lo[a, 1] + W.hi[a, 1]) / cell))
        z = int(math.floor(0.5 * (W.lo[a, 2] + W.hi[a, 2]) / cell))
        for dx in range(x - 1, x + 2):
            for dy in range(y - 1, y + 2):
                for dz in range(z - 1, z + 2):
                    b = W.head[_bucket(dx, dy, dz, mask)]
                    while b >= 0:
                        if W.cell[b, 0] == dx and W.cell[b, 1] == dy and W.cell[b, 2] == dz:
                            _offer(S, W, a, b)
                        b = W.cell[b, 3]
        h = _bucket(x, y, z, mask)
        W.cell[a, 0] = x
        W.cell[a, 1] = y
        W.cell[a, 2] = z
        W.cell[a, 3] = W.head[h]
        W.head[h] = a
    return True


@jit(apart=True)
def search(S, W, t):
    """The list of near pairs again, at current frames.  Pairs that remember something stay; locks and memories are
    carried over."""
    sh = S.sh
    n = W.order.shape[0]
    old = W.count[NEAR]
    all_pairs = S.settings[ALL_PAIRS] != 0.0
    for k in range(old):
        W.key2[k] = W.key[k]
        W.lock2[k] = W.lock[k]
        W.nmem2[k] = W.nmem[k]
        for q in range(4):
            W.near2[k, q] = W.near[k, q]
        for r in range(k * S.memory, k * S.memory + W.nmem[k]):
            W.feat2[r] = W.feat[r]
            for q in range(8):
                W.mem2[r, q] = W.mem[r, q]
                W.fmem2[r, q] = W.fmem[r, q]
    # how far ahead: a list should serve some ten accepted steps
    since = W.count[SINCE]
    span = t - W.clock[LAST_SEARCH]
    if W.count[BUILDS] > 0 and span > 0.0:
        if since < 6:
            W.clock[LIST_SPAN] = min(max(1.5 * W.clock[LIST_SPAN], 2.0 * span), LONGEST * span)
        elif since > 40:
            W.clock[LIST_SPAN] *= 0.7
    W.clock[LAST_SEARCH] = t
    W.count[SINCE] = 0
    W.count[BUILDS] += 1
    W.count[NEAR] = 0
    axis = _boxes(S, W)
    if all_pairs:
        for a in range(n):
            for b in range(a + 1, n):
                _enter(S, W, a, b)
    else:
        _sort_shapes(W, axis)
        sweeps = _overlaps(S, W, axis)
        if sweeps >= 64 * n and _grid(S, W, sweeps):
            W.count[GRIDS] += 1
        else:
            _sweep(S, W, axis)
        for u in range(W.unbounded.shape[0]):
            a = W.unbounded[u]
            f = sh.frame[a]
            for b in range(n):
                if b == a or (sh.half[b, 0] >= 1e300 and b < a):
                    continue
                if HALF_SPACE[sh.kind[a]] and sh.half[b, 0] < 1e300:
                    # upper side of the box of b against the plane's normal, margins included
                    d = 0.0
                    for c in range(3):
                        x = sh.fr.A[f, 3 * c + 2]
                        d += x * ((W.lo[b, c] if x > 0.0 else W.hi[b, c]) - sh.fr.p[f, c])
                    if d > S.settings[LEAST_MARGIN] + 0.5 * S.settings[REACH]:
                        continue
                _enter(S, W, min(a, b), max(a, b))
    _sort_pairs(W, W.count[NEAR])
    _keep(S, W, old)
    W.count[VERSION] += 1
    W.count[TESTED] += W.count[NEAR]


@jit
def _keep(S, W, old):
    """Locks and memories of pairs that were near before; those that remember something, or act while others are held
    open, and are no more near are appended: a trial state far away must not make a pair forget."""
    n = W.count[NEAR]
    k = 0
    lost = False
    for i in range(old):
        while k < n and W.key[k] < W.key2[i]:
            W.lock[k] = W.count[NEWLOCK]
            W.nmem[k] = 0
            k += 1
        if k < n and W.key[k] == W.key2[i]:
            _carry(S, W, i, k)
            k += 1
        elif _stays(W, i):
            lost = True
    while k < n:
        W.lock[k] = W.count[NEWLOCK]
        W.nmem[k] = 0
        k += 1
    if lost:
        _keep_lost(S, W, old)


@jit(later="none")
def _keep_lost(S, W, old):
    """`_keep` where pairs that stay are no more near: they are entered, and all start over."""
    n = W.count[NEAR]
    for i in range(old):
        if _stays(W, i) and _find(W.key, n, W.key2[i]) < 0 and W.count[NEAR] < W.key.shape[0]:
            m = W.count[NEAR]
            W.key[m] = W.key2[i]
            for q in range(4):
                W.near[m, q] = W.near2[i, q]
            W.count[NEAR] = m + 1
    n = W.count[NEAR]
    _sort_pairs(W, n)
    for k in range(n):
        i = _find(W.key2, old, W.key[k])
        if i >= 0:
            _carry(S, W, i, k)
        else:
            W.lock[k] = W.count[NEWLOCK]
            W.nmem[k] = 0


@jit
def _stays(W, i):
    return W.nmem2[i] > 0 or (W.count[NEWLOCK] != 0 and W.lock2[i] == 0)


@jit
def _carry(S, W, i, k):
    W.lock[k] = W.lock2[i]
    W.nmem[k] = W.nmem2[i]
    a = i * S.memory
    b = k * S.memory
    for r in range(W.nmem2[i]):
        W.feat[b + r] = W.feat2[a + r]
        for q in range(8):
            W.mem[b + r, q] = W.mem2[a + r, q]
            W.fmem[b + r, q] = W.fmem2[a + r, q]
