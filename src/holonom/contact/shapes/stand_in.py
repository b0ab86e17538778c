"""Stand-ins: the triangle mesh of a shape for partners that have no kernel with it, the ball that is moved along a
torus or a rod, and the prism under a bounded plane.

Which pairs want them is reported by `wanted`; `_address` states how kernels find them.  A mesh departs from the surface
of the shape by no more than the deviation.  Meshes meet at their corners and where their edges cross, so that flat
faces and straight edges have no corners in between: of a flat support only the outermost points would differ from each
other, and rigid contact would exchange its load between all of them.  Where corners have to sample a surface, edges are
no longer than EDGE of the size (FLAT within flat faces).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...model.bounds import bounds
from ...model.polygons import ear_triangles
from ...model.shape_kinds import shape_kind
from ..shape_kinds import ROWS, contact_kind, contact_parts
from ..shape_kinds._parts import Fineness

FACETING = 300.0  # PREFERENCES, CONTACT_FACETING_TOLERANCE where none is given
EDGE = 0.13  # of the radius of a shape: along edges and on what is round
FLAT = 0.4  # of the radius: within flat faces
MOST = 20_000  # corners of a stand-in
TANGIBLE = ("SEGMENT", "BOX", "DRUM", "ELLIPSOID")  # cores of shapes that meet meshes as they are


def hollow(solid: Any) -> bool:
    """Whether the material of a shape lies outside."""
    return shape_kind(solid.kind).hollow(solid)


def wanted(a: Any, b: Any, module: str) -> tuple[str, set[str], set[str]]:
    """(when, stand-ins of a, of b) of two solids whose pair has its kernel in ``module``.

    when: "" never, "always", or "tilted": as soon as their axes are not parallel.  Stand-ins: "MESH", "BALL"."""
    of = {id(one): contact_kind(one.kind) for one in (a, b)}
    ring = lambda one: of[id(one)].rolls == "ring"
    rod = lambda one: of[id(one)].rolls == "rod"
    meshed = lambda one, other: (
        set() if of[id(one)].mesh or (of[id(one)].core in TANGIBLE and not hollow(one)) else {"MESH"}
    )
    if module == "as_meshes":
        return "always", meshed(a, b), meshed(b, a)
    if module == "swept":
        if ring(a) or ring(b):
            return "always", {"BALL"} if ring(a) else set(), {"BALL"} if ring(b) and not ring(a) else set()
        return "always", {"BALL"} if rod(a) else set(), {"BALL"} if rod(b) and not rod(a) else set()
    if of[id(a)].prism and of[id(b)].prism:
        return "tilted", {"MESH"}, {"MESH"}
    for one, other, swap in ((a, b, False), (b, a, True)):
        if module == "cylinder_revolution" and rod(one) and not hollow(one):
            return ("always", set(), {"BALL"}) if swap else ("always", {"BALL"}, set())
        if rod(one) and module == "sphere_curve" and of[id(other)].prism and not hollow(one):
            when = "always" if twisted(other) else "tilted"
            if of[id(other)].endless < 0 and other.profile.closed:
                return (when, {"MESH"}, set()) if swap else (when, set(), {"MESH"})
            return (when, set(), {"BALL"}) if swap else (when, {"BALL"}, set())
        if hollow(one) and not in_hollow(one, other):
            return ("always", meshed(other, one), {"MESH"}) if swap else ("always", {"MESH"}, meshed(other, one))
    return "", set(), set()


def in_hollow(one: Any, other: Any) -> bool:
    """Whether a hollow shape has a kernel of its own for what lies in it."""
    return shape_kind(other.kind).meets_as in contact_kind(one.kind).holds


def twisted(solid: Any) -> bool:
    """Whether the profile of a shape turns about its axis."""
    column = contact_kind(solid.kind).twist
    return column >= 0 and solid.par[column] != 0.0


def endless(solid: Any) -> bool:
    """Whether a shape has no end along its axis."""
    column = contact_kind(solid.kind).endless
    return column >= 0 and not solid.par[column]


def facing(solid: Any) -> Any:
    """A CURVE or EXTRUSION whose axis points up, to the right or forward: the same shape seen from its other side where
    it does not.

    Kernels compare profiles whose axes point the same way."""
    if not contact_kind(solid.kind).prism:
        return solid
    from dataclasses import replace

    from ...model.orientation import Frame
    from ...model.shape import reverse

    axis = (solid.body.frame @ solid.frame).axes[:, 2]
    lead = next((x for x in axis[::-1] if abs(x) > 1e-6), 1.0)
    if lead > 0.0:
        return solid
    p = solid.profile
    mirror = np.array([1.0, -1.0])
    seen = replace(p, points=p.points * mirror, bulge=-p.bulge, handles=p.handles * [1.0, -1.0, 1.0, -1.0])
    frame = Frame(solid.frame.origin, solid.frame.axes @ np.diag([1.0, -1.0, -1.0]))
    return replace(solid, frame=frame, profile=reverse(seen))


def ball_kernels(kinds) -> np.ndarray:
    """Rows of ``link`` for a ball: addresses of its kernels with these types, and of `swept`."""
    from ..._address import address_of
    from ..tables import SHAPE_TYPES
    from . import pair, swept
    from ._address import PAIR_ARGUMENTS

    out = np.zeros((len(SHAPE_TYPES), 4), np.int64)
    for kind in sorted(kind for kind in set(kinds) if not (ROWS[kind].ball or ROWS[kind].half_space)):
        out[SHAPE_TYPES.index(kind), 0] = address_of(pair("SPHERE", kind)[0], PAIR_ARGUMENTS)
    out[:, 1] = address_of(swept.contact, PAIR_ARGUMENTS)
    return out


def prism(solid: Any) -> Any:
    """The box of material under a bounded plane, half as deep as the plane is long (`sphere_plane`); for a half-space a
    box that nothing requires."""
    from dataclasses import replace

    from ...model.orientation import Frame

    hx, hy = solid.par[0] or 1.0, solid.par[1] or 1.0
    deep = 0.5 * max(hx, hy)
    frame = Frame(solid.frame.origin - deep * solid.frame.axes[:, 2], solid.frame.axes)
    return replace(solid, kind="BOX", par=(hx, hy, deep), frame=frame)


def plane_kernels(kinds) -> np.ndarray:
    """Rows of ``link`` for prisms: by kind (number), the addresses of its kernels with a plane and with a box."""
    from ..._address import address_of
    from ..tables import SHAPE_TYPES
    from . import pair
    from ._address import PAIR_ARGUMENTS

    out = np.zeros((len(SHAPE_TYPES), 4), np.int64)
    for kind in sorted(kinds):
        out[kind, :2] = [address_of(pair(one, SHAPE_TYPES[kind])[0], PAIR_ARGUMENTS) for one in ("PLANE", "BOX")]
    return out


# ---- meshes ----------------------------------------------------------------------------------------------------------
def mesh(
    solid: Any, faceting: float = FACETING, width: float = 0.0, cut: bool = True
) -> tuple[np.ndarray, np.ndarray, float]:
    """(corners, triangles, deviation) of a closed mesh of a solid; ``width``: of curves without end; ``cut``: cut long
    edges of what is flat or straight too, so that corners lie all over the surface.

    Raises ModelError for what has no inside."""
    parts = contact_parts(solid.kind)
    size = size_of(solid)
    edge = EDGE * size * math.sqrt(FACETING / faceting)
    points, triangles, deviation = parts.mesh(solid, Fineness(0.6 / faceting * size, edge, width, cut))
    if not (parts.refine and cut):
        return points, triangles, deviation
    while len(points) < MOST:
        before = len(points)
        points, triangles = refined(points, triangles, edge, edge * FLAT / EDGE, 1)
        if len(points) == before:
            break
    return points, triangles, deviation


def size_of(solid: Any) -> float:
    """Radius of what is seen of a shape, across its axis where it has no end."""
    size = contact_parts(solid.kind).size
    return bounds(solid)[2] if size is None else size(solid)


def profile_polygon(profile: Any, deviation: float, edge: float) -> np.ndarray:
    """Corners (n, 2) on a closed profile, its own corners among them."""
    from .profile import _cut, _pieces, _spline_pieces, place

    out = []
    for piece in _spline_pieces(profile) if profile.order > 2 else _pieces(profile):
        for row in _cut(piece, math.radians(45.0)):
            a, b = place(row, 0.0)[0], place(row, 1.0)[0]
            chord = b - a
            length = float(np.hypot(*chord))
            bulge = max(
                abs(chord[0] * (m - a)[1] - chord[1] * (m - a)[0])
                for m in (place(row, t)[0] for t in (0.25, 0.5, 0.75))
            )
            n = max(
                math.ceil(math.sqrt(bulge / length / deviation)) if length else 1,
                math.ceil(length / edge) if bulge > 1e-9 * length**2 else 1,
            )
            out += [place(row, k / n)[0] for k in range(n)]
    points = np.array(out)
    keep = np.hypot(*(points - np.roll(points, 1, axis=0)).T) > 1e-9 * np.ptp(points, axis=0).max()
    return points[keep]


def prism_mesh(
    polygon: np.ndarray, half: float, twist: float, deviation: float, edge: float
) -> tuple[np.ndarray, np.ndarray]:
    """Closed mesh of a polygon that is drawn along z from -half to half and turned by ``twist`` per length, in layers
    no higher than ``edge``."""
    n = len(polygon)
    # a twisted line departs from its chord by r (twist dz)^2 / 8
    turn = math.sqrt(4.0 * deviation / float(np.hypot(*polygon.T).max()))
    layers = 1 + max(1, math.ceil(2.0 * half * abs(twist) / turn), math.ceil(2.0 * half / edge))
    layers = min(layers, max(2, MOST // n))
    rings = []
    for z in np.linspace(-half, half, layers):
        c, s = math.cos(twist * z), math.sin(twist * z)
        rings.append(np.column_stack([polygon @ np.array([[c, s], [-s, c]]), np.full(n, z)]))
    k, l = np.arange(n), (np.arange(n) + 1) % n
    triangles = []
    for layer in range(layers - 1):
        a = n * layer
        triangles += [np.column_stack([a + k, a + l, a + n + l]), np.column_stack([a + k, a + n + l, a + n + k])]
    caps = ear_triangles(polygon)
    triangles += [caps[:, ::-1], caps + n * (layers - 1)]
    return np.vstack(rings), np.vstack(triangles)


def turned_mesh(polygon: np.ndarray, deviation: float) -> tuple[np.ndarray, np.ndarray]:
    """A closed polygon (r, z) that runs counter-clockwise, turned about z."""
    r, z = polygon.T
    most = float(r.max())
    sides = 4 * max(3, math.ceil(0.25 * math.pi / math.acos(max(1.0 - deviation / most, 0.0))))
    n = len(polygon)
    angle = 2.0 * math.pi * np.arange(sides) / sides
    on = r <= 1e-9 * most
    number = np.arange(sides * n).reshape(sides, n)
    number[:, on] = number[0, on]
    points = np.stack([np.outer(np.cos(angle), r), np.outer(np.sin(angle), r), np.tile(z, (sides, 1))], -1).reshape(
        -1, 3
    )
    points[number[0, on], :2] = 0.0
    k = np.arange(n)
    out = []
    for s in range(sides):
        a, b = number[s], number[(s + 1) % sides]
        i, j = k, (k + 1) % n
        # the profile runs counter-clockwise seen with r to the right and z up: round z it goes away from the eye
        out += [np.column_stack([a[i], b[j], a[j]]), np.column_stack([a[i], b[i], b[j]])]
    triangles = np.vstack(out)
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    used, index = np.unique(triangles, return_inverse=True)
    return points[used], index.reshape(-1, 3)


def hull(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Closed mesh of the convex hull of points."""
    from .hull_data import faces_of

    corners, faces, _ = faces_of(np.asarray(points, float))
    return corners, np.array([(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)])


