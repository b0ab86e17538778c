"""Bounds of speed and acceleration of all bodies over the last step (`elements.bodies.motion_bounds`), from what a
method knows of its dense output."""

from __future__ import annotations

import numpy as np

from ..elements.bodies import layout
from ..elements.bodies.motion_bounds import ACCELERATION, SPIN_RATE, TURN, finish_bounds

SAMPLED = 5
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


def bound_samples(stepper, out: np.ndarray) -> None:
    """Any stepper: from states inside its last step."""
    n, h = stepper.system.nb, stepper.h_done
    y = np.zeros((SAMPLED, len(stepper.y)))
    for k, row in enumerate(y):
        stepper.interpolate(min(stepper.t_old + h * (k / (SAMPLED - 1)), stepper.t), row)
    # after most steps of small models with impacts: few calls of numpy
    v = y[:, : layout.STATE * n].reshape(SAMPLED, n, layout.STATE)[:, :, layout.SPEED]
    scale = DOUBT * (SAMPLED - 1) / h
    change = v[1:] - v[:-1]
    travel = change[:, :, layout.TRAVEL]
    out[:n, ACCELERATION] = np.sqrt((travel * travel).sum(axis=2).max(axis=0)) * scale
    out[:n, SPIN_RATE:TURN] = np.abs(change[:, :, layout.TURN]).max(axis=0) * scale
    if layout.has_nodes(stepper.system.bodies):
        rates = np.array([layout.coordinate_rates(row, stepper.system.bodies) for row in y])
        stepper.system.bodies.carriers.rates[: rates.shape[1]] = np.abs(np.diff(rates, axis=0)).max(axis=0) * scale
    finish_bounds(stepper.system.bodies, stepper.y, h, out)
