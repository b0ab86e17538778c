"""DSTIFF: backward differentiation formulas with fixed leading coefficient, of the DASSL kind: orders 1 to 5, and 6
where KMAX requires it.

Brenan, Campbell, Petzold, Numerical Solution of Initial-Value Problems in DAEs (1996), ch. 5: the corrector's
polynomial meets the prediction at k points h apart, so that the leading coefficient, and with it the iteration matrix,
depend on the step alone:

    a = (1 + 1/2 + .. + 1/k)/h,    local error = max(alpha_(k+1), |alpha_(k+1) + alpha_s - alpha_0|) |y - P0|

with alpha_i = h/(t_(n+1) - t_(n+1-i)), alpha_s = -(1 + .. + 1/k), alpha_0 = -(alpha_1 + .. + alpha_k).  Orders are
chosen so that the scaled derivatives |h^j y^(j)| fall with j; the step is doubled or, when the error grows, taken back.
Formulations, corrector: `bdf_corrector`; history: `differences`.
"""

from __future__ import annotations

from .bdf_corrector import WORTH
from .differences import DifferencesBDF, errors, predict


def _ratio(error: float, order: int) -> float:
    """Step that an error would allow, as a multiple of the present one (DASSL)."""
    return (2.0 * error + 1e-4) ** (-1.0 / (order + 1))


class DSTIFF(DifferencesBDF):
    """BDF with fixed leading coefficient; formulation I3 (default), SI2 or SI1."""

    name = "DSTIFF"
    order_wanted = 5

    def _predict(self, h):
        k = self.order
        total, alpha = predict(self.history, k, h)
        lead = sum(1.0 / i for i in range(1, k + 1))
        return lead / h, max(alpha, abs(alpha - lead + h * total))

    def _record(self, h, size):
        k = self.order
        if self.fixed:
            self._climb()
            return
        up = k < self.kmax and self._since > k  # differences of equal steps
        safe, lower, less, more = errors(self.history, k, up)
        here = float(self.H.sigma[k]) * size
        self._store()
        new, estimate = k, here
        falls = self._falls(k, lower, less, here)
        if falls or k >= self.kmax:
            self.rising = False
        if falls:
            new, estimate = k - 1, less
        elif self.rising:
            self._change(k + 1, 2.0 * h)
            return
        elif up:
            if k == 1:
                new = 2 if 3 * more < here else 1
            elif k * less <= min((k + 1) * here, (k + 2) * more):
                new = k - 1
            elif (k + 2) * more < (k + 1) * here and (k > 2 or _ratio(more, 3) > WORTH * _ratio(here, 2)):
                new = k + 1
            estimate = (less, here, more)[new - k + 1]
        ratio = _ratio(estimate, new)
        if k > 2 and WORTH * _ratio(safe, 2) > ratio:
            new, ratio, self.rising = 2, _ratio(safe, 2), False
        if ratio >= 2.0:
            self._change(new, 2.0 * h)
        elif ratio <= 1.0:
            self._change(new, h * max(0.5, min(0.9, ratio)))
        elif new != k:
            self._change(new)

    @staticmethod
    def _falls(k, lower, less, here) -> bool:
        """Scaled derivatives do not fall any more: the order is too high."""
        if k == 1:
            return False
        if k == 2:
            return 2 * less <= 0.5 * 3 * here
        return max(k * less, (k - 1) * lower) <= (k + 1) * here

    def _lower(self, h, error, failures):
        k = self.order
        _, lower, less, _ = errors(self.history, k, False)
        here = float(self.H.sigma[k]) * self._size
        self.rising = False
        if failures > 2:
            self._change(1, 0.25 * h)
            return
        if self._falls(k, lower, less, here):
            k, here = k - 1, less
        ratio = 0.25 if failures > 1 else max(0.25, min(0.9, 0.9 * _ratio(here, k)))
        self._change(k, h * ratio)
