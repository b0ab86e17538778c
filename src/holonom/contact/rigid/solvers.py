"""One word for all solvers of the contact problem."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...elements.bodies import layout
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
from .slabs import LARGE, solve_large
from .view import View

METHODS = {"APGD": apgd, "LEMKE": pivot, "NEWTON": newton, "IPM": ipm}  # (view, goal, limit) -> iterations
# contacts of an island that AUTO pivots when nothing else has solved it: Lemke's method knows when there is no solution
FEW = 20
TRIED = 8  # steps of Newton, without a return to sweeps, that AUTO gives to the point where Gauss-Seidel ended
LADDER = {
    "APGD": ("APGD",),
    "LEMKE": ("LEMKE",),
    "AUTO": ("IPM", "NEWTON", "LEMKE"),
    "NEWTON": ("NEWTON",),
    "IPM": ("IPM", "NEWTON"),
}
MOST = 400  # contacts of an island that AUTO hands to a solver with linear algebra
EXACT = 1e-8, 1000  # tolerance and iterations of islands up to that size, where nothing else is requested
PILE = 1e-3, 100  # those of larger ones, for Gauss-Seidel: the impulses of a step are the start of the next

Settings = namedtuple(
    "Settings", "solver tolerance iterations absolute accelerate threads", defaults=("AUTO", 1e-6, 200, 0.0, True, 1)
)
Settings.__doc__ = """How to solve: solver, one of SOLVERS; tolerance of the residual and iterations at most, None: by
the size of the island
(EXACT, PILE); absolute: a speed that is as good as none; accelerate: momentum between sweeps of NSGS; threads for
sweeps of large islands, the result does not depend on them."""

Report = namedtuple("Report", "residual iterations solver islands converged message", defaults=(True, ""))
Report.__doc__ = """How it went.  residual: the largest speed by which a contact misses its law (see `prepare.error`)
over the largest |H u_free + q| of its island, the same for all solvers; iterations: the most of any island; solver:
that gave the answer; islands: how many;
converged: residual within the tolerance; message: what else is to be said, or ''."""


def solve(P: Problem, settings=None, Wd=None, q0=None) -> Report:
    """Solve the problem in place: P.r impulses, P.u velocities, P.z = H u + q at the solution.

    `settings`: anything with `solver`, `tolerance`, `iterations` and perhaps `absolute`, `accelerate`; None:
    `Settings()`.  P.r is the start of the iteration (zeros will do), P.u the velocities without impulses.

    With `Wd` (d n, d n), contact by contact, the solver works on z = Wd r + q0 and leaves P.u alone; `q0` (n, d) is H u
    + q of P.u unless given.  Raises ModelError for an unknown solver and for sizes that do not fit.
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
    given = settings.tolerance, settings.iterations
    few, many = ([float(own if v is None else v) for v, own in zip(given, rule)] for rule in (EXACT, PILE))
    tolerance, limit = few[0], int(few[1])
    absolute = float(getattr(settings, "absolute", 0.0) or 0.0)
    accelerate = bool(getattr(settings, "accelerate", True))
    work = np.zeros((d, d))
    WT = None
    if Wd is None:
        free = layout.moves(P.u).copy()
        islands = prepare(P, work)
        q0 = P.z
    else:
        if np.shape(Wd) != (d * n, d * n):
            raise ModelError(
                f"the Delassus matrix of {n} contacts of {d} rows is ({d * n}, {d * n}), not {np.shape(Wd)}"
            )
        free = None
        q0 = before(P) if q0 is None else np.reshape(q0, (n, d))
        P.z[:n] = q0
        WT = np.ascontiguousarray(np.asarray(Wd, float).T)
        islands = prepare_dense(P, WT, work)
    if name in ("NSGS", "AUTO"):
        if name == "AUTO":
            q0 = q0[:n].copy()
        if WT is None:
            iterations, left = sweeps(P, islands, few, many, absolute, accelerate, int(getattr(settings, "threads", 1)))
        else:
            iterations = gauss_seidel_dense(P, WT, np.zeros((n, d)), 0, islands, tolerance, absolute, limit, accelerate)
            left = iterations == limit
        used, message = "NSGS", ""
    if name != "NSGS" and (name != "AUTO" or left):
        steps, used, message = by_islands(P, name, islands, tolerance, absolute, limit, q0, free, WT)
        iterations = steps if name != "AUTO" or steps else iterations
    if free is not None:
        impulses_once(P, free)
    residual, converged = judge(
        P, islands, few[0], many[0] if WT is None and name in ("NSGS", "AUTO") else few[0], absolute
    )
    if not converged:
        message = f"{used}: residual {residual:.1e} after {iterations} iterations, the tolerance is {tolerance:.1e}" + (
            f"; {message}" if message else ""
        )
    return Report(residual, iterations, used, islands, converged, message)


def piles(P, islands) -> list[int]:
    """Islands of more contacts than linear algebra takes."""
    return [int(s) for s in np.flatnonzero(np.diff(P.start[: islands + 1]) > MOST)] if P.count[0] > MOST else []


def sweeps(P, islands, few, many, absolute, accelerate, threads) -> tuple[int, bool]:
    """Gauss-Seidel in body space; ``few`` and ``many``: tolerance and sweeps of islands of few contacts and of piles;
    large ones go in slabs. Returns the most sweeps of any, and whether an island of few contacts took all it may."""
    most = top = done = 0
    tolerance, limit = few[0], int(few[1])
    for s in piles(P, islands):
        top = max(top, gauss_seidel(P, done, s, tolerance, absolute, limit, accelerate))
        used, done = 0, s + 1
        if P.start[s + 1] - P.start[s] >= LARGE:
            used = solve_large(P, s, max(many[0] * P.scale[s], absolute), int(many[1]), accelerate, threads)
        most = max(most, used or gauss_seidel(P, s, s + 1, many[0], absolute, int(many[1]), accelerate))
    top = max(top, gauss_seidel(P, done, islands, tolerance, absolute, limit, accelerate))
    return max(most, top), top == limit


def judge(P, islands, few, many, absolute) -> tuple[float, bool]:
    """The residual of all islands, and whether each is within the tolerance of its kind."""
    top, fine, done = 0.0, True, 0
    for s in [*piles(P, islands), islands]:
        for begin, end, tolerance in ((done, s, few), (s, min(s + 1, islands), many)):
            v = worst(P, begin, end, absolute)
            fine = fine and v <= tolerance
            top = v if v > top or v != v else top
        done = s + 1
    return top, fine


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


def _sides(H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows over the unknowns of both bodies, apart."""
    return H[..., : layout.MOVES], H[..., layout.MOVES :]


def before(P: Problem) -> np.ndarray:
    """H u + q of the velocities at hand, (n, d)."""
    n = P.count[0]
    u = layout.moves(P.u)
    first, second = _sides(P.H[:n])
    return (
        P.q[:n] + np.einsum("kec,kc->ke", first, u[P.body[:n, 0]]) + np.einsum("kec,kc->ke", second, u[P.body[:n, 1]])
    )


def delassus(P: Problem) -> np.ndarray:
    """The Delassus matrix H M^-1 H^T (d n, d n) of a problem of free bodies, contact by contact; dense, for small
    problems."""
    n = int(P.count[0])
    d = P.H.shape[1]
    G = np.zeros((n * d, P.u.size))
    for k in range(n):
        for b, rows in zip(P.body[k], _sides(P.H[k])):
            G[d * k : d * k + d, layout.columns(b)] += rows
    return (G * P.Minv.ravel()) @ G.T
