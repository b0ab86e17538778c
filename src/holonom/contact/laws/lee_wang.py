"""LEE_WANG: F = k d^n (1 + D d'/v0), D = 3 (1 - e) / 4.  Source: Lee, Wang, Journal of Sound and Vibration 163 (1993)
41, as in Alves et al., Mechanism and Machine Theory 85 (2015) 172.  See `hysteresis`: it dissipates half of what its
e gives near e = 1."""

from __future__ import annotations

from .hysteresis import COLUMNS, MEMORY, accept, family, force

PARAMETER = "restitution"  # what damping_for finds


def factor(e: float) -> float:
    return 0.75 * (1.0 - e)


row, damping_for = family("LEE_WANG", factor, zero=True)

__all__ = ["COLUMNS", "MEMORY", "PARAMETER", "accept", "damping_for", "factor", "force", "row"]
