"""Rounded box: all points nearer than a radius to a box.  Flat faces, round edges and corners.

Its core is the inner box, whose edges are those of the whole less twice the radius.  With inner edges a, b, c and the
radius r

    V = a b c + 2 r (a b + b c + c a) + pi r^2 (a + b + c) + 4/3 pi r^3     (J. Steiner, 1840),

and the second moments are those of its pieces: the inner box, six slabs, twelve quarters of cylinders, eight of balls.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...model.base import ModelError
from ...model.outputs import Graphic
from ...model.shape_kinds import Argument, GrainKind, ShapeKind
from ...model.values import axes_of
from ..referee.surfaces import triangle_surface
from ..shape_kinds._parts import ContactParts, Fineness

if TYPE_CHECKING:
    from ...model.shape import Reader, Solid

TYPE = "ROUNDED_BOX"
PICTURE = 6  # flat pieces of a quarter of a circle in pictures
REFEREE = 18  # and of what the referee sees
FEW, MANY = 3, 40  # of a mesh that represents it


def fault(edges: tuple[float, ...], radius: float) -> str:
    """What is wrong with edges and radius, each positive: a sentence, or nothing."""
    if radius < 0.5 * min(edges):
        return ""
    return (
        f"its radius {radius:g} must be less than half of its shortest edge, {0.5 * min(edges):g}; "
        "without flat faces a shape is a capsule, a sphere or a cylinder"
    )


def read(reader: Reader) -> Solid:
    """ROUNDED_BOX: ``x``, ``y``, ``z`` edges, ``radius``; its centre is at the marker CM."""
    edges, radius = tuple(reader.positive(name, what=f"edge {name}") for name in "xyz"), reader.positive("radius")
    wrong = fault(edges, radius)
    if wrong:
        raise reader.fail(wrong)
    return reader.solid(TYPE, (*(0.5 * edge - radius for edge in edges), radius), reader.marker("cm", "rm"))


def rounded_box(
    self,
    body,
    at,
    size,
    radius: float,
    x=None,
    z=None,
    name: str = "",
    *,
    color: str = "",
    group: str = "",
    element: str = "",
) -> Graphic:
    """Box of edges ``size`` centred at ``at``, its edges and corners rounded by ``radius``; ``x``, ``z``: directions of
    its first and third edge.

    Lengths in model units, ground axes. Raises `ModelError` for sizes that are not positive, and for a radius of half
    an edge or more.
    """
    try:
        edges = np.broadcast_to(np.asarray(size, float), (3,)).tolist()
        r = float(radius)
    except (TypeError, ValueError):
        raise ModelError(f"a rounded box takes three edges and a radius, not {size!r} and {radius!r}") from None
    marker = self.marker_at(body, at, axes=axes_of(z, x))
    return self._shape(TYPE, name, (color, group, element), cm=marker.id, **dict(zip("xyz", edges)), radius=r)


# ---- the model ------------------------------------------------------------------------------------------------------
def moments(core: tuple[float, ...], r: float) -> tuple[float, np.ndarray]:
    """Volume and integrals of x^2, y^2, z^2 (3,); ``core``: half edges of the inner box."""
    full = [2.0 * h for h in core]
    second = np.zeros(3)
    for k in range(3):
        h, a = core[k], full[k]
        b, c = full[k - 1], full[k - 2]
        inside = a * a / 12.0  # mean of x^2 over what lies between the planes x = +-h
        beyond = 2.0 * b * c * ((h + r) ** 3 - h**3) / 3.0
        quarter = h * h * math.pi * r**2 / 4.0 + 2.0 * h * r**3 / 3.0 + math.pi * r**4 / 16.0
        octant = h * h * math.pi * r**3 / 6.0 + 2.0 * h * math.pi * r**4 / 16.0 + math.pi * r**5 / 30.0
        between = a * b * c + 2.0 * r * a * (b + c) + math.pi * r**2 * a
        second[k] = between * inside + beyond + 4.0 * (b + c) * quarter + 8.0 * octant
    a, b, c = full
    return a * b * c + 2.0 * r * (a * b + b * c + c * a) + math.pi * r**2 * (
        a + b + c
    ) + 4.0 / 3.0 * math.pi * r**3, second


def _moments(solid: Solid, angle: float | None) -> tuple[float, np.ndarray, np.ndarray]:
    volume, second = moments(solid.par[:3], solid.par[3])
    return volume, np.zeros(3), np.diag(second)


def _bounds(solid: Solid) -> tuple[np.ndarray, np.ndarray, float]:
    core, r = np.array(solid.par[:3]), solid.par[3]
    return np.zeros(3), core + r, float(np.linalg.norm(core)) + r


def surface_mesh(core, r: float, pieces: int) -> tuple[np.ndarray, np.ndarray]:
    """Closed mesh; ``pieces``: flat ones that represent a quarter of a circle.  Its points lie on the surface."""
    quarter = 0.5 * math.pi * np.arange(pieces + 1) / pieces
    columns = np.concatenate(
        [quarter + k * 0.5 * math.pi for k in range(4)]
    )  # the ends of quarters twice, at two corners of the core
    rows = np.concatenate([quarter, quarter + 0.5 * math.pi])
    sx = np.repeat([1.0, -1.0, -1.0, 1.0], pieces + 1)
    sy = np.repeat([1.0, 1.0, -1.0, -1.0], pieces + 1)
    sz = np.repeat([1.0, -1.0], pieces + 1)
    s, c = np.sin(rows)[:, None], np.cos(rows)[:, None]
    one = np.ones_like(columns)
    points = np.stack(
        [
            core[0] * sx + r * s * np.cos(columns),
            core[1] * sy + r * s * np.sin(columns),
            (core[2] * sz)[:, None] + r * c * one,
        ],
        axis=-1,
    )
    m, n = points.shape[:2]
    number = np.arange(m * n).reshape(m, n)
    a, b = number[:-1], np.roll(number, -1, axis=1)[:-1]
    d, e = number[1:], np.roll(number, -1, axis=1)[1:]
    ends = [number[0, k * (pieces + 1)] for k in range(4)], [number[-1, k * (pieces + 1)] for k in range(4)]
    triangles = np.concatenate(
        [
            np.stack([a, d, e], -1).reshape(-1, 3),
            np.stack([a, e, b], -1).reshape(-1, 3),
            [(ends[0][0], ends[0][k], ends[0][k + 1]) for k in (1, 2)],
            [(ends[1][0], ends[1][k + 1], ends[1][k]) for k in (1, 2)],
        ]
    )
    return _merged(points.reshape(-1, 3), triangles, 1e-9 * (max(core) + r))


def _merged(points: np.ndarray, triangles: np.ndarray, near: float) -> tuple[np.ndarray, np.ndarray]:
    """Points that coincide are one, triangles without area are none."""
    _, first, number = np.unique(
        np.round(points / near).astype(np.int64), axis=0, return_index=True, return_inverse=True
    )
    triangles = number.reshape(-1)[triangles]
    a, b, c = triangles.T
    return points[first], triangles[(a != b) & (b != c) & (c != a)]


def _grain(d: tuple[float, ...]) -> tuple[float, np.ndarray]:
    volume, second = moments(_parameters(d)[:3], d[3])
    return volume, second.sum() - second


def _parameters(d: tuple[float, ...]) -> tuple[float, ...]:
    return (*(0.5 * edge - d[3] for edge in d[:3]), d[3])


def _reach(d: tuple[float, ...]) -> float:
    return float(np.linalg.norm(_parameters(d)[:3])) + d[3]


SHAPE = ShapeKind(
    TYPE,
    ("inner hx", "inner hy", "inner hz", "radius"),
    lengths=4,
    kernels_of="BOX",
    bounds=_bounds,
    volume=lambda solid: moments(solid.par[:3], solid.par[3])[0],
    readers={TYPE: read},
    even=(TYPE,),
    moments=_moments,
    triangles=lambda solid: surface_mesh(solid.par[:3], solid.par[3], PICTURE),
    wide=True,
    filled=True,
    grain=GrainKind(("x", "y", "z", "radius"), _parameters, _grain, _reach, fault=lambda d: fault(d[:3], d[3])),
    builder=rounded_box,
    form=(
        "Rounded box on a part",
        (
            Argument("at", "vector", "Centre (ground)", "length", [0.0, 0.0, 0.0]),
            Argument("size", "vector", "Edges", "length", [1.0, 0.1, 0.1]),
            Argument("radius", "number", "Radius of the edges", "length", 0.01),
        ),
    ),
)


# ---- contact --------------------------------------------------------------------------------------------------------
def _pieces(deviation: float, r: float) -> int:
    """Pieces of a quarter of a circle that miss it by no more than the deviation; the faces between them miss up to
    twice as much at corners."""
    return min(max(FEW, math.ceil(0.25 * math.pi / math.acos(max(1.0 - 0.5 * deviation / r, 0.5)))), MANY)


def _miss(r: float, pieces: int) -> float:
    """How far the mesh lies inside of the surface at most."""
    return r * (1.0 - math.cos(0.25 * math.pi / pieces) ** 2)


def _surface(solid: Solid, p):
    points, triangles = surface_mesh(p[:3], p[3], REFEREE)
    return triangle_surface(points[triangles].reshape(-1, 9), _miss(p[3], REFEREE))


def _mesh(solid: Solid, fineness: Fineness) -> tuple[np.ndarray, np.ndarray, float]:
    r = solid.par[3]
    pieces = _pieces(fineness.deviation, r)
    return *surface_mesh(solid.par[:3], r, pieces), _miss(r, pieces)


CONTACT = ContactParts(surface=_surface, mesh=_mesh)
