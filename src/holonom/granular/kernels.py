"""The compiled steps of `Granular`: forces and motion, chunk by chunk, on any number of threads with the same bits.

Spheres stand in rows sorted along cells, so that neighbours in space are neighbours in memory.  A row is cut in a hot
part, which every pair reads (two cache lines), and a cold one.  Lists hold each pair once, with its earlier row.  Chunk
c of rows adds the forces of its pairs into a strip of its own, which reaches as far beyond its rows as its pairs do;
then every row sums what the strips of earlier chunks and its own hold, in that order.  Chunks depend on the number of
spheres alone.

Spheres of unlike size stand in levels, the small ones first, each level with cells as wide as its largest sphere.  A
sphere looks among those of its own level and of the levels above it, so nobody searches many cells, or many spheres in
one (a hierarchical grid: V. Ogarko, S. Luding, Comput. Phys. Commun. 183 (2012) 931).  The strip of a chunk has a
window on each of these levels.
"""

from __future__ import annotations

import math
from collections import namedtuple

from .._atomic import meet
from .._jit import jit
from .laws import CURVED, REMEMBERED, ROLLS, TOUCHED, TURNS, held, rolling, touch
from .points import (
    AL,
    HOT,
    II,
    IM,
    MATERIAL,
    N_FEATURE,
    N_FOOT,
    N_GAP,
    N_NORMAL,
    N_PLACE,
    N_SURFACE,
    RADIUS,
    XB,
    A,
    V,
    W,
    X,
    against_wall,
    covered,
    euler,
    into_wall,
    meeting,
    move_wall,
    out_of_wall,
)
from .walls import (
    P_KIND,
    P_MATERIAL,
    P_WALL,
    PLANE,
    W_F,
    W_IF,
    W_MOVED,
    W_REACH,
    W_STILL,
    W_W,
    W_X,
    nearest,
)

# numbers of the run
H, G, SKIN, TIME, FAR = 0, 1, 4, 5, 6
# whole numbers of the run: chunks, materials, walls, whether anything is remembered, columns of orientation and load
# (or 0), method
CHUNKS, MATERIALS, WALLS, REMEMBERS, Q_AT, LOAD_AT, VERLET, PREDICTED, LOGGED = range(9)
# columns of a point that is logged: position, normal, depth, force on the first, elastic energy, normal force; on walls
# then its row and the surface
L_POINT, L_NORMAL, L_DEPTH, L_FORCE, L_ENERGY, L_SIZE, LOG = 0, 3, 6, 7, 10, 11, 12
L_ROW, L_SURFACE = LOG, LOG + 1

State = namedtuple(
    "State",
    "hot cold begin end nbr mem wbegin wend wnbr wmem prim wall law cut level edge low high first at strip wsum far "
    "par num barrier scratch log",
)


@jit
def _enter_point(row, point, normal, depth, force, energy, N):
    x, y, z = point
    n0, n1, n2 = normal
    f0, f1, f2 = force
    row[L_POINT], row[L_POINT + 1], row[L_POINT + 2] = x, y, z
    row[L_NORMAL], row[L_NORMAL + 1], row[L_NORMAL + 2] = n0, n1, n2
    row[L_DEPTH] = depth
    row[L_FORCE], row[L_FORCE + 1], row[L_FORCE + 2] = f0, f1, f2
    row[L_ENERGY] = energy
    row[L_SIZE] = N


@jit
def _log(S, i, q, point, normal, depth, force, energy, N):
    """A point of row i on the wall in place q of its list, into the next row of S.log."""
    x, y, z = point
    n0, n1, n2 = normal
    f0, f1, f2 = force
    m = S.num[LOGGED]
    S.num[LOGGED] += 1
    if m < S.log.shape[0]:
        _enter_point(S.log[m], (x, y, z), (n0, n1, n2), depth, (f0, f1, f2), energy, N)
        S.log[m, L_ROW] = i
        S.log[m, L_SURFACE] = S.wnbr[q]


