"""DELAY(expression, delay, history): the value of an expression some time ago (Adams Solver manual, DELAY function).

    value(t) = expression at t - delay      where t - delay is not before the first moment of the run that is known
               history at t - delay         before

The past is kept in pieces: five values in each, between which a polynomial of degree four represents the expression, so
that no polynomial crosses the end of a step.  A step is halved until the polynomials fit (`analyses.dynamics.past`).
Steps are no longer than the shortest delay, hence nothing is extrapolated, and they end where what is delayed jumps or
has a corner (the method of steps: Bellen, Zennaro, Numerical Methods for Delay Differential Equations, 2003).

A delay that is an expression itself is evaluated with the equations; steps are no longer than half of it, and a run
ends with an error message where it falls so fast that the past of a step would lie within it, or where it is not
positive.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

NODES = 5  # values kept in a piece
ROW = NODES + 4  # numbers of a piece
NO_BREAK = -1.0
_PLACES = [float(p) for p in np.linspace(0.0, 1.0, NODES)]
_WEIGHTS = [float(1.0 / np.prod([p - q for q in _PLACES if q != p])) for p in _PLACES]  # barycentric
_SOME = 64  # pieces that no delay reaches any more and that are dropped together


def polynomial(values: Sequence[Any], x: float) -> Any:
    """That of degree four with ``values`` (numbers or arrays) at 0, 1/4 ... 1, at x."""
    total: Any = 0.0
    whole = 0.0  # in this order, as the runtime of exported FMUs does it
    for place, weight, value in zip(_PLACES, _WEIGHTS, values):
        if x == place:
            return value
        w = weight / (x - place)
        total = total + w * value
        whole += w
    if whole == 0.0:  # far outside
        return values[0] if x < 0.0 else values[-1]
    return total / whole


class Past:
    """Values of one expression in the steps that were accepted, piece by piece.

    Each piece is a row: beginning, end, `NODES` values at equidistant points, what breaks at its beginning (0: the
    value, k: the k-th derivative, `NO_BREAK`: nothing), and the largest value by size so far."""

    def __init__(self) -> None:
        self.ends: list[float] = []
        self.pieces: list[tuple[float, ...]] = []
        self.breaks: list[tuple[float, float]] = []  # time, what breaks there
        #: the first moment that is known; infinity where none is
        self.start = np.inf
        self.reported = False  # that it is kept less exactly than requested

    def add(self, row: tuple[float, ...], longest: float = np.inf) -> None:
        """A piece; those that a delay of ``longest`` does not reach from its beginning may be dropped."""
        begin, end = row[:2]
        if not end > begin:
            return
        late = begin - 1.001 * longest
        if len(self.pieces) > _SOME and self.pieces[_SOME][0] < late:
            old = _SOME
            while old < len(self.pieces) - 1 and self.pieces[old + 1][0] < late:
                old += 1
            del self.pieces[:old], self.ends[:old]
            del self.breaks[: bisect_left(self.breaks, (self.pieces[0][0], NO_BREAK))]
        if not self.pieces:
            self.start = begin
        self.ends.append(end)
        self.pieces.append(row)
        if row[-2] != NO_BREAK:
            self.breaks.append((begin, row[-2]))

    def meet(self, begin: float, near: float) -> None:
        """Let the last piece reach to the beginning of the next where that is ``near``, on the other side of a jump."""
        if self.pieces and 0.0 < begin - self.ends[-1] <= near:
            self.ends[-1] = begin
            self.pieces[-1] = (self.pieces[-1][0], begin, *self.pieces[-1][2:])

    @property
    def largest(self) -> float:
        """The largest value by size so far."""
        return self.pieces[-1][-1] if self.pieces else 0.0

    @property
    def rows(self) -> np.ndarray:
        """(pieces, `ROW`)."""
        return np.array(self.pieces, float).reshape(-1, ROW)

    @classmethod
    def of(cls, rows: np.ndarray) -> Past:
        """The past that has these `rows`; those of earlier versions end with the values."""
        past = cls()
        largest = 0.0
        for row in rows.tolist():
            if len(row) < ROW:
                largest = max(largest, *map(abs, row[2:]))
                row += [NO_BREAK, largest]
            past.add(tuple(row))
        return past

    def value(self, t: float) -> float:
        """The value at a time that is not before `start`; beyond the end that of the last polynomial."""
        row = self.pieces[min(bisect_left(self.ends, t), len(self.pieces) - 1)]
        return float(polynomial(row[2 : 2 + NODES], (t - row[0]) / (row[1] - row[0])))


class Delayed:
    """The routine of one DELAY: inputs are TIME and, where it varies, the delay; ``source``, ``by``: the inputs that
    carry the expression and the delay (None: constant); ``constant``: the history where it is a number;
    ``workspace``: that of the system, whose pasts all functions share, those of the equations, of outputs and of
    conditions.
    """

    name = "DELAY"
    zero = False

    def __init__(
        self,
        workspace: Any,
        key: str,
        source: int,
        delay: float,
        history: Callable[[float], float],
        by: int | None = None,
        constant: float | None = None,
    ) -> None:
        self.workspace = workspace
        self.key, self.source, self.delay, self.history, self.by = key, source, delay, history, by
        self.constant = constant
        #: of a delay that varies: three times in the last step, each with the time of what it then gave
        self.seen: tuple[float, ...] = ()
        self.inputs = [0] if by is None else [0, by]

    @property
    def past(self) -> Past:
        """The past of its expression, as the present analysis keeps it."""
        past = self.workspace.pasts.get(self.key)
        return self.workspace.pasts.setdefault(self.key, Past()) if past is None else past

    def __call__(self, values) -> list[float]:
        if self.by is not None:
            self.delay = max(float(values[1]), 0.0)
        t, past = float(values[0]) - self.delay, self.past
        return [past.value(t) if t >= past.start else self.history(t)]
