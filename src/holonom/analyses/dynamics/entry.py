"""Dynamic analyses of a simulation: which solver integrates, grains included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...integrators import selection
from ...model import ModelError
from ...model.validate import validate
from ..contact.treatment import GRANULAR, runner, with_step
from ..cosimulation.in_model import run_coupled
from ..cosimulation.presence import fmus_of
from ..grains.feeding import Feeding, exchange
from ..ked import Vibration, vibrating
from ..session.output_times import output_times, step_within
from .past import attach, refuse
from .topology import switches_of

if TYPE_CHECKING:
    from ..session.simulation import Simulation

MANY_GRAINS = 200  # from which the general equations of motion take long


def dynamics(
    sim: Simulation,
    end: float | None = None,
    steps: int | None = None,
    dt: float | None = None,
    duration: float | None = None,
    integrator: str | None = None,
    contact: str | None = None,
    grains: str = "auto",
    threads: int = 1,
    **options: Any,
) -> None:
    """Integrate to ``end`` (or for ``duration``) with output every ``dt`` or at ``steps`` equal intervals.

    ``contact``: one of `model.settings.CONTACT_METHODS`, "compliant", "events" or "time-stepping"; default: what
    the model's `RigidSettings` say, or time-stepping where its integrator MOREAU_JEAN is requested.  ``grains``:
    "granular" integrates them with the granular solver (`analyses.grains.granular`, on ``threads``), "general" lets the
    general equations of motion do it, "auto": the fast way where it can.
    """
    times = output_times(sim.time, end, steps, dt, duration)
    step_within(options, times)
    if fmus_of(sim.model) and not sim.coupled:
        run_coupled(sim, times, {"integrator": integrator, "contact": contact, **options})
        return
    method = sim.contact_method(contact, integrator)
    if vibrating(sim, method):
        Vibration(sim, times, {"integrator": integrator, **options}).run()
        return
    if method == "time-stepping":
        integrator, options = "MOREAU_JEAN", with_step(sim.model, options, sim.say_once)
    choice = selection.choose_for(sim.model, integrator, options)
    if _bulk(sim, grains, method, choice):
        _granular(sim, choice, times, threads)
        return
    if Feeding.active(sim.model):
        _fed(sim, method, choice, times)
        return
    system = sim.prepare("dynamics", method)
    shortest = attach(system, sim.carried.past)
    if method == "time-stepping":
        refuse(system, "time-stepping")
    if shortest < np.inf and choice.options.fixed:
        if choice.options.hmax is not None and choice.options.hmax > shortest:
            raise ModelError(
                f"the fixed step {choice.options.hmax:g} is longer than the shortest delay of a DELAY or a dead_time, "
                f"{shortest:g}, whose past is not known yet; give a step of at most that"
            )
    elif shortest < np.inf:
        given = options.get("hmax") or sim.model.integrator.hmax or np.inf
        options = {**options, "hmax": min(given, shortest)}
        choice = selection.choose_for(sim.model, integrator, options)
    if system.lagged and method != "time-stepping":
        choice = selection.choose_for(sim.model, integrator, options, lagged=True)
    runner(method)(sim, system, choice, times).run()


def _bulk(sim: Simulation, grains: str, method: str, choice: selection.Choice) -> bool:
    """Whether grains use the dedicated solver.  Raises ModelError where it is requested and not possible."""
    from ..grains.granular import CHOICES, METHODS, unfit

    if grains not in CHOICES:
        raise ModelError(f"unknown method '{grains}' for grains; choose one of {', '.join(CHOICES)}")
    present = any(g.active for g in sim.model.table("GRAINS").values())
    if grains == "auto" and method == "compliant" and choice.kind not in METHODS:
        _point_at_granular(sim, choice.kind)
    if grains == "general" or (
        grains == "auto" and (not present or method != "compliant" or choice.kind not in METHODS)
    ):
        return False
    validate(sim.model)
    why = unfit(sim.model, choice.kind) if method == "compliant" else f"contact = {method} is not compliant"
    if why and grains == "granular":
        raise ModelError(f"the granular solver cannot take these grains: {why}; give grains = general")
    if why:
        sim.say_once(f"grains are integrated with the general equations of motion: {why}")
    return not why


def _point_at_granular(sim: Simulation, kind: str) -> None:
    """Warn where many grains are integrated with the general equations of motion only because of the integrator."""
    from ..grains.granular import safe_step, unfit

    count = sum(len(g) for g in sim.model.table("GRAINS").values() if g.active)
    if count < MANY_GRAINS or unfit(sim.model, "SEMI_IMPLICIT_EULER"):
        return
    step = safe_step(sim.model)
    sim.warn(
        f"{count} grains are integrated with the general equations of motion because the integrator is {kind}, "
        f"which takes long; the "
        f"granular solver takes them with integrator SEMI_IMPLICIT_EULER"
        + (f" and hmax {step:g} {sim.model.units.symbol('time')}" if step else " and hmax")
    )


def _fed(sim: Simulation, method: str, choice: selection.Choice, times: np.ndarray) -> None:
    """Between two outputs after another; grains come and go at outputs."""
    sim.own()
    sim.recorder.close()  # columns grow
    for a, b in zip(times[:-1], times[1:]):
        if sim.halted or sim.stopped:
            break
        n = len(sim.messages)
        runner(method)(sim, sim.prepare("dynamics", method), choice, np.array([a, b])).run()
        sim.messages[n:] = [
            text for text in sim.messages[n:] if text not in sim.messages[:n]
        ]  # each interval says the same
        exchange(sim, b)


def _granular(sim: Simulation, choice: selection.Choice, times: np.ndarray, threads: int) -> None:
    from ..grains.granular import GranularDynamics

    for s in switches_of(sim.model):
        raise s.error("elements cannot be switched while the granular solver runs; give grains = general")
    if Feeding.active(sim.model):
        sim.own()
        sim.recorder.close()  # columns grow
    GranularDynamics(sim, sim.prepare("dynamics", GRANULAR), choice, times, threads).run()
