"""What beams and plates in absolute nodal coordinates look like: a tube or a bar round the axis, both faces of a plate,
with stresses as colours.

Pages draw surfaces whose vertices move by shapes (`flexible_surface`).  The places of the vertices during a run are a
matrix (frames, 3 v); its singular vectors are such shapes, as many as the motion has.

Stresses, of beams by the theory of beams: N/A + My z/Iy - Mz y/Iz, and of torsion T rho/J; of plates n/t +- 6 m/t^2 on
both faces.  Cables are `tubes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...elements.absolute.planar_beam import axis_kind
from ...elements.absolute.strains import AXIS
from ..views.mesh import MeshView
from .flexible_surface import MOST_NUMBERS, UNSEEN, coloured

ROUND = 16  # vertices round a tube, of which four are those of corners
SECTIONS = 240  # of one mesh, at most
VERTICES = 4000


def skin(view: MeshView, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions (frames, v, 3), triangles (t, 3) and von Mises stress (frames, v)."""
    return _plate(view, rows) if view.kind.NODES == 4 else _bar(view, rows)


def _bar(view: MeshView, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    e, kind = view.element, view.kind
    per = max(1, min(8, SECTIONS // len(view.cells)))
    step = max(1, -(-len(view.cells) // SECTIONS))
    chosen = sorted({*range(0, len(view.cells), step), len(view.cells) - 1})  # its end is always drawn
    x = np.linspace(0.0, 1.0, per + 1)
    radius = e.radius
    p = view.properties[0]
    named = dict(zip(kind.PROPERTIES, p))
    fibres = y, z = _outline(named)
    if radius > 0.0:
        angle = 2 * np.pi * np.arange(ROUND) / ROUND
        c, s = np.cos(angle), np.sin(angle)
        y, z = radius * c, radius * s
        # a surface may lie further out than the material: stresses are those of the fibres below it
        out = np.hypot(c, s) if len(fibres[0]) == ROUND else np.maximum(np.abs(c), np.abs(s))
        fibres = fibres[0].max() * c / out, fibres[1].max() * s / out
    places, stress = [], []
    for number, k in enumerate(chosen):
        own = view.own(k)[rows]
        vectors = own.reshape(len(rows), -1, 3)
        for xi in x if number + 1 == len(chosen) else x[:-1]:
            w = kind.weights(view.properties[k], float(xi), e.unit)
            at = np.einsum("ai,tij->taj", w, vectors)
            if kind.PER_NODE == 9:
                normal = np.zeros(3)
                which = axis_kind(np.cross(*view.drawn(k).reshape(-1, 3)[[1, 2]])) - AXIS
                normal[which % 3] = 1.0 if which < 3 else -1.0
                across = at[:, 2], np.broadcast_to(normal, at[:, 2].shape)
            else:
                across = at[:, 2], at[:, 3]
            places.append(at[:, 0, None] + y[:, None] * across[0][:, None] + z[:, None] * across[1][:, None])
            stress.append(_bar_stress(view, k, float(xi), own, *fibres, named))
    n, m = len(places), len(y)
    ring = np.arange(m)
    on = np.roll(ring, -1)
    triangles = [np.column_stack([ring + m * k, ring + m * (k + 1), on + m * k]) for k in range(n - 1)]
    triangles += [np.column_stack([on + m * k, ring + m * (k + 1), on + m * (k + 1)]) for k in range(n - 1)]
    fan = np.column_stack([np.zeros(m - 2, int), np.arange(1, m - 1), np.arange(2, m)])
    triangles += [fan, (n - 1) * m + fan[:, ::-1]]
    return np.concatenate(places, axis=1), np.concatenate(triangles), np.concatenate(stress, axis=1)


def _outline(named: dict) -> tuple[np.ndarray, np.ndarray]:
    """y and z of the outermost fibres: of a round section, or of the rectangle with the same area and second
    moments."""
    if "height" not in named and abs(named["J"] - named["Iy"] - named["Iz"]) <= 1e-6 * named["J"]:
        radius = np.sqrt(2.0 * named["Iy"] / named["A"] + named["A"] / (2.0 * np.pi))  # of tubes too
        angle = 2 * np.pi * np.arange(ROUND) / ROUND
        return radius * np.cos(angle), radius * np.sin(angle)
    a, b = (
        (named["height"], named["width"])
        if "height" in named
        else (np.sqrt(12 * named["Iz"] / named["A"]), np.sqrt(12 * named["Iy"] / named["A"]))
    )
    return 0.5 * a * np.array([1, -1, -1, 1]), 0.5 * b * np.array([1, 1, -1, -1])


def _bar_stress(
    view: MeshView, k: int, xi: float, own: np.ndarray, y: np.ndarray, z: np.ndarray, named: dict
) -> np.ndarray:
    """(frames, vertices) of a section."""
    values = view.resultants(k, xi, own)
    if "height" in named:
        area, inertia = named["height"] * named["width"], named["width"] * named["height"] ** 3 / 12.0
        return np.abs(values[:, :1] / area - values[:, 2:3] * y / inertia)
    s = values[:, :1] / named["A"] + values[:, 4:5] * z / named["Iy"] - values[:, 5:6] * y / named["Iz"]
    t = values[:, 3:4] * np.hypot(y, z) / named["J"]
    return np.sqrt(s**2 + 3.0 * t**2)


def _plate(view: MeshView, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both faces, each element by itself: stresses jump between elements."""
    e, kind = view.element, view.kind
    per = max(1, min(4, int(np.sqrt(VERTICES / (2 * len(view.cells)))) - 1))
    thick = float(view.properties[0][0])
    places: list[np.ndarray] = []
    triangles: list[np.ndarray] = []
    stress: list[np.ndarray] = []
    x = np.linspace(0.0, 1.0, per + 1)
    corner = (per + 1) * np.arange(per)[:, None] + np.arange(per)
    a = corner.ravel()
    faces = np.concatenate([np.column_stack([a, a + per + 1, a + per + 2]), np.column_stack([a, a + per + 2, a + 1])])
    for k in range(len(view.cells)):
        own = view.own(k)[rows]
        vectors = own.reshape(len(rows), -1, 3)
        for side in (1.0, -1.0):
            triangles.append(len(places) + (faces if side > 0 else faces[:, ::-1]))
            for u in x:
                for v in x:
                    at = np.einsum(
                        "ai,tij->taj", kind.weights(view.properties[k], (float(u), float(v)), e.unit), vectors
                    )
                    normal = np.cross(at[:, 1], at[:, 2])
                    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
                    places.append(at[:, 0] + 0.5 * side * thick * normal)
                    r = view.resultants(k, (float(u), float(v)), own)
                    s = r[:, :3] / thick + side * 6.0 * r[:, 3:6] / thick**2
                    stress.append(
                        np.sqrt(np.maximum(s[:, 0] ** 2 + s[:, 1] ** 2 - s[:, 0] * s[:, 1] + 3.0 * s[:, 2] ** 2, 0.0))
                    )
    return np.stack(places, axis=1), np.concatenate(triangles), np.stack(stress, axis=1)


def page_data(view: MeshView, body: int, rows: np.ndarray, pack: Any) -> dict[str, Any]:
    """What a page needs to draw it, as `flexible_surface.page_data` of flexible bodies; ``body``: one that is at rest
    at the origin of ground."""
    places, triangles, vm = skin(view, rows)
    count = places.shape[1]
    rest = places[0]
    moved = (places - rest).reshape(len(rows), -1)
    # singular vectors from the smaller of both products
    values, left = np.linalg.eigh(moved @ moved.T)
    order = np.argsort(-values)
    order = order[values[order] > 1e-14 * max(values.max(initial=0.0), 1e-300)][: max(1, MOST_NUMBERS // (3 * count))]
    shapes = (left[:, order].T @ moved).reshape(len(order), count, 3)
    q = left[:, order]
    reach = np.abs(q).max(axis=0, initial=0.0) * np.linalg.norm(shapes, axis=2).max(axis=1, initial=0.0)
    seen = reach > UNSEEN * reach.max(initial=0.0)
    q, shapes = q[:, seen], shapes[seen]
    unit = np.abs(shapes).max(axis=(1, 2), initial=0.0) / 32767.0
    codes = np.round(shapes / np.where(unit > 0, unit, 1.0)[:, None, None])
    out: dict[str, Any] = {
        "name": view.name,
        "body": body,
        "count": count,
        "modes": list(range(1, len(shapes) + 1)),
        "p": pack(rest, "<f4"),
        "t": pack(triangles, "<u4" if count > 65535 else "<u2"),
        "wide": count > 65535,
        "l": pack(np.zeros((0, 2)), "<u2"),
        "q": pack(q, "<f4"),
        "phi": pack(codes, "<i2"),
        "unit": unit.tolist(),
        "way": float(np.linalg.norm(moved.reshape(len(rows), count, 3), axis=2).max(initial=0.0)),
        "size": float(np.linalg.norm(np.ptp(rest, axis=0))),
    }
    return out | coloured(vm, pack)
