"""One word for all solvers of the contact problem."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...model.base import ModelError
from .dense import gauss_seidel_dense, prepare_dense
from .gauss_seidel import gauss_seidel
from .prepare import prepare, worst
from .problem import Problem

SOLVERS = ("AUTO", "NSGS")

Settings = namedtuple("Settings", "solver tolerance iterations absolute accelerate", defaults=("AUTO", 1e-6, 200, 0.0, True))
Settings.__doc__ = """How to solve: solver, one of SOLVERS; tolerance of the residual; iterations at most; absolute: a speed that is as good
as none; accelerate: momentum between sweeps of NSGS."""

Report = namedtuple("Report", "residual iterations solver islands converged message", defaults=(True, ""))
Report.__doc__ = """How it went.  residual: the largest speed by which a contact misses its law (see `prepare.error`) over the largest |H u_free + q|
of its island, the same for all solvers; iterations: the most of any island; solver: that gave the answer; islands: how many;
converged: residual within the tolerance; message: what else is to be said, or ''."""


def solve(P: Problem, settings=None, Wd=None, q0=None) -> Report:
    """Solve the problem in place: P.r impulses, P.u velocities, P.z = H u + q at the solution.

    `settings`: anything with `solver`, `tolerance`, `iterations` and perhaps `absolute`, `accelerate`; None: `Settings()`.  P.r is the start
    of the iteration (zeros will do), P.u the velocities without impulses.

    With `Wd` (d n, d n), contact by contact, the solver works on z = Wd r + q0 and leaves P.u alone; `q0` (n, d) is H u + q of
    P.u unless given.  Raises ModelError for an unknown solver and for sizes that do not fit.
    """
    settings = settings or Settings()
    name = str(settings.solver).upper()
    if name not in SOLVERS:
        raise ModelError(f"there is no contact solver {settings.solver}; choose one of {', '.join(SOLVERS)}")
    n = int(P.count[0])
    d = P.H.shape[1]
    if not 0 <= n <= len(P.body):
        raise ModelError(f"a contact problem has room for {len(P.body)} contacts and says it has {n}")
    if n == 0:
        return Report(0.0, 0, name, 0)
    tolerance = float(settings.tolerance)
    absolute = float(getattr(settings, "absolute", 0.0) or 0.0)
    limit = int(settings.iterations)
    accelerate = bool(getattr(settings, "accelerate", True))
    work = np.zeros((d, d))
    if Wd is None:
        islands = prepare(P, work)
        iterations = gauss_seidel(P, islands, tolerance, absolute, limit, accelerate)
    else:
        if np.shape(Wd) != (d * n, d * n):
            raise ModelError(f"the Delassus matrix of {n} contacts of {d} rows is ({d * n}, {d * n}), not {np.shape(Wd)}")
        P.z[:n] = before(P) if q0 is None else np.reshape(q0, (n, d))
        WT = np.ascontiguousarray(np.asarray(Wd, float).T)
        islands = prepare_dense(P, WT, work)
        iterations = gauss_seidel_dense(P, WT, np.zeros((n, d)), islands, tolerance, absolute, limit, accelerate)
    residual = worst(P, islands, absolute)
    return Report(residual, iterations, "NSGS", islands, residual <= tolerance)


def before(P: Problem) -> np.ndarray:
    """H u + q of the velocities at hand, (n, d)."""
    n = P.count[0]
    u = P.u.reshape(-1, 6)
    H = P.H[:n]
    return P.q[:n] + np.einsum("kec,kc->ke", H[:, :, :6], u[P.body[:n, 0]]) + np.einsum("kec,kc->ke", H[:, :, 6:], u[P.body[:n, 1]])


def delassus(P: Problem) -> np.ndarray:
    """The Delassus matrix H M^-1 H^T (d n, d n) of a problem of free bodies, contact by contact; dense, for small problems."""
    n = int(P.count[0])
    d = P.H.shape[1]
    G = np.zeros((n * d, P.u.size))
    for k in range(n):
        i, j = 6 * P.body[k]
        G[d * k : d * k + d, i : i + 6] += P.H[k, :, :6]
        G[d * k : d * k + d, j : j + 6] += P.H[k, :, 6:]
    return (G * P.Minv.ravel()) @ G.T
