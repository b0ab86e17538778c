"""Device kernels of `cuda`.  Importing this module imports Numba's CUDA target."""

from __future__ import annotations

import math
import types

from numba import cuda, float64

from .._jit import Kernel
from . import kernels as cpu
from . import laws, points, walls
from .laws import CURVED, ROLLS
from .points import HOT, II, IM, MATERIAL, N_FEATURE, N_FOOT, N_GAP, N_NORMAL, N_SURFACE, RADIUS, XB, V, W, X
from .walls import P_MATERIAL, P_WALL, W_W, W_X

NEAR = 8  # surfaces that one sphere can touch at once


def on_device(kernel: Kernel, made: dict):
    """The Python function of a processor kernel as a device function, and so all those that it calls."""
    if kernel not in made:
        f = kernel.py_func
        names = {
            k: on_device(v, made) if isinstance(v, Kernel) else v
            for k, v in f.__globals__.items()
            if k in f.__code__.co_names
        }
        made[kernel] = cuda.jit(device=True)(
            types.FunctionType(f.__code__, {**names, "__builtins__": __builtins__}, f.__name__)
        )
    return made[kernel]


made: dict = {}
touch, rolling, nearest, cell = (on_device(k, made) for k in (laws.touch, laws.rolling, walls.nearest, cpu.cell))
meeting, into_wall, out_of_wall, against_wall, covered, move_wall, euler = (
    on_device(k, made)
    for k in (
        points.meeting,
        points.into_wall,
        points.out_of_wall,
        points.against_wall,
        points.covered,
        points.move_wall,
        points.euler,
    )
)


@cuda.jit
def extent(hot, n, out):
    """Thread t: bounds (6), greatest and least radius, and greatest speed over radius of every T-th row from t, T the
    rows of out."""
    t = cuda.grid(1)
    if t >= out.shape[0]:
        return
    for k in range(3):
        out[t, k] = 1e300
        out[t, 3 + k] = -1e300
    out[t, 6] = 0.0
    out[t, 7] = 1e300
    out[t, 8] = 0.0
    for i in range(t, n, out.shape[0]):
        s = 0.0
        for k in range(3):
            out[t, k] = min(out[t, k], hot[i, X + k])
            out[t, 3 + k] = max(out[t, 3 + k], hot[i, X + k])
            s += hot[i, V + k] * hot[i, V + k]
        out[t, 6] = max(out[t, 6], hot[i, RADIUS])
        out[t, 7] = min(out[t, 7], hot[i, RADIUS])
        s = math.sqrt(s) / hot[i, RADIUS]
        if not s <= out[t, 8]:
            out[t, 8] = s


@cuda.jit
def clear(fill, m):
    i = cuda.grid(1)
    if i < m:
        fill[i] = 0


@cuda.jit
def count(hot, n, grid, g, key, fill):
    i = cuda.grid(1)
    if i < n:
        a, b = cell(hot[i, X + g[0, 3]], 0, 0, grid, g), cell(hot[i, X + g[0, 4]], 1, 0, grid, g)
        key[i] = (a * g[0, 1] + b) * g[0, 2] + cell(hot[i, X + g[0, 5]], 2, 0, grid, g)
        cuda.atomic.add(fill, key[i], 1)


@cuda.jit
def sums(fill, m, part):
    t = cuda.grid(1)
    if t < part.shape[0]:
        each = (m + part.shape[0] - 1) // part.shape[0]
        s = 0
        for c in range(t * each, min((t + 1) * each, m)):
            s += fill[c]
        part[t] = s


@cuda.jit
def running(part):
    if cuda.grid(1) == 0:
        s = 0
        for t in range(part.shape[0]):
            a = part[t]
            part[t] = s
            s += a


@cuda.jit
def begins(fill, m, part, begin, cursor):
    t = cuda.grid(1)
    if t < part.shape[0]:
        each = (m + part.shape[0] - 1) // part.shape[0]
        s = part[t]
        for c in range(t * each, min((t + 1) * each, m)):
            begin[c] = s
            cursor[c] = s
            s += fill[c]
        if min((t + 1) * each, m) == m and t * each < m:
            begin[m] = s


@cuda.jit
def place(n, key, cursor, order):
    i = cuda.grid(1)
    if i < n:
        order[cuda.atomic.add(cursor, key[i], 1)] = i


