"""Temperatures of a `Conduction`: steady by Newton's method, over time by one-step methods.

TR-BDF2 (Bank, Coughran, Fichtner, Grosse, Rose & Smith, IEEE Transactions on Electron Devices 32 (1985) 1992-2007;
Hosea & Shampine, Applied Numerical Mathematics 20 (1996) 21-37): with gamma = 2 - sqrt 2 the trapezoidal rule to t +
gamma h and the BDF of second order to t + h, both with the matrix C + (gamma/2) h A; L-stable.  Its error is reported
by the embedded formula of third order, filtered with that matrix.  Steps are the output interval over powers of two, so
that outputs are met exactly and few matrices are factored.

Heats are summed with the weights of the method at its stages.  What a held node takes is what is missing in its row, so
that heat in = stored to the error of the linear solution, which is the audit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

from ..model.base import ModelError, shown
from .cells import scatter, spread
from .temperatures import Temperatures

if TYPE_CHECKING:
    from .conduction import Conduction

GAMMA = 2.0 - math.sqrt(2.0)
D = 0.5 * GAMMA
W = 0.25 * math.sqrt(2.0)
#: weights of the three stages less those of the embedded formula
ESTIMATE = (W - (1.0 - W) / 3.0, W - (3.0 * W + 1.0) / 3.0, D - D / 3.0)
FIRST = 4  # halvings of the output interval with which the first step begins
DEEPEST = 40  # halvings after which nothing will help
KEPT = 6  # factors of matrices that are kept
ITERATIONS = 40
LARGE = 40_000  # free nodes above which conjugate gradients are tried before a factor
CLOSE, MOST = 1e-9, 3000  # their residual, next to the right side, and how many of them
CONVERGED = 1e-12  # change of a Newton iteration compared with the largest temperature


class Balance:
    """r(T, t), what conduction and conditions bring to each node, and its parts."""

    def __init__(self, heat: Conduction):
        self.heat = heat
        self.size = heat.size
        self.conditions = heat._conditions
        self.fixed = all(c.steady for c in self.conditions if c.matrix is not None or c.toward is not None)
        self.links = [c for c in self.conditions if c.kind == "link"]
        self.linear = heat.linear
        self._matrix: sp.csr_matrix | None = None
        #: number of the condition that holds a node, -1: none
        self.holder = np.full(self.size, -1)
        for k, (_, nodes, *_) in enumerate(heat._held):
            self.holder[nodes] = k
        idle = ~heat.used
        self.held = np.flatnonzero((self.holder >= 0) | idle)
        self.free = np.flatnonzero((self.holder < 0) & ~idle)
        #: nodes of no cell: they are shown with the temperature of the nearest node
        self.idle = np.flatnonzero(idle)
        if len(self.idle):
            from scipy.spatial import cKDTree

            used = np.flatnonzero(heat.used)
            self.beside = used[cKDTree(heat.mesh.points[used]).query(heat.mesh.points[self.idle])[1]]

    def matrix(self, t: float) -> sp.csr_matrix:
        """A of r = b - A T, but for links: conduction, films, contacts."""
        if self._matrix is not None and self.fixed:
            return self._matrix
        A = self.heat._constant
        for c in self.conditions:
            if c.matrix is not None:
                A = A + c.coefficient(t) * c.matrix
        self._matrix = A.tocsr()
        return self._matrix

    def load(self, t: float) -> np.ndarray:
        """b: sources, and films at their ambients."""
        b = np.zeros(self.size)
        for c in self.conditions:
            if c.kind == "convection":
                b += c.coefficient(t) * c.ambient(t) * c.unit
            elif c.kind not in ("radiation", "contact", "link"):
                b += c.value(t) * c.unit
        return b

    def prescribed(self, t: float, T: np.ndarray) -> None:
        """Held nodes of T at a time."""
        for k, (_, _, value, _) in enumerate(self.heat._held):
            T[self.holder == k] = value(t)

    def finish(self, T: np.ndarray) -> np.ndarray:
        """T (.., a) with the nodes that belong to no cell."""
        if len(self.idle):
            T[..., self.idle] = T[..., self.beside]
        return T

    def curved(self, t: float, T: np.ndarray, slope: bool) -> tuple[np.ndarray, sp.csr_matrix | None]:
        """What is not linear: r, and -dr/dT where requested."""
        r, J = np.zeros(self.size), sp.csr_matrix((self.size, self.size)) if slope else None
        for part, table, thick in self.heat._varying:
            at = T[part.nodes] @ part.N.T  # (c, g)
            k = np.interp(at, table[:, 0], table[:, 1])
            gradient = np.einsum("cgia,ci->cga", part.grad, T[part.nodes])
            flow = np.einsum("cgia,cga->cgi", part.grad, gradient)
            r -= spread(self.size, part.nodes, np.einsum("cg,cgi->ci", thick * k * part.weights, flow))
            if J is not None:
                rise = _slope(table, at)
                blocks = part.gradients(thick * k) + np.einsum(
                    "cg,cgi,gj->cij", thick * rise * part.weights, flow, part.N, optimize=True
                )
                J = J + scatter(self.size, part.nodes, blocks)
        for c in self.conditions:
            if c.kind != "radiation":
                continue
            e, high = c.coefficient(t) * c.sigma, self._absolute(c, c.ambient(t), "ambient", t)
            for f in c.faces:
                at = self._absolute(c, T[f.nodes] @ f.N.T, "surface", t)
                r += spread(self.size, f.nodes, (f.weights * e * (high**4 - at**4)) @ f.N)
                if J is not None:
                    J = J + scatter(self.size, f.nodes, f.products(4.0 * e * at**3))
        return r, J

    def _absolute(self, c: Any, T: Any, what: str, t: float) -> Any:
        out = T - c.zero
        low = np.min(out)
        if low < 0.0:
            raise ModelError(
                f"radiation '{c.name}': the temperature of its {what} is {low + c.zero:.6g} at time {t:g}, below "
                f"absolute zero, which is {c.zero:g} in this scale"
            )
        return out

    def residual(self, t: float, T: np.ndarray) -> np.ndarray:
        """r(T, t) (a,)."""
        r = self.load(t) - self.matrix(t) @ T
        for c in self.links:
            r -= c.coefficient(t) * float(c.toward @ T) * c.toward
        return r if self.linear else r + self.curved(t, T, False)[0]

    def heats(self, t: float, T: np.ndarray) -> np.ndarray:
        """Power of each condition into the body (n,); of contacts and links into their first side."""
        out = np.zeros(len(self.conditions))
        for k, c in enumerate(self.conditions):
            if c.kind == "radiation":
                e, high = c.coefficient(t) * c.sigma, c.ambient(t) - c.zero
                out[k] = sum(
                    float((f.weights * e * (high**4 - (T[f.nodes] @ f.N.T - c.zero) ** 4)).sum()) for f in c.faces
                )
            elif c.kind == "convection":
                out[k] = c.coefficient(t) * float(c.unit @ (c.ambient(t) - T))
            elif c.toward is not None:
                out[k] = -c.coefficient(t) * float(c.toward @ T)
            else:
                out[k] = c.value(t) * float(c.unit.sum())
        return out

    def supports(self, missing: np.ndarray) -> np.ndarray:
        """By conditions that hold nodes: what is missing (a,) in their rows."""
        return (
            np.bincount(self.holder[self.holder >= 0], missing[self.holder >= 0], len(self.heat._held))
            if self.heat._held
            else np.zeros(0)
        )

    def factored(self, A: sp.spmatrix, t: float, g: float) -> Any:
        """Factor, on free nodes, of a matrix A (a, a) and g times that of the links."""
        free = self.free
        A = A[free][:, free]
        if len(free) > LARGE and not self.heat._varying:
            return Gradients(
                A, [(g * c.coefficient(t), c.toward[free]) for c in self.links], lambda: self._direct(A, t, g)
            )
        return self._direct(A, t, g)

    def _direct(self, A: sp.csr_matrix, t: float, g: float) -> Any:
        free = self.free
        if not self.links:
            return factored(A)
        # a link is one more unknown, the heat s = g G toward . T: sparse, and regular where only links hold a piece
        columns = np.array([c.toward[free] for c in self.links])
        scale = np.array([g * c.coefficient(t) for c in self.links])
        wide = sp.csr_matrix(columns)
        return Bordered(
            factored(sp.bmat([[A, wide.T], [sp.diags_array(scale) @ wide, -sp.eye_array(len(scale))]])), len(scale)
        )

    @property
    def through(self) -> np.ndarray:
        """(n,) whether heat of a condition stays inside the body: contacts and links."""
        return np.array([c.toward is not None for c in self.conditions], bool)


def _slope(table: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Slope of a table that is linear between and constant outside."""
    if len(table) == 1:
        return np.zeros_like(at)
    k = np.clip(np.searchsorted(table[:, 0], at, side="right") - 1, 0, len(table) - 2)
    inside = (at >= table[0, 0]) & (at < table[-1, 0])
    return np.where(inside, (np.diff(table[:, 1]) / np.diff(table[:, 0]))[k], 0.0)


