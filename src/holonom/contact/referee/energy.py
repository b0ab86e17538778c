"""The work that each pair of shapes does on the bodies that it acts on, for the referee.

A pair without a source of its own that begins apart never does more work on its bodies than it took from them: with
its force F and torque M on the first body, whose material moves by v and turns by w relative to that of the second at
the point of contact,

    W(t) = integral of (F . v + M . w)  <=  U(0)

from its onset on, with U(0) what it stored there (nothing but for shapes that overlap at the start).  The law, its
stored energy, losses and depths have no part in it: forces and points are those that act on the bodies, velocities
those of the state.
"""

from __future__ import annotations

from ..._jit import jit
from ...elements.bodies.layout import MOVES, STATE

#: columns of a pair: work since the onset, its power at the last check, what it may do at most, points that act; over
#: the whole run work taken from bodies and given to them, the most that was given beyond what was taken, and the most
#: that was in it
WORK, POWER, ALLOWED, ACTS, TAKEN, GIVEN, GAINED, PEAK = range(8)
ROW = 8
#: where a point has its position, force on the first body, torque on it and stored energy
AT, FORCE, TORQUE, STORED = range(4)
VELOCITY, SPIN = 7, 10  # of the state of a body


@jit
def _velocity(y, b, bodies, x0, x1, x2, out):
    """Velocity of the material of body b at a position, and its angular velocity, in ground, taken from ``out``."""
    if b == bodies:
        return
    o = STATE * b
    w, a, c, d = y[o + 3], y[o + 4], y[o + 5], y[o + 6]
    s0, s1, s2 = y[o + SPIN], y[o + SPIN + 1], y[o + SPIN + 2]
    u0 = (1.0 - 2.0 * (c * c + d * d)) * s0 + 2.0 * (a * c - w * d) * s1 + 2.0 * (a * d + w * c) * s2
    u1 = 2.0 * (a * c + w * d) * s0 + (1.0 - 2.0 * (a * a + d * d)) * s1 + 2.0 * (c * d - w * a) * s2
    u2 = 2.0 * (a * d - w * c) * s0 + 2.0 * (c * d + w * a) * s1 + (1.0 - 2.0 * (a * a + c * c)) * s2
    r0, r1, r2 = x0 - y[o], x1 - y[o + 1], x2 - y[o + 2]
    out[0] += y[o + VELOCITY] + u1 * r2 - u2 * r1
    out[1] += y[o + VELOCITY + 1] + u2 * r0 - u0 * r2
    out[2] += y[o + VELOCITY + 2] + u0 * r1 - u1 * r0
    out[3] += u0
    out[4] += u1
    out[5] += u2


