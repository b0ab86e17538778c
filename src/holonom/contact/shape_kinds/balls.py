"""Points, spheres and ellipsoids in contact."""

from __future__ import annotations

import math

import numpy as np

from ..referee import surfaces as referee
from ._parts import ContactParts, Fineness


def _ball_mesh(solid, fineness: Fineness):
    from ..shapes.stand_in import turned_mesh

    return *turned_mesh(_ball(solid.par, 0.5 * fineness.deviation), 0.5 * fineness.deviation), fineness.deviation


def _ball(p, deviation: float) -> np.ndarray:
    """Half of a ball, or of the shell of a hollow one."""
    n = 2 * max(4, math.ceil(0.5 * math.pi / math.acos(max(1.0 - deviation / p[0], 0.0))))
    angle = np.linspace(-0.5 * math.pi, 0.5 * math.pi, n + 1)
    half = np.column_stack([np.cos(angle), np.sin(angle)])
    half[[0, -1], 0] = 0.0
    return p[0] * half if not p[1] else np.vstack([1.5 * p[0] * half, p[0] * half[::-1]])


POINT = ContactParts(surface=referee.point_surface)
SPHERE = ContactParts(
    surface=referee.sphere_surface,
    wall=lambda solid, pools: (
        0.5 * float(solid.par[0]) if solid.par[1] else 0.0
    ),  # the material outside, as far as kernels look into it
    curvature=lambda solid: (-solid.par[0], -solid.par[0]) if solid.par[1] else (solid.par[0], solid.par[0]),
    mesh=_ball_mesh,
    size=lambda solid: float(solid.par[0]),
    grain_walls=lambda solid: [("sphere", np.zeros(3), solid.par[0], bool(solid.par[1]))],
)
ELLIPSOID = ContactParts(surface=referee.ellipsoid_surface)
