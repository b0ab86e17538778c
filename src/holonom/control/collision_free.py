"""Paths of joint coordinates that keep bodies apart: two trees grow from start and goal until they meet (RRT-Connect:
J. J. Kuffner, S. M. LaValle, ICRA 2000, 995), then the path is shortened.

Along a straight line of coordinates q(s), s from 0 to 1, the distance of two bodies changes by no more than

    |d'(s)| <= L = sum_k |dq_k| r_k

over the freedoms k that carry one of the two: r_k = 1 for slides, and for turns how far the shapes of this body can be
from the axis, whatever the other joints do: the lengths of the links between, and the travel of slides.  Between two
positions h apart, at which the distance is a and b, it is therefore nowhere below (a + b - L h) / 2 (S. A. Piyavskii,
USSR Comput. Math. 12 (1972) 57).  A line is halved until this is above the clearance everywhere, or is refused: nothing
is passed over between two samples, however thin it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._summary import Summary
from ..contact.nearest import Nearest
from ..elements.bodies import layout
from ..elements.joints.composition import BALL, SCREW
from ..model import Model, ModelError
from ..model.orientation import from_quaternion
from ..model.shape import is_shape, marker_id, shape_of
from ..recursive.inverse_kinematics import Positions
from ..recursive.kinematics import JointKinematics
from ..recursive.stops import stop_limits
from ..recursive.tree import named
from .trajectories import Trajectory, trapezoid

PROVED = 0.2  # of the clearance: where a distance cannot change by more and is not proved, the line is refused
TOUCH = 0.01  # of the clearance: shapes of joined bodies that are nearer as drawn touch or overlap there
ROOM = 0.5  # of their distance as drawn: kept between shapes of joined bodies that are drawn nearer than the clearance
SAME = 1e-12


@dataclass(repr=False)
class CollisionFreePath(Summary):
    """Positions (k, nq) from start to goal, with straight lines of ``coordinates`` between them.

    ``clearance``: the proved smallest distance of any two bodies on the lines, at least the one that was required;
    ``between``: the two bodies of which it is; ``length``: radians, slides in units of the model's extent; ``samples``:
    drawn until the trees met; ``distances``: number of evaluations of a distance.

    What the clearance does not hold for, of bodies that a joint connects: ``exempt``, pairs "part: shape" that touch or
    overlap as drawn and are not checked; ``nearer``, pairs of parts with shapes that do not touch but are drawn nearer
    than the clearance -> their proved smallest distance, which is positive. ``clearance`` does not count them."""

    points: np.ndarray
    coordinates: list[str]
    clearance: float
    between: tuple[str, str]
    length: float
    samples: int
    distances: int
    exempt: list[tuple[str, str]] = field(default_factory=list)
    nearer: dict[tuple[str, str], float] = field(default_factory=dict)

    def trajectory(self, speed: ArrayLike, acceleration: ArrayLike) -> Trajectory:
        """The motion along the lines within limits of speed and acceleration, numbers or (nq,), at rest at each
        position: splines through the positions would leave the lines, and with them what is proved."""
        pieces = [trapezoid(a, b, speed, acceleration) for a, b in zip(self.points[:-1], self.points[1:])]
        ends = np.cumsum([p.duration for p in pieces])

        def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            shape = (*np.shape(t), self.points.shape[1])
            q, v, a = np.empty(shape), np.empty(shape), np.empty(shape)
            which = np.minimum(np.searchsorted(ends, t, side="left"), len(pieces) - 1)
            for k in np.unique(which):
                here = which == k
                q[here], v[here], a[here] = pieces[k](t[here] - (ends[k] - pieces[k].duration))
            return q, v, a

        return Trajectory(float(ends[-1]), motion)


def collision_free_path(
    model: Model | JointKinematics,
    start: ArrayLike,
    goal: ArrayLike,
    *,
    clearance: float,
    limits: Mapping[str, tuple[float, float]] | None = None,
    ignore: Sequence[tuple[str, str]] = (),
    step: float = 0.5,
    samples: int = 2000,
    shortcuts: int = 100,
    seed: int = 0,
) -> CollisionFreePath:
    """A path of joint coordinates from ``start`` to ``goal`` (nq,) on which the shapes of all bodies and of ground stay
    at least ``clearance`` (model units) apart: proved along the whole path, not at samples.

    Of two bodies that a joint connects, shapes that touch or overlap as drawn (to 1 % of the clearance) belong together
    and are not checked (a link and its bearing on ground); the result lists them as ``exempt``.  Those that are drawn
    apart, but nearer than the clearance, keep half of this distance (``nearer``).  The pairs of part names in
    ``ignore`` are not checked either.  ``limits``: name of a coordinate -> (low, high), instead of those of the stops
    of the model; slides need limits, angles without go half a turn beyond start and goal.  ``step``: longest line of
    a tree, radians, and shares of the model's extent for slides.  The trees grow by at most ``samples`` draws,
    ``shortcuts`` are tried afterwards; the same ``seed`` gives the same path.

    Raises ModelError where start or goal are too near to something or beyond limits, where no path is found, and for
    models with loops, ball joints, screws or slides without limits."""
    joints = model if isinstance(model, JointKinematics) else JointKinematics(model)
    if not (np.isfinite(clearance) and clearance > 0.0):
        raise ModelError(f"clearance is {clearance}; give a positive distance, which the path keeps everywhere")
    if not step > 0.0:
        raise ModelError(f"step is {step}; give a positive number of radians")
    bodies = Bodies(joints, limits or {}, ignore, clearance)
    ends = [joints._vector(name, q, joints.nq).copy() for name, q in (("start", start), ("goal", goal))]
    low, high = bodies.box(ends)
    for name, q in zip(("start", "goal"), ends):
        out = np.flatnonzero((q < low - SAME) | (q > high + SAME))
        if len(out):
            k = int(out[0])
            raise ModelError(
                f"{name}: {joints.coordinates[k]} is {q[k]:.6g}, beyond its limits {low[k]:.6g} and {high[k]:.6g}"
            )
        d = bodies.distances(q)
        short = d - bodies.least(clearance)
        if short.min(initial=np.inf) < 0.0:
            k = int(np.argmin(short))
            a, b = bodies.names[k]
            why = "" if np.isinf(bodies.room[k]) else " (half of their distance as drawn, since a joint connects them)"
            raise ModelError(
                f"{name}: {a} and {b} are {d[k]:.4g} apart, less than the clearance "
                f"{bodies.least(clearance)[k]:.4g}{why}; move it, require less, or name the pair in ignore"
            )
    random = np.random.default_rng(seed)
    trees = [_Tree(bodies, q, clearance, step) for q in ends]
    path, drawn = [], 0
    if bodies.line(ends[0], ends[1], clearance) is not None:
        path = [ends[0], ends[1]]
    while not path and drawn < samples:
        drawn += 1
        one, other = trees if drawn % 2 else trees[::-1]
        new = one.extend(random.uniform(low, high))
        if new is None:
            continue
        while True:
            met = other.extend(one.q[new])
            if met is None:
                break
            if np.array_equal(other.q[met], one.q[new]):
                path = one.way(new)[::-1] + other.way(met)[1:]
                path = path if drawn % 2 else path[::-1]
                break
    if not path:
        raise ModelError(
            f"no path was found with {samples} samples: {len(trees[0].q)} positions are connected with the start and "
            f"{len(trees[1].q)} with the goal; something may separate the two at a clearance of {clearance:.4g}: "
            "require less, widen limits, or give more samples"
        )
    path = _shortened(bodies, path, clearance, shortcuts, random)
    sure, between = np.inf, ("", "")
    nearer: dict[tuple[str, str], float] = {}
    for here, there in zip(path[:-1], path[1:]):
        found = bodies.line(here, there, clearance)
        assert found is not None  # each has been proved
        if found[0] < sure:
            sure, between = found[0], bodies.names[found[1]]
        for k in np.flatnonzero(np.isfinite(bodies.room)):
            pair = bodies.names[int(k)]
            nearer[pair] = min(nearer.get(pair, np.inf), float(found[2][k]))
    length = float(sum(np.linalg.norm((b - a) / bodies.unit) for a, b in zip(path[:-1], path[1:])))
    return CollisionFreePath(
        np.array(path),
        list(joints.coordinates),
        sure,
        between,
        length,
        drawn,
        bodies.evaluations,
        bodies.exempt,
        nearer,
    )


class Bodies:
    """Distances of the bodies of a tree of joints that can come near to each other; ``names``: of each pair; ``lever``
    (pairs, nv): by how much a distance changes at most with each coordinate; ``room`` (pairs,): what is kept between
    joined bodies that are drawn nearer than the clearance, infinite for all others; ``exempt``: pairs of shapes that
    touch as drawn; ``evaluations``: of distances so far."""

    def __init__(self, joints: JointKinematics, limits: Any, ignore: Any, clearance: float):
        self.joints, self.evaluations = joints, 0
        tree, model, system = joints._tree, joints.model, joints.system
        if joints.rest:
            raise ModelError(
                f"{named(joints.rest)}: paths are planned for trees of joints, without loops, couplers and motions"
            )
        for o in range(len(tree.kind)):
            if tree.kind[o] in (BALL, SCREW):
                raise ModelError(
                    f"{joints.freedoms[int(tree.freedom[o])]}: paths are planned for hinges and slides; ball joints, "
                    "screws and bodies that float are not supported"
                )
        positions = Positions(joints, (), {**stop_limits(joints), **limits}, 0.0, 1e-10)
        self.low, self.high, self.unit = positions.low, positions.high, positions.unit
        slides = np.flatnonzero(~joints.turns)
        free = [k for k in slides if not np.isfinite([self.low[k], self.high[k]]).all()]
        if free:
            name = joints.freedoms[int(free[0])]
            raise ModelError(f"{name} is a distance without two limits; give limits={{'{name}': (low, high)}}")
        solids: dict[int, list[Any]] = {}
        title: dict[int, str] = {}
        for graphic in model.table("GRAPHICS").values():
            number = marker_id(graphic) if is_shape(graphic) else None
            if number is not None and number in model.markers:
                solid = shape_of(model, graphic)
                title[id(solid)] = graphic.name or graphic.label
                solids.setdefault(system.body_of(model.markers[number]), []).append(solid)
        held = {frozenset(int(system.frame_list[f][0]) for f in (c.i, c.j)) for c in system.constraints}
        label = {b: e.name for b, e in enumerate(system.body_elements)} | {system.nb: model.ground.name}
        given = {frozenset(pair) for pair in ignore}
        for pair in given:
            unknown = [name for name in pair if name not in label.values()]
            if unknown:
                raise ModelError(f"ignore: there is no part '{unknown[0]}'; choose from {', '.join(label.values())}")
        carried = lambda b: joints._carried[joints._at[b]] if b != system.nb else np.zeros(joints.nv, bool)
        self.names: list[tuple[str, str]] = []
        self._near, self._of, levers, room = [], [], [], []
        self.exempt: list[tuple[str, str]] = []
        self._bodies = sorted(b for b in solids if b != system.nb)
        drawn = self._poses(joints.q)
        for a, b in combinations(sorted(solids), 2):
            moving = carried(a) != carried(b)
            if not moving.any() or frozenset((label[a], label[b])) in given:
                continue
            pairs = [(solids[a], solids[b], np.inf)]
            if frozenset((a, b)) in held:
                pairs = []
                at = np.array([drawn[a], drawn[b]])
                for s in solids[a]:
                    others = []
                    for t in solids[b]:
                        near = Nearest([s], [t])
                        apart = float(near.at(at)[0] - near.deviation)
                        if apart >= clearance:
                            others.append(t)
                        elif apart > TOUCH * clearance:
                            pairs.append(([s], [t], ROOM * apart))
                        else:
                            self.exempt.append((f"{label[a]}: {title[id(s)]}", f"{label[b]}: {title[id(t)]}"))
                    if others:
                        pairs.append(([s], others, np.inf))
            for first, second, least in pairs:
                near = Nearest(first, second)
                lever = np.zeros(joints.nv)
                for k in np.flatnonzero(moving):
                    side = 0 if carried(a)[k] else 1
                    lever[k] = self._arm(int(k), (a, b)[side], near.radius[side]) if joints.turns[k] else 1.0
                if not np.isfinite(lever).all():
                    raise ModelError(
                        f"{label[a]} and {label[b]}: an endless plane that moves can be anywhere; give it as a box"
                    )
                self.names.append((label[a], label[b]))
                self._near.append(near)
                self._of.append((a, b))
                room.append(least)
                levers.append(lever)
        if not self.names:
            raise ModelError(
                "no two bodies with shapes move relative to each other, so nothing can collide; draw shapes "
                "(model.box, model.capsule, ...) on the links and on ground"
            )
        self.lever = np.array(levers)
        self.room = np.array(room)

    def least(self, clearance: float) -> np.ndarray:
        """The distance that each pair keeps."""
        return np.minimum(clearance, self.room)

    def _arm(self, k: int, body: int, radius: float) -> float:
        """How far shapes of a body, within ``radius`` of the origin of its part, can be from the axis of freedom k."""
        joints = self.joints
        tree, links = joints._tree, joints.links
        first = int(joints._owner[k])
        chain = [joints._at[body]]
        while chain[-1] != first:
            chain.append(int(tree.parent[chain[-1]]))
        chain.reverse()
        total = 0.0
        for n, i in enumerate(chain):
            steps = range(int(tree.first[i]), int(tree.first[i + 1]))
            total += float(
                np.sqrt(sum(max(abs(self.low[m]), abs(self.high[m])) ** 2 for m in steps if not joints.turns[m]))
            )
            at = links[i].on_body[0]
            if n + 1 < len(chain):
                total += float(np.linalg.norm(links[chain[n + 1]].on_parent[0] - at))
            else:
                local = joints.system.local[body]
                total += float(np.linalg.norm(local.axes.T @ -local.origin - at)) + radius
        return total

    def box(self, ends: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest coordinates that are sampled."""
        low, high = self.low.copy(), self.high.copy()
        least, most = np.min(ends, axis=0), np.max(ends, axis=0)
        return (
            np.where(np.isfinite(low), low, np.minimum(least - np.pi, high)),
            np.where(np.isfinite(high), high, np.maximum(most + np.pi, low)),
        )

    def distances(self, q: np.ndarray, pairs: np.ndarray | None = None) -> np.ndarray:
        """Distances of all pairs, or of some, at coordinates q."""
        poses = self._poses(q)
        chosen = range(len(self.names)) if pairs is None else pairs
        self.evaluations += len(chosen)
        out = []
        for n in chosen:
            a, b = self._of[n]
            out.append(self._near[n].at(np.array([poses[a], poses[b]]))[0] - self._near[n].deviation)
        return np.array(out)

    def _poses(self, q: np.ndarray) -> dict[int, np.ndarray]:
        """Origin (3) and axes (9) of the parts with shapes, at coordinates q."""
        joints = self.joints
        rows = layout.rows(joints.state(q), joints.system.nb)
        poses = {joints.system.nb: np.concatenate([np.zeros(3), np.eye(3).ravel()])}
        for b in self._bodies:
            local = joints.system.local[b]
            axes = from_quaternion(rows[b, layout.QUATERNION]) @ local.axes.T
            poses[b] = np.concatenate([rows[b, layout.PLACE] - axes @ local.origin, axes.ravel()])
        return poses

    def line(self, a: np.ndarray, b: np.ndarray, clearance: float) -> tuple[float, int, np.ndarray] | None:
        """Of the straight line between two positions a proved lower bound of all distances without those of pairs with
        a ``room`` of their own, the pair that has it, and the bounds of all pairs; None where it is not proved that
        each pair keeps `least` everywhere."""
        rate, least = self.lever @ np.abs(b - a), self.least(clearance)
        ends = [self.distances(q) for q in (a, b)]
        if any((d < least).any() for d in ends):
            return None
        sure = np.full(len(rate), np.inf)
        waiting = deque([(0.0, 1.0, ends[0], ends[1], np.arange(len(rate)))])
        while waiting:
            begin, end, here, there, pairs = waiting.popleft()
            change = rate[pairs] * (end - begin)
            low = 0.5 * (here + there - change)
            doubt = low < least[pairs]
            known = pairs[~doubt]
            sure[known] = np.minimum(sure[known], low[~doubt])
            if not doubt.any():
                continue
            if (change[doubt] < PROVED * least[pairs[doubt]]).any():
                return None
            middle = 0.5 * (begin + end)
            d = self.distances(a + middle * (b - a), pairs[doubt])
            if (d < least[pairs[doubt]]).any():
                return None
            waiting.append((begin, middle, here[doubt], d, pairs[doubt]))
            waiting.append((middle, end, d, there[doubt], pairs[doubt]))
        common = np.where(np.isinf(self.room), sure, np.inf)
        pair = int(np.argmin(common))
        return float(common[pair]), pair, sure


