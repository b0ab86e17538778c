"""Meshes in absolute nodal coordinates that have an axis (cables, beams): their points, loads along them, and what they
touch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..elements.absolute import ABSOLUTE_ELEMENTS, NAMES
from ..elements.absolute.lumping import highest_frequency
from ..elements.absolute.materials import Linear
from ..expressions import ExpressionError, parse
from ..model.absolute import AbsoluteMesh, MeshPoint
from ..model.base import ModelError, shown
from ..model.shape import shape_of
from .along import TOGETHER, PartsAlong, follows, pieces, places_along

if TYPE_CHECKING:
    from ..model.forces import Contact

MOST = 100_000  # elements
GAUSS = np.array([0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)])
#: of a kind: what axes of its points follow, and which rows of its weights they are (position, slope, side)
FOLLOWED = {
    "cable": ("x", 1, None),
    "planar_cable": ("x", 1, None),
    "planar_beam": ("yz", 2, None),
    "spatial_beam": ("y+z", 2, 3),
    "thin_plate": ("xy", 1, 2),
    "conforming_plate": ("xy", 1, 2),
    "thick_plate": ("zx", 3, 1),
}


def point_of(
    model: Any,
    mesh: AbsoluteMesh,
    nodes: Any,
    properties: Any,
    xi: Any,
    known: dict,
    name: str,
    normal: Any = (0.0, 0.0, 0.0),
) -> Any:
    """The MESH_POINT at local coordinates ``xi`` of an element with these ``nodes`` and ``properties``, made where
    ``known`` has none; what has no share in it is left out of its window.  ``normal``: across the plane of planar
    beams."""
    kind = ABSOLUTE_ELEMENTS[NAMES.index(mesh.element)]
    axes, first, second = FOLLOWED[mesh.element]
    rows = kind.weights(properties, xi, mesh.unit)
    picked = [rows[0], rows[first]] + ([rows[second]] if second is not None else [])
    per = mesh.width // 3
    at = (per * np.asarray(nodes)[:, None] + np.arange(per)).ravel()
    use = np.flatnonzero(np.any(picked, axis=0))
    vectors = tuple(int(k) for k in at[use])
    place, slope, *side = (tuple(float(v) for v in row[use]) for row in picked)
    key = vectors, place, slope
    found = known.get(key)
    if found is None or model.table("MESH_POINT").get(found.id) is not found:
        known[key] = model.add(
            MeshPoint(
                name=name,
                mesh=mesh.id,
                vectors=vectors,
                place=place,
                slope=slope,
                side=side[0] if side else (),
                normal=tuple(map(float, normal)),
                axes=axes,
            )
        )
    return known[key]


def longest_step(model: Any, mesh: AbsoluteMesh) -> float:
    """Up to which central differences are stable with a mesh as drawn, time."""
    return 2.0 / highest_frequency(mesh, model.units.mass_factor)


def gauss_forces(model: Any, mesh: AbsoluteMesh, shares: Any, force: tuple, following: bool, name: str) -> list[Any]:
    """Forces (VFORCE) on points of a mesh: ``shares`` of (size, point), by which expressions ``force`` (3,), per size,
    are multiplied; in ground axes, or ``following`` in those of the points."""
    out: list[Any] = []
    for f in force:
        if not isinstance(f, str) and not is_number(f):
            raise mesh.error(f"its load is {shown(f)}; give numbers or expressions")
        try:
            parse(str(f))
        except ExpressionError as error:
            raise mesh.error(f"its load {shown(f)} is not an expression: {error}") from None
    for share, point in shares:
        text = [f"{float(share)!r}*({f})" if str(f).strip() not in ("0", "0.0") else "0" for f in force]
        here = model.marker(point)
        out.append(
            model.vforce(
                here,
                model.ground,
                *text,
                rm=here if following else _ground(model, mesh),
                name=f"{name}.{len(out) + 1}" if name else "",
            )
        )
    return out


def _ground(model: Any, mesh: AbsoluteMesh) -> Any:
    name = f"{mesh.name}.ground"
    found = next((m for m in model.markers.values() if m.name == name), None)
    return model.marker(model.ground, name=name) if found is None else found


@dataclass(frozen=True)
class AxisOfMesh(Summary):
    """A mesh with an axis in a model: ``mesh`` its element, ``lengths`` (n,) unloaded lengths of its elements,
    ``places`` (n + 1, 3) of its nodes as drawn, (n, 3) of a ``closed`` one, whose last element returns to the first
    node; ``numbers``: of these nodes in the mesh; ``EA``: force, ``mass``: of a length;
    ``normal`` (3,): across the plane of beams in a plane.

    Joints, forces, markers and contacts continue its points (`first`, `last`, `at`) as on parts.
    """

    model: Any = field(repr=False)
    mesh: AbsoluteMesh
    lengths: np.ndarray
    places: np.ndarray
    numbers: tuple[int, ...]
    EA: float
    mass: float
    closed: bool = False
    normal: tuple[float, float, float] = (0.0, 0.0, 0.0)
    _known: dict = field(default_factory=dict, repr=False, compare=False)

    @property
    def first(self) -> MeshPoint:
        """The point at its beginning."""
        return self._node(0)

    @property
    def last(self) -> MeshPoint:
        """The point at its end; of a closed one the last node before the first."""
        return self._node(len(self.places) - 1)

    @property
    def length(self) -> float:
        """Unloaded length."""
        return float(self.lengths.sum())

    @property
    def longest_step(self) -> float:
        """Up to which central differences (VELOCITY_VERLET) are stable, as it is drawn and without what touches or
        holds it, time: 2 over the highest frequency of an element alone."""
        return longest_step(self.model, self.mesh)

    def at(self, s: float) -> MeshPoint:
        """The point at the unloaded length ``s`` from its beginning.  Raises `ModelError` for one that lies on no part
        of it."""
        ends = np.concatenate([[0.0], np.cumsum(self.lengths)])
        if (
            isinstance(s, bool)
            or not isinstance(s, (int, float, np.number))
            or not -TOGETHER * ends[-1] <= s <= (1.0 + TOGETHER) * ends[-1]
        ):
            raise self.mesh.error(f"there is no point of it at {shown(s)}; give a length from 0 to {ends[-1]:g}")
        k = int(np.abs(ends - s).argmin())
        if abs(ends[k] - s) <= TOGETHER * ends[-1]:
            return self._node(k % len(self.places))
        e = int(np.searchsorted(ends, s) - 1)
        return self._inside(e, (s - ends[e]) / self.lengths[e])

    part = at

    def nearest(self, point: Any) -> MeshPoint:
        """The point at the node nearest to a position in ground, as drawn."""
        return self._node(int(((self.places - direction(point, "the position", self.mesh.label)) ** 2).sum(1).argmin()))

    def load(
        self, fx: Any = "0", fy: Any = "0", fz: Any = "0", *, following: bool = False, name: str = ""
    ) -> list[Any]:
        """A force per unloaded length along the whole of it: numbers or expressions, force / length, in ground axes, or
        ``following`` in those of its points, of which x is the direction of the axis.

        It acts at two Gauss points of each element, by which one that is the same everywhere is integrated exactly.
        Returns the forces (VFORCE). Raises `ModelError` for a value that is not an expression.

            rope.load(fy="-12*STEP(time, 0, 0, 1, 1)")
        """
        shares = ((0.5 * h, self._inside(e, float(x))) for e, h in enumerate(self.lengths) for x in GAUSS)
        return gauss_forces(self.model, self.mesh, shares, (fx, fy, fz), following, name)

    def along(self, points: int = 1) -> PartsAlong:
        """Its points, so many of an element at even lengths, as what can touch: each with the surface of half the way
        to both its neighbours.

        Of what lies on something hardly rounder than elements are long, two or three ``points`` an element follow the
        curve within these.
        """
        if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or not 1 <= points <= MOST:
            raise self.mesh.error(
                f"points of an element that touch are {shown(points)}; give a whole number, 1 or more"
            )
        key = "along", int(points)
        if key not in self._known:
            n = len(self.lengths)
            parts = [self._node(e) if k == 0 else self._inside(e, k / points) for e in range(n) for k in range(points)]
            parts += [] if self.closed else [self._node(n)]
            places = [p.frame_in(self.model).origin for p in parts]
            usual = float(np.median(self.lengths))
            self._known[key] = PartsAlong(
                self.model,
                tuple(parts),
                np.array(places),
                self.closed,
                self.mesh.radius,
                self.EA / usual / points,
                self.mass * usual / points,
                self.mesh.name,
            )
        return self._known[key]

    def surface(
        self, radius: float | None = None, shape: str = "capsule", *, points: int = 1, **look: Any
    ) -> tuple[Any, ...]:
        """Shapes along its axis, as of rods (`PartsAlong.surface`), so many ``points`` an element."""
        return self.along(points).surface(radius, shape, **look)

    def touch(self, other: Any = None, law: str = "", *, points: int | None = None, **more: Any) -> Contact:
        """A CONTACT of its surface with ``other``: shapes, bodies, names, another cable, beam or rod, or (None) itself,
        as of rods (`PartsAlong.touch`), whose words it takes.  ``points``: how many pieces of surface an element has,
        by default so many that the other shape does not pass between them, and that each turns little where it lies on
        a round one (`along.pieces`).  Returns the contact.

            rope.touch(drum, mu=0.3)
            rope.touch(floor, radius=0.01, points=2)
        """
        if points is None:
            points = 1
            radius = more.get("radius")
            radius = self.mesh.radius if radius is None else radius
            if other is None or other is self:
                points = self.pieces_against(radius, radius)
            elif hasattr(other, "along") or isinstance(other, PartsAlong):
                points = self.pieces_against(other.mesh.radius if hasattr(other, "along") else other.radius, radius)
            elif not hasattr(other, "surface"):
                other = self.model.shapes_of(other)
                if is_number(radius) and radius > 0.0:
                    solids = [shape_of(self.model, g) for g in other]
                    spacing = float(np.linalg.norm(self.along()._steps(), axis=1).max())
                    more["shape"], points = pieces(solids, spacing, float(radius), more.get("shape") or "")
        return self.along(points).touch(self.along(points) if other is self else other, law, **more)

    def pieces_against(self, size: Any, radius: Any = None) -> int:
        """How many pieces of surface an element has against another one of radius ``size``, so that they follow the
        curve (`along.follows`); 1 where no radius is known."""
        own = self.mesh.radius if radius is None else radius
        both = [float(r) for r in (own, size) if is_number(r) and r > 0.0]
        return follows(float(np.linalg.norm(self.along()._steps(), axis=1).max()), sum(both)) if both else 1

    def _node(self, k: int) -> MeshPoint:
        n = len(self.lengths)
        return self._point(k, 0.0, k) if k < n else self._point(n - 1, 1.0, k)

    def _inside(self, e: int, x: float) -> MeshPoint:
        x = round(float(x), 12)  # so that one position is one point
        return self._point(e, x, e + x)

    def _point(self, e: int, x: float, number: float) -> MeshPoint:
        nodes = self.numbers[e], self.numbers[(e + 1) % len(self.places)]
        kinds = ABSOLUTE_ELEMENTS[NAMES.index(self.mesh.element)].PROPERTIES
        properties = self.mesh.properties[e * len(kinds) : (e + 1) * len(kinds)]
        return point_of(
            self.model, self.mesh, nodes, properties, x, self._known, f"{self.mesh.name}.{number + 1:.9g}", self.normal
        )


def drawn_along(points: Any, elements: Any, closed: bool, what: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Nodes (n + 1, 3), (n, 3) of a ``closed`` one, at even lengths along a smooth curve through ``points``, unit
    tangents there, and its length.

    Raises `ModelError` for fewer than two points (three of a closed one), neighbours at the same point, corners, and
    elements that are no whole number.
    """
    at, chords = places_along(points, closed, what)
    d = np.diff(at, axis=0) / chords[:, None]
    d = np.vstack([d, d[:1]]) if closed else d
    back = (d[1:] * d[:-1]).sum(axis=1)
    if len(back) and back.min() < -1.0 + 1e-9:
        raise ModelError(
            f"{what} turns back on itself at its point {int(back.argmin()) + 2}; give points around the bend"
        )
    least = 3 if closed else 1
    if isinstance(elements, bool) or not isinstance(elements, (int, np.integer)) or not least <= elements <= MOST:
        raise ModelError(f"elements of {what} are {shown(elements)}; give a whole number from {least} to {MOST}")
    return _curve(at, int(elements), closed, what)


