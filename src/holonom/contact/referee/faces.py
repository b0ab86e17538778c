"""Faces of flexible bodies for the referee: surfaces of triangles whose corners move with modes.

A corner lies at x_i = X_i + sum_j q_j phi_ij in the axes of the floating frame of its body.  A reference point inside
lies on a chord between two points of the undeformed surface, and stays at this ratio between them as they move with
the corners of their triangles.  Bodies whose surface is not closed (shells) have the middles of their triangles as
reference points, of depth zero.

Between two poses points and corners move on straight lines.  A point p passes the plane of a triangle a, b, c where
det(b - a, c - a, p - a) = 0, a cubic in time (X. Provot, Graphics Interface (1997) 177), and the triangle where its
shares there are not negative.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..._jit import jit
from ...elements.bodies.layout import STATE
from .judge import CHORD, OPPOSITE, SHARE, Counts, Finding, Rules
from .points import MOST, ReferencePoints, reference_points
from .surfaces import CROSSINGS, Surface, clearance, crossings, pack, triangle_surface

WAYS = 6  # lines through a reference point, of which the shortest chord is taken
ON = 1e-9  # share of a triangle by which a point may lie beyond its edges and still pass it
HALVINGS = 60
TURN = 0.7  # of a frame in one piece of a path

#: columns of a crossing: point, facet, fraction of the way, 1 into or -1 out of the material, outward normal, position
POINT, FACET, FRACTION, SIGN, NORMAL, AT = 0, 1, 2, 3, 4, 7
EVENT = 10


# ---- kernels ---------------------------------------------------------------------------------------------------------
@jit
def _side(x, y, tri, f, p, q, k, s):
    """(det(b - a, c - a, p - a), normal (b - a) x (c - a)) of point k and facet f at the fraction s of the way."""
    a, b, c = tri[f, 0], tri[f, 1], tri[f, 2]
    r = 1.0 - s
    a0, a1, a2 = r * x[a, 0] + s * y[a, 0], r * x[a, 1] + s * y[a, 1], r * x[a, 2] + s * y[a, 2]
    u0, u1, u2 = r * x[b, 0] + s * y[b, 0] - a0, r * x[b, 1] + s * y[b, 1] - a1, r * x[b, 2] + s * y[b, 2] - a2
    v0, v1, v2 = r * x[c, 0] + s * y[c, 0] - a0, r * x[c, 1] + s * y[c, 1] - a1, r * x[c, 2] + s * y[c, 2] - a2
    w0, w1, w2 = r * p[k, 0] + s * q[k, 0] - a0, r * p[k, 1] + s * q[k, 1] - a1, r * p[k, 2] + s * q[k, 2] - a2
    n0, n1, n2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
    return n0 * w0 + n1 * w1 + n2 * w2, (n0, n1, n2), (u0, u1, u2), (v0, v1, v2), (w0, w1, w2)


@jit
def _extrema(b, c, d):
    """The places in (0, 1), rising, where b s + c s^2 + d s^3 may have its extrema; 1 where there is none."""
    root = c * c - 3.0 * b * d
    if not root > 0.0:
        return 1.0, 1.0
    q = -(c + math.copysign(math.sqrt(root), c))
    first = q / (3.0 * d) if d != 0.0 else 1.0
    other = b / q if q != 0.0 else 1.0
    first, other = min(first, other), max(first, other)
    return (first if 0.0 < first < 1.0 else 0.0), (other if 0.0 < other < 1.0 else 1.0)


@jit
def _within(n, u, v, w):
    """Does the foot of w lie on the triangle of 0, u and v with the normal n?"""
    size = n[0] * n[0] + n[1] * n[1] + n[2] * n[2]
    if not size > 0.0:
        return False
    s = (v[1] * n[2] - v[2] * n[1]) * w[0] + (v[2] * n[0] - v[0] * n[2]) * w[1] + (v[0] * n[1] - v[1] * n[0]) * w[2]
    t = (n[1] * u[2] - n[2] * u[1]) * w[0] + (n[2] * u[0] - n[0] * u[2]) * w[1] + (n[0] * u[1] - n[1] * u[0]) * w[2]
    return s >= -ON * size and t >= -ON * size and s + t <= (1.0 + ON) * size


@jit(
    entry=(
        "float64[:, ::1], float64[:, ::1], int64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], "
        "float64[:, ::1]"
    )
)
def through_facets(before, after, triangles, starts, ends, safe, events):
    """Points that pass facets while they move from starts (m, 3) to ends and corners from before (a, 3) to after, of
    those with ``safe`` <= 0: rows of ``events``; their number, which may be more than there is space for.  ``safe``
    (m,) of these becomes a lower bound of their distance from all facets at the end."""
    found = 0
    for k in range(starts.shape[0]):
        if safe[k] > 0.0:
            continue
        near = np.inf
        for f in range(triangles.shape[0]):
            apart = False
            away = 0.0
            for c in range(3):
                l = h = after[triangles[f, 0], c]
                for e in range(1, 3):
                    l, h = min(l, after[triangles[f, e], c]), max(h, after[triangles[f, e], c])
                out = max(l - ends[k, c], ends[k, c] - h, 0.0)
                away += out * out
                for e in range(3):
                    l, h = min(l, before[triangles[f, e], c]), max(h, before[triangles[f, e], c])
                apart = apart or max(starts[k, c], ends[k, c]) < l or min(starts[k, c], ends[k, c]) > h
            near = min(near, away)
            if apart:
                continue
            f0 = _side(before, after, triangles, f, starts, ends, k, 0.0)[0]
            fa = _side(before, after, triangles, f, starts, ends, k, 1.0 / 3.0)[0]
            fb = _side(before, after, triangles, f, starts, ends, k, 2.0 / 3.0)[0]
            f1 = _side(before, after, triangles, f, starts, ends, k, 1.0)[0]
            # between the extrema of the cubic through these four it passes zero once at most
            turns = _extrema(
                -5.5 * f0 + 9.0 * fa - 4.5 * fb + f1,
                9.0 * f0 - 22.5 * fa + 18.0 * fb - 4.5 * f1,
                -4.5 * f0 + 13.5 * fa - 13.5 * fb + 4.5 * f1,
            )
            last, begin = f0, 0.0
            for end in (turns[0], turns[1], 1.0):
                if not end > begin:
                    continue
                value = f1 if end == 1.0 else _side(before, after, triangles, f, starts, ends, k, end)[0]
                low, high, sign = begin, end, last
                begin, last = end, value
                if (sign > 0.0) == (value > 0.0):
                    continue
                for _ in range(HALVINGS):
                    s = 0.5 * (low + high)
                    if (_side(before, after, triangles, f, starts, ends, k, s)[0] > 0.0) == (sign > 0.0):
                        low = s
                    else:
                        high = s
                _, n, u, v, w = _side(before, after, triangles, f, starts, ends, k, high)
                if not _within(n, u, v, w):
                    continue
                if found < events.shape[0]:
                    e = events[found]
                    size = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
                    e[POINT], e[FACET], e[FRACTION], e[SIGN] = k, f, high, 1.0 if sign > 0.0 else -1.0
                    for c in range(3):
                        e[NORMAL + c] = n[c] / size
                        e[AT + c] = (1.0 - high) * starts[k, c] + high * ends[k, c]
                found += 1
        safe[k] = math.sqrt(near)
    return found


@jit(
    entry=(
        "Surfaces, int64, float64[:, ::1], float64[:, ::1], float64[::1], float64[:, ::1], float64[:, ::1], "
        "float64[::1]"
    )
)
def through_surface(T, row, starts, ends, safe, events, cuts, d):
    """The same where points pass the surface of a rigid shape, in whose axes they are given."""
    found = 0
    for k in range(starts.shape[0]):
        if safe[k] > 0.0:
            continue
        for c in range(3):
            d[c] = ends[k, c] - starts[k, c]
        for m in range(crossings(T, row, starts[k], d, cuts)):
            if found < events.shape[0]:
                e = events[found]
                e[POINT], e[FACET], e[FRACTION], e[SIGN] = k, -1, cuts[m, 0], cuts[m, 1]
                for c in range(3):
                    e[NORMAL + c] = cuts[m, 2 + c]
                    e[AT + c] = starts[k, c] + cuts[m, 0] * d[c]
            found += 1
        safe[k] = clearance(T, row, ends[k], np.inf)
    return found


@jit(entry=("Surfaces, float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[::1]"))
def shortest_chords(T, points, ways, chords, cuts, start, d):
    """Of points (m, 3) inside surface 0 the shortest chord through each along ``ways`` (n, 3), which lead beyond the
    surface: both ends and the share of the point between them into chords (m, 7), share -1 where there is none."""
    for k in range(points.shape[0]):
        chords[k, 6] = -1.0
        best = np.inf
        for w in range(ways.shape[0]):
            for c in range(3):
                start[c] = points[k, c] - ways[w, c]
                d[c] = 2.0 * ways[w, c]
            for m in range(crossings(T, 0, start, d, cuts) - 1):
                low, high = cuts[m, 0], cuts[m + 1, 0]
                if cuts[m, 1] > 0.0 and low <= 0.5 <= high and 0.0 < high - low < best:
                    best = high - low
                    chords[k, 6] = (0.5 - low) / best
                    for c in range(3):
                        chords[k, c], chords[k, 3 + c] = start[c] + low * d[c], start[c] + high * d[c]


@jit(entry="float64[:, ::1], float64[:, ::1], int64[::1], float64[:, ::1]")
def nearest_facets(x, corners, facet, shares):
    """Of points (m, 3) on triangles (t, 9) the triangle of each, and the shares (m, 3) of its corners."""
    for k in range(x.shape[0]):
        best = np.inf
        for f in range(corners.shape[0]):
            c = corners[f]
            u0, u1, u2 = c[3] - c[0], c[4] - c[1], c[5] - c[2]
            v0, v1, v2 = c[6] - c[0], c[7] - c[1], c[8] - c[2]
            w0, w1, w2 = x[k, 0] - c[0], x[k, 1] - c[1], x[k, 2] - c[2]
            n0, n1, n2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
            size = n0 * n0 + n1 * n1 + n2 * n2
            if not size > 0.0:
                continue
            s = ((v1 * n2 - v2 * n1) * w0 + (v2 * n0 - v0 * n2) * w1 + (v0 * n1 - v1 * n0) * w2) / size
            t = ((n1 * u2 - n2 * u1) * w0 + (n2 * u0 - n0 * u2) * w1 + (n0 * u1 - n1 * u0) * w2) / size
            beyond = max(-s, 0.0) + max(-t, 0.0) + max(s + t - 1.0, 0.0)
            off = abs(n0 * w0 + n1 * w1 + n2 * w2) / math.sqrt(size) + beyond * math.sqrt(math.sqrt(size))
            if off < best:
                best, facet[k] = off, f
                shares[k, 0], shares[k, 1], shares[k, 2] = 1.0 - s - t, s, t


#: columns of a frame: origin, axes by rows, velocity, angular velocity, all in ground
ORIGIN, AXES, SPEED, TURNING = slice(0, 3), slice(3, 12), slice(12, 15), slice(15, 18)
FRAME = 18


@jit(entry="float64[::1], int64, int64, float64[::1], float64[:, ::1], float64[::1]")
def place_frame(y, body, bodies, place, axes, out):
    """A frame at a place and with axes (columns) in those of its body, ``bodies`` that of ground, at the state y."""
    for c in range(FRAME):
        out[c] = 0.0
    if body == bodies:
        for c in range(3):
            out[c] = place[c]
            for e in range(3):
                out[3 + 3 * c + e] = axes[c, e]
        return
    o = STATE * body
    w, a, b, d = y[o + 3], y[o + 4], y[o + 5], y[o + 6]
    r = (
        (1.0 - 2.0 * (b * b + d * d), 2.0 * (a * b - w * d), 2.0 * (a * d + w * b)),
        (2.0 * (a * b + w * d), 1.0 - 2.0 * (a * a + d * d), 2.0 * (b * d - w * a)),
        (2.0 * (a * d - w * b), 2.0 * (b * d + w * a), 1.0 - 2.0 * (a * a + b * b)),
    )
    for c in range(3):
        out[c] = y[o + c]
        for e in range(3):
            out[c] += r[c][e] * place[e]
            out[15 + c] += r[c][e] * y[o + 10 + e]
            for f in range(3):
                out[3 + 3 * c + e] += r[c][f] * axes[f, e]
    x0, x1, x2 = out[0] - y[o], out[1] - y[o + 1], out[2] - y[o + 2]
    out[12] = y[o + 7] + out[16] * x2 - out[17] * x1
    out[13] = y[o + 8] + out[17] * x0 - out[15] * x2
    out[14] = y[o + 9] + out[15] * x1 - out[16] * x0


@jit(entry="float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[:, ::1]")
def place_points(points, moves, q, frame, out):
    """Points (m, 3) that modes move by moves (3 m, n) q, in the axes of a frame, in ground."""
    for k in range(points.shape[0]):
        for c in range(3):
            out[k, c] = frame[c]
        for e in range(3):
            x = points[k, e]
            for n in range(q.shape[0]):
                x += moves[3 * k + e, n] * q[n]
            for c in range(3):
                out[k, c] += frame[3 + 3 * c + e] * x


@jit(entry="float64[:, ::1], float64[::1], float64[:, ::1], float64[::1], float64, float64[::1], float64[::1]")
def reduce_safe(starts, old, ends, new, swing, safe, most):
    """What points in ground have moved in the axes of a frame (old, new) and surfaces there by ``swing`` is taken from
    ``safe``, the least of which is most[0]; the largest motion is most[1]."""
    most[0], most[1] = np.inf, 0.0
    for k in range(starts.shape[0]):
        way = 0.0
        for e in range(3):
            d = 0.0
            for c in range(3):
                d += new[3 + 3 * c + e] * (ends[k, c] - new[c]) - old[3 + 3 * c + e] * (starts[k, c] - old[c])
            way += d * d
        way = math.sqrt(way)
        safe[k] -= way + swing
        most[0], most[1] = min(most[0], safe[k]), max(most[1], way)


@jit(entry="float64, float64[::1], float64[::1], float64[::1], float64, float64[::1]")
def bound_motion(h, old, new, other, reach, out):
    """Of what is seen from a frame, within ``reach`` of its origin or that of another: how far it moves in a step of
    size h at most (out[0]), by how much chords miss that (out[1]), and the angle (out[2])."""
    way = bend = skew = turn = turned = away = 0.0
    for c in range(3):
        d = new[c] - old[c]
        way += d * d
        bend += (new[12 + c] - old[12 + c]) ** 2
        skew += (d - 0.5 * h * (old[12 + c] + new[12 + c])) ** 2
        turn += old[15 + c] ** 2
        turned += new[15 + c] ** 2
        away += (new[c] - other[c]) ** 2
    out[2] = h * math.sqrt(max(turn, turned))
    reach = reach + math.sqrt(away)
    out[1] = 0.125 * (h * math.sqrt(bend) + reach * out[2] * out[2]) + math.sqrt(skew)
    out[0] = math.sqrt(way) + reach * out[2]


# ---- the two sides ---------------------------------------------------------------------------------------------------
@dataclass
class Pose:
    """A ``frame`` in ground (`ORIGIN` ..), and coordinates ``q`` and ``rate`` (n,) of the modes that move in it."""

    frame: np.ndarray
    q: np.ndarray = field(default_factory=lambda: np.zeros(0))
    rate: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def origin(self) -> np.ndarray:
        """(3,) in ground."""
        return self.frame[ORIGIN]

    @property
    def axes(self) -> np.ndarray:
        """(3, 3), columns."""
        return self.frame[AXES].reshape(3, 3)

    def into(self, x: np.ndarray) -> np.ndarray:
        """Points in ground in these axes."""
        return np.ascontiguousarray((x - self.origin) @ self.axes)

    def out(self, x: np.ndarray) -> np.ndarray:
        """Points in these axes in ground."""
        return x @ self.axes.T + self.origin


@dataclass
class RigidSide:
    """A rigid shape in the axes of the frame of its body: ``surface``, ``points`` with ``origin`` and ``axes``."""

    surface: Surface
    reference: ReferencePoints
    origin: np.ndarray
    axes: np.ndarray

    def __post_init__(self) -> None:
        self.table = pack([self.surface])
        self.depth, self.typical, self.rough = self.reference.depth, self.reference.typical, self.surface.deviation
        self.closed = self.surface.closed
        self.at = np.ascontiguousarray(self.reference.at @ self.axes.T + self.origin)
        self.moves = np.zeros((3 * len(self.at), 0))
        self.reach = float(np.linalg.norm(self.at, axis=1).max(initial=0.0))
        self.sway = np.zeros(0)  # no modes
        self._cuts, self._way = np.zeros((CROSSINGS, 5)), np.zeros(3)

    def cut(self, old: Pose, new: Pose, starts: np.ndarray, ends: np.ndarray, safe: np.ndarray, events: np.ndarray):
        """Crossings of paths given in ground with this surface, in its axes: their number."""
        place = lambda pose, x: np.ascontiguousarray((pose.into(x) - self.origin) @ self.axes)
        return through_surface(self.table, 0, place(old, starts), place(new, ends), safe, events, self._cuts, self._way)

    def ground(self, pose: Pose, x: np.ndarray) -> np.ndarray:
        """A point of the axes of crossings, in ground."""
        return pose.out(self.axes @ x + self.origin)

    def may_touch_along(self, pose: Pose, x: np.ndarray, way: np.ndarray) -> bool:
        """May the surface touch where it is met from the point x inside along ``way``?"""
        return True

    def may_touch(self, facet: int) -> bool:
        """Does a facet that is crossed belong to the contact?"""
        return True


class FlexibleSide:
    """The surface of a flexible body in the axes of its frame.  ``places`` (a, 3), ``shapes`` (a, 3, n) of corners,
    ``triangles`` (t, 3); ``region`` (t,): which of them may touch."""

    def __init__(
        self, places: np.ndarray, shapes: np.ndarray, triangles: np.ndarray, region: np.ndarray, most: int = MOST
    ) -> None:
        self.places, self.shapes = np.ascontiguousarray(places, float), np.asarray(shapes, float)
        self.triangles, self.region = np.ascontiguousarray(triangles, np.int64), np.asarray(region, bool)
        edges = np.sort(self.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        self.closed = bool((np.unique(edges, axis=0, return_counts=True)[1] == 2).all())
        node, weight, self.depth = self._inner(most) if self.closed else self._middles(most)
        self.at = np.einsum("mk,mki->mi", weight, self.places[node])
        self.moves = np.einsum("mk,mkin->min", weight, self.shapes[node]).reshape(3 * len(node), -1)
        self.typical = float(np.median(self.depth)) if len(self.depth) else 0.0
        self.rough = 0.0
        self.sway = np.linalg.norm(self.shapes, axis=1).max(axis=0, initial=0.0)  # (n,) of any corner at most
        self.reach = float(np.linalg.norm(self.places, axis=1).max(initial=0.0))

    @cached_property
    def size(self) -> float:
        """Half of the diagonal of its box."""
        return 0.5 * float(np.linalg.norm(np.ptp(self.places, axis=0)))

    def _inner(self, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Corners (m, 6), their weights and the depths of reference points of a closed surface."""
        corners = self.places[self.triangles]
        surface = triangle_surface(corners.reshape(-1, 9))
        found = reference_points(surface, most)
        ways = np.random.default_rng(7).normal(size=(WAYS, 3))
        ways *= 4.0 * surface.radius / np.linalg.norm(ways, axis=1)[:, None]
        chords = np.zeros((len(found.at), 7))
        shortest_chords(pack([surface]), found.at, ways, chords, np.zeros((CROSSINGS, 5)), np.zeros(3), np.zeros(3))
        inside = chords[:, 6] >= 0.0
        chords, depth = chords[inside], found.depth[inside]
        node, weight = [], []
        for x, share in ((chords[:, :3], 1.0 - chords[:, 6:]), (chords[:, 3:6], chords[:, 6:])):
            facet, shares = np.zeros(len(x), np.int64), np.zeros((len(x), 3))
            nearest_facets(np.ascontiguousarray(x), corners.reshape(-1, 9), facet, shares)
            node.append(self.triangles[facet])
            weight.append(share * shares)
        return np.hstack(node), np.hstack(weight), depth

    def _middles(self, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        some = self.triangles[self.region]
        some = some[:: max(1, -(-len(some) // most))]
        return (
            np.hstack([some, some]),
            np.hstack([np.full(some.shape, 1.0 / 3.0), np.zeros(some.shape)]),
            np.zeros(len(some)),
        )

    def corners(self, pose: Pose) -> np.ndarray:
        """(a, 3) in the axes of its frame."""
        return np.ascontiguousarray(self.places + self.shapes @ pose.q)

    def cut(self, old: Pose, new: Pose, starts: np.ndarray, ends: np.ndarray, safe: np.ndarray, events: np.ndarray):
        """Crossings of paths given in ground with this surface, in the axes of its frame: their number."""
        return through_facets(
            self.corners(old), self.corners(new), self.triangles, old.into(starts), new.into(ends), safe, events
        )

    def ground(self, pose: Pose, x: np.ndarray) -> np.ndarray:
        """A point of the axes of crossings, in ground."""
        return pose.out(x)

    def may_touch_along(self, pose: Pose, x: np.ndarray, way: np.ndarray) -> bool:
        """Does the surface belong to the region where it is met from the point x inside along ``way``, both in ground?
        True where it is not met."""
        p, w = pose.into(x), way @ pose.axes
        a, b, c = np.moveaxis(self.corners(pose)[self.triangles], 1, 0)
        u, v = b - a, c - a
        h = np.cross(w, v)
        det = np.einsum("ti,ti->t", u, h)
        flat = det == 0.0
        det = np.where(flat, 1.0, det)
        g = np.cross(p - a, u)
        s, t, far = np.einsum("ti,ti->t", p - a, h) / det, g @ w / det, np.einsum("ti,ti->t", v, g) / det
        hit = ~flat & (s >= -ON) & (t >= -ON) & (s + t <= 1.0 + ON) & (far >= 0.0)
        return bool(self.region[np.where(hit, far, np.inf).argmin()]) if hit.any() else True

    def may_touch(self, facet: int) -> bool:
        """Does a facet that is crossed belong to the contact?"""
        return bool(self.region[facet])


def points_of(side: Side, pose: Pose) -> np.ndarray:
    """Reference points of a side in ground."""
    out = np.zeros((len(side.depth), 3))
    place_points(side.at, side.moves, pose.q, pose.frame, out)
    return out


Side = RigidSide | FlexibleSide


# ---- what has happened -----------------------------------------------------------------------------------------------
class FaceReferee:
    """Follows one contact of a flexible surface: ``first`` and each of ``others``, points of either against the
    surface of the other.

    A point of depth d that enters where the surface may touch is a finding unless a force was recorded; one that
    leaves on the opposite side is one whatever was recorded, and so is a surface without an inside of which all
    points of the other body lie behind."""

    def __init__(self, first: FlexibleSide, others: list[Side], rules: Rules, contact: int) -> None:
        self.first, self.others, self.rules, self.contact = first, others, rules, contact
        self.counts = Counts()
        #: (points of, surface of, frame of either)
        self.pairs = [p for o in others for p in ((first, o, 0, 1), (o, first, 1, 0))]
        self.safe = [np.zeros(len(of.depth)) for of, _, _, _ in self.pairs]
        self.events = np.zeros((256, EVENT))
        self.slack = 0.0
        self.deep = min([s.typical for s in (first, *others) if s.typical > 0.0], default=first.size)
        self.limit = max(min(rules.tolerance, SHARE * self.deep), rules.noise)  # depth that is none
        self.last = np.nan
        self.poses: tuple[Pose, Pose] | None = None
        self._points: dict[int, np.ndarray] = {}  # of sides at these poses, in ground
        self._reach = first.reach, max(o.reach for o in others)
        self._out = np.zeros(3)
        self._inside: dict[tuple[int, int], tuple[np.ndarray, float, np.ndarray]] = {}

    def begin(self, t: float, poses: tuple[Pose, Pose]) -> None:
        """A new path begins."""
        self._inside.clear()
        self.slack = 0.0
        for safe in self.safe:
            safe[:] = 0.0
        self.last, self.poses = t, poses
        self._points.clear()

    def motion(self, h: float, poses: tuple[Pose, Pose]) -> tuple[float, float]:
        """(bound of what points and surfaces move against each other in a step of size h to these poses, square of
        the number of pieces that follow the path)."""
        assert self.poses is not None
        gone = miss = turn = 0.0
        for k, (old, new) in enumerate(zip(self.poses, poses)):
            bound_motion(h, old.frame, new.frame, poses[1 - k].frame, self._reach[k], self._out)
            way, missed, angle = self._out.tolist()
            sway = self._side(k).sway
            if len(sway):
                missed += float(sway @ np.abs(new.rate - old.rate)) * h / 8.0
                rate = np.maximum(np.abs(old.rate), np.abs(new.rate))
                way += float(sway @ np.maximum(np.abs(new.q - old.q), h * rate))
            gone, miss, turn = gone + way + 2.0 * missed, miss + missed, max(turn, angle)
        return gone, max(miss / (CHORD * self.deep), (turn / TURN) ** 2)

    def _side(self, k: int) -> Side:
        """The flexible side of a frame, if one is."""
        return self.first if k == 0 else self.others[0]

    def skip(self, t: float, gone: float, poses: tuple[Pose, Pose]) -> bool:
        """Nothing can have been reached by a motion of ``gone``: these poses are the next ones."""
        if not gone < self.slack:
            return False
        self.slack -= gone
        for safe in self.safe:
            safe -= gone
        self.last, self.poses = t, poses
        self._points.clear()
        return True

    def follow(self, t: float, poses: tuple[Pose, Pose], recorded: bool, pieces: int = 1) -> Finding | None:
        """A straight piece of the path, one of so many of its step, to these poses at time t."""
        assert self.poses is not None
        old, finding = self.poses, None
        self.counts.poses += 1
        swing = [float(self._side(k).sway @ np.abs(poses[k].q - old[k].q)) for k in (0, 1)]
        after = {m: points_of(of, poses[i]) for m, (of, _, i, _) in enumerate(self.pairs) if len(of.depth)}
        for m, ends in after.items():
            of, onto, i, j = self.pairs[m]
            starts = self._points[m] if m in self._points else points_of(of, old[i])
            safe = self.safe[m]
            reduce_safe(starts, old[j].frame, ends, poses[j].frame, swing[j], safe, self._out)
            least, way = self._out[:2].tolist()
            if least > 0.0:
                continue
            self.counts.evaluations += 1
            before = safe.copy()
            n = onto.cut(old[j], poses[j], starts, ends, safe, self.events)
            while n > len(self.events):
                self.events = np.zeros((2 * n, EVENT))
                safe[:] = before
                n = onto.cut(old[j], poses[j], starts, ends, safe, self.events)
            self.counts.crossings += n
            some = self.events[:n]
            for e in some[np.argsort(some[:, FRACTION], kind="stable")]:
                k = int(e[POINT])
                ahead = poses[j].axes @ (poses[j].into(ends[k]) - old[j].into(starts[k]))
                finding = finding or self._decide(m, e, t, poses, (ends[k], ahead), recorded, pieces * way)
        self.slack = min((float(s.min()) for s in self.safe if len(s)), default=np.inf)
        self.last, self.poses, self._points = t, poses, after
        return finding

    def _decide(
        self,
        m: int,
        e: np.ndarray,
        t: float,
        poses: tuple[Pose, Pose],
        path: tuple[np.ndarray, np.ndarray],
        recorded: bool,
        way: float,
    ) -> Finding | None:
        of, onto, i, j = self.pairs[m]
        assert self.poses is not None
        rules, k = self.rules, int(e[POINT])
        key, depth = (m, k), float(of.depth[k])
        at = onto.ground(poses[j], e[AT : AT + 3])
        normal = e[NORMAL : NORMAL + 3]
        time = self.last + e[FRACTION] * (t - self.last)
        found = lambda kind, since: Finding(kind, time, m, m ^ 1, self.contact, at, depth, since, recorded)
        if e[SIGN] > 0.0:
            if not (onto.may_touch(int(e[FACET])) and of.may_touch_along(poses[i], *path)):
                return None
            self._inside[key] = normal.copy(), time, e[AT : AT + 3].copy()
            behind = sum(1 for pair, _ in self._inside if pair == m)
            if isinstance(onto, FlexibleSide) and not onto.closed and behind == len(of.depth):
                return found("passed", time)
            if depth <= self.limit + 2.0 * (of.rough + onto.rough) or recorded:
                return None
            self.counts.deepest = max(self.counts.deepest, depth)
            return None if depth <= rules.steps * way else found("crossed", time)
        was = self._inside.pop(key, None)
        if was is None or not onto.closed or not float(normal @ was[0]) < OPPOSITE:
            return None
        through = 0.5 * float(np.linalg.norm(e[AT : AT + 3] - was[2]))  # of a wall the half, as depths are
        inner = through >= SHARE * onto.typical > 0.0 or depth >= SHARE * of.typical > 0.0
        return found("passed", was[1]) if inner else None
