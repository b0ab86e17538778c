"""Shapes of a plane profile: curves, extrusions and bodies of revolution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .. import facets
from ..kinds import LARGEST
from ..mass_properties import extruded_moments, profile_area, revolved_moments
from ..shape import MAX_TURNS, Profile, circle, crossing, marker_argument, matrix_points, reverse, rounded
from ._kind import Bounds, Feature, Moments, ShapeKind

if TYPE_CHECKING:
    from ..shape import Reader, Solid

ROUNDING = 0.02  # of the size of a profile, by which its arcs stand out of its polyline at most


MAX_CORNERS = 64  # of a profile to which drawing snaps


def read_curve(read: Reader) -> Solid:
    """A plane curve of our own (``profile``), or a CURVE element in the xy plane of its marker."""
    marker, width = read.marker("crm", "rm", "cm"), read.number("width", default=0.0)
    if width < 0.0:
        raise read.fail(f"its width must not be negative, it is {width:g}")
    if read.a.get("profile") is not None:
        profile = read.profile()
    else:
        profile = _curve_element(read)
    if profile.closed and crossing(profile.polyline()):
        raise read.fail(
            "its profile crosses itself, so that its material lies on both sides; correct the order of its points"
        )
    if read.flag("flip"):
        profile = reverse(profile)
    return read.solid("CURVE", (width,), marker, profile=profile)


def _curve_element(read: Reader) -> Profile:
    name = read.a.get("cid", read.a.get("curve"))
    if name is None:
        raise read.fail("it names no curve; give CID = id of a CURVE, or a profile")
    curve = read.loaded(read.model.find, "CURVE", name)
    if curve.matrix is None:
        raise read.fail(f"{curve.label} is computed by a routine and cannot touch; give it by a MATRIX of points")
    matrix = read.loaded(read.model.find, "MATRIX", curve.matrix)
    points = matrix_points(read.model, matrix)
    if not np.abs(points).max() <= LARGEST:
        raise read.fail(f"{matrix.label} holds points farther away than any machine reaches; correct them")
    size = float(np.ptp(points, axis=0).max())
    if not size > 0.0:
        raise read.fail(f"all points of {matrix.label} are equal; a curve without length cannot touch")
    if np.ptp(points[:, 2]) > 1e-6 * size or abs(points[0, 2]) > 1e-6 * size:
        raise read.fail(
            f"{curve.label} leaves the xy plane of its marker, and only plane curves can touch; set z to zero"
        )
    points = points[:, :2]
    if curve.closed and np.abs(points[0] - points[-1]).max() <= 1e-6 * size:
        points = points[:-1]
    order = int(curve.order)
    if order > 10:
        raise read.fail(f"{curve.label} is of ORDER = {order}; give at most 10")
    bulge = np.zeros(len(points)) if order <= 2 else np.zeros(0)
    return Profile(points, curve.closed, bulge, max(order, 2), curve.points == "CONTROL")


def read_circle(read: Reader) -> Solid:
    """A circle as a curve: material inside."""
    return read.solid("CURVE", (0.0,), read.marker("cm"), profile=circle(read.positive("radius")))


def read_arc(read: Reader) -> Solid:
    radius = read.positive("radius")
    angle = read.number("rangle", "angle", default=2 * math.pi)
    if abs(angle) >= 2 * math.pi * (1 - 1e-9) or angle == 0.0:
        return read.solid("CURVE", (0.0,), read.marker("cm"), profile=circle(radius))
    n = max(1, math.ceil(abs(angle) / (0.5 * math.pi)))
    t = np.linspace(0.0, angle, n + 1)
    points = radius * np.column_stack([np.cos(t), np.sin(t)])
    bulge = np.append(np.full(n, math.tan(0.25 * angle / n)), 0.0)
    return read.solid("CURVE", (0.0,), read.marker("cm"), profile=Profile(points, False, bulge))


def read_extrusion(read: Reader) -> Solid:
    if read.a.get("profile") is None:
        raise read.fail(
            "it names its profile in a way that is not understood; give the profile's points, or a mesh instead"
        )
    profile, length = read.closed_profile(), read.length()
    par = (0.5 * abs(length), read.number("twist", default=0.0))
    if abs(length * par[1]) > MAX_TURNS * 2 * math.pi:
        raise read.fail(
            f"it is twisted by {abs(length * par[1]) / (2 * math.pi):.3g} turns, more than {MAX_TURNS}; TWIST is an "
            "angle per length"
        )
    start = read.number("offset", default=0.0)  # of the profile's plane along z
    return read.solid("EXTRUSION", par, read.marker("cm", "rm"), (0, 0, start + 0.5 * length), profile=profile)


def read_link(read: Reader) -> Solid:
    """Bar with round ends of Adams View, from marker I to J: ``width`` across, ``depth`` along z of I."""
    i, j = read.marker("i", "i_marker"), read.marker("j", "j_marker")
    if (i.body_kind, i.part) != (j.body_kind, j.part):
        raise read.fail(
            "its two markers lie on different parts, so it has no shape of its own; give a shape to one of them"
        )
    width, depth = read.positive("width"), read.positive("depth")
    frame = i.frame
    d = frame.axes.T @ (j.frame.origin - frame.origin)
    length = float(np.hypot(d[0], d[1]))
    if not length > 0.0:
        raise read.fail("its two markers lie above each other; a link needs a length")
    ex, ey = np.array([d[0], d[1]]) / length, np.array([-d[1], d[0]]) / length
    r = 0.5 * width
    points = np.array([-r * ey, length * ex - r * ey, length * ex + r * ey, r * ey])
    return read.solid("EXTRUSION", (0.5 * depth, 0.0), i, profile=Profile(points, True, np.array([0.0, 1.0, 0.0, 1.0])))


def read_plate(read: Reader) -> Solid:
    """Plate of Adams View: what a disc of ``radius`` covers that moves over the polygon of its ``markers``, ``width``
    thick about their plane."""
    first = read.marker("rm", "cm")
    numbers = read.a.get("markers")
    if not isinstance(numbers, (tuple, list)) or len(numbers) < 3:
        raise read.fail("it names fewer than three markers; a plate needs the corners of a polygon")
    if len(numbers) > 1000:
        raise read.fail(f"it has {len(numbers)} corners, more than 1000; reduce it")
    corners = []
    for number in numbers:
        marker = read.model.markers.get(marker_argument(read.graphic, "markers", number))
        if marker is None:
            raise read.fail(f"there is no MARKER/{number}; correct its markers")
        if (marker.body_kind, marker.part) != (first.body_kind, first.part):
            raise read.fail(
                f"{marker.label} lies on another part, so it has no shape of its own; name markers of one part"
            )
        corners.append(marker.frame.origin)
    width, radius = read.positive("width"), read.number("radius", default=0.0)
    if radius < 0.0:
        raise read.fail(f"its radius must not be negative, it is {radius:g}")
    points = np.array(corners) - first.frame.origin
    if len(points) > 3 and np.abs(points[-1]).max() <= 1e-9 * np.ptp(points, axis=0).max():
        points = points[:-1]
    normal = 0.5 * np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)
    size = float(np.ptp(points, axis=0).max())
    if not np.linalg.norm(normal) > 1e-12 * size * size:
        raise read.fail("its markers lie on one line; a shape without volume cannot touch")
    z = normal / np.linalg.norm(normal)
    if np.abs(points @ z).max() > 1e-6 * size:
        raise read.fail("its markers do not lie in one plane; move them into one")
    x = points[1] - points[0]
    x = x / np.linalg.norm(x)
    axes = np.column_stack([x, np.cross(z, x), z])
    flat_points, bulges = rounded(points @ axes[:, :2], radius)
    if crossing(Profile(flat_points, True, bulges).polyline()):
        raise read.fail("its outline crosses itself; correct the order of its markers, or its radius")
    inner = first.frame.axes.T @ axes
    return read.solid(
        "EXTRUSION", (0.5 * width, 0.0), first, (0, 0, 0), inner, profile=Profile(flat_points, True, bulges)
    )


def read_revolution(read: Reader) -> Solid:
    if read.a.get("profile") is None:
        raise read.fail(
            "it names its profile in a way that is not understood; give the profile's points (r, z), or a mesh in "
            "its place"
        )
    read.whole()
    profile = read.closed_profile()
    if profile.polyline()[:, 0].min() < -1e-9 * np.ptp(profile.points, axis=0).max():
        raise read.fail("its profile crosses the axis: a radius is negative; give points (r, z) with r of zero or more")
    return read.solid("REVOLUTION", (), read.marker("cm", "rm"), profile=profile)


def _profile_box(solid: Solid) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Points of the polyline, its lowest and highest coordinates, and what its arcs stand out."""
    assert solid.profile is not None
    points = solid.profile.polyline()
    low, high = points.min(axis=0), points.max(axis=0)
    return points, low, high, ROUNDING * float((high - low).max())


