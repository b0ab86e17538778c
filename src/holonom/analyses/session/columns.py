"""Where the columns of a row of results lie in the arrays of a system, found once and read at every row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._jit import briefly
from ...elements.bodies.in_ground import BODY_DATA, read_bodies


class ElementRows:
    """Which rows of a table belong to some elements, in their order; the system may not have all of them."""

    def __init__(self, row_of: Mapping[Any, int], keys: list[Any], absent: float = 0.0):
        self.rows = np.array([row_of.get(key, -1) for key in keys], np.int64)
        self._missing = np.flatnonzero(self.rows < 0)
        self._absent = absent

    def of(self, table: np.ndarray) -> np.ndarray:
        """A copy of these rows (n, ..), with ``absent`` for what the system has not."""
        if len(self._missing) == len(self.rows):
            return np.full((len(self.rows), *table.shape[1:]), self._absent)
        out = table[self.rows]
        out[self._missing] = self._absent
        return out


class BodyColumns:
    """Bodies of results in a system: ``read`` gives their columns."""

    def __init__(self, system: Any, bodies: list[Any]):
        self._system = system
        there = [(k, system.body_index.get((e.KIND, e.id))) for k, e in enumerate(bodies)]
        there = [(k, b) for k, b in there if b is not None]
        self._count = len(bodies)
        self._row = np.array([k for k, _ in there], np.int64)
        self._body = np.array([b for _, b in there], np.int64)
        self._axes = np.array([system.local[b].axes for _, b in there]).reshape(-1, 3, 3)
        self._bias = np.zeros((len(there), 6))
        carriers = system.bodies.carriers
        nodes = {} if carriers is None else {b: k for k, b in enumerate(carriers.nodes.body.tolist())}
        self._nodes = ElementRows(nodes, self._body.tolist())
        self._unknown = np.full((len(bodies), 4), np.nan)

    def read(self, y: np.ndarray, last: np.ndarray | None) -> np.ndarray:
        """(bodies, BODY_DATA) at the last evaluation, which was at y; NaN where the system has not the body.
        ``last``: quaternions of the row before."""
        system = self._system
        if system.bodies.carriers is not None:
            self._bias = self._nodes.of(system.bodies.carriers.nodes.bias)
        out = np.full((self._count, BODY_DATA), np.nan)
        last = self._unknown if last is None else np.ascontiguousarray(last)
        given = y, system.W.R, system.W.acc, self._bias, self._row, self._body, self._axes, last, out
        briefly(read_bodies, len(self._row), *given)
        return out
