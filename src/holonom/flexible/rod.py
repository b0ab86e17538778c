"""Rods that bend as far as they like: nodes that are parts, with geometrically exact beams between them (`elements.forces.exact_beam`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.base import ModelError, shown
from .beams import Section

STRAIGHT = 1e-9  # share of its length below which a direction has nothing across


@dataclass(frozen=True)
class Rod:
    """A rod in a model: ``parts`` (n + 1) its nodes, ``beams`` (n) between them, ``places`` (n + 1, 3) of the nodes as drawn.

    Joints, forces, markers and contacts go on the parts as on all others; a marker beyond a node turns with it.
    """

    parts: tuple[Any, ...]
    beams: tuple[Any, ...]
    places: np.ndarray

    @property
    def first(self) -> Any:
        """The part of the first node."""
        return self.parts[0]

    @property
    def last(self) -> Any:
        """The part of the last node."""
        return self.parts[-1]

    def nearest(self, point: Sequence[float]) -> Any:
        """The part of the node nearest to a point in ground, as drawn."""
        return self.parts[int(((self.places - np.asarray(point, float)) ** 2).sum(1).argmin())]


def rod(
    model: Any, points: Any, section: Section, *, E: float, density: float, nu: float = 0.3, G: float | None = None, elements: int | None = None,
    damping: float = 0.0, y: Any = None, straight: bool = False, name: str = "rod",
) -> Rod:  # fmt: skip
    """Put a rod into a model, for deformations of any size: cables, hoses, leaf springs, blades.

    ``points`` (k, 3): its axis in ground as drawn, from end to end, length; ``elements``: how many beams of one length along it, by default one between each two
    points; ``section``: area, second moments about y and z, torsion constant, shear coefficients (`Section`); ``E``, ``nu`` or ``G``: moduli, force/length^2;
    ``density``: mass/length^3, masses are lumped at the nodes; ``damping``: Kelvin and Voigt's, time; ``y``: direction in ground near the y axis of the
    section at the
    first node, carried along the axis without twist; ``straight``: unloaded it is straight (and not as drawn).

    Raises `ModelError` for fewer than two points, for neighbours at one place, and as ``model.exact_beam``.

        steel = hn.flexible.Section.rectangle(0.06, 0.008)
        spring = hn.flexible.rod(model, [(0, 0, 0), (1, 0, 0)], steel, E=2.1e11, density=7850.0, elements=16)
        model.fixed(spring.first, model.ground, at=(0, 0, 0))
    """
    try:
        at = np.array(points, float)
    except (TypeError, ValueError):
        at = np.zeros(0)
    if at.ndim != 2 or at.shape[1] != 3 or len(at) < 2 or not np.all(np.isfinite(at)):
        raise ModelError(f"points of a rod are {shown(points)}; give two or more places with three coordinates")
    lengths = np.linalg.norm(np.diff(at, axis=0), axis=1)
    if not lengths.min() > STRAIGHT * lengths.sum():
        raise ModelError(f"points {int(lengths.argmin()) + 1} and {int(lengths.argmin()) + 2} of a rod lie at one place; leave one out")
    if elements is not None:
        if isinstance(elements, bool) or not isinstance(elements, (int, np.integer)) or elements < 1:
            raise ModelError(f"elements of a rod are {shown(elements)}; give a whole number from 1 on")
        s = np.concatenate([[0.0], np.cumsum(lengths)])
        even = np.linspace(0.0, s[-1], elements + 1)
        at = np.stack([np.interp(even, s, at[:, k]) for k in range(3)], axis=1)
        lengths = np.linalg.norm(np.diff(at, axis=0), axis=1)
    for what, value in (("E", E), ("density", density)):
        if not (isinstance(value, (int, float, np.number)) and value > 0.0):
            raise ModelError(f"{what} of a rod is {shown(value)}; give a positive number")
    G = E / (2.0 * (1.0 + nu)) if G is None else G
    axes = _along(np.diff(at, axis=0) / lengths[:, None], y)
    parts = []
    for k, place in enumerate(at):
        # halves of the beams beside the node, their axes those of the first of them
        beside = [b for b in (k - 1, k) if 0 <= b < len(lengths)]
        half = 0.5 * lengths[beside].sum()
        own = axes[beside[-1]]
        inertia = density * half * np.array([section.Iy + section.Iz, section.Iy, section.Iz])
        parts.append(
            model.part(
                f"{name}.{k + 1}", density * section.A * half, tuple(float(v) for v in inertia), position=tuple(map(float, place)), axes=own
            )
        )
    beams = []
    for k, length in enumerate(lengths):
        ends = [model.marker_at(parts[n], tuple(map(float, at[n])), x=tuple(axes[k][:, 0]), z=tuple(axes[k][:, 2])) for n in (k, k + 1)]
        beams.append(
            model.exact_beam(
                ends[1], ends[0], EA=E * section.A, GJ=G * section.J, EIy=E * section.Iy, EIz=E * section.Iz, GAy=section.ky * G * section.A,
                GAz=section.kz * G * section.A, length=float(length), damping=damping, straight=straight, name=f"{name}.{k + 1}",
            )
        )  # fmt: skip
    return Rod(tuple(parts), tuple(beams), at)


def _along(tangents: np.ndarray, y: Any) -> list[np.ndarray]:
    """Axes (3, 3) of each beam, x along it; y of the first near a direction, then carried on by the least turn."""
    t = tangents[0]
    near = np.eye(3)[int(np.abs(t).argmin())] if y is None else np.asarray(y, float)
    side = near - (near @ t) * t
    if not np.linalg.norm(side) > STRAIGHT * np.linalg.norm(near):
        raise ModelError("y of a rod points along it; give a direction across")
    out = []
    for t in tangents:
        if out:
            a = out[-1][:, 0]
            side = out[-1][:, 1]
            c = float(a @ t)
            if c < -1.0 + 1e-9:
                raise ModelError("a rod turns back on itself between two beams; give points between")
            w = np.cross(a, t)
            side = side + np.cross(w, side) + np.cross(w, np.cross(w, side)) / (1.0 + c)
        side = side - (side @ t) * t
        side = side / np.linalg.norm(side)
        out.append(np.column_stack([t, side, np.cross(t, side)]))
    return out