@cuda.jit
def tidy(m, begin, order):
    """Rows of a cell in the order they had: what atomics left open."""
    c = cuda.grid(1)
    if c < m:
        for a in range(begin[c] + 1, begin[c + 1]):
            x = order[a]
            b = a - 1
            while b >= begin[c] and order[b] > x:
                order[b + 1] = order[b]
                b -= 1
            order[b + 1] = x


@cuda.jit
def permute(n, order, hot, cold, hot2, cold2):
    i = cuda.grid(1)
    if i < n:
        o = order[i]
        for k in range(HOT):
            hot2[i, k] = hot[o, k]
        for k in range(cold.shape[1]):
            cold2[i, k] = cold[o, k]
        for k in range(3):
            cold2[i, XB + k] = hot[o, X + k]


@cuda.jit
def lists(hot, n, skin, grid, g, begin, nbr, number):
    """nbr[:, i]: the rows nearer to row i than touching plus skin; number[i] also counts those for which there is no
    room."""
    i = cuda.grid(1)
    if i >= n:
        return
    m = 0
    x, y, z = hot[i, X], hot[i, X + 1], hot[i, X + 2]
    r = hot[i, RADIUS] + skin
    k0, k1 = cell(hot[i, X + g[0, 3]], 0, 0, grid, g), cell(hot[i, X + g[0, 4]], 1, 0, grid, g)
    k2 = cell(hot[i, X + g[0, 5]], 2, 0, grid, g)
    for a in range(max(k0 - 1, 0), min(k0 + 2, g[0, 0])):
        for b in range(max(k1 - 1, 0), min(k1 + 2, g[0, 1])):
            line = (a * g[0, 1] + b) * g[0, 2]
            for j in range(begin[line + max(k2 - 1, 0)], begin[line + min(k2 + 1, g[0, 2] - 1) + 1]):
                d0, d1, d2 = x - hot[j, X], y - hot[j, X + 1], z - hot[j, X + 2]
                s = r + hot[j, RADIUS]
                if j != i and d0 * d0 + d1 * d1 + d2 * d2 < s * s:
                    if m < nbr.shape[0]:
                        nbr[m, i] = j
                    m += 1
    number[i] = m


@cuda.jit
def latch(flag, wall, h):
    """flag[0]: wait; [1]: asked to; [2]: steps done.  Walls move on at the end of each step, that is before the
    next."""
    if cuda.grid(1) != 0:
        return
    if flag[0] == 0 and flag[3] != 0:  # a step has been done
        flag[2] += 1
        for w in range(wall.shape[0]):
            move_wall(wall, w, h)
    if flag[1] != 0 or flag[2] >= flag[4]:
        flag[0] = 1
    flag[3] = 1


