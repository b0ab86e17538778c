"""How contacts are treated in an analysis: as forces of laws, as constraints with impacts, or (grains) by a solver of
their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...integrators import selection
from ...model import Model, ModelError
from ...model.settings import CONTACT_METHODS

if TYPE_CHECKING:
    from ..dynamics.analysis import Dynamics

GRANULAR = "granular"  # grains are left to `granular`, other contacts are compliant
STEP = 1e-3  # of time-stepping where none is given, in seconds


def is_rigid(treatment: str) -> bool:
    """Are contacts constraints?"""
    return treatment not in ("compliant", GRANULAR)


def alike(a: str, b: str) -> bool:
    """Do two treatments require the same system?"""
    return a == b or (is_rigid(a) and is_rigid(b))


def contact_method(model: Model, contact: str | None = None, integrator: str | None = None) -> str:
    """How a dynamic analysis treats contacts (`model.settings.CONTACT_METHODS`), with what is requested.  Raises
    ModelError for what does not fit."""
    asked = integrator or model.integrator.kind
    moreau = asked is not None and selection.resolve(asked)[0] == "MOREAU_JEAN"
    if contact is not None and contact not in CONTACT_METHODS:
        raise ModelError(f"unknown treatment '{contact}' of contacts; choose one of {', '.join(CONTACT_METHODS)}")
    method = contact or ("time-stepping" if moreau else model.rigid.method)
    if method == "time-stepping" and integrator is not None and not moreau:
        raise ModelError(
            f"contact = {method} has an integrator of its own, MOREAU_JEAN; leave {integrator} out, or choose contact "
            "= events"
        )
    if method != "time-stepping" and moreau:
        raise ModelError(
            f"MOREAU_JEAN is the integrator of contact = time-stepping, not of contact = {method}; leave one of "
            "them out"
        )
    return method


def with_step(model: Model, options: dict[str, Any], say: Callable[[str], None]) -> dict[str, Any]:
    """Options of time-stepping with a step where none is given."""
    settings = model.integrator
    if (
        settings.hmax is None
        and settings.hinit is None
        and not {"hmax", "step", "hinit"} & {selection.option_name(n) for n in options}
    ):
        step = STEP / model.units.si_time
        say(f"time-stepping at steps of {step:g} {model.units.symbol('time')}; give STEP for others")
        return {**options, "step": step}
    return options


def runner(method: str) -> type[Dynamics]:
    """Class that carries out a dynamic analysis with contacts treated so."""
    if method == "time-stepping":
        from .time_stepping import TimeStepping

        return TimeStepping
    if method == "events":
        from .event_driven import EventDriven

        return EventDriven
    from ..dynamics.analysis import Dynamics

    return Dynamics
