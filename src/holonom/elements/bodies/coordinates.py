"""What integrators and analyses do with the coordinates of all bodies at once, as kernels: velocities of a state, its displacement, its rates, masses.

Vectors of unknowns (displacements d, velocities u, accelerations, forces) have ``bodies.moves`` numbers: MOVES a body, ground last (zero), then the
coordinates of the tail.  States have their places as `layout` says; what belongs to no body begins at ``bodies.end``.
"""

from __future__ import annotations

from ..._jit import jit
from .layout import MOVES, STATE

SPEED = 7  # where velocities begin in the state of a body


@jit
def speeds_of(bodies, y, u):
    """u <- velocities of the state y, ground's too."""
    for i in range(bodies.n + 1):
        o = STATE * i + SPEED
        for c in range(MOVES):
            u[MOVES * i + c] = y[o + c]


@jit
def solve_mass(bodies, F, u):
    """u <- M^-1 F; ground and what cannot turn stay at rest.  u may be F itself."""
    for i in range(bodies.n):
        for c in range(MOVES):
            u[MOVES * i + c] = F[MOVES * i + c] * bodies.Minv[i, c]
    for c in range(MOVES * bodies.n, MOVES * bodies.n + MOVES):
        u[c] = 0.0
