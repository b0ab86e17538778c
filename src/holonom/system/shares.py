"""Wrenches of elements that act on more than two markers, on each body that they load: couplers, gears, general
constraints, forces between several markers.

A row with gradient G_b by the motion of body b (translation in ground axes, turning in the body's own) and multiplier
lam loads the body with -lam G_b, at its centre (Haug 1989, section 6.1); about a marker s away from there, in ground
axes,

    F = -sum lam G_b[:3],     T = -A_b sum lam G_b[3:] - s x F.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements.frames import WRENCH

SPREAD = ("COUPLER", "GEAR", "GCON", "UCON")  # constraints whose reaction on J is not that on I, turned round


class Shares:
    """``names`` (n,): (kind, id, marker) of each share; a constraint has one for each moving body, at the first of its
    markers there; a force one for each marker."""

    def __init__(self, system: Any):
        self.system = system
        self.names: list[tuple[str, int, int]] = []
        self._frame: list[int] = []  # of shares of constraints, which come first
        self._body: list[int] = []
        self._rows: list[range] = []
        #: of shares of forces: rows of wrenches, side of them
        self._of_forces: list[tuple[list[int], int]] = []
        self._equations: Any = None
        self._constraints()
        self._forces()

    def _constraints(self) -> None:
        s = self.system
        marker_of = {frame: marker for marker, frame in s._marker_frame.items()}
        for c in s.constraints:
            if c.element.KIND not in SPREAD:
                continue
            frames = [c.i, *(f for r in c.rows for f in self._frames(s.rows[r]))]
            seen = {s.nb}
            for f in frames:
                body = s.frame_list[f][0]
                if body in seen or f not in marker_of:
                    continue
                seen.add(body)
                self.names.append((c.element.KIND, c.element.id, marker_of[f]))
                self._frame.append(f)
                self._body.append(body)
                self._rows.append(c.rows)

    @staticmethod
    def _frames(row: Any) -> list[int]:
        return [f for *_, a, b in row.terms for f in (a, b)] or list(row.frames or (row.i, row.j))

    def _forces(self) -> None:
        ports = self.system.ports
        for element, markers in zip(ports.elements, ports.ports):
            if len(markers) < 3:
                continue
            first = self.system.functions.element_source(element.KIND, element.id)
            rows = list(range(first, first + len(markers) - 1))
            for marker, source in [*((m, ([r], 0)) for m, r in zip(markers, rows)), (markers[-1], (rows, 1))]:
                self.names.append((element.KIND, element.id, int(marker)))
                self._of_forces.append(source)

    def _slots(self) -> None:
        """Slots of the present equations: share, slot and row of each."""
        s = self.system
        self._equations = s.workspace.equations
        found = [
            (n, s.slot_of[r][b], r)
            for n, (b, rows) in enumerate(zip(self._body, self._rows))
            for r in rows
            if b in s.slot_of[r]
        ]
        self._share, self._slot, self._row = np.array(found, np.int64).reshape(-1, 3).T

    def evaluate(self) -> np.ndarray:
        """(n, 6) forces and torques about the markers, ground axes, of the last evaluation."""
        s = self.system
        out = np.zeros((len(self.names), WRENCH))
        if self._frame:
            if self._equations is not s.workspace.equations:
                self._slots()
            np.add.at(out, self._share, -s.W.lam[self._row][:, None] * s.W.rw.G[self._slot])
            n = len(self._frame)
            R = s.W.R[self._body].reshape(n, 3, 3)
            out[:n, 3:] = np.einsum("nij,nj->ni", R, out[:n, 3:]) - np.cross(s.S.fr.s[self._frame], out[:n, :3])
        for k, (rows, side) in enumerate(self._of_forces, start=len(self._frame)):
            out[k] = s.wrenches.out[rows, WRENCH * side : WRENCH * (side + 1)].sum(axis=0)
        return out
