"""Forces on the nodes of a mesh: given one by one, or as a pressure on the triangles of its surface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .base import ModelError, shown
from .triangles import area_vectors, at_corners


def nodal_loads(nodes: Any) -> dict[int, np.ndarray]:
    """(6,) force and moment on each node, of (3,) or (6,) numbers.  Raises `ModelError`."""
    if not isinstance(nodes, Mapping) or not nodes:
        raise ModelError(f"nodes is {shown(nodes)}; give a dictionary from ids of nodes to forces")
    out = {}
    for node, values in nodes.items():
        try:
            row = np.asarray(values, float).ravel()
        except (TypeError, ValueError):
            row = np.zeros(0)
        if row.shape not in ((3,), (6,)) or not np.all(np.isfinite(row)):
            raise ModelError(
                f"the load on node {node} is {shown(values)}; give three numbers (force) or six (force and moment)"
            )
        if isinstance(node, bool) or not isinstance(node, (int, np.integer)):
            raise ModelError(f"a node is {shown(node)}; give its id, a whole number")
        out[int(node)] = np.concatenate([row, np.zeros(6 - len(row))])
    return out


def pressed(nodes: Any, points: np.ndarray, faces: np.ndarray, pressure: Any) -> dict[int, np.ndarray]:
    """Forces (6,) by node id of a pressure (force / length^2, positive inwards) on triangles: of each a third on each
    of its corners.

    ``nodes`` (a,) ids at ``points`` (a, 3); ``faces`` (f, 3) by position.  Raises `ModelError`.
    """
    if not len(faces):
        raise ModelError("its body has no triangles of the surface; give nodes = forces on them")
    try:
        values = np.asarray(pressure, float)
    except (TypeError, ValueError):
        raise ModelError(
            f"pressure is {shown(pressure)}; give a number, or {len(faces)}, one for each triangle"
        ) from None
    if values.shape not in ((), (1,), (len(faces),)) or not np.all(np.isfinite(values)):
        raise ModelError(f"pressure has {values.size} numbers; give one, or {len(faces)}, one for each triangle")
    total = at_corners(
        faces, -np.broadcast_to(values.ravel(), len(faces))[:, None] * area_vectors(points, faces), len(points)
    )
    return {
        int(nodes[k]): np.concatenate([total[k], np.zeros(3)]) for k in np.flatnonzero(np.any(total != 0.0, axis=1))
    }
