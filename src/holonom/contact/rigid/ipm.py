"""Interior point for accuracy: convex problems over second-order cones, inside the fixed-point iteration of de Saxce's
term.

With s = |z_t| held, Coulomb's law is the optimality of a convex problem over the friction cones (Acary, Cadoux,
Lemarechal & Malick 2011):  min 1/2 r^T W r + r^T (q + mu s n) over r in K_mu.  In x = C (mu r_n, r_t), y = C^-1 (z_n /
mu + s, z_t) both cones are the Lorentz cone; C is the root of the local mobility, which takes mass ratios out.  A
primal-dual method with Nesterov & Todd's scaling and Mehrotra's predictor (Vandenberghe 2010, "The CVXOPT linear and
quadratic cone program solvers") takes 10-25 factorisations whatever the friction, the mass ratio or the number of
redundant contacts; s follows y_t in every step (as in Acary, Armand, Nguyen & Shpakovych 2023), and is held and
iterated outside where that does not settle.  Contacts without friction are scalars.  Spin and rolling are left to other
solvers.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from .view import View


def _dot(a, b):
    """Lorentz product a_0 b_0 - a_t . b_t."""
    return a[:, 0] * b[:, 0] - (a[:, 1:] * b[:, 1:]).sum(1)


def _product(a, b):
    c = a[:, :1] * b + b[:, :1] * a
    c[:, 0] = (a * b).sum(1)
    return c


def _divide(l, b):
    """x with l o x = b."""
    x = np.empty_like(b)
    x[:, 0] = _dot(l, b) / _dot(l, l)
    x[:, 1:] = (b[:, 1:] - x[:, :1] * l[:, 1:]) / l[:, :1]
    return x


def _most(x, dx):
    """Largest step that keeps x + step dx in the cones."""
    a, b, c = _dot(dx, dx), _dot(x, dx), _dot(x, x)
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    q = -(
        b + np.where(b >= 0, root, -root)
    )  # a t^2 + 2 b t + c = 0, smallest positive root, written without cancellation
    t = np.stack([np.where(a != 0, q / a, np.inf), np.where(q != 0, c / q, np.inf)])
    t = np.where((t > 0) & ((b * b - a * c) >= 0), t, np.inf).min(0)
    first = np.where(dx[:, 0] < 0, -x[:, 0] / dx[:, 0], np.inf)
    return float(min(t.min(initial=np.inf), first.min(initial=np.inf)))


class _Scaling:
    """Nesterov & Todd: S with S y = S^-1 x = l, symmetric, per cone  beta (2 v v^T - J)^(1/2)."""

    def __init__(self, x, y):
        nx, ny = np.sqrt(_dot(x, x)), np.sqrt(_dot(y, y))
        a, b = x / nx[:, None], y / ny[:, None]
        gamma = np.sqrt(0.5 * (1.0 + (a * b).sum(1)))
        w = a.copy()
        w[:, 0] += b[:, 0]
        w[:, 1:] -= b[:, 1:]
        self.w = w / (2.0 * gamma[:, None])
        self.beta = np.sqrt(nx / ny)
        self.l = self.times(y)

    def _apply(self, w, factor, v):
        dot = (w[:, 1:] * v[:, 1:]).sum(1)
        out = np.empty_like(v)
        out[:, 0] = w[:, 0] * v[:, 0] + dot
        out[:, 1:] = v[:, 1:] + w[:, 1:] * (v[:, :1] + (dot / (1.0 + w[:, 0]))[:, None])
        return factor[:, None] * out

    def times(self, v):
        return self._apply(self.w, self.beta, v)

    def inverse(self, v):
        w = -self.w
        w[:, 0] = self.w[:, 0]
        return self._apply(w, 1.0 / self.beta, v)

    def squared_inverse(self):
        """Blocks of S^-2 = (2 (J w) (J w)^T - J) / beta^2."""
        w = -self.w
        w[:, 0] = self.w[:, 0]
        blocks = 2.0 * w[:, :, None] * w[:, None, :]
        d = w.shape[1]
        at = np.arange(d)
        blocks[:, at, at] += np.where(at == 0, -1.0, 1.0)
        return blocks / np.square(self.beta)[:, None, None]


class _Cones:
    """Lorentz cones (nc, 3) first, then scalars (ns, 1), in one vector; with their scaling at x and y."""

    def __init__(self, nc, ns):
        self.nc, self.ns = nc, ns
        self.one = np.zeros(3 * nc + ns)
        self.one[: 3 * nc : 3] = 1.0
        self.one[3 * nc :] = 1.0

    def split(self, x):
        return x[: 3 * self.nc].reshape(self.nc, 3), x[3 * self.nc :].reshape(self.ns, 1)

    def each(self, f, *args):
        """f of the cones and f of the scalars."""
        return np.concatenate([f(*q).ravel() for q in zip(*[self.split(a) for a in args])])

    def scale(self, x, y):
        self.at = [_Scaling(*q) for q in zip(self.split(x), self.split(y))]
        return np.concatenate([s.l.ravel() for s in self.at])

    def times(self, x):
        return np.concatenate([s.times(q).ravel() for s, q in zip(self.at, self.split(x))])

    def inverse(self, x):
        return np.concatenate([s.inverse(q).ravel() for s, q in zip(self.at, self.split(x))])

    def most(self, x, dx):
        return min(_most(*q) for q in zip(self.split(x), self.split(dx)))


def _direction(K, lam, pull, solve, dual, aim):
    """Newton's step to l o l + l o (S^-1 dx + S dy) = l o l + aim and W dx + E dy - dy = -dual."""
    h = K.each(_divide, lam, aim)
    back = K.inverse(h)
    cones = K.split(back)[0]
    cones[:, 0] -= (pull * cones[:, 1:]).sum(1)
    dx = solve(back - dual)
    return dx, K.inverse(h - K.inverse(dx))


