"""Impacts and accelerations of touching points as complementarity problems: who opens, sticks or slides, and with what
impulses.

The points have relative velocities w (n, t1, t2 of each), impulses r and the Delassus matrix W = H P H^T, P the inverse
mass that joints
leave: w+ = w- + W r.  For each point, with z = w+ + e_n w_n- (along n) and w+ + e_t w_t- (across),

    0 <= z_n  _|_  r_n >= 0,      |r_t| <= mu r_n,   z_t = 0 or r_t = -mu r_n z_t / |z_t|.

With six velocities a point also resists spin (s) and rolling (two), each by the same law as slip, its arm (in the unit
of length that the rows are written in) in the place of mu; impulses of torque end spin and rolling as friction ends
slip.

* NEWTON: e_n the restitution of velocities (Moreau, in: Nonsmooth Mechanics and Applications, Springer 1988).  Moreau
  takes it of all points; one that opened before does not close here, so that energy could grow without friction too:
  then it is the largest share of it with which it does not.
* POISSON: this problem with e_n = 0 for the compression, then a second one in which r_n is at least e_n times that of
  the compression
  (Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996, ch. 8).
* ENERGY: the work of the normal force in expansion is -e_n^2 that of compression (W. J. Stronge, Proc. R. Soc. Lond. A
  431 (1990) 169). One point alone is followed through its impact, the normal impulse being the time (Darboux, Keller),
  as slip turns, stops and begins again.  Several points have the two problems of Poisson, with coefficients such that
  the work of each is the one requested; where no such coefficients are found and energy would grow, with the largest
  share of them that does not let it.

The same problem with accelerations, W r + b, gives what a touching point does next: one that slides has one unknown,
its column W (n - mu s), so that the matrix is not symmetric and there may be no solution, or several (Painleve).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from .._jit import jit

TOLERANCE = 1e-13  # of the residual, of the largest velocity
GOOD = 1e-9  # what a good solution has
SOLVED = 1e-4  # what is gone on with at worst
NEWTON_STEPS, SWEEPS = 40, 6400
WORK_STEPS = 100  # of the search for coefficients of energetic restitution
SHARES = 30  # steps of the search for a share of these coefficients that gains no energy
ENUMERATED = 10  # points that slide for which all solutions are searched for
SINGULAR = 1e-9  # share of the product of the diagonal below which a minor counts as zero


class Impact(NamedTuple):
    """``r`` (k, d) impulses, ``residual`` of the complementarity conditions, of the largest velocity."""

    r: np.ndarray
    residual: float


class Motion(NamedTuple):
    """What touching points do next: ``r`` (k, d) forces, ``a`` (k, d) accelerations, ``residual``; ``solutions``: how
    many were found where friction makes the problem questionable (0: none, 1: one, 2: several)."""

    r: np.ndarray
    a: np.ndarray
    residual: float
    solutions: int


def impact(W, w, mu, law, restitution, tangential=None) -> Impact:
    """Impulses of k touching points of d = 3 or 6 velocities: W (dk, dk), w (k, d) velocities before, mu (k,) or, with
    the arms of spin and rolling, (k, 3); restitution, tangential (k,); law of all: NEWTON, POISSON or ENERGY (that of
    the first closing point where they differ)."""
    k, d = w.shape
    e = np.asarray(restitution, float)
    et = np.zeros(k) if tangential is None else np.asarray(tangential, float)
    mu = _coefficients(mu)
    closing = w[:, 0] < 0.0
    if law == "ENERGY" and k == 1 and not et.any() and not mu[0, 1:].any():
        r = np.zeros((1, d))
        r[0, :3] = energetic(W[:3, :3], w[0, :3], float(mu[0, 0]), float(e[0]))
        return Impact(r, 0.0)
    back = np.zeros((k, d))
    back[:, :3] = np.where(closing[:, None], np.column_stack([e * w[:, 0], et * w[:, 1], et * w[:, 2]]), 0.0)
    if law == "NEWTON":
        r, residual = solve(W, w + back, mu)
        if not mu.any() and _gained(W, w, r) > 0.0:  # a point that was opening is pushed at
            r, residual = _less(W, w, lambda share: solve(W, w + share * back, mu))
        return Impact(r, residual)
    back[:, 0] = 0.0
    r1, first = solve(W, w, mu)
    w1 = w + (W @ r1.ravel()).reshape(k, d)
    kept = e.copy()
    for _ in range(WORK_STEPS if law == "ENERGY" else 1):
        r2, second = solve(W, w1 + back, mu, kept * r1[:, 0])
        if law != "ENERGY":
            break
        w2 = w1 + (W @ r2.ravel()).reshape(k, d)
        in_ = -0.5 * r1[:, 0] * (w[:, 0] + w1[:, 0])
        out = 0.5 * r2[:, 0] * (w1[:, 0] + w2[:, 0])
        some = (in_ > 0.0) & (out > 0.0)
        factor = np.where(some, e * np.sqrt(np.maximum(in_, 0.0) / np.where(some, out, 1.0)), 1.0)
        kept = kept * np.clip(factor, 0.1, 10.0)
        if np.abs(factor - 1.0).max() < 1e-13:
            break
    if (
        law == "ENERGY" and _gained(W, w, r1 + r2) > 0.0
    ):  # works of points that push at each other need not fit together
        r2, second = _less(W, w, lambda share: solve(W, w1 + back, mu, share * kept * r1[:, 0]), r1)
    return Impact(r1 + r2, max(first, second))


def _less(W, w, part, before=0.0):
    """Impulses ``part(share)`` of the largest share of restitution with which they and those ``before`` them gain no
    energy at velocities w before all; with none of it nothing is gained."""
    low, high = 0.0, 1.0
    best = part(0.0)
    for _ in range(SHARES):
        middle = 0.5 * (low + high)
        trial = part(middle)
        if trial[1] <= GOOD and _gained(W, w, before + trial[0]) <= 0.0:
            low, best = middle, trial
        else:
            high = middle
    return best


def _gained(W, w, r) -> float:
    """Kinetic energy that impulses r give at velocities w before them, less roundoff."""
    return float((r * (w + 0.5 * (W @ r.ravel()).reshape(w.shape))).sum()) - 1e-13 * float(
        (np.abs(r) * np.abs(w)).sum()
    )


def groups(d: int) -> list[slice]:
    """Velocities of a point across its normal that have one bound together: slip, spin, rolling."""
    return [slice(1, 3), slice(3, 4), slice(4, 6)][: 1 if d == 3 else 3]


def _coefficients(mu) -> np.ndarray:
    """(k, 3): coefficient of friction, arms of spin and rolling."""
    mu = np.asarray(mu, float)
    return mu if mu.ndim == 2 else np.column_stack([mu, 0.0 * mu, 0.0 * mu])


# ---- the problem of velocities ---------------------------------------------------------------------------------------
def solve(W, q, mu, low=None) -> tuple[np.ndarray, float]:
    """r (k, d) with z = W r + q: r_n >= low (0), z_n >= 0, complementary; friction within mu r_n.  Newton's method on
    the projections
    (Alart, Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353), after sweeps of Gauss-Seidel where it does not
    find there from zero. Returns r and the residual as a share of the largest |q|."""
    k, d = q.shape
    low = np.zeros(k) if low is None else low
    mu = _coefficients(mu)
    rho = _metric(W, k, d)
    start = np.zeros((k, d))
    start[:, 0] = low
    size = max(float(np.abs(q).max(initial=0.0)), float(np.abs(W @ start.ravel()).max(initial=0.0))) or 1.0
    r, best = _newton(W, q, mu, low, rho, start, size)
    sweeps = 25
    trial = start
    while best > TOLERANCE * 100 and sweeps <= SWEEPS:
        _sweep(np.ascontiguousarray(W), q, mu, low, rho, trial, sweeps)
        found, residual = _newton(W, q, mu, low, rho, trial.copy(), size)
        if residual < best:
            r, best = found, residual
        sweeps *= 4
    return r, best


def _metric(W, k, d) -> np.ndarray:
    """1 / size of the local block along n and of each group across, (k, d)."""
    rho = np.ones((k, d))
    for i in range(k):
        B = W[d * i : d * i + d, d * i : d * i + d]
        rho[i] = 1.0 / B[0, 0] if B[0, 0] > 0.0 else 1.0
        for s in groups(d):
            top = np.linalg.eigvalsh(B[s, s])[-1]
            if top > 0.0:
                rho[i, s] = 1.0 / top
    return rho


@jit(entry=("float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[:, ::1], float64[:, ::1], int64"))
def _sweep(W, q, mu, low, rho, r, sweeps):
    """Projected Gauss-Seidel, point by point: first along the normal, then each group across, ends and lengths as in
    `groups`."""
    k, d = q.shape
    for _ in range(sweeps):
        for i in range(k):
            for g in range(-1, 1 if d == 3 else 3):
                first = 0 if g < 0 else 1 if g == 0 else 3 if g == 1 else 4
                last = 1 if g < 0 else 3 if g == 0 else 4 if g == 1 else 6
                length = 0.0
                for c in range(first, last):
                    z = q[i, c]
                    for j in range(k):
                        for e in range(d):
                            z += W[d * i + c, d * j + e] * r[j, e]
                    r[i, c] -= rho[i, c] * z
                    length += r[i, c] * r[i, c]
                if g < 0:
                    r[i, 0] = max(low[i], r[i, 0])
                    continue
                length = math.sqrt(length)
                radius = mu[i, g] * r[i, 0]
                if length > radius:
                    for c in range(first, last):
                        r[i, c] *= radius / length


def _newton(W, q, mu, low, rho, r, size) -> tuple[np.ndarray, float]:
    k, d = q.shape
    best, kept = np.inf, r.copy()
    rows = W.reshape(k, d, k * d)
    own = np.arange(k)
    scale = np.repeat(1.0 / rho[:, 0], d)  # redundant points: the step of minimum norm
    for _ in range(NEWTON_STEPS):
        z = (W @ r.ravel()).reshape(k, d) + q
        # derivatives of F by z and by r
        F, by_z, by_r = np.zeros((k, d)), np.zeros((k, d, d)), np.zeros((k, d, d))
        x = r[:, 0] - rho[:, 0] * z[:, 0]
        held = x > low
        most = np.where(held, x, low)
        F[:, 0] = r[:, 0] - most
        by_z[:, 0, 0] = np.where(held, rho[:, 0], 0.0)
        by_r[:, 0, 0] = np.where(held, 0.0, 1.0)
        for g, s in enumerate(groups(d)):
            radius = mu[:, g] * most
            t = r[:, s] - rho[:, s] * z[:, s]
            length = np.sqrt((t * t).sum(axis=1))
            inside = (length <= radius)[:, None]
            shut = (radius <= 0.0)[:, None]
            way = t / np.where(length > 0.0, length, 1.0)[:, None]
            one = np.eye(t.shape[1])
            share = np.where(inside[:, 0], 1.0, radius / np.where(length > 0.0, length, 1.0))[:, None, None]
            turn = share * (
                one - np.where(inside, 0.0, way)[:, :, None] * way[:, None, :]
            )  # of the projection onto the disc
            turn[shut[:, 0]] = 0.0
            F[:, s] = np.where(shut, r[:, s], np.where(inside, rho[:, s] * z[:, s], r[:, s] - radius[:, None] * way))
            by_z[:, s, s] = turn * rho[:, s][:, None, :]
            by_r[:, s, s] = one - turn
            grows = mu[:, g, None] * np.where(
                shut | inside | ~held[:, None], 0.0, way
            )  # the radius moves with r_n - rho z_n
            by_z[:, s, 0] = grows * rho[:, :1]
            by_r[:, s, 0] = -grows
        residual = float(np.abs(F / rho).max(initial=0.0)) / size
        if residual < best:
            best, kept = residual, r.copy()
        if residual <= TOLERANCE or not np.isfinite(residual):
            break
        J = np.matmul(by_z, rows).reshape(k, d, k, d)
        J[own, :, own] += by_r
        try:
            step = np.linalg.lstsq(J.reshape(k * d, k * d) / scale[None, :], F.ravel(), rcond=1e-12)[0] / scale
        except np.linalg.LinAlgError:
            break
        r = r - step.reshape(k, d)
        r[:, 0] = np.maximum(r[:, 0], low)
    return kept, best


# ---- one point, followed through its impact --------------------------------------------------------------------------
def energetic(W, w, mu, e) -> np.ndarray:
    """Impulse (3,) of one point with energetic restitution: dw/dr_n = W (1, f), f = -mu s while it slips along s;
    sticking, the f that keeps it there, if that is within mu."""
    if not w[0] < 0.0:
        return np.zeros(3)
    v = np.array(w, float)
    f_stick = np.zeros(2)
    if mu > 0.0:
        f_stick = (
            -np.linalg.solve(W[1:, 1:] + 1e-300 * np.eye(2), W[1:, 0])
            if abs(np.linalg.det(W[1:, 1:])) > 0
            else np.zeros(2)
        )
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
            x = (
                brentq(lambda x: off(x)[0], a[i], a[i + 1], xtol=1e-15)
                if values[i, 0] * values[i + 1, 0] < 0.0
                else a[i]
            )
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
    found = solve_ivp(
        rate, (0.0, span), [*v, work, *r], events=(turn, stop), rtol=1e-12, atol=1e-14 * speed, method="DOP853"
    )
    s = found.y[:, -1]
    v, work, r = s[:3].copy(), float(s[3]), s[4:].copy()
    if len(found.t_events[1]):
        v[1:] = 0.0
        return v, r, work, expanding, compressed, False
    if expanding:
        return v, r, work, True, compressed, True
    v[0] = 0.0
    return v, r, work, True, work, e == 0.0


# ---- accelerations ---------------------------------------------------------------------------------------------------
def accelerate(W, b, mu, ways) -> Motion:
    """Forces and accelerations of touching points: b (k, d) accelerations without forces; ways (k, d - 1): unit
    direction of slip in the tangents (sign of spin, direction of rolling) of a point that slides, zero for one at rest;
    mu as in `impact`."""
    k, d = b.shape
    mu = _coefficients(mu)
    T = np.eye(d * k)
    acting_mu = mu.copy()
    held = np.zeros(k, bool)  # by friction of a size that is not known beforehand
    for g, s in enumerate(groups(d)):
        way = ways[:, s.start - 1 : s.stop - 1]
        sliding = np.sqrt((way * way).sum(axis=1)) > 0.5
        for i in np.flatnonzero(sliding):
            rows = np.arange(d * i + s.start, d * i + s.stop)
            T[rows, d * i] = -mu[i, g] * way[i]
            T[rows, rows] = 0.0
        acting_mu[sliding, g] = 0.0
        held |= ~sliding & (mu[:, g] > 0.0)
    slides = np.flatnonzero((acting_mu < mu).any(axis=1))
    A = W @ T if len(slides) else W
    solutions = 1
    paradox = False  # may it be that there is none? what is only not found gives no information about that
    x = None
    if len(slides) and len(slides) <= ENUMERATED:
        x, solutions, paradox = _all_solutions(A, b, held, slides)
    residual = 0.0
    if x is None:
        x, residual = solve(A, b, acting_mu)
        if residual > SOLVED and paradox:
            solutions = 0
    r = (T @ x.ravel()).reshape(k, d)
    return Motion(r, (W @ r.ravel()).reshape(k, d) + b, residual, solutions)


def _all_solutions(A, b, held, slides):
    """Where the points that slide, all others free or at rest as they were, do not have a matrix whose minors are all
    positive: every solution by enumeration.  Returns (x or None when the problem is a good one or not enumerated,
    number of solutions, whether it is no good one)."""
    k, dim = b.shape
    n = dim * slides
    N = A[np.ix_(n, n)]
    d = np.abs(np.diag(N)).max()
    if np.linalg.eigvalsh(0.5 * (N + N.T))[0] > SINGULAR * d:  # then all minors are positive
        return None, 1, False
    questionable = False
    sets = [[i for i in range(len(n)) if m >> i & 1] for m in range(1, 1 << len(n))]
    for s in sets:
        minor = np.linalg.det(N[np.ix_(s, s)] / d)
        if minor < -SINGULAR:
            questionable = True
            break
    if not questionable:
        return None, 1, False
    others = [i for i in range(k) if held[i] or i not in set(slides.tolist())]
    if others:  # whether these hold depends on them: only what Newton's method finds is known
        return None, 1, True
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
        return np.zeros((k, dim)), 0, True
    x = np.zeros((k, dim))
    x[slides, 0] = min(found, key=lambda f: float(np.abs(f).sum()))
    return x, min(len(found), 2), True
