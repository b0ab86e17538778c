"""HERTZ_LINE: parallel cylinders, external or in a bore, d = F/(pi E* L) (ln(4 pi E* L R / F) - 1), times (1 + 3/2
alpha d').

R = R_i + R_j outside, R_j - R_i inside a bore; L: length of the line.  Two-dimensional elasticity has no absolute
approach of two half-spaces, so the radii enter next to their reduced one: the depth is that of the axes, each cylinder
supported at its middle. With y = F/(pi E* L): d = y (ln(4 R/y) - 1), solved for y by Newton; nearly linear, F ~ pi E* L
d / (ln(4 R/d) + ln ln - 1). The formula turns back at d = 4 R/e^2; from y = 4 R/e^3 on, where dd/dy = 1 (half that
depth and far outside Hertz's assumptions), the force continues along its tangent.  A pin in a bore with small clearance
reaches that soon: then the contact is conforming and no closed law is right.  Source: Johnson, Contact Mechanics,
Cambridge 1985, section 5.6; Pereira, Ramalho, Ambrosio, Nonlinear Dynamics 63 (2011) 681.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ._read import NOTHING, error, number
from .hysteresis import damped, factor_of

COLUMNS = (
    ("k", "pi E* L", "force/length"),
    ("R", "sum of the radii, difference inside a bore", "length"),
    ("a", "damping factor", "time/length"),
)
MEMORY = 0
PARAMETER = "damping"  # what damping_for finds


def row(contact, context=None) -> tuple[float, ...]:
    c = context or NOTHING
    if c.modulus is None:
        raise error(contact, "HERTZ_LINE needs the materials of both sides")
    if c.spread is None or c.length is None or not (0.0 < c.spread < math.inf):
        why = f" ({c.why})" if c.why else ""
        raise error(
            contact,
            f"HERTZ_LINE needs two parallel cylinders with a common length, of unequal radii if one is a bore{why}",
        )
    return math.pi * c.modulus * c.length, c.spread, 1.5 * number(contact, "damping", 0.0, least=0.0)


@jit(entry="float64[:, ::1], int64, float64, float64, float64[:, ::1], int64, float64, float64[::1]")
def force(p, k, d, v, mem, q, t, out):
    R4 = 4.0 * p[k, 1]
    y1 = R4 * math.exp(-3.0)
    d1 = 2.0 * y1
    if d >= d1:
        y = y1 + (d - d1)
        c = p[k, 0]
        W = (y1 * y1 * 0.75) + (d - d1) * 0.5 * (y + y1)  # the integral of y dd up to y1 is 3/4 y1^2
    else:
        y = d / (math.log(R4 / d) - 1.0) if d < 0.05 * d1 else 0.5 * d
        for _ in range(30):
            L = math.log(R4 / y)
            step = (y * (L - 1.0) - d) / (L - 2.0)
            y -= step
            if abs(step) <= 1e-15 * y:
                break
        L = math.log(R4 / y)
        c = p[k, 0] / (L - 2.0)
        W = 0.5 * y * y * (L - 1.5)
    out[3] = p[k, 0] * W
    return damped(p[k, 0] * y, c, p[k, 2], v, out)


def damping_for(restitution: float, speed: float, row, mass: float | None = None) -> float:
    """alpha with which an impact at ``speed`` has the wanted restitution, 0 < e <= 1."""
    return factor_of(restitution) / (1.5 * speed)