@jit
def _on_walls(S, c, h):
    """Adds the forces of walls on the rows of chunk c to its strip, and theirs to its sums; one call for all, since S
    is long to hand over."""
    hot = S.hot
    prim = S.prim
    strip = S.strip
    nm = S.num[MATERIALS]
    near = S.scratch[c]
    most = near.shape[0]
    base = S.at[c, S.level[c]] - S.cut[c]
    for w in range(S.num[WALLS]):
        for k in range(6):
            S.wsum[c, w, k] = 0.0
    for i in range(S.cut[c], S.cut[c + 1]):
        if S.wbegin[i] == S.wend[i]:
            continue
        x, y, z = hot[i, X], hot[i, X + 1], hot[i, X + 2]
        r = hot[i, RADIUS]
        n = 0
        top = 0
        for q in range(S.wbegin[i], S.wend[i]):
            s = S.wnbr[q]
            w = int(prim[s, P_WALL])
            wx, wy, wz = x, y, z
            if S.wall[w, W_STILL] == 0.0:
                wx, wy, wz = into_wall(S.wall, w, x, y, z)
            if prim[s, P_KIND] == PLANE:
                n0, n1, n2 = prim[s, 3], prim[s, 4], prim[s, 5]
                d = (wx - prim[s, 0]) * n0 + (wy - prim[s, 1]) * n1 + (wz - prim[s, 2]) * n2
                feature = 0
            else:
                d, n0, n1, n2, feature = nearest(prim, s, wx, wy, wz)
            if d >= r:
                if S.num[REMEMBERS] != 0:
                    for k in range(REMEMBERED):
                        S.wmem[q, k] = 0.0
                continue
            if n < most:
                top = max(top, feature)
                near[n, N_GAP] = d
                near[n, N_NORMAL] = n0
                near[n, N_NORMAL + 1] = n1
                near[n, N_NORMAL + 2] = n2
                near[n, N_FEATURE] = feature
                near[n, N_SURFACE] = s
                near[n, N_PLACE] = q
                near[n, N_FOOT] = wx - d * n0
                near[n, N_FOOT + 1] = wy - d * n1
                near[n, N_FOOT + 2] = wz - d * n2
                n += 1
        for level in range(top + 1):  # faces first, then edges, then corners
            for m in range(n):
                if near[m, N_FEATURE] != level:
                    continue
                s = int(near[m, N_SURFACE])
                q = int(near[m, N_PLACE])
                w = int(prim[s, P_WALL])
                skip = level > 0 and covered(near, n, m, prim, r)
                near[m, N_FEATURE] = -1.0  # a surface left out covers what lies on it, too
                if skip:
                    continue
                n0, n1, n2 = near[m, N_NORMAL], near[m, N_NORMAL + 1], near[m, N_NORMAL + 2]
                if S.wall[w, W_STILL] == 0.0:
                    n0, n1, n2 = out_of_wall(S.wall, w, n0, n1, n2)
                depth = r - near[m, N_GAP]
                arm = r - 0.5 * depth
                # velocity of the sphere's material at the point against the wall's
                w0, w1, w2 = hot[i, W], hot[i, W + 1], hot[i, W + 2]
                v0 = hot[i, V] - arm * (w1 * n2 - w2 * n1)
                v1 = hot[i, V + 1] - arm * (w2 * n0 - w0 * n2)
                v2 = hot[i, V + 2] - arm * (w0 * n1 - w1 * n0)
                c0 = x - arm * n0 - S.wall[w, W_X]
                c1 = y - arm * n1 - S.wall[w, W_X + 1]
                c2 = z - arm * n2 - S.wall[w, W_X + 2]
                if S.wall[w, W_STILL] == 0.0:
                    w0 -= S.wall[w, W_W]
                    w1 -= S.wall[w, W_W + 1]
                    w2 -= S.wall[w, W_W + 2]
                    v0, v1, v2 = against_wall(S.wall, w, c0, c1, c2, n0, n1, n2, v0, v1, v2)
                k = int(hot[i, MATERIAL]) * nm + int(prim[s, P_MATERIAL])
                im = hot[i, IM]
                N, f0, f1, f2 = touch(
                    S.law, k, depth, r, im, n0, n1, n2, v0, v1, v2, h, S.wmem, q if S.num[REMEMBERS] != 0 else 0
                )
                t0 = 0.0
                t1 = 0.0
                t2 = 0.0
                if S.law[k, ROLLS] != 0.0:
                    t0, t1, t2 = rolling(
                        S.law, k, N, depth, r, w0, w1, w2, n0, n1, n2, h, S.wmem, q if S.num[REMEMBERS] != 0 else 0
                    )
                strip[base + i, 0] += f0
                strip[base + i, 1] += f1
                strip[base + i, 2] += f2
                strip[base + i, 3] += t0 - arm * (n1 * f2 - n2 * f1)
                strip[base + i, 4] += t1 - arm * (n2 * f0 - n0 * f2)
                strip[base + i, 5] += t2 - arm * (n0 * f1 - n1 * f0)
                if S.num[LOGGED] >= 0:
                    _log(
                        S,
                        i,
                        q,
                        (x - arm * n0, y - arm * n1, z - arm * n2),
                        (n0, n1, n2),
                        depth,
                        (f0, f1, f2),
                        held(S.law, k, depth, r, S.wmem, q if S.num[REMEMBERS] != 0 else 0),
                        N,
                    )
                S.wsum[c, w, 0] -= f0
                S.wsum[c, w, 1] -= f1
                S.wsum[c, w, 2] -= f2
                S.wsum[c, w, 3] -= t0 + c1 * f2 - c2 * f1
                S.wsum[c, w, 4] -= t1 + c2 * f0 - c0 * f2
                S.wsum[c, w, 5] -= t2 + c0 * f1 - c1 * f0


