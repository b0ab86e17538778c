"""Triangle meshes of simple bodies for pictures: (points (n, 3), triangles (m, 3)) in the axes of a marker.

Edges are hard where points are doubled; round faces share their points, so that whoever draws them can smooth their
normals.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from .polygons import ear_triangles

SIDES = 24


@cache
def _cube() -> tuple[np.ndarray, np.ndarray]:
    """The box of edges 1."""
    faces: list[np.ndarray] = []
    corners: list[list[int]] = []
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (0.0, 1.0):
            face = np.zeros((4, 3))
            face[:, u], face[:, v], face[:, axis] = unit[:, 0], unit[:, 1], side
            n = 4 * len(faces)
            faces.append(face)
            quad = [[n, n + 1, n + 2], [n, n + 2, n + 3]]
            corners += quad if side else [t[::-1] for t in quad]
    return np.vstack(faces), np.array(corners)


def box(x: float, y: float, z: float) -> tuple[np.ndarray, np.ndarray]:
    """Box with one corner at the origin and edges x, y, z (any sign) along the axes; hard edges (24 points)."""
    points, triangles = _cube()
    mirrored = x * y * z < 0.0
    return points * (x, y, z), (triangles[:, ::-1] if mirrored else triangles).copy()


def frustum(
    bottom: float,
    top: float,
    length: float,
    angle: float = 2 * math.pi,
    sides: int = SIDES,
) -> tuple[np.ndarray, np.ndarray]:
    """Cone frustum from the origin along z; ``angle`` < 2 pi gives a wedge starting at x, closed by two flat faces."""
    angle = min(abs(angle) or 2 * math.pi, 2 * math.pi)
    whole = angle > 2 * math.pi - 1e-9
    n = max(3 if whole else 1, min(int(sides), 96))
    a = np.linspace(0.0, angle, n + 1)
    ring = np.column_stack([np.cos(a), np.sin(a)])
    low = np.column_stack([bottom * ring, np.zeros(n + 1)])
    high = np.column_stack([top * ring, np.full(n + 1, length)])
    k = np.arange(n)
    points = [low, high]
    triangles = [np.column_stack([k, k + 1, n + 1 + k]), np.column_stack([k + 1, n + 2 + k, n + 1 + k])]
    base = 2 * (n + 1)
    for circle, z, up in ((low, 0.0, False), (high, length, True)):
        points += [circle, np.array([[0.0, 0.0, z]])]
        fan = np.column_stack([base + k, base + k + 1, np.full(n, base + n + 1)])
        triangles.append(fan if up else fan[:, ::-1])
        base += n + 2
    if not whole:
        for end, flip in ((0, False), (n, True)):
            points.append(np.array([[0, 0, 0], low[end], high[end], [0, 0, length]], float))
            quad = np.array([[base, base + 1, base + 2], [base, base + 2, base + 3]])
            triangles.append(quad[:, ::-1] if flip else quad)
            base += 4
    out = np.vstack(triangles)
    return np.vstack(points), out if length >= 0 else out[:, ::-1]


def ellipsoid(x: float, y: float, z: float, sides: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Ellipsoid about the origin with *diameters* x, y, z."""
    rows, columns = max(4, sides // 2), max(6, sides)
    theta, phi = np.meshgrid(np.linspace(0, math.pi, rows + 1), np.linspace(0, 2 * math.pi, columns + 1), indexing="ij")
    points = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], -1).reshape(-1, 3)
    return points * [abs(x) / 2, abs(y) / 2, abs(z) / 2], patch(rows, columns)


