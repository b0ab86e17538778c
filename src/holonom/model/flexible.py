"""Flexibility of parts: modes of a body about a floating frame, and the nodes of its mesh on which markers may lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .base import Element
from .orientation import Frame

ALIKE = 1e-6  # asymmetry of tables, beside their largest number, that counts as roundoff of who wrote them


@dataclass
class Flexibility(Element):
    """Modes of a part: its displacement in its own axes is u = sum_j q_j phi_j, small beside its size (`elements.bodies.modes`).

    ``frequency`` (n,), rad per time, of the free modes; ``damping`` (n,), ratios; ``q``, ``speed`` (n,): coordinates and rates at the start, none for
    zeros.  Modes are mass-orthonormal (in force time^2 / length: `Units.mass_factor` of a mass) and hold neither momentum nor moment of momentum.

    ``S`` ((n + 1)^2, 9), ``H`` ((n + 1)^2, 3), row by row: the tables over pairs of shapes, of which the first is the place from the centre of mass, in
    axes of the part; moments of inertia of the rigid body are those of the part, whatever S has for it.  ``nodes`` (a,): their ids; ``places`` (a, 3)
    in axes of the part; ``shapes`` (a, 6 n): displacement along x, y, z and rotation about these, each of all modes; ``bends``: (a, 3 n^2) second
    derivatives of displacements, or empty.  ``lines``: pairs of nodes, by place in ``nodes``, between which the part is drawn.
    """

    KIND: ClassVar[str] = "FLEXIBILITY"
    REFERENCES: ClassVar[dict[str, str]] = {"part": "PART"}

    part: int | None = None
    frequency: tuple[float, ...] = ()
    damping: tuple[float, ...] = ()
    S: tuple[float, ...] = ()
    H: tuple[float, ...] = ()
    nodes: tuple[int, ...] = ()
    places: tuple[float, ...] = ()
    shapes: tuple[float, ...] = ()
    bends: tuple[float, ...] = ()
    lines: tuple[int, ...] = ()
    q: tuple[float, ...] = ()
    speed: tuple[float, ...] = ()

    @property
    def modes(self) -> int:
        """How many modes there are."""
        return len(self.frequency)

    @property
    def points(self) -> np.ndarray:
        """(a, 3) places of nodes, length, axes of the part.  Raises nothing."""
        return np.reshape(self.places, (-1, 3))

    @property
    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        """S (n + 1, n + 1, 3, 3) and H (n + 1, n + 1, 3)."""
        n = self.modes + 1
        return np.reshape(self.S, (n, n, 3, 3)), np.reshape(self.H, (n, n, 3))

    def shape(self, node: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Place (3,), shapes (6, n) and bends (3, n, n) or None of a node, in axes of the part."""
        k, n = self.nodes.index(node), self.modes
        bends = None if not self.bends else np.reshape(self.bends[3 * n * n * k : 3 * n * n * (k + 1)], (3, n, n))
        return self.points[k], np.reshape(self.shapes[6 * n * k : 6 * n * (k + 1)], (6, n)), bends

    def shape_table(self) -> np.ndarray:
        """(a, 6, n) shapes of all nodes."""
        return np.reshape(self.shapes, (-1, 6, self.modes))

    def largest(self) -> np.ndarray:
        """(n,) largest displacement of a node by each mode, for q = 1; one where there is none."""
        size = np.linalg.norm(self.shape_table()[:, :3], axis=1).max(axis=0, initial=0.0)
        return np.where(size > 0.0, size, 1.0)

    def faults(self, model: Any) -> Iterator[str]:
        part = model.table("PART").get(self.part)
        if part is None or part.ground:
            yield "modes belong to a part that moves; give part = its id"
            return
        if self.active and not part.active:
            yield f"its part {part.label} is not active; deactivate both or neither"
        other = next((e for e in model.table("FLEXIBILITY").values() if e is not self and e.part == self.part and e.id < self.id), None)
        if other is not None:
            yield f"its part {part.label} bends by {other.label} already; give a part one of them"
        n, a = self.modes, len(self.nodes)
        if n == 0:
            yield "it has no modes; leave it out where the part is rigid"
        for name, size in (("damping", n), ("S", 9 * (n + 1) ** 2), ("H", 3 * (n + 1) ** 2), ("places", 3 * a), ("shapes", 6 * n * a)):
            if len(getattr(self, name)) != size:
                yield f"{name} has {len(getattr(self, name))} numbers; {n} modes and {a} nodes ask for {size}"
                return
        for name, size in (("bends", 3 * n * n * a), ("q", n), ("speed", n)):
            if len(getattr(self, name)) not in (0, size):
                yield f"{name} has {len(getattr(self, name))} numbers; {n} modes and {a} nodes ask for {size}, or for none"
                return
        if len(set(self.nodes)) < a:
            yield "two of its nodes have the same id"
        if any(not 0 <= k < a for k in self.lines) or len(self.lines) % 2:
            yield f"lines must be pairs of numbers from 0 to {a - 1}"
        for k, w in enumerate(self.frequency):
            if not w > 0.0:
                yield f"the frequency of mode {k + 1} is {w:g}; it must be positive: a mode without frequency is a rigid motion or leads to one"
        for k, ratio in enumerate(self.damping):
            if not 0.0 <= ratio < 1.0:
                yield f"the damping ratio of mode {k + 1} is {ratio:g}; give a number from 0 to below 1"
        S, H = self.tables
        if np.abs(S - S.transpose(1, 0, 2, 3)).max() > ALIKE * np.abs(S).max():
            yield "S must be the same for both orders of a pair of shapes"
        if np.abs(H + H.transpose(1, 0, 2)).max() > ALIKE * max(np.abs(H).max(), np.abs(S).max()):
            yield "H must change its sign with the order of a pair of shapes"


@dataclass
class Attachment(Element):
    """Node of a flexible part on which markers lie (body_kind "ATTACHMENT"): its axes are those of the part, turned with the node; origin the node."""

    KIND: ClassVar[str] = "ATTACHMENT"
    REFERENCES: ClassVar[dict[str, str]] = {"flexibility": "FLEXIBILITY"}
    mass: ClassVar[float] = 0.0  # it has none of its own: that of the part counts with the part

    flexibility: int | None = None
    node: int = 0

    def place(self, model: Any) -> Frame:
        """Where the node lies in ground, the part undeformed at its design position, with axes of the part."""
        flexibility = model.table("FLEXIBILITY")[self.flexibility]
        part = model.table("PART")[flexibility.part].frame
        return Frame(part.origin + part.axes @ flexibility.shape(self.node)[0], part.axes)

    def faults(self, model: Any) -> Iterator[str]:
        flexibility = model.table("FLEXIBILITY").get(self.flexibility)
        if flexibility is None:
            yield "it belongs to no FLEXIBILITY; give flexibility = its id"
        elif self.node not in flexibility.nodes:
            yield f"{flexibility.label} has no node {self.node}; give one of its {len(flexibility.nodes)} nodes"