@jit
def _row_of(keys, rows, n, wanted):
    """Row of the pair with the key ``wanted`` among the first n by rising key, and how many there are then: a pair
    without one gets a row of zeros.  The row is -1 where there is no room."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    if low < n and keys[low] == wanted:
        return low, n
    if n == keys.shape[0]:
        return -1, n
    columns = rows.shape[1]
    for i in range(n, low, -1):
        keys[i] = keys[i - 1]
        for c in range(columns):
            rows[i, c] = rows[i - 1, c]
    keys[low] = wanted
    for c in range(columns):
        rows[low, c] = 0.0
    return low, n + 1


@jit(
    entry=(
        "int64, int64[::1], int64[:, ::1], int64[::1], float64[:, ::1], int64[::1], int64[::1], int64, float64[::1], "
        "float64, boolean, int64[::1], float64[:, ::1], int64, float64[:, ::1]"
    )
)
def book_work(points, pair, near, key, data, column, body, bodies, y, weight, begin, keys, rows, n, v):
    """The points of an evaluation at the state y: work += weight * power of each pair.  Returns how many pairs have a
    row, -1 where there is no room.

    pair (points,): near pair of each point; near (.., 2 and more): behind its contact the two shapes of a pair; key
    (..): of pairs; data: of points, whose columns are ``column`` (4,); body: of shapes, ``bodies`` that of ground;
    keys (cap,), rows (cap, ROW): pairs by rising key, the first n; ``begin``: what is stored may be given; v (2, 6):
    work."""
    for i in range(n):
        rows[i, POWER] = 0.0
        rows[i, ACTS] = 0.0
    for m in range(points):
        k = pair[m]
        low, n = _row_of(keys, rows, n, key[k])
        if low < 0:
            return -1
        p = data[m]
        at, force, torque = column[AT], column[FORCE], column[TORQUE]
        for s in range(2):
            for c in range(6):
                v[s, c] = 0.0
            _velocity(y, body[near[k, 1 + s]], bodies, p[at], p[at + 1], p[at + 2], v[s])
        for c in range(3):
            rows[low, POWER] += p[force + c] * (v[0, c] - v[1, c]) + p[torque + c] * (v[0, 3 + c] - v[1, 3 + c])
        rows[low, ACTS] += 1.0
        if begin:
            rows[low, ALLOWED] += p[column[STORED]]
    for i in range(n):
        add(rows[i], weight)
    return n


@jit
def add(row, weight):
    """The power of the last check counts with ``weight``."""
    work = weight * row[POWER]
    row[WORK] += work
    if work > 0.0:
        row[GIVEN] += work
    else:
        row[TAKEN] -= work


@jit(entry="float64[:, ::1], int64, float64")
def add_again(rows, n, weight):
    """The power of the last check counts once more."""
    for i in range(n):
        add(rows[i], weight)


@jit(entry="float64[:, ::1], int64")
def close_pairs(rows, n):
    """At the end of a piece of the path: the most that each pair has given beyond what it may; those that have parted
    begin anew.  The number of the pair that gained most in this episode, -1 where none gained."""
    most, which = 0.0, -1
    for i in range(n):
        row = rows[i]
        gained = row[WORK] - row[ALLOWED]
        row[PEAK] = max(row[PEAK], abs(row[WORK]))
        if gained > row[GAINED]:
            row[GAINED] = gained
            if gained > most:
                most, which = gained, i
        if row[ACTS] == 0.0:
            row[WORK] = row[ALLOWED] = 0.0
    return which


#: columns of a pair in time-stepping: work since its cluster began to touch, work of the last step, points in it, steps
#: without any, both bodies; over the whole run work taken from bodies and given to them, the most that its cluster gave
#: beyond what it took, and the most that was in that
S_WORK, S_STEP, S_ACTS, S_IDLE, S_BODY_I, S_BODY_J, S_TAKEN, S_GIVEN, S_GAINED, S_PEAK = range(10)
STEP_ROW = 10
PATIENCE = 2.0  # steps without an impulse within which an impact may go on


@jit(
    entry=(
        "int64, int64[::1], int64[::1], int64[:, ::1], float64[:, :, ::1], float64[:, ::1], float64[::1], "
        "float64[::1], int64[::1], float64[:, ::1], int64"
    )
)
def book_impulses(points, pair, key, body, H, r, before, behind, keys, rows, n):
    """The work that the impulses of a step do, of each pair: the sum over its points of r . H (u- + u+)/2, by which the
    kinetic energy changes.  Returns how many pairs have a row, -1 where there is no room.

    pair (points,): near pair of each point; key (..): of pairs; body (points, 2), H (points, d, 12), r (points, d):
    bodies, rows and impulses of the contact problem; before, behind: velocities u- and u+; keys (cap,), rows (cap,
    STEP_ROW): pairs by rising key, the first n."""
    for i in range(n):
        rows[i, S_STEP] = 0.0
        rows[i, S_ACTS] = 0.0
    for m in range(points):
        acts = False
        work = 0.0
        for c in range(r.shape[1]):
            if r[m, c] != 0.0:
                acts = True
                z = 0.0
                for side in range(2):
                    o = MOVES * body[m, side]
                    for e in range(MOVES):
                        z += H[m, c, MOVES * side + e] * (before[o + e] + behind[o + e])
                work += 0.5 * r[m, c] * z
        if not acts:
            continue
        low, n = _row_of(keys, rows, n, key[pair[m]])
        if low < 0:
            return -1
        rows[low, S_STEP] += work
        rows[low, S_ACTS] += 1.0
        rows[low, S_BODY_I], rows[low, S_BODY_J] = body[m, 0], body[m, 1]
    return n


@jit
def _root(parent, b):
    """The body that represents the cluster of body b."""
    while parent[b] != b:
        parent[b] = parent[parent[b]]
        b = parent[b]
    return b


@jit(entry="float64[:, ::1], int64, int64[::1], float64[::1], int64")
def close_impulses(rows, n, parent, total, bodies):
    """The last step was accepted: its work counts.  Bodies that touch, directly or through others, are a cluster until
    none of its pairs has an impulse for `PATIENCE` steps: what one pair gives another may have taken.  The number of a
    pair of the cluster that gained most in this step, more than ever before, -1 where none did.

    parent (bodies + 1,): clusters; total (bodies + 1,): work; ``bodies``: ground, which connects nothing."""
    for i in range(n):
        row = rows[i]
        if row[S_ACTS] > 0.0:
            row[S_IDLE] = 0.0
            row[S_WORK] += row[S_STEP]
            if row[S_STEP] > 0.0:
                row[S_GIVEN] += row[S_STEP]
            else:
                row[S_TAKEN] -= row[S_STEP]
            a, b = int(row[S_BODY_I]), int(row[S_BODY_J])
            if a != bodies and b != bodies:
                parent[_root(parent, a)] = _root(parent, b)
        else:
            row[S_IDLE] += 1.0
        row[S_STEP] = row[S_ACTS] = 0.0
    for b in range(bodies + 1):
        total[b] = 0.0
    for i in range(n):
        total[_owner(rows[i], parent, bodies)] += rows[i, S_WORK]
    most, which = 0.0, -1
    for i in range(n):
        row = rows[i]
        gained = total[_owner(row, parent, bodies)]
        if row[S_WORK] != 0.0:
            row[S_PEAK] = max(row[S_PEAK], abs(gained))
            if gained > row[S_GAINED]:
                row[S_GAINED] = gained
                if gained > most:
                    most, which = gained, i
    for b in range(bodies + 1):  # clusters in which nothing touches begin anew
        total[b] = 0.0
    for i in range(n):
        if rows[i, S_IDLE] <= PATIENCE:
            total[_owner(rows[i], parent, bodies)] = 1.0
    for i in range(n):
        if total[_owner(rows[i], parent, bodies)] == 0.0:
            rows[i, S_WORK] = 0.0
    for b in range(bodies):
        if total[_root(parent, b)] <= 0.0:
            total[b] = -1.0
    for b in range(bodies):
        if total[b] == -1.0:
            parent[b] = b
    return which


@jit
def _owner(row, parent, bodies):
    """The body that represents the cluster of a pair."""
    a, b = int(row[S_BODY_I]), int(row[S_BODY_J])
    return _root(parent, b if a == bodies else a)
