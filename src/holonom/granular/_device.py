"""Device kernels of `cuda`.  Importing this module imports Numba's CUDA target."""

from __future__ import annotations

import math
import types

from numba import cuda, float64

from .._jit import Kernel
from . import kernels as cpu
from . import laws, walls
from .kernels import HOT, II, IM, MATERIAL, RADIUS, XB, V, W, X
from .laws import CURVED, ROLLS
from .walls import EPS, P_MATERIAL, P_WALL, W_BELT, W_R, W_V, W_W, W_X

NEAR = 8  # surfaces that one sphere can touch at once


def on_device(kernel: Kernel, made: dict):
    """The Python function of a processor kernel as a device function, and so all those that it calls."""
    if kernel not in made:
        f = kernel.py_func
        names = {k: on_device(v, made) if isinstance(v, Kernel) else v for k, v in f.__globals__.items() if k in f.__code__.co_names}
        made[kernel] = cuda.jit(device=True)(types.FunctionType(f.__code__, {**names, "__builtins__": __builtins__}, f.__name__))
    return made[kernel]


made: dict = {}
touch, rolling, nearest, cell = (on_device(k, made) for k in (laws.touch, laws.rolling, walls.nearest, cpu.cell))


@cuda.jit
def extent(hot, n, out):
    """Thread t: bounds (6), greatest and least radius, and greatest speed over radius of every T-th row from t, T the rows of out."""
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
    """nbr[:, i]: the rows nearer to row i than touching plus skin; number[i] also counts those for which there is no room."""
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
    """flag[0]: wait; [1]: asked to; [2]: steps done.  Walls move on at the end of each step, that is before the next."""
    if cuda.grid(1) != 0:
        return
    if flag[0] == 0 and flag[3] != 0:  # a step has been done
        flag[2] += 1
        for w in range(wall.shape[0]):
            o = 0.0
            for k in range(3):
                wall[w, W_X + k] += h * wall[w, W_V + k]
                o += wall[w, W_W + k] * wall[w, W_W + k]
            o = math.sqrt(o)
            if o > 0.0:
                u0, u1, u2 = wall[w, W_W] / o, wall[w, W_W + 1] / o, wall[w, W_W + 2] / o
                s = math.sin(h * o)
                c = math.sin(0.5 * h * o)
                c = 2.0 * c * c
                for k in range(3):
                    a, b, e = wall[w, W_R + k], wall[w, W_R + 3 + k], wall[w, W_R + 6 + k]
                    p0, p1, p2 = u1 * e - u2 * b, u2 * a - u0 * e, u0 * b - u1 * a
                    wall[w, W_R + k] = a + s * p0 + c * (u1 * p2 - u2 * p1)
                    wall[w, W_R + 3 + k] = b + s * p1 + c * (u2 * p0 - u0 * p2)
                    wall[w, W_R + 6 + k] = e + s * p2 + c * (u0 * p1 - u1 * p0)
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
        dist = math.sqrt(square)
        if dist > 0.0:
            n0 /= dist
            n1 /= dist
            n2 /= dist
        else:  # centres coincide: the one in the later row is above
            n0 = 0.0
            n1 = 0.0
            n2 = 1.0 if i < j else -1.0
        d = reach - dist
        ai = r - 0.5 * d
        aj = rj - 0.5 * d
        u0, u1, u2 = ai * wx + aj * hot[j, W], ai * wy + aj * hot[j, W + 1], ai * wz + aj * hot[j, W + 2]
        v0 = vx - hot[j, V] - (u1 * n2 - u2 * n1)
        v1 = vy - hot[j, V + 1] - (u2 * n0 - u0 * n2)
        v2 = vz - hot[j, V + 2] - (u0 * n1 - u1 * n0)
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
            t0, t1, t2 = rolling(law, k, N, d, R, wx - hot[j, W], wy - hot[j, W + 1], wz - hot[j, W + 2], n0, n1, n2, 0.0, none, 0)
            T0 += t0
            T1 += t1
            T2 += t2
    # walls: as on the processor, faces before edges before corners
    near = cuda.local.array((NEAR, 9), float64)
    at = 0
    top = 0
    for s in range(prim.shape[0]):
        w = int(prim[s, P_WALL])
        a, b, e = x - wall[w, W_X], y - wall[w, W_X + 1], z - wall[w, W_X + 2]
        lx = wall[w, W_R] * a + wall[w, W_R + 3] * b + wall[w, W_R + 6] * e
        ly = wall[w, W_R + 1] * a + wall[w, W_R + 4] * b + wall[w, W_R + 7] * e
        lz = wall[w, W_R + 2] * a + wall[w, W_R + 5] * b + wall[w, W_R + 8] * e
        d, n0, n1, n2, feature = nearest(prim, s, lx, ly, lz)
        if d < r and at < NEAR:
            top = max(top, feature)
            near[at, 0] = d
            near[at, 1] = n0
            near[at, 2] = n1
            near[at, 3] = n2
            near[at, 4] = feature
            near[at, 5] = s
            near[at, 6] = lx - d * n0
            near[at, 7] = ly - d * n1
            near[at, 8] = lz - d * n2
            at += 1
    for level in range(top + 1):
        for m in range(at):
            if near[m, 4] != level:
                continue
            s = int(near[m, 5])
            w = int(prim[s, P_WALL])
            skip = False
            if level > 0:
                for o in range(at):
                    if near[o, 4] == -1.0 and not skip:
                        other = int(near[o, 5])
                        if int(prim[other, P_WALL]) == w:
                            skip = abs(nearest(prim, other, near[m, 6], near[m, 7], near[m, 8])[0]) < EPS * r
            near[m, 4] = -1.0
            if skip:
                continue
            a, b, e = near[m, 1], near[m, 2], near[m, 3]
            n0 = wall[w, W_R] * a + wall[w, W_R + 1] * b + wall[w, W_R + 2] * e
            n1 = wall[w, W_R + 3] * a + wall[w, W_R + 4] * b + wall[w, W_R + 5] * e
            n2 = wall[w, W_R + 6] * a + wall[w, W_R + 7] * b + wall[w, W_R + 8] * e
            d = r - near[m, 0]
            arm = r - 0.5 * d
            c0, c1, c2 = x - arm * n0 - wall[w, W_X], y - arm * n1 - wall[w, W_X + 1], z - arm * n2 - wall[w, W_X + 2]
            o0, o1, o2 = wall[w, W_W], wall[w, W_W + 1], wall[w, W_W + 2]
            v0 = vx - arm * (wy * n2 - wz * n1) - (wall[w, W_V] + o1 * c2 - o2 * c1)
            v1 = vy - arm * (wz * n0 - wx * n2) - (wall[w, W_V + 1] + o2 * c0 - o0 * c2)
            v2 = vz - arm * (wx * n1 - wy * n0) - (wall[w, W_V + 2] + o0 * c1 - o1 * c0)
            a, b, e = wall[w, W_BELT], wall[w, W_BELT + 1], wall[w, W_BELT + 2]
            b0 = wall[w, W_R] * a + wall[w, W_R + 1] * b + wall[w, W_R + 2] * e
            b1 = wall[w, W_R + 3] * a + wall[w, W_R + 4] * b + wall[w, W_R + 5] * e
            b2 = wall[w, W_R + 6] * a + wall[w, W_R + 7] * b + wall[w, W_R + 8] * e
            a = b0 * n0 + b1 * n1 + b2 * n2
            v0 -= b0 - a * n0
            v1 -= b1 - a * n1
            v2 -= b2 - a * n2
            k = mine + int(prim[s, P_MATERIAL])
            N, f0, f1, f2 = touch(law, k, d, r, im, n0, n1, n2, v0, v1, v2, 0.0, none, 0)
            F0 += f0
            F1 += f1
            F2 += f2
            T0 += arm * (n2 * f1 - n1 * f2)
            T1 += arm * (n0 * f2 - n2 * f0)
            T2 += arm * (n1 * f0 - n0 * f1)
            if law[k, ROLLS] != 0.0:
                t0, t1, t2 = rolling(law, k, N, d, r, wx - o0, wy - o1, wz - o2, n0, n1, n2, 0.0, none, 0)
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
    im, ii = hot[i, IM], hot[i, II]
    far = 0.0
    for k in range(3):
        f = F[k, i]
        t = F[3 + k, i]
        if load_at != 0:
            f += cold[i, load_at + k]
            t += cold[i, load_at + 3 + k]
        g = g0 if k == 0 else g1 if k == 1 else g2
        v = hot[i, V + k] + h * (g + im * f)
        hot[i, V + k] = v
        hot[i, W + k] += h * (ii * t)
        x = hot[i, X + k] + h * v
        hot[i, X + k] = x
        x -= cold[i, XB + k]
        far += x * x
    if not 4.0 * far <= skin * skin:
        flag[1] = 1
