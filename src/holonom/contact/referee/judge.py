"""The referee of one system: poses in, findings out.

A reference point of depth d that crosses the surface of another body means an overlap of about d.

- Constraints (`Rules.rigid`) allow an overlap of `Rules.tolerance`, and time-stepping in addition what a body travels in `Rules.steps` steps.
- A compliant contact allows what its law does: an overlap is a finding where no force of the pair was recorded at the beginning or end of the step.
- Neither allows that a point which went in on one side comes out on the other: that is a passage, whatever was recorded.

Points that lie inside the other body at the start (shapes drawn overlapping, contacts switched on late) are not judged until they are out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .points import MOST, ReferencePoints, reference_points
from .surfaces import CROSSINGS, Surface, clearance, pack, surface_of
from .sweep import (
    AT,
    CONTACT,
    EVENT,
    FRACTION,
    LENGTH,
    NORMAL,
    POINT,
    POINT_OF,
    POSE,
    SIGN,
    SURFACE_OF,
    Shapes,
    count_inside,
    find_pairs,
    measure_motion,
    pieces,
    place_shapes,
    sweep,
)

POSES, ROOM = 64, 400_000  # poses of a batch at most, and numbers of shape poses
OPPOSITE = -0.2  # product of outward normals below which two faces are on opposite sides
CHORD = 0.3  # of the depth of reference points: what chords of their paths may miss
STRICT_POINTS = 4  # times as many points in strict mode
SHARE = 0.3  # of the typical depth of a shape: what counts as its inside


@dataclass
class Rules:
    """What contacts allow.  ``rigid``: they are constraints; ``tolerance``: overlap (length) that constraints leave, and touches that may be missed;
    ``steps``: time-stepping resolves an impact within so many steps, 0 for other methods."""

    rigid: bool = False
    tolerance: float = 0.0
    steps: float = 0.0


@dataclass
class Finding:
    """Something that must not happen.  ``kind``: "crossed" (a point went in, and nothing allows it) or "passed" (it came out on the other side, having gone in
    at ``since``); ``a``, ``b``: shapes whose point and whose surface; ``at`` (3,): place in ground; ``depth``: of the point in its own shape."""

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
    """What was done: batches, evaluations of clearances, pieces of paths cut, crossings seen and allowed."""

    steps: int = 0
    poses: int = 0
    evaluations: int = 0
    pieces: int = 0
    crossings: int = 0
    coarse: int = 0
    deepest: float = 0.0


_points: dict[Any, tuple[Surface, ReferencePoints]] = {}  # of shapes met so far, most recent last
KEPT = 256


def _known(solid, most: int) -> tuple[Surface, ReferencePoints]:
    """Surface and reference points of a solid; those of equal shapes are worked out once."""
    data = [getattr(solid, n) for n in ("vertices", "triangles", "heights")]
    profile = solid.profile
    if profile is not None:
        data += [profile.points, profile.bulge, profile.handles, np.array([profile.closed, profile.order, profile.control], float)]
    key = solid.kind, solid.par, most, *(None if x is None else (np.shape(x), hash(np.ascontiguousarray(x).tobytes())) for x in data)
    if key not in _points:
        surface = surface_of(solid)
        _points[key] = surface, reference_points(surface, most)
        while len(_points) > KEPT:
            del _points[next(iter(_points))]
    return _points[key]


@dataclass
class Scene:
    """What the referee has to know of a system, in plain numbers.

    ``solids``: `model.shape.Solid` each; ``body`` (n,): their bodies, ``bodies`` is the number of ground; ``place`` (n, 3), ``axes`` (n, 9): in the axes of their
    bodies; ``sides``: shapes of both sides of each contact; ``joined``: of each contact; ``excluded``: keys i (bodies + 1) + j, i < j, of body pairs that joints
    connect; ``barred``: keys a n + b, a < b, of pairs of shapes that never touch."""

    solids: list
    body: np.ndarray
    bodies: int
    place: np.ndarray
    axes: np.ndarray
    sides: list[tuple[np.ndarray, np.ndarray]]
    joined: np.ndarray
    excluded: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    barred: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))


class Referee:
    """Follows the poses of one system.  ``strict``: more reference points; the caller gives more poses."""

    def __init__(self, scene: Scene, rules: Rules, strict: bool = False):
        self.scene, self.rules, self.strict = scene, rules, strict
        self.counts = Counts()
        n, nb = len(scene.solids), scene.bodies
        known = [_known(s, MOST * (STRICT_POINTS if strict else 1)) for s in scene.solids]
        self.surfaces = [s for s, _ in known]
        self.points = [p for _, p in known]
        self.tables = pack(self.surfaces)
        number = np.array([len(p.depth) for p in self.points], np.int64)
        first = np.concatenate([[0], np.cumsum(number)[:-1]]).astype(np.int64) if n else np.zeros(0, np.int64)
        stack = lambda rows, shape: np.concatenate(rows) if rows else np.zeros(shape)
        which = np.concatenate([x for i, j in scene.sides for x in (i, j)]).astype(np.int64)
        codes = np.repeat(np.arange(2 * len(scene.sides)), [len(x) for i, j in scene.sides for x in (i, j)])
        order = np.lexsort((codes, which))
        ptr = np.concatenate([[0], np.cumsum(np.bincount(which, minlength=n))]).astype(np.int64)
        self.shapes = Shapes(
            np.asarray(scene.body, np.int64), np.ascontiguousarray(scene.place, float), np.ascontiguousarray(scene.axes, float),
            np.array([s.centre for s in self.surfaces]).reshape(n, 3), np.array([s.radius for s in self.surfaces], float),
            np.array([[*s.low, *s.high] for s in self.surfaces]).reshape(n, 6), first, number,
            stack([p.at for p in self.points], (0, 3)), stack([p.depth for p in self.points], 0), ptr, codes[order].astype(np.int64),
            np.asarray(scene.joined, float), np.asarray(scene.excluded, np.int64), np.asarray(scene.barred, np.int64), nb,
        )  # fmt: skip
        self.typical = np.array([p.typical for p in self.points])
        self._tolerances(known)
        self.room = max(2, min(POSES, ROOM // (12 * max(n, 1))))
        self._X = np.zeros((self.room + 1, nb + 1, 7))
        self._X[:, nb, 3] = 1.0
        self._t = np.zeros(self.room + 1)
        self._step = np.zeros(self.room + 1, np.int64)
        self._cut = np.ones(self.room + 1)  # pieces of the step of each pose
        self._P = np.zeros((self.room + 1, n, 12))
        self._C = np.zeros((self.room + 1, n, 3))
        self._travel = np.zeros((n, self.room + 1))
        self._pairs = np.zeros((max(256, 8 * n), 3), np.int64)
        self._events = np.zeros((256, EVENT))
        self._n = 0  # poses of the present batch
        self._in: dict[tuple[int, int, int], tuple[np.ndarray, float, np.ndarray] | None] = {}  # points inside; None: since the start
        self._old: dict[tuple[int, int], int] = {}  # pairs with points inside since the start, and how many
        self._acting: list[np.ndarray] = []  # keys of pairs with a force at the end of each step of the batch, the first of the step before
        self.last = np.nan  # time of the last pose
        self._keys, self._safe, self._seen = (
            np.zeros(0, np.int64),
            np.zeros(0),
            np.zeros((0, 12)),
        )  # of the pairs of the last batch, see `sweep`

    def _tolerances(self, known) -> None:
        """How far chords may be from paths, and how far shapes reach, by body."""
        scene, G = self.scene, self.shapes
        least = np.full(len(known), np.inf)
        own = np.where(self.typical > 0.0, self.typical, np.inf)
        for i, j in scene.sides:
            if len(i) and len(j):
                for side in (i, j):
                    least[side] = np.minimum(least[side], min(own[i].min(), own[j].min()))
        radius = np.where(np.isfinite(G.radius), G.radius, 0.0)
        reach = np.linalg.norm(G.place + np.einsum("nij,nj->ni", G.axes.reshape(-1, 3, 3), G.centre), axis=1) + radius
        self.tolerance, self.reach = np.full(scene.bodies, np.inf), np.zeros(scene.bodies)
        mobile = G.body < scene.bodies
        np.minimum.at(self.tolerance, G.body[mobile], CHORD * least[mobile])
        np.maximum.at(self.reach, G.body[mobile], reach[mobile])

    # ---- poses ------------------------------------------------------------------------------------------------------
    def pieces(self, before: np.ndarray, behind: np.ndarray, h: float) -> float:
        """Into how many pieces a step between two states (bodies, STATE) has to be cut."""
        return float(pieces(before, behind, h, self.reach, self.tolerance))

    def begin(self, t: float, poses: np.ndarray) -> None:
        """A new path begins at the poses (bodies, 7) of time t."""
        self._n = 0
        self._acting = [np.zeros(0, np.int64)]
        self._put(t, poses)
        self._in.clear()
        self._old.clear()
        self._keys = self._keys[:0]
        for a, b, _ in self._batch_pairs(1):
            for p, q in ((a, b), (b, a)):
                if not self.shapes.count[p] or not self.surfaces[q].closed:
                    continue
                which = np.zeros(self.shapes.count[p], np.bool_)
                far = 4.0 * min(self.surfaces[q].radius, 1e6 * self.shapes.radius[p] + 1.0) + 4.0 * self.shapes.radius[p]
                if count_inside(self.tables, self.shapes, self._P, p, q, 0, far, np.empty((CROSSINGS, 5)), np.empty(3), which):
                    for k in np.flatnonzero(which):
                        self._in[p, q, int(self.shapes.first[p] + k)] = None
                    self._old[min(p, q), max(p, q)] = self._old.get((min(p, q), max(p, q)), 0) + int(which.sum())

    def add(self, t: float, poses: np.ndarray, pieces: int = 1) -> None:
        """Poses (bodies, 7) at a time within the present step, which has so many pieces."""
        self._cut[self._n] = pieces
        self._put(t, poses)

    @property
    def full(self) -> bool:
        """Is there no room for one more pose?"""
        return self._n > self.room

    def end_step(self, acting: np.ndarray | None) -> None:
        """The step to which the last poses belong is over; keys a n + b, a < b, of the pairs whose contact pushed at its end."""
        self.counts.steps += 1
        self._acting.append(np.zeros(0, np.int64) if acting is None else acting)

    def _put(self, t: float, poses: np.ndarray) -> None:
        self._X[self._n, : self.scene.bodies] = poses
        self._t[self._n], self._step[self._n] = t, len(self._acting)
        self._n += 1
        self.last = t
        self.counts.poses += 1

    def _batch_pairs(self, n: int) -> np.ndarray:
        P, C, travel = self._P[:n], self._C[:n], self._travel[:, :n]
        place_shapes(self.shapes, self._X[:n], P)
        measure_motion(self.shapes, P, C, travel)
        found = find_pairs(self.shapes, C, self._pairs)
        if found > len(self._pairs):
            self._pairs = np.zeros((2 * found, 3), np.int64)
            find_pairs(self.shapes, C, self._pairs)
        pairs = self._pairs[:found]
        return np.ascontiguousarray(pairs[np.argsort(pairs[:, 0] * len(self.surfaces) + pairs[:, 1])])

    # ---- what has happened ------------------------------------------------------------------------------------------
    def judge(self) -> Finding | None:
        """Look at the poses so far; the first finding, or None.  The last pose stays as the first of the next batch."""
        n = self._n
        if n < 2:
            return None
        pairs = self._batch_pairs(n)
        done = np.zeros(2, np.int64)
        arguments = self.tables, self.shapes, self._P[:n], self._C[:n], self._travel[:, :n], pairs
        keys, safe, seen = self._keep(pairs)
        found = sweep(*arguments, safe, seen, self._events, done)
        if found > len(self._events):
            self._events = np.zeros((2 * found, EVENT))
            _, safe, seen = self._keep(pairs)
            sweep(*arguments, safe, seen, self._events, np.zeros(2, np.int64))
        self._keys, self._safe, self._seen = keys, safe, seen
        self.counts.evaluations += int(done[0])
        self.counts.pieces += int(done[1])
        self.counts.crossings += found
        finding = self._decide(self._events[:found]) if found else None
        self._X[0] = self._X[n - 1]
        self._t[0], self._step[0], self._n = self._t[n - 1], 0, 1
        self._acting = self._acting[-1:]
        return finding

    def _keep(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Keys of the pairs (which rise), and what is known of each from the last batch."""
        keys = pairs[:, 0] * len(self.surfaces) + pairs[:, 1]
        safe, seen = np.full(len(keys), -1.0), np.zeros((len(keys), 12))
        if len(self._keys) and len(keys):
            at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            same = np.flatnonzero(self._keys[at] == keys)
            safe[same], seen[same] = self._safe[at[same]], self._seen[at[same]]
        return keys, safe, seen

    def _decide(self, events: np.ndarray) -> Finding | None:
        rules, depth = self.rules, self.shapes.depth
        order = np.lexsort((events[:, FRACTION], events[:, POSE]))
        for e in events[order]:
            a, b, k, i = int(e[POINT_OF]), int(e[SURFACE_OF]), int(e[POINT]), int(e[POSE])
            key, pair, d = (a, b, k), (min(a, b), max(a, b)), float(depth[k])
            t = self._t[i - 1] + e[FRACTION] * (self._t[i] - self._t[i - 1])
            normal = e[NORMAL : NORMAL + 3]
            recorded = self._recorded(pair, int(self._step[i]))
            if e[SIGN] > 0.0:
                if key in self._in and self._in[key] is None:
                    continue
                self._in[key] = normal.copy(), float(t), e[AT : AT + 3].copy()
                if pair in self._old or d <= self._allowed(a, b) + 2.0 * self.surfaces[b].deviation:
                    continue
                self.counts.deepest = max(self.counts.deepest, d)
                if rules.rigid and d <= rules.steps * self._cut[i] * e[LENGTH] or not rules.rigid and recorded:
                    continue
                return self._finding("crossed", t, e, i, d, float(t), recorded)
            was = self._in.pop(key, None) if key in self._in else "none"
            if was is None:
                self._old[pair] = self._old.get(pair, 1) - 1
                if self._old[pair] <= 0:
                    del self._old[pair]
            elif was != "none" and pair not in self._old and self.surfaces[b].closed and float(normal @ was[0]) < OPPOSITE:
                middle = np.ascontiguousarray(0.5 * (was[2] + e[AT : AT + 3]))
                through = float(clearance(self.tables, b, middle, np.inf))
                inner = through >= SHARE * self.typical[b] > 0.0 or (d > 0.0 and d >= SHARE * self.typical[a])
                if inner and d + through > 2.0 * self.surfaces[b].deviation:
                    return self._finding("passed", t, e, i, d, was[1], recorded)
        return None

    def _allowed(self, a: int, b: int) -> float:
        """Overlap of two shapes that is none: the tolerance, but no more than a share of their thickness."""
        thin = [x for x in (self.typical[a], self.typical[b]) if x > 0.0]
        return min(self.rules.tolerance, SHARE * min(thin)) if thin else self.rules.tolerance

    def _recorded(self, pair: tuple[int, int], step: int) -> bool:
        """Did the pair push at the beginning or the end of a step of the batch?"""
        key = pair[0] * len(self.scene.solids) + pair[1]
        return any(bool((keys == key).any()) for keys in self._acting[max(step - 1, 0) : step + 1])

    def _finding(self, kind: str, t: float, e: np.ndarray, i: int, depth: float, since: float, recorded: bool) -> Finding:
        b = int(e[SURFACE_OF])
        P = self._P[i, b]
        at = P[:3] + P[3:].reshape(3, 3) @ e[AT : AT + 3]
        return Finding(kind, float(t), int(e[POINT_OF]), b, int(e[CONTACT]), at, depth, since, recorded)
