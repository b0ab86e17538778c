"""Inverse kinematics: coordinates of joints at which markers are where they should be.

Each step solves, in order of priority, for the displacement d of the coordinates

    1.  G d = -phi              loops stay closed, coordinates at their limits stay there,
    2.  |W (J d - e)| smallest  markers go to their targets,
    3.  |d - (prefer - q)| smallest, in what 1 and 2 leave free,

each in the null space of those before it (Siciliano and Slotine, ICAR 1991).  A step that does not come nearer is
shortened; from then on steps are damped, without 3 (Nakamura and Hanafusa, J. Dyn. Sys. Meas. Control 108 (1986) 163).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from .._summary import Summary
from ..elements.joints.composition import BALL, SLIDE
from ..elements.measures import nearest
from ..model import Model, ModelError
from ..model.orientation import Frame
from .kinematics import JointKinematics
from .stops import stop_limits

#: directions that move targets by less than this share of the largest do not count as ways to reach them
RANK = 1e-7
LARGEST = 0.5  # radians, and that share of the extent, in one step
SAME = 1e-4  # solutions nearer to each other than this are one
DAMPING = (0.0, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
CLOSINGS = 30  # steps that close loops
CREEP = 5  # damped steps that win less than a hundredth, after which the target counts as out of reach


@dataclass(repr=False)
class InverseKinematics(Summary):
    """Coordinates at which markers reach their targets, or come as near as they can.

    ``reached``: all targets are met and loops are closed; ``q`` (nq,): the coordinates, of which ``coordinates`` are
    the names; ``errors``: of each target its marker, distance in model units and angle in radians that are left;
    ``at_limits``: names of coordinates at a limit; ``free``: number of directions in which the mechanism moves without
    moving the targets; ``iterations``; ``state`` (ny,): positions of all bodies, as `System.y0`; ``solutions``: other
    coordinates that reach the targets, nearest to ``prefer`` first, q among them, where several starts were tried."""

    reached: bool
    q: np.ndarray
    coordinates: list[str]
    errors: list[tuple[str, float, float]]
    at_limits: list[str]
    free: int
    iterations: int
    state: np.ndarray = field(repr=False)
    solutions: list[np.ndarray] = field(repr=False)


def inverse_kinematics(
    model: Model | JointKinematics,
    targets: Sequence[tuple],
    *,
    start: ArrayLike | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
    prefer: ArrayLike | None = None,
    time: float = 0.0,
    tolerance: float = 1e-10,
    iterations: int = 200,
    starts: int = 1,
    seed: int = 0,
) -> InverseKinematics:
    """Coordinates of the joints at which markers are at their targets.

    ``targets``: (marker, target) or (marker, target, weights) each.  A target is a point (3,) in ground, or a `Frame`
    or (4, 4) matrix, whose origin and axes those of the marker should be.  Weights are two numbers, of position and of
    orientation, or six, of the directions of and turns about the axes of ground; 1 by default, where a length of the
    model's extent counts as a radian; zero leaves a part free.
    ``limits``: name of a coordinate -> (low, high), in radians or model units, instead of those of the stops of the
    model (``lower``, ``upper`` of joints, `Model.stop`), which are kept otherwise.  ``start``: coordinates to
    begin with, by default the position in which the model is drawn, or the nearest within the limits.  ``prefer``:
    of several solutions the one nearest to these coordinates is wanted, ``start`` by default.  Loops stay closed at
    ``time``; motions are left out, since their angles are what is looked for.  ``starts``: with more than one, others
    begin at random coordinates of ``seed``, and ``solutions`` are all that differ.

    Targets that cannot be reached are approached in the sense of least squares, and ``reached`` is false.  Raises
    ModelError for unknown markers and coordinates, and where the loops cannot be closed.
    """
    joints = model if isinstance(model, JointKinematics) else JointKinematics(model)
    if not targets:
        raise ModelError("targets is empty; give at least one marker and the point or frame where it should be")

    problem = Positions(joints, targets, {**stop_limits(joints), **(limits or {})}, float(time), tolerance)
    first = problem.inside(joints.q if start is None else joints._vector("start", start, joints.nq))
    wanted = first if prefer is None else joints._vector("prefer", prefer, joints.nq)
    random = np.random.default_rng(seed)
    begin = [first, *(problem.random(random) for _ in range(starts - 1))]
    found = [f for f in (problem.solve(q, wanted, iterations) for q in begin) if f is not None]
    if not found:
        raise ModelError(
            f"{problem.names_of_loops()}: the loops cannot be closed from the start; give a start nearer to a closed "
            "position, or starts=20"
        )
    reached = [f for f in found if f[1]]
    reached.sort(key=lambda f: float(np.abs(problem.between(wanted, f[0])).max(initial=0.0)))
    solutions: list[np.ndarray] = []
    for q, *_ in reached:
        if all(np.abs(problem.between(q, s)).max(initial=0.0) > SAME for s in solutions):
            solutions.append(q)
    best = found[0] if found[0][1] or not reached else reached[0]
    if not best[1]:
        best = min(found, key=lambda f: f[4])
    q, ok, count, free, _ = best
    return InverseKinematics(
        ok,
        q,
        list(joints.coordinates),
        problem.errors(q),
        problem.at_limits(q),
        free,
        count,
        joints.state(q),
        solutions,
    )


class Positions:
    """Targets, weights and limits of a mechanism as arrays, and the coordinates at which its loops are closed."""

    def __init__(self, joints: JointKinematics, targets: Any, limits: Any, time: float, tolerance: float):
        self.joints, self.time, self.tolerance = joints, time, tolerance
        tree = joints._tree
        self.extent = extent = float(joints.system.extent)
        self.targets: list[tuple[Any, Frame, np.ndarray]] = []
        for marker, target, *weights in targets:
            frame, turns = _frame(marker, target)
            w = np.ravel(np.asarray(weights[0] if weights else (1.0, 1.0), float))
            if w.size not in (2, 6) or not (np.isfinite(w).all() and w.min() >= 0.0):
                raise ModelError(f"{marker.label}: weights are 2 or 6 numbers that are not negative, got {w.tolist()}")
            w = np.repeat(w, 3) if w.size == 2 else w.copy()
            w[:3] /= extent
            if not turns:
                w[3:] = 0.0
            self.targets.append((marker, frame, w))
        #: of freedoms: their unit, first coordinate, and limits of those that are one coordinate
        self.unit = np.ones(joints.nv)
        self.at = np.full(joints.nv, -1)
        self.low, self.high = np.full(joints.nv, -np.inf), np.full(joints.nv, np.inf)
        self.ball = np.zeros(joints.nv, bool)
        for o in range(len(tree.kind)):
            k = int(tree.freedom[o])
            if tree.kind[o] == BALL:
                self.ball[k : k + 3] = True
                self.at[k : k + 3] = int(tree.coordinate[o])
                continue
            self.at[k] = int(tree.coordinate[o])
            if tree.kind[o] == SLIDE:
                self.unit[k] = extent
        self.slides = self.unit != 1.0
        for name, (low, high) in limits.items():
            if name not in joints.coordinates:
                listed = ", ".join(joints.coordinates[:6])
                raise ModelError(f"limits: there is no coordinate '{name}'; choose from {listed}")
            k = int(np.flatnonzero(self.at == joints.coordinates.index(name))[0]) if name in joints.freedoms else -1
            if k < 0:
                raise ModelError(f"limits of {name}: numbers of a quaternion have none; limit an angle or a distance")
            if not low <= high:
                raise ModelError(f"limits of {name}: {low:g} is above {high:g}; exchange them")
            self.low[k], self.high[k] = low, high
        self.limited = np.isfinite(self.low) | np.isfinite(self.high)

    # ---- coordinates -------------------------------------------------------------------------------------------------
    def values(self, q: np.ndarray) -> np.ndarray:
        """(nv,) coordinates of the freedoms, zero of those of quaternions."""
        return np.where(self.ball, 0.0, q[np.maximum(self.at, 0)])

    def inside(self, q: np.ndarray) -> np.ndarray:
        """The nearest coordinates within the limits."""
        out = q.copy()
        for k in np.flatnonzero(self.limited):
            out[self.at[k]] = min(max(q[self.at[k]], self.low[k]), self.high[k])
        return out

    def random(self, random: np.random.Generator) -> np.ndarray:
        """Coordinates within the limits; angles of full turns and distances of the extent where there are none."""
        out = self.joints.q.copy()
        for k in range(self.joints.nv):
            if self.ball[k]:
                if k == 0 or self.at[k] != self.at[k - 1]:
                    e = random.normal(size=4)
                    out[self.at[k] : self.at[k] + 4] = e / np.linalg.norm(e)
                continue
            most = self.extent if self.slides[k] else np.pi
            out[self.at[k]] = random.uniform(max(self.low[k], -most), max(min(self.high[k], most), self.low[k]))
        return out

    def between(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """(nv,) displacement from a to b in units of the freedoms, without whole turns where there are no limits."""
        d = (self.values(b) - self.values(a)) / self.unit
        turning = ~self.ball & ~self.slides & ~self.limited
        d[turning] = [nearest.py_func(x, 0.0) for x in d[turning]]
        for k in np.flatnonzero(self.ball)[::3]:
            p, s = a[self.at[k] : self.at[k] + 4], b[self.at[k] : self.at[k] + 4]
            scalar = float(p @ s)
            vector = p[0] * s[1:] - s[0] * p[1:] - np.cross(p[1:], s[1:])
            if scalar < 0.0:
                scalar, vector = -scalar, -vector
            size = float(np.linalg.norm(vector))
            d[k : k + 3] = 2.0 * vector if size < 1e-12 else vector * (2.0 * np.arctan2(size, scalar) / size)
        return d

    # ---- what is wanted ----------------------------------------------------------------------------------------------
    def misses(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weighted way (k,) from the markers to their targets, and its gradient (k, nv)."""
        e, J = [], []
        for marker, target, w in self.targets:
            at = self.joints.frame(marker, q)
            keep = w > 0.0
            way = np.concatenate([target.origin - at.origin, _rotation(target.axes @ at.axes.T)])
            e.append((w * way)[keep])
            J.append((w[:, None] * self.joints.jacobian(marker, q))[keep])
        return np.concatenate(e), np.concatenate(J)

    def errors(self, q: np.ndarray) -> list[tuple[str, float, float]]:
        """Of each target: marker, distance and angle that are left in what counts."""
        out = []
        for marker, target, w in self.targets:
            at = self.joints.frame(marker, q)
            turn = np.where(w[3:] > 0.0, _rotation(target.axes @ at.axes.T), 0.0)
            way = np.where(w[:3] > 0.0, target.origin - at.origin, 0.0)
            out.append((marker.label, float(np.linalg.norm(way)), float(np.linalg.norm(turn))))
        return out

    def at_limits(self, q: np.ndarray) -> list[str]:
        """Names of the coordinates that are at a limit."""
        x = self.values(q)
        near = 1e-9 * self.unit
        hit = self.limited & ((x <= self.low + near) | (x >= self.high - near))
        return [self.joints.coordinates[self.at[k]] for k in np.flatnonzero(hit)]

    def names_of_loops(self) -> str:
        """The constraints that close loops."""
        return ", ".join(c.element.label for c in self.joints.rest[:4])

    # ---- solution ----------------------------------------------------------------------------------------------------
    def solve(self, q: np.ndarray, wanted: np.ndarray, iterations: int) -> tuple | None:
        """(q, reached, iterations, free directions, error) from a start; None where the loops do not close."""
        damping, free, done, slow = 0, 0, 0, 0
        curved = not self.joints.rest and not self.ball.any()  # `nearest` applies
        first = self.closed(self.inside(q))
        if first is None:
            return None
        here = first
        e, J = self.misses(here)
        gap, G = self.joints.gaps(here, self.time, motions=False)
        while done < iterations and not (curved and slow >= CREEP):
            done += 1
            gap, G = self.joints.gaps(here, self.time, motions=False)
            pull = self.between(here, wanted) if damping == 0 else np.zeros(self.joints.nv)
            d, free = self.step(here, gap, G, e, J, pull, DAMPING[damping])
            size = float(np.abs(d).max(initial=0.0))
            d *= min(1.0, LARGEST / size) if size > 0.0 else 1.0
            if size < 1e-12 or (size < 1e-8 and self._reached(gap, e)):
                break
            share, old, better = 1.0, float(e @ e), False
            while not better and share > 1e-3:
                other = self.closed(self.inside(self.joints.moved(here, share * d * self.unit)))
                if other is not None:
                    e, J = self.misses(other)
                    better = float(e @ e) < old * (1.0 - 1e-4 * share) + (3.0 * self.tolerance) ** 2
                share *= 0.5
            if better and other is not None:
                here = other
                slow = slow + 1 if damping and float(e @ e) > 0.99 * old else 0
                damping = max(damping - 1, 1) if share == 0.5 and damping > 1 else damping
                continue
            e, J = self.misses(here)
            if damping == len(DAMPING) - 1:
                break
            damping += 1
        if not self._reached(gap, e) and curved:
            here = self.nearest(here)
            e, J = self.misses(here)
        gap, _ = self.joints.gaps(here, self.time, motions=False)
        return here, self._reached(gap, e), done, free, float(np.linalg.norm(e))

    def nearest(self, q: np.ndarray) -> np.ndarray:
        """From coordinates near the closest approach to a target out of reach to that itself, by BFGS: what is left
        there curves the sum of squares, which steps of Gauss and Newton do not see."""

        def fall(x: np.ndarray) -> tuple[float, np.ndarray]:
            p = q.copy()
            p[self.at] = x * self.unit
            e, J = self.misses(p)
            return 0.5 * float(e @ e), -(e @ J) * self.unit

        bounds = list(zip(self.low / self.unit, self.high / self.unit))
        found = minimize(fall, self.values(q) / self.unit, jac=True, bounds=bounds, method="L-BFGS-B", tol=1e-15)
        out = q.copy()
        out[self.at] = found.x * self.unit
        return out

    def closed(self, q: np.ndarray, most: int = CLOSINGS) -> np.ndarray | None:
        """The nearest coordinates at which the loops are closed, within the limits; None where ``most`` steps find
        none."""
        none, nothing = np.zeros(0), np.zeros((0, self.joints.nv))
        for _ in range(most):
            gap, G = self.joints.gaps(q, self.time, motions=False)
            if np.abs(gap).max(initial=0.0) <= 0.1 * self.tolerance * max(self.extent, 1.0):
                return q
            d, _ = self.step(q, gap, G, none, nothing, np.zeros(self.joints.nv), 0.0)
            size = float(np.abs(d).max())
            q = self.inside(self.joints.moved(q, d * min(1.0, LARGEST / max(size, 1e-300)) * self.unit))
        return None

    def _reached(self, gap: np.ndarray, e: np.ndarray) -> bool:
        closed = np.abs(gap).max(initial=0.0) <= self.tolerance * max(self.extent, 1.0)
        return bool(closed and np.abs(e).max(initial=0.0) <= self.tolerance)

    def step(
        self, q: np.ndarray, gap: np.ndarray, G: np.ndarray, e: np.ndarray, J: np.ndarray, rest: np.ndarray, mu: float
    ) -> tuple[np.ndarray, int]:
        """Displacement in units of the freedoms, and how many directions are left free."""
        x = self.values(q)
        low, high = (self.low - x) / self.unit, (self.high - x) / self.unit
        held: dict[int, float] = {}
        G, J = G * self.unit, J * self.unit
        while True:
            n = len(x)
            H = np.zeros((len(held), n))
            H[np.arange(len(held)), list(held)] = 1.0
            d, Z = _least(np.vstack([G, H]), np.concatenate([-gap, list(held.values())]), np.zeros(n), np.eye(n), 0.0)
            d, Z = _least(J, e, d, Z, mu)
            d = d + Z @ (Z.T @ (rest - d))
            over = np.where(self.limited, np.maximum(low - d, d - high), 0.0)
            over[list(held)] = 0.0
            k = int(np.argmax(over)) if n else 0
            if not n or over[k] <= 1e-12:
                return d, Z.shape[1]
            held[k] = float(low[k] if d[k] < low[k] else high[k])


