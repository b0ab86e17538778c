"""IMPACT: F = k d^e + STEP(d, 0, 0, dmax, cmax) d', never negative.  Source: Adams Solver manual, CONTACT and IMPACT."""

from __future__ import annotations

import math

from ..._jit import jit

COLUMNS = (
    ("k", "stiffness", "force/length^e"),
    ("e", "exponent", "-"),
    ("c", "damping at full depth", "force*time/length"),
    ("dmax", "depth at which damping is full", "length"),
)
MEMORY = 0


def row(contact, context=None) -> tuple[float, ...]:
    return contact.stiffness, contact.exponent, contact.damping, contact.dmax


@jit
def force(p, k, d, v, mem, q, t, out):
    s = p[k, 0] * math.pow(d, p[k, 1])
    x = d / p[k, 3] if p[k, 3] > 0.0 else 1.0
    c = p[k, 2]
    slope = 0.0
    if x < 1.0:
        slope = c * 6.0 * x * (1.0 - x) / p[k, 3]
        c *= x * x * (3.0 - 2.0 * x)
    F = s + c * v
    out[2] = s
    out[3] = s * d / (p[k, 1] + 1.0)
    if F <= 0.0:
        out[0] = 0.0
        out[1] = 0.0
        return 0.0
    out[0] = p[k, 1] * s / d + slope * v
    out[1] = c
    return F
