"""A partition into nodes and modes that is found without the full finite elements.

1. *Nodes.*  All the energy of the approach, m v^2 / 2 with the mass that two rigid bodies have along the normal, is put
   into the bodies at rest
   (`statics.Press`, against their own inertia): of compact bodies that is the peak of Hertz's theory of impact, of long
       ones, whose waves take energy away,
   a bound.  The nodes shut there are kept, a margin around them, and what lies across of them on the other body.  After
       each run nodes that touched beyond them, or in
   the outermost ring, are taken too.
2. *Modes.*  With the kept nodes b and a fixed-interface mode j the equations are q_j'' + w_j^2 q_j = -m_jb u_b'', and
   the mode's force on the nodes is
   -m_bj q_j''.  From the accelerations of the kept nodes in a run that force is known for any mode that was left out,
       exactly as far as these
   accelerations are right.  Its part along the normal, averaged over a hundredth of the time in contact, over that of
       the contact, root mean square, is the
   indicator of the mode.  Modes are taken, the
   largest first, until what the others add up to is below half of the accuracy, and the run is made again, until
       nothing is added and the force has
   settled: correlation with the run before, and peak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._summary import Summary
from ...model.base import ModelError, shown
from .contact import Contact, Course, _velocity, collide, correlation
from .continuum import Continuum
from .coordinates import Coordinates
from .statics import Press, Pressed

MARGIN = 1.15  # extent of the kept nodes, of the predicted one
TURNS = 12
SMOOTH = 100  # of the time in contact, over which forces of modes are averaged
POOL = 30  # modes that are checked, at first
MOST = 480


@dataclass(frozen=True, eq=False)
class Partition(Summary):
    """Coordinates of both bodies of a contact for a target accuracy, and how they were found.

    ``coordinates``: of both; ``nodes``, ``modes``: kept nodes, and numbers of the chosen modes (from 0, of those of
    `Continuum.kept`); ``predicted``: the bodies pressed with the energy of the approach; ``course``: the last run;
    ``history``: a row a run: coordinates, indicator of what is left out, 1 - correlation and change of the peak from
    the run before, peak.
    """

    contact: Contact
    accuracy: float
    coordinates: tuple[Coordinates, Coordinates]
    nodes: tuple[np.ndarray, np.ndarray]
    modes: tuple[np.ndarray, np.ndarray]
    predicted: Pressed
    course: Course
    history: tuple[dict[str, float], ...]

    @property
    def size(self) -> int:
        """Coordinates of both bodies."""
        return sum(c.size for c in self.coordinates)

    def __repr__(self) -> str:
        kept, modes = (" + ".join(str(len(x)) for x in own) for own in (self.nodes, self.modes))
        free = self.contact.one.freedoms + self.contact.other.freedoms
        return (
            f"<partition for {self.accuracy:g}: {self.size} of {free} coordinates, {kept} nodes and {modes} modes, "
            f"{len(self.history)} runs>"
        )


def partition(
    contact: Contact,
    *,
    velocity: Sequence[Any],
    end: float,
    step: float,
    accuracy: float = 0.02,
    modes: int | None = None,
    **options: Any,
) -> Partition:
    """Mixed coordinates for an impact, without a run of the full finite elements.

    ``velocity``, ``end``, ``step`` and other options as of `collide`; ``accuracy``: of the peak of the force, and twice
    what the correlation of its history may lack
    (0.02: peak within 2 %, correlation 0.99); ``modes``: the most a body may have (default: as many as it takes).

    Raises `ModelError` for bodies that do not approach, an accuracy outside of 1e-4 to 0.5, too few ``modes`` for it,
    and as `collide`.
    """
    if isinstance(accuracy, bool) or not isinstance(accuracy, (int, float, np.number)) or not (1e-4 <= accuracy <= 0.5):
        raise ModelError(f"accuracy of a partition is {shown(accuracy)}; give a number from 1e-4 to 0.5")
    if modes is not None and (isinstance(modes, bool) or not isinstance(modes, (int, np.integer)) or modes < 0):
        raise ModelError(f"modes of a partition are {shown(modes)}; give a whole number from 0 on, or None")
    if "samples" in options:
        raise ModelError("a partition samples every step; leave samples out")
    bodies = (contact.one, contact.other)
    pressed = _predict(contact, velocity)
    reach = MARGIN * pressed.extent
    nodes = _around(contact, pressed, reach)
    pools = [_Pool(b, n, POOL) for b, n in zip(bodies, nodes)]
    history: list[dict[str, float]] = []
    before: Course | None = None
    for _ in range(TURNS):
        both = tuple(p.coordinates() for p in pools)
        run = collide(contact, both, velocity=velocity, end=end, step=step, samples=int(round(end / step)), **options)
        if not run.force.any():
            raise ModelError(
                f"'{bodies[0].name}' and '{bodies[1].name}' do not touch up to {end:g}; give a later end, or other "
                "velocities"
            )
        grown = _grown(contact, run, nodes)
        rest = 0.0
        wanted: list[np.ndarray] = []
        for k, pool in enumerate(pools):
            share = pool.shares(run, k)
            while len(share) < MOST and len(share) == pool.count and _tail(share) > 0.2 * accuracy and pool.widen():
                share = pool.shares(run, k)
            new, left = _needed(share, pool.chosen, accuracy)
            wanted.append(new)
            rest = float(np.hypot(rest, left))
        row = {
            "coordinates": sum(c.size for c in both),
            "indicator": rest,
            "peak": run.peak,
            "lack": np.nan,
            "change": np.nan,
        }
        if before is not None:
            row["lack"], row["change"] = 1.0 - correlation(run.force, before.force), abs(run.peak / before.peak - 1.0)
        history.append(row)
        more = any(len(n) for n in wanted)
        settled = before is not None and row["lack"] <= 0.5 * accuracy and row["change"] <= 0.5 * accuracy
        if grown is None and not more and settled:
            break
        if (
            grown is None and not more and before is None
        ):  # one run more, with what comes next, gives whether the force has settled
            wanted = [pool.next(s) for pool, s in zip(pools, (p.shares(run, k) for k, p in enumerate(pools)))]
            if not any(len(n) for n in wanted):
                break
        before = run
        if grown is not None:
            nodes = grown
            pools = [_Pool(b, n, POOL) for b, n in zip(bodies, nodes)]
            before = None
            continue
        if not any(len(n) for n in wanted):
            wanted = [pool.next(s) for pool, s in zip(pools, (p.shares(run, k) for k, p in enumerate(pools)))]
        for pool, new in zip(pools, wanted):
            pool.chosen = np.union1d(pool.chosen, new)
            if modes is not None and len(pool.chosen) > modes:
                raise ModelError(
                    f"{modes} modes of '{pool.body.name}' are too few for an accuracy of {accuracy:g}: "
                    f"{len(pool.chosen)} take part; allow more, or request less"
                )
    else:
        raise ModelError(
            f"no partition of '{bodies[0].name}' and '{bodies[1].name}' converged within {TURNS} runs; request less "
            "accuracy, or a shorter step"
        )
    return Partition(
        contact, float(accuracy), both, nodes, tuple(p.chosen for p in pools), pressed, run, tuple(history)
    )


# ---- nodes -----------------------------------------------------------------------------------------------------------
def _predict(contact: Contact, velocity) -> Pressed:
    """The bodies at rest with the energy of the approach."""
    p = contact.pairs
    k = int(p.gap.argmin()) * p.width
    d = contact.one.dimension
    cut = d * len(contact.one.places)
    if contact.friction > 0.0:
        contact = Contact(contact.one, contact.other, contact.on, contact.way, 0.0, contact.reach)
    B = p.rows[k]
    speed, mobility = 0.0, 0.0
    for body, own, given in ((contact.one, B[:, :cut], velocity[0]), (contact.other, B[:, cut:], velocity[1])):
        v = _velocity(body.whole(), given)
        free = np.flatnonzero(~body.held)
        speed -= float((own[:, free] @ v)[0])
        R = body.rigid()
        if R.shape[1]:
            b = np.asarray(own @ R)[0]
            mobility += float(b @ np.linalg.solve(R.T @ (body.M @ R), b))
    if not speed > 0.0:
        raise ModelError(
            f"'{contact.one.name}' and '{contact.other.name}' do not approach each other where they are nearest; give "
            "velocities that close the gap"
        )
    if not mobility > 0.0:
        mobility = 1.0 / min(contact.one.mass, contact.other.mass)
    press = Press(contact)
    return press.with_energy(0.5 * speed**2 / mobility)


def _around(contact: Contact, pressed: Pressed, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of both bodies within a distance of the centre of the forces, a ring around them, and those across."""
    a = contact.one
    p = contact.pairs
    centre = (
        np.zeros(a.dimension) if a.form == "axisymmetric" else pressed.forces @ pressed.places / pressed.forces.sum()
    )
    if a.form == "axisymmetric":
        away = a.places[p.nodes][:, 0]
    else:
        way = p.way[int(p.gap.argmin()) * p.width]
        x = a.places[p.nodes] - centre
        away = np.linalg.norm(x - (x @ way)[:, None] * way, axis=1)
    own = _ring(a, contact.on[0], np.union1d(p.nodes[away <= reach], pressed.nodes))
    return own, _across(contact, own)


