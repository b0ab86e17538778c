"""Vocabulary in which joints are declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .rows import DOT1, DOT2, POINT, SUM, TWIST

X, Y, Z = 0, 1, 2


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
class JointKind:
    """Declaration of a joint: its equations and its free coordinates ("angle" about, "distance" along z of J)."""

    name: str
    equations: tuple[Equation, ...]
    coordinates: tuple[str, ...] = ()
    #: (joint) -> equations that depend on its data
    setup: Callable[[Any], tuple[Equation, ...]] | None = field(default=None, compare=False)


JOINTS: dict[str, JointKind] = {}


def declare(name: str, equations, coordinates=(), setup=None) -> JointKind:
    JOINTS[name] = JointKind(name, tuple(equations), tuple(coordinates), setup)
    return JOINTS[name]


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
