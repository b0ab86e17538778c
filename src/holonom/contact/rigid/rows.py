"""From contact points of the engine to the rows of a contact problem, and from its impulses back to what acts at the points.

The point c = p_b + g n / 2 carries the impulse  r_n n + r_1 t_1 + r_2 t_2  on body a and its opposite on body b; its rows are the
relative velocity  w = v_a - v_b  at c along n, t_1, t_2, with six rows also the relative angular velocity along them.  Generalised velocities
are those of the bodies: r' in ground axes, W in their own.  Restitution (Newton's, as Moreau states it) enters through q:

    z_n = w_n + e min(w_n before, 0),      z_t = w_t + e_t w_t before,

and a point that is still open at the middle of the step, by g, may close but not overlap until its end (D. E. Stewart, J. C. Trinkle, Int. J.
Numer. Meth. Engng 39 (1996) 2673):  z_n = w_n + (g + h (1/2 - theta) w_n before) / (h theta).  That would take the speed of an impact
before it is there, so it is done where nothing bounces: without restitution, and at speeds that gravity gives in a few steps, where it keeps
what rests from trembling.

The rows are those of the middle of the step, w those of its end: a point that stays closed (it carried an impulse in the step before) gets half
of what the rows have turned since then,  z = w + (H - H before) u / 2,  so that rolling and sticking keep order two.
"""

from __future__ import annotations

from ..._handle import view_S, view_W
from ..._jit import jit
from ..engine import _handle_at
from ..kinematics import tangents
from ..tables import AT, DEPTH, FEATURE, FN, FORCE, FT, GAP, LOST, POINTS, RATE, TA, N, P

#: places in the parameters of a rigid contact (`tables.RIGID_COLUMNS`)
E, MU, ET, SPIN, ROLL = range(5)
#: places in ``how`` of `enter_rows`: step, theta, gap that counts as none, speed below which nothing bounces
STEP, THETA, SLOP, SLOW = range(4)


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
def _kept(W, Q, m, free, w, e, how):
    """Does the point in row m, open, matter in this step?  Its q is set if so.  w: its normal speed before the step."""
    if e > 0.0 and w < -how[SLOW]:
        return False
    i = 6 * Q.body[m, 0]
    j = 6 * Q.body[m, 1]
    ahead = 0.0
    for q in range(6):
        ahead += Q.H[m, 0, q] * free[i + q] + Q.H[m, 0, 6 + q] * free[j + q]
    h = how[STEP]
    q = (W.pts[m, GAP] + h * (0.5 - how[THETA]) * w) / (h * how[THETA])
    Q.q[m, 0] = max(q, 0.0)
    return ahead + q < how[SLOW] + 0.1 * abs(ahead)


@jit
def _stays(W, Q, m, before, old, p):
    """Half of what the rows of a point that stays closed have turned since the last step, into q."""
    i = 6 * Q.body[m, 0]
    j = 6 * Q.body[m, 1]
    for row in range(min(3, Q.H.shape[1])):
        w = 0.0
        for c in range(6):
            w += Q.H[m, row, c] * before[i + c] + Q.H[m, row, 6 + c] * before[j + c]
        if row == 0:
            last = old[p, 9]
            Q.q[m, 0] = 0.0
        else:
            a0, a1, a2 = _axis(W, m, row)
            last = old[p, 6] * a0 + old[p, 7] * a1 + old[p, 8] * a2
        Q.q[m, row] += 0.5 * (w - last)


