"""Convex hulls: data in the pools and what is prepared for the kernels.

first = (corner 0, corners, face 0, faces): corners in ``vert``; in ``node`` first one row a face (unit normal (3), its
offset along it, first row and number of rows of its loop in ``link``), then one row a corner (its share of a flat
contact); in ``link`` the loops of the faces, corners counter-clockwise seen from outside (numbers in ``vert``).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...model.base import ModelError

FLAT = 1e-6  # sine between triangles of one face
CONVEX = 1e-9  # share of the volume by which a convex mesh may miss that of its hull
MOST_CORNERS, MOST_OF_FACE = 100, 16  # of a mesh that is taken as its hull


def pack(solid, sizes: dict[str, int]):
    """``first`` and rows of the pools for ``solid.vertices`` (n, 3), of which only the corners of the hull are kept.

    sizes: present lengths of the pools.  Raises `ModelError` when the points lie in a plane."""
    points = np.asarray(solid.vertices, float)
    corners, faces, normals = faces_of(points, getattr(getattr(solid, "graphic", None), "name", "") or "a hull")
    v0, n0, l0 = sizes.get("vert", 0), sizes.get("node", 0), sizes.get("link", 0)
    node = np.zeros((len(faces) + len(corners), 8))
    link = np.zeros((sum(map(len, faces)), 4), np.int64)
    at = 0
    for i, (face, normal) in enumerate(zip(faces, normals, strict=True)):
        node[i, :3] = normal
        node[i, 3] = (corners[face] @ normal).max()
        node[i, 4:6] = l0 + at, len(face)
        link[at : at + len(face), 0] = v0 + np.array(face)
        at += len(face)
    node[len(faces) :, 0] = shares(corners, faces)
    return (v0, len(corners), n0, len(faces)), {"vert": corners, "node": node, "link": link}


def convex_mesh_as_hull(solid):
    """The hull that a MESH is, where it is convex and coarse, else the mesh itself: the kernels of convex shapes find
    the features that meet exactly."""
    if solid.triangles is None or len(np.unique(solid.triangles)) > MOST_CORNERS:
        return solid
    from scipy.spatial import ConvexHull, QhullError  # slow to load

    points = np.asarray(solid.vertices, float)[np.unique(solid.triangles)]
    try:
        whole = ConvexHull(points)
    except (QhullError, ValueError):
        return solid
    a, b, c = np.moveaxis(np.asarray(solid.vertices, float)[solid.triangles] - points.mean(axis=0), 1, 0)
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    if not abs(whole.volume - volume) <= CONVEX * whole.volume:
        return solid
    if max(map(len, faces_of(points)[1])) > MOST_OF_FACE:
        return solid
    return replace(solid, kind="HULL", vertices=points, triangles=None)


def faces_of(points: np.ndarray, name: str = "a hull"):
    """(corners (n, 3), faces: lists of corners counter-clockwise from outside, outward unit normals (m, 3)); triangles
    of one plane are one face."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError) as fault:
        raise ModelError(
            f"{name}: its points lie in a plane or are fewer than four, so they enclose no volume"
        ) from fault
    used = hull.vertices
    number = np.full(len(points), -1)
    number[used] = np.arange(len(used))
    corners = points[used]
    todo = list(range(len(hull.simplices)))
    normals = hull.equations[:, :3]
    faces, outward = [], []
    size = np.ptp(corners, axis=0).max()
    while todo:
        n, d = normals[todo[0]], -hull.equations[todo[0], 3]
        mine = [
            t
            for t in todo
            if normals[t] @ n > 1 - FLAT and np.abs(points[hull.simplices[t]] @ n - d).max() < FLAT * size
        ]
        todo = [t for t in todo if t not in mine]
        face = np.unique(number[hull.simplices[mine].ravel()])
        middle = corners[face].mean(axis=0)
        x = corners[face[0]] - middle
        x -= (x @ n) * n
        y = np.cross(n, x)
        r = corners[face] - middle
        order = np.argsort(np.arctan2(r @ y, r @ x * np.linalg.norm(n)))
        faces.append([int(i) for i in face[order]])
        outward.append(n)
    return corners, faces, np.array(outward)


def shares(corners: np.ndarray, faces) -> np.ndarray:
    """Share of the force law of each corner on a plane: the mean over its faces of the part of a full turn that the
    face turns at it (a quarter at a box's corners)."""
    total = np.zeros(len(corners))
    count = np.zeros(len(corners))
    for face in faces:
        p = corners[face]
        u = p - np.roll(p, 1, axis=0)
        v = np.roll(p, -1, axis=0) - p
        u /= np.linalg.norm(u, axis=1)[:, None]
        v /= np.linalg.norm(v, axis=1)[:, None]
        total[face] += np.arccos(np.clip((u * v).sum(axis=1), -1, 1)) / (2 * np.pi)
        count[face] += 1
    return total / np.maximum(count, 1)
