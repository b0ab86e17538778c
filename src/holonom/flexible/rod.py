"""Rods with large deflections: nodes that are parts, with geometrically exact beams between them
(`elements.forces.exact_beam`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..model.base import ModelError, shown
from ..model.parameters import with_parameters
from ..model.rod import RodElement
from .along import PartsAlong, places_along
from .section import Section

STRAIGHT = 1e-9  # share of its length below which a direction has nothing across


@dataclass(frozen=True)
class Rod(PartsAlong):
    """A rod in a model: ``parts`` its nodes, ``beams`` between them, ``places`` (nodes, 3) as drawn; n beams have n + 1
    nodes, n where it is ``closed``.

    Joints, forces, markers and contacts go on the parts as on all others; a marker beyond a node turns with it.
    `touch` gives it a surface.
    """

    beams: tuple[Any, ...] = ()
    #: its ROD, by which a run knows it (`Run.rod`)
    element: Any = None

    def tension(self, run: Any) -> np.ndarray:
        """Normal force of each beam at the times of a run (times, beams), tension positive, force: its force along the
        line between its nodes.

        Raises `ModelError` for a run of another model.
        """
        at = np.stack([run.part(p).position.values for p in self.parts], axis=1)
        ends = np.concatenate([at, at[:, :1]], axis=1) if self.closed else at
        along = np.diff(ends, axis=1)
        along /= np.linalg.norm(along, axis=2)[..., None]
        force = np.stack([run.force(b).force.values for b in self.beams], axis=1)
        return -(force * along).sum(2)


@with_parameters("section", "E", "nu", "G", "density", "damping", "tension", "bending")
def rod(
    model: Any,
    points: Any,
    section: Section,
    *,
    E: float,
    density: float,
    nu: float = 0.3,
    G: float | None = None,
    elements: int | None = None,
    damping: float = 0.0,
    y: Any = None,
    straight: bool = False,
    closed: bool = False,
    tension: float = 0.0,
    bending: float = 1.0,
    name: str = "rod",
) -> Rod:
    """Add a rod of exact beams to a model, for large deformations: cables, hoses, leaf springs, blades, ropes, belts.

    ``points`` (k, 3): its axis in ground as drawn, from end to end, length; ``elements``: number of beams of equal
    length along it, by default one between neighbouring points; ``section``: area, second moments about y and z,
    torsion constant, shear coefficients (`Section`); ``E``, ``nu`` or ``G``: moduli, force/length^2;
    ``density``: mass/length^3, masses are lumped at the nodes; ``damping``: Kelvin-Voigt, time; ``y``: direction in
    ground close to the y axis of the section at the first node, carried along the axis without twist; ``straight``: the
    unloaded rod is straight (default: as drawn); ``closed``: a beam connects the last point to the first (a belt, a
    ring), and the twist of the section axes after one round is distributed over all beams; ``tension``: pretension in
    the design position; ``bending``: bending and torsional stiffness of a rope relative to a solid rod, less than 1
    since its strands slide on each other.

    Raises `ModelError` for fewer than two points (three of a closed one), for neighbours at the same point, and as
    ``model.exact_beam``.

        steel = hn.flexible.Section.rectangle(0.06, 0.008)
        spring = hn.flexible.rod(model, [(0, 0, 0), (1, 0, 0)], steel, E=2.1e11, density=7850.0, elements=16)
        model.fixed(spring.first, model.ground, at=(0, 0, 0))
    """
    at, lengths = places_along(points, closed, "a rod")
    if elements is not None:
        if isinstance(elements, bool) or not isinstance(elements, (int, np.integer)) or elements < (3 if closed else 1):
            raise ModelError(
                f"elements of a {'closed rod' if closed else 'rod'} are {shown(elements)}; give a whole number from "
                f"{3 if closed else 1} on"
            )
        s = np.concatenate([[0.0], np.cumsum(lengths)])
        even = np.linspace(0.0, s[-1], elements + 1)
        at = np.stack([np.interp(even, s, at[:, k]) for k in range(3)], axis=1)
        lengths = np.linalg.norm(np.diff(at, axis=0), axis=1)
    for what, value in (("E", E), ("density", density), ("bending", bending)):
        if not (isinstance(value, (int, float, np.number)) and value > 0.0):
            raise ModelError(f"{what} of a rod is {shown(value)}; give a positive number")
    G = E / (2.0 * (1.0 + nu)) if G is None else G
    EA = E * section.A
    if (
        isinstance(tension, bool)
        or not isinstance(tension, (int, float, np.number))
        or not -0.5 * EA < tension < 0.5 * EA
    ):
        raise ModelError(
            f"tension of a rod is {shown(tension)}; give a force, small compared with its stretching stiffness EA = "
            f"{EA:g}"
        )
    axes = carried(np.diff(at, axis=0) / lengths[:, None], y)
    if closed:
        axes = without_jump(axes)
    parts = []
    n = len(lengths)
    about = lambda node: (
        ((node - 1) % n, node % n) if closed else (max(node - 1, 0), min(node, n - 1))
    )  # the beams next to a node
    for k in range(n if closed else n + 1):
        # halves of the beams next to the node, its axes those of the second of them
        beside = list(dict.fromkeys(about(k)))
        half = 0.5 * lengths[beside].sum()
        inertia = density * half * np.array([section.Iy + section.Iz, section.Iy, section.Iz])
        parts.append(
            model.part(
                f"{name}.{k + 1}",
                density * section.A * half,
                tuple(float(v) for v in inertia),
                position=tuple(map(float, at[k])),
                axes=axes[beside[-1]],
            )
        )
    beams = []
    for k, length in enumerate(lengths):
        # a node turns both its beams: unloaded as drawn each has its own axes there, unloaded straight both have those
        # of the node between them
        pair = (k, (k + 1) % len(parts))
        frames = [_between(*(axes[b] for b in about(node))) if straight else axes[k] for node in pair]
        ends = [
            model.marker_at(parts[b], tuple(map(float, at[b])), x=tuple(f[:, 0]), z=tuple(f[:, 2]))
            for b, f in zip(pair, frames)
        ]
        beams.append(
            model.exact_beam(
                ends[1],
                ends[0],
                EA=EA,
                GJ=bending * G * section.J,
                EIy=bending * E * section.Iy,
                EIz=bending * E * section.Iz,
                GAy=section.ky * G * section.A,
                GAz=section.kz * G * section.A,
                length=float(length / (1.0 + tension / EA)),
                damping=damping,
                straight=straight,
                name=f"{name}.{k + 1}",
            )
        )
    usual = float(np.median(lengths))
    element = model.add(
        RodElement(
            name=name,
            parts=tuple(p.id for p in parts),
            beams=tuple(b.id for b in beams),
            closed=bool(closed),
            A=float(section.A),
            Iy=float(section.Iy),
            Iz=float(section.Iz),
            fibres=tuple(float(v) for pair in section.fibres for v in pair),
            law=tuple(map(float, section.law.ravel())),
        )
    )
    return Rod(
        model,
        tuple(parts),
        at[:-1] if closed else at,
        bool(closed),
        outer_radius(section),
        EA / usual,
        density * section.A * usual,
        name,
        {},
        tuple(beams),
        element,
    )


def outer_radius(section: Section) -> float:
    """Outer radius of a section that is round (a tube has more second moment than a disc of its area), 0 of others."""
    if abs(section.Iy - section.Iz) > 1e-6 * section.Iy:
        return 0.0
    disc = section.A / np.pi
    return float(np.sqrt(max(disc, 0.5 * (disc + 4.0 * section.Iy / section.A))))


def without_jump(axes: list[np.ndarray]) -> list[np.ndarray]:
    """Axes of the beams of a closed rod, turned about each beam so that those of the last one continue in the first."""
    again = _carried(axes[-1], axes[0][:, 0])
    n = len(axes)
    angle = float(np.arctan2(again[:, 1] @ axes[0][:, 2], again[:, 1] @ axes[0][:, 1]))
    out = []
    for k, a in enumerate(axes):
        c, s = np.cos(-angle * k / n), np.sin(-angle * k / n)
        out.append(np.column_stack([a[:, 0], c * a[:, 1] + s * a[:, 2], c * a[:, 2] - s * a[:, 1]]))
    return out


def _between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Axes half the turn from a to b."""
    turn = Rotation.from_matrix(b @ a.T).as_rotvec()
    return Rotation.from_rotvec(0.5 * turn).as_matrix() @ a


