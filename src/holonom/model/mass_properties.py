"""Mass, centre of mass and inertia of bodies from the density and the shapes that they carry.

Integrals are taken over the boundary (Green's theorem) with a Gauss rule of 16 points on each side and each piece of an
arc, which is exact for straight sides and to rounding for arcs: box, cylinder, frustum, cone, sphere, ellipsoid, torus,
capsule, extrusion, link, plate, revolution (whole or a wedge of it), and closed meshes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .base import ModelError
from .orientation import Frame
from .shape import Profile, Solid, carrier_of, is_shape, shape_of, spline_of
from .shape_kinds import graphics_with, shape_kind

if TYPE_CHECKING:
    from .model import Model

_GAUSS = np.polynomial.legendre.leggauss(16)


@dataclass
class MassProperties:
    """``mass``; ``centre`` (3,) and ``inertia`` (3, 3) about it, in the axes in which they were requested (as tensor:
    products with a minus sign)."""

    mass: float
    centre: np.ndarray
    inertia: np.ndarray

    def about(self, axes: np.ndarray) -> tuple[float, ...]:
        """Ixx, Iyy, Izz, Ixy, Ixz, Iyz along ``axes`` (columns), with the products as `Part.ip` has them: positive
        integrals."""
        t = axes.T @ self.inertia @ axes
        ip = (t[0, 0], t[1, 1], t[2, 2], -t[0, 1], -t[0, 2], -t[1, 2])
        small = 1e-12 * max(abs(v) for v in ip)
        return tuple(0.0 if abs(v) <= small else float(v) for v in ip)


def mass_of_body(model: Model, body: Any, density: float) -> MassProperties | None:
    """Sum over the solid shapes that a body carries, in the axes of the body; None where it carries none.

    Where shapes overlap the material counts twice, as in Adams View.  Raises `ModelError` for a shape whose volume is
    not known.
    """
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    found = False
    for graphic in model.table("GRAPHICS").values():
        if not graphic.active or not is_shape(graphic) or graphic.type.upper() in graphics_with("massless"):
            continue
        if carrier_of(model, graphic) is not body:
            continue
        frame, moments = solid_moments(model, graphic)
        volume, s, q = moments
        if not (volume > 0.0 and math.isfinite(volume)):
            raise graphic.error(
                f"its volume is {volume:.6g}, from which no mass follows; correct its sizes, or give the mass"
            )
        found = True
        shifted = frame.axes @ s
        turned = frame.axes @ q @ frame.axes.T
        o = frame.origin
        mass += volume * density
        first += density * (shifted + volume * o)
        second += density * (turned + np.outer(o, shifted) + np.outer(shifted, o) + volume * np.outer(o, o))
    if not found:
        return None
    if not mass > 0.0:
        raise ModelError(f"the density is {density:g}, from which no mass follows; give a positive one")
    centre = first / mass
    central = second - mass * np.outer(centre, centre)
    return MassProperties(mass, centre, np.trace(central) * np.eye(3) - central)


def solid_moments(model: Model, graphic: Any) -> tuple[Frame, tuple[float, np.ndarray, np.ndarray]]:
    """(position on the body, (volume, integral of r, integral of r r^T in that position)) of a GRAPHICS element."""
    arguments = {key.lower(): value for key, value in graphic.arguments.items()}
    angle = _angle(arguments)
    if angle is None:
        solid = shape_of(model, graphic)
        return solid.frame, moments_of(solid)
    whole = type(graphic)(
        type=graphic.type, arguments={k: v for k, v in arguments.items() if k not in ("rangle", "angle")}
    )
    whole.id, whole.name, whole.source = graphic.id, graphic.name, graphic.source
    solid = shape_of(model, whole)
    return solid.frame, moments_of(solid, angle)


def _angle(arguments: dict[str, Any]) -> float | None:
    """Extent about the axis where it is less than a full turn."""
    for name in ("rangle", "angle"):
        value = arguments.get(name)
        if isinstance(value, (int, float)) and 0.0 < abs(value) < 2 * math.pi * (1 - 1e-6):
            return float(value)
    return None


def moments_of(solid: Solid, angle: float | None = None) -> tuple[float, np.ndarray, np.ndarray]:
    """(volume, integral of r, integral of r r^T) of a solid in its own frame; of its wedge of ``angle`` from the x axis
    where that is given."""
    return shape_kind(solid.kind).moments(solid, angle)


def _sides(profile: Profile) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, y and weighted dy at the points of a Gauss rule along a closed profile."""
    t, w = 0.5 * (_GAUSS[0] + 1.0), 0.5 * _GAUSS[1]
    if profile.order > 2:
        return _spline_sides(profile, t, w)
    points = profile.points
    n = len(points)
    bulge = profile.bulge if len(profile.bulge) else np.zeros(n)
    handles = profile.handles if len(profile.handles) else np.zeros((n, 4))
    xs, ys, dys = [], [], []
    for k in range(n):
        a, b, beta = points[k], points[(k + 1) % n], float(bulge[k])
        if handles[k].any():
            c, d = a + handles[k, :2], b + handles[k, 2:]
            u = t[:, None]
            xy = (1 - u) ** 3 * a + 3 * u * (1 - u) ** 2 * c + 3 * u * u * (1 - u) * d + u**3 * b
            speed = 3 * ((1 - u) ** 2 * (c - a) + 2 * u * (1 - u) * (d - c) + u * u * (b - d))
            xs.append(xy[:, 0])
            ys.append(xy[:, 1])
            dys.append(w * speed[:, 1])
        elif beta:
            turn = 4.0 * math.atan(beta)
            chord = b - a
            centre = (
                0.5 * (a + b) + np.array([-chord[1], chord[0]]) * (0.5 / math.tan(0.5 * turn))
                if abs(beta) != 1.0
                else 0.5 * (a + b)
            )
            pieces = max(1, math.ceil(abs(turn) / (0.25 * math.pi)))
            start = math.atan2(a[1] - centre[1], a[0] - centre[0])
            radius = float(np.hypot(*(a - centre)))
            for m in range(pieces):
                phi = start + turn * (m + t) / pieces
                xs.append(centre[0] + radius * np.cos(phi))
                ys.append(centre[1] + radius * np.sin(phi))
                dys.append(w * radius * np.cos(phi) * turn / pieces)
        else:
            xs.append(a[0] + t * (b[0] - a[0]))
            ys.append(a[1] + t * (b[1] - a[1]))
            dys.append(w * (b[1] - a[1]))
    return np.concatenate(xs), np.concatenate(ys), np.concatenate(dys)


