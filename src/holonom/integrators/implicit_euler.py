"""Backward Euler: v1 = v0 + h v1', q1 = q0 o exp(h v1).  First order, strong damping, never unstable.

At index 3 velocities are those of the positions, (q1 - q0)/h, as in BDF of order 1; SI2 puts them on the constraints.
"""

from __future__ import annotations

from .alpha_family import AlphaFamily, Coefficients


class ImplicitEuler(AlphaFamily):
    """Backward Euler, the member of `alpha_family` that checks the end of the step only."""

    name = "IMPLICIT_EULER"
    order = 1

    def coefficients(self):
        return Coefficients(0.0, 1.0, 0.0, 1.0, 0.0, 0.0)
