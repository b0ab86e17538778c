"""Reduced states of the explicit methods: fewer numbers than the state of all bodies has.

A minimal set of coordinates (`partition`) and joint coordinates (`joint_set`) have one protocol, which is all that
`explicit.ExplicitStepper` knows of them: the present state is read, a step goes on from the last one, and weights of
the norm are taken from those of all bodies.  What kernels do with them is in `_minimal`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol

import numpy as np

GROWN = 6.0  # times that a step may be as long as the one before
#: flags of an evaluation: guess from the last one, decide redundancy, take as accepted, inside a step
KEEP, DECIDE, ACCEPT, STAGE = 1, 2, 4, 8


class Evaluations(Protocol):
    """What a reduced state requires of the method that integrates it: the present time and state of all bodies, and
    evaluations of the system."""

    t: float
    y: np.ndarray
    fixed: bool
    options: Any
    stages: Any
    statistics: dict[str, Any]
    messages: list[str]

    def settle(self) -> int:
        """The present state onto the constraints, accelerations into the work; number of redundant rows."""

    def project(self) -> float:
        """The present state onto all constraints of the system, whatever rows the reduced state has; smallest pivot,
        not positive where that fails."""

    def rows(self, y: np.ndarray) -> None:
        """Frames and all rows of the system at a state of all bodies at time 0."""

    def read(self, y: np.ndarray, t: float) -> None:
        """The state of all bodies becomes the reference; x and K[0] follow."""

    def close(self, s: np.ndarray, t: float) -> float:
        """State of all bodies of a reduced one; smallest pivot, not positive where that fails."""

    def rates(self, flags: int) -> float:
        """Rates of x into K[0]; smallest pivot, not positive where there are none."""


class ReducedState(ABC):
    """A state that is integrated in place of that of all bodies; made from the system and its tables S and W.

    ``arrays``: what kernels take; ``S``, ``W``: tables with which it is integrated.
    """

    #: it may be made for the tables of the plane in which a mechanism moves
    planar: ClassVar[bool]
    #: `explicit_loop` has steps of it
    looped: ClassVar[bool]
    #: its coordinates are chosen from those of the bodies, anew where a mechanism does not close
    chosen: ClassVar[bool]
    #: what is counted of it in the statistics of a method
    counts: ClassVar[tuple[str, ...]] = ()
    arrays: Any
    S: Any
    W: Any

    @abstractmethod
    def __init__(self, system: Any, S: Any, W: Any) -> None: ...

    @property
    @abstractmethod
    def size(self) -> int:
        """Length of the state."""

    @property
    @abstractmethod
    def positions(self) -> int:
        """How many of the state are coordinates, which do not indicate stiffness."""

    @abstractmethod
    def weighed(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each of the state the component of all bodies' state whose weight it has, and a factor on that."""

    @property
    def counted(self) -> int:
        """How many components the norm of errors counts."""
        return self.size

    def weigh(self, weights: np.ndarray) -> None:  # noqa: B027, few have them
        """Take what is wanted of the weights of the state of all bodies."""

    def leave_out(self, method: Evaluations) -> bool:
        """Leave out rows that move nothing; true where arrays and tables are others now."""
        return False

    @abstractmethod
    def begin(self, method: Evaluations) -> None:
        """The present state of all bodies is put on the constraints; x and K[0] follow.  Raises IntegrationError."""

    def go_on(self, method: Evaluations, pivot: float) -> bool:
        """The end of the last step, whose rates K[0] has and which had this smallest pivot, begins the next; false
        where it is to `begin` there."""
        return True

    @property
    def longest_step(self) -> float:
        """Longest step from the last accepted state."""
        return math.inf

    @property
    def iterations(self) -> int:
        """How many its evaluations have taken so far."""
        return 0
