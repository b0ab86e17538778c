"""Units of the metrics of manoeuvres, by their names; all are SI."""

from __future__ import annotations

import re

#: pattern of a whole name -> unit, the first that fits; "" where a metric has none
UNITS = (
    (r".*_gradient", "rad/(m/s^2)"),
    (r"(yaw_rate)_gain", "1/s"),
    (r"ay_gain", "m/s^2/rad"),
    (r"body_gain_.*", "m/m"),
    (r"load_gain_.*", "N/m"),
    (r".*(_ratio|_ratio_\d_\d+|_ratio_1_s|_overshoot|_variation_\w+|coherence)", ""),
    (r"(clean|stable|responsive|cones_hit|gear|crest|largest_slip|rolling_resistance)", ""),
    (r"(.*_frequency|.*_frequency_\w+|bandwidth)", "Hz"),
    (r"tb_factor", "s deg"),
    (r"(time.*|dwell|.*_time)", "s"),
    (r"(distance|displacement|radius|clearance|offset.*|deviation_1_s|two_wheel_lift|damper_travel_\w+)", "m"),
    (r"(.*speed)", "m/s"),
    (r"(aw[xyz]|av|mtvv|.*deceleration.*|.*acceleration|.*_ay)", "m/s^2"),
    (r"vdv", "m/s^1.75"),
    (r"(.*_yaw_rate|yaw_rate|largest_steer_rate)", "rad/s"),
    (r"(.*_angle|amplitude|heading.*|pitch|.*_roll|.*sideslip.*|largest_steer|.*_phase_1_Hz)", "rad"),
    (r"((least|largest)_load_\w+|F0)", "N"),
    (r"F1", "N s/m"),
    (r"F2", "N s^2/m^2"),
    (r"drag_area", "m^2"),
    (r"effective_mass", "kg"),
)


def unit_of(metric: str) -> str:
    """The SI unit of a metric; "" where it has none.  Raises KeyError for a name that no manoeuvre gives."""
    for pattern, unit in UNITS:
        if re.fullmatch(pattern, metric):
            return unit
    raise KeyError(metric)


def with_unit(metric: str) -> str:
    """A metric and its unit, "mean deceleration (m/s^2)"; without one where none is known."""
    words = metric.replace("_", " ")
    try:
        unit = unit_of(metric)
    except KeyError:
        return words
    return f"{words} ({unit})" if unit else words
