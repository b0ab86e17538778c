"""ELASTIC_PLASTIC: a dent that stays: loading along k d^n, unloading and reloading along a stiffer curve that ends at
the dent.

With dm the largest depth so far and dp = lambda (dm - dy) the dent (none up to the yield depth dy),

    F = k d^n                                   d >= dm
    F = k dm^n ((d - dp) / (dm - dp))^n         dp < d < dm,   0 at d <= dp

times (1 + 3/2 alpha d') for the damping of small oscillations (alpha 0 unless given).  The work k dm^n dp / (n + 1) is
lost, never less as dm grows, and nothing within a closed loop below dm.  Without damping an impact that indents to dm
has e^2 = 1 - dp/dm: for dy = 0 e = sqrt(1 - lambda) at every speed, else it falls with the speed from 1 towards that.
n = 1, dy = 0 is the law of Walton and Braun (Journal of Rheology 30 (1986) 949) with k1/k2 = 1 - lambda.

dm is known at the ends of steps, and within the step that turns back: there the depth is taken as the cubic through
depth and rate at the last accepted step and at the present, and dm is its top.  So the dent is right to fourth order in
the step, and the error control of the integrator sees the turning point.

The dent is remembered as long as the contact point lives; a contact that opens and closes again starts without one, as
usual in granular mechanics, unless the point is kept.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...model.base import ModelError
from ._read import number
from .formulas import elapsed, power, stamp
from .hysteresis import damped

COLUMNS = (
    ("k", "stiffness of the first loading", "force/length^n"),
    ("n", "exponent", ""),
    ("lambda", "dent over depth beyond yield", ""),
    ("dy", "yield depth", "length"),
    ("a", "damping factor", "time/length"),
)
K, EXP, PLASTICITY, YIELD, DAMP = range(5)
TOP, DENT, DEPTH, SPEED, TIME = range(5)  # columns of the memory
MEMORY = 5  # largest depth, dent; depth, rate and time of the last accepted step
HISTORY = True
PARAMETER = "plasticity"  # what damping_for finds


def row(contact, context=None) -> tuple[float, ...]:
    k, n = number(contact, "stiffness", above=0.0), number(contact, "exponent", 1.5, least=1.0)
    plasticity = number(contact, "plasticity", least=0.0, most=0.999)
    return (
        k,
        n,
        plasticity,
        number(contact, "yield_depth", 0.0, least=0.0),
        1.5 * number(contact, "damping", 0.0, least=0.0),
    )


@jit
def _top(mem, q, d, v, t):
    """Largest depth up to now, and its derivatives by d and v where it lies within the step (else 0)."""
    h = elapsed(mem[q, TIME], t)
    if h > 0.0 and mem[q, SPEED] > 0.0 and v < 0.0:
        a = h * mem[q, SPEED]
        x = d - mem[q, DEPTH]
        b = 3.0 * x - 2.0 * a - h * v
        c = a + h * v - 2.0 * x
        u = a / (math.sqrt(max(0.0, b * b - 3.0 * a * c)) - b)  # a + 2 b u + 3 c u^2 = 0
        top = mem[q, DEPTH] + u * (a + u * (b + u * c))
        if top > mem[q, TOP]:
            return top, u * u * (3.0 - 2.0 * u), h * u * u * (u - 1.0)
    return max(d, mem[q, TOP]), 0.0, 0.0


@jit(entry="float64[:, ::1], int64, float64, float64, float64[:, ::1], int64, float64, float64[::1]")
def force(p, k, d, v, mem, q, t, out):
    n = p[k, EXP]
    top, by_d, by_v = _top(mem, q, d, v, t)
    dent = p[k, PLASTICITY] * max(0.0, top - p[k, YIELD])
    if d <= dent:
        for i in range(4):
            out[i] = 0.0
        return 0.0
    S = p[k, K] * power(top, n)
    dS = n * S / top
    slope = 0.0  # by the largest depth
    if d < top:
        S *= power((d - dent) / (top - dent), n)
        share = p[k, PLASTICITY] if top > p[k, YIELD] else 0.0
        slope = n * S * (1.0 / top - share / (d - dent) - (1.0 - share) / (top - dent))
        dS = n * S / (d - dent)
    out[3] = S * (d - dent) / (n + 1.0)
    F = damped(S, dS + slope * by_d, p[k, DAMP], v, out)
    if F > 0.0:
        out[1] += slope * by_v * (1.0 + p[k, DAMP] * v)
    if d == top and v > 0.0:  # of the work of first loading only this is stored: d(out[3])/dd
        out[2] = (dS * (d - dent) + S * (1.0 - (p[k, PLASTICITY] if d > p[k, YIELD] else 0.0))) / (n + 1.0)
    return F


@jit(entry="float64[:, ::1], int64, float64, float64, float64[:, ::1], int64, float64")
def accept(p, k, d, v, mem, q, t):
    top, by_d, by_v = _top(mem, q, d, v, t)
    if top > mem[q, TOP]:
        mem[q, TOP] = top
        mem[q, DENT] = p[k, PLASTICITY] * max(0.0, top - p[k, YIELD])
    mem[q, DEPTH] = d
    mem[q, SPEED] = v
    mem[q, TIME] = stamp(t)


def damping_for(restitution: float, speed: float, row, mass: float | None = None) -> float:
    """The plasticity lambda with which an impact at ``speed`` has the wanted restitution (without alpha).

    lambda = (1 - e^2) dm/(dm - dy), dm from the energy of the impact.  Raises ModelError where it would be 1 or more,
    or the depth is below yield.
    """
    if not 0.0 < restitution <= 1.0:
        raise ModelError(f"ELASTIC_PLASTIC reaches restitutions above 0 up to 1, not {restitution:g}")
    if row[4] != 0.0:
        raise ModelError("ELASTIC_PLASTIC: with DAMPING its restitution has no closed form; set DAMPING to 0")
    k, n, dy = row[0], row[1], row[3]
    if restitution == 1.0:
        return 0.0
    share = 1.0
    if dy > 0.0:
        if mass is None:
            raise ModelError(
                "ELASTIC_PLASTIC with a YIELD_DEPTH: its restitution depends on the effective mass of the impact: "
                "give mass"
            )
        top = (0.5 * (n + 1.0) * mass * speed**2 / k) ** (1.0 / (n + 1.0))
        share = 1.0 - dy / top
        if share <= 0.0:
            raise ModelError(
                f"ELASTIC_PLASTIC: an impact at {speed:g} reaches {top:g} and stays below the yield depth {dy:g}: its "
                "restitution is 1"
            )
    value = (1.0 - restitution**2) / share
    if value > 0.999:
        raise ModelError(
            f"ELASTIC_PLASTIC at speed {speed:g} gives restitutions from {math.sqrt(1.0 - 0.999 * share):.4f} to 1, "
            f"not {restitution:g}"
        )
    return value
