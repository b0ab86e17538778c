"""Static equilibria of a simulation, at the present time and in sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...integrators.methods import NUMBERINGS
from ...integrators.selection import one_of
from ..dynamics.due import due_changes
from ..dynamics.sensors import Sensors
from ..ked import vibrating
from ..session.output_times import output_times
from .equilibrium import TooFar, equilibrium
from .rigid import rest

if TYPE_CHECKING:
    from ..session.simulation import Simulation

PIECES = 1024  # of the way between two equilibria, in which motions are followed at most
IDLE_EQUILIBRIUM = {"stability": "the share of the mass matrix follows the imbalance"}


def statics(sim: Simulation, contact: str | None = None, **options: Any) -> None:
    """Static equilibrium at the present time; ``contact`` as in `dynamics` ("events" and "time-stepping" are one
    here)."""
    _equilibria(sim, "statics", np.array([sim.time]), contact, options)


def quasistatics(
    sim: Simulation, end=None, steps=None, dt=None, duration=None, contact: str | None = None, **options: Any
) -> None:
    """A sequence of static equilibria; sensors are located between them."""
    _equilibria(sim, "quasistatics", output_times(sim.time, end, steps, dt, duration), contact, options)


def _equilibria(sim: Simulation, kind: str, times: np.ndarray, contact: str | None, options: dict) -> None:
    vibrating(sim, other=kind)
    system = sim.prepare(kind, sim.contact_method(contact))
    find = rest if system.rigid and system.contacts.on else equilibrium
    sim.pass_over("EQUILIBRIUM", sim.model.equilibrium, IDLE_EQUILIBRIUM)
    sim.recorder.begin(kind, dict(options))
    sensors = Sensors(sim, system)
    if find is rest:
        numbering = one_of("coordinates", options.pop("coordinates", NUMBERINGS[0]) or NUMBERINGS[0], NUMBERINGS)
        if numbering != NUMBERINGS[0]:
            sim.say_once("statics: maximal coordinates: contacts are rigid constraints")
    k, y, reached = 0, sim.y.copy(), sim.time
    said: set[str] = set()  # SWITCHes of which a change that is due has been reported

    def solve_at(t: float) -> None:
        """The equilibrium at time t, from the present one; where motions go too far on the way, in halves of it."""
        nonlocal y, reached
        least, goals = abs(t - reached) / PIECES, [t]
        while goals:
            goal = goals[-1]
            more: dict[str, Any] = {"announce": sim.say_once} if find is equilibrium else {}
            if find is equilibrium and abs(goal - reached) > least:
                more["pieces"] = True
            try:
                result = find(system, goal, y, sim.model.equilibrium, say=sim.say, **options, **more)
            except TooFar:
                goals.append(0.5 * (reached + goal))
                continue
            y, reached = result.y, goals.pop()
            sim.recorder.count({"static iterations": result.iterations})

    def evaluate(t: float) -> None:
        solve_at(t)
        sim.recorder.evaluate(t, y.copy(), 1, still=True)

    while k < len(times):
        event = sensors.first(evaluate, (sim.time, times[k])) if k and sensors.sensors else None
        if event is None:
            solve_at(times[k])
        t = times[k] if event is None else event
        sim.leave(t, y)
        sim.recorder.record_at_rest(t, y)
        for text in due_changes(sim, system, t, y, kind):
            if (who := text.split(":")[0]) not in said:
                said.add(who)
                sim.warn(text)
        k += 1 if event is None else 0
        if event is not None:
            if sensors.act(event):
                break
            times = sensors.new_times(times, k)
            k += bool(times[k] <= event) if k < len(times) else 0
    sim.recorder.end()