class Gradients:
    """Conjugate gradients, preconditioned by the diagonal, for large symmetric systems; ``instead`` makes a factor
    where they do not converge."""

    def __init__(self, A: sp.csr_matrix, links: list[tuple[float, np.ndarray]], instead: Callable[[], Any]):
        self.A, self.instead, self.factor = A.tocsr(), instead, None
        self.product = lambda x: self.A @ x + sum(k * (w @ x) * w for k, w in links)
        diagonal = A.diagonal() + sum(k * w * w for k, w in links)
        self.precondition = sla.LinearOperator(A.shape, matvec=lambda x: x / diagonal, dtype=float)

    def solve(self, b: np.ndarray) -> np.ndarray:
        """(n,)."""
        if self.factor is None:
            whole = sla.LinearOperator(self.A.shape, matvec=self.product, dtype=float)
            x, code = sla.cg(whole, b, rtol=CLOSE, maxiter=MOST, M=self.precondition)
            if code == 0:
                return x
            self.factor = self.instead()
        return self.factor.solve(b)


class Bordered:
    """Solves what `factored` gave with further unknowns, which are left out."""

    def __init__(self, factor: Any, more: int):
        self.factor, self.more = factor, more

    def solve(self, b: np.ndarray) -> np.ndarray:
        """(n,) or (n, k)."""
        return self.factor.solve(np.concatenate([b, np.zeros((self.more, *b.shape[1:]))]))[: -self.more]


