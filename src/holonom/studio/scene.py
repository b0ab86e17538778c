"""The picture of a model for the browser: surfaces, lines and symbols of bodies as one table and one block of numbers.

Surfaces that are alike (to a millionth of the machine's size) are sent once, with a list of the bodies that have them.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.orientation import to_quaternions
from ..results.pages.animation import GROUND, PALETTE
from ..results.pictures.geometry import COLORS, MarkerLook, build_look, grain_mesh

MAX_MARKERS = 20_000
MAX_BULK = 64  # elements of grains that are drawn
#: where the text of the version ends in a result of `scene`
VERSION_TEXT = '{"version":%10d,'
VERSION_ENDS = 4 + len(VERSION_TEXT % 0)
#: elements with a symbol where their I and J markers are
ACTING = ("SFORCE", "VFORCE", "VTORQUE", "GFORCE", "BUSHING", "FIELD", "BEAM")


#: the table of a scene without anything
EMPTY: dict[str, Any] = {
    "origin": [0, 0, 0],
    "size": 1.0,
    "up": [0, 0, 1],
    "bodies": [],
    "places": 0,
    "meshes": [],
    "grains": [],
    "lines": [],
    "springs": [],
    "strands": [],
    "symbols": {"rows": [], "places": 0},
    "markers": {"n": 0, "ids": 0, "bodies": 0, "places": 0},
}


def same_scene(one: bytes, other: bytes) -> bool:
    """Whether two results of `scene` differ in their version alone."""
    return one[:4] == other[:4] and one[VERSION_ENDS:] == other[VERSION_ENDS:]


def scene(model: Any, folder: Path | None, version: int = 0) -> bytes:
    """Length of the table (u32), the table as JSON, and the numbers that its offsets mean.

    Table: ``version`` as given; ``origin`` (3,), ``size``, ``up``, ``units``; ``bodies``: kind, id, name, ground,
    soft (it goes with a node), color; ``places``: offset of their positions f32 (n, 7) about the origin;
    ``meshes``: offsets and counts of points f32 and triangles u32, ``flat``, ``soft`` (it will bend), and ``of``:
    [body, color] of each body that has it; ``lines``; ``springs``, ``strands``; ``grains``: offsets of positions
    f32 (n, 3), sizes f32 (n,) and, of what is not a ball, turns and a mesh; ``symbols``: ``rows`` of kind, id,
    type, body, and the offset ``places`` of their positions f32 (n, 7) in axes of the body; ``markers``: their
    number ``n``, offsets of ``ids`` and ``bodies`` u32 and ``places``.  Raises nothing for what cannot be drawn:
    ``missing``.
    """
    try:
        look = build_look(model, folder)
    except (ModelError, ValueError, ArithmeticError) as error:  # a model of nonsense has no picture
        return _packed(
            version, EMPTY | {"units": _units(model), "missing": [f"the model cannot be drawn: {error}"]}, []
        )
    keys = [k for k in look.bodies if k in look.placement]
    index = {key: n for n, key in enumerate(keys)}
    moving = [look.placement[k][0] for k in keys if k not in look.ground]
    places = np.array(moving or [np.zeros(3)])
    origin = np.round(np.nan_to_num(np.median(places, axis=0)), 9)
    blob = _Blob()
    put = blob.put
    meshes, lines = _graphics(look, index, put)
    bulk = _bulk(model, origin, put)
    anchor = lambda a: [index[a.body], *_f(a.point)]
    known = lambda anchors: all(a.body in index and np.isfinite(a.point).all() for a in anchors)
    placements = [look.placement[k] for k in keys]
    markers = [
        m for m in islice(look.markers.values(), MAX_MARKERS) if m.body in index and all(map(math.isfinite, m.origin))
    ]
    symbols, at_symbols = _symbols(model, look, index)
    table = {
        "origin": origin.tolist(),
        "size": look.size,
        "up": upward(model),
        "units": _units(model),
        "bodies": _bodies(look, keys),
        "places": put(_places([at - origin for at, _ in placements], [axes for _, axes in placements]), "<f4"),
        "lines": lines,
        "meshes": meshes + _bending(model, look, index, put),
        "grains": bulk,
        "springs": [
            {"name": s.name, "i": anchor(s.i), "j": anchor(s.j), "coils": s.coils, "d": max(s.da, s.db, s.dc)}
            for s in look.springs
            if known([s.i, s.j])
        ],
        "strands": [{"name": s.name, "a": [anchor(a) for a in s.anchors]} for s in look.strands if known(s.anchors)],
        "symbols": {"rows": symbols, "places": put(_of_markers(at_symbols), "<f4")},
        "markers": {
            "n": len(markers),
            "ids": put(np.array([m.id for m in markers]), "<u4"),
            "bodies": put(np.array([index[m.body] for m in markers]), "<u4"),
            "places": put(_of_markers(markers), "<f4"),
        },
        "missing": list(look.missing)[:200],
    }
    return _packed(version, table, blob.parts)


class _Blob:
    """Numbers one after the other: `put` returns the offset of an array."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []
        self.size = 0

    def put(self, values: np.ndarray, dtype: str) -> int:
        data = np.ascontiguousarray(values, dtype).view(np.uint8).reshape(-1)
        self.parts.append(data)
        start, self.size = self.size, self.size + len(data)
        return start


