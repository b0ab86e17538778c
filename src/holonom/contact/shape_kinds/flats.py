"""Planes and boxes in contact."""

from __future__ import annotations

import math

import numpy as np

from ..referee import surfaces as referee
from ._parts import ContactParts, Fineness

CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


def _plane_walls(solid):
    p = solid.par
    if p[0] == 0.0:
        return [("plane", np.zeros(3), np.array([0.0, 0.0, 1.0]))]
    corners = np.array([(-p[0], -p[1], 0), (p[0], -p[1], 0), (p[0], p[1], 0), (-p[0], p[1], 0)], float)
    return [("triangles", corners, np.array([(0, 1, 2), (0, 2, 3)]))]


def _box_faces(solid):
    from ..shapes.stand_in import hull

    return hull(CORNERS * np.array(solid.par[:3]))


def _box_mesh(solid, fineness: Fineness):
    return *_box_faces(solid), 0.0


PLANE = ContactParts(
    surface=referee.plane_surface, curvature=lambda solid: (math.inf, math.inf), grain_walls=_plane_walls
)
BOX = ContactParts(
    surface=referee.box_surface,
    mesh=_box_mesh,
    plane_faces=_box_faces,
    grain_walls=lambda solid: [("block", np.array(solid.par[:3]))],
)
