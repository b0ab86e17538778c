"""WSTIFF: backward differentiation formulas with variable coefficients, orders 1 to 6.

Byrne, Hindmarsh, A Polyalgorithm for the Numerical Solution of ODEs, ACM TOMS 1 (1975) 71 (EPISODE); the error of the
formula from the true steps.  The polynomial through y_(n+1), y_n, .., y_(n+1-k) gives the derivative at t_(n+1), so
nothing is interpolated when the step changes, and it may change at every step:

    a = sum_(i=1..k) 1/(t_(n+1) - t_(n+1-i)),    local error = h/(t_(n+1) - t_(n-k)) |y - P0|

in the scale of GSTIFF (error of h y').  Formulations, corrector: `bdf_corrector`; history: `differences`.
"""

from __future__ import annotations

from .bdf_corrector import WORTH, factor
from .differences import DifferencesBDF, errors, predict


class WSTIFF(DifferencesBDF):
    """BDF with coefficients of the true step sizes; formulation I3 (default), SI2 or SI1.

    Order and step: the one of k-1, k, k+1 that allows the longest step; up only after k+1 steps of the same order, and
    only by a fourth or more.
    """

    name = "WSTIFF"

    def _predict(self, h):
        return predict(self.history, self.order, h)

    def _record(self, h, size):
        k = self.order
        if self.fixed:
            self._climb()
            return
        due = self._since >= k or self.rising
        up = due and k < self.kmax and self._at > 0
        safe, _, less, more = errors(self.history, k, up)
        self._store()
        best, new = factor(self._scale * size, k, 1.2), k
        down = factor(less, k - 1, 1.3) if k > 1 else 0.0
        if down > best:
            best, new = down, k - 1
        rise = factor(more, k + 1, 1.4) if up else 0.0
        if rise > best or (
            k == 1 and self.touching and rise >= 1.0
        ):  # steps in impacts are bounded by these: order 2 comes first
            best, new = rise, k + 1
        elif new == 1 and h < 0.999 * self.h:
            best, new = 1.0, k
        even = factor(safe, 2, 1.2) if k > 2 else 0.0
        leave = WORTH * even > best
        if leave:
            best, new = even, 2
        if new < k or best < 1.0:
            self.rising = False
        if leave or best < 0.9:
            self._change(new, h * min(max(best, 0.5), 2.0))
        elif due and best > 1.25:
            self._change(new, h * min(best, 5.0 if self.rising else 2.0))

    def _lower(self, h, error, failures):
        k = self.order
        self.rising = False
        ratio = factor(error, k, 1.2)
        if k > 1:
            less = factor(errors(self.history, k, False)[2], k - 1, 1.3)
            if less > ratio or failures > 2:
                ratio, k = less, k - 1
        self._change(k, h * min(max(ratio, 0.25 if failures < 3 else 0.1), 0.9))
