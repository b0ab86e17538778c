"""Structured meshes of simple solids: blocks, shafts and tubes, of any kind of cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..model.base import ModelError, shown
from . import cells
from .mesh import Mesh

CELL_TYPES = ("hexahedron", "hexahedron20", "hexahedron27", "tetra", "tetra10")
MOST = 2_000_000  # cells of a mesh that is made


def box(corner, other, counts: Sequence[int] = (10, 2, 2), kind: str = "hexahedron20") -> Mesh:
    """Block between two opposite corners, edges along the axes of ground (length), of ``counts`` hexahedra along x, y,
    z.

    ``kind``: "hexahedron", "hexahedron20", "hexahedron27", "tetra" or "tetra10" (six per hexahedron). Groups of nodes:
    its sides "x-", "x+", "y-", ... Raises `ModelError` for a block without volume and for invalid counts.
    """
    a, b = _points(corner, other)
    low, high = np.minimum(a, b), np.maximum(a, b)
    if low.shape != (3,) or not np.all(high > low):
        raise ModelError(
            f"corners of a block are {shown(a.tolist())} and {shown(b.tolist())}; give points apart along x, y and z"
        )
    counts = _counts(counts, 3, "x, y, z")
    lattice = np.stack(np.meshgrid(*(np.arange(n + 1) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    made = _changed(low + lattice / counts * (high - low), _lattice(counts), kind)
    groups = {}
    for axis, name in enumerate("xyz"):
        # within a thousandth of an element, and exact where sides are far from the origin
        for sign, side in (("-", low), ("+", high)):
            near = np.abs(made.points[:, axis] - side[axis]) < 1e-3 * (high - low)[axis] / counts[axis]
            groups[name + sign] = np.flatnonzero(near)
    return Mesh(made.points, made.cells, groups=groups)


def cylinder(
    start, end, radius: float, hollow: float = 0.0, counts: Sequence[int] = (10, 2, 12), kind: str = "hexahedron20"
) -> Mesh:
    """Shaft or tube from ``start`` to ``end``, outer ``radius`` and inner radius ``hollow`` (length), of ``counts``
    hexahedra along, radially and around.

    A solid shaft has a square core: the count around is then a multiple of four (other values are rounded up).
    ``kind``: as of `box`; for quadratic types, mid-edge nodes lie on the cylindrical surfaces. Groups of nodes:
    "start", "end", "surface" and "bore" (where hollow). Raises `ModelError` for a cylinder without volume and for
    invalid counts.
    """
    p, q = _points(start, end)
    radius, hollow = (_number(v, "a radius") for v in (radius, hollow))
    length = float(np.linalg.norm(q - p)) if p.shape == q.shape == (3,) else 0.0
    if not length > 0.0 or not radius > hollow >= 0.0:
        raise ModelError(
            f"a cylinder of length {length:g} and radius {radius:g} with a hole of radius {hollow:g} has no volume"
        )
    along, radial, around = (int(k) for k in _counts(counts, 3, "along, radially, around"))
    if around < 3:
        raise ModelError(f"{around} cells around a cylinder are too few; give three or more")
    if hollow > 0.0:
        flat, quads = _ring(hollow, radius, radial, around)
    else:
        flat, quads = _disc(radius, radial, (around + 3) // 4)
    n = len(flat)
    points = np.array([[x, y, length * k / along] for k in range(along + 1) for x, y in flat])
    hexes = np.vstack([np.hstack([quads + n * k, quads + n * (k + 1)]) for k in range(along)])
    made = _changed(points, hexes, kind, round_=_round(hollow, radius))
    z = (q - p) / length
    side = np.eye(3)[int(np.abs(z).argmin())]
    x = np.cross(side, z)
    x /= np.linalg.norm(x)
    r, h = np.hypot(*made.points[:, :2].T), made.points[:, 2]
    near = lambda v, to, size: np.flatnonzero(np.abs(v - to) < 1e-6 * size)
    groups = {"start": near(h, 0.0, length), "end": near(h, length, length), "surface": near(r, radius, radius)}
    if hollow > 0.0:
        groups["bore"] = near(r, hollow, radius)
    return Mesh(p + made.points @ np.array([x, np.cross(z, x), z]), made.cells, groups=groups)


def plate(corner, along, across, counts: Sequence[int] = (10, 10), kind: str = "quad") -> Mesh:
    """Flat sheet for a shell: from a corner along two edges, vectors ``along`` and ``across`` (length), of ``counts``
    cells.

    ``kind``: "quad" or "triangle" (two per quad). Groups of nodes: its sides "along-" (at the corner), "along+",
    "across-", "across+". Its top side is in the direction of along x across. Raises `ModelError` for edges without an
    area between them and for invalid counts.
    """
    p, a, b = _points(corner, along, across)
    if not p.shape == a.shape == b.shape == (3,) or not np.linalg.norm(np.cross(a, b)) > 1e-12 * np.linalg.norm(
        a
    ) * np.linalg.norm(b):
        raise ModelError(
            f"edges of a plate are {shown(a.tolist())} and {shown(b.tolist())}; give two vectors that span it"
        )
    if kind not in ("quad", "triangle"):
        raise ModelError(f"cells of kind {shown(kind)} are not available for a plate; give quad or triangle")
    m, n = (int(k) for k in _counts(counts, 2, "along, across"))
    number = np.arange((m + 1) * (n + 1)).reshape(m + 1, n + 1)
    s, t = (v.ravel() for v in np.meshgrid(np.arange(m + 1) / m, np.arange(n + 1) / n, indexing="ij"))
    quads = np.column_stack(
        [number[:-1, :-1].ravel(), number[1:, :-1].ravel(), number[1:, 1:].ravel(), number[:-1, 1:].ravel()]
    )
    table = quads if kind == "quad" else quads[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    groups = {"along-": number[0], "along+": number[-1], "across-": number[:, 0], "across+": number[:, -1]}
    return Mesh(p + s[:, None] * a + t[:, None] * b, {kind: table}, groups=groups)


def _points(*given) -> list[np.ndarray]:
    out = []
    for value in given:
        try:
            out.append(np.asarray(value, float))
            good = out[-1].shape == (3,) and bool(np.all(np.isfinite(out[-1])))
        except (TypeError, ValueError):
            good = False
        if not good:
            raise ModelError(f"a point or an edge of a mesh is {shown(value)}; give x, y, z")
    return out


def _number(value, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
        raise ModelError(f"{what} of a mesh is {shown(value)}; give a number")
    return float(value)


def _counts(counts, size: int, what: str) -> np.ndarray:
    try:
        out = np.array([int(k) for k in counts])
        good = out.shape == (size,) and np.all(out == np.asarray(counts, float)) and out.min() >= 1
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ModelError(f"counts of cells are {shown(counts)}; give {size} whole numbers from 1 ({what})")
    if np.prod(out.astype(float)) > MOST:
        raise ModelError(f"{np.prod(out.astype(float)):.3g} cells are more than {MOST}; give fewer")
    return out


def _lattice(counts) -> np.ndarray:
    """(c, 8) hexahedra of a lattice whose last index runs fastest."""
    nx, ny, nz = (int(k) for k in counts)
    number = np.arange((nx + 1) * (ny + 1) * (nz + 1)).reshape(nx + 1, ny + 1, nz + 1)
    corner = lambda i, j, k: number[i : i + nx, j : j + ny, k : k + nz].ravel()
    return np.column_stack([corner(*p) for p in cells.HEXAHEDRON_CORNERS])


def _ring(inner: float, outer: float, radial: int, around: int) -> tuple[np.ndarray, np.ndarray]:
    turn = 2.0 * np.pi * np.arange(around) / around
    points = [(r * np.cos(t), r * np.sin(t)) for r in np.linspace(inner, outer, radial + 1) for t in turn]
    quads = [
        (around * i + j, around * (i + 1) + j, around * (i + 1) + (j + 1) % around, around * i + (j + 1) % around)
        for i in range(radial)
        for j in range(around)
    ]
    return np.array(points), np.array(quads)


def _disc(radius: float, radial: int, quarter: int) -> tuple[np.ndarray, np.ndarray]:
    """A core of quarter x quarter cells, between a square and a circle, and rings around it."""
    grid = np.linspace(-1.0, 1.0, quarter + 1)
    core = np.array([(x, y) for x in grid for y in grid])
    size = 0.5 * radius
    largest = np.abs(core).max(1)
    length = np.hypot(*core.T)
    # halfway between the square and the circle through its corners
    core = (
        size
        * core
        * (0.5 + 0.5 * np.where(length > 0.0, largest / np.where(length > 0.0, length, 1.0) * np.sqrt(2.0), 1.0))[
            :, None
        ]
        / np.sqrt(2.0)
    )
    at = lambda i, j: i * (quarter + 1) + j
    quads = [(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)) for i in range(quarter) for j in range(quarter)]
    k = quarter
    rim = (
        [at(i, 0) for i in range(k)]
        + [at(k, j) for j in range(k)]
        + [at(i, k) for i in range(k, 0, -1)]
        + [at(0, j) for j in range(k, 0, -1)]
    )
    points = list(core)
    # corners of the square stand at odd eighths of the turn
    turn = np.pi * (2.0 * np.arange(4 * k) / (4.0 * k) * 1.0 - 0.75)
    inner = np.array(rim)
    for i in range(1, radial + 1):
        s = i / radial
        ring = (1.0 - s) * core[rim] + s * radius * np.column_stack([np.cos(turn), np.sin(turn)])
        outer = len(points) + np.arange(4 * k)
        points += list(ring)
        quads += [
            (int(inner[j]), int(outer[j]), int(outer[(j + 1) % (4 * k)]), int(inner[(j + 1) % (4 * k)]))
            for j in range(4 * k)
        ]
        inner = outer
    return np.array(points), np.array(quads)


def _round(hollow: float, radius: float):
    """Of nodes added between a and b: onto the cylinder on which both lie."""

    def moved(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        middle = 0.5 * (a + b)
        ra, rb, rm = (np.hypot(p[:, 0], p[:, 1]) for p in (a, b, middle))
        for r in (hollow, radius) if hollow > 0.0 else (radius,):
            on = (np.abs(ra - r) < 1e-9 * radius) & (np.abs(rb - r) < 1e-9 * radius)
            middle[on, :2] *= (r / rm[on])[:, None]
        return middle

    return moved


def _changed(points: np.ndarray, hexes: np.ndarray, kind: str, round_=None) -> Mesh:
    """Hexahedra as cells of another kind."""
    if kind not in CELL_TYPES:
        raise ModelError(f"cells of kind {shown(kind)} are not made; give {', '.join(CELL_TYPES)}")
    between = (lambda a, b: 0.5 * (a + b)) if round_ is None else round_
    if kind.startswith("tetra"):
        table = tetrahedra(hexes)
        return (
            Mesh(points, {kind: table})
            if kind == "tetra"
            else _with_middles(points, table, cells.TETRA_EDGES, kind, between)
        )
    if kind == "hexahedron":
        return Mesh(points, {kind: hexes})
    made = _with_middles(points, hexes, cells.HEXAHEDRON_EDGES, "hexahedron20", between)
    if kind == "hexahedron20":
        return made
    table = made.cells["hexahedron20"]
    # as serendipity cells have their faces and inner nodes, so that round surfaces stay so
    faces = [
        np.mean([made.points[table[:, f[4 + j]]] for j in range(4)], axis=0) * 2.0
        - np.mean([made.points[table[:, f[j]]] for j in range(4)], axis=0)
        for f in cells.faces_of("hexahedron20")
    ]
    quads = np.sort(table[:, cells.faces_of("hexahedron20")[:, :4]].transpose(1, 0, 2), axis=2)
    _, first, own = np.unique(quads.reshape(-1, 4), axis=0, return_index=True, return_inverse=True)
    start = len(made.points)
    own = own.reshape(6, -1).T + start
    middle = np.mean(faces, axis=0)
    inner = start + len(first) + np.arange(len(table))
    return Mesh(
        np.vstack([made.points, np.concatenate(faces)[first], middle]), {kind: np.hstack([table, own, inner[:, None]])}
    )


def _with_middles(points: np.ndarray, table: np.ndarray, edges, kind: str, between) -> Mesh:
    pairs = np.sort(table[:, np.array(edges)], axis=2)
    unique, own = np.unique(pairs.reshape(-1, 2), axis=0, return_inverse=True)
    added = between(points[unique[:, 0]], points[unique[:, 1]])
    return Mesh(np.vstack([points, added]), {kind: np.hstack([table, len(points) + own.reshape(len(table), -1)])})


def tetrahedra(hexes: np.ndarray) -> np.ndarray:
    """(6 c, 4) tetrahedra of hexahedra (c, 8), which fit each other at common faces: from the node with the lowest
    number over the three faces that do not have it, each cut at its own node with the lowest number."""
    lowest = hexes.argmin(1)
    out = []
    for m in range(8):
        own = hexes[lowest == m]
        for face in cells.HEXAHEDRON_FACES:
            if m in face or not len(own):
                continue
            quad = own[:, list(face)]
            turn = (quad.argmin(1)[:, None] + np.arange(4)) % 4
            a, b, c, d = np.take_along_axis(quad, turn, 1).T
            out += [np.column_stack([own[:, m], a, b, c]), np.column_stack([own[:, m], a, c, d])]
    return np.vstack(out)
