"""Energy of each pair of shapes in compliant contact and in time-stepping (`contact.referee.energy`) along a dynamic
analysis: which pair has done more work than it took, whatever the balance of the whole run is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._jit import Entry
from ..._warnings import WarningText
from ...contact.referee.energy import (
    GAINED,
    GIVEN,
    PEAK,
    ROW,
    S_ACTS,
    S_GAINED,
    S_GIVEN,
    S_PEAK,
    S_STEP,
    S_TAKEN,
    STEP_ROW,
    TAKEN,
    add_again,
    book_impulses,
    book_work,
    close_impulses,
    close_pairs,
)
from ...contact.rigid.problem import Problem
from ...contact.tables import AT, FORCE, POINTS, STORED, TA
from ...elements.bodies import layout
from .ledger import LEAST, MOST, REPORT_LEAST, SLACK, pair_name

OF_PEAK = 2e-2  # of the work in a pair: less is the error of the quadrature
LISTED = 50  # pairs in results


class PairEnergy:
    """``book`` after every evaluation of a quadrature, `close` at the ends of pieces; ``error``: of the integrator, y:
    the state that was evaluated last.  ``told(key)``: whether something else has reported that a pair gains energy."""

    def __init__(
        self,
        system: Any,
        say: Callable[[str], None],
        error: float,
        y: np.ndarray,
        told: Callable[[int], bool] = lambda key: False,
    ) -> None:
        self.contacts, self.bodies, self.say, self.told = system.contacts, system.nb, say, told
        self.on = bool(self.contacts.on) and not self.contacts.rigid
        self.reported = max(min(max(SLACK * error, LEAST), MOST), REPORT_LEAST)
        self.scale = 0.0
        self.n = 0
        self.gains: dict[int, float] = {}  # key -> time at which a pair had gained most
        if not self.on:
            return
        room = max(64, len(self.contacts.W.near))
        self.key, self.row = np.zeros(room, np.int64), np.zeros((room, ROW))
        self._body = np.array([self.contacts.shape_body(s) for s in range(len(self.contacts.S.sh.kind))], np.int64)
        self._columns, self._work = np.array([AT, FORCE, TA, STORED]), np.zeros((2, 6))
        self._y = np.zeros_like(y) if layout.has_nodes(system.bodies) else None
        self._book, self._add, self._close = Entry(book_work), Entry(add_again), Entry(close_pairs)
        self.book(0.0, y, True)

    def book(self, weight: float, y: np.ndarray, begin: bool = False) -> None:
        """Behind an evaluation at the state y: the power of each pair counts with ``weight`` (time); ``begin``: pairs
        may give what they store."""
        W = self.contacts.W
        points = int(W.count[POINTS])
        if not self.n and not points:
            return
        if self._y is not None:  # nodes have states of their own
            self._y[:] = y
            self.contacts.place(self._y)
            y = self._y
        while True:
            n = self._book.call(
                points, W.pair, W.near, W.key, W.pd, self._columns, self._body, self.bodies, y, float(weight), begin,
                self.key, self.row, self.n, self._work,
            )  # fmt: skip
            if n >= 0:
                self.n = n
                return
            _double(self)

    def add(self, weight: float) -> None:
        """The power of the last check counts once more."""
        if self.n:
            self._add.call(self.row, self.n, weight)

    def close(self, t: float, energy: float) -> None:
        """At the end of a piece at time t; ``energy``: kinetic and stored."""
        self.scale = max(self.scale, energy)
        if not self.n:
            return
        i = self._close.call(self.row, self.n)
        if i < 0 or not self.is_gain(self.row[i]):
            return
        key, gained = int(self.key[i]), float(self.row[i, GAINED])
        first, self.gains[key] = key not in self.gains, t
        if first and not self.told(key):
            self.say(
                WarningText(
                    f"at time {t:.6g} {pair_name(self.contacts, key)} have done {gained:.3g} "
                    f"{self.contacts.model.units.symbol('energy')} more work than they took, "
                    f"{gained / self.scale:.2g} of the energy in the run: their contact creates energy; a smaller "
                    "ERROR or step follows it better (run.audit() lists pairs)"
                )
            )

    def is_gain(self, row: np.ndarray) -> bool:
        """Is what a pair has gained more than errors of the integrator and of the quadrature?"""
        return bool(row[GAINED] > max(self.reported * self.scale, OF_PEAK * row[PEAK]))

    def results(self) -> dict[str, Any]:
        """For `Run.info`: how many pairs acted, and of those with the largest work the name, the work taken from
        bodies, given to them, the most given beyond what was taken, and when, if that is a gain."""
        return _listed(self, self.row[:, [TAKEN, GIVEN, GAINED]])


class StepEnergy:
    """The same of contacts in time-stepping: ``book`` behind the impulses of a step, ``close`` when it is known that
    the step is not taken again, ``drop`` when it is.

    In a step one pair may give what another one has taken, so the balance is that of clusters, bodies that touch each
    other, since they began to touch."""

    def __init__(self, system: Any, say: Callable[[str], None]) -> None:
        self.contacts, self.say = system.contacts, say
        self.on = bool(self.contacts.on and self.contacts.rigid)
        self.scale, self.n = 0.0, 0
        self.gains: dict[int, float] = {}
        if not self.on:
            return
        self.key, self.row = np.zeros(64, np.int64), np.zeros((64, STEP_ROW))
        self._parent, self._total = np.arange(system.nb + 1), np.zeros(system.nb + 1)
        self._bodies = system.nb
        self._open: float | None = None  # end of the step that has been booked

    def book(self, t: float, points: int, P: Problem, before: np.ndarray, energy: float) -> None:
        """Behind the impulses of the contact problem P in a step that ends at t and began with the velocities
        ``before``; ``energy``: largest in the run."""
        W = self.contacts.W
        self.scale, self._open = max(self.scale, energy), t
        while True:
            n = book_impulses(points, W.pair, W.key, P.body, P.H, P.r, before, P.u, self.key, self.row, self.n)
            if n >= 0:
                self.n = n
                return
            _double(self)

    def drop(self, t: float | None = None) -> None:
        """What was booked last is void: its step is taken again (None), or has no impulses and ends at t."""
        self._open = t
        if self.n:
            self.row[: self.n, [S_STEP, S_ACTS]] = 0.0

    def close(self) -> None:
        """The step that was booked last is over."""
        t, self._open = self._open, None
        if t is None or not self.n:
            return
        i = close_impulses(self.row, self.n, self._parent, self._total, self._bodies)
        if i < 0 or not self.is_gain(self.row[i]):
            return
        key, gained = int(self.key[i]), float(self.row[i, S_GAINED])
        first, self.gains[key] = key not in self.gains, t
        if first:
            self.say(
                WarningText(
                    f"at time {t:.6g} the impulses of {pair_name(self.contacts, key)}, and of what touches the same "
                    f"bodies, have done {gained:.3g} {self.contacts.model.units.symbol('energy')} more work than they "
                    f"took, {gained / self.scale:.2g} of the kinetic energy in the run: their contact creates energy; "
                    "a smaller STEP follows it better (run.audit() lists pairs)"
                )
            )

    def is_gain(self, row: np.ndarray) -> bool:
        """Is what the cluster of a pair has gained more than roundoff and the error of a contact problem?"""
        return bool(row[S_GAINED] > max(REPORT_LEAST * self.scale, OF_PEAK * row[S_PEAK]))

    def results(self) -> dict[str, Any]:
        """As of `PairEnergy`."""
        self.close()
        return _listed(self, self.row[:, [S_TAKEN, S_GIVEN, S_GAINED]])


def _double(account: PairEnergy | StepEnergy) -> None:
    """Room for twice as many pairs, behind an account that is full."""
    account.n = len(account.key)
    account.key = np.concatenate([account.key, np.zeros_like(account.key)])
    account.row = np.concatenate([account.row, np.zeros_like(account.row)])


def _listed(account: PairEnergy | StepEnergy, columns: np.ndarray) -> dict[str, Any]:
    """Rows of an account for results: taken, given and gained are ``columns`` (pairs, 3)."""
    n, key = account.n, account.key
    order = np.argsort(-columns[:n, 0], kind="stable")
    gain = [i for i in range(n) if int(key[i]) in account.gains]
    listed = [*gain, *(int(i) for i in order if int(i) not in gain)][:LISTED]
    return {
        "pairs": n,
        "rows": [
            [
                pair_name(account.contacts, int(key[i])),
                *(float(x) for x in columns[i]),
                account.gains.get(int(key[i])),
            ]
            for i in listed
        ],
    }