@jit
def _forces(S, c, h):
    """Forces and torques of the pairs and walls of chunk c, into its strip."""
    hot = S.hot
    nbr = S.nbr
    strip = S.strip
    law = S.law
    nm = S.num[MATERIALS]
    remembers = S.num[REMEMBERS] != 0
    level = S.level[c]
    own = S.at[c, level] - S.cut[c]
    for i in range(S.at[c, level], S.at[c + 1, 0]):
        for k in range(6):
            strip[i, k] = 0.0
    one = nm == 1
    for i in range(S.cut[c], S.cut[c + 1]):
        top = level  # of the rows that are in the list now: it rises along it
        beyond = S.edge[level + 1]
        base = own
        x, y, z = hot[i, X], hot[i, X + 1], hot[i, X + 2]
        r = hot[i, RADIUS]
        vx, vy, vz = hot[i, V], hot[i, V + 1], hot[i, V + 2]
        wx, wy, wz = hot[i, W], hot[i, W + 1], hot[i, W + 2]
        im = hot[i, IM]
        mine = 0 if one else int(hot[i, MATERIAL]) * nm
        F0 = F1 = F2 = T0 = T1 = T2 = 0.0
        for q in range(S.begin[i], S.end[i]):
            j = nbr[q]
            n0 = x - hot[j, X]
            n1 = y - hot[j, X + 1]
            n2 = z - hot[j, X + 2]
            rj = hot[j, RADIUS]
            reach = r + rj
            square = n0 * n0 + n1 * n1 + n2 * n2
            if square >= reach * reach:
                if remembers and S.mem[q, TOUCHED] != 0.0:
                    for k in range(REMEMBERED):
                        S.mem[q, k] = 0.0
                continue
            n0, n1, n2, d, ai, aj, v0, v1, v2 = meeting(n0, n1, n2, square, 1.0, r, vx, vy, vz, wx, wy, wz, hot, j)
            k = 0 if one else mine + int(hot[j, MATERIAL])
            R = r * rj / reach if law[k, CURVED] != 0.0 else 0.0
            m = q if remembers else 0
            N, f0, f1, f2 = touch(law, k, d, R, im + hot[j, IM], n0, n1, n2, v0, v1, v2, h, S.mem, m)
            g0 = n2 * f1 - n1 * f2
            g1 = n0 * f2 - n2 * f0
            g2 = n1 * f0 - n0 * f1
            F0 += f0
            F1 += f1
            F2 += f2
            T0 += ai * g0
            T1 += ai * g1
            T2 += ai * g2
            while j >= beyond:
                top += 1
                beyond = S.edge[top + 1]
                base = S.at[c, top] - S.low[c, top]
            b = base + j
            strip[b, 0] -= f0
            strip[b, 1] -= f1
            strip[b, 2] -= f2
            strip[b, 3] += aj * g0
            strip[b, 4] += aj * g1
            strip[b, 5] += aj * g2
            if law[k, ROLLS] != 0.0:
                t0, t1, t2 = rolling(
                    law, k, N, d, R, wx - hot[j, W], wy - hot[j, W + 1], wz - hot[j, W + 2], n0, n1, n2, h, S.mem, m
                )
                T0 += t0
                T1 += t1
                T2 += t2
                strip[b, 3] -= t0
                strip[b, 4] -= t1
                strip[b, 5] -= t2
        b = own + i
        strip[b, 0] += F0
        strip[b, 1] += F1
        strip[b, 2] += F2
        strip[b, 3] += T0
        strip[b, 4] += T1
        strip[b, 5] += T2
    _on_walls(S, c, h)


