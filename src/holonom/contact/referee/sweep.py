"""Paths of reference points relative to other bodies, over a batch of poses: which pairs, when they have to be looked at, and where they cross.

Of a pair the least clearance of its reference points from the surface of the other shape is evaluated.  Distances change by no more than the two shapes move
against each other, so the pair is left alone until that motion may have used the clearance up.  Then the last pieces of the paths are cut with the
surface, and the clearance is evaluated anew.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..._jit import jit
from .surfaces import CROSSINGS, NOTHING, _to_box, clearance, crossings, inside

Shapes = namedtuple("Shapes", "body place axes centre radius box first count point depth ptr side joined excluded barred bodies")
Shapes.__doc__ = """One row a shape. body (n,); place (n, 3) and axes (n, 9) in the axes of the body; centre (n, 3), radius (n,), box (n, 6): bounding
sphere and box in the axes of the shape; first, count (n,): rows of point (m, 3), depth (m,), its reference points; ptr (n + 1), side: contacts of a shape,
each as 2 contact + side, rising; joined (contacts,): it acts between bodies that joints connect, too; excluded: rising keys of body pairs that joints connect;
barred: rising keys of shape pairs that never touch; bodies: number of bodies, ground last."""

#: columns of a crossing: shapes whose point and whose surface, contact, point, last pose of the piece, fraction of the piece, 1 into or -1 out of the
#: material, outward normal, point in the axes of the surface, length of the piece
POINT_OF, SURFACE_OF, CONTACT, POINT, POSE, FRACTION, SIGN, NORMAL, AT, LENGTH = 0, 1, 2, 3, 4, 5, 6, 7, 10, 13
EVENT = 14


@jit(_nrt=True)
def place_shapes(G, X, P):
    """P (poses, shapes, 12): places and axes of shapes from those of bodies X (poses, bodies + 1, 7), quaternions scalar first."""
    R = np.empty(9)
    for i in range(X.shape[0]):
        last = -1
        for s in range(G.body.shape[0]):
            b = G.body[s]
            x = X[i, b]
            if b != last:
                w, a, c, d = x[3], x[4], x[5], x[6]
                R[0], R[1], R[2] = 1.0 - 2.0 * (c * c + d * d), 2.0 * (a * c - w * d), 2.0 * (a * d + w * c)
                R[3], R[4], R[5] = 2.0 * (a * c + w * d), 1.0 - 2.0 * (a * a + d * d), 2.0 * (c * d - w * a)
                R[6], R[7], R[8] = 2.0 * (a * d - w * c), 2.0 * (c * d + w * a), 1.0 - 2.0 * (a * a + c * c)
                last = b
            q, A, out = G.place[s], G.axes[s], P[i, s]
            for r in range(3):
                out[r] = x[r] + R[3 * r] * q[0] + R[3 * r + 1] * q[1] + R[3 * r + 2] * q[2]
                for c2 in range(3):
                    out[3 + 3 * r + c2] = R[3 * r] * A[c2] + R[3 * r + 1] * A[3 + c2] + R[3 * r + 2] * A[6 + c2]


@jit
def _centre(G, p, s, out):
    c = G.centre[s]
    for r in range(3):
        out[r] = p[r] + p[3 + 3 * r] * c[0] + p[4 + 3 * r] * c[1] + p[5 + 3 * r] * c[2]


@jit
def measure_motion(G, P, C, travel):
    """C (poses, shapes, 3): centres; travel (shapes, poses): what any point of a shape has moved by at most since the first pose."""
    for s in range(P.shape[1]):
        for i in range(P.shape[0]):
            _centre(G, P[i, s], s, C[i, s])
        travel[s, 0] = 0.0
        for i in range(1, P.shape[0]):
            way = turn = 0.0
            for c in range(3):
                way += (C[i, s, c] - C[i - 1, s, c]) ** 2
            for c in range(3, 12):
                turn += (P[i, s, c] - P[i - 1, s, c]) ** 2
            step = math.sqrt(way)
            if turn > 1e-28:
                step += G.radius[s] * math.sqrt(0.5 * turn)
            travel[s, i] = travel[s, i - 1] + step


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
    i, j = G.body[a], G.body[b]
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


@jit(_nrt=True)
def find_pairs(G, C, pairs):
    """Pairs (a, b, contact) whose bounding spheres, swept over the batch, meet; their number, or more than there is room for."""
    n = G.body.shape[0]
    lo, hi = np.empty((n, 3)), np.empty((n, 3))
    for s in range(n):
        for c in range(3):
            least, most = np.inf, -np.inf
            for i in range(C.shape[0]):
                least, most = min(least, C[i, s, c]), max(most, C[i, s, c])
            lo[s, c], hi[s, c] = least - G.radius[s], most + G.radius[s]
    order = np.argsort(lo[:, 0])
    found = 0
    for u in range(n):
        a = order[u]
        for v in range(u + 1, n):
            b = order[v]
            if lo[b, 0] > hi[a, 0]:
                break
            if lo[b, 1] > hi[a, 1] or lo[a, 1] > hi[b, 1] or lo[b, 2] > hi[a, 2] or lo[a, 2] > hi[b, 2]:
                continue
            if G.count[a] + G.count[b] == 0:
                continue
            c = contact_of(G, a, b)
            if c >= 0:
                if found < pairs.shape[0]:
                    pairs[found, 0], pairs[found, 1], pairs[found, 2] = min(a, b), max(a, b), c
                found += 1
    return found


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
    """Least clearance of the reference points of a from the surface of b, at most ``limit``."""
    for k in range(G.first[a], G.first[a] + G.count[a]):
        _local(G, p, q, G.point[k], work)
        if _to_box(G.box[b], work) < limit * limit:
            limit = min(limit, clearance(T, b, work, limit))
        if limit <= 0.0:
            break
    return limit


@jit
def _apart(G, C, a, b, i):
    square = 0.0
    for c in range(3):
        square += (C[i, a, c] - C[i, b, c]) ** 2
    return math.sqrt(square) - G.radius[a] - G.radius[b]


@jit
def _free(T, G, P, C, a, b, i, work):
    """A lower bound on the clearance of the reference points of both shapes at pose i."""
    apart = _apart(G, C, a, b, i)
    if apart > 0.25 * min(G.radius[a], G.radius[b]) and apart > 0.0:
        return apart
    limit = _least(T, G, a, b, P[i, a], P[i, b], np.inf, work)
    return _least(T, G, b, a, P[i, b], P[i, a], limit, work)


@jit
def _cross(T, G, P, a, b, contact, i, cuts, work, found, events):
    """Crossings of the last pieces (to pose i) of the paths of reference points of a with the surface of b."""
    if T.type[b] == NOTHING:
        return found
    start, end, d = work[0], work[1], work[2]
    for k in range(G.first[a], G.first[a] + G.count[a]):
        _local(G, P[i - 1, a], P[i - 1, b], G.point[k], start)
        _local(G, P[i, a], P[i, b], G.point[k], end)
        length, outside = 0.0, False
        for c in range(3):
            d[c] = end[c] - start[c]
            length += d[c] * d[c]
            outside = outside or max(start[c], end[c]) < G.box[b, c] or min(start[c], end[c]) > G.box[b, c + 3]
        if outside:
            continue
        m = crossings(T, b, start, d, cuts)
        for j in range(m):
            if found < events.shape[0]:
                e = events[found]
                e[POINT_OF], e[SURFACE_OF], e[CONTACT], e[POINT], e[POSE] = a, b, contact, k, i
                e[FRACTION], e[SIGN] = cuts[j, 0], cuts[j, 1]
                for c in range(3):
                    e[NORMAL + c] = cuts[j, 2 + c]
                    e[AT + c] = start[c] + cuts[j, 0] * d[c]
                e[LENGTH] = math.sqrt(length)
            found += 1
    return found


@jit
def _relative(G, P, C, a, b, i, out):
    """Centre and axes of shape a at pose i in the axes of shape b."""
    p, q = P[i, a], P[i, b]
    x, y, z = C[i, a, 0] - q[0], C[i, a, 1] - q[1], C[i, a, 2] - q[2]
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


@jit(_nrt=True)
def sweep(T, G, P, C, travel, pairs, safe, seen, events, counts):
    """Crossings of all pairs over a batch into ``events``; their number, or more than there is room for.

    safe (pairs,): clearance at the last evaluation, negative where there has been none; seen (pairs, 12): the relative pose then; both are kept from batch to batch.
    Of a point at distance D from the centre of the smaller shape, of radius R, the clearance is D - R at least and its relative motion m + D w at most, where the
    centre moves by m and the axes turn by w: m + (R + safe) w < safe means that nothing has been crossed, at whatever distance.
    counts: evaluations, pieces of paths cut."""
    cuts = np.empty((CROSSINGS, 5))
    work = np.empty((3, 3))
    pose = np.empty(12)
    found = 0
    for n in range(pairs.shape[0]):
        a, b, contact = pairs[n, 0], pairs[n, 1], pairs[n, 2]
        small, large = (a, b) if G.radius[a] <= G.radius[b] else (b, a)
        _relative(G, P, C, small, large, 0, pose)
        left = -1.0
        if safe[n] > 0.0:
            left = safe[n] - _moved(pose, seen[n], G.radius[small] + safe[n])
        if left <= 0.0:
            left = safe[n] = _free(T, G, P, C, a, b, 0, work[0])
            counts[0] += 1
            for c in range(12):
                seen[n, c] = pose[c]
        since = 0.0
        for i in range(1, P.shape[0]):
            gone = travel[a, i] + travel[b, i]
            if gone - since < left:
                continue
            _relative(G, P, C, small, large, i, pose)
            left = safe[n] - _moved(pose, seen[n], G.radius[small] + safe[n])
            since = gone
            if left > 0.0:
                continue
            counts[1] += 1
            found = _cross(T, G, P, a, b, contact, i, cuts, work, found, events)
            found = _cross(T, G, P, b, a, contact, i, cuts, work, found, events)
            left = safe[n] = _free(T, G, P, C, a, b, i, work[0])
            counts[0] += 1
            for c in range(12):
                seen[n, c] = pose[c]
    return found


@jit
def acting_pairs(near, gap, lock, pair, points, least, shapes, out):
    """Keys a n + b, a < b, of the near pairs (contact, a, b, ..) that push: those with points, and those whose gap is none; their number."""
    for k in range(near.shape[0]):
        out[k] = gap[k] <= least and (lock[k] == 0 or gap[k] >= -least)
    for i in range(points):
        if pair[i] < near.shape[0]:
            out[pair[i]] = 1
    n = 0
    for k in range(near.shape[0]):
        if out[k] == 1:
            a, b = near[k, 1], near[k, 2]
            out[n] = min(a, b) * shapes + max(a, b)
            n += 1
    return n


@jit
def pieces(Y0, Y1, h, reach, tolerance):
    """Into how many pieces the path over a step of size h between states Y0, Y1 (bodies, STATE) has to be cut so that its chords miss it by no more than
    ``tolerance`` (bodies,), infinite for bodies without shapes; reach (bodies,): of their shapes from the centres of mass."""
    most = 1.0
    for b in range(tolerance.shape[0]):
        if not tolerance[b] < np.inf:
            continue
        p, q = Y0[b], Y1[b]
        bend = skew = turn = turned = 0.0
        for c in range(3):
            bend += (q[7 + c] - p[7 + c]) ** 2
            skew += (q[c] - p[c] - 0.5 * h * (p[7 + c] + q[7 + c])) ** 2
            turn += p[10 + c] ** 2
            turned += q[10 + c] ** 2
        angle = h * math.sqrt(max(turn, turned))
        miss = 0.125 * (h * math.sqrt(bend) + reach[b] * angle * angle) + math.sqrt(skew)
        most = max(most, math.sqrt(miss / tolerance[b]), angle / 0.7)
    return most


@jit
def count_inside(T, G, P, a, b, i, far, cuts, work, which):
    """Which reference points of a lie inside b at pose i, into ``which`` (points of a,); their number."""
    n = 0
    for k in range(G.count[a]):
        _local(G, P[i, a], P[i, b], G.point[G.first[a] + k], work)
        which[k] = inside(T, b, work, far, cuts)
        n += which[k]
    return n
