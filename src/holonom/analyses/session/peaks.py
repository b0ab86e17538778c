"""Largest loads of elements along the steps of an analysis: rows of results, however many, miss short impacts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._jit import briefly, jit
from ...contact.tables import C_FORCE, C_POINT, C_TORQUE
from ...results._data import PEAK_DTYPE

FORCE, FORCE_TIME, PLACE, TORQUE, TORQUE_TIME, COLUMNS = 0, 3, 4, 7, 10, 11


@jit(entry="float64, int64[::1], float64[:, ::1], int64, int64, int64, float64[:, ::1], int64")
def note(t, source, values, force, torque, point, table, first):
    """Enter what rows ``source`` of ``values`` have at t into rows of ``table`` from ``first`` on, where it is larger:
    columns of a force, a torque and, if it is not below zero, a point."""
    for k in range(len(source)):
        row = source[k]
        if row < 0:
            continue
        for c, into in ((force, 0), (torque, 7)):
            new = 0.0
            old = 0.0
            for q in range(3):
                new += values[row, c + q] * values[row, c + q]
                old += table[first + k, into + q] * table[first + k, into + q]
            if new > old:
                for q in range(3):
                    table[first + k, into + q] = values[row, c + q]
                    if into == 0 and point >= 0:
                        table[first + k, 4 + q] = values[row, point + q]
                table[first + k, 3 if into == 0 else 10] = t


class Peaks:
    """Of constraints and forces together, then of contacts: force and torque of the largest size so far, on I in ground
    axes, their times, and of contacts where the force acts."""

    def __init__(self, elements: list[Any], contacts: list[Any]) -> None:
        self.elements, self.contacts = elements, contacts
        self.maxima = np.zeros((len(elements) + len(contacts), COLUMNS))
        self.maxima[:, [FORCE_TIME, TORQUE_TIME]] = np.nan
        #: along all steps, not at rows of results alone
        self.along = np.zeros(2, bool)  # (there were such steps, there were others)

    def loads(self, t: float, source: np.ndarray, wrenches: np.ndarray) -> None:
        """Enter constraints and forces; ``source``: their rows in ``wrenches`` (n, 12), below zero: none."""
        briefly(note, len(source), t, source, wrenches, 0, 3, -1, self.maxima, 0)

    def touches(self, t: float, source: np.ndarray, sums: np.ndarray) -> None:
        """Enter contacts; ``source``: their rows in ``sums`` (n, CONTACT_DATA), below zero: none."""
        briefly(note, len(source), t, source, sums, C_FORCE, C_TORQUE, C_POINT, self.maxima, len(self.elements))

    def rows(self) -> np.ndarray:
        """As `RunData` has them; none where steps were not followed."""
        if not self.along[0] or self.along[1]:
            return np.zeros(0, PEAK_DTYPE)
        out = np.zeros(len(self.maxima), PEAK_DTYPE)
        for k, e in enumerate([*self.elements, *self.contacts]):
            out["kind"][k], out["id"][k] = e.KIND, e.id
        out["force"], out["force_time"] = self.maxima[:, FORCE : FORCE + 3], self.maxima[:, FORCE_TIME]
        out["torque"], out["torque_time"] = self.maxima[:, TORQUE : TORQUE + 3], self.maxima[:, TORQUE_TIME]
        out["point"] = np.nan
        out["point"][len(self.elements) :] = self.maxima[len(self.elements) :, PLACE : PLACE + 3]
        return out[np.isfinite(out["force_time"]) | np.isfinite(out["torque_time"])]