@np.errstate(divide="ignore", invalid="ignore")  # at the end of accuracy; what results is checked and thrown away
def ipm(v: View, goal: float, limit: int) -> int:
    """Solve one island to a residual (speed) of `goal`; returns the number of factorisations.  The best point found is
    in the problem.

    With spin or rolling resistance it does nothing.
    """
    m, d = len(v.k), v.d
    mu = v.mu[:, 0]
    acts = v.rho[:, 0] > 0
    rubs = acts & (mu > 0) & (v.rho[:, 1] > 0) if d > 1 else np.zeros(m, bool)
    cones, scalars = np.flatnonzero(rubs), np.flatnonzero(acts & ~rubs)
    nc = len(cones)
    if not acts.any() or (d == 6 and v.mu[:, 1:].any()):
        return 0
    # r = t x: rows of cones first, then scalars
    rows = np.concatenate([(d * cones[:, None] + np.arange(3)).ravel(), d * scalars])
    t = np.sqrt(np.concatenate([np.repeat(v.rho[cones, 0], 3), v.rho[scalars, 0]]))
    t[: 3 * nc : 3] /= mu[cones]
    if isinstance(v.W, np.ndarray):
        W = t[:, None] * v.W[np.ix_(rows, rows)] * t
    else:
        T = sparse.diags(t)
        W = (T @ v.W[rows][:, rows] @ T).tocsc()
    p = t * v.q.ravel()[rows]
    unit = float(np.abs(p).max())
    if not unit > 0:
        v.put(np.zeros((m, d)))
        return 0
    p = p / unit
    K = _Cones(nc, len(scalars))
    x, y = K.one.copy(), K.one.copy()
    best, kept = v.error(), v.r.copy()
    since = 0
    close = False
    for used in range(1, limit + 1):
        way = K.split(y)[0][:, 1:]
        slip = np.linalg.norm(way, axis=1)
        pull = way / np.where(slip > 0, slip, 1.0)[:, None]  # derivative of s
        dual = W @ x + p - y
        dual[: 3 * nc : 3] += slip
        gap = x @ y / (nc + K.ns)
        if min(_dot(q, q).min(initial=1.0) for z in (x, y) for q in K.split(z)) <= 0:
            break  # on the boundary to the last digit
        lam = K.scale(x, y)
        square = K.each(_product, lam, lam)
        try:
            solve = _factor(W, pull, *K.at)
        except (np.linalg.LinAlgError, RuntimeError):
            break
        dx, dy = _direction(K, lam, pull, solve, dual, -square)
        a = min(1.0, K.most(x, dx), K.most(y, dy))
        sigma = max(1.0 - a, 1e-3) ** 3
        second = K.each(_product, K.inverse(dx), K.times(dy))
        dx, dy = _direction(K, lam, pull, solve, dual, sigma * gap * K.one - square - second)
        a = min(1.0, 0.99 * min(K.most(x, dx), K.most(y, dy)))
        if not (np.isfinite(dx).all() and np.isfinite(dy).all()) or a < 1e-10:
            break
        x = x + a * dx
        y = y + a * dy
        gap = x @ y / (nc + K.ns)
        if gap < 1e-4 or used % 5 == 0:
            r = np.zeros(m * d)
            r[rows] = unit * t * x
            v.put(r.reshape(m, d))
            now = v.error()
            since = 0 if now < 0.9 * best else since + 1
            if now < best:
                best, kept = now, v.r.copy()
            if close or since > 10:
                break
            close = best <= goal  # one step more is worth a factor of a hundred
    v.put(kept)
    return used


def _factor(W, pull, cone, line):
    """Solver of (W + (1 - E) S^-2) dx = right-hand side, E the derivative of s: first row of each cone."""
    n = W.shape[0]
    nc = len(pull)
    blocks = cone.squared_inverse()
    blocks[:, 0] -= (pull[:, :, None] * blocks[:, 1:]).sum(1)
    i = np.broadcast_to(3 * np.arange(nc)[:, None, None] + np.arange(3)[:, None], (nc, 3, 3))
    rest = np.arange(3 * nc, n)
    rows, columns = np.concatenate([i.ravel(), rest]), np.concatenate([np.swapaxes(i, 1, 2).ravel(), rest])
    values = np.concatenate([blocks.ravel(), line.squared_inverse().ravel()])
    if isinstance(W, np.ndarray):
        A = W.copy()
        A[rows, columns] += values
        factor = linalg.lu_factor(A, check_finite=False)
        return lambda b: linalg.lu_solve(factor, b, check_finite=False)
    S = sparse.csc_matrix((values, (rows, columns)), shape=(n, n))
    return splu(
        (W + S).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=1e-3, options={"SymmetricMode": True}
    ).solve
