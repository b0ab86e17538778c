"""MAXWELL_DAMPER: a spring next to a spring and a damper in series, along the line from J to I (the standard linear
solid; Zener).

With the length R, the stretch e = R - length and the stretch s of the damper, a state:

    f = force - k e - k_series (e - s),      c s' = k_series (e - s)

f acts on I along the line, positive pushes apart.  Slow motion feels k, fast motion k + k_series, and the loss is
largest at the frequency sqrt(k (k + k_series)) / c of a spring that is held (k_series/c for k = 0): what rubber mounts,
hydraulic bushings and seat foams show and a spring with a damper next to it, whose force grows with the frequency
without end, does not.  Source: N. W. Tschoegl, The Phenomenological Theory of Linear Viscoelastic Behavior (1989), 3.4.

Energy: 1/2 k e^2 - force e + 1/2 k_series (e - s)^2;  lost: c s'^2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ..._jit import jit
from ...model.base import Element
from ...model.builder.teaching import sound
from ...model.forces import IJ
from ...model.values import number
from ..kinds import ForceKind
from .line import along_line, line, line_column, line_rows, line_tangent


@dataclass
class MaxwellDamper(Element):
    """MAXWELL_DAMPER: force = preload - k e - k_series (e - s) along the line from J to I, with c s' = k_series (e - s)
    and e = DM(I, J) - length.

    ``k``, ``k_series``: stiffness (force/length); ``c``: damping (force*time/length); ``force``: preload; ``length``:
    where the springs are unloaded;
    ``stretch``: s at the start, by default e there, so that the series spring is at rest.
    """

    KIND: ClassVar[str] = "MAXWELL_DAMPER"
    ROLE: ClassVar[str] = "force"
    ENTITY: ClassVar[str] = "Maxwell_Damper"
    REFERENCES: ClassVar[dict[str, str]] = IJ
    i: int = 0
    j: int = 0
    k: float = 0.0
    k_series: float = 0.0
    c: float = 0.0
    force: float = 0.0
    length: float = 0.0
    stretch: float | None = None

    def faults(self, model):
        """Invalid values: no damper, springs that push the wrong way."""
        for name in ("k_series", "c"):
            if not getattr(self, name) > 0.0:
                yield (
                    f"{name} is {getattr(self, name):g}; give a positive number (a spring with a damper next to it is "
                    "a SPRINGDAMPER)"
                )
        if self.k < 0.0:
            yield f"k is {self.k:g}; give zero or a positive number"

    def losses(self) -> str:
        return "damped"


def maxwell_damper(
    model,
    i,
    j,
    *,
    stiffness: float = 0.0,
    series_stiffness: float,
    damping: float,
    force: float = 0.0,
    length: float | None = None,
    stretch: float | None = None,
    name: str = "",
    id: int = 0,
) -> MaxwellDamper:
    """Spring next to a spring and a damper in series, from marker ``j`` to marker ``i``:  f = force - k e - k_s (e -
    s), c s' = k_s (e - s).

    ``stiffness`` k, ``series_stiffness`` k_s: force/length; ``damping`` c: force*time/length; ``length``: where the
    springs are unloaded, by default the distance as drawn; ``stretch``: s at the start, by default that of a damper at
    rest.  Results have s as a state (``run.states``).  Raises `ModelError` for a damper or a series spring that is not
    positive.

        mount = model.maxwell_damper(engine.cm, bracket, stiffness=2e5, series_stiffness=6e5, damping=900.0)
    """
    i, j = model._marker(i), model._marker(j)
    if length is None:
        length = math.dist(model._place(i).origin, model._place(j).origin)
    element = MaxwellDamper(
        id=id,
        name=name,
        i=i,
        j=j,
        k=number(stiffness, "stiffness"),
        k_series=number(series_stiffness, "series_stiffness"),
        c=number(damping, "damping"),
        force=number(force, "force"),
        length=number(length, "length"),
        stretch=None if stretch is None else number(stretch, "stretch"),
    )
    return model.add(sound(element, model))


def values(e, model):
    return e.k, e.k_series, e.c, e.force, e.length


def states(e, place):
    return (e.stretch if e.stretch is not None else math.dist(place(e.i).origin, place(e.j).origin) - e.length,)


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    r, rd, n = line(f[0], f[1], fr)
    e = r - c[4]
    pull = c[1] * (e - x[0])
    along_line(c[3] - c[0] * e - pull, n, W)
    xd[0] = pull / c[2]


@jit
def tangent(c, f, fr, ref, t, u, x, W, D):
    i, j = f[0], f[1]
    r, rd, n = line(i, j, fr)
    e = r - c[4]
    line_tangent(i, j, fr, c[3] - c[0] * e - c[1] * (e - x[0]), -c[0] - c[1], 0.0, D)
    line_column(c[1], n, 24, D)
    line_rows(i, j, fr, r, rd, n, c[1] / c[2], 0.0, 12, D)
    D[12, 24] = -c[1] / c[2]


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    e = line(f[0], f[1], fr)[0] - c[4]
    z = e - x[0]
    out[0] = (0.5 * c[0] * e - c[3]) * e + 0.5 * c[1] * z * z
    out[1] = (c[1] * z) ** 2 / c[2]
    out[2] = 0.0


KIND = ForceKind(
    MaxwellDamper, maxwell_damper, force, tangent, energies, values, states, state_words=("stretch of the damper",)
)
