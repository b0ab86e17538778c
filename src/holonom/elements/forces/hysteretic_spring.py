"""HYSTERETIC_SPRING: Bouc and Wen's spring along the line from J to I: a metal that yields, with the smooth or sharp
knee that its power gives.

With the length R, e = R - length, v = e' and a state z, the elastic stretch over that of yield, D = yield_force / k:

    f = force - hardening k e - (1 - hardening) yield_force z,        D z' = v - |v| |z|^(n - 1) z beta - v |z|^n gamma,
        beta + gamma = 1

z runs to 1 in a steady pull and to -1 in a push; unloading begins with the stiffness k where beta = gamma = 1/2.  For n
from about 20 on it is bilinear with kinematic hardening, for
``hardening`` zero ideally plastic.  f acts on I along the line, positive pushes apart.

Loss in a large cycle between +X and -X, X well above D: 4 (1 - hardening) yield_force (X - D) for a sharp knee.
Sources: Y. K. Wen, J. Eng. Mech. Div. ASCE 102 (1976) 249-263; thermodynamics: S. Erlicher, N. Point, Comptes Rendus
Mecanique 332 (2004) 51-57.

Energy: 1/2 hardening k e^2 + 1/2 (1 - hardening) k D^2 z^2 - force e;  lost: (1 - hardening) yield_force z (v - D z'),
never negative for beta >= |gamma|.
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
from .line import along_line, line, line_column, line_rows, line_tangent


@dataclass
class HystereticSpring(Element):
    """HYSTERETIC_SPRING: f = force - hardening k e - (1 - hardening) yield_force z along the line from J to I, z by
    Bouc and Wen's equation.

    ``k``: force/length, before it yields; ``yield_force``; ``hardening``: stiffness after over that before; ``knee``:
    exponent n, 1 soft to 20 and more sharp;
    ``beta``: share of the
    loop that is lost, 0.5 to 1; ``force``: preload; ``length``: where it is unloaded.
    """

    KIND: ClassVar[str] = "HYSTERETIC_SPRING"
    ROLE: ClassVar[str] = "force"
    ENTITY: ClassVar[str] = "Hysteretic_Spring"
    REFERENCES: ClassVar[dict[str, str]] = IJ
    i: int = 0
    j: int = 0
    k: float = 0.0
    yield_force: float = 0.0
    hardening: float = 0.0
    knee: float = 2.0
    beta: float = 0.5
    force: float = 0.0
    length: float = 0.0

    def faults(self, model):
        """Invalid values: a spring that is none, one that makes energy."""
        for name in ("k", "yield_force"):
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive number"
        if not 0.0 <= self.hardening < 1.0:
            yield f"hardening is {self.hardening:g}; give a number from 0 to below 1"
        if not 1.0 <= self.knee <= 100.0:
            yield f"knee is {self.knee:g}; give a number from 1 to 100"
        if not 0.5 <= self.beta <= 1.0:
            yield f"beta is {self.beta:g}; give a number from 0.5 to 1, or it makes energy"

    def losses(self) -> str:
        return "damped"


def hysteretic_spring(
    model,
    i,
    j,
    *,
    stiffness: float,
    yield_force: float,
    hardening: float = 0.0,
    knee: float = 2.0,
    beta: float = 0.5,
    force: float = 0.0,
    length: float | None = None,
    name: str = "",
    id: int = 0,
) -> HystereticSpring:
    """Spring that yields (Bouc and Wen), from marker ``j`` to marker ``i``: steel dampers, friction dampers, braces
    that flow.

    ``stiffness`` k: force/length; ``yield_force``; ``hardening``: stiffness after yield over that before; ``knee``: 1
    soft, 20 sharp; ``length``: where it is unloaded, by default the distance as drawn.  The elastic stretch over that
    of yield is its state.  Raises `ModelError` for invalid values.

        model.hysteretic_spring(top, base, stiffness=8e7, yield_force=4e5, hardening=0.02, knee=10)
    """
    i, j = model._marker(i), model._marker(j)
    if length is None:
        length = math.dist(model._place(i).origin, model._place(j).origin)
    k = number(stiffness, "stiffness")
    given = number_fields(
        k=k, yield_force=yield_force, hardening=hardening, knee=knee, beta=beta, force=force, length=length
    )
    return model.add(sound(HystereticSpring(id=id, name=name, i=i, j=j, **given), model))


def values(e, model):
    return e.k, e.yield_force, e.hardening, e.knee, e.beta, e.force, e.length


def states(e, place):
    stretch = math.dist(place(e.i).origin, place(e.j).origin) - e.length
    return (max(-1.0, min(1.0, stretch * e.k / e.yield_force)),)


@jit
def growth(c, v, z):
    """D z' and its derivatives with respect to v and z."""
    a = abs(z)
    p = a ** (c[3] - 1.0) if a > 0.0 else (1.0 if c[3] == 1.0 else 0.0)
    s = abs(v) * z * c[4] + v * a * (1.0 - c[4])
    dv = 1.0 - p * ((z if v > 0.0 else -z if v < 0.0 else 0.0) * c[4] + a * (1.0 - c[4]))
    sign = 1.0 if z > 0.0 else -1.0 if z < 0.0 else 0.0
    # |z|^(n - 1) z is n |z|^(n - 1) steep, and |z|^n so with the sign of z
    return v - p * s, dv, -c[3] * p * (abs(v) * c[4] + v * sign * (1.0 - c[4]))


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    r, v, n = line(f[0], f[1], fr)
    along_line(c[5] - c[2] * c[0] * (r - c[6]) - (1.0 - c[2]) * c[1] * x[0], n, W)
    xd[0] = growth(c, v, x[0])[0] * c[0] / c[1]


@jit
def tangent(c, f, fr, ref, t, u, x, W, D):
    i, j = f[0], f[1]
    r, v, n = line(i, j, fr)
    g, dv, dz = growth(c, v, x[0])
    line_tangent(i, j, fr, c[5] - c[2] * c[0] * (r - c[6]) - (1.0 - c[2]) * c[1] * x[0], -c[2] * c[0], 0.0, D)
    line_column(-(1.0 - c[2]) * c[1], n, 24, D)
    line_rows(i, j, fr, r, v, n, 0.0, dv * c[0] / c[1], 12, D)
    D[12, 24] = dz * c[0] / c[1]


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    r, v, n = line(f[0], f[1], fr)
    e = r - c[6]
    z = x[0]
    out[0] = 0.5 * c[2] * c[0] * e * e + 0.5 * (1.0 - c[2]) * c[1] * c[1] / c[0] * z * z - c[5] * e
    out[1] = (1.0 - c[2]) * c[1] * z * (v - growth(c, v, z)[0])
    out[2] = 0.0


WORDS = ("elastic stretch over that of yield",)

KIND = ForceKind(HystereticSpring, hysteretic_spring, force, tangent, energies, values, states, state_words=WORDS)
