"""Velocity Verlet: half a kick, a drift, half a kick; second order at a fixed step, energy within bounds.

Hairer, Lubich, Wanner, Acta Numerica 12 (2003) 399.  Forces that depend on velocities are met by a predictor (see
`runge_kutta.kick`), constraints by projection at the end of the step.
"""

from __future__ import annotations

import math

from .._warnings import WarningText
from ..elements.absolute.lumping import highest_frequency
from .explicit import ExplicitStepper
from .runge_kutta import make_tableau


class VelocityVerlet(ExplicitStepper):
    name = "VELOCITY_VERLET"
    tableau = make_tableau(2, [[], [1]], [1 / 2, 1 / 2], [0, 1], kick=2)
    formulations = ("INDEX1",)

    def start(self, t, y, tend, h0=None):
        super().start(t, y, tend, h0)
        model = self.system.model
        for mesh in model.table("ABSOLUTE_MESH").values() if self.system.bodies.carriers is not None else ():
            longest = 2.0 / highest_frequency(mesh, model.units.mass_factor) if mesh.active else math.inf
            if self.h > longest:
                self.messages.append(
                    WarningText(
                        f"{mesh.label} is stable up to steps of {longest:.3g} as drawn, those of {self.name} are "
                        f"{self.h:.3g}; give a smaller HMAX"
                        f"{'' if mesh.lumped else ', or a diagonal mass (lumped)'}"
                    )
                )
