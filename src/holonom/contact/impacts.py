"""Impacts and accelerations of touching points as complementarity problems: who opens, sticks or slides, and with what impulses.

The points have relative velocities w (n, t1, t2 of each), impulses r and the Delassus matrix W = H P H^T, P the inverse mass that joints
leave: w+ = w- + W r.  For each point, with z = w+ + e_n w_n- (along n) and w+ + e_t w_t- (across),

    0 <= z_n  _|_  r_n >= 0,      |r_t| <= mu r_n,   z_t = 0 or r_t = -mu r_n z_t / |z_t|.

* NEWTON: e_n the restitution of velocities (Moreau, in: Nonsmooth Mechanics and Applications, Springer 1988).
* POISSON: this problem with e_n = 0 for the compression, then a second one in which r_n is at least e_n times that of the compression
  (Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996, ch. 8).
* ENERGY: the work of the normal force in expansion is -e_n^2 that of compression (W. J. Stronge, Proc. R. Soc. Lond. A 431 (1990) 169).
  One point alone is followed through its impact, the normal impulse being the time (Darboux, Keller), as slip turns, stops and begins
  again.  Several points have the two problems of Poisson, with coefficients such that the work of each is the one asked for.

The same problem with accelerations, W r + b, tells what a touching point does next: one that slides has one unknown, its column
W (n - mu s), so that the matrix is not symmetric and there may be no solution, or several (Painleve).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

TOLERANCE = 1e-13  # of the residual, of the largest velocity
GOOD = 1e-9  # what is accepted at worst
NEWTON_STEPS, SWEEPS = 40, 6400
WORK_STEPS = 100  # of the search for coefficients of energetic restitution
ENUMERATED = 10  # points that slide for which all solutions are looked for
SINGULAR = 1e-9  # share of the product of the diagonal below which a minor counts as zero


class Impact(NamedTuple):
    """``r`` (k, 3) impulses, ``residual`` of the complementarity conditions, of the largest velocity."""

    r: np.ndarray
    residual: float


class Motion(NamedTuple):
    """What touching points do next: ``r`` (k, 3) forces, ``a`` (k, 3) accelerations, ``residual``; ``solutions``: how many were found where friction
    makes the problem questionable (0: none, 1: one, 2: several)."""

    r: np.ndarray
    a: np.ndarray
    residual: float
    solutions: int


def impact(W, w, mu, law, restitution, tangential=None) -> Impact:
    """Impulses of k touching points: W (3k, 3k), w (k, 3) velocities before, mu, restitution, tangential (k,); law of all: NEWTON, POISSON
    or ENERGY (that of the first closing point where they differ)."""
    k = len(w)
    e = np.asarray(restitution, float)
    et = np.zeros(k) if tangential is None else np.asarray(tangential, float)
    closing = w[:, 0] < 0.0
    if law == "ENERGY" and k == 1 and not et.any():
        return Impact(energetic(W, w[0], float(mu[0]), float(e[0]))[None], 0.0)
    back = np.where(closing[:, None], np.column_stack([e * w[:, 0], et * w[:, 1], et * w[:, 2]]), 0.0)
    if law == "NEWTON":
        return Impact(*solve(W, w + back, mu))
    back[:, 0] = 0.0
    r1, first = solve(W, w, mu)
    w1 = w + (W @ r1.ravel()).reshape(k, 3)
    kept = e.copy()
    for _ in range(WORK_STEPS if law == "ENERGY" else 1):
        r2, second = solve(W, w1 + back, mu, kept * r1[:, 0])
        if law != "ENERGY":
            break
        w2 = w1 + (W @ r2.ravel()).reshape(k, 3)
        in_ = -0.5 * r1[:, 0] * (w[:, 0] + w1[:, 0])
        out = 0.5 * r2[:, 0] * (w1[:, 0] + w2[:, 0])
        some = (in_ > 0.0) & (out > 0.0)
        factor = np.where(some, e * np.sqrt(np.maximum(in_, 0.0) / np.where(some, out, 1.0)), 1.0)
        kept = kept * factor
        if np.abs(factor - 1.0).max() < 1e-13:
            break
    return Impact(r1 + r2, max(first, second))


# ---- the problem of velocities ----------------------------------------------------------------------------------------------
def solve(W, q, mu, low=None) -> tuple[np.ndarray, float]:
    """r (k, 3) with z = W r + q: r_n >= low (0), z_n >= 0, complementary; friction within mu r_n.  Newton's method on the projections
    (Alart, Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353), after sweeps of Gauss-Seidel where it does not find there from zero.
    Returns r and the residual as a share of the largest |q|."""
    k = len(q)
    low = np.zeros(k) if low is None else low
    mu = np.asarray(mu, float)
    rho = _metric(W, k)
    start = np.zeros((k, 3))
    start[:, 0] = low
    size = max(float(np.abs(q).max(initial=0.0)), float(np.abs(W @ start.ravel()).max(initial=0.0))) or 1.0
    r, best = _newton(W, q, mu, low, rho, start, size)
    sweeps = 25
    trial = start
    while best > TOLERANCE * 100 and sweeps <= SWEEPS:
        for _ in range(sweeps):
            _sweep(W, q, mu, low, rho, trial)
        found, residual = _newton(W, q, mu, low, rho, trial.copy(), size)
        if residual < best:
            r, best = found, residual
        sweeps *= 4
    return r, best


def _metric(W, k) -> np.ndarray:
    """1 / size of the local block along n and across, (k, 2)."""
    rho = np.ones((k, 2))
    for i in range(k):
        B = W[3 * i : 3 * i + 3, 3 * i : 3 * i + 3]
        rho[i, 0] = 1.0 / B[0, 0] if B[0, 0] > 0.0 else 1.0
        top = 0.5 * (B[1, 1] + B[2, 2]) + np.hypot(0.5 * (B[1, 1] - B[2, 2]), B[1, 2])
        rho[i, 1] = 1.0 / top if top > 0.0 else rho[i, 0]
    return rho


def _sweep(W, q, mu, low, rho, r) -> None:
    for i in range(len(q)):
        s = slice(3 * i, 3 * i + 3)
        z = W[s] @ r.ravel() + q[i]
        r[i, 0] = max(low[i], r[i, 0] - rho[i, 0] * z[0])
        t = r[i, 1:] - rho[i, 1] * z[1:]
        length, radius = np.hypot(*t), mu[i] * r[i, 0]
        r[i, 1:] = t if length <= radius else t * (radius / length)


def _newton(W, q, mu, low, rho, r, size) -> tuple[np.ndarray, float]:
    k = len(q)
    best, kept = np.inf, r.copy()
    for _ in range(NEWTON_STEPS):
        z = (W @ r.ravel()).reshape(k, 3) + q
        F = np.zeros((k, 3))
        J = np.zeros((3 * k, 3 * k))
        for i in range(k):
            n = 3 * i
            x = r[i, 0] - rho[i, 0] * z[i, 0]
            F[i, 0] = r[i, 0] - max(low[i], x)
            if x > low[i]:
                J[n] = rho[i, 0] * W[n]
            else:
                J[n, n] = 1.0
            radius = mu[i] * max(low[i], x)
            t = r[i, 1:] - rho[i, 1] * z[i, 1:]
            length = float(np.hypot(*t))
            if radius <= 0.0:
                F[i, 1:] = r[i, 1:]
                J[n + 1, n + 1] = J[n + 2, n + 2] = 1.0
            elif length <= radius:
                F[i, 1:] = rho[i, 1] * z[i, 1:]
                J[n + 1 : n + 3] = rho[i, 1] * W[n + 1 : n + 3]
            else:
                d = t / length
                F[i, 1:] = r[i, 1:] - radius * d
                turn = radius / length * (np.eye(2) - np.outer(d, d))
                J[n + 1 : n + 3] = turn @ (rho[i, 1] * W[n + 1 : n + 3])
                J[n + 1 : n + 3, n + 1 : n + 3] += np.eye(2) - turn
                if x > low[i]:  # the radius moves with r_n - rho z_n
                    J[n + 1 : n + 3] += mu[i] * rho[i, 0] * np.outer(d, W[n])
                    J[n + 1 : n + 3, n] -= mu[i] * d
        residual = float(np.abs(F / rho[:, [0, 1, 1]]).max(initial=0.0)) / size
        if residual < best:
            best, kept = residual, r.copy()
        if residual <= TOLERANCE or not np.isfinite(residual):
            break
        scale = np.repeat(1.0 / rho[:, 0], 3)  # redundant points: the step of least norm
        try:
            step = np.linalg.lstsq(J * (1.0 / scale)[None, :], F.ravel(), rcond=1e-12)[0] / scale
        except np.linalg.LinAlgError:
            break
        r = r - step.reshape(k, 3)
        r[:, 0] = np.maximum(r[:, 0], low)
    return kept, best


# ---- one point, followed through its impact -------------------------------------------------------------------------------
def energetic(W, w, mu, e) -> np.ndarray:
    """Impulse (3,) of one point with energetic restitution: dw/dr_n = W (1, f), f = -mu s while it slips along s; sticking, the f that
    keeps it there, if that is within mu."""
    if not w[0] < 0.0:
        return np.zeros(3)
    v = np.array(w, float)
    f_stick = np.zeros(2)
    if mu > 0.0:
        f_stick = -np.linalg.solve(W[1:, 1:] + 1e-300 * np.eye(2), W[1:, 0]) if abs(np.linalg.det(W[1:, 1:])) > 0 else np.zeros(2)
    speed = float(np.abs(w).max())
    r = np.zeros(3)
    work = compressed = 0.0
    expanding = False
    if not np.hypot(*v[1:]) > 1e-14 * speed:
        v[1:] = 0.0
    for _ in range(50):
        sticks = not v[1:].any()
        way = None
        if sticks and np.hypot(*f_stick) <= mu:
            f = f_stick
        elif sticks:
            way = _breakaway(W, mu)
            f = -mu * way
        else:
            f = -mu * v[1:] / np.hypot(*v[1:])
        slope = W @ np.array([1.0, *f])
        if not sticks and mu > 0.0 and abs(v[1] * slope[2] - v[2] * slope[1]) > 1e-15 * speed * np.abs(W).max():
            v, r, work, expanding, compressed, done = _turning(W, v, mu, r, work, compressed, expanding, e, speed)
            if done:
                return r
            continue
        # straight piece: v + slope x; it ends where the normal velocity or the slip vanishes or the work is done
        ends = []
        if not expanding and slope[0] > 0.0:
            ends.append((-v[0] / slope[0], "turn"))
        if expanding:
            goal = (1.0 - e * e) * compressed
            # work + v0 x + slope x^2 / 2 = goal
            a, b, c = 0.5 * slope[0], v[0], work - goal
            disc = b * b - 4.0 * a * c
            if a > 0.0 and disc >= 0.0:
                ends.append((max((-b + np.sqrt(disc)) / (2.0 * a), 0.0), "end"))
            elif b > 0.0:
                ends.append((-c / b, "end"))
        if not sticks and mu > 0.0:
            along = slope[1:] @ v[1:] / np.hypot(*v[1:])
            if along < 0.0:
                ends.append((np.hypot(*v[1:]) / -along, "stop"))
        if not ends:
            break
        x, what = min(ends)
        work += v[0] * x + 0.5 * slope[0] * x * x
        r += x * np.array([1.0, *f])
        v = v + slope * x
        if what == "stop":
            v[1:] = 0.0
        elif what == "turn":
            v[0], expanding, compressed = 0.0, True, work
            if e == 0.0:
                return r
        else:
            return r
        if sticks and way is not None and not v[1:].any():
            v[1:] = 1e-15 * speed * way
    return r


def _breakaway(W, mu) -> np.ndarray:
    """Direction in which a point that cannot stick begins to slip: s parallel to the rate of slip under -mu s."""
    from scipy.optimize import brentq

    a = np.linspace(0.0, 2.0 * np.pi, 721)

    def off(x):
        s = np.array([np.cos(x), np.sin(x)])
        rate = W[1:, 0] - mu * W[1:, 1:] @ s
        return s[0] * rate[1] - s[1] * rate[0], s @ rate

    values = np.array([off(x) for x in a])
    best, most = a[int(np.argmax(values[:, 1]))], -np.inf
    for i in range(len(a) - 1):
        if values[i, 0] * values[i + 1, 0] <= 0.0:
            x = brentq(lambda x: off(x)[0], a[i], a[i + 1], xtol=1e-15) if values[i, 0] * values[i + 1, 0] < 0.0 else a[i]
            if off(x)[1] > most:
                best, most = x, off(x)[1]
    return np.array([np.cos(best), np.sin(best)])


def _turning(W, v, mu, r, work, compressed, expanding, e, speed):
    """A piece in which the direction of slip turns, by an integrator of high order."""

    def rate(x, s):
        slip = np.hypot(s[1], s[2])
        f = -mu * s[1:3] / slip if slip > 0.0 else np.zeros(2)
        slope = W @ np.array([1.0, *f])
        return [*slope, s[0], 1.0, *f]

    goal = (1.0 - e * e) * compressed
    turn = (lambda x, s: s[3] - goal) if expanding else (lambda x, s: s[0])
    turn.terminal, turn.direction = True, 1  # type: ignore[attr-defined]
    stop = lambda x, s: np.hypot(s[1], s[2]) - 1e-9 * speed  # noqa: E731
    stop.terminal = True  # type: ignore[attr-defined]
    span = 1e3 * speed / W[0, 0]
    found = solve_ivp(rate, (0.0, span), [*v, work, *r], events=(turn, stop), rtol=1e-12, atol=1e-14 * speed, method="DOP853")
    s = found.y[:, -1]
    v, work, r = s[:3].copy(), float(s[3]), s[4:].copy()
    if len(found.t_events[1]):
        v[1:] = 0.0
        return v, r, work, expanding, compressed, False
    if expanding:
        return v, r, work, True, compressed, True
    v[0] = 0.0
    return v, r, work, True, work, e == 0.0


# ---- accelerations ----------------------------------------------------------------------------------------------------------
def accelerate(W, b, mu, ways) -> Motion:
    """Forces and accelerations of touching points: b (k, 3) accelerations without forces; ways (k, 2): unit direction of slip in the tangents
    of a point that slides, zero for one at rest."""
    k = len(b)
    sliding = np.hypot(ways[:, 0], ways[:, 1]) > 0.5
    T = np.eye(3 * k)
    for i in np.flatnonzero(sliding):
        T[3 * i + 1 : 3 * i + 3, 3 * i] = -mu[i] * ways[i]
        T[3 * i + 1, 3 * i + 1] = T[3 * i + 2, 3 * i + 2] = 0.0
    A = W @ T
    rub = np.where(sliding, 0.0, mu)
    solutions = 1
    x = None
    slides = np.flatnonzero(sliding & (mu > 0.0))
    if len(slides) and len(slides) <= ENUMERATED:
        x, solutions = _all_solutions(A, b, rub, slides)
    residual = 0.0
    if x is None:
        x, residual = solve(A, b, rub)
        if residual > GOOD and len(slides) and solutions == 1:
            solutions = 0
    r = (T @ x.ravel()).reshape(k, 3)
    return Motion(r, (W @ r.ravel()).reshape(k, 3) + b, residual, solutions)


def _all_solutions(A, b, rub, slides):
    """Where the points that slide, all others free or at rest as they were, do not have a matrix whose minors are all positive: every
    solution by enumeration.  Returns (x or None when the problem is a good one, number of solutions)."""
    k = len(b)
    n = 3 * slides
    N = A[np.ix_(n, n)]
    d = np.abs(np.diag(N)).max()
    questionable = False
    sets = [[i for i in range(len(n)) if m >> i & 1] for m in range(1, 1 << len(n))]
    for s in sets:
        minor = np.linalg.det(N[np.ix_(s, s)] / d)
        if minor < -SINGULAR:
            questionable = True
            break
    if not questionable:
        return None, 1
    others = [i for i in range(k) if i not in set(slides.tolist())]
    if others:  # whether these hold depends on them: only what Newton's method finds is known
        return None, 1
    found: list[np.ndarray] = []
    size = np.abs(b).max() or 1.0
    q = b[slides, 0]
    for s in [[], *sets]:
        x = np.zeros(len(n))
        if s:
            M = N[np.ix_(s, s)]
            if abs(np.linalg.det(M / d)) <= 1e-14:
                continue
            x[s] = -np.linalg.solve(M, q[s])
        z = N @ x + q
        if (
            (x >= -1e-12 * size / d).all()
            and (z >= -1e-11 * size).all()
            and not any(np.allclose(x, f, atol=1e-9 * size / d) for f in found)
        ):
            found.append(x)
    if not found:
        return np.zeros((k, 3)), 0
    x = np.zeros((k, 3))
    x[slides, 0] = min(found, key=lambda f: float(np.abs(f).sum()))
    return x, min(len(found), 2)
