"""How machines are driven: a shaft whose speed rises evenly and stays."""

from __future__ import annotations


def ramped(speed: float, rise: float) -> str:
    """Expression of an angle whose speed rises evenly over ``rise`` and stays."""
    speed, rise = float(speed), float(rise)
    even = f"TIME-{0.5 * rise!r}"  # at the time itself too: a constant there would be a standstill for an instant
    return f"{speed!r}*IF(TIME-{rise!r}:TIME**2/2/{rise!r},{even},{even})"
