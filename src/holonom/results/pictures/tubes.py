"""Rods and cables in pictures: tubes along their axes, coloured by stress or axial force; and as short straight pieces
for files that hold rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._summary import Summary
from ..views import mesh as mesh_view
from ..views import rod as rod_view
from .flexible_surface import KNEE, coloured

if TYPE_CHECKING:
    from .geometry import Look

Key = tuple[str, int]

STATIONS = 400  # of one tube in a page
PIECES = 160  # of one tube as short straight pieces
POINTS = 640  # rings of one tube, those between stations included
SLIMMEST = 0.004  # radius in pictures, of the size of the whole, where none is reported
AROUND = 16  # points of the ring of a round section
COLOUR = "#3b6ea5"


@dataclass
class Tube(Summary):
    """``path`` (nf, n, 3): positions in ground; ``side`` (nf, n, 3): y of the section there; ``ring`` (k, 2): y and z
    of its outline, anticlockwise; ``stress`` (nf, n, k) or None, ``force`` (nf, n) axial; ``smooth``: round."""

    key: Key
    name: str
    path: np.ndarray
    side: np.ndarray
    ring: np.ndarray
    closed: bool
    smooth: bool
    stress: np.ndarray | None
    force: np.ndarray | None


def recorded(run: Any, rows: np.ndarray, size: float) -> list[Tube]:
    """Tubes of all rods and cables whose motion the run holds, at ``rows``; ``size``: of the machine."""
    return [_of_rod(v, rows) for v in rod_view.recorded(run)] + [
        _of_cable(v, rows, size) for v in mesh_view.recorded(run) if v.is_cable
    ]


def _of_rod(view: rod_view.RodView, rows: np.ndarray) -> Tube:
    e = view.element
    force, _, axes = view._sections
    ring, mix, smooth = _outline(e)
    path = view.places[rows]
    n = path.shape[1]
    kept = np.unique(np.linspace(0, n - 1, min(n, STATIONS)).round().astype(int))
    before, after = (
        (lambda x: np.roll(x, 1, axis=1), lambda x: x)
        if e.closed
        else (
            lambda x: np.concatenate([x[:, :1], x], axis=1),
            lambda x: np.concatenate([x, x[:, -1:]], axis=1),
        )
    )
    y = axes[rows][..., 1]
    pull = force[rows][..., 0]
    stress = None
    if e.law:
        at = rod_view._size(view._at_fibres(rows))
        at = np.maximum.reduceat(at, kept, axis=1)
        stress = np.einsum("rk,tnk->tnr", mix, at)
    return Tube(
        ("ROD", e.id),
        view.name,
        path[:, kept],
        _unit(before(y) + after(y))[:, kept],
        ring,
        e.closed,
        smooth,
        stress,
        (0.5 * (before(pull) + after(pull)))[:, kept],
    )


def _outline(e: Any) -> tuple[np.ndarray, np.ndarray, bool]:
    """Ring (r, 2) of a section, how stresses there follow from those of its fibres (r, k), and whether it is round."""
    fibres = np.reshape(e.fibres, (-1, 2))
    far = np.linalg.norm(fibres, axis=1)
    if len(fibres) > 2 and np.ptp(far) > 1e-6 * far.max():
        order = np.argsort(np.arctan2(fibres[:, 1], fibres[:, 0]), kind="stable")
        return fibres[order], np.eye(len(fibres))[order], False
    if (
        not len(fibres) and abs(e.Iy - e.Iz) > 1e-6 * e.Iy
    ):  # sides of a rectangle of the same second moments, in proportion of the same area
        y, z = np.sqrt(12.0 * e.Iz / e.A), np.sqrt(12.0 * e.Iy / e.A)
        return 0.5 * np.array([[y, z], [-y, z], [-y, -z], [y, -z]]), np.zeros((4, 0)), False
    radius = far.max() if len(fibres) > 2 else np.sqrt(e.A / np.pi)
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    mix = np.zeros((AROUND, len(fibres)))
    if len(fibres) > 2:  # between the two fibres next to it
        own = np.mod(np.arctan2(fibres[:, 1], fibres[:, 0]), 2.0 * np.pi)
        order = np.argsort(own)
        around = np.concatenate([own[order][-1:] - 2.0 * np.pi, own[order], own[order][:1] + 2.0 * np.pi])
        which = np.concatenate([order[-1:], order, order[:1]])
        for r, a in enumerate(angle):
            k = int(np.clip(np.searchsorted(around, a, side="right") - 1, 0, len(around) - 2))
            share = (a - around[k]) / (around[k + 1] - around[k])
            mix[r, which[k]] += 1.0 - share
            mix[r, which[k + 1]] += share
    return ring, mix, True


def _of_cable(view: mesh_view.MeshView, rows: np.ndarray, size: float) -> Tube:
    """A round one.  Stress: axial force over the area and bending moment over the section modulus of its radius, where
    it has one."""
    e = view.element
    axis = view.axis(max(1, min(8, PIECES // len(view.cells))))
    s, path = axis["s"].values, axis.values[rows]
    kept = np.unique(np.linspace(0, len(s) - 1, min(len(s), STATIONS)).round().astype(int))
    s, path = s[kept], path[:, kept]
    force = stress = None
    names = view.kind.RESULTANTS
    radius = e.radius or SLIMMEST * size
    if "axial force" in names:
        middles, values = view._sections(1)
        along = lambda what: np.stack([np.interp(s, middles, row) for row in values[rows, :, names.index(what)]])
        force = along("axial force")
        if e.radius > 0.0 and "bending moment" in names:
            own = np.abs(force) / (np.pi * radius**2) + np.abs(along("bending moment")) / (0.25 * np.pi * radius**3)
            stress = np.repeat(own[:, :, None], AROUND, axis=2)
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return Tube((e.KIND, e.id), view.name, path, _carried(path), ring, False, True, stress, force)


def _unit(v: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.where(size > 0.0, v / np.where(size > 0.0, size, 1.0), [0.0, 1.0, 0.0])


def _carried(path: np.ndarray) -> np.ndarray:
    """(nf, n, 3) directions across a path, carried along it without twist, and from time to time at its beginning."""
    t = _unit(np.gradient(path, axis=1))
    out = np.empty_like(t)
    side = np.eye(3)[int(np.abs(t[0, 0]).argmin())]
    for f in range(len(t)):
        side = side - (side @ t[f, 0]) * t[f, 0]
        if not np.linalg.norm(side) > 1e-6:
            side = np.cross(t[f, 0], np.eye(3)[int(np.abs(t[f, 0]).argmin())])
        out[f, 0] = side = side / np.linalg.norm(side)
    for k in range(1, t.shape[1]):
        across = out[:, k - 1] - (out[:, k - 1] * t[:, k]).sum(1, keepdims=True) * t[:, k]
        out[:, k] = _unit(across)
    return out


def poses(tubes: list[Tube], frames: int) -> tuple[list[Key], np.ndarray, np.ndarray]:
    """Keys, positions (nf, k, 3) of the middle of each tube, and quaternions (nf, k, 4) of none of them: a tube is
    drawn about its middle in axes of ground."""
    middle = np.stack([t.path.mean(axis=1) for t in tubes], axis=1) if tubes else np.zeros((frames, 0, 3))
    return [t.key for t in tubes], middle, np.broadcast_to([1.0, 0.0, 0.0, 0.0], middle.shape[:2] + (4,))


def page_data(tubes: list[Tube], index: dict[Key, int], pack: Any) -> list[dict[str, Any]]:
    """What a page needs of each: ``path`` f32 (nf, n, 3) from its middle; ``side`` i16 (nf, n, 3) in 1/32767; ``ring``
    (k, 2), ``sub`` rings a piece; of stresses `coloured`; of the axial force ``force`` f32 (nf, n)."""
    out = []
    every = sum(t.stress.size for t in tubes if t.stress is not None)
    for t in tubes:
        n = t.path.shape[1]
        data: dict[str, Any] = {
            "name": t.name,
            "body": index[t.key],
            "n": n,
            "closed": bool(t.closed),
            "smooth": t.smooth,
            "ring": t.ring.ravel().tolist(),
            "sub": int(max(1, min(8, POINTS // n))),
            "path": pack(t.path - t.path.mean(axis=1, keepdims=True), "<f4"),
            "side": pack(np.round(32767 * np.nan_to_num(t.side)), "<i2"),
        }
        if t.force is not None and np.isfinite(t.force).any():
            data |= {
                "force": pack(np.nan_to_num(t.force), "<f4"),
                "low": float(np.nanmin(t.force)),
                "high": float(np.nanmax(t.force)),
            }
        if t.stress is not None:
            knee = float(np.nanquantile(np.nanmax(np.nan_to_num(t.stress), axis=0), KNEE))
            data |= coloured(t.stress, pack, size=every, knee=knee)
        out.append(data)
    return out


def as_bodies(tubes: list[Tube], look: Look, frames: int) -> tuple[list[Key], np.ndarray, np.ndarray]:
    """Tubes as short straight pieces, whose shapes go into ``look``: keys, positions (nf, k, 3), quaternions (nf, k,
    4)."""
    from .geometry import Shape, frustum

    keys: list[Key] = []
    places, turns = [np.zeros((frames, 0, 3))], [np.zeros((frames, 0, 4))]
    for tube in tubes:
        path = np.concatenate([tube.path, tube.path[:, :1]], axis=1) if tube.closed else tube.path
        path = path[:, np.unique(np.linspace(0, path.shape[1] - 1, PIECES + 1).round().astype(int))]
        step = np.diff(path, axis=1)
        long = np.linalg.norm(step, axis=2)
        t = step / np.where(long > 0.0, long, 1.0)[:, :, None]
        # z of a piece along the axis: half an angle from z of ground
        q = np.stack([1.0 + t[..., 2], -t[..., 1], t[..., 0], np.zeros_like(t[..., 0])], axis=2)
        q = np.where((1.0 + t[..., 2] > 1e-9)[..., None], q, [0.0, 1.0, 0.0, 0.0])
        radius = float(np.linalg.norm(tube.ring, axis=1).min())
        for k in range(step.shape[1]):
            key = (f"{tube.key[0]}_{tube.key[1]}", k)
            points, triangles = frustum(radius, radius, float(long[0, k]), sides=12)
            look.bodies[key] = tube.name
            look.shapes.append(
                Shape(key, points - [0.0, 0.0, 0.5 * float(long[0, k])], triangles, tube.name, color=COLOUR)
            )
            keys.append(key)
        places.append(0.5 * (path[:, 1:] + path[:, :-1]))
        turns.append(q / np.linalg.norm(q, axis=2, keepdims=True))
    return keys, np.concatenate(places, axis=1), np.concatenate(turns, axis=1)
