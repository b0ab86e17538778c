"""Accelerated projected gradients with restart, inside the fixed-point iteration of de Saxce's term.

Mazhar, Heyn, Tasora & Negrut (2015) minimise 1/2 r^T W r + r^T q over the friction cones with Nesterov's method, a step
by backtracking and a restart where the gradient turns against the step (O'Donoghue & Candes).  Its fixed point is *not*
Coulomb's law but the associated one: a contact that slips at speed s also opens at mu s (dilation).  We correct this:
with q_n + mu |z_t| in the place of q_n (and arm times the rate for spin and rolling), |z_t| held, the minimum is
Coulomb's where |z_t| settles (Acary, Cadoux, Lemarechal & Malick 2011).  It follows z in every iteration: solving the
inner problem before each change took several times as long.  Rows are scaled with the roots of the local mobilities.
One product with W an iteration, by bodies where they are free; no factorisation and no sweep in order, so it suits wide
machines.
"""

from __future__ import annotations

import numpy as np

from .newton import GROUPS
from .view import View


def project(x, arms):
    """Nearest point of the intersection of cones |x_g| <= arm_g x_0 for the groups g; x (m, d), arms (m, groups) scaled
    like x."""
    groups = [x[:, a:b] for a, b, _, _ in GROUPS[: arms.shape[1]]]
    sizes = np.stack([np.sqrt((g * g).sum(1)) for g in groups], 1) if groups else np.zeros((len(x), 0))
    over = np.ones_like(sizes, bool)
    for _ in range(
        1 + arms.shape[1]
    ):  # piecewise linear in x_0 and monotone: ends after as many steps as there are pieces
        n = (x[:, 0] + (over * arms * sizes).sum(1)) / (1.0 + (over * arms * arms).sum(1))
        over = sizes > arms * n[:, None]
    n = np.maximum(n, 0.0)
    out = np.empty_like(x)
    out[:, 0] = n
    bound = arms * n[:, None]
    part = np.divide(bound, sizes, out=np.ones_like(sizes), where=sizes > bound)
    for g, (a, b, _, _) in enumerate(GROUPS[: arms.shape[1]]):
        out[:, a:b] = part[:, g : g + 1] * groups[g]
    return out


def apgd(v: View, goal: float, limit: int) -> int:
    """Solve one island to a residual (speed) of `goal`; returns the iterations.  The best point found is in the
    problem."""
    m, d = len(v.k), v.d
    kinds = {1: 0, 3: 1, 6: 3}[d]
    t = np.sqrt(v.rho[:, [0, 1, 1, 2, 3, 3][:d]])  # impulses r = t x, speeds y = t z
    arms = v.mu[:, :kinds].copy()
    sizes = np.sqrt(v.rho[:, 1:])[:, :kinds]
    arms = np.divide(arms * t[:, :1], sizes, out=np.zeros_like(arms), where=sizes > 0)
    if v.WT is None:
        G, Minv, back = v.G, v.Minv, v.G.T.tocsr()

        def product(x):
            return t * (G @ (Minv * (back @ (t * x).ravel()))).reshape(m, d)
    else:
        W = v.W

        def product(x):
            return t * (W @ (t * x).ravel()).reshape(m, d)

    q = t * v.q
    free = np.where(t > 0, 1.0, 0.0)
    x = project(np.divide(v.r, t, out=np.zeros_like(t), where=t > 0), arms)
    Wx = product(x)

    def dilation(y):
        return sum(
            (arms[:, g] * np.linalg.norm(y[:, a:b], axis=1) for g, (a, b, _, _) in enumerate(GROUPS[:kinds])),
            np.zeros(m),
        )

    probe = product(free)
    L = max(np.linalg.norm(probe) / max(np.linalg.norm(free), 1.0), 1e-12)
    s = dilation(Wx + q)
    best, kept = v.error(), v.r.copy()
    y, Wy, theta = x, Wx, 1.0
    for used in range(1, limit + 1):
        g = Wy + q
        g[:, 0] += s
        for _ in range(60):  # doubles L until the quadratic bound holds
            new = project(y - g / L, arms)
            step = new - y
            Wn = product(new)
            if np.vdot(step, Wn - Wy) <= L * np.vdot(step, step) * (1 + 1e-12):
                break
            L *= 2.0
        wrong = float(np.vdot(g, new - x)) > 0.0
        nxt = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * theta * theta))
        b = 0.0 if wrong else (theta - 1.0) / nxt
        theta = 1.0 if wrong else nxt
        y, Wy = new + b * (new - x), Wn + b * (Wn - Wx)
        x, Wx = new, Wn
        L *= 0.97
        s = dilation(Wx + q)
        if used % 10 == 0 or used == limit:
            v.put(t * x)
            error = v.error()
            if error < best:
                best, kept = error, t * x
            if best <= goal:
                break
    v.put(kept)
    return used
