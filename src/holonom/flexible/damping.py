"""Damping ratios of modes, for ``damping`` of `Model.make_flexible`."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..model.base import ModelError, shown


def rayleigh(alpha: float, beta: float) -> Callable[[float], float]:
    """Rayleigh damping alpha M + beta K: damping ratio alpha / (2 w) + beta w / 2 for a mode of frequency w (rad per
    time).

    ``alpha``: 1 / time; ``beta``: time.  Raises `ModelError` for numbers that are negative or not finite.

        model.make_flexible(link, bar, damping=hn.flexible.rayleigh(2.0, 1e-6))
    """
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not (isinstance(value, (int, float)) and math.isfinite(value) and value >= 0.0):
            raise ModelError(f"{name} of Rayleigh damping is {shown(value)}; give zero or a positive number")
    return lambda w: 0.5 * alpha / w + 0.5 * beta * w
