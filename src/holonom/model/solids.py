"""Builder methods of `Model` for shapes that can touch, and for contacts between them.

Points and directions are in ground at the design position, as for joints; every shape is a GRAPHICS element that
reports show.
"""

from __future__ import annotations

import difflib
import fnmatch
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from .base import Element, ModelError, did_you_mean
from .bodies import Marker, Part, PointMass
from .contact_words import LAWS, dimensions
from .forces import COULOMB_FRICTION, Contact
from .grains import Grains
from .implausible import large_mesh
from .kinds import finite, has_text, is_number, is_whole, misfits, shown
from .outputs import Graphic
from .quantity_text import converted
from .shape import PLACES, Profile, Solid, is_shape, marker_id, shape_of
from .shape_kinds import carriers
from .values import axes_of, number, number_tuple, vector, whole

MOST_EACH = 10_000  # contacts that `Solids.contact_each` makes at once
SLOW = 1e-3  # stiction transition velocity in m/s where none is given; ten times that for friction
MESH_OPTIONS = ("scale", "repair", "convex")  # of a mesh that is read
#: what a shape has in addition to its sizes: colour, and names by which `contact` and `substitute` find it
MARKS = ("color", "group", "element")
_OWN = {f.name for f in fields(Contact)} - {"id", "name", "igeom", "jgeom", "igrains", "jgrains", "source"}


def _rows(values, columns: int, what: str) -> tuple[tuple[float, ...], ...]:
    try:
        array = np.asarray(values, float)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be rows of {columns} numbers") from None
    if array.ndim != 2 or array.shape[1] != columns:
        raise ModelError(f"{what} must be rows of {columns} numbers, not an array of shape {array.shape}")
    return tuple(map(tuple, array.tolist()))


def _excluded_pairs(exclude, name: str) -> list[tuple]:
    """Pairs of what ``exclude`` of a contact holds.  Raises `ModelError` for anything but a list of pairs."""
    pairs = list(exclude) if isinstance(exclude, Iterable) and not isinstance(exclude, str) else [exclude]
    if all(isinstance(p, (list, tuple)) and len(p) == 2 for p in pairs):
        return [tuple(pair) for pair in pairs]
    shown = repr(exclude) if len(repr(exclude)) <= 60 else type(exclude).__name__
    raise ModelError(f"contact '{name}': exclude must be a list of pairs of shapes, got {shown}; give exclude=[(a, b)]")


def _one_or(count: int, values, what: str) -> np.ndarray:
    """(count,) numbers, of which one represents all.  Raises ModelError for other counts and what is not a finite
    number."""
    try:
        out = np.asarray(values, float)
        if has_text(values) or out.shape not in ((), (1,), (count,)) or not np.isfinite(out).all():
            raise ValueError
    except (TypeError, ValueError):
        words = {2: "two", 3: "three"}[count]
        raise ModelError(f"{what} must be one finite number or {words}, got {shown(values)}") from None
    return np.broadcast_to(out, (count,))