def _curve(at: np.ndarray, n: int, closed: bool, what: str) -> tuple[np.ndarray, np.ndarray, float]:
    if len(at) == 2:
        d = at[1] - at[0]
        drawn = float(np.linalg.norm(d))
        return at[0] + np.linspace(0.0, 1.0, n + 1)[:, None] * d, np.tile(d / drawn, (n + 1, 1)), drawn
    from scipy.interpolate import CubicSpline

    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(at, axis=0), axis=1))])
    curve = CubicSpline(s, at, bc_type="periodic" if closed else "natural" if len(at) == 3 else "not-a-knot")
    x, w = np.polynomial.legendre.leggauss(8)
    fine = np.linspace(0.0, s[-1], 16 * max(n, len(at)) + 1)
    step = np.diff(fine)
    speed = np.linalg.norm(curve(fine[:-1, None] + 0.5 * step[:, None] * (x + 1.0), 1), axis=2)
    arc = np.concatenate([[0.0], np.cumsum(0.5 * step * (speed @ w))])
    p = np.interp(np.linspace(0.0, arc[-1], n + 1)[: n if closed else None], arc, fine)
    t = curve(p, 1)
    size = np.linalg.norm(t, axis=1)
    if not size.min() > 1e-6:
        raise ModelError(f"the curve through the points of {what} has a corner; give points around it")
    return curve(p), t / size[:, None], float(arc[-1])