@dataclass
class _Tree:
    """Positions that are connected with a root by proved lines."""

    bodies: Bodies
    root: np.ndarray
    clearance: float
    step: float
    q: list[np.ndarray] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.q.append(self.root)
        self.parent.append(-1)

    def extend(self, target: np.ndarray) -> int | None:
        """Number of a new position on the way to a target from the nearest one, at most a step from it; None where the
        line is not free."""
        way = (target - np.array(self.q)) / self.bodies.unit
        far = np.linalg.norm(way, axis=1)
        k = int(np.argmin(far))
        if far[k] == 0.0:
            return k
        new = target if far[k] <= self.step else self.q[k] + (self.step / far[k]) * (target - self.q[k])
        if self.bodies.line(self.q[k], new, self.clearance) is None:
            return None
        self.q.append(new)
        self.parent.append(k)
        return len(self.q) - 1

    def way(self, k: int) -> list[np.ndarray]:
        """Positions from number k to the root."""
        out = []
        while k >= 0:
            out.append(self.q[k])
            k = self.parent[k]
        return out


def _shortened(
    bodies: Bodies, path: list[np.ndarray], clearance: float, tries: int, random: np.random.Generator
) -> list[np.ndarray]:
    """The path with pieces between two of its points replaced by straight lines, where these are free."""
    for _ in range(tries):
        if len(path) < 3:
            break
        length = [float(np.linalg.norm((b - a) / bodies.unit)) for a, b in zip(path[:-1], path[1:])]
        ends = np.concatenate([[0.0], np.cumsum(length)])
        u, v = np.sort(random.uniform(0.0, ends[-1], 2))
        i, j = (min(int(np.searchsorted(ends, x, side="right")) - 1, len(length) - 1) for x in (u, v))
        if i == j:
            continue
        a, b = (path[k] + (x - ends[k]) / length[k] * (path[k + 1] - path[k]) for x, k in ((u, i), (v, j)))
        if bodies.line(a, b, clearance) is not None and all(
            bodies.line(p, q, clearance) is not None for p, q in ((path[i], a), (b, path[j + 1]))
        ):
            path = [*path[: i + 1], a, b, *path[j + 1 :]]
    return path
