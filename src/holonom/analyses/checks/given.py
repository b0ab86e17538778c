"""What the user gives of the beginning against what the run begins with.

The assembly keeps given positions and velocities where constraints allow it (`analyses.assemble`).  Where they do not,
a run would begin with other values than those written in the model: each part whose velocity is not kept is reported
with what was given and what is used, in the axes in which it was given.  Positions that were moved are reported by
`Assembly.opened`, contradictory initial conditions of joints are errors of the assembly, and those that a motion
overrides are in ``System.overridden``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...elements.bodies import layout
from ...model.bodies import NODES
from ...model.orientation import from_quaternion
from ..assemble import SLOW

# share of the speed of a part by which its velocity may differ from the one given: what is fitted is not dropped
KEPT = 1e-2
STILL = 1e-6  # share of the largest speed of the model that is no difference
# share of it up to which a part is fitted to the others, as a slow link of a fast chain, unless half of its own speed
# is gone
FITTED = 1e-3
SHOWN = 5  # parts that are reported one by one
SPEEDS = (("vx", "vy", "vz"), ("wx", "wy", "wz"))


def not_kept(system: Any, y: np.ndarray, mode: str = "dynamics") -> list[str]:
    """One message for each part, mode and sliding mass that does not begin with the velocity that the model gives it;
    ``y``: the assembled state;
    ``mode``: of the analysis (velocities do not matter in statics)."""
    return [] if mode in ("statics", "quasistatics") else [*_velocities(system, y), *_coordinates(system, y)]


def _velocities(system: Any, y: np.ndarray) -> list[str]:
    found = []
    L = system.extent
    fastest = lambda read: max(
        float(np.linalg.norm(read(z, system.nb), axis=1).max(initial=0.0)) for z in (y, system.y_bodies)
    )
    travel, turn = fastest(layout.velocities), fastest(layout.spins)
    floors = STILL * max(travel, SLOW * L), STILL * max(turn, travel / L, SLOW)
    for k in range(system.parts):
        body = system.body_elements[k]
        if body.KIND in NODES:
            continue
        state = layout.body(y, k)
        lines = []
        for names, floor, unit, now in zip(SPEEDS, floors, ("velocity", "angular_velocity"), (_travel, _spin)):
            given = [getattr(body, name, None) for name in names]
            if all(value is None for value in given):
                continue
            used = now(system, k, body, state)
            written = np.array([value or 0.0 for value in given])
            known = np.array([value is not None for value in given])
            own = max(float(np.linalg.norm(written)), float(np.linalg.norm(used)))
            off = float(np.abs(used - written)[known].max())
            if off > KEPT * own + floor and (off > 0.5 * own or off > FITTED / STILL * floor):
                shown = [_words(names, values, known, floor) for values in (written, used)]
                lines.append(f"given {shown[0]}, the run begins with {shown[1]} {system.model.units.symbol(unit)}")
        if lines:
            found.append(f"{body.label}: its initial velocity is not kept: {'; '.join(lines)}")
    more = len(found) - SHOWN
    found = [
        f"{text}; joints and motions do not allow the one given: give one that fits them, or leave components out, "
        "which then follow"
        for text in found[:SHOWN]
    ]
    return [*found, f"initial velocities of {more} more parts are not kept"] if more > 0 else found


def _words(names: tuple[str, ...], values: np.ndarray, known: np.ndarray, floor: float) -> str:
    """``vx = 1, vz = 0``: the components that were given; what is roundoff is zero."""
    return ", ".join(
        f"{name} = {0.0 if abs(x) <= floor else x:.4g}" for name, x, given in zip(names, values, known) if given
    )


def _travel(system: Any, k: int, body: Any, state: np.ndarray) -> np.ndarray:
    """Velocity of the centre of mass in the axes in which it is given."""
    v = state[layout.VELOCITY]
    return v if body.vm is None else system.design_axes(body.vm).T @ v


def _spin(system: Any, k: int, body: Any, state: np.ndarray) -> np.ndarray:
    """Angular velocity about the axes about which it is given: of a marker as drawn, or of the cm marker, which go with
    the part."""
    if body.wm is not None:
        return system.design_axes(body.wm).T @ (from_quaternion(state[layout.QUATERNION]) @ state[layout.SPIN])
    cm = system.model.markers.get(body.cm) if body.cm is not None else None
    own = system.local[k].axes @ state[layout.SPIN]
    return own if cm is None else cm.frame.axes.T @ own


def _coordinates(system: Any, y: np.ndarray) -> list[str]:
    """Modes and sliding masses: their coordinates and rates."""
    out: dict[str, list[str]] = {}
    bodies = system.bodies
    for what, read in (("coordinate", layout.coordinates), ("rate", layout.coordinate_rates)):
        given, used = read(system.y_bodies, bodies), read(y, bodies)
        largest = float(np.abs(np.concatenate([given, used])).max(initial=0.0))
        for i in (*system.modal, *system.sliding):
            if given[i] != 0.0 and abs(used[i] - given[i]) > KEPT * max(abs(given[i]), abs(used[i])) + STILL * largest:
                label = system.tail[i].label
                where = f"of mode {system.tail_numbers[i] + 1} " if system.tail[i].KIND == "FLEXIBILITY" else ""
                out.setdefault(label, []).append(
                    f"{what} {where}given {given[i]:.4g}, the run begins with {used[i]:.4g}"
                )
    return [
        f"{label}: initial values are not kept: "
        f"{'; '.join(texts[:SHOWN])}{f' and {len(texts) - SHOWN} more' if len(texts) > SHOWN else ''}; "
        "joints and motions do not allow those given"
        for label, texts in out.items()
    ]
