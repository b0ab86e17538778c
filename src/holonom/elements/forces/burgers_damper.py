"""BURGERS_DAMPER: the four-parameter model of viscoelastic matter along the line from J to I: Maxwell's spring and
damper in series with Kelvin's.

With the length R, e = R - length, and as states the stretch m of Maxwell's damper and that of Kelvin's element, q:

    f = force - k_maxwell (e - m - q),     c_maxwell m' = k_maxwell (e - m - q),     c_kelvin q' = k_maxwell (e - m - q)
        - k_kelvin q

f acts on I along the line, positive pushes apart.  Under a constant force P it gives way by P (1/k_maxwell +
t/c_maxwell + (1 - exp(-k_kelvin t/c_kelvin))/k_kelvin): at once, for
ever, and late.  Without Kelvin's element it is Maxwell's, with a very stiff Maxwell's spring and damper Kelvin's.
Source: W. N. Findley, J. S. Lai, K. Onaran, Creep and Relaxation of Nonlinear Viscoelastic Materials (1976), 5.7.

Energy: 1/2 k_maxwell (e - m - q)^2 + 1/2 k_kelvin q^2 - force e;  lost: c_maxwell m'^2 + c_kelvin q'^2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ..._jit import jit
from ...model.base import Element
from ...model.builder.teaching import sound
from ...model.forces import IJ
from ...model.values import number
from ..kinds import ForceKind
from .line import along_line, line, line_column, line_rows, line_tangent


@dataclass
class BurgersDamper(Element):
    """BURGERS_DAMPER: spring ``k_maxwell`` and damper ``c_maxwell`` in series with a spring ``k_kelvin`` and a damper
    ``c_kelvin`` side by side, along the line from J to I.

    Stiffnesses: force/length; dampers: force*time/length; ``force``: preload; ``length``: where all are unloaded.
    """

    KIND: ClassVar[str] = "BURGERS_DAMPER"
    ROLE: ClassVar[str] = "force"
    ENTITY: ClassVar[str] = "Burgers_Damper"
    REFERENCES: ClassVar[dict[str, str]] = IJ
    i: int = 0
    j: int = 0
    k_maxwell: float = 0.0
    c_maxwell: float = 0.0
    k_kelvin: float = 0.0
    c_kelvin: float = 0.0
    force: float = 0.0
    length: float = 0.0

    def faults(self, model):
        """Invalid values: parts that are not positive."""
        for name in ("k_maxwell", "c_maxwell", "k_kelvin", "c_kelvin"):
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive number"

    def losses(self) -> str:
        return "damped"


def burgers_damper(
    model,
    i,
    j,
    *,
    maxwell_stiffness: float,
    maxwell_damping: float,
    kelvin_stiffness: float,
    kelvin_damping: float,
    force: float = 0.0,
    length: float | None = None,
    name: str = "",
    id: int = 0,
) -> BurgersDamper:
    """Four-parameter viscoelastic damper from marker ``j`` to marker ``i``: Maxwell's spring and damper in series with
    Kelvin's.

    Stiffnesses in force/length, dampers in force*time/length; ``length``: where it is unloaded, by default the distance
    as drawn.  The stretches of Maxwell's damper and
    of Kelvin's element are its states.  Raises `ModelError` for parts that are not positive.

        model.burgers_damper(top, base, maxwell_stiffness=2e6, maxwell_damping=5e7, kelvin_stiffness=1e6,
            kelvin_damping=3e5)
    """
    i, j = model._marker(i), model._marker(j)
    if length is None:
        length = math.dist(model._place(i).origin, model._place(j).origin)
    given: dict[str, Any] = dict(
        k_maxwell=number(maxwell_stiffness, "maxwell_stiffness"),
        c_maxwell=number(maxwell_damping, "maxwell_damping"),
        k_kelvin=number(kelvin_stiffness, "kelvin_stiffness"),
        c_kelvin=number(kelvin_damping, "kelvin_damping"),
        force=number(force, "force"),
        length=number(length, "length"),
    )
    return model.add(sound(BurgersDamper(id=id, name=name, i=i, j=j, **given), model))


def values(e, model):
    return e.k_maxwell, e.c_maxwell, e.k_kelvin, e.c_kelvin, e.force, e.length


def states(e, place):
    # at rest with the drawing: Maxwell's damper has given way
    return math.dist(place(e.i).origin, place(e.j).origin) - e.length, 0.0


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    r, v, n = line(f[0], f[1], fr)
    pull = c[0] * (r - c[5] - x[0] - x[1])
    along_line(c[4] - pull, n, W)
    xd[0] = pull / c[1]
    xd[1] = (pull - c[2] * x[1]) / c[3]


@jit
def tangent(c, f, fr, ref, t, u, x, W, D):
    i, j = f[0], f[1]
    r, v, n = line(i, j, fr)
    pull = c[0] * (r - c[5] - x[0] - x[1])
    line_tangent(i, j, fr, c[4] - pull, -c[0], 0.0, D)
    for s in range(2):
        line_column(c[0], n, 24 + s, D)
        line_rows(i, j, fr, r, v, n, c[0] / c[1 + 2 * s], 0.0, 12 + s, D)
        D[12 + s, 24] = -c[0] / c[1 + 2 * s]
        D[12 + s, 25] = -c[0] / c[1 + 2 * s]
    D[13, 25] -= c[2] / c[3]


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    e = line(f[0], f[1], fr)[0] - c[5]
    z = e - x[0] - x[1]
    out[0] = 0.5 * c[0] * z * z + 0.5 * c[2] * x[1] * x[1] - c[4] * e
    out[1] = (c[0] * z) ** 2 / c[1] + (c[0] * z - c[2] * x[1]) ** 2 / c[3]
    out[2] = 0.0


WORDS = ("stretch of Maxwell's damper", "stretch of Kelvin's element")

KIND = ForceKind(BurgersDamper, burgers_damper, force, tangent, energies, values, states, state_words=WORDS)
