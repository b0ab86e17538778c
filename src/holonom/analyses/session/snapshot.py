"""All that changes while an analysis goes on, kept in memory, and put back in place: `Simulation.snapshot` and
`restore`.

Everything that is reached from the open analysis is kept as it is (`Memento`); so the integrator goes on with its
history, step and matrices, and what follows has the bits that it had.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from .memento import Memento
from .parameters import put_back

#: of a simulation and of its recorder: what is bound anew; collections are copied
OF_SIMULATION = (
    "time",
    "y",
    "system",
    "assembly",
    "halted",
    "returned",
    "stopped",
    "switchings",
)
OF_RECORDER = (
    "work",
    "impulse",
    "means",
    "doubtful_turns",
    "system",
    "outputs",
    "_bodies_in",
    "_loads_in",
    "_contacts_in",
    "_requests_in",
    "_variables_in",
    "_angles_in",
    "_surfaced",
    "_has_surfaces",
    "_state_row",
    "states",
    "counters",
)


class Snapshot:
    """A moment of a simulation that is stepped; `Simulation.restore` returns to it as often as wanted."""

    def __init__(self, stepping: Any):
        sim, recorder = stepping.sim, stepping.sim.recorder
        self.stepping = stepping
        #: [units of time]
        self.time = float(sim.time)
        own = {
            name: value
            for name, value in vars(stepping).items()
            if name not in ("sim", "dynamics", "given", "options", "bar")
        }
        self._own = own
        self._sim = {name: getattr(sim, name) for name in OF_SIMULATION}
        self._recorder = {name: getattr(recorder, name) for name in OF_RECORDER}
        self._carried = dict(vars(sim.carried))
        collections = [
            v
            for v in (*self._sim.values(), *self._carried.values(), *self._recorder.values())
            if isinstance(v, (dict, list, set, np.ndarray))
        ]
        self._courses = dict(sim.inputs.courses)
        self._changed = len(sim.parameters)
        self._lengths = {name: len(rows) for name, rows in recorder.rows.items()}
        self._history, self._impacts = len(recorder.history), len(recorder.impacts)
        self._segments = [(s, s.end) for s in recorder.segments]
        arrays = [recorder.momentum, recorder.peaks.maxima, recorder.peaks.along]
        self._fmus = sim.fmus.keep()
        if self._fmus:
            weakref.finalize(self, sim.fmus.drop, self._fmus).atexit = False
        self._memento = Memento(stepping.dynamics, sim.system, collections, *arrays, [sim.y])

    def __repr__(self) -> str:
        return f"<Snapshot at time {self.time:.9g}>"

    def put_back(self) -> None:
        """The simulation is as it was."""
        stepping = self.stepping
        sim, recorder = stepping.sim, stepping.sim.recorder
        vars(stepping).update(self._own)
        for owner, held in ((sim, self._sim), (sim.carried, self._carried), (recorder, self._recorder)):
            for name, value in held.items():
                setattr(owner, name, value)
        self._memento.put_back()
        sim.fmus.restore(self._fmus)
        sim.inputs.courses = dict(self._courses)
        put_back(sim, self._changed)
        for name, rows in recorder.rows.items():
            del rows[self._lengths.get(name, 0) :]
        del recorder.history[self._history :], recorder.impacts[self._impacts :]
        recorder.segments[:] = [s for s, _ in self._segments]
        for s, end in self._segments:
            s.end = end
