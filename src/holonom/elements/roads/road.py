"""ROAD: a road over the plane of a marker (z up, x along), on which tyres run: its shape, its friction, the speed of
its surface.

Shapes, with what each takes (lengths in units of the model; what has no default must be given):

    FLAT
    PLANK      start, length, height (a pothole: below zero), bevel (of both ends, default none), right, left (bounds of
        y)
    SINE       wavelength, amplitude, start, end, phase
    CHIRP      wavelength, wavelength_end, amplitude, amplitude_end, start, end
    DRUM       radius; the marker lies on its crown, its surface runs with ``belt``
    PROFILE    x (n), z (n) or (n, tracks), y (tracks, to the left), interpolation "LINEAR" or "CUBIC"
    MESH       points (p, 3), triangles (m, 3) that count points from 0
    GRID       x, y, phi (n: positions and headings of a reference line, evenly apart), height, bank (n), v (m, from
        right to left), z (n, m)

The formulas stand in `shapes`, `profile`, `mesh`, `grid`, that of what a tyre sees in `surface`.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ...model.base import Element, ModelError, did_you_mean, shown
from ...model.builder.teaching import sound
from ...model.kinds import is_number
from ...model.values import listed, number, number_matrix, word_of
from . import grid, mesh, profile, shapes
from .friction import FIRST
from .surface import ROAD_DUALS, ROAD_REAL

NEEDED = None
WIDE = 1e9  # of radii and lengths: no bound
ENDLESS = ("start", "end", "length", "left", "right")  # sizes that may be infinite
#: shape -> numbers with their defaults, tables with theirs
SHAPES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "FLAT": ({}, {}),
    "PLANK": (
        {"start": NEEDED, "length": NEEDED, "height": NEEDED, "bevel": 0.0, "right": -math.inf, "left": math.inf},
        {},
    ),
    "SINE": ({"wavelength": NEEDED, "amplitude": NEEDED, "start": 0.0, "end": math.inf, "phase": 0.0}, {}),
    "CHIRP": (
        {
            "wavelength": NEEDED,
            "wavelength_end": NEEDED,
            "amplitude": NEEDED,
            "amplitude_end": math.nan,
            "start": NEEDED,
            "end": NEEDED,
        },
        {},
    ),
    "DRUM": ({"radius": NEEDED}, {}),
    "PROFILE": ({}, {"x": NEEDED, "z": NEEDED, "y": ()}),
    "MESH": ({}, {"points": NEEDED, "triangles": NEEDED}),
    "GRID": ({}, {"x": NEEDED, "y": NEEDED, "phi": NEEDED, "v": NEEDED, "z": NEEDED, "height": (), "bank": ()}),
}
LAWS = {
    "FLAT": shapes.flat,
    "PLANK": shapes.plank,
    "SINE": shapes.sine,
    "CHIRP": shapes.chirp,
    "DRUM": shapes.drum,
    "PROFILE": profile.profile,
    "MESH": mesh.mesh,
    "GRID": grid.grid,
}
INTERPOLATION = ("LINEAR", "CUBIC")


@dataclass
class Road(Element):
    """ROAD: heights over the plane of ``marker`` (z up, x along the road) for tyres.

    ``shape``: of `roads.road`; ``sizes``: its numbers; ``tables``: its rows; ``interpolation``: of a PROFILE; ``mu``:
    friction relative to that of a tyre's measurement; ``patches``: rows x0, x1, y0, y1, mu of other friction, the later
    ones over the former; ``edge``: width over which it changes; ``belt``: speed at which the surface runs along x.
    """

    KIND: ClassVar[str] = "ROAD"
    REFERENCES: ClassVar[dict[str, str]] = {"marker": "MARKER"}
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {"shape": tuple(SHAPES), "interpolation": INTERPOLATION}
    marker: int = 0
    shape: str = "FLAT"
    sizes: dict[str, float] = field(default_factory=dict)
    tables: dict[str, tuple] = field(default_factory=dict)
    interpolation: str = "LINEAR"
    mu: float = 1.0
    patches: tuple[tuple[float, ...], ...] = ()
    edge: float = 0.0
    belt: float = 0.0
    file: str = ""  # where its tables come from

    def faults(self, model):
        """Invalid values: sizes that are missing, strange or not positive, tables that do not fit."""
        if self.shape not in SHAPES:
            return
        numbers, rows = SHAPES[self.shape]
        for kind, known, have in (("size", numbers, self.sizes), ("table", rows, self.tables)):
            for name in have:
                if name not in known:
                    others = f"; it takes {', '.join((*numbers, *rows)) or 'none'}"
                    yield f"a road of the shape {self.shape} has no {kind} '{name}'{did_you_mean(name, known, others)}"
            for name, default in known.items():
                if default is NEEDED and name not in have:
                    yield f"{name} is missing; give {name}="
        if not self.mu >= 0.0 or self.edge < 0.0:
            yield f"mu is {self.mu:g} and edge {self.edge:g}; give zero or positive numbers"
        for row in self.patches:
            if len(row) != 5 or not (row[0] < row[1] and row[2] < row[3] and row[4] >= 0.0):
                yield f"a row of patches is {shown(tuple(row))}; give x0 < x1, y0 < y1 and a mu that is not negative"
        yield from self._misshapen()

    def _misshapen(self):
        try:
            numbers = (
                self._sizes()
                if all(v is not NEEDED or k in self.sizes for k, v in SHAPES[self.shape][0].items())
                else None
            )
        except (TypeError, ValueError):
            return
        if numbers is None:
            return
        for name in ("wavelength", "wavelength_end", "radius", "length"):
            if name in numbers and not numbers[name] > 0.0:
                yield f"{name} is {numbers[name]:g}; give a positive number"
        if "end" in numbers and not numbers["end"] > numbers["start"]:
            yield f"end is {numbers['end']:g} and start {numbers['start']:g}; the end comes behind the start"
        if self.shape == "PLANK" and not 0.0 <= numbers["bevel"] <= 0.5 * numbers["length"]:
            yield (
                f"bevel is {numbers['bevel']:g}; give a length from 0 to half of that of the plank, "
                f"{0.5 * numbers['length']:g}"
            )
        if self.shape == "PLANK" and not numbers["right"] < numbers["left"]:
            yield f"right is {numbers['right']:g} and left {numbers['left']:g}; y is positive to the left"
        try:
            if self.tables and all(n in self.tables for n, d in SHAPES[self.shape][1].items() if d is NEEDED):
                self._numbers()
        except ModelError as error:
            yield str(error)

    def _sizes(self) -> dict[str, float]:
        return {**SHAPES[self.shape][0], **self.sizes}

    def _rows(self, name: str, shape: tuple[int, ...] | None = None, default: float | None = None) -> np.ndarray:
        """A table as an array; of a shape where one is wanted."""
        given = self.tables.get(name, ())
        if default is not None and len(given) == 0 and shape is not None:
            return np.full(shape, default)
        try:
            out = np.asarray(given, float)
        except (TypeError, ValueError):
            raise ModelError(f"{name} is not a table of numbers; give rows of the same length") from None
        if not np.isfinite(out).all():
            raise ModelError(f"{name} has a number that is not finite; fix it")
        if shape is not None and out.shape != shape:
            raise ModelError(
                f"{name} has the shape {' x '.join(map(str, out.shape)) or 'of nothing'}; give "
                f"{' x '.join(map(str, shape))} numbers"
            )
        return out

    def _numbers(self) -> np.ndarray:
        """Numbers of its shape.  Raises ModelError for tables that do not fit."""
        s = self._sizes()
        bound = lambda v: math.copysign(1e30, v) if math.isinf(v) else v
        if self.shape == "PLANK":
            return np.array(
                [s["start"], s["start"] + s["length"], s["height"], s["bevel"], bound(s["right"]), bound(s["left"])]
            )
        if self.shape == "SINE":
            return np.array([s["start"], bound(s["end"]), s["amplitude"], s["wavelength"], s["phase"]])
        if self.shape == "CHIRP":
            last = s["amplitude"] if math.isnan(s["amplitude_end"]) else s["amplitude_end"]
            return np.array([s["start"], s["end"], s["amplitude"], last, s["wavelength"], s["wavelength_end"]])
        if self.shape == "DRUM":
            return np.array([s["radius"]])
        if self.shape == "PROFILE":
            return self._profile()
        if self.shape == "MESH":
            return self._mesh()
        return self._grid() if self.shape == "GRID" else np.zeros(0)

    def _profile(self) -> np.ndarray:
        x = self._rows("x")
        if x.ndim != 1 or len(x) < 2 or not (np.diff(x) > 0.0).all():
            raise ModelError("x must have two positions or more that rise")
        y = self._rows("y")
        z = self._rows("z")
        if z.ndim == 1:
            z = z[:, None]
        if z.shape != (len(x), max(len(y), 1)):
            raise ModelError(
                f"z has the shape {z.shape[0]} x {z.shape[1]}; for {len(x)} positions and {max(len(y), 1)} tracks give "
                f"{len(x)} x {max(len(y), 1)}"
            )
        if len(y) > 1 and not (np.diff(y) > 0.0).all():
            raise ModelError("y must rise from track to track, from right to left")
        y = y if len(y) else np.zeros(1)
        head = [float(len(x)), float(len(y)), 1.0 if self.interpolation == "CUBIC" else 0.0]
        if self.interpolation != "CUBIC":
            return np.concatenate([head, x, y, z.ravel()])
        from scipy.interpolate import CubicSpline

        slopes = (
            CubicSpline(x, z, axis=0)(x, 1)
            if len(x) > 2
            else np.repeat(np.diff(z, axis=0) / np.diff(x)[:, None], 2, axis=0)
        )
        return np.concatenate([head, x, y, z.ravel(), slopes.ravel()])

    def _mesh(self) -> np.ndarray:
        points = self._rows("points")
        faces = self._rows("triangles")
        if points.ndim != 2 or points.shape[1] != 3 or faces.ndim != 2 or faces.shape[1] != 3 or not len(faces):
            raise ModelError("points and triangles must have rows of three numbers")
        if (faces != np.floor(faces)).any() or faces.min() < 0 or faces.max() >= len(points):
            raise ModelError(
                f"triangles name points from {faces.min():g} to {faces.max():g}; there are those from 0 to "
                f"{len(points) - 1}"
            )
        try:
            return mesh.mesh_numbers(points, faces.astype(int))
        except ValueError:
            raise ModelError("all its triangles stand upright or have no area; a road has some that lie") from None

    def _grid(self) -> np.ndarray:
        x = self._rows("x")
        n = x.size
        if n < 2:
            raise ModelError("x must have two positions or more")
        y, phi, v = self._rows("y", (n,)), self._rows("phi", (n,)), self._rows("v")
        if v.ndim != 1 or not len(v) or not (np.diff(v) > 0.0).all():
            raise ModelError("v must rise, from right to left")
        z = self._rows("z", (n, len(v)))
        steps = np.hypot(np.diff(x), np.diff(y))
        if not steps.min() > 0.0:
            raise ModelError("two nodes of the reference line lie at the same point; leave one out")
        head = [float(n), float(max(1, math.isqrt(n))), float(len(v))]
        return np.concatenate(
            [head, v, x, y, phi, self._rows("height", (n,), 0.0), self._rows("bank", (n,), 0.0), z.ravel()]
        )

    def flat(self) -> bool:
        """Whether it is a plane with one friction."""
        return self.shape == "FLAT" and not self.patches

    def edges(self) -> np.ndarray:
        """Positions along x, rising, at which it begins to change: ends of planks and of friction patches, corners of a
        PROFILE."""
        s, found = self._sizes(), [x for row in self.patches for x in row[:2]]
        if self.shape == "PLANK":
            ends = s["start"], s["start"] + s["length"]
            found += [*ends, ends[0] + s["bevel"], ends[1] - s["bevel"]]
        elif self.shape == "PROFILE":
            x, z = self._rows("x"), self._rows("z").reshape(len(self.tables["x"]), -1)
            slopes = np.pad(np.diff(z, axis=0) / np.diff(x)[:, None], ((1, 1), (0, 0)))
            change = np.abs(np.diff(slopes, axis=0)).max(axis=1)
            found += list(x[change > 1e-9] if self.interpolation == "LINEAR" else x)
        return np.unique([x for x in found if abs(x) < WIDE])

    def waves(self) -> tuple[float, float, float] | None:
        """Positions along x between which it is uneven all over, and the length of its features there; None where it is
        not.  A MESH and a GRID, whose line bends, are everywhere."""
        s = self._sizes()
        edges = lambda *rows: float(np.median(np.sqrt(sum(r * r for r in rows))))
        match self.shape:
            case "SINE":
                return s["start"], s["end"], s["wavelength"] / 8.0
            case "CHIRP":
                return s["start"], s["end"], min(s["wavelength"], s["wavelength_end"]) / 8.0
            case "MESH":
                corners = self._rows("points")[self._rows("triangles").astype(int)]
                return -math.inf, math.inf, edges(*np.moveaxis(corners - np.roll(corners, 1, axis=1), -1, 0))
            case "GRID":
                return -math.inf, math.inf, edges(np.diff(self._rows("x")), np.diff(self._rows("y")))
        return None

    def law(self):
        """Its kernel (`surface`)."""
        return LAWS[self.shape]

    def parameters(self) -> np.ndarray:
        """What its kernel reads."""
        patches = np.asarray(self.patches, float).reshape(-1, 5)
        head = [FIRST + patches.size, self.mu, self.edge, len(patches)]
        return np.concatenate([head, patches.ravel(), self._numbers()]).astype(float)

    def at(self, x, y) -> tuple[np.ndarray, ...]:
        """Height, slopes along x and y, and friction at positions (arrays that fit together), in the axes of its
        marker."""
        X, Y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        r, law = self.parameters(), self.law()
        found = np.array([law(r, a, b) for a, b in zip(X.ravel(), Y.ravel())]).reshape(*X.shape, 4)
        return tuple(np.moveaxis(found, -1, 0))


def addresses(road: Road, dual: bool) -> float:
    from ..._address import address_of

    form = ROAD_DUALS if dual else ROAD_REAL
    return address_of(road.law(), form.arguments, form.result)


def _file(value: Any) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise ModelError(f"file is {shown(value)}; give a path")
    return str(value)


def road(
    model,
    shape: str = "FLAT",
    marker: Any = None,
    *,
    mu: float = 1.0,
    patches: Any = (),
    edge: float = 0.0,
    belt: float = 0.0,
    interpolation: str = "LINEAR",
    file: str = "",
    name: str = "",
    id: int = 0,
    **sizes: Any,
) -> Road:
    """A road for tyres over the plane of ``marker`` (z up, x along the road; by default a new one at the origin of
    ground): `holonom.elements.roads.road` lists the shapes and what each takes.

    ``mu``: friction relative to that of a tyre's measurement; ``patches``: rows x0, x1, y0, y1, mu (split friction);
    ``edge``: width over which friction changes;
    ``belt``: speed of the surface along x.  Raises `ModelError` for unknown shapes and sizes, missing ones, and tables
    that do not fit.

        bump = model.road("PLANK", start=5.0, length=0.1, height=0.02)
        tyre = model.tyre_pac2002(hub, bump, coefficients, contact="ENVELOPING")
    """
    shape = word_of(shape, "shape", tuple(SHAPES))
    rows = SHAPES[shape][1]
    tables, numbers_ = {}, {}
    for word, value in sizes.items():
        if word in rows:
            try:
                tables[word] = np.asarray(value, float)
            except (TypeError, ValueError):
                raise ModelError(f"{word} is {shown(value)}; give a table of numbers") from None
        else:
            endless = word in ENDLESS and is_number(value) and math.isinf(value)
            numbers_[word] = float(value) if endless else number(value, word)
    patches = listed(patches, "patches", "rows of five numbers")
    frame = model._marker(marker) if marker is not None else model.marker(model.ground).id

    def tuples(a: Any) -> Any:
        return tuple(map(tuples, a)) if isinstance(a, list) else a

    e = Road(
        id=id,
        name=name,
        marker=frame,
        shape=shape,
        sizes=numbers_,
        tables={k: tuples(v.tolist()) for k, v in tables.items()},
        interpolation=word_of(interpolation, "interpolation", INTERPOLATION),
        mu=number(mu, "mu"),
        edge=number(edge, "edge"),
        belt=number(belt, "belt"),
        file=_file(file),
        patches=tuple(map(tuple, number_matrix(patches, "patches", columns=5).tolist())) if patches else (),
    )
    return model.add(sound(e, model))
