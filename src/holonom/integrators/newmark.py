"""Newmark's method: q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),  v1 = v0 + h ((1 - gamma) a0 + gamma a1).

Newmark, J. Eng. Mech. Div. ASCE 85 (1959) 67.  gamma = 1/2 is of second order and keeps the energy of linear systems;
more damps, at first order.  Constrained systems want beta >= (gamma + 1/2)^2/4, and with gamma = 1/2 their multipliers
oscillate at index 3 (a spectral radius of 1, and with steps of changing size they grow until no step is small enough):
so SI2 is the default of gamma = 1/2, I3 that of gamma > 1/2.
"""

from __future__ import annotations

from .alpha_family import AlphaFamily, Coefficients


class Newmark(AlphaFamily):
    """Newmark; options ``beta`` (1/4) and ``gamma`` (1/2); beta follows gamma as (gamma + 1/2)^2/4 when it is not
    given."""

    name = "NEWMARK"

    def coefficients(self):
        gamma = self.number("gamma", 0.5, 0.5, 1.0)
        beta = self.number("beta", 0.25 * (gamma + 0.5) ** 2, 1e-3, 1.0)
        self.order = 2 if abs(gamma - 0.5) < 1e-12 else 1
        self.formulation = "SI2" if self.order == 2 else "I3"
        return Coefficients(0.5 - beta, beta, 1 - gamma, gamma, 0.0, 0.0)
