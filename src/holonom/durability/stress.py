"""Histories of stress at nodes: arrays, and sums of modes of flexible bodies.

Stresses are xx, yy, zz, xy, yz, zx, in axes of the body.  Of a flexible body they are linear in its modal
coordinates, sigma(t) = sum_j q_j(t) sigma_j, so that what is kept is (a, 6, n) and (time, n), and a block of nodes at a
time is summed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model.base import Element, ModelError, close_word, shown
from ..model.triangles import area_vectors, at_corners
from ._words import finite_array

if TYPE_CHECKING:
    from ..model.reduced_body import ReducedBody
    from ..results.run import Run


def surface_of(points: Any, faces: Any, count: int) -> tuple[np.ndarray | None, np.ndarray]:
    """Points (a, 3) and triangles (.., 3) of so many nodes.  Raises `ModelError` for what does not fit them."""
    f = np.zeros((0, 3), np.int64) if faces is None or not np.size(faces) else np.asarray(faces)
    if (
        f.ndim != 2
        or f.shape[1] != 3
        or f.dtype.kind not in "iu"
        or (len(f) and not (0 <= f.min() and f.max() < count))
    ):
        raise ModelError(f"faces have the shape {f.shape}; give triangles (.., 3) of positions from 0 to {count - 1}")
    if points is None:
        return None, f.astype(np.int64)
    p = finite_array(points, "points")
    if p.shape != (count, 3):
        raise ModelError(f"points have the shape {p.shape}; give ({count}, 3), one for each node with stresses")
    return p, f.astype(np.int64)


@dataclass(frozen=True, eq=False)
class ModalStress(Summary):
    """Stresses of modes and their coordinates: ``modes`` (a, 6, n) for q = 1, ``q`` (time, n); ``constant`` (a, 6) or
    None, what is there without modes.

    ``nodes`` (a,) their ids, ``points`` (a, 3) and ``faces`` (.., 3) by position, for planes on the surface and for
    pictures; ``time`` (time,) or None. Raises `ModelError` for shapes that do not fit and numbers that are not finite.
    """

    modes: np.ndarray
    q: np.ndarray
    constant: np.ndarray | None = None
    nodes: Sequence[int] = ()
    points: np.ndarray | None = None
    faces: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    time: np.ndarray | None = None

    def __post_init__(self) -> None:
        modes, q = np.ascontiguousarray(self.modes, float), np.ascontiguousarray(self.q, float)
        if modes.ndim != 3 or modes.shape[1] != 6 or not len(modes):
            raise ModelError(
                f"stresses of modes have the shape {modes.shape}; give (nodes, 6, modes): xx, yy, zz, xy, yz, zx"
            )
        if q.ndim != 2 or q.shape[1] != modes.shape[2]:
            raise ModelError(
                f"coordinates of modes have the shape {q.shape}; give (time, {modes.shape[2]}), one column for "
                "each mode"
            )
        constant = None if self.constant is None else np.ascontiguousarray(self.constant, float)
        if constant is not None and constant.shape != modes.shape[:2]:
            raise ModelError(f"the constant stress has the shape {constant.shape}; give {modes.shape[:2]}")
        for name, value in (
            ("stresses of modes", modes),
            ("coordinates of modes", q),
            ("the constant stress", constant),
        ):
            if value is not None and not np.all(np.isfinite(value)):
                raise ModelError(
                    f"{name} have numbers that are not finite; the run did not end well, or a mode has no stress"
                )
        nodes = np.arange(1, len(modes) + 1) if not len(self.nodes) else np.asarray(self.nodes, np.int64)
        if len(nodes) != len(modes):
            raise ModelError(f"{len(nodes)} ids of nodes do not fit {len(modes)} nodes with stresses")
        points, faces = surface_of(self.points, self.faces, len(modes))
        for name, value in (
            ("modes", modes),
            ("q", q),
            ("constant", constant),
            ("nodes", nodes),
            ("points", points),
            ("faces", faces),
        ):
            object.__setattr__(self, name, value)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(time, a, 6)."""
        return len(self.q), len(self.modes), 6

    def block(self, begin: int, end: int) -> np.ndarray:
        """Stresses (b, 6, time) of some nodes."""
        modes = self.modes[begin:end]
        out = (modes.reshape(-1, modes.shape[2]) @ self.q.T).reshape(len(modes), 6, len(self.q))
        if self.constant is not None:
            out += self.constant[begin:end, :, None]
        return out

    def at(self, node: int) -> np.ndarray:
        """(time, 6) at a node, by its id.  Raises `ModelError` for one that is not there."""
        k = np.flatnonzero(self.nodes == node)
        if not len(k):
            raise ModelError(f"there is no node {node} among {len(self.nodes)} nodes with stresses")
        return self.block(int(k[0]), int(k[0]) + 1)[0].T


