"""Change detectors: how many steps, trials and evaluations a run takes.  These numbers give no information about
whether a result is right.

They are here in one file, apart from what tests assert about results, so that a change of the solver that costs more
than it did is seen, and so that whoever changes the solver on purpose knows where to write the new numbers.  Counts
that are facts of the physics (impacts, onsets, located discontinuities, stops of slip) are not among them: they stand
in their tests.

A test calls ``detect(name, value)``; ``value`` may be at most the bound.  In brackets what was seen when the bound was
written.
"""

from __future__ import annotations

BOUNDS: dict[str, float] = {
    # tests/analyses/test_events.py: rejected steps, and evaluations as a share of those without location
    "force sign x, DOP853: rejected": 0,
    "force sign x, DOP853: evaluations over those without events": 0.05,
    "force sign x, GSTIFF: steps": 720,
    "force sign x, HHT: steps": 220,
    "force sign x, RADAU5: steps": 220,
    "force sign x, implicit: rejected": 10,
    # tests/analyses/test_events_end.py: event-driven contact comes to an end in few steps
    "brick comes to rest: steps": 1500,
    "brick spins and slides: steps": 500,
    "coin lies down: steps": 3000,
    # tests/analyses/test_sensors.py
    "force that a sensor switches: rejected": 0,
    # tests/contact
    "bullet at a target: steps": 40,
    "ball comes to rest: onsets": 200,
    # tests/integrators
    "Andrews, ABAM: rejected or partitions": 19,
    "heavy top, ABAM: steps": 599,
    "damper that comes and goes: steps": 2000,  # DOP853 alone needs about 35000
    "stiff spring, RADAU5: steps over those of DOP853": 0.02,
    # tests/reference/test_adams_models.py: steps over those of Adams, which ends one at each output
    "two small mechanisms: steps over Adams'": 4.0,
}


def detect(name: str, value: float) -> None:
    """Fails where a run has become dearer than ``BOUNDS`` allows."""
    assert value <= BOUNDS[name], (
        f"change detector '{name}': {value:g}, was at most {BOUNDS[name]:g}; if that is meant, write it in {__file__}"
    )
