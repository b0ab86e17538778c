"""Paths of reference points relative to other bodies, over a batch of poses: which pairs, when they have to be
checked, and where they cross.

Of a pair the minimum clearance of its reference points from the surface of the other shape is evaluated.  Distances
change by no more than the two shapes move
against each other, so the pair is left alone until that motion may have used the clearance up.  Then the last
pieces of the paths are cut with the
surface, and the clearance is evaluated again.  Where no pair can have used up its clearance in a step (`SLACK`),
states inside the step have nothing to add.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..._handle import view_P, view_S, view_W
from ..._jit import jit
from ...elements.bodies.layout import STATE
from .surfaces import ELLIPSOID, NOTHING, POLYHEDRON, _to_box, clearance, crossings, inside

POSE_NUMBERS, VELOCITY, SPIN = (
    7,
    7,
    10,
)  # numbers of the pose of a body, and where its velocity and its spin begin in its state

Shapes = namedtuple(
    "Shapes",
    "body owner place axes centre middle radius box first count point depth deep row closed ptr side joined excluded "
    "barred bodies reach tolerance node weight",
)
Shapes.__doc__ = """One row a shape. body (n,); owner (n,): the body whose joints count, another one for points between
nodes; place (n, 3) and axes (n, 9) in the axes of the body; centre (n, 3), radius (n,), box (n, 6): bounding sphere and
box in the axes of the shape; middle (n, 3): centre in the axes of the body; first, count (n,): rows of point (m, 3),
depth (m,), its reference points, shared by equal shapes; deep (n,): the greatest of these depths; row (n,): its row in
the table of surfaces; closed (n,): 1 where that bounds a volume; ptr (n + 1), side: contacts of a shape, each as 2
contact + side, rising; joined (contacts,): it acts between bodies that joints connect, too; excluded: rising keys of
body pairs that joints connect; barred: rising keys of shape pairs that never touch;
bodies: number of bodies, behind which come ground and points between nodes; reach, tolerance (bodies,): how far shapes
reach from the centres of mass, and how far chords may be from paths; node, weight (v, 4): points between nodes as means
of bodies."""

Poses = namedtuple(
    "Poses",
    "X t step cut old order C travel lo hi R turn pairs left key safe seen key2 safe2 seen2 events overlap cuts work "
    "pose p q which count num",
)
Poses.__doc__ = """Work. X (poses, rows, 7): poses of a batch, quaternions scalar first; t, step, cut: their times,
numbers of their steps, pieces of these; old (bodies STATE,): the last state; order (n,): shapes by their least x; C
(poses, n, 3): centres; travel (n, poses): what any point of a shape has moved by since the first pose at most; lo, hi
(n, 3): boxes over the batch; R (poses, rows, 9), turn (poses, rows): axes, and how far they turned; pairs (cap, 3): (a,
b, contact), left (cap,): least clearance at the last pose; key, safe, seen: rising keys a n + b, clearance at the last
evaluation, negative where there was none, and the relative pose then; key2 ..: those of the batch before; events (cap,
EVENT): crossings; overlap (cap, OVERLAP); count: `N` ..; num: `SLACK` ..."""

#: poses of the batch, number of the present step, pairs, pairs of the batch before, 1: the second tables are the
#: present ones, evaluations, pieces cut
N, STEP, PAIRS, BEFORE, FLIP, EVALUATIONS, PIECES = range(7)
#: what shapes may move against each other before any reference point can reach a surface, what they have moved since
#: then, half of the distance within which pairs are found, 1 where steps are straight
SLACK, SPENT, MARGIN, STRAIGHT = range(4)
DOUBT = 2.0  # times what chords are estimated to miss, in the bound of the motion of a step
GAIN = 1.25  # points between nodes move by so much more than their nodes, at most

#: columns of a crossing: shapes whose point and whose surface, contact, point, last pose of the piece, fraction of the
#: piece, 1 into or -1 out of the material, outward normal, point in the axes of the surface, length of the piece
POINT_OF, SURFACE_OF, CONTACT, POINT, POSE, FRACTION, SIGN, NORMAL, AT, LENGTH = 0, 1, 2, 3, 4, 5, 6, 7, 10, 13
EVENT = 14
#: columns of an overlap: shapes whose point and whose surface, contact, point, depth, what the pair moved by in the
#: last step
O_POINT_OF, O_SURFACE_OF, O_CONTACT, O_POINT, O_DEPTH, O_MOVED, OVERLAP = range(7)


# ---- states to poses -------------------------------------------------------------------------------------------
@jit
def keep_pose(G, W, t, y, cut):
    """One more pose: that of the state y at time t in a step of so many pieces."""
    n = W.count[N]
    X = W.X[n]
    for b in range(G.bodies):
        for c in range(POSE_NUMBERS):
            X[b, c] = y[STATE * b + c]
    for v in range(G.node.shape[0]):
        x = X[G.bodies + 1 + v]
        for c in range(3):
            x[c] = 0.0
            for k in range(4):
                x[c] += G.weight[v, k] * X[G.node[v, k], c]
    for c in range(W.old.shape[0]):
        W.old[c] = y[c]
    W.t[n], W.step[n], W.cut[n] = t, W.count[STEP], cut
    W.count[N] = n + 1


@jit
def bound_of_step(G, W, y, h):
    """(pieces into which the path from the last state to y over a time h has to be cut so that its chords miss it by no
    more than ``G.tolerance``, bound of what two shapes move against each other)."""
    most = 1.0
    first = second = 0.0
    straight = W.num[STRAIGHT] != 0.0
    for b in range(G.bodies):
        if not G.tolerance[b] < np.inf:
            continue
        p, q = W.old[STATE * b : STATE * b + STATE], y[STATE * b : STATE * b + STATE]
        bend = skew = turn = turned = way = 0.0
        for c in range(3):
            bend += (q[VELOCITY + c] - p[VELOCITY + c]) ** 2
            skew += (q[c] - p[c] - 0.5 * h * (p[VELOCITY + c] + q[VELOCITY + c])) ** 2
            turn += p[SPIN + c] ** 2
            turned += q[SPIN + c] ** 2
            way += (q[c] - p[c]) ** 2
        angle = h * math.sqrt(max(turn, turned))
        miss = 0.125 * G.reach[b] * angle * angle
        if not straight:
            miss += 0.125 * h * math.sqrt(bend) + math.sqrt(skew)
        most = max(most, math.sqrt(miss / G.tolerance[b]), angle / 0.7)
        moved = math.sqrt(way) + G.reach[b] * angle + DOUBT * miss
        if moved > first:
            first, second = moved, first
        elif moved > second:
            second = moved
    gone = first + second
    if G.node.shape[0] > 0:
        gone *= GAIN
    return most, gone


@jit(entry="Handle(Shapes, Poses, Surfaces), float64, float64[::1]")
def restart(handle, t, y):
    """The path begins again with the state y at time t."""
    G, W = view_S(handle), view_W(handle)
    W.count[N] = 0
    W.count[STEP] = 1
    W.count[PAIRS] = 0
    W.num[SLACK] = 0.0
    W.num[SPENT] = 0.0
    keep_pose(G, W, t, y, 1)


@jit(entry="Handle(Shapes, Poses, Surfaces), float64, float64[::1], float64, float64[::1], int64, int64, int64")
def fill(handle, t0, old, t, y, first, pieces, cut):
    """Poses first .. ``pieces`` of so many between the states old at t0 and y at t, as far as there is room;
    returns the one that comes next.  Between them the path is
    a cubic with the positions and velocities of both ends, or straight."""
    G, W = view_S(handle), view_W(handle)
    h = t - t0
    z = W.X[W.X.shape[0] - 1]
    k = first
    while k <= pieces and W.count[N] < W.X.shape[0] - 1:
        if k == pieces:
            keep_pose(G, W, t, y, cut)
            W.num[SPENT] = np.inf
            k += 1
            continue
        s = k / pieces
        a, b = 1.0 - s, s
        da = db = 0.0
        if W.num[STRAIGHT] == 0.0:
            a, b = (1.0 + 2.0 * s) * (1.0 - s) ** 2, s * s * (3.0 - 2.0 * s)
            da, db = h * s * (1.0 - s) ** 2, -h * s * s * (1.0 - s)
        n = W.count[N]
        X = W.X[n]
        for i in range(G.bodies):
            p, q, x = old[STATE * i : STATE * i + STATE], y[STATE * i : STATE * i + STATE], X[i]
            for c in range(3):
                x[c] = a * p[c] + b * q[c] + da * p[VELOCITY + c] + db * q[VELOCITY + c]
            _rates(p, z[0])
            _rates(q, z[1])
            sign = 1.0 if p[3] * q[3] + p[4] * q[4] + p[5] * q[5] + p[6] * q[6] >= 0.0 else -1.0
            size = 0.0
            for c in range(4):
                x[3 + c] = a * p[3 + c] + da * z[0, c] + sign * (b * q[3 + c] + db * z[1, c])
                size += x[3 + c] ** 2
            size = math.sqrt(size)
            for c in range(4):
                x[3 + c] /= size
        for v in range(G.node.shape[0]):
            x = X[G.bodies + 1 + v]
            for c in range(3):
                x[c] = 0.0
                for m in range(4):
                    x[c] += G.weight[v, m] * X[G.node[v, m], c]
        W.t[n], W.step[n], W.cut[n] = t0 + s * h, W.count[STEP], cut
        W.count[N] = n + 1
        k += 1
    return k


@jit
def _rates(p, out):
    """Rates of the quaternion of a state with the spin in body axes."""
    w, a, b, c = p[3], p[4], p[5], p[6]
    x, y, z = 0.5 * p[SPIN], 0.5 * p[SPIN + 1], 0.5 * p[SPIN + 2]
    out[0], out[1], out[2], out[3] = (
        -a * x - b * y - c * z,
        w * x + b * z - c * y,
        w * y + c * x - a * z,
        w * z + a * y - b * x,
    )


# ---- motion of shapes ------------------------------------------------------------------------------------------
@jit
def _measure(G, W, n):
    """Axes of bodies, centres of shapes, what they move by, and their boxes over the first n poses."""
    rows = W.X.shape[1]
    for i in range(n):
        for b in range(rows):
            x, R = W.X[i, b], W.R[i, b]
            w, a, c, d = x[3], x[4], x[5], x[6]
            R[0], R[1], R[2] = 1.0 - 2.0 * (c * c + d * d), 2.0 * (a * c - w * d), 2.0 * (a * d + w * c)
            R[3], R[4], R[5] = 2.0 * (a * c + w * d), 1.0 - 2.0 * (a * a + d * d), 2.0 * (c * d - w * a)
            R[6], R[7], R[8] = 2.0 * (a * d - w * c), 2.0 * (c * d + w * a), 1.0 - 2.0 * (a * a + c * c)
            turn = 0.0
            if i > 0:
                for k in range(9):
                    turn += (R[k] - W.R[i - 1, b, k]) ** 2
            W.turn[i, b] = math.sqrt(0.5 * turn) if turn > 1e-28 else 0.0
    shapes = G.body.shape[0]
    for s in range(shapes):
        for c in range(3):
            W.lo[s, c], W.hi[s, c] = np.inf, -np.inf
        W.travel[s, 0] = 0.0
    for i in range(n):  # pose by pose: what is read of bodies and written of shapes then lies side by side
        C = W.C[i]
        for s in range(shapes):
            b = G.body[s]
            if i > 0 and b == G.bodies:
                W.travel[s, i] = 0.0
                for c in range(3):
                    C[s, c] = W.C[i - 1, s, c]
                continue
            x, R, m = W.X[i, b], W.R[i, b], G.middle[s]
            c0 = x[0] + R[0] * m[0] + R[1] * m[1] + R[2] * m[2]
            c1 = x[1] + R[3] * m[0] + R[4] * m[1] + R[5] * m[2]
            c2 = x[2] + R[6] * m[0] + R[7] * m[1] + R[8] * m[2]
            C[s, 0], C[s, 1], C[s, 2] = c0, c1, c2
            if i > 0:
                e = W.C[i - 1, s]
                step = math.sqrt((c0 - e[0]) ** 2 + (c1 - e[1]) ** 2 + (c2 - e[2]) ** 2)
                if W.turn[i, b] > 0.0:
                    step += G.radius[s] * W.turn[i, b]
                W.travel[s, i] = W.travel[s, i - 1] + step
            lo, hi = W.lo[s], W.hi[s]
            lo[0], lo[1], lo[2] = min(lo[0], c0), min(lo[1], c1), min(lo[2], c2)
            hi[0], hi[1], hi[2] = max(hi[0], c0), max(hi[1], c1), max(hi[2], c2)
    margin = W.num[MARGIN]
    for s in range(shapes):
        r = G.radius[s]
        for c in range(3):
            W.lo[s, c] = W.lo[s, c] - r - margin
            W.hi[s, c] = W.hi[s, c] + r + margin


@jit
def _pose_of(G, W, i, s, out):
    """Position and axes (12) of a shape at pose i."""
    b = G.body[s]
    x, R, q, A = W.X[i, b], W.R[i, b], G.place[s], G.axes[s]
    for r in range(3):
        out[r] = x[r] + R[3 * r] * q[0] + R[3 * r + 1] * q[1] + R[3 * r + 2] * q[2]
        for c in range(3):
            out[3 + 3 * r + c] = R[3 * r] * A[c] + R[3 * r + 1] * A[3 + c] + R[3 * r + 2] * A[6 + c]


# ---- pairs -----------------------------------------------------------------------------------------------------
@jit
def _excluded(keys, key):
    lo, hi = 0, keys.shape[0]
    while lo < hi:
        mid = (lo + hi) // 2
        if keys[mid] < key:
            lo = mid + 1
        else:
            hi = mid
    return lo < keys.shape[0] and keys[lo] == key


@jit
def contact_of(G, a, b):
    """The first contact of two shapes, -1 where there is none."""
    i, j = G.owner[a], G.owner[b]
    if i == j:
        return -1
    n = G.body.shape[0]
    if _excluded(G.barred, min(a, b) * n + max(a, b)):
        return -1
    apart = _excluded(G.excluded, min(i, j) * (G.bodies + 1) + max(i, j))
    k, m = G.ptr[a], G.ptr[b]
    while k < G.ptr[a + 1] and m < G.ptr[b + 1]:
        c, e = G.side[k] // 2, G.side[m] // 2
        if c < e:
            k += 1
        elif e < c:
            m += 1
        else:
            mine = theirs = 0
            while k < G.ptr[a + 1] and G.side[k] // 2 == c:
                mine |= 1 << (G.side[k] % 2)
                k += 1
            while m < G.ptr[b + 1] and G.side[m] // 2 == c:
                theirs |= 1 << (G.side[m] % 2)
                m += 1
            if ((mine & 1 and theirs & 2) or (mine & 2 and theirs & 1)) and (not apart or G.joined[c] != 0.0):
                return c
    return -1


@jit
def _sort(W):
    """Shapes by their least x: the order of the batch before is nearly right, so each is put instead among
    those before it."""
    order, lo = W.order, W.lo
    for u in range(1, order.shape[0]):
        s = order[u]
        v = u
        while v > 0 and lo[order[v - 1], 0] > lo[s, 0]:
            order[v] = order[v - 1]
            v -= 1
        order[v] = s


@jit
def _sort_pairs(pairs, number, shapes):
    """Pairs by rising key, no two of which are equal (Shell's method)."""
    gap = 1
    while gap < number // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, number):
            a, b, contact = pairs[i, 0], pairs[i, 1], pairs[i, 2]
            key = a * shapes + b
            j = i
            while j >= gap and pairs[j - gap, 0] * shapes + pairs[j - gap, 1] > key:
                for c in range(3):
                    pairs[j, c] = pairs[j - gap, c]
                j -= gap
            pairs[j, 0], pairs[j, 1], pairs[j, 2] = a, b, contact
        gap //= 3


@jit
def _find_pairs(G, W):
    """Pairs (a, b, contact) whose bounding spheres, swept over the batch and wider by the margin, meet, by rising
    key; their number, or more than there is space for."""
    lo, hi, order, pairs = W.lo, W.hi, W.order, W.pairs
    _sort(W)
    n = order.shape[0]
    found = 0
    for u in range(n):
        a = order[u]
        for v in range(u + 1, n):
            b = order[v]
            if lo[b, 0] > hi[a, 0]:
                break
            if (
                G.owner[a] == G.owner[b]
                or lo[b, 1] > hi[a, 1]
                or lo[a, 1] > hi[b, 1]
                or lo[b, 2] > hi[a, 2]
                or lo[a, 2] > hi[b, 2]
            ):
                continue
            if G.count[a] + G.count[b] == 0:
                continue
            c = contact_of(G, a, b)
            if c >= 0:
                if found < pairs.shape[0]:
                    pairs[found, 0], pairs[found, 1], pairs[found, 2] = min(a, b), max(a, b), c
                found += 1
    if found <= pairs.shape[0]:
        _sort_pairs(pairs, found, n)
    return found


# ---- clearances ------------------------------------------------------------------------------------------------
@jit
def _local(G, p, q, point, out):
    """A point of a shape with pose p in the axes of a shape with pose q."""
    x = p[0] + p[3] * point[0] + p[4] * point[1] + p[5] * point[2] - q[0]
    y = p[1] + p[6] * point[0] + p[7] * point[1] + p[8] * point[2] - q[1]
    z = p[2] + p[9] * point[0] + p[10] * point[1] + p[11] * point[2] - q[2]
    for c in range(3):
        out[c] = q[3 + c] * x + q[6 + c] * y + q[9 + c] * z


@jit
def _least(T, G, a, b, p, q, limit, work):
    """Least clearance of the reference points of a, at pose p, from the surface of b, at pose q, at most
    ``limit``."""
    for k in range(G.first[a], G.first[a] + G.count[a]):
        _local(G, p, q, G.point[k], work)
        if _to_box(G.box[b], work) < limit * limit:
            limit = min(limit, clearance(T, G.row[b], work, limit))
        if limit <= 0.0:
            break
    return limit


@jit
def _apart(G, W, a, b, i):
    square = 0.0
    for c in range(3):
        square += (W.C[i, a, c] - W.C[i, b, c]) ** 2
    return math.sqrt(square) - G.radius[a] - G.radius[b]


@jit
def _free(T, G, W, a, b, i):
    """A lower bound on the clearance of the reference points of both shapes at pose i."""
    apart = _apart(G, W, a, b, i)
    if apart > 0.25 * min(G.radius[a], G.radius[b]) and apart > 0.0:
        return apart
    p, q = W.p[0], W.q[0]
    _pose_of(G, W, i, a, p)
    _pose_of(G, W, i, b, q)
    limit = _least(T, G, a, b, p, q, np.inf, W.work[0])
    return _least(T, G, b, a, q, p, limit, W.work[0])


@jit(later="int64")
def _cross(T, G, W, a, b, contact, i, found):
    """Crossings of the last pieces (to pose i) of the paths of reference points of a with the surface of b."""
    if T.type[G.row[b]] == NOTHING:
        return found
    start, end, d, cuts, events = W.work[0], W.work[1], W.work[2], W.cuts, W.events
    for e in range(2):
        _pose_of(G, W, i - 1 + e, a, W.p[e])
        _pose_of(G, W, i - 1 + e, b, W.q[e])
    for k in range(G.first[a], G.first[a] + G.count[a]):
        _local(G, W.p[0], W.q[0], G.point[k], start)
        _local(G, W.p[1], W.q[1], G.point[k], end)
        length, outside = 0.0, False
        for c in range(3):
            d[c] = end[c] - start[c]
            length += d[c] * d[c]
            outside = outside or max(start[c], end[c]) < G.box[b, c] or min(start[c], end[c]) > G.box[b, c + 3]
        if outside:
            continue
        m = crossings(T, G.row[b], start, d, cuts)
        for j in range(m):
            if found < events.shape[0]:
                e = events[found]
                e[POINT_OF], e[SURFACE_OF], e[CONTACT], e[POINT], e[POSE] = a, b, contact, k - G.first[a], i
                e[FRACTION], e[SIGN] = cuts[j, 0], cuts[j, 1]
                for c in range(3):
                    e[NORMAL + c] = cuts[j, 2 + c]
                    e[AT + c] = start[c] + cuts[j, 0] * d[c]
                e[LENGTH] = math.sqrt(length)
            found += 1
    return found


@jit
def _relative(G, W, a, b, i, out):
    """Centre and axes of shape a at pose i in the axes of shape b."""
    p, q = W.p[0], W.q[0]
    _pose_of(G, W, i, a, p)
    _pose_of(G, W, i, b, q)
    x, y, z = W.C[i, a, 0] - q[0], W.C[i, a, 1] - q[1], W.C[i, a, 2] - q[2]
    for r in range(3):
        out[r] = q[3 + r] * x + q[6 + r] * y + q[9 + r] * z
        for c in range(3):
            out[3 + 3 * r + c] = q[3 + r] * p[3 + c] + q[6 + r] * p[6 + c] + q[9 + r] * p[9 + c]


@jit
def _moved(now, then, reach):
    """What a point within ``reach`` of the centre of a shape has moved by at most between two relative poses."""
    way = turn = 0.0
    for c in range(3):
        way += (now[c] - then[c]) ** 2
    for c in range(3, 12):
        turn += (now[c] - then[c]) ** 2
    return math.sqrt(way) + reach * math.sqrt(0.5 * turn)


@jit(entry="Handle(Shapes, Poses, Surfaces)")
def judge(handle):
    """Crossings of all pairs over the batch into W.events, by pair; their number, or more than there is space for;
    -1 where pairs find no room.

    Of each pair the clearance ``safe`` at its last evaluation and the relative pose then are kept from batch to
    batch.  Of a point at distance D from the centre of the
    smaller shape, of radius R, the clearance is D - R at least and its relative motion m + D w at most, where the
    centre moves by m and the axes turn by w:
    m + (R + safe) w < safe means that nothing has been crossed, at whatever distance."""
    G, W, T = view_S(handle), view_W(handle), view_P(handle)
    n = W.count[N]
    _measure(G, W, n)
    number = _find_pairs(G, W)
    W.count[PAIRS] = number
    if number > W.pairs.shape[0]:
        return -1
    key, safe, seen, key0, safe0, seen0 = W.key, W.safe, W.seen, W.key2, W.safe2, W.seen2
    if W.count[FLIP] == 1:
        key, safe, seen, key0, safe0, seen0 = W.key2, W.safe2, W.seen2, W.key, W.safe, W.seen
    pose = W.pose
    found = at = 0
    slack = 2.0 * W.num[MARGIN]
    shapes = G.body.shape[0]
    for m in range(number):
        a, b, contact = W.pairs[m, 0], W.pairs[m, 1], W.pairs[m, 2]
        key[m] = a * shapes + b
        while at < W.count[BEFORE] and key0[at] < key[m]:
            at += 1
        safe[m] = -1.0
        if at < W.count[BEFORE] and key0[at] == key[m]:
            safe[m] = safe0[at]
            for c in range(12):
                seen[m, c] = seen0[at, c]
        small, large = (a, b) if G.radius[a] <= G.radius[b] else (b, a)
        _relative(G, W, small, large, 0, pose)
        left = -1.0
        if safe[m] > 0.0:
            left = safe[m] - _moved(pose, seen[m], G.radius[small] + safe[m])
        if left <= 0.0:
            left = safe[m] = _free(T, G, W, a, b, 0)
            W.count[EVALUATIONS] += 1
            for c in range(12):
                seen[m, c] = pose[c]
        since = 0.0
        for i in range(1, n):
            gone = W.travel[a, i] + W.travel[b, i]
            if gone - since < left:
                continue
            _relative(G, W, small, large, i, pose)
            left = safe[m] - _moved(pose, seen[m], G.radius[small] + safe[m])
            since = gone
            if left > 0.0:
                continue
            W.count[PIECES] += 1
            found = _cross(T, G, W, a, b, contact, i, found)
            found = _cross(T, G, W, b, a, contact, i, found)
            left = safe[m] = _free(T, G, W, a, b, i)
            W.count[EVALUATIONS] += 1
            for c in range(12):
                seen[m, c] = pose[c]
        W.left[m] = left - (W.travel[a, n - 1] + W.travel[b, n - 1] - since)
        slack = min(slack, W.left[m])
    W.num[SLACK] = slack
    W.num[SPENT] = 0.0
    return found


@jit(entry="Handle(Shapes, Poses, Surfaces)")
def turn_over(handle):
    """The batch has been judged: its last pose is the first of the next one."""
    W = view_W(handle)
    n = W.count[N]
    for b in range(W.X.shape[1]):
        for c in range(POSE_NUMBERS):
            W.X[0, b, c] = W.X[n - 1, b, c]
    W.t[0], W.step[0] = W.t[n - 1], 0
    W.count[N], W.count[STEP] = 1, 1
    W.count[BEFORE] = W.count[PAIRS]
    W.count[FLIP] = 1 - W.count[FLIP]


@jit
def _surface_within(T, row, p, d, depth, cuts):
    """Distance of a point from a place of a surface along the unit direction d, if there is one nearer than
    ``depth``; else ``depth``."""
    for c in range(3):
        d[c] *= depth
    m = crossings(T, row, p, d, cuts)
    return depth * cuts[0, 0] if m > 0 else depth


@jit(later=("float64", "int64"))
def _overlap(T, G, W, a, b, p, q, best):
    """The most that a ball of its depth about a reference point of a reaches beyond the surface of b, and its
    number; ``best``: less does not count.  The distance of the
    point from a surface is never taken for less than it is, so this is a lower bound of the overlap."""
    which = -1
    kind = T.type[G.row[b]]
    if kind == NOTHING:
        return best, which
    work, d = W.work[0], W.work[1]
    for k in range(G.count[a]):
        depth = G.depth[G.first[a] + k]
        if depth <= best:
            continue
        _local(G, p, q, G.point[G.first[a] + k], work)
        if _to_box(G.box[b], work) >= (depth - best) ** 2:
            continue
        away = clearance(T, G.row[b], work, depth)
        if not depth - away > best:
            continue
        if kind == POLYHEDRON or kind == ELLIPSOID:  # of which that is a lower bound
            if kind == POLYHEDRON:
                most = -np.inf
                for r in range(T.first[G.row[b]], T.first[G.row[b]] + T.count[G.row[b]]):
                    f = T.plane[r]
                    out = f[0] * work[0] + f[1] * work[1] + f[2] * work[2] - f[3]
                    if out > most:
                        most = out
                        for c in range(3):
                            d[c] = -f[c]
            else:
                size = 0.0
                for c in range(3):
                    d[c] = -work[c] / T.par[G.row[b], c] ** 2
                    size += d[c] * d[c]
                for c in range(3):
                    d[c] /= math.sqrt(size) if size > 0.0 else 1.0
            away = _surface_within(T, G.row[b], work, d, depth, W.cuts)
        if depth - away > best:
            best, which = depth - away, k
    return best, which


@jit(entry="Handle(Shapes, Poses, Surfaces), float64")
def overlaps(handle, least):
    """Pairs of the batch, just judged, whose shapes overlap at its last pose by more than ``least`` into W.overlap;
    their number."""
    G, W, T = view_S(handle), view_W(handle), view_P(handle)
    i = W.count[N] - 1
    n = 0
    for m in range(W.count[PAIRS]):
        a, b = W.pairs[m, 0], W.pairs[m, 1]
        if W.left[m] >= max(G.deep[a], G.deep[b]) - least or _apart(G, W, a, b, i) >= -least or n == W.overlap.shape[0]:
            continue
        p, q = W.p[0], W.q[0]
        _pose_of(G, W, i, a, p)
        _pose_of(G, W, i, b, q)
        of, depth, which = a, least, -1
        depth, which = _overlap(T, G, W, a, b, p, q, least)
        more, other = _overlap(T, G, W, b, a, q, p, depth)
        if other >= 0:
            of, depth, which = b, more, other
        if which >= 0:
            o = W.overlap[n]
            o[O_POINT_OF], o[O_SURFACE_OF], o[O_CONTACT], o[O_POINT], o[O_DEPTH] = (
                of,
                a + b - of,
                W.pairs[m, 2],
                which,
                depth,
            )
            o[O_MOVED] = 0.0
            if i > 0:
                o[O_MOVED] = W.travel[a, i] - W.travel[a, i - 1] + W.travel[b, i] - W.travel[b, i - 1]
            n += 1
    return n


@jit(entry="Handle(Shapes, Poses, Surfaces), int64[:, ::1]")
def points_inside(handle, events):
    """At the first pose of a path: reference points inside other shapes, rows (shape of the point, shape of the
    surface, point) of ``events``; their number, which may be more than there is space for; -1 where pairs find no
    room."""
    G, W, T = view_S(handle), view_W(handle), view_P(handle)
    _measure(G, W, 1)
    number = _find_pairs(G, W)
    W.count[PAIRS] = number
    W.count[BEFORE] = 0
    if number > W.pairs.shape[0]:
        return -1
    n = 0
    for m in range(number):
        for e in range(2):
            a, b = W.pairs[m, e], W.pairs[m, 1 - e]
            if G.count[a] == 0 or G.closed[b] == 0:
                continue
            _pose_of(G, W, 0, a, W.p[0])
            _pose_of(G, W, 0, b, W.q[0])
            far = 4.0 * min(G.radius[b], 1e6 * G.radius[a] + 1.0) + 4.0 * G.radius[a]
            for k in range(G.count[a]):
                _local(G, W.p[0], W.q[0], G.point[G.first[a] + k], W.work[0])
                if _to_box(G.box[b], W.work[0]) <= 0.0 and inside(T, G.row[b], W.work[0], far, W.cuts):
                    if n < events.shape[0]:
                        events[n, 0], events[n, 1], events[n, 2] = a, b, k
                    n += 1
    return n
