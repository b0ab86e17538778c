"""Grains: many bodies of one shape in one element, as arrays.

A grain is a rigid body like a PART, without markers: nothing but gravity and contact acts on it.  Spheres differ in
radius, bodies of another shape in scale.  Mass and inertia are those of a solid body of constant density,

    m = rho V s^3,    J = rho I s^5      (V, I: volume and moments of inertia of the shape at scale 1 and density 1),

or of a given mass; the position of a grain is that of its centre of mass.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from .base import Element, ModelError
from .orientation import Frame
from .shape_kinds import grain_shapes, shape_kind
from .values import listed, number_tuple

MAX_GRAINS = 10_000_000
MAX_CORNERS = 200  # of a hull that many grains share
RECORDS = ("position", "velocity", "spin", "quaternion", "contacts", "stress")
PRECISIONS = ("auto", "single", "double")
SINGLE = 10_000  # with more grains than this results are kept in single precision unless specified otherwise
SLOTS = 2**32  # a grain among shapes has a number below zero: -1 - (id of its element times this + its row there)
PLAIN = 48  # arrays up to this size are written as numbers

ARRAYS: dict[str, tuple[int, ...]] = {
    "sizes": (),
    "positions": (3,),
    "masses": (),
    "velocities": (3,),
    "spins": (3,),
    "orientations": (4,),
    "points": (3,),
}


def _none(*shape: int) -> Any:
    return field(default_factory=lambda: np.zeros(shape))


@dataclass(eq=False)
class Grains(Element):
    """GRAINS: n bodies of one ``shape``.

    ``sizes`` (n,): radius of a SPHERE, scale of any other shape.  ``dimensions`` at scale 1: edges of a BOX, radius and
    length of a CYLINDER along its z, radius and length between the centres of its ends of a CAPSULE, semi-axes of an
    ELLIPSOID; ``points`` (m, 3) of a HULL, counted from its centre of mass.  ``positions`` (n, 3) of centres of mass,
    ``velocities`` (n, 3), ``spins`` (n, 3) angular velocities in ground axes, ``orientations`` (n, 4) quaternions,
    scalar first (none: the axes of ground).  ``masses`` (n,).

    ``present`` (n,): which of them exist at the start (none given: all). ``record``: quantities kept in results, from
    `RECORDS`; ``precision``: "single", "double", or "auto": single above 10,000 grains. Arrays cannot be changed in
    place: assign a new one.
    """

    KIND: ClassVar[str] = "GRAINS"

    shape: str = "SPHERE"
    dimensions: tuple[float, ...] = ()
    points: np.ndarray = _none(0, 3)
    sizes: np.ndarray = _none(0)
    positions: np.ndarray = _none(0, 3)
    masses: np.ndarray = _none(0)
    velocities: np.ndarray = _none(0, 3)
    spins: np.ndarray = _none(0, 3)
    orientations: np.ndarray = _none(0, 4)
    present: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    record: tuple[str, ...] = ("position", "velocity", "spin")
    precision: str = "auto"
    color: str = ""
    group: str = ""

    def __post_init__(self) -> None:
        for name, tail in ARRAYS.items():
            setattr(self, name, _array(getattr(self, name), tail, f"{self.KIND} '{self.name}': {name}"))
        try:
            self.present = np.ascontiguousarray(self.present, bool).reshape(-1)
        except (TypeError, ValueError):
            raise ModelError(f"{self.KIND} '{self.name}': present must be true or false for each grain") from None

    # ---- numbers --------------------------------------------------------------------------------------------------
    def __len__(self) -> int:
        return len(self.positions)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grains):
            return NotImplemented
        a, b = vars(self), vars(other)
        return all(
            np.array_equal(a[k], b[k]) if isinstance(a[k], np.ndarray) else a[k] == b[k]
            for k in a
            if k != "source" and k[:1] != "_"
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def exists(self) -> np.ndarray:
        """(n,): which grains exist at the start."""
        return self.present if len(self.present) else np.ones(len(self), bool)

    @property
    def of_points(self) -> bool:
        """Whether the shape is the hull of ``points``."""
        grain = grain_shapes().get(self.shape)
        return grain is not None and grain.body is None

    @property
    def by_radius(self) -> bool:
        """Whether ``sizes`` are radii of spheres, whose orientation does not matter."""
        grain = grain_shapes().get(self.shape)
        return grain is not None and grain.by_radius

    @property
    def single(self) -> bool:
        """Whether results are kept in single precision."""
        return self.precision == "single" or (self.precision == "auto" and len(self) > SINGLE)

    @property
    def solid_volume(self) -> float:
        """Volume at size 1."""
        return body_of(self.shape, self.dimensions, self.points.tobytes())[0]

    @property
    def volumes(self) -> np.ndarray:
        """(n,) volumes."""
        return self.solid_volume * self.sizes**3

    @property
    def axes(self) -> np.ndarray:
        """(3, 3) principal axes of inertia in the axes of the shape, as columns."""
        return body_of(self.shape, self.dimensions, self.points.tobytes())[2]

    def inertias(self) -> np.ndarray:
        """(n, 3) principal moments of inertia."""
        volume, moments, _ = body_of(self.shape, self.dimensions, self.points.tobytes())
        return (self.masses * self.sizes**2)[:, None] * (moments / volume)

    @property
    def reach(self) -> float:
        """Radius of the ball around the shape at size 1."""
        if self.of_points:
            return float(np.linalg.norm(self.points, axis=1).max())
        grain = shape_kind(self.shape).grain
        assert grain is not None and grain.reach is not None
        return grain.reach(self.dimensions)

    @property
    def frame(self) -> Frame:
        return Frame.identity()

    def solid(self, size: float = 1.0, body: Any = None):
        """The shape at a size as `model.shape.Solid`, on ``body`` (this element where it is None)."""
        from .outputs import Graphic
        from .shape import Solid

        kind = shape_kind(self.shape)
        assert kind.grain is not None
        par = kind.grain.parameters(tuple(size * x for x in self.dimensions))
        par = (*(size * x for x in par[: kind.lengths]), *par[kind.lengths :]) if kind.grain.by_radius else par
        picture = Graphic(id=0, name=f"a grain of {self.name}", type=self.shape)
        vertices = size * self.points if self.of_points else None
        return Solid(
            self.shape,
            tuple(float(x) for x in par),
            self if body is None else body,
            self.frame,
            picture,
            vertices=vertices,
        )

    # ---- JSON -----------------------------------------------------------------------------------------------------
    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {"id": self.id, "name": self.name, "shape": self.shape}
        for name in (*ARRAYS, "present"):
            value = getattr(self, name)
            if len(value):
                out[name] = _packed(value)
        blank = Grains()
        for name in ("active", "dimensions", "record", "precision", "color", "group"):
            value = getattr(self, name)
            if value != getattr(blank, name):
                out[name] = list(value) if isinstance(value, tuple) else value
        if self.source:
            out["source"] = [self.source.file, self.source.line]
        return out

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Grains:
        if not isinstance(data, dict):
            return super().from_dict(data)  # type: ignore[return-value]  # reports this
        data = dict(data)
        for name in (*ARRAYS, "present"):
            if isinstance(data.get(name), dict):
                data[name] = _unpacked(data[name], f"GRAINS/{data.get('id')}: {name}")
        arrays = {name: data.pop(name) for name in (*ARRAYS, "present") if name in data}
        found: Any = super().from_dict(data)
        for name, value in arrays.items():
            setattr(found, name, value)
        found.__post_init__()
        return found


def _array(value: Any, tail: tuple[int, ...], what: str) -> np.ndarray:
    """Rows of numbers that are read-only."""
    if (
        isinstance(value, np.ndarray)
        and not value.flags.writeable
        and value.dtype == np.float64
        and value.shape[1:] == tail
    ):
        return value
    try:
        out = np.array(value, float, order="C")
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what} must be numbers") from None
    if out.size == 0:
        out = out.reshape(0, *tail)
    if out.ndim != 1 + len(tail) or out.shape[1:] != tail:
        rows = f"rows of {tail[0]} numbers" if tail else "one number a grain"
        raise ModelError(f"{what} must be {rows}, not an array of shape {out.shape}")
    out.flags.writeable = False
    return out


def _packed(value: np.ndarray) -> Any:
    if value.size <= PLAIN:
        return value.tolist()
    kind = "|b1" if value.dtype == bool else "<f8"
    return {
        "dtype": kind,
        "shape": list(value.shape),
        "base64": base64.b64encode(np.ascontiguousarray(value, kind).tobytes()).decode("ascii"),
    }


def _unpacked(data: dict[str, Any], what: str) -> np.ndarray:
    try:
        kind, shape = str(data["dtype"]), tuple(int(n) for n in data["shape"])
        raw = base64.b64decode(data["base64"], validate=True)
        if kind not in ("<f8", "|b1") or any(n < 0 for n in shape):
            raise ValueError
        return np.frombuffer(raw, kind).reshape(shape).copy()
    except (KeyError, TypeError, ValueError):
        raise ModelError(f"{what} is damaged: its numbers cannot be read") from None


# ---- bodies of one shape -------------------------------------------------------------------------------------------
@lru_cache(maxsize=64)
def body_of(shape: str, dimensions: tuple[float, ...], points: bytes) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, principal moments of inertia (3,) about the centre of mass at density 1, and principal axes (columns) of
    a shape at scale 1."""
    body = grain_shapes()[shape].body
    if body is not None:
        return *body(dimensions), np.eye(3)
    volume, _, tensor = hull_moments(np.frombuffer(points).reshape(-1, 3))
    moments, axes = np.linalg.eigh(tensor)
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    return volume, moments, axes


