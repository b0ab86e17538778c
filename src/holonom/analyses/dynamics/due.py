"""Changes of SWITCHes that are due where an analysis takes their states as they are: stops that an equilibrium lies
beyond, a joint that would break under its load, a clutch at rest that would stick."""

from __future__ import annotations

from typing import Any

import numpy as np

from .topology import BEYOND, Guards, switches_of

#: analysis -> what else leads to the states that belong there
INSTEAD = {
    "statics": "run a dynamic analysis that comes to rest",
    "quasistatics": "run a dynamic analysis that comes to rest",
    "linear": "run a dynamic analysis before it, as linearize(end=...) does",
}


def due_changes(sim: Any, system: Any, t: float, y: np.ndarray, analysis: str) -> list[str]:
    """A message for each change of a SWITCH that a dynamic analysis would make at once at (t, y)."""
    switches = switches_of(sim.model)
    if not switches:
        return []
    states = {s.id: sim.carried.switched.get(s.id, s.first) for s in switches}
    leaving = [(s, tr) for s in switches for tr in s.transitions if tr.source == states[s.id]]
    if not leaving:
        return []
    before = system.workspace.guards
    try:
        guards = Guards(system, leaving)
        guards.continue_angles(sim.carried.angles)
        g = guards.values(t, y.copy())
    finally:
        system.workspace.guards = before
    found: dict[int, str] = {}
    for (s, tr), value, noise, size in zip(leaving, g, guards.noise, guards.size):
        if s.id in found:
            continue
        if tr.side:
            if value > BEYOND * size:
                found[s.id] = (
                    f"{s.label}: its joint lies {value:.4g} beyond its {tr.target} stop at time {t:.6g}, since rigid "
                    f"stops do not act in this analysis; give stop_stiffness, or {INSTEAD[analysis]}"
                )
        elif not tr.edge and value > noise:
            found[s.id] = (
                f"{s.label}: at time {t:.6g} it would change from '{tr.source}' to '{tr.target}' at once, but this "
                f"analysis takes its state as it is; {INSTEAD[analysis]}"
            )
    return list(found.values())
