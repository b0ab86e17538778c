"""Cables that bend as far as they like: meshes of elements in absolute nodal coordinates (`elements.absolute.cable`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..model.absolute import AbsoluteMesh, MeshPoint
from ..model.base import ModelError, shown
from .along import PartsAlong
from .beams import Section

TOGETHER = 1e-9  # share of its length below which two points lie at one place
MOST = 100_000  # elements
SQUEEZED = 0.01  # share of its length by which a cable may be drawn shorter than it is without a word
FLAT = 1e-9  # share of its length by which a cable may leave its plane
PLANES = {"xy": 2, "yx": 2, "yz": 0, "zy": 0, "zx": 1, "xz": 1}
GAUSS = np.array([0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)])


@dataclass(frozen=True)
class Cable:
    """A cable in a model: ``mesh`` its element, ``lengths`` (n,) unloaded lengths of its elements, ``places`` (n + 1, 3) of its nodes as drawn, (n, 3) of a
    ``closed`` one, whose last element goes back to the first node; ``numbers``: of these nodes in the mesh.

    Joints, forces, markers and contacts go on its points (`first`, `last`, `at`) as on parts.  x of a point is the direction of the axis; a section has
    no angle about it, so `fixed` holds place and direction and no twist.  `touch` gives it a surface.
    """

    model: Any = field(repr=False)
    mesh: AbsoluteMesh
    lengths: np.ndarray
    places: np.ndarray
    numbers: tuple[int, ...]
    closed: bool = False
    _known: dict = field(default_factory=dict, repr=False, compare=False)

    @property
    def first(self) -> Any:
        """The point at its beginning."""
        return self._node(0)

    @property
    def last(self) -> Any:
        """The point at its end; of a closed one the last node before the first."""
        return self._node(len(self.places) - 1)

    @property
    def length(self) -> float:
        """Unloaded length."""
        return float(self.lengths.sum())

    def at(self, s: float) -> Any:
        """The point at the unloaded length ``s`` from its beginning.  Raises `ModelError` for one that lies on no cable."""
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

    def nearest(self, point: Sequence[float]) -> Any:
        """The point at the node nearest to a place in ground, as drawn."""
        return self._node(int(((self.places - np.asarray(point, float)) ** 2).sum(1).argmin()))

    def load(self, fx: Any = "0", fy: Any = "0", fz: Any = "0", *, name: str = "") -> list[Any]:
        """A force per unloaded length along the whole cable, in ground axes: numbers or expressions, force / length.

        It acts at two Gauss points of each element, by which one that is the same everywhere is integrated exactly.  Returns the forces (VFORCE).
        Raises `ModelError` for what is no expression.

            rope.load(fy="-12*STEP(time, 0, 0, 1, 1)")
        """
        out = []
        for e, h in enumerate(self.lengths):
            for x in GAUSS:
                text = [f"{0.5 * float(h)!r}*({f})" if str(f).strip() not in ("0", "0.0") else "0" for f in (fx, fy, fz)]
                here = self.model.marker(self._inside(e, float(x)))
                out.append(
                    self.model.vforce(here, self.model.ground, *text, rm=self._ground(), name=f"{name}.{len(out) + 1}" if name else "")
                )
        return out

    def _ground(self) -> Any:
        name = f"{self.mesh.name}.ground"
        found = next((m for m in self.model.markers.values() if m.name == name), None)
        return self.model.marker(self.model.ground, name=name) if found is None else found

    def along(self, points: int = 1) -> PartsAlong:
        """Its points, so many of an element at even lengths, as what can touch: each with the surface of half the way to both its neighbours.

        Of cables that lie on what is hardly rounder than their elements are long, two or three ``points`` an element follow the curve within these.
        """
        if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or not 1 <= points <= MOST:
            raise self.mesh.error(f"points of an element that touch are {shown(points)}; give a whole number, 1 or more")
        key = "along", int(points)
        if key not in self._known:
            n = len(self.lengths)
            parts, places = [], []
            for e in range(n):
                parts += [self._node(e)] + [self._inside(e, k / points) for k in range(1, points)]
            parts += [] if self.closed else [self._node(n)]
            places = [p.frame_in(self.model).origin for p in parts]
            EA, _, mass = self.mesh.properties[:3]
            usual = float(np.median(self.lengths)) / points
            self._known[key] = PartsAlong(
                self.model, tuple(parts), np.array(places), self.closed, self.mesh.radius, EA / float(np.median(self.lengths)) / points,
                mass * usual, self.mesh.name,
            )  # fmt: skip
        return self._known[key]

    def surface(self, radius: float | None = None, shape: str = "capsule", *, points: int = 1, **look: Any) -> tuple[Any, ...]:
        """Shapes along its axis, as of rods (`PartsAlong.surface`), so many ``points`` an element."""
        return self.along(points).surface(radius, shape, **look)

    def touch(self, other: Any = None, law: str = "", *, points: int = 1, **more: Any) -> Any:
        """A CONTACT of its surface with ``other``: shapes, bodies, names, another cable or rod, or (None) itself, as of rods (`PartsAlong.touch`), whose
        words it takes; so many ``points`` an element.  Returns the contact.

            rope.touch(drum, mu=0.3)
            rope.touch(floor, radius=0.01, points=2)
        """
        return self.along(points).touch(self.along(points) if other is self else other, law, **more)

    def _node(self, k: int) -> Any:
        return self._point(self.numbers[k], (1.0, 0.0), (0.0, 1.0), f"{self.mesh.name}.{k + 1}")

    def _inside(self, e: int, x: float) -> Any:
        h, unit = float(self.lengths[e]), self.mesh.unit  # cubic between (r, unit r') of two nodes
        place = (1 - 3 * x**2 + 2 * x**3, h / unit * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, h / unit * (x**3 - x**2))
        slope = ((6 * x**2 - 6 * x) / h, (1 - 4 * x + 3 * x**2) / unit, (6 * x - 6 * x**2) / h, (3 * x**2 - 2 * x) / unit)
        a, b = self.numbers[e], self.numbers[(e + 1) % len(self.places)]
        first = min(a, b)
        window = np.zeros((2, 2 * (abs(a - b) + 1)))  # nodes between those of the element have no share
        for row, weights in zip(window, (place, slope)):
            row[2 * (a - first) : 2 * (a - first) + 2], row[2 * (b - first) : 2 * (b - first) + 2] = weights[:2], weights[2:]
        return self._point(first, _tuple(window[0]), _tuple(window[1]), f"{self.mesh.name}.{e + 1 + x:.6g}")

    def _point(self, first: int, place: tuple, slope: tuple, name: str) -> Any:
        key = first, place, slope
        known = self._known.get(key)
        if known is None or self.model.table("MESH_POINT").get(known.id) is not known:
            self._known[key] = self.model.add(MeshPoint(name=name, mesh=self.mesh.id, first=first, place=place, slope=slope))
        return self._known[key]


def cable(
    model: Any, points: Any, section: Section | None = None, *, E: float | None = None, density: float | None = None, elements: int = 16,
    EA: float | None = None, EI: float | None = None, mass: float | None = None, damping: float = 0.0, length: float | None = None,
    tension: float | None = None, plane: str | None = None, velocity: Any = (0.0, 0.0, 0.0), spin: Any = (0.0, 0.0, 0.0),
    closed: bool = False, radius: float | None = None, name: str = "cable",
) -> Cable:  # fmt: skip
    """Put a cable into a model: axial stiffness and bending, no twist and no shear, deformations of any size; absolute nodal coordinates.

    ``points`` (k, 3): its axis in ground as drawn, from end to end, length; a smooth curve goes through them.  Unloaded it is straight.  ``section`` with ``E``
    (force/length^2) and ``density`` (mass/length^3): of a section that has the same bending stiffness about both axes; or ``EA`` (force), ``EI`` (force
    length^2) and ``mass`` (mass/length).  ``elements``: how many, of one length along the curve; ``damping``: Kelvin and Voigt's of strain and curvature,
    time; ``length``: its unloaded length, by default that of the curve: shorter is tight, longer slack; or ``tension``: axial force as drawn.  ``plane``:
    "xy", "yz" or "zx", it moves in that plane of ground only, at less cost; ``velocity`` (3,) and ``spin`` (3,): at the start, as of a rigid body that turns
    about its first point, length / time and rad / time; ``closed``: it goes back from the last point to the first, smoothly (a loop, a belt, bent by its round
    shape, since unloaded it is straight); ``radius``: of its surface and of what pictures show, by default that of a round section of the same area.

    The axes of points follow its direction by the least turn from the drawing, so a point may turn by any angle in a plane, and in space by less than half a
    turn.  Raises `ModelError` for fewer than two points (three of a closed one), neighbours at one place, numbers that are not positive, and what is not in
    its plane.

        rope = hn.flexible.cable(model, [(0, 0, 0), (1, 0, 0)], EA=1e5, EI=0.5, mass=0.3, elements=20)
        model.spherical(rope.first, model.ground, at=(0, 0, 0))
    """
    at = _places(points, closed)
    n = _whole(elements, 3 if closed else 1)
    EA, EI, mass, radius = _stiffness(section, E, density, EA, EI, mass, radius)
    if not (_is_number(damping) and damping >= 0.0):
        raise ModelError(f"damping of a cable is {shown(damping)}; give a time that is not negative")
    nodes, tangents, drawn = _curve(at, n, closed)
    if length is not None and tension is not None:
        raise ModelError("length and tension of a cable are two words for one thing; give one of them")
    if length is not None and not (_is_number(length) and length > 0.0):
        raise ModelError(f"the unloaded length of a cable is {shown(length)}; give a positive length")
    if tension is not None and not (_is_number(tension) and tension > -EA):
        raise ModelError(f"the tension of a cable is {shown(tension)}; give a force, larger than -EA = {-EA:g}")
    stretch = 1.0 if length is None and tension is None else 1.0 + tension / EA if length is None else drawn / length
    h = drawn / n / stretch
    held = ()
    if plane is not None:
        axis = PLANES.get(str(plane).lower())
        if axis is None:
            raise ModelError(f"the plane of a cable is {shown(plane)}; give one of xy, yz, zx")
        if np.ptp(nodes[:, axis]) > FLAT * drawn or abs(tangents[:, axis]).max() > FLAT:
            raise ModelError(
                f"a cable in the plane {plane} leaves it along {'xyz'[axis]}; draw all its points at one {'xyz'[axis]}, or leave plane out"
            )
        nodes[:, axis], tangents[:, axis] = at[0, axis], 0.0
        held = (axis,)
    v, w = _vector(velocity, "velocity"), _vector(spin, "spin")
    if held and (abs(v[held[0]]) > 0.0 or np.any(np.delete(w, held[0]))):
        raise ModelError(f"a cable in the plane {plane} cannot start with a velocity out of it; mend velocity or spin")
    unit = h
    slopes = unit * stretch * tangents
    rates = np.concatenate([v + np.cross(w, nodes - nodes[0]), np.cross(w, slopes)], axis=1)
    # of a loop, nodes are numbered from both sides of the first: the mass stays a narrow band
    numbers = tuple(2 * k if 2 * k < n else 2 * (n - k) - 1 for k in range(n)) if closed else tuple(range(n + 1))
    drawn_as, moving = np.empty((len(nodes), 6)), np.empty((len(nodes), 6))
    drawn_as[list(numbers)], moving[list(numbers)] = np.concatenate([nodes, slopes], axis=1), rates
    mesh = model.add(
        AbsoluteMesh(
            name=name, element="cable", width=6, places=_tuple(drawn_as), rates=_tuple(moving) if rates.any() else (),
            cells=tuple(numbers[k % len(nodes)] for e in range(n) for k in (e, e + 1)), properties=tuple([EA, EI, mass, float(damping), float(h), 0.0] * n),
            unit=float(unit), held=held, radius=radius,
        )
    )  # fmt: skip
    if stretch < 1.0 - SQUEEZED:
        model.warnings.append(
            f"{mesh.label} is drawn {100.0 * (1.0 - stretch):.3g} % shorter than it is unloaded, so it begins compressed, and where it buckles to is open; "
            "draw it with its slack (holonom.flexible.catenary)"
        )
    out = Cable(model, mesh, np.full(n, h), nodes, numbers, bool(closed))
    _ = out.first, out.last
    return out


def catenary(first: Any, last: Any, length: float, *, down: Any = (0.0, 0.0, -1.0), points: int = 33) -> np.ndarray:
    """(points, 3) places, at even lengths, of a chain of a ``length`` that hangs between two places, with gravity along ``down``.

    y = a cosh((x - b) / a) + c.  Raises `ModelError` for a length that does not reach, and for places straight above each other.

        rope = hn.flexible.cable(model, hn.flexible.catenary((0, 0, 0), (2, 0, 0), 2.5), EA=1e5, EI=0.1, mass=0.4)
    """
    a, b, g = _vector(first, "the first end"), _vector(last, "the last end"), _vector(down, "down")
    size = float(np.linalg.norm(g))
    if not size > 0.0:
        raise ModelError(f"down of a hanging chain is {shown(down)}; give a direction")
    g = g / size
    chord = b - a
    fall = float(chord @ g)
    side = chord - fall * g
    wide = float(np.linalg.norm(side))
    if not (_is_number(length) and length > (1.0 + 1e-6) * np.linalg.norm(chord)):
        raise ModelError(
            f"a hanging chain of the length {shown(length)} does not reach from end to end, {np.linalg.norm(chord):g}; give a longer one"
        )
    if not wide > 1e-6 * length:
        raise ModelError("the ends of a hanging chain lie straight above each other; move one aside")
    from scipy.optimize import brentq

    share = np.sqrt(length**2 - fall**2) / wide  # sinh(x) / x with x = wide / 2a
    x = brentq(lambda x: np.sinh(x) / x - share, 1e-6, 2.0 + 2.0 * np.log(2.0 * share + 2.0))
    radius = 0.5 * wide / x
    middle = 0.5 * wide + radius * np.arctanh(fall / length)  # of the lowest place, from the first end
    s = np.linspace(0.0, length, _whole(points - 1) + 1) - radius * np.sinh(middle / radius)
    across = middle + radius * np.arcsinh(s / radius)
    deep = radius * np.cosh(middle / radius) - radius * np.cosh((across - middle) / radius)
    return a + across[:, None] * (side / wide) + deep[:, None] * g


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and bool(np.isfinite(value))


def _tuple(values: np.ndarray) -> tuple[float, ...]:
    return tuple(map(float, values.ravel()))


def _vector(value: Any, what: str) -> np.ndarray:
    try:
        out = np.array(value, float)
    except (TypeError, ValueError):
        out = np.zeros(0)
    if out.shape != (3,) or not np.all(np.isfinite(out)):
        raise ModelError(f"{what} of a cable is {shown(value)}; give three numbers")
    return out


def _places(points: Any, closed: bool) -> np.ndarray:
    try:
        at = np.array(points, float)
    except (TypeError, ValueError):
        at = np.zeros(0)
    if at.ndim != 2 or at.shape[1:] != (3,) or len(at) < 2 or not np.all(np.isfinite(at)):
        raise ModelError(f"points of a cable are {shown(points)}; give two or more places with three coordinates")
    if closed:
        if not np.linalg.norm(at[-1] - at[0]) > TOGETHER * np.ptp(at, axis=0).max():
            at = at[:-1]
        if len(at) < 3:
            raise ModelError(f"a closed cable has {len(at)} different points; give three or more")
        at = np.vstack([at, at[:1]])
    chords = np.linalg.norm(np.diff(at, axis=0), axis=1)
    if not chords.min() > TOGETHER * chords.sum():
        k = int(chords.argmin())
        raise ModelError(f"points {k + 1} and {k + 2} of a cable lie at one place; leave one out")
    d = np.diff(at, axis=0) / chords[:, None]
    d = np.vstack([d, d[:1]]) if closed else d
    back = (d[1:] * d[:-1]).sum(axis=1)
    if len(back) and back.min() < -1.0 + 1e-9:
        raise ModelError(f"a cable turns back on itself at its point {int(back.argmin()) + 2}; give points around the bend")
    return at


def _whole(elements: Any, least: int = 1) -> int:
    if isinstance(elements, bool) or not isinstance(elements, (int, np.integer)) or not least <= elements <= MOST:
        raise ModelError(f"elements of a cable are {shown(elements)}; give a whole number from {least} to {MOST}")
    return int(elements)


def _stiffness(section: Any, E: Any, density: Any, EA: Any, EI: Any, mass: Any, radius: Any) -> tuple[float, float, float, float]:
    """EA, EI, mass per length and radius from what was given."""
    if section is not None:
        if not isinstance(section, Section):
            raise ModelError(f"section of a cable is {shown(section)}; give a holonom.flexible.Section, or EA, EI and mass")
        given = [w for w, value in (("EA", EA), ("EI", EI), ("mass", mass)) if value is not None]
        if given:
            raise ModelError(f"a cable has a section and {given[0]}; give either section, E and density, or EA, EI and mass")
        for what, value in (("E", E), ("density", density)):
            if not (_is_number(value) and value > 0.0):
                raise ModelError(f"{what} of a cable is {shown(value)}; give a positive number")
        if abs(section.Iy - section.Iz) > 1e-6 * max(section.Iy, section.Iz):
            raise ModelError(
                f"a cable knows no twist and bends alike about all axes, but its section has second moments {section.Iy:.6g} and {section.Iz:.6g}; give "
                "EA, EI and mass of the plane in which it bends, or take holonom.flexible.rod"
            )
        EA, EI, mass = E * section.A, E * section.Iy, density * section.A
    else:
        if E is not None or density is not None:
            raise ModelError(f"a cable has {'E' if E is not None else 'a density'} but no section; give one, or EA, EI and mass")
    for what, value, least in (("EA", EA, "a positive force"), ("mass", mass, "a positive mass per length")):
        if not (_is_number(value) and value > 0.0):
            raise ModelError(f"{what} of a cable is {shown(value)}; give {least}")
    if not (_is_number(EI) and EI >= 0.0):
        raise ModelError(f"EI of a cable is {shown(EI)}; give a bending stiffness that is not negative")
    if radius is None:
        radius = float(np.sqrt(section.A / np.pi)) if section is not None else 0.0
    if not (_is_number(radius) and radius >= 0.0):
        raise ModelError(f"radius of a cable is {shown(radius)}; give a length that is not negative")
    return float(EA), float(EI), float(mass), float(radius)


def _curve(at: np.ndarray, n: int, closed: bool = False) -> tuple[np.ndarray, np.ndarray, float]:
    """Nodes (n + 1, 3), (n, 3) of a closed one, at even lengths along a smooth curve through points, unit tangents there, and its length."""
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
        raise ModelError("the curve through the points of a cable has a corner; give points around it")
    return curve(p), t / size[:, None], float(arc[-1])
