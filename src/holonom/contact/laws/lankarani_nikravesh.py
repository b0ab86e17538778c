"""LANKARANI_NIKRAVESH: F = k d^n (1 + D d'/v0), D = 3 (1 - e^2) / 4.  Source: Lankarani, Nikravesh, Journal of
Mechanical Design 112
(1990) 369.  See `hysteresis`: for e near 1; within 0.01 above 0.92, and it never gives less than 0.663."""

from __future__ import annotations

from .hysteresis import COLUMNS, MEMORY, accept, family, force

PARAMETER = "restitution"  # what damping_for finds


def factor(e: float) -> float:
    return 0.75 * (1.0 - e * e)


row, damping_for = family("LANKARANI_NIKRAVESH", factor, zero=True)

__all__ = ["COLUMNS", "MEMORY", "PARAMETER", "accept", "damping_for", "factor", "force", "row"]
