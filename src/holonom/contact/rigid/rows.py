"""From contact points of the engine to the rows of a contact problem, and from its impulses back to what acts at the
points.

The point c = p_b + s g n carries the impulse  r_n n + r_1 t_1 + r_2 t_2  on body a and its opposite on body b; its rows
are the relative velocity  w = v_a - v_b  at c along n, t_1, t_2, with six rows also the relative angular velocity along
them.  s is the share of a in the mobility of both bodies, (1/m_a) / (1/m_a + 1/m_b): what touches ground or something
heavy is pushed at its own surface, so that it rolls with its own radius at any gap; between two free bodies it is one
point for both, so that they keep their angular momentum.  Generalised velocities are those of the bodies: r' in ground
axes, W in their own.  Rows are those of the middle of the step; b is w before it, w that after it.

**Where bodies go.**  A body moves by h (theta u+ + (1 - theta) u).  With forces that do not change in the step the
energy changes by

    sum over points of r . (theta w + (1 - theta) b)  -  (theta - 1/2) |u+ - u|^2 in the metric of the mass

(V. Acary, ZAMM 96 (2016) 585), so it cannot grow where the power of the mean velocity is nowhere positive.  Islands in
which a point meets its surface in this step take  theta = 1/(1 + e):  then that mean is zero along the normal, the
point neither enters the surface nor is lifted from it, whatever e.  All others take the theta of the scheme (1/2: order
two).

**The law**  z = w + q  requires of q, with k = (1 - theta)/theta:

* a point that bounces (Newton's restitution, as Moreau states it): q_n = e b_n, q_t = e_t b_t;
* a point that meets its surface and does not bounce, and any that is open by g at the middle: it may close but not
  overlap until the end
  (D. E. Stewart, J. C. Trinkle, Int. J. Numer. Meth. Engng 39 (1996) 2673), q_n = (g + h (1/2 - theta) b_n)/(h theta);
* a point that stays closed (it carried an impulse in the step before): half of what the rows have turned since then, q
  = k (b - w before)/2, so that rolling and sticking keep order two; where that differs little from k b, which takes no
  energy but does not calm what trembles, nearly k b;
* any other: q_n >= k b_n.

**Static friction.**  A point that did not slip after the step before has the static coefficient of its contact, one
that did that of sliding.  Where the solution lets a point of the first kind slide, it has that of sliding, and where
the slip of one of the second kind ends in this step it is tried whether static friction holds it: `regrip`, and the
problem is solved again.

Where the solution gives an island energy nevertheless (both terms count: friction that stops a slip within an impact
may well work on the mean of its theta), it is solved again with q = k b (q_n at least that), `mend`:  then
r . (theta w + (1 - theta) b) <= theta r . z <= 0.

**What is an impact?**  A point that carried an impulse in the step before stays closed as long as smooth motion
explains the speed b at which it closes.  The normal of the middle turns from step to step, so b is  w before + the
change by that turning (in smooth motion b = -w before), and the turning is believed as far as the contacts have
answered it:  b >= -5 (|change by forces without contacts| + min(|b - w before|, |change that all contacts together gave
in the step before|)).  For a ball that rolls in a drum at any speed both of the last are h v^2/(R - r); at an edge,
where the normal jumps, the second one is small.  That measure is of the contact itself: it holds at no gravity and in a
centrifuge.  Next to it nothing bounces, and no contact ends, at speeds that gravity gives in a few steps: what rests
does not tremble.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..._handle import view_S, view_W
from ..._jit import jit
from ...elements.bodies.at_point import enter_turning_row, enter_velocity_row, lever
from ...elements.bodies.gyroscopic import turn_by_mean, work
from ...elements.bodies.layout import MOVES
from ...elements.bodies.pair_rows import add_sizes, add_speed, change_in_mass, lightness, moves
from ..engine import _handle_at
from ..kinematics import tangents
from ..tables import AT, DEPTH, FEATURE, FN, FORCE, FT, GAP, LOST, POINTS, RATE, TA, N, P
from .prepare import root

#: positions in the parameters of a rigid contact (`tables.RIGID_COLUMNS`)
E, MU, ET, SPIN, ROLL, _LAW, STATIC = range(7)
#: positions in ``how`` of `enter_rows`: step, theta, gap that counts as none, speed below which nothing bounces,
# whether
#: all islands take theta, size of a whole step
STEP, THETA, SLOP, SLOW, FIXED, WHOLE = range(6)
OTHER, STAYS, MEETS, BOUNCES = range(4)  # what a point does in a step
CALM = 5.0  # a point that stays closed closes no faster than the forces of so many steps make it
LEFT = 0.1  # of that speed: what is left of a fall that ended on the surface, and has to end there again
FIRM, KEPT = 0.01, 0.9  # of that speed: what differs less from rolling without loss is brought so much nearer to it
STILL = 1e-3  # of the speed below which nothing bounces: what closes more slowly meets nothing
NOISE = 1e-12  # of the speeds that a relative speed is made of: its rounding
#: positions in `Memory.old`: whether the point met its surface in the step before; change of its normal speed by all
#: contacts; whether it slid after it
MET, KICK, SLID, OLD_DATA = 10, 11, 12, 13
#: which coefficient of friction a point has in a step: that of sliding, that of rest, that of rest because its slip
#: ends in the step, that of sliding because the other one does not hold it
SLIDING, RESTING, STOPPED, BROKEN = range(4)
AT_BOUND = 1e-6  # share by which a friction force may miss the static bound and still be at it
#: what contacts gave in a step, by contact (`give_back`): impulse on I, its moment about the origin of ground, sum of
#: points times normal impulses, sums of normal and of tangential impulses
G_FORCE, G_MOMENT, G_POINT, G_NORMAL, G_FRICTION = 0, 3, 6, 9, 10
GIVEN_DATA = 11


class Memory(namedtuple("Memory", "old key feature known state slow grip parent leader theta gain ends spins")):
    """What is kept of the points between steps.

    old (cap, OLD_DATA): impulse, its moment and slip after the step in ground axes, normal speed, whether the point
    met its surface, change of its normal speed by all contacts, whether it slid after the step; key, feature (cap,):
    which point; known (1,): how many.  Of the present step: state (cap,): what the point does; slow (cap,): speed that
    smooth motion explains; grip (cap,): which coefficient of friction it has; theta
    (nb+1,): of each body; parent, gain, ends (nb+1,): work.  leader (nb+1,): the first body of each mechanism, for free
    bodies themselves; spins (nb+1, 3): moments of inertia of free bodies that nothing but contacts turns, else zero.
    """

    __slots__ = ()

    def grown(self, cap: int) -> Memory:
        """The same with space for so many points."""
        more = {}
        for name in ("old", "key", "feature", "state", "slow", "grip"):
            a = getattr(self, name)
            more[name] = np.zeros((cap, *a.shape[1:]), a.dtype)
            more[name][: len(a)] = a
        return self._replace(**more)


def make_memory(cap: int, nb: int, theta: float) -> Memory:
    return Memory(
        np.zeros((cap, OLD_DATA)),
        np.zeros(cap, np.int64),
        np.zeros(cap),
        np.zeros(1, np.int64),
        np.zeros(cap, np.int64),
        np.zeros(cap),
        np.zeros(cap, np.int64),
        np.zeros(nb + 1, np.int64),
        np.arange(nb + 1),
        np.full(nb + 1, theta),
        np.zeros(nb + 1),
        np.zeros(nb + 1, np.int64),
        np.zeros((nb + 1, 3)),
    )


@jit
def _axis(W, m, row):
    """Direction of a row of point m: the normal or one of the tangents, for velocities and angular velocities alike."""
    axis = row % 3
    if axis == 0:
        return W.pts[m, N], W.pts[m, N + 1], W.pts[m, N + 2]
    e0, e1, e2, f0, f1, f2 = tangents(W.pts, m)
    if axis == 1:
        return e0, e1, e2
    return f0, f1, f2


@jit
def _speed(Q, m, row, u):
    """Speed of velocities u (6 nb + 6) in a row of point m."""
    return add_speed(Q.H, m, row, Q.body[m, 0], Q.body[m, 1], u, 0.0)


@jit
def _noise(Q, m, u):
    """Rounding of the normal speed of point m."""
    return NOISE * add_sizes(Q.H, m, 0, Q.body[m, 0], Q.body[m, 1], u, 0.0)


@jit
def _closes(gap, w, h, theta):
    """The q with which a gap, that of the middle, closes until the end of the step.  w: its speed before the step."""
    return (gap + h * (0.5 - theta) * w) / (h * theta)


@jit
def _kept(gap, w, ahead, e, how):
    """Does a point that is open at the middle matter in this step?  w, ahead: its normal speeds before the step and
    after it without impulses."""
    if e > 0.0 and w < -how[SLOW]:
        return False
    q = min(_closes(gap, w, how[STEP], how[THETA]), _closes(gap, w, how[STEP], 1.0))
    return ahead + q < how[SLOW] + 0.1 * abs(ahead)


@jit
def _state(gap, w, ahead, e, how, slow, noise, known, met, last):
    """What a point does in this step; slow: speed that smooth motion explains, known: it carried an impulse in the step
    before, met: it met its surface then, last: its normal speed after that."""
    if known and w > -slow and not (met and last < -LEFT * slow):
        return STAYS
    closes = gap + 0.5 * how[STEP] * min(ahead, 2.0 * ahead - w) <= how[SLOP]
    if w < -STILL * slow - noise and (gap <= how[SLOP] or closes):
        return BOUNCES if e > 0.0 and w < -how[SLOW] else MEETS
    return OTHER


@jit
def _slips(Q, m, u, mem):
    """Does point m slip at velocities u, of which the law sees u + q, faster than what is rounding, or nothing compared
    with what forces change in a step?"""
    slip = math.hypot(_speed(Q, m, 1, u) + Q.q[m, 1], _speed(Q, m, 2, u) + Q.q[m, 2])
    return slip > STILL * mem.slow[m] + _noise(Q, m, u)


@jit(entry="int64, Problem, float64[::1], float64, Memory")
def regrip(address, Q, before, least, mem):
    """After a solution: points held by static friction that slide nevertheless get the coefficient of sliding, and
    points whose slip has come to an end in this step (it vanishes or turns round) that of rest, once each.  ``least``:
    speeds that the solver leaves.  Returns how many are changed; the problem has to be solved again where there are
    any."""
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    changed = 0
    for m in range(Q.count[0]):
        c = W.near[W.pair[m], 0]
        static = S.p[c, STATIC]
        if not static > S.p[c, MU] or not Q.r[m, 0] > 0.0:
            continue
        z1, z2 = _speed(Q, m, 1, Q.u) + Q.q[m, 1], _speed(Q, m, 2, Q.u) + Q.q[m, 2]
        if mem.grip[m] == RESTING or mem.grip[m] == STOPPED:
            slip = math.hypot(z1, z2)
            force = math.hypot(Q.r[m, 1], Q.r[m, 2])
            if slip > least + _noise(Q, m, before) and force >= (1.0 - AT_BOUND) * static * Q.r[m, 0]:
                mem.grip[m] = BROKEN
                Q.mu[m, 0] = S.p[c, MU]
                changed += 1
        elif mem.grip[m] == SLIDING and _speed(Q, m, 1, before) * z1 + _speed(Q, m, 2, before) * z2 <= 0.0:
            mem.grip[m] = STOPPED
            Q.mu[m, 0] = static
            changed += 1
    return changed


@jit
def _whose(Q, m):
    """A body of point m that moves."""
    return Q.body[m, 0] if moves(Q.Minv, Q.body[m, 0]) else Q.body[m, 1]


@jit
def _share_theta(W, S, Q, how, mem):
    """theta of every body, one for each island of bodies that touch."""
    n = mem.theta.shape[0]
    for b in range(n):
        mem.parent[b] = mem.leader[b]
        mem.gain[b] = -1.0  # greatest restitution in the island; -1: nothing is met
    for m in range(Q.count[0]):
        i, j = Q.body[m, 0], Q.body[m, 1]
        if moves(Q.Minv, i) and moves(Q.Minv, j):
            i, j = root(mem.parent, i), root(mem.parent, j)
            mem.parent[max(i, j)] = min(i, j)
    for m in range(Q.count[0]):
        if mem.state[m] >= MEETS and how[FIXED] == 0.0:
            e = S.p[W.near[W.pair[m], 0], E] if mem.state[m] == BOUNCES else 0.0
            b = root(mem.parent, _whose(Q, m))
            mem.gain[b] = max(mem.gain[b], e)
    for b in range(n):
        e = mem.gain[root(mem.parent, b)]
        mem.theta[b] = 1.0 / (1.0 + e) if e >= 0.0 and moves(Q.Minv, b) else how[THETA]


@jit
def _enter_q(W, S, Q, before, how, mem):
    """q of all points, see above.  The slip after the step before is in Q.z."""
    h = how[STEP]
    for m in range(Q.count[0]):
        c = W.near[W.pair[m], 0]
        theta = mem.theta[_whose(Q, m)]
        k = (1.0 - theta) / theta
        state = mem.state[m]
        gap = W.pts[m, GAP]
        b = W.pd[m, RATE]
        q = 0.0
        if state == BOUNCES:
            q = S.p[c, E] * b
        elif gap > how[SLOP] or state == MEETS:
            q = max(_closes(gap, b, h, theta), 0.0)
        elif state == STAYS:
            q = 0.5 * k * (b - Q.z[m, 0])
        Q.q[m, 0] = q if state == STAYS else max(q, k * b)
        for row in range(1, min(3, Q.H.shape[1])):
            b = _speed(Q, m, row, before)
            Q.q[m, row] = 0.5 * k * (b - Q.z[m, row]) if state == STAYS else S.p[c, ET] * b
        if state == STAYS:
            most = 0.0
            for row in range(min(3, Q.H.shape[1])):
                most = max(most, abs(k * _speed(Q, m, row, before) - Q.q[m, row]))
            if most < FIRM * mem.slow[m]:
                for row in range(min(3, Q.H.shape[1])):
                    Q.q[m, row] += KEPT * (k * _speed(Q, m, row, before) - Q.q[m, row])


@jit
def _at_ends(W, S, Q, before, how, mem, allowed):
    """Islands with more energy than is allowed in which a slip ends, and nothing bounces, go to the end of the step
    with the velocities after it
    (theta = 1): they stay where the slip has ended, which takes energy.  Returns how many bodies there are in them."""
    changed = 0
    for b in range(mem.ends.shape[0]):
        mem.ends[b] = 0
    for m in range(Q.count[0]):
        b = root(mem.parent, _whose(Q, m))
        if mem.state[m] == BOUNCES:
            mem.ends[b] = -1
        elif mem.grip[m] == STOPPED and mem.ends[b] == 0 and mem.gain[b] > allowed:
            mem.ends[b] = 1
    for b in range(mem.ends.shape[0]):
        if mem.ends[root(mem.parent, b)] == 1 and mem.theta[b] < 1.0 and moves(Q.Minv, b):
            mem.theta[b] = 1.0
            changed += 1
    if changed:
        for m in range(Q.count[0]):
            if mem.ends[root(mem.parent, _whose(Q, m))] == 1:
                gap = W.pts[m, GAP]
                Q.q[m, 0] = 0.0
                if gap > how[SLOP] or mem.state[m] == MEETS:
                    Q.q[m, 0] = max(_closes(gap, _speed(Q, m, 0, before), how[STEP], 1.0), 0.0)
                for row in range(1, Q.H.shape[1]):
                    c = W.near[W.pair[m], 0]
                    Q.q[m, row] = S.p[c, ET] * _speed(Q, m, row, before) if mem.state[m] != STAYS and row < 3 else 0.0
    return changed


@jit(entry="int64, Problem, float64[::1], float64[::1], float64[::1], Memory, float64")
def mend(address, Q, before, start, how, mem, allowed):
    """After the solution from velocities ``start``: where an island has more energy than is allowed, set q of its
    points and the torques of inertia of its bodies (those of the mean velocities) such that it cannot be.  Returns how
    many points and bodies are changed."""
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    d = Q.H.shape[1]
    n = mem.gain.shape[0]
    for b in range(n):
        mem.gain[b] = 0.0
    for b in range(n):
        lost = change_in_mass(Q.Minv, b, Q.u, before)
        mem.gain[root(mem.parent, b)] += work(mem.spins, b, before, start, Q.u) - (mem.theta[b] - 0.5) * lost
    for m in range(Q.count[0]):
        b = _whose(Q, m)
        theta = mem.theta[b]
        for row in range(d):
            w = theta * _speed(Q, m, row, Q.u) + (1.0 - theta) * _speed(Q, m, row, before)
            mem.gain[root(mem.parent, b)] += w * Q.r[m, row]
    changed = _at_ends(W, S, Q, before, how, mem, allowed) if how[FIXED] == 0.0 else 0
    if changed:
        return changed
    for m in range(Q.count[0]):
        b = _whose(Q, m)
        if mem.gain[root(mem.parent, b)] > allowed:
            k = (1.0 - mem.theta[b]) / mem.theta[b]
            other = False
            for row in range(d):
                if row > 0 and mem.grip[m] == STOPPED and how[FIXED] != 0.0:
                    continue  # it would be thrown back: there energy is kept to the order of the scheme
                q = k * _speed(Q, m, row, before)
                if row == 0:
                    q = max(q, Q.q[m, 0])
                if q != Q.q[m, row]:
                    Q.q[m, row] = q
                    other = True
            if other:
                changed += 1
    for b in range(n):
        if mem.gain[root(mem.parent, b)] > allowed and abs(work(mem.spins, b, before, start, Q.u)) > 0.1 * allowed:
            turn_by_mean(mem.spins, b, before, Q.u, how[STEP], start)
            changed += 1
    return changed


@jit(entry="int64, float64[::1], float64[:, ::1], float64[::1], float64[::1], Problem, Memory")
def enter_rows(address, y, R, before, how, Q, mem):
    """Fill problem Q with the points that the engine has collected at the state y and that matter; ``before``:
    velocities (6 (nb+1)) before the step, Q.u those after it without impulses; ``how`` (5): see `STEP`.  What does not
    matter leaves the engine's list.

    Impulses of a point that is found again, by the key of its pair and its feature, are taken over as the start
    (`give_back` keeps them in ``mem``). Returns the number of points.
    """
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    sh = S.sh
    d = Q.H.shape[1]
    last = 0
    m = 0
    for point in range(W.count[POINTS]):
        if m != point:
            for q in range(W.pts.shape[1]):
                W.pts[m, q] = W.pts[point, q]
            for q in range(W.pd.shape[1]):
                W.pd[m, q] = 0.0
            W.pair[m] = W.pair[point]
        k = W.pair[m]
        c = W.near[k, 0]
        i = sh.fr.body[sh.frame[W.near[k, 1]]]
        j = sh.fr.body[sh.frame[W.near[k, 2]]]
        Q.body[m, 0] = i
        Q.body[m, 1] = j
        g = W.pts[m, GAP]
        share = 0.5  # of body a in the mobility of both
        ma = lightness(Q.Minv, i)
        mb = lightness(Q.Minv, j)
        if ma + mb > 0.0:
            share = ma / (ma + mb)
        for q in range(3):
            W.pd[m, AT + q] = W.pts[m, P + q] + share * g * W.pts[m, N + q]
        Q.mu[m, 0] = S.p[c, MU]
        Q.mu[m, 1] = S.p[c, SPIN]
        Q.mu[m, 2] = S.p[c, ROLL]
        matters = True
        w = 0.0
        ahead = 0.0
        for row in range(d):
            a0, a1, a2 = _axis(W, m, row)
            for side in range(2):
                b = j if side else i
                s = -1.0 if side else 1.0
                if row < 3:
                    r0, r1, r2 = lever(S.bodies, y, b, W.pd[m, AT], W.pd[m, AT + 1], W.pd[m, AT + 2])
                    enter_velocity_row(S.bodies, R, b, s, (r0, r1, r2), (a0, a1, a2), Q.H, m, row, MOVES * side)
                else:
                    enter_turning_row(S.bodies, R, b, s, a0, a1, a2, Q.H, m, row, MOVES * side)
            Q.q[m, row] = 0.0
            Q.r[m, row] = 0.0
            Q.z[m, row] = 0.0
            if row == 0:
                w = _speed(Q, m, 0, before)
                ahead = _speed(Q, m, 0, Q.u)
                W.pd[m, RATE] = w  # until `give_back`
                if g > how[SLOP]:
                    matters = _kept(g, w, ahead, S.p[c, E], how)
                    if not matters:
                        break
        if not matters:
            continue
        while last < mem.known[0] and mem.key[last] < W.key[k]:
            last += 1
        p = last
        met = False
        seen = False
        slid = False
        slow = abs(ahead - w) * max(1.0, how[WHOLE] / how[STEP])
        while p < mem.known[0] and mem.key[p] == W.key[k]:
            if mem.feature[p] == W.pts[m, FEATURE]:
                for row in range(d):
                    o = 3 * (row // 3)
                    a0, a1, a2 = _axis(W, m, row)
                    Q.r[m, row] = mem.old[p, o] * a0 + mem.old[p, o + 1] * a1 + mem.old[p, o + 2] * a2
                    if row == 0:
                        Q.z[m, 0] = mem.old[p, 9]
                    elif row < 3:
                        Q.z[m, row] = mem.old[p, 6] * a0 + mem.old[p, 7] * a1 + mem.old[p, 8] * a2
                if Q.r[m, 0] < 0.0:
                    Q.r[m, 0] = 0.0
                met = mem.old[p, MET] != 0.0
                seen = True
                slid = mem.old[p, SLID] != 0.0
                slow += min(abs(w - mem.old[p, 9]), abs(mem.old[p, KICK]))
                break
            p += 1
        mem.slow[m] = max(how[SLOW], CALM * slow)
        mem.grip[m] = SLIDING
        if d > 1 and S.p[c, STATIC] > S.p[c, MU]:
            if not seen:
                slid = _slips(Q, m, before, mem)
            if not slid:
                mem.grip[m] = RESTING
                Q.mu[m, 0] = S.p[c, STATIC]
        mem.state[m] = _state(
            g, w, ahead, S.p[c, E], how, mem.slow[m], _noise(Q, m, before), Q.r[m, 0] > 0.0, met, Q.z[m, 0]
        )
        m += 1
    W.count[POINTS] = m
    Q.count[0] = m
    _share_theta(W, S, Q, how, mem)
    _enter_q(W, S, Q, before, how, mem)
    return m


@jit(entry="int64, Problem, float64[::1], float64[::1], float64, Memory, float64[:, ::1]")
def give_back(address, Q, before, start, h, mem, given):
    """What acts at the points over a step of size h: impulse / h, the power that it takes (exact for the kinetic
    energy: impulse times the mean of the velocities before and after), and the impulses in ground axes for the next
    start.  ``before``: as in `enter_rows`; ``start``: velocities without impulses; ``given`` (contacts, GIVEN_DATA):
    impulses of each contact.  Returns the energy lost in all points."""
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    n = Q.count[0]
    d = Q.H.shape[1]
    old = mem.old
    mem.known[0] = n
    lost = 0.0
    for c in range(given.shape[0]):
        for q in range(GIVEN_DATA):
            given[c, q] = 0.0
    for m in range(n):
        k = W.pair[m]
        e0, e1, e2, f0, f1, f2 = tangents(W.pts, m)
        n0, n1, n2 = W.pts[m, N], W.pts[m, N + 1], W.pts[m, N + 2]
        x = Q.r[m, 1] if d > 1 else 0.0
        z = Q.r[m, 2] if d > 1 else 0.0
        t0 = x * e0 + z * f0
        t1 = x * e1 + z * f1
        t2 = x * e2 + z * f2
        normal = Q.r[m, 0]
        old[m, 0] = normal * n0 + t0
        old[m, 1] = normal * n1 + t1
        old[m, 2] = normal * n2 + t2
        for q in range(3, 6):
            old[m, q] = 0.0
        if d > 3:
            old[m, 3] = Q.r[m, 3] * n0 + Q.r[m, 4] * e0 + Q.r[m, 5] * f0
            old[m, 4] = Q.r[m, 3] * n1 + Q.r[m, 4] * e1 + Q.r[m, 5] * f1
            old[m, 5] = Q.r[m, 3] * n2 + Q.r[m, 4] * e2 + Q.r[m, 5] * f2
        mem.key[m] = W.key[k]
        mem.feature[m] = W.pts[m, FEATURE]
        old[m, MET] = 1.0 if mem.state[m] >= MEETS else 0.0
        c = W.near[k, 0]
        two = d > 1 and S.p[c, STATIC] > S.p[c, MU]  # coefficients of friction
        old[m, SLID] = 1.0 if two and _slips(Q, m, Q.u, mem) else 0.0
        power = 0.0
        for q in range(6, 10):
            old[m, q] = 0.0
        for row in range(d):
            w = _speed(Q, m, row, before)
            v = _speed(Q, m, row, Q.u)
            power -= 0.5 * (w + v) * Q.r[m, row]
            if row == 0:
                W.pd[m, RATE] = -v  # approach counts as positive
                old[m, 9] = v
                old[m, KICK] = v - _speed(Q, m, 0, start)
            elif row == 1:
                old[m, 6] += v * e0
                old[m, 7] += v * e1
                old[m, 8] += v * e2
            elif row == 2:
                old[m, 6] += v * f0
                old[m, 7] += v * f1
                old[m, 8] += v * f2
        lost += power
        W.pd[m, FN] = normal / h
        W.pd[m, FT] = t0 / h
        W.pd[m, FT + 1] = t1 / h
        W.pd[m, FT + 2] = t2 / h
        W.pd[m, DEPTH] = -W.pts[m, GAP]
        W.pd[m, LOST] = power / h
        for q in range(3):
            W.pd[m, FORCE + q] = old[m, q] / h
            W.pd[m, TA + q] = old[m, 3 + q] / h
        c = W.near[k, 0]
        sign = -1.0 if W.near[k, 3] else 1.0
        a0, a1, a2 = W.pd[m, AT], W.pd[m, AT + 1], W.pd[m, AT + 2]
        for q in range(3):
            given[c, G_FORCE + q] += sign * old[m, q]
            given[c, G_POINT + q] += normal * W.pd[m, AT + q]
        given[c, G_MOMENT] += sign * (a1 * old[m, 2] - a2 * old[m, 1] + old[m, 3])
        given[c, G_MOMENT + 1] += sign * (a2 * old[m, 0] - a0 * old[m, 2] + old[m, 4])
        given[c, G_MOMENT + 2] += sign * (a0 * old[m, 1] - a1 * old[m, 0] + old[m, 5])
        given[c, G_NORMAL] += normal
        given[c, G_FRICTION] += (t0 * t0 + t1 * t1 + t2 * t2) ** 0.5
    return lost
