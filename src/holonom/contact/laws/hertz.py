"""HERTZ: F = 4/3 E* sqrt(R) d^1.5 (1 + 3/2 alpha d'): two elastic bodies that touch in a point.

R: reduced radius, 1/R = 1/R_i + 1/R_j, a hollow sphere counting negative (`materials.reduced_radius`); E*: reduced
modulus
(`materials.reduced_modulus`).  Unequal principal curvatures (sphere in a bore, crossed cylinders, ellipsoids) have the
same exponent and an equivalent R (`materials.elliptic`).  Cylinders along a line: HERTZ_LINE.  alpha (``damping``): as
in HUNT_CROSSLEY, 0 for the elastic law.  ``stiffness`` given: used in place of 4/3 E* sqrt(R).
Source: Johnson, Contact Mechanics, Cambridge 1985, chapter 4.
"""

from __future__ import annotations

import math

from ._read import NOTHING, error, number
from .hysteresis import COLUMNS, factor_of, force

MEMORY = 0
PARAMETER = "damping"  # what damping_for finds


def row(contact, context=None) -> tuple[float, ...]:
    c = context or NOTHING
    if number(contact, "restitution", 0.0) != 0.0:
        raise error(
            contact,
            "HERTZ is elastic and takes no RESTITUTION: give DAMPING (as HUNT_CROSSLEY) or choose CARVALHO_MARTINS",
        )
    k = number(contact, "stiffness", 0.0, least=0.0)
    if k == 0.0:
        if c.modulus is None or c.radius is None or not math.isfinite(c.radius):
            missing = (
                "materials of both sides"
                if c.modulus is None
                else "a curved surface, the same in all of its pairs of shapes"
            )
            raise error(contact, f"HERTZ needs {missing}{f' ({c.why})' if c.why else ''}; or give STIFFNESS")
        k = 4.0 / 3.0 * c.modulus * math.sqrt(c.radius)
    return k, 1.5, 0.0, 1.0, 1.5 * number(contact, "damping", 0.0, least=0.0)


def damping_for(restitution: float, speed: float, row, mass: float | None = None) -> float:
    """alpha with which an impact at ``speed`` has the wanted restitution, 0 < e <= 1."""
    return factor_of(restitution) / (1.5 * speed)


__all__ = ["COLUMNS", "MEMORY", "PARAMETER", "damping_for", "force", "row"]
