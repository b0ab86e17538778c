"""A dynamic analysis with contacts as constraints, by time-stepping (`integrators.moreau_jean`)."""

from __future__ import annotations

from .dynamics import Dynamics


class TimeStepping(Dynamics):
    """As `Dynamics`; nothing is located, since impacts fall within steps."""