@jit
def _turn(cold, i, at, h0, h1, h2):
    """Orientation at column ``at`` turned by the rotation vector h in ground axes."""
    square = h0 * h0 + h1 * h1 + h2 * h2
    if square == 0.0:
        return
    angle = math.sqrt(square)
    s = math.sin(0.5 * angle) / angle
    a, b, c, d = math.cos(0.5 * angle), s * h0, s * h1, s * h2
    e, f, g, o = cold[i, at], cold[i, at + 1], cold[i, at + 2], cold[i, at + 3]
    p = a * e - b * f - c * g - d * o
    q = a * f + b * e + c * o - d * g
    r = a * g - b * o + c * e + d * f
    t = a * o + b * g - c * f + d * e
    inv = 1.0 / math.sqrt(p * p + q * q + r * r + t * t)
    cold[i, at] = p * inv
    cold[i, at + 1] = q * inv
    cold[i, at + 2] = r * inv
    cold[i, at + 3] = t * inv


@jit
def _predict(S, c, i, h):
    """The first half of a step of velocity Verlet; returns the square of how far the row is from where the lists were
    made."""
    hot = S.hot
    cold = S.cold
    far = 0.0
    for k in range(3):
        v = hot[i, V + k]
        a = cold[i, A + k]
        hot[i, X + k] += h * (v + 0.5 * h * a)
        hot[i, V + k] = v + h * a
        x = hot[i, X + k] - cold[i, XB + k]
        far += x * x
    at = S.num[Q_AT]
    if at != 0:
        _turn(
            cold,
            i,
            at,
            h * (hot[i, W] + 0.5 * h * cold[i, AL]),
            h * (hot[i, W + 1] + 0.5 * h * cold[i, AL + 1]),
            h * (hot[i, W + 2] + 0.5 * h * cold[i, AL + 2]),
        )
    for k in range(3):
        hot[i, W + k] += h * cold[i, AL + k]
    return far


@jit
def _gather(S, c):
    """Adds to the strip of chunk c what earlier chunks hold for its rows."""
    strip = S.strip
    level = S.level[c]
    mine = S.at[c, level] - S.cut[c]
    for e in range(S.first[c], c):
        shift = S.at[e, level] - S.low[e, level]
        for i in range(max(S.cut[c], S.low[e, level]), min(S.cut[c + 1], S.high[e, level])):
            for k in range(6):
                strip[mine + i, k] += strip[shift + i, k]


@jit
def _move(S, c, h, mode):
    """Moves the rows of chunk c.  mode 0: semi-implicit Euler; 1: corrects, 2: corrects and predicts (Verlet); 3:
    accelerations only."""
    hot = S.hot
    cold = S.cold
    strip = S.strip
    _gather(S, c)
    g0, g1, g2 = S.par[G], S.par[G + 1], S.par[G + 2]
    load_at = S.num[LOAD_AT]
    at = S.num[Q_AT]
    far = 0.0
    base = S.at[c, S.level[c]] - S.cut[c]
    for i in range(S.cut[c], S.cut[c + 1]):
        b = base + i
        im = hot[i, IM]
        ii = hot[i, II]
        if load_at != 0:
            for k in range(6):
                strip[b, k] += cold[i, load_at + k]
        a0 = g0 + im * strip[b, 0]
        a1 = g1 + im * strip[b, 1]
        a2 = g2 + im * strip[b, 2]
        b0 = ii * strip[b, 3]
        b1 = ii * strip[b, 4]
        b2 = ii * strip[b, 5]
        if mode == 0:
            s = euler(hot, cold, i, h, a0, a1, a2, b0, b1, b2)
            if at != 0:
                _turn(cold, i, at, h * hot[i, W], h * hot[i, W + 1], h * hot[i, W + 2])
        else:
            if mode < 3:
                hot[i, V] += 0.5 * h * (a0 - cold[i, A])
                hot[i, V + 1] += 0.5 * h * (a1 - cold[i, A + 1])
                hot[i, V + 2] += 0.5 * h * (a2 - cold[i, A + 2])
                hot[i, W] += 0.5 * h * (b0 - cold[i, AL])
                hot[i, W + 1] += 0.5 * h * (b1 - cold[i, AL + 1])
                hot[i, W + 2] += 0.5 * h * (b2 - cold[i, AL + 2])
            cold[i, A] = a0
            cold[i, A + 1] = a1
            cold[i, A + 2] = a2
            cold[i, AL] = b0
            cold[i, AL + 1] = b1
            cold[i, AL + 2] = b2
            s = _predict(S, c, i, h) if mode == 2 else 0.0
        if not s <= far:  # also when it is not a number
            far = s
    S.far[c, 0] = far


