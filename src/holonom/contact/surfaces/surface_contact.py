"""SURFACE_CONTACT: a region of the surface of a flexible body against rigid shapes, or against a region of another
one; `kernels` has the equations.

Points are the nodes of the region ("node-to-surface"), each with a third of the triangles around it, or three points in
each of its triangles
("surface-to-surface"), which pass a uniform pressure on through meshes that do not match.  Where what the region meets
is small compared with its triangles, these are divided (`spacing`): points lie on its faces, move with their corners by
linear shape functions, and what acts on them falls to the corners by these.  With depth d = -g,

    pressure p = stiffness d^exponent (1 + 3/2 damping d'),  never negative,      friction  mu tanh(s / transition)

Without a ``stiffness`` it is taken from the modes: a node of area a that gives way by c under a unit force along its
normal has 1 / (a c); of these the median, `STIFFER` times, so that the layer adds a few hundredths to what the surface
gives way by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...elements.kinds import ForceKind, register
from ...model.base import Element, ModelError, shown
from ...model.bounds import bounds, half_width
from ...model.builder.teaching import sound
from ...model.orientation import Frame
from ...model.shape import marker_id, shape_of
from ...model.triangles import area_vectors, at_corners
from ...model.values import number
from ..shapes import pack, pair
from ..shapes.measure import POOLS, signed_distances
from ..shapes.stand_in import facing
from ..tables import SHAPE_TYPES
from .columns import AREA, DEEPEST, FRICTION, MARGIN, RADIUS, empty
from .kernels import energies, force
from .look import Skin, horizon
from .meeting import OTHER, SAME, UNSURE
from .sharp import corner_normals, polyhedron, sharp_edges
from .spacing import divided, divisions_for, passes_between, size_of, wall_of
from .tangents import tangent

WAYS = ("node-to-surface", "surface-to-surface")
STIFFER = 30.0
SLOW = 1e-3  # m/s, at which friction has all but a quarter of its coefficient
WITHIN = 0.1  # of an edge, by which surfaces may overlap at the start
MOST_POINTS = 4000  # of a region with dents
MOST_PAIRS = 40_000  # of sharp edges; surfaces with more of them have points close together
MOST_CORNERS = 2000  # of rigid shapes
COARSER = 0.5  # edge of a region over that of the other part, beyond one, up to which its triangles are not divided
#: three points of a triangle, exact to degree 2
INSIDE = (3.0 * np.eye(3) + 1.0) / 6.0


@dataclass
class SurfaceContact(Element):
    """SURFACE_CONTACT: nodes of a FLEXIBILITY that may touch ``shapes`` (ids of GRAPHICS on one body) or the facets of
    another, ``onto``.

    ``i``: marker of the centre of mass of the part; ``j``: of the other, or a marker of the body of the shapes.
    ``nodes``, ``onto_nodes``: ids of the nodes of both regions; ``way``: of `WAYS`; ``divisions``: parts into which the
    sides of triangles are divided for points on them; ``stiffness``: pressure / depth^exponent;
    ``damping``: time / length; ``mu``, ``mu_static``: of sliding and of rest, the latter `mu` where it is less;
    ``transition``: speed; ``two_way``: corners and edges of what it meets touch its facets and edges, too.
    """

    KIND: ClassVar[str] = "SURFACE_CONTACT"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    REFERENCES: ClassVar[dict[str, str]] = {
        "i": "MARKER",
        "j": "MARKER",
        "flexibility": "FLEXIBILITY",
        "onto": "FLEXIBILITY",
        "shapes": "GRAPHICS",
    }
    i: int = 0
    j: int = 0
    flexibility: int | None = None
    nodes: tuple[int, ...] = ()
    onto: int | None = None
    onto_nodes: tuple[int, ...] = ()
    shapes: tuple[int, ...] = ()
    way: str = WAYS[0]
    stiffness: float = 0.0
    exponent: float = 1.0
    damping: float = 0.0
    mu: float = 0.0
    transition: float = 0.0
    divisions: int = 1
    mu_static: float = 0.0
    two_way: bool = True

    @property
    def grip(self) -> float:
        """Coefficient of friction at rest."""
        return max(self.mu, self.mu_static)

    def losses(self) -> str:
        return "damped"

    def faults(self, model: Any) -> Iterator[str]:
        """Invalid values: nodes that are not on the surface, sides that are missing, numbers that are none."""
        if not self.stiffness > 0.0 or not self.exponent >= 1.0:
            yield (
                f"stiffness is {self.stiffness:g} and exponent {self.exponent:g}; give a positive number, and one "
                "from 1 on"
            )
        for name in ("damping", "mu", "mu_static"):
            if not getattr(self, name) >= 0.0:
                yield f"{name} is {getattr(self, name):g}; give zero or a positive number"
        if self.grip > 0.0 and not self.transition > 0.0:
            yield f"transition is {self.transition:g}; friction requires a positive speed"
        if self.way not in WAYS:
            yield f"way is {shown(self.way)}; choose {' or '.join(WAYS)}"
        if (
            isinstance(self.divisions, bool)
            or not isinstance(self.divisions, int)
            or not 1 <= self.divisions <= MOST_POINTS
        ):
            yield f"divisions is {shown(self.divisions)}; give a whole number from 1 to {MOST_POINTS}"
        if bool(self.shapes) == (self.onto is not None):
            yield "it meets shapes or another flexible body; give one of them"
        for name, nodes in (("flexibility", self.nodes), ("onto", self.onto_nodes)):
            bent = model.table("FLEXIBILITY").get(getattr(self, name))
            if bent is None or bent.body is None:
                continue  # the reference is reported
            part = model.table("PART").get(bent.part)
            marker = self.i if name == "flexibility" else self.j
            if part is not None and marker != part.cm:
                yield (
                    f"its marker {marker} is not that of the centre of mass of {part.label}; make it with "
                    "model.surface_contact"
                )
            if self.active and not bent.active:
                yield f"its {bent.label} is not active; deactivate both or neither"
            if bent.formulation != "floating":
                yield (
                    f"{bent.label} has the formulation {bent.formulation}; surfaces that touch require the "
                    "formulation floating"
                )
            if self.active and bent.active:
                wrong = region_fault(bent, nodes)
                if wrong:
                    yield wrong
        if self.onto is not None and self.onto == self.flexibility:
            yield "a flexible body does not touch itself; give another part"


def region_fault(bent: Any, nodes: Any) -> str:
    """What is wrong with a region, as text; empty where nothing is."""
    body = bent.body
    if not len(nodes):
        return f"{bent.label} has no region that may touch; give make_flexible(..., contact = nodes), or region = nodes"
    missing = [k for k in nodes if k not in body.place]
    if missing:
        return f"{bent.label} has no node {missing[0]}; its region may have nodes of its {len(body.nodes)}"
    if not len(body.faces):
        return f"the body of {bent.label} has no triangles of its surface; reduce a solid or a shell"
    if len(body.dented):
        flat = np.setdiff1d(nodes, body.dented)
        if len(flat):
            return (
                f"node {flat[0]} of {bent.label} has no local compliance, so it would be too stiff with its few "
                f"modes; name "
                f"it "
                "in make_flexible(..., contact=, accuracy=)"
            )
    at = np.array([body.place[k] for k in nodes])
    inner = at[~np.isin(at, body.faces)]
    if len(inner):
        place = ", ".join(f"{x:g}" for x in bent.points[inner[0]])
        return (
            f"node {body.nodes[inner[0]]} of {bent.label} at ({place}) is not on its surface; leave it out of the "
            "region"
        )
    if not np.isin(body.faces, at).all(1).any():
        return f"the region of {bent.label} has no whole triangle of its surface; give all nodes of one or more"
    return ""


class Facets(NamedTuple):
    """Triangles of a deformed region: ``places`` (a, 3), ``triangles`` (t, 3) of these, their ``normals`` (t, 3) with
    ``areas`` (t,) as lengths, and ``edges`` as `Region` has them."""

    places: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray
    areas: np.ndarray
    edges: np.ndarray

    @property
    def edge(self) -> float:
        """Length of a usual edge, as `Region` has it."""
        return float(np.median(self.edges))


class Region:
    """Points and triangles of a region, in the axes of a frame on the part: ``places`` (a, 3), ``shapes`` (a, 3, n),
    ``triangles`` (t, 3) of these, ``ids`` (a,)."""

    def __init__(self, bent: Any, nodes: Any, frame: Frame) -> None:
        body = bent.body
        at = np.unique([body.place[k] for k in nodes])
        number = np.full(len(body.nodes), -1)
        number[at] = np.arange(len(at))
        self.ids = body.nodes[at]
        self.places = (bent.points[at] - frame.origin) @ frame.axes
        turn = frame.axes.T @ bent.turn
        self.shapes = np.einsum("ij,ajn->ain", turn, body.shapes[at][:, :3])
        self.triangles = number[body.faces[np.isin(body.faces, at).all(1)]]
        self.frequency = body.frequency
        self.dents = self.inert = np.zeros((0, 0))
        if len(body.dented):
            row = {int(k): i for i, k in enumerate(body.dented)}
            here = np.array([row.get(int(k), -1) for k in self.ids])
            both = (here >= 0)[:, None] & (here >= 0)
            self.dents, self.inert = (
                np.where(both, table[np.ix_(here, here)], 0.0) for table in (body.dents, body.inert)
            )
        p = self.places[self.triangles]
        self.normals = area_vectors(self.places, self.triangles)
        self.areas = np.linalg.norm(self.normals, axis=1)
        self.edges = np.linalg.norm(p - np.roll(p, 1, axis=1), axis=2)
        self.edge = float(np.median(self.edges))
        self._whole, self._number = (bent.points - frame.origin) @ frame.axes, number
        self._faces = body.faces

    @cached_property
    def _sharp(self) -> tuple[np.ndarray, np.ndarray]:
        ends, wings = sharp_edges(self._whole, self._faces)
        ends = self._number[ends]
        inside = (ends >= 0).all(axis=1)
        return ends[inside], wings[inside]

    @property
    def ends(self) -> np.ndarray:
        """(e, 2) nodes of the sharp edges of the part between nodes of the region."""
        return self._sharp[0]

    @property
    def wings(self) -> np.ndarray:
        """(e, 2, 3) unit vectors across these edges into the faces next to them."""
        return self._sharp[1]

    def points(self, way: str, divisions: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Positions (k, 3), shapes (k, 3, n), areas (k,), unit normals (k, 3), and the share (k, a) of each node in
        them, of triangles whose sides are divided into so many parts."""
        if divisions > 1:
            return self._of_parts(way, divisions)
        t = self.triangles
        if way == WAYS[0]:
            area, normal = (at_corners(t, v, len(self.places)) for v in (self.areas, self.normals))
            used = np.flatnonzero(area > 0.0)
            share = np.eye(len(self.places))[used]
            area, normal = area[used], normal[used]
        else:
            rows = np.arange(3 * len(t)).reshape(-1, 3)
            share = np.zeros((3 * len(t), len(self.places)))
            for c in range(3):
                for k in range(3):
                    share[rows[:, k], t[:, c]] = INSIDE[k, c]
            area, normal = np.repeat(self.areas / 3.0, 3), np.repeat(self.normals, 3, axis=0)
        normal = normal / np.linalg.norm(normal, axis=1)[:, None]
        return share @ self.places, np.einsum("ka,ain->kin", share, self.shapes), area, normal, share

    def _of_parts(self, way: str, divisions: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        corner, part, small = divided(self.triangles, divisions)
        share = np.zeros((len(corner), len(self.places)))
        for c in range(3):
            there = np.flatnonzero(corner[:, c] >= 0)
            share[there, corner[there, c]] = part[there, c]
        normals = np.repeat(self.normals, divisions**2, axis=0) / divisions**2
        if way == WAYS[0]:
            area, normal = (at_corners(small, v, len(share)) for v in (np.linalg.norm(normals, axis=1), normals))
        else:
            share = np.einsum("kc,tca->tka", INSIDE, share[small]).reshape(-1, len(self.places))
            normal = np.repeat(normals, 3, axis=0) / 3.0
            area = np.linalg.norm(normal, axis=1)
        normal = normal / np.linalg.norm(normal, axis=1)[:, None]
        return share @ self.places, np.tensordot(share, self.shapes, 1), area, normal, share

    def stiffness(self) -> float:
        """Pressure over depth of a layer `STIFFER` times as stiff as the nodes themselves."""
        _, phi, area, normal, share = self.points(WAYS[0])
        give = ((np.einsum("ki,kin->kn", normal, phi) / self.frequency) ** 2).sum(1)
        if len(self.dents):
            give += np.einsum("ka,ab,kb->k", share, self.dents, share, optimize=True)
        return float(STIFFER * np.median(1.0 / (area * give)))


def surface_contact(
    model,
    part,
    onto,
    *,
    region=None,
    onto_region=None,
    way: str = WAYS[0],
    divisions=None,
    stiffness=None,
    exponent=1.0,
    damping=0.0,
    mu=0.0,
    transition=None,
    overlap=None,
    two_way: bool = True,
    name: str = "",
    id: int = 0,
) -> SurfaceContact:
    """The surface of a flexible body touches ``onto``: shapes on one body (a graphic, a body with shapes, a name, a
    list), or another flexible body.

    ``region``, ``onto_region``: ids of the nodes that may touch (default: those that `make_flexible` was given as
    ``contact``); ``way``: "node-to-surface", or "surface-to-surface" with three points in each triangle.
    ``divisions``: parts into which the sides of its triangles are divided, for points on its faces
    (default: so many that points lie close together compared with the size of the shapes, or the triangles of the other
    part; a shape that still fits between them is a warning).  ``stiffness``: pressure / length^exponent (default:
    thirty times what the nodes have); ``damping``: time / length, as of HUNT_CROSSLEY; ``mu``: one coefficient of
    friction, or those of rest and of sliding, with its ``transition`` velocity (default: 1 mm/s).
    ``overlap``: depth up to which surfaces may overlap at the start (default: a tenth of an edge), as where statics are
    to press them together.

    ``two_way``: points of a second flexible body touch the facets of the first too, each side with half of the
    stiffness, and sharp edges of both that cross touch; so do corners and edges of rigid boxes, hulls, meshes and
    extrusions.  Surfaces that follow their loads at once (`make_flexible` with an ``accuracy``) and constraints
    ("time-stepping") have the points of the first alone: take the finer mesh, or the one that is rounder, as the first.

    Raises `ModelError` for rigid parts, regions that are empty or not on the surface, shapes on several
    bodies, and surfaces that overlap already.

        model.make_flexible(ball, mesh, steel, contact="bottom", damping=rayleigh(0, 1e-8))
        touch = model.surface_contact(ball, model.plane(model.ground, (0, 0, 0), (0, 0, 1)), mu=0.2)
    """
    body, bent, nodes = _side(model, part, region)
    frame = model.markers[body.cm].frame
    if way not in WAYS:
        raise ModelError(f"way is {shown(way)}; choose {' or '.join(WAYS)}")
    wrong = region_fault(bent, nodes)
    if wrong:
        raise body.error(wrong)
    own = Region(bent, nodes, frame)
    rest, sliding = _coefficients(mu)
    given = dict(exponent=number(exponent, "exponent"), damping=number(damping, "damping"), mu=sliding, mu_static=rest)
    given["two_way"] = truth(two_way)
    given["stiffness"] = own.stiffness() if stiffness is None else number(stiffness, "stiffness")
    slow = SLOW * model.units.si_time / model.units.si_length
    given["transition"] = slow if transition is None else number(transition, "transition")
    other = _bending(model, onto)
    if other is not None:
        second, of, onto_nodes = _side(model, other, onto_region)
        wrong = region_fault(of, onto_nodes)
        if wrong:
            raise second.error(wrong)
        given |= dict(onto=of.id, onto_nodes=onto_nodes, j=second.cm)
    else:
        if onto_region is not None:
            raise ModelError("onto_region belongs to a flexible body; leave it out for shapes")
        graphics = model.shapes_of(onto)
        if not graphics:
            raise ModelError("onto is empty; give a shape, or another flexible body")
        markers = [model.markers[marker_id(g)] for g in graphics]
        if len({(m.body_kind, m.part) for m in markers}) > 1:
            raise ModelError(
                f"{graphics[0].label} and {graphics[-1].label} are on different bodies; make a surface_contact for "
                "each body"
            )
        nodes_of = model.table("ATTACHMENT")
        if any(
            (m.body_kind, m.part) == ("PART", body.id)
            or m.body_kind == "ATTACHMENT"
            and nodes_of[m.part].flexibility == bent.id
            for m in markers
        ):
            raise body.error("its surface does not touch its own shapes; give shapes of another body")
        given |= dict(shapes=tuple(g.id for g in graphics), j=markers[0].id)
    given["divisions"] = _divisions(model, body, own, given) if divisions is None else divisions
    element = SurfaceContact(id=id, name=name, i=body.cm, flexibility=bent.id, nodes=nodes, way=way, **given)
    sound(element, model)
    solids = solids_of(model, element)
    small = passes_between(solids, float(own.edges.max()), element.divisions)
    if small is not None:
        model.warn(
            f"{element.label}: its points are up to {own.edges.max() / element.divisions:.4g} apart, and "
            f"{small.graphic.label} fits between them and is not touched "
            "there; give more divisions, or a finer mesh"
        )
    for text in _left_out(element, model, own):
        model.warn(text)
    deep, where = _overlap(model, element)
    if deep > (WITHIN * own.edge if overlap is None else number(overlap, "overlap")):
        place = ", ".join(f"{x:.6g}" for x in where)
        raise body.error(
            f"its surface overlaps what it is to touch by {deep:.4g} at ({place}) in ground; move the part, leave "
            "these nodes out of the region, or give overlap="
        )
    return model.add(element)


def _left_out(e: SurfaceContact, model: Any, own: Region) -> Iterator[str]:
    """Sentences on edges and corners that `_two_way` leaves out since they are too many (`MOST_PAIRS`,
    `MOST_CORNERS`)."""
    if not e.two_way or len(own.dents):
        return
    if e.onto is None:
        for solid in solids_of(model, e):
            whole = polyhedron(solid)
            count = 0 if whole is None else len(np.unique(sharp_edges(*whole)[0]))
            if count > MOST_CORNERS:
                yield (
                    f"{e.label}: {solid.graphic.label} has {count} corners on sharp edges, too many: beyond "
                    f"{MOST_CORNERS} its corners and edges are not checked against the surface, which touches it by "
                    "its own points alone; draw it with fewer triangles"
                )
        ends = len(_corners_of(e, model)[1])
    else:
        other = Region(model.table("FLEXIBILITY")[e.onto], e.onto_nodes, model.markers[e.j].frame)
        if len(other.dents):
            return
        ends = len(other.ends)
    if ends * len(own.ends) > MOST_PAIRS:
        yield (
            f"{e.label}: its surfaces have {len(own.ends)} and {ends} sharp edges, too many: beyond {MOST_PAIRS} pairs "
            "crossings of edges are not checked, and edges touch by points alone; name fewer nodes in the regions, or "
            "take a finer mesh"
        )


def _coefficients(mu: Any) -> tuple[float, float]:
    """Of rest and of sliding, of one number or of both.  Raises `ModelError`."""
    if isinstance(mu, (list, tuple, np.ndarray)):
        if len(mu) != 2:
            raise ModelError(f"mu is {shown(mu)}; give one coefficient of friction, or those of rest and of sliding")
        rest, sliding = (number(x, "mu") for x in mu)
        if rest < sliding:
            raise ModelError(f"mu is {shown(mu)}; the coefficient of rest comes first and is not below that of sliding")
        return rest, sliding
    return number(mu, "mu"), number(mu, "mu")


def truth(value: Any) -> bool:
    """``two_way``.  Raises `ModelError`."""
    if not isinstance(value, (bool, np.bool_)):
        raise ModelError(f"two_way is {shown(value)}; give True or False")
    return bool(value)


def _bending(model: Any, onto: Any) -> Any:
    """The flexible body which a reference means, or None."""
    if isinstance(onto, (list, tuple)) and len(onto) == 1:
        onto = onto[0]
    if isinstance(onto, Element) and onto.KIND == "FLEXIBILITY":
        return model.find("PART", onto.part)
    try:
        body = model._body(onto)
    except ModelError:
        return None
    return body if model._flexibility_of(body) is not None else None


def _side(model: Any, part: Any, region: Any) -> tuple[Any, Any, tuple[int, ...]]:
    if isinstance(part, Element) and part.KIND == "FLEXIBILITY":
        part = part.part
    body = model._body(part)
    bent = model._flexibility_of(body)
    if bent is None:
        raise body.error(
            "it is rigid and its surface does not give way; make it flexible first (model.make_flexible), or use "
            "model.contact"
        )
    if region is None:
        return body, bent, bent.region
    try:
        nodes = tuple(sorted({int(k) for k in region}))
    except (TypeError, ValueError):
        raise body.error(f"its region is {shown(region)}; give ids of nodes") from None
    return body, bent, nodes


def _divisions(model: Any, body: Any, own: Region, given: dict[str, Any]) -> int:
    """Parts of the sides of triangles, by the size of what the region meets; as many as dents allow."""
    side = float(own.edges.max())
    if given.get("onto") is None:
        solids = [facing(shape_of(model, model.table("GRAPHICS")[g])) for g in given["shapes"]]
        n = divisions_for([size_of(s) for s in solids], side, len(own.triangles))
    else:
        bent = model.table("FLEXIBILITY")[given["onto"]]
        other = Region(bent, given["onto_nodes"], model.markers[given["j"]].frame)
        size = 0.5 * float(np.median(np.ptp(bent.points, axis=0)))
        n = max(1, math.ceil(own.edge / other.edge - COARSER), divisions_for([size], side, len(own.triangles)))
    return min(n, max(1, math.isqrt(2 * MOST_POINTS // len(own.triangles)))) if len(own.dents) else n


def solids_of(model: Any, element: SurfaceContact) -> list[Any]:
    return [facing(shape_of(model, model.table("GRAPHICS")[g])) for g in element.shapes]


def _overlap(model: Any, element: SurfaceContact) -> tuple[float, np.ndarray]:
    """Largest overlap of the undeformed surfaces, and where."""
    table = model.table("FLEXIBILITY")
    first = _placed(model, table[element.flexibility], element.nodes)
    places, _, _, normals, _ = first.points(element.way, element.divisions)
    if element.onto is None:
        gap = np.full(len(places), np.inf)
        for solid in solids_of(model, element):
            at = model.body_frame(solid.body) @ solid.frame
            gap = np.minimum(gap, signed_distances(solid, (places - at.origin) @ at.axes))
    else:
        gap = facet_gaps(places, normals, _placed(model, table[element.onto], element.onto_nodes))
    k = int(gap.argmin())
    return -float(gap[k]), places[k]


def _placed(model: Any, bent: Any, nodes: Any) -> Region:
    """A region in ground, at the design position."""
    part = model.table("PART")[bent.part].frame
    return Region(bent, nodes, Frame(-part.axes.T @ part.origin, part.axes.T))


def facet_gaps(x: np.ndarray, m: np.ndarray, other: Region | Facets) -> np.ndarray:
    """(k,) gaps of points with normals m to the facets that they meet, least in size; infinite where there is none."""
    p = other.places[other.triangles]
    n = other.normals / other.areas[:, None]
    gap = np.full(len(x), np.inf)
    for f in range(len(p)):
        d = x - p[f, 0]
        g = d @ n[f]
        b, c = p[f, 1] - p[f, 0], p[f, 2] - p[f, 0]
        size = 2.0 * other.areas[f]
        s, w = d @ np.cross(c, n[f]) / size, d @ np.cross(n[f], b) / size
        good = (
            (s >= 0.0)
            & (w >= 0.0)
            & (s + w <= 1.0)
            & (m @ n[f] < 0.0)
            & (np.abs(g) < np.abs(gap))
            & (np.abs(g) < 2.0 * other.edges.max())
        )
        gap[good] = g[good]
    deep = np.flatnonzero(
        gap < -UNSURE * other.edge
    )  # as in `meeting.meet`: in front of a nearer facet, or behind this one
    if len(deep):
        away, front = np.full(len(deep), np.inf), np.zeros(len(deep), bool)
        for f in range(len(p)):
            size = from_triangle(x[deep], p[f])
            before = (x[deep] - p[f, 0]) @ n[f] > 0.0
            front = np.where(size < (1.0 - SAME) * away, before, front | (before & (size <= (1.0 + SAME) * away)))
            away = np.minimum(away, size)
        gap[deep[front & (away < OTHER * -gap[deep])]] = np.inf
    return gap


def from_triangle(x: np.ndarray, p: np.ndarray) -> np.ndarray:
    """(k,) distances of points from a triangle (3, 3)."""
    d, b, c = x - p[0], p[1] - p[0], p[2] - p[0]
    normal = np.cross(b, c)
    size = float(normal @ normal)
    s, w = d @ np.cross(c, normal) / size, d @ np.cross(normal, b) / size
    out = np.abs(d @ normal) / math.sqrt(size)
    beside = ~((s >= 0.0) & (w >= 0.0) & (s + w <= 1.0))
    edge = np.full(len(x), np.inf)
    for first, way in ((p[0], b), (p[0], c), (p[1], c - b)):
        share = np.clip((x - first) @ way / (way @ way), 0.0, 1.0)
        edge = np.minimum(edge, np.linalg.norm(x - first - share[:, None] * way, axis=1))
    return np.where(beside, edge, out)


# ---- tables of a system ----------------------------------------------------------------------------------------------
def values(e, model):
    return (0.0,)


def coordinates(e, model):
    table = model.table("FLEXIBILITY")
    return [table[e.flexibility], *([table[e.onto]] if e.onto is not None else [])]


def tables(e, system):
    """Tables of one contact (`kernels`)."""
    model = system.model
    table = model.table("FLEXIBILITY")
    own = Region(table[e.flexibility], e.nodes, model.markers[e.i].frame)
    place, phi, area, normal, share = own.points(e.way, e.divisions)
    n = phi.shape[2]
    other = None if e.onto is None else Region(table[e.onto], e.onto_nodes, model.markers[e.j].frame)
    nB = 1 if other is None else other.shapes.shape[2]
    sizes = dict(
        points=len(place),
        modes=n,
        shapes=len(e.shapes),
        modes_b=nB,
        columns=24 + 2 * (n + (0 if other is None else nB)),
    )
    if other is not None:
        sizes |= dict(corners=len(other.places), facets=len(other.triangles))
    of_points = share @ own.dents @ share.T if len(own.dents) else own.dents
    of_corners = other.dents if other is not None else np.zeros((0, 0))
    sizes |= dict(dents=len(of_points), corner_dents=len(of_corners))
    if len(of_points) + len(of_corners) and len(place) > MOST_POINTS:
        raise e.error(
            f"it has {len(place)} points, and local compliance is limited to {MOST_POINTS}; name fewer nodes, "
            f"or use the way {WAYS[0]}"
        )
    S, W = empty(**sizes)
    keep = np.ascontiguousarray
    S = S._replace(
        place=keep(place), phi=keep(phi), area=keep(area), normal=keep(normal), big=np.linalg.norm(phi, axis=1).max(0)
    )
    S = S._replace(dent=keep(of_points), dentB=keep(of_corners), bulge=_bulge(of_points), bulgeB=_bulge(of_corners))
    most = 1
    if other is None:
        S, most = _with_shapes(S, e, model)
    else:
        S = _with_facets(S, other)
    others = len(of_points) + len(of_corners) == 0 and e.two_way
    _law_of(S, e, 0.5 if others and other is not None else 1.0)
    edge = own.edge if other is None else max(own.edge, other.edge)
    S.par[[MARGIN, RADIUS]] = edge, max(np.linalg.norm(place, axis=1).max(), edge)
    S.par[DEEPEST] = 2.0 * (own.edges.max() if other is None else max(own.edges.max(), other.edges.max()))
    W.most[0] = most
    frequency = np.concatenate([own.frequency, *([] if other is None else [other.frequency])])
    solids = solids_of(model, e)
    thin = min((wall_of(s) for s in solids), default=math.inf)
    wide = min((w for s in solids if (w := half_width(s)) > 0.0), default=math.inf)
    skin = Skin(S, W, edge, frequency, own.ids, share, thin, wide)
    if others:
        back, edges = _two_way(e, model, own, other, float(area.mean()), wide)
        skin.ask(back, edges)
    return skin


def _law_of(S: Any, e: SurfaceContact, share: float) -> None:
    """Numbers of the law with a share of the stiffness."""
    S.p[0, :5] = share * e.stiffness, e.exponent, 0.0, 1.0, 1.5 * e.damping
    S.pf[0, :4] = e.grip, e.mu, e.transition, 10.0 * e.transition
    S.par[FRICTION] = float(e.grip > 0.0)


def _two_way(
    e: SurfaceContact, model: Any, own: Region, other: Region | None, usual: float, wide: float
) -> tuple[Any, Any]:
    """Skins of the way back, with the points of what the region meets and its own facets, and of the edges of both that
    cross; None where there are none.
    ``usual``: area of a point of the region; ``wide``: half of the width of the rigid shapes."""
    n = own.shapes.shape[2]
    keep = np.ascontiguousarray
    if other is not None:
        points, shapes, area, normal, share = other.points(e.way)
        ends, wings, nodes, bends = other.ends, other.wings, other.places, other.shapes
        edge, frequency = other.edge, other.frequency
    else:
        nodes, ends, wings, points, area, normal = _corners_of(e, model)
        area = np.minimum(area, usual)
        shapes, bends, frequency = (np.zeros((len(points), 3, 0)), np.zeros((len(nodes), 3, 0)), np.zeros(0))
        share, edge = np.eye(len(points)), own.edge
    nB = bends.shape[2]
    deepest = 2.0 * max(own.edges.max(), edge)
    back = edges = None
    if len(points):
        S, W = empty(
            points=len(points),
            modes=nB,
            corners=len(own.places),
            modes_b=n,
            facets=len(own.triangles),
            columns=24 + 2 * (n + nB),
            asked=1,
        )
        S = S._replace(place=keep(points), phi=keep(shapes), area=keep(area), normal=keep(normal), big=_largest(shapes))
        S = _with_facets(S, own)
        _law_of(S, e, 0.5 if other is not None else 1.0)
        S.par[[MARGIN, RADIUS, DEEPEST]] = max(own.edge, edge), max(np.linalg.norm(points, axis=1).max(), edge), deepest
        back = Skin(S, W, edge, np.concatenate([frequency, own.frequency]), np.arange(len(share.T)), share)
    if len(ends) and len(own.ends) and len(ends) * len(own.ends) <= MOST_PAIRS:
        sizes = dict(edges=len(own.ends), ends=len(own.places), near=len(ends) * len(own.ends))
        S, W = empty(
            points=1, modes=n, corners=len(nodes), modes_b=nB, facets=len(ends), columns=24 + 2 * (n + nB), **sizes
        )
        middle = nodes[ends].mean(axis=1)
        half = 0.5 * np.linalg.norm(nodes[ends[:, 1]] - nodes[ends[:, 0]], axis=1)
        centre = middle.mean(axis=0)
        round_ = float((np.linalg.norm(middle - centre, axis=1) + half).max())
        S = S._replace(
            big=_largest(own.shapes),
            bigB=_largest(bends),
            ends=keep(own.ends),
            end_place=keep(own.places),
            end_phi=keep(own.shapes),
            wing=keep(own.wings),
            wingB=keep(wings),
            nodes=keep(nodes),
            shapes=keep(bends),
            tri=keep(ends[:, [0, 1, 0]]),
            centre=np.column_stack([middle, half]),
            grid=np.array([*centre, round_, 0.0, 0.0, 0.0]),
        )
        S.par[AREA] = min(usual, float(np.mean(area)))
        _law_of(S, e, 1.0)
        away = float(np.linalg.norm(own.places, axis=1).max())
        S.par[[MARGIN, RADIUS, DEEPEST]] = max(own.edge, edge), max(away, own.edge), 0.5 * min(own.edge, edge, wide)
        edges = Skin(S, W, edge, np.concatenate([own.frequency, frequency]), own.ids, own.ends)
    return back, edges


def _largest(shapes: np.ndarray) -> np.ndarray:
    """(n,) largest displacement of a point by each mode."""
    return np.linalg.norm(shapes, axis=1).max(axis=0, initial=0.0)


def _corners_of(
    e: SurfaceContact, model: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of the rigid shapes with plane faces, in the axes of their marker: vertices (m, 3), sharp edges (f, 2) of these
    and vectors across them (f, 2, 3), and of the corners on such edges positions (k, 3), areas (k,) and normals (k,
    3)."""
    at = model.markers[e.j].frame
    found: list[tuple[np.ndarray, ...]] = []
    count = 0
    for solid in solids_of(model, e):
        whole = polyhedron(solid)
        if whole is None:
            continue
        points, triangles = whole
        ends, wings = sharp_edges(points, triangles)
        corners = np.unique(ends)
        if not len(ends) or len(corners) > MOST_CORNERS:
            continue
        area = at_corners(triangles, np.linalg.norm(area_vectors(points, triangles), axis=1), len(points))[corners]
        turn = at.axes.T @ solid.frame.axes
        placed = (points @ turn.T) + at.axes.T @ (solid.frame.origin - at.origin)
        normal = corner_normals(points, triangles, corners) @ turn.T
        found.append((placed, ends + count, wings @ turn.T, placed[corners], area, normal))
        count += len(points)
    if not found:
        none = np.zeros((0, 3))
        return none, np.zeros((0, 2), np.int64), np.zeros((0, 2, 3)), none, np.zeros(0), none
    points, ends, wings, corners, area, normal = (np.concatenate(parts) for parts in zip(*found))
    return points, ends, wings, corners, area, normal


def _bulge(C: np.ndarray) -> np.ndarray:
    """(k,) of dents C (k, k): what a unit force on one lifts any other at most."""
    return np.maximum(-C.min(axis=1, initial=0.0), 0.0)


def _with_shapes(S: Any, e: SurfaceContact, model: Any) -> tuple[Any, int]:
    """Rigid shapes behind the point in the table of shapes, as `contact.shapes` wants them."""
    from ..._address import address_of
    from ..shapes._address import PAIR_ARGUMENTS

    at = model.markers[e.j].frame
    sh, most = S.sh, 1
    sh.fr.A[:] = np.eye(3).ravel()
    sh.frame[:] = np.arange(len(sh.frame))
    pools: dict[str, list[np.ndarray]] = {name: [] for name in POOLS}
    sizes = dict.fromkeys(POOLS, 0)
    for k, solid in enumerate(solids_of(model, e)):
        found = pair("POINT", solid.kind)
        if found is None:
            raise e.error(
                f"{solid.graphic.label}: a flexible surface and a {solid.kind} cannot touch; draw it as another "
                "shape or a mesh"
            )
        S.kern[k] = address_of(found[0], PAIR_ARGUMENTS)
        most = max(most, found[1])
        sh.kind[k + 1] = SHAPE_TYPES.index(solid.kind)
        sh.par[k + 1, : len(solid.par)] = solid.par
        sh.centre[k + 1], sh.half[k + 1], sh.radius[k + 1] = bounds(solid)
        first, added = pack(solid, sizes)
        sh.first[k + 1, : len(first)] = first
        for name, rows in added.items():
            pools[name].append(rows)
            sizes[name] += len(rows)
        S.so[k] = at.axes.T @ (solid.frame.origin - at.origin)
        S.sA[k] = (at.axes.T @ solid.frame.axes).ravel()
    stacked = {name: np.ascontiguousarray(np.vstack(rows), POOLS[name][1]) for name, rows in pools.items() if rows}
    return S._replace(sh=sh._replace(**stacked)), most


def _with_facets(S: Any, other: Region) -> Any:
    """Facets, in the cells of a grid no smaller than any of them."""
    p = other.places[other.triangles]
    middle = p.mean(1)
    radius = np.linalg.norm(p - middle[:, None], axis=2).max(1)
    size = max(2.0 * radius.max(), float(np.ptp(middle, axis=0).max()) / 64.0)
    low = middle.min(0) - 1e-9 * size
    cells = np.floor((middle - low) / size).astype(np.int64)
    count = cells.max(0) + 1
    cell = (cells[:, 0] * count[1] + cells[:, 1]) * count[2] + cells[:, 2]
    order = np.argsort(cell, kind="stable")
    head = np.searchsorted(cell[order], np.arange(int(count.prod()) + 1)).astype(np.int64)
    keep = np.ascontiguousarray
    return S._replace(
        nodes=keep(other.places),
        shapes=keep(other.shapes),
        tri=keep(other.triangles, np.int64),
        centre=np.column_stack([middle, radius]),
        head=head,
        item=keep(order, np.int64),
        grid=np.array([*low, size, *count], float),
        bigB=np.linalg.norm(other.shapes, axis=1).max(0),
    )


KIND = register(
    ForceKind(
        SurfaceContact,
        surface_contact,
        force,
        tangent,
        energies,
        values,
        coordinates=coordinates,
        tables=tables,
        horizon=horizon,
    )
)
