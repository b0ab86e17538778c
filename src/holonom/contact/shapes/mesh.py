"""Triangle meshes for contact: the search tree, normals of edges and corners, patches, weights; and mass properties.

Meshes are read and checked by `model.mesh` (STL, OBJ, PLY, OFF, glTF; open, inside out, without volume: one sentence
each). Pools of a MESH of nv points and nt triangles (in the order of the tree's leaves), ``first`` = offsets in vert,
tri, node, link:

    vert  nv points; nv normals of the corners (mean of the faces by their angles: J. A. Baerentzen, H. Aanaes, IEEE
        Trans. Vis. Comput.
          Graph. 11 (2005) 243: their sign gives inside from outside); nv rows (first triangle of the point, weight,
              least patch)
    tri   nt corners; tree: boxes as in `profile.tree`, LEAF triangles a leaf
    link  row 0: nt, nv, nodes; then for each triangle its neighbours over the edges 01, 12, 20 and the number of its
        patch
          (faces that meet in edges of less than SHARP)

The weight of a point is its third of the areas of its triangles over half of the whole surface: one face of a box has
weight 1.
"""

from __future__ import annotations

import numpy as np

from ...model.base import ModelError
from ...model.triangles import area_vectors, at_corners
from ..shape_kinds import contact_parts
from ..shape_kinds._parts import Fineness
from .profile import tree

LEAF = 4
SHARP = np.radians(30.0)


def pack(solid, sizes: dict[str, int]):
    """(first, pools) of a MESH or HEIGHT_FIELD (`shapes.pack`)."""
    corners, triangles, _ = contact_parts(solid.kind).mesh(solid, Fineness(0.0, 0.0))
    t = tables(corners, triangles)
    return t["first"](sizes), {name: t[name] for name in ("vert", "tri", "node", "link")}


def tables(points: np.ndarray, triangles: np.ndarray) -> dict:
    """Pools of a closed mesh (see above), with ``first``, function of the offsets."""
    points, triangles = np.asarray(points, float), np.asarray(triangles, np.int64)
    normals, areas = face_normals(points, triangles)
    keep = areas > 1e-14 * areas.max()
    if not keep.all():
        points, triangles = _without_slivers(points, triangles, keep)
        normals, areas = face_normals(points, triangles)
    corner = points[triangles]
    middle = corner.mean(axis=1)
    order = _order(middle)
    triangles, normals, areas, corner = triangles[order], normals[order], areas[order], corner[order]
    nodes = tree(corner.min(axis=1), corner.max(axis=1), LEAF)
    nv, nt = len(points), len(triangles)
    other = neighbours(triangles)
    vertex = np.zeros((nv, 3))
    weight = at_corners(triangles, areas, nv)
    for k in range(3):
        u = corner[:, (k + 1) % 3] - corner[:, k]
        v = corner[:, (k + 2) % 3] - corner[:, k]
        angle = np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), np.einsum("ij,ij->i", u, v))
        np.add.at(vertex, triangles[:, k], angle[:, None] * normals)
    size = np.linalg.norm(vertex, axis=1)
    vertex /= np.where(size > 0, size, 1.0)[:, None]
    first_use = np.full(nv, nt, np.int64)
    for k in range(3):
        np.minimum.at(first_use, triangles[:, k], np.arange(nt))
    number = patches(normals, other)
    least = np.full(nv, nt, np.int64)
    for k in range(3):
        np.minimum.at(least, triangles[:, k], number)
    extra = np.column_stack([first_use, weight / (0.5 * areas.sum()), least])
    link = np.zeros((nt + 1, 4), np.int64)
    link[0] = nt, nv, len(nodes), 0
    link[1:, :3] = other
    link[1:, 3] = number
    return {
        "vert": np.vstack([points, vertex, extra]),
        "tri": triangles,
        "node": nodes,
        "link": link,
        "first": lambda at: (at["vert"], at["tri"], at["node"], at["link"]),
    }


def face_normals(points, triangles) -> tuple[np.ndarray, np.ndarray]:
    """Unit normals and areas of triangles."""
    n = area_vectors(points, triangles)
    size = np.linalg.norm(n, axis=1)
    return n / np.where(size > 0, size, 1.0)[:, None], size


def _without_slivers(points, triangles, keep):
    """A triangle without area whose corners are distinct would leave a slit: that is reported, not hidden."""
    bad = np.flatnonzero(~keep)
    raise ModelError(
        f"{len(bad)} of the {len(triangles)} triangles of the mesh have no area (the first is number {bad[0] + 1}); "
        "merge the points of slivers before it touches anything"
    )


def _order(middle: np.ndarray) -> np.ndarray:
    """Order along a Morton curve, so that neighbours in the list are neighbours in space."""
    low, high = middle.min(axis=0), middle.max(axis=0)
    scale = 1.0 / max(float((high - low).max()), 1e-300)
    cell = np.minimum(((middle - low) * scale * 2**20).astype(np.uint64), np.uint64(2**20 - 1))
    code = np.zeros(len(middle), np.uint64)
    for bit in range(20):
        for c in range(3):
            code |= ((cell[:, c] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(3 * bit + c)
    return np.argsort(code, kind="stable")


def neighbours(triangles: np.ndarray) -> np.ndarray:
    """(nt, 3) triangle across each edge 01, 12, 20 of a closed mesh; where four meet in an edge, one that runs the
    other way."""
    nt = len(triangles)
    a = triangles.ravel()
    b = triangles[:, [1, 2, 0]].ravel()
    n = int(triangles.max()) + 1
    forward, backward = a * n + b, b * n + a
    order = np.argsort(forward, kind="stable")
    place = np.searchsorted(forward[order], backward)
    place = np.minimum(place, 3 * nt - 1)
    found = order[place]
    if (forward[found] != backward).any():
        raise ModelError(
            "the mesh is open or its triangles disagree about what is outside; close it, or give repair=True"
        )
    return (found // 3).reshape(-1, 3)


def patches(normals: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Number of the patch of each triangle: connected over edges that turn less than SHARP."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nt = len(normals)
    rows = np.repeat(np.arange(nt), 3)
    columns = other.ravel()
    flat = np.einsum("ij,ij->i", normals[rows], normals[columns]) > np.cos(SHARP)
    graph = coo_array((np.ones(flat.sum()), (rows[flat], columns[flat])), shape=(nt, nt))
    return connected_components(graph, directed=False)[1]


def mass_properties(
    points: np.ndarray, triangles: np.ndarray, density: float = 1.0
) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia tensor about it (3, 3) of the solid inside a closed mesh.

    Sums over tetrahedra to the origin: integral of x_i x_j = det / 120 (sum_a p_ai p_aj + sum p_ai sum p_aj)."""
    shift = points.mean(axis=0)
    p = points[triangles] - shift
    det = np.einsum("ij,ij->i", p[:, 0], np.cross(p[:, 1], p[:, 2]))
    volume = det.sum() / 6.0
    if not volume > 0.0:
        raise ModelError(f"the mesh has the volume {volume:.4g}; close it and let its triangles face outward")
    total = p.sum(axis=1)
    centre = np.einsum("i,ij->j", det, total) / 24.0 / volume
    second = (np.einsum("i,iaj,iak->jk", det, p, p) + np.einsum("i,ij,ik->jk", det, total, total)) / 120.0
    second -= volume * np.outer(centre, centre)
    return density * volume, centre + shift, density * (np.trace(second) * np.eye(3) - second)
