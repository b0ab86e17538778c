"""The referee of one system: poses in, findings out.

A reference point of depth d that crosses the surface of another body means an overlap of about d.

- Constraints (`Rules.rigid`) allow an overlap of `Rules.tolerance`, and time-stepping in addition what a body
travels in `Rules.steps` steps.
- A compliant contact allows what its law does: an overlap is a finding where no force of the pair was recorded at
the beginning or end of the step.
- Neither allows that a point which went in on one side comes out on the other: that is a passage, whatever was
recorded.

Points that lie inside the other body at the start (shapes drawn overlapping, contacts switched on late) are not
judged until they are out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..._handle import make_handle
from ...elements.bodies.layout import STATE, end
from . import sweep as kernels
from .points import ReferencePoints, reference_points
from .surfaces import CROSSINGS, ELLIPSOID, PRISM, SPHERE, Surface, clearance, pack, surface_of
from .sweep import (
    AT,
    CONTACT,
    EVALUATIONS,
    EVENT,
    FRACTION,
    LENGTH,
    MARGIN,
    NORMAL,
    O_CONTACT,
    O_DEPTH,
    O_POINT,
    O_POINT_OF,
    O_SURFACE_OF,
    OVERLAP,
    PIECES,
    POINT,
    POINT_OF,
    POSE,
    SIGN,
    STEP,
    STRAIGHT,
    SURFACE_OF,
    N,
    Poses,
    Shapes,
)

POSES, ROOM = 64, 400_000  # poses of a batch at most, and numbers of shape poses
OPPOSITE = -0.2  # product of outward normals below which two faces are on opposite sides
CHORD = 0.3  # of the depth of reference points: what chords of their paths may miss
STRICT_POINTS = 4  # times as many points in strict mode
SHARE = 0.3  # of the typical depth of a shape: what counts as its inside
EVERY = 200  # steps after which overlaps are measured
NEAR = 0.25  # of the minimum depth of shapes: half of the distance within which pairs are followed


@dataclass
class Rules:
    """What contacts allow.  ``rigid``: they are constraints; ``tolerance``: overlap (length) that constraints
    leave, and touches that may be missed;
    ``steps``: time-stepping resolves an impact within so many steps, 0 for other methods; ``noise``: what positions are
    uncertain by, length, less than which is not an overlap however small the shapes are."""

    rigid: bool = False
    tolerance: float = 0.0
    steps: float = 0.0
    noise: float = 0.0


@dataclass
class Finding:
    """Something that must not happen.  ``kind``: "crossed" (a point went in, and nothing allows it), "passed" (it
    came out on the other side, having gone in
    at ``since``) or "overlap" (at the end of a batch the shapes overlap, and nothing allows it); ``a``, ``b``:
    shapes whose point and whose surface; ``at`` (3,): position in ground; ``depth``: of the point in its own shape."""

    kind: str
    time: float
    a: int
    b: int
    contact: int
    at: np.ndarray
    depth: float
    since: float = 0.0
    recorded: bool = False


@dataclass
class Counts:
    """What was done: steps, states, steps with states inside, evaluations of clearances, pieces of paths cut, crossings
    seen, steps cut into too few pieces; the deepest crossing and the largest overlap that are no finding."""

    steps: int = 0
    sampled: int = 0
    poses: int = 0
    evaluations: int = 0
    pieces: int = 0
    crossings: int = 0
    coarse: int = 0
    deepest: float = 0.0
    overlap: float = 0.0


NONE = np.zeros(0, np.int64)
_points: dict[Any, tuple[Surface, ReferencePoints]] = {}  # of shapes met so far, most recent last
KEPT = 256


def known(solid, most: int) -> tuple[Surface, ReferencePoints]:
    """Surface and reference points of a solid; those of equal shapes are worked out once."""
    data = [getattr(solid, n) for n in ("vertices", "triangles", "heights")]
    profile = solid.profile
    if profile is not None:
        data += [
            profile.points,
            profile.bulge,
            profile.handles,
            np.array([profile.closed, profile.order, profile.control], float),
        ]
    key = (
        solid.kind,
        solid.par,
        most,
        *(None if x is None else (np.shape(x), hash(np.ascontiguousarray(x).tobytes())) for x in data),
    )
    if key not in _points:
        surface = surface_of(solid)
        _points[key] = surface, reference_points(surface, most)
        while len(_points) > KEPT:
            del _points[next(iter(_points))]
    return _points[key]


def ball(radius: float) -> tuple[Surface, ReferencePoints]:
    """A ball with its centre as its reference point."""
    surface = Surface(
        SPHERE,
        (radius, 1.0),
        centre=np.zeros(3),
        radius=radius * np.sqrt(3.0),
        low=np.full(3, -radius),
        high=np.full(3, radius),
    )
    return surface, ReferencePoints(np.zeros((1, 3)), np.array([radius]))


def is_ball(shape: tuple[Surface, ReferencePoints]) -> bool:
    """Is a shape a ball (not a hollow one)?"""
    return shape[0].type == SPHERE and shape[0].closed


def scaled(shape: tuple[Surface, ReferencePoints], size: float) -> tuple[Surface, ReferencePoints]:
    """The same shape, so many times as large."""
    s, points = shape
    lengths = {SPHERE: 1, ELLIPSOID: 3, PRISM: 1}.get(s.type, 0)
    return replace(
        s,
        par=tuple(x * size if k < lengths else x for k, x in enumerate(s.par)),
        planes=s.planes * np.array([1.0, 1.0, 1.0, size]),
        segments=s.segments * size,
        triangles=s.triangles * size,
        deviation=s.deviation * size,
        centre=s.centre * size,
        radius=s.radius * size,
        low=s.low * size,
        high=s.high * size,
    ), ReferencePoints(points.at * size, points.depth * size)


@dataclass
class Scene:
    """What the referee has to know of a system, in plain numbers.

    ``shapes``: surface and reference points of each (`known`); ``body`` (n,): their bodies, ``bodies`` is the
    number of ground, and those behind it are points between
    nodes, means of four bodies ``node`` (v, 4) with ``weight`` (v, 4); ``owner`` (n,): a body that represents each
    where joints are requested; ``place`` (n, 3), ``axes``
    (n, 9): in the axes of their bodies; ``sides``: shapes of both sides of each contact; ``joined``: of each
    contact; ``excluded``: keys i (bodies + 1) + j, i < j, of body pairs
    that joints connect; ``barred``: keys a n + b, a < b, of pairs of shapes that never touch; ``neighbours`` (n,
    2): shapes whose force is that of the shape, itself but for points
    between nodes."""

    shapes: list[tuple[Surface, ReferencePoints]]
    body: np.ndarray
    bodies: int
    place: np.ndarray
    axes: np.ndarray
    sides: list[tuple[np.ndarray, np.ndarray]]
    joined: np.ndarray
    excluded: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    barred: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    owner: np.ndarray | None = None
    node: np.ndarray = field(default_factory=lambda: np.zeros((0, 4), np.int64))
    weight: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))
    neighbours: np.ndarray | None = None


def _shared(parts: list) -> tuple[list, np.ndarray]:
    """The different objects of a list, and which each one is."""
    number: dict[int, int] = {}
    row = np.array([number.setdefault(id(x), len(number)) for x in parts], np.int64)
    return list({id(x): x for x in parts}.values()), row


class Referee:
    """Follows the poses of one system.  ``strict``: more states are checked; ``straight``: steps are straight."""

    def __init__(self, scene: Scene, rules: Rules, strict: bool = False, straight: bool = False):
        self.scene, self.rules, self.strict = scene, rules, strict
        self.counts = Counts()
        n, nb = len(scene.shapes), scene.bodies
        self.surfaces = [s for s, _ in scene.shapes]
        points = [p for _, p in scene.shapes]
        surfaces, row = _shared(self.surfaces)
        self.tables = pack(surfaces)
        self.row = row
        pools, which_pool = _shared(points)
        sizes = np.array([len(p.depth) for p in pools], np.int64)
        start = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64) if len(sizes) else np.zeros(0, np.int64)
        stack = lambda rows, shape: np.ascontiguousarray(np.concatenate(rows)) if rows else np.zeros(shape)
        self.typical = np.array([p.typical for p in pools])[which_pool]
        which = np.concatenate([x for i, j in scene.sides for x in (i, j)]).astype(np.int64)
        codes = np.repeat(np.arange(2 * len(scene.sides)), [len(x) for i, j in scene.sides for x in (i, j)])
        order = np.lexsort((codes, which))
        ptr = np.concatenate([[0], np.cumsum(np.bincount(which, minlength=n))]).astype(np.int64)
        body = np.ascontiguousarray(scene.body, np.int64)
        place, axes = np.ascontiguousarray(scene.place, float), np.ascontiguousarray(scene.axes, float)
        centre = np.array([s.centre for s in surfaces]).reshape(-1, 3)[row]
        radius = np.array([s.radius for s in surfaces], float)[row]
        middle = place + np.einsum("nij,nj->ni", axes.reshape(-1, 3, 3), centre)
        reach, tolerance = self._tolerances(body, middle, np.where(np.isfinite(radius), radius, 0.0))
        self.shapes = Shapes(
            body,
            body if scene.owner is None else np.ascontiguousarray(scene.owner, np.int64),
            place,
            axes,
            centre,
            np.ascontiguousarray(middle),
            radius,
            np.array([[*s.low, *s.high] for s in surfaces]).reshape(len(surfaces), -1)[row],
            start[which_pool],
            sizes[which_pool],
            stack([p.at for p in pools], (0, 3)),
            stack([p.depth for p in pools], 0),
            np.array([p.depth.max(initial=0.0) for p in pools])[which_pool],
            row,
            np.array([s.closed for s in surfaces], np.int64)[row],
            ptr,
            codes[order].astype(np.int64),
            np.asarray(scene.joined, float),
            np.asarray(scene.excluded, np.int64),
            np.asarray(scene.barred, np.int64),
            nb,
            reach,
            tolerance,
            np.ascontiguousarray(scene.node, np.int64),
            np.ascontiguousarray(scene.weight, float),
        )
        self.neighbours = np.column_stack([np.arange(n)] * 2) if scene.neighbours is None else scene.neighbours
        room = max(2, min(POSES, ROOM // (4 * max(n, 1)), ROOM // (7 * (nb + 1 + len(scene.node)))))
        rows, cap = nb + 1 + len(scene.node), max(256, 4 * n)
        X = np.zeros((room + 2, rows, 7))
        X[:, nb:, 3] = 1.0
        tables = [
            f()
            for _ in range(2)
            for f in (lambda: np.zeros(cap, np.int64), lambda: np.zeros(cap), lambda: np.zeros((cap, 12)))
        ]
        self.work = Poses(
            X,
            np.zeros(room + 1),
            np.zeros(room + 1, np.int64),
            np.ones(room + 1),
            np.zeros(end(nb - 1)),
            np.arange(n),
            np.zeros((room + 1, n, 3)),
            np.zeros((n, room + 1)),
            np.zeros((n, 3)),
            np.zeros((n, 3)),
            np.zeros((room + 1, rows, 9)),
            np.zeros((room + 1, rows)),
            np.zeros((cap, 3), np.int64),
            np.zeros(cap),
            *tables,
            np.zeros((256, EVENT)),
            np.zeros((256, OVERLAP)),
            np.empty((CROSSINGS, 5)),
            np.empty((3, 3)),
            np.empty(12),
            np.empty((2, 12)),
            np.empty((2, 12)),
            np.zeros(1, np.bool_),
            np.zeros(16, np.int64),
            np.zeros(8),
        )
        thin = self.typical[self.typical > 0.0]
        self.work.num[MARGIN] = NEAR * thin.min() if len(thin) else 0.0
        self.work.num[STRAIGHT] = float(straight)
        self.handle = make_handle(self.shapes, self.work, self.tables)
        self._judge = kernels.judge.entry(self.handle)
        self._turn_over = kernels.turn_over.entry(self.handle)
        self._overlaps = kernels.overlaps.entry(self.handle, 0.0)
        thin = np.where(self.typical > 0.0, self.typical, np.inf)
        self._limit = np.maximum(
            np.minimum(rules.tolerance, SHARE * thin), rules.noise
        )  # overlap of a shape that is none
        self._rough = 2.0 * np.array([s.deviation for s in surfaces])[row]
        self._least = float(self._limit.min(initial=rules.tolerance))
        self._in: dict[
            tuple[int, int, int], tuple[np.ndarray, float, np.ndarray] | None
        ] = {}  # points inside; None: since the start
        self._old: dict[tuple[int, int], int] = {}  # pairs with points inside since the start, and how many
        #: keys of pairs with a force at the end of each step of the batch, the first of the step before; their numbers
        self.acting, self.acting_number = np.zeros((room + 3, 16), np.int64), np.zeros(room + 3, np.int64)
        self.last = np.nan  # time of the last pose
        self._measured = 0  # steps when overlaps were last measured

    def _tolerances(self, body: np.ndarray, middle: np.ndarray, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far shapes reach, and how far chords may be from paths, by body."""
        scene = self.scene
        least = np.full(len(body), np.inf)
        own = np.where(self.typical > 0.0, self.typical, np.inf)
        for i, j in scene.sides:
            if len(i) and len(j):
                both = min(own[i].min(), own[j].min())
                for side in (i, j):
                    least[side] = np.minimum(least[side], both)
        tolerance, reach = np.full(scene.bodies, np.inf), np.zeros(scene.bodies)
        mobile = np.flatnonzero(body < scene.bodies)
        np.minimum.at(tolerance, body[mobile], CHORD * least[mobile])
        np.maximum.at(reach, body[mobile], (np.linalg.norm(middle, axis=1) + radius)[mobile])
        # points between nodes move with their nodes
        for s in np.flatnonzero(body > scene.bodies):
            nodes = scene.node[body[s] - scene.bodies - 1]
            np.minimum.at(tolerance, nodes, CHORD * least[s])
        return reach, tolerance

    # ---- poses -----------------------------------------------------------------------------------------------------
    def begin(self, t: float, y: np.ndarray) -> None:
        """A new path begins at the state y of time t."""
        self.acting_number[0] = 0
        self._in.clear()
        self._old.clear()
        kernels.restart(self.handle, float(t), y)
        self.last = t
        self.counts.poses += 1
        inside = np.zeros((1024, 3), np.int64)
        while True:
            found = kernels.points_inside(self.handle, inside)
            if found < 0:
                self._room()
            elif found > len(inside):
                inside = np.zeros((found, 3), np.int64)
            else:
                break
        for a, b, k in inside[:found].tolist():
            self._in[a, b, k] = None
            pair = min(a, b), max(a, b)
            self._old[pair] = self._old.get(pair, 0) + 1

    def fill(self, t0: float, old: np.ndarray, t: float, y: np.ndarray, first: int, pieces: int, cut: int) -> int:
        """Poses ``first`` .. ``pieces`` of so many from the state old at t0 to y at t; returns the one that comes
        next where there was no space for all."""
        before = int(self.work.count[N])
        following = kernels.fill(self.handle, float(t0), old, float(t), y, first, pieces, cut)
        self.counts.poses += int(self.work.count[N]) - before
        self.last = t
        return following

    def work_old(self) -> np.ndarray:
        """State of all bodies at the last pose."""
        return np.append(self.work.old, np.zeros(STATE))

    @property
    def full(self) -> bool:
        """Is there no space for one more pose?"""
        return self.work.count[N] >= len(self.work.t)

    def end_step(self, acting: np.ndarray | None) -> None:
        """The step to which the last poses belong is over; keys a n + b, a < b, of the pairs whose contact pushed
        at its end."""
        self.counts.steps += 1
        row, number = int(self.work.count[STEP]), 0 if acting is None else len(acting)
        if number > self.acting.shape[1]:
            self.acting = np.concatenate(
                [self.acting, np.zeros((len(self.acting), 2 * number - self.acting.shape[1]), np.int64)], axis=1
            )
        if acting is not None:
            self.acting[row, :number] = acting
        self.acting_number[row] = number
        self.work.count[STEP] = row + 1

    def _acting(self, first: int, end: int) -> np.ndarray:
        """Keys of the pairs that pushed at the ends of steps first .. end of the batch, those that are over."""
        rows = range(max(first, 0), min(end, int(self.work.count[STEP])))
        return np.concatenate([NONE, *(self.acting[k, : self.acting_number[k]] for k in rows)])

    def _room(self, events: int = 0) -> None:
        """Room for more pairs, or for so many events."""
        W = self.work
        if events:
            self.work = W._replace(events=np.zeros((2 * events, EVENT)))
        else:
            cap = 2 * int(W.count[kernels.PAIRS])

            def longer(a: np.ndarray) -> np.ndarray:
                out = np.zeros((cap, *a.shape[1:]), a.dtype)
                out[: len(a)] = a
                return out

            names = "pairs", "left", "key", "safe", "seen", "key2", "safe2", "seen2"
            self.work = W._replace(**{name: longer(getattr(W, name)) for name in names})
        self.handle = make_handle(self.shapes, self.work, self.tables)

    # ---- what has happened -----------------------------------------------------------------------------------------
    def judge(self, last: bool = True) -> Finding | None:
        """Examine the poses so far; the first finding, or None.  The last pose stays as the first of the next batch.
        Overlaps are measured at the ``last`` batch, and every `EVERY` steps."""
        n = int(self.work.count[N])
        if n < 2:
            return None
        while True:
            found = self._judge(self.handle)
            if found < 0:
                self._room()
            elif found > len(self.work.events):
                self._room(found)
            else:
                break
        self.counts.crossings += found
        finding = self._decide(self.work.events[:found]) if found else None
        due = last or self.strict or self.counts.steps - self._measured >= EVERY
        if (
            finding is None and due and int(self.work.step[n - 1]) < int(self.work.count[STEP])
        ):  # the last pose is the end of a step
            self._measured = self.counts.steps
            finding = self._overlapping(n)
        ended = int(self.work.count[STEP]) - 1
        self.acting_number[0] = k = self.acting_number[ended]
        self.acting[0, :k] = self.acting[ended, :k]
        self._turn_over(self.handle)
        self.counts.evaluations = int(self.work.count[EVALUATIONS])
        self.counts.pieces = int(self.work.count[PIECES])
        return finding

    def _overlapping(self, n: int) -> Finding | None:
        """Does a pair overlap at the last pose by more than the law says?  Time-stepping sees an impact one step late
        and keeps the overlap of that step, which nothing here bounds: only what crosses is judged there."""
        rules, W, G = self.rules, self.work, self.shapes
        if rules.steps:
            return None
        found = self._overlaps(self.handle, self._least)
        if not found:
            return None
        o = W.overlap[:found]
        which = o[:, [O_POINT_OF, O_SURFACE_OF]].astype(np.int64)
        beyond = o[:, O_DEPTH] - self._limit[which].min(axis=1) - self._rough[which].sum(axis=1)
        wrong = beyond > 0.0
        if not rules.rigid:
            # of shapes that follow each other smoothly, as arcs of one profile, only that one acts which has the
            # nearest point: bodies count
            steps = int(W.count[STEP])
            keys, rows, shapes = self._acting(steps - 2, steps), G.bodies + 1 + len(G.node), len(G.body)
            first, second = G.owner[keys // shapes], G.owner[keys % shapes]
            pushed = np.minimum(first, second) * rows + np.maximum(first, second)
            acts = np.zeros(found, np.bool_)
            for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):  # points between nodes have the force of either node
                a, b = G.owner[self.neighbours[which[:, 0], i]], G.owner[self.neighbours[which[:, 1], j]]
                acts |= np.isin(np.minimum(a, b) * rows + np.maximum(a, b), pushed)
                if not len(G.node):
                    break
            self.counts.overlap = max(self.counts.overlap, float(o[acts, O_DEPTH].max(initial=0.0)))
            wrong &= ~acts
        for k in np.flatnonzero(wrong):
            a, b = (int(x) for x in which[k])
            if (min(a, b), max(a, b)) not in self._old:
                at = self._ground(a, n - 1, G.point[G.first[a] + int(o[k, O_POINT])])
                return self._found(
                    "overlap", float(W.t[n - 1]), a, b, int(o[k, O_CONTACT]), at, float(o[k, O_DEPTH]), 0.0, False
                )
        return None

    def _decide(self, events: np.ndarray) -> Finding | None:
        rules, depth, W = self.rules, self.shapes.depth, self.work
        order = np.lexsort((events[:, FRACTION], events[:, POSE]))
        for e in events[order]:
            a, b, k, i = int(e[POINT_OF]), int(e[SURFACE_OF]), int(e[POINT]), int(e[POSE])
            key, pair, d = (a, b, k), (min(a, b), max(a, b)), float(depth[self.shapes.first[a] + k])
            t = W.t[i - 1] + e[FRACTION] * (W.t[i] - W.t[i - 1])
            normal = e[NORMAL : NORMAL + 3]
            recorded = self._recorded(pair, int(W.step[i]))
            if e[SIGN] > 0.0:
                if key in self._in and self._in[key] is None:
                    continue
                self._in[key] = normal.copy(), float(t), e[AT : AT + 3].copy()
                if pair in self._old or d <= min(self._limit[a], self._limit[b]) + self._rough[b]:
                    continue
                self.counts.deepest = max(self.counts.deepest, d)
                if rules.rigid and d <= rules.steps * W.cut[i] * e[LENGTH] or not rules.rigid and recorded:
                    continue
                return self._finding("crossed", t, e, i, d, float(t), recorded)
            was = self._in.pop(key, None) if key in self._in else "none"
            if was is None:
                self._old[pair] = self._old.get(pair, 1) - 1
                if self._old[pair] <= 0:
                    del self._old[pair]
            elif (
                was != "none"
                and pair not in self._old
                and self.surfaces[b].closed
                and float(normal @ was[0]) < OPPOSITE
            ):
                middle = np.ascontiguousarray(0.5 * (was[2] + e[AT : AT + 3]))
                through = float(clearance(self.tables, int(self.row[b]), middle, np.inf))
                inner = through >= SHARE * self.typical[b] > 0.0 or (d > 0.0 and d >= SHARE * self.typical[a])
                if inner and d + through > self._rough[b]:
                    return self._finding("passed", t, e, i, d, was[1], recorded)
        return None

    def _recorded(self, pair: tuple[int, int], step: int) -> bool:
        """Did the pair push at the beginning or the end of a step of the batch?  Of points between nodes, did one
        of these?"""
        n = len(self.scene.shapes)
        keys = {
            min(a, b) * n + max(a, b)
            for a in self.neighbours[pair[0]].tolist()
            for b in self.neighbours[pair[1]].tolist()
        }
        return bool(np.isin(list(keys), self._acting(step - 1, step + 1)).any())

    def _finding(
        self, kind: str, t: float, e: np.ndarray, i: int, depth: float, since: float, recorded: bool
    ) -> Finding:
        a, b = int(e[POINT_OF]), int(e[SURFACE_OF])
        return self._found(
            kind, float(t), a, b, int(e[CONTACT]), self._ground(b, i, e[AT : AT + 3]), depth, since, recorded
        )

    def _found(
        self,
        kind: str,
        t: float,
        a: int,
        b: int,
        contact: int,
        at: np.ndarray,
        depth: float,
        since: float,
        recorded: bool,
    ) -> Finding:
        a, b = (int(self.neighbours[x, 0]) for x in (a, b))
        return Finding(kind, t, a, b, contact, at, depth, since, recorded)

    def _ground(self, s: int, i: int, point: np.ndarray) -> np.ndarray:
        """A point in the axes of a shape at pose i, in ground."""
        b = int(self.shapes.body[s])
        return self.work.X[i, b, :3] + self.work.R[i, b].reshape(3, 3) @ (
            self.shapes.place[s] + self.shapes.axes[s].reshape(3, 3) @ point
        )
