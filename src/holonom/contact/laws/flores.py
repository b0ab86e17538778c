"""FLORES: F = k d^n (1 + D d'/v0), D = 8 (1 - e) / (5 e).  Source: Flores, Machado, Silva, Martins, Multibody System
Dynamics 25
(2011) 357.  See `hysteresis`: for the whole range, its restitution is up to 0.045 below what is requested (near
0.24)."""

from __future__ import annotations

from .hysteresis import COLUMNS, MEMORY, accept, family, force

PARAMETER = "restitution"  # what damping_for finds


def factor(e: float) -> float:
    return 1.6 * (1.0 - e) / e


row, damping_for = family("FLORES", factor, zero=False)

__all__ = ["COLUMNS", "MEMORY", "PARAMETER", "accept", "damping_for", "factor", "force", "row"]
