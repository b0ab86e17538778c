"""The contact referee for the faces of flexible bodies: it is shown the frames and modal coordinates of accepted steps.

`contact.referee.faces` decides; here are the geometry of the two sides (from the drawing and the reduced body, not
from the tables of the contact), the states, and what was recorded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...contact.referee.faces import FRAME, FaceReferee, FlexibleSide, Pose, RigidSide, Side, place_frame
from ...contact.referee.judge import STRICT_POINTS, Finding, Rules, known
from ...contact.referee.points import MOST
from ...elements.bodies import layout
from ...model.shape import shape_of

STRICT = 16  # states of the dense output of each step in strict mode


class FaceRefereeing:
    """Shows the steps of SURFACE_CONTACT number ``k`` of the forces of a system to the referee.  ``rules``: what is
    allowed to sides of a size; ``most``: pieces of a step."""

    def __init__(self, system: Any, k: int, rules: Callable[[float], Rules], strict: bool, most: int) -> None:
        self.system, self.k, self.strict, self.most = system, k, strict, most
        self.element = e = system.ports.elements[k]
        model = system.model
        table = model.table("FLEXIBILITY")
        points = MOST * (STRICT_POINTS if strict else 1)
        self.first = self._flexible(table[e.flexibility], e.nodes, e.i, points)
        self.modes = self.first.shapes.shape[2]
        sides: list[Side] = []
        if e.onto is not None:
            sides.append(self._flexible(table[e.onto], e.onto_nodes, e.j, points))
        else:
            at = model.markers[e.j].frame
            for g in e.shapes:
                solid = shape_of(model, model.table("GRAPHICS")[g])
                place, axes = at.axes.T @ (solid.frame.origin - at.origin), at.axes.T @ solid.frame.axes
                sides.append(RigidSide(*known(solid, points), place, axes))
        self.sides = sides
        self.referee = FaceReferee(self.first, sides, rules(self.first.size), e.id)
        self._acted = False
        at = [system.frame_list[f] for f in system.ports.frames[k][:2]]
        self._frames = [(int(b), np.array(p, float), np.array(A, float)) for b, p, A in at]
        self._y = np.zeros_like(system.y0)

    def _flexible(self, bent: Any, nodes: Any, marker: int, points: int) -> FlexibleSide:
        frame, body = self.system.model.markers[marker].frame, bent.body
        shapes = np.einsum("ij,ajn->ain", frame.axes.T @ bent.turn, body.shapes[:, :3])
        region = np.isin(body.nodes, nodes)[body.faces].all(axis=1)
        used, faces = np.unique(body.faces, return_inverse=True)
        places = (bent.points - frame.origin) @ frame.axes
        return FlexibleSide(places[used], shapes[used], faces.reshape(-1, 3), region, points)

    def _poses(self, y: np.ndarray) -> tuple[Pose, Pose]:
        system, own = self.system, self.system.ports.bent[self.k]
        q, rate = layout.coordinates(y, system.bodies)[own], layout.coordinate_rates(y, system.bodies)[own]
        frames = [np.zeros(FRAME), np.zeros(FRAME)]
        for (body, place, axes), frame in zip(self._frames, frames):
            place_frame(y, body, system.nb, place, axes, frame)
        n = self.modes
        return Pose(frames[0], q[:n], rate[:n]), Pose(frames[1], q[n:], rate[n:])

    def step(self, stepper: Any, start: float, end: float) -> Finding | None:
        """A step has been accepted from ``start`` to ``end``: the first finding, or None."""
        referee, y = self.referee, self._y
        acts = self.system.ports._tables[self.k].acts
        recorded, self._acted = acts or self._acted, acts
        if not self.element.active:
            referee.last = math.nan
            return None
        if referee.last != start:
            stepper.interpolate(start, y)
            referee.begin(start, self._poses(y))
        referee.counts.steps += 1
        if end != stepper.t:
            stepper.interpolate(end, y)
        poses = self._poses(stepper.y if end == stepper.t else y)
        gone, square = referee.motion(end - start, poses)
        if referee.skip(end, gone, poses):
            return None
        pieces = max(1, math.ceil(math.sqrt(square)))
        if pieces > self.most:
            referee.counts.coarse += 1
            pieces = self.most
        if self.strict:
            pieces = max(pieces, STRICT)
        referee.counts.sampled += pieces > 1
        for m in range(1, pieces):
            t = start + (end - start) * m / pieces
            stepper.interpolate(t, y)
            finding = referee.follow(t, self._poses(y), recorded, pieces)
            if finding is not None:
                return finding
        return referee.follow(end, poses, recorded, pieces)

    def name(self, side: int) -> str:
        """The body of a side of a finding, of rigid ones with the shape."""
        e, model = self.element, self.system.model
        if side % 2 and e.onto is None:
            graphic = model.table("GRAPHICS")[e.shapes[side // 2]]
            return f"'{shape_of(model, graphic).body.name}' ({graphic.label})"
        bent = model.table("FLEXIBILITY")[e.onto if side % 2 else e.flexibility]
        return f"'{model.table('PART')[bent.part].name}'"

    @property
    def reference_points(self) -> int:
        """How many both sides have."""
        return sum(len(s.depth) for s in (self.first, *self.sides))