@jit
def _predict_chunk(S, c, h):
    far = 0.0
    for i in range(S.cut[c], S.cut[c + 1]):
        s = _predict(S, c, i, h)
        if not s <= far:
            far = s
    S.far[c, 0] = far


@jit
def _move_walls(S, h):
    """Sums of the forces on walls; then these move on with their velocities."""
    wall = S.wall
    for w in range(S.num[WALLS]):
        for k in range(6):
            s = 0.0
            for c in range(S.num[CHUNKS]):
                s += S.wsum[c, w, k]
            wall[w, W_F + k] = s
            wall[w, W_IF + k] += h * s
        if wall[w, W_STILL] != 0.0:
            continue
        v, o = move_wall(wall, w, h)
        wall[w, W_MOVED] += h * (v + o * wall[w, W_REACH])


@jit
def _outdated(S):
    """Whether the lists may miss a pair (1), or a position is not a number (2)."""
    far = 0.0
    for c in range(S.num[CHUNKS]):
        if not S.far[c, 0] <= far:
            far = S.far[c, 0]
    if not far < 1e300:
        return 2
    far = math.sqrt(far)
    moved = 0.0
    for w in range(S.num[WALLS]):
        moved = max(moved, S.wall[w, W_MOVED])
    return 1 if 2.0 * far > S.par[SKIN] or far + moved > S.par[SKIN] else 0


@jit(nogil=True, entry="State, int64, int64, int64, int64")
def run(S, t, T, most, remaining):
    """Up to ``most`` steps as thread t of T, fewer when the lists are outdated; returns the steps done.  ``remaining``
    of the whole advance."""
    h = S.par[H]
    n = S.num[CHUNKS]
    verlet = S.num[VERLET] != 0
    done = 0
    predicted = S.num[PREDICTED] != 0
    while done < most:
        if verlet and not predicted:
            for c in range(t, n, T):
                _predict_chunk(S, c, h)
            predicted = True
            meet(S.barrier, T)
        if _outdated(S) != 0:
            break
        for c in range(t, n, T):
            _forces(S, c, h)
        meet(S.barrier, T)
        again = done + 1 < remaining
        for c in range(t, n, T):
            _move(S, c, h, (2 if again else 1) if verlet else 0)
        if verlet:
            predicted = again
        if t == 0:
            _move_walls(S, h)
        done += 1
        meet(S.barrier, T)
    meet(S.barrier, T)
    if t == 0:
        S.num[PREDICTED] = 1 if predicted else 0
    return done


@jit(nogil=True, entry="State")
def accelerate(S):
    """Forces and accelerations at the present state; nothing moves."""
    for c in range(S.num[CHUNKS]):
        _forces(S, c, 0.0)
    for c in range(S.num[CHUNKS]):
        _move(S, c, 0.0, 3)


# lists


