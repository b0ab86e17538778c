"""Surfaces of shapes for the referee: tables of plain numbers, where a segment crosses them, and the distance of a
point from them.

Seven types serve all shapes: a sphere, an ellipsoid, a half-space, a convex polyhedron (outward planes), a surface of
revolution (straight segments of its profile), a prism (straight segments of its profile, ends), and triangles with a
tree of boxes.  Arcs of profiles are cut into chords of one degree; `Surface.deviation` is what they miss at most.
"""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np

from ..._jit import jit
from ...model.base import ModelError
from ...model.polygons import polygon_triangles
from .tree import build_tree

SPHERE, ELLIPSOID, HALF_SPACE, POLYHEDRON, REVOLUTION, PRISM, TRIANGLES, NOTHING = range(8)
ARC = math.radians(1.0)  # chords of arcs of profiles
CIRCLE = 180  # chords of the tube of a torus
TWIST = math.radians(3.0), math.radians(0.1)  # of one layer of a twisted extrusion, at most and at least
SADDLE = 1e-3  # of the radius: what the two triangles of a twisted quadrilateral miss
CROSSINGS = 32  # of one segment that are kept
CHUNK = 16  # segments of a profile in one box
BIG = 1e300

Surfaces = namedtuple("Surfaces", "type par first count plane seg chunk tri box link todo work")
Surfaces.__doc__ = """One row a shape. type (n,); par (n, 4): radius and sign (sphere, -1 where the material is
outside), semi-axes (ellipsoid), half length and whether the ends count (prism); first, count (n,): rows in ``plane``
(n, d with n.x <= d inside), ``seg`` (two points (r, z) or (x, y), material on the left; chunk (.., 4): boxes of `CHUNK`
rows each) or root of the tree in ``box`` and ``link``; tri (nt, 9) corners, material behind them; todo, work: room for
the kernels."""


@dataclass
class Surface:
    """The surface of one `model.shape.Solid` in its own axes.

    ``closed``: it bounds a volume, so that reference points can lie inside; ``deviation``: greatest distance between it
    and the true surface; ``centre``, ``radius``: a sphere around it, infinite where it has no end.
    """

    type: int
    par: tuple[float, ...] = ()
    planes: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))
    segments: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))
    triangles: np.ndarray = field(default_factory=lambda: np.zeros((0, 9)))
    closed: bool = True
    deviation: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))
    radius: float = math.inf
    low: np.ndarray = field(default_factory=lambda: np.full(3, -math.inf))
    high: np.ndarray = field(default_factory=lambda: np.full(3, math.inf))


def surface_of(solid) -> Surface:
    """The surface of a `model.shape.Solid` (lengths of the model's units).  Raises ModelError for a shape that it does
    not know."""
    from ..shape_kinds import ROWS, contact_parts

    if solid.kind not in ROWS:
        raise ModelError(f"the contact referee does not support shapes of type {solid.kind}")
    return contact_parts(solid.kind).surface(solid, solid.par)


def _bounded(surface: Surface, low, high) -> Surface:
    surface.low, surface.high = np.asarray(low, float), np.asarray(high, float)
    surface.centre = 0.5 * (surface.low + surface.high)
    surface.radius = float(np.linalg.norm(0.5 * (surface.high - surface.low)))
    return surface


def point_surface(solid, p):
    return _bounded(Surface(NOTHING, closed=False), (0, 0, 0), (0, 0, 0))


def sphere_surface(solid, p):
    r = p[0]
    return _bounded(Surface(SPHERE, (r, -1.0 if p[1] else 1.0), closed=not p[1]), (-r, -r, -r), (r, r, r))


def plane_surface(solid, p):
    if p[0] == 0.0:
        return Surface(HALF_SPACE, closed=False)
    return _block((-p[0], -p[1], -max(p[0], p[1])), (p[0], p[1], 0.0))


def _block(low, high):
    planes = [(*(s * np.eye(3)[k]), s * (high if s > 0 else low)[k]) for k in range(3) for s in (1.0, -1.0)]
    return _bounded(Surface(POLYHEDRON, planes=np.array(planes, float)), low, high)


def box_surface(solid, p):
    return _block(-np.array(p[:3]), np.array(p[:3]))


