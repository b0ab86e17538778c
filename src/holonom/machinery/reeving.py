"""Ropes without mass over sheaves: one constraint on the length of the whole rope, winches that pay it out,
compensation.

A rope in the plane of its sheaves runs from its first position over sheaves to its last.  Between two circles of radii
R_i, R_j that it passes on the sides s_i, s_j
(+1 anticlockwise, -1 clockwise), D apart, it is straight and touches both:

    span     sqrt(D^2 - (s_i R_i - s_j R_j)^2)
    along    direction of the line of centres + asin((s_i R_i - s_j R_j) / D)
    arc      s_i R_i (direction of the rope that leaves - direction of the rope that arrives)

and the constraint is  sum of spans + sum of arcs - (length as drawn) - (what the winches pay out) = 0, exact for
sheaves that move, as hook blocks do.  Its multiplier is the force in the rope, the same everywhere: friction of sheaves
and mass of the rope are left out; a rope that should go slack must be reported by its force.

`laid_rope` lays a rope with mass along the same path, exact beams or absolute coordinates, that touches its sheaves
with friction and may go slack.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..flexible import Section, cable, rod
from ..model import Model
from ..model.base import ModelError, shown


@dataclass(frozen=True)
class Sheave(Summary):
    """``part`` on which it is mounted, ``at``: its centre at the design position; ``radius`` (0: the rope ends at or
    passes through a point);
    ``side``: +1 where the rope passes it anticlockwise seen along the normal of the plane, -1 clockwise."""

    part: Any
    at: tuple[float, float, float]
    radius: float = 0.0
    side: int = 1


#: elements on a half circle of the smallest sheave, unless their number is given
ON_ARC = {"rod": 16, "cable": 24}


@dataclass(frozen=True)
class Reeving(Summary):
    """``constraint``: the element; ``length``: of the rope as drawn; ``expression``: its length now, for requests;
    ``parts``: falls (straight pieces)."""

    constraint: Any
    length: float
    expression: str
    parts: int


def reeving(
    model: Model,
    path: Sequence[Sheave],
    *,
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0),
    drums: Sequence[tuple[Any, float]] = (),
    pay_out: str = "",
    name: str = "rope",
) -> Reeving:
    """A rope of constant length over ``path`` (two positions or more), in a plane perpendicular to ``normal``.

    ``drums``: (revolute joint, radius) of winches at its ends: the length of the rope increases by radius times the
    joint angle, and the rope force acts as a torque on the drum;
    ``pay_out``: a further expression of time (length), for winches that are prescribed. With a drum at each end, the
    rope between them is compensated. ``run.constraint(name)`` gives the force on its last position or, where that is
    fixed, on its first, or on the first that moves: at an end the rope force, at a block the resultant of its falls.
    Raises `ModelError` for fewer than two positions, overlapping sheaves, invalid sides, and positions that are not in
    one plane.
    """
    path = tuple(path)
    axes, at = _plane(path, normal, name)
    n = axes[:, 2]
    base = model.marker_at(model.ground, axes @ at[0], x=axes[:, 0], z=n)
    markers = [model.marker_at(s.part, s.at, x=axes[:, 0], z=n) for s in path]
    bends = [s.side * s.radius for s in path]
    spans, turned, drawn, leans, total = [], [], [], [], 0.0
    for k in range(len(path) - 1):
        step = bends[k] - bends[k + 1]
        D, angle = _apart(at, bends, k, name)
        dx, dy = (f"D{w}({markers[k + 1].id},{markers[k].id},{base.id})" for w in "XY")
        square = f"({dx}**2+{dy}**2)"
        spans.append(f"SQRT({square}-{step**2!r})" if step else f"SQRT({square})")
        # the angle from the line as drawn, so that it does not jump where the line turns past the x axis
        c, s_ = math.cos(angle), math.sin(angle)
        more = f"+ASIN({step!r}/SQRT({square}))" if step else ""
        turned.append(f"(ATAN2({c!r}*{dy}-({s_!r})*{dx},{c!r}*{dx}+({s_!r})*{dy}){more})")
        leans.append(math.asin(step / D))
        drawn.append(angle + leans[-1])
        total += math.sqrt(D * D - step * step)
    terms = list(spans)
    for k in range(1, len(path) - 1):
        if bends[k]:
            arc = (path[k].side * (drawn[k] - drawn[k - 1])) % (2.0 * math.pi)
            total += path[k].radius * arc
            # expressions hold their asin already, but neither the directions as drawn nor whole turns
            offset = drawn[k] - leans[k] - (drawn[k - 1] - leans[k - 1])
            fixed = path[k].radius * (arc - path[k].side * (drawn[k] - drawn[k - 1])) + bends[k] * offset
            terms.append(f"{bends[k]!r}*({turned[k]}-{turned[k - 1]})+{float(fixed)!r}")
    expression = "+".join(terms).replace("+-", "-")
    out = "".join(f"-{float(r)!r}*AZ({j.i},{j.j})" for j, r in drums) + (f"-({pay_out})" if pay_out else "")
    moving = [m for m in (markers[-1], markers[0], *markers) if model.body_of(m) is not model.ground]
    constraint = model.constraint(f"{expression}-{float(total)!r}{out}", i=(moving or markers)[0], name=name)
    return Reeving(constraint, float(total), expression, len(path) - 1)


def _plane(path: tuple[Sheave, ...], normal: tuple[float, float, float], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Axes (3, 3), of which the third is across the plane of a rope, and positions (k, 3) in them.  Raises
    `ModelError`."""
    if len(path) < 2:
        raise ModelError(f"the rope '{name}' has {len(path)} positions; give two or more")
    n = np.asarray(normal, float)
    if n.shape != (3,) or not np.linalg.norm(n) > 0.0:
        raise ModelError(f"normal of the rope '{name}' is {shown(normal)}; give a direction")
    n = n / np.linalg.norm(n)
    x = np.cross((0.0, 1.0, 0.0) if abs(n[1]) < 0.9 else (0.0, 0.0, 1.0), n)
    axes = np.column_stack([x / np.linalg.norm(x), np.cross(n, x / np.linalg.norm(x)), n])
    at = np.array([s.at for s in path], float) @ axes
    if np.ptp(at[:, 2]) > 1e-9 * max(np.ptp(at[:, :2]), 1e-300):
        raise ModelError(
            f"places of the rope '{name}' lie {np.ptp(at[:, 2]):g} apart along the normal of its plane; put them into "
            "one plane"
        )
    for k, s in enumerate(path):
        if s.side not in (1, -1) or not (math.isfinite(s.radius) and s.radius >= 0.0):
            raise ModelError(
                f"position {k + 1} of the rope '{name}' has the radius {shown(s.radius)} and the side {shown(s.side)}; "
                "give 0 or more, and 1 or -1"
            )
    return axes, at


