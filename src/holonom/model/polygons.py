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
