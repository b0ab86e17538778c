"""Generalized-alpha: second order, with the damping of high frequencies as its one parameter.

    am = (2 rho - 1)/(rho + 1),   af = rho/(rho + 1),   gamma = 1/2 - am + af,   beta = (1/2 + gamma)^2/4

rho: spectral radius at infinite frequency, the share of a fast oscillation that is left after a step (1: energy is
kept, 0: gone at once).  Chung, Hulbert, J. Appl. Mech. 60 (1993) 371; on Lie groups Bruls, Cardona, Arnold, Mech. Mach.
Theory 48
(2012) 121.  See `alpha_family` for the formula, its groups and formulations.
"""

from __future__ import annotations

from .alpha_family import AlphaFamily, Coefficients


class GeneralizedAlpha(AlphaFamily):
    """Chung and Hulbert's method; options ``rho`` (0.8) between 0 and 1, ``group`` R3xSO3 or SE3, formulation I3 or
    SI2."""

    name = "GENERALIZED_ALPHA"

    def coefficients(self):
        rho = self.number("rho", 0.8, 0.0, 1.0)
        am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = 0.5 - am + af
        beta = 0.25 * (0.5 + gamma) ** 2
        return Coefficients(0.5 - beta, beta, 1 - gamma, gamma, am, af)
