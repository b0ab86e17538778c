"""Hulls and meshes in contact."""

from __future__ import annotations

import numpy as np

from ...model.shape_kinds import shape_kind
from ..referee import surfaces as referee
from ._parts import ContactParts


def _hull_faces(solid):
    from ..shapes.stand_in import hull

    return hull(solid.vertices)


def _mesh_wall(solid, pools) -> float:
    from ..walls import mesh_thickness

    return mesh_thickness(pools["vert"], pools["tri"], pools["node"], int(pools["link"][0, 1]))


def drawn_walls(solid) -> list[tuple]:
    """Walls of grains from the triangles of a picture, where they are exact."""
    points, triangles = shape_kind(solid.kind).triangles(solid)
    corner = points[triangles]
    area = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1)
    return [("triangles", points, triangles[area > 1e-12 * np.ptp(points, axis=0).max() ** 2])]


HULL = ContactParts(
    surface=referee.hull_surface,
    mesh=lambda solid, fineness: (*_hull_faces(solid), 0.0),
    plane_faces=_hull_faces,
    grain_walls=drawn_walls,
)
MESH = ContactParts(
    surface=referee.mesh_surface,
    wall=_mesh_wall,
    mesh=lambda solid, fineness: (solid.vertices, solid.triangles, 0.0),
    plane_faces=lambda solid: (solid.vertices, solid.triangles),
    refine=False,
    grain_walls=drawn_walls,
)
