"""`Wall`: a rigid set of surfaces that spheres touch, with a motion of its own; and how far a point is from each kind
of surface.

A surface answers a point with its distance, the unit normal towards the point, and whether the nearest point lies on a
face (0), on an edge or rim (1) or at a corner (2).  Planes, solid blocks and spheres are solid (the distance is
negative within); shells, discs and triangles are thin and felt on both sides, so a sphere must not pass through with
its centre.

Where faces meet, a sphere on one face would feel the edge of the next as well: of one wall's surfaces, nearest points
on faces count first, then those on edges, then corners, and none that lies on a surface checked before (the idea of
Hu, Hu, Jian, Liu, Wan, Powder Technology 229 (2012) 189, without their topology).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .._jit import jit
from ..model.base import ModelError

if TYPE_CHECKING:
    from .grains import Granular

PLANE, ROUND, BALL, BLOCK, TRIANGLE = range(5)
#: columns of a surface: 12 numbers of its shape, then
PRIM = 16
P_KIND, P_WALL, P_MATERIAL = 12, 13, 14
# columns of a wall
W_X, W_R, W_V, W_W, W_BELT, W_STILL, W_MOVED, W_REACH, W_F, W_M, W_IF, W_IM = (
    0,
    3,
    12,
    15,
    18,
    21,
    22,
    23,
    24,
    27,
    30,
    33,
)
WALL = 40
EPS = 1e-6  # of the radius: how near a point lies on a surface


@jit
def nearest(prim, s, x, y, z):
    """(distance, normal, feature) of a point in the wall's axes from surface s."""
    kind = prim[s, P_KIND]
    if kind == PLANE:
        d = (x - prim[s, 0]) * prim[s, 3] + (y - prim[s, 1]) * prim[s, 4] + (z - prim[s, 2]) * prim[s, 5]
        return d, prim[s, 3], prim[s, 4], prim[s, 5], 0
    if kind == TRIANGLE:
        return nearest_on_triangle(prim, s, x, y, z)
    if kind == BALL:
        x -= prim[s, 0]
        y -= prim[s, 1]
        z -= prim[s, 2]
        size = math.sqrt(x * x + y * y + z * z)
        if size == 0.0:
            x = 0.0
            y = 0.0
            z = 1.0
        else:
            x /= size
            y /= size
            z /= size
        if prim[s, 4] != 0.0:
            return prim[s, 3] - size, -x, -y, -z, 0
        return size - prim[s, 3], x, y, z, 0
    if kind == BLOCK:
        cx = min(max(x, prim[s, 0]), prim[s, 3])
        cy = min(max(y, prim[s, 1]), prim[s, 4])
        cz = min(max(z, prim[s, 2]), prim[s, 5])
        out = 0
        if cx != x:
            out += 1
        if cy != y:
            out += 1
        if cz != z:
            out += 1
        if out == 0:  # within: out by the nearest face
            best = x - prim[s, 0]
            n0, n1, n2 = -1.0, 0.0, 0.0
            if prim[s, 3] - x < best:
                best = prim[s, 3] - x
                n0, n1, n2 = 1.0, 0.0, 0.0
            if y - prim[s, 1] < best:
                best = y - prim[s, 1]
                n0, n1, n2 = 0.0, -1.0, 0.0
            if prim[s, 4] - y < best:
                best = prim[s, 4] - y
                n0, n1, n2 = 0.0, 1.0, 0.0
            if z - prim[s, 2] < best:
                best = z - prim[s, 2]
                n0, n1, n2 = 0.0, 0.0, -1.0
            if prim[s, 5] - z < best:
                best = prim[s, 5] - z
                n0, n1, n2 = 0.0, 0.0, 1.0
            return -best, n0, n1, n2, 0
        return away(x - cx, y - cy, z - cz, 0.0, 0.0, 1.0, out - 1)
    # ROUND: the line from (0, r0) to (z1, r1) in the half plane of height and radius, turned about the axis
    x -= prim[s, 0]
    y -= prim[s, 1]
    z -= prim[s, 2]
    u0, u1, u2 = prim[s, 3], prim[s, 4], prim[s, 5]
    up = x * u0 + y * u1 + z * u2
    x -= up * u0
    y -= up * u1
    z -= up * u2
    far = math.sqrt(x * x + y * y + z * z)
    dz, dr = prim[s, 7], prim[s, 8] - prim[s, 6]
    t = (up * dz + (far - prim[s, 6]) * dr) / (dz * dz + dr * dr)
    feature = 0
    if t < 0.0:
        t = 0.0
        feature = 1
    elif t > 1.0:
        t = 1.0
        feature = 1
    a = up - t * dz
    b = far - prim[s, 6] - t * dr
    if far > 0.0:
        x /= far
        y /= far
        z /= far
    else:  # on the axis: any direction across it
        x, y, z = prim[s, 9], prim[s, 10], prim[s, 11]
    size = math.sqrt(dz * dz + dr * dr)
    e0, e1 = -dr / size, dz / size  # across the line, should the point lie on it
    return away(
        a * u0 + b * x, a * u1 + b * y, a * u2 + b * z, e0 * u0 + e1 * x, e0 * u1 + e1 * y, e0 * u2 + e1 * z, feature
    )