def refined(
    points: np.ndarray, triangles: np.ndarray, edge: float, flat: float = 0.0, rounds: int = 30
) -> tuple[np.ndarray, np.ndarray]:
    """The same closed mesh with edges longer than ``edge`` cut in halves, again and again (at most ``rounds`` times).

    flat: the length for edges within flat faces, where it is another."""
    from .mesh import face_normals

    points, triangles = np.asarray(points, float), np.asarray(triangles, np.int64)
    for _ in range(rounds):
        n = len(points)
        sides = np.stack([triangles, triangles[:, [1, 2, 0]]], -1)
        low, high = sides.min(axis=-1), sides.max(axis=-1)
        key, index = np.unique(low * n + high, return_inverse=True)
        i, j = key // n, key % n
        normals = face_normals(points, triangles)[0]
        both = np.zeros((len(key), 3))
        np.add.at(
            both, index.reshape(-1), np.repeat(normals, 3, axis=0)
        )  # of length 2 where both triangles lie in one plane
        most = np.where(np.linalg.norm(both, axis=1) > 2.0 - 1e-9, max(flat, edge), edge)
        long = np.linalg.norm(points[i] - points[j], axis=1) > most * (1 + 1e-9)
        if not long.any():
            break
        number = np.where(long, n + np.cumsum(long) - 1, -1)
        points = np.vstack([points, 0.5 * (points[i[long]] + points[j[long]])])
        middle = number[index.reshape(-1, 3)]
        count = (middle >= 0).sum(axis=1)
        out = [triangles[count == 0]]
        for k in range(3):  # turned so that what is cut stands where it is searched for
            t, m = np.roll(triangles, -k, axis=1), np.roll(middle, -k, axis=1)
            one = (count == 1) & (m[:, 0] >= 0)
            a, b, c, p = *t[one].T, m[one, 0]
            out += [np.column_stack([a, p, c]), np.column_stack([p, b, c])]
            two = (count == 2) & (m[:, 2] < 0)
            a, b, c, p, q = *t[two].T, m[two, 0], m[two, 1]
            out += [np.column_stack([p, b, q]), np.column_stack([a, p, q]), np.column_stack([a, q, c])]
        a, b, c, p, q, r = *triangles[count == 3].T, *middle[count == 3].T
        out += [np.column_stack(x) for x in ((a, p, r), (p, b, q), (r, q, c), (p, q, r))]
        triangles = np.concatenate(out)
    return points, triangles


def refusal(a, b) -> str:
    """Why two solids (`model.shape.Solid`) of types that have a kernel cannot touch: a sentence, or nothing when they
    can."""
    for this, other in ((a, b), (b, a)):
        if not hollow(this):
            continue
        name = shape_kind(this.kind).hollow_name
        if hollow(other):
            return f"two shapes that are both hollow (inside) cannot touch: a {name} needs a solid in it"
        if contact_kind(other.kind).half_space or (contact_kind(this.kind).ball and not in_hollow(this, other)):
            return f"a {other.kind} in a {name} has no contact: draw the {name} as a MESH or a turned profile"
    return ""
