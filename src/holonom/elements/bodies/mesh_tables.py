"""Tables of meshes in absolute nodal coordinates (`absolute`), made outside of kernels."""

from __future__ import annotations

import numpy as np

from ..absolute import ABSOLUTE_ELEMENTS
from ..absolute.lumping import unity
from .absolute import TURNS, Block, Meshes, Points


def factor_band(m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """U and 1/D of m = U^T D U, rows of a band from the diagonal on.  Raises nothing; a mass that is not positive shows
    in D."""
    from scipy.linalg import cholesky_banded

    if not len(m):
        return np.zeros_like(m), np.zeros(0)
    wide = m.shape[1]
    upper = np.zeros((wide, len(m)))
    for p in range(wide):
        upper[wide - 1 - p, p:] = m[: len(m) - p, p]
    try:
        c = cholesky_banded(upper, lower=False)
    except np.linalg.LinAlgError:
        return np.zeros_like(m), np.full(len(m), np.nan)
    U = np.zeros_like(m)
    d = c[wide - 1]
    for p in range(wide):
        U[: len(m) - p, p] = c[wide - 1 - p, p:] / d[: len(m) - p]
    return U, 1.0 / d**2


def stacked(tables: list[np.ndarray]) -> np.ndarray:
    """Rows of several meshes of one kind, the shorter ones filled up."""
    wide = max(t.shape[1] for t in tables)
    return np.concatenate([np.pad(t, ((0, 0), (0, wide - t.shape[1]))) for t in tables])


def _no_block(kind) -> Block:
    n, z = kind.NODES * kind.PER_NODE, np.zeros
    return Block(
        z((0, 0)), z((0, kind.NODES), np.int64), z((0, n * n), np.uint32), z(n), z(n), z(n), z((n, n)), z((n, n))
    )


def no_laws() -> np.ndarray:
    return np.zeros((len(ABSOLUTE_ELEMENTS), 5), np.int64)


def no_meshes() -> Meshes:
    """Tables of no mesh."""
    return make_meshes(
        np.zeros(2, np.int64),
        np.zeros(0, np.uint8),
        [None] * len(ABSOLUTE_ELEMENTS),
        [None] * len(ABSOLUTE_ELEMENTS),
        (),
    )


def make_meshes(begin, held, blocks, masses, points):
    """Tables of meshes.  ``begin``: first coordinate of each in the tail, and the end; ``blocks``: of each kind data,
    first coordinates of nodes
    (e, NODES), or None; ``masses``: of each kind (e, n, n), or None; ``points``: mesh, first coordinates of vectors,
    weights of place, slope and side (each (v,)), normal (3,), what axes follow, axes as drawn (3, 3) of each node."""
    start, size = int(begin[0]), int(begin[-1] - begin[0])
    count = size // 3
    tables, found = [], {}
    mass = np.zeros(count)
    for kind, block, own in zip(ABSOLUTE_ELEMENTS, blocks, masses):
        if block is None:
            tables.append(_no_block(kind))
            continue
        data, at = block
        n = kind.NODES * kind.PER_NODE
        z = np.zeros
        tables.append(
            Block(
                np.ascontiguousarray(data, float),
                np.ascontiguousarray(at, np.int64),
                z((0, n * n), np.uint32),
                z(n),
                z(n),
                z(n),
                z((n, n)),
                z((n, n)),
            )
        )
        per = kind.PER_NODE // 3
        vector = ((np.asarray(at)[:, :, None] - start) // 3 + np.arange(per)).reshape(len(at), -1)  # (e, n / 3)
        small = own[:, ::3, ::3]
        rows, cols = np.broadcast_arrays(vector[:, :, None], vector[:, None, :])
        upper = (cols >= rows) & (small != 0.0)
        for i, p, x in zip(rows[upper], (cols - rows)[upper], small[upper]):
            found[i, p] = found.get((i, p), 0.0) + x
        np.add.at(mass, vector, np.einsum("eij,ej->ei", small, unity(kind, len(data))))
    wide = 1 + max((int(p) for _, p in found), default=0)
    m = np.zeros((count, wide))
    for (i, p), x in found.items():
        m[i, p] = x
    empty = m[:, 0] == 0.0
    m[empty, 0] = 1.0
    U, D = factor_band(m)
    k = len(points)
    most = max((len(p[2]) for p in points), default=1)
    place, slope, side = np.zeros((k, most)), np.zeros((k, most)), np.zeros((k, most))
    where, normal, turn, across = (
        np.zeros((k, most), np.int64),
        np.zeros((k, 3)),
        np.full(k, -1, np.int64),
        np.zeros((k, 9)),
    )
    for i, (_, vectors, one, two, three, beside, word, axes) in enumerate(points):
        where[i, : len(one)], place[i, : len(one)], slope[i, : len(two)], side[i, : len(three)] = (
            vectors,
            one,
            two,
            three,
        )
        normal[i], turn[i], across[i] = beside, TURNS[word], np.asarray(axes, float).T.ravel()
    i8 = lambda a: np.ascontiguousarray(a, np.int64)
    wide = 2 if np.any(turn >= 0) else 1
    table = Points(
        i8([p[0] for p in points]),
        where,
        i8([len(p[2]) for p in points]),
        place,
        slope,
        side,
        normal,
        turn,
        across,
        np.zeros((k, 9 * wide)),
        np.zeros((k, 27 * wide * wide)),
        np.full(k, -1, np.int64),
        np.zeros(72),
    )
    windows = 3 * table.vectors
    ptr = np.concatenate([[0], np.cumsum(windows**2)])
    return Meshes(
        start,
        size,
        i8(begin),
        m,
        U,
        D,
        mass,
        np.ascontiguousarray(held, np.uint8),
        tuple(tables),
        no_laws(),
        np.zeros(1, np.int64),
        table,
        np.zeros((0, 0)),
        np.zeros(0, np.int64),
        np.zeros(size),
        np.zeros(size, complex),
        np.zeros(0),
        np.zeros(0, np.uint32),
        np.zeros(ptr[-1], np.uint32),
        i8(ptr[:-1]),
    )


def with_rows(meshes, used: np.ndarray):
    """The same meshes with m^-1 over the windows of those of their nodes (k,) that are ``used`` (k,) by rows."""
    from scipy.linalg import cho_solve_banded

    if not meshes.size:
        return meshes
    p = meshes.points
    inverse = np.full(len(p.turn), -1, np.int64)
    vectors: list[int] = []
    for k in np.flatnonzero(used):
        inverse[k] = len(vectors)
        vectors += list((p.at[k, : p.vectors[k]] - meshes.start) // 3)
    at = np.array(vectors, np.int64)
    wide = meshes.m.shape[1]
    c = np.zeros((wide, len(meshes.m)))
    root = 1.0 / np.sqrt(meshes.D)
    for q in range(wide):
        c[wide - 1 - q, q:] = (meshes.U[: len(meshes.m) - q, q] * root[: len(meshes.m) - q]) if len(meshes.m) else 0.0
    P = np.zeros((len(at), len(at)))
    if len(at):
        different, where = np.unique(at, return_inverse=True)
        right = np.zeros((len(meshes.m), len(different)))
        right[different, np.arange(len(different))] = 1.0
        P = cho_solve_banded((c, False), right)[different][np.ix_(where, where)]
    return meshes._replace(points=p._replace(inverse=inverse), P=np.ascontiguousarray(P), Pat=at)