@jit
def enter_rows(address, y, R, before, how, Q, old, key, feature, known):
    """Fill problem Q with the points that the engine has collected at the state y and that matter; ``before``: velocities (6 (nb+1)) before the
    step, Q.u those after it without impulses; ``how`` (4): see `STEP`.  What does not matter leaves the engine's list.

    Impulses of a point that is found again, by the key of its pair and its feature, are taken over as the start: ``old`` (cap, 10) holds the
    impulse, its moment and the slip behind the step, all in ground axes, and the normal speed there, key and feature (cap,), known (1,) how many (`give_back`).
    Returns the number of points.
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
        for q in range(3):
            W.pd[m, AT + q] = W.pts[m, P + q] + 0.5 * g * W.pts[m, N + q]
        Q.mu[m, 0] = S.p[c, MU]
        Q.mu[m, 1] = S.p[c, SPIN]
        Q.mu[m, 2] = S.p[c, ROLL]
        matters = True
        for row in range(d):
            a0, a1, a2 = _axis(W, m, row)
            for side in range(2):
                b = j if side else i
                s = -1.0 if side else 1.0
                o = 6 * side
                if row < 3:
                    r0 = W.pd[m, AT] - y[13 * b]
                    r1 = W.pd[m, AT + 1] - y[13 * b + 1]
                    r2 = W.pd[m, AT + 2] - y[13 * b + 2]
                    t0 = s * (r1 * a2 - r2 * a1)
                    t1 = s * (r2 * a0 - r0 * a2)
                    t2 = s * (r0 * a1 - r1 * a0)
                    Q.H[m, row, o] = s * a0
                    Q.H[m, row, o + 1] = s * a1
                    Q.H[m, row, o + 2] = s * a2
                else:
                    t0 = s * a0
                    t1 = s * a1
                    t2 = s * a2
                    for q in range(3):
                        Q.H[m, row, o + q] = 0.0
                for q in range(3):
                    Q.H[m, row, o + 3 + q] = R[b, q] * t0 + R[b, 3 + q] * t1 + R[b, 6 + q] * t2
            w = 0.0
            for q in range(6):
                w += Q.H[m, row, q] * before[6 * i + q] + Q.H[m, row, 6 + q] * before[6 * j + q]
            Q.q[m, row] = 0.0
            if row == 0:
                Q.q[m, row] = S.p[c, E] * min(w, 0.0)
                W.pd[m, RATE] = w  # until `give_back`
            elif row < 3:
                Q.q[m, row] = S.p[c, ET] * w
            Q.r[m, row] = 0.0
            if row == 0 and g > how[SLOP]:
                matters = _kept(W, Q, m, Q.u, w, S.p[c, E], how)
                if not matters:
                    break
        if not matters:
            continue
        while last < known[0] and key[last] < W.key[k]:
            last += 1
        p = last
        while p < known[0] and key[p] == W.key[k]:
            if feature[p] == W.pts[m, FEATURE]:
                for row in range(d):
                    o = 3 * (row // 3)
                    a0, a1, a2 = _axis(W, m, row)
                    Q.r[m, row] = old[p, o] * a0 + old[p, o + 1] * a1 + old[p, o + 2] * a2
                if Q.r[m, 0] < 0.0:
                    Q.r[m, 0] = 0.0
                if Q.r[m, 0] > 0.0 and g <= how[SLOP]:
                    _stays(W, Q, m, before, old, p)
                break
            p += 1
        m += 1
    W.count[POINTS] = m
    Q.count[0] = m
    return m


@jit
def give_back(address, Q, before, h, old, key, feature, known):
    """What acts at the points over a step of size h: impulse / h, the power that it takes (exact for the kinetic energy: impulse times the
    mean of the velocities before and after), and the impulses in ground axes for the next start.  ``before``: as in `enter_rows`.
    Returns the energy lost in all points."""
    handle = _handle_at(address)
    W = view_W(handle)
    n = Q.count[0]
    d = Q.H.shape[1]
    known[0] = n
    lost = 0.0
    for m in range(n):
        k = W.pair[m]
        i = 6 * Q.body[m, 0]
        j = 6 * Q.body[m, 1]
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
        key[m] = W.key[k]
        feature[m] = W.pts[m, FEATURE]
        power = 0.0
        for q in range(6, 10):
            old[m, q] = 0.0
        for row in range(d):
            w = 0.0  # before
            v = 0.0  # after
            for q in range(6):
                w += Q.H[m, row, q] * before[i + q] + Q.H[m, row, 6 + q] * before[j + q]
                v += Q.H[m, row, q] * Q.u[i + q] + Q.H[m, row, 6 + q] * Q.u[j + q]
            power -= 0.5 * (w + v) * Q.r[m, row]
            if row == 0:
                W.pd[m, RATE] = -v  # approach counts as positive
                old[m, 9] = v
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
    return lost