def _least(A: np.ndarray, b: np.ndarray, d: np.ndarray, Z: np.ndarray, mu: float) -> tuple[np.ndarray, np.ndarray]:
    """d + Z z with the smallest |A d - b| (damped by mu), and what of the directions Z leaves that as it is."""
    if not len(A) or not Z.shape[1]:
        return d, Z
    U, s, V = np.linalg.svd(A @ Z)
    rank = int((s > RANK * max(s.max(initial=0.0), RANK)).sum())
    z = V[:rank].T @ ((U[:, :rank].T @ (b - A @ d)) * s[:rank] / (s[:rank] ** 2 + (mu * s[:1]) ** 2))
    return d + Z @ z, Z @ V[rank:].T


def _rotation(R: np.ndarray) -> np.ndarray:
    """Rotation vector (3,) of a rotation matrix."""
    axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sin, cos = 0.5 * float(np.linalg.norm(axis)), 0.5 * (float(np.trace(R)) - 1.0)
    angle = np.arctan2(sin, cos)
    if sin > 1e-6:
        return axis * (0.5 * angle / sin)
    if cos > 0.0:
        return 0.5 * axis
    B = 0.5 * (R + np.eye(3))  # half a turn: n n^T
    k = int(np.argmax(np.diag(B)))
    return angle * B[k] / np.linalg.norm(B[k])


def _frame(marker: Any, target: Any) -> tuple[Frame, bool]:
    """A target as a frame, and whether its axes count."""
    if isinstance(target, Frame):
        return target, True
    values = np.asarray(target, float)
    if values.shape == (4, 4) and np.isfinite(values).all():
        return Frame(values[:3, 3].copy(), values[:3, :3].copy()), True
    if values.shape != (3,) or not np.isfinite(values).all():
        raise ModelError(f"{marker.label}: a target is a point of three finite numbers, a Frame or a (4, 4) matrix")
    return Frame(values.copy(), np.eye(3)), False
