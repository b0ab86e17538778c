"""Lines and triangles by which solids and shells of other programs are drawn: the edges of elements, and the faces that
belong to one solid alone.

An element is its corners and, of quadratic ones, a node in the middle of each edge; which edge is reported by
`Shape.edges`, whose order differs between programs.  Triangles of solids point outwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from .._summary import Summary

Edges = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Shape(Summary):
    """``corners``: how many; ``faces``: by places of corners, none of a beam; ``edges``: pairs of corners, in the order
    of the nodes in their middles; ``solid``."""

    corners: int
    faces: tuple[tuple[int, ...], ...]
    edges: Edges
    solid: bool = True


_AROUND = ((0, 1), (1, 2), (2, 3), (3, 0))
_TRIANGLE = ((0, 1), (1, 2), (2, 0))
_UP = tuple((k, k + 4) for k in range(4))
_TOP = tuple((a + 4, b + 4) for a, b in _AROUND)
_RISE = tuple((k, k + 3) for k in range(3))
_ROOF = tuple((a + 3, b + 3) for a, b in _TRIANGLE)
_BOX = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
_WEDGE = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))

TETRAHEDRON = Shape(4, ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)), (*_TRIANGLE, (0, 3), (1, 3), (2, 3)))
PYRAMID = Shape(
    5, ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)), (*_AROUND, (0, 4), (1, 4), (2, 4), (3, 4))
)
#: edges of Abaqus: bottom, top, between; of Nastran: bottom, between, top
WEDGE, NASTRAN_WEDGE = Shape(6, _WEDGE, (*_TRIANGLE, *_ROOF, *_RISE)), Shape(6, _WEDGE, (*_TRIANGLE, *_RISE, *_ROOF))
BRICK, NASTRAN_BRICK = Shape(8, _BOX, (*_AROUND, *_TOP, *_UP)), Shape(8, _BOX, (*_AROUND, *_UP, *_TOP))
TRIANGLE = Shape(3, ((0, 1, 2),), _TRIANGLE, solid=False)
QUADRILATERAL = Shape(4, ((0, 1, 2, 3),), _AROUND, solid=False)
LINE = Shape(2, (), ((0, 1),), solid=False)


def drawn(
    elements: Iterable[tuple[Shape, tuple[int, ...]]], index: Mapping[int, int], places: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lines (.., 2) and triangles (.., 3), by position, of elements given by their shape and the ids of their nodes
    (zero: a middle node that is left out).

    ``index``: id of a node -> position in ``places`` (a, 3).  What touches a node that is not there is left out.
    """
    lines: set[tuple[int, int]] = set()
    once: dict[tuple[int, ...], tuple[tuple[int, ...], list[int], tuple[int, ...]] | None] = {}
    loops: list[tuple[tuple[int, ...], list[int], tuple[int, ...]]] = []
    for shape, nodes in elements:
        middle = {}
        for (a, b), m in zip(shape.edges, (*nodes[shape.corners :], *(0,) * len(shape.edges))):
            ends = nodes[a], nodes[b]
            path = [k for k in (nodes[a], m, nodes[b]) if k in index]
            if ends[0] in index and ends[1] in index:
                lines |= {(min(index[p], index[q]), max(index[p], index[q])) for p, q in zip(path, path[1:]) if p != q}
            middle[frozenset((a, b))] = m
        for face in shape.faces:
            ids = tuple(nodes[k] for k in face)
            if any(k not in index for k in ids):
                continue
            between = [middle.get(frozenset((a, b)), 0) for a, b in zip(face, (*face[1:], face[0]))]
            found = (ids, between, nodes[: shape.corners])
            if not shape.solid:
                loops.append(found)
                continue
            key = tuple(sorted(ids))
            once[key] = None if key in once else found  # a face of two solids is inside
    loops += [f for f in once.values() if f is not None]
    triangles = []
    for corners, between, body in loops:
        at = [index[k] for k in corners]
        normal = np.cross(places[at[1]] - places[at[0]], places[at[-1]] - places[at[0]])
        away = places[at].mean(0) - places[[index[k] for k in body if k in index]].mean(0)
        mids = [index.get(m, -1) for m in between]
        if normal @ away < 0.0:
            at, mids = at[::-1], [*mids[-2::-1], mids[-1]]
        triangles += _split(at, mids)
    return np.array(sorted(lines), np.int64).reshape(-1, 2), np.array(triangles, np.int64).reshape(-1, 3)


def _split(at: list[int], mids: list[int]) -> list[tuple[int, int, int]]:
    """Triangles of a face with these corners, and nodes in the middle of the edge behind each (-1: none)."""
    if all(m >= 0 for m in mids):
        ends = [(mids[k - 1], at[k], mids[k]) for k in range(len(at))]
        inner = [tuple(mids)] if len(at) == 3 else [(mids[0], mids[1], mids[2]), (mids[2], mids[3], mids[0])]
        return [*ends, *inner]
    return [(at[0], at[1], at[2])] if len(at) == 3 else [(at[0], at[1], at[2]), (at[2], at[3], at[0])]
