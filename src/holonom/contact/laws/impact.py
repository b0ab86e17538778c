"""IMPACT: F = k d^e + STEP(d, 0, 0, dmax, cmax) d', never negative.  Source: Adams Solver manual, CONTACT and IMPACT.

The damping does not know the speed: restitution falls with the damping and depends on mass and speed.  Strong damping
is cut by the rule "never negative" on the way out, so a small restitution takes much damping.  `damping_for` finds it
by simulation.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...model.base import ModelError
from ._read import number
from .formulas import damping_at, power, stored

COLUMNS = (
    ("k", "stiffness", "force/length^e"),
    ("e", "exponent", "-"),
    ("c", "damping at full depth", "force*time/length"),
    ("dmax", "depth at which damping is full", "length"),
)
K, EXP, DAMP, DMAX = range(4)
MEMORY = 0
PARAMETER = "damping"  # what damping_for finds


def row(contact, context=None) -> tuple[float, ...]:
    k, e = number(contact, "stiffness", above=0.0), number(contact, "exponent", least=1.0)
    return k, e, number(contact, "damping", least=0.0), number(contact, "dmax", least=0.0)


def kink(p) -> float:
    """Depth at which the slope of the law changes, 0 without: the end of the damping's rise."""
    return p[DMAX] if p[DAMP] > 0.0 else 0.0


@jit(entry="float64[:, ::1], int64, float64, float64, float64[:, ::1], int64, float64, float64[::1]")
def force(p, k, d, v, mem, q, t, out):
    s = p[k, K] * power(d, p[k, EXP])
    c = damping_at(p[k, DAMP], p[k, DMAX], d)
    slope = 0.0
    if d < p[k, DMAX]:
        x = d / p[k, DMAX]
        slope = p[k, DAMP] * 6.0 * x * (1.0 - x) / p[k, DMAX]
    F = s + c * v
    out[2] = s
    out[3] = stored(s, p[k, EXP], d)
    if F <= 0.0:
        out[0] = 0.0
        out[1] = 0.0
        return 0.0
    out[0] = p[k, EXP] * s / d + slope * v
    out[1] = c
    return F


def damping_for(restitution: float, speed: float, row, mass: float | None = None) -> float:
    """The damping cmax with which a ``mass`` that arrives at ``speed`` has the wanted restitution.

    Searched up to 100 sqrt(m K), K the secant stiffness of the elastic impact.  Raises ModelError with the range where
    none does.
    """
    from . import impact
    from .bounce import solve

    if mass is None:
        raise ModelError("IMPACT: its restitution depends on the effective mass of the impact: give mass")
    if restitution == 1.0:
        return 0.0
    k, e = row[0], row[1]
    deep = (0.5 * (e + 1.0) * mass * speed**2 / k) ** (1.0 / (e + 1.0))
    most = 100.0 * math.sqrt(mass * k * deep ** (e - 1.0))
    return solve(impact, "IMPACT", restitution, speed, row, mass, 2, 0.0, most, "DAMPING")
