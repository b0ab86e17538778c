"""What the runtime does between two steps, as data: samples of control blocks, sensors, the past of delayed
expressions (`between_steps.c`)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._handle import Handle
from ...analyses.dynamics.sampling import first_sample
from ...system.delay import ROW, Delayed
from .image import Image

MOST_BLOCKS, MOST_SENSORS, MOST_DELAYS = 256, 64, 64  # that the runtime has arrays for
SENVAL = "SENVAL"


def refusals(d: Any, exchange: bool) -> list[str]:
    """Why an FMU cannot do what analysis ``d`` does between steps; ``exchange``: it is one for model exchange."""
    system, why = d.system, []
    names = lambda elements: ", ".join(e.label for e in elements)
    delays = [one for functions in sets_of(d) for one in functions.delays]
    sensors = d.sensors.sensors
    equations = d.sampling.equations
    if equations:
        why.append(f"{names(equations)}: discrete states of a GSE, which routines give, are not available")
    for elements, what, most in (
        (sensors, "sensors", MOST_SENSORS),
        (d.sampling.control, "sampled blocks", MOST_BLOCKS),
        (delays, "DELAY", MOST_DELAYS),
    ):
        named = f"{names(elements)}: {what}" if elements and what != "DELAY" else what
        if elements and exchange:
            why.append(f"{named} are not available in model exchange; use co-simulation" if what != "DELAY" else (
                "DELAY is not available in model exchange; use co-simulation"))  # fmt: skip
        if len(elements) > most:
            why.append(f"more than {most} {what} are not available")
    if (sensors or delays) and system.contacts.on and system.contacts.S.memory:
        why.append("sensors and DELAY are not available with contact laws or friction that remember")
    open_history = [one.key for one in delays if one.constant is None]
    if open_history:
        why.append(f"the history of DELAY({open_history[0]}, ...) is not a number; give a number")
    return why


def sets_of(d: Any) -> list[Any]:
    """Sets of functions that may have delayed expressions: of the equations of motion, of outputs, of samples."""
    sampled = [d.sampling.control_functions.set] if d.sampling.control else []
    return [d.system.functions.set, d.system.outputs.set, *sampled]


def routines_in_python(d: Any) -> list[str]:
    """Elements and names of the routines that functions call."""
    found = (
        name
        for functions in sets_of(d)
        for f, name in zip(functions.callbacks.functions, functions.user_names, strict=True)
        if not isinstance(f, Delayed)
    )
    return list(dict.fromkeys(found))


class BetweenSteps:
    """Tables and arrays for an analysis ``d`` that is open.  ``samples``: clocks of the samples before it was opened,
    as `Sampling.next` has them; `y`: its state, in which samples at its beginning are still to come."""

    def __init__(self, d: Any, samples: dict[tuple[str, int], float]):
        self.d = d
        self.blocks = d.sampling.control
        self.sampled = d.sampling.control_functions if self.blocks else None
        self.sensors = d.sensors.sensors
        self.pasts: list[Any] = []
        self._lists: list[int] = []  # positions of inputs and of what sensors keep
        sets = sets_of(d)
        self.delays = [(n, functions, one) for n, functions in enumerate(sets) for one in functions.delays]
        self.found = {id(one): owner for one, owner in d.past.found}
        for _, _, one in self.delays:
            if not any(one.past is past for past in self.pasts):
                self.pasts.append(one.past)
        self.callbacks = {f.callbacks.address: n for n, f in enumerate(sets) if f.delays}
        n = len(self.blocks)
        self.clocks = np.full((max(n, 1), 2), np.inf)
        for k, b in enumerate(self.blocks):
            key = "CONTROL", b.id
            self.clocks[k] = samples.get(key, first_sample(b, d.times[0])), samples.get(("RELEASE", b.id), np.inf)
        s = d.sensors
        self.guard = np.zeros(2 * len(self.sensors) + 2)
        if s.previous is not None:
            self.guard[1 : 2 * len(self.sensors) : 2] = s.previous
            self.guard[-2] = 1.0
        self.guard[0 : 2 * len(self.sensors) : 2] = s._armed
        self.guard[-1] = s.stepsize or 0.0
        self.lags = np.array([[one.delay, *(one.seen or [np.nan] * 6)] for _, _, one in self.delays] or [[0.0] * 7])
        if self.sampled is not None:
            self.sampled.take_parameters()
            for key in d.system.outputs.parameters:
                d.system.outputs.set_parameter(key, d.system.outputs.parameters[key])

    def listed(self, positions: Sequence[int]) -> int:
        """Where ``positions`` begin in the list of the runtime."""
        first = len(self._lists)
        self._lists += positions
        return first

    @property
    def y(self) -> np.ndarray:
        """The state before the samples that are due at the beginning."""
        y, before = self.d.simulation.y.copy(), self.d.begun_with
        functions = self.d.system.functions
        for key in functions.discrete:
            k = self.d.system.bodies.end + functions.state_number(key)
            y[k] = before[k]
        return y

    @property
    def roots(self) -> dict[str, Handle | np.ndarray]:
        """Arrays and handles that belong to the block."""
        found: dict[str, Handle | np.ndarray] = {"clocks": self.clocks, "guard": self.guard, "lags": self.lags}
        return found | ({} if self.sampled is None else {"sampled": self.sampled.handle})

    def head(self, im: Image, followed: Sequence[tuple[Any, int]]) -> bytes:
        """What the layout of the runtime states of these tables; ``followed``: others whose angles are counted
        elsewhere (`conditions`)."""
        self._tables = self._make(im, followed)
        samplers, sensors, delays, knowns, shares, indices = self._tables
        late = self.sampled is not None and self.sampled.late
        return struct.pack(
            "12q", len(samplers), len(sensors), len(delays), len(self.pasts), len(knowns), len(shares), len(indices),
            -1 if self.sampled is None else im.offset(self.sampled.handle),
            im.offset(self.clocks), im.offset(self.guard), im.offset(self.lags), late,
        )  # fmt: skip

    def body(self) -> bytes:
        """The tables."""
        samplers, sensors, delays, knowns, shares, indices = self._tables
        return b"".join([*samplers, *sensors, *delays, *knowns, *shares, struct.pack(f"{len(indices)}q", *indices)])

    def _make(self, im: Image, followed: Sequence[tuple[Any, int]]) -> tuple:
        samplers, indices = self._samplers(im)
        shares = []
        for owner, of_watch in ([] if self.sampled is None else [(self.sampled, 0)]) + list(followed):
            for other, mine, theirs in owner._theirs:
                here, there, clock = (im.offset(x) for x in (owner.W.f.ref, other.W.f.ref, other.W.f.clock))
                shares += [
                    struct.pack("4q", here + 16 * int(i), there + 16 * int(k), clock, of_watch)
                    for i, k in zip(mine, theirs)
                ]
        knowns = [struct.pack(f"q{ROW}d", k, *row) for k, past in enumerate(self.pasts) for row in past.pieces]
        return samplers, self._sensor_rows(im), self._delay_rows(im), knowns, shares, indices

    def _samplers(self, im: Image) -> tuple[list[bytes], list[int]]:
        rows: list[bytes] = []
        indices = list(self._lists)
        if self.sampled is None:
            return rows, indices
        s, fval = self.sampled, im.offset(self.sampled.W.f.fval)
        order = [self.blocks.index(b) for b in s.order]
        for b, place in zip(self.blocks, order):
            held, computed, drawn = s.control.places(b)
            out, change = s.functions_of(b)
            rows.append(
                struct.pack(
                    "4d10q", b.period, b.offset, b.jitter or 0.0, b.delay or 0.0, b.seed, s.control.laws[b.id].draws,
                    s.first(b), held, computed if b.delay else held, drawn, len(out), len(change), len(indices), place,
                )
            )  # fmt: skip
            indices += [fval + 8 * k for k in (*out, *change)]
        return rows, indices

    def _sensor_rows(self, im: Image) -> list[bytes]:
        s, outputs = self.d.sensors, self.d.system.outputs
        fval, rows = im.offset(outputs.W.f.fval), []
        for k, e in zip(s.index, self.sensors):
            own = fval + 8 * int(outputs._sensor[k])
            asked = fval + 8 * int(outputs._evaluate[k]) if e.evaluate else own
            rows.append(
                struct.pack("4d5q", e.value, e.tolerance, -1.0 if e.comparison == "LE" else 1.0, e.stepsize or 0.0,
                            e.comparison not in ("GE", "LE"), e.halt, e.returns, own, asked)
                + struct.pack("2q", *self.senval[e.id])
            )  # fmt: skip
        return rows

    def _delay_rows(self, im: Image) -> list[bytes]:
        kept: set[int] = set()
        rows = []
        for n, functions, one in self.delays:
            owner = self.found.get(id(one))
            past = next(k for k, p in enumerate(self.pasts) if p is one.past)
            first = 0 if owner is None else 2 if past in kept else 1
            kept |= {past} if owner is not None else set()
            x = 0 if owner is None else im.offset(owner.W.f.x)
            by = -1 if one.by is None else x + 8 * one.by
            index = functions.callbacks.functions.index(one)
            rows.append(
                struct.pack("2d6q", one.delay if one.by is None else np.inf, one.constant, past, x + 8 * one.source,
                            by, n, index, first)
            )  # fmt: skip
        return rows

    #: of what a SENSOR keeps, by its id: where its positions begin in the list of the runtime, and how many there are
    senval: dict[int, tuple[int, int]]

    def find_senvals(self, find: Callable[[tuple, float], Sequence[int]]) -> None:
        """``find``: positions of a parameter, marked by a number."""
        self.senval = {}
        parameters = self.d.system.outputs.parameters
        for e in self.sensors:
            places = list(find((SENVAL, e.id), parameters.get((SENVAL, e.id), 0.0)))
            self.senval[e.id] = self.listed(places), len(places)
