"""A tree of boxes over triangles, for segments that are cut with them and for distances."""

from __future__ import annotations

import numpy as np

from ..._jit import jit

LEAF = 4  # triangles of a leaf


@jit(_nrt=True, entry="float64[:, ::1], float64[:, ::1], float64[:, ::1], int64[::1], float64[:, ::1], int64[:, ::1]")
def _split(low, high, middle, order, box, link):
    """Boxes (m, 6) and links (m, 2) of the nodes: (first triangle in ``order``, their number), or (left node, 0), the
    right one behind it."""
    nodes = 1
    first = np.zeros(box.shape[0], np.int64)
    number = np.zeros(box.shape[0], np.int64)
    number[0] = order.shape[0]
    node = 0
    while node < nodes:
        a, n = first[node], number[node]
        for c in range(3):
            box[node, c], box[node, c + 3] = np.inf, -np.inf
        for i in range(a, a + n):
            for c in range(3):
                box[node, c] = min(box[node, c], low[order[i], c])
                box[node, c + 3] = max(box[node, c + 3], high[order[i], c])
        if n <= LEAF:
            link[node, 0], link[node, 1] = a, n
        else:
            axis, widest = 0, -1.0
            for c in range(3):
                least, most = np.inf, -np.inf
                for i in range(a, a + n):
                    least, most = min(least, middle[order[i], c]), max(most, middle[order[i], c])
                if most - least > widest:
                    axis, widest = c, most - least
            key = np.empty(n)
            for i in range(n):
                key[i] = middle[order[a + i], axis]
            part = order[a : a + n].copy()
            rank = np.argsort(key, kind="mergesort")
            for i in range(n):
                order[a + i] = part[rank[i]]
            half = n // 2
            link[node, 0], link[node, 1] = nodes, 0
            first[nodes], number[nodes] = a, half
            first[nodes + 1], number[nodes + 1] = a + half, n - half
            nodes += 2
        node += 1
    return nodes


def build_tree(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Order of the triangles (n, 9), boxes and links of the nodes; the root is the first."""
    corners = triangles.reshape(-1, 3, 3)
    low, high = corners.min(axis=1), corners.max(axis=1)
    n = len(triangles)
    box, link = np.zeros((2 * n + 1, 6)), np.zeros((2 * n + 1, 2), np.int64)
    order = np.arange(n)
    nodes = _split(low, high, 0.5 * (low + high), order, box, link)
    return order, box[:nodes].copy(), link[:nodes].copy()
