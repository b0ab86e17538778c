"""Hulls and meshes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import facets
from ..base import ModelError
from ..mass_properties import hull_triangles, mesh_moments
from ..paths import resolve
from ..shape import Reader, flat
from ._kind import Bounds, GrainKind, Moments, ShapeKind

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
    """The file of a mesh: next to the model, under the name of the file and element of an EXTERNAL one."""
    if read.graphic.type.upper() == "EXTERNAL":
        from ..mesh import locate

        file, element = str(read.a.get("file") or ""), str(read.a.get("element") or "")
        try:
            if not getattr(read.model, "path", None):
                raise ModelError(f"its file {file} is searched for next to the model, which came from no file")
            return locate(file, element, Path(str(read.model.path)).resolve().parent)
        except ModelError as error:
            raise read.fail(f"{error}, or give a shape instead (--geometry, model.substitute)") from None
    if read.a.get("file") is None:
        return None
    path = read.loaded(resolve, read.model, str(read.a["file"]))
    if not path.is_file():
        raise read.fail(
            f"there is no file {path}; copy it there, or give a shape instead (--geometry, model.substitute)"
        )
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

    return mesh_volume(*_facets(solid))


def _facets(solid: Solid) -> tuple[np.ndarray, np.ndarray]:
    assert solid.vertices is not None and solid.triangles is not None
    return solid.vertices, solid.triangles


def _hull_moments(solid: Solid, angle: float | None) -> Moments:
    return mesh_moments(*hull_triangles(np.asarray(solid.vertices, float)))


def _mesh_moments(solid: Solid, angle: float | None) -> Moments:
    return mesh_moments(np.asarray(solid.vertices, float), np.asarray(solid.triangles))


def _file_kind(arguments: Mapping[str, Any]) -> str:
    return "HULL" if arguments.get("convex") else "MESH"


HULL = ShapeKind(
    "HULL",
    (),
    bounds=_vertex_bounds,
    volume=_hull_volume,
    readers={"HULL": read_hull},
    deferred={"HULL": lambda arguments: "HULL"},
    moments=_hull_moments,
    triangles=lambda solid: facets.hull(np.asarray(solid.vertices)),
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
    triangles=_facets,
    flat=True,
    filled=True,
)
