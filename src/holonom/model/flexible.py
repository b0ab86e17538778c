"""Flexibility of parts: modes of a body about a floating frame, and the nodes of its mesh on which markers may lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._warnings import warn_model
from .base import Element, ModelError, shown
from .kinds import is_whole
from .orientation import Frame
from .reduced_body import ReducedBody, nearest_node

#: which inertia terms of modes count: all, or those of the undeformed body and their first change
INVARIANTS = ("full", "constant")
LACKING = 0.05  # share of a static deflection that is missing in the modes, which is a warning
EYE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
#: how the motion of a flexible body is computed: modes in a frame that floats with it, or vibration about the motion
#: of the rigid machine
FORMULATIONS = ("floating", "KED")


@dataclass
class Flexibility(Element):
    """Modes of a part: its displacement is u = sum_j q_j phi_j, small compared with its size (`elements.bodies.modes`).

    ``body``: modes, nodes and tables in axes of its own (`model.reduced_body.ReducedBody`; several parts may share
    one); ``origin`` (3,), ``axes`` (9, row by row): where the origin of these axes lies in the axes of the part, and
    their directions there (columns).  ``damping`` (n,): ratios of the modes; ``q``, ``speed`` (n,): coordinates and
    rates at the start, none for zeros; ``invariants``: "full", or "constant" where inertia is that of the undeformed
    body but for terms linear in q.  Mass, centre of mass and inertia of the rigid body are those of the part.
    ``formulation``: one of `FORMULATIONS`; ``quasi_static``: of KED, deflections follow their loads without vibration
    (`analyses.ked`).
    ``region``: ids of nodes of its surface that may touch something (`contact.surfaces`).
    """

    KIND: ClassVar[str] = "FLEXIBILITY"
    REFERENCES: ClassVar[dict[str, str]] = {"part": "PART"}
    part: int | None = None
    body: ReducedBody | None = None
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axes: tuple[float, ...] = EYE
    damping: tuple[float, ...] = ()
    q: tuple[float, ...] = ()
    speed: tuple[float, ...] = ()
    invariants: str = INVARIANTS[0]
    formulation: str = "floating"
    quasi_static: bool = False
    region: tuple[int, ...] = ()

    @property
    def _own(self) -> ReducedBody:
        """Its body, which `faults` has seen to be there."""
        assert self.body is not None
        return self.body

    @property
    def elements(self) -> Any:
        """Finite elements from which the body was reduced, in the units of the model; None where they are not available
        in this session."""
        return None if self.body is None else self.body.elements

    @property
    def modes(self) -> int:
        """How many modes there are."""
        return self._own.modes

    @property
    def frequency(self) -> np.ndarray:
        """(n,) rad per time, of the free modes."""
        return self._own.frequency

    @property
    def nodes(self) -> np.ndarray:
        """(a,) ids of nodes."""
        return self._own.nodes

    @property
    def turn(self) -> np.ndarray:
        """(3, 3) from axes of the body to those of the part."""
        return np.reshape(self.axes, (3, 3))

    @property
    def points(self) -> np.ndarray:
        """(a, 3) places of nodes, length, axes of the part.  Raises nothing."""
        return self._own.places @ self.turn.T + self.origin

    @property
    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        """S (n + 1, n + 1, 3, 3) and H (n + 1, n + 1, 3) in axes of the part, as far as they count."""
        A = self.turn
        S, H = np.einsum("ia,kjab,lb->kjil", A, self._own.S, A, optimize=True), self._own.H @ A.T
        if self.invariants == "constant":
            S[1:, 1:] = H[1:, 1:] = 0.0
        return S, H

    def nearest(self, at: np.ndarray) -> int:
        """Id of the node nearest to a point in axes of the part; of two that are as near the interface."""
        return nearest_node(self.nodes, self.points, at, self._own.interfaces)

    def shape(self, node: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Position (3,), shapes (6, n) and bends (3, n, n) or None of a node, in axes of the part."""
        A, body = self.turn, self._own
        k = body.place[int(node)]
        shapes = (A @ body.shapes[k].reshape(2, 3, -1)).reshape(6, -1)
        bent = np.flatnonzero(body.bent == node)
        bends = np.einsum("ij,jkl->ikl", A, body.bends[bent[0]]) if len(bent) else None
        return A @ body.places[k] + self.origin, shapes, bends

    def displacements(self, q: np.ndarray) -> np.ndarray:
        """(a, 3) of all nodes in axes of the part, for coordinates (n,)."""
        return (self._own.shapes[:, :3] @ np.asarray(q, float)) @ self.turn.T

    def largest(self) -> np.ndarray:
        """(n,) largest displacement of a node by each mode, or what its rotation makes over the size of the body
        (twist), for q = 1; one where there is none."""
        shapes = self._own.shapes
        size = np.linalg.norm(shapes[:, :3], axis=1).max(axis=0, initial=0.0)
        turned = np.linalg.norm(shapes[:, 3:], axis=1).max(axis=0, initial=0.0) * np.linalg.norm(
            np.ptp(self._own.places, axis=0)
        )
        size = np.maximum(size, turned)
        return np.where(size > 0.0, size, 1.0)

    def select(self, modes: Any) -> Flexibility:
        """Keep only these modes, numbered from 1; the others are deactivated: they are zero and not part of a run. To
        activate them again, keep the old ``body`` and ``damping`` and assign them. Warns where the others contribute
        more than `LACKING` of the compliance of an interface, whose statics is then no longer exact. Raises
        `ModelError` for a mode that does not exist.

            arm.select([1, 2, 5])
        """
        if isinstance(modes, str) or np.ndim(modes) != 1 or not all(is_whole(k) for k in modes):
            raise self.error(f"modes is {shown(modes)}; give numbers of modes, from 1 to {self.modes}")
        chosen = [int(k) for k in modes]
        whole = self._own
        try:
            self.body = whole.selected(chosen)
        except ModelError as error:
            raise self.error(str(error)) from None
        share, node, along = whole.lost(chosen)
        if share > LACKING:
            warn_model(
                f"{self.label}: the modes that are off hold {share:.2g} of the deflection {along} under a load of node "
                f"{node}, an interface; frequencies and "
                "deflections of what is attached there change: keep more modes, or reduce with fewer (make_flexible's "
                "modes, highest)"
            )
        for name in ("damping", "q", "speed"):
            values = getattr(self, name)
            setattr(self, name, tuple(values[k - 1] for k in chosen) if values else ())
        return self

    def to_dict(self, bodies: dict[str, ReducedBody] | None = None) -> dict[str, Any]:
        """Plain data; ``bodies``, where given, takes the body by its digest.  Raises `ModelError` for a large body that
        is kept in no file."""
        out = super().to_dict()
        if self.body is not None and bodies is not None:
            bodies[self.body.digest] = self.body
            out["body"] = {"file": self.body.file, "digest": self.body.digest}
        elif self.body is not None:
            try:
                out["body"] = self.body.to_plain()
            except ModelError as error:
                raise self.error(str(error)) from None
        return out

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Element:
        if isinstance(data, dict) and data.get("body") is not None:
            try:
                data = {**data, "body": ReducedBody.of_plain(data["body"])}
            except ModelError as error:
                raise ModelError(f"{cls.KIND}/{data.get('id')}: {error}") from None
        return super().from_dict(data)

    def faults(self, model: Any) -> Iterator[str]:
        part = model.table("PART").get(self.part)
        if part is None or part.ground:
            yield "modes belong to a part that moves; give part = its id"
            return
        if self.active and not part.active:
            yield f"its part {part.label} is not active; deactivate both or neither"
        other = next(
            (
                e
                for e in model.table("FLEXIBILITY").values()
                if e is not self and e.part == self.part and e.id < self.id
            ),
            None,
        )
        if other is not None:
            yield f"its part {part.label} has {other.label} already; a part takes one of them"
        if self.body is None:
            yield "it has no body; give modes, nodes and tables (holonom.flexible.reduce, or a file)"
            return
        wrong = self.body.faults()
        if wrong:
            yield from wrong
            return
        n = self.modes
        if len(self.damping) != n:
            yield f"damping has {len(self.damping)} numbers; {n} modes require {n}"
        if self.invariants not in INVARIANTS:
            yield f"invariants is {shown(self.invariants)}; choose one of {', '.join(INVARIANTS)}"
        missing = next((k for k in self.region if k not in self.body.place), None)
        if missing is not None:
            yield f"region references node {missing}, which it does not have; give some of its {len(self.nodes)} nodes"
        for name in ("q", "speed"):
            if len(getattr(self, name)) not in (0, n):
                yield f"{name} has {len(getattr(self, name))} numbers; {n} modes require {n}, or none"
        if self.formulation not in FORMULATIONS:
            yield f"its formulation is {shown(self.formulation)}; choose one of {', '.join(FORMULATIONS)}"
        if not isinstance(self.quasi_static, bool):
            yield f"quasi_static is {shown(self.quasi_static)}; give true or false"
        elif self.quasi_static and self.formulation != "KED":
            yield "quasi_static belongs to the formulation KED; give that, or leave quasi_static out"
        elif self.quasi_static and (any(self.q) or any(self.speed)):
            yield "deflections that follow their loads (quasi_static) have no start of their own; leave q and speed out"
        if (
            len(self.axes) != 9
            or not np.allclose(self.turn @ self.turn.T, np.eye(3), atol=1e-9)
            or np.linalg.det(self.turn) < 0.0
        ):
            yield "its axes are not a rotation; give the nine numbers of one, row by row"
        for k, ratio in enumerate(self.damping):
            if not 0.0 <= ratio < np.inf:
                yield f"the damping ratio of mode {k + 1} is {ratio:g}; give zero or a positive number (1: critical)"


@dataclass
class Attachment(Element):
    """Node of a flexible part on which markers lie (body_kind "ATTACHMENT"): its axes are those of the part, turned
    with the node; origin the node."""

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
        elif flexibility.body is None or self.node not in flexibility.body.place:
            yield (
                f"{flexibility.label} has no node {self.node}; give one of its "
                f"{len(flexibility.nodes) if flexibility.body else 0} nodes"
            )