def factored(A: sp.spmatrix) -> Any:
    """Sparse LU (SuperLU) of a matrix whose pattern is symmetric."""
    return sla.splu(A.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.1, options={"SymmetricMode": True})


# ---- steady ----------------------------------------------------------------------------------------------------------
def steady(heat: Conduction, time: float, start: Any) -> Temperatures:
    """`Conduction.steady`."""
    balance = Balance(heat)
    _held_up(heat, balance, time)
    T = _start(heat, _middle(heat, time) if start is None else start)
    balance.prescribed(time, T)
    free = balance.free
    scale = max(np.abs(T).max(), 1e-300)
    if balance.linear and len(free):
        solve = balance.factored(balance.matrix(time), time, 1.0)
        # what the start has right is taken off first: less is lost in digits, and one repetition fixes what is
        for _ in range(2 if len(free) <= LARGE else 3):
            T[free] += solve.solve(balance.residual(time, T)[free])
    elif len(free):
        T = _newton(balance, time, T, free, scale)
    missing = -balance.residual(time, T)
    row = np.concatenate([balance.heats(time, T), balance.supports(missing)])[None]
    balance.finish(T)
    return Temperatures(heat, np.array([time]), T[None], row, None, balance.through)


def _newton(balance: Balance, t: float, T: np.ndarray, free: np.ndarray, scale: float) -> np.ndarray:
    """Steady state of what is not linear, with a step that is halved until the residual falls."""
    r = balance.residual(t, T)
    for _ in range(ITERATIONS):
        J = balance.matrix(t) + balance.curved(t, T, True)[1]
        move = balance.factored(J, t, 1.0).solve(r[free])
        share, size = 1.0, np.linalg.norm(r[free])
        while True:
            tried = T.copy()
            tried[free] += share * move
            try:
                after = balance.residual(t, tried)
                good = (
                    np.linalg.norm(after[free]) < (1.0 - 1e-4 * share) * size
                    or share * np.abs(move).max() < 1e-10 * scale
                )
            except ModelError:
                if share < 1e-3:
                    raise
                good = False
            if good or share < 1e-6:
                break
            share *= 0.5
        T, r = tried, after
        if np.abs(share * move).max(initial=0.0) <= CONVERGED * max(scale, np.abs(T).max()):
            return T
    raise ModelError(
        f"no steady temperatures were found in {ITERATIONS} iterations; the last changed them by "
        f"{np.abs(move).max():.3g} degrees; "
        "give a start= nearer to them"
    )


