"""Units of a model: in SI, and as people write them."""

from __future__ import annotations

from ..model import Units


def to_si(units: Units, dimension: str) -> float:
    """Factor from a model's unit of ``dimension`` (as in `Units.symbol`) to SI."""
    f, m, l, t = units.si_force, units.si_mass, units.si_length, units.si_time
    return {
        "length": l,
        "velocity": l / t,
        "acceleration": l / t**2,
        "angle": 1.0,
        "angular_velocity": 1 / t,
        "angular_acceleration": 1 / t**2,
        "force": f,
        "torque": f * l,
        "energy": f * l,
        "power": f * l / t,
        "momentum": f * t,
        "angular_momentum": f * l * t,
        "mass": m,
        "time": t,
        "none": 1.0,
        "joule": 1.0,
        "watt": 1.0,
        "inertia": m * l**2,
    }[dimension]
