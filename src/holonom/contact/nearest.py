"""Minimum distance of two bodies of many shapes, wherever they are: for clearances along a motion, not for forces.

Each body is a list of convex pieces: its convex shapes as they are, and the triangles of those that are not.  Two
pieces are nearest by their support functions
(E. G. Gilbert, D. W. Johnson, S. S. Keerthi, IEEE J. Robotics and Automation 4 (1988) 193), overlapping convex shapes
by the polytope of `shapes._gjk`; pairs of pieces are found by two trees of boxes, of which pairs that lie apart by more
than the minimum distance so far are left out (S. Quinlan, ICRA 1994, 3324).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._handle import make_handle, view_S
from .._jit import jit
from ..elements.frames import make_frames
from ..elements.vectors import rotate, unrotate
from ..model.base import ModelError
from .shape_kinds import ROWS, contact_parts
from .shapes import stand_in
from .shapes._gjk import FROM, SHARE, corner, distance, overlap
from .shapes._scratch import SIZE
from .shapes._support import support
from .shapes.mesh import _order
from .shapes.profile import tree
from .tables import PARAMETERS, SHAPE_TYPES, Shapes
from .traits import margin

MOST = 2_000_000  # triangles of one body
STACK = 4096  # pairs of boxes that wait
# what `least` gives: distance, pieces of a and b, points of a and b
GAP, FIRST, SECOND, ON_A, ON_B, RESULT = 0, 1, 2, 3, 6, 9


@jit
def pieces(sh, whole, a, b, best, st, out):
    """Put the distance of pieces a and b into ``out`` where it is less than ``best``; returns the lesser one.  Convex
    shapes (``whole``) that overlap have the negative depth, triangles 0."""
    ra = margin(sh, a)
    rb = margin(sh, b)
    v, x, y, z, n = distance(sh, a, b, best + ra + rb, st)
    gap = v - ra - rb
    p0 = p1 = p2 = 0.0
    if v > 0.0:
        if gap >= best:
            return best
        for c in range(n):
            p0 += st[SHARE + c] * st[FROM + 3 * c]
            p1 += st[SHARE + c] * st[FROM + 3 * c + 1]
            p2 += st[SHARE + c] * st[FROM + 3 * c + 2]
    else:
        for c in range(n):
            p0 += st[SHARE + c] * st[FROM + 3 * c]
            p1 += st[SHARE + c] * st[FROM + 3 * c + 1]
            p2 += st[SHARE + c] * st[FROM + 3 * c + 2]
        gap = 0.0
        x, y, z = 0.0, 0.0, 1.0
        if whole[a] and whole[b]:
            ok, _, d0, d1, d2 = overlap(sh, a, b, n, st)
            gap = -ra - rb
            if ok:
                x, y, z = d0, d1, d2
                v = min(-corner(sh, a, b, -x, -y, -z, st, 0), 0.0)
                gap += v
        if gap >= best:
            return best
    out[GAP] = gap
    out[FIRST] = a
    out[SECOND] = b
    out[ON_A] = p0 - ra * x
    out[ON_A + 1] = p1 - ra * y
    out[ON_A + 2] = p2 - ra * z
    out[ON_B] = p0 - (v - rb) * x
    out[ON_B + 1] = p1 - (v - rb) * y
    out[ON_B + 2] = p2 - (v - rb) * z
    return gap


@jit
def move_frames(fr, pose):
    """Frames of pieces from the poses of their bodies: rows of ``pose`` are origin (3) and axes (9)."""
    for k in range(fr.body.shape[0]):
        b = fr.body[k]
        for i in range(3):
            x, y, z = pose[b, 3 + 3 * i], pose[b, 4 + 3 * i], pose[b, 5 + 3 * i]
            fr.p[k, i] = pose[b, i] + x * fr.sb[k, 0] + y * fr.sb[k, 1] + z * fr.sb[k, 2]
            for j in range(3):
                fr.A[k, 3 * i + j] = x * fr.Ab[k, j] + y * fr.Ab[k, 3 + j] + z * fr.Ab[k, 6 + j]


@jit
def middle(pose, b, node, k):
    """Centre of a box in ground."""
    x = 0.5 * (node[k, 0] + node[k, 3])
    y = 0.5 * (node[k, 1] + node[k, 4])
    z = 0.5 * (node[k, 2] + node[k, 5])
    return (
        pose[b, 0] + pose[b, 3] * x + pose[b, 4] * y + pose[b, 5] * z,
        pose[b, 1] + pose[b, 6] * x + pose[b, 7] * y + pose[b, 8] * z,
        pose[b, 2] + pose[b, 9] * x + pose[b, 10] * y + pose[b, 11] * z,
    )


@jit
def reach(node, k):
    """Half a diagonal of a box."""
    x, y, z = node[k, 3] - node[k, 0], node[k, 4] - node[k, 1], node[k, 5] - node[k, 2]
    return 0.5 * math.sqrt(x * x + y * y + z * z)


@jit
def outside(pose, b, node, k, x, y, z):
    """Distance from a box of the point at (x, y, z), ground axes, from its centre; 0 inside."""
    total = 0.0
    for c in range(3):
        d = abs(pose[b, 3 + c] * x + pose[b, 6 + c] * y + pose[b, 9 + c] * z) - 0.5 * (node[k, 3 + c] - node[k, c])
        if d > 0.0:
            total += d * d
    return math.sqrt(total)


@jit
def beyond(sh, plane, b, best, swapped, out):
    """Distance of piece b from a half-space, where less than ``best``; ``swapped``: the half-space is of the second
    body."""
    f = sh.frame[plane]
    x, y, z = sh.fr.A[f, 2], sh.fr.A[f, 5], sh.fr.A[f, 8]
    p0, p1, p2 = support(sh, b, -x, -y, -z)
    r = margin(sh, b)
    gap = (p0 - sh.fr.p[f, 0]) * x + (p1 - sh.fr.p[f, 1]) * y + (p2 - sh.fr.p[f, 2]) * z - r
    if gap >= best:
        return best
    near = ON_A if swapped else ON_B
    other = ON_B if swapped else ON_A
    out[GAP] = gap
    out[FIRST] = b if swapped else plane
    out[SECOND] = plane if swapped else b
    out[near] = p0 - r * x
    out[near + 1] = p1 - r * y
    out[near + 2] = p2 - r * z
    out[other] = p0 - (r + gap) * x
    out[other + 1] = p1 - (r + gap) * y
    out[other + 2] = p2 - (r + gap) * z
    return gap


@jit
def turns(sh, first, count, x, y, z):
    """How often the triangles of a closed mesh, pieces first..first+count-1, wind round a point (A. Van Oosterom, J.
    Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125): 1 inside, 0 outside."""
    f = sh.frame[first]
    x, y, z = unrotate(sh.fr.A, f, x - sh.fr.p[f, 0], y - sh.fr.p[f, 1], z - sh.fr.p[f, 2])
    angle = 0.0
    for s in range(first, first + count):
        q = sh.first[s, 0]
        a0, a1, a2 = sh.vert[q, 0] - x, sh.vert[q, 1] - y, sh.vert[q, 2] - z
        b0, b1, b2 = sh.vert[q + 1, 0] - x, sh.vert[q + 1, 1] - y, sh.vert[q + 1, 2] - z
        c0, c1, c2 = sh.vert[q + 2, 0] - x, sh.vert[q + 2, 1] - y, sh.vert[q + 2, 2] - z
        la = math.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
        lb = math.sqrt(b0 * b0 + b1 * b1 + b2 * b2)
        lc = math.sqrt(c0 * c0 + c1 * c1 + c2 * c2)
        top = a0 * (b1 * c2 - b2 * c1) + a1 * (b2 * c0 - b0 * c2) + a2 * (b0 * c1 - b1 * c0)
        low = (
            la * lb * lc
            + (a0 * b0 + a1 * b1 + a2 * b2) * lc
            + (b0 * c0 + b1 * c1 + b2 * c2) * la
            + (c0 * a0 + c1 * a1 + c2 * a2) * lb
        )
        angle += 2.0 * math.atan2(top, low)
    return abs(angle) / (4.0 * math.pi)


@jit(
    entry=(
        "Handle(Shapes, (), ()), bool[::1], float64[:, ::1], 2 * float64[:, ::1], 2 * int64[::1], bool[::1], "
        "int64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], float64[::1], float64[::1]"
    )
)
def least(handle, whole, pose, shapes, counts, bounded, planes, meshes, inside, stack, st, out):
    """Minimum distance of the two bodies at a pose, into ``out`` (RESULT numbers); ``out`` holds the pieces that were
    nearest before, or -1.

    first, second: boxes of the trees of both; na, nb: the piece of each leaf; bounded (n,): pieces of body a, then of
    b, that planes meet: those with an end; planes (m, 2): half-spaces and their body; meshes (k, 3): first piece,
    number of pieces, body; inside (j, 4): points, and the body that they lie on."""
    sh = view_S(handle)  # as the kernels of contacts have shapes, whose forms serve here too
    first, second = shapes
    na, nb = counts
    move_frames(sh.fr, pose)
    before_a, before_b = int(out[FIRST]), int(out[SECOND])
    best = 1e300
    if before_a >= 0 and before_b >= 0 and bounded[before_a] and bounded[before_b]:
        best = pieces(sh, whole, before_a, before_b, best, st, out)
    for m in range(planes.shape[0]):
        for s in range(bounded.shape[0]):
            if bounded[s] and sh.fr.body[sh.frame[s]] != planes[m, 1]:
                best = beyond(sh, planes[m, 0], s, best, planes[m, 1] == 1, out)
    n = 0
    if first.shape[0] > 0 and second.shape[0] > 0:
        stack[0, 0] = 0
        stack[0, 1] = 0
        n = 1
    while n > 0:
        n -= 1
        i, j = stack[n, 0], stack[n, 1]
        a0, a1, a2 = middle(pose, 0, first, i)
        b0, b1, b2 = middle(pose, 1, second, j)
        ri, rj = reach(first, i), reach(second, j)
        if (
            max(
                outside(pose, 0, first, i, b0 - a0, b1 - a1, b2 - a2) - rj,
                outside(pose, 1, second, j, a0 - b0, a1 - b1, a2 - b2) - ri,
            )
            >= best
        ):
            continue
        ends_a, ends_b = first[i, 7] >= 0.0, second[j, 7] >= 0.0
        if ends_a and ends_b:
            a, b = na[int(first[i, 7])], nb[int(second[j, 7])]
            if best > 0.0 or (whole[a] and whole[b]):
                best = pieces(sh, whole, a, b, best, st, out)
            continue
        if n + 2 > stack.shape[0]:  # trees are balanced: never
            return False
        if ends_b or (not ends_a and ri >= rj):
            left, right = i + 1, int(first[i + 1, 6])
            l0, l1, l2 = middle(pose, 0, first, left)
            r0, r1, r2 = middle(pose, 0, first, right)
            near = (l0 - b0) ** 2 + (l1 - b1) ** 2 + (l2 - b2) ** 2 < (r0 - b0) ** 2 + (r1 - b1) ** 2 + (r2 - b2) ** 2
            stack[n, 0] = right if near else left
            stack[n, 1] = j
            stack[n + 1, 0] = left if near else right
            stack[n + 1, 1] = j
        else:
            left, right = j + 1, int(second[j + 1, 6])
            l0, l1, l2 = middle(pose, 1, second, left)
            r0, r1, r2 = middle(pose, 1, second, right)
            near = (l0 - a0) ** 2 + (l1 - a1) ** 2 + (l2 - a2) ** 2 < (r0 - a0) ** 2 + (r1 - a1) ** 2 + (r2 - a2) ** 2
            stack[n, 0] = i
            stack[n, 1] = right if near else left
            stack[n + 1, 0] = i
            stack[n + 1, 1] = left if near else right
        n += 2
    if out[GAP] > 0.0:
        for m in range(meshes.shape[0]):
            for k in range(inside.shape[0]):
                b = int(inside[k, 3])
                if b != meshes[m, 2]:
                    x, y, z = rotate(pose[:, 3:], b, inside[k, 0], inside[k, 1], inside[k, 2])
                    if turns(sh, meshes[m, 0], meshes[m, 1], x + pose[b, 0], y + pose[b, 1], z + pose[b, 2]) > 0.5:
                        out[GAP] = -out[GAP]
                        return True
    return True


class Nearest:
    """Minimum distances of two lists of solids (`model.shape.Solid`); ``deviation``: how far triangles may lie from the
    shapes that they represent.

    ``faceting``: as `PREFERENCES, CONTACT_FACETING_TOLERANCE`.  Raises ModelError for shapes that have no distance: two
    half-spaces, bores, curves without width."""

    def __init__(self, first: list[Any], second: list[Any], faceting: float = stand_in.FACETING):
        self.deviation = 0.0
        self._kind: list[int] = []
        self._frame: list[int] = []
        self._par: list[np.ndarray] = []
        self._first: list[int] = []
        self._count: list[int] = []
        self._whole: list[bool] = []
        self.solids: list[Any] = []  #: that each piece is of
        vert: list[np.ndarray] = [np.zeros((1, 3))]
        self._nv = 1
        bodies, places, axes = [], [], []
        planes, meshes, inside = [], [], []
        lows, highs = [], []
        for b, solids in enumerate((first, second)):
            for given in solids:
                solid = _with_end(given)
                f = len(bodies)
                bodies.append(b)
                places.append(solid.frame.origin)
                axes.append(solid.frame.axes.ravel())
                start = len(self._kind)
                if ROWS[solid.kind].half_space:
                    planes.append((start, b))
                    self._piece(given, SHAPE_TYPES.index("PLANE"), f, (), 0, 0, True)
                    lows.append(np.full((1, 3), np.nan))
                    highs.append(np.full((1, 3), np.nan))
                    continue
                if ROWS[solid.kind].core:
                    points = (
                        np.zeros((0, 3))
                        if ROWS[solid.kind].core != "HULL"
                        else stand_in.hull(np.asarray(solid.vertices, float))[0]
                    )
                    self._piece(given, SHAPE_TYPES.index(solid.kind), f, solid.par, self._nv, len(points), True)
                    vert.append(points)
                    self._nv += len(points)
                    low, high = _box(solid)
                    inside.append(
                        (*(solid.frame.origin + solid.frame.axes @ (points[0] if len(points) else np.zeros(3))), b)
                    )
                else:
                    corners, triangles, deviation = (_ring if ROWS[solid.kind].rolls == "ring" else stand_in.mesh)(
                        solid, faceting
                    )
                    self.deviation = max(self.deviation, deviation)
                    if len(triangles) > MOST:
                        raise given.graphic.error(f"it has {len(triangles)} triangles; give a mesh of {MOST} at most")
                    for _ in range(len(triangles)):
                        self._piece(given, SHAPE_TYPES.index("HULL"), f, (), self._nv, 3, False)
                        self._nv += 3
                    p = np.asarray(corners, float)[triangles]
                    vert.append(p.reshape(-1, 3))
                    meshes.append((start, len(triangles), b))
                    q = p @ solid.frame.axes.T + solid.frame.origin
                    low, high = q.min(axis=1), q.max(axis=1)
                    inside += [(*(solid.frame.origin + solid.frame.axes @ corners[k]), b) for k in _one_each(triangles)]
                lows.append(np.atleast_2d(low))
                highs.append(np.atleast_2d(high))
        n = len(self._kind)
        body = np.array(bodies, np.int64)[self._frame] if n else np.zeros(0, np.int64)
        if len({b for _, b in planes}) > 1 and not any(k != SHAPE_TYPES.index("PLANE") for k in self._kind):
            raise ModelError("two half-spaces have no minimum distance; give one of them as a box")
        self._planes = np.array(planes, np.int64).reshape(-1, 2)
        self._meshes = np.array(meshes, np.int64).reshape(-1, 3)
        self._inside = np.array(inside, float).reshape(-1, 4)
        low, high = np.concatenate(lows), np.concatenate(highs)
        self._bounded = np.isfinite(low[:, 0])
        self._trees, self._leaves = [], []
        for b in range(2):
            mine = np.flatnonzero(self._bounded & (body == b))
            if len(mine):
                mine = mine[_order(0.5 * (low[mine] + high[mine]))]
            self._leaves.append(mine)
            self._trees.append(tree(low[mine], high[mine]) if len(mine) else np.zeros((0, 8)))
        fr = make_frames(np.array(bodies), np.array(places), np.array(axes))
        par = np.zeros((n, PARAMETERS))
        for k, p in enumerate(self._par):
            par[k, : len(p)] = p
        start = np.zeros((n, 4), np.int64)
        start[:, 0], start[:, 1] = self._first, self._count
        z = np.zeros
        sh = Shapes(
            fr,
            np.array(self._kind, np.int64),
            np.array(self._frame, np.int64),
            par,
            start,
            np.concatenate(vert),
            z((1, 3), np.int64),
            z((1, 8)),
            z((1, 4), np.int64),
            z((1, 12)),
            z(n),
            z((n, 3)),
            z((n, 3)),
            z(n),
        )
        self._shapes = make_handle(sh, (), ())
        self._stack, self._st = z((STACK, 2), np.int64), z(SIZE)
        self._out = np.full(RESULT, -1.0)
        self._whole_of = np.array(self._whole)
        self.size = float(
            np.linalg.norm(np.nanmax(high, axis=0) - np.nanmin(low, axis=0))
        )  #: of what has an end, both bodies laid over each other
        #: reach of the shapes of each body about its origin, infinite for half-spaces
        self.radius = [
            float(np.linalg.norm(np.maximum(np.abs(low[x]), np.abs(high[x])), axis=1).max(initial=0.0))
            for x in self._leaves
        ]
        for _, b in planes:
            self.radius[b] = np.inf

    def _piece(self, solid: Any, kind: int, frame: int, par: Any, first: int, count: int, whole: bool) -> None:
        self._kind.append(kind)
        self._frame.append(frame)
        self._par.append(np.asarray(par, float))
        self._first.append(first)
        self._count.append(count)
        self._whole.append(whole)
        self.solids.append(solid)

    def at(self, pose: np.ndarray) -> np.ndarray:
        """(distance, number of the piece of each body, point on each (3, 3)) at a pose (2, 12): origin and axes (rows)
        of both bodies in ground.

        Negative: how deep convex shapes overlap (the shortest way out of the deepest pair), or, of a part that lies
        wholly inside a shape of the other, how far it is from the surface.  0: surfaces made of triangles cross."""
        found = least(
            self._shapes,
            self._whole_of,
            np.ascontiguousarray(pose, float),
            (self._trees[0], self._trees[1]),
            (self._leaves[0], self._leaves[1]),
            self._bounded,
            self._planes,
            self._meshes,
            self._inside,
            self._stack,
            self._st,
            self._out,
        )
        if not found:
            raise ModelError("the shapes of the two parts are too many for their trees; leave some out")
        return self._out.copy()


def _with_end(solid: Any) -> Any:
    """The solid that has a distance from others: a plane with edges as the box of material under it."""
    if stand_in.hollow(solid):
        raise solid.graphic.error(
            "it is hollow (inside), so it has no outer surface; draw it as a revolution or a mesh, or leave it out"
        )
    if ROWS[solid.kind].half_space and solid.par[0] > 0.0:
        return stand_in.prism(solid)
    why = contact_parts(solid.kind).no_distance(solid)
    if why:
        raise solid.graphic.error(why)
    return solid


def _ring(solid: Any, faceting: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Mesh of a torus, as `stand_in.mesh` makes those of other shapes."""
    R, r = solid.par[:2]
    deviation = 0.6 / faceting * r
    n = 4 * max(3, math.ceil(0.25 * math.pi / math.acos(1.0 - 0.5 * deviation / r)))
    angle = 2.0 * math.pi * np.arange(n) / n
    polygon = np.column_stack([R + r * np.cos(angle), r * np.sin(angle)])
    return *stand_in.turned_mesh(polygon, 0.5 * deviation), deviation


def _box(solid: Any) -> tuple[np.ndarray, np.ndarray]:
    """Corners of a box round a solid in the axes of its body."""
    from ..model.bounds import bounds

    centre, half, _ = bounds(solid)
    A = solid.frame.axes
    middle_, reach_ = solid.frame.origin + A @ centre, np.abs(A) @ half
    return middle_ - reach_, middle_ + reach_


def _one_each(triangles: np.ndarray) -> np.ndarray:
    """One corner of each connected piece of a mesh."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = int(triangles.max()) + 1
    i, j = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]]]).T
    number = connected_components(coo_array((np.ones(len(i)), (i, j)), (n, n)), directed=False)[1]
    used = np.unique(triangles)
    return used[np.unique(number[used], return_index=True)[1]]
