"""Height field: ground over a grid of heights, two triangles a cell.

Three types of material below the surface:

* ground without a stated thickness: as deep below the minimum height as the field has relief and a tenth of its size,
  so that what has sunk in is found;
* ground of a ``thickness``: down to a flat bottom that far below the minimum height, a body with a volume and faces all
  round;
* a sheet (``two_sided``): everywhere ``thickness`` below the heights, so that both of its sides can be touched.

Contact takes the triangles as a mesh (`mesh`), so that all that meets meshes meets height fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.base import ModelError
from ...model.kinds import LARGEST, shown
from ...model.mass_properties import mesh_moments
from ...model.mesh import mesh_volume
from ...model.outputs import Graphic
from ...model.shape import MAX_POINTS
from ...model.shape_kinds import ShapeKind
from ...model.values import axes_of, vector
from ..referee.surfaces import triangle_surface
from ..shape_kinds._parts import ContactParts
from ..walls import mesh_thickness

if TYPE_CHECKING:
    from ...model.shape import Reader, Solid

TYPE = "HEIGHT_FIELD"
UNEVEN = 1e-6  # of the step of a grid, by which its steps may differ
DX, DY, ROWS, COLUMNS, THICKNESS, TWO_SIDED = range(6)  # of the parameters


# ---- reading --------------------------------------------------------------------------------------------------------
def grid_step(values: Any, count: int, axis: str) -> tuple[float, float]:
    """Step and middle of a grid along an axis, from a step or from ``count`` coordinates.  Raises `ModelError`, one
    sentence."""
    try:
        given = np.asarray(values, float)
    except (TypeError, ValueError):
        raise ModelError(
            f"the spacing along {axis} is {shown(values)}; give a number, or {count} rising coordinates"
        ) from None
    if given.ndim == 0:
        if not given > 0.0:
            raise ModelError(f"d{axis} must be positive, it is {given:g}; a shape without volume cannot touch")
        return float(given), 0.0
    if given.shape != (count,) or not np.isfinite(given).all():
        raise ModelError(
            f"there are {given.size} coordinates along {axis} for {count} heights; give one finite number for each"
        )
    steps = np.diff(given)
    mean = float(given[-1] - given[0]) / (count - 1)
    if not (steps > 0.0).all():
        raise ModelError(f"its coordinates along {axis} do not rise; sort them, with their heights")
    if np.ptp(steps) > UNEVEN * mean:
        raise ModelError(
            f"its grid is not uniform along {axis}: steps of {steps.min():.6g} to {steps.max():.6g}; interpolate the "
            "heights to one step"
        )
    return mean, 0.5 * float(given[0] + given[-1])


def read(reader: Reader) -> Solid:
    """HEIGHT_FIELD: ``heights`` rows along x, ``dx``, ``dy``, ``thickness``, ``two_sided``; centred at the marker
    CM."""
    rows = reader.a.get("heights")
    if rows is None:
        raise reader.fail("it has no heights; give rows of numbers")
    try:
        lists = [list(map(float, row)) for row in rows]
        heights = np.array(lists) if len({len(row) for row in lists}) == 1 else None
    except (TypeError, ValueError, OverflowError):
        heights = None
    if heights is None:
        raise reader.fail("its heights must be rows of numbers, all of the same length")
    if min(heights.shape) < 2:
        m, n = heights.shape
        raise reader.fail(
            f"its heights must be at least 2 x 2, they are {m} x {n}: a grid needs two rows and two columns"
        )
    bad = np.argwhere(~np.isfinite(heights))
    if len(bad):
        i, j = bad[0]
        raise reader.fail(
            f"its height in row {i}, column {j} is {heights[i, j]}; give finite numbers, {len(bad)} of them are not"
        )
    if not np.abs(heights).max() <= LARGEST:
        raise reader.fail(f"one of its heights is larger than any shape has; give at most {LARGEST:g}")
    if heights.size > MAX_POINTS:
        raise reader.fail(f"it has {heights.size} heights, more than {MAX_POINTS}; reduce it")
    steps = (reader.positive("dx"), reader.positive("dy"))
    thickness, two_sided = reader.number("thickness", default=0.0), reader.flag("two_sided")
    if thickness < 0.0:
        raise reader.fail(f"its thickness must not be negative, it is {thickness:g}")
    if two_sided and thickness == 0.0:
        raise reader.fail("a field with two sides is a sheet and needs a thickness; give THICKNESS")
    return reader.solid(
        TYPE, (*steps, *heights.shape, thickness, two_sided), reader.marker("cm", "rm"), heights=heights
    )


def height_field(
    self,
    body,
    heights,
    spacing,
    at=(0.0, 0.0, 0.0),
    x=None,
    z=None,
    thickness: float = 0.0,
    two_sided: bool = False,
    name: str = "",
    *,
    color: str = "",
    group: str = "",
    element: str = "",
) -> Graphic:
    """Ground of ``heights`` (rows along x, columns along y) over a uniform grid centred at ``at``.

    ``spacing``: one step, (dx, dy), or the coordinates (x, y) of rows and columns from ``at``.  ``thickness``: of the
    ground below its minimum height, with a flat bottom (0: deep enough to find what has sunk in); with ``two_sided``
    that of a sheet, both sides of which can be touched.

    Lengths in model units. Raises `ModelError` for ragged rows, fewer than two rows or columns, heights that are not
    finite, grids that are not uniform, and a sheet without thickness.
    """
    try:
        table = np.asarray(heights, float)
    except (TypeError, ValueError):
        raise ModelError("heights must be rows of numbers, all of the same length") from None
    rows = tuple(map(tuple, table.tolist())) if table.ndim == 2 else ()
    along = tuple(spacing) if isinstance(spacing, (list, tuple, np.ndarray)) else (spacing, spacing)
    if len(along) != 2:
        raise ModelError(
            f"spacing takes one step, two, or the coordinates of rows and of columns, not {len(along)} values"
        )
    place, middle, steps = np.asarray(vector(at, "at")), np.zeros(3), [1.0, 1.0]
    for k, axis in enumerate("xy"):
        if table.ndim == 2 and table.shape[k] >= 2:
            steps[k], middle[k] = grid_step(along[k], table.shape[k], axis)
    if middle.any():
        place = place + axes_of(z, x) @ middle
    marker = self.marker_at(body, place, z=z, x=x)
    extra = ({"thickness": float(thickness)} if thickness else {}) | ({"two_sided": True} if two_sided else {})
    return self._shape(
        TYPE, name, (color, group, element), cm=marker.id, dx=steps[0], dy=steps[1], heights=rows, **extra
    )


# ---- the model ------------------------------------------------------------------------------------------------------
def grid_points(heights: np.ndarray, dx: float, dy: float) -> np.ndarray:
    """Points (rows, columns, 3) of the surface."""
    z = np.asarray(heights, float)
    m, n = z.shape
    x, y = dx * (np.arange(m) - 0.5 * (m - 1)), dy * (np.arange(n) - 0.5 * (n - 1))
    return np.stack([*np.meshgrid(x, y, indexing="ij"), z], -1)


def surface_triangles(m: int, n: int) -> np.ndarray:
    """Two triangles a cell of m rows and n columns of points, seen from above."""
    i, j = np.meshgrid(np.arange(m - 1), np.arange(n - 1), indexing="ij")
    a = (i * n + j).ravel()
    return np.concatenate([np.column_stack([a, a + n, a + n + 1]), np.column_stack([a, a + n + 1, a + 1])])


def bottom(heights: np.ndarray, dx: float, dy: float, thickness: float = 0.0) -> float:
    """Height of the flat bottom of ground."""
    z = np.asarray(heights, float)
    half = 0.5 * max(dx * (z.shape[0] - 1), dy * (z.shape[1] - 1))
    return float(z.min()) - (thickness or float(np.ptp(z)) + 0.1 * half)


def field_mesh(
    heights: np.ndarray, dx: float, dy: float, thickness: float = 0.0, two_sided: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Closed mesh: the surface, walls round the rim, and a flat bottom or the other side of a sheet."""
    grid = grid_points(heights, dx, dy)
    m, n = grid.shape[:2]
    top, faces = grid.reshape(-1, 3), surface_triangles(m, n)
    # round the rim, counter-clockwise seen from above
    rim = np.concatenate(
        [np.arange(m) * n, (m - 1) * n + np.arange(1, n), np.arange(m - 2, -1, -1) * n + n - 1, np.arange(n - 2, 0, -1)]
    )
    r, at = len(rim), len(top)
    k, following = np.arange(r), (np.arange(r) + 1) % r
    if two_sided:
        foot, under = at + rim, faces[:, ::-1] + at
        below = top - [0.0, 0.0, thickness]
    else:
        foot, under = at + k, np.column_stack([np.full(r, at + r), at + following, at + k])
        low = bottom(heights, dx, dy, thickness)
        below = np.vstack([np.column_stack([top[rim, :2], np.full(r, low)]), [[0.0, 0.0, low]]])
    walls = np.concatenate(
        [np.column_stack([foot, foot[following], rim[following]]), np.column_stack([foot, rim[following], rim])]
    )
    return np.vstack([top, below]), np.concatenate([faces, walls, under])