def modal_stress(run: Run, part: Any, modes: np.ndarray | None = None) -> ModalStress:
    """Stresses of a flexible body in a run: its modal coordinates, and the stresses of the modes of its `ReducedBody`
    (or ``modes`` (a, 6, n)).

    ``part``: the part, the element FLEXIBILITY, a name or an id.  Unit of stress: force / length^2 of the model.
    Raises `ModelError` for a rigid part, and where the body has no stresses and none are given.
    """
    part = run.model.meant(part) if isinstance(part, Element) else part
    table = run.model.table("FLEXIBILITY")
    known = {f"FLEXIBILITY_{e.id}": e for e in table.values()}
    found = [
        e
        for e in table.values()
        if part is e
        or part == e.id
        or str(part).upper() in (f"FLEXIBILITY_{e.id}", f"FLEXIBILITY/{e.id}", e.name.upper())
    ]
    if not found:
        try:
            p = run.model.find("PART", part)
        except ModelError:
            p = None
        found = [] if p is None else [e for e in table.values() if run.model.find("PART", e.part) is p]
    if not found:
        names = [*known, *(run.model.find("PART", e.part).name for e in table.values())]
        meant = close_word(str(part), names)
        raise ModelError(
            f"{shown(part)} is not a flexible body"
            + (f"; did you mean '{meant}'?" if meant else f"; there are {', '.join(names) or 'none'}")
        )
    e = found[0]
    body = e.body
    if modes is None and not len(body.stress):
        raise ModelError(
            f"{e.label}: its modes have no stresses; give them (durability.beam_stress for beams), or make the body of "
            "a mesh that knows its stresses"
        )
    q = run.state(f"FLEXIBILITY_{e.id}").values[:, ::2]
    if modes is None:
        return ModalStress(body.stress, q, None, body.nodes, body.places, body.faces, np.asarray(run.time))
    same = len(modes) == len(body.nodes)
    return ModalStress(
        modes,
        q,
        None,
        body.nodes if same else (),
        body.places if same else None,
        body.faces if same else (),
        np.asarray(run.time),
    )


def beam_stress(
    body: ReducedBody, E: float, fibres: Sequence[tuple[float, float]], *, y: Sequence[float] | None = None
) -> np.ndarray:
    """Stresses (lines x fibres, 6, modes) of a body of beams (`flexible.beam`) in the middle of its elements: E
    (stretch - y' bend about z + z' bend about y).

    ``E``: modulus, force / length^2; ``fibres``: positions (y', z') in the section, length, from its centroid; ``y``:
    the direction near the section's y axis that the beam was made with.  Fibre f of line l is row l * len(fibres) + f.
    Bending of an element is the difference of the rotations of its two ends over its length, exact in the middle of a
    Bernoulli element without loads along it; axes are those of the body.  Raises `ModelError` for a body without lines.
    """
    from ..flexible.beams import _axes

    if not len(body.lines):
        raise ModelError("this body has no lines; beam_stress is for bodies of beams")
    points = np.asarray(fibres, float)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ModelError(f"fibres are {shown(fibres)}; give positions (y, z) in the section")
    out = np.zeros((len(body.lines), len(points), 6, body.modes))
    for k, (a, b) in enumerate(body.lines):
        axes, length = _axes(body.places[b] - body.places[a], y)
        d = (body.shapes[b] - body.shapes[a]) / length
        stretch, turn = axes[:, 0] @ d[:3], axes.T @ d[3:]
        x = axes[:, 0]
        outer = np.array([x[0] * x[0], x[1] * x[1], x[2] * x[2], x[0] * x[1], x[1] * x[2], x[2] * x[0]])
        for f, (py, pz) in enumerate(points):
            out[k, f] = outer[:, None] * (E * (stretch - py * turn[2] + pz * turn[1]))
    return out.reshape(-1, 6, body.modes)


def normals(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(a, 3) of a surface at its nodes, mean of its triangles by area; zero at nodes without one."""
    f = np.asarray(faces, np.int64).reshape(-1, 3)
    out = at_corners(f, area_vectors(points, f), len(points))
    size = np.linalg.norm(out, axis=1, keepdims=True)
    return np.divide(out, size, out=np.zeros_like(out), where=size > 0.0)