def _apart(at: np.ndarray, bends: Sequence[float], k: int, name: str) -> tuple[float, float]:
    """Distance and direction from the k-th position to the next.  Raises `ModelError`."""
    d = at[k + 1, :2] - at[k, :2]
    D = float(np.hypot(*d))
    if D <= abs(bends[k] - bends[k + 1]) or D <= 1e-12:
        raise ModelError(
            f"positions {k + 1} and {k + 2} of the rope '{name}' are {D:g} apart, too near for their radii; move "
            "them apart"
        )
    return D, math.atan2(d[1], d[0])


def laid_rope(
    model: Model,
    path: Sequence[Sheave],
    thick: float,
    *,
    young: float,
    density: float,
    kind: str = "cable",
    friction: float = 0.3,
    tension: float = 0.0,
    bending: float = 0.01,
    damping: float = 0.0,
    elements: int | None = None,
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0),
    width: float | None = None,
    name: str = "rope",
    **contact: Any,
) -> Any:
    """A rope with mass along ``path`` (as of `reeving`): from a point (radius 0) over sheaves, with contact and
    friction, to another point; hinged at both ends.

    ``thick``: its radius, length (the rope's axis runs at radius + thick of a sheave); ``young``, ``density``,
    ``damping``: force/length^2, mass/length^3, time;
    ``bending``: bending stiffness relative to a solid rod; ``kind``: "cable" (absolute nodal coordinates, two contact
    points per element) or "rod" (exact beams); ``tension`` as drawn, force; ``elements``: by default 24 (of a rod 16)
    on half a turn of the smallest sheave; ``width`` of sheaves, by default 10 times ``thick``; ``contact``: words of
    `PartsAlong.touch`. Returns the rope (`flexible.Cable`, `flexible.Rod`); contacts are named "rope on 2" and so on,
    by the position in the path. Raises `ModelError` as `reeving`, for ends that have a radius, another kind, and
    numbers that are not positive.

        laid_rope(m, [Sheave(load, (-0.1, -0.5, 0)), Sheave(wheel, (0, 0, 0), 0.1, -1), Sheave(hook, (0.1, -0.5, 0))],
            0.002, young=2e9, density=1200.0)
    """
    path = tuple(path)
    axes, at = _plane(path, normal, name)
    if kind not in ON_ARC:
        raise ModelError(f"the kind of the rope '{name}' is {shown(kind)}; give {' or '.join(ON_ARC)}")
    for what, value in (
        ("radius (thick)", thick),
        ("modulus", young),
        ("density", density),
        ("share of bending stiffness", bending),
    ):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0.0 < value < math.inf:
            raise ModelError(f"the {what} of the rope '{name}' is {shown(value)}; give a positive number")
    if path[0].radius or path[-1].radius:
        raise ModelError(
            f"an end of the rope '{name}' has a radius; a rope with mass ends at points: give 0, and hold it on a drum "
            "by its last position"
        )
    if not all(s.radius for s in path[1:-1]):
        k = next(k for k, s in enumerate(path[1:-1], 2) if not s.radius)
        raise ModelError(
            f"position {k} of the rope '{name}' has no radius; a rope with mass runs over sheaves: give it one, or let "
            "the rope end there"
        )
    places, radius = _path_of(path, at, float(thick), name)
    total = float(places[1][-1])
    count = round(total / (math.pi * radius) * ON_ARC[kind]) if elements is None and radius > 0.0 else elements or 16
    if (
        isinstance(count, bool)
        or not isinstance(count, (int, np.integer))
        or count < max(1.0, 6.0 * total / (math.pi * radius) if radius > 0.0 else 1.0)
    ):
        raise ModelError(
            f"elements of the rope '{name}' are {shown(elements)}; give a whole number so large that six lie on half a "
            "turn of each sheave"
        )
    s = np.linspace(0.0, total, count + 1)
    line = (
        np.column_stack([np.interp(s, places[1], places[0][:, k]) for k in (0, 1)] + [np.full(count + 1, at[0, 2])])
        @ axes.T
    )
    line[0], line[-1] = path[0].at, path[-1].at
    section = Section.round(thick)
    rope: Any
    if kind == "rod":
        rope = rod(
            model,
            line,
            section,
            E=young,
            density=density,
            damping=damping,
            bending=bending,
            straight=True,
            tension=tension,
            name=name,
        )
    else:
        rope = cable(
            model,
            line,
            EA=young * section.A,
            EI=bending * young * section.Iy,
            mass=density * section.A,
            damping=damping,
            tension=tension,
            elements=count,
            radius=thick,
            name=name,
        )
        contact = {"points": 2, **contact}
    contact = {"shape": "sphere", **contact}
    half = 0.5 * (10.0 * thick if width is None else width) * axes[:, 2]
    for k, sheave in enumerate(path):
        if sheave.radius:
            centre = np.array(sheave.at, float)
            face = model.cylinder(sheave.part, tuple(centre - half), tuple(centre + half), sheave.radius)
            rope.touch(face, mu=friction, name=f"{name} on {k + 1}", **contact)
    for end, sheave in ((rope.first, path[0]), (rope.last, path[-1])):
        model.spherical(end, sheave.part, at=sheave.at)
    return rope