def ellipsoid_surface(solid, p):
    return _bounded(Surface(ELLIPSOID, tuple(p[:3])), -np.array(p[:3]), np.array(p[:3]))


def _revolved(points, closed=True, deviation=0.0, keep=None):
    """Surface of revolution of profile points (n, 2) = (radius, height), material on the left."""
    points = np.asarray(points, float)
    following = np.roll(points, -1, axis=0)
    segments = np.hstack([points, following])[: None if closed else -1]
    on_axis = (segments[:, 0] <= 0.0) & (segments[:, 2] <= 0.0)
    segments = segments[~on_axis] if keep is None else segments[keep]
    r, low, high = points[:, 0].max(), points[:, 1].min(), points[:, 1].max()
    return _bounded(
        Surface(REVOLUTION, segments=segments, closed=closed, deviation=deviation), (-r, -r, low), (r, r, high)
    )


def cylinder_surface(solid, p):
    r, h = p[0], p[1]
    if p[2]:
        return _revolved([(r, h), (r, -h)], closed=False)
    rectangle = [(0.0, -h), (r, -h), (r, h), (0.0, h)]
    return _revolved(rectangle) if p[3] else _revolved(rectangle, keep=[1])


def capsule_surface(solid, p):
    r, h = p[0], p[1]
    a = np.linspace(-0.5 * np.pi, 0.0, 91)
    low = np.column_stack([r * np.cos(a), -h + r * np.sin(a)])
    high = np.column_stack([r * np.cos(-a[::-1]), h - r * np.sin(a[::-1])])
    points = np.vstack([low, high])
    points[[0, -1], 0] = 0.0
    return _revolved(points, deviation=r * (1.0 - math.cos(0.5 * ARC)))


def frustum_surface(solid, p):
    a, b, h = p[:3]
    points = [(0.0, -h), (a, -h), (b, h), (0.0, h)]
    if a == 0.0:
        points = points[1:]
    if b == 0.0:
        points = points[:-1]
    return _revolved(points)


def torus_surface(solid, p):
    a = np.linspace(0.0, 2.0 * np.pi, CIRCLE, endpoint=False)
    points = np.column_stack([p[0] + p[1] * np.cos(a), p[1] * np.sin(a)])
    return _revolved(points, deviation=p[1] * (1.0 - math.cos(np.pi / CIRCLE)))


def revolution_surface(solid, p):
    points, deviation = _chords(solid.profile)
    return _revolved(points, deviation=deviation)


def _chords(profile):
    points = profile.polyline(ARC, 64)
    coarse = profile.polyline(2.0 * ARC, 32)
    if len(coarse) == len(profile.points):
        return points, 0.0
    step = np.linalg.norm(np.diff(points, axis=0), axis=1).max() if len(points) > len(profile.points) else 0.0
    return points, 0.25 * math.tan(ARC) * float(step) if profile.order <= 2 else 1e-3 * float(step)


def extrusion_surface(solid, p):
    points, deviation = _chords(solid.profile)
    if p[1]:
        return _twisted(points, p[0], p[1], deviation)
    segments = np.hstack([points, np.roll(points, -1, axis=0)])
    low, high = points.min(axis=0), points.max(axis=0)
    return _bounded(Surface(PRISM, (p[0], 1.0), segments=segments, deviation=deviation), (*low, -p[0]), (*high, p[0]))


def curve_surface(solid, p):
    points, deviation = _chords(solid.profile)
    closed = bool(solid.profile.closed)
    segments = np.hstack([points, np.roll(points, -1, axis=0)])[: None if closed else -1]
    low, high = points.min(axis=0), points.max(axis=0)
    if p[0] > 0.0:
        return _bounded(
            Surface(PRISM, (0.5 * p[0], 0.0), segments=segments, closed=closed, deviation=deviation),
            (*low, -0.5 * p[0]),
            (*high, 0.5 * p[0]),
        )
    surface = Surface(PRISM, (math.inf, 0.0), segments=segments, closed=closed, deviation=deviation)
    surface.low[:2], surface.high[:2] = low, high
    surface.centre = np.array([*(0.5 * (low + high)), 0.0])
    return surface


