"""Two bodies that may touch, and their course in time."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from ..._summary import Summary
from ...model.base import ModelError, shown
from . import pairing
from .continuum import Continuum
from .coordinates import Coordinates
from .pairing import WAYS, Pairs

METHODS = ("moreau-jean", "penalty", "multipliers")
OVERLAP = 1e-6  # of the size of the smaller body, that a surface may lie inside the other at the start
MOST_CLOSED = 1500  # gaps at once of compiled steps: their matrix is dense
STABILISED = 0.2  # rate, per step, at which a multiplier's constraint returns to its gap


@dataclass(frozen=True, eq=False)
class Contact(Summary):
    """The surfaces of two bodies that may touch: ``one`` has the nodes at which gaps are measured.

    ``surfaces``: nodes of both that may touch (a group, nodes, or a function of the positions; default: the whole
    surface of each); ``way``: "node-to-surface" or "surface-to-surface"; ``friction``: coefficient of Coulomb's law;
    ``reach``: length beyond which surfaces are not paired (default: the size of the smaller body).  In the plane and
    around an axis friction acts in the plane.

    Raises `ModelError` for bodies of different types, nodes not on the surface, unknown keywords, and for bodies that
    overlap.
    """

    one: Continuum
    other: Continuum
    surfaces: tuple[Any, Any] | None = None
    way: str = "node-to-surface"
    friction: float = 0.0
    reach: float | None = None
    pairs: Pairs = field(init=False)
    on: tuple[np.ndarray, np.ndarray] = field(init=False)

    def __post_init__(self) -> None:
        a, b = self.one, self.other
        for body in (a, b):
            if not isinstance(body, Continuum):
                raise ModelError(
                    f"{shown(body)} is not a body that can touch; make one with axisymmetric, plane or space of "
                    "holonom.flexible.mixed"
                )
        if a.form != b.form:
            raise ModelError(f"'{a.name}' is {a.form} and '{b.name}' is {b.form}; bodies that touch are of one kind")
        if a is b:
            raise ModelError(f"'{a.name}' cannot touch itself; give two bodies")
        if self.way not in WAYS:
            raise ModelError(f"the way of a contact is {shown(self.way)}; give {' or '.join(WAYS)}")
        f = self.friction
        if isinstance(f, bool) or not isinstance(f, (int, float, np.number)) or not (0.0 <= f < np.inf):
            raise ModelError(f"friction between '{a.name}' and '{b.name}' is {shown(f)}; give a number from 0 on")
        given = self.surfaces if self.surfaces is not None else (a.skin, b.skin)
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise ModelError(f"surfaces of a contact are {shown(given)}; give two, of '{a.name}' and of '{b.name}'")
        own = (a.on_surface(given[0]), b.on_surface(given[1]))
        object.__setattr__(self, "on", own)
        size = min(float(np.ptp(x.places, axis=0).max()) for x in (a, b))
        if self.reach is None:
            object.__setattr__(self, "reach", size)
        elif not (isinstance(self.reach, (int, float, np.number)) and self.reach > 0.0):
            raise ModelError(f"reach of a contact is {shown(self.reach)}; give a positive length")
        object.__setattr__(self, "pairs", self.paired(a.places, b.places))
        if not len(self.pairs.gap):
            raise ModelError(
                f"no point of the surface of '{a.name}' lies opposite that of '{b.name}' within {self.reach:g}; "
                "give other surfaces"
            )
        worst = int(self.pairs.gap.argmin())
        depth = -float(self.pairs.gap[worst])
        if depth > OVERLAP * size:
            node = int(self.pairs.nodes[worst])
            at = ", ".join(f"{x:g}" for x in a.places[node])
            raise ModelError(
                f"'{a.name}' and '{b.name}' overlap at the start: node {node} at ({at}) lies {depth:.3g} inside; move "
                "them apart by that or more"
            )

    def paired(self, x1: np.ndarray, x2: np.ndarray) -> Pairs:
        """Gaps at places of the nodes of both bodies (a, d)."""
        return pairing.pair(self.one, self.other, x1, x2, *self.on, self.way, self.friction > 0.0, float(self.reach))

    @property
    def gap(self) -> float:
        """The smallest gap as drawn, length."""
        return float(self.pairs.gap.min())

    @property
    def first(self) -> tuple[int, int]:
        """The nodes of both bodies that are nearest to touching."""
        p = self.pairs
        k = int(p.gap.argmin())
        node = int(p.nodes[k])
        at = self.one.places[node] - p.gap[k] * p.way[k * p.width]
        own = self.on[1]
        return node, int(own[((self.other.places[own] - at) ** 2).sum(1).argmin()])

    def __repr__(self) -> str:
        return (
            f"<contact of '{self.one.name}' with '{self.other.name}', {self.way}: {len(self.pairs.gap)} gaps, the "
            f"smallest {self.gap:.6g}>"
        )


@dataclass(frozen=True, eq=False)
class Course:
    """Result of a collision of two bodies.

    ``time`` (t,); ``force`` (t,): sum of the normal forces, mean over each step; ``resultant`` (t, d): force on the
    first body; ``sampled`` (s,): times of the samples of coordinates ``q`` and rates ``qd`` (s, n1 + n2); ``touched``
    (a,): at how many steps each node of the first body had a force; ``cpu``: seconds of the processor for the steps,
    ``prepared``: for the matrices before; ``coordinates`` of both bodies; ``statistics``.
    """

    contact: Contact
    coordinates: tuple[Coordinates, Coordinates]
    time: np.ndarray
    force: np.ndarray
    resultant: np.ndarray
    sampled: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    touched: np.ndarray
    cpu: float
    prepared: float
    statistics: dict[str, float]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        sizes = " + ".join(str(c.size) for c in self.coordinates)
        return (
            f"<course of {sizes} coordinates: {len(self.time) - 1} steps, peak {self.peak:.6g}, impulse "
            f"{self.impulse:.6g}, {self.duration:.4g} in contact>"
        )

    @property
    def peak(self) -> float:
        """Largest force."""
        return float(self.force.max())

    @property
    def impulse(self) -> float:
        """Time integral of the normal force."""
        return float(self.force[1:].sum() * (self.time[1] - self.time[0]))

    @property
    def duration(self) -> float:
        """Time from the first to the last step with more than a hundredth of the largest force."""
        on = np.flatnonzero(self.force > 0.01 * self.peak)
        return float(self.time[on[-1]] - self.time[on[0] - 1]) if len(on) else 0.0

    def _split(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = self.coordinates[0].size
        return x[..., :n], x[..., n:]

    def displacements(self, body: int) -> np.ndarray:
        """(s, a, d) of the first (0) or second (1) body at the samples, length."""
        return self.coordinates[body].displacements(self._split(self.q)[body])

    def velocities(self, body: int) -> np.ndarray:
        """(s, a, d), length / time."""
        return self.coordinates[body].displacements(self._split(self.qd)[body])

    @property
    def energy(self) -> dict[str, np.ndarray]:
        """Kinetic and elastic energy of both bodies, and the total, at the samples (s,)."""
        out = {"kinetic": np.zeros(len(self.sampled)), "elastic": np.zeros(len(self.sampled))}
        for c, q, qd in zip(self.coordinates, self._split(self.q), self._split(self.qd)):
            out["kinetic"] += 0.5 * np.einsum("sn,sn->s", qd, (c.M @ qd.T).T)
            out["elastic"] += 0.5 * np.einsum("sn,sn->s", q, (c.K @ q.T).T)
        return out | {"total": out["kinetic"] + out["elastic"]}

    def momentum(self, body: int | None = None) -> np.ndarray:
        """(s, d) momentum of one body, or of both; of a body of revolution the part along the axis counts."""
        total = 0.0
        for k in (0, 1) if body is None else (body,):
            c = self.coordinates[k].body
            v = self.velocities(k).reshape(len(self.sampled), -1)
            p = (c.M @ v.T).T.reshape(len(self.sampled), -1, c.dimension).sum(1)
            if c.form == "axisymmetric":
                p[:, 0] = 0.0
            total = total + p
        return total

    def speed(self, body: int) -> np.ndarray:
        """(s, d) velocity of the centre of mass, length / time."""
        return self.momentum(body) / self.coordinates[body].body.mass


def correlation(force: np.ndarray, reference: np.ndarray) -> float:
    """Normalised cross-correlation of two histories at the same times, sum(f g) / sqrt(sum(f f) sum(g g)): 1 where they
    are proportional.

    Raises `ModelError` for histories of different lengths."""
    f, g = np.asarray(force, float), np.asarray(reference, float)
    if f.shape != g.shape:
        raise ModelError(
            f"histories of {f.shape} and {g.shape} numbers cannot be compared; run both with the same step and end"
        )
    size = float(np.sqrt((f @ f) * (g @ g)))
    return float(f @ g) / size if size > 0.0 else 0.0


def collide(
    contact: Contact,
    coordinates: Sequence[Coordinates] | None = None,
    *,
    velocity: Sequence[Any],
    end: float,
    step: float,
    method: str = "moreau-jean",
    theta: float | None = None,
    restitution: float = 0.0,
    penalty: float | None = None,
    damping: float = 0.0,
    gravity: Sequence[float] | None = None,
    samples: int = 200,
    renew: int | None = None,
) -> Course:
    """Simulate the collision of the bodies of a contact from their initial velocities, with constant steps.

    ``coordinates``: of both bodies (default: all degrees of freedom of both); ``velocity``: of both, (d,) each or (a,
    d);
    ``end``, ``step``: time; ``method``: "moreau-jean" (multipliers as impulses, velocities of closed gaps), "penalty"
    (pressure per depth ``penalty``, force / length^3, by default twenty times the softer modulus over the mean size of
    the facets) or "multipliers" (the second derivative of closed gaps appended to the equations, with the impulse at
    the step in which a gap closes; trapezoidal rule); ``theta``: 0.5 (conserves energy without contact) to 1, by
    default 0.6, which damps oscillations of light surface nodes (penalty method: 1); ``restitution``: of nodes in
    contact, 0 by default, since bodies rebound by elastic waves; ``damping``: stiffness-proportional damping, time;
    ``gravity`` (d,): acceleration of both bodies; ``samples``: number of stored samples of the coordinates; ``renew``:
    number of steps after which the contact pairs are updated, for large sliding (default: never).

    Displacements are small compared with the bodies; rigid translations may be large with ``renew``. Raises
    `ModelError` for invalid values, and for velocities that the coordinates cannot represent.
    """
    if not isinstance(contact, Contact):
        raise ModelError(f"{shown(contact)} is not a contact; give holonom.flexible.mixed.Contact(one, other)")
    if method not in METHODS:
        raise ModelError(
            f"the method of a collision is {shown(method)}; give {', '.join(METHODS[:-1])} or {METHODS[-1]}"
        )
    if theta is None:
        theta = {"penalty": 1.0, "multipliers": 0.5}.get(method, 0.6)
    for name, value, low, high in (
        ("end", end, 0.0, np.inf),
        ("step", step, 0.0, np.inf),
        ("theta", theta, 0.5, 1.0),
        ("restitution", restitution, 0.0, 1.0),
        ("damping", damping, 0.0, np.inf),
    ):
        good = (
            isinstance(value, (int, float, np.number))
            and not isinstance(value, bool)
            and low <= value <= high
            and value < np.inf
        )
        if not good or (name in ("end", "step") and value <= 0.0):
            raise ModelError(f"{name} of a collision is {shown(value)}; give a number from {low:g} to {high:g}")
    if penalty is not None and (
        method != "penalty" or not (isinstance(penalty, (int, float, np.number)) and penalty > 0.0)
    ):
        raise ModelError(
            f"penalty of a collision is {shown(penalty)} with method '{method}'; give a positive number with "
            "method='penalty'"
        )
    if method == "multipliers" and (contact.friction > 0.0 or theta != 0.5 or restitution > 0.0):
        raise ModelError("method 'multipliers' has no friction, theta or restitution; use moreau-jean")
    if method == "penalty" and restitution > 0.0:
        raise ModelError("method 'penalty' has no restitution; use moreau-jean")
    steps = int(round(end / step))
    if not 1 <= steps <= 50_000_000:
        raise ModelError(f"end {end:g} and step {step:g} make {steps} steps; give up to 50 million")
    if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)) or samples < 1:
        raise ModelError(f"samples of a collision are {shown(samples)}; give a whole number from 1 on")
    bodies = (contact.one, contact.other)
    both = tuple(b.whole() for b in bodies) if coordinates is None else tuple(coordinates)
    if len(both) != 2 or any(not isinstance(c, Coordinates) or c.body is not b for c, b in zip(both, bodies)):
        raise ModelError(
            f"coordinates of a collision are {shown(coordinates)}; give those of '{bodies[0].name}' and of "
            f"'{bodies[1].name}', in this order"
        )
    if renew is not None and (isinstance(renew, bool) or not isinstance(renew, (int, np.integer)) or renew < 1):
        raise ModelError(f"renew of a collision is {shown(renew)}; give a whole number of steps from 1 on, or None")
    if not isinstance(velocity, (tuple, list, np.ndarray)) or len(velocity) != 2:
        raise ModelError(
            f"velocity of a collision is {shown(velocity)}; give two, of '{bodies[0].name}' and of '{bodies[1].name}'"
        )
    start = clock.process_time()
    v = np.concatenate([_velocity(c, given) for c, given in zip(both, velocity)])
    f = np.concatenate([_weight(c, gravity) for c in both])
    system = _System(contact, both, step, theta, damping)
    stride = max(1, steps // samples)
    if method == "penalty":
        stiff = penalty if penalty is not None else _usual_penalty(contact)
    else:
        stiff = None
    run = _Run(system, contact, v, f, steps, stride, restitution, stiff)
    run.prepared = clock.process_time() - start
    dense = system.dense and method != "multipliers"
    at = 0
    while at < steps:
        chunk = steps - at if renew is None else min(renew, steps - at)
        begin = clock.process_time()
        (run.compiled if dense else run.multipliers if method == "multipliers" else run.plain)(at, chunk)
        run.cpu += clock.process_time() - begin
        at += chunk
        if at < steps:
            run.renew()
    run._look_outside()
    h = step
    sampled = np.concatenate([[0.0], h * stride * (1 + np.arange(len(run.u_samples) - 1))])
    if steps % stride:  # the end is a sample, too
        run.u_samples.append(run.u.copy())
        run.v_samples.append(run.v.copy())
        sampled = np.append(sampled, h * steps)
    return Course(
        contact,
        both,
        h * np.arange(steps + 1),
        run.force,
        run.resultant,
        sampled,
        np.array(run.u_samples),
        np.array(run.v_samples),
        run.by_node,
        run.cpu,
        run.prepared,
        run.statistics,
        tuple(run.warned()),
    )


def _velocity(c: Coordinates, given: Any) -> np.ndarray:
    body = c.body
    try:
        v = np.asarray(given, float)
        u = np.broadcast_to(v, body.places.shape) if v.shape == (body.dimension,) else v
        if u.shape != body.places.shape or not np.all(np.isfinite(u)):
            raise ValueError
    except (TypeError, ValueError):
        raise ModelError(
            f"the velocity of '{body.name}' is {shown(given)}; give {body.dimension} numbers, or so many a node"
        ) from None
    if body.form == "axisymmetric" and v.shape == (2,) and v[0] != 0.0:
        raise ModelError(f"'{body.name}' is a body of revolution and cannot move across its axis; give 0 first")
    u = np.where(body.held.reshape(u.shape), 0.0, u)
    return c.fit(u)


def _weight(c: Coordinates, gravity) -> np.ndarray:
    if gravity is None:
        return np.zeros(c.size)
    g = np.asarray(gravity, float)
    if g.shape != (c.body.dimension,) or not np.all(np.isfinite(g)):
        raise ModelError(f"gravity of a collision is {shown(gravity)}; give {c.body.dimension} numbers")
    load = c.body.M @ np.tile(g, len(c.body.places))
    return load[c.free] if c.T is None else c.T.T @ load


def _usual_penalty(contact: Contact) -> float:
    """Twenty times the modulus of the softer body over the mean size of the facets."""
    sizes = []
    for f in pairing.facets_of(contact.one, contact.on[0]):
        sizes += list(np.linalg.norm(contact.one.places[f[:, 1]] - contact.one.places[f[:, 0]], axis=1))
    moduli = [m.E / (1 - m.nu**2) for m in (contact.one.material, contact.other.material) if m is not None]
    return 20.0 * min(moduli) / float(np.median(sizes))


class _System:
    """Matrices of both bodies for steps of one size, and the rows of the gaps."""

    def __init__(
        self, contact: Contact, both: tuple[Coordinates, Coordinates], h: float, theta: float, damping: float
    ) -> None:
        self.both, self.h, self.theta, self.damping = both, h, theta, damping
        self.tau = h * theta + damping
        self.dense = all(c.T is not None for c in both)
        self.cut = both[0].size
        self.n = sum(c.size for c in both)
        if self.dense:
            self.K, self.M = (la.block_diag(*(getattr(c, x) for c in both)) for x in "KM")
            A = self.M + h * theta * self.tau * self.K
            self.inverse = la.inv(A)
            self.inverse = 0.5 * (self.inverse + self.inverse.T)
            self.Q = h * (self.inverse @ self.K)
            self.solve = lambda b: self.inverse @ b
        else:
            self.K, self.M = (sp.block_diag([getattr(c, x) for c in both]).tocsc() for x in "KM")
            A = (self.M + h * theta * self.tau * self.K).tocsc()
            self.solve = splu(
                A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            ).solve
            self.K = self.K.tocsr()
        self.take(contact.pairs)

    def take(self, pairs: Pairs, u: np.ndarray | None = None) -> None:
        """Rows of gaps that were paired where the coordinates are u."""
        self.pairs, self.width = pairs, pairs.width
        d = self.both[0].body.dimension
        cut = d * len(self.both[0].body.places)
        parts = [c.of(r) for c, r in zip(self.both, (pairs.rows[:, :cut].tocsr(), pairs.rows[:, cut:].tocsr()))]
        if self.dense:
            self.B = np.ascontiguousarray(np.hstack(parts))
        else:
            self.B = sp.hstack([sp.csr_matrix(p) for p in parts]).tocsr()
        self.g0 = pairs.gap.copy()
        if u is not None:
            self.g0 -= self.B[:: self.width] @ u
        self.answers: dict[int, np.ndarray] = {}

    def row(self, k: int) -> np.ndarray:
        return self.B[k] if self.dense else self.B[k].toarray().ravel()

    def answer(self, k: int) -> np.ndarray:
        """A^-1 of a row."""
        if k not in self.answers:
            self.answers[k] = self.solve(self.row(k))
        return self.answers[k]


class _Run:
    """A run, chunk by chunk."""

    def __init__(self, system, contact, v, f, steps, stride, restitution, penalty) -> None:
        self.s, self.contact = system, contact
        self.u, self.v, self.f = np.zeros(system.n), v.copy(), f
        self.stride, self.restitution = stride, restitution
        self.penalty = penalty
        d = contact.one.dimension
        self.force, self.resultant = np.zeros(steps + 1), np.zeros((steps + 1, d))
        self.u_samples, self.v_samples = [self.u.copy()], [self.v.copy()]
        self.touched = np.zeros(len(contact.pairs.gap), np.int64)
        self.statistics: dict[str, float] = {"most gaps closed": 0, "gaps measured": 0, "sweeps": 0}
        self.cpu = self.prepared = 0.0
        self.last = np.zeros(len(contact.pairs.gap) * system.width)
        self.a: np.ndarray | None = None
        closing = np.abs(np.asarray(system.B[:: system.width] @ self.v)).max(initial=0.0)
        self.slow = 1e-3 * closing + 1e-300
        if f.any():
            self.slow = max(self.slow, float(np.abs(system.solve(f)).max() * system.h * steps * 1e-2))
        self.outside: set[int] = set()
        self.by_node = np.zeros(len(contact.one.places), np.int64)
        self._note()

    def _note(self) -> None:
        """Nodes that are kept, for the keyword about others that touch."""
        c = self.s.both[0]
        self.kept = np.ones(len(self.s.pairs.gap), bool) if c.kind != "mixed" else np.isin(self.s.pairs.nodes, c.nodes)

    def renew(self) -> None:
        self._look_outside()
        x = [
            c.body.places + c.displacements(q)
            for c, q in zip(self.s.both, (self.u[: self.s.cut], self.u[self.s.cut :]))
        ]
        pairs = self.contact.paired(*x)
        old = dict(zip(self.s.pairs.nodes.tolist(), self.last.reshape(-1, self.s.width)))
        self.s.take(pairs, self.u)
        none = np.zeros(self.s.width)
        self.last = np.array([old.get(int(k), none) for k in pairs.nodes]).ravel()
        self.touched = np.zeros(len(pairs.gap), np.int64)
        self._note()

    def _look_outside(self) -> None:
        np.add.at(self.by_node, self.s.pairs.nodes, self.touched)
        self.outside |= {int(k) for k in self.s.pairs.nodes[(self.touched > 0) & ~self.kept]}

    def warned(self) -> list[str]:
        if not self.outside:
            return []
        c = self.s.both[0]
        return [
            f"{len(self.outside)} nodes of '{c.body.name}' touched that its coordinates do not keep, node "
            f"{min(self.outside)} first; keep them too"
        ]

    def compiled(self, first: int, steps: int) -> None:
        from .marching import march

        s = self.s
        c, w, n = len(s.g0), s.width, s.n
        most = min(c, MOST_CLOSED)
        samples = np.zeros((2, steps // self.stride + 2, n))
        par = np.array([s.h, s.theta, s.tau, self.contact.friction, self.restitution, self.slow])
        count = np.array([steps, w, self.stride, 0, 0, 0, 0, 0, first])
        force, resultant = self.force[first : first + steps + 1], self.resultant[first : first + steps + 1]
        shape = (most * w, most * w)
        march(
            (s.Q, s.inverse, s.h * (s.inverse @ self.f)),
            (s.B, s.g0, self.soft, s.pairs.way),
            (self.u, self.v),
            par,
            count,
            (np.zeros(c, np.int64), np.zeros(c, np.int64), np.zeros(c, bool)),
            (np.zeros((c * w, n)), np.zeros(shape)),
            (np.zeros(c * w + 1, np.int64), self.last, np.zeros(c, np.int64)),
            (np.zeros(shape), np.zeros(c * w + 4), np.zeros(c * w), np.zeros(c, bool)),
            np.zeros((2, n)),
            (force, resultant, self.touched, samples),
        )
        if count[7]:
            raise ModelError(
                f"more than {MOST_CLOSED} gaps between '{s.both[0].body.name}' and '{s.both[1].body.name}' close at "
                "once; coarsen the surfaces, or name smaller ones"
            )
        self.u_samples += list(samples[0, : count[6]])
        self.v_samples += list(samples[1, : count[6]])
        st = self.statistics
        st["most gaps closed"] = max(st["most gaps closed"], int(count[3]))
        st["gaps measured"] += int(count[4])
        st["sweeps"] += int(count[5])

    @property
    def soft(self) -> np.ndarray:
        """(c,) what a penalty adds to the diagonal of W, or -1."""
        s = self.s
        return (
            np.full(len(s.g0), -1.0) if self.penalty is None else 1.0 / (self.penalty * s.pairs.area * s.h**2 * s.theta)
        )

    def _impulses(self, rows_of: Any, closed: np.ndarray, w: np.ndarray, soft: np.ndarray | None = None) -> np.ndarray:
        """p for the gaps ``closed`` with the free rates w; ``rows_of`` answers of rows."""
        from .complementarity import solve

        s = self.s
        rows = (closed[:, None] * s.width + np.arange(s.width)).ravel()
        W = np.ascontiguousarray(s.B[rows] @ np.array([rows_of(int(k)) for k in rows]).T)
        if soft is not None and self.penalty is not None:
            W[np.arange(0, len(rows), s.width), np.arange(0, len(rows), s.width)] += soft[closed]
        p = self.last[rows].copy()
        self.statistics["sweeps"] += solve(
            W,
            np.concatenate([w, np.zeros(4)]),
            p,
            np.zeros(len(closed), bool),
            np.zeros_like(W),
            self.contact.friction,
            s.width,
            len(closed),
        )
        return p

    def _record(self, k: int, closed, p) -> None:
        s = self.s
        rows = (closed[:, None] * s.width + np.arange(s.width)).ravel()
        self.last[:] = 0.0
        self.last[rows] = p
        self.force[k] += p[:: s.width].sum() / s.h
        self.resultant[k] += (p @ s.pairs.way[rows]) / s.h
        self.touched[closed[p[:: s.width] > 0.0]] += 1
        self.statistics["most gaps closed"] = max(self.statistics["most gaps closed"], len(closed))

    def _sample(self, k: int) -> None:
        if k % self.stride == 0:
            self.u_samples.append(self.u.copy())
            self.v_samples.append(self.v.copy())

    def plain(self, first: int, steps: int) -> None:
        """The same steps with any matrices."""
        from .marching import FASTER, LOOK

        s, h, theta = self.s, self.s.h, self.s.theta
        Bn = s.B[:: s.width]
        near, Bnear = np.zeros(0, np.int64), Bn[:0]
        for k in range(steps):
            if k % LOOK == 0:
                rate = max(self.slow, float(np.abs(Bn @ self.v).max(initial=0.0)))
                near = np.flatnonzero(s.g0 + Bn @ self.u < FASTER * LOOK * h * rate)
                Bnear = Bn[near]
                self.statistics["gaps measured"] += len(s.g0)
            free = self.v + s.solve(h * (self.f - s.K @ (self.u + s.tau * self.v)))
            self.statistics["gaps measured"] += len(near)
            new = free
            if len(near):
                g, r = s.g0[near] + Bnear @ self.u, Bnear @ self.v
                if self.penalty is not None:
                    g = g + h * (1.0 - theta) * r
                    shut = g + h * theta * (Bnear @ free) <= 0.0
                else:
                    shut = g + 0.5 * h * r <= 0.0
                closed = near[shut]
                p = np.zeros(0)
                if len(closed):
                    rows = (closed[:, None] * s.width + np.arange(s.width)).ravel()
                    w = s.B[rows] @ free
                    if self.penalty is not None:
                        w[:: s.width] += g[shut] / (h * theta)
                    else:
                        w[:: s.width] += self.restitution * np.minimum(r[shut], 0.0)
                    p = self._impulses(s.answer, closed, w, self.soft)
                    new = free + p @ np.array([s.answer(int(i)) for i in rows])
                self._record(first + k + 1, closed, p)
            self.u = self.u + h * (theta * new + (1.0 - theta) * self.v)
            self.v = new
            self._sample(first + k + 1)

    def multipliers(self, first: int, steps: int) -> None:
        """Second derivatives of closed gaps appended: B a = -2 s B v - s^2 g with the trapezoidal rule; an impulse
        where a gap closes."""
        s, h = self.s, self.s.h
        mass = la.cho_factor(s.M) if s.dense else splu(s.M.tocsc())
        inverse = (lambda b: la.cho_solve(mass, b)) if s.dense else mass.solve
        known: dict[int, np.ndarray] = {}

        def light(k: int) -> np.ndarray:
            if k not in known:
                known[k] = inverse(s.row(k))
            return known[k]

        if self.a is None:
            self.a = inverse(self.f - s.K @ (self.u + s.damping * self.v))
        shut = np.zeros(len(s.g0), bool)
        rate = STABILISED / h
        for k in range(steps):
            u = self.u + h * self.v + 0.25 * h * h * self.a
            v = self.v + 0.5 * h * self.a
            a = s.solve(self.f - s.K @ (u + s.damping * v))  # theta is 1/2: the matrix is that of the rule
            closed = np.flatnonzero(shut)
            if len(closed):
                back = 2.0 * rate * (s.B[closed] @ v) + rate**2 * (s.g0[closed] + s.B[closed] @ u)
                w = s.B[closed] @ a + back / (1.0 + rate * h + 0.25 * (rate * h) ** 2)
                p = self._impulses(s.answer, closed, w)
                a = a + p @ np.array([s.answer(int(i)) for i in closed])
                self._record(first + k + 1, closed, p * h)
                shut[closed[p <= 0.0]] = False
            self.u, self.v, self.a = u + 0.25 * h * h * a, v + 0.5 * h * a, a
            gap, speed = s.g0 + s.B @ self.u, s.B @ self.v
            self.statistics["gaps measured"] += len(gap)
            fresh = (gap <= 0.0) & (speed < 0.0) & ~shut
            if fresh.any():
                shut |= fresh
                closed = np.flatnonzero(shut)
                self.last[:] = 0.0
                p = self._impulses(light, closed, s.B[closed] @ self.v)
                self.v = self.v + p @ np.array([light(int(i)) for i in closed])
                force = self.force[first + k + 1]
                self._record(first + k + 1, closed, p)
                assert self.force[first + k + 1] >= force
            self._sample(first + k + 1)
