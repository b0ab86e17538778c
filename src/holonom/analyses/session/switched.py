"""What elements that are switched on and off between analyses do to the state, as text.

What is switched off acts no more from one moment to the next: velocities stay as they are, reactions vanish, stored
energy is lost. What is switched on and constrains acts as an impact without rebound: u+ = u - M^-1 G^T (G M^-1 G^T)^-1
(G u + phi_t); it takes kinetic energy, and of the momentum only what ground receives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._jit import interpreted
from ...contact.tables import C_STORED
from ...elements.bodies import layout
from ...elements.bodies.coordinates import rotations
from ...elements.bodies.momentum import momentum
from ...elements.bodies.rigid import kinetic_energy
from ...elements.forces.pair_kinds import PAIR_KINDS
from ...model import ModelError
from ...model.base import Element, kinds_of
from ..dynamics.work import roundoff

if TYPE_CHECKING:
    from .simulation import Simulation

CONSTRAINTS = tuple(kinds_of("constraint"))
TINY = 1e-9  # of the largest force: reactions below it are roundoff
NAMED = 3  # elements that are named where more are switched off together


@dataclass
class Loss:
    """What is lost where an element is switched off: ``carries`` as text, ``energy`` stored, ``size`` to sort by
    (energy, or force and torque)."""

    element: Element
    time: float
    carries: str
    energy: float
    size: float


def loss_messages(losses: list[Loss], unit: Any) -> list[str]:
    """One message for each loss, or, where more than `NAMED` elements lose of a kind, one for all of them that names
    the largest."""
    out: list[str] = []
    for stored in (True, False):
        kind = [x for x in losses if (x.energy > 0.0) == stored]
        if len(kind) <= NAMED:
            out += [_sentence(x, unit) for x in kind]
            continue
        kind.sort(key=lambda x: -x.size)
        energy = lambda x: f"the energy {x.energy:.4g} {unit('energy')}"
        names = "; ".join(f"{x.element.label} {energy(x) if stored else x.carries}" for x in kind[:NAMED])
        what = (
            f"the energy {sum(x.energy for x in kind):.4g} {unit('energy')} that they store is lost, the most by"
            if stored
            else "these vanish at once, positions and velocities stay as they are; the largest are of"
        )
        while_ = "act" if stored else "carry forces or torques"
        out.append(
            f"{len(kind)} elements are switched off while they {while_}, at time {kind[0].time:.6g}: {what} {names}; "
            f"and {len(kind) - NAMED} more"
        )
    return out


def _sentence(x: Loss, unit: Any) -> str:
    head = f"{x.element.label} is switched off while it"
    if x.energy > 0.0:
        return (
            f"{head} {x.carries}, at time {x.time:.6g}: the energy {x.energy:.4g} {unit('energy')} that it stores "
            "is lost"
        )
    return (
        f"{head} carries {x.carries}, at time {x.time:.6g}: this vanishes at once, positions and velocities stay as "
        "they are"
    )


def discarded(simulation: Any, elements: list[Element]) -> list[Loss]:
    """What is lost by each element that acts at present and is switched off."""
    system, t = simulation.system, simulation.time
    going = [e for e in elements if e.active]
    if system is None or not going or not hasattr(simulation, "y"):
        return []
    unit = simulation.model.units.symbol
    out: list[Loss] = []
    contacts = system.contacts
    if contacts.on and any(e.KIND == "CONTACT" for e in going):
        for e, energy in zip(contacts.elements, contacts.sum(t, simulation.y)[:, C_STORED]):
            if energy > 0.0 and e.active and any(e is other for other in going):
                out.append(Loss(e, t, "acts", energy, energy))
    springs = {
        (e.KIND, e.id): (kind, k) for kind, rows in system.functions.pair_elements.items() for k, e in enumerate(rows)
    }
    wanted = [e for e in going if e.KIND in CONSTRAINTS or (e.KIND, e.id) in springs]
    if not wanted:
        return out
    simulation.recorder.evaluate(t, simulation.y.copy(), 0)
    wrenches = system.wrenches.out
    size = np.linalg.norm(wrenches.reshape(-1, 2, 2, 3), axis=3).max(axis=1, initial=0.0)  # (n, 2): force, torque
    weight = float(system.bodies.mass.sum() * np.linalg.norm(system.bodies.gravity))
    least = TINY * np.maximum(size.max(axis=0, initial=0.0), (weight, weight * system.extent))
    for e in wanted:
        row = system.functions.element_source(e.KIND, e.id)
        if row is None:
            continue
        force, torque = (float(np.linalg.norm(wrenches[row, k : k + 3])) for k in (0, 3))
        carries = [
            f"a {word} of {x:.4g} {unit(word)}"
            for word, x, none in (("force", force, least[0]), ("torque", torque, least[1]))
            if x > none
        ]
        energy = _stored(system, *springs[e.KIND, e.id]) if (e.KIND, e.id) in springs else 0.0
        if energy > 0.0:
            out.append(Loss(e, t, f"carries {' and '.join(carries)}" if carries else "stores energy", energy, energy))
        elif carries:
            out.append(Loss(e, t, " and ".join(carries), 0.0, max(force, torque / system.extent)))
    return out


def _stored(system: Any, kind: str, k: int) -> float:
    """Energy of a spring, bushing, beam or field; NaN where it has none."""
    pairs, q = system.S.pairs, next(q for q, one in enumerate(PAIR_KINDS) if one.name == kind)
    row = pairs.first[q] + k
    energy = interpreted(PAIR_KINDS[q].law.energy)  # once a switch: not worth a compilation
    i, j = int(pairs.i[row]), int(pairs.j[row])
    return float(energy(pairs.t[q], k, i, j, system.S.fr, pairs.ref[pairs.first[q] :]))


def carried_over(system: Any, t: float, before: np.ndarray, after: np.ndarray, moved: float, names: list[str]) -> str:
    """What the constraints of another system change in a state that is carried over; empty where that is roundoff."""
    bodies, n = system.bodies, system.nb
    have = [_momentum(system, y) for y in (before, after)]
    kinetic = [kinetic_energy(bodies, y) + system.drive_energy(y) for y in (before, after)]
    unit = system.model.units.symbol
    parts = []
    if moved > 1e-6 * system.extent:
        parts.append(f"parts are moved by up to {moved:.4g} {unit('length')} to fit")
    lost = kinetic[0] - kinetic[1]
    if abs(lost) > max(1e-8 * max(kinetic), roundoff(system)):
        v = layout.velocities(before, n)
        given = have[1] - have[0]
        scale = (bodies.mass * np.linalg.norm(v, axis=1)).sum()
        to_ground = np.abs(given[:3]).max() > 1e-8 * scale
        text = (
            f"velocities jump as by an impact, and {abs(lost):.4g} {unit('energy')} of kinetic energy "
            f"{'are lost' if lost > 0 else 'are put in'}"
        )
        total = ", ".join(f"{x:.4g}" for x in given[:3])
        parts.append(
            text
            + (
                f"; ground supplies the momentum ({total}) {unit('momentum')}"
                if to_ground
                else "; the momentum of all parts is unchanged"
            )
        )
    if not parts:
        return ""
    what = (
        f"what is switched on ({', '.join(names[:5])}{', ...' if len(names) > 5 else ''})"
        if names
        else "the constraints of this analysis"
    )
    return f"at time {t:.6g} {what} must hold at once: {'; '.join(parts)}"


def _momentum(system: Any, y: np.ndarray) -> np.ndarray:
    """Momentum and angular momentum (6,) at y."""
    R, out = np.tile(np.eye(3).ravel(), (system.nb + 1, 1)), np.zeros(18)
    rotations(system.bodies, y, R)
    momentum(system.bodies, y, R, np.zeros(system.bodies.moves), np.zeros(6), out)
    return out[:6]


def activate(sim: Simulation, what: Any, *which: Any) -> list[Element]:
    """Switch elements on before the next analysis: see `deactivate`."""
    return _switch(sim, True, what, which)


def deactivate(sim: Simulation, what: Any, *which: Any) -> list[Element]:
    """Switch elements off before the next analysis, which starts from the present state; returns them.

    ``what``: elements themselves, or a kind ("CONTACT", "JOINT", "MOTION", "SFORCE", "SENSOR", ...) followed by ids
    or names; a kind alone means all of it.  A name of a CONTACT may be that of a group.  The model of the
    simulation is changed.
    """
    return _switch(sim, False, what, which)


def _switch(sim: Simulation, on: bool, what: Any, which: tuple) -> list[Element]:
    if not isinstance(what, str):
        elements = [e for one in (what, *which) for e in (one if isinstance(one, (list, tuple)) else (one,))]
        for e in elements:
            if not isinstance(e, Element) or sim.model.table(e.KIND).get(e.id) is not e:
                raise ModelError(
                    f"{getattr(e, 'label', repr(e))} is not an element of this simulation's model; give a kind "
                    "and an id"
                )
    else:
        kind = what.upper()
        table = sim.model.table(kind)  # raises for an unknown kind
        elements = [] if which else list(table.values())
        for one in which:
            group = sim.model.contacts_of(one) if kind == "CONTACT" and isinstance(one, str) else []
            elements += group or [sim.model.find(kind, one)]
    return sim.switch(elements, on)


def switch(sim: Simulation, elements: list[Element], on: bool, *, tell: bool = True) -> list[Element]:
    """Set ``active`` of elements of this model, and what goes with it: sensors, and a word on the energy and the
    reactions that are lost, at once or (``tell=False``) with those of later calls by `report_losses`."""
    sim.close()
    sensors = {e.id for e in elements if e.KIND == "SENSOR"}
    carried = sim.carried
    carried.disabled = carried.disabled - sensors if on else carried.disabled | sensors
    if not on:
        carried.senval.update(dict.fromkeys(sensors, 0.0))  # what a sensor that is off has stored is not reported
        sim._losses += discarded(sim, elements)
        sim._woken = [e for e in sim._woken if not any(e is other for other in elements)]
    else:
        sim._woken += [e for e in elements if not e.active]
    for e in elements:
        e.active = on
    sim._prepared = None
    if tell:
        sim.report_losses()
    return elements


def report_losses(sim: Simulation) -> None:
    """What elements that were switched off have lost."""
    for text in loss_messages(sim._losses, sim.model.units.symbol):
        sim.say(text)
    sim._losses.clear()


def woken_contacts(sim: Simulation) -> set[int]:
    """Ids of contacts that were switched on since the last analysis; they are reported once."""
    woken = {e.id for e in sim._woken if e.KIND == "CONTACT"}
    sim._woken = []
    return woken
