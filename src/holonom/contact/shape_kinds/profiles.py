"""Curves, extrusions and bodies of revolution in contact."""

from __future__ import annotations

import numpy as np

from ...model.base import ModelError
from ..referee import surfaces as referee
from ._parts import ContactParts, Fineness
from .meshes import drawn_walls


def _size(solid) -> float:
    """Radius of what is seen along the axis, or across it."""
    return 0.5 * float(np.hypot(*np.ptp(solid.profile.polyline(), axis=0)))


def _prism_mesh(solid, fineness: Fineness, half: float, twist: float):
    from ..shapes.stand_in import prism_mesh, profile_polygon

    polygon = profile_polygon(solid.profile, 0.5 * fineness.deviation if twist else fineness.deviation, fineness.edge)
    layer = 8.0 * fineness.edge if fineness.cut else np.inf
    return *prism_mesh(polygon, half, twist, fineness.deviation, layer), fineness.deviation


def _curve_mesh(solid, fineness: Fineness):
    if not solid.profile.closed:
        raise ModelError("a curve that is open has no inside: draw it as a closed profile, or as an extrusion")
    if solid.profile.area() < 0.0:
        raise ModelError(
            "the material of this curve lies outside of it and has no end: draw it as an extrusion or a mesh"
        )
    return _prism_mesh(solid, fineness, 0.5 * (solid.par[0] or fineness.width), 0.0)


def _revolution_mesh(solid, fineness: Fineness):
    from ..shapes.stand_in import profile_polygon, turned_mesh

    half = 0.5 * fineness.deviation
    return *turned_mesh(profile_polygon(solid.profile, half, fineness.edge), half), fineness.deviation


def _extrusion_faces(solid):
    from ..shapes.stand_in import mesh

    return mesh(solid)[:2]


def _outline_wall(solid, turned: bool, long: float) -> float:
    from ..walls import outline_thickness

    if not solid.profile.closed:
        return 0.0
    w = outline_thickness(solid.profile.polyline(), turned)
    return min(w, long) if long > 0.0 else w


def _extrusion_walls(solid):
    p = solid.profile
    return drawn_walls(solid) if p.order == 2 and not p.bulge.any() and not solid.par[1] else None


def _revolution_walls(solid) -> list[tuple]:
    """Cones and discs of a closed profile (radius, height)."""
    profile = solid.profile.polyline()
    z, out = np.array([0.0, 0.0, 1.0]), []
    for (ra, a), (rb, b) in zip(profile, np.roll(profile, -1, axis=0)):
        ra, rb = max(ra, 0.0), max(rb, 0.0)
        if max(ra, rb) <= 0.0:
            continue
        if a == b:
            out.append(("disc", a * z, z, max(ra, rb), min(ra, rb)))
        else:
            out.append(("cone", a * z, b * z, ra, rb))
    return out


CURVE = ContactParts(
    surface=referee.curve_surface,
    wall=lambda solid, pools: _outline_wall(solid, False, solid.par[0]),
    mesh=_curve_mesh,
    size=_size,
    no_distance=lambda solid: (
        "" if solid.par[0] else "it is a curve without width; draw it as an extrusion, or leave it out"
    ),
)
EXTRUSION = ContactParts(
    surface=referee.extrusion_surface,
    wall=lambda solid, pools: _outline_wall(solid, False, 2.0 * solid.par[0]),
    mesh=lambda solid, fineness: _prism_mesh(solid, fineness, *solid.par[:2]),
    plane_faces=_extrusion_faces,
    size=_size,
    grain_walls=_extrusion_walls,
)
REVOLUTION = ContactParts(
    surface=referee.revolution_surface,
    wall=lambda solid, pools: _outline_wall(solid, True, 0.0),
    mesh=_revolution_mesh,
    size=_size,
    grain_walls=_revolution_walls,
)
