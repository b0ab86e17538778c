"""Integrators, one file each, behind the common front of `stepper`."""

from __future__ import annotations

from ..model import ModelError
from .stepper import IntegrationError, Options

__all__ = ["IntegrationError", "Options", "make_integrator"]

NAMES = ("DOP853", "GSTIFF", "HHT")


def make_integrator(name: str, system, options: Options):
    """Integrator by name (case does not count).  Raises ModelError for a name that is not known."""
    key = name.upper()
    if key == "DOP853":
        from .explicit import DOP853

        return DOP853(system, options)
    if key == "HHT":
        from .hht import HHT

        return HHT(system, options)
    if key == "GSTIFF":
        from .gstiff import GSTIFF

        return GSTIFF(system, options)
    raise ModelError(f"unknown integrator '{name}'; choose one of {', '.join(NAMES)}")