@jit(nogil=True, entry="float64[:, ::1], int64, float64[::1]")
def bounds(hot, n, out):
    """out[0:3] least, [3:6] greatest place of rows whose radius is positive, [6] greatest radius,
    [7] their number, [8] a row whose position is not a number or -1, [9] greatest speed over radius, [10] sum of radii,
    [11] row of [9]."""
    for k in range(3):
        out[k] = 1e300
        out[3 + k] = -1e300
    out[6] = 0.0
    out[7] = 0.0
    out[8] = -1.0
    out[9] = 0.0
    out[10] = 0.0
    for i in range(n):
        if hot[i, RADIUS] <= 0.0:
            continue
        v = (
            math.sqrt(hot[i, V] * hot[i, V] + hot[i, V + 1] * hot[i, V + 1] + hot[i, V + 2] * hot[i, V + 2])
            / hot[i, RADIUS]
        )
        if not v <= out[9] and out[8] < 0.0:
            out[9] = v
            out[11] = i
        out[10] += hot[i, RADIUS]
        out[7] += 1.0
        out[6] = max(out[6], hot[i, RADIUS])
        for k in range(3):
            x = hot[i, X + k]
            if not abs(x) < 1e100:
                out[8] = i
                continue
            out[k] = min(out[k], x)
            out[3 + k] = max(out[3 + k], x)


@jit
def cell(x, k, l, grid, g):
    """Number along the k-th slowest axis of the cell at x of level l; positions beyond the grid count in its last
    cells."""
    x = (x - grid[l, k]) * grid[l, 3]
    return int(min(max(x, 0.0), g[l, k] - 1.0))


@jit(
    nogil=True,
    entry=(
        "float64[:, ::1], float64[:, ::1], int64, float64[:, ::1], int64[:, ::1], int32[::1], int32[::1], "
        "int64[::1], float64[:, ::1], float64[:, ::1], int32[::1]"
    ),
)
def sort(hot, cold, n, grid, g, key, fill, edge, hot2, cold2, old):
    """Counting sort of the living rows along levels and cells, equal ones in their old order; old[new row] = old row;
    returns their number.

    Of each level: grid: least position along the slow, middle and fast axis, 1/cell, largest radius; g: cells along
    them, which axes they are, and the number of its first cell.  edge[l] <- first row of level l, and last their
    number.
    """
    levels = grid.shape[0]
    cells = g[levels - 1, 6] + g[levels - 1, 0] * g[levels - 1, 1] * g[levels - 1, 2]
    for c in range(cells + 1):
        fill[c] = 0
    for i in range(n):
        key[i] = -1
        if hot[i, RADIUS] > 0.0:
            l = 0
            while l + 1 < levels and hot[i, RADIUS] > grid[l, 4]:
                l += 1
            a = cell(hot[i, X + g[l, 3]], 0, l, grid, g)
            b = cell(hot[i, X + g[l, 4]], 1, l, grid, g)
            key[i] = g[l, 6] + (a * g[l, 1] + b) * g[l, 2] + cell(hot[i, X + g[l, 5]], 2, l, grid, g)
            fill[key[i] + 1] += 1
    for c in range(cells):
        fill[c + 1] += fill[c]
    for l in range(levels):
        edge[l] = fill[g[l, 6]]
    edge[levels] = fill[cells]
    m = 0
    wide = cold.shape[1]
    for i in range(n):
        if key[i] < 0:
            continue
        j = fill[key[i]]
        fill[key[i]] += 1
        old[j] = i
        m += 1
        for k in range(HOT):
            hot2[j, k] = hot[i, k]
        for k in range(wide):
            cold2[j, k] = cold[i, k]
        for k in range(3):
            cold2[j, XB + k] = hot[i, X + k]
    # fill[c] is now the end of cell c: its begin is the end of the one before
    for c in range(cells, 0, -1):
        fill[c] = fill[c - 1]
    fill[0] = 0
    return m


