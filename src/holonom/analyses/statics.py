"""Static equilibrium: positions, states and multipliers with  F(q, 0, x, t) = G^T lam,  phi(q, t) = 0,  f(q, 0, x, t) = 0.

Newton's method with a bounded step, made robust by pseudo-transient continuation (Kelley and Keyes, SIAM J. Numer. Anal. 35
(1998) 508): the matrix is  s M + K  bordered by G, where s falls with the imbalance and goes to zero near the solution.
Large s follows the motion of the machine in honey, and so settles at a *stable* equilibrium; s = 0 is Newton.  When that
does not converge, dynamic relaxation takes over: the machine moves under its forces and is stopped at each peak of kinetic
energy (Cundall 1976), until it rests; Newton finishes.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from .._jit import jit
from ..elements.bodies.rigid import move
from ..integrators.entry import settle
from ..linalg.lu import SingularMatrix
from ..model import ModelError
from ..system.handle import make_handle, view_P, view_S, view_W
from ..system.implicit import Implicit, assemble, decide_rows, residual, stiffness
from ..system.reference import accept_reference

Parts = namedtuple("Parts", "I")


@dataclass
class Equilibrium:
    """``y``: state at rest; ``iterations``; ``imbalance``: largest residual relative to the largest force; ``method``."""

    y: np.ndarray
    iterations: int
    imbalance: float
    method: str


@jit
def _linearise(handle, t, y, s, search):
    """Residual and matrix of the static equations at (t, y), with the mass matrix times s added."""
    _linearise_(view_S(handle), view_W(handle), view_P(handle).I, t, y, s, search)


@jit
def _linearise_(S, W, I, t, y, s, search):
    n = S.bodies.n
    for i in range(n):
        for c in range(6):
            y[13 * i + 7 + c] = 0.0
            I.acc[6 * i + c] = 0.0
    residual(S, W, I, t, y, 0.0, 1.0, 1.0, 1.0)
    o = I.im.nq + I.im.nx
    for r in range(S.rows.m):
        if S.rows.level[r] > 0:  # driven velocities stand still in statics
            I.res[o + r] = 0.0
    if search:
        decide_rows(S, W, I, 1e-8)
    stiffness(S, W, I, t, y)
    assemble(S, W, I, y, search, s, 1.0, 0.0, 1.0, 0.0, 0.0)


class _Problem:
    def __init__(self, system):
        self.system = system
        self.implicit = Implicit(system)
        self.I = self.implicit.I
        self.handle = make_handle(self.implicit.S, self.implicit.W, Parts(self.I))
        self.search = not self.implicit.tree
        self.nq, self.nx = self.implicit.pattern.nq, self.implicit.pattern.nx
        n = system.nb
        self.columns = np.concatenate([np.arange(6 * b, 6 * b + self.implicit.pattern.at[b + 1] - self.implicit.pattern.at[b])
                                       for b in range(n)]) if n else np.zeros(0, int)  # fmt: skip
        L = system.extent
        rotation = self.columns % 6 >= 3
        self.length = np.where(rotation, L, 1.0)  # a torque over L compares with a force
        self.held = self._held()

    def _held(self) -> np.ndarray:
        """States that statics does not change (STATIC_HOLD)."""
        model, out = self.system.model, []
        for key in self.system.functions.states:
            if key[0] == "DIFF":
                out.append(model.table("DIFF")[key[1]].static_hold)
            elif key[0] == "FRICTION":  # bristles do not slide at rest
                out.append(True)
            else:
                blocks = [b for kind in ("LSE", "TFSISO", "GSE") for b in model.table(kind).values() if getattr(b, "x", None) == key[1]]
                out.append(any(b.static_hold for b in blocks))
        return np.array(out, bool)

    def linearise(self, t, y, s) -> None:
        _linearise(self.handle, t, y, s, self.search)
        if self.system.W.flags[0]:
            self.system.raise_user_error(t)
        if self.held.any():
            self.I.res[self.nq : self.nq + self.nx][self.held] = 0.0

    def imbalance(self) -> tuple[float, float, float]:
        """(force imbalance, scale of forces, constraint and state residual)"""
        res = self.I.res
        F = self.system.W.F  # what is left after the reactions
        force = np.abs(res[: self.nq] / self.length).max(initial=0.0)
        reactions = np.abs(self.I.lam).max(initial=0.0)
        gravity = (self.system.bodies.mass * np.linalg.norm(self.system.bodies.gravity)).max(initial=0.0)
        wrenches = max(np.abs(self.system.wrenches.out).max(initial=0.0), np.abs(F).max(initial=0.0))
        scale = max(reactions, gravity, wrenches, 1e-12)
        rest = np.abs(res[self.nq :]).max(initial=0.0)
        return float(force), float(scale), float(rest)

    def step(self, tlimit: float, alimit: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        lu, I = self.implicit.lu, self.I
        lu.factor(I.data)
        if self.search:
            o = self.nq + self.nx
            skipped = self.system.W.skip[self.implicit.S.ldl.place] != 0
            I.res[o:][skipped] = 0.0
        sol = lu.solve(I.res, I.data)
        d = np.zeros(6 * self.system.nb + 6)
        d[self.columns] = sol[: self.nq]
        b = np.abs(d.reshape(-1, 6))
        big = max(b[:, :3].max() / tlimit, b[:, 3:].max() / alimit, 1.0)
        return d / big, sol[self.nq : self.nq + self.nx] / big, sol[self.nq + self.nx :], big


def equilibrium(system, t: float, y: np.ndarray, settings, say=print, **options) -> Equilibrium:
    """Static equilibrium near ``y``.  Settings as EQUILIBRIUM; raises ModelError naming the body that finds no balance."""
    get = lambda name, default: options.pop(name, None) or getattr(settings, name, None) or default
    error, imbalance, maxit = get("error", 1e-4), get("imbalance", 1e-4), int(get("maxit", 100))
    tlimit, alimit = float(get("tlimit", 0.2 * system.extent)), float(get("alimit", 0.3))
    if options:
        raise ModelError(f"unknown option '{sorted(options)[0]}' of a static analysis")
    problem = _Problem(system)
    x = slice(13 * (system.nb + 1), None)
    iterations = 0
    result = _newton(problem, t, y, x, maxit, tlimit, alimit, error, imbalance)
    iterations += result[1]
    if result[0] is not None:
        return Equilibrium(result[0], iterations, result[2], "Newton")
    say(f"statics: Newton did not balance the forces within {maxit} iterations; relaxing the machine dynamically")
    relaxed = _relax(system, t, y, maxit)
    result = _newton(problem, t, relaxed, x, maxit, tlimit, alimit, error, imbalance)
    iterations += result[1]
    if result[0] is None:
        k = int(np.argmax(np.abs(problem.I.res[: problem.nq] / problem.length))) if problem.nq else 0
        words = problem.implicit.equation_words(k)
        raise ModelError(
            f"no static equilibrium was found at time {t:.6g}: the imbalance stays at {result[2]:.3g} of the largest force, worst in {words}; "
            "try a larger MAXIT, smaller TLIMIT and ALIMIT, or start from a position nearer to the equilibrium"
        )
    return Equilibrium(result[0], iterations, result[2], "dynamic relaxation, then Newton")


def _newton(problem: _Problem, t, start, x, maxit, tlimit, alimit, error, limit):
    """(state or None, iterations, imbalance)"""
    system, I = problem.system, problem.I
    L = system.extent
    y = start.copy()
    I.lam[:] = system.W.lam
    nb = system.nb
    ratio = np.inf
    s = None
    big = 1.0  # by how much the last step was cut short
    before = np.inf
    for k in range(maxit):
        problem.linearise(t, y, 0.0 if s is None else s)
        force, scale, rest = problem.imbalance()
        if s is None:  # mass times s comparable with the stiffness of the machine
            mass = system.bodies.mass.max() if nb else 1.0
            s = force / max(mass * tlimit, 1e-300)
            problem.linearise(t, y, s)
        ratio = force / scale
        if not np.isfinite(force):
            return None, k, np.inf
        if k and force > 2.0 * before:
            s = max(4.0 * s, 1e-6 * scale / L)
            problem.linearise(t, y, s)
        elif k:
            s = s * min(max(force / before, 0.1), 2.0) if big == 1.0 else s
            if ratio < 1e-3 and big == 1.0:
                s = 0.0
        before = force
        try:
            d, dx, lam, big = problem.step(tlimit, alimit)
        except (SingularMatrix, ValueError):
            s = max(10.0 * s, 1e-6 * scale / (L * max(system.bodies.mass.max(initial=1.0), 1e-300)))
            big = 2.0
            if k > 5 and not np.isfinite(s):
                return None, k, ratio
            continue
        if not np.all(np.isfinite(d)):
            return None, k, ratio
        move(nb, y, d)
        y[x] += dx
        I.lam[:] += lam
        system.W.lam[:] = I.lam
        accept_reference(system, y)
        step = max(np.abs(d.reshape(-1, 6)[:, :3]).max(initial=0.0) / L, np.abs(d.reshape(-1, 6)[:, 3:]).max(initial=0.0))
        if step < min(error, 1e-6) and big == 1.0 and s == 0.0:
            problem.linearise(t, y, 0.0)
            force, scale, rest = problem.imbalance()
            if force / scale <= max(min(limit, 1e-6), 1e-9) or step < 1e-12:
                y[7 : 13 * nb : 13] = 0.0
                return y, k + 1, force / scale
        if step < 1e-3 and force / scale < 1e-2:
            s = 0.0
    return None, maxit, ratio


def _relax(system, t, y, maxit) -> np.ndarray:
    """Motion stopped at every peak of kinetic energy until little is left of it."""
    from ..integrators import Options, make_integrator

    y = y.copy()
    for b in range(system.nb):
        y[13 * b + 7 : 13 * b + 13] = 0.0
    g = float(np.linalg.norm(system.bodies.gravity))
    span = 10.0 * np.sqrt(system.extent / g) if g > 0 else 1.0
    first = None
    clock = t
    for _ in range(8 * maxit):
        stepper = make_integrator("HHT", system, Options(error=1e-2))
        stepper.start(clock, y, clock + span, 1e-4 * span)
        last, best, peak = 0.0, y, 0.0
        for _ in range(400):
            stepper.step(clock + span)
            v = stepper.y[: 13 * system.nb].reshape(-1, 13)
            e = float((system.bodies.mass[:, None] * v[:, 7:10] ** 2).sum() + (system.bodies.J * v[:, 10:13] ** 2).sum())
            if e < last:
                break
            last, best = e, stepper.y.copy()
            peak = e
            if stepper.t >= clock + span:
                break
        y = best.copy()
        for b in range(system.nb):
            y[13 * b + 7 : 13 * b + 13] = 0.0
        first = peak if first is None else max(first, peak)
        if peak <= 1e-8 * first:
            break
    settle(system, y, t, 2)
    return y
