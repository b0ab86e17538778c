"""Cylinders, capsules, frustums and tori in contact."""

from __future__ import annotations

import math

import numpy as np

from ..referee import surfaces as referee
from ._parts import ContactParts, Fineness

Z = np.array([0.0, 0.0, 1.0])


def _cylinder_mesh(solid, fineness: Fineness):
    from ..shapes.stand_in import turned_mesh

    return *turned_mesh(_cylinder(solid.par, fineness.edge), fineness.deviation), fineness.deviation


def _cylinder(p, edge: float) -> np.ndarray:
    r, h = p[:2]
    rise = np.linspace(-h, h, 1 + max(1, math.ceil(2 * h / edge)))
    if not p[2]:
        return np.vstack([[(0.0, -h)], np.column_stack([np.full(len(rise), r), rise]), [(0.0, h)]])
    inner = np.column_stack([np.full(len(rise), r), rise[::-1]])
    R, t = 1.5 * r, 0.5 * r
    if len(p) > 3 and p[3]:
        return np.vstack([[(0.0, -h - t), (R, -h - t), (R, h + t), (0.0, h + t), (0.0, h)], inner, [(0.0, -h)]])
    return np.vstack([[(R, -h), (R, h)], inner])


def _cylinder_walls(solid):
    p = solid.par
    ends = [] if p[2] or not p[3] else [("disc", s * p[1] * Z, s * Z, p[0]) for s in (-1.0, 1.0)]
    return [("cone", -p[1] * Z, p[1] * Z, p[0], p[0]), *ends]


def _capsule_walls(solid):
    p = solid.par
    return [("cone", -p[1] * Z, p[1] * Z, p[0], p[0]), *(("sphere", s * p[1] * Z, p[0], False) for s in (-1.0, 1.0))]


def _frustum_walls(solid):
    p = solid.par
    ends = [("disc", s * p[2] * Z, s * Z, r) for s, r in ((-1.0, p[0]), (1.0, p[1])) if r > 0.0]
    return [("cone", -p[2] * Z, p[2] * Z, p[0], p[1]), *ends]


CYLINDER = ContactParts(
    surface=referee.cylinder_surface,
    wall=lambda solid, pools: (
        0.5 * float(solid.par[0]) if solid.par[2] else 0.0
    ),  # the material outside, as far as kernels look into it
    curvature=lambda solid: ((-solid.par[0] if solid.par[2] else solid.par[0]), math.inf),
    mesh=_cylinder_mesh,
    size=lambda solid: float(solid.par[0]),
    grain_walls=_cylinder_walls,
)
CAPSULE = ContactParts(
    surface=referee.capsule_surface, curvature=lambda solid: (solid.par[0], math.inf), grain_walls=_capsule_walls
)
FRUSTUM = ContactParts(surface=referee.frustum_surface, grain_walls=_frustum_walls)
TORUS = ContactParts(
    surface=referee.torus_surface,
    wall=lambda solid, pools: 2.0 * float(solid.par[1]),
    curvature=lambda solid: (solid.par[0] + solid.par[1], solid.par[1]),
)
