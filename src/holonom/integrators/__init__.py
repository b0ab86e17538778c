"""Integrators, one file each, behind the interface of `stepper`."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from ..model import ModelError
from .methods import METHODS
from .stepper import IntegrationError, Options

__all__ = ["INTEGRATORS", "IntegrationError", "Options", "make_integrator"]

#: name -> module and class; modules are imported (and their kernels compiled) only when requested
INTEGRATORS = {name: method.home for name, method in METHODS.items()}


def make_integrator(name: str, system, options: Options):
    """Integrator by name (case does not count).  Raises ModelError for a name that is not known."""
    key = name.upper()
    if key not in INTEGRATORS:
        raise ModelError(f"unknown integrator '{name}'; choose one of {', '.join(INTEGRATORS)}")
    home, numbering = METHODS[key].joint_home, ""
    module, cls = INTEGRATORS[key]
    if home is not None and "coordinates" in options.extra:
        from .numbering import JOINT
        from .numbering import numbering as choose_numbering

        joint, numbering = choose_numbering(system, str(options.extra["coordinates"]), METHODS[key].stiff)
        if joint:  # which its stepper does not decide again
            module, cls = home
            options = replace(options, extra=options.extra | {"coordinates": JOINT})
    stepper = getattr(import_module(f".{module}", __package__), cls)(system, options)
    if numbering:
        stepper.numbering = numbering
    return stepper