def _positive(values, what: str, count: int = 0) -> np.ndarray:
    """Sizes of a shape, with a ``count`` so many.  Raises ModelError for those that are not positive."""
    try:
        out = _one_or(count, values, what) if count else np.asarray(values, float)
    except (TypeError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{what} must be numbers, not {shown(values)}") from None
    if not (out > 0.0).all():
        raise ModelError(
            f"{what} must be positive, they are {', '.join(f'{x:g}' for x in out.ravel())}; a shape without volume "
            "cannot touch"
        )
    return out


#: fields of a contact that routines of Adams have, which are not called here
ROUTINES = (
    "function",
    "routine",
    "normal_function",
    "normal_routine",
    "friction_function",
    "friction_routine",
)


class Solids:
    """Mixin of `Model`; ``color``: Adams colour name; ``group``: a name by which `contact` finds shapes;
    ``element``: one by which `substitute` finds them."""

    # provided by Model
    units: Any

    def add(self, element: Any) -> Any: ...
    def find(self, kind: str, reference: Any) -> Any: ...
    def table(self, kind: str) -> Any: ...
    def own(self, element: Any) -> None: ...
    def marker_at(self, body, at, *, z=None, x=None, axes=None, name: str = "", id: int = 0) -> Any: ...

    def _shape(self, type: str, name: str, marks: tuple[str, ...], **arguments: Any) -> Graphic:
        """Add a graphic with its `MARKS`, and read it as a solid at once, so that a bad one is an error where
        it is written."""
        extra = {}
        for key, value in zip(MARKS, marks, strict=True):
            if not isinstance(value, str):
                raise ModelError(f"{key} is {shown(value)}; give a text")
            if value:
                extra[key] = value.upper() if key == "color" else value
        found = Graphic(name=name, type=type, arguments={**arguments, **extra})
        try:
            shape_of(self, found)  # type: ignore[arg-type]
        except ModelError as error:
            what = f"{type} '{name}'" if name else type
            raise ModelError(str(error).replace(found.label, what)) from None
        return self.add(found)

    # ---- solids ---------------------------------------------------------------------------------------------------
    def sphere(
        self,
        body,
        at,
        radius: float,
        inside: bool = False,
        name: str = "",
        *,
        color: str = "",
        group: str = "",
        element: str = "",
    ) -> Graphic:
        """Sphere (an ELLIPSOID graphic, as in Adams), or with ``inside`` a spherical cavity with material outside of
        ``radius``.

        Lengths in model units, ground axes. Raises `ModelError` for sizes that are not positive.
        """
        hollow = {"inside": True} if inside else {}
        d = 2.0 * number(radius, "radius")
        if not d > 0.0:
            raise ModelError(
                f"the radius of a sphere must be positive, it is {radius}; a shape without volume cannot touch"
            )
        return self._shape(
            "ELLIPSOID",
            name,
            (color, group, element),
            cm=self.marker_at(body, at).id,
            xscale=d,
            yscale=d,
            zscale=d,
            **hollow,
        )

    def point(self, body, at, name: str = "", *, color: str = "", group: str = "", element: str = "") -> Graphic:
        """A point that can touch other shapes, such as a corner or the end of a thin rod.

        Length in model units, ground axes. Raises `ModelError` for an unknown body.
        """
        return self._shape("POINT", name, (color, group, element), rm=self.marker_at(body, at).id)

    def plane(
        self,
        body,
        at,
        normal,
        size=None,
        x=None,
        name: str = "",
        *,
        color: str = "",
        group: str = "",
        element: str = "",
    ) -> Graphic:
        """Half-space behind the plane through ``at``, on the side opposite to ``normal``.

        ``size`` (one edge or two, the first along ``x``) bounds it: the solid is then a prism half as deep as the
        longer edge is long, whose edges and sides can be in contact too. Lengths in model units, ground axes. Raises
        `ModelError` for sizes that are not positive and for a zero normal.
        """
        bounds = {}
        if size is not None:
            a, b = _positive(size, "edges of a plane", 2).tolist()
            bounds = {"xmin": -0.5 * a, "xmax": 0.5 * a, "ymin": -0.5 * b, "ymax": 0.5 * b}
        return self._shape(
            "PLANE", name, (color, group, element), rm=self.marker_at(body, at, z=normal, x=x).id, **bounds
        )

    def box(
        self, body, at, size, x=None, z=None, name: str = "", *, color: str = "", group: str = "", element: str = ""
    ) -> Graphic:
        """Box of edges ``size`` centred at ``at``; ``x``, ``z``: directions of its first and third edge.

        Lengths in model units, ground axes. Raises `ModelError` for sizes that are not positive.
        """
        edges = _positive(size, "edges of a box", 3)
        axes = axes_of(z, x)
        corner = self.marker_at(body, np.asarray(vector(at, "at")) - axes @ (0.5 * edges), axes=axes)
        return self._shape("BOX", name, (color, group, element), corner=corner.id, **dict(zip("xyz", edges.tolist())))

    def _along(self, body, a, b) -> tuple[int, float]:
        d = np.subtract(vector(b, "b"), vector(a, "a"))
        if not np.linalg.norm(d) > 0.0:
            raise ModelError("both ends of its axis are the same point; a shape without volume cannot touch")
        return self.marker_at(body, a, z=d).id, float(np.linalg.norm(d))

    def cylinder(
        self,
        body,
        a,
        b,
        radius: float,
        inside: bool = False,
        name: str = "",
        *,
        color: str = "",
        group: str = "",
        element: str = "",
    ) -> Graphic:
        """Cylinder from point a to b; ``inside``: a bore with material outside of ``radius``, open at both ends.

        Lengths in model units, ground axes. Raises `ModelError` for sizes that are not positive and for coincident end
        points.
        """
        cm, length = self._along(body, a, b)
        hollow = {"inside": True} if inside else {}
        return self._shape(
            "CYLINDER",
            name,
            (color, group, element),
            cm=cm,
            length=length,
            radius=number(radius, "radius"),
            **hollow,
        )

    def capsule(
        self, body, a, b, radius: float, name: str = "", *, color: str = "", group: str = "", element: str = ""
    ) -> Graphic:
        """Cylinder of ``radius`` from a to b with hemispherical ends about these points.

        Lengths in model units, ground axes. Raises `ModelError` for sizes that are not positive and for coincident end
        points.
        """
        cm, length = self._along(body, a, b)
        return self._shape(
            "CAPSULE", name, (color, group, element), cm=cm, length=length, radius=number(radius, "radius")
        )

    def cone(
        self,
        body,
        a,
        b,
        radius: float,
        top: float = 0.0,
        name: str = "",
        *,
        color: str = "",
        group: str = "",
        element: str = "",
    ) -> Graphic:
        """Cone with its base of ``radius`` at a and its tip (or a circle of radius ``top``) at b.

        Lengths in model units, ground axes. Raises `ModelError` for sizes that are not positive and for coincident end
        points.
        """
        cm, length = self._along(body, a, b)
        return self._shape(
            "FRUSTUM",
            name,
            (color, group, element),
            cm=cm,
            length=length,
            bottom=number(radius, "radius"),
            top=number(top, "top"),
        )

    def ellipsoid(
        self, body, at, axes, x=None, z=None, name: str = "", *, color: str = "", group: str = "", element: str = ""
    ) -> Graphic:
        """Ellipsoid of semi-axes ``axes`` (three numbers) along x, y, z of a marker with these directions.

        Lengths in model units, ground axes. Raises `ModelError` for sizes that are not positive.
        """
        a, b, c = (2.0 * _positive(axes, "semi-axes of an ellipsoid", 3)).tolist()
        return self._shape(
            "ELLIPSOID",
            name,
            (color, group, element),
            cm=self.marker_at(body, at, z=z, x=x).id,
            xscale=a,
            yscale=b,
            zscale=c,
        )

    def torus(
        self,
        body,
        at,
        axis,
        radius: float,
        tube: float,
        name: str = "",
        *,
        color: str = "",
        group: str = "",
        element: str = "",
    ) -> Graphic:
        """Torus of ``radius`` about ``axis``, with a tube of radius ``tube``.

        Lengths in model units, ground axes. Raises `ModelError` for sizes that are not positive.
        """
        return self._shape(
            "TORUS",
            name,
            (color, group, element),
            cm=self.marker_at(body, at, z=axis).id,
            major=number(radius, "radius"),
            minor=number(tube, "tube"),
        )

    def hull(
        self,
        body,
        points,
        at=(0.0, 0.0, 0.0),
        x=None,
        z=None,
        name: str = "",
        *,
        color: str = "",
        group: str = "",
        element: str = "",
    ) -> Graphic:
        """Convex hull of ``points`` (n, 3), in the axes of a marker at ``at``.

        Lengths in model units. Raises `ModelError` for fewer than four points, and for coplanar points.
        """
        return self._shape(
            "HULL",
            name,
            (color, group, element),
            cm=self.marker_at(body, at, z=z, x=x).id,
            vertices=_rows(points, 3, "points of a hull"),
        )

    def mesh(
        self,
        body,
        mesh,
        at=(0.0, 0.0, 0.0),
        x=None,
        z=None,
        scale=1.0,
        repair: bool = False,
        convex: bool = False,
        name: str = "",
        *,
        color: str = "",
        group: str = "",
        element: str = "",
    ) -> Graphic:
        """Closed triangle mesh in the axes of a marker at ``at``: a file (STL, OBJ, PLY, OFF, glTF), (vertices,
        triangles), or an object with ``vertices`` and ``faces``.

        ``scale``: one number or three; ``repair`` reverses triangles that face inward; ``convex`` uses the convex hull.
        The mesh is stored in the model, so the file is not needed again.

        Lengths in model units, times ``scale``. Raises `ModelError` for files that cannot be read, open meshes and
        triangles that reference missing vertices; warns of a file whose mesh is larger than 20 m where no ``scale`` is
        given.
        """
        arguments = mesh_arguments(mesh, scale, repair, convex)
        if isinstance(mesh, (str, Path)) and np.all(np.asarray(scale) == 1.0):
            large_mesh(self, mesh, np.ptp(np.asarray(arguments["vertices"]), axis=0))  # type: ignore[arg-type]
        return self._shape("MESH", name, (color, group, element), cm=self.marker_at(body, at, z=z, x=x).id, **arguments)

    def plane_curve(
        self,
        body,
        profile,
        at=(0.0, 0.0, 0.0),
        normal=(0.0, 0.0, 1.0),
        x=None,
        closed: bool = True,
        bulge=None,
        order: int = 2,
        width: float = 0.0,
        name: str = "",
        *,
        color: str = "",
        group: str = "",
        element: str = "",
    ) -> Graphic:
        """Curve in a plane through ``at``: ``profile`` is an array of points (n, 2) or the name or id of a CURVE; the
        material is on its left.

        ``bulge``: tan of a quarter of the angle of the arc from each point to the next (0: straight); ``order`` above 2
        makes a B-spline through the points; ``width`` along the normal (0: unbounded).

        Lengths in model units. Raises `ModelError` for profiles that are not rows of two numbers.
        """
        arguments = self._profile(profile, bulge, order) | {"width": number(width, "width")}
        if "profile" in arguments and not closed:
            arguments["closed"] = False
        return self._shape(
            "CURVE", name, (color, group, element), rm=self.marker_at(body, at, z=normal, x=x).id, **arguments
        )

    def extrusion(
        self,
        body,
        profile,
        length: float,
        at=(0.0, 0.0, 0.0),
        axis=(0.0, 0.0, 1.0),
        x=None,
        twist: float = 0.0,
        bulge=None,
        order: int = 2,
        name: str = "",
        *,
        color: str = "",
        group: str = "",
        element: str = "",
    ) -> Graphic:
        """Closed ``profile`` (n, 2) extruded along ``axis`` from ``at``; ``twist``: angle [rad] per length (helical
        gears), by which the profile turns about ``axis``; in the middle of the length it is as given.

        Lengths in model units, ground axes. Raises `ModelError` for sizes that are not positive, open profiles and
        self-intersecting profiles.
        """
        arguments = self._profile(profile, bulge, order) | ({"twist": number(twist, "twist")} if twist else {})
        return self._shape(
            "EXTRUSION",
            name,
            (color, group, element),
            cm=self.marker_at(body, at, z=axis, x=x).id,
            length=number(length, "length"),
            **arguments,
        )

    def revolution(
        self,
        body,
        profile,
        at=(0.0, 0.0, 0.0),
        axis=(0.0, 0.0, 1.0),
        bulge=None,
        order: int = 2,
        name: str = "",
        *,
        color: str = "",
        group: str = "",
        element: str = "",
    ) -> Graphic:
        """Closed ``profile`` of points (radius, height) revolved about ``axis`` through ``at``.

        Lengths in model units, ground axes. Raises `ModelError` for sizes that are not positive, open profiles and
        negative radii.
        """
        return self._shape(
            "REVOLUTION",
            name,
            (color, group, element),
            cm=self.marker_at(body, at, z=axis).id,
            **self._profile(profile, bulge, order),
        )

    def _profile(self, profile, bulge, order: int) -> dict[str, Any]:
        drawn = isinstance(profile, (str, int, Element))
        if (drawn or isinstance(profile, Profile)) and (bulge is not None or order != 2):
            raise ModelError("bulge and order belong to points, and the profile has its own; leave them out")
        if drawn:
            return {"cid": self.find("CURVE", profile).id}
        if isinstance(profile, Profile):
            out: dict[str, Any] = {"profile": _rows(profile.points, 2, "a profile"), "closed": profile.closed}
            if profile.bulge.any():
                out["bulge"] = tuple(profile.bulge.tolist())
            if profile.handles.any():
                out["handles"] = tuple(map(tuple, profile.handles.tolist()))
            if profile.order > 2:
                out |= {"order": profile.order, "control": profile.control}
            return out
        out = {"profile": _rows(profile, 2, "a profile")}
        if bulge is not None:
            out["bulge"] = number_tuple(np.atleast_1d(bulge) if is_number(bulge) else bulge, "bulge")
        if order != 2:
            out["order"] = whole(order, "order")
        return out

    # ---- contacts -------------------------------------------------------------------------------------------------
    def shapes_of(self, reference) -> list[Graphic]:
        """Shapes of a reference: a graphic, a body (all its shapes), the name of a graphic, ``group`` or body, a
        pattern of such names with ``*`` and ``?``, or a list of these. Raises `ModelError`, with a similar name, where
        there is none."""
        return list({g.id: g for g in self._shapes(reference)}.values())

    def _shapes(self, reference) -> Iterator[Graphic]:
        if isinstance(reference, Element):
            self.own(reference)
        if isinstance(reference, Graphic):
            yield reference
        elif isinstance(reference, (Part, PointMass)):
            markers = self.table("MARKER")
            found = False
            for g in self.table("GRAPHICS").values():
                number = marker_id(g)
                marker = markers.get(number) if number is not None else None
                if (
                    is_shape(g)
                    and marker is not None
                    and (marker.body_kind, marker.part) == (reference.KIND, reference.id)
                ):
                    found = True
                    yield g
            if not found:
                raise reference.error(
                    "it has no shape that could touch anything; give it one, for example model.sphere(part, ...)"
                )
        elif isinstance(reference, str):
            members = [
                g
                for g in self.table("GRAPHICS").values()
                if str(g.arguments.get("group", "")).lower() == reference.lower()
            ]
            if members:
                yield from members
                return
            for kind in ("GRAPHICS", "PART", "POINT_MASS"):
                try:
                    named = self.find(kind, reference)
                except ModelError:
                    if kind == "POINT_MASS" and ("*" in reference or "?" in reference):
                        yield from self._fitting(reference)
                    elif kind == "POINT_MASS":
                        close = difflib.get_close_matches(reference.lower(), self._shape_names(), n=1)
                        meant = f"; did you mean '{close[0]}'?" if close else ""
                        raise ModelError(
                            f"there is no shape, group of shapes or body named '{reference}'{meant}"
                        ) from None
                else:
                    yield from self._shapes(named)
                    return
        elif is_whole(reference):
            yield self.find("GRAPHICS", int(reference))
        elif isinstance(reference, Iterable) and not isinstance(reference, Mapping):
            for one in reference:
                yield from self._shapes(one)
        else:
            raise ModelError(f"expected a shape, a body, a name or a list of these, not {reference!r}")

    def _fitting(self, pattern: str) -> Iterator[Graphic]:
        """Shapes whose name or group, or the name of whose body, fits a pattern with ``*`` and ``?``."""
        fits = re.compile(fnmatch.translate(pattern.lower())).match
        markers, found = self.table("MARKER"), False
        for g in self.table("GRAPHICS").values():
            marker = markers.get(marker_id(g) or 0)
            body = self.table(marker.body_kind).get(marker.part) if marker is not None else None
            names = (g.name, str(g.arguments.get("group", "")), body.name if body is not None else "")
            if is_shape(g) and any(fits(name.lower()) for name in names if name):
                found = True
                yield g
        if not found:
            raise ModelError(f"no shape, group of shapes or body has a name that fits '{pattern}'")

    def _shape_names(self) -> list[str]:
        """Names by which shapes can be requested, in small letters."""
        graphics = [g for g in self.table("GRAPHICS").values() if is_shape(g)]
        named = [
            *graphics,
            *self.table("PART").values(),
            *self.table("POINT_MASS").values(),
            *self.table("GRAINS").values(),
        ]
        groups = [str(e.arguments.get("group", "")) for e in graphics] + [
            e.group for e in self.table("GRAINS").values()
        ]
        return [name.lower() for name in dict.fromkeys([*(e.name for e in named), *groups]) if name]

    def contact(
        self,
        i,
        j=None,
        law: str = "",
        name: str = "",
        *,
        mu=None,
        friction: str = "",
        exclude=(),
        id: int = 0,
        **parameters,
    ) -> Contact:
        """Contact between all shapes of ``i`` and all of ``j`` (see `shapes_of`); without ``j`` between all pairs of
        shapes of ``i``.

        Either side may contain GRAINS (elements or names), alone or together with shapes.
        ``parameters`` are fields of `model.forces.Contact` (stiffness, exponent, damping, dmax, restitution, mu_static,
        ...); any other name is a parameter of the law.  The exponent is 1.5 unless given.  ``mu``: one number, or
        static and dynamic; friction is on as soon as there is a coefficient or a ``friction`` model; its transition
        velocities are 1 and 10 mm/s unless given.
        ``materials``: MATERIAL ids, names or elements of both sides. ``exclude``: pairs of shapes without contact, [(a,
        b), ...], each side given as ``i``.

        Model units: stiffness force / length^exponent, damping force * time / length (HERTZ, HERTZ_LINE, HUNT_CROSSLEY
        and ELASTIC_PLASTIC: time / length), lengths, velocities; or text, ``stiffness="1e5 N/mm^1.5"``. Raises
        `ModelError` for references that are not found, unknown laws, misspelt parameters, and coefficients given twice;
        `check` reports missing parameters of a law.
        """
        for what, value in (("law", law), ("friction", friction)):
            if not isinstance(value, str):
                meant = "; a coefficient is given as mu=" if what == "friction" else ""
                raise ModelError(f"contact '{name}': {what} is {value!r}, and names a model; give a text{meant}")
        first = self._sides(i)
        second = first if j is None else self._sides(j)
        known = dimensions(law, parameters.get("exponent", 1.5))
        parameters = {
            key: converted(value, known[key], self.units, key) if key in known else value
            for key, value in parameters.items()
        }
        own = {key: value for key, value in parameters.items() if key in _OWN}
        rest = {key: value for key, value in parameters.items() if key not in _OWN}
        own.setdefault("exponent", 1.5)
        if mu is not None:
            static, dynamic = _one_or(2, mu, f"contact '{name}': mu").tolist()
            twice = sorted({"mu_static", "mu_dynamic"} & set(own))
            if twice:
                raise ModelError(f"mu and {twice[0]} give the same coefficient; give one of them")
            if min(static, dynamic) < 0.0:
                raise ModelError(f"mu must not be negative, it is {min(static, dynamic):g}")
            own |= {"mu_static": static, "mu_dynamic": dynamic}
        for one, other in (("mu_static", "mu_dynamic"), ("mu_dynamic", "mu_static")):  # one number is both
            if one in own and own.get("coulomb_friction", "ON").upper() == "ON":
                own.setdefault(other, own[one])
        if law and "model" in own:
            raise ModelError("law and model name the same thing; give law alone")
        for unused in ROUTINES:
            if callable(own.get(unused)):
                raise ModelError(
                    f"{unused} of a contact: Python functions are not called for contact forces in this version"
                )
            if own.get(unused) is not None:
                raise ModelError(f"{unused} has no influence on a contact that is built here; give law= and friction=")
        if law.upper() in ("IMPACT", "POISSON"):
            own["model"] = law.upper()
        elif law:
            if law.upper() not in LAWS:
                otherwise = f"; choose from {', '.join(sorted(LAWS))}, or give the name of the contact as name={law!r}"
                raise ModelError(f"there is no contact law '{law}'{did_you_mean(law.upper(), LAWS, otherwise)}")
            own["law"] = law.upper()
        if friction.upper() in COULOMB_FRICTION:
            own["coulomb_friction"] = friction.upper()
        elif friction:
            own |= {"friction": friction.upper(), "coulomb_friction": own.get("coulomb_friction", "ON")}
        elif "coulomb_friction" not in own and (own.get("mu_static") or own.get("mu_dynamic")):
            own["coulomb_friction"] = "ON"
        if own.get("coulomb_friction", "OFF") != "OFF" and not {
            "stiction_transition_velocity",
            "friction_transition_velocity",
        } & set(own):
            slow = SLOW * self.units.si_time / self.units.si_length
            own |= {"stiction_transition_velocity": slow, "friction_transition_velocity": 10 * slow}
        if "materials" in own:
            both = own["materials"] if isinstance(own["materials"], (tuple, list)) else (own["materials"],) * 2
            own["materials"] = tuple(m.id if isinstance(m, Element) else m for m in both)
        excluded = _excluded_pairs(exclude, name)
        pairs = tuple((a.id, b.id) for p, q in excluded for a in self.shapes_of(p) for b in self.shapes_of(q))
        for key, value in rest.items():
            if not is_number(value) or not finite(value):
                chosen = value in ("events", "time-stepping", "compliant")
                raise ModelError(
                    f"parameter {key} of a contact is {shown(value)}; "
                    + (f"write simulate(model, contact={value!r})" if chosen else "give a finite number")
                )
            rest[key] = float(value)
        if "parameters" in own:
            rest = {**own.pop("parameters"), **rest}
        _slips(Contact(parameters=rest, **own), rest)
        return self.add(
            Contact(
                id=id,
                name=name,
                igeom=first[0],
                igrains=first[1],
                jgeom=second[0],
                jgrains=second[1],
                parameters=rest,
                exclude=pairs,
                **own,
            )
        )

    def contact_each(self, i, j=None, law: str = "", name: str = "", *, exclude=(), **more) -> list[Contact]:
        """A separate `contact` for every pair of shapes: each with its own forces, results and curvature.

        They are named "name: shape of i / shape of j" (" (2)" and so on is appended to equal names; a shape without a
        name has that of its body), in the order of ``i``, then of ``j``, and have ``name`` as their ``group``:
        `contacts_of`, `Run.contacts_of`. Pairs without contact are omitted: those of one part, excluded ones, and those
        of parts that are already connected by joints. Raises `ModelError` where none is left, for grains, and for more
        than `MOST_EACH` pairs.
        """
        name = name or f"CONTACT_{max(self.table('CONTACT'), default=0) + 1}"
        if any(self._sides(side)[1] for side in (i, j) if side is not None):
            raise ModelError(f"contact_each '{name}': grains are too many for contacts of their own; use contact")
        from .touching import Touching

        first, second = self.shapes_of(i), self.shapes_of(i if j is None else j)
        number = len(first) * len(second) // (2 if j is None else 1)
        if number > MOST_EACH:
            raise ModelError(
                f"contact_each '{name}' would make {number} contacts, more than {MOST_EACH}; use contact, which takes "
                "all pairs together"
            )
        excluded = _excluded_pairs(exclude, name)
        barred = tuple((a.id, b.id) for p, q in excluded for a in self.shapes_of(p) for b in self.shapes_of(q))
        rule = Contact(exclude=barred, joined=bool(more.get("joined", False)))
        touching, taken = Touching(self), {c.name.lower() for c in self.table("CONTACT").values()}  # type: ignore[arg-type]
        seen: set[frozenset[int]] = set()
        out = []
        for a in first:
            for b in second:
                if frozenset((a.id, b.id)) in seen or touching.refuses(rule, a.id, b.id):
                    continue
                seen.add(frozenset((a.id, b.id)))
                label = whole = f"{name}: {self._touching_name(a)} / {self._touching_name(b)}"
                for k in range(2, MOST_EACH):
                    if label.lower() not in taken:
                        break
                    label = f"{whole} ({k})"
                taken.add(label.lower())
                out.append(self.contact(a, b, law, label, **{"group": name, **more}))
        if not out:
            raise ModelError(
                f"contact_each '{name}': its shapes belong to one part, or to parts that joints connect: nothing "
                "can touch"
            )
        return out

    def _touching_name(self, shape: Graphic) -> str:
        """The name of a shape, where it was given none that of its body."""
        number = marker_id(shape)
        marker = None if number is None else self.markers.get(number)  # type: ignore[attr-defined]
        if shape.name != f"{shape.KIND}_{shape.id}" or marker is None:
            return shape.name
        return self.body_of(marker).name or shape.name  # type: ignore[attr-defined]

    def _sides(self, reference) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Ids of the shapes and of the grains that a reference means."""
        grains, rest = [], []
        for one in reference if isinstance(reference, (list, tuple, set)) else (reference,):
            if isinstance(one, Element):
                self.own(one)
            found = self._grains_of(one)
            grains += found
            if not found:
                rest.append(one)
        return tuple(g.id for g in self.shapes_of(rest)), tuple(dict.fromkeys(grains))

    def _grains_of(self, reference) -> list[int]:
        """Ids of GRAINS that one reference means: the element, its name or ``group``; none where it means shapes."""
        if isinstance(reference, Grains):
            return [reference.id]
        if not isinstance(reference, str):
            return []
        table, word = self.table("GRAINS").values(), reference.lower()
        return [g.id for g in table if g.group.lower() == word] or [g.id for g in table if g.name.lower() == word]

    def contacts_of(self, group: str) -> list[Contact]:
        """Contacts of the ``group`` with this name; an unknown name gives an empty list. Raises nothing."""
        wanted = group.lower()
        return [c for c in self.table("CONTACT").values() if c.group.lower() == wanted]

    # ---- substitution ---------------------------------------------------------------------------------------------
    def substitute(self, graphic, shape, **options) -> list[Graphic]:
        """Replace a named geometry by a shape, such as a solid of a CAD file that is missing.

        ``graphic``: a graphic, its id or name, the ELEMENT name of an EXTERNAL one, or a pattern with ``*``; all that
        match are replaced. ``shape``: a mesh (as `mesh` takes it, with its options), a dict of GRAPHICS arguments with
        ``type`` (lengths in model units, about the marker of the old graphic), or a function that takes the old graphic
        and returns one of these (None: keep it). The shape keeps the id, the name and the marker. Returns the replaced
        graphics.

        Lengths in model units. Raises `ModelError` for an unknown graphic and for a value that is not a shape.
        """
        for word in options:
            if word not in MESH_OPTIONS:
                raise ModelError(f"there is no argument '{word}'{did_you_mean(word, MESH_OPTIONS)}")
        found = self._matching(graphic)
        out = []
        for g in found:
            new = shape(g) if callable(shape) and not hasattr(shape, "vertices") else shape
            if options and isinstance(new, (Graphic, dict)):
                raise ModelError(f"{', '.join(options)} belong to meshes, and a shape is given; leave them out")
            if new is not None:
                out.append(substitute_one(self, g, new, options))
        return out

    def _matching(self, reference) -> list[Graphic]:
        if isinstance(reference, Graphic):
            self.own(reference)
            return [reference]
        table = self.table("GRAPHICS")
        if not isinstance(reference, str) or reference.strip().isdigit():
            return [self.find("GRAPHICS", reference)]
        key = reference.lower()
        element = lambda g: str(g.arguments.get("element", "")).lower()
        found = [g for g in table.values() if element(g) == key] or [g for g in table.values() if g.name.lower() == key]
        if not found and "*" in key:
            found = [
                g for g in table.values() if is_shape(g) and fnmatch.fnmatchcase(element(g) or g.name.lower(), key)
            ]
        return found or [self.find("GRAPHICS", reference)]


def _slips(trial: Contact, rest: dict[str, Any]) -> None:
    """Raise `ModelError` for a parameter of a law that is a misspelt field of the contact, and for words, signs and
    sizes that no contact has."""
    from .contact_faults import asked_by_law, contact_slips

    for name, value in vars(trial).items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ModelError(f"{name} is {value:g}; give a finite number")
    for key in rest:
        meant = difflib.get_close_matches(key.lower(), _OWN, n=1, cutoff=0.75)
        if meant:
            if key not in asked_by_law(trial):
                raise ModelError(
                    f"the law {trial.law_name} has no parameter '{key}', and a contact no such argument; did you mean "
                    f"'{meant[0]}'?"
                )
    for fault in ([t for _, t in misfits(trial)], contact_slips(trial)):
        for text in fault:
            raise ModelError(text)


def mesh_arguments(mesh, scale=1.0, repair: bool = False, convex: bool = False) -> dict[str, Any]:
    """Arguments of a MESH graphic that holds the triangles of a file, of arrays, or of an object with ``vertices`` and
    ``faces``."""
    from .mesh import MAX_TRIANGLES, check_mesh, read_mesh

    if isinstance(mesh, (str, Path)):
        try:
            vertices, triangles = read_mesh(mesh)
        except OSError as error:
            raise ModelError(f"{mesh}: {error.strerror or error}") from None
    elif hasattr(mesh, "vertices") and hasattr(mesh, "faces"):
        vertices, triangles = mesh.vertices, mesh.faces
    else:
        try:
            vertices, triangles = mesh
        except (TypeError, ValueError):
            raise ModelError("a mesh is a file, or a pair of vertices and triangles") from None
    _rows(vertices, 3, "vertices of a mesh")
    _rows(triangles, 3, "triangles of a mesh")
    if len(triangles) > MAX_TRIANGLES:
        raise ModelError(f"the mesh has {len(triangles)} triangles, more than {MAX_TRIANGLES}; reduce it")
    factor = _positive(scale, "scales of a mesh")
    if factor.shape not in ((), (1,), (3,)):
        raise ModelError(f"the scale of a mesh is one number or three, not {shown(scale)}")
    vertices = np.asarray(vertices, float) * factor
    triangles = np.asarray(triangles)
    if convex:
        return {
            "vertices": tuple(map(tuple, vertices.tolist())),
            "triangles": tuple(map(tuple, triangles.tolist())),
            "convex": True,
        }
    vertices, triangles = check_mesh(vertices, triangles, repair)
    return {"vertices": tuple(map(tuple, vertices.tolist())), "triangles": tuple(map(tuple, triangles.tolist()))}


def substitute_one(model: Any, old: Graphic, new: Any, options: dict[str, Any]) -> Graphic:
    """Change one graphic in place; its first form is back when the new one is not a shape."""
    marker: Any = marker_id(old)
    if marker is None:
        raise old.error("it names no marker, so nothing can stand instead")
    cornered = False
    if isinstance(new, Graphic):
        cornered = new.arguments.get("corner") is not None
        new = {"type": new.type, **{k: v for k, v in new.arguments.items() if k not in PLACES}}
    elif isinstance(new, Solid):
        raise ModelError("give the graphic of the shape, a mesh or a dict, not a Solid")
    elif not isinstance(new, dict):
        new = {"type": "MESH", **mesh_arguments(new, **options)}
    arguments = {k.lower(): v for k, v in new.items()}
    kind = str(arguments.pop("type", "")).upper()
    if kind == "MESH" and "file" in arguments:
        options = {k: arguments[k] for k in MESH_OPTIONS if k in arguments}
        rest = {k: v for k, v in arguments.items() if k not in ("file", *MESH_OPTIONS)}
        arguments = {**mesh_arguments(arguments["file"], **options), **rest}
    if not kind:
        raise ModelError(f"the shape in place of {old.label} has no type; give type = BOX, CYLINDER, MESH, ...")
    at, euler = arguments.pop("at", None), arguments.pop("euler", None)
    if at is not None or euler is not None:
        marker = _shifted(model, marker, at, euler)
    arguments["corner" if cornered else carriers().get(kind, "cm")] = marker
    for name in ("color", "element", "group"):
        if name in old.arguments:
            arguments.setdefault(name, old.arguments[name])
    before = old.type, old.arguments
    old.type, old.arguments = kind, arguments
    try:
        shape_of(model, old)
    except ModelError:
        old.type, old.arguments = before
        raise
    return old


def _shifted(model: Any, marker: int, at, euler) -> int:
    """A new marker at ``at`` with 3-1-3 angles ``euler`` (radians), both in the axes of another marker."""
    from .orientation import Frame, euler313, three, to_euler313

    if marker not in model.markers:
        raise ModelError(f"there is no MARKER/{marker}; correct the id")
    old = model.markers[marker]
    origin = np.zeros(3) if at is None else three(at, "the place of a shape")
    axes = np.eye(3) if euler is None else euler313(*three(euler, "the angles of a shape").tolist())
    place = old.frame @ Frame(origin, axes)
    return model.add(
        Marker(part=old.part, body_kind=old.body_kind, qp=tuple(place.origin.tolist()), reuler=to_euler313(place.axes))
    ).id
