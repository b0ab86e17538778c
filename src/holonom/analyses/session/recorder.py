"""Collects what a run reports, row by row, in the units and keywords of the drawing."""

from __future__ import annotations

import os
import time as clock
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._jit import Entry
from ..._warnings import warn_model
from ...contact.surfaces.columns import RESULTS
from ...contact.tables import (
    AT,
    C_DEPTH,
    C_FORCE,
    C_FRICTION,
    C_NORMAL,
    C_POINT,
    C_POINTS,
    C_RATE,
    C_TORQUE,
    FORCE,
    POINTS,
)
from ...elements.bodies.in_ground import ACCELERATION, PLACE, QUATERNION, SPIN, SPIN_RATE, VELOCITY
from ...elements.bodies.momentum import ANGULAR, LINEAR, MOMENTUM_DATA, OUTSIDE, momentum
from ...integrators.entry import project_state, rest
from ...model import Model, ModelError
from ...model.base import Element, kinds_of
from ...model.joint_facts import turning
from ...results._data import HISTORY_DTYPE, IMPACT_DTYPE, RunData, Segment
from ...results.files.store import RunWriter
from ...system.bulk import WIDTHS, grain_record
from ...system.flags import UNSETTLED, UNSOLVED, USER_FAILED
from ...system.multipliers import BASIC, MINIMUM_NORM, basic, minimum_norm
from ...system.outputs import Outputs
from ...system.shares import Shares
from ..checks.ranges import Excess, Lookups
from ..checks.singular import CLOSED, check, tolerance
from .columns import BodyColumns, ElementRows
from .peaks import Peaks

CONTACT_COLUMNS: dict[str, slice | int] = {
    "contact_force": slice(C_FORCE, C_FORCE + 3),
    "contact_torque": slice(C_TORQUE, C_TORQUE + 3),
    "contact_point": slice(C_POINT, C_POINT + 3),
    "contact_normal": C_NORMAL,
    "contact_friction": C_FRICTION,
    "contact_depth": C_DEPTH,
    "contact_rate": C_RATE,
    "contact_points": C_POINTS,
}
BULK = ("grains/", "sinks/", "contacts/", "KED/", "wrench/", "surface/")  # rows that become extra arrays
POINTS_KEPT = 32  # points of contacts whose forces and places a row keeps, those with the largest forces
KEEP_SECONDS = 2.0  # between two blocks of rows put on disk while a run continues


