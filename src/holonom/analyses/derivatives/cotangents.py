"""Cotangents of the tables of a system, and derivatives along what a number of the drawing moves in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...elements.bodies.absolute_pull import make_slopes
from ...integrators.adjoint import closing, pulls_of
from ...model import ModelError
from ...system.build import System
from ...system.multipliers import null_space
from .effects import Effect

OPEN = 1e-8  # a start that assembly moved by more of the extent has no derivative by positions
SLIGHT = 1e-7  # a parameter that opens a redundant joint by more of its own way contradicts it


#: directions of numbers of meshes to whose tables a system has an address
_KEPT: WeakKeyDictionary[System, Any] = WeakKeyDictionary()


class Cotangents:
    """What an adjoint finds: ``P`` and ``handle`` of it, ``start``: a state at which the constraints hold, ``yb``:
    cotangent of the state at the design position, ``moved``: by how much assembly moved it, ``loops``: see
    `find_loops`.  ``wanted``, ``constants``, ``touching``: numbers whose cotangents the effects need, see
    `adjoint.pull_arrays`."""

    P: Any
    handle: Any

    def __init__(self, system: System, effects: Sequence[Effect]) -> None:
        self.system = system
        self._keys = keys = {k for e in effects for k in e}
        self.wanted = [np.zeros(t.shape, np.uint8) for t in system.S.pairs.t]
        for key in keys:
            if key[0] == "pairs":
                self.wanted[key[1]][key[2], key[3]] = 1
        self._ports = np.zeros(len(system.ports.S.value) if system.ports.elements else 0, np.uint8)
        self._ports[[k[1] for k in keys if k[0] == "port"]] = 1
        self._friction = np.zeros_like(system.S.friction.wanted)
        for key in keys:
            if key[0] == "friction":
                self._friction[key[1], key[2]] = 1
        #: number of each effect on meshes among their directions
        self.bent = {id(e): k for k, e in enumerate(e for e in effects if any(key[0] == "mesh" for key in e))}
        self._slopes: Any = None
        if self.bent:
            ways = [{k[1]: v for k, v in e.items() if k[0] == "mesh"} for e in effects if id(e) in self.bent]
            self._slopes = make_slopes(system.bodies.carriers.meshes, ways)
        self._begin()
        self.constants = sorted(k[1] for k in keys if k[0] == "constant")
        self.directions = {id(e): k for k, e in enumerate(e for e in effects if any(key[0] == "contact" for key in e))}
        self.touching = [
            {key[1:]: value for key, value in e.items() if key[0] == "contact"}
            for e in effects
            if id(e) in self.directions
        ]
        self.start = self.yb = np.zeros(len(system.y0))
        self.moved = 0.0
        self.loops: list[tuple[int, np.ndarray, np.ndarray, np.ndarray]] = []

    def _begin(self) -> None:
        """Cotangents that the system itself has become zero; it gets what is wanted of them."""
        friction = self.system.S.friction
        self.system.ports.differentiate(self._ports)
        friction.wanted[:] = self._friction
        friction.bar[:] = 0.0
        if self.system.bodies.carriers is not None:
            asked = self.system.bodies.carriers.meshes.asked
            asked[0] = 0
            if self._slopes is not None:
                self._slopes.S.bar[:] = 0.0
                asked[0] = self._slopes.address
            _KEPT[self.system] = self._slopes

    def clear(self) -> None:
        """All cotangents of numbers become zero."""
        self._begin()
        P = self.P
        for table in (
            P.out.place,
            P.out.turn,
            P.mass,
            P.J,
            P.gravity,
            P.constant,
            P.carried,
            P.drive,
            P.contact.place,
            P.contact.turn,
        ):
            table[:] = 0.0
        for table in (*P.pairs, P.contact.bar):
            table[:] = 0.0

    @property
    def along_meshes(self) -> np.ndarray:
        """Derivatives along the directions of numbers of meshes."""
        return self._slopes.S.bar if self._slopes is not None else np.zeros(0)

    @property
    def by_places(self) -> bool:
        """Whether any effect moves positions or directions of frames, or motions."""
        return any(k[0] in ("place", "turn") or self._of_motion(k) for k in self._keys)

    def _of_motion(self, key: tuple) -> bool:
        return bool(key[0] == "constant" and key[1] >= len(self.system.S.fn.programs.numbers))

    def find_loops(self, t: float) -> list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        """Of each redundant row: its number, and how far positions and directions of frames and constants open it, in
        the combination of rows that no motion can change."""
        out: list[tuple[int, np.ndarray, np.ndarray, np.ndarray]] = []
        system = self.system
        if not system.m:
            return out
        P = self.P
        kept = P.out.place.copy(), P.out.turn.copy(), P.constant.copy()
        closing(pulls_of(self.handle), t, self.start, np.zeros(system.m))
        N = null_space(system)
        for k in range(N.shape[1]):
            P.out.place[:] = P.out.turn[:] = 0.0
            P.constant[:] = 0.0
            closing(pulls_of(self.handle), t, self.start, np.ascontiguousarray(N[:, k]))
            out.append((int(np.argmax(np.abs(N[:, k]))), P.out.place.copy(), P.out.turn.copy(), P.constant.copy()))
        P.out.place[:], P.out.turn[:], P.constant[:] = kept
        return out

    def times(self, effect: Effect, name: str) -> float:
        """The derivative along an effect.  Raises ModelError where there is none."""
        P, total = self.P, 0.0
        if id(effect) in self.directions:
            total += float(P.contact.bar[self.directions[id(effect)]])
        if id(effect) in self.bent:
            total += float(self.along_meshes[self.bent[id(effect)]])
        opened = [0.0] * len(self.loops)
        way = 0.0
        for key, value in effect.items():
            kind = key[0]
            if kind in ("place", "turn"):
                table = P.out.place if kind == "place" else P.out.turn
                total += float(table[key[1]] @ value)
                way = max(way, float(np.abs(value).max()))
                for k, (_, place, turn, _) in enumerate(self.loops):
                    opened[k] += float((place if kind == "place" else turn)[key[1]] @ value)
            elif kind == "mass":
                total += float(P.mass[key[1]] * value)
            elif kind == "J":
                total += float((P.J[key[1]] * value).sum())
            elif kind == "carried":
                total += float(P.carried[key[1]] * value)
            elif kind == "drive":
                total += float(P.drive[key[1]] * value)
            elif kind == "gravity":
                total += float(P.gravity[key[1]] * value)
            elif kind == "pairs":
                total += float(P.pairs[key[1]][key[2], key[3]] * value)
            elif kind in ("shape place", "shape turn"):
                table = P.contact.place if kind == "shape place" else P.contact.turn
                total += float(table[key[1]] @ value)
            elif kind in ("contact", "mesh"):
                continue  # along the effect as a whole
            elif kind == "port":
                total += float(self.system.ports.W.bar[key[1]] * value)
            elif kind == "friction":
                total += float(self.system.S.friction.bar[key[1], key[2]] * value)
            elif kind == "constant":
                at = self.constants.index(key[1])
                total += float(P.constant[at] * value)
                if self._of_motion(key):
                    way = max(way, abs(value))
                    for k, (_, _, _, constant) in enumerate(self.loops):
                        opened[k] += float(constant[at] * value)
            else:
                total += float(self.yb[: len(value)] @ value)
        if (way or ("y0",) in effect) and self.moved > OPEN:
            raise ModelError(
                f"the derivative by {name} is not known: the model was drawn open, and assembly moved a part by "
                f"{self.moved:.2g} of its extent; draw it closed (the positions of the assembled model)"
            )
        for (row, *_), x in zip(self.loops, opened):
            if abs(x) > SLIGHT * way:
                raise ModelError(
                    f"the derivative by {name} does not exist: {self.system.row_words(row)} repeats other constraints "
                    "and would no longer close; move both markers of the joint, or replace it by one with fewer rows"
                )
        return total