def hull_moments(points: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre (3,) and inertia tensor about the centre (3, 3) of the convex hull of ``points`` (n, 3) at density
    1.

    Sums over tetrahedra from a point inside: the integral of x x^T over one with corners 0, a, b, c is
    V (a a^T + b b^T + c c^T + s s^T) / 20, s = a + b + c.
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        raise ModelError(
            "the points of a hull lie in a plane or are fewer than four, so they enclose no volume"
        ) from None
    inside = points[hull.vertices].mean(axis=0)
    corners = points[hull.simplices] - inside
    volumes = np.abs(np.linalg.det(corners)) / 6
    volume = float(volumes.sum())
    total = corners.sum(axis=1)
    centre = (volumes[:, None] * total).sum(axis=0) / (4 * volume)
    second = (
        np.einsum("t,tki,tkj->ij", volumes, corners, corners) + np.einsum("t,ti,tj->ij", volumes, total, total)
    ) / 20
    second -= volume * np.outer(centre, centre)
    return volume, inside + centre, np.trace(second) * np.eye(3) - second


# ---- checks --------------------------------------------------------------------------------------------------------
def faults(e: Grains, fed: bool = False) -> Iterator[str]:
    """What is wrong with an element, one sentence each; ``fed``: it may be empty."""
    n = len(e)
    shapes = grain_shapes()
    if e.shape not in shapes:
        yield f"unknown shape '{e.shape}'; choose one of {', '.join(shapes)}"
        return
    if n == 0 and not fed:
        yield "it has no grains; give positions, one row each, or a feeder (model.feeder)"
        return
    if n > MAX_GRAINS:
        yield f"it has {n} grains, more than {MAX_GRAINS}; take fewer or larger ones"
        return
    for name in ("sizes", "masses", "velocities", "spins", "orientations", "present"):
        rows = len(getattr(e, name))
        if rows != n and not (rows == 0 and name in ("velocities", "spins", "orientations", "present")):
            yield f"{name} has {rows} rows for {n} grains; give one for each"
            return
    for name in ARRAYS:
        value = getattr(e, name)
        bad = ~np.isfinite(value)
        if bad.any():
            k = int(np.argwhere(bad)[0][0])
            yield f"{name} of grain {k} is not finite; give finite numbers"
            return
    names = shapes[e.shape].dimensions
    if len(e.dimensions) != len(names):
        yield f"a {e.shape} needs {len(names)} dimensions ({', '.join(names) or 'none'}), it has {len(e.dimensions)}"
        return
    if any(not d > 0.0 for d in e.dimensions):
        yield (
            f"its dimensions must be positive, they are {', '.join(f'{d:g}' for d in e.dimensions)}; a shape without "
            "volume cannot touch"
        )
        return
    for name, word in (("sizes", "radius" if e.by_radius else "scale"), ("masses", "mass")):
        value = getattr(e, name)
        if not (value > 0.0).all():
            k = int(np.argmax(~(value > 0.0)))
            yield f"the {word} of grain {k} must be positive, it is {value[k]:g}"
            return
    wrong = shapes[e.shape].fault(e.dimensions)
    if wrong:
        yield wrong
        return
    if e.of_points:
        if len(e.points) < 4 or len(e.points) > MAX_CORNERS:
            yield f"a {e.shape} needs 4 to {MAX_CORNERS} points, it has {len(e.points)}"
            return
        try:
            body_of(e.shape, e.dimensions, e.points.tobytes())
        except ModelError as error:
            yield str(error)
            return
    if len(e.orientations) and not (np.abs((e.orientations**2).sum(axis=1) - 1.0) < 1e-6).all():
        k = int(np.argmax(np.abs((e.orientations**2).sum(axis=1) - 1.0)))
        yield f"the quaternion of grain {k} does not have length 1; divide it by its length"
    unknown = [name for name in e.record if name not in RECORDS]
    if unknown:
        yield f"record names '{unknown[0]}'; choose from {', '.join(RECORDS)}"
    if e.precision not in PRECISIONS:
        yield f"precision = '{e.precision}' is not one of {', '.join(PRECISIONS)}"


# ---- builder -------------------------------------------------------------------------------------------------------
class Bulk:
    """Mixin of `Model`: bulk bodies."""

    # provided by Model
    def add(self, element: Any) -> Any: ...

    def grains(
        self,
        positions: Any,
        radius: Any = None,
        name: str = "",
        *,
        density: float | None = None,
        mass: Any = None,
        velocity: Any = None,
        spin: Any = None,
        orientation: Any = None,
        shape: str = "SPHERE",
        dimensions: Any = (),
        points: Any = (),
        scale: Any = None,
        record: Any = None,
        precision: str = "auto",
        color: str = "",
        group: str = "",
        id: int = 0,
    ) -> Grains:
        """Many bodies of one shape: ``positions`` (n, 3) of their centres of mass, with ``density`` or ``mass`` (one
        for all, or one per grain).

        Spheres: ``radius`` (one for all, or one per grain). Others: ``shape`` "BOX" (``dimensions``: edges), "CYLINDER"
        and "CAPSULE" (radius, length along z), "ELLIPSOID" (semi-axes), "ROUNDED_BOX" (edges and radius) or "HULL"
        (``points`` (m, 3), moved so that their centre of mass is the grain's position), and ``scale``. ``velocity``,
        ``spin`` (ground axes): one row for all, or one per grain; ``orientation``: quaternions (n, 4), scalar first, or
        "random" (seed 0). ``record``: quantities kept in results: "position", "velocity", "spin" and "quaternion" (the
        default; "quaternion" not for spheres), "contacts" (contact points per grain), "stress" (moments of contact
        forces); ``precision``: "single", "double", or "auto". Raises `ModelError` for invalid values.
        """
        kind = str(shape).upper()
        out = Grains(id=id, name=name, shape=kind, precision=precision, color=color, group=group)
        fail = lambda text: ModelError(f"GRAINS{f' {name!r}' if name else ''}: {text}")
        out.positions = _array(positions, (3,), f"GRAINS '{name}': positions")
        n = len(out.positions)
        if (radius is None) == out.by_radius:
            raise fail(
                "spheres need a radius"
                if radius is None
                else f"a radius belongs to spheres; give scale and dimensions of a {kind}"
            )
        out.sizes = _each(
            radius if out.by_radius else 1.0 if scale is None else scale,
            n,
            (),
            fail,
            "radius" if radius is not None else "scale",
        )
        if out.by_radius and scale is not None:
            raise fail("scale belongs to other shapes than spheres; give their radius")
        out.dimensions = number_tuple(dimensions if np.ndim(dimensions) else (dimensions,), "dimensions")
        out.points = _array(points, (3,), f"GRAINS '{name}': points")
        if out.of_points and len(out.points) >= 4:
            try:
                out.points = _array(out.points - hull_moments(out.points)[1], (3,), "points")
            except ModelError as error:
                raise fail(str(error)) from None
        if (density is None) == (mass is None):
            raise fail("give either density or mass")
        if density is not None and not (np.isfinite(density) and density > 0.0):
            raise fail(f"density must be a positive number, it is {density}")
        out.masses = out.sizes if mass is None else _each(mass, n, (), fail, "mass")
        out.velocities = _each(velocity, n, (3,), fail, "velocity") if velocity is not None else out.velocities
        out.spins = _each(spin, n, (3,), fail, "spin") if spin is not None else out.spins
        if isinstance(orientation, str):
            if orientation.lower() != "random":
                raise fail(f"orientation = '{orientation}' is neither 'random' nor quaternions")
            orientation = random_orientations(n)
        out.orientations = (
            _each(orientation, n, (4,), fail, "orientation") if orientation is not None else out.orientations
        )
        out.record = (
            ("position", "velocity", "spin", *(("quaternion",) if not out.by_radius else ()))
            if record is None
            else tuple(listed(record, "record", "quantities"))
        )
        found = next(faults(out, True), None)
        if found is not None:
            raise fail(found)
        if density is not None:
            out.masses = _array(float(density) * out.volumes, (), "masses")
        return self.add(out)


def _each(value: Any, n: int, tail: tuple[int, ...], fail: Any, what: str) -> np.ndarray:
    """One row for all, or one a grain, as rows of all."""
    try:
        array = np.asarray(value, float)
        if tail and array.shape[-1:] != tail:
            raise ValueError
        return _array(np.broadcast_to(array, (n, *tail)), tail, what)
    except (TypeError, ValueError):
        raise fail(
            f"{what} must be {'three numbers' if tail == (3,) else 'four numbers' if tail else 'a number'} for all {n} "
            "grains, or one row for each"
        ) from None


def random_orientations(n: int, seed: int = 0) -> np.ndarray:
    """(n, 4) quaternions of evenly distributed attitudes."""
    q = np.random.default_rng(seed).normal(size=(n, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    return np.where(q[:, :1] < 0, -q, q)
