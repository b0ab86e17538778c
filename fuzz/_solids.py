"""Random shapes for the generators of contact: how a model draws them, how far a point is from them, and points of
their surface.

Distances and surfaces come from closed forms, polygons in the half-plane of a turned profile and plain sums over
triangles, not from the kernels that are tried.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SOLID_TYPES = (
    "SPHERE",
    "BOX",
    "CYLINDER",
    "CAPSULE",
    "FRUSTUM",
    "ELLIPSOID",
    "TORUS",
    "HULL",
    "MESH",
    "EXTRUSION",
    "REVOLUTION",
)
PLANE = "PLANE"  # a half-space below z = 0: drawn only, its distances are heights
PRISM = "PRISM"  # a plane with a rectangle: the box under it, data (hx, hy, hz) as of a BOX


@dataclass
class Solid:
    """A shape about its own origin.  ``data``: its numbers; ``radius``: of a ball about the origin that holds it."""

    kind: str
    data: Any
    radius: float
    volume_radius: float = 1.0
    kept: dict = field(default_factory=dict)

    # ---- drawing ----------------------------------------------------------------------------------------------------
    def draw(self, model, part, at, axes):
        """The GRAPHICS of this shape on a part, its origin at ``at`` and its axes the columns of ``axes`` (ground)."""
        d = self.data
        at, x, z = np.asarray(at, float), axes[:, 0], axes[:, 2]
        if self.kind == PLANE:
            return model.plane(part, at, z)
        if self.kind == PRISM:
            return model.plane(part, at + d[2] * z, z, size=(2.0 * d[0], 2.0 * d[1]), x=x)
        if self.kind == "SPHERE":
            return model.sphere(part, at, d[0])
        if self.kind == "BOX":
            return model.box(part, at, [2.0 * s for s in d], x=x, z=z)
        if self.kind == "CYLINDER":
            return model.cylinder(part, at - d[1] * z, at + d[1] * z, d[0])
        if self.kind == "CAPSULE":
            return model.capsule(part, at - d[1] * z, at + d[1] * z, d[0])
        if self.kind == "FRUSTUM":
            return model.cone(part, at - d[2] * z, at + d[2] * z, d[0], d[1])
        if self.kind == "ELLIPSOID":
            return model.ellipsoid(part, at, d, x=x, z=z)
        if self.kind == "TORUS":
            return model.torus(part, at, z, d[0], d[1])
        if self.kind == "HULL":
            return model.hull(part, d, at=at, x=x, z=z)
        if self.kind == "MESH":
            return model.mesh(part, d, at=at, x=x, z=z)
        if self.kind == "EXTRUSION":
            return model.extrusion(part, d[0], d[1], at=at - 0.5 * d[1] * z, axis=z, x=x)
        return model.revolution(part, d, at=at, axis=z)

    # ---- distance ---------------------------------------------------------------------------------------------------
    def distance(self, p: np.ndarray) -> np.ndarray:
        """Signed distances (n,) of points (n, 3) in the shape's axes, negative inside."""
        d = self.data
        p = np.asarray(p, float).reshape(-1, 3)
        rho = np.hypot(p[:, 0], p[:, 1])
        if self.kind == "SPHERE":
            return np.linalg.norm(p, axis=1) - d[0]
        if self.kind in ("BOX", PRISM):
            q = np.abs(p) - np.asarray(d)
            return np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(axis=1), 0)
        if self.kind == "CAPSULE":
            return np.hypot(rho, np.maximum(np.abs(p[:, 2]) - d[1], 0)) - d[0]
        if self.kind == "TORUS":
            return np.hypot(rho - d[0], p[:, 2]) - d[1]
        if self.kind in ("CYLINDER", "FRUSTUM", "REVOLUTION"):
            return polygon_distance(self.half(), np.column_stack([rho, p[:, 2]]))
        if self.kind == "EXTRUSION":
            a, b = polygon_distance(np.asarray(d[0]), p[:, :2]), np.abs(p[:, 2]) - 0.5 * d[1]
            return np.hypot(np.maximum(a, 0), np.maximum(b, 0)) + np.minimum(np.maximum(a, b), 0)
        if self.kind == "ELLIPSOID":
            return ellipsoid_distance(np.asarray(d, float), p)
        return mesh_distance(*self.triangles(), p)

    def half(self) -> np.ndarray:
        """Closed polygon (r, z) of a turned shape, the axis taken as part of it mirrored so that no side lies on it."""
        if self.kind == "CYLINDER":
            r, h = self.data
            return np.array([(-r, -h), (r, -h), (r, h), (-r, h)])
        if self.kind == "FRUSTUM":
            r, s, h = self.data
            return np.array([(-r, -h), (r, -h), (s, h), (-s, h)]) if s > 0 else np.array([(-r, -h), (r, -h), (0, h)])
        q = np.asarray(self.data, float)
        if q[0, 0] == 0.0 and q[-1, 0] == 0.0:  # from the axis to the axis
            return np.vstack([q, np.column_stack([-q[-2:0:-1, 0], q[-2:0:-1, 1]])])
        return q

    def triangles(self) -> tuple[np.ndarray, np.ndarray]:
        if self.kind == "HULL" and "mesh" not in self.kept:
            from scipy.spatial import ConvexHull

            points = np.asarray(self.data, float)
            hull = ConvexHull(points)
            tri = hull.simplices.copy()
            n = np.cross(points[tri[:, 1]] - points[tri[:, 0]], points[tri[:, 2]] - points[tri[:, 0]])
            wrong = np.einsum("ij,ij->i", n, hull.equations[:, :3]) < 0
            tri[wrong] = tri[wrong][:, ::-1]
            self.kept["mesh"] = points, tri
        points, triangles = self.kept["mesh"] if self.kind == "HULL" else self.data
        return np.asarray(points, float), np.asarray(triangles)

    # ---- surface ----------------------------------------------------------------------------------------------------
    def surface(self, n: int = 4000) -> np.ndarray:
        """About n points of the surface, its corners, edges and rims among them."""
        d = self.data
        if self.kind in ("SPHERE", "ELLIPSOID"):
            i = np.arange(n) + 0.5
            z, a = 1 - 2 * i / n, math.pi * (1 + math.sqrt(5)) * i
            s = np.sqrt(1 - z * z)
            return np.column_stack([s * np.cos(a), s * np.sin(a), z]) * (
                d[0] if self.kind == "SPHERE" else np.asarray(d)
            )
        if self.kind == "TORUS":
            k = int(math.sqrt(n * d[0] / d[1]))
            return turned(
                np.column_stack(
                    [d[0] + d[1] * np.cos(t := np.linspace(0, 2 * np.pi, max(n // k, 16), False)), d[1] * np.sin(t)]
                ),
                k,
            )
        if self.kind == "CAPSULE":
            t = np.linspace(0, 0.5 * np.pi, 16)
            top = np.column_stack([d[0] * np.cos(t), d[1] + d[0] * np.sin(t)])
            side = np.column_stack([np.full(16, d[0]), np.linspace(-d[1], d[1], 18)[1:-1]])
            return turned(np.vstack([top, side, top * (1, -1)]), n // 48)
        if self.kind in ("CYLINDER", "FRUSTUM", "REVOLUTION"):
            half = self.half()
            line = polygon_points(half, int(math.sqrt(2.0 * n)))
            return turned(line[line[:, 0] >= -1e-12], int(math.sqrt(n)))
        if self.kind == "EXTRUSION":
            line = polygon_points(np.asarray(d[0]), int(math.sqrt(2.0 * n)))
            m = int(math.sqrt(n))
            z = np.linspace(-0.5 * d[1], 0.5 * d[1], max(m // 2, 8))
            out = [np.column_stack([np.tile(line, (len(z), 1)), np.repeat(z, len(line))])]
            low, high = line.min(axis=0), line.max(axis=0)
            grid = np.stack(np.meshgrid(*(np.linspace(a, b, 40) for a, b in zip(low, high))), -1).reshape(-1, 2)
            grid = grid[polygon_distance(np.asarray(d[0]), grid) < 0]
            out += [np.column_stack([grid, np.full(len(grid), w)]) for w in (z[0], z[-1])]
            return np.vstack(out)
        if self.kind in ("BOX", PRISM):
            t = np.linspace(-1, 1, max(int(math.sqrt(n / 6)), 5))
            u, v = (g.ravel() for g in np.meshgrid(t, t))
            out = []
            for k in range(3):
                for side in (-1.0, 1.0):
                    q = np.zeros((len(u), 3))
                    q[:, k], q[:, (k + 1) % 3], q[:, (k + 2) % 3] = side, u, v
                    out.append(q)
            return np.vstack(out) * np.asarray(d)
        points, tri = self.triangles()
        m = max(int(math.sqrt(2.0 * n / len(tri))), 2)
        grid = np.array([(i / m, j / m) for i in range(m + 1) for j in range(m + 1 - i)])
        a, b, c = (points[tri[:, k]] for k in range(3))
        return np.vstack([a + u * (b - a) + v * (c - a) for u, v in grid])

    def edges(self, n: int = 200) -> np.ndarray:
        """Points (.., 3) of its edges and rims, ``n`` of each: bodies touch there between the points of `surface`."""
        d, t = self.data, np.linspace(0.0, 1.0, n)[:, None]
        if self.kind in ("CYLINDER", "FRUSTUM", "REVOLUTION"):
            half = self.half()
            return turned(half[half[:, 0] > 1e-12], 4 * n)
        if self.kind == "EXTRUSION":
            outline = np.asarray(d[0], float)
            low, high = (np.column_stack([outline, np.full(len(outline), z * d[1])]) for z in (-0.5, 0.5))
            pairs = [(low, high), (low, np.roll(low, -1, axis=0)), (high, np.roll(high, -1, axis=0))]
            return np.vstack([a + t * (b - a) for one, other in pairs for a, b in zip(one, other)])
        if self.kind in ("BOX", PRISM, "HULL", "MESH"):
            points, tri = box_mesh(d) if self.kind in ("BOX", PRISM) else self.triangles()
            points, tri = np.asarray(points, float), np.asarray(tri)
            normal = np.cross(points[tri[:, 1]] - points[tri[:, 0]], points[tri[:, 2]] - points[tri[:, 0]])
            normal /= np.linalg.norm(normal, axis=1)[:, None]
            faces: dict[tuple[int, int], list[int]] = {}
            for k, corners in enumerate(tri.tolist()):
                for a, b in zip(corners, corners[1:] + corners[:1]):
                    faces.setdefault((min(a, b), max(a, b)), []).append(k)
            sharp = [e for e, f in faces.items() if len(f) != 2 or normal[f[0]] @ normal[f[1]] < 1.0 - 1e-9]
            m = max(n // 4, 2)
            return np.vstack([points[a] + t[:: n // m] * (points[b] - points[a]) for a, b in sharp])
        return np.zeros((0, 3))


def turned(line: np.ndarray, m: int) -> np.ndarray:
    a = 2 * np.pi * np.arange(m) / m
    r, z = np.repeat(line[:, 0], m), np.repeat(line[:, 1], m)
    a = np.tile(a, len(line))
    return np.column_stack([r * np.cos(a), r * np.sin(a), z])


def polygon_points(polygon: np.ndarray, n: int) -> np.ndarray:
    """Points of the sides of a closed polygon, its corners among them."""
    nxt = np.roll(polygon, -1, axis=0)
    length = np.linalg.norm(nxt - polygon, axis=1)
    counts = np.maximum(np.ceil(n * length / length.sum()).astype(int), 3)
    return np.vstack([a + np.arange(k)[:, None] / k * (b - a) for a, b, k in zip(polygon, nxt, counts)])


def polygon_distance(polygon: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Signed distances of points (n, 2) to a simple closed polygon, negative inside."""
    polygon = np.asarray(polygon, float)
    best, inside = np.full(len(p), np.inf), np.zeros(len(p), bool)
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0)):
        e = b - a
        t = np.clip((p - a) @ e / max(e @ e, 1e-300), 0, 1)
        best = np.minimum(best, np.linalg.norm(p - a - t[:, None] * e, axis=1))
        with np.errstate(divide="ignore", invalid="ignore"):
            inside ^= ((a[1] > p[:, 1]) != (b[1] > p[:, 1])) & (p[:, 0] < e[0] * (p[:, 1] - a[1]) / e[1] + a[0])
    return np.where(inside, -best, best)


def ellipsoid_distance(axes: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Signed distances of points to an ellipsoid: the root of sum (a x / (t + a^2))^2 = 1 by bisection, on (-least^2,
    ...)."""
    q = np.abs(p)
    low = -(axes.min() ** 2) * np.ones(len(p)) * (1 - 1e-14)
    high = axes.max() * np.linalg.norm(q, axis=1) + 1e-300
    for _ in range(200):
        t = 0.5 * (low + high)
        f = ((axes * q / (t[:, None] + axes**2)) ** 2).sum(axis=1) > 1
        low, high = np.where(f, t, low), np.where(f, high, t)
    t = 0.5 * (low + high)
    foot = q * axes**2 / (t[:, None] + axes**2)
    inside = ((q / axes) ** 2).sum(axis=1) < 1
    # on the middle plane the foot of the smallest axis follows from the surface
    k = int(np.argmin(axes))
    rest = 1 - np.delete((foot / axes) ** 2, k, axis=1).sum(axis=1)
    foot[:, k] = np.where(
        inside & (t < -(axes[k] ** 2) * (1 - 1e-9)), axes[k] * np.sqrt(np.maximum(rest, 0)), foot[:, k]
    )
    return np.where(inside, -1.0, 1.0) * np.linalg.norm(q - foot, axis=1)


def mesh_distance(points: np.ndarray, triangles: np.ndarray, q: np.ndarray, block: int = 400) -> np.ndarray:
    """Signed distances of points to a closed mesh, triangle by triangle; the sign by the solid angle (Van Oosterom,
    Strackee 1983)."""
    p = np.asarray(points, float)[np.asarray(triangles)]
    out = np.empty(len(q))
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    for start in range(0, len(q), block):
        x = q[start : start + block, None]
        h = np.einsum("qtj,tj->qt", x - p[:, 0], normal)
        foot = x - h[..., None] * normal
        within = np.ones(h.shape, bool)
        best = np.full(h.shape, np.inf)
        for k in range(3):
            a, e = p[:, k], p[:, (k + 1) % 3] - p[:, k]
            t = np.clip(np.einsum("qtj,tj->qt", x - a, e) / np.einsum("tj,tj->t", e, e), 0, 1)
            best = np.minimum(best, np.linalg.norm(x - a - t[..., None] * e, axis=2))
            within &= np.einsum("qtj,tj->qt", np.cross(e, foot - a), normal) >= 0
        best = np.where(within, np.abs(h), best).min(axis=1)
        r = p - x[:, :, None]
        size = np.linalg.norm(r, axis=3)
        top = np.einsum("qtj,qtj->qt", r[:, :, 0], np.cross(r[:, :, 1], r[:, :, 2]))
        dots = [
            np.einsum("qtj,qtj->qt", r[:, :, i], r[:, :, j]) * size[:, :, k]
            for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        ]
        angle = 2 * np.arctan2(top, size.prod(axis=2) + sum(dots)).sum(axis=1)
        out[start : start + block] = np.where(angle > 2 * np.pi, -best, best)
    return out


# ---- shapes of scenes ------------------------------------------------------------------------------------------------
#: triangles of a box whose corners are numbered 4 x + 2 y + z, each 0 or 1; normals outward
BOX_TRIANGLES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
    (0, 6, 4), (1, 5, 7), (1, 7, 3)]  # fmt: skip


def box_mesh(half) -> tuple[np.ndarray, np.ndarray]:
    """Corners and triangles of a box about the origin with half sides ``half`` (3)."""
    corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]) * np.asarray(
        half, float
    )
    return corners, np.array(BOX_TRIANGLES)


def prism_mesh(outline, half: float) -> tuple[np.ndarray, list]:
    """Corners and triangles of an angle section (six corners, counter-clockwise, the inner one fourth) from z = -half
    to half."""
    n = len(outline)
    corners = np.array([(x, y, z) for z in (-half, half) for x, y in outline])
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    sides = [t for i in range(n) for j in [(i + 1) % n] for t in ((i, j, n + i), (j, n + j, n + i))]
    return corners, [*((c, b, a) for a, b, c in caps), *((n + a, n + b, n + c) for a, b, c in caps), *sides]


def revolved_mesh(outline, sides: int) -> tuple[np.ndarray, list]:
    """Corners and triangles of a closed outline (r, z), counter-clockwise, revolved about z in ``sides`` steps."""
    angles = 2.0 * np.pi * np.arange(sides) / sides
    corners, number = [], np.zeros((sides, len(outline)), int)
    for k, (r, z) in enumerate(outline):
        for s, angle in enumerate(angles):
            if r == 0.0 and s > 0:
                number[s, k] = number[0, k]
                continue
            number[s, k] = len(corners)
            corners.append((r * np.cos(angle), r * np.sin(angle), z))
    triangles = []
    for s in range(sides):
        a, b = number[s], number[(s + 1) % sides]
        for k in range(len(outline)):
            j = (k + 1) % len(outline)
            triangles += [t for t in ((a[k], b[j], a[j]), (a[k], b[k], b[j])) if len(set(t)) == 3]
    return np.array(corners), triangles


#: bodies that fall, `falling_solid`, and what they fall on, `floor_solid`
FALLING = ("ball", "box", "capsule", "cylinder", "hull", "ellipsoid")
FLOORS = ("box", "plate", "cylinder", "hull", "bounded plane", "mesh", "extrusion")
#: thin-walled bodies, `thin_solid`
THIN = ("plate", "plate mesh", "cup", "angle", "angle mesh", "tube")


def falling_solid(kind: str, d: np.ndarray) -> Solid:
    """A convex body with half sizes ``d`` (3): axis of round bodies along z, with half length d[0] and radius d[1]."""
    d = np.asarray(d, float)
    reach = float(np.linalg.norm(d))
    if kind == "ball":
        return Solid("SPHERE", (reach,), reach)
    if kind in ("box", "ellipsoid"):
        return Solid(kind.upper(), tuple(d), reach if kind == "box" else float(d.max()))
    if kind == "capsule":
        return Solid("CAPSULE", (d[1], d[0]), float(d[0] + d[1]))
    if kind == "cylinder":
        return Solid("CYLINDER", (d[1], d[0]), math.hypot(d[0], d[1]))
    corners = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (0.5, 0.5, 0.5), (-0.5, 0.4, -0.6)]
    return Solid("HULL", np.array(corners) * d, reach)


def floor_solid(kind: str, half: float, deep: float) -> Solid:
    """A floor of 2 ``half`` by 2 ``half`` (a cylinder of this radius), ``deep`` thick, about the middle of its
    thickness."""
    d = (half, half, 0.5 * deep)
    reach = float(np.linalg.norm(d))
    if kind in ("box", "plate"):
        return Solid("BOX", d, reach)
    if kind == "cylinder":
        return Solid("CYLINDER", (half, d[2]), reach)
    if kind == "bounded plane":
        return Solid(PRISM, d, reach)
    if kind == "extrusion":
        return Solid("EXTRUSION", ([(-half, -half), (half, -half), (half, half), (-half, half)], deep), reach)
    return Solid("HULL", box_mesh(d)[0], reach) if kind == "hull" else Solid("MESH", box_mesh(d), reach)


def thin_solid(kind: str, size: float, wall: float) -> Solid:
    """A body of side ``size`` with walls of thickness ``wall``, one of them across x; cups open towards +x."""
    h = 0.5 * size
    reach = math.sqrt(3.0) * h
    angle = [(h, h), (-h, h), (-h, h - wall), (h - wall, h - wall), (h - wall, -h), (h, -h)]
    if kind == "plate":
        return Solid("BOX", (0.5 * wall, h, h), reach)
    if kind == "plate mesh":
        return Solid("MESH", box_mesh((0.5 * wall, h, h)), reach)
    if kind == "tube":
        return Solid("REVOLUTION", [(h - wall, -h), (h, -h), (h, h), (h - wall, h)], reach)
    if kind == "angle":
        return Solid("EXTRUSION", (angle, size), reach)
    if kind == "angle mesh":
        return Solid("MESH", prism_mesh(angle, h), reach)
    corners, triangles = revolved_mesh([(0, 0), (h, 0), (h, h), (h - wall, h), (h - wall, wall), (0, wall)], 24)
    return Solid("MESH", (corners[:, [2, 0, 1]], triangles), reach)


# ---- random ones -----------------------------------------------------------------------------------------------------
def star(random, n: int) -> np.ndarray:
    """A closed polygon with n corners, counter-clockwise, about the origin, in general not convex."""
    angle = 2 * np.pi * (np.arange(n) + random.uniform(-0.3, 0.3, n)) / n
    r = random.uniform(0.45, 1.0, n)
    return np.column_stack([r * np.cos(angle), r * np.sin(angle)])


def ball_mesh(random) -> tuple[np.ndarray, np.ndarray]:
    """A closed mesh: a ball of one to three hundred triangles with lumps, stretched; not convex in general."""
    from scipy.spatial import ConvexHull

    n = int(random.integers(12, 150))
    i = np.arange(n) + 0.5
    z, a = 1 - 2 * i / n, math.pi * (1 + math.sqrt(5)) * i
    points = np.column_stack([np.sqrt(1 - z * z) * np.cos(a), np.sqrt(1 - z * z) * np.sin(a), z])
    hull = ConvexHull(points)
    tri = hull.simplices.copy()
    c = np.cross(points[tri[:, 1]] - points[tri[:, 0]], points[tri[:, 2]] - points[tri[:, 0]])
    wrong = np.einsum("ij,ij->i", c, points[tri[:, 0]]) < 0
    tri[wrong] = tri[wrong][:, ::-1]
    wave = random.normal(size=3) * 2.0
    lump = 1.0 + random.choice([0.0, 0.25]) * np.sin(points @ wave + random.uniform(0, 6))
    return points * lump[:, None] * random.uniform(0.5, 1.0, 3), tri


def random_solid(random, kind: str | None = None, tips: bool = False) -> Solid:
    """A shape of about unit size.  tips: ends of turned profiles may be tips and dents, else they are flat."""
    kind = kind or str(random.choice(SOLID_TYPES))
    u = lambda a, b: float(random.uniform(a, b))
    if kind == PLANE:
        return Solid(kind, (), 1.0)
    if kind == PRISM:
        a, b = random.uniform(0.3, 1.5, 2)
        d = float(a), float(b), 0.5 * float(max(a, b))
        return Solid(kind, d, float(np.linalg.norm(d)))
    if kind == "SPHERE":
        r = u(0.3, 1.0)
        return Solid(kind, (r,), r)
    if kind in ("BOX", "ELLIPSOID"):
        d = tuple(float(x) for x in random.uniform(0.25, 1.0, 3))
        return Solid(kind, d, float(np.linalg.norm(d)) if kind == "BOX" else max(d))
    if kind in ("CYLINDER", "CAPSULE"):
        r, h = u(0.2, 0.8), u(0.2, 0.9)
        return Solid(kind, (r, h), math.hypot(r, h) if kind == "CYLINDER" else r + h)
    if kind == "FRUSTUM":
        r, s, h = u(0.3, 0.9), float(random.choice([0.0, u(0.1, 0.8)])), u(0.3, 0.9)
        return Solid(kind, (r, s, h), math.hypot(max(r, s), h))
    if kind == "TORUS":
        r = u(0.5, 0.9)
        t = u(0.15, 0.4) * r
        return Solid(kind, (r, t), r + t)
    if kind == "HULL":
        p = random.normal(size=(int(random.integers(5, 20)), 3))
        p /= np.linalg.norm(p, axis=1)[:, None]
        p *= random.uniform(0.5, 1.0, 3)
        return Solid(kind, p - p.mean(axis=0), 2.0)
    if kind == "MESH":
        p, t = ball_mesh(random)
        return Solid(kind, (p, t), float(np.linalg.norm(p, axis=1).max()))
    if kind == "EXTRUSION":
        p = star(random, int(random.integers(3, 9)))
        length = u(0.4, 1.6)
        return Solid(kind, (p, length), math.hypot(np.linalg.norm(p, axis=1).max(), 0.5 * length))
    n = int(random.integers(2, 6))
    z = np.sort(random.uniform(-0.9, 0.9, n))
    z += 0.15 * (np.arange(n) - 0.5 * (n - 1))
    r = random.uniform(0.25, 0.9, n)
    q = np.vstack([[(0.0, z[0])], np.column_stack([r, z]), [(0.0, z[-1])]])
    if tips:
        q[0, 1] += float(random.choice([0.0, -0.3, 0.1]))
        q[-1, 1] += float(random.choice([0.0, 0.3, -0.1]))
        if n < 3 and q[0, 1] >= q[-1, 1] - 0.1:
            q[[0, -1], 1] = z[[0, -1]]
    return Solid(kind, q, float(np.linalg.norm(q, axis=1).max()))