def _curve_bounds(solid: Solid) -> Bounds:
    _, low, high, pad = _profile_box(solid)
    half = np.array([*(0.5 * (high - low) + pad), 0.5 * solid.par[0]])
    if solid.par[0] == 0.0:
        half[2] = 1e6 * float(half[:2].max())  # prismatic, without end for all that a machine is
    return np.array([*(0.5 * (low + high)), 0.0]), half, float(np.linalg.norm(half))


def _extrusion_bounds(solid: Solid) -> Bounds:
    points, low, high, pad = _profile_box(solid)
    centre = np.array([*(0.5 * (low + high)), 0.0])
    half = np.array([*(0.5 * (high - low) + pad), solid.par[0]])
    if solid.par[1] != 0.0:
        r = float(np.hypot(points[:, 0], points[:, 1]).max()) + pad
        centre, half = np.zeros(3), np.array([r, r, solid.par[0]])
    return centre, half, float(np.linalg.norm(half))


def _revolution_bounds(solid: Solid) -> Bounds:
    points, low, high, pad = _profile_box(solid)
    r = float(np.abs(points[:, 0]).max()) + pad
    half = np.array([r, r, 0.5 * (high[1] - low[1]) + pad])
    return np.array([0.0, 0.0, 0.5 * (low[1] + high[1])]), half, float(np.linalg.norm(half))


