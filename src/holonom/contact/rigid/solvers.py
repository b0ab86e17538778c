"""One word for all solvers of the contact problem."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...model.base import ModelError
from ...model.settings import SOLVERS
from .apgd import apgd
from .dense import gauss_seidel_dense, prepare_dense
from .gauss_seidel import gauss_seidel
from .ipm import ipm
from .lemke import pivot
from .newton import newton
from .prepare import impulses_once, prepare, velocities, worst
from .problem import Problem
from .view import View

METHODS = {"APGD": apgd, "LEMKE": pivot, "NEWTON": newton, "IPM": ipm}  # (view, goal, limit) -> iterations
FEW = 20  # contacts of an island that AUTO pivots when nothing else has solved it: Lemke's method knows when there is no solution
TRIED = 8  # steps of Newton, without a return to sweeps, that AUTO gives to the point where Gauss-Seidel ended
LADDER = {"APGD": ("APGD",), "LEMKE": ("LEMKE",), "AUTO": ("IPM", "NEWTON", "LEMKE"), "NEWTON": ("NEWTON",), "IPM": ("IPM", "NEWTON")}
MOST = 400  # contacts of an island that AUTO hands to a solver with linear algebra

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
    WT = None
    if Wd is None:
        free = P.u.reshape(-1, 6).copy()
        islands = prepare(P, work)
        q0 = P.z
    else:
        if np.shape(Wd) != (d * n, d * n):
            raise ModelError(f"the Delassus matrix of {n} contacts of {d} rows is ({d * n}, {d * n}), not {np.shape(Wd)}")
        free = None
        q0 = before(P) if q0 is None else np.reshape(q0, (n, d))
        P.z[:n] = q0
        WT = np.ascontiguousarray(np.asarray(Wd, float).T)
        islands = prepare_dense(P, WT, work)
    if name in ("NSGS", "AUTO"):
        if name == "AUTO":
            q0 = q0[:n].copy()
        if WT is None:
            iterations = gauss_seidel(P, 0, islands, tolerance, absolute, limit, accelerate)
        else:
            iterations = gauss_seidel_dense(P, WT, np.zeros((n, d)), 0, islands, tolerance, absolute, limit, accelerate)
        used, message = "NSGS", ""
    if name != "NSGS" and (name != "AUTO" or iterations == limit):
        steps, used, message = by_islands(P, name, islands, tolerance, absolute, limit, q0, free, WT)
        iterations = steps if name != "AUTO" or steps else iterations
    if free is not None:
        impulses_once(P, free)
    residual = worst(P, islands, absolute)
    converged = residual <= tolerance
    if not converged:
        message = f"{used}: residual {residual:.1e} after {iterations} iterations, the tolerance is {tolerance:.1e}" + (
            f"; {message}" if message else ""
        )
    return Report(residual, iterations, used, islands, converged, message)


def by_islands(P, name, islands, tolerance, absolute, limit, q0, free, WT):
    """The solver `name` on each island that is not solved yet; returns the most iterations of any, the names that
    were at work and what they have to say."""
    chain = LADDER[name]
    most = 0
    used = ["NSGS"] if name == "AUTO" else [name]
    notes = []
    q0 = q0[: P.count[0]].copy()
    if name != "AUTO" and WT is None:
        velocities(P)
    for s in range(islands):
        goal = max(tolerance * P.scale[s], absolute)
        v = View(P, s, q0, free, WT)
        if v.error() <= goal or (name == "AUTO" and len(v.k) > MOST):
            continue
        if not np.isfinite(v.error()):
            notes = ["velocities are not finite numbers"]
            continue
        if name == "AUTO":
            tried = newton(v, goal, TRIED, 0)
            if v.error() <= goal:
                most = max(most, tried)
                used += ["NEWTON"] * ("NEWTON" not in used)
                continue
        best, kept = v.error(), v.r.copy()
        for solver in chain:
            if name == "AUTO" and solver == "LEMKE" and len(v.k) > FEW:
                continue
            most = max(most, METHODS[solver](v, goal, limit if solver == "APGD" else min(limit, 200)))
            if solver not in used:
                used.append(solver)
            now = v.error()
            if now < best:
                best, kept = now, v.r.copy()
            if best <= goal:
                break
        v.put(kept)
        if v.message and v.message not in notes:
            notes.append(v.message)
    return most, "+".join(used), "; ".join(notes)


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
