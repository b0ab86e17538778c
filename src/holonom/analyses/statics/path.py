"""Paths of equilibria over a load parameter, past points where no more load is carried: arc length.

Equilibria R(q, lam, p) = 0, phi(q, p) = 0 of statics at all values of a parameter p (an input of the model, or time)
are curves in the space of q and p. From a point with tangent (dq, dp), K dq = R_p dp, the next lies at the distance l
along the tangent and is brought back to the curve in the plane across it by Newton's method (Riks 1979; the plane
follows the point as in Ramm 1981), so that p is an unknown like the others: where it has a maximum or a minimum (limit
point: the structure snaps through when it is the load) or turns back while the displacement continues (snap-back) the
path continues.  Lengths are made of pure numbers: translations over the extent of the machine, rotations in radians, p
over the range that is requested.  A step that does not converge is halved; the next is as much longer as iterations
were fewer than five.

Between two points with slopes dp of different sign lies a limit point, found by the false position of that slope
(Illinois) along the path.  At each point of a model of up to `COUNTED` coordinates the negative eigenvalues of K on the
constraints are counted: none where the equilibrium is stable at a given p.  Where the count changes and p does not
turn, another path crosses (bifurcation); the present one is followed, and that is reported.

Sources: E. Riks, Int. J. Solids Struct. 15 (1979) 529-551; E. Ramm, Nonlinear Finite Element Analysis in Structural
Mechanics (1981) 63-89; M. A. Crisfield, Comput. Struct. 13 (1981) 55-62; H. B. Keller, Applications of Bifurcation
Theory (1977) 359-384.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import ldl
from scipy.sparse import csc_matrix

from ..._summary import Summary
from ...elements.bodies import layout
from ...elements.bodies.absolute import accept
from ...linalg.lu import SingularMatrix
from ...model import ModelError
from ...model.base import Element
from ...system.reference import accept_reference
from ..ked import vibrating
from ..session.inputs import Course
from .equilibrium import _Problem, back_to_path, equilibrium

COUNTED = 1000  # coordinates up to which unstable directions are counted: a dense matrix a point
TIGHT = 1e-9  # last correction of a point, as pure number
SHORTEST = 1e-7  # step
FLAT = 1e-7  # slope of the parameter, over the tangent, at a limit point
MAXIT = 14  # iterations of one point


@dataclass(frozen=True)
class LimitPoint(Summary):
    """``point``: its number on the path; ``parameter``: its value there; ``kind``: "maximum" or "minimum" of the
    parameter along the path."""

    point: int
    parameter: float
    kind: str


@dataclass(frozen=True)
class LoadPath(Summary):
    """Equilibria one after the other along a path.

    ``name``: of the parameter; ``parameter`` (n,): its values, in its units; ``length`` (n,): along the path, pure
    numbers; ``states`` (n, ..): of the simulation's system; ``limits``: `LimitPoint` one after the other; ``unstable``
    (n,): negative eigenvalues of the stiffness, -1 where they were not counted; ``crossings``: numbers of points before
    which another path crosses; ``complete``: the parameter has reached the end that was requested.
    """

    name: str
    parameter: np.ndarray
    length: np.ndarray
    states: np.ndarray
    limits: tuple[LimitPoint, ...]
    unstable: np.ndarray
    crossings: tuple[int, ...]
    complete: bool
    _system: Any

    def position(self, part: Any) -> np.ndarray:
        """(n, 3) places of a part or point mass (itself or its name) in ground, length. Raises `ModelError` for an
        element that is not a body."""
        if isinstance(part, Element):
            found = self._system.body_index.get((part.KIND, part.id))
        else:
            named = (e for e in self._system.body_elements if e.name.lower() == str(part).lower())
            found = next((self._system.body_index[e.KIND, e.id] for e in named), None)
        if found is None:
            raise ModelError(
                f"the path has no body {getattr(part, 'label', repr(part))}; give a part or a point mass of the model"
            )
        return np.array([layout.body(y, found)[layout.PLACE] for y in self.states])

    @property
    def stable(self) -> np.ndarray:
        """(n,) whether the equilibrium is stable at its value of the parameter; False too where that was not
        checked."""
        return self.unstable == 0


class _Follower:
    """One path while it is followed."""

    def __init__(self, simulation: Any, system: Any, number: int | None, range_: float):
        self.simulation, self.system, self.number, self.range = simulation, system, number, range_
        self.problem = _Problem(system)
        self.time = simulation.time
        self.nf = self.problem.nq + self.problem.nx

    def set(self, p: float) -> float:
        """Give the system the parameter; the time at which to evaluate it."""
        if self.number is None:
            return p
        inputs = self.simulation.inputs
        inputs.courses[self.number] = Course(p, since=self.time, target=p, given=True)
        inputs.put_one(self.system, self.number)
        return self.time

    def residual(self, y: np.ndarray, p: float) -> np.ndarray:
        self.problem.linearise(self.set(p), y, 0.0)
        return self.problem.I.res.copy()

    def load(self, y: np.ndarray, p: float) -> np.ndarray:
        """Derivative of the residual by the parameter over its range: exact where forces are linear in it."""
        h = 1e-5
        return (self.residual(y, p + h * self.range) - self.residual(y, p - h * self.range)) / (2.0 * h)

    def tangent(self, y: np.ndarray, p: float) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
        """((solution, load), displacement in pure numbers) by the parameter over its range.  Raises SingularMatrix and
        ValueError."""
        load = self.load(y, p)
        self.problem.factor(self.set(p), y, 0.0)
        solution = self.problem.solve(load)
        if not np.isfinite(solution).all():
            raise ValueError("singular")
        return (solution, load), self.problem.weigh(solution)

    def correct(self, y, p, tangent, ds, fixed: bool = False):
        """From (y, p) by ``ds`` of the parameter (over its range) along the tangent, and back to the path: (state,
        change of p, displacement, iterations) or None."""
        solution, load = tangent

        def loaded(y, ds, iteration):
            nonlocal load
            if load is None or iteration > 2:  # of dead loads it stays what it is
                load = self.load(y, p + ds * self.range)
            return load

        def factored(y, ds):
            self.problem.factor(self.set(p + ds * self.range), y, 0.0)
            return self.problem.I.res.copy()

        point = back_to_path(self.problem, y, ds, solution, factored, loaded, fixed, MAXIT, 1e-9, TIGHT)
        if point is not None:
            layout.stop(point[0], self.system.bodies)
        return point

    def resting(self, y: np.ndarray, p: float) -> np.ndarray | None:
        """The state where it is an equilibrium already, as of what is not loaded yet (its forces are roundoff, of which
        statics requires a share)."""
        still = np.zeros(self.problem.implicit.pattern.N)
        try:
            point = self.correct(y, p, (still, None), 0.0, True)
        except (SingularMatrix, ValueError):
            point = None
        return None if point is None else point[0]

    def smooth(self, p: float, point: tuple, length: float) -> bool:
        """Whether the path turns by less than 60 degrees over a step: in a hairpin it could not be reported which way
        continues."""
        new, ds, moved, _ = point
        if (
            not 0.7 * length <= float(np.sqrt(moved @ moved + ds * ds)) <= 1.5 * length
        ):  # thrown back to the other side of one
            return False
        lam = self.problem.I.lam.copy()
        _, dq = self.tangent(new, p + ds * self.range)
        self.problem.set_multipliers(lam)
        size = float(np.sqrt((moved @ moved + ds * ds) * (dq @ dq + 1.0)))
        return abs(float(moved @ dq + ds)) >= 0.5 * size

    def unstable(self, y: np.ndarray, p: float) -> int:
        """Negative eigenvalues of the stiffness on the constraints, -1 for large models."""
        problem = self.problem
        nq, o = problem.nq, self.nf
        if not 0 < nq <= COUNTED:
            return -1
        problem.linearise(self.set(p), y, 0.0)
        lu = problem.implicit.lu
        A = csc_matrix((problem.I.data[lu.source], lu.indices, lu.indptr), shape=(lu.n, lu.n))
        K = A[:nq, :nq].toarray() / problem.length[:, None] / problem.length
        G = A[o:, :nq].toarray() / problem.length
        if problem.search:
            G = G[self.system.W.skip[problem.implicit.S.ldl.place] == 0]
        size = np.abs(G).max(axis=1, initial=0.0)
        G = G[size > 0.0] / size[size > 0.0, None]
        m, big = len(G), np.abs(K).max()
        if not np.isfinite(K).all() or not big > 0.0:
            return -1
        bordered = np.block([[0.5 * (K + K.T) / big, G.T], [G, np.zeros((m, m))]])
        _, D, _ = ldl(
            bordered, check_finite=False
        )  # m of its negative eigenvalues are those of the constraints (Gould, Math. Program. 32 (1985) 90-99)
        main, off = np.diag(D), np.diag(D, 1)
        pairs = np.flatnonzero(off)
        single = np.setdiff1d(np.arange(len(main)), np.concatenate([pairs, pairs + 1]))
        return max(int((main[single] < 0.0).sum()) + len(pairs) - m, 0)  # a block of two has one of each sign


def follow_path(
    simulation: Any,
    parameter: Any,
    end: float,
    *,
    start: float | None = None,
    step: float = 0.05,
    largest: float = 0.2,
    points: int = 500,
    stability: bool = True,
) -> LoadPath:
    """Static equilibria while a parameter goes from its present value (or ``start``) to ``end``, past limit points
    by arc length: snap-through, snap-back.

    ``parameter``: an input (`Model.input`: its name, id or VARIABLE) that forces or motions read, or "time" for
    loads that are functions of TIME; ``step``, ``largest``: the first and the longest step along the path, pure
    numbers (translations over the extent of the machine, radians, the parameter over its range); ``points``: most
    points; ``stability``: count unstable directions at each point.  `run` has a row a point, whose time is that of
    the start plus the length along the path.  The next analysis starts at the last point.

    Raises ModelError for a value that is not an input, and where there is no equilibrium at the start; a path that ends
    early states why in its messages (``complete`` is False).

        found = sim.path("load", end=100.0)
        found.limits[0].parameter
    """
    vibrating(simulation, other="path")
    for name, value, low, high in (("step", step, SHORTEST, 1.0), ("largest", largest, SHORTEST, 10.0)):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not low <= value <= high:
            raise ModelError(
                f"{name} of a path is {value!r}; give a number from {low:g} to {high:g}: a length in pure numbers"
            )
    if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or points < 2:
        raise ModelError(f"points of a path are {points!r}; give a whole number from 2 on")
    timed = isinstance(parameter, str) and parameter.strip().lower() == "time"
    if timed:
        number, name, begin = None, "time", simulation.time
    else:
        number = simulation.inputs.find(parameter)
        name, begin = (
            simulation.model.table("VARIABLE")[number].name,
            simulation.inputs.courses[number].at(simulation.time),
        )
    begin = begin if start is None else start
    for what, value in (("start", begin), ("end", end)):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
            raise ModelError(f"{what} of a path is {value!r}; give a number")
    if end == begin:
        raise ModelError(f"a path of '{name}' starts and ends at {end:g}; give another end")
    if timed:
        simulation.time = float(begin)
    else:
        simulation.set_input(number, float(begin))
    system = simulation.prepare("statics", simulation.contact_method())
    if system.rigid and system.contacts.on:
        raise ModelError(
            "a path of equilibria cannot include rigid contact; give its contacts a stiffness "
            "(contact='compliant' laws), or "
            "take sim.statics"
        )
    follower = _Follower(simulation, system, number, abs(float(end) - float(begin)))
    y = follower.resting(simulation.y.copy(), float(begin))
    if y is None:
        y = equilibrium(
            system, simulation.time, simulation.y.copy(), simulation.model.equilibrium, say=simulation.say
        ).y
    follower.problem.friction.begin(y)
    try:
        return _follow(follower, name, y, float(begin), float(end), step, largest, points, stability)
    finally:
        follower.problem.friction.end()


def _follow(follower, name, y, p, end, step, largest, points, stability) -> LoadPath:
    simulation, problem, system = follower.simulation, follower.problem, follower.system
    problem.set_multipliers(system.W.lam.copy())
    towards = np.sign(end - p)
    found, unstable = [(y, p, 0.0)], []
    limits: list[LimitPoint] = []
    crossings: list[int] = []
    simulation.recorder.begin("path", {"parameter": name, "end": end})
    simulation.recorder.count({"static iterations": 0})
    length, before, complete, why = step, None, False, ""
    slope_before, lam_before, tangent_before, reach = None, None, None, 0.0
    y0, extent = y, system.extent

    def keep(y, p, s):
        unstable.append(follower.unstable(y, p) if stability else -1)
        t = follower.set(p)
        recorder = simulation.recorder
        lam = problem.I.lam.copy()
        recorder.record_at_rest(t, y)
        problem.set_multipliers(lam)
        recorder.rows["time"][-1] = origin + s  # rows go along the path

    origin = simulation.time
    keep(y, p, 0.0)
    while len(found) < points and not complete:
        y, p, s = found[-1]
        lam = problem.I.lam.copy()
        point = None
        try:
            solution, dq = follower.tangent(y, p)
            norm = float(np.sqrt(dq @ dq + 1.0))
            ahead = towards if before is None else (1.0 if before[0] @ dq + before[1] >= 0.0 else -1.0)
            slope = ahead / norm
            if (
                slope_before is not None
                and slope * slope_before < 0.0
                and not (limits and limits[-1].point == len(found) - 2)
            ):
                at = _limit(follower, found[-2], lam_before, tangent_before, slope_before, reach)
                problem.set_multipliers(lam)
                accept_reference(system, y)
                if at is not None:
                    last = found.pop()
                    last_unstable = unstable.pop()
                    rows = simulation.recorder.rows
                    kept = {k: v.pop() for k, v in rows.items()}
                    limits.append(LimitPoint(len(found), float(at[1]), "maximum" if slope_before > 0.0 else "minimum"))
                    found.append((at[0], at[1], found[-1][2] + at[2]))
                    problem.set_multipliers(at[3])
                    keep(at[0], at[1], found[-1][2])
                    found.append(last)
                    unstable.append(last_unstable)
                    for k, v in kept.items():
                        rows[k].append(v)
                    problem.set_multipliers(lam)
                    accept_reference(system, y)
                    follower.set(p)
            elif (
                before is not None
                and stability
                and len(unstable) > 1
                and -1 not in unstable[-2:]
                and unstable[-1] != unstable[-2]
            ):
                if not (limits and limits[-1].point >= len(found) - 4) and (
                    not crossings or crossings[-1] != len(found) - 1
                ):
                    crossings.append(len(found) - 1)
            ds = slope * length
            fixed = ds * towards > 0.0 and (p + ds * follower.range - end) * towards >= 0.0
            if fixed:
                ds = (end - p) / follower.range
            point = follower.correct(y, p, solution, ds, fixed)
            if point is not None and not fixed and (p + point[1] * follower.range - end) * towards > 0.0:
                problem.set_multipliers(lam)
                accept_reference(system, y)
                point = follower.correct(y, p, solution, (end - p) / follower.range, True)
                fixed = True
            if point is not None and not fixed and not follower.smooth(p, point, length):
                point = None
        except (SingularMatrix, ValueError, FloatingPointError):
            point = None
        if point is None:
            length *= 0.5
            problem.set_multipliers(lam)
            accept_reference(system, y)
            if length < SHORTEST:
                why = "steps have become too short"
                break
            continue
        new, ds, moved, iterations = point
        reach = float(np.sqrt(moved @ moved + ds * ds))
        slope_before, lam_before, tangent_before = slope, lam, (solution, norm)
        before = (moved, ds)
        p = end if fixed else p + ds * follower.range
        accept(system.bodies, y)  # that of the new point waits, since a limit point is sought from the one before
        found.append((new, p, s + reach))
        keep(new, p, s + reach)
        simulation.recorder.count({"static iterations": iterations})
        complete = fixed
        if np.abs(layout.places(new, system.nb) - layout.places(y0, system.nb)).max(initial=0.0) > 1e3 * extent:
            why = "positions are more than a thousand machine sizes away"
            break
        length = float(np.clip(length * np.sqrt(5.0 / (iterations + 1.0)), 0.25 * length, min(1.5 * length, largest)))
    simulation.recorder.end()
    accept(system.bodies, found[-1][0])
    if not complete:
        simulation.warn(
            f"path: {name} = {end:g} was not reached: "
            f"{why or f'{points} points were not enough; give more points, or a larger step'}"
        )
    for k in crossings:
        a, b = found[k - 1][1], found[k][1]
        simulation.say(
            f"path: between {name} = {a:.6g} and {b:.6g} the number of unstable directions changes from "
            f"{unstable[k - 1]} to {unstable[k]} "
            "without a limit point: another path crosses there; a small imperfection leads onto it"
        )
    y, p, _ = found[-1]
    simulation.leave(p if follower.number is None else simulation.time, y)
    simulation._prepared = None
    return LoadPath(
        name,
        np.array([x[1] for x in found]),
        np.array([x[2] for x in found]),
        np.array([x[0] for x in found]),
        tuple(limits),
        np.array(unstable),
        tuple(crossings),
        bool(complete),
        system,
    )


def _limit(follower, start, lam, tangent, slope, reach):
    """(state, parameter, distance, multipliers) of the point at which the parameter turns, ``reach`` after ``start``
    about; None where it is not found.

    Secants of the slope along the path, from the last point before the turn."""
    y, p, _ = start
    solution, norm = tangent
    problem = follower.problem
    way, f, h, best = 0.0, abs(slope), 0.5 * reach, None
    for _ in range(60):
        problem.set_multipliers(lam)
        accept_reference(follower.system, y)
        try:
            point = follower.correct(y, p, solution, np.sign(slope) * h / norm)
            if point is None:
                raise ValueError("too far")
            new, ds, moved, _ = point
            here = p + ds * follower.range
            lam_new = problem.I.lam.copy()
            ahead, dq = follower.tangent(new, here)
        except (SingularMatrix, ValueError):
            h *= 0.5
            if h < 1e-3 * SHORTEST:
                break
            continue
        far = float(np.sqrt(moved @ moved + ds * ds))
        size = float(np.sqrt(dq @ dq + 1.0))
        g = np.sign(moved @ dq + ds) * np.sign(slope) / size
        best = new, here, way + far, lam_new
        if abs(g) < FLAT:
            break
        if g > 0.0:  # not there yet: continue from here
            h = min(far * g / (f - g), reach) if f > g else h
            y, p, solution, norm, lam, way, f = new, here, ahead, size, lam_new, way + far, g
        else:
            h = min(h * f / (f - g), 0.9 * h)
    return best
