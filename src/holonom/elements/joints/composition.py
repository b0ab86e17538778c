"""Vocabulary in which joints are declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .rows import DOT1, DOT2, POINT, SUM, TWIST

X, Y, Z = 0, 1, 2
SLIDE, TURN, BALL, SCREW = range(4)
#: freedoms and coordinates of each: a ball has a quaternion
FREEDOMS, COORDINATES = (1, 1, 3, 1), (1, 1, 4, 1)


@dataclass(frozen=True)
class Equation:
    """One scalar row: ``name`` in Adams' notation, ``words`` what it prevents, kind and axis numbers of `rows`.

    ``terms`` (SUM rows): tuples (scale, "angle" | "distance").
    """

    name: str
    words: str
    kind: int
    a: int = 0
    b: int = 0
    terms: tuple = ()


@dataclass(frozen=True)
class Freedom:
    """One step of the motion that a joint leaves: along or about an axis of the frame that the steps before lead to,
    any rotation (`BALL`), or a turn with ``pitch`` of travel per radian (`SCREW`)."""

    kind: int
    axis: int = Z
    pitch: float = 0.0


@dataclass(frozen=True)
class Subspace:
    """The motion that a joint leaves, as joint coordinates: ``freedoms`` lead from frame J to frame I, slides before
    turns; ``seat`` (3, 3): constant rotation behind them."""

    freedoms: tuple[Freedom, ...]
    seat: np.ndarray = field(default_factory=lambda: np.eye(3), compare=False)


@dataclass(frozen=True)
class JointKind:
    """Declaration of a joint: its equations and its free coordinates ("angle" about, "distance" along z of J)."""

    name: str
    equations: tuple[Equation, ...]
    coordinates: tuple[str, ...] = ()
    #: (joint) -> equations that depend on its data
    setup: Callable[[Any], tuple[Equation, ...]] | None = field(default=None, compare=False)
    #: (joint) -> what the equations leave free; None where no steps describe it
    subspace: Callable[[Any], Subspace] | None = field(default=None, compare=False)


JOINTS: dict[str, JointKind] = {}


def declare(name: str, equations, coordinates=(), setup=None, subspace=None) -> JointKind:
    """Register a joint.  ``subspace``: a `Subspace`, or a function of the joint that gives one."""
    motion = (lambda joint: subspace) if isinstance(subspace, Subspace) else subspace
    JOINTS[name] = JointKind(name, tuple(equations), tuple(coordinates), setup, motion)
    return JOINTS[name]


def free(slides: tuple[int, ...] = (), turns: tuple[int, ...] = (), ball: bool = False, seat=None) -> Subspace:
    """The motion of slides along axes of J, then turns about axes, or any rotation."""
    steps = [Freedom(SLIDE, a) for a in slides] + [Freedom(TURN, a) for a in turns] + [Freedom(BALL)] * ball
    return Subspace(tuple(steps), np.eye(3) if seat is None else np.asarray(seat, float))


#: puts z along the y axis that it is turned about: what leads from two turns of a cross to its second arm
ACROSS = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))


_WORDS = "xyz"


def coincident() -> tuple[Equation, ...]:
    """Origins coincide: three equations in ground axes."""
    return tuple(
        Equation(f"{w.upper()}i-{w.upper()}j", f"translation along ground {w}", POINT, a=k)
        for k, w in enumerate(_WORDS)
    )


def dot(a: int, b: int) -> Equation:
    """Axis a of I stays perpendicular to axis b of J."""
    if (a, b) == (Z, Z):
        words = "rotation that tilts the z axes out of their right angle"
    elif a == b:
        words = f"tilt of the {_WORDS[a]} axes"
    else:
        words = f"rotation about its {_WORDS[3 - a - b]} axis"
    return Equation(f"{_WORDS[a].upper()}i.{_WORDS[b].upper()}j", words, DOT1, a=a, b=b)


def along(b: int) -> Equation:
    """No displacement of I along axis b of J."""
    return Equation(f"Dij.{_WORDS[b].upper()}j", f"translation along its {_WORDS[b]} axis", DOT2, b=b)


def parallel_z() -> tuple[Equation, ...]:
    return dot(Z, X), dot(Z, Y)


def locked_turn() -> tuple[Equation, ...]:
    """All axes of I along those of J."""
    return dot(Z, X), dot(Z, Y), dot(X, Y)


def twist() -> Equation:
    return Equation("Xi.Yj-Yi.Xj", "unequal spin of the two shafts", TWIST)


def coupling(terms) -> Equation:
    return Equation("coupling", "its coupled motion", SUM, terms=tuple(terms))
