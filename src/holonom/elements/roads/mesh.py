"""Roads of triangles: the highest triangle over a position, found in a grid of boxes; where there is none there is no
road (`NOWHERE`).

Numbers: corner (2) and size (2) of the grid's boxes, their counts (2), first triangle of each box in a list (boxes +
1), the list, and for each triangle a + b x + c y (3), three edges p x + q y + d >= 0 inside (9).
"""

from __future__ import annotations

import math

import numpy as np

from ..._jit import jit
from ..duals import real
from .friction import SHAPE, friction

NOWHERE = -1e12  # height where there is no road
TRIANGLE = 12
MOST_ENTRIES = 3_000_000  # of the list of triangles in boxes, where fewer boxes can be had
LEAST = 1e-9  # of the size of a box: how far outside of its edges a triangle still carries


@jit(entry="float64[::1], float64, float64")
def mesh(r, X, Y):
    o = int(r[SHAPE])
    nx, ny = int(r[o + 4]), int(r[o + 5])
    zero = X * 0.0 + Y * 0.0
    i = math.floor((real(X) - r[o]) / r[o + 2])
    j = math.floor((real(Y) - r[o + 1]) / r[o + 3])
    mu = friction(r, X, Y)
    if i == nx and real(X) <= r[o] + nx * r[o + 2]:
        i = nx - 1
    if j == ny and real(Y) <= r[o + 1] + ny * r[o + 3]:
        j = ny - 1
    if not (0 <= i < nx and 0 <= j < ny):
        return zero + NOWHERE, zero, zero, mu
    first = o + 6
    listed = first + nx * ny + 1
    triangles = listed + int(r[first + nx * ny])
    best = NOWHERE
    found = -1
    box = int(i) * ny + int(j)
    for k in range(int(r[first + box]), int(r[first + box + 1])):
        t = triangles + TRIANGLE * int(r[listed + k])
        inside = True
        for e in range(3):
            q = t + 3 + 3 * e
            if r[q] * real(X) + r[q + 1] * real(Y) + r[q + 2] < -LEAST * r[o + 2]:
                inside = False
        if inside:
            h = r[t] + r[t + 1] * real(X) + r[t + 2] * real(Y)
            if h > best:
                best = h
                found = t
    if found < 0:
        return zero + NOWHERE, zero, zero, mu
    return r[found] + r[found + 1] * X + r[found + 2] * Y + zero, zero + r[found + 1], zero + r[found + 2], mu


def mesh_numbers(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Numbers of points (p, 3) and triangles (m, 3), whose counts fit; those that stand upright are left out.  Raises
    ValueError where none is left."""
    P = points[triangles]  # (m, 3, 3)
    a, b = P[:, 1] - P[:, 0], P[:, 2] - P[:, 0]
    area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    size = np.abs(P[:, :, :2] - P[:, :1, :2]).max(axis=(1, 2))
    keep = np.abs(area) > 1e-9 * size**2
    if not keep.any():
        raise ValueError
    P, area, a, b = P[keep], area[keep], a[keep], b[keep]
    sx = (a[:, 2] * b[:, 1] - a[:, 1] * b[:, 2]) / area
    sy = (a[:, 0] * b[:, 2] - a[:, 2] * b[:, 0]) / area
    rows = np.empty((len(P), TRIANGLE))
    rows[:, 0], rows[:, 1], rows[:, 2] = P[:, 0, 2] - sx * P[:, 0, 0] - sy * P[:, 0, 1], sx, sy
    for e in range(3):
        p, q = P[:, e], P[:, (e + 1) % 3]
        nx, ny = -(q[:, 1] - p[:, 1]), q[:, 0] - p[:, 0]
        length = np.sign(area) * np.hypot(nx, ny)
        rows[:, 3 + 3 * e], rows[:, 4 + 3 * e] = nx / length, ny / length
        rows[:, 5 + 3 * e] = -(nx * p[:, 0] + ny * p[:, 1]) / length
    low, high = P[:, :, :2].min(axis=(0, 1)), P[:, :, :2].max(axis=(0, 1))
    counts = np.maximum(
        1, np.minimum(2000, np.ceil(np.sqrt(len(P)) * (high - low) / max((high - low).max(), 1e-300))).astype(int)
    )
    ends = P[:, :, :2].min(axis=1), P[:, :, :2].max(axis=1)
    while True:
        step = (high - low) / counts
        bounds = [np.clip(np.floor((side - low) / step).astype(int), 0, counts - 1) for side in ends]
        # large triangles lie in many boxes: fewer boxes then
        if (bounds[1] - bounds[0] + 1).prod(axis=1).sum() <= MOST_ENTRIES or counts.max() == 1:
            break
        counts = np.maximum(1, counts // 2)
    boxes: list[list[int]] = [[] for _ in range(counts[0] * counts[1])]
    for t, (f, g) in enumerate(zip(*bounds)):
        for i in range(f[0], g[0] + 1):
            for j in range(f[1], g[1] + 1):
                boxes[i * counts[1] + j].append(t)
    first = np.concatenate([[0], np.cumsum([len(b) for b in boxes])])
    return np.concatenate([low, step, counts, first, [t for box in boxes for t in box], rows.ravel()]).astype(float)
