"""Cylinders, capsules, frustums (cones) and tori: shapes of revolution about the z axis of their frame."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .. import facets
from ..mass_properties import revolved_moments
from ._kind import Bounds, GrainKind, Mesh, Moments, ShapeKind, axis_features, box_bounds
from .balls import PAST, ROUND

if TYPE_CHECKING:
    from ..shape import Reader, Solid

QUARTER = math.tan(math.pi / 8)  # bulge of a quarter of a circle


def read_cylinder(read: Reader) -> Solid:
    read.whole()
    radius, length, inside = read.positive("radius"), read.length(), read.flag("inside")
    caps = read.flag("caps", not inside)
    return read.solid("CYLINDER", (radius, 0.5 * abs(length), inside, caps), read.marker("cm"), (0, 0, 0.5 * length))


def read_capsule(read: Reader) -> Solid:
    radius, length = read.positive("radius"), read.number("length")
    if length == 0.0:
        return read.solid("SPHERE", (radius, 0.0), read.marker("cm"))
    return read.solid("CAPSULE", (radius, 0.5 * abs(length)), read.marker("cm"), (0, 0, 0.5 * length))


def read_frustum(read: Reader) -> Solid:
    read.whole()
    bottom, top, length = read.number("bottom"), read.number("top"), read.length()
    if bottom < 0.0 or top < 0.0 or not bottom + top > 0.0:
        raise read.fail(f"its radii must not be negative nor both zero, they are {bottom:g} and {top:g}")
    if length < 0.0:
        bottom, top = top, bottom
    marker, offset = read.marker("cm"), (0, 0, 0.5 * length)
    if abs(bottom - top) <= ROUND * max(bottom, top):
        return read.solid("CYLINDER", (bottom, 0.5 * abs(length), 0.0, 1.0), marker, offset)
    return read.solid("FRUSTUM", (bottom, top, 0.5 * abs(length)), marker, offset)


def read_cone(read: Reader) -> Solid:
    """Base of RADIUS at the marker, tip at LENGTH along z."""
    radius, length = read.positive("radius"), read.length()
    radii = (radius, 0.0) if length > 0 else (0.0, radius)
    return read.solid("FRUSTUM", (*radii, 0.5 * abs(length)), read.marker("cm"), (0, 0, 0.5 * length))


def read_torus(read: Reader) -> Solid:
    read.whole()
    major = read.positive("major_radius", "major", "radius", "ro", what="major radius")
    minor = read.number("minor_radius", "minor", "tube", "ri", default=major / 4)
    if not 0.0 < minor < major:
        raise read.fail(f"its tube of radius {minor:g} must be thinner than its ring of radius {major:g}")
    return read.solid("TORUS", (major, minor), read.marker("cm"))


def _cylinder_bounds(solid: Solid) -> Bounds:
    r, h, inside = solid.par[:3]
    across = PAST * r if inside else r
    return box_bounds(across, across, h)


def _cylinder_volume(solid: Solid) -> float:
    r, h, inside = solid.par[:3]
    return math.inf if inside else 2.0 * math.pi * r**2 * h


def _cylinder_moments(solid: Solid, angle: float | None) -> Moments:
    from ..shape import Profile

    r, h, inside = solid.par[:3]
    if inside:
        raise solid.graphic.error("it is hollow, so that no mass follows from it; give the mass")
    return revolved_moments(Profile(np.array([[0.0, -h], [r, -h], [r, h], [0.0, h]])), angle)


def _barrel(bottom: float, top: float, half: float) -> Mesh:
    points, triangles = facets.frustum(bottom, top, 2 * half)
    return points - [0, 0, half], triangles


def _cylinder_lines(solid: Solid) -> list[np.ndarray] | None:
    """A bore by its rims and lines along it, so that what moves in it can be seen."""
    r, h, inside = solid.par[:3]
    if not inside:
        return None
    ring, half = facets.arc(r), np.array([0.0, 0.0, h])
    return [ring - half, ring + half, *(np.array([point - half, point + half]) for point in ring[:-1:3])]


def _cylinder_grain(d: tuple[float, ...]) -> tuple[float, np.ndarray]:
    r, h = d
    volume = math.pi * r * r * h
    return volume, volume * np.array([(3 * r * r + h * h) / 12, (3 * r * r + h * h) / 12, r * r / 2])


def _capsule_moments(solid: Solid, angle: float | None) -> Moments:
    from ..shape import Profile

    r, h = solid.par[:2]
    points = np.array([[0.0, -h - r], [r, -h], [r, h], [0.0, h + r]])
    return revolved_moments(Profile(points, True, np.array([QUARTER, 0.0, QUARTER, 0.0])), angle)


def _capsule_grain(d: tuple[float, ...]) -> tuple[float, np.ndarray]:
    r, h = d
    rod, ball = math.pi * r * r * h, 4 / 3 * math.pi * r**3
    across = rod * (3 * r * r + h * h) / 12 + ball * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r)
    return rod + ball, np.array([across, across, rod * r * r / 2 + ball * 0.4 * r * r])


def _frustum_bounds(solid: Solid) -> Bounds:
    r = max(solid.par[0], solid.par[1])
    return box_bounds(r, r, solid.par[2])


def _frustum_moments(solid: Solid, angle: float | None) -> Moments:
    from ..shape import Profile

    a, b, h = solid.par[:3]
    return revolved_moments(Profile(np.array([[0.0, -h], [a, -h], [b, h], [0.0, h]])), angle)


def _frustum_volume(solid: Solid) -> float:
    p = solid.par
    return 2.0 / 3.0 * math.pi * p[2] * (p[0] ** 2 + p[0] * p[1] + p[1] ** 2)


def _torus_moments(solid: Solid, angle: float | None) -> Moments:
    from ..shape import Profile, circle

    ring = circle(solid.par[1])
    return revolved_moments(Profile(ring.points + np.array([solid.par[0], 0.0]), True, ring.bulge), angle)


CYLINDER = ShapeKind(
    "CYLINDER",
    ("radius", "half length", "inside", "caps"),
    lengths=2,
    bounds=_cylinder_bounds,
    volume=_cylinder_volume,
    readers={"CYLINDER": read_cylinder},
    even=("CYLINDER",),
    features=lambda solid: axis_features(solid.par[1]),
    moments=_cylinder_moments,
    triangles=lambda solid: _barrel(solid.par[0], solid.par[0], solid.par[1]),
    lines=_cylinder_lines,
    hollow=lambda solid: solid.par[2] != 0.0,
    hollow_name="bore",
    wide=True,
    filled=True,
    roundness=lambda solid: solid.par[0],
    grain=GrainKind(
        ("radius", "length"),
        lambda d: (d[0], 0.5 * d[1], 0.0, 1.0),
        _cylinder_grain,
        lambda d: math.hypot(d[0], 0.5 * d[1]),
    ),
)
CAPSULE = ShapeKind(
    "CAPSULE",
    ("radius", "half length"),
    lengths=2,
    bounds=lambda solid: box_bounds(solid.par[0], solid.par[0], solid.par[1] + solid.par[0]),
    volume=lambda solid: math.pi * solid.par[0] ** 2 * (2.0 * solid.par[1] + 4.0 / 3.0 * solid.par[0]),
    readers={"CAPSULE": read_capsule},
    even=("CAPSULE",),
    features=lambda solid: axis_features(solid.par[1]),
    moments=_capsule_moments,
    triangles=lambda solid: facets.capsule(solid.par[0], solid.par[1]),
    wide=True,
    filled=True,
    roundness=lambda solid: solid.par[0],
    grain=GrainKind(("radius", "length"), lambda d: (d[0], 0.5 * d[1]), _capsule_grain, lambda d: d[0] + 0.5 * d[1]),
)
FRUSTUM = ShapeKind(
    "FRUSTUM",
    ("radius at -h", "radius at +h", "half length"),
    lengths=3,
    bounds=_frustum_bounds,
    volume=_frustum_volume,
    readers={"FRUSTUM": read_frustum, "CONE": read_cone},
    even=("FRUSTUM", "CONE"),
    features=lambda solid: axis_features(solid.par[2]),
    moments=_frustum_moments,
    triangles=lambda solid: _barrel(*solid.par[:3]),
    filled=True,
)
TORUS = ShapeKind(
    "TORUS",
    ("major", "minor"),
    lengths=2,
    bounds=lambda solid: box_bounds(solid.par[0] + solid.par[1], solid.par[0] + solid.par[1], solid.par[1]),
    volume=lambda solid: 2.0 * math.pi**2 * solid.par[0] * solid.par[1] ** 2,
    readers={"TORUS": read_torus},
    even=("TORUS",),
    moments=_torus_moments,
    triangles=lambda solid: facets.torus(solid.par[0], solid.par[1]),
    wide=True,
    roundness=lambda solid: solid.par[1],
)