class Recorder:
    """Rows of one simulation; several segments (systems) may follow each other."""

    def __init__(self, model):
        self.model = model
        #: the model as it was at the start of the last analysis; see `keep_model`
        self.kept: Model | None = None
        self.bodies = (
            [p for p in model.parts.values() if not p.ground] + list(model.table("POINT_MASS").values()) + model.nodes()
        )
        self.constraints = [e for kind in kinds_of("constraint") for e in model.table(kind).values()]
        self.forces = [e for kind in kinds_of("force") for e in model.table(kind).values()]
        self.contacts = list(model.table("CONTACT").values())
        self._points_kept = min(POINTS_KEPT, sum(4 * max(1, len(c.igeom) * len(c.jgeom)) for c in self.contacts))
        #: largest loads along the steps
        self.peaks = Peaks([*self.constraints, *self.forces], self.contacts)
        self.grains = list(model.table("GRAINS").values())
        self.sinks = list(model.table("SINK").values())
        #: counts of sinks, see `feeding.Feeding`
        self.feeding: Any = None
        self.requests = list(model.table("REQUEST").values())
        self.variables = list(model.table("VARIABLE").values())
        self.angles = [e for e in (*model.joints.values(), *model.table("SPRINGDAMPER").values()) if turning(e)]
        #: whole turns of an angle were not sure at some step
        self.doubtful_turns = False
        self.rows: dict[str, list] = {}
        self.history: list[tuple] = []
        self.counters: dict[str, float] = {}
        self.segments: list[Segment] = []
        #: impacts of rigid contact, rows of `results._data.IMPACT_DTYPE`
        self.impacts: list[tuple] = []
        self.states: list[str] = []
        #: (kind, id, marker) of each wrench of an element that acts on several markers (`system.shares`), those of the
        #: first system
        self._share_names: list[tuple[str, int, int]] | None = None
        self.system = None
        #: file to which rows go while the run continues, so that a process that is killed leaves what it had; None:
        # none
        self.file: str | os.PathLike | None = None
        #: called with the time and the row after each row that is stored; what it raises ends the analysis as a signal
        #: to the process would
        self.follow: Callable[[float, dict[str, Any]], None] | None = None
        #: takes what the reader of the results must know of that file
        self.warn: Callable[[str], object] = warn_model
        self._writer: RunWriter | None = None
        self._written = (0, 0)  # rows and history on disk
        self._last = 0.0
        #: work put in and work lost since the start; NaN when they are not integrated
        self.work = np.zeros(2)
        #: force and moment from outside on the moving parts, and those of contacts with ground, integrated like the
        #: works
        self.impulse = np.zeros(12)
        #: the last that were known, from which the next analysis that integrates them continues
        self._known = self.work, self.impulse
        #: momentum of the moving parts and what changes it, see `elements.bodies.momentum`; in models with contacts
        self.momentum = np.zeros(MOMENTUM_DATA)
        self._outside = self.momentum[OUTSIDE:]
        #: reactions of redundant constraints, one of `system.multipliers.CHOICES`
        self.redundant = BASIC
        #: puts means over the time since the last row into the sums of contacts, ``means(t, sums)``; None: rows hold
        #: what acts at their time
        self.means: Any = None
        #: the stepper whose surfaces are constraints: rows hold their mean forces likewise, and what acts at points
        #: (``surface/ID``); None: there is none
        self.surfaces: Any = None
        #: of (element, table): where the arguments of its splines left that table (`ranges`)
        self.excesses: dict[tuple[str, str], Excess] = {}
        self._lookups: Lookups | None = None
        self._has_surfaces = False  # rows have columns of flexible surfaces
        #: label of an output whose function had no finite value -> time and value of the first, number of rows
        self.undefined: dict[str, tuple[float, float, int]] = {}

    def keep_model(self) -> None:
        """Results belong to the model as it is now, at the start of an analysis: no later change reaches them."""
        self.kept = self.model.copy()

    def keep_number(self, element: Element, name: str, value: Any) -> None:
        """A number that an analysis itself has changed; the model of former results stays as it is."""
        if self.kept is None:
            return
        table = dict(self.kept.table(element.KIND))
        if element.id in table:
            table[element.id] = twin = table[element.id]._copied()
            setattr(twin, name, value)
            self.kept = self.kept._with_tables({**self.kept._tables, element.KIND: table})

    def model_of_results(self) -> Model:
        """The model of the rows so far, which nobody changes: with its warnings, and the grains that came and went
        meanwhile."""
        if self.kept is None:
            return self.model.copy()
        grains = {n: e._copied() for n, e in self.model.table("GRAINS").items()}
        model = self.kept._with_tables(self.kept._tables | ({"GRAINS": grains} if grains else {}))
        model.warnings = list(self.model.warnings)
        return model

    def attach(self, system) -> None:
        """Begin to record a (new) system."""
        self.system = system
        if system.workspace.outputs is None:
            system.workspace.outputs = Outputs(system)
        self.outputs = system.workspace.outputs
        self._momentum = Entry(momentum)
        self._lookups = Lookups.of(system)
        keys = lambda elements: [(e.KIND, e.id) for e in elements]
        numbered = lambda elements: {key: k for k, key in enumerate(keys(elements))}
        place = system.functions._wrench_index
        self._bodies_in = BodyColumns(system, self.bodies)
        self._loads_in = ElementRows(place, keys([*self.constraints, *self.forces]))
        self._contacts_in = ElementRows(numbered(system.contacts.elements), keys(self.contacts))
        self._requests_in = ElementRows(numbered(self.outputs.requests), keys(self.requests))
        self._variables_in = ElementRows(numbered(self.outputs.variables), keys(self.variables), np.nan)
        self._angles_in = ElementRows(numbered(self.outputs.angles), keys(self.angles), np.nan)
        self._surfaced = any(e.KIND == "SURFACE_CONTACT" for e in system.ports.elements)
        states = system.tail_names() + [
            f"{key[0]}_{key[1]}" + (f"[{key[2] - 1}]" if len(key) > 2 else "") for key in system.functions.states
        ]
        if not set(states) <= set(self.states):
            self.states = states
        self._state_row = [self.states.index(s) for s in states]
        self._shares = Shares(system)
        if self._share_names is None:
            self._share_names = self._shares.names

    def evaluate(self, t: float, y: np.ndarray, sweeps: int = 1, still: bool = False) -> None:
        """Bring y onto the constraints and evaluate accelerations, multipliers, forces and outputs there; ``still``:
        while nothing moves."""
        system = self.system
        flags = system.W.flags
        flags[UNSETTLED] = flags[UNSOLVED] = 0
        project_state(system, y, t, sweeps)
        if still:
            rest(system, y, t)
        if flags[USER_FAILED]:
            system.raise_user_error(t)
        if flags[UNSOLVED]:
            self._unsolved(system.functions.set, t)
        if flags[UNSETTLED]:
            raise ModelError(
                f"at time {t:.9g} no forces are found that agree with the reactions or accelerations on which they "
                "depend "
                f"({system.lagged_words()}): there are none, or a function jumps there; smooth it, or lessen what it "
                "feeds back"
            )
        if self.redundant == MINIMUM_NORM:
            minimum_norm(system)
        elif self.redundant == BASIC:
            basic(system)
        self.outputs.evaluate(t, y)
        if flags[UNSOLVED]:
            self._unsolved(self.outputs.set, t)
        if self.contacts:
            W = system.W
            self._momentum.call(system.bodies, y, W.R, W.F, system.contacts.ground, self.momentum)

    def _unsolved(self, functions: Any, t: float) -> None:
        """Raise for a variable that depends on itself and has no value; ``functions``: those of the last evaluation."""
        k = int(self.system.W.flags[UNSOLVED]) - 1
        self.system.W.flags[UNSOLVED] = 0
        raise ModelError(
            f"at time {t:.9g} no value of {functions.functions[k].label} is found that satisfies its function, "
            "which depends on itself: there is none, or "
            "iterations from its last value (at the start from IC) do not lead there; correct the function, or "
            "give an IC nearer to the solution"
        )

    @property
    def rates(self) -> np.ndarray:
        """Powers put in and lost at the last evaluation, and the forces and moments from outside (14,)."""
        return np.concatenate((self.outputs.energy[3:], self._outside))

    def record(self, t: float, y: np.ndarray, sweeps: int = 1) -> None:
        """Evaluate and store one row; ``y`` is moved onto the constraints."""
        self.evaluate(t, y, sweeps)
        self.store(t, y)

    def note_peaks(self, t: float, along: bool = True) -> None:
        """Compare the loads of the last evaluation, at t, with the largest so far; ``along``: evaluations follow each
        other along the steps, not at rows alone."""
        self.peaks.along[0 if along else 1] = True
        if along:
            self._note_peaks(t, self.means is None)

    def _note_peaks(self, t: float, touches: bool) -> None:
        if len(self._loads_in.rows):
            self.peaks.loads(t, self._loads_in.rows, self.system.wrenches.out)
        if touches and self.contacts and self.system.contacts.on:
            self.peaks.touches(t, self._contacts_in.rows, self.system.contacts.sums)

    def watch(self, t: float, y: np.ndarray) -> None:
        """Compare arguments of splines with their tables at a state that was just evaluated: at rows, and at accepted
        steps between them."""
        if self._lookups is not None:
            self._lookups.look(t, y, self.excesses)

    def record_at_rest(self, t: float, y: np.ndarray) -> None:
        """Evaluate and store one row of an equilibrium: nothing moves, driven parts neither, so that dampers do not add
        to the forces that are in balance.

        The way from one equilibrium to the next is not followed, so that works and impulses along it are not known:
        they are NaN, but at the first row of a run, from which they are counted."""
        y = y.copy()
        self.evaluate(t, y, 1, still=True)
        kept = self.work, self.impulse
        if len(self):
            self.work, self.impulse = np.full(2, np.nan), np.full(12, np.nan)
        self.store(t, y)
        self.work, self.impulse = kept

    def store(self, t: float, y: np.ndarray) -> None:
        """Store one row at the last evaluation.  Raises IntegrationError, and stores nothing, when a joint is open
        there."""
        mean = self.surfaces is not None and self.surfaces.mean_surfaces(t)
        if mean:
            self.evaluate(t, y, 0)
        s = self.system
        if s.W.gap[0] > CLOSED * s.extent and s.W.gap[0] > tolerance(s, y, CLOSED):
            self.evaluate(t, y, 4)  # by what interpolation leaves: closed better
            check(s, t, y)
        quaternions = self.rows.get("body_quaternion")
        body = self._bodies_in.read(y, quaternions[-1] if quaternions else None)
        load, held = self._loads_in.of(s.wrenches.out), len(self.constraints)
        values = {
            "time": t,
            "body_position": body[:, PLACE:QUATERNION],
            "body_quaternion": body[:, QUATERNION:VELOCITY],
            "body_velocity": body[:, VELOCITY:ACCELERATION],
            "body_acceleration": body[:, ACCELERATION:SPIN],
            "body_angular_velocity": body[:, SPIN:SPIN_RATE],
            "body_angular_acceleration": body[:, SPIN_RATE:],
            "constraint_force": load[:held, :3],
            "constraint_torque": load[:held, 3:6],
            "force_force": load[held:, :3],
            "force_torque": load[held:, 3:6],
            "state_values": self._states(s.own_states(y)),
            "energy_kinetic": self.outputs.energy[0],
            "energy_gravity": self.outputs.energy[1],
            "energy_elastic": self.outputs.energy[2],
            "energy_input": self.work[0],
            "energy_dissipated": self.work[1],
        }
        if self.contacts:
            have, got = self.momentum, self.impulse
            values |= {
                "momentum": have[LINEAR:ANGULAR].copy(),
                "angular_momentum": have[ANGULAR:OUTSIDE].copy(),
                "impulse": got[:3].copy(),
                "angular_impulse": got[3:6].copy(),
                "contact_impulse": got[6:9].copy(),
                "contact_angular_impulse": got[9:].copy(),
            }
            if self.means is not None and s.contacts.on:
                self.means(t, s.contacts.sums)
            sums = self._contacts_in.of(s.contacts.sums)
            for name, columns in CONTACT_COLUMNS.items():
                values[name] = sums[:, columns]
            values["contacts/points"] = self._points()
        self._note_peaks(t, True)
        values |= self._several()
        values |= self._on_surfaces()
        if mean:
            self.surfaces.surfaces.present()
        requests, variables = self.outputs.request_values, self.outputs.variable_values
        values["request_values"] = self._requests_in.of(requests)
        values["variable_values"] = self._variables_in.of(variables)
        self._note_undefined(t, requests, variables)
        values["angle_values"] = self._angles()
        self.watch(t, y)
        for name, value in values.items():
            self.rows.setdefault(name, []).append(value)
        self._store_grains(y)
        if self.file is not None:
            self._stream()
        if self.follow is not None:
            self.follow(t, values)

    def _note_undefined(self, t: float, requests: np.ndarray, variables: np.ndarray) -> None:
        """Enter VARIABLE and REQUEST whose functions are not finite in a row."""
        if np.isfinite(variables).all() and np.isfinite(requests).all():
            return
        found = [(e.label, variables[k]) for e, k in zip(self.variables, self._variables_in.rows) if k >= 0]
        for e, k in zip(self.requests, self._requests_in.rows):
            found += [(f"{e.label}: F{n}", value) for n, value in enumerate(requests[k], 1)] if k >= 0 else []
        for label, value in found:
            if not np.isfinite(value):
                first = self.undefined.get(label, (float(t), float(value), 0))
                self.undefined[label] = (*first[:2], first[2] + 1)

    def _several(self) -> dict[str, np.ndarray]:
        """Wrenches (6,) of elements that act on several markers, "wrench/KIND/id/marker"; nothing acts where the
        present system has not the element."""
        found = dict(zip(self._shares.names, self._shares.evaluate()))
        none = np.zeros(6)
        return {
            f"wrench/{kind}/{ident}/{marker}": found.get((kind, ident, marker), none)
            for kind, ident, marker in self._share_names or ()
        }

    def _on_surfaces(self) -> dict[str, np.ndarray]:
        """What acts at points of flexible surfaces (k, 17), "surface/ID", from where they have been constraints on:
        there it does not follow from the motion."""
        if not self._surfaced and not self._has_surfaces:
            return {}
        self._has_surfaces = True
        ports, none = self.system.ports, np.zeros((0, 1 + RESULTS))
        found = {
            f"surface/{e.id}": skin for e, skin in zip(ports.elements, ports._tables) if e.KIND == "SURFACE_CONTACT"
        }
        for name in found if self.system.rigid else ():
            self.rows.setdefault(name, [none] * len(self))
        names = [name for name in self.rows if name.startswith("surface/")]
        return {name: found[name].acting() if name in found else none for name in names}

    def _points(self) -> np.ndarray:
        """Points of contacts that act at the last evaluation (points, 7): number of the contact, position, force on its
        I side; the largest forces first, NaN behind them.  Grains of the granular solver have none: there are too
        many."""
        out = np.full((self._points_kept, 7), np.nan, np.float32)
        W = getattr(self.system.contacts, "W", None)
        if W is None or not self.system.contacts.on or not len(out):
            return out
        n = int(W.count[POINTS])
        if not n:
            return out
        force = W.pd[:n, FORCE : FORCE + 3]
        size = np.einsum("ij,ij->i", force, force)
        order = np.argsort(-size, kind="stable")[: len(out)]
        order = order[size[order] > 0.0]
        near = W.near[W.pair[order]]
        number = {row: k for k, row in enumerate(self._contacts_in.rows.tolist()) if row >= 0}
        for k, (m, pair) in enumerate(zip(order, near)):
            out[k, 0] = number.get(int(pair[0]), np.nan)
            out[k, 1:4] = W.pd[m, AT : AT + 3]
            out[k, 4:] = -force[m] if pair[3] else force[m]
        return out

    def _angles(self) -> np.ndarray:
        """Angles of joints about z with their whole turns; NaN for what the present system does not have."""
        self.doubtful_turns = self.doubtful_turns or self.outputs.doubtful
        return self._angles_in.of(self.outputs.angles_now)

    def _store_grains(self, y: np.ndarray) -> None:
        """Arrays of all grains of an element at once; NaN where one does not exist."""
        found = {g.element.id: g for g in self.system.grains}
        touching = None
        if any(name in ("contacts", "stress") for e in self.grains for name in e.record):
            carried = self.system.workspace.touching
            touching = self.system.contacts.of_bodies(y) if carried is None else carried
        for e in self.grains:
            g = found.get(e.id)
            for name in e.record:
                row = np.full((len(e), *WIDTHS[name]), np.nan, np.float32 if e.single else float)
                if g is not None:
                    row[g.slots] = grain_record(name, g, y, touching)
                rows = self.rows.setdefault(f"grains/{e.id}/{name}", [])
                if name == "quaternion" and rows:
                    n = len(rows[-1])
                    row[:n] *= np.where((rows[-1] * row[:n]).sum(axis=1, keepdims=True) < 0, -1, 1).astype(row.dtype)
                rows.append(row)
        for sink in self.sinks:
            for name, counted in (("count", self.feeding.counts), ("mass", self.feeding.masses)):
                self.rows.setdefault(f"sinks/{sink.id}/{name}", []).append(np.float64(counted.get(sink.id, 0.0)))

    def _states(self, x: np.ndarray) -> np.ndarray:
        """States in the order of the columns, NaN for those that the present system does not have."""
        out = np.full(len(self.states), np.nan)
        out[self._state_row] = x
        return out

    def _stream(self) -> None:
        """Every two seconds, put the rows that are new on disk.  A run whose columns change half-way is written at its
        end only, one for which the disk has no space is not written any further, with a warning: its results are in
        memory."""
        now = clock.monotonic()
        if self._writer is not None and now - self._last < KEEP_SECONDS:
            return
        self._last = now
        try:
            if self._writer is None:
                self._writer = RunWriter(self.file, self.model_of_results(), self.data())
            rows, steps = self._written
            self._written = len(self), len(self.history)
            self._writer.append(self.data(rows, steps))
            self._writer.flush()
        except ModelError as error:
            if self._writer is None or self._writer.closed:
                self._unkept(error)
            self.close()

    def _unkept(self, error: ModelError) -> None:
        self.warn(
            f"rows are no longer written to disk from time {self.rows['time'][-1]:.6g} on: {error}; the run "
            f"continues in memory"
        )

    def close(self) -> None:
        """No more rows to disk as the run continues."""
        self.file = None
        writer, self._writer = self._writer, None
        if writer is not None:
            try:
                about = {"counters": self.counters, "segments": self.segments, "impacts": self.impacts}
                writer.close(**about, complete=False, peaks=self.peaks.rows())
            except ModelError as error:
                self._unkept(error)

    def __len__(self) -> int:
        return len(self.rows.get("time", ()))

    def begin(self, kind: str, settings: dict) -> None:
        self.segments.append(Segment(kind, len(self), len(self), settings))

    def integrate_works(self, on: bool) -> None:
        """Whether the analysis that begins integrates works and impulses: they continue from the last that were known,
        or are NaN in its rows."""
        if not np.isnan(self.work).any():
            self._known = self.work, self.impulse
        self.work, self.impulse = self._known if on else (np.full(2, np.nan), np.full(12, np.nan))

    def end(self) -> None:
        self.segments[-1].end = len(self)

    def step(self, step, cpu: float) -> None:
        """History rows of an accepted step and its rejected trials."""
        for t, h, order, iterations, cause in step.rejected:
            self.history.append((t, h, order, iterations, cause, cpu))
        self.history.append((step.t, step.h, step.order, step.iterations, "", cpu))

    def count(self, statistics: dict) -> None:
        for name, number in statistics.items():
            self.counters[name] = self.counters.get(name, 0) + number

    def data(self, first: int = 0, first_step: int = 0) -> RunData:
        """All rows (or those from ``first`` on, with the solver's steps from ``first_step`` on)."""
        model = self.model if self.kept is None else self.kept
        own = lambda elements: [model.table(e.KIND).get(e.id, e) for e in elements]
        keys = lambda elements: [(e.KIND, e.id, e.name) for e in own(elements)]
        arrays = {name: np.array(rows[first:]) for name, rows in self.rows.items() if not name.startswith(BULK)}
        extra = {name: _stacked(rows[first:]) for name, rows in self.rows.items() if name.startswith(BULK)}
        n = len(self) - first
        if "state_values" in arrays and (
            arrays["state_values"].ndim != 2 or arrays["state_values"].shape[1] != len(self.states)
        ):
            arrays.pop("state_values")
        for name, elements, tail in (
            ("constraint_force", self.constraints, (3,)),
            ("constraint_torque", self.constraints, (3,)),
            *(
                (name, self.contacts, (3,) if isinstance(columns, slice) else ())
                for name, columns in CONTACT_COLUMNS.items()
            ),
            ("force_force", self.forces, (3,)),
            ("force_torque", self.forces, (3,)),
            ("request_values", self.requests, (8,)),
            ("variable_values", self.variables, ()),
            ("angle_values", self.angles, ()),
            ("state_values", self.states, ()),
        ):
            if name in arrays:
                arrays[name] = arrays[name].reshape(n, len(elements), *tail)
        ends = lambda elements, side: np.array([_end(model, e, side) or 0 for e in own(elements)], np.int64)
        return RunData(
            time=arrays.pop("time", np.zeros(0)),
            bodies=keys(self.bodies),
            constraints=keys(self.constraints),
            constraint_i=ends(self.constraints, 0),
            constraint_j=ends(self.constraints, 1),
            forces=keys(self.forces),
            force_i=ends(self.forces, 0),
            force_j=ends(self.forces, 1),
            contacts=keys(self.contacts),
            requests=keys(self.requests),
            variables=keys(self.variables),
            angles=keys(self.angles),
            states=list(self.states),
            impacts=np.array(self.impacts, IMPACT_DTYPE),
            peaks=self.peaks.rows(),
            history=np.array(self.history[first_step:], HISTORY_DTYPE),
            counters=dict(self.counters),
            segments=list(self.segments),
            extra=extra,
            **arrays,
        )


def _stacked(rows: list[np.ndarray]) -> np.ndarray:
    """Rows as one array; those from before more grains came are filled up with NaN."""
    if not rows or rows[0].ndim == 0:
        return np.array(rows)
    n = max((len(r) for r in rows), default=0)
    if all(len(r) == n for r in rows):
        return np.array(rows)
    out = np.full((len(rows), n, *rows[-1].shape[1:]), np.nan, rows[-1].dtype)
    for k, r in enumerate(rows):
        out[k, : len(r)] = r
    return out


def _end(model, e, side: int) -> int:
    """Marker id at one end of an element, 0 where it has none."""
    if e.KIND == "MOTION" and e.joint is not None:
        e = model.joints.get(e.joint)
    elif e.KIND in ("COUPLER", "GEAR", "FRICTION"):
        joints = (e.joint,) if e.KIND == "FRICTION" else e.joints
        e = model.joints.get(joints[0]) if joints else None
    if e is None:
        return 0
    if side == 0:
        return getattr(e, "i", 0) or getattr(e, "irm", 0) or 0
    return getattr(e, "j", None) or getattr(e, "jfloat", None) or getattr(e, "rm", None) or getattr(e, "jrm", None) or 0
