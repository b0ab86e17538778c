"""Units of a model: in SI, and as people write them."""

from __future__ import annotations

from ..model import Units

IN_SI = ("joule", "watt")  # dimensions of what is in SI whatever the units of the model


def to_si(units: Units, dimension: str) -> float:
    """Factor from a model's unit of ``dimension`` (as in `Units.symbol`) to SI."""
    return 1.0 if dimension in IN_SI else units.si(dimension)
