"""Contact impulses: complementarity problems over a dense matrix, compiled.

    0 <= p_n  _|_  w_n + (W p)_n >= 0,      p_t in the disk of radius mu p_n against the sliding w_t + (W p)_t.

Without friction the set of positive impulses is found from that of the last step, with a Cholesky factor of its part of
W (a principal pivoting method; Cottle, Pang & Stone, The Linear Complementarity Problem (1992), ch. 4); where that does
not settle, and with friction, contact by contact in turn (Gauss and Seidel with projection; Jean, Comput. Methods Appl.
Mech. Eng. 177 (1999) 235-257).
"""

from __future__ import annotations

from ..._jit import jit

PIVOTS = 60  # changes of the set of a problem without friction
SWEEPS = 2000
SETTLED = 1e-10  # change of an impulse, of the largest, at which sweeps end


@jit
def positive_part(W, w, p, on, L, c):
    """Solve a problem of c rows without friction in place: ``on`` (c,) the set to begin with, ``L`` (c, c) work.
    Returns whether it settled."""
    top = 0.0
    for i in range(c):
        top = max(top, abs(w[i]))
    tiny = 1e-12 * top
    for _ in range(PIVOTS):
        m = 0
        sound = True
        for i in range(c):
            if not on[i]:
                p[i] = 0.0
                continue
            k = 0
            for j in range(i + 1):
                if not on[j]:
                    continue
                s = W[i, j]
                for q in range(k):
                    s -= L[m, q] * L[k, q]
                if j < i:
                    L[m, k] = s / L[k, k]
                    k += 1
                elif s > 1e-10 * W[i, i]:
                    L[m, m] = s**0.5
                    m += 1
                else:  # depends on the rows before: left out
                    on[i] = False
                    p[i] = 0.0
                    sound = False
        m = 0
        for i in range(c):
            if on[i]:
                s = -w[i]
                k = 0
                for j in range(i):
                    if on[j]:
                        s -= L[m, k] * p[j]
                        k += 1
                p[i] = s / L[m, m]
                m += 1
        k = m
        for i in range(c - 1, -1, -1):
            if on[i]:
                k -= 1
                s = p[i]
                q = k + 1
                for j in range(i + 1, c):
                    if on[j]:
                        s -= L[q, k] * p[j]
                        q += 1
                p[i] = s / L[k, k]
        changed = False
        for i in range(c):
            if on[i]:
                if p[i] < 0.0:
                    on[i] = False
                    changed = True
            elif sound:
                y = w[i]
                for j in range(c):
                    y += W[i, j] * p[j]
                if y < -tiny - 1e-300:
                    on[i] = True
                    changed = True
        if not changed:
            return True
    return False


@jit
def sweeps(W, w, p, mu, width, c):
    """The same in turn over c contacts with ``width`` rows each, begun at ``p``.  Returns the sweeps that it took."""
    for turn in range(SWEEPS):
        change = 0.0
        top = 0.0
        for i in range(c):
            a = i * width
            s = w[a]
            for j in range(c * width):
                s += W[a, j] * p[j]
            new = p[a] - s / W[a, a]
            if new < 0.0:
                new = 0.0
            change = max(change, abs(new - p[a]))
            p[a] = new
            top = max(top, new)
            if width == 1:
                continue
            stiff = W[a + 1, a + 1]
            if width == 3:
                stiff = max(stiff, W[a + 2, a + 2]) + abs(W[a + 1, a + 2])
            size = 0.0
            for e in range(1, width):
                s = w[a + e]
                for j in range(c * width):
                    s += W[a + e, j] * p[j]
                w[c * width + e] = p[a + e] - s / stiff
                size += w[c * width + e] ** 2
            size = size**0.5
            least = mu * new
            share = 1.0 if size <= least else least / size
            for e in range(1, width):
                change = max(change, abs(share * w[c * width + e] - p[a + e]))
                p[a + e] = share * w[c * width + e]
        if change <= SETTLED * top:
            return turn + 1
    return SWEEPS


@jit(entry="float64[:, ::1], float64[::1], float64[::1], bool[::1], float64[:, ::1], float64, int64, int64")
def solve(W, w, p, on, L, mu, width, c):
    """Impulses ``p`` (c width,) of c contacts, begun at their values; ``w`` (c width + 3,) with room behind, ``on``
    (c,).  Returns the sweeps (0: direct)."""
    if width == 1:
        for i in range(c):
            on[i] = p[i] > 0.0 or w[i] < 0.0
        if positive_part(W, w, p, on, L, c):
            return 0
        for i in range(c):
            p[i] = max(p[i], 0.0)
    return sweeps(W, w, p, mu, width, c)
