"""Ropes without mass over sheaves: one constraint on the length of the whole rope, winches that pay it out, compensation.

A rope in the plane of its sheaves runs from its first place over sheaves to its last.  Between two circles of radii R_i, R_j that it passes on the sides s_i, s_j
(+1 anticlockwise, -1 clockwise), D apart, it is straight and touches both:

    span     sqrt(D^2 - (s_i R_i - s_j R_j)^2)
    along    direction of the line of centres + asin((s_i R_i - s_j R_j) / D)
    arc      s_i R_i (direction of the rope that leaves - direction of the rope that arrives)

and the constraint is  sum of spans + sum of arcs - (length as drawn) - (what the winches pay out) = 0, exact for sheaves that move, as hook blocks do.  Its multiplier
is the force in the rope, the same everywhere: friction of sheaves and mass of the rope are left out; a rope that should go slack must be told by its force.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import Model
from ..model.base import ModelError, shown


@dataclass(frozen=True)
class Sheave:
    """``part`` that carries it, ``at``: its centre as drawn; ``radius`` (0: the rope ends or passes at a point); ``side``: +1 where the rope runs round it
    anticlockwise seen along the normal of the plane, -1 clockwise."""

    part: Any
    at: tuple[float, float, float]
    radius: float = 0.0
    side: int = 1


@dataclass(frozen=True)
class Reeving:
    """``constraint``: the element; ``length``: of the rope as drawn; ``expression``: its length now, for requests; ``parts``: falls (straight pieces)."""

    constraint: Any
    length: float
    expression: str
    parts: int


def reeving(
    model: Model, path: Sequence[Sheave], *, normal: tuple[float, float, float] = (0.0, 0.0, 1.0), drums: Sequence[tuple[Any, float]] = (), pay_out: str = "",
    name: str = "rope",
) -> Reeving:  # fmt: skip
    """A rope of constant length over ``path`` (two places or more), in a plane across ``normal``.

    ``drums``: (revolute joint, radius) of winches at its ends: the rope grows by radius times the joint's angle, so that the drum feels the rope's torque;
    ``pay_out``: a further expression of time (length), for winches that are prescribed.  With a drum at each end the rope in between is compensated.
    ``run.constraint(name)`` tells what the rope does to its last place, or where that is fixed to its first, or to the first that moves: at an end the force in the
    rope, at a block that of its falls.  Raises `ModelError` for fewer than two places, sheaves that overlap, sides that are
    none, and places outside of one plane.
    """
    path = tuple(path)
    if len(path) < 2:
        raise ModelError(f"the rope '{name}' has {len(path)} places; give two or more")
    n = np.asarray(normal, float)
    if n.shape != (3,) or not np.linalg.norm(n) > 0.0:
        raise ModelError(f"normal of the rope '{name}' is {shown(normal)}; give a direction")
    n = n / np.linalg.norm(n)
    x = np.cross((0.0, 1.0, 0.0) if abs(n[1]) < 0.9 else (0.0, 0.0, 1.0), n)
    axes = np.column_stack([x / np.linalg.norm(x), np.cross(n, x / np.linalg.norm(x)), n])
    at = np.array([s.at for s in path], float) @ axes
    if np.ptp(at[:, 2]) > 1e-9 * max(np.ptp(at[:, :2]), 1e-300):
        raise ModelError(
            f"places of the rope '{name}' lie {np.ptp(at[:, 2]):g} apart along the normal of its plane; put them into one plane"
        )
    for k, s in enumerate(path):
        if s.side not in (1, -1) or not (math.isfinite(s.radius) and s.radius >= 0.0):
            raise ModelError(
                f"place {k + 1} of the rope '{name}' has the radius {shown(s.radius)} and the side {shown(s.side)}; give 0 or more, and 1 or -1"
            )
    base = model.marker_at(model.ground, axes @ at[0], x=axes[:, 0], z=n)
    markers = [model.marker_at(s.part, s.at, x=axes[:, 0], z=n) for s in path]
    bends = [s.side * s.radius for s in path]
    spans, turned, drawn, leans, total = [], [], [], [], 0.0
    for k in range(len(path) - 1):
        d, step = at[k + 1, :2] - at[k, :2], bends[k] - bends[k + 1]
        D = float(np.hypot(*d))
        if D <= abs(step) or D <= 1e-12:
            raise ModelError(f"places {k + 1} and {k + 2} of the rope '{name}' are {D:g} apart, too near for their radii; move them apart")
        angle = math.atan2(d[1], d[0])
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