@jit
def away(x, y, z, e0, e1, e2, feature):
    """Length and direction of a vector; the direction e where it has none."""
    size = math.sqrt(x * x + y * y + z * z)
    if size > 0.0:
        return size, x / size, y / size, z / size, feature
    return 0.0, e0, e1, e2, feature


@jit
def nearest_on_triangle(prim, s, x, y, z):
    """Ericson, Real-Time Collision Detection (2005), 5.1.5."""
    a0, a1, a2 = prim[s, 0], prim[s, 1], prim[s, 2]
    b0, b1, b2 = prim[s, 3] - a0, prim[s, 4] - a1, prim[s, 5] - a2  # edges from the first corner
    c0, c1, c2 = prim[s, 6] - a0, prim[s, 7] - a1, prim[s, 8] - a2
    x -= a0
    y -= a1
    z -= a2
    e0, e1, e2 = prim[s, 9], prim[s, 10], prim[s, 11]
    d1 = b0 * x + b1 * y + b2 * z
    d2 = c0 * x + c1 * y + c2 * z
    if d1 <= 0.0 and d2 <= 0.0:
        return away(x, y, z, e0, e1, e2, 2)
    bb = b0 * b0 + b1 * b1 + b2 * b2
    bc = b0 * c0 + b1 * c1 + b2 * c2
    cc = c0 * c0 + c1 * c1 + c2 * c2
    d3 = d1 - bb
    d4 = d2 - bc
    if d3 >= 0.0 and d4 <= d3:
        return away(x - b0, y - b1, z - b2, e0, e1, e2, 2)
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / bb
        return away(x - t * b0, y - t * b1, z - t * b2, e0, e1, e2, 1)
    d5 = d1 - bc
    d6 = d2 - cc
    if d6 >= 0.0 and d5 <= d6:
        return away(x - c0, y - c1, z - c2, e0, e1, e2, 2)
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / cc
        return away(x - t * c0, y - t * c1, z - t * c2, e0, e1, e2, 1)
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return away(x - b0 - t * (c0 - b0), y - b1 - t * (c1 - b1), z - b2 - t * (c2 - b2), e0, e1, e2, 1)
    d = x * e0 + y * e1 + z * e2
    if d < 0.0:
        return -d, -e0, -e1, -e2, 0
    return d, e0, e1, e2, 0


def _vector(what: str, v) -> np.ndarray:
    v = np.array(v, float).reshape(-1)
    if v.shape != (3,) or not np.isfinite(v).all():
        raise ModelError(f"{what}: three finite numbers are needed, not {v.tolist()}")
    return v


def _unit(what: str, v) -> np.ndarray:
    v = _vector(what, v)
    size = float(np.linalg.norm(v))
    if size == 0.0:
        raise ModelError(f"{what}: the direction has no length")
    return v / size


