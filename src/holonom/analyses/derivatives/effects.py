"""What a number of the drawing moves in the tables of a system.

An `Effect` is the derivative of the tables by one number: masses, inertias, positions and directions of frames, rows
of pair forces, constants of functions, gravity, the state at the design position.  Numbers of parts, markers and pair
forces have it in closed form or by differences of one row; all others by differences of the whole build, whose other
tables must stay the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._six_points import WEIGHTS
from ...elements.bodies import layout
from ...elements.forces.pair_kinds import PAIR_KINDS
from ...model import ModelError
from ...model.dummies import has_inertia, inertia_of
from ...model.parameters import Number
from ...system.build import System

STEP = 2e-3  # of the number
TURNED = 0.05  # principal axes that turn by more over the points of differences have no derivative

#: (table, place in it) -> derivative
Effect = dict[tuple, Any]


def add(into: Effect, effect: Effect, factor: float) -> None:
    """into += factor effect"""
    for key, value in effect.items():
        into[key] = into.get(key, 0.0) + factor * value


class Effects:
    """Effects of numbers on the tables of one system.  Raises ModelError for numbers whose influence has no derivative
    here."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.model = system.model
        self._scratch = system.model.copy()
        self._known: dict[Number, Effect] = {}
        self._pairs = {
            (e.KIND, e.id): (q, k, next(s for s in kind.sources if s.ELEMENT == e.KIND and s.takes(e)))
            for q, kind in enumerate(PAIR_KINDS)
            for k, e in enumerate(system.functions.pair_elements[kind.name])
        }
        #: markers that are more than the place of an element
        self._special = {m for p in self.model.parts.values() for m in (p.cm, p.im, p.vm, p.wm) if m is not None} | {
            p.cm for p in self.model.table("POINT_MASS").values() if getattr(p, "cm", None) is not None
        }

    def of(self, number: Number) -> Effect:
        """The effect of one number."""
        if number not in self._known:
            self._known[number] = self._find(number)
        return self._known[number]

    def _find(self, number: Number) -> Effect:
        s = self.system
        if number.kind == "MODEL":
            return {("gravity", number.index - 1): 1.0}  # type: ignore[operator]
        element = self.model.find(number.kind, number.id)
        key = (number.kind, number.id)
        if key in self._pairs:
            return self._row(number, element)
        if key in s.body_index and s.body_index[key] < s.nb and number.kind in ("PART", "POINT_MASS"):
            body, factor = s.body_index[key], self.model.units.mass_factor
            if number.field == "mass" and (number.kind == "POINT_MASS" or has_inertia(element)):
                return {("mass", body): factor}
            if number.field == "ip" and has_inertia(element):
                return {("J", body): self._inertia(number, body) * factor}
        if number.kind == "MARKER" and number.field == "qp" and number.id not in self._special:
            if element.zp is None and element.xp is None:
                return self._place(number)
        return self._build(number)

    def _row(self, number: Number, element: Any) -> Effect:
        q, k, source = self._pairs[number.kind, number.id]
        moved = self._scratch.find(number.kind, number.id)
        slope = self._slope(number, lambda: np.array(source.row(moved, self._scratch), float))
        return {("pairs", q, k, int(c)): float(slope[c]) for c in np.flatnonzero(slope)}

    def _inertia(self, number: Number, body: int) -> np.ndarray:
        """Derivative of the tensor in principal axes, which are held."""
        _, axes = inertia_of(self.model, self.model.find(number.kind, number.id))
        moved = self._scratch.find(number.kind, number.id)
        V = axes.T @ self.system.local[body].axes
        return V.T @ self._slope(number, lambda: inertia_of(self._scratch, moved)[0]) @ V

    def _place(self, number: Number) -> Effect:
        s = self.system
        frame = s._marker_frame.get(number.id)
        if frame is None:
            return {}
        local = s.local[s.frame_list[frame][0]]
        return {("place", frame): local.axes[number.index - 1].copy()}  # type: ignore[operator]

    def _step(self, number: Number) -> float:
        value = float(number.read(self.model))  # type: ignore[arg-type]
        if number.kind in ("MARKER", "PART", "POINT_MASS") and number.field in ("qp", "qg", "zp", "xp", "zg", "xg"):
            return STEP * self.system.extent
        return STEP * (abs(value) or 1.0)

    def _slope(self, number: Number, of: Callable[[], np.ndarray]) -> np.ndarray:
        """The derivative of what a function makes of the scratch model."""
        step = self._step(number)
        return _difference(number.at_points(self._scratch, step, of), step)

    def _build(self, number: Number) -> Effect:
        """By differences of the whole build."""
        try:
            step = self._step(number)
            systems = number.at_points(self._scratch, step, lambda: System(self._scratch.copy()))
        except ModelError as error:
            raise ModelError(
                f"the derivative by {number.name} is not known: a model near to it fails ({error})"
            ) from None
        here = self.system
        same = _tables(here)
        for s in systems:
            other = _tables(s)
            for name, table in same.items():
                if not (table.shape == other[name].shape and np.array_equal(table, other[name], equal_nan=True)):
                    raise ModelError(
                        f"the derivative by {number.name} is not known: it enters {name}, which has no derivative yet; "
                        "docs/derivatives.md lists the elements that have one"
                    )
        out: Effect = {}
        slope = lambda values: _difference(values, step)
        for name, of in (
            ("mass", lambda s: s.bodies.mass), ("J", lambda s: s.bodies.J), ("gravity", lambda s: s.bodies.gravity),
            ("place", lambda s: s.S.fr.sb), ("constant", lambda s: s.S.fn.programs.numbers),
        ):  # fmt: skip
            change = slope([of(s) for s in systems])
            for k in np.flatnonzero(change.reshape(len(change), -1).any(axis=1)):
                if name == "J":
                    out["J", int(k)] = np.diag(change[k])
                else:
                    out[name, int(k)] = change[k].copy() if change.ndim > 1 else float(change[k])
        for q in range(len(PAIR_KINDS)):
            change = slope([s.S.pairs.t[q] for s in systems])
            out |= {("pairs", q, int(k), int(c)): float(change[k, c]) for k, c in zip(*np.nonzero(change))}
        out |= self._turns(number, systems, step)
        change = slope([self._aligned(s) for s in systems])
        if change.any():
            out["y0",] = change
        return out

    def _aligned(self, other: System) -> np.ndarray:
        """The state of another system, with quaternions of the sign of this one's: both signs are the same rotation."""
        y, n = other.y0.copy(), self.system.nb
        mine, theirs = layout.rows(self.system.y0, n)[:, 3:7], layout.rows(y, n)[:, 3:7]
        theirs[np.einsum("bi,bi->b", mine, theirs) < 0.0] *= -1.0
        return y

    def _turns(self, number: Number, systems: list[System], step: float) -> Effect:
        """Rotations of frames and of principal axes."""
        for s in systems:
            for mine, theirs in zip(self.system.local, s.local):
                if np.abs(mine.axes.T @ theirs.axes - np.eye(3)).max() > TURNED:
                    raise ModelError(
                        f"the derivative by {number.name} is not known: principal axes of a part, of equal inertias, "
                        "turn with it at once; give the part three different principal inertias"
                    )
        here = self.system.S.fr.Ab.reshape(-1, 3, 3)
        dA = _difference([s.S.fr.Ab for s in systems], step).reshape(-1, 3, 3)
        turn = np.einsum("fij,fkj->fik", dA, here)  # [dtheta] A = dA
        vector = np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], axis=1)
        return {("turn", int(f)): vector[f].copy() for f in np.flatnonzero(np.abs(vector).max(axis=1) > 0.0)}


def _difference(values: list[np.ndarray], step: float) -> np.ndarray:
    # what does not change is zero to the bit
    return sum(w * (v - values[0]) for w, v in zip(WEIGHTS, values)) / step  # type: ignore[return-value]


def _tables(system: System) -> dict[str, np.ndarray]:
    """Tables of which no derivative is known, and that must therefore not change."""
    S = system.S
    rows = {f"equations of joints ({n})": np.asarray(v) for n, v in zip(S.rows._fields, S.rows)}
    out = rows | {
        "motions": S.motions.numbers,
        "motions (structure)": S.motions.words,
        "functions (structure)": S.fn.programs.words,
        "frames (bodies)": np.asarray(S.fr.body),
        "which bodies there are": np.array([system.nb, len(system.y0), layout.end(system.nb)]),
    }
    return {name: np.asarray(v) for name, v in out.items()}
