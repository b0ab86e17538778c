"""TANH: mu(u) = (mu_d + (mu_s - mu_d) exp(-(u/vd)^2)) tanh(u/vs): a smooth curve, Stribeck's peak and a regularised
sign.

vs and vd: the transition velocities of COULOMB; here all derivatives are continuous, which high-order methods like, and
mu stays below mu_s.  Without slip there is no force.  Source of the shape: Andersson, Soederberg, Bjoerklund, Tribology
International 40 (2007) 580.
"""

from __future__ import annotations

import math

from ..._jit import jit
from .coulomb import COLUMNS, MU_D, MU_S, VD, VS, along, coefficients

MEMORY = 0


def row(contact, context=None) -> tuple[float, ...]:
    return coefficients(contact)


@jit
def force(p, k, N, s, mem, q, t, out):
    u = math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
    x = u / p[k, VS]
    y = u / p[k, VD]
    peak = (p[k, MU_S] - p[k, MU_D]) * math.exp(-y * y)
    g = p[k, MU_D] + peak
    h = math.tanh(x)
    if x > 1e-3:
        r = g * h / u
        w = (g * (1.0 - h * h) / p[k, VS] - 2.0 * peak * y / p[k, VD] * h - r) / (u * u)
    else:
        z = 1.0 - x * x / 3.0
        r = g * z / p[k, VS]
        w = (-2.0 / 3.0 * g / (p[k, VS] * p[k, VS]) - 2.0 * peak / (p[k, VD] * p[k, VD]) * z) / p[k, VS]
    along(N, s, r, w, g * h, out)


__all__ = ["COLUMNS", "MEMORY", "force", "row"]
