"""HUNT_CROSSLEY: F = k d^n (1 + 3/2 alpha d'), or with a restitution e and the impact speed v0: F = k d^n (1 + 3/2 (1 -
e) d'/v0).

alpha (``damping``, time/length) is a property of the materials: e = 1 - alpha v0 for slow impacts, so that slow ones
are nearly elastic, as measured.  Source: Hunt, Crossley, Journal of Applied Mechanics 42 (1975) 440.  See `hysteresis`
for what it really gives. Give one of ``damping`` and ``restitution``; ``damping_for`` finds alpha, for every 0 < e <= 1
at one speed.
"""

from __future__ import annotations

from ._read import error, number, slow
from .hysteresis import COLUMNS, MEMORY, accept, factor_of, force

PARAMETER = "damping"  # what damping_for finds


def factor(e: float) -> float:
    return 1.5 * (1.0 - e)


def row(contact, context=None) -> tuple[float, ...]:
    alpha, e = number(contact, "damping", 0.0, least=0.0), number(contact, "restitution", 0.0, least=0.0, most=1.0)
    if alpha > 0.0 and e > 0.0:
        raise error(contact, "HUNT_CROSSLEY takes DAMPING (alpha of e = 1 - alpha v) or RESTITUTION, not both")
    k, n = number(contact, "stiffness", above=0.0), number(contact, "exponent", 1.5, least=1.0)
    return k, n, factor(e) if e > 0.0 else 0.0, slow(contact, context), 1.5 * alpha


def damping_for(restitution: float, speed: float, row, mass: float | None = None) -> float:
    """alpha with which an impact at ``speed`` has the wanted restitution."""
    return factor_of(restitution) / (1.5 * speed)


__all__ = ["COLUMNS", "MEMORY", "PARAMETER", "accept", "damping_for", "factor", "force", "row"]