def _path_of(
    path: tuple[Sheave, ...], at: np.ndarray, thick: float, name: str
) -> tuple[tuple[np.ndarray, np.ndarray], float]:
    """Positions (p, 2) close together along the axis of a rope, and the lengths up to there; the smallest radius of it,
    0 of a straight one."""
    bends = [s.side * (s.radius + thick) if s.radius else 0.0 for s in path]
    points = [at[0, :2]]
    before = None
    for k in range(len(path) - 1):
        D, angle = _apart(at, bends, k, name)
        direction = angle + math.asin((bends[k] - bends[k + 1]) / D)
        if bends[k] and before is not None:
            arc = (path[k].side * (direction - before)) % (2.0 * math.pi)
            turn = before + path[k].side * np.linspace(0.0, arc, max(2, math.ceil(arc / 1e-3)))
            points += list(at[k, :2] + bends[k] * np.column_stack([np.sin(turn), -np.cos(turn)]))
        elif k:
            points.append(at[k, :2])
        before = direction
    points.append(at[-1, :2])
    line = np.array(points)
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    keep = np.concatenate([[True], steps > 1e-12 * steps.sum()])
    return (line[keep], np.concatenate([[0.0], np.cumsum(steps[steps > 1e-12 * steps.sum()])])), min(
        (abs(b) for b in bends if b), default=0.0
    )
