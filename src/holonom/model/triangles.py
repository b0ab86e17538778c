"""Areas and normals of triangles of a surface, and what of them falls to the corners."""

from __future__ import annotations

import numpy as np


def area_vectors(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(t, 3) along the normal of each triangle (t, 3), outwards where its corners run counter-clockwise seen from
    outside, as long as its area, length^2."""
    p = np.asarray(points, float)[np.asarray(triangles, np.int64)].reshape(-1, 3, 3)
    return 0.5 * np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])


def at_corners(triangles: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """(count, ..) of values (t, ..) of triangles, a third to each of their corners (t, 3), numbers below ``count``."""
    out = np.zeros((count, *np.shape(values)[1:]))
    for c in range(3):
        np.add.at(out, triangles[:, c], values / 3.0)
    return out
