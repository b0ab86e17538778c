"""CARVALHO_MARTINS: F = k d^n (1 + D d'/v0) with the D that gives the wanted restitution exactly, for every 0 < e <= 1.

D solves D (1 + e) = ln((1 + D)/(1 - e D)), once, when the model is built; stiffness, exponent and mass do not enter.
Source: Carvalho, Martins, Mechanism and Machine Theory 139 (2019) 174; the equation already in Gonthier et al.,
Multibody System Dynamics 11 (2004) 209.  See `hysteresis`.  The choice when the restitution is what is known.
"""

from __future__ import annotations

from .hysteresis import COLUMNS, MEMORY, accept, family, force
from .hysteresis import factor_of as factor

PARAMETER = "restitution"  # what damping_for finds

row, damping_for = family("CARVALHO_MARTINS", factor, zero=False)

__all__ = ["COLUMNS", "MEMORY", "PARAMETER", "accept", "damping_for", "factor", "force", "row"]
