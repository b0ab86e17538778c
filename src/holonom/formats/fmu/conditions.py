"""Functions that switch, and times at which steps end, as data for the runtime (`conditions.c`)."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ..._handle import Handle
from ...analyses.dynamics import events
from ...system.outputs import Followed, Watch
from .image import Image

MOST_CONDITIONS = 256  # that the runtime has arrays for
OF_CONDITIONS, OF_PHASES = 1, 2  # whose numbers are copied, and turns of angles shared


def refusals(d: Any) -> list[str]:
    """Why an FMU cannot locate what analysis ``d`` locates between steps."""
    why = []
    if d.touch.on:
        why.append("the beginning and end of contacts are not located in an FMU; leave events=True out")
    followed: list[Followed] = [d.events.watch] if d.events.on else []
    followed += [d.periods.phases] if d.periods.on and not d.periods.fixed else []
    if any(len(f.known) > MOST_CONDITIONS for f in followed):
        why.append(f"more than {MOST_CONDITIONS} conditions or periods are not available; leave events=True out")
    if any(f.set.delays for f in followed):
        why.append("DELAY in the condition of a function that switches is not located in an FMU; leave events=True out")
    return why


class Conditions:
    """Tables and arrays for an analysis ``d`` that is open.  ``watch``: of its conditions in model exchange."""

    def __init__(self, d: Any, watch: Watch | None):
        self.d = d
        self.events: events.Events | None = d.events if d.events.on else None
        self.watch: Watch | None = watch if self.events is None else self.events.watch
        self.phases: Followed | None = d.periods.phases if d.periods.on and not d.periods.fixed else None
        n, e = 0 if self.events is None else len(self.events.modes), self.events
        cycles = 0 if self.phases is None else int(self.phases.known.sum())
        slides = 0 if e is None else len(e.sliding.on)
        self.follows = np.zeros(7 * n + 6 + 2 * cycles + slides)
        if e is not None:
            columns = e.g, e.modes, e.rest, e._next_rest, e._last, e._returns
            self.follows[: 7 * n].reshape(n, 7)[:, :6] = np.array(columns).T
        self.breaks = [] if d.breaks is None else [b for b in d.breaks.list if b.before > d.breaks._passed]
        passed = -np.inf if d.breaks is None else d.breaks._passed
        self.follows[7 * n : 7 * n + 6] = 0.0, passed, np.nan, 0.0, np.inf, 0.0
        if e is not None:
            self.follows[7 * n + 6 + 2 * cycles :] = e.sliding.on

    @property
    def roots(self) -> dict[str, Handle | np.ndarray]:
        """Arrays and handles that belong to the block."""
        found: dict[str, Handle | np.ndarray] = {"follows": self.follows}
        found |= {} if self.watch is None else {"watch": self.watch.handle}
        return found | ({} if self.phases is None else {"phases": self.phases.handle})

    def evaluate(self, t: float, y: np.ndarray) -> None:
        """Numbers that are read elsewhere are then as they are there."""
        for followed in (self.watch, self.phases):
            if followed is not None:
                followed.values(t, y)

    @property
    def shares(self) -> list[tuple[Followed, int]]:
        """Whose turns of angles are those that outputs or the equations of motion have counted."""
        found = [(self.watch, OF_CONDITIONS), (self.phases, OF_PHASES)]
        return [(followed, n) for followed, n in found if followed is not None]

    def head(self, im: Image) -> bytes:
        """What the layout of the runtime states of these tables."""
        self._tables = self._rows(im), self._copies(im), self._phases(im), self._breaks(), list(self.d.pulses.times)
        self._slides = self._sliding()
        at = -1 if self.phases is None else im.offset(self.phases.handle)
        span = self.d.span
        return struct.pack(
            "7q3dq",
            *map(len, self._tables),
            im.offset(self.follows),
            at,
            1e-8 * span,
            1e-6 * span,
            self.d.pulses._near,
            len(self._slides),
        )

    def body(self) -> bytes:
        """The tables."""
        rows, copies, phases, breaks, pulses = self._tables
        times = [*pulses, *events.TIMES]
        return b"".join([*rows, *copies, *phases, *breaks, *self._slides, struct.pack(f"{len(times)}d", *times)])

    def _rows(self, im: Image) -> list[bytes]:
        if self.events is None:
            return []
        watch, x = self.events.watch, im.offset(self.d.system.W.f.x)
        value = im.offset(watch.W.f.fval)
        curved = np.isin(np.arange(len(watch.known)), self.events._timed)
        return [
            struct.pack("5q", value + 8 * int(f), x + 8 * int(k), int(known), int(timed), int(bent))
            for f, k, known, timed, bent in zip(watch._functions, watch._inputs, watch.known, watch.timed, curved)
        ]

    def _copies(self, im: Image) -> list[bytes]:
        theirs = im.offset(self.d.system.W.f.x)
        return [
            struct.pack("3q", im.offset(followed.W.f.x) + 8 * int(k), theirs + 8 * int(j), n)
            for followed, n in self.shares
            for k, j in followed._shared
        ]

    def _phases(self, im: Image) -> list[bytes]:
        if self.phases is None:
            return []
        periods, value = self.d.periods, im.offset(self.phases.W.f.fval)
        of = np.asarray(self.phases._functions)[self.phases.known]
        return [
            struct.pack("d2q", share, value + 8 * int(f), int(jumps))
            for share, f, jumps in zip(periods.share, of, periods.jumps)
        ]

    def _sliding(self) -> list[bytes]:
        """Integrals that may slide along a limit."""
        if self.events is None:
            return []
        s = self.events.sliding
        rows = zip(s.excess.tolist(), s.rate.tolist(), s.state.tolist(), s.side.tolist(), s.limit.tolist())
        return [struct.pack("3q2d", *row) for row in rows]

    def _breaks(self) -> list[bytes]:
        return [struct.pack("2dq", b.before, b.after, int(b.anew or b.corner)) for b in self.breaks]