def torus(major: float, minor: float, sides: int = SIDES) -> tuple[np.ndarray, np.ndarray]:
    """Torus about z: ``major`` radius of the ring, ``minor`` radius of its tube."""
    rows, columns = max(6, sides), max(6, sides // 2)
    u, v = np.meshgrid(np.linspace(0, 2 * math.pi, rows + 1), np.linspace(0, 2 * math.pi, columns + 1), indexing="ij")
    r = major + minor * np.cos(v)
    points = np.stack([r * np.cos(u), r * np.sin(u), minor * np.sin(v)], -1).reshape(-1, 3)
    return points, patch(rows, columns)


def patch(rows: int, columns: int) -> np.ndarray:
    """Triangles of a grid of (rows + 1) x (columns + 1) points, rows first."""
    i, j = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    a = (i * (columns + 1) + j).ravel()
    b = a + columns + 1
    return np.vstack([np.column_stack([a, b, a + 1]), np.column_stack([b, b + 1, a + 1])])


def arc(radius: float, angle: float = 2 * math.pi, segments: int = 36) -> np.ndarray:
    """Polyline (n, 3) of an arc in the xy plane from the x axis."""
    a = np.linspace(0.0, angle or 2 * math.pi, max(3, min(int(segments), 200)) + 1)
    return np.column_stack([radius * np.cos(a), radius * np.sin(a), 0 * a])


def extruded(polygon: np.ndarray, half: float, twist: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Closed polygon (n, 2), counter-clockwise, from z = -half to half, turned by ``twist`` radians per length; hard
    edges."""
    n = len(polygon)
    layers = 1 + max(1, math.ceil(abs(twist) * 2 * half / math.radians(6)))
    rings = []
    for z in np.linspace(-half, half, layers):
        c, d = math.cos(twist * z), math.sin(twist * z)
        rings.append(np.column_stack([polygon @ np.array([[c, d], [-d, c]]), np.full(n, z)]))
    # each side face has points of its own along the profile, so that corners stay sharp
    k = np.arange(n)
    wall = np.concatenate([np.stack([r[k], r[(k + 1) % n]], axis=1).reshape(-1, 3) for r in rings])
    triangles = []
    for layer in range(layers - 1):
        a = 2 * n * layer + 2 * k
        above = a + 2 * n
        triangles += [np.column_stack([a, a + 1, above + 1]), np.column_stack([a, above + 1, above])]
    caps = ear_triangles(polygon)
    base = len(wall)
    triangles += [caps[:, ::-1] + base, caps + base + n]
    return np.vstack([wall, rings[0], rings[-1]]), np.vstack(triangles)


def revolved(polygon: np.ndarray, sides: int = 48) -> tuple[np.ndarray, np.ndarray]:
    """Closed polygon (n, 2) of (radius, z), counter-clockwise, turned about z; edges of the profile stay sharp."""
    n = len(polygon)
    k = np.arange(n)
    profile = np.stack([polygon[k], polygon[(k + 1) % n]], axis=1).reshape(-1, 2)
    angle = np.linspace(0.0, 2 * math.pi, sides + 1)
    points = np.stack(
        [
            np.outer(np.cos(angle), profile[:, 0]),
            np.outer(np.sin(angle), profile[:, 0]),
            np.tile(profile[:, 1], (sides + 1, 1)),
        ],
        -1,
    ).reshape(-1, 3)
    out = []
    for s in range(sides):
        a = 2 * n * s + 2 * k
        b, c, d = a + 1, a + 2 * n + 1, a + 2 * n
        out += [np.column_stack([a, c, b]), np.column_stack([a, d, c])]
    return points, np.vstack(out)


def capsule(radius: float, half: float, sides: int = SIDES) -> tuple[np.ndarray, np.ndarray]:
    """Cylinder of length 2 half along z with half balls, about the origin."""
    points, triangles = ellipsoid(2 * radius, 2 * radius, 2 * radius, sides)
    rows = len(points) // (max(6, sides) + 1)
    ring = points.reshape(rows, -1, 3)
    upper = ring[ring[:, 0, 2] >= -1e-12 * radius] + [0, 0, half]
    lower = ring[ring[:, 0, 2] <= 1e-12 * radius] - [0, 0, half]
    both = np.concatenate([upper, lower])
    return both.reshape(-1, 3), patch(len(both) - 1, both.shape[1] - 1)


def hull(vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Triangles of the convex hull of points, all facing outward."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(vertices)
    triangles = hull.simplices.copy()
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(q - p, r - p), hull.equations[:, :3]) < 0
    triangles[inward] = triangles[inward, ::-1]
    return vertices, triangles