def _ring(body: Continuum, surface: np.ndarray, own: np.ndarray) -> np.ndarray:
    """With the nodes of the surface that edges join to them."""
    on = np.zeros(len(body.places), bool)
    on[surface] = True
    g = body.neighbours
    beside = np.concatenate([own, *(g.indices[g.indptr[k] : g.indptr[k + 1]] for k in own)])
    return np.unique(beside[on[beside]])


def _across(contact: Contact, own: np.ndarray) -> np.ndarray:
    """Nodes of the other body to which gaps at these nodes refer."""
    p = contact.pairs
    d = contact.one.dimension
    cut = d * len(contact.one.places)
    rows = np.flatnonzero(np.isin(p.nodes, own)) * p.width
    used = p.rows[rows][:, cut:]
    used = used[:, :].tocoo()
    return np.unique(used.col[used.data != 0.0] // d)


def _grown(contact: Contact, run: Course, nodes) -> tuple[np.ndarray, np.ndarray] | None:
    """Kept nodes with a ring more, where one touched that is not inside of them."""
    touched = np.flatnonzero(run.touched)
    inside = _inner(contact.one, contact.on[0], nodes[0])
    if np.isin(touched, inside).all():
        return None
    own = _ring(contact.one, contact.on[0], np.union1d(nodes[0], touched))
    if len(own) == len(nodes[0]):
        return None
    return own, np.union1d(nodes[1], _across(contact, own))


def _inner(body: Continuum, surface: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Nodes of which all neighbours on the surface are among them."""
    outside = np.setdiff1d(surface, own)
    return np.setdiff1d(own, _ring(body, surface, outside)) if len(outside) else own


# ---- modes -----------------------------------------------------------------------------------------------------------
class _Pool:
    """Modes of a body with its kept nodes, of which some are chosen."""

    def __init__(self, body: Continuum, nodes: np.ndarray, count: int) -> None:
        self.body, self.nodes = body, nodes
        self._make(count)
        self.chosen = np.arange(min(2, self.count))

    def _make(self, count: int) -> None:
        inner = self.body.freedoms - self.body.dimension * len(self.nodes)
        self.count = max(0, min(count, inner - 2))
        self.all = self.body.kept(self.nodes, self.count)
        #: normal force of a kept coordinate's inertia: columns of the boundary before the modes
        self.first = self.all.size - self.count

    def widen(self) -> bool:
        """Twice the modes; whether there are."""
        before = self.count
        self._make(2 * self.count)
        return self.count > before

    def coordinates(self) -> Coordinates:
        return self.all.only(self.chosen)

    def shares(self, run: Course, which: int) -> np.ndarray:
        """(count,) of each mode the normal force on the kept nodes, chosen or left out, over that of the contact, root
        mean square."""
        if not self.count:
            return np.zeros(0)
        n = run.coordinates[0].size
        v = run.qd[:, :n] if which == 0 else run.qd[:, n:]
        h = float(run.time[1] - run.time[0])
        bound = v[:, : self.first]
        a = np.diff(bound, axis=0) / h  # mean over each step
        Mb = self.all.M[: self.first, self.first :]
        drive = -a @ Mb
        w = self.all.frequencies
        # the trapezoidal rule, as the run has it: of the mean acceleration over a step
        q, s = np.zeros(self.count), np.zeros(self.count)
        bend = np.zeros((len(a), self.count))
        k = 1.0 / (1.0 + 0.25 * (h * w) ** 2)
        for i, f in enumerate(drive):
            acceleration = k * (f - w**2 * (q + 0.5 * h * s))
            q = q + h * s + 0.5 * h * h * acceleration
            s = s + h * acceleration
            bend[i] = acceleration
        window = max(1, int(run.duration / h / SMOOTH))
        summed = np.vstack([np.zeros(self.count), np.cumsum(bend, axis=0)])
        bend = (summed[window:] - summed[:-window]) / window
        weight = self._normal(run, which) @ Mb
        force = run.force[1 : len(a) + 1]
        return np.abs(weight) * np.sqrt((bend**2).sum(0)) / np.sqrt((force**2).sum())

    def _normal(self, run: Course, which: int) -> np.ndarray:
        """(first,) direction of the contact at each kept coordinate."""
        p = run.contact.pairs
        way = p.way[int(p.gap.argmin()) * p.width]
        d = self.body.dimension
        u = np.tile(way, len(self.body.places))
        u[self.body.held] = 0.0
        on = np.zeros(len(u), bool)
        on[(d * self.nodes[:, None] + np.arange(d)).ravel()] = True
        kept = self.all.free[on[self.all.free]]
        out = np.zeros(self.first)
        out[: len(kept)] = u[kept]
        return out

    def next(self, share: np.ndarray) -> np.ndarray:
        """The two largest that are left out."""
        rest = np.setdiff1d(np.arange(self.count), self.chosen)
        return rest[np.argsort(-share[rest])[:2]]


def _needed(share: np.ndarray, chosen: np.ndarray, accuracy: float) -> tuple[np.ndarray, float]:
    """Modes to take in addition to the chosen ones, and what is left then."""
    rest = np.setdiff1d(np.arange(len(share)), chosen)
    rest = rest[np.argsort(-share[rest])]
    left = np.sqrt(np.cumsum(share[rest][::-1] ** 2))[::-1]  # of what comes from there on
    limit = 0.35 * accuracy  # of two bodies
    take = int((left > limit).sum())
    return rest[:take], float(left[0]) if len(left) else 0.0


def _tail(share: np.ndarray) -> float:
    """What the last fifth of the modes adds up to."""
    last = share[-max(1, len(share) // 5) :]
    return float(np.sqrt((last**2).sum()))