def closed_mesh(solid: Solid) -> tuple[np.ndarray, np.ndarray]:
    """`field_mesh` of a solid."""
    p = solid.par
    return field_mesh(solid.heights, p[DX], p[DY], p[THICKNESS], bool(p[TWO_SIDED]))


def _bottom(solid: Solid) -> float:
    return bottom(solid.heights, solid.par[DX], solid.par[DY], solid.par[THICKNESS])


def _bounds(solid: Solid) -> tuple[np.ndarray, np.ndarray, float]:
    z, (m, n) = solid.heights, solid.heights.shape
    low = float(z.min()) - solid.par[THICKNESS] if solid.par[TWO_SIDED] else _bottom(solid)
    high = float(z.max())
    half = np.array([0.5 * solid.par[DX] * (m - 1), 0.5 * solid.par[DY] * (n - 1), 0.5 * (high - low)])
    return np.array([0.0, 0.0, 0.5 * (low + high)]), half, float(np.linalg.norm(half))


def _moments(solid: Solid, angle: float | None) -> tuple[float, np.ndarray, np.ndarray]:
    if not solid.par[THICKNESS]:
        raise solid.graphic.error("no mass follows from ground without a thickness; give thickness=, or the mass")
    return mesh_moments(*closed_mesh(solid))


