"""Bodies and markers, and how builder methods find them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..absolute import MeshPoint
from ..base import Element, ModelError, shown
from ..bodies import EXACT, Marker, Part, PointMass, SlidingMass
from ..flexible import Attachment
from ..implausible import in_degrees
from ..mass_properties import mass_of_body
from ..orientation import Frame, to_euler313
from ..parameters import refuse_late_change
from ..values import angles_of, axes_of, formula, listed, number, orthonormal, vector, without_residue, word_of
from .teaching import teach

LIGHTEST, HEAVIEST = 8.0, 30000.0  # kg/m^3: the lightest foams have 10, osmium 22,590


@teach
class Bodies:
    """Parts, point masses, markers."""

    if TYPE_CHECKING:  # what Model provides
        units: Any
        warn: Any

        def add(self, element: Any) -> Any: ...
        def find(self, kind: str, reference: Any) -> Any: ...
        def table(self, kind: str) -> dict[int, Any]: ...
        def register(self, name: str, function: Callable) -> None: ...
        def body_of(self, marker: Any) -> Any: ...
        def body_frame(self, body: Any) -> Any: ...
        def _attached(self, body: Any, at: Any) -> Any: ...

    def part(
        self,
        name: str = "",
        mass: float | None = None,
        inertia=None,
        position=None,
        *,
        euler=None,
        axes=None,
        velocity=None,
        angular_velocity=None,
        exact=(),
        assembly_weight=1.0,
        shape=None,
        density: float | None = None,
        id: int = 0,
    ) -> Part:
        """Rigid body. The origin of its axes is its centre of mass, where it has a marker, ``part.cm``.

        Mass and inertia are either given or computed from shapes and a density.

        ``mass``: model units.  ``inertia``: (Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) or a 3x3 tensor about the
        centre of mass in body axes, mass * length^2; products of inertia are the integrals of xy, xz, yz, as in Adams
        (the off-diagonal entries of a tensor have the opposite sign).
        ``position``: centre of mass in ground.  ``euler`` (body 3-1-3 angles, radians) or ``axes`` (3x3, columns are
        body axes in ground).

        ``shape`` with ``density`` (mass / length^3): one of `holonom.shapes`, a mesh (a file, (vertices, triangles), an
        object with ``vertices`` and ``faces``), or a list of these, placed in ground. They are drawn and can be in
        contact; mass, centre of mass and inertia are those of the solid. ``position`` then places the origin of the
        body axes, and the centre of mass remains that of the shape.

        ``velocity``: of the centre of mass in ground; ``angular_velocity``: radians per time, in body axes; components
        that are not given are determined by assembly. ``exact``: coordinates of X Y Z PSI THETA PHI that assembly must
        not change; ``assembly_weight``: weight of changes of the others in assembly, relative to other bodies (1): one
        number, or four for X, Y, Z and the attitude.

        Raises `ModelError` for arrays of the wrong size, negative mass or inertia, axes that are not a rotation, and
        shapes without volume.

            rod = model.part("rod", mass=1.5, inertia=(0.001, 0.015, 0.015), position=(0.3, 0, 0))
            bar = model.part("bar", shape=hn.shapes.box((0, 0, 0), (1.0, 0.1, 0.1)), density=7850.0)
        """
        if shape is None and density is not None:
            raise ModelError("density requires a shape; give shape=, or mass and inertia")
        if shape is not None and (mass is not None or inertia is not None):
            raise ModelError(
                "mass and inertia follow from shape and density; leave them out, or draw the shape with a method of "
                "its own"
            )
        rho = None if density is None else number(density, "density")
        if shape is not None and rho is None:
            raise ModelError("a shape needs a density (mass / length^3), from which the mass follows; give density=")
        part = Part(
            id=id,
            name=name,
            mass=None if mass is None else number(mass, "mass"),
            qg=(0.0, 0.0, 0.0) if position is None else vector(position, "position"),
            reuler=angles_of(euler=euler, axes=axes, warn=lambda text: self.warn(f"part '{name}': {text}")),
            exact=tuple(word_of(c, "coordinate in exact", EXACT) for c in listed(exact, "exact", "coordinates")),
            assembly_weight=_assembly_weight(assembly_weight, 4),
        )
        if part.mass is not None and part.mass < 0.0:
            raise ModelError(f"mass is {part.mass:g}; give a positive number")
        if inertia is not None:
            part.ip = _inertia(inertia)
        if velocity is not None:
            part.vx, part.vy, part.vz = vector(velocity, "velocity")
        if angular_velocity is not None:
            part.wx, part.wy, part.wz = vector(angular_velocity, "angular_velocity")
        self.add(part)
        part.cm = self.add(Marker(name=f"{part.name}.cm", part=part.id)).id
        if shape is not None and rho is not None:
            for one in shape if isinstance(shape, list) else [shape]:
                self._drawn(part, one)
            self.mass_from_shapes(part, rho)
            if position is None:
                self._centre(part)
                self.mass_from_shapes(
                    part, rho
                )  # anew about the centre: far from it the moments are differences of large numbers
                self._centre(part)
                self.find("MARKER", part.cm).qp = (0.0, 0.0, 0.0)
        return part

    def _radians(self, element: Any, name: str, value: float | None) -> None:
        """Warn where an angle that is given as one number seems to be in degrees."""
        text = in_degrees(name, value) if value is not None else ""
        if text:
            self.warn(f"{element.label}: {text}")

    def _drawn(self, part: Part, shape: Any) -> None:
        draw = getattr(shape, "draw", None)
        if draw is not None:
            draw(self, part)
        elif (
            isinstance(shape, (str, tuple))
            or hasattr(shape, "__fspath__")
            or (hasattr(shape, "vertices") and hasattr(shape, "faces"))
        ):
            self.mesh(part, shape)  # type: ignore[attr-defined]
        else:
            raise ModelError(f"shape is {shown(shape)}; give one of holonom.shapes, a mesh, or a list of these")

    def _centre(self, part: Part) -> None:
        """Move the body axes of a part into its centre of mass; nothing that is drawn on it moves in ground."""
        cm = self.find("MARKER", part.cm)
        shift = np.asarray(cm.qp)
        part.qg = vector(np.asarray(part.qg) + part.frame.axes @ shift)
        for marker in self.table("MARKER").values():
            if marker.body_kind == "PART" and marker.part == part.id and not marker.floating:
                marker.qp = vector(np.asarray(marker.qp) - shift)

    def mass_from_shapes(self, part, density: float) -> Part:
        """Mass, centre of mass and inertia of a part from its solid shapes and one ``density`` (mass /
        length^3, model units).

            m = rho V,   r_cm = (1/V) int r dV,   J = rho int (r^2 1 - r r^T) dV   about r_cm

        The marker ``part.cm`` moves to the centre of mass; the body axes do not change. Where shapes overlap, material
        is counted twice, as in Adams View. Raises `ModelError` for a part without shapes, for shapes without a defined
        volume (half-spaces, hollow shapes, open meshes), and for a density that is not positive.

            model.cylinder(shaft, (0, 0, 0), (0, 0, 1), 0.02)
            model.mass_from_shapes(shaft, 7850.0)
        """
        part = self.find("PART", part)
        if part.ground:
            raise part.error("it is the ground, which has no mass; name a part that moves")
        rho = number(density, "density")
        if not rho > 0.0:
            raise part.error(f"the density is {rho:g}; give a positive one, mass / length^3 in units of the model")
        found = mass_of_body(self, part, rho)  # type: ignore[arg-type]
        if found is None:
            raise part.error(
                "it carries no solid shape from which mass follows; draw one, as model.box(part, at, size)"
            )
        refuse_late_change(self, "mass_from_shapes", part, self.shapes_of(part))  # type: ignore[attr-defined]
        cm = (
            self.find("MARKER", part.cm)
            if part.cm is not None
            else self.add(Marker(name=f"{part.name}.cm", part=part.id))
        )
        part.cm, part.im, part.mass = cm.id, None, found.mass
        size = float(np.linalg.norm(found.centre) + np.sqrt(np.trace(found.inertia) / found.mass))
        cm.qp, cm.reuler, cm.zp, cm.xp = without_residue(found.centre, size), None, None, None
        part.ip = found.about(np.eye(3))
        self._strange_density(part, rho)
        return part

    def _strange_density(self, part: Part, rho: float) -> None:
        """A warning where a density has the number of other units than the model's."""
        units = self.units  # type: ignore[attr-defined]
        kilogram = units.si_length**3 / units.si_mass  # per cubic metre, in units of the model
        if not LIGHTEST < rho / kilogram < HEAVIEST:
            unit = f"{units.symbol('mass')}/{units.symbol('length')}^3"
            also = "" if kilogram == 1.0 else f" ({rho / kilogram:.3g} kg/m^3)"
            text = (
                f"{part.label}: the density {rho:g} {unit}{also} is that of no solid; "
                f"steel has {7850.0 * kilogram:.4g} {unit}"
            )
            self.warn(text)  # type: ignore[attr-defined]

    def point_mass(
        self,
        name: str = "",
        mass: float = 1.0,
        position=(0.0, 0.0, 0.0),
        *,
        velocity=None,
        exact=(),
        assembly_weight=1.0,
        id: int = 0,
    ) -> PointMass:
        """Mass with three coordinates and no rotation:  m a = F.

        ``mass``: model units; ``position``, ``velocity``: in ground, length and length / time. ``exact``: coordinates
        of X Y Z that assembly must not change; ``assembly_weight``: weight of changes of the others in assembly, one
        number or three. Raises `ModelError` for a mass or a weight that is not positive.

            ball = model.point_mass("ball", 0.2, (0, 0, 1.0))
        """
        body = PointMass(
            id=id,
            name=name,
            mass=number(mass, "mass"),
            qg=vector(position, "position"),
            exact=tuple(word_of(c, "coordinate in exact", EXACT[:3]) for c in listed(exact, "exact", "coordinates")),
            assembly_weight=_assembly_weight(assembly_weight, 3),
        )
        if not body.mass or not body.mass > 0.0:
            raise ModelError(f"mass is {body.mass:g}; give a positive number")
        if velocity is not None:
            body.vx, body.vy, body.vz = vector(velocity, "velocity")
        self.add(body)
        body.cm = self.add(Marker(name=f"{body.name}.cm", part=body.id, body_kind="POINT_MASS")).id
        return body

    def sliding_mass(
        self,
        part,
        at=(0.0, 0.0, 0.0),
        z=(0.0, 0.0, 1.0),
        *,
        mass: float,
        stiffness: float = 0.0,
        damping: float = 0.0,
        length: float = 0.0,
        travel: float = 0.0,
        speed: float = 0.0,
        name: str = "",
        id: int = 0,
    ) -> SlidingMass:
        """Mass that slides along a line fixed to a part, with one coordinate s: m (x'' . z) = m g . z - stiffness (s -
        length) - damping s'.

        The line goes through ``at`` along ``z``, both in ground at the design position; s is the travel from ``at``.
        ``length``: s at which the spring is unloaded; ``travel``, ``speed``: initial s and s'. Its weight and inertia
        forces act on the part; s and s' are available as states (``run.state("SLIDING_MASS_1")``). Raises `ModelError`
        for a mass that is not positive, for a negative stiffness or damping and for ground.

            sloshing = model.sliding_mass(tank, (0, 0, 0.4), (1, 0, 0), mass=120.0, stiffness=900.0, damping=15.0)
        """
        body = self._body(part)
        if body.KIND != "PART" or body.ground:
            raise body.error("a mass slides in a part that moves; give one, or use model.point_mass and a joint")
        element = SlidingMass(
            id=id,
            name=name,
            mass=number(mass, "mass"),
            stiffness=number(stiffness, "stiffness"),
            damping=number(damping, "damping"),
            length=number(length, "length"),
            travel=number(travel, "travel"),
            speed=number(speed, "speed"),
        )
        if not element.mass or not element.mass > 0.0:
            raise ModelError(f"mass is {element.mass:g}; give a positive number")
        for what in ("stiffness", "damping"):
            if getattr(element, what) < 0.0:
                raise ModelError(f"{what} is {getattr(element, what):g}; give zero or a positive number")
        axes = axes_of(vector(z, "z"), None)
        self.add(element)
        element.marker = self._put(body, vector(at, "at"), axes, f"{element.name}.line").id
        return element

    def marker(
        self, body, at=(0.0, 0.0, 0.0), *, z=None, x=None, euler=None, axes=None, name: str = "", id: int = 0
    ) -> Marker:
        """Marker on a body, position (length) and directions in the *body's* axes (`marker_at`: in ground). On a
        flexible part it is attached to the nearest node.

        Directions: ``z`` and ``x``, or ``euler`` (3-1-3, radians), or ``axes`` (3x3, columns). Raises `ModelError` for
        a body that is not in the model and for zero or parallel directions.

            tip = model.marker(rod, (0.5, 0, 0), z=(0, 1, 0))
        """
        body = self._body(body)
        origin = vector(at, "at")
        angles = angles_of(z, x, euler, axes, lambda text: self.warn(f"marker '{name}' on {body.label}: {text}"))
        node = self._attached(body, origin)
        if node is not body:  # whose axes are those of the part
            origin = tuple(
                (np.asarray(origin) - body.frame.axes.T @ (self.body_frame(node).origin - body.frame.origin)).tolist()
            )
        return self.add(Marker(id=id, name=name, part=node.id, body_kind=node.KIND, qp=origin, reuler=angles))

    def marker_at(self, body, at, *, z=None, x=None, axes=None, name: str = "", id: int = 0) -> Marker:
        """Marker on a body, position (length) and directions in *ground* at the design position.

        Raises `ModelError` as `marker` does.

            eye = model.marker_at(rod, (0.5, 0, 0), z=(0, 0, 1))
        """
        return self._put(
            self._body(body), vector(at, "at"), orthonormal(axes) if axes is not None else axes_of(z, x), name, id
        )

    def floating_marker(self, body, name: str = "", id: int = 0) -> Marker:
        """Marker without a fixed position: the force or curve constraint that references it (JFLOAT in Adams) moves it.

        Forces create the floating marker themselves when a body is given. No dimensioned arguments. Raises `ModelError`
        for an unknown body.
        """
        body = self._body(body)
        return self.add(Marker(id=id, name=name, part=body.id, body_kind=body.KIND, floating=True))

    def _put(self, body: Any, at: Any, axes: np.ndarray, name: str = "", id: int = 0) -> Marker:
        """Marker at a point with axes (3, 3), both in ground, that are known to be good."""
        frame = self.body_frame(body)
        origin = frame.axes.T @ (np.asarray(at) - frame.origin)
        node = self._attached(body, origin)
        if node is not body:
            body, frame = node, self.body_frame(node)
            origin = frame.axes.T @ (np.asarray(at) - frame.origin)
        return self.add(
            Marker(
                id=id,
                name=name,
                part=body.id,
                body_kind=body.KIND,
                qp=tuple(origin.tolist()),
                reuler=to_euler313(frame.axes.T @ axes),
            )
        )

    # ---- what a reference means ------------------------------------------------------------------------------------
    def _body(self, reference):
        if isinstance(reference, Marker):
            raise reference.error("a body is required here; give a part, or leave at= out to use markers")
        if isinstance(reference, (PointMass, SlidingMass, Attachment, MeshPoint)):
            return self.find(reference.KIND, reference)
        try:
            return self.find("PART", reference)
        except ModelError:
            if isinstance(reference, (str, int, np.integer)) and self.table("POINT_MASS"):
                try:
                    return self.find("POINT_MASS", reference)
                except ModelError:  # what is reported is the part, which is meant more often
                    pass
            raise

    def _marker(self, reference) -> int:
        if isinstance(reference, (Part, PointMass, SlidingMass, Attachment, MeshPoint)):
            raise reference.error(
                "a marker is required here, got a body; give a marker, as model.marker_at(body, point), or body.cm"
            )
        try:
            return self.find("MARKER", reference).id
        except ModelError as error:
            if isinstance(reference, str) and any(
                p.name.lower() == reference.strip().lower() for p in self.table("PART").values()
            ):
                raise ModelError(
                    f"{error}, but there is a PART of this name; give at= (a point in ground) with bodies, or a marker"
                ) from None
            raise

    def _place(self, marker: Any) -> Frame:
        """Place of a marker in ground at the design position."""
        marker = self.find("MARKER", marker)
        if marker.floating:
            raise marker.error("it is a floating marker, which has no position of its own; give another one")
        return self.body_frame(marker) @ marker.frame

    def _pair(self, i, j, at, axis, x) -> tuple[int, int]:
        """Ids of two markers: those given, or new ones on two bodies at a point (or where one given marker lies)."""
        bodies = [isinstance(e, (Part, PointMass, SlidingMass, Attachment, MeshPoint)) for e in (i, j)]
        if i is j and isinstance(i, Element):
            raise ModelError(f"i and j are both {i.label}; give two bodies, or markers on them")
        if at is not None:
            point, axes = vector(at, "at"), axes_of(axis, x, ("axis", "x"))
            return self._put(self._body(i), point, axes).id, self._put(self._body(j), point, axes).id
        if axis is not None or x is not None:
            raise ModelError(
                f"{'axis' if axis is not None else 'x'} requires at=, a point; markers have their own axes"
            )
        if all(bodies):
            raise ModelError(
                f"where {i.label} and {j.label} meet is missing; give at= (a point in ground) and axis=, or two markers"
            )
        if bodies[0] and isinstance(j, (Element, str, int)):
            place = self._place(j)
            i = self._put(i, place.origin, place.axes)
        elif bodies[1]:
            place = self._place(i)
            j = self._put(j, place.origin, place.axes)
        return self._marker(i), self._marker(j)

    # ---- functions -------------------------------------------------------------------------------------------------
    def _routine(self, element, routine) -> str:
        if callable(routine):
            key = f"{element.KIND.lower()}_{element.id}"
            self.register(key, routine)
            return key
        if not isinstance(routine, str):
            raise element.error(
                f"its routine is {shown(routine)}; give a Python function, or the name of a registered one"
            )
        return routine

    def _function(self, element, function):
        """Give an element that was added its function: an expression, a number, or a Python function."""
        if callable(function):
            element.routine = self._routine(element, function)
            element.function = "USER()"
        else:
            element.function = function
        return element


