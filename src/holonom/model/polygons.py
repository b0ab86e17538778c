"""Plane polygons as triangles: for pictures and for the meshes that represent shapes."""

from __future__ import annotations

import numpy as np


def ear_triangles(polygon: np.ndarray) -> np.ndarray:
    """Triangles (n - 2, 3) of a simple polygon (n, 2) that runs counter-clockwise, by cutting ears."""
    left = list(range(len(polygon)))
    out = []
    cross = lambda u, v: u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    before, after = np.roll(polygon, 1, axis=0), np.roll(polygon, -1, axis=0)
    hollow = cross(polygon - before, after - polygon) <= 0  # only these can lie in an ear; cutting makes none of them
    k, misses = 0, 0
    while len(left) > 3 and misses <= len(left):
        m = len(left)
        ia, ib, ic = left[(k - 1) % m], left[k % m], left[(k + 1) % m]
        a, b, c = polygon[ia], polygon[ib], polygon[ic]
        ear = cross(b - a, c - b) > 0
        if ear:
            kept = hollow[[ia, ic]]
            hollow[[ia, ic]] = False
            rest = polygon[hollow]
            hollow[[ia, ic]] = kept
            inside = (cross(b - a, rest - a) >= 0) & (cross(c - b, rest - b) >= 0) & (cross(a - c, rest - c) >= 0)
            ear = not inside.any()
        if ear:
            out.append((ia, ib, ic))
            del left[k % m]
            hollow[ib] = False
            for n in (k - 1, k):  # the neighbours of what was cut
                p, q, r = (polygon[left[i % (m - 1)]] for i in (n - 1, n, n + 1))
                hollow[left[n % (m - 1)]] &= cross(q - p, r - q) <= 0
            misses = 0
            k = k % m
        else:
            k, misses = k + 1, misses + 1
    out += [(left[0], left[i], left[i + 1]) for i in range(1, len(left) - 1)]
    return np.array(out)


def polygon_triangles(polygon: np.ndarray) -> np.ndarray:
    """Triangles (k, 3) of a simple polygon (n, 2) that runs counter-clockwise: those of Delaunay's triangulation of its
    points where it has all sides of the polygon, else by cutting ears, whose cost grows with n^2.

    Corners of a triangle inside come in the order of the polygon, of one outside in the opposite order; where a side is
    missing, a triangle crosses it, and the areas do not add up to that of the polygon.
    """
    from scipy.spatial import Delaunay, QhullError

    x, y = polygon.T
    area = 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    try:
        found = np.sort(Delaunay(polygon).simplices, axis=1)
    except QhullError:
        return ear_triangles(polygon)
    a, b, c = (polygon[found[:, k]] for k in range(3))
    twice = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    if not abs(0.5 * twice[twice > 0.0].sum() - area) < 1e-9 * area:
        return ear_triangles(polygon)
    return found[twice > 0.0]