def carried(tangents: np.ndarray, y: Any, what: str = "a rod") -> list[np.ndarray]:
    """Axes (3, 3) of each beam, x along it; y of the first near a direction, then carried on by the smallest turn."""
    t = tangents[0]
    near = np.eye(3)[int(np.abs(t).argmin())] if y is None else np.asarray(y, float)
    side = near - (near @ t) * t
    if not np.linalg.norm(side) > STRAIGHT * np.linalg.norm(near):
        raise ModelError(f"y of {what} points along it; give a direction across")
    side = side / np.linalg.norm(side)
    out = [np.column_stack([t, side, np.cross(t, side)])]
    for t in tangents[1:]:
        out.append(_carried(out[-1], t, what))
    return out


def _carried(axes: np.ndarray, t: np.ndarray, what: str = "a rod") -> np.ndarray:
    """Axes turned by the smallest turn that brings x to t.  Raises `ModelError` for a half turn."""
    a, side = axes[:, 0], axes[:, 1]
    c = float(a @ t)
    if c < -1.0 + 1e-9:
        raise ModelError(f"{what} turns back on itself between two beams; give points between")
    w = np.cross(a, t)
    side = side + np.cross(w, side) + np.cross(w, np.cross(w, side)) / (1.0 + c)
    side = side - (side @ t) * t
    side = side / np.linalg.norm(side)
    return np.column_stack([t, side, np.cross(t, side)])