def around(n: int, closed: bool) -> tuple[int, ...]:
    """Numbers of the nodes along n elements: of a loop from both sides of the first, so that the mass stays a narrow
    band."""
    return tuple(2 * k if 2 * k < n else 2 * (n - k) - 1 for k in range(n)) if closed else tuple(range(n + 1))


def is_number(value: Any) -> bool:
    """Is it a finite number?"""
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and bool(np.isfinite(value))


def material_of(
    what: str, material: Any, kinds: tuple[type, ...], E: float | None, nu: float, density: float | None, damping: float
) -> Any:
    """The material that was given (of one of these ``kinds``), or the linear one of four numbers.  Raises ModelError
    where both are given, or neither is right."""
    if material is not None:
        if E is not None or density is not None or damping:
            raise ModelError(
                f"{what} has a material and "
                f"{'E' if E is not None else 'density' if density is not None else 'damping'}; give only one of them"
            )
        if not isinstance(material, kinds):
            words = " or ".join(kind.__name__ for kind in kinds)
            raise ModelError(
                f"material of {what} is {shown(material)}; give a {words} material "
                "(holonom.elements.absolute.materials)"
            )
        return material
    for name, value in (("E", E), ("density", density)):
        if value is None or not (is_number(value) and value > 0.0):
            raise ModelError(f"{name} of {what} is {shown(value)}; give a positive number, or a material")
    for name, value in (("nu", nu), ("damping", damping)):
        if not is_number(value):
            raise ModelError(f"{name} of {what} is {shown(value)}; give a number")
    return Linear(float(E or 0.0), nu, float(density or 0.0), damping)


def flat(values: np.ndarray) -> tuple[float, ...]:
    """Numbers as elements of models have them."""
    return tuple(map(float, np.asarray(values).ravel()))


def direction(value: Any, name: str, what: str) -> np.ndarray:
    """(3,) of a given one.  Raises `ModelError`."""
    try:
        out = np.array(value, float)
    except (TypeError, ValueError):
        out = np.zeros(0)
    if out.shape != (3,) or not np.all(np.isfinite(out)):
        raise ModelError(f"{name} of {what} is {shown(value)}; give three numbers")
    return out
