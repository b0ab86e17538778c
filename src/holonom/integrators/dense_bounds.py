"""Bounds of speed and acceleration of all bodies over the last step (`elements.bodies.motion_bounds`), from what a
method knows of its dense output."""

from __future__ import annotations

import numpy as np

from .._jit import Entry
from ..elements.bodies import layout
from ..elements.bodies.motion_bounds import bound_changes

# of 3,288 pairs of steps of trees on joints of all types the largest was above the bound in 5 with five samples; with
# nine it was at most 0.71 of it
SAMPLED = 9
DOUBT = 2.0  # of samples: the largest between them may be so many times the largest of them


def dense_slopes() -> np.ndarray:
    """max |phi_k'| over (0, 1) of the functions x, x (1-x), x^2 (1-x), x^2 (1-x)^2, ... of
    `runge_kutta.interpolate`."""
    x, both = (
        np.polynomial.Polynomial([0.0, 1.0]),
        [np.polynomial.Polynomial([1.0, -1.0]), np.polynomial.Polynomial([0.0, 1.0])],
    )
    phi, out = x, []
    for k in range(7):
        slope = phi.deriv()
        places = [0.0, 1.0, *(r.real for r in slope.deriv().roots() if abs(r.imag) < 1e-9 and 0.0 < r.real < 1.0)]
        out.append(max(abs(slope(p)) for p in places) * (1.0 + 1e-9))
        phi = phi * both[k % 2]
    return np.array(out)


class SampledBounds:
    """Of the last step of a stepper, from states inside it.  ``system``: that of the stepper."""

    def __init__(self, system):
        self._bodies = system.bodies
        self._nodes = layout.has_nodes(system.bodies)
        self._states = np.zeros((0, len(system.y0)))
        self._bound = Entry(bound_changes)

    def find(self, stepper, out: np.ndarray) -> None:
        """Bounds over the last step of any stepper."""
        if not len(self._states):
            self._states = np.zeros((SAMPLED, self._states.shape[1]))
        y, t, h = self._states, stepper.t_old, stepper.h_done
        for k, row in enumerate(y):
            stepper.interpolate(min(t + h * (k / (SAMPLED - 1)), stepper.t), row)
        scale = DOUBT * (SAMPLED - 1) / h
        if self._nodes:
            rates = np.array([layout.coordinate_rates(row, self._bodies) for row in y])
            self._bodies.carriers.rates[: rates.shape[1]] = np.abs(np.diff(rates, axis=0)).max(axis=0) * scale
        self._bound.call(self._bodies, y, stepper.y, h, scale, out)
