"""HU_GUO: F = k d^n (1 + D d'/v0), D = 3 (1 - e) / (2 e).  Source: Hu, Guo, Nonlinear Dynamics 79 (2015) 2045.  See
`hysteresis`: up to 0.035 below what is requested (near 0.2), within 0.01 above 0.54."""

from __future__ import annotations

from .hysteresis import COLUMNS, MEMORY, accept, family, force

PARAMETER = "restitution"  # what damping_for finds


def factor(e: float) -> float:
    return 1.5 * (1.0 - e) / e


row, damping_for = family("HU_GUO", factor, zero=False)

__all__ = ["COLUMNS", "MEMORY", "PARAMETER", "accept", "damping_for", "factor", "force", "row"]