def _spline_sides(profile: Profile, t: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`_sides` of a spline: between two knots it is a polynomial, of which the rule is exact."""
    spline, (first, last) = spline_of(profile)
    knots = np.unique(np.clip(spline.t, first, last))
    span = np.diff(knots)
    u = (knots[:-1, None] + span[:, None] * t).ravel()
    xy, rate = spline(u), spline.derivative()(u)
    return xy[:, 0], xy[:, 1], (span[:, None] * w).ravel() * rate[:, 1]


def profile_area(profile: Profile) -> tuple[float, float]:
    """Area inside a closed profile and its moment about x = 0."""
    x, _, dy = _sides(profile)
    return float(x @ dy), float(0.5 * x**2 @ dy)


def extruded_moments(profile: Profile, height: float) -> tuple[float, np.ndarray, np.ndarray]:
    """As `moments_of`, of a closed profile that is ``height`` high, about its middle."""
    x, y, dy = _sides(profile)
    area = float(x @ dy)
    sx, sy = float(0.5 * x**2 @ dy), float((x * y) @ dy)
    xx, yy, xy = float(x**3 @ dy) / 3.0, float((x * y**2) @ dy), float(0.5 * (x**2 * y) @ dy)
    second = height * np.array([[xx, xy, 0.0], [xy, yy, 0.0], [0.0, 0.0, area * height**2 / 12.0]])
    return area * height, height * np.array([sx, sy, 0.0]), second


def revolved_moments(profile: Profile, angle: float | None = None) -> tuple[float, np.ndarray, np.ndarray]:
    """As `moments_of`, of a profile (r, z) that is turned about z, from the half-plane y = 0, x > 0 by ``angle``
    (negative: the other way; None: all round)."""
    angle = 2.0 * math.pi if angle is None else angle
    r, z, dz = _sides(profile)
    a, side = abs(angle), math.copysign(1.0, angle)
    of = lambda n, m: float((r ** (n + 1) / (n + 1) * z**m) @ dz)  # integral of r^n z^m over the profile
    s, c = math.sin(a), math.cos(a)
    full = a >= 2 * math.pi * (1 - 1e-9)
    s, c, a = (0.0, 1.0, 2 * math.pi) if full else (s, c, a)
    volume = a * of(1, 0)
    first = np.array([of(2, 0) * s, side * of(2, 0) * (1 - c), a * of(1, 1)])
    xx, yy = of(3, 0) * (0.5 * a + 0.5 * s * c), of(3, 0) * (0.5 * a - 0.5 * s * c)
    xy = side * of(3, 0) * 0.5 * s * s
    xz, yz, zz = of(2, 1) * s, side * of(2, 1) * (1 - c), a * of(1, 2)
    return volume, first, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def mesh_moments(points: np.ndarray, triangles: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """As `moments_of`, of the inside of a closed mesh."""
    shift = points.mean(axis=0)
    p = points[triangles] - shift
    det = np.einsum("ij,ij->i", p[:, 0], np.cross(p[:, 1], p[:, 2]))
    volume, total = float(det.sum()) / 6.0, p.sum(axis=1)
    first = np.einsum("i,ij->j", det, total) / 24.0
    second = (np.einsum("i,iaj,iak->jk", det, p, p) + np.einsum("i,ij,ik->jk", det, total, total)) / 120.0
    second += np.outer(shift, first) + np.outer(first, shift) + volume * np.outer(shift, shift)
    return volume, first + volume * shift, second


def hull_triangles(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points and outward triangles of a convex hull."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    triangles = hull.simplices.copy()
    inner = points[hull.vertices].mean(axis=0)
    p = points[triangles]
    inward = np.einsum("ij,ij->i", np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), p[:, 0] - inner) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return points, triangles