def _twisted(points, h, twist, deviation):
    r = float(np.linalg.norm(points, axis=1).max())
    longest = float(np.linalg.norm(points - np.roll(points, -1, axis=0), axis=1).max())
    step = min(TWIST[0], max(TWIST[1], 4.0 * SADDLE * r / longest))
    layers = max(2, math.ceil(abs(twist) * 2.0 * h / step))
    z = np.linspace(-h, h, layers + 1)
    n = len(points)
    turn = twist * z  # the profile is as drawn in the middle
    ring = np.stack(
        [
            np.cos(turn)[:, None] * points[:, 0] - np.sin(turn)[:, None] * points[:, 1],
            np.sin(turn)[:, None] * points[:, 0] + np.cos(turn)[:, None] * points[:, 1],
            np.repeat(z[:, None], n, axis=1),
        ],
        axis=-1,
    )
    a, b = ring[:-1], np.roll(ring[:-1], -1, axis=1)
    c, d = ring[1:], np.roll(ring[1:], -1, axis=1)
    sides = np.concatenate([np.stack([a, b, d], axis=2).reshape(-1, 9), np.stack([a, d, c], axis=2).reshape(-1, 9)])
    ends = polygon_triangles(points)
    ends = np.concatenate([ring[0][ends[:, ::-1]].reshape(-1, 9), ring[-1][ends].reshape(-1, 9)])
    surface = triangle_surface(
        np.concatenate([sides, ends]), deviation + r * (1.0 - math.cos(0.5 * step)) + 0.25 * longest * step
    )
    surface.low[2], surface.high[2] = -h, h
    return surface


def triangle_surface(corners, deviation=0.0, closed=True):
    """Surface of triangles (n, 9), corners counter-clockwise seen from outside; ``deviation``: what they miss of the
    true one at most."""
    corners = np.ascontiguousarray(corners, float)
    flat = corners.reshape(-1, 3)
    return _bounded(
        Surface(TRIANGLES, triangles=corners, closed=closed, deviation=deviation), flat.min(axis=0), flat.max(axis=0)
    )


def mesh_surface(solid, p):
    return triangle_surface(solid.vertices[solid.triangles].reshape(-1, 9))


def hull_surface(solid, p):
    from scipy.spatial import ConvexHull

    v = np.asarray(solid.vertices, float)
    middle = v.mean(axis=0)
    equations = np.unique(np.round(ConvexHull(v - middle).equations, 12), axis=0)
    planes = np.column_stack([equations[:, :3], -equations[:, 3] + equations[:, :3] @ middle])
    return _bounded(Surface(POLYHEDRON, planes=planes), v.min(axis=0), v.max(axis=0))


def pack(surfaces: list[Surface]) -> Surfaces:
    """Tables of these surfaces; the same object twice shares its rows."""
    n = len(surfaces)
    kind, first, count = (np.zeros(n, np.int64) for _ in range(3))
    par = np.zeros((n, 4))
    pools: dict[str, list[np.ndarray]] = {
        "plane": [np.zeros((0, 4))],
        "seg": [np.zeros((0, 4))],
        "chunk": [np.zeros((0, 4))],
        "tri": [np.zeros((0, 9))],
        "box": [np.zeros((0, 6))],
        "link": [np.zeros((0, 2), np.int64)],
    }
    sizes = dict.fromkeys(pools, 0)
    known: dict[int, int] = {}

    def put(name, rows):
        at = sizes[name]
        pools[name].append(rows)
        sizes[name] += len(rows)
        return at

    for k, s in enumerate(surfaces):
        kind[k] = s.type
        par[k, : len(s.par)] = s.par
        if id(s) in known:
            first[k], count[k] = first[known[id(s)]], count[known[id(s)]]
            continue
        known[id(s)] = k
        if s.type == POLYHEDRON:
            first[k], count[k] = put("plane", s.planes), len(s.planes)
        elif s.type in (REVOLUTION, PRISM):
            first[k], count[k] = put("seg", s.segments), len(s.segments)
            rest = -len(s.segments) % CHUNK
            put("seg", np.repeat(s.segments[-1:], rest, axis=0))
            ends = np.vstack([s.segments, np.repeat(s.segments[-1:], rest, axis=0)]).reshape(-1, 2 * CHUNK, 2)
            put("chunk", np.hstack([ends.min(axis=1), ends.max(axis=1)]))
        elif s.type == TRIANGLES:
            order, box, link = build_tree(s.triangles)
            start = put("tri", s.triangles[order])
            root = sizes["box"]
            leaf = link[:, 1] > 0
            link[leaf, 0] += start
            link[~leaf, 0] += root
            put("box", box)
            first[k], count[k] = put("link", link), len(s.triangles)
    return Surfaces(
        kind,
        par,
        first,
        count,
        *(np.ascontiguousarray(np.vstack(pools[name])) for name in ("plane", "seg", "chunk", "tri", "box", "link")),
        np.zeros(64, np.int64),
        np.zeros((3, 3)),
    )