def _across(u: np.ndarray) -> np.ndarray:
    v = np.cross(u, np.eye(3)[int(np.argmin(np.abs(u)))])
    return v / np.linalg.norm(v)


class Wall:
    """A rigid set of surfaces of one material; made by `Granular.wall`.  Shapes are given in the wall's own axes; each
    call returns the wall.

    ``position`` (3), ``rotation`` (3, 3), ``velocity`` and ``angular_velocity`` (ground axes) may be set at any time;
    between, the wall moves on with its velocities.  ``surface_velocity``: of the material against the wall, in the
    wall's axes (a belt).  ``force``, ``moment`` (about ``position``, ground axes): of the spheres on the wall in the
    last step; ``impulse``, ``angular_impulse``: their time integrals since `reset`.
    """

    def __init__(self, grains: Granular, number: int, name: str, material: int) -> None:
        self._grains, self._k, self.name, self.material = grains, number, name, material
        self._row[W_R : W_R + 9] = np.eye(3).reshape(-1)

    @property
    def _row(self) -> np.ndarray:
        return self._grains._walls[self._k]

    def _add(self, kind: int, numbers) -> Wall:
        row = np.zeros(PRIM)
        row[: len(numbers)] = numbers
        row[P_KIND], row[P_WALL], row[P_MATERIAL] = kind, self._k, self.material
        self._grains._add_surface(row)
        return self

    def _error(self, text: str) -> ModelError:
        return ModelError(f"wall {self.name}: {text}")

    def plane(self, point, normal) -> Wall:
        """A half space; the normal points to the free side."""
        what = f"wall {self.name}: plane"
        return self._add(PLANE, [*_vector(what, point), *_unit(what, normal)])

    def box(self, low, high, open: str = "") -> Wall:
        """The inside of a box: six planes; ``open`` names those left out (left, right: x; front, back: y; bottom, top:
        z)."""
        low, high = _vector(f"wall {self.name}: box", low), _vector(f"wall {self.name}: box", high)
        if not (low < high).all():
            raise self._error("the low corner of a box must lie below the high one on all axes")
        sides = {"left": (0, 1), "right": (0, -1), "front": (1, 1), "back": (1, -1), "bottom": (2, 1), "top": (2, -1)}
        for word in open.split():
            if word not in sides:
                raise self._error(f"a box has no side {word}; its sides are {', '.join(sides)}")
        for word, (axis, sign) in sides.items():
            if word not in open.split():
                self.plane(low if sign > 0 else high, sign * np.eye(3)[axis])
        return self

    def block(self, low, high) -> Wall:
        """A solid box."""
        low, high = _vector(f"wall {self.name}: block", low), _vector(f"wall {self.name}: block", high)
        if not (low < high).all():
            raise self._error("the low corner of a block must lie below the high one on all axes")
        return self._add(BLOCK, [*low, *high])

    def cone(self, a, b, ra: float, rb: float) -> Wall:
        """A thin shell about the line from a to b, of radius ra at a and rb at b; felt inside and outside."""
        what = f"wall {self.name}: cone"
        a, b = _vector(what, a), _vector(what, b)
        height = float(np.linalg.norm(b - a))
        if height == 0.0 or min(ra, rb) < 0.0 or max(ra, rb) <= 0.0 or not math.isfinite(ra + rb):
            raise self._error("a cone needs two points apart and radii of which one is positive")
        u = (b - a) / height
        return self._add(ROUND, [*a, *u, ra, height, rb, *_across(u)])

    def cylinder(self, a, b, radius: float) -> Wall:
        """A thin round shell from a to b; felt inside and outside.  Its ends are open: close them with `disc`."""
        return self.cone(a, b, radius, radius)

    def disc(self, centre, normal, radius: float, hole: float = 0.0) -> Wall:
        """A thin round plate, with a round hole where wanted."""
        what = f"wall {self.name}: disc"
        if not 0.0 <= hole < radius < math.inf:
            raise self._error("a disc needs a radius, and a hole smaller than that")
        u = _unit(what, normal)
        return self._add(ROUND, [*_vector(what, centre), *u, hole, 0.0, radius, *_across(u)])

    def sphere(self, centre, radius: float, hollow: bool = False) -> Wall:
        """A solid sphere, or the inside of a hollow one."""
        if not 0.0 < radius < math.inf:
            raise self._error("a sphere needs a positive radius")
        return self._add(BALL, [*_vector(f"wall {self.name}: sphere", centre), radius, float(hollow)])

    def triangles(self, vertices, faces) -> Wall:
        """A surface of triangles; vertices (n, 3), faces (m, 3) numbers of vertices."""
        vertices, faces = np.asarray(vertices, float).reshape(-1, 3), np.asarray(faces, int).reshape(-1, 3)
        if not len(faces) or faces.min() < 0 or faces.max() >= len(vertices) or not np.isfinite(vertices).all():
            raise self._error("triangles need finite vertices, and faces that name vertices which exist")
        corner = vertices[faces]
        n = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        size = np.linalg.norm(n, axis=1)
        scale = np.ptp(corner, axis=1).max(axis=1)
        bad = np.flatnonzero(size <= 1e-12 * scale**2)
        if len(bad):
            raise self._error(f"triangle {bad[0]} has no area: leave it out")
        for c, e in zip(corner, n / size[:, None]):
            self._add(TRIANGLE, [*c.reshape(-1), *e])
        return self

    # motion

    @property
    def position(self) -> np.ndarray:
        return self._row[W_X : W_X + 3].copy()

    @position.setter
    def position(self, x) -> None:
        x = _vector(f"wall {self.name}: position", x)
        row = self._row
        row[W_MOVED] += float(np.linalg.norm(x - row[W_X : W_X + 3]))
        row[W_X : W_X + 3] = x
        self._still()

    @property
    def rotation(self) -> np.ndarray:
        return self._row[W_R : W_R + 9].reshape(3, 3).copy()

    @rotation.setter
    def rotation(self, R) -> None:
        R = np.array(R, float)
        if R.shape != (3, 3) or not np.abs(R @ R.T - np.eye(3)).max() < 1e-6 or np.linalg.det(R) < 0:
            raise self._error("a rotation is a 3 by 3 matrix with R R^T = 1 and determinant 1")
        row = self._row
        row[W_MOVED] += float(np.linalg.norm(R.reshape(-1) - row[W_R : W_R + 9])) * row[W_REACH]
        row[W_R : W_R + 9] = R.reshape(-1)
        self._still()

    def _get(self, at: int) -> np.ndarray:
        return self._row[at : at + 3].copy()

    def _set(self, at: int, what: str, v) -> None:
        self._row[at : at + 3] = _vector(f"wall {self.name}: {what}", v)
        self._still()

    def _still(self) -> None:
        """Marks walls that are at rest in the ground's axes: spheres need no change of axes there."""
        row = self._row
        row[W_STILL] = (
            not row[W_X : W_X + 3].any() and not row[W_V : W_BELT + 3].any() and (self.rotation == np.eye(3)).all()
        )

    @property
    def velocity(self) -> np.ndarray:
        return self._get(W_V)

    @velocity.setter
    def velocity(self, v) -> None:
        self._set(W_V, "velocity", v)

    @property
    def angular_velocity(self) -> np.ndarray:
        return self._get(W_W)

    @angular_velocity.setter
    def angular_velocity(self, v) -> None:
        self._set(W_W, "angular_velocity", v)

    @property
    def surface_velocity(self) -> np.ndarray:
        return self._get(W_BELT)

    @surface_velocity.setter
    def surface_velocity(self, v) -> None:
        self._set(W_BELT, "surface_velocity", v)

    @property
    def force(self) -> np.ndarray:
        return self._get(W_F)

    @property
    def moment(self) -> np.ndarray:
        return self._get(W_M)

    @property
    def impulse(self) -> np.ndarray:
        return self._get(W_IF)

    @property
    def angular_impulse(self) -> np.ndarray:
        return self._get(W_IM)

    def reset(self) -> None:
        """Sets the impulses to zero."""
        self._row[W_IF : W_IM + 3] = 0.0
