"""Differences by a number of a law, of as few values as its curvature needs."""

from __future__ import annotations

from .._jit import jit

STEP = 1.5e-4  # of a number: laws have kinks
LINEAR = 1e-14  # of the terms of a sum: so little off a line is rounding


@jit
def step_of(value):
    """The step of a number."""
    return STEP * (abs(value) if value != 0.0 else 1.0)


@jit
def bent(ahead, base, behind, size):
    """Whether values one step ahead and behind are off a line by more than rounding of terms of a size."""
    return abs(ahead + behind - 2.0 * base) > LINEAR * size


@jit
def four_points(ahead, behind, far, farther):
    """Change over one step, exact to the fifth order, by values one and two steps ahead and behind."""
    return (8.0 * (ahead - behind) - far + farther) / 12.0
