"""CONSTANT_BDF: backward differentiation formula of a constant step and the order requested, without error test.

The step is HINIT (or HMAX when only that is given, or a thousandth of the simulation), the order KMAX (2 by default).
The step is halved only when the corrector fails, as often as needed but not below HMIN, and doubled again after two
steps of the smaller size, so that the grid is met again.  Coefficients are those of the true step sizes (`wstiff`), so
a change of step costs no order.

Start: steps of rising order under the error test, as WSTIFF takes them, until the step requested is reached or KMAX + 2
such steps have been travelled; then the error test is switched off. Formulations, corrector: `bdf_corrector`; history:
`differences`.
"""

from __future__ import annotations

import math
from dataclasses import replace

from .newton import INACCURATE
from .wstiff import WSTIFF


class CONSTANT_BDF(WSTIFF):
    """BDF of constant step and order; formulation I3 (default), SI2 or SI1."""

    name = "CONSTANT_BDF"
    order_wanted = 2
    recovers = True

    def __init__(self, system, options=None):
        if (
            options is not None and options.hmin is not None and options.hmin == options.hmax
        ):  # STEP: no floor for halving
            options = replace(options, hmin=None)
        super().__init__(system, options)

    def start(self, t, y, tend, h0=None):
        o = self.options
        self.constant = o.hinit or o.hmax or (tend - t) / 1000.0
        super().start(t, y, tend, h0)

    def restart(self, h0=None):
        self.fixed, self.halvings, self._small = False, 0, 0
        super().restart(min(1e-3 * self.constant, h0 or math.inf))
        self._start_end = self.t + (self.kmax + 2) * self.constant

    def _trial_step(self, tmax):
        self.h = min(self.h, self.constant)
        return super()._trial_step(tmax)

    def _record(self, h, size):
        if not self.fixed:
            super()._record(h, size)
            if self.h >= 0.999 * self.constant or self.t >= self._start_end:
                self.fixed, self.h = True, self.constant
            return
        self._store()
        if self.order < self.kmax:
            self._change(self.order + 1)
        if self.halvings:
            self._small += 1
            if self._small == 2:
                self.halvings -= 1
                self._small = 0
        self.h = self.constant * 0.5**self.halvings

    def _refuse(self, status, h, error, failures):
        if not self.fixed or status == INACCURATE:
            super()._refuse(status, h, error, failures)
            return
        self.refresh = True
        self.cap = math.inf
        self.halvings += 1
        self._small = 0
        self.h = self.constant * 0.5**self.halvings
