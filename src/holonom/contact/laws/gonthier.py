"""GONTHIER: F = k d^n (1 + D d'/v0), D = (1 - e^2)/e up to e = 1/3, D = 3/2 (1 - e) (11 - e)/(1 + 9 e) above (equal
there).

Sources: Gonthier, McPhee, Lange, Piedboeuf, Multibody System Dynamics 11 (2004) 209 (low e); Carvalho, Martins,
Mechanism and Machine Theory 139 (2019) 174 (high e); joined as in Exudyn's ObjectContactSphereSphere, impactModel 2.
Explicit, for the whole
range: its restitution is within 0.0053 of what is requested, within 0.0027 above 1/3.  See `hysteresis`."""

from __future__ import annotations

from .hysteresis import COLUMNS, MEMORY, accept, family, force

PARAMETER = "restitution"  # what damping_for finds


def factor(e: float) -> float:
    return 1.5 * (1.0 - e) * (11.0 - e) / (1.0 + 9.0 * e) if e > 1.0 / 3.0 else (1.0 - e * e) / e


row, damping_for = family("GONTHIER", factor, zero=False)

__all__ = ["COLUMNS", "MEMORY", "PARAMETER", "accept", "damping_for", "factor", "force", "row"]
