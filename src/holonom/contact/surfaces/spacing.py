"""How close together the points of a surface must lie, so that what it meets does not pass between them: triangles are
divided for small shapes.

A triangle whose longest side is L, each side divided into n parts, has no position farther than rho = L / (n sqrt(3))
from one of its points (equilateral; a little more in others).  A round shape of radius b that comes down in the middle
between points is touched when it is rho^2 / 2 b deep: 2 % of b where rho is a fifth of it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...model.bounds import bounds, half_width, roundness
from ...model.shape_kinds import shape_kind
from ...model.triangles import area_vectors
from ..shape_kinds import contact_parts
from ..shapes.measure import signed_distances
from ..shapes.stand_in import mesh

REACH = 1.0 / math.sqrt(3.0)  # rho n / L
COARSE = 1.0 / 3.0  # rho over the size of a shape up to which triangles are not divided
FINE = 0.2  # rho over the size, of triangles that are divided
MOST_DIVISIONS = 24
MOST_DIVIDED = 10_000  # points of a region whose triangles are divided
SAMPLES, LADDER = 200, 24  # triangles at which the walls of a shape are measured, depths tried
SHARE = 0.1  # of the area of a shape whose wall may be thinner than what is taken for its thickness


def size_of(solid: Any) -> float:
    """Size of a shape next to which the distance of points is small or large, length: the radius of a round one, half
    of the middle one of the sides of the box of others, infinite of half-spaces and hollow shapes."""
    if math.isinf(half_width(solid)):
        return math.inf
    radius = roundness(solid)
    if radius > 0.0:
        return min(radius, float(np.median(bounds(solid)[1])))
    spacing = contact_parts(solid.kind).spacing
    if spacing is not None:
        return spacing(solid)
    return float(np.median(bounds(solid)[1]))


def divisions_for(sizes: list[float], side: float, triangles: int) -> int:
    """Into how many parts sides of triangles, of the length ``side`` at most, are divided, so that points lie close
    together next to all ``sizes`` (`size_of`); as fine as `MOST_DIVISIONS` and `MOST_DIVIDED` allow."""
    size = min(sizes, default=math.inf)
    if REACH * side <= COARSE * size:
        return 1
    n = math.ceil(REACH * side / (FINE * size)) if size > 0.0 else MOST_DIVISIONS
    most = math.isqrt(2 * MOST_DIVIDED // max(triangles, 1))
    return max(1, min(n, MOST_DIVISIONS, most))


def passes_between(solids: list[Any], side: float, divisions: int) -> Any:
    """The first shape that fits between the points of triangles of this ``side``, or None."""
    rho = REACH * side / divisions
    return next((s for s in solids if rho > (half_width(s) or float(bounds(s)[1].min()))), None)


def wall_of(solid: Any) -> float:
    """Half of the thickness of the thinnest walls of a shape, length; infinite of half-spaces and hollow shapes.

    Of meshes and profiles it is measured: as long as a position at the depth d below the middle of a triangle has that
    distance from the surface, the wall is thicker than 2 d.  The result is what `SHARE` of the area at most fall below.
    """
    if half_width(solid) > 0.0:
        return half_width(solid)
    half = bounds(solid)[1]
    if not shape_kind(solid.kind).body:
        return math.inf
    if not contact_parts(solid.kind).has_mesh:
        return float(half.min())
    points, corners, _ = mesh(solid)
    normals = area_vectors(points, corners)
    area = np.linalg.norm(normals, axis=1)
    pick = np.unique(np.linspace(0, len(corners) - 1, min(SAMPLES, len(corners))).astype(int))
    pick = pick[area[pick] > 0.0]
    if not len(pick):
        return float(half.min())
    middle = points[corners[pick]].mean(axis=1)
    inward = -normals[pick] / area[pick, None]
    found = np.zeros(len(pick))
    for d in float(half.min()) * 0.5 ** (np.arange(LADDER) / 2.0)[::-1]:
        distance = signed_distances(solid, middle + d * inward)
        found = np.where(-distance > 0.8 * d, d, found)
    order = np.argsort(found)
    share = np.cumsum(area[pick][order]) / area[pick].sum()
    return float(found[order][np.searchsorted(share, SHARE)]) or float(half.min())


def lattice(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares (p, 3) in n-ths, whole numbers, of the points of a triangle whose sides are divided into n parts, and its
    small triangles (n^2, 3) of them."""
    counts = np.array([(n - i - j, i, j) for i in range(n + 1) for j in range(n + 1 - i)])
    number = {(int(i), int(j)): k for k, (_, i, j) in enumerate(counts)}
    small = []
    for i in range(n):
        for j in range(n - i):
            small.append((number[i, j], number[i + 1, j], number[i, j + 1]))
            if i + j < n - 1:
                small.append((number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]))
    return counts, np.array(small)


def divided(triangles: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points of triangles (t, 3) whose sides are divided into n parts: corners (k, 3) and shares (k, 3) of each, and
    small triangles (t n^2, 3) of these points. Points on sides and corners that triangles share are one; a corner with
    no share is -1."""
    counts, small = lattice(n)
    t, p = len(triangles), len(counts)
    corner = np.where(counts[None] > 0, triangles[:, None, :], -1).reshape(t * p, 3)
    order = np.argsort(corner, axis=1)
    key = np.concatenate(
        [np.take_along_axis(corner, order, 1), np.take_along_axis(np.tile(counts, (t, 1)), order, 1)], axis=1
    )
    unique, back = np.unique(key, axis=0, return_inverse=True)
    back = back.reshape(t, p)
    return unique[:, :3], unique[:, 3:] / n, back[:, small].reshape(-1, 3)
