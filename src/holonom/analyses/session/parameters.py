"""Numbers of elements (stiffness, damping, preload, the coefficients of a contact) that change while a simulation is
stepped.

Springs, bushings, beams and fields have a row of numbers in the tables of the equations of motion
(`elements.forces.pair_kinds`), contacts rows of their law and friction (`contact.tables`): they are written again where
they lie, and nothing is built or compiled; what points of contact remember stays, and the integrator restarts after
the jump.  Any other element is drawn anew: the analysis closes, and opens again with the same options at the state
there is. In both ways what the change of a number does to the stored energy at once is work that its owner puts in:

    W += V(q, p_new) - V(q, p_old),

so that the audit of energy holds over it.  What was changed when is in ``run.info["parameters"]``.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ...elements.forces.pair_kinds import PAIR_KINDS
from ...model import ModelError
from ...model.base import ELEMENT_TYPES, Element, close_word, did_you_mean, kinds_of, shown
from ...model.implausible import findings
from ...model.kinds import misfit
from ...model.validate import faults_of

if TYPE_CHECKING:
    from .simulation import Simulation

Change = tuple[float, str, int, str, Any, Any]  # time, kind, id, field, value before, value after


def parameters_of(element: Element) -> list[str]:
    """Names of the fields of an element that hold numbers, alone or as vectors, and may change while it acts."""
    if element.ROLE != "force" and element.KIND != "CONTACT":
        return []
    fixed = {"id", "name", "source", *element.REFERENCES}
    return [f.name for f in fields(element) if f.name not in fixed and _numbers(getattr(element, f.name))]  # type: ignore[arg-type]


def _numbers(value: Any) -> bool:
    one = lambda v: isinstance(v, float) and math.isfinite(v)
    return one(value) or (isinstance(value, tuple) and bool(value) and all(map(one, value)))


def element_of(model: Any, what: Any) -> Element:
    """The force or contact that is meant: itself, its name, or "KIND/id".  Raises ModelError for none and for
    several."""
    if isinstance(what, Element):
        return model.find(what.KIND, what)
    if not isinstance(what, str):
        raise ModelError(
            f"{shown(what)} is not an element; give a force or contact, its name, or a text like 'BUSHING/3'"
        )
    kinds = [*kinds_of("force"), "CONTACT"]
    kind, slash, number = what.strip().partition("/")
    if slash and kind.upper() in ELEMENT_TYPES:
        return model.find(kind.upper(), number)
    key = what.strip().lower()
    named = [e for kind in kinds for e in model.table(kind).values() if e.name]
    found = [e for e in named if e.name.lower() == key] or [e for e in named if e.name.lower().rsplit(".")[-1] == key]
    if len(found) > 1:
        raise ModelError(f"'{what}' is the name of {', '.join(e.label for e in found[:4])}; give the element itself")
    if not found:
        close = close_word(what, [e.name for e in named])
        hint = f"; did you mean '{close}'?" if close else "; give its name, or a text like 'BUSHING/3'"
        raise ModelError(f"there is no force or contact named '{what}'{hint}")
    return found[0]


def fitting(sim: Any, element: Element, name: str, value: Any) -> Any:
    """The value as the field holds it.  Raises ModelError for a field that is not a parameter, and for what the model
    refuses."""
    known = parameters_of(element)
    if name not in known:
        have = did_you_mean(name, known) if known else "; those of forces and contacts may change"
        raise ModelError(f"{element.label} has no parameter {shown(name)}{have}")
    old = getattr(element, name)
    given = np.asarray(value, float).tolist() if isinstance(value, (np.ndarray, np.number)) else value
    if isinstance(given, (list, tuple)):
        given = tuple(float(v) if isinstance(v, int) and not isinstance(v, bool) else v for v in given)
    elif isinstance(given, int) and not isinstance(given, bool):
        given = float(given)
    wanted = misfit(type(element), name, given)
    if (
        wanted
        or not _numbers(given)
        or isinstance(given, tuple) != isinstance(old, tuple)
        or (isinstance(old, tuple) and len(given) != len(old))
    ):
        raise ModelError(
            f"{element.label}: {name.upper()} is {shown(value)}; give "
            f"{wanted or 'finite numbers, as many as there are'}"
        )
    before = set(faults_of(sim.model, element))
    doubted = {text: certain for certain, text in findings(sim.model, element)}
    setattr(element, name, given)
    wrong = [text for text in faults_of(sim.model, element) if text not in before]
    doubts = [(certain, text) for certain, text in findings(sim.model, element) if text not in doubted]
    setattr(element, name, old)
    # what a dataset was allowed to have before is not refused now
    wrong += [text for certain, text in doubts if certain and not any(doubted.values())]
    if wrong:
        raise ModelError(f"{element.label}: {wrong[0]}")
    for _, text in doubts:
        sim.warn(f"{element.label}: {text}")
    return given


def set_parameter(sim: Simulation, element: Element | str, name: str, value: Any) -> None:
    """Give a number of a force or contact (stiffness, damping, preload, coefficient of friction; its field
    ``name``) a value from now on, in model units.  ``element``: itself, its name, or a text such as
    "SPRINGDAMPER/3".

    Those of springs, bushings, beams, fields and contacts are written into the tables of the open analysis, and the
    integrator restarts after the jump; what other elements have opens it again, as do friction and resistances
    that a contact had none of.  The energy that springs store more or less at once is booked as work put in.  The
    model of the simulation is changed. Raises ModelError for an element of another model, a name that none or
    several have, a field that is no such number, and a value that the model or the builder of the element refuses.
    """
    element = element_of(sim.model, element)
    new, old = fitting(sim, element, name, value), getattr(element, name)
    if new == old:
        return
    stepping = sim._stepping
    stepped = stepping is not None and not stepping.left
    before = _stored(sim) if stepped else 0.0
    setattr(element, name, new)
    try:
        written = stepped and _write(sim, element)
        if stepped and not written:
            sim.close()
            sim.open(**(sim._opening or {}))
    except ModelError:
        setattr(element, name, old)
        raise
    if stepped:
        _book(sim, _stored(sim) - before, not written)
    else:
        sim._prepared = None
    sim.recorder.keep_number(element, name, new)
    sim.parameters.append((float(sim.time), element.KIND, element.id, name, old, new))


def put_back(sim: Any, count: int) -> None:
    """Parameters are what they were when ``count`` of the changes had been made; of a snapshot."""
    while len(sim.parameters) > count:
        _, kind, number, name, old, _ = sim.parameters.pop()
        element = sim.model.table(kind)[number]
        setattr(element, name, old)
        sim.recorder.keep_number(element, name, old)
        _write(sim, element, jump=False)


def _write(sim: Any, element: Element, jump: bool = True) -> bool:
    """Write the numbers of an element again where the system has them; False where it has no row of its own, or tables
    change with SWITCHes."""
    system = sim.system
    if system is None or sim.model.table("SWITCH"):
        return False
    if element.KIND == "CONTACT":
        if not (system.contacts.on and system.contacts.rewrite(element)):
            return False
    else:
        place = row_of(system, element)
        if place is None:
            return False
        q, k, source = place
        system.S.pairs.t[q][k] = source.row(element, sim.model)
    sim.systems.forget(system)  # it is no longer the one of the drawing that it was built of
    stepping = sim._stepping
    stepping.fresh = False
    stepping.jumps = stepping.jumps or jump
    return True


def row_of(system: Any, element: Element) -> tuple[int, int, Any] | None:
    """Table and row of an element among the pair forces, and what makes rows; None where it has none."""
    for q, kind in enumerate(PAIR_KINDS):
        for k, e in enumerate(system.functions.pair_elements[kind.name]):
            if e is element:
                return q, k, next(s for s in kind.sources if s.ELEMENT == element.KIND and s.takes(element))
    return None


def _stored(sim: Any) -> float:
    """Energy of springs, preloads and contacts at the present state."""
    stepping = sim._stepping
    if not stepping.dynamics.work.on:
        return 0.0
    r = stepping.dynamics.recorder
    r.evaluate(sim.time, sim.y.copy(), 0)
    stepping.fresh = False
    return float(r.outputs.energy[2])


def _book(sim: Any, energy: float, opened: bool) -> None:
    """What was put in at once, nothing where forces have no energy (NaN); an analysis that was ``opened`` for it has
    its first row already."""
    d = sim._stepping.dynamics
    if d.work.on and math.isfinite(energy):
        d.recorder.work = d.recorder.work + np.array([energy, 0.0])
        if opened and d.keeps:
            d.recorder.rows["energy_input"][-1] += energy


def words(changes: list[Change]) -> list[str]:
    """One message for each parameter that was changed."""
    by: dict[tuple[str, int, str], list[Change]] = {}
    for c in changes:
        by.setdefault(c[1:4], []).append(c)
    out = []
    for (kind, number, name), rows in by.items():
        when = (
            f"at time {rows[0][0]:.6g}"
            if len(rows) == 1
            else f"{len(rows)} times from time {rows[0][0]:.6g} to {rows[-1][0]:.6g}"
        )
        out.append(
            f"{name.upper()} of {kind}/{number} was changed {when}, from {_short(rows[0][4])} to "
            f"{_short(rows[-1][5])}; the model has the last value"
        )
    return out


def _short(value: Any) -> str:
    return ", ".join(f"{v:.6g}" for v in value) if isinstance(value, tuple) else f"{value:.6g}"
