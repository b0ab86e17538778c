"""Dense output of one-step methods by cubics."""

from __future__ import annotations

from .._jit import jit
from ..elements.bodies.dense import hermite_bodies


@jit(
    entry=(
        "Bodies, int64, 2 * float64[::1], 2 * float64[::1], float64[::1], 2 * float64[::1], float64, "
        "float64, float64[::1], float64[::1], float64[::1]"
    )
)
def hermite(bodies, nx, states, accelerations, turn, rates, h, s, y, acc, yd):
    """State at fraction ``s`` of a step from y0 to y1 with accelerations at both ends: cubic in positions and
    velocities.

    turn (3 n): rotation vectors from y0 to y1; f0, f1 (nx): rates of the states.  acc gets the linear interpolation, yd
    the rates that belong to y and acc.
    """
    y0, y1 = states
    acc0, acc1 = accelerations
    f0, f1 = rates
    hermite_bodies(bodies, y0, y1, acc0, acc1, turn, h, s, y, acc, yd)
    a = s * s * (3 - 2 * s)
    b = s * (1 - s) * (1 - s)
    d = s * s * (s - 1)
    o = bodies.end
    for k in range(nx):
        y[o + k] = (1 - a) * y0[o + k] + a * y1[o + k] + h * (b * f0[k] + d * f1[k])
        yd[o + k] = (1 - s) * f0[k] + s * f1[k]
