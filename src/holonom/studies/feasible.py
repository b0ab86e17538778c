"""The method of feasible directions: each iterate meets the constraints and is better than the one before, so that a
search that is stopped leaves a design that can be used.

Zoutendijk (Methods of Feasible Directions, 1960) with the push-off factors of Vanderplaats (NASA TM X-62282, CONMIN,
1973) and, as there, directions within the unit sphere, found as the solution of non-negative least squares.  The sphere
is one of the metric of the curvature of the Lagrangian (BFGS with the damping of Powell, 1978), which removes the
zigzags of the first method.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .smooth import Smooth

if TYPE_CHECKING:
    from .optimize import Problem

THICKEST, THINNEST = 0.05, 1e-7  # distance within which a constraint counts as active, in the unit cube
STRONGEST = 50.0  # push-off factor of a violated constraint
STALLS = 2  # steps without progress before the thickness is reduced
NEAREST = 1e-13  # shortest step
AT_BOUND = 1e-9  # distance at which a bound counts as reached


def feasible_directions(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Least value by feasible directions.  A start that violates constraints is first moved to where it does not."""
    return _Search(problem, x0, options).run()


class _Search:
    def __init__(self, problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> None:
        self.smooth = Smooth(problem, x0, options["step"])
        self.rules = self.smooth.inequalities()
        self.tolerance = options["tolerance"]
        self.x = np.clip(x0, 0.0, 1.0)
        self.thickness = THICKEST
        self.metric = np.eye(len(x0))  # of the unit sphere: approximates the inverse curvature
        self.length = 0.1
        self.before: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None  #: point and slopes of the last step

    def _judged(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Objectives (n,) and constraints (n, rules), met where <= 0."""
        V = self.smooth.many(X)
        return V[:, 0], np.array([[sign * (v[k] - limit) for k, sign, limit in self.rules] for v in V])

    def run(self) -> tuple[bool, str]:
        done = self.smooth.done
        stalls = 0
        f, g = (part[0] for part in self._judged(self.x[None]))
        while True:
            J = self.smooth.slopes(self.x)
            slopes = np.array([sign * J[k] for k, sign, _ in self.rules]).reshape(-1, len(self.x))
            outside = bool((g > 0).any())
            direction, rate, multipliers = self._direction(J[0], slopes, g, outside)
            moved = False
            if rate > 1e-10:
                point = self._line(direction, f, g, outside)
                if point is not None:
                    moved = True
                    new, f_new, g_new = point
                    self._learn(J[0], slopes, multipliers, outside)
                    gain = abs(f - f_new) / max(abs(f), 1e-3)
                    stalls = stalls + 1 if gain <= self.tolerance and not outside else 0
                    self.x, f, g = new, f_new, g_new
            if moved and stalls < STALLS:
                continue
            if self.thickness <= THINNEST:
                if outside:
                    return done(False, "no direction reduces the violated constraints; give another start")
                if not moved:
                    return done(True, "no feasible direction reduces the objective")
                return done(True, "feasible directions reduce the objective by less than the tolerance")
            self.thickness, stalls = 0.1 * self.thickness, 0
            self.metric, self.before = np.eye(len(self.x)), None

    def _direction(
        self, slope: np.ndarray, slopes: np.ndarray, g: np.ndarray, outside: bool
    ) -> tuple[np.ndarray, float, np.ndarray]:
        """A direction (unit), its rate of descent (0: there is none), and estimates of the multipliers of all
        constraints.

        Largest beta with grad f . s + beta <= 0, grad g_j . s + theta_j beta <= 0 for active constraints and s in the
        unit sphere: p = (s, beta) is the residual of the non-negative least squares of A^T u = (0, 1)."""
        from scipy.optimize import nnls

        root = np.linalg.cholesky(self.metric)
        n = len(slope)
        rows, factors, which = [], [], []
        sizes = np.linalg.norm(slopes, axis=1) if len(slopes) else np.zeros(0)
        for j, size in enumerate(sizes):
            if size > 0.0 and g[j] / size > -self.thickness:
                rows.append(slopes[j] @ root)
                factors.append(min((1.0 + g[j] / size / self.thickness) ** 2, STRONGEST))
                which.append(j)
        for i in range(n):
            for end, sign in ((self.x[i] <= AT_BOUND, -1.0), (self.x[i] >= 1.0 - AT_BOUND, 1.0)):
                if end:
                    rows.append(sign * root[i])
                    factors.append(0.0)
                    which.append(-1)
        if not outside:
            rows.insert(0, slope @ root)
            factors.insert(0, 1.0)
        norms = [float(np.linalg.norm(r)) for r in rows]
        if not rows or norms[0] == 0.0:
            return np.zeros(n), 0.0, np.zeros(len(g))
        A = np.array([[*(r / size), t] for r, size, t in zip(rows, norms, factors) if size > 0.0])
        target = np.zeros(n + 1)
        target[n] = 1.0
        u, _ = nnls(A.T, target, maxiter=100 * (n + len(A)))
        p = target - A.T @ u
        multipliers = np.zeros(len(g))
        if not outside and u[0] > 0.0:
            for j, size, w in zip(which, norms[1:], u[1:]):
                if j >= 0 and size > 0.0:
                    multipliers[j] = w / size * norms[0] / u[0]
        s = root @ p[:n]
        size = float(np.linalg.norm(s))
        return (s / size, float(p[n]), multipliers) if size > 0.0 else (s, 0.0, multipliers)

    def _line(
        self, s: np.ndarray, f: float, g: np.ndarray, outside: bool
    ) -> tuple[np.ndarray, float, np.ndarray] | None:
        """The best point along a direction: feasible, or of less violation where the start is not.  Trial steps come
        in batches, which worker processes compute side by side."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.where(s > 0, (1.0 - self.x) / s, np.where(s < 0, -self.x / s, np.inf))
        longest = float(ends[np.isfinite(ends)].max())  # components that reach their bounds before stay there
        if longest <= NEAREST:
            return None
        tried: dict[float, tuple[tuple[float, float], np.ndarray, float, np.ndarray]] = {}

        def attempt(steps: list[float]) -> None:
            new = [a for a in dict.fromkeys(min(a, longest) for a in steps) if a > 0 and a not in tried]
            if not new:
                return
            X = np.clip(self.x + np.outer(new, s), 0.0, 1.0)
            for a, x, value, c in zip(new, X, *self._judged(X)):
                worst = max(float(c.max(initial=0.0)), 0.0)
                tried[a] = ((worst, value), x, value, c)

        here = (max(float(g.max(initial=0.0)), 0.0), f)
        attempt([self.length * r for r in (0.1, 0.5, 1.0, 2.0, 10.0)])
        for _ in range(12):
            a = min(tried, key=lambda b: tried[b][0])
            if tried[a][0] < here:
                if a < max(tried) or a >= longest:
                    break
                attempt([3.0 * a, 10.0 * a])
            else:
                if min(tried) < NEAREST:
                    return None
                attempt([min(tried) * r for r in (0.1, 0.01)])
        for _ in range(3):
            a = min(tried, key=lambda b: tried[b][0])
            under = max((b for b in tried if b < a), default=0.0)
            over = min((b for b in tried if b > a), default=a)
            attempt([0.5 * (under + a), 0.5 * (a + over), a + 0.8 * (over - a)])
        a = min(tried, key=lambda b: tried[b][0])
        if not tried[a][0] < here:
            return None
        self.length = max(a, 1e-9)
        _, x, value, c = tried[a]
        return x, value, c

    def _learn(self, slope: np.ndarray, slopes: np.ndarray, multipliers: np.ndarray, outside: bool) -> None:
        """Update the metric by the change of the gradient of the Lagrangian since the last step."""
        if self.before is not None and not outside:
            x, old, olds = self.before
            d = self.x - x
            if float(d @ d) > 0.0:
                self.metric = _updated(self.metric, d, slope - old + multipliers @ (slopes - olds))
        self.before = None if outside else (self.x.copy(), slope, slopes)


def _updated(H: np.ndarray, d: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Inverse curvature after a step d with a change y of the gradient (BFGS), damped so that it stays positive."""
    B = np.linalg.inv(H)
    curved = B @ d
    size, along = float(d @ curved), float(d @ y)
    if along < 0.2 * size:
        share = 0.8 * size / (size - along)
        y = share * y + (1.0 - share) * curved
        along = float(d @ y)
    B = B - np.outer(curved, curved) / size + np.outer(y, y) / along
    values, vectors = np.linalg.eigh(0.5 * (B + B.T))
    return (vectors / np.clip(values, 1e-6, 1e6)) @ vectors.T