def _held_up(heat: Conduction, balance: Balance, t: float) -> None:
    """Every piece needs something whose heat depends on its temperature."""
    piece = heat.pieces(t)
    safe = set(piece[balance.holder >= 0].tolist())
    for c in balance.conditions:
        if c.kind in ("convection", "radiation") and c.coefficient(t) > 0.0:
            safe |= set(piece[c.unit > 0.0].tolist())
    for k in np.unique(piece[heat.used]):
        if k in safe:
            continue
        mine = piece == k
        power = float(balance.load(t)[mine].sum())
        whole = bool((piece[heat.used] == k).all())
        names = [
            name
            for name, nodes in heat.mesh.groups.items()
            if len(nodes) and set(np.asarray(nodes).tolist()) <= set(np.flatnonzero(mine).tolist())
        ]
        which = (
            "the body"
            if whole
            else f"a part of {int(mine.sum())} nodes ({names[0]})"
            if names
            else f"a part of {int(mine.sum())} nodes"
        )
        imbalance = (
            f"{abs(power):.6g} of power more goes {'in than can leave' if power > 0.0 else 'out than can enter'}"
            if power
            else "any temperature of it is a solution"
        )
        mend = "" if whole else ", or a contact or link to the others"
        raise ModelError(
            f"no temperature, film or radiation prescribes {which}, so it has no steady state: {imbalance}; give "
            f"one{mend}"
        )


def _middle(heat: Conduction, t: float) -> float:
    values = [value(t) for _, _, value, _ in heat._held] + [
        c.ambient(t) for c in heat._conditions if c.ambient is not None
    ]
    return float(np.mean(values)) if values else 0.0


def _start(heat: Conduction, start: Any) -> np.ndarray:
    try:
        given = np.asarray(start, float)
    except (TypeError, ValueError):
        given = np.array(np.nan)
    if given.shape not in ((), (heat.size,)) or not np.isfinite(given).all():
        raise ModelError(f"start is {shown(start)}; give one finite number, or one for each of the {heat.size} nodes")
    return np.array(np.broadcast_to(given, heat.size))


# ---- over time -------------------------------------------------------------------------------------------------------
def output_times(end: Any, steps: int, times: Any) -> np.ndarray:
    """Times of output, the first of which is the start.  Raises `ModelError`."""
    if (end is None) == (times is None):
        raise ModelError("give the end, or the times of output")
    if times is None:
        if not (isinstance(steps, (int, np.integer)) and steps >= 1):
            raise ModelError(f"steps is {shown(steps)}; give a whole number from 1")
        try:
            good = math.isfinite(float(end)) and float(end) > 0.0
        except (TypeError, ValueError):
            good = False
        if not good:
            raise ModelError(f"end is {shown(end)}; give a positive time")
        return np.linspace(0.0, float(end), steps + 1)
    try:
        out = np.asarray(times, float)
    except (TypeError, ValueError):
        out = np.zeros(0)
    if out.ndim != 1 or len(out) < 2 or not np.isfinite(out).all() or not (np.diff(out) > 0.0).all():
        raise ModelError(f"times is {shown(times)}; give at least two that rise")
    return out


