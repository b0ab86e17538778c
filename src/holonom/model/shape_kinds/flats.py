"""Planes and boxes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import facets
from ..orientation import to_euler313
from ._kind import Bounds, GrainKind, Mesh, Moments, ShapeKind, box_bounds, box_features

if TYPE_CHECKING:
    from ..shape import Reader, Solid

INF = math.inf


def read_plane(read: Reader) -> Solid:
    """Half-space below the marker's z = 0; XMIN ... bound it where they are given."""
    marker = read.marker("rm", "cm")
    half, middle = [], []
    for axis in "xy":
        low, high = read.a.get(f"{axis}min"), read.a.get(f"{axis}max")
        if low is None and high is None:
            half.append(0.0)
            middle.append(0.0)
            continue
        low, high = read.number(f"{axis}min"), read.number(f"{axis}max")
        if low == high:
            raise read.fail(f"{axis.upper()}MIN and {axis.upper()}MAX are equal; a plane without area cannot touch")
        half.append(0.5 * abs(high - low))
        middle.append(0.5 * (low + high))
    if (half[0] == 0.0) != (half[1] == 0.0):
        raise read.fail("it is bounded along one axis only; give XMIN, XMAX, YMIN and YMAX, or none of them")
    return read.solid("PLANE", tuple(half), marker, (*middle, 0.0))


def read_box(read: Reader) -> Solid:
    x, y, z = (read.number(n) for n in "xyz")
    if not x * y * z:
        raise read.fail("one of its edges is zero; a shape without volume cannot touch")
    half = tuple(0.5 * abs(v) for v in (x, y, z))
    if read.a.get("corner") is None and read.a.get("cm") is not None:
        return read.solid("BOX", half, read.marker("cm"))
    return read.solid("BOX", half, read.marker("corner"), (0.5 * x, 0.5 * y, 0.5 * z))


def _mirror_plane(model: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"ymin": -arguments["ymax"], "ymax": -arguments["ymin"]} if "ymin" in arguments else {}


def _mirror_box(model: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """A box goes along +y from its corner, and its image along -y; one about its centre is its own image."""
    if arguments.get("corner") is None:
        return {}
    from ..bodies import Marker

    corner = model.table("MARKER")[arguments["corner"]]
    origin = np.asarray(corner.qp) - corner.axes[:, 1] * float(arguments["y"])
    return {
        "corner": model.add(Marker(part=corner.part, qp=tuple(origin.tolist()), reuler=to_euler313(corner.axes))).id
    }


def _plane_bounds(solid: Solid) -> Bounds:
    p = solid.par
    if p[0] == 0.0:
        return np.zeros(3), np.full(3, INF), INF
    deep = max(p[0], p[1])  # material below: what has sunk in is still found
    half = np.array([p[0], p[1], 0.5 * deep])
    return np.array([0.0, 0.0, -0.5 * deep]), half, float(np.hypot(np.hypot(p[0], p[1]), 0.5 * deep))


def _box_moments(solid: Solid, angle: float | None) -> Moments:
    p = solid.par
    volume = 8.0 * p[0] * p[1] * p[2]
    return volume, np.zeros(3), volume / 3.0 * np.diag(np.square(p[:3]))


def _box_triangles(solid: Solid) -> Mesh:
    points, triangles = facets.box(*(2 * p for p in solid.par[:3]))
    return points - solid.par[:3], triangles


def _box_grain(d: tuple[float, ...]) -> tuple[float, np.ndarray]:
    x, y, z = d
    volume = x * y * z
    return volume, volume / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])


PLANE = ShapeKind(
    "PLANE",
    ("hx", "hy"),
    body=False,
    bounds=_plane_bounds,
    volume=lambda solid: INF,
    readers={"PLANE": read_plane},
    even=("PLANE",),
    mirror={"PLANE": _mirror_plane},
    carrier={"PLANE": "rm"},
    massless=("PLANE",),
    wide=True,
)
BOX = ShapeKind(
    "BOX",
    ("hx", "hy", "hz"),
    lengths=3,
    bounds=lambda solid: box_bounds(*solid.par[:3]),
    volume=lambda solid: 8.0 * solid.par[0] * solid.par[1] * solid.par[2],
    readers={"BOX": read_box},
    even=("BOX",),
    features=lambda solid: box_features(*solid.par[:3]),
    mirror={"BOX": _mirror_box},
    moments=_box_moments,
    triangles=_box_triangles,
    wide=True,
    filled=True,
    grain=GrainKind(("x", "y", "z"), lambda d: tuple(0.5 * x for x in d), _box_grain, lambda d: 0.5 * math.hypot(*d)),
)
