"""Figures of a step response (final value, rise, overshoot, settling), found on the exact response.

The departure from the final value is  w(t) = C exp(A t) A^-1 B  (of a sampled system  C A^k x).  A is divided into
blocks of close eigenvalues, A = V diag(T_1, T_2, ...) V^-1, so that blocks of very different time constants are
exponentials of their own and multiple eigenvalues stay together:

    w(t) = sum c_i exp(T_i t) z_i,    |exp(T t)| <= exp(a t) sum_k (|N| t)^k / k!    (T = diagonal + N, a its largest
                                                                                      real part)

The bound states until when a block counts.  w and w' are evaluated with a step that resolves the fastest block that
still counts; crossings and extremes that these values bracket are found by root finding.

Source: C. A. Bavely, G. W. Stewart, SIAM J. Numer. Anal. 16 (1979) 359 (blocks); C. F. Van Loan, SIAM J. Numer. Anal.
14 (1977) 971 (bound).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg as sla
from scipy.optimize import brentq

from ..model import ModelError
from ._names import Named

if TYPE_CHECKING:
    from .state_space import StateSpace

LEAST = 1e-7  # overshoot, as a share of the final value, below which there is none
GONE = 1e-13  # share of the final value below which a block of eigenvalues does not count
BAND = 0.02  # of settling
STEP = 0.15  # of values, times the magnitude of the fastest eigenvalue: 42 in a period
CHUNK = 4096  # values at once
MOST = 20_000_000  # values in all
KEPT = 50  # extremes that are refined


@dataclass(frozen=True)
class StepFigures(Named):
    """Figures of a step response: final value, rise time (from first reaching 10 % to first reaching 90 %), overshoot
    (share of the final value), time of the peak, settling time (to within 2 % for good).

    ``peak_time`` is NaN where there is no overshoot (less than 1e-7); all but ``final`` are NaN where the final value
    is zero. Times of a sampled system are those of its samples.
    """

    final: float
    rise: float
    overshoot: float
    peak_time: float
    settling: float


@dataclass
class _Block:
    """One block: w = c exp(T t) z."""

    T: np.ndarray
    z: np.ndarray
    c: np.ndarray

    def value(self, t: float) -> complex:
        if len(self.T) == 1:
            return complex(self.c[0] * np.exp(self.T[0, 0] * t) * self.z[0])
        return complex(self.c @ sla.expm(self.T * t) @ self.z)

    @property
    def slope(self) -> _Block:
        return _Block(self.T, self.z, self.c @ self.T)

    def after(self, t: float) -> _Block:
        return _Block(self.T, sla.expm(self.T * t) @ self.z, self.c)

    def until(self, level: float) -> float:
        """Time after which it is less than a level."""
        size, rate, n = self._size, -float(np.diag(self.T).real.max()), len(self.T)
        spread = float(np.linalg.norm(np.triu(self.T, 1)))
        if size <= level:
            return 0.0
        t = 0.0
        for _ in range(200):  # rises to the solution of size exp(-rate t) polynomial(t) = level
            factor = math.fsum((spread * t) ** k / math.factorial(k) for k in range(n))
            new = (math.log(size / level) + math.log(factor)) / rate
            if new - t <= 1e-3 * new:
                return 1.01 * new
            t = new
        return t

    @property
    def _size(self) -> float:
        return float(np.linalg.norm(self.c) * np.linalg.norm(self.z))


def _blocks(A: np.ndarray, z: np.ndarray, c: np.ndarray) -> list[_Block]:
    """Blocks of a matrix whose eigenvalues differ by more than half of their magnitude from those of other blocks."""
    if not len(A):
        return []
    values = np.linalg.eigvals(A)
    group = [0]
    for k in group:  # all that are close to one of the group
        near = np.abs(values - values[k]) <= 0.5 * np.maximum(np.abs(values), abs(values[k]))
        group += [int(j) for j in np.flatnonzero(near) if j not in group]
    belongs = np.isin(np.arange(len(values)), group)
    T, Q, count = sla.schur(A, "complex", sort=lambda x: bool(belongs[np.argmin(np.abs(values - x))]))
    z, c = Q.conj().T @ z, c @ Q
    if count in (0, len(A)):
        return [_Block(T, z, c)]
    first, last = T[:count, :count], T[count:, count:]
    R = sla.solve_sylvester(first, -last, -T[:count, count:])
    return [
        _Block(first, z[:count] - R @ z[count:], c[:count]),
        *_blocks(last, z[count:], c[:count] @ R + c[count:]),
    ]


class _Scan:
    """What successive values u = w/final of a response and their slopes show: brackets of the figures."""

    def __init__(self) -> None:
        self.first: dict[float, float] = {}  # level of u -> time at which it is reached first
        self.tops: list[tuple[float, float, float, list[_Block]]] = []  # estimate, start and length of the step, blocks
        self.outside: list[tuple[bool, float, float, list[_Block]]] = []  # (extreme, start, length, blocks)

    def take(self, t: np.ndarray, u: np.ndarray, du: np.ndarray, at: Any) -> None:
        """Values at times of equal steps; ``at(k)``: the blocks at time number k."""
        h = float(t[1] - t[0])
        m0, m1 = h * du[:-1], h * du[1:]
        where = np.flatnonzero(m0 * m1 < 0.0)
        m0, m1, rise = m0[where], m1[where], u[where + 1] - u[where]
        a, b = 3.0 * rise - 2.0 * m0 - m1, m0 + m1 - 2.0 * rise  # of the cubic through values and slopes
        root = np.copysign(np.sqrt(np.maximum(a * a - 3.0 * b * m0, 0.0)), m0)
        s = np.clip(m0 / (root - a), 0.0, 1.0)
        peak = u[where] + s * (m0 + s * (a + s * b))
        for level in (0.1 - 1.0, 0.9 - 1.0):
            if level not in self.first:
                self._reach(level, t, h, u, where, peak, at)
        tops = np.flatnonzero((peak > 0.0) & (m0 > 0.0))
        best = tops[np.argsort(-peak[tops])][:KEPT]
        least = self.tops[-1][0] if len(self.tops) >= KEPT else 0.0
        self.tops += [(float(peak[k]), float(t[where[k]]), h, at(where[k])) for k in best if peak[k] > least]
        self.tops = sorted(self.tops, key=lambda top: (-top[0], top[1]))[:KEPT]
        out = np.flatnonzero(np.abs(u[:-1]) > BAND)
        last = int(out[-1]) if len(out) else -1
        if last >= 0:
            self.outside = [(False, float(t[last]), h, at(last))]
        beyond = where[(where > last) & (np.abs(peak) > (1.0 - 1e-5) * BAND)][-KEPT:]
        self.outside += [(True, float(t[k]), h, at(k)) for k in beyond]

    def _reach(self, level: float, t: Any, h: float, u: Any, where: Any, peak: Any, at: Any) -> None:
        over = np.flatnonzero(u >= level)
        grid = int(over[0]) if len(over) else len(u)
        for k in where[(peak > level - 1e-4) & (where < grid - 1)]:  # a peak between two values that are below
            blocks = at(k)
            top = _extreme(blocks, h)
            if _value(blocks, top) >= level:
                self.first[level] = float(t[k]) + _crossing(blocks, level, 0.0, top)
                return
        if grid == 0:
            self.first[level] = float(t[0])
        elif grid < len(u):
            self.first[level] = float(t[grid - 1]) + _crossing(at(grid - 1), level, 0.0, h)


def _value(blocks: list[_Block], t: float) -> float:
    return math.fsum(b.value(t).real for b in blocks)


def _crossing(blocks: list[_Block], level: float, low: float, high: float, sign: float = 1.0) -> float:
    """Time within a step at which the response, times a sign, has a level."""
    f = lambda x: sign * _value(blocks, x) - level
    a, b = f(low), f(high)
    if a * b >= 0.0:  # equal to roundoff at one end
        return low if abs(a) < abs(b) else high
    return float(brentq(f, low, high, xtol=1e-14 * high, rtol=1e-13))


def _extreme(blocks: list[_Block], h: float) -> float:
    return _crossing([b.slope for b in blocks], 0.0, 0.0, h)


def step_figures(system: StateSpace, output: Any = 0, input: Any = 0) -> StepFigures:
    """`StepFigures` of one path, exact to roundoff also where time constants differ by many orders of magnitude.

    Raises `ModelError` for a system that is not stable, and for one that oscillates more than some hundred thousand
    times until it settles.
    """
    values = system.poles
    growing = np.abs(values) >= 1.0 if system.dt else values.real >= 0.0
    if growing.any():
        raise ModelError("the system is not stable, so its step response has no final value")
    o, i = system._index("outputs", output), system._index("inputs", input)
    A, scale = sla.matrix_balance(system.A, permute=False) if len(system.A) else (system.A, system.A)
    b, c, d = np.linalg.solve(scale, system.B[:, i]) if len(A) else system.B[:, i], system.C[o], float(system.D[o, i])
    c = c @ scale if len(A) else c
    n = len(A)
    z = np.linalg.solve(A - np.eye(n), b) if system.dt else np.linalg.solve(A, b)  # x of the departure at the start
    final = d - float(c @ z)
    if abs(final) <= 1e-12 * (abs(d) + float(np.linalg.norm(c) * np.linalg.norm(z))):
        return StepFigures(0.0, math.nan, math.nan, math.nan, math.nan)
    c = c / final
    if not n:
        return StepFigures(final, 0.0, 0.0, math.nan, 0.0)
    return _sampled(A, z, c, final, system.dt) if system.dt else _continuous(A, z, c, final)


def _continuous(A: np.ndarray, z: np.ndarray, c: np.ndarray, final: float) -> StepFigures:
    blocks = [b for b in _blocks(A, z.astype(complex), c.astype(complex)) if b.until(GONE)]
    ends = [b.until(GONE) for b in blocks]
    settled = max((b.until(0.5 * BAND / len(blocks)) for b in blocks), default=0.0)
    silent = max((b.until(LEAST / len(blocks)) for b in blocks), default=0.0)
    scan = _Scan()
    start, count = 0.0, 0
    begin = _value(blocks, 0.0)
    for end in sorted(set(ends)):
        now = [b.after(start) for b, e in zip(blocks, ends) if e >= end]
        h = STEP / max(float(np.abs(np.diag(b.T)).max()) for b in now)
        steps = max(int(math.ceil((end - start) / h)), 1)
        h = (end - start) / steps
        done = 0
        while done < steps:
            best = max(begin, *(top[0] for top in scan.tops[:1])) if scan.tops else begin
            if start + done * h > settled and (
                start + done * h > silent
                or (best > LEAST and start + done * h > max(b.until(0.9 * best / len(blocks)) for b in blocks))
            ):
                return _figures(scan, begin, final)
            m = min(CHUNK, steps - done)
            count += m
            if count > MOST:
                raise ModelError(
                    f"the response oscillates too often until it settles (more than {MOST:,} values are needed); its "
                    "damping is too small for figures of a step response: see `poles`"
                )
            paths = [_path(b, h, m) for b in now]
            u = np.sum([(b.c @ p).real for b, p in zip(now, paths)], axis=0)
            du = np.sum([(b.slope.c @ p).real for b, p in zip(now, paths)], axis=0)
            at = lambda k, paths=paths, now=now: [_Block(b.T, p[:, k].copy(), b.c) for b, p in zip(now, paths)]
            scan.take(start + (done + np.arange(m + 1)) * h, u, du, at)
            now = [_Block(b.T, p[:, -1], b.c) for b, p in zip(now, paths)]
            done += m
        start = end
    return _figures(scan, begin, final)


def _path(block: _Block, h: float, m: int) -> np.ndarray:
    """exp(T k h) z (states, m + 1) for k = 0 ... m, by doubling."""
    if len(block.T) == 1:
        return block.z[:, None] * np.exp(block.T[0, 0] * h * np.arange(m + 1))
    path = block.z[:, None]
    while path.shape[1] < m + 1:
        path = np.hstack([path, sla.expm(block.T * (h * path.shape[1])) @ path])
    return path[:, : m + 1]


def _figures(scan: _Scan, begin: float, final: float) -> StepFigures:
    best, when = begin, 0.0
    for _, start, h, blocks in scan.tops:
        top = _extreme(blocks, h)
        value = _value(blocks, top)
        if value > best + 1e-14:
            best, when = value, start + top
    settling = 0.0
    for extreme, start, h, blocks in reversed(scan.outside):
        inside = _extreme(blocks, h) if extreme else 0.0
        value = _value(blocks, inside)
        if abs(value) > BAND:
            settling = start + _crossing(blocks, BAND, inside, h, math.copysign(1.0, value))
            break
    over = best if best > LEAST else 0.0
    first = [scan.first.get(level, 0.0) for level in (0.1 - 1.0, 0.9 - 1.0)]
    return StepFigures(final, first[1] - first[0], over, when if over else math.nan, settling)


def _sampled(A: np.ndarray, z: np.ndarray, c: np.ndarray, final: float, dt: float) -> StepFigures:
    """Figures at the samples."""
    T, Q = sla.schur(A, "complex")
    size, n = float(np.linalg.norm(c) * np.linalg.norm(z)), len(A)
    largest, spread = float(np.abs(np.diag(T)).max()), float(np.linalg.norm(np.triu(T, 1)))

    def bound(k: int) -> float:
        """Logarithm of a bound of |c A^k z|."""
        logs = [
            math.lgamma(k + 1) - math.lgamma(j + 1) - math.lgamma(k - j + 1)
            + (k - j) * math.log(max(largest, 1e-300)) + j * math.log(max(spread, 1e-300))
            for j in range(min(n, k + 1))
        ]  # fmt: skip
        top = max(logs)
        return math.log(max(size, 1e-300)) + top + math.log(math.fsum(math.exp(v - top) for v in logs))

    first: dict[float, int] = {}
    best, when, last, done = 0.0, -1, -1, 0
    while True:
        path = z[:, None]
        power = A
        while path.shape[1] < CHUNK:
            path, power = np.hstack([path, power @ path]), power @ power
        u = c @ path
        for level in (0.1 - 1.0, 0.9 - 1.0):
            over = np.flatnonzero(u >= level - 1e-12)
            if level not in first and len(over):
                first[level] = done + int(over[0])
        k = int(np.argmax(u))
        if u[k] > best + 1e-14:
            best, when = float(u[k]), done + k
        out = np.flatnonzero(np.abs(u) > BAND)
        last = done + int(out[-1]) if len(out) else last
        z, done = power @ z, done + CHUNK
        level = bound(done)
        if level < math.log(0.5 * BAND) and level < math.log(max(LEAST, 0.9 * best)):
            break
        if done > MOST:
            raise ModelError(
                f"the response has not settled within {MOST:,} samples; it is too close to instability for figures of "
                "a step response: see `poles`"
            )
    peak = best if best > LEAST else 0.0
    rise = first.get(0.9 - 1.0, 0) - first.get(0.1 - 1.0, 0)
    return StepFigures(final, rise * dt, peak, when * dt if peak else math.nan, (last + 1) * dt)
