"""Points, spheres and ellipsoids."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .. import facets
from ..mass_properties import revolved_moments
from ._kind import Bounds, GrainKind, Moments, ShapeKind, box_bounds

if TYPE_CHECKING:
    from ..shape import Reader, Solid

ROUND = 1e-9  # share of the largest semi-axis by which those of a sphere may differ
PAST = 1.5  # radii: what lies so far outside of a hollow shape has gone through and is still found


def read_point(read: Reader) -> Solid:
    return read.solid("POINT", (), read.marker("rm", "cm"))


def read_sphere(read: Reader) -> Solid:
    return read.solid("SPHERE", (read.positive("radius"), read.flag("inside")), read.marker("cm", "rm"))


def read_ellipsoid(read: Reader) -> Solid:
    names = (("xscale", "xs"), ("yscale", "ys"), ("zscale", "zs"))
    a, b, c = (0.5 * abs(read.number(*n)) for n in names)
    if not min(a, b, c) > 0.0:
        raise read.fail("one of its scales is zero; a shape without volume cannot touch")
    marker = read.marker("cm", "rm")
    if max(a, b, c) - min(a, b, c) <= ROUND * max(a, b, c):
        return read.solid("SPHERE", (a, read.flag("inside")), marker)
    if read.flag("inside"):
        raise read.fail("a hollow ellipsoid cannot touch; use a hollow sphere, cylinder or a mesh")
    return read.solid("ELLIPSOID", (a, b, c), marker)


def _sphere_bounds(solid: Solid) -> Bounds:
    half = np.full(3, solid.par[0])
    if solid.par[1]:
        half = half * PAST
    return np.zeros(3), half, float(half[0])


def _sphere_volume(solid: Solid) -> float:
    return math.inf if solid.par[1] else 4.0 / 3.0 * math.pi * solid.par[0] ** 3


def _sphere_moments(solid: Solid, angle: float | None) -> Moments:
    from ..shape import Profile

    if solid.par[1]:
        raise solid.graphic.error("it is hollow, so that no mass follows from it; give the mass")
    r, quarter = solid.par[0], math.tan(math.pi / 8)
    profile = Profile(np.array([[0.0, -r], [r, 0.0], [0.0, r]]), True, np.array([quarter, quarter, 0.0]))
    return revolved_moments(profile, angle)


def _sphere_lines(solid: Solid) -> list[np.ndarray] | None:
    """A hollow one by three circles, so that what moves in it can be seen."""
    ring = facets.arc(solid.par[0])
    return [ring @ np.eye(3)[order] for order in ([0, 1, 2], [1, 2, 0], [2, 0, 1])] if solid.par[1] else None


def _ellipsoid_moments(solid: Solid, angle: float | None) -> Moments:
    p = solid.par
    volume = 4.0 / 3.0 * math.pi * p[0] * p[1] * p[2]
    return volume, np.zeros(3), volume / 5.0 * np.diag(np.square(p[:3]))


def _ellipsoid_grain(d: tuple[float, ...]) -> tuple[float, np.ndarray]:
    a, b, c = d
    volume = 4 / 3 * math.pi * a * b * c
    return volume, volume / 5 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])


POINT = ShapeKind(
    "POINT",
    (),
    body=False,
    sizeless=True,
    kernels_of="SPHERE",  # of radius 0: its row of numbers is zero
    bounds=lambda solid: box_bounds(0.0, 0.0, 0.0),
    volume=lambda solid: 0.0,
    readers={"POINT": read_point},
    even=("POINT",),
    carrier={"POINT": "rm"},
    massless=("POINT",),
)
SPHERE = ShapeKind(
    "SPHERE",
    ("radius", "inside"),
    lengths=1,
    bounds=_sphere_bounds,
    volume=_sphere_volume,
    readers={"SPHERE": read_sphere},
    even=("SPHERE",),
    moments=_sphere_moments,
    triangles=lambda solid: facets.ellipsoid(*(2 * solid.par[0],) * 3),
    lines=_sphere_lines,
    hollow=lambda solid: solid.par[1] != 0.0,
    hollow_name="hollow sphere",
    wide=True,
    filled=True,
    roundness=lambda solid: solid.par[0],
    grain=GrainKind(
        (),
        lambda d: (1.0, 0.0),
        lambda d: (4 / 3 * math.pi, np.full(3, 8 / 15 * math.pi)),
        lambda d: 1.0,
        by_radius=True,
    ),
)
ELLIPSOID = ShapeKind(
    "ELLIPSOID",
    ("a", "b", "c"),
    lengths=3,
    bounds=lambda solid: box_bounds(*solid.par[:3]),
    volume=lambda solid: 4.0 / 3.0 * math.pi * solid.par[0] * solid.par[1] * solid.par[2],
    readers={"ELLIPSOID": read_ellipsoid},
    even=("ELLIPSOID",),
    moments=_ellipsoid_moments,
    triangles=lambda solid: facets.ellipsoid(2 * solid.par[0], 2 * solid.par[1], 2 * solid.par[2]),
    wide=True,
    filled=True,
    roundness=lambda solid: float(min(solid.par[:3])),
    grain=GrainKind(("a", "b", "c"), lambda d: d, _ellipsoid_grain, lambda d: max(d)),
)
