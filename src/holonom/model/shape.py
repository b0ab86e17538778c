"""What a GRAPHICS element is as a solid that can touch: kind, sizes, position on its body.

`shape_of` is the only way from the drawing to contact: it reads arguments as Adams writes them (a CYLINDER starts at
its marker and goes along z, a BOX hangs on a corner, an ELLIPSOID has diameters) and gives what `contact.tables`
requires (centred, half sizes, radii).  Plain numbers only; meshes and profiles are data for those who build search
trees and segments of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .base import Element, ModelError
from .data_files import matrix_values
from .kinds import LARGEST, is_whole, shown
from .orientation import Frame
from .shape_kinds import carriers, deferred, readers

if TYPE_CHECKING:
    from .model import Model
    from .outputs import Graphic

#: graphics that are pictures and nothing else
PICTURES = ("FORCE", "SPDP", "OUTLINE", "ARROW", "FLEX_BODY", "SURFACE")
PLACES = ("cm", "rm", "crm", "corner")  # arguments that name the marker
MAX_POINTS = 1_000_000
MAX_TURNS = 100  # of a twisted extrusion


@dataclass
class Profile:
    """Plane curve, material on its left (a closed one that runs counter-clockwise is solid).

    ``points`` (n, 2); ``bulge`` (n,): tan of a quarter of the angle of the arc from each point to the next, positive
    turning left, 0: straight (the last one closes a closed profile); ``order`` 2: as the bulges say; above 2: a
    B-spline of this order through the points, or with ``control`` near them (then ``bulge`` is empty).  A closed
    profile does not repeat its first point. ``handles`` (n, 4), of order 2 only: a row that is not zero makes a cubic
    (Bezier) of that side; from each point to its first control point, and from the next point to the second one.
    """

    points: np.ndarray
    closed: bool = True
    bulge: np.ndarray = field(default_factory=lambda: np.zeros(0))
    order: int = 2
    control: bool = False
    handles: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))

    def polyline(self, step: float = math.radians(5.0), per_span: int = 8) -> np.ndarray:
        """(m, 2) points along the profile, for pictures and areas: arcs and cubics every ``step``, at least two chords
        and of a cubic at most ``per_span``; splines ``per_span`` points a span."""
        p, n = self.points, len(self.points)
        if self.order > 2:
            return _spline_points(self, per_span)
        out: list[np.ndarray] = []
        for k in range(n if self.closed else n - 1):
            a, b = p[k], p[(k + 1) % n]
            out.append(a)
            beta = float(self.bulge[k]) if len(self.bulge) else 0.0
            if len(self.handles) and self.handles[k].any():
                h, g = self.handles[k, :2], self.handles[k, 2:]
                m = min(per_span, max(2, math.ceil(_turning(h, b + g - a - h, -g) / step)))
                t = np.arange(1, m)[:, None] / m
                out.extend((1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * (a + h) + 3 * t * t * (1 - t) * (b + g) + t**3 * b)
            elif beta:
                turn = 4.0 * math.atan(beta)
                chord = b - a
                centre = 0.5 * (a + b) + np.array([-chord[1], chord[0]]) * (0.5 / math.tan(0.5 * turn))
                for s in range(1, m := max(2, math.ceil(abs(turn) / step))):
                    c, d = math.cos(turn * s / m), math.sin(turn * s / m)
                    out.append(centre + np.array([[c, -d], [d, c]]) @ (a - centre))
        if not self.closed:
            out.append(p[-1])
        return np.array(out)

    def area(self) -> float:
        """Signed area: positive when the material lies inside."""
        p = self.polyline()
        x, y = p[:, 0], p[:, 1]
        return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def _turning(*legs: np.ndarray) -> float:
    """Angles between consecutive legs added up: a cubic turns by no more than its control points do."""
    turned = lambda u, v: abs(math.atan2(u[0] * v[1] - u[1] * v[0], float(u @ v)))
    long = [leg for leg in legs if leg.any()]
    return sum(turned(u, v) for u, v in zip(long, long[1:]))


def spline_of(profile: Profile) -> tuple[Any, tuple[float, float]]:
    """(spline of SciPy, its first and last parameter) of a profile of order above 2."""
    from scipy.interpolate import BSpline, make_interp_spline

    p, k = profile.points, min(profile.order - 1, len(profile.points) - 1)
    if profile.control:
        if profile.closed:
            p = np.vstack([p, p[:k]])
            knots = np.arange(-k, len(p) + 1, dtype=float)
            span = (0.0, float(len(profile.points)))
        else:
            knots = np.concatenate([np.zeros(k), np.linspace(0, 1, len(p) - k + 1), np.ones(k)])
            span = (0.0, 1.0)
        spline = BSpline(knots, p, k)
    else:
        if profile.closed:
            p = np.vstack([p, p[:1]])
            k += 1 - k % 2  # SciPy's periodic splines want odd degrees
        spline = make_interp_spline(
            np.arange(len(p), dtype=float), p, k=k, bc_type="periodic" if profile.closed else None
        )
        span = (0.0, float(len(p) - 1))
    return spline, span


def _spline_points(profile: Profile, per_span: int) -> np.ndarray:
    spline, span = spline_of(profile)
    return spline(
        np.linspace(*span, per_span * (len(profile.points) + profile.closed) + 1)[: -1 if profile.closed else None]
    )


@dataclass
class Solid:
    """A shape that can touch.

    ``kind`` and ``par``: name and numbers as in `contact.tables` (lengths of the model's units); ``body``: the element
    that carries it; ``frame``: place of the shape in the axes of that body (its BCS, as `Marker.frame`).  ``vertices``
    (n, 3) and ``triangles`` (m, 3) for HULL (no triangles) and MESH, ``profile`` for CURVE, EXTRUSION and REVOLUTION
    ((r, z) there), ``heights`` (rows, columns) for HEIGHT_FIELD over a grid centred at the frame, rows along x.
    """

    kind: str
    par: tuple[float, ...]
    body: Any
    frame: Frame
    graphic: Graphic
    vertices: np.ndarray | None = None
    triangles: np.ndarray | None = None
    profile: Profile | None = None
    heights: np.ndarray | None = None


def shape_of(model: Model, graphic: Graphic) -> Solid:
    """The solid that a GRAPHICS element draws.

    Raises `ModelError`, one sentence, when the graphic is a picture only, has no volume, or needs a file that is not
    there.
    """
    return Reader(model, graphic).read()


def marker_id(graphic: Graphic) -> int | None:
    """The marker that carries a graphic, of whichever argument its type has for it; None of one without."""
    own = carriers().get(graphic.type.upper(), "")
    names = PLACES if own in (*PLACES, "") else (own,)
    name = next((n for n in names if graphic.arguments.get(n) is not None), None)
    return None if name is None else marker_argument(graphic, name, graphic.arguments[name])


def marker_argument(graphic: Graphic, name: str, value: Any) -> int:
    """The id of a marker that an argument of a graphic holds."""
    found = marker_number(value)
    if found is None:
        raise graphic.error(f"{name.upper()} = {shown(value)} is not an id of a marker; give {name.upper()} = id")
    return found


def marker_number(value: Any) -> int | None:
    """The id that an element, a whole number or a text of digits means; None of anything else."""
    if isinstance(value, Element):
        return value.id
    if (
        isinstance(value, float)
        and value.is_integer()
        or isinstance(value, str)
        and len(value) < 20
        and value.strip().isdecimal()
    ):
        value = int(value)
    return int(value) if is_whole(value) else None


def kind_of(model: Model, graphic: Graphic) -> str:
    """Kind of shape as `shape_of` has it, without reading a mesh; raises `ModelError` for what cannot touch."""
    name = deferred().get(graphic.type.upper())
    if name is not None:
        return name({key.lower(): value for key, value in graphic.arguments.items()})
    return shape_of(model, graphic).kind


def carrier_of(model: Model, graphic: Graphic) -> Element:
    """The body that carries a graphic; raises `ModelError` when it has none (springs, lines across parts)."""
    number = marker_id(graphic)
    if number is None:
        raise graphic.error("it names no marker that carries it")
    if number not in model.markers:
        raise graphic.error(f"it names MARKER/{number}, which does not exist; correct the id")
    return model.body_of(model.markers[number])


def is_shape(graphic: Graphic) -> bool:
    """Whether a graphic is of a type that can touch (its numbers may still be wrong)."""
    return graphic.type.upper() in readers()


class Reader:
    """Arguments of a graphic as numbers, markers and points, for the readers of the types of shapes
    (`ShapeKind.readers`)."""

    def __init__(self, model: Model, graphic: Graphic) -> None:
        self.model, self.graphic = model, graphic
        self.a = {key.lower(): value for key, value in graphic.arguments.items()}

    def fail(self, text: str) -> ModelError:
        return self.graphic.error(text)

    def read(self) -> Solid:
        kind = self.graphic.type.upper()
        if kind in PICTURES:
            raise self.fail(f"a graphic of type {kind} is a picture and cannot touch anything; name a solid instead")
        reader = readers().get(kind)
        if reader is None:
            raise self.fail(
                f"a graphic of type {kind} is not known as a shape for contact; give a mesh or shape instead"
            )
        return reader(self)

    # -- references and numbers
    def marker(self, *names: str):
        name = next((n for n in names if self.a.get(n) is not None), None)
        if name is None:
            raise self.fail(f"it names no marker that carries it; give {names[0].upper()} = id")
        number = marker_argument(self.graphic, name, self.a[name])
        if number not in self.model.markers:
            raise self.fail(f"{name.upper()} = {number}: there is no MARKER/{number}; correct the id")
        return self.model.markers[number]

    def number(self, *names: str, default: float | None = None) -> float:
        for name in names:
            value = self.a.get(name)
            if value is not None:
                text = str(value).strip()
                try:
                    found = math.radians(float(text[:-1])) if text[-1:] in "dD" and text[-1:] else float(text)
                except ValueError:
                    raise self.fail(f"{name.upper()} = {text[:30]} is not a number") from None
                if not math.isfinite(found):
                    raise self.fail(f"{name.upper()} is {found}; give a finite number")
                if abs(found) > LARGEST or 0.0 < abs(found) < 1.0 / LARGEST:
                    size = (
                        f"larger than any shape has; give at most {LARGEST:g}"
                        if abs(found) > 1
                        else "smaller than any shape has; give more"
                    )
                    raise self.fail(f"{name.upper()} is {found:g}, {size}")
                return found
        if default is None:
            raise self.fail(f"it has no {names[0].upper()}; give {names[0].upper()} = a number")
        return default

    def positive(self, *names: str, what: str = "") -> float:
        value = self.number(*names)
        if not value > 0.0:
            raise self.fail(
                f"its {what or names[0]} must be positive, it is {value:g}; a shape without volume cannot touch"
            )
        return value

    def length(self) -> float:
        value = self.number("length")
        if value == 0.0:
            raise self.fail("its length is zero; a shape without volume cannot touch")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.a.get(name)
        if isinstance(value, str):
            return value.strip().upper() in ("ON", "YES", "TRUE", "1")
        return default if value is None else bool(value)

    def whole(self) -> None:
        angle = abs(self.number("rangle", "angle", default=2 * math.pi)) or 2 * math.pi
        if angle < 2 * math.pi * (1 - 1e-6):
            raise self.fail(
                f"it is a wedge of {math.degrees(angle):.6g} degrees, which cannot touch; draw it round, or give a "
                "mesh or an extruded profile"
            )

    def solid(self, kind: str, par: tuple[float, ...], marker, offset=(0.0, 0.0, 0.0), axes=None, **data: Any) -> Solid:
        if marker.floating:
            raise self.fail(f"{marker.label} is a floating marker; give one with a position of its own")
        frame = marker.frame
        if not np.abs(frame.origin).max() <= LARGEST:
            raise self.fail(f"{marker.label} lies farther away than any machine reaches; correct its QP")
        inner = np.eye(3) if axes is None else axes
        place = Frame(frame.origin + frame.axes @ np.asarray(offset, float), frame.axes @ inner)
        return Solid(kind, tuple(float(p) for p in par), self.model.body_of(marker), place, self.graphic, **data)

    # -- points, files and profiles
    def points(self, name: str, columns: int, least: int) -> np.ndarray:
        value = self.a.get(name)
        if value is None:
            raise self.fail(f"it has no {name}; give them")
        try:
            out = np.asarray(value, float).reshape(-1, columns)
        except (ValueError, TypeError, OverflowError):
            raise self.fail(f"its {name} must be rows of {columns} numbers") from None
        if len(out) > MAX_POINTS:
            raise self.fail(f"it has {len(out)} {name}, more than {MAX_POINTS}; reduce it")
        if len(out) < least:
            raise self.fail(f"it needs at least {least} {_several(name)}, it has {len(out)}")
        if not np.isfinite(out).all():
            raise self.fail(f"one of its {_several(name)} is not finite; give finite numbers")
        if not np.abs(out).max() <= LARGEST:
            raise self.fail(f"one of its {_several(name)} is larger than any shape has; give at most {LARGEST:g}")
        return out

    def scale(self) -> np.ndarray:
        value = self.a.get("scale")
        try:
            out = np.broadcast_to(np.asarray(1.0 if value is None else value, float), (3,))
        except (ValueError, TypeError, OverflowError):
            raise self.fail(f"SCALE = {shown(value)} is neither a number nor three; correct it") from None
        if not ((out > 1 / LARGEST).all() and (out < LARGEST).all()):
            raise self.fail(f"SCALE = {shown(value)} must be positive; correct it")
        return out

    def loaded(self, load, *arguments):
        """What a function gives; its error, or that of a file, as one of the graphic."""
        try:
            return load(*arguments)
        except (ModelError, OSError) as error:
            text = (
                f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)
            )
            raise self.fail(text) from None

    def profile(self, closed: bool | None = None) -> Profile:
        shut = self.flag("closed", True) if closed is None else closed
        points = self.points("profile", 2, 2)
        if shut and len(points) > 2 and np.abs(points[0] - points[-1]).max() <= 1e-9 * np.ptp(points, axis=0).max():
            points = points[:-1]
        order = int(self.number("order", default=2))
        if order < 2:
            raise self.fail(f"ORDER = {order} is not an order of a profile: 2 is a polyline or arcs, above 2 a spline")
        bulge = np.zeros(len(points))
        if self.a.get("bulge") is not None:
            bulge = self.points("bulge", 1, 1)[:, 0]
            if len(bulge) < len(points) - (not shut) or len(bulge) > len(points) + shut:
                raise self.fail(f"it has {len(bulge)} bulges for {len(points)} points; give one for each side")
            bulge = np.concatenate([bulge, np.zeros(len(points))])[: len(points)]
        handles = np.zeros((0, 4))
        if self.a.get("handles") is not None:
            handles = self.points("handles", 4, 1)
            if len(handles) != len(points) or order > 2:
                raise self.fail(
                    f"it has {len(handles)} rows of handles for {len(points)} points; give one for each point, and "
                    "no ORDER"
                )
        if order > 2:
            if bulge.any():
                raise self.fail("bulges belong to profiles of straight lines and arcs; leave them out, or ORDER")
            if len(points) < max(order, 3) or order > 10:
                raise self.fail(
                    f"a spline of order {order} needs {max(order, 3)} points and an order of at most 10; it has "
                    f"{len(points)}"
                )
        following = np.roll(points, -1, axis=0)[: len(points) if shut else -1] - points[: len(points) if shut else -1]
        if (np.abs(following).max(axis=1) == 0).any():
            raise self.fail("two neighbouring points of its profile are equal; remove one")
        return Profile(points, shut, bulge if order == 2 else np.zeros(0), order, self.flag("control"), handles)

    def closed_profile(self) -> Profile:
        profile = self.profile(closed=True)
        if len(profile.points) < 3 and not profile.bulge.any():
            raise self.fail(f"its profile has {len(profile.points)} points; a closed one needs three")
        if crossing(profile.polyline()):
            raise self.fail("its profile crosses itself; correct the order of its points")
        area = profile.area()
        if not abs(area) > 1e-12 * float(np.ptp(profile.points, axis=0).max()) ** 2:
            raise self.fail("its profile encloses no area; a shape without volume cannot touch")
        return profile if area > 0 else reverse(profile)


# ---- helpers -------------------------------------------------------------------------------------------------------
def matrix_points(model: Any, matrix: Any) -> np.ndarray:
    """Points (n, 3) of a MATRIX with rows x, y, z, or parameter, x, y, z.  Raises `ModelError`."""
    values = matrix_values(model, matrix)
    if values.shape[0] < 2 or values.shape[1] not in (3, 4):
        raise matrix.error(
            f"a curve needs two rows or more of 3 or 4 numbers, it has {values.shape[0]} x {values.shape[1]}; "
            "correct it"
        )
    points = values[:, -3:]
    if not np.isfinite(points).all():
        raise matrix.error("one of its values is not finite; give finite numbers")
    return points


def circle(radius: float) -> Profile:
    """Counter-clockwise circle of four arcs about the origin."""
    corners = radius * np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    return Profile(corners, True, np.full(4, math.tan(math.pi / 8)))


def rounded(corners: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """(points, bulges) of a counter-clockwise polygon (n, 2) moved outward by ``radius``, with an arc about each corner
    that turns left."""
    if radius == 0.0:
        return corners, np.zeros(len(corners))
    points, bulges = [], []
    n = len(corners)
    edges = np.roll(corners, -1, axis=0) - corners
    edges = edges / np.linalg.norm(edges, axis=1)[:, None]
    outward = np.column_stack([edges[:, 1], -edges[:, 0]])
    for k in range(n):
        before, after = outward[k - 1], outward[k]
        turn = math.atan2(before[0] * after[1] - before[1] * after[0], float(before @ after))
        if turn > 1e-9:
            points += [corners[k] + radius * before, corners[k] + radius * after]
            bulges += [math.tan(0.25 * turn), 0.0]
        else:
            points.append(corners[k] + radius * (before + after) / (1.0 + float(before @ after)))
            bulges.append(0.0)
    return np.array(points), np.array(bulges)


def reverse(profile: Profile) -> Profile:
    """The same curve run through backwards: material on the other side."""
    n = len(profile.points)
    points = profile.points[::-1].copy()
    bulge = profile.bulge
    if len(bulge):
        bulge = -(np.roll(bulge[::-1], -1) if profile.closed else np.append(bulge[: n - 1][::-1], 0.0))
    handles = profile.handles
    if len(handles):
        handles = handles[::-1][:, [2, 3, 0, 1]]
        handles = np.roll(handles, -1, axis=0) if profile.closed else np.vstack([handles[1:], np.zeros((1, 4))])
    return Profile(points, profile.closed, bulge, profile.order, profile.control, handles)


def flat(points: np.ndarray) -> bool:
    """Whether points (n, 3) lie in one plane (to 1e-9 of their size)."""
    centred = points - points.mean(axis=0)
    s = np.linalg.svd(centred, compute_uv=False)
    return not s[-1] > 1e-9 * max(s[0], 1e-300)


def crossing(polyline: np.ndarray) -> bool:
    """Whether a closed polyline (n, 2) crosses itself; only searched for in polylines of up to 2000 points."""
    n = len(polyline)
    if n > 2000:
        return False
    a, b = polyline, np.roll(polyline, -1, axis=0)
    cross = lambda u, v: u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    d = b - a
    side_a = cross(d[:, None], a[None] - a[:, None])
    side_b = cross(d[:, None], b[None] - a[:, None])
    tiny = 1e-12 * float(np.ptp(polyline, axis=0).max()) ** 2
    split = (side_a > tiny) & (side_b < -tiny) | (side_a < -tiny) & (side_b > tiny)
    return bool((split & split.T).any())


def _several(name: str) -> str:
    """Name of an argument as a keyword for many of them."""
    return "points of a profile" if name == "profile" else name
