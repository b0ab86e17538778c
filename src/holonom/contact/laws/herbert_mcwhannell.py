"""HERBERT_MCWHANNELL: F = k d^n (1 + D d'/v0), D = 6 (1 - e) / ((2 e - 1)^2 + 3).  Source: Herbert, McWhannell, ASME
Journal of Engineering for Industry 99 (1977) 795, as in Alves et al., Mechanism and Machine Theory 85 (2015) 172.  See
`hysteresis`: within 0.01 above 0.78, never below 0.487."""

from __future__ import annotations

from .hysteresis import COLUMNS, MEMORY, accept, family, force

PARAMETER = "restitution"  # what damping_for finds


def factor(e: float) -> float:
    return 6.0 * (1.0 - e) / ((2.0 * e - 1.0) ** 2 + 3.0)


row, damping_for = family("HERBERT_MCWHANNELL", factor, zero=True)

__all__ = ["COLUMNS", "MEMORY", "PARAMETER", "accept", "damping_for", "factor", "force", "row"]
