"""Work put in and work lost, integrated along the steps of a dynamic analysis, so that its energy can be audited.

Gauss-Lobatto quadrature over every piece between step ends and output times, with the states inside from the integrator's
own interpolant: five points (order 8) for DOP853, whose steps are long, three (Simpson) for the others.  Motions put in
-lam . (G u), functions their wrench times the velocity of its marker; dampers and joint friction take out.
"""

from __future__ import annotations

import numpy as np

#: inner nodes in (0, 1), their weights, weight of each end
LOBATTO = {
    5: ((0.5 - 0.5 * np.sqrt(3 / 7), 0.5, 0.5 + 0.5 * np.sqrt(3 / 7)), (49 / 180, 16 / 45, 49 / 180), 1 / 20),
    3: ((0.5,), (2 / 3,), 1 / 6),
}


class Work:
    """Follows a stepper; ``recorder.work`` (input, dissipated) is current after each `advance`.  ``on`` False: NaN."""

    def __init__(self, recorder, t: float, on: bool):
        self.recorder = recorder
        self.on = on
        self.t = t
        self.power = recorder.outputs.energy[3:].copy()

    def advance(self, stepper, t: float, out: np.ndarray, sweeps: int = 0) -> None:
        """To time t inside the last step; ``out`` gets the state there and everything is evaluated at it."""
        r = self.recorder
        h = t - self.t
        nodes, weights, end = LOBATTO[5 if stepper.name == "DOP853" else 3]
        work = end * self.power
        if self.on and h > 0:
            for x, w in zip(nodes, weights):
                stepper.interpolate(self.t + x * h, out)
                r.evaluate(self.t + x * h, out, 0)
                work = work + w * r.outputs.energy[3:]
        stepper.interpolate(t, out)
        r.evaluate(t, out, sweeps)
        if self.on and h > 0:
            self.power = r.outputs.energy[3:].copy()
            r.work = r.work + h * (work + end * self.power)
            self.t = t
