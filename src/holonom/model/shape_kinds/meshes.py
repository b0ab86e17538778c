"""Hulls, meshes and height fields."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import facets
from ..base import ModelError
from ..kinds import LARGEST
from ..mass_properties import hull_triangles, mesh_moments
from ..paths import resolve
from ..shape import MAX_POINTS, Reader, flat
from ._kind import Bounds, GrainKind, Mesh, Moments, ShapeKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..model import Model
    from ..outputs import Graphic
    from ..shape import Solid


def read_hull(read: Reader) -> Solid:
    points = read.points("vertices", 3, 4) * read.scale()
    if flat(points):
        raise read.fail("its points lie in one plane; a shape without volume cannot touch")
    return read.solid("HULL", (), read.marker("cm", "rm"), vertices=points)


def mesh_file(read: Reader) -> Path | None:
    """The file of a mesh: beside the model, under the name of the file and element of an EXTERNAL one."""
    if read.graphic.type.upper() == "EXTERNAL":
        from ..mesh import locate

        file, element = str(read.a.get("file") or ""), str(read.a.get("element") or "")
        try:
            if not getattr(read.model, "path", None):
                raise ModelError(f"its file {file} is looked for beside the model, which came from no file")
            return locate(file, element, Path(str(read.model.path)).resolve().parent)
        except ModelError as error:
            raise read.fail(f"{error}, or give a shape in its place (--geometry, model.substitute)") from None
    if read.a.get("file") is None:
        return None
    path = read.loaded(resolve, read.model, str(read.a["file"]))
    if not path.is_file():
        raise read.fail(f"there is no file {path}; copy it there, or give a shape in its place (--geometry, model.substitute)")
    return path


def mesh_path(model: Model, graphic: Graphic) -> Path | None:
    """The file that a graphic needs, None when it holds its points; raises `ModelError` when it is not there."""
    return mesh_file(Reader(model, graphic))


def read_mesh(read: Reader) -> Solid:
    from ..mesh import check_mesh, read_mesh

    path = mesh_file(read)
    if path is not None:
        vertices, triangles = read.loaded(read_mesh, path)
    else:
        vertices = read.points("vertices", 3, 4)
        corners = read.points("triangles", 3, 4)
        if corners.min() < 0 or corners.max() >= len(vertices):
            wrong = corners.min() if corners.min() < 0 else corners.max()
            raise read.fail(f"its triangles name vertex {wrong:g} of {len(vertices)}; count from 0")
        triangles = corners.astype(np.int64)
    vertices = vertices * read.scale()
    if read.flag("convex"):
        if flat(vertices):
            raise read.fail("its points lie in one plane; a shape without volume cannot touch")
        return read.solid("HULL", (), read.marker("cm", "rm"), vertices=vertices)
    vertices, triangles = read.loaded(check_mesh, vertices, triangles, read.flag("repair"))
    return read.solid("MESH", (), read.marker("cm", "rm"), vertices=vertices, triangles=triangles)


def read_external(read: Reader) -> Solid:
    """The body of a CAD file, by its mesh."""
    from ..mesh import check_mesh, read_mesh

    marker = read.marker("rm", "cm")
    vertices, triangles = read.loaded(read_mesh, mesh_file(read))
    vertices, triangles = read.loaded(check_mesh, vertices, triangles)
    return read.solid("MESH", (), marker, vertices=vertices, triangles=triangles)


def read_height_field(read: Reader) -> Solid:
    rows = read.a.get("heights")
    if rows is None:
        raise read.fail("it has no heights; give rows of numbers")
    try:
        heights = np.array([list(map(float, row)) for row in rows])
    except (TypeError, ValueError, OverflowError):
        raise read.fail("its heights must be rows of numbers, all of the same length") from None
    if heights.ndim != 2 or min(heights.shape) < 2 or not (np.abs(heights) <= LARGEST).all():
        raise read.fail("its heights must be at least 2 x 2 finite numbers, all rows of the same length")
    if heights.size > MAX_POINTS:
        raise read.fail(f"it has {heights.size} heights, more than {MAX_POINTS}; reduce it")
    par = (read.positive("dx"), read.positive("dy"), heights.shape[0], heights.shape[1])
    return read.solid("HEIGHT_FIELD", par, read.marker("cm", "rm"), heights=heights)


def _vertex_bounds(solid: Solid) -> Bounds:
    assert solid.vertices is not None
    low, high = solid.vertices.min(axis=0), solid.vertices.max(axis=0)
    centre = 0.5 * (low + high)
    return centre, 0.5 * (high - low), float(np.sqrt(((solid.vertices - centre) ** 2).sum(axis=1).max()))


def _hull_volume(solid: Solid) -> float:
    from scipy.spatial import ConvexHull, QhullError

    try:
        return float(ConvexHull(solid.vertices).volume)
    except (QhullError, ValueError):
        return 0.0


def _mesh_volume(solid: Solid) -> float:
    from ..mesh import mesh_volume

    return mesh_volume(solid.vertices, solid.triangles)


def _hull_moments(solid: Solid, angle: float | None) -> Moments:
    return mesh_moments(*hull_triangles(np.asarray(solid.vertices, float)))


def _mesh_moments(solid: Solid, angle: float | None) -> Moments:
    return mesh_moments(np.asarray(solid.vertices, float), np.asarray(solid.triangles))


def _file_kind(arguments: Mapping[str, Any]) -> str:
    return "HULL" if arguments.get("convex") else "MESH"


def _field_bounds(solid: Solid) -> Bounds:
    rows, columns = solid.heights.shape
    low, high = solid.heights.min(), solid.heights.max()
    x, y = 0.5 * solid.par[0] * (rows - 1), 0.5 * solid.par[1] * (columns - 1)
    deep = high - low + 0.1 * max(x, y)
    half = np.array([x, y, 0.5 * deep])
    return np.array([0.0, 0.0, high - 0.5 * deep]), half, float(np.linalg.norm(half))


def _field_volume(solid: Solid) -> float:
    from ..mesh import mesh_volume

    return mesh_volume(*height_mesh(solid.heights, *solid.par[:2]))


def _field_triangles(solid: Solid) -> Mesh:
    nx, ny = solid.heights.shape
    x, y = (np.arange(nx) - 0.5 * (nx - 1)) * solid.par[0], (np.arange(ny) - 0.5 * (ny - 1)) * solid.par[1]
    grid = np.stack([*np.meshgrid(x, y, indexing="ij"), solid.heights], -1)
    return grid.reshape(-1, 3), facets.patch(nx - 1, ny - 1)


def height_mesh(heights: np.ndarray, dx: float, dy: float) -> tuple[np.ndarray, np.ndarray]:
    """Closed mesh of a height field: two triangles a cell (rows along x, columns along y, centred), walls and a bottom as deep below
    the least height as the field has relief and a tenth of its size: what has sunk in is still found and pushed up."""
    z = np.asarray(heights, float)
    m, n = z.shape
    x, y = dx * (np.arange(m) - 0.5 * (m - 1)), dy * (np.arange(n) - 0.5 * (n - 1))
    top = np.column_stack([np.repeat(x, n), np.tile(y, m), z.ravel()])
    i, j = np.meshgrid(np.arange(m - 1), np.arange(n - 1), indexing="ij")
    a = (i * n + j).ravel()
    faces = np.concatenate([np.column_stack([a, a + n, a + n + 1]), np.column_stack([a, a + n + 1, a + 1])])
    # round the rim, counter-clockwise seen from above
    rim = np.concatenate([np.arange(m) * n, (m - 1) * n + np.arange(1, n), np.arange(m - 2, -1, -1) * n + n - 1, np.arange(n - 2, 0, -1)])
    low = z.min() - np.ptp(z) - 0.1 * max(x[-1], y[-1])
    foot = top[rim].copy()
    foot[:, 2] = low
    r, at = len(rim), len(top)
    k, l = np.arange(r), (np.arange(r) + 1) % r
    walls = np.concatenate([np.column_stack([at + k, at + l, rim[l]]), np.column_stack([at + k, rim[l], rim[k]])])
    bottom = np.column_stack([np.full(r, at + r), at + l, at + k])
    return np.vstack([top, foot, [[0.0, 0.0, low]]]), np.concatenate([faces, walls, bottom])


HULL = ShapeKind(
    "HULL",
    (),
    bounds=_vertex_bounds,
    volume=_hull_volume,
    readers={"HULL": read_hull},
    deferred={"HULL": lambda arguments: "HULL"},
    moments=_hull_moments,
    triangles=lambda solid: facets.hull(solid.vertices),
    flat=True,
    filled=True,
    grain=GrainKind((), lambda d: (), None),
)
MESH = ShapeKind(
    "MESH",
    (),
    bounds=_vertex_bounds,
    volume=_mesh_volume,
    readers={"MESH": read_mesh, "EXTERNAL": read_external},
    deferred={"MESH": _file_kind, "EXTERNAL": _file_kind},
    carrier={"EXTERNAL": "rm"},
    moments=_mesh_moments,
    triangles=lambda solid: (solid.vertices, solid.triangles),
    flat=True,
    filled=True,
)
HEIGHT_FIELD = ShapeKind(
    "HEIGHT_FIELD",
    ("dx", "dy", "rows", "columns"),
    bounds=_field_bounds,
    volume=_field_volume,
    readers={"HEIGHT_FIELD": read_height_field},
    deferred={"HEIGHT_FIELD": lambda arguments: "HEIGHT_FIELD"},
    triangles=_field_triangles,
)
