"""What a model looks like: GRAPHICS elements as triangles and lines on bodies, springs and outlines between bodies.

Every point is in the axes of the part that carries it, measured from its centre of mass, which is the point whose
motion a run stores.  Bodies without a graphic get a skeleton (a ball at the centre of mass, rods to the markers that
joints and forces use), so that any machine can be seen.  Nothing here is used for numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from holonom.elements.kinds import FORCES
from holonom.model.base import ModelError
from holonom.model.bodies import NODES
from holonom.model.facets import SIDES, arc, box, ellipsoid, frustum, torus
from holonom.model.kinds import LARGEST, shown
from holonom.model.mesh import locate, read_mesh
from holonom.model.orientation import Frame, axes_from
from holonom.model.shape import carrier_of, is_shape, marker_number, matrix_points, shape_of
from holonom.model.shape_kinds import shape_kind

from ..._summary import Summary

Key = tuple[str, int]

#: colours of Adams View by name (close to its palette, muted enough to stand next to each other)
COLORS = {
    "BLACK": "#23272e", "WHITE": "#e8ebef", "RED": "#c8402f", "GREEN": "#3f9a52", "BLUE": "#2f6fc4", "CYAN": "#3fb3bd",
    "MAGENTA": "#b34fa6", "YELLOW": "#e2b93b", "CORAL": "#e87f5f", "MAIZE": "#e9c46a", "PEACH": "#f0b48c",
    "SILVER": "#aab3bd",
    "DIMGRAY": "#5b636e", "DARKGRAY": "#444b55", "LIGHTGRAY": "#c4cad2", "GRAY": "#8a939e", "STEEL": "#8fa0b3",
    "GOLD": "#c79a3f",
    "MIDNIGHT_BLUE": "#27406b", "SKYBLUE": "#7db6e4", "SPRING_GREEN": "#6ec28a", "DARKGREEN": "#2d6b3c",
    "RED_ORANGE": "#db6236",
    "ORANGE": "#e08a3c", "BROWN": "#8a5f3c", "MEDIUM_SLATE_BLUE": "#7b6fd0", "AQUAMARINE": "#6fc9ae", "PINK": "#dc8fb0",
}  # fmt: skip


@dataclass
class Anchor(Summary):
    """A point on a body: body key (kind, id) and position (3,) from its centre of mass in its axes."""

    body: Key
    point: np.ndarray


@dataclass
class Shape(Summary):
    """Geometry fixed to one body.

    ``points`` (n, 3); ``triangles`` (m, 3) indices for a surface, or None for line segments, then ``points`` are pairs
    (n even).  ``skeleton``: made up here, because the model draws nothing for this body.  ``flat``: every triangle is
    shaded by its own normal (meshes of files), else normals are smooth over shared points.  ``color``: of the graphic's
    COLOR (``#rrggbb``), empty where the body's own colour is meant.  ``plane``: four corners of a half-space, which has
    no end; whoever draws it takes as much of it as is seen.
    """

    body: Key
    points: np.ndarray
    triangles: np.ndarray | None
    name: str = ""
    skeleton: bool = False
    flat: bool = False
    color: str = ""
    plane: bool = False


@dataclass
class Spring(Summary):
    """SPDP: coil of diameter ``da`` from I to J; damper cylinders of diameters ``db`` (at I, length ``lc``, starting
    ``la`` from I) and ``dc`` (at J, length ``ld``, ending ``lb`` from J)."""

    i: Anchor
    j: Anchor
    coils: int = 8
    da: float = 0.0
    db: float = 0.0
    dc: float = 0.0
    la: float = 0.0
    lb: float = 0.0
    lc: float = 0.0
    ld: float = 0.0
    name: str = ""


@dataclass
class Strand(Summary):
    """Polyline through points of several bodies: an OUTLINE across parts, or the axis of a BEAM.  One with a ``color``
    of its own is seen through what hides it."""

    anchors: list[Anchor]
    name: str = ""
    color: str = ""


@dataclass
class MarkerLook(Summary):
    """A marker as drawn: ``origin`` (3,) from the centre of mass and ``axes`` (3, 3), both in the body's axes."""

    id: int
    name: str
    body: Key
    origin: np.ndarray
    axes: np.ndarray


@dataclass
class Look(Summary):
    """All that can be drawn of a model.  ``size``: a length typical of the whole; ``missing``: sentences."""

    bodies: dict[Key, str] = field(default_factory=dict)
    shapes: list[Shape] = field(default_factory=list)
    springs: list[Spring] = field(default_factory=list)
    strands: list[Strand] = field(default_factory=list)
    markers: dict[int, MarkerLook] = field(default_factory=dict)
    ground: set[Key] = field(default_factory=set)
    placement: dict[Key, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    arrows: list[tuple[str, int, int]] = field(default_factory=list)  # GRAPHICS/FORCE: element kind, id, marker
    size: float = 1.0
    missing: list[str] = field(default_factory=list)
    bent: set[Key] = field(
        default_factory=set
    )  # flexible bodies, and their nodes, nodes of rods: drawn by their meshes and tubes


# ---- primitives: (points (n, 3), triangles (m, 3)) about a marker ---------------------------------------------------
def rod(start: np.ndarray, end: np.ndarray, radius: float, sides: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Thin cylinder between two points; empty when they coincide."""
    length = float(np.linalg.norm(end - start))
    if not length > 0:
        return np.zeros((0, 3)), np.zeros((0, 3), int)
    points, triangles = frustum(radius, radius, length, sides=sides)
    return start + points @ axes_from(z=end - start).T, triangles


def segments(polyline: np.ndarray) -> np.ndarray:
    """Pairs (2 (n - 1), 3) of a polyline (n, 3)."""
    return np.repeat(polyline, 2, axis=0)[1:-1]


# ---- solids of contacts: (points (n, 3), triangles (m, 3)) in the frame of the shape --------------------------------
def solid_mesh(solid: Any) -> tuple[np.ndarray, np.ndarray]:
    """Surface of a solid of `model.shape` in its own frame; raises `ModelError` for types without one."""
    return shape_kind(solid.kind).triangles(solid)


def grain_mesh(grains: Any, sides: int) -> tuple[np.ndarray, np.ndarray]:
    """Surface of a grain of size 1, a ball with ``sides`` corners around."""
    if not grains.by_radius:
        return solid_mesh(grains.solid())
    points, triangles = ellipsoid(2.0, 2.0, 2.0, sides)
    return points, triangles


# ---- the model ------------------------------------------------------------------------------------------------------
def build_look(model: Any, folder: str | Path | None = None, tubes: Iterable[Any] = ()) -> Look:
    """Everything that can be drawn of ``model`` (`holonom.Model`).  ``tubes``: its ROD and ABSOLUTE_MESH elements that
    are drawn as such, so not by nodes and beams.

    ``folder``: where EXTERNAL meshes lie (default: that of ``model.path``).  What cannot be drawn is a sentence in
    ``look.missing``; nothing raises because of a bad graphic.
    """
    look = Look()
    frames: dict[Key, Frame] = {}
    offsets: dict[Key, np.ndarray] = {}
    axes_of: dict[int, Frame] = {}  # of markers that were evaluated, which takes a third of the time here
    for kind in ("PART", "POINT_MASS", *NODES):
        for body in model.table(kind).values():
            key = (kind, body.id)
            look.bodies[key] = body.name
            frames[key] = model.body_frame(body)
            cm = model.markers.get(body.cm) if getattr(body, "cm", None) is not None else None
            if cm is not None and not cm.floating:
                axes_of[cm.id] = cm.frame
            offsets[key] = axes_of[cm.id].origin if cm is not None and cm.id in axes_of else np.zeros(3)
            look.placement[key] = (frames[key].origin + frames[key].axes @ offsets[key], frames[key].axes)
            if getattr(body, "ground", False):
                look.ground.add(key)
    for kind in ("FLEX_BODY", "FE_PART"):
        for body in model.table(kind).values():
            look.missing.append(f"{kind}/{body.id} '{body.name}' is not drawn: flexible bodies have no picture yet.")
    for marker in model.markers.values():
        key = (marker.body_kind, marker.part)
        if marker.floating or key not in frames:
            continue
        try:
            frame = axes_of.get(marker.id) or marker.frame
        except ModelError:
            continue
        look.markers[marker.id] = MarkerLook(marker.id, marker.name, key, frame.origin - offsets[key], frame.axes)

    for e in model.table("FLEXIBILITY").values():
        drawn = e.body is not None and (
            len(e.body.faces) or len(e.body.lines) or (len(e.body.station) and e.body.fibre.shape[1] > 2)
        )
        if e.active and drawn:  # a body of nodes alone has no picture but its skeleton
            look.bent |= {("PART", e.part)} | {
                ("ATTACHMENT", a.id) for a in model.table("ATTACHMENT").values() if a.flexibility == e.id
            }
    look.bent |= {("MESH_POINT", p.id) for p in model.table("MESH_POINT").values()}
    tubes = list(tubes)
    rods = [e for e in tubes if e.KIND == "ROD"]
    look.bent |= {("PART", p) for e in rods for p in e.parts}
    used = _used_markers(model, look)
    look.size = _size(model, look, used)
    builder = _Graphics(model, look, _folder(model, folder), offsets)
    groups = {f"{e.name} surface" for e in tubes}  # for contact (`flexible.along`): the tube shows it
    for graphic in model.table("GRAPHICS").values():
        if graphic.arguments.get("group") in groups:
            body = carrier_of(model, graphic)
            if (body.KIND, body.id) in look.bent:
                continue
        builder.add(graphic)
    drawn = {frozenset((s.i.body, s.j.body)) for s in look.springs}
    _links(model, look, drawn, {b for e in rods for b in e.beams})
    _skeletons(model, look, used)
    return look


def _folder(model: Any, folder: str | Path | None) -> Path | None:
    if folder is not None:
        return Path(folder)
    return Path(model.path).resolve().parent if getattr(model, "path", None) else None


def _used_markers(model: Any, look: Look) -> dict[Key, list[MarkerLook]]:
    """Markers that joints, motions and forces use, by body."""
    out: dict[Key, list[MarkerLook]] = {}
    seen: set[int] = set()
    for element in model:
        if element.KIND in ("REQUEST", "GRAPHICS", "PART", "POINT_MASS") or not element.active:
            continue
        for name, kind in element.REFERENCES.items():
            if kind != "MARKER":
                continue
            value = getattr(element, name)
            for ident in value if isinstance(value, tuple) else (value,):
                if ident in look.markers and ident not in seen:
                    seen.add(ident)
                    out.setdefault(look.markers[ident].body, []).append(look.markers[ident])
    return out


def _size(model: Any, look: Look, used: dict[Key, list[MarkerLook]]) -> float:
    """Diagonal of the box around centres of mass and joint markers as designed; without extent, radii of gyration; of
    an empty model one metre."""
    points = [look.placement[key][0] for key in look.bodies if key not in look.ground]
    for key, markers in used.items():
        origin, axes = look.placement[key]
        points += [origin + axes @ m.origin for m in markers]
    for grains in model.table("GRAINS").values():
        if len(grains):
            points += [grains.positions.min(axis=0), grains.positions.max(axis=0)]
    for e in model.table("FLEXIBILITY").values():
        if ("PART", e.part) in look.bent:
            frame = model.body_frame(model.table("PART")[e.part])
            points += [frame.origin + frame.axes @ corner(e.points, axis=0) for corner in (np.min, np.max)]
    array = np.array(points).reshape(-1, 3)
    array = array[np.isfinite(array).all(axis=1)]
    diagonal = float(np.linalg.norm(np.ptp(array, axis=0))) if len(array) else 0.0
    if diagonal > 0:
        return diagonal
    radii = [
        math.sqrt(max(p.ip[:3]) / p.mass)
        for p in model.parts.values()
        if p.mass and p.mass > 0 and p.ip and max(p.ip[:3]) > 0
    ]
    return 4 * max(radii) if radii else 1.0 / model.units.si("length")


class _Graphics:
    """GRAPHICS elements to shapes.  Argument names as in the dataset, in lower case."""

    def __init__(self, model: Any, look: Look, folder: Path | None, offsets: dict[Key, np.ndarray]) -> None:
        self.model, self.look, self.folder, self.offsets = model, look, folder, offsets

    def add(self, graphic: Any) -> None:
        if not graphic.active:
            return
        draw = getattr(self, f"draw_{graphic.type.lower()}", self.draw_solid if is_shape(graphic) else None)
        try:
            if draw is None:
                raise ModelError(f"a graphic of type {graphic.type} is not known here")
            draw(graphic, {k.lower(): v for k, v in graphic.arguments.items()})
        except (ModelError, TypeError, ValueError, KeyError, OSError) as error:
            text = f"its argument {error} is missing" if isinstance(error, KeyError) else str(error)
            where = f" (line {graphic.source.line})" if graphic.source else ""
            name = f"GRAPHICS/{graphic.id} '{graphic.name}', {graphic.type}{where}"
            self.look.missing.append(f"{name}, is not drawn: {text}.".replace("\n", "\\n"))

    # -- references and numbers
    def marker(self, value: Any) -> MarkerLook:
        ident = marker_number(value)
        if ident is None:
            raise ModelError(f"{shown(value)} is not an id of a marker")
        if ident not in self.look.markers:
            raise ModelError(f"MARKER/{ident} has no fixed position on a body that is drawn")
        return self.look.markers[ident]

    def anchor(self, value: Any) -> Anchor:
        m = self.marker(value)
        return Anchor(m.body, m.origin)

    @staticmethod
    def number(a: dict, *names: str, default: float | None = None) -> float:
        for name in names:
            if name in a and a[name] is not None:
                text = str(a[name]).strip()
                try:
                    value = math.radians(float(text[:-1])) if text[-1:] in ("d", "D") else float(text)
                except ValueError:
                    raise ModelError(f"{name} = {text[:30]} is not a number") from None
                if not abs(value) <= LARGEST:
                    raise ModelError(f"{name} is not finite, or larger than any shape has")
                return value
        if default is None:
            raise KeyError(names[0])
        return default

    def surface(self, graphic: Any, m: MarkerLook, mesh: tuple[np.ndarray, np.ndarray], flat: bool = False) -> None:
        points, triangles = mesh
        color = COLORS.get(str(graphic.arguments.get("color", "")).strip().upper().replace(" ", "_"), "")
        self.look.shapes.append(
            Shape(m.body, m.origin + points @ m.axes.T, triangles, graphic.name, flat=flat, color=color)
        )

    def line(self, graphic: Any, m: MarkerLook, polyline: np.ndarray) -> None:
        self.look.shapes.append(Shape(m.body, m.origin + segments(polyline) @ m.axes.T, None, graphic.name))

    def place(self, solid: Any) -> MarkerLook:
        """Frame of a solid from the centre of mass of its body."""
        key = (solid.body.KIND, solid.body.id)
        if key not in self.offsets:
            raise ModelError(f"its body {key[0]}/{key[1]} is not drawn")
        return MarkerLook(0, "", key, solid.frame.origin - self.offsets[key], solid.frame.axes)

    def draw_solid(self, g, a) -> None:
        """Any shape that `model.shape` understands."""
        solid = shape_of(self.model, g)
        m = self.place(solid)
        kind = shape_kind(solid.kind)
        lines = kind.lines(solid)
        if lines is None:
            self.surface(g, m, kind.triangles(solid), flat=kind.flat)
        for polyline in lines or ():
            self.line(g, m, polyline)

    # -- one method per type
    def draw_box(self, g, a) -> None:
        if a.get("corner") is None and a.get("cm") is not None:
            self.draw_solid(g, a)
            return
        self.surface(g, self.marker(a["corner"]), box(self.number(a, "x"), self.number(a, "y"), self.number(a, "z")))

    def draw_cylinder(self, g, a) -> None:
        if a.get("inside"):
            self.draw_solid(g, a)
            return
        r, length = self.number(a, "radius"), self.number(a, "length")
        m = self.marker(a["cm"])
        angle = self.number(a, "rangle", "angle", default=2 * math.pi)
        if length == 0:
            self.line(g, m, arc(r, angle))
            return
        self.surface(g, m, frustum(r, r, length, angle, self._sides(a)))

    def draw_frustum(self, g, a) -> None:
        mesh = frustum(
            self.number(a, "bottom"),
            self.number(a, "top"),
            self.number(a, "length"),
            self.number(a, "rangle", "angle", default=2 * math.pi),
            self._sides(a),
        )
        self.surface(g, self.marker(a["cm"]), mesh)

    def _sides(self, a) -> int:
        """Datasets write SIDES=3 for narrow wedges and 12 by habit; a full round one is drawn with SIDES at least."""
        angle = abs(self.number(a, "rangle", "angle", default=2 * math.pi)) or 2 * math.pi
        return max(1, math.ceil(SIDES * min(angle, 2 * math.pi) / (2 * math.pi)))

    def draw_ellipsoid(self, g, a) -> None:
        if a.get("inside"):
            self.draw_solid(g, a)
            return
        x, y, z = (self.number(a, *names) for names in (("xscale", "xs"), ("yscale", "ys"), ("zscale", "zs")))
        self.surface(g, self.marker(a["cm"]), ellipsoid(x, y, z))

    def draw_sphere(self, g, a) -> None:
        if a.get("inside"):
            self.draw_solid(g, a)
            return
        d = 2 * self.number(a, "radius")
        self.surface(g, self.marker(a["cm"]), ellipsoid(d, d, d))

    def draw_torus(self, g, a) -> None:
        major = self.number(a, "major_radius", "major", "radius", "ro")
        minor = self.number(a, "minor_radius", "minor", "tube", "ri", default=major / 4)
        self.surface(g, self.marker(a["cm"]), torus(major, minor))

    def draw_circle(self, g, a) -> None:
        self.line(g, self.marker(a["cm"]), arc(self.number(a, "radius")))

    def draw_arc(self, g, a) -> None:
        angle = self.number(a, "rangle", "angle", default=2 * math.pi)
        self.line(g, self.marker(a["cm"]), arc(self.number(a, "radius"), angle))

    def draw_outline(self, g, a) -> None:
        ids = next((a[k] for k in ("points", "outline", "markers") if k in a), ())
        anchors = [self.anchor(i) for i in (ids if isinstance(ids, Iterable) and not isinstance(ids, str) else (ids,))]
        if len(anchors) < 2:
            raise ModelError("an OUTLINE needs two markers or more")
        if len({p.body for p in anchors}) == 1:
            self.look.shapes.append(
                Shape(anchors[0].body, segments(np.array([p.point for p in anchors])), None, g.name)
            )
        else:
            self.look.strands.append(Strand(anchors, g.name))

    def draw_spdp(self, g, a) -> None:
        n = lambda name: abs(self.number(a, name, default=0.0))
        coils = int(min(self.number(a, "coils", default=0.0), 60))
        self.look.springs.append(
            Spring(
                self.anchor(a["i"]),
                self.anchor(a["j"]),
                coils,
                n("da"),
                n("db"),
                n("dc"),
                n("la"),
                n("lb"),
                n("lc"),
                n("ld"),
                g.name,
            )
        )

    def draw_plane(self, g, a) -> None:
        far = 0.75 * self.look.size  # what a plane without bounds is drawn as
        x0, x1, y0, y1 = (
            self.number(a, k, default=d) for k, d in (("xmin", -far), ("xmax", far), ("ymin", -far), ("ymax", far))
        )
        points = np.array([[x0, y0, 0], [x1, y0, 0], [x1, y1, 0], [x0, y1, 0]])
        self.surface(g, self.marker(a["rm"]), (points, np.array([[0, 1, 2], [0, 2, 3]])))
        self.look.shapes[-1].plane = not any(a.get(k) is not None for k in ("xmin", "xmax", "ymin", "ymax"))

    def draw_point(self, g, a) -> None:
        d = 0.012 * self.look.size
        self.surface(g, self.marker(a.get("rm", a.get("cm"))), ellipsoid(d, d, d, 10))

    def draw_curve(self, g, a) -> None:
        if a.get("profile") is not None:
            self.draw_solid(g, a)
            return
        crm = a.get("crm", a.get("rm"))
        curve = self.model.find("CURVE", a.get("cid", a.get("curve")))
        self.line(g, self.marker(crm), curve_points(self.model, curve))

    def draw_force(self, g, a) -> None:
        kind, ident = str(a.get("etype", "SFORCE")).strip().upper(), int(self.number(a, "eid"))
        self.look.arrows.append((kind, ident, self.marker(a["emarker"]).id))

    def draw_external(self, g, a) -> None:
        m = self.marker(a.get("rm", a.get("cm")))
        if self.folder is None:
            raise ModelError(f"its file {a.get('file')} is searched for next to the model, which came from no file")
        self.surface(g, m, read_mesh(locate(str(a["file"]), str(a.get("element") or ""), self.folder)), flat=True)


def curve_points(model: Any, curve: Any, count: int = 240) -> np.ndarray:
    """Points (count + 1, 3) along a CURVE given by a matrix; a picture of it, not the curve that contacts use."""
    from scipy.interpolate import BSpline, make_interp_spline

    if curve.matrix is None:
        raise ModelError(f"{curve.label} is computed by a routine, which is not called for drawing")
    matrix = model.find("MATRIX", curve.matrix)
    p = matrix_points(model, matrix)
    degree = max(1, min(int(curve.order) - 1, len(p) - 1, 5))
    if curve.closed and np.allclose(p[0], p[-1], atol=1e-9 * (1 + np.abs(p).max())):
        p = p[:-1]
    if curve.points == "CONTROL":
        if curve.closed:
            p = np.vstack([p, p[:degree]])
            knots = np.arange(len(p) + degree + 1, dtype=float)
        else:
            inner = np.linspace(0, 1, len(p) - degree + 1)
            knots = np.concatenate([np.zeros(degree), inner, np.ones(degree)])
        spline = BSpline(knots, p, degree)
        return spline(np.linspace(knots[degree], knots[-degree - 1], count + 1))
    if curve.closed:
        p = np.vstack([p, p[:1]])
    u = np.linspace(0, 1, len(p))
    bc = "periodic" if curve.closed and degree > 1 else None
    spline = make_interp_spline(u, p, k=3 if bc and degree % 2 == 0 else degree, bc_type=bc)
    return spline(np.linspace(0, 1, count + 1))


def _links(model: Any, look: Look, drawn: set[frozenset], within: set[int]) -> None:
    """Springs and beams that the model has but does not draw; ``within``: beams of rods that are drawn."""
    for spring in model.table("SPRINGDAMPER").values():
        if not spring.active or spring.kind != "TRANSLATIONAL" or not {spring.i, spring.j} <= set(look.markers):
            continue
        i, j = (Anchor(look.markers[m].body, look.markers[m].origin) for m in (spring.i, spring.j))
        if frozenset((i.body, j.body)) not in drawn:
            look.springs.append(
                Spring(
                    i,
                    j,
                    coils=8 if spring.k else 0,
                    da=0.05 * look.size if spring.k else 0.0,
                    db=0.014 * look.size if spring.c else 0.0,
                    dc=0.009 * look.size if spring.c else 0.0,
                    name=spring.name,
                )
            )
    for kind in (
        "BEAM",
        "FIELD",
        *(k for k in FORCES if k not in ("MFORCE", "MODAL_DAMPING", "SURFACE_CONTACT")),
    ):  # which act all over their part
        for e in model.table(kind).values():
            *ends, last = e.ports
            for end in ends if e.active and not (kind == "EXACT_BEAM" and e.id in within) else ():
                if {end, last} <= set(look.markers):
                    anchors = [Anchor(look.markers[m].body, look.markers[m].origin) for m in (end, last)]
                    look.strands.append(Strand(anchors, e.name))


def _skeletons(model: Any, look: Look, used: dict[Key, list[MarkerLook]]) -> None:
    """A ball and rods for every body that the model does not draw; small feet where joints hold on to ground."""
    have = {s.body for s in look.shapes} | look.bent
    nodes, bend = model.table("ATTACHMENT"), model.table("FLEXIBILITY")
    # shapes of a flexible body are on its nodes
    have |= {("PART", bend[nodes[number].flexibility].part) for kind, number in have if kind == "ATTACHMENT"}
    ball = 0.03 * look.size
    reaches = [float(np.linalg.norm(m.origin)) for key, ms in used.items() if key not in look.ground for m in ms]
    typical = float(np.median([r for r in reaches if r > 0])) if any(r > 0 for r in reaches) else look.size
    foot = max(min(ball, typical), 0.008 * look.size)
    gravity = np.asarray(model.gravity, float)
    down = gravity / np.linalg.norm(gravity) if np.linalg.norm(gravity) > 0 else None
    for key in look.bodies:
        if key in have:
            continue
        if key in look.ground:
            for m in used.get(key, [])[:60]:
                if down is None:
                    mesh = ellipsoid(foot, foot, foot, 10)
                    points = mesh[0] + m.origin
                else:
                    mesh = frustum(0.15 * foot, 0.9 * foot, 1.5 * foot, sides=4)
                    points = m.origin + mesh[0] @ axes_from(z=look.placement[key][1].T @ down).T
                look.shapes.append(Shape(key, points, mesh[1], look.bodies[key], skeleton=True))
            continue
        markers = used.get(key, [])
        reach = max((float(np.linalg.norm(m.origin)) for m in markers), default=0.0)
        d = min(ball, 0.5 * reach) if reach > 1e-6 * look.size else ball
        look.shapes.append(Shape(key, *ellipsoid(d, d, d, 14), look.bodies[key], skeleton=True))
        for m in markers[:40]:
            points, triangles = rod(np.zeros(3), m.origin, max(0.22 * d, 0.0022 * look.size))
            if len(points):
                look.shapes.append(Shape(key, points, triangles, look.bodies[key], skeleton=True))
