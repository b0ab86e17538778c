"""Plates and shells with large deflections: meshes of thin, conforming and thick elements in absolute nodal
coordinates (`elements.absolute`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..elements.absolute import conforming_plate, thick_plate, thin_plate
from ..elements.absolute.materials import Linear
from ..model.absolute import AbsoluteMesh, MeshPoint
from ..model.base import ModelError, shown
from ..model.bounds import half_width
from ..model.parameters import refuse_late_change, with_parameters
from ..model.shape import shape_of
from .along import FITS, MOST_PIECES, settled
from .axis_of_mesh import TOGETHER, direction, flat, gauss_forces, is_number, longest_step, material_of, point_of

if TYPE_CHECKING:
    from ..model.forces import Contact

WHAT = "a plate in absolute coordinates"
FORMULATIONS = {"conforming": conforming_plate, "thin": thin_plate, "thick": thick_plate}
MOST = 20_000  # elements
EDGES = {"u0": (0, 0), "u1": (0, -1), "v0": (1, 0), "v1": (1, -1)}
GAUSS = np.array([0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)])
SHAPES = ("box", "sphere")


@dataclass(frozen=True)
class AncfPlate(Summary):
    """A plate in a model: ``mesh`` its element, ``places`` (nu + 1, nv + 1, 3) of its nodes as drawn, u and v along its
    two families of lines; ``thickness``;
    ``E``: of its material; ``mass``: of an area.

    Joints, forces, markers and contacts continue its points (`node`, `at`, `nearest`, `edge`) as on parts: x of a point
    lies along the first family of lines, z across the plate (of thick ones along their directors).
    """

    model: Any = field(repr=False)
    mesh: AbsoluteMesh
    places: np.ndarray
    thickness: float
    E: float
    mass: float
    sides: tuple[float, float]
    _known: dict = field(default_factory=dict, repr=False, compare=False)

    @property
    def elements(self) -> tuple[int, int]:
        """How many along u and along v."""
        return self.places.shape[0] - 1, self.places.shape[1] - 1

    def node(self, i: int, j: int) -> MeshPoint:
        """The point at the node i along u, j along v, from zero; negative ones from the end.  Raises `ModelError` where
        there is none."""
        nu, nv = self.places.shape[:2]
        if not (_whole(i) and _whole(j) and -nu <= i < nu and -nv <= j < nv):
            raise self.mesh.error(
                f"there is no node ({shown(i)}, {shown(j)}) of it; give whole numbers below {nu} and {nv}"
            )
        return self._point((i % nu) / (nu - 1), (j % nv) / (nv - 1))

    def at(self, u: float, v: float) -> MeshPoint:
        """The point at shares u and v, from 0 to 1, along both families of lines.  Raises `ModelError` for one
        outside."""
        if not (is_number(u) and is_number(v) and 0.0 <= u <= 1.0 and 0.0 <= v <= 1.0):
            raise self.mesh.error(f"there is no point of it at ({shown(u)}, {shown(v)}); give shares from 0 to 1")
        return self._point(float(u), float(v))

    def nearest(self, point: Any) -> MeshPoint:
        """The point at the node nearest to a position in ground, as drawn."""
        k = int(((self.places - direction(point, "the position", self.mesh.label)) ** 2).sum(2).argmin())
        return self.node(*divmod(k, self.places.shape[1]))

    def edge(self, name: str) -> list[Any]:
        """Points at the nodes of an edge: "u0", "u1" (where u is 0, 1), "v0" or "v1".  Raises `ModelError` for another
        keyword."""
        if name not in EDGES:
            raise self.mesh.error(f"its edge {shown(name)} is not one of {', '.join(EDGES)}")
        along, k = EDGES[name]
        count = self.places.shape[1 - along]
        return [self.node(k, j) if along == 0 else self.node(j, k) for j in range(count)]

    def clamp(self, points: Any, body: Any = None) -> list[Any]:
        """Joints (FIXED) that hold positions and attitudes of ``points``, the name of an edge or points of nodes, on a
        body, by default ground.  Returns them.

        Of conforming plates the twist r_xy there is held as well, without which an edge would bend between its nodes.
        Raises `ModelError` for a curved conforming plate on a body that moves, whose twist would have to turn with it.
        """
        held = self.edge(points) if isinstance(points, str) else list(points)
        ground = self.model.ground
        body = ground if body is None else body
        if not held:
            raise self.mesh.error("no points of it are given to clamp; give the name of an edge, or points")
        conforming = self.mesh.element == "conforming_plate"
        inside = next((p for p in held if conforming and len({k // 4 for k in p.vectors}) > 1), None)
        if inside is not None:
            raise self.mesh.error(
                f"{inside.name} lies between its nodes, which have the twist that a clamp holds; give points of nodes "
                "(node, edge)"
            )
        on = getattr(body, "KIND", ""), getattr(body, "id", 0)
        held = [
            p for p in held if self._known.get(("clamped", p.id, on)) not in self.model.joints.values()
        ]  # corners of two edges are held once
        out = []
        for p in held:
            out.append(self.model.fixed(p, body, at=tuple(p.frame_in(self.model).origin)))
            self._known["clamped", p.id, on] = out[-1]
        for p in held if conforming else ():
            twist = 4 * (min(p.vectors) // 4) + 3
            at = self.mesh.vectors().reshape(-1, 3)[twist]
            if body is not ground and np.abs(at).max() > TOGETHER * self.mesh.unit:
                raise self.mesh.error(
                    "it is curved where it is clamped to a body that moves; take formulation='thick' or 'thin', or "
                    "clamp it to ground"
                )
            # a point whose position is the twist: held like a position
            numbers = twist - 2, twist
            known = self.model.add(
                MeshPoint(
                    name=f"{p.name}.twist", mesh=self.mesh.id, vectors=numbers, place=(0.0, 1.0), slope=(1.0, 0.0)
                )
            )
            self.model.spherical(known, ground, at=tuple(map(float, at)))
        return out

    def load(
        self, fx: Any = "0", fy: Any = "0", fz: Any = "0", *, following: bool = False, name: str = ""
    ) -> list[Any]:
        """A force per area as drawn over the whole plate: numbers or expressions, force / length^2, in ground axes, or
        ``following`` in those of its points, of which z is across the plate (a pressure).

        It acts at four Gauss points of each element.  Returns the forces (VFORCE).  Raises `ModelError` for what is not
        an expression.
        """
        nu, nv = self.elements
        shares = []
        for i in range(nu):
            for j in range(nv):
                area = 0.25 * self._area(i, j)
                shares += [(area, self._point((i + x) / nu, (j + y) / nv)) for x in GAUSS for y in GAUSS]
        return gauss_forces(self.model, self.mesh, shares, (fx, fy, fz), following, name)

    def surface(self, shape: str = "box", *, points: int = 1, **look: Any) -> tuple[Any, ...]:
        """Shapes all over it, made when they are first requested: a "box" of the size of an element on the middle of
        each, or a "sphere" of half its thickness on so many ``points`` by ``points`` places of each.  ``look``:
        ``color``, ``group`` of shapes."""
        if shape not in SHAPES:
            raise self.mesh.error(f"shape {shown(shape)} of its surface is neither of {', '.join(SHAPES)}")
        refuse_late_change(self.model, "its surface", self.mesh)
        if not (_whole(points) and points >= 1):
            raise self.mesh.error(
                f"points of an element that touch are {shown(points)}; give a whole number, 1 or more"
            )
        key = "surface", shape, int(points)
        if key not in self._known:
            look = {"group": f"{self.mesh.name} surface", **look}
            nu, nv = (points * k for k in self.elements)
            out = []
            for i in range(nu):
                for j in range(nv):
                    point = self._point((i + 0.5) / nu, (j + 0.5) / nv)
                    frame = self.model.body_frame(point)
                    at, label = tuple(frame.origin), f"{self.mesh.name}.{i + 1}.{j + 1}"
                    if shape == "sphere":
                        out.append(self.model.sphere(point, at, 0.5 * self.thickness, name=label, **look))
                    else:
                        corner = [
                            self.places[i // points + a, j // points + b] for a, b in ((0, 0), (1, 0), (0, 1), (1, 1))
                        ]
                        x, y = (
                            (corner[1] + corner[3] - corner[0] - corner[2]) / 2,
                            (corner[2] + corner[3] - corner[0] - corner[1]) / 2,
                        )
                        z = frame.axes[:, 2]
                        size = (
                            float(np.linalg.norm(x)) / points,
                            float(np.linalg.norm(y - (y @ x) / (x @ x) * x)) / points,
                            self.thickness,
                        )
                        out.append(
                            self.model.box(point, at, size, x=tuple(x - (x @ z) * z), z=tuple(z), name=label, **look)
                        )
            self._known[key] = tuple(out)
        return self._known[key]

    def touch(
        self,
        other: Any,
        law: str = "",
        *,
        shape: str = "box",
        points: int | None = None,
        mu: Any = None,
        friction: str = "",
        name: str = "",
        **more: Any,
    ) -> Contact:
        """A CONTACT of its surface with ``other``: shapes, bodies or names as `Model.contact` takes them, another
        plate, cable, beam or rod.

        ``shape``, ``points``: of the `surface`, by default so many balls that the other shape does not pass between
        them; ``mu``: one coefficient of friction, or static and dynamic; ``friction``: its model, by default BRISTLE,
        which sticks.  Unless given, ``stiffness`` is E times the thickness, with half of the critical damping of what a
        shape carries.  All other keywords are those of `Model.contact`.  Returns the contact.

            sheet.touch(ball, mu=0.2)
        """
        if other is self:
            raise self.mesh.error(
                "it cannot touch itself, since neighbours on its surface overlap; let shapes on points of it touch "
                "(Model.contact)"
            )
        if isinstance(other, AncfPlate):
            other = other.surface(shape, points=1 if points is None else points)
        elif hasattr(other, "surface"):
            other = other.surface()
        if shape == "sphere":
            points = self._between(other, points)
        points = 1 if points is None else points
        own = self.surface(shape, points=points)
        hardness = self.E * self.thickness
        light = self.mass * self.model.units.mass_factor * self.sides[0] * self.sides[1] / points**2
        more = settled(self.mesh.name, hardness, light, self.thickness, law, mu, friction, more)
        return self.model.contact(own, other, law, name or f"{self.mesh.name} touch", mu=mu, **more)

    def _between(self, other: Any, points: int | None) -> int | None:
        """How many balls along each side of an element, by default so many that ``other`` does not pass between four of
        them; warns where it does."""
        solids = [shape_of(self.model, g) for g in self.model.shapes_of(other)]
        across = float(np.hypot(*self.sides))
        least = min((max(half_width(s), 0.5 * self.thickness) for s in solids), default=math.inf) + 0.5 * self.thickness
        if points is None:
            points = max(1, min(MOST_PIECES, math.ceil(across / least - 1e-9)))
        if _whole(points) and points >= 1 and FITS * across / points > 2.0 * least:
            self.model.warn(
                f"{self.mesh.label}: the balls of its surface leave gaps of {across / points - self.thickness:.4g}, "
                "which a shape that it touches fits through; "
                "take shape='box', or more points"
            )
        return points

    @property
    def longest_step(self) -> float:
        """Up to which central differences (VELOCITY_VERLET) are stable, as it is drawn and without what touches or
        holds it, time."""
        return longest_step(self.model, self.mesh)

    def _area(self, i: int, j: int) -> float:
        a, b, c, d = (self.places[i + k, j + l] for k, l in ((0, 0), (1, 0), (1, 1), (0, 1)))
        return 0.5 * float(np.linalg.norm(np.cross(c - a, d - b)))

    def _point(self, u: float, v: float) -> MeshPoint:
        nu, nv = self.elements
        place = []
        for share, n in ((u, nu), (v, nv)):
            x = share * n
            x = round(x) if abs(x - round(x)) < TOGETHER * n else x
            k = min(int(x), n - 1)
            place.append((k, x - k))
        (i, x), (j, y) = place
        n = nv + 1
        nodes = i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1
        count = len(thin_plate.PROPERTIES)
        e = i * nv + j
        name = f"{self.mesh.name}.{i + x + 1:.9g}.{j + y + 1:.9g}"
        return point_of(
            self.model,
            self.mesh,
            nodes,
            self.mesh.properties[count * e : count * (e + 1)],
            (float(x), float(y)),
            self._known,
            name,
        )


@with_parameters("thickness", "E", "nu", "density", "damping")
def ancf_plate(
    model: Any,
    points: Any,
    thickness: float,
    *,
    E: float | None = None,
    nu: float = 0.3,
    density: float | None = None,
    material: Any = None,
    elements: tuple[int, int] = (4, 4),
    formulation: str = "conforming",
    damping: float = 0.0,
    velocity: Any = (0.0, 0.0, 0.0),
    spin: Any = (0.0, 0.0, 0.0),
    lumped: bool = False,
    name: str = "plate",
) -> AncfPlate:
    """Add a plate or shell in absolute nodal coordinates (ANCF) to a model: large membrane, bending and, for thick
    plates, shear deformation.

    ``points``: its middle surface in ground as drawn, which is unloaded: four corners (4, 3) round it, or a grid (k, l,
    3) of positions, at least three along each side, through which a smooth surface is fitted. ``thickness``, length;
    ``E``, ``nu``, ``density`` (mass/length^3) and ``damping`` (Kelvin-Voigt, time), or a ``material`` (Linear).
    ``elements``: number along the first and the second family of lines; ``formulation``: "conforming" (bicubic, without
    shear, far more accurate for its size), "thin", "thick" (with shear). ``velocity``, ``spin`` (3,): initial velocity
    and angular velocity of a rigid motion about its first node; ``lumped``: diagonal mass matrix, for explicit
    integration (`AncfPlate.longest_step`).

    Raises `ModelError` for points that do not form a surface, elements that are inverted, and numbers that are not
    positive.

        sheet = hn.flexible.ancf_plate(model, [(0, 0, 0), (1, 0, 0), (1, 0.5, 0), (0, 0.5, 0)], 0.002, E=2.1e11,
            density=7850.0, elements=(8, 4))
        sheet.clamp("u0")
    """
    if formulation not in FORMULATIONS:
        raise ModelError(f"formulation of {WHAT} is {shown(formulation)}; choose one of {', '.join(FORMULATIONS)}")
    kind = FORMULATIONS[formulation]
    try:
        counts = tuple(elements)
    except TypeError:
        counts = ()
    if len(counts) != 2 or not all(_whole(n) and n >= 1 for n in counts) or counts[0] * counts[1] > MOST:
        raise ModelError(
            f"elements of {WHAT} are {shown(elements)}; give two whole numbers, at most {MOST} elements in all"
        )
    material = material_of(WHAT, material, (Linear,), E, nu, density, damping)
    n, m = (int(k) for k in counts)
    r, ru, rv, ruv = _surface(points, n, m)
    # x and y grow by one length each over all elements, so that neighbours have the same gradients
    a = float(np.linalg.norm(np.diff(r, axis=0), axis=2).mean())
    b = float(np.linalg.norm(np.diff(r, axis=1), axis=2).mean())
    if not min(a, b) > 0.0:
        raise ModelError(f"{WHAT} has a side without length; give positions apart")
    unit = math.sqrt(a * b)
    x, y = ru / (n * a), rv / (m * b)
    vectors = [r, unit * x, unit * y]
    if kind is conforming_plate:
        vectors.append(unit**2 * ruv / (n * a * m * b))
    elif kind is thick_plate:
        normal = np.cross(x, y)
        size = np.linalg.norm(normal, axis=2, keepdims=True)
        if not size.min() > TOGETHER:
            raise ModelError(f"{WHAT} has a node at which its lines are parallel; give points of a surface")
        vectors.append(unit * normal / size)
    v, w = direction(velocity, "velocity", WHAT), direction(spin, "spin", WHAT)
    rates = np.stack([v + np.cross(w, r - r[0, 0]), *(np.cross(w, g) for g in vectors[1:])], axis=2)
    properties = kind.properties(thickness, material, a=a, b=b)
    if not material.density > 0.0:
        raise ModelError(f"density of {WHAT} is {material.density:g}; give a positive number")
    q = np.stack(vectors, axis=2).reshape((n + 1) * (m + 1), kind.PER_NODE)
    node = lambda i, j: i * (m + 1) + j
    cells = np.array(
        [[node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)] for i in range(n) for j in range(m)]
    )
    kind.rows(q[cells].reshape(len(cells), -1), properties, unit)  # gives what is inverted
    mesh = model.add(
        AbsoluteMesh(
            name=name,
            element=kind.__name__.rsplit(".", 1)[-1],
            width=kind.PER_NODE,
            places=flat(q),
            rates=flat(rates) if rates.any() else (),
            cells=tuple(map(int, cells.ravel())),
            properties=flat(np.tile(properties, (len(cells), 1))),
            unit=float(unit),
            lumped=bool(lumped),
        )
    )
    out = AncfPlate(model, mesh, r, float(thickness), material.E, material.density * float(thickness), (a, b))
    _ = out.node(0, 0)
    return out


def _whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _surface(points: Any, n: int, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Positions (n + 1, m + 1, 3) and their derivatives by the shares u, v, and by both."""
    try:
        at = np.array(points, float)
    except (TypeError, ValueError):
        at = np.zeros(0)
    grid = at.ndim == 3 and at.shape[2] == 3 and min(at.shape[:2]) >= 3
    if not (grid or at.shape == (4, 3)) or not np.all(np.isfinite(at)):
        raise ModelError(
            f"points of {WHAT} are {shown(points)}; give four corners (4, 3), or a grid of positions (k, l, 3), from "
            "three on along each side"
        )
    u, v = np.linspace(0.0, 1.0, n + 1), np.linspace(0.0, 1.0, m + 1)
    if not grid:
        p, q, r, s = at  # bilinear
        U, V = u[:, None, None], v[None, :, None]
        zero = np.zeros((n + 1, m + 1, 1))
        return (
            (1 - U) * (1 - V) * p + U * (1 - V) * q + U * V * r + (1 - U) * V * s,
            (1 - V) * (q - p) + V * (r - s) + zero,
            (1 - U) * (s - p) + U * (r - q) + zero,
            p - q + r - s + zero,
        )
    from scipy.interpolate import CubicSpline

    k, l = at.shape[:2]
    end = lambda count: "natural" if count == 3 else "not-a-knot"
    over_u = CubicSpline(np.linspace(0.0, 1.0, k), at, bc_type=end(k))
    over_v = [CubicSpline(np.linspace(0.0, 1.0, l), over_u(u, d), axis=1, bc_type=end(l)) for d in (0, 1)]
    return over_v[0](v), over_v[1](v), over_v[0](v, 1), over_v[1](v, 1)