# ---- where a segment crosses a surface -------------------------------------------------------------------------------
@jit
def _note(out, n, t, nx, ny, nz, dx, dy, dz):
    """One more crossing at fraction t with outward normal n (not of unit length) of a path along d."""
    slope = nx * dx + ny * dy + nz * dz
    if n >= out.shape[0] or slope == 0.0:
        return n
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    k = n
    while k > 0 and out[k - 1, 0] > t:
        for c in range(5):
            out[k, c] = out[k - 1, c]
        k -= 1
    out[k, 0] = t
    out[k, 1] = 1.0 if slope < 0.0 else -1.0
    out[k, 2], out[k, 3], out[k, 4] = nx / length, ny / length, nz / length
    return n + 1


@jit
def _cross_sphere(r, sign, p, d, out):
    a = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    b = p[0] * d[0] + p[1] * d[1] + p[2] * d[2]
    c = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - r * r
    n = 0
    disc = b * b - a * c
    if a == 0.0 or disc <= 0.0:
        return 0
    root = math.sqrt(disc)
    for k in range(2):
        t = (-b - root) / a if k == 0 else (-b + root) / a
        if 0.0 <= t < 1.0:
            n = _note(
                out,
                n,
                t,
                sign * (p[0] + t * d[0]),
                sign * (p[1] + t * d[1]),
                sign * (p[2] + t * d[2]),
                d[0],
                d[1],
                d[2],
            )
    return n


@jit(later="int64")
def _cross_polyhedron(T, s, p, d, out):
    enter, leave = -BIG, BIG
    i = j = -1
    for k in range(T.first[s], T.first[s] + T.count[s]):
        f = T.plane[k]
        slope = f[0] * d[0] + f[1] * d[1] + f[2] * d[2]
        gap = f[0] * p[0] + f[1] * p[1] + f[2] * p[2] - f[3]
        if slope == 0.0:
            if gap > 0.0:
                return 0
            continue
        t = -gap / slope
        if slope < 0.0:
            if t > enter:
                enter, i = t, k
        elif t < leave:
            leave, j = t, k
        if enter >= leave:
            return 0
    n = 0
    if i >= 0 and 0.0 <= enter < 1.0:
        f = T.plane[i]
        n = _note(out, n, enter, f[0], f[1], f[2], d[0], d[1], d[2])
    if j >= 0 and 0.0 <= leave < 1.0:
        f = T.plane[j]
        n = _note(out, n, leave, f[0], f[1], f[2], d[0], d[1], d[2])
    return n


@jit(later="int64")
def _cross_revolution(T, s, p, d, out):
    n = 0
    pp = p[0] * p[0] + p[1] * p[1]
    pd = p[0] * d[0] + p[1] * d[1]
    dd = d[0] * d[0] + d[1] * d[1]
    lowest, highest = min(p[2], p[2] + d[2]), max(p[2], p[2] + d[2])
    for k in range(T.first[s], T.first[s] + T.count[s]):
        g = T.seg[k]
        r0, z0, r1, z1 = g[0], g[1], g[2], g[3]
        low, high = min(z0, z1), max(z0, z1)
        if high < lowest or low > highest:
            continue
        if z0 == z1:
            if d[2] == 0.0:
                continue
            t = (z0 - p[2]) / d[2]
            if 0.0 <= t < 1.0:
                r = math.sqrt(max(pp + 2.0 * t * pd + t * t * dd, 0.0))
                if min(r0, r1) <= r < max(r0, r1):
                    n = _note(out, n, t, 0.0, 0.0, r0 - r1, d[0], d[1], d[2])
            continue
        m = (r1 - r0) / (z1 - z0)
        rp = r0 + m * (p[2] - z0)
        a = dd - m * m * d[2] * d[2]
        b = pd - m * d[2] * rp
        c = pp - rp * rp
        roots = 0
        t0 = t1 = 0.0
        if abs(a) <= 1e-14 * (dd + m * m * d[2] * d[2]):
            if b != 0.0:
                t0, roots = -0.5 * c / b, 1
        else:
            disc = b * b - a * c
            if disc > 0.0:
                q = -(b + math.copysign(math.sqrt(disc), b))
                t0, t1, roots = q / a, (c / q if q != 0.0 else 2.0), 2
        for i in range(roots):
            t = t0 if i == 0 else t1
            if not 0.0 <= t < 1.0:
                continue
            z = p[2] + t * d[2]
            if low <= z < high and r0 + m * (z - z0) >= 0.0:
                x, y = p[0] + t * d[0], p[1] + t * d[1]
                r = math.sqrt(x * x + y * y)
                if r > 0.0:
                    n = _note(out, n, t, (z1 - z0) * x / r, (z1 - z0) * y / r, r0 - r1, d[0], d[1], d[2])
    return n


