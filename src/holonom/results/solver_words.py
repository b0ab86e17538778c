"""What solved an analysis, as text."""

from __future__ import annotations

from typing import Any


def method(segment: Any) -> str:
    """What solved an analysis: integrators with their numbers of steps where several took turns, or how it goes without
    one."""
    made = segment.settings.get("steps by integrator") or {}
    if isinstance(made, dict) and made:
        return ", ".join(f"{name} ({steps} steps)" for name, steps in made.items())
    if segment.settings.get("integrator"):
        return str(segment.settings["integrator"])
    return {
        "kinematics": "Newton iteration on the constraints at every output (no integrator)",
        "statics": "equilibrium by Newton iteration",
        "quasistatics": "equilibrium by Newton iteration at every output",
        "initial": "assembly of the initial conditions",
    }.get(segment.kind, "")


def integrators(run: Any) -> str:
    """The integrators that made the steps, never the keyword that left the choice to the code."""
    names: dict[str, int] = {}
    for s in run.data.segments:
        made = s.settings.get("steps by integrator") or {}
        for name, steps in made.items() if isinstance(made, dict) else ():
            names[name] = names.get(name, 0) + int(steps)
    if names:
        return ", ".join(f"{name}: {steps} steps" for name, steps in names.items())
    plain = list(dict.fromkeys(m for s in run.data.segments if (m := method(s))))
    given = str(run.info.get("integrator") or "")
    return ", ".join(plain) or (given if given.lower() != "auto" else "") or "not recorded"
