"""Rows of the constraints and all that depends on their number: slots, tables, the pattern of G M^-1 G^T, and the
tables S and W of kernels.

A system has one `Equations` of its joints and motions.  Where contacts are constraints it has others next to it, with
rows of the points that are closed (`active_rows`); the one that counts at present is in its workspace.

Kernels know this file through `planar`: it must not import what builds systems, not even for types.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._jit import Entry
from ..elements.bodies import layout
from ..elements.joints.rows import Rows
from ..linalg.ldl import build_ldl

CURVE_ROW = 5
FUNCTION_ROW = 6
UNEVEN = 1e8  # masses and inertias that differ by more than this have their rows eliminated heavy bodies first,
GRADED = 600  # up to so many rows


@dataclass
class RowInfo:
    """A scalar equation under construction."""

    kind: int
    i: int
    j: int
    a: int = 0
    b: int = 0
    motion: int = -1
    level: int = 0
    name: str = ""
    words: str = ""
    terms: list[tuple[float, int, int, int]] = field(default_factory=list)  # scale, kind, frame i, frame j
    frames: tuple[int, ...] = ()  # all frames when not (i, j)
    bodies: tuple[int, ...] | None = None  # of a contact, which has no frames here
    compliance: float = 0.0


@dataclass
class ConstraintInfo:
    """An element of the drawing and its rows: ``rows`` are their numbers, ``i`` and ``j`` its frames."""

    element: Any
    i: int
    j: int
    rows: range
    reaction_only_i: bool = False


class Equations:
    """The constraints of a system, numbered.

    A *slot* is a row's gradient with respect to one body: 6 numbers.  m rows, ns slots, nb bodies.

    ``rows``: `RowInfo` of each; ``nslots``: ns; ``slot_of``: of each row, slot by body; ``slot_body``, ``slot_row`` (ns
    + 1,): body and row of each slot, the last one a dummy for ground; ``rp`` (m + 1,): row -> its slots; ``body_ptr``
    (nb + 2,), ``body_slots`` (ns,): body -> its slots;
    ``ldl``: pattern and order of G M^-1 G^T; ``schur_dest``, ``schur_diag``: where products of slots go in it; ``S``:
    `kernels.Tables`, what does not change in an evaluation; ``W``: `kernels.Work`, what each evaluation overwrites;
    ``handle``: of both, None until it is requested; ``explicit``, ``stages``: handle and work arrays of assembly and
    settling (`integrators.entry`), None likewise, ``enter``: the kernel that gets that handle; ``weighted``: weights
    (nb + 1, 6) and a handle of these equations where they represent inverse masses, None likewise; ``grounded`` (m,):
    which rows touch ground.
    """

    slot_of: list[dict[int, int]]
    nslots: int
    slot_body: np.ndarray
    slot_row: np.ndarray
    rp: np.ndarray
    body_slots: np.ndarray
    body_ptr: np.ndarray
    ldl: Any
    schur_dest: np.ndarray
    schur_diag: np.ndarray
    S: Any
    W: Any

    def __init__(self, rows: list[RowInfo] | None = None):
        self.rows: list[RowInfo] = [] if rows is None else rows
        self.explicit: Any = None
        self.enter: Entry | None = None
        self.handle: Any = None
        self.stages: Any = None
        self.weighted: tuple[Any, Any] | None = None
        self.grounded: np.ndarray | None = None

    @property
    def m(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def number(self, system: Any) -> Rows:
        """Number the slots of all rows; returns the table of rows for kernels."""
        self._number_slots(system)
        return self._row_tables(system)

    def order(self, system: Any) -> None:
        """Pattern and order of G M^-1 G^T of all rows."""
        self.ldl, self.schur_dest, self.schur_diag = schur_pattern(
            system, self, self.body_ptr, self.body_slots, np.arange(self.m)
        )

    def slot(self, system: Any, r: int, frame: int) -> int:
        """Slot of row r for the body of a frame; the dummy for ground."""
        return self.slot_of[r].get(system.frame_list[frame][0], self.nslots)

    def _row_bodies(self, system: Any, row: RowInfo) -> list[int]:
        if row.bodies is not None:
            return [b for b in row.bodies if b != system.nb]
        frames = [f for _, _, a, b in row.terms for f in (a, b)] or list(row.frames or (row.i, row.j))
        out: list[int] = []
        for f in frames:
            b = int(system.frame_list[f][0])
            if b != system.nb and b not in out:
                out.append(b)
        return out

    def _number_slots(self, system: Any) -> None:
        """One for each body that a row touches, in row order; the dummy for ground comes last."""
        self.slot_of = []
        slot_body: list[int] = []
        slot_row: list[int] = []
        rp = [0]
        for r, row in enumerate(self.rows):
            mine = {}
            for b in self._row_bodies(system, row):
                mine[b] = len(slot_body)
                slot_body.append(b)
                slot_row.append(r)
            self.slot_of.append(mine)
            rp.append(len(slot_body))
        self.nslots = len(slot_body)
        self.slot_body = np.array([*slot_body, system.nb], np.int64)
        self.slot_row = np.array([*slot_row, 0], np.int64)
        self.rp = np.array(rp, np.int64)
        on = layout.carried_by(system.bodies)[self.slot_body[:-1]]  # slots of nodes stand with those of their carriers
        order = np.argsort(on, kind="stable")
        self.body_slots = order.astype(np.int64) if self.nslots else np.zeros(1, np.int64)
        counts = np.bincount(on, minlength=system.nb + 1)[: system.nb + 1]
        self.body_ptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def _row_tables(self, system: Any) -> Rows:
        m = self.m
        slot = lambda r, frame: self.slot(system, r, frame)
        integer = lambda values: np.array(list(values), np.int64).reshape(-1)
        index = lambda values: np.array(list(values), np.uint32).reshape(
            -1
        )  # unsigned ones need no test for negative ones
        get = lambda name: integer(getattr(r, name) for r in self.rows)
        terms = [(r, t) for r, row in enumerate(self.rows) for t in row.terms]
        cr = system._curve_rows
        cv = system._curve_pairs
        three = lambda which: np.array([[slot(c[1] + k, c[which]) for k in range(3)] for c in cv], np.int64).reshape(
            -1, 3
        )
        pair = lambda which: np.array([[slot(c[0] + k, c[which]) for k in range(2)] for c in cr], np.int64).reshape(
            -1, 2
        )
        return Rows(
            m=m,
            kind=get("kind"),
            fi=index(r.i for r in self.rows),
            fj=index(r.j for r in self.rows),
            a=index(r.a for r in self.rows),
            b=index(r.b for r in self.rows),
            motion=get("motion"),
            level=get("level"),
            si=index(slot(k, r.i) for k, r in enumerate(self.rows)),
            sj=index(slot(k, r.j) for k, r in enumerate(self.rows)),
            on=index(range(m)),
            slot_body=index(self.slot_body),
            rp=index(self.rp),
            body_ptr=index(self.body_ptr),
            body_slots=index(self.body_slots),
            slot_row=self.slot_row,
            tr=index(r for r, _ in terms),
            tk=integer(t[1] for _, t in terms),
            ts=np.array([t[0] for _, t in terms], float),
            ti=index(t[2] for _, t in terms),
            tj=index(t[3] for _, t in terms),
            tsi=index(slot(r, t[2]) for r, t in terms),
            tsj=index(slot(r, t[3]) for r, t in terms),
            cr=integer(c[0] for c in cr),
            ccurve=integer(c[1] for c in cr),
            ci=integer(c[2] for c in cr),
            crm=integer(c[3] for c in cr),
            csi=pair(2),
            csrm=pair(3),
            cpos=np.zeros((len(cr), 144), np.uint32),
            vr=integer(c[1] for c in cv),
            vcurve=np.array([(c[2], c[2] + 1) for c in cv], np.int64).reshape(-1, 2),
            vi=integer(c[3] for c in cv),
            vj=integer(c[4] for c in cv),
            vsi=three(3),
            vsj=three(4),
            vpos=np.zeros((len(cv), 144), np.uint32),
            compliance=np.array([r.compliance for r in self.rows], float),
        )


def schur_pattern(system: Any, equations: Equations, ptr: np.ndarray, slots: np.ndarray, on: np.ndarray):
    """Pattern of G M^-1 G^T of the rows ``on``, and where each product of slots goes; the pattern numbers rows as
    ``on`` does."""
    number = np.full(equations.m, -1, np.int64)
    number[on] = np.arange(len(on))
    row = number[equations.slot_row] if equations.m else equations.slot_row
    lower: list[np.ndarray] = []
    upper: list[np.ndarray] = []
    for k in np.flatnonzero(np.diff(ptr[: system.nb + 1]) > 1):
        s = slots[ptr[k] : ptr[k + 1]]
        if len(s) > 1:
            p, q = np.tril_indices(len(s), -1)
            lower.append(row[s[p]])
            upper.append(row[s[q]])  # the same row twice where it acts on several bodies of one carrier
    a = np.concatenate(lower) if lower else np.zeros(0, np.int64)
    b = np.concatenate(upper) if upper else np.zeros(0, np.int64)
    groups = len(system.constraints) + np.arange(equations.m)  # rows of contacts stand alone
    for nth, c in enumerate(system.constraints):
        groups[c.rows.start : c.rows.stop] = nth
    # what a light body lends to a row is lost to the last digit where rows of heavy bodies are found from what is left
    # of it
    light = system.lightness(equations)[on] if 0 < len(on) <= GRADED else np.zeros(0)
    graded = len(light) > 0 and bool(light.max() > UNEVEN * light[light > 0.0].min(initial=np.inf))
    ldl = build_ldl(len(on), a[a != b], b[a != b], groups[on] if len(on) else None, last=light if graded else None)
    u = lambda x: np.ascontiguousarray(x, dtype=np.uint32)
    dest = np.zeros(max(len(a), 1), np.uint32)
    dest[: len(a)][a != b] = ldl.position(a[a != b], b[a != b])
    used = row[slots[: ptr[system.nb]]]
    diag = u(ldl.position(used, used)) if len(used) else np.zeros(1, np.uint32)
    return ldl, dest, diag
