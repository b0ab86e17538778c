"""Integrators, one file each, behind the common front of `stepper`."""

from __future__ import annotations

from importlib import import_module

from ..model import ModelError
from .stepper import IntegrationError, Options

__all__ = ["INTEGRATORS", "IntegrationError", "Options", "make_integrator"]

#: name -> module and class; modules are imported (and their kernels compiled) only when asked for
INTEGRATORS = {
    "CONSTANT_BDF": ("constant_bdf", "CONSTANT_BDF"),
    "ABAM": ("abam", "ABAM"),
    "DOP853": ("dop853", "DOP853"),
    "DOPRI5": ("dopri5", "DOPRI5"),
    "RKF45": ("rkf45", "RKF45"),
    "RK4": ("rk4", "RK4"),
    "EXPLICIT_EULER": ("euler", "ExplicitEuler"),
    "SEMI_IMPLICIT_EULER": ("euler", "SemiImplicitEuler"),
    "VELOCITY_VERLET": ("verlet", "VelocityVerlet"),
    "DSTIFF": ("dstiff", "DSTIFF"),
    "GSTIFF": ("gstiff", "GSTIFF"),
    "HHT": ("hht", "HHT"),
    "GENERALIZED_ALPHA": ("generalized_alpha", "GeneralizedAlpha"),
    "RADAU5": ("radau", "RADAU5"),
    "NEWMARK": ("newmark", "Newmark"),
    "IMPLICIT_EULER": ("implicit_euler", "ImplicitEuler"),
    "MOREAU_JEAN": ("moreau_jean", "MoreauJean"),
    "WSTIFF": ("wstiff", "WSTIFF"),
}


def make_integrator(name: str, system, options: Options):
    """Integrator by name (case does not count).  Raises ModelError for a name that is not known."""
    key = name.upper()
    if key not in INTEGRATORS:
        raise ModelError(f"unknown integrator '{name}'; choose one of {', '.join(INTEGRATORS)}")
    module, cls = INTEGRATORS[key]
    return getattr(import_module(f".{module}", __package__), cls)(system, options)