def _triangles(solid: Solid) -> tuple[np.ndarray, np.ndarray]:
    """The surface alone, of a body with a stated thickness all of it."""
    if solid.par[THICKNESS]:
        return closed_mesh(solid)
    return grid_points(solid.heights, *solid.par[:2]).reshape(-1, 3), surface_triangles(*solid.heights.shape)


SHAPE = ShapeKind(
    TYPE,
    ("dx", "dy", "rows", "columns", "thickness", "two-sided"),
    body=False,
    kernels_of="MESH",
    bounds=_bounds,
    volume=lambda solid: mesh_volume(*closed_mesh(solid)),
    readers={TYPE: read},
    deferred={TYPE: lambda arguments: TYPE},
    moments=_moments,
    triangles=_triangles,
    builder=height_field,
)


# ---- contact --------------------------------------------------------------------------------------------------------
def _wall(solid: Solid, pools: dict[str, np.ndarray]) -> float:
    if solid.par[TWO_SIDED]:
        return mesh_thickness(pools["vert"], pools["tri"], pools["node"], int(pools["link"][0, 1]))
    return float(np.asarray(solid.heights).min()) - _bottom(solid)


def _surface(solid: Solid, p):
    if p[THICKNESS]:
        points, triangles = closed_mesh(solid)
        return triangle_surface(points[triangles].reshape(-1, 9))
    points, triangles = _triangles(solid)
    return triangle_surface(points[triangles].reshape(-1, 9), closed=False)


def _grain_walls(solid: Solid) -> list[tuple]:
    points, triangles = _triangles(solid)
    return [("triangles", points, triangles)]


CONTACT = ContactParts(
    surface=_surface,
    wall=_wall,
    mesh=lambda solid, fineness: (*closed_mesh(solid), 0.0),
    refine=False,
    spacing=lambda solid: float(min(solid.par[:2])),
    grain_walls=_grain_walls,
)
