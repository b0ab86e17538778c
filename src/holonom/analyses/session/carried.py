"""What continues from one analysis of a simulation to the next, by the elements of the drawing: systems with other
joints or forces can take it over."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...elements.bodies import layout
from ...elements.bodies.absolute import accept
from ...model import Model
from ...results.files.state import SavedState
from ...system.build import System
from ...system.delay import Past
from ...system.reference import continue_angles, present_angles
from ..dynamics.topology import acting, switches_of
from ..holding import found, hold


class Carried:
    """See the module's text."""

    def __init__(self, model: Model):
        #: state of each body by (KIND, id), `elements.bodies.layout`; of all grains of an element by ("GRAINS", id) (n,
        #: STATE); further states by their keys
        self.state: dict[tuple, Any] = {}
        #: of points of contacts, `system.contacts.Contacts.memories`
        self.memories: dict = {}
        #: continuous angles, `system.reference.counted_angles`
        self.angles: dict[tuple, float] = {}
        #: time of the next sample of a GSE or block, and of the next release of its outputs (`dynamics.sampling`)
        self.samples: dict[tuple[str, int], float] = {}
        #: text of a delayed expression -> its values in the steps so far
        self.past: dict[str, Past] = {}
        #: SENSOR -> the value that it stored last
        self.senval: dict[int, float] = {}
        #: SENSORs that are switched off
        self.disabled: set[int] = set()
        #: SWITCH -> its state
        self.switched: dict[int, str] = {s.id: s.first for s in switches_of(model)}
        #: what elements hold that hold what they find
        self.held: dict[tuple[str, int], Any] = {}

    def keep(self, system: System, y: np.ndarray) -> None:
        """The present state y of a system."""
        for key, b in system.body_index.items():
            if b < system.nb:
                self.state[key] = layout.body(y, b).copy()
        for g in system.grains:
            self.state["GRAINS", g.element.id] = kept = np.full((len(g.element), layout.STATE), np.nan)
            kept[g.slots] = g.state(y)
        for k, key in enumerate(system.functions.states):
            self.state[key] = float(y[system.bodies.end + k])
        self.state |= {key: float(y[at]) for key, at in system.tail_places().items()}
        accept(system.bodies, y)
        for mesh, kept in system.remembered().items():
            self.state |= {("REMEMBERED", mesh, k): float(v) for k, v in enumerate(kept.ravel())}
        self.state = {key: value for key, value in self.state.items() if key[0] != "SAMPLE"}
        self.state |= {("SAMPLE", *key): t for key, t in self.samples.items()}
        self.memories = system.contacts.memories()
        self.angles |= present_angles(system)

    def restore(self, system: System) -> None:
        """Begin a system where others ended; what they did not have begins at the design position."""
        for key, b in system.body_index.items():
            if key in self.state and b < system.nb:
                layout.body(system.y0, b)[:] = self.state[key]
                layout.body(system.y_bodies, b)[:] = self.state[key]
        for g in system.grains:
            kept = self.state.get(("GRAINS", g.element.id), np.zeros((0, layout.STATE)))
            old = g.slots < len(kept)
            old[old] = np.isfinite(kept[g.slots[old]]).all(axis=1)
            for y in (system.y0, system.y_bodies):
                g.state(y)[old] = kept[g.slots[old]]
        for k, key in enumerate(system.functions.states):
            if key in self.state:
                system.y0[system.bodies.end + k] = self.state[key]
        for coordinate, at in system.tail_places().items():
            if coordinate in self.state:
                system.y0[at] = system.y_bodies[at] = self.state[coordinate]
        for mesh, kept in system.remembered().items():
            kept[:] = np.reshape([self.state.get(("REMEMBERED", mesh, k), 0.0) for k in range(kept.size)], kept.shape)
        continue_angles(system, self.angles)

    def hold(self, system: System, t: float) -> None:
        """Elements that hold what they find hold it on; those that are on from the start hold the design position."""
        if not system.holding:
            return
        on = acting(switches_of(system.model), self.switched) & system.holding
        fresh = [ref for ref in sorted(on) if ref not in self.held]
        self.held |= found(system, fresh, t, system.y0)
        hold(system, {ref: self.held[ref] for ref in on if ref in self.held})

    # ---- to disk and back -------------------------------------------------------------------------------------------
    def saved(self, model: Model, t: float) -> SavedState:
        """What goes to a file at time t."""
        return SavedState(
            t,
            model,
            dict(self.state),
            dict(self.senval),
            set(self.disabled),
            dict(self.memories),
            dict(self.switched),
            dict(self.held),
            dict(self.angles),
            past={text: past.rows for text, past in self.past.items()},
        )

    def take(self, saved: SavedState, model: Model) -> None:
        """Continue from what was saved, with ``model``."""
        self.state, self.senval, self.memories = dict(saved.state), dict(saved.senval), dict(saved.memories)
        self.switched = {s.id: s.first for s in switches_of(model)} | saved.switched
        self.held, self.angles = dict(saved.held), dict(saved.angles)
        self.past = {text: Past.of(rows) for text, rows in saved.past.items()}
        clocks = {key[1:]: t for key, t in saved.state.items() if key[0] == "SAMPLE"}
        # former files have the ids of GSE alone
        self.samples = {key if len(key) > 1 else ("GSE", *key): t for key, t in clocks.items()}
