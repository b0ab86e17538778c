"""ELASTIC_PLASTIC: a dent that stays: loading along k d^n, unloading and reloading along a stiffer curve that ends at the dent.

With dm the largest depth so far and dp = lambda (dm - dy) the dent (none up to the yield depth dy),

    F = k d^n                                   d >= dm
    F = k dm^n ((d - dp) / (dm - dp))^n         dp < d < dm,   0 at d <= dp

times (1 + 3/2 alpha d') for the damping of small oscillations (alpha 0 unless given).  The work k dm^n dp / (n + 1) is lost, never
less as dm grows, and nothing within a closed loop below dm.  Without damping an impact that indents to dm has
e^2 = 1 - dp/dm: for dy = 0 e = sqrt(1 - lambda) at every speed, else it falls with the speed from 1 towards that.
n = 1, dy = 0 is the law of Walton and Braun (Journal of Rheology 30 (1986) 949) with k1/k2 = 1 - lambda.

The dent is remembered as long as the contact point lives; a contact that opens and closes again starts without one, as usual in
granular mechanics, unless the point is kept.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...model.base import ModelError
from ._power import power
from ._read import number
from .hysteresis import damped

COLUMNS = (
    ("k", "stiffness of the first loading", "force/length^n"),
    ("n", "exponent", ""),
    ("lambda", "dent over depth beyond yield", ""),
    ("dy", "yield depth", "length"),
    ("a", "damping factor", "time/length"),
)
MEMORY = 2  # largest depth, dent
HISTORY = True
PARAMETER = "plasticity"  # what damping_for finds


def row(contact, context=None) -> tuple[float, ...]:
    k, n = number(contact, "stiffness", above=0.0), number(contact, "exponent", 1.5, least=1.0)
    plasticity = number(contact, "plasticity", least=0.0, most=0.999)
    return k, n, plasticity, number(contact, "yield_depth", 0.0, least=0.0), 1.5 * number(contact, "damping", 0.0, least=0.0)


@jit
def force(p, k, d, v, mem, q, t, out):
    n = p[k, 1]
    top = max(d, mem[q, 0])
    dent = p[k, 2] * max(0.0, top - p[k, 3])
    if d <= dent:
        for i in range(4):
            out[i] = 0.0
        return 0.0
    S = p[k, 0] * power(top, n)
    dS = n * S / top
    if d < top:
        S *= power((d - dent) / (top - dent), n)
        dS = n * S / (d - dent)
    out[3] = S * (d - dent) / (n + 1.0)
    F = damped(S, dS, p[k, 4], v, out)
    if d == top and v > 0.0:  # of the work of first loading only this is stored: d(out[3])/dd
        out[2] = (dS * (d - dent) + S * (1.0 - (p[k, 2] if d > p[k, 3] else 0.0))) / (n + 1.0)
    return F


@jit
def accept(p, k, d, v, mem, q, t):
    if d > mem[q, 0]:
        mem[q, 0] = d
        mem[q, 1] = p[k, 2] * max(0.0, d - p[k, 3])


def damping_for(restitution: float, speed: float, row, mass: float | None = None) -> float:
    """The plasticity lambda with which an impact at ``speed`` has the wanted restitution (without alpha).

    lambda = (1 - e^2) dm/(dm - dy), dm from the energy of the impact.  Raises ModelError where it would be 1 or more, or the depth is
    below yield.
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
            raise ModelError("ELASTIC_PLASTIC with a YIELD_DEPTH: its restitution depends on the effective mass of the impact: give mass")
        top = (0.5 * (n + 1.0) * mass * speed**2 / k) ** (1.0 / (n + 1.0))
        share = 1.0 - dy / top
        if share <= 0.0:
            raise ModelError(
                f"ELASTIC_PLASTIC: an impact at {speed:g} reaches {top:g} and stays below the yield depth {dy:g}: its restitution is 1"
            )
    value = (1.0 - restitution**2) / share
    if value > 0.999:
        raise ModelError(
            f"ELASTIC_PLASTIC at speed {speed:g} gives restitutions from {math.sqrt(1.0 - 0.999 * share):.4f} to 1, not {restitution:g}"
        )
    return value
