"""What a flexible body looks like: a surface whose vertices move with nodes, from the faces of a mesh or the sections
of a beam.

A vertex moves by shapes (3, n) for the coordinates of the modes.  Vertices of a beam are the fibres of its sections:
they go with the node and turn with it.  A large surface is made coarser by merging the vertices in cells of a grid to
the one nearest to their middle; stresses shown there are the largest of what was merged, so that no hot spot is lost.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._summary import Summary
from ...model import ModelError

if TYPE_CHECKING:
    from ...model.flexible import Flexibility
    from ..views.flexible import FlexibleView

MOST_TRIANGLES = 6000
MOST_VERTICES = 4000
MOST_NUMBERS = 3_000_000  # of shapes in a page, 16 bits each
MOST_COLOURS = 4_000_000  # of stresses in a page, 8 bits each
KNEE = 0.97  # share of vertices whose largest stress the colours reach where a few stand far out
UNSEEN = 1e-4  # modes that move no vertex by more than this share of the largest way are left out of a page


@dataclass
class Surface(Summary):
    """``points`` (v, 3) in axes of the part, from its centre of mass; ``triangles`` (t, 3), ``lines`` (l, 2);
    ``shapes`` (v, 3, n) length for q = 1; ``node``
    (v,) by position; ``source`` (w,): for each stress point of `ReducedBody.stress_points` that is seen the vertex that
    shows it, ``of`` (w,): which it is;
    ``coarse``: how many triangles there were before it was made coarser, or 0."""

    points: np.ndarray
    triangles: np.ndarray
    lines: np.ndarray
    shapes: np.ndarray
    node: np.ndarray
    source: np.ndarray
    of: np.ndarray
    coarse: int = 0

    def displaced(self, q: np.ndarray) -> np.ndarray:
        """(v, 3) positions for coordinates (n,)."""
        return self.points + self.shapes @ q


def surface(element: Flexibility, centre: np.ndarray, most: int = MOST_TRIANGLES) -> Surface:
    """Of a FLEXIBILITY; ``centre`` (3,): centre of mass in axes of the part."""
    body, turn = element._own, element.turn
    nodes = element.points - centre
    moves = np.einsum("dc,acj->adj", turn, body.shapes[:, :3], optimize=True)
    k = body.fibre.shape[1]
    if len(body.faces):
        used = np.unique(np.concatenate([body.faces.ravel(), body.lines.ravel()]))
        new = np.full(len(nodes), -1)
        new[used] = np.arange(len(used))
        source, of = np.zeros((2, 0), int)
        if len(body.stress):
            source, of = np.arange(len(used)), used
        out = Surface(nodes[used], new[body.faces], new[body.lines].reshape(-1, 2), moves[used], used, source, of)
    elif len(body.station) and k > 2:
        out = _tube(element, nodes, moves)
    else:
        used = np.unique(body.lines) if len(body.lines) else np.arange(len(nodes))
        new = np.full(len(nodes), -1)
        new[used] = np.arange(len(used))
        out = Surface(
            nodes[used],
            np.zeros((0, 3), int),
            new[body.lines].reshape(-1, 2),
            moves[used],
            used,
            np.zeros(0, int),
            np.zeros(0, int),
        )
    return _coarser(out, most)


def _tube(element: Flexibility, nodes: np.ndarray, moves: np.ndarray) -> Surface:
    """Rings of fibres from station to station."""
    body, turn = element._own, element.turn
    p, k = body.fibre.shape[:2]
    turns = np.einsum("dc,acj->adj", turn, body.shapes[:, 3:], optimize=True)
    arms = np.einsum("dc,pci,pki->pkd", turn, body.triad[:, :, 1:], body.fibre, optimize=True)
    at = np.repeat(body.station, k)
    arm = arms.reshape(-1, 3)
    shapes = moves[at] + np.cross(turns[at], arm[:, :, None], axis=1)
    joined = {tuple(sorted(pair)) for pair in body.lines.tolist()}
    triangles: list[np.ndarray] = []
    last = np.zeros(0, int)
    for s in range(p):
        ring = s * k + np.argsort(np.arctan2(body.fibre[s, :, 1], body.fibre[s, :, 0]), kind="stable")
        a, b = int(body.station[s - 1]), int(body.station[s])
        if s and (a == b or tuple(sorted((a, b))) in joined):
            on = np.roll(ring, -1)
            triangles += [np.column_stack([last, np.roll(last, -1), on]), np.column_stack([last, on, ring])]
        if s in (0, p - 1):
            fan = np.column_stack([np.full(k - 2, ring[0]), ring[1:-1], ring[2:]])
            triangles.append(fan if s else fan[:, ::-1])
        last = ring
    every = np.arange(p * k)
    return Surface(nodes[at] + arm, np.vstack(triangles), np.zeros((0, 2), int), shapes, at, every, every)


def _coarser(s: Surface, most: int) -> Surface:
    """At most ``most`` triangles and MOST_VERTICES vertices."""
    before = len(s.triangles)
    if before <= most and len(s.points) <= MOST_VERTICES:
        return s
    low, span = s.points.min(axis=0), np.ptp(s.points, axis=0)
    small, large = 1e-4 * float(span.max()), float(span.max())
    best = None
    for _ in range(24):
        size = np.sqrt(small * large)
        cell = np.floor((s.points - low) / size + 0.5).astype(np.int64)
        _, group = np.unique(cell, axis=0, return_inverse=True)
        group = group.ravel()
        triangles = group[s.triangles]
        kept = triangles[
            (triangles[:, 0] != triangles[:, 1])
            & (triangles[:, 1] != triangles[:, 2])
            & (triangles[:, 2] != triangles[:, 0])
        ]
        _, first = np.unique(np.sort(kept, axis=1), axis=0, return_index=True)
        kept = kept[np.sort(first)]
        if len(kept) <= most and group.max() + 1 <= MOST_VERTICES:
            best, large = (group, kept), size
        else:
            small = size
        if large / small < 1.05:
            break
    if best is None:  # the last and largest cells: always few
        raise ModelError(f"a surface of {before} triangles cannot be made coarser")
    group, kept = best
    count = int(group.max()) + 1
    weight = np.bincount(group, minlength=count)
    middle = np.column_stack([np.bincount(group, s.points[:, c], count) for c in range(3)]) / weight[:, None]
    away = np.linalg.norm(s.points - middle[group], axis=1)
    order = np.lexsort((away, group))
    chosen = order[np.searchsorted(group[order], np.arange(count))]
    lines = group[s.lines].reshape(-1, 2)
    lines = np.unique(np.sort(lines[lines[:, 0] != lines[:, 1]], axis=1), axis=0).reshape(-1, 2)
    return Surface(
        s.points[chosen], kept, lines, s.shapes[chosen], s.node[chosen], group[s.source], s.of, before or len(s.lines)
    )


def stresses(view: FlexibleView, s: Surface, rows: np.ndarray) -> np.ndarray:
    """(rows, v) von Mises stress at the vertices, the largest of what each shows; NaN where none is known.  Raises
    `ModelError` where no stress is known."""
    from ..views.flexible import PIECE, von_mises

    out = np.full((len(rows), len(s.points)), np.nan)
    order = np.argsort(s.source, kind="stable")
    step = max(1, PIECE // (6 * max(len(rows), 1)))
    for k in range(0, len(order), step):
        at = order[k : k + step]
        size = von_mises(view._tensor(s.of[at], rows))
        vertex, first = np.unique(s.source[at], return_index=True)
        out[:, vertex] = np.fmax(out[:, vertex], np.maximum.reduceat(size, first, axis=1))
    return out


def coloured(
    stress: np.ndarray, pack: Any, *, size: int | None = None, at: Any = slice(None), knee: float | None = None
) -> dict[str, Any]:
    """What a page needs of stresses (nf, ..), none below zero: ``vm`` u8 (nf / step, ..) at the positions ``at``, 254
    times the root of their share of ``top`` (255: not known), and ``knee``: what they stay below but for `KNEE` of the
    positions, or as given.  ``size``: how many numbers there are in all, of which rows are left out where they are
    many: the page takes the nearest.  Nothing where there is no stress, or one that is infinite."""
    top = float(np.nanmax(stress, initial=0.0))
    if not (top > 0.0 and np.isfinite(top)):
        return {}
    step = max(1, -(-(stress.size if size is None else size) // MOST_COLOURS))
    rows = stress[::step]
    code = np.where(np.isfinite(rows), np.round(np.sqrt(np.nan_to_num(rows) / top) * 254), 255)[:, at]
    knee = float(np.nanquantile(np.nanmax(stress, axis=0), KNEE)) if knee is None else knee
    return {"vm": pack(code, "<u1"), "step": step, "top": top, "knee": knee}


def page_data(view: FlexibleView, body: int, rows: np.ndarray, pack: Any) -> tuple[dict[str, Any], list[str]]:
    """What a page needs to draw the part: ``p`` f32 (v, 3), ``t`` u16 triangles, ``l`` u16 lines, ``q`` f32 (nf, n) of
    the ``modes`` that are seen, ``phi`` i16 (n, v, 3) in units of ``unit`` (n,), ``way``: largest displacement; and
    stresses as `coloured`, whose knee leaves out points where a load enters.

    Second: sentences on what is not drawn as it is.
    """
    run, element = view.run, view.element
    relative = any(g.kind == "linear" for g in run.segments)  # a mode: without loads
    s = surface(element, np.asarray(run._centre(run.model.table("PART")[view.part.id])))
    words = []
    if s.coarse:
        words.append(
            f"The surface of {view.name} has {s.coarse} {'triangles' if len(s.triangles) else 'lines'}; it is drawn "
            f"with {len(s.triangles) or len(s.lines)}, "
            "and each vertex shows the largest stress of those merged in it."
        )
    q = np.nan_to_num(view._state[rows, ::2])
    size = np.abs(q).max(axis=0, initial=0.0) * np.linalg.norm(s.shapes, axis=1).max(axis=0, initial=0.0)
    most = max(1, MOST_NUMBERS // max(3 * len(s.points), 1))
    seen = np.argsort(-size, kind="stable")
    seen = (
        np.sort(seen[size[seen] > UNSEEN * size.max(initial=0.0)][:most])
        if size.max(initial=0.0) > 0
        else np.zeros(0, int)
    )
    left = int((size > UNSEEN * size.max(initial=0.0)).sum()) - len(seen)
    if left:
        words.append(f"Of the modes of {view.name} the {len(seen)} that move it most are drawn; {left} are not.")
    shapes = s.shapes[:, :, seen]
    unit = np.abs(shapes).max(axis=(0, 1), initial=0.0) / 32767.0
    way = np.zeros(len(rows))
    for k in range(0, len(rows), 64):
        way[k : k + 64] = np.linalg.norm(
            np.einsum("tj,vcj->tvc", q[k : k + 64, seen], shapes, optimize=True), axis=2
        ).max(axis=1, initial=0.0)
    out: dict[str, Any] = {
        "name": view.name,
        "body": body,
        "count": len(s.points),
        "modes": (seen + 1).tolist(),
        "p": pack(s.points, "<f4"),
        "t": pack(s.triangles, "<u2"),
        "l": pack(s.lines, "<u2"),
        "q": pack(q[:, seen], "<f4"),
        "phi": pack(np.round(shapes / np.where(unit > 0, unit, 1.0)).transpose(2, 0, 1), "<i2"),
        "unit": unit.tolist(),
        "way": float(way.max(initial=0.0)),
        "size": float(np.linalg.norm(np.ptp(s.points, axis=0))),
    }
    if len(s.source):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it is among the words
                vm = stresses(view, s, rows)
                words += [] if relative else view.doubts
        except ModelError as error:
            view = type(view)(run, element, residual=False)
            vm = stresses(view, s, rows)
            words.append(
                f"Stresses of {view.name} are those of its modes alone: {str(error).split('; run.flexible')[0]}."
            )
        out |= coloured(vm, pack)
    return out, words