@cuda.jit
def forces(flag, hot, n, nbr, number, law, nm, prim, wall, none, F):
    i = cuda.grid(1)
    if i >= n or flag[0] != 0:
        return
    x, y, z = hot[i, X], hot[i, X + 1], hot[i, X + 2]
    r, im = hot[i, RADIUS], hot[i, IM]
    vx, vy, vz = hot[i, V], hot[i, V + 1], hot[i, V + 2]
    wx, wy, wz = hot[i, W], hot[i, W + 1], hot[i, W + 2]
    mine = int(hot[i, MATERIAL]) * nm
    F0 = F1 = F2 = T0 = T1 = T2 = 0.0
    for q in range(number[i]):
        j = nbr[q, i]
        n0, n1, n2 = x - hot[j, X], y - hot[j, X + 1], z - hot[j, X + 2]
        rj = hot[j, RADIUS]
        reach = r + rj
        square = n0 * n0 + n1 * n1 + n2 * n2
        if square >= reach * reach:
            continue
        # the one in the later row is above where centres coincide
        n0, n1, n2, d, ai, aj, v0, v1, v2 = meeting(
            n0, n1, n2, square, 1.0 if i < j else -1.0, r, vx, vy, vz, wx, wy, wz, hot, j
        )
        k = mine + int(hot[j, MATERIAL])
        R = r * rj / reach if law[k, CURVED] != 0.0 else 0.0
        N, f0, f1, f2 = touch(law, k, d, R, im + hot[j, IM], n0, n1, n2, v0, v1, v2, 0.0, none, 0)
        F0 += f0
        F1 += f1
        F2 += f2
        T0 += ai * (n2 * f1 - n1 * f2)
        T1 += ai * (n0 * f2 - n2 * f0)
        T2 += ai * (n1 * f0 - n0 * f1)
        if law[k, ROLLS] != 0.0:
            t0, t1, t2 = rolling(
                law, k, N, d, R, wx - hot[j, W], wy - hot[j, W + 1], wz - hot[j, W + 2], n0, n1, n2, 0.0, none, 0
            )
            T0 += t0
            T1 += t1
            T2 += t2
    # walls: as on the processor, faces before edges before corners
    near = cuda.local.array((NEAR, 9), float64)
    at = 0
    top = 0
    for s in range(prim.shape[0]):
        lx, ly, lz = into_wall(wall, int(prim[s, P_WALL]), x, y, z)
        d, n0, n1, n2, feature = nearest(prim, s, lx, ly, lz)
        if d < r and at < NEAR:
            top = max(top, feature)
            near[at, N_GAP] = d
            near[at, N_NORMAL] = n0
            near[at, N_NORMAL + 1] = n1
            near[at, N_NORMAL + 2] = n2
            near[at, N_FEATURE] = feature
            near[at, N_SURFACE] = s
            near[at, N_FOOT] = lx - d * n0
            near[at, N_FOOT + 1] = ly - d * n1
            near[at, N_FOOT + 2] = lz - d * n2
            at += 1
    for level in range(top + 1):
        for m in range(at):
            if near[m, N_FEATURE] != level:
                continue
            skip = level > 0 and covered(near, at, m, prim, r)
            near[m, N_FEATURE] = -1.0
            if skip:
                continue
            s = int(near[m, N_SURFACE])
            w = int(prim[s, P_WALL])
            n0, n1, n2 = out_of_wall(wall, w, near[m, N_NORMAL], near[m, N_NORMAL + 1], near[m, N_NORMAL + 2])
            d = r - near[m, N_GAP]
            arm = r - 0.5 * d
            c0, c1, c2 = x - arm * n0 - wall[w, W_X], y - arm * n1 - wall[w, W_X + 1], z - arm * n2 - wall[w, W_X + 2]
            v0, v1, v2 = vx - arm * (wy * n2 - wz * n1), vy - arm * (wz * n0 - wx * n2), vz - arm * (wx * n1 - wy * n0)
            v0, v1, v2 = against_wall(wall, w, c0, c1, c2, n0, n1, n2, v0, v1, v2)
            k = mine + int(prim[s, P_MATERIAL])
            N, f0, f1, f2 = touch(law, k, d, r, im, n0, n1, n2, v0, v1, v2, 0.0, none, 0)
            F0 += f0
            F1 += f1
            F2 += f2
            T0 += arm * (n2 * f1 - n1 * f2)
            T1 += arm * (n0 * f2 - n2 * f0)
            T2 += arm * (n1 * f0 - n0 * f1)
            if law[k, ROLLS] != 0.0:
                t0, t1, t2 = rolling(
                    law,
                    k,
                    N,
                    d,
                    r,
                    wx - wall[w, W_W],
                    wy - wall[w, W_W + 1],
                    wz - wall[w, W_W + 2],
                    n0,
                    n1,
                    n2,
                    0.0,
                    none,
                    0,
                )
                T0 += t0
                T1 += t1
                T2 += t2
    F[0, i] = F0
    F[1, i] = F1
    F[2, i] = F2
    F[3, i] = T0
    F[4, i] = T1
    F[5, i] = T2


@cuda.jit
def move(flag, hot, cold, n, F, h, g0, g1, g2, skin, load_at):
    i = cuda.grid(1)
    if i >= n or flag[0] != 0:
        return
    f0, f1, f2, t0, t1, t2 = F[0, i], F[1, i], F[2, i], F[3, i], F[4, i], F[5, i]
    if load_at != 0:
        f0 += cold[i, load_at]
        f1 += cold[i, load_at + 1]
        f2 += cold[i, load_at + 2]
        t0 += cold[i, load_at + 3]
        t1 += cold[i, load_at + 4]
        t2 += cold[i, load_at + 5]
    im, ii = hot[i, IM], hot[i, II]
    far = euler(hot, cold, i, h, g0 + im * f0, g1 + im * f1, g2 + im * f2, ii * t0, ii * t1, ii * t2)
    if not 4.0 * far <= skin * skin:
        flag[1] = 1