def expression(function: Any, what: str = "function") -> Any:
    """The function of an element before the element is created: Python functions unchanged, everything else as text."""
    return function if callable(function) else formula(function, what)


def _assembly_weight(value: Any, count: int) -> tuple[float, ...]:
    """One weight for all coordinates, or ``count`` of them; nothing where all are 1."""
    if np.ndim(value) == 0:
        weights = (number(value, "assembly_weight"),) * count
    else:
        weights = tuple(number(w, "assembly_weight") for w in value)
    if len(weights) != count or not all(w > 0.0 for w in weights):
        raise ModelError(
            f"assembly_weight is {shown(value)}; give one positive number, or {count}: of X, Y, Z"
            + (" and the attitude" if count == 4 else "")
        )
    return () if weights == (1.0,) * count else weights


def _inertia(value: Any) -> tuple[float, ...]:
    try:
        a = np.asarray(value, float)
    except (TypeError, ValueError):
        a = np.zeros(0)
    if a.shape not in ((3,), (6,), (3, 3)):
        raise ModelError(f"inertia must be 3 or 6 numbers or a 3x3 tensor, it is {shown(value)}")
    if not np.isfinite(a).all():
        raise ModelError(f"inertia is {shown(value)}; give finite numbers")
    if a.shape == (3, 3):
        off = float(np.abs(a - a.T).max())
        if off > 1e-9 * float(np.abs(a).max()):
            raise ModelError(f"inertia is a tensor that is not symmetric (off by {off:.3g}); correct it")
        a = np.array([a[0, 0], a[1, 1], a[2, 2], -a[0, 1], -a[0, 2], -a[1, 2]])
    if (a[:3] < 0.0).any():
        raise ModelError(f"inertia has a negative moment: {shown(tuple(a[:3].tolist()))}; give positive ones")
    return tuple(a.tolist())