@jit(nogil=True, entry="State, int64, int64, float64[:, ::1], int64[:, ::1], int32[::1], int64, int64[::1]")
def neighbours(S, t, T, grid, g, fill, room, need):
    """Lists of chunks t, t + T, ...: of each row the later rows of its level and the rows of higher ones nearer than
    touching plus skin.

    A chunk may use ``room`` entries a row; need[c] <- what it would use (more than it has: nothing was written beyond).
    """
    hot = S.hot
    skin = S.par[SKIN]
    levels = grid.shape[0]
    for c in range(t, S.num[CHUNKS], T):
        q = S.cut[c] * room
        limit = S.cut[c + 1] * room
        level = S.level[c]
        for l in range(levels):
            S.low[c, l] = S.edge[levels]
            S.high[c, l] = 0
        S.low[c, level] = S.cut[c]
        S.high[c, level] = S.cut[c + 1]
        for i in range(S.cut[c], S.cut[c + 1]):
            S.begin[i] = min(q, limit)
            x, y, z = hot[i, X], hot[i, X + 1], hot[i, X + 2]
            r = hot[i, RADIUS] + skin
            for l in range(level, levels):
                k0 = cell(hot[i, X + g[l, 3]], 0, l, grid, g)
                k1 = cell(hot[i, X + g[l, 4]], 1, l, grid, g)
                k2 = cell(hot[i, X + g[l, 5]], 2, l, grid, g)
                low = max(k2 - 1, 0)
                high = min(k2 + 1, g[l, 2] - 1)
                near = S.low[c, l]
                far = S.high[c, l]
                half = l == level  # in its own level a row checks later ones only
                for a in range(k0 if half else max(k0 - 1, 0), min(k0 + 2, g[l, 0])):
                    for b in range(k1 if half and a == k0 else max(k1 - 1, 0), min(k1 + 2, g[l, 1])):
                        line = g[l, 6] + (a * g[l, 1] + b) * g[l, 2]
                        for j in range(
                            i + 1 if half and a == k0 and b == k1 else fill[line + low], fill[line + high + 1]
                        ):
                            d0 = x - hot[j, X]
                            d1 = y - hot[j, X + 1]
                            d2 = z - hot[j, X + 2]
                            s = r + hot[j, RADIUS]
                            if d0 * d0 + d1 * d1 + d2 * d2 < s * s:
                                if q < limit:
                                    S.nbr[q] = j
                                q += 1
                                far = max(far, j + 1)
                                if not half:
                                    near = min(near, j)
                S.low[c, l] = near
                S.high[c, l] = far
            S.end[i] = min(q, limit)
        for l in range(levels):
            S.low[c, l] = min(S.low[c, l], S.high[c, l])
        S.far[c, 0] = 0.0
        need[c] = q - S.cut[c] * room


@jit(nogil=True, entry="State, float64[:, ::1], float64[:, ::1], int64[:, ::1], int32[::1], int32[::1], int32[::1]")
def surfaces_near(S, boxes, grid, g, fill, row, surface):
    """Pairs of a row and a surface nearer than touching plus skin, in the order of surfaces; returns their number
    (those beyond the room are counted, not written).  boxes (surfaces, 6): bounds of each in ground axes."""
    hot = S.hot
    prim = S.prim
    skin = S.par[SKIN]
    m = 0
    for s in range(prim.shape[0]):
        w = int(prim[s, P_WALL])
        for l in range(grid.shape[0]):
            reach = grid[l, 4] + skin
            low0, high0 = (
                cell(boxes[s, g[l, 3]] - reach, 0, l, grid, g),
                cell(boxes[s, 3 + g[l, 3]] + reach, 0, l, grid, g),
            )
            low1, high1 = (
                cell(boxes[s, g[l, 4]] - reach, 1, l, grid, g),
                cell(boxes[s, 3 + g[l, 4]] + reach, 1, l, grid, g),
            )
            low2, high2 = (
                cell(boxes[s, g[l, 5]] - reach, 2, l, grid, g),
                cell(boxes[s, 3 + g[l, 5]] + reach, 2, l, grid, g),
            )
            for k0 in range(low0, high0 + 1):
                for k1 in range(low1, high1 + 1):
                    line = g[l, 6] + (k0 * g[l, 1] + k1) * g[l, 2]
                    for i in range(fill[line + low2], fill[line + high2 + 1]):
                        x, y, z = into_wall(S.wall, w, hot[i, X], hot[i, X + 1], hot[i, X + 2])
                        if nearest(prim, s, x, y, z)[0] < hot[i, RADIUS] + skin:
                            if m < row.shape[0]:
                                row[m] = i
                                surface[m] = s
                            m += 1
    return m


@jit(nogil=True, entry="State, int64, int64, int32[::1], int32[::1]")
def spread(S, n, m, row, surface):
    """The pairs of `surfaces_near` as lists of rows."""
    for i in range(n):
        S.wend[i] = 0
    for q in range(m):
        S.wend[row[q]] += 1
    at = 0
    for i in range(n):
        S.wbegin[i] = at
        at += S.wend[i]
        S.wend[i] = S.wbegin[i]
    for q in range(m):
        S.wnbr[S.wend[row[q]]] = surface[q]
        S.wend[row[q]] += 1