class _Stages:
    """Solves C (T - base) = g r(T, t) for T, where g = share of the step; keeps factors."""

    def __init__(self, balance: Balance, C: sp.csr_matrix):
        self.balance, self.C = balance, C
        self.kept: dict[float, Any] = {}
        self.factors = 0
        self.last: Any = None

    def solve(self, t: float, base: np.ndarray, g: float, guess: np.ndarray) -> np.ndarray:
        b, free = self.balance, self.balance.free
        T = guess.copy()
        T[b.held] = base[b.held]
        b.prescribed(t, T)
        scale = np.abs(T).max(initial=0.0)
        for n in range(ITERATIONS):
            miss = g * b.residual(t, T) - self.C @ (T - base)
            move = self._factor(t, T, g).solve(miss[free]) if len(free) else np.zeros(0)
            T[free] += move
            # a linear one is repeated once: the second solution fixes the digits that the first has lost
            if (b.linear and n == 1) or np.abs(move).max(initial=0.0) <= CONVERGED * max(
                scale, np.abs(T).max(initial=0.0)
            ):
                return T
        raise ModelError(
            f"at time {t:g} no temperatures were found in {ITERATIONS} iterations; request a smaller error or "
            "more steps"
        )

    def _factor(self, t: float, T: np.ndarray, g: float) -> Any:
        b = self.balance
        lasting = b.linear and b.fixed
        if lasting and g in self.kept:
            self.last = self.kept[g]
            return self.last
        A = self.C + g * b.matrix(t)
        if not b.linear:
            A = A + g * b.curved(t, T, True)[1]
        self.last = b.factored(A, t, g)
        self.factors += 1
        if lasting:
            if len(self.kept) >= KEPT:
                self.kept.pop(next(iter(self.kept)))
            self.kept[g] = self.last
        return self.last

    def filtered(self, e: np.ndarray) -> np.ndarray:
        """(C + g A)^-1 C e on free nodes, with the matrix that was used last."""
        free = self.balance.free
        return self.last.solve((self.C @ e)[free]) if len(free) else np.zeros(0)


def transient(
    heat: Conduction, end: Any, steps: int, times: Any, start: Any, method: str, error: float, theta: float
) -> Temperatures:
    """`Conduction.transient`."""
    when = output_times(end, steps, times)
    if method not in ("TR-BDF2", "theta"):
        raise ModelError(f"method is {shown(method)}; choose TR-BDF2 or theta")
    if not (isinstance(error, (int, float)) and error > 0.0):
        raise ModelError(f"error is {shown(error)}; give a positive number of degrees")
    if not (isinstance(theta, (int, float)) and 0.5 <= theta <= 1.0):
        raise ModelError(f"theta is {shown(theta)}; give a number from 0.5 to 1 (below, steps are unstable)")
    C = heat.capacity
    balance = Balance(heat)
    stages = _Stages(balance, C)
    T = _start(heat, start)
    before = T.copy()
    balance.prescribed(when[0], T)
    # held nodes that begin elsewhere jump: that heat is of who holds them
    columns = np.asarray(C.sum(0)).ravel()
    total = np.concatenate([np.zeros(len(balance.conditions)), balance.supports(columns * (T - before))])
    k = _first_rate(balance, C, when, T)
    rows, powers, heats = [T.copy()], [_powers(balance, C, when[0], T, k)], [total.copy()]
    counters = {"steps": 0, "rejected": 0, "factored": 0}
    wanted = (when[1] - when[0]) / 2**FIRST
    for a, b in zip(when, when[1:]):
        if method == "theta":
            T, k, gained = _theta(stages, a, b - a, T, k, theta)
            counters["steps"] += 1
        else:
            T, k, gained, wanted = _interval(stages, a, b, T, k, error, wanted, counters)
        total = total + gained
        rows.append(T.copy())
        powers.append(_powers(balance, C, b, T, k))
        heats.append(total.copy())
    counters["factored"] = stages.factors
    values = balance.finish(np.array(rows))
    stored = (values - before) @ columns
    return Temperatures(heat, when, values, np.array(powers), (np.array(heats), stored), balance.through, counters)


