"""Semismooth Newton on the function of Alart & Curnier (1991), with a line search, regularised, and with Gauss-Seidel
to fall back on.

    F_n = r_n - max(0, y_n),  y_n = r_n - rho_n z_n;     F_t = r_t - proj(y_t; |.| <= mu max(0, y_n)),  y_t = r_t -
        rho_t z_t

and likewise for spin and roll.  F is zero at solutions of the law itself (not of its convex neighbour) and only there;
where it is differentiable Newton converges quadratically, which gives answers to the last digits.  Delassus matrices of
redundant contacts are singular: the step solves with W + 1e-9 of its diagonal, which leaves velocities alone.  No
method of this kind is safe everywhere: a step that does not decrease |F| after halvings is given up and sweeps of
Gauss-Seidel continue from the best point.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from .view import View

REGULAR = 1e-9
GROUPS = ((1, 3, 0, 1), (3, 4, 1, 2), (4, 6, 2, 3))  # first row, end, column of mu, column of rho


def function(z, r, mu, rho):
    """F (m, d) as impulses."""
    n = np.maximum(0.0, r[:, 0] - rho[:, 0] * z[:, 0])
    F = r.copy()
    F[:, 0] -= n
    for a, b, arm, size in GROUPS if r.shape[1] == 6 else GROUPS[:1] if r.shape[1] == 3 else ():
        y = r[:, a:b] - rho[:, size : size + 1] * z[:, a:b]
        length = np.linalg.norm(y, axis=1)
        bound = mu[:, arm] * n
        F[:, a:b] -= y * np.divide(bound, length, out=np.ones_like(n), where=length > bound)[:, None]
    return F


def derivatives(z, r, mu, rho):
    """Blocks (m, d, d) of dF/dr and dF/dz, each taken by itself."""
    m, d = r.shape
    A = np.zeros((m, d, d))
    B = np.zeros((m, d, d))
    y = r[:, 0] - rho[:, 0] * z[:, 0]
    closed = y > 0
    n = np.where(closed, y, 0.0)
    A[:, 0, 0] = ~closed
    B[:, 0, 0] = closed * rho[:, 0]
    for a, b, arm, size in GROUPS if d == 6 else GROUPS[:1] if d == 3 else ():
        rt = rho[:, size]
        y = r[:, a:b] - rt[:, None] * z[:, a:b]
        length = np.linalg.norm(y, axis=1)
        bound = mu[:, arm] * n
        slides = (length > bound) | (rt == 0)
        safe = np.where(length > 0, length, 1.0)
        e = y / safe[:, None]
        part = np.where(slides & (length > 0), bound / safe, 0.0)
        eye = np.eye(b - a)
        flat = part[:, None, None] * (eye - e[:, :, None] * e[:, None, :])
        A[:, a:b, a:b] = slides[:, None, None] * eye - flat
        B[:, a:b, a:b] = rt[:, None, None] * ((~slides)[:, None, None] * eye + flat)
        pull = (slides & closed)[:, None] * mu[:, arm, None] * e
        A[:, a:b, 0] -= pull
        B[:, a:b, 0] += rho[:, 0, None] * pull
    return A, B


def _step(W, A, B, F):
    m, d = F.shape
    if isinstance(W, np.ndarray):
        J = np.matmul(B, W.reshape(m, d, m * d)).reshape(m * d, m * d)
        blocks = J.reshape(m, d, m, d)
        at = np.arange(m)
        blocks[at, :, at, :] += A
        return np.linalg.solve(J, -F.ravel()).reshape(m, d)
    J = _diagonal(B) @ W + _diagonal(A)
    return splu(J.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.1).solve(-F.ravel()).reshape(m, d)


def _diagonal(blocks):
    m, d, _ = blocks.shape
    return sparse.bsr_matrix((blocks, np.arange(m), np.arange(m + 1)), shape=(m * d, m * d)).tocsc()


def regular(W):
    """W and a small part of its diagonal, never zero."""
    if isinstance(W, np.ndarray):
        D = np.diag(W)
        return W + np.diag(REGULAR * np.where(D > 1e-9 * D.max(), D, D.max()))
    D = W.diagonal()
    return (W + sparse.diags(REGULAR * np.where(D > 1e-9 * D.max(), D, D.max()))).tocsc()


def newton(v: View, goal: float, limit: int, most_rounds: int = 12) -> int:
    """Solve one island to a residual (speed) of `goal` from the impulses at hand, with at most `limit` steps and
    `most_rounds` returns to Gauss-Seidel; returns how many steps.  The best point found is in the problem."""
    mu, rho = v.mu, v.rho
    weight = np.ones((1, v.d)) / np.where(rho[:, :1] > 0, rho[:, :1], np.inf)  # impulses to speeds
    W = None
    best, kept = v.error(), v.r.copy()
    rounds = 0
    it = 0
    while it < limit and not best <= goal:
        r = v.r
        z = v.P.z[v.k] if W is None else v.z(r)
        if W is None:
            W = regular(v.W)
        F = function(z, r, mu, rho)
        merit = np.sum((weight * F) ** 2)
        stuck = False
        close = False
        while it < limit:
            it += 1
            try:
                dr = _step(W, *derivatives(z, r, mu, rho), F)
            except (np.linalg.LinAlgError, RuntimeError):
                break
            if not np.isfinite(dr).all():
                break
            dz = v.z(dr) - v.q
            step = 1.0
            for _ in range(12):
                Fn = function(z + step * dz, r + step * dr, mu, rho)
                new = np.sum((weight * Fn) ** 2)
                if new <= (1 - 1e-4 * step) * merit:
                    break
                step *= 0.5
            else:
                stuck = True
                break
            r = r + step * dr
            z = v.z(r)
            F, merit, old = Fn, new, merit
            v.put(r)
            now = v.error()
            if now < best:
                best, kept = now, r
            if close or (step < 0.01 and merit > 0.9 * old):
                break
            close = best <= goal  # one step more gives the last digits
        if best <= goal:
            break
        rounds += 1
        if rounds > most_rounds or (stuck and best <= 1e-12 * v.scale):
            break
        v.put(kept)
        v.sweeps(0.0, goal, 30 * rounds)
        now = v.error()
        if now < best:
            best, kept = now, v.r.copy()
    v.put(kept)
    return it
