"""Velocity Verlet: half a kick, a drift, half a kick; second order at a fixed step, energy within bounds.

Hairer, Lubich, Wanner, Acta Numerica 12 (2003) 399.  Forces that depend on velocities are met by a predictor (see
`runge_kutta.kick`), constraints by projection at the end of the step.
"""

from __future__ import annotations

from .explicit import ExplicitStepper
from .runge_kutta import make_tableau


class VelocityVerlet(ExplicitStepper):
    name = "VELOCITY_VERLET"
    table = make_tableau(2, [[], [1]], [1 / 2, 1 / 2], [0, 1], kick=2)
    formulations = ("INDEX1",)