@jit(later="boolean")
def _in_profile(T, s, x, y):
    """Is (x, y) inside the closed profile of a prism?"""
    inside = False
    first, end = T.first[s], T.first[s] + T.count[s]
    for m in range(first // CHUNK, (end + CHUNK - 1) // CHUNK):
        b = T.chunk[m]
        if y < b[1] or y > b[3] or x > b[2]:
            continue
        for k in range(CHUNK * m, min(CHUNK * m + CHUNK, end)):
            g = T.seg[k]
            if (g[1] > y) != (g[3] > y) and x < g[0] + (y - g[1]) * (g[2] - g[0]) / (g[3] - g[1]):
                inside = not inside
    return inside


@jit(later="int64")
def _cross_prism(T, s, p, d, out):
    n = 0
    h = T.par[s, 0]
    x0, x1 = min(p[0], p[0] + d[0]), max(p[0], p[0] + d[0])
    y0, y1 = min(p[1], p[1] + d[1]), max(p[1], p[1] + d[1])
    first, end = T.first[s], T.first[s] + T.count[s]
    for m in range(first // CHUNK, (end + CHUNK - 1) // CHUNK):
        b = T.chunk[m]
        if x1 < b[0] or x0 > b[2] or y1 < b[1] or y0 > b[3]:
            continue
        for k in range(CHUNK * m, min(CHUNK * m + CHUNK, end)):
            g = T.seg[k]
            ex, ey = g[2] - g[0], g[3] - g[1]
            det = d[0] * ey - d[1] * ex
            if det == 0.0:
                continue
            wx, wy = g[0] - p[0], g[1] - p[1]
            t = (wx * ey - wy * ex) / det
            u = (wx * d[1] - wy * d[0]) / det
            if 0.0 <= t < 1.0 and 0.0 <= u < 1.0 and abs(p[2] + t * d[2]) <= h:
                n = _note(out, n, t, ey, -ex, 0.0, d[0], d[1], d[2])
    if T.par[s, 1] > 0.0 and d[2] != 0.0:
        for side in (-1.0, 1.0):
            t = (side * h - p[2]) / d[2]
            if 0.0 <= t < 1.0 and _in_profile(T, s, p[0] + t * d[0], p[1] + t * d[1]):
                n = _note(out, n, t, 0.0, 0.0, side, d[0], d[1], d[2])
    return n


@jit
def _misses(box, p, d):
    """Does the segment p, p + d miss a box?"""
    enter, leave = 0.0, 1.0
    for k in range(3):
        if d[k] == 0.0:
            if p[k] < box[k] or p[k] > box[k + 3]:
                return True
            continue
        a, b = (box[k] - p[k]) / d[k], (box[k + 3] - p[k]) / d[k]
        if a > b:
            a, b = b, a
        enter, leave = max(enter, a), min(leave, b)
        if enter > leave * (1.0 + 1e-12) + 1e-15:
            return True
    return False


@jit(later="int64")
def _cross_triangles(T, s, p, d, out):
    n = 0
    todo = T.todo
    todo[0] = T.first[s]
    m = 1
    while m > 0:
        m -= 1
        node = todo[m]
        if _misses(T.box[node], p, d):
            continue
        at, number = T.link[node, 0], T.link[node, 1]
        if number == 0:
            todo[m], todo[m + 1] = at, at + 1
            m += 2
            continue
        for k in range(at, at + number):
            c = T.tri[k]
            ax, ay, az = c[3] - c[0], c[4] - c[1], c[5] - c[2]
            bx, by, bz = c[6] - c[0], c[7] - c[1], c[8] - c[2]
            nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
            slope = nx * d[0] + ny * d[1] + nz * d[2]
            if slope == 0.0:
                continue
            wx, wy, wz = p[0] - c[0], p[1] - c[1], p[2] - c[2]
            t = -(nx * wx + ny * wy + nz * wz) / slope
            if not 0.0 <= t < 1.0:
                continue
            # barycentric coordinates by the signed volumes of the path with the edges
            ex, ey, ez = d[1] * wz - d[2] * wy, d[2] * wx - d[0] * wz, d[0] * wy - d[1] * wx
            u = (bx * ex + by * ey + bz * ez) / slope
            v = -(ax * ex + ay * ey + az * ez) / slope
            if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
                n = _note(out, n, t, nx, ny, nz, d[0], d[1], d[2])
    return n


@jit
def crossings(T, s, p, d, out):
    """Where the segment from p to p + d (in the axes of shape s) crosses its surface: rows (fraction, 1 into the
    material or -1 out of it, unit outward normal (3)) of ``out`` by rising fraction; their number."""
    kind = T.type[s]
    if kind == SPHERE:
        return _cross_sphere(T.par[s, 0], T.par[s, 1], p, d, out)
    if kind == HALF_SPACE:
        if d[2] != 0.0 and 0.0 <= -p[2] / d[2] < 1.0:
            return _note(out, 0, -p[2] / d[2], 0.0, 0.0, 1.0, d[0], d[1], d[2])
        return 0
    if kind == POLYHEDRON:
        return _cross_polyhedron(T, s, p, d, out)
    if kind == REVOLUTION:
        return _cross_revolution(T, s, p, d, out)
    if kind == PRISM:
        return _cross_prism(T, s, p, d, out)
    if kind == TRIANGLES:
        return _cross_triangles(T, s, p, d, out)
    if kind == ELLIPSOID:
        q, e = T.work[0], T.work[1]
        for c in range(3):
            q[c], e[c] = p[c] / T.par[s, c], d[c] / T.par[s, c]
        n = _cross_sphere(1.0, 1.0, q, e, out)
        for k in range(n):
            length = 0.0
            for c in range(3):
                out[k, 2 + c] /= T.par[s, c]
                length += out[k, 2 + c] ** 2
            for c in range(3):
                out[k, 2 + c] /= math.sqrt(length)
        return n
    return 0


# ---- distance from a surface -----------------------------------------------------------------------------------------
@jit
def _to_segment(x, y, g):
    ex, ey = g[2] - g[0], g[3] - g[1]
    wx, wy = x - g[0], y - g[1]
    square = ex * ex + ey * ey
    t = (wx * ex + wy * ey) / square if square > 0.0 else 0.0
    t = min(max(t, 0.0), 1.0)
    wx -= t * ex
    wy -= t * ey
    return wx * wx + wy * wy


@jit(later="float64")
def _to_profile(T, s, x, y, best):
    """Square of the distance of (x, y) from the profile of shape s, or ``best`` where that is less."""
    first, end = T.first[s], T.first[s] + T.count[s]
    for m in range(first // CHUNK, (end + CHUNK - 1) // CHUNK):
        b = T.chunk[m]
        ex, ey = max(b[0] - x, x - b[2], 0.0), max(b[1] - y, y - b[3], 0.0)
        if ex * ex + ey * ey < best:
            for k in range(CHUNK * m, min(CHUNK * m + CHUNK, end)):
                best = min(best, _to_segment(x, y, T.seg[k]))
    return best


@jit
def _to_box(box, p):
    square = 0.0
    for k in range(3):
        e = max(box[k] - p[k], p[k] - box[k + 3], 0.0)
        square += e * e
    return square


@jit
def _to_triangle(c, p):
    """Square of the distance of p from a triangle (C. Ericson, Real-Time Collision Detection, 2005, 5.1.5)."""
    ax, ay, az = c[3] - c[0], c[4] - c[1], c[5] - c[2]
    bx, by, bz = c[6] - c[0], c[7] - c[1], c[8] - c[2]
    wx, wy, wz = p[0] - c[0], p[1] - c[1], p[2] - c[2]
    d1, d2 = ax * wx + ay * wy + az * wz, bx * wx + by * wy + bz * wz
    aa, ab, bb = ax * ax + ay * ay + az * az, ax * bx + ay * by + az * bz, bx * bx + by * by + bz * bz
    v = w = 0.0
    d3, d4 = d1 - aa, d2 - ab
    d5, d6 = d1 - ab, d2 - bb
    vc, vb, va = d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4
    if d1 <= 0.0 and d2 <= 0.0:
        pass
    elif d3 >= 0.0 and d4 <= d3:
        v = 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v = d1 / (d1 - d3) if d1 != d3 else 0.0
    elif d6 >= 0.0 and d5 <= d6:
        w = 1.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        w = d2 / (d2 - d6) if d2 != d6 else 0.0
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        e = d4 - d3 + d5 - d6
        w = (d4 - d3) / e if e != 0.0 else 0.0
        v = 1.0 - w
    else:
        e = va + vb + vc
        v, w = (vb / e, vc / e) if e != 0.0 else (0.0, 0.0)
    x, y, z = wx - v * ax - w * bx, wy - v * ay - w * by, wz - v * az - w * bz
    return x * x + y * y + z * z


@jit(later="float64")
def _to_triangles(T, s, p, best):
    """Square of the distance of p from the triangles of shape s, or ``best`` where that is less."""
    todo = T.todo
    todo[0] = T.first[s]
    m = 1
    while m > 0:
        m -= 1
        node = todo[m]
        if _to_box(T.box[node], p) >= best:
            continue
        at, number = T.link[node, 0], T.link[node, 1]
        if number == 0:
            near = _to_box(T.box[at], p) <= _to_box(T.box[at + 1], p)
            todo[m], todo[m + 1] = (at + 1, at) if near else (at, at + 1)
            m += 2
            continue
        for k in range(at, at + number):
            best = min(best, _to_triangle(T.tri[k], p))
    return best


@jit(entry="Surfaces, int64, float64[::1], float64")
def clearance(T, s, p, least):
    """Distance of p (in the axes of shape s) from its surface, from inside or outside; a lower bound of it for
    ellipsoids and outside of polyhedra. Where it is more than ``least``, any number between that and the distance."""
    kind = T.type[s]
    most = least * least if least < 1e150 else BIG
    if kind == SPHERE:
        return abs(math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - T.par[s, 0])
    if kind == HALF_SPACE:
        return abs(p[2])
    if kind == POLYHEDRON:
        out = -BIG
        for k in range(T.first[s], T.first[s] + T.count[s]):
            f = T.plane[k]
            out = max(out, f[0] * p[0] + f[1] * p[1] + f[2] * p[2] - f[3])
        return abs(out)
    if kind == ELLIPSOID:
        a, b, c = T.par[s, 0], T.par[s, 1], T.par[s, 2]
        return abs(math.sqrt((p[0] / a) ** 2 + (p[1] / b) ** 2 + (p[2] / c) ** 2) - 1.0) * min(a, b, c)
    if kind == REVOLUTION:
        return math.sqrt(_to_profile(T, s, math.sqrt(p[0] * p[0] + p[1] * p[1]), p[2], most))
    if kind == PRISM:
        h, ends = T.par[s, 0], T.par[s, 1] > 0.0
        best = math.sqrt(_to_profile(T, s, p[0], p[1], most))
        beyond = abs(p[2]) - h
        if ends and _in_profile(T, s, p[0], p[1]):
            return min(best, -beyond) if beyond < 0.0 else beyond
        return best if beyond <= 0.0 else math.sqrt(best * best + beyond * beyond)
    if kind == TRIANGLES:
        return math.sqrt(_to_triangles(T, s, p, most))
    return BIG


@jit
def inside(T, s, p, far, out):
    """Is p inside the material of shape s?  The first crossing of a path that leads ``far`` away, beyond the shape,
    leaves it."""
    d = T.work[2]
    d[0], d[1], d[2] = 0.4823791 * far, 0.7103917 * far, 0.5127413 * far
    return crossings(T, s, p, d, out) > 0 and out[0, 1] < 0.0
