"""POWER_DAMPER: fluid viscous damper along the line from J to I, f = -c sign(v) |v|^a, with a spring next to it.

With the length R and its rate v, smooth below a small speed s (``slow``):

    f = force - k (R - length) - c v (v^2 + s^2)^((a - 1)/2)

f acts on I along the line, positive pushes apart.  Far above s the damper is c |v|^a sign(v); at rest its slope is c
s^(a - 1).  For a = 1 it is linear whatever s.

A brace at an angle theta to the floors gives the storey a force cos(theta) f at the rate cos(theta) v: c cos(theta)^(1
+ a), which the line does by itself. Loss a cycle of v = V cos(w t), amplitude X = V / w:  W = lambda(a) c V^a X,
lambda = 4 * 2^a Gamma(1 + a/2)^2 / Gamma(2 + a)  (pi for a = 1).
Source: M. C. Constantinou, M. D. Symans, NCEER-92-0032 (1992); FEMA 356 (2000), 9.3.3.

Energy: 1/2 k e^2 - force e;  lost: c v^2 (v^2 + s^2)^((a - 1)/2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ..._jit import jit
from ...model.base import Element
from ...model.builder.teaching import sound
from ...model.forces import IJ
from ...model.values import number, number_fields
from ..kinds import ForceKind
from .line import along_line, line, line_tangent


@dataclass
class PowerDamper(Element):
    """POWER_DAMPER: f = force - k e - c v (v^2 + slow^2)^((exponent - 1)/2) along the line from J to I, e = DM(I, J) -
    length, v its rate.

    ``c``: force * (time/length)^exponent; ``exponent``: 0.1 to 2, 1 is a linear dashpot; ``k``: force/length;
    ``force``: preload; ``length``: where the spring is unloaded;
    ``slow``: speed below which the power is made smooth.
    """

    KIND: ClassVar[str] = "POWER_DAMPER"
    ROLE: ClassVar[str] = "force"
    ENTITY: ClassVar[str] = "Power_Damper"
    REFERENCES: ClassVar[dict[str, str]] = IJ
    i: int = 0
    j: int = 0
    c: float = 0.0
    exponent: float = 1.0
    k: float = 0.0
    force: float = 0.0
    length: float = 0.0
    slow: float = 0.0

    def faults(self, model):
        """Invalid values: no damper, an exponent that is none."""
        for name in ("c", "slow"):
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive number"
        if not 0.1 <= self.exponent <= 2.0:
            yield f"exponent is {self.exponent:g}; give a number from 0.1 to 2"
        if self.k < 0.0:
            yield f"k is {self.k:g}; give zero or a positive number"

    def losses(self) -> str:
        return "damped"


def power_damper(
    model,
    i,
    j,
    *,
    damping: float,
    exponent: float = 1.0,
    stiffness: float = 0.0,
    force: float = 0.0,
    length: float | None = None,
    slow: float | None = None,
    name: str = "",
    id: int = 0,
) -> PowerDamper:
    """Fluid viscous damper from marker ``j`` to marker ``i``:  f = force - k e - c |v|^exponent sign(v), smooth below
    the speed ``slow``.

    ``damping`` c: force * (time/length)^exponent; ``stiffness`` k: force/length; ``length``: where the
    spring is unloaded, by default the distance as drawn; ``slow``: by default 1 mm/s.
    Raises `ModelError` for a damper that is not positive and for exponents outside of 0.1 to 2.

        model.power_damper(top, base, damping=2.0e5, exponent=0.3)
    """
    i, j = model._marker(i), model._marker(j)
    if length is None:
        length = math.dist(model._place(i).origin, model._place(j).origin)
    if slow is None:
        slow = 1e-3 * model.units.si_time / model.units.si_length
    c, k = number(damping, "damping"), number(stiffness, "stiffness")
    given = number_fields(c=c, exponent=exponent, k=k, force=force, length=length, slow=slow)
    return model.add(sound(PowerDamper(id=id, name=name, i=i, j=j, **given), model))


def values(e, model):
    return e.c, e.exponent, e.k, e.force, e.length, e.slow


@jit
def resistance(c, v):
    """c v (v^2 + s^2)^((a - 1)/2) and its derivative."""
    q = v * v + c[5] * c[5]
    p = c[0] * q ** (0.5 * (c[1] - 1.0))
    return p * v, p * (1.0 + (c[1] - 1.0) * v * v / q)


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    r, v, n = line(f[0], f[1], fr)
    along_line(c[3] - c[2] * (r - c[4]) - resistance(c, v)[0], n, W)


@jit
def tangent(c, f, fr, ref, t, u, x, W, D):
    r, v, n = line(f[0], f[1], fr)
    d, slope = resistance(c, v)
    line_tangent(f[0], f[1], fr, c[3] - c[2] * (r - c[4]) - d, -c[2], -slope, D)


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    r, v, n = line(f[0], f[1], fr)
    e = r - c[4]
    out[0] = (0.5 * c[2] * e - c[3]) * e
    out[1] = resistance(c, v)[0] * v
    out[2] = 0.0


KIND = ForceKind(PowerDamper, power_damper, force, tangent, energies, values)
