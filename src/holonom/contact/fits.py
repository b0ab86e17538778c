"""Contact laws from what was measured: a Prony series from a relaxation test, a power law from a curve of force against
depth.

**Relaxation.**  A depth d is set at once and held; the force falls as F(t) = k d^n (g + sum of g_i exp(-t/tau_i)), g =
1 - sum of g_i: VISCOELASTIC. For given relaxation times the force is linear in shares that must not be negative, which
non-negative least squares solves (C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, 1974, ch. 23); on a fine
grid of times it leaves a few clusters, whose times are then moved to where the error is least (variable projection: G.
H. Golub, V. Pereyra, SIAM J. Numer. Anal. 10 (1973) 413).

**Stiffness.**  F = k d^n, with the smallest sum of squared deviations of the force.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares, nnls

from ..model.base import ModelError
from .laws.viscoelastic import BRANCHES

WORTH = 0.8  # a further branch must bring the deviation below this share of what it was
GRID = 12  # relaxation times a decade of the grid on which clusters are found


@dataclass(frozen=True)
class PronyFit:
    """``stiffness`` k (instantaneous) and ``exponent`` n of k d^n; ``shares`` g_i with ``times`` tau_i, rising;
    ``error``: largest deviation of the force as a share of its largest value."""

    stiffness: float
    exponent: float
    shares: tuple[float, ...]
    times: tuple[float, ...]
    error: float

    @property
    def fields(self) -> dict:
        """For ``model.contact(...)``: law VISCOELASTIC with its numbers."""
        pairs = enumerate(zip(self.shares, self.times), 1)
        parameters = {name: x for i, (g, tau) in pairs for name, x in ((f"g{i}", g), (f"tau{i}", tau))}
        return {"law": "VISCOELASTIC", "stiffness": self.stiffness, "exponent": self.exponent, "parameters": parameters}

    def relaxation(self, time) -> np.ndarray:
        """Share of the instantaneous force that is left after ``time``."""
        t = np.asarray(time, float)
        return 1.0 - sum(g * (1.0 - np.exp(-t / tau)) for g, tau in zip(self.shares, self.times))


@dataclass(frozen=True)
class StiffnessFit:
    """``stiffness`` k and ``exponent`` n of F = k d^n; ``error``: largest deviation as a share of the largest force."""

    stiffness: float
    exponent: float
    error: float

    @property
    def fields(self) -> dict[str, float]:
        """For ``model.contact(...)`` with any law that takes stiffness and exponent."""
        return {"stiffness": self.stiffness, "exponent": self.exponent}


def _curve(x, y, what: str, least: int) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.asarray(x, float), np.asarray(y, float)
    if x.ndim != 1 or x.shape != y.shape or len(x) < least:
        raise ModelError(
            f"{what}: two lists of one length are needed, of {least} points at least, not {x.shape} and {y.shape}"
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ModelError(f"{what}: a value is not a number")
    if (np.diff(x) <= 0.0).any():
        raise ModelError(f"{what}: its first column must rise; point {int(np.argmax(np.diff(x) <= 0.0)) + 2} does not")
    return x, y


def prony(
    time, force, *, depth: float, exponent: float = 1.5, times=None, branches: int = BRANCHES, tolerance: float = 0.05
) -> PronyFit:
    """Law VISCOELASTIC from the ``force`` measured at ``time`` after a ``depth`` was set at once (at time 0) and held.

    ``times``: relaxation times to use, else up to ``branches`` are found, as many as are worth it.  ``exponent`` n of
    the elastic law (3/2: round surfaces, 1: faces). Raises ModelError where no series comes within ``tolerance`` of the
    largest force.
    """
    t, F = _curve(time, force, "relaxation curve", 4)
    if t[0] < 0.0 or not depth > 0.0 or not exponent >= 1.0:
        raise ModelError(
            "a relaxation curve begins at time 0 or later, with a depth above 0 and an exponent of 1 or more, not "
            f"{t[0]:g}, {depth:g}, {exponent:g}"
        )
    if not F.max() > 0.0:
        raise ModelError("relaxation curve: its force must be positive (what presses the surfaces apart)")
    if not 1 <= branches <= BRANCHES:
        raise ModelError(f"VISCOELASTIC has 1 to {BRANCHES} branches, not {branches}")

    def solve(tau) -> tuple[np.ndarray, np.ndarray]:
        A = np.column_stack([np.ones_like(t), *(np.exp(-t / x) for x in tau)])
        share, _ = nnls(A, F, maxiter=1000 * A.shape[1])
        return share, A @ share - F

    if times is not None:
        tau = np.unique(np.asarray(times, float))
        if not 1 <= len(tau) <= BRANCHES or not (tau > 0.0).all():
            raise ModelError(f"relaxation times: 1 to {BRANCHES} positive numbers are needed, not {list(tau)}")
    else:
        # what falls before the first point is not seen: no branch is so fast
        low, high = np.log10(2.0 * t[0] if t[0] > 0.0 else 0.3 * t[1]), np.log10(3.0 * t[-1])
        grid = 10.0 ** np.linspace(low, high, max(int(GRID * (high - low)), BRANCHES) + 1)
        clusters, bounds = solve(grid)[0][1:], (np.log(grid[0]), np.log(grid[-1]))
        tau, best = np.zeros(0), np.linalg.norm(solve(())[1])
        for most in range(1, branches + 1):
            begin = _clusters(grid, clusters, most)
            if len(begin) < most:
                break
            found = least_squares(
                lambda x: solve(np.exp(x))[1] / F.max(), np.log(begin), bounds=bounds, xtol=1e-12, ftol=1e-12
            )
            rest = np.linalg.norm(found.fun) * F.max()
            if rest > WORTH * best:  # one more would follow the noise
                break
            tau, best = np.sort(np.exp(found.x)), rest
    share, rest = solve(tau)
    error = float(np.abs(rest).max() / F.max())
    if error > tolerance:
        raise ModelError(
            f"relaxation curve: the best Prony series of {len(tau)} branches is off by {error:.2g} of the largest "
            "force; give more branches, other times, "
            "or a curve that falls"
        )
    kept = share[1:] > 1e-9 * share.sum()
    total = share.sum()
    return PronyFit(
        total / depth**exponent,
        exponent,
        tuple(float(x) for x in share[1:][kept] / total),
        tuple(float(x) for x in tau[kept]),
        error,
    )


def _clusters(grid: np.ndarray, share: np.ndarray, most: int) -> np.ndarray:
    """Times of neighbours on the grid together, the nearest of them joined until no more than ``most`` are left."""
    groups: list[list[float]] = []  # [sum of shares, sum of shares * log tau], index of the last
    last = -2
    for k in np.flatnonzero(share > 1e-9 * max(share.sum(), 1e-300)):
        if k == last + 1:
            groups[-1][0] += share[k]
            groups[-1][1] += share[k] * np.log(grid[k])
        else:
            groups.append([share[k], share[k] * np.log(grid[k])])
        last = k
    while len(groups) > most:
        middle = [b / a for a, b in groups]
        k = int(np.argmin(np.diff(middle)))
        a, b = groups.pop(k + 1)
        groups[k] = [groups[k][0] + a, groups[k][1] + b]
    return np.exp([b / a for a, b in groups])


def stiffness(depth, force, *, tolerance: float = 0.05) -> StiffnessFit:
    """Power law k d^n, n at least 1, from ``force`` measured at ``depth`` (slowly, loading).

    Raises ModelError where no power law comes within ``tolerance`` of the largest force.
    """
    d, F = _curve(depth, force, "stiffness curve", 3)
    inside = d > 0.0
    if inside.sum() < 2 or not (F[inside] >= 0.0).all() or not F.max() > 0.0:
        raise ModelError(
            "stiffness curve: two points at least must have a depth above 0, and no force there may be negative"
        )
    if (np.abs(F[~inside]) > tolerance * F.max()).any():
        raise ModelError(
            "stiffness curve: it has a force where the depth is 0 or less; count the depth from the first touch"
        )
    x, y = d[inside] / d[-1], F[inside] / F.max()
    scale = lambda n: float((y @ x**n) / (x**n @ x**n))
    n = least_squares(lambda p: scale(p[0]) * x ** p[0] - y, [1.5], bounds=(1.0, 20.0), xtol=1e-14, ftol=1e-14).x[0]
    error = float(np.abs(scale(n) * x**n - y).max())
    if error > tolerance:
        raise ModelError(
            f"stiffness curve: the best power law, exponent {n:.3g}, is off by {error:.2g} of the largest force; fit "
            "the range of depths that the model "
            "will see, or give a routine as the law (user routines)"
        )
    return StiffnessFit(scale(n) * F.max() / d[-1] ** n, float(n), error)
