"""KELVIN_VOIGT: F = k d + c d', never negative: a linear spring and damper side by side.

The force jumps to c v0 at the onset and would pull before the end; cut at 0, the impact ends where k d + c d' = 0,
after the angle theta of the damped oscillation, and e = exp(-zeta theta / sqrt(1 - zeta^2)) with zeta = c / (2 sqrt(k
m)), sin theta = 2 zeta sqrt(1 - zeta^2), cos theta = 2 zeta^2 - 1; hyperbolic functions above zeta = 1; 1/(4 zeta^2)
for large zeta
(Schwager, Poeschel, Granular Matter 9 (2007) 465).  Every 0 < e <= 1 has its damping.
e depends on the mass and not on the speed.
"""

from __future__ import annotations

import math

from scipy.optimize import brentq

from ..._jit import jit
from ...model.base import ModelError
from ._read import number
from .formulas import restitution_of

COLUMNS = (("k", "stiffness", "force/length"), ("c", "damping", "force*time/length"))
MEMORY = 0
PARAMETER = "damping"  # what damping_for finds


def row(contact, context=None) -> tuple[float, ...]:
    return number(contact, "stiffness", above=0.0), number(contact, "damping", 0.0, least=0.0)


@jit(entry="float64[:, ::1], int64, float64, float64, float64[:, ::1], int64, float64, float64[::1]")
def force(p, k, d, v, mem, q, t, out):
    S = p[k, 0] * d
    F = S + p[k, 1] * v
    out[2] = S
    out[3] = 0.5 * S * d
    if F <= 0.0:
        out[0] = 0.0
        out[1] = 0.0
        return 0.0
    out[0] = p[k, 0]
    out[1] = p[k, 1]
    return F


def damping_for(restitution: float, speed: float, row, mass: float | None = None) -> float:
    """c with which a mass returns with the wanted restitution, 0 < e <= 1, at every speed.  Raises ModelError
    outside, or without mass."""
    if not 0.0 < restitution <= 1.0:
        raise ModelError(f"KELVIN_VOIGT reaches restitutions above 0 up to 1, not {restitution:g}")
    if mass is None:
        raise ModelError("KELVIN_VOIGT: its restitution depends on the effective mass of the impact: give mass")
    if restitution == 1.0:
        return 0.0
    hi = 1.0
    while restitution_of(hi) > restitution:
        hi *= 2.0
    return (
        2.0 * math.sqrt(row[0] * mass) * float(brentq(lambda z: restitution_of(z) - restitution, 0.0, hi, xtol=1e-15))
    )
