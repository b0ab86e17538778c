"""HHT: the Hilber-Hughes-Taylor method, second order, one Newton solve a step.

    M a1/(1+alpha) + (G^T lam - F)_1 - alpha/(1+alpha) (G^T lam - F)_0 = 0,      phi(q_1, t_1) = 0
    gamma = 1/2 - alpha,    beta = (1 - alpha)^2/4,    -1/3 <= alpha <= 0

Negrut, Rampalli, Ottarsson, Sajdak, J. Comput. Nonlinear Dyn. 2 (2007) 73.  It is the member af = -alpha, am = 0 of
`alpha_family`.
"""

from __future__ import annotations

from .alpha_family import AlphaFamily, Coefficients


class HHT(AlphaFamily):
    """Hilber-Hughes-Taylor; option ``alpha`` (-0.3): the lower, the more damping of high frequencies."""

    name = "HHT"

    def coefficients(self):
        alpha = -0.3 if self.options.alpha is None else self.options.alpha
        if not -1 / 3 - 1e-12 <= alpha <= 0:
            raise ValueError(f"ALPHA of HHT is {alpha}; it must lie between -1/3 and 0")
        gamma, beta = 0.5 - alpha, 0.25 * (1 - alpha) ** 2
        return Coefficients(0.5 - beta, beta, 1 - gamma, gamma, 0.0, -alpha)
