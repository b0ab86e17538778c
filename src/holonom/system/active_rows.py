"""Contacts as constraints of a system: its rows, patterns and tables with and without those of the points that are
closed.

The equations of motion of a system have a fixed pattern.  When points open or close, or begin to stick or slide,
`ActiveRows.set` appends their rows to those of the joints and renews what depends on the number of rows; forces,
functions, frames and kernels stay as they are. What is appended is evaluated by `contact.unilateral`, through addresses
in ``S.contacts``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._address import address_of
from .._handle import make_handle
from ..contact.call import ACTIVE, ACTIVE_ARGUMENTS, ACTIVE_TABLES, EVENTS, FILL, LIST, POINTS_ONLY, RENEW
from ..contact.rigid.rows import ROLL, SPIN
from ..contact.tables import COLUMNS, E1, FEATURE, GAP
from ..contact.tables import N as NORMAL
from ..contact.tables import P as FOOT
from ..contact.unilateral import FREE, SLACK, SLIDES, SLIDING, SOFT, STICKS, TRACKED, active, make_active
from .equations import CURVE_ROW, Equations, RowInfo
from .kernels import GEOMETRY, MASSES

REMEMBERED = 64  # sets of closed points whose tables are kept
WHAT = "penetration", "sticking", "sticking", "spin", "rolling", "rolling"  # that rows of a point prevent
FARTHER = 1e-3  # of a typical radius: how far points that touch are searched for
REACH = 0.5  # points of closed pairs are searched for up to this share of a typical radius


@dataclass
class Point:
    """A contact point: ``contact`` (number), shapes ``a``, ``b`` in the order of their kernel, ``feature``: its name;
    ``mode`` FREE, STICKS or SLIDES, ``turns`` the same of spin and rolling; ``mu``: coefficient of friction of sliding,
    arms of spin and rolling as shares of a typical radius; ``grip``: the same at rest, with the static coefficient;
    ``way``: directions of slip and of rolling where they begin, sign of spin; ``last``: geometry at the last accepted
    state; ``fixed``: where that is in the frames of both shapes, and its normal there; ``gone``: there is none any
    more; ``base``: a direction near its first tangent; ``rows``: of its d velocities."""

    contact: int
    a: int
    b: int
    feature: float
    mu: np.ndarray = field(default_factory=lambda: np.zeros(3))
    grip: np.ndarray = field(default_factory=lambda: np.zeros(3))
    mode: int = FREE
    turns: tuple[int, int] = (FREE, FREE)
    way: np.ndarray = field(default_factory=lambda: np.zeros(7))
    base: np.ndarray = field(default_factory=lambda: np.zeros(3))
    last: np.ndarray = field(default_factory=lambda: np.zeros(COLUMNS))
    fixed: np.ndarray = field(default_factory=lambda: np.zeros(12))
    gone: bool = False
    rows: tuple[int, ...] = ()

    @property
    def key(self) -> tuple[int, int, float]:
        return self.a, self.b, self.feature

    @property
    def modes(self) -> tuple[int, int, int]:
        """Of slip, spin and rolling."""
        return self.mode, *self.turns

    @property
    def holds(self) -> tuple[bool, ...]:
        """Which of its d rows are constraints."""
        closed = self.mode != FREE
        slip, spin, roll = (closed and mode == STICKS and mu > 0.0 for mode, mu in zip(self.modes, self.mu))
        return closed, slip, slip, spin, roll, roll

    @property
    def oblique(self) -> bool:
        """Has its normal force friction, spinning or rolling resistance of bounded size next to it?"""
        return self.mode != FREE and any(mode == SLIDES and mu > 0.0 for mode, mu in zip(self.modes, self.mu))


class ActiveRows:
    """Rows of contact points of one system.  ``points``: those that are checked; ``T``: their tables
    (`contact.unilateral.Active`);
    ``d``: velocities of a point, 6 where a contact resists spin or rolling, else 3."""

    def __init__(self, system: Any):
        self.system = system
        self.contacts = system.contacts
        self.run = system.workspace
        self._base = self.run.equations
        self._plain = self._seen()
        self._kernel = address_of(active, ACTIVE_ARGUMENTS)
        self.points: list[Point] = []
        self._R = np.zeros((system.nb + 1, 9))
        self._R[:] = np.eye(3).ravel()
        self.reach = REACH * self.contacts._size()
        self.d = 6 if self.contacts.S.p[:, [SPIN, ROLL]].any() else 3
        self.slow = 1e-9
        self.depth = 0.0
        self.noise = 0.0, 0.0  # speed and depth that are errors of the integrator
        self._known: dict[tuple, tuple] = {}  # tables by what is closed
        self.signature: tuple | None = None
        self.T: Any = None  # tables of the kernel, made when the first points are set
        self.handle: Any = None
        self.set([])

    def release(self) -> None:
        """The system as it was."""
        self.set([])
        self.system.contacts.addresses[ACTIVE : ACTIVE_TABLES + 1] = 0

    def _lookers(self) -> list[Any]:
        """What checks the rows of the system through tables of its own."""
        return [own for own in (self.run.outputs, self.run.guards) if own is not None]

    def _seen(self) -> tuple:
        return tuple((own.W, own.handle) for own in self._lookers())

    def _take(self, equations: Equations, seen: tuple = ()) -> None:
        """Let these equations count, and what checks their rows check them."""
        self.run.equations = equations
        lookers = self._lookers()
        if len(seen) == len(lookers):
            for own, looks in zip(lookers, seen):
                own.W, own.handle = looks
        else:  # not seen before, or one of them is new
            for own in lookers:
                own.W = own.W._replace(rw=self.system.W.rw)
                own.handle = make_handle(own.S, own.W, own.parts())

    def set(self, points: list[Point]) -> None:
        """These points, those of a pair next to each other; the rows of the system are those that their modes
        require."""
        system = self.system
        self.points = points = sorted(points, key=lambda p: p.key)
        closed = [p for p in points if p.mode != FREE]
        signature = tuple((p.key, p.holds, p.oblique) for p in closed)
        if signature != self.signature:
            if self.signature is not None:
                self._known[self.signature] = self.run.equations, self.T, self.handle, self._seen()
                while len(self._known) > REMEMBERED:
                    del self._known[next(iter(self._known))]
            known = self._known.pop(signature, None)
            if known is not None:
                equations, self.T, self.handle, seen = known
                self._take(equations, seen)
            elif not closed:
                self._take(self._base, self._plain)
                self.handle = None
            else:
                self._take(self._with_rows(self._rows(points)))
                self.handle = None
            self.signature = signature
        if self.handle is None or len(points) > len(self.T.pair):
            S, W = system.S, system.W
            self.T = make_active(
                max(8, 2 * len(points)), self.d, S.rows, W.rw, S.ldl, W.Lx, W.Di, W.lam, W.lwork, S.bodies
            )
            self.handle = make_handle(self.contacts.S, self.contacts.W, self.T)
        self._number(points)
        T = self.T
        T.count[TRACKED] = len(points)
        T.settings[:SLACK] = self.reach, self.slow, self.depth, self.reach / REACH, *self.noise
        T.slot[:] = -1
        body = self.contacts.shape_body
        for k, p in enumerate(points):
            T.pair[k] = p.a, p.b
            T.feature[k] = p.feature
            T.row[k] = p.rows
            T.mode[k] = *p.modes, p.oblique
            T.mu[k] = p.mu
            T.way[k], T.base[k], T.last[k], T.fixed[k] = p.way, p.base, p.last, p.fixed
            for q, r in enumerate(p.rows):
                if r >= 0:
                    for side, b in enumerate((body(p.a), body(p.b))):
                        T.slot[k, 2 * q + side] = system.slot_of[r].get(b, -1)
        T.count[SLIDING] = sum(p.oblique for p in points)
        self.contacts.addresses[ACTIVE : ACTIVE_TABLES + 1] = (self._kernel, self.handle.address) if closed else (0, 0)

    def _number(self, points: list[Point]) -> None:
        """Rows of the closed points, behind those of the joints."""
        first = self._base.m
        for p in points:
            rows = []
            for held in p.holds[: self.d]:
                rows.append(first if held else -1)
                first += held
            p.rows = tuple(rows)

    def _rows(self, points: list[Point]) -> list[RowInfo]:
        """Rows of the system with those of the closed points."""
        self._number(points)
        rows = list(self._base.rows)
        body = self.contacts.shape_body
        for p in points:
            element = self.contacts.elements[p.contact]
            for k, r in enumerate(p.rows):
                if r >= 0:
                    what = WHAT[k]
                    rows.append(
                        RowInfo(
                            CURVE_ROW,
                            0,
                            0,
                            level=1 if k else 0,
                            name=f"{what} of {element.label}",
                            bodies=(body(p.a), body(p.b)),
                            words=f"{element.name or element.label}: {what}",
                        )
                    )
        return rows

    def _with_rows(self, rows: list[RowInfo]) -> Equations:
        """The equations of the system with these rows: everything that depends on rows again, the rest shared with
        those of the joints."""
        system, out = self.system, Equations(rows)
        S, W = self._base.S, self._base.W
        tables = out.number(system)
        out.order(system)
        m = out.m
        lw = out.ldl.work()
        z = np.zeros
        G = z((out.nslots + 1, 6))
        slides = any(p.oblique for p in self.points)
        soft = z((0, 2))
        if sum(p.mode != FREE for p in self.points) > 1 or self._base.m:
            soft = z((m, 2))
            soft[self._base.m :, 0] = SOFT
        rw = W.rw._replace(G=G, B=z(G.shape) if slides else G, phi=z(m), phit=z(m), gamma=z(m), soft=soft)
        out.S = S._replace(
            rows=tables,
            ldl=out.ldl.arrays,
            schur_dest=out.schur_dest,
            schur_diag=out.schur_diag,
            rule=MASSES if system.even else GEOMETRY,
        )
        out.W = W._replace(
            rw=rw,
            lam=z(m),
            Lx=lw.Lx,
            D=lw.D,
            Di=lw.Di,
            scale=lw.scale,
            skip=lw.skip,
            lwork=lw.work,
            G2=z(G.shape),
            plam=z(m),
            gscale=z(m),
            last=z((W.last.shape[0], 12 * system.nb + m)),
        )
        return out

    # ---- evaluations ------------------------------------------------------------------------------------------------
    def follow(self, y: np.ndarray) -> dict[tuple, tuple]:
        """Points from the accepted state y on: their geometry there, and what they are called; keys before and after of
        those that have another name."""
        active(self.handle.address, RENEW, 0.0, y, self._R, 0.0)
        renamed = {}
        for k, p in enumerate(self.points):
            before = p.key
            p.last, p.fixed, p.feature = self.T.last[k].copy(), self.T.fixed[k].copy(), float(self.T.feature[k])
            p.gone = self.T.seen[k] < 0
            if p.key != before:
                renamed[before] = p.key
        return renamed

    def _fixed(self, a: int, b: int, row: np.ndarray) -> np.ndarray:
        """(12,) where the point of a row is in the frames of shapes a and b, as they are placed at present, and its
        normal in them."""
        fr, frame = self.contacts.S.sh.fr, self.contacts.S.sh.frame
        axes = [fr.A[frame[s]].reshape(3, 3).T for s in (a, b)]
        x, n = row[FOOT : FOOT + 3], row[NORMAL : NORMAL + 3]
        return np.concatenate([A @ (x - fr.p[frame[s]]) for A, s in zip(axes, (a, b))] + [A @ n for A in axes])

    def evaluate(self, y: np.ndarray) -> np.ndarray:
        """Geometry of the points at y (points, DATA)."""
        active(self.handle.address, POINTS_ONLY, 0.0, y, self._R, 0.0)
        return self.T.data[: len(self.points)]

    def fill(self, y: np.ndarray) -> None:
        """What acts at closed points at y, the state of the present multipliers, to where the engine keeps it."""
        active(self.handle.address, FILL, 0.0, y, self._R, 0.0)

    def event_function(self, t: float, y: np.ndarray, span: float, bounds: np.ndarray) -> np.ndarray:
        """What is not among the points, at (t, y), in a step whose motion has these ``bounds``: see
        `contact.unilateral.WATCHED`."""
        self.T.bounds[:] = bounds
        active(self.handle.address, EVENTS, t, y, self._R, span)
        return self.T.out

    def near(self, t: float, y: np.ndarray, gap: float) -> list[Point]:
        """All points nearer than ``gap`` at (t, y).  They are searched for farther than that: the first point of a
        pair, nearest as its search has it, need not be the deepest of its corners."""
        W = self.contacts.W
        n = active(self.handle.address, LIST, t, y, self._R, max(gap, FARTHER * self.contacts._size()))
        out = []
        for q in range(n):
            if not W.pts[q, GAP] < gap:
                continue
            c, a, b = (int(x) for x in W.near[W.pair[q], :3])
            row = W.pts[q].copy()
            out.append(
                Point(
                    c,
                    a,
                    b,
                    float(row[FEATURE]),
                    last=row,
                    fixed=self._fixed(a, b, row),
                    base=row[E1 : E1 + 3].copy(),
                )
            )
        return out
