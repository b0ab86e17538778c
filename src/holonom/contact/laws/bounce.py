"""A mass against a law: restitution, depth, peak force and time of one impact, to about ten digits; and the damping
that gives a restitution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from ...model.base import ModelError


@dataclass(frozen=True)
class Bounce:
    """One impact: ``restitution`` (speed out over speed in), largest ``depth`` and ``force`` (at the steps taken),
    ``time`` until the mass is free again, ``residual``: the depth at which the force ended (of laws with a dent)."""

    restitution: float
    depth: float
    force: float
    time: float
    residual: float


def _depth(law, p, mem, energy: float, speed: float) -> float:
    """Depth at which the elastic energy of the law is ``energy``."""
    out = np.zeros(16)

    def stored(d: float) -> float:
        law.force(p, 0, d, 0.0, mem, 0, 0.0, out)
        return out[3]

    d = 1e-3
    while stored(d) < energy:
        d *= 2.0
    while stored(0.5 * d) > energy:
        d *= 0.5
    return float(brentq(lambda x: stored(x) - energy, 0.5 * d, d, xtol=1e-3 * d))


def bounce(law, row, speed: float, mass: float, steps: int = 4000) -> Bounce:
    """A ``mass`` meets a law (module of `laws`, parameter ``row``) at ``speed``, free of other forces.

    DOP853 with relative tolerance 1e-12; laws whose memory follows the motion (HISTORY) take ``steps`` of the elastic
    contact time by the classical Runge-Kutta method, the memory accepted at each; a mass that is not back after thirty
    such times has restitution 0.
    """
    if not (speed > 0 and mass > 0):
        raise ModelError(f"an impact needs a positive speed and mass, not {speed:g} and {mass:g}")
    p = np.zeros((1, 16))
    p[0, : len(row)] = row
    mem = np.zeros((1, 8))
    out = np.zeros(16)
    deep = _depth(law, p, np.zeros((1, 8)), 0.5 * mass * speed**2, speed)
    scale = deep / speed
    if getattr(law, "MEMORY", 0):
        law.accept(p, 0, 0.0, speed, mem, 0, 0.0)

    def acceleration(t: float, d: float, v: float) -> float:
        return -law.force(p, 0, d, v, mem, 0, t, out) / mass if d > 0.0 else 0.0

    if getattr(law, "HISTORY", False):
        return _marched(law, p, mem, acceleration, speed, mass, 3.0 * scale / steps, 30 * steps)
    gone = lambda t, y: y[0]
    gone.terminal, gone.direction = True, -1.0  # type: ignore[attr-defined]
    turn = lambda t, y: y[1]
    turn.direction = -1.0  # type: ignore[attr-defined]
    first = 1e-6 * scale  # starts just inside, so that the onset's jump of a linear damper is taken
    r = solve_ivp(
        lambda t, y: (y[1], acceleration(t, max(y[0], 0.0) if t else 1e-30, y[1])),
        (0.0, 1e5 * scale),
        (0.0, speed),
        method="DOP853",
        rtol=1e-12,
        atol=(1e-14 * deep, 1e-14 * speed),
        events=(gone, turn),
        first_step=first,
    )
    if not r.t_events[0].size:
        raise ModelError(f"a mass of {mass:g} at {speed:g} does not return within {1e5 * scale:g}")
    if r.y_events[1].size:
        depth = float(r.y_events[1][0][0])
    else:
        depth = float(r.y[0].max())
    forces = [law.force(p, 0, d, v, mem, 0, t, out) if d > 0.0 else 0.0 for t, d, v in zip(r.t, r.y[0], r.y[1])]
    return Bounce(-float(r.y_events[0][0][1]) / speed, depth, max(forces), float(r.t_events[0][0]), 0.0)


def _marched(law, p, mem, acceleration, speed: float, mass: float, h: float, limit: int) -> Bounce:
    """Fixed steps; the one in which the mass turns back is cut there, so that the law remembers the depth it really
    reached."""

    def step(t: float, d: float, v: float, h: float) -> tuple[float, float, float, float]:
        a1 = acceleration(t, d, v)
        d2, v2 = d + 0.5 * h * v, v + 0.5 * h * a1
        a2 = acceleration(t + 0.5 * h, d2, v2)
        d3, v3 = d + 0.5 * h * v2, v + 0.5 * h * a2
        a3 = acceleration(t + 0.5 * h, d3, v3)
        d4, v4 = d + h * v3, v + h * a3
        a4 = acceleration(t + h, d4, v4)
        return d + h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4), v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4), a1, a4

    t, d, v = 0.0, 0.0, speed
    depth = peak = residual = 0.0
    for _ in range(limit):
        now = h
        new, w, first, last = step(t, d, v, now)
        if w < 0.0 < v:
            lo = 0.0
            for _ in range(40):
                middle = 0.5 * (lo + now)
                if step(t, d, v, middle)[1] > 0.0:
                    lo = middle
                else:
                    now = middle
            new, w, first, last = step(t, d, v, lo)
            now = lo
        t, d, v = t + now, new, w
        if first < 0.0:
            residual = d
        depth, peak = max(depth, d), max(peak, -mass * first)
        if d <= 0.0 or (v < 0.0 and last == 0.0):
            return Bounce(-v / speed, depth, peak, t, max(residual, 0.0))
        law.accept(p, 0, d, v, mem, 0, t)
        if v > 0.0 and now < h:  # over the turning point
            d, v = d + v * 1e-12 * h, -1e-12 * speed
    return Bounce(0.0, depth, peak, math.inf, depth)


def solve(
    law, name: str, restitution: float, speed: float, row, mass: float, column: int, lo: float, hi: float, what: str
) -> float:
    """Value of ``row[column]`` between ``lo`` and ``hi`` with which an impact has the wanted restitution; found by
    simulation.

    The restitution need not fall monotonously: it is sampled first, and the smallest value that gives it is taken.
    Raises ModelError with the range that the law has.
    """

    def excess(x: float) -> float:
        changed = list(row)
        changed[column] = x
        return bounce(law, changed, speed, mass).restitution - restitution

    if not 0.0 <= restitution <= 1.0:
        raise ModelError(f"a restitution lies between 0 and 1, {restitution:g} does not")
    xs = [lo, *(lo + (hi - lo) * np.geomspace(1e-5, 1.0, 26))]
    before, last = lo, excess(lo)
    if abs(last) < 1e-10:
        return lo
    seen = [last]
    for x in xs[1:]:
        now = excess(x)
        if now * last <= 0.0:
            return float(brentq(excess, before, x, xtol=1e-12 * hi, rtol=1e-12))
        before, last = x, now
        seen.append(now)
    raise ModelError(
        f"{name} at speed {speed:g} with mass {mass:g} gives restitutions from {min(seen) + restitution:.4f} to "
        f"{max(seen) + restitution:.4f} for "
        f"{what} from {lo:g} to {hi:g}, not {restitution:g}"
    )


def lankarani_nikravesh_estimate(row, speed: float, mass: float) -> float:
    """Restitution that Lankarani and Nikravesh's argument predicts for IMPACT (its ``row``): the loss along the
    undamped path.

    They set 1/2 m v0^2 (1 - e^2) equal to twice the work of the damping along 0..dm, d' = v0 sqrt(1 - (d/dm)^(n+1)), dm
    the elastic depth (which for their own damping chi d^n gives chi = 3 k (1 - e^2)/(4 v0)).  Here with IMPACT's
    damping c STEP(d, 0, 0, dmax, 1). Good for small losses; 0 where it predicts more loss than energy.
    """
    from scipy.integrate import quad

    k, n, c, dmax = row[:4]
    dm = (0.5 * (n + 1.0) * mass * speed**2 / k) ** (1.0 / (n + 1.0))

    def rate(u: float) -> float:
        x = min(u * dm / dmax, 1.0) if dmax > 0.0 else 1.0
        return x * x * (3.0 - 2.0 * x) * math.sqrt(max(0.0, 1.0 - u ** (n + 1.0)))

    kink = [dmax / dm] if 0.0 < dmax < dm else None
    loss = 2.0 * c * speed * dm * quad(rate, 0.0, 1.0, points=kink, epsabs=1e-12)[0]
    return math.sqrt(max(0.0, 1.0 - loss / (0.5 * mass * speed**2)))


def restitution_against_damping(row, dampings, speed: float, mass: float) -> np.ndarray:
    """For IMPACT: one line (damping, measured restitution, `lankarani_nikravesh_estimate`) for each of ``dampings``."""
    from . import impact  # which finds its damping by `solve`, as every law may; only this table is of one law

    rows = [(row[0], row[1], float(c), row[3]) for c in dampings]
    return np.array(
        [(r[2], bounce(impact, r, speed, mass).restitution, lankarani_nikravesh_estimate(r, speed, mass)) for r in rows]
    )
