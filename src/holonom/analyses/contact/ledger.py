"""Keeps the ledger of compliant contacts (`contact.ledger`) along a dynamic analysis, and states which pair of shapes
went out of balance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._jit import Entry
from ..._warnings import WarningText
from ...contact import ledger
from ...contact.call import FORCES
from ...contact.ledger import ACCOUNT, ACTS, PEAK, ROW, U
from ...contact.tables import DEPTH, NEAR, POINTS, SHIFTED

#: of the peak of a pair: so much may its store exceed its account before its depths are shifted; tolerances, least,
#: most
SLACK, LEAST, MOST = 50.0, 1e-5, 1e-2
#: of what is reported: what a step does to a pair that is less than this is noise of the integrator.  Where many pairs
#: touch, as in a chain drive, or one comes to rest, shifts for it would cost steps and move what is at rest (the
#: balance of the run is reported by `work.gain`)
FAINT = 0.1
WITH_HISTORY = 5.0  # of what is reported: noise next to methods with a history, which lose all by a restart
#: times what the whole run has gained: what a pair stores beyond its account is taken for an error of the account if it
#: is more
BELIEVED = 2.0
#: of the energy in the run: so much may a pair gain or lose before it is reported (as many tolerances), least
REPORT_LEAST = 1e-3
#: of its peak, and times what is faint: a step restarts behind a larger change of what a pair stores
RESTART, MUCH = 1e-2, 10.0
OPENING = 1.1  # overlaps: the most that a pair that is open is shifted by


class Ledger:
    """``book`` after every evaluation of a quadrature, `close_step` at the ends of steps.  ``on`` is false where
    nothing can be wrong: without contacts, or with rigid ones."""

    def __init__(self, system, say: Callable[[str], None], error: float):
        self.contacts = system.contacts
        self.on = bool(self.contacts.on) and not self.contacts.rigid
        self.say = say
        self.n = 0
        self.scale = 0.0
        self.share = min(max(SLACK * error, LEAST), MOST)
        self.reported = max(self.share, REPORT_LEAST)
        self.faint = FAINT * self.reported
        #: key -> [refused, gained, lost, reported], of pairs that were out of balance
        self.off: dict[int, list] = {}
        if self.on:
            room = max(64, len(self.contacts.W.near))
            self.key, self.row = np.zeros(room, np.int64), np.zeros((room, ROW))
            self._book, self._add, self._worst = Entry(ledger.book), Entry(ledger.add_again), Entry(ledger.worst)

    def has_reported_gain(self, key: int) -> bool:
        """Has the pair of this key been reported to give out more energy than it took?"""
        return key in self.off and self.off[key][3][1]

    def book(self, weight: float, begin: bool = False) -> None:
        """Behind an evaluation: the power of each pair counts with ``weight`` (time); ``begin``: accounts are opened
        with what is stored."""
        if not self.n and not self.contacts.W.count[POINTS]:
            return
        n = self._book.call(self.contacts.handle.address, float(weight), begin, self.key, self.row, self.n)
        while n < 0:
            self.key = np.concatenate([self.key, np.zeros_like(self.key)])
            self.row = np.concatenate([self.row, np.zeros_like(self.row)])
            n = self._book.call(self.contacts.handle.address, 0.0, False, self.key, self.row, len(self.key) // 2)
        self.n = n

    def add(self, weight: float) -> None:
        """The power of the last check counts once more."""
        if self.n:
            self._add.call(self.row, self.n, float(weight))

    def close_step(self, t: float, y: np.ndarray, energy: float, most: float = np.inf) -> bool:
        """At the end of a step, where everything has been evaluated: pairs that store more than they were given are
        shifted, those that have parted leave.  ``energy``: kinetic and stored; ``most``: what the whole run has gained,
        next to methods with a history.  Returns whether forces have changed by much."""
        self.scale = max(self.scale, energy)
        W = self.contacts.W
        if not self.n and not W.count[SHIFTED]:
            return False
        much = changed = False
        share, faint = (self.share, self.faint) if most == np.inf else (MOST, min(WITH_HISTORY * self.reported, MOST))
        for _ in range(2 * self.n + 2):
            i = self._worst.call(self.row, self.n, share, faint * self.scale)
            if i < 0:
                break
            row = self.row[i]
            if row[ACTS] == 0.0:
                self._part(i, t)
                continue
            if row[ACCOUNT] < 0.0:  # a debt cannot be paid by a pair that takes nothing
                self._note(int(self.key[i]), 1, -row[ACCOUNT], t)
                row[ACCOUNT] = 0.0
            excess = row[U] - row[ACCOUNT]
            if not excess > 0.0:
                continue
            if excess > BELIEVED * most:
                row[ACCOUNT] = row[U]
                continue
            self._shift(i, t, y)
            changed = True
            much |= excess > max(RESTART * row[PEAK], MUCH * self.faint * self.scale)
            self._note(int(self.key[i]), 0, excess, t)
        if W.count[SHIFTED]:
            opened = self._open(t, y)
            if opened and not changed:
                self.contacts.ask(FORCES, t, y)
            changed |= opened
        if changed:
            self.book(0.0)
        return much

    # ---- shifts -----------------------------------------------------------------------------------------------------
    def _place(self, key: int) -> int:
        """Place of a pair in the table of shifts, made where it has none."""
        W = self.contacts.W
        n = int(W.count[SHIFTED])
        q = int(np.searchsorted(W.skey[:n], key))
        if q == n or W.skey[q] != key:
            if n == len(W.skey):
                return -1
            W.skey[q + 1 : n + 1], W.shift[q + 1 : n + 1] = W.skey[q:n].copy(), W.shift[q:n].copy()
            W.skey[q], W.shift[q] = key, 0.0
            W.count[SHIFTED] += 1
        return q

    def _shift(self, i: int, t: float, y: np.ndarray) -> None:
        """The shift with which pair i stores what its account has, by false position (Illinois) on U^(2/5), which is
        nearly straight."""
        c, key, row = self.contacts, int(self.key[i]), self.row[i]
        q = self._place(key)
        W = c.W
        if q < 0:
            row[ACCOUNT] = row[U]
            return

        def store(shift: float) -> float:
            W.shift[q] = shift
            c.ask(FORCES, t, y)
            return float(ledger.stored(c.handle.address, key))

        points = int(W.count[POINTS])
        mine = W.key[W.pair[:points]] == key
        low = float(W.shift[q])
        high = low + float(W.pd[:points, DEPTH][mine].max(initial=0.0)) * (1.0 + 1e-12)
        goal = float(row[ACCOUNT])
        top = float(row[U])
        straight = lambda u: (max(u, 0.0) / top) ** 0.4
        want = straight(goal)
        a, b, side = 1.0 - want, -want, 0
        if goal > 0.0:
            for _ in range(60):
                s = (a * high - b * low) / (a - b)
                f = straight(store(s)) - want
                if f > 0.0:
                    low, a = s, f
                    b, side = (0.5 * b if side == 1 else b), 1
                else:
                    high, b = s, f
                    a, side = (0.5 * a if side == -1 else a), -1
                    if -f <= 1e-7 * want:
                        break
                if high - low <= 1e-15 * high:
                    break
        row[U] = store(high)

    def _open(self, t: float, y: np.ndarray) -> bool:
        """Shifts of pairs that do not act fall with their overlap, and are forgotten without one; whether any was
        changed."""
        W = self.contacts.W
        idle = [q for q in range(int(W.count[SHIFTED])) if W.skey[q] not in self.key[: self.n]]
        if not idle:
            return False
        gaps = self.contacts.gaps(t, y)
        keys = W.key[: W.count[NEAR]]
        for q in reversed(idle):
            k = int(np.searchsorted(keys, W.skey[q]))
            gap = gaps[k] - W.shift[q] if k < len(keys) and keys[k] == W.skey[q] else np.inf
            if gap < 0.0:
                W.shift[q] = min(W.shift[q], -OPENING * gap)  # it stays open
            else:
                n = int(W.count[SHIFTED])
                W.skey[q : n - 1], W.shift[q : n - 1] = W.skey[q + 1 : n].copy(), W.shift[q + 1 : n].copy()
                W.count[SHIFTED] -= 1
        return True

    def _part(self, i: int, t: float) -> None:
        """Pair i touches no more: what is left in its account is lost, what is missing was gained."""
        left = float(self.row[i, ACCOUNT])
        if abs(left) > self.share * self.row[i, PEAK]:
            self._note(int(self.key[i]), 2 if left > 0.0 else 1, abs(left), t)
        self.key[i : self.n - 1], self.row[i : self.n - 1] = (
            self.key[i + 1 : self.n].copy(),
            self.row[i + 1 : self.n].copy(),
        )
        self.n -= 1

    # ---- words ------------------------------------------------------------------------------------------------------
    def _note(self, key: int, what: int, amount: float, t: float) -> None:
        off = self.off.setdefault(key, [0.0, 0.0, 0.0, [False] * 3])
        off[what] += amount
        if self.scale == 0.0:  # nothing moved or was stored at the end of any step: bodies touch by roundoff
            return
        if off[what] > self.reported * self.scale and not off[3][what]:
            off[3][what] = True
            unit = self.contacts.model.units.symbol("energy")
            how = f"{off[what]:.3g} {unit}, {off[what] / self.scale:.2g} of the energy in the run"
            since = f"at time {t:.6g} {pair_name(self.contacts, key)}"
            mend = "a finer mesh, a shape with an exact kernel or a stiffer law (less depth) makes it less"
            if what == 0:
                self.say(
                    WarningText(
                        f"{since}: where their nearest features change their depth jumps, and the law would store "
                        f"{how}, which is spurious; "
                        f"this energy is removed, depths count from further in until they part; {mend}"
                    )
                )
            elif what == 1:
                self.say(
                    WarningText(
                        f"{since} have given out more energy than they took: {how}; a smaller ERROR or step follows "
                        "the contact better"
                    )
                )
            else:
                self.say(WarningText(f"{since} have lost energy where their nearest features change: {how}; {mend}"))


def pair_name(contacts: Any, key: int) -> str:
    """Both shapes of a pair and its contact, by its key."""
    n = len(contacts.S.sh.kind)
    a, b = key // n % n, key % n
    words = [contacts.solids[s].graphic.label if s < len(contacts.solids) else contacts.body_name(s) for s in (a, b)]
    return f"{words[0]} and {words[1]} ({contacts.elements[key // n // n].label})"