@jit(
    nogil=True,
    entry=(
        "State, int64, int32[::1], int32[::1], int32[::1], int32[::1], float64[:, ::1], int32[::1], "
        "int32[::1], int32[::1], float64[:, ::1]"
    ),
)
def remember(S, n, old, begin, end, nbr, mem, wbegin, wend, wnbr, wmem):
    """Takes over what contacts remembered from the lists before (arguments from ``begin`` on) into those of S."""
    for i in range(n):
        o = old[i]
        for q in range(S.begin[i], S.end[i]):
            for k in range(REMEMBERED):
                S.mem[q, k] = 0.0
            p = old[S.nbr[q]]
            sign = 1.0
            a = o
            if p < o:
                sign = -1.0
                a = p
                p = o
            for e in range(begin[a], end[a]):
                if nbr[e] == p:
                    for k in range(TURNS):
                        S.mem[q, k] = sign * mem[e, k]
                    for k in range(TURNS, REMEMBERED):
                        S.mem[q, k] = mem[e, k]
                    break
        for q in range(S.wbegin[i], S.wend[i]):
            for k in range(REMEMBERED):
                S.wmem[q, k] = 0.0
            for e in range(wbegin[o], wend[o]):
                if wnbr[e] == S.wnbr[q]:
                    for k in range(REMEMBERED):
                        S.wmem[q, k] = wmem[e, k]
                    break


# what touches


@jit(nogil=True, entry="State")
def touching_walls(S):
    """Points on walls that touch now, into S.log; memory and strips are touched: the caller puts memory back.  Returns
    how many."""
    S.num[LOGGED] = 0
    for c in range(S.num[CHUNKS]):
        _on_walls(S, c, 0.0)
    m = S.num[LOGGED]
    S.num[LOGGED] = -1
    return m


@jit(nogil=True, entry="State, int64, int64[:, ::1], float64[:, ::1], float64[:, ::1]")
def touching(S, n, whole, numbers, row):
    """Pairs that touch now.  whole (m, 2): rows; numbers (m, 12): point, normal, depth, force on the first, elastic
    energy, normal force.

    Forces without what friction springs and branches remember of this step.  Returns how many there are (those beyond
    the room are not written).
    ``row``: a row of scratch for memory.
    """
    hot = S.hot
    m = 0
    nm = S.num[MATERIALS]
    for i in range(n):
        for q in range(S.begin[i], S.end[i]):
            j = S.nbr[q]
            n0, n1, n2 = hot[i, X] - hot[j, X], hot[i, X + 1] - hot[j, X + 1], hot[i, X + 2] - hot[j, X + 2]
            reach = hot[i, RADIUS] + hot[j, RADIUS]
            square = n0 * n0 + n1 * n1 + n2 * n2
            if square >= reach * reach:
                continue
            if m < whole.shape[0]:
                vx, vy, vz = hot[i, V], hot[i, V + 1], hot[i, V + 2]
                wx, wy, wz = hot[i, W], hot[i, W + 1], hot[i, W + 2]
                n0, n1, n2, d, ai, aj, v0, v1, v2 = meeting(
                    n0, n1, n2, square, 1.0, hot[i, RADIUS], vx, vy, vz, wx, wy, wz, hot, j
                )
                k = int(hot[i, MATERIAL]) * nm + int(hot[j, MATERIAL])
                for e in range(REMEMBERED):
                    row[0, e] = S.mem[q, e] if S.num[REMEMBERS] != 0 else 0.0
                R = hot[i, RADIUS] * hot[j, RADIUS] / reach
                N, f0, f1, f2 = touch(S.law, k, d, R, hot[i, IM] + hot[j, IM], n0, n1, n2, v0, v1, v2, 0.0, row, 0)
                whole[m, 0] = i
                whole[m, 1] = j
                x, y, z = hot[i, X] - ai * n0, hot[i, X + 1] - ai * n1, hot[i, X + 2] - ai * n2
                _enter_point(numbers[m], (x, y, z), (n0, n1, n2), d, (f0, f1, f2), held(S.law, k, d, R, row, 0), N)
            m += 1
    return m