def _bodies(look: Any, keys: Sequence[tuple]) -> list[dict[str, Any]]:
    """Rows of the bodies; the colours of the palette go round those that move."""
    bodies, colour = [], 0
    for key in keys:
        ground = key in look.ground
        bodies.append(
            {
                "kind": key[0],
                "id": key[1],
                "name": look.bodies[key],
                "ground": ground,
                "soft": key in look.bent and key[0] != "PART",
                "color": GROUND if ground else PALETTE[colour % len(PALETTE)],
            }
        )
        colour += not ground
    return bodies


def _graphics(look: Any, index: dict, put: Callable) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of meshes, each with the bodies that have it, and of lines; what has numbers that are not finite is
    missing."""
    meshes: dict[bytes, dict[str, Any]] = {}
    lines: list[dict[str, Any]] = []
    grain = max(look.size, 1e-30) * 1e-6
    for shape in look.shapes:
        if shape.body not in index or not len(shape.points):
            continue
        if not np.isfinite(shape.points).all():
            look.missing.append(f"A graphic of {look.bodies[shape.body]} is not drawn: its numbers are not finite.")
            continue
        if shape.triangles is None:
            lines.append({"body": index[shape.body], "at": put(shape.points, "<f4"), "n": len(shape.points)})
            continue
        digest = hashlib.blake2b(
            np.round(shape.points / grain).astype("<i8").tobytes() + np.asarray(shape.triangles, "<i4").tobytes(),
            digest_size=16,
        )
        mesh = meshes.get(digest.digest())
        if mesh is None:
            mesh = meshes[digest.digest()] = {
                "p": put(shape.points, "<f4"),
                "np": len(shape.points),
                "t": put(shape.triangles, "<u4"),
                "nt": len(shape.triangles),
                "flat": shape.flat,
                "of": [],
            }
        mesh["of"].append([index[shape.body], shape.color, int(shape.plane)])
    return list(meshes.values()), lines


def _bulk(model: Any, origin: np.ndarray, put: Callable) -> list[dict[str, Any]]:
    """Rows of grains."""
    bulk = []
    for g in list(model.table("GRAINS").values())[:MAX_BULK]:
        there = np.isfinite(g.positions).all(axis=1) & np.isfinite(g.sizes) if len(g) else np.zeros(0, bool)
        if not there.any():
            continue
        n, named = int(there.sum()), g.color.strip().upper().replace(" ", "_")
        row: dict[str, Any] = {
            "kind": "GRAINS",
            "id": g.id,
            "n": n,
            "color": COLORS.get(named, PALETTE[(len(bulk) + 1) % len(PALETTE)]),
        }
        row |= {
            "at": put(np.asarray(g.positions, float)[there] - origin, "<f4"),
            "s": put(np.asarray(g.sizes, float)[there], "<f4"),
        }
        if not g.by_radius:
            points, triangles = grain_mesh(g, 7)
            turns = (
                np.asarray(g.orientations, float)[there]
                if len(g.orientations) == len(g)
                else np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
            )
            row |= {
                "q": put(turns, "<f4"),
                "p": put(points, "<f4"),
                "np": len(points),
                "t": put(triangles, "<u4"),
                "nt": len(triangles),
            }
        bulk.append(row)
    return bulk


def _places(origins: Sequence[np.ndarray], axes: Sequence[np.ndarray]) -> np.ndarray:
    """Positions and quaternions (n, 7) of frames; numbers that are not finite become zero."""
    if not len(origins):
        return np.zeros((0, 7))
    places = np.column_stack([np.array(origins), to_quaternions(np.array(axes))])
    return np.where(np.isfinite(places), places, 0.0)


def _of_markers(markers: list[MarkerLook]) -> np.ndarray:
    return _places([m.origin for m in markers], [m.axes for m in markers])


def _bending(model: Any, look: Any, index: dict, put: Any) -> list[dict[str, Any]]:
    """Surfaces of flexible bodies, as they are before they do (``soft``): as meshes of their parts."""
    from ..results.pictures.flexible_surface import surface

    out = []
    for e in model.table("FLEXIBILITY").values():
        key = ("PART", e.part)
        if not e.active or key not in index:
            continue
        part = model.table("PART")[e.part]
        try:
            s = surface(e, np.asarray(model.table("MARKER")[part.cm].qp if part.cm else (0.0, 0.0, 0.0), float))
        except (ModelError, ValueError, ArithmeticError) as error:
            look.missing.append(f"{look.bodies[key]} is not drawn: {error}.")
            continue
        if len(s.triangles):
            out.append(
                {
                    "p": put(s.points, "<f4"),
                    "np": len(s.points),
                    "t": put(s.triangles, "<u4"),
                    "nt": len(s.triangles),
                    "flat": True,
                    "soft": True,
                    "of": [[index[key], "", 0]],
                }
            )
    return out


def _packed(version: int, table: dict[str, Any], blob: list[np.ndarray]) -> bytes:
    rest = json.dumps(table, allow_nan=False, separators=(",", ":"))
    text = (VERSION_TEXT % version + rest[1:]).encode("utf-8")
    text += b" " * (-(4 + len(text)) % 4)  # numbers begin at a multiple of four
    return struct.pack("<I", len(text)) + text + b"".join(part.tobytes() for part in blob)


def _f(values: np.ndarray) -> list[float]:
    return [float(f"{v:.7g}") if np.isfinite(v) else 0.0 for v in values]


def _units(model: Any) -> dict[str, str]:
    return {q: model.units.symbol(q) for q in ("length", "time", "force", "torque", "mass", "angle")}


def upward(model: Any) -> list[float]:
    """The axis of ground that points against gravity; z without it."""
    g = np.asarray(model.gravity, float)
    if not np.isfinite(g).all() or not np.linalg.norm(g) > 0:
        return [0.0, 0.0, 1.0]
    k = int(np.argmax(np.abs(g)))
    return [float(-np.sign(g[k])) if n == k else 0.0 for n in range(3)]


def _symbols(model: Any, look: Any, index: dict) -> tuple[list[list[Any]], list[MarkerLook]]:
    """Rows of joints, motions and forces (kind, id, type, body), and the marker where each is drawn: of joints J, of
    motions that of their joints, of forces I."""
    rows, places = [], []

    def put(e: Any, marker: Any, type_: str) -> None:
        m = look.markers.get(marker)
        if m is not None and m.body in index and all(map(math.isfinite, m.origin)):
            rows.append([e.KIND, e.id, type_, index[m.body]])
            places.append(m)

    for kind in ("JOINT", "JPRIM"):
        for e in model.table(kind).values():
            if e.active:
                put(e, e.j, e.type)
    for e in model.table("MOTION").values():
        joint = model.joints.get(e.joint) if e.joint else None
        if e.active:
            put(e, joint.j if joint is not None else e.j, "MOTION_R" if e.kind == "ROTATIONAL" else "MOTION_T")
    for kind in ACTING:
        for e in model.table(kind).values():
            if e.active:
                put(
                    e,
                    e.i,
                    "ELASTIC"
                    if kind in ("BUSHING", "FIELD", "BEAM")
                    else "TORQUE"
                    if kind == "VTORQUE" or getattr(e, "kind", "") == "ROTATIONAL"
                    else "FORCE",
                )
    return rows, places