def _first_rate(balance: Balance, C: sp.csr_matrix, when: np.ndarray, T: np.ndarray) -> np.ndarray:
    """dT/dt at the start: of held nodes by a difference."""
    k, h = np.zeros_like(T), 1e-6 * (when[1] - when[0])
    later = T.copy()
    balance.prescribed(when[0] + h, later)
    k[balance.held] = ((later - T) / h)[balance.held]
    free = balance.free
    if len(free):
        r = balance.residual(when[0], T) - C @ k
        k[free] = factored(C[free][:, free]).solve(r[free])
    return k


def _powers(balance: Balance, C: sp.csr_matrix, t: float, T: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Of all conditions, and of what holds nodes, at one time."""
    return np.concatenate([balance.heats(t, T), balance.supports(C @ k - balance.residual(t, T))])


def _theta(stages: _Stages, t: float, h: float, T: np.ndarray, k: np.ndarray, theta: float):
    b, C = stages.balance, stages.C
    base = T + h * (1.0 - theta) * k
    new = stages.solve(t + h, base, h * theta, T)
    rate = (new - base) / (h * theta)
    gained = h * ((1.0 - theta) * _powers(b, C, t, T, k) + theta * _powers(b, C, t + h, new, rate))
    return new, rate, gained


def _interval(
    stages: _Stages, a: float, b: float, T: np.ndarray, k: np.ndarray, error: float, wanted: float, counters: dict
):
    """From one output to the next, in steps of the interval over powers of two."""
    balance, C = stages.balance, stages.C
    whole = b - a
    level = int(np.clip(math.ceil(math.log2(whole / wanted) - 1e-9), 0, DEEPEST))
    done = 0  # in steps of this level
    gained = np.zeros(len(balance.conditions) + len(balance.heat._held))
    now = _powers(balance, C, a, T, k)
    while done < 2**level:
        h = whole / 2**level
        t = a + done * h
        one = T + h * D * k
        T1 = stages.solve(t + GAMMA * h, one, h * D, T + GAMMA * h * k if balance.linear else T)
        k1 = (T1 - one) / (h * D)
        two = T + h * W * (k + k1)
        last = t + h if done + 1 < 2**level else b
        T2 = stages.solve(last, two, h * D, T1)
        k2 = (T2 - two) / (h * D)
        miss = h * (ESTIMATE[0] * k + ESTIMATE[1] * k1 + ESTIMATE[2] * k2)
        miss[balance.held] = 0.0
        size = np.abs(stages.filtered(miss)).max(initial=0.0) / error
        factor = 0.9 * size ** (-1.0 / 3.0) if size > 0.0 else 8.0
        if not size <= 1.0:
            deeper = max(1, math.ceil(-math.log2(max(factor, 0.05)))) if np.isfinite(size) else 4
            counters["rejected"] += 1
            level, done = level + deeper, done * 2**deeper
            if level > DEEPEST:
                raise ModelError(
                    f"at time {t:g} the steps of the conduction become too small; make its conditions continuous, or "
                    f"give an error above {error:g}"
                )
            continue
        counters["steps"] += 1
        middle = _powers(balance, C, t + GAMMA * h, T1, k1)
        after = _powers(balance, C, last, T2, k2)
        gained += h * (W * now + W * middle + D * after)
        T, k, now = T2, k2, after
        done += 1
        wanted = h * min(max(factor, 0.2), 8.0)
        while level > 0 and done % 2 == 0 and wanted >= 2.0 * whole / 2**level:
            level, done = level - 1, done // 2
    return T, k, gained, wanted