def _prism_volume(solid: Solid, width: float) -> float:
    assert solid.profile is not None
    if not solid.profile.closed:
        return 0.0
    area, _ = profile_area(solid.profile)
    return math.copysign(math.inf, area) if width == 0.0 else area * width


def _profile(solid: Solid) -> Profile:
    assert solid.profile is not None
    return solid.profile


def _revolution_volume(solid: Solid) -> float:
    assert solid.profile is not None
    return 2.0 * math.pi * profile_area(solid.profile)[1] if solid.profile.closed else 0.0


def _extrusion_moments(solid: Solid, angle: float | None) -> Moments:
    if solid.par[1]:
        raise solid.graphic.error("it is twisted, so that its mass is not computed; give the mass")
    return extruded_moments(_profile(solid), 2.0 * solid.par[0])


def _curve_lines(solid: Solid) -> list[np.ndarray]:
    assert solid.profile is not None
    p, width = solid.profile.polyline(), solid.par[0]
    p = np.vstack([p, p[:1]]) if solid.profile.closed else p
    return [np.column_stack([p, np.full(len(p), z)]) for z in ((-0.5 * width, 0.5 * width) if width else (0.0,))]


def _extrusion_features(solid: Solid) -> list[Feature]:
    """Corners of the profile at both ends."""
    ends = (-solid.par[0], solid.par[0])
    return [((float(x), float(y), z), "corner") for x, y in _profile(solid).points[:MAX_CORNERS] for z in ends]


CURVE = ShapeKind(
    "CURVE",
    ("width",),
    body=False,
    bounds=_curve_bounds,
    volume=lambda solid: _prism_volume(solid, solid.par[0]),
    readers={"CURVE": read_curve, "CIRCLE": read_circle, "ARC": read_arc},
    even=("CIRCLE",),
    carrier={"CURVE": "rm"},
    massless=("CURVE", "CIRCLE", "ARC"),
    lines=_curve_lines,
)
EXTRUSION = ShapeKind(
    "EXTRUSION",
    ("half length", "twist"),
    bounds=_extrusion_bounds,
    volume=lambda solid: _prism_volume(solid, 2.0 * solid.par[0]),
    readers={"EXTRUSION": read_extrusion, "LINK": read_link, "PLATE": read_plate},
    carrier={"LINK": "i"},
    features=_extrusion_features,
    moments=_extrusion_moments,
    triangles=lambda solid: facets.extruded(_profile(solid).polyline(), solid.par[0], solid.par[1]),
    flat=True,
)
REVOLUTION = ShapeKind(
    "REVOLUTION",
    (),
    bounds=_revolution_bounds,
    volume=_revolution_volume,
    readers={"REVOLUTION": read_revolution},
    even=("REVOLUTION",),
    moments=lambda solid, angle: revolved_moments(_profile(solid), angle),
    triangles=lambda solid: facets.revolved(_profile(solid).polyline()),
)
