"""Grains, flexible bodies and forces, read back from what pages get of them (`animation.scene`): of films and glTF
files."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _rotation as rotation

#: colours of a stress from none to the largest, those of pages
RAMP = np.array(
    [
        [48, 18, 59],
        [70, 107, 227],
        [40, 187, 236],
        [49, 242, 153],
        [162, 252, 60],
        [238, 207, 58],
        [251, 126, 33],
        [208, 47, 5],
        [122, 4, 3],
    ],
    float,
)


class Bending:
    """A flexible body: its surface at each picture, u = sum q phi, as pages draw it
    (`flexible_surface.page_data`)."""

    most = 0.0  # stress at the end of the colours

    def __init__(self, f: dict[str, Any], data: dict[str, Any], number: Any) -> None:
        self.body = int(f["body"])
        self.rest = number(f["p"], "<f4").reshape(-1, 3).astype(float)
        self.triangles, self.lines = number(f["t"], "<u2").reshape(-1, 3), number(f["l"], "<u2").reshape(-1, 2)
        n = len(f["modes"])
        self.q = number(f["q"], "<f4").reshape(-1, n).astype(float) * np.asarray(f["unit"], float)
        self.phi = number(f["phi"], "<i2").reshape(n, len(self.rest), 3)
        self.codes = number(f["vm"], "<u1").reshape(-1, len(self.rest)) if f.get("vm") else None
        self.step, self.top = int(f.get("step", 1)), float(f.get("top", 0.0))
        self.colour = rgb(data["bodies"][self.body]["color"])

    def at(self, f: int) -> tuple[np.ndarray, np.ndarray]:
        """Points in axes of the part, and the colour of each."""
        points = self.rest + np.tensordot(self.q[f], self.phi, 1)
        code = None if self.codes is None else self.codes[min(int(round(f / self.step)), len(self.codes) - 1)]
        return points, self._painted(code)

    def worst(self) -> np.ndarray:
        """Colour (n, 3) of each point at the largest stress that it has in the run."""
        return self._painted(None if self.codes is None else np.where(self.codes < 255, self.codes, 0).max(axis=0))

    def _painted(self, code: np.ndarray | None) -> np.ndarray:
        colour = np.tile(self.colour, (len(self.rest), 1))
        if code is None or not self.most > 0.0:
            return colour
        share = (code / 254.0) ** 2 * self.top / self.most
        painted = np.column_stack([np.interp(share, np.linspace(0, 1, len(RAMP)), RAMP[:, c]) for c in range(3)])
        return np.where((code < 255)[:, None], painted, colour)


class Grains:
    """Grains at each picture; positions about the origin of the picture."""

    def __init__(self, g: dict[str, Any], frames: int, number: Any) -> None:
        n = int(g["count"])
        self.codes = number(g["p"], "<u2").reshape(frames, n, 3)
        self.span, self.base = np.asarray(g["span"], float), np.asarray(g["low"], float)
        self.sizes, self.reach = number(g["s"], "<f4").astype(float), float(g["reach"])
        self.turns = number(g["q"], "<i2").reshape(frames, n, 4) if g.get("q") else None
        self.points, self.triangles = (
            number(g["mesh"]["p"], "<f4").reshape(-1, 3).astype(float),
            number(g["mesh"]["t"], "<u2").reshape(-1, 3).astype(np.int64),
        )
        self.colour = rgb(g["color"])
        largest = float(self.sizes.max(initial=0.0)) * self.reach
        low, high = np.asarray(g["view"], float)  # what flew far does not decide the picture
        self.low, self.high = low - largest, high + largest

    def at(self, f: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of those that are there, and their positions."""
        there = np.flatnonzero((self.codes[f] != 65535).all(axis=1))
        return there, self.base + self.codes[f, there] / 65534.0 * self.span

    def course(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions (frames, n, 3), unit quaternions with the scalar last, and whether each is there (frames, n); one
        that is not stays where it was or will be."""
        there = (self.codes != 65535).all(axis=2)
        rows = np.arange(len(there))[:, None]
        last = np.maximum.accumulate(np.where(there, rows, -1), axis=0)
        row = np.where(last >= 0, last, np.argmax(there, axis=0)[None, :])
        kept = lambda values: np.take_along_axis(values, row[:, :, None], axis=0).astype(float)
        places = self.base + kept(self.codes) / 65534.0 * self.span
        if self.turns is None:
            return places, np.broadcast_to([0.0, 0.0, 0.0, 1.0], (*there.shape, 4)), there
        turns = kept(self.turns)[:, :, [1, 2, 3, 0]]
        return places, turns / np.maximum(np.linalg.norm(turns, axis=2, keepdims=True), 1e-12), there

    def axes(self, f: int, there: np.ndarray) -> np.ndarray:
        """Turns (n, 3, 3) of these grains."""
        assert self.turns is not None
        return rotation.matrices(self.turns[f, there])


class Arrows:
    """Forces at each picture as arrows, those that pages draw (`animation.scene`): ``which`` is "contacts", "forces"
    (applied ones too) or "all" (with reactions).  The largest force, of contacts one that a tenth of them exceed, is
    LONG times the size of the machine."""

    LONG, MOST = 0.22, 4.0
    COLOURS = {"contact": (224, 48, 30), "force": (184, 70, 27), "reaction": (42, 111, 208)}

    def __init__(self, data: dict[str, Any], motion: np.ndarray, which: str, number: Any) -> None:
        self.motion, self.size = motion, self.LONG * float(data["size"])
        a, c, frames = data["arrows"], data["contacts"], len(motion)
        kinds = {"contacts": (), "forces": ("force",), "all": ("force", "reaction")}[which]
        self.items = [(k, i) for k, i in enumerate(a["items"]) if i["kind"] in kinds]
        self.values = number(a["values"], "<f4").reshape(frames, len(a["items"]), 3) / (a["largest"] or 1.0)
        self.which = number(c["which"], "<i4").reshape(frames, c["slots"]) if c["slots"] else np.zeros((frames, 0), int)
        self.points = (
            number(c["values"], "<f4").reshape(frames, c["slots"], 6) if c["slots"] else np.zeros((frames, 0, 6))
        )
        self.scale = c["scale"] or 1.0

    def at(self, f: int) -> list[tuple[np.ndarray, np.ndarray, tuple[int, int, int]]]:
        """Tail (3,) about the origin of the pictures, way to the head (3,), and colour of each."""
        found = [
            (self.motion[f, i["body"]], np.asarray(i["o"], float), self.values[f, k], i["kind"]) for k, i in self.items
        ]
        out = [
            (state[:3] + rotation.matrices(state[None, 3:])[0] @ o, way, self.COLOURS[kind])
            for state, o, way, kind in found
        ]
        out += [
            (p[:3], p[3:] / self.scale, self.COLOURS["contact"])
            for p, n in zip(self.points[f], self.which[f])
            if n >= 0
        ]
        ways = [(tail, way * self.size, np.linalg.norm(way), colour) for tail, way, colour in out]
        return [(np.asarray(t, float), w * min(1.0, self.MOST / n), c) for t, w, n, c in ways if n > 1e-3]


def rgb(colour: str) -> np.ndarray:
    """Red, green, blue of a ``#rrggbb``."""
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], float)
