"""Explicit Euler, and semi-implicit (symplectic) Euler: velocities by the old forces, positions by the new velocities.

Both of first order at a fixed step.  The second keeps the energy of a conservative motion within bounds: its error does
not drift (Hairer, Lubich, Wanner, Geometric Numerical Integration, sec. I.1 and VI.3).
"""

from __future__ import annotations

from .explicit import ExplicitStepper
from .runge_kutta import EULER


class ExplicitEuler(ExplicitStepper):
    name = "EXPLICIT_EULER"
    tableau = EULER
    stable = 2.0


class SemiImplicitEuler(ExplicitStepper):
    name = "SEMI_IMPLICIT_EULER"
    tableau = EULER._replace(kick=1)
    formulations = ("INDEX1",)
