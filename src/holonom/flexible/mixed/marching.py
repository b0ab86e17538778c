"""Steps in time of two linear bodies in contact, compiled for dense coordinates.

Moreau and Jean's method (Jean, Comput. Methods Appl. Mech. Eng. 177 (1999) 235-257; the house's for rigid bodies is
`integrators.moreau_jean`):

    M (v+ - v) = -h K (u_t + beta v_t) + h f + B^T p,    u_t = u + h theta v_t,    v_t = theta v+ + (1 - theta) v,    u+
        = u + h v_t,
    0 <= B_n v+ + e min(B_n v, 0)  _|_  p_n >= 0 for gaps that are closed at the middle g + h B_n v / 2 <= 0,

with one matrix A = M + h theta (h theta + beta) K for all steps, so that the free velocity is v - Q (u + (h theta +
beta) v) + A^-1 h f with Q = h A^-1 K.  A penalty k (force / length) takes 0 <= g + h B v_t + p / (h k) instead,
the gap at the end of the step.

Gaps far from closed are not checked: a gap is measured again when it could be near to closing, at four times the
largest rate that any had that was checked, and those that could close within some steps make a list.  A^-1 B^T of a
gap is computed when it first closes.
"""

from __future__ import annotations

from ..._jit import jit
from .complementarity import solve

#: steps between two checks all gaps, and how much faster than now a gap may close until then
LOOK = 64
FASTER = 4.0
LATEST = 64  # looks after which any gap is measured
FADES = 0.8  # of the largest rate from look to look


@jit(
    entry=(
        "(float64[:, ::1], float64[:, ::1], float64[::1]), (float64[:, ::1], float64[::1], float64[::1], "
        "float64[:, ::1]), 2 * float64[::1], float64[::1], int64[::1], (int64[::1], int64[::1], bool[::1]), "
        "2 * float64[:, ::1], (int64[::1], float64[::1], int64[::1]), (float64[:, ::1], float64[::1], "
        "float64[::1], bool[::1]), float64[:, ::1], (float64[::1], float64[:, ::1], int64[::1], float64[:, "
        ":, ::1])"
    )
)
def march(matrices, gaps, state, par, count, search, blocks, memory, iteration, work, results):
    """Take ``count[0]`` steps.

    ``matrices``: Q, A^-1 and h A^-1 f; ``gaps``: rows B and gaps g0 at rest, ``soft`` (c,): what a penalty adds to the
    diagonal, or -1, and the directions of the rows; ``state``: u, v; ``par``: h, theta, tau, mu, restitution, speed
    that counts at least; ``count``: steps, width, stride of samples, then out: most gaps closed, gaps measured, sweeps,
    samples, and whether more gaps closed than there is space for; then the steps that were taken before.  ``search``:
    gaps that are near, when each is due, whether its row of ``blocks`` (A^-1 B^T, and the matrix of the closed ones) is
    there; ``memory``: impulses of the last step, closed gaps; ``iteration`` and ``work``: room; ``results``: forces,
    resultants, how often each gap touched, samples.
    """
    Q, inverse, push = matrices
    B, g0, soft, way = gaps
    u, v = state
    near, due, have = search
    Y, W = blocks
    kept, last, closed = memory
    L, w, p, on = iteration
    force, resultant, touched, samples = results
    h, theta, tau, mu, bounce, slow = par[0], par[1], par[2], par[3], par[4], par[5]
    steps, width, stride = count[0], count[1], count[2]
    n, c, d = u.shape[0], g0.shape[0], way.shape[1]
    free, mid = work[0], work[1]
    look = 0
    listed = 0
    turn = 0
    rate = slow
    set_ = 0
    for k in range(steps):
        if look == 0:
            rate = max(slow, FADES * rate)
            for i in range(c):
                if due[i] <= turn:
                    r = 0.0
                    for a in range(n):
                        r += B[i * width, a] * v[a]
                    rate = max(rate, abs(r))
            reach = FASTER * LOOK * h * rate
            listed = 0
            for i in range(c):
                if due[i] <= turn:
                    g = g0[i]
                    for a in range(n):
                        g += B[i * width, a] * u[a]
                    count[4] += 1
                    ahead = max(1, min(LATEST, int(g / reach)))
                    due[i] = turn + ahead
                    if g < reach:
                        near[listed] = i
                        listed += 1
            turn += 1
            look = LOOK
        look -= 1
        for a in range(n):
            mid[a] = u[a] + tau * v[a]
        for a in range(n):
            s = v[a] + push[a]
            for b in range(n):
                s -= Q[a, b] * mid[b]
            free[a] = s
        m = 0
        same = True
        for j in range(listed):
            i = near[j]
            g = g0[i]
            r = 0.0
            for a in range(n):
                g += B[i * width, a] * u[a]
                r += B[i * width, a] * v[a]
            shut = g + 0.5 * h * r <= 0.0
            if soft[i] >= 0.0:
                f = 0.0
                for a in range(n):
                    f += B[i * width, a] * free[a]
                g += h * (1.0 - theta) * r
                shut = g + h * theta * f <= 0.0
            if shut and (m + 1) * width > W.shape[0]:
                count[7] = 1
                return
            if shut:
                if m >= set_ or closed[m] != i:
                    same = False
                closed[m] = i
                for e in range(width):
                    row = i * width + e
                    s = 0.0
                    for a in range(n):
                        s += B[row, a] * free[a]
                    w[m * width + e] = s
                    p[m * width + e] = last[row]
                if soft[i] >= 0.0:
                    w[m * width] += g / (h * theta)
                elif bounce > 0.0 and r < 0.0:
                    w[m * width] += bounce * r
                m += 1
        count[4] += listed
        if m != set_:
            same = False
        set_ = m
        if not same:
            for x in range(m):
                i = closed[x]
                if not have[i]:
                    for e in range(width):
                        row = i * width + e
                        for a in range(n):
                            s = 0.0
                            for b in range(n):
                                s += inverse[a, b] * B[row, b]
                            Y[row, a] = s
                    have[i] = True
            for x in range(m * width):
                row = closed[x // width] * width + x % width
                for y in range(x + 1):
                    other = closed[y // width] * width + y % width
                    s = 0.0
                    for a in range(n):
                        s += B[row, a] * Y[other, a]
                    W[x, y] = s
                    W[y, x] = s
                if x % width == 0 and soft[closed[x // width]] >= 0.0:
                    W[x, x] += soft[closed[x // width]]
            count[3] = max(count[3], m)
        for i in range(kept[0]):
            last[kept[1 + i]] = 0.0
        kept[0] = 0
        for a in range(n):
            mid[a] = free[a]
        total = 0.0
        for e in range(d):
            resultant[k + 1, e] = 0.0
        if m:
            count[5] += solve(W, w, p, on, L, mu, width, m)
            for x in range(m):
                i = closed[x]
                if p[x * width] > 0.0:
                    touched[i] += 1
                    total += p[x * width]
                for e in range(width):
                    row, s = i * width + e, p[x * width + e]
                    if s != 0.0:
                        last[row] = s
                        kept[1 + kept[0]] = row
                        kept[0] += 1
                        for a in range(n):
                            mid[a] += Y[row, a] * s
                        for a in range(d):
                            resultant[k + 1, a] += way[row, a] * s / h
        force[k + 1] = total / h
        for a in range(n):
            u[a] += h * (theta * mid[a] + (1.0 - theta) * v[a])
            v[a] = mid[a]
        if (count[8] + k + 1) % stride == 0:
            at = count[6]
            for a in range(n):
                samples[0, at, a] = u[a]
                samples[1, at, a] = v[a]
            count[6] += 1
