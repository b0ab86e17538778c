"""Growth of a crack under cycles of stress: Paris and Erdogan, da/dN = C dK^m with dK = Y S sqrt(pi a), no growth below
a threshold of dK."""

from __future__ import annotations

import math

import numpy as np

from ..model.base import ModelError
from ..model.kinds import not_negative, positive
from .counting import Cycles


def crack_growth(
    cycles: Cycles,
    start: float,
    end: float,
    *,
    C: float,
    m: float = 3.0,
    geometry: float = 1.0,
    threshold: float = 0.0,
) -> float:
    """Passes of a load in which a crack grows from the size ``start`` to ``end`` (length; half of a through crack):
    the integral of da / sum_i n_i C dK_i^m, exact, of the cycles i whose dK_i = ``geometry`` range_i sqrt(pi a) is
    above the ``threshold``.

    ``cycles``: of the stress across the crack, one pass; ``C``, ``m``, ``threshold``: in the units of stress and length
    (of the model).  The order of the cycles is left out, and no cycle is counted more than its whole range (also in
    compression).  Infinite where no cycle is above the threshold.  Raises `ModelError` for sizes that do not rise.

        passes = hn.durability.crack_growth(cycles, 0.005, 0.05, C=4.3e-28, m=3.0)
    """
    positive(start=start, end=end, C=C, m=m, geometry=geometry)
    not_negative(threshold=threshold)
    if not end > start:
        raise ModelError(f"a crack grows from {start:g} to {end:g}; give an end above the start")
    order = np.argsort(-cycles.range, kind="stable")
    ranges, counts = cycles.range[order], cycles.count[order]
    kept = ranges > 0.0
    ranges, counts = ranges[kept], counts[kept]
    if not len(ranges):
        return math.inf
    # the size from which a cycle makes a crack grow, rising, and what all cycles to it add up to
    least = (threshold / (geometry * ranges)) ** 2 / math.pi
    rate = C * (geometry * math.sqrt(math.pi)) ** m * np.cumsum(counts * ranges**m)
    if least[0] > start:
        return math.inf
    edges = np.append(np.clip(least, start, end), end)
    power = 1.0 - 0.5 * m
    grown = np.log(edges) if power == 0.0 else edges**power / power
    return float(np.sum(np.diff(grown) / rate))
