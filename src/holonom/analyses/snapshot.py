"""All that changes while an analysis goes on, kept in memory, and put back in place: `Simulation.snapshot` and `restore`.

Everything that is reached from the open analysis is kept as it is: arrays by their numbers, objects and lists by what they hold.  Arrays are put back where
they are, since compiled code holds their addresses; so the integrator goes on with its history, step and matrices, and what follows has the bits that it had.
Elements of the model and tables of a system that nothing changes are not entered.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ..system.build import System
from ..system.equations import Equations

#: parts of the package whose objects change during an analysis; those of others hold what stays
LIVING = (
    "holonom.analyses.", "holonom.integrators.", "holonom.linalg.", "holonom.system.outputs", "holonom.system.contacts", "holonom.system.contact_",
    "holonom.system.implicit", "holonom.system.delassus", "holonom.system.active_rows", "holonom.system.multipliers", "holonom.system.planar",
    "holonom.system.workspace",
)  # fmt: skip
#: of a system and of its equations: what changes
PARTS: dict[type, tuple[str, ...]] = {
    System: ("workspace", "wrenches", "contacts"),
    Equations: ("S", "W", "ldl", "explicit", "stages", "weighted"),
}
OUTSIDE = ("Simulation", "Recorder", "Stepping", "Progress")  # kept by `Snapshot` itself, or not at all

_known: dict[type, int] = {}
LEAF, ARRAY, SEQUENCE, LIST, MAPPING, DEQUE, SET, OBJECT, VALUE = range(9)


def _sort(kind: type) -> int:
    """How things of a type are kept."""
    if issubclass(kind, np.ndarray):
        return ARRAY
    if issubclass(kind, tuple):
        return SEQUENCE
    for base, sort in ((list, LIST), (dict, MAPPING), (deque, DEQUE), (set, SET), (System, VALUE), (Equations, VALUE)):
        if issubclass(kind, base):
            return sort
    living = kind.__module__.startswith(LIVING) and kind.__name__ not in OUTSIDE and not issubclass(kind, type)
    return OBJECT if living and hasattr(kind, "__dict__") else LEAF


class Memento:
    """What ``roots`` and all that they lead to hold now; `put_back` makes it so again."""

    def __init__(self, *roots: Any):
        self.arrays: list[tuple[np.ndarray, np.ndarray]] = []
        self.lists: list[tuple[Any, list]] = []
        self.dicts: list[tuple[dict, dict]] = []
        seen: set[int] = set()
        stack: list[Any] = list(roots)
        while stack:
            thing = stack.pop()
            kind = type(thing)
            sort = _known.get(kind)
            if sort is None:
                sort = _known[kind] = _sort(kind)
            if sort == LEAF or id(thing) in seen:
                continue
            seen.add(id(thing))
            if sort == ARRAY:
                if thing.dtype == object:
                    stack.extend(thing.ravel().tolist())
                elif thing.flags.writeable:
                    self.arrays.append((thing, thing.copy()))
            elif sort == SEQUENCE:
                stack.extend(thing)
            elif sort == MAPPING:
                self.dicts.append((thing, dict(thing)))
                stack.extend(thing.values())
            elif sort == VALUE:
                held = vars(thing)
                self.dicts.append((held, dict(held)))
                stack.extend(held[name] for name in PARTS[kind] if name in held)
            elif sort == OBJECT:
                held = vars(thing)
                self.dicts.append((held, dict(held)))
                stack.extend(held.values())
            else:
                kept = list(thing)
                self.lists.append((thing, kept))
                stack.extend(kept)
        self.roots = roots

    def put_back(self) -> None:
        for d, held in self.dicts:
            d.clear()
            d.update(held)
        for thing, kept in self.lists:
            thing.clear()
            (thing.update if isinstance(thing, set) else thing.extend)(kept)
        for array, numbers in self.arrays:
            array[...] = numbers


#: of a simulation and of its recorder: what is bound anew; collections are copied
OF_SIMULATION = (
    "time",
    "y",
    "system",
    "assembly",
    "halted",
    "returned",
    "stopped",
    "_senval",
    "_samples",
    "_switched",
    "_held",
    "_disabled_sensors",
    "switchings",
)
OF_RECORDER = ("work", "impulse", "means", "doubtful_turns", "_angle_shift", "system", "outputs", "_row_of_body", "_constraint_source", "_force_source", "_axes",
               "_contact_row", "_request_row", "_variable_row", "_state_row", "states", "counters")  # fmt: skip


class Snapshot:
    """A moment of a simulation that is stepped; `Simulation.restore` returns to it as often as wanted."""

    def __init__(self, stepping: Any):
        sim, recorder = stepping.sim, stepping.sim.recorder
        self.stepping = stepping
        #: [units of time]
        self.time = float(sim.time)
        own = {name: value for name, value in vars(stepping).items() if name not in ("sim", "dynamics", "given", "options", "bar")}
        self._own = own
        self._sim = {name: getattr(sim, name) for name in OF_SIMULATION}
        self._recorder = {name: getattr(recorder, name) for name in OF_RECORDER}
        collections = [v for v in (*self._sim.values(), *self._recorder.values()) if isinstance(v, (dict, list, set, np.ndarray))]
        self._courses = dict(sim.inputs.courses)
        self._lengths = {name: len(rows) for name, rows in recorder.rows.items()}
        self._history, self._impacts = len(recorder.history), len(recorder.impacts)
        self._segments = [(s, s.end) for s in recorder.segments]
        self._memento = Memento(stepping.dynamics, sim.system, collections, recorder.momentum, [sim.y])

    def __repr__(self) -> str:
        return f"<Snapshot at time {self.time:.9g}>"

    def put_back(self) -> None:
        """The simulation is as it was."""
        stepping = self.stepping
        sim, recorder = stepping.sim, stepping.sim.recorder
        vars(stepping).update(self._own)
        for owner, held in ((sim, self._sim), (recorder, self._recorder)):
            for name, value in held.items():
                setattr(owner, name, value)
        self._memento.put_back()
        sim.inputs.courses = dict(self._courses)
        for name, rows in recorder.rows.items():
            del rows[self._lengths.get(name, 0) :]
        del recorder.history[self._history :], recorder.impacts[self._impacts :]
        recorder.segments[:] = [s for s, _ in self._segments]
        for s, end in self._segments:
            s.end = end
