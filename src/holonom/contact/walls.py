"""Thickness of the walls of shapes: the minimum distance between opposite faces along inner normals.

A body passes through another one where the wall is thin, whatever the size of the box around both: a cup of 0.1 m with
walls of 1 mm has a thickness of 1 mm. The thickness is measured once, when a system is built, from points on the faces:
rays along the inner normal to the nearest face that looks the other way. Meshes use their search tree, profiles
(extrusions, curves) their outline in the plane, bodies of revolution their outline with its mirror image, all others
their dimensions.  It is kept in the column ``WALL`` of ``Shapes.par``; 0 there means twice the smallest half side of
the box.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._jit import jit
from .shape_kinds import contact_parts
from .tables import PARAMETERS

WALL = PARAMETERS - 3
LEAF = 4  # triangles a leaf of the tree of a mesh
OPPOSITE = -0.3  # cosine between normals of faces that look opposite ways
INSET = 0.6  # of the way from the centre of a triangle to its corners lie further points that rays start from
POINTS = 5  # on each straight piece of an outline
BLOCK = 64  # points next to each other whose rays are followed together
NOTHING = 1e-9  # of the size: nearer faces are the one where the ray starts


@jit
def wall(sh, a):
    """Thickness of shape a where it is thinnest; 1e300 for half-spaces, 0 for points."""
    if sh.half[a, 0] >= 1e300:
        return 1e300
    w = sh.par[a, WALL]
    return w if w > 0.0 else 2.0 * min(sh.half[a, 0], sh.half[a, 1], sh.half[a, 2])


@jit(entry="Shapes, int64, int64")
def thinner(sh, a, b):
    """Thickness of the thinner of two shapes."""
    return min(wall(sh, a), wall(sh, b))


def thickness_of(solid: Any, pools: dict[str, np.ndarray]) -> float:
    """Value for the column ``WALL`` of a solid in length units, 0 where its box says it; ``pools``: its rows as
    `shapes.pack` gives them."""
    return contact_parts(solid.kind).wall(solid, pools)


def mesh_thickness(vert: np.ndarray, tri: np.ndarray, node: np.ndarray, nv: int) -> float:
    """Least thickness of a closed mesh in the pools of `shapes.mesh`; ``nv``: number of its points."""
    corner = vert[:nv][tri]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    size = float(np.ptp(vert[:nv], axis=0).max())
    return float(_least_ray(np.ascontiguousarray(corner), normal, node, size))


@jit(entry="float64[:, :, ::1], float64[:, ::1], float64[:, ::1], float64")
def _least_ray(corner, normal, node, size):
    least = 1e300
    for t in range(corner.shape[0]):
        for k in range(4):
            w = INSET if k < 3 else 0.0
            x = y = z = 0.0
            for c in range(3):
                share = (1.0 - w) / 3.0 + (w if c == k else 0.0)
                x += share * corner[t, c, 0]
                y += share * corner[t, c, 1]
                z += share * corner[t, c, 2]
            least = min(least, _ray(corner, normal, node, t, x, y, z, least, NOTHING * size))
    return least


@jit
def _ray(corner, normal, node, t, x, y, z, far, near):
    """Distance from a point of triangle t along its inner normal to the nearest face that looks the other way; ``far``:
    none nearer than that."""
    d0, d1, d2 = -normal[t, 0], -normal[t, 1], -normal[t, 2]
    best = far
    k = 0
    while k < node.shape[0]:
        # slabs of the box; a direction along an axis has no slab to leave
        low = 0.0
        high = best
        for c in range(3):
            p = x if c == 0 else y if c == 1 else z
            d = d0 if c == 0 else d1 if c == 1 else d2
            if abs(d) < 1e-12:
                if p < node[k, c] - near or p > node[k, 3 + c] + near:
                    high = -1.0
            else:
                u = (node[k, c] - p) / d
                v = (node[k, 3 + c] - p) / d
                low = max(low, min(u, v) - near)
                high = min(high, max(u, v) + near)
        if low > high:
            k = int(node[k, 6])
            continue
        leaf = int(node[k, 7])
        k += 1
        if leaf < 0:
            continue
        for s in range(leaf, min(leaf + LEAF, corner.shape[0])):
            if (
                s == t
                or normal[s, 0] * normal[t, 0] + normal[s, 1] * normal[t, 1] + normal[s, 2] * normal[t, 2] > OPPOSITE
            ):
                continue
            h = _meets(corner, s, x, y, z, d0, d1, d2)
            if near < h < best:
                best = h
    return best


@jit
def _meets(corner, s, x, y, z, d0, d1, d2):
    """Distance along a ray to triangle s, -1: none (T. Moeller, B. Trumbore, J. Graphics Tools 2 (1997) 21)."""
    e0, e1, e2 = corner[s, 1, 0] - corner[s, 0, 0], corner[s, 1, 1] - corner[s, 0, 1], corner[s, 1, 2] - corner[s, 0, 2]
    f0, f1, f2 = corner[s, 2, 0] - corner[s, 0, 0], corner[s, 2, 1] - corner[s, 0, 1], corner[s, 2, 2] - corner[s, 0, 2]
    p0, p1, p2 = d1 * f2 - d2 * f1, d2 * f0 - d0 * f2, d0 * f1 - d1 * f0
    det = e0 * p0 + e1 * p1 + e2 * p2
    if det == 0.0:
        return -1.0
    s0, s1, s2 = x - corner[s, 0, 0], y - corner[s, 0, 1], z - corner[s, 0, 2]
    u = (s0 * p0 + s1 * p1 + s2 * p2) / det
    q0, q1, q2 = s1 * e2 - s2 * e1, s2 * e0 - s0 * e2, s0 * e1 - s1 * e0
    v = (d0 * q0 + d1 * q1 + d2 * q2) / det
    if not (u >= -1e-12 and v >= -1e-12 and u + v <= 1.0 + 1e-12):
        return -1.0
    return (f0 * q0 + f1 * q1 + f2 * q2) / det


def outline_thickness(points: np.ndarray, mirrored: bool) -> float:
    """Least thickness of the inside of a closed outline (n, 2); ``mirrored``: of the body of revolution about its
    second axis."""
    p = np.asarray(points, float)
    a, b = p, np.roll(p, -1, axis=0)
    area = 0.5 * float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum())
    keep = np.hypot(*(b - a).T) > NOTHING * np.ptp(p, axis=0).max()
    if mirrored:
        keep &= np.maximum(abs(a[:, 0]), abs(b[:, 0])) > NOTHING * abs(p[:, 0]).max()  # the axis is not a face
    a, b = a[keep], b[keep]
    along = b - a
    inward = np.column_stack([-along[:, 1], along[:, 0]]) * math.copysign(1.0, area) / np.hypot(*along.T)[:, None]
    share = (np.arange(POINTS) + 0.5) / POINTS
    start = (a[:, None] + share[None, :, None] * along[:, None]).reshape(-1, 2)
    way = np.repeat(inward, POINTS, axis=0)
    if mirrored:
        flip = np.array([-1.0, 1.0])
        a, along, inward = (
            np.vstack([a, a * flip]),
            np.vstack([along, along * flip]),
            np.vstack([inward, inward * flip]),
        )
    least = np.inf
    size = float(np.ptp(p, axis=0).max())
    low, high = np.minimum(a, a + along), np.maximum(a, a + along)
    # a few rays all round give a first bound; then of the rays of neighbouring points only the faces within that count
    few = slice(None, None, max(1, len(start) // BLOCK))
    for some in (few, *(slice(k, k + BLOCK) for k in range(0, len(start), BLOCK))):
        x, d = start[some], way[some]
        reach = least + NOTHING * size
        near = ((high > x.min(axis=0) - reach) & (low < x.max(axis=0) + reach)).all(axis=1)
        facing = d[:, :1] * inward[near, 0] + d[:, 1:] * inward[near, 1]
        some_face = (facing < OPPOSITE).any(axis=0)
        near, facing = np.flatnonzero(near)[some_face], facing[:, some_face]
        x, d, e, r = x[:, None], d[:, None], along[near], a[near] - x[:, None]
        det = d[..., 0] * e[:, 1] - d[..., 1] * e[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (r[..., 0] * e[:, 1] - r[..., 1] * e[:, 0]) / det
            s = (r[..., 0] * d[..., 1] - r[..., 1] * d[..., 0]) / det
        hit = (t > NOTHING * size) & (s >= -1e-12) & (s <= 1.0 + 1e-12) & (facing < OPPOSITE)
        if hit.any():
            least = min(least, float(t[hit].min()))
    return least if np.isfinite(least) else 0.0
